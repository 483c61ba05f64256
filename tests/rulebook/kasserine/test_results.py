"""Combat results (13.1): what the letters of a result mean, for whom, and in which order."""

from __future__ import annotations

import pytest

from khamsin.games.kasserine import results
from khamsin.games.kasserine.units import ALLIED, AT_FIRE, MOBILE
from khamsin.mechanics.results import ALL_STEPS, Hit, read
from tests.rulebook.kasserine.fights import fight
from tests.rulebook.kasserine.table import drive, flags, game, where


@pytest.mark.parametrize(
    ("result", "attacker", "defender"),
    [
        ("-", Hit(), Hit()),
        ("A1", Hit(1), Hit()),
        ("A2R", Hit(2, 1), Hit()),
        ("AE", Hit(ALL_STEPS), Hit()),
        ("AR", Hit(0, 1), Hit()),
        ("DE", Hit(), Hit(ALL_STEPS)),
        ("A1/D1", Hit(1), Hit(1)),
        ("A1/DR", Hit(1), Hit(0, 1)),
    ],
)
def test_the_letters_of_a_result(result: str, attacker: Hit, defender: Hit) -> None:
    """A and D for the sides, E for all, figures for steps, R for retreat (13.1.1)."""
    assert read(result) == (attacker, defender)


def test_losses_come_before_retreats_and_the_defender_first() -> None:
    """(13.1.1, 13.1.2)"""
    g = game({"5131": ["A/6a"], "5132": ["I/Jg"]})
    question = drive(g, results.apply(g, fight(g, ["I/Jg"], ["5131"]), "A1/D1R"), ["5030"])
    assert question is not None
    assert question.rule == "13.5"
    assert [g.text(event) for event in g.events] == ["A/6a loses a step", "I/Jg loses a step", "A/6a retreats to 5030"]


def test_all_are_eliminated() -> None:
    """(13.1.1, 13.2.3)"""
    g = game({"5131": ["A/6a", "2/26"], "5130": ["I/Jg"]})
    drive(g, results.apply(g, fight(g, ["I/Jg"], ["5131"]), "DE"), [])
    assert {where(g, unit) for unit in ("A/6a", "2/26")} == {"Allied out of play"}
    lost = game({"5131": ["A/6a"], "5130": ["I/Jg", "II/Jg"]})
    assert drive(lost, results.apply(lost, fight(lost, ["I/Jg", "II/Jg"], ["5131"]), "AE"), []) is None
    assert {where(lost, unit) for unit in ("I/Jg", "II/Jg")} == {"Axis out of play"}


SUPPORTED = {"5131": ["A/6a", "1/90/10 fire"], "5130": ["I/Jg"]}


def test_distant_guns_feel_nothing() -> None:
    """(10.1.7, 13.1.3)"""
    g = game(SUPPORTED | {"5129": ["1/90/10 [deployed]"]})
    drive(g, results.apply(g, fight(g, ["I/Jg"], ["5131"]), "A2R"), [])
    assert (where(g, "1/90/10"), where(g, "I/Jg")) == ("5129", "Axis out of play")


def test_a_gun_beside_the_enemy_retreats_with_the_attack_but_is_no_loss_of_it() -> None:
    """Deployed it cannot, and is lost for that; nor could it have been chosen for the step (10.2.2, 13.3.9)."""
    g = game(SUPPORTED | {"5231": ["1/90/10 [deployed]"]})
    battle = fight(g, ["I/Jg"], ["5131"])
    drive(g, results.apply(g, battle, "A1"), [])
    assert where(g, "1/90/10") == "5231"
    drive(g, results.apply(g, battle, "AR"), [])
    assert where(g, "1/90/10") == "Axis out of play"
    assert "1/90/10 is eliminated" in [g.text(event) for event in g.events if event.rule == "13.3.9"]


def test_at_fire_harms_armour_alone_and_not_the_guns() -> None:
    """What it ignores stays; the guns have no losses, do not retreat and do not advance (16.1.5)."""
    g = game({"5131": ["D/13a", "2/26"], "5130": ["2/90 Pzjg [deployed]"]})
    battle = fight(g, ["2/90 Pzjg"], ["5131"], AT_FIRE)
    question = drive(g, results.apply(g, battle, "A1/D1R"), [])
    assert question is None or question.side == ALLIED
    if question is not None:
        drive(g, results.apply(g, battle, "-"), [])
    assert where(g, "2/90 Pzjg") == "5130"
    assert "deployed" in flags(g, "2/90 Pzjg")
    assert where(g, "2/26") == "5131"
    assert g.state.steps[battle.attackers[0]] == 1


def test_a_result_of_nothing_changes_nothing() -> None:
    """(13.1.1)"""
    g = game({"5131": ["A/6a"], "5130": ["I/Jg"]})
    before = g.state.copy()
    battle = fight(g, ["I/Jg"], ["5131"], MOBILE)
    assert drive(g, results.apply(g, battle, "-"), []) is None
    assert g.state.where == before.where
    assert g.state.steps == before.steps
