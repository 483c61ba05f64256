"""Combat (12): the declared attacks, one by one."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Procedure


def combat(g: G, side: int) -> Procedure:
    """The Combat Phase of a side."""
    yield from ()
