"""The style table: `style.toml`, looked up by the name of a kind."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "style.toml"
Entry = dict[str, Any]


@cache
def table() -> Entry:
    """Return the whole table."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


@cache
def look(section: str, name: str) -> Entry:
    """How a kind is drawn.

    >>> look("side", "primary road")["form"], look("side", "conveyor belt")["form"]
    ('line', 'line')
    """
    entry = dict(table()[section].get(_key(section, name), {}))
    like = str(entry.pop("like", ""))
    if like:
        other, _, key = like.rpartition(".")
        entry = {**look(other or section, key), **entry}
    return {**({} if like else table()[section].get("default", {})), **entry}


def _key(section: str, name: str) -> str:
    entries = table()[section]
    return next((key for key in (name, name.split()[-1] if name else "") if key in entries), "default")
