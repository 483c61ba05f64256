"""Land movement (5, 6.3, 7.2, 7.3): stacks move one after the other, by MPs, by Extended or Tactical Movement or with the
Road Bonus, whichever takes them where they go."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial

import numpy as np

from khamsin.games.na41 import (
    automatic,
    command,
    convoys,
    disruption,
    entering,
    fortification,
    ports,
    rail,
    readiness,
    resources,
    trucks,
)
from khamsin.games.na41.ground import (
    BOX_OF,
    FOOT,
    GROUNDS,
    HEX_GROUNDS,
    HIGHWAY,
    LAYOUT,
    MECH,
    NETS,
    ROAD_GROUNDS,
    TRACK,
    bits,
    desert_run,
    entry_bits,
    movement_class,
    start_node,
)
from khamsin.games.na41.stacking import end as stacking_end
from khamsin.games.na41.stacking import remove_excess
from khamsin.games.na41.units import (
    ASU,
    AXIS,
    BOARD,
    COMBAT,
    DISRUPTED,
    EXTENDED,
    FINISHED,
    FORMATION,
    FULL_RETREAT,
    GROUND,
    HEXES,
    ITALY,
    KEPT,
    LED,
    LOCATIONS,
    MOVEMENT_FLAGS,
    MOVING,
    NATION,
    NON_COMBAT,
    OFF_MAP,
    OOS,
    OWN,
    QUARTERS,
    REPLACED,
    SIDE,
    TRANSPORTED,
    TRUCK,
    G,
    allowance,
    holder,
    name,
    pieces_in,
    stock,
    why_held,
)
from khamsin.games.na41.units import TRACK as TURN_TRACK
from khamsin.games.na41.zones import FULL, LIMITED, front, in_zone, overlapping, zone
from khamsin.kernel.cache import cached
from khamsin.kernel.flood import CLOSED, FAR
from khamsin.kernel.rules import Decision, Hint, Procedure, Refusal
from khamsin.mechanics import stacks, ways
from khamsin.mechanics.bars import Bars
from khamsin.mechanics.refusals import for_locations
from khamsin.mechanics.ways import TOLL, Bar, Destinations, End, Hindrance, Hold, Limit, Reach, Route, Way

BEGUN = "begun"
"""That a phase has begun."""
ON_HIGHWAYS, ON_ROADS, OFF_ROAD, IN_ZONE = range(4)
"""What a unit has kept to in this phase: OFF_ROAD also if it has been next to an enemy combat unit (5.2.2), IN_ZONE if it has
entered an enemy ZOC (5.3)."""
MOVES = GROUND["movement"]
JOINED = {
    which: frozenset([a for a in range(HEXES) if any(bits(a, b) & kinds for b in BOARD.around(a)) or a in BOX_OF])
    for which, kinds in ((ON_HIGHWAYS, HIGHWAY), (ON_ROADS, HIGHWAY | TRACK))
}
"""The hexes from which a highway, or a road of either kind, leads on."""
BAR = Bars(LAYOUT)


def movement(g: G, side: int) -> Procedure:
    """The Movement Phase (3.2, 5.1)."""
    if BEGUN not in g.state.todo:
        begin(g, side)
    yield from move_all(g, side)


def begin(g: G, side: int) -> None:
    """Every unit begins the phase with its whole allowance; nothing has moved yet (5.1, 17.4)."""
    state = g.state
    for unit in OWN[side]:
        state.spent[unit] = state.hexes[unit] = state.desert[unit] = state.road[unit] = state.pair[unit] = 0
        state.origin[unit] = state.where[unit]
        state.flags[unit] &= ~(MOVEMENT_FLAGS | EXTENDED)
    state.moved_by_points = state.fought = state.railed = 0
    ports.start(g, side)
    state.todo[BEGUN] = 1


def finish(g: G, side: int) -> None:
    """The phase is over, and its notes are forgotten; who used Extended Movement is kept for the Combat Phase (5.3)."""
    state = g.state
    for unit in OWN[side]:
        state.spent[unit] = state.hexes[unit] = state.desert[unit] = state.road[unit] = state.pair[unit] = 0
        state.flags[unit] &= ~MOVEMENT_FLAGS
    for amounts in (state.harbours, state.embarked, state.debarked, state.repaired, state.demolished):
        amounts.clear()
    state.todo.clear()


def move_all(g: G, side: int) -> Procedure:
    """Stacks move one after the other until the side ends the phase; then too full hexes are thinned out (4.4.1, 5.1)."""
    done = g.rules.button("done")
    ready = stacks.Ready(g, OWN[side], partial(can_move, g, side))
    extras = {g.rules.button(word): partial(is_open, g, side, word) for word in EXTRAS_OF[side]}
    while True:
        able = ready.now(done, maybe=extras)
        click = yield Decision(
            side, "move.stack", "Move a unit, or end the phase", "5.1", able, top=True, buttons=tuple(extras),
            why_not=why_not_chosen,
        )  # fmt: skip
        if click == done:
            break
        if click in extras:
            yield from EXTRAS[g.rules.names[click]][1](g, side)
            ready.renew()
        else:
            units = with_pairs(g, stacks.selected(g, click, able, partial(mates, g, side)))
            yield from move_stack(g, side, units)
            ready.update(units)
    yield from remove_excess(g, side)
    finish(g, side)


def is_open(g: G, side: int, word: str) -> bool:
    """Whether a side can do one of the `EXTRAS` now."""
    return why_not_extra(g, side, word) is None


def why_not_automatic(g: G, side: int) -> Refusal | None:
    """Why no Automatic DS can be declared: no hex with 10-1 against it (8.9.1)."""
    return (
        None if automatic.targets(g, side) else Refusal("No enemy hex is open to an Automatic DS", "8.9.1", "auto ds")
    )


def declare_automatic(g: G, side: int) -> Procedure:
    """The phasing player declares an Automatic DS against a hex (8.9.1)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side, "combat.automatic", "Choose the hex for an Automatic DS", "8.9.1", locations=automatic.targets(g, side),
        buttons=[cancel], why_not=for_locations(automatic.why_not, side),
    )  # fmt: skip
    if click != cancel:
        yield from automatic.declare(g, side, g.location(click))


def use_comando(g: G, side: int) -> Procedure:
    """Comando Supremo lets Germans and Italians attack together in this impulse (8.4.1)."""
    command.use_comando(g)
    return
    yield


EXTRAS = {
    "rail": (rail.why_not_supply, rail.move_supply),
    "fortify": (fortification.why_not_now, fortification.begin),
    "ship": (convoys.why_not_sail, convoys.sail),
    "fly": (convoys.why_not_fly, convoys.fly),
    "spend": (resources.why_not_spend, resources.spend),
    "comando": (command.why_no_comando, use_comando),
    "auto ds": (why_not_automatic, declare_automatic),
    "destroy": (readiness.why_not_destroy, readiness.destroy),
    "ports": (ports.why_not_any, ports.work),
}
"""What a side can do in its Movement Phase besides moving stacks: each with why it cannot, and how it is done."""
NOT_OF = (("rail",), ("fly", "comando", "rommel"))
"""By side: what it never does (5.9.1, 8.4.1, 18.5, 18.7.6)."""
EXTRAS_OF = tuple([[word for word in EXTRAS if word not in never] for never in NOT_OF])


TRANSPORT = ("rail", "ship", "fly")
"""Those of them that move something."""


def why_not_extra(g: G, side: int, word: str) -> Refusal | None:
    """Why a side cannot do something besides moving stacks; after work on ports nothing is transported (3.2)."""
    if word in TRANSPORT and ports.LAST_STEP in g.state.todo:
        return Refusal("No transport after port demolition or repair, which come last", "3.2", word)
    return EXTRAS[word][0](g, side)


# Who can move


def why_not_moving(g: G, side: int, unit: int) -> Refusal | None:
    """Why a unit cannot move in this phase (5.1, 5.9.1, 8.9.1, 17.1.2, 21.1.4, S1.2)."""
    who, flags, where = name(unit), g.state.flags[unit], g.state.where[unit]
    if SIDE[unit] != side:
        return Refusal(f"{who} is not yours", "5.1", who)
    if not 0 <= where < LOCATIONS or where == ITALY:
        if where == TURN_TRACK:
            return Refusal(f"{who} cannot move: it has not arrived yet", "20.1", who)
        at = f"in {BOARD.name(where)}" if where >= 0 else "not in play"
        return Refusal(f"{who} cannot move by land: it is {at}", "6.3.2", who)
    if ports.LAST_STEP in g.state.todo:
        return Refusal(f"{who} cannot move: port demolition and repair come last", "3.2", who)
    if flags & FINISHED:
        return Refusal(f"{who} has finished its move in this phase", "5.1", who)
    if flags & TRANSPORTED:
        return Refusal(f"{who} cannot move: it was transported", "5.9.1", who)
    if g.state.auto[unit]:
        return Refusal(f"{who} cannot move: it took part in an Automatic DS", "8.9.1", who)
    return why_held(g, unit)


def can_move(g: G, side: int, unit: int) -> bool:
    """Whether a unit can still move in this phase."""
    return why_not_moving(g, side, unit) is None


def why_not_chosen(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a unit or a location cannot be chosen to move, or a button pressed."""
    if g.is_unit(click):
        return why_not_moving(g, decision.side, click)
    if click >= g.rules.first_button:
        word = g.rules.names[click]
        return why_not_extra(g, decision.side, word) if word in EXTRAS else None
    location = g.location(click)
    reasons = [why_not_moving(g, decision.side, unit) for unit in pieces_in(g, decision.side, location)]
    label = BOARD.name(location)
    return next(iter(reasons), Refusal(f"None of your units is in {label}", "5.1", label)) if all(reasons) else None


def mates(g: G, side: int, units: Sequence[int]) -> list[int]:
    """The units that may go with a stack: of its location, able to move, and on the move or not yet moved as it is; a truck
    on the move may pick up a unit that has not moved (5.1, 5.8.1)."""
    flags, where = g.state.flags, g.state.where[units[0]]
    moving = flags[units[0]] & MOVING
    return [
        unit
        for unit in pieces_in(g, side, where)
        if unit not in units
        and can_move(g, side, unit)
        and (flags[unit] & MOVING == moving or trucks.can_pick_up(g, units, unit))
    ]


def with_pairs(g: G, units: Sequence[int]) -> list[int]:
    """Units with the trucks or passengers that they must stay with (5.8.2)."""
    pairs = [g.state.pair[unit] - 1 for unit in units if g.state.pair[unit]]
    return [*units, *(unit for unit in pairs if unit not in units)]


# Where a stack goes


def move_stack(g: G, side: int, units: list[int]) -> Procedure:
    """One unit, or several of a location together, move (5.1)."""
    plans: list[Plan] = []

    def ask(units: list[int], others: Sequence[int]) -> Decision:
        plans[:] = [Plan(g, side, units)]
        return ask_where(plans[0], others)

    while True:
        units, click, _ = yield from stacks.select(g, units, partial(mates, g, side), ask, FORMATION.__getitem__)
        if not units:
            return
        word = g.rules.names[click]
        if word not in ACTIONS:
            break
        yield from ACTIONS[word][1](g, side, units)
        if word != "rommel" and word not in ("load", "unload", "full retreat"):
            return
    take_up(g, side, units)
    yield from entering.starts(g, side, units)
    plan = plans[0] if plans[0].is_current() else Plan(g, side, units)
    if plan.leads(g.location(click)):
        yield from go(plan, g.location(click))


def take_up(g: G, side: int, units: Sequence[int]) -> None:
    """A stack begins or continues its move: one stack finishes before the next, and units dropped on the way are done; those
    that do not go with Rommel have nothing of him (5.1, 18.5)."""
    flags = g.state.flags
    lost = LED if any(flags[unit] & LED for unit in units) else 0
    for unit in OWN[side]:
        if unit not in units and flags[unit] & (MOVING | lost):
            flags[unit] = flags[unit] & ~lost if not flags[unit] & MOVING else flags[unit] & ~(MOVING | lost) | FINISHED
    for unit in units:
        flags[unit] |= MOVING


def ask_where(plan: Plan, others: Sequence[int]) -> Decision:
    """Where a stack goes, or who joins or leaves it."""
    g, side, units = plan.g, plan.side, plan.units
    more: dict[int, Hint] = dict.fromkeys([*units, *others, g.rules.button("cancel")])
    if stacks.formation_mates(units, others, FORMATION.__getitem__):
        more[g.rules.button("formation")] = None
    words = [word for word in ACTIONS_OF[side] if any(ABOUT[word][unit] for unit in units)]
    actions = tuple([g.rules.button(word) for word in words])
    legal = Destinations(g.place0, plan.reach, plan.ends, more, shown, plan.besides)
    for action in actions:
        legal.maybe_button(action, partial(plan.can_act, action))
    return Decision(
        side, "move.to", partial(_prompt, units), "5.1", legal, about=tuple(units), buttons=actions,
        why_not=why_not_there, reach=plan.reach,
    )  # fmt: skip


def _prompt(units: Sequence[int]) -> str:
    return f"Move {whom(units)}: choose a hex, or add a unit to the stack"


def whom(units: Sequence[int]) -> str:
    """A stack by the name of its first unit."""
    return name(units[0]) + (f" and {len(units) - 1} more" if len(units) > 1 else "")


def shown(quarters: int) -> str:
    """Movement points as they are printed.

    >>> shown(5), shown(4)
    ('1.25', '1')
    """
    return f"{quarters / QUARTERS:g}"


def is_bound(g: G, unit: int) -> bool:
    """Whether a unit can only use Tactical Movement: Disrupted, Out of Supply, or with a Replacement marker (13.2.1, 16.4,
    19.5)."""
    return bool(g.state.flags[unit] & (DISRUPTED | OOS | REPLACED))


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
        walking = [unit for unit in units if unit not in self.riding]
        self.spent = max([state.spent[unit] for unit in walking])
        self.hexes = max([state.hexes[unit] for unit in walking])
        self.run = max([state.desert[unit] for unit in units])
        self.kept = max([state.road[unit] for unit in units])
        """What the stack has kept to: highways, roads, or neither."""
        self.normal = min([points(g, unit) for unit in walking])
        """The MPs of the stack without Extended Movement, in quarters."""
        self.bound = any(is_bound(g, unit) for unit in units)
        self.node = start_node(self.start, self.run)
        self.bars = hindrances(g, side, units, self.kind)
        self.room = stacking_end(g, side, units, partial(can_leave, g, side))
        self.way = Way(GROUNDS[self.kind], (self.node,), (*self.limits(), *self.bars))
        self.reach = ways.reach(self.way)
        self.ends: tuple[End, ...] = (self.room, End(self.why_not_extended, self.only_extended))

    def is_current(self) -> bool:
        """Whether no unit has moved or come into Full Retreat since the plan was made."""
        state = self.g.state
        return self.versions == (state.where.version, state.flags.version)

    def can_act(self, button: int) -> bool:
        """Whether the stack can do one of the `ACTIONS`."""
        return ACTIONS[self.g.rules.names[button]][0](self.g, self.side, self.units) is None

    def limits(self) -> list[Hindrance]:
        """The MPs left: none for units that can only use Tactical Movement; three more with Extended Movement (5.3)."""
        if self.bound:
            return [Limit(0, *BOUND)]
        most = self.normal + (MOVES["extended"] * QUARTERS if self.extends() else 0)
        return [Limit(max(most - self.spent, 0), "5.1", "costs {cost} MPs, {left} left", shown)]

    def extends(self) -> bool:
        """Whether the stack may use Extended Movement: mechanized, and it has entered no ZOC in this phase (5.3)."""
        road = self.g.state.road
        return self.kind == MECH and all(road[unit] != IN_ZONE for unit in self.units)

    @cached_property
    def free(self) -> Reach | None:
        """Where the stack gets without entering an enemy ZOC; None if no Limited ZOC is within reach, so that every path to a
        hex out of ZOCs is such a path."""
        zoned = np.frombuffer(zone(self.g, 1 - self.side), dtype=np.uint8)
        if not ((zoned == LIMITED) & self.reach.reached).any():
            return None
        return ways.reach(self.way.but(front(self.g, 1 - self.side).zoned))

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
        """Where Tactical Movement leads: one or two hexes, one with a Replacement marker (5.4, 19.5)."""
        return self._tactical

    @cached_property
    def _tactical(self) -> Reach:
        most = MOVES["replacement"] if any(self.g.state.flags[u] & REPLACED for u in self.units) else MOVES["tactical"]
        limit = Limit(max(most - self.hexes, 0), "5.4", "it is more than two hexes away")
        return ways.reach(Way(HEX_GROUNDS[self.kind], (self.node,), (limit, *untolled(self.bars))))

    def road_bonus(self) -> list[tuple[Reach, int]]:
        """Where the Road Bonus leads: five highway hexes more, or one road hex, next to no enemy combat unit (5.2.2)."""
        enemy = front(self.g, 1 - self.side)
        if self.kind != FOOT or self.bound or self.start >= HEXES or enemy.touches(self.start):
            return []
        found = []
        for ground, which, bonus in ((ROAD_GROUNDS[1], ON_HIGHWAYS, "highway"), (ROAD_GROUNDS[0], ON_ROADS, "road")):
            left = self.normal // QUARTERS + GROUND["road_bonus"][bonus] - self.spent // QUARTERS
            if self.kept <= which and left > 0 and self.start in JOINED[which]:
                limit = Limit(left, "5.2.2", "too far for the Road Bonus")
                markers = road_marker_bars(self.g, self.side)
                way = Way(ground, (self.node,), (limit, *markers, enemy.near, *untolled(self.bars)))
                found.append((ways.reach(way), which))
        return found

    def besides(self) -> list[Route]:
        """The Road Bonus and Tactical Movement, for locations that MPs do not reach."""
        bonus = [Route(reach, (self.room,), _by_road_bonus) for reach, _ in self.road_bonus()]
        return [*bonus, Route(self._tactical, (self.room,), _by_tactical)]

    def leads(self, location: int) -> bool:
        """Whether the stack can get to a location."""
        return self.by_points(location) or any(location in route.reach for route in self.besides())

    def is_near(self, location: int) -> bool:
        """Whether a location is as near as Tactical Movement leads (5.4)."""
        if self.start >= HEXES or location >= HEXES:
            return True
        return BOARD.distance(self.start, location) <= int(MOVES["tactical"])

    def by_points(self, location: int) -> bool:
        """Whether MPs take the stack to a location."""
        return location in self.reach and self.why_not_extended(location) is None

    def path(self, location: int) -> list[int]:
        """The path to a location: Tactical Movement where it suffices, then MPs, then the Road Bonus. Of tactical paths the
        cheapest in MPs is taken, for a move that continues (5.4)."""
        by_points, near = None, self.is_near(location) and location in self._tactical
        if self.by_points(location):
            around = self.free if self.is_extended(location) else None
            by_points = (around or self.reach).path(location)
        if near and (by_points is None or self.hexes + len(by_points) > MOVES["tactical"]):
            return self._tactical.path(location)
        if by_points is not None:
            return by_points
        return next(reach.path(location) for reach, _ in self.road_bonus() if location in reach)

    def why_not(self, location: int) -> Refusal | None:
        """Why the stack cannot go to a location."""
        if any(route.leads(location) for route in self.besides()):
            return None
        who = whom(self.units)
        if self.bound:
            return ways.why_not(self.g, self._tactical.way, location, who, (self.room,))
        return ways.why_not(self.g, self.way, location, who, self.ends)


def _by_road_bonus(cost: int) -> Hint:
    return {"road bonus": cost}


def _by_tactical(cost: int) -> Hint:
    return {"tactical": cost}


BOUND = ("5.4", "only Tactical Movement is allowed to it, one or two hexes")


def points(g: G, unit: int) -> int:
    """The MPs of a unit in quarters, two more with Rommel (5.1, 18.5)."""
    return (allowance(g, unit) + (MOVES["rommel"] if g.state.flags[unit] & LED else 0)) * QUARTERS


def can_leave(g: G, side: int, unit: int) -> bool:
    """Whether a unit has not moved and can, so that it may make room (4.4.1)."""
    return not g.state.hexes[unit] and not g.state.flags[unit] & MOVING and can_move(g, side, unit)


def untolled(bars: Sequence[Hindrance]) -> list[Hindrance]:
    """Bars without extra costs, which count for MPs alone (5.4, 24.2)."""
    return [bar for bar in bars if type(bar) is not Bar or bar.effect != TOLL]


def hindrances(g: G, side: int, units: Sequence[int], kind: int) -> list[Hindrance]:
    """What hinders a stack besides its MPs: enemy ZOCs, markers and units, and what it may not leave (5.1, 5.8.2, 6.3.4,
    7.2)."""
    enemy, flags = front(g, 1 - side), g.state.flags
    found: list[Hindrance] = [*marker_bars(g, side), enemy.leaving_limited, enemy.leaving, enemy.stop]
    if any(flags[unit] & FULL_RETREAT for unit in units):
        found += routed_bars(g, side)
    if any(flags[unit] & OOS for unit in units):
        found.append(overlapping_bar(g, side))
    if not any(COMBAT[unit] for unit in units):
        found.append(guarded(g, side))
    found += [enemy.closed, *box_bars(g, side, units), *holds(g, units, kind)]
    return found


@cached(lambda g, side: (side, g.state.delay.version, g.state.strafed.version, g.state.lrdg.version))
def marker_bars(g: G, side: int) -> list[Bar]:
    """The cost of entering hexes with enemy Delay, Strafing and LRDG markers (18.7.5, 18.8, 24.2)."""
    found = []
    state, nowhere = g.state, LAYOUT.mask(())
    for hexes, word, rule in (
        ([hex for hex, owner in state.delay.items() if owner != side], "delay", "24.2"),
        ([hex for hex, owner in state.strafed.items() if owner != side], "strafing", "18.7.5"),
        (list(state.lrdg) if side == AXIS else [], "lrdg", "18.8"),
    ):
        if hexes:
            text = f"with the {word} marker in {{hex}} it is too far"
            found.append(Bar(TOLL, nowhere, rule, text, into=LAYOUT.mask(hexes), toll=GROUND["markers"][word]))
    return found


@cached(lambda g, side: (side, g.state.delay.version, g.state.strafed.version, g.state.lrdg.version))
def road_marker_bars(g: G, side: int) -> list[Bar]:
    """The same cost in hexes of the Road Bonus, which the markers shorten (5.2.2, 18.7.5, 18.8, 24.2)."""
    return [
        Bar(TOLL, bar.nodes, bar.rule, bar.text, into=bar.into, toll=bar.toll // QUARTERS)
        for bar in marker_bars(g, side)
    ]


def overlapping_bar(g: G, side: int) -> Bar:
    """Overlapping enemy ZOCs, which units out of supply may not enter; a friendly combat unit cancels them in its hex (7.4,
    16.4)."""
    mask = np.frombuffer(overlapping(g, 1 - side), dtype=np.uint8)[:HEXES]
    hexes = frozenset(mask.nonzero()[0].tolist()).difference(g.state.where.stacks(side))
    return BAR(CLOSED, hexes, "16.4", "{hex} is in overlapping ZOCs, and it is out of supply")


def routed_bars(g: G, side: int) -> list[Bar]:
    """Where units in Full Retreat may not go: into enemy ZOCs without other friendly units, enemy controlled places, and
    hexes with enemy pieces (13.3.2)."""
    state, enemy = g.state, 1 - side
    steady = {hex for hex, stack in state.where.stacks(side).items() if not disruption.is_routed(g, stack)}
    zoned = zone(g, enemy)
    shut = frozenset(np.frombuffer(zoned, dtype=np.uint8)[:HEXES].nonzero()[0].tolist()) - steady
    kept = frozenset(
        [hex for hex in KEPT if holder(g, hex) == enemy]
        + [hex for hex, owner in state.fort.items() if owner == enemy]
        + [hex for hex in state.where.stacks(NON_COMBAT + enemy) if hex < HEXES]
        + [hex for hex in stock(g, enemy) if hex < HEXES]
    )
    return [
        BAR(CLOSED, shut, "13.3.2", "units in Full Retreat may not enter the enemy ZOC in {hex}"),
        BAR(CLOSED, kept, "13.3.2", "units in Full Retreat may not enter {hex}, which the enemy controls"),
    ]


def guarded(g: G, side: int) -> Bar:
    """Hexes with enemy Non-Combat Units, which trucks and replacements alone may not enter (5.8.3)."""
    enemy = 1 - side
    hexes = [*g.state.where.stacks(NON_COMBAT + enemy), *stock(g, enemy)]
    return BAR(
        CLOSED, frozenset([hex for hex in hexes if hex < HEXES]), "5.8.3",
        "without a combat unit it may not enter {hex}, where enemy Non-Combat Units are",
    )  # fmt: skip


def box_bars(g: G, side: int, units: Sequence[int]) -> list[Bar]:
    """The enemy's boxes are closed, and the box that a unit has left in this phase (6.1.2, 6.3.3)."""
    found = [BAR(CLOSED, frozenset(OFF_MAP[1 - side]), "6.1.2", "{hex} is a box of the enemy")]
    left = frozenset([g.state.origin[unit] for unit in units if g.state.origin[unit] >= HEXES and g.state.hexes[unit]])
    if left or g.state.where[units[0]] >= HEXES:
        own = left | {at for at in (g.state.where[units[0]],) if at >= HEXES}
        found.append(BAR(CLOSED, own, "6.3.3", "it has left {hex} in this phase"))
    return found


def holds(g: G, units: Sequence[int], kind: int) -> list[Hold]:
    """Why a stack may not leave its location: a truck without its passenger, or units that cannot leave a box (5.8.2, 6.3.1,
    6.3.4)."""
    found, state = [], g.state
    for unit in units:
        other = state.pair[unit] - 1
        if other >= 0 and other not in units:
            found.append(Hold("5.8.2", f"{name(unit)} must stay with {name(other)} in this phase", name(other)))
    if state.where[units[0]] < HEXES:
        return found
    if kind != MECH:
        found.append(Hold("6.3.4", "on foot it leaves a box by truck, rail, sea or air alone", name(units[0])))
    for unit in units:
        if state.hexes[unit]:
            found.append(Hold("6.3.1", f"{name(unit)} has entered the box in this phase", name(unit)))
        if state.flags[unit] & (DISRUPTED | FULL_RETREAT):
            found.append(Hold("6.3.4", f"{name(unit)} is not in Good Order", name(unit)))
        if state.flags[unit] & REPLACED:
            found.append(Hold("19.5", f"{name(unit)} has received a Replacement", name(unit)))
    return found


def why_not_there(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a stack cannot go to a location, or do what a button says."""
    side, units = decision.side, decision.about
    if click >= g.rules.first_button:
        word = g.rules.names[click]
        return ACTIONS[word][0](g, side, list(units)) if word in ACTIONS else None
    if g.is_unit(click) and g.state.where[click] == g.state.where[units[0]]:
        if click in units or click in mates(g, side, units):
            return None
        return why_not_moving(g, side, click) or Refusal(
            f"{name(click)} cannot join: one of them has moved", "5.1", name(click)
        )
    location = g.state.where[click] if g.is_unit(click) else g.location(click)
    label = BOARD.name(location) if location >= 0 else name(click)
    if location == g.state.where[units[0]]:
        return Refusal(f"{whom(units)} is in {label}", "5.1", label)
    if not 0 <= location < LOCATIONS:
        return Refusal(f"{whom(units)} cannot move to {label}", "5.6", label)
    refusal = Plan(g, side, units).why_not(location)
    if refusal is None and g.is_unit(click):
        return Refusal(f"{name(click)} is in {label}: choose the hex to move there", "5.1", name(click))
    return refusal


# The move itself


def go(plan: Plan, location: int) -> Procedure:
    """Move a stack to a location: note what it costs, and enter the hexes of the path one by one (5.1, 13.3.2)."""
    g, side, units, flags = plan.g, plan.side, plan.units, plan.g.state.flags
    path = plan.path(location)
    trucks.pair_up(g, units, plan.riding)
    pay(plan, path)
    for unit in units:
        g.log("5.1", "{unit} moves from {hex_from} to {hex}", unit=unit, hex_from=plan.start, hex=location)
    entered = yield from entering.march(g, side, units, path)
    if entered < len(path):
        pay(plan, path[:entered])
    elif location >= HEXES or in_zone(g, 1 - side, location) == FULL:
        for unit in units:
            flags[unit] = flags[unit] & ~MOVING | FINISHED


def pay(plan: Plan, path: Sequence[int]) -> None:
    """Note what a path costs a stack, and how it was gone."""
    state, units = plan.g.state, plan.units
    cost, hexes, run = plan.spent + path_cost(plan, path), plan.hexes + len(path), desert_run(plan.run, path)
    road = max(plan.kept, road_kind(plan.start, path), contact(plan.g, plan.side, plan.start, path))
    is_tactical = hexes <= MOVES["tactical"]
    for unit in units:
        state.spent[unit], state.hexes[unit], state.desert[unit], state.road[unit] = cost, hexes, run, road
        if not is_tactical and plan.kind == MECH and cost > plan.normal:
            state.flags[unit] |= EXTENDED
    if not is_tactical:
        state.moved_by_points = 1


def path_cost(plan: Plan, path: Sequence[int]) -> int:
    """The MPs of a path in quarters, with the costs of ZOCs and markers, whether or not the stack has as many (7.2, 24.2)."""
    net, node, run, total = NETS[plan.kind], plan.node, plan.run, 0
    zoned = zone(plan.g, 1 - plan.side)
    tolls = {LIMITED: GROUND["zone"]["leave_limited"], FULL: GROUND["zone"]["leave"]}
    markers = marker_bars(plan.g, plan.side)
    here = plan.start
    for hex in path:
        run = desert_run(run, [hex])
        there = hex if run < 2 else start_node(hex, run)
        total += edge_cost(net, node, there) + (tolls.get(zoned[here], 0) if here < HEXES else 0)
        total += sum([bar.toll for bar in markers if bar.into is not None and bar.into[hex]])
        node, here = there, hex
    return total


def edge_cost(net: object, node: int, there: int) -> int:
    """What the step between two nodes costs; leaving a box leads over several nodes that cost nothing."""
    steps: list[tuple[int, int]] = net.steps[node]  # type: ignore[attr-defined]
    for end, cost in steps:
        if end == there:
            return cost
    return next(edge_cost(net, end, there) for end, cost in steps if not cost)


def road_kind(start: int, path: Sequence[int]) -> int:
    """What a path keeps to: highways, roads, or neither (5.2.2)."""
    kind, here = ON_HIGHWAYS, start
    for hex in path:
        features = bits(here, hex) if here < HEXES and hex < HEXES else entry_bits(max(here, hex), min(here, hex))
        kind = max(kind, ON_HIGHWAYS if features & HIGHWAY else ON_ROADS if features & TRACK else OFF_ROAD)
        here = hex
    return kind


def contact(g: G, side: int, start: int, path: Sequence[int]) -> int:
    """What the enemy beside a path costs: Extended Movement in a ZOC, the Road Bonus next to a combat unit (5.2.2, 5.3)."""
    zoned, enemy = zone(g, 1 - side), front(g, 1 - side)
    if any(zoned[hex] for hex in path):
        return IN_ZONE
    return OFF_ROAD if any(enemy.touches(hex) for hex in (start, *path)) else ON_HIGHWAYS


# What a selected stack can do besides moving


def why_not_rommel(g: G, side: int, units: Sequence[int]) -> Refusal | None:
    """Why Rommel cannot lead a stack: once per turn, mechanized German units that may use MPs (18.5)."""
    who = name(units[0])
    if side != AXIS or not g.state.rommel:
        return Refusal(
            "Rommel cannot lead: used in this turn" if side == AXIS else "Rommel leads Axis units", "18.5", who
        )
    for unit in units:
        if NATION[unit] not in ("DE", "") or movement_class(g, units, trucks.riders(g, units)) != MECH:
            return Refusal(f"Rommel cannot lead {name(unit)}: not mechanized and German", "18.5", name(unit))
        if is_bound(g, unit):
            return Refusal(f"Rommel cannot lead {name(unit)}: it can only use Tactical Movement", "18.5", name(unit))
    return None


def lead(g: G, side: int, units: Sequence[int]) -> Procedure:
    """Rommel leads a stack: two MPs more in this phase (18.5)."""
    g.state.rommel = 0
    for unit in units:
        g.state.flags[unit] |= LED
    g.log("18.5", "Rommel leads {who}: 2 MPs more", who=whom(units))
    return
    yield


def why_not_rout(g: G, side: int, units: Sequence[int]) -> Refusal | None:
    """Why a stack cannot go into Full Retreat by itself (13.3.4)."""
    reasons = [disruption.why_not_full_retreat(g, unit) for unit in units if COMBAT[unit]]
    if not reasons:
        return Refusal(f"{whom(units)} cannot go into Full Retreat: not a combat unit", "13.3.4", name(units[0]))
    return next(filter(None, reasons), None)


def rout(g: G, side: int, units: Sequence[int]) -> Procedure:
    """A stack goes into Full Retreat, and may then move its full allowance (13.3.4)."""
    for unit in units:
        if COMBAT[unit]:
            disruption.go_into_full_retreat(g, unit)
    return
    yield


ACTIONS = {
    "load": (trucks.why_not_load, trucks.load),
    "unload": (trucks.why_not_unload, trucks.unload),
    "transfer": (trucks.why_not_transfer, trucks.transfer),
    "rail": (rail.why_not_rail, rail.move_unit),
    "ready": (readiness.why_not_flip, readiness.flip),
    "rommel": (why_not_rommel, lead),
    "full retreat": (why_not_rout, rout),
}
"""What a selected stack can do besides moving: each with why it cannot, and how it is done."""
ABOUT = {
    "load": TRUCK, "unload": TRUCK, "transfer": TRUCK, "rail": [not truck for truck in TRUCK], "ready": ASU,
    "rommel": [nation in ("DE", "") for nation in NATION], "full retreat": COMBAT,
}  # fmt: skip
"""The units to which each of them can apply at all."""
ACTIONS_OF = tuple([[word for word in ACTIONS if word not in never] for never in NOT_OF])
"""Those of each side."""
