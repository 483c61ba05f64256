"""Combat results: what a cell of a result table means for each side, and the order in which its parts take effect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from khamsin.kernel.rules import Procedure

ALL_STEPS = 10**6
"""The steps lost by a force that is eliminated: more than any force has."""


class Hit(NamedTuple):
    """What a result means for one side: steps lost, and hexes to retreat."""

    steps: int = 0
    hexes: int = 0


class Result(NamedTuple):
    """What a result means for both sides."""

    attacker: Hit = Hit()
    defender: Hit = Hit()


def read(cell: str, retreat: int = 1) -> Result:
    """Return the meaning of a cell: A and D are the sides, a number is steps lost, E is eliminated, R is a retreat, by the
    hexes given behind it or else by `retreat`.

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
    """Return a result in which neither side loses the steps that the other is short of. An elimination is short of nothing.

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


ATTACKER_STEPS, DEFENDER_STEPS, ATTACKER_RETREAT, DEFENDER_RETREAT = range(4)
"""The parts of a result."""


def apply(result: Result, order: Iterable[int], effects: Mapping[int, Callable[[int], Procedure]]) -> Procedure:
    """Apply the parts of a result in the order of the rules. An effect gets the number of steps or hexes; a part that demands
    nothing is skipped."""
    amounts = {
        ATTACKER_STEPS: result.attacker.steps,
        DEFENDER_STEPS: result.defender.steps,
        ATTACKER_RETREAT: result.attacker.hexes,
        DEFENDER_RETREAT: result.defender.hexes,
    }
    for part in order:
        if amounts[part]:
            yield from effects[part](amounts[part])
