"""Many games at once: the same games whoever plays them, and none lost when a worker is."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from multiprocessing import active_children
from threading import Thread

import pytest

from khamsin.lab import Finished, GameResult, Run, Study, play
from khamsin.lab.local import Processes
from khamsin.lab.play import prepare
from tests.lab.conftest import TOY

PAA = Study("paa", "campaign", ("random", "random"), seed=3)


def numbers(finished: list[Finished]) -> list[int]:
    return sorted(outcome.number for _, outcome in finished)


def by_number(run: Run) -> dict[int, GameResult]:
    return {outcome.number: outcome for _, outcome in run}


def here(study: Study, games: int) -> dict[int, GameResult]:
    """The same games, one after another in this process."""
    return {number: play(study, number) for number in range(games)}


def test_the_same_seed_gives_the_same_games_whatever_the_number_of_jobs() -> None:
    one, two = by_number(Run([TOY], 20, jobs=1)), by_number(Run([TOY], 20, jobs=2))
    assert one == two == here(TOY, 20)


def test_games_that_are_done_are_not_played_again() -> None:
    assert by_number(Run([TOY], 8, jobs=1, done={(0, n) for n in range(7)})) == {7: play(TOY, 7)}


def test_another_seed_gives_other_games() -> None:
    assert here(TOY, 4) != here(replace(TOY, seed=12), 4)


def test_a_worker_killed_in_the_middle_loses_no_game() -> None:
    pool = Processes()
    run = Run([PAA], 6, jobs=2, pool=pool)
    finished: list[Finished] = []
    victim = None
    for one in run:
        finished.append(one)
        if victim is None:
            worker, assignment = max(run.assignments.items(), key=lambda item: len(item[1].given))
            assert assignment.given
            victim = pool.staff[worker]  # type: ignore[index]
            os.kill(assignment.pid, signal.SIGKILL)
    assert victim is not None
    assert victim.exitcode == -signal.SIGKILL
    assert numbers(finished) == list(range(6))
    assert {outcome.number: outcome for _, outcome in finished} == here(PAA, 6)


def test_a_game_that_kills_every_worker_is_given_up_and_the_others_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHAMSIN_GAMES", "tests.lab.accidents:DEADLY")
    study = replace(TOY, game="deadly", seed=12)
    killers = [number for number in range(8) if study.dice(number).roll("fate") == 1]
    found = by_number(Run([study], 8, jobs=1))
    assert len(killers) == 1
    assert sorted(found) == list(range(8))
    for number, outcome in found.items():
        assert ("died 3 times: signal SIGKILL" in outcome.error) == (number in killers) == (outcome.clicks == 0)


def test_a_fault_in_the_rules_is_an_outcome_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHAMSIN_GAMES", "tests.lab.accidents:FAULTY")
    found = by_number(Run([replace(TOY, game="faulty")], 12, jobs=1))
    faults = [outcome for outcome in found.values() if outcome.error]
    assert 0 < len(faults) < 12
    assert "a fault in the rules" in faults[0].error


def test_cancelling_from_another_thread_ends_the_run_and_its_workers() -> None:
    run = Run([TOY], 1_000_000, jobs=2)
    finished = []
    for one in run:
        finished.append(one)
        if len(finished) == 5:
            canceller = Thread(target=run.cancel)
            canceller.start()
            canceller.join()
    assert 5 <= len(finished) < 1_000_000
    assert run.left > 0
    assert not [child for child in active_children() if child.name == "khamsin lab"]


def test_an_event_loop_can_follow_a_run_and_leave_it() -> None:
    async def follow() -> list[Finished]:
        found = []
        games = aiter(Run([TOY], 1_000_000, jobs=1))
        async for one in games:
            found.append(one)
            if len(found) == 3:
                break
        await games.aclose()  # type: ignore[attr-defined]
        return found

    assert len(asyncio.run(follow())) == 3
    assert not [child for child in active_children() if child.name == "khamsin lab"]


def test_a_cancelled_task_leaves_no_worker_and_a_refused_study_is_told_in_the_loop() -> None:
    async def follow(study: Study, first: asyncio.Event) -> None:
        async for _ in Run([study], 1_000_000, jobs=1):
            first.set()

    async def cancelled() -> bool:
        first = asyncio.Event()
        task = asyncio.create_task(follow(TOY, first))
        await first.wait()
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(cancelled())
    assert not [child for child in active_children() if child.name == "khamsin lab"]
    with pytest.raises(ValueError, match="no such scenario"):
        asyncio.run(follow(replace(TOY, scenario="night"), asyncio.Event()))


def test_two_studies_are_played_side_by_side_with_one_worker_or_two() -> None:
    studies = [TOY, TOY.but(["option.weather=wet"])]
    for jobs in (1, 2):
        found = {(arm, outcome.number): outcome for arm, outcome in Run(studies, 5, jobs)}
        assert found == {(arm, number): play(study, number) for arm, study in enumerate(studies) for number in range(5)}


@pytest.mark.parametrize(
    ("study", "reason"),
    [
        (replace(TOY, game="chess"), "'chess': no such game"),
        (replace(TOY, scenario="night"), "'night': no such scenario"),
        (replace(TOY, players=("random", "clever")), "'clever': no such player"),
        (replace(TOY, players=("random",)), "1 players: Skirmish has 2 sides"),
        (TOY.but(["option.weather=hail"]), "expected one of dry, wet"),
    ],
)
def test_a_study_that_cannot_be_played_is_refused_with_the_reason(study: Study, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        prepare(study)


def test_a_worker_that_cannot_make_a_change_says_so_and_the_run_ends() -> None:
    with pytest.raises(ValueError, match="nothing in Skirmish that a change could reach"):
        list(Run([TOY.but(["counter.T1.strength=9"])], 1, jobs=1))
    assert not [child for child in active_children() if child.name == "khamsin lab"]


def test_a_changed_figure_counts_in_its_own_study_alone() -> None:
    passive = replace(PAA, players=("passive", "passive"))
    found = {f.arm: f.outcome for f in Run([passive, passive.but(["counter.DE 5/1/ABN.cf=9"])], 1, jobs=1)}
    title = "Axis CF as victory counts it"
    assert found[1].curves[title][0] - found[0].curves[title][0] == 6
    assert found[0] == play(passive, 0)
