"""The laboratory behind a page, with real workers."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest
from fastapi.testclient import TestClient

from khamsin.lab import Finished, Study, play
from khamsin.lab.report import summary
from khamsin.server import lab_schemas, laboratory, limits, wire
from khamsin.server.app import create_app
from khamsin.server.laboratory import StudyJob
from khamsin.server.settings import Settings
from tests.lab.conftest import _imported, forked_workers
from tests.server.conftest import caller
from tests.server.seats import checked
from tests.toy import skirmish

__all__ = ["_imported", "forked_workers"]

Json = dict[str, Any]
TOY: Json = {
    "game": "skirmish", "scenario": "village", "players": {"Red": "random", "Blue": "random"}, "options": {},
    "changes": [], "games": 6, "seed": 11,
}  # fmt: skip
STUDY = Study("skirmish", "village", ("random", "random"), seed=11)
LONG = TOY | {"game": "paa", "scenario": "campaign", "players": {"Axis": "random", "Allied": "random"}, "games": 2000}


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other programs on this machine may be busy: stand back for them only a little."""
    monkeypatch.setattr(limits, "LAB_NICE", 1)


@pytest.fixture
def lab() -> Iterator[TestClient]:
    with caller(create_app(settings=Settings(rate_scale=1e6, lab=2), draw_ahead=False)) as client:
        yield client


def begin(lab: TestClient, study: Json) -> Json:
    answer = lab.post("/api/lab/studies", json=study)
    assert answer.status_code == 201, answer.text
    return answer.json()  # type: ignore[no-any-return]


def look(lab: TestClient, study: Json, known: int = -1) -> Json:
    """A study as soon as more games of it are finished than are known, or none will be."""
    return lab.get(f"/api/lab/studies/{study['id']}", params={"known": known}).json()  # type: ignore[no-any-return]


def finished(lab: TestClient, study: Json, number: int) -> Json:
    """A study when so many games of it are finished."""
    found = study
    while found["finished"] < number and found["state"] in ("waiting", "running"):
        found = look(lab, study, found["finished"])
    return found


def over(lab: TestClient, study: Json) -> Json:
    """A study when nothing more comes."""
    found = study
    while found["state"] in ("waiting", "running"):
        found = look(lab, study, found["finished"])
    return found


def report(lab: TestClient, study: Json) -> lab_schemas.LabReport:
    answer = lab.get(f"/api/lab/studies/{study['id']}/report")
    return lab_schemas.LabReport.model_validate(answer.json())


def test_a_study_is_played_as_the_command_line_plays_it(lab: TestClient) -> None:
    study = begin(lab, TOY)
    found = over(lab, study)
    assert (found["state"], found["finished"], found["total"]) == ("done", 6, 6)
    here = summary(skirmish.RULES, [STUDY], [Finished(0, play(STUDY, number)) for number in range(6)])
    assert lab.get(f"/api/lab/studies/{study['id']}/report.json").json() == here
    assert found["command"] == STUDY.command(skirmish.RULES.sides, 6)
    (arm,) = report(lab, study).arms
    assert [share.winner for share in arm.results] == ["Red", "Blue", "draw"]
    assert sum(share.count for share in arm.results) == 6
    page = lab.get(f"/api/lab/studies/{study['id']}/report.html")
    assert "Who wins" in page.text
    assert "attachment" in page.headers["Content-Disposition"]


def test_who_looks_while_the_last_game_comes_in_loses_none(monkeypatch: pytest.MonkeyPatch) -> None:
    work = StudyJob(lab_schemas.NewStudy.model_validate(TOY), skirmish.RULES, "visitor")
    games = [Finished(0, play(STUDY, number)) for number in range(6)]
    for game in games[:5]:
        work.add(game)
    closing = Thread(target=work.close, args=("done",))

    def ended_meanwhile(*asked: Any) -> Json:
        if not closing.ident:
            work.add(games[5])
            closing.start()
            closing.join(0.2)
        return summary(*asked)

    monkeypatch.setattr(laboratory.report, "summary", ended_meanwhile)
    assert work.summary()[0] == 5
    closing.join()
    assert work.state == "done"
    assert work.summary() == (6, summary(skirmish.RULES, [STUDY], games))


def test_a_what_if_compares_pairs_of_games(lab: TestClient) -> None:
    study = begin(lab, TOY | {"changes": [{"path": "option.weather", "value": "wet"}]})
    assert over(lab, study)["finished"] == 12
    found = report(lab, study)
    assert found.difference is not None
    assert (len(found.arms), found.difference.pairs) == (2, 6)


def test_the_same_study_is_played_once_and_found_by_what_is_played(lab: TestClient) -> None:
    assert lab.post("/api/lab/studies/find", json=TOY).json() is None
    first = begin(lab, TOY)
    over(lab, first)
    again = begin(lab, TOY)
    assert (again["id"], again["state"], again["key"]) == (first["id"], "done", "")
    assert lab.post("/api/lab/studies/find", json=TOY).json()["id"] == first["id"]
    assert begin(lab, TOY | {"seed": 12})["id"] != first["id"]


def test_a_server_that_was_started_anew_plays_a_study_again_with_the_same_games() -> None:
    reports = []
    for _ in range(2):
        with caller(create_app(settings=Settings(rate_scale=1e6, lab=1), draw_ahead=False)) as lab:
            assert lab.post("/api/lab/studies/find", json=TOY).json() is None
            study = begin(lab, TOY)
            assert over(lab, study)["state"] == "done"
            reports.append((study["id"], lab.get(f"/api/lab/studies/{study['id']}/report.json").content))
    assert reports[0] == reports[1]


def test_who_began_a_study_may_stop_it_and_keeps_what_is_finished(lab: TestClient) -> None:
    study = begin(lab, LONG)
    finished(lab, study, 1)
    stop = f"/api/lab/studies/{study['id']}/stop"
    assert lab.post(stop).status_code == 403
    assert lab.post(stop, headers={"X-Khamsin-Key": study["key"]}).status_code == 204
    found = over(lab, study)
    assert found["state"] == "stopped"
    assert 0 < report(lab, study).arms[0].games == found["finished"] < 2000


def test_studies_wait_for_each_other_and_a_visitor_has_only_so_many(lab: TestClient) -> None:
    first, second = begin(lab, LONG), begin(lab, TOY)
    assert (second["state"], second["before"]) == ("waiting", 1)
    answer = lab.post("/api/lab/studies", json=TOY | {"seed": 3})
    assert (answer.status_code, answer.json()["reason"]) == (429, "limit")
    lab.post(f"/api/lab/studies/{first['id']}/stop", headers={"X-Khamsin-Key": first["key"]})
    assert over(lab, second)["state"] == "done"


def test_a_killed_worker_loses_no_finished_game_and_closing_the_server_ends_the_rest() -> None:
    with caller(create_app(settings=Settings(rate_scale=1e6, lab=2), draw_ahead=False)) as lab:
        study = begin(lab, LONG)
        laboratory = lab.app.state.laboratory  # type: ignore[attr-defined]
        before = finished(lab, study, 2)["finished"]
        workers = list(laboratory._run.pool.staff.values())
        os.kill(workers[0].pid, signal.SIGKILL)
        assert finished(lab, study, before + 4)["finished"] >= before + 4
        workers = list(laboratory._run.pool.staff.values())
        assert workers
        assert os.name == "nt" or os.getpriority(os.PRIO_PROCESS, workers[0].pid) > os.getpriority(os.PRIO_PROCESS, 0)
    assert not any(worker.is_alive() for worker in workers)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"game": "chess"}, 404),
        ({"scenario": "elsewhere"}, 422),
        ({"players": {"Red": "random"}}, 422),
        ({"players": {"Red": "random", "Blue": "hard"}}, 422),
        ({"players": {"Red": "random", "Blue": "clever"}}, 422),
        ({"options": {"weather": "hail"}}, 422),
        ({"changes": [{"path": "option.weather", "value": "hail"}]}, 422),
        ({"games": limits.LAB_GAMES + 1}, 422),
        ({"games": 0}, 422),
    ],
)
def test_a_study_that_cannot_be_played_is_refused(lab: TestClient, change: Json, status: int) -> None:
    answer = lab.post("/api/lab/studies", json=TOY | change)
    assert answer.status_code == status
    assert checked(wire.Refusal, answer.json())["error"]


def test_a_change_that_reaches_nothing_is_told_when_a_worker_finds_out(lab: TestClient) -> None:
    found = over(lab, begin(lab, TOY | {"changes": [{"path": "table.crt.9.9", "value": "1"}]}))
    assert found["state"] == "failed"
    assert "table.crt.9.9" in found["error"]


def test_a_closed_laboratory_plays_nothing() -> None:
    with caller(create_app(settings=Settings(rate_scale=1e6, lab=0), draw_ahead=False)) as lab:
        assert lab.get("/api/lab").json()["processes"] == 0
        assert lab.post("/api/lab/studies", json=TOY).status_code == 503


def test_the_figures_of_a_game_can_be_looked_up(lab: TestClient) -> None:
    found = lab_schemas.Figures.model_validate(lab.get("/api/lab/figures/kasserine").json())
    assert {figure.kind for figure in found.figures} == {"table", "counter", "data"}
    assert lab.get("/api/lab/figures/chess").status_code == 404


@pytest.mark.parametrize(
    ("environment", "processes"),
    [({"KHAMSIN_LAB": "3"}, 3), ({"KHAMSIN_LAB": "0"}, 0), ({"KHAMSIN_URL": "https://table.example"}, 0)],
)
def test_a_server_that_strangers_know_keeps_its_laboratory_closed_unless_told(
    environment: dict[str, str], processes: int
) -> None:
    assert Settings.read(environment).lab == processes


def test_a_number_of_processes_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="KHAMSIN_LAB='many'"):
        Settings.read({"KHAMSIN_LAB": "many"})
