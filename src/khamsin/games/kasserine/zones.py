"""Zones of control (3.2): where they reach, where they do not, and whose they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from khamsin.games.kasserine.ground import REACHES, is_raining
from khamsin.games.kasserine.units import (
    AROUND,
    COMBAT,
    FORCE_SPAN,
    HEXES,
    NO_ZONE,
    RESERVE,
    G,
    crosses,
    stacks,
)
from khamsin.kernel.cache import cached
from khamsin.mechanics.zones import Zones


def projected(g: G, side: int, hex: int, stack: Sequence[int]) -> Sequence[int]:
    """The hexes in the ZOC of a stack: its own, and those that a unit of it could enter. Units in Reserve have only their
    own, units with a No-ZOC band too if they are alone, and no ZOC reaches into an enemy strongpoint (3.2.1, 3.2.2, 3.2.4,
    8.2.3, 14.1.3)."""
    state = g.state
    free = [unit for unit in stack if not state.flags[unit] & RESERVE]
    if all(NO_ZONE[unit] for unit in free):
        return (hex,)
    near = _entered_from(hex, frozenset([crosses(g, unit) for unit in free]), is_raining(g))
    if not state.strongpoint:
        return near
    own = state.where.stacks(side)
    return [there for there in near if state.strongpoint.get(there, side) == side or there in own]


@cached(lambda hex, kinds, rain: (hex, kinds, rain), size=4096)
def _entered_from(hex: int, kinds: frozenset[int], rain: bool) -> tuple[int, ...]:
    """A hex, and the neighbours that units of these ways of crossing ground could enter from it (3.2.2)."""
    return (hex, *sorted({near for kind in kinds for near in REACHES[rain][kind][hex]}))


def versions(g: G) -> tuple[int, int, int, int]:
    """What ZOCs depend on besides locations: who is in Reserve, strongpoints and the weather (8.2.3, 14.1.3, 16.3.2)."""
    state = g.state
    return state.flags.version, state.strongpoint.version, state.weather, state.rained


ZONES = Zones(HEXES, projected, lambda g, side: versions(g))


def zone(g: G, side: int) -> bytes:
    """One byte per hex: 1 where a combat unit of this side exerts its ZOC, its own hex among them; more than one there are as
    one (3.2.1, 3.2.3)."""
    return ZONES.of(g, side).hexes


@cached(lambda g, side: (g.state.flags.version, side))
def waiting(g: G, side: int) -> tuple[int, ...]:
    """The units of a side in Reserve (8.2)."""
    span = FORCE_SPAN[side]
    return tuple([unit for unit, marks in enumerate(g.state.flags[span], span.start) if marks & RESERVE])


@cached(lambda g, side: (g.state.where.versions[side], g.state.where.versions[1 - side], versions(g)))
def contact(g: G, side: int) -> frozenset[int]:
    """The hexes in enemy ZOCs in which a side has combat units."""
    zoned = zone(g, 1 - side)
    return frozenset([hex for hex in g.state.where.stacks(side) if 0 <= hex < HEXES and zoned[hex]])


def in_enemy_zone(g: G, side: int, hex: int) -> bool:
    """Whether a hex lies in a zone of control of the other side (3.2.1)."""
    return bool(zone(g, 1 - side)[hex])


def has_in_zone(g: G, side: int, units: Iterable[int], hex: int, there: int) -> bool:
    """Whether units of a side that are in a hex, if only in passing, have a neighbouring one in their zone of control, together
    with friends who stand in it (3.2.2, 3.2.5, 14.1.3)."""
    flags = g.state.flags
    if g.state.strongpoint.get(there, side) != side:
        return False
    present = [unit for unit in units if COMBAT[unit]]
    present += [unit for unit in stacks(g, side).get(hex, ()) if not flags[unit] & RESERVE]
    reaches = REACHES[is_raining(g)]
    if all(NO_ZONE[unit] for unit in present):
        return False
    return any(there in reaches[crosses(g, unit)][hex] for unit in present)


def exerting(g: G, side: int, hex: int) -> list[int]:
    """The combat units of a side whose zone of control reaches a hex from a neighbouring one (3.2.2, 3.2.4)."""
    if g.state.strongpoint.get(hex, side) != side:
        return []
    flags, standing, reaches = g.state.flags, stacks(g, side), REACHES[is_raining(g)]
    found = []
    for near in AROUND[hex]:
        free = [unit for unit in standing.get(near, ()) if not flags[unit] & RESERVE]
        if not all(NO_ZONE[unit] for unit in free):
            found += [unit for unit in free if hex in reaches[crosses(g, unit)][near]]
    return sorted(found)
