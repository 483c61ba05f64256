"""Command and control (10)."""

from __future__ import annotations

import pytest

from khamsin import games
from khamsin.games.paa.control import set_up_control
from khamsin.games.paa.units import BOARD, COUNTERS, NUMBER, OOC, OOS, PaaState
from khamsin.kernel import Game, Match, ReplayDice, SeededDice

HEX_BY_HEX, ONE_ROLL = "roll per hex", "single roll"


def allied_turn(
    method: str, dice: tuple[int, ...], units: dict[str, list[str]], phase: str = "allied command"
) -> Match[PaaState]:
    """The Allied player turn from some phase on, with these dice to fall first."""
    rules = games.load("paa")
    scenario = rules.scenario("campaign")
    options = scenario.choose({"command": method})
    game: Game[PaaState] = Game(rules, scenario, options, rules.new_state(), ReplayDice(dice, SeededDice(1)))
    game.state.turn = 5
    game.state.phase = [phase.name for phase in rules.phases(game.state)].index(phase)
    set_up_control(game)
    for hex, names in units.items():
        for name in names:
            game.state.where[NUMBER[name]] = BOARD[hex]
    return Match.at(game)


def out_of_command(match: Match[PaaState]) -> set[str]:
    return {COUNTERS[u].name for u, flags in enumerate(match.state.flags) if flags & OOC}


TEN = {
    "1350": ["AU 18/IBDE"], "1351": ["AU 20/IBDE"], "1352": ["AU 24/IBDE"], "1343": ["AU 26/IBDE"], "1244": ["BR 16/IBDE"],
    "1245": ["BR 23/IBDE"], "1246": ["BR 14/IBDE"], "1247": ["SA 1/IBDE"], "1248": ["SA 2/IBDE"], "1249": ["SA 3/IBDE"],
}  # fmt: skip
"""One unit in a hex of every last digit."""


@pytest.mark.parametrize(("die", "digits"), [(1, "137"), (2, "248"), (3, "359"), (4, "460"), (5, "571"), (6, "602")])
def test_one_roll_strikes_three_last_digits(die: int, digits: str) -> None:
    """(10.1, Table 7)"""
    match = allied_turn(ONE_ROLL, (die,), TEN)
    struck = {BOARD.name(match.state.where[NUMBER[name]])[-1] for name in out_of_command(match)}
    assert struck == set(digits)
    assert len(match.game.rolls) == 1


@pytest.mark.parametrize(("die", "digits"), [(1, "17"), (2, "28"), (3, "39"), (4, "40"), (5, "5"), (6, "6")])
def test_a_roll_for_a_hex_strikes_it_by_its_last_digit(die: int, digits: str) -> None:
    """(10.2, Table 7)"""
    for hex, units in TEN.items():
        match = allied_turn(HEX_BY_HEX, (die,), {hex: units})
        assert bool(out_of_command(match)) == (hex[-1] in digits)


def test_every_occupied_hex_has_its_own_roll() -> None:
    """(10.2)"""
    match = allied_turn(HEX_BY_HEX, (1, 6, 2), {hex: TEN[hex] for hex in ("1247", "1351", "1352")})
    assert len(match.game.rolls) == 3
    assert out_of_command(match) == {"SA 1/IBDE", "AU 24/IBDE"}


def test_lorries_and_installations_lose_command_too() -> None:
    """(10, 10.2)"""
    pieces = ["AU 18/IBDE", "Allied lorry 1", "Allied depot 1"]
    match = allied_turn(HEX_BY_HEX, (1,), {"1351": pieces})
    assert out_of_command(match) == set(pieces)
    assert len(match.game.rolls) == 1


@pytest.mark.parametrize(("die", "struck"), [(5, "AU 18/IBDE AU 24/IBDE"), (1, "AU 18/IBDE"), (3, "AU 24/IBDE")])
def test_neither_tobruk_nor_the_base_is_exempt(die: int, struck: str) -> None:
    """(10)"""
    match = allied_turn(ONE_ROLL, (die,), {"1351": ["AU 18/IBDE"], "1925": ["AU 24/IBDE"]})
    assert " ".join(sorted(out_of_command(match))) == struck


def test_axis_pieces_never_lose_command() -> None:
    """(10)"""
    match = allied_turn(ONE_ROLL, (2,), {"0702": ["DE 5/1/ABN", "Axis depot 1"], "1352": ["AU 18/IBDE"]})
    assert out_of_command(match) == {"AU 18/IBDE"}


def test_a_unit_out_of_command_may_not_move() -> None:
    """(10.3)"""
    match = allied_turn(ONE_ROLL, (1,), {"1351": ["AU 18/IBDE"], "1352": ["AU 20/IBDE"]})
    assert match.phase.name == "allied movement"
    assert "AU 18/IBDE" not in match.names
    assert "AU 20/IBDE" in match.names


def test_command_returns_at_the_end_of_the_allied_turn() -> None:
    """(10.3)"""
    match = allied_turn(ONE_ROLL, (1,), {"1351": ["AU 18/IBDE"], "1352": ["AU 20/IBDE"]})
    while match.phase.name.startswith("allied"):
        assert out_of_command(match) == {"AU 18/IBDE"}
        match.play(["done"])
    assert not out_of_command(match)


def test_loss_of_command_and_loss_of_supply_are_independent() -> None:
    """(10.3)"""
    units = {"0921": ["AU 18/IBDE"], "1351": ["AU 20/IBDE"], "0922": ["AU 24/IBDE"], "1352": ["AU 26/IBDE"]}
    flags = allied_turn(ONE_ROLL, (1,), units, phase="allied supply").state.flags
    states = [flags[NUMBER[f"AU {number}/IBDE"]] & (OOS | OOC) for number in (18, 20, 24, 26)]
    assert states == [OOS | OOC, OOC, OOS, 0]
