"""Afrika for the staff: the views of the position (`theatre`), what each scenario is about (`goals`), supply points and leaders
(`logistics`), the decisions that only this game asks (`answers`), and the weights (`afrika.toml`)."""

from __future__ import annotations

import random

from khamsin.players.afrika.theatre import Afrika
from khamsin.players.afrika.weights import HOME, STANCES
from khamsin.players.staff.chief import Chief


def strategist(side: int, chance: random.Random) -> Chief:
    """The player of a side."""
    return Chief(Afrika(), side, chance, STANCES, HOME)
