"""A database that does not answer: every route says so with 503, and all goes on when it is back."""

from __future__ import annotations

import asyncio
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from khamsin import games
from khamsin.server import channel, computer
from khamsin.server.accounts import ACCOUNTS
from khamsin.server.channel import Channel
from khamsin.server.database import Database, Unavailable
from khamsin.server.registry import MatchRegistry
from khamsin.server.store import Store
from tests.server.conftest import Outage, unreachable
from tests.server.seats import Seat, set_up

SECRET = {"name": "Claude", "password": "a long password"}
SEATS = {"Red": "me", "Blue": "me"}
NEED_THE_DATABASE: list[tuple[str, str, Any]] = [
    ("POST", "/api/accounts", SECRET),
    ("POST", "/api/session", SECRET),
    ("DELETE", "/api/session", None),
    ("GET", "/api/me", None),
    ("PUT", "/api/me/password", {"password": "a long password", "new": "a longer password"}),
    ("DELETE", "/api/me", {"password": "a long password"}),
    ("PUT", "/api/me/notices", {"email": "", "push": False}),
    ("POST", "/api/me/seats", {"id": "{match}", "key": "x"}),
    ("GET", "/api/me/games", None),
    ("POST", "/api/notices/stop?token=1.x", None),
    ("POST", "/api/me/confirmation", None),
    ("POST", "/api/confirm", {"token": "x"}),
    ("PUT", "/api/reset", {"token": "x", "password": "a long password"}),
    ("POST", "/api/matches", {"game": "skirmish", "scenario": "village", "seats": SEATS}),
    ("POST", "/api/matches/{match}/clicks", {"number": 0, "click": "R1"}),
    ("POST", "/api/matches/{match}/undo", {"number": 0}),
    ("POST", "/api/matches/{match}/branch", {"click": 0, "seats": SEATS}),
    ("POST", "/api/matches/{match}/chat", {"text": "hello"}),
    ("POST", "/api/matches/{match}/hurry", None),
    *(("GET", f"/api/matches/{{match}}{what}", None) for what in (
        "", "/info", "/why?click=R1", "/sheets", "/calendar", "/timeline", "/at/0", "/rolls", "/record", "/reasons",
        "/chat", "/position", "/layers/zoc",
    )),
]  # fmt: skip


def ask(client: TestClient, red: Seat, method: str, path: str, body: Any) -> Any:
    client.app.state.registry._tables.clear()  # type: ignore[attr-defined]
    return client.request(method, path.replace("{match}", red.match), json=body, headers={"X-Khamsin-Key": red.key})


def test_every_route_that_needs_the_database_answers_503_and_works_again(client: TestClient, outage: Outage) -> None:
    red = set_up(client)["Red"]
    client.post("/api/accounts", json=SECRET)
    with outage():
        for method, path, body in NEED_THE_DATABASE:
            answer = ask(client, red, method, path, body)
            assert (answer.status_code, answer.json()["reason"]) == (503, "busy"), (method, path, answer.text)
            assert answer.json()["error"].startswith("The database does not respond"), (method, path)
            assert "Retry-After" in answer.headers
    assert red.view()["version"] == 0
    assert client.get("/api/me").json()["name"] == "Claude"
    assert red.click("R1", 0).status_code == 200


def test_no_route_at_all_answers_500(client: TestClient, outage: Outage) -> None:
    red = set_up(client)["Red"]
    client.post("/api/accounts", json=SECRET)
    with outage():
        for path, methods in client.app.openapi()["paths"].items():  # type: ignore[attr-defined]
            for method in methods:
                filled = path.replace("{match}", red.match).replace("{game}", "paa").replace("{click}", "0")
                answer = ask(client, red, method.upper(), filled, None)
                assert answer.status_code != 500, (method, path)


def test_a_table_in_memory_goes_on_when_the_database_is_back(client: TestClient, outage: Outage) -> None:
    red = set_up(client)["Red"]
    before = red.view()
    with outage():
        assert red.click("R1", 0).status_code == 503
        assert red.click("R1", 0).status_code == 503
    assert red.click("R1", 0).status_code == 200
    assert red.view()["clicks"] == before["clicks"] + 1


def test_a_live_connection_is_refused_with_busy_and_closed_with_1013(client: TestClient, outage: Outage) -> None:
    red = set_up(client)["Red"]
    client.app.state.registry._tables.clear()  # type: ignore[attr-defined]
    with outage(), client.websocket_connect(f"/api/matches/{red.match}/live") as socket:
        socket.send_json({"type": "hello", "key": red.key})
        refusal = socket.receive_json()
        assert (refusal["type"], refusal["refusal"]["reason"]) == ("refusal", "busy")
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
    assert closed.value.code == 1013
    with client.websocket_connect(f"/api/matches/{red.match}/live") as socket:
        socket.send_json({"type": "hello", "key": red.key})
        assert socket.receive_json()["type"] == "view"


def test_a_computer_player_moves_when_the_database_is_back(
    client: TestClient, outage: Outage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computer, "RETRY_SECONDS", 0.01)
    failed = threading.Event()
    click = MatchRegistry.click

    async def watched(self: MatchRegistry, *arguments: Any) -> int:
        try:
            return await click(self, *arguments)
        except Exception:
            failed.set()
            raise

    monkeypatch.setattr(MatchRegistry, "click", watched)
    client.app.state.registry.computers._closed = True  # type: ignore[attr-defined]
    blue = set_up(client, Red="passive", Blue="me")["Blue"]
    client.app.state.registry.computers._closed = False  # type: ignore[attr-defined]
    with client.websocket_connect(f"/api/matches/{blue.match}/live") as socket:
        with outage():
            socket.send_json({"type": "hello", "key": blue.key})
            assert failed.wait(20)
        while decider(socket.receive_json()) != "Blue":
            pass


def decider(frame: dict[str, Any]) -> str:
    """Who decides according to a frame: the first view, which may already show the move, or an update."""
    return str((frame.get("view") or frame.get("set") or {}).get("question", {}).get("side"))


class Listening(logging.Handler):
    """Sets an event when something is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.heard.set()


@pytest.fixture
def failures() -> Any:
    handler = Listening()
    channel.log.addHandler(handler)
    yield handler.heard
    channel.log.removeHandler(handler)


def test_the_heartbeat_and_the_channel_recover(
    postgres: str, postgres_url: str, failures: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel, "BEAT", 0.01)
    monkeypatch.setattr(channel, "RECONNECT", 0.01)
    stores = [Store(Database(postgres_url), process) for process in ("one", "two")]
    for store in stores:
        store.open()

    async def scenario() -> None:
        one, two = (Channel(MatchRegistry(store, games.load)) for store in stores)
        monkeypatch.setattr(channel, "SILENT", 1e9)
        tasks = [asyncio.create_task(one._beat()), asyncio.create_task(two._listen())]
        await two._listening.wait()
        with unreachable(postgres, postgres_url)():
            failures.clear()
            assert await asyncio.to_thread(failures.wait, 20)
            two._heard.clear()
        while "one" not in two._heard:
            await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    asyncio.run(asyncio.wait_for(scenario(), 60))
    for store in stores:
        store.close()


def test_news_that_is_none_does_not_end_the_channel(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(Database(postgres_url), "one")
    store.open()

    async def scenario() -> None:
        listener = Channel(MatchRegistry(store, games.load))
        task = asyncio.create_task(listener._listen())
        await listener._listening.wait()
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            for payload in ("nonsense", "[1]", "7", '{"from": []}', '{"from": "another"}'):
                connection.execute("SELECT pg_notify('khamsin', %s)", [payload])
        while "another" not in listener._heard:
            assert not task.done()
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(asyncio.wait_for(scenario(), 60))
    store.close()


def test_a_value_that_is_wrong_is_not_taken_for_an_outage(database_url: str) -> None:
    database = Database(database_url)
    database.create()
    row = {"name": "A", "folded": "a", "hash": "", "created": ""}
    with pytest.raises(Exception, match=r"(?i)unique") as caught, database.writing() as connection:
        connection.execute(ACCOUNTS.insert(), [row, row])
    assert not isinstance(caught.value, Unavailable)
    database.close()


def test_threads_take_turns_at_a_database_in_memory() -> None:
    database = Database("sqlite://")
    database.create()
    start = threading.Barrier(4)

    def read() -> int:
        start.wait()
        names = 0
        for _ in range(100):
            with database.reading() as connection:
                names += len(connection.exec_driver_sql("SELECT name FROM sqlite_master").all())
        return names

    with ThreadPoolExecutor(4) as pool:
        counts = [job.result() for job in [pool.submit(read) for _ in range(4)]]
    assert counts[0] > 0
    assert counts == [counts[0]] * 4
