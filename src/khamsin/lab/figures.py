"""The parameters of a game that a what-if can change: cells of tables, factors of counters, numbers of data files and
options of scenarios. Each has the path that a study takes (see `khamsin.kernel.data`) and its present value.


>>> from khamsin import games
>>> one = next(one for one in figures(games.load("paa")) if one.path == "table.crt.3.2")
>>> one.kind, one.group, one.name, one.value
('table', 'crt', 'roll 3, column 2', '2')
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any, NamedTuple

from khamsin.kernel import data
from khamsin.kernel.rules import Rules

NUMBER = re.compile(r"[-+]?[0-9]+([./][0-9]+)?")
"""A number written as a text: 1/2."""


class Parameter(NamedTuple):
    """A changeable parameter: its table, counter or file, its name there, and its default value."""

    path: str
    kind: str
    group: str
    name: str
    value: str


def figures(rules: Rules[Any]) -> Iterator[Parameter]:
    """Yield all parameters of a game that a change can reach."""
    places = data.open_to_change(rules.id)
    if any(place.startswith("table.") for place in places):
        yield from _cells(rules)
    if "counter" in places:
        for counter in rules.counters:
            for factor, figure in {**counter.factors, "steps": counter.steps}.items():
                yield Parameter(f"counter.{counter.name}.{factor}", "counter", counter.name, factor, str(figure))
    for place, file in places.items():
        kind, _, stem = place.partition(".")
        if kind == "data" and file is not None and f"table.{stem}" not in places and stem != "counters":
            content = tomllib.loads(data.found(file).read_text(encoding="utf-8"))
            for keys, value in _leaves(content, ()):
                path = ".".join((place, *map(_step, keys)))
                yield Parameter(path, "data", stem, ", ".join(keys), value)


def _cells(rules: Rules[Any]) -> Iterator[Parameter]:
    for table in rules.tables.values():
        for throw, cells in table.rows.items():
            for head, cell in zip(table.heads, cells, strict=True):
                path = ".".join(("table", *map(_step, (table.name, str(throw), head))))
                yield Parameter(path, "table", table.name, f"roll {throw}, column {head}", str(cell))


def _leaves(value: Any, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the numbers in a data file, each with its path: keys, list indexes or names of rows."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, (*keys, key))
    elif isinstance(value, list):
        names = [row.get("name") if isinstance(row, dict) else None for row in value]
        for place, inner in enumerate(value):
            name = names[place]
            named = isinstance(name, str) and '"' not in name and names.count(name) == 1 and not name.isdecimal()
            yield from _leaves(inner, (*keys, name if named and isinstance(name, str) else str(place)))
    elif isinstance(value, bool):
        yield keys, str(value).lower()
    elif isinstance(value, int | float) or (isinstance(value, str) and NUMBER.fullmatch(value)):
        yield keys, str(value)


def _step(step: str) -> str:
    """Return a step of a path, in quotation marks if it contains a dot."""
    return f'"{step}"' if "." in step else step
