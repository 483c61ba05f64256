"""Supply points (1.6a-d), trucks (1.7), dumps (1.8), ports and shipping (1.9), boxes (1.16) and off-map boxes (1.13)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any

import pytest

from khamsin.games.afrika import building, campaign, control, dumps, feeding, movement, offmap, ports, retreat, trucks
from khamsin.games.afrika.trucks import Trip
from khamsin.games.afrika.units import (
    ALLIED,
    AXIS,
    BOARD,
    COUNTS,
    FORCES,
    JOINING,
    NUMBER,
    SUPPLY,
    TRIPOLI,
    G,
)
from khamsin.kernel import Match
from tests.rulebook.afrika.table import RULES, drive, flags, game, legal, refused, rule_of, steps, where

TOBRUK, BENGHAZI, DERNA, MATRUH = (BOARD[name] for name in ("A39.23", "A13.23", "A30.28", "B1.18"))


def war(units: Mapping[str, Sequence[str]], phase: str = "axis movement", turn: int = 10, **more: Any) -> G:
    """A position of the campaign."""
    return game(units, phase, turn, "italian-offensive", campaign=1, **more)


def begun(g: G) -> Match[Any]:
    return Match.at(g)


# Use of supply


def test_thirteen_units_cost_one_point() -> None:
    """(1.6c, example 1.6c a)"""
    assert feeding.cost([1] * 13) == 1


def test_twenty_eight_units_in_two_groups_cost_two() -> None:
    """(1.6c, example 1.6c b)"""
    assert (feeding.cost([1] * 28), feeding.cost([1] * 29)) == (2, 3)


def test_the_smallest_group_costs_one() -> None:
    """(1.6c, example 1.6c c)"""
    assert (feeding.cost([1]), feeding.cost([1] * 4), feeding.cost([])) == (1, 1, 0)


def cheapest(counts: tuple[int, ...]) -> int:
    """The cheapest grouping, by trying all: each group costs a tenth of its count, rounded, at least 1."""
    if not counts:
        return 0
    first, rest = counts[0], counts[1:]
    best = 99
    for mask in range(1 << len(rest)):
        group = first + sum(count for bit, count in enumerate(rest) if mask >> bit & 1)
        left = tuple(count for bit, count in enumerate(rest) if not mask >> bit & 1)
        best = min(best, max(1, (group + 5) // 10) + cheapest(left))
    return best


@pytest.mark.parametrize("size", range(1, 7))
def test_the_cost_is_that_of_the_cheapest_grouping(size: int) -> None:
    """(1.6c)"""
    for counts in combinations_with_replacement((1, 3), size):
        assert feeding.cost(counts) == cheapest(counts)


@pytest.mark.parametrize(("side", "turn", "points"), [(AXIS, 6, 10), (AXIS, 7, 20), (ALLIED, 1, 20)])
def test_the_range_of_a_dump(side: int, turn: int, points: int) -> None:
    """In halves of a MP (1.6c)."""
    assert feeding.supply_range(war({}, turn=turn), side) == points


def test_supply_is_counted_at_mech_costs_and_not_through_bare_zones() -> None:
    """(1.6c, SCS 5.7, SCS 11.6)"""
    g = war({"A32.18": ["Pavia Div"]}, turn=6)
    near = feeding.reached(g, AXIS, BOARD["A32.18"])
    assert BOARD["A32.23"] in near
    assert BOARD["A32.24"] not in near
    g = war({"A32.18": ["Pavia Div"], "A32.21": ["6 NZ Bde/2 NZ"], "A33.21": ["Bologna Div"]}, turn=6)
    near = feeding.reached(g, AXIS, BOARD["A32.18"])
    assert BOARD["A32.20"] not in near
    assert BOARD["A33.21"] in near, "a friendly unit cancels the ZOC"


def fed(g: G, side: int, clicks: Sequence[str]) -> None:
    drive(g, feeding.feed(g, side), clicks)


def test_units_are_paid_for_from_a_dump_in_range_and_the_others_suffer() -> None:
    """(1.6, 1.6c, 1.6d)"""
    g = war({"A32.18": ["5 Pz Rgt/5 Le"], "A2.12": ["8 Pz Rgt/15 Pz"]})
    dumps.add(g, AXIS, BOARD["A32.20"], 3)
    fed(g, AXIS, ["done"])
    assert (flags(g, "5 Pz Rgt/5 Le"), flags(g, "8 Pz Rgt/15 Pz")) == (set(), {"oos"})
    assert (steps(g, "8 Pz Rgt/15 Pz"), g.state.axis_sp) == (3, {BOARD["A32.20"]: 2})


def test_a_side_may_leave_units_out_close_a_dump_and_spend_points_for_nothing() -> None:
    """(1.6c)"""
    g = war({"A32.18": ["5 Pz Rgt/5 Le", "8 Pz Rgt/15 Pz"]})
    dumps.add(g, AXIS, BOARD["A32.20"], 3)
    dumps.add(g, AXIS, BOARD["A32.16"], 1)
    fed(g, AXIS, ["8 Pz Rgt/15 Pz", "A32.20", "close", "spend", "done", "done"])
    assert (flags(g, "5 Pz Rgt/5 Le"), flags(g, "8 Pz Rgt/15 Pz")) == (set(), {"oos"})
    assert g.state.axis_sp == {BOARD["A32.20"]: 2}


def test_a_unit_may_be_assigned_to_a_dump() -> None:
    """The plan would take the larger one; a second click frees the unit again (1.6c)."""
    g = war({"A32.18": ["5 Pz Rgt/5 Le", "8 Pz Rgt/15 Pz"], "A2.12": ["Pavia Div"]})
    dumps.add(g, AXIS, BOARD["A32.20"], 3)
    dumps.add(g, AXIS, BOARD["A32.16"], 1)
    assert set(feeding.plan(g, AXIS)) == {BOARD["A32.20"]}
    decision = drive(g, feeding.feed(g, AXIS), ["A32.16"])
    assert decision is not None
    assert rule_of(decision.why_not(g, decision, NUMBER["Pavia Div"])) == "1.6c", "beyond the range"
    g.state.source[NUMBER["5 Pz Rgt/5 Le"]] = 0
    fed(g, AXIS, ["A32.16", "5 Pz Rgt/5 Le", "8 Pz Rgt/15 Pz", "8 Pz Rgt/15 Pz", "done", "done"])
    assert g.state.axis_sp == {BOARD["A32.20"]: 2} or g.state.axis_sp == {BOARD["A32.20"]: 3}
    assert BOARD["A32.16"] not in g.state.axis_sp
    assert g.state.source[NUMBER["5 Pz Rgt/5 Le"]] == 0, "assignments are for one phase"


DIVISIONS = [
    NUMBER[name] for name in ("Bologna Div", "Brescia Div", "Pavia Div", "Savona Div", "Sirte Div", "Cirene Div")
]
SINGLES = [unit for unit in FORCES[ALLIED] if COUNTS[unit] == 1]


def cheapest_of_two(only: Sequence[tuple[int, int]], both: tuple[int, int], points: Sequence[int]) -> int | None:
    """What two dumps cost at least that each supply some divisions and single units alone and share others, by trying all."""
    costs = []
    for divisions in range(both[0] + 1):
        for singles in range(both[1] + 1):
            first = [3] * (only[0][0] + divisions) + [1] * (only[0][1] + singles)
            second = [3] * (only[1][0] + both[0] - divisions) + [1] * (only[1][1] + both[1] - singles)
            if feeding.cost(first) <= points[0] and feeding.cost(second) <= points[1]:
                costs.append(feeding.cost(first) + feeding.cost(second))
    return min(costs, default=None)


@pytest.mark.parametrize("seed", range(200))
def test_the_plan_divides_units_among_dumps_as_cheaply_as_possible(seed: int) -> None:
    """(1.6c)"""
    chance = random.Random(seed)
    only = [(chance.randrange(3), chance.randrange(20)) for _ in range(2)]
    both = (chance.randrange(3), chance.randrange(20))
    points = [chance.randrange(1, 6) for _ in range(2)]
    divisions, singles = iter(DIVISIONS), iter(SINGLES)
    reach: dict[int, list[int]] = {}
    for (number, others), dumps_near in ((only[0], [7]), (only[1], [8]), (both, [7, 8])):
        reach |= {next(divisions): dumps_near for _ in range(number)} | {
            next(singles): dumps_near for _ in range(others)
        }
    stocks = dict(zip((7, 8), points, strict=True))
    plan = feeding.saved(stocks, reach, feeding.first_plan(stocks, reach))
    best = cheapest_of_two(only, both, points)
    if best is not None:
        assert sorted(unit for units in plan.values() for unit in units) == sorted(reach)
        assert feeding.total(plan) == best
    assert all(feeding.cost([COUNTS[unit] for unit in units]) <= stocks[dump] for dump, units in plan.items())


def test_without_points_enough_some_go_hungry() -> None:
    """(1.6c)"""
    g = war({"A32.18": ["Bologna Div", "Brescia Div"], "A32.19": ["Pavia Div", "Sabratha Div", "Savona Div"]})
    dumps.add(g, AXIS, BOARD["A32.20"], 1)
    plan = feeding.plan(g, AXIS)
    assert [len(units) for units in plan.values()] == [4]
    assert feeding.total(plan) == 1


def test_rommel_and_the_lrdg_need_no_supply() -> None:
    """(1.6c, 2.3, 3.4)"""
    g = war({"A32.18": ["5 Pz Rgt/5 Le", "Rommel"], "A50.10": ["LRDG Grp"]})
    assert feeding.mouths(g, AXIS) == [NUMBER["5 Pz Rgt/5 Le"]]
    assert feeding.mouths(g, ALLIED) == []


@pytest.mark.parametrize(("turn", "place", "left"), [(6, "Axis Dead Pile", 0), (7, "A32.18", 3)])
def test_early_italians_surrender(turn: int, place: str, left: int) -> None:
    """On turns 1 to 6; Germans and later Italians do not (1.6d, 2.2)."""
    g = war({"A32.18": ["Pavia Div"]}, turn=turn)
    fed(g, AXIS, [])
    assert (where(g, "Pavia Div"), steps(g, "Pavia Div")) == (place, left)
    g = war({"A32.18": ["28 Oct Div"], "A32.20": ["5 Pz Rgt/5 Le"]}, turn=6)
    fed(g, AXIS, [])
    assert (where(g, "28 Oct Div"), where(g, "5 Pz Rgt/5 Le")) == ("Axis Dead Pile", "A32.20")


def test_the_supply_phase_builds_boxes_before_it_feeds() -> None:
    """(SCS 11.1)"""
    g = war({"A32.18": ["Pavia Div"]}, "axis supply")
    dumps.add(g, AXIS, BOARD["A32.18"], 2)
    m = begun(g)
    assert m.decision.kind == "box.build"
    m.play(["A32.18"])
    assert m.decision.kind == "supply.feed"
    assert dict(m.state.box) == {BOARD["A32.18"]: AXIS}
    m.play(["done"])
    assert m.state.axis_sp == {}


def test_the_owner_may_choose_the_dump_that_pays_for_a_box() -> None:
    """By default it is the one with most SPs (1.16)."""
    for clicks, left in (
        (["A32.18"], {"A32.18": 1, "A32.20": 2}),
        (["spend", "A32.18", "A32.18"], {"A32.20": 3}),
    ):
        g = war({"A32.18": ["Pavia Div"], "A32.21": ["Bologna Div [moved]"], "A2.12": ["Savona Div"]}, "axis supply")
        for dump, number in (("A32.18", 1), ("A32.20", 3), ("A50.12", 1)):
            dumps.add(g, AXIS, BOARD[dump], number)
        m = begun(g)
        assert m.decision.legal[RULES.parse("A32.18")] == "SP from A32.20"
        m.play(clicks)
        assert g.state.box == {BOARD["A32.18"]: AXIS}
        assert {BOARD.name(dump): number for dump, number in g.state.axis_sp.items()} == left | {"A50.12": 1}


def test_why_a_dump_does_not_pay_for_a_box() -> None:
    """(1.6a, 1.6c, 1.16)"""
    g = war({"A32.18": ["Pavia Div"], "A2.12": ["Savona Div"]}, "axis supply")
    for dump in ("A32.18", "A32.20", "A2.12", "A50.12"):
        dumps.add(g, AXIS, BOARD[dump], 1)
    m = begun(g)
    m.play(["spend"])
    assert legal(m) == {"A32.18", "A32.20", "A2.12", "cancel"}
    assert (refused(m, "A50.12"), refused(m, "A30.18")) == ("1.16", "1.6a")
    m.play(["A32.20"])
    assert legal(m) == {"A32.18", "cancel"}
    assert refused(m, "A2.12") == "1.16"
    m.play(["cancel"])
    assert m.decision.kind == "box.build"


@pytest.mark.parametrize(
    ("units", "hex", "text"),
    [
        ({"A32.18": ["Pavia Div [moved]"]}, "A32.18", "moved"),
        ({"A32.18": ["Pavia Div [oos]"]}, "A32.18", "out of supply"),
        ({"A32.18": ["Pavia Div"], "A32.19": ["6 NZ Bde/2 NZ"]}, "A32.18", "enemy ZOC"),
        ({"A39.23": ["Pavia Div"]}, "A39.23", "fortification"),
        ({"A2.12": ["Pavia Div"]}, "A2.12", "no dump"),
        ({"Tripoli Box": ["Pavia Div"]}, "Tripoli Box", "hexes of the map"),
        ({}, "A32.18", "none of your units"),
    ],
)
def test_where_no_box_is_built(units: dict[str, list[str]], hex: str, text: str) -> None:
    """(1.16)"""
    g = war(units)
    dumps.add(g, AXIS, BOARD["A32.18"], 2)
    dumps.add(g, AXIS, BOARD["A39.23"], 2)
    assert text in str(building.why_not_built(g, AXIS, BOARD[hex]))


# Dumps


def test_a_unit_that_enters_a_dump_captures_a_share_and_the_owner_displaces_the_rest() -> None:
    """A roll of 4 takes half of 3, rounded up to 2 (1.6a, 1.8, SCS 3.6)."""
    g = war({"A32.18": ["5 Pz Rgt/5 Le"]}, dice=[4])
    dumps.add(g, ALLIED, BOARD["A32.20"], 3)
    m = begun(g)
    m.play(["5 Pz Rgt/5 Le", "A32.21"])  # through the dump
    assert m.state.axis_sp == {BOARD["A32.20"]: 2}
    assert (m.decision.kind, m.decision.side) == ("supply.displace", ALLIED)
    assert refused(m, "A32.20") == "1.8"
    assert refused(m, "A32.26") == "1.8"
    assert refused(m, "A32.21") == "1.8", "an enemy is there"
    m.play(["A32.25"])
    assert m.state.allied_sp == {BOARD["A32.25"]: 1}


def test_rommel_is_with_his_stack_while_the_owner_displaces_the_rest() -> None:
    """He never stays alone, not even for this decision (1.8, 2.3)."""
    g = war({"A32.18": ["5 Pz Rgt/5 Le", "Rommel"]}, dice=[1])
    dumps.add(g, ALLIED, BOARD["A32.20"], 1)
    m = begun(g)
    m.play(["5 Pz Rgt/5 Le", "A32.21"])
    assert (m.decision.kind, where(m, "Rommel")) == ("supply.displace", "A32.21")


def test_a_dump_is_captured_by_advance_and_retreat_too() -> None:
    """Dumps neither advance nor retreat (1.8, SCS 10.7)."""
    g = war(
        {"A31.18": ["5 Pz Rgt/5 Le", "104 Shu Rgt/5 Le"], "A32.18": ["Artillery Grp A"]}, "axis combat", dice=[4, 3, 6]
    )
    dumps.add(g, ALLIED, BOARD["A32.18"], 4)
    m = begun(g)
    m.play(["A32.18", "done", "A32.18"])
    assert m.state.axis_sp == {BOARD["A32.18"]: 3}
    m.play(["A33.18"])
    assert m.state.allied_sp == {BOARD["A33.18"]: 1}


def test_axis_points_near_the_edge_displace_into_the_joining_box() -> None:
    """(1.8, 1.13)"""
    g = war({})
    assert dumps.why_not_displaced(g, AXIS, BOARD["A2.12"], BOARD["Joining Box"]) is None
    assert rule_of(dumps.why_not_displaced(g, AXIS, BOARD["A14.14"], BOARD["Joining Box"])) == "1.8"
    assert rule_of(dumps.why_not_displaced(g, ALLIED, BOARD["A2.12"], BOARD["Joining Box"])) == "1.8"


def test_points_that_cannot_displace_are_lost() -> None:
    """Every land hex within five hexes has an enemy unit (1.8)."""
    start = BOARD["A30.28"]
    near = [hex for hex in BOARD.within(start, SUPPLY["displacement"]["most"]) if hex != start and BOARD.enterable(hex)]
    units = [unit for unit in FORCES[AXIS] if unit not in (NUMBER["Trento Div"],)][: len(near)]
    assert len(units) == len(near)
    g = war({BOARD.name(hex): [RULES.names[unit]] for hex, unit in zip(near, units, strict=True)})
    assert dumps.havens(g, ALLIED, start) == []
    for number in (2, 1):
        drive(g, dumps.displace(g, ALLIED, start, number))
    assert g.state.allied_sp == {}
    assert [g.text(event) for event in g.events] == ["2 SPs in A30.28 are lost", "1 SP in A30.28 is lost"]
    drive(g, dumps.displace(war({}), ALLIED, start, 0))


def test_a_retreat_into_an_enemy_dump_captures_it() -> None:
    """A 6 takes three of four SPs, and their owner displaces the last (1.8)."""
    g = war({"A32.18": ["3 Ind Mtrd Bde"], "A31.18": ["5 Pz Rgt/5 Le"]}, dice=[6])
    dumps.add(g, AXIS, BOARD["A33.18"], 4)
    decision = drive(g, retreat.retreat(g, ALLIED, [NUMBER["3 Ind Mtrd Bde"]], 1), ["A33.18"])
    assert (where(g, "3 Ind Mtrd Bde"), g.state.allied_sp) == ("A33.18", {BOARD["A33.18"]: 3})
    assert decision is not None
    assert (decision.kind, decision.side) == ("supply.displace", AXIS)


@pytest.mark.parametrize(("unit", "end", "taken"), [("5 AT Bn", "Axis Dead Pile", 0), ("288 Inf Rgt", "A34.18", 3)])
def test_a_unit_that_dies_in_a_zone_captures_nothing_beyond_it(unit: str, end: str, taken: int) -> None:
    """The first hex costs a step, and only a unit with a second one enters the dump behind it (1.8, SCS 10.3)."""
    g = war({"A32.18": [unit], "A32.19": ["1 French Bde"], "A32.17": ["18 Ind Bde"]}, "allied combat", dice=[6])
    dumps.add(g, ALLIED, BOARD["A34.18"], 4)
    drive(g, retreat.retreat(g, AXIS, [NUMBER[unit]], 2), ["A34.18"])
    assert (where(g, unit), g.state.axis_sp.get(BOARD["A34.18"], 0)) == (end, taken)


@pytest.mark.parametrize(("face", "taken"), [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3)])
def test_every_roll_of_the_capture_table(face: int, taken: int) -> None:
    """Of four SPs (1.8)."""
    g = war({"A32.18": ["5 Pz Rgt/5 Le"]}, dice=[face])
    dumps.add(g, ALLIED, BOARD["A32.18"], 4)
    drive(g, dumps.capture(g, AXIS, BOARD["A32.18"]))
    assert g.state.axis_sp.get(BOARD["A32.18"], 0) == taken


def test_a_dump_with_a_unit_is_not_captured_and_points_in_one_hex_are_one_dump() -> None:
    """(1.6a, 1.8)"""
    g = war({"A32.18": ["3 Ind Mtrd Bde"]})
    dumps.add(g, ALLIED, BOARD["A32.18"], 2)
    dumps.add(g, ALLIED, BOARD["A32.18"], 1)
    drive(g, dumps.capture(g, AXIS, BOARD["A32.18"]))
    assert g.state.allied_sp == {BOARD["A32.18"]: 3}


# Trucks


def trip(g: G, side: int, clicks: Sequence[str]) -> None:
    drive(g, trucks.move_supply(g, side), clicks)


def test_two_truck_points_move_a_point_twenty_mps() -> None:
    """And one never moves two SPs (1.7, example 1.7)."""
    g = war({"A32.18": ["Pavia Div"]})
    dumps.add(g, AXIS, BOARD["A10.12"], 2)
    g.state.trucks["Axis"] = 3
    found = trucks.reach(g, Trip(AXIS, BOARD["A10.12"]))
    far = next(at for at, cost in sorted(found.items()) if cost == 40)
    trip(g, AXIS, ["A10.12", BOARD.name(far), "done"])
    assert g.state.trucks["Axis"] == 1
    assert g.state.axis_sp == {BOARD["A10.12"]: 1, far: 1}
    near = next(at for at, cost in sorted(trucks.reach(g, Trip(AXIS, BOARD["A10.12"])).items()) if cost == 10)
    trip(g, AXIS, ["A10.12", BOARD.name(near)])
    assert g.state.trucks["Axis"] == 0, "five MPs use a whole point"
    assert rule_of(trucks.why_not_trip(g, AXIS)) == "1.7"


def test_the_rest_of_a_truck_point_serves_the_same_point_behind_a_ship() -> None:
    """2 MPs to Benghazi, by ship to Tobruk, and 8 MPs on for the same truck point (1.7, 1.9a)."""
    g = shipping({}, {TOBRUK: 1}, 1)
    dumps.add(g, AXIS, BOARD["A15.20"], 1)
    g.state.trucks["Axis"] = 1
    near = trucks.reach(g, Trip(AXIS, BOARD["A15.20"]))
    assert near[BENGHAZI] == 4
    far = next(at for at, cost in trucks.reach(g, Trip(AXIS, TOBRUK)).items() if cost == 20 - near[BENGHAZI])
    trip(g, AXIS, ["A15.20", "A13.23", "A39.23", BOARD.name(far)])
    assert (g.state.trucks["Axis"], g.state.shipping["Axis"], g.state.axis_sp) == (0, 0, {far: 1})


def test_a_port_is_reached_by_truck_unless_the_side_ships() -> None:
    """One that trucks do not reach is reached by ship at once (1.7, 1.9a)."""
    g = war({}, axis=["A39.23", "A47.20", "A13.23"])
    g.state.capacity.update({BOARD["A47.20"]: 1, BENGHAZI: 1})
    g.state.trucks["Axis"], g.state.shipping["Axis"] = 1, 2
    dumps.add(g, AXIS, TOBRUK, 3)
    trip(g, AXIS, ["A39.23", "A47.20", "done", "ship", "A47.20", "done", "A13.23"])
    assert (g.state.trucks["Axis"], g.state.shipping["Axis"]) == (0, 0)
    assert g.state.axis_sp == {BOARD["A47.20"]: 2, BENGHAZI: 1}


def test_trucks_do_not_enter_zones_without_a_friend() -> None:
    """(1.7, SCS 11.6)"""
    g = war({"A32.18": ["6 NZ Bde/2 NZ"]})
    g.state.trucks["Axis"] = 1
    assert BOARD["A32.17"] not in trucks.reach(g, Trip(AXIS, BOARD["A32.14"]))
    g = war({"A32.18": ["6 NZ Bde/2 NZ"], "A32.17": ["Pavia Div"]})
    g.state.trucks["Axis"] = 1
    assert BOARD["A32.17"] in trucks.reach(g, Trip(AXIS, BOARD["A32.14"]))


def test_truck_points_refill_and_the_trento_option_adds_one() -> None:
    """Moving SPs is for the Movement Phase alone (1.7, 2.5)."""
    g = war({"A32.18": ["Pavia Div"]}, turn=10)
    drive(g, campaign.initialization(g, AXIS))
    assert g.state.trucks["Axis"] == 7 + 1
    drive(g, campaign.initialization(g, ALLIED))
    assert g.state.trucks["Allied"] == 6
    dumps.add(g, AXIS, BOARD["A32.18"], 1)
    assert "trucks" in legal(begun(g))
    g = war({"A32.18": ["5 Pz Rgt/5 Le"]}, "axis exploitation")
    dumps.add(g, AXIS, BOARD["A32.18"], 1)
    g.state.trucks["Axis"] = 3
    assert "trucks" not in legal(begun(g))


def test_a_point_needs_a_full_truck_point_from_box_to_box_and_to_the_map() -> None:
    """(1.13)"""
    g = war({})
    dumps.add(g, AXIS, TRIPOLI, 1)
    g.state.trucks["Axis"] = 3
    found = trucks.reach(g, Trip(AXIS, TRIPOLI))
    assert (found[JOINING], found[BOARD["A1.13"]], found[BOARD["A2.12"]]) == (20, 40, 41)
    trip(g, AXIS, ["Tripoli Box", "A1.13"])
    assert (g.state.trucks["Axis"], g.state.axis_sp) == (1, {BOARD["A1.13"]: 1})


def test_a_point_enters_the_joining_box_for_one_mp_and_the_next_box_for_a_full_truck_point() -> None:
    """What is left of the point in use is lost before the full one (1.13)."""
    g = war({})
    g.state.trucks["Axis"] = 2
    found = trucks.reach(g, Trip(AXIS, BOARD["A1.13"]))
    assert (found[JOINING], found[TRIPOLI]) == (2, 40)
    g.state.trucks["Allied"] = 2
    assert JOINING not in trucks.reach(g, Trip(ALLIED, BOARD["A1.13"]))


def test_trucks_do_not_leave_the_joining_box_into_a_zone() -> None:
    """(1.7, 1.13)"""
    g = war({"A2.12": ["6 NZ Bde/2 NZ"]})
    g.state.trucks["Axis"] = 1
    assert BOARD["A1.13"] not in trucks.reach(g, Trip(AXIS, JOINING))
    assert BOARD["A1.08"] in trucks.reach(g, Trip(AXIS, JOINING))


# Ports and shipping


def test_the_axis_rolls_for_shipping_and_each_port() -> None:
    """Benghazi 6 is 3, Derna 2 is 0; shipping 4 is 3 (1.9b, 1.9d)."""
    g = war({}, axis=["A13.23", "A30.28"], dice=[6, 2, 4])
    ports.roll(g, AXIS)
    assert (g.state.capacity, g.state.shipping) == ({BENGHAZI: 3, DERNA: 0}, {"Axis": 3})


def test_three_ports_of_capacity_two_give_six_points_of_allied_shipping() -> None:
    """Alexandria adds none (1.9c, example 1.9c)."""
    g = war({}, allied=["A13.23", "A39.23", "B1.18", "B19.18"], dice=[3, 3, 6])
    ports.roll(g, ALLIED)
    assert g.state.capacity == {BENGHAZI: 2, TOBRUK: 2, MATRUH: 2}
    assert g.state.shipping == {"Allied": 6}


def shipping(units: Mapping[str, Sequence[str]], capacity: Mapping[int, int], points: int, **more: Any) -> G:
    g = war(units, axis=["A13.23", "A39.23"], **more)
    g.state.capacity.update(capacity)
    g.state.shipping["Axis"] = points
    return g


def test_a_unit_marches_to_a_port_is_shipped_and_marches_on() -> None:
    """3 MPs to the port, 7 left behind the ship (1.9a, example 1.9a)."""
    m = begun(shipping({"A15.20": ["104 Artillery Bde"]}, {TOBRUK: 1}, 1))
    m.play(["104 Artillery Bde", "A13.23"])
    assert movement.points_left(m.game, [NUMBER["104 Artillery Bde"]]) == 20 - 6
    m.play(["104 Artillery Bde", "ship", "A39.23"])
    assert where(m, "104 Artillery Bde") == "A39.23"
    assert movement.points_left(m.game, [NUMBER["104 Artillery Bde"]]) == 14
    assert (m.state.shipping["Axis"], m.state.capacity[TOBRUK]) == (0, 0)


def test_a_unit_without_mps_left_can_still_be_shipped() -> None:
    """A ship costs no MPs (1.9a)."""
    g = shipping({"A15.20": ["104 Artillery Bde [oos]"]}, {TOBRUK: 1}, 1)
    m = begun(g)
    m.play(["104 Artillery Bde", "A13.23"])
    m.state.spent[NUMBER["104 Artillery Bde"]] = 10
    m.play(["104 Artillery Bde", "ship", "A39.23"])
    assert where(m, "104 Artillery Bde") == "A39.23"
    assert refused(m, "104 Artillery Bde") == "SCS 3.2"


def test_a_shipped_unit_that_has_not_marched_keeps_its_minimum_move() -> None:
    """A ship is no regular movement, and leaves the whole of the march (1.5c, 1.9a, SCS 3.3)."""
    unit = [NUMBER["5 Pz Rgt/5 Le"]]
    m = begun(shipping({"A13.23": ["5 Pz Rgt/5 Le [oos]"]}, {TOBRUK: 1}, 1))
    m.play(["5 Pz Rgt/5 Le", "ship", "A39.23"])
    assert movement.why_no_minimum(m.game, AXIS, unit, BOARD["A39.22"]) is None
    m.play(["5 Pz Rgt/5 Le", "A39.22"])
    assert "has moved" in str(movement.why_no_minimum(m.game, AXIS, unit, BOARD["A39.21"]))


def test_a_port_takes_in_no_more_than_its_capacity() -> None:
    """Three: a SP, a division, one leaves, one more SP, and the second waits (1.9d, example 1.9d)."""
    g = shipping({"A13.23": ["Pavia Div"], "A39.23": ["5 Pz Rgt/5 Le"]}, {TOBRUK: 3, BENGHAZI: 3}, 9)
    dumps.add(g, AXIS, TRIPOLI, 3)
    m = begun(g)
    m.play(["trucks", "Tripoli Box", "ship", "A39.23", "done", "done", "Pavia Div", "ship", "A39.23"])
    assert m.state.capacity[TOBRUK] == 1
    m.play(["5 Pz Rgt/5 Le", "ship", "A13.23"])
    assert (m.state.capacity[TOBRUK], m.state.shipping["Axis"]) == (1, 6)
    m.play(["trucks", "Tripoli Box", "A39.23", "done"])
    assert refused(m, "A39.23") == "1.9d"


def test_enemy_zones_do_not_hinder_a_port() -> None:
    """(1.9e, SCS 5.8)"""
    g = shipping({"A13.23": ["Pavia Div"], "A39.22": ["6 NZ Bde/2 NZ"]}, {TOBRUK: 1}, 1)
    assert ports.why_not_shipped(g, AXIS, BENGHAZI, TOBRUK) is None


def test_a_captured_port_has_no_capacity_on_that_turn() -> None:
    """And then works with the same capacity for its new owner (1.9e)."""
    g = war({"A38.22": ["5 Pz Rgt/5 Le"]}, allied=["A39.23"], dice=[6, 1])
    g.state.capacity[TOBRUK] = 2
    m = begun(g)
    m.play(["5 Pz Rgt/5 Le", "A39.23"])
    assert TOBRUK not in m.state.capacity
    assert rule_of(ports.why_not_port(m.game, AXIS, TOBRUK)) == "1.9e"
    ports.roll_port(m.game, TOBRUK)
    assert m.state.capacity[TOBRUK] == 0
    m.state.turn += 1
    ports.roll_port(m.game, TOBRUK)
    assert m.state.capacity[TOBRUK] == 3


def test_a_port_taken_and_retaken_in_one_turn_serves_nobody() -> None:
    """It rolls again for its holder on the next turn (1.9e)."""
    g = war({"A38.22": ["5 Pz Rgt/5 Le"]}, allied=["A39.23"], dice=[6])
    control.take(g, AXIS, [TOBRUK])
    control.take(g, ALLIED, [TOBRUK])
    ports.roll_port(g, TOBRUK)
    assert g.state.capacity[TOBRUK] == 0
    assert rule_of(ports.why_not_port(g, ALLIED, TOBRUK)) == "1.9e"
    g.state.turn += 1
    ports.roll_port(g, TOBRUK)
    assert (g.state.capacity[TOBRUK], ports.why_not_port(g, ALLIED, TOBRUK)) == (3, None)


def test_a_port_is_taken_by_passing_through_it() -> None:
    """Its capacity is gone at once (1.9e)."""
    m = begun(war({"A38.22": ["5 Pz Rgt/5 Le"]}, allied=["A39.23"]))
    m.state.capacity[TOBRUK] = 2
    m.play(["5 Pz Rgt/5 Le", "A39.23", "5 Pz Rgt/5 Le", "A40.22"])
    assert (m.state.control[TOBRUK], TOBRUK in m.state.capacity) == (AXIS, False)


@pytest.mark.parametrize(
    ("start", "end", "shipping_left", "capacity", "rule"),
    [
        ("A32.18", "A39.23", 1, 1, "1.9d"),
        ("A13.23", "B1.18", 1, 1, "1.9e"),
        ("A13.23", "A39.23", 0, 1, "1.9a"),
        ("A13.23", "A39.23", 1, 0, "1.9d"),
        ("A13.23", "A13.23", 1, 1, "1.9a"),
    ],
)
def test_why_nothing_is_shipped(start: str, end: str, shipping_left: int, capacity: int, rule: str) -> None:
    """No port, no port of the side, no shipping, no capacity, the same port (1.9a, 1.9d, 1.9e)."""
    g = shipping({}, {TOBRUK: capacity}, shipping_left)
    assert rule_of(ports.why_not_shipped(g, AXIS, BOARD[start], BOARD[end])) == rule


def test_tripoli_and_alexandria_take_in_any_number() -> None:
    """And units leave a port without capacity; Tripoli is the Axis's alone (1.9d, 1.13)."""
    g = shipping({}, {BENGHAZI: 0}, 2)
    assert ports.why_not_shipped(g, AXIS, BENGHAZI, TRIPOLI) is None
    ports.ship(g, AXIS, TRIPOLI)
    assert (g.state.shipping["Axis"], g.state.capacity) == (1, {BENGHAZI: 0})
    g = war({}, allied=["B19.18", "B1.18"])
    g.state.shipping["Allied"] = 1
    assert ports.why_not_shipped(g, ALLIED, MATRUH, BOARD["B19.18"]) is None
    assert rule_of(ports.why_not_port(g, ALLIED, TRIPOLI)) == "1.13"


def test_a_port_hit_after_its_capture_is_degraded_on_its_first_turn_of_use() -> None:
    """What the captor did to it before was for the enemy's turn alone (1.9f)."""
    g = war({}, allied=["A39.23"], dice=[6])
    ports.damage(g, TOBRUK, 1)
    control.take(g, AXIS, [TOBRUK])
    ports.damage(g, TOBRUK, 2)
    g.state.turn += 1
    ports.roll_port(g, TOBRUK)
    assert g.state.capacity[TOBRUK] == 1, "3 less 2"


def test_a_barrage_lowers_a_port_by_its_result_on_the_next_turn_alone() -> None:
    """Without terrain shifts, and without harm to the units there (1.9f, SCS 7.7, example 1.9f)."""
    units = {"A39.23": ["14 Bde/70 Inf"], "A20.20": ["3 Recon Bn/5 Le"]}
    g = war(units, "axis combat", allied=["A39.23"], air=(3, 0), dice=[5, 4])
    m = begun(g)
    m.play(["A39.23", "port", "air 3"])  # 15 points, 9 is 1
    assert (m.state.damage, steps(m, "14 Bde/70 Inf")) == ({TOBRUK: 1}, 3)
    g = war({}, allied=["A39.23"], dice=[3, 3])
    g.state.damage[TOBRUK] = 1
    ports.roll_port(g, TOBRUK)
    assert g.state.capacity[TOBRUK] == 1, "2 less 1"
    ports.roll_port(g, TOBRUK)
    assert g.state.capacity[TOBRUK] == 2


def test_units_and_port_of_a_hex_are_each_barraged_once() -> None:
    """(1.12b, 1.9f)"""
    g = war({"A39.23": ["14 Bde/70 Inf"]}, "axis combat", allied=["A39.23"], air=(3, 0), dice=[1, 1, 1, 1])
    m = begun(g)
    m.play(["A39.23", "port", "air 1", "A39.23"])
    assert "port" not in legal(m)
    m.play(["air 1"])
    assert refused(m, "A39.23") == "1.12b"


def test_damage_ends_on_the_turn_of_capture() -> None:
    """A port that a retreat has taken in the enemy's turn, and that is hit then, has no capacity this turn and the whole of it
    on the next (1.9e, 1.9f)."""
    g = war({}, allied=["A39.23"], dice=[3])
    g.state.taken[TOBRUK] = g.state.turn
    ports.damage(g, TOBRUK, 1)
    ports.roll(g, ALLIED)
    assert (g.state.capacity[TOBRUK], g.state.damage) == (0, {})
    g.state.turn += 1
    ports.roll(g, ALLIED)
    assert g.state.capacity[TOBRUK] == 2


@pytest.mark.parametrize("hex", ["B19.18", "A32.18"])
def test_alexandria_and_places_without_a_port_are_not_damaged(hex: str) -> None:
    """(1.9f)"""
    assert rule_of(ports.why_not_damaged(war({}, allied=["B19.18"]), AXIS, BOARD[hex])) == "1.9f"


# Off-map boxes


def test_a_unit_with_fifteen_mps_crosses_a_box_for_ten() -> None:
    """And spends the other five on the map (1.13, example 1.13)."""
    m = begun(war({"Joining Box": ["288 Inf Rgt"]}))
    m.play(["288 Inf Rgt", "A1.12"])
    assert (where(m, "288 Inf Rgt"), movement.points_left(m.game, [NUMBER["288 Inf Rgt"]])) == ("A1.12", 30 - 20 - 2)


def test_a_slow_unit_moves_one_box_per_phase() -> None:
    """(1.13)"""
    m = begun(war({"Tripoli Box": ["Pavia Div"]}))
    m.play(["Pavia Div", "Joining Box"])
    assert refused(m, "Pavia Div") == "SCS 3.2"
    m = begun(war({"Joining Box": ["Pavia Div"]}))
    m.play(["Pavia Div"])
    assert refused(m, "A2.12") == "1.13"
    m.play(["A1.13"])
    assert where(m, "Pavia Div") == "A1.13"


def test_a_box_is_entered_for_one_mp() -> None:
    """(1.13)"""
    m = begun(war({"A1.13": ["Pavia Div"]}))
    m.play(["Pavia Div", "Joining Box"])
    assert movement.points_left(m.game, [NUMBER["Pavia Div"]]) == 16 - 2


def test_allied_units_never_enter_the_boxes_and_short_scenarios_have_none() -> None:
    """(1.13)"""
    g = war({"A1.13": ["6 NZ Bde/2 NZ"]}, "allied movement")
    assert offmap.steps(g, ALLIED, [NUMBER["6 NZ Bde/2 NZ"]]) == {}
    g = game({"A1.13": ["Pavia Div"]})
    assert rule_of(offmap.why_not(g, AXIS, [NUMBER["Pavia Div"]], BOARD["Joining Box"])) == "1.13"


def test_units_in_a_box_draw_supply_from_it() -> None:
    """(1.13)"""
    g = war({"Tripoli Box": ["Pavia Div"], "Joining Box": ["Bologna Div"]})
    dumps.add(g, AXIS, TRIPOLI, 1)
    fed(g, AXIS, ["done"])
    assert (flags(g, "Pavia Div"), flags(g, "Bologna Div")) == (set(), {"oos"})


def test_an_enemy_zone_costs_two_more_behind_the_joining_box() -> None:
    """KG Hecker pays nothing for it (1.13, 2.8, SCS 5.3)."""
    g = war({"Joining Box": ["288 Inf Rgt", "KG Hecker"], "A2.12": ["6 NZ Bde/2 NZ"]})
    road = BOARD["A1.13"]
    assert offmap.price(g, NUMBER["288 Inf Rgt"], JOINING, road) == 20 + 1 + 4
    assert offmap.price(g, NUMBER["KG Hecker"], JOINING, road) == 20 + 1


def test_a_full_hex_takes_in_nobody_from_the_joining_box() -> None:
    """(1.3, 1.13)"""
    three = ["Bologna Div", "Brescia Div", "Savona Div"]
    m = begun(war({"Joining Box": ["Pavia Div"], "A2.12": three, "A10.12": ["288 Inf Rgt"]}))
    m.play(["A2.12", "A1.13", "288 Inf Rgt", "A11.12", "Pavia Div"])
    assert refused(m, "A1.13") == "1.3"
    m.play(["A1.12"])


def test_the_axis_retreats_into_the_joining_box() -> None:
    """However many hexes it has to go; the Allies cannot (SCS 10.2)."""
    g = war({"A1.13": ["Pavia Div"], "A2.12": ["6 NZ Bde/2 NZ"]})
    drive(g, retreat.retreat(g, AXIS, [NUMBER["Pavia Div"]], 2))
    assert where(g, "Pavia Div") == "Joining Box"
    g = war({"A1.13": ["6 NZ Bde/2 NZ"], "A2.12": ["Pavia Div"]})
    flight = retreat.Flight(ALLIED, (NUMBER["6 NZ Bde/2 NZ"],), 1)
    assert JOINING not in retreat.ends(g, flight, flight.units)
