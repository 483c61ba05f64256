"""North Africa '41 for the staff: the views of the position (`theatre`), what each scenario is about (`goals`), Supply Points,
trucks, convoys and resources (`logistics`), what only this game asks (`answers`), and the weights (`na41.toml`)."""

from __future__ import annotations

import random

from khamsin.players.na41.theatre import NorthAfrica
from khamsin.players.na41.weights import HOME, STANCES
from khamsin.players.staff.chief import Chief


def strategist(side: int, chance: random.Random) -> Chief:
    """The player of a side."""
    return Chief(NorthAfrica(), side, chance, STANCES, HOME)
