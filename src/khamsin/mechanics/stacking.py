"""Stacking: the limit of a location at the end of a phase, and whether an over-full location can still be left."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.cache import CHECK_EVERY
from khamsin.kernel.pieces import Memo
from khamsin.kernel.rules import Refusal
from khamsin.mechanics.ways import End


class Stacking:
    """One limit on stacks: points per unit, and the most points per location. Units of 0 points do not count.

    >>> from types import SimpleNamespace
    >>> from khamsin.kernel.pieces import UnitLocations
    >>> two = Stacking([1, 1, 2], [2, 2, 1], "4", "units")
    >>> g = SimpleNamespace(state=SimpleNamespace(where=UnitLocations([0, 0, 1])))
    >>> two.used(g, 0), two.room(g, 0, 2), two.overfull(g, 0)
    ({0: 2, 1: 2}, 1, [])
    >>> two.is_full(g, 0, 0, 1, can_leave=lambda unit: unit == 1)
    False
    """

    def __init__(self, points: Sequence[int], limits: Sequence[int], rule: str, noun: str, parts: int = 1) -> None:
        """`limits` has an entry for each location with a limit, from the first on; `noun` names the points in refusals, which
        may be counted in `parts`."""
        self.points = points
        self.parts = parts
        self.limits = limits
        self.rule = rule
        self.noun = noun
        self._most = max(limits)
        self._fit = min(limits) // max(1, max(points, default=1))
        """How many units have room in any location, whatever they are."""
        self._tight = [location for location, most in enumerate(limits) if most < self._most]
        self._used: dict[int, tuple[int, dict[int, int]]] = {}
        """By side the points last counted, with the version of its locations."""
        self._overfull: Memo[list[int]] = Memo()

    def used(self, g: Any, side: int) -> dict[int, int]:
        """Return the points of a side in every location with a limit that has any."""
        where = g.state.where
        version = where.versions[side]
        before, known = self._used.get(side, (NOWHERE, {}))
        if before != version:
            changed = None if CHECK_EVERY else where.changed(side, before)
            known = self._count(where, side) if changed is None else self._recounted(known, where.stacks(side), changed)
            self._used[side] = version, known
        return known

    def _count(self, where: Any, side: int) -> dict[int, int]:
        points, most = self.points, len(self.limits)
        sums = {at: sum([points[u] for u in stack]) for at, stack in where.stacks(side).items() if 0 <= at < most}
        return {at: number for at, number in sums.items() if number}

    def _recounted(
        self, before: dict[int, int], stacks: Mapping[int, Sequence[int]], changed: set[int]
    ) -> dict[int, int]:
        """Return the points after units have left or entered these locations."""
        used, points = before.copy(), self.points
        for at in changed:
            if 0 <= at < len(self.limits):
                used.pop(at, None)
                if number := sum([points[unit] for unit in stacks.get(at, ())]):
                    used[at] = number
        return used

    def size(self, units: Sequence[int]) -> int:
        """Return the points of some units."""
        total, points = 0, self.points
        for unit in units:
            total += points[unit]
        return total

    def room(self, g: Any, side: int, location: int) -> int:
        """Return how many more points a location may take; negative if it has too many."""
        stack: Sequence[int] = g.state.where.stacks(side).get(location, ())
        return self.limits[location] - sum([self.points[unit] for unit in stack])

    def overfull(self, g: Any, side: int) -> list[int]:
        """Return the locations with more than they may have at the end of a phase, in order."""
        where, limits, fit = g.state.where, self.limits, self._fit
        version = where.versions[side]
        known = self._overfull.get(version)
        if known is None:
            crowded = [at for at, stack in where.stacks(side).items() if len(stack) > fit and 0 <= at < len(limits)]
            known = self._overfull.keep(version, sorted([at for at in crowded if self.room(g, side, at) < 0]))
        return known[:]

    def is_full(
        self, g: Any, side: int, location: int, more: int, can_leave: Callable[[int], bool] = lambda unit: False
    ) -> bool:
        """Whether a location has no room for more points, and too few units in it that could still leave."""
        points, stack = self.points, g.state.where.stacks(side).get(location, ())
        excess = more - self.limits[location]
        for unit in stack:
            excess += points[unit]
        if excess <= 0:
            return False
        for unit in stack:
            if points[unit] and can_leave(unit):
                excess -= points[unit]
                if excess <= 0:
                    return False
        return True

    def suspects(self, g: Any, side: int, more: int) -> Iterator[int]:
        """Yield the locations without room for more points."""
        limits = self.limits
        if more > self._most:
            yield from range(len(limits))
            return
        for at, number in self.used(g, side).items():
            if number + more > limits[at]:
                yield at
        for at in self._tight:
            if more > limits[at]:
                yield at

    def end(
        self,
        g: Any,
        side: int,
        units: Sequence[int],
        can_leave: Callable[[int], bool] = lambda unit: False,
    ) -> End:
        """Return that units may not end where they have no room and none can be made."""
        return _Full(self, g, side, units, can_leave)

    def refusal(self, location: int, label: str, more: int = 0) -> Refusal:
        """Return that a location would have too many points with `more` of them. If those alone are too many, making room does
        not help."""
        most = f"{self.limits[location] / self.parts:g} {self.noun}"
        remedy = "leave a unit behind" if more > self.limits[location] else "move a unit out first"
        return Refusal(f"{label} would exceed {most}; {remedy}", self.rule, label)


class _Full(End):
    """The locations without room for units in which none can be made."""

    __slots__ = ("_can_leave", "_g", "_more", "_side", "_stacking")

    def __init__(
        self,
        stacking: Stacking,
        g: Any,
        side: int,
        units: Sequence[int],
        can_leave: Callable[[int], bool],
    ) -> None:
        self._stacking = stacking
        self._g = g
        self._side = side
        self._more = stacking.size(units)
        self._can_leave = can_leave

    if not TYPE_CHECKING:  # they are attributes of the class it extends

        def refuse(self, location):
            """Return that a location is full; None if it is not."""
            stacking, more = self._stacking, self._more
            if location >= len(stacking.limits) or not stacking.is_full(
                self._g, self._side, location, more, self._can_leave
            ):
                return None
            return stacking.refusal(location, self._g.board.name(location), more)

        def among(self):
            """Return the locations without room."""
            return self._stacking.suspects(self._g, self._side, self._more)
