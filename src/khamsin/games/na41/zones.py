"""Zones of control (7): the units that exert them, where they are full, limited or overlapping, and their effect on a
moving enemy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from khamsin.games.na41.ground import ESCARPMENT, LAND, LAYOUT, bits, uphill
from khamsin.games.na41.units import (
    AROUND,
    BOARD,
    FULL_RETREAT,
    GROUND,
    HEXES,
    LOCATIONS,
    NON_COMBAT,
    G,
    combat_units,
    name,
    stock,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.cache import cached, once, until_change
from khamsin.kernel.flood import CLOSED, STOP
from khamsin.mechanics.stacks import occupied
from khamsin.mechanics.ways import TOLL, Bar
from khamsin.mechanics.zones import Directions, Levels, Zones, levels, overlap

NONE, LIMITED, FULL = range(3)
_LIMITED = np.uint8(LIMITED)
"""The same for comparing it with whole arrays."""

_UP_AND_OVER = [frozenset([b for b in AROUND[a] if bits(a, b) & ESCARPMENT and uphill(a, b)]) for a in range(HEXES)]
"""The adjacent hexes into which a ZOC extends up and over an escarpment (7.3)."""
_NEAR = [tuple([b for b in AROUND[a] if LAND[b]]) for a in range(HEXES)]


def exerts(g: G, stack: Sequence[int]) -> bool:
    """Whether a stack has a ZOC: any combat unit has, unless it is in Full Retreat (7.1, 13.3.2)."""
    flags = g.state.flags
    return not all(flags[unit] & FULL_RETREAT for unit in stack)


def is_limited(g: G, side: int, a: int, b: int) -> bool:
    """Whether the ZOC of a side from one hex into another is limited: up and over an escarpment, or into an enemy Fortification
    (7.3, 9.5.2)."""
    return b in _UP_AND_OVER[a] or g.state.fort.get(b, side) != side


def projected(g: G, side: int, hex: int, stack: Sequence[int]) -> Sequence[int]:
    """Return the six hexes around a stack with a ZOC (7.1)."""
    return _NEAR[hex] if hex < HEXES and exerts(g, stack) else ()


def projected_fully(g: G, side: int, hex: int, stack: Sequence[int]) -> Sequence[int]:
    """Return those of the six hexes around a stack in which its ZOC is not limited (7.3)."""
    if hex >= HEXES or not exerts(g, stack):
        return ()
    if not g.state.fort and not _UP_AND_OVER[hex]:
        return _NEAR[hex]
    return [b for b in _NEAR[hex] if not is_limited(g, side, hex, b)]


def versions(g: G, side: int) -> tuple[int, int]:
    """Return what the ZOCs of a side depend on besides its units: Full Retreat, and Fortifications."""
    return g.state.flags.side_versions[side][FULL_RETREAT], g.state.fort.version


ANY_ZONES, FULL_ZONES = Zones(LOCATIONS, projected, versions), Zones(LOCATIONS, projected_fully, versions)
_FULLY = [[b for b in near if b not in over] for near, over in zip(_NEAR, _UP_AND_OVER, strict=True)]
_INTO, _FULLY_INTO = (
    Directions([[b if b in into[a] else NOWHERE for b in BOARD.neighbours[a]] for a in range(HEXES)], LOCATIONS)
    for into in (_NEAR, _FULLY)
)
"""Where ZOCs of either kind extend from each hex, and full ones, by direction (7.1, 7.3)."""


@FULL_ZONES.kept
def routed(g: G, side: int) -> frozenset[int]:
    """Return the locations where all combat units of a side are in Full Retreat (13.3.2)."""
    stacks, fled = g.state.where.stacks(side), g.state.flags.having(FULL_RETREAT)
    hexes = {g.state.where[unit] for unit in fled}
    return frozenset([hex for hex in hexes if hex in stacks and not exerts(g, stacks[hex])])


def _exerting(g: G, side: int) -> list[int]:
    fleeing = routed(g, side)
    return [hex for hex in g.state.where.stacks(side) if hex < HEXES and hex not in fleeing]


@FULL_ZONES.kept
def _levels(g: G, side: int) -> Levels:
    """The ZOCs of a side by direction; an enemy Fortification limits them (7.3, 9.5.2)."""
    forts = [hex for hex, owner in g.state.fort.items() if owner != side]
    return levels(_INTO, _FULLY_INTO, _exerting(g, side), forts)


@FULL_ZONES.kept
def zone(g: G, side: int) -> bytes:
    """One byte per location: FULL, LIMITED or NONE, the ZOC that a side exerts there (7.1, 7.3)."""
    return _levels(g, side).level.tobytes()


@FULL_ZONES.kept
def overlapping(g: G, side: int) -> bytes:
    """One byte per location: 1 where full ZOCs of a side come from two hexes that are not adjacent to one another (7.4)."""
    return overlap(_levels(g, side).full).tobytes()


@FULL_ZONES.kept
def overlapped_hexes(g: G, side: int) -> frozenset[int]:
    """Return the hexes in overlapping ZOCs of a side (7.4)."""
    return frozenset(np.frombuffer(overlapping(g, side), dtype=np.uint8)[:HEXES].nonzero()[0].tolist())


def fully_exerting(g: G, side: int, hex: int) -> set[int]:
    """Return the hexes of a side from which a full ZOC reaches a hex, which are next to it (7.1, 7.3)."""
    stacks = g.state.where.stacks(side)
    return {near for near in _NEAR[hex] if near in stacks and hex in projected_fully(g, side, near, stacks[near])}


def in_zone(g: G, side: int, hex: int) -> int:
    """Return the ZOC that a side exerts in a location: FULL, LIMITED or NONE."""
    return zone(g, side)[hex] if hex < LOCATIONS else NONE


zone_names = ANY_ZONES.names


class Front:
    """The effect of the units of a side on a moving enemy."""

    def __init__(self, g: G, side: int) -> None:
        self.side = side
        self.occupied = occupied(g, side)
        """The hexes of its combat units."""
        self._zones = np.frombuffer(zone(g, side), dtype=np.uint8)
        self._cause = partial(zone_names, side=side)

    @once
    def _by_node(self) -> NDArray[np.uint8]:
        """By node, where its ZOCs are limited, and where they are full."""
        return LAYOUT.split(self._zones, FULL)

    @once
    def leaving(self) -> Bar:
        """The cost of leaving its ZOCs (7.2)."""
        text = "with 2 MPs for leaving the ZOC of {cause} it is too far"
        return Bar(TOLL, self._by_node[FULL - 1], "7.2", text, self._cause, toll=GROUND["zone"]["leave"])

    @once
    def leaving_limited(self) -> Bar:
        """The cost of leaving its Limited ZOCs (7.3)."""
        nodes = self._by_node[LIMITED - 1]
        text = "with 1 MP for leaving the Limited ZOC of {cause} it is too far"
        return Bar(TOLL, nodes, "7.3", text, self._cause, toll=GROUND["zone"]["leave_limited"])

    @once
    def stop(self) -> Bar:
        """Its ZOCs, which stop movement (7.2)."""
        return Bar(STOP, self._by_node[FULL - 1], "7.2", "it must stop in the ZOC of {cause} {where}", self._cause)

    @once
    def closed(self) -> Bar:
        """The hexes of its combat units (5.1)."""
        side = self.side
        return Bar(
            CLOSED, LAYOUT.mask(self.occupied), "5.1", "barred by {cause} {where}",
            lambda g, hex: [name(unit) for unit in combat_units(g, side, hex)],
        )  # fmt: skip

    @once
    def limited(self) -> list[int]:
        """The hexes in its Limited ZOCs (7.3)."""
        found: list[int] = (self._zones == _LIMITED).nonzero()[0].tolist()
        return found

    @once
    def zoned(self) -> Bar:
        """Its ZOCs of either kind, for those that may not enter them (5.3, 13.3.2)."""
        nodes = self._by_node[LIMITED - 1] | self._by_node[FULL - 1]
        return Bar(CLOSED, nodes, "5.3", "it may not enter the ZOC of {cause} {where}", self._cause)

    @once
    def zoned_hexes(self) -> frozenset[int]:
        """The locations in its ZOCs of either kind."""
        return frozenset(self._zones.nonzero()[0].tolist())

    @once
    def near_hexes(self) -> frozenset[int]:
        """The hexes of its combat units and those next to them."""
        return self.occupied.union(*[AROUND[hex] for hex in self.occupied])

    @once
    def near(self) -> Bar:
        """The hexes of its combat units and those next to them, which cost the Road Bonus (5.2.2)."""
        text = "{hex} is adjacent to an enemy combat unit, which costs the Road Bonus"
        return Bar(CLOSED, LAYOUT.mask(self.near_hexes), "5.2.2", text)

    def touches(self, hex: int) -> bool:
        """Whether a hex is adjacent to one of its combat units."""
        return hex in self.near_hexes


@until_change
@cached(lambda g, side: (g.state.where.versions[side], *versions(g, side)), size=32)
def front(g: G, side: int) -> Front:
    """Return the effect of the units of a side on a moving enemy."""
    return Front(g, side)


def adjacent_enemies(g: G, side: int, hex: int) -> list[int]:
    """Return the enemy combat units adjacent to a hex."""
    return [unit for near in AROUND[hex] for unit in combat_units(g, 1 - side, near)] if hex < HEXES else []


@cached(
    lambda g, side: (
        g.state.where.versions[side], g.state.where.versions[NON_COMBAT + side], *versions(g, side),
        g.state.works.version, g.state.control.version, stock(g, side).version,
    )
)  # fmt: skip
def disturbed(g: G, side: int) -> frozenset[int]:
    """Return the locations of a side in which a marching enemy has an effect: combat units, or pieces that passing
    removes, captures or drives off (8.7, 9.5.7, 13.3.2, 14.6, 16.3.5)."""
    state = g.state
    marked = [
        hex for owners in (state.fort, state.works, state.control) for hex, owner in owners.items() if owner == side
    ]
    hexes = [*marked, *state.where.stacks(NON_COMBAT + side), *stock(g, side)]
    fleeing = [near for hex in routed(g, side) if hex < HEXES for near in AROUND[hex]]
    return frozenset([*state.where.stacks(side), *fleeing, *[hex for hex in hexes if hex < HEXES]])
