"""March and Deployed mode (7.6): the units that may change, the cost, and the effects."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.kasserine.ground import FIGURES, WOODS, zone_of_interdiction
from khamsin.games.kasserine.reserve import SLOWED
from khamsin.games.kasserine.support import cancel
from khamsin.games.kasserine.units import (
    BOARD,
    DEPLOYED,
    HALVES,
    HEXES,
    MARKER,
    MOVED,
    POINTS,
    SELF_PROPELLED,
    SIDE,
    TWO_MODES,
    UNITS,
    G,
    name,
)
from khamsin.games.kasserine.zones import exerting, in_enemy_zone
from khamsin.kernel.rules import Refusal

TOWED = [TWO_MODES[unit] and not SELF_PROPELLED[unit] for unit in UNITS]
"""Towed guns, anti-tank guns and XII ASC: they enter and leave enemy ZOCs only where a friendly unit is (7.6.2,
16.7.1)."""
TOWED_UNITS = frozenset([unit for unit in UNITS if TOWED[unit]])
COSTS = tuple(tuple(int(HALVES * points) for points in FIGURES["mode"][kind]) for kind in ("towed", "self_propelled"))
"""The cost of a change in halves of a point: towed and self-propelled, not interdicted and interdicted (7.6.2, 11.2.6).
"""
ALWAYS_ENOUGH = [points - SLOWED >= COSTS[driven][1] for points, driven in zip(POINTS, SELF_PROPELLED, strict=True)]
"""The units whose allowance is always enough for a change."""
MOST = (1, 2)
"""How often towed and self-propelled units may change in a Segment (7.6.2, 7.6.3)."""


def cost(g: G, unit: int) -> int:
    """Return the cost of a change of mode for a unit in its hex: double under interdiction, but not in woods (7.6.2,
    11.2.6, 11.2.7)."""
    hex = g.state.where[unit]
    return COSTS[SELF_PROPELLED[unit]][not WOODS[hex] and hex in interdicted(g, SIDE[unit])]


def is_free_to_change(g: G, unit: int) -> bool:
    """Whether a unit has not acted yet and its allowance is always enough for a change."""
    return not g.state.spent[unit] and not g.state.changed[unit] and ALWAYS_ENOUGH[unit]


def interdicted(g: G, side: int) -> frozenset[int]:
    """Return the hexes that the enemy of a side interdicts (11.2.5)."""
    return zone_of_interdiction(g, 1 - side)


def may_change(g: G, unit: int, points: int) -> bool:
    """Whether a unit may change its mode with its points left, in halves (7.6.2, 7.6.3)."""
    return why_not_change(g, unit, points) is None


def why_not_change(g: G, unit: int, points: int) -> Refusal | None:
    """Return why a unit cannot change its mode with its points left: it has one mode, is not on the map, has changed
    too often, entered an enemy ZOC as a towed gun, or lacks points (7.6, 7.6.2, 7.6.3, 11.2.6)."""
    hex, driven = g.state.where[unit], SELF_PROPELLED[unit]
    if not TWO_MODES[unit]:
        return Refusal(f"{name(unit)} has one mode", "7.6", name(unit))
    if not 0 <= hex < HEXES:
        return Refusal(f"{name(unit)} enters the map in March mode", "5.2.4", name(unit))
    if g.state.changed[unit] >= MOST[driven]:
        times = "twice" if driven else "once"
        return Refusal(f"{name(unit)} may change mode {times} in a Segment", "7.6.2", name(unit))
    if came_into_zone(g, unit):
        cause = name(exerting(g, 1 - SIDE[unit], hex)[0])
        text = f"{name(unit)} cannot change mode: it has entered {BOARD.name(hex)}, in the ZOC of {cause}"
        return Refusal(text, "7.6.2", cause)
    left = points - g.state.spent[unit]
    if left < COSTS[driven][1] and left < cost(g, unit):
        rule = "11.2.6" if cost(g, unit) > COSTS[driven][0] else "7.6.2"
        text = f"{name(unit)} needs {cost(g, unit) // HALVES} MP to change mode: {left / HALVES:g} left"
        return Refusal(text, rule, name(unit))
    return None


def came_into_zone(g: G, unit: int) -> bool:
    """Whether a towed gun has entered an enemy ZOC in this phase, where it may not change (7.6.2)."""
    moved = TOWED[unit] and g.state.flags[unit] & MOVED
    return bool(moved) and in_enemy_zone(g, SIDE[unit], g.state.where[unit])


def change_mode(g: G, unit: int) -> None:
    """Change a unit's mode and spend the points; a gun that changes to March mode gives up its support (7.6.2)."""
    state = g.state
    state.spent[unit] += cost(g, unit)
    state.changed[unit] += 1
    state.flags[unit] ^= DEPLOYED
    word = "Deployed" if state.flags[unit] & DEPLOYED else "March"
    g.log("7.6.2", "{unit} changes to {mode} mode", unit=unit, mode=word)
    if word == "March" and unit in MARKER:
        cancel(g, unit)


def friend_stays(units: Sequence[int], stack: Sequence[int]) -> bool:
    """Whether towed guns among units that leave an enemy ZOC have a friendly unit in their hex: one that stays, or
    moves with them but is not a towed gun (7.6.2)."""
    return any(unit not in units or not TOWED[unit] for unit in stack)
