"""khamsin sim, as a user meets it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_cli import Answer

SIM = ("sim", "skirmish", "village", "--red", "random", "--blue", "passive", "--seed", "4")


@pytest.mark.usefixtures("spawned_workers")
def test_games_are_played_and_reported(khamsin) -> None:
    answer: Answer = khamsin(*SIM, "--games", "6", "--jobs", "1")
    assert answer.code == 0
    assert "Skirmish, village, 6 games" in answer.out
    assert "Red" in answer.out
    assert "95 % interval" in answer.out


def test_a_what_if_prints_the_difference_and_writes_a_page(khamsin, tmp_path: Path) -> None:
    page, results = tmp_path / "page.html", tmp_path / "results.jsonl"
    answer: Answer = khamsin(
        *SIM,
        "--games",
        "4",
        "--jobs",
        "2",
        "--what-if",
        "option.weather=wet",
        "--json",
        "--report",
        page,
        "--resume",
        results,
    )
    found = json.loads(answer.out)
    assert found["difference"]["pairs"] == found["difference"]["same"] == 4
    assert [arm["study"]["options"] for arm in found["studies"]] == [{}, {"weather": "wet"}]
    assert "What if" in page.read_text()
    assert len(results.read_text().splitlines()) == 9


def test_a_run_goes_on_where_its_file_ends(khamsin, tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    khamsin(*SIM, "--games", "3", "--jobs", "1", "--resume", results, "--json")
    lines = results.read_text().splitlines()
    whole: Answer = khamsin(*SIM, "--games", "6", "--jobs", "1", "--resume", results, "--json")
    fresh: Answer = khamsin(*SIM, "--games", "6", "--jobs", "2", "--json")
    assert whole.out == fresh.out
    assert results.read_text().splitlines()[:4] == lines


def test_sides_go_by_the_names_of_the_game(khamsin) -> None:
    for words, reason in (
        (("--axis", "random"), "the sides of Skirmish are red, blue"),
        (("--green", "random"), "the sides of Skirmish are red, blue"),
        (("--red",), "--red: no such option"),
        (("--set", "weather=hail"), "expected one of dry, wet"),
        (("--report", "page.pdf"), "use a name that ends in .html"),
        (("--what-if", "nonsense"), "expected a change as path=value"),
    ):
        answer: Answer = khamsin("sim", "skirmish", "village", "--games", "1", *words)
        assert (answer.code, reason in answer.err) == (2, True), answer.err


def test_ctrl_c_keeps_what_is_done_and_reports_it(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    command = [sys.executable, "-m", "khamsin", *SIM, "--games", "1000000", "--jobs", "2", "--resume", str(results)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and (not results.exists() or results.read_bytes().count(b"\n") < 5):
            os.sched_yield()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    finished = len(results.read_text().splitlines()) - 1
    assert process.returncode == 130, err
    assert f"stopped with {finished} of 1000000 games finished" in err
    assert f"Skirmish, village, {finished} games" in out
