"""What a decision leaves behind is freed at once."""

from __future__ import annotations

import gc
import random
from typing import Any

import pytest

from khamsin.kernel import KeyedDice, Match, Rules
from tests.contract.test_contract import GAMES

CLICKS = 400


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.id)
def test_decisions_refer_to_nothing_that_refers_to_them(rules: Rules[Any]) -> None:
    """Otherwise the arrays of every reach stay in memory until the next garbage collection, which makes all else slower."""
    walk(rules)  # what is compiled or made once is not counted
    gc.collect()
    gc.disable()
    try:
        match = walk(rules)
        assert gc.collect() < len(match.clicks) // 4
    finally:
        gc.enable()


def walk(rules: Rules[Any]) -> Match[Any]:
    """A random game up to a number of clicks."""
    chance = random.Random(5)
    match = Match(rules, next(iter(rules.scenarios)), dice=KeyedDice.seeded(5))
    while match.decision is not None and len(match.clicks) < CLICKS:
        match.click(match.decision.pick(chance.random))
    return match
