"""The scripted player of Decision at Kasserine: it takes what it needs, bars the passes, and gives its reasons."""

from __future__ import annotations

from typing import Any

import pytest

from khamsin import games
from khamsin.games.kasserine import supply
from khamsin.games.kasserine.control import friendly
from khamsin.games.kasserine.strength import defence_strength
from khamsin.games.kasserine.units import ALLIED, ARMOURED, AXIS, BOARD, FORCES, GUNS, HQS, MOBILE, on_map, stacks
from khamsin.games.kasserine.zones import zone
from khamsin.kernel import KeyedDice, Match
from khamsin.players import Passive, Player, Random, Scripted, answer, play_out
from khamsin.players.kasserine.chances import force, outcomes, target
from khamsin.players.kasserine.goals import focus
from khamsin.players.kasserine.picture import Picture, main_way
from khamsin.players.kasserine.weights import USUAL, weights

RULES = games.load("kasserine")
LONGEST = 20_000


def begun(scenario: str, seed: int = 1) -> Match[Any]:
    return Match(RULES, scenario, dice=KeyedDice.seeded(seed))


def play_to(match: Match[Any], players: tuple[Player, Player], turn: int, phase: str) -> None:
    while match.decision is not None and (match.state.turn, match.phase.name) != (turn, phase):
        click = answer(match, players[match.decision.side])
        assert click in match.decision.legal
        match.click(click)


@pytest.mark.parametrize("opponent", [Passive(), Random(3)], ids=repr)
def test_it_wins_faid_pass_from_either_side(opponent: Player) -> None:
    for side in (AXIS, ALLIED):
        match, me = begun("faid"), Scripted(1)
        play_out(match, (me, opponent) if side == AXIS else (opponent, me), LONGEST)
        assert match.result is not None
        assert match.result.winner == side
        assert me.log


def test_it_takes_tebessa_and_four_other_places_when_rommel_s_plan_is_drawn() -> None:
    match = begun("decide", seed=1)
    play_out(match, (Scripted(1), Passive()), LONGEST)
    assert match.result is not None
    assert match.state.plan == 2
    assert match.result.winner == AXIS
    assert friendly(match.game, AXIS, BOARD["1016"])


def test_the_same_seed_plays_the_same_game() -> None:
    games_ = [begun("faid", seed=4) for _ in range(2)]
    for match in games_:
        play_out(match, (Scripted(4), Scripted(5)), LONGEST)
    assert games_[0].clicks == games_[1].clicks


def test_the_allies_keep_the_western_passes_and_sbiba_shut() -> None:
    match = begun("campaign")
    play_to(match, (Scripted(1), Scripted(2)), 2, "axis movement")
    g = match.game
    zones = zone(g, ALLIED)
    for start, goal in (("4420", "3119"), ("5713", "4109")):
        way = main_way(BOARD[start], BOARD[goal], rain=False)
        assert any(zones[hex] for hex in way)
    held = stacks(g, ALLIED)
    for place in ("3119", "4109"):
        assert sum(defence_strength(g, unit, False) for unit in held.get(BOARD[place], ())) >= 3


def test_in_the_campaign_the_axis_strikes_on_the_first_turn_and_stays_in_supply() -> None:
    match = begun("campaign")
    play_to(match, (Scripted(1), Passive()), 2, "axis movement")
    g = match.game
    assert any(friendly(g, AXIS, BOARD[hex]) for hex in ("5726", "5706"))
    armour = [unit for unit in FORCES[AXIS] if ARMOURED[unit] and on_map(g, unit)]
    assert sum(supply.supplied(g, unit) for unit in armour) >= 0.8 * len(armour)


def test_guns_and_headquarters_stay_out_of_enemy_zones() -> None:
    match = begun("campaign")
    play_to(match, (Scripted(1), Passive()), 3, "axis combat")
    g = match.game
    zones = zone(g, ALLIED)
    behind = [unit for unit in (*GUNS[AXIS], *HQS[AXIS]) if on_map(g, unit)]
    assert sum(zones[g.state.where[unit]] for unit in behind) <= len(behind) // 5


def test_the_axis_wants_the_pass_itself_at_faid() -> None:
    match = begun("faid")
    wanted = focus(Picture(match.game, AXIS), frozenset())
    assert BOARD["6324"] in wanted
    assert len(wanted) == 4


def test_the_chances_of_a_combat_are_those_of_the_table() -> None:
    results = outcomes(MOBILE, 6, 2, 0)
    assert sum(result.chance for result in results) == pytest.approx(1.0)
    table = RULES.tables["mobile"]
    column = table.odds(6, 2)
    gone = sum(chance for cell, chance in table.chances(column, 0).items() if "D" in str(cell) and "R" in str(cell))
    assert sum(result.chance for result in results if result.gone) == pytest.approx(float(gone))


def test_more_attackers_make_an_attack_worth_more() -> None:
    g = begun("faid").game
    goal = target(g, AXIS, BOARD["6324"], 8.0)
    near = stacks(g, AXIS)[BOARD["6424"]]
    one, everybody = force(g, goal, near[:1]), force(g, goal, near)
    assert one is not None
    assert everybody is not None
    worth = [how.worth for how in (one.case(weights(AXIS, USUAL)), everybody.case(weights(AXIS, USUAL))) if how]
    assert worth[1] > worth[0]
