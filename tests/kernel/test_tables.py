from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from khamsin.kernel import ReplayDice, Roll, SeededDice, Table, TableError, read_tables
from khamsin.kernel.tables import FACES, combine

THROWS = {
    "1d6": [((a,), a) for a in range(1, 7)],
    "2d6": [((a, b), a + b) for a, b in product(range(1, 7), repeat=2)],
    "d66": [((a, b), 10 * a + b) for a, b in product(range(1, 7), repeat=2)],
}
"""Every way the dice can fall, with the throw it is read as."""


def data(**changes: Any) -> dict[str, Any]:
    table = {
        "rule": "9", "dice": "1d6", "columns": "odds", "heads": ["1-2", "1-1", "3-2", "2-1"], "from": "made up",
        "rows": {"1": ["a", "b", "c", "d"], "2-5": ["b", "c", "d", "e"], "6": ["c", "d", "e", "f"]},
    }  # fmt: skip
    return {key: value for key, value in (table | changes).items() if value is not None}


@st.composite
def tables(draw: st.DrawFn) -> Table:
    dice = draw(st.sampled_from(sorted(FACES)))
    width = draw(st.integers(1, 4))
    cells = st.lists(st.integers(0, 3), min_size=width, max_size=width)
    rows = {str(throw): draw(cells) for throw in FACES[dice]}
    return Table.parse("t", data(dice=dice, columns="difference", heads=[str(n) for n in range(width)], rows=rows))


modifiers = st.integers(-40, 40)


@given(tables(), modifiers)
def test_the_chances_of_a_column_sum_to_one(table: Table, modifier: int) -> None:
    for column in range(len(table.heads)):
        assert sum(table.chances(column, modifier).values()) == 1


@given(tables(), modifiers, st.integers(0, 3), st.integers(-9, 9))
def test_chances_agree_with_every_way_the_dice_can_fall(table: Table, modifier: int, at: int, by: int) -> None:
    column = table.shift(min(at, len(table.heads) - 1), by)
    ways = THROWS[table.dice]
    fell = Counter(table.roll(ReplayDice(dice), column, modifier) for dice, _ in ways)
    assert table.chances(column, modifier) == {cell: Fraction(count, len(ways)) for cell, count in fell.items()}


@given(tables(), st.data())
def test_a_throw_is_read_as_the_dice_are_named(table: Table, chosen: st.DataObject) -> None:
    dice, throw = chosen.draw(st.sampled_from(THROWS[table.dice]))
    assert table.roll(ReplayDice(dice), 0) == table.result(0, throw) == table.rows[throw][0]


@given(tables(), modifiers)
def test_a_modifier_counts_in_rows_and_stops_at_the_ends(table: Table, modifier: int) -> None:
    throws = sorted(table.rows)
    for number, throw in enumerate(throws):
        expected = throws[max(0, min(number + modifier, len(throws) - 1))]
        assert table.result(0, throw, modifier) == table.rows[expected][0]


@given(tables(), st.integers(0, 3), st.integers(-9, 9))
def test_a_shift_stops_at_the_ends(table: Table, at: int, by: int) -> None:
    last = len(table.heads) - 1
    assert table.shift(min(at, last), by) == sorted((0, min(at, last) + by, last))[1]


@given(st.integers(0, 60), st.integers(1, 60))
def test_odds_are_rounded_in_favour_of_the_defence(attack: int, defence: int) -> None:
    table = Table.parse("t", data())
    least = [Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2)]
    column = table.odds(attack, defence)
    assert column == 0 or least[column] <= Fraction(attack, defence)
    assert column == 3 or Fraction(attack, defence) < least[column + 1]


def test_an_attack_on_nothing_has_the_best_odds() -> None:
    assert Table.parse("t", data()).odds(0, 0) == 3


def test_a_difference_below_the_first_head_uses_the_first_column() -> None:
    table = Table.parse("t", data(columns="difference", heads=["-2", "0", "3", ">9"]))
    assert [table.column(value) for value in (-9, -2, -1, 0, 2, 3, 9, 10, 99)] == [0, 0, 0, 1, 1, 2, 2, 3, 3]


def test_a_column_by_name_is_found_and_another_refused() -> None:
    table = Table.parse("t", data(columns="name", heads=["dry", "mud", "rain", "storm"]))
    assert table.head(table.column("mud")) == "mud"
    with pytest.raises(TableError, match="table t: expected a column of dry, mud, rain, storm, not 'snow'"):
        table.column("snow")


def test_a_name_does_not_choose_a_column_of_odds() -> None:
    with pytest.raises(TableError, match="not 'mud'"):
        Table.parse("t", data()).column("mud")


def test_the_least_result_is_what_is_certain() -> None:
    rows = {"1-5": [4, 10, 3, 0], "6": [12, 9, 3, 7]}
    assert [Table.parse("t", data(rows=rows)).least(column) for column in range(4)] == [4, 9, 3, 0]


def test_two_independent_throws_combine() -> None:
    chances = Table.parse("t", data()).chances(0)
    both = combine(chances, chances)
    assert sum(both.values()) == 1
    assert both["a", "b"] == Fraction(1, 6) * Fraction(4, 6)


@pytest.mark.parametrize("roll", [0, 7, 17, "3"])
def test_a_throw_the_dice_cannot_show_is_refused(roll: Any) -> None:
    with pytest.raises(TableError, match="expected a roll of 1d6"):
        Table.parse("t", data()).result(0, roll)


def test_negative_strengths_are_refused() -> None:
    with pytest.raises(TableError, match="not -1 to 4"):
        Table.parse("t", data()).odds(-1, 4)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"rule": None}, "expected a key 'rule'"),
        ({"from": None}, "expected a key 'from'"),
        ({"dice": "1d8"}, "expected dice to be one of 1d6, 2d6, d66, not '1d8'"),
        ({"columns": "weather"}, "expected columns by difference, odds or name, not 'weather'"),
        ({"heads": ["1-1", "1-2", "3-2", "2-1"]}, "expected heads in rising order, not 1-1, 1-2"),
        ({"heads": ["1-2", "1-1", "2-2", "2-1"]}, "expected heads in rising order"),
        ({"heads": ["1-2", "1-1", "3-2", "2-0"]}, "expected odds such as 3-1, not '2-0'"),
        ({"heads": ["1-2", "1-1", "3-2"]}, "expected 3 cells in row 1, not 4"),
        ({"columns": "difference"}, "expected a difference such as 3, 3+, 3-4 or >9, not '3-2'"),
        ({"rows": {"1-5": ["a"] * 4}}, "expected a row for every roll; 6 has none"),
        ({"rows": {"1-6": ["a"] * 4, "3": ["b"] * 4}}, "expected each roll once, and 3 appears twice"),
        ({"rows": {"one": ["a"] * 4}}, "expected a roll or a range of rolls, not 'one'"),
        ({"rows": {"6-1": ["a"] * 4}}, "expected rolls of 1d6, not '6-1'"),
        ({"rows": {"1-6": ["a"] * 4, "9": ["b"] * 4}}, "expected a row for every roll; 7 has none"),
        ({"rows": {"1-5": ["a"] * 4, "6+": ["b"] * 4, "7": ["c"] * 4}}, "expected no row beyond 6+"),
        ({"rows": {"0": ["a"] * 4, "1-": ["b"] * 4, "2-6": ["c"] * 4}}, "expected no row beyond 1-"),
        ({"rows": {"1-6": 4}}, "expected a list of numbers and texts in row 1-6, not 4"),
        ({"rows": {"1-6": "abcd"}}, "expected a list of numbers and texts in row 1-6, not 'abcd'"),
        ({"rows": {"1-6": [None] * 4}}, "expected a list of numbers and texts in row 1-6"),
        ({"rows": ["a"]}, "expected rows by their rolls, not ['a']"),
        ({"heads": 4}, "expected a list of heads, not 4"),
        ({"heads": []}, "expected a list of heads, not []"),
        ({"dice": ["1d6"]}, "expected dice to be one of 1d6, 2d6, d66, not ['1d6']"),
        ({"columns": "difference", "heads": ["1", "2", "3", ">x"]}, "expected a difference such as 3, 3+, 3-4 or >9"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_by_name_with_what_was_expected(
    changes: dict[str, Any], expected: str
) -> None:
    with pytest.raises(TableError) as refused:
        Table.parse("crt", data(**changes))
    assert str(refused.value).startswith(f"table crt: {expected}")


def test_what_is_no_table_is_refused_as_one() -> None:
    with pytest.raises(TableError, match="table crt: expected a table, not 3"):
        Table.parse("crt", 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("column", [-1, 4])
def test_a_column_that_is_not_there_is_refused(column: int) -> None:
    table = Table.parse("crt", data())
    for ask in (table.head, table.chances, lambda at: table.result(at, 3)):
        with pytest.raises(TableError, match=f"expected a column from 0 to 3, not {column}"):
            ask(column)


def test_modifiers_reach_rows_that_the_dice_do_not() -> None:
    rows = {str(n): [n] * 4 for n in range(-2, 10)}
    table = Table.parse("assault", data(rows=rows))
    assert [table.result(0, roll, by) for roll, by in ((1, -3), (1, -9), (3, 0), (6, 3), (6, 9))] == [-2, -2, 3, 9, 9]


def test_rows_may_be_open_at_both_ends() -> None:
    rows = {"1-": ["low"] * 4, "2-14": ["middle"] * 4, "15+": ["high"] * 4}
    table = Table.parse("supply", data(dice="2d6", rows=rows))
    assert [table.result(0, roll, by) for roll, by in ((2, -5), (2, -1), (2, 0), (12, 2), (12, 3), (12, 9))] == [
        "low", "low", "middle", "middle", "high", "high",
    ]  # fmt: skip
    assert table.chances(0, 3) == {"middle": Fraction(35, 36), "high": Fraction(1, 36)}


def test_a_range_may_begin_below_nothing() -> None:
    rows = {"-2-0": ["a"] * 4, "1-6": ["b"] * 4}
    assert Table.parse("t", data(rows=rows)).result(0, 1, -2) == "a"


def test_heads_may_be_ranges_as_printed() -> None:
    table = Table.parse("barrage", data(columns="difference", heads=["0-1", "2", "3-4", "5+"]))
    assert [table.column(n) for n in (0, 1, 2, 3, 4, 5, 99)] == [0, 0, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("dice", sorted(FACES))
def test_a_throw_may_be_for_one_side_alone(dice: str) -> None:
    heard: list[Roll] = []
    stream = SeededDice(1)
    stream.on_roll = heard.append
    Table.parse("crt", data(dice=dice, rows={"1-66": ["a"] * 4})).roll(stream, 0, to=1)
    assert {roll.to for roll in heard} == {1}


def test_the_tables_of_a_file_are_read_and_a_fault_names_file_and_table(tmp_path: Path) -> None:
    file = tmp_path / "tables.toml"
    text = '[crt]\nrule="9"\ndice="1d6"\ncolumns="name"\nheads=["x"]\nfrom="made up"\nrows={"1-6"=["a"]}\n'
    file.write_text(text, encoding="utf-8")
    assert read_tables(file)["crt"].chances(0) == {"a": 1}
    file.write_text(text.replace("1d6", "1d8"), encoding="utf-8")
    with pytest.raises(TableError, match=f"table crt of {file}: expected dice"):
        read_tables(file)


@pytest.mark.parametrize("text", [None, "[crt\n"])
def test_a_file_of_tables_that_cannot_be_read_is_named(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "tables.toml"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(TableError, match=f"{file}: expected"):
        read_tables(file)
