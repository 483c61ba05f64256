"""Victory (4.1-5, 5.1-2): the winner at the end of a scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from khamsin.games.afrika.ground import OFF_MAP, PATHS
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.units import (
    ALAM_HALFA,
    ALEXANDRIA,
    ALLIED,
    AXIS,
    BARDIA,
    BOARD,
    CAIRO,
    MATRUH,
    TOBRUK,
    G,
    forces_in,
)
from khamsin.games.afrika.zones import front, traced, zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import CLOSED
from khamsin.kernel.rules import Procedure
from khamsin.mechanics.showing import counted

ROAD_HEXES = BOARD.areas["Gazala road hexes"].hexes
ALAMEIN_BOXES = BOARD.areas["Alamein boxes"]
WEST_EDGE, EAST_EDGE = (BOARD.areas[f"Map A {edge} edge"].hexes for edge in ("west", "east"))
BENGHAZI = BOARD.areas["Benghazi"].hexes[0]


def determine(g: G) -> Procedure:
    """The end of a game turn: after the last one the scenario is decided (4.1-5, 5.1-2)."""
    cards = setting(g)
    if g.state.turn >= cards.last:
        winner, reason = VERDICTS[cards.number](g)
        g.end(winner, "", reason, cards.number)
    yield from ()


def occupies(g: G, side: int, hex: int) -> bool:
    """Whether a combat unit of a side is in a hex."""
    return bool(forces_in(g, side, hex))


def controls(g: G, side: int, hex: int) -> bool:
    """Whether a unit of a side was the last to enter a hex, or held it from the start."""
    return g.state.control.get(hex, NOWHERE) == side


# 4.1


def crusader(g: G) -> tuple[int, str]:
    """Return the Allies win with Tobruk and a bridge of hexes from it to the east edge (4.1)."""
    if occupies(g, ALLIED, TOBRUK) and bridge(g):
        return ALLIED, "Tobruk is relieved"
    return AXIS, "Tobruk is not relieved"


def bridge(g: G) -> bool:
    """Whether adjacent hexes lead from Tobruk to the east edge of map A, each with an Allied unit or free of Axis units and
    their ZOCs (4.1)."""
    return bool(spread(g, TOBRUK, traced(g, ALLIED)) & {*EAST_EDGE})


def spread(g: G, start: int, closed: NDArray[np.uint8]) -> set[int]:
    """Return the hexes of the map connected with one, past closed hexes."""
    mask = closed.copy()
    mask[list(OFF_MAP[setting(g).maps])] = CLOSED
    return set(PATHS.flood([start], mask=mask))


# 4.2


def gazala(g: G) -> tuple[int, str]:
    """The Axis wins with the road hexes and both Tobruk and Bardia invested (4.2)."""
    if all(controls(g, AXIS, hex) for hex in ROAD_HEXES) and all(invested(g, city) for city in (TOBRUK, BARDIA)):
        return AXIS, "the road is taken, Tobruk and Bardia are invested"
    return ALLIED, "the Axis has not taken the road or not invested Tobruk and Bardia"


def invested(g: G, city: int) -> bool:
    """Whether a city is Axis, or surrounded from sea to sea by Axis units and ZOCs, which Allied units do not cancel; each
    city needs a separate arc (4.2)."""
    if occupies(g, AXIS, city):
        return True
    other = BARDIA if city == TOBRUK else TOBRUK
    return inside(g, city).isdisjoint({*WEST_EDGE, *EAST_EDGE, other})


def inside(g: G, city: int) -> set[int]:
    """Return the hexes connected with a city past Axis units and ZOCs (4.2)."""
    closed = np.frombuffer(zone(g, AXIS), dtype=np.uint8) * np.uint8(CLOSED)
    closed[list(front(g, AXIS).occupied)] = CLOSED
    return spread(g, city, closed)


# 4.3-5


def egypt(g: G) -> tuple[int, str]:
    """The Axis wins with Alexandria or a hex of Cairo; else the Allies with both hexes of Alam Halfa; else it is a draw (4.3,
    4.4)."""
    for city, hexes in (("Alexandria", (ALEXANDRIA,)), ("Cairo", CAIRO)):
        if any(occupies(g, AXIS, hex) for hex in hexes):
            return AXIS, f"the Axis occupies {city}"
    if all(occupies(g, ALLIED, hex) for hex in ALAM_HALFA):
        return ALLIED, "the Allies hold Alam Halfa"
    return NOWHERE, "neither Egypt nor Alam Halfa is secured"


def alamein(g: G) -> tuple[int, str]:
    """The Axis wins with three of its first boxes and control of Mersa Matruh; the Allies with three boxes destroyed and
    Mersa Matruh occupied; else it is a draw (4.5)."""
    needed = ALAMEIN_BOXES.data["needed"]
    kept = [hex for hex in ALAMEIN_BOXES.hexes if g.state.box.get(hex) == AXIS]
    destroyed = len(ALAMEIN_BOXES.hexes) - len(kept)
    if len(kept) >= needed and controls(g, AXIS, MATRUH):
        return AXIS, f"{counted(len(kept), 'box', 'boxes')} and Mersa Matruh are Axis"
    if destroyed >= needed and occupies(g, ALLIED, MATRUH):
        return ALLIED, f"{destroyed} boxes are destroyed and Mersa Matruh is taken"
    return NOWHERE, f"the Axis holds {counted(len(kept), 'box', 'boxes')}, and neither side meets its conditions"


# 5.1-2


EGYPT_FALLEN = (AXIS, "Alexandria and Cairo have fallen")
"""The sudden death victory of the Axis (5.1, 5.2)."""


def has_egypt(g: G) -> bool:
    """Whether the Axis occupies Alexandria and Cairo: a unit in one hex of Cairo, and no Allied unit in any (5.1)."""
    cairo = any(occupies(g, AXIS, hex) for hex in CAIRO) and not any(occupies(g, ALLIED, hex) for hex in CAIRO)
    return cairo and occupies(g, AXIS, ALEXANDRIA)


def sudden_death(g: G) -> Procedure:
    """The Axis wins at the end of an Allied player turn in which it holds Alexandria and Cairo (5.1, 5.2)."""
    if has_egypt(g):
        winner, reason = EGYPT_FALLEN
        g.end(winner, "", reason, setting(g).number)
    yield from ()


def campaign(g: G) -> tuple[int, str]:
    """At the end the Axis wins with Bardia, Tobruk and Benghazi, or by sudden death; the Allies with Mersa Matruh, Bardia
    and Tobruk; else it is a draw (5.1, 5.2)."""
    if has_egypt(g):
        return EGYPT_FALLEN
    if holds(g, AXIS, (BARDIA, TOBRUK, BENGHAZI)):
        return AXIS, "the Axis occupies Bardia, Tobruk and Benghazi"
    if holds(g, ALLIED, (MATRUH, BARDIA, TOBRUK)):
        return ALLIED, "the Allies occupy Mersa Matruh, Bardia and Tobruk"
    return NOWHERE, "neither side meets its conditions"


def holds(g: G, side: int, hexes: Iterable[int]) -> bool:
    """Whether a side occupies all of these hexes."""
    return all(occupies(g, side, hex) for hex in hexes)


VERDICTS: dict[str, Callable[[G], tuple[int, str]]] = {
    "4.1": crusader, "4.2": gazala, "4.3": egypt, "4.4": egypt, "4.5": alamein, "5.1": campaign, "5.2": campaign,
}  # fmt: skip
