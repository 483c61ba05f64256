"""Rules code runs outside the event loop, once per version of a match, and whoever causes it pays."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from khamsin.kernel.rules import Rules
from khamsin.server import limits
from khamsin.server.app import create_app
from khamsin.server.limits import Rate
from khamsin.server.middleware import Buckets
from tests.server.conftest import FREE, caller
from tests.server.seats import Json, set_up
from tests.toy import skirmish

CALLS = ("phases", "conceal", "explain", "odds")


class Spied:
    """A server whose game tells which of its functions are called, in which thread."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []
        self.app = create_app(settings=FREE, draw_ahead=False)
        self.app.state.registry.find = lambda game: self.rules
        changed = {name: self._spy(name, getattr(skirmish.RULES, name)) for name in CALLS}
        self.rules: Rules[Any] = replace(skirmish.RULES, **changed)

    def _spy(self, name: str, function: Any) -> Any:
        def called(*args: Any) -> Any:
            self.calls.append((name, threading.get_ident()))
            return function(*args)

        return called

    def count(self, name: str) -> int:
        return sum(1 for called, _ in self.calls if called == name)


@pytest.fixture
def spied() -> Spied:
    return Spied()


@pytest.fixture
def client(spied: Spied) -> Iterator[TestClient]:
    with caller(spied.app) as client:
        yield client


ODDS = {"attackers": ["R1"], "targets": ["0408"]}


def test_no_rules_code_runs_in_the_event_loop(client: TestClient, spied: Spied) -> None:
    seats = set_up(client)
    assert client.portal is not None
    loop = client.portal.call(threading.get_ident)
    spied.calls.clear()
    with client.websocket_connect(f"/api/matches/{seats['Red'].match}/live") as line:
        line.send_json({"type": "hello", "key": seats["Red"].key})
        seats["Red"].view()
        assert seats["Red"].get("/why", click="fire").status_code == 200
        assert seats["Red"].get("/odds", **ODDS).status_code == 200
        assert seats["Red"].click("fire", 0).status_code == 422
        assert seats["Red"].click("R1", 0).status_code == 200
        assert seats["Red"].click("R1", 0).status_code == 409
        assert seats["Red"].click("0302", 1).status_code == 200
        assert seats["Red"].post("/undo", {"number": 2}).status_code == 200
        for what in ("/sheets", "/calendar", "/position", "/at/0", "/timeline", "/info"):
            assert seats["Red"].get(what).status_code == 200, what
    assert {name for name, _ in spied.calls} == set(CALLS)
    assert not [name for name, thread in spied.calls if thread == loop]


def test_a_question_does_not_hold_up_a_click_of_its_match(client: TestClient, spied: Spied) -> None:
    seats = set_up(client)
    asking, clicked = threading.Event(), threading.Event()

    def slow(*args: Any) -> None:
        asking.set()
        assert clicked.wait(30)

    object.__setattr__(client.app.state.registry.find_in_memory(seats["Red"].match).rules, "explain", slow)  # type: ignore[attr-defined]
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(seats["Red"].get, "/why", click="fire")
        assert asking.wait(30)
        assert seats["Red"].click("R1", 0).status_code == 200
        clicked.set()
        assert answer.result().status_code == 200


def test_an_answer_is_computed_once_for_each_version_and_viewer(client: TestClient, spied: Spied) -> None:
    seats = set_up(client)
    spied.calls.clear()
    for _ in range(3):
        seats["Red"].get("/odds", **ODDS)
    assert spied.count("odds") == 1
    seats["Blue"].get("/odds", **ODDS)
    assert spied.count("odds") == 2
    seats["Red"].click("R1", 0)
    seats["Red"].get("/odds", **ODDS)
    assert spied.count("odds") == 3


def test_an_illegal_click_and_the_question_why_not_share_an_answer(client: TestClient, spied: Spied) -> None:
    seats = set_up(client)
    spied.calls.clear()
    why: Json = seats["Red"].get("/why", click="fire").json()
    refusal: Json = seats["Red"].click("fire", 0).json()
    assert refusal["error"] == why["reason"]
    assert spied.count("explain") == 1


def test_who_asks_too_much_waits_and_known_answers_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "compute", Rate(1, 1e-9))
    with caller(create_app(settings=replace(FREE, rate_scale=1.0), draw_ahead=False)) as client:
        seats = set_up(client)
        assert seats["Red"].get("/odds", **ODDS).status_code == 200
        assert seats["Red"].get("/odds", attackers=["R2"], targets=["0408"]).status_code == 429
        assert seats["Red"].get("/odds", **ODDS).status_code == 200
        assert seats["Red"].click("R1", 0).status_code == 200
        assert seats["Blue"].get("/odds", **ODDS).status_code == 200


def test_a_cost_may_leave_less_than_nothing_in_a_bucket() -> None:
    clock = iter([0.0, 0.0, 0.0, 10.0, 30.0]).__next__
    buckets = Buckets(rates={"compute": Rate(100, 10.0)}, clock=clock)
    assert buckets.wait("compute", [("somebody", 1.0)]) == 0
    buckets.charge("compute", [("somebody", 1.0)], 300)
    waits = [buckets.wait("compute", [("somebody", 1.0)]) for _ in range(3)]
    assert waits == [pytest.approx(20.1), pytest.approx(10.1), 0]
