"""What a third reading of the rules found."""

from __future__ import annotations

from khamsin.games.tunisia import display
from tests.rulebook.tunisia.table import RULES, match

# Odds


def test_the_odds_of_an_overrun_are_those_of_the_mode_it_is_made_in() -> None:
    """A panzer battalion in Move Mode has the MPs to overrun in Combat Mode, and does so with 6 doubled, not 3 (OCS 5(1),
    OCS 7)."""
    m = match({"B58.05": ["190 Pz [move]"], "B59.06": ["201 Gds Inf"]}, axis={"B58.05": 20})
    m.click(RULES.parse("190 Pz"))
    assert m.decision is not None
    (sheet,) = display.sheets(m.game, m.decision, RULES.parse("B59.06"))
    assert sheet.odds.column == "2:1"
    m.click(RULES.parse("B59.06"))
    assert m.decision is not None
    assert m.decision.kind == "combat.supply"
    assert "2:1" in str(m.decision.prompt)


def test_the_leader_is_chosen_with_the_odds_of_a_defence_without_combat_supply() -> None:
    """12 to 6 is 2:1, and 4:1 once the defender has declined to pay (OCS 9(2), OCS 9(3))."""
    m = match(
        {"B58.05": ["47 Inf", "7.Brs Inf"], "B59.06": ["201 Gds Inf"]}, phase="axis combat",
        axis={"B58.05": 20}, allied={"B59.06": 4},
    )  # fmt: skip
    for click in ("B59.06", "done", "decline"):
        m.click(RULES.parse(click))
    assert m.decision is not None
    assert m.decision.kind == "combat.leader"
    (sheet,) = display.sheets(m.game, m.decision, -1)
    assert sheet.odds.column == "4:1"
