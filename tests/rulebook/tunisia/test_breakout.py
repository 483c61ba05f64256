"""Breakout (OCS 11.3)."""

from __future__ import annotations

from khamsin.games.tunisia import breakout, control
from khamsin.games.tunisia.units import AXIS, BOARD, NUMBER
from tests.rulebook.tunisia.table import game, match, number, rule_of, where


def test_who_breaks_out() -> None:
    """Only units without trace; later only past the enemy to a friend in supply, 15 hexes away at most (OCS 11.3)."""
    g = game({"B47.20": ["47 Inf"], "B62.10": ["190 Pz"]})
    assert rule_of(breakout.why_not(g, AXIS, number("47 Inf"))) == "OCS 11.3"
    assert breakout.why_not(g, AXIS, number("190 Pz")) is None
    g = game({"B47.20": ["47 Inf"], "B62.10": ["190 Pz [oos]"]})
    far = BOARD.distance(BOARD["B47.20"], BOARD["B62.10"]) > breakout.NEAR
    assert (breakout.why_not(g, AXIS, number("190 Pz")) is not None) == far
    g = game({"B47.20": ["47 Inf"], "B55.15": ["190 Pz [oos]"]})
    assert breakout.has_path(g, AXIS, NUMBER["190 Pz"], {NUMBER["190 Pz"]})


def test_the_roll() -> None:
    """5 or 6, on the first turn cut off 4 too; it returns after another die (OCS 11.3)."""
    m = match({"B62.10": ["190 Pz"]}, dice=[4, 2])
    m.play(["190 Pz", "breakout"])
    assert where(m, "190 Pz") == "Axis Breakout"
    assert m.state.due[NUMBER["190 Pz"]] == m.state.turn + 2
    g = game({"B62.10": ["190 Pz [oos]"]}, dice=[4])
    breakout.attempt(g, AXIS, number("190 Pz"))
    assert where(g, "190 Pz") == "Axis Dead Pile"


def test_the_return() -> None:
    """At a supply source on its turn (OCS 11.3)."""
    g = game({"Axis Breakout": ["190 Pz"]}, turn=36)
    g.state.due[NUMBER["190 Pz"]] = 37
    breakout.come_back(g, AXIS)
    assert where(g, "190 Pz") == "Axis Breakout"
    g.state.turn = 37
    breakout.come_back(g, AXIS)
    assert where(g, "190 Pz") == "B47.20"


def test_who_returns_takes_what_the_enemy_has() -> None:
    """An enemy dump at the supply source is captured as by any unit that enters (OCS 9.3, OCS 11.3)."""
    source = BOARD["B47.20"]
    g = game({"Axis Breakout": ["190 Pz"]}, turn=37, allied={"B47.20": 4}, dice=[6])
    breakout.come_back(g, AXIS)
    assert (where(g, "190 Pz"), source in g.state.allied_t) == ("B47.20", False)
    assert g.state.axis_t.get(source, 0) == control.percent(4, control.CAPTURE["dump"][5])
