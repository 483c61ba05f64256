"""Loads on the server, for `khamsin bench table`: the time of a click while many matches are played, while others send
requests without pause, and while a thousand spectators watch; and the memory of a large import.

The players read only what they need to choose a click. Requesters and spectators run in a separate process, so that the
measuring process has time to read the responses.
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

from khamsin import games
from khamsin.kernel import record
from khamsin.kernel.dice import KeyedDice
from khamsin.kernel.match import Match
from khamsin.kernel.registration import registrations
from khamsin.server import limits
from khamsin.server.connections import raise_file_limit

GAME = {"game": "paa", "scenario": "campaign", "seats": {"Axis": "me", "Allied": "me"}}
CALLING = 20
"""Connections that are opened at the same time before the clock starts."""
SERVER = """
import sys
from khamsin.server.app import listen, serve
listening = listen("127.0.0.1", 0)
print(listening.getsockname()[1], flush=True)
serve("127.0.0.1", 0, False, sys.argv[1], listening, draw_ahead=False)
"""


OTHERS = "import sys; from khamsin.server import load; getattr(load, sys.argv[1])(*sys.argv[2:])"
ASKERS = 8
ASKED = ("layers/threat", "odds", "at")
"""The requests: a layer, odds of other units each time, another moment each time."""
BEFORE = 400
"""Clicks of the match that is requested."""


@dataclass
class LoadResult:
    """The measurements: the seconds of every response, the errors, and the memory of the server in MiB."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    memory: float = 0.0

    def quantile(self, part: float) -> float:
        """Return the time within which this share of the responses came, in ms."""
        return statistics.quantiles(self.seconds, n=1000, method="inclusive")[int(part * 1000) - 1] * 1e3


def run(games: int = 300, seconds: float = 20.0) -> LoadResult:
    """Play a number of matches for some seconds against a new server on SQLite."""
    with tempfile.TemporaryDirectory() as folder, serving(f"sqlite:///{folder}/games.db") as (process, address):
        outcome = asyncio.run(_play(address, games, seconds))
        outcome.memory = memory_of(process)
        return outcome


def run_asked(what: str, seconds: float = 15.0) -> LoadResult:
    """Play one match while others request another one without pause, also after each of its clicks."""
    with tempfile.TemporaryDirectory() as folder, serving(f"sqlite:///{folder}/games.db") as (_, address):
        return asyncio.run(_play_beside(address, seconds, "ask", what))


def run_watched(spectators: int = 1000, seconds: float = 15.0) -> LoadResult:
    """Play one match that a number of spectators watch."""
    with tempfile.TemporaryDirectory() as folder, serving(f"sqlite:///{folder}/games.db") as (_, address):
        return asyncio.run(_play_beside(address, seconds, "watch", str(spectators)))


def run_import() -> LoadResult:
    """Import the longest record that is allowed, and look at its last moment."""
    outcome, most = LoadResult(), limits.import_clicks("paa", "campaign")
    text = idle_record(most)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(f"sqlite:///{folder}/games.db") as (process, address),
        httpx.Client(base_url=f"http://{address}", timeout=120) as client,
    ):
        begin = perf_counter()
        made = (
            client.post("/api/matches/import", json={"record": text, "seats": GAME["seats"]}).raise_for_status().json()
        )
        outcome.seconds.append(perf_counter() - begin)
        begin = perf_counter()
        client.get(f"/api/matches/{made['id']}/at/{most}").raise_for_status()
        outcome.seconds.append(perf_counter() - begin)
        outcome.memory = memory_of(process)
    return outcome


def idle_record(clicks: int) -> str:
    """Return the record of a match in which a unit is selected and released again and again."""
    match = Match(games.load("paa"), "campaign", dice=KeyedDice.seeded(3))
    match.play(["done", "done"])
    while len(match.clicks) < clicks:
        match.play(["AU 24/IBDE", "cancel"])
    return record.write(match)


@contextmanager
def serving(database: str, program: str = SERVER) -> Iterator[tuple[int, str]]:
    """Start a server in a new process. Return the number of the process, and its address."""
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
    """Return the largest memory that a process has had, in MiB; 0 if the system does not report it."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return 0.0
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


class Seat:
    """One player at a live connection. It knows the legal clicks of the present decision, if it must decide."""

    def __init__(self, address: str, match: str, side: str, key: str) -> None:
        self.address = f"ws://{address}/api/matches/{match}/live"
        self.side = side
        self.key = key
        self.number = -1
        self.legal: list[str] = []
        self.answers: dict[int, asyncio.Future[Any]] = {}
        self.seen = asyncio.Event()
        self.socket: ClientConnection

    async def call(self) -> None:
        """Open the connection."""
        self.socket = await connect(self.address, max_size=None, compression=None, open_timeout=60, ping_interval=None)
        await self.socket.send(orjson.dumps({"type": "hello", "key": self.key, "side": self.side}).decode())

    async def listen(self) -> None:
        """Handle the frames of the connection."""
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
        """Take a new decision."""
        self.legal = []
        if question is not None and question["side"] == self.side:
            self.number = question["number"]
            self.legal = [*question["units"], *question["hexes"], *question["boxes"]]
            self.legal += [button["click"] for button in question["buttons"]]

    async def click(self, click: str) -> dict[str, Any] | None:
        """Click, and wait for the response."""
        self.answers[self.number] = answer = asyncio.get_running_loop().create_future()
        frame = {"type": "click", "id": self.number, "number": self.number, "click": click}
        await self.socket.send(orjson.dumps(frame).decode())
        refusal: dict[str, Any] | None = await asyncio.wait_for(answer, 30)
        return refusal


async def _play(address: str, games: int, seconds: float) -> LoadResult:
    outcome = LoadResult()
    async with httpx.AsyncClient(base_url=f"http://{address}", timeout=60) as client:
        for board in registrations():
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


async def _play_beside(address: str, seconds: float, others: str, more: str) -> LoadResult:
    """Play a match next to a process that requests another, or that watches this one. Both are played."""
    outcome, chance = LoadResult(), random.Random(2)
    async with httpx.AsyncClient(base_url=f"http://{address}", timeout=60) as client:
        table, other = await _set_up(client, address), await _set_up(client, address)
    ears = []
    for seat in (*table, *other):
        await seat.call()
        ears.append(asyncio.create_task(seat.listen()))
        await seat.seen.wait()
    if others == "ask":
        for _ in range(BEFORE):
            asked = next(seat for seat in other if seat.legal)
            await asked.click(chance.choice(asked.legal))
    match = (other if others == "ask" else table)[0]
    command = [sys.executable, "-c", OTHERS, others, match.address, match.key, more]
    beside = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert beside.stdout is not None
        ready = await asyncio.to_thread(beside.stdout.readline)
        if not ready.strip():
            raise RuntimeError(f"cannot {others}")
        begin = perf_counter() + 0.5
        unmeasured = LoadResult()
        await asyncio.gather(
            _game(table, begin, begin + seconds, chance, outcome, CLICKS_A_SECOND),
            _game(other, begin, begin + seconds, chance, unmeasured, CLICKS_A_SECOND),
        )
        outcome.errors += unmeasured.errors
        if beside.poll() is not None:
            outcome.errors.append(f"the process that should {others} has ended")
    finally:
        beside.kill()
        beside.wait()
        for ear in ears:
            ear.cancel()
        await asyncio.gather(*ears, return_exceptions=True)
        await asyncio.gather(*(seat.socket.close() for seat in (*table, *other)))
    return outcome


CLICKS_A_SECOND = 5
"""Clicks of a match that is played next to others."""


def ask(live: str, key: str, what: str) -> None:
    """Send requests about a match without pause, in a new process, until it is killed."""
    asyncio.run(_ask(live.replace("ws://", "http://").removesuffix("/live"), key, what))


async def _ask(game: str, key: str, what: str) -> None:
    rules = games.load("paa")
    units, hexes = [counter.name for counter in rules.counters], rules.board.names[: rules.board.size]

    async def asker(number: int) -> None:
        chance = random.Random(number)
        async with httpx.AsyncClient(headers={"X-Khamsin-Key": key}, timeout=60) as client:
            while True:
                query: dict[str, Any] = {}
                path = what
                if what == "odds":
                    query = {"attackers": chance.sample(units, 3), "targets": [chance.choice(hexes)]}
                elif what == "at":
                    path = f"at/{chance.randrange(BEFORE)}"
                await client.get(f"{game}/{path}", params=query)

    print("ready", flush=True)
    await asyncio.gather(*(asker(number) for number in range(ASKERS)))


def watch(live: str, key: str, spectators: str) -> None:
    """Watch a match as a number of spectators, in a new process, until it is killed."""
    raise_file_limit()
    asyncio.run(_watch(live, int(spectators)))


async def _watch(live: str, spectators: int) -> None:
    host, _, port = live.removeprefix("ws://").partition("/")[0].partition(":")
    path = live.removeprefix("ws://").partition("/")[2]

    async def spectator() -> asyncio.StreamReader:
        # Raw bytes: a client that unpacks every frame for a thousand spectators would be the bottleneck.
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(
            f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )
        if b" 101 " not in await reader.readuntil(b"\r\n\r\n"):
            raise RuntimeError("a spectator was refused")
        writer.write(b"\x81\x90\0\0\0\0" + b'{"type":"hello"}')
        if not await reader.readexactly(100):
            raise RuntimeError("a spectator got no view")
        writers.append(writer)
        return reader

    writers: list[asyncio.StreamWriter] = []
    readers: list[asyncio.StreamReader] = []
    for _ in range(0, spectators, CALLING):
        readers += await asyncio.gather(*(spectator() for _ in range(CALLING)))

    async def read(reader: asyncio.StreamReader) -> None:
        while await reader.read(1 << 16):
            pass
        raise RuntimeError("a spectator was disconnected")

    print("ready", flush=True)
    await asyncio.gather(*map(read, readers))


async def _set_up(client: httpx.AsyncClient, address: str) -> list[Seat]:
    answer = (await client.post("/api/matches", json=GAME)).raise_for_status().json()
    return [Seat(address, answer["id"], side, key) for side, key in answer["keys"].items()]


async def _game(
    table: list[Seat], start: float, end: float, chance: random.Random, outcome: LoadResult, per_second: float = 1.0
) -> None:
    """Click a number of times, as the side that must decide."""
    due = start
    while due < end:
        await asyncio.sleep(max(0.0, due - perf_counter()))
        asked = next((seat for seat in table if seat.legal), None)
        if asked is None:
            outcome.errors.append("no side must decide")
            return
        sent = perf_counter()
        try:
            refusal = await asked.click(chance.choice(asked.legal))
        except (TimeoutError, WebSocketException) as error:
            outcome.errors.append(repr(error))
            return
        outcome.seconds.append(perf_counter() - sent)
        if refusal is not None:
            outcome.errors.append(refusal["error"])
        due += 1.0 / per_second
