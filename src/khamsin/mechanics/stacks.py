"""The choice of units that move or attack together.

A side first clicks a unit, or a location to select every unit in it that can act. Then a click on a unit of the same
location adds or removes it, `cancel` drops the selection, and a button may select the units of a formation there. Any
other click is the action of the selected units.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.cache import cached
from khamsin.kernel.pieces import Counter, UnitLocations
from khamsin.kernel.rules import MOST_DRAWS, Decision, Hint, LazyClicks, Refusal, WhyNot
from khamsin.mechanics.ways import MOST_NAMES


class Ready(LazyClicks):
    """The units that can act and their locations, for a decision at the top level of a phase.

    `surely` returns whether a unit can act (True), cannot (False), or depends on others (None, as without it); then
    `can` is called again after every move. Its result for a unit changes only when that unit acts; call `update` then,
    or `renew` when more has changed.
    """

    __slots__ = (
        "_able",
        "_can",
        "_depends",
        "_first",
        "_known",
        "_last",
        "_live",
        "_maybe",
        "_open",
        "_says",
        "_surely",
        "_units",
        "_where",
        "more",
    )

    def __init__(
        self,
        g: Any,
        units: Sequence[int],
        can: Callable[[int], bool],
        surely: Callable[[int], bool | None] | None = None,
        depends: Callable[[int], Hashable] | None = None,
    ) -> None:
        """`depends` returns what the result of `can` depends on besides the unit itself, so that it is called only
        after a change; without it, `can` is called after every move."""
        self._where = g.state.where
        self._first = g.place0
        self._units = units
        self._says: dict[int, bool | None] = dict.fromkeys(units)
        """The result of `surely` for each unit, in order."""
        self._can = can
        self._surely = surely
        self._depends = depends
        self.more: tuple[int, ...] = ()
        """Buttons that are legal too."""
        self._maybe: Mapping[int, Callable[[], bool]] = {}
        self._open: tuple[int, ...] | None = None
        self.renew()

    def renew(self, units: Sequence[int] | None = None) -> None:
        """Check all units again, or these instead."""
        if units is not None and units is not self._units and units != self._units:
            self._units = units
            self._says = dict.fromkeys(units)
        if self._surely is not None:
            self._says = {unit: self._surely(unit) for unit in self._units}
        self._live = [unit for unit, says in self._says.items() if says is not False]
        """The units that can act or may be able to, in order."""
        self._known: dict[int, tuple[Hashable, bool]] = {}
        self._last: list[tuple[int, _Able]] = []
        self._able: _Able | None = None

    def update(self, units: Iterable[int]) -> None:
        """Check units again that have acted."""
        before = says = self._says
        for unit in units:
            if unit in before:
                self._last = []
                self._known.pop(unit, None)
                if self._surely is not None:
                    if says is before:
                        says = before.copy()
                    sure = says[unit] = self._surely(unit)
                    if sure is False and before[unit] is not False:
                        self._live = [other for other in self._live if other != unit]
                    elif sure is not False and before[unit] is False:
                        self._live = [other for other in says if says[other] is not False]
        self._says = says

    def now(self, *more: int, maybe: Mapping[int, Callable[[], bool]] | None = None) -> Ready:
        """Return the legal clicks as they are now, with these buttons; later updates do not change them. A button of `maybe` is
        legal if its function says so, which is called only when the button is looked up."""
        new: Ready = object.__new__(Ready)
        new._where, new._first, new._units = self._where, self._first, self._units
        new._can, new._surely, new._depends, new._known = self._can, self._surely, self._depends, self._known
        new._says, new._last, new._live = self._says, self._last, self._live
        new.more, new._maybe, new._able, new._open = more, maybe or {}, None, None
        return new

    def _buttons(self) -> tuple[int, ...]:
        """Return the legal buttons."""
        if self._open is None:
            self._open = (*self.more, *[button for button, is_legal in self._maybe.items() if is_legal()])
        return self._open

    def units(self) -> list[int]:
        """Return the units that can act, in order."""
        return self._list().units

    def units_in(self, location: int) -> list[int]:
        """Return the units of a location that can act, in order."""
        where, says = self._where, self._says
        if self._able is not None:
            return [unit for unit in self._able.units if where[unit] == location]
        found = []
        for side in range(len(where.versions)):
            for unit in where.stacks(side).get(location, ()):
                sure = says.get(unit, False)
                if sure or (sure is None and self._can_now(unit)):
                    found.append(unit)
        return sorted(found)

    def mates(self, units: Sequence[int]) -> list[int]:
        """Return the other units of a stack's location that can act."""
        return [unit for unit in self.units_in(self._where[units[0]]) if unit not in units]

    def _list(self) -> _Able:
        """Return the legal clicks besides buttons; the same object if no unit has acted or moved since."""
        if self._able is None:
            version, last = self._where.version, self._last
            if not last or last[0][0] != version:
                last[:] = [(version, self._ask())]
            self._able = last[0][1]
        return self._able

    def _ask(self) -> _Able:
        units = sorted([unit for unit, says in self._says.items() if says or (says is None and self._can_now(unit))])
        where, first = self._where, self._first
        return _Able(units, list(dict.fromkeys([first + where[unit] for unit in units])))

    def _can_now(self, unit: int) -> bool:
        if self._depends is None:
            return self._can(unit)
        reads, known = self._depends(unit), self._known.get(unit)
        if known is None or known[0] != reads:
            known = self._known[unit] = reads, self._can(unit)
        return known[1]

    def __contains__(self, click: object) -> bool:
        if click in self._says:
            says = self._says[click]
            return self._can_now(click) if says is None else says
        if click in self.more:
            return True
        if not isinstance(click, int) or click < self._first:
            return False
        if click in self._maybe:
            return self._maybe[click]()
        return click in self._able.locations if self._able else bool(self.units_in(click - self._first))

    def __getitem__(self, click: int) -> None:
        if click not in self:
            raise KeyError(click)

    def __iter__(self) -> Iterator[int]:
        able = self._list()
        return iter([*able.units, *able.locations, *self._buttons()])

    def __len__(self) -> int:
        able = self._list()
        return len(able.units) + len(able.locations) + len(self._buttons())

    def listed(self) -> dict[int, Hint]:
        """Return all clicks; none has a hint."""
        return dict.fromkeys(self)

    def __bool__(self) -> bool:
        says = self._says
        if self.more or any(says.values()) or any(says[unit] is None and self._can_now(unit) for unit in says):
            return True
        return bool(self._buttons())

    def pick(self, chance: Callable[[], float]) -> int:
        """Return a random legal click; one on a location that would select a single unit counts as one on the unit.
        Clicks that may be legal are drawn with the others and checked when drawn, even if their result is known, so the
        same draws always give the same click."""
        units, says, where, buttons = self._live, self._says, self._where, (*self.more, *self._maybe)
        count = len(units)
        total = 2 * count + len(buttons)
        for _ in range(MOST_DRAWS):
            number = int(chance() * total)
            if number < count:
                click = units[number]
                sure = says[click]
                if self._can_now(click) if sure is None else sure:
                    return click
                continue
            if number < 2 * count:
                unit = units[number - count]
                if len(where.stacks(where.sides[unit]).get(where[unit], ())) < 2:
                    continue
                click = self._location_of(unit)
                if click == NOWHERE:
                    continue
            else:
                click = buttons[number - 2 * count]
            if click in self:
                return click
        return super().pick(chance)

    def _location_of(self, unit: int) -> int:
        """Return the click of a unit's location if it is the first of several there that may be able to act, else NOWHERE."""
        says, where = self._says, self._where
        location = where[unit]
        stack = where.stacks(where.sides[unit]).get(location, ())
        here = [other for other in stack if says.get(other, False) is not False]
        return self._first + location if len(here) > 1 and here[0] == unit else NOWHERE

    def nth(self, number: int) -> int:
        """Return the click at an index."""
        units, locations = self._list()
        if number < len(units):
            return units[number]
        number -= len(units)
        return locations[number] if number < len(locations) else self._buttons()[number - len(locations)]


class Within:
    """Units in some locations, such as those of a side that are in play. They are found again only after one of them
    has entered or left these locations.

    >>> from khamsin.kernel.pieces import UnitLocations
    >>> where = UnitLocations([3, 8, 5])
    >>> near = Within(where, range(3), range(6))
    >>> first = near.now()
    >>> where[0] = 4
    >>> first, near.now() is first
    ([0, 2], True)
    >>> where[2] = 9
    >>> near.now()
    [0]
    """

    def __init__(self, where: UnitLocations, units: Sequence[int], locations: range) -> None:
        self._where = where
        self._units = units
        self._locations = locations
        self._owners = {where.sides[unit] for unit in units}
        self._look()

    def _look(self) -> None:
        where, locations = self._where, self._locations
        self._versions = where.versions[:]
        self._found = [unit for unit in self._units if where[unit] in locations]

    def now(self) -> list[int]:
        """Return the units, in their order. Do not change the list; it is the same object while they are the same."""
        where, versions, locations = self._where, self._versions, self._locations
        for owner in self._owners:
            if where.versions[owner] != versions[owner]:
                changed = where.changed(owner, versions[owner])
                if changed is None or [location for location in changed if location not in locations]:
                    self._look()
                    break
                versions[owner] = where.versions[owner]
        return self._found


class _Able(NamedTuple):
    """The units that can act and the clicks of their locations, in order."""

    units: list[int]
    locations: list[int]


def units_in(g: Any, side: int, location: int) -> Sequence[int]:
    """Return the units of a side in a location."""
    found: Sequence[int] = g.state.where.stacks(side).get(location, ())
    return found


@cached(lambda g, side: g.state.where.versions[side])
def occupied(g: Any, side: int) -> frozenset[int]:
    """Return the hexes in which a side has units."""
    size = g.board.size
    return frozenset([hex for hex in g.state.where.stacks(side) if 0 <= hex < size])


def names_in(g: Any, location: int, side: int) -> list[str]:
    """Return the units of a side in a location, by name."""
    return [g.rules.names[unit] for unit in sorted(units_in(g, side, location))]


class Names(str):
    """Units by name. As the subject of a text they choose the form of its verb, for one unit or for several.

    >>> "{units} {units:advances|advance}".format(units=Names("21 Pz")), f"{Names('21 Pz, 15 Pz', True):is|are}"
    ('21 Pz advances', 'are')
    """

    many: bool

    def __new__(cls, text: str, many: bool = False) -> Names:
        """Return a text; `many` if it names several units."""
        made = super().__new__(cls, text)
        made.many = many
        return made

    def __format__(self, form: str) -> str:
        one, bar, several = form.partition("|")
        return (several if self.many else one) if bar else super().__format__(form)


def names(counters: Sequence[Counter], units: Iterable[int]) -> Names:
    """Return units by name.

    >>> names([Counter("21 Pz", 0), Counter("15 Pz", 0)], [0, 1])
    '21 Pz, 15 Pz'
    """
    found = [counters[unit].name for unit in units]
    return Names(", ".join(found), len(found) > 1)


def whom(counters: Sequence[Counter], units: Sequence[int]) -> Names:
    """Return a stack by the name of its first unit and the number of others.

    >>> whom([Counter("21 Pz", 0), Counter("15 Pz", 0)], [0]), whom([Counter("21 Pz", 0), Counter("15 Pz", 0)], [0, 1])
    ('21 Pz', '21 Pz and 1 more')
    """
    many = len(units) > 1
    return Names(counters[units[0]].name + (f" and {len(units) - 1} more" if many else ""), many)


def _allowed(*args: Any) -> None:
    """Return no refusal."""


def why_not_chosen(
    condition: Callable[[Any, int, int], Refusal | None],
    rule: str,
    units_in: Callable[[Any, int, int], Iterable[int]] = units_in,
    why_not_button: Callable[[Any, int, str], Refusal | None] = _allowed,
    names_in: Callable[[Any, int, int], Sequence[str]] = names_in,
    why_not_own: Callable[[Any, int, int], Refusal | None] | None = None,
) -> WhyNot:
    """Return the `why_not` of the first click. A unit of the side is refused by `condition(g, side, unit)`; a location if it
    has no unit of the side, or by the condition of its first unit if all are refused; a button by
    `why_not_button(g, side, name)`. `names_in(g, location, side)` returns the names of enemy units as far as they are
    known; `why_not_own(g, side, unit)` refuses enemy units, by default `own(rule)`."""
    not_own = why_not_own or own(rule)

    def why_not(g: Any, decision: Decision, click: int) -> Refusal | None:
        side, label = decision.side, g.rules.names[click]
        if g.is_unit(click):
            return not_own(g, side, click) or condition(g, side, click)
        if click >= g.rules.first_button:
            return why_not_button(g, side, label)
        location = g.location(click)
        refusals = [condition(g, side, unit) for unit in units_in(g, side, location)]
        if refusals:
            return None if None in refusals else refusals[0]
        if enemies := names_in(g, location, 1 - side):
            more = f" and {len(enemies) - MOST_NAMES} more" if len(enemies) > MOST_NAMES else ""
            named = ", ".join(enemies[:MOST_NAMES]) + more
            return Refusal(f"{label} is occupied by the enemy: {named}", rule, enemies[0])
        return Refusal(f"None of your units is in {label}", rule, label)

    return why_not


def own(rule: str) -> Callable[[Any, int, int], Refusal | None]:
    """Return the condition that a side acts with its own units."""

    def why_not(g: Any, side: int, unit: int) -> Refusal | None:
        counter = g.rules.counters[unit]
        return None if counter.side == side else Refusal(f"{counter.name} is not yours", rule, counter.name)

    return why_not


def why_not_going(
    rule: str,
    locations: Container[int],
    condition: Callable[[Any, int, int], Refusal | None],
    why_not_at: Callable[[Any, int, Sequence[int], int], Refusal | None],
    why_not_along: Callable[[Any, Sequence[int], int], Refusal | None] = _allowed,
    why_not_button: Callable[[Any, int, Sequence[int], str], Refusal | None] = _allowed,
    rule_along: str = "",
    why_not_own: Callable[[Any, int, int], Refusal | None] | None = None,
) -> WhyNot:
    """Return the `why_not` of the clicks after the first: where the selected units go, and which go with them.

    A unit of the side is refused by `condition(g, side, unit)`, because it is elsewhere, or by `why_not_along(g, units, unit)`;
    an enemy unit for the same reason as its location. A location is refused if it is not one of `locations` or if the units
    are there, else by `why_not_at(g, side, units, location)`; a button by `why_not_button(g, side, units, name)`.
    `rule_along` is the section by which units of one location move together, if it is another one; `why_not_own` is as in
    `why_not_chosen`.
    """
    not_own = why_not_own or own(rule)

    def why_not(g: Any, decision: Decision, click: int) -> Refusal | None:
        side, units, where, label = decision.side, decision.about, g.state.where, g.rules.names[click]
        if click >= g.rules.first_button:
            return why_not_button(g, side, units, label)
        if click in units:
            return None
        here = where[units[0]]
        location = where[click] if g.is_unit(click) else g.location(click)
        if g.is_unit(click) and (g.rules.counters[click].side == side or location not in locations):
            refusal = not_own(g, side, click) or condition(g, side, click)
            if refusal is not None or location == here:
                return refusal or why_not_along(g, units, click)
            who = whom(g.rules.counters, units)
            return Refusal(f"{label} cannot join {who}: not in {g.board.name(here)}", rule_along or rule, label)
        return why_no_goal(g, units, location, locations, rule) or why_not_at(g, side, units, location)

    return why_not


def why_no_goal(g: Any, units: Sequence[int], location: int, locations: Container[int], rule: str) -> Refusal | None:
    """Return why a stack could not move to a location however it moves: it is not one of `locations`, or the stack is there."""
    who, label = whom(g.rules.counters, units), g.board.name(location)
    if location not in locations:
        return Refusal(f"{who} cannot move to {label}: not a hex of the map", rule, label)
    already = f"{who} {who:is|are} already in {label}"
    return Refusal(already, rule, label) if location == g.state.where[units[0]] else None


Mates = Callable[[Sequence[int]], Sequence[int]]
"""From selected units, the units of their location that may act with them."""


class Later(Sequence[int]):
    """Units that may act with others, found on first use."""

    def __init__(self, mates: Mates, units: Sequence[int]) -> None:
        self._mates = mates
        self._units = units
        self._found: Sequence[int] | None = None

    def _list(self) -> Sequence[int]:
        if self._found is None:
            self._found = self._mates(self._units)
        return self._found

    def __iter__(self) -> Iterator[int]:
        return iter(self._list())

    def __len__(self) -> int:
        return len(self._list())

    def __contains__(self, unit: object) -> bool:
        return unit in self._list()

    def __getitem__(self, at: Any) -> Any:
        return self._list()[at]


def selected(g: Any, click: int, able: Ready | Iterable[int], mates: Mates) -> list[int]:
    """Return the units that a first click selects: the unit clicked, or all at a location that can act together with
    the first of them that can."""
    if g.is_unit(click):
        return [click]
    location, where = g.location(click), g.state.where
    units = able.units_in(location) if type(able) is Ready else [u for u in able if where[u] == location]
    return [units[0], *mates(units[:1])]


def choose(
    g: Any,
    side: int,
    ready: Ready,
    rule: str,
    mates: Mates | None = None,
    prompt: str | Callable[[], str] = "Move a unit, or end the phase",
    maybe: Mapping[int, Callable[[], bool]] | None = None,
    *,
    why_not: WhyNot,
) -> Generator[Decision, int, tuple[int, list[int]]]:
    """Let a side choose the next stack that moves in a phase. Return the click and the units that it selects, none if it is
    a button. A click on a location selects the first unit that can act and its `mates`, by default all that can. `done` is
    legal; buttons of `maybe`, also `done`, are if their function says so."""
    done, buttons = g.rules.button("done"), maybe or {}
    able = ready.now(maybe=buttons) if done in buttons else ready.now(done, maybe=buttons)
    click = yield Decision(side, "move.stack", prompt, rule, able, top=True, buttons=tuple(buttons), why_not=why_not)
    return click, [] if click >= g.rules.first_button else selected(g, click, able, mates or ready.mates)


def select(
    g: Any,
    units: list[int],
    mates: Mates,
    ask: Callable[[list[int], Sequence[int]], Decision],
    formation: Callable[[int], object] | None = None,
) -> Generator[Decision, int, tuple[list[int], int, Decision]]:
    """Let a side add and remove units until it clicks their action. Return the units, that click and the last decision;
    no units if it cancels.

    `ask` makes the decision from the selected units and those that may join, which are found when it reads them. Add
    both to its legal clicks, besides `cancel` and, with `formation` (from a unit to its formation), the button
    `formation` where `formation_mates` finds any.
    """
    cancel = g.rules.button("cancel")
    whole = g.rules.button("formation") if formation else cancel
    while units:
        others = Later(mates, units)
        decision = ask(units, others)
        click = yield decision
        if g.is_unit(click):
            units = [unit for unit in units if unit != click] if click in units else [*units, click]
        elif click == cancel:
            break
        elif formation and click == whole:
            units = [*units, *formation_mates(units, others, formation)]
        else:
            return units, click, decision
    return [], cancel, decision


def formation_mates(units: Sequence[int], others: Iterable[int], formation: Callable[[int], object]) -> list[int]:
    """Return the other units that belong to the formation of the first selected unit."""
    own = formation(units[0])
    return [unit for unit in others if own and formation(unit) == own]
