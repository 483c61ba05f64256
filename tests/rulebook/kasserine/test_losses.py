"""Combat losses (13.2)."""

from __future__ import annotations

import pytest

from khamsin.games.kasserine import losses, results
from khamsin.games.kasserine.units import ALLIED, ARTILLERY, AXIS, COUNTERS, FORCES, HQS, NUMBER, G
from tests.rulebook.kasserine.fights import fight
from tests.rulebook.kasserine.table import drive, game, refused, where


def steps(g: G, unit: str) -> int:
    """How many steps a unit has on the map."""
    return g.state.steps[NUMBER[unit]] if where(g, unit).isdigit() else 0


def test_the_owner_chooses_which_units_of_the_force_lose_steps() -> None:
    """The force loses them, not each of its units (13.2)."""
    g = game({"5131": ["A/6a", "2/26"]})
    units = [NUMBER["A/6a"], NUMBER["2/26"]]
    question = drive(g, losses.lose(g, ALLIED, units, 2), ["2/26"])
    assert question is not None
    assert (question.side, question.rule, sorted(question.legal)) == (ALLIED, "13.2", sorted(units))
    assert [steps(g, unit) for unit in ("A/6a", "2/26")] == [2, 1]


def test_a_unit_is_turned_over_and_then_removed() -> None:
    """(13.2.1, 3.4, 3.4.1)"""
    g = game({"5131": ["A/6a", "2/26"]})
    units = [NUMBER["A/6a"], NUMBER["2/26"]]
    assert drive(g, losses.lose(g, ALLIED, units, 2), ["2/26", "2/26"]) is None
    assert where(g, "2/26") == "Allied out of play"
    assert [g.text(event) for event in g.events] == ["2/26 loses a step", "2/26 is eliminated"]


def test_hqs_and_artillery_have_one_step() -> None:
    """(13.2.2, 3.4.2)"""
    assert all(COUNTERS[unit].steps == 1 for side in (AXIS, ALLIED) for unit in FORCES[side] if ARTILLERY[unit])
    assert all(COUNTERS[hq].steps == 1 for side in (AXIS, ALLIED) for hq in HQS[side])
    g = game({"5131": ["33 FA", "2/26"]})
    assert drive(g, losses.lose(g, ALLIED, [NUMBER["33 FA"], NUMBER["2/26"]], 1), ["33 FA"]) is None
    assert where(g, "33 FA") == "Allied out of play"


def test_a_force_that_must_lose_more_than_it_has_is_removed() -> None:
    """Nothing is asked (13.2.3)."""
    g = game({"5131": ["A/6a [steps 1]"]})
    assert drive(g, losses.lose(g, ALLIED, [NUMBER["A/6a"]], 2), []) is None
    assert where(g, "A/6a") == "Allied out of play"


@pytest.mark.parametrize(("defender", "lost"), [("A/6a [steps 1]", 0), ("A/6a", 1)])
def test_what_one_side_is_short_of_the_other_need_not_lose(defender: str, lost: int) -> None:
    """A1/D2R against one step and against two (13.2.4)."""
    g = game({"5131": [defender], "5130": ["I/Jg"]})
    battle = fight(g, ["I/Jg"], ["5131"])
    drive(g, results.apply(g, battle, "A1/D2R"), [])
    assert where(g, "A/6a") == "Allied out of play"
    assert steps(g, "I/Jg") == 2 - lost
    told = [g.text(event) for event in g.events if event.rule == "13.2.4"]
    assert told == (
        [] if lost else ["The attacker loses none of 1 steps: the defender has too few steps for the result"]
    )


@pytest.mark.parametrize(("units", "enemy"), [(["1/501", "1/7/10"], "A/6a"), (["Sau", "2/26"], "3/7/10")])
def test_who_was_used_takes_the_first_step(units: list[str], enemy: str) -> None:
    """A Tiger against a strongpoint, a mountain unit on a mountain (16.3.1, 16.6.4)."""
    g = game({"5130": units, "5131": [enemy]})
    battle = fight(g, units, ["5131"])
    drive(g, results.apply(g, battle, "A1", (NUMBER[units[0]],)), [])
    assert [steps(g, unit) for unit in units] == [COUNTERS[NUMBER[units[0]]].steps - 1, 2]


def test_after_the_first_step_the_owner_chooses_again() -> None:
    """And a closed unit is told who goes first (16.6.4)."""
    g = game({"5130": ["Sau", "Gibert", "2/26"], "5131": ["3/7/10"]})
    battle = fight(g, ["Sau", "Gibert", "2/26"], ["5131"])
    first = (NUMBER["Sau"], NUMBER["Gibert"])
    question = drive(g, losses.lose(g, ALLIED, battle.attackers, 2, first), [])
    assert question is not None
    assert set(question.legal) == set(first)
    assert refused(g, question, "2/26") == ("16.6.4", "Sau")
    question = drive(g, losses.lose(g, ALLIED, battle.attackers, 2, first), ["Sau"])
    assert question is not None
    assert NUMBER["2/26"] in question.legal
