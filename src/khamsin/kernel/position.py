"""Position files: any situation in a few lines of TOML, for tests, bug reports, puzzles and the command line.

```toml
khamsin = 1
game = "paa"
scenario = "campaign"
turn = 6
phase = "axis combat"
seed = 7                     # of the dice; optional
[options]                    # of the scenario, where not the first
c2 = "roll per hex"
[units]                      # hex or box = units by name, with [states] where one is not as printed
"1508" = ["DE 104/IREGT", "DE 5/1/ABN [oos, steps 1]"]
[control]                    # every map of owners: side = locations
axis = ["0702", "1925"]
[state]                      # the game's other figures, where not as at the start
malta = 2
```
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.dice import DiceError, KeyedDice
from khamsin.kernel.hexes import UnknownHex
from khamsin.kernel.match import Match
from khamsin.kernel.pieces import State
from khamsin.kernel.record import Find
from khamsin.kernel.rules import Game, Rules

FORMAT = 1
PLAIN = ("khamsin", "game", "scenario", "turn", "phase", "seed", "options", "units", "state")
UNIT = re.compile(r"(?P<name>[^\[\]]+?)\s*(?:\[(?P<states>[^\[\]]*)\])?")


class PositionError(ValueError):
    """A position that cannot be read: names the file, the line and what was expected."""

    def __init__(self, file: str, line: int, expected: str) -> None:
        super().__init__(f"{file}:{line}: {expected}")
        self.file = file
        self.line = line
        self.expected = expected


def read(text: str, find: Find, file: str = "position") -> Match[Any]:
    """The match that stands as a position says, with its present phase asking."""
    return _Reader(text, find, file).match()


def load(file: Path, find: Find) -> Match[Any]:
    """Read a position file."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise PositionError(str(file), 0, f"expected a readable file: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PositionError(str(file), 0, "expected text in UTF-8") from None
    return read(text, find, str(file))


class _Reader:
    """Reads one position; every complaint names the line that holds the words it is about."""

    def __init__(self, text: str, find: Find, file: str) -> None:
        self.text = text
        self.find = find
        self.file = file

    def wrong(self, expected: str, *words: str) -> PositionError:
        """A complaint about the first line that holds all these words."""
        for number, line in enumerate(self.text.splitlines(), 1):
            if words and all(word in line for word in words):
                return PositionError(self.file, number, expected)
        return PositionError(self.file, 1, expected)

    def match(self) -> Match[Any]:
        """The whole position."""
        data = self.toml()
        rules = self.rules(data)
        known = {*PLAIN, *rules.state.OWNERS, *rules.state.TALLIES}
        for key in data:
            if key not in known:
                raise self.wrong(f"expected one of {', '.join(sorted(known))}, not {key!r}", key)
        game = self.game(data, rules)
        self.place_units(self.mapping(data, "units"), game)
        self.set_owners(data, game)
        self.set_figures(data, game)
        trouble = rules.impossible(game)
        if trouble:
            hexes = [word for word in re.findall(r"[\w.]+", trouble) if word in rules.board]
            raise self.wrong(f"expected a position that play can reach: {trouble}", *(f'"{h}"' for h in hexes[:1]))
        try:
            match = Match.at(game)
        except DiceError as error:
            raise self.wrong(f"expected a position that asks something: {error}", "phase") from None
        return match

    def toml(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            line = re.search(r"line (\d+)", str(error))
            number = int(line[1]) if line else len(self.text.splitlines())
            raise PositionError(self.file, number, f"expected TOML: {error}") from None
        except RecursionError:
            raise PositionError(self.file, 1, "expected TOML: nested too deep") from None

    def rules(self, data: Mapping[str, Any]) -> Rules[Any]:
        if data.get("khamsin", FORMAT) != FORMAT:
            raise self.wrong(f"expected format {FORMAT}, not {data['khamsin']!r}", "khamsin")
        for key in ("game", "scenario", "phase"):
            if not isinstance(data.get(key), str):
                raise self.wrong(f"expected {key} = a text", key)
        try:
            return self.find(data["game"])
        except ValueError as error:
            raise self.wrong(f"expected a game that exists: {error}", "game") from None

    def game(self, data: Mapping[str, Any], rules: Rules[Any]) -> Game[Any]:
        try:
            scenario = rules.scenario(data["scenario"])
        except ValueError as error:
            raise self.wrong(f"expected a scenario: {error}", "scenario") from None
        try:
            options = scenario.choose(self.mapping(data, "options"))
        except (ValueError, TypeError) as error:
            raise self.wrong(f"expected options of the scenario: {error}", "options") from None
        seed = data.get("seed", 0)
        if type(seed) is not int:
            raise self.wrong("expected seed = a whole number", "seed")
        game = Game(rules, scenario, options, rules.blank(), KeyedDice.seeded(seed))
        turn = data.get("turn", 1)
        if type(turn) is not int or turn < 0:
            raise self.wrong("expected turn = a whole number", "turn")
        game.state.turn = turn
        phases = [phase.name for phase in rules.phases(game.state)]
        if data["phase"] not in phases:
            raise self.wrong(f"expected a phase of {', '.join(phases)}, not {data['phase']!r}", "phase")
        game.state.phase = phases.index(data["phase"])
        return game

    def mapping(self, data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        value = data.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(f"expected a table [{key}]", key)
        return value

    def location(self, rules: Rules[Any], name: str) -> int:
        try:
            return rules.board[name]
        except UnknownHex as error:
            raise self.wrong(f"expected a hex or box: {error}", name) from None

    def place_units(self, units: Mapping[str, Any], game: Game[Any]) -> None:
        rules, state = game.rules, game.state
        seen: dict[str, str] = {}
        for name, listed in units.items():
            place = self.location(rules, name)
            if not isinstance(listed, list):
                raise self.wrong(f"expected a list of units in {name}", name)
            for text in listed:
                found = UNIT.fullmatch(text) if isinstance(text, str) else None
                click = rules.click.get(found["name"], -1) if found else -1
                if found is None or not 0 <= click < rules.units:
                    raise self.wrong(f"expected a unit of {rules.title}, not {text!r}", str(text))
                if found["name"] in seen:
                    raise self.wrong(
                        f"expected each unit once, and {found['name']} is in {seen[found['name']]} too",
                        name,
                        found["name"],
                    )
                seen[found["name"]] = name
                state.where[click] = place
                for word in filter(None, (word.strip() for word in (found["states"] or "").split(","))):
                    self.set_state(rules, state, click, word, text)

    def set_state(self, rules: Rules[Any], state: State, unit: int, word: str, text: str) -> None:
        """One word of a unit's brackets: a flag, or a column and its number."""
        if word in rules.flag:
            state.flags[unit] |= rules.flag[word]
            return
        column, _, number = word.rpartition(" ")
        columns = [name for name in state.COLUMNS if name not in ("where", "flags")]
        if column not in columns or not re.fullmatch(r"-?\d{1,6}", number):
            flags = ", ".join(rules.flags)
            raise self.wrong(f"expected a state of {flags}, or {' N, '.join(columns)} N, not {word!r}", text)
        getattr(state, column)[unit] = int(number)

    def set_owners(self, data: Mapping[str, Any], game: Game[Any]) -> None:
        rules = game.rules
        for name in rules.state.OWNERS:
            owners = getattr(game.state, name)
            for side, places in self.mapping(data, name).items():
                try:
                    number = rules.side(side)
                except ValueError as error:
                    raise self.wrong(f"expected a side: {error}", side) from None
                if not isinstance(places, list):
                    raise self.wrong(f"expected a list of hexes for {side}", side)
                for place in places:
                    location = self.location(rules, place if isinstance(place, str) else repr(place))
                    if location in owners:
                        raise self.wrong(f"expected each hex under one side, and {place} stands twice", place)
                    owners[location] = number

    def set_figures(self, data: Mapping[str, Any], game: Game[Any]) -> None:
        state = game.state
        for name, value in self.mapping(data, "state").items():
            if name not in state.SCALARS or name in ("turn", "phase"):
                names = ", ".join(n for n in state.SCALARS if n not in ("turn", "phase"))
                raise self.wrong(f"expected a figure of {names or 'none'}, not {name!r}", name)
            if type(value) is not int:
                raise self.wrong(f"expected {name} = a whole number", name)
            setattr(state, name, value)
        for name in state.TALLIES:
            for key, value in self.mapping(data, name).items():
                if type(value) is not int:
                    raise self.wrong(f"expected {key} = a whole number", key)
                getattr(state, name)[key] = value


def write(match: Match[Any], seed: int | None = None) -> str:
    """The position of a match, at its last top-level question."""
    rules, game = match.rules, match.game
    state = match.standing()
    blank = rules.blank()
    phases = rules.phases(state)
    lines = [
        f"khamsin = {FORMAT}",
        f'game = "{rules.id}"',
        f'scenario = "{game.scenario.name}"',
        f"turn = {state.turn}",
        f'phase = "{phases[min(state.phase, len(phases) - 1)].name}"',
    ]
    if seed is not None:
        lines.append(f"seed = {seed}")
    changed = {k: v for k, v in game.options.items() if v != game.scenario.options[k][0]}
    if changed:
        lines += ["[options]", *(f"{_key(k)} = {_text(v)}" for k, v in changed.items())]
    lines.append("[units]")
    places: dict[int, list[str]] = {}
    for unit, where in enumerate(state.where):
        if where != NOWHERE:
            places.setdefault(where, []).append(_unit(rules, state, blank, unit))
    for place, units in sorted(places.items()):
        lines.append(f"{_text(rules.board.name(place))} = [{', '.join(_text(unit) for unit in units)}]")
    for name in state.OWNERS:
        by_side: dict[int, list[str]] = {}
        for place, side in sorted(getattr(state, name).items()):
            by_side.setdefault(side, []).append(_text(rules.board.name(place)))
        if by_side:
            lines.append(f"[{name}]")
            lines += [f"{_key(rules.sides[side].lower())} = [{', '.join(p)}]" for side, p in sorted(by_side.items())]
    figures = {
        name: getattr(state, name)
        for name in state.SCALARS
        if name not in ("turn", "phase") and getattr(state, name) != getattr(blank, name)
    }
    if figures:
        lines += ["[state]", *(f"{_key(k)} = {v}" for k, v in figures.items())]
    for name in state.TALLIES:
        tally = getattr(state, name)
        if tally:
            lines += [f"[{name}]", *(f"{_key(str(k))} = {v}" for k, v in sorted(tally.items()))]
    return "\n".join(lines) + "\n"


def _unit(rules: Rules[Any], state: State, blank: State, unit: int) -> str:
    states = [flag for flag, bit in rules.flag.items() if state.flags[unit] & bit]
    for name in state.COLUMNS:
        if name not in ("where", "flags") and getattr(state, name)[unit] != getattr(blank, name)[unit]:
            states.append(f"{name} {getattr(state, name)[unit]}")
    name = rules.counters[unit].name
    return f"{name} [{', '.join(states)}]" if states else name


def _text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _key(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else _text(text)
