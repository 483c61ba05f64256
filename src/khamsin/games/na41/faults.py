"""Positions that play cannot reach."""

from __future__ import annotations

from khamsin.games.na41.ground import LAND
from khamsin.games.na41.units import AXIS, BOARD, FORCES, HEXES, MSU, SIDES, STEPS, TRUCK, UNITS, G, combat_units, name


def find_fault(g: G) -> str:
    """What is wrong with a position: both sides in a hex, closed ground, steps, an MSU that is not a truck, a port beyond its
    track (2.3.5, 5.1, 17.2.4, 21.4.1)."""
    state = g.state
    for side in range(len(SIDES)):
        for hex in state.where.stacks(side):
            if hex < HEXES and not LAND[hex]:
                return f"units in {BOARD.name(hex)}, which is sea (2.2.1)"
            if hex < HEXES and side == AXIS and combat_units(g, 1 - side, hex):
                return f"units of both sides in {BOARD.name(hex)} (5.1)"
        for unit in FORCES[side]:
            if 0 <= state.where[unit] < HEXES and not 0 < state.steps[unit] <= STEPS[unit]:
                return f"{name(unit)} has {state.steps[unit]} steps, expected 1 to {STEPS[unit]} (2.3.5)"
    for unit in UNITS:
        if state.flags[unit] & MSU and not TRUCK[unit]:
            return f"{name(unit)} is not a truck, yet an MSU (17.2.4)"
    return ""
