"""Zones of control (3.2): their extent, exceptions and sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from khamsin.games.kasserine.ground import NEXT_TO, REACHES, is_raining
from khamsin.games.kasserine.units import (
    AROUND,
    COMBAT,
    HEXES,
    RESERVE,
    SIDE,
    WITHOUT_ZONE,
    G,
    crosses,
)
from khamsin.mechanics.zones import Zones


def projected(g: G, side: int, hex: int, stack: Sequence[int]) -> Sequence[int]:
    """Return the hexes in the ZOC of a stack: its own, and those that a unit of it could enter. Units in Reserve have
    only their own, units with a No-ZOC band too if they are alone, and no ZOC reaches into an enemy strongpoint (3.2.1,
    3.2.2, 3.2.4, 8.2.3, 14.1.3)."""
    state = g.state
    free = [unit for unit in stack if not state.flags[unit] & RESERVE]
    if WITHOUT_ZONE.issuperset(free):
        return (hex,)
    near = entered_from(hex, is_raining(g), crossing(g, free))
    if not state.strongpoint.keys().isdisjoint(near):
        near = [there for there in near if state.strongpoint.get(there, side) == side]
    return [hex, *near]


@cache
def entered_from(hex: int, rain: bool, kinds: int) -> Sequence[int]:
    """Return the hexes adjacent to one that units of one of these movement classes could enter (3.2.2)."""
    return [there for there, outwards, _ in NEXT_TO[rain][hex] if outwards & kinds]


def crossing(g: G, units: Iterable[int]) -> int:
    """Return the movement classes of units, as bits (3.2.2)."""
    kinds = 0
    for unit in units:
        kinds |= 1 << crosses(g, unit)
    return kinds


def versions(g: G, side: int) -> tuple[int, int, int, int]:
    """Return what ZOCs depend on besides locations: Reserves of the side, strongpoints and the weather (8.2.3, 14.1.3,
    16.3.2)."""
    state = g.state
    return state.flags.side_versions[side][RESERVE], state.strongpoint.version, state.weather, state.rained


def parts(g: G, side: int) -> tuple[tuple[int, ...], dict[int, tuple[int, ...]]]:
    """Return what the ZOCs of all stacks depend on, and by hex the adjacent enemy strongpoints and the Reserves there."""
    single: dict[int, tuple[int, ...]] = {}
    for hex, owner in g.state.strongpoint.items():
        if owner != side:
            for near in AROUND[hex]:
                single[near] = (*single.get(near, ()), hex)
    for unit in waiting(g, side):
        here = g.state.where[unit]
        single[here] = (*single.get(here, ()), -1 - unit)
    return (g.state.weather, g.state.rained), single


ZONES = Zones(HEXES, projected, versions, parts)


zone = ZONES.hexes
"""One byte per hex: 1 where a combat unit of this side exerts its ZOC, its own hex included; several count as one
(3.2.1, 3.2.3)."""


def occupied(g: G, side: int) -> frozenset[int]:
    """Return the hexes in which a side has combat units: all of them exert a ZOC there (3.2.1)."""
    return ZONES.of(g, side).exerting


def waiting(g: G, side: int) -> list[int]:
    """Return the units of a side in Reserve (8.2)."""
    waiting = g.state.flags.having(RESERVE)
    return [unit for unit in waiting if SIDE[unit] == side] if waiting else waiting


def contact(g: G, side: int) -> frozenset[int]:
    """Return the hexes in enemy ZOCs in which a side has combat units."""
    return ZONES.contact(g, side)


def in_enemy_zone(g: G, side: int, hex: int) -> bool:
    """Whether a hex is in a ZOC of the other side; several count as one (3.2.1, 3.2.3)."""
    return bool(zone(g, 1 - side)[hex])


def has_in_zone(g: G, side: int, units: Iterable[int], hex: int, there: int) -> bool:
    """Whether units of a side in a hex, even in passing, have an adjacent one in their ZOC, with the friendly units in
    their hex (3.2.2, 3.2.5, 14.1.3)."""
    flags = g.state.flags
    if g.state.strongpoint.get(there, side) != side:
        return False
    present = [unit for unit in units if COMBAT[unit]]
    present += [unit for unit in g.state.where.stacks(side).get(hex, ()) if not flags[unit] & RESERVE]
    reaches = REACHES[is_raining(g)]
    if WITHOUT_ZONE.issuperset(present):
        return False
    return any(there in reaches[crosses(g, unit)][hex] for unit in present)


def exerting(g: G, side: int, hex: int) -> list[int]:
    """Return the combat units of a side whose ZOC reaches a hex from an adjacent one (3.2.2, 3.2.4)."""
    if g.state.strongpoint.get(hex, side) != side:
        return []
    flags, stacks, reaches = g.state.flags, g.state.where.stacks(side), REACHES[is_raining(g)]
    found = []
    for near in AROUND[hex]:
        free = [unit for unit in stacks.get(near, ()) if not flags[unit] & RESERVE]
        if not WITHOUT_ZONE.issuperset(free):
            found += [unit for unit in free if hex in reaches[crosses(g, unit)][near]]
    return sorted(found)
