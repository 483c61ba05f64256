"""The types of everything that goes over the wire while games are set up, played and replayed.

What clients send is a pydantic model and validated. What the server sends is mostly a TypedDict: mypy checks the code that
builds it, OpenAPI and the client's types are made from it, and nothing is validated while it is sent.

Names are those of the rules: a click is the name of a unit, hex, box or button; a side is its name. Positions of the map are
printed hex numbers, so that a bot needs nothing but this page and the board.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, WithJsonSchema
from typing_extensions import TypedDict

from khamsin.server import limits

TONES = ("own", "open", "closed", "supply", "border", "note")
Tone = Annotated[
    str, StringConstraints(pattern=f"^({'|'.join(TONES)})$"), WithJsonSchema({"enum": TONES, "type": "string"})
]
Role = Literal["main", "cancel", "plain"]
Grounds = Literal[
    "unknown", "over", "seat", "turn", "stale", "illegal", "invalid", "limit", "origin", "account", "busy", "changed",
    "waiting", "used", "early", "frozen",
]  # fmt: skip
"""Why something was not done, for programs."""
LineNote = Literal["", "automatic", "routine"]
Name = Annotated[str, StringConstraints(min_length=1, max_length=limits.NAME)]

STORABLE = r"^[^\x00]*$"
"""PostgreSQL keeps no text with a NUL in it."""

Commitment = Annotated[
    str,
    StringConstraints(pattern=r"^([0-9a-f]{64})?$"),
    Field(description="64 hexadecimal digits. For a new match with a friend: the SHA-256 of 32 random bytes"),
]
ClaimDays = Annotated[
    int | None,
    Field(ge=2, le=90, description="Days of absence after which an opponent may claim the match; null: never"),
]


class Strict(BaseModel):
    """Something a client sends. Unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid", strict=True)


# What can be played


class ScenarioInfo(BaseModel):
    """One way to begin; the first value of an option is its default."""

    name: str
    title: str
    text: str
    options: dict[str, list[str]]
    notes: dict[str, str] = Field(description="A line about each option")


class GameInfo(BaseModel):
    """One game of the list."""

    id: str
    title: str
    playable: bool = Field(description="Whether its rules are written, not only its board")
    sides: list[str]
    scenarios: list[ScenarioInfo]
    players: list[str] = Field(description="The computer players that know it, the levels first")
    sections: int = Field(description="How many sections its rulebook has")


class PlayerInfo(BaseModel):
    """A computer player that can take a seat."""

    name: str
    text: str


class GameList(BaseModel):
    """The games, and the computer players that know them."""

    games: list[GameInfo]
    players: list[PlayerInfo]
    levels: list[str] = Field(description="The levels among them, the easiest first")
    usual: str = Field(description="The default player")
    version: str


class CounterInfo(BaseModel):
    """What is printed on a counter. `sidc` is its NATO symbol as milsymbol takes it, empty where there is none."""

    name: str
    label: str = Field(description="The name without its nation, short enough for a counter")
    full: str = Field(description="The full name, for panels, log and tooltips")
    side: str
    nation: str
    symbol: str
    sidc: str
    size: str
    parent: str
    steps: int
    factors: dict[str, int]
    ground: str = Field(description="The colour of the counter")
    ink: str = Field(description="The colour of what is printed on it")
    source: str


class PhaseInfo(TypedDict):
    """One phase of the sequence of play; `side` is null for a joint phase."""

    name: str
    side: str | None
    rule: str


class TableInfo(BaseModel):
    """A result table, ready to be printed."""

    name: str
    title: str
    rule: str
    dice: str
    heads: list[str]
    rows: list[tuple[str, list[str]]]
    source: str


class LayerInfo(BaseModel):
    """A layer that can be drawn over the map."""

    name: str
    title: str
    rule: str
    legend: dict[str, str] = Field(description="What a tone means, where it is not the usual meaning")


class TermInfo(BaseModel):
    """A term of a game, its meaning, its rule, and other forms in which texts contain it."""

    term: str
    text: str
    rule: str
    forms: list[str]


class GameData(BaseModel):
    """What never changes in a game, besides its board."""

    id: str
    title: str
    digest: str
    sides: list[str]
    counters: list[CounterInfo]
    buttons: list[str]
    scenarios: dict[str, str] = Field(description="The title of each scenario, by its name")
    tables: list[TableInfo]
    layers: list[LayerInfo]
    glossary: list[TermInfo]
    points: str = Field(description="The name of movement points")
    secrets: bool = Field(description="Whether a side may know something that the other side may not")


class Section(BaseModel):
    """One section of a rulebook, in our own words."""

    number: str
    title: str
    gist: str


class Rulebook(BaseModel):
    """The gist of a rulebook by section."""

    game: str
    title: str
    sections: list[Section]


# A match


class NewMatch(Strict):
    """A match to be set up. A seat is held by "me", by "friend", or by a computer player such as "scripted" or "random:7"."""

    game: Name
    scenario: Name
    options: dict[Name, Name] = Field(default_factory=dict, max_length=limits.OPTIONS)
    seats: dict[Name, Name] = Field(description="Side -> who sits there", max_length=limits.SIDES)
    seed: int | None = Field(
        default=None, ge=0, lt=1 << 63, description="Chosen dice; only if one person holds all human seats"
    )
    open_reasons: bool = Field(default=False, description="Tell the computer's reasons while the game is played")
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
    """A side, where a key opens more than one."""

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
    """How far a player's contribution to the dice is."""

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
    """Who sits where. `who` is "person", "open" or the name of a computer player."""

    side: str
    who: str
    name: Annotated[
        str, Field(description="The name of the account that holds it, or of the computer player, or empty")
    ]
    here: Annotated[bool, Field(description="Whether somebody is looking at the game from this seat now")]
    thinking: bool
    part: Annotated[float | None, Field(description="How much of its thinking it has done, where it says so")]
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


class Badge(TypedDict):
    """A state of a unit."""

    mark: str
    text: str
    rule: str
    tone: Tone


class UnitView(TypedDict):
    """A unit as the viewer may know it. `face` is its present strength. `back` is the text on the back of a unit that is face
    down to the viewer, else empty; the name such a unit is sent by is not its own."""

    at: str
    steps: int
    face: str
    back: str
    badges: list[Badge]


class ReachStep(TypedDict):
    """One step of the reach of a moving stack: cost and points left at a location, and the location before it."""

    cost: float
    left: float
    before: str


class Undoable(TypedDict):
    """A move that can be undone. A selection that was dropped is not a move."""

    number: int
    clicks: list[str]
    automatic: Annotated[list[str], Field(description="Clicks that the server made after it; undo takes them back too")]


class Term(TypedDict):
    """One line of a sum."""

    text: str
    value: str
    rule: str


class OddsView(TypedDict):
    """A combat before anyone commits: every term with its rule, the column, the exact chance of each outcome."""

    title: str
    attackers: list[str]
    targets: list[str]
    terms: list[Term]
    column: str
    outcomes: list[Outcome]


class Outcome(TypedDict):
    """One outcome and its chance, as a number and as the exact fraction."""

    text: str
    chance: float
    exact: str


class Button(TypedDict):
    """A legal button: the click, its caption, and whether it continues (main), cancels, or is one choice among others."""

    click: str
    caption: str
    role: Role


class BlockedButton(TypedDict):
    """A button that belongs to the decision but is illegal now, with the refusal."""

    click: str
    caption: str
    reason: str
    rule: str
    cause: str


class DecisionView(TypedDict):
    """A decision. Only the deciding side is sent more than `side` and `number`."""

    side: str
    number: Annotated[
        int, Field(description="A click must carry this number; it grows with every click and every undo")
    ]
    kind: NotRequired[
        Annotated[str, Field(description="The kind of decision, such as `move.to`; the same in every game")]
    ]
    prompt: NotRequired[str]
    rule: NotRequired[str]
    units: NotRequired[Annotated[dict[str, Any], Field(description="Legal units, each with its hint")]]
    hexes: NotRequired[Annotated[dict[str, Any], Field(description="Legal hexes, each with its hint, mostly the cost")]]
    boxes: NotRequired[dict[str, Any]]
    buttons: NotRequired[list[Button]]
    blocked: NotRequired[list[BlockedButton]]
    can_act: NotRequired[Annotated[list[str], Field(description="Units that can still act in this phase")]]
    warnings: NotRequired[
        Annotated[
            dict[str, str], Field(description="Clicks that give something up, each with what is lost: confirm them")
        ]
    ]
    about: NotRequired[Annotated[list[str], Field(description="The units the decision is about")]]
    moves: NotRequired[list[Undoable]]
    undoable: NotRequired[Annotated[bool, Field(description="Whether the move in progress can be undone now")]]
    reach: NotRequired[dict[str, ReachStep]]
    sheets: NotRequired[Annotated[list[OddsView], Field(description="The combats that the decision is about")]]


class MarkView(TypedDict):
    """A marker in a location."""

    at: str
    kind: str
    text: str
    side: str | None
    rule: str


class TrackView(TypedDict):
    """A number that both players follow."""

    title: str
    value: str
    side: str | None
    rule: str


class ObjectiveView(TypedDict):
    """A victory location."""

    title: str
    at: str
    holder: str | None
    text: str
    rule: str


class ArrivalView(TypedDict):
    """An arrival or another event of a later turn."""

    turn: int
    label: str
    side: str
    text: str
    units: list[str]
    rule: str


class LogLine(TypedDict):
    """One line of the log: the number of the click before it, its rule, its text, its turn and phase, and its roll if it
    reports one."""

    click: int
    rule: str
    text: str
    roll: int | None
    turn: int
    phase: Annotated[str, Field(description="Empty before the first phase")]
    note: Annotated[
        LineNote,
        Field(
            description="automatic: the server made the only legal click; routine: a roll without effect, to be folded"
        ),
    ]


class RollView(TypedDict):
    """One die as it fell: after which click, for what, by which rule. `number` is its number under the key of the dice;
    negative where other dice were used."""

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


class Turn(TypedDict):
    """The turn: its number, its date, and the dates of all."""

    number: int
    label: str
    labels: list[str]


class ContributionView(TypedDict):
    """What a player added to the dice: the SHA-256 before the first roll, the number itself when the match is over."""

    side: str
    commitment: str
    value: str | None


class DiceView(TypedDict):
    """What is told of the dice."""

    commitment: Annotated[str, Field(description="The SHA-256 of the server's key, made before the first roll")]
    key: Annotated[str | None, Field(description="The key itself, once the match is over")]
    chosen: Annotated[bool, Field(description="Whether a player chose the dice by a seed")]
    contributions: list[ContributionView]


class FrozenInfo(TypedDict):
    """A match that the installed rules cannot continue."""

    text: str
    lost: Annotated[int | None, Field(description="Clicks that continuing would lose; null: it cannot be continued")]
    asked: Annotated[list[str], Field(description="The sides that must agree")]
    agreed: list[str]


class MatchView(TypedDict):
    """What a viewer may see of a match, besides its units and log."""

    game: str
    scenario: str
    options: dict[str, str]
    viewer: Annotated[str | None, Field(description="The side whose knowledge this is; null: what both sides may know")]
    turn: Turn
    phase: str
    phases: list[PhaseInfo]
    question: DecisionView | None
    marks: list[MarkView]
    tracks: list[TrackView]
    objectives: list[ObjectiveView]
    result: Result | None


class StoredView(TypedDict):
    """What is the same for all viewers of a stored match."""

    id: str
    version: Annotated[int, Field(description="Grows by one with every change of the match")]
    clicks: Annotated[int, Field(description="Clicks made")]
    began: Annotated[int, Field(description="Clicks made before the move or combat in progress began")]
    dice: DiceView
    opened: Annotated[bool, Field(description="Whether its only player chose to see everything")]
    frozen: Annotated[FrozenInfo | None, Field(description="Set if the installed rules cannot continue the match")]


class View(MatchView, StoredView):
    """All that a viewer may see of a match."""

    units: dict[str, UnitView]
    log_from: Annotated[int, Field(description="The number of the first line of `log`, counted from 0")]
    log: list[LogLine]


class Click(Strict):
    """A click."""

    number: int = Field(ge=0, lt=1 << 53)
    click: Name
    side: Name | None = Field(default=None, description="As which side, where a key opens more than one seat")


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
    """Why several clicks are illegal, in the order in which they were asked."""

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
    side: Annotated[str | None, Field(description="Whose units they are; of a place, who holds it now")]
    at: Annotated[str, Field(description="The hex to show")]
    units: list[str]
    text: str
    rule: str


class TurnSummary(TypedDict):
    """What has changed between the last turn of a side and its present one. The clicks to replay are those after `first` up
    to `last`; there are none before the other side has had a turn."""

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
        description="Side -> who sits there; without it, the computer players of the record play, and you play the rest",
    )  # fmt: skip
    claim_days: ClaimDays = 14
    contribution: Commitment = ""


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


# Accounts


Password = Annotated[str, StringConstraints(min_length=8, max_length=256)]


class Credentials(Strict):
    """A name and a password."""

    name: Annotated[str, StringConstraints(min_length=2, max_length=40, pattern=r"^[\w .-]+$", strip_whitespace=True)]
    password: Password


class NewPassword(Strict):
    """A new password in place of the present one."""

    password: Password
    new: Password


class CloseAccount(Strict):
    """The password of an account that is to be closed."""

    password: Password


class Notices(Strict):
    """How an account gets notices."""

    email: Annotated[str, StringConstraints(max_length=254)] = ""
    push: bool = False


class LinkToken(Strict):
    """The token of a link that was sent by mail."""

    token: Annotated[str, StringConstraints(min_length=1, max_length=128)]


class Forgotten(Strict):
    """The name or the mail address of an account whose password is forgotten."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=254, pattern=STORABLE)]


class Reset(LinkToken):
    """A new password, by a link."""

    password: Password


class Account(BaseModel):
    """The account of the caller; the name is empty if nobody is signed in."""

    name: str
    email: str = ""
    confirmed: bool = Field(
        default=False, description="Whether the mail address is confirmed; no notices go there before"
    )
    push: bool = False
    push_key: str = Field(default="", description="The server's public key for web push, empty where it has none")
    mail: bool = Field(default=False, description="Whether this server can send mail")


class Claim(Strict):
    """A seat to be kept in the account's list."""

    id: Name
    key: Annotated[str, StringConstraints(min_length=1, max_length=128)]


class PushSubscription(Strict):
    """A subscription of the browser's push service: its address and two keys."""

    endpoint: Annotated[str, StringConstraints(max_length=1024, pattern=r"^https://[^\x00]*$")]
    p256dh: Annotated[str, StringConstraints(max_length=256, pattern=STORABLE)]
    auth: Annotated[str, StringConstraints(max_length=128, pattern=STORABLE)]


class MyGames(TypedDict):
    """The matches of an account, those that wait for it first."""

    games: list[MatchInfo]


# Errors


class Refusal(TypedDict):
    """Why something was not done. Nothing has changed. `view` is the present view if the request came too late."""

    error: Annotated[str, Field(description="One sentence for a person")]
    reason: Grounds
    rule: NotRequired[str]
    cause: NotRequired[str]
    view: NotRequired[View | None]


# The live connection (WebSocket). The client's first frame is Hello; frames are JSON objects with a `type`.


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
    rematch: Annotated[str | None, Field(description="The match in which this one is played again")]


class LiveUpdate(TypedDict):
    """What changed in the view: whole fields in `set`, units one by one (null: no longer visible), new lines of the log."""

    type: Literal["update"]
    since: Annotated[int, Field(description="The version that this is a change of")]
    version: int
    set: dict[str, Any]
    units: dict[str, UnitView | None]
    log_from: Annotated[int, Field(description="The log is cut to this many lines, then `log` is added")]
    log: list[LogLine]


class LiveAnswer(TypedDict):
    """The answer to a click or an undo: done, or why not."""

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
