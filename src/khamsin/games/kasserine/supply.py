"""Supply (6): who has a Supply Route, and what follows for movement and combat."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.kasserine.units import HEXES, G
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Procedure


def supply_status(g: G) -> Procedure:
    """The Supply Status Phase: supply, depleted HQs, used Fire Support markers, new strongpoints."""
    yield from ()


def supplied(g: G, unit: int) -> bool:
    """Whether a unit can trace a Supply Route now."""
    return True


def supplied_at(g: G, unit: int, hex: int) -> bool:
    """Whether a unit could trace a Supply Route if it stood in a hex."""
    return True


def field(g: G, side: int, french: bool) -> bytes:
    """One byte a hex: 1 where a unit of a side would be supplied."""
    return bytes([1]) * HEXES


def source_of(g: G, unit: int) -> int:
    """The nearest Supply Source to which a unit traces, or NOWHERE."""
    return NOWHERE


def emergency(g: G, side: int, units: Sequence[int]) -> Procedure:
    """Before a combat is worked out Axis HQs may be turned over to supply these units."""
    yield from ()
