"""Why not? For questions of movement (7, 8, 9.3): the reason, the section, and the unit or hex that causes it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from khamsin.games.kasserine import boxes, mode
from khamsin.games.kasserine.ground import MOUNTAINS, OUTSIDE
from khamsin.games.kasserine.paths import (
    INFILTRATES,
    MOVEMENT,
    REACTION,
    hazards,
    is_commando,
    points_left,
    stuck,
    way,
    whole,
    why_no_path,
    why_not_across,
    zone_names,
)
from khamsin.games.kasserine.reserve import allowance, why_not_reserve
from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.stacking import LIMIT
from khamsin.games.kasserine.units import (
    ALLIED,
    AROUND,
    BOARD,
    CARD,
    COMBAT,
    DEPLOYED,
    HEXES,
    HOLDING,
    MOTORIZED,
    MOVED,
    REACTED,
    RED_BOX,
    RESERVE,
    ROMMEL,
    SIDE,
    STOPPED,
    YELLOW_CIRCLE,
    G,
    forces_in,
    held,
    name,
)
from khamsin.games.kasserine.zones import zone
from khamsin.kernel.rules import Decision, Refusal
from khamsin.mechanics import ways
from khamsin.mechanics.ways import End

MOST_NAMES = 3
"""How many units a reason names."""


def zone_of(g: G, side: int, hex: int) -> tuple[str, str]:
    """The enemies in whose ZOC a hex is, and the first of them."""
    causes = zone_names(g, hex, 1 - side) or [BOARD.name(hex)]
    return ", ".join(causes[:MOST_NAMES]), causes[0]


def why_not_done(g: G, owing: int) -> Refusal:
    """Why the phase cannot end: a unit must still enter the map, or leave a hex with too many points (3.3.2, 18.2.4)."""
    place = g.state.where[owing]
    if place == CARD[SIDE[owing]]:
        return Refusal(f"The entry of {name(owing)} cannot be put off", "18.2.4", name(owing))
    label = BOARD.name(place)
    return Refusal(f"{label} has more than {LIMIT} stacking points, and {name(owing)} can leave", "3.3.2", label)


def why_not_changed(g: G, units: Sequence[int], kind: int) -> Refusal | None:
    """Why units cannot change their mode: one at a time, and if its own rules let it (7.6.2)."""
    if len(units) > 1:
        return Refusal("Units change mode one at a time", "7.6.2", name(units[0]))
    return mode.why_not_change(g, units[0], whole(g, units[0], kind))


def why_not_unit(g: G, decision: Decision, unit: int, kind: int) -> Refusal | None:
    """Why a unit cannot be chosen, to move, to go along, or for Reserve."""
    if SIDE[unit] != decision.side:
        return None
    if decision.kind == "reserve.units":
        return why_not_reserve(g, unit)
    refusal = why_not_eligible(g, unit, kind) if kind != MOVEMENT else None
    refusal = refusal or why_not_moving(g, unit, kind)
    return refusal or (why_not_along(g, decision.about, unit) if decision.about else None)


def why_not_along(g: G, group: Sequence[int], unit: int) -> Refusal | None:
    """Why a unit cannot go along with a group (7.1.2)."""
    state, first = g.state, group[0]
    if state.where[unit] != state.where[first]:
        here = BOARD.name(state.where[first])
        return Refusal(f"{name(unit)} cannot join {name(first)}: it is not in {here}", "7.1.2", name(unit))
    if state.flags[unit] & MOVED != state.flags[first] & MOVED:
        return Refusal(
            f"{name(unit)} cannot join {name(first)}: a stack picks up no units while it moves", "7.1.2", name(unit)
        )
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
        text, cause = zone_of(g, side, place)
        return Refusal(
            f"{name(unit)} cannot leave {BOARD.name(place)}, in the ZOC of {text}: no other unit is there",
            "7.6.2",
            cause,
        )
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
        text, cause = zone_of(g, side, place)
        return Refusal(f"{name(unit)} cannot move on: it stopped in the ZOC of {text}", "7.2.1", cause)
    if MOTORIZED[unit] and place in hazards(g, side)[0]:
        return Refusal(f"{name(unit)} entered a strongpoint and must stop", "14.1.2", BOARD.name(place))
    if MOUNTAINS[place] and g.state.spent[unit] < allowance(g, unit):
        return Refusal(
            f"{name(unit)} entered the mountains of {BOARD.name(place)} and must stop", "7.3.5", BOARD.name(place)
        )
    return Refusal(f"{name(unit)} has completed its movement", "7.1.3", name(unit))


def why_not_eligible(g: G, unit: int, kind: int) -> Refusal | None:
    """Why a unit takes no part in reaction or reserve movement (7.1.5, 8.2.1, 9.3.2)."""
    if g.state.flags[unit] & (RESERVE | MOVED):
        return None
    if YELLOW_CIRCLE[unit]:
        return Refusal(f"{name(unit)} has a yellow circle", "7.1.5", name(unit))
    if kind == REACTION and g.state.where[unit] == g.state.where[ROMMEL] and RED_BOX[unit]:
        return Refusal(
            f"{name(unit)} cannot react with Rommel: no declared attack in range, or in an enemy ZOC",
            "15.5.1",
            name(unit),
        )
    return Refusal(f"{name(unit)} is not in Reserve", "8.2.1", name(unit))


def why_not_there(g: G, units: Sequence[int], place: int, kind: int, ends: Sequence[End]) -> Refusal | None:
    """Why units cannot go to a hex or box (7.1-7.4, 8.1, 8.3)."""
    for unit in units:
        refusal = why_not_moving(g, unit, kind)
        if refusal:
            return refusal
    if place >= HEXES:
        return why_not_box(g, units, place, kind)
    side, here, label, who = SIDE[units[0]], g.state.where[units[0]], BOARD.name(place), whom(units)
    if place == here:
        return Refusal(f"{who} is in {label} already", "7.1.1", label)
    if place in OUTSIDE.get(setting(g).number, ()):
        return Refusal(f"{who} cannot move to {label}: it is not part of this scenario", "18.1.2", label)
    if held(g, 1 - side, place):
        enemies = [name(unit) for unit in forces_in(g, 1 - side, place)]
        return Refusal(f"{who} cannot move to {label}: occupied by {', '.join(enemies[:3])}", "7.1.4", enemies[0])
    path = way(g, units, points_left(g, units, kind), kind)
    refusal = ways.why_not(g, path, place, who, ends, partial(why_no_path, g, units, path, place))
    if refusal is None or here >= HEXES or place not in AROUND[here] or refusal.rule not in ("7.1.3", "7.2.1", "7.2.2"):
        return refusal
    return why_not_beside(g, units, here, place, kind) or refusal


def why_not_beside(g: G, units: Sequence[int], here: int, hex: int, kind: int) -> Refusal | None:
    """Why units cannot go straight to a neighbouring hex: its hexside, or infiltration, bars them (7.2.2, 7.3.3-5, 8.1)."""
    for unit in units:
        barrier = why_not_across(g, unit, here, hex)
        if barrier is not None:
            return Refusal(f"{whom(units)} cannot move to {BOARD.name(hex)}: {barrier[0]}", barrier[1], BOARD.name(hex))
    zoned = zone(g, 1 - SIDE[units[0]])
    return why_not_infiltrate(g, units, hex) if kind == MOVEMENT and zoned[here] and zoned[hex] else None


def whom(units: Sequence[int]) -> str:
    """A stack by the name of its first unit."""
    more = f" and {len(units) - 1} more" if len(units) > 1 else ""
    return name(units[0]) + more


def why_not_box(g: G, group: Sequence[int], box: int, kind: int) -> Refusal | None:
    """Why a group cannot go to a box (8.3)."""
    side, here, label = SIDE[group[0]], g.state.where[group[0]], BOARD.name(box)
    if box not in HOLDING:
        return Refusal(f"{name(group[0])} cannot move to {label}: not a holding box", "8.3.1", label)
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


def why_not_infiltrate(g: G, units: Sequence[int], hex: int) -> Refusal:
    """Why units cannot go straight from one enemy ZOC to another (7.2.2, 8.1.1-4)."""
    state, side, label = g.state, SIDE[units[0]], BOARD.name(hex)
    causes = zone_names(g, hex, 1 - side)
    cannot = f"cannot infiltrate to {label}, in the ZOC of {', '.join(causes[:3])}"
    for unit in units:
        who = name(unit)
        if state.flags[unit] & MOVED or state.spent[unit]:
            return Refusal(f"{who} {cannot}: it has spent MP", "8.1.1", causes[0])
        if mode.TOWED[unit]:
            return Refusal(f"{who} {cannot}: it is a towed gun", "8.1.2", causes[0])
        if not INFILTRATES[unit]:
            return Refusal(f"{who} {cannot}: its allowance is too small", "8.1.2", causes[0])
    if state.strongpoint.get(hex, side) != side:
        return Refusal(f"{whom(units)} {cannot}: an enemy strongpoint is there", "8.1.4", label)
    return Refusal(f"{whom(units)} {cannot}: it costs more than the allowance", "8.1.3", label)
