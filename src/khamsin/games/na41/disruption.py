"""Disruption, Full Retreat and recovery (13)."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.na41 import retreat, zones
from khamsin.games.na41.units import (
    AROUND,
    COMBAT,
    COMBAT_DATA,
    DISRUPTED,
    FULL_RETREAT,
    HEXES,
    LOCATIONS,
    OWN,
    PORTS,
    QUALITY,
    REPLACED,
    SIDE,
    G,
    combat_units,
    name,
    on_map,
)
from khamsin.kernel.rules import Procedure, Refusal
from khamsin.mechanics.odds import Modifier, net

GOOD_ORDER, IS_DISRUPTED, IS_ROUTED = range(3)
"""The states of a combat unit (13.1.1)."""
DISORDER = DISRUPTED | FULL_RETREAT
RALLY = COMBAT_DATA["rally"]


def level(g: G, unit: int) -> int:
    """Return the state of a unit: in Good Order, Disrupted or in Full Retreat (13.1.1)."""
    flags = g.state.flags[unit]
    return IS_ROUTED if flags & FULL_RETREAT else IS_DISRUPTED if flags & DISRUPTED else GOOD_ORDER


def set_level(g: G, unit: int, to: int) -> None:
    """Set the state of a unit (13.1.1)."""
    marker = (0, DISRUPTED, FULL_RETREAT)[to]
    g.state.flags[unit] = g.state.flags[unit] & ~DISORDER | marker


def disorder(g: G, unit: int, by: int) -> None:
    """A unit has retreated: it is Disrupted or in Full Retreat by the result; a Disrupted one is put into Full Retreat
    (13.1.2, 13.1.3)."""
    before = level(g, unit)
    to = IS_ROUTED if by == IS_ROUTED or before != GOOD_ORDER else IS_DISRUPTED
    if to != before:
        set_level(g, unit, to)
        rule = "13.1.3" if to == IS_ROUTED else "13.1.2"
        g.log(rule, "{unit} is in Full Retreat" if to == IS_ROUTED else "{unit} is Disrupted", unit=unit)


# Full Retreat


def is_routed(g: G, stack: Sequence[int]) -> bool:
    """Whether all combat units of a stack are in Full Retreat (13.3.2)."""
    return bool(stack) and all(g.state.flags[unit] & FULL_RETREAT for unit in stack)


def is_rout_near(g: G, side: int, hex: int) -> bool:
    """Whether enemies of a side in Full Retreat are adjacent to a hex."""
    return bool(g.state.flags.having(FULL_RETREAT)) and not zones.routed(g, 1 - side).isdisjoint(AROUND[hex])


def drive_off(g: G, side: int, hex: int) -> Procedure:
    """A combat unit of a side is in a hex: enemy stacks in Full Retreat adjacent to it retreat at once, two hexes, or
    one to a friendly unit that is not in Full Retreat. Nothing more happens until a unit moves again (13.3.2)."""
    enemy = 1 - side
    if not is_rout_near(g, side, hex):
        return
    for near in AROUND[hex]:
        stack = combat_units(g, enemy, near)
        if is_routed(g, stack):
            g.log("13.3.2", "Units in Full Retreat at {hex} retreat", hex=near)
            yield from retreat.automatic(g, enemy, near)


def why_not_full_retreat(g: G, unit: int) -> Refusal | None:
    """Return why a unit cannot go into Full Retreat by itself: it has moved, or is in Full Retreat (13.3.4)."""
    who = name(unit)
    if level(g, unit) == IS_ROUTED:
        return Refusal(f"{who} is already in Full Retreat", "13.3.4", who)
    if g.state.spent[unit] or g.state.hexes[unit]:
        return Refusal(f"{who} cannot go into Full Retreat: it has moved", "13.3.4", who)
    if not on_map(g, unit) and g.state.where[unit] >= LOCATIONS:
        return Refusal(f"{who} cannot go into Full Retreat: not on the map", "13.3.4", who)
    return None


def go_into_full_retreat(g: G, unit: int) -> None:
    """Put a unit into Full Retreat voluntarily; it may then move its full allowance, and keeps nothing else (13.3.1,
    13.3.3, 13.3.4)."""
    set_level(g, unit, IS_ROUTED)
    g.log("13.3.4", "{unit} goes into Full Retreat", unit=unit)


# Recovery


def recovery(g: G, side: int) -> Procedure:
    """The Recovery Phase: units in no enemy ZOC recover one level, the others roll on the Rally Table; Replacement markers are
    removed (3.2, 13.4, 13.5, 19.5)."""
    flags = g.state.flags
    for unit in sorted({*flags.having(DISRUPTED), *flags.having(FULL_RETREAT)}):
        if SIDE[unit] == side and COMBAT[unit] and g.state.where[unit] < LOCATIONS:
            if zones.in_zone(g, 1 - side, g.state.where[unit]) == zones.NONE:
                recover(g, unit, "13.4")
            else:
                rally(g, unit)
    g.clear_flags(OWN[side], REPLACED)
    return
    yield


def recover(g: G, unit: int, rule: str) -> None:
    """A unit recovers one level (13.4)."""
    to = level(g, unit) - 1
    set_level(g, unit, to)
    g.log(rule, "{unit} is in Good Order" if to == GOOD_ORDER else "{unit} recovers: Disrupted", unit=unit)


def rally(g: G, unit: int) -> None:
    """A unit in an enemy ZOC rolls on the Rally Table (13.4, 13.5)."""
    modifiers = rally_modifiers(g, unit)
    if g.table("rally").roll(g.dice, 0, net(modifiers), f"rally of {name(unit)}"):
        recover(g, unit, "13.5")
    else:
        g.log("13.5", "{unit} does not rally", unit=unit)


def rally_modifiers(g: G, unit: int) -> list[Modifier]:
    """Return the modifiers of a rally: +2 in a port or Fortification, +1 Elite, -1 Low Quality (13.5)."""
    hex, found = g.state.where[unit], list[Modifier]()
    if hex < HEXES and (hex in PORTS or g.state.fort.get(hex) == SIDE[unit]):
        found.append(Modifier("port or Fortification", RALLY["shelter"], "13.5"))
    if QUALITY[unit] in RALLY:
        found.append(Modifier(f"{QUALITY[unit]} quality", RALLY[QUALITY[unit]], "13.5"))
    return found
