"""What holds in every position of a game, tried on random ones."""

from __future__ import annotations

import random
from typing import Any

import pytest

from khamsin.games.tunisia import RULES
from khamsin.games.tunisia.faults import find_fault
from khamsin.games.tunisia.units import ALLIED, AXIS
from khamsin.kernel import Match, SeededDice
from tests.rulebook.tunisia.table import game

HERE = "B58.05"


@pytest.mark.parametrize(
    ("scenario", "seed"), [("kasserine", 5), ("mareth", 6), ("race-for-tunis", 7), ("end-in-africa", 8)]
)
def test_random_play_keeps_the_position_possible(scenario: str, seed: int) -> None:
    """(1.4c, OCS 3(5), OCS 5, OCS 9.3, OCS 14.1)"""
    chance = random.Random(seed)
    m = Match(RULES, scenario, dice=SeededDice(seed))
    for number in range(1200):
        decision = m.decision
        if decision is None:
            break
        if decision.top and not number % 20:
            assert not [
                fault for g in (m.game, m.game.seen_by(AXIS), m.game.seen_by(ALLIED)) if (fault := find_fault(g))
            ]
        m.click(decision.pick(chance.random))


@pytest.mark.parametrize(
    ("units", "more", "fault"),
    [
        ({HERE: ["1-7 Pz/10 Pz", "1 RTR Arm/7 Arm"]}, {}, f"units of both sides in {HERE} (OCS 3(5))"),
        (
            {HERE: ["1-7 Pz/10 Pz [reserve]"]},
            {"hedgehogs": {HERE: 1}},
            "1-7 Pz/10 Pz is in an impossible mode (OCS 5, OCS 16)",
        ),
        ({HERE: ["1 RTR Arm/7 Arm"]}, {"axis": {HERE: 2}}, f"enemies did not take what is in {HERE} (OCS 9.3)"),
        ({HERE: ["Ju.87d DE 2"]}, {}, f"Ju.87d DE 2 has no base or no room in {HERE} (OCS 14.1)"),
        ({HERE: ["1-7 Pz/10 Pz"]}, {}, ""),
    ],
)
def test_what_play_cannot_reach_is_a_fault(units: dict[str, list[str]], more: dict[str, Any], fault: str) -> None:
    """(OCS 3(5), OCS 9.3, OCS 14.1, OCS 16)"""
    assert find_fault(game(units, **more)) == fault
