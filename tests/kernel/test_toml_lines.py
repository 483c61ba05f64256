from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from khamsin.kernel.toml_lines import Toml, TomlError

TEXT = '''# a comment with a = 1
title = "A = [1]"  # "quoted
dotted.name = 1.5
"quoted \\u0041" = """
three
lines"""
day = 1979-05-27 07:32:00
list = [
  "a", # one
  'b', ["c",
  {d = {e = [1, 2]}}],
]
[[area]]
name = "first"
[area.figures]
size = 3
[[area]]
name = "second"
[deep."er.".down]
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 2),
        (("dotted", "name"), 3),
        (("quoted A",), 4),
        (("day",), 7),
        (("list",), 8),
        (("list", 0), 9),
        (("list", 1), 10),
        (("list", 2, 0), 10),
        (("list", 2, 1, "d", "e", 1), 11),
        (("area",), 13),
        (("area", 0, "name"), 14),
        (("area", 0, "figures", "size"), 16),
        (("area", 1), 17),
        (("area", 1, "name"), 18),
        (("deep", "er.", "down"), 19),
    ],
)
def test_everything_has_its_line(path: tuple[str | int, ...], line: int) -> None:
    assert Toml(TEXT).line(*path) == line


def test_what_is_not_there_has_the_line_of_what_would_hold_it() -> None:
    toml = Toml(TEXT)
    assert toml.line("area", 1, "colour") == 17
    assert toml.line("nothing", "at all") == 1


def paths(data: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield (*path, key)
        yield from paths(value, (*path, key))


@pytest.mark.parametrize("file", sorted(Path(__file__).parents[2].glob("src/khamsin/games/*/data/**/*.toml")), ids=str)
def test_everything_in_every_data_file_has_its_line(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    toml = Toml(text)
    lines = text.split("\n")
    for path in paths(toml.data):
        assert path in toml._lines
        if isinstance(path[-1], str):
            assert path[-1].split()[0] in lines[toml.line(*path) - 1]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("a = 1\nb = \n", 2, "Invalid value"),
        ("a = 1\n[b", 2, "Expected"),
        ("a = 1\nb = " + "9" * 5000 + "\nc = 1", 2, "Exceeds the limit"),
        ("a = " + "[" * 5000, 1, "nested too deep"),
    ],
    ids=["value", "end", "digits", "depth"],
)
def test_what_is_no_toml_is_refused_with_its_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(TomlError) as error:
        Toml(text)
    assert error.value.line == line
    assert reason in error.value.reason
