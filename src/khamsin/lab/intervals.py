"""Confidence intervals for shares, for differences between shares of the same games, and for differences of means. The default
is 95 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

SURE = 0.95
RESAMPLES = 4000
"""Bootstrap samples."""


class Estimate(NamedTuple):
    """A value with the limits of its interval."""

    value: float
    low: float
    high: float


def wilson(count: int, total: int, sure: float = SURE) -> Estimate:
    """Return a share with Wilson's score interval, which suits small numbers and shares near 0 and 1.

    >>> [round(value, 3) for value in wilson(8, 10)]
    [0.8, 0.49, 0.943]
    >>> wilson(0, 20).low, round(wilson(0, 20).high, 3), wilson(0, 0)
    (0.0, 0.161, Estimate(value=0.0, low=0.0, high=1.0))
    """
    if total == 0:
        return Estimate(0.0, 0.0, 1.0)
    z = NormalDist().inv_cdf((1 + sure) / 2)
    share = count / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    low = 0.0 if count == 0 else middle - half
    high = 1.0 if count == total else middle + half
    return Estimate(share, low, high)


def paired_shares(before: Sequence[bool], after: Sequence[bool], sure: float = SURE) -> Estimate:
    """Return the change of a share over the same games, with Newcombe's interval for paired shares (method 10): the
    Wilson intervals of both shares, put together with their correlation.

    >>> [round(value, 3) for value in paired_shares([True] * 6 + [False] * 14, [True] * 12 + [False] * 8)]
    [0.3, 0.068, 0.482]
    >>> paired_shares([True, False], [True, False]).value
    0.0
    """
    both = sum(1 for a, b in zip(before, after, strict=True) if a and b)
    first = sum(1 for a, b in zip(before, after, strict=True) if a and not b)
    second = sum(1 for a, b in zip(before, after, strict=True) if b and not a)
    total = len(before)
    neither = total - both - first - second
    if total == 0:
        return Estimate(0.0, -1.0, 1.0)
    one, two = wilson(both + first, total, sure), wilson(both + second, total, sure)
    spread = (both + first) * (second + neither) * (both + second) * (first + neither)
    cross = float(both * neither - first * second)
    if cross > 0:
        cross = max(cross - total / 2, 0.0)
    correlation = cross / sqrt(spread) if spread else 0.0
    change = two.value - one.value
    down, up = (two.value - two.low, one.high - one.value), (two.high - two.value, one.value - one.low)
    low, high = (sqrt(max(0.0, a * a - 2 * correlation * a * b + b * b)) for a, b in (down, up))
    return Estimate(change, max(-1.0, change - low), min(1.0, change + high))


def mcnemar(before: Sequence[bool], after: Sequence[bool]) -> float:
    """Return the exact two-sided p-value of the games whose result changed (sign test).

    >>> mcnemar([True] * 5 + [False] * 15, [False] * 20), mcnemar([True], [True])
    (0.0625, 1.0)
    """
    first = sum(1 for a, b in zip(before, after, strict=True) if a and not b)
    second = sum(1 for a, b in zip(before, after, strict=True) if b and not a)
    changed = first + second
    tail: int = sum(comb(changed, k) for k in range(min(first, second) + 1))
    return min(1.0, float(2 * tail / 2**changed)) if changed else 1.0


def paired_means(before: Sequence[float], after: Sequence[float], sure: float = SURE) -> Estimate:
    """Return the change of a mean over the same games, with a bootstrap interval (percentiles of means of differences drawn
    again with replacement, always the same draws).

    >>> paired_means([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])
    Estimate(value=1.0, low=1.0, high=1.0)
    """
    differences = np.asarray(after, dtype=float) - np.asarray(before, dtype=float)
    if not len(differences):
        return Estimate(0.0, 0.0, 0.0)
    chance = np.random.default_rng(len(differences))
    means = [differences[chance.integers(0, len(differences), len(differences))].mean() for _ in range(RESAMPLES)]
    low, high = np.quantile(means, ((1 - sure) / 2, (1 + sure) / 2))
    return Estimate(float(differences.mean()), float(low), float(high))
