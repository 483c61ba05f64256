"""Zones of control (3.2): where they reach, where they do not, and whose they are.

All that follows from where a side stands is remembered by the version of its places, which stays while the enemy moves.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from khamsin.games.kasserine.ground import REACHES, is_raining
from khamsin.games.kasserine.units import (
    AROUND,
    AXIS,
    COMBAT,
    CROSSES,
    FORCE_SPAN,
    FORCES,
    HEXES,
    IS_TIGER,
    NO_ZONE,
    RESERVE,
    TIGER,
    G,
    crosses,
    stacks,
)
from khamsin.kernel.pieces import Memo


def zone(g: G, side: int) -> bytes:
    """One byte a hex: 1 where a combat unit of this side exerts its zone of control, its own hex among them; more than one
    there are as one (3.2.1, 3.2.3)."""
    version = g.state.where.versions[side]
    return _ZONES.get(version) or _ZONES.keep(version, zone_of(*_basis(g, side)))


_ZONES: Memo[bytes] = Memo()


def touch(g: G) -> None:
    """What zones depend on besides the places of units has changed: a strongpoint, who interdicts, or the weather. Whoever
    changes one of these calls this: both sides' places count as changed."""
    g.state.where[:0] = ()


def touch_unit(g: G, unit: int) -> None:
    """A unit has gone into Reserve or left it, on which its side's zones depend: it counts as moved to where it is."""
    where = g.state.where
    where[unit] = where[unit]


def waiting(g: G, side: int) -> tuple[int, ...]:
    """The units of a side in Reserve (8.2). After the move of one unit they are those of before, but perhaps for that one."""
    where, flags = g.state.where, g.state.flags
    version, span = where.versions[side], FORCE_SPAN[side]
    known = _WAITING.get(version)
    if known is None:
        unit, _, before = where.last[side]
        known = _WAITING.get(before)
        if known is None:
            known = tuple([unit for unit, marks in enumerate(flags[span], span.start) if marks & RESERVE])
        elif bool(flags[unit] & RESERVE) != (unit in known):
            known = tuple(sorted({unit}.symmetric_difference(known)))
        _WAITING.keep(version, known)
    return known


_WAITING: Memo[tuple[int, ...]] = Memo()


def contact(g: G, side: int) -> frozenset[int]:
    """The hexes in enemy zones in which a side has combat units. They are those of before if the last move neither left nor
    entered an enemy zone."""
    where = g.state.where
    own, enemy = where.versions[side], where.versions[1 - side]
    known = _CONTACT.get((own, enemy))
    if known is None:
        zoned = zone(g, 1 - side)
        unit, left, before = where.last[side]
        if not any(0 <= hex < HEXES and zoned[hex] for hex in (left, where[unit])):
            known = _CONTACT.get((before, enemy))
        if known is None:
            known = frozenset([hex for hex in where[FORCE_SPAN[side]] if 0 <= hex < HEXES and zoned[hex]])
        _CONTACT.keep((own, enemy), known)
    return known


_CONTACT: Memo[frozenset[int]] = Memo()

Basis = tuple[int, tuple[int, ...], tuple[int, ...], bool, bool, frozenset[int]]


def _basis(g: G, side: int) -> Basis:
    """All that the zones of a side depend on."""
    state = g.state
    forts = frozenset([hex for hex, owner in state.strongpoint.items() if owner != side])
    return side, tuple(state.where[FORCE_SPAN[side]]), waiting(g, side), is_raining(g), bool(state.rained), forts


@lru_cache(maxsize=256)
def zone_of(
    side: int, places: tuple[int, ...], waiting: tuple[int, ...], rain: bool, rained: bool, forts: frozenset[int]
) -> bytes:
    """The zones of a side's combat units that stand in these places; no other piece has one, and none is in a box (3.2, 3.2.5,
    8.2.3, 8.3.2, 14.1.3)."""
    reaches = REACHES[rain]
    mask = bytearray(HEXES)
    exerting: set[tuple[int, int]] = set()
    banded: list[tuple[int, int]] = []
    for unit, hex in zip(FORCES[side], places, strict=True):
        if not 0 <= hex < HEXES:
            continue
        mask[hex] = 1
        if unit not in waiting:
            kind = TIGER if rained and side == AXIS and IS_TIGER[unit] else CROSSES[unit]
            if NO_ZONE[unit]:
                banded.append((kind, hex))
            else:
                exerting.add((kind, hex))
    if banded:
        strong = {hex for _, hex in exerting}
        exerting.update([(kind, hex) for kind, hex in banded if hex in strong])
    for kind, hex in exerting:
        for near in reaches[kind][hex]:
            mask[near] = 1
    held = set(places)
    for hex in forts:
        if hex not in held:
            mask[hex] = 0
    return bytes(mask)


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
