"""Data files: your own copy stands in for what ships, and a single figure can be changed for a process."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from khamsin import games
from khamsin.kernel import data
from khamsin.kernel.board import Board, folder_of
from khamsin.kernel.data import ChangeError
from khamsin.kernel.pieces import Counter
from khamsin.kernel.registration import GAMES
from khamsin.kernel.tables import read_tables

TABLES = GAMES / "paa" / "data" / "tables.toml"
COMBAT = GAMES / "paa" / "data" / "combat.toml"
SCHEDULE = GAMES / "paa" / "data" / "schedule.toml"
TANK = Counter("5/1.PZ", 0, factors={"cf": 3, "mf": 60})


@pytest.fixture(autouse=True)
def nothing_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "_changes", [])
    monkeypatch.setattr(data, "_used", set())
    monkeypatch.setattr(data, "_own", {})


def test_a_file_of_your_own_stands_in_for_the_one_that_ships(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "paa" / "combat.toml"
    own.parent.mkdir()
    own.write_text(COMBAT.read_text().replace("german = 4", "german = 3"))
    monkeypatch.setenv("KHAMSIN_DATA", str(tmp_path))
    assert data.read(COMBAT)["counter"]["german"] == 3
    assert data.found(TABLES) == TABLES


def test_a_board_file_of_your_own_stands_in_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "paa" / "board" / "places.csv"
    own.parent.mkdir(parents=True)
    own.write_text("name,hex,kind,rank,from\nNew Town,1925,town,1,found: my copy\n")
    monkeypatch.setenv("KHAMSIN_DATA", str(tmp_path))
    assert [place.name for place in Board.read(folder_of("paa")).places] == ["New Town"]


def test_a_cell_of_a_table_is_changed_and_its_chances_with_it() -> None:
    before = read_tables(TABLES)
    data.change("paa", {"table.crt.3.2": "8", "table.capture.4.fate": "captured", "table.crt.1.>9": "12"})
    after = read_tables(TABLES)
    assert (before["crt"].result(2, 3), after["crt"].result(2, 3), after["crt"].result(10, 1)) == (2, 8, 12)
    captured = [tables["capture"].chances(0)["captured"] for tables in (before, after)]
    assert captured == [Fraction(1, 3), Fraction(1, 2)]
    assert data.unused() == []


def test_a_factor_and_the_steps_of_a_counter_are_changed_though_its_name_holds_a_dot() -> None:
    data.change("paa", {"counter.5/1.PZ.cf": "9", "counter.5/1.PZ.steps": "2"})
    (tank,) = data.counters("paa", [TANK])
    assert (tank.factors, tank.steps) == ({"cf": 9, "mf": 60}, 2)
    assert data.counters("na41", [TANK]) == (TANK,)


def test_anything_in_a_file_is_changed_and_keeps_its_kind() -> None:
    data.change("paa", {"data.combat.counter.german": "3", "data.combat.defence.rough": "3/2"})
    combat = data.read(COMBAT)
    assert (combat["counter"]["german"], combat["defence"]["rough"]) == (3, "3/2")


def test_a_row_of_a_list_is_found_by_its_place_or_its_name() -> None:
    assert data.read(SCHEDULE)["spread"][0]["hex"] != "0701"
    data.change("paa", {"data.schedule.spread.0.hex": "0701", "data.counters.unit.DE 104/IREGT.cf": "7"})
    assert data.read(SCHEDULE)["spread"][0]["hex"] == "0701"
    rows = data.read(GAMES / "paa" / "data" / "counters.toml")["unit"]
    assert next(row["cf"] for row in rows if row["name"] == "DE 104/IREGT") == 7


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("table.crt.7.2", "1", "expected a roll of 1, 2"),
        ("table.crt.3.x", "1", "expected a column of 0, 1"),
        ("table.crt.3", "1", "expected table.NAME.ROLL.COLUMN"),
        ("table.odds.3.2", "1", "expected a table of crt"),
        ("table.crt.3.2", "many", "expected something like 2, not 'many'"),
        ("data.tables.crt.colour", "1", "expected one of rule, dice"),
        ("data.tables.crt.heads.99", "1", "expected an index from 0 to 10"),
        ("data.tables.crt.rule.x", "1", "expected nothing below '12.4.3'"),
    ],
)
def test_a_change_that_fits_nothing_says_what_would(path: str, value: str, expected: str) -> None:
    data.change("paa", {path: value})
    with pytest.raises(ChangeError, match=expected):
        read_tables(TABLES)


def test_a_counter_or_factor_that_does_not_exist_is_refused() -> None:
    data.change("paa", {"counter.5/1.PZ.speed": "1"})
    with pytest.raises(ChangeError, match="expected one of cf, mf or steps"):
        data.counters("paa", [TANK])
    with pytest.raises(ChangeError, match="expected a counter of paa"):
        data.counters("paa", [])


def test_the_fingerprint_of_a_game_knows_of_every_change_and_of_files_of_your_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prints = [digest()]
    data.change("paa", {"data.combat.counter.german": "3"})
    data.read(COMBAT)
    prints.append(digest())
    own = tmp_path / "paa" / "combat.toml"
    own.parent.mkdir()
    own.write_text(COMBAT.read_text())
    monkeypatch.setenv("KHAMSIN_DATA", str(tmp_path))
    data.read(COMBAT)
    prints.append(digest())
    assert len(set(prints)) == 3
    monkeypatch.setattr(data, "_used", set())
    monkeypatch.setattr(data, "_own", {})
    assert digest() == prints[0]


def digest() -> str:
    """The fingerprint of the game, worked out anew."""
    return replace(games.load("paa")).digest


def test_a_change_that_nothing_asked_for_is_told() -> None:
    data.change("paa", {"data.combat.counter.german": "3", "data.nothing.at.all": "1"})
    data.read(COMBAT)
    assert data.unused() == ["data.nothing.at.all"]
