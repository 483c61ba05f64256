"""The display of a game for any client. Nothing here decides anything.

Every function of a `Display` gets the game as one viewer may know it (`Game.seen_by`), never the true one. Each has a
default for a game with nothing to add. `mechanics.showing` has what games share.

A tone is a colour with one meaning: "own" mine to act on, "open" allowed, "closed" forbidden or hostile, "supply",
"border", and "note" for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.pieces import Counter, State

if TYPE_CHECKING:
    from khamsin.kernel.rules import Decision, Game, Odds

S = TypeVar("S", bound=State)
TONES = ("own", "open", "closed", "supply", "border", "note")


class Badge(NamedTuple):
    """A state of a unit: up to three letters for its counter, and the text `State: effect`."""

    mark: str
    text: str
    rule: str = ""
    tone: str = "note"


class MapMarker(NamedTuple):
    """Something in a location that is not a unit: control, a strongpoint, interdiction."""

    place: int
    kind: str
    text: str
    side: int = NOWHERE
    rule: str = ""


class Track(NamedTuple):
    """A value next to the map: points, weather, a level."""

    title: str
    value: str
    side: int = NOWHERE
    rule: str = ""


class BudgetLine(NamedTuple):
    """An amount in the budget of a side, under a heading: a stock in a location, the cost of a plan, what remains. `short` is
    set where the amount is too small."""

    heading: str
    text: str
    value: str
    place: int = NOWHERE
    rule: str = ""
    short: bool = False


class Objective(NamedTuple):
    """A place that counts for victory, its owner and its value."""

    title: str
    place: int
    holder: int
    text: str = ""
    rule: str = ""


class Arrival(NamedTuple):
    """An entry of the calendar: arrivals, withdrawals or points of a side in a turn."""

    turn: int
    side: int
    text: str
    units: tuple[int, ...] = ()
    rule: str = ""


class Step(NamedTuple):
    """A location within reach: its cost and what is left, both in parts of a point (`Display.parts`), and the location before
    it on the path. `how` says what else moving there implies, such as a mode. `path` has the locations before it, from the
    start on, where the steps of these locations belong to another way of moving."""

    cost: int
    left: int
    before: int
    how: str = ""
    path: tuple[int, ...] = ()


class Spot(NamedTuple):
    """One location of a layer."""

    place: int
    tone: str
    label: str = ""


class LayerLine(NamedTuple):
    """A line of a layer, from location to location."""

    places: tuple[int, ...]
    tone: str
    text: str = ""


class Note(NamedTuple):
    """A sentence of a layer, and the location it is about."""

    text: str
    rule: str = ""
    place: int = NOWHERE


@dataclass(frozen=True, slots=True)
class Layer:
    """A drawing over the map."""

    spots: tuple[Spot, ...] = ()
    lines: tuple[LayerLine, ...] = ()
    notes: tuple[Note, ...] = ()


class LayerOf(NamedTuple):
    """A layer that a player can switch on: its title, its rule, the function that makes it for a viewer, and its
    legend.

    The legend says what a tone means. By default "own" and "closed" are the viewer's side and the enemy.
    """

    title: str
    rule: str
    make: Callable[[Any, int], Layer]
    legend: Mapping[str, str] = {}


class GlossaryTerm(NamedTuple):
    """A term that a player meets in texts: what it means, its rule, and other forms of it in texts, such as "ZOCs"."""

    term: str
    text: str
    rule: str
    forms: tuple[str, ...] = ()


class SheetOption(NamedTuple):
    """A choice still to be made in a combat: its text, its rule, and the odds with it."""

    text: str
    rule: str
    odds: Odds


class Sheet(NamedTuple):
    """A combat before it is resolved: attackers, targets, odds, and the effect of each choice still to be made."""

    title: str
    attackers: tuple[int, ...]
    targets: tuple[int, ...]
    odds: Odds
    options: tuple[SheetOption, ...] = ()


def flags_as_badges(g: Game[Any], unit: int) -> Iterable[Badge]:
    """Return a badge for each flag of a unit, by its initials."""
    for name, bit in g.rules.flag.items():
        if g.state.flags[unit] & bit:
            yield Badge("".join(word[0] for word in name.split())[:3].upper(), name)


def factors_as_face(g: Game[Any], unit: int) -> str:
    """Return the printed factors, in their order."""
    return "-".join(str(value) for value in g.rules.counters[unit].factors.values())


def factors_as_lines(counter: Counter) -> Mapping[str, str]:
    """Return each printed factor by its name."""
    return {name.capitalize(): str(value) for name, value in counter.factors.items()}


@dataclass(frozen=True)
class Display(Generic[S]):
    """The display of a game."""

    turns: Callable[[Game[S]], tuple[str, ...]] = lambda g: ()
    """Return the date of every turn, in order; empty for turns before the first of the scenario."""
    face: Callable[[Game[S], int], str] = factors_as_face
    """Return the present strengths of a unit as its counter shows them."""
    full: Callable[[Counter], str] = lambda counter: counter.name
    """Return the full name of a counter, for panels, log and tooltips."""
    printed: Callable[[Counter], Mapping[str, str]] = factors_as_lines
    """Return the printed values of a counter in words: title -> values."""
    glossary: tuple[GlossaryTerm, ...] = ()
    """The terms of the game that a tooltip explains."""
    outcome: Callable[[str], str] = lambda outcome: ""
    """Return the meaning of an outcome of the odds in words, where the outcome is a code of a result table."""
    tables: Mapping[str, str] = field(default_factory=dict)
    """The titles of result tables by their names; without one the name is shown."""
    back: Callable[[Game[S], int, int], str] = lambda g, unit, viewer: ""
    """Return what the back of a unit says that is face down for a viewer, who is shown this and the location, but not its name,
    symbol, face and badges. Empty if the viewer sees its front."""
    badges: Callable[[Game[S], int], Iterable[Badge]] = flags_as_badges
    """Return the states of a unit."""
    caption: Callable[[Game[S], Decision, str], str] = lambda g, decision, button: button.capitalize()
    """Return the text of a button at a decision."""
    warnings: Callable[[Game[S], Decision], Mapping[int, str]] = lambda g, decision: {}
    """Return what is lost by each legal click that gives something up: a player confirms such a click first."""
    marks: Callable[[Game[S], int], Iterable[MapMarker]] = lambda g, side: ()
    """Return what is on the map besides units, for a viewer."""
    tracks: Callable[[Game[S], int], Iterable[Track]] = lambda g, side: ()
    budget: Callable[[Game[S], Decision | None, int], Iterable[BudgetLine]] = lambda g, decision, side: ()
    """Return what a viewer has to spend, what the decision plans to spend, and what remains. The decision is None for others
    than the side that decides."""
    objectives: Callable[[Game[S], int], Iterable[Objective]] = lambda g, side: ()
    calendar: Callable[[Game[S], int], Iterable[Arrival]] = lambda g, side: ()
    layers: Mapping[str, LayerOf] = field(default_factory=dict)
    points: str = "points"
    """The name of movement points."""
    parts: int = 1
    """How many parts a movement point has. The numbers of a `Step` count parts."""
    reach: Callable[[Game[S], Decision], Mapping[int, Step]] = lambda g, decision: {}
    """Return a step for each legal location of a movement decision and for those on the paths there. Following `before` from
    any of them leads to the moving stack."""
    sheets: Callable[[Game[S], Decision, int], Iterable[Sheet]] = lambda g, decision, click: ()
    """Return the combats that a decision is about, and those that a click would make (NOWHERE for no click)."""
