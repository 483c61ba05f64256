"""Zones of control (3.2): where they reach, where they do not, and whose they are."""

from __future__ import annotations

from functools import lru_cache

from khamsin.games.kasserine.ground import REACHES, is_raining
from khamsin.games.kasserine.units import (
    AXIS,
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
)
from khamsin.kernel.pieces import Memo


def zone(g: G, side: int) -> bytes:
    """One byte a hex: 1 where a combat unit of this side exerts its zone of control, its own hex among them (3.2.1)."""
    where = g.state.where
    key = (where.version, side, g.state.weather, g.state.rained)
    return _ZONES.get(key) or _ZONES.keep(key, zone_of(*_basis(g, side)))


_ZONES: Memo[bytes] = Memo()


def touch(g: G) -> None:
    """What zones depend on besides the places of units has changed: who is in Reserve, or a strongpoint. Whoever changes one
    of these calls this."""
    where = g.state.where
    where[0] = where[0]


Basis = tuple[int, tuple[int, ...], tuple[int, ...], bool, bool, frozenset[int]]


def _basis(g: G, side: int) -> Basis:
    """All that the zones of a side depend on."""
    state, span = g.state, FORCE_SPAN[side]
    reserve = tuple([flags & RESERVE for flags in state.flags[span]])
    forts = frozenset(hex for hex, owner in state.strongpoint.items() if owner != side)
    return side, tuple(state.where[span]), reserve, is_raining(g), bool(state.rained), forts


@lru_cache(maxsize=4096)
def zone_of(
    side: int, places: tuple[int, ...], reserve: tuple[int, ...], rain: bool, rained: bool, forts: frozenset[int]
) -> bytes:
    """The zones of a side's combat units that stand in these places (3.2, 8.2.3, 14.1.3)."""
    reaches = REACHES[rain]
    stacks: dict[int, set[int]] = {}
    strong: set[int] = set()
    mask = bytearray(HEXES)
    for unit, hex, held_back in zip(FORCES[side], places, reserve, strict=True):
        if not 0 <= hex < HEXES:
            continue
        mask[hex] = 1
        if held_back:
            continue
        stacks.setdefault(hex, set()).add(TIGER if rained and side == AXIS and IS_TIGER[unit] else CROSSES[unit])
        if not NO_ZONE[unit]:
            strong.add(hex)
    for hex in strong:
        for kind in stacks[hex]:
            for near in reaches[kind][hex]:
                if near not in forts:
                    mask[near] = 1
    return bytes(mask)


def in_enemy_zone(g: G, side: int, hex: int) -> bool:
    """Whether a hex lies in a zone of control of the other side (3.2.1)."""
    return bool(zone(g, 1 - side)[hex])


def exerting(g: G, side: int, hex: int) -> list[int]:
    """The combat units of a side whose zone of control reaches a hex from a neighbouring one (3.2.2, 3.2.4)."""
    state = g.state
    if state.strongpoint.get(hex, side) != side:
        return []
    reaches = REACHES[is_raining(g)]
    strong = {
        state.where[u]
        for u in FORCES[side]
        if 0 <= state.where[u] < HEXES and not state.flags[u] & RESERVE and not NO_ZONE[u]
    }
    return [
        u
        for u in FORCES[side]
        if state.where[u] in strong and not state.flags[u] & RESERVE and hex in reaches[crosses(g, u)][state.where[u]]
    ]
