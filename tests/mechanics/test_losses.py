"""Losses: steps by the owner's choice, and whole units up to an amount."""

from __future__ import annotations

from typing import Any

from khamsin.kernel import NOWHERE
from khamsin.kernel.rules import Game, Refusal
from khamsin.mechanics.losses import lose_steps, lose_units
from tests.mechanics.field import UNIT, drive, game, names, why
from tests.toy.skirmish import RED

G = Game[Any]
R1, R2, T1 = (UNIT[name] for name in ("R1", "R2", "T1"))


def left(g: G, unit: int) -> int:
    return 0 if g.state.where[unit] == NOWHERE else g.state.steps[unit]


def lose_step(g: G, unit: int) -> None:
    g.state.steps[unit] -= 1
    if not g.state.steps[unit]:
        g.state.where[unit] = NOWHERE


def force() -> G:
    g = game({"0404": ["R1", "R2", "T1"]})
    g.state.steps[T1] = 2
    return g


def first_loses(g: G, unit: int) -> Refusal:
    return Refusal("It leads", "5", g.rules.names[unit])


def test_the_owner_chooses_step_by_step_among_units_that_are_left() -> None:
    g = force()
    decision = drive(g, lose_steps(g, RED, [R1, R2, T1], 3, lose_step, left, "5"), "R1")
    assert names(decision) == {"R2", "T1"}
    assert "2 to lose" in decision.prompt
    assert decision.listed()[T1] == "2 steps"
    assert why(g, decision, "R1") == ("5", "R1")
    assert why(g, decision, "R4") == ("5", "R4")


def test_the_prompt_counts_the_steps_that_are_asked_for_later() -> None:
    g = force()
    decision = drive(g, lose_steps(g, RED, [R1, R2, T1], 1, lose_step, left, "5", later=2))
    assert "3 to lose" in decision.prompt


def test_what_has_no_alternative_is_not_asked() -> None:
    g = force()
    assert drive(g, lose_steps(g, RED, [T1], 1, lose_step, left, "5")) is None
    assert g.state.steps[T1] == 1


def test_the_first_step_may_be_bound_to_some_units() -> None:
    g = force()
    assert drive(g, lose_steps(g, RED, [R1, R2, T1], 1, lose_step, left, "5", (T1,), first_loses)) is None
    assert g.state.steps[T1] == 1
    g = force()
    decision = drive(g, lose_steps(g, RED, [R1, R2, T1], 2, lose_step, left, "5", (R1, T1), first_loses))
    assert names(decision) == {"R1", "T1"}
    assert why(g, decision, "R2") == ("5", "R1")


def worth(g: G, unit: int) -> int:
    return {R1: 2, R2: 2, T1: 3}[unit]


def test_whole_units_come_as_near_to_the_amount_as_they_can() -> None:
    g = force()
    assert drive(g, lose_units(g, RED, [R1, R2, T1], 8, worth, "6", "CF")) == [R1, R2, T1]
    assert drive(g, lose_units(g, RED, [R1, R2, T1], 1, worth, "6", "CF")) == []
    assert drive(g, lose_units(g, RED, [R1, R2, T1], 3, worth, "6", "CF")) == [T1]


def test_where_choices_come_equally_near_the_owner_picks() -> None:
    g = force()
    decision = drive(g, lose_units(g, RED, [R1, R2, T1], 2, worth, "6", "CF"))
    assert names(decision) == {"R1", "R2"}
    assert why(g, decision, "T1") == ("6", "T1")
    assert why(g, decision, "R4") == ("6", "R4")
    assert drive(g, lose_units(g, RED, [R1, R2, T1], 2, worth, "6", "CF"), "R2") == [R2]
