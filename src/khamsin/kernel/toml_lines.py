"""TOML with line numbers, so that an error in a file can name its line.

>>> toml = Toml('turn = 1\\n[units]\\n"0408" = ["T1",\\n  "M1"]\\n')
>>> toml.data["units"]["0408"], toml.line("units", "0408", 1), toml.line("units", "9999")
(['T1', 'M1'], 4, 2)
"""

from __future__ import annotations

import re
import tomllib
from functools import cached_property
from typing import Any

TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}' r"|'''.*?'{3,5}" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'"
    r"|#[^\n]*|\n|[\[\]{}=,.]" r"""|[^\s\[\]{}=,."'#]+""",
    re.DOTALL,
)  # fmt: skip

Path = tuple[str | int, ...]


class TomlError(ValueError):
    """A text that is not TOML: the line and the error."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class Toml:
    """A TOML text: its data, and the line of each value."""

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self.data: dict[str, Any] = tomllib.loads(text)
        except RecursionError:
            raise TomlError(1, "nested too deep") from None
        except ValueError as error:
            lines = text.splitlines()
            named = re.search(r"at line (\d+)", str(error))
            endless = (number for number, line in enumerate(lines, 1) if re.search(r"[0-9]{4000}", line))
            raise TomlError(int(named[1]) if named else next(endless, len(lines)), str(error)) from None

    def line(self, *path: str | int) -> int:
        """Return the line of the value at a path of keys and list indexes, or of the nearest value that contains it."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    @cached_property
    def _lines(self) -> dict[Path, int]:
        return _Scan(self.text).lines


class _Scan:
    """One pass through a text that is known to be valid TOML."""

    def __init__(self, text: str) -> None:
        self.lines: dict[Path, int] = {}
        self.tokens: list[tuple[str, int]] = []
        self.at = 0
        line, end = 1, 0
        for found in TOKEN.finditer(text):
            line += text.count("\n", end, found.start())
            end = found.start()
            if not found[0].startswith("#"):
                self.tokens.append((found[0], line))
        self.tokens.append(("", line))
        self.document()

    @property
    def token(self) -> str:
        return self.tokens[self.at][0]

    def document(self) -> None:
        table: Path = ()
        lists: dict[Path, int] = {}
        while self.token:
            if self.token == "\n":
                self.at += 1
            elif self.token != "[":
                self.pair(table)
            else:
                line = self.tokens[self.at][1]
                brackets = 2 if self.tokens[self.at + 1][0] == "[" else 1
                self.at += brackets
                table = ()
                *outer, last = self.key()
                for name in outer:
                    table = (*table, name)
                    self.lines.setdefault(table, line)
                    table = (*table, lists[table] - 1) if table in lists else table
                table = (*table, last)
                self.lines.setdefault(table, line)
                if brackets == 2:
                    lists[table] = lists.get(table, 0) + 1
                    table = (*table, lists[table] - 1)
                    self.lines[table] = line
                self.at += brackets

    def key(self) -> list[str]:
        """Return a dotted key."""
        names = []
        while True:
            names.append(tomllib.loads(f"x = {self.token}")["x"] if self.token[0] in "\"'" else self.token)
            self.at += 1
            if self.token != ".":
                return names
            self.at += 1

    def pair(self, table: Path) -> None:
        """A key and its value."""
        line = self.tokens[self.at][1]
        for name in self.key():
            table = (*table, name)
            self.lines.setdefault(table, line)
        self.at += 1
        self.value(table)

    def value(self, path: Path) -> None:
        """A value: what it holds, if it holds something."""
        if self.token == "[":
            self.at += 1
            count = 0
            while self.token != "]":
                if self.token in ("\n", ","):
                    self.at += 1
                    continue
                self.lines[*path, count] = self.tokens[self.at][1]
                self.value((*path, count))
                count += 1
            self.at += 1
        elif self.token == "{":
            self.at += 1
            while self.token != "}":
                if self.token in ("\n", ","):
                    self.at += 1
                else:
                    self.pair(path)
            self.at += 1
        else:
            while self.token not in ("", "\n", ",", "]", "}"):
                self.at += 1
