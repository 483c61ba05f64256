"""Shared parts of adapters: names, stacks, a cache, march costs, attacks of whole stacks, tables of decisions and
errands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from khamsin.kernel.board import NOWHERE, Board
from khamsin.kernel.flood import FAR
from khamsin.kernel.pieces import Memo
from khamsin.kernel.rules import Decision
from khamsin.mechanics import ways
from khamsin.mechanics.ways import Bar, Ground, Limit, Way
from khamsin.players.scripted import Order
from khamsin.players.staff.clicks import Answer
from khamsin.players.staff.goals import decided
from khamsin.players.staff.theatre import Combats, Costs, Mask, Theatre
from khamsin.players.staff.walls import wall

T = TypeVar("T")
WALL_NEAR, WALL_FAR, WALL_HELD = 12, 40, 2
"""The price of a wall hex that units can reach in a turn, that of another one, and the discount where units are."""
POSITIONS = 3
"""The number of positions for which values are cached."""
MOST_SPREAD = 1000
"""The most floods that are cached."""
MOST_ERRANDS = 120
"""The most errands of a phase."""


def sides_of(around: Sequence[Iterable[int]]) -> NDArray[np.int16]:
    """Return the neighbours of each hex as `Theatre.sides`.

    >>> sides_of([[1], [0, 2], [1]])[1].tolist()
    [0, 2, 3, 3, 3, 3]
    """
    found = np.full((len(around), 6), len(around), dtype=np.int16)
    for hex, near in enumerate(around):
        found[hex, : len(list(near))] = list(near)
    return found


def gather(units: Iterable[int], key: Callable[[int], Any]) -> list[tuple[int, ...]]:
    """Return units with the same key together, in their order.

    >>> gather([1, 2, 3], lambda unit: unit % 2)
    [(1, 3), (2,)]
    """
    found: dict[Any, list[int]] = {}
    for unit in units:
        found.setdefault(key(unit), []).append(unit)
    return [tuple(together) for together in found.values()]


def paths_back(ends: Iterable[int], came: Costs) -> list[int]:
    """Return the hexes of the paths to some hexes, by the hex from which a flood reached each.

    >>> paths_back([3, 4], np.array([-1, 0, 1, 1, 0], dtype=np.int16))
    [0, 1, 3, 4]
    """
    found: set[int] = set()
    for hex in ends:
        while hex != NOWHERE and hex not in found:
            found.add(hex)
            hex = int(came[hex])
    return sorted(found)


class Adapter(Theatre):
    """The base of an adapter. A game adds its map, its weights and tables, and its differences."""

    map: Board
    answers: Mapping[str, Answer] = {}
    """The functions for the game's own decisions, by kind of decision. A kind that ends with a dot matches all that
    begin so."""
    rounds: Sequence[Answer] = ()
    """The errands of a movement phase, in the order in which they are tried."""

    def __init__(self) -> None:
        self._known: dict[Any, dict[Any, Any]] = {}
        self._walled: tuple[Any, list[int]] = (None, [])
        self._spread: Memo[Costs] = Memo(MOST_SPREAD)
        self.near = [[hex for hex in row if hex < self.hexes] for row in self.sides.tolist()]

    def reads(self, g: Any) -> tuple[Any, ...]:
        """Return the versions on which `kept` values depend."""
        return (*g.state.where.versions, g.state.flags.version, g.scenario.name, g.state.turn, g.state.phase)

    def kept(self, g: Any, key: Any, compute: Callable[[], T]) -> T:
        """Return a value cached for the last positions, so that it is still known after a hypothesis."""
        now = self.reads(g)
        known = self._known.get(now)
        if known is None:
            if len(self._known) == POSITIONS:
                del self._known[next(iter(self._known))]
            known = self._known[now] = {}
        if key not in known:
            known[key] = compute()
        found: T = known[key]
        return found

    # The map

    def name(self, location: int) -> str:
        """Return the number of a hex, with the place in it."""
        place = self.map.place_in(location) if location < self.hexes else ""
        return f"{self.map.name(location)} ({place})" if place else self.map.name(location)

    def stacks(self, g: Any, side: int) -> dict[int, tuple[int, ...]]:
        """Return the combat units in each hex of the map."""
        return {hex: stack for hex, stack in g.state.where.stacks(side).items() if 0 <= hex < self.hexes}

    def from_enemy(self, g: Any, side: int, hex: int) -> int:
        """Return the hexes from a hex to the nearest enemy."""
        return int(self.distances(g, side)[hex])

    def distances(self, g: Any, side: int) -> NDArray[np.int16]:
        """Return the hexes from each hex to the nearest enemy."""

        def compute() -> NDArray[np.int16]:
            enemies = [self.map.distances(hex) for hex in self.stacks(g, 1 - side)]
            return np.min(enemies, axis=0) if enemies else np.full(self.hexes, self.hexes, dtype=np.int16)

        return self.kept(g, ("from enemy", side), compute)

    def spread(self, ground: Ground, start: int, points: int, bars: Sequence[Bar]) -> Costs:
        """Return the costs on a ground from a node, up to some points, past bars; cached while the bars are the same, also
        after moves that do not change them."""
        key = (ground, start, points, *bars)
        found = self._spread.get(key)
        if found is None:
            way = Way(ground, (start,), (Limit(points, "", ""), *bars))
            found = self._spread.keep(key, ways.reach(way).costs[: self.hexes])
        return found

    def wall(self, g: Any, side: int, kept: Sequence[int], closed: Collection[int]) -> list[int]:
        """Return the hexes that close all paths of the enemy to some hexes past closed ones. It prefers hexes where the
        side has units, can come and has cover; it is found once per phase."""
        key = (g.state.turn, g.state.phase, side, kept)
        if self._walled[0] != key:
            self._walled = key, self._wall(g, side, kept, closed) if kept else []
        return self._walled[1]

    def _wall(self, g: Any, side: int, kept: Sequence[int], closed: Collection[int]) -> list[int]:
        own, reached = self.stacks(g, side), np.zeros(self.hexes, dtype=bool)
        for unit in [unit for stack in own.values() for unit in stack if not self.figures(g, unit).is_support]:
            reached |= self.reach(g, side, (unit,), 1) != FAR
        prices = np.where(reached, WALL_NEAR, WALL_FAR) / self.cover(g, side)
        prices[list(own)] -= WALL_HELD
        return wall(self.sides, closed, self.stacks(g, 1 - side).keys(), kept, prices.round().astype(int).tolist())

    def nearness(self, g: Any, side: int, hex: int) -> tuple[int, int]:
        """Return how far a location is from the most valuable goal, for a choice of the least."""
        best = max(self.goals(g, side), key=lambda goal: goal.worth, default=None)
        return (self.map.distance(hex, best.hex) if best is not None and hex < self.hexes else self.hexes, hex)

    def towards(self, g: Any, side: int, unit: int, hex: int, among: Mask, only: bool = True) -> int | None:
        """Return a hex, or the one among some that a unit can reach from which it is nearest; among all if it reaches
        none of these, unless they are the only ones. None if it comes no nearer."""
        costs = self.costs(g, side, (unit,))
        if costs[hex] != FAR:
            return hex
        left, _ = self.march(g, side, unit, hex)
        able = (costs != FAR) & (left != FAR)
        reached = np.flatnonzero(able & among if only or (able & among).any() else able)
        best = int(reached[int(np.argmin(left[reached]))]) if len(reached) else None
        here = g.state.where[unit]
        return best if best is not None and (here >= self.hexes or left[best] < left[here]) else None

    def to_friends(self, g: Any, side: int, unit: int, hex: int) -> int | None:
        """Return the same, if possible a hex with units of the side."""
        friends = np.zeros(self.hexes, dtype=bool)
        friends[list(self.stacks(g, side))] = True
        return self.towards(g, side, unit, hex, friends, only=False)

    # Combat

    def pursuits(self, g: Any, side: int) -> Combats:
        """Return the attacks that units of a side can make while they advance after combat; by default like others."""
        return self.combats(g, side)

    def may_attack(self, g: Any, side: int, unit: int, hex: int) -> bool:
        """Whether a unit adjacent to a hex can attack it now; by default every unit can."""
        return True

    def support(self, g: Any, side: int) -> int:
        """Return the most support an attack may have; by default all."""
        return int(self.weights["support_per_attack"])

    def attackers(self, g: Any, side: int, hex: int) -> list[int]:
        """Return the units that can attack a hex now."""
        near = [unit for at in self.map.around(hex) for unit in g.state.where.stacks(side).get(at, ())]
        return sorted([unit for unit in near if self.may_attack(g, side, unit, hex)])

    def declare(self, g: Any, side: int, hex: int, units: Sequence[int]) -> tuple[int, ...]:
        """Return the clicks of a declaration: the target, the units to leave out, the button."""
        others = [unit for unit in self.attackers(g, side, hex) if unit not in units]
        return (g.place0 + hex, *others, g.rules.button("done"))

    def advance_hex(self, g: Any, side: int, decision: Decision) -> int | None:
        """Return the hex that was cleared last."""
        empty = [hex for hex in g.state.attacked if not g.state.where.stacks(1 - side).get(hex)]
        return empty[-1] if empty else None

    def can_follow(self, g: Any, unit: int) -> bool:
        """Whether a unit will probably advance too, if units advance one by one."""
        return True

    # The end of the game

    def left(self, g: Any) -> int:
        """Return the turns of a side after this one."""
        raise NotImplementedError

    def matter(self, g: Any, side: int) -> float:
        """Return how much units still matter: little in the last turn, and less than 1 in the one before it."""
        left = self.left(g)
        return 1.0 if left > 1 else self.weights["matter_late" if left else "matter_last"]

    def score(self, g: Any, side: int) -> float:
        """Return twice the result if the game is over, else the balance of the game."""
        over = decided(g, side)
        return self.standing(g, side) if over is None else 2.0 * over

    def standing(self, g: Any, side: int) -> float:
        """Return the balance of a running game for a side, about from -1 to 1."""
        raise NotImplementedError

    # Decisions of one game only

    def errands(self, g: Any, side: int, decision: Decision, staff: Any) -> Order | None:
        """Return the first errand that has something to do and can begin."""
        if staff.errands >= MOST_ERRANDS:
            return None
        staff.errands += 1
        orders = (one(g, side, decision, staff) for one in self.rounds)
        return next((order for order in orders if order is not None and order.clicks[0] in decision.legal), None)

    def answer(self, g: Any, side: int, decision: Decision, staff: Any) -> Order | None:
        """Return the order for a decision by the table."""
        found = self.answers.get(decision.kind) or self.answers.get(f"{decision.kind.rpartition('.')[0]}.")
        return found(g, side, decision, staff) if found else None
