"""Lines of supply, the Supply Phase and isolation (16), ready ASUs and range (17.1.4, 17.2, 17.3), supply attrition (25)."""

from __future__ import annotations

import pytest

from khamsin.games.na41 import attrition, readiness, supply, supply_phase
from khamsin.games.na41.units import ALLIED, AXIS, BOARD, NUMBER, G, Na41State, usable_supply
from khamsin.kernel import Match
from khamsin.kernel.flood import CLOSED
from tests.rulebook.na41.table import drive, flags, game, kind, legal, match, points, refused, steps, where

AXIS_SUPPLY = "impulse 2 axis supply"
ALLIED_SUPPLY = "impulse 2 allied supply"
TOBRUK = {"Allied": ["3138"]}
RING = {"3039": ["39 Bol"], "2938": ["40 Bol"], "3036": ["20 Bre"], "3136": ["19 Bre"]}
"""Axis units around the Tobruk perimeter."""


def status(g: G, unit: str) -> int:
    """How a unit is supplied."""
    return supply.status(g, NUMBER[unit])


def finished(m: Match[Na41State]) -> Match[Na41State]:
    """A match whose phase has been ended with default choices."""
    while m.decision is not None and m.decision.kind.startswith("supply."):
        m.play(["default" if m.decision.kind == "supply.port" else "done"])
    return m


def test_units_trace_to_an_off_map_box() -> None:
    """By road without limit; units in a box need no line (6.2, 16.2, 16.3.1)."""
    g = game({"2845": ["GAF"], "Tripoli": ["27 Pav"], "2560": ["16 Br"]})
    assert status(g, "GAF") == status(g, "27 Pav") == supply.FULL
    assert status(g, "16 Br") == supply.FULL


def test_the_overland_portion_is_five_hexes_and_jebel_counts_two() -> None:
    """(16.3.2)"""
    assert supply.LIMIT == 5
    assert supply.overland_cost(BOARD["3215"], BOARD["3316"]) == 2
    g = game({"2425": ["8 MG/5L"]})
    field = supply.overland(g, AXIS, frozenset([BOARD["2430"]]), 5)
    assert BOARD["2425"] in field
    assert BOARD["2424"] not in field


def test_a_line_crosses_an_escarpment_by_road_or_next_to_the_unit() -> None:
    """(16.3.2)"""
    g = game({"2547": ["8 MG/5L"]})
    assert supply.overland(g, AXIS, frozenset([BOARD["2647"]]), 1).cost(BOARD["2547"]) == 1
    beyond = supply.overland(g, AXIS, frozenset([BOARD["2647"]]), 2)
    assert BOARD["2446"] not in beyond


def test_a_line_enters_at_most_two_consecutive_desert_hexes() -> None:
    """(16.3.2)"""
    g = game({"0320": ["3/5L"]})
    field = supply.overland(g, AXIS, frozenset([BOARD["0320"]]), 5)
    assert BOARD["0318"] in field
    assert BOARD["0217"] in field  # two desert hexes lie between
    assert BOARD["0115"] not in field


def test_only_the_first_hex_may_be_in_an_enemy_zone() -> None:
    """And not where ZOCs overlap; a friendly unit opens its hex (16.3.2, 16.3.3, example 16.3)."""
    source = frozenset([BOARD["2432"]])
    a = game({"2428": ["8 MG/5L"], "2527": ["1 THR"]})
    assert supply.overland(a, AXIS, source, 5).cost(BOARD["2428"]) == 4
    b = game({"2428": ["8 MG/5L"], "2530": ["1 THR"], "2328": ["1 RB"]})
    assert BOARD["2428"] in supply.overland(b, AXIS, source, 5)
    c = game({"2428": ["8 MG/5L"], "2429": ["3/5L"], "2529": ["1 THR"], "2329": ["1 RB"]})
    assert BOARD["2428"] in supply.overland(c, AXIS, source, 5)
    d = game({"2428": ["8 MG/5L"], "2529": ["1 THR"], "2329": ["1 RB"], "2427": ["2 RB"]})
    assert BOARD["2428"] not in supply.overland(d, AXIS, source, 5)


def test_roads_are_closed_by_zones_without_a_friend_and_by_enemy_places() -> None:
    """(16.3.3, 16.3.5)"""
    source, end = frozenset([BOARD["1604"]]), BOARD["2211"]
    units = {"2211": ["19 Bre"], "1604": ["20 Bre"]}
    enemies = {"1505": ["1 THR"], "1503": ["1 RB"]}
    assert end in supply.traced(game(units), AXIS, source)
    assert end not in supply.traced(game(units | enemies), AXIS, source)
    assert end in supply.traced(game(units | enemies | {"1605": ["27 Pav"]}), AXIS, source)
    shut = game({"3211": ["19 Bre"]}, control={"Allied": ["3212"]})
    blocked = supply.blocks(shut, AXIS)
    assert blocked.marks[BOARD["3212"]] == CLOSED
    assert blocked.marks[BOARD["3211"]] != CLOSED


def test_a_port_supplies_twice_its_capacity() -> None:
    """(16.2, 21.3.2, example 16.2, example 21.3.2)"""
    g = game({"3138": ["16 Br"], **RING}, control=TOBRUK)
    assert supply.ports(g, ALLIED)[BOARD["3138"]] == 8
    assert status(g, "16 Br") == supply.PORT
    g = game({"3138": ["16 Br"], **RING}, control=TOBRUK, amounts={"damage": {"3138": 4}})
    assert BOARD["3138"] not in supply.ports(g, ALLIED)
    assert status(g, "16 Br") == supply.NONE


def test_tobruk_at_four_feeds_any_eight_units() -> None:
    """Of nine one is out of supply (16.2, example 16.2)."""
    tobruk = ["16 Br", "23 Br", "1 RB", "2 RB", "1 KRRC"]
    for others, unfed in ((3, 0), (4, 1)):
        garrison = {"3138": tobruk, "3137": ["1 THR", "1 RNF", "Czech 11", "5 RTR"][:others], **RING}
        m = finished(match(garrison, phase=ALLIED_SUPPLY, control=TOBRUK))
        assert sum("oos" in flags(m, unit) for hex in ("3138", "3137") for unit in garrison[hex]) == unfed


def test_the_owner_decides_whom_a_port_feeds() -> None:
    """(16.1, 16.2)"""
    garrison = {"3138": ["16 Br", "23 Br"], "3137": ["14 Br"], **RING}
    m = match(garrison, phase=ALLIED_SUPPLY, control=TOBRUK, amounts={"damage": {"3138": 3}})
    assert kind(m) == "supply.port"
    assert refused(m, "GAF") == "16.2"
    m.play(["14 Br", "16 Br"])
    assert flags(m, "14 Br") == flags(m, "16 Br") == set()
    assert flags(m, "23 Br") == {"oos"}


def test_a_port_feeds_units_behind_an_msu_only_with_that_msu() -> None:
    """An unfed MSU extends no line, and it counts against the port itself (16.2, 16.3.4)."""
    east = {"1580": ["39 Bol"], "1880": ["40 Bol"], "2380": ["20 Bre"]}
    chain = {"3138": ["16 Br"], "1231": ["Allied Truck 1 [msu]"], "1432": ["1 RB"], **east}
    for damage, asked in ((0, False), (3, True)):
        m = match(chain, phase=ALLIED_SUPPLY, control=TOBRUK, amounts={"damage": {"3138": damage} if damage else {}})
        assert (kind(m) == "supply.port") == asked
    assert refused(m, "1 RB") == "16.3.4"
    m.play(["16 Br"])
    assert refused(m, "1 RB") == "16.3.4"
    m.play(["Allied Truck 1"])
    assert flags(m, "1 RB") == {"oos"}
    m = match(chain, phase=ALLIED_SUPPLY, control=TOBRUK, amounts={"damage": {"3138": 3}})
    m.play(["Allied Truck 1", "1 RB"])
    assert flags(m, "1 RB") == set()
    assert flags(m, "16 Br") == {"oos"}
    m = finished(match(chain, phase=ALLIED_SUPPLY, control=TOBRUK, amounts={"damage": {"3138": 3}}))
    assert flags(m, "16 Br") == set()
    assert flags(m, "1 RB") == {"oos"}


def test_the_second_supply_phase_turns_the_marker_red() -> None:
    """And a line removes it (16.1)."""
    m = finished(match({"3138": ["16 Br [oos]", "23 Br"], **RING}, phase=ALLIED_SUPPLY))
    assert {"oos", "isolated"} <= flags(m, "16 Br")
    assert flags(m, "23 Br") == {"oos"}
    m = finished(match({"2560": ["16 Br [oos, isolated]"]}, phase=ALLIED_SUPPLY))
    assert flags(m, "16 Br") == set()


def test_an_msu_extends_a_line() -> None:
    """From network to network, with the kind of supply of its own line (16.3.4, 17.2.4)."""
    far = {"2425": ["1 RB"], "2430": ["Allied Truck 1 [msu]"]}
    g = game(far)
    field = supply.network_of(g, ALLIED, frozenset([BOARD["2435"]]))
    assert BOARD["2425"] in field
    without = game({"2425": ["1 RB"], "2430": ["Allied Truck 1"]})
    assert BOARD["2425"] not in supply.overland(without, ALLIED, frozenset([BOARD["2435"]]), 5)


def test_oases_supply_one_unit_as_an_option() -> None:
    """(27.2)"""
    hexes = {"1041": ["29 Ind"]}
    assert BOARD["1041"] in supply.ports(game(hexes, options={"oasis-supply": "on"}), ALLIED)
    assert BOARD["1041"] not in supply.ports(game(hexes), ALLIED)


def test_a_port_without_a_garrison_supplies_nobody_as_an_option() -> None:
    """A combat unit in or next to it suffices (27.4)."""
    option = {"port-garrisons": "on"}
    assert BOARD["3138"] not in supply.ports(game({"2560": ["16 Br"]}, control=TOBRUK, options=option), ALLIED)
    assert BOARD["3138"] in supply.ports(game({"3137": ["16 Br"]}, control=TOBRUK, options=option), ALLIED)
    assert BOARD["3138"] in supply.ports(game({"2560": ["16 Br"]}, control=TOBRUK), ALLIED)


# Isolation Attrition


def test_isolated_units_next_to_the_enemy_roll() -> None:
    """Of seven units five; A is not adjacent to an enemy, B is an ASU, which is eliminated when the other six are gone (16.5.1,
    16.5.2, 16.5.3, example 16.5.1)."""
    cut = "oos, isolated"
    edge = {"2041": "1 KRRC", "2043": "2 RB", "2142": "1 THR", "1942": "1 RNF", "1943": "Czech 11"}
    enemies = {"2040": ["19 Bre"], "2044": ["20 Bre"], "2242": ["27 Pav"], "1841": ["28 Pav"], "1843": ["39 Bol"]}
    units = {hex: [f"{unit} [{cut}]"] for hex, unit in edge.items()}
    g = game({**units, **enemies, "2042": [f"1 RB [{cut}]", f"7 Med [{cut}]"]}, dice=[1] * 5)
    rolling = {unit for unit in (*edge.values(), "1 RB", "7 Med") if supply_phase.is_isolated(g, ALLIED, NUMBER[unit])}
    assert rolling == {*edge.values()}
    assert drive(g, supply_phase.attrition(g, ALLIED)) is None
    assert {where(g, unit) for unit in edge.values()} == {"Allied Surrender, left"}
    assert {where(g, unit) for unit in ("1 RB", "7 Med")} == {"2042"}
    g.state.where[NUMBER["1 RB"]] = BOARD["Allied Surrender, left"]
    assert drive(g, supply_phase.attrition(g, ALLIED)) is None
    assert where(g, "7 Med") == "Allied Surrender, left"


def test_a_low_roll_costs_a_step_and_the_last_step_the_surrender_box() -> None:
    """(16.5.2, 16.5.3)"""
    units = {"3137": ["1 RB [oos]", "23 Br [oos]"], **RING}
    m = finished(match(units, phase=ALLIED_SUPPLY, dice=[4, 5]))
    assert where(m, "1 RB") == "Allied Surrender, left"
    assert steps(m, "23 Br") == 3


def test_asus_without_other_units_are_eliminated() -> None:
    """(16.5.2)"""
    m = finished(match({"3138": ["Tobruk ASU [oos]"], **RING}, phase=ALLIED_SUPPLY))
    assert where(m, "Tobruk ASU") != "3138"
    m = finished(match({"3138": ["Tobruk ASU [oos]", "16 Br [oos]"], **RING}, phase=ALLIED_SUPPLY))
    assert where(m, "Tobruk ASU") == "3138"


def test_modifiers_of_isolation_attrition_add_up() -> None:
    """An airfield or Corps HQ next to no enemy, a Fortification, and quality (16.5.4, 17.1.2)."""
    g = game({"3137": ["20/9 Aus"], "3138": ["XIII Corps HQ"], **RING}, forts={"Allied": ["3137"]})
    assert sum(m.value for m in supply_phase.modifiers(g, ALLIED, NUMBER["20/9 Aus"])) == 3
    g = game({"3135": ["27 Pav"]})
    assert [m.value for m in supply_phase.modifiers(g, AXIS, NUMBER["27 Pav"])] == [-1]


# Supply Points and ASUs


def test_a_supply_point_makes_an_asu_ready() -> None:
    """In the Supply Phase, or in the Movement Phase before it moves; only in Good Order (17.1.4)."""
    m = match({"1604": ["X Corps HQ [depleted]", "19 Bre"]}, phase=AXIS_SUPPLY, supply={"Axis": {"1604": 1}})
    assert refused(m, "19 Bre") == "17.1.4"
    m.play(["X Corps HQ"])
    assert flags(m, "X Corps HQ") == set()
    assert points(m, "Axis") == {}
    m = match({"1604": ["X Corps HQ [depleted]"]}, supply={"Axis": {"1604": 1}})
    m.play(["X Corps HQ", "ready"])
    assert flags(m, "X Corps HQ") == set()
    m = match({"1604": ["X Corps HQ [depleted, disrupted]"]}, supply={"Axis": {"1604": 1}})
    m.play(["X Corps HQ"])
    assert refused(m, "ready") == "17.1.4"


def test_the_owner_may_destroy_supply_points() -> None:
    """(17.2.1, 17.2.3)"""
    m = match({"1604": ["19 Bre"]}, supply={"Axis": {"1604": 2}})
    m.play(["destroy"])
    assert refused(m, "1605") == "17.2.3"
    m.play(["1604"])
    assert points(m, "Axis") == {"1604": 1}


def test_range_is_traced_overland_to_any_one_unit() -> None:
    """(17.3, example 17.3)"""
    g = game({"2425": ["I/5/5L"], "2420": ["8 MG/5L"]})
    assert supply.in_range(g, AXIS, BOARD["2428"], [BOARD["2425"], BOARD["2420"]], 3)
    assert not supply.in_range(g, AXIS, BOARD["2428"], [BOARD["2420"]], 3)


# Supply Attrition

EAST = {"3138": ["19 Bre"], "2560": ["20 Bre"]}


@pytest.mark.parametrize("roll", range(2, 13))
def test_supply_attrition_takes_a_point_of_the_section(roll: int) -> None:
    """2 to 5 take the point at Benghazi, 6 to 9 that at Tobruk, 10 to 12 nothing: no unit is that far east (25.1.1,
    example 25.1.1)."""
    left = {"3138": 1} if roll < 6 else {"3211": 1} if roll < 10 else {"3211": 1, "3138": 1}
    dice = (roll // 2, roll - roll // 2)
    g = game(EAST, supply={"Axis": {"3211": 1, "3138": 1}}, dice=dice)
    assert list(attrition.strike(g, AXIS)) == []
    assert points(g, "Axis") == left


def test_attrition_takes_the_nearest_supply_or_marks_all_out_of_supply() -> None:
    """A ready ASU counts; off-map boxes come last (25.1.1, 25.1.2)."""

    def struck(*units: str, **stock: int) -> G:
        g = game({"3138": units}, dice=[1, 1], supply={"Axis": stock})
        assert list(attrition.strike(g, AXIS)) == []
        return g

    g = struck("19 Bre", "X Corps HQ", Tripoli=1)
    assert flags(g, "X Corps HQ") == {"depleted"}
    assert points(g, "Axis") == {"Tripoli": 1}
    assert "oos" in flags(struck("19 Bre", "X Corps HQ [depleted]", Italy=1), "19 Bre")
    g = struck("19 Bre", Tripoli=1)
    assert points(g, "Axis") == {}
    assert flags(g, "19 Bre") == set()


def test_a_choice_of_supply_is_the_owners() -> None:
    """(25.1.1)"""
    m = match(
        {"3211": ["19 Bre", "X Corps HQ"]}, phase="supply attrition", dice=[1, 1, 6, 6], supply={"Axis": {"3211": 1}}
    )
    assert legal(m) == {"3211", "X Corps HQ"}
    assert refused(m, "19 Bre") == "25.1.1"


def test_captured_trucks_break_down() -> None:
    """(27.1)"""
    m = match({"3211": ["19 Bre", "Axis Captured Truck 1"]}, phase="supply attrition", dice=[6, 5, 6, 6])
    assert where(m, "Axis Captured Truck 1") == ""


def test_a_captured_truck_that_breaks_down_leaves_its_supply_point() -> None:
    """Only the truck is removed; a transport marker stays on the point (21.1.5, 27.1)."""
    for marks, usable in (("msu", 1), ("msu, transported", 0)):
        g = game({"3211": ["19 Bre", f"Axis Captured Truck 1 [{marks}]"]}, dice=[6, 5])
        assert list(attrition.strike(g, AXIS)) == []
        assert (where(g, "Axis Captured Truck 1"), points(g, "Axis")) == ("", {"3211": 1})
        assert usable_supply(g, AXIS, BOARD["3211"]) == usable


def test_a_supply_point_that_has_moved_makes_no_asu_ready_in_the_movement_phase() -> None:
    """On a truck that has come in this phase or is under a transport marker; later it does (17.1.4, 21.1.5)."""
    m = match({"2526": ["X Corps HQ [depleted]"], "2527": ["Axis Truck 1 [msu]"]})
    m.play(["Axis Truck 1", "2526", "X Corps HQ"])
    assert refused(m, "ready") == "17.1.4"
    g = game({"2526": ["X Corps HQ [depleted]", "Axis Truck 1 [msu]"]})
    assert readiness.why_not_ready(g, AXIS, NUMBER["X Corps HQ"]) is None
    g = game({"2526": ["X Corps HQ [depleted]", "Axis Truck 1 [msu, transported]"]})
    assert readiness.why_not_ready(g, AXIS, NUMBER["X Corps HQ"]) is not None


def test_a_port_without_a_garrison_belongs_to_nobody_as_an_option() -> None:
    """Lines of both sides run through it (16.3.3, 27.4)."""
    for option, hex, closed in (("on", "3616", False), ("on", "3212", True), ("off", "3616", True)):
        g = game({hex: ["20/9 Aus"]}, control={"Allied": ["3211"]}, options={"port-garrisons": option})
        assert (supply.blocks(g, AXIS).marks[BOARD["3211"]] == CLOSED) is closed


def test_an_msu_under_a_transport_marker_extends_no_line() -> None:
    """It may not be used for anything (16.3.4, 21.1.5)."""
    for marks, linked in (("msu", True), ("msu, transported", False)):
        g = game({"2425": ["1 RB"], "2430": [f"Allied Truck 1 [{marks}]"]})
        assert (BOARD["2425"] in supply.network_of(g, ALLIED, frozenset([BOARD["2435"]]))) == linked
