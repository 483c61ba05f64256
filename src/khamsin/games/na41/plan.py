"""The destinations of a stack: by MPs, with Extended Movement, the Road Bonus or Tactical Movement (5.1-5.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from khamsin.games.na41 import trucks
from khamsin.games.na41.ground import (
    BOX_OF,
    FOOT,
    GROUNDS,
    HEX_GROUNDS,
    HIGHWAY,
    MECH,
    ROAD_GROUNDS,
    TRACK,
    bits,
    movement_class,
    start_node,
)
from khamsin.games.na41.hindrances import extra_costs, hindrances, marks_on, road_marker_bars
from khamsin.games.na41.movers import MOVES, ONLY_TACTICAL, can_leave, points, shown, whom
from khamsin.games.na41.stacking import counting, why_no_room
from khamsin.games.na41.units import BOARD, DISRUPTED, GROUND, HEXES, OOS, QUARTERS, REPLACED, G, mechanized
from khamsin.games.na41.zones import front, zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.cache import once
from khamsin.kernel.flood import FAR
from khamsin.kernel.rules import Hint, Refusal
from khamsin.mechanics import ways
from khamsin.mechanics.destinations import Route
from khamsin.mechanics.ways import End, Limit, Limits, Reach, Way

ON_HIGHWAYS, ON_ROADS, OFF_ROAD, IN_ZONE = range(4)
"""The roads that a unit has followed in this phase: OFF_ROAD also if it has been adjacent to an enemy combat unit
(5.2.2), IN_ZONE if it has entered an enemy ZOC (5.3)."""
JOINED = {
    which: frozenset([a for a in range(HEXES) if any(bits(a, b) & kinds for b in BOARD.around(a)) or a in BOX_OF])
    for which, kinds in ((ON_HIGHWAYS, HIGHWAY), (ON_ROADS, HIGHWAY | TRACK))
}
"""The hexes from which a highway, or a road of either kind, leads on."""
MOST_TACTICAL, MOST_BY_ROAD = 27, 56
"""How many nodes Tactical Movement and the Road Bonus lead to at most, wherever a stack is. Random draws depend on it."""
BY_POINTS = Limits("5.1", "costs {cost} MPs, {left} left", shown)
BOUND = Limit(0, "5.4", "only Tactical Movement is allowed to it, one or two hexes")
TWO_HEXES = Limits("5.4", "it is more than two hexes away")
BINDING = (
    (REPLACED, Limits("19.5", "with a Replacement marker it moves one hex")),
    (DISRUPTED, Limits("13.2.1", "Disrupted, it moves two hexes at most")),
    (OOS, Limits("16.4", "out of supply, it moves two hexes at most")),
)
"""The markers that allow Tactical Movement only, each with its limit."""
BY_ROAD = Limits("5.2.2", "too far for the Road Bonus")


class Plan:
    """The destinations of a stack and the kind of movement. MPs lead to its reach; Tactical Movement and the Road Bonus
    beyond."""

    def __init__(self, g: G, side: int, units: Sequence[int]) -> None:
        self.g, self.side, self.units = g, side, list(units)
        state = g.state
        self.versions = state.where.version, state.flags.version
        self.start = state.where[units[0]]
        self.riding: dict[int, int] = {}
        """The units that ride on trucks of the stack (5.8.1)."""
        self.kept: int
        """The roads that the stack has followed: highways, roads, or neither."""
        self.normal: int
        """The MPs of the stack without Extended Movement, in quarters."""
        self.marks: int
        """The flags that any of the units has."""
        if len(units) == 1:
            unit = units[0]
            self.kind = MECH if mechanized(g, unit) else FOOT
            self.spent, self.hexes, self.run = state.spent[unit], state.hexes[unit], state.desert[unit]
            self.kept, self.normal, self.marks = state.road[unit], points(g, unit), state.flags[unit]
        else:
            self.riding = trucks.riders(g, units)
            self.kind = movement_class(g, units, self.riding)
            walking = [unit for unit in units if unit not in self.riding]
            self.spent, self.hexes, self.run = (
                most(state.spent, walking),
                most(state.hexes, walking),
                most(state.desert, units),
            )
            self.kept, self.normal = most(state.road, units), min([points(g, unit) for unit in walking])
            self.marks = marks_on(g, units)
        self.bound = bool(self.marks & ONLY_TACTICAL)
        self.node = start_node(self.start, self.run)
        self.enemy = front(g, 1 - side)
        self.bars = hindrances(g, side, units, self.kind, self.marks, self.enemy)
        self.crowding = counting(g, units)
        """The units that need room."""
        self.way = Way(GROUNDS[self.kind], (self.node,), (self.limit(), *extra_costs(g, side, self.enemy), *self.bars))
        self.reach = ways.reach(self.way)
        self.asked: tuple[int, list[int]] = NOWHERE, []
        """The location whose cheapest path was requested last, and the path."""
        self.counted: tuple[list[int], int] | None = None
        """The path by MPs that was requested last, with its cost."""

    @property
    def ends(self) -> tuple[End, ...]:
        """Where the stack may not end. They refer to the plan, so it does not keep them."""
        return (End(self.why_not_end, self.where_not_end),)

    def why_not_end(self, location: int) -> Refusal | None:
        """Return why the stack may not end in a location that its MPs reach (4.4.1, 5.3)."""
        return self.why_no_room(location) or self.why_not_extended(location)

    def where_not_end(self) -> list[int]:
        """Return the locations in which it may not end, and perhaps others."""
        return [*self.friends(), *self.only_extended()]

    def why_no_room(self, location: int) -> Refusal | None:
        """Return why there is no room for the stack in a location (4.4.1)."""
        if not self.crowding or location not in self.g.state.where.stacks(self.side):
            return None
        return why_no_room(self.g, self.side, self.crowding, location, can_leave)

    def friends(self) -> Iterable[int]:
        """Return the locations in which it could lack room: those of its side's units."""
        return self.g.state.where.stacks(self.side) if self.crowding else ()

    def is_current(self) -> bool:
        """Whether no unit has moved or entered Full Retreat since the plan was made."""
        state = self.g.state
        return self.versions == (state.where.version, state.flags.version)

    def limit(self) -> Limit:
        """The MPs left: none for units that can only use Tactical Movement; three more with Extended Movement (5.3)."""
        if self.bound:
            return BOUND
        allowed = self.normal + (MOVES["extended"] * QUARTERS if self.extends() else 0)
        return BY_POINTS[max(allowed - self.spent, 0)]

    def extends(self) -> bool:
        """Whether the stack may use Extended Movement: mechanized, and it has entered no ZOC in this phase (5.3)."""
        return self.kind == MECH and self.kept != IN_ZONE

    @once
    def free(self) -> Reach | None:
        """Return where the stack gets without entering an enemy ZOC; None if no Limited ZOC is within reach, so that
        every path to a hex out of ZOCs is such a path."""
        if not any(hex in self.reach for hex in self.enemy.limited):
            return None
        return ways.reach(self.way.but(self.enemy.zoned))

    def only_extended(self) -> list[int]:
        """Return the locations that Extended Movement alone reaches, and only through enemy ZOCs."""
        if self.kind != MECH:
            return []
        far = (self.reach.costs > self.normal - self.spent) & self.reach.reached
        zoned = np.frombuffer(zone(self.g, 1 - self.side), dtype=np.uint8)
        far &= (zoned > 0) if self.free is None else ~self.free.reached
        found: list[int] = far.nonzero()[0].tolist()
        return found

    def is_extended(self, location: int) -> bool:
        """Whether only Extended Movement leads the stack to a location that its MPs reach."""
        cost = self.reach.cost(location)
        return cost != FAR and cost + self.spent > self.normal

    def why_not_extended(self, location: int) -> Refusal | None:
        """Return why Extended Movement cannot lead to a location: it may enter no enemy ZOC (5.3)."""
        cost = self.reach.cost(location)
        if cost == FAR or cost + self.spent <= self.normal:
            return None
        path, zoned = self.cheapest(location), self.enemy.zoned_hexes
        if zoned.isdisjoint(path):
            return None
        if location not in zoned and (self.free is None or location in self.free):
            return None
        label = BOARD.name(next((hex for hex in path if hex in zoned), location))
        cannot = f"{whom(self.units)} cannot move to {BOARD.name(location)}"
        return Refusal(f"{cannot}: Extended Movement may not enter the enemy ZOC in {label}", "5.3", label)

    def cheapest(self, location: int) -> list[int]:
        """Return the cheapest path by MPs to a location, through enemy ZOCs or not. It is often requested twice in a
        row."""
        if self.asked[0] != location:
            self.asked = location, self.reach.path(location)
        return self.asked[1]

    def tactical(self) -> Reach:
        """Return where Tactical Movement leads (5.4)."""
        return ways.reach(self.tactical_way)

    @once
    def tactical_way(self) -> Way:
        """Tactical Movement: one or two hexes, one with a Replacement marker (5.4, 19.5)."""
        marks = self.marks
        allowed = MOVES["replacement" if marks & REPLACED else "tactical"]
        limits = next((limits for mark, limits in BINDING if marks & mark), TWO_HEXES) if self.bound else TWO_HEXES
        return Way(HEX_GROUNDS[self.kind], (self.node,), (limits[max(allowed - self.hexes, 0)], *self.bars))

    def road_bonus(self) -> list[Way]:
        """Return the Road Bonus: five highway hexes more, or one road hex, next to no enemy combat unit (5.2.2)."""
        if self.kind != FOOT or self.bound or self.start >= HEXES or self.start not in JOINED[ON_ROADS]:
            return []
        enemy = self.enemy
        if enemy.touches(self.start):
            return []
        found = []
        for ground, which, bonus in ((ROAD_GROUNDS[1], ON_HIGHWAYS, "highway"), (ROAD_GROUNDS[0], ON_ROADS, "road")):
            left = self.normal // QUARTERS + GROUND["road_bonus"][bonus] - self.spent // QUARTERS
            if self.kept <= which and left > 0 and self.start in JOINED[which]:
                markers = road_marker_bars(self.g, self.side)
                found.append(Way(ground, (self.node,), (BY_ROAD[left], *markers, enemy.near, *self.bars)))
        return found

    def besides(self) -> list[Route]:
        """Return the Road Bonus and Tactical Movement, for locations that MPs do not reach."""
        room = (End(self.why_no_room, self.friends),)
        bonus = [Route(way, room, _by_road_bonus) for way in self.road_bonus()]
        return [*bonus, Route(self.tactical_way, room, _by_tactical)]

    def most_besides(self) -> int:
        """Return how many nodes these lead to at most."""
        by_road = self.kind == FOOT and not self.bound and self.start in JOINED[ON_ROADS]
        return MOST_TACTICAL + MOST_BY_ROAD if by_road else MOST_TACTICAL

    def leads(self, location: int) -> bool:
        """Whether the stack can reach a location."""
        return self.by_points(location) or any(location in route.reach for route in self.besides())

    def is_near(self, location: int) -> bool:
        """Whether a location is in the range of Tactical Movement (5.4)."""
        if self.start >= HEXES or location >= HEXES:
            return True
        return location in BOARD.in_range(self.start, MOVES["tactical"])

    def by_points(self, location: int) -> bool:
        """Whether MPs lead the stack to a location."""
        return location in self.reach and self.why_not_extended(location) is None

    def path(self, location: int) -> list[int]:
        """Return the path to a location: Tactical Movement if it suffices, then MPs, then the Road Bonus. Of tactical
        paths the cheapest in MPs is taken, for a move that continues (5.4)."""
        by_points = None
        cost = self.reach.cost(location)
        if cost != FAR and self.why_not_extended(location) is None:
            by_points = self.cheapest(location)
            if cost + self.spent > self.normal and not self.enemy.zoned_hexes.isdisjoint(by_points) and self.free:
                by_points, cost = self.free.path(location), self.free.cost(location)
            self.counted = by_points, cost
            if self.hexes + len(by_points) <= MOVES["tactical"]:
                return by_points
        if self.is_near(location) and location in self.tactical():
            return self.tactical().path(location)
        if by_points is not None:
            return by_points
        return next(reach.path(location) for reach in map(ways.reach, self.road_bonus()) if location in reach)

    def how(self, location: int, path: Sequence[int]) -> str:
        """Return the kind of movement by which the stack moves to a location on a path; empty for MPs (5.2.2, 5.3,
        5.4)."""
        if self.hexes + len(path) <= MOVES["tactical"]:
            return "Tactical Movement"
        if self.by_points(location):
            return "Extended Movement" if self.is_extended(location) else ""
        return "Road Bonus"

    def why_not(self, location: int) -> Refusal | None:
        """Return why the stack cannot move to a location."""
        if any(route.leads(location) for route in self.besides()):
            return None
        who = whom(self.units)
        if self.bound:
            return ways.why_not(self.g, self.tactical_way, location, who, (End(self.why_no_room, self.friends),))
        return ways.why_not(self.g, self.way, location, who, self.ends)


def most(column: Sequence[int], units: Sequence[int]) -> int:
    """Return the largest value of a column among units.

    >>> most([7, 9, 8], [0, 2])
    8
    """
    return max(map(column.__getitem__, units))


def _by_road_bonus(cost: int) -> Hint:
    return {"road bonus": cost}


def _by_tactical(cost: int) -> Hint:
    return {"tactical": cost}
