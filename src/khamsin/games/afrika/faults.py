"""Positions that play cannot reach."""

from __future__ import annotations

from khamsin.games.afrika.stacking import LIMIT, POINTS
from khamsin.games.afrika.units import AXIS, BOARD, FORCES, HEXES, ROMMEL, SIDES, STEPS, G, forces_in, name


def find_fault(g: G) -> str:
    """What is wrong with a position: both sides in a hex, too many units, closed ground, steps, a box or Rommel without units
    (1.3, 1.4, 1.5c, 1.16, 2.3)."""
    where, steps = g.state.where, g.state.steps
    for side, owner in enumerate(SIDES):
        for hex, used in POINTS.used(g, side).items():
            if used > LIMIT:
                return f"{used / 2:g} stacking points in {BOARD.name(hex)}, at most {LIMIT / 2:g} (1.3)"
            if not BOARD.enterable(hex):
                return f"units in {BOARD.name(hex)}, which is {BOARD.terrain_name(hex)} (1.5c)"
            if side == AXIS and forces_in(g, 1 - side, hex):
                return f"units of both sides in {BOARD.name(hex)} (1.3)"
        for hex, whose in g.state.box.items():
            if whose == side and not forces_in(g, side, hex):
                return f"a box in {BOARD.name(hex)} without a unit of the {owner} (1.16)"
        for unit in FORCES[side]:
            if 0 <= where[unit] < HEXES and not 0 < steps[unit] <= STEPS[unit]:
                return f"{name(unit)} has {steps[unit]} steps, expected 1 to {STEPS[unit]} (1.4)"
    camp = where[ROMMEL]
    if 0 <= camp < HEXES and not forces_in(g, AXIS, camp):
        return f"{name(ROMMEL)} in {BOARD.name(camp)} without an Axis unit (2.3)"
    return ""
