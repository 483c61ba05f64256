"""Attack declaration: which hexes are attacked, by whom, on which table."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Procedure


def declaration(g: G, side: int) -> Procedure:
    """The Combat Declaration Phase of a side."""
    yield from ()
