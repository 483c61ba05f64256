"""The live connection: one WebSocket per viewer of a match. A change is sent as soon as it is durable.

A connection that falls behind is not waited for: it gets the whole view instead of the updates it missed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter, deque
from collections.abc import Callable
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import Field, TypeAdapter, ValidationError
from starlette.websockets import WebSocketState

from khamsin.kernel.rules import EVERYONE
from khamsin.server import click_checks, limits, wire
from khamsin.server.click_checks import Refused
from khamsin.server.connections import WRITE
from khamsin.server.live_match import LiveMatch
from khamsin.server.middleware import Buckets, Payer, address_of
from khamsin.server.registry import MatchRegistry

log = logging.getLogger(__name__)

Frame = Annotated[
    wire.Hello | wire.LiveClick | wire.LiveUndo | wire.LiveSide | wire.LiveSay, Field(discriminator="type")
]
FRAMES: TypeAdapter[Any] = TypeAdapter(Frame)
HELLO_SECONDS = 20
"""How long a connection may wait before its hello frame."""
TRY_LATER = 1013
"""The code for closing a connection that may be opened again later."""
PASSING = frozenset({"busy", "limit", "waiting"})
"""Reasons of temporary refusals; the connection is closed with 1013, after others with 1008."""
BAD_FRAMES = 20
"""Invalid frames before a connection is closed."""


class LiveConnection:
    """A live connection: its queue of frames, and its seat."""

    def __init__(
        self, socket: WebSocket, table: LiveMatch, registry: MatchRegistry, holds: list[int], viewer: int, key: str = ""
    ) -> None:
        self.socket = socket
        self.table = table
        self.registry = registry
        self.holds = holds
        self.seated = bool(holds)
        """Whether a player opened it; a device that is signed out holds nothing any more."""
        self.key = key
        self.viewer = viewer
        self._waiting: deque[bytes] = deque()
        self._answers: deque[bytes] = deque()
        self._behind = False
        self._news = asyncio.Event()
        self.dismissed: Refused | None = None
        """Why the connection is to be closed."""
        self._sending = False
        """Whether a frame is being sent that later ones must not overtake."""
        self._write: Callable[[bytes], bool] | None = socket.scope.get("extensions", {}).get(WRITE)

    def send(self, frame: bytes) -> None:
        """Queue a change. If too much waits, send the whole view instead."""
        self.put(frame)
        self.wake()

    def put(self, frame: bytes) -> None:
        """As `send`, but without waking the connection."""
        if self._behind:
            return
        if len(self._waiting) >= limits.QUEUE:
            self.send_whole()
            return
        self._waiting.append(frame)

    def wake(self) -> None:
        """Send what waits, at once if the connection is ready."""
        while self._write and self._waiting and not self._behind and not self._sending:
            if not self._write(self._waiting[0]):
                break
            self._waiting.popleft()
        if self._waiting or self._behind:
            self._news.set()

    def send_whole(self) -> None:
        """Send the whole view instead of all that waits."""
        self._answers.extend(frame for frame in self._waiting if frame.startswith(ANSWERS))
        self._waiting.clear()
        self._behind = True
        self._news.set()

    def answer(self, frame: bytes) -> None:
        """Send an answer, which is never dropped."""
        (self._answers if self._behind else self._waiting).append(frame)
        self.wake()

    def dismiss(self, refused: Refused) -> None:
        """Send the reason and close the connection."""
        self.holds = []
        self.dismissed = refused
        self._news.set()

    def refuse(self, refused: Refused) -> None:
        """Send why a frame was rejected."""
        self.answer(orjson.dumps({"type": "refusal", "refusal": refused.as_dict()}))

    async def run(self) -> None:
        """Send what waits, for ever."""
        while True:
            await self._news.wait()
            self._news.clear()
            if self.dismissed is not None:
                await _refuse(self.socket, self.dismissed)
                await _close(self.socket, 1008, str(self.dismissed))
                return
            if self._behind:
                try:
                    whole = await self.registry.whole_frame(self.table, self.viewer)
                except Refused as refused:
                    await _close(self.socket, TRY_LATER, str(refused))
                    return
                self._waiting.extendleft(reversed([whole, *self._answers]))
                self._answers.clear()
                self._behind = False
            while self._waiting and not self._behind:
                frame = self._waiting.popleft()
                self._sending = True
                await self.socket.send({"type": "websocket.send", "text": frame.decode()})
                self._sending = False


ANSWERS = (b'{"type":"answer"', b'{"type":"refusal"')


class Lines:
    """The live connections of a server, and how many spectators each address has."""

    def __init__(self, registry: MatchRegistry, buckets: Buckets) -> None:
        self.registry = registry
        self.buckets = buckets
        self.spectators: Counter[str] = Counter()

    def admit(self, table: LiveMatch, holds: list[int], address: str) -> None:
        """Raise Refused if there are too many connections. Spectators never keep a player out."""
        players = sum(1 for line in table.lines if line.holds)
        if holds:
            if players >= limits.SEAT_LINES:
                raise Refused(
                    "limit", "Too many connections of the players of this game. Close some, or try again later."
                )
        elif self.spectators[address] >= limits.SPECTATORS_PER_ADDRESS * self.buckets.scale:
            raise Refused("limit", "Too many spectators from your address. Try again later.")
        elif len(table.lines) - players >= limits.SPECTATORS:
            raise Refused("busy", "Too many spectators of this game. Try again later.")

    def add(self, line: LiveConnection, address: str) -> None:
        """Add a connection."""
        line.table.lines.add(line)
        if not line.seated:
            self.spectators[address] += 1

    def remove(self, line: LiveConnection, address: str) -> None:
        """Remove a connection."""
        line.table.lines.discard(line)
        if not line.seated:
            self.spectators[address] -= 1
            if not self.spectators[address]:
                del self.spectators[address]


def live_router(registry: MatchRegistry, buckets: Buckets) -> APIRouter:
    """Return the live connection of every game."""
    router = APIRouter()
    lines = Lines(registry, buckets)

    @router.websocket("/api/matches/{match}/live")
    async def live(socket: WebSocket, match: str) -> None:
        await socket.accept()
        try:
            await _talk(lines, socket, match)
        except (WebSocketDisconnect, RuntimeError, ConnectionError) as gone:
            # The client may disconnect at any moment, also while something is sent to it.
            log.debug("a live connection has ended: %r", gone)
        except asyncio.CancelledError:
            await _close(socket, 1012, "the server stops")
            raise

    return router


async def _talk(lines: Lines, socket: WebSocket, match: str) -> None:
    registry, address = lines.registry, address_of(socket.scope)
    try:
        table = await registry.table(match)
        async with asyncio.timeout(HELLO_SECONDS):
            hello = await _receive(socket)
        if not isinstance(hello, wire.Hello):
            raise Refused("invalid", "Expected a hello frame first")
        holds = table.holds(hello.key)
        viewer = click_checks.viewer_of(table.rules, holds, hello.side, table.sees_all(holds))
        lines.admit(table, holds, address)
    except TimeoutError:
        await _close(socket, TRY_LATER, "no hello frame")
        return
    except Refused as refused:
        if refused.reason == "frozen":
            await _show_frozen(registry, socket, match)
        else:
            await _refuse(socket, refused)
            await _close(socket, TRY_LATER if refused.reason in PASSING else 1008, str(refused))
        return
    line = LiveConnection(socket, table, registry, holds, viewer, hello.key)
    lines.add(line, address)
    line.send_whole()
    sending = asyncio.create_task(line.run())
    try:
        if holds:
            table.tell_seats()
            registry.announce(table)
        await registry.arrive(table, holds, hello.key)
        await _listen(registry, lines.buckets, line, hello.key)
    except Refused as refused:
        sending.cancel()
        await _refuse(socket, refused)
        await _close(socket, TRY_LATER, str(refused))
    finally:
        lines.remove(line, address)
        sending.cancel()
        with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError, ConnectionError):
            await sending
        if holds:
            if line.holds:
                registry.note_visit(table, line.holds, hello.key)
            table.tell_seats()
            registry.announce(table)


async def _show_frozen(registry: MatchRegistry, socket: WebSocket, match: str) -> None:
    """Send the view of a match that the installed rules cannot continue, and close: a client connects again later."""
    try:
        frozen = await registry.frozen(match)
        async with asyncio.timeout(HELLO_SECONDS):
            hello = await _receive(socket)
        if not isinstance(hello, wire.Hello):
            raise Refused("invalid", "Expected a hello frame first")
        view = frozen.view(frozen.viewer(hello.key, hello.side))
    except TimeoutError:
        await _close(socket, 1008, "no hello frame")
        return
    except Refused as refused:
        await _refuse(socket, refused)
        await _close(socket, TRY_LATER if refused.reason in PASSING else 1008, str(refused))
        return
    frame: wire.LiveView = {"type": "view", "view": view, "chat": [], "seats": frozen.seat_infos(), "rematch": None}
    await socket.send({"type": "websocket.send", "text": orjson.dumps(frame).decode()})
    await _close(socket, TRY_LATER, frozen.text)


async def _listen(registry: MatchRegistry, buckets: Buckets, line: LiveConnection, key: str) -> None:
    """Handle the frames of a connection until it ends."""
    table, bad = line.table, 0
    payer = Payer(buckets, line.socket.scope, key)
    caller = key or f"spectator {line.socket.client.host if line.socket.client else ''}"
    while True:
        try:
            frame = await _receive(line.socket)
        except Refused as refused:
            bad += 1
            if bad > BAD_FRAMES:
                await _close(line.socket, 1008, "too many invalid frames")
                return
            line.refuse(refused)
            continue
        match frame:
            case wire.LiveClick() | wire.LiveUndo():
                too_often = buckets.take("click", caller)
                refusal = TOO_OFTEN if too_often else await _act(registry, line, frame, payer)
                answer: wire.LiveAnswer = {"type": "answer", "id": frame.id, "refusal": refusal}
                line.answer(orjson.dumps(answer))
            case wire.LiveSide():
                try:
                    line.viewer = click_checks.viewer_of(
                        table.rules, line.holds, frame.side, table.sees_all(line.holds)
                    )
                    line.send_whole()
                except Refused as refused:
                    line.refuse(refused)
            case wire.LiveSay():
                await _say(registry, buckets, line, caller, frame.text)
            case _:
                line.refuse(Refused("invalid", "This connection has already sent its hello"))


TOO_OFTEN = Refused("limit", "Too many clicks. Try again in a few seconds.").as_dict()


async def _act(
    registry: MatchRegistry, line: LiveConnection, frame: wire.LiveClick | wire.LiveUndo, payer: Payer
) -> wire.Refusal | None:
    """Click or undo. Return None, or the refusal."""
    try:
        if isinstance(frame, wire.LiveClick):
            await registry.click(line.table, line.holds, frame.side, frame.number, frame.click, payer)
        else:
            await registry.undo(line.table, line.holds, frame.side, frame.number, frame.move)
    except Refused as refused:
        return refused.as_dict()
    return None


async def _say(registry: MatchRegistry, buckets: Buckets, line: LiveConnection, caller: str, text: str) -> None:
    side = line.viewer if line.viewer in line.holds else EVERYONE
    try:
        if buckets.take("chat", caller):
            raise Refused("limit", "Too many messages. Try again in a few seconds.")
        await registry.say(line.table, side, line.table.name_of(side), text)
    except Refused as refused:
        line.refuse(refused)


async def _receive(socket: WebSocket) -> Any:
    """Return the next frame; raise WebSocketDisconnect if there is none, Refused if it is invalid."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1005))
    text = message.get("text")
    if text is None:
        await _close(socket, 1003, "expected text")
        raise WebSocketDisconnect(1003)
    if len(text) > limits.FRAME:
        await _close(socket, 1009, "too large")
        raise WebSocketDisconnect(1009)
    try:
        return FRAMES.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise Refused("invalid", f"{where}: {first['msg']}" if where else first["msg"]) from None


async def _refuse(socket: WebSocket, refused: Refused) -> None:
    frame = orjson.dumps({"type": "refusal", "refusal": refused.as_dict()})
    await socket.send({"type": "websocket.send", "text": frame.decode()})


async def _close(socket: WebSocket, code: int, reason: str) -> None:
    if socket.application_state is WebSocketState.CONNECTED:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, ConnectionError):
            await socket.close(code, reason.encode()[:120].decode(errors="ignore"))
