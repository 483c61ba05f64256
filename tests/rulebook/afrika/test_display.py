"""What players are shown of Afrika."""

from __future__ import annotations

import pytest

from khamsin.games.afrika.display import DISPLAY
from khamsin.games.afrika.scenario import NAMES, SETTINGS
from khamsin.games.afrika.units import AXIS, BOARD, NUMBER
from khamsin.kernel.board import NOWHERE
from tests.rulebook.afrika.table import RULES, begun, game, match


def test_a_counter_shows_the_face_that_is_up() -> None:
    """(1.4, SCS 1.1)"""
    g = game({"A32.18": ["5 Pz Rgt/5 Le [steps 3]", "155 Artillery Rgt/5 Le", "Rommel"]})
    assert [DISPLAY.face(g, NUMBER[name]) for name in ("5 Pz Rgt/5 Le", "155 Artillery Rgt/5 Le", "Rommel")] == [
        "5-3-20", "(6)-1-15", "",
    ]  # fmt: skip
    assert [badge.mark for badge in DISPLAY.badges(g, NUMBER["5 Pz Rgt/5 Le"])] == ["3/4"]


def test_boxes_and_ports_are_marked_on_the_map() -> None:
    """(1.9d, 1.16)"""
    g = game({"A32.18": ["Pavia Div"]}, boxes={"axis": ["A32.18"]}, allied=["A39.23"])
    assert {(BOARD.name(mark.place), mark.kind) for mark in DISPLAY.marks(g, AXIS)} == {
        ("A32.18", "strongpoint"), ("A39.23", "port"),
    }  # fmt: skip


@pytest.mark.parametrize("scenario", NAMES)
def test_every_scenario_has_objectives_and_dates(scenario: str) -> None:
    """(4.1, 4.2, 4.3, 4.4, 4.5, 5.1, 5.2)"""
    g = begun(scenario).game
    assert list(DISPLAY.objectives(g, NOWHERE))
    assert len(DISPLAY.turns(g)) == SETTINGS[scenario].last


def test_an_attack_has_a_sheet_before_it_is_declared() -> None:
    """(SCS 8.6)"""
    m = match({"A31.18": ["8 Pz Rgt/15 Pz", "104 Shu Rgt/5 Le"], "A32.18": ["3 Ind Mtrd Bde"]}, phase="axis combat")
    (sheet,) = DISPLAY.sheets(m.game, m.decision, RULES.parse("A32.18"))
    assert sheet.odds.column == "5:1"
