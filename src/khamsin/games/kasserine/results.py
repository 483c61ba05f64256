"""Combat results (13): losses, retreats and advances that a result demands."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Decision, Refusal


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a click of a question about results is not open."""
    return None
