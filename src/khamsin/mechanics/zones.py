"""Zones of control: which stacks exert one, and into which hexes.

A game returns from one function the hexes into which a stack projects its ZOC; `Zones` adds them up. The effect of a
ZOC on a move is given by the game's bars (`mechanics.ways`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.cache import CHECK_EVERY, cached, until_change
from khamsin.kernel.flood import compiled
from khamsin.kernel.pieces import UnitLocations

V = TypeVar("V")
Project = Callable[[Any, int, int, Sequence[int]], Sequence[int]]
"""From the game, a side, a hex and the side's units there: the hexes into which they project a ZOC."""
Parts = tuple[Hashable, Mapping[int, Hashable]]
"""What projections depend on: for all stacks, and by hex for single ones."""
ONES = bytes([0]) + bytes([1]) * 255
"""Make a mask from counts."""


class Zone(NamedTuple):
    """The ZOCs of a side: `hexes` has one byte per hex, 1 where one reaches; `exerting` are the hexes that project."""

    hexes: bytes
    exerting: frozenset[int]


class Directions:
    """ZOCs that reach adjacent hexes only, as bits by direction.

    >>> ring = Directions([[1, NOWHERE, NOWHERE, 2, NOWHERE, NOWHERE], [NOWHERE] * 6, [NOWHERE] * 6])
    >>> ring.bits([0]).tolist()
    [0, 1, 8]
    """

    def __init__(self, near: Sequence[Sequence[int]], size: int = 0) -> None:
        """`near` lists for each hex those into which a ZOC extends from there, by direction, NOWHERE for none. `size`
        is the number of locations, if there are more."""
        self._size = size or len(near)
        table = np.array([[there if there != NOWHERE else self._size for there in row] for row in near], dtype=np.intp)
        self._near = np.ascontiguousarray(table.T)

    def bits(self, exerting: Sequence[int] | NDArray[np.intp]) -> NDArray[np.uint8]:
        """Return by location a bit for each direction in which a ZOC of one of these hexes extends into it."""
        found = np.zeros(self._size + 1, dtype=np.uint8)
        _mark(self._near, np.asarray(exerting, dtype=np.intp), found)
        return found[: self._size]


@compiled
def _mark(near: NDArray[np.intp], exerting: NDArray[np.intp], found: NDArray[np.uint8]) -> None:
    for hex in exerting:
        for direction in range(near.shape[0]):
            found[near[direction, hex]] |= 1 << direction


class Levels(NamedTuple):
    """ZOCs of two kinds by location: the directions from which any come, those from which full ones come, and 2 where there
    is a full one, 1 where there are others, 0 where there is none."""

    any: NDArray[np.uint8]
    full: NDArray[np.uint8]
    level: NDArray[np.uint8]


def levels(near: Directions, fully: Directions, exerting: Sequence[int], weak: Sequence[int] = ()) -> Levels:
    """Return the ZOCs of these hexes, which go some ways in any case and some fully; no full one reaches the locations of
    `weak`.

    >>> line = [[NOWHERE, 0], [0, 2], [1, NOWHERE]]
    >>> found = levels(Directions(line), Directions([[NOWHERE] * 2, line[1], [NOWHERE] * 2]), [1, 2])
    >>> found.any.tolist(), found.full.tolist(), found.level.tolist()
    ([1, 1, 2], [1, 0, 2], [2, 1, 2])
    """
    size = near._size
    found = np.zeros((3, size + 1), dtype=np.uint8)
    _levels(near._near, fully._near, np.array(exerting, dtype=np.intp), np.array(weak, dtype=np.intp), found)
    return Levels(*found[:, :size])


@compiled
def _levels(
    near: NDArray[np.intp],
    fully: NDArray[np.intp],
    exerting: NDArray[np.intp],
    weak: NDArray[np.intp],
    found: NDArray[np.uint8],
) -> None:
    for hex in exerting:
        for direction in range(near.shape[0]):
            found[0, near[direction, hex]] |= 1 << direction
            found[1, fully[direction, hex]] |= 1 << direction
    for hex in weak:
        found[1, hex] = 0
    for hex in range(found.shape[1]):
        if found[0, hex]:
            found[2, hex] = 2 if found[1, hex] else 1


def overlap(bits: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return by location 1 where ZOCs come from two hexes that are not adjacent to each other.

    >>> overlap(np.array([0b000001, 0b000011, 0b100001, 0b000101], dtype=np.uint8)).tolist()
    [0, 0, 0, 1]
    """
    return _OVERLAP.take(bits)


_OVERLAP = np.array(
    [
        any(bits >> a & bits >> b & 1 and b - a not in (1, 5) for a, b in combinations(range(6), 2))
        for bits in range(64)
    ],
    dtype=np.uint8,
)


_NO_CONTACTS: tuple[int, None, frozenset[int]] = (NOWHERE, None, frozenset())


class Contacts:
    """The hexes of a side's units in a field, such as enemy ZOCs. They are updated from the last result for the side.

    >>> from khamsin.kernel.pieces import UnitLocations
    >>> where, field = UnitLocations([1, 3]), bytes([0, 1, 0, 0, 1])
    >>> contacts = Contacts(5)
    >>> contacts.of(where, 0, field)
    frozenset({1})
    >>> where[1] = 4
    >>> sorted(contacts.of(where, 0, field))
    [1, 4]
    """

    def __init__(self, size: int) -> None:
        """`size` is the number of hexes."""
        self._size = size
        self._last: dict[int, tuple[int, bytes | None, frozenset[int]]] = {}
        """By side the hexes last found, with the version of its locations and the field."""

    def of(self, where: UnitLocations, side: int, field: bytes) -> frozenset[int]:
        """Return the hexes with units of a side in a field; the same object while they are the same."""
        version, size = where.versions[side], self._size
        before, last, found = self._last.get(side, _NO_CONTACTS)
        if before == version and last is field:
            return found
        changed = where.changed(side, before) if last is field and not CHECK_EVERY else None
        stacks = where.stacks(side)
        if changed is None:
            found = frozenset([hex for hex in stacks if hex < size and field[hex]])
        else:
            new = [hex for hex in changed if 0 <= hex < size and (field[hex] and hex in stacks) != (hex in found)]
            found = found.symmetric_difference(new) if new else found
        self._last[side] = version, field, found
        return found


class _Sum(NamedTuple):
    """The ZOCs of a side as last added up: the version of its locations, what they depend on for all and for single stacks, the
    stacks, the hexes that each reaches, and by how many stacks each hex is reached."""

    version: int
    key: Hashable
    single: Mapping[int, Hashable]
    stacks: dict[int, Sequence[int]]
    reached: dict[int, Sequence[int]]
    counts: bytearray


class Zones:
    """The ZOCs of a game.

    >>> from types import SimpleNamespace
    >>> from khamsin.kernel.pieces import UnitLocations
    >>> line = Zones(5, lambda g, side, hex, stack: [hex - 1, hex + 1])
    >>> g = SimpleNamespace(state=SimpleNamespace(where=UnitLocations([1, 3], sides=[0, 0])))
    >>> line.of(g, 0).hexes, line.exerting(g, 0, 2), line.exerting(g, 0, 4)
    (b'\\x01\\x00\\x01\\x00\\x01', [0, 1], [1])
    """

    def __init__(
        self,
        size: int,
        project: Project,
        key: Callable[[Any, int], Hashable] = lambda g, side: None,
        parts: Callable[[Any, int], Parts] | None = None,
    ) -> None:
        """`size` is the number of hexes. `key` returns the versions of all that `project` reads besides the stack
        itself. `parts` divides this into what it reads for every stack and, by hex, what it reads for the stack there,
        so that after a change only the stacks concerned are projected again."""
        self._size = size
        self._project = project
        self._parts = parts or (lambda g, side: (key(g, side), {}))
        self._sums: dict[int, _Sum] = {}
        self._versions: Callable[[Any, int], Hashable] = lambda g, side: (g.state.where.versions[side], key(g, side))
        versions = cached(self._versions)
        self.of: Callable[[Any, int], Zone] = self.kept(self._zone)
        """Return the ZOCs of a side."""
        self.hexes: Callable[[Any, int], bytes] = self.kept(lambda g, side: self.of(g, side).hexes)
        """Return the hexes in them, one byte per hex."""
        self._contacts = Contacts(size)
        self._sources: Callable[[Any, int], Mapping[int, Sequence[int]]] = versions(self._find_sources)

    def _zone(self, g: Any, side: int) -> Zone:
        """Add up the ZOCs, beginning with the last sum for the side; only changed stacks are projected again."""
        (key, single), known = self._parts(g, side), self._sums.pop(side, None)
        where = g.state.where
        if known is None or known.key != key or CHECK_EVERY:
            known = _Sum(NOWHERE, key, single, {}, {}, bytearray(self._size))
        version, _, before, stacks, reached, counts = known
        now, size = where.stacks(side), self._size
        changed = where.changed(side, version)
        if changed is None:
            changed = {hex for hex, stack in stacks.items() if now.get(hex) is not stack}
            changed.update(now.keys() - stacks.keys())
        if before != single:
            changed.update([hex for hex in (*before, *single) if before.get(hex) != single.get(hex)])
        for hex in changed:
            if stacks.pop(hex, None) is not None:
                for near in reached.pop(hex, ()):
                    counts[near] -= 1
            stack = now.get(hex)
            if stack is not None and hex < size:
                stacks[hex] = stack
                if found := self._project(g, side, hex, stack):
                    reached[hex] = found
                    for near in found:
                        counts[near] += 1
        self._sums[side] = _Sum(where.versions[side], key, single, stacks, reached, counts)
        return Zone(bytes(counts.translate(ONES)), frozenset(reached))

    def contact(self, g: Any, side: int) -> frozenset[int]:
        """Return the hexes with units of a side that are in enemy ZOCs; the same object while they are the same."""
        return self._contacts.of(g.state.where, side, self.of(g, 1 - side).hexes)

    def _find_sources(self, g: Any, side: int) -> Mapping[int, Sequence[int]]:
        """Return, for each hex in a ZOC, the hexes that project it."""
        stacks, found = g.state.where.stacks(side), dict[int, list[int]]()
        for hex in sorted(self.of(g, side).exerting):
            for near in set(self._project(g, side, hex, stacks[hex])):
                found.setdefault(near, []).append(hex)
        return found

    def kept(self, function: Callable[[Any, int], V]) -> Callable[[Any, int], V]:
        """Return a function of the game and a side that is computed again only if the ZOCs of that side may have
        changed. It may read only the locations of the side's units and what `key` names."""
        return until_change(cached(self._versions, size=32)(function))

    def sources(self, g: Any, side: int, hex: int) -> Sequence[int]:
        """Return the hexes of a side from which a ZOC reaches a hex, in order."""
        return self._sources(g, side).get(hex, ())

    def names(self, g: Any, hex: int, side: int) -> list[str]:
        """Return the units of a side in whose ZOC a hex is, by name; in a hex that no ZOC reaches, the units there."""
        units = self.exerting(g, side, hex) or g.state.where.stacks(side).get(hex, ())
        return [g.rules.names[unit] for unit in units]

    def exerting(self, g: Any, side: int, hex: int) -> list[int]:
        """Return the units of a side in the stacks whose ZOC reaches a hex."""
        stacks = g.state.where.stacks(side)
        return sorted(unit for at in self.sources(g, side, hex) for unit in stacks[at])
