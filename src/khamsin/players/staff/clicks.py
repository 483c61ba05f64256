"""The legal clicks of a decision by kind, and functions for common decisions, for adapters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from khamsin.kernel.rules import Decision
from khamsin.players.scripted import Order

Answer = Callable[[Any, int, Decision, Any], Order | None]
"""A function for a decision of a side, from the game as it knows it and its staff; None if there is nothing to do."""


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
    """Choose the most valuable unit."""
    able = units(g, decision)
    return Order((max(able, key=lambda unit: (staff.theatre.figures(g, unit).worth, -unit)),)) if able else None


def worst_unit(g: Any, side: int, decision: Decision, staff: Any) -> Order | None:
    """Choose the least valuable unit."""
    able = units(g, decision)
    return Order((min(able, key=lambda unit: (staff.theatre.figures(g, unit).worth, unit)),)) if able else None


def choosing(merit: Callable[[Any, int], float]) -> Answer:
    """Return a function that chooses the unit with the most merit, the first of equals."""

    def answer(g: Any, side: int, decision: Decision, staff: Any) -> Order | None:
        able = units(g, decision)
        return Order((max(able, key=lambda unit: (merit(g, unit), -unit)),)) if able else None

    return answer


def best_place(g: Any, decision: Decision, merit: Callable[[int], float], words: str = "") -> Order | None:
    """Choose the location with the most merit, the first of equals; its name follows the words of the reason."""
    best = max(locations(g, decision), key=lambda at: (merit(at), -at), default=None)
    if best is None:
        return None
    return Order((g.place0 + best,), f"{words} {g.rules.board.name(best)}" if words else "")


def first_unit(g: Any, side: int, decision: Decision, staff: Any) -> Order | None:
    """Choose the first unit."""
    found = units(g, decision)
    return Order((found[0],)) if found else None


def first_place(g: Any, side: int, decision: Decision, staff: Any) -> Order | None:
    """Choose the first location."""
    found = locations(g, decision)
    return Order((g.place0 + found[0],)) if found else None


def nearest_place(g: Any, side: int, decision: Decision, staff: Any) -> Order | None:
    """Choose the location nearest to the most valuable goal, a hex rather than a box."""
    found = locations(g, decision)
    best = min(found, key=lambda at: staff.theatre.nearness(g, side, at), default=-1)
    return Order((g.place0 + best,), f"to {staff.theatre.name(best)}") if found else None


def pressing(*words: str) -> Answer:
    """Return a function that presses the first legal one of some buttons."""
    return lambda g, side, decision, staff: press(g, decision, *words)


def in_turn(*answers: Answer) -> Answer:
    """Return a function that uses the first of several with something to do."""
    return lambda *asked: next((order for one in answers if (order := one(*asked)) is not None), None)
