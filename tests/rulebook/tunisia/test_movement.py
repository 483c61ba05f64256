"""Ground, ZOCs, modes, fuel, movement and stacking (OCS 3, OCS 4, OCS 5, OCS 6, OCS 11.4, Terrain Effects Chart)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from khamsin.games.tunisia import fuel, losses, modes, movement, moves, zones
from khamsin.games.tunisia.display import DISPLAY
from khamsin.games.tunisia.faults import find_fault
from khamsin.games.tunisia.ground import overrun_cost, plain_cost, step_cost
from khamsin.games.tunisia.units import (
    ALLIED,
    AXIS,
    BOARD,
    DG,
    EXPLOIT,
    HEXES,
    LEG,
    MOVE,
    NUMBER,
    OOS,
    RESERVE,
    SCALE,
    STRAT,
    TRACK,
    TRUCK,
)
from khamsin.kernel.flood import NEVER
from tests.rulebook.tunisia.table import drive, flags, game, legal, match, number, refused, rule_of, where


def open_pair(terrain: str = "open") -> tuple[int, int]:
    """A hex and the direction to one of a terrain, without road or river between them, if possible from open ground."""
    for ground in ("open", "low hills", "rough"):
        for hex in range(HEXES):
            for direction in range(6):
                there = BOARD.neighbours[hex][direction]
                plain = BOARD.terrain_name(hex) == ground and not BOARD.hexside_bits[hex * 6 + direction]
                if there >= 0 and plain and BOARD.terrain_name(there) == terrain and not BOARD.tags[there]:
                    return hex, direction
    raise AssertionError(terrain)


@pytest.mark.parametrize(
    ("terrain", "leg", "truck", "track"),
    [
        ("open", 1, 1, 1),
        ("low hills", 1, 2, 1),
        ("rough", 2, 5, 3),
        ("salt marsh", 2, None, None),
        ("mountain", None, None, None),
    ],
)
def test_terrain_costs(terrain: str, leg: int | None, truck: int | None, track: int | None) -> None:
    """(OCS 6(1), Terrain Effects Chart)"""
    hex, direction = open_pair(terrain)
    for mobility, cost in ((LEG, leg), (TRUCK, truck), (TRACK, track)):
        assert plain_cost(hex, direction, mobility) == (None if cost is None else cost * SCALE)


def test_roads_replace_hex_and_hexside() -> None:
    """A third on primary, a half on secondary roads, one along rails (OCS 6(1))."""
    rates = {"primary road": Fraction(1, 3), "secondary road": Fraction(1, 2), "narrow railroad": Fraction(1)}
    for kind, rate in rates.items():
        bit = BOARD.bit(kind)
        found = [
            step_cost(hex, d, TRUCK)
            for hex in range(HEXES)
            for d in range(6)
            if BOARD.hexside_bits[hex * 6 + d] & bit and BOARD.hexside_bits[hex * 6 + d] & ~BOARD.bit("border") == bit
        ]
        assert found
        assert max(found) <= rate * SCALE


def test_no_way_back_no_way_there() -> None:
    """A truck unit does not leave a mountain off the road; leg units do (OCS 6(3))."""
    hex, direction = open_pair("mountain")
    mountain = BOARD.neighbours[hex][direction]
    back = BOARD.direction(mountain, hex)
    assert step_cost(mountain, back, TRUCK) == NEVER
    assert step_cost(mountain, back, LEG) == plain_cost(mountain, back, LEG) != NEVER


def test_who_has_a_zone_of_control() -> None:
    """Attack-capable in Combat Mode, also under an exploit marker; not in other modes, not out of supply (OCS 4(1))."""
    unit = NUMBER["69 PG/10 Pz"]
    g = game({"B50.05": ["69 PG/10 Pz"]})
    for bits, exerted in (
        (0, True),
        (EXPLOIT, True),
        (MOVE, False),
        (DG, False),
        (RESERVE, False),
        (STRAT, False),
        (OOS, False),
    ):
        g.state.flags[unit] = bits
        assert zones.in_zone(g, AXIS, BOARD.around(BOARD["B50.05"])[0]) == exerted
    g = game({"B50.05": ["104 Art", "HQ DAK"]})
    assert not zones.in_zone(g, AXIS, BOARD.around(BOARD["B50.05"])[0])


def test_allowances_by_mode() -> None:
    """Strat doubles, Reserve quarters, exploit and DG halve; fractions are kept (OCS 5, OCS 1(3))."""
    unit = NUMBER["47 Inf"]  # 7-5-3 leg, 4-5-14 truck
    assert modes.allowance(unit, 0) == 3 * SCALE
    assert modes.allowance(unit, MOVE) == 14 * SCALE
    assert modes.allowance(unit, MOVE | STRAT) == 28 * SCALE
    assert modes.allowance(unit, RESERVE) == Fraction(3, 4) * SCALE
    assert modes.allowance(unit, DG) == Fraction(3, 2) * SCALE
    assert modes.allowance(unit, MOVE, modes.REACTION) == 7 * SCALE


def test_a_click_takes_the_gentlest_mode_that_reaches() -> None:
    """Two hexes on foot without fuel; far away the Move side and a token (OCS 5(1), OCS 6(4), OCS 11.4)."""
    m = match({"B50.05": ["47 Inf"]}, axis={"B50.05": 4})
    m.play(["47 Inf", "B50.07"])
    assert where(m, "47 Inf") == "B50.07"
    assert "move" not in flags(m, "47 Inf")
    assert m.state.axis_t == {BOARD["B50.05"]: 4}
    m = match({"B50.05": ["47 Inf"]}, axis={"B50.05": 4})
    m.play(["47 Inf", "B50.09"])
    assert where(m, "47 Inf") == "B50.09"
    assert "move" in flags(m, "47 Inf")
    assert m.state.axis_t == {BOARD["B50.05"]: 3}


def test_without_fuel_trucks_and_tracks_stay() -> None:
    """Leg units walk (OCS 6(4), OCS 11.4)."""
    m = match({"B50.05": ["1-7 Pz/10 Pz", "47 Inf"]})
    m.play(["1-7 Pz/10 Pz"])
    assert refused(m, "B50.06") == "OCS 11.4"
    m = match({"B50.05": ["47 Inf"]})
    m.play(["47 Inf"])
    assert "B50.06" in legal(m)
    assert refused(m, "B50.12") in ("OCS 11.4", "OCS 6(1)")


def test_a_point_of_fuel_serves_the_division_until_clean_up() -> None:
    """Its units in reach of the same source move without further tokens, also in later phases (OCS 11.4)."""
    units = ["1-7 Pz/10 Pz", "69 PG/10 Pz", "10 Recon/10 Pz", "190 Pz"]
    g = game({"B50.05": units}, axis={"B50.05": 8})
    chosen = number(*units[:3])
    assert fuel.why_not_lasting(g, AXIS, chosen) is None
    fuel.fuel_lasting(g, AXIS, chosen)
    assert g.state.axis_t == {BOARD["B50.05"]: 4}
    assert [fuel.has_fuel(g, AXIS, unit) for unit in number(*units)] == [True, True, True, False]


def test_a_fuelled_headquarters_fuels_independents_in_its_range() -> None:
    """Divisions need their own (OCS 11.4)."""
    g = game({"B50.05": ["HQ DAK"], "B52.05": ["190 Pz", "1-7 Pz/10 Pz"]}, axis={"B50.05": 8})
    fuel.fuel_lasting(g, AXIS, number("HQ DAK"))
    assert fuel.has_fuel(g, AXIS, NUMBER["190 Pz"])
    assert not fuel.has_fuel(g, AXIS, NUMBER["1-7 Pz/10 Pz"])


def test_trucks_stop_in_zones_and_tracks_do_not() -> None:
    """A friendly combat unit in the hex negates the ZOC (OCS 4(2), OCS 4(3))."""
    enemies = {"B52.05": ["201 Gds Inf"]}
    g = game({"B50.05": ["1-7 Pz/10 Pz", "47 Inf"], **enemies}, axis={"B50.05": 8})
    bare = zones.front(g, ALLIED).bare
    assert bare[BOARD["B51.05"]]
    assert not zones.front(game({"B51.05": ["47 Inf"], **enemies}), ALLIED).bare[BOARD["B51.05"]]
    track = moves.option(g, AXIS, number("1-7 Pz/10 Pz"), "", (0,))
    assert zones.front(g, ALLIED).stop not in track.way.hindrances
    wheels = moves.option(g, AXIS, number("47 Inf"), "move", (MOVE,))
    assert zones.front(g, ALLIED).stop in wheels.way.hindrances


def test_strat_and_reserve_are_not_entered_in_a_zone() -> None:
    """Nor Reserve with a hedgehog, nor without a marker (OCS 5, OCS 16, 1.4c)."""
    g = game({"B50.05": ["47 Inf"], "B51.06": ["201 Gds Inf"]})
    for word in ("strat", "reserve"):
        assert rule_of(modes.why_not(g, AXIS, NUMBER["47 Inf"], word)) == "OCS 5"
    g = game({"B50.05": ["47 Inf"]}, hedgehogs={"B50.05": 1})
    assert rule_of(modes.why_not(g, AXIS, NUMBER["47 Inf"], "reserve")) == "OCS 16"
    g = game({"B50.05": ["47 Inf"]})
    g.state.reserves["Axis"] = 0
    assert rule_of(modes.why_not(g, AXIS, NUMBER["47 Inf"], "reserve")) == "1.4c"


def test_a_unit_goes_into_reserve_to_leave_a_hedgehog() -> None:
    """Only the end of the segment counts: it moves out, or leaves Reserve Mode (OCS 5, OCS 16; series 5.7g)."""
    for clicks, end, held in ((["47 Inf", "B50.06"], "B50.06", True), ([], "B50.05", False)):
        g = game({"B50.05": ["47 Inf"]}, hedgehogs={"B50.05": 1})
        segment = ["47 Inf", "reserve", *clicks]
        drive(g, movement.movement(g, AXIS), segment)
        assert "reserve" in flags(g, "47 Inf")
        assert find_fault(g) == find_fault(g.seen_by(ALLIED)) == ""
        drive(g, movement.movement(g, AXIS), ["done"])
        assert (where(g, "47 Inf"), "reserve" in flags(g, "47 Inf")) == (end, held)
    m = match({"B50.05": ["HQ DAK"]}, hedgehogs={"B50.05": 1})
    m.play(["HQ DAK"])
    assert refused(m, "reserve") == "OCS 16"


def test_disorganised_units_only_turn_over() -> None:
    """(OCS 5(1))"""
    g = game({"B50.05": ["47 Inf [dg]"]})
    assert rule_of(modes.why_not(g, AXIS, NUMBER["47 Inf"], "strat")) == "OCS 5(1)"
    assert modes.why_not(g, AXIS, NUMBER["47 Inf"], "move") is None
    modes.change(g, number("47 Inf"), "move")
    assert {"dg", "move"} <= flags(g, "47 Inf")


def test_ten_re_in_a_hex() -> None:
    """At the end of the segment the owner eliminates the excess (OCS 3(1))."""
    crowd = ["47 Inf", "Afrika Inf", "DAL Arab", "Ramcke Para", "Barenthin Para", "69 PG/10 Pz", "86 Inf/10 Pz", "115 PG/15 Pz",
             "104 PG/21 Pz", "7.Brs Inf"]  # fmt: skip
    m = match({"B50.05": crowd, "B50.06": ["10.Brs Inf"]})
    m.play(["10.Brs Inf"])
    assert "B50.07" in legal(m)
    m = match({"B50.05": [*crowd, "10.Brs Inf"]})
    assert m.decision is not None
    assert DISPLAY.warnings(m.game, m.decision) == {
        m.rules.parse("done"): "Too many units in B50.05: the excess is lost"
    }
    m.play(["done"])
    assert m.decision is not None
    assert m.decision.kind == "stacking.excess"
    m.play(["7.Brs Inf"])
    assert where(m, "7.Brs Inf") == "Axis Dead Pile"


def test_the_minimum_move() -> None:
    """A disorganised unit with 1 1/2 MPs enters rough ground for all of them; closed ground stays closed (OCS 6(2),
    OCS 6(3))."""
    area = BOARD.areas["Scenario 5 area"].hexes

    def beside(terrain: str) -> tuple[str, str]:
        return next(
            (BOARD.name(hex), BOARD.name(near))
            for hex in area
            for near in BOARD.around(hex)
            if near in area and BOARD.terrain_name(hex) == "open" and BOARD.terrain_name(near) == terrain
            and not BOARD.between(hex, near)
        )  # fmt: skip

    start, rough = beside("rough")
    m = match({start: ["47 Inf [dg]"]})
    m.play(["47 Inf", rough])
    assert where(m, "47 Inf") == rough
    start, marsh = beside("salt marsh")
    m = match({start: ["1-7 Pz/10 Pz"]}, axis={start: 4})
    m.play(["1-7 Pz/10 Pz"])
    assert refused(m, marsh) == "Terrain Effects Chart"


def test_a_click_on_a_hex_leaves_its_headquarters() -> None:
    """A headquarters would turn to Move Mode and throw less far; it can be added, and is selected where it is alone
    (OCS 11.2)."""
    m = match({"B50.05": ["HQ DAK", "47 Inf"], "B50.08": ["HQ 90"]})
    m.play(["B50.05"])
    assert m.decision is not None
    assert [m.rules.names[unit] for unit in m.decision.about] == ["47 Inf"]
    m.play(["HQ DAK", "cancel", "B50.08"])
    assert m.decision is not None
    assert [m.rules.names[unit] for unit in m.decision.about] == ["HQ 90"]


def test_units_dropped_on_the_way_are_done() -> None:
    """(OCS 6(5))"""
    m = match({"B50.05": ["47 Inf", "Afrika Inf"]})
    m.play(["B50.05", "B50.06", "47 Inf", "B50.07"])
    assert refused(m, "Afrika Inf") == "OCS 6(5)"


def test_an_overrun_costs_three_and_needs_plain_ground() -> None:
    """Entering without a road must cost 3 MPs or less (OCS 7(1), OCS 7(2))."""
    hex, direction = open_pair("open")
    assert overrun_cost(hex, BOARD.neighbours[hex][direction], [TRUCK, TRACK]) == SCALE
    hex, direction = open_pair("rough")
    assert overrun_cost(hex, BOARD.neighbours[hex][direction], [TRUCK]) == 5 * SCALE


@pytest.mark.parametrize(("units", "verb"), [(["190 Pz"], "is"), (["190 Pz", "1-7 Pz/10 Pz"], "are")])
def test_the_verb_of_a_log_line_agrees_with_its_units(units: list[str], verb: str) -> None:
    """(OCS 5(3))"""
    g = game({"B50.05": units})
    losses.disorganise(g, number(*units), "OCS 5(3)")
    assert g.text(g.events[-2]) == f"{', '.join(units)} {verb} disorganised"


def test_a_headquarters_in_strat_mode_does_not_trace_by_its_own_throw() -> None:
    """It throws nothing in that mode, so it ends where a source or another headquarters reaches (OCS 5; series 5.8b)."""
    units = number("HQ DAK")
    for other, reached in (([], False), (["HQ 20 It"], True)):
        g = game({"B47.19": ["HQ DAK", *other]}, axis={"B47.19": 8})
        strat = next(part for one, part in moves.all_destinations(g, AXIS, units) if one.word == "strat")
        assert g.place0 + BOARD["B46.18"] in strat
        assert (g.place0 + BOARD["B44.10"] in strat) == reached


@pytest.mark.parametrize(("mark", "turned"), [("dg", {"move"}), ("move, dg", {"combat", "move"})])
def test_disorganised_units_have_no_strat_button(mark: str, turned: set[str]) -> None:
    """To the other side, or they keep the Move side; never Strat or Reserve (OCS 5, OCS 5(1))."""
    m = match({"B46.18": [f"47 Inf [{mark}]"]})
    m.play(["47 Inf"])
    assert legal(m) & {"combat", "move", "strat", "reserve"} == turned
    assert refused(m, "strat") == refused(m, "reserve") == "OCS 5(1)"
