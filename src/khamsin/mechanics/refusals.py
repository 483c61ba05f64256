"""From a condition for units or locations to the `why_not` of a decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from khamsin.kernel.rules import Decision, Game, Refusal, WhyNot

Condition = Callable[..., Refusal | None]
"""A function of the game, further arguments, and a unit or location."""


def for_units(condition: Condition, *given: Any) -> WhyNot:
    """Return a `why_not` that applies a condition to the unit of a click: `condition(g, *given, unit)`."""

    def why_not(g: Game[Any], decision: Decision, click: int) -> Refusal | None:
        return condition(g, *given, click) if g.is_unit(click) else None

    return why_not


def unless_legal(inner: WhyNot) -> WhyNot:
    """Return a `why_not` for a decision that lists its legal clicks; it returns None for these. What the rules allow
    may look illegal to a side that does not know all enemy units."""

    def why_not(g: Game[Any], decision: Decision, click: int) -> Refusal | None:
        return None if click in decision.legal else inner(g, decision, click)

    return why_not


def for_locations(condition: Condition, *given: Any) -> WhyNot:
    """Return a `why_not` that applies a condition to the location of a click: `condition(g, *given, location)`."""

    def why_not(g: Game[Any], decision: Decision, click: int) -> Refusal | None:
        return condition(g, *given, click - g.place0) if g.place0 <= click < g.rules.first_button else None

    return why_not
