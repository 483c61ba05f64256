"""The country as a player sees it: the coast road, the positions along it, and the ways between them."""

from __future__ import annotations

from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from khamsin.games.paa.differential import GROUND
from khamsin.games.paa.ground import LORRY_NET, NODE_HEX, NODES, OPEN_SIDES, SUPPLY_NET
from khamsin.games.paa.units import ALEXANDRIA, BOARD, EL_AGHEILA, HEXES, TOBRUK
from khamsin.players.paa.weights import FIGURES

Field = NDArray[np.float64]
"""A number for every hex."""

ROAD = [NODE_HEX[node] for node in LORRY_NET.flood([EL_AGHEILA]).path(ALEXANDRIA)]
"""The coast road from west to east; a hex's place in it is its distance from El Agheila in MF."""
MILE = {hex: mile for mile, hex in enumerate(ROAD)}
TOBRUK_MILE = MILE[TOBRUK]
NEAREST = [MILE[min(ROAD, key=partial(BOARD.distance, hex))] for hex in range(HEXES)]
"""The mile of the coast road nearest to every hex."""
SIDES_OF = np.array([[*near, *[HEXES] * (6 - len(near))] for near in OPEN_SIDES]).T.copy()
"""The neighbours of every hex, a row for each direction, filled up with a hex beyond the board."""
GROUNDS = tuple(np.array(ground, dtype=float) for ground in GROUND)
"""What the ground makes of a defender's strength, for each side."""


class Position(NamedTuple):
    """A place along the coast road around which an army can stand."""

    name: str
    anchor: int
    line: tuple[int, ...]
    mile: int


POSITIONS = [
    Position(row["name"], BOARD[row["anchor"]], tuple(BOARD[hex] for hex in row["line"]), MILE[BOARD[row["anchor"]]])
    for row in FIGURES["position"]
]
FARTHEST = tuple(
    next(position for position in POSITIONS if position.name == far) for far in FIGURES["advance"]["farthest"]
)
"""Beyond which each side does not go: its lines would be too long to be guarded."""
REFUGE = next(position for position in POSITIONS if position.name == FIGURES["last"]["refuge"])
"""Where the Allies end the game: the desert is impassable on its flank."""
GAZALA = next(position for position in POSITIONS if position.name == "Gazala")
"""Where the Axis stands before Tobruk, and falls back to."""


@cache
def way_to(hex: int) -> Field:
    """The MF from every hex to one, enemies left out."""
    distance = SUPPLY_NET.spread(np.array(NODES[hex], dtype=np.uint16), 500)[0][:HEXES]
    return distance.astype(float)
