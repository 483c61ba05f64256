"""Position files: any situation in a few lines of TOML, for tests, bug reports, puzzles and the command line.

```toml
khamsin = 1
game = "paa"
scenario = "campaign"
turn = 6
phase = "axis combat"
seed = 7                     # of the dice; optional
[options]                    # of the scenario, where not the default
c2 = "roll per hex"
[units]                      # hex or box = units by name, with [states] where one is not as printed
"1508" = ["DE 104/IREGT", "DE 5/1/ABN [oos, steps 1]"]
nowhere = ["IT Brescia [oos]"]    # not in the game, but not as printed
[control]                    # every dictionary of owners: side = locations
axis = ["0702", "1925"]
[supply]                     # every dictionary of amounts: location = number
"0702" = 12
[state]                      # the game's other values, where not as at the start
malta = 2
[record.retreat]             # a procedure in progress
unit = "DE 104/IREGT"
[result]                     # of a game that is over
winner = "Axis"
level = "decisive"
reason = "Alexandria has fallen"
rule = "14.1"
```
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.dice import DiceError, KeyedDice
from khamsin.kernel.hexes import UnknownHex
from khamsin.kernel.match import Match
from khamsin.kernel.pieces import Result, State
from khamsin.kernel.rules import Find, Game, Rules
from khamsin.kernel.toml_lines import Toml, TomlError

FORMAT = 1
PLAIN = ("khamsin", "game", "scenario", "turn", "phase", "seed", "options", "units", "state", "record", "result")
ABSENT = "nowhere"
"""The key of units that are not in the game."""


class PositionError(ValueError):
    """A position that cannot be read: names the file, the line and what was expected."""

    def __init__(self, file: str, line: int, expected: str) -> None:
        super().__init__(f"{file}:{line}: {expected}")
        self.file = file
        self.line = line
        self.expected = expected


def read(text: str, find: Find, file: str = "position") -> Match[Any]:
    """Return the match of a position, at the next decision of its phase."""
    reader = _Reader(text, find, file)
    game = reader.game()
    try:
        return Match.at(game)
    except (DiceError, RuntimeError) as error:
        raise reader.wrong(f"expected a position with a decision to take: {error}", "phase") from None
    except (LookupError, TypeError, ValueError) as error:  # the state contradicts itself
        raise reader.wrong(f"expected a position that its phase can continue: {error!r}", "phase") from error


def read_game(text: str, find: Find, file: str = "position") -> Game[Any]:
    """Return the game of a position, before its phase runs."""
    return _Reader(text, find, file).game()


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
    """Reads one position; every error names its line."""

    def __init__(self, text: str, find: Find, file: str) -> None:
        self.find = find
        self.file = file
        try:
            self.toml = Toml(text)
        except TomlError as error:
            raise PositionError(file, error.line, f"expected TOML: {error.reason}") from None
        self.data = self.toml.data
        self.old: dict[str | int, str] = {}
        """Tables with an old name, by their present name."""

    def wrong(self, expected: str, *path: str | int) -> PositionError:
        """Return the error at a path of keys."""
        return PositionError(
            self.file, self.toml.line(*(self.old.get(key, key) for key in path[:1]), *path[1:]), expected
        )

    def game(self) -> Game[Any]:
        """Read the whole position."""
        rules = self.rules()
        known = {*PLAIN, *rules.state.OWNERS, *rules.state.AMOUNTS, *rules.state.TALLIES, *rules.old_tallies}
        for key in list(self.data):
            present = rules.present_name(key, known)
            if present and present not in known:
                raise self.wrong(f"expected one of {', '.join(sorted(known))}, not {key!r}", key)
            if present != key:
                self.old[present] = key
                self.data[present] = self.data.pop(key)
        game = self.blank(rules)
        self.place_units(game)
        self.set_owners(game)
        self.set_figures(game)
        self.set_records(game)
        self.set_result(game)
        self.set_phase(game)
        trouble = rules.find_fault(game)
        if trouble:
            hexes = [word for word in re.findall(r"[\w.]+", trouble) if word in rules.board]
            raise self.wrong(f"expected a position that play can reach: {trouble}", "units", *hexes[:1])
        return game

    def rules(self) -> Rules[Any]:
        data = self.data
        if data.get("khamsin", FORMAT) != FORMAT:
            raise self.wrong(f"expected format {FORMAT}, not {data['khamsin']!r}", "khamsin")
        for key in ("game", "scenario", "phase"):
            if not isinstance(data.get(key), str):
                raise self.wrong(f"expected {key} = a text", key)
        try:
            return self.find(data["game"])
        except ValueError as error:
            raise self.wrong(f"expected a game that exists: {error}", "game") from None

    def blank(self, rules: Rules[Any]) -> Game[Any]:
        """Return the game with its scenario, options, seed and turn, every unit as printed and nowhere."""
        try:
            scenario = rules.scenario(self.data["scenario"])
        except ValueError as error:
            raise self.wrong(f"expected a scenario: {error}", "scenario") from None
        options = {}
        for name, value in self.mapping("options").items():
            try:
                options.update(chosen := rules.present_options(scenario, {name: value}))
                scenario.choose(chosen)
            except ValueError as error:
                raise self.wrong(f"expected options of the scenario: {error}", "options", name) from None
        game = Game(
            rules, scenario, scenario.choose(options), rules.new_state(), KeyedDice.seeded(self.number("seed", 0))
        )
        game.state.turn = self.number("turn", 1)
        if game.state.turn < 0:
            raise self.wrong("expected turn = a whole number", "turn")
        return game

    def number(self, key: str, default: int) -> int:
        value = self.data.get(key, default)
        if type(value) is not int:
            raise self.wrong(f"expected {key} = a whole number", key)
        return value

    def mapping(self, key: str) -> Mapping[str, Any]:
        value = self.data.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(f"expected a table [{key}]", key)
        return value

    def location(self, rules: Rules[Any], name: str, *path: str | int) -> int:
        try:
            return rules.board[rules.present_name(name, rules.board)]
        except UnknownHex as error:
            raise self.wrong(f"expected a hex or box: {error}", *path) from None

    def place_units(self, game: Game[Any]) -> None:
        rules, state = game.rules, game.state
        seen: dict[str, str] = {}
        for place, listed in self.mapping("units").items():
            where = NOWHERE if place == ABSENT else self.location(rules, place, "units", place)
            if not isinstance(listed, list):
                raise self.wrong(f"expected a list of units in {place}", "units", place)
            for number, text in enumerate(listed):
                path = ("units", place, number)
                name, bracket, states = text.partition("[") if isinstance(text, str) else ("", "", "")
                name = rules.present_name(name.rstrip(), rules.click)
                unit = rules.click.get(name, -1)
                if not game.is_unit(unit) or (bracket and not states.endswith("]")):
                    raise self.wrong(f"expected a unit of {rules.title}, not {text!r}", *path)
                if name in seen:
                    raise self.wrong(f"expected each unit once, and {name} is in {seen[name]} too", *path)
                seen[name] = place
                state.where[unit] = where
                for word in filter(None, (word.strip() for word in states.removesuffix("]").split(","))):
                    self.set_state(rules, state, unit, word, *path)

    def set_state(self, rules: Rules[Any], state: State, unit: int, word: str, *path: str | int) -> None:
        """Set the state that a word in a unit's brackets names: a flag, or a column and its number."""
        columns = [name for name in state.COLUMNS if name not in ("where", "flags")]
        column, _, number = word.rpartition(" ")
        flag, column = rules.present_name(word, rules.flag), rules.present_name(column, columns)
        if flag in rules.flag:
            state.flags[unit] |= rules.flag[flag]
            return
        if not flag or (number != word and not column):
            return
        if column not in columns or not re.fullmatch(r"-?[0-9]{1,6}", number):
            flags = ", ".join(rules.flags)
            raise self.wrong(f"expected a state of {flags}, or {' N, '.join(columns)} N, not {word!r}", *path)
        most = rules.counters[unit].steps
        if column == "steps" and not 0 <= int(number) <= most:
            raise self.wrong(f"expected steps from 0 to {most}, not {number}", *path)
        getattr(state, column)[unit] = int(number)

    def set_owners(self, game: Game[Any]) -> None:
        rules = game.rules
        for name in rules.state.OWNERS:
            owners = getattr(game.state, name)
            for side, places in self.mapping(name).items():
                try:
                    owner = rules.side(side)
                except ValueError as error:
                    raise self.wrong(f"expected a side: {error}", name, side) from None
                if not isinstance(places, list):
                    raise self.wrong(f"expected a list of hexes for {side}", name, side)
                for number, place in enumerate(places):
                    path = (name, side, number)
                    location = self.location(rules, place if isinstance(place, str) else repr(place), *path)
                    if location in owners:
                        raise self.wrong(f"expected each hex under one side, and {place} appears twice", *path)
                    owners[location] = owner

    def set_figures(self, game: Game[Any]) -> None:
        state = game.state
        figures = [name for name in state.SCALARS if name not in ("turn", "phase")]
        for name in self.mapping("state"):
            present = game.rules.present_name(name, figures)
            if present and present not in figures:
                raise self.wrong(f"expected a value of {', '.join(figures) or 'none'}, not {name!r}", "state", name)
        tallies = {*state.TALLIES, *game.rules.old_tallies}
        for table in ("state", *state.AMOUNTS, *sorted(tallies)):
            for key, value in self.mapping(table).items():
                if type(value) is not int:
                    raise self.wrong(f"expected {key} = a whole number", table, key)
                if table == "state":
                    present = game.rules.present_name(key, figures)
                    values = state.RANGES.get(present)
                    if values is not None and value not in values:
                        raise self.wrong(f"expected {key} from {values[0]} to {values[-1]}, not {value}", table, key)
                    if present:
                        setattr(state, present, value)
                elif table in tallies:
                    tally, _, present = game.rules.present_name(f"{table}.{key}").partition(".")
                    if tally == "state":
                        setattr(state, present, value)
                    elif tally in state.TALLIES:
                        getattr(state, tally)[present] = value
                    elif tally:
                        raise self.wrong(f"expected no {key!r}: {table} is no longer part of a position", table, key)
                else:
                    getattr(state, table)[self.location(game.rules, key, table, key)] = value

    def set_records(self, game: Game[Any]) -> None:
        known = game.state.RECORDS
        for name, given in self.mapping("record").items():
            present = game.rules.present_name(name, known)
            if present and present not in known:
                raise self.wrong(f"expected a record of {', '.join(known) or 'none'}, not {name!r}", "record", name)
            if not isinstance(given, dict):
                raise self.wrong(f"expected a table [record.{name}]", "record", name)
            try:
                if present:
                    setattr(game.state, present, game.rules.record(present, given))
            except ValueError as error:
                raise self.wrong(str(error), "record", name) from None

    def set_result(self, game: Game[Any]) -> None:
        given = self.mapping("result")
        if not given:
            return
        if given.keys() != set(Result._fields) or not all(isinstance(value, str) for value in given.values()):
            raise self.wrong(f"expected the result to have texts for {', '.join(Result._fields)}", "result")
        try:
            winner = game.rules.side(given["winner"]) if given["winner"] else NOWHERE
        except ValueError as error:
            raise self.wrong(f"expected a side: {error}", "result", "winner") from None
        game.state.result = Result(winner, given["level"], given["reason"], given["rule"])

    def set_phase(self, game: Game[Any]) -> None:
        """Set the phase. The state must be set first, since the order of phases may depend on it."""
        try:
            names = phase_names(game.rules, game.state)
        except ValueError as error:
            raise self.wrong(str(error), "phase") from None
        phase = game.rules.present_name(self.data["phase"], names)
        if phase not in names:
            raise self.wrong(f"expected a phase of {', '.join(names)}, not {self.data['phase']!r}", "phase")
        game.state.phase = names.index(phase)


def phase_names(rules: Rules[Any], state: State) -> list[str]:
    """Return the names of the phases of the present turn, which must differ."""
    names = [phase.name for phase in rules.phases(state)]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"expected phases of different names, and {rules.title} has two of {name!r}")
    return names


def write(match: Match[Any], seed: int | None = None) -> str:
    """Return the position of a match, at its last top-level decision."""
    return write_game(match.game, match.top_level_state(), seed)


def write_game(game: Game[Any], state: State, seed: int | None = None) -> str:
    """Return the position of a game in any state."""
    rules = game.rules
    blank = rules.new_state()
    phases = phase_names(rules, state)
    if state.phase >= len(phases):
        state = state.copy()
        state.turn, state.phase = state.turn + 1, 0
        phases = phase_names(rules, state)
    lines = [
        f"khamsin = {FORMAT}",
        f"game = {_text(rules.id)}",
        f"scenario = {_text(game.scenario.name)}",
        f"turn = {state.turn}",
        f"phase = {_text(phases[state.phase])}",
    ]
    if seed is not None:
        lines.append(f"seed = {seed}")
    changed = {k: v for k, v in game.options.items() if v != game.scenario.options[k][0]}
    if changed:
        lines += ["[options]", *(f"{_key(k)} = {_text(v)}" for k, v in changed.items())]
    lines.append("[units]")
    places: dict[int, list[str]] = {}
    for unit, where in enumerate(state.where):
        text = _unit(rules, state, blank, unit)
        if where != NOWHERE or text != rules.names[unit]:
            places.setdefault(where, []).append(_text(text))
    for place, units in sorted(places.items()):
        name = ABSENT if place == NOWHERE else _text(rules.board.name(place))
        lines.append(f"{name} = [{', '.join(units)}]")
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
    for name in (*state.AMOUNTS, *state.TALLIES):
        numbers = getattr(state, name)
        if name in state.AMOUNTS:
            numbers = {rules.board.name(place): number for place, number in sorted(numbers.items())}
        strangers = [key for key in numbers if not isinstance(key, str)]
        if strangers:
            raise ValueError(f"{strangers[0]!r}: expected names for keys of {name}, which is one of the TALLIES")
        if numbers:
            lines += [f"[{name}]", *(f"{_key(k)} = {v}" for k, v in sorted(numbers.items()))]
    for name in state.RECORDS:
        record = getattr(state, name)
        if record is not None:
            lines.append(f"[record.{name}]")
            lines += [f"{_key(k)} = {json.dumps(v, ensure_ascii=False)}" for k, v in rules.named(record).items()]
    if state.result is not None:
        result = state.result._asdict()
        result["winner"] = "" if state.result.winner == NOWHERE else rules.sides[state.result.winner]
        lines += ["[result]", *(f"{k} = {_text(v)}" for k, v in result.items())]
    return "\n".join(lines) + "\n"


def _unit(rules: Rules[Any], state: State, blank: State, unit: int) -> str:
    states = [flag for flag, bit in rules.flag.items() if state.flags[unit] & bit]
    for name in state.COLUMNS:
        if name not in ("where", "flags") and getattr(state, name)[unit] != getattr(blank, name)[unit]:
            states.append(f"{name} {getattr(state, name)[unit]}")
    name = rules.counters[unit].name
    return f"{name} [{', '.join(states)}]" if states else name


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _key(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else _text(text)
