"""Trace supply (OCS 11.2): the hexes that a supply source supplies, directly, along owned rails, or through a
headquarters."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from khamsin.games.tunisia import cooperation
from khamsin.games.tunisia.ground import DETRAINABLE, RAIL_HEXES, RAILS, bridged, bridged_back, bridges
from khamsin.games.tunisia.scenario import PORTS, setting
from khamsin.games.tunisia.supply import DRAW, flooded, throw_range, throwing, widened
from khamsin.games.tunisia.units import (
    BOARD,
    DG,
    DIVISIONS,
    EXTENDER,
    HEADQUARTERS_OF,
    HEXES,
    MODES,
    MOVE,
    RESERVE,
    SCALE,
    SIDE,
    STRAT,
    SUPPLY,
    TOKENS,
    TRANSPORT,
    TRUCK,
    G,
    on_map,
)
from khamsin.games.tunisia.zones import front
from khamsin.kernel.cache import cached
from khamsin.kernel.flood import CLOSED, NEVER, OPEN, Network

EXTENDED: int = SUPPLY["extender"]["range"] * SCALE
COAST_ROAD = BOARD["B62.07"]
_OPEN = np.array(OPEN, dtype=np.uint8)
RAIL_NET = Network.of(
    BOARD, lambda hex, direction, there: 1 if BOARD.hexside_bits[hex * 6 + direction] & RAILS else NEVER
)
"""The railways of both sides."""
RAIL_NODES = np.array(sorted(RAIL_HEXES))
RAIL_NEIGHBOURS = [tuple([near for near, _ in steps]) for steps in RAIL_NET.steps]


def own_sources(g: G, side: int) -> list[int]:
    """Return the supply sources of a side that no enemy closes or controls; a port needs a capacity of a SP, and B62.07
    the 8th Army (2.4b, 3.2a, OCS 11.2(1), OCS 11.2(2))."""
    paths = front(g, 1 - side).paths
    return [hex for hex in setting(g).sources[side] if paths[hex] == OPEN and is_source(g, side, hex)]


def is_source(g: G, side: int, hex: int) -> bool:
    """Whether a source works: a port in the hands of the side with a capacity of at least a SP; Entry Area E once the 8th
    Army is in play (3.2a, OCS 11.2(2))."""
    if hex == COAST_ROAD and setting(g).number in (3, 4):
        return bool(g.state.events.get("8th Army"))
    if hex not in PORTS:
        return True
    capacity: int = PORTS[hex].data["capacity"][g.state.damage.get(hex, 0)]
    return g.state.control.get(hex, side) == side and capacity >= TOKENS


def rail_reads(g: G, side: int) -> Hashable:
    """Return the versions of what the railheads of a side depend on."""
    where, state = g.state.where.versions, g.state
    return (
        where[0], where[1], state.flags.version, state.rail.version, state.control.version, state.damage.version,
        "8th Army" in state.events, g.scenario.name, side,
    )  # fmt: skip


@cached(rail_reads)
def railheads(g: G, side: int) -> frozenset[int]:
    """Return the detrainable hexes linked by owned rails to a source, and the sources (1.1a, OCS 11.2(1), OCS 12(2))."""
    return linked_to(g, side, own_sources(g, side))


def linked_to(g: G, side: int, sources: Sequence[int]) -> frozenset[int]:
    """Some sources and the detrainable hexes linked to them by owned rails. Un-negated enemy ZOCs and enemy units close rails;
    a headquarters in Combat Mode makes its rail hex detrainable (OCS 12(2))."""
    closed = (foreign_rails(g, side) | front(g, 1 - side).paths)[RAIL_NODES]
    return _linked(tuple(sources), frozenset(posts(g, side)), closed.tobytes())


@cached(lambda sources, camps, closed: (sources, camps, closed))
def _linked(sources: tuple[int, ...], camps: frozenset[int], closed: bytes) -> frozenset[int]:
    mask = np.full(HEXES, CLOSED, dtype=np.uint8)
    mask[RAIL_NODES] = np.frombuffer(closed, dtype=np.uint8)
    linked = RAIL_NET.spread(RAIL_NET.nodes_of(sources), HEXES, mask)[2].tolist()
    return frozenset([*sources, *[hex for hex in linked if hex in DETRAINABLE or hex in camps]])


@cached(lambda g, side: (side, g.state.rail.version))
def foreign_rails(g: G, side: int) -> NDArray[np.uint8]:
    """Return one byte per hex: CLOSED where a side owns no railway (1.1a)."""
    closed = np.full(HEXES, CLOSED, dtype=np.uint8)
    closed[[hex for hex, owner in g.state.rail.items() if owner == side]] = OPEN
    return closed


def posts(g: G, side: int) -> set[int]:
    """Return the hexes of the headquarters of a side in Combat Mode, or DG with that side up (OCS 10(2))."""
    out = MOVE | MODES & ~DG
    return {g.state.where[hq] for hq in HEADQUARTERS_OF[side] if on_map(g, hq) and not g.state.flags[hq] & out}


def extenders(g: G, side: int) -> tuple[int, ...]:
    """Return the hexes with an extender of a side (OCS 11.6)."""
    trucks = [unit for unit in g.state.flags.having(EXTENDER) if SIDE[unit] == side and on_map(g, unit)]
    hexes = [g.state.where[unit] for unit in trucks]
    return tuple(sorted({hex for hex in hexes if hexes.count(hex) >= SUPPLY["extender"]["points"]}))


@cached(lambda heads: heads)
def _around(heads: tuple[int, ...]) -> tuple[NDArray[np.bool_], NDArray[np.uint16]]:
    """Return by hex whether it is one of some sources, and these with the adjacent hexes."""
    at = np.zeros(HEXES, dtype=np.bool_)
    at[list(heads)] = True
    return at, widened(at).nonzero()[0].astype(np.uint16)


class Trace:
    """The hexes of a side that trace supply, by their supplier: each source, each headquarters."""

    def __init__(self, g: G, side: int) -> None:
        self.mask = front(g, 1 - side).paths
        self.bridges = bridges(g, side)
        self.heads = sorted(self._linked(g, side))
        only = setting(g).only_for
        self.open_heads = [hex for hex in self.heads if hex not in only]
        self.direct = self._fed(self.open_heads)
        """The hexes that draw from any source but those of one division."""
        self.special = {only[hex]: self._fed([hex]) for hex in self.heads if hex in only}
        self.feeders: dict[int, NDArray[np.bool_]] = {}
        """By headquarters that itself traces: the hexes to which it throws."""
        for hq in throwing(g, side):
            if self.direct[g.state.where[hq]]:
                self.feeders[hq] = flooded(g, side, g.state.where[hq], throw_range(g, hq))

    @cached_property
    def supplied(self) -> NDArray[np.bool_]:
        """The hexes in which an independent unit is in supply."""
        return np.asarray(np.logical_or.reduce([self.direct, *self.feeders.values()]))

    def _fed(self, heads: Iterable[int]) -> NDArray[np.bool_]:
        """Return the hexes from which a unit draws from one of these (OCS 11.1(1))."""
        at, near = _around(tuple(heads))
        starts = near[self.mask[near] == _OPEN]
        if not len(starts):
            return at
        distance = bridged_back(TRUCK, self.bridges).spread(starts, DRAW, self.mask)[0]
        return np.asarray((distance[:HEXES] <= DRAW) | at)

    def _linked(self, g: G, side: int) -> set[int]:
        """Return the railheads and sources, and the extenders within their range of one, or of an extender that is.
        These count as sources too, also of the railway in their hex (OCS 11.2(1), OCS 11.6)."""
        heads, waiting = set(railheads(g, side)), set(extenders(g, side))
        while waiting:
            near = self.extended(heads)
            found = tuple([hex for hex in waiting if near[hex]])
            if not found:
                break
            waiting.difference_update(found)
            heads |= {*found, *linked_to(g, side, [hex for hex in found if g.state.rail.get(hex) == side])}
        return heads

    def extended(self, heads: Iterable[int]) -> NDArray[np.bool_]:
        """Return the hexes within the range of an extender of some sources, and those adjacent (OCS 11.6)."""
        starts = [hex for hex in heads if self.mask[hex] == OPEN]
        if not starts:
            return np.zeros(HEXES, dtype=np.bool_)
        net = bridged(TRUCK, self.bridges)
        distance = net.spread(np.array(starts, dtype=np.uint16), EXTENDED, self.mask)[0]
        return widened(distance[:HEXES] <= EXTENDED)

    def heads_near(self, hexes: Iterable[int]) -> list[int]:
        """Return the sources from which one of these hexes could draw if no enemy were on the path."""
        near = bridged(TRUCK, self.bridges).near(list(hexes), DRAW, BOARD.adjacency).tobytes()
        return [head for head in self.open_heads if near[head]]

    @cached_property
    def _by_head(self) -> dict[int, NDArray[np.bool_]]:
        return {}

    def by_head(self, head: int) -> NDArray[np.bool_]:
        """Return the hexes that draw from one source."""
        if head not in self._by_head:
            self._by_head[head] = self._fed([head])
        return self._by_head[head]


@cached(lambda g, side: (g.state.where.versions[0], g.state.where.versions[1], g.state.flags.version, g.state.rail.version,
                         g.state.where.versions[TRANSPORT + side], g.state.control.version, g.state.damage.version,
                         "8th Army" in g.state.events, g.scenario.name, side))  # fmt: skip
def trace(g: G, side: int) -> Trace:
    """Return the trace supply of a side. It is the same object as long as nothing that it depends on has changed."""
    flags, where = g.state.flags, g.state.where
    posts = tuple([(where[hq], flags[hq] & (MOVE | STRAT | RESERVE)) for hq in HEADQUARTERS_OF[side]])
    return _trace(
        g,
        side,
        (
            front(g, 1 - side),
            g.state.rail.version,
            g.scenario.name,
            tuple(own_sources(g, side)),
            posts,
            extenders(g, side),
            bridges(g, side),
        ),
    )


@cached(lambda g, side, reads: (side, reads))
def _trace(g: G, side: int, reads: Hashable) -> Trace:
    return Trace(g, side)


def unfed(g: G, side: int, division: str) -> list[int]:
    """Return the units of a division that do not trace: all trace by one headquarters or source, the one that supplies
    most of them (OCS 11.2(3))."""
    field = trace(g, side)
    units = [unit for unit in DIVISIONS[division] if on_map(g, unit)]
    hexes = [g.state.where[unit] for unit in units]
    ways = [mask for hq, mask in field.feeders.items() if cooperation.serves(g, hq, units)]
    ways += [field.special[division]] if division in field.special else []
    if any(all(way[hex] for hex in hexes) for way in ways):
        return []
    ways += [field.by_head(head) for head in field.heads_near(hexes)] if any(field.direct[hex] for hex in hexes) else []
    fed = max(ways, key=lambda way: sum([bool(way[hex]) for hex in hexes]), default=None)
    return units if fed is None else [unit for unit in units if not fed[g.state.where[unit]]]


def traces(g: G, side: int, unit: int) -> bool:
    """Whether an independent unit, or a unit without regard to its division, traces supply in its hex (OCS 11.2(1))."""
    field, hex = trace(g, side), g.state.where[unit]
    if not field.supplied[hex] or field.direct[hex] or not cooperation.is_played(g):
        return bool(field.supplied[hex])
    return any(mask[hex] for hq, mask in field.feeders.items() if cooperation.serves(g, hq, [unit]))  # 4.0b
