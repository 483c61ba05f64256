"""Kill the server at any moment, start it again: nothing that was answered is lost, and nothing is there by half."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from khamsin.kernel import record
from khamsin.server.database import Database
from khamsin.server.store import ENTRIES, MATCHES
from tests import SOAK
from tests.server.seats import open_clicks
from tests.toy import skirmish

GONE = (OSError, http.client.HTTPException)
GAMES = 4


class Mortal:
    """A server that is killed again and again."""

    def __init__(self, url: str) -> None:
        self.listening = socket.socket()
        self.listening.bind(("127.0.0.1", 0))
        self.listening.listen(64)
        self.port: int = self.listening.getsockname()[1]
        self.parent = subprocess.Popen(
            [sys.executable, "-m", "tests.server.forking", url, str(self.listening.fileno())],
            pass_fds=[self.listening.fileno()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            cwd=Path(__file__).parents[2],
        )  # fmt: skip

    def start(self) -> int:
        """Start a server; its process."""
        assert self.parent.stdin is not None
        assert self.parent.stdout is not None
        self.parent.stdin.write("start\n")
        self.parent.stdin.flush()
        return int(self.parent.stdout.readline())

    def kill(self, process: int) -> None:
        """Kill it, and wait until it is dead."""
        os.kill(process, signal.SIGKILL)
        assert self.parent.stdout is not None
        assert self.parent.stdout.readline() == "ended\n"

    def close(self) -> None:
        assert self.parent.stdin is not None
        self.parent.stdin.close()
        self.parent.wait(20)
        self.listening.close()


class Player:
    """Plays both sides of one game after another, and keeps what was answered."""

    def __init__(self, port: int, seed: int, moment: threading.Condition) -> None:
        self.port = port
        self.moment = moment
        """Notified of every click that was answered."""
        self.chance = random.Random(seed)
        self.match = ""
        self.key = ""
        self.answered: list[str] = []
        self.under_way: str | None = None
        self.question: Any = None
        self.clicks = 0

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
        headers = {"X-Khamsin-Key": self.key, "Content-Type": "application/json"}
        self.line.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = self.line.getresponse()
        return answer.status, json.loads(answer.read())

    def call(self) -> None:
        """Wait until the server answers. What is sent later, and not answered, ends with the server."""
        self.line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.ask("GET", "/api/matches/nowhere")
        self.line.auto_open = 0

    def play(self, ready: threading.Barrier) -> None:
        """Click until the server is gone."""
        self.call()
        self.question = None
        ready.wait()
        try:
            while True:
                if not self.match:
                    self.set_up()
                self.click()
        except GONE:
            self.line.close()

    def set_up(self) -> None:
        body = {"game": "skirmish", "scenario": "melee", "seats": {"Red": "me", "Blue": "me"}}
        self.key = ""
        status, made = self.ask("POST", "/api/matches", body)
        assert status == 201, made
        self.match, self.key, self.answered, self.question = made["id"], made["keys"]["Red"], [], None

    def click(self) -> None:
        question = self.question or self.look()
        if question is None:
            self.match = ""
            return
        self.under_way = self.chance.choice(open_clicks(question))
        body = {"number": question["number"], "click": self.under_way, "side": question["side"]}
        status, view = self.ask("POST", f"/api/matches/{self.match}/clicks", body)
        assert status == 200, view
        self.answered.append(self.under_way)
        self.under_way = None
        with self.moment:
            self.clicks += 1
            self.moment.notify()
        self.question = view["question"] if "prompt" in (view["question"] or {}) else None

    def look(self) -> Any:
        """The question, from the seat that is asked; None when the game is over."""
        for side in ("Red", "Blue"):
            status, view = self.ask("GET", f"/api/matches/{self.match}?side={side}")
            assert status == 200, view
            if view["question"] is None or "prompt" in view["question"]:
                break
        return view["question"]

    def check(self, database: Database) -> None:
        """What is stored is what was answered, and perhaps the click under way; every row is whole."""
        if not self.match:
            return
        with database.reading() as connection:
            query = sa.select(ENTRIES).where(ENTRIES.c.match == self.match).order_by(ENTRIES.c.seq)
            rows = connection.execute(query).all()
            standing = connection.execute(sa.select(MATCHES).where(MATCHES.c.id == self.match)).one()
        stored = [row.text for row in rows[1:]]
        assert [row.seq for row in rows] == list(range(len(rows)))
        assert stored[: len(self.answered)] == self.answered
        assert stored[len(self.answered) :] in ([], [self.under_way])
        assert (standing.turn, standing.phase) == (rows[-1].turn, rows[-1].phase)
        assert standing.changed >= rows[-1].at
        self.answered, self.under_way = stored, None


@pytest.fixture
def mortal(database_url: str) -> Iterator[Mortal]:
    server = Mortal(database_url)
    yield server
    server.close()


def test_nothing_that_was_answered_is_lost(mortal: Mortal, database_url: str) -> None:
    kills = 200 if SOAK else 10
    database = Database(database_url)
    database.create()
    chance = random.Random(5)
    moment = threading.Condition()
    players = [Player(mortal.port, seed, moment) for seed in range(GAMES)]
    for _ in range(kills):
        server = mortal.start()
        ready = threading.Barrier(GAMES + 1)
        threads = [threading.Thread(target=player.play, args=(ready,)) for player in players]
        for thread in threads:
            thread.start()
        ready.wait()
        # After some answers, and however long the rest is: the server may be anywhere in its work.
        enough = sum(player.clicks for player in players) + chance.randrange(6)
        with moment:
            moment.wait_for(lambda: sum(player.clicks for player in players) >= enough, 30)  # noqa: B023
        threads[0].join(chance.random() * 0.01)
        mortal.kill(server)
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
        for player in players:
            player.check(database)
    assert sum(player.clicks for player in players) > kills
    last = mortal.start()
    for player in players:
        player.call()
        if not player.match:
            player.set_up()
        player.line.request("GET", f"/api/matches/{player.match}/record", headers={"X-Khamsin-Key": player.key})
        told = record.read(player.line.getresponse().read().decode(), lambda game: skirmish.RULES)
        assert [told.rules.names[click] for click in told.clicks] == player.answered
        player.line.close()
    mortal.kill(last)
    database.close()
