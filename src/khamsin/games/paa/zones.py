"""Zones of control (3) and the zones of forts (3, 11.1.5, 12.1.1)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from khamsin.games.paa.ground import NODES, OPEN_SIDES, node_mask
from khamsin.games.paa.units import (
    ARMOURED,
    AXIS,
    BARDIA,
    BOARD,
    DATA,
    HEXES,
    ITALIAN,
    LORRIES,
    REGULARS,
    SPAN,
    TOBRUK,
    G,
)
from khamsin.kernel import data as files
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import CLOSED, STOP
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


class Front:
    """Where the pieces of a side stand, and what follows from it for the enemy. It changes only when one of them does, which
    is seldom while the enemy moves, so it is found once and asked often."""

    def __init__(self, side: int, places: Sequence[int], shaken: bool) -> None:
        """From where every piece of the side is, and whether Italian infantry without support has no zone."""
        units, self._depots = places[: len(REGULARS[side])], places[len(REGULARS[side]) : -len(LORRIES[side])]
        lorries = places[-len(LORRIES[side]) :]
        held = frozenset([hex for hex in units if 0 <= hex < HEXES])
        self.barred = held.union([hex for hex in lorries if 0 <= hex < HEXES])
        """The hexes of its units and lorries, which the enemy cannot enter nor trace supply through (8.2, 11.1)."""
        if shaken and side == AXIS:
            held &= {hex for unit, hex in zip(REGULARS[AXIS], units, strict=True) if SUPPORTING[unit]}
        self.exerting = held
        """The hexes whose regular units have a zone of control; a fort has its own besides (3, 15.2)."""
        near = [OPEN_SIDES[hex] for hex in held]
        self.zoned = frozenset().union(*near, [hex for hex, fort in FORT_ZONE.items() if fort in units])
        """The hexes of its zones (3)."""
        mask = bytearray(HEXES)
        for hex in self.zoned:
            mask[hex] = 1
        self.zone = bytes(mask)
        """The same as one byte a hex (3)."""

    @cached_property
    def line_mask(self) -> NDArray[np.uint8]:
        """What bars an enemy supply line: units close a hex, zones are traced out of, not through (8.2)."""
        mask = bytearray(self.zone)
        for hex in self.barred:
            mask[hex] = CLOSED
        return np.frombuffer(node_mask(mask), dtype=np.uint8)

    @cached_property
    def way_mask(self) -> NDArray[np.uint8]:
        """What bars or stops an enemy on the move: units close a hex, zones and lone installations stop in it (11.1, 11.1.4,
        11.1.6)."""
        mask = self.line_mask.copy()
        for hex in self._depots:
            if 0 <= hex < HEXES and hex not in self.barred:
                mask[list(NODES[hex])] = STOP
        return mask


def front(g: G, side: int) -> Front:
    """The front of a side as things stand."""
    where = g.state.where
    key = (where.versions[side], zones_shaken(g))
    return _FRONTS.get(key) or _FRONTS.keep(key, Front(side, where[SPAN[side]], key[1]))


_FRONTS: Memo[Front] = Memo()


def zone(g: G, side: int) -> bytes:
    """One byte a hex: 1 where a unit of this side exerts its zone of control (3)."""
    return front(g, side).zone


def zones_shaken(g: G) -> bool:
    """Whether Italian infantry without support has lost its zones (15.2)."""
    return g.state.italian_losses >= SHAKEN and g.options["reliability"] == "on"


def enemy_fort(g: G, side: int, hex: int) -> int | None:
    """The fort held by the enemy in whose zone a hex lies, if any (3)."""
    fort = FORT_ZONE.get(hex)
    if fort is not None and any(g.state.where[u] == fort for u in REGULARS[1 - side]):
        return fort
    return None


def zone_causes(g: G, side: int, hex: int) -> list[int]:
    """The units of a side in whose zones a hex lies, for explanations (3)."""
    where = g.state.where
    held = front(g, side).exerting | {FORT_ZONE.get(hex, NOWHERE)}
    return [u for u in REGULARS[side] if where[u] in held and hex in OPEN_SIDES[where[u]]]
