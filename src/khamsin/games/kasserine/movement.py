"""Ground movement (7): the Movement Phase, how a unit or a stack moves in it and in the other phases of movement, and who is
put into Reserve at its end (8.2). How far units get is in `paths`, modes in `mode`, ways on and off the map in `boxes`.

A unit moves once in a phase (7.1.3). It may go on from where it came to as long as no other unit has moved since, so a way can
be chosen hex by hex, and a stack can drop units; whoever does not go on with it then has completed its movement (7.1.2).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from functools import partial

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
    connections,
    exits,
    hazards,
    is_commando,
    points_left,
    stuck,
    way,
    whole,
    whole_steps,
)
from khamsin.games.kasserine.paths import reach as reach
from khamsin.games.kasserine.reserve import leave_reserve, put_in_reserve, why_not_reserve
from khamsin.games.kasserine.stacking import STACKS, overfull, remove_excess, room
from khamsin.games.kasserine.units import (
    ALLIED,
    AXIS,
    BOARD,
    COMBAT,
    DEPLOYED,
    ENTERED,
    FORCES,
    FORMATION,
    HEXES,
    HQ,
    IS_MARKER,
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
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import stacks
from khamsin.mechanics.ways import APART, Destinations, End, Reach, first_steps

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
        ready = stacks.Ready(g, MOVERS[side], partial(is_able, g), partial(surely_able, g), partial(companions, g))
        walking = under_way(g, side)
        while True:
            pressing = next(must_go_on(g, side), None)
            able = ready.now(*((done,) if pressing is None else ()))
            click = yield Decision(
                side, "move.stack", "Move a unit, or end the movement", "7.0",
                able, top=True, buttons=(done,), why_not=why_not,
            )  # fmt: skip
            if click == done:
                break
            enemy = state.where.versions[1 - side]
            first = stacks.selected(g, click, able, partial(mates, g, side, MOVEMENT))
            units = yield from move_group(g, side, first, MOVEMENT, walking)
            if enemy != state.where.versions[1 - side]:
                ready.renew()
            else:
                ready.update({*walking, *units})
            walking = [unit for unit in {*walking, *units} if state.flags[unit] & (MOVED | STOPPED) == MOVED]
        yield from remove_excess(g, side)
        todo[OVER] = 1
    yield from designate(g, side)
    finish(g, side)


def begin(g: G, side: int) -> None:
    """Nobody has moved yet."""
    state = g.state
    for unit in MOVERS[side]:
        state.spent[unit] = 0
        state.flags[unit] &= ~(MOVED | STOPPED)
    state.todo[BEGUN if any(is_able(g, unit) for unit in MOVERS[side]) else OVER] = 1
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


def surely_able(g: G, unit: int) -> bool | None:
    """Whether a unit can do something in the Movement Phase, as long as the enemy stays where it is; None if that depends on
    others (7.1.3, 7.6.2, 18.2.3)."""
    state, place = g.state, g.state.where[unit]
    if not 0 <= place < HEXES:
        return None if place in boxes.DOORS[SIDE[unit]] else False
    if not (state.flags[unit] & BUSY or state.spent[unit] or state.release[unit]):
        return True
    if not TWO_MODES[unit]:
        return False if state.flags[unit] & STOPPED or state.release[unit] else None
    return True if mode.is_free_to_change(g, unit) else None


def companions(g: G, unit: int) -> tuple[int, ...]:
    """The combat units with one on the map: all that its movement depends on besides itself and the enemy (7.6.2). Off the map
    it depends on all locations (5.2.4)."""
    where = g.state.where
    return where.stacks(SIDE[unit]).get(where[unit], ()) if where[unit] < HEXES else (where.version,)


def is_able(g: G, unit: int) -> bool:
    """Whether a unit could do something in the Movement Phase."""
    state, place = g.state, g.state.where[unit]
    if not 0 <= place < HEXES and (place not in boxes.DOORS[SIDE[unit]] or not boxes.ways_in(g, unit)):
        return False
    marks, bound = state.flags[unit], state.release[unit]
    if not (marks & BUSY or state.spent[unit] or bound):
        return True
    return (TWO_MODES[unit] or not (marks & STOPPED or bound)) and has_something_left(g, unit)


def has_something_left(g: G, unit: int) -> bool:
    """Whether a unit that has done something, or may not move as it stands, can still move on or change its mode."""
    state = g.state
    marks = state.flags[unit]
    if not marks & (STOPPED | DEPLOYED) and not state.release[unit] and points_left(g, [unit], MOVEMENT) > 0:
        return True
    if not TWO_MODES[unit]:
        return False
    return mode.is_free_to_change(g, unit) or mode.may_change(g, unit, whole(g, unit, MOVEMENT))


def must_go_on(g: G, side: int) -> Iterator[int]:
    """The units that must still move before the phase ends: groups whose entry may not wait, and those that can mend a stack
    with too many points (3.3.2, 18.2.4)."""
    for unit in boxes.may_not_wait(g, side):
        found = reach(g, [unit], points_left(g, [unit], MOVEMENT), MOVEMENT)
        if len(Destinations(g.place0, found, ends(g, side, [unit], MOVEMENT))):
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


def move_group(
    g: G, side: int, units: list[int], kind: int, walking: Sequence[int]
) -> Generator[Decision, int, list[int]]:
    """One unit, or several of its place together, move, or one changes its mode (7.1.1, 7.1.2, 7.6.2); who they are. `walking`
    are the units that are under way now."""
    change, infiltrate = g.rules.button("change mode"), g.rules.button("infiltrate")
    units, click, decision = yield from stacks.select(
        g, units, partial(mates, g, side, kind), partial(ask_where, g, side, kind), FORMATION.__getitem__
    )
    if not units:
        return []
    if click == change:
        shift(g, units[0], kind, walking)
    elif click == infiltrate:
        yield from infiltrate_alone(g, side, units[0], walking)
    else:
        place, left = g.location(click), points_left(g, units, kind)
        found: Reach = decision.reach
        dear, out = special_ways(g, units, found, left, kind)
        rest(g, units, walking)
        if place in out:
            leave_map(g, side, units, place, *out[place])
        elif place in dear:
            step(g, side, units, place, dear[place])
        else:
            walk(g, side, units, found, place, kind)
    return units


def ask_where(g: G, side: int, kind: int, units: list[int], others: list[int]) -> Decision:
    """Where a stack goes, who joins or leaves it, or what else it does (7.1.1, 7.1.2, 7.4, 7.6.2, 8.1, 8.3)."""
    cancel, change, infiltrate, formation = (
        g.rules.button(word) for word in ("cancel", "change mode", "infiltrate", "formation")
    )
    left = points_left(g, units, kind)
    found = reach(g, units, left, kind)
    open_ = Destinations(g.place0, found, ends(g, side, units, kind), hint=FIGURE.__getitem__)
    dear, out = special_ways(g, units, found, left, kind)
    open_.more.update((g.place0 + hex, how) for hex, how in dear.items() if open_.allows(hex))
    open_.more.update((g.place0 + box, FIGURE[cost]) for box, (cost, _) in out.items())
    open_.more.update(dict.fromkeys([*units, *others, cancel]))
    if stacks.formation_mates(units, others, FORMATION.__getitem__):
        open_.more[formation] = None
    if len(units) == 1 and mode.may_change(g, units[0], whole(g, units[0], kind)):
        open_.more[change] = FIGURE[mode.cost(g, units[0])]
    if is_commando(g, units) and kind == MOVEMENT and infiltration_hexes(g, units):
        open_.more[infiltrate] = None
    buttons = (change, formation) if any(TWO_MODES[unit] for unit in units) else (formation,)
    return Decision(
        side, TO_KIND[kind], f"{who_moves(units)} go? Or add a unit of the same place", TO_RULE[kind], open_,
        about=tuple(units), buttons=buttons, why_not=why_not, reach=found,
    )  # fmt: skip


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


def mates(g: G, side: int, kind: int, group: Sequence[int]) -> list[int]:
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


def ends(g: G, side: int, units: Sequence[int], kind: int) -> tuple[End, ...]:
    """Where units may pass but not end: hexes without room, unless some can still be made by moving (3.3.2); in reaction
    attacked hexes that they may not join (9.3.4); and the edge for those who may not stay there (18.2.5)."""
    found = []
    if STACKS.size(units):
        leaving = partial(can_leave, g) if kind == MOVEMENT else lambda unit: False
        found.append(STACKS.end(g, side, units, BOARD.name, leaving))
    if kind == REACTION and g.state.targets:
        attacked = list(g.state.targets)
        found.append(End(partial(why_not_joined, g, units), lambda: attacked))
    if boxes.must_leave_edge(g, units):
        found.append(End(why_not_on_edge, lambda: boxes.SHARED))
    return tuple(found)


def why_not_joined(g: G, units: Sequence[int], hex: int) -> Refusal | None:
    """One unit may react into an attacked hex (9.3.4)."""
    label = BOARD.name(hex)
    if hex not in g.state.targets:
        return None
    if len(units) > 1:
        return Refusal(f"Only one unit may react into {label}: choose one alone", "9.3.4", label)
    if g.state.reinforced.get(hex):
        return Refusal(f"{name(units[0])} cannot react into {label}: a unit has joined it already", "9.3.4", label)
    return None


def why_not_on_edge(hex: int) -> Refusal | None:
    """Allied units that enter by the south edge do not stay there (18.2.5)."""
    label = BOARD.name(hex)
    return Refusal(f"Allied units may not stay in {label} yet", "18.2.5", label) if hex in boxes.SHARED else None


def can_leave(g: G, unit: int) -> bool:
    """Whether a unit has a step out of its hex to one with room (3.3.2, 7.1.3)."""
    state, side, here = g.state, SIDE[unit], g.state.where[unit]
    left = points_left(g, [unit], MOVEMENT)
    if left < 1 or stuck(g, [unit]):
        return False
    zoned, fresh = zone(g, 1 - side), not state.spent[unit]
    shut = boxes.SHARED if boxes.must_leave_edge(g, [unit]) else ()
    for there, cost in first_steps(way(g, [unit], left, MOVEMENT).bars_only(but=APART)):
        if there in shut:
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
    barrier = kind == REACTION and found.stops(hex)  # 9.3.3
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


def infiltration_hexes(g: G, group: Sequence[int]) -> dict[int, str]:
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
        locations=infiltration_hexes(g, [unit]),
        buttons=[cancel],
        about=[unit],
        why_not=why_not,
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
        click = yield Decision(
            side, "reserve.units", "Which units are in Reserve?", "8.2.2", open_, top=True, why_not=why_not
        )
        if click == done:
            return
        if flags[click] & RESERVE:
            leave_reserve(g, click)
        else:
            put_in_reserve(g, click)


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a click of a decision of movement is illegal."""
    side, units = decision.side, decision.about
    kinds = next((kinds for kinds in (STACK_KIND, TO_KIND) if decision.kind in kinds), STACK_KIND)
    kind = kinds.index(decision.kind) if decision.kind in kinds else MOVEMENT
    if click >= g.rules.first_button:
        button = g.rules.names[click]
        owing = next(must_go_on(g, side), None) if button == "done" else None
        if owing is not None:
            return hindrance.why_not_done(g, owing)
        if button == "change mode" and units:
            return hindrance.why_not_changed(g, units, kind)
        if button == "formation" and units:
            return Refusal(f"No other unit of the formation of {name(units[0])} can join it", "7.1.2", name(units[0]))
        return Refusal(f"{button} is not part of this decision: {decision.prompt}", decision.rule, button)
    if g.is_unit(click):
        if SIDE[click] != side and not IS_MARKER[click]:
            return Refusal(f"{name(click)} is not yours", "3.1.1", name(click))
        return hindrance.why_not_unit(g, decision, click, kind)
    place = g.location(click)
    if units:
        return hindrance.why_not_there(g, units, place, kind, ends(g, side, units, kind))
    reasons = (hindrance.why_not_unit(g, decision, unit, kind) for unit in forces_in(g, side, place))
    none = Refusal(f"none of your units is in {BOARD.name(place)}", "7.1.1", BOARD.name(place))
    return next(filter(None, reasons), none)
