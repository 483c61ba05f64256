"""Supply (6): who has a Supply Route, and what follows for movement and combat."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Procedure


def supply_status(g: G) -> Procedure:
    """The Supply Status Phase: supply, depleted HQs, used Fire Support markers, new strongpoints."""
    yield from ()


def supplied(g: G, unit: int) -> bool:
    """Whether a unit can trace a Supply Route now."""
    return True
