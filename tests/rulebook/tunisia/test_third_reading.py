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
