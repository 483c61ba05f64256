"""Reaction movement and reserve movement."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Procedure


def react(g: G, side: int) -> Procedure:
    """Reaction movement of the side that is attacked."""
    yield from ()


def reserve_movement(g: G, side: int) -> Procedure:
    """Movement of a side's units in Reserve."""
    yield from ()
