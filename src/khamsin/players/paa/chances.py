"""The exact chances of a combat, found once for every case."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from khamsin.games.paa.units import DATA
from khamsin.kernel.tables import read_tables
from khamsin.players.paa.country import Field

CRT = read_tables(DATA / "tables.toml")["crt"]
COLUMNS = len(CRT.heads)
ROLLS = [[int(CRT.rows[face][column]) for face in range(1, 7)] for column in range(COLUMNS)]
"""The CF lost in every column of the combat table on each roll."""
MEANS = [sum(rolls) / 6 for rolls in ROLLS]
MEAN = np.array([*MEANS, 0.0])
"""The mean loss in every column; below the first, at place -1, there is none."""


class Outcome(NamedTuple):
    """What a combat is expected to cost: CF of the defender, CF of the attacker, and the chance that nobody is left."""

    theirs: float
    ours: float
    cleared: float


@lru_cache(maxsize=200_000)
def outcome(column: int, units: tuple[tuple[int, bool], ...], attackers: tuple[int, ...]) -> Outcome:
    """The exact expectation of an attack at a differential on units (CF, German or not) and of the answer to it (12.4.3-5).
    Below 0 the attack has no effect, and the answer is given all the same."""
    theirs = ours = cleared = 0.0
    rolls = ROLLS[min(column, COLUMNS - 1)] if column >= 0 else [0]
    for amount in rolls:
        lost, back = _worst_left(units, amount)
        theirs += lost
        cleared += lost == sum(strength for strength, _ in units)
        answers = ROLLS[min(max(back - sum(attackers), 0), COLUMNS - 1)]
        ours += sum(_most(attackers, answer) for answer in answers) / 6
    return Outcome(theirs / len(rolls), ours / len(rolls), cleared / len(rolls))


@lru_cache(maxsize=20_000)
def _worst_left(units: tuple[tuple[int, bool], ...], amount: int) -> tuple[int, int]:
    """What whole units lose of an amount, and the strongest answer of what is left."""
    best, answer = -1, 0
    for number in range(len(units) + 1):
        for lost in combinations(range(len(units)), number):
            total = sum(units[i][0] for i in lost)
            if best <= total <= amount:
                back = sum(s * (4 if german else 2) for i, (s, german) in enumerate(units) if i not in lost)
                answer = max(answer, back) if total == best else back
                best = total
    return best, answer


@lru_cache(maxsize=20_000)
def _most(units: tuple[int, ...], amount: int) -> int:
    sums = 1
    for strength in units:
        sums |= sums << strength
    return (sums & ((2 << amount) - 1)).bit_length() - 1


def mean_loss(surplus: float) -> float:
    """What an attack with so much more than the defence takes on the average."""
    return 0.0 if surplus < 0 else MEANS[min(int(surplus), COLUMNS - 1)]


def expected_loss(surplus: Field) -> Field:
    """The same for a whole field."""
    column = np.minimum(np.maximum(np.floor(surplus), -1), COLUMNS - 1)
    return MEAN[column.astype(np.intp)]
