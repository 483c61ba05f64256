"""What a third reading of the rules found."""

from __future__ import annotations

from khamsin.games.tunisia import display, lift
from khamsin.games.tunisia.lift import Cargo
from khamsin.games.tunisia.units import ALLIED, BOARD, NUMBER
from tests.rulebook.tunisia.table import RULES, game, match, rule_of

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


# Sea


def test_a_combat_unit_larger_than_a_port_fills_it_and_a_truck_point_does_not_go_there() -> None:
    """Tabarka passes 2T: a brigade of 1 SP is the only cargo of the turn, a truck point of 1 SP is too large (1.5a, OCS 13)."""
    tabarka, algiers = BOARD["A30.26"], BOARD["Algiers Box"]
    g = game(
        {"Algiers Box": ["11 Inf/78 Inf [move]", "Allied Truck 1"], "A30.26": ["6 Cdo"]},
        phase="allied movement", scenario="campaign",
    )  # fmt: skip
    g.state.control[tabarka] = ALLIED
    brigade, truck = (Cargo(ALLIED, algiers, (NUMBER[name],)) for name in ("11 Inf/78 Inf", "Allied Truck 1"))
    assert rule_of(lift.why_not_shipped(g, truck, tabarka)) == "1.5a"
    assert lift.why_not_shipped(g, brigade, tabarka) is None
    lift.spend(g, brigade, tabarka, lift.SEA)
    assert lift.port_capacity(g, tabarka) == 0
    refusal = lift.why_not_shipped(g, Cargo(ALLIED, algiers, (), 1), tabarka)
    assert refusal is not None
    assert refusal.reason == "1T cannot be shipped to A30.26: A30.26 can handle 0T more"
