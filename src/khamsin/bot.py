"""A computer player at a seat of a server. It uses the same API as the browser.

It waits for its turn on the live connection, gets the match as its side may know it, and lets one of our players
choose. When the connection breaks it reconnects, each time a little later.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
from websockets.sync.client import ClientConnection, connect

from khamsin import games, players
from khamsin.joining import KeyFile, Link, Unavailable, take_seat
from khamsin.kernel import position
from khamsin.kernel.match import Match
from khamsin.kernel.pieces import verdict
from khamsin.kernel.rules import Decision, Game, Illegal, Rules

WAITS = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""Seconds to wait before each reconnection attempt."""
MAX_FRAME_BYTES = 64 * 1024 * 1024
"""The greatest size of a frame in bytes: the whole view of a long game."""

Json = dict[str, Any]


class BrokenLine(Exception):
    """The server is not available now. `wait` is the delay in seconds that it asked for."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


class Late(Exception):
    """The click was for a decision that is no longer current."""


@dataclass(frozen=True)
class Seat:
    """A seat of a match on a server, and its key."""

    server: str
    match: str
    key: str

    @classmethod
    def parse(cls, link: str) -> Seat:
        """Return the seat of a link that contains its key."""
        found = Link.parse(link)
        if found.kind != "key":
            raise ValueError(f"{link!r}: expected a link with a key")
        return cls(found.server, found.match, found.secret)

    @classmethod
    def take(
        cls, link: str, keys: KeyFile, say: Callable[[str], None], pause: Callable[[float], None] = time.sleep
    ) -> Seat:
        """Take the seat that a link opens, and wait until the match has begun."""
        found, tries = Link.parse(link), 0
        while True:
            try:
                return cls(found.server, found.match, take_seat(found, keys, say, pause))
            except Unavailable as error:
                wait = WAITS[min(tries, len(WAITS) - 1)]
                tries += 1
                say(f"{error}; next attempt in {wait:.0f} s")
                pause(wait)

    @property
    def address(self) -> str:
        """The address of the match in the API."""
        return f"{self.server}/api/matches/{self.match}"

    @property
    def live(self) -> str:
        """The address of the live connection."""
        return "ws" + self.address.removeprefix("http") + "/live"


class Shown(Match[Any]):
    """A match as shown to a side. It can be examined, not continued."""

    def __init__(self, game: Game[Any], decision: Decision, number: int) -> None:
        self._open(game)
        self.decision = decision
        self.number = number


def shown(answer: Json) -> Shown:
    """Return the match in a position that the server sent to the side that must decide."""
    rules = _rules(answer["game"])
    decision = Decision(
        rules.side(answer["side"]),
        answer["kind"],
        answer["prompt"],
        answer["rule"],
        {click: dict(answer["legal"])[name] for click, name in legal_names(rules, answer).items()},
        answer["top"],
        tuple(rules.parse(name) for name in answer["about"]),
        tuple(rules.parse(name) for name in answer["buttons"]),
    )
    return Shown(position.read_game(answer["position"], _rules), decision, answer["number"])


def legal_names(rules: Rules[Any], answer: Json) -> dict[int, str]:
    """Return the server's name of each legal click. A server of another version may have clicks that we do not know."""
    found = {}
    for name, _ in answer["legal"]:
        try:
            found[rules.parse(name)] = name
        except Illegal:
            if answer["digest"] == rules.digest:
                raise
    if not found:
        raise ValueError(f"the server plays another version of {rules.title}: no legal click is known here")
    return found


@lru_cache
def _rules(game: str) -> Rules[Any]:
    """Return the rules of a game, without the check of positions: in the middle of a combat a stack may be over-full."""
    return replace(games.load(game), find_fault=lambda g: "")


class LiveConnection:
    """The live connection of a seat, with the current decision and its side."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.view: Json = {}
        self._calls = 0

    def hello(self, key: str, side: str | None) -> None:
        """Identify the seat and wait for the first view."""
        self._send({"type": "hello", "key": key, "side": side})
        while not self.view:
            self.take()

    @property
    def side(self) -> str | None:
        """The side of this connection."""
        viewer: str | None = self.view["viewer"]
        return viewer

    @property
    def asked(self) -> str | None:
        """The side that must decide; None when the game is over."""
        question = self.view.get("question")
        return question["side"] if question else None

    def take(self) -> Json:
        """Wait for the next frame and apply it."""
        frame: Json = json.loads(self.connection.recv())
        if frame["type"] == "view":
            self.view = {name: frame["view"][name] for name in KNOWN}
        elif frame["type"] == "update":
            self.view |= {name: value for name, value in frame["set"].items() if name in KNOWN}
        elif frame["type"] == "refusal":
            raise refused(frame["refusal"])
        return frame

    def click(self, number: int, click: str, side: str) -> None:
        """Send a click. Raises Late if the decision has been made already."""
        self._calls += 1
        self._send({"type": "click", "id": self._calls, "number": number, "click": click, "side": side})
        while True:
            frame = self.take()
            if frame["type"] == "answer" and frame["id"] == self._calls:
                break
        if frame["refusal"] is not None:
            raise refused(frame["refusal"])

    def _send(self, frame: Json) -> None:
        self.connection.send(json.dumps(frame))


KNOWN = ("viewer", "question", "result", "turn", "phase")
"""The fields of a view that a bot uses."""


class Bot:
    """A player at a seat."""

    def __init__(
        self,
        seat: Seat,
        player: players.Player,
        side: str | None = None,
        say: Callable[[str], None] = lambda text: None,
        pause: Callable[[float], None] = time.sleep,
        enough: Callable[[int], bool] = lambda clicks: False,
    ) -> None:
        """`side` names the seat if the key opens several; `enough` is called after each click and returns whether to
        leave."""
        self.seat = seat
        self.player = player
        self.side = side
        self.say = say
        self.pause = pause
        self.enough = enough
        self.clicks = 0
        self._warned = False
        self.calls = 0
        """Failed reconnection attempts since the last connection."""

    def play(self) -> Json | None:
        """Play until the game is over and return its result; None if the bot left before."""
        while True:
            try:
                return self._call()
            except BrokenLine as broken:
                wait = broken.wait or WAITS[min(self.calls, len(WAITS) - 1)]
                self.calls += 1
                self.say(f"{broken}; next attempt in {wait:.0f} s")
                self.pause(wait)

    def _call(self) -> Json | None:
        """Play until the connection breaks."""
        try:
            with connect(self.seat.live, max_size=MAX_FRAME_BYTES, compression="deflate") as connection:
                line = LiveConnection(connection)
                line.hello(self.seat.key, self.side)
                self.calls = 0
                return self._follow(line)
        except InvalidStatus as error:
            raise _trouble(
                error.response.status_code, bytes(error.response.body or b""), error.response.headers
            ) from None
        except ConnectionClosed:
            raise BrokenLine("the connection broke") from None
        except InvalidURI as error:
            raise ValueError(str(error)) from None
        except (OSError, InvalidHandshake, TimeoutError) as error:
            raise BrokenLine(f"{self.seat.server} does not respond ({error})") from None

    def _follow(self, line: LiveConnection) -> Json | None:
        side = line.side
        if side is None:
            raise ValueError("that link opens no seat of the game: its key is unknown")
        self.say(f"{self.player!r} plays {side}")
        while line.view["result"] is None:
            if line.asked != side:
                line.take()
                continue
            try:
                self._answer(line, side)
            except Late as late:
                self.say(f"{late}; requesting the decision again")
            if self.enough(self.clicks):
                return None
        result: Json = line.view["result"]
        self.say(f"The game is over: {verdict(result['winner'], result['level'])}: {result['reason']}")
        return result

    def _answer(self, line: LiveConnection, side: str) -> None:
        """Get the position, choose a click and send it."""
        answer = self._position(side)
        if answer["asked"] != side:
            # The decision has changed; the next frame has it.
            line.take()
            return
        match = shown(answer)
        if answer["digest"] != match.rules.digest and not self._warned:
            self._warned = True
            self.say(f"Warning: the server has other rules or data of {match.rules.title}; use its version of Khamsin")
        click = legal_names(match.rules, answer)[players.answer(match, self.player)]
        line.click(match.number, click, side)
        self.clicks += 1
        view = line.view
        self.say(f"turn {view['turn']['number']}, {view['phase']}: {answer['prompt']}: {click}")

    def _position(self, side: str) -> Json:
        try:
            answer = self._http.get(f"{self.seat.address}/position", params={"side": side})
        except httpx.TransportError as error:
            raise BrokenLine(f"{self.seat.server} does not respond ({error})") from None
        if answer.status_code != 200:
            raise _trouble(answer.status_code, answer.content, answer.headers)
        found: Json = answer.json()
        return found

    @cached_property
    def _http(self) -> httpx.Client:
        return httpx.Client(headers={"X-Khamsin-Key": self.seat.key}, timeout=60.0)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


def refused(refusal: Json) -> Exception:
    """Return what a refusal on the live connection means."""
    if refusal["reason"] in ("stale", "turn", "changed", "over"):
        return Late(refusal["error"])
    if refusal["reason"] in ("busy", "limit"):
        return BrokenLine(refusal["error"], WAITS[0])
    return ValueError(refusal["error"])


def _trouble(status: int, body: bytes, headers: Any) -> Exception:
    """Return the error of an HTTP answer: temporary or final."""
    try:
        error = json.loads(body)["error"]
    except (ValueError, KeyError, TypeError):
        error = f"the server returned {status}"
    if status == 429 or status >= 500:
        wait = headers.get("retry-after", "")
        return BrokenLine(error, float(wait) if wait.isdecimal() else 0.0)
    return ValueError(error)
