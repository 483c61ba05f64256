"""Zones, stacking and the selection of units, on a board of a few hexes."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from khamsin.kernel.pieces import State, UnitLocations
from khamsin.kernel.rules import Choices, Decision
from khamsin.mechanics import stacks
from khamsin.mechanics.stacking import Stacking
from khamsin.mechanics.zones import Zones

UNITS, PLACES = 5, 4
CANCEL, FORMATION = UNITS + PLACES, UNITS + PLACES + 1


class Weather(State):
    SCALARS = State.SCALARS | {"calm": 0}


def game(*where: int, sides: tuple[int, ...] = (0, 0, 0, 1, 1)) -> Any:
    state = Weather(UNITS)
    state.where = UnitLocations(where, sides)
    return SimpleNamespace(
        state=state,
        place0=UNITS,
        board=SimpleNamespace(name=str),
        is_unit=lambda click: click < UNITS,
        location=lambda click: click - UNITS,
        rules=SimpleNamespace(button={"cancel": CANCEL, "formation": FORMATION}.__getitem__),
    )


def mates(g: Any, group: Any) -> list[int]:
    return [unit for unit in g.state.where.stacks(0)[g.state.where[group[0]]] if unit not in group]


def selection(g: Any, first: int, clicks: list[int], formation: Any = None) -> tuple[list[int], int]:
    """The units and the click that end a selection."""
    units = stacks.selected(g, first, [0, 1, 2], partial(mates, g))
    ask = lambda units, others: Decision(0, "move.to", "", "5", dict.fromkeys(units), about=tuple(units))  # noqa: E731
    procedure = stacks.select(g, units, partial(mates, g), ask, formation)
    try:
        next(procedure)
        for click in clicks:
            procedure.send(click)
    except StopIteration as end:
        chosen: tuple[list[int], int, Decision] = end.value
        return chosen[:2]
    raise AssertionError("the selection has not ended")


def test_a_unit_selects_itself_and_a_location_all_that_can_go() -> None:
    g = game(1, 1, 2, 3, 3)
    assert selection(g, 0, [UNITS + 3]) == ([0], UNITS + 3)
    assert selection(g, UNITS + 1, [UNITS + 3]) == ([0, 1], UNITS + 3)


def test_a_unit_adds_and_removes_itself() -> None:
    g = game(1, 1, 1, 3, 3)
    assert selection(g, 0, [2, UNITS]) == ([0, 2], UNITS)
    assert selection(g, UNITS + 1, [0, UNITS]) == ([1, 2], UNITS)


def test_cancel_or_removing_the_last_unit_drops_the_selection() -> None:
    g = game(1, 1, 1, 3, 3)
    assert selection(g, 0, [CANCEL])[0] == []
    assert selection(g, 0, [0])[0] == []


def test_a_button_selects_the_formation() -> None:
    g = game(1, 1, 1, 3, 3)
    assert selection(g, 0, [FORMATION, UNITS], {0: "A", 1: "B", 2: "A"}.get) == ([0, 2], UNITS)


def test_ready_units_are_asked_again_only_when_they_act() -> None:
    g = game(1, 1, 2, 3, 3)
    able = {0: True, 1: None, 2: False}
    ready = stacks.Ready(g, [0, 1, 2], lambda unit: unit == 1, able.get)
    assert list(ready.now(99)) == [0, 1, UNITS + 1, 99]
    able[0] = False
    assert 0 in ready.now()
    ready.update([0])
    now = ready.now()
    assert (0 in now, 1 in now, UNITS + 1 in now, UNITS + 2 in now) == (False, True, True, False)
    with pytest.raises(KeyError):
        now[0]
    assert [now.nth(number) for number in range(len(now))] == list(now)


def test_a_random_click_is_legal_and_asks_only_what_it_draws() -> None:
    g = game(1, 1, 2, 3, 3)
    asked: list[int] = []
    able = {0: True, 1: None, 2: True}
    ready = stacks.Ready(g, [0, 1, 2], lambda unit: bool(asked.append(unit)), able.get)
    opened: list[bool] = []

    def picks(opens: bool) -> Counter[int]:
        chance = random.Random(1).random
        now = ready.now(98, maybe={99: lambda: bool(opened.append(opens)) or opens})
        return Counter(now.pick(chance) for _ in range(1000))

    first = ready.now(98, maybe={99: lambda: bool(opened.append(True))})
    assert first.pick(lambda: 0.0) == 0
    assert (asked, opened) == ([], [])
    for opens in (True, False):
        found = picks(opens)
        assert found.keys() == {0, 2, UNITS + 1, 98} | ({99} if opens else set()), (
            "a location with one unit is the unit"
        )
        assert max(found.values()) < 1.4 * min(found.values())


def test_units_that_surely_cannot_act_are_not_drawn() -> None:
    """Also when one has just acted, and when one can act again."""
    g, idle = game(1, 2, 3, 3, 3), {2}
    ready = stacks.Ready(g, range(3), lambda unit: True, lambda unit: unit not in idle)
    tries = 0

    def draws() -> float:
        nonlocal tries
        tries += 1
        return 0.0

    for changed, first in (set(), 0), ({0}, 1), ({0, 1}, 2):
        idle.clear()
        idle.update(changed)
        ready.update(range(3))
        assert (ready.now(CANCEL).pick(draws), ready.now(CANCEL).units()[0]) == (first, first)
    assert tries == 3


@pytest.mark.parametrize("maybe", [range(6), [0, 1, 2, 3, 4, 5]])
def test_choices_are_equally_likely_and_no_refused_one_is_drawn_again(maybe: Any) -> None:
    """Also those that are both sure and may be legal."""
    asked: list[int] = []

    def is_legal(click: int) -> bool:
        asked.append(click)
        return click in (1, 5)

    choices, draws, drawn = Choices({5: None, 9: None}, maybe, is_legal), random.Random(1).random, Counter[int]()
    for _ in range(3000):
        asked.clear()
        drawn[choices.pick(draws)] += 1
        assert len(asked) == len(set(asked))
    assert set(drawn) == {1, 5, 9}
    assert all(900 < count < 1100 for count in drawn.values())


def test_a_random_click_lists_all_where_nearly_nothing_is_legal() -> None:
    g = game(1, 1, 2, 3, 3)
    ready = stacks.Ready(g, [0, 1, 2], lambda unit: unit == 2)
    assert ready.now().pick(lambda: 0.0) == 2


def test_what_is_legal_stays_as_it_was_when_units_act() -> None:
    g = game(1, 1, 2, 3, 3)
    able = {0: True, 1: True, 2: True}
    ready = stacks.Ready(g, [0, 1, 2], lambda unit: True, able.get)
    before = ready.now()
    able[0] = False
    ready.update([0])
    assert 0 in before
    assert 0 not in ready.now()


def test_points_are_counted_on_after_a_move() -> None:
    g = game(1, 1, 2, 3, 3)
    three = Stacking([1, 2, 3, 1, 1], [3] * PLACES, "4", "points")
    assert three.used(g, 0) == {1: 3, 2: 3}
    g.state.where[1] = 2
    assert three.used(g, 0) == {1: 1, 2: 5}
    assert three.overfull(g, 0) == [2]
    g.state.where[0] = 2
    assert three.used(g, 0) == {2: 6}


def test_a_full_location_takes_units_if_others_can_leave() -> None:
    g = game(1, 1, 2, 3, 3)
    two = Stacking([1] * UNITS, [2] * PLACES, "4", "units")
    assert two.is_full(g, 0, 1, 1)
    assert not two.is_full(g, 0, 1, 1, lambda unit: unit == 0)
    assert two.is_full(g, 0, 1, 2, lambda unit: unit == 0)
    end = two.end(g, 0, [2])
    refusal = end.refuse(1)
    assert refusal is not None
    assert refusal.reason == "1 would exceed 2 units; move a unit out first"
    assert list(end.among()) == [1]
    assert end.refuse(0) is None


def test_units_that_alone_exceed_the_limit_are_told_to_leave_one_behind() -> None:
    g = game(1, 1, 2, 3, 3)
    two = Stacking([1] * UNITS, [2] * PLACES, "4", "units")
    refusal = two.end(g, 0, [0, 1, 2]).refuse(0)
    assert refusal is not None
    assert refusal.reason == "0 would exceed 2 units; leave a unit behind"


def test_tight_locations_are_suspected_though_empty() -> None:
    g = game(1, 1, 2, 3, 3)
    some = Stacking([1] * UNITS, [1, 3, 3, 3], "4", "units")
    assert list(some.suspects(g, 0, 2)) == [1, 0]
    assert list(some.suspects(g, 0, 4)) == [0, 1, 2, 3]


def test_zones_follow_the_units_and_what_else_they_depend_on() -> None:
    g = game(1, 1, 2, 3, 3)
    zones = Zones(
        PLACES, lambda g, side, hex, stack: () if g.state.calm else [(hex + 1) % PLACES], lambda g, side: g.state.calm
    )
    assert zones.of(g, 0).hexes == b"\0\0\1\1"
    assert zones.exerting(g, 0, 3) == [2]
    assert zones.sources(g, 0, 2) == [1]
    g.state.where[2] = 1
    assert zones.of(g, 0).hexes == b"\0\0\1\0"
    copy = SimpleNamespace(state=g.state.copy())
    copy.state.calm = 1
    assert zones.of(copy, 0).exerting == frozenset()
    assert zones.of(g, 0).hexes == b"\0\0\1\0"
    g.state.calm = 1
    assert zones.of(g, 0).exerting == frozenset()


def test_points_are_counted_on_after_any_moves() -> None:
    chance = random.Random(4)
    g = SimpleNamespace(state=SimpleNamespace(where=UnitLocations([0, 0, 1, 2], sides=[0, 0, 0, 1])))
    kept = Stacking([1, 2, 0, 1], [2] * 3, "4", "points")
    for _ in range(200):
        for _ in range(chance.randrange(1, 4)):
            g.state.where[chance.randrange(4)] = chance.randrange(-1, 4)
        assert kept.used(g, 0) == Stacking([1, 2, 0, 1], [2] * 3, "4", "points").used(g, 0)
