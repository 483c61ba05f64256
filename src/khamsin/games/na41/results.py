"""Combat results (10.1): the meaning of each cell of the table for both sides."""

from __future__ import annotations

from typing import Any, NamedTuple

from khamsin.games.na41.units import COMBAT_DATA


class Outcome(NamedTuple):
    """A result of the combat table: steps lost by attacker and defender, whether the opponent picks the units that lose them,
    the least and most hexes that the defender retreats, its disorder (1 Disrupted, 2 in Full Retreat), the hexes that the
    attacker advances, and how it affects a Determined Defense (10.1, 10.2.1, 11.2.2, 14.2.1)."""

    code: str
    attacker: int = 0
    defender: int = 0
    opponent: bool = False
    retreat: tuple[int, int] = (0, 0)
    disorder: int = 0
    advance: int = 0
    defence_modifier: int = 0
    defence_allowed: bool = True


def _outcome(code: str, row: dict[str, Any]) -> Outcome:
    given: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in row.items() if key != "from"
    }
    return Outcome(code, **given)


OUTCOMES = {code: _outcome(code, row) for code, row in COMBAT_DATA["result"].items()}
SHATTERED = OUTCOMES["DS"]
"""The result of overwhelming odds and of an Automatic DS (8.8.3, 8.9.1)."""
