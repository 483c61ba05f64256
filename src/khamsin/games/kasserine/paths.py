"""How far units get (7.1-7.5, 8.1, 8.2.4, 9.3.3): one flood over the ground, with all that bars or stops them on it.

Points are halves of a movement point. A group moves as one: at each step it pays what the dearest of its units pays, goes where
all may go, and stops where any must (7.1.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from khamsin.games.kasserine import boxes, supply
from khamsin.games.kasserine.ground import (
    BEYOND,
    FIGURES,
    HALT,
    NODE_HEX,
    REACHES,
    is_raining,
    network,
)
from khamsin.games.kasserine.mode import TOWED, friend_stays, interdicted
from khamsin.games.kasserine.reserve import allowance
from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.units import (
    AROUND,
    BOARD,
    CARD,
    COMBAT,
    DEPLOYED,
    ENTERED,
    FORCE_SPAN,
    FRENCH,
    HALVES,
    HEXES,
    MA,
    MOTORIZED,
    MOVED,
    NO_ZONE,
    SIDE,
    STOPPED,
    UNITS,
    VKOENEN,
    G,
    crosses,
    forces_in,
    stacks,
)
from khamsin.games.kasserine.zones import contact, waiting, zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import CLOSED, FAR, NEVER, STOP, UNREACHED, Network
from khamsin.kernel.pieces import Memo
from khamsin.kernel.rules import LazyClicks

MOVEMENT, REACTION, RESERVES = range(3)
"""The phases in which units move (7.0, 9.3, 8.2.4)."""
LEFT = "points left to the moving stack"
"""How the state remembers that a stack has the allowance of its slowest unit, also after it has dropped that unit (7.1.2)."""
INFILTRATES = [ma >= FIGURES["infiltration"]["ma"] and not towed for ma, towed in zip(MA, TOWED, strict=True)]
"""Who may infiltrate (8.1.2)."""
DRAWN, DRIVEN, ALARMING = (
    frozenset(unit for unit in UNITS if has(unit))
    for has in (TOWED.__getitem__, MOTORIZED.__getitem__, lambda unit: COMBAT[unit] and not NO_ZONE[unit])
)
"""Towed guns, motorized units, and those whose coming rouses Reserves, as sets: quick to compare with a group."""
HALT_HEX = np.array(NODE_HEX[HEXES:])
"""The hex of each second node."""
INFILTRATION, ONE_HEX = "infiltration", "one-hex movement"
"""Steps that take all the points of a unit (7.4.2, 8.1.1)."""
FIGURE = [str(halves // HALVES or "") + "½" if halves % HALVES else halves // HALVES for halves in range(256)]
"""So many halves of a point as a player reads them."""


def whole(g: G, unit: int, kind: int) -> int:
    """The points that a unit has in a phase: half its allowance in reaction and reserve movement, the half point kept (3.5.4,
    8.2.4, 9.3.2)."""
    points = allowance(g, unit)
    return points if kind == MOVEMENT else points // 2


def points_left(g: G, units: Sequence[int], kind: int) -> int:
    """What units that go on together may still spend: none if one of them may not move on (7.1.2, 7.1.3)."""
    state = g.state
    left = FAR
    for unit in units:
        if state.flags[unit] & (STOPPED | DEPLOYED) or state.release[unit]:
            return 0
        more = whole(g, unit, kind) - state.spent[unit]
        if more < left:
            left = more
    if stuck(g, units):
        return 0
    return min(left, state.todo.get(LEFT, left)) if state.flags[units[0]] & MOVED else left


def stuck(g: G, units: Sequence[int]) -> bool:
    """Whether towed guns stand in an enemy zone with no friend to let them go (7.6.2)."""
    if DRAWN.isdisjoint(units):
        return False
    side, here = SIDE[units[0]], g.state.where[units[0]]
    if here >= HEXES or not zone(g, 1 - side)[here]:
        return False
    return not friend_stays(g, list(units), forces_in(g, side, here))


def is_commando(g: G, units: Sequence[int]) -> bool:
    """Whether the von Koenen commando moves alone by its own rules (16.4, 16.4.1)."""
    return len(units) == 1 and units[0] == VKOENEN and g.options["commando"] == "on"


class Reach(NamedTuple):
    """Where a group can go: the cost of each node, and the node it is reached from."""

    distance: NDArray[np.int16]
    came: NDArray[np.int16]

    def node(self, hex: int) -> int:
        """The node by which a hex is reached: the one that does not end all movement, if it can be (7.3.5)."""
        return hex if self.distance.item(hex) != FAR else HALT.get(hex, hex)

    def cost(self, hex: int) -> int:
        """What it costs to get there; FAR if it is not reached."""
        return self.distance.item(self.node(hex))

    def __contains__(self, hex: object) -> bool:
        return type(hex) is int and self.cost(hex) != FAR

    def path(self, hex: int) -> list[int]:
        """The hexes entered on the way there, each next to the one before (3.1.4)."""
        node, way = self.node(hex), []
        while node < len(NODE_HEX) and (before := self.came.item(node)) != NOWHERE:
            way.append(NODE_HEX[node])
            node = before
        return way[::-1]

    def hexes(self) -> NDArray[np.bool_]:
        """Which hexes are reached."""
        found: NDArray[np.bool_] = self.distance[: len(NODE_HEX)] != UNREACHED
        found[HALT_HEX[found[HEXES:].nonzero()[0]]] = True
        return found[:HEXES]


def reach(g: G, units: Sequence[int], points: int, kind: int) -> Reach:
    """How far units of one place get together with so many points, in a phase (7.1-3, 7.5)."""
    here = g.state.where[units[0]]
    if points <= 0:
        return nowhere(here)
    mask = way_mask(g, units, kind)
    if here >= HEXES:
        return _from_outside(g, units, points, mask)
    net = steps(g, units)
    zoned = zone(g, 1 - SIDE[units[0]])
    if zoned[here] and not is_commando(g, units):
        return _out_of_zone(net, here, points, mask, zoned)
    return Reach(*net.spread(net.alone(here), points, mask)[:2])


def nowhere(here: int) -> Reach:
    """The reach of units that cannot go on."""
    return _at(here) if here < HEXES else _off()


@lru_cache(maxsize=4096)
def _at(here: int) -> Reach:
    distance = np.full(len(NODE_HEX), FAR, dtype=np.int16)
    distance[here] = 0
    return Reach(distance, np.full(len(NODE_HEX), NOWHERE, dtype=np.int16))


@lru_cache(maxsize=1)
def _off() -> Reach:
    return Reach(np.full(len(NODE_HEX), FAR, dtype=np.int16), np.full(len(NODE_HEX), NOWHERE, dtype=np.int16))


def _from_outside(g: G, units: Sequence[int], points: int, mask: NDArray[np.uint8]) -> Reach:
    """The reach of units that come on the map (5.2.4, 8.3.3)."""
    entries = boxes.ways_in(g, units[0])
    if not entries:
        return _off()
    net = boxes.entry_network(_kinds(g, units), is_raining(g), *hazards(g, SIDE[units[0]]), entries)
    outside = np.zeros(net.size - len(mask), dtype=np.uint8)
    return Reach(*net.spread(net.alone(len(mask)), points, np.concatenate([mask, outside]))[:2])


def _out_of_zone(net: Network, here: int, points: int, mask: NDArray[np.uint8], zoned: bytes) -> Reach:
    """The reach of units that stand in an enemy zone: they enter another only after a hex that is in none and does not stop
    them either (7.2.1, 7.2.2, 14.1.2)."""
    near = [n for n in AROUND[here] if zoned[n]]
    shut = mask.copy()
    for hex in near:
        shut[hex] = CLOSED
        if hex in HALT:
            shut[HALT[hex]] = CLOSED
    distance, came, _ = net.spread(net.alone(here), points, shut)
    for hex in near:
        if mask[hex] == CLOSED:
            continue
        for start in AROUND[hex]:
            if zoned[start] or distance[start] == FAR or mask[start] == STOP:
                continue
            edge = BOARD.neighbours[start].index(hex)
            node, step = int(net.targets[start, edge]), int(net.costs[start, edge])
            cost = int(distance[start]) + step
            if step != NEVER and cost <= points and cost < distance[node]:
                distance[node], came[node] = cost, start
    return Reach(distance, came)


def steps(g: G, units: Sequence[int]) -> Network:
    """The network on which a group moves now (7.3, 7.5, 11.2.6, 14.1.2)."""
    return network(_kinds(g, units), is_raining(g), *hazards(g, SIDE[units[0]]))


def gait(g: G, unit: int) -> tuple[object, ...]:
    """All about a unit on the map that its network and its mask depend on, whatever hex it stands in."""
    return (
        crosses(g, unit), unit in DRAWN, unit in DRIVEN, unit in ALARMING, unit == VKOENEN, supply_bound(g, [unit])
    )  # fmt: skip


def _kinds(g: G, units: Sequence[int]) -> frozenset[int]:
    return frozenset([crosses(g, unit) for unit in units])


def hazards(g: G, side: int) -> tuple[frozenset[int], frozenset[int]]:
    """The active enemy strongpoints, and the hexes that the enemy interdicts (11.2.5, 14.1.2)."""
    version = g.state.where.versions[1 - side]
    known = _HAZARDS.get(version)
    if known is None:
        forts = frozenset([hex for hex, owner in g.state.strongpoint.items() if owner != side])
        known = _HAZARDS.keep(version, (forts, interdicted(g, side)))
    return known


_HAZARDS: Memo[tuple[frozenset[int], frozenset[int]]] = Memo()


def way_mask(g: G, units: Sequence[int], kind: int) -> NDArray[np.uint8]:
    """What closes or stops each node to a group: enemies and their zones (7.1.4, 7.2.1), the friends that guns and Reserves
    need there (7.6.2, 8.2.6, 9.3.3), strongpoints (14.1.2), want of supply (6.4.2) and the edge (18.2.5)."""
    state, unit = g.state, units[0]
    side, where = SIDE[unit], state.where
    slipping = is_commando(g, units) and kind != REACTION  # 9.3.3, 16.4.1
    cautious = (kind != MOVEMENT or not DRAWN.isdisjoint(units)) and not slipping
    friends: frozenset[int] | None = None
    if cautious:
        friends = frozenset(where[FORCE_SPAN[side]]) if kind == REACTION else contact(g, side)
    rousing = bool(waiting(g, 1 - side)) and not ALARMING.isdisjoint(units)
    bound = supply_bound(g, units)
    fields = tuple([supply.field(g, side, french) for french in (False, True) if bound[french]])
    key = (
        where.versions[1 - side], kind == REACTION, friends,
        not DRIVEN.isdisjoint(units), _kinds(g, units) if rousing else None, fields, where[unit] == CARD[side],
    )  # fmt: skip
    known = _WAYS.get(key)
    return _WAYS.keep(key, _way_mask(g, side, *key[1:])) if known is None else known


_WAYS: Memo[NDArray[np.uint8]] = Memo()
"""By where the enemy stands, and what else a mask depends on: most moves change none of it."""


def _way_mask(
    g: G,
    side: int,
    reacting: bool,
    friends: frozenset[int] | None,
    motorized: bool,
    alarming: frozenset[int] | None,
    fields: tuple[bytes, ...],
    entering: bool,
) -> NDArray[np.uint8]:
    mask = _enemy_mask(g, side, motorized, alarming, entering)
    if friends is not None or fields:
        mask = mask.copy()
    if friends is not None:
        touched = np.frombuffer(zone(g, 1 - side), dtype=np.bool_)
        if reacting:
            touched = touched | _next_to(g, 1 - side)
        held = np.zeros(HEXES, dtype=np.bool_)
        held[[hex for hex in friends if 0 <= hex < HEXES]] = True
        mask[touched & ~held] = CLOSED
        mask[touched & held & (mask != CLOSED)] = STOP
    for supplied in fields:
        mask[np.frombuffer(supplied, dtype=np.uint8) == 0] = CLOSED
    return np.concatenate([mask, mask[HALT_HEX]])


def _enemy_mask(g: G, side: int, motorized: bool, alarming: frozenset[int] | None, entering: bool) -> NDArray[np.uint8]:
    """Hexes closed by enemy units or to this scenario, and those where enemy zones, Reserves or strongpoints stop units: all
    that does not change while a side moves (7.1.4, 7.2.1, 14.1.2, 18.1.2, 18.2.5)."""
    where = g.state.where
    key = (where.versions[1 - side], motorized, alarming, entering)
    known = _ENEMY_MASKS.get(key)
    if known is None:
        mask = bytearray(zone(g, 1 - side))
        for hex in (*(watched(g, side, alarming) if alarming else ()), *(hazards(g, side)[0] if motorized else ())):
            mask[hex] = STOP
        for hex in (*stacks(g, 1 - side), *(() if entering else boxes.shut_edge(g, side))):
            mask[hex] = CLOSED
        known = _ENEMY_MASKS.keep(key, np.frombuffer(mask, dtype=np.uint8))
        if setting(g).number in BEYOND:
            known[BEYOND[setting(g).number]] = CLOSED
    return known


_ENEMY_MASKS: Memo[NDArray[np.uint8]] = Memo()


def _next_to(g: G, side: int) -> NDArray[np.bool_]:
    """The hexes next to combat units of a side (9.3.3)."""
    near = np.zeros(HEXES, dtype=np.bool_)
    near[[n for hex in stacks(g, side) for n in AROUND[hex]]] = True
    return near


def watched(g: G, side: int, kinds: frozenset[int]) -> list[int]:
    """Hexes where units of these ways of crossing would rouse an enemy in Reserve, whose zone then stops them: they have it in
    their zone, and its own reaches them (7.2.1, 8.2.5)."""
    state = g.state
    reserves: dict[int, set[int]] = {}
    for unit in waiting(g, 1 - side):
        reserves.setdefault(state.where[unit], set()).add(crosses(g, unit))
    reaches = REACHES[is_raining(g)]
    found = []
    for there, theirs in reserves.items():
        if state.strongpoint.get(there, side) != side or all(NO_ZONE[u] for u in forces_in(g, 1 - side, there)):
            continue
        found += [
            hex
            for hex in AROUND[there]
            if state.strongpoint.get(hex) != side
            and any(there in reaches[kind][hex] for kind in kinds)
            and any(hex in reaches[kind][there] for kind in theirs)
        ]
    return found


def supply_bound(g: G, units: Sequence[int]) -> tuple[bool, bool]:
    """Whether others, and French units, among a group may not go where they would be out of supply; all may in the turn they
    enter (5.2.3, 6.4.2)."""
    flags, where = g.state.flags, g.state.where
    if where[units[0]] >= HEXES:
        return False, False
    bound = [False, False]
    for unit in units:
        if not flags[unit] & ENTERED and supply.held_back(g, unit):
            bound[FRENCH[unit]] = True
    return bound[False], bound[True]


class Destinations(LazyClicks):
    """The clicks with which a group may end its way, each with its cost, and what else is open. There are hundreds, and mostly
    one is looked at, so they stay in the arrays of the flood until somebody lists them."""

    __slots__ = ("_hexes", "_place0", "_shut", "more", "reach")

    def __init__(self, g: G, reach: Reach, shut: set[int]) -> None:
        self.reach = reach
        self._shut = shut
        self._place0 = g.place0
        self._hexes: NDArray[np.intp] | None = None
        self.more: dict[int, Any] = {}
        """Clicks besides the hexes of the flood, with their hints; they go before these."""

    def __contains__(self, click: object) -> bool:
        if click in self.more:
            return True
        hex = click - self._place0 if isinstance(click, int) else -1
        return 0 <= hex < HEXES and hex not in self._shut and hex in self.reach

    def allows(self, hex: int) -> bool:
        """Whether a group may end its way in a hex, if it gets there."""
        return hex not in self._shut

    def __getitem__(self, click: int) -> Any:
        if click in self.more:
            return self.more[click]
        if click not in self:
            raise KeyError(click)
        return FIGURE[self.reach.cost(click - self._place0)]

    def __iter__(self) -> Iterator[int]:
        return iter([*self.more, *(self._ends() + self._place0).tolist()])

    def __len__(self) -> int:
        return len(self.more) + len(self._ends())

    def nth(self, number: int) -> int:
        """The click at a place in the order of all, without listing them."""
        if number < len(self.more):
            return next(islice(self.more, number, None))
        return self._ends().item(number - len(self.more)) + self._place0

    def __bool__(self) -> bool:
        return bool(self.more) or len(self) > 0

    def _ends(self) -> NDArray[np.intp]:
        """The hexes of the flood in which the way may end."""
        if self._hexes is None:
            found = self.reach.hexes()
            for hex in self._shut:
                found[hex] = False
            self._hexes = found.nonzero()[0]
        return self._hexes


def whole_steps(g: G, units: Sequence[int], found: Reach) -> dict[int, str]:
    """Neighbouring hexes that units could enter only for all their points: by one-hex movement, or from one enemy zone to
    another by infiltration, for which the points must suffice, and not into a strongpoint; nowhere that is barred to them (7.4,
    7.4.3, 8.1, 8.1.3, 8.1.4). None of them may have spent any."""
    state, side = g.state, SIDE[units[0]]
    here = state.where[units[0]]
    if here >= HEXES or any(
        state.spent[u] or state.release[u] or state.flags[u] & (MOVED | STOPPED | DEPLOYED) for u in units
    ):
        return {}
    near = [(edge, hex) for edge, hex in enumerate(BOARD.neighbours[here]) if hex != NOWHERE and hex not in found]
    if not near or stuck(g, units):
        return {}
    zoned, mask, costs = zone(g, 1 - side), way_mask(g, units, MOVEMENT), steps(g, units).costs[here].tolist()
    may_infiltrate = zoned[here] and all(INFILTRATES[u] for u in units)
    points = min(allowance(g, u) for u in units)
    ways = {}
    for edge, hex in near:
        if costs[edge] == NEVER or mask[hex] == CLOSED:
            continue
        if not (zoned[here] and zoned[hex]):
            ways[hex] = ONE_HEX
        elif may_infiltrate and costs[edge] <= points and state.strongpoint.get(hex, side) == side:
            ways[hex] = INFILTRATION
    return ways


def exits(g: G, units: Sequence[int], found: Reach, points: int) -> dict[int, tuple[int, int]]:
    """The holding boxes of its own side to which units may leave the map, each with the cost and the hex by which they leave
    (8.3.1, 8.3.4)."""
    unit = units[0]
    here = g.state.where[unit]
    ways: dict[int, tuple[int, int]] = {}
    if here >= HEXES or points < boxes.LEAVE:
        return ways
    for box in boxes.BOXES[SIDE[unit]]:
        for door in boxes.ENTRIES[box]:
            cost = found.distance.item(door) + boxes.LEAVE
            if cost > points or (door != here and way_mask(g, units, MOVEMENT)[door] == STOP):
                continue
            if box not in ways or cost < ways[box][0]:
                ways[box] = cost, door
    return ways


def connections(g: G, units: Sequence[int]) -> tuple[int, ...]:
    """The holding boxes to which units may go from theirs, for all their points (8.3.5)."""
    state = g.state
    here = state.where[units[0]]
    if any(state.spent[u] or state.release[u] or state.flags[u] & STOPPED for u in units):
        return ()
    return boxes.CONNECTED.get(here, ())


def shut_hexes(g: G, units: Sequence[int], crowded: Iterable[int]) -> set[int]:
    """The hexes in which units may not end their way though they reach them: where they stand, those with no room, and the
    edge for those who may not stay there (3.3.2, 18.2.5)."""
    shut = set(crowded)
    here = g.state.where[units[0]]
    if here < HEXES:
        shut.add(here)
    if boxes.must_leave_edge(g, units):
        shut |= boxes.SHARED
    return shut
