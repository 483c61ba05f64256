"""Ground movement (7): the phase, and how units move."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Decision, Procedure, Refusal


def movement(g: G, side: int) -> Procedure:
    """The Movement Phase of a side (7.0)."""
    yield from ()


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a click of a movement question is not open (7.0, 8.0, 9.3)."""
    return None
