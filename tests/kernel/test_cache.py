"""Caches keyed by versions, and the check that finds a key that lacks something."""

from __future__ import annotations

import numpy as np
import pytest

from khamsin.kernel import cache
from khamsin.kernel.cache import StaleCache, cached, same


def test_an_answer_is_computed_once_for_each_key() -> None:
    calls: list[int] = []

    @cached(lambda n: n)
    def double(n: int) -> int:
        calls.append(n)
        return 2 * n

    assert [double(1), double(1), double(2)] == [2, 2, 4]
    assert calls == [1, 2]


def test_a_key_that_lacks_what_the_function_reads_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "CHECK_EVERY", 1)
    weather = ["dry"]

    @cached(lambda n: n)
    def cost(n: int) -> int:
        return n if weather == ["dry"] else 2 * n

    assert cost(1) == cost(1) == 1
    weather[0] = "rain"
    with pytest.raises(StaleCache, match="cost: cached 1, now 2"):
        cost(1)


def test_answers_are_compared_by_their_contents() -> None:
    class Zones:
        def __init__(self, *hexes: int) -> None:
            self.mask = np.array(hexes)

    assert same(Zones(1, 2), Zones(1, 2))
    assert not same(Zones(1, 2), Zones(1, 3))
    assert same([(1, {2: np.array([3])})], [(1, {2: np.array([3])})])
    assert not same({1: 2}, {1: 3})
