"""Optional reinforcements (13.5)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from khamsin import games
from khamsin.games.paa import options, setup
from khamsin.games.paa.units import AXIS, BOARD, CF, COUNTERS, NUMBER
from khamsin.kernel import Match
from khamsin.kernel import position as positions

HELD = 'axis = ["0702"]\nallied = ["1351", "1925"]'
NO_ATTEMPT, SUCCESS, FAILURE = 1, 2, 3


def box(letter: str) -> str:
    names = ", ".join(f'"{COUNTERS[unit].name}"' for unit in setup.OPTION_UNITS[letter])
    return f'"Option {letter}" = [{names}]\n'


def position(side: str, turn: int, letters: Iterable[str], units: str = "", malta: int = 0) -> Match[Any]:
    boxes = "".join(box(letter) for letter in letters)
    text = (
        f'game = "paa"\nscenario = "campaign"\nturn = {turn}\nphase = "{side} reinforcement"\n[units]\n{boxes}{units}\n'
    )
    stock = '"Axis OOB" = ["Axis depot 6"]\n"Allied OOB" = ["Allied depot 9"]\n'
    return positions.read(f"{text}{stock}[control]\n{HELD}\n[state]\nmalta = {malta}", games.load)


def letters(match: Match[Any]) -> str:
    return "".join(name[-1] for name in match.names if name.startswith("option "))


def at(match: Match[Any], piece: str) -> str:
    return BOARD.name(match.state.where[NUMBER[piece]])


INDIANS = '"1351" = ["IN 5/IBDE", "IN 7/IBDE [plus 1]"]\n"1250" = ["IN 11/IBDE", "SA 1/IBDE"]\n'


@pytest.mark.parametrize(
    ("turn", "open_now"), [(4, ""), (9, ""), (13, "B"), (14, "D"), (15, "BCD"), (17, "DE"), (19, "D"), (20, "D")]
)
def test_allied_options_have_their_turns(turn: int, open_now: str) -> None:
    """(13.5.1)"""
    assert letters(position("allied", turn, "ABCDE", INDIANS)) == open_now


def test_option_a_is_for_turn_8_only() -> None:
    """(13.5.1)"""
    match = position("allied", 8, "ABCDE", INDIANS)
    match.play(["SA 1/IBDE"])  # the withdrawal of that turn
    assert letters(match) == "A"


def test_the_units_of_an_option_arrive_this_turn() -> None:
    """(13.5, 13.1)"""
    match = position("allied", 15, "BC")
    match.play(["option C", "1352"])
    assert at(match, "BE 1/IBDE") == "1352"
    assert match.state.taken == {"C": 15}


def test_several_units_of_an_option_are_placed_one_by_one_and_must_be() -> None:
    """(13.5)"""
    match = position("allied", 17, "E")
    match.play(["option E"])
    assert set(match.names) - {"default", "adjust"} == {"US 66/AREGT", "US 67/AREGT", "US 41/AIREGT"}


def test_an_option_is_voluntary_and_passes_with_its_last_turn() -> None:
    """(13.5)"""
    match = position("allied", 17, "DE", INDIANS)
    match.play(["done"])
    assert {at(match, name) for name in ("US 66/AREGT", "US 67/AREGT", "US 41/AIREGT")} == {"Out of play"}
    assert at(match, "BR 13/IBDE") == "Option D"
    assert not match.state.taken


def test_option_b_refused_on_turn_13_may_still_be_taken_on_turn_15() -> None:
    """(13.5.1)"""
    match = position("allied", 13, "B")
    match.play(["done"])
    assert at(match, "PL 1/IBDE") == "Option B"


@pytest.mark.parametrize(("taken", "others"), [("B", "CD"), ("C", "BD"), ("D", "BC")])
def test_of_b_c_and_d_only_one_is_ever_taken(taken: str, others: str) -> None:
    """(13.5.1)"""
    match = position("allied", 15, "BCD", INDIANS)
    match.play([f"option {taken}"])
    assert not set(letters(match)) & set(others)
    for letter in others:
        assert {match.state.where[unit] for unit in setup.OPTION_UNITS[letter]} == {BOARD["Out of play"]}


def test_option_d_costs_two_indian_brigades_of_the_base() -> None:
    """(13.5.1, 13.2.3)"""
    match = position("allied", 14, "D", INDIANS)
    match.play(["option D"])
    assert set(match.names) == {"IN 5/IBDE", "IN 7/IBDE", "IN 11/IBDE"}
    match.play(["IN 7/IBDE", "IN 11/IBDE"])
    assert at(match, "IN 7/IBDE") == at(match, "IN 11/IBDE") == "Allied withdrawn"
    assert match.state.plus[NUMBER["IN 7/IBDE"]] == 0
    assert set(match.names) - {"default", "adjust"} == {"BR 13/IBDE", "BR 15/IBDE", "BR 17/IBDE"}


@pytest.mark.parametrize(
    "units",
    [
        '"1351" = ["IN 5/IBDE", "SA 1/IBDE"]\n"1440" = ["IN 7/IBDE"]',
        '"1351" = ["IN 5/IBDE"]\n"Allied Cadre" = ["IN 7/IBDE"]',
        '"1351" = ["IN 5/IBDE"]\n"1352" = ["IN 9/IBDE [reinforced]"]',
    ],
)
def test_without_two_indian_brigades_in_the_base_option_d_is_closed(units: str) -> None:
    """On the map elsewhere, eliminated, or arrived only in this phase does not do (13.5.1, 13.2.3)."""
    assert letters(position("allied", 14, "D", units)) == ""


@pytest.mark.parametrize(
    ("malta", "open_now"), [(NO_ATTEMPT, "FGHJKL"), (SUCCESS, "FGHJK"), (FAILURE, "FGK"), (0, "FGHJKL")]
)
def test_axis_options_depend_on_malta(malta: int, open_now: str) -> None:
    """(13.5.2, Table 11)"""
    assert letters(position("axis", 16, "FGHJKL", malta=malta)) == open_now


@pytest.mark.parametrize("turn", [8, 14, 15])
def test_axis_options_do_not_open_before_turn_16(turn: int) -> None:
    """(13.5.2)"""
    assert letters(position("axis", turn, "FGHJKL", malta=NO_ATTEMPT)) == ""


@pytest.mark.parametrize(("taken", "left"), [("F", "HJKL"), ("G", "HJKL"), ("H", "FG"), ("L", "FG")])
def test_without_an_attempt_one_of_f_g_and_one_of_h_j_k_l_may_be_taken(taken: str, left: str) -> None:
    """(13.5.2, Table 11)"""
    match = position("axis", 16, "FGHJKL", malta=NO_ATTEMPT)
    match.play([f"option {taken}"])
    assert letters(match) == left


def test_after_a_failure_one_of_f_g_k_is_all() -> None:
    """(13.5.2, Table 11)"""
    match = position("axis", 16, "FGK", malta=FAILURE)
    match.play(["option K"])
    assert letters(match) == ""
    assert at(match, "DE 28/AIREGT") == at(match, "DE 47/IREGT") == "Out of play"


def test_after_success_all_are_open_but_two_a_turn() -> None:
    """(13.5.2, Table 11)"""
    match = position("axis", 16, "FGHJK", malta=SUCCESS)
    match.play(["option F", "option G"])
    assert letters(match) == ""
    assert match.state.taken == {"F": 16, "G": 16}
    match.state.turn = 17
    assert options.available(match.game, AXIS) == ["H", "J", "K"]


def test_m_is_no_choice() -> None:
    """(13.5.2)"""
    assert "option M" not in games.load("paa").buttons
    match = position("axis", 16, "FM", '"Axis OOB turn 16" = ["Axis lorry 1"]', malta=NO_ATTEMPT)
    assert letters(match) == "F"


def test_m_arrives_like_any_reinforcement_once_it_is_due() -> None:
    """(13.5.2)"""
    match = position("axis", 18, "", '"Axis OOB turn 18" = ["DE RAM/1/IREGT", "IT 186/IREGT"]', malta=SUCCESS)
    match.play(["IT 186/IREGT", "0702", "0703"])
    assert at(match, "DE RAM/1/IREGT") == "0703"
    assert not match.state.taken


def test_option_f_brings_the_12_cf_of_the_rulebook() -> None:
    """(13.5.3, example 13.5.3)"""
    units = {COUNTERS[unit].name: CF[unit] for unit in setup.OPTION_UNITS["F"]}
    assert units == {"DE 10/1/ABN": 3, "DE 10/2/ABN": 3, "DE 8/ARECBN": 2, "DE 28/AIREGT": 4}


def test_options_c_and_e_bring_2_and_11_cf() -> None:
    """(14.1, example 14.1a)"""
    assert [sum(CF[unit] for unit in setup.OPTION_UNITS[letter]) for letter in "CE"] == [2, 11]


def test_a_side_is_never_offered_the_options_of_the_other() -> None:
    """(13.5)"""
    assert letters(position("axis", 17, "EF")) == "F"
    assert letters(position("allied", 17, "EF")) == "E"
    assert (tuple("FGHJKL"), tuple("ABCDE")) == options.LETTERS


def test_an_option_that_cannot_be_taken_says_why() -> None:
    """Its turn, one that excludes it, the Indian brigades, Malta, two in a turn (13.5.1, 13.5.2)."""

    def reason(match: Match[Any], letter: str) -> str:
        return match.explain(match.rules.parse(f"option {letter}")).reason

    match = position("allied", 15, "ABCD")
    assert reason(match, "A") == "Option A can be taken until turn 8 only"
    assert reason(match, "D") == "Option D cannot be taken: needs 2 Indian infantry brigades in the base, 0 are there"
    assert reason(match, "F") == "Option F is not yours"
    match.play(["option B", "1351"])
    assert reason(match, "C") == "Option C can no longer be taken"
    match = position("axis", 16, "FGHJK", malta=FAILURE)
    assert reason(match, "H") == "Option H cannot be taken after failure at Malta"
    assert "option H" in [match.rules.names[button] for button in match.blocked()]
