"""North Africa '41 for the staff: the position (`theatre`), the goals of each scenario (`goals`), Supply Points,
trucks, convoys and resources (`logistics`), this game's own decisions (`answers`), and the weights (`na41.toml`)."""

from __future__ import annotations

import random

from khamsin.players.na41.theatre import NorthAfrica
from khamsin.players.na41.weights import HOME, STANCES
from khamsin.players.staff.chief import Chief


def strategist(side: int, chance: random.Random) -> Chief:
    """Return the player of a side."""
    return Chief(NorthAfrica(), side, chance, STANCES, HOME)
