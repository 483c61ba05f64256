"""Headquarters and Rommel (15): command range, the return of lost HQs, emergency supply, and Rommel."""

from __future__ import annotations

from functools import lru_cache

from khamsin.games.kasserine.battle import Battle
from khamsin.games.kasserine.ground import FIGURES
from khamsin.games.kasserine.units import BOARD, BRITISH, FRENCH, HEXES, HQS, SIDE, G

RANGE: int = FIGURES["command"]["range"]


def in_command(g: G, side: int, hex: int) -> bool:
    """Whether a hex is within command range of an HQ of a side that is on the map (15.1.1, 15.1.2)."""
    where = g.state.where
    return hex in command(tuple([where[hq] for hq in HQS[side]]))


def commands(g: G, unit: int) -> bool:
    """Whether an HQ that may put a unit into Reserve has it in range; a French one may no British unit (15.2.1, 16.5.1)."""
    where = g.state.where
    hqs = [where[hq] for hq in HQS[SIDE[unit]] if not (BRITISH[unit] and FRENCH[hq])]
    return where[unit] in command(tuple(hqs))


@lru_cache(maxsize=1024)
def command(places: tuple[int, ...]) -> frozenset[int]:
    """The hexes within command range of HQs in these places (15.1.1)."""
    return frozenset(hex for place in places if 0 <= place < HEXES for hex in BOARD.within(place, RANGE))


def displace(g: G, side: int, hex: int) -> None:
    """Units of a side have entered a hex: Rommel, if he is an enemy there, goes to the nearest supplied friendly unit."""


def rommel_may_add(g: G, battle: Battle) -> bool:
    """Whether Rommel's bonus can be used in a combat (15.5.2)."""
    return False


def use_bonus(g: G) -> None:
    """Rommel's bonus is used in a combat (15.5.2)."""
