"""Shared display functions: texts, badges, captions, dates, layers over the map, threat, path preview, combat sheets.

A game passes its functions and the texts of its `data/display.toml`. Nothing here decides anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from khamsin.kernel import data as files
from khamsin.kernel.board import NOWHERE, Board
from khamsin.kernel.display import (
    Arrival,
    Badge,
    GlossaryTerm,
    Layer,
    LayerLine,
    Note,
    Objective,
    Sheet,
    SheetOption,
    Spot,
    Step,
)
from khamsin.kernel.pieces import Counter
from khamsin.kernel.rules import EVERYONE, Decision, Game, Odds
from khamsin.mechanics import combats
from khamsin.mechanics.combats import Combat, Declaration

G = Game[Any]
Make = Callable[[Any, int], Layer]
"""Make a layer for a viewer."""


# Texts and names


class Texts:
    """The texts of a game's `data/display.toml`, or given as a table, and the names of its locations, units and sides."""

    def __init__(self, given: Path | dict[str, Any], board: Board, counters: Sequence[Counter]) -> None:
        self.table: dict[str, Any] = files.read(given) if isinstance(given, Path) else given
        self.board = board
        self.counters = counters
        self.titles = {place.hex: place.name for place in sorted(board.places, key=lambda place: -place.rank)}
        """The greatest named place of each hex that has one."""

    def people(self, side: int) -> str:
        """Return a side as a people: "Axis", "Allies", "nobody"."""
        return "nobody" if side == NOWHERE else str(self.table["sides"]["people"][side])

    def the(self, side: int) -> str:
        """Return a side as a people with its article: "the Axis", "nobody"."""
        return self.people(side) if side == NOWHERE else f"the {self.people(side)}"

    def called(self, location: int) -> str:
        """Return a hex by its place and number, a box by its name.

        A hex without a named place is its number alone.
        """
        number = self.board.name(location)
        return f"{self.titles[location]} ({number})" if location in self.titles else number

    def held_by(self, holder: Callable[[Any, int], int]) -> Callable[[Any, int], str]:
        """Return a function that names the holder of a hex, from one that finds the holder."""
        return lambda g, hex: f"{self.called(hex)} is held by {self.the(holder(g, hex))}"

    def cuts(self, g: G, units: Iterable[int], reason: str, rule: str) -> list[Cut]:
        """Return units out of supply, by hex, with the reason."""
        found: dict[int, list[int]] = {}
        for unit in units:
            found.setdefault(g.state.where[unit], []).append(unit)
        return [
            Cut(hex, f"{self.listed(there)} in {self.called(hex)}: {reason}", rule)
            for hex, there in sorted(found.items())
        ]

    def listed(self, units: Sequence[int], most: int = 2) -> str:
        """Return the names of the first units, and the number of others."""
        more = f" and {len(units) - most} more" if len(units) > most else ""
        return ", ".join(self.counters[unit].name for unit in units[:most]) + more

    def full(self, counter: Counter) -> str:
        """Return the full name of a counter: the `text` of the first `[[full]]` of the file whose `name` matches the
        whole short name and whose other keys equal the counter's. Groups of the match fill its gaps, as do the
        counter's nation and parent (in words, from `[nations]` and `[parents]`), symbol and size. Words of a group are
        replaced by those of `[words]`. `{number:th}` is an ordinal, `{number:roman}` a Roman number, `{size:title}` has
        capitals. A counter without a match keeps its short name."""
        own = {"nation": counter.nation, "symbol": counter.symbol, "size": counter.size, "parent": counter.parent}
        for row in self.table.get("full", ()):
            found = re.fullmatch(row["name"], counter.name)
            if found and all(row[key] == own[key] for key in own if key in row):
                parent = self.table.get("parents", {}).get(counter.parent, counter.parent)
                words = {"nation": self.table.get("nations", {}).get(counter.nation, ""), "parent": parent}
                gaps = own | words | {key: self.spelled_out(group or "") for key, group in found.groupdict().items()}
                text = str(row["text"]).format_map({key: _Word(value or "") for key, value in gaps.items()})
                return " ".join(text.split())
        return counter.name

    def spelled_out(self, text: str) -> str:
        """Return a text with its abbreviations replaced by `[words]` of the file."""
        known = self.table.get("words", {})
        return " ".join([known.get(word, word) for word in text.split()])

    def printed(self, counter: Counter) -> dict[str, str]:
        """Return the printed values of a counter, by `[printed]` of the file: title -> text with the factors as gaps. A
        line is left out if the counter has none of its factors, or only zeros. `[values]` has words for the values of a
        factor."""
        values = self.table.get("values", {})
        words = {name: values[name][value] if name in values else value for name, value in counter.factors.items()}
        lines = {}
        for title, text in self.table["printed"].items():
            gaps = re.findall(r"{([^}]*)}", text)
            if all(gap in words for gap in gaps) and any(counter.factors[gap] for gap in gaps):
                lines[title] = text.format_map(words)
        return lines

    def badge(self, word: str, **gaps: Any) -> Badge:
        """Return the badge of a word, its gaps filled."""
        texts = self.table["badge"][word]
        return Badge(texts["mark"].format(**gaps), texts["text"].format(**gaps), texts["rule"], texts["tone"])

    def flag_badges(self, flags: Sequence[str], but: Sequence[str] = ()) -> Callable[[int], tuple[Badge, ...]]:
        """Return a function that gives the badges of a unit's flags, except some flags."""
        shown = [(1 << bit, self.badge(flag)) for bit, flag in enumerate(flags) if flag not in but]

        @lru_cache(maxsize=1024)
        def badges(bits: int) -> tuple[Badge, ...]:
            return tuple(badge for bit, badge in shown if bits & bit)

        return badges

    def caption(self, decision: Decision, button: str, variant: str = "", **gaps: Any) -> str:
        """Return the text of a button: of a variant if given, else for the decision's kind, or for a kind above it
        (`combat.advance` for `combat.advance.to`), else the text for `any` kind."""
        texts = self.table["caption"][button]
        key = variant or decision.kind
        while key not in texts:
            key = key.rpartition(".")[0] or "any"
        return str(texts[key]).format(**gaps)

    def warnings(self, g: G, decision: Decision) -> dict[int, str]:
        """Return what a click of a decision gives up, by the texts `warning` of its kind: `units` for every legal unit, `hexes`
        for every legal hex, else by button. The gaps `{unit}` and `{hex}` are filled."""
        texts = self.table.get("warning", {}).get(decision.kind, {})
        if not texts.keys() & {"units", "hexes"}:
            named = {g.rules.button(name): text for name, text in texts.items()}
            return {click: text for click, text in named.items() if click in decision.listed()}
        found: dict[int, str] = {}
        for click in decision.listed():
            if click >= g.rules.first_button:
                text = texts.get(g.rules.names[click], "")
            elif g.is_unit(click):
                text = texts.get("units", "").format(unit=g.rules.names[click], hex=self.called(g.state.where[click]))
            else:
                text = texts.get("hexes", "").format(hex=self.called(g.location(click)))
            if text:
                found[click] = text
        return found

    def overfull(self, g: G, decision: Decision, hexes: Iterable[int], effect: str) -> dict[int, str]:
        """Return `warnings`, and for `done`, if it is legal, one that names the hexes that are too full to end a phase with."""
        texts, done = [f"Too many units in {self.called(hex)}: {effect}" for hex in hexes], g.rules.button("done")
        return self.warnings(g, decision) | ({done: "; ".join(texts)} if texts and done in decision.legal else {})

    def sheet(
        self,
        title: str,
        attackers: Sequence[int],
        targets: Sequence[int],
        odds: Odds,
        options: Iterable[SheetOption] = (),
    ) -> Sheet:
        """Return the sheet of a combat, its title followed by the hexes attacked. Options that change nothing are left out."""
        where = ", ".join(self.called(hex) for hex in targets)
        further = tuple(option for option in options if _differs(option.odds, odds))
        return Sheet(f"{title}: {where}", tuple(attackers), tuple(targets), odds, further)


def _differs(one: Odds, other: Odds) -> bool:
    return one.column != other.column or one.outcomes != other.outcomes


class _Word(str):
    """A word or number in a full name."""

    def __format__(self, form: str) -> str:
        if form == "th":
            return ordinal(int(self))
        if form == "title":
            return self.title()
        return roman(int(self)) if form == "roman" else super().__format__(form)


def ordinal(number: int) -> str:
    """Return an ordinal.

    >>> [ordinal(number) for number in (1, 2, 3, 11, 22, 113)]
    ['1st', '2nd', '3rd', '11th', '22nd', '113th']
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"


def roman(number: int) -> str:
    """Return a Roman number up to 39.

    >>> [roman(number) for number in (1, 4, 9, 14, 36)]
    ['I', 'IV', 'IX', 'XIV', 'XXXVI']
    """
    ones = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
    return "X" * (number // 10) + ones[number % 10]


def glossary(file: Path) -> tuple[GlossaryTerm, ...]:
    """Return the terms of a game's `data/glossary.toml`: `[[term]]` with `term`, `text`, `rule` and other `forms`."""
    return tuple(
        GlossaryTerm(row["term"], row["text"], row["rule"], tuple(row.get("forms", ())))
        for row in files.read(file)["term"]
    )


# The calendar


def months(year: int, month: int, turns: int) -> tuple[str, ...]:
    """Return the month of each turn: "April 1941".

    >>> months(1941, 12, 2)
    ('December 1941', 'January 1942')
    """
    numbers = range(month - 1, month - 1 + turns)
    return tuple(f"{date(year + number // 12, number % 12 + 1, 1):%B %Y}" for number in numbers)


@lru_cache(maxsize=16)
def half_days(first: date, turns: int) -> tuple[str, ...]:
    """Return the morning or afternoon of each turn: "14 Feb 1943 AM"."""
    days = (first + timedelta(days=turn // 2) for turn in range(turns))
    return tuple(f"{day.day} {day:%b %Y} {'PM' if turn % 2 else 'AM'}" for turn, day in enumerate(days))


def scenario_turns(dates: Sequence[str], first: int, last: int) -> tuple[str, ...]:
    """Return the dates of all turns up to the last of a scenario; those before its first are empty.

    >>> scenario_turns(["June", "July", "August", "September"], 2, 3)
    ('', 'July', 'August')
    """
    return tuple([date if turn >= first else "" for turn, date in enumerate(dates[:last], 1)])


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number of things: "1 unit", "2 units"."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def arrival(
    turn: int, side: int, text: str, units: Sequence[int], rule: str, count: Callable[[Sequence[int]], str]
) -> Iterator[Arrival]:
    """Yield an entry of the calendar for units, with their count; nothing if there are none."""
    if units:
        yield Arrival(turn, side, f"{text}: {count(units)}", tuple(units), rule)


# The path preview


Steps = Callable[[Any, Decision], Mapping[int, Step]]
"""Return steps of a decision's path preview."""


def path_preview(
    g: G,
    decision: Decision,
    single: Sequence[str] = (),
    overland: Mapping[str, Steps] | None = None,
    beside: Steps = lambda g, decision: {},
) -> Mapping[int, Step]:
    """Return the path to each location that the stack of a decision reaches. It is taken from the reach of the
    decision, else from `overland` by its kind; at the kinds in `single` every legal hex is one step away.

    A legal location outside the reach, such as an overrun or a minimum move, has the step that `beside` gives. Without
    it the location is one step away, at the price that its hint names, or for all points left.
    """
    if not decision.about:
        return {}
    here, first, legal = g.state.where[decision.about[0]], g.place0, decision.listed()
    locations = (click - first for click in legal if first <= click < g.rules.first_button)
    if decision.reach is not None:
        left = decision.reach.way.left
        steps = {at: step if step.before != NOWHERE else step._replace(before=here)
                 for at, step in decision.reach.steps().items()}  # fmt: skip
        steps.update(beside(g, decision))
        for location in locations:
            if location not in steps:
                price = min(left, _price(legal[first + location], left, g.rules.display.parts))
                steps[location] = Step(price, left - price, here)
        return steps
    if overland and decision.kind in overland:
        return overland[decision.kind](g, decision)
    return {at: Step(0, 0, here) for at in locations if at < g.board.size} if decision.kind in single else {}


def in_turn(here: int, ways: Iterable[tuple[Mapping[int, Step], str]]) -> dict[int, Step]:
    """Return one path preview of several ways of moving, such as modes, each with its name. A location has the step of
    the first way that leads there.

    >>> walk, drive = {1: Step(4, 0, 0)}, {1: Step(1, 3, 0), 2: Step(2, 2, 1)}
    >>> in_turn(0, [(walk, "on foot"), (drive, "by truck")])[2]
    Step(cost=2, left=2, before=1, how='by truck', path=(0, 1))
    """
    found: dict[int, Step] = {}
    for steps, how in ways:
        first = {at: step for at, step in steps.items() if at not in found}
        for at, step in first.items():
            if not step.how:
                first[at] = step = step._replace(how=how)
            if step.before in found:
                first[at] = step._replace(path=_path(here, steps, step.before))
        found |= first
    return found


def _path(here: int, steps: Mapping[int, Step], last: int) -> tuple[int, ...]:
    """Return the path from a start to a location, both included."""
    found = [last]
    while found[-1] != here and found[-1] in steps:
        found.append(steps[found[-1]].before)
    return tuple(reversed(found))


def _price(hint: Any, left: int, parts: int) -> int:
    """Return the price in a hint, such as `{"overrun": 11}`, in parts of a point; all points left if it has none."""
    values = hint.values() if isinstance(hint, Mapping) else [hint]
    return next((value * parts for value in values if isinstance(value, int)), left)


# Layers


def viewed_sides(g: G, viewer: int) -> Sequence[int]:
    """Return the sides whose supply and plans a viewer is shown: its own, or all for a spectator."""
    return range(len(g.rules.sides)) if viewer == EVERYONE else (viewer,)


def tone(side: int, viewer: int) -> str:
    """Return the tone of a side for a viewer. A spectator sees the first side as hostile."""
    if side == NOWHERE:
        return "note"
    return "own" if side == viewer or (viewer == EVERYONE and side > 0) else "closed"


def merge(layers: Iterable[Layer]) -> Layer:
    """Return several layers as one."""
    all_ = list(layers)
    return Layer(
        tuple(spot for layer in all_ for spot in layer.spots),
        tuple(line for layer in all_ for line in layer.lines),
        tuple(note for layer in all_ for note in layer.notes),
    )


def each_side(make: Callable[[Any, int, int], Layer]) -> Make:
    """Return the layer made of `make(g, viewer, side)` for each side that the viewer is shown."""
    return lambda g, viewer: merge(make(g, viewer, side) for side in viewed_sides(g, viewer))


class Cut(NamedTuple):
    """Units out of supply: their hex, the reason, the line they would have, and the first hex that blocks it."""

    hex: int
    text: str
    rule: str
    line: Sequence[int] = ()
    barrier: int = NOWHERE


class SupplyState(NamedTuple):
    """The supply of a side: the hexes in supply, each line with its text, the units cut off, and labels of sources."""

    hexes: Iterable[int]
    lines: Iterable[tuple[Sequence[int], str]]
    cuts: Iterable[Cut]
    sources: Mapping[int, str] = {}


SUPPLY_LEGEND = {"supply": "In supply", "open": "In supply", "closed": "Cut off, or where the line is blocked"}
"""The meaning of the tones of a supply layer."""


def supply(trace: Callable[[Any, int], SupplyState]) -> Make:
    """Return the layer of supply: the hexes in supply, the lines, and what cuts off the others."""

    def of_side(g: G, viewer: int, side: int) -> Layer:
        # A spectator sees both sides at once, each in its tone.
        mine = "supply" if viewer != EVERYONE or side == 0 else "open"
        found = trace(g, side)
        cuts = list(found.cuts)
        spots = {hex: Spot(hex, mine) for hex in found.hexes}
        spots |= {hex: Spot(hex, mine, text) for hex, text in found.sources.items()}
        spots |= {cut.barrier: Spot(cut.barrier, "closed", "barred") for cut in cuts if cut.barrier != NOWHERE}
        spots |= {cut.hex: Spot(cut.hex, "closed", "cut off") for cut in cuts}
        lines = [LayerLine(tuple(line), mine, text) for line, text in found.lines]
        lines += [LayerLine(tuple(cut.line), "closed", cut.text) for cut in cuts if len(cut.line) > 1]
        return Layer(tuple(spots.values()), tuple(lines), tuple(Note(cut.text, cut.rule, cut.hex) for cut in cuts))

    return each_side(of_side)


def zones(
    exerted: Callable[[Any, int], Sequence[int]],
    side: int,
    labels: Callable[[Any, int], Mapping[int, str]] = lambda g, side: {},
) -> Make:
    """Return the layer of the hexes in which a side exerts its zones of control, one byte per hex."""

    def make(g: G, viewer: int) -> Layer:
        named, colour = labels(g, side), tone(side, viewer)
        held = (hex for hex, byte in enumerate(exerted(g, side)[: g.board.size]) if byte)
        return Layer(tuple(Spot(hex, colour, named.get(hex, "")) for hex in held))

    return make


def holders(texts: Texts, owners: Mapping[int, int], viewer: int) -> dict[int, Spot]:
    """Return a spot for each hex with a holder, labelled with its side."""
    return {hex: Spot(hex, tone(side, viewer), texts.people(side)) for hex, side in owners.items()}


def occupier(g: G, hex: int) -> int:
    """Return the side that occupies a hex, else the one that controls it by the state's `control`, if it has that; NOWHERE if
    none does."""
    where = g.state.where
    for side in range(len(g.rules.sides)):
        if hex in where.stacks(side):
            return side
    return g.state.control.get(hex, NOWHERE) if "control" in g.state.OWNERS else NOWHERE


def control(texts: Texts, exerted: Callable[[Any, int], Sequence[Any]], rule: str) -> Make:
    """Return the layer of control: the holders of the hexes in the state's `control`, and the hexes that units of one side
    alone occupy or reach with their ZOCs. Those of both sides have the tone "border"."""
    held_by = texts.held_by(occupier)

    def make(g: G, viewer: int) -> Layer:
        size, spots = g.board.size, dict[int, Spot]()
        both = [(exerted(g, side), g.state.where.stacks(side)) for side in range(len(g.rules.sides))]
        for hex in range(size):
            sides = [side for side, (zone, stacks) in enumerate(both) if zone[hex] or hex in stacks]
            if sides:
                spots[hex] = Spot(hex, "border" if len(sides) > 1 else tone(sides[0], viewer))
        held = {hex: side for hex, side in g.state.control.items() if hex < size}
        spots |= holders(texts, held, viewer)
        return Layer(tuple(spots.values()), (), tuple([Note(held_by(g, hex), rule, hex) for hex in sorted(held)]))

    return make


def objectives(shown: Callable[[Any, int], Iterable[Objective]], held_by: Callable[[Any, int], str]) -> Make:
    """Return the layer of the objectives, with their holders and values."""

    def make(g: G, viewer: int) -> Layer:
        found = list(shown(g, viewer))
        return Layer(
            tuple(Spot(each.place, tone(each.holder, viewer), each.title) for each in found),
            (),
            tuple(Note(f"{held_by(g, each.place)}. {each.text}", each.rule, each.place) for each in found),
        )

    return make


# Combats


DECLARING = ("combat.target", "combat.attackers")
"""The kinds of decision by which combats are declared."""
Judge = Callable[[G, int, Combat, str], Odds]
"""Return a viewer's odds of a combat, perhaps as a button would declare it."""


Further = Callable[[G, int, Combat, str], Iterable[SheetOption]]
"""Return a viewer's choices still to be made in a combat, perhaps as a button would declare it."""


def no_options(g: G, viewer: int, combat: Combat, button: str) -> Iterable[SheetOption]:
    """Return no options."""
    return ()


def by_rules(g: G, viewer: int, combat: Combat, button: str) -> Odds:
    """Return the odds of the game's rules, the same for every button."""
    assert g.rules.odds is not None
    return g.rules.odds(g, viewer, list(combat.units), list(combat.hexes))


def combat_sheets(
    texts: Texts,
    g: G,
    d: Declaration,
    decision: Decision,
    click: int,
    judge: Judge = by_rules,
    options: Further = no_options,
) -> Iterator[Sheet]:
    """Yield the sheets of the declared combats, and of the one being declared as a click would make it, with the units that
    could join it and the game's own options; none while no combat is being declared."""
    if decision.kind not in DECLARING:
        return
    then = drafted(g, d, decision, click)
    yield from declared_sheets(texts, g, decision.side, judge, but=then.number if then else 0)
    if then is not None and then.units:
        title = f"Combat {then.number}" if then.number else "This combat"
        button = g.rules.names[click] if click >= g.rules.first_button and click in decision.legal else ""
        joining = _joining(g, d, decision.side, then, button, judge) if g.state.draft is not None else ()
        more = (*joining, *options(g, decision.side, then, button))
        yield texts.sheet(title, then.units, then.hexes, judge(g, decision.side, then, button), more)


def _joining(g: G, d: Declaration, viewer: int, combat: Combat, button: str, judge: Judge) -> Iterator[SheetOption]:
    """Yield an option for each unit that can join a combat under declaration."""
    for unit in combats.further_units(g, d, combat):
        with_it = combat._replace(units=tuple(sorted((*combat.units, unit))))
        yield SheetOption(f"Add {g.rules.names[unit]}", d.rule, judge(g, viewer, with_it, button))


def drafted(g: G, d: Declaration, decision: Decision, click: int) -> Combat | None:
    """Return the combat being declared, as a legal click would make it. If none is, a click on a hex gives the combat
    that would begin there, or the declared one."""
    then: Combat | None = g.state.draft
    if click not in decision.legal or click >= g.rules.first_button:
        return then
    if then is not None:
        return combats.changed(g, d, then, click)
    number = combats.number_at(g, g.location(click))
    if number:
        return combats.declared(g, decision.side, number)
    return combats.begin(g, d, decision.side, g.location(click))


def declared_sheets(
    texts: Texts,
    g: G,
    viewer: int,
    judge: Judge = by_rules,
    but: int = 0,
    first: int = 0,
    stands: Callable[[Combat], bool] = lambda combat: True,
    options: Further = no_options,
) -> Iterator[Sheet]:
    """Yield the sheets of the declared combats not yet resolved, as a viewer knows them: except one, and one of them
    first."""
    numbers = combats.numbers(g)
    attacker = next((g.rules.counters[u].side for u, number in enumerate(g.state.battle) if number in numbers), NOWHERE)
    for number in sorted(numbers, key=lambda number: (number != first, number)):
        combat = combats.declared(g, attacker, number)
        if number != but and combat.units and stands(combat):
            further = options(g, viewer, combat, "")
            yield texts.sheet(f"Combat {number}", combat.units, combat.hexes, judge(g, viewer, combat, ""), further)


# The threat


class Striker(NamedTuple):
    """A unit that could attack: its strength, its stacking points, and a mask of the hexes it could attack."""

    strength: int
    room: int
    hexes: NDArray[np.bool_]


def entrances(sources: Sequence[Iterable[int]]) -> NDArray[np.int16]:
    """Return for each hex the hexes from which it can be attacked, in six columns filled with the number after the
    last."""
    size = len(sources)
    rows = [sorted(near) for near in sources]
    return np.array([[*near, *[size] * (6 - len(near))] for near in rows], dtype=np.int16)


def attackable(near: NDArray[np.bool_], entrances: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return a mask of the hexes that can be attacked from a mask of hexes."""
    padded = np.append(near, np.False_)
    found: NDArray[np.bool_] = np.any(padded[entrances], axis=1)
    return found


def striking(strikers: Iterable[Striker], room: NDArray[np.int_]) -> list[int]:
    """Return for each hex the strength that could attack it: the strongest units, up to the stacking limits around it."""
    total, taken = np.zeros(len(room), dtype=np.int32), np.zeros(len(room), dtype=np.int32)
    for unit in sorted(strikers, key=lambda unit: -unit.strength):
        fits = unit.hexes & (taken < room)
        total += fits * np.int32(unit.strength)
        taken += fits * np.int32(unit.room)
    return total.tolist()


def threat(texts: Texts, strike: Callable[[Any, int], Sequence[int]]) -> Make:
    """Return the layer of the strength that the other side could bring against each hex, as `strike(g, side)` counts
    it.

    Hexes that no land unit can enter, such as sea, have none.
    """

    def of_side(g: G, viewer: int, side: int) -> Layer:
        enemy = 1 - side
        before = f"{g.rules.sides[enemy]} " if viewer == EVERYONE else ""
        colour, words = tone(enemy, viewer), texts.table["threat"]
        able = ((hex, points) for hex, points in enumerate(strike(g, enemy)) if points and g.board.enterable(hex))
        spots = (Spot(hex, colour, f"{before}{points}") for hex, points in able)
        return Layer(tuple(spots), (), (Note(words["text"].format(people=texts.people(enemy)), words["rule"]),))

    return each_side(of_side)
