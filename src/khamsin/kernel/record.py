"""The record of a game: JSON lines, a header, one line a click, then the result and the key of the dice.

```
{"khamsin": 1, "game": "paa", "scenario": "campaign", "options": {}, "data": "…", "engine": "0.1.0", "dice": "…", "players": {}}
{"click": "AU 18/IBDE"}
{"click": "done", "rolls": [3, 5]}
{"result": {"winner": "Axis", …}, "state": "…", "key": "…"}
```

Rolls before the first click stand in the header. A record replays without the generator of its dice; where the key is
known, every roll is checked against it, or every roll from `from` on where the dice were changed on the way. A game that
is not over has a last line `{"saved": …}` instead of the result. A game that began from a position has it as `start`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from khamsin import __version__
from khamsin.kernel import position
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.dice import DiceError, KeyedDice, ReplayDice, commitment
from khamsin.kernel.match import Match
from khamsin.kernel.rules import Find, Illegal, Rules

FORMAT = 1


class RecordError(ValueError):
    """A record that cannot be read or does not replay: names the file, the line and what was expected."""

    def __init__(self, file: str, line: int, expected: str) -> None:
        super().__init__(f"{file}:{line}: {expected}")
        self.file = file
        self.line = line
        self.expected = expected


class Divergence(RecordError):
    """A record that was read, but whose replay does not agree with it; `click` is the one where it happened, from 1."""

    def __init__(self, file: str, line: int, click: int, expected: str) -> None:
        super().__init__(file, line, f"click {click}: {expected}")
        self.click = click


def write(match: Match[Any], players: Mapping[str, str] | None = None) -> str:
    """The record of a match, as text. A clone has none: what was rolled before it is not its own."""
    rules, game = match.rules, match.game
    if match.partial:
        raise ValueError(f"{match!r}: a clone has no record; let a match begin from its position instead")
    rolls: dict[int, list[int]] = {}
    for number, _, value in game.rolls:
        rolls.setdefault(number, []).append(value)
    live = game.dice if isinstance(game.dice, KeyedDice) and game.dice.count <= len(game.rolls) else None
    header: dict[str, Any] = {
        "khamsin": FORMAT,
        "game": rules.id,
        "scenario": game.scenario.name,
        "options": dict(game.options),
        "data": rules.digest,
        "engine": __version__,
        "dice": live.commitment if live else "",
        "players": dict(players or {}),
    }
    if live and live.count != len(game.rolls):
        header["from"] = len(game.rolls) - live.count
    if match.start is not None:
        header["start"] = position.write_game(game, match.start)
    if 0 in rolls:
        header["rolls"] = rolls[0]
    lines = [header]
    for number, click in enumerate(match.clicks, 1):
        line: dict[str, Any] = {"click": rules.names[click]}
        if number in rolls:
            line["rolls"] = rolls[number]
        lines.append(line)
    last: dict[str, Any]
    if match.result is None:
        last = {"saved": {"turn": match.state.turn, "phase": match.phase.name}}
    else:
        winner = "" if match.result.winner == NOWHERE else rules.sides[match.result.winner]
        last = {"result": match.result._asdict() | {"winner": winner}}
    last["state"] = match.state.digest()
    if live:
        last["key"] = live.key.hex()
    return "".join(json.dumps(line) + "\n" for line in [*lines, last])


def read(text: str, find: Find, file: str = "record") -> Match[Any]:
    """The match that a record tells of, replayed and checked click by click, ready to go on."""
    lines = _parse(text, file)
    number, header = lines[0]
    rules = _check_header(header, find, file, number)
    if len(lines) < 2 or not ({"result", "saved"} & lines[-1][1].keys()):
        raise RecordError(file, lines[-1][0], "expected a last line with the result or 'saved': the record is cut off")
    last_number, last = lines[-1]
    key = _key(header, last, file, last_number)
    dice = ReplayDice(_rolls(header, file, number))
    match = _begin(rules, header, dice, find, file, number)
    _all_used(dice, file, number, 0)
    for count, (number, line) in enumerate(lines[1:-1], 1):
        if "click" not in line:
            raise RecordError(file, number, "expected a line with a click")
        dice.give(_rolls(line, file, number))
        try:
            match.click(rules.parse(line["click"]))
        except Illegal as error:
            raise Divergence(file, number, count, f"expected a click that is open, and {error}") from None
        except DiceError as error:
            raise Divergence(file, number, count, str(error)) from None
        _all_used(dice, file, number, count)
    count = len(match.clicks)
    if "result" in last:
        found = match.result._asdict() if match.result else None
        if found:
            found["winner"] = "" if found["winner"] == NOWHERE else rules.sides[found["winner"]]
        if found != last["result"]:
            raise Divergence(
                file, last_number, count, f"expected the result {last['result']}, and the replay gives {found}"
            )
    elif match.result is not None:
        raise Divergence(file, last_number, count, "expected a game that goes on, and the replay ends it")
    if last.get("state") != match.state.digest():
        raise Divergence(
            file,
            last_number,
            count,
            f"expected the state {last.get('state')}, and the replay gives {match.state.digest()}",
        )
    if key is not None:
        _check_dice(match, key, header.get("from", 0), file, last_number)
    else:
        match.game.use(KeyedDice())
    return match


def save(match: Match[Any], file: Path, players: Mapping[str, str] | None = None) -> None:
    """Write a record so that a crash, or a power cut, leaves either the old file or the new one."""
    draft = file.with_name(file.name + ".part")
    with draft.open("w", encoding="utf-8") as sink:
        sink.write(write(match, players))
        sink.flush()
        os.fsync(sink.fileno())
    draft.replace(file)


def load(file: Path, find: Find) -> Match[Any]:
    """Read and replay a record file."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise RecordError(str(file), 0, f"expected a readable file: {error.strerror}") from None
    except UnicodeDecodeError:
        raise RecordError(str(file), 0, "expected text in UTF-8") from None
    return read(text, find, str(file))


def _parse(text: str, file: str) -> list[tuple[int, dict[str, Any]]]:
    lines: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except RecursionError:
            raise RecordError(file, number, "expected a line of JSON: nested too deep") from None
        except ValueError as error:
            what = getattr(error, "msg", str(error))
            raise RecordError(file, number, f"expected a line of JSON: {what}") from None
        if not isinstance(data, dict):
            raise RecordError(file, number, "expected a JSON object")
        lines.append((number, data))
    if not lines:
        raise RecordError(file, 1, "expected a header, and the file is empty")
    return lines


def _check_header(header: Mapping[str, Any], find: Find, file: str, line: int) -> Rules[Any]:
    if "khamsin" not in header:
        raise RecordError(file, line, "expected the header of a Khamsin record")
    if header["khamsin"] != FORMAT:
        raise RecordError(file, line, f"expected format {FORMAT}, not {header['khamsin']!r}")
    for name, kind in (("game", str), ("scenario", str), ("options", dict), ("data", str), ("dice", str)):
        if not isinstance(header.get(name), kind):
            raise RecordError(file, line, f"expected the header to have {name!r}")
    first, start = header.get("from", 0), header.get("start", "")
    if type(first) is not int or first < 0 or not isinstance(start, str):
        raise RecordError(file, line, "expected 'from' to be a number of rolls and 'start' a position")
    try:
        rules = find(header["game"])
    except ValueError as error:
        raise RecordError(file, line, f"expected a game that exists: {error}") from None
    if header["data"] != rules.digest:
        raise RecordError(
            file, line, f"expected the data of this version of {rules.title} ({rules.digest}), not {header['data']}"
        )
    return rules


def _begin(
    rules: Rules[Any], header: Mapping[str, Any], dice: ReplayDice, find: Find, file: str, line: int
) -> Match[Any]:
    """The match at its first question: after the set-up, or at the position where it began."""
    try:
        if "start" not in header:
            return Match(rules, header["scenario"], header["options"], dice)
        game = position.read_game(header["start"], find)
        if (game.rules.id, game.scenario.name, game.options) != (rules.id, header["scenario"], header["options"]):
            raise ValueError("they are not those of the position where it began")
        game.use(dice)
        return Match.at(game)
    except position.PositionError as error:
        raise RecordError(file, line, f"expected a position to begin from: {error}") from None
    except DiceError as error:
        raise Divergence(file, line, 0, str(error)) from None
    except (ValueError, RuntimeError) as error:
        raise RecordError(file, line, f"expected a scenario and options of {rules.title}: {error}") from None


def _key(header: Mapping[str, Any], last: Mapping[str, Any], file: str, line: int) -> bytes | None:
    if "key" not in last:
        return None
    try:
        key = bytes.fromhex(last["key"])
        KeyedDice(key)
    except (ValueError, TypeError):
        raise RecordError(file, line, "expected the key of the dice in hexadecimal digits") from None
    if commitment(key) != header["dice"]:
        raise RecordError(file, line, "expected the key that the header's commitment was made with")
    return key


def _rolls(line: Mapping[str, Any], file: str, number: int) -> list[int]:
    rolls = line.get("rolls", [])
    if not isinstance(rolls, list) or not all(type(value) is int for value in rolls):
        raise RecordError(file, number, "expected the rolls to be a list of whole numbers")
    return rolls


def _all_used(dice: ReplayDice, file: str, line: int, click: int) -> None:
    if dice.left:
        raise Divergence(file, line, click, f"expected {dice.left} more roll(s) than the replay asks for")


def _check_dice(match: Match[Any], key: bytes, first: int, file: str, line: int) -> None:
    """Every roll from the first must be the one the key gives; then go on with that key."""
    live = KeyedDice(key)
    for n, (click, sides, value) in enumerate(match.game.rolls[first:], first + 1):
        if live.roll("", "", sides) != value:
            raise Divergence(file, line, click, f"expected roll {n} to be the one its key gives, and it is {value}")
    match.game.use(live)
