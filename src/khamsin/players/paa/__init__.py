"""What PanzerArmee Afrika is about, for the scripted player.

A side keeps its army around one of the positions along the coast road (`country`): the foremost at which it outweighs what the
enemy could bring there and to which its installations can be laid (`front`, `depots`). From there it sees what the enemy could
do (`picture`), looks for attacks whose exact chances pay (`chances`, `value`, `assault`), leaves garrisons behind (`line`),
goes for the enemy's supply lines and guards its own (`raids`), and moves (`march`). The commander answers every question of
the game; how good a position is stands in `judgement`, the figures in `paa.toml`.
"""

from __future__ import annotations

import random

from khamsin.players.paa.commander import Commander


def strategist(side: int, chance: random.Random) -> Commander:
    """The player of a side."""
    return Commander(side, chance)
