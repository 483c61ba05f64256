"""The toy game at the moments that tests need, played by sides that want to fight."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from khamsin import games
from khamsin.kernel import KeyedDice, Match, Rules
from khamsin.kernel import position as positions
from tests.toy.skirmish import BOARD, CANCEL, DONE, FIRE, RULES, START, STAY, VILLAGE


def find(game: str) -> Rules[Any]:
    """Any game, the toy among them."""
    return RULES if game == RULES.id else games.load(game)


def snapshot(match: Match[Any]) -> tuple[Any, ...]:
    """All that a click may change, dice to come included."""
    game = match.game
    return (
        match.state.as_dict(), list(match.clicks), match.decision, list(match.events), list(game.rolls), game.dice.count,
        game.reveals, game.number, match.moves,
    )  # fmt: skip


def village(seed: int = 7, rules: Rules[Any] = RULES) -> Match[Any]:
    """The game at its first question."""
    return Match(rules, "village", dice=KeyedDice.seeded(seed))


def eager(match: Match[Any], chance: random.Random) -> int:
    """A click of a side that closes in on the village and fights whoever it meets."""
    assert match.decision is not None
    open_ = list(match.decision.legal)
    keen = [click for click in open_ if click not in (DONE, STAY, CANCEL)]
    if not keen or chance.random() < 0.05:
        return chance.choice(open_)
    if match.decision.kind == "combat.attackers" and FIRE in keen:
        return chance.choice([FIRE, *keen])
    hexes = [click for click in keen if not match.game.is_unit(click)]
    if match.decision.kind == "move.to" and hexes:
        return min(hexes, key=lambda click: BOARD.distance(match.game.location(click), VILLAGE) + 3 * chance.random())
    return chance.choice(keen)


def fought(seed: int, rules: Rules[Any] = RULES) -> Iterator[tuple[Match[Any], random.Random]]:
    """A whole game, one question at a time, the end included."""
    chance = random.Random(seed)
    match = village(seed, rules)
    while match.decision is not None:
        yield match, chance
        match.click(eager(match, chance))
    yield match, chance


def at_retreat(seed: int) -> Match[Any]:
    """A game stopped where a unit must retreat: inside a procedure, after a die has fallen."""
    for match, _ in fought(seed):
        if match.decision is not None and match.decision.kind == "combat.retreat":
            return match
    raise AssertionError(f"nobody retreats in game {seed}")


def finish(match: Match[Any], seed: int) -> None:
    """Play on to the end."""
    chance = random.Random(seed)
    while match.decision is not None:
        match.click(eager(match, chance))


def battle(seed: int = 1, phase: str = "red combat", turn: int = 2) -> Match[Any]:
    """Two tank units beside one militia of a known strength; everyone else is lost."""
    lost = ", ".join(f'"{name}"' for name in START if name not in ("T1", "T2", "M1"))
    units = f'"0407" = ["T1"]\n"0507" = ["T2"]\n"0408" = ["M1 [strength 4]"]\n"lost" = [{lost}]\n'
    head = f'game = "skirmish"\nscenario = "village"\nturn = {turn}\nphase = "{phase}"\nseed = {seed}\n[units]\n'
    return positions.read(head + units, find)
