"""What a game says of itself so that any client can show it: nothing here decides anything.

Every function of a `Display` is given the game as one side may know it (`Game.seen_by`), never the true one. All have a
default that suits a game with nothing to add.

Tones are the few colours of the table, each of one meaning: "own" mine to act on, "open" allowed, "closed" forbidden or
hostile, "supply", "border", and "note" for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.pieces import State

if TYPE_CHECKING:
    from khamsin.kernel.rules import Decision, Game, Odds

S = TypeVar("S", bound=State)
TONES = ("own", "open", "closed", "supply", "border", "note")


class Badge(NamedTuple):
    """A state of a unit: a mark of up to three letters for its counter, and what it means."""

    mark: str
    text: str
    rule: str = ""
    tone: str = "note"


class MapMarker(NamedTuple):
    """Something that lies in a location and is no unit: a control marker, a strongpoint, an interdiction."""

    place: int
    kind: str
    text: str
    side: int = NOWHERE
    rule: str = ""


class Track(NamedTuple):
    """A number that both players keep an eye on: points, weather, a level."""

    title: str
    value: str
    side: int = NOWHERE
    rule: str = ""


class Objective(NamedTuple):
    """A place worth having, who holds it, and what it is worth."""

    title: str
    place: int
    holder: int
    text: str = ""
    rule: str = ""


class Arrival(NamedTuple):
    """What the calendar promises a side for a turn: arrivals, withdrawals, points."""

    turn: int
    side: int
    text: str
    units: tuple[int, ...] = ()
    rule: str = ""


class Step(NamedTuple):
    """A location within reach: what it costs to come there, what is left then, both in parts of a point (`Display.parts`), and
    the location before it on the way."""

    cost: int
    left: int
    before: int


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
    """A sentence that belongs to a layer, and the location it is about."""

    text: str
    rule: str = ""
    place: int = NOWHERE


@dataclass(frozen=True, slots=True)
class Layer:
    """Something drawn over the map."""

    spots: tuple[Spot, ...] = ()
    lines: tuple[LayerLine, ...] = ()
    notes: tuple[Note, ...] = ()


class LayerOf(NamedTuple):
    """A layer a player may switch on: its title, its rule, and the function that makes it for a side."""

    title: str
    rule: str
    make: Callable[[Any, int], Layer]


class Sheet(NamedTuple):
    """A combat as it stands on the table before it is fought: who against what, and its odds."""

    title: str
    attackers: tuple[int, ...]
    targets: tuple[int, ...]
    odds: Odds


def flags_as_badges(g: Game[Any], unit: int) -> Iterable[Badge]:
    """One badge for each flag of a unit, by its initials."""
    for name, bit in g.rules.flag.items():
        if g.state.flags[unit] & bit:
            yield Badge("".join(word[0] for word in name.split())[:3].upper(), name)


def factors_as_face(g: Game[Any], unit: int) -> str:
    """The printed factors, in their order."""
    return "-".join(str(value) for value in g.rules.counters[unit].factors.values())


@dataclass(frozen=True)
class Display(Generic[S]):
    """How a game is shown."""

    turns: Callable[[Game[S]], tuple[str, ...]] = lambda g: ()
    """The date of every turn of the scenario, the first first."""
    face: Callable[[Game[S], int], str] = factors_as_face
    """The strengths of a unit as it stands now, as they would be read off its counter."""
    back: Callable[[Game[S], int, int], str] = lambda g, unit, viewer: ""
    """What is read off the back of a unit that lies face down before a viewer, and so is not known from others of its kind:
    he is shown this and the place, and neither its name and symbol nor its face and badges. Empty where he sees its front."""
    badges: Callable[[Game[S], int], Iterable[Badge]] = flags_as_badges
    """The states of a unit."""
    caption: Callable[[Game[S], Decision, str], str] = lambda g, decision, button: button.capitalize()
    """What a button says at a question."""
    marks: Callable[[Game[S], int], Iterable[MapMarker]] = lambda g, side: ()
    """What lies on the map besides units, for a side that looks."""
    tracks: Callable[[Game[S], int], Iterable[Track]] = lambda g, side: ()
    objectives: Callable[[Game[S], int], Iterable[Objective]] = lambda g, side: ()
    calendar: Callable[[Game[S], int], Iterable[Arrival]] = lambda g, side: ()
    layers: Mapping[str, LayerOf] = field(default_factory=dict)
    points: str = "points"
    """What the points are called that units move by."""
    parts: int = 1
    """Into how many parts a point is divided where it can be: the figures of a `Step` are counted in them."""
    reach: Callable[[Game[S], Decision], Mapping[int, Step]] = lambda g, decision: {}
    """The way to each location that is open at a question of movement, and to those that lie on these ways: who follows
    `before` from any of them comes to where the moving units are."""
    sheets: Callable[[Game[S], Decision, int], Iterable[Sheet]] = lambda g, decision, click: ()
    """The combats that a question is about, and those that a click would make (NOWHERE for none)."""
