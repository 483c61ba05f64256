"""Why not? For questions of movement (7, 8, 9.3): the reason, the section, and the unit or hex that causes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from khamsin.games.kasserine import boxes, mode
from khamsin.games.kasserine.ground import (
    BRIDGE,
    ESCARPMENT,
    FORD,
    MOUNTAINS,
    NODE_HEX,
    OUTSIDE,
    WADI,
    is_raining,
    passable,
)
from khamsin.games.kasserine.paths import (
    FIGURE,
    INFILTRATES,
    MOVEMENT,
    REACTION,
    Reach,
    hazards,
    is_commando,
    points_left,
    reach,
    steps,
    stuck,
    supply_bound,
    watched,
    whole,
)
from khamsin.games.kasserine.reserve import allowance, why_not_reserve
from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.stacking import LIMIT, room
from khamsin.games.kasserine.supply import supplied_at, why_not_supplied
from khamsin.games.kasserine.units import (
    ALLIED,
    BOARD,
    CARD,
    COMBAT,
    DEPLOYED,
    FORCE_SPAN,
    HEXES,
    HOLDING,
    MOTORIZED,
    MOVED,
    REACTED,
    RED_BOX,
    RESERVE,
    ROMMEL,
    SIDE,
    STACKING,
    STOPPED,
    TIGER,
    YELLOW_CIRCLE,
    G,
    crosses,
    forces_in,
    held,
    name,
)
from khamsin.games.kasserine.zones import exerting, zone
from khamsin.kernel.flood import FAR, NEVER
from khamsin.kernel.rules import Decision, Refusal

ANY_COST = FAR - NEVER
"""More points than any way costs."""
MOST_NAMES = 3
"""How many units a reason names."""


def names(units: Sequence[int]) -> str:
    """Some units by name."""
    return ", ".join(map(name, units[:MOST_NAMES]))


def zone_of(g: G, side: int, hex: int) -> str:
    """The enemies in whose zone a hex lies."""
    return names(exerting(g, 1 - side, hex))


def why_not_button(g: G, decision: Decision, button: str, owing: int | None) -> Refusal | None:
    """Why a phase cannot end, or a unit not change its mode."""
    if button == "done" and owing is not None:
        place = g.state.where[owing]
        if place == CARD[SIDE[owing]]:
            return Refusal(f"the entry of {name(owing)} cannot be put off", "18.2.4", name(owing))
        return Refusal(
            f"more than {LIMIT} points are in {BOARD.name(place)}, and {name(owing)} can leave",
            "3.3.2",
            BOARD.name(place),
        )
    if button == "change mode" and decision.about:
        if len(decision.about) > 1:
            return Refusal("units change mode one at a time", "7.6.2", names(decision.about))
        kind = MOVEMENT if decision.rule.startswith("7") else REACTION
        return mode.why_not_change(g, decision.about[0], whole(g, decision.about[0], kind))
    return None


def why_not_unit(g: G, decision: Decision, unit: int, kind: int) -> Refusal | None:
    """Why a unit cannot be chosen, to move, to go along, or for Reserve."""
    if SIDE[unit] != decision.side:
        return None
    if decision.rule == "8.2.2":
        return why_not_reserve(g, unit)
    if decision.rule.startswith(("9.3", "8.2.4")):
        refusal = why_not_eligible(g, decision, unit)
        if refusal:
            return refusal
        kind = max(kind, REACTION)
    return why_not_moving(g, unit, kind) or (why_not_along(g, decision.about, unit) if decision.about else None)


def why_not_along(g: G, group: Sequence[int], unit: int) -> Refusal | None:
    """Why a unit cannot go along with a group (7.1.2)."""
    state, first = g.state, group[0]
    if unit in group:
        return Refusal(f"{name(unit)} is among them", "7.1.2", name(unit))
    if state.where[unit] != state.where[first]:
        return Refusal(f"{name(unit)} is not where {name(first)} is", "7.1.2", BOARD.name(state.where[unit]))
    if state.flags[unit] & MOVED != state.flags[first] & MOVED:
        return Refusal("a stack cannot pick up units while it moves", "7.1.2", name(unit))
    if state.where[unit] >= HEXES and boxes.ways_in(g, unit) != boxes.ways_in(g, first):
        return Refusal(f"{name(unit)} enters the map elsewhere", "5.2.4", name(unit))
    return None


def why_not_moving(g: G, unit: int, kind: int) -> Refusal | None:
    """Why a unit cannot move on in this phase."""
    state, side = g.state, SIDE[unit]
    place, marks = state.where[unit], state.flags[unit]
    if not COMBAT[unit] and unit != ROMMEL:
        return Refusal(f"{name(unit)} does not move on the ground", "7.0", name(unit))
    if place < 0 or (place >= HEXES and (place not in boxes.DOORS[side] or not boxes.ways_in(g, unit))):
        where = "not in the game" if place < 0 else f"in {BOARD.name(place)}"
        return Refusal(f"{name(unit)} is {where}, and cannot come on the map", "5.2.4", name(unit))
    if state.release[unit]:
        return Refusal(f"{name(unit)} is a garrison until turn {state.release[unit]}", "18.2.3", name(unit))
    if marks & STOPPED:
        return why_stopped(g, unit)
    if marks & DEPLOYED:
        return Refusal(f"{name(unit)} is Deployed", "7.6.1", name(unit))
    if stuck(g, [unit]):
        cause = zone_of(g, side, place)
        return Refusal(f"{name(unit)} is in an enemy zone and no other unit is in {BOARD.name(place)}", "7.6.2", cause)
    if points_left(g, [unit], kind) < 1:
        return Refusal(f"{name(unit)} has no movement points left", "7.1.3", name(unit))
    return None


def why_stopped(g: G, unit: int) -> Refusal:
    """Why a unit that has moved goes no further; zones stop the commando in reaction only (9.3.3, 16.4.1)."""
    place, side = g.state.where[unit], SIDE[unit]
    slips = is_commando(g, [unit]) and not g.state.flags[unit] & REACTED
    if place in HOLDING:
        return Refusal(f"{name(unit)} stays in {BOARD.name(place)} for this turn", "8.3.4", BOARD.name(place))
    if zone(g, 1 - side)[place] and not slips:
        cause = zone_of(g, side, place)
        return Refusal(f"{name(unit)} is in the zone of {cause} and must stop", "7.2.1", cause)
    if MOTORIZED[unit] and place in hazards(g, side)[0]:
        return Refusal(f"{name(unit)} entered a strongpoint and must stop", "14.1.2", BOARD.name(place))
    if MOUNTAINS[place] and g.state.spent[unit] < allowance(g, unit):
        return Refusal(
            f"{name(unit)} entered the mountains of {BOARD.name(place)} and must stop", "7.3.5", BOARD.name(place)
        )
    return Refusal(f"{name(unit)} has completed its movement", "7.1.3", name(unit))


def why_not_eligible(g: G, decision: Decision, unit: int) -> Refusal | None:
    """Why a unit takes no part in reaction or reserve movement (7.1.5, 8.2.1, 9.3.2)."""
    if g.state.flags[unit] & (RESERVE | MOVED):
        return None
    if YELLOW_CIRCLE[unit]:
        return Refusal(f"{name(unit)} has a yellow circle", "7.1.5", name(unit))
    if decision.rule.startswith("9.3") and g.state.where[unit] == g.state.where[ROMMEL] and RED_BOX[unit]:
        return Refusal(f"no declared attack is near {name(unit)} and Rommel, or an enemy zone is", "15.5.1", name(unit))
    return Refusal(f"{name(unit)} is not in Reserve", "8.2.1", name(unit))


def why_not_there(g: G, decision: Decision, place: int, kind: int) -> Refusal | None:
    """Why a group cannot go to a hex or box: the first reason that alone would forbid it."""
    group = decision.about
    for unit in group:
        refusal = why_not_moving(g, unit, kind)
        if refusal:
            return refusal
    if place >= HEXES:
        return why_not_box(g, group, place, kind)
    return next(reasons(g, group, place, kind), None)


def why_not_box(g: G, group: Sequence[int], box: int, kind: int) -> Refusal | None:
    """Why a group cannot go to a box (8.3)."""
    if box not in HOLDING:
        return None
    side, here, label = SIDE[group[0]], g.state.where[group[0]], BOARD.name(box)
    if side != ALLIED:
        return Refusal("the Axis has no holding boxes", "8.3", label)
    if kind != MOVEMENT:
        return Refusal("units leave the map in their Movement Phase only", "8.3.4", label)
    if here == box:
        return Refusal("they are there already", "8.3", label)
    if here in HOLDING:
        if box not in boxes.CONNECTED[here]:
            return Refusal(f"no arrow leads from {BOARD.name(here)} to {label}", "8.3.5", label)
        return Refusal("from box to box takes all the points of a unit", "8.3.5", label)
    doors = ", ".join(map(BOARD.name, boxes.ENTRIES[box]))
    return Refusal(f"they cannot get to {doors} with 1 MP left to leave", "8.3.4", doors)


def reasons(g: G, group: Sequence[int], hex: int, kind: int) -> Iterator[Refusal]:
    """Every reason why a group cannot go to a hex, those of the hex itself first."""
    state, side, label = g.state, SIDE[group[0]], BOARD.name(hex)
    here = state.where[group[0]]
    if hex == here:
        yield Refusal("they are there already", "7.1.1", label)
    if hex in OUTSIDE.get(setting(g).number, ()):
        yield Refusal(f"{label} is not part of this scenario", "18.1.2", label)
    if held(g, 1 - side, hex):
        enemies = names(forces_in(g, 1 - side, hex))
        yield Refusal(f"{enemies} stand in {label}", "7.1.4", enemies)
    if (here < HEXES and hex in boxes.shut_edge(g, side)) or (hex in boxes.SHARED and boxes.must_leave_edge(g, group)):
        yield Refusal(f"Allied units may not be in {label} yet", "18.2.5", label)
    yield from unfriended(g, group, hex, kind)
    if kind == REACTION and hex in state.targets:
        if len(group) > 1:
            yield Refusal("one unit alone may react into an attacked hex", "9.3.4", label)
        elif state.reinforced.get(hex):
            yield Refusal(f"a unit has reacted into {label} already", "9.3.4", label)
    if any(supply_bound(g, group)):
        for unit in group:
            if any(supply_bound(g, [unit])) and not supplied_at(g, unit, hex):
                cut = why_not_supplied(g, unit, hex)
                yield Refusal(f"{name(unit)} may not leave supply: {cut.reason}", "6.4.2", cut.cause)
    if here < HEXES and hex in BOARD.around(here):
        yield from barriers(g, group, here, hex)
    yield from obstacles_on_way(g, group, hex, kind)
    if room(g, side, hex) < sum(STACKING[unit] for unit in group):
        yield Refusal(f"more than {LIMIT} stacking points would be in {label}", "3.3.2", label)


def unfriended(g: G, group: Sequence[int], hex: int, kind: int) -> Iterator[Refusal]:
    """That guns, and units in reaction or reserve movement, enter enemy zones only where a friend is (7.6.2, 8.2.6, 9.3.3)."""
    side, label = SIDE[group[0]], BOARD.name(hex)
    if held(g, side, hex) or (is_commando(g, group) and kind != REACTION):
        return
    zoned = zone(g, 1 - side)[hex]
    guns = [unit for unit in group if mode.TOWED[unit]]
    if zoned and kind == MOVEMENT and guns:
        reason = f"{name(guns[0])} enters an enemy zone only where a friendly unit is"
        yield Refusal(reason, "7.6.2", zone_of(g, side, hex))
    if zoned and kind != MOVEMENT:
        rule = "9.3.3" if kind == REACTION else "8.2.6"
        cause = zone_of(g, side, hex)
        yield Refusal(f"{label} is in the zone of {cause}, and no friendly unit is there", rule, cause)
    if kind == REACTION:
        where = g.state.where[FORCE_SPAN[1 - side]]
        beside = [FORCE_SPAN[1 - side].start + where.index(near) for near in BOARD.around(hex) if near in where]
        if beside:
            yield Refusal(f"{label} is next to {names(beside)}, and no friendly unit is there", "9.3.3", names(beside))


def barriers(g: G, group: Sequence[int], here: int, hex: int) -> Iterator[Refusal]:
    """What bars the hexside to a neighbour (7.3.3-5, 16.3.2)."""
    direction, rain = BOARD.direction(here, hex), is_raining(g)
    bits, label = BOARD.hexside_bits[here * 6 + direction], BOARD.name(hex)
    for unit in group:
        kind = crosses(g, unit)
        if passable(kind, rain, here, direction):
            continue
        if kind == TIGER:
            yield Refusal(f"{name(unit)} keeps to main and minor roads since it has rained", "16.3.2", name(unit))
        elif bits & WADI and not bits & BRIDGE and (rain or not bits & FORD):
            without = "a bridge in Rain" if rain else "a bridge or ford"
            yield Refusal(f"{name(unit)} cannot cross a wadi without {without}", "7.3.3", label)
        elif bits & WADI and not bits & BRIDGE and rain:
            yield Refusal(f"{name(unit)} cannot use a ford in Rain", "7.3.4", label)
        else:
            what = "an escarpment" if bits & ESCARPMENT else "mountains"
            yield Refusal(f"{name(unit)} enters {what} only by a road", "7.3.5", label)


def obstacles_on_way(g: G, group: Sequence[int], hex: int, kind: int) -> Iterator[Refusal]:
    """What keeps a group from a hex though nothing in the hex itself does: distance, zones, mountains, supply (7.1.3, 7.2)."""
    side, label, points = SIDE[group[0]], BOARD.name(hex), points_left(g, group, kind)
    if hex in reach(g, group, points, kind):
        return
    free = unhindered(g, group)
    if hex not in free:
        for near in BOARD.around(hex):
            if near in free:
                yield from barriers(g, group, near, hex)
        yield Refusal(f"no way leads {names(group)} to {label}", "7.3.5", label)
        return
    if free.cost(hex) > points:
        needed, have = FIGURE[free.cost(hex)], FIGURE[points]
        yield Refusal(f"{label} costs {needed} MP, and {have} are left", "7.1.3", label)
        return
    here, zoned, forts = g.state.where[group[0]], zone(g, 1 - side), hazards(g, side)[0]
    if here < HEXES and zoned[here] and zoned[hex] and hex in BOARD.around(here):
        yield from why_not_infiltrate(g, group, hex)
    roused = watched(g, side, frozenset(crosses(g, unit) for unit in group))
    for on_way in free.path(hex)[:-1]:
        there = BOARD.name(on_way)
        if held(g, 1 - side, on_way):
            enemies = names(forces_in(g, 1 - side, on_way))
            yield Refusal(f"the way leads through {there}, where {enemies} stand", "7.1.4", enemies)
        if zoned[on_way] or on_way in roused:
            cause = zone_of(g, side, on_way) or names(
                [u for n in BOARD.around(on_way) for u in forces_in(g, 1 - side, n)]
            )
            yield Refusal(f"the way leads through {there}, in the zone of {cause}", "7.2.1", cause)
        if on_way in forts and any(MOTORIZED[unit] for unit in group):
            yield Refusal(f"the way leads through the strongpoint in {there}", "14.1.2", there)
        if any(supply_bound(g, group)) and not all(supplied_at(g, unit, on_way) for unit in group):
            cut = next(why_not_supplied(g, unit, on_way) for unit in group if not supplied_at(g, unit, on_way))
            yield Refusal(f"the way leads out of supply in {there}", "6.4.2", cut.cause)
    yield Refusal(f"no way that is open leads to {label} for {FIGURE[points]} MP", "7.1.3", label)


def why_not_infiltrate(g: G, group: Sequence[int], hex: int) -> Iterator[Refusal]:
    """Why a group cannot go straight from one enemy zone to another (7.2.2, 8.1.1-4)."""
    state, side = g.state, SIDE[group[0]]
    cause, label = zone_of(g, side, hex), BOARD.name(hex)
    for unit in group:
        if state.flags[unit] & MOVED or state.spent[unit]:
            yield Refusal(f"{name(unit)} has spent points and cannot infiltrate to {label}", "8.1.1", cause)
        if mode.TOWED[unit]:
            yield Refusal(f"{name(unit)} cannot infiltrate to {label}: a gun that is towed", "8.1.2", cause)
        if not INFILTRATES[unit]:
            yield Refusal(f"{name(unit)} cannot go from zone to zone: its allowance is too small", "8.1.2", cause)
    if state.strongpoint.get(hex, side) != side:
        yield Refusal(f"nobody infiltrates into the enemy strongpoint in {label}", "8.1.4", label)
    yield Refusal(f"{label} costs more than the whole allowance, so nobody infiltrates there", "8.1.3", label)


def unhindered(g: G, group: Sequence[int]) -> Reach:
    """What a group would reach over this ground, were there no enemies and no end of points."""
    here = g.state.where[group[0]]
    if here < HEXES:
        net, start = steps(g, group), here
    else:
        kinds = frozenset(crosses(g, unit) for unit in group)
        net = boxes.entry_network(kinds, is_raining(g), *hazards(g, SIDE[group[0]]), boxes.ways_in(g, group[0]))
        start = len(NODE_HEX)
    return Reach(*net.spread(np.array([start], dtype=np.uint16), ANY_COST)[:2])
