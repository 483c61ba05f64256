"""Zones of control: which stacks exert one, and into which hexes.

A game says in one function into which hexes a stack projects its ZOC; `Zones` adds them up. What a ZOC does to a move is said
by the bars that the game makes of it (`mechanics.ways`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from khamsin.kernel.cache import cached

Project = Callable[[Any, int, int, Sequence[int]], Iterable[int]]
"""From the game, a side, a hex and the side's units there: the hexes into which they project a ZOC."""


class Zone(NamedTuple):
    """The ZOCs of a side: `hexes` has one byte per hex, 1 where one reaches; `sources` gives for each hex in a ZOC those that
    project it, in order."""

    hexes: bytes
    sources: Mapping[int, Sequence[int]]

    @property
    def exerting(self) -> frozenset[int]:
        """The hexes that project a ZOC."""
        return frozenset().union(*self.sources.values())


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
        self.of = cached(lambda g, side: (g.state.where.versions[side], key(g, side)))(self._zone)
        """Return the ZOCs of a side."""

    def _zone(self, g: Any, side: int) -> Zone:
        mask, sources = bytearray(self._size), dict[int, list[int]]()
        for hex, stack in sorted(g.state.where.stacks(side).items()):
            if hex < self._size:
                for near in self._project(g, side, hex, stack):
                    mask[near] = 1
                    found = sources.setdefault(near, [])
                    if not found or found[-1] != hex:
                        found.append(hex)
        return Zone(bytes(mask), sources)

    def sources(self, g: Any, side: int, hex: int) -> Sequence[int]:
        """Return the hexes of a side from which a ZOC reaches a hex, in order."""
        return self.of(g, side).sources.get(hex, ())

    def exerting(self, g: Any, side: int, hex: int) -> list[int]:
        """Return the units of a side in the stacks whose ZOC reaches a hex."""
        stacks = g.state.where.stacks(side)
        return sorted(unit for at in self.sources(g, side, hex) for unit in stacks[at])
