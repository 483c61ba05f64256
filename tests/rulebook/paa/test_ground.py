"""The board's ground, zones, stacking, control (2.1 to 5)."""

from __future__ import annotations

import pytest

from khamsin import games
from khamsin.games.paa import control, zones
from khamsin.games.paa.ground import NODES, UNIT_NET
from khamsin.games.paa.stacking import limit, overfull
from khamsin.games.paa.units import ALLIED, AXIS, BOARD, COUNTERS, DEPOTS, LORRIES, NUMBER, REGULARS
from khamsin.kernel.flood import NEVER, Network
from tests.rulebook.paa.table import hexes, table, where, why


def zone(match, side: int) -> set[str]:
    return {BOARD.name(h) for h, mark in enumerate(zones.zone(match.game, side)) if mark}


@pytest.mark.parametrize(
    ("start", "end", "cost"),
    [
        ("1218", "1219", 3),  # clear
        ("0703", "0704", 10),  # swamp
        ("1508", "1509", 13),  # clear beyond an escarpment
        ("0702", "0703", 1),  # road
        ("1622", "1623", 2),  # track
    ],
)
def test_each_kind_of_ground_has_its_cost(start: str, end: str, cost: int) -> None:
    """Clear 3, rough and swamp 10, escarpment 10 more, road 1, track 2 (2.1, 2.1.1, 11.1.2)."""
    here, there = BOARD[start], BOARD[end]
    assert int(UNIT_NET.costs[here][BOARD.direction(here, there)]) == cost


def test_rough_costs_ten() -> None:
    """Rough ground without a line costs 10 (11.1.2)."""
    rough = [
        (h, d, n)
        for h in BOARD
        for d, n in enumerate(BOARD.neighbours[h])
        if n >= 0 and BOARD.terrain_name(n) == "rough" and BOARD.enterable(h) and not BOARD.between(h, n)
    ]
    assert rough
    assert {int(UNIT_NET.costs[h][d]) for h, d, n in rough} == {10}


def test_the_road_table_holds_leg_by_leg() -> None:
    """MF along the coast road between the towns (2.1.1, road table)."""
    road = Network.of(BOARD, lambda h, d, n: 1 if "road" in BOARD.between(h, n) else NEVER)
    table_ = BOARD.areas["Coast road"]
    for a, b, steps in zip(table_.hexes, table_.hexes[1:], table_.data["legs"], strict=False):
        assert road.flood([a]).cost(b) == steps
    assert sum(table_.data["legs"]) == 73


def test_nothing_crosses_a_prohibited_hexside() -> None:
    """Prohibited hexsides stop movement (2.1.1, 11.1.2)."""
    for side in BOARD.sides:
        if side.kind == "prohibited":
            assert int(UNIT_NET.costs[side.a][BOARD.direction(side.a, side.b)]) == NEVER


def test_the_counters_are_as_many_as_the_rulebook_says() -> None:
    """71 Axis and 162 Allied counters, three lorries a side (2.3.1, 2.3.2)."""
    assert sum(1 for c in COUNTERS if c.side == AXIS) == 71
    reinforced = sum(c.factors["plus"] for c in COUNTERS if c.side == ALLIED)
    assert sum(1 for c in COUNTERS if c.side == ALLIED) + reinforced == 162
    assert [len(LORRIES[side]) for side in (AXIS, ALLIED)] == [3, 3]
    assert (len(DEPOTS[AXIS]), len(DEPOTS[ALLIED])) == (6, 9)


def test_infantry_and_armour_are_told_apart() -> None:
    """Types fall into infantry and armoured, and a nation is on every regular unit (2.3.1)."""
    from khamsin.games.paa.units import ARMOURED, NATION

    assert ARMOURED[NUMBER["DE 5/1/ABN"]]
    assert ARMOURED[NUMBER["IT BERS/8/AIREGT"]]
    assert not ARMOURED[NUMBER["DE 104/IREGT"]]
    assert all(NATION[u] for side in (AXIS, ALLIED) for u in REGULARS[side])


def test_a_zone_reaches_all_neighbours_but_not_the_sea() -> None:
    """The two units of the figure, with a common hex in their zones (3, fig. 4)."""
    match = table("axis movement", {"1240": ["DE 382/IREGT"], "1342": ["AU 18/IBDE"]})
    assert zone(match, AXIS) == {"1241", "1340", "1341", "1239", "1140", "1141"}
    assert zone(match, ALLIED) == {"1341", "1343", "1241", "1242"}


def test_a_zone_does_not_cross_a_prohibited_hexside() -> None:
    """No zone across a prohibited hexside (3)."""
    side = next(s for s in BOARD.sides if s.kind == "prohibited" and not BOARD.tags[s.a] & {"depression"})
    match = table("axis movement", {BOARD.name(side.a): ["DE 382/IREGT"]})
    assert BOARD.name(side.b) not in zone(match, AXIS)


def test_lorries_and_installations_have_no_zone() -> None:
    """Only regular units have zones (3)."""
    assert zone(table("axis movement", {"1240": ["Axis lorry 1", "Axis depot 1"]}), AXIS) == set()


def test_the_neighbours_of_a_held_fort_are_its_zone() -> None:
    """A fort's zone counts while the enemy holds the fort (3, 11.1.5)."""
    held = table("axis movement", {"1925": ["AU 24/IBDE"]})
    empty = table("axis movement", {"1440": ["AU 24/IBDE"]})
    for name in ("1924", "1824", "1825"):
        assert zones.enemy_fort(held.game, AXIS, BOARD[name]) == BOARD["1925"]
        assert zones.enemy_fort(empty.game, AXIS, BOARD[name]) is None


def test_three_units_stack_and_two_in_bardia() -> None:
    """Three units, two in Bardia, one installation (4)."""
    assert (limit(BOARD["1925"]), limit(BOARD["1730"]), limit(BOARD["1622"])) == (3, 2, 3)
    match = table(
        "allied movement",
        {"1622": ["NZ 4/IBDE", "NZ 5/IBDE", "NZ 6/IBDE", "BR 4/ABDE"], "1730": ["SA 1/IBDE", "SA 2/IBDE", "SA 3/IBDE"]},
    )
    assert [BOARD.name(h) for h in overfull(match.game, ALLIED)] == ["1622", "1730"]


def test_an_overfull_hex_keeps_the_phase_open() -> None:
    """Stacking is broken only within the phase (4)."""
    match = table("allied movement", {"1351": ["NZ 4/IBDE", "NZ 5/IBDE", "NZ 6/IBDE", "BR 4/ABDE"]})
    assert "done" not in match.names
    assert why(match, "done") == ("1351 has more than 3 units; move one out first", "4", "1351")
    match.play(["BR 4/ABDE", "1352"])
    assert "done" in match.names


def test_units_pass_through_a_full_hex_but_do_not_stop_there() -> None:
    """Three that have moved fill a hex; a fourth goes through (4, example 4)."""
    match = table("allied movement", {"1250": ["NZ 4/IBDE", "NZ 5/IBDE", "NZ 6/IBDE"], "1351": ["BR 4/ABDE"]})
    for unit in ("NZ 4/IBDE", "NZ 5/IBDE", "NZ 6/IBDE"):
        match.state.spent[NUMBER[unit]] = 50
    match.play(["BR 4/ABDE"])
    assert "1250" not in hexes(match)
    assert hexes(match)["1249"] == 2
    assert why(match, "1250") == ("1250 would exceed 3 units; move a unit out first", "4", "1250")


def test_control_passes_to_who_was_last_there() -> None:
    """A regular unit takes a hex by passing through, a lorry does not (5, 5.1)."""
    match = table("axis movement", {"0702": ["Axis depot 1"], "1924": ["DE 5/1/ABN"], "1823": ["Axis depot 2"]})
    match.play(["DE 5/1/ABN", "1925"])
    assert control.controls(match.game, AXIS, BOARD["1925"])
    lorry = table("axis movement", {"0702": ["Axis depot 1"], "1924": ["Axis lorry 1"], "1823": ["Axis depot 2"]})
    lorry.state.flags[NUMBER["Axis lorry 1"]] = 0
    lorry.play(["Axis lorry 1", "1925"])
    assert where(lorry, "Axis lorry 1") == "1925"
    assert control.controls(lorry.game, ALLIED, BOARD["1925"])


def test_a_base_is_its_centre_and_the_land_around_it() -> None:
    """Five hexes at El Agheila, six at Alexandria (5.1)."""
    rules = games.load("paa")
    assert len(rules.board.areas["El Agheila base"].hexes) == 5
    assert len(rules.board.areas["Alexandria base"].hexes) == 6


def test_nodes_of_a_hex_begin_with_the_hex_itself() -> None:
    """Lines that do not join give a hex further nodes (11.1.2)."""
    assert NODES[BOARD["1925"]] == (BOARD["1925"],)
    assert len(NODES[BOARD["1724"]]) == 3
