"""What a side means to do in a turn."""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np

from khamsin.games.paa.units import BOARD, DISMOUNTED, HEXES, OOC, OOS
from khamsin.players.paa.country import POSITIONS, Field
from khamsin.players.paa.weights import Weights
from khamsin.players.scripted import Order

UNABLE = OOS | OOC | DISMOUNTED
"""What keeps a unit from moving and attacking."""


class Attack(NamedTuple):
    """An attack on hexes: who makes it, from where, and what it is worth."""

    targets: tuple[int, ...]
    places: dict[int, int]
    score: float
    differential: int
    depot: int | None
    """The installation to be given up for it."""

    @property
    def where(self) -> str:
        """The hexes by name."""
        return " and ".join(BOARD.name(hex) for hex in self.targets)


class Task(NamedTuple):
    """Where a unit should go, and why."""

    unit: int
    goal: int
    exact: bool
    """Whether it should stand in that very hex."""
    reason: str


class Plan:
    """What a side means to do in a turn, and how it thinks."""

    def __init__(self, side: int, turn: int, weigh: Weights, taste: Field, chance: random.Random) -> None:
        self.side = side
        self.enemy = 1 - side
        self.turn = turn
        self.weigh = weigh
        self.taste = taste
        """A slight liking for some hexes, different for every seed."""
        self.chance = chance
        self.step = 0
        self.orders: list[Order] = []
        self.tasks: list[Task] = []
        self.position = POSITIONS[0]
        self.strike: Field = np.zeros(HEXES)
        """What the enemy could bring against every hex."""
        self.fear = 1.0
        """How much the enemy's answer counts: less for a side that is stronger and can bear it."""
        self.barriers: dict[int, int] = {}
        """The hexes from which the enemy keeps units out of supply, with the CF that would be fed again without him."""
        self.settled: set[int] = set()
        """Units that have their place for this turn."""
        self.pinned: set[int] = set()
        """Installations that feed this turn's attacks, and so may not be moved (8.5)."""
        self.aims: dict[int, list[int]] = {}
        """The hexes each unit attacks."""
        self.spent: set[int] = set()
        """Installations to be given up for attacks that have been named."""
        self.raiders: set[int] = set()
        self.guards: list[int] = []
        """Units that bar the ways to the lines."""
        self.threats: dict[int, float] | None = None
        """What the enemy could cut off from which hexes, once it is known."""
        self.tried: set[tuple[int, ...]] = set()
