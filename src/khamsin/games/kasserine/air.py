"""Air units: readiness, arrival, interdiction."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Procedure


def joint_air(g: G) -> Procedure:
    """The Joint Air Phase: readiness, then interdiction, Allied first."""
    yield from ()
