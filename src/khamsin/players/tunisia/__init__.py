"""Tunisia for the staff: the position (`theatre`), the goals of each scenario (`goals`), headquarters, supply and modes
(`logistics`), this game's own decisions (`answers`), and the weights (`tunisia.toml`)."""

from __future__ import annotations

import random

from khamsin.players.staff.chief import Chief
from khamsin.players.tunisia.theatre import Tunisia
from khamsin.players.tunisia.weights import HOME, STANCES


def strategist(side: int, chance: random.Random) -> Chief:
    """Return the player of a side."""
    return Chief(Tunisia(), side, chance, STANCES, HOME)
