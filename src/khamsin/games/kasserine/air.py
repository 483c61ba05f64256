"""Air units: readiness, arrival, interdiction."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Procedure


def joint_air(g: G) -> Procedure:
    """The Joint Air Phase: readiness, then interdiction, Allied first."""
    yield from ()


def arrives(g: G, unit: int, pair: bool) -> str:
    """Roll whether an air unit arrives: A, R or U; one that does not goes to its box."""
    return "A"


def arrival_modifier(g: G, unit: int, pair: bool) -> int:
    """What is added to the die for the arrival of an air unit."""
    return 0
