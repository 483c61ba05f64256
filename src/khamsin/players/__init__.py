"""Computer players. Like a person, a player gets the decision and its side's view, and clicks. One that plans may also
request the game as its side knows it: a copy whose dice cannot roll.

>>> player("random:7")
Random(7)
>>> player("clever")
Traceback (most recent call last):
...
ValueError: 'clever': no such player; there are random, passive, scripted, planner, easy, normal, hard
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, runtime_checkable

from khamsin.kernel.match import Match
from khamsin.kernel.registration import registrations
from khamsin.kernel.rules import Decision, Game
from khamsin.players.levels import LEVELS
from khamsin.players.planner import Planner
from khamsin.players.scripted import Scripted, Seen, View


class Player(Protocol):
    """Takes decisions: returns a legal click."""

    def choose(self, decision: Decision, names: tuple[str, ...], view: View, game: Seen) -> int:
        """Return one of `decision.legal`. `names` are the names of all clicks."""
        ...


@runtime_checkable
class Thinker(Player, Protocol):
    """A player that may think for long: it reports progress and can be told to stop."""

    progress: Callable[[float], None]
    stop: bool


@runtime_checkable
class Reasoning(Player, Protocol):
    """A player that logs its reasons, oldest first."""

    log: list[str]


class Random:
    """Makes a random legal click, all equally likely (`Decision.pick`). The same seed gives the same play."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self._random = random.Random(seed).random

    def __repr__(self) -> str:
        return f"Random({self.seed})"

    def choose(self, decision: Decision, names: tuple[str, ...], view: View, game: Seen) -> int:
        """Return a random legal click."""
        return decision.pick(self._random)


class Passive:
    """Does as little as the rules allow: ends, cancels and declines. If the rules force it, it begins with one click
    after another and completes it, preferring a location or a button to another unit."""

    WORDS = ("done", "no", "cancel", "default")

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self._begun = 0
        self._bound = False

    def __repr__(self) -> str:
        return f"Passive({self.seed})"

    def choose(self, decision: Decision, names: tuple[str, ...], view: View, game: Seen) -> int:
        """Return the button that does least, else a click to begin with, then the last click that completes it."""
        open_ = {names[click]: click for click in decision.legal}
        forced = self._bound and (not decision.top or decision.kind == "combat.attackers")
        word = next((word for word in self.WORDS if word in open_ and not (forced and word == "cancel")), None)
        self._bound = forced or (decision.top and word is None)
        if word is not None:
            return open_[word]
        others = [click for name, click in open_.items() if name not in self.WORDS and click not in decision.about]
        if not others:
            return open_.get("cancel", next(iter(decision.legal)))
        if forced:
            return others[-1]
        self._begun += 1
        return others[(self._begun - 1) % len(others)] if decision.top else others[0]


PLAYERS: dict[str, Callable[[int], Player]] = {
    "random": Random,
    "passive": Passive,
    "scripted": Scripted,
    "planner": Planner,
    **LEVELS,
}
ANY_GAME = ("random", "passive")
"""Players that work for every game."""


def player(text: str, seed: int = 0) -> Player:
    """Return a player by name, optionally with a seed: "random:7"."""
    name, _, number = text.partition(":")
    if name not in PLAYERS:
        raise ValueError(f"{name!r}: no such player; there are {', '.join(PLAYERS)}")
    if number and not number.isdecimal():
        raise ValueError(f"{text!r}: expected a seed after the colon, such as {name}:7")
    return PLAYERS[name](int(number) if number else seed)


def knows(text: str, game: str) -> bool:
    """Whether a player can play a game.

    >>> knows("hard", "paa"), knows("hard:7", "chess"), knows("random:7", "chess")
    (True, False, True)
    """
    name = text.partition(":")[0]
    return name in ANY_GAME or (name in PLAYERS and has_adapter(game))


def has_adapter(game: str) -> bool:
    """Whether the scripted players know a game."""
    stated = registrations().get(game)
    return stated is not None and stated.player != ""


def answer(match: Match[Any], who: Player) -> int:
    """Return a player's click for the current decision."""
    decision = match.decision
    if decision is None:
        raise ValueError("the game is over: there is no decision to take")
    side = decision.side
    return who.choose(decision, match.rules.names, lambda: match.view(side), lambda: match.game.seen_by(side))


def play_out(match: Match[Any], players: tuple[Player, ...], most: int = 1_000_000) -> None:
    """Play until the game is over."""
    names = match.rules.names
    asked = [
        (who.choose, partial(match.view, side), partial(_seen_by, match, side)) for side, who in enumerate(players)
    ]
    while (decision := match.decision) is not None:
        choose, view, game = asked[decision.side]
        match.click(choose(decision, names, view, game))
        if len(match.clicks) >= most:
            raise RuntimeError(f"{match.rules.id}: no end after {most} clicks")


def _seen_by(match: Match[Any], side: int) -> Game[Any]:
    return match.game.seen_by(side)
