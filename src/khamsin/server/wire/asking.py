"""Clicks, and requests about a match with their answers."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from khamsin.server.wire.common import Grounds, Name, Strict, Tone
from khamsin.server.wire.view import View


class ArrivalView(TypedDict):
    """An arrival or another event of a later turn."""

    turn: int
    label: str
    side: str
    text: str
    units: list[str]
    rule: str


class RollView(TypedDict):
    """One roll: after which click, its purpose and rule. `number` is its number under the key of the dice; negative if
    other dice were used."""

    number: int
    click: int
    purpose: str
    rule: str
    sides: int
    value: int


class Rolls(TypedDict):
    """Every roll of a match that is over. Roll number n is the BLAKE2b hash of n under the key of the dice; see the kernel's
    `dice`."""

    rolls: list[RollView]


class Click(Strict):
    """A click."""

    number: int = Field(ge=0, lt=1 << 53)
    click: Name
    side: Name | None = Field(default=None, description="As which side, if a key opens several seats")


class Undo(Strict):
    """Undo a move: the last, or one by its number."""

    number: int = Field(ge=0, lt=1 << 53)
    move: int | None = Field(default=None, ge=0, lt=1 << 31)
    side: Name | None = None


class Why(TypedDict):
    """Why a click is illegal."""

    click: str
    open: bool
    reason: str
    rule: str
    cause: str


class Refusals(TypedDict):
    """Why several clicks are illegal, in the order of the request."""

    refusals: list[Why]


class Spot(TypedDict):
    """One location of a layer."""

    at: str
    tone: Tone
    label: str


class LineView(TypedDict):
    """A line of a layer."""

    path: list[str]
    tone: Tone
    text: str


class Note(TypedDict):
    """A sentence of a layer."""

    text: str
    rule: str
    at: str | None


class LayerView(TypedDict):
    """A layer, made from what the viewer may know."""

    name: str
    title: str
    rule: str
    spots: list[Spot]
    lines: list[LineView]
    notes: list[Note]


class Moment(TypedDict):
    """A moment worth jumping to in a replay."""

    click: int
    turn: int
    phase: str
    side: str | None
    kind: Literal["phase", "roll"]
    text: str


class Timeline(TypedDict):
    """The moments of a match."""

    clicks: int
    moments: list[Moment]


SummaryKind = Literal["loss", "place", "supply", "threat", "arrival"]


class SummaryLine(TypedDict):
    """One line of a turn summary: what happened to units of a side, or to a place, and where."""

    kind: SummaryKind
    side: Annotated[str | None, Field(description="The side of the units; for a place, its holder now")]
    at: Annotated[str, Field(description="The hex to show")]
    units: list[str]
    text: str
    rule: str


class TurnSummary(TypedDict):
    """What has changed between the last turn of a side and its present one. The clicks to replay are those after
    `first` up to `last`; there are none before the other side has had a turn."""

    side: str
    first: int
    last: int
    turn: int
    lines: list[SummaryLine]


class Reason(TypedDict):
    """Why a computer player decided as it did; `click` is the number of clicks made before."""

    number: int
    side: str
    click: int
    lines: list[str]


class Reasons(TypedDict):
    """The reasons of the computer players, oldest first."""

    reasons: list[Reason]


class Refusal(TypedDict):
    """Why a request was refused. Nothing has changed. `view` is the present view if the request came too late."""

    error: Annotated[str, Field(description="One sentence for a person")]
    reason: Grounds
    rule: NotRequired[str]
    cause: NotRequired[str]
    view: NotRequired[View | None]
