"""What Decision at Kasserine is about, for the scripted player.

A commander of a side knows what it wants (`goals`), sees what the enemy could do (`picture`), weighs combats by their exact
chances (`chances`), prepares and declares attacks (`assault`), moves (`march`), lays fire and sends air units (`fire`), and
bears the results (`aftermath`). The figures stand in `kasserine.toml`.
"""

from __future__ import annotations

import random

from khamsin.players.kasserine.commander import Commander


def strategist(side: int, chance: random.Random) -> Commander:
    """The player of a side."""
    return Commander(side, chance)
