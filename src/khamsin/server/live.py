"""The live line: one WebSocket from one viewer to one game. Every change of the game comes over it as soon as it is durable.

A line that cannot keep up is not waited for: what it missed is left out, and it gets the whole view instead.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import Field, TypeAdapter, ValidationError
from starlette.websockets import WebSocketState

from khamsin.kernel.rules import EVERYONE
from khamsin.server import gate, limits, wire
from khamsin.server.gate import Refused
from khamsin.server.hall import Hall
from khamsin.server.table import Table

log = logging.getLogger(__name__)

Frame = Annotated[
    wire.Hello | wire.LiveClick | wire.LiveUndo | wire.LiveSide | wire.LiveSay, Field(discriminator="type")
]
FRAMES: TypeAdapter[Any] = TypeAdapter(Frame)
HELLO_SECONDS = 20
"""How long a line may wait before it says who is calling."""
BAD_FRAMES = 20
"""Frames that make no sense before a line is closed."""

Take = Callable[[str, str], float]
"""Takes one from the bucket of a caller, by what he does: 0, or the seconds to wait."""


class LiveLine:
    """One end of a live line: what waits to be sent over it, and from which seat it looks."""

    def __init__(self, socket: WebSocket, table: Table, holds: list[int], viewer: int, key: str) -> None:
        self.socket = socket
        self.table = table
        self.holds = holds
        self.key = key
        self.viewer = viewer
        self._waiting: deque[bytes] = deque()
        self._answers: deque[bytes] = deque()
        self._behind = False
        self._news = asyncio.Event()
        self.dismissed: Refused | None = None
        """Why the connection is to be closed."""

    def send(self, frame: bytes) -> None:
        """Something that has changed. Where too much waits already, the whole view is sent instead."""
        if self._behind:
            return
        if len(self._waiting) >= limits.QUEUE:
            self.send_whole()
            return
        self._waiting.append(frame)
        self._news.set()

    def send_whole(self) -> None:
        """The whole view, in place of all that waits."""
        self._answers.extend(frame for frame in self._waiting if frame.startswith(ANSWERS))
        self._waiting.clear()
        self._behind = True
        self._news.set()

    def answer(self, frame: bytes) -> None:
        """An answer: it is never left out."""
        (self._answers if self._behind else self._waiting).append(frame)
        self._news.set()

    def dismiss(self, refused: Refused) -> None:
        """Say why, and close the connection."""
        self.holds = []
        self.dismissed = refused
        self._news.set()

    def refuse(self, refused: Refused) -> None:
        """Why something that came over the line was not done."""
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
                async with self.table.lock:
                    whole = self.table.live_view(self.viewer)
                    self._waiting.extendleft(reversed([whole, *self._answers]))
                    self._answers.clear()
                    self._behind = False
            while self._waiting and not self._behind:
                frame = self._waiting.popleft()
                await self.socket.send({"type": "websocket.send", "text": frame.decode()})


ANSWERS = (b'{"type":"answer"', b'{"type":"refusal"')


def live_router(hall: Hall, take: Take) -> APIRouter:
    """The live line of every game."""
    router = APIRouter()

    @router.websocket("/api/matches/{match}/live")
    async def live(socket: WebSocket, match: str) -> None:
        await socket.accept()
        try:
            await _talk(hall, take, socket, match)
        except (WebSocketDisconnect, RuntimeError, ConnectionError) as gone:
            # The other end may go at any moment, also while something is sent to it.
            log.debug("a live line has gone: %r", gone)
        except asyncio.CancelledError:
            await _close(socket, 1012, "the server stops")
            raise

    return router


async def _talk(hall: Hall, take: Take, socket: WebSocket, match: str) -> None:
    try:
        table = await hall.table(match)
        async with asyncio.timeout(HELLO_SECONDS):
            hello = await _receive(socket)
        if not isinstance(hello, wire.Hello):
            raise Refused("invalid", "Expected a frame that says hello first")
        holds = table.holds(hello.key)
        viewer = gate.viewer_of(table.rules, holds, hello.side, table.sees_all(holds))
        if len(table.lines) >= limits.WATCHERS:
            raise Refused("busy", "Too many look at this game already")
    except TimeoutError:
        await _close(socket, 1008, "nobody said hello")
        return
    except Refused as refused:
        await _refuse(socket, refused)
        await _close(socket, 1008, str(refused))
        return
    line = LiveLine(socket, table, holds, viewer, hello.key)
    table.lines.add(line)
    line.send_whole()
    sending = asyncio.create_task(line.run())
    try:
        table.tell_seats()
        hall.announce(table)
        await hall.arrive(table, holds, hello.key)
        await _listen(hall, take, line, hello.key)
    finally:
        table.lines.discard(line)
        sending.cancel()
        with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError, ConnectionError):
            await sending
        if line.holds:
            hall.note_visit(table, line.holds, hello.key)
        table.tell_seats()
        hall.announce(table)


async def _listen(hall: Hall, take: Take, line: LiveLine, key: str) -> None:
    """Take what comes over a line until it ends."""
    table, bad = line.table, 0
    caller = key or f"spectator {line.socket.client.host if line.socket.client else ''}"
    while True:
        try:
            frame = await _receive(line.socket)
        except Refused as refused:
            bad += 1
            if bad > BAD_FRAMES:
                await _close(line.socket, 1008, "too many frames that make no sense")
                return
            line.refuse(refused)
            continue
        match frame:
            case wire.LiveClick() | wire.LiveUndo():
                refusal = await _act(hall, take, line, caller, frame)
                line.answer(orjson.dumps({"type": "answer", "id": frame.id, "refusal": refusal}))
            case wire.LiveSide():
                try:
                    line.viewer = gate.viewer_of(table.rules, line.holds, frame.side, table.sees_all(line.holds))
                    line.send_whole()
                except Refused as refused:
                    line.refuse(refused)
            case wire.LiveSay():
                await _say(hall, take, line, caller, frame.text)
            case _:
                line.refuse(Refused("invalid", "This line has said hello already"))


async def _act(
    hall: Hall, take: Take, line: LiveLine, caller: str, frame: wire.LiveClick | wire.LiveUndo
) -> dict[str, Any] | None:
    """Click or take back; None, or why not."""
    try:
        if take("click", caller):
            raise Refused("limit", "Too many clicks in a short time; wait a little")
        if isinstance(frame, wire.LiveClick):
            await hall.click(line.table, line.holds, frame.side, frame.number, frame.click)
        else:
            await hall.undo(line.table, line.holds, frame.side, frame.number, frame.move)
    except Refused as refused:
        return refused.as_dict()
    return None


async def _say(hall: Hall, take: Take, line: LiveLine, caller: str, text: str) -> None:
    side = line.viewer if line.viewer in line.holds else EVERYONE
    try:
        if take("chat", caller):
            raise Refused("limit", "Too much was said in a short time; wait a little")
        await hall.say(line.table, side, line.table.name_of(side), text)
    except Refused as refused:
        line.refuse(refused)


async def _receive(socket: WebSocket) -> Any:
    """The next frame; WebSocketDisconnect where there is none, Refused where it makes no sense."""
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
