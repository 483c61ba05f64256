"""The bench of the laboratory: it times the turns of every scenario, whatever its first turn is called."""

from __future__ import annotations

import pytest

from khamsin import bench as whole_bench
from khamsin.lab import bench


def test_the_turns_of_a_scenario_that_begins_late_are_timed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "THINKING_TURNS", 1)
    measured = list(bench.thinking("kasserine", "decide"))
    assert [line.what for line in measured] == [
        "longest turn of scripted, kasserine decide",
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
