"""Reinforcements and withdrawals (5.2), garrisons and entry areas (18.2.3-18.2.5)."""

from __future__ import annotations

from khamsin.games.kasserine import victory
from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Procedure


def reinforcements(g: G) -> Procedure:
    """The Reinforcements Phase; at its end the Victory Plan is drawn or read (5.2, 18.2.7)."""
    victory.plan_step(g)
    yield from ()


def release(g: G, side: int, hex: int) -> None:
    """Units of a side have ended a move or an advance in a hex: enemy garrisons next to it are released (18.2.3)."""
