"""Standing orders of every game: declared for kinds that exist, answered from what the side knows, never with an error."""

from __future__ import annotations

import logging
import random
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import khamsin
from khamsin.kernel import Match, Rules, SeededDice
from khamsin.kernel.orders import (
    Order,
    OrderKind,
    Policy,
    accepts,
    answer,
    check,
    declared,
    describe,
    known,
    offers,
    presets,
)
from tests import SOAK
from tests.contract.test_contract import GAMES, begun, choice, walk
from tests.toy.ambush import RULES as AMBUSH

CLICKS = 100_000 if SOAK else 3_000
"""Clicks of random play in each game."""
LOOKED_AT = 500 if SOAK else 40
"""Decisions of one kind that are looked at."""

every_game = pytest.mark.parametrize("rules", [*GAMES, AMBUSH], ids=lambda rules: str(rules.id))


def values(match: Match[Any], policy: Policy) -> dict[str, int | str]:
    """Values for a policy: defaults, and a place if one is required."""
    place = match.rules.board.places[0].name
    return check(match.rules, policy, {one.name: place for one in policy.parameters if one.required})


def orders_of(match: Match[Any], kind: OrderKind) -> list[Order]:
    assert match.decision is not None
    return [
        Order(number, match.decision.side, kind.kind, policy.id, values(match, policy), "")
        for number, policy in enumerate(kind.policies)
        if policy.id not in ("fails",)
    ]


@every_game
def test_declared_kinds_are_asked_somewhere_and_policies_can_be_told_apart(rules: Rules[Any]) -> None:
    source = Path(khamsin.__file__).parent
    folders = [source / "games" / rules.id, source / "mechanics", Path(__file__).parents[1] / "toy"]
    text = "".join(file.read_text(encoding="utf-8") for folder in folders for file in folder.glob("*.py"))
    assert len({kind.kind for kind in rules.orders}) == len(rules.orders)
    for kind in rules.orders:
        assert text.count(f'"{kind.kind}"') > 1, f"{kind.kind}: declared in orders.py alone"
        assert kind.title[:1].isupper()
        assert len({policy.id for policy in kind.policies}) == len(kind.policies)
        for policy in kind.policies:
            given = values(begun(rules, 0), policy)
            assert "{" not in describe(policy, given)
            assert len(policy.id) <= 80
    for side in range(len(rules.sides)):
        assert [order.kind for order in presets(rules, side)] == [kind.kind for kind in rules.orders if kind.preset]


def test_a_preset_that_names_no_policy_is_refused() -> None:
    odd = AMBUSH.orders[0]._replace(preset="nothing")
    with pytest.raises(ValueError, match=f"{odd.kind}: preset 'nothing' is not one of its policies"):
        presets(replace(AMBUSH, orders=(odd,)), 0)


@every_game
def test_a_policy_gives_a_legal_click_or_none_and_the_same_where_the_side_sees_the_same(
    rules: Rules[Any], caplog: pytest.LogCaptureFixture
) -> None:
    seen: Counter[str] = Counter()
    caplog.set_level(logging.ERROR)
    made = 0
    for seed in range(12):
        for match, chance in islice(walk(rules, seed), CLICKS // 12):
            made += 1
            decision = match.decision
            kind = declared(rules, decision.kind) if decision else None
            if decision is None or kind is None or not accepts(match) or seen[kind.kind] >= LOOKED_AT:
                continue
            seen[kind.kind] += 1
            for order in orders_of(match, kind):
                found = answer(match, [order])
                assert found is None or found[1] in decision.legal
                if rules.has_hidden_info and seen[kind.kind] <= 3:
                    other = match.imagined(decision.side, random.Random(chance.random()), SeededDice(0))
                    assert answer(other, [order]) == found
    assert made
    assert not [line for line in caplog.messages if "fails" not in line], caplog.messages


@every_game
def test_offers_press_legal_buttons_and_only_where_orders_are_accepted(rules: Rules[Any]) -> None:
    match, chance = begun(rules, 1), random.Random(1)
    for _ in range(CLICKS // 6):
        decision = match.decision
        if decision is None:
            return
        view = match.game.seen_by(decision.side)
        found = offers(match, view)
        assert not found or accepts(match)
        for policy in found:
            assert policy.answer(view, known(decision), values(match, policy)) in decision.legal
        match.click(choice(match, chance))
