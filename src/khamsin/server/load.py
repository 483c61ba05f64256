"""A load on the server: so many live games of PanzerArmee Afrika at once, each with two players at their live lines and one
click a second. `khamsin bench table` measures with it how long an answer takes.

The players read no more of what they are sent than they need to choose a click.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx
import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from khamsin.games import TITLES

GAME = {"game": "paa", "scenario": "campaign", "seats": {"Axis": "me", "Allied": "friend"}}
CALLING = 20
"""Lines that are opened at the same time before the clock starts."""
SERVER = """
import sys
from khamsin.server.app import listen, serve
listening = listen("127.0.0.1", 0)
print(listening.getsockname()[1], flush=True)
serve("127.0.0.1", 0, False, sys.argv[1], listening, draw_ahead=False)
"""


@dataclass
class Outcome:
    """What was measured: the seconds of every answer, what went wrong, and the memory of the server in MiB."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    memory: float = 0.0

    def quantile(self, part: float) -> float:
        """The time within which this part of the answers came, in ms."""
        return statistics.quantiles(self.seconds, n=1000, method="inclusive")[int(part * 1000) - 1] * 1e3


def run(games: int = 300, seconds: float = 20.0) -> Outcome:
    """Play so many games for so long against a server of its own on SQLite."""
    with tempfile.TemporaryDirectory() as folder, serving(f"sqlite:///{folder}/games.db") as (process, address):
        outcome = asyncio.run(_play(address, games, seconds))
        outcome.memory = memory_of(process)
        return outcome


@contextmanager
def serving(database: str, program: str = SERVER) -> Iterator[tuple[int, str]]:
    """A server in a process of its own: the number of the process, and its address."""
    command = [sys.executable, "-c", program, database]
    environment = {**os.environ, "KHAMSIN_RATE_SCALE": "1000000"}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)
    try:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        if not port:
            raise RuntimeError("the server did not start")
        yield server.pid, f"127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(20)


def memory_of(process: int) -> float:
    """The largest memory that a process has had, in MiB; 0 where the system does not say."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return 0.0
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


class Seat:
    """One player at his live line. He knows the open clicks of the present question, if it is his."""

    def __init__(self, address: str, match: str, side: str, key: str) -> None:
        self.address = f"ws://{address}/api/matches/{match}/live"
        self.side = side
        self.key = key
        self.number = -1
        self.open: list[str] = []
        self.answers: dict[int, asyncio.Future[Any]] = {}
        self.seen = asyncio.Event()
        self.socket: ClientConnection

    async def call(self) -> None:
        """Open the line."""
        self.socket = await connect(self.address, max_size=None, compression=None, open_timeout=60, ping_interval=None)
        await self.socket.send(orjson.dumps({"type": "hello", "key": self.key}).decode())

    async def listen(self) -> None:
        """Take what comes over the line."""
        async for frame in self.socket:
            news = orjson.loads(frame)
            kind = news["type"]
            if kind == "update" and "question" in news["set"]:
                self.ask(news["set"]["question"])
            elif kind == "view":
                self.ask(news["view"]["question"])
                self.seen.set()
            elif kind == "answer":
                self.answers.pop(news["id"]).set_result(news["refusal"])

    def ask(self, question: dict[str, Any] | None) -> None:
        """A new question."""
        self.open = []
        if question is not None and question["side"] == self.side:
            self.number = question["number"]
            self.open = [*question["units"], *question["hexes"], *question["boxes"]]
            self.open += [button["click"] for button in question["buttons"]]

    async def click(self, click: str) -> dict[str, Any] | None:
        """Click, and wait for the answer."""
        self.answers[self.number] = answer = asyncio.get_running_loop().create_future()
        frame = {"type": "click", "id": self.number, "number": self.number, "click": click}
        await self.socket.send(orjson.dumps(frame).decode())
        refusal: dict[str, Any] | None = await asyncio.wait_for(answer, 30)
        return refusal


async def _play(address: str, games: int, seconds: float) -> Outcome:
    outcome = Outcome()
    async with httpx.AsyncClient(base_url=f"http://{address}", timeout=60) as client:
        for board in TITLES:
            # A server that has run for a while has drawn them all.
            await client.get(f"/api/boards/{board}/map.svg")
        tables = [await _set_up(client, address) for _ in range(games)]
    seats = [seat for table in tables for seat in table]
    for first in range(0, len(seats), CALLING):
        await asyncio.gather(*(seat.call() for seat in seats[first : first + CALLING]))
    ears = [asyncio.create_task(seat.listen()) for seat in seats]
    await asyncio.gather(*(seat.seen.wait() for seat in seats))
    begin = perf_counter() + 0.5
    chance = random.Random(1)
    await asyncio.gather(*(_game(table, begin + chance.random(), begin + seconds, chance, outcome) for table in tables))
    for ear in ears:
        ear.cancel()
    await asyncio.gather(*ears, return_exceptions=True)
    await asyncio.gather(*(seat.socket.close() for seat in seats))
    return outcome


async def _set_up(client: httpx.AsyncClient, address: str) -> list[Seat]:
    answer = (await client.post("/api/matches", json=GAME)).raise_for_status().json()
    return [Seat(address, answer["id"], side, key) for side, key in answer["keys"].items()]


async def _game(table: list[Seat], start: float, end: float, chance: random.Random, outcome: Outcome) -> None:
    """One click a second, by whoever is asked."""
    due = start
    while due < end:
        await asyncio.sleep(max(0.0, due - perf_counter()))
        asked = next((seat for seat in table if seat.open), None)
        if asked is None:
            outcome.errors.append("nobody is asked")
            return
        sent = perf_counter()
        try:
            refusal = await asked.click(chance.choice(asked.open))
        except (TimeoutError, WebSocketException) as error:
            outcome.errors.append(repr(error))
            return
        outcome.seconds.append(perf_counter() - sent)
        if refusal is not None:
            outcome.errors.append(refusal["error"])
        due += 1.0
