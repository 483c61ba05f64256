"""The legal clicks of a decision by kind, for adapters."""

from __future__ import annotations

from typing import Any

from khamsin.kernel.rules import Decision
from khamsin.players.scripted import Order


def locations(g: Any, decision: Decision) -> list[int]:
    """Return the locations among the legal clicks."""
    return [click - g.place0 for click in decision.legal if g.place0 <= click < g.rules.first_button]


def units(g: Any, decision: Decision) -> list[int]:
    """Return the units among the legal clicks."""
    return [click for click in decision.legal if g.is_unit(click)]


def press(g: Any, decision: Decision, *words: str) -> Order | None:
    """Return the first of these buttons that is legal, None if none is."""
    pressed = [g.rules.button(word) for word in words if g.rules.button(word) in decision.legal]
    return Order((pressed[0],)) if pressed else None


def best_unit(g: Any, side: int, decision: Decision, staff: Any) -> Order | None:
    """Choose the unit that is worth most."""
    able = units(g, decision)
    return Order((max(able, key=lambda unit: (staff.theatre.figures(g, unit).worth, -unit)),)) if able else None
