"""Positions that play cannot reach."""

from __future__ import annotations

from khamsin.games.paa import stacking
from khamsin.games.paa.units import DEPOT, G
from khamsin.mechanics import faults


def find_fault(g: G) -> str:
    """Return what cannot arise in play: both sides in a hex, pieces in the sea, too many in a hex except during a
    movement phase (2.1.1, 4, 11.1)."""
    moving = g.rules.phases(g.state)[g.state.phase].name.endswith("movement")
    limits = () if moving else (stacking.UNITS, stacking.INSTALLATIONS)
    return faults.first(
        faults.both_sides(g, "11.1", lambda unit: not DEPOT[unit]),
        faults.closed_ground(g, "2.1.1"),
        *[faults.too_many(g, limit) for limit in limits],
    )
