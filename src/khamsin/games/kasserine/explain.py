"""Why not? Each chapter answers for its own questions. Also which positions play can never reach."""

from __future__ import annotations

from khamsin.games.kasserine import movement, preview, results, strategy
from khamsin.games.kasserine.stacking import LIMIT, overfull
from khamsin.games.kasserine.units import (
    ALLIED,
    AXIS,
    BOARD,
    FORCE_SPAN,
    HEXES,
    IS_MARKER,
    SIDE,
    SIDES,
    G,
    name,
)
from khamsin.kernel.rules import Decision, Refusal

CHAPTERS = (
    (("7.", "8.", "9.3", "5.2.4"), movement.why_not),
    (("9.2.6", "13.", "3.3.3"), results.why_not),
    (("9.1", "9.2", "10.", "11.3", "12.", "16."), preview.why_not),
    (("5.", "6.", "11.2", "14.", "15.", "18."), strategy.why_not),
)
"""Which chapter answers for a question, by the rule that asks it; the first that fits."""


def explain(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a click is not open, from what the asking side may know."""
    for rules, why_not in CHAPTERS:
        if decision.rule.startswith(rules):
            return why_not(g, decision, click) or not_yours(g, decision, click)
    return not_yours(g, decision, click)


def not_yours(g: G, decision: Decision, click: int) -> Refusal | None:
    """That a unit belongs to the other side, or is not on the map (3.1.1)."""
    if not g.is_unit(click):
        return None
    if SIDE[click] != decision.side:
        return Refusal("that unit is not yours" if IS_MARKER[click] else f"{name(click)} is not yours", "3.1.1")
    return None


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
