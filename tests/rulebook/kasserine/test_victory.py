"""Who wins (18.1.5, 18.2.6-8, 18.3.5), and the tables as far as the rulebook gives them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from khamsin import games
from khamsin.games.kasserine import victory
from khamsin.games.kasserine.units import ALLIED, AXIS, SEALED, G
from tests.rulebook.kasserine.table import begun, game

LOCATIONS = ("2123", "5706", "3119", "4420", "4109", "5726", "1016", "2809")
FAID = ("6324", "6326", "6322", "6127", "5823", "5726", "5228")


def ended(scenario: str, turn: int, held: Sequence[str], **state: int) -> G:
    every = FAID if scenario == "faid" else LOCATIONS
    rest = [hex for hex in every if hex not in held]
    g = game({}, "victory determination", turn, scenario, axis=held, allied=rest, **state)
    assert list(victory.determine(g)) == []
    return g


def winner(g: G) -> int | None:
    return g.state.result.winner if g.state.result else None


@pytest.mark.parametrize(
    ("held", "wins"),
    [
        (["6324", "6326", "6322", "6127"], AXIS),
        (["6324", "6326", "6322"], ALLIED),
        (["6326", "6322", "6127", "5823", "5726"], ALLIED),
    ],
)
def test_faid_needs_the_pass_and_three_more(held: list[str], wins: int) -> None:
    """On turn 6 and not before (18.1.5, 4.3.2)."""
    assert winner(ended("faid", 6, held)) == wins
    assert winner(ended("faid", 5, held)) is None


@pytest.mark.parametrize(
    ("turn", "option", "held", "wins"),
    [
        (6, 1, ["5706", "4420", "5726"], AXIS),
        (6, 2, ["5706", "4420", "5726"], None),
        (6, 1, ["4420", "5726", "3119"], None),
        (7, 1, ["5706", "4420", "5726"], None),
        (10, 2, ["3119", "4420", "5726", "2123"], AXIS),
        (4, 2, ["3119", "4420", "5726", "2123"], AXIS),
        (11, 2, ["3119", "4420", "5726", "2123"], None),
    ],
)
def test_the_campaign_can_be_won_early(turn: int, option: int, held: list[str], wins: int | None) -> None:
    """The conditions of turns 6 and 10 (18.2.6)."""
    assert winner(ended("campaign", turn, held, option=option)) == wins


@pytest.mark.parametrize(
    ("plan", "held", "wins"),
    [
        (1, ["5706", "4420", "5726", "3119"], AXIS),
        (1, ["2809", "4420", "5726", "3119", "2123"], ALLIED),
        (2, ["1016", "4420", "5726", "3119", "2123"], AXIS),
        (2, ["1016", "4420", "5726", "3119"], ALLIED),
        (3, ["2809", "4420", "5726", "3119", "2123"], AXIS),
        (3, ["4109", "4420", "5726", "3119", "2123"], AXIS),
        (3, ["1016", "4420", "5726", "3119", "2123"], ALLIED),
    ],
)
def test_the_plan_decides_on_the_last_turn(plan: int, held: list[str], wins: int) -> None:
    """Each plan names its own prize (18.2.7, 18.3.5)."""
    for scenario in ("campaign", "decide"):
        assert winner(ended(scenario, 18, held, plan=plan)) == wins
        assert winner(ended(scenario, 17, held, plan=plan)) is None


def test_the_axis_draws_its_plan_on_turn_11_and_the_allies_read_it_from_12() -> None:
    """One of three, seen by the Axis alone (18.2.7, 18.2.8)."""
    g = game({}, "reinforcements", 11, dice=[3])
    victory.plan_step(g)
    assert g.state.plan == 3
    assert g.events[0].to == AXIS
    g = game({}, "reinforcements", 12, dice=[3, 2], plan=1)
    victory.plan_step(g)
    assert not g.state.decrypted
    victory.plan_step(g)
    assert g.state.decrypted


def test_a_plan_that_nobody_knows_is_drawn_anew() -> None:
    """A position as the Allies saw it goes on with a plan of its own, at the latest when it decides (18.2.7)."""
    g = game({}, "reinforcements", 14, dice=[2, 3], plan=SEALED)
    victory.plan_step(g)
    assert g.state.plan == 2
    g = game({}, "victory determination", 18, axis=["5706", "4420", "5726", "3119"], dice=[1], plan=SEALED)
    assert list(victory.determine(g)) == []
    assert (g.state.plan, winner(g)) == (1, AXIS)


def test_in_the_third_scenario_the_allies_try_at_once() -> None:
    """From the first turn (18.3.5)."""
    g = game({}, "reinforcements", 11, "decide", dice=[2, 1])
    victory.plan_step(g)
    assert (g.state.plan, g.state.decrypted) == (2, 1)


def test_no_plan_is_drawn_at_faid() -> None:
    """It has objectives of its own (18.1.5)."""
    match = begun("faid")
    match.play(["done", "done"])
    assert match.state.plan == 0


@pytest.mark.parametrize(
    ("table", "column", "row", "result"),
    [("assault", "1-1", 2, "A1/D1R"), ("assault", "3-1", 4, "A1/D2R"), ("assault", "3-2", 2, "DR")],
)
def test_the_cells_that_the_example_reads(table: str, column: str, row: int, result: str) -> None:
    """Three combats before Thala (17.0, 13.1.1)."""
    crt = games.load("kasserine").tables[table]
    assert crt.rows[row][crt.heads.index(column)] == result


@pytest.mark.parametrize(("die", "result"), [(2, "A"), (3, "R"), (5, "U")])
def test_the_cells_of_the_air_table_that_the_example_reads(die: int, result: str) -> None:
    """Cloudy weather over Thala (11.1.6, 17.0)."""
    table = games.load("kasserine").tables["air_arrival"]
    assert table.result(table.column("Cloudy"), die) == result


@pytest.mark.parametrize(
    ("attack", "defence", "odds"),
    [(10, 2, "5-1"), (10, 3, "3-1"), (10, 4, "2-1"), (10, 5, "2-1"), (10, 6, "3-2"), (99, 1, "7-1")],
)
def test_odds_are_rounded_for_the_defender(attack: int, defence: int, odds: str) -> None:
    """Down to the next column, and no further than the last (12.5.2, 12.5.4, example 12.5.2a, example 12.5.2b,
    example 12.5.2c, example 12.5.2d, example 12.5.2e, example 12.5.4)."""
    crt = games.load("kasserine").tables["assault"]
    assert crt.head(crt.odds(attack, defence)) == odds


def test_every_die_with_every_modifier_has_a_row() -> None:
    """From -2 to 9 on both tables (12.5.6)."""
    for name in ("assault", "mobile"):
        assert set(games.load("kasserine").tables[name].rows) == set(range(-2, 10))
