"""Victory (14)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from khamsin import games
from khamsin.games.paa import victory
from khamsin.games.paa.units import ALLIED, AXIS, NUMBER, TOBRUK
from khamsin.kernel import NOWHERE, Match
from khamsin.kernel import position as positions

HEAD = 'game = "paa"\nscenario = "campaign"\n'
HELD = 'axis = ["0702"]\nallied = ["1351", "1925"]'
AXIS_10 = '"0702" = ["DE 104/IREGT", "DE 115/IREGT", "IT 19/IREGT", "Axis depot 1"]\n'


def position(
    units: str, phase: str = "axis end of turn", turn: int = 20, control: str = HELD, state: str = ""
) -> Match[Any]:
    text = f'{HEAD}turn = {turn}\nphase = "{phase}"\n[units]\n{units}\n[control]\n{control}\n[state]\n{state}\n'
    return positions.read(text, games.load)


def allies(cf: int) -> str:
    """Allied units of so many CF in the base, three a hex."""
    infantry = (
        "AU 18", "AU 20", "AU 24", "AU 26", "BR 16", "BR 23", "BR 14", "SA 1", "SA 2", "SA 3", "SA 4", "SA 5", "NZ 4", "NZ 5",
        "NZ 6",
    )  # fmt: skip
    names = [f'"{name}/IBDE"' for name in infantry[: cf // 2]]
    hexes = ("1351", "1352", "1250", "1251", "1451")
    return "".join(f'"{hex}" = [{", ".join(names[i * 3 : i * 3 + 3])}]\n' for i, hex in enumerate(hexes))


BOTH, ALEXANDRIA_ONLY, NEITHER = (ALLIED, ALLIED), (ALLIED, AXIS), (AXIS, AXIS)
EL_AGHEILA_ONLY = (AXIS, ALLIED)


@pytest.mark.parametrize(
    ("ratio", "bases", "result"),
    [
        ("5", ALEXANDRIA_ONLY, "Allied decisive"),
        ("9", BOTH, "Allied decisive"),
        ("5", NEITHER, "draw"),
        ("49/10", BOTH, "Allied decisive"),
        ("49/10", ALEXANDRIA_ONLY, "Allied substantive"),
        ("3", BOTH, "Allied decisive"),
        ("3", ALEXANDRIA_ONLY, "Allied substantive"),
        ("29/10", BOTH, "Allied substantive"),
        ("29/10", ALEXANDRIA_ONLY, "Allied marginal"),
        ("21/10", ALEXANDRIA_ONLY, "Allied marginal"),
        ("29/10", EL_AGHEILA_ONLY, "draw"),
        ("2", ALEXANDRIA_ONLY, "Axis marginal"),
        ("2", EL_AGHEILA_ONLY, "Axis marginal"),
        ("2", NEITHER, "Axis marginal"),
        ("2", BOTH, "draw"),
        ("11/10", ALEXANDRIA_ONLY, "Axis marginal"),
        ("11/10", BOTH, "draw"),
        ("1", ALEXANDRIA_ONLY, "Axis substantive"),
        ("1", EL_AGHEILA_ONLY, "Axis substantive"),
        ("1", NEITHER, "Axis decisive"),
        ("0", NEITHER, "Axis decisive"),
        ("1", BOTH, "draw"),
        ("-1", BOTH, "draw"),
    ],
)
def test_ratio_and_bases_give_the_level(ratio: str, bases: tuple[int, int], result: str) -> None:
    """(14.1, Table 12)"""
    assert victory.level(Fraction(ratio), *bases) == result


def test_a_marginal_axis_victory_becomes_a_draw_if_the_allies_held_tobruk() -> None:
    """(14.1, example 14.1c)"""
    assert victory.level(Fraction(3, 2), *ALEXANDRIA_ONLY) == "Axis marginal"
    assert victory.level(Fraction(3, 2), *ALEXANDRIA_ONLY, tobruk=ALLIED) == "draw"


def test_a_substantive_allied_victory_becomes_marginal_if_the_axis_held_tobruk() -> None:
    """(14.1, example 14.1d)"""
    assert victory.level(Fraction(4), *ALEXANDRIA_ONLY) == "Allied substantive"
    assert victory.level(Fraction(4), *ALEXANDRIA_ONLY, tobruk=AXIS) == "Allied marginal"


def test_tobruk_turns_a_draw_into_a_marginal_victory_and_cannot_better_a_decisive_one() -> None:
    """(14.1)"""
    assert victory.level(Fraction(1), *BOTH, tobruk=AXIS) == "Axis marginal"
    assert victory.level(Fraction(1), *BOTH, tobruk=ALLIED) == "Allied marginal"
    assert victory.level(Fraction(1), *NEITHER, tobruk=AXIS) == "Axis decisive"
    assert victory.level(Fraction(9), *BOTH, tobruk=ALLIED) == "Allied decisive"


def test_a_draw_when_the_axis_is_stronger_but_holds_no_base() -> None:
    """(14.1, example 14.1b)"""
    assert victory.level(Fraction(1, 2), *BOTH) == "draw"


def test_a_draw_when_the_allies_are_stronger_but_the_axis_holds_alexandria() -> None:
    """(14.1, example 14.1b)"""
    assert victory.level(Fraction(5, 2), *EL_AGHEILA_ONLY) == "draw"


def test_options_cost_one_and_a_half_times_their_cf_rounded_up() -> None:
    """Options C and E brought 2 and 11 CF (13.5.3, 14.1, example 14.1a)."""
    match = position(allies(30), phase="axis movement")
    match.state.taken.update({"C": 15, "E": 17})
    assert victory.penalty(match.game, ALLIED) == 20
    assert victory.penalty(match.game, AXIS) == 0
    assert victory.score(match.game) == (0, 10)


def test_option_f_costs_18() -> None:
    """12 CF once and a half (13.5.3, example 13.5.3)."""
    match = position(AXIS_10, phase="axis movement")
    match.state.taken["F"] = 16
    assert victory.penalty(match.game, AXIS) == 18


def test_only_supplied_units_on_the_map_count_with_their_reinforcement() -> None:
    """(14.1)"""
    units = (
        '"0702" = ["DE 104/IREGT", "DE 5/1/ABN [dismounted]", "Axis depot 1", "Axis lorry 1"]\n"1720" = ["DE 115/IREGT"]\n'
        '"1351" = ["BR 7/ABDE [plus 2]", "Allied lorry 1"]\n"Axis Cadre" = ["DE 8/1/ABN"]\n"Allied OOB turn 18" = ["BR 9/ABDE"]'
    )
    assert victory.score(position(units, phase="axis movement").game) == (4, 5)


def test_strength_against_nothing_counts_as_the_best_ratio() -> None:
    """(14.1)"""
    assert victory.ratio(1, 0) == victory.ratio(30, -4) == 5
    assert victory.ratio(0, 0) == victory.ratio(-2, -5) == 1
    assert victory.ratio(-3, 10) == Fraction(-3, 10)


def test_the_game_ends_after_the_axis_turn_of_turn_20() -> None:
    """(7, 14)"""
    match = position(AXIS_10 + allies(30))
    assert match.result is not None
    assert match.result[:2] == (ALLIED, "substantive")
    assert "30 Allied CF to 10 Axis CF" in match.result.reason


def test_the_game_goes_on_after_the_allied_turn_of_turn_20_and_the_axis_turn_of_turn_19() -> None:
    """(14)"""
    assert not position(AXIS_10 + allies(30), phase="allied end of turn").over
    assert not position(AXIS_10 + allies(30), turn=19).over


def test_axis_control_of_alexandria_at_the_end_of_its_turn_ends_the_game() -> None:
    """(14)"""
    units = '"1351" = ["DE 104/IREGT"]\n"1352" = ["Axis depot 1"]\n"1925" = ["AU 18/IBDE"]'
    match = position(units, turn=6, control='axis = ["0702", "1351"]\nallied = ["1925"]')
    assert match.result is not None
    assert match.result[:2] == (AXIS, "decisive")


def test_at_the_end_of_the_allied_turn_it_does_not() -> None:
    """(14)"""
    units = AXIS_10 + '"1925" = ["AU 18/IBDE"]'
    control = 'axis = ["0702", "1351"]\nallied = ["1925"]'
    assert not position(units, phase="allied end of turn", turn=6, control=control).over


def test_a_game_that_nobody_has_won_is_a_draw() -> None:
    """(14.1)"""
    axis = AXIS_10.replace("0702", "1925")
    match = position(axis + allies(10), control='axis = ["1925"]\nallied = ["0702", "1351"]')
    assert match.result is not None
    assert match.result.winner == NOWHERE
    assert "10 Allied CF to 10 Axis CF" in match.result.reason


def test_tobruk_is_counted_at_the_end_of_every_player_turn() -> None:
    """(14.1)"""
    match = position(AXIS_10 + allies(2), phase="allied end of turn", turn=3, state="tobruk_run = 4\ntobruk_allied = 4")
    assert (match.state.tobruk_run, match.state.tobruk_allied) == (5, 5)


def test_only_turns_in_a_row_count_for_tobruk_and_they_need_not_be_the_last() -> None:
    """(14.1)"""
    match = position(AXIS_10 + allies(2), turn=3, state="tobruk_run = 20\ntobruk_allied = 20")
    game = match.game
    game.state.control[TOBRUK] = AXIS
    victory.count_tobruk(game)
    assert (game.state.tobruk_run, game.state.tobruk_axis, game.state.tobruk_allied) == (-1, 1, 21)
    victory.count_tobruk(game)
    game.state.control[TOBRUK] = ALLIED
    victory.count_tobruk(game)
    assert (game.state.tobruk_run, game.state.tobruk_axis, game.state.tobruk_allied) == (1, 2, 21)


@pytest.mark.parametrize(("turns", "level"), [(20, "substantive"), (19, "marginal")])
def test_twenty_one_turns_in_tobruk_promote_the_victory(turns: int, level: str) -> None:
    """20 turns counted and the last one make 21 (14.1)."""
    match = position(AXIS_10 + allies(22), state=f"tobruk_run = {turns}\ntobruk_allied = {turns}")
    assert match.result is not None
    assert match.result[:2] == (ALLIED, level)


def test_the_sides_may_play_without_that_promotion() -> None:
    """(14.1)"""
    match = position(AXIS_10 + allies(22), phase="axis movement", state="tobruk_allied = 30")
    assert victory.held_tobruk(match.game) == ALLIED
    match.game.options = {**match.game.options, "tobruk": "no promotion"}
    assert victory.held_tobruk(match.game) is None


def test_a_game_cut_short_knows_no_promotion() -> None:
    """(14.1)"""
    units = '"1351" = ["DE 104/IREGT"]\n"1352" = ["Axis depot 1"]\n"1925" = ["AU 18/IBDE"]'
    control = 'axis = ["1351"]\nallied = ["1925", "0702"]'
    match = position(units, turn=19, control=control, state="tobruk_run = 30\ntobruk_allied = 30")
    assert match.result is not None
    assert match.result[:2] == (AXIS, "substantive")


def test_the_marks_of_a_player_turn_go_at_its_end() -> None:
    """(7.1, 10.3)"""
    units = AXIS_10 + '"1351" = ["AU 18/IBDE [moved, stopped, shipped, reinforced, ooc, oos, spent 7, via 1]"]'
    match = position(units, phase="allied end of turn", turn=4)
    unit = NUMBER["AU 18/IBDE"]
    assert [flag for flag in match.rules.flags if match.game.has(unit, flag)] in ([], ["oos"])
    assert (match.state.spent[unit], match.state.via[unit], match.state.port) == (0, 0, {})


def test_lost_command_does_not_return_at_the_end_of_the_axis_turn() -> None:
    """(10.3)"""
    match = position(AXIS_10 + '"1440" = ["AU 18/IBDE [ooc]"]', turn=4)
    assert match.phase.name == "allied movement"
    assert match.game.has(NUMBER["AU 18/IBDE"], "ooc")
