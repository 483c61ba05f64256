"""Determined and Desperate Defense (11), and Rommel's reroll (18.5)."""

from __future__ import annotations

import pytest

from khamsin.games.na41 import defence, resolution, sheet
from khamsin.games.na41.results import OUTCOMES
from khamsin.games.na41.retreat import Flight
from khamsin.games.na41.units import ALLIED, AXIS, BOARD, G
from tests.rulebook.na41.field import attack, drive, finish, flags, game, legal, refused, rule_of, steps, units, where


def flight(code: str, side: int = ALLIED, hex: str = "2042") -> Flight:
    outcome = OUTCOMES[code]
    return Flight(side, BOARD[hex], *outcome.retreat, outcome.disorder)


def defend(g: G, code: str, side: int = ALLIED, hex: str = "2042", by: str = "104/15"):  # type: ignore[no-untyped-def]
    battle = attack(g, [by], hex)
    return defence.defend(g, battle, OUTCOMES[code], flight(code, side, hex))


# Who, and when


def test_a_red_result_allows_no_defence_and_an_orange_one_costs_a_point() -> None:
    """(11.2.2, 11.2.4)"""
    g = game({"2042": ["16 Br"]})
    assert rule_of(defence.why_no_defence(g, flight("DS"), OUTCOMES["DS"])) == "11.2.2"
    assert defence.why_no_defence(g, flight("DR4"), OUTCOMES["DR4"]) is None
    lead = units("16 Br")[0]
    values = {
        code: sum(one.value for one in defence.modifiers(OUTCOMES[code], lead, False)) for code in ("DR4", "D1", "DR2")
    }
    assert values == {"DR4": -1, "D1": -1, "DR2": 0}


def test_asus_and_units_not_in_good_order_do_not_lead() -> None:
    """(11.2.3, 13.2.1)"""
    g = game({"2042": ["7 Med", "16 Br [disrupted]", "5 RTR [full_retreat]"]})
    assert rule_of(defence.why_no_defence(g, flight("DR2"), OUTCOMES["DR2"])) == "11.2.3"
    g = game({"2041": ["104/15"], "2042": ["7 Med", "16 Br [disrupted]", "1 THR"]})
    decision = drive(defend(g, "DR2"))
    assert legal(decision) == {"1 THR", "retreat"}
    assert refused(g, decision, "7 Med") == "11.2.3"
    assert refused(g, decision, "16 Br") == "11.2.3"


@pytest.mark.parametrize(
    ("lead", "supported", "value"),
    [("20/9 Aus", False, 1), ("16 Br", False, 0), ("19 Bre", False, -1), ("20/9 Aus", True, 2), ("19 Bre", True, 0)],
)
def test_quality_and_support_modify_the_roll(lead: str, supported: bool, value: int) -> None:
    """+2 at most (11.2.4, 11.3)."""
    assert sum(one.value for one in defence.modifiers(OUTCOMES["DR2"], units(lead)[0], supported)) == value


@pytest.mark.parametrize(
    ("hex", "fort", "column"),
    [
        ("2042", False, 0),
        ("2042", True, 2),
        ("2011", False, 1),
        ("3137", False, 1),
        ("3137", True, 2),
        ("2478", False, 2),
        ("2641", False, 0),
    ],
)
def test_the_terrain_gives_the_column(hex: str, fort: bool, column: int) -> None:
    """Clear, Fortification, town, groundworks, city, landmark (11.2.1)."""
    g = game({hex: ["16 Br"]}, forts={"Allied": [hex] if fort else []})
    assert defence.column(g, flight("DR2", hex=hex)) == column


# Results


@pytest.mark.parametrize(
    ("die", "holds", "left"), [(1, False, 2), (2, False, 3), (4, False, 3), (5, True, 2), (6, True, 2)]
)
def test_a_defence_in_clear_ground(die: int, holds: bool, left: int) -> None:
    """(11.1, 11.4, 11.4.1, 11.4.3)"""
    g = game({"2041": ["104/15"], "2042": ["16 Br"]}, dice=[die])
    assert finish(defend(g, "DR2"), ["16 Br"]) == holds
    assert steps(g, "16 Br") == left


def test_the_defender_picks_where_the_table_has_a_star() -> None:
    """A modified 7 (11.4.1)."""
    g = game({"2041": ["104/15", "I/8/15"], "2042": ["20/9 Aus"]}, dice=[6])
    battle = attack(g, ["104/15", "I/8/15"], "2042")
    decision = drive(defence.defend(g, battle, OUTCOMES["DR2"], flight("DR2")), ["20/9 Aus"])
    assert decision is not None
    assert (decision.side, legal(decision)) == (ALLIED, {"104/15", "I/8/15"})


def test_in_a_fortification_the_weakest_success_removes_it() -> None:
    """(11.4.1)"""
    g = game({"2041": ["104/15"], "2042": ["16 Br"]}, forts={"Allied": ["2042"]}, dice=[4])
    assert finish(defend(g, "DR2"), ["16 Br"])
    assert BOARD["2042"] not in g.state.fort
    g = game({"2041": ["104/15"], "2042": ["16 Br"]}, forts={"Allied": ["2042"]}, dice=[5])
    assert finish(defend(g, "DR2"), ["16 Br"])
    assert BOARD["2042"] in g.state.fort


def test_a_success_cancels_retreat_disruption_and_advance() -> None:
    """(11.1)"""
    g = game({"2041": ["104/15"], "2042": ["16 Br"]}, dice=[5])
    battle = attack(g, ["104/15"], "2042")
    result = finish(resolution.apply(g, battle, sheet.sheet(g, battle), OUTCOMES["DR2"]), ["16 Br"])
    assert (where(g, "16 Br"), flags(g, "16 Br")) == ("2042", set())
    assert (result.cleared, result.advance) == (False, 0)


def test_a_success_that_costs_the_last_step_gives_a_limited_advance() -> None:
    """(11.4.2, 14.2.2)"""
    g = game({"2041": ["104/15"], "2042": ["1 THR"]}, dice=[5])
    battle = attack(g, ["104/15"], "2042")
    result = finish(resolution.apply(g, battle, sheet.sheet(g, battle), OUTCOMES["DR2"]), ["1 THR"])
    assert (result.cleared, result.advance, result.limited) == (True, 1, True)


def test_dd_support_is_one_ready_asu_or_air_marker() -> None:
    """A Depleted ASU gives none, also with a Supply Point (11.3, 17.1.1)."""
    g = game({"2041": ["104/15"], "2042": ["16 Br"], "2043": ["7 Med"], "2044": ["2 Med [depleted]"]},
             supply={"Allied": {"2044": 1}}, dice=[4])  # fmt: skip
    assert legal(drive(defend(g, "DR2"), ["16 Br"])) == {"7 Med", "none"}
    g = game({"2041": ["104/15"], "2042": ["16 Br"], "2043": ["7 Med"]}, dice=[4])
    assert finish(defend(g, "DR2"), ["16 Br", "7 Med"])
    assert "depleted" in flags(g, "7 Med")


def test_an_axis_asu_gives_dd_support_to_its_nation_only() -> None:
    """(11.3)"""
    g = game({"2041": ["16 Br"], "2042": ["104/15"], "2043": ["X Corps HQ"]}, dice=[2])
    assert finish(defend(g, "DR2", AXIS, by="16 Br"), ["104/15"]) is False


# Desperate Defense

BOXED_IN = {"2041": ["16 Br"], "2143": ["23 Br"], "1943": ["14 Br"]}
"""Allied brigades around 2042 whose ZOCs overlap everywhere next to it."""


def test_the_worked_example_of_a_desperate_defence() -> None:
    """An Italian regiment, a tank unit and an 88 with the support of an ASU: 2, 3, then 4 (11.5.1, 11.5.3, example 11.5.3)."""
    beyond = {"2045": ["22 Gds"], "2344": ["Carp"], "1744": ["5/4 Ind"], "2043": ["X Corps HQ"]}
    g = game({**BOXED_IN, **beyond, "2042": ["19 Bre", "VII/132 Ar [steps 1]", "I/33 Flak"]}, dice=[2, 3, 4])
    battle = attack(g, ["16 Br"], "2042")
    held = finish(
        defence.defend(g, battle, OUTCOMES["DR2"], flight("DR2", AXIS)),
        ["19 Bre", "X Corps HQ", "19 Bre", "VII/132 Ar"],
    )
    assert held
    assert (steps(g, "19 Bre"), steps(g, "VII/132 Ar"), steps(g, "I/33 Flak")) == (0, 0, 1)
    assert where(g, "I/33 Flak") == "2042"
    assert "depleted" in flags(g, "X Corps HQ")


def test_a_failure_in_a_desperate_defence_costs_one_step() -> None:
    """Also where the table has one for the Lead Unit (11.5.3)."""
    g = game({**BOXED_IN, "2042": ["104/15", "115/15"]}, dice=[1])
    decision = drive(defence.defend(g, attack(g, ["16 Br"], "2042"), OUTCOMES["D1"], flight("D1", AXIS)), ["104/15"])
    assert steps(g, "104/15") == 1
    assert legal(decision) == {"104/15", "115/15", "retreat"}


def test_the_defenders_of_a_port_on_which_they_depend_are_desperate() -> None:
    """(11.5.2)"""
    g = game(
        {"3138": ["16 Br"], "3037": ["104/15"], "3038": ["115/15"], "3136": ["19 Bre"]}, control={"Allied": ["3138"]}
    )
    assert defence.depends_on_port(g, flight("DR2", hex="3138"))
    assert defence.is_desperate(g, flight("DR2", hex="3138"))
    g = game({"2478": ["16 Br"]}, control={"Allied": ["2478"]})
    assert not defence.depends_on_port(g, flight("DR2", hex="2478"))


def test_the_defenders_of_a_port_choose_whether_they_are_desperate() -> None:
    """With a path to retreat by, a failure may cost no step; units without one have no such choice (11.1, 11.5.1, 11.5.3)."""
    cut = {"1580": ["115/15"], "1880": ["200/15"], "2380": ["33/15"]}
    place = {"3138": ["16 Br"], "3037": ["104/15"], **cut}
    for clicks, left in ((["16 Br", "retreat"], 2), (["no", "16 Br"], 3)):
        g = game(place, control={"Allied": ["3138"]}, dice=[2])
        assert "no" in legal(drive(defend(g, "DR2", hex="3138")))
        assert not finish(defend(g, "DR2", hex="3138"), clicks)
        assert steps(g, "16 Br") == left
    g = game({**BOXED_IN, "2042": ["104/15"]})
    assert "no" not in legal(drive(defend(g, "DR2", AXIS, by="16 Br")))


def test_units_with_a_retreat_path_are_not_desperate() -> None:
    """(11.5.2)"""
    assert defence.is_desperate(game({**BOXED_IN, "2042": ["104/15"]}), flight("DR2", AXIS))
    assert not defence.is_desperate(game({"2041": ["16 Br"], "2042": ["104/15"]}), flight("DR2", AXIS))


# Rommel


def test_rommel_rerolls_an_axis_die_once() -> None:
    """An attack or a Determined Defense; the second result stands (18.5)."""
    g = game({"2041": ["16 Br"], "2042": ["104/15"]}, dice=[2, 5], rommel=1)
    assert finish(defend(g, "DR2", AXIS, by="16 Br"), ["104/15", "reroll"])
    assert g.state.rommel == 0
    g = game({"2041": ["104/15"], "2042": ["16 Br"]}, dice=[3], rommel=1)
    decision = drive(resolution.roll(g, attack(g, ["104/15"], "2042"), sheet.sheet(g, attack(g, ["104/15"], "2042"))))
    assert legal(decision) == {"reroll", "keep"}


def test_rommel_does_not_touch_allied_dice() -> None:
    """(18.5)"""
    g = game({"2041": ["104/15"], "2042": ["16 Br"]}, dice=[5], rommel=1)
    assert finish(defend(g, "DR2"), ["16 Br"])
    assert g.state.rommel == 1
