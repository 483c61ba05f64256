"""The live connection (WebSocket) and the chat. The client's first frame is Hello; frames are JSON objects with a `type`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints
from typing_extensions import TypedDict

from khamsin.server import limits
from khamsin.server.wire.asking import Click, Refusal, Undo
from khamsin.server.wire.common import STORABLE, Name, Strict
from khamsin.server.wire.seats import SeatInfo
from khamsin.server.wire.view import LogLine, UnitView, View


class Say(Strict):
    """A line of chat."""

    text: Annotated[
        str, StringConstraints(min_length=1, max_length=limits.CHAT, strip_whitespace=True, pattern=STORABLE)
    ]


class ChatMessage(TypedDict):
    """A chat message; `side` is null for a spectator."""

    number: int
    side: str | None
    name: str
    text: str
    at: str


class Chat(TypedDict):
    """The chat messages."""

    lines: list[ChatMessage]


class Hello(Strict):
    """The first frame: a key for a seat, or none for a spectator."""

    type: Literal["hello"]
    key: Annotated[str, StringConstraints(max_length=128)] = ""
    side: Name | None = None


class LiveClick(Click):
    """A click on the live connection; the answer has the same `id`."""

    type: Literal["click"]
    id: int = Field(ge=0, lt=1 << 53)


class LiveUndo(Undo):
    """An undo on the live connection."""

    type: Literal["undo"]
    id: int = Field(ge=0, lt=1 << 53)


class LiveSide(Strict):
    """View from another seat that the same key opens."""

    type: Literal["side"]
    side: Name


class LiveSay(Say):
    """A chat message on the live connection."""

    type: Literal["say"]


class LiveView(TypedDict):
    """The whole view: after hello, after a change of seat, and when the connection fell behind."""

    type: Literal["view"]
    view: View
    chat: list[ChatMessage]
    seats: list[SeatInfo]
    rematch: Annotated[str | None, Field(description="The rematch of this match")]


class LiveUpdate(TypedDict):
    """What changed in the view: whole fields in `set`, units one by one (null: no longer visible), new lines of the log."""

    type: Literal["update"]
    since: Annotated[int, Field(description="The version that this changes")]
    version: int
    set: dict[str, Any]
    units: dict[str, UnitView | None]
    log_from: Annotated[int, Field(description="The log is cut to this many lines, then `log` is added")]
    log: list[LogLine]


class LiveAnswer(TypedDict):
    """The answer to a click or an undo: done, or the refusal."""

    type: Literal["answer"]
    id: int
    refusal: Refusal | None


class LiveRefusal(TypedDict):
    """Why a frame was rejected or the connection is closed."""

    type: Literal["refusal"]
    refusal: Refusal


class LiveSeats(TypedDict):
    """Who is present, and which computer player is thinking."""

    type: Literal["seats"]
    seats: list[SeatInfo]
    rematch: str | None


class LiveSaid(TypedDict):
    """A new chat message."""

    type: Literal["said"]
    line: ChatMessage
