"""Many at once: two clicks at the same moment, and two processes on one PostgreSQL."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import psycopg
import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient
from websockets.sync.client import ClientConnection, connect

from khamsin.server.channel import Channel
from khamsin.server.database import Database
from khamsin.server.load_bench import serving
from khamsin.server.store import ENTRIES
from tests.server.conftest import new_database
from tests.server.ponderer import PONDERING
from tests.server.seats import Seat, asked, open_clicks, set_up

ROUNDS = 40


def at_once(*requests: Callable[[], httpx.Response]) -> list[httpx.Response]:
    """The answers to requests that are sent at the same moment."""
    gate = threading.Barrier(len(requests))

    def send(request: Callable[[], httpx.Response]) -> httpx.Response:
        gate.wait()
        return request()

    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(send, requests))


def calling(address: str) -> httpx.Client:
    """Somebody who calls a server anew for every request: a line that is kept open may just be closed at the other end."""
    return httpx.Client(base_url=f"http://{address}", timeout=60, limits=httpx.Limits(max_keepalive_connections=0))


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
        assert late.json()["view"]["version"] == won.json()["version"] > number


@pytest.fixture
def address(database_url: str) -> Iterator[str]:
    with serving(database_url) as (_, address):
        yield address


def test_of_two_clicks_at_the_same_moment_one_wins(address: str, database_url: str) -> None:
    with calling(address) as one, calling(address) as two:
        seats = set_up(one, Red="me", Blue="me")
        others = {name: Seat(two, seat.match, seat.key, seat.side) for name, seat in seats.items()}
        one_wins(seats, others)
        _numbered_without_gap(database_url, seats["Red"].match)


@pytest.fixture(scope="module")
def shared_url(postgres: str) -> Iterator[str]:
    """The PostgreSQL database of both servers."""
    with new_database(postgres, "together") as url:
        yield url


@pytest.fixture(scope="module")
def two_servers(shared_url: str) -> Iterator[tuple[str, str]]:
    """Two processes on one database, for all tests of this module; a computer player that thinks long can be seated at both."""
    with serving(shared_url, PONDERING) as (_, first), serving(shared_url, PONDERING) as (_, second):
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


def test_of_two_processes_that_write_the_same_entry_one_wins(two_servers: tuple[str, str], shared_url: str) -> None:
    first, second = (calling(address) for address in two_servers)
    with first, second:
        seats = set_up(first, Red="me", Blue="me")
        others = {name: Seat(second, seat.match, seat.key, seat.side) for name, seat in seats.items()}
        one_wins(seats, others)
        _numbered_without_gap(shared_url, seats["Red"].match)


def test_a_click_on_one_process_is_seen_at_once_on_the_other(two_servers: tuple[str, str]) -> None:
    with httpx.Client(base_url=f"http://{two_servers[0]}", timeout=60) as client:
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
    with httpx.Client(base_url=f"http://{two_servers[0]}", timeout=60) as client:
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


def test_the_computer_that_thinks_in_one_process_is_hurried_from_the_other(two_servers: tuple[str, str]) -> None:
    here, there = two_servers
    with calling(here) as client, calling(there) as elsewhere:
        red = set_up(client, Red="me", Blue="ponderer")["Red"]
        with connect(f"ws://{here}/api/matches/{red.match}/live") as line:
            line.send(json.dumps({"type": "hello", "key": red.key}))
            _hear(line, "view")
            while (seen := red.view())["question"]["side"] == "Red":
                red.click("done", seen["question"]["number"])
            while _hear(line, "seats")["seats"][1]["part"] is None:
                pass
            # Nobody thinks in the other process: it can only pass the word on.
            assert Seat(elsewhere, red.match, red.key).post("/hurry", {}).status_code == 204
            while _hear(line, "update")["version"] <= seen["version"]:
                pass
            assert red.view()["clicks"] == seen["clicks"] + 1


def test_a_process_that_lost_its_channel_hears_what_it_missed(two_servers: tuple[str, str], shared_url: str) -> None:
    with httpx.Client(base_url=f"http://{two_servers[0]}", timeout=60) as client:
        seats = set_up(client)
        with connect(f"ws://{two_servers[1]}/api/matches/{seats['Red'].match}/live") as line:
            line.send(json.dumps({"type": "hello", "key": seats["Blue"].key}))
            _hear(line, "view")
            _cut_channels(shared_url)
            seats["Red"].click("R1", 0)
            seats["Red"].post("/chat", {"text": "Can you hear me?"})
            assert _hear(line, "update")["version"] == 1
            seats["Red"].click("0302", 1)
            assert _hear(line, "update")["units"]["R1"]["at"] == "0302"


def _cut_channels(url: str) -> None:
    """End every connection on which a process listens for news, and wait until it has ended."""
    listening = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
    with psycopg.connect(url, autocommit=True) as connection:
        ended = connection.execute(f"SELECT pid, pg_terminate_backend(pid) FROM ({listening}) AS those").fetchall()
        assert len(ended) == 2
        pids = [pid for pid, _ in ended]
        while connection.execute("SELECT 1 FROM pg_stat_activity WHERE pid = ANY(%s)", [pids]).fetchall():
            pass


def test_whoever_looked_from_a_process_that_is_silent_is_gone(client: TestClient) -> None:
    seats = set_up(client)
    registry = client.app.state.registry  # type: ignore[attr-defined]
    table, channel = registry.find_in_memory(seats["Red"].match), Channel(registry)
    before = time.monotonic()
    channel.take({"from": "another process", "match": table.id, "here": [1]})
    assert table.is_here(1)
    channel.forget(before)
    assert table.is_here(1)
    channel.forget(time.monotonic() + 1)
    assert not table.is_here(1)
