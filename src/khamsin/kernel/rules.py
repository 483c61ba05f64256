"""The interface between a game and the kernel: one `Rules` object per game.

The phases of a game are generators that yield decisions and continue with the click:

```python
def movement(g: Game[MyState]) -> Procedure:
    while True:
        click = yield g.ask(side, "move.stack", "Move a unit", "5.1", units=ready(g), buttons=[DONE], top=True)
        if click == DONE:
            return
        yield from move(g, click)
```

A click is one whole number: units first, then locations (hexes, then boxes), then buttons. So the clicks of a game are
a fixed range, and a mask over them describes every decision.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar, get_type_hints

from khamsin.kernel import data as files
from khamsin.kernel.board import NOWHERE, Board
from khamsin.kernel.dice import Dice, Roll
from khamsin.kernel.display import Display
from khamsin.kernel.metrics import Metrics
from khamsin.kernel.orders import OrderKind
from khamsin.kernel.pieces import Counter, Result, State, UnitFlags, UnitLocations
from khamsin.kernel.registration import Scenario
from khamsin.kernel.tables import Table

S = TypeVar("S", bound=State)

EVERYONE = -1
"""The viewer of an event that both sides may see."""
NOBODY = -2
"""The viewer of an event that no side may see, as when a side draws a unit face down."""

ROLLED = "{purpose}: rolled {value}"
"""The text of the event of a roll."""

Hint = int | str | Mapping[str, Any] | None


class Illegal(ValueError):
    """An illegal click, with reason and rule. The match is unchanged."""

    def __init__(self, click: str, reason: str, rule: str = "") -> None:
        super().__init__(reason + (f" ({rule})" if rule else ""))
        self.click = click
        self.reason = reason
        self.rule = rule


class Refusal(NamedTuple):
    """Why a click is illegal, by which rule, and the location or piece that causes it."""

    reason: str
    rule: str
    cause: str = ""


class LazyClicks(Mapping[int, Hint]):
    """Legal clicks, possibly hundreds, that a game lists only when all are read."""

    __slots__ = ()

    def nth(self, number: int) -> int:
        """Return the click at an index."""
        return next(islice(self, number, None))

    def pick(self, chance: Callable[[], float]) -> int:
        """Return a random click, all equally likely; clicks that do the same may count as one. It may draw from clicks that
        could be illegal, and draw again until one is legal, so that not all have to be known."""
        return self.nth(int(chance() * len(self)))

    def listed(self) -> dict[int, Hint]:
        """Return all clicks with their hints."""
        return dict(self)


MOST_DRAWS = 100
"""How many random clicks may be illegal before all legal ones are listed."""


class Choices(LazyClicks):
    """Clicks that are legal, and others each of which is legal if a function says so. The function is called for one
    click when it is clicked, and for all only when they are listed.

    >>> choices = Choices({9: "done"}, range(4), lambda click: click % 2 == 1)
    >>> 2 in choices, 3 in choices, dict(choices)
    (False, True, {1: None, 3: None, 9: 'done'})
    """

    __slots__ = ("_hint", "_is_legal", "_listed", "_maybe", "_sure")

    def __init__(
        self,
        sure: Mapping[int, Hint],
        maybe: Iterable[int],
        is_legal: Callable[[int], bool],
        hint: Callable[[int], Hint] = lambda click: None,
    ) -> None:
        """`hint` returns the hint of a legal click of `maybe`, which may be a range of clicks."""
        self._sure = sure
        self._maybe = maybe if type(maybe) is range else dict.fromkeys(maybe)
        self._is_legal = is_legal
        self._hint = hint
        self._listed: list[int] | None = None

    def __contains__(self, click: object) -> bool:
        return click in self._sure or (isinstance(click, int) and click in self._maybe and self._is_legal(click))

    def __getitem__(self, click: int) -> Hint:
        if click in self._sure:
            return self._sure[click]
        if click not in self:
            raise KeyError(click)
        return self._hint(click)

    def __iter__(self) -> Iterator[int]:
        return iter(self._list())

    def __len__(self) -> int:
        return len(self._list())

    def __bool__(self) -> bool:
        return bool(self._sure) or any(map(self._is_legal, self._maybe))

    def nth(self, number: int) -> int:
        """Return the click at an index."""
        return self._list()[number]

    def pick(self, chance: Callable[[], float]) -> int:
        """Return a random legal click, drawn until one is legal; one that is not is not drawn again."""
        maybe = self._maybe if type(self._maybe) is range else list(self._maybe)
        more = [click for click in self._sure if click not in self._maybe]
        count, left = len(maybe), len(maybe) + len(more)
        moved: dict[int, int] = {}
        while left:
            number = int(chance() * left)
            at = moved.get(number, number)
            click = maybe[at] if at < count else more[at - count]
            if click in self:
                return click
            left -= 1
            moved[number] = moved.get(left, left)
        raise LookupError("no click is legal")

    def _list(self) -> list[int]:
        if self._listed is None:
            maybe = [click for click in self._maybe if click not in self._sure and self._is_legal(click)]
            self._listed = [*maybe, *self._sure]
        return self._listed


class Decision:
    """What a side must decide: the prompt, its rule, and every legal click, each with an optional hint."""

    __slots__ = (
        "_about", "_buttons", "_listed", "_prompt", "_reach", "at", "can_act", "combat", "kind", "legal",
        "picked", "rule", "side", "top", "why_not",
    )  # fmt: skip
    _COMPARED = ("side", "kind", "prompt", "rule", "legal", "top", "about", "buttons", "at")

    def __init__(
        self,
        side: int,
        kind: str,
        prompt: str | Callable[[], str],
        rule: str,
        legal: Mapping[int, Hint],
        top: bool = False,
        about: tuple[int, ...] | Callable[[], tuple[int, ...]] = (),
        buttons: tuple[int, ...] | Callable[[], tuple[int, ...]] = (),
        why_not: WhyNot | None = None,
        can_act: CanAct | None = None,
        reach: Any = None,
        at: tuple[int, ...] = (),
        combat: Any = None,
    ) -> None:
        self.side = side
        self.kind = kind
        """A dotted name such as `move.to`, by which programs recognise the decision. `rule` is only a citation."""
        self._prompt = prompt
        self.rule = rule
        self.legal = legal
        self.top = top
        """Whether it is at the top level of a phase: the phase can be restarted from it."""
        self._about = about
        self.at = at
        """The locations it is about, such as the hexes attacked, for standing orders."""
        self.combat = combat
        """The combat it is about, in the game's own words, for `Display.sheets`."""
        self._buttons = buttons
        self.why_not = why_not
        """Why a click is illegal. It is given the game as the deciding side knows it."""
        self.can_act = can_act
        """The units that can still act; None where these are the legal units."""
        self._reach = reach
        self.picked: int | None = None
        """The last click that `pick` returned; it is known to be legal."""
        self._listed: dict[int, Hint] | None = None

    @property
    def prompt(self) -> str:
        """The text for the side. A game may give a function, which is called when the text is read."""
        if not isinstance(self._prompt, str):
            self._prompt = self._prompt()
        return self._prompt

    @property
    def about(self) -> tuple[int, ...]:
        """The units it is about, such as the moving stack; a game may give a function here too."""
        if not isinstance(self._about, tuple):
            self._about = self._about()
        return self._about

    @property
    def buttons(self) -> tuple[int, ...]:
        """Buttons that belong to the decision but may be illegal now. The legal ones need not be listed."""
        if not isinstance(self._buttons, tuple):
            self._buttons = self._buttons()
        return self._buttons

    @property
    def reach(self) -> Any:
        """The reach of the moving stack (`mechanics.ways.Reach`), for the path preview."""
        if callable(self._reach):
            self._reach = self._reach()
        return self._reach

    @reach.setter
    def reach(self, reach: Any) -> None:
        self._reach = reach

    def listed(self) -> dict[int, Hint]:
        """Return the legal clicks with their hints. They are listed once, because listing can be slow; do not change
        them."""
        if self._listed is None:
            self._listed = self.legal.listed() if isinstance(self.legal, LazyClicks) else dict(self.legal)
        return self._listed

    def copy(self) -> Decision:
        """Return an independent copy."""
        return Decision(
            self.side, self.kind, self.prompt, self.rule, dict(self.listed()), self.top, self.about, self.buttons,
            self.why_not, self.can_act, self.reach, self.at, self.combat,
        )  # fmt: skip

    def nth(self, number: int) -> int:
        """Return the legal click at an index."""
        legal = self.legal
        if type(legal) is not dict and hasattr(legal, "nth"):
            found: int = legal.nth(number)
            return found
        return next(islice(legal, number, None))

    def pick(self, chance: Callable[[], float]) -> int:
        """Return a random legal click; `chance` returns a number from 0 to 1, without 1. All are equally likely, but clicks
        that do the same may count as one."""
        legal = self.legal
        if type(legal) is not dict and hasattr(legal, "pick"):
            found: int = legal.pick(chance)
        else:
            found = self.nth(int(chance() * len(legal)))
        self.picked = found
        return found

    def __repr__(self) -> str:
        return f"<Decision {self.kind} of side {self.side}: {self.prompt} ({self.rule}), {len(self.legal)} legal>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Decision) and all(getattr(self, s) == getattr(other, s) for s in self._COMPARED)

    __hash__ = None  # type: ignore[assignment]


WhyNot = Callable[["Game[Any]", Decision, int], "Refusal | None"]
"""Return why a click of a decision is illegal; None where there is nothing to add."""
CanAct = Callable[["Game[Any]"], "Iterable[int]"]
"""Return the units that can still act."""

Procedure = Generator[Decision, int, None]


class Event(NamedTuple):
    """An entry of the log: the number of the click it followed, its rule, a text with gaps, what fills them, the side
    that may see it (EVERYONE for both), its turn and phase, and its kind: LOSS or empty."""

    click: int
    rule: str
    text: str
    data: Mapping[str, Any]
    to: int
    turn: int
    phase: str
    kind: str = ""


_event = tuple.__new__
"""Make an event from all its fields in half the time of its constructor."""
LOSS = "loss"
"""The kind of an event by which the units it names leave the game or the map, for good or until they are rebuilt."""


class Term(NamedTuple):
    """One term of a sum: its text, amount and rule."""

    text: str
    value: str
    rule: str


@dataclass(frozen=True, slots=True)
class Odds:
    """The preview of a combat: every term with its rule, the column, the exact chance of each outcome, and the average
    losses of both sides in words."""

    terms: tuple[Term, ...]
    column: str
    outcomes: Mapping[str, Fraction]
    average: str = ""
    reason: str = ""
    """Why the rules forbid the combat."""


class Phase(NamedTuple):
    """One step of the sequence of play. `side` is its side, or EVERYONE."""

    name: str
    side: int
    run: Callable[[Any], Procedure]
    rule: str


@dataclass(frozen=True)
class Rules(Generic[S]):
    """A game as the kernel sees it. What every game needs comes first. The functions with a default are for games that
    hide something or that explain more than the kernel can."""

    id: str
    title: str
    sides: tuple[str, ...]
    board: Board
    counters: tuple[Counter, ...]
    buttons: tuple[str, ...]
    flags: tuple[str, ...]
    state: type[S]
    scenarios: Mapping[str, Scenario]
    phases: Callable[[S], tuple[Phase, ...]]
    """Return the phases of the present turn, in order and with different names. It may read only what does not change
    in the remaining phases of the turn."""
    set_up: Callable[[Game[S]], None]
    """Put the pieces of a scenario on the board."""
    tables: Mapping[str, Table] = field(default_factory=dict)
    fill_printed: Callable[[S], None] = lambda state: None
    """Fill the game's own columns with what is printed on the counters."""
    explain: Callable[[Game[S], Decision, int], Refusal | None] = lambda g, decision, click: None
    """Return why a click is illegal, from what the viewer may know; None if the game has nothing to add."""
    conceal: Callable[[S, int], S] = lambda state, side: state
    """Return the state as a side may know it: hidden values are replaced by neutral ones."""
    imagine: Callable[..., S] = lambda state, side, chance, kept=frozenset(): state
    """Return a random full state consistent with what the side knows: imagine(state, side, chance, kept). `kept`, an
    optional frozenset, are the units of a running procedure; the game should leave them where they are."""
    find_fault: Callable[[Game[S]], str] = lambda g: ""
    """Return what is wrong with a state that cannot arise in play (too many units in a hex, ...), or ""."""
    odds: Callable[[Game[S], int, list[int], list[int]], Odds] | None = None
    """Return the odds of an attack by units on locations; the game is as the viewer may know it."""
    display: Display[S] = field(default_factory=Display)
    """The display of the game."""
    orders: tuple[OrderKind, ...] = ()
    """The kinds of decisions that accept standing orders with policies of the game's own."""
    metrics: Metrics[S] = field(default_factory=Metrics)
    """The measurements for the laboratory."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Names in old records and positions -> present names, "" for what was removed: buttons, units, locations, flags,
    options, phases, fields of the state, and keys of tallies as `tally.key`, which may become a field as `state.field`.
    A name that ends in * matches all with that beginning."""

    def __post_init__(self) -> None:
        seen: dict[str, str] = {}
        for kind, names in (
            ("unit", [c.name for c in self.counters]),
            ("location", self.board.names),
            ("button", self.buttons),
        ):
            for name in names:
                if name in seen:
                    raise ValueError(f"{name!r} is both a {seen[name]} and a {kind} of {self.id}: names must differ")
                seen[name] = kind

    def __repr__(self) -> str:
        return f"<Rules of {self.title}>"

    @property
    def has_hidden_info(self) -> bool:
        """Whether a side may know something that the other may not."""
        return self.conceal is not type(self).conceal

    @cached_property
    def units(self) -> int:
        """The number of units; lower clicks are units."""
        return len(self.counters)

    @cached_property
    def first_button(self) -> int:
        """The click of the first button; clicks from `units` up to it are locations."""
        return len(self.counters) + len(self.board.names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of every click."""
        return (*(c.name for c in self.counters), *self.board.names, *self.buttons)

    @cached_property
    def click(self) -> Mapping[str, int]:
        """The click of every name."""
        return {name: click for click, name in enumerate(self.names)}

    @cached_property
    def unit_clicks(self) -> frozenset[int]:
        """The clicks on units, which are their numbers."""
        return frozenset(range(self.units))

    @cached_property
    def location_clicks(self) -> Mapping[int, int]:
        """The click of every location."""
        return {place: self.units + place for place in range(len(self.board.names))}

    @cached_property
    def button_clicks(self) -> Mapping[str, int]:
        """The click of every button."""
        return _Buttons(self.id, {name: click for click, name in enumerate(self.buttons, self.first_button)})

    @cached_property
    def flag(self) -> Mapping[str, int]:
        """The bit of every flag."""
        return {name: 1 << i for i, name in enumerate(self.flags)}

    @cached_property
    def digest(self) -> str:
        """A hash of the data that a record depends on."""
        import hashlib

        state = self.state
        parts: tuple[Any, ...] = (
            (self.names, self.flags, self.sides, self.board.digest),
            [(c.side, c.nation, c.symbol, c.size, c.parent, c.steps, c.factors) for c in self.counters],
            [(s.name, s.options, s.data) for s in self.scenarios.values()],
            (state.COLUMNS, state.SCALARS, state.OWNERS, state.AMOUNTS, state.TALLIES),
            [(t.name, t.rule, t.dice, t.kind, t.heads, t.rows) for t in self.tables.values()],
        )
        if state.RECORDS:
            parts = (*parts, [(name, record._fields) for name, record in state.RECORDS.items()])
        altered = files.altered(self.id)
        return hashlib.sha256(repr(_plain((*parts, altered) if altered else parts)).encode()).hexdigest()[:16]

    def new_state(self) -> S:
        """Return a state with every unit as printed and nowhere."""
        state = self.state(self.units)
        state.where = UnitLocations(state.where, [counter.side for counter in self.counters])
        state.steps = [counter.steps for counter in self.counters]
        self.fill_printed(state)
        return state

    @cached_property
    def button(self) -> Callable[[str], int]:
        """Return the click of a button."""
        return self.button_clicks.__getitem__

    def class_of(self, click: int) -> str:
        """Return what a click is on: a unit, hex, box or button."""
        if click < self.units:
            return "unit"
        if click >= self.first_button:
            return "button"
        return "hex" if self.board.is_hex(click - self.units) else "box"

    def named(self, record: Any) -> dict[str, Any]:
        """Return the fields of a record of the state, with names for units, locations and sides."""
        return {key: self._names_of(key, value) for key, value in record._asdict().items()}

    def _names_of(self, key: str, value: Any) -> Any:
        if isinstance(value, tuple):
            return [self._names_of(key, one) for one in value]
        names = self._domain(key)
        return int(value) if names is None else names[value] if value != NOWHERE else ""

    def _domain(self, key: str) -> Sequence[str] | None:
        """Return the names that the numbers of a field stand for; None for plain numbers."""
        if key.startswith("unit"):
            return self.names[: self.units]
        if key.startswith(("hex", "location")):
            return self.board.names
        return self.sides if key.startswith("side") else None

    def record(self, name: str, given: Mapping[str, Any]) -> Any:
        """Return a record of the state from its named fields. Raise ValueError for what does not fit."""
        kind = self.state.RECORDS[name]
        if given.keys() != set(kind._fields):
            raise ValueError(f"expected {', '.join(kind._fields)}")
        lists = [key for key, field_type in get_type_hints(kind).items() if field_type is not int]
        for key, value in given.items():
            if isinstance(value, list) != (key in lists):
                raise ValueError(f"{key}: expected {'a list' if key in lists else 'one value'}, not {value!r}")
        return kind(**{key: self._numbers_of(key, value) for key, value in given.items()})

    def _numbers_of(self, key: str, value: Any) -> Any:
        if isinstance(value, list):
            return tuple([self._number_of(key, one) for one in value])
        return self._number_of(key, value)

    def _number_of(self, key: str, value: Any) -> int:
        names = self._domain(key)
        if names is None:
            if type(value) is not int:
                raise ValueError(f"{key}: expected a whole number, not {value!r}")
            return value
        if value == "":
            return NOWHERE
        if value not in names:
            raise ValueError(f"{key}: {value!r} is not a name of {self.title}")
        return names.index(value)

    def parse(self, name: str) -> int:
        """Return the click of a unit, hex, box or button by its name, which may be an old one."""
        try:
            return self.click[name]
        except (KeyError, TypeError):
            present = self.present_name(str(name))
            if present in self.click:
                return self.click[present]
            if not present:
                raise Illegal(str(name), f"{name} was removed from {self.title}") from None
            raise Illegal(str(name), f"no unit, hex, box or button of {self.title} is named {name}") from None

    def present_name(self, name: str, known: Container[str] = ()) -> str:
        """Return the present name of something in an old record or position; "" if it was removed. A known name is kept."""
        if name in known:
            return name
        if name in self.renamed:
            return self.renamed[name]
        begins = (new for old, new in self.renamed.items() if old.endswith("*") and name.startswith(old[:-1]))
        return next(begins, name)

    @cached_property
    def old_tallies(self) -> frozenset[str]:
        """The tallies of old records and positions that are no longer part of the state."""
        names = {old.partition(".")[0] for old in self.renamed if "." in old}
        return frozenset(names - {*self.state.TALLIES, "state"})

    def present_options(self, scenario: Scenario, options: Mapping[str, str]) -> dict[str, str]:
        """Return the options of an old record or position by their present names, without those that were removed."""
        named = {self.present_name(name, scenario.options): value for name, value in options.items()}
        return {name: value for name, value in named.items() if name}

    def side(self, name: str) -> int:
        """Return the number of a side by its name, in any case."""
        for number, side in enumerate(self.sides):
            if side.lower() == str(name).lower():
                return number
        raise ValueError(f"{name!r}: no such side; there are {', '.join(self.sides)}")

    def scenario(self, name: str) -> Scenario:
        """Return a scenario by name."""
        if name not in self.scenarios:
            raise ValueError(f"{name!r}: no such scenario of {self.id}; there are {', '.join(self.scenarios)}")
        return self.scenarios[name]


class _Buttons(dict[str, int]):
    """The click of every button of a game."""

    def __init__(self, game: str, clicks: Mapping[str, int]) -> None:
        super().__init__(clicks)
        self._game = game

    def __missing__(self, name: str) -> int:
        raise ValueError(f"{name!r}: no such button of {self._game}; there are {', '.join(self)}")


Find = Callable[[str], Rules[Any]]
"""From a game's id to its rules; raises ValueError for an unknown id."""


def _plain(value: Any) -> Any:
    """Return something that prints alike in every process: dictionaries and sets sorted, what is not data by its type
    alone."""
    if isinstance(value, Mapping):
        return sorted((repr(key), _plain(entry)) for key, entry in value.items())
    if isinstance(value, set | frozenset):
        return sorted(repr(entry) for entry in value)
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if is_dataclass(value):
        return [_plain(getattr(value, column.name)) for column in fields(value)]
    return value if isinstance(value, int | str | float | Fraction | None) else type(value).__qualname__


class Game(Generic[S]):
    """A running game as its rules see it: the state, the board, the dice, the log, and the method to ask for a
    decision."""

    __slots__ = (
        "board", "dice", "events", "number", "options", "phase", "place0", "reveals", "rolls", "rules", "scenario",
        "state",
    )  # fmt: skip

    def __init__(self, rules: Rules[S], scenario: Scenario, options: Mapping[str, str], state: S, dice: Dice) -> None:
        self.rules = rules
        self.board = rules.board
        self.scenario = scenario
        self.options = options
        self.state = state
        self.events: list[Event] = []
        self.rolls: list[tuple[int, int, int]] = []
        """Every roll: the number of clicks before it, its sides, its value."""
        self.number = 0
        self.reveals = 0
        self.phase = ""
        """The name of the running phase, for the log."""
        self.place0 = rules.units
        self.use(dice)

    def __repr__(self) -> str:
        return f"<Game of {self.rules.id} {self.scenario.name}, turn {self.state.turn}, {len(self.rolls)} rolls>"

    def use(self, dice: Dice) -> None:
        """Continue with these dice."""
        self.dice = dice
        dice.on_roll = self._rolled

    def ask(
        self,
        side: int,
        kind: str,
        prompt: str | Callable[[], str],
        rule: str,
        units: Iterable[int] = (),
        locations: Iterable[int] = (),
        buttons: Iterable[int] = (),
        top: bool = False,
        about: Iterable[int] = (),
        blocked: Iterable[int] = (),
        why_not: WhyNot | None = None,
        can_act: CanAct | None = None,
        maybe: Iterable[int] = (),
        at: Iterable[int] = (),
        combat: Any = None,
    ) -> Decision:
        """Return a decision. Units and locations may be dictionaries to hints; buttons are clicks, as `Rules.button` returns.
        `maybe` are clicks that are legal unless `why_not` refuses them, called for each when it is looked up.
        `blocked` are buttons that belong to the decision but are illegal now; `why_not` explains them. Raise ValueError for
        anything that is not a unit, location or button."""
        rules = self.rules
        legal: dict[int, Hint] = dict(units) if hasattr(units, "items") else dict.fromkeys(units)  # type: ignore[arg-type]
        if not legal.keys() <= rules.unit_clicks:
            raise ValueError(f"{sorted(legal.keys() - rules.unit_clicks)}: not units of {rules.id}, in {kind} ({rule})")
        if locations:
            click = rules.location_clicks
            try:
                if hasattr(locations, "items"):
                    legal.update({click[place]: hint for place, hint in locations.items()})
                else:
                    legal.update(dict.fromkeys(map(click.__getitem__, locations)))
            except KeyError as error:
                raise ValueError(f"{error}: not a location of {rules.id}, in {kind} ({rule})") from None
        shut = tuple(blocked)
        for button in (*(pressed := tuple(buttons)), *shut):
            if not rules.first_button <= button < len(rules.names):
                raise ValueError(f"{button!r}: not a button of {rules.id}, in {kind} ({rule})")
        legal.update(dict.fromkeys(pressed))
        decision = Decision(
            side, kind, prompt, rule, legal, top, tuple(about), shut, why_not, can_act, None, tuple(at), combat
        )  # fmt: skip
        if not maybe or why_not is None:
            return decision
        refuse = partial(why_not, self, decision)
        asked = Choices(legal, maybe, lambda click: refuse(click) is None)
        return Decision(
            side, kind, prompt, rule, asked, top, decision.about, shut, why_not, can_act, None, decision.at, combat
        )  # fmt: skip

    def location(self, click: int) -> int:
        """Return the location that a click names."""
        if not self.place0 <= click < self.rules.first_button:
            raise ValueError(f"{click!r}: not a click on a location")
        return click - self.place0

    def is_unit(self, click: int) -> bool:
        """Whether a click names a unit."""
        return 0 <= click < self.place0

    def table(self, name: str) -> Table:
        """Return one of the game's tables."""
        return self.rules.tables[name]

    def log(self, rule: str, text: str, to: int = EVERYONE, **data: Any) -> None:
        """Add an entry to the log. Gaps in the text are filled by name: `unit` and names beginning so are units, `hex`
        and `place` locations, `side` sides; everything else is printed as it is."""
        self.events.append(_event(Event, (self.number, rule, text, data, to, self.state.turn, self.phase, "")))

    def log_loss(self, rule: str, text: str, to: int = EVERYONE, **data: Any) -> None:
        """Log the loss of a unit."""
        self.events.append(Event(self.number, rule, text, data, to, self.state.turn, self.phase, LOSS))

    def reveal(self) -> None:
        """Record that hidden information was revealed: earlier moves can no longer be undone."""
        self.reveals += 1

    def end(self, winner: int, level: str, reason: str, rule: str) -> None:
        """End the game; the phase should return."""
        self.state.result = Result(winner, level, reason, rule)
        name = "draw" if winner == NOWHERE else f"{self.rules.sides[winner]} victory"
        words = f"{level} {name}".strip()
        self.log(rule, "{words}: {reason}", words=words[0].upper() + words[1:], reason=reason)

    def seen_by(self, side: int) -> Game[S]:
        """Return the game as one side may know it, or as both may (EVERYONE), for previews and explanations. Its state
        and dice are copies."""
        seen = self.state
        for viewer in range(len(self.rules.sides)) if side == EVERYONE else (side,):
            seen = self.rules.conceal(seen, viewer)
        return self.with_state(seen.copy() if seen is self.state else seen)

    def with_state(self, state: S) -> Game[S]:
        """Return the same game in another state, with dice that never roll, for hypotheses."""
        game = Game(self.rules, self.scenario, self.options, state, Dice())
        game.dice.on_roll = None  # no callback: these dice never roll, and it would create a reference cycle
        return game

    def units_in(self, place: int) -> list[int]:
        """Return the units in a location."""
        where = self.state.where
        if place == NOWHERE:
            return [unit for unit, location in enumerate(where) if location == NOWHERE]
        found: list[int] = []
        for side in range(len(where.versions)):
            found += where.stacks(side).get(place, ())
        return sorted(found)

    def has(self, unit: int, flag: str) -> bool:
        """Whether a unit has a flag."""
        return bool(self.state.flags[unit] & self.rules.flag[flag])

    def set_flag(self, unit: int, flag: str) -> None:
        """Set a flag of a unit."""
        self.state.flags[unit] |= self.rules.flag[flag]

    def clear_flag(self, unit: int, flag: str) -> None:
        """Clear a flag of a unit."""
        self.state.flags[unit] &= ~self.rules.flag[flag]

    def clear_flags(self, units: Iterable[int], flags: int) -> None:
        """Clear flags, as bits, of units. Units without them cost little."""
        marks = self.state.flags
        if isinstance(marks, UnitFlags):
            marks.clear_from(units, flags)
            return
        for unit in [unit for unit in units if marks[unit] & flags]:
            marks[unit] &= ~flags

    def _rolled(self, roll: Roll) -> None:
        self.rolls.append((self.number, roll.sides, roll.value))
        data = {"purpose": roll.purpose, "value": roll.value}
        self.events.append(
            _event(Event, (self.number, roll.rule, ROLLED, data, roll.to, self.state.turn, self.phase, ""))
        )

    def text(self, event: Event) -> str:
        """Return an event in words. A gap that nothing fills stays as it is."""
        names = _Gaps()
        try:
            for key, value in event.data.items():
                names[key] = self._name(key, value) if type(value) is int else value
            return event.text.format_map(names)
        except (ValueError, TypeError, LookupError, AttributeError):
            return event.text

    def _name(self, key: str, value: int) -> Any:
        rules = self.rules
        if key.startswith("unit"):
            return rules.names[value] if self.is_unit(value) else value
        if key.startswith(("hex", "place")):
            return self.board.names[value] if value >= 0 else "off the map"
        if key.startswith("side"):
            return rules.sides[value] if value >= 0 else "both sides"
        return value


class _Gaps(dict[str, Any]):
    """Values for the gaps of a text; other gaps stay."""

    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"
