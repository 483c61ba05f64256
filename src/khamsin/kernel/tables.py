"""Result tables: columns by odds, by difference or by name; one die, two dice or 11 to 66; shifts, modifiers, and the
exact chance of every result.

A table is a few lines of TOML:

```toml
[crt]
rule = "12.4.3"
dice = "1d6"                       # 1d6, 2d6 or d66
columns = "difference"             # difference, odds or name
heads = ["0", "1", "2-4", "5+"]     # "0-1", "3+", ">9"; odds as "3-1" or "1:2"
from = "rulebook table 9"
[crt.rows]                         # by the roll, or a range: "2-4", "-2-0"; with modifiers also "1-" and "15+"
1 = [2, 2, 3, 4]
2-6 = [0, 0, 2, 3]
```

On one die or two, rows may run beyond what the dice can show: modifiers reach them.

>>> crt = Table.parse("crt", {
...     "rule": "12.4.3", "dice": "1d6", "columns": "difference", "heads": ["0", "1", "2", "3+"], "from": "rulebook table 9",
...     "rows": {"1": [2, 2, 3, 4], "2-6": [0, 0, 2, 3]}})
>>> crt.column(7), crt.head(crt.column(7))
(3, '3+')
>>> crt.result(2, roll=5)
2
>>> {result: str(chance) for result, chance in crt.chances(2).items()}
{3: '1/6', 2: '5/6'}
>>> crt.shift(3, 5), crt.shift(1, -4)
(3, 0)
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import Any

from khamsin.kernel import data as files
from khamsin.kernel.dice import Dice

Cell = int | str

FACES = {
    "1d6": {n: Fraction(1, 6) for n in range(1, 7)},
    "2d6": {n: Fraction(6 - abs(n - 7), 36) for n in range(2, 13)},
    "d66": {10 * tens + units: Fraction(1, 36) for tens in range(1, 7) for units in range(1, 7)},
}
"""The chance of every roll of each kind of dice."""
THROW = {"1d6": "roll", "2d6": "two", "d66": "sixtysix"}
"""The method of `Dice` that rolls each kind."""


class TableError(ValueError):
    """A table that cannot be read or used: names the table and what was expected."""

    def __init__(self, table: str, expected: str) -> None:
        super().__init__(f"table {table}: {expected}")
        self.table = table
        self.expected = expected


@dataclass(frozen=True)
class Table:
    """One result table. Columns are counted from 0; rolls beyond the ends of the table use its first or last row."""

    name: str
    rule: str
    dice: str
    kind: str
    heads: tuple[str, ...]
    bounds: tuple[Fraction, ...]
    rows: Mapping[int, tuple[Cell, ...]]
    source: str

    @classmethod
    def parse(cls, name: str, data: Mapping[str, Any]) -> Table:
        """Read a table from its TOML."""
        if not isinstance(data, Mapping):
            raise TableError(name, f"expected a table, not {data!r}")
        for key in ("rule", "dice", "columns", "heads", "from", "rows"):
            if key not in data:
                raise TableError(name, f"expected a key {key!r}")
        dice, kind = data["dice"], data["columns"]
        if not isinstance(dice, str) or dice not in FACES:
            raise TableError(name, f"expected dice to be one of {', '.join(FACES)}, not {dice!r}")
        if kind not in ("difference", "odds", "name"):
            raise TableError(name, f"expected columns by difference, odds or name, not {kind!r}")
        if not isinstance(data["heads"], list | tuple) or not data["heads"]:
            raise TableError(name, f"expected a list of heads, not {data['heads']!r}")
        heads = tuple(str(head) for head in data["heads"])
        bounds = tuple(_bound(name, kind, head) for head in heads) if kind != "name" else ()
        if list(bounds) != sorted(set(bounds)):
            raise TableError(name, f"expected heads in rising order, not {', '.join(heads)}")
        rows = _rows(name, dice, len(heads), data["rows"])
        return cls(name, data["rule"], dice, kind, heads, bounds, rows, data["from"])

    def column(self, value: int | Fraction | str) -> int:
        """Return the column for a difference, for odds as a fraction, or for a name. Values between two heads belong to
        the lower one, values beyond the ends to the first or last."""
        if self.kind == "name":
            if value not in self.heads:
                raise TableError(self.name, f"expected a column of {', '.join(self.heads)}, not {value!r}")
            return self.heads.index(str(value))
        if isinstance(value, str):
            raise TableError(self.name, f"expected a number to choose a column by, not {value!r}")
        return max(0, bisect_right(self._whole_bounds if type(value) is int else self.bounds, value) - 1)

    @cached_property
    def _whole_bounds(self) -> tuple[int, ...]:
        """The least whole number of every column, to find the column of a whole number without fractions."""
        return tuple(ceil(bound) for bound in self.bounds)

    def odds(self, attack: int | Fraction, defence: int | Fraction) -> int:
        """Return the column for an attack on a defence; an attack on a defence of 0 has the best odds.

        >>> table = Table.parse("t", {"rule": "9", "dice": "1d6", "columns": "odds", "heads": ["1-2", "1-1", "3-2", "2-1"],
        ...     "from": "found: x", "rows": {"1-6": ["A", "B", "C", "D"]}})
        >>> [table.head(table.odds(a, d)) for a, d in ((1, 9), (5, 6), (7, 6), (9, 6), (30, 4), (1, 0))]
        ['1-2', '1-2', '1-1', '3-2', '2-1', '2-1']
        """
        if attack < 0 or defence < 0:
            raise TableError(self.name, f"expected strengths of 0 or more, not {attack} to {defence}")
        return len(self.heads) - 1 if defence == 0 else self.column(Fraction(attack) / Fraction(defence))

    def head(self, column: int) -> str:
        """Return the heading of a column."""
        return self.heads[self._known(column)]

    def shift(self, column: int, by: int) -> int:
        """Return the column some steps to the right, or left if negative, at most at the ends."""
        return min(max(column + by, 0), len(self.heads) - 1)

    def result(self, column: int, roll: int, modifier: int = 0) -> Cell:
        """Return the result of a roll plus a modifier. On d66 the modifier counts rolls: 16 and one more is 21."""
        faces = FACES[self.dice]
        if roll not in faces:
            raise TableError(self.name, f"expected a roll of {self.dice}, not {roll!r}")
        if self.dice == "d66":
            throws = list(faces)
            at = throws[min(max(throws.index(roll) + modifier, 0), len(throws) - 1)]
        else:
            at = roll + modifier
            if at not in self.rows:
                at = min(self.rows) if at < min(self.rows) else max(self.rows)
        return self.rows[at][self._known(column)]

    def _known(self, column: int) -> int:
        if not 0 <= column < len(self.heads):
            raise TableError(self.name, f"expected a column from 0 to {len(self.heads) - 1}, not {column!r}")
        return column

    def chances(self, column: int, modifier: int = 0) -> dict[Cell, Fraction]:
        """Return the exact chance of each result, in the order of the rows."""
        chances: dict[Cell, Fraction] = {}
        for throw, chance in FACES[self.dice].items():
            result = self.result(column, throw, modifier)
            chances[result] = chances.get(result, Fraction(0)) + chance
        return chances

    def roll(self, dice: Dice, column: int, modifier: int = 0, purpose: str = "", to: int = -1) -> Cell:
        """Roll the dice and return the result; the roll is seen by one side, by everyone (-1) or by no side (-2)."""
        throw: Callable[..., int] = getattr(dice, THROW[self.dice])
        return self.result(column, throw(purpose or self.name, self.rule, to=to), modifier)

    def changed(self, change: files.Change, throw: str, head: str) -> Table:
        """Return the table with another result in the cell of a roll and a column, by its head."""
        if throw not in map(str, self.rows):
            rows = ", ".join(map(str, self.rows))
            raise files.ChangeError(change.path, f"expected a roll of {rows}, not {throw!r}")
        if head not in self.heads:
            raise files.ChangeError(change.path, f"expected a column of {', '.join(self.heads)}, not {head!r}")
        row, column = list(self.rows[int(throw)]), self.heads.index(head)
        row[column] = files.like(row[column], change)
        return replace(self, rows={**self.rows, int(throw): tuple(row)})

    def least(self, column: int) -> Cell:
        """Return the smallest result of a column of numbers: what is certain."""
        return self._least[column]

    @cached_property
    def _least(self) -> tuple[Cell, ...]:
        columns = range(len(self.heads))
        return tuple(min(self.chances(column), key=lambda cell: int(cell)) for column in columns)


def read_tables(file: Path) -> dict[str, Table]:
    """Read every table of a TOML file."""
    try:
        data = files.read(file)
    except OSError as error:
        raise TableError(str(file), f"expected a file: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise TableError(str(file), f"expected TOML: {error}") from None
    try:
        tables = {name: Table.parse(name, table) for name, table in data.items()}
    except TableError as error:
        raise TableError(f"{error.table} of {file}", error.expected) from None
    for change, name, throw, head in files.cells(file):
        if name not in tables:
            raise files.ChangeError(change.path, f"expected a table of {', '.join(tables)}, not {name!r}")
        tables[name] = tables[name].changed(change, throw, head)
    return tables


def combine(first: Mapping[Cell, Fraction], second: Mapping[Cell, Fraction]) -> dict[tuple[Cell, Cell], Fraction]:
    """Return the chance of every pair of results of two independent rolls.

    >>> half = {"a": Fraction(1, 2), "b": Fraction(1, 2)}
    >>> combine(half, half)[("a", "b")]
    Fraction(1, 4)
    """
    return {(one, other): p * q for one, p in first.items() for other, q in second.items()}


def _bound(table: str, kind: str, head: str) -> Fraction:
    """Return the least value of a column: "3", "3+", "3-4", ">9" or, for odds, "3-1", "1:2"."""
    text = head.strip()
    if kind == "odds":
        odds = ODDS.fullmatch(text.rstrip("+"))
        if odds is None or Fraction(odds[2]) == 0:
            raise TableError(table, f"expected odds such as 3-1, not {head!r}")
        return Fraction(odds[1]) / Fraction(odds[2])
    if re.fullmatch(r">-?[0-9]+", text):
        return Fraction(int(text[1:]) + 1)
    span = _span(text)
    if span is None or span[0] > span[1]:
        raise TableError(table, f"expected a difference such as 3, 3+, 3-4 or >9, not {head!r}")
    return Fraction(span[0])


def _rows(table: str, dice: str, width: int, listed: object) -> dict[int, tuple[Cell, ...]]:
    """Return the cells of every roll, in order."""
    if not isinstance(listed, Mapping):
        raise TableError(table, f"expected rows by their rolls, not {listed!r}")
    listed = {str(key): cells for key, cells in listed.items()}
    rows: dict[int, tuple[Cell, ...]] = {}
    for key, cells in listed.items():
        if not isinstance(cells, list | tuple) or not all(type(cell) in (int, str) for cell in cells):
            raise TableError(table, f"expected a list of numbers and texts in row {key}, not {cells!r}")
        if len(cells) != width:
            raise TableError(table, f"expected {width} cells in row {key}, not {len(cells)}")
        for throw in _throws(table, dice, key):
            if throw in rows:
                raise TableError(table, f"expected each roll once, and {throw} appears twice")
            rows[throw] = tuple(cells)
    throws = [*rows, *FACES[dice]]
    missing = [n for n in (throws if dice == "d66" else range(min(throws), max(throws) + 1)) if n not in rows]
    if missing:
        raise TableError(table, f"expected a row for every roll; {missing[0]} has none")
    for key in listed:
        if key.endswith(("+", "-")) and _throws(table, dice, key) != [max(rows) if key.endswith("+") else min(rows)]:
            raise TableError(table, f"expected no row beyond {key}")
    return dict(sorted(rows.items()))


def _throws(table: str, dice: str, key: str) -> list[int]:
    """Return the rolls of a row; for an open row such as "15+" its first roll, since the ends of a table are open."""
    span = _span(key)
    if span is None:
        raise TableError(table, f"expected a roll or a range of rolls, not {key!r}")
    throws = range(span[0], span[1] + 1) if dice != "d66" else [n for n in FACES[dice] if span[0] <= n <= span[1]]
    if not throws:
        raise TableError(table, f"expected rolls of {dice}, not {key!r}")
    return list(throws)


ODDS = re.compile(r"([0-9]+(?:\.[0-9]+)?)[-:]([0-9]+(?:\.[0-9]+)?)")
SPAN = re.compile(r"(-?[0-9]{1,4})(?:-(-?[0-9]{1,4})|[+-])?")


def _span(text: str) -> tuple[int, int] | None:
    """Return the ends of "3", "3-4", "-2-0", "15+" or "1-"."""
    span = SPAN.fullmatch(text)
    return (int(span[1]), int(span[2] or span[1])) if span else None
