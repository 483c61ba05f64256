"""The learning environment: PettingZoo's own tests, and what its must not leak."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from khamsin import games
from khamsin.env import Environment, env
from khamsin.kernel import Illegal, Match, Rules, SeededDice
from khamsin.kernel.registration import registrations
from tests.contract.test_contract import walked
from tests.toy.skirmish import BLUE, BOARD, MILITIA, RED, RULES

WORLDS: list[tuple[Rules[Any], str]] = [
    (rules, scenario)
    for rules in (RULES, *(games.load(game) for game in games.playable() if game in registrations()))
    for scenario in walked(rules)
]
every_world = pytest.mark.parametrize(("rules", "scenario"), WORLDS, ids=lambda value: getattr(value, "id", value))


def walk(world: Environment, seed: int, most: int = 10_000) -> Iterator[dict[str, Any]]:
    """A random game, one observation at a time."""
    chance = random.Random(seed)
    world.reset(seed=seed)
    for _ in range(most):
        observation, _, over, cut, _ = world.last()
        if over or cut:
            return
        yield observation
        world.step(chance.choice(observation["action_mask"].nonzero()[0].tolist()))


@every_world
def test_it_passes_the_tests_of_the_library(rules: Rules[Any], scenario: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        api_test(env(rules, scenario), num_cycles=300)
        seed_test(lambda: env(rules, scenario), num_cycles=300)


@every_world
def test_the_mask_is_what_is_open_and_the_array_is_the_state(rules: Rules[Any], scenario: str) -> None:
    world = env(rules, scenario)
    for observation in walk(world, 5, most=400):
        decision, slices, array = world.match.decision, world.layout.slices, observation["observation"]
        assert decision is not None
        assert observation["action_mask"].nonzero()[0].tolist() == sorted(decision.legal)
        seen = rules.conceal(world.match.state, decision.side)
        for name in seen.COLUMNS:
            assert array[slices[name]].tolist() == list(getattr(seen, name))
        for name in seen.OWNERS:
            owners = {place: int(side) - 1 for place, side in enumerate(array[slices[name]]) if side}
            assert owners == getattr(seen, name)
        assert np.flatnonzero(array[slices["about"]]).tolist() == sorted(decision.about)
        assert (array[slices["turn"]], array[slices["asked"]]) == (seen.turn, decision.side)


def test_the_same_clicks_as_in_a_match_give_the_same_game() -> None:
    world = env(RULES, "village")
    for _ in walk(world, 9):
        pass
    match = Match(RULES, "village", dice=SeededDice(9))
    for click in world.match.clicks:
        match.click(click)
    assert match.state == world.match.state
    assert match.result is not None
    winner = RULES.sides[match.result.winner]
    assert world.rewards == {name: 1 if name == winner else -1 for name in RULES.sides}


def test_what_a_side_may_not_know_is_not_in_its_observation() -> None:
    world = env(RULES, "village")
    for number, _ in enumerate(walk(world, 3)):
        if number % 7:
            continue
        truth, part = world.match.game.state, world.layout.slices["strength"]
        before = [world.observe(name) for name in RULES.sides]
        world.match.game.state = RULES.imagine(truth, RED, random.Random(number))
        after = [world.observe(name) for name in RULES.sides]
        shuffled = world.match.game.state.strength != truth.strength
        world.match.game.state = truth
        assert (before[RED]["observation"] == after[RED]["observation"]).all()
        assert (before[BLUE]["observation"][part] != after[BLUE]["observation"][part]).any() == shuffled
    assert MILITIA


def test_the_side_that_is_not_asked_sees_nothing_of_the_question() -> None:
    world = env(RULES, "village")
    world.reset(seed=1)
    other = world.observe("Blue")
    assert not other["action_mask"].any()
    assert other["observation"][world.layout.slices["asked"]] == -1


def test_an_action_that_is_not_open_is_refused_with_the_reason_and_changes_nothing() -> None:
    world = env(RULES, "village")
    world.reset(seed=1)
    before = world.match.state.copy()
    with pytest.raises(Illegal, match="not yours"):
        world.step(world.action("B1"))
    assert (world.match.state, world.match.clicks) == (before, [])


def test_an_episode_that_is_too_long_is_cut_off() -> None:
    world = env(RULES, "village", most=10)
    assert len(list(walk(world, 1))) == 10
    assert world.truncations == {"Red": True, "Blue": True}
    assert world.rewards == {"Red": 0, "Blue": 0}


def test_options_and_scenarios_are_those_of_the_game() -> None:
    assert env(RULES, options={"weather": "wet"}).options == {"weather": "wet"}
    assert env(RULES).scenario == "village"
    with pytest.raises(ValueError, match="no such scenario"):
        env(RULES, "night")
    world = env(RULES, "melee")
    assert world.action_space("Red").n == len(RULES.counters) + len(BOARD.names) + len(RULES.buttons)  # type: ignore[attr-defined]
