"""Refusals for movement decisions, and which positions play can never reach."""

from __future__ import annotations

from khamsin.games.kasserine import movement
from khamsin.games.kasserine.stacking import LIMIT, overfull
from khamsin.games.kasserine.units import ALLIED, AXIS, BOARD, FORCE_SPAN, HEXES, SIDES, G
from khamsin.kernel.rules import Decision, Refusal

MOVEMENT = ("move.", "reaction.", "reserve.")
"""How the kinds of movement decisions begin."""


def explain(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a click of a movement decision is illegal, from what the asking side may know."""
    return movement.why_not(g, decision, click) if decision.kind.startswith(MOVEMENT) else None


def impossible(g: G) -> str:
    """What is wrong with a position that play cannot reach: both sides in a hex, or too many in one (3.3.2, 7.1.4)."""
    where = g.state.where
    both = set(where[FORCE_SPAN[AXIS]]) & set(where[FORCE_SPAN[ALLIED]])
    for hex in sorted(both):
        if 0 <= hex < HEXES:
            return f"units of both sides in {BOARD.name(hex)} (7.1.4)"
    if "movement" not in g.rules.phases(g.state)[g.state.phase].name:
        for side in (AXIS, ALLIED):
            for hex in overfull(g, side):
                return f"more than {LIMIT} stacking points of the {SIDES[side]} in {BOARD.name(hex)} (3.3.2)"
    return ""
