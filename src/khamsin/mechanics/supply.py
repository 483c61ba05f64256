"""Supply lines: the relay chain, and the line overland and by road.

The relay chain: a unit traces a line to a relay (an installation, a dump, an HQ), a relay to the next, the last to a
terminal. Each segment is at most a number of movement points long. Enemy units close hexes. A line may be traced out of
an enemy ZOC but not through one, except in a hex that a friendly unit opens. A game without relays traces to terminals
alone.

A game states the pieces of both sides in a `Situation`; `Chains` finds the `Lines`:

```python
CHAINS = Chains(UNIT_NET, LAYOUT, limit=20, situation=situation, key=lambda g, side: g.state.control.version)
CHAINS.lines(g, side).reach(hex)
```

The line overland and by road: a unit traces overland to a road, at most a number of points, and along the road to a
source. A `RoadLine` is one kind of it; `RoadLines` are those of a game:

```python
DRY = RoadLine(ROADS, GROUND, LAYOUT, length=5)
ROUTES = RoadLines(lambda g, kind: (DRY,), sources, obstacles, key=lambda g, side: g.state.source.version)
ROUTES.field(g, side)[hex]
```
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.cache import CHECK_EVERY, cached, once
from khamsin.kernel.flood import CLOSED, FAR, OPEN, Network, compiled
from khamsin.kernel.pieces import CLOCK
from khamsin.mechanics.ways import ANY_COST, Bar, Layout

# The relay chain


LINES_KEPT = 32
"""How many lines a game caches. They are large, and old ones are rarely needed again."""


class Enemy(Protocol):
    """The enemy as lines see it; the same object while nothing of it changes."""

    @property
    def line_mask(self) -> NDArray[np.uint8]:
        """One byte per node: CLOSED where a line cannot pass, STOP where it can only begin, such as in a ZOC."""


class Situation(NamedTuple):
    """Everything that the lines of a side depend on, by hex. Equal situations have the same lines."""

    relays: frozenset[int]
    terminals: frozenset[int]
    sources: frozenset[int]
    """Hexes that supply without a relay: terminals supply over a whole line, others only units in them."""
    enemy: Enemy
    opened: frozenset[int]
    """The hexes of enemy ZOCs that a friendly unit opens."""

    @property
    def always(self) -> frozenset[int]:
        """The terminals that supply units without a relay."""
        return self.sources & self.terminals

    def usable(self, hex: int) -> bool:
        """Whether a line from elsewhere may end in a hex."""
        return hex in self.opened or self.enemy.line_mask[hex] == OPEN


class Chains:
    """The relay chains of a game."""

    def __init__(
        self,
        net: Network,
        layout: Layout,
        limit: int,
        situation: Callable[[Any, int, Collection[int], int], Situation],
        key: Callable[[Any, int], Hashable] = lambda g, side: None,
        moves_freely: Callable[[Any, int, int, int, int], bool] = lambda g, side, unit, left, entered: False,
    ) -> None:
        """Lines are traced from unit to relay over `net`, at most `limit` points long. `situation(g, side, without,
        also_in)` is that of a side without some of its pieces and with a unit in one more hex. `key` returns the
        versions of all that it reads besides unit locations. `moves_freely(g, side, unit, left, entered)` is a quick
        test whether a move of a unit of the side leaves the situation the same, as long as the enemy does not move."""
        self.net = net
        self.back = net.reversed()
        """The reversed network, for floods from relays towards the units that trace to them."""
        self.layout = layout
        self.limit = limit
        self._situation = situation
        self._moves_freely = moves_freely
        self._last: dict[int, tuple[Any, int, int, int, Lines]] = {}
        """The last lines of each side, with the state, the time, and the versions of the locations of the enemy and the
        side."""

        def versions(g: Any, side: int, without: Collection[int] = (), also_in: int = NOWHERE) -> Hashable:
            seen = g.state.where.versions
            return side, seen[0], seen[1], key(g, side), also_in, *without

        self.dry: Callable[[bytes, frozenset[int], str, str], Bar] = cached(lambda *given: given)(self._dry)
        """Return the bar where a unit would be out of supply: from one byte per hex, 1 where it would not, and the
        hexes where it never is. Different lines often supply the same hexes; then the bar is the same."""
        self._lines: Callable[..., Lines] = cached(versions, LINES_KEPT)(self._find)
        self._of: Callable[[Situation], Lines] = cached(lambda situation: situation, LINES_KEPT)(self._trace)
        by_hexes = cached(lambda hexes: hexes)
        self.nodes: Callable[[frozenset[int]], NDArray[np.uint16]] = by_hexes(self._nodes)
        """Return the nodes of some hexes, as floods take them."""
        self.rows: Callable[[frozenset[int]], tuple[list[int], NDArray[np.uint16]]] = by_hexes(self._rows)
        """Return some hexes in order, and a row for each with its nodes, the last repeated if it has fewer than others.
        """

    def _nodes(self, hexes: frozenset[int]) -> NDArray[np.uint16]:
        return self.back.nodes_of([node for hex in sorted(hexes) for node in self.layout.nodes[hex]])

    def _rows(self, hexes: frozenset[int]) -> tuple[list[int], NDArray[np.uint16]]:
        order = sorted(hexes)
        rows = [self.layout.nodes[hex] for hex in order]
        width = max([len(row) for row in rows], default=1)
        nodes = [node for row in rows for node in (*row, *row[-1:] * (width - len(row)))]
        return order, self.back.nodes_of(nodes).reshape(-1, width)

    def _dry(self, supplied: bytes, fed: frozenset[int], rule: str, text: str) -> Bar:
        mask = 1 - np.frombuffer(supplied, dtype=np.uint8)
        mask[list(fed)] = 0
        return Bar(CLOSED, self.layout.spread(mask), rule, text)

    def lines(self, g: Any, side: int, without: Collection[int] = (), also_in: int = NOWHERE) -> Lines:
        """Return the lines of a side now, or as they would be. Most moves change no line and return the last ones."""
        if without or also_in != NOWHERE:
            return self._lines(g, side, without, also_in)
        state, last = g.state, self._last.get(side)
        where = state.where
        own, enemy, now = where.versions[side], where.versions[1 - side], CLOCK.now
        if last is not None and not CHECK_EVERY:
            owner, time, facing, version, found = last
            if facing == enemy and time == now and owner is state:
                if version == own:
                    return found
                if self._moved_freely(g, side, where.moves_since(side, version)):
                    self._last[side] = state, now, enemy, own, found
                    return found
        found = self._lines(g, side)
        self._last[side] = state, now, enemy, own, found
        return found

    def _moved_freely(self, g: Any, side: int, moves: list[tuple[int, int, int]] | None) -> bool:
        """Whether all moves are known and none affects the lines of the side."""
        if moves is None:
            return False
        for unit, left, entered in moves:  # noqa: SIM110 (`all` with a generator takes three times as long)
            if not self._moves_freely(g, side, unit, left, entered):
                return False
        return True

    def _find(self, g: Any, side: int, without: Collection[int] = (), also_in: int = NOWHERE) -> Lines:
        return self._of(self._situation(g, side, without, also_in))

    def _trace(self, situation: Situation) -> Lines:
        return Lines(self, situation)


class Lines:
    """The supply lines of a side: the hexes from which a relay with a chain to a terminal can be reached."""

    INCOMPARABLE = ("_dry",)

    def __init__(self, chains: Chains, situation: Situation) -> None:
        self.chains = chains
        self.situation = situation
        self.mask = self._bars()
        """One byte per node: the bars of a line."""
        self.relays, self._field = self._chain()
        """The relays with a valid line to a terminal."""
        supplied = bytearray((self._field <= chains.limit).tobytes())
        for hex in self.relays | situation.sources:
            supplied[hex] = True
        self.supplied = bytes(supplied)
        """One byte per hex: 1 where a unit is in supply."""
        self._dry: dict[tuple[frozenset[int], str], Bar] = {}

    def reach(self, hex: int) -> bool:
        """Whether a unit in this hex is in supply."""
        return self.supplied[hex] == 1

    def lost_in(self, then: Lines) -> frozenset[int]:
        """Return the hexes that are in supply by these lines but not by others."""
        if self.supplied == then.supplied:
            return frozenset()
        before, after = np.frombuffer(self.supplied, np.uint8), np.frombuffer(then.supplied, np.uint8)
        return frozenset((before > after).nonzero()[0].tolist())

    @cached_property
    def _made_bars(self) -> dict[Hashable, Bar]:
        return {}

    @cached_property
    def _feeding(self) -> dict[int, bytes]:
        return {}

    @cached_property
    def _with(self) -> dict[int, bytes]:
        return {}

    @cached_property
    def _ranges(self) -> dict[Hashable, Sequence[int]]:
        return {}

    @cached_property
    def distance(self) -> list[int]:
        """The points from each hex to the nearest relay or source; FAR beyond the limit."""
        distance: list[int] = self._field.tolist()
        return distance

    @cached_property
    def dead(self) -> NDArray[np.uint8]:
        """One byte per node: 1 where another relay would have no line to a terminal."""
        ends = self.situation.terminals | self.relays
        joined = self._flood(ends, self.chains.limit) <= self.chains.limit
        joined[list(ends)] = True
        return self.chains.layout.spread((~joined).view(np.uint8))

    def feeding(self, hex: int) -> bytes:
        """Return one byte per hex: 1 where another relay would supply a unit in this one."""
        if hex not in self._feeding:
            chains = self.chains
            from_here = chains.net.spread(chains.net.alone(hex), chains.limit, self.mask)[0] <= chains.limit
            for apart, nodes in chains.layout.several.items():
                from_here[apart] = from_here[list(nodes)].any()
            from_here &= (self.dead | self.mask) == OPEN
            from_here[hex] = not self.dead[hex]
            self._feeding[hex] = from_here.tobytes()
        return self._feeding[hex]

    def with_relay(self, hex: int) -> bytes:
        """Return one byte per hex: 1 where a unit would be in supply with another relay in a hex. It may join relays that
        have no line to a terminal now."""
        found = self._with.get(hex)
        if found is None:
            found = self._with[hex] = self._supplied_with(hex)
        return found

    def _supplied_with(self, hex: int) -> bytes:
        if self.dead[hex]:
            return self.supplied
        supplied, chains = np.frombuffer(self.supplied, np.uint8).copy(), self.chains
        apart, fresh = self.situation.relays - self.relays, [hex]
        while fresh:
            supplied[fresh] = 1
            field = self._flood(fresh, chains.limit)
            supplied |= field <= chains.limit
            fresh = [relay for relay in apart if field[relay] <= chains.limit] if apart else []
            apart = apart.difference(fresh)
        return supplied.tobytes()

    def useless_relays(self, units: Iterable[int], hexes: Iterable[int]) -> list[int]:
        """Return those of these hexes in which another relay would not bring units in all of the first hexes into supply."""
        hungry = [unit for unit in units if not self.supplied[unit]]
        if self.relays == self.situation.relays:  # it would join no other relay
            fields = [self.feeding(unit) for unit in hungry]
            return [hex for hex in hexes if 0 in [field[hex] for field in fields]]
        return [hex for hex in hexes if not all(map(self.with_relay(hex).__getitem__, hungry))]

    def range_from(self, hexes: frozenset[int], limit: int, occupied: frozenset[int] = frozenset()) -> Sequence[int]:
        """Return the points from each hex to the nearest of these, FAR beyond a limit; none for units in `occupied`."""
        key = hexes, limit, occupied
        if key not in self._ranges:
            distance = self._flood(hexes, limit)
            distance[list(occupied)] = 0
            self._ranges[key] = memoryview(distance.data)
        return self._ranges[key]

    def dry(self, fed: frozenset[int], rule: str, text: str) -> Bar:
        """Return the bar of hexes in which a unit would be out of supply; in some it is always in supply."""
        bar = self._dry.get((fed, rule))
        if bar is None:
            bar = self._dry[fed, rule] = self.chains.dry(self.supplied, fed, rule, text)
        return bar

    def unjoined(self, rule: str, text: str) -> Bar:
        """Return the bar of hexes in which another relay would have no line to a terminal."""
        if rule not in self._made_bars:
            self._made_bars[rule] = Bar(CLOSED, self.dead, rule, text)
        return self._made_bars[rule]

    def _bars(self) -> NDArray[np.uint8]:
        """Return the bars of a line: the enemy, without ZOCs in hexes of friendly units."""
        mask, opened = self.situation.enemy.line_mask, self.situation.opened
        if not opened:
            return mask
        marks, nodes = bytearray(mask), self.chains.layout.nodes
        for hex in opened:
            for node in nodes[hex]:
                marks[node] = OPEN
        return np.frombuffer(marks, dtype=np.uint8)

    def _chain(self) -> tuple[frozenset[int], NDArray[np.int16]]:
        """Return the relays that a chain of segments joins to a terminal, and the points from every hex to the nearest
        of them or to a source."""
        situation, chains = self.situation, self.chains
        at_terminal = situation.relays & situation.terminals
        away = situation.relays - at_terminal
        order, rows = chains.rows(away)
        joined, field = chains.back.relay(
            chains.nodes(situation.terminals),
            chains.nodes(situation.always | at_terminal),
            rows,
            chains.limit,
            self.mask,
        )
        return at_terminal | {order[i] for i in joined}, field[: chains.layout.size]

    def _flood(self, hexes: Iterable[int], limit: int) -> NDArray[np.int16]:
        """Return the points from every hex to the nearest of these, as a unit would move."""
        starts, chains = self.ends(hexes), self.chains
        if not starts:
            return np.full(chains.layout.size, FAR, dtype=np.int16)
        return chains.back.spread(np.array(starts, dtype=np.uint16), limit, self.mask)[0][: chains.layout.size]

    def ends(self, hexes: Iterable[int]) -> list[int]:
        """Return the nodes of those of these hexes in which a line from elsewhere may end."""
        nodes, usable = self.chains.layout.nodes, self.situation.usable
        return [node for hex in hexes if usable(hex) for node in nodes[hex]]


# The line overland and by road


def _content(starts: frozenset[int], mask: bytes) -> Hashable:
    return starts, mask


OVERLAPPED = 4
"""The bit of a location in overlapping ZOCs, beyond STOP and CLOSED."""


def obstacles(
    zones: bytes, overlapping: bytes, closed: Sequence[int], opened: Sequence[int], layout: Layout, size: int
) -> NDArray[np.uint8]:
    """Return what is in the way of lines, for the first nodes of a network of a size those of a layout: STOP in ZOCs, with
    OVERLAPPED where they overlap, CLOSED in closed locations, and OPEN in opened ones, whatever else they are.

    >>> obstacles(bytes([1, 2, 0, 1]), bytes([0, 1, 0, 0]), [0, 2], [0], Layout([0, 1, 2, 3, 1]), 6).tolist()
    [0, 5, 2, 1, 5, 0]
    """
    found = np.zeros(size, dtype=np.uint8)
    _obstacles(
        np.frombuffer(zones, dtype=np.uint8), np.frombuffer(overlapping, dtype=np.uint8),
        np.array(closed, dtype=np.intp), np.array(opened, dtype=np.intp), layout.second, found,
    )  # fmt: skip
    return found


@compiled
def _obstacles(
    zones: NDArray[np.uint8],
    overlapping: NDArray[np.uint8],
    closed: NDArray[np.intp],
    opened: NDArray[np.intp],
    second: NDArray[np.intp],
    found: NDArray[np.uint8],
) -> None:
    size = zones.shape[0]
    for i in range(size):
        if zones[i]:
            found[i] = 5 if overlapping[i] else 1
    for location in closed:
        found[location] = 2
    for location in opened:
        found[location] = 0
    for i in range(second.shape[0]):
        found[size + i] = found[second[i]]


class RoadParts:
    """The parts into which nodes that are not open divide a road network. Its steps must lead both ways: then from any node
    of a part the whole part is reached, and nothing else.

    >>> from khamsin.kernel.board import NOWHERE
    >>> line = Network([[1, NOWHERE], [2, 0], [3, 1], [NOWHERE, 2]], [[1, 1], [1, 1], [1, 1], [1, 1]])
    >>> parts = RoadParts(line, np.array([0, 0, CLOSED, 0], dtype=np.uint8))
    >>> parts.of([1]) == parts.of([0]), parts.of([1]) == parts.of([3])
    (True, False)
    >>> nodes = np.zeros(4, dtype=np.bool_)
    >>> parts.mark(parts.of([1]), nodes)
    >>> nodes.tolist()
    [True, True, False, False]
    """

    def __init__(self, roads: Network, mask: NDArray[np.uint8]) -> None:
        self._roads = roads
        self._mask = mask

    @once
    def _numbers(self) -> NDArray[np.int16]:
        """By open node the number of its part."""
        return self._roads.parts(self._mask)

    def part(self, node: int) -> int:
        """Return the number of the part in which an open node is."""
        return self._numbers.item(node)

    def of(self, nodes: Iterable[int]) -> frozenset[int]:
        """Return the numbers of the parts in which these nodes are, which must be open."""
        return frozenset(map(self._numbers.item, nodes))

    def mark(self, parts: Iterable[int], nodes: NDArray[np.bool_]) -> None:
        """Mark the nodes of these parts in an array by node, which may go on with other nodes."""
        for part in parts:
            _mark_part(self._numbers, part, nodes)


@compiled
def _mark_part(numbers: NDArray[np.int16], part: int, nodes: NDArray[np.bool_]) -> None:
    for i in range(numbers.shape[0]):
        if numbers[i] == part:
            nodes[i] = True


class Nearest:
    """The points from nodes to the nearest of some ends, found for those nodes that are looked up.

    `mask` has one byte per node: CLOSED where no path leads, STOP where one can only begin. The steps of `first` are for the
    beginning of a path only, and may enter STOP nodes (`Network.nearest`). A masked end is reached by them alone.

    >>> from khamsin.kernel.flood import STOP
    >>> line = Network([[1, NOWHERE], [2, 0], [3, 1], [NOWHERE, 2]], [[1, 1], [1, 1], [1, 1], [1, 1]])
    >>> ends = np.array([True, False, False, False])
    >>> near = Nearest(line, ends, 2, np.array([0, 0, STOP, 0], dtype=np.uint8))
    >>> near.points(1), near.points(2), near.points(3) == FAR
    (1, 2, True)
    """

    INCOMPARABLE = ("_known",)

    def __init__(
        self,
        net: Network,
        ends: NDArray[np.bool_],
        limit: int,
        mask: NDArray[np.uint8],
        first: Network | None = None,
    ) -> None:
        self._net = net
        self._ends = ends
        self._limit = limit
        self._mask = mask
        self._first = first
        self._known: dict[int, int] = {}

    def without(self, nodes: list[int]) -> list[int]:
        """Return those of these nodes from which no path leads to an end, which takes less time at once than one by one."""
        known = self._known
        if new := [node for node in nodes if node not in known]:
            found = self._net.nearest(new, self._ends, self._limit, self._mask, self._first)
            known.update(zip(new, found, strict=True))
        return [node for node in nodes if known[node] == FAR]

    def points(self, node: int) -> int:
        """Return the points from a node to the nearest end, FAR beyond the limit."""
        known = self._known.get(node)
        if known is None:
            known = self._net.nearest((node,), self._ends, self._limit, self._mask, self._first)[0]
            self._known[node] = known
        return known


class RoadLine:
    """One kind of line: overland to a road, at most `length` points, and along it to a source, at most `road_length`.
    Both networks lead away from the source; reverse one whose steps cost differently in the two directions.

    Obstacles are given as a mask of one byte per location: CLOSED where there is no line, STOP where one can only
    begin.

    >>> from khamsin.kernel.board import NOWHERE
    >>> from khamsin.kernel.flood import NEVER
    >>> steps = [[1, NOWHERE], [2, 0], [3, 1], [4, 2], [NOWHERE, 3]]
    >>> road = [[1, NEVER], [1, 1], [NEVER, 1], [NEVER, NEVER], [NEVER, NEVER]]
    >>> line = RoadLine(Network(steps, road), Network(steps, [[1, 1]] * 5), Layout(range(5)), length=1)
    >>> line.overland_points(frozenset([0]), bytes(5)).tolist(), line.route(frozenset([0]), bytes(5), 3)
    ([0, 0, 0, 1, 32767], [3, 2, 1, 0])
    """

    def __init__(
        self, roads: Network, ground: Network, layout: Layout, length: int, road_length: int = ANY_COST
    ) -> None:
        """`layout` gives the location of each node of `ground`; the nodes of `roads` are locations."""
        self.roads = roads
        self.ground = ground
        self.layout = layout
        self.length = length
        self.road_length = road_length
        self.overland: Callable[[frozenset[int], bytes], NDArray[np.int16]] = cached(_content)(self._overland)
        """Return by location the points overland to the nearest of these locations, FAR beyond the length."""
        self.overland_points: Callable[[frozenset[int], bytes], NDArray[np.int16]] = cached(_content)(self._points)
        """Return by location the overland points of a line to one of these sources: 0 on the road, FAR without a line.
        """

    def _overland(self, starts: frozenset[int], mask: bytes) -> NDArray[np.int16]:
        return self._lines(np.array(sorted(starts), dtype=np.uint16), mask)

    def _points(self, starts: frozenset[int], mask: bytes) -> NDArray[np.int16]:
        marks = np.frombuffer(mask, dtype=np.uint8)
        usable = np.array([source for source in starts if mask[source] == OPEN], dtype=np.uint16)
        road = self.roads.spread(usable, self.road_length, marks)[2]
        points = self._lines(road[marks[road] == OPEN].astype(np.uint16), mask)
        points[road] = 0
        return points

    def _lines(self, starts: NDArray[np.uint16], mask: bytes) -> NDArray[np.int16]:
        size, second = self.layout.size, self.layout.second
        distance = self.ground.spread(starts, self.length, self.layout.spread(mask))[0]
        points = distance[:size].copy()
        if len(second):
            np.minimum.at(points, second, distance[size : size + len(second)])
        return points

    def route(self, sources: Iterable[int], mask: bytes, location: int) -> list[int]:
        """Return a line from a location to one of the sources, location by location; empty if there is none."""
        marks, locations = np.frombuffer(mask, dtype=np.uint8), self.layout.locations
        roads = self.roads.flood([source for source in sources if mask[source] == OPEN], self.road_length, marks)
        if location in roads:
            return roads.path(location)[::-1]
        starts = [road for road in roads if mask[road] == OPEN]
        lines = self.ground.flood(starts, self.length, self.layout.spread(mask))
        for node in self.layout.nodes[location]:
            if node in lines:
                line = [locations[step] for step in lines.path(node)[::-1]]
                return line + roads.path(line[-1])[-2::-1]
        return []


@cached(lambda lines, sources, mask: (lines, sources, mask))
def supplied(lines: Sequence[RoadLine], sources: frozenset[int], mask: bytes) -> bytes:
    """Return one byte per location: 1 where one of these lines leads to a source, and in sources that are not CLOSED."""
    fed = np.zeros(len(mask), dtype=np.bool_)
    fed[[source for source in sources if mask[source] != CLOSED]] = True
    for line in lines:
        fed |= line.overland_points(sources, mask) != FAR
    return fed.tobytes()


def route(lines: Iterable[RoadLine], sources: frozenset[int], mask: bytes, location: int) -> list[int]:
    """Return a line from a location to one of the sources by the first kind of line that leads there; empty if none does."""
    if location in sources and mask[location] != CLOSED:
        return [location]
    return next((path for line in lines if (path := line.route(sources, mask, location))), [])


class RoadLines:
    """The lines overland and by road of a game."""

    def __init__(
        self,
        lines: Callable[[Any, Any], tuple[RoadLine, ...]],
        sources: Callable[[Any, int], frozenset[int]],
        mask: Callable[[Any, int, frozenset[int] | None], bytes],
        key: Callable[[Any, int], Hashable] = lambda g, side: None,
    ) -> None:
        """`lines(g, kind)` are those that units of a kind may use, `sources(g, side)` the sources of a side, and
        `mask(g, side, opened)` its obstacles; `opened` are the hexes of enemy ZOCs that friendly units open, None for
        their present hexes. `key` returns the versions of all that these read besides unit locations."""
        self._lines = lines
        self._sources = sources
        self._mask = mask

        def versions(g: Any, side: int, kind: Any = None, opened: frozenset[int] | None = None) -> Hashable:
            seen = g.state.where.versions
            return side, kind, seen[1 - side], seen[side] if opened is None else opened, key(g, side)

        self._fields: Callable[..., bytes] = cached(versions)(self._field)
        self._last: dict[tuple[int, Any], tuple[Any, int, int, frozenset[int], bytes]] = {}
        """The last field of each side and kind with given hexes opened, with the state, the time, the version of the
        enemy's locations, and the hexes."""

    def field(self, g: Any, side: int, kind: Any = None, opened: frozenset[int] | None = None) -> bytes:
        """Return one byte per location: 1 where a unit is in supply. It is the last one if nothing has changed since."""
        if opened is None or CHECK_EVERY:
            return self._fields(g, side, kind, opened)
        state = g.state
        enemy, now, last = state.where.versions[1 - side], CLOCK.now, self._last.get((side, kind))
        if last is not None and last[3] is opened and last[2] == enemy and last[1] == now and last[0] is state:
            return last[4]
        found = self._fields(g, side, kind, opened)
        self._last[side, kind] = state, now, enemy, opened, found
        return found

    def _field(self, g: Any, side: int, kind: Any = None, opened: frozenset[int] | None = None) -> bytes:
        """Return the field. Most moves change no line, so compare what it depends on first and trace only if that is
        new."""
        return supplied(self._lines(g, kind), self._sources(g, side), self._mask(g, side, opened))
