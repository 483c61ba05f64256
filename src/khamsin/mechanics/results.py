"""Combat results: what a cell of a result table means for each side, and the order in which its parts take effect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from khamsin.kernel.rules import Procedure

ALL_STEPS = 10**6
"""The steps lost by an eliminated force: more than any force has."""
UNSTATED = -1
"""The length of a retreat if the cell does not give it."""


class Hit(NamedTuple):
    """What a result means for one side: steps lost, and hexes to retreat."""

    steps: int = 0
    hexes: int = 0


class Result(NamedTuple):
    """What a result means for both sides."""

    attacker: Hit = Hit()
    defender: Hit = Hit()


def read(cell: str, retreat: int = 1) -> Result:
    """Return the meaning of a cell: A and D are the sides, a number is steps lost, E is eliminated, R is a retreat, by
    the number of hexes after it or else by `retreat`.

    >>> read("A1/D2R")
    Result(attacker=Hit(steps=1, hexes=0), defender=Hit(steps=2, hexes=1))
    >>> read("DR3").defender, read("-") == Result(), read("AE").attacker.steps == ALL_STEPS
    (Hit(steps=0, hexes=3), True, True)
    """
    hits = {"A": Hit(), "D": Hit()}
    for side, loss, back, hexes in re.findall(r"([AD])(\d+|E)?(?:(R)(\d*))?", cell):
        steps = ALL_STEPS if loss == "E" else int(loss or 0)
        hits[side] = Hit(steps, int(hexes or retreat) if back else 0)
    return Result(hits["A"], hits["D"])


def mutual(result: Result, attacker_steps: int, defender_steps: int) -> Result:
    """Return a result in which neither side loses the steps that the other cannot lose. An elimination counts in full.

    >>> mutual(read("A1/D2"), 8, 1).attacker.steps, mutual(read("A1/D2"), 8, 2).attacker.steps
    (0, 1)
    """
    attacker, defender = result
    if ALL_STEPS in (attacker.steps, defender.steps):
        return result
    attacker_short = max(0, attacker.steps - attacker_steps)
    defender_short = max(0, defender.steps - defender_steps)
    return Result(
        attacker._replace(steps=max(0, attacker.steps - defender_short)),
        defender._replace(steps=max(0, defender.steps - attacker_short)),
    )


def in_words(cell: str) -> str:
    """Return the meaning of a cell in words, with the length of a retreat if the cell gives it.

    >>> in_words("A1/D2R"), in_words("-"), in_words("DE"), in_words("DR2")
    ('attacker loses 1, defender loses 2 and retreats', 'no effect', 'defender eliminated', 'defender retreats 2 hexes')
    """
    result = read(cell, UNSTATED)
    parts = []
    for side, hit in (("attacker", result.attacker), ("defender", result.defender)):
        if hit.steps == ALL_STEPS:
            parts.append(f"{side} eliminated")
        elif hit.steps or hit.hexes:
            loses = f"loses {hit.steps}" if hit.steps else ""
            length = "" if hit.hexes == UNSTATED else f" {hit.hexes} {'hex' if hit.hexes == 1 else 'hexes'}"
            parts.append(f"{side} " + " and ".join(filter(None, (loses, f"retreats{length}" if hit.hexes else ""))))
    return ", ".join(parts) or "no effect"


def average(outcomes: Mapping[str, Fraction], attacker_steps: int, defender_steps: int) -> str:
    """Return the average steps that both sides lose, of those they have, and the chance that the defender retreats.

    >>> average({"D1R": Fraction(1, 2), "A1": Fraction(1, 2)}, 4, 2)
    'defender loses 0.5 steps, retreats 50%; attacker loses 0.5'
    """
    defender = attacker = back = Fraction(0)
    for cell, chance in outcomes.items():
        result = read(cell)
        defender += chance * min(result.defender.steps, defender_steps)
        attacker += chance * min(result.attacker.steps, attacker_steps)
        back += chance * bool(result.defender.hexes)
    retreats = f", retreats {float(back):.0%}" if back else ""
    return f"defender loses {float(defender):.1f} steps{retreats}; attacker loses {float(attacker):.1f}"


ATTACKER_STEPS, DEFENDER_STEPS, ATTACKER_RETREAT, DEFENDER_RETREAT = range(4)
"""The parts of a result."""


def apply(result: Result, order: Iterable[int], effects: Mapping[int, Callable[[int], Procedure]]) -> Procedure:
    """Apply the parts of a result in the order of the rules. An effect gets the number of steps or hexes; a part of 0
    is skipped."""
    amounts = {
        ATTACKER_STEPS: result.attacker.steps,
        DEFENDER_STEPS: result.defender.steps,
        ATTACKER_RETREAT: result.attacker.hexes,
        DEFENDER_RETREAT: result.defender.hexes,
    }
    for part in order:
        if amounts[part]:
            yield from effects[part](amounts[part])
