"""Artillery and barrage (1.12, 1.10b, SCS 7)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from khamsin.games.afrika import RULES, barrage
from khamsin.games.afrika.units import ALLIED, AXIS, BOARD, NUMBER, Fire, G
from tests.rulebook.afrika.table import game, legal, match, refused, rule_of, steps


def fire(g: G, guns: list[str], hex: str, air: int = 0) -> Fire:
    return Fire(AXIS, tuple(NUMBER[gun] for gun in guns), BOARD[hex], air)


def test_artillery_reaches_two_hexes() -> None:
    """Over anything (1.5a, 1.5b, 1.12, SCS 7.2)."""
    g = game({"A32.18": ["21 Artillery Rgt"], "A32.20": ["6 NZ Bde/2 NZ"], "A32.21": ["5 NZ Bde/2 NZ"]})
    gun = NUMBER["21 Artillery Rgt"]
    assert barrage.why_not_fired(g, gun, BOARD["A32.20"]) is None
    assert rule_of(barrage.why_not_fired(g, gun, BOARD["A32.21"])) == "1.12"
    assert barrage.targets(g, AXIS) == [BOARD["A32.20"]]
    g = game({"A34.23": ["21 Artillery Rgt"], "A34.24": ["6 NZ Bde/2 NZ"]})
    assert barrage.targets(g, AXIS) == [BOARD["A34.24"]], "across an escarpment"


def test_air_points_reach_any_hex_of_the_map() -> None:
    """(1.10a, 1.10b)"""
    g = game({"A32.18": ["Pavia Div"], "A50.15": ["6 NZ Bde/2 NZ"], "Allied Dead Pile": ["5 NZ Bde/2 NZ"]}, air=(1, 0))
    assert barrage.targets(g, AXIS) == [BOARD["A50.15"]]


def test_an_air_point_is_five_barrage_points_and_all_add_up() -> None:
    """Artillery out of supply fires at half (1.10b, 1.12e, SCS 7.2, SCS 7.4)."""
    g = game({"A32.18": ["21 Artillery Rgt", "155 Artillery Rgt/5 Le"], "A32.20": ["6 NZ Bde/2 NZ"]})
    guns = ["21 Artillery Rgt", "155 Artillery Rgt/5 Le"]
    assert barrage.strength(g, fire(g, guns, "A32.20", 2)) == 4 + 6 + 10
    g = game({"A32.18": ["190 Artillery Rgt/90 Le [oos]"], "A32.20": ["6 NZ Bde/2 NZ"]})
    assert barrage.strength(g, fire(g, ["190 Artillery Rgt/90 Le"], "A32.20")) == Fraction(5, 2)


@pytest.mark.parametrize(
    ("hex", "boxes", "scenario", "left"),
    [
        ("A32.19", False, "gazala", 0), ("A32.19", True, "gazala", -1), ("A39.23", False, "gazala", -3),
        ("A30.28", False, "gazala", -1), ("B19.18", False, "first-alamein", -2),
    ],
)  # fmt: skip
def test_terrain_and_works_shift_a_barrage_left(hex: str, boxes: bool, scenario: str, left: int) -> None:
    """(1.12c, 1.15, 1.16, SCS 7.5, SCS 12.3)"""
    near = next(name for name in map(BOARD.name, BOARD.around(BOARD[hex])) if BOARD.enterable(BOARD[name]))
    units = {near: ["21 Artillery Rgt"], hex: ["6 NZ Bde/2 NZ"]}
    g = game(units, boxes={"allied": [hex]} if boxes else None, scenario=scenario)
    assert sum(one.value for one in barrage.shifts(g, fire(g, ["21 Artillery Rgt"], hex))) == left


def test_without_a_unit_next_to_the_target_a_barrage_shifts_two_left() -> None:
    """(SCS 12.3)"""
    g = game({"A32.17": ["21 Artillery Rgt"], "A32.19": ["6 NZ Bde/2 NZ"]})
    assert sum(one.value for one in barrage.shifts(g, fire(g, ["21 Artillery Rgt"], "A32.19"))) == -2


def test_each_hex_is_barraged_once_and_each_gun_fires_once_with_all_its_strength() -> None:
    """(1.12a, 1.12b, SCS 7.3)"""
    units = {
        "A32.18": ["21 Artillery Rgt", "10 Artillery Rgt"],
        "A32.19": ["6 NZ Bde/2 NZ"],
        "A33.18": ["5 NZ Bde/2 NZ"],
    }
    m = match(units, phase="axis combat", dice=[1, 1])
    m.play(["A32.19", "10 Artillery Rgt", "air 0"])
    assert refused(m, "A32.19") == "1.12b"
    m.play(["A33.18"])
    assert legal(m) == {"10 Artillery Rgt", "air 0", "cancel"}
    assert refused(m, "21 Artillery Rgt") == "1.12a"
    m.play(["10 Artillery Rgt"])
    assert refused(m, "air 0") == "1.12", "nothing is left to fire"


def test_barrages_come_before_attacks() -> None:
    """(1.12, SCS 7.1)"""
    m = match({"A32.18": ["21 Artillery Rgt", "Pavia Div"], "A32.19": ["6 NZ Bde/2 NZ"]}, phase="axis combat")
    assert m.decision.kind == "barrage.target"
    m.play(["done"])
    assert m.decision.kind == "combat.target"


def test_the_owner_removes_steps_and_nobody_retreats() -> None:
    """20 points on two brigades and a roll of 12: two steps, one each (SCS 7.5, SCS 7.6)."""
    units = {"A32.18": ["155 Artillery Rgt/5 Le", "104 Artillery Bde"], "A32.19": ["6 NZ Bde/2 NZ", "5 NZ Bde/2 NZ"]}
    m = match(units, phase="axis combat", air=(1, 0), dice=[6, 6])
    m.play(["A32.19", "air 1"])  # 6 + 9 + 5 points
    assert (m.decision.kind, m.decision.side) == ("combat.losses", ALLIED)
    m.play(["6 NZ Bde/2 NZ"])
    assert (steps(m, "6 NZ Bde/2 NZ"), steps(m, "5 NZ Bde/2 NZ")) == (2, 2)
    assert m.state.air["Axis"] == 0


def test_a_barrage_costs_no_supply() -> None:
    """Neither does combat: nothing but air points is spent (1.6c-2, SCS 7.4)."""
    m = match({"A32.18": ["21 Artillery Rgt"], "A32.19": ["6 NZ Bde/2 NZ"]}, phase="axis combat", dice=[1, 1])
    before = m.state.as_dict()
    m.play(["A32.19", "air 0"])
    changed = {key for key, value in m.state.as_dict().items() if value != before[key]}
    assert changed <= {"flags", "barraged", "phase", "todo", "origin"}


def test_the_preview_of_a_barrage_is_exact() -> None:
    """15 points: a step on 9 to 11, two on 12 (SCS 12.3)."""
    g = game({"A32.18": ["155 Artillery Rgt/5 Le", "104 Artillery Bde"], "A32.19": ["6 NZ Bde/2 NZ"]})
    odds = barrage.preview(g, fire(g, ["155 Artillery Rgt/5 Le", "104 Artillery Bde"], "A32.19"))
    assert (odds.column, odds.outcomes) == (
        "13-17", {"no effect": Fraction(26, 36), "defender loses 1": Fraction(9, 36), "defender loses 2": Fraction(1, 36)},
    )  # fmt: skip
    assert RULES.tables["barrage"].head(0) == "1"
    assert ("15 points", "column 13-17") in [(term.text, term.value) for term in odds.terms]
