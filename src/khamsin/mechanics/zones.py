"""Zones of control: which stacks exert one, and into which hexes.

A game says in one function into which hexes a stack projects its ZOC; `Zones` adds them up. What a ZOC does to a move is said
by the bars that the game makes of it (`mechanics.ways`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from khamsin.kernel.cache import cached

V = TypeVar("V")
Project = Callable[[Any, int, int, Sequence[int]], Sequence[int]]
"""From the game, a side, a hex and the side's units there: the hexes into which they project a ZOC."""


class Zone(NamedTuple):
    """The ZOCs of a side: `hexes` has one byte per hex, 1 where one reaches; `exerting` are the hexes that project."""

    hexes: bytes
    exerting: frozenset[int]


class Zones:
    """The ZOCs of a game.

    >>> from types import SimpleNamespace
    >>> from khamsin.kernel.pieces import UnitLocations
    >>> line = Zones(5, lambda g, side, hex, stack: [hex - 1, hex + 1])
    >>> g = SimpleNamespace(state=SimpleNamespace(where=UnitLocations([1, 3], sides=[0, 0])))
    >>> line.of(g, 0).hexes, line.exerting(g, 0, 2), line.exerting(g, 0, 4)
    (b'\\x01\\x00\\x01\\x00\\x01', [0, 1], [1])
    """

    def __init__(self, size: int, project: Project, key: Callable[[Any, int], Hashable] = lambda g, side: None) -> None:
        """`size` is the number of hexes. `key` gives the versions of all that `project` reads besides the side's locations."""
        self._size = size
        self._project = project
        self._versions: Callable[[Any, int], Hashable] = lambda g, side: (g.state.where.versions[side], key(g, side))
        versions = cached(self._versions)
        self.of: Callable[[Any, int], Zone] = versions(self._zone)
        """Return the ZOCs of a side."""
        self._sources: Callable[[Any, int], Mapping[int, Sequence[int]]] = versions(self._find_sources)

    def _zone(self, g: Any, side: int) -> Zone:
        mask, exerting = bytearray(self._size), []
        for hex, stack in g.state.where.stacks(side).items():
            reached = self._project(g, side, hex, stack) if hex < self._size else ()
            for near in reached:
                mask[near] = 1
            if reached:
                exerting.append(hex)
        return Zone(bytes(mask), frozenset(exerting))

    def _find_sources(self, g: Any, side: int) -> Mapping[int, Sequence[int]]:
        """For each hex in a ZOC, the hexes that project it."""
        stacks, found = g.state.where.stacks(side), dict[int, list[int]]()
        for hex in sorted(self.of(g, side).exerting):
            for near in set(self._project(g, side, hex, stacks[hex])):
                found.setdefault(near, []).append(hex)
        return found

    def kept(self, function: Callable[[Any, int], V]) -> Callable[[Any, int], V]:
        """Return a function of the game and a side that is computed anew only when the ZOCs of that side may have changed. It
        reads the locations of the side's units and what `key` names, nothing else."""
        return cached(self._versions)(function)

    def sources(self, g: Any, side: int, hex: int) -> Sequence[int]:
        """Return the hexes of a side from which a ZOC reaches a hex, in order."""
        return self._sources(g, side).get(hex, ())

    def exerting(self, g: Any, side: int, hex: int) -> list[int]:
        """Return the units of a side in the stacks whose ZOC reaches a hex."""
        stacks = g.state.where.stacks(side)
        return sorted(unit for at in self.sources(g, side, hex) for unit in stacks[at])
