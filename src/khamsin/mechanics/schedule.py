"""Arrivals, withdrawals and replacement points by turn.

Units that arrive later wait in the box of their turn on a turn track. A demand of the schedule (withdraw two infantry
units) is a decision only while there is a choice. Replacement points are counted by kind in a tally of the state.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, MutableMapping, Sequence
from typing import Any

from khamsin.kernel.pieces import UnitLocations
from khamsin.kernel.rules import Decision, Game, Refusal, WhyNot

G = Game[Any]


class TurnTrack:
    """The boxes in which units wait for their turn.

    >>> track = TurnTrack({1: 100, 2: 101, 3: 102})
    >>> where = UnitLocations([100, 102, 7, 101])
    >>> track.due(where, range(4), 2), track.expected(where, range(4), 3)
    ([0, 3], [1])
    >>> track.turn_of(where[1]), track.turn_of(where[2])
    (3, None)
    """

    def __init__(self, boxes: Mapping[int, int]) -> None:
        self.box = dict(boxes)
        """The box of each turn."""
        self.turn = {box: turn for turn, box in boxes.items()}
        """The turn of each box."""

    def turn_of(self, location: int) -> int | None:
        """Return the turn for which units in a location wait; None if they do not wait."""
        return self.turn.get(location)

    def due(self, where: UnitLocations, units: Iterable[int], now: int) -> list[int]:
        """Return the units that wait for this turn or an earlier one, in the order of their numbers."""
        sides = [where.stacks(side) for side in range(len(where.versions))]
        boxes = [box for turn, box in self.box.items() if turn <= now]
        waiting = [unit for box in boxes for stacks in sides if box in stacks for unit in stacks[box]]
        return sorted(set(waiting).intersection(units)) if waiting else []

    def expected(self, where: Sequence[int], units: Iterable[int], turn: int) -> list[int]:
        """Return the units that wait for one turn."""
        box = self.box.get(turn)
        return [unit for unit in units if where[unit] == box]

    def why_not_due(self, g: G, unit: int, rule: str) -> Refusal | None:
        """Return why a unit does not arrive now: it does not wait, or it waits for a later turn."""
        name, turn = g.rules.names[unit], self.turn_of(g.state.where[unit])
        if turn is None:
            return Refusal(f"{name} is not waiting to arrive", rule, name)
        return Refusal(f"{name} arrives on turn {turn}", rule, name) if turn > g.state.turn else None


def choose_unit(
    g: G,
    side: int,
    kind: str,
    prompt: str,
    rule: str,
    units: Sequence[int],
    needed: int = 1,
    top: bool = False,
    why_not: WhyNot | None = None,
) -> Generator[Decision, int, int]:
    """Return one of the units that a schedule demands. The side chooses only if there are more than are still needed."""
    if len(units) <= needed:
        return units[0]
    click = yield g.ask(side, kind, prompt, rule, units=units, top=top, why_not=why_not)
    return click


def choose_location(
    g: G,
    side: int,
    kind: str,
    prompt: str,
    rule: str,
    locations: Sequence[int],
    about: Sequence[int] = (),
    top: bool = False,
    why_not: WhyNot | None = None,
) -> Generator[Decision, int, int]:
    """Return one of the locations where a unit may arrive. The side chooses only if there are several."""
    if len(locations) == 1:
        return locations[0]
    click = yield g.ask(side, kind, prompt, rule, locations=locations, about=about, top=top, why_not=why_not)
    return g.location(click)


def place_as_usual(
    g: G,
    pieces: Iterable[int],
    order: Sequence[int],
    why_not: Callable[[G, int, int], Refusal | None],
    place: Callable[[G, int, int], None],
) -> None:
    """Place pieces one after another, each in the first location of an order that can take it. A piece without one
    waits. `why_not(g, piece, location)` refuses a location, `place(g, piece, location)` places the piece."""
    for piece in pieces:
        location = next((one for one in order if why_not(g, piece, one) is None), None)
        if location is not None:
            place(g, piece, location)


# Replacement points


def receive_points(
    g: G, points: MutableMapping[str, int], income: Mapping[str, Sequence[int]], kinds: Iterable[str], rule: str
) -> None:
    """Add the points of this turn to a tally. `income` lists the points of each kind by turn, from turn 1."""
    for kind in kinds:
        number = income[kind][g.state.turn - 1]
        if number:
            points[kind] = points.get(kind, 0) + number
            g.log(rule, "{number} {points} RP received", number=number, points=kind)


def cap_points(g: G, points: MutableMapping[str, int], most: int, kinds: Iterable[str], rule: str) -> None:
    """Remove the points beyond a limit of each kind."""
    for kind in kinds:
        if points.get(kind, 0) > most:
            g.log(rule, "{number} {points} RP lost", number=points[kind] - most, points=kind)
            points[kind] = most


def why_not_paid(
    g: G, points: Mapping[str, int], kind: str, cost: int, unit: int, doing: str, rule: str
) -> Refusal | None:
    """Return why points do not suffice to do something to a unit, such as "be rebuilt"."""
    left = points.get(kind, 0)
    if left >= cost:
        return None
    name = g.rules.names[unit]
    return Refusal(f"{name} cannot {doing}: costs {cost} {kind} RP, {left} left", rule, name)
