"""Ground movement (7): the Movement Phase, how a unit or a stack moves in it and in the other phases of movement, and who is
put into Reserve at its end (8.2). How far units get is in `paths`, modes in `mode`, ways on and off the map in `boxes`.

A unit moves once in a phase (7.1.3). It may go on from where it came to as long as no other unit has moved since, so a way can
be chosen hex by hex, and a stack can drop units; whoever does not go on with it then has completed its movement (7.1.2).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from khamsin.games.kasserine import boxes, garrison, hindrance, losses, mode
from khamsin.games.kasserine.arrival import arrive
from khamsin.games.kasserine.ground import FIGURES, stops
from khamsin.games.kasserine.paths import (
    FIGURE,
    INFILTRATES,
    INFILTRATION,
    LEFT,
    MOVEMENT,
    REACTION,
    Destinations,
    Reach,
    connections,
    exits,
    hazards,
    is_commando,
    points_left,
    shut_hexes,
    steps,
    stuck,
    way_mask,
    whole,
    whole_steps,
)
from khamsin.games.kasserine.paths import reach as reach
from khamsin.games.kasserine.reserve import leave_reserve, put_in_reserve, why_not_reserve
from khamsin.games.kasserine.stacking import LIMIT, overfull, points, room, thin_out
from khamsin.games.kasserine.units import (
    ALLIED,
    AXIS,
    BOARD,
    COMBAT,
    DEPLOYED,
    ENTERED,
    FORCES,
    HEXES,
    HQ,
    MOTORIZED,
    MOVED,
    REACTED,
    RED_BOX,
    RESERVE,
    ROMMEL,
    SIDE,
    STACKING,
    STOPPED,
    TWO_MODES,
    VKOENEN,
    G,
    crosses,
    forces_in,
    name,
)
from khamsin.games.kasserine.zones import zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import CLOSED, NEVER, STOP
from khamsin.kernel.rules import Decision, Procedure, Refusal

BEGUN, OVER = "movement begun", "movement over"
"""Steps of the phase that are behind it."""
ZONED = "the commando has been in a zone"
MOVERS = ((*FORCES[AXIS], ROMMEL), FORCES[ALLIED])
"""The units of each side that move on the ground."""
SPAN = tuple(slice(units[0], units[-1] + 1) for units in MOVERS)
RESERVABLE = tuple(tuple(u for u in FORCES[side] if RED_BOX[u] and not HQ[u]) for side in (AXIS, ALLIED))
"""The units of each side that could ever be in Reserve (8.2.2, 15.2.1)."""
BUSY = MOVED | STOPPED | DEPLOYED
"""What a unit has on it that may not simply move."""
ROMMEL_RANGE = int(FIGURES["rommel"]["range"])
STACK_KIND = ("move.stack", "reaction.stack", "reserve.stack")
TO_KIND = ("move.to", "reaction.to", "reserve.to")
"""The kinds of decision of each phase of movement: which units move, and where they go."""
TO_RULE = ("7.1", "9.3.2", "8.2.4")
"""The rule by which units go there."""


def movement(g: G, side: int) -> Procedure:
    """The Movement Phase: a side moves what it likes, then puts units into Reserve (7.0, 8.2)."""
    state, todo, done = g.state, g.state.todo, g.rules.button("done")
    if BEGUN not in todo and OVER not in todo:
        begin(g, side)
    if OVER not in todo:
        able, walking = dict.fromkeys(movable(g, side)), under_way(g, side)
        while True:
            pressing = next(must_go_on(g, side), None)
            open_ = able.copy() if pressing is None else dict.fromkeys([pressing, *able])
            if pressing is None:
                open_[done] = None
            click = yield Decision(side, "move.stack", "Move a unit, or end the movement", "7.0", open_, top=True)
            if click == done:
                break
            here, enemy = state.where[click], state.where.versions[1 - side]
            group = yield from move_group(g, side, click, MOVEMENT, walking)
            if enemy != state.where.versions[1 - side] or is_zoned(g, side, here, state.where[click]):
                able = dict.fromkeys(movable(g, side))
            else:  # nothing has changed for units that neither moved nor rest now
                for unit in {*walking, *group}.intersection(able):
                    if not is_able(g, unit):
                        del able[unit]
            walking = [unit for unit in {*walking, *group} if state.flags[unit] & (MOVED | STOPPED) == MOVED]
        yield from thin_out(g, side)
        todo[OVER] = 1
    yield from designate(g, side)
    finish(g, side)


def begin(g: G, side: int) -> None:
    """Nobody has moved yet."""
    state = g.state
    for unit in MOVERS[side]:
        state.spent[unit] = 0
        state.flags[unit] &= ~(MOVED | STOPPED)
    state.todo[BEGUN if movable(g, side) else OVER] = 1
    commando = state.where[VKOENEN]
    if side == AXIS and is_commando(g, [VKOENEN]) and 0 <= commando < HEXES and zone(g, ALLIED)[commando]:
        state.todo[ZONED] = 1


def finish(g: G, side: int) -> None:
    """The phase is over; points are not saved (7.1.3)."""
    state = g.state
    for unit in MOVERS[side]:
        state.spent[unit] = 0
        state.flags[unit] &= ~(MOVED | STOPPED)
    state.todo.clear()


def movable(g: G, side: int) -> list[int]:
    """The units that could do something in the Movement Phase: move on, or change their mode (7.1.3, 7.6.2, 18.2.3)."""
    state, span, doors = g.state, SPAN[side], boxes.DOORS[side]
    columns = zip(
        MOVERS[side], state.where[span], state.flags[span], state.spent[span], state.release[span], strict=True
    )
    return [
        unit
        for unit, place, marks, used, bound in columns
        if (0 <= place < HEXES and not marks & BUSY and not used and not bound)
        or ((0 <= place < HEXES or place in doors) and is_able(g, unit))
    ]


def is_able(g: G, unit: int) -> bool:
    """Whether a unit could do something in the Movement Phase."""
    state, place = g.state, g.state.where[unit]
    if not 0 <= place < HEXES and (place not in boxes.DOORS[SIDE[unit]] or not boxes.ways_in(g, unit)):
        return False
    marks, bound = state.flags[unit], state.release[unit]
    if not (marks & BUSY or state.spent[unit] or bound):
        return True
    return (TWO_MODES[unit] or not (marks & STOPPED or bound)) and has_something_left(g, unit)


def is_zoned(g: G, side: int, *places: int) -> bool:
    """Whether any of these places lies in an enemy zone."""
    zoned = zone(g, 1 - side)
    return any(0 <= place < HEXES and zoned[place] for place in places)


def has_something_left(g: G, unit: int) -> bool:
    """Whether a unit that has done something, or may not move as it stands, can still move on or change its mode."""
    state = g.state
    marks = state.flags[unit]
    if not marks & (STOPPED | DEPLOYED) and not state.release[unit] and points_left(g, [unit], MOVEMENT) > 0:
        return True
    if not TWO_MODES[unit]:
        return False
    fresh = not state.spent[unit] and not state.changed[unit] and mode.ALWAYS_ENOUGH[unit]
    return fresh or mode.may_change(g, unit, whole(g, unit, MOVEMENT))


def must_go_on(g: G, side: int) -> Iterator[int]:
    """The units that must still move before the phase ends: groups whose entry may not wait, and those that can mend a stack
    with too many points (3.3.2, 18.2.4)."""
    for unit in boxes.may_not_wait(g, side):
        found = reach(g, [unit], points_left(g, [unit], MOVEMENT), MOVEMENT)
        if len(Destinations(g, found, shut_hexes(g, [unit], crowded(g, side, [unit], MOVEMENT, found)))):
            yield unit
    for hex in overfull(g, side):
        yield from (unit for unit in forces_in(g, side, hex) if STACKING[unit] and can_leave(g, unit))


def may_go(g: G, unit: int, kind: int) -> bool:
    """Whether a unit may move on in a phase: any but garrisons in the Movement Phase, else only Reserves, units with Rommel,
    and those already on their way (8.2.1, 9.3.2, 15.5.1, 18.2.3)."""
    state = g.state
    marks = state.flags[unit]
    if marks & (STOPPED | DEPLOYED) or state.release[unit] or points_left(g, [unit], kind) < 1:
        return False
    return kind == MOVEMENT or bool(marks & (MOVED | RESERVE)) or (kind == REACTION and led_by_rommel(g, unit))


def led_by_rommel(g: G, unit: int) -> bool:
    """Whether a unit may react because Rommel is with it: a red box, no enemy zone, a declared attack near (15.5.1)."""
    state = g.state
    here = state.where[unit]
    return (
        SIDE[unit] == AXIS
        and RED_BOX[unit]
        and COMBAT[unit]
        and 0 <= here < HEXES
        and here == state.where[ROMMEL]
        and not zone(g, ALLIED)[here]
        and any(BOARD.distance(here, hex) <= ROMMEL_RANGE for hex in state.targets)
    )


def move_group(g: G, side: int, first: int, kind: int, walking: Sequence[int]) -> Generator[Decision, int, list[int]]:
    """One unit, or several of its place together, move, or one changes its mode (7.1.1, 7.1.2, 7.6.2); who they are. `walking`
    are the units that are under way now."""
    cancel, change, infiltrate = (g.rules.button(word) for word in ("cancel", "change mode", "infiltrate"))
    group = [first]
    while True:
        left = points_left(g, group, kind)
        found = reach(g, group, left, kind)
        open_ = Destinations(g, found, shut_hexes(g, group, crowded(g, side, group, kind, found)))
        dear, out = special_ways(g, group, found, left, kind)
        open_.more.update((g.place0 + hex, how) for hex, how in dear.items() if open_.allows(hex))
        open_.more.update((g.place0 + box, FIGURE[cost]) for box, (cost, _) in out.items())
        open_.more.update(dict.fromkeys(mates(g, side, group, kind)))
        open_.more[cancel] = None
        if len(group) == 1 and mode.may_change(g, first, whole(g, first, kind)):
            open_.more[change] = FIGURE[mode.cost(g, first)]
        if is_commando(g, group) and kind == MOVEMENT and slips(g, group):
            open_.more[infiltrate] = None
        click = yield Decision(
            side,
            TO_KIND[kind],
            f"{who_moves(group)} go? Or add a unit of the same place",
            TO_RULE[kind],
            open_,
            about=tuple(group),
        )
        if g.is_unit(click):
            group.append(click)
            continue
        if click == change:
            shift(g, first, kind, walking)
        elif click == infiltrate:
            yield from infiltrate_alone(g, side, first, walking)
        elif click != cancel:
            place = g.location(click)
            rest(g, group, walking)
            if place in out:
                leave_map(g, side, group, place, *out[place])
            elif place in dear:
                step(g, side, group, place, dear[place])
            else:
                walk(g, side, group, found, place, kind)
        return group


def who_moves(group: Sequence[int]) -> str:
    """The beginning of a question about a moving group."""
    more = f" and {len(group) - 1} more" if len(group) > 1 else ""
    return f"Where {'do' if more else 'does'} {name(group[0])}{more}"


def special_ways(
    g: G, group: Sequence[int], found: Reach, left: int, kind: int
) -> tuple[dict[int, str], dict[int, tuple[int, int]]]:
    """In the Movement Phase: neighbouring hexes that take all points, and holding boxes; in other phases none
    (7.4, 7.4.1, 8.1, 8.3, 9.3.5)."""
    if kind != MOVEMENT:
        return {}, {}
    if g.state.where[group[0]] >= HEXES:
        return {}, dict.fromkeys(connections(g, group), (left, NOWHERE))
    return whole_steps(g, group, found), exits(g, group, found, left)


def mates(g: G, side: int, group: Sequence[int], kind: int) -> list[int]:
    """The units that may join a group before it moves: of its place, free to move, and not met on the way (7.1.2)."""
    state, first = g.state, group[0]
    here, moving = state.where[first], state.flags[first] & MOVED
    if not may_go(g, first, kind):
        return []
    stack = forces_in(g, side, here)
    if side == AXIS and state.where[ROMMEL] == here:
        stack.append(ROMMEL)
    entries = boxes.ways_in(g, first) if here >= HEXES else ()
    return [
        unit
        for unit in stack
        if unit not in group
        and state.flags[unit] & MOVED == moving
        and may_go(g, unit, kind)
        and (here < HEXES or boxes.ways_in(g, unit) == entries)
    ]


def crowded(g: G, side: int, group: Sequence[int], kind: int, found: Reach) -> Iterator[int]:
    """Hexes that have no room for a group, and none that could still be made by moving (3.3.2); in reaction also attacked
    hexes that it may not join (9.3.4)."""
    more, here = sum([STACKING[unit] for unit in group]), g.state.where[group[0]]
    near = BOARD.neighbours[here] if here < HEXES else ()
    most, stacked = LIMIT - more, points(g, side)
    for hex in [hex for hex, held in stacked.items() if held > most] if more else ():
        if (hex in found or hex in near) and not (kind == MOVEMENT and can_empty(g, side, hex, stacked[hex] - most)):
            yield hex
    if kind == REACTION:
        joined = g.state.reinforced
        yield from (hex for hex in g.state.targets if len(group) > 1 or joined.get(hex))


def can_empty(g: G, side: int, hex: int, points: int) -> bool:
    """Whether so many stacking points in a hex could still move out of it in this phase."""
    for unit in forces_in(g, side, hex):
        if STACKING[unit] and can_leave(g, unit):
            points -= STACKING[unit]
            if points <= 0:
                return True
    return False


def can_leave(g: G, unit: int) -> bool:
    """Whether a unit has a step out of its hex to one with room (3.3.2, 7.1.3)."""
    state, side, here = g.state, SIDE[unit], g.state.where[unit]
    left = points_left(g, [unit], MOVEMENT)
    if left < 1 or stuck(g, [unit]):
        return False
    zoned, mask, costs = zone(g, 1 - side), way_mask(g, [unit], MOVEMENT), steps(g, [unit]).costs[here].tolist()
    shut = boxes.SHARED if boxes.must_leave_edge(g, [unit]) else ()
    fresh = not state.spent[unit]
    for there, cost in zip(BOARD.neighbours[here], costs, strict=True):
        if there == NOWHERE or cost == NEVER or mask[there] == CLOSED or there in shut:
            continue
        across = zoned[here] and zoned[there]
        slip = INFILTRATES[unit] and cost <= left and state.strongpoint.get(there, side) == side
        if (fresh and slip if across else fresh or cost <= left) and room(g, side, there) >= STACKING[unit]:
            return True
    return False


def shift(g: G, unit: int, kind: int, walking: Sequence[int]) -> None:
    """A unit changes its mode; in reaction and reserve movement that is its move, with what is left to go on (7.6.2, 8.2.5)."""
    mode.change_mode(g, unit)
    if kind == MOVEMENT:
        return
    rest(g, [unit], walking)
    state = g.state
    state.flags[unit] |= MOVED | (REACTED if kind == REACTION else 0)
    state.todo[LEFT] = whole(g, unit, kind) - state.spent[unit]
    if state.flags[unit] & RESERVE:
        leave_reserve(g, unit)


def rest(g: G, group: Sequence[int], walking: Sequence[int]) -> None:
    """Others now move: whoever was on its way has completed its movement (7.1.2, 7.1.3)."""
    for unit in walking:
        if unit not in group:
            g.state.flags[unit] |= STOPPED


def under_way(g: G, side: int) -> list[int]:
    """The units that have moved and may go on (7.1.2)."""
    span = SPAN[side]
    return [unit for unit, marks in enumerate(g.state.flags[span], span.start) if marks & (MOVED | STOPPED) == MOVED]


def walk(g: G, side: int, group: Sequence[int], found: Reach, hex: int, kind: int) -> None:
    """Move a group to a hex that it reaches (7.1.1)."""
    state, here = g.state, g.state.where[group[0]]
    cost, path = found.cost(hex), found.path(hex)
    barrier = kind == REACTION and way_mask(g, group, kind)[hex] == STOP  # 9.3.3
    before = path[-2] if len(path) > 1 else here
    halts = found.node(hex) != hex
    been_zoned = is_commando(g, group) and in_zone_before(g)
    left = points_left(g, group, kind) - cost
    for unit in group:
        state.spent[unit] += cost
        state.flags[unit] |= MOVED | (REACTED if kind == REACTION else 0) | (ENTERED if here >= HEXES else 0)
        text = "{unit} moves from {place_from} to {hex} for {cost} MP"
        g.log(TO_RULE[kind], text, unit=unit, place_from=here, hex=hex, cost=str(FIGURE[cost]))
    state.todo[LEFT] = left
    if kind == REACTION and hex in state.targets:
        state.reinforced[hex] = state.reinforced.get(hex, 0) + 1
    arrive(g, side, group, hex, path[:-1])
    garrison.release(g, group, hex)
    zoned = bool(zone(g, 1 - side)[hex])
    if is_commando(g, group) and kind != REACTION:
        slip_through(g, been_zoned, zoned)
        if state.where[VKOENEN] != hex:
            return
        zoned = False  # ground and strongpoints stop it as they do others (7.3.5, 14.1.2, 16.4.1)
    fort = hex in hazards(g, side)[0]
    for unit in group:
        mountain = halts and before < HEXES and stops(crosses(g, unit), before, BOARD.direction(before, hex))
        if zoned or barrier or mountain or (fort and MOTORIZED[unit]):
            state.flags[unit] |= STOPPED


def step(g: G, side: int, group: Sequence[int], hex: int, how: str) -> None:
    """Move a group to a neighbouring hex for all its points (7.4.2, 8.1.1)."""
    rule = "8.1.1" if how == INFILTRATION else "7.4.2"
    use_up(g, group, hex, rule, f"{{unit}} moves from {{place_from}} to {{hex}} by {how}")
    arrive(g, side, group, hex)
    garrison.release(g, group, hex)


def leave_map(g: G, side: int, group: Sequence[int], box: int, cost: int, door: int) -> None:
    """A group goes to a holding box and stays there for the turn (8.3.4, 8.3.5)."""
    rule = "8.3.5" if door == NOWHERE else "8.3.4"
    use_up(g, group, box, rule, "{unit} goes from {place_from} to {hex}")
    arrive(g, side, group, box)


def use_up(g: G, group: Sequence[int], place: int, rule: str, text: str) -> None:
    """A move that leaves a group no points."""
    state = g.state
    for unit in group:
        g.log(rule, text, unit=unit, place_from=state.where[unit], hex=place)
        state.spent[unit] = whole(g, unit, MOVEMENT)
        state.flags[unit] |= MOVED | STOPPED
    state.todo[LEFT] = 0


def in_zone_before(g: G) -> bool:
    """Whether the commando has been in an enemy zone in this phase (16.4.1)."""
    return ZONED in g.state.todo


def slip_through(g: G, before: bool, zoned: bool) -> None:
    """The commando need not stop in an enemy zone; in each after the first it must pass the Retreat Table (16.4.1)."""
    if not zoned:
        return
    g.state.todo[ZONED] = 1
    if not before:
        return
    table = g.table("retreat")
    if table.roll(g.dice, 0, purpose="commando in an enemy zone") != "Pass":
        losses.eliminate(g, VKOENEN, "16.4.1")


def slips(g: G, group: Sequence[int]) -> dict[int, str]:
    """Where the commando could infiltrate as others do, for all its points and without a roll (8.1, 16.4.1)."""
    still = reach(g, group, 0, MOVEMENT)
    return {hex: how for hex, how in whole_steps(g, group, still).items() if how == INFILTRATION}


def infiltrate_alone(g: G, side: int, unit: int, walking: Sequence[int]) -> Procedure:
    """The commando infiltrates as others do (8.1.1)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side,
        "move.infiltrate",
        "Infiltrate where?",
        "8.1.1",
        locations=slips(g, [unit]),
        buttons=[cancel],
        about=[unit],
    )
    if click != cancel:
        rest(g, [unit], walking)
        step(g, side, [unit], g.location(click), INFILTRATION)


def designate(g: G, side: int) -> Procedure:
    """At the end of the Movement Phase units are put into Reserve, or taken out of it (8.2, 8.2.1, 8.2.2)."""
    flags, done = g.state.flags, g.rules.button("done")
    able = {unit for unit in RESERVABLE[side] if why_not_reserve(g, unit) is None}  # nothing in this step changes it
    while True:
        open_: dict[int, str | None] = {}
        for unit in RESERVABLE[side]:
            if flags[unit] & RESERVE:
                open_[unit] = "in Reserve"
            elif unit in able:
                open_[unit] = None
        if not open_:
            return
        open_[done] = None
        click = yield Decision(side, "reserve.units", "Which units are in Reserve?", "8.2.2", open_, top=True)
        if click == done:
            return
        if flags[click] & RESERVE:
            leave_reserve(g, click)
        else:
            put_in_reserve(g, click)


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a click of a movement question is not open."""
    if click >= g.rules.first_button:
        return hindrance.why_not_button(g, decision, g.rules.names[click], next(must_go_on(g, decision.side), None))
    kind = TO_KIND.index(decision.kind) if decision.kind in TO_KIND else MOVEMENT
    if g.is_unit(click):
        return hindrance.why_not_unit(g, decision, click, kind)
    if not decision.about:
        return Refusal("choose a unit first", "7.1.1", BOARD.name(g.location(click)))
    return hindrance.why_not_there(g, decision, g.location(click), kind)
