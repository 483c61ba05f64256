"""The line count puts every line of a game into one class."""

from __future__ import annotations

from pathlib import Path

import pytest

from khamsin import games, line_count

COMBAT = '''
"""Combat (4)."""

from khamsin.games.toy import hexes
from khamsin.kernel.cache import cached
from khamsin.kernel.rules import Refusal


def why_not_attack(g, unit) -> Refusal | None:
    """Decides and explains."""
    return Refusal("it has fought", "4") if spent(g, unit) else None


def ready(g):
    return [unit for unit in g.units if why_not_attack(g, unit) is None]


def spent(g, unit):
    return bool(g.flags[unit])


def why_not(g, decision, click) -> Refusal | None:
    """Explains only."""
    return REASONS[decision.kind](g, click)


def _too_far(g, click) -> Refusal | None:
    return Refusal(_words(click), "4")


def _words(click):
    return "it is too far"


REASONS = {"combat.target": _too_far}


def combat(g):
    yield g.ask(0, "combat.target", "Attack", "4", units=ready(g), why_not=why_not)
    hexes.cross(g)


@cached(lambda g: g.version)
def strength(g):
    return 3
'''
HEXES = """
from functools import lru_cache
KNOWN = Memo(64)
def cross(g):
    KNOWN[g.version] = 1
    return 2
class Open(LazyClicks):
    def __iter__(self):
        return iter(())
"""


def written(tmp_path: Path) -> Path:
    package = tmp_path / "toy"
    package.mkdir()
    for name, text in {
        "combat": COMBAT,
        "hexes": HEXES,
        "display": "from khamsin.games.toy.combat import spent\n\nSHOWN = spent\n",
        "setup": "def place(g):\n    return 1\n",
        "units": "STRENGTH = [1, 2]\n\n\ndef strength(unit):\n    return STRENGTH[unit]\n",
        "__init__": "import khamsin\n\n\ndef phases(state):\n    return ()\n\n\nRULES = Rules(\n    id='toy',\n)\n",
    }.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    return package


def test_lines_are_counted_by_what_they_do(tmp_path: Path) -> None:
    files = line_count.count(written(tmp_path))
    assert list(files["combat.py"].values()) == [13, 0, 8, 0, 1, 3]
    assert list(files["hexes.py"].values()) == [2, 0, 0, 0, 5, 1]
    assert list(files["display.py"].values()) == [0, 0, 0, 1, 0, 1]
    assert list(files["setup.py"].values()) == [0, 2, 0, 0, 0, 0]
    assert list(files["units.py"].values()) == [2, 1, 0, 0, 0, 0]
    assert list(files["__init__.py"].values()) == [2, 3, 0, 0, 0, 1]


def test_what_decides_is_a_rule_and_what_only_explains_is_a_refusal(tmp_path: Path) -> None:
    """Also by a constant that holds the function; and what only refusals use explains with them."""
    package = written(tmp_path)
    modules = {file.stem: line_count._read(file, package.name) for file in package.glob("*.py")}
    assert {name for _, name in line_count.only_explain(modules)} == {"why_not", "_too_far", "_words", "REASONS"}


@pytest.mark.parametrize("game", games.playable())
def test_every_line_counts_once(game: str) -> None:
    folder = line_count.package(game)
    files = line_count.count(folder)
    for file, counts in files.items():
        text = (folder / file).read_text(encoding="utf-8")
        assert sum(counts.values()) == sum(bool(line.strip()) for line in text.splitlines())
    assert all(line_count.total(files).values())


def test_a_game_without_code_is_refused() -> None:
    with pytest.raises(ValueError, match="no code of this game"):
        line_count.package("toy")
