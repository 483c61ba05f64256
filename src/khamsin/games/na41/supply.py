"""Lines of Supply (16.2, 16.3, 17.3): overland up to five hexes, then along roads, to an off-map box, a port or an MSU.

The first step of a line has its own rules: it may enter an enemy ZOC that does not overlap, and cross an escarpment
without a road (16.3.2).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from khamsin.games.na41 import zones
from khamsin.games.na41.ground import (
    EDGES,
    ESCARPMENT,
    HIGHWAY,
    JEBEL,
    LAND,
    LAYOUT,
    SECOND,
    TRACK,
    bits,
    by_road,
    entry_bits,
    network,
    start_node,
)
from khamsin.games.na41.units import (
    AROUND,
    BOARD,
    DELTA,
    EDGE_BOX,
    HEXES,
    LOCATIONS,
    MSU,
    OASES,
    OFF_MAP,
    PORTS,
    SIDE,
    SUPPLY,
    TRANSPORTED,
    TRIPOLI,
    TRUCKS,
    G,
    combat_units,
    held_by,
    holder,
    usable_capacity,
)
from khamsin.games.na41.zones import front, overlapping, zone
from khamsin.kernel.cache import cached, once
from khamsin.kernel.flood import CLOSED, FAR, NEVER, OPEN, Network
from khamsin.mechanics.supply import Nearest, RoadParts, obstacles

NONE, PORT, FULL = range(3)
"""The supply states of a unit (16.2)."""
LIMIT: int = SUPPLY["line"]["overland"]


def overland_cost(a: int, b: int) -> int:
    """Return the cost of a hex on the overland portion: Jebel without a road 2 (16.3.2)."""
    return int(SUPPLY["line"]["jebel"]) if JEBEL[b] and not (a < HEXES and by_road(a, b)) else 1


def _step(a: int, b: int) -> int:
    if a >= HEXES:
        return NEVER
    crossing = bits(a, b)
    return NEVER if crossing & ESCARPMENT and not crossing & (HIGHWAY | TRACK) else overland_cost(a, b)


_OVERLAND = network(_step, lambda hex, box: 1)
"""Overland lines."""
_BACK = _OVERLAND.reversed()
"""The same, traced backwards."""
ROADS = Network.of(BOARD, lambda a, d, b: 1 if LAND[a] and LAND[b] and by_road(a, b) else NEVER)
"""One point per hex along roads."""
ON_ROADS = frozenset([hex for hex, steps in enumerate(ROADS.steps) if steps])
"""The hexes from which a road leads on."""
BY_ROAD = {box: [hex for hex in area.hexes if entry_bits(box, hex)] for box, area in EDGES.items()}
"""The edge hexes that a road joins to a box (6.3.3)."""


_FIRST = network(lambda a, b: NEVER if a >= HEXES else overland_cost(a, b), lambda hex, box: NEVER)
"""The first steps of a line, which may also cross an escarpment (16.3.2)."""
_START = [start_node(hex, 0) for hex in range(HEXES)]
"""The node in which a line from each hex begins."""


def versions(g: G, side: int) -> Hashable:
    """Return what lines of a side depend on: the enemy's units and ZOCs, control, and the hexes that the side's own
    units open."""
    enemy = 1 - side
    return enemy, g.state.where.versions[enemy], zones.versions(g, enemy), g.state.control.version, opened(g, side)


@cached(
    lambda g, side: (
        side, g.state.where.versions[0], g.state.where.versions[1], zones.versions(g, 1 - side), g.state.control.version
    )
)  # fmt: skip
def opened(g: G, side: int) -> frozenset[int]:
    """The hexes where combat units of a side open lines: in enemy ZOCs, or in what the enemy controls (16.3.2, 16.3.3)."""
    enemy = 1 - side
    held = {hex for owners in (g.state.control, g.state.fort) for hex, owner in owners.items() if owner == enemy}
    zoned = zone(g, enemy)
    return frozenset([hex for hex in g.state.where.stacks(side) if hex in held or (hex < HEXES and zoned[hex])])


class Blocks:
    """The obstacles to lines of a side. `marks` has one byte per location: CLOSED where no line enters, STOP in an
    enemy ZOC, into which only the first step leads, and a value above both where the ZOCs overlap, into which not even
    that leads."""

    def __init__(self, g: G, side: int) -> None:
        enemy = 1 - side
        forts = [hex for hex, owner in g.state.fort.items() if owner == enemy]
        shut = [*front(g, enemy).occupied, *held_by(g, enemy), *forts, *OFF_MAP[enemy]]
        self.overland = obstacles(
            zone(g, enemy), overlapping(g, enemy), shut, list(opened(g, side)), LAYOUT, _OVERLAND.size
        )
        marks = self.overland[:LOCATIONS]
        self.marks = marks.tobytes()
        self.roads = RoadParts(ROADS, marks[:HEXES])

    @once
    def road(self) -> NDArray[np.uint8]:
        """By hex: CLOSED where no line follows a road."""
        return np.where(self.overland[:HEXES], np.uint8(CLOSED), np.uint8(OPEN))


@cached(versions, size=16)
def blocks(g: G, side: int) -> Blocks:
    """Return the obstacles to lines of a side now (16.3.2, 16.3.3)."""
    return Blocks(g, side)


class Field:
    """The overland distance of every hex from sources of supply, and whether a line of a limit reaches it."""

    def __init__(self, lines: Nearest, limit: int, at: frozenset[int]) -> None:
        self._lines = lines
        self.limit = limit
        self.at = at
        """The locations that supply: a unit there needs no line."""

    def cost(self, hex: int) -> int:
        """Return the overland hexes of the shortest line from a unit in a hex, FAR if there is none (16.3.2)."""
        if hex in self.at:
            return 0
        return self._lines.points(_START[hex]) if hex < HEXES else FAR

    def without(self, hexes: Iterable[int]) -> set[int]:
        """Return those of these hexes from which no line leads (16.3.1)."""
        at, locations = self.at, LAYOUT.locations
        starts = [_START[hex] for hex in hexes if hex not in at]
        return {locations[node] for node in self._lines.without(starts)}

    def __contains__(self, hex: int) -> bool:
        return hex in self.at or (hex < HEXES and self._lines.points(_START[hex]) != FAR)


def overland(g: G, side: int, sources: frozenset[int], limit: int) -> Field:
    """Return the overland distances from these locations (16.3.2, 17.3)."""
    return _overland(g, side, sources, limit)


@cached(lambda g, side, sources, limit: (versions(g, side), sources, limit), size=128)
def _overland(g: G, side: int, sources: frozenset[int], limit: int) -> Field:
    return _field(blocks(g, side), frozenset(), sources, limit)


def _field(shut: Blocks, parts: frozenset[int], sources: frozenset[int], limit: int) -> Field:
    """The overland hexes to the nearest of these sources and parts of the roads; a source in an enemy ZOC is only entered
    first."""
    nodes = []
    for hex in sources:
        if hex < HEXES and shut.marks[hex]:
            nodes += [] if shut.marks[hex] == CLOSED else [hex]
        else:
            nodes += [hex] if hex >= HEXES or not parts or shut.roads.part(hex) not in parts else []
            nodes += [SECOND[hex]] if hex in SECOND else []
    return Field(_lines(shut, parts, frozenset(nodes), limit), limit, sources)


@cached(lambda shut, parts, nodes, limit: (shut, parts, nodes, limit), size=64)
def _lines(shut: Blocks, parts: frozenset[int], nodes: frozenset[int], limit: int) -> Nearest:
    """Return the lines to these nodes and parts of the roads. Ports on the same road have the same."""
    ends = np.zeros(_OVERLAND.size, dtype=bool)
    shut.roads.mark(parts, ends)
    for node in nodes:
        ends[node] = True
    return Nearest(_OVERLAND, ends, limit, shut.overland, _FIRST)


@cached(lambda g, side, sources: (versions(g, side), sources), size=64)
def traced(g: G, side: int, sources: frozenset[int]) -> Field:
    """Return from where a Line of Supply leads to any of these locations: overland, or overland and by road (16.3.1)."""
    shut = blocks(g, side)
    first = {hex for hex in sources if hex in ON_ROADS and not shut.marks[hex]}
    for box in sources & {TRIPOLI, DELTA}:
        first |= {hex for hex in BY_ROAD[box] if not shut.marks[hex]}
    return _field(shut, shut.roads.of(first), sources, LIMIT)


def relays(g: G, side: int) -> dict[int, int]:
    """Return the MSUs of a side by hex, without those under a transport marker (16.3.4, 21.1.5)."""
    flags, where = g.state.flags, g.state.where
    return {
        where[truck]: truck
        for truck in TRUCKS[side]
        if flags[truck] & (MSU | TRANSPORTED) == MSU and 0 <= where[truck] < HEXES
    }


def network_of(g: G, side: int, sources: frozenset[int], links: Collection[int] | None = None) -> Field:
    """From where a line leads to these locations, or to an MSU with a line to them, and so on; over all MSUs, or over those in
    the hexes of `links` alone (16.3.4)."""
    links, found = relays(g, side) if links is None else links, sources
    while True:
        field = traced(g, side, found)
        joined = found | {hex for hex in links if hex not in found and hex in field}
        if joined == found:
            return field
        found = joined


@cached(lambda g, side: (versions(g, side), frozenset(relays(g, side))))
def full(g: G, side: int) -> Field:
    """Return from where there is Full Supply: a line to an off-map box (16.2)."""
    return network_of(g, side, frozenset([EDGE_BOX[side]]))


def ports(g: G, side: int) -> dict[int, int]:
    """Return the ports that supply a side, each with the number of units it can supply, without a repair of this
    impulse; with the option also oases (16.2, 21.4.4, 27.2, 27.4)."""
    found = {
        port: int(SUPPLY["port"]["units"]) * usable_capacity(g, port)
        for port in PORTS
        if holder(g, port) == side and usable_capacity(g, port)
    }
    if g.options.get("oasis-supply") == "on":
        found |= {hex: 1 for hex in OASES if not combat_units(g, 1 - side, hex)}
    return found


def port_field(g: G, side: int, port: int, links: Collection[int] | None = None) -> Field:
    """From where a line leads to a port, over all MSUs or those in the hexes of `links` (16.2, 16.3.4)."""
    return network_of(g, side, frozenset([port]), links)


def port_fields(g: G, side: int, links: Collection[int] | None = None) -> dict[int, Field]:
    """From where lines lead to each port that supplies a side, over all MSUs or those in some hexes (16.2, 16.3.4)."""
    return {port: port_field(g, side, port, links) for port in ports(g, side)}


def status(g: G, unit: int, location: int | None = None) -> int:
    """Return the supply of a unit now, or in another location: FULL, PORT or NONE (6.2, 16.2)."""
    return status_in(g, SIDE[unit], g.state.where[unit] if location is None else location)


def status_in(g: G, side: int, location: int) -> int:
    """Return the supply of units of a side in a location now: FULL, PORT or NONE (16.2)."""
    if location in OFF_MAP[side] or location in full(g, side):
        return FULL
    if location >= HEXES or location < 0:
        return NONE
    return PORT if any(location in port_field(g, side, port) for port in ports(g, side)) else NONE


def status_after(g: G, units: Sequence[int], path: Sequence[int]) -> int:
    """Return the supply of units after a march with combat units along a path: they have left their hexes, and control
    what they have entered (16.2, 16.3.5)."""
    control, side = g.state.control, SIDE[units[0]]
    taken = {hex: control[hex] for hex in path if control.get(hex, side) != side}
    with g.state.where.supposing(dict.fromkeys(units, path[-1])):
        try:
            for hex in taken:
                control[hex] = side
            return status_in(g, side, path[-1])
        finally:
            for hex, owner in taken.items():
                control[hex] = owner


def mask(g: G, side: int, sources: frozenset[int], enemies: Sequence[int] = ()) -> NDArray[np.bool_]:
    """Return by hex whether a line leads from there to any of these locations, if enemies were in further hexes too;
    the first step into an enemy ZOC is left out. For planning (16.3)."""
    shut = blocks(g, side)
    road, overland = shut.road.copy(), shut.overland.copy()
    friends = g.state.where.stacks(side)
    for hex in enemies:
        for near in (hex, *AROUND[hex]):
            if near == hex or near not in friends:
                road[near] = CLOSED
                overland[[near, *((SECOND[near],) if near in SECOND else ())]] = CLOSED
    first = {hex for hex in sources if hex < HEXES and not road[hex]}
    for box in sources & {TRIPOLI, DELTA}:
        first |= {hex for hex in BY_ROAD[box] if not road[hex]}
    if not first:
        return np.zeros(HEXES, dtype=bool)
    entered = ROADS.spread(np.array(sorted(first), dtype=np.uint16), FAR - NEVER, road)[0] != FAR
    found: NDArray[np.bool_] = _BACK.spread(entered.nonzero()[0].astype(np.uint16), LIMIT, overland)[0][:HEXES] != FAR
    found |= entered
    return found


def roads_to(g: G, side: int, hexes: Iterable[int]) -> list[int]:
    """Return the road hexes over which lines from the off-map box of a side lead to hexes, or to a road adjacent to
    them (16.3.3)."""
    shut = blocks(g, side)
    first = [hex for hex in BY_ROAD[EDGE_BOX[side]] if not shut.marks[hex]]
    if not first:
        return []
    distance, came, _ = ROADS.spread(np.array(first, dtype=np.uint16), FAR - NEVER, shut.road)
    found: set[int] = set()
    for hex in hexes:
        here = min((near for near in (hex, *AROUND[hex])), key=lambda near: int(distance[near]))
        while here >= 0 and distance[here] != FAR and here not in found:
            found.add(here)
            here = int(came[here])
    return sorted(found)


def in_range(g: G, side: int, source: int, hexes: Collection[int], limit: int) -> bool:
    """Whether any of these hexes is in range of an MSU, SP or ASU (17.3)."""
    if source in hexes:
        return True
    field = overland(g, side, frozenset([source]), limit)
    return any(hex in field for hex in hexes)
