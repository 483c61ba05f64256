"""Ways with bars: where a moving stack can go, and why it cannot go elsewhere.

A *way* is a ground, the nodes it starts from and an ordered list of hindrances:

- a `Bar` marks nodes: CLOSED (never entered), STOP (entered but not left; the start may be left), APART (no step from its nodes
  to those of `into`, not even from the start) or TOLL (leaving its nodes, or entering those of `into`, costs more);
- a `Limit` gives the movement points;
- a `Hold` says that the stack may not leave at all.

An `End` closes locations that may be passed but not ended in, such as full stacks.

`reach` floods under all of them at once. `why_not` adds them in order: the first with which a location can no longer be
reached is the reason, and the cause is where it first forbids the best path found without it. So order them from soft
to hard. A soft bar must cover what a hard one after it covers: a ZOC includes the hex that exerts it. Bars are compared
by identity, so build them once for each position of the enemy, or each state of supply, and cache them.

>>> from khamsin.kernel.board import NOWHERE
>>> line = Network([[1, NOWHERE], [2, 0], [3, 1], [NOWHERE, 2]], [[2, 0], [2, 2], [2, 2], [0, 2]])
>>> ground = Ground(line, Layout(range(4)), "abcd".__getitem__)
>>> zone = Bar(STOP, ground.layout.mask([1]), "5.3", "{hex} is in the ZOC of {cause}", lambda g, hex: ["T1"])
>>> way = Way(ground, (0,), (Limit(4, "5.1", "costs {cost} MP, {left} left"), zone))
>>> reach(way).within()
{0: 0, 1: 2}
>>> why_not(None, way, 2, "R1")
Refusal(reason='R1 cannot move to c: b is in the ZOC of T1', rule='5.3', cause='T1')
>>> why_not(None, way, 3, "R1")
Refusal(reason='R1 cannot move to d: costs 6 MP, 4 left', rule='5.1', cause='d')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, pairwise, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.cache import once
from khamsin.kernel.display import Step
from khamsin.kernel.flood import CLOSED, FAR, NEVER, NONE, STOP, UNREACHED, Bars, Network, compiled
from khamsin.kernel.pieces import Memo
from khamsin.kernel.rules import Refusal

APART, TOLL = 3, 4
"""The effects of a bar besides STOP and CLOSED."""
ANY_COST = FAR - NEVER
"""The limit of a way without one."""
MOST_APART = 8
"""How many APART bars a way may have."""
MOST_NAMES = 3
"""How many causes a refusal names."""

_AGES = count()
Causes = Callable[[Any, int], Sequence[str]]
"""Return the names of the units, else of the location, that cause a bar at a location."""
Flags = bytes | bytearray | NDArray[np.uint8]


class Layout:
    """The location of each node. A location may have several nodes: roads that do not join, steps that end movement.
    Nodes beyond those listed are outside the map.

    >>> apart = Layout([0, 1, 1])
    >>> apart.nodes[1], apart.mask([1]).tolist()
    ((1, 2), [0, 1, 1])
    """

    def __init__(self, locations: Iterable[int], first_counts: bool = False) -> None:
        """`locations` gives the location of every node; the nodes with the number of their location come first. A
        location reached by several nodes counts by the cheapest; with `first_counts` by the first of them that is
        reached."""
        self.locations = list(locations)
        found: dict[int, list[int]] = {}
        for node, location in enumerate(self.locations):
            found.setdefault(location, []).append(node)
        self.size = len(found)
        self.nodes = [tuple(found[location]) for location in range(self.size)]
        """The nodes of every location."""
        self.several = {location: nodes for location, nodes in enumerate(self.nodes) if len(nodes) > 1}
        """The locations with several nodes."""
        most = max([len(nodes) for nodes in self.several.values()], default=1)
        self.shared = np.array(list(self.several), dtype=np.intp)
        """The locations with several nodes, as an array."""
        self.sharing = np.array([[*ns, *[ns[0]] * (most - len(ns))] for ns in self.several.values()], dtype=np.intp)
        """A row for each of them: its nodes, the first repeated to fill it."""
        self.second = np.array(self.locations[self.size :], dtype=np.intp)
        """The location of every node beyond the first of each."""
        self.has_second = len(self.second) > 0
        self.first_counts = first_counts

    def mask(self, locations: Iterable[int]) -> NDArray[np.uint8]:
        """Return one byte per node: 1 in these locations."""
        marks = bytearray(len(self.locations))  # to mark locations in an array takes twice as long
        for location in locations:
            marks[location] = 1
        mask = np.frombuffer(marks, dtype=np.uint8)
        if self.has_second:
            _repeat(mask, self.second)
        return mask

    def spread(self, by_location: Flags) -> NDArray[np.uint8]:
        """Return one byte per node from one byte per location."""
        given = np.frombuffer(by_location, dtype=np.uint8)
        if not self.has_second:
            return given
        mask = np.empty(len(self.locations), dtype=np.uint8)
        mask[: self.size] = given
        _repeat(mask, self.second)
        return mask

    def split(self, by_location: Flags, most: int) -> NDArray[np.uint8]:
        """Return a row for each value from 1 to `most`: one byte per node, 1 where the byte of its location has this value.

        >>> Layout([0, 1, 1]).split(bytes([1, 2]), 2).tolist()
        [[1, 0, 0], [0, 1, 1]]
        """
        found = np.zeros((most, len(self.locations)), dtype=np.uint8)
        _split(np.frombuffer(by_location, dtype=np.uint8), self.second, found)
        return found


@compiled
def _repeat(mask: NDArray[np.uint8], second: NDArray[np.intp]) -> None:
    """Fill the bytes of further nodes from those of their locations."""
    first = mask.shape[0] - second.shape[0]
    for i in range(second.shape[0]):
        mask[first + i] = mask[second[i]]


@compiled
def _split(given: NDArray[np.uint8], second: NDArray[np.intp], found: NDArray[np.uint8]) -> None:
    most, size = found.shape[0], given.shape[0]
    for i in range(found.shape[1]):
        value = given[i] if i < size else given[second[i - size]]
        if 0 < value <= most:
            found[value - 1, i] = 1


class Ground(NamedTuple):
    """A network whose nodes are in locations. `name` returns the name of a location, `why` the refusal if no path leads
    to it at all."""

    net: Network
    layout: Layout
    name: Callable[[int], str]
    why: Callable[[Any, Way, int], tuple[str, str]] = lambda g, way, location: ("no path leads there", "")


class Bar:
    """Nodes that hinder a move, with one byte per node: 1 where it applies. `text` may have gaps: {goal}, {hex} (where it
    hinders), {where} ("there" or "in 1925") and {cause}."""

    INCOMPARABLE = ("age",)

    def __init__(
        self,
        effect: int,
        nodes: NDArray[np.uint8],
        rule: str,
        text: str,
        cause: Causes | None = None,
        into: NDArray[np.uint8] | None = None,
        toll: int = 0,
    ) -> None:
        if effect == TOLL and not 0 <= toll < NEVER:
            raise ValueError(f"{toll}: expected a toll from 0 to {NEVER - 1}")
        self.effect = effect
        self.nodes = nodes
        self.rule = rule
        self.text = text
        self.cause = cause
        self.into = into
        self.toll = toll
        self.age = next(_AGES)

    def __repr__(self) -> str:
        return f"<Bar of {int(self.nodes.sum())} nodes ({self.rule})>"

    def forbids(self, start: bool, before: int, node: int) -> bool:
        """Whether a step from one node to another is forbidden or costs more; `start` says whether it is the first."""
        nodes = self.nodes
        if self.effect == CLOSED:
            return _at(nodes, node)
        if self.effect == STOP:
            return not start and _at(nodes, before)
        if self.effect == APART:
            return _at(nodes, before) and (self.into is None or _at(self.into, node))
        return _at(nodes, before) or (self.into is not None and _at(self.into, node))


def _at(nodes: NDArray[np.uint8], node: int) -> bool:
    return node < len(nodes) and bool(nodes[node])


class Limit(NamedTuple):
    """The movement points of a stack. `text` may have the gaps {goal}, {cost} and {left}; `show` formats both numbers."""

    points: int
    rule: str
    text: str
    show: Callable[[int], object] = int


class Hold(NamedTuple):
    """A stack may not leave its location at all. `cause` is a unit or location by name."""

    rule: str
    text: str
    cause: str


class End:
    """Locations that may be passed but not ended in. `refuse` returns why one is closed, None if it is not; only those
    `among` can be."""

    __slots__ = ("among", "refuse")

    def __init__(self, refuse: Callable[[int], Refusal | None], among: Callable[[], Iterable[int]]) -> None:
        self.refuse = refuse
        self.among = among


class Limits(dict[int, Limit]):
    """The limits of one rule by their points, each made once.

    >>> limits = Limits("5.1", "costs {cost} MP, {left} left")
    >>> limits[4].points, limits[4] is limits[4]
    (4, True)
    """

    def __init__(self, rule: str, text: str, show: Callable[[int], object] = int) -> None:
        super().__init__()
        self.rule = rule
        self.text = text
        self.show = show

    def __missing__(self, points: int) -> Limit:
        limit = self[points] = Limit(points, self.rule, self.text, self.show)
        return limit


Hindrance = Bar | Limit | Hold


class Way(NamedTuple):
    """The start of a stack, its ground, and its hindrances. With several starts, one for each kind of unit in the
    stack, a location costs what the slowest kind pays."""

    ground: Ground
    starts: tuple[int, ...]
    hindrances: tuple[Hindrance, ...] = ()

    def but(self, *more: Hindrance) -> Way:
        """Return the same way with more hindrances."""
        return self._replace(hindrances=self.hindrances + more)

    def bars_only(self, but: int) -> Way:
        """Return the same way without limit and holds, and without the bars of one effect."""
        return self._replace(hindrances=tuple([h for h in self.hindrances if type(h) is Bar and h.effect != but]))

    @property
    def left(self) -> int:
        """The movement points of the stack."""
        return min([h.points for h in self.hindrances if type(h) is Limit], default=ANY_COST)


class Reach:
    """Where a stack can go: by node the cost (FAR if it is not reached) and the node before. It is shared, so do not
    change it."""

    def __init__(self, way: Way, found: NDArray[np.int16], count: int) -> None:
        """`found` is the result of `Network.spread_from` for the way, with the number of nodes reached."""
        self.way = way
        self.layout = layout = way.ground.layout
        self.starts: list[int] = []
        """The locations where it starts."""
        locations, size = layout.locations, len(layout.locations)
        for node in way.starts:
            if node < size:
                self.starts.append(locations[node])
        self.found = found
        self.count = count

    @once
    def distance(self) -> NDArray[np.int16]:
        """By node, the cost, FAR if it is not reached."""
        return self.found[: len(self.found) // 3]

    @once
    def came(self) -> NDArray[np.int16]:
        """By node that is reached, the node before, NOWHERE at the start."""
        size = len(self.found) // 3
        return self.found[size : 2 * size]

    @once
    def order(self) -> NDArray[np.int16]:
        """The nodes reached, in the order of their cost."""
        first = len(self.found) // 3 * 2
        return self.found[first : first + self.count]

    def nth(self, number: int) -> int:
        """Return the node at an index of `order`."""
        return self.found.item(len(self.found) // 3 * 2 + number)

    def __repr__(self) -> str:
        return f"<Reach of {int(self.reached.sum())} locations>"

    def __contains__(self, location: int) -> bool:
        layout = self.layout
        if location in layout.several:
            location = self.node(location)
        elif not 0 <= location < layout.size:
            return False
        return self.found.item(location) != FAR

    def node(self, location: int) -> int:
        """Return the node by which a location is reached."""
        nodes = self.layout.several.get(location)
        if nodes is None:
            return location
        item = self.found.item
        if self.layout.first_counts:
            return next((node for node in nodes if item(node) != FAR), location)
        return min(nodes, key=item)

    def cost(self, location: int) -> int:
        """Return the cost of a location, FAR if it is not reached."""
        several = self.layout.several
        return self.found.item(self.node(location) if location in several else location)

    def within(self) -> dict[int, int]:
        """Return every location reached with its cost."""
        return {location: self.cost(location) for location in self.reached.nonzero()[0].tolist()}

    @once
    def costs(self) -> NDArray[np.int16]:
        """By location, the cost, FAR if it is not reached."""
        layout = self.layout
        costs = self.distance[: layout.size].copy()
        if layout.first_counts:
            for location in layout.several:
                costs[location] = self.cost(location)
        elif layout.several:
            costs[layout.shared] = self.distance[layout.sharing].min(axis=1)
        return costs

    @once
    def reached(self) -> NDArray[np.bool_]:
        """By location, whether it is reached."""
        return self.find_reached()

    def find_reached(self) -> NDArray[np.bool_]:
        """Return a new array like `reached`, which may be changed."""
        layout = self.layout
        found: NDArray[np.bool_] = self.distance[: len(layout.locations)] != UNREACHED
        if len(layout.second):
            found[layout.second[found[layout.size :]]] = True
        return found[: layout.size]

    def nodes_to(self, location: int) -> list[int]:
        """Return the nodes of the best path, the start first."""
        node, path, item = self.node(location), [], self.found.item
        size = len(self.found) // 3
        while node != NOWHERE:
            path.append(node)
            node = item(size + node)
        path.reverse()
        return path

    def path(self, location: int) -> list[int]:
        """Return the locations entered on the best path."""
        node, path, item = self.node(location), [], self.found.item
        size, locations = len(self.found) // 3, self.layout.locations
        known = len(locations)
        before = item(size + node)
        while before != NOWHERE:
            if node < known:
                path.append(locations[node])
            node = before
            before = item(size + node)
        path.reverse()
        return path

    def stops(self, location: int) -> bool:
        """Whether a bar stops the stack in a location."""
        return bool(_all_bars(self.way).mask.item(location) & STOP)

    def _nodes(self) -> NDArray[np.intp]:
        """Return by location the node by which it is reached."""
        layout = self.layout
        nodes = np.arange(layout.size)
        if layout.first_counts:
            for location in layout.several:
                nodes[location] = self.node(location)
        elif layout.several:
            cheapest = self.distance[layout.sharing].argmin(axis=1)
            nodes[layout.shared] = layout.sharing[np.arange(len(cheapest)), cheapest]
        return nodes

    def steps(self, how: str = "") -> dict[int, Step]:
        """Return, for every location reached, its cost, the points left and the location before, for the path preview.
        `how` is the word for this way of moving. The start is left out; a first step from outside the map has NOWHERE
        before it."""
        layout, starts = self.layout, self.starts
        start, size = next(iter(starts), NOWHERE), len(layout.locations)
        reached = self.find_reached()
        reached[starts] = False
        found = reached.nonzero()[0]
        found = found[self.costs[found].argsort(kind="stable")]
        cost = self.costs[found]
        nodes = self.came[self._nodes()[found]]
        inside = (nodes >= 0) & (nodes < size)
        before = np.where(inside, np.array(layout.locations)[np.where(inside, nodes, 0)], NOWHERE)
        # A step follows one listed before it, or the start.
        rank = np.full(layout.size + 1, len(found))
        rank[found] = np.arange(len(found))
        rank[[*starts, NOWHERE]] = NOWHERE
        before[rank[before] >= np.arange(len(found))] = start
        left = self.way.left - cost.astype(np.int64)
        rows = zip(cost.tolist(), left.tolist(), before.tolist(), repeat(how), repeat(()), strict=False)
        return dict(zip(found.tolist(), map(Step._make, rows), strict=True))


class _Held(Reach):
    """The reach of a stack that cannot leave its node. Its arrays are made when they are read, which is rare."""

    def __init__(self, way: Way) -> None:
        self.way = way
        self.layout = layout = way.ground.layout
        (start,) = way.starts
        self.starts = [layout.locations[start]] if start < len(layout.locations) else []
        self.count = 1

    if not TYPE_CHECKING:  # an attribute of the class it extends

        @once
        def found(self):
            size, (start,) = self.way.ground.net.size, self.way.starts
            found = np.full(3 * size, NOWHERE, dtype=np.int16)
            found[:size] = FAR
            found[start], found[2 * size] = 0, start
            return found

    def __contains__(self, location: int) -> bool:
        return location in self.starts

    def nth(self, number: int) -> int:
        """Return its node."""
        return self.way.starts[number]


def reach(way: Way) -> Reach:
    """Return where a way leads."""
    return _REACHES.get(way) or _REACHES.keep(way, _reach(way))


_REACHES: Memo[Reach] = Memo(16)


def _reach(way: Way) -> Reach:
    ground, starts, hindrances = way
    net = ground.net
    limit, others = _summed(net.size, hindrances)
    if limit < net.least and len(starts) == 1:
        return _Held(way)
    bars = others.bars
    if not starts:
        return Reach(way, np.full(3 * net.size, FAR, dtype=np.int16), 0)
    found = Reach(way, *net.spread_from(starts[0], limit, bars))
    if len(starts) == 1:
        return found
    for start in starts[1:]:
        distance = found.distance
        np.maximum(distance, net.spread_from(start, limit, bars)[0][: net.size], out=distance)
    both = found.order[found.distance[found.order] != FAR]
    found.found[2 * net.size : 2 * net.size + len(both)] = both
    found.count, found.order = len(both), both
    return found


def mask(size: int, bars: Sequence[Bar]) -> NDArray[np.uint8]:
    """Return the STOP and CLOSED bars of a way as one mask of the flood; a node that is both is CLOSED."""
    key = (size, *bars)
    marks = (_BARS.get(key) or _bars(key)).mask
    return np.where(marks & CLOSED, np.uint8(CLOSED), marks)


def _all_bars(way: Way) -> Bars:
    """Return the bars of a way as the flood takes them."""
    return _summed(way.ground.net.size, way.hindrances)[1].bars


class _Sum:
    """Hindrances of ways on networks of a size: their limit, 0 if one of them is a hold, and their bars, summed when they are
    read."""

    __slots__ = ("_bars", "_key", "limit")

    def __init__(self, size: int, hindrances: Sequence[Hindrance]) -> None:
        self._key = (size, *[one for one in hindrances if type(one) is Bar])
        self._bars: Bars | None = None
        limits = [one.points for one in hindrances if type(one) is Limit]
        self.limit = 0 if Hold in map(type, hindrances) else min(limits, default=ANY_COST)

    @property
    def bars(self) -> Bars:
        """The bars as the flood takes them."""
        if self._bars is None:
            self._bars = _BARS.get(self._key) or _bars(self._key)
        return self._bars


def _summed(size: int, hindrances: tuple[Hindrance, ...]) -> tuple[int, _Sum]:
    """Return the movement points under hindrances, and what they are without their first limit, which often changes where
    the others stay the same: most stacks of a side have the same bars."""
    points = ANY_COST
    if hindrances:
        if type(hindrances[0]) is Limit:
            points, hindrances = hindrances[0].points, hindrances[1:]
        elif len(hindrances) > 1 and type(hindrances[1]) is Limit:
            points, hindrances = hindrances[1].points, hindrances[:1] + hindrances[2:]
    key = size, hindrances
    others = _SUMS.get(key)
    if others is None:
        others = _SUMS.keep(key, _Sum(size, hindrances))
    return (points if points < others.limit else others.limit), others


_SUMS: Memo[_Sum] = Memo(128)
_BARS: Memo[Bars] = Memo(64)


def _bars(key: tuple[Any, ...]) -> Bars:
    """Return several bars as one, from the size of a network and the bars."""
    size, bars = key[0], key[1:]
    marks = [bar for bar in bars if bar.effect <= CLOSED]
    if len(marks) > 1:
        marks.sort(key=_AGE)
    steps = (size, *[bar for bar in bars if bar.effect > CLOSED])
    return _BARS.keep(key, Bars(_mask((size, *marks)), *(_STEPS.get(steps) or _steps(steps))))


_AGE = attrgetter("age")
_MASKS: Memo[NDArray[np.uint8]] = Memo(64)
_STEPS: Memo[tuple[NDArray[np.uint8], NDArray[np.uint8]]] = Memo(32)


def _mask(key: tuple[Any, ...]) -> NDArray[np.uint8]:
    """Return bars that stop or close as one mask, from the size of a network and the bars, the oldest first. The last
    is added to the mask of the others, which often stay the same."""
    known = _MASKS.get(key)
    if known is None:
        if len(key) == 1:
            known = np.zeros(key[0], dtype=np.uint8)
        else:
            bar, known = key[-1], _mask(key[:-1]).copy()
            _add_bar(known, bar.nodes, bar.effect)
        _MASKS.keep(key, known)
    return known


@compiled
def _add_bar(mask: NDArray[np.uint8], nodes: NDArray[np.uint8], effect: int) -> None:
    for i in range(nodes.shape[0]):
        if nodes[i]:
            mask[i] |= effect


def _steps(key: tuple[Any, ...]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return bars that keep nodes apart, and tolls, as the flood takes them, from the size of a network and the bars."""
    size, apart, tolls, kinds = key[0], NONE, NONE, 0
    for bar in key[1:]:
        known = len(bar.nodes)
        if bar.effect == APART:
            if kinds == MOST_APART:
                raise ValueError(f"{bar!r}: expected at most {MOST_APART} bars that keep nodes apart")
            apart = apart if apart.size else np.zeros((2, size), dtype=np.uint8)
            apart[0, :known] |= bar.nodes << kinds
            apart[1, :known] |= (bar.nodes if bar.into is None else bar.into) << kinds
            kinds += 1
        else:
            tolls = tolls if tolls.size else np.zeros((2, size), dtype=np.uint8)
            _add_toll(tolls, 0, bar.nodes, bar.toll)
            if bar.into is not None:
                _add_toll(tolls, 1, bar.into, bar.toll)
    return _STEPS.keep(key, (apart, tolls))


@compiled
def _add_toll(tolls: NDArray[np.uint8], row: int, nodes: NDArray[np.uint8], toll: int) -> None:
    for i in range(nodes.shape[0]):
        tolls[row, i] += nodes[i] * toll


def first_steps(way: Way) -> Iterator[tuple[int, int]]:
    """Yield the locations that can be entered by one step, each with its cost, without a flood."""
    net, locations = way.ground.net, way.ground.layout.locations
    limit, others = _summed(net.size, way.hindrances)
    mask, apart, tolls = others.bars
    for start in way.starts[:1]:
        for node, cost in zip(net.targets[start].tolist(), net.costs[start].tolist(), strict=True):
            if cost == NEVER or mask.item(node) & CLOSED:
                continue
            if apart.size and apart.item(0, start) & apart.item(1, node):
                continue
            if tolls.size:
                cost += tolls.item(0, start) + tolls.item(1, node)
            if cost <= limit:
                yield locations[node], cost


def why_not(
    g: Any,
    way: Way,
    location: int,
    who: str,
    ends: Iterable[End] = (),
    no_path: Callable[[], tuple[str, str]] | None = None,
    verb: str = "move",
) -> Refusal | None:
    """Return why a way does not lead to a location, None if it does: the first hindrance without which it would.
    `no_path` returns the reason and rule if the ground itself leads nowhere, if they depend on more than the ground;
    `verb` is the verb of the move."""
    ground, goal = way.ground, way.ground.name(location)
    cannot = f"{who} cannot {verb} to {goal}"
    before = reach(Way(ground, way.starts))
    if location not in before:
        text, rule = no_path() if no_path else ground.why(g, way, location)
        return Refusal(f"{cannot}: {text}", rule, goal)
    for number, hindrance in enumerate(way.hindrances, 1):
        now = reach(Way(ground, way.starts, way.hindrances[:number]))
        if location not in now:
            text, cause = _reason(g, hindrance, before, location)
            return Refusal(f"{cannot}: {text}", hindrance.rule, cause)
        before = now
    return next((refusal for end in ends if (refusal := end.refuse(location)) is not None), None)


def _reason(g: Any, hindrance: Hindrance, before: Reach, location: int) -> tuple[str, str]:
    """Return how a hindrance keeps a stack from a location that it reached before, and the cause."""
    goal = before.way.ground.name(location)
    if isinstance(hindrance, Hold):
        return hindrance.text, hindrance.cause
    if isinstance(hindrance, Limit):
        cost, left = hindrance.show(before.cost(location)), hindrance.show(hindrance.points)
        return hindrance.text.format(goal=goal, cost=cost, left=left), goal
    there = _where(hindrance, before, location)
    place = before.way.ground.name(there)
    causes = list(hindrance.cause(g, there)) if hindrance.cause else []
    named = ", ".join(causes[:MOST_NAMES]) or place
    where = "there" if there == location else f"in {place}"
    return hindrance.text.format(goal=goal, hex=place, where=where, cause=named), causes[0] if causes else place


def _where(bar: Bar, before: Reach, location: int) -> int:
    """Return the location where a bar first hinders the best path found without it: the one that may not be left, or
    entered."""
    locations = before.layout.locations
    path = before.nodes_to(location)
    for number, (last, node) in enumerate(pairwise(path)):
        if bar.forbids(number == 0, last, node):
            at = last if bar.effect == STOP else node
            return locations[at] if at < len(locations) else location
    return location


def unhindered(way: Way) -> NDArray[np.int16]:
    """Return the nodes that a way reaches within its limit without bars; its start alone if it is held. The bars are
    not combined, which can take longer than the flood."""
    ground, starts, hindrances = way
    limit, _ = _summed(ground.net.size, hindrances)
    key = (ground.net, starts, limit)
    found = _UNHINDERED.get(key)
    if found is None:
        net = ground.net
        found = _UNHINDERED.keep(key, net.spread(net.nodes_of(starts[:1]), limit)[2].copy())
    return found


_UNHINDERED: Memo[NDArray[np.int16]] = Memo(8192)
