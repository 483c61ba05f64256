"""After the die: which step is lost, where a retreat goes, who advances."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from khamsin.games.kasserine.strength import defence_strength
from khamsin.games.kasserine.units import ARMOURED, FRENCH, HQ, IS_TIGER, G
from khamsin.players.kasserine.goals import Goal
from khamsin.players.kasserine.picture import Picture, risk, value

NEARER = 0.3
"""What a movement point nearer to a goal is worth to one who advances or retreats, in steps."""
HUNGER = 0.8
"""What it costs to be out of supply."""
PRIZE = 6.0
"""What it is worth to stand in a hex that is wanted."""


def cheapest(g: G, units: Iterable[int]) -> int:
    """The unit whose step is missed least: a first step before a last one, headquarters and Tigers never gladly."""

    def price(unit: int) -> tuple[float, int]:
        left = g.state.steps[unit]
        dear = 1.2 if ARMOURED[unit] else 1.0
        return value(g, unit) / left * dear + (1.5 if left == 1 else 0.0) + 3.0 * (HQ[unit] or IS_TIGER[unit]), unit

    return min(units, key=price)


def standing(picture: Picture, units: Sequence[int], hex: int, found: Collection[Goal]) -> float:
    """How well units would stand in a hex: what they risk there, their supply, and how near it is to what they want."""
    g = picture.g
    friends = [unit for unit in picture.own.get(hex, ()) if unit not in units]
    power = max(0.5, sum(defence_strength(g, unit, False) for unit in (*friends, *units)))
    score = -risk(picture, hex, power)
    if not all(picture.supplied(FRENCH[unit])[hex] for unit in units):
        score -= HUNGER
    ways = [min(float(picture.way(goal.hex, units[0])[hex]), 60.0) / goal.worth for goal in found]
    score -= NEARER * min(ways, default=0.0)
    return score + max((PRIZE * goal.worth for goal in found if goal.hex == hex), default=0.0)


def refuge(picture: Picture, units: Sequence[int], hexes: Iterable[int], found: Collection[Goal]) -> int:
    """Where a retreat ends best: near what is to be held, among friends, out of the enemy's reach."""
    held = [goal for goal in found if not goal.take]
    return max(hexes, key=lambda hex: (standing(picture, units, hex, held), -hex))


def advance(picture: Picture, unit: int, hexes: Iterable[int], found: Collection[Goal]) -> tuple[float, int]:
    """How much better a unit would stand in the best of some hexes than where it is, and which."""
    here = picture.g.state.where[unit]
    now = standing(picture, [unit], here, found)
    alone = len(picture.own.get(here, ())) == 1 and any(goal.hex == here for goal in found)
    best = max(hexes, key=lambda hex: (standing(picture, [unit], hex, found), -hex))
    return standing(picture, [unit], best, found) - now - (PRIZE if alone else 0.0), best
