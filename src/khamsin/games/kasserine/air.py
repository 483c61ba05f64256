"""Air units (5.3, 11.1, 11.2): readiness, arrival, interdiction."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Procedure


def joint_air(g: G) -> Procedure:
    """The Joint Air Phase: readiness, then interdiction, Allied first (5.3.2, 11.2.2)."""
    yield from ()
