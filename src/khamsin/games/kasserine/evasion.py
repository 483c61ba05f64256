"""Combat evasion."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Procedure


def evade(g: G, side: int) -> Procedure:
    """The side that is attacked tries to evade."""
    yield from ()
