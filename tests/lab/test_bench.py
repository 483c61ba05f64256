"""The bench of the laboratory: it times the turns of every scenario, whatever its first turn is called."""

from __future__ import annotations

import importlib

import pytest

from khamsin import bench as whole_bench
from khamsin.kernel.dice import SeededDice
from khamsin.kernel.match import Match
from khamsin.lab import bench


def test_the_turns_of_a_scenario_that_begins_late_are_timed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "THINKING_TURNS", {"scripted": 1, "planner": 1})
    monkeypatch.setattr(bench, "AGAINST_RANDOM", {("kasserine", "decide")})
    monkeypatch.setattr(bench, "RANDOM_SEEDS", [1])
    measured = list(bench.thinking("kasserine", "decide"))
    assert [line.what for line in measured] == [
        "longest turn of scripted, kasserine decide",
        "longest turn of scripted against random, kasserine decide",
        "longest turn of planner, kasserine decide",
    ]
    assert all(line.value > 0 for line in measured)


def test_recorded_turns_are_legal_and_within_their_clicks() -> None:
    measured = list(whole_bench.turns())
    assert [line.what for line in measured if line.what.startswith("afrika")] == [
        "afrika, first turn of the Italian offensive by hand",
        "afrika, Rommel's first turn by hand",
    ]
    assert all(line.met and line.value > 20 for line in measured)


def test_the_kernel_alone_repeats_a_recorded_game_of_the_toy() -> None:
    """The legal clicks of a recorded decision outlive it, also where the game lists them lazily."""
    rules = importlib.import_module("tests.toy.skirmish").RULES
    decisions, clicks = whole_bench.script(rules, seed=1)
    match = Match(whole_bench.echo(rules, decisions), "village", dice=SeededDice(0))
    for click, recorded in zip(clicks, decisions, strict=True):
        assert match.decision is not None
        assert match.decision.kind == recorded.kind
        match.click(click)
    assert match.decision is None
    assert len(clicks) > 20


def test_the_clicks_of_the_toy_are_measured_with_its_rules_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_bench, "TOY_GAMES", 2)
    assert [line.what for line in whole_bench.clicks()] == [
        "clicks of the toy game, kernel alone",
        "clicks of the toy game, rules and all",
    ]
