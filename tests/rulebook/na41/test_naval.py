"""Naval transport and ports (21), convoys (22), events and Resource Points (23), air transport (18.7.6)."""

from __future__ import annotations

import pytest

from khamsin.games.na41 import convoys, events, ports, resources, supply
from khamsin.games.na41.convoys import Convoy
from khamsin.games.na41.units import (
    ALLIED,
    AXIS,
    BOARD,
    NUMBER,
    add_supply,
    capacity,
    remove_supply,
    usable_supply,
)
from tests.rulebook.na41.table import drive, flags, game, kind, legal, match, points, refused, steps, where

AXIS_FIRST = "impulse 1 axis movement"
ALLIED_FIRST = "impulse 1 allied movement"
AIRFIELDS = ["3212", "3629", "3041"]


def test_the_convoy_example() -> None:
    """From Italy past Malta: 10 - 2 = 8 is a 2 for Tripoli; a step of I/8, the replacement and one Supply Point are sunk. Then
    from Tripoli to Benghazi: 8 - 3 = 5 is a miss (21.1.1, 21.1.3, 21.1.5, 21.2, 22.1, 22.2.1, 22.2.2, 22.2.4, 22.2.5, 22.3.1,
    convoy example A-D, convoy example E-G)."""
    m = match(
        {"Italy": ["I/8/15", "104/15", "IT Tank Repl 1"], "Tripoli": ["DE Infantry Repl 1"]}, phase=AXIS_FIRST, turn=4,
        supply={"Axis": {"Italy": 2, "Tripoli": 1}}, control={"Axis": [*AIRFIELDS, "3211"]},
        amounts={"damage": {"3211": 2}}, malta=-2, impulse=1,
        dice=[4, 6, 1, 3, 4, 4, 5, 2, 1, 4, 3, 5],
    )  # fmt: skip
    m.play(["ship", "Italy", "I/8/15", "104/15", "IT Tank Repl 1", "Italy", "Italy"])
    assert "8 of 14" in m.decision.prompt  # type: ignore[union-attr]
    m.play(["sail"])
    assert (where(m, "I/8/15"), steps(m, "I/8/15")) == ("Tripoli", 2)
    assert (where(m, "104/15"), steps(m, "104/15")) == ("Tripoli", 2)
    assert where(m, "IT Tank Repl 1") == "Axis Replacements and Supply Pool"
    assert points(m, "Axis") == {"Tripoli": 2}
    m.play(["ship", "Tripoli", "DE Infantry Repl 1", "Tripoli", "sail"])
    assert where(m, "DE Infantry Repl 1") == "3211"
    assert "transported" in flags(m, "DE Infantry Repl 1")
    assert points(m, "Axis") == {"Tripoli": 1, "3211": 1}
    assert refused(m, "ship") == "21.1.2"


def test_shipping_points() -> None:
    """Stacking value 2 and 1, steps of tanks, one for ASUs, replacements and trucks, two for an MSU (21.2)."""
    g = game(
        {"Tripoli": ["104/15", "8 MG/5L", "I/8/15", "DAK HQ", "Axis Truck 1 [msu]", "Axis Truck 2", "DE Tank Repl 1"]}
    )
    values = [convoys.shipping(g, NUMBER[unit]) for unit in ("104/15", "8 MG/5L", "I/8/15", "DAK HQ", "DE Tank Repl 1")]
    assert values == [2, 1, 3, 1, 1]
    assert [convoys.shipping(g, NUMBER[f"Axis Truck {n}"]) for n in (1, 2)] == [2, 1]


def test_a_coastal_convoy_carries_two_points_between_own_ports() -> None:
    """One per impulse, from ports controlled at the start, unmoved units in Good Order (21.1.2, 21.1.4, 21.3.1)."""
    m = match(
        {"2560": ["22 Gds", "1 RB", "Allied Truck 1"], "3138": ["24/9 Aus", "1 KRRC [disrupted]"]}, phase=ALLIED_FIRST,
        control={"Allied": ["2560", "3138"], "Axis": ["3211"]}, dice=[1, 1],
    )  # fmt: skip
    m.play(["ship", "2560"])
    assert legal(m) == {"3138", "Nile Delta", "cancel"}
    m.play(["3138", "22 Gds"])
    assert refused(m, "1 RB") == "21.3.1"
    assert refused(m, "1 KRRC") == "21.1.1"
    m.play(["sail"])
    assert where(m, "22 Gds") == "3138"
    assert refused(m, "22 Gds") == "5.1"
    assert refused(m, "ship") == "21.1.2"
    g = game({"3138": ["1 KRRC [disrupted]"]})
    refusal = convoys.why_not_shipped(g, NUMBER["1 KRRC"], Convoy(ALLIED, BOARD["3138"], BOARD["2560"]))
    assert refusal is not None
    assert refusal.rule == "13.2.1"


def test_units_that_sail_and_land_drive_off_units_in_full_retreat() -> None:
    """They move next to them, or start there (13.3.2, 21.1.1)."""
    for fleeing in ("3137", "2460"):
        m = match(
            {"2560": ["16 Br"], fleeing: ["3/5L [full_retreat]"]}, phase="impulse 2 allied movement",
            control={"Allied": ["3138", "2560"]}, dice=[1, 1],
        )  # fmt: skip
        m.play(["ship", "2560", "3138", "16 Br", "sail"])
        assert (kind(m), m.decision.side) == ("combat.retreat", AXIS)  # type: ignore[union-attr]
        m.play([min(legal(m))])
        assert where(m, "16 Br") == "3138"


def test_the_allies_buy_a_second_convoy() -> None:
    """(21.1.2, 23.2.3)"""
    m = match(
        {"2560": ["1 RB", "2 RB"], "3138": ["24/9 Aus"]},
        phase=ALLIED_FIRST,
        control={"Allied": ["2560", "3138"]},
        dice=[1] * 8,
    )
    m.play(["ship", "2560", "3138", "1 RB", "sail"])
    assert refused(m, "ship") == "21.1.2"
    m.state.assets["Coastal Convoy"] = 1
    g = m.game
    assert convoys.routes(g, ALLIED)


def test_tobruk_lands_four_and_embarks_four() -> None:
    """A damaged port less, and a repair of this impulse does not count (21.3.2, 21.4.4, example 21.3.2)."""
    g = game({"3138": ["24/9 Aus"]})
    assert [convoys.room(g, BOARD["3138"], used) for used in (g.state.embarked, g.state.debarked)] == [4, 4]
    g.state.debarked[BOARD["3138"]] = 3
    assert convoys.room(g, BOARD["3138"], g.state.debarked) == 1
    g = game({"3138": ["24/9 Aus"]}, amounts={"damage": {"3138": 1}, "repaired": {"3138": 1}})
    assert convoys.room(g, BOARD["3138"], {}) == 2


def test_the_column_farther_right_counts() -> None:
    """Alexandria and the Nile Delta use that of the other port; between them there is no roll (22.2.1)."""

    def head(side: int, start: str, end: str) -> int:
        return convoys.column(Convoy(side, BOARD[start], BOARD[end])) + 1

    assert head(AXIS, "Tripoli", "3211") == 2
    assert head(AXIS, "3138", "3211") == 4
    assert head(AXIS, "Italy", "Tripoli") == 1
    assert head(ALLIED, "Nile Delta", "3138") == 3
    assert head(ALLIED, "2478", "Nile Delta") == 0


def test_the_third_impulse_and_crete_help_coastal_convoys() -> None:
    """(22.2.2, 22.2.3)"""
    control = {"Axis": AIRFIELDS}
    assert convoys.coastal_modifier(game({"3138": ["24/9 Aus"]}, turn=4, control=control, impulse=1), AXIS) == -3
    assert convoys.coastal_modifier(game({"3138": ["24/9 Aus"]}, turn=6, control=control, impulse=3), AXIS) == -5


def test_steps_of_troops_are_hit_less_often() -> None:
    """With a 2, Supply Points on 1 and 2, steps on 1 alone (22.2.5, example 22.2.5)."""
    g = game({"Nile Delta": ["16 Br"]}, supply={"Allied": {"Nile Delta": 2}}, dice=[2, 3, 1, 2, 2, 2, 3])
    assert steps(g, "16 Br") == 3
    drive(g, convoys.voyage(g, Convoy(ALLIED, BOARD["Nile Delta"], BOARD["3138"], (NUMBER["16 Br"],), 2), 0))
    assert (steps(g, "16 Br"), points(g, "Allied")) == (2, {"Nile Delta": 1})


@pytest.mark.parametrize(
    ("dice", "truck", "stock"),
    [([6, 1], "Allied Eliminated", {"3138": 1}), ([1, 1], "Allied Eliminated", {}), ([1, 6], "3138", {})],
)
def test_an_msu_rolls_for_its_supply_point_and_for_the_truck(
    dice: list[int], truck: str, stock: dict[str, int]
) -> None:
    """A Supply Point that is not hit lands without its truck, under a marker (21.1.5, 22.2.4)."""
    m = match(
        {"2560": ["Allied Truck 1 [msu]"], "3138": ["24/9 Aus"]}, phase=ALLIED_FIRST,
        control={"Allied": ["2560", "3138"]}, dice=[6, 5, *dice],
    )  # fmt: skip
    m.play(["ship", "2560", "3138", "Allied Truck 1", "sail"])
    assert (where(m, "Allied Truck 1"), points(m, "Allied")) == (truck, stock)
    assert "msu" not in flags(m, "Allied Truck 1")
    assert usable_supply(m.game, ALLIED, BOARD["3138"]) == 0


def test_a_captured_truck_that_sinks_can_be_captured_again() -> None:
    """Two in play are the most; it is not replaced (22.2.4, 27.1)."""
    g = game({"Tripoli": ["Axis Captured Truck 1"]}, dice=[1])
    drive(g, convoys.strike(g, NUMBER["Axis Captured Truck 1"], 2))
    assert where(g, "Axis Captured Truck 1") == ""


def test_supply_points_that_stay_behind_do_not_replace_those_that_sink() -> None:
    """Along the coast and from Italy, to Benghazi too (22.2.4, 22.3.5)."""
    m = match(
        {"Italy": ["33/15"], "3211": ["19 Bre"]}, phase=AXIS_FIRST, turn=4, control={"Axis": ["3211"]}, impulse=1,
        supply={"Axis": {"Tripoli": 5, "Italy": 6}}, dice=[6, 6, 1, 6, 6, 6, 1, 6, 6, 6, 6, 1, 6],
    )  # fmt: skip
    m.play(["ship", "Tripoli", "Tripoli", "Tripoli", "sail"])
    assert points(m, "Axis") == {"Tripoli": 3, "3211": 1, "Italy": 6}
    m.state.rp["Axis"] = 1
    m.play(["ship", "Italy", "Italy", "Italy", "Italy", "sail", "yes", "Italy", "Italy", "sail"])
    assert points(m, "Axis") == {"Tripoli": 3, "3211": 2, "Italy": 3}


def test_the_convoy_from_italy_sails_in_the_first_impulse() -> None:
    """Once (21.1.3, 22.3.1)."""
    m = match({"Italy": ["33/15"]}, phase="impulse 2 axis movement", impulse=2)
    assert refused(m, "ship") == "21.1.1"


def test_part_of_the_convoy_goes_on_to_benghazi() -> None:
    """For a Resource Point, declared before it sails; that part rolls twice (22.3.5)."""
    m = match(
        {"Italy": ["33/15", "K15/15"], "3211": ["19 Bre"]}, phase=AXIS_FIRST, turn=4, control={"Axis": ["3211"]}, impulse=1,
        dice=[1, 1, 6, 6, 5, 6],
    )  # fmt: skip
    m.state.rp["Axis"] = 1
    g = m.game
    procedure = convoys.sail(g, AXIS)
    decision = drive(g, procedure, ["Italy", "33/15", "K15/15", "sail"])
    assert decision is not None
    assert decision.kind == "ship.divert"
    for click in ("yes", "33/15"):
        decision = procedure.send(g.rules.parse(click))
    with pytest.raises(StopIteration):
        procedure.send(g.rules.parse("sail"))
    assert (where(g, "33/15"), where(g, "K15/15")) == ("3211", "Tripoli")
    assert g.state.rp["Axis"] == 0
    assert len(g.rolls) == 6  # two rolls of two dice, and one for each step


def test_the_part_for_benghazi_has_room_there() -> None:
    """Four stacking points are there already, so a regiment goes to Tripoli with the rest (4.1, 22.3.5)."""
    m = match(
        {"Italy": ["104/15", "I/8/15"], "3211": ["19 Bre [transported]", "20 Bre [transported]"]}, phase=AXIS_FIRST, turn=4,
        control={"Axis": ["3211"]}, impulse=1,
    )  # fmt: skip
    m.state.rp["Axis"] = 1
    m.play(["ship", "Italy", "104/15", "I/8/15", "sail", "yes"])
    assert refused(m, "104/15") == "4.1"
    assert "I/8/15" in legal(m)
    assert refused(m, "Italy") == "22.3.5"


def test_a_convoy_with_no_part_for_benghazi_costs_nothing() -> None:
    """(22.3.5)"""
    m = match({"Italy": ["33/15"]}, phase=AXIS_FIRST, turn=4, control={"Axis": ["3211"]}, impulse=1)
    m.state.rp["Axis"] = 1
    m.play(["ship", "Italy", "33/15", "sail", "yes", "sail"])
    assert m.state.rp["Axis"] == 1
    assert where(m, "33/15") in ("Tripoli", "Axis Eliminated")


def test_the_transport_marker_of_a_supply_point_goes_with_it() -> None:
    """A point unloaded later can be used (17.2.3, 21.1.5)."""
    g = game({"3211": ["Axis Truck 1"]}, supply={"Axis": {"3211": 1}}, amounts={"landed": {"3211": 1}})
    assert usable_supply(g, AXIS, BOARD["3211"]) == 0
    remove_supply(g, AXIS, BOARD["3211"])
    add_supply(g, AXIS, BOARD["3211"])
    assert usable_supply(g, AXIS, BOARD["3211"]) == 1


# Ports


def test_demolition_of_benghazi() -> None:
    """Four dice from 7: 5, 4, 2 and 1 are two hits, capacity 3 (21.4.1, 21.4.2, example 21.4.2)."""
    m = match({"3211": ["20/9 Aus"]}, phase=ALLIED_FIRST, control={"Allied": ["3211"]}, dice=[5, 4, 2, 1])
    m.play(["ports", "demolish", "3211", "dice 4"])
    assert capacity(m.game, BOARD["3211"]) == 3
    assert refused(m, "20/9 Aus") == "3.2"


def test_a_port_is_worked_by_its_holder_with_a_unit_at_hand() -> None:
    """Controlled at the start; Alexandria never (21.4.2)."""
    g = game({"3211": ["20/9 Aus"], "2478": ["Carp"]}, control={"Allied": ["3211", "2478", "3828"], "Axis": ["3138"]})
    ports.start(g, ALLIED)
    rules = [ports.why_not_demolished(g, ALLIED, BOARD[hex]) for hex in ("3211", "2478", "3828", "3138")]
    assert [refusal is None for refusal in rules] == [True, False, False, False]


def test_repair_costs_a_resource_point_and_is_limited() -> None:
    """One box and one port per impulse (21.4.4)."""
    g = game({"3211": ["19 Bre"]}, control={"Axis": ["3211"]}, amounts={"damage": {"3211": 2}})
    ports.start(g, AXIS)
    assert ports.why_not_repaired(g, AXIS, BOARD["3211"]) is not None
    g.state.rp["Axis"] = 2
    ports.repair(g, AXIS, BOARD["3211"])
    assert (capacity(g, BOARD["3211"]), g.state.rp["Axis"]) == (5, 1)
    refusal = ports.why_not_repaired(g, AXIS, BOARD["3211"])
    assert refusal is not None
    assert refusal.rule == "21.4.4"


def test_a_repaired_box_gives_port_supply_from_the_next_impulse_on() -> None:
    """(16.2, 21.4.4)"""
    ring = {"3039": ["39 Bol"], "2938": ["40 Bol"], "3036": ["20 Bre"], "3136": ["19 Bre"]}
    g = game({"3138": ["24/9 Aus"], **ring}, control={"Allied": ["3138"]}, amounts={"damage": {"3138": 4}})
    ports.start(g, ALLIED)
    g.state.rp["Allied"] = 2
    ports.repair(g, ALLIED, BOARD["3138"])
    assert capacity(g, BOARD["3138"]) == 1
    assert supply.status(g, NUMBER["24/9 Aus"]) == supply.NONE
    ports.start(g, AXIS)
    assert supply.status(g, NUMBER["24/9 Aus"]) == supply.NONE
    ports.start(g, ALLIED)
    assert supply.status(g, NUMBER["24/9 Aus"]) == supply.PORT
    assert ports.why_not_repaired(g, ALLIED, BOARD["3138"]) is None


def test_a_repaired_box_is_used_in_the_next_impulse_though_the_garrison_was_away() -> None:
    """(16.2, 21.4.4, 27.4)"""
    g = game(
        {"3138": ["24/9 Aus"]}, control={"Allied": ["3138"]}, options={"port-garrisons": "on"},
        amounts={"damage": {"3138": 2}},
    )  # fmt: skip
    ports.start(g, ALLIED)
    g.state.rp["Allied"] = 1
    ports.repair(g, ALLIED, BOARD["3138"])
    g.state.where[NUMBER["24/9 Aus"]] = BOARD["2560"]
    ports.start(g, ALLIED)
    g.state.where[NUMBER["24/9 Aus"]] = BOARD["3138"]
    assert supply.ports(g, ALLIED)[BOARD["3138"]] == 6


def test_the_end_of_the_movement_phase_does_not_open_a_repaired_box() -> None:
    """(16.2, 21.4.4)"""
    m = match(
        {"3138": ["24/9 Aus"]}, phase="impulse 2 allied movement", control={"Allied": ["3138"]},
        amounts={"damage": {"3138": 1}, "rp": {"Allied": 1}},
    )  # fmt: skip
    m.play(["ports", "repair", "3138"])
    assert (capacity(m.game, BOARD["3138"]), supply.ports(m.game, ALLIED)[BOARD["3138"]]) == (4, 6)
    while "movement" in m.phase.name:
        m.play(["done"])
    assert supply.ports(m.game, ALLIED)[BOARD["3138"]] == 6


def test_a_bombing_raid_hits_a_port_or_a_resource_point() -> None:
    """With none left, the next one received is lost (21.4.3)."""
    g = game({"3138": ["24/9 Aus"]}, control={"Allied": ["3138"]}, dice=[4, 6, 5])
    g.state.rp["Allied"] = 1
    drive(g, ports.bomb(g, AXIS), ["3138"])
    assert capacity(g, BOARD["3138"]) == 3
    drive(g, ports.bomb(g, AXIS), ["Nile Delta"])
    assert g.state.rp["Allied"] == 0
    drive(g, ports.bomb(g, AXIS), ["Nile Delta"])
    resources.gain(g, ALLIED)
    assert g.state.rp["Allied"] == 0
    resources.gain(g, ALLIED)
    assert g.state.rp["Allied"] == 1


# Events and Resource Points


@pytest.mark.parametrize(
    ("side", "dice", "asset"),
    [
        (AXIS, [1, 1], "Air Transport"),
        (AXIS, [4, 4], "German Air Support"),
        (ALLIED, [2, 2], "Allied Strafing"),
        (ALLIED, [5, 6], "LRDG"),
    ],
)
def test_events_bring_assets(side: int, dice: list[int], asset: str) -> None:
    """(18.7.1, 18.7.5, 18.8, 23.1)"""
    g = game({"3138": ["24/9 Aus"]}, dice=dice)
    drive(g, events.roll(g, side))
    assert g.state.assets[asset] == (2 if "Strafing" in asset else 1)


def test_an_event_without_a_marker_is_forfeited() -> None:
    """(23.2.3)"""
    g = game({})
    g.state.assets["LRDG"] = 1
    resources.receive(g, "LRDG", "23.1")
    assert g.state.assets == {"LRDG": 1}
    assert g.events[-1].rule == "23.2.3"


def test_markers_on_the_map_are_not_available() -> None:
    """Strafing and the LRDG until their next Delay Phase, Air Transport on its unit until the next Initial Phase (18.7.5,
    18.7.6, 18.8, 23.2.3)."""
    g = game({"3041": ["Oa 300 [transported]"]}, turn=8, amounts={"lrdg": {"2041": 1}})
    g.state.rp |= {"Axis": 2, "Allied": 1}
    g.state.strafed[BOARD["2042"]] = AXIS
    for side, word, asset in ((AXIS, "air transport", "Air Transport"), (ALLIED, "lrdg", "LRDG")):
        refusal = resources.why_not_bought(g, side, word)
        assert refusal is not None
        assert refusal.rule == "23.2.3"
        resources.receive(g, asset, "23.1")
        assert asset not in g.state.assets
    resources.receive(g, "Axis Strafing", "23.1")
    assert g.state.assets == {"Axis Strafing": 1}


def test_resource_points_are_capped_at_four() -> None:
    """(23.1)"""
    g = game({"3138": ["24/9 Aus"]}, dice=[3, 4])
    g.state.rp["Axis"] = 4
    drive(g, events.roll(g, AXIS))
    assert g.state.rp["Axis"] == 4


def test_the_resource_list() -> None:
    """Sides, costs, markers and Air Superiority (18.6, 18.7.1, 22.3.4, 23.2.1, 23.2.2, 23.2.3)."""
    g = game({"3138": ["24/9 Aus"]}, turn=3, malta=0)
    g.state.rp |= {"Axis": 2, "Allied": 1}

    def rule(side: int, word: str) -> str:
        refusal = resources.why_not_bought(g, side, word)
        return refusal.rule if refusal else ""

    assert rule(AXIS, "german air") == rule(AXIS, "u-boats") == rule(ALLIED, "lrdg") == ""
    assert rule(ALLIED, "allied air") == "18.6"
    assert rule(ALLIED, "malta") == "23.2.2"
    assert rule(AXIS, "lrdg") == rule(ALLIED, "comando") == "23.2.2"
    drive(g, resources.spend(g, AXIS), ["u-boats"])
    assert (g.state.malta, g.state.rp["Axis"]) == (-1, 0)
    g.state.assets["LRDG"] = 1
    assert rule(ALLIED, "lrdg") == "23.2.3"


def test_trucks_and_headquarters_are_rebuilt() -> None:
    """In the base, the HQ depleted; artillery groups are not (17.1.2, 18.3, 19.1.2, 19.4.2)."""
    g = game({"Axis Eliminated": ["Axis Truck 1", "DAK HQ [steps 0]", "Arko 104 [steps 0]"]})
    g.state.rp["Axis"] = 2
    drive(g, resources.spend(g, AXIS), ["truck"])
    drive(g, resources.spend(g, AXIS), ["headquarters"])
    assert (where(g, "Axis Truck 1"), where(g, "DAK HQ"), where(g, "Arko 104")) == ("Italy", "Italy", "Axis Eliminated")
    assert flags(g, "DAK HQ") == {"depleted", "replaced"}


def test_each_initial_phase_rolls_for_an_event() -> None:
    """(3.2, 23.1)"""
    m = match({"2425": ["I/5/5L [steps 2]", "DE Tank Repl 1"]}, phase="impulse 2 axis initial", dice=[3, 4])
    assert m.state.rp["Axis"] == 1


def test_air_transport_flies_light_units_to_an_airfield() -> None:
    """In Full Supply and next to no enemy, under a marker (18.7.6)."""
    m = match(
        {"Italy": ["Oa 300", "33/15", "IT Infantry Repl 1"]},
        control={"Axis": ["3041", "3629"]},
        turn=8,
        phase="impulse 3 axis movement",
    )
    assert refused(m, "fly") == "18.7.6"
    g = m.game
    g.state.assets["Air Transport"] = 1
    decision = drive(g, convoys.fly(g, AXIS))
    assert decision is not None
    assert {g.rules.names[click] for click in decision.legal} == {"Oa 300", "IT Infantry Repl 1", "cancel"}
    drive(g, convoys.fly(g, AXIS), ["Oa 300", "3041"])
    assert (where(g, "Oa 300"), flags(g, "Oa 300") & {"transported"}) == ("3041", {"transported"})


@pytest.mark.parametrize("enemy", ["1 RB", "Allied Truck 1", "BR Infantry Repl 1", "Supply Point"])
def test_no_enemy_unit_is_next_to_an_airfield_of_air_transport(enemy: str) -> None:
    """Trucks, replacements and Supply Points are units too (2.3.1, 18.7.6)."""
    near = {"Allied": {"2942": 1}} if enemy == "Supply Point" else {}
    g = game(
        {"Italy": ["Oa 300"], "2942": [] if near else [enemy]}, control={"Axis": ["3041", "3629"]}, turn=8, supply=near
    )
    fields = {BOARD.name(hex) for hex in convoys.airfields(g, NUMBER["Oa 300"])}
    assert fields == {"3629"}
    refusal = convoys.why_not_airfield(g, NUMBER["Oa 300"], BOARD["3041"])
    assert refusal is not None
    assert refusal.rule == "18.7.6"


def test_comando_supremo_lasts_one_axis_player_turn() -> None:
    """(8.4.1)"""
    m = match({"2425": ["I/5/5L [steps 2]", "DE Tank Repl 1"]}, phase="impulse 2 axis initial", comando=1, dice=[3, 4])
    assert m.state.comando == 0


def test_a_second_coastal_convoy_is_the_last() -> None:
    """Resource Points buy a second one, not a third (21.1.2)."""
    m = match(
        {"2560": ["1 RB", "2 RB", "1 KRRC"], "3138": ["24/9 Aus"]}, phase=ALLIED_FIRST,
        control={"Allied": ["2560", "3138"]}, dice=[1] * 8,
    )  # fmt: skip
    m.state.rp["Allied"] = 2
    for unit in ("1 RB", "2 RB"):
        m.play(["ship", "2560", "3138", unit, "sail", "spend", "second convoy"])
    assert refused(m, "ship") == "21.1.2"


def test_a_port_is_demolished_once_in_a_phase() -> None:
    """Its dice are not rolled again, and nothing sails after them (3.2, 21.4.2)."""
    m = match(
        {"3211": ["20/9 Aus"], "3138": ["1 RB"], "2560": ["2 RB"]}, phase=ALLIED_FIRST,
        control={"Allied": ["3211", "3138", "2560"]}, dice=[1, 1, 1, 1],
    )  # fmt: skip
    m.play(["ports", "demolish", "3211", "dice 4"])
    assert capacity(m.game, BOARD["3211"]) == 7
    m.play(["ports", "demolish"])
    assert refused(m, "3211") == "21.4.2"
    assert "3138" in legal(m)
    m.play(["cancel"])
    assert refused(m, "ship") == "3.2"


def test_what_is_sunk_has_used_the_port_it_left() -> None:
    """(21.3.2)"""
    m = match(
        {"2560": ["1 RB", "2 RB"], "3138": ["24/9 Aus"]}, phase=ALLIED_FIRST, control={"Allied": ["2560", "3138"]},
        dice=[6, 6, 1, 6],
    )  # fmt: skip
    m.play(["ship", "2560", "3138", "1 RB", "2 RB", "sail"])
    assert (where(m, "1 RB"), where(m, "2 RB")) == ("Allied Eliminated", "3138")
    assert (m.state.embarked, m.state.debarked) == ({BOARD["2560"]: 2}, {BOARD["3138"]: 1})


def test_markers_keep_units_from_ships_and_aircraft() -> None:
    """A Replacement marker, and out of supply (16.4, 19.5)."""
    g = game({"Italy": ["Bach [replaced]"], "3212": ["19 Bre"]}, control={"Axis": ["3212"]}, turn=12)
    g.state.assets["Air Transport"] = 1
    refusal = convoys.why_not_flown(g, AXIS, [NUMBER["Bach"]])
    assert refusal is not None
    assert refusal.rule == "19.5"
    g = game({"3138": ["1 RB [oos]"]}, control={"Allied": ["3138", "2560"]})
    refusal = convoys.why_not_shipped(g, NUMBER["1 RB"], Convoy(ALLIED, BOARD["3138"], BOARD["2560"]))
    assert refusal is not None
    assert refusal.rule == "16.4"


def test_units_land_where_others_can_still_make_room() -> None:
    """Stacking is judged at the end of the phase; transported units stay (4.4.1)."""
    m = match(
        {"3138": ["16 Br", "23 Br", "1 RNF"], "2560": ["14 Br"]}, phase=ALLIED_FIRST,
        control={"Allied": ["3138", "2560"]}, dice=[1, 1],
    )  # fmt: skip
    m.play(["ship", "2560", "3138", "14 Br", "sail", "16 Br", "3137", "done"])
    assert (where(m, "14 Br"), where(m, "16 Br"), where(m, "23 Br")) == ("3138", "3137", "3138")
    there = {"3138": ["16 Br [transported]", "23 Br [transported]", "1 RNF"], "2560": ["14 Br"]}
    g = game(there, control={"Allied": ["3138", "2560"]})
    refusal = convoys.why_not_shipped(g, NUMBER["14 Br"], Convoy(ALLIED, BOARD["2560"], BOARD["3138"]))
    assert refusal is not None
    assert refusal.rule == "4.1"
