"""Standing orders for evasion and Close Air Support (9.2.1, 11.3.2)."""

from __future__ import annotations

import random

from khamsin.games.kasserine import RULES
from khamsin.games.kasserine.units import ALLIED, KasserineState
from khamsin.kernel import Match, SeededDice
from khamsin.kernel.orders import Order, answer, check, find_policy
from tests.rulebook.kasserine.fights import fight
from tests.rulebook.kasserine.table import game
from tests.rulebook.kasserine.test_evasion import attacked


def click(match: Match[KasserineState], policy: str, **values: int | str) -> str:
    """The click that an Allied order gives; "" where the player is asked."""
    assert match.decision is not None
    kind = match.decision.kind
    found = find_policy(RULES, kind, policy)
    assert found is not None
    answered = answer(match, [Order(1, ALLIED, kind, policy, check(RULES, found, values), "")])
    return RULES.names[answered[1]] if answered else ""


def over_5131() -> Match[KasserineState]:
    """An Axis combat against 5131, where the Allies choose air units."""
    units = {"5131": ["2/26"], "5130": ["I/Jg"], "5133": ["HQ 1"], "Allied Ready Box": ["P-39", "P-40", "Hurricane"]}
    g = game(units, phase="axis combat")
    fight(g, ["I/Jg"], ["5131"])
    match = Match.at(g)
    while match.decision is not None and match.decision.kind != "combat.air":
        match.play(["5131" if "5131" in match.names else "attack" if "attack" in match.names else "done"])
    return match


def test_evasion_is_declined_by_order_in_the_reaction_phase() -> None:
    """It is a phase of the attacked side, in the enemy's Segment (9.2.1)."""
    match = attacked([])
    assert match.phase.side == ALLIED
    assert click(match, "done") == "done"


def test_no_air_support_everywhere_or_at_a_place() -> None:
    """(11.3.2)"""
    match = over_5131()
    assert match.decision is not None
    assert (match.decision.kind, match.decision.side) == ("combat.air", ALLIED)
    assert click(match, "done") == "done"
    assert [click(match, "done", only="5131"), click(match, "done", only="5130")] == ["done", ""]


def test_some_air_units_are_kept_ready() -> None:
    """Three are in the Ready Box (11.1.4, 11.3.2)."""
    match = over_5131()
    assert [click(match, "keep", reserve=n) for n in (2, 3)] == ["", "done"]
    match.play(["P-39"])
    assert click(match, "keep", reserve=2) == "done"


def test_an_order_answers_alike_in_every_state_that_its_side_may_suspect() -> None:
    """(10.3.4, 11.3.2)"""
    match = over_5131()
    found = click(match, "done")
    for seed in range(5):
        assert click(match.imagined(ALLIED, random.Random(seed), SeededDice(1)), "done") == found
