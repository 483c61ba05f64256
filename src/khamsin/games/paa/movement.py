"""Movement (11): the phase, and land movement of regular units and lorries (11.1). Sea, rail, lorries' loads and captured
installations are in `transport`, overruns in `overrun`."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from khamsin.games.paa import losses, malta, overrun, transport
from khamsin.games.paa.control import pass_through
from khamsin.games.paa.ground import GROUPS, LORRY_NET, NODE, NODE_HEX, NODES, UNIT_NET
from khamsin.games.paa.stacking import CROWDED, FORTS, LIMIT, LIMITS, count, limit, overfull, watch
from khamsin.games.paa.supply import BOUND, SECOND_NODES, Lines, judge, lines, stranded
from khamsin.games.paa.units import (
    ALL,
    ALLIED,
    AXIS,
    BARDIA,
    BOARD,
    DEPOT,
    DEPOTS,
    DISMOUNTED,
    HEXES,
    LIBYA,
    LORRIES,
    LORRY,
    MF,
    MOVED,
    OOC,
    OOS,
    OWES,
    REGULAR,
    REGULAR_SPAN,
    REGULARS,
    SHIPPED,
    SPAN,
    STOPPED,
    TOBRUK,
    G,
)  # fmt: skip
from khamsin.games.paa.zones import enemy_fort, front, zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import CLOSED, FAR, NEVER, OPEN, UNREACHED, Network
from khamsin.kernel.pieces import Memo
from khamsin.kernel.rules import Decision, LazyClicks, Procedure

BEGUN = "movement begun"
IDLE = OOS | OOC | DISMOUNTED | SHIPPED
"""What keeps a unit from any manoeuvre (10.3, 11, 11.2)."""
HELD_BACK = STOPPED | OWES
"""What keeps a unit from most (11.1.4, 11.1.5)."""
MOBILE = tuple((*REGULARS[side], *LORRIES[side]) for side in (AXIS, ALLIED))
"""The units of each side that move by themselves."""


def movement(g: G, side: int) -> Procedure:
    """The movement phase: the side moves what it likes, in any order (11)."""
    done = g.rules.button("done")
    if not g.state.todo.get(BEGUN):
        begin(g, side)
    where, enemy = g.state.where, NOWHERE
    while True:
        if enemy != where.versions[1 - side]:
            free, held = free_and_held(g, side)
        must = g.state.todo.get(CROWDED) and must_thin_out(g, side)
        open_ = Movable(g, side, free, held, () if must else (done,))
        click = yield Decision(side, "move.stack", "Move a unit, or end the phase", "11", open_, top=True)
        if click == done:
            break
        enemy = where.versions[1 - side]
        if REGULAR[click]:
            group = yield from move_units(g, side, click)
        elif LORRY[click]:
            yield from transport.drive(g, side, click)
            group = [click]
        else:
            yield from transport.send(g, side, click)
            continue
        for unit in group:  # as long as the enemy is where he was, nothing has changed for the others
            if unit in free:
                free.remove(unit)
            else:
                held.remove(unit)
            sort(g, unit, free, held)
    yield from thin_out(g, side)
    finish(g, side)


def begin(g: G, side: int) -> None:
    """Judge the enemy's supply for this turn, and note where every unit starts (8.4, 11.4)."""
    judge(g, 1 - side)
    state, span = g.state, SPAN[side]
    state.origin[span] = state.where[span]
    state.spent[span] = state.load[span] = [0] * len(ALL[side])
    state.flags[span] = [marks & ~(MOVED | STOPPED | SHIPPED) for marks in state.flags[span]]
    state.todo[BEGUN] = 1
    if overfull(g, side):
        state.todo[CROWDED] = 1


def finish(g: G, side: int) -> None:
    """Loads are set down and budgets closed; that an installation was moved is remembered for combat (8.5)."""
    state = g.state
    for unit in ALL[side]:
        state.origin[unit] = NOWHERE
        state.spent[unit] = state.load[unit] = 0
        if not LORRY[unit]:
            state.via[unit] = 0
        state.flags[unit] &= ~(STOPPED | SHIPPED) if DEPOT[unit] else ~(STOPPED | SHIPPED | MOVED)
    state.port.clear()
    state.todo.clear()


def thin_out(g: G, side: int) -> Procedure:
    """Where too many are left in a hex and none can go, the owner loses what is too much (4)."""
    while crowded := overfull(g, side):
        hex = crowded[0]
        pieces = [u for u in REGULARS[side] if g.state.where[u] == hex]
        if len(pieces) <= limit(hex):
            pieces = [u for u in DEPOTS[side] if g.state.where[u] == hex]
        click = yield g.ask(
            side, "stacking.excess", f"Too many in {BOARD.name(hex)}: which one is lost?", "4", units=pieces
        )
        if DEPOT[click]:
            transport.to_pool(g, side, click)
        else:
            losses.eliminate(g, [click])


def must_thin_out(g: G, side: int) -> bool:
    """Whether an overfull hex still has to be, and can be, thinned out before the phase ends (4)."""
    crowded = overfull(g, side)
    if not crowded:
        del g.state.todo[CROWDED]
    return any(can_mend(g, side, hex) for hex in crowded)


def can_mend(g: G, side: int, hex: int) -> bool:
    """Whether an overfull hex can still be thinned out by moving (4)."""
    where = g.state.where
    if count(g, side).get(hex, 0) > limit(hex):
        return any(can_leave(g, side, u) for u in REGULARS[side] if where[u] == hex)
    return transport.can_be_cleared(g, side, hex)


def can_leave(g: G, side: int, unit: int) -> bool:
    """Whether a unit has a step out of its hex to one with room, or an overrun (4, 11.1)."""
    state = g.state
    here, left = state.where[unit], MF[unit] - state.spent[unit]
    if state.flags[unit] & (IDLE | HELD_BACK) or left < 1:
        return can_move(g, side, unit)
    against, held = front(g, 1 - side), count(g, side)
    zoned, barred = against.zone, against.barred
    if zoned[here] and leaving_strands(g, side, [unit]):
        return False
    supplied = lines_without(g, side, [unit]).supplied if BOUND[unit] else None
    for node, cost in network(g, side, unit).steps[start_node(g, unit)]:
        there = NODE_HEX[node]
        if cost > left or there in barred or (zoned[here] and zoned[there]) or held.get(there, 1) >= LIMITS[there]:
            continue
        if supplied is None or supplied[there] or (side == ALLIED and there == BARDIA):
            return True
    return False


class Movable(LazyClicks):
    """The units that could do something in this phase (11), from those that surely can and those that perhaps can; and what
    else is open. A player who knows whom he wants asks only for that one, so they are listed when somebody wants them all."""

    __slots__ = ("_free", "_g", "_held", "_listed", "_more", "_side")

    def __init__(self, g: G, side: int, free: Iterable[int], held: Iterable[int], more: tuple[int, ...]) -> None:
        self._g = g
        self._side = side
        self._free = tuple(free)
        self._held = tuple(held)
        self._more = more
        self._listed: list[int] | None = None

    def __contains__(self, click: object) -> bool:
        if self._listed is not None:
            return click in self._listed
        if click in self._free or click in self._more:
            return True
        g, side = self._g, self._side
        return isinstance(click, int) and (click in self._held or click in DEPOTS[side]) and can_move(g, side, click)

    def __getitem__(self, click: int) -> None:
        if click not in self:
            raise KeyError(click)

    def __iter__(self) -> Iterator[int]:
        return iter(self._list())

    def __len__(self) -> int:
        return len(self._list())

    def __bool__(self) -> bool:
        return bool(self._more) or bool(self._free) or len(self) > 0

    def nth(self, number: int) -> int:
        """The click at a place in the order of all."""
        return self._list()[number]

    def _list(self) -> list[int]:
        if self._listed is None:
            g, side, where = self._g, self._side, self._g.state.where
            held = [u for u in self._held if can_move(g, side, u)]
            depots = [u for u in DEPOTS[side] if where[u] in transport.STATIONS and can_move(g, side, u)]
            self._listed = [*sorted([*self._free, *held, *depots]), *self._more]
        return self._listed


def free_and_held(g: G, side: int) -> tuple[list[int], list[int]]:
    """The regular units and lorries that can surely do something, and those of which it must be asked anew every time, because
    a zone holds them back. A unit's place among them changes only when it moves, or the enemy is another."""
    free: list[int] = []
    held: list[int] = []
    for unit in MOBILE[side]:
        sort(g, unit, free, held)
    return free, held


def sort(g: G, unit: int, free: list[int], held: list[int]) -> None:
    """Put a unit where it belongs: to the free, the held, or neither (11)."""
    state = g.state
    marks = state.flags[unit]
    if marks & IDLE or not 0 <= state.where[unit] < HEXES:
        return
    if state.load[unit]:
        free.append(unit)
    elif state.spent[unit] < MF[unit]:
        (held if marks & HELD_BACK else free).append(unit)


def can_move(g: G, side: int, unit: int) -> bool:
    """Whether there is anything a unit could do in this phase (11)."""
    state = g.state
    where, flags = state.where[unit], state.flags[unit]
    if not 0 <= where < HEXES or flags & IDLE:
        return False
    if DEPOT[unit]:
        return transport.can_send(g, side, unit)
    if state.load[unit]:
        return True
    if state.spent[unit] >= MF[unit]:
        return False
    if flags & STOPPED:
        return REGULAR[unit] and overrun.possible(g, side, unit)
    return not (flags & OWES and enemy_fort(g, side, where) is not None)


class Reach:
    """Where a group can go: the cost of each node, the node it is reached from, and the nodes in the order of their cost. It
    is shared by all who get as far, so nobody writes in it."""

    def __init__(self, distance: NDArray[np.int16], came: NDArray[np.int16], order: NDArray[np.int16]) -> None:
        self.distance = distance
        self.came = came
        self.order = order

    @cached_property
    def costs(self) -> NDArray[np.int16]:
        """What it costs to get to every hex, FAR if it cannot be done."""
        costs = self.distance[:HEXES].copy()
        np.minimum.at(costs, SECOND_NODES, self.distance[HEXES:])
        return costs

    def node(self, hex: int) -> int:
        """The cheapest node of a hex."""
        return hex if hex not in GROUPS else min(NODES[hex], key=self.distance.item)

    def cost(self, hex: int) -> int:
        """What it costs to get to a hex, FAR if it cannot be done."""
        return self.distance.item(self.node(hex))

    def path(self, node: int) -> list[int]:
        """The hexes of the way there, the first left out."""
        way = []
        while node != NOWHERE:
            way.append(NODE_HEX[node])
            node = self.came.item(node)
        return way[-2::-1]


def move_units(g: G, side: int, first: int) -> Generator[Decision, int, list[int]]:
    """One unit, or several of its hex together, move over land, overrun or go by sea (11.1, 11.2, 11.4); who they are."""
    cancel, by_sea = g.rules.button("cancel"), g.rules.button("by sea")
    group = [first]
    while True:
        here = g.state.where[first]
        stack = g.units_in(here) if count(g, side).get(here, 1) > len(group) else ()
        mates = [u for u in stack if REGULAR[u] and u not in group and can_move(g, side, u)]
        reach = reachable(g, side, group)
        open_ = destinations(g, side, group, reach)
        for hex, price in overrun.targets(g, side, group).items():
            open_.more[g.place0 + hex] = {"overrun": price}
        open_.more.update(dict.fromkeys(mates))
        open_.more[cancel] = None
        if len(group) == 1 and transport.can_sail(g, side, first):
            open_.more[by_sea] = None
        click = yield Decision(
            side, "move.to", "Where to? Or add a unit of the same hex", "11.1", open_, about=tuple(group)
        )
        if g.is_unit(click):
            group.append(click)
            continue
        if click == by_sea:
            yield from transport.ship(g, side, first)
        elif click != cancel:
            hex = g.location(click)
            if isinstance(open_.more.get(click), dict):
                yield from overrun.overrun(g, side, group, hex)
            else:
                walk(g, side, group, reach, hex)
        return group


def reachable(g: G, side: int, group: Sequence[int], shut: Sequence[int] = ()) -> Reach:
    """How far a group gets by cost (11.1.2-3), enemy zones (11.1.4-5) and supply (11.1.1), not through hexes that are shut."""
    state = g.state
    left = min([MF[u] - state.spent[u] for u in group])
    stopped = [u for u in group if state.flags[u] & STOPPED]
    zoned = zone(g, 1 - side)[state.where[group[0]]]
    if stopped or (zoned and leaving_strands(g, side, group)):
        left = 0
    mask = way_mask(g, side, group)
    if shut:
        mask = mask.copy()
        mask[[node for hex in shut for node in NODES[hex]]] = CLOSED
    reach = flood(g, side, group[0], left, mask)
    for unit in group[1:]:
        if state.via[unit] != state.via[group[0]]:
            reach = dearer(reach, flood(g, side, unit, left, mask))
    return reach


def dearer(one: Reach, other: Reach) -> Reach:
    """What units that came by different lines reach together: each hex at the cost of the one who pays more (11.1.2)."""
    distance = np.maximum(one.distance, other.distance)
    return Reach(distance, one.came, one.order[distance[one.order] != FAR])


def start_node(g: G, unit: int) -> int:
    """The node a unit stands in, by the line it came along (11.1.2); one that is only supposed to be elsewhere came by none."""
    here, via = g.state.where[unit], g.state.via[unit]
    return NODE.get((here, via - 1), here) if via else here


def flood(g: G, side: int, unit: int, left: int, mask: NDArray[np.uint8]) -> Reach:
    """How far a unit gets under a mask of its enemy's making. As long as the mask is the same, so does every unit of a kind in
    its hex, whoever else has moved."""
    net, start = network(g, side, unit), start_node(g, unit)
    key = (id(mask), net, start, left)
    known = _FLOODS.get(key) or _FLOODS.keep(key, (_flood(net, start, left, mask, zone(g, 1 - side)), mask))
    return known[0]


_FLOODS: Memo[tuple[Reach, NDArray[np.uint8]]] = Memo()
"""Floods, each with its mask, whose id is no other's while it is kept."""


def _flood(net: Network, start: int, left: int, mask: NDArray[np.uint8], zoned: bytes) -> Reach:
    """The flood itself, with the rule that a unit leaving a zone first enters a hex that is in none (11.1.4)."""
    source = net.alone(start)
    if not zoned[NODE_HEX[start]]:
        return Reach(*net.spread(source, left, mask))
    touching = [n for n in net.targets[start].tolist() if n != NOWHERE and zoned[NODE_HEX[n]] and mask[n] != CLOSED]
    shut = mask.copy()
    shut[touching] = CLOSED
    distance, came, order = net.spread(source, left, shut)
    late = []
    for node in {n for near in touching for n in NODES[NODE_HEX[near]]}:
        best = min(_ways_in(net, distance, shut, zoned, node, start), default=(FAR, NOWHERE))
        if best[0] <= left and mask[node] != CLOSED:
            distance[node], came[node] = best
            late.append(node)
    return Reach(distance, came, np.concatenate([order, np.array(sorted(late), dtype=np.int16)]))


def _ways_in(
    net: Network, distance: NDArray[np.int16], mask: NDArray[np.uint8], zoned: bytes, node: int, start: int
) -> list[tuple[int, int]]:
    """The costs of entering a node from hexes that are in no zone and where nothing else ends a move (11.1.6)."""
    hex = NODE_HEX[node]
    ways = []
    for near in {n for h in BOARD.around(hex) for n in NODES[h]}:
        if near == start or distance[near] == FAR or mask[near] != OPEN or zoned[NODE_HEX[near]]:
            continue
        for target, cost in zip(net.targets[near].tolist(), net.costs[near].tolist(), strict=True):
            if target == node and cost != NEVER:
                ways.append((int(distance[near]) + cost, near))
    return ways


def network(g: G, side: int, unit: int) -> Network:
    """The network a unit moves on; the border is shut to the Axis in the turn of an attempt on Malta (9)."""
    net = LORRY_NET if LORRY[unit] else UNIT_NET
    return _shut_border(LORRY[unit]) if side == AXIS and malta.border_closed(g) else net


@lru_cache(maxsize=2)
def _shut_border(lorry: bool) -> Network:
    """A network without its steps from Libya into Egypt (9)."""
    net = LORRY_NET if lorry else UNIT_NET
    costs = net.costs.copy()
    for node, hex in enumerate(NODE_HEX):
        for edge, target in enumerate(net.targets[node].tolist()):
            if target != NOWHERE and hex in LIBYA and NODE_HEX[target] not in LIBYA:
                costs[node, edge] = NEVER
    return Network(net.targets, costs)


def way_mask(g: G, side: int, group: Sequence[int]) -> NDArray[np.uint8]:
    """What bars or stops a group: enemies, their zones, their installations to be captured, and want of supply."""
    if not any(BOUND[u] for u in group):
        return front(g, 1 - side).way_mask
    carried = g.state.load[group[0]]
    if carried:
        return np.maximum(front(g, 1 - side).way_mask, lines(g, side, without=[carried - 1]).dead)
    return _bound_mask(side, bool(REGULAR[group[0]]), lines_without(g, side, group))


@lru_cache(maxsize=64)
def _bound_mask(side: int, regular: bool, now: Lines) -> NDArray[np.uint8]:
    """The mask of regular units or a lorry who have to stay in supply (8.4.1, 8.4.2, 11.1.1)."""
    mask = now.situation.enemy.way_mask
    bound = np.maximum(mask, now.closed)
    if side == ALLIED:
        bound[BARDIA] = mask[BARDIA]  # who is in Bardia is in supply (8.3.2)
        if regular:
            bound[TOBRUK] = mask[TOBRUK]  # and who takes Tobruk (5, 8.3.2)
    return bound


def lines_without(g: G, side: int, group: Sequence[int]) -> Lines:
    """The supply lines as they stand once a group has left its hex: other ones only where it alone opens an enemy zone."""
    here = g.state.where[group[0]]
    if not zone(g, 1 - side)[here] or g.state.where[REGULAR_SPAN[side]].count(here) > len(group):
        return lines(g, side)
    return lines(g, side, without=group)


def leaving_strands(g: G, side: int, group: Sequence[int]) -> list[int]:
    """The units that would lose supply if a group left: where it opens an enemy zone to their lines (8.4.1-2, 11.1.1)."""
    if not zone(g, 1 - side)[g.state.where[group[0]]]:
        return []
    return stranded(g, side, lines(g, side), lines_without(g, side, group), apart_from=group)


class Destinations(LazyClicks):
    """The clicks a group may end a step with, each with its cost, and what else is open. There are hundreds, and mostly one
    is looked at, so they stay in the arrays of the flood until somebody lists them, and whether there is room is asked of
    one hex at a time."""

    __slots__ = ("_coming", "_g", "_listed", "_place0", "_reach", "_shut", "_side", "more")

    def __init__(self, g: G, side: int, reach: Reach, here: int, coming: int) -> None:
        """From the flood, the hex of the group, and how many regular units come."""
        self._g = g
        self._side = side
        self._reach = reach
        self._shut = {here}
        self._coming = coming
        self._place0 = g.place0
        self._listed: tuple[list[int], NDArray[np.intp]] | None = None
        self.more: dict[int, Any] = {}
        """Clicks besides the hexes of the flood, with their hints."""

    def __contains__(self, click: object) -> bool:
        if click in self.more:
            return True
        hex = click - self._place0 if isinstance(click, int) else NOWHERE
        return 0 <= hex < HEXES and self._open(hex)

    def _open(self, hex: int) -> bool:
        if hex in self._shut or self._reach.cost(hex) == FAR:
            return False
        return not self._coming or not is_full(self._g, self._side, hex, self._coming)

    def __getitem__(self, click: int) -> Any:
        if click not in self:
            raise KeyError(click)
        return self.more[click] if click in self.more else self._reach.cost(click - self._place0)

    def __iter__(self) -> Iterator[int]:
        first, hexes = self._list()
        return iter([*first, *(hexes + self._place0).tolist()])

    def __len__(self) -> int:
        first, hexes = self._list()
        return len(first) + len(hexes)

    def nth(self, number: int) -> int:
        """The click at a place in the order of all, without listing them."""
        first, hexes = self._list()
        return first[number] if number < len(first) else hexes.item(number - len(first)) + self._place0

    def __bool__(self) -> bool:
        return bool(self.more) or len(self) > 0

    def shut(self, hexes: Iterable[int]) -> None:
        """Close some hexes after all."""
        for hex in hexes:
            self._shut.add(hex)

    def _list(self) -> tuple[list[int], NDArray[np.intp]]:
        """What is open: clicks that go before the others, and the hexes of the flood."""
        if self._listed is None:
            reached = self._reach.distance != UNREACHED
            nodes = reached.tobytes()
            if self._coming:
                self._shut.update(crowded(self._g, self._side, self._coming, self._reach))
            apart = [self._place0 + h for h in GROUPS if h not in self._shut and 1 in [nodes[n] for n in NODES[h]]]
            reached = reached[:HEXES]
            for hex in (*self._shut, *GROUPS):
                reached[hex] = False
            self._listed = [*apart, *self.more], reached.nonzero()[0]
        return self._listed


def destinations(g: G, side: int, group: Sequence[int], reach: Reach) -> Destinations:
    """Where a group may end a step: what it reaches, stacking kept or to be mended (4, 11.1)."""
    return Destinations(g, side, reach, g.state.where[group[0]], sum([REGULAR[u] for u in group]))


def crowded(g: G, side: int, more: int, reach: Reach) -> list[int]:
    """The hexes among those reached that are full for so many more units (4)."""
    suspects: Iterable[int]
    if more > LIMIT:  # too many for any hex, also a vacant one
        suspects = range(HEXES)
    elif more > 1:
        suspects = {hex for hex in g.state.where[REGULAR_SPAN[side]] if 0 <= hex < HEXES}.union(FORTS)
    else:
        suspects = count(g, side)
    return [hex for hex in suspects if reach.cost(hex) != FAR and is_full(g, side, hex, more)]


def is_full(g: G, side: int, hex: int, more: int) -> bool:
    """Whether a hex has no room for so many more, and too few units that could still make room (4)."""
    number = count(g, side).get(hex)
    if number is None:
        if more < LIMITS[hex]:
            return False
        number = g.state.where[REGULAR_SPAN[side]].count(hex)
    excess = number + more - LIMITS[hex]
    if excess <= 0:
        return False
    leavers = (u for u in g.units_in(hex) if REGULAR[u] and can_leave(g, side, u))
    return len(list(islice(leavers, excess))) < excess


def walk(g: G, side: int, group: Sequence[int], reach: Reach, hex: int) -> None:
    """Move a group to a hex it can reach (11.1)."""
    node = reach.node(hex)
    cost = reach.distance.item(node)
    path = reach.path(node)
    state = g.state
    for unit in group:
        g.log("11.1", "{unit} moves from {hex_from} to {hex} for {cost} MF", unit=unit, hex_from=state.where[unit], hex=hex,
              cost=cost)  # fmt: skip
        state.spent[unit] += cost
    arrive(g, side, group, hex, path, node)


def arrive(g: G, side: int, group: Sequence[int], hex: int, path: Sequence[int], node: int = NOWHERE) -> None:
    """A group stands in a new hex: control, zones, installations found there (5, 11.1.4, 11.1.6)."""
    state = g.state
    zoned = zone(g, 1 - side)[hex]
    for unit in group:
        state.where[unit] = hex
        state.via[unit] = node - NODE[hex, 0] + 1 if node >= HEXES else 0
        state.flags[unit] = state.flags[unit] & ~OWES | MOVED | (STOPPED if zoned else 0)
        if state.load[unit]:
            depot = state.load[unit] - 1
            state.where[depot] = hex
            state.flags[depot] |= MOVED
    if any(REGULAR[unit] for unit in group):
        pass_through(g, side, path or (hex,))
    transport.capture(g, side, hex)
    watch(g, side, hex)
