"""Zones of control (3) and the zones of forts (3, 11.1.5, 12.1.1)."""

from __future__ import annotations

from functools import lru_cache

from khamsin.games.paa.ground import OPEN_SIDES
from khamsin.games.paa.units import ARMOURED, BARDIA, BOARD, HEXES, ITALIAN, REGULARS, TOBRUK, G

FORTS = (TOBRUK, BARDIA)
FORT_ZONE = {
    hex: BOARD[area.data["fort"]] for area in BOARD.areas.values() if area.kind == "fort zone" for hex in area.hexes
}
"""Every hex of a fort's zone, with its fort."""
SHAKEN = 20
"""Lost Italian infantry CF from which unsupported Italian infantry has no zone (15.2)."""


def zone(g: G, side: int) -> bytes:
    """One byte a hex: 1 where a unit of this side exerts its zone of control (3)."""
    where = g.state.where
    units = REGULARS[side]
    held = {where[u] for u in units if 0 <= where[u] < HEXES}
    if side == 0 and g.options["reliability"] == "on" and g.state.italian_losses >= SHAKEN:
        held = {where[u] for u in units if 0 <= where[u] < HEXES and (not ITALIAN[u] or ARMOURED[u])}  # 15.2
    return _zone(frozenset(held))


@lru_cache(maxsize=2048)
def _zone(held: frozenset[int]) -> bytes:
    mask = bytearray(HEXES)
    for hex in held:
        for near in OPEN_SIDES[hex]:
            mask[near] = 1
    return bytes(mask)


def enemy_fort(g: G, side: int, hex: int) -> int | None:
    """The fort held by the enemy in whose zone a hex lies, if any (3)."""
    fort = FORT_ZONE.get(hex)
    if fort is not None and any(g.state.where[u] == fort for u in REGULARS[1 - side]):
        return fort
    return None


def zone_causes(g: G, side: int, hex: int) -> list[int]:
    """The units of a side in whose zones a hex lies, for explanations (3)."""
    where = g.state.where
    return [u for u in REGULARS[side] if 0 <= where[u] < HEXES and hex in OPEN_SIDES[where[u]]]
