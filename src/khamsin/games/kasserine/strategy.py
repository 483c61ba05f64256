"""Why a click of the Strategic or Reorganization Segment is not open (5, 6, 11.2, 14, 15, 18)."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Decision, Refusal


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a click of a strategic question is not open (5.2, 14.3)."""
    return None
