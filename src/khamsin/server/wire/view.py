"""What a viewer may see of a match."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from khamsin.server.wire.common import LineNote, Role, Tone
from khamsin.server.wire.games import PhaseInfo
from khamsin.server.wire.seats import Result


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


class ReachView(TypedDict):
    """The path preview of a moving stack, in columns: it may reach thousands of locations. Index i of `cost`, `left`,
    `before` and `how` belongs to location i of `at`; after those that are reached, `at` names the locations where paths
    start."""

    at: list[str]
    cost: list[float]
    left: Annotated[list[float], Field(description="The points left there")]
    before: Annotated[list[int], Field(description="The index in `at` of the location before it, -1 for none")]
    words: Annotated[list[str], Field(description="What else moving there implies, such as the mode")]
    how: Annotated[list[int], Field(description="The index in `words`")]
    paths: Annotated[
        dict[str, list[int]],
        Field(description="By location: the indexes of the path before it, if it is not that of `before`"),
    ]


class Undoable(TypedDict):
    """A move that can be undone. A selection that was dropped is not a move."""

    number: int
    clicks: list[str]
    said: Annotated[list[str], Field(description="The same clicks, buttons by their captions")]
    automatic: Annotated[list[str], Field(description="Clicks that the server made after it; they are undone too")]


class Term(TypedDict):
    """One term of a sum."""

    text: str
    value: str
    rule: str


class OptionView(TypedDict):
    """A choice still to be made in a combat, and the combat with it."""

    text: str
    rule: str
    column: str
    average: Annotated[str, Field(description="What both sides lose on average, in words")]
    outcomes: list[Outcome]


class OddsView(TypedDict):
    """The preview of a combat: every term with its rule, the column, the exact chance of each outcome, and the effect
    of each choice still to be made."""

    title: str
    attackers: list[str]
    targets: list[str]
    terms: list[Term]
    column: str
    outcomes: list[Outcome]
    average: Annotated[str, Field(description="What both sides lose on average, in words")]
    options: list[OptionView]


class Outcome(TypedDict):
    """One outcome and its chance, as a number and as the exact fraction. If the text is a code of a result table,
    `meaning` says it in words."""

    text: str
    meaning: str
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


class OrderOffer(TypedDict):
    """A standing order for the decision, and decisions like it."""

    policy: str
    text: str


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
    reach: NotRequired[ReachView]
    sheets: NotRequired[Annotated[list[OddsView], Field(description="The combats that the decision is about")]]
    orders: NotRequired[
        Annotated[
            list[OrderOffer], Field(description="Standing orders that the decision accepts without further values")
        ]
    ]


class MarkView(TypedDict):
    """A marker in a location."""

    at: str
    kind: str
    text: str
    side: str | None
    rule: str


class BudgetLine(TypedDict):
    """An amount in the budget of the viewer's side, under a heading. `short`: the amount is too small."""

    heading: str
    text: str
    value: str
    at: Annotated[str, Field(description="The location of a stock; empty for other amounts")]
    rule: str
    short: bool


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
            description="automatic: the server made the only legal click; order: the server made a click by a standing order; "
            "routine: a roll without effect, to be folded; loss: the units named are eliminated"
        ),
    ]


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
    """The public data of the dice."""

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
    budget: list[BudgetLine]
    objectives: list[ObjectiveView]
    result: Result | None


class StoredView(TypedDict):
    """What is the same for all viewers of a stored match."""

    id: str
    version: Annotated[int, Field(description="Grows by one with every change of the match")]
    clicks: Annotated[int, Field(description="Clicks made")]
    began: Annotated[int, Field(description="Clicks made before the move or combat in progress began")]
    made: Annotated[
        list[OddsView],
        Field(description="The last combats as the click at their last decision made them, once it is made"),
    ]
    dice: DiceView
    opened: Annotated[bool, Field(description="Whether its only player chose to see everything")]
    frozen: Annotated[FrozenInfo | None, Field(description="Set if the installed rules cannot continue the match")]


class View(MatchView, StoredView):
    """All that a viewer may see of a match."""

    units: dict[str, UnitView]
    log_from: Annotated[int, Field(description="The number of the first line of `log`, counted from 0")]
    log: list[LogLine]
