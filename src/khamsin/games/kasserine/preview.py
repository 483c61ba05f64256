"""A combat before it is fought, and why a click of the combat phases is not open (9.1, 9.2, 10, 11.3, 12, 16)."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Decision, Refusal


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a click of a combat question is not open (9.1, 12.0)."""
    return None
