"""Movement points (1.6d, SCS 3.2, SCS 3.9): the allowance of a unit, its points left, and their text. They are counted
in halves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from khamsin.games.afrika.units import COMBAT, COUNTERS, HALVES, MA, OOS, G
from khamsin.mechanics import stacks
from khamsin.mechanics.odds import Factor

UNSUPPLIED = Factor.of("out of supply", COMBAT["supply"]["movement"], "1.6d")


def allowance(g: G, unit: int) -> int:
    """Return the movement allowance in halves; out of supply it is halved and fractions are kept (1.6d, SCS 3.9)."""
    points = MA[unit] * HALVES
    return points * UNSUPPLIED.over // UNSUPPLIED.under if g.state.flags[unit] & OOS else points


def left_of(g: G, unit: int) -> int:
    """Return the MPs that a unit has left in this phase, in halves."""
    return allowance(g, unit) - g.state.spent[unit]


def points_left(g: G, units: Sequence[int]) -> int:
    """Return the MPs, in halves, of the unit of a stack that has fewest."""
    return min([left_of(g, unit) for unit in units])


whom = partial(stacks.whom, COUNTERS)
"""Return a stack by the name of its first unit."""


def shown(halves: int) -> str:
    """Movement points as they are printed.

    >>> shown(5), shown(4), shown(1)
    ('2½', '2', '½')
    """
    return f"{halves // HALVES or ''}½" if halves % HALVES else str(halves // HALVES)
