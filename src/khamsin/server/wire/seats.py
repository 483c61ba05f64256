"""Matches in lists, and how they are set up and joined: seats, invitations, devices, contributions to the dice."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints
from typing_extensions import TypedDict

from khamsin.server import limits
from khamsin.server.wire.common import ClaimDays, Commitment, Name, Strict


class NewMatch(Strict):
    """A match to be set up. A seat is held by "me", by "friend", or by a computer player such as "scripted" or "random:7"."""

    game: Name
    scenario: Name
    options: dict[Name, Name] = Field(default_factory=dict, max_length=limits.OPTIONS)
    seats: dict[Name, Name] = Field(description="Side -> its holder", max_length=limits.SIDES)
    seed: int | None = Field(
        default=None, ge=0, lt=1 << 63, description="Chosen dice; only if one person holds all human seats"
    )
    open_reasons: bool = Field(default=False, description="Show the computer's reasons during the match")
    claim_days: ClaimDays = 14
    contribution: Commitment = ""


class CreatedMatch(BaseModel):
    """A match that has been set up, imported or branched. With a friend in it, it begins when everyone has joined."""

    id: str
    keys: dict[str, str] = Field(description="Side -> the key of this device, for the caller's own seats")
    invitations: dict[str, str] = Field(description="Side -> the token of a link that works once, for a friend's seat")
    recovery: str = Field(description="The token of a link that gives the seats back if the key is lost; else empty")
    begun: bool


class Rematch(Strict):
    """The same match again: scenario, options, seats and time limit as they were."""

    contribution: Commitment = ""


class TakeSeat(Strict):
    """A one-time link to be exchanged for a key; or the match of which this one is the rematch."""

    token: Annotated[str, StringConstraints(max_length=128)] = ""
    rematch_of: Annotated[str, StringConstraints(max_length=64)] = ""
    contribution: Commitment = ""


class SeatGranted(BaseModel):
    """The key of this device, and the token of a link that gives the seats back if the key is lost."""

    sides: list[str]
    key: str
    recovery: str


class OneLink(BaseModel):
    """The token of a link that works once; `seconds` is how long, 0 without a limit."""

    token: str
    seconds: int = 0


class OfSide(Strict):
    """A side, if a key opens several."""

    side: Name | None = None


class DeviceInfo(BaseModel):
    """A device that holds a key to the caller's seats."""

    made: str
    seen: str
    how: str
    this: bool


class Devices(BaseModel):
    """The devices that hold a key to the caller's seats, oldest first."""

    devices: list[DeviceInfo]


class Contribute(Strict):
    """What a player adds to the dice: first the SHA-256 of 32 random bytes, then the bytes, in hexadecimal digits."""

    commitment: Commitment = ""
    value: Commitment = ""


class ContributionInfo(BaseModel):
    """The progress of a player's contribution to the dice."""

    side: str
    commitment: str | None
    revealed: bool


class Awaited(BaseModel):
    """What a match that has not begun waits for."""

    side: str
    to: Literal["join", "commit", "reveal"]


class Lobby(BaseModel):
    """A match before it begins."""

    id: str
    game: str
    title: str
    scenario: str
    scenario_title: str
    options: dict[str, str]
    begun: bool
    claim_days: int | None
    seats: list[SeatInfo]
    mine: list[str] = Field(description="The sides that the key opens")
    commitment: str = Field(description="The SHA-256 of the server's key of the dice")
    contributions: list[ContributionInfo]
    awaited: list[Awaited]


class SeatInfo(TypedDict):
    """The holder of a seat. `who` is "person", "open" or the name of a computer player."""

    side: str
    who: str
    name: Annotated[
        str, Field(description="The name of the account that holds it, or of the computer player, or empty")
    ]
    here: Annotated[bool, Field(description="Whether this seat is connected now")]
    thinking: bool
    part: Annotated[float | None, Field(description="The share of its thinking that is done, if it reports it")]
    seen: Annotated[str | None, Field(description="When its holder last looked at the match")]
    claim_from: Annotated[
        str | None, Field(description="From when the opponent may claim the match because this side is absent")
    ]


class MatchInfo(TypedDict):
    """One match in a list."""

    id: str
    game: str
    title: str
    scenario: str
    scenario_title: str
    turn: int
    label: str
    phase: str
    asked: Annotated[str | None, Field(description="The side that must decide; null when the match is over")]
    seats: list[SeatInfo]
    result: Result | None
    started: Annotated[str, Field(description="When, in UTC, as ISO 8601")]
    changed: str
    open_reasons: Annotated[bool, Field(description="Whether the computer's reasons are shown during the match")]
    mine: Annotated[list[str], Field(description="The sides that the asking account, or the key, holds")]
    begun: Annotated[bool, Field(description="Whether everyone has joined")]


class Result(TypedDict):
    """How a match ended; no winner is a draw."""

    winner: str | None
    level: str
    reason: str
    rule: str


class Branch(Strict):
    """A new match from a moment of another, after `click` clicks."""

    click: int = Field(ge=0, lt=1 << 31)
    seats: dict[Name, Name] = Field(max_length=limits.SIDES)
    claim_days: ClaimDays = 14
    contribution: Commitment = ""


class Import(Strict):
    """A record to be imported."""

    record: Annotated[str, StringConstraints(max_length=limits.RECORD)]
    seats: dict[Name, Name] = Field(
        default_factory=dict, max_length=limits.SIDES,
        description="Side -> its holder; without it, the computer players of the record play, and you play the rest",
    )  # fmt: skip
    claim_days: ClaimDays = 14
    contribution: Commitment = ""
