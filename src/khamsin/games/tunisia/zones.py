"""Zones of control (OCS 4): the units that exert them, and their effect on trucks, supply paths and modes."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from khamsin.games.tunisia.ground import LAYOUT, OUTSIDE_NODES
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.units import (
    AROUND,
    BOARD,
    EXPLOIT,
    HEXES,
    HIDDEN,
    MODES,
    MOVE,
    OOS,
    UNITS,
    G,
    attack_capable,
    can_attack,
    forces_in,
    name,
)
from khamsin.kernel.cache import cached
from khamsin.kernel.flood import CLOSED, STOP
from khamsin.mechanics.stacks import occupied
from khamsin.mechanics.ways import Bar
from khamsin.mechanics.zones import Contacts, Directions

_WITHOUT = MOVE | OOS | HIDDEN | MODES & ~EXPLOIT


def exerts(g: G, unit: int) -> bool:
    """Whether a unit has a ZOC: attack-capable, in Combat Mode or with an exploit marker and the Combat side up, not out of
    supply. A unit without a face has none: one with a ZOC is on top of its stack (OCS 3(4), OCS 4(1))."""
    return not g.state.flags[unit] & _WITHOUT and can_attack(g, unit)


_DIRECTIONS = Directions(BOARD.neighbours)
_CONTACTS = Contacts(HEXES)
_CAPABLE = [attack_capable(unit, 0) for unit in UNITS]


@cached(lambda g, side: (g.state.where.versions[side], g.state.flags.version))
def exerting(g: G, side: int) -> frozenset[int]:
    """Return the hexes from which a side exerts a ZOC (OCS 4(1))."""
    flags, stacks = g.state.flags, g.state.where.stacks(side)
    fit = [(hex, unit) for hex, stack in stacks.items() if hex < HEXES for unit in stack if _CAPABLE[unit]]
    return frozenset([hex for hex, unit in fit if not flags[unit] & _WITHOUT])


@cached(lambda hexes: hexes)
def _zone(hexes: frozenset[int]) -> bytes:
    return (_DIRECTIONS.bits(list(hexes)) > 0).tobytes()


def zone(g: G, side: int) -> bytes:
    """Return one byte per hex: 1 where a unit of a side exerts its ZOC: all six hexes around it, whatever the terrain
    (OCS 4(1))."""
    return _zone(exerting(g, side))


def in_zone(g: G, side: int, hex: int) -> bool:
    """Whether a hex is in a ZOC of a side."""
    return 0 <= hex < HEXES and bool(zone(g, side)[hex])


def zone_names(g: G, hex: int, side: int) -> list[str]:
    """Return the units of a side in whose ZOC a hex is; in a hex that exerts one, the units there."""
    exerted = exerting(g, side)
    near = sorted([unit for at in AROUND[hex] if at in exerted for unit in forces_in(g, side, at)])
    return [name(unit) for unit in near if exerts(g, unit)] or names_in(g, hex, side)


def names_in(g: G, hex: int, side: int) -> list[str]:
    """Return the combat units of a side in a hex, by name, as far as they are known; else the hex (OCS 3(4))."""
    return known_in(g, hex, side) or [g.board.name(hex)]


def known_in(g: G, location: int, side: int) -> list[str]:
    """Return the combat units of a side in a location that are known, by name (OCS 3(4))."""
    return [name(unit) for unit in forces_in(g, side, location) if not g.state.flags[unit] & HIDDEN]


class Front:
    """The effect of the units of a side on an enemy that moves or traces supply."""

    def __init__(self, side: int, occupied: frozenset[int], zones: bytes, negated: frozenset[int], area: str) -> None:
        """`occupied` are the hexes of its combat units, `zones` its ZOCs, `negated` the hexes of them with enemies, `area` is
        that of the scenario."""
        self.occupied = occupied
        zoned = bytearray(zones)
        for hex in negated:
            zoned[hex] = 0
        self.bare = bytes(zoned)
        """The hexes of its ZOCs that no combat unit of the enemy negates (OCS 4(2))."""
        self.stop = Bar(
            STOP, LAYOUT.spread(self.bare), "OCS 4(2)", "trucks must stop in the ZOC of {cause} {where}",
            partial(zone_names, side=side),
        )  # fmt: skip
        """Trucks must stop there."""
        self.closed = Bar(
            CLOSED, LAYOUT.mask(self.occupied), "OCS 7", "enemy units are {where}, to be overrun only from an adjacent hex",
            partial(names_in, side=side),
        )  # fmt: skip
        """The hexes of its combat units."""
        mask = np.frombuffer(self.bare, dtype=np.uint8) * np.uint8(CLOSED)
        mask[list(self.occupied)] = CLOSED
        mask[OUTSIDE_NODES[area]] = CLOSED
        self.paths: NDArray[np.uint8] = mask
        """What closes supply paths in truck MPs, and rails; they do not leave the area (Scenario 1-6, OCS 11.1(3))."""
        all_zones = Bar(
            CLOSED, LAYOUT.spread(zones), "OCS 5", "Strat Mode cannot enter the ZOC of {cause} {where}",
            partial(zone_names, side=side),
        )  # fmt: skip
        self.strat = all_zones
        """Strat Mode never enters a ZOC (OCS 5)."""


@cached(
    lambda g, side: (g.state.where.versions[0], g.state.where.versions[1], g.state.flags.version, g.scenario.name, side)
)
def front(g: G, side: int) -> Front:
    """Return the effect of the units of a side on the enemy. It is the same object while the effect is the same."""
    zones = zone(g, side)
    return _front(side, occupied(g, side), zones, _CONTACTS.of(g.state.where, 1 - side, zones), setting(g).area)


@cached(lambda side, occupied, zones, negated, area: (side, occupied, zones, negated, area))
def _front(side: int, occupied: frozenset[int], zones: bytes, negated: frozenset[int], area: str) -> Front:
    return Front(side, occupied, zones, negated, area)
