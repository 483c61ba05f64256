"""Positions that play cannot reach."""

from __future__ import annotations

from khamsin.games.na41.units import ALLIED, AXIS, FORCES, MSU, STEPS, TRUCK, UNITS, G, name
from khamsin.mechanics import faults


def find_fault(g: G) -> str:
    """Return what is wrong with a position: both sides in a hex, closed ground, steps, an MSU that is not a truck
    (2.2.1, 2.3.5, 5.1, 17.2.4)."""
    posing = [unit for unit in UNITS if g.state.flags[unit] & MSU and not TRUCK[unit]]
    return faults.first(
        faults.closed_ground(g, "2.2.1"),
        faults.both_sides(g, "5.1"),
        faults.steps(g, (*FORCES[AXIS], *FORCES[ALLIED]), STEPS, "2.3.5"),
        [f"{name(unit)} is not a truck, yet an MSU (17.2.4)" for unit in posing],
    )
