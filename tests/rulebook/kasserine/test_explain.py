"""Why not? Every closed click gets a reason of its own, with the section and the piece or hex that causes it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from khamsin.games.kasserine import headquarters
from khamsin.games.kasserine.units import NUMBER
from khamsin.kernel import Match
from tests.rulebook.kasserine.fights import fight, why
from tests.rulebook.kasserine.table import begun, game, match

PLAIN = {"5131": ["2/26"], "5127": ["33 FA [deployed]"], "Allied Ready Box": ["33 FA fire [face down]"]}


def reason(m: Match[Any], click: str) -> str:
    return m.explain(m.rules.parse(click)).reason


@pytest.mark.parametrize("scenario", ["faid", "campaign", "decide"])
def test_no_unit_and_no_hex_is_refused_without_a_reason_of_its_own(scenario: str) -> None:
    """At random questions of a random game (7.0, 9.1, 10.3.4, 11.2, 14.3.3, 18.0)."""
    m, chance = begun(scenario), random.Random(scenario)
    rules = m.rules
    while m.decision is not None and len(m.clicks) < 2500:
        if chance.random() < 0.05:
            for click in chance.sample(range(rules.units + rules.board.size), 8):
                refusal = m.explain(click)
                assert not refusal.reason.startswith("not among"), (rules.names[click], m.decision)
        m.click(m.decision.nth(chance.randrange(len(m.decision.legal))))


def test_a_unit_is_told_to_be_clicked_by_its_hex_where_hexes_are_asked_for() -> None:
    """The marker of a gun goes on a hex (10.3.4)."""
    m = match(PLAIN, phase="allied reserve movement")
    m.play(["33 FA fire"])
    assert why(m, "2/26") == ("10.3.4", "5131")


def test_a_gun_is_told_of_its_marker_and_others_that_they_have_none() -> None:
    """(10.1)"""
    m = match(PLAIN, phase="allied reserve movement")
    assert why(m, "33 FA") == ("10.1", "33 FA fire")
    assert why(m, "2/26") == ("10.1", "2/26")


def test_a_hex_is_told_of_its_units_where_units_are_asked_for() -> None:
    """Who builds a strongpoint there, or why nobody does (14.3.3, 14.3.4)."""
    m = match({"5131": ["2/26"], "5127": ["33 FA"]}, phase="supply status")
    m.play(["done"] if m.decision and m.decision.side == 0 else [])
    assert why(m, "5131") == ("14.3.3", "2/26")
    assert why(m, "5127") == ("14.3.4", "33 FA")
    assert why(m, "5129") == ("14.3.3", "5129")


def test_a_unit_at_the_start_is_told_where_it_may_begin_and_what_it_may_choose() -> None:
    """(4.1.5, 4.1.6, 18.0, 18.2.4)"""
    m = begun("campaign")
    assert why(m, "2/26") == ("8.2.2", "2/26")
    assert why(m, "2/5 Lei (+)") == ("4.1.6", "2/5 Lei (+)")
    m.play(["done", "1/7/10"])
    assert why(m, "5726") == ("18.2.4", "5726")
    assert "6425" in reason(m, "5726")


def test_who_stands_under_attack_is_told_why_he_does_not_evade() -> None:
    """By the unit as by its hex (9.2.2)."""
    g = game({"5131": ["A/81 Rn", "2/26"], "5231": ["B/81 Rn"], "5130": ["1/7/10"]}, phase="allied reaction")
    fight(g, ["1/7/10"], ["5131", "5231"])
    m = Match.at(g)
    assert why(m, "5131") == ("9.2.2", "2/26")
    assert why(m, "A/81 Rn") == ("9.2.2", "2/26")
    assert why(m, "B/81 Rn") == ("9.2.3", "5231")


def test_mountains_that_no_road_opens_are_named() -> None:
    """Armour before Djebel Semmama, however far (7.3.5)."""
    m = match({"3421": ["1/7/10"]})
    m.play(["1/7/10"])
    assert why(m, "3317") == ("7.3.5", "3317")
    assert "mountains only by a road" in reason(m, "3317")


def test_a_hex_or_unit_of_the_enemy_is_refused_by_the_names_of_its_units() -> None:
    """Before a stack is chosen and after (7.1.1, 7.1.4)."""
    m = match({"5131": ["2/26", "3/26"], "5127": ["1/7/10"]})
    assert reason(m, "5131") == "5131 is occupied by the enemy: 3/26, 2/26"
    m.play(["1/7/10"])
    assert reason(m, "5131") == "1/7/10 cannot move to 5131: occupied by 3/26, 2/26"
    assert why(m, "2/26") == ("7.1.4", "3/26")


def test_a_garrison_gun_in_a_holding_box_cannot_act() -> None:
    """It cannot move, and changes its mode on the map only (5.2.4, 18.2.3)."""
    g = game({"Maktar": ["27 FA"], "5131": ["2/26"]}, phase="allied movement")
    g.state.release[NUMBER["27 FA"]] = 20
    m = Match.at(g)
    assert why(m, "27 FA") == ("18.2.3", "27 FA")
    assert why(m, "Maktar") == ("18.2.3", "27 FA")


def test_a_unit_with_rommel_is_told_the_one_reason_why_it_does_not_react() -> None:
    """It is in an enemy ZOC, or no attack is declared within 4 hexes (15.5.1)."""

    def refused(camp: str) -> tuple[str, str]:
        g = game({"5131": ["2/26"], "5231": ["2/7/10"], camp: ["1/7/10", "Rommel"]}, phase="axis reaction")
        fight(g, ["2/26"], ["5231"])
        reason = headquarters.why_not_led(g, NUMBER["1/7/10"])
        return (reason.rule, reason.cause) if reason else ("", "")

    assert refused("5229") == ("", "")
    assert refused("5132") == ("15.5.1", "2/26")
    assert refused("6029") == ("15.5.1", "6029")
