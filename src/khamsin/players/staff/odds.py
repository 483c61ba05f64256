"""What a combat is worth: exact results against what is at stake, and what the enemy could do to a force afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from khamsin.players.staff.theatre import Field, Figures, Outcome, Theatre

RATIOS = np.array([0.1, 0.2, 0.25, 0.34, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 7.0, 9.0, 12.0])
"""The ratios of strength at which the danger is computed; between them it is interpolated."""


class Stake(NamedTuple):
    """What is at stake in a combat besides the units."""

    prize: float
    """For clearing the hex."""
    exits: int
    """The hexes to which the defender could retreat without loss; -1 if it could not retreat at all."""


class Verdict(NamedTuple):
    """An attack in figures."""

    value: float
    cleared: float
    """The chance that the hex is cleared."""
    destroyed: float
    """The expected share of the defender that is lost."""
    lost: float
    """The expected worth that the attacker loses."""


def weigh(
    outcomes: Sequence[Outcome],
    attackers: Sequence[Figures],
    defenders: Sequence[Figures],
    stake: Stake,
    kill: float,
    own: float,
    chosen: bool = False,
) -> Verdict:
    """Return what an attack is worth: `kill` and `own` are the weights of enemy and own losses. The dearest attackers are
    lost first, or the cheapest if their owner has chosen."""
    steps, worth = sum(one.steps for one in defenders), sum(one.worth for one in defenders)
    own_steps = sum(one.steps for one in attackers)
    dearest = sorted((one.worth / max(1, one.steps) for one in attackers if one.steps), reverse=not chosen)
    prices = np.cumsum([0.0, *dearest[:8]])
    value = cleared = destroyed = lost = 0.0
    for chance, attacker_steps, attacker_hexes, defender_steps, defender_hexes in outcomes:
        hits, is_clear = defender_steps, defender_steps >= steps
        if defender_hexes and not is_clear:
            is_clear = True
            hits = steps if stake.exits < 0 else hits + (defender_hexes if not stake.exits else 0)
        share = min(hits, steps) / max(1, steps)
        price = float(prices[min(attacker_steps, len(prices) - 1)]) if attacker_steps < own_steps else sum(dearest)
        value += chance * (kill * share * worth - own * price + stake.prize * is_clear)
        value -= chance * own * 0.1 * price * bool(attacker_hexes)
        cleared += chance * is_clear
        destroyed += chance * share
        lost += chance * price
    return Verdict(value, cleared, destroyed, lost)


class Danger:
    """What an attack at a ratio of strengths does to the defender, on average: the chance that it is thrown out of its hex, and
    the steps it loses."""

    def __init__(self, theatre: Theatre) -> None:
        results = [theatre.chances(float(ratio)) for ratio in RATIOS]
        self._thrown = np.array([sum(r.chance for r in row if r.defender_hexes) for row in results])
        self._steps = np.array([sum(r.chance * min(r.defender_steps, 6) for r in row) for row in results])

    def thrown(self, ratio: Field | float) -> Field:
        """Return the chance that the defender has to leave its hex."""
        return np.asarray(np.interp(ratio, RATIOS, self._thrown))

    def steps(self, ratio: Field | float) -> Field:
        """Return the steps that the defender loses."""
        return np.asarray(np.interp(ratio, RATIOS, self._steps))
