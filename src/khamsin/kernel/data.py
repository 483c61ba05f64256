"""A game's data files: as installed, replaced by the user's own files, or with single values changed.

The installed data can be replaced in two ways:

- A folder named by `KHAMSIN_DATA`: `FOLDER/paa/tables.toml` is read instead of the file of that name; likewise
  `FOLDER/paa/board/hexes.csv`.
- Changes of single values in one process, made before the game is loaded, for what-if studies.

```
table.crt.3.2 = 4                 the cell of a table: its name, the roll, the head of the column
counter.DE 104/IREGT.cf = 5       a factor of a counter, or its steps
data.combat.counter.german = 3    anything else in a data file: the file, then keys, list indexes or names
```

Games read their files through `read`, their tables through `tables.read_tables`, and pass their counters through
`counters`. A change that no game has read is an error (`unused`).
"""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from khamsin.kernel.registration import registrations

if TYPE_CHECKING:
    from khamsin.kernel.pieces import Counter

FOLDER = "KHAMSIN_DATA"
"""The environment variable that names the folder of the user's own files."""
KINDS = ("table", "counter", "data")


class ChangeError(ValueError):
    """A change that cannot be made: names its path and what was expected."""

    def __init__(self, path: str, expected: str) -> None:
        super().__init__(f"{path}: {expected}")
        self.path = path
        self.expected = expected


class Change(NamedTuple):
    """One value of a game, by its path, and the text of its new value."""

    game: str
    path: str
    value: str

    @property
    def steps(self) -> list[str]:
        """The steps of the path. One in double quotes may contain dots. The name of a counter is one step."""
        found = [step.strip('"') for step in re.findall(r'"[^"]*"|[^.]+', self.path)]
        return [found[0], ".".join(found[1:-1]), found[-1]] if found[0] == "counter" else found


_changes: list[Change] = []
_used: set[Change] = set()
_own: dict[tuple[str, str], str] = {}
"""The user's own files that were read: (game, file) -> their hash."""
_open: dict[str, dict[str, Path | None]] = {}
"""By game, what it has read in a way that accepts changes."""


def change(game: str, changes: Mapping[str, str]) -> None:
    """Change values of a game in this process. Call it before the game is loaded.

    >>> change("paa", {"weather.rain": "4"})
    Traceback (most recent call last):
    ...
    khamsin.kernel.data.ChangeError: weather.rain: expected a path that begins with table, counter or data
    """
    made = [Change(game, path, value) for path, value in changes.items()]
    for one in made:
        if one.steps[0] not in KINDS or len(one.steps) < 3:
            raise ChangeError(one.path, "expected a path that begins with table, counter or data")
    _changes.extend(made)


def unused() -> list[str]:
    """Return the paths of the changes that no game has read yet."""
    return [one.path for one in _changes if one not in _used]


def open_to_change(game: str) -> dict[str, Path | None]:
    """Return what of a loaded game can be changed: "counter", and for each data file "table.FILE" or "data.FILE" with
    the file."""
    return dict(_open.get(game, {}))


def found(file: Path) -> Path:
    """Return the file to read for a data file: the user's own if there is one."""
    own = os.environ.get(FOLDER)
    where = _where(file)
    if own and where is not None:
        game, rest = where
        other = Path(own) / game / rest
        if other.is_file():
            _own[game, str(rest)] = hashlib.sha256(other.read_bytes()).hexdigest()
            return other
    return file


def altered(game: str) -> list[str]:
    """Return what replaces the installed data of a game in this process: files by their hashes, and changes."""
    files = [f"{file} {print_}" for (owner, file), print_ in _own.items() if owner == game]
    return sorted([*files, *(f"{one.path}={one.value}" for one in _used if one.game == game)])


def read(file: Path) -> dict[str, Any]:
    """Read a TOML data file with its changes."""
    data = tomllib.loads(found(file).read_text(encoding="utf-8"))
    game, rest = _where(file) or ("", Path())
    _open.setdefault(game, {})[f"data.{rest.stem}"] = file
    for one in _of(game, "data"):
        if one.steps[1] == rest.stem and rest.parent == Path():
            _put(data, one)
    return data


def counters(game: str, printed: Sequence[Counter]) -> tuple[Counter, ...]:
    """Return the counters of a game with their changes."""
    _open.setdefault(game, {})["counter"] = None
    made = list(printed)
    for one in _of(game, "counter"):
        _, name, factor = one.steps
        at = next((number for number, counter in enumerate(made) if counter.name == name), None)
        if at is None:
            raise ChangeError(one.path, f"expected a counter of {game}, not {name!r}")
        counter = made[at]
        if factor == "steps":
            made[at] = replace(counter, steps=like(counter.steps, one))
        elif factor in counter.factors:
            made[at] = replace(counter, factors={**counter.factors, factor: like(counter.factors[factor], one)})
        else:
            raise ChangeError(one.path, f"expected one of {', '.join(counter.factors)} or steps, not {factor!r}")
    return tuple(made)


def cells(file: Path) -> Iterator[tuple[Change, str, str, str]]:
    """Return the changes of the tables of a file, each with the table, the roll and the head of the column."""
    game, rest = _where(file) or ("", Path())
    _open.setdefault(game, {})[f"table.{rest.stem}"] = file
    for one in _of(game, "table"):
        if len(one.steps) != 4:
            raise ChangeError(one.path, "expected table.NAME.ROLL.COLUMN")
        yield one, one.steps[1], one.steps[2], one.steps[3]


def like(old: Any, one: Change) -> Any:
    """Return the new value of a change, of the type of the old one, and count the change as used."""
    _used.add(one)
    text = one.value.strip()
    if isinstance(old, str):
        return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text
    try:
        new = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        new = None
    if type(new) is int and type(old) is float:
        return float(new)
    if type(new) is not type(old):
        raise ChangeError(one.path, f"expected something like {old!r}, not {text!r}")
    return new


def _put(data: Any, one: Change) -> None:
    """Change one value in what was read from a file."""
    *keys, last = one.steps[2:]
    for key in keys:
        data = data[_at(data, key, one)]
    at = _at(data, last, one)
    data[at] = like(data[at], one)


def _at(data: Any, key: str, one: Change) -> str | int:
    """Return what a step leads to: a key of a table, an index of a list, or a row of a list by its name."""
    if isinstance(data, dict):
        if key in data:
            return key
        raise ChangeError(one.path, f"expected one of {', '.join(data)}, not {key!r}")
    if isinstance(data, list):
        if key.isdecimal() and int(key) < len(data):
            return int(key)
        for number, row in enumerate(data):
            if isinstance(row, dict) and row.get("name") == key:
                return number
        raise ChangeError(one.path, f"expected an index from 0 to {len(data) - 1}, or the name of a row, not {key!r}")
    raise ChangeError(one.path, f"expected nothing below {data!r}")


def _of(game: str, kind: str) -> Iterator[Change]:
    """Return the changes of a kind in a game."""
    return (one for one in _changes if one.game == game and one.steps[0] == kind)


def _where(file: Path) -> tuple[str, Path] | None:
    """Return the game that a data file belongs to, and its path below the game's `data`."""
    for game, stated in registrations().items():
        if file.is_relative_to(stated.folder / "data"):
            return game, file.relative_to(stated.folder / "data")
    return None
