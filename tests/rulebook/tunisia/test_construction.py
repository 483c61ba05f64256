"""Construction and hedgehogs (1.1b, 1.6, OCS 10, OCS 16)."""

from __future__ import annotations

from khamsin.games.tunisia import RULES, construction, supply
from khamsin.games.tunisia.units import ALLIED, AXIS, BOARD, NUMBER
from khamsin.kernel import Match, SeededDice
from khamsin.kernel.board import NOWHERE
from tests.rulebook.tunisia.table import game, match, number, rule_of

HERE = "B50.05"


def test_an_engineer_raises_a_hedgehog_for_two_points() -> None:
    """One level a turn, four at most; the stack is done (OCS 10(3), OCS 16, OCS 17.6)."""
    m = match({HERE: ["HQ DAK"]}, axis={HERE: 20})
    m.play(["HQ DAK", "build", HERE, "build hedgehog"])
    assert m.state.hedgehog == {BOARD[HERE]: 1}
    assert m.state.axis_t == {BOARD[HERE]: 12}
    g = game({HERE: ["HQ DAK"]}, axis={HERE: 20}, hedgehogs={HERE: 4})
    assert rule_of(construction.why_not_job(g, AXIS, number("HQ DAK"), BOARD[HERE], "build hedgehog")) == "OCS 16"


def test_others_dig_in_their_own_hex_to_level_one() -> None:
    """1 RE in Combat Mode; higher levels take an engineer (OCS 10(3), OCS 18)."""
    g = game({HERE: ["47 Inf"]}, axis={HERE: 20})
    assert construction.why_not_working(g, number("47 Inf")) is None
    assert construction.why_not_job(g, AXIS, number("47 Inf"), BOARD[HERE], "build hedgehog") is None
    assert rule_of(construction.why_not_site(g, AXIS, number("47 Inf"), BOARD["B50.06"])) == "OCS 10(2)"
    g = game({HERE: ["47 Inf"]}, axis={HERE: 20}, hedgehogs={HERE: 1})
    assert rule_of(construction.why_not_job(g, AXIS, number("47 Inf"), BOARD[HERE], "build hedgehog")) == "OCS 18"
    g = game({HERE: ["501 Pz"]}, axis={HERE: 20})
    assert rule_of(construction.why_not_working(g, number("501 Pz"))) == "OCS 10(3)"


def test_engineers_keep_their_combat_side_up() -> None:
    """Headquarters in Move Mode do not build, disorganised ones do (1.6, OCS 10(2))."""
    for mark, able in (("", True), (" [dg]", True), (" [move]", False)):
        g = game({HERE: [f"HQ DAK{mark}"]})
        assert construction.is_engineer(g, number("HQ DAK")[0]) == able


def test_the_mareth_line_never_falls_below_level_two() -> None:
    """It can be raised and lowered again (1.1b)."""
    hex = "B50.13"
    g = game({hex: ["HQ DAK"]}, hedgehogs={hex: 2}, axis={hex: 20})
    assert rule_of(construction.why_not_job(g, AXIS, number("HQ DAK"), BOARD[hex], "reduce hedgehog")) == "1.1b"
    construction.do(g, AXIS, number("HQ DAK"), BOARD[hex], "build hedgehog")
    assert g.state.hedgehog[BOARD[hex]] == 3
    assert construction.why_not_job(g, AXIS, number("HQ DAK"), BOARD[hex], "reduce hedgehog") is None


def test_bases_and_ports() -> None:
    """A base level 1 SP; a hit of a port 1 SP, or what it passes if that is less: Gabès with two hits 2T (OCS 10(3),
    OCS 17.6)."""
    g = game({"B48.17": ["HQ 20 It"]}, axis={"B48.17": 20})
    gabes = BOARD["B48.17"]
    g.state.base[gabes], g.state.level[gabes], g.state.control[gabes], g.state.damage[gabes] = AXIS, 1, AXIS, 2
    construction.do(g, AXIS, number("HQ 20 It"), gabes, "build base")
    construction.do(g, AXIS, number("HQ 20 It"), gabes, "repair port")
    assert (g.state.level[gabes], g.state.damage[gabes], g.state.axis_t[gabes]) == (2, 1, 14)
    assert rule_of(construction.why_not_job(g, AXIS, number("HQ 20 It"), gabes, "build base")) == "OCS 10(3)"


def test_engineers_build_two_hexes_away_on_foot() -> None:
    """Across water no path leads to a hex 2 away (OCS 10(2); series 13.8d)."""
    apart = [
        (here, hex)
        for here in range(BOARD.size)
        if BOARD.enterable(here)
        for hex in BOARD.within(here, construction.REACH)
        if BOARD.enterable(hex) and hex not in construction.on_foot(here)
    ]
    here, hex = apart[0]
    g = game({BOARD.name(here): ["HQ DAK"]}, axis={BOARD.name(here): 20}, scenario="campaign")
    assert BOARD.distance(here, hex) <= construction.REACH
    refusal = construction.why_not_site(g, AXIS, number("HQ DAK"), hex)
    assert refusal is not None
    assert (refusal.rule, refusal.reason.endswith("no path on foot leads there")) == ("OCS 10(2)", True)


def test_nothing_is_built_where_the_enemy_has_supply_or_trucks() -> None:
    """Only attack-capable units enter such a hex, and they capture it (OCS 3(5), OCS 10(3))."""
    near = "B50.06"
    for more in ({"allied": {near: 4}}, {}):
        units = {HERE: ["HQ DAK"]} | ({} if more else {near: ["Allied Truck 1"]})
        g = game(units, axis={HERE: 20}, **more)
        assert rule_of(construction.why_not_site(g, AXIS, number("HQ DAK"), BOARD[near])) == "OCS 3(5)"
    g = game({HERE: ["HQ DAK"]}, axis={HERE: 20, near: 4})
    assert construction.why_not_site(g, AXIS, number("HQ DAK"), BOARD[near]) is None


def test_a_division_builds_with_the_loads_of_its_organic_trucks() -> None:
    """Another division does not, nor a stack of both (OCS 10(3), OCS 11.6; series 13.2a, 13.2g)."""
    g = game({HERE: ["86 Inf/10 Pz", "Truck 1/10 Pz", "Truck 2/10 Pz", "433 Inf/164.Le"]})
    for truck in number("Truck 1/10 Pz", "Truck 2/10 Pz"):
        g.state.load[truck] = 4
    stack = number("86 Inf/10 Pz", "433 Inf/164.Le")
    for units in (stack[1:], stack):
        assert rule_of(construction.why_not_job(g, AXIS, units, BOARD[HERE], "build hedgehog")) == "OCS 17.6"
    assert construction.why_not_job(g, AXIS, stack[:1], BOARD[HERE], "build hedgehog") is None
    construction.do(g, AXIS, stack[:1], BOARD[HERE], "build hedgehog")
    assert [g.state.load[truck] for truck in number("Truck 1/10 Pz", "Truck 2/10 Pz")] == [0, 0]


def test_a_headquarters_pays_only_for_builders_of_its_nations_in_the_variant() -> None:
    """Without cooperation a British headquarters does not throw to the French (4.0b, OCS 10(3))."""
    for cooperation, legal in (("full", True), ("none", False)):
        g = Match(RULES, "end-in-africa", {"cooperation": cooperation}, SeededDice(1)).game
        base = BOARD["A30.20"]
        for unit in NUMBER.values():
            g.state.where[unit] = NOWHERE
        g.state.allied_t.clear()
        g.state.allied_t[base] = 20
        g.state.where[NUMBER["HQ 5"]] = base
        field, near = supply.thrown(g, NUMBER["HQ 5"], ALLIED), supply.drawn(g, ALLIED, base)
        far = next(hex for hex in BOARD.within(base, 12) if field[hex] and not near[hex])
        g.state.where[NUMBER["3 Legn Inf"]] = far
        assert (construction.why_not_job(g, ALLIED, number("3 Legn Inf"), far, "build hedgehog") is None) == legal
        assert construction.why_not_job(g, ALLIED, number("HQ 5"), base, "build hedgehog") is None
