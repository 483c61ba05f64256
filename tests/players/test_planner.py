"""The planner: it tries stances before it moves, believes only what trials bear out, and can be told to move at once."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

import pytest

from khamsin import games
from khamsin.kernel import KeyedDice, Match
from khamsin.players import Passive, Planner, Player, Scripted, answer, play_out
from khamsin.players.kasserine.weights import HOME
from khamsin.players.planner import BUDGET, PATIENCE, StanceScore
from tests import SOAK

MIN_TRIALS = 20_000
"""Clicks in which every game is over."""
STANCES = [
    (game, side, stance)
    for game in ("paa", "kasserine")
    for side in (0, 1)
    for stance in import_module(f"khamsin.players.{game}.weights").STANCES[side]
][:: 1 if SOAK else 4]
"""Every stance of either side in `make soak`, every fourth otherwise."""


def begun(game: str, scenario: str, seed: int = 1) -> Match[Any]:
    return Match(games.load(game), scenario, dice=KeyedDice.seeded(seed))


def first_turn(me: Player) -> list[int]:
    """The clicks of the Axis until its first combats."""
    match = begun("kasserine", "faid")
    while match.decision is not None and match.phase.name != "axis combat declaration":
        match.click(answer(match, me if match.decision.side == 0 else Passive()))
    return list(match.clicks)


@pytest.mark.parametrize(("game", "side", "stance"), STANCES, ids=lambda part: str(part))
def test_a_game_in_any_stance_comes_to_an_end(game: str, side: int, stance: str) -> None:
    match, me = begun(game, "campaign" if game == "paa" else "faid", seed=3002), Scripted(3002)
    strategist = import_module(f"khamsin.players.{game}").strategist(side, random.Random(6005))
    strategist.adopt(stance)
    me.lead(game, side, strategist)
    other = Scripted(3003)
    play_out(match, (me, other) if side == 0 else (other, me), MIN_TRIALS)
    assert match.result is not None


def test_a_stance_is_believed_the_more_the_oftener_it_was_better() -> None:
    once = StanceScore().and_one(2.0)
    twice = once.and_one(2.0)
    assert 0.0 < once.gain < twice.gain < 2.0
    assert StanceScore().and_one(2.0).and_one(-2.0).gain == 0.0


def test_what_an_earlier_turn_found_counts_less_than_what_this_one_finds() -> None:
    assert 0.0 < StanceScore().and_one(2.0).faded().gain < StanceScore().and_one(2.0).gain


def test_the_same_seed_tries_the_same_and_moves_the_same() -> None:
    one, other = Planner(7, clicks=1500, budget=600.0), Planner(7, clicks=1500, budget=600.0)
    assert first_turn(one) == first_turn(other)
    assert one.log == other.log


def test_its_log_says_what_was_tried() -> None:
    me = Planner(7, clicks=1500, budget=600.0)
    first_turn(me)
    (line,) = [line for line in me.log if "trials" in line]
    assert "storm" in line
    assert "careful" in line


def test_told_to_move_at_once_it_tries_nothing_and_plays_as_it_usually_does() -> None:
    me = Planner(7)
    me.stop = True
    first_turn(me)
    assert f"turn 1: {HOME['faid'][0]}, after 0 trials (), too few to choose another stance" in me.log


@pytest.mark.parametrize(("hurdle", "clicks"), [("inf", 1500), ("-inf", 1)])
def test_what_promises_too_little_or_was_tried_only_once_is_not_followed(hurdle: str, clicks: int) -> None:
    strategist = import_module("khamsin.players.kasserine").strategist(0, random.Random(1))
    strategist.hurdle = float(hurdle)
    me = Planner(7, clicks=clicks, budget=600.0)
    me.lead("kasserine", 0, strategist)
    first_turn(me)
    assert strategist.stance == HOME["faid"][0]


def test_waiting_for_a_busy_machine_is_not_thinking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.thread_time", lambda: 0.0)
    monkeypatch.setattr("time.monotonic", lambda: 1.5 * BUDGET)
    me = Planner(7)
    assert not me.over((0.0, 0.0), 10)
    assert me.over((-1.5 * BUDGET, 0.0), 10)
    assert me.over((0.0, -PATIENCE * BUDGET), 10)


def test_the_staff_begins_in_the_stance_of_the_scenario() -> None:
    chiefs = [import_module("khamsin.players.tunisia").strategist(side, random.Random(1)) for side in (0, 1)]
    first = [chief.stances(begun("tunisia", "kasserine").game)[0] for chief in chiefs]
    assert first == ["towards A21.05 (Tebessa)", "as usual"]


def test_a_stance_towards_a_place_makes_its_goals_worth_more() -> None:
    g = begun("afrika", "alam-halfa").game
    strategist = import_module("khamsin.players.afrika").strategist(0, random.Random(1))
    towards = next(stance for stance in strategist.stances(g) if stance.startswith("towards "))
    before = strategist.goals(g)
    after = strategist.again(towards).goals(g)
    more = [new.worth / old.worth for old, new in zip(before, after, strict=True)]
    assert set(more) == {1.0, strategist.weights["towards"]}
    assert max(before, key=lambda goal: goal.worth).hex == max(after, key=lambda goal: goal.worth).hex


def test_the_staff_tries_stances_when_the_game_is_about_to_end_and_not_before() -> None:
    g = begun("afrika", "alam-halfa").game
    strategist = import_module("khamsin.players.afrika").strategist(0, random.Random(1))
    assert strategist.effort(g) == 0
    g.state.turn += strategist.theatre.left(g)
    assert strategist.effort(g) > 0


def test_it_hears_how_far_its_trials_are() -> None:
    heard: list[float] = []
    me = Planner(7, clicks=1500, budget=600.0)
    me.progress = heard.append
    first_turn(me)
    assert heard == sorted(heard)
    assert heard[-1] == 1.0
