"""Retreats after combat and evasion (13)."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Procedure


def evade(g: G, side: int, hex: int) -> Procedure:
    """Units get away from a hex before combat, three hexes far."""
    yield from ()
