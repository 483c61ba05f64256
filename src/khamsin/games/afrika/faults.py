"""Positions that play cannot reach."""

from __future__ import annotations

from collections.abc import Iterator

from khamsin.games.afrika.stacking import POINTS
from khamsin.games.afrika.units import ALLIED, AXIS, BOARD, FORCES, HEXES, ROMMEL, SIDES, STEPS, G, forces_in, name
from khamsin.mechanics import faults

UNITS_MOVE = ("reinforcement", "movement", "combat", "exploitation")
"""The phases at whose end the stacking limit counts, not before (SCS 4.2)."""


def find_fault(g: G) -> str:
    """Return what is wrong with a position: both sides in a hex, too many units except while units move, closed ground,
    steps, a box without units except during the set-up, Rommel alone (1.3, 1.4, 1.5c, 1.16, 2.3, SCS 4.2)."""
    forces = (*FORCES[AXIS], *FORCES[ALLIED])
    phase = g.rules.phases(g.state)[g.state.phase].name
    return faults.first(
        faults.both_sides(g, "1.3"),
        faults.closed_ground(g, "1.5c"),
        () if phase.endswith(UNITS_MOVE) else faults.too_many(g, POINTS),
        faults.steps(g, forces, STEPS, "1.4"),
        () if phase.endswith("set-up") else empty_boxes(g),
        lone_rommel(g),
    )


def empty_boxes(g: G) -> Iterator[str]:
    """Boxes without a unit of their owner (1.16)."""
    for hex, whose in g.state.box.items():
        if not forces_in(g, whose, hex):
            yield f"a box in {BOARD.name(hex)} without a unit of the {SIDES[whose]} (1.16)"


def lone_rommel(g: G) -> Iterator[str]:
    """Rommel without an Axis unit (2.3)."""
    camp = g.state.where[ROMMEL]
    if 0 <= camp < HEXES and not forces_in(g, AXIS, camp):
        yield f"{name(ROMMEL)} in {BOARD.name(camp)} without an Axis unit (2.3)"
