"""The record of a match: JSON lines with a header, one line per click, then the result and the key of the dice.

```
{"khamsin": 1, "game": "paa", "scenario": "campaign", "options": {}, "data": "…", "engine": "0.1.0", "dice": "…", "players": {}}
{"click": "AU 18/IBDE"}
{"click": "done", "rolls": [3, 5], "sides": [6, 6]}
{"result": {"winner": "Axis", …}, "state": "…", "key": "…"}
```

The header has the rolls before the first click. `sides` are the sides of each die; records of older versions lack them.
A record replays without the generator of its dice. If the key is known, every roll is checked against it; every roll
from `from` on if the dice were changed during the match. A game that is not over has a last line `{"saved": …}` instead
of the result. A game that began from a position has it as `start`.

Where the players contributed to the dice, the header lists the commitments in the order of the sides, as
`"contributions": [{"side": "Axis", "commitment": "…"}, …]`; the last line holds the values next to the key, as
`"contributions": {"Axis": "…", …}`. Chosen dice have their `seed` in the header. A line with `"skip": 2` skips two
numbers of the dice before its rolls. They belonged to clicks that a change of the rules dropped, and are never reused.
A line with `"automatic": true` is a click that a server made for a side because no other was legal; one with `"order":
true`, by a standing order of the side. A match that a side conceded has a line `{"end": "resign", "side": "Axis"}` (or
"claim") before the last.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from khamsin import __version__
from khamsin.kernel import position
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.dice import CONTRIBUTION_BYTES, MAX_SIDES, DiceError, KeyedDice, ReplayDice, commitment
from khamsin.kernel.match import CONCESSIONS, Match
from khamsin.kernel.rules import Decision, Find, Illegal, Rules

FORMAT = 1
MAX_SKIP = 1 << 32
"""The largest `skip` a record may have."""


class RecordError(ValueError):
    """A record that cannot be read or does not replay: names the file, the line and what was expected."""

    def __init__(self, file: str, line: int, expected: str) -> None:
        super().__init__(f"{file}:{line}: {expected}")
        self.file = file
        self.line = line
        self.expected = expected


class Divergence(RecordError):
    """A record whose replay differs from it. `click` is the number of the click where it differs, from 1, `name` its
    name, `rule` the rule of the decision."""

    def __init__(
        self, file: str, line: int, click: int, expected: str, name: str = "", decision: Decision | None = None
    ) -> None:
        what = f"click {click}, {name!r}" if name else f"click {click}"
        at = f" at {decision.kind} ({decision.rule})" if decision else ""
        super().__init__(file, line, f"{what}{at}: {expected}")
        self.click = click
        self.name = name
        self.rule = decision.rule if decision else ""


class Unverifiable(RecordError):
    """A record without the data to verify its dice; `expected` names what is missing."""


def write(match: Match[Any], players: Mapping[str, str] | None = None, with_key: bool = True) -> str:
    """Return the record of a match as text. A clone has none, because it lacks earlier rolls.

    Without the key, the record reveals nothing of the rolls to come: it omits the key, the seed and the contributions.
    """
    rules, game = match.rules, match.game
    if match.partial:
        raise ValueError(f"{match!r}: a clone has no record; start a match from its position instead")
    rolls: dict[int, list[tuple[int, int]]] = {}
    for number, sides, value in game.rolls:
        rolls.setdefault(number, []).append((sides, value))
    first, live = len(game.rolls), None
    if isinstance(game.dice, KeyedDice):
        first += sum(match.skips.values()) - game.dice.count
        live = game.dice if first >= 0 else None
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
    contributions = {rules.sides[side]: value for side, value in live.contributed()} if live else {}
    if contributions:
        header["contributions"] = [
            {"side": side, "commitment": commitment(value)} for side, value in contributions.items()
        ]
    if live and live.seed is not None and with_key:
        header["seed"] = live.seed
    if live and first:
        header["from"] = first
    if match.start is not None:
        header["start"] = position.write_game(game, match.start)
    lines = [header, *({"click": rules.names[click]} for click in match.clicks)]
    for number in match.automatic:
        lines[number]["order" if number in match.ordered else "automatic"] = True
    if match.conceded:
        how, side = match.conceded
        lines.append({"end": how, "side": rules.sides[side]})
    last: dict[str, Any]
    if match.result is None:
        last = {"saved": {"turn": match.state.turn, "phase": match.phase.name}}
    else:
        winner = "" if match.result.winner == NOWHERE else rules.sides[match.result.winner]
        last = {"result": match.result._asdict() | {"winner": winner}}
    last["state"] = match.state.digest()
    if live and with_key:
        last["key"] = live.key.hex()
        if contributions:
            last["contributions"] = {side: value.hex() for side, value in contributions.items()}
    lines.append(last)
    for number, skip in match.skips.items() if live else ():
        line = lines[number if number <= len(match.clicks) else -1]
        line["skip"] = line.get("skip", 0) + skip
    for number, fell in rolls.items():
        lines[number] |= {"rolls": [value for _, value in fell], "sides": [sides for sides, _ in fell]}
    return "".join(json.dumps(line) + "\n" for line in lines)


def read(text: str, find: Find, file: str = "record") -> Match[Any]:
    """Return the match of a record, replayed and checked click by click, ready to continue."""
    lines = _parse(text, file)
    number, header = lines[0]
    _check_header(header, file, number)
    rules = _find_rules(header, find, file, number)
    _check_complete(lines, file)
    last_number, last = lines[-1]
    live = _live_dice(header, last, file, last_number)
    if live is not None and live.contributions:
        live.contributors = _contributors(header, rules, file, number)
    dice = ReplayDice(())
    fallen = [_fallen(header, file, number, 0)]
    dice.give(fallen[0].values)
    match = _begin(rules, header, dice, find, file, number)
    if header["data"] != rules.digest:
        match.warnings.append(
            f"{file}: played with other rules or data of {rules.title} ({header['data']}, here {rules.digest})"
        )
    _check_asked(match, dice, fallen[0], file)
    for number, line in lines[1:-1]:
        ends = "end" in line and number == lines[-2][0]
        if "click" not in line and not ends:
            raise RecordError(file, number, "expected a line with a click")
        fallen.append(_fallen(line, file, number, len(match.clicks) + 1))
        if ends:
            _concede(match, line, file, number)
            break
        _replay_click(match, line["click"], dice, fallen[-1], file)
        if fallen[-1].click == len(match.clicks):
            _read_marks(match, line)
    _check_end(match, header, last, file, last_number)
    fallen.append(_fallen(last, file, last_number, len(match.clicks) + 1))
    if live is None:
        match.game.use(KeyedDice())
        return match
    asked: dict[int, list[int]] = {}
    for click, sides, _ in match.game.rolls:
        asked.setdefault(click, []).append(sides)
    _check_key(live, [fell._replace(sides=asked.get(fell.click, [])) for fell in fallen], header.get("from", 0), file)
    match.skips = {fell.click: fell.skip for fell in fallen if fell.skip}
    match.game.use(live)
    return match


def _read_marks(match: Match[Any], line: Mapping[str, Any]) -> None:
    """Store whether a server made the last click, and why."""
    if line.get("order") is True:
        match.ordered.add(len(match.clicks))
    if line.get("automatic") is True or line.get("order") is True:
        match.automatic.add(len(match.clicks))


def _replay_click(match: Match[Any], name: Any, dice: ReplayDice, fell: _Fallen, file: str) -> None:
    """Make a click of a record; skip one on a button that was removed since."""
    rules, at = match.rules, (str(name), match.decision)
    dice.give(fell.values)
    try:
        if isinstance(name, str) and not rules.present_name(name, rules.click) and not fell.values:
            match.warnings.append(f"{file}:{fell.line}: {name!r} left out: removed from {rules.title}")
            return
        match.click(rules.parse(name))
    except Illegal as error:
        reason = error.reason + (f" ({error.rule})" if error.rule else "")
        raise Divergence(file, fell.line, fell.click, f"expected a legal click: {reason}", *at) from None
    except DiceError as error:
        raise Divergence(file, fell.line, fell.click, str(error), *at) from None
    _check_asked(match, dice, fell, file, *at)


def verify_dice(text: str, file: str = "record") -> int:
    """Check the rolls of a record against its key, from the text alone, whatever rules are installed.

    Return how many were checked: those from `from` on. Raise Divergence at the first that the key does not give, and
    Unverifiable if the record lacks the key or the sides of its dice.
    """
    lines = _parse(text, file)
    number, header = lines[0]
    _check_header(header, file, number)
    _check_complete(lines, file)
    last_number, last = lines[-1]
    live = _live_dice(header, last, file, last_number)
    if live is None:
        raise Unverifiable(file, last_number, "the record does not have the key of its dice")
    fallen = [_fallen(line, file, number, count) for count, (number, line) in enumerate(lines)]
    return _check_key(live, fallen, header.get("from", 0), file)


def save(match: Match[Any], file: Path, players: Mapping[str, str] | None = None) -> None:
    """Write a record. After a crash or a power cut the file is either the old or the new one."""
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


def _check_header(header: Mapping[str, Any], file: str, line: int) -> None:
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


def _find_rules(header: Mapping[str, Any], find: Find, file: str, line: int) -> Rules[Any]:
    try:
        return find(header["game"])
    except ValueError as error:
        raise RecordError(file, line, f"expected a game that exists: {error}") from None


def _begin(
    rules: Rules[Any], header: Mapping[str, Any], dice: ReplayDice, find: Find, file: str, line: int
) -> Match[Any]:
    """Return the match at its first decision: after the set-up, or at the position where it began."""
    try:
        scenario = rules.scenario(header["scenario"])
        options = scenario.choose(rules.present_options(scenario, header["options"]))
        if "start" not in header:
            return Match(rules, scenario.name, options, dice)
        game = position.read_game(header["start"], find)
        if (game.rules.id, game.scenario.name, game.options) != (rules.id, scenario.name, options):
            raise ValueError("they are not those of the position where it began")
        game.use(dice)
        return Match.at(game)
    except position.PositionError as error:
        raise RecordError(file, line, f"expected a position to begin from: {error}") from None
    except DiceError as error:
        raise Divergence(file, line, 0, str(error)) from None
    except (ValueError, RuntimeError) as error:
        raise RecordError(file, line, f"expected a scenario and options of {rules.title}: {error}") from None


def _check_complete(lines: list[tuple[int, dict[str, Any]]], file: str) -> None:
    if len(lines) < 2 or not ({"result", "saved"} & lines[-1][1].keys()):
        raise RecordError(file, lines[-1][0], "expected a last line with the result or 'saved': the record is cut off")


def _concede(match: Match[Any], line: Mapping[str, Any], file: str, number: int) -> None:
    how, side, sides = line["end"], line.get("side"), match.rules.sides
    if not isinstance(how, str) or how not in CONCESSIONS or side not in sides:
        raise RecordError(file, number, f"expected an end of {' or '.join(CONCESSIONS)} and a side")
    try:
        match.concede(sides.index(side), how)
    except ValueError as error:
        raise Divergence(file, number, len(match.clicks), str(error)) from None


def _check_end(match: Match[Any], header: Mapping[str, Any], last: Mapping[str, Any], file: str, line: int) -> None:
    """Check that the replay ends with the result, or continues, as the last line says, and in the same state. The
    wording of the result may differ; the state too if the record was played with other data."""
    count, state = len(match.clicks), match.state
    if "result" in last:
        found = match.result._asdict() if match.result else {}
        if found:
            found["winner"] = "" if found["winner"] == NOWHERE else match.rules.sides[found["winner"]]
        said = last["result"]
        if (
            not isinstance(said, dict)
            or said.keys() != found.keys()
            or any(said[k] != found[k] for k in ("winner", "level"))
        ):
            raise Divergence(file, line, count, f"expected the result {said}, and the replay gives {found or None}")
        if match.result and all(isinstance(said[key], str) for key in ("reason", "rule")):
            state = state.copy()
            state.result = match.result._replace(reason=said["reason"], rule=said["rule"])
    elif match.result is not None:
        raise Divergence(file, line, count, "expected a game that continues, and the replay ends it")
    if last.get("state") != state.digest():
        expected = f"expected the state {last.get('state')}, and the replay gives {state.digest()}"
        if header["data"] == match.rules.digest:
            raise Divergence(file, line, count, expected)
        match.warnings.append(f"{file}:{line}: {expected}")


def _live_dice(header: Mapping[str, Any], last: Mapping[str, Any], file: str, line: int) -> KeyedDice | None:
    """Return the dice that the record reveals, checked against their commitments; None if it holds no key."""
    if "key" not in last:
        return None
    try:
        key = bytes.fromhex(last["key"])
        KeyedDice(key)
    except (ValueError, TypeError):
        raise RecordError(file, line, "expected the key of the dice in hexadecimal digits") from None
    if commitment(key) != header["dice"]:
        raise RecordError(file, line, "expected the key that the header's commitment was made with")
    dice = KeyedDice(key, _contributions(header, last, file, line))
    if "seed" in header:
        dice.seed = header["seed"]
        if type(dice.seed) is not int or KeyedDice.seeded(dice.seed).key != key:
            raise RecordError(file, line, "expected the key that the header's seed gives")
    return dice


def _contributions(header: Mapping[str, Any], last: Mapping[str, Any], file: str, line: int) -> list[bytes]:
    """Return the players' contributions in the order of the header, checked against their commitments."""
    promised, revealed = header.get("contributions", []), last.get("contributions", {})
    if not isinstance(promised, list) or not isinstance(revealed, dict) or len(promised) != len(revealed):
        raise RecordError(file, line, "expected the contributions that the header commits to")
    values = []
    for each in promised:
        side = each.get("side") if isinstance(each, dict) else None
        try:
            value = bytes.fromhex(revealed[side])
        except (LookupError, ValueError, TypeError):
            raise RecordError(file, line, f"expected the contribution of {side} in hexadecimal digits") from None
        if len(value) != CONTRIBUTION_BYTES or commitment(value) != each.get("commitment"):
            raise RecordError(file, line, f"expected the contribution of {side} that the header commits to")
        values.append(value)
    return values


def _contributors(header: Mapping[str, Any], rules: Rules[Any], file: str, line: int) -> tuple[int, ...]:
    """Return the sides that contributed to the dice."""
    names = [each["side"] for each in header["contributions"]]
    sides = tuple(number for number, side in enumerate(rules.sides) if side in names)
    if names != [rules.sides[side] for side in sides]:
        raise RecordError(file, line, f"expected contributions of {', '.join(rules.sides)}, in this order")
    return sides


class _Fallen(NamedTuple):
    """The dice of one line: its number and its click's, the numbers skipped, the values, and the sides if stored."""

    line: int
    click: int
    skip: int
    values: list[int]
    sides: list[int] | None


def _fallen(line: Mapping[str, Any], file: str, number: int, click: int) -> _Fallen:
    values, sides, skip = line.get("rolls", []), line.get("sides"), line.get("skip", 0)
    if not _are_ints(values):
        raise RecordError(file, number, "expected the rolls to be a list of whole numbers")
    if values and click and "click" not in line:
        raise RecordError(file, number, "expected no rolls in a line without a click")
    if "sides" in line and not (
        _are_ints(sides) and len(sides) == len(values) and all(1 <= one <= MAX_SIDES for one in sides)
    ):
        raise RecordError(file, number, f"expected the sides of {len(values)} dice")
    if type(skip) is not int or not 0 <= skip <= MAX_SKIP:
        raise RecordError(file, number, "expected 'skip' to be a number of rolls")
    return _Fallen(number, click, skip, values, sides)


def _are_ints(values: Any) -> TypeGuard[list[int]]:
    return isinstance(values, list) and all(type(value) is int for value in values)


def _check_asked(match: Match[Any], dice: ReplayDice, fell: _Fallen, file: str, *at: Any) -> None:
    """Check that the replay used all rolls of a line, with dice of the stored sides."""
    if dice.left:
        expected = f"expected {dice.left} more roll(s) than the replay needs"
        raise Divergence(file, fell.line, fell.click, expected, *at)
    rolls = match.game.rolls
    asked = [sides for _, sides, _ in rolls[len(rolls) - len(fell.values) :]]
    if fell.sides is not None and fell.sides != asked:
        expected = f"expected dice of {fell.sides} sides, and the replay rolls {asked}"
        raise Divergence(file, fell.line, fell.click, expected, *at)


def _check_key(dice: KeyedDice, fallen: list[_Fallen], first: int, file: str) -> int:
    """Check every roll from `first` on against the key; leave the dice at the next. Return how many were checked."""
    number = 0
    for fell in fallen:
        dice.count += fell.skip
        for at, value in enumerate(fell.values):
            number += 1
            if number <= first:
                continue
            if fell.sides is None:
                raise Unverifiable(file, fell.line, "the record does not store the sides of its dice")
            if dice.roll("", "", fell.sides[at]) != value:
                expected = f"expected roll {number} to be the one its key gives, and it is {value}"
                raise Divergence(file, fell.line, fell.click, expected)
    return max(0, number - first)
