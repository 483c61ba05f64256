"""Moves for tests: what a unit that was clicked may do, and why not."""

from __future__ import annotations

from typing import Any

from khamsin.games.kasserine.units import NUMBER, KasserineState
from khamsin.kernel import Match

M = Match[KasserineState]


def ways(match: M, *units: str) -> dict[str, Any]:
    """What is open once these units have been clicked, by name, with hints; the clicks are played."""
    match.play(units)
    assert match.decision is not None
    return {match.rules.names[click]: hint for click, hint in match.decision.legal.items()}


def why(match: M, click: str) -> tuple[str, str]:
    """By which rule a click is not open, and what causes it."""
    refusal = match.explain(match.rules.parse(click))
    return refusal.rule, refusal.cause


def spent(match: M, unit: str) -> float:
    """The movement points that a unit has spent."""
    return match.state.spent[NUMBER[unit]] / 2
