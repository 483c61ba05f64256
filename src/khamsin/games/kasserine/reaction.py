"""Reaction movement (9.3) and reserve movement (8.2.4)."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Procedure


def react(g: G, side: int) -> Procedure:
    """Reaction movement of the side that is attacked (9.3)."""
    yield from ()


def reserve_movement(g: G, side: int) -> Procedure:
    """Movement of a side's units in Reserve (8.2.4)."""
    yield from ()
