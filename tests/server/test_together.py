"""Many at once: two clicks at the same moment, and two processes on one PostgreSQL."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from websockets.sync.client import ClientConnection, connect

from khamsin.server.database import Database
from khamsin.server.load import serving
from khamsin.server.store import ENTRIES
from tests.server.seats import Seat, asked, open_clicks, set_up

ROUNDS = 40


def at_once(*requests: Any) -> list[httpx.Response]:
    """The answers to requests that are sent at the same moment."""
    answers: list[httpx.Response] = []
    gate = threading.Barrier(len(requests))

    def send(request: Any) -> None:
        gate.wait()
        answers.append(request())

    threads = [threading.Thread(target=send, args=(request,)) for request in requests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def one_wins(first: dict[str, Seat], second: dict[str, Seat]) -> None:
    """Click the same question from two places at once, again and again: one is taken, the other sees the new game."""
    for _ in range(ROUNDS):
        question = asked(first)
        if question is None:
            return
        side, number = question["side"], question["number"]
        clicks = open_clicks(question)
        answers = at_once(
            lambda: first[side].click(clicks[0], number),  # noqa: B023
            lambda: second[side].click(clicks[-1], number),  # noqa: B023
        )
        assert sorted(answer.status_code for answer in answers) == [200, 409]
        won, late = sorted(answers, key=lambda answer: answer.status_code)
        assert late.json()["reason"] in ("stale", "turn", "over")
        assert late.json()["view"]["version"] == won.json()["version"] == number + 1


@pytest.fixture
def address(database_url: str) -> Iterator[str]:
    with serving(database_url) as (_, address):
        yield address


def test_of_two_clicks_at_the_same_moment_one_wins(address: str, database_url: str) -> None:
    with httpx.Client(base_url=f"http://{address}") as one, httpx.Client(base_url=f"http://{address}") as two:
        seats = set_up(one, Red="me", Blue="me")
        others = {name: Seat(two, seat.match, seat.key, seat.side) for name, seat in seats.items()}
        one_wins(seats, others)
        _numbered_without_gap(database_url, seats["Red"].match)


@pytest.fixture
def two_servers(postgres_url: str) -> Iterator[tuple[str, str]]:
    with serving(postgres_url) as (_, first), serving(postgres_url) as (_, second):
        yield first, second


def _numbered_without_gap(url: str, match: str) -> None:
    database = Database(url)
    with database.reading() as connection:
        rows = connection.execute(sa.select(ENTRIES.c.seq, ENTRIES.c.number).where(ENTRIES.c.match == match)).all()
    database.close()
    assert sorted(row.seq for row in rows) == list(range(len(rows)))
    assert sorted(row.number for row in rows if row.seq) == list(range(len(rows) - 1))


def _hear(line: ClientConnection, kind: str) -> dict[str, Any]:
    while True:
        frame: dict[str, Any] = json.loads(line.recv(timeout=30))
        if frame["type"] == kind:
            return frame


def test_of_two_processes_that_write_the_same_entry_one_wins(two_servers: tuple[str, str], postgres_url: str) -> None:
    first, second = (httpx.Client(base_url=f"http://{address}") for address in two_servers)
    with first, second:
        seats = set_up(first, Red="me", Blue="me")
        others = {name: Seat(second, seat.match, seat.key, seat.side) for name, seat in seats.items()}
        one_wins(seats, others)
        _numbered_without_gap(postgres_url, seats["Red"].match)


def test_a_click_on_one_process_is_seen_at_once_on_the_other(two_servers: tuple[str, str]) -> None:
    with httpx.Client(base_url=f"http://{two_servers[0]}") as client:
        seats = set_up(client)
        match = seats["Red"].match
        with connect(f"ws://{two_servers[1]}/api/matches/{match}/live") as line:
            line.send(json.dumps({"type": "hello", "key": seats["Blue"].key}))
            _hear(line, "view")
            seats["Red"].click("R1", 0)
            assert _hear(line, "update")["version"] == 1
            seats["Red"].click("0302", 1)
            assert _hear(line, "update")["units"]["R1"]["at"] == "0302"
            seats["Red"].post("/undo", {"number": 2})
            assert _hear(line, "update")["units"]["R1"]["at"] == "0401"


def test_who_looks_and_what_is_said_is_known_on_both_processes(two_servers: tuple[str, str]) -> None:
    with httpx.Client(base_url=f"http://{two_servers[0]}") as client:
        seats = set_up(client)
        path = f"/api/matches/{seats['Red'].match}/live"
        with connect(f"ws://{two_servers[0]}{path}") as red:
            red.send(json.dumps({"type": "hello", "key": seats["Red"].key}))
            _hear(red, "view")
            with connect(f"ws://{two_servers[1]}{path}") as blue:
                blue.send(json.dumps({"type": "hello", "key": seats["Blue"].key}))
                _hear(blue, "view")
                while not _hear(red, "seats")["seats"][1]["here"]:
                    pass
                blue.send(json.dumps({"type": "say", "text": "Hello over there"}))
                assert _hear(red, "said")["line"]["text"] == "Hello over there"
            while _hear(red, "seats")["seats"][1]["here"]:
                pass
