"""Ground movement (7): the phase, and how units move."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Decision, Procedure, Refusal


def movement(g: G, side: int) -> Procedure:
    """The Movement Phase of a side."""
    yield from ()


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a click of a movement question is not open."""
    return None
