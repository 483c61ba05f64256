"""Movement and exploitation (SCS 3, SCS 11.2): stacks move one after the other and overrun; Rommel moves to any stack
(2.3)."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise

from khamsin.games.afrika import campaign, control, hecker, offmap, overrun, ports, rommel, trucks
from khamsin.games.afrika.allowance import allowance, left_of, points_left, shown, whom
from khamsin.games.afrika.ground import GROUNDS, MAP_BARS, OFF_MAP, OPEN_SIDES, ZONE_COST, cost_between
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.stacking import POINTS, remove_excess
from khamsin.games.afrika.units import (
    AXIS,
    BOARD,
    BOXES,
    DIVISION,
    EXPLOITS,
    FINISHED,
    FORCES,
    HECKER,
    HEXES,
    IGNORE_ZONES,
    LED,
    MECH,
    MOVING,
    PHASE_FLAGS,
    ROMMEL,
    SIDES,
    ZONED,
    G,
    forces_in,
    name,
    on_map,
    stock,
)
from khamsin.games.afrika.zones import front, zone, zone_names
from khamsin.kernel.rules import Decision, Hint, Procedure, Refusal
from khamsin.mechanics import stacks, ways
from khamsin.mechanics.destinations import Destinations
from khamsin.mechanics.refusals import for_locations
from khamsin.mechanics.ways import End, Hindrance, Limit, Reach, Way

BEGUN, EXPLOITING = "begun", "exploiting"
"""Whether a phase has begun; whether it is the Exploitation Phase."""
NO_WAY = Way(GROUNDS[False], ())
"""The way of a stack that is not on the map."""
STACK_BUTTONS = ("formation", "landing", "ship")
"""The actions of a selected stack besides marching."""


def movement(g: G, side: int) -> Procedure:
    """The Movement Phase (1.1, SCS 3.1)."""
    if BEGUN not in g.state.todo:
        begin(g, side)
    yield from move_all(g, side)


def exploitation(g: G, side: int) -> Procedure:
    """The Exploitation Phase: exploit-capable units not in an enemy ZOC, and those with Rommel, move and overrun again with a
    fresh allowance (1.1, 2.3, SCS 3.10, SCS 11.2)."""
    if BEGUN not in g.state.todo:
        g.state.todo[EXPLOITING] = 1
        begin(g, side)
    yield from move_all(g, side)


def begin(g: G, side: int) -> None:
    """Store where every unit begins the phase, whether in an enemy ZOC or with Rommel (2.3, SCS 5.5, SCS 5.6, SCS 6.2)."""
    state, zoned = g.state, zone(g, 1 - side)
    for unit in FORCES[side]:
        state.spent[unit], state.origin[unit] = 0, state.where[unit]
        if on_map(g, unit) and zoned[state.where[unit]]:
            state.flags[unit] |= ZONED
    if side == AXIS:
        rommel.lead(g)
    state.todo[BEGUN] = 1


def finish(g: G, side: int) -> None:
    """End the phase and clear what was stored for it."""
    state = g.state
    for unit in (*FORCES[side], ROMMEL):
        state.spent[unit], state.origin[unit] = 0, -1
    g.clear_flags((*FORCES[side], ROMMEL), PHASE_FLAGS)
    state.todo.clear()


def move_all(g: G, side: int) -> Procedure:
    """Stacks move one after the other until the side ends the phase, or in exploitation until none can; then excess
    units are removed (SCS 3.1, SCS 4.2)."""
    done = g.rules.button("done")
    ready = stacks.Ready(g, present(g, side), partial(can_move, g, side), partial(can_move, g, side))
    extras = {g.rules.button(word): partial(can_do_extra, g, side, word) for word in extra_buttons(g, side)}
    walking = under_way(g, side)
    while True:
        if EXPLOITING in g.state.todo and not ready.now().units():
            break
        click, units = yield from stacks.choose(
            g, side, ready, "SCS 3.1", partial(mates, g, side), maybe=extras, why_not=why_not_chosen
        )
        if click == done:
            break
        enemy = g.state.where.versions[1 - side]
        if click in extras:
            yield from extra(g, side, g.rules.names[click])
            ready.renew(present(g, side))
            continue
        if units[0] == ROMMEL:
            yield from move_rommel(g)
        else:
            units = yield from move_stack(g, side, units)
        if enemy == g.state.where.versions[1 - side]:
            ready.update({*units, *walking, ROMMEL})
        else:
            ready.renew(present(g, side))
        walking = [unit for unit in {*walking, *units} if g.state.flags[unit] & MOVING]
    yield from remove_excess(g, side)
    yield from rommel.displace(g)
    finish(g, side)


def present(g: G, side: int) -> list[int]:
    """Return the units of a side on the map and in the boxes where it moves, including Rommel (1.13)."""
    pieces = (*FORCES[side], ROMMEL) if side == AXIS else FORCES[side]
    return [unit for unit in pieces if on_map(g, unit) or g.state.where[unit] in BOXES]


def extra_buttons(g: G, side: int) -> list[str]:
    """Return the side's actions besides moving units in the Movement Phase of a campaign: move SPs, raid Rommel (1.7,
    3.5)."""
    if setting(g).short or EXPLOITING in g.state.todo:
        return []
    return ["trucks"] if side == AXIS else ["trucks", "raid"]


def can_do_extra(g: G, side: int, word: str) -> bool:
    """Whether a button of the Movement Phase is legal."""
    return why_not_extra(g, side, word) is None


def under_way(g: G, side: int) -> list[int]:
    """Return the units of the stack that has begun its move (SCS 3.1)."""
    flags = g.state.flags
    return [unit for unit in FORCES[side] if flags[unit] & MOVING]


def why_not_extra(g: G, side: int, word: str) -> Refusal | None:
    """Return why a button of the Movement Phase is illegal."""
    return trucks.why_not_trip(g, side) if word == "trucks" else campaign.why_not_raid(g)


def extra(g: G, side: int, word: str) -> Procedure:
    """Move a SP, or raid Rommel (1.7, 3.5)."""
    if word == "trucks":
        yield from trucks.move_supply(g, side)
    else:
        campaign.raid(g)


# Units that can move


def can_move(g: G, side: int, unit: int) -> bool:
    """Whether a unit can still move in this phase."""
    return why_not_moving(g, side, unit) is None


def why_not_moving(g: G, side: int, unit: int) -> Refusal | None:
    """Return why a unit cannot move in this phase (2.3, SCS 3.1, SCS 3.4, SCS 5.6, SCS 11.2)."""
    who, flags = name(unit), g.state.flags[unit]
    if not on_map(g, unit) and not (offmap.is_used(g, side) and g.state.where[unit] in BOXES):
        where = f"in {BOARD.name(g.state.where[unit])}" if g.state.where[unit] >= 0 else "not in play"
        return Refusal(f"{who} cannot move: it is {where}", "SCS 3.1", who)
    if flags & FINISHED:
        return Refusal(f"{who} has already moved in this phase", "2.3" if unit == ROMMEL else "SCS 3.1", who)
    if unit == ROMMEL:
        return rommel.why_no_flight(g)
    if left_of(g, unit) <= 0 and why_not_shipping(g, side, [unit]) is not None:
        return Refusal(f"{who} cannot move: all its MPs are spent", "SCS 3.2", who)
    return why_not_exploiting(g, unit) if EXPLOITING in g.state.todo else None


def why_not_exploiting(g: G, unit: int) -> Refusal | None:
    """Return why a unit cannot move in the Exploitation Phase: it is not capable, or began it in an enemy ZOC; those
    that began it with Rommel can (2.3, SCS 5.6, SCS 11.2)."""
    who, flags = name(unit), g.state.flags[unit]
    if flags & LED:
        return None
    if not EXPLOITS[unit]:
        return Refusal(f"{who} cannot exploit: not exploit-capable", "SCS 11.2", who)
    if flags & ZONED:
        return Refusal(f"{who} cannot exploit: it began the phase in an enemy ZOC", "SCS 5.6", who)
    return None


def pieces_in(g: G, side: int, location: int) -> list[int]:
    """Return the units of a side in a location, including Rommel."""
    return [*forces_in(g, side, location), *([ROMMEL] if side == AXIS and g.state.where[ROMMEL] == location else [])]


def why_not_button(g: G, side: int, word: str) -> Refusal | None:
    """Return why a button of the Movement Phase is illegal."""
    return why_not_extra(g, side, word) if word in extra_buttons(g, side) else None


why_not_chosen = stacks.why_not_chosen(why_not_moving, "SCS 3.1", pieces_in, why_not_button)
"""Why a unit or a hex cannot be chosen to move, or a button pressed (SCS 3.1)."""


def mates(g: G, side: int, units: Sequence[int]) -> list[int]:
    """Return the units that may join a stack: of its hex, able to move, and moving or not yet moved as it is (SCS 3.1)."""
    if ROMMEL in units:
        return []
    moving = g.state.flags[units[0]] & MOVING
    stack = forces_in(g, side, g.state.where[units[0]])
    return [u for u in stack if u not in units and g.state.flags[u] & MOVING == moving and can_move(g, side, u)]


# Destinations


def move_stack(g: G, side: int, units: list[int]) -> Generator[Decision, int, list[int]]:
    """One unit, or several of a hex together, move, overrun or land; return them (2.8, SCS 3.1, SCS 6.1)."""
    units, click, decision = yield from stacks.select(
        g, units, partial(mates, g, side), partial(ask_where, g, side), DIVISION.__getitem__
    )
    if not units:
        return []
    if click == g.rules.button("landing"):
        yield from hecker.land(g)
        if g.state.flags[HECKER] & FINISHED:
            take_up(g, side, units)
        return units
    if click == g.rules.button("ship"):
        yield from ship(g, side, units)
        return units
    hex = g.location(click)
    # before others end their moves, and so can no longer make room
    by_box = offmap.is_used(g, side) and hex in box_steps(g, side, units)
    take_up(g, side, units)
    if by_box:
        yield from change_box(g, side, units, hex)
    elif forces_in(g, 1 - side, hex):
        yield from overrun.overrun(g, side, units, hex)
    elif hex in decision.reach and all_follow(g, side, units, decision.reach, hex):
        yield from walk(g, side, units, decision.reach, hex)
    else:
        yield from step(g, side, units, hex)
    yield from rommel.displace(g)
    return units


def take_up(g: G, side: int, units: Sequence[int]) -> None:
    """A stack begins or continues its move: one stack finishes before the next, and units dropped on the path are
    finished (SCS 3.1, SCS 3.4)."""
    flags = g.state.flags
    for unit in under_way(g, side):
        if unit not in units:
            flags[unit] = flags[unit] & ~MOVING | FINISHED
    for unit in units:
        flags[unit] |= MOVING


def ask_where(g: G, side: int, units: list[int], others: Sequence[int]) -> Decision:
    """Ask for the destination of a stack, or units that join or leave it."""
    here, click, marching = g.state.where[units[0]], g.rules.button_clicks, on_map(g, units[0])
    found = ways.reach(way(g, side, units) if marching else NO_WAY)
    closed = (*ends(g, side, units), *others_pay(g, side, units, found)) if marching else ()
    boxes = box_steps(g, side, units) if offmap.is_used(g, side) else {}
    more: dict[int, Hint] = dict.fromkeys([*units, click["cancel"]])
    more |= {g.place0 + at: shown(cost) for at, cost in boxes.items()}
    legal = Destinations(g.place0, found, closed, more, shown)
    legal.maybe([unit for unit in forces_in(g, side, here) if unit not in units], lambda: dict.fromkeys(others))
    if marching:
        near = dict.fromkeys([*OPEN_SIDES[here], *stock(g, 1 - side)])
        hexes = [g.place0 + hex for hex in near if hex not in boxes]
        legal.maybe_each(hexes, partial(special_hexes, g, side, units, found))
    legal.maybe([click[word] for word in STACK_BUTTONS], partial(stack_buttons, g, side, units, others))
    return Decision(
        side, "move.to", lambda: f"Move {whom(units)}: choose a hex, or add a unit to the stack",
        "SCS 3.2" if marching else "1.13", legal, about=tuple(units), why_not=why_not_there,
        reach=found if marching else None,
    )  # fmt: skip


def stack_buttons(g: G, side: int, units: Sequence[int], others: Sequence[int]) -> dict[int, Hint]:
    """Return the actions of a stack besides marching: add its division, land behind the enemy, go by ship (1.9a, 2.8)."""
    legal = {
        "formation": stacks.formation_mates(units, others, DIVISION.__getitem__),
        "landing": units == [HECKER] and hecker.why_not_landing(g) is None,
        "ship": why_not_shipping(g, side, units) is None,
    }
    return dict.fromkeys([g.rules.button_clicks[word] for word in STACK_BUTTONS if legal[word]])


def special_hexes(g: G, side: int, units: Sequence[int], found: Reach, clicks: Iterable[int]) -> dict[int, Hint]:
    """Return the hexes among some that a stack can overrun, enter by the minimum move, or where it captures SPs, with
    the cost."""
    whole, among = shown(points_left(g, units)), [click - g.place0 for click in clicks]
    targets = overrun.targets(g, side, units, among)
    hexes: dict[int, Hint] = {hex: {"overrun": shown(cost)} for hex, cost in targets.items()}
    hexes |= {hex: {"minimum move": whole} for hex in minimum_steps(g, side, units, found, among)}
    hexes |= captures(g, side, units, found, among)
    return {g.place0 + hex: hint for hex, hint in hexes.items()}


def captures(g: G, side: int, units: Sequence[int], found: Reach, among: Collection[int]) -> dict[int, Hint]:
    """Return the hexes where a move ends in an enemy dump, with its SPs (1.8)."""
    dumps = [hex for hex in stock(g, 1 - side) if hex in among]
    free = [hex for hex in dumps if hex in found and not forces_in(g, 1 - side, hex)]
    closed = (*ends(g, side, units), *others_pay(g, side, units, found)) if free else ()
    return {
        hex: {"MPs": shown(found.cost(hex)), "SPs to capture": stock(g, 1 - side)[hex]}
        for hex in free
        if hex != g.state.where[units[0]] and all(end.refuse(hex) is None for end in closed)
    }


def way(g: G, side: int, units: Sequence[int]) -> Way:
    """Return the way of a stack, which is that of the unit with fewest MPs left: its MPs, the cost of enemy ZOCs, enemy
    units, the map of the scenario (SCS 3.2, SCS 3.6, SCS 5.3, SCS 12.4)."""
    return Way(GROUNDS[MECH[slowest(g, units)]], (g.state.where[units[0]],), tuple(hindrances(g, side, units)))


def slowest(g: G, units: Sequence[int]) -> int:
    """Return the unit of a stack that has fewest MPs left; of several one that pays for ZOCs."""
    return min(units, key=lambda unit: (left_of(g, unit), unit in IGNORE_ZONES))


def pays(g: G, side: int, unit: int, hex: int, there: int) -> int:
    """Return a unit's cost of a step with the ZOC that it enters (SCS 3.2, SCS 5.3)."""
    toll = ZONE_COST if unit not in IGNORE_ZONES and zone(g, 1 - side)[there] else 0
    return cost_between(hex, there, unit) + toll


def is_mixed(units: Sequence[int]) -> bool:
    """Whether the units of a stack pay different costs (SCS 12.4)."""
    return len({(MECH[unit], unit in IGNORE_ZONES) for unit in units}) > 1


def others_pay(g: G, side: int, units: Sequence[int], found: Reach) -> tuple[End, ...]:
    """In a stack of mixed classes each unit pays its own cost, so one may not be able to follow (SCS 12.4)."""
    if not is_mixed(units):
        return ()

    def refuse(location: int) -> Refusal | None:
        label = BOARD.name(location)
        for unit in units if location in found else ():
            cost, left = own_cost(g, side, unit, found, location), left_of(g, unit)
            if cost > left:
                text = f"{name(unit)} cannot follow to {label}: costs {shown(cost)} MPs, {shown(left)} left"
                return Refusal(text, "SCS 12.4", name(unit))
        return None

    return (End(refuse, found.within),)


def all_follow(g: G, side: int, units: Sequence[int], found: Reach, hex: int) -> bool:
    """Whether every unit of a stack can pay for the path to a hex (SCS 12.4)."""
    return all(end.refuse(hex) is None for end in others_pay(g, side, units, found))


def own_cost(g: G, side: int, unit: int, found: Reach, location: int) -> int:
    """Return the cost of the path to a location for one unit of a stack (SCS 12.4)."""
    path = [g.state.where[unit], *found.path(location)]
    return sum([pays(g, side, unit, hex, there) for hex, there in pairwise(path)])


def box_steps(g: G, side: int, units: Sequence[int]) -> dict[int, int]:
    """Return the off-map boxes and adjacent entry hexes that a stack can enter next, with the cost (1.13)."""
    (room,) = ends(g, side, units)
    return {at: cost for at, cost in offmap.steps(g, side, units).items() if room.refuse(at) is None}


def hindrances(g: G, side: int, units: Sequence[int]) -> Iterator[Hindrance]:
    """Return the hindrances of a stack, from soft to hard. Leaving a ZOC costs nothing, and if the slowest unit ignores
    ZOCs only the others pay for them (2.8, 3.4, SCS 5.4, SCS 12.4)."""
    yield Limit(points_left(g, units), "SCS 3.2", "costs {cost} MPs, {left} left", shown)
    enemy = front(g, 1 - side)
    if slowest(g, units) not in IGNORE_ZONES:
        yield enemy.cost
    yield enemy.closed
    if setting(g).maps in MAP_BARS:
        yield MAP_BARS[setting(g).maps]


def ends(g: G, side: int, units: Sequence[int]) -> tuple[End, ...]:
    """A stack may pass a full hex but not end there, unless units in it can still leave (1.3, SCS 4.2)."""
    return (POINTS.end(g, side, units, partial(can_leave, g, side, units)),)


def can_leave(g: G, side: int, units: Sequence[int], unit: int) -> bool:
    """Whether a unit outside a stack can still march away from its hex."""
    return unit not in units and left_of(g, unit) > 0 and can_move(g, side, unit)


def minimum_steps(g: G, side: int, units: Sequence[int], found: Reach, among: Collection[int]) -> list[int]:
    """Return the hexes that a stack that has not moved enters for its whole allowance, because one of its units cannot
    pay the cost (SCS 3.3)."""
    near = () if any(g.state.spent[unit] for unit in units) else OPEN_SIDES[g.state.where[units[0]]]
    far = [hex for hex in near if hex in among and not (hex in found and all_follow(g, side, units, found, hex))]
    return [hex for hex in far if why_no_minimum(g, side, units, hex) is None]


def why_no_minimum(g: G, side: int, units: Sequence[int], hex: int) -> Refusal | None:
    """Return why a stack has no minimum move to an adjacent hex: it has moved, an enemy is there, or both hexes are in
    enemy ZOCs (SCS 3.3)."""
    here, label, zoned = g.state.where[units[0]], BOARD.name(hex), zone(g, 1 - side)
    if any(g.state.spent[unit] for unit in units):
        return Refusal(f"{whom(units)} has no minimum move to {label}: it has moved", "SCS 3.3", label)
    if hex not in OPEN_SIDES[here] or hex in OFF_MAP[setting(g).maps]:
        return Refusal(f"{whom(units)} has no minimum move to {label}: closed ground", "SCS 3.3", label)
    for enemy in forces_in(g, 1 - side, hex):
        return Refusal(f"{whom(units)} cannot move to {label}: {name(enemy)} is there", "SCS 3.6", name(enemy))
    if zoned[here] and zoned[hex]:
        cause = zone_names(g, hex, 1 - side)[0]
        return Refusal(
            f"{whom(units)} has no minimum move to {label}: from one enemy ZOC into another", "SCS 3.3", cause
        )
    return ends(g, side, units)[0].refuse(hex)


def why_not_at(g: G, side: int, units: Sequence[int], location: int) -> Refusal | None:
    """Return why a stack cannot move to a hex or box, or overrun the enemy in it."""
    if not on_map(g, units[0]) or location in BOXES:
        return offmap.why_not(g, side, units, location) or ends(g, side, units)[0].refuse(location)
    if forces_in(g, 1 - side, location):
        return overrun.why_not(g, side, units, location)
    way_there = way(g, side, units)
    closed = (*ends(g, side, units), *others_pay(g, side, units, ways.reach(way_there)))
    refusal = ways.why_not(g, way_there, location, whom(units), closed)
    return refusal and (why_no_minimum(g, side, units, location) and refusal)


def why_not_along(g: G, units: Sequence[int], unit: int) -> Refusal | None:
    """Return why a unit of the same hex that can move cannot join a stack: only one of them has begun its move, or it is
    Rommel (2.3, SCS 3.1)."""
    cannot = f"{name(unit)} cannot join {whom(units)}"
    if unit == ROMMEL or ROMMEL in units:
        return Refusal(f"{cannot}: Rommel moves by himself", "2.3", name(unit))
    if not (g.state.flags[unit] ^ g.state.flags[units[0]]) & MOVING:
        return None
    begun = name(unit) if g.state.flags[unit] & MOVING else whom(units)
    return Refusal(f"{cannot}: {begun} has begun its move", "SCS 3.1", name(unit))


def why_not_by(g: G, side: int, units: Sequence[int], word: str) -> Refusal | None:
    """Return why a stack cannot land or go by ship (1.9a, 2.8)."""
    if word == "ship":
        return why_not_shipping(g, side, units)
    if word != "landing":
        return None
    alone = Refusal(f"{whom(units)} cannot land: only {name(HECKER)} can, and alone", "2.8", name(HECKER))
    return hecker.why_not_landing(g) if tuple(units) == (HECKER,) else alone


why_not_there = stacks.why_not_going(
    "SCS 3.1", {*range(HEXES), *BOXES}, why_not_moving, why_not_at, why_not_along, why_not_by
)
"""Why a stack cannot move to a hex or box, land or go by ship, or a unit not go along (SCS 3.1)."""


def walk(g: G, side: int, units: Sequence[int], reach: Reach, hex: int) -> Procedure:
    """Move a stack to a hex it reaches; each unit pays its own cost (SCS 3.2, SCS 12.4)."""
    path, start, mixed = reach.path(hex), g.state.where[units[0]], is_mixed(units)
    for unit in units:
        cost = own_cost(g, side, unit, reach, hex) if mixed else reach.cost(hex)
        g.state.spent[unit] += cost
        g.log("SCS 3.2", "{unit} moves from {hex_from} to {hex} for {cost} MPs", unit=unit, hex_from=start, hex=hex,
              cost=shown(cost))  # fmt: skip
    yield from control.enter(g, side, units, hex, path[:-1])


def step(g: G, side: int, units: Sequence[int], hex: int) -> Procedure:
    """The minimum move: one hex for all MPs (SCS 3.3)."""
    start = g.state.where[units[0]]
    for unit in units:
        g.state.spent[unit] = allowance(g, unit)
        g.log("SCS 3.3", "{unit} moves from {hex_from} to {hex} for all its MPs", unit=unit, hex_from=start, hex=hex)
    yield from control.enter(g, side, units, hex)


def change_box(g: G, side: int, units: Sequence[int], location: int) -> Procedure:
    """Move a stack to an off-map box, or from one to the map (1.13)."""
    start = g.state.where[units[0]]
    for unit in units:
        cost = offmap.charge(g, unit, start, location)
        g.state.spent[unit] += cost
        g.log("1.13", "{unit} moves from {hex_from} to {hex} for {cost} MPs", unit=unit, hex_from=start, hex=location,
              cost=shown(cost))  # fmt: skip
    yield from control.enter(g, side, units, location)


def why_not_shipping(g: G, side: int, units: Sequence[int]) -> Refusal | None:
    """Return why a stack cannot be shipped from where it is: in the Movement Phase of a campaign, from a port of its
    side to another, one point of shipping and of port capacity for each unit (1.9a, 1.9d)."""
    if setting(g).short or EXPLOITING in g.state.todo:
        return Refusal(
            f"{whom(units)} cannot be shipped: only in the Movement Phase of a campaign", "1.9a", name(units[0])
        )
    here, goals = g.state.where[units[0]], trucks.harbours(side)
    return ports.why_not_from(g, side, here, goals, partial(why_not_shipped_to, g, side, units))


def why_not_shipped_to(g: G, side: int, units: Sequence[int], port: int) -> Refusal | None:
    """Return why a stack cannot be shipped to a port (1.3, 1.9a, 1.9d, 1.9e)."""
    refusal = ports.why_not_shipped(g, side, g.state.where[units[0]], port)
    if refusal is not None:
        return refusal
    label, number = BOARD.name(port), len(units)
    if g.state.shipping[SIDES[side]] < number:
        return Refusal(
            f"{number} units cannot be shipped: too little shipping left", "1.9a", f"{SIDES[side]} Coastal Shipping"
        )
    if port in ports.LIMITED and g.state.capacity[port] < number:
        return Refusal(f"{number} units cannot be shipped to {label}: capacity {g.state.capacity[port]}", "1.9d", label)
    return ends(g, side, units)[0].refuse(port)


def ship(g: G, side: int, units: Sequence[int]) -> Procedure:
    """A stack is shipped from port to port without MPs, and may march before and after (1.9a)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side, "move.ship", f"Ship {whom(units)}: choose a port", "1.9a", buttons=[cancel], about=units,
        locations=[p for p in trucks.harbours(side) if why_not_shipped_to(g, side, units, p) is None],
        why_not=for_locations(why_not_shipped_to, side, units),
    )  # fmt: skip
    if click == cancel:
        return
    take_up(g, side, units)
    start, port = g.state.where[units[0]], g.location(click)
    for unit in units:
        ports.ship(g, side, port)
        g.log("1.9a", "{unit} is shipped from {hex_from} to {hex}", unit=unit, hex_from=start, hex=port)
    yield from control.enter(g, side, units, port)


def move_rommel(g: G) -> Procedure:
    """Rommel moves from his stack to any other, once per phase (2.3)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        AXIS, "leader.move", "Choose an Axis stack that Rommel joins", "2.3",
        locations=[hex for hex in rommel.camps(g) if rommel.why_not_fly(g, hex) is None], buttons=[cancel], about=[ROMMEL],
        why_not=for_locations(rommel.why_not_fly),
    )  # fmt: skip
    if click != cancel:
        rommel.fly(g, g.location(click))
        g.state.flags[ROMMEL] |= FINISHED
