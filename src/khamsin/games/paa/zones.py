"""Zones of control (3) and the zones of forts (3, 11.1.5, 12.1.1)."""

from __future__ import annotations

from functools import lru_cache

from khamsin.games.paa.ground import OPEN_SIDES
from khamsin.games.paa.units import (
    ARMOURED,
    AXIS,
    BARDIA,
    BOARD,
    DATA,
    HEXES,
    ITALIAN,
    REGULAR_SPAN,
    REGULARS,
    TOBRUK,
    G,
)
from khamsin.kernel import data as files
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.pieces import Memo

FORTS = (TOBRUK, BARDIA)
FORT_ZONE = {
    hex: BOARD[area.data["fort"]] for area in BOARD.areas.values() if area.kind == "fort zone" for hex in area.hexes
}
"""Every hex of a fort's zone, with its fort."""
SHAKEN: int = files.read(DATA / "combat.toml")["reliability"]["shaken"]
"""Lost Italian infantry CF from which unsupported Italian infantry has no zone (15.2)."""
SUPPORTING = [not ITALIAN[u] or ARMOURED[u] for u in range(len(ITALIAN))]
"""Units that keep their zone, and that of Italian infantry in their hex (15.2)."""


def zone(g: G, side: int) -> bytes:
    """One byte a hex: 1 where a unit of this side exerts its zone of control (3)."""
    where = g.state.where
    key = (where.version, side, zones_shaken(g))
    return _ZONES.get(key) or _ZONES.keep(key, zone_of(side, tuple(where[REGULAR_SPAN[side]]), key[2]))


_ZONES: Memo[bytes] = Memo()


def zones_shaken(g: G) -> bool:
    """Whether Italian infantry without support has lost its zones (15.2)."""
    return g.state.italian_losses >= SHAKEN and g.options["reliability"] == "on"


@lru_cache(maxsize=4096)
def zone_of(side: int, places: tuple[int, ...], shaken: bool) -> bytes:
    """The zones of a side's regular units that stand in these places (3)."""
    mask = bytearray(HEXES)
    for hex in zone_hexes(side, places, shaken):
        mask[hex] = 1
    return bytes(mask)


@lru_cache(maxsize=4096)
def zone_hexes(side: int, places: tuple[int, ...], shaken: bool) -> frozenset[int]:
    """The same as a set of hexes."""
    near = [OPEN_SIDES[hex] for hex in exerting(side, places, shaken)]
    return frozenset().union(*near, [hex for hex, fort in FORT_ZONE.items() if fort in places])


@lru_cache(maxsize=4096)
def exerting(side: int, places: tuple[int, ...], shaken: bool) -> frozenset[int]:
    """The hexes whose regular units have a zone of control; a fort has its own besides (3, 15.2)."""
    held = frozenset(hex for hex in places if 0 <= hex < HEXES)
    if shaken and side == AXIS:
        held &= {hex for unit, hex in zip(REGULARS[AXIS], places, strict=True) if SUPPORTING[unit]}
    return held


def enemy_fort(g: G, side: int, hex: int) -> int | None:
    """The fort held by the enemy in whose zone a hex lies, if any (3)."""
    fort = FORT_ZONE.get(hex)
    if fort is not None and any(g.state.where[u] == fort for u in REGULARS[1 - side]):
        return fort
    return None


def zone_causes(g: G, side: int, hex: int) -> list[int]:
    """The units of a side in whose zones a hex lies, for explanations (3)."""
    where = g.state.where
    held = exerting(side, tuple(where[REGULAR_SPAN[side]]), zones_shaken(g)) | {FORT_ZONE.get(hex, NOWHERE)}
    return [u for u in REGULARS[side] if where[u] in held and hex in OPEN_SIDES[where[u]]]
