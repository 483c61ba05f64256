"""Where a stack can go: by MPs, with Extended Movement, the Road Bonus or Tactical Movement (5.1-5.4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

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
from khamsin.games.na41.movers import MOVES, can_leave, is_bound, points, shown, whom
from khamsin.games.na41.stacking import end as stacking_end
from khamsin.games.na41.units import BOARD, DISRUPTED, GROUND, HEXES, OOS, QUARTERS, REPLACED, G
from khamsin.games.na41.zones import front, zone
from khamsin.kernel.cache import once
from khamsin.kernel.flood import FAR
from khamsin.kernel.rules import Hint, Refusal
from khamsin.mechanics import ways
from khamsin.mechanics.ways import End, Hindrance, Limit, Reach, Route, Way

ON_HIGHWAYS, ON_ROADS, OFF_ROAD, IN_ZONE = range(4)
"""What a unit has kept to in this phase: OFF_ROAD also if it has been next to an enemy combat unit (5.2.2), IN_ZONE if it has
entered an enemy ZOC (5.3)."""
JOINED = {
    which: frozenset([a for a in range(HEXES) if any(bits(a, b) & kinds for b in BOARD.around(a)) or a in BOX_OF])
    for which, kinds in ((ON_HIGHWAYS, HIGHWAY), (ON_ROADS, HIGHWAY | TRACK))
}
"""The hexes from which a highway, or a road of either kind, leads on."""
BOUND = ("5.4", "only Tactical Movement is allowed to it, one or two hexes")
BINDING = (
    (REPLACED, "19.5", "with a Replacement marker it moves one hex"),
    (DISRUPTED, "13.2.1", "Disrupted, it moves two hexes at most"),
    (OOS, "16.4", "out of supply, it moves two hexes at most"),
)
"""The markers that allow Tactical Movement only, each with its section and the reason for a refusal."""


class Plan:
    """Where a stack can go, and how. MPs take it over its reach; Tactical Movement and the Road Bonus beyond."""

    def __init__(self, g: G, side: int, units: Sequence[int]) -> None:
        self.g, self.side, self.units = g, side, list(units)
        state = g.state
        self.versions = state.where.version, state.flags.version
        self.start = state.where[units[0]]
        self.riding = trucks.riders(g, units)
        """The units that ride on trucks of the stack (5.8.1)."""
        self.kind = movement_class(g, units, self.riding)
        walking = [unit for unit in units if unit not in self.riding] if self.riding else units
        self.spent = most(state.spent, walking)
        self.hexes = most(state.hexes, walking)
        self.run = most(state.desert, units)
        self.kept = most(state.road, units)
        """What the stack has kept to: highways, roads, or neither."""
        self.normal = min([points(g, unit) for unit in walking])
        """The MPs of the stack without Extended Movement, in quarters."""
        self.bound = True in [is_bound(g, unit) for unit in units]
        self.node = start_node(self.start, self.run)
        self.bars = hindrances(g, side, units, self.kind)
        self.room = stacking_end(g, side, units, partial(can_leave, g, side))
        self.way = Way(GROUNDS[self.kind], (self.node,), (*self.limits(), *extra_costs(g, side), *self.bars))
        self.reach = ways.reach(self.way)
        self.counted: tuple[list[int], int] | None = None
        """The path by MPs that was asked for last, with its cost."""

    @property
    def ends(self) -> tuple[End, ...]:
        """Where the stack may not end. They refer to the plan, so it does not keep them."""
        return self.room, End(self.why_not_extended, self.only_extended)

    def is_current(self) -> bool:
        """Whether no unit has moved or come into Full Retreat since the plan was made."""
        state = self.g.state
        return self.versions == (state.where.version, state.flags.version)

    def limits(self) -> list[Hindrance]:
        """The MPs left: none for units that can only use Tactical Movement; three more with Extended Movement (5.3)."""
        if self.bound:
            return [Limit(0, *BOUND)]
        allowed = self.normal + (MOVES["extended"] * QUARTERS if self.extends() else 0)
        return [Limit(max(allowed - self.spent, 0), "5.1", "costs {cost} MPs, {left} left", shown)]

    def extends(self) -> bool:
        """Whether the stack may use Extended Movement: mechanized, and it has entered no ZOC in this phase (5.3)."""
        return self.kind == MECH and self.kept != IN_ZONE

    @once
    def free(self) -> Reach | None:
        """Where the stack gets without entering an enemy ZOC; None if no Limited ZOC is within reach, so that every path to a
        hex out of ZOCs is such a path."""
        enemy = front(self.g, 1 - self.side)
        if not any(hex in self.reach for hex in enemy.limited):
            return None
        return ways.reach(self.way.but(enemy.zoned))

    def only_extended(self) -> list[int]:
        """The locations that Extended Movement alone reaches, and only through enemy ZOCs."""
        if self.kind != MECH:
            return []
        far = (self.reach.costs > self.normal - self.spent) & self.reach.reached
        zoned = np.frombuffer(zone(self.g, 1 - self.side), dtype=np.uint8)
        far &= (zoned > 0) if self.free is None else ~self.free.reached
        found: list[int] = far.nonzero()[0].tolist()
        return found

    def is_extended(self, location: int) -> bool:
        """Whether only Extended Movement takes the stack to a location that its MPs reach."""
        cost = self.reach.cost(location)
        return cost != FAR and cost + self.spent > self.normal

    def why_not_extended(self, location: int) -> Refusal | None:
        """Why Extended Movement cannot go to a location: it may enter no enemy ZOC (5.3)."""
        if not self.is_extended(location):
            return None
        zoned = zone(self.g, 1 - self.side)
        if not zoned[location] and (self.free is None or location in self.free):
            return None
        label = BOARD.name(next((hex for hex in self.reach.path(location) if zoned[hex]), location))
        cannot = f"{whom(self.units)} cannot move to {BOARD.name(location)}"
        return Refusal(f"{cannot}: Extended Movement may not enter the enemy ZOC in {label}", "5.3", label)

    def tactical(self) -> Reach:
        """Where Tactical Movement leads (5.4)."""
        return ways.reach(self.tactical_way)

    @once
    def tactical_way(self) -> Way:
        """Tactical Movement: one or two hexes, one with a Replacement marker (5.4, 19.5)."""
        marks = marks_on(self.g, self.units)
        allowed = MOVES["replacement" if marks & REPLACED else "tactical"]
        why = next((why for mark, *why in BINDING if marks & mark), ("5.4", "it is more than two hexes away"))
        limit = Limit(max(allowed - self.hexes, 0), *why)
        return Way(HEX_GROUNDS[self.kind], (self.node,), (limit, *self.bars))

    def road_bonus(self) -> list[Way]:
        """The Road Bonus: five highway hexes more, or one road hex, next to no enemy combat unit (5.2.2)."""
        if self.kind != FOOT or self.bound or self.start >= HEXES or self.start not in JOINED[ON_ROADS]:
            return []
        enemy = front(self.g, 1 - self.side)
        if enemy.touches(self.start):
            return []
        found = []
        for ground, which, bonus in ((ROAD_GROUNDS[1], ON_HIGHWAYS, "highway"), (ROAD_GROUNDS[0], ON_ROADS, "road")):
            left = self.normal // QUARTERS + GROUND["road_bonus"][bonus] - self.spent // QUARTERS
            if self.kept <= which and left > 0 and self.start in JOINED[which]:
                limit = Limit(left, "5.2.2", "too far for the Road Bonus")
                markers = road_marker_bars(self.g, self.side)
                found.append(Way(ground, (self.node,), (limit, *markers, enemy.near, *self.bars)))
        return found

    def besides(self) -> list[Route]:
        """The Road Bonus and Tactical Movement, for locations that MPs do not reach."""
        bonus = [Route(way, (self.room,), _by_road_bonus) for way in self.road_bonus()]
        return [*bonus, Route(self.tactical_way, (self.room,), _by_tactical)]

    def leads(self, location: int) -> bool:
        """Whether the stack can get to a location."""
        return self.by_points(location) or any(location in route.reach for route in self.besides())

    def is_near(self, location: int) -> bool:
        """Whether a location is as near as Tactical Movement leads (5.4)."""
        if self.start >= HEXES or location >= HEXES:
            return True
        return location in BOARD.in_range(self.start, MOVES["tactical"])

    def by_points(self, location: int) -> bool:
        """Whether MPs take the stack to a location."""
        return location in self.reach and self.why_not_extended(location) is None

    def path(self, location: int) -> list[int]:
        """The path to a location: Tactical Movement where it suffices, then MPs, then the Road Bonus. Of tactical paths the
        cheapest in MPs is taken, for a move that continues (5.4)."""
        by_points = None
        cost = self.reach.cost(location)
        if cost != FAR and self.why_not_extended(location) is None:
            reach = (self.free if cost + self.spent > self.normal else None) or self.reach
            by_points = reach.path(location)
            self.counted = by_points, cost if reach is self.reach else reach.cost(location)
            if self.hexes + len(by_points) <= MOVES["tactical"]:
                return by_points
        if self.is_near(location) and location in self.tactical():
            return self.tactical().path(location)
        if by_points is not None:
            return by_points
        return next(reach.path(location) for reach in map(ways.reach, self.road_bonus()) if location in reach)

    def how(self, location: int, path: Sequence[int]) -> str:
        """By which kind of movement the stack goes to a location on a path; empty for MPs (5.2.2, 5.3, 5.4)."""
        if self.hexes + len(path) <= MOVES["tactical"]:
            return "Tactical Movement"
        if self.by_points(location):
            return "Extended Movement" if self.is_extended(location) else ""
        return "Road Bonus"

    def why_not(self, location: int) -> Refusal | None:
        """Why the stack cannot go to a location."""
        if any(route.leads(location) for route in self.besides()):
            return None
        who = whom(self.units)
        if self.bound:
            return ways.why_not(self.g, self.tactical_way, location, who, (self.room,))
        return ways.why_not(self.g, self.way, location, who, self.ends)


def most(column: Sequence[int], units: Sequence[int]) -> int:
    """The largest value of a column among units.

    >>> most([7, 9, 8], [0, 2])
    8
    """
    return max(map(column.__getitem__, units))


def _by_road_bonus(cost: int) -> Hint:
    return {"road bonus": cost}


def _by_tactical(cost: int) -> Hint:
    return {"tactical": cost}
