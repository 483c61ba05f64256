"""Provenance of a game's data: every row of its files that has a `from`, counted by source."""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from khamsin.kernel import data as files
from khamsin.kernel.registration import registrations

MARKS = ("rulebook", "found", "reconstructed")


@dataclass(frozen=True, slots=True)
class Datum:
    """An entry of a data file and its source."""

    file: str
    what: str
    source: str

    @property
    def mark(self) -> str:
        """rulebook, found or reconstructed; anything else is unmarked."""
        word = re.match(r"[a-z]*", self.source)
        return word[0] if word and word[0] in MARKS else "unmarked"


def data(game: str) -> list[Datum]:
    """Yield every entry of a game's data files that names its source."""
    folder = registrations()[game].folder / "data"
    found: list[Datum] = []
    for file in sorted(folder.rglob("*")):
        name, file = str(file.relative_to(folder)), files.found(file)
        if file.suffix == ".csv":
            found += _csv(file, name)
        elif file.suffix == ".toml" and file.name != "expect.toml":
            found += _toml(tomllib.loads(file.read_text(encoding="utf-8")), name, "")
    return found


def _csv(file: Path, name: str) -> Iterator[Datum]:
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(line for line in lines if not line.startswith("#")):
            if "hex" in row and "terrain" in row:
                what = f"{row['hex']} {row['terrain']}"
            elif "a" in row:
                what = f"{row['a']}/{row['b']} {row['kind']}"
            else:
                what = " ".join(list(row.values())[:2])
            yield Datum(name, what, row.get("from", ""))


def _toml(value: Any, name: str, path: str) -> Iterator[Datum]:
    if isinstance(value, dict):
        if isinstance(value.get("from"), str):
            yield Datum(name, str(value.get("name") or value.get("title") or path), value["from"])
        for key, inner in value.items():
            yield from _toml(inner, name, f"{path}.{key}".strip("."))
    elif isinstance(value, list):
        for inner in value:
            yield from _toml(inner, name, path)
