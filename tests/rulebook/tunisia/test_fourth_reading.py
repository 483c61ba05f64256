"""What a fourth reading of the rules found."""

from __future__ import annotations

from khamsin.games.tunisia import RULES, air, arrivals, combat, control
from khamsin.games.tunisia.units import ALLIED, AXIS, BOARD
from khamsin.kernel import Match, SeededDice
from tests.rulebook.tunisia.table import drive, flags, game, number, where

HERE, THERE = "B58.05", "B59.06"


def test_the_owner_names_the_leader_among_equal_units_of_different_formations() -> None:
    """It takes the first loss, so its formation and its stock matter (OCS 9(3), OCS 21)."""
    for attackers, stock, asked in (
        (["125 Inf/LaSpez", "35 Inf/Pistoia"], 0, True),
        (["35 Inf/Pistoia", "36 Inf/Pistoia"], 1, True),
        (["35 Inf/Pistoia", "36 Inf/Pistoia"], 0, False),
    ):
        g = game({HERE: attackers, THERE: ["201 Gds Inf"]}, axis={HERE: 8}, phase="axis combat")
        g.state.stock[number(attackers[0])[0]] = stock
        found = drive(g, combat.choose_leader(g, AXIS, number(*attackers), BOARD[THERE]))
        assert (getattr(found, "kind", "") == "combat.leader") == asked


def test_a_side_picks_the_aircraft_of_a_round_among_different_types_of_one_rating() -> None:
    """A-20 and B-25 both have a rating of (3), but bomb with 7 and 10 points; equal aircraft of one base are not asked for
    (OCS 14.3)."""
    g = game({"B54.10": ["DAF A-20 BR 1", "DAF B-25 US 1", "DAF P-40 US 1", "DAF P-40 US 2"], "B48.17": ["Me.109g DE 1"]})
    fighter = list(number("Me.109g DE 1"))
    asked = drive(g, air.choose_pilot(g, ALLIED, list(number("DAF A-20 BR 1", "DAF B-25 US 1")), fighter, BOARD[HERE]))
    assert asked.kind == "air.combat"
    assert set(asked.legal) == set(number("DAF A-20 BR 1", "DAF B-25 US 1"))
    pair = list(number("DAF P-40 US 1", "DAF P-40 US 2"))
    assert drive(g, air.choose_pilot(g, ALLIED, pair, fighter, BOARD[HERE])) == pair[0]


def test_an_extender_is_displaced_past_the_enemies_who_enter_its_hex() -> None:
    """Neither their ZOC nor other enemies on the path keep it from a hex in trace within its range (OCS 9.3; series 9.14d)."""
    trucks = [f"Allied Truck {one}" for one in range(1, 6)]
    g = game(
        {"A30.12": [f"{truck} [move, extender]" for truck in trucks], "A35.12": ["605 PJ"]},
        scenario="campaign", dice=[6],
    )  # fmt: skip
    (panzer,) = number("605 PJ")
    g.state.where[panzer] = BOARD["A30.12"]
    control.enter(g, AXIS, [panzer], [BOARD["A30.12"]])
    assert {where(g, truck) for truck in trucks} - {"A30.12", "Allied Dead Pile"}
    assert len({where(g, truck) for truck in trucks}) == 1
    assert not any("extender" in flags(g, truck) for truck in trucks)


def test_a_headquarters_does_not_arrive_in_a_port_of_the_enemy() -> None:
    """Tunis is Allied and empty: HQ 90 cannot take it and waits, the motorcyclists of 26 November take it (OCS 3(5),
    Axis Order of Arrival, rulings)."""
    tunis = BOARD["A48.24"]
    for turn, unit, end in ((2, "HQ 90", "Axis Order of Arrival"), (4, "Brs Motorcycle", "A48.24")):
        g = Match(RULES, "campaign", dice=SeededDice(1)).game
        g.state.turn, g.state.control[tunis] = turn, ALLIED
        for own in (*g.state.where.stacks(AXIS).get(tunis, ()), *g.state.where.stacks(4 + AXIS).get(tunis, ())):
            g.state.where[own] = BOARD["A44.31"]
        key, row = next((key, row) for key, row in arrivals.due(g, AXIS).items() if row["to"] == "Entry Area D")
        drive(g, arrivals.arrive(g, AXIS, row, key))
        assert where(g, unit) == end
        assert (g.state.control[tunis] == AXIS) == (end == "A48.24")
