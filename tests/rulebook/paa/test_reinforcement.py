"""Reinforcement and replacement (13.1 to 13.4)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from khamsin import games
from khamsin.games.paa import reinforcement, setup
from khamsin.games.paa.units import AXIS, BOARD, CF, NUMBER
from khamsin.kernel import Illegal, Match
from khamsin.kernel import position as positions

HELD = 'axis = ["0702"]\nallied = ["1351", "1925"]'


def position(side: str, turn: int, units: str, points: str = "", control: str = HELD, state: str = "") -> Match[Any]:
    text = f'game = "paa"\nscenario = "campaign"\nturn = {turn}\nphase = "{side} reinforcement"\n[units]\n{units}\n'
    return positions.read(f"{text}[control]\n{control}\n[points]\n{points}\n[state]\n{state}", games.load)


def at(match: Match[Any], piece: str) -> str:
    return BOARD.name(match.state.where[NUMBER[piece]])


def side_of(match: Match[Any]) -> str:
    assert match.decision is not None
    return str(match.rules.sides[match.decision.side])


STOCK = '"Axis OOB" = ["Axis depot 6"]\n"Allied OOB" = ["Allied depot 9"]\n'
"""An installation in stock, so that the phase has something to ask."""


def test_points_come_at_the_start_of_the_phase_by_kind_and_nation() -> None:
    """(13.3.1)"""
    match = position("axis", 10, STOCK)
    assert match.state.points == {
        "German infantry": 1, "German armoured": 2, "Italian infantry": 1, "Italian armoured": 1,
    }  # fmt: skip


def test_points_are_saved_but_only_ten_of_a_kind() -> None:
    """Nine held on turn 8, two received, none spent, one lost (2.1.4, 13.3.1, example 13.3.1)."""
    match = position("allied", 8, STOCK + '"1351" = ["AU 18/IBDE"]', '"Allied infantry" = 9\n"Allied armoured" = 3')
    assert match.state.points["Allied infantry"] == 11
    match.play(["done"])
    assert match.state.points == {"Allied infantry": 10, "Allied armoured": 5}


def test_points_beyond_ten_can_be_spent_in_the_phase() -> None:
    """(13.3.1)"""
    units = STOCK + '"1351" = ["AU 18/IBDE"]\n"Allied Cadre" = ["AU 20/IBDE", "AU 24/IBDE"]'
    match = position("allied", 8, units, '"Allied infantry" = 9')
    match.play(["AU 18/IBDE", "AU 20/IBDE", "1352", "done"])
    assert match.state.points["Allied infantry"] == 9


def test_the_schedule_of_points_fits_its_sums_and_the_rulebook() -> None:
    """Allied infantry of turn 8 is the rulebook's (13.3.1)."""
    points = setup.SCHEDULE["points"]
    rows = {key: row for key, row in points.items() if isinstance(row, list)}
    assert {key: sum(row) for key, row in rows.items()} == {
        "German infantry": 20, "German armoured": 18, "Italian infantry": 19, "Italian armoured": 8,
        "Allied infantry": 53, "Allied armoured": 46,
    }  # fmt: skip
    assert {len(row) for row in rows.values()} == {20}
    assert points["Allied infantry"][8 - 1] == 2


def test_a_unit_is_rebuilt_for_as_many_points_as_its_cf() -> None:
    """(13.3.2)"""
    match = position("axis", 1, STOCK + '"Axis Cadre" = ["DE 104/IREGT"]', '"German infantry" = 5')
    match.play(["DE 104/IREGT", "0601"])
    assert at(match, "DE 104/IREGT") == "0601"
    assert match.state.points["German infantry"] == 1


@pytest.mark.parametrize(
    "points", ['"German infantry" = 3', '"Italian infantry" = 9', '"German armoured" = 9', '"Allied infantry" = 9']
)
def test_points_of_another_kind_or_nation_or_too_few_rebuild_nothing(points: str) -> None:
    """(13.3.1, 13.3.2)"""
    match = position("axis", 1, STOCK + '"Axis Cadre" = ["DE 104/IREGT"]', points)
    with pytest.raises(Illegal):
        match.play(["DE 104/IREGT"])


def test_an_armoured_unit_takes_armoured_points_of_its_nation() -> None:
    """(2.3.1, 13.3.2)"""
    units = STOCK + '"Axis Cadre" = ["IT BERS/8/AIREGT", "DE 5/1/ABN", "IT 19/IREGT"]'
    match = position("axis", 8, units, '"Italian armoured" = 2')
    assert set(match.names) - {"default", "adjust"} == {"IT BERS/8/AIREGT", "Axis depot 6", "done"}


def test_the_cadre_of_the_other_side_is_not_rebuilt() -> None:
    """(13.3.2)"""
    match = position("axis", 1, STOCK + '"Allied Cadre" = ["AU 18/IBDE"]', '"Allied infantry" = 9')
    assert "AU 18/IBDE" not in match.names


def test_reinforcements_arrive_in_any_base_hex_with_room() -> None:
    """(13.1, 13.2, 4)"""
    units = '"Axis OOB turn 2" = ["DE 8/1/ABN", "DE 8/2/ABN"]\n"0702" = ["DE 5/1/ABN", "DE 5/2/ABN", "DE 3/ARECBN"]'
    match = position("axis", 2, units)
    match.play(["DE 8/1/ABN"])
    assert set(match.names) == {"0701", "0703", "0601", "0602"}
    match.play(["0703"])
    assert at(match, "DE 8/1/ABN") == "0703"


def test_reinforcements_must_be_placed_before_the_phase_can_end() -> None:
    """(13.2)"""
    match = position("axis", 2, STOCK + '"Axis OOB turn 2" = ["DE 8/1/ABN", "DE 8/2/ABN"]')
    assert set(match.names) - {"default", "adjust"} == {"DE 8/1/ABN", "DE 8/2/ABN"}


def test_units_of_later_turns_do_not_arrive() -> None:
    """(13.2)"""
    match = position("axis", 2, STOCK + '"Axis OOB turn 3" = ["DE 8/1/ABN"]')
    assert set(match.names) - {"default", "adjust"} == {"Axis depot 6", "done"}


def test_a_hex_of_the_base_that_the_enemy_holds_is_closed() -> None:
    """(13.1)"""
    units = '"Axis OOB turn 2" = ["DE 8/1/ABN", "DE 8/2/ABN"]\n"0601" = ["AU 18/IBDE"]\n"0703" = ["Allied lorry 1"]'
    match = position("axis", 2, units)
    match.play(["DE 8/1/ABN"])
    assert set(match.names) == {"0702", "0701", "0602"}


FULL = """
"0702" = ["DE 5/1/ABN", "DE 5/2/ABN", "DE 3/ARECBN"]
"0703" = ["IT 132/AREGT", "IT BERS/8/AIREGT", "IT 32/AREGT"]
"0701" = ["DE MG2/IBN", "DE MG8/IBN", "IT 61/IREGT"]
"0602" = ["IT 19/IREGT", "IT 20/IREGT", "IT 62/IREGT"]
"0601" = ["IT 27/IREGT", "IT 28/IREGT"]
"""
"""An Axis base with room for one more unit."""


def test_units_without_room_wait_and_arrive_on_a_later_turn() -> None:
    """(13.1, 4)"""
    due = '"Axis OOB turn 2" = ["DE 8/1/ABN", "DE 8/2/ABN"]\n'
    match = position("axis", 2, STOCK + FULL + due)
    match.play(["DE 8/2/ABN"])
    assert at(match, "DE 8/2/ABN") == "0601"
    assert at(match, "DE 8/1/ABN") == "Axis OOB turn 2"
    assert set(match.names) - {"default", "adjust"} == {"Axis depot 6", "done"}
    later = position("axis", 5, STOCK + due)
    assert set(later.names) == {"DE 8/1/ABN", "DE 8/2/ABN", "default"}


def test_with_the_centre_of_the_base_lost_nothing_arrives() -> None:
    """(5.1, 13.1)"""
    units = STOCK + '"Axis OOB turn 2" = ["DE 8/1/ABN"]\n"0702" = ["AU 18/IBDE"]\n"Axis Cadre" = ["DE 104/IREGT"]'
    match = position("axis", 2, units, '"German infantry" = 9', control='allied = ["0702", "1351", "1925"]')
    assert match.phase.name != "axis reinforcement"
    assert at(match, "DE 8/1/ABN") == "Axis OOB turn 2"
    assert at(match, "Axis depot 6") == "Axis OOB"


def test_one_installation_comes_each_turn_to_a_base_hex_without_one() -> None:
    """(13.2.1, 4)"""
    units = '"Axis OOB" = ["Axis depot 5", "Axis depot 6"]\n"0702" = ["Axis depot 1"]\n"0703" = ["Axis depot 2"]'
    match = position("axis", 3, units)
    match.play(["Axis depot 5"])
    assert set(match.names) == {"0701", "0601", "0602"}
    match.play(["0602"])
    assert at(match, "Axis depot 5") == "0602"
    assert at(match, "Axis depot 6") == "Axis OOB"
    assert match.phase.name != "axis reinforcement"


def test_without_one_in_stock_or_a_free_hex_no_installation_comes() -> None:
    """(13.2.1)"""
    assert position("axis", 3, '"0702" = ["Axis depot 1"]').phase.name != "axis reinforcement"
    hexes = ("0702", "0703", "0701", "0601", "0602")
    filled = "".join(f'"{hex}" = ["Axis depot {i}"]\n' for i, hex in enumerate(hexes, 1))
    assert position("axis", 3, filled + '"Axis OOB" = ["Axis depot 6"]').phase.name != "axis reinforcement"


@pytest.mark.parametrize(("turn", "malta", "comes"), [(15, 3, False), (16, 3, False), (17, 3, True), (16, 2, True)])
def test_after_a_failure_at_malta_no_installation_comes_on_turns_15_and_16(turn: int, malta: int, comes: bool) -> None:
    """(13.2.1, 13.5.2, Table 11)"""
    match = position("axis", turn, STOCK, state=f"malta = {malta}")
    assert (match.phase.name == "axis reinforcement" and "Axis depot 6" in match.names) == comes


def test_the_allies_get_their_installation_whatever_happened_at_malta() -> None:
    """(13.2.1)"""
    match = position("allied", 16, STOCK, state="malta = 3")
    assert "Allied depot 9" in match.names


def test_lorries_return_to_a_road_or_track_hex_of_the_base() -> None:
    """(13.2.2, 12.4.6)"""
    match = position("axis", 5, STOCK + '"Axis OOB turn 5" = ["Axis lorry 1"]')
    assert set(match.names) == {"0702", "0701", "0703", "0602"}
    match.play(["0701"])
    assert at(match, "Axis lorry 1") == "0701"


BASE = '"1351" = ["AU 18/IBDE", "BR 16/IBDE", "BR 7/ABDE"]\n"1250" = ["BR 23/IBDE"]\n'
FRONT = '"1925" = ["AU 24/IBDE", "BR 4/ABDE"]\n'


def test_the_allies_choose_what_they_withdraw_among_the_units_in_their_base() -> None:
    """(13.2.3)"""
    match = position("allied", 2, STOCK + BASE + FRONT + '"Allied Cadre" = ["AU 20/IBDE"]')
    assert side_of(match) == "Allied"
    assert set(match.names) - {"default", "adjust"} == {"AU 18/IBDE", "BR 16/IBDE", "BR 23/IBDE"}
    match.play(["BR 16/IBDE"])
    assert at(match, "BR 16/IBDE") == "Allied withdrawn"


def test_where_the_schedule_allows_it_a_unit_of_the_cadre_may_be_withdrawn() -> None:
    """(13.2.3)"""
    match = position("allied", 3, STOCK + BASE + FRONT + '"Allied Cadre" = ["AU 20/IBDE"]')
    assert set(match.names) - {"default", "adjust"} == {"AU 18/IBDE", "BR 16/IBDE", "BR 23/IBDE", "AU 20/IBDE"}
    match.play(["AU 20/IBDE", "BR 23/IBDE"])
    assert at(match, "AU 20/IBDE") == at(match, "BR 23/IBDE") == "Allied withdrawn"


def test_withdrawals_ask_for_their_own_kind() -> None:
    """(2.3.1, 13.2.3)"""
    match = position("allied", 10, STOCK + BASE + '"1352" = ["BR 22/ABDE"]')
    assert set(match.names) == {"BR 7/ABDE", "BR 22/ABDE"}


def test_with_no_choice_the_withdrawal_happens_by_itself() -> None:
    """(13.2.3)"""
    match = position("allied", 2, STOCK + '"1351" = ["AU 18/IBDE"]')
    assert at(match, "AU 18/IBDE") == "Allied withdrawn"


def test_with_too_few_in_the_base_the_axis_picks_any_on_the_map() -> None:
    """(13.2.3)"""
    units = (
        STOCK + '"1351" = ["AU 18/IBDE", "BR 7/ABDE"]\n"1925" = ["AU 24/IBDE", "BR 4/ABDE"]\n"1440" = ["BR 22G/IBDE"]'
    )
    match = position("allied", 3, units)
    assert at(match, "AU 18/IBDE") == "Allied withdrawn"
    assert side_of(match) == "Axis"
    assert set(match.names) == {"AU 24/IBDE", "BR 22G/IBDE"}
    match.play(["AU 24/IBDE"])
    assert at(match, "AU 24/IBDE") == "Allied withdrawn"


def test_with_nothing_left_to_withdraw_the_allies_lose_at_once() -> None:
    """(13.2.3)"""
    match = position("allied", 3, STOCK + '"1351" = ["AU 18/IBDE", "BR 7/ABDE"]')
    assert match.result is not None
    assert (match.result.winner, match.result.rule) == (AXIS, "13.2.3")


def test_a_withdrawn_unit_loses_its_reinforcement_and_its_states() -> None:
    """(13.2.3, 13.4)"""
    match = position("allied", 10, STOCK + '"1351" = ["BR 7/ABDE [plus 1, oos, ooc]"]', '"Allied armoured" = 2')
    unit = NUMBER["BR 7/ABDE"]
    assert at(match, "BR 7/ABDE") == "Allied withdrawn"
    assert (match.state.plus[unit], match.state.flags[unit]) == (0, 0)
    assert match.state.points["Allied armoured"] == 4


def test_reinstated_units_come_from_the_withdrawn_or_the_cadre_without_points() -> None:
    """(13.2.4)"""
    boxes = '"Allied withdrawn" = ["AU 18/IBDE", "BR 7/ABDE", "AU 24/IBDE"]\n"Allied Cadre" = ["AU 20/IBDE"]'
    match = position("allied", 5, STOCK + boxes)
    assert set(match.names) == {"AU 18/IBDE", "AU 24/IBDE", "AU 20/IBDE"}
    match.play(["AU 20/IBDE", "1352"])
    assert at(match, "AU 20/IBDE") == "1352"
    match.play(["AU 18/IBDE", "1351"])
    assert at(match, "AU 24/IBDE") == "Allied withdrawn"
    assert match.state.points["Allied infantry"] == 2


def test_with_fewer_than_may_be_reinstated_all_of_them_come() -> None:
    """(13.2.4)"""
    match = position("allied", 5, STOCK + '"Allied withdrawn" = ["AU 18/IBDE"]')
    match.play(["1451"])
    assert at(match, "AU 18/IBDE") == "1451"
    assert set(match.names) - {"default", "adjust"} == {"Allied depot 9", "done"}


def test_a_reinstated_unit_without_room_waits_on_the_order_of_battle() -> None:
    """(13.1, 13.2.4)"""
    names = [
        "AU 20", "AU 24", "AU 26", "BR 16", "BR 23", "BR 14", "SA 1", "SA 2", "SA 3", "SA 4", "SA 5", "SA 6", "NZ 4", "NZ 5",
        "NZ 6", "IN 5", "IN 7", "IN 11",
    ]  # fmt: skip
    hexes = ("1351", "1350", "1352", "1250", "1251", "1451")
    base = "".join(
        f'"{hex}" = [{", ".join(f"{chr(34)}{n}/IBDE{chr(34)}" for n in names[i * 3 : i * 3 + 3])}]\n'
        for i, hex in enumerate(hexes)
    )
    match = position("allied", 5, STOCK + base + '"Allied withdrawn" = ["AU 18/IBDE"]')
    assert at(match, "AU 18/IBDE") == "Allied OOB turn 5"


def test_the_same_unit_may_leave_and_come_back_in_one_phase() -> None:
    """No scheduled turn has both; withdrawals come first, so that it is possible (13.2.4)."""
    match = position("allied", 3, STOCK + BASE)
    match.state.reinstate["infantry"] = 1
    match.play(["AU 18/IBDE", "BR 16/IBDE"])
    assert match.decision is not None
    assert match.decision.rule == "13.2.4"
    match.play(["AU 18/IBDE", "1352"])
    assert at(match, "AU 18/IBDE") == "1352"


def test_one_point_makes_a_unit_in_the_base_stronger_by_one() -> None:
    """(13.4)"""
    match = position("allied", 14, STOCK + BASE + FRONT, '"Allied armoured" = 2')
    match.play(["BR 7/ABDE"])
    assert match.state.plus[NUMBER["BR 7/ABDE"]] == 1
    assert match.state.points["Allied armoured"] == 4
    match.play(["BR 7/ABDE"])
    assert match.state.plus[NUMBER["BR 7/ABDE"]] == 2


def test_units_outside_the_base_are_not_reinforced() -> None:
    """(13.4)"""
    match = position("allied", 14, STOCK + BASE + FRONT)
    assert {"BR 7/ABDE", "AU 18/IBDE"} <= set(match.names)
    assert not {"BR 4/ABDE", "AU 24/IBDE"} & set(match.names)


def test_points_of_the_other_kind_reinforce_nothing() -> None:
    """(13.4)"""
    match = position("allied", 20, STOCK + BASE, '"Allied infantry" = 1')
    assert set(match.names) - {"default", "adjust"} == {
        "AU 18/IBDE",
        "BR 16/IBDE",
        "BR 23/IBDE",
        "Allied depot 9",
        "done",
    }


@pytest.mark.parametrize(
    ("turn", "infantry", "armour"), [(6, 2, 3), (7, 2, 4), (9, 2, 4), (10, 3, 4), (12, 3, 4), (13, 3, 5), (20, 3, 5)]
)
def test_the_turn_limits_how_strong_a_unit_may_become(turn: int, infantry: int, armour: int) -> None:
    """Each kind is raised as far as it goes from 2 and 3 CF (13.4)."""
    spare = '"1352" = ["SA 1/IBDE", "SA 2/IBDE", "SA 3/IBDE"]\n"1451" = ["BR 22/ABDE"]\n'
    units = STOCK + '"1351" = ["AU 18/IBDE"]\n"1250" = ["BR 7/ABDE"]\n' + spare
    match = position("allied", turn, units, '"Allied infantry" = 9\n"Allied armoured" = 9')
    if turn == 7:
        match.play(["SA 1/IBDE", "SA 2/IBDE", "SA 3/IBDE"])
    elif turn == 10:
        match.play(["BR 22/ABDE"])
    elif turn == 12:
        match.play(["SA 1/IBDE", "SA 2/IBDE"])
    for unit in ("AU 18/IBDE", "BR 7/ABDE"):
        while unit in match.names:
            match.play([unit])
    assert 2 + match.state.plus[NUMBER["AU 18/IBDE"]] == infantry
    assert 3 + match.state.plus[NUMBER["BR 7/ABDE"]] == armour


def test_no_unit_takes_more_steps_than_it_has_counters() -> None:
    """The armoured cars begin at 1 CF and have two steps (2.3.1, 13.4)."""
    match = position("allied", 20, STOCK + '"1351" = ["SA AC/ARECBN [plus 2]"]', '"Allied armoured" = 9')
    assert set(match.names) - {"default", "adjust"} == {"Allied depot 9", "done"}


def test_units_may_be_reinforced_as_they_arrive() -> None:
    """(13.4)"""
    units = '"Allied OOB turn 13" = ["BR 1/ABDE"]\n"Allied Cadre" = ["IN 10/IBDE"]'
    match = position("allied", 13, units, '"Allied armoured" = 3')
    match.play(["1351", "BR 1/ABDE", "IN 10/IBDE", "1352", "IN 10/IBDE"])
    assert match.state.plus[NUMBER["BR 1/ABDE"]] == match.state.plus[NUMBER["IN 10/IBDE"]] == 1


def test_units_out_of_supply_or_command_may_be_reinforced() -> None:
    """(13.4)"""
    match = position("allied", 20, STOCK + '"1351" = ["BR 7/ABDE [oos, ooc]"]', '"Allied armoured" = 1')
    assert "BR 7/ABDE" in match.names


def test_a_rebuilt_unit_has_lost_its_reinforcement() -> None:
    """(12.4.5, 13.4)"""
    match = position("allied", 20, STOCK + '"Allied Cadre" = ["BR 7/ABDE"]', '"Allied armoured" = 3')
    match.play(["BR 7/ABDE", "1351"])
    assert match.state.plus[NUMBER["BR 7/ABDE"]] == 0
    assert match.state.points["Allied armoured"] == 0


def test_the_axis_reinforces_nobody() -> None:
    """(13.4)"""
    match = position("axis", 16, STOCK + '"0702" = ["DE 5/1/ABN"]', '"German armoured" = 9')
    assert set(match.names) - {"default", "adjust"} == {"Axis depot 6", "done"}


def test_a_phase_with_nothing_to_do_passes_by_itself() -> None:
    """(13)"""
    match = position("axis", 3, '"0702" = ["DE 5/1/ABN"]')
    assert match.phase.name != "axis reinforcement"
    assert match.state.points["German armoured"] == 1


def test_nothing_is_left_to_do_when_the_phase_is_over() -> None:
    """(13)"""
    match = position("allied", 2, STOCK + BASE)
    match.play(["AU 18/IBDE", "done"])
    state = match.state
    assert not state.installations
    assert not state.withdraw
    assert not state.reinstate


def test_a_position_from_within_an_old_phase_is_still_read() -> None:
    """What was to be done had other names; it is read as it is now called (13.2.1, 13.2.3)."""
    before = position("allied", 2, STOCK + BASE)
    text = positions.write(before)
    assert "begun = 1" in text
    old = re.sub(r"(?m)^(begun|installations) = .*\n", "", text).replace("[withdraw]", "[todo]")
    old = old.replace("infantry = 1", '"withdraw infantry" = 1\nbegun = 1\ninstallation = 1')
    after = positions.read(old, games.load)
    assert (after.state.begun, after.state.installations, after.state.withdraw) == (1, 1, {"infantry": 1})
    assert after.state.digest() == before.state.digest()


SIX = (
    '"Axis OOB turn 3" = ["DE 8/1/ABN", "DE 8/2/ABN", "DE 104/IREGT", "DE 115/IREGT", "DE 33/ARECBN", "Axis lorry 3"]\n'
)


def test_six_reinforcements_and_the_installation_are_placed_with_one_click() -> None:
    """In the usual hexes and within stacking; the phase then waits for its end (4, 13.1, 13.2)."""
    match = position("axis", 3, STOCK + SIX)
    match.play(["default"])
    assert [at(match, unit) for unit in ("DE 33/ARECBN", "DE 104/IREGT", "DE 8/1/ABN")] == ["0703"] * 3
    assert [at(match, unit) for unit in ("DE 8/2/ABN", "DE 115/IREGT")] == ["0702"] * 2
    assert (at(match, "Axis lorry 3"), at(match, "Axis depot 6")) == ("0703", "0703")
    assert match.state.installations == 0
    match.play(["done"])
    assert match.phase.name != "axis reinforcement"


def test_arrivals_placed_as_usual_can_be_moved_within_the_base() -> None:
    """Each to another hex that can take it, until the phase ends (13.1)."""
    match = position("axis", 3, STOCK + SIX)
    match.play(["default", "adjust", "DE 8/1/ABN"])
    refusal = match.explain(match.rules.parse("0703"))
    assert (refusal.rule, refusal.cause) == ("6", "0703")
    match.play(["0601", "done"])
    assert at(match, "DE 8/1/ABN") == "0601"


def test_what_was_in_the_base_before_is_not_moved() -> None:
    """Only arrivals of this phase are placed again (13.1)."""
    match = position("axis", 3, STOCK + SIX + '"0702" = ["IT 19/IREGT"]')
    match.play(["default", "adjust"])
    refusal = match.explain(match.rules.parse("IT 19/IREGT"))
    assert (refusal.rule, refusal.cause) == ("13.1", "IT 19/IREGT")


def test_units_are_rebuilt_as_usual_the_strongest_first_while_points_last() -> None:
    """5 German armoured points: a tank battalion of 3 CF, and no more for the next of 3 (13.3.2)."""
    match = position(
        "axis", 4, STOCK + '"Axis Cadre" = ["DE 3/ARECBN", "DE 8/1/ABN", "DE 8/2/ABN"]', '"German armoured" = 4'
    )
    match.play(["default"])
    assert at(match, "Axis depot 6") == "0703"
    match.play(["default"])
    on_map = [unit for unit in ("DE 8/1/ABN", "DE 8/2/ABN", "DE 3/ARECBN") if at(match, unit) == "0703"]
    assert on_map[0] == "DE 8/1/ABN"
    assert match.state.points["German armoured"] == 5 - sum(CF[NUMBER[unit]] for unit in on_map)
    assert match.state.points["German armoured"] >= 0


def test_every_kind_of_points_is_on_the_schedule() -> None:
    """(13.3.1)"""
    assert {*reinforcement.POINTS} <= {*setup.SCHEDULE["points"]}


def test_every_refusal_of_the_phase_gives_its_reason() -> None:
    """Points, a later turn, the base, the limit of the turn, what is in stock (13.1, 13.2, 13.3.2, 13.4)."""
    match = position(
        "allied", 6,
        STOCK + '"1351" = ["AU 18/IBDE"]\n"1925" = ["AU 24/IBDE"]\n"Allied Cadre" = ["BR 3/ABDE"]\n'
        '"Allied OOB turn 9" = ["NZ 4/IBDE"]\n"Allied withdrawn" = ["BR 16/IBDE"]\n',
    )  # fmt: skip
    for piece, reason, rule in (
        ("BR 3/ABDE", "BR 3/ABDE cannot be rebuilt: costs 3 Allied armoured RP, 2 left", "13.3.2"),
        ("NZ 4/IBDE", "NZ 4/IBDE arrives on turn 9", "13.2"),
        ("AU 24/IBDE", "AU 24/IBDE cannot be reinforced: not in the base", "13.4"),
        ("AU 18/IBDE", "AU 18/IBDE cannot be reinforced: at most 2 CF on turn 6", "13.4"),
        ("BR 16/IBDE", "BR 16/IBDE is withdrawn until the schedule reinstates it", "13.2.4"),
        ("Axis depot 6", "Axis depot 6 is an enemy unit", "13"),
        ("remount", "No units can remount: none is dismounted", "13.6"),
        ("option A", "Option A can no longer be taken", "13.5"),
    ):
        refusal = match.explain(match.rules.parse(piece))
        assert (refusal.reason, refusal.rule) == (reason, rule)
    match.play(["Allied depot 9"])
    refusal = match.explain(match.rules.parse("0702"))
    assert (refusal.reason, refusal.rule) == ("Allied depot 9 cannot arrive in 0702: not in your base", "13.1")


def test_units_that_are_due_arrive_before_anything_else() -> None:
    """The end of the phase is greyed out until they have arrived (13.2)."""
    match = position("allied", 6, STOCK + '"Allied OOB turn 6" = ["NZ 4/IBDE", "NZ 5/IBDE"]\n')
    blocked = {match.rules.names[button]: refusal.reason for button, refusal in match.blocked().items()}
    assert blocked.pop("adjust").startswith("Nothing can be placed again")
    assert blocked == dict.fromkeys(["dismount", "remount", "done"], "NZ 5/IBDE arrives first")


def test_a_unit_that_cannot_be_withdrawn_says_why() -> None:
    """Another kind, or not in the base (13.2.3)."""
    match = position(
        "allied", 2, STOCK + '"1351" = ["AU 18/IBDE", "BR 23/IBDE", "BR 3/ABDE"]\n"1925" = ["AU 24/IBDE"]\n'
    )
    reasons = {piece: match.explain(NUMBER[piece]).reason for piece in ("BR 3/ABDE", "AU 24/IBDE")}
    assert reasons == {
        "BR 3/ABDE": "BR 3/ABDE cannot be withdrawn: not an Allied infantry unit",
        "AU 24/IBDE": "AU 24/IBDE cannot be withdrawn: not in the base",
    }
