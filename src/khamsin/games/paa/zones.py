"""Zones of control (3) and the zones of forts (3, 11.1.5, 12.1.1)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from khamsin.games.paa.ground import NODES, OPEN_SIDES, node_mask
from khamsin.games.paa.units import (
    ARMOURED,
    AXIS,
    BARDIA,
    BOARD,
    DATA,
    DEPOT_SPAN,
    HEXES,
    ITALIAN,
    LORRY_SPAN,
    REGULAR_SPAN,
    REGULARS,
    TOBRUK,
    G,
)
from khamsin.kernel import data as files
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import CLOSED, STOP
from khamsin.kernel.pieces import Memo, UnitLocations

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

    def __init__(
        self, held: frozenset[int], exerting: frozenset[int], lorries: frozenset[int], depots: frozenset[int]
    ) -> None:
        """From the hexes of its units, of those that have a zone, of its lorries and of its installations."""
        self._depots = depots
        self.barred = held | lorries
        """The hexes of its units and lorries, which the enemy cannot enter nor trace supply through (8.2, 11.1)."""
        self.exerting = exerting
        """The hexes whose regular units have a zone of control; a fort has its own besides (3, 15.2)."""
        near = [OPEN_SIDES[hex] for hex in exerting]
        self.zoned = frozenset().union(*near, [hex for hex, fort in FORT_ZONE.items() if fort in held])
        """The hexes of its zones (3)."""
        mask = bytearray(HEXES)
        for hex in self.zoned:
            mask[hex] = 1
        self.zone = bytes(mask)
        """The same as one byte a hex (3)."""

    @cached_property
    def line_marks(self) -> bytearray:
        """What bars an enemy supply line: units close a hex, zones are traced out of, not through (8.2)."""
        mask = bytearray(self.zone)
        for hex in self.barred:
            mask[hex] = CLOSED
        return node_mask(mask)

    @cached_property
    def way_mask(self) -> NDArray[np.uint8]:
        """What bars or stops an enemy on the move: units close a hex, zones and lone installations stop in it (11.1, 11.1.4,
        11.1.6)."""
        mask = bytearray(self.line_marks)
        for hex in self._depots - self.barred:
            for node in NODES[hex]:
                mask[node] = STOP
        return np.frombuffer(mask, dtype=np.uint8)


def front(g: G, side: int) -> Front:
    """The front of a side as things stand."""
    where = g.state.where
    key = (where.versions[side], zones_shaken(g))
    return _FRONTS.get(key) or _FRONTS.keep(key, _front_now(where, side, key[1]))


_FRONTS: Memo[Front] = Memo()


def _front_now(where: UnitLocations, side: int, shaken: bool) -> Front:
    """The front, found by the hexes that are held: who of a stack holds them matters only to shaken Italians (15.2)."""
    held, lorries, depots = (_on_map(where[span[side]]) for span in (REGULAR_SPAN, LORRY_SPAN, DEPOT_SPAN))
    exerting = held
    if shaken and side == AXIS:
        exerting &= {where[unit] for unit in REGULARS[AXIS] if SUPPORTING[unit]}
    return _front_of(held, exerting, lorries, depots)


def _on_map(places: Sequence[int]) -> frozenset[int]:
    return frozenset([hex for hex in places if 0 <= hex < HEXES])


_front_of = lru_cache(maxsize=256)(Front)


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
