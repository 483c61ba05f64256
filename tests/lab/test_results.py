"""The results file: only ever added to, and gone on with."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from khamsin.lab import Finished, GameResult, Results, play
from tests.lab.conftest import TOY


def test_what_was_added_is_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    games = [Finished(0, play(TOY, number)) for number in (3, 1)]
    with Results(file, [TOY]) as results:
        for one in games:
            results.add(one)
    with Results(file, [TOY]) as results:
        assert results.finished == games
        assert results.done == {(0, 3), (0, 1)}


def test_a_line_that_was_cut_off_is_dropped_and_the_file_goes_on_behind_the_last_whole_one(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    with Results(file, [TOY]) as results:
        results.add(Finished(0, GameResult(0, "Red")))
        results.add(Finished(0, GameResult(1, "Blue")))
    file.write_bytes(file.read_bytes()[:-9])
    with Results(file, [TOY]) as results:
        assert results.done == {(0, 0)}
        results.add(Finished(0, GameResult(1, "Blue")))
    assert [json.loads(line).get("number") for line in file.read_text().splitlines()] == [None, 0, 1]


def test_a_file_of_another_study_or_another_kind_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    Results(file, [TOY]).close()
    assert not file.exists()
    with Results(file, [TOY]) as results:
        results.add(Finished(0, GameResult(0, "Red")))
    before = file.read_bytes()
    with pytest.raises(ValueError, match="expected the same studies"):
        Results(file, [replace(TOY, seed=12)])
    assert file.read_bytes() == before
    file.write_text('{"khamsin": 1}\n')
    with pytest.raises(ValueError, match="expected a results file of the laboratory"):
        Results(file, [TOY])
    file.write_bytes(before + b"{broken\n")
    with pytest.raises(ValueError, match=":3: expected a line of JSON"):
        Results(file, [TOY])
