"""Every click is legal or has a specific refusal: one reason, an existing section, a cause that exists."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from khamsin import rulebook
from khamsin.kernel import Match, Rules
from khamsin.kernel.match import GENERIC
from tests import SOAK
from tests.contract.test_contract import GAMES, SKIRMISH, seeds, walk

ENOUGH = 12
"""Decisions of one kind that are looked at in one walk; later ones only now and then."""
SAMPLE = 25
"""Illegal clicks that are tried at each."""


def sections(rules: Rules[Any]) -> set[str]:
    """Return the numbers that a refusal may cite."""
    if rules is SKIRMISH:
        return set("1234567")
    return {entry.number for entry in rulebook.read(rules.id)}


def illegal(match: Match[Any], chance: random.Random) -> list[int]:
    """Return illegal clicks of every class: units and hexes near the legal ones too, which have the finer reasons."""
    rules, decision = match.rules, match.decision
    assert decision is not None
    shut = [click for click in range(len(rules.names)) if click not in decision.legal]
    stands = [match.state.where[unit] for unit in decision.about]
    near = {rules.units + at for at in stands if rules.board.is_hex(at)}
    near |= {click for click in decision.legal if rules.class_of(click) == "hex"}
    around = (
        {
            rules.units + hex
            for click in near
            for hex in rules.board.around(click - rules.units)
            if rules.board.is_hex(hex)
        }
        - decision.legal.keys()
        if near
        else set()
    )
    buttons = [click for click in shut if click >= rules.first_button]
    some = chance.sample(sorted(around), min(SAMPLE // 3, len(around)))
    return [*chance.sample(shut, min(SAMPLE, len(shut))), *some, *chance.sample(buttons, min(3, len(buttons)))]


@pytest.mark.parametrize(
    ("rules", "seed"),
    [(rules, seed) for rules in GAMES for seed in seeds(rules)[: None if SOAK else 1]],
    ids=lambda value: getattr(value, "id", str(value)),
)
def test_every_refusal_is_specific(rules: Rules[Any], seed: int) -> None:
    known, names, seen, faults = sections(rules), set(rules.names), Counter[str](), Counter[str]()
    for match, chance in walk(rules, seed):
        decision = match.decision
        if decision is None or (seen[decision.kind] >= ENOUGH and chance.random() > 0.005):
            continue
        seen[decision.kind] += 1
        for click in illegal(match, chance):
            refusal = match.explain(click)
            causes = [] if refusal.cause in names else refusal.cause.split(", ")
            if refusal.reason.startswith(GENERIC):
                faults[f"{decision.kind}: generic for a {rules.class_of(click)}"] += 1
            elif refusal.rule not in known:
                faults[f"{decision.kind}: section {refusal.rule!r} of {refusal.reason!r}"] += 1
            elif not names.issuperset(causes):
                faults[f"{decision.kind}: cause {refusal.cause!r} of {refusal.reason!r} ({refusal.rule})"] += 1
    assert not faults, "\n".join(f"{count} x {fault}" for fault, count in faults.most_common())


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.id)
def test_a_blocked_button_is_illegal_and_has_a_refusal_and_who_can_act_is_on_the_deciding_side(
    rules: Rules[Any],
) -> None:
    for match, chance in walk(rules, 1):
        if match.decision is None or chance.random() > 0.05:
            continue
        for button, refusal in match.blocked().items():
            assert button not in match.decision.legal
            assert not refusal.reason.startswith(GENERIC)
        assert match.decision.kind
        for unit in match.can_act():
            assert rules.counters[unit].side == match.decision.side
