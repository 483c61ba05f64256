"""Conditions of overruns and phases of several steps, on the toy board."""

from __future__ import annotations

from collections.abc import Generator
from types import SimpleNamespace
from typing import Any

import pytest

from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import overrun, sequence
from tests.mechanics.field import UNIT, game
from tests.toy.skirmish import AROUND, BOARD, LOST, RED

R1, R2, M1 = (UNIT[name] for name in ("R1", "R2", "M1"))


def test_only_enemy_hexes_around_the_stack_can_be_overrun() -> None:
    g = game({"0404": ["R1"], "0405": ["M1"], "0406": ["M2"], "0304": ["R2"]})
    around = AROUND[BOARD["0404"]]
    found = overrun.targets(g, RED, around, lambda hex: None, lambda hex: 3)
    assert found == {BOARD["0405"]: 3}
    refusal = Refusal("No", "4")
    assert overrun.targets(g, RED, around, lambda hex: refusal, lambda hex: 3) == {}
    assert overrun.why_not_adjacent(g, "R1 cannot overrun 0406", BOARD["0406"], around, "4") == (
        "R1 cannot overrun 0406: not adjacent", "4", "0406",
    )  # fmt: skip


def test_a_stack_that_overruns_began_together_and_can_pay() -> None:
    g: Any = SimpleNamespace(state=SimpleNamespace(origin={R1: 4, R2: 5}), rules=game({}).rules)
    assert overrun.why_not_together(g, "They cannot", [R1], "4") is None
    apart = overrun.why_not_together(g, "They cannot", [R1, R2], "4")
    assert apart == ("They cannot: R2 did not begin the phase in the same hex", "4", "R2")
    assert overrun.why_not_paid("They cannot", 3, 3, "4", "0405") is None
    assert overrun.why_not_paid("They cannot", 3, 2, "4", "0405") == ("They cannot: costs 3 MPs, 2 left", "4", "0405")


@pytest.mark.parametrize(
    ("defender", "retreated", "enters"), [(LOST, False, True), (LOST, True, False), (BOARD["0405"], False, False)]
)
def test_survivors_enter_a_hex_that_is_empty_unless_they_retreated(
    defender: int, retreated: bool, enters: bool
) -> None:
    g = game({"0404": ["R1", "R2"], "0405": ["M1"]})

    def combat() -> Generator[Decision, int, bool]:
        g.state.where[R2], g.state.where[M1] = LOST, defender
        return retreated
        yield

    fight = overrun.fight(g, RED, [R1, R2], BOARD["0405"], combat())
    with pytest.raises(StopIteration) as end:
        next(fight)
    assert end.value.value == ([R1], enters, retreated)


def test_a_phase_goes_on_after_the_steps_that_are_over() -> None:
    g: Any = SimpleNamespace(state=SimpleNamespace(todo={"moved": 1}))
    seen = []

    def step(word: str) -> Procedure:
        seen.append((word, dict(g.state.todo)))
        return
        yield

    steps = [(word, lambda word=word: step(word)) for word in ("moved", "bombed", "attacked")]
    assert list(sequence.in_order(g, *steps)) == []
    assert seen == [("bombed", {"moved": 1}), ("attacked", {"moved": 1, "bombed": 1})]
    assert g.state.todo == {}
