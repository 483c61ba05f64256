"""Zones of control (SCS 5): the units that exert them, their extent, and their effect on an enemy that moves or traces
supply."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from khamsin.games.afrika.ground import LAYOUT, OPEN_SIDES, ZONE_COST
from khamsin.games.afrika.units import HEXES, G, forces_in, name
from khamsin.kernel.cache import cached
from khamsin.kernel.flood import CLOSED
from khamsin.mechanics.stacks import occupied
from khamsin.mechanics.ways import TOLL, Bar
from khamsin.mechanics.zones import Zones


def projected(g: G, side: int, hex: int, stack: Sequence[int]) -> tuple[int, ...]:
    """Every combat unit has a ZOC in the six hexes around it, but not across an escarpment without a road or track, nor where
    it could not go (1.5a, SCS 5.1, SCS 5.2)."""
    return OPEN_SIDES[hex]


ZONES = Zones(HEXES, projected)


def zone(g: G, side: int) -> bytes:
    """Return one byte per hex: 1 where a unit of a side exerts its ZOC (SCS 5.1)."""
    return ZONES.of(g, side).hexes


def in_zone(g: G, side: int, hex: int) -> bool:
    """Whether a hex is in a ZOC of a side."""
    return bool(zone(g, side)[hex])


zone_names = ZONES.names


class Front:
    """The effect of the units of a side on a moving enemy."""

    def __init__(self, g: G, side: int) -> None:
        self.occupied = occupied(g, side)
        nothing = np.zeros(HEXES, dtype=np.uint8)
        zoned = LAYOUT.spread(zone(g, side))
        self.cost = Bar(
            TOLL, nothing, "SCS 5.3", "with 2 MPs for entering the ZOC of {cause} {where} it is too far",
            partial(zone_names, side=side), into=zoned, toll=ZONE_COST,
        )  # fmt: skip
        """The cost of entering its ZOCs (SCS 5.3)."""
        self.closed = Bar(
            CLOSED, LAYOUT.mask(self.occupied), "SCS 3.6", "{cause} {where} can only be overrun from an adjacent hex",
            lambda g, hex: [name(unit) for unit in forces_in(g, side, hex)],
        )  # fmt: skip
        """The hexes of its units, which are entered by overrun only (SCS 3.6)."""


@cached(lambda g, side: g.state.where.versions[side])
def front(g: G, side: int) -> Front:
    """Return the effect of the units of a side on a moving enemy."""
    return Front(g, side)


@cached(lambda g, side: (side, *g.state.where.versions))
def traced(g: G, side: int) -> np.typing.NDArray[np.uint8]:
    """Return what closes supply paths of a side: enemy units, and their ZOCs where it has no unit (1.6c, 4.0, SCS 5.7)."""
    mask = bytearray(zone(g, 1 - side))
    for hex in g.state.where.stacks(side):
        if 0 <= hex < HEXES:
            mask[hex] = 0
    for hex in front(g, 1 - side).occupied:
        mask[hex] = 1
    return np.frombuffer(mask, dtype=np.uint8) * np.uint8(CLOSED)
