"""Zones of control (3) and the zones of forts (3, 11.1.5, 12.1.1)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from khamsin.games.paa.ground import LAYOUT, OPEN_SIDES
from khamsin.games.paa.units import (
    ALL,
    ARMOURED,
    AXIS,
    BARDIA,
    BOARD,
    DATA,
    DEPOT,
    DEPOT_SPAN,
    DEPOTS,
    HEXES,
    ITALIAN,
    LORRY_SPAN,
    REGULAR,
    REGULAR_SPAN,
    TOBRUK,
    G,
    name,
)
from khamsin.kernel import data as files
from khamsin.kernel.flood import CLOSED, STOP
from khamsin.mechanics.ways import APART, Bar
from khamsin.mechanics.zones import Zone, Zones

FORTS = (TOBRUK, BARDIA)
FORT_ZONE = {
    hex: BOARD[area.data["fort"]] for area in BOARD.areas.values() if area.kind == "fort zone" for hex in area.hexes
}
"""Every hex of a fort's zone, with its fort."""
AROUND_FORT = {fort: tuple(hex for hex, centre in FORT_ZONE.items() if centre == fort) for fort in FORTS}
SHAKEN: int = files.read(DATA / "combat.toml")["reliability"]["shaken"]
"""Lost Italian infantry CF from which unsupported Italian infantry has no ZOC (15.2)."""
SUPPORTING = [not ITALIAN[u] or ARMOURED[u] for u in range(len(ITALIAN))]
"""Units that keep their ZOC, and that of Italian infantry in their hex (15.2)."""


def zones_shaken(g: G) -> bool:
    """Whether Italian infantry without support has lost its ZOCs (15.2)."""
    return g.state.italian_losses >= SHAKEN and g.options["reliability"] == "on"


def projected(g: G, side: int, hex: int, stack: Sequence[int]) -> tuple[int, ...]:
    """Return the hexes into which a stack has a ZOC: those that regular units could enter, but not of shaken Italian
    infantry alone; and the zone of a fort that it occupies (3, 15.2)."""
    units = [unit for unit in stack if REGULAR[unit]]
    if not units:
        return ()
    fort = AROUND_FORT.get(hex, ())
    if side == AXIS and zones_shaken(g) and not any(SUPPORTING[unit] for unit in units):
        return fort
    return (*OPEN_SIDES[hex], *fort) if fort else OPEN_SIDES[hex]


def zones_depend_on(g: G, side: int) -> bool:
    """Return what the ZOCs of a side depend on besides its locations (15.2)."""
    return side == AXIS and zones_shaken(g)


ZONES = Zones(HEXES, projected, zones_depend_on)


class Footprint:
    """The hexes of a side's pieces, and their effect on an enemy that moves or traces supply."""

    def __init__(self, side: int, zone: Zone, barred: frozenset[int], depots: frozenset[int]) -> None:
        """From its ZOCs, the hexes of its units and lorries, and those of its installations."""
        self.side = side
        self.barred = barred
        """The hexes of its units and lorries, which the enemy cannot enter nor trace supply through (8.2, 11.1)."""
        self.lone_depots = depots - barred
        """The hexes where its installations are alone (11.1.6)."""
        self.exerting = zone.exerting
        """The hexes whose regular units have a ZOC, a fort's included (3, 15.2)."""
        self.zone = zone.hexes
        """The hexes in its ZOCs, one byte per hex (3)."""
        self.zoned = frozenset(np.frombuffer(zone.hexes, dtype=np.uint8).nonzero()[0].tolist())
        """The same as a set (3)."""

    @cached_property
    def line_mask(self) -> NDArray[np.uint8]:
        """Return what blocks an enemy supply line: units close a hex; a line may be traced out of a ZOC, not through it
        (8.2)."""
        mask = bytearray(self.zone)
        for hex in self.barred:
            mask[hex] = CLOSED
        return LAYOUT.spread(mask)

    @cached_property
    def way_mask(self) -> NDArray[np.uint8]:
        """Return the same for a moving enemy, which lone installations stop too (11.1, 11.1.4, 11.1.6)."""
        return np.maximum(self.line_mask, LAYOUT.mask(self.lone_depots))

    @cached_property
    def bars(self) -> tuple[Bar, ...]:
        """Return the bars of a moving enemy: ZOCs, from one of which no step leads to another, lone installations, and
        units (11.1, 11.1.4, 11.1.6). The hexes that exert a ZOC count as in it."""
        zone, causes = LAYOUT.spread(self.zone), partial(zone_names, side=self.side)
        return (
            Bar(STOP, zone | LAYOUT.mask(self.exerting), "11.1.4", "it must stop in {hex}, in the ZOC of {cause}", causes),
            Bar(APART, zone, "11.1.4", "{hex} is in the ZOC of {cause}, and no step leads from ZOC to ZOC", causes, zone),
            Bar(STOP, LAYOUT.mask(self.lone_depots), "11.1.6", "it must stop in {hex} to capture {cause}",
                partial(depots_in, side=self.side)),
            Bar(CLOSED, LAYOUT.mask(self.barred), "11.1", "{hex} is occupied by {cause}", partial(units_in, side=self.side)),
        )  # fmt: skip


@ZONES.kept
def front(g: G, side: int) -> Footprint:
    """Return the footprint of a side now."""
    where = g.state.where
    depots = set(where[DEPOT_SPAN[side]])
    held = {*where[REGULAR_SPAN[side]], *where[LORRY_SPAN[side]]}
    barred, alone = [frozenset([hex for hex in hexes if 0 <= hex < HEXES]) for hexes in (held, depots)]
    return Footprint(side, ZONES.of(g, side), barred, alone)


zone = ZONES.hexes
"""One byte per hex: 1 where a unit of this side exerts its ZOC (3)."""


def enemy_fort(g: G, side: int, hex: int) -> int | None:
    """Return the enemy fort in whose zone a hex is, if any (3)."""
    fort = FORT_ZONE.get(hex)
    if fort is not None and any(REGULAR[u] for u in g.state.where.stacks(1 - side).get(fort, ())):
        return fort
    return None


def zone_causes(g: G, side: int, hex: int) -> list[int]:
    """Return the units of a side in whose ZOC a hex is, for refusals (3)."""
    return [unit for unit in ZONES.exerting(g, side, hex) if REGULAR[unit]]


def zone_names(g: G, hex: int, side: int) -> list[str]:
    """Return the same by name; in a hex that only exerts a ZOC, the units there."""
    return [name(unit) for unit in zone_causes(g, side, hex)] or units_in(g, hex, side)


def units_in(g: G, hex: int, side: int) -> list[str]:
    """Return the units and lorries of a side in a hex, by name."""
    return [name(unit) for unit in ALL[side] if g.state.where[unit] == hex and not DEPOT[unit]]


def depots_in(g: G, hex: int, side: int) -> list[str]:
    """Return the installations of a side in a hex, by name."""
    return [name(unit) for unit in DEPOTS[side] if g.state.where[unit] == hex]
