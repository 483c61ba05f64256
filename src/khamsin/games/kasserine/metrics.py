"""The measurements of Decision at Kasserine: the lead (18.1.5, 18.2.6), and the hexes of combats (12.5)."""

from __future__ import annotations

from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.units import G
from khamsin.games.kasserine.victory import PLANS, SETS, early_sets, final_set, lacking
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Event

ODDS = "12.5.2"
"""The section of the event that occurs once in every combat, with its hex."""


def lead(g: G) -> float:
    """Return 0.5 minus the victory locations the Axis still needs: 0.5 if it would win now, else negative (18.2.6)."""
    cards = setting(g)
    early = [SETS[name] for name in early_sets(g, cards)]
    drawn = cards.name == "faid" or g.state.plan > 0
    final = [final_set(g, cards)] if drawn else PLANS.values()
    return 0.5 - min(lacking(g, conditions) for conditions in (*early, *final))


def battle(event: Event) -> int:
    """Return the hex of a combat; of several attacked together, the first by number (12.5.2)."""
    hex = event.data.get("hex", NOWHERE) if event.rule == ODDS else NOWHERE
    return int(hex)
