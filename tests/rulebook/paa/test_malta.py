"""The invasion of Malta (9)."""

from __future__ import annotations

from typing import Any

import pytest

from khamsin import games
from khamsin.games.paa import malta
from khamsin.games.paa.units import BOARD, NUMBER
from khamsin.kernel import Game, KeyedDice, Match, ReplayDice, SeededDice
from khamsin.kernel import position as positions

HEAD = 'game = "paa"\nscenario = "campaign"\nphase = "axis supply"\n'
CONTROL = '[control]\naxis = ["0702"]\nallied = ["1351", "1925"]\n'
AXIS_UNITS = '"0702" = ["DE 5/1/ABN", "Axis depot 1"]\n'


def position(allied: str, turn: int = 15, state: str = "") -> Match[Any]:
    text = f"{HEAD}turn = {turn}\n[units]\n{AXIS_UNITS}{allied}\n{CONTROL}[state]\n{state}"
    return positions.read(text, games.load)


def invade(match: Match[Any], die: int) -> int:
    match.game.use(ReplayDice([die], SeededDice(1)))
    match.play(["yes"])
    return int(match.state.malta)


def campaign(answer: str, die: int = 1) -> Match[Any]:
    """The set-up of the campaign, with the Axis asked about Malta and answering."""
    rules = games.load("paa")
    scenario = rules.scenario("campaign")
    game = Game(rules, scenario, scenario.choose({}), rules.new_state(), KeyedDice.seeded(1))
    rules.set_up(game)
    game.state.turn = 15
    game.state.phase = [phase.name for phase in rules.phases(game.state)].index("axis supply")
    match = Match.at(game)
    game.use(ReplayDice([die], SeededDice(1)))
    match.play([answer])
    return match


def boxes(match: Match[Any], *units: str) -> set[str]:
    return {BOARD.name(match.state.where[NUMBER[unit]]) for unit in units}


IN_EGYPT = '"1531" = ["AU 20/IBDE"]\n"1440" = ["Allied depot 1"]'
IN_LIBYA = '"1530" = ["AU 20/IBDE"]\n"1925" = ["Allied lorry 1"]'


def test_the_axis_is_asked_in_its_supply_phase_of_turn_15() -> None:
    """(8, 9)"""
    assert position(IN_EGYPT).names == ["yes", "no"]


@pytest.mark.parametrize("turn", [14, 16])
def test_on_other_turns_the_axis_is_not_asked(turn: int) -> None:
    """(9)"""
    assert position(IN_EGYPT, turn).phase.name == "axis movement"


def test_once_decided_the_axis_is_not_asked_again() -> None:
    """(9)"""
    assert position(IN_EGYPT, state="malta = 1").phase.name == "axis movement"


@pytest.mark.parametrize("die", range(1, 7))
def test_without_allies_in_libya_it_succeeds_on_1_to_4(die: int) -> None:
    """(9, Table 6)"""
    assert invade(position(IN_EGYPT), die) == (malta.SUCCESS if die <= 4 else malta.FAILURE)


@pytest.mark.parametrize("die", range(1, 7))
def test_with_supplied_allies_in_libya_it_succeeds_on_1_and_2(die: int) -> None:
    """(9, Table 6)"""
    assert invade(position(IN_LIBYA), die) == (malta.SUCCESS if die <= 2 else malta.FAILURE)


def test_an_allied_unit_out_of_supply_does_not_count() -> None:
    """(8.4, 9)"""
    assert invade(position('"0910" = ["AU 20/IBDE"]'), 4) == malta.SUCCESS


def test_supply_is_judged_as_it_stands_not_as_it_was() -> None:
    """(8.4, 9)"""
    assert invade(position('"1530" = ["AU 20/IBDE [oos]"]'), 4) == malta.FAILURE


def test_dismounted_units_are_never_supplied_and_lorries_are_no_regular_units() -> None:
    """(9, 13.6)"""
    assert invade(position('"1925" = ["AU 20/IBDE [dismounted]", "Allied lorry 1"]'), 4) == malta.SUCCESS


def test_an_attempt_closes_the_border_for_that_turn_won_or_lost() -> None:
    """(9)"""
    for die in (1, 6):
        match = position(IN_EGYPT)
        assert not malta.border_closed(match.game)
        invade(match, die)
        assert malta.border_closed(match.game)
        match.state.turn = 16
        assert not malta.border_closed(match.game)


def test_no_attempt_leaves_the_border_open() -> None:
    """(9)"""
    match = position(IN_EGYPT)
    match.play(["no"])
    assert match.state.malta == malta.NO_ATTEMPT
    assert not malta.border_closed(match.game)
    assert not match.game.rolls


def test_without_an_attempt_every_option_stays_and_m_comes_as_scheduled() -> None:
    """(9, 13.5.2, Table 11)"""
    match = campaign("no")
    assert boxes(match, "IT 91/IREGT", "IT 125/IREGT", "IT 87/IREGT") == {"Option H", "Option J", "Option L"}
    assert boxes(match, "IT 186/IREGT", "IT 187/IREGT") == {"Axis OOB turn 16"}
    assert boxes(match, "DE RAM/1/IREGT", "DE RAM/2/IREGT") == {"Axis OOB turn 17"}


def test_after_success_l_is_out_and_m_comes_on_turn_18() -> None:
    """(9, 13.5.2, Table 11)"""
    match = campaign("yes", die=1)
    assert boxes(match, "IT 87/IREGT", "IT 88/IREGT") == {"Out of play"}
    assert boxes(match, "IT 91/IREGT", "IT 125/IREGT", "IT 35/IREGT") == {"Option H", "Option J", "Option K"}
    assert boxes(match, "IT 186/IREGT", "IT 187/IREGT", "DE RAM/1/IREGT", "DE RAM/2/IREGT") == {"Axis OOB turn 18"}


def test_after_failure_only_f_g_and_k_are_left_and_m_never_comes() -> None:
    """(9, 13.5.2, Table 11)"""
    match = campaign("yes", die=6)
    assert boxes(match, "IT 91/IREGT", "IT 125/IREGT", "IT 87/IREGT", "IT 186/IREGT", "DE RAM/1/IREGT") == {
        "Out of play"
    }
    assert boxes(match, "DE 28/AIREGT", "DE 47/IREGT", "IT 35/IREGT") == {"Option F", "Option G", "Option K"}


def test_allied_options_have_nothing_to_do_with_malta() -> None:
    """(9, 13.5.1)"""
    assert boxes(campaign("yes", die=6), "PL 1/IBDE", "US 66/AREGT") == {"Option B", "Option E"}
