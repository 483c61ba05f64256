"""Why a click of the Strategic or Reorganization Segment is not open."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Decision, Refusal


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a click of a strategic question is not open."""
    return None
