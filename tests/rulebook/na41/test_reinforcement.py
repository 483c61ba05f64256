"""The Preparation Phase (3.1), reinforcements, removals, withdrawals, upgrades and conversions (20), Malta (22.3)."""

from __future__ import annotations

import pytest

from khamsin.games.na41 import conversions, entering, losses, malta, preparation
from khamsin.games.na41.units import ALLIED, ATTACK, AXIS, BOARD, DEFENCE, MA, NUMBER, RATING
from tests.rulebook.na41.table import begun, drive, flags, game, legal, match, points, refused, steps, where

PREPARATION = "preparation"


def test_each_base_receives_two_supply_points_and_reinforcements() -> None:
    """ASUs arrive ready (3.1, 6.1.3, 20.1)."""
    m = match({"Turn Track": ["33/15", "61 Tren", "62 Tren", "1 RB", "16 Br"]}, phase=PREPARATION, turn=2)
    assert points(m, "Axis") == {"Italy": 2}
    assert points(m, "Allied") == {"Nile Delta": 2}
    assert (where(m, "33/15"), where(m, "16 Br")) == ("Italy", "Nile Delta")
    m = match({"Turn Track": ["XXI Corps HQ"]}, phase=PREPARATION, turn=7)
    assert (where(m, "XXI Corps HQ"), flags(m, "XXI Corps HQ")) == ("Italy", set())


def test_rommel_is_ready_again() -> None:
    """(3.1, 18.5)"""
    m = match({"2560": ["22 Gds"]}, phase=PREPARATION, turn=2, rommel=0)
    assert m.state.rommel == 1


def test_surrendered_units_advance_and_are_eliminated() -> None:
    """(3.1, 12.5.2)"""
    units = {"Axis Surrender, left": ["19 Bre [steps 0]"], "Axis Surrender, right": ["20 Bre [steps 0]"]}
    g = game(units)
    preparation.advance_surrendered(g)
    assert (where(g, "19 Bre"), where(g, "20 Bre")) == ("Axis Surrender, right", "Axis Eliminated")


def test_a_brigade_is_removed_by_priority() -> None:
    """In supply before out of supply, before remnants, before eliminated; the owner picks among equals (20.2). A remnant
    that is removed gives its counter back (10.4.1)."""
    units = {
        "2560": ["20/9 Aus", "26/9 Aus"], "2478": ["24/9 Aus [steps 1]"], "Allied Eliminated": ["18/7 Aus [steps 0]"],
    }  # fmt: skip
    g = game(units, turn=12)
    decision = drive(g, conversions.remove_all(g))
    assert decision is not None
    assert decision.prompt == "Choose the Australian brigade that is removed"
    assert {g.rules.names[click] for click in decision.legal} == {"20/9 Aus", "26/9 Aus"}
    refusal = conversions.why_not_leaving(g, NUMBER["24/9 Aus"], "AU", "20.2")
    assert refusal is not None
    drive(g, conversions.remove_all(g), ["20/9 Aus"])
    assert where(g, "20/9 Aus") == ""
    g = game({"2478": ["24/9 Aus [steps 1]"], "Allied Eliminated": ["18/7 Aus [steps 0]"]}, turn=12)
    assert drive(g, conversions.remove_all(g)) is None
    assert (where(g, "24/9 Aus"), where(g, "18/7 Aus")) == ("", "Allied Eliminated")
    assert losses.remnants_left(g, NUMBER["18/7 Aus"]) == 2


def test_a_motorized_brigade_leaves_last_reduced_or_not() -> None:
    """Of the same type: brigades on foot leave first (20.2)."""
    for motorized in ("3 Ind Mot", "3 Ind Mot [steps 1]"):
        g = game({"2560": [motorized, "5/4 Ind [steps 2]"], "Allied Eliminated": ["11/4 Ind [steps 0]"]}, turn=5)
        assert conversions.leaving(g, "IN") == [NUMBER["5/4 Ind"]]
        refusal = conversions.why_not_leaving(g, NUMBER["3 Ind Mot"], "IN", "20.3")
        assert refusal is not None
        assert refusal.rule == "20.3"
    g = game({"2560": ["3 Ind Mot [steps 1]"]}, turn=5)
    assert conversions.leaving(g, "IN") == [NUMBER["3 Ind Mot"]]


def test_a_withdrawn_brigade_returns() -> None:
    """With its steps, an eliminated one on its lowest (20.3)."""
    g = game({"2560": ["5/4 Ind [steps 2]"]}, turn=5)
    drive(g, conversions.remove_all(g))
    assert (where(g, "5/4 Ind"), steps(g, "5/4 Ind")) == ("Withdrawn Units", 2)
    g.state.turn = 8
    preparation.arrivals(g)
    assert where(g, "5/4 Ind") == "Nile Delta"
    g = game({"Allied Eliminated": ["5/4 Ind [steps 0]"]}, turn=5)
    drive(g, conversions.remove_all(g))
    assert steps(g, "5/4 Ind") == 1


def test_a_tank_upgrade_replaces_another_tank_unit() -> None:
    """Turn 6: the besieged 6 RTR cannot leave, 3 Hus does and gives its step to 7 Hus (20.4.1, example 20.4.1)."""
    units = {
        "Turn Track": ["6 RTR*"], "3138": ["6 RTR"], "2560": ["3 Hus [steps 1]", "7 Hus [steps 1]"],
        "3039": ["39 Bol"], "2938": ["40 Bol"], "3036": ["20 Bre"], "3136": ["19 Bre"],
    }  # fmt: skip
    g = game(units, turn=6, control={"Allied": ["3138"]})
    printed = [
        (ATTACK[unit][0], RATING[unit][0], DEFENCE[unit][0], MA[unit][0])
        for unit in map(NUMBER.__getitem__, ("6 RTR*", "6 RTR", "3 Hus", "7 Hus"))
    ]
    assert printed == [(6, 2, 4, 5), (5, 1, 4, 4), (2, 0, 2, 5), (2, 0, 2, 5)]
    refusal = conversions.why_not_crew(g, NUMBER["6 RTR*"], NUMBER["6 RTR"])
    assert refusal is not None
    assert refusal.rule == "20.4.1"
    decision = drive(g, conversions.upgrade_all(g), ["3 Hus"])
    assert decision is not None
    assert {g.rules.names[click] for click in decision.legal} == {"7 Hus", "no"}
    g = game(units, turn=6, control={"Allied": ["3138"]})
    drive(g, conversions.upgrade_all(g), ["3 Hus", "7 Hus"])
    assert (where(g, "6 RTR*"), where(g, "3 Hus"), steps(g, "7 Hus")) == ("Nile Delta", "", 2)
    assert flags(g, "7 Hus") == {"replaced"}


def test_an_upgrade_may_be_delayed() -> None:
    """(20.4.1)"""
    g = game({"Turn Track": ["6 RTR*"], "2560": ["3 Hus"]}, turn=6)
    drive(g, conversions.upgrade_all(g), ["no"])
    assert where(g, "6 RTR*") == "Turn Track"
    g.state.turn = 7
    assert drive(g, conversions.upgrade_all(g)) is not None


def test_old_tanks_go_to_no_better_unit() -> None:
    """(20.4.1)"""
    g = game({"2560": ["7 Hus [steps 1]", "1 RTR [steps 1]"]})
    rules = [conversions.why_not_given(g, 1, 0, NUMBER["6 RTR*"], NUMBER[unit]) for unit in ("7 Hus", "1 RTR")]
    assert [refusal.rule if refusal else "" for refusal in rules] == ["", "20.4.1"]


def test_old_tanks_are_replacements() -> None:
    """Not for units that are Disrupted, in Full Retreat or marked Out of Supply (13.2.1, 13.3.2, 16.4, 20.4.1)."""
    units = {"2560": ["7 Hus [steps 1, disrupted]", "3 Hus [steps 1, full_retreat]", "1 RTR [steps 1, oos]"]}
    g = game(units, turn=6)
    rules = [conversions.why_not_given(g, 2, 1, NUMBER["6 RTR*"], NUMBER[one]) for one in ("7 Hus", "3 Hus", "1 RTR")]
    assert [refusal.rule if refusal else "" for refusal in rules] == ["13.2.1", "13.2.1", "16.4"]


def test_the_fifth_light_becomes_the_21st_panzer_division() -> None:
    """In place, with steps and markers, also when eliminated (20.4.2)."""
    units = {"2634": ["I/5/5L [steps 2, disrupted]", "3/5L"], "Axis Eliminated": ["2 MG/5L [steps 0]"]}
    g = game(units, turn=10)
    drive(g, conversions.convert_all(g))
    assert (where(g, "I/5/21"), steps(g, "I/5/21"), flags(g, "I/5/21")) == ("2634", 2, {"disrupted"})
    assert (where(g, "I/5/5L"), where(g, "2 MG/21")) == ("", "Axis Eliminated")


def test_the_owner_chooses_which_new_unit_is_short_of_steps() -> None:
    """One without a step is eliminated (20.4.3)."""
    units = {"2634": ["104/15 [steps 1]", "2 MG/21"]}
    for answer, regiment, battalion in (("yes", ("2634", 2), ("Axis Eliminated", 0)), ("no", ("2634", 1), ("2634", 1))):
        g = game(units, turn=13)
        drive(g, conversions.convert_all(g), ["yes", answer])
        assert [(where(g, unit), steps(g, unit)) for unit in ("104/21", "2 MG/15")] == [regiment, battalion]


def test_pairs_of_units_are_converted_from_turn_13() -> None:
    """Stacked in Full Supply, with as many steps, at their owner's choice (20.4.3)."""
    units = {"2634": ["104/15", "2 MG/21"], "2640": ["8 MG/21"], "2641": ["K15/15"]}
    g = game(units, turn=13)
    drive(g, conversions.convert_all(g), ["yes"])
    assert [(where(g, unit), steps(g, unit)) for unit in ("104/21", "2 MG/15")] == [("2634", 2), ("2634", 1)]
    assert where(g, "200/15") == ""
    g = game({"2634": ["8 MG/21"], "Axis Eliminated": ["K15/15 [steps 0]"]}, turn=15)
    drive(g, conversions.convert_all(g), ["yes"])
    assert (where(g, "200/15"), steps(g, "200/15")) == ("2634", 1)
    g = game({"2634": ["8 MG/21", "K15/15"]}, turn=12)
    assert drive(g, conversions.convert_all(g)) is None
    g = game({"2634": ["8 MG/21", "K15/15 [disrupted]"]}, turn=13)
    drive(g, conversions.convert_all(g), ["yes"])
    assert flags(g, "200/15") == {"disrupted"}


def test_markers_stay_on_converted_units() -> None:
    """The Supply Phase removes Out of Supply markers, the Initial Phase those of transport (16.1, 20.4.3, 21.1.5)."""
    g = game({"2634": ["8 MG/21 [oos, disrupted]", "K15/15 [transported, full_retreat]"]}, turn=13)
    drive(g, conversions.convert_all(g), ["yes"])
    assert flags(g, "200/15") == {"full_retreat", "oos", "transported"}


def test_the_22nd_guards_become_motorized() -> None:
    """(20.4.4)"""
    g = game({"2560": ["22 Gds [steps 2]"]}, turn=6)
    drive(g, conversions.convert_all(g))
    assert (where(g, "22 Gds Mot"), steps(g, "22 Gds Mot"), where(g, "22 Gds")) == ("2560", 2, "")


# Reserves


def test_reserves_are_released_by_turn_or_by_an_axis_advance() -> None:
    """New Zealanders on turn 12 or with Sidi Barrani, South Africans on turn 14 or with Mersa Matruh (S2.2)."""
    units = {"Reserve": ["6/2 NZ", "3/2 SA"]}

    def released(turn: int, *held: str) -> set[str]:
        g = game(units, turn=turn, control={"Axis": held, "Allied": ["2751"] if "2751" not in held else []})
        preparation.release(g)
        return {unit for unit in ("6/2 NZ", "3/2 SA") if where(g, unit) == "Nile Delta"}

    assert released(8) == set()
    assert released(8, "2751") == {"6/2 NZ"}
    assert released(8, "2560") == {"3/2 SA"}
    assert released(12) == {"6/2 NZ"}
    assert released(14) == {"6/2 NZ", "3/2 SA"}


def test_a_release_lasts_when_the_allies_come_back() -> None:
    """Units that arrive later are not held either (S2.2)."""
    g = game({"Reserve": ["6/2 NZ"], "Turn Track": ["4/2 NZ"]}, turn=7, control={"Axis": ["2751"]})
    preparation.release(g)
    g.state.control[BOARD["2751"]] = ALLIED
    g.state.turn = 8
    preparation.arrivals(g)
    preparation.release(g)
    assert where(g, "4/2 NZ") == "Nile Delta"


def test_reserves_are_released_in_the_next_initial_phase() -> None:
    """Not only on the next turn (S2.2)."""
    units = {"Reserve": ["6/2 NZ"], "2425": ["I/5/5L"]}
    m = match(units, phase="impulse 2 allied initial", turn=6, control={"Axis": ["2751"]}, dice=[3, 4])
    assert where(m, "6/2 NZ") == "Nile Delta"


def test_an_axis_unit_that_does_not_stay_releases_reserves() -> None:
    """A unit that enters Sidi Barrani releases the reserves, even if the Allies hold it again when they are placed (S2.2)."""
    g = game({"Reserve": ["6/2 NZ", "3/2 SA"], "2751": ["3/5L"]}, turn=6, control={"Allied": ["2751", "2560"]})
    entering.enter(g, AXIS, BOARD["2751"])
    g.state.where[NUMBER["3/5L"]] = BOARD["2649"]
    entering.enter(g, ALLIED, BOARD["2751"])
    preparation.release(g)
    assert (where(g, "6/2 NZ"), where(g, "3/2 SA")) == ("Nile Delta", "Reserve")


def test_reserves_arrive_in_their_box_and_not_in_enter_rommel() -> None:
    """(S1.2, S2.2)"""
    assert where(begun("campaign"), "6/2 NZ") == "Turn Track"
    assert where(begun("enter-rommel"), "6/2 NZ") == ""
    g = game({"Turn Track": ["6/2 NZ"]}, turn=5)
    preparation.arrivals(g)
    assert where(g, "6/2 NZ") == "Reserve"


# Malta


@pytest.mark.parametrize(("die", "left"), [(4, -1), (5, -2), (6, -2)])
def test_the_axis_moves_the_malta_marker_left(die: int, left: int) -> None:
    """On its Luftwaffe side at -1 with 5 or 6 (22.3.2, 22.3.3, example 22.3.3)."""
    g = game({"2560": ["22 Gds"]}, turn=4, malta=-1, dice=[die])
    malta.roll(g)
    assert g.state.malta == left


def test_the_allies_move_it_right_from_turn_6() -> None:
    """Automatically from -3, never beyond +3 (22.3.2, 22.3.3)."""
    for turn, before, die, after in ((6, -3, 1, -2), (10, 0, 3, 0), (10, 0, 4, 1), (12, 3, 6, 3), (19, 3, 1, 2)):
        g = game({"2560": ["22 Gds"]}, turn=turn, malta=before, dice=[die])
        malta.roll(g)
        assert g.state.malta == after


def test_crete_changes_hands_on_turn_6() -> None:
    """(22.2.2)"""
    assert [malta.holds_crete(game({"2560": ["22 Gds"]}, turn=turn), AXIS) for turn in (5, 6)] == [False, True]
    assert malta.holds_crete(game({"2560": ["22 Gds"]}, turn=5), ALLIED)


def test_the_preparation_phase_asks_for_removals_by_click() -> None:
    """(3.1, 20.2)"""
    m = match({"2560": ["20/9 Aus", "26/9 Aus"]}, phase=PREPARATION, turn=12)
    assert legal(m) == {"20/9 Aus", "26/9 Aus"}
    assert refused(m, "24/9 Aus") == "20.2"
