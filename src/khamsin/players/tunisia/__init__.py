"""Tunisia for the staff: the views of the position (`theatre`), what each scenario is about (`goals`), headquarters, supply and
modes (`logistics`), the decisions that only this game asks (`answers`), and the weights (`tunisia.toml`)."""

from __future__ import annotations

import random

from khamsin.players.staff.chief import Chief
from khamsin.players.tunisia.theatre import Tunisia
from khamsin.players.tunisia.weights import HOME, STANCES


def strategist(side: int, chance: random.Random) -> Chief:
    """The player of a side."""
    return Chief(Tunisia(), side, chance, STANCES, HOME)
