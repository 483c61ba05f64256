"""The value of a combat: exact results against the stakes, and the danger to a force afterwards."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from khamsin.players.staff.theatre import Field, Figures, Outcome, Theatre

RATIOS = [0.1, 0.2, 0.25, 0.34, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 7.0, 9.0, 12.0]
"""The ratios of strength at which the danger is computed; values between them are interpolated."""


class Stake(NamedTuple):
    """What is at stake in a combat besides the units."""

    prize: float
    """The value of clearing the hex."""
    exits: int
    """The hexes to which the defender could retreat without loss; -1 if it cannot retreat at all."""


class Verdict(NamedTuple):
    """The expected results of an attack."""

    value: float
    cleared: float
    """The chance that the hex is cleared."""
    destroyed: float
    """The expected share of the defender lost."""
    lost: float
    """The expected value of the attacker's losses."""


class Summary(NamedTuple):
    """The results of a combat summed up, for a defender of some steps."""

    cleared: float
    destroyed: float
    losses: tuple[tuple[int, float, float], ...]
    """The steps that the attacker may lose, each with its chance and with the chance that it then retreats as well."""


@lru_cache(maxsize=10_000)
def summed(outcomes: tuple[Outcome, ...], steps: int, exits: int) -> Summary:
    """Return results summed up for a defender of some steps with some exits."""
    cleared = destroyed = 0.0
    losses: dict[int, tuple[float, float]] = {}
    for chance, attacker_steps, attacker_hexes, defender_steps, defender_hexes in outcomes:
        hits, is_clear = defender_steps, defender_steps >= steps
        if defender_hexes and not is_clear:
            is_clear = True
            hits = steps if exits < 0 else hits + (defender_hexes if not exits else 0)
        cleared += chance * is_clear
        destroyed += chance * min(hits, steps) / max(1, steps)
        before, back = losses.get(attacker_steps, (0.0, 0.0))
        losses[attacker_steps] = before + chance, back + chance * bool(attacker_hexes)
    return Summary(cleared, destroyed, tuple([(number, *chances) for number, chances in losses.items()]))


def weigh(
    outcomes: Sequence[Outcome],
    attackers: Sequence[Figures],
    defenders: Sequence[Figures],
    stake: Stake,
    kill: float,
    own: float,
    chosen: bool = False,
) -> Verdict:
    """Return the value of an attack: `kill` and `own` are the weights of enemy and own losses. The most valuable
    attackers are lost first, or the least valuable if their owner chooses."""
    steps, worth = sum([one.steps for one in defenders]), sum([one.worth for one in defenders])
    own_steps = sum([one.steps for one in attackers])
    dearest = sorted([one.worth / one.steps for one in attackers if one.steps], reverse=not chosen)
    prices, everything = list(accumulate(dearest[:8], initial=0.0)), sum(dearest)
    cleared, destroyed, losses = summed(tuple(outcomes), steps, stake.exits)
    value, lost = kill * worth * destroyed + stake.prize * cleared, 0.0
    for number, chance, back in losses:
        price = prices[min(number, len(prices) - 1)] if number < own_steps else everything
        value -= own * price * (chance + 0.1 * back)
        lost += chance * price
    return Verdict(value, cleared, destroyed, lost)


class Danger:
    """The average effect on the defender of an attack at a ratio of strengths: the chance that it has to leave its hex,
    and the steps it loses."""

    def __init__(self, theatre: Theatre) -> None:
        results = [theatre.chances(ratio) for ratio in RATIOS]
        self._thrown = [sum(r.chance for r in row if r.defender_hexes) for row in results]
        self._steps = [sum(r.chance * min(r.defender_steps, 6) for r in row) for row in results]

    def thrown(self, ratio: float) -> float:
        """Return the chance that the defender has to leave its hex."""
        return interpolated(ratio, self._thrown)

    def steps(self, ratio: float) -> float:
        """Return the steps that the defender loses."""
        return interpolated(ratio, self._steps)

    def all_steps(self, ratios: Field) -> Field:
        """Return the steps that defenders lose at each of many ratios."""
        return np.asarray(np.interp(ratios, RATIOS, self._steps))


def interpolated(ratio: float, values: Sequence[float]) -> float:
    """Return the value at a ratio between those of `RATIOS`. For one number this is faster than NumPy.

    >>> interpolated(1.25, [0.0] * 6 + [1.0, 2.0] + [3.0] * 9), interpolated(99.0, [0.5] * 17)
    (1.5, 0.5)
    """
    at = bisect_right(RATIOS, ratio) - 1
    if at < 0 or at >= len(RATIOS) - 1:
        return values[max(0, at)]
    slope = (values[at + 1] - values[at]) / (RATIOS[at + 1] - RATIOS[at])
    return slope * (ratio - RATIOS[at]) + values[at]
