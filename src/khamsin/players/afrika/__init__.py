"""Afrika for the staff: the position (`theatre`), the goals of each scenario (`goals`), supply points and leaders
(`logistics`), this game's own decisions (`answers`), and the weights (`afrika.toml`)."""

from __future__ import annotations

import random

from khamsin.players.afrika.theatre import Afrika
from khamsin.players.afrika.weights import HOME, STANCES
from khamsin.players.staff.chief import Chief


def strategist(side: int, chance: random.Random) -> Chief:
    """Return the player of a side."""
    return Chief(Afrika(), side, chance, STANCES, HOME)
