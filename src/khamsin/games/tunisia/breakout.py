"""Breakout (OCS 11.3): units without trace supply try to escape and return later as reinforcements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from khamsin.games.tunisia import control, eating, losses
from khamsin.games.tunisia.ground import NETS, OUTSIDE
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.tracing import own_sources
from khamsin.games.tunisia.units import (
    ATE,
    AXIS,
    BOARD,
    FINISHED,
    FORCES,
    GROUND_UNITS,
    HEXES,
    IS_REPL,
    IS_TRUCK,
    MA,
    MOBILITY,
    MOVE,
    OOS,
    TRUCK,
    G,
    forces_in,
    name,
    on_map,
    tell,
    whom,
)
from khamsin.games.tunisia.zones import front
from khamsin.kernel.flood import CLOSED, FAR, OPEN
from khamsin.kernel.rules import Refusal

BOX = (BOARD["Axis Breakout"], BOARD["Allied Breakout"])
SUCCESS, FIRST_TURN, NEAR = 5, 1, 15
"""The roll that succeeds, the modifier of the first turn cut off, and the most hexes to a friendly unit in supply."""


def why_not(g: G, side: int, units: Sequence[int]) -> Refusal | None:
    """Return why units cannot break out: before any unit of the side moves, units without trace, with an allowance;
    after the first turn cut off no trucks, and only with a path to a friendly unit in supply, 15 hexes away at most
    (OCS 2, OCS 11.3)."""
    moved = next((unit for unit in GROUND_UNITS[side] if g.state.spent[unit] or g.state.flags[unit] & FINISHED), None)
    if moved is not None:
        text = f"{name(moved)} has moved, and breakouts are made before movement"
        return Refusal(f"{whom(units)} cannot break out: {text}", "OCS 2", name(moved))
    for unit in units:
        who = name(unit)
        stack = (unit, *forces_in(g, side, g.state.where[unit]))
        if IS_TRUCK[unit] and not all(is_newly_cut_off(g, one) for one in stack):
            return Refusal(f"{who} cannot break out: trucks do so only on the first turn cut off", "OCS 11.3", who)
        if not max(MA[unit]):
            return Refusal(f"{who} cannot break out: it has no allowance", "OCS 11.3", who)
        if not eating.is_hungry(g, side, unit):
            return Refusal(f"{who} cannot break out: it traces supply", "OCS 11.3", who)
        if not is_newly_cut_off(g, unit) and not has_path(g, side, unit, set(eating.find_hungry(g, side))):
            return Refusal(
                f"{who} cannot break out: no path to a supplied friendly unit within 15 hexes", "OCS 11.3", who
            )
    return None


def is_newly_cut_off(g: G, unit: int) -> bool:
    """Whether a unit or truck without trace had it in its last Supply Phase: it is neither out of supply nor ate
    (OCS 11.3; series 12.8e)."""
    return not g.state.flags[unit] & OOS and ATE[unit] not in g.state.events


def has_path(g: G, side: int, unit: int, hungry: set[int]) -> bool:
    """Whether a unit reaches a friendly unit in supply past enemy units, trucks also past their ZOCs, and one is near
    (OCS 11.3)."""
    here, mobility = g.state.where[unit], MOBILITY[unit][1]
    friends = [g.state.where[one] for one in FORCES[side] if on_map(g, one) and one not in hungry]
    if not any(BOARD.distance(here, hex) <= NEAR for hex in friends):
        return False
    enemy = front(g, 1 - side)
    mask = enemy.paths.copy() if mobility == TRUCK else np.zeros(HEXES, dtype=np.uint8)
    mask[[*enemy.occupied, *OUTSIDE[setting(g).area]]] = CLOSED
    mask[here] = OPEN
    distance = NETS[mobility].spread(NETS[mobility].alone(here), FAR - 255, mask)[0]
    return any(distance[hex] != FAR for hex in friends)


def attempt(g: G, side: int, units: Sequence[int]) -> None:
    """Each unit rolls: 5 or more and it returns after as many turns as another die says, else it is eliminated; the first turn
    cut off adds 1 (OCS 11.3)."""
    for unit in units:
        first = FIRST_TURN if is_newly_cut_off(g, unit) else 0
        roll = g.dice.roll(f"breakout of {name(unit)}", "OCS 11.3") + first
        if roll < SUCCESS:
            losses.eliminate(g, unit, "OCS 11.3")
            continue
        turns = g.dice.roll(f"turns until {name(unit)} returns", "OCS 11.3")
        losses.remove(g, unit)
        g.state.where[unit], g.state.due[unit] = BOX[side], g.state.turn + turns
        g.log("OCS 11.3", "{unit} breaks out and returns in {turns} turns", unit=unit, turns=turns)


def come_back(g: G, side: int) -> None:
    """Units that broke out return as reinforcements at a supply source, where they capture what the enemy has, else in
    the holding box (OCS 9.3, OCS 11.3)."""
    sources = own_sources(g, side)
    goal = sources[0] if sources else BOARD["Sicily Box Group B" if side == AXIS else "Algiers Box"]
    away = [unit for unit in GROUND_UNITS[side] if g.state.where[unit] == BOX[side]]
    back = [unit for unit in away if g.state.due[unit] <= g.state.turn]
    for unit in back:
        g.state.where[unit], g.state.due[unit] = goal, 0
        g.state.flags[unit] = MOVE if IS_TRUCK[unit] or IS_REPL[unit] else 0
        tell(g, side, "OCS 11.3", "{unit} returns in {hex}", "A unit returns in {hex}", unit=unit, hex=goal)
    if goal < HEXES:
        control.enter(g, side, [unit for unit in back if not IS_TRUCK[unit]], [goal], rule_move=False)
