"""Movement, overrun and exploitation (SCS 3, SCS 5, SCS 6, SCS 11.2), Rommel and KG Hecker (2.3, 2.8)."""

from __future__ import annotations

import pytest

from khamsin.games.afrika import movement, overrun
from khamsin.games.afrika.units import ALLIED, AXIS, BOARD, NUMBER
from tests.rulebook.afrika.table import drive, flags, game, legal, match, refused, rule_of, steps, where

PANZERS = ["5 Pz Rgt/5 Le", "104 Shu Rgt/5 Le"]


def spent(m: object, unit: str) -> int:
    """The MPs that a unit has used, in halves."""
    return int(m.state.spent[NUMBER[unit]])  # type: ignore[attr-defined]


def test_a_unit_moves_as_far_as_its_points_allow() -> None:
    """And goes on until another moves (SCS 3.1, SCS 3.2)."""
    m = match({"A32.10": ["Bologna Div"], "A30.10": ["Pavia Div"]})
    m.play(["Bologna Div"])
    assert refused(m, "A32.19") == "SCS 3.2"
    m.play(["A32.14"])
    assert spent(m, "Bologna Div") == 8
    m.play(["Bologna Div", "A32.18"])
    assert refused(m, "Bologna Div") == "SCS 3.2"


def test_one_stack_finishes_before_the_next() -> None:
    """And a unit that is dropped on the way is done (SCS 3.1, SCS 3.4)."""
    m = match({"A32.10": ["Bologna Div", "Brescia Div"], "A30.10": ["Pavia Div"]})
    m.play(["A32.10", "A32.12", "Bologna Div", "A32.13"])
    assert refused(m, "Brescia Div") == "SCS 3.1"
    m.play(["Pavia Div", "A30.11"])
    assert refused(m, "Bologna Div") == "SCS 3.1"


def test_the_units_of_a_division_are_selected_by_a_button() -> None:
    """(SCS 3.1)"""
    m = match({"A32.10": [*PANZERS, "288 Inf Rgt"]})
    m.play(["5 Pz Rgt/5 Le", "formation", "A32.11"])
    assert {unit: where(m, unit) for unit in [*PANZERS, "288 Inf Rgt"]} == {
        "5 Pz Rgt/5 Le": "A32.11", "104 Shu Rgt/5 Le": "A32.11", "288 Inf Rgt": "A32.10",
    }  # fmt: skip


def test_entering_a_zone_costs_two_more_and_leaving_nothing() -> None:
    """From zone to zone too; there is no stop (SCS 5.3, SCS 5.4)."""
    m = match({"A30.18": ["288 Inf Rgt"], "A32.18": ["3 Ind Mtrd Bde"]})
    m.play(["288 Inf Rgt", "A31.18"])
    assert spent(m, "288 Inf Rgt") == 2 + 4
    m.play(["288 Inf Rgt", "A31.19"])
    assert spent(m, "288 Inf Rgt") == 2 * (2 + 4)
    m.play(["288 Inf Rgt", "A30.19"])
    assert spent(m, "288 Inf Rgt") == 2 * (2 + 4) + 2


def test_a_zone_that_makes_a_hex_too_dear_is_the_reason() -> None:
    """(SCS 5.3)"""
    m = match({"A31.14": ["Bologna Div [oos]"], "A32.18": ["3 Ind Mtrd Bde"]})
    m.play(["Bologna Div"])
    assert refused(m, "A31.18") == "SCS 5.3"


def test_kg_hecker_and_the_lrdg_pay_nothing_for_zones() -> None:
    """(2.8, 3.4, SCS 5.3)"""
    m = match({"A30.18": ["KG Hecker"], "A32.18": ["3 Ind Mtrd Bde"]})
    m.play(["KG Hecker", "A31.18"])
    assert spent(m, "KG Hecker") == 2
    m = match({"A30.18": ["LRDG Grp"], "A32.18": ["Pavia Div"]}, phase="allied movement")
    m.play(["LRDG Grp", "A31.18"])
    assert spent(m, "LRDG Grp") == 2


def test_in_a_stack_with_kg_hecker_only_the_others_pay_for_zones() -> None:
    """KG Hecker with its last MP goes along with a unit that has 3 (2.8, SCS 5.3, SCS 12.4)."""
    m = match({"A30.18": ["KG Hecker", "5 Pz Rgt/5 Le"], "A32.18": ["3 Ind Mtrd Bde"]})
    m.state.spent[NUMBER["KG Hecker"]] = 28
    m.play(["A30.18", "A31.18"])
    assert (spent(m, "KG Hecker"), spent(m, "5 Pz Rgt/5 Le")) == (30, 6)
    assert (where(m, "KG Hecker"), where(m, "5 Pz Rgt/5 Le")) == ("A31.18", "A31.18")


def test_out_of_supply_the_allowance_is_halved() -> None:
    """15 MPs become 7.5 (1.6d, SCS 3.9)."""
    g = game({"A32.18": ["288 Inf Rgt [oos]"]})
    assert movement.allowance(g, NUMBER["288 Inf Rgt"]) == 15


def test_a_unit_may_always_enter_a_hex_next_to_it() -> None:
    """A mech unit out of supply with 5 MPs enters a mountain for 6; not from zone to zone, not after it has moved (SCS 3.3)."""
    m = match({"A24.26": ["32 Army Tank Bde [oos]"]}, phase="allied movement")
    m.play(["32 Army Tank Bde"])
    assert m.decision.legal[m.rules.parse("A24.27")] == {"minimum move": "5"}
    m.play(["A24.27"])
    assert refused(m, "32 Army Tank Bde") == "SCS 3.2"
    g = game({"A24.26": ["32 Army Tank Bde [oos]"], "A23.27": ["Pavia Div"]}, phase="allied movement")
    unit = [NUMBER["32 Army Tank Bde"]]
    assert rule_of(movement.why_no_minimum(g, ALLIED, unit, BOARD["A24.27"])) == "SCS 3.3"
    g.state.spent[unit[0]] = 2
    assert "has moved" in str(movement.why_no_minimum(g, ALLIED, unit, BOARD["A24.27"]))


def test_a_stack_of_both_classes_may_always_enter_a_hex_next_to_it() -> None:
    """With a ZOC the mountain costs a leg unit its 5 MPs and a mech unit 8 of 6: together they pay all they have (SCS 3.3)."""
    units = {"A21.28": ["14 Bde/70 Inf [oos]", "4 NZ Bde/2 NZ [oos]"], "A21.26": ["Pavia Div"]}
    m = match(units, phase="allied movement")
    m.play(["A21.28"])
    there = m.rules.parse("A21.27")
    assert m.decision.legal[there] == {"minimum move": "5"}
    assert m.rules.display.reach(m.game, m.decision)[BOARD["A21.27"]].cost == 10
    m.play(["A21.27"])
    assert (spent(m, "14 Bde/70 Inf"), spent(m, "4 NZ Bde/2 NZ")) == (10, 12)


def test_a_hex_with_enemies_is_entered_by_overrun_alone() -> None:
    """(SCS 3.6)"""
    m = match({"A30.18": ["Bologna Div"], "A32.18": ["3 Ind Mtrd Bde"]})
    m.play(["Bologna Div"])
    assert refused(m, "A32.18") == "SCS 3.6"


def test_only_the_map_of_the_scenario_is_played_on() -> None:
    """(4.0)"""
    m = match({"A60.14": ["5 Pz Rgt/5 Le"]})
    m.play(["5 Pz Rgt/5 Le"])
    assert refused(m, "B1.14") == "4.0"


# Overrun


def test_an_overrun_costs_the_hex_without_its_road_and_three() -> None:
    """(SCS 6.3)"""
    g = game({"A35.21": PANZERS, "A36.21": ["3 Ind Mtrd Bde"]})
    units = [NUMBER[unit] for unit in PANZERS]
    drive(g, movement.movement(g, AXIS))
    assert overrun.targets(g, AXIS, units) == {}, "they began in the ZOC of the enemy"
    g = game({"A33.21": PANZERS, "A36.21": ["3 Ind Mtrd Bde"]})
    drive(g, movement.movement(g, AXIS), ["A33.21", "A35.21"])
    assert overrun.targets(g, AXIS, units) == {BOARD["A36.21"]: 2 + 6}


def test_a_successful_overrun_enters_the_hex_and_goes_on() -> None:
    """14 against 3 is 5:1, with the whole of 5 Le 7:1, 12 is D5R5: the brigade is destroyed (SCS 6.1, SCS 6.5, SCS 6.6)."""
    m = match({"A30.18": PANZERS, "A32.18": ["3 Ind Mtrd Bde"]}, dice=[6, 6])
    m.play(["A30.18", "A31.18", "A31.18", "A32.18"])
    assert where(m, "3 Ind Mtrd Bde") == "Allied Dead Pile"
    assert {where(m, unit) for unit in PANZERS} == {"A32.18"}
    assert spent(m, "5 Pz Rgt/5 Le") == 6 + 8
    m.play(["A32.18", "A33.18"])


@pytest.mark.parametrize("choice", ["A30.18", "A31.18"])
def test_rommel_goes_along_with_a_part_of_his_stack_that_overruns_or_stays(choice: str) -> None:
    """(2.3, SCS 6.6)"""
    units = {"A30.18": [*PANZERS, "288 Inf Rgt", "Rommel"], "A31.18": ["3 Ind Mtrd Bde"]}
    m = match(units, dice=[6, 6])
    m.play([*PANZERS, "A31.18"])
    assert (m.decision.kind, m.decision.rule) == ("leader.follow", "2.3")
    assert legal(m) == {"A30.18", "A31.18"}
    assert refused(m, "A29.18") == "2.3"
    m.play([choice])
    assert where(m, "Rommel") == choice
    assert {where(m, unit) for unit in PANZERS} == {"A31.18"}


def test_rommel_goes_along_when_his_whole_stack_overruns() -> None:
    """(2.3, SCS 6.6)"""
    m = match({"A30.18": [*PANZERS, "Rommel"], "A31.18": ["3 Ind Mtrd Bde"]}, dice=[6, 6])
    m.play([*PANZERS, "A31.18"])
    assert (m.decision.kind, where(m, "Rommel")) == ("move.stack", "A31.18")


def test_an_overrun_that_does_not_empty_the_hex_ends_the_move() -> None:
    """And the units may still attack in the Combat Phase (SCS 6.6, SCS 6.9)."""
    m = match({"A30.18": PANZERS, "A32.18": ["5 Ind Bde/4 Ind"]}, dice=[1, 2])
    m.play(["A30.18", "A31.18", "A31.18", "A32.18"])
    assert {where(m, unit) for unit in PANZERS} == {"A31.18"}
    assert refused(m, "5 Pz Rgt/5 Le") == "SCS 3.1"
    m.play(["done", "A32.18"])
    assert m.decision.kind == "combat.attackers"


def test_an_overrun_that_is_thrown_back_retreats_and_ends_the_move() -> None:
    """6 against 10 is 1:2, a roll of 2 is A2R1 (SCS 6.7)."""
    m = match(
        {"A30.18": ["65 Rgt/Trieste", "66 Rgt/Trieste"], "A32.18": ["4 NZ Bde/2 NZ", "5 NZ Bde/2 NZ"]}, dice=[1, 1]
    )
    m.play(["A30.18", "A31.18", "A31.18", "A32.18", "65 Rgt/Trieste", "A30.18"])
    assert [(steps(m, unit), where(m, unit)) for unit in ("65 Rgt/Trieste", "66 Rgt/Trieste")] == [(1, "A30.18")] * 2
    assert refused(m, "65 Rgt/Trieste") == "SCS 3.1"


def test_a_hex_is_overrun_again_by_another_stack() -> None:
    """Each once (SCS 6.8)."""
    units = {
        "A30.18": ["5 Pz Rgt/5 Le"],
        "A30.20": ["8 Pz Rgt/15 Pz"],
        "A32.18": ["5 Ind Bde/4 Ind", "7 Ind Bde/4 Ind"],
    }
    m = match(units, dice=[2, 2, 6, 6])
    m.play(["5 Pz Rgt/5 Le", "A31.18", "5 Pz Rgt/5 Le", "A32.18"])
    assert refused(m, "5 Pz Rgt/5 Le") == "SCS 3.1"
    m.play(["8 Pz Rgt/15 Pz", "A31.19", "8 Pz Rgt/15 Pz"])
    assert m.decision.legal[m.rules.parse("A32.18")] == {"overrun": "4"}


def test_only_units_that_began_together_overrun() -> None:
    """(SCS 6.2)"""
    g = game({"A31.17": ["5 Pz Rgt/5 Le"], "A30.18": ["104 Shu Rgt/5 Le"], "A32.20": ["3 Ind Mtrd Bde"]})
    drive(g, movement.movement(g, AXIS), ["5 Pz Rgt/5 Le", "A32.18", "104 Shu Rgt/5 Le", "A32.18"])
    units = [NUMBER[unit] for unit in PANZERS]
    g.state.where[units[0]] = g.state.where[units[1]] = BOARD["A32.19"]
    assert rule_of(overrun.why_not(g, AXIS, units, BOARD["A32.20"])) == "SCS 6.2"


def test_a_unit_that_began_in_a_zone_does_not_overrun_but_with_rommel() -> None:
    """(2.3, SCS 5.5)"""
    units = [NUMBER[unit] for unit in PANZERS]
    g = game({"A31.18": PANZERS, "A32.18": ["3 Ind Mtrd Bde"]})
    drive(g, movement.movement(g, AXIS))
    assert rule_of(overrun.why_not(g, AXIS, units, BOARD["A32.18"])) == "SCS 5.5"
    g = game({"A31.18": [*PANZERS, "Rommel"], "A32.18": ["3 Ind Mtrd Bde"]})
    drive(g, movement.movement(g, AXIS))
    assert overrun.why_not(g, AXIS, units, BOARD["A32.18"]) is None


def test_fortifications_major_cities_and_escarpments_are_not_overrun_but_boxes_are() -> None:
    """(1.16, SCS 6.4)"""
    units = [NUMBER[unit] for unit in PANZERS]
    for start, end, rule in (("A38.22", "A39.23", "SCS 6.4"), ("A47.19", "A48.19", "SCS 6.4")):
        g = game({start: PANZERS, end: ["3 Ind Mtrd Bde"]})
        assert rule_of(overrun.why_not(g, AXIS, units, BOARD[end])) == rule
    g = game({"A31.18": PANZERS, "A32.18": ["3 Ind Mtrd Bde"]}, boxes={"allied": ["A32.18"]})
    assert overrun.why_not(g, AXIS, units, BOARD["A32.18"]) is None


def test_an_overrun_needs_points_and_odds() -> None:
    """(SCS 1.6, SCS 6.3, SCS 8.6)"""
    g = game({"A31.18": ["104 Artillery Bde", "5 Pz Rgt/5 Le [spent 34]"], "A32.18": ["3 Ind Mtrd Bde"]})
    assert rule_of(overrun.why_not(g, AXIS, [NUMBER["104 Artillery Bde"]], BOARD["A32.18"])) == "SCS 1.6"
    assert rule_of(overrun.why_not(g, AXIS, [NUMBER["5 Pz Rgt/5 Le"]], BOARD["A32.18"])) == "SCS 6.3"


def test_both_sides_use_air_points_in_an_overrun() -> None:
    """The attacker decides first (1.10a, 1.10c)."""
    m = match({"A30.18": PANZERS, "A32.18": ["3 Ind Mtrd Bde"]}, air=(2, 1), dice=[6, 6])
    m.play(["A30.18", "A31.18", "A31.18", "A32.18"])
    assert (m.decision.kind, m.decision.side) == ("combat.air", AXIS)
    assert legal(m) == {"air 0", "air 1", "air 2"}
    assert refused(m, "air 3") == "1.10"
    m.play(["air 2"])
    assert (m.decision.kind, m.decision.side) == ("combat.air", ALLIED)
    m.play(["air 1"])
    assert m.state.air == {"Axis": 0, "Allied": 0}


# Exploitation


def test_exploit_capable_units_move_again_with_a_fresh_allowance() -> None:
    """Others do not (SCS 1.2, SCS 3.10, SCS 11.2)."""
    m = match({"A32.10": ["5 Pz Rgt/5 Le", "Bologna Div"]}, phase="axis exploitation")
    assert refused(m, "Bologna Div") == "SCS 11.2"
    m.play(["5 Pz Rgt/5 Le", "A30.25"])


def test_a_unit_that_begins_in_a_zone_does_not_exploit_but_with_rommel() -> None:
    """With him even one that is not capable (2.3, SCS 5.6)."""
    units = {"A31.18": ["5 Pz Rgt/5 Le", "Bologna Div"], "A32.18": ["3 Ind Mtrd Bde"], "A20.20": ["3 Recon Bn/5 Le"]}
    m = match(units, phase="axis exploitation")
    assert refused(m, "5 Pz Rgt/5 Le") == "SCS 5.6"
    m = match(units | {"A31.18": [*units["A31.18"], "Rommel"]}, phase="axis exploitation")
    assert {"5 Pz Rgt/5 Le", "Bologna Div"} <= legal(m)


def test_an_exploitation_phase_in_which_no_unit_can_move_is_not_asked() -> None:
    """(SCS 11.2)"""
    m = match({"A31.18": ["Bologna Div"], "A50.18": ["14 Bde/70 Inf"]}, phase="axis exploitation")
    assert m.rules.phases(m.state)[m.state.phase].name == "allied movement"


# Rommel


def test_rommel_goes_to_any_axis_stack_once_a_phase() -> None:
    """(2.3)"""
    m = match({"A2.12": ["Pavia Div", "Rommel"], "A32.18": ["Bologna Div"], "A20.20": ["Brescia Div"]})
    m.play(["Rommel"])
    assert refused(m, "A32.19") == "2.3"
    m.play(["A32.18"])
    assert where(m, "Rommel") == "A32.18"
    assert refused(m, "Rommel") == "2.3"


def test_rommel_goes_with_the_last_unit_that_leaves_him() -> None:
    """(2.3)"""
    m = match({"A32.10": ["Bologna Div", "Brescia Div", "Rommel"]})
    m.play(["Bologna Div", "A32.12"])
    assert where(m, "Rommel") == "A32.10"
    m.play(["Brescia Div", "A32.13"])
    assert where(m, "Rommel") == "A32.13"


def test_those_with_rommel_at_the_start_are_noted() -> None:
    """(2.3)"""
    g = game({"A32.10": ["Bologna Div", "Rommel"], "A30.10": ["Pavia Div"]})
    drive(g, movement.movement(g, AXIS))
    assert ("led" in flags(g, "Bologna Div"), "led" in flags(g, "Pavia Div")) == (True, False)


# KG Hecker


def test_kg_hecker_lands_once() -> None:
    """From a coastal hex to another, both free of enemies and their ZOCs, for its whole allowance (2.8, 1.5c)."""
    m = match({"A30.28": ["KG Hecker"], "A39.23": ["3 SA Bde/2 SA"]})
    m.play(["KG Hecker", "landing"])
    assert refused(m, "A32.18") == "2.8"
    assert refused(m, "A40.22") == "2.8", "in the ZOC of Tobruk"
    m.play(["A45.21"])
    assert where(m, "KG Hecker") == "A45.21"
    assert m.state.landed == 1
    m = match({"A45.21": ["KG Hecker"]}, landed=1)
    m.play(["KG Hecker"])
    assert refused(m, "landing") == "2.8"


def test_kg_hecker_does_not_land_from_inland_or_after_moving() -> None:
    """(2.8)"""
    m = match({"A32.18": ["KG Hecker"]})
    m.play(["KG Hecker"])
    assert refused(m, "landing") == "2.8"
    m = match({"A31.27": ["KG Hecker"]})
    m.play(["KG Hecker", "A30.28", "KG Hecker"])
    assert refused(m, "landing") == "2.8"


def test_a_box_vanishes_when_its_units_leave() -> None:
    """(1.16)"""
    m = match({"A32.18": ["Bologna Div"]}, boxes={"axis": ["A32.18"]})
    m.play(["Bologna Div", "A32.19"])
    assert dict(m.state.box) == {}


def test_a_port_changes_hands_when_a_unit_passes() -> None:
    """(1.9e)"""
    m = match({"A46.20": ["5 Pz Rgt/5 Le"]}, allied=["A47.20"])
    m.play(["5 Pz Rgt/5 Le", "A47.20"])
    assert m.state.control[BOARD["A47.20"]] == AXIS


def test_steps_do_not_change_movement() -> None:
    """(1.4)"""
    g = game({"A32.18": ["288 Inf Rgt [steps 1]"]})
    assert (steps(g, "288 Inf Rgt"), movement.allowance(g, NUMBER["288 Inf Rgt"])) == (1, 30)
