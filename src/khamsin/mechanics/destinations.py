"""Destinations: the legal clicks of a moving stack, from its ways. They are listed only if all are needed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import LazyClicks
from khamsin.mechanics import ways
from khamsin.mechanics.ways import End, Reach, Way


class Route:
    """One way of moving: its reach, where it may not end, and the text of its cost. Given as a way, it is flooded when
    `reach` is first read."""

    __slots__ = ("_given", "ends", "hint")

    def __init__(self, given: Reach | Way, ends: Sequence[End] = (), hint: Callable[[int], Any] = int) -> None:
        self._given = given
        self.ends = ends
        self.hint = hint

    @property
    def reach(self) -> Reach:
        """Its reach."""
        given = self._given
        return ways.reach(given) if isinstance(given, Way) else given

    @property
    def nodes(self) -> NDArray[np.int16]:
        """All nodes that it reaches. Given as a way, it may reach fewer: these are the nodes within its limit without
        bars."""
        given = self._given
        return ways.unhindered(given) if isinstance(given, Way) else given.order

    def leads(self, location: int) -> bool:
        """Whether it leads to a location and may end there."""
        given = self._given
        if type(given) is Way:
            return self.may_end(location) and location in ways.reach(given)
        return location in given and self.may_end(location)

    def may_end(self, location: int) -> bool:
        """Whether it may end in a location that it reaches."""
        for end in self.ends:  # noqa: SIM110 (`all` with a generator takes three times as long)
            if end.refuse(location) is not None:
                return False
        return True


class Destinations(LazyClicks):
    """The legal clicks of a moving stack: its reach, without the locations where it may not end, and `more`. Most
    players click one of hundreds, so they are listed only if all are needed."""

    __slots__ = (
        "_added", "_besides", "_ends", "_first", "_hint", "_listed", "_maybe", "_most_besides", "_names", "_open", "_routed",
        "_starts", "more", "reach",
    )  # fmt: skip

    def __init__(
        self,
        first: int,
        reach: Reach,
        ends: Sequence[End] = (),
        more: Mapping[int, Any] | None = None,
        hint: Callable[[int], Any] = int,
        besides: Callable[[], Iterable[Route]] | None = None,
        most_besides: int = 0,
    ) -> None:
        """`first` is the click of the first location, `more` are other clicks with their hints, which come first, and
        `hint` formats a cost. `besides` returns other routes on the same layout, for locations outside the reach; it is
        called when such a location is looked up. `most_besides` is the most nodes (`Route.nodes`) they have."""
        self.reach = reach
        self.more: Mapping[int, Any] = more or {}
        self._maybe: list[_Maybe] = []
        self._added = 0
        self._names: list[int] | None = None
        self._first = first
        self._ends = ends
        self._hint = hint
        self._besides = besides
        self._most_besides = most_besides
        self._routed: list[Route] | None = None
        self._starts = reach.starts
        self._open: NDArray[np.bool_] | None = None
        self._listed: NDArray[np.intp] | None = None

    def maybe(self, clicks: Iterable[int], find: Callable[[], Mapping[int, Any]]) -> None:
        """Add clicks that may be legal: those that `find` returns with their hints. It is called when one of them is
        clicked, or all legal clicks are listed. Add no click twice."""
        names = dict.fromkeys(clicks)
        if names:
            self._maybe.append(_Maybe(names, find))
            self._added += len(names)

    def maybe_each(self, clicks: Iterable[int], find: Callable[[Collection[int]], Mapping[int, Any]]) -> None:
        """The same; `find` gets the clicks to check: one that is clicked, or all."""
        names = dict.fromkeys(clicks)
        if names:
            self._maybe.append(_Maybe(names, None, None, find))
            self._added += len(names)

    def maybe_button(self, button: int, is_legal: Callable[[], object]) -> None:
        """Add a button that is legal if a function says so."""
        self._maybe.append(_Maybe({button: None}, None, is_legal))
        self._added += 1

    def _perhaps(self, click: int) -> _Maybe | None:
        """Return the clicks added by `maybe` to which one belongs."""
        for group in self._maybe:
            if click in group.clicks:
                return group
        return None

    def routes(self) -> list[Route]:
        """Return all routes in order."""
        if self._routed is None:
            first = Route(self.reach, self._ends, self._hint)
            self._routed = [first, *(self._besides() if self._besides else ())]
        return self._routed

    def route(self, location: int) -> Route | None:
        """Return the first route that leads to a location and may end there."""
        if location in self._starts:
            return None
        return next((route for route in self.routes() if route.leads(location)), None)

    def allows(self, location: int) -> bool:
        """Whether the move may end in a location that it reaches."""
        if location in self._starts:
            return False
        for end in self._ends:  # noqa: SIM110 (`all` with a generator takes three times as long)
            if end.refuse(location) is not None:
                return False
        return True

    def __contains__(self, click: object) -> bool:
        if click in self.more:
            return True
        if not isinstance(click, int):
            return False
        location = click - self._first
        if self._open is None:
            if location in self.reach and self.allows(location):
                return True
        elif 0 <= location < len(self._open) and self._open.item(location):
            return True
        group = self._perhaps(click)
        if group is not None:
            return group.has(click)
        return self._open is None and self._besides is not None and self.route(location) is not None

    def __getitem__(self, click: int) -> Any:
        if click in self.more:
            return self.more[click]
        group = self._perhaps(click)
        if group is not None and group.has(click):
            return group.found[click]
        route = self.route(click - self._first)
        if route is None:
            raise KeyError(click)
        return route.hint(route.reach.cost(click - self._first))

    def __iter__(self) -> Iterator[int]:
        return iter([*self.special(), *self._list().tolist()])

    def __len__(self) -> int:
        return len(self.special()) + len(self._list())

    def __bool__(self) -> bool:
        return bool(self.more) or len(self) > 0

    def listed(self) -> dict[int, Any]:
        """Return all clicks with their hints. A hint that many locations share is worded once."""
        found, clicks = dict(self.special()), self._list()
        if len(self.routes()) == 1:
            costs = self.reach.costs[clicks - self._first].tolist()
            worded = {cost: self._hint(cost) for cost in set(costs)}
            found.update(zip(clicks.tolist(), [worded[cost] for cost in costs], strict=True))
            return found
        hints: dict[tuple[Callable[[int], Any], int], Any] = {}
        for click in clicks.tolist():
            route = self.route(click - self._first)
            assert route is not None
            cost = route.reach.cost(click - self._first)
            if (route.hint, cost) not in hints:
                hints[route.hint, cost] = route.hint(cost)
            found[click] = hints[route.hint, cost]
        return found

    def nth(self, number: int) -> int:
        """Return the click at an index without listing all."""
        special = self.special()
        return list(special)[number] if number < len(special) else self._list().item(number - len(special))

    @property
    def candidates(self) -> int:
        """How many clicks may be legal: `more`, those added by `maybe`, then the nodes that are reached."""
        return len(self.more) + self._added + self.reach.count

    def _named(self) -> list[int]:
        """Return the clicks added by `maybe`."""
        if self._names is None:
            self._names = [click for group in self._maybe for click in group.clicks]
        return self._names

    def candidate(self, number: int) -> int:
        """Return one of them, or NOWHERE if the number has no click."""
        more, reach = self.more, self.reach
        named = len(more) + self._added
        if number < named:
            if number < len(more):
                return next(islice(more, number, None))
            click = self._named()[number - len(more)]
            return NOWHERE if click in more else click
        node, layout = reach.nth(number - named), reach.layout
        if node >= len(layout.locations):
            return NOWHERE
        location = layout.locations[node]
        click = self._first + location
        if (
            click in more
            or self._perhaps(click) is not None
            or (location in layout.several and reach.node(location) != node)
        ):
            return NOWHERE
        return click

    def pick(self, chance: Callable[[], float]) -> int:
        """Return a random legal click: one of the nodes that may be reached, drawn until it is the node of a legal location.
        The other routes are looked for only if a draw falls on them, and from then on their nodes are counted exactly."""
        more, first, reach = self.more, self._first, self.reach
        layout = reach.layout
        locations, sure = layout.locations, len(more)
        named = sure + self._added
        reached = named + reach.count
        total = reached + self._most_besides
        drawn: list[tuple[Route, NDArray[np.int16]]] | None = None
        while more:
            number = int(chance() * total)
            if number < sure:
                return next(islice(more, number, None))
            if number < named:
                click = self._named()[number - sure]
                if click not in more and click in self:
                    return click
                continue
            beside: Route | None = None
            if number < reached:
                node = reach.nth(number - named)
            else:
                if drawn is None:
                    drawn = [(other, other.nodes) for other in self.routes()[1:]]
                    total = reached + sum([len(nodes) for _, nodes in drawn])
                number -= reached
                for beside, nodes in drawn:  # noqa: B007 (the route is used below)
                    if number < len(nodes):
                        node = nodes.item(number)
                        break
                    number -= len(nodes)
                else:
                    continue
            if node >= len(locations):
                continue
            location = locations[node]
            click = first + location
            if click in more or self._perhaps(click) is not None:
                continue
            if beside is None:
                if not self.allows(location):
                    continue
            elif (location in reach and self.allows(location)) or self.route(location) is not beside:
                continue
            if location not in layout.several or (beside or self).reach.node(location) == node:
                return click
        return self.nth(int(chance() * len(self)))

    def special(self) -> Mapping[int, Any]:
        """Return the legal clicks that are not destinations of a route, with their hints."""
        if not self._maybe:
            return self.more
        found = dict(self.more)
        for group in self._maybe:
            found.update(group.found)
        return found

    def _list(self) -> NDArray[np.intp]:
        """Return the clicks of the locations."""
        if self._listed is None:
            self._open = self._find_open()
            self._listed = self._open.nonzero()[0] + self._first
        return self._listed

    def _find_open(self) -> NDArray[np.bool_]:
        """Return by location whether the stack can end there, without special clicks."""
        routes = self.routes()
        found = self._opened(routes[0])
        for route in routes[1:]:
            found |= self._opened(route)
        size = len(found)
        for location in (*self._starts, *[click - self._first for click in self.special() if click >= self._first]):
            if location < size:
                found[location] = False
        return found

    def _opened(self, route: Route) -> NDArray[np.bool_]:
        """Return by location whether a route leads there and may end there."""
        found = route.reach.find_reached()
        size, is_open = len(found), found.item
        for end in route.ends:
            for location in end.among():
                if location < size and is_open(location) and end.refuse(location) is not None:
                    found[location] = False
        return found


class _Maybe:
    """Clicks that a function finds legal, with their hints; or a button that is legal if a function says so."""

    __slots__ = ("_find", "_find_of", "_found", "_is_legal", "clicks")

    def __init__(
        self,
        clicks: Mapping[int, Any],
        find: Callable[[], Mapping[int, Any]] | None = None,
        is_legal: Callable[[], object] | None = None,
        find_of: Callable[[Collection[int]], Mapping[int, Any]] | None = None,
    ) -> None:
        self.clicks = clicks
        self._find = find
        self._find_of = find_of
        self._is_legal = is_legal
        self._found: Mapping[int, Any] | None = None

    def has(self, click: int) -> bool:
        """Whether one of them is legal."""
        if self._find_of is not None and self._found is None:
            return click in self._find_of((click,))
        return click in self.found

    @property
    def found(self) -> Mapping[int, Any]:
        """The legal clicks."""
        if self._found is None:
            if self._find is not None:
                self._found = self._find()
            elif self._find_of is not None:
                self._found = self._find_of(self.clicks)
            else:
                self._found = self.clicks if self._is_legal is not None and self._is_legal() else {}
        return self._found
