"""What the laboratory follows in Decision at Kasserine: where combats are fought (12.5)."""

from __future__ import annotations

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Event

ODDS = "12.5.2"
"""The section whose event is there once in every combat that is fought, with the hex that is fought for."""


def battle(event: Event) -> int:
    """The hex of a combat; of several that are fought for at once, the first by number (12.5.2)."""
    hex = event.data.get("hex", NOWHERE) if event.rule == ODDS else NOWHERE
    return int(hex)
