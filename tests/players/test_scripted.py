"""The scripted player: it wins against players that do not think, advances in supply, and always does the same."""

from __future__ import annotations

import random
from typing import Any

import pytest

from khamsin import games
from khamsin.games.paa import differential, supply
from khamsin.games.paa.ground import OPEN_SIDES
from khamsin.games.paa.units import ALLIED, AXIS, BOARD, DEPOTS, EL_AGHEILA, GERMAN, POOL, REGULARS, TOBRUK, cf, on_map
from khamsin.kernel import KeyedDice, Match
from khamsin.players import Passive, Player, Random, Scripted, answer, play_out
from khamsin.players.paa import strategist
from khamsin.players.paa.chances import outcome
from khamsin.players.paa.country import MILE, NEAREST, way_to
from khamsin.players.paa.judgement import judge
from khamsin.players.paa.raids import cut_by

RULES = games.load("paa")


def campaign(seed: int) -> Match[Any]:
    return Match(RULES, "campaign", dice=KeyedDice.seeded(seed))


def play_to(match: Match[Any], players: tuple[Player, Player], turn: int, phase: str) -> None:
    while match.decision is not None and (match.state.turn, match.phase.name) != (turn, phase):
        click = answer(match, players[match.decision.side])
        assert click in match.decision.legal
        match.click(click)


@pytest.mark.parametrize("side", [AXIS, ALLIED])
@pytest.mark.parametrize("opponent", [Passive(), Random(3)], ids=repr)
def test_it_wins_a_whole_game_from_either_side(side: int, opponent: Player) -> None:
    match = campaign(5)
    me = Scripted(5)
    play_out(match, (me, opponent) if side == AXIS else (opponent, me))
    assert match.result is not None
    assert match.result.winner == side
    assert me.log


def test_on_turn_1_the_axis_leaves_el_agheila_with_its_installations_behind_it() -> None:
    match = campaign(1)
    play_to(match, (Scripted(1), Scripted(2)), 2, "allied movement")
    g = match.game
    where = g.state.where
    gone = [u for u in REGULARS[AXIS] if on_map(g, u) and way_to(EL_AGHEILA)[where[u]] >= 10]
    assert sum(cf(g, u) for u in gone) >= 15
    lines = supply.lines(g, AXIS)
    assert all(lines.reach(where[u]) for u in gone)
    carried = [d for d in DEPOTS[AXIS] if on_map(g, d) and MILE.get(where[d], 0) >= 8]
    assert len(carried) >= 2


def test_the_allies_garrison_tobruk_while_the_axis_comes() -> None:
    match = campaign(1)
    play_to(match, (Scripted(1), Scripted(2)), 3, "axis movement")
    g = match.game
    assert sum(g.state.where[u] == TOBRUK for u in REGULARS[ALLIED]) == 3


def test_the_same_seed_makes_the_same_clicks() -> None:
    clicks = []
    for _ in range(2):
        match = campaign(7)
        play_to(match, (Scripted(7), Scripted(8)), 4, "allied movement")
        clicks.append(match.clicks)
    assert clicks[0] == clicks[1]


def test_the_game_it_sees_is_a_copy_whose_dice_cannot_roll() -> None:
    match = campaign(1)
    seen = match.game.seen_by(AXIS)
    seen.state.where[0] = TOBRUK
    assert match.state.where[0] != TOBRUK
    with pytest.raises(NotImplementedError):
        seen.dice.roll("anything")


@pytest.mark.parametrize(("target", "attackers"), [("1608", 3), ("1006", 5), ("1925", 5)])
def test_its_odds_are_those_of_the_rules(target: str, attackers: int) -> None:
    g = campaign(1).game
    hex = BOARD[target]
    units, defending = list(REGULARS[AXIS][:attackers]), differential.defenders(g, [hex])
    for unit in units:
        g.state.where[unit] = OPEN_SIDES[hex][0]
    sheet = differential.attack(g, units, [hex], lambda unit: differential.MAXIMUM_SUPPLY)
    chances = differential.chances(g, units, defending, sheet)
    mine = outcome(
        max(sheet.differential, -1), tuple((cf(g, u), GERMAN[u]) for u in defending), tuple(cf(g, u) for u in units)
    )
    assert mine.theirs == pytest.approx(float(sum(theirs * chance for (theirs, _), chance in chances.items())))
    assert mine.ours == pytest.approx(float(sum(ours * chance for (_, ours), chance in chances.items())))


def test_a_position_is_better_for_who_holds_tobruk_and_worse_for_who_is_cut_off() -> None:
    g = campaign(1).game
    before = judge(g)
    g.state.control[TOBRUK] = AXIS
    held = judge(g)
    assert held > before
    for depot in DEPOTS[AXIS]:
        g.state.where[depot] = POOL[AXIS]
    assert judge(g) < held


def test_a_unit_on_the_road_behind_benghazi_cuts_off_all_beyond_it() -> None:
    g = campaign(1).game
    unit, hex = REGULARS[AXIS][0], BOARD["2210"]
    west = [u for u in REGULARS[ALLIED] if on_map(g, u) and NEAREST[g.state.where[u]] < MILE[hex]]
    cut, taken = cut_by(g, unit, hex)
    assert west
    assert cut == sum(cf(g, u) for u in west)
    assert not taken
    assert g.state.where[unit] != hex


def test_no_stance_is_for_tobruk_once_it_is_held() -> None:
    g = campaign(1).game
    allied, axis = (strategist(side, random.Random(1)) for side in (ALLIED, AXIS))
    assert "for Tobruk" in axis.stances(g)
    assert "for Tobruk" not in allied.stances(g)
