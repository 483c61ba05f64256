"""Caches keyed by versions, and the check that finds a key that lacks something."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from khamsin.kernel import cache
from khamsin.kernel.cache import StaleCache, cached, same, until_change
from khamsin.kernel.pieces import State, UnitLocations, VersionedDict


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


class Desert(State):
    SCALARS = State.SCALARS | {"storm": 0}
    OWNERS = ("fort",)
    VERSIONED = ("fort",)
    WATCHED = 0b10
    fort: VersionedDict


def test_an_answer_is_kept_until_a_unit_of_the_side_moves_or_something_else_changes() -> None:
    asked: list[int] = []

    @until_change
    def seen(g: Any, side: int) -> int:
        asked.append(side)
        return len(asked)

    state = Desert(2)
    state.where = UnitLocations([7, 8], sides=[0, 1])
    g = SimpleNamespace(state=state)
    changes: list[Callable[[], object]] = [
        lambda: state.where.__setitem__(0, 9),
        lambda: setattr(state, "storm", 1),
        lambda: state.flags.__setitem__(1, 0b10),
        lambda: state.fort.__setitem__(7, 0),
        lambda: state.where.rearrange({0: 8}),
        lambda: setattr(g, "state", state.copy()),
    ]
    for number, change in enumerate(changes, 1):
        assert seen(g, 0) == seen(g, 0) == number
        change()
    last = seen(g, 0)
    g.state.where[1] = 6
    assert seen(g, 0) == last
    with g.state.where.supposing({0: 3}):
        assert seen(g, 0) == last + 1
    assert seen(g, 0) == last + 2
