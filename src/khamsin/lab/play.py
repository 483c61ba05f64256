"""Play one game of a study to its end and measure it."""

from __future__ import annotations

import base64
import zlib
from collections import Counter as Tally
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from khamsin import games
from khamsin.kernel import data
from khamsin.kernel.board import NOWHERE, Board
from khamsin.kernel.flood import FAR, NEVER, Network
from khamsin.kernel.match import Match
from khamsin.kernel.rules import Rules
from khamsin.lab.study import Study
from khamsin.players import answer, player

MAX_CLICKS = 500_000
"""Clicks after which a game is given up."""


@dataclass(frozen=True)
class GameResult:
    """The result of one game. It follows from the study and the number of the game."""

    number: int
    winner: str = ""
    """The winning side; empty for a draw."""
    level: str = ""
    reason: str = ""
    turns: int = 0
    clicks: int = 0
    rolls: int = 0
    first: int = 1
    """The number of the first turn."""
    lead: list[float] = field(default_factory=list)
    """The lead of the first side: after the set-up, then at the end of every turn from `first` on."""
    curves: Mapping[str, list[float]] = field(default_factory=dict)
    """Other numbers at the same times, by title."""
    left: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By side: how many units left the map, by the kind of box they went to."""
    battles: Mapping[str, int] = field(default_factory=dict)
    """By hex: how often it was fought for."""
    fell: Mapping[str, int] = field(default_factory=dict)
    """By hex: how many units left the map from there."""
    presence: Mapping[str, str] = field(default_factory=dict)
    """By side: units in each hex, summed over the turns (see `unpacked`)."""
    ground: str = ""
    """Turns in which a hex was nearer to a unit of the first side, less those of the second (see `unpacked`)."""
    state: str = ""
    """The digest of the final state."""
    error: str = ""
    """The error, if the game could not be finished; then nothing else counts."""

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as plain data, without empty fields."""
        return {name: value for name, value in asdict(self).items() if value or name == "number"}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> GameResult:
        """Make an outcome from plain data."""
        known = {column.name for column in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})


def prepare(study: Study) -> Rules[Any]:
    """Return the rules of a study with its changes applied. Check everything that can be checked before the first game.
    Changed parameters need a process that has not loaded the game yet."""
    data.change(study.game, study.changes)
    rules = games.load(study.game)
    if missed := data.unused():
        raise ValueError(f"{', '.join(missed)}: nothing in {rules.title} that a change could reach has this path")
    rules.scenario(study.scenario).choose(study.options)
    if len(study.players) != len(rules.sides):
        raise ValueError(f"{len(study.players)} players: {rules.title} has {len(rules.sides)} sides")
    for who in study.players:
        player(who)
    return rules


def begin(study: Study, number: int) -> Match[Any]:
    """Return a game of a study at its first decision."""
    return Match(games.load(study.game), study.scenario, study.options, study.dice(number))


def play(study: Study, number: int) -> GameResult:
    """Play a game of a study from set-up to result."""
    match = begin(study, number)
    seats = [player(who, study.player_seed(number, side)) for side, who in enumerate(study.players)]
    recorder = GameRecorder(match)
    while match.decision is not None:
        match.click(answer(match, seats[match.decision.side]))
        recorder.look()
        if len(match.clicks) >= MAX_CLICKS:
            raise RuntimeError(f"no end after {MAX_CLICKS} clicks")
    return recorder.outcome(number)


class GameRecorder:
    """Counts events of a game while it is played. `look` is cheap: it counts only when a phase has ended."""

    def __init__(self, match: Match[Any]) -> None:
        self.match = match
        self.rules = match.rules
        self.sides = range(len(self.rules.sides))
        self.of_side = np.array([counter.side for counter in self.rules.counters])
        self.size = self.rules.board.size
        self.turn, self.phase = match.state.turn, match.state.phase
        self.before = np.array(match.state.where)
        self.begun = self.before
        self.first = self.turn
        self.lead: list[float] = []
        self.curves: dict[str, list[float]] = {}
        self.left: list[Tally[str]] = [Tally() for _ in self.sides]
        self.fell: Tally[int] = Tally()
        self.presence = np.zeros((len(self.sides), self.size), dtype=np.int32)
        self.ground = np.zeros(self.size, dtype=np.int32)
        self.sample()

    def look(self) -> None:
        """Call after each click: counts what a finished phase or turn has changed."""
        state = self.match.game.state
        if state.phase != self.phase or state.turn != self.turn or state.result is not None:
            self.phase_over()
            if state.turn != self.turn or state.result is not None:
                self.turn_over()
            self.turn, self.phase = state.turn, state.phase

    def phase_over(self) -> None:
        """Count the units that have left the map."""
        after = np.array(self.match.state.where)
        gone = (self.before >= 0) & (self.before < self.size) & ((after < 0) | (after >= self.size))
        boxes, size = self.rules.board.boxes, self.size
        for unit in np.flatnonzero(gone):
            to = int(after[unit])
            self.left[self.of_side[unit]][boxes[to - size].kind if to >= size else "out of the game"] += 1
            self.fell[int(self.before[unit])] += 1
        self.before = after

    def turn_over(self) -> None:
        """Sample the curves and unit locations at the end of a turn. Turn 0 is the set-up and only gives the start values."""
        if self.turn == 0:
            self.first, self.begun, self.lead, self.curves = 1, self.before, [], {}
            self.sample()
            return
        self.sample()
        near = []
        for side in self.sides:
            places = self.places(side)
            np.add.at(self.presence[side], places, 1)
            near.append(nearest(self.rules.board, places))
        if len(near) == 2:
            self.ground += np.sign(near[1].astype(np.int32) - near[0].astype(np.int32))

    def places(self, side: int) -> NDArray[np.int64]:
        """Return the hexes of a side's units."""
        where = self.before[self.of_side == side]
        return np.asarray(where[(where >= 0) & (where < self.size)])

    def sample(self) -> None:
        """Append a value to every curve."""
        game, rules = self.match.game, self.rules
        values = {f"{name} units on the map": float(len(self.places(side))) for side, name in enumerate(rules.sides)}
        holders = [objective.holder for objective in rules.display.objectives(game, 0)]
        if holders:
            values |= {f"{name} objectives": float(holders.count(side)) for side, name in enumerate(rules.sides)}
        values |= rules.metrics.curves(game)
        for title, value in values.items():
            self.curves.setdefault(title, []).append(value)
        self.lead.append(self.kept() if rules.metrics.lead is None else float(rules.metrics.lead(game)))

    def kept(self) -> float:
        """Return the share of initial units on the map that the first side has kept, minus that of the second."""
        on_map = [self.begun[self.of_side == side] for side in self.sides]
        first = [max(1, int(((where >= 0) & (where < self.size)).sum())) for where in on_map]
        return round(len(self.places(0)) / first[0] - len(self.places(1)) / first[1], 4)

    def outcome(self, number: int) -> GameResult:
        """Return the result of a finished game."""
        match, rules = self.match, self.rules
        result, board = match.result, rules.board
        assert result is not None
        hexes = (rules.metrics.battle(event) for event in match.events)
        battles = Tally(hex for hex in hexes if 0 <= hex < self.size)
        return GameResult(
            number,
            "" if result.winner == NOWHERE else rules.sides[result.winner],
            result.level,
            result.reason,
            match.state.turn,
            len(match.clicks),
            len(match.game.rolls),
            self.first,
            self.lead,
            self.curves,
            {name: dict(sorted(self.left[side].items())) for side, name in enumerate(rules.sides)},
            {board.name(hex): count for hex, count in sorted(battles.items())},
            {board.name(hex): count for hex, count in sorted(self.fell.items())},
            {name: packed(self.presence[side]) for side, name in enumerate(rules.sides)},
            packed(self.ground),
            match.state.digest(),
        )


def nearest(board: Board, places: NDArray[np.int64]) -> NDArray[np.int16]:
    """Return for each hex the steps over enterable ground to the nearest of these hexes."""
    if not len(places):
        return np.full(board.size, FAR, dtype=np.int16)
    return _steps(board).spread(places.astype(np.uint16), FAR - NEVER)[0]


@cache
def _steps(board: Board) -> Network:
    return Network.of(board, lambda here, direction, there: 1 if board.enterable(there) else NEVER)


def packed(values: NDArray[np.int32]) -> str:
    """Return small integers, one per hex, as a short text."""
    return base64.b64encode(zlib.compress(values.astype("<i2").tobytes(), 6)).decode()


def unpacked(text: str) -> NDArray[np.int64]:
    """Return the integers of a packed text.

    >>> unpacked(packed(np.array([0, -3, 700], dtype=np.int32)))
    array([  0,  -3, 700])
    """
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype="<i2").astype(np.int64)
