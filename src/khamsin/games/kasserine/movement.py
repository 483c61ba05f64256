"""Ground movement (7): the Movement Phase, the movement of a unit or stack in it and in the other phases of movement,
and Reserves at its end (8.2). `paths` has the reach of units, `mode` modes, `boxes` entering and leaving the map.

A unit moves once in a phase (7.1.3). It may continue as long as no other unit has moved since, so a path can be chosen
hex by hex, and a stack can drop units. Units that do not continue with it have completed their movement (7.1.2).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from functools import partial

from khamsin.games.kasserine import boxes, garrison, losses, mode, reserve
from khamsin.games.kasserine.arrival import arrive
from khamsin.games.kasserine.ground import MOUNTAINS, stops
from khamsin.games.kasserine.headquarters import why_not_led
from khamsin.games.kasserine.paths import (
    FIGURE,
    INFILTRATES,
    INFILTRATION,
    LEFT,
    MOST_NAMES,
    MOVEMENT,
    ONE_HEX,
    REACTION,
    RESERVES,
    forts,
    is_commando,
    points_left,
    reach,
    stuck,
    way,
    whole,
    whole_steps,
    why_not_beside,
    why_not_occupied,
    why_not_there,
    zone_names,
)
from khamsin.games.kasserine.reserve import allowance, leave_reserve
from khamsin.games.kasserine.stacking import LIMIT, STACKS, overfull, remove_excess, room
from khamsin.games.kasserine.units import (
    ALLIED,
    AROUND,
    AXIS,
    BOARD,
    CARD,
    COMBAT,
    DEPLOYED,
    ENTERED,
    FORCES,
    FORMATION,
    HEXES,
    HOLDING,
    MOTORIZED,
    MOVED,
    REACTED,
    RESERVE,
    ROMMEL,
    SIDE,
    STACKING,
    STOPPED,
    TWO_MODE_UNITS,
    TWO_MODES,
    VKOENEN,
    YELLOW_CIRCLE,
    G,
    crosses,
    forces_in,
    name,
    stack_name,
)
from khamsin.games.kasserine.zones import zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal, WhyNot
from khamsin.mechanics import stacks
from khamsin.mechanics.destinations import Destinations, Route
from khamsin.mechanics.refusals import for_locations
from khamsin.mechanics.ways import APART, End, Reach, first_steps

BEGUN, OVER = "movement begun", "movement over"
"""Finished steps of the phase."""
ZONED = "the commando has been in a zone"
MOVERS = ((*FORCES[AXIS], ROMMEL), FORCES[ALLIED])
"""The units of each side that move on the ground."""
SPAN = tuple(slice(units[0], units[-1] + 1) for units in MOVERS)
HINT = FIGURE.__getitem__
"""The text of a cost in halves of a point."""
BUSY = MOVED | STOPPED | DEPLOYED
"""Flags of units that have further conditions to move."""
STACK_KIND = ("move.stack", "reaction.stack", "reserve.stack")
TO_KIND = ("move.to", "reaction.to", "reserve.to")
"""The kinds of decision of each phase of movement: which units move, and their destination."""
TO_RULE = ("7.1", "9.3.2", "8.2.4")
"""The rule of the destination."""


def movement(g: G, side: int) -> Procedure:
    """The Movement Phase: a side moves its units, then puts units into Reserve (7.0, 8.2)."""
    state, todo, done = g.state, g.state.todo, g.rules.button("done")
    if BEGUN not in todo and OVER not in todo:
        begin(g, side)
    if OVER not in todo:
        ready = stacks.Ready(g, MOVERS[side], partial(is_able, g), partial(surely_able, g), partial(companions, g))
        walking = under_way(g, side)
        while True:
            click, units = yield from stacks.choose(
                g, side, ready, "7.0", partial(mates, g, side, MOVEMENT),
                "Move a unit, or end the movement", {done: lambda: why_not_done(g, side) is None},
                why_not=WHY_NOT_CHOSEN[MOVEMENT],
            )  # fmt: skip
            if click == done:
                break
            enemy = state.where.versions[1 - side]
            units = yield from move_group(g, side, hexful(g, units), MOVEMENT, walking)
            if enemy != state.where.versions[1 - side]:
                ready.renew()
            else:
                ready.update({*walking, *units})
            walking = [unit for unit in {*walking, *units} if state.flags[unit] & (MOVED | STOPPED) == MOVED]
        yield from remove_excess(g, side)
        todo[OVER] = 1
    yield from reserve.designate(g, side)
    finish(g, side)


def begin(g: G, side: int) -> None:
    """Reset the phase: no unit has moved yet."""
    state = g.state
    forget_moves(g, side, MOVED | STOPPED)
    state.todo[BEGUN if any(is_able(g, unit) for unit in MOVERS[side]) else OVER] = 1
    commando = state.where[VKOENEN]
    if side == AXIS and is_commando(g, [VKOENEN]) and 0 <= commando < HEXES and zone(g, ALLIED)[commando]:
        state.todo[ZONED] = 1


def finish(g: G, side: int) -> None:
    """End the phase; points are not saved (7.1.3)."""
    forget_moves(g, side, MOVED | STOPPED)
    g.state.todo.clear()


def surely_able(g: G, unit: int) -> bool | None:
    """Whether a unit can act in the Movement Phase, as long as the enemy does not move; None if that depends on others
    (7.1.3, 7.6.2, 18.2.3)."""
    state, place = g.state, g.state.where[unit]
    if not 0 <= place < HEXES:
        return None if place in boxes.DOORS[SIDE[unit]] else False
    if not (state.flags[unit] & BUSY or state.spent[unit] or state.release[unit]):
        return True
    if not TWO_MODES[unit]:
        return False if state.flags[unit] & STOPPED or state.release[unit] else None
    return True if mode.is_free_to_change(g, unit) else None


def companions(g: G, unit: int) -> tuple[int, ...]:
    """Return the combat units with one on the map: all that its movement depends on besides itself and the enemy
    (7.6.2). Off the map it depends on all locations (5.2.4)."""
    where = g.state.where
    return where.stacks(SIDE[unit]).get(where[unit], ()) if where[unit] < HEXES else (where.version,)


def is_able(g: G, unit: int) -> bool:
    """Whether a unit can act in the Movement Phase."""
    return why_not_act(g, unit, MOVEMENT) is None


def why_not_act(g: G, unit: int, kind: int) -> Refusal | None:
    """Return why a unit can neither move further nor change its mode in a phase; garrisons change theirs only in the
    Movement Phase (7.1.3, 7.6.2, 8.2.7, 18.2.3)."""
    ineligible = why_not_eligible(g, unit, kind)
    refusal = ineligible or why_not_moving(g, unit, kind)
    if refusal is None or ineligible or not TWO_MODES[unit] or (kind != MOVEMENT and g.state.release[unit]):
        return refusal
    return None if mode.why_not_change(g, unit, whole(g, unit, kind)) is None else refusal


def why_not_eligible(g: G, unit: int, kind: int) -> Refusal | None:
    """Return why a unit takes no part in reaction or reserve movement: it is not in Reserve, already moving, or with
    Rommel (7.1.5, 8.2.1, 9.3.2, 15.5.1)."""
    if kind == MOVEMENT or g.state.flags[unit] & (RESERVE | MOVED):
        return None
    if YELLOW_CIRCLE[unit]:
        return Refusal(f"{name(unit)} cannot move in this phase: it has a yellow circle", "7.1.5", name(unit))
    if kind == REACTION and g.state.where[unit] == g.state.where[ROMMEL]:
        return why_not_led(g, unit)
    return Refusal(f"{name(unit)} cannot move in this phase: it is not in Reserve", "8.2.1", name(unit))


def why_not_moving(g: G, unit: int, kind: int) -> Refusal | None:
    """Return why a unit cannot move further in a phase: it is not on the map nor about to enter, a garrison, at the end
    of its movement, Deployed, a gun alone in an enemy ZOC, or without points (5.2.4, 7.0, 7.1.3, 7.6, 18.2.3)."""
    state, place = g.state, g.state.where[unit]
    if not COMBAT[unit] and unit != ROMMEL:
        return Refusal(f"{name(unit)} does not move on the ground", "7.0", name(unit))
    if not 0 <= place < HEXES and (place not in boxes.DOORS[SIDE[unit]] or not boxes.ways_in(g, unit)):
        where = "not in the game" if place < 0 else f"in {BOARD.name(place)}"
        return Refusal(f"{name(unit)} cannot enter the map: it is {where}", "5.2.4", name(unit))
    if state.release[unit]:
        return Refusal(
            f"{name(unit)} cannot move: it is a garrison until turn {state.release[unit]}", "18.2.3", name(unit)
        )
    if state.flags[unit] & STOPPED:
        return why_stopped(g, unit)
    if state.flags[unit] & DEPLOYED:
        return Refusal(f"{name(unit)} cannot move: it is in Deployed mode", "7.6.1", name(unit))
    if points_left(g, [unit], kind) > 0:
        return None
    if stuck(g, [unit]):
        text, cause = enemies_near(g, unit)
        label = BOARD.name(place)
        return Refusal(
            f"{name(unit)} cannot leave {label}, in the ZOC of {text}: no other unit is there", "7.6.2", cause
        )
    return Refusal(f"{name(unit)} has no movement points left", "7.1.3", name(unit))


def why_stopped(g: G, unit: int) -> Refusal:
    """Return why a unit that has moved cannot move further; ZOCs stop the commando in reaction only (9.3.3, 16.4.1)."""
    place, side = g.state.where[unit], SIDE[unit]
    label, slips = BOARD.name(place), is_commando(g, [unit]) and not g.state.flags[unit] & REACTED
    if place in HOLDING:
        return Refusal(f"{name(unit)} stays in {label} for this turn", "8.3.4", label)
    if zone(g, 1 - side)[place] and not slips:
        text, cause = enemies_near(g, unit)
        return Refusal(f"{name(unit)} cannot move on: it stopped in the ZOC of {text}", "7.2.1", cause)
    if MOTORIZED[unit] and place in forts(g, side):
        return Refusal(f"{name(unit)} cannot move on: it stopped at the strongpoint in {label}", "14.1.2", label)
    if MOUNTAINS[place] and g.state.spent[unit] < allowance(g, unit):
        return Refusal(f"{name(unit)} cannot move on: it stopped in the mountains of {label}", "7.3.5", label)
    return Refusal(f"{name(unit)} has completed its movement", "7.1.3", name(unit))


def enemies_near(g: G, unit: int) -> tuple[str, str]:
    """Return the enemies in whose ZOC a unit is, and the first of them."""
    causes = zone_names(g, g.state.where[unit], 1 - SIDE[unit])
    return ", ".join(causes[:MOST_NAMES]), causes[0]


def must_go_on(g: G, side: int) -> Iterator[int]:
    """Return the units that must still move before the phase ends: groups that must enter, and units that can leave an
    overstacked hex (3.3.2, 18.2.4)."""
    for unit in boxes.may_not_wait(g, side):
        found = reach(g, [unit], points_left(g, [unit], MOVEMENT), MOVEMENT)
        if len(Destinations(g.place0, found, ends(g, side, [unit], MOVEMENT))):
            yield unit
    for hex in overfull(g, side):
        yield from (unit for unit in forces_in(g, side, hex) if STACKING[unit] and can_leave(g, unit))


def move_group(
    g: G, side: int, units: list[int], kind: int, walking: Sequence[int]
) -> Generator[Decision, int, list[int]]:
    """Move one unit, or several of its location together, or change the mode of one (7.1.1, 7.1.2, 7.6.2). Return the
    units. `walking` are the units moving now."""
    buttons = g.rules.button_clicks
    units, click, decision = yield from stacks.select(
        g, units, partial(mates, g, side, kind), partial(ask_where, g, side, kind), FORMATION.__getitem__
    )
    if not units:
        return []
    if click == buttons["change mode"]:
        shift(g, units[0], kind, walking)
    elif click == buttons["infiltrate"]:
        yield from infiltrate_alone(g, side, units[0], walking)
    else:
        place, found = g.location(click), decision.reach
        how = None if place in found else decision.legal[click]
        rest(g, units, walking)
        if place >= HEXES:
            leave_map(g, side, units, place)
        elif how in (INFILTRATION, ONE_HEX):
            step(g, side, units, place, how)
        else:
            walk(g, side, units, found, place, kind)
    return units


def ask_where(g: G, side: int, kind: int, units: list[int], others: Sequence[int]) -> Decision:
    """Ask for the destination of a stack, units that join or leave it, or another action (7.1.1, 7.1.2, 7.4, 7.6.2,
    8.1, 8.3)."""
    here, click = g.state.where[units[0]], g.rules.button_clicks
    formation, change, infiltrate = click["formation"], click["change mode"], click["infiltrate"]
    found = reach(g, units, points_left(g, units, kind), kind)
    route = Route(found, ends(g, side, units, kind), HINT)
    open_ = Destinations(g.place0, found, route.ends, dict.fromkeys((*units, click["cancel"])), HINT)
    joined = [unit for unit in (*g.state.where.stacks(side).get(here, ()), ROMMEL) if unit not in units]
    open_.maybe(joined, lambda: dict.fromkeys(others))
    if kind == MOVEMENT:
        near = AROUND[here] if here < HEXES else ()
        open_.maybe([g.place0 + place for place in (*near, *HOLDING)], partial(special_clicks, g, units, route, kind))
    open_.maybe_button(formation, lambda: why_no_formation(units, others) is None)
    buttons = [formation]
    if not TWO_MODE_UNITS.isdisjoint(units):
        buttons.insert(0, change)
        open_.maybe((change,), lambda: {change: FIGURE[mode.cost(g, units[0])]} if can_change(g, units, kind) else {})
    if is_commando(g, units):
        open_.maybe_button(infiltrate, lambda: why_no_infiltration(g, units, kind) is None)
    return Decision(
        side, TO_KIND[kind], lambda: to_prompt(g, units, others, kind), TO_RULE[kind], open_,
        about=tuple(units), buttons=tuple(buttons), why_not=WHY_NOT_TO[kind], reach=found,
    )  # fmt: skip


def to_prompt(g: G, units: Sequence[int], others: Sequence[int], kind: int) -> str:
    """Return the prompt for the selected units: a Deployed gun changes its mode before it moves (7.6.2)."""
    if all(g.state.flags[unit] & DEPLOYED for unit in units) and can_change(g, units, kind):
        return f"{stack_name(units)} is Deployed: change to March mode to move, or cancel"
    more = ", or add a unit to the stack" if others else ""
    return f"Move {stack_name(units)}: choose a hex{more}"


def special_clicks(g: G, units: Sequence[int], route: Route, kind: int) -> dict[int, int | str]:
    """Return the clicks of `special_ways`, with what they cost."""
    dear, out = special_ways(g, units, route.reach, kind)
    hexes: dict[int, int | str] = {g.place0 + hex: how for hex, how in dear.items() if route.may_end(hex)}
    return hexes | {g.place0 + box: FIGURE[cost] for box, (cost, _) in out.items()}


def special_ways(
    g: G, units: Sequence[int], found: Reach, kind: int
) -> tuple[dict[int, str], dict[int, tuple[int, int]]]:
    """Return, in the Movement Phase, adjacent hexes that take all points, and holding boxes, each with its cost and the
    hex by which units leave the map; in other phases none (7.4, 7.4.1, 8.1, 8.3, 9.3.5)."""
    if kind != MOVEMENT:
        return {}, {}
    if g.state.where[units[0]] >= HEXES:
        return {}, dict.fromkeys(boxes.connections(g, units), (found.way.left, NOWHERE))
    return whole_steps(g, units, found), boxes.exits(g, units, found)


def why_not_changed(g: G, units: Sequence[int], kind: int) -> Refusal | None:
    """Return why units cannot change their mode: one at a time, and under its own conditions (7.6.2)."""
    if len(units) > 1:
        return Refusal(f"{stack_name(units)} cannot change mode together: choose one unit", "7.6.2", name(units[0]))
    return mode.why_not_change(g, units[0], whole(g, units[0], kind))


def can_change(g: G, units: Sequence[int], kind: int) -> bool:
    """Whether units can change their mode (7.6.2)."""
    return why_not_changed(g, units, kind) is None


def why_no_formation(units: Sequence[int], others: Sequence[int]) -> Refusal | None:
    """Return why no other unit of the formation can move with units (7.1.2)."""
    if stacks.formation_mates(units, others, FORMATION.__getitem__):
        return None
    text = f"{stack_name(units)} cannot be joined: no other unit of its formation can move with it"
    return Refusal(text, "7.1.2", name(units[0]))


def why_no_infiltration(g: G, units: Sequence[int], kind: int) -> Refusal | None:
    """Return why units cannot choose to infiltrate: only the commando, alone, has the choice (8.1, 16.4.1)."""
    if not is_commando(g, units) or kind != MOVEMENT:
        text = "only the commando alone, in the Movement Phase, has the choice"
        return Refusal(f"{stack_name(units)} cannot choose to infiltrate: {text}", "16.4.1", name(units[0]))
    if not infiltration_hexes(g, units):
        text = "no adjacent hex in an enemy ZOC can be entered"
        return Refusal(f"{name(units[0])} cannot infiltrate: {text}", "8.1.1", name(units[0]))
    return None


def hexful(g: G, units: Sequence[int]) -> list[int]:
    """Return, of the units that a click on a box selects, as many as one hex can take; more could not enter together
    (3.3.2)."""
    if g.state.where[units[0]] < HEXES:
        return list(units)
    chosen: list[int] = []
    points = 0
    for unit in units:
        if not chosen or points + STACKING[unit] <= LIMIT:
            chosen.append(unit)
            points += STACKING[unit]
    return chosen


def mates(g: G, side: int, kind: int, units: Sequence[int]) -> list[int]:
    """Return the units that may join a stack before it moves (7.1.2)."""
    here = g.state.where[units[0]]
    if why_not_go(g, units[0], kind) is not None:
        return []
    stack = forces_in(g, side, here)
    if side == AXIS and g.state.where[ROMMEL] == here:
        stack.append(ROMMEL)
    fit = [unit for unit in stack if unit not in units and why_apart(g, units[0], unit) is None]
    return [unit for unit in fit if why_not_go(g, unit, kind) is None]


def why_not_go(g: G, unit: int, kind: int) -> Refusal | None:
    """Return why a unit cannot move in a phase, or move further."""
    return why_not_eligible(g, unit, kind) or why_not_moving(g, unit, kind)


def why_not_along(g: G, units: Sequence[int], unit: int, kind: int) -> Refusal | None:
    """Return why a unit of the same location that can move cannot join a stack (5.2.4, 7.1.2)."""
    return why_not_go(g, units[0], kind) or why_apart(g, units[0], unit)


def why_apart(g: G, first: int, unit: int) -> Refusal | None:
    """Units that move together are not met on the path, and enter by the same hexes (5.2.4, 7.1.2)."""
    state, cannot = g.state, f"{name(unit)} cannot join {name(first)}"
    if (state.flags[unit] ^ state.flags[first]) & MOVED:
        return Refusal(f"{cannot}: a stack picks up no units while it moves", "7.1.2", name(unit))
    if state.where[first] >= HEXES and boxes.ways_in(g, unit) != boxes.ways_in(g, first):
        return Refusal(f"{cannot}: it enters the map elsewhere", "5.2.4", name(unit))
    return None


def ends(g: G, side: int, units: Sequence[int], kind: int) -> tuple[End, ...]:
    """Return where units may pass but not end: hexes without room, unless room can still be made by moving (3.3.2); in
    reaction attacked hexes that they may not join (9.3.4); and the edge for units that may not stay there (18.2.5)."""
    found = []
    if STACKS.size(units):
        leaving = partial(can_leave, g) if kind == MOVEMENT else lambda unit: False
        found.append(STACKS.end(g, side, units, leaving))
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
    """Change a unit's mode; in reaction and reserve movement that is its move, with the points left (7.6.2, 8.2.5)."""
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
    """Other units move now: the moving stack has completed its movement (7.1.2, 7.1.3)."""
    for unit in walking:
        if unit not in group:
            g.state.flags[unit] |= STOPPED


def forget_moves(g: G, side: int, flags: int) -> None:
    """Clear flags and spent points of the units of a side (7.1.3)."""
    span = SPAN[side]
    g.state.spent[span] = [0] * (span.stop - span.start)
    g.clear_flags(MOVERS[side], flags)


def under_way(g: G, side: int) -> list[int]:
    """Return the units that have moved and may continue (7.1.2)."""
    span, flags = SPAN[side], g.state.flags
    return [unit for unit in flags.having(MOVED) if span.start <= unit < span.stop and not flags[unit] & STOPPED]


def walk(g: G, side: int, group: Sequence[int], found: Reach, hex: int, kind: int) -> None:
    """Move a stack to a hex within its reach (7.1.1)."""
    state, here = g.state, g.state.where[group[0]]
    cost, path = found.cost(hex), found.path(hex)
    barrier = kind == REACTION and found.stops(hex)  # 9.3.3
    before = path[-2] if len(path) > 1 else here
    halts = found.node(hex) != hex
    been_zoned = is_commando(g, group) and in_zone_before(g)
    left = found.way.left - cost
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
    fort = hex in forts(g, side)
    for unit in group:
        mountain = halts and before < HEXES and stops(crosses(g, unit), before, BOARD.direction(before, hex))
        if zoned or barrier or mountain or (fort and MOTORIZED[unit]):
            state.flags[unit] |= STOPPED


def step(g: G, side: int, group: Sequence[int], hex: int, how: str) -> None:
    """Move a stack to an adjacent hex for all its points (7.4.2, 8.1.1)."""
    rule = "8.1.1" if how == INFILTRATION else "7.4.2"
    use_up(g, group, hex, rule, f"{{unit}} moves from {{place_from}} to {{hex}} by {how}")
    arrive(g, side, group, hex)
    garrison.release(g, group, hex)


def leave_map(g: G, side: int, group: Sequence[int], box: int) -> None:
    """Move a stack to a holding box, where it stays for the turn (8.3.4, 8.3.5)."""
    rule = "8.3.5" if g.state.where[group[0]] in HOLDING else "8.3.4"
    use_up(g, group, box, rule, "{unit} moves from {place_from} to {hex}")
    arrive(g, side, group, box)


def use_up(g: G, group: Sequence[int], place: int, rule: str, text: str) -> None:
    """Spend all points of a stack."""
    state = g.state
    for unit in group:
        g.log(rule, text, unit=unit, place_from=state.where[unit], hex=place)
        state.spent[unit] = whole(g, unit, MOVEMENT)
        state.flags[unit] |= MOVED | STOPPED
    state.todo[LEFT] = 0


def in_zone_before(g: G) -> bool:
    """Whether the commando has been in an enemy ZOC in this phase (16.4.1)."""
    return ZONED in g.state.todo


def slip_through(g: G, before: bool, zoned: bool) -> None:
    """The commando need not stop in an enemy ZOC; in each after the first it must pass the Retreat Table (16.4.1)."""
    if not zoned:
        return
    g.state.todo[ZONED] = 1
    if not before:
        return
    table = g.table("retreat")
    if table.roll(g.dice, 0, purpose="commando in an enemy ZOC") != "Pass":
        losses.eliminate(g, VKOENEN, "16.4.1")


def infiltration_hexes(g: G, group: Sequence[int]) -> dict[int, str]:
    """Return where the commando could infiltrate as others do, for all its points and without a roll (8.1, 16.4.1)."""
    still = reach(g, group, 0, MOVEMENT)
    return {hex: how for hex, how in whole_steps(g, group, still).items() if how == INFILTRATION}


def infiltrate_alone(g: G, side: int, unit: int, walking: Sequence[int]) -> Procedure:
    """The commando infiltrates as other units do (8.1.1)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side, "move.infiltrate", f"Infiltrate with {name(unit)}: choose a hex", "8.1.1",
        locations=infiltration_hexes(g, [unit]), buttons=[cancel], about=[unit],
        why_not=for_locations(why_not_infiltrated, unit),
    )  # fmt: skip
    if click != cancel:
        rest(g, [unit], walking)
        step(g, side, [unit], g.location(click), INFILTRATION)


def why_not_infiltrated(g: G, unit: int, hex: int) -> Refusal | None:
    """Return why the commando cannot infiltrate to a hex (8.1.1)."""
    if hex in infiltration_hexes(g, [unit]):
        return None
    label = BOARD.name(hex)
    if hex >= HEXES or hex not in AROUND[g.state.where[unit]]:
        return Refusal(f"{name(unit)} cannot infiltrate to {label}: not adjacent", "8.1.1", label)
    if not zone(g, 1 - SIDE[unit])[hex]:
        return Refusal(f"{name(unit)} cannot infiltrate to {label}: not in an enemy ZOC", "8.1.1", label)
    path = way(g, [unit], 0, MOVEMENT)
    return why_not_occupied(g, [unit], hex) or why_not_beside(g, [unit], hex, path, MOVEMENT)


def why_not_done(g: G, side: int, button: str = "done") -> Refusal | None:
    """Return why the Movement Phase cannot end: a unit must still enter the map or leave an overstacked hex (3.3.2,
    18.2.4)."""
    unit = next(must_go_on(g, side), None) if button == "done" else None
    if unit is None:
        return None
    place = g.state.where[unit]
    if place == CARD[side]:
        return Refusal(f"{name(unit)} must enter the map this turn", "18.2.4", name(unit))
    label = BOARD.name(place)
    return Refusal(f"{label} has more than {LIMIT} stacking points, and {name(unit)} can leave", "3.3.2", label)


def why_not_at(g: G, side: int, units: Sequence[int], place: int, kind: int) -> Refusal | None:
    """Return why a moving stack cannot move to a hex or box (7.1-7.4, 8.1, 8.3)."""
    refusal = next(filter(None, (why_not_moving(g, unit, kind) for unit in units)), None)
    if refusal is not None:
        return refusal
    if place >= HEXES:
        found = reach(g, units, points_left(g, units, kind), kind)
        open_ = special_ways(g, units, found, kind)[1]
        return None if place in open_ else boxes.why_not_box(g, units, place, may_leave=kind == MOVEMENT)
    return why_not_there(g, units, place, kind, ends(g, side, units, kind))


def why_not_button(g: G, side: int, units: Sequence[int], button: str, kind: int) -> Refusal | None:
    """Return why a moving stack cannot press a button (7.1.2, 7.6.2, 16.4.1)."""
    if button == "change mode":
        return why_not_changed(g, units, kind)
    if button == "formation":
        return why_no_formation(units, mates(g, side, kind, units))
    return why_no_infiltration(g, units, kind) if button == "infiltrate" else None


why_not_own = stacks.own("3.1.1")


def movers_in(g: G, side: int, location: int) -> list[int]:
    """Return the units of a side in a location that move on the ground, Rommel too."""
    return [unit for unit in MOVERS[side] if g.state.where[unit] == location]


def why_not_chosen(kind: int) -> WhyNot:
    """Return why a unit, or no unit of a hex, can be chosen to move, or the phase cannot end (3.1.1, 3.3.2, 7.1.1, 18.2.4)."""
    return stacks.why_not_chosen(
        lambda g, side, unit: why_not_act(g, unit, kind), "7.1.1", movers_in, why_not_done, why_not_own=why_not_own
    )


def why_not_to(kind: int) -> WhyNot:
    """Return why a moving stack cannot move to a location, be joined by a unit, or press a button (7.1-7.6, 8.1, 8.3)."""
    return stacks.why_not_going(
        "7.1.1", range(len(BOARD.names)), lambda g, side, unit: why_not_go(g, unit, kind), partial(why_not_at, kind=kind),
        partial(why_not_along, kind=kind), partial(why_not_button, kind=kind), "7.1.2", why_not_own,
    )  # fmt: skip


KINDS = (MOVEMENT, REACTION, RESERVES)
WHY_NOT_CHOSEN = [why_not_chosen(kind) for kind in KINDS]
WHY_NOT_TO = [why_not_to(kind) for kind in KINDS]
