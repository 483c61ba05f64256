"""Compiled searches over a board or any small graph: distances, cheapest paths, and nodes that are cut off.

A `Network` is a graph whose nodes are small integers (the hexes of a board, perhaps with more nodes for a road that
does not join another in its hex), each with a few edges of small whole costs. Its floods run compiled; the first call
in a new installation takes 1 to 2 seconds, later processes load the compiled code from a cache.

Zones of control and the like are given as a *mask*, one byte per node: `CLOSED` nodes cannot be entered, `STOP` nodes
can be entered but not left. Build it as a `bytearray`, which Python writes quickly. `Bars` add steps that are forbidden
and steps that cost more.

>>> line = Network([[1, NOWHERE], [2, 0], [3, 1], [NOWHERE, 2]], [[2, 0], [2, 2], [2, 2], [0, 2]])
>>> reach = line.flood([0], limit=5)
>>> list(reach), reach.cost(2), reach.path(2)
([0, 1, 2], 4, [0, 1, 2])
>>> mask = bytearray(4)
>>> mask[1] = STOP
>>> list(line.flood([0], limit=5, mask=mask))
[0, 1]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from khamsin.kernel.board import NOWHERE

if TYPE_CHECKING:
    from khamsin.kernel.board import Board

NEVER = 255
"""Cost of an edge that cannot be used; the highest real cost is 254."""
FAR = 32767
"""Distance of a node that was not reached."""
UNREACHED = np.array(FAR, dtype=np.int16)
"""FAR as a NumPy number: comparing a whole array with a Python number takes five times as long."""
OPEN, STOP, CLOSED = 0, 1, 2
"""Bits of a mask; a node can have both."""
NONE = np.zeros((2, 0), dtype=np.uint8)
"""Bars that forbid no step, or that make none cost more."""
BUCKETS = 256
"""The number of buckets of a flood: one more than the highest cost of a step."""


class Bars(NamedTuple):
    """Restrictions of a flood, one entry per node. `mask` has STOP or CLOSED. `apart` and `tolls` have a row for the
    node left and one for the node entered. A step is forbidden if both nodes share a bit of `apart`, so there can be
    eight kinds of forbidden step. It costs both `tolls` more. They are `NONE` if no step is forbidden, or none costs
    more."""

    mask: NDArray[np.uint8]
    apart: NDArray[np.uint8]
    tolls: NDArray[np.uint8]


class Reach:
    """What a flood reached: iterable in order of cost, `in`, `len`, with the cost and the path to each node."""

    __slots__ = ("_came", "_distance", "_net", "_order")

    def __init__(
        self, net: Network, distance: NDArray[np.int16], came: NDArray[np.int16], order: NDArray[np.int16]
    ) -> None:
        self._net = net
        self._distance = distance
        self._came = came
        self._order = order

    def __iter__(self) -> Iterator[int]:
        return iter(self._order.tolist())

    def __len__(self) -> int:
        return len(self._order)

    def __contains__(self, node: object) -> bool:
        return isinstance(node, int) and 0 <= node < len(self._distance) and self._distance[node] != FAR

    def __repr__(self) -> str:
        return f"<Reach of {len(self)} nodes>"

    def cost(self, node: int) -> int:
        """Return the cost of a node."""
        if node not in self:
            raise ValueError(f"{node!r}: not reached")
        return int(self._distance[node])

    def costs(self) -> dict[int, int]:
        """Return every node reached with its cost, cheapest first."""
        return dict(zip(self._order.tolist(), self._distance[self._order].tolist(), strict=True))

    def path(self, node: int) -> list[int]:
        """Return the nodes of a cheapest path, both ends included."""
        if node not in self:
            raise ValueError(f"{node!r}: not reached")
        way = [node]
        while self._came[node] != NOWHERE:
            node = int(self._came[node])
            way.append(node)
        return way[::-1]


_INT16 = np.dtype(np.int16)


class Network:
    """A graph with small whole costs. Row n of `targets` lists the nodes one step from n (NOWHERE for no edge), the
    same row of `costs` the cost of each step (NEVER for an edge that cannot be used)."""

    def __init__(self, targets: ArrayLike, costs: ArrayLike) -> None:
        ends, prices = np.asarray(targets), np.asarray(costs)
        if ends.shape != prices.shape or ends.ndim != 2:
            raise ValueError(f"{ends.shape} targets and {prices.shape} costs: expected two equal tables")
        self.size = ends.shape[0]
        if self.size > FAR:
            raise ValueError(f"{self.size} nodes: expected at most {FAR}")
        _all_between(ends, NOWHERE, self.size - 1, f"an edge leads to a node that is not among the {self.size}")
        _all_between(prices, 0, NEVER, f"expected whole costs from 0 to {NEVER - 1}, or {NEVER} for never")
        self.targets = ends.astype(np.int16, order="C")
        self.costs = prices.astype(np.uint8, order="C")
        self.costs[self.targets == NOWHERE] = NEVER
        self._edges = _edges(self.targets, self.costs)
        self._each = np.arange(self.size, dtype=np.uint16)
        self._all_open = np.zeros(self.size, dtype=np.uint8)
        self._no_bars = Bars(self._all_open, NONE, NONE)
        self._work = np.full(BUCKETS + 2 * (self.targets.size + self.size + 1), -1, dtype=np.int32)
        """The buckets of a flood and their entries, empty between two floods."""
        self._scratch = np.empty(3 * self.size, dtype=np.int16)
        self._unreached = np.full(self.size, FAR, dtype=np.int16)
        """FAR for every node, between two calls of `nearest`."""

    def __repr__(self) -> str:
        return f"<Network of {self.size} nodes, {np.count_nonzero(self.costs != NEVER)} edges>"

    @classmethod
    def of(cls, board: Board, cost: Callable[[int, int, int], int]) -> Network:
        """Return a network over a board's hexes; `cost(from, direction, to)` returns the cost of each step."""
        costs = [
            [NEVER if n == NOWHERE else cost(h, d, n) for d, n in enumerate(board.neighbours[h])]
            for h in range(board.size)
        ]
        return cls(board.adjacency, costs)

    def repriced(self, costs: NDArray[np.uint8]) -> Network:
        """Return the same edges at other costs. It is quick because all else is shared. An edge that cannot be used
        stays so.

        >>> line = Network([[1], [0]], [[2], [3]])
        >>> line.repriced(np.array([[4], [3]], dtype=np.uint8)).flood([0]).cost(1)
        4
        """
        if costs.shape != self.costs.shape or costs.dtype != np.uint8:
            raise ValueError(f"{costs.shape} costs: expected bytes for {self.costs.shape} edges")
        new = copy(self)
        for name in ("steps", "least"):
            new.__dict__.pop(name, None)
        new.costs = costs
        new._edges = _edges(self.targets, np.where(self.costs == NEVER, np.uint8(NEVER), costs))
        return new

    @cached_property
    def least(self) -> int:
        """The cost of the cheapest edge.

        >>> Network([[1], [0]], [[2], [3]]).least
        2
        """
        return int(self.costs.min(initial=NEVER))

    @cached_property
    def steps(self) -> list[list[tuple[int, int]]]:
        """For every node the edges that can be used, as pairs of target and cost. For rules that look one step ahead.

        >>> Network([[1, NOWHERE], [NOWHERE, 0]], [[2, 0], [0, 3]]).steps
        [[(1, 2)], [(0, 3)]]
        """
        rows = zip(self.targets.tolist(), self.costs.tolist(), strict=True)
        return [[(end, cost) for end, cost in zip(*row, strict=True) if cost != NEVER] for row in rows]

    def steps_from(self, node: int) -> list[tuple[int, int]]:
        """Return the edges of one node that can be used, as in `steps`.

        >>> Network([[1, NOWHERE], [NOWHERE, 0]], [[2, 0], [0, 3]]).steps_from(1)
        [(0, 3)]
        """
        row = zip(self.targets[node].tolist(), self.costs[node].tolist(), strict=True)
        return [(end, cost) for end, cost in row if cost != NEVER]

    def alone(self, node: int) -> NDArray[np.uint16]:
        """Return one node as the source of a `spread`."""
        return self._each[node : node + 1]

    def reversed(self) -> Network:
        """Return the same network with every edge reversed, for floods from a goal."""
        back: list[list[tuple[int, int]]] = [[] for _ in range(self.size)]
        for node, steps in enumerate(self.steps):
            for target, cost in steps:
                back[target].append((node, cost))
        width = max((len(row) for row in back), default=0)
        padded = [row + [(NOWHERE, NEVER)] * (width - len(row)) for row in back]
        return Network([[t for t, _ in row] for row in padded], [[c for _, c in row] for row in padded])

    def flood(
        self, sources: Iterable[int], limit: int = FAR - NEVER, mask: bytearray | NDArray[np.uint8] | None = None
    ) -> Reach:
        """Return all nodes within `limit` of the nearest source, with costs and paths. Sources may be left even where
        the mask says STOP."""
        distance, came, order = self.spread(self.nodes_of(sources), limit, mask)
        return Reach(self, distance, came, order)

    def spread(
        self, sources: NDArray[np.uint16], limit: int, mask: bytearray | NDArray[np.uint8] | None = None
    ) -> tuple[NDArray[np.int16], NDArray[np.int16], NDArray[np.int16]]:
        """Return the flood as bare arrays: distance (FAR where not reached), predecessor (NOWHERE at sources), nodes in
        order."""
        if not 0 <= limit <= FAR - NEVER:
            raise ValueError(f"{limit!r}: expected a limit from 0 to {FAR - NEVER}")
        bars = self._no_bars
        if mask is not None:
            bars = Bars(np.frombuffer(mask, dtype=np.uint8), NONE, NONE)
        return self.spread_under(sources, limit, bars)

    def spread_under(
        self, sources: NDArray[np.uint16], limit: int, bars: Bars
    ) -> tuple[NDArray[np.int16], NDArray[np.int16], NDArray[np.int16]]:
        """Return the same under bars. A step must not cost more than 254 with its tolls.

        >>> line = Network([[1, NOWHERE], [2, 0], [NOWHERE, 1]], [[2, 0], [2, 2], [0, 2]])
        >>> apart, tolls = np.array([[[0, 1, 1], [0, 1, 1]], [[5, 0, 0], [0, 1, 0]]], dtype=np.uint8)
        >>> distance, _, order = line.spread_under(line.alone(0), 20, Bars(np.zeros(3, dtype=np.uint8), apart, tolls))
        >>> order.tolist(), distance.tolist()[:2]
        ([0, 1], [0, 8])
        """
        if len(bars.mask) != self.size:
            raise ValueError(f"{len(bars.mask)} bytes: expected a mask of {self.size}")
        size, found = self.size, np.empty(3 * self.size, dtype=np.int16)
        count = _flood(self._edges, sources, limit, *bars, found, self._work)
        if count < 0:
            raise ValueError(f"{sources.tolist()}: expected sources among the {self.size} nodes")
        return found[:size], found[size : 2 * size], found[2 * size : 2 * size + count]

    def spread_from(self, source: int, limit: int, bars: Bars) -> tuple[NDArray[np.int16], int]:
        """Return the same from one node, which is quicker: the three arrays in one, and how many nodes are reached.

        >>> line = Network([[1, NOWHERE], [2, 0], [NOWHERE, 1]], [[2, 0], [2, 2], [0, 2]])
        >>> found, count = line.spread_from(0, 2, Bars(np.zeros(3, dtype=np.uint8), NONE, NONE))
        >>> found[:2].tolist(), found[6 : 6 + count].tolist()
        ([0, 2], [0, 1])
        """
        mask, apart, tolls = bars
        found = np.empty(3 * self.size, _INT16)
        count = _flood_from(self._edges, source, limit, mask, apart, tolls, found, self._work)
        if count < 0:
            raise ValueError(f"{source} and {len(mask)} bytes: expected one of {self.size} nodes and a mask of them")
        return found, count

    def spread_each(
        self, sources: Iterable[int], limits: Iterable[int], mask: bytearray | NDArray[np.uint8] | None = None
    ) -> NDArray[np.int16]:
        """Return the distances of many floods at once: a row for each source, which spreads by itself and within its
        own limit.

        >>> line = Network([[1, NOWHERE], [2, 0], [NOWHERE, 1]], [[2, 0], [2, 2], [0, 2]])
        >>> line.spread_each([0, 2], [4, 2]).tolist() == [[0, 2, 4], [FAR, 2, 0]]
        True
        """
        starts, reaches = self.nodes_of(sources), list(limits)
        bytes_ = self._all_open if mask is None else np.frombuffer(mask, dtype=np.uint8)
        if len(bytes_) != self.size or len(starts) != len(reaches):
            raise ValueError(
                f"{len(bytes_)} bytes and {len(reaches)} limits: expected a mask of {self.size} and {len(starts)} limits"
            )
        if reaches and not 0 <= min(reaches) <= max(reaches) <= FAR - NEVER:
            raise ValueError(f"{reaches}: expected limits from 0 to {FAR - NEVER}")
        distances = np.empty((len(starts), self.size), dtype=np.int16)
        limits_ = np.array(reaches, dtype=np.int64)
        _flood_each(self._edges, starts, limits_, bytes_, NONE, NONE, distances, self._scratch, self._work)
        return distances

    def overflow(
        self, starts: Sequence[tuple[int, int, float]], beside: NDArray[np.int16], mask: NDArray[np.uint8] | None = None
    ) -> NDArray[np.float64]:
        """For each node, sum the amounts whose flood reaches an adjacent node. A start is (node, limit, amount). Row n
        of `beside` lists the nodes adjacent to node n.

        >>> line = Network([[1, NOWHERE], [2, 0], [3, 1], [NOWHERE, 2]], [[2, 0], [2, 2], [2, 2], [0, 2]])
        >>> line.overflow([(0, 2, 5.0), (3, 0, 1.0)], line.targets).tolist()
        [5.0, 5.0, 6.0, 0.0]
        """
        bytes_ = self._all_open if mask is None else mask
        if len(bytes_) != self.size or len(beside) != self.size:
            raise ValueError(f"{len(bytes_)} bytes and {len(beside)} rows: expected {self.size} of each")
        total = np.zeros(self.size)
        nodes, limits, amounts = zip(*starts, strict=True) if starts else ((), (), ())
        _overflow(
            self._edges, self.nodes_of(nodes), np.array(limits, dtype=np.int16), np.array(amounts, dtype=np.float64),
            bytes_, NONE, NONE, beside, total, self._scratch, self._work,
        )  # fmt: skip
        return total

    def near(
        self,
        source: int | Sequence[int],
        limit: int,
        beside: NDArray[np.int16],
        mask: NDArray[np.uint8] | None = None,
    ) -> NDArray[np.bool_]:
        """Return by node whether it is within `limit` of a source, or of one of several, or adjacent to such a node.
        Row n of `beside` lists the nodes adjacent to node n, NOWHERE for none.

        >>> line = Network([[1, NOWHERE], [2, 0], [3, 1], [NOWHERE, 2]], [[2, 0], [2, 2], [2, 2], [0, 2]])
        >>> line.near(0, 2, line.targets).tolist()
        [True, True, True, False]
        """
        bytes_ = self._all_open if mask is None else mask
        if len(bytes_) != self.size or len(beside) != self.size:
            raise ValueError(f"{len(bytes_)} bytes and {len(beside)} rows: expected {self.size} of each")
        found = np.zeros(self.size, dtype=np.bool_)
        sources = self.alone(source) if isinstance(source, int) else self.nodes_of(source)
        _near(self._edges, sources, limit, bytes_, NONE, NONE, beside, found, self._scratch, self._work)
        return found

    def nearest(
        self,
        starts: Sequence[int],
        ends: NDArray[np.bool_],
        limit: int,
        mask: NDArray[np.uint8],
        first: Network | None = None,
    ) -> list[int]:
        """Return the cost of the cheapest path from each start to one of the ends, which are given by node; FAR beyond
        a limit. CLOSED nodes have no path, and a path may only begin in a STOP node. The first step may also be one of
        the network `first`, which has the same nodes; it may lead into a node that is STOP and no more, or out of a
        CLOSED one.

        >>> line = Network([[1, NOWHERE], [2, 0], [3, 1], [NOWHERE, 2]], [[2, 0], [2, 2], [2, 2], [0, 2]])
        >>> ends, mask = np.array([1, 0, 0, 0], dtype=bool), np.zeros(4, dtype=np.uint8)
        >>> line.nearest([0, 1, 3], ends, 4, mask) == [0, 2, FAR]
        True
        >>> mask[1] = STOP
        >>> line.nearest([1, 2], ends, 4, mask) == [2, FAR], line.nearest([1, 2], ends, 4, mask, line)
        (True, [2, 4])
        """
        if len(mask) != self.size or len(ends) != self.size or (first is not None and first.size != self.size):
            raise ValueError(f"{len(mask)} bytes and {len(ends)} ends: expected {self.size} of each")
        points = np.empty(len(starts), dtype=np.int16)
        _nearest(
            self._edges, _NO_EDGES if first is None else first._edges, self.nodes_of(starts), limit, mask, ends, points,
            self._unreached, self._work,
        )  # fmt: skip
        found: list[int] = points.tolist()
        return found

    @cached_property
    def _singles(self) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
        """By node a number from 1 for each without edges, 0 for the others; and these others."""
        alone = (self.costs == NEVER).all(axis=1)
        numbers = np.where(alone, alone.cumsum(), 0).astype(np.int16)
        return numbers, (~alone).nonzero()[0].astype(np.int16)

    def parts(self, mask: NDArray[np.uint8]) -> NDArray[np.int16]:
        """By node that is open in a mask: the number of the part into which the others divide the network. Its edges must lead
        both ways.

        >>> line = Network([[1, NOWHERE], [2, 0], [3, 1], [NOWHERE, 2]], [[1, 1], [1, 1], [1, 1], [1, 1]])
        >>> line.parts(np.array([0, 0, 1, 0], dtype=np.uint8)).tolist()
        [1, 1, 0, 2]
        """
        if len(mask) != self.size:
            raise ValueError(f"{len(mask)} bytes: expected a mask of {self.size}")
        numbers, joined = self._singles
        found = numbers.copy()
        _parts(self.targets, self.costs, joined, mask, found, self._scratch)
        return found

    def relay(
        self,
        ends: NDArray[np.uint16],
        feeds: NDArray[np.uint16],
        relays: NDArray[np.uint16],
        limit: int,
        mask: NDArray[np.uint8] | None = None,
    ) -> tuple[list[int], NDArray[np.int16]]:
        """Join relays in chains of segments no longer than `limit`, each chain leading to an end. Each relay is a row
        of its nodes, the one it is reached by first. Ends and feeds that the mask closes or stops do not count; such a
        relay is joined but carries no chain further. Return the joined relays, and the distance of every node to the
        nearest joined and unmasked relay or feed. All nodes must be of the network (`nodes_of`).

        >>> line = Network([[1, NOWHERE], [2, 0], [3, 1], [NOWHERE, 2]], [[2, 0], [2, 2], [2, 2], [0, 2]])
        >>> none, relays = line.nodes_of([]), line.nodes_of([1, 3]).reshape(2, 1)
        >>> joined, distance = line.relay(line.nodes_of([0]), none, relays, limit=4)
        >>> joined, distance.tolist()
        ([0, 1], [2, 0, 2, 0])
        """
        bytes_ = self._all_open if mask is None else mask
        if len(bytes_) != self.size or not 0 <= limit <= FAR - NEVER:
            raise ValueError(
                f"{len(bytes_)} bytes and limit {limit}: expected a mask of {self.size} and 0 to {FAR - NEVER}"
            )
        joined = np.zeros(len(relays), dtype=np.uint8)
        found = np.empty((2, self.size), dtype=np.int16)
        _relay(self._edges, ends, feeds, relays, limit, bytes_, found, joined, self._work)
        return joined.nonzero()[0].tolist(), found[0]

    def within(self, source: int, limit: int, mask: bytearray | NDArray[np.uint8] | None = None) -> list[int]:
        """Return the nodes within `limit` of one, without costs. This is the quickest search."""
        return self.spread(self.nodes_of((source,)), limit, mask)[2].tolist()  # type: ignore[no-any-return]

    def nodes_of(self, sources: Iterable[int]) -> NDArray[np.uint16]:
        """Return sources as the kernel takes them. Raise an error for what does not fit its integers; the kernel checks
        the rest."""
        nodes = list(sources)
        if nodes and (min(nodes) < 0 or max(nodes) >= self.size):
            raise ValueError(f"{nodes}: expected sources among the {self.size} nodes")
        return np.array(nodes, dtype=np.uint16)


_NO_EDGES = np.zeros((0, 0), dtype=np.uint32)


def _edges(targets: NDArray[np.int16], costs: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return the edges as the kernel reads them: the target in the lower half, the cost in the upper. An edge that cannot be
    used leads back to its own node at a cost beyond any limit."""
    never = costs == NEVER
    ends = np.where(never, np.arange(len(targets), dtype=np.int16)[:, None], targets).astype(np.uint32)
    return ends | np.where(never, np.uint32(FAR), costs).astype(np.uint32) << np.uint32(16)


def masked(size: int, closed: Iterable[int] = (), stop: Iterable[int] = ()) -> bytearray:
    """Return a mask with these nodes CLOSED and those STOP.

    >>> masked(4, closed=[0], stop=[2])
    bytearray(b'\\x02\\x00\\x01\\x00')
    """
    mask = bytearray(size)
    for node in stop:
        mask[node] = STOP
    for node in closed:
        mask[node] = CLOSED
    return mask


def _all_between(table: NDArray[Any], low: int, high: int, expected: str) -> None:
    """Raise an error for a table with anything but whole numbers in a range."""
    if table.size == 0:
        return
    whole = table.dtype.kind in "iu"
    wrong = table[(table < low) | (table > high)] if whole else table.ravel()
    if wrong.size:
        raise ValueError(f"{wrong[0]}: {expected}")


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function of arrays and numbers when it is first called, and cache the code for later processes."""
    return njit(cache=True, boundscheck=False)(function)


@compiled
def _flood(
    edges: NDArray[np.uint32],
    sources: NDArray[np.uint16],
    limit: int,
    mask: NDArray[np.uint8],
    apart: NDArray[np.uint8],
    tolls: NDArray[np.uint8],
    found: NDArray[np.int16],
    work: NDArray[np.int32],
) -> int:
    """Dial's algorithm: 256 buckets in a ring, each a linked list of entries (node, next), all in `work`. The thirds of
    `found` become the distance, the node before (of nodes that are reached), and the nodes in order. All nodes begin at
    a distance of limit + 1, so that one comparison per edge decides whether to continue. Sources that are not nodes, or
    a mask of another size, return -1 before anything is written."""
    size = edges.shape[0]
    if mask.shape[0] != size:
        return -1
    for i in range(len(sources)):
        if sources[i] < 0 or sources[i] >= size:
            return -1
    distance, came, order = found[:size], found[size : 2 * size], found[2 * size :]
    beyond = limit + 1
    distance[:] = beyond
    parted = apart.shape[1] > 0
    tolled = tolls.shape[1] > 0
    free = 256
    left = 0
    for i in range(len(sources)):
        source = sources[i]
        if distance[source] != 0:
            distance[source] = 0
            came[source] = -1
            work[free] = source
            work[free + 1] = work[0]
            work[0] = free
            free += 2
            left += 1
    count = 0
    now = 0
    while left > 0:
        entry = work[now & 255]
        if entry < 0:
            now += 1
            continue
        work[now & 255] = work[np.uint64(entry + 1)]
        left -= 1
        node = np.uint64(work[np.uint64(entry)])
        if distance[node] != now:
            continue
        order[count] = node
        count += 1
        if mask[node] & 1 and came[node] != -1:
            continue
        for i in range(edges.shape[1]):
            edge = edges[node, i]
            target = np.uint64(edge & 0xFFFF)
            onward = now + np.int64(edge >> np.uint32(16))
            if tolled:
                onward += np.int64(tolls[0, node]) + tolls[1, target]
            if onward < distance[target] and not mask[target] & 2:
                if parted and apart[0, node] & apart[1, target]:
                    continue
                distance[target] = onward
                came[target] = node
                work[np.uint64(free)] = target
                work[np.uint64(free + 1)] = work[onward & 255]
                work[onward & 255] = free
                free += 2
                left += 1
    for i in range(distance.shape[0]):
        if distance[i] == beyond:
            distance[i] = 32767
    return count


@compiled
def _flood_from(
    edges: NDArray[np.uint32],
    source: int,
    limit: int,
    mask: NDArray[np.uint8],
    apart: NDArray[np.uint8],
    tolls: NDArray[np.uint8],
    found: NDArray[np.int16],
    work: NDArray[np.int32],
) -> int:
    """Flood from one source. Passing a number takes less time than passing an array."""
    count: int = _flood(edges, (source,), limit, mask, apart, tolls, found, work)
    return count


@compiled
def _parts(
    targets: NDArray[np.int16],
    costs: NDArray[np.uint8],
    joined: NDArray[np.int16],
    mask: NDArray[np.uint8],
    found: NDArray[np.int16],
    stack: NDArray[np.int16],
) -> None:
    """Number the parts of the joined nodes, each from its first node on, after the numbers that nodes without edges have."""
    number = found.shape[0] - joined.shape[0]
    for start in joined:
        if mask[start] or found[start]:
            continue
        number += 1
        found[start] = number
        stack[0] = start
        left = 1
        while left > 0:
            left -= 1
            node = stack[left]
            for i in range(targets.shape[1]):
                if costs[node, i] != 255:
                    target = targets[node, i]
                    if not mask[target] and not found[target]:
                        found[target] = number
                        stack[left] = target
                        left += 1


@compiled
def _nearest(
    edges: NDArray[np.uint32],
    firsts: NDArray[np.uint32],
    starts: NDArray[np.uint16],
    limit: int,
    mask: NDArray[np.uint8],
    ends: NDArray[np.bool_],
    points: NDArray[np.int16],
    distance: NDArray[np.int16],
    work: NDArray[np.int32],
) -> None:
    """Flood from each start, and the ends of its first steps, like `_flood`, up to the first end. Only what was written
    is cleared afterwards."""
    for number in range(starts.shape[0]):
        start = np.uint64(starts[number])
        points[number] = 32767
        free = 256
        left = 0
        if not mask[start] & 2:
            distance[start] = 0
            work[256] = start
            work[257] = -1
            work[0] = 256
            free = 258
            left = 1
        for i in range(firsts.shape[1]):
            edge = firsts[start, i]
            target = np.uint64(edge & 0xFFFF)
            onward = np.int64(edge >> np.uint32(16))
            if onward <= limit and onward < distance[target] and mask[target] <= 1:
                distance[target] = onward
                work[np.uint64(free)] = target
                work[np.uint64(free + 1)] = work[onward & 255]
                work[onward & 255] = free
                free += 2
                left += 1
        now = 0
        while left > 0:
            entry = work[now & 255]
            if entry < 0:
                now += 1
                continue
            work[now & 255] = work[np.uint64(entry + 1)]
            left -= 1
            node = np.uint64(work[np.uint64(entry)])
            if distance[node] != now:
                continue
            if ends[node]:
                points[number] = now
                break
            for i in range(edges.shape[1]):
                edge = edges[node, i]
                target = np.uint64(edge & 0xFFFF)
                onward = now + np.int64(edge >> np.uint32(16))
                if onward <= limit and onward < distance[target] and mask[target] == 0:
                    distance[target] = onward
                    work[np.uint64(free)] = target
                    work[np.uint64(free + 1)] = work[onward & 255]
                    work[onward & 255] = free
                    free += 2
                    left += 1
        for at in range(256, free, 2):
            distance[np.uint64(work[np.uint64(at)])] = 32767
        if left > 0:
            for bucket in range(256):
                work[bucket] = -1


@compiled
def _flood_each(
    edges: NDArray[np.uint32],
    sources: NDArray[np.uint16],
    limits: NDArray[np.int64],
    mask: NDArray[np.uint8],
    apart: NDArray[np.uint8],
    tolls: NDArray[np.uint8],
    distances: NDArray[np.int16],
    found: NDArray[np.int16],
    work: NDArray[np.int32],
) -> None:
    """Flood from each source by itself."""
    for i in range(sources.shape[0]):
        _flood(edges, sources[i : i + 1], limits[i], mask, apart, tolls, found, work)
        distances[i] = found[: edges.shape[0]]


@compiled
def _overflow(
    edges: NDArray[np.uint32],
    starts: NDArray[np.uint16],
    limits: NDArray[np.int16],
    amounts: NDArray[np.float64],
    mask: NDArray[np.uint8],
    apart: NDArray[np.uint8],
    tolls: NDArray[np.uint8],
    beside: NDArray[np.int16],
    total: NDArray[np.float64],
    found: NDArray[np.int16],
    work: NDArray[np.int32],
) -> None:
    """Flood from one start after another; `wet` has the last flood that reached a node's neighbour."""
    wet = np.full(total.shape[0], -1, dtype=np.int32)
    order = found[2 * edges.shape[0] :]
    for i in range(starts.shape[0]):
        count = _flood(edges, starts[i : i + 1], limits[i], mask, apart, tolls, found, work)
        for reached in range(count):
            for edge in range(beside.shape[1]):
                near = beside[order[reached], edge]
                if near >= 0 and wet[near] != i:
                    wet[near] = i
                    total[near] += amounts[i]


@compiled
def _near(
    edges: NDArray[np.uint32],
    source: NDArray[np.uint16],
    limit: int,
    mask: NDArray[np.uint8],
    apart: NDArray[np.uint8],
    tolls: NDArray[np.uint8],
    beside: NDArray[np.int16],
    near: NDArray[np.bool_],
    found: NDArray[np.int16],
    work: NDArray[np.int32],
) -> None:
    """Flood, and include what is adjacent to the nodes reached."""
    for i in range(_flood(edges, source, limit, mask, apart, tolls, found, work)):
        node = found[2 * edges.shape[0] + i]
        near[node] = True
        for edge in range(beside.shape[1]):
            if beside[node, edge] >= 0:
                near[beside[node, edge]] = True


@compiled
def _widen(
    edges: NDArray[np.uint32],
    sources: NDArray[np.uint16],
    mask: NDArray[np.uint8],
    distance: NDArray[np.int16],
    work: NDArray[np.int32],
) -> None:
    """Continue a flood from more sources: only distances that become shorter are written. No source may be masked, and nodes
    that are not reached yet have the distance of the limit + 1."""
    free = 256
    left = 0
    for i in range(len(sources)):
        source = np.uint64(sources[i])
        if distance[source] != 0:
            distance[source] = 0
            work[free] = source
            work[free + 1] = work[0]
            work[0] = free
            free += 2
            left += 1
    now = 0
    while left > 0:
        entry = work[now & 255]
        if entry < 0:
            now += 1
            continue
        work[now & 255] = work[np.uint64(entry + 1)]
        left -= 1
        node = np.uint64(work[np.uint64(entry)])
        if distance[node] != now:
            continue
        for i in range(edges.shape[1]):
            edge = edges[node, i]
            target = np.uint64(edge & 0xFFFF)
            onward = now + np.int64(edge >> np.uint32(16))
            if onward < distance[target] and not mask[target] & 2:
                distance[target] = onward
                if mask[target] & 1:
                    continue
                work[np.uint64(free)] = target
                work[np.uint64(free + 1)] = work[onward & 255]
                work[onward & 255] = free
                free += 2
                left += 1


@compiled
def _relay(
    edges: NDArray[np.uint32],
    ends: NDArray[np.uint16],
    feeds: NDArray[np.uint16],
    relays: NDArray[np.uint16],
    limit: int,
    mask: NDArray[np.uint8],
    found: NDArray[np.int16],
    joined: NDArray[np.uint8],
    work: NDArray[np.int32],
) -> None:
    """Flood from the ends. Then widen another flood by the relays that either has reached, until none is new, and by the
    feeds; it is the first row of `found`."""
    sources = np.empty(relays.size + feeds.size + ends.size, dtype=np.uint16)
    near, far = found[0], found[1]
    beyond = limit + 1
    near[:] = beyond
    far[:] = beyond
    used = 0
    for i in range(ends.size):
        if mask[ends[i]] == 0:
            sources[used] = ends[i]
            used += 1
    _widen(edges, sources[:used], mask, far, work)
    while True:
        used = 0
        for relay in range(relays.shape[0]):
            first = relays[relay, 0]
            if joined[relay] == 0 and (far[first] <= limit or near[first] <= limit):
                joined[relay] = 1
                if mask[first] == 0:
                    for i in range(relays.shape[1]):
                        sources[used] = relays[relay, i]
                        used += 1
        if used == 0:
            break
        _widen(edges, sources[:used], mask, near, work)
    for i in range(feeds.size):
        if mask[feeds[i]] == 0:
            sources[used] = feeds[i]
            used += 1
    _widen(edges, sources[:used], mask, near, work)
    for i in range(near.shape[0]):
        if near[i] == beyond:
            near[i] = 32767
