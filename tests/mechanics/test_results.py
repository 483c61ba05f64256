"""Combat results: what a cell means, and in which order its parts take effect."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from khamsin.kernel.rules import Procedure
from khamsin.mechanics.results import (
    ALL_STEPS,
    ATTACKER_RETREAT,
    ATTACKER_STEPS,
    DEFENDER_RETREAT,
    DEFENDER_STEPS,
    Hit,
    Result,
    apply,
    mutual,
    read,
)


@pytest.mark.parametrize(
    ("cell", "result"),
    [
        ("-", Result()),
        ("A1", Result(Hit(1))),
        ("D2R", Result(defender=Hit(2, 1))),
        ("DR3", Result(defender=Hit(0, 3))),
        ("AE", Result(Hit(ALL_STEPS))),
        ("A1R/D1", Result(Hit(1, 1), Hit(1))),
        ("A1D1R2", Result(Hit(1), Hit(1, 2))),
    ],
)
def test_a_cell_names_steps_and_hexes_of_both_sides(cell: str, result: Result) -> None:
    assert read(cell) == result


def test_a_retreat_without_a_number_has_the_length_of_the_table() -> None:
    assert read("DR", retreat=2).defender.hexes == 2


@pytest.mark.parametrize(
    ("cell", "steps", "lost"),
    [
        ("A1/D2", (8, 1), (0, 2)),
        ("A1/D2", (8, 2), (1, 2)),
        ("A2/D2", (1, 4), (2, 1)),
        ("A1/DE", (8, 1), (1, ALL_STEPS)),
    ],
)
def test_no_side_loses_the_steps_that_the_other_is_short_of(
    cell: str, steps: tuple[int, int], lost: tuple[int, int]
) -> None:
    found = mutual(read(cell), *steps)
    assert (found.attacker.steps, found.defender.steps) == lost


def test_parts_take_effect_in_the_order_of_the_rules_and_empty_ones_do_not() -> None:
    done: list[tuple[int, int]] = []

    def effect(part: int) -> object:
        def run(amount: int) -> Procedure:
            done.append((part, amount))
            nothing: Iterator[None] = iter(())
            yield from nothing  # type: ignore[misc]

        return run

    parts = (ATTACKER_STEPS, DEFENDER_STEPS, ATTACKER_RETREAT, DEFENDER_RETREAT)
    effects = {part: effect(part) for part in parts}
    list(apply(read("A1/D2R"), (DEFENDER_STEPS, DEFENDER_RETREAT, ATTACKER_STEPS, ATTACKER_RETREAT), effects))  # type: ignore[arg-type]
    assert done == [(DEFENDER_STEPS, 2), (DEFENDER_RETREAT, 1), (ATTACKER_STEPS, 1)]
