"""Stacking (4)."""

from __future__ import annotations

from khamsin.games.na41 import stacking, supply
from khamsin.games.na41.display import DISPLAY
from khamsin.games.na41.units import AXIS, BOARD, NUMBER
from tests.rulebook.na41.table import drive, game, kind, legal, match, refused, steps, where


def total(*units: str) -> int:
    """The stacking points of units at full strength."""
    return stacking.points(game({"2634": list(units)}), [NUMBER[unit] for unit in units])


def test_a_stack_of_five_points_has_a_tank_for_free() -> None:
    """(4.1, 4.2, 4.3, example 4.3)"""
    assert total("104/15", "115/15", "K15/15", "I/8/15") == 5
    assert stacking.LIMIT == 5


def test_each_further_silhouetted_unit_counts_one() -> None:
    """Tanks and 88mm Flak alike (4.3)."""
    assert total("I/8/15") == total("I/18 Flak") == 0
    assert total("I/8/15", "II/8/15", "I/18 Flak") == 2


def test_asus_and_trucks_do_not_count() -> None:
    """(4.2)"""
    assert total("DAK HQ", "Arko 104", "K15/15") == 1
    g = game({"2634": ["104/15", "115/15", "K15/15", "Axis Truck 1", "DAK HQ"]})
    assert stacking.excess(g, AXIS, BOARD["2634"]) == 0


def test_a_remnant_of_a_brigade_counts_one() -> None:
    """(4.2, 10.4.1)"""
    assert stacking.points(game({"2634": ["6/2 NZ [steps 1]"]}), [NUMBER["6/2 NZ"]]) == 1


def test_a_move_may_not_end_where_units_cannot_make_room() -> None:
    """Units that can still leave do not count yet; Germans and Italians stack together (4.4.1, 4.4.2)."""
    m = match({"2634": ["104/15", "115/15"], "2635": ["8B Ar"]})
    m.play(["8B Ar"])
    assert "2634" in legal(m)
    m = match({"2633": ["104/15", "115/15"], "2635": ["8B Ar", "K15/15"]})
    m.play(["2633", "2634", "8B Ar"])
    assert refused(m, "2634") == "4.1"
    m.play(["cancel", "K15/15"])
    assert "2634" in legal(m)


def test_excess_is_removed_step_by_step_at_the_end_of_movement() -> None:
    """The phasing player picks the unit that loses a step (4.4.1)."""
    m = match({"2634": ["104/15", "115/15", "K15/15", "2 MG/21"]})
    assert m.decision is not None
    text = "Too many units in Bir Hacheim (2634): steps are lost"
    assert DISPLAY.warnings(m.game, m.decision) == {m.rules.parse("done"): text}, "announced before the end"
    m.play(["done"])
    assert kind(m) == "stacking.excess"
    assert refused(m, "DAK HQ") == "4.4.1"
    m.play(["2 MG/21"])
    assert steps(m, "2 MG/21") == 0
    assert m.decision is None or m.decision.kind != "stacking.excess"


def test_excess_units_out_of_supply_do_not_surrender() -> None:
    """Units surrender that are eliminated in combat or retreat (4.4.1, 12.5.1)."""
    cut = {"1701": ["16 Br"]}
    g = game({"2634": ["104/15", "115/15", "K15/15", "2 MG/21"], **cut})
    assert supply.status(g, NUMBER["2 MG/21"]) == supply.NONE
    drive(g, stacking.remove_excess(g, AXIS), ["2 MG/21"])
    assert where(g, "2 MG/21") == "Axis Eliminated"
