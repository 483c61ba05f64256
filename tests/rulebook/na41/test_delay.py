"""Delay markers (24)."""

from __future__ import annotations

import pytest

from khamsin.games.na41 import RULES, delay
from khamsin.games.na41.units import ALLIED, AXIS, BOARD, G
from khamsin.kernel.rules import ROLLED
from tests.rulebook.na41.table import drive, game, kind, legal, match, refused

PHASE = "impulse 2 axis delay"


def texts(g: G) -> list[str]:
    """What the log tells under 24.3.2 besides the rolls."""
    return [g.text(event) for event in g.events if event.rule == "24.3.2" and event.text != ROLLED]


def test_two_markers_are_placed_away_from_enemies_and_one_another() -> None:
    """Nor next to a Fortification, nor in an enemy port or airfield (24.1, 24.3.1)."""
    units = {"2425": ["8 MG/5L"], "2526": ["1 THR"], "2634": ["Allied Truck 1"]}
    m = match(units, phase=PHASE, control={"Allied": ["3041"]}, forts={"Axis": ["2530"]})
    assert refused(m, "2526") == refused(m, "2527") == refused(m, "2635") == "24.3.1"
    assert refused(m, "3041") == refused(m, "2531") == refused(m, "2747") == "24.3.1"
    m.play(["2420"])
    assert refused(m, "2421") == "24.3.1"
    m.play(["2413"])
    assert kind(m) != "delay.place"


@pytest.mark.parametrize(
    ("hex", "reason"),
    [
        ("2526", "an enemy unit is there"),
        ("2527", "an enemy unit is adjacent, in 2526"),
        ("2530", "a Fortification is there"),
        ("2531", "a Fortification is adjacent, in 2530"),
        ("3041", "a port or airfield of the enemy is there"),
    ],
)
def test_a_refused_hex_has_one_reason(hex: str, reason: str) -> None:
    """(24.3.1)"""
    m = match(
        {"2425": ["8 MG/5L"], "2526": ["1 THR"]}, phase=PHASE, control={"Allied": ["3041"]}, forts={"Axis": ["2530"]}
    )
    assert m.explain(RULES.parse(hex)).reason == f"A Delay marker cannot be placed in {hex}: {reason}"


def test_two_dice_remove_the_markers_of_their_numbers() -> None:
    """A 2 and a 3 remove marker 2 (24.3.2, example 24.3.2)."""
    g = game({"2425": ["8 MG/5L"]}, dice=[2, 3])
    for number, hex in ((1, "2413"), (2, "2420")):
        g.state.delay[BOARD[hex]], g.state.number[BOARD[hex]] = AXIS, number
    delay.remove_at_random(g, AXIS)
    assert {BOARD.name(hex) for hex in g.state.delay} == {"2413"}
    assert texts(g) == ["Delay marker 2 in 2420 is removed: it can be placed again"]


def test_a_roll_that_removes_no_marker_says_so() -> None:
    """(24.3.2)"""
    g = game({"2425": ["8 MG/5L"]}, dice=[5, 3])
    g.state.delay[BOARD["2413"]], g.state.number[BOARD["2413"]] = AXIS, 1
    delay.remove_at_random(g, AXIS)
    assert texts(g) == ["Axis Delay markers stay: none on the map has number 3 or 5"]


def test_the_owner_takes_markers_off_after_the_roll() -> None:
    """(24.3.3)"""
    m = match({"2425": ["8 MG/5L"]}, phase=PHASE, dice=[5, 6])
    m.play(["2413", "done"])
    assert kind(m) == "delay.remove"
    assert refused(m, "2414") == "24.3.3"
    m.play(["2413"])
    assert not m.state.delay


def test_markers_under_enemy_units_are_removed() -> None:
    """Trucks and Supply Points included, in every Delay Phase (2.3.1, 24.3.4)."""
    g = game({"2413": ["Allied Truck 1"], "2420": ["8 MG/5L"], "2425": ["1 THR"]}, supply={"Axis": {"2427": 1}})
    for number, hex, side in ((1, "2413", AXIS), (2, "2430", AXIS), (1, "2420", ALLIED), (2, "2427", ALLIED)):
        g.state.delay[BOARD[hex]], g.state.number[BOARD[hex]] = side, number
    delay.remove_overrun(g)
    assert {BOARD.name(hex) for hex in g.state.delay} == {"2430"}


def test_strafing_and_lrdg_markers_leave_in_the_next_friendly_delay_phase() -> None:
    """(18.7.5, 18.8, 24.3.5)"""
    g = game({"2425": ["8 MG/5L"]}, phase="impulse 2 allied delay")
    g.state.strafed[BOARD["2430"]], g.state.lrdg[BOARD["2431"]] = ALLIED, 1
    g.state.strafed[BOARD["2440"]] = AXIS
    drive(g, delay.delay_phase(g, ALLIED))
    assert {BOARD.name(hex) for hex in g.state.strafed} == {"2440"}
    assert not g.state.lrdg


def test_placing_is_voluntary() -> None:
    """(24.3.1)"""
    m = match({"2425": ["8 MG/5L"]}, phase=PHASE, dice=[5, 6])
    assert "done" in legal(m)
