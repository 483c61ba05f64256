"""Sequence of play, set-up, arrivals and victory of the short scenarios (1.1, 2.1, 3.1, 4.0-4.5)."""

from __future__ import annotations

import random

import pytest

from khamsin.games.afrika import RULES, TURN, reinforcement, retreat, victory
from khamsin.games.afrika.scenario import NAMES, SETTINGS
from khamsin.games.afrika.units import ALLIED, AXIS, BOARD, NUMBER, OUT
from khamsin.kernel import Match, SeededDice
from khamsin.kernel.board import NOWHERE
from tests.rulebook.afrika.table import begun, drive, game, legal, match, refused, where

SHORT = [name for name in NAMES if SETTINGS[name].short]


def test_a_player_turn_has_six_phases() -> None:
    """(1.1, SCS 2)"""
    assert [phase.name for phase in TURN[ALLIED]][:7] == [
        "allied initialization", "allied reinforcement", "allied movement", "allied combat", "allied exploitation",
        "allied supply", "axis initialization",
    ]  # fmt: skip


@pytest.mark.parametrize(("scenario", "first"), [("crusader", ALLIED), ("gazala", AXIS), ("third-alamein", ALLIED)])
def test_the_scenario_says_who_moves_first(scenario: str, first: int) -> None:
    """(2.1)"""
    assert SETTINGS[scenario].moves_first == first


def test_air_points_refill_and_are_not_saved() -> None:
    """Both sides have those of the first turn before it begins (1.10, 3.1)."""
    m = match({"A32.18": ["Pavia Div"], "A50.15": ["6 NZ Bde/2 NZ"]}, phase="axis initialization", air=(9, 1))
    assert m.state.air == {"Axis": 3, "Allied": 1}
    m = begun("crusader")
    assert m.state.air == {"Axis": 3, "Allied": 5}


def test_the_side_that_moves_second_sets_up_first() -> None:
    """(SCS 1.8, 4.2)"""
    m = begun("gazala")
    assert (m.decision.side, m.decision.kind) == (ALLIED, "setup.unit")
    m.play(["done"])
    assert m.decision.side == AXIS


def test_units_within_n_are_placed_by_their_owner() -> None:
    """Within the distance, within stacking, and back to the default in one click (SCS 1.8, 4.2)."""
    m = begun("gazala")
    m.play(["done"])
    assert refused(m, "Pavia Div") == "4.2"
    assert refused(m, "default") == "4.2"
    m.play(["288 Inf Rgt"])
    assert refused(m, "A32.24") == "4.2"
    assert refused(m, "A37.26") == "1.5c"
    m.play(["A27.19"])
    assert where(m, "288 Inf Rgt") == "A27.19"
    m.play(["Rommel"])
    assert refused(m, "A27.22") == "4.2"
    m.play(["A32.21", "default"])
    assert (where(m, "288 Inf Rgt"), where(m, "Rommel")) == ("A28.20", "A29.21")


def test_a_full_hex_takes_no_more_units_in_the_set_up() -> None:
    """(1.3)"""
    m = begun("third-alamein")
    m.play(["Ramcke Bde"])
    assert refused(m, "B8.12") == "4.5"
    m.play(["B10.12"])
    assert where(m, "Ramcke Bde") == "B10.12"


# Reinforcements


def test_axis_reinforcements_enter_by_the_west_edge() -> None:
    """All in one hex or unit by unit, on turn 2 and 3 (4.3, SCS 11.4)."""
    waiting = ["133 Armor Rgt/Littorio", "12 Brs Rgt/Littorio", "Pavia Div"]
    units = {"Turn Record Track": waiting, "B7.15": ["4 Arm Bde/7 Arm"]}
    m = match(units, scenario="first-alamein", phase="axis reinforcement")
    assert (m.decision.kind, len(m.decision.about)) == ("arrival.place", 2)
    assert refused(m, "Pavia Div") == "SCS 11.4"
    assert refused(m, "B2.14") == "SCS 11.4"
    m.play(["133 Armor Rgt/Littorio", "B1.14", "B1.16"])
    assert (where(m, "133 Armor Rgt/Littorio"), where(m, "12 Brs Rgt/Littorio")) == ("B1.14", "B1.16")
    assert m.decision.kind == "move.stack"


def test_allied_reinforcements_arrive_at_alexandria_and_may_overstack() -> None:
    """(4.3, 4.4, SCS 11.4)"""
    m = begun("first-alamein")
    g = m.game
    g.state.turn = 2
    drive(g, reinforcement.reinforcements(g, ALLIED))
    assert where(g, "8 Arm Bde/10 Arm") == where(g, "23 Army Tank Bde") == "B19.18"
    assert len(g.units_in(BOARD["B19.18"])) == 3 + 9


def test_reinforcements_wait_while_an_enemy_is_in_their_entry_hex() -> None:
    """(SCS 11.4)"""
    g = game({"Turn Record Track": ["Royals Recon Bn/10 Arm"], "B19.18": ["Pavia Div"]}, scenario="alam-halfa")
    drive(g, reinforcement.reinforcements(g, ALLIED))
    assert where(g, "Royals Recon Bn/10 Arm") == "Turn Record Track"


# Victory


def test_tobruk_is_relieved_by_a_bridge_to_the_east_edge() -> None:
    """Hexes with Allied units count in Axis ZOCs too (4.1)."""
    line = {"A39.23": ["14 Bde/70 Inf"], "A39.22": ["Pavia Div"], "A38.22": ["Brescia Div"]}
    g = game(line, scenario="crusader")
    assert victory.crusader(g)[0] == AXIS
    g = game(line | {"A40.22": ["16 Bde/70 Inf"]}, scenario="crusader")
    assert victory.crusader(g)[0] == ALLIED
    g = game({"A32.18": ["14 Bde/70 Inf"]}, scenario="crusader")
    assert victory.crusader(g)[0] == AXIS, "nobody is in Tobruk"


ROAD = ["A37.23", "A34.21", "A35.21", "A36.21", "A37.21", "A37.22"]


def test_gazala_is_won_by_the_road_and_two_investments() -> None:
    """(4.2)"""
    arcs = {"A38.22": ["Pavia Div"], "A40.21": ["Brescia Div"], "A38.23": ["Bologna Div"], "A40.22": ["65 Rgt/Trieste"],
            "A46.19": ["Sabratha Div"], "A46.20": ["Savona Div"], "A48.19": ["66 Rgt/Trieste"]}  # fmt: skip
    g = game(arcs | {"A39.23": ["3 SA Bde/2 SA"], "A47.20": ["9 Ind Bde/5 Ind"]}, axis=ROAD)
    assert victory.invested(g, BOARD["A39.23"])
    assert victory.invested(g, BOARD["A47.20"])
    assert victory.gazala(g)[0] == AXIS
    g = game(arcs | {"A39.23": ["3 SA Bde/2 SA"]}, axis=ROAD[1:], allied=ROAD[:1])
    assert victory.gazala(g)[0] == ALLIED


def test_each_city_is_invested_by_an_arc_of_its_own_or_occupied() -> None:
    """One ring around both does not count (4.2)."""
    west = {"A37.22": ["Pavia Div"], "A37.24": ["Brescia Div"], "A36.23": ["Bologna Div"]}
    g = game(west | {"A39.23": ["3 SA Bde/2 SA"], "A47.20": ["9 Ind Bde/5 Ind"]})
    assert not victory.invested(g, BOARD["A39.23"])
    g = game({"A39.23": ["Pavia Div"]})
    assert victory.invested(g, BOARD["A39.23"])


@pytest.mark.parametrize(
    ("units", "winner"),
    [
        ({"B29.11": ["Pavia Div"], "B13.13": ["133 Bde/44 Inf"], "B14.13": ["131 Bde/44 Inf"]}, AXIS),
        ({"B19.18": ["Pavia Div"]}, AXIS),
        ({"B13.13": ["133 Bde/44 Inf"], "B14.13": ["131 Bde/44 Inf"]}, ALLIED),
        ({"B13.13": ["133 Bde/44 Inf"]}, NOWHERE),
    ],
)
def test_first_alamein_and_alam_halfa(units: dict[str, list[str]], winner: int) -> None:
    """(4.3, 4.4)"""
    assert victory.egypt(game(units, scenario="alam-halfa"))[0] == winner


@pytest.mark.parametrize(
    ("boxes", "matruh", "units", "winner"),
    [
        (["B9.16", "B9.15", "B9.14"], "axis", {}, AXIS),
        (["B9.16", "B9.15"], "axis", {}, NOWHERE),
        (["B9.16", "B9.15"], "allied", {"B1.18": ["4 Arm Bde/7 Arm"]}, ALLIED),
        (["B9.16", "B9.15", "B9.14"], "allied", {"B1.18": ["4 Arm Bde/7 Arm"]}, NOWHERE),
    ],
)
def test_third_alamein(boxes: list[str], matruh: str, units: dict[str, list[str]], winner: int) -> None:
    """Boxes kept, and Mersa Matruh controlled by the Axis or occupied by the Allies (4.5)."""
    holders = dict(zip(boxes, ([name] for name in ("Trento Div", "Bologna Div", "Pavia Div")), strict=False))
    g = game(holders | units, scenario="third-alamein", boxes={"axis": boxes}, **{matruh: ["B1.18"]})  # type: ignore[arg-type]
    assert victory.alamein(g)[0] == winner


def test_the_reason_of_a_result_names_the_city_and_counts_the_boxes() -> None:
    """(4.3, 4.5)"""
    g = game({"B28.10": ["Pavia Div"]}, scenario="first-alamein")
    assert victory.egypt(g) == (AXIS, "the Axis occupies Cairo")
    g = game({"B9.16": ["Pavia Div"]}, scenario="third-alamein", boxes={"axis": ["B9.16"]}, axis=["B1.18"])
    assert victory.alamein(g) == (NOWHERE, "the Axis holds 1 box, and neither side meets its conditions")


def test_the_last_turn_decides() -> None:
    """(4.2)"""
    m = match({"A32.18": ["Pavia Div"], "A50.15": ["6 NZ Bde/2 NZ"]}, phase="allied movement", turn=3)
    m.play(["done"])
    assert m.state.result is not None
    assert m.state.result.winner == ALLIED


@pytest.mark.parametrize("scenario", SHORT)
def test_random_games_come_to_an_end(scenario: str) -> None:
    """(4.0)"""
    m, chance = Match(RULES, scenario, dice=SeededDice(5)), random.Random(5)
    clicks = 0
    while m.decision is not None:
        m.click(m.decision.nth(chance.randrange(len(m.decision.legal))))
        clicks += 1
        assert clicks < 20_000
    assert m.state.turn == 3


def test_units_know_when_they_moved() -> None:
    """What moved is forgotten at the end of the game turn (1.16)."""
    m = match({"A32.18": ["Pavia Div"], "A50.15": ["6 NZ Bde/2 NZ"]})
    m.play(["Pavia Div", "A32.19"])
    assert m.game.has(NUMBER["Pavia Div"], "moved")
    assert legal(m) >= {"done"}


def test_bardia_needs_an_arc_of_its_own_too() -> None:
    """Its land hexes are A46.19, A46.20 and A47.19. A unit in the second leaves the way south open; one in the first closes all
    three, whatever Allied units are there; occupied it counts (4.2)."""
    garrison, bardia = {"A47.20": ["9 Ind Bde/5 Ind"]}, BOARD["A47.20"]
    assert not victory.invested(game(garrison | {"A46.20": ["Savona Div"]}), bardia)
    assert victory.invested(game(garrison | {"A46.19": ["Savona Div"]}), bardia)
    assert victory.invested(game(garrison | {"A46.19": ["Savona Div"], "A47.19": ["10 Ind Bde/5 Ind"]}), bardia)
    assert victory.invested(game({"A47.20": ["Savona Div"]}), bardia)


def test_supply_points_of_an_area_are_placed_by_their_owner() -> None:
    """One by one, together or apart, in hexes of the area without an enemy; one click returns to the default (5.1, SCS 1.8)."""
    m = begun("italian-offensive")
    assert m.decision.side == ALLIED
    before = dict(m.state.allied_sp)
    m.play(["trucks"])
    assert {RULES.names[click] for click in m.decision.legal} >= {"B1.18", "B19.18", "cancel"}
    assert refused(m, "A39.23") == "5.1"
    m.play(["B1.18"])
    assert refused(m, "B6.15") == "5.1", "beyond three hexes"
    m.play(["B2.17", "A59.18"])
    assert m.state.allied_sp == {**{hex: n for hex, n in before.items() if hex != BOARD["B1.18"]},
                                 BOARD["B2.17"]: 1, BOARD["A59.18"]: 1}  # fmt: skip
    assert m.decision.kind == "setup.unit"
    m.play(["default"])
    assert m.state.allied_sp == before


def test_rommels_campaign_lets_both_sides_place_their_points() -> None:
    """(5.2, SCS 1.8)"""
    m = begun("rommel")
    m.play(["trucks", "A39.23", "A38.23", "done", "done"])
    assert m.state.allied_sp[BOARD["A38.23"]] == 1
    m.play(["trucks", "A2.12", "A4.11", "A4.11", "done", "done"])
    assert m.state.axis_sp[BOARD["A4.11"]] == 2


def test_short_scenarios_have_no_points_to_place() -> None:
    """(4.2)"""
    m = begun("gazala")
    assert "trucks" not in legal(m)


def test_a_retreat_may_leave_by_the_own_supply_edge() -> None:
    """The Axis by the west, the Allies by the east; then the units are out of play (SCS 10.2)."""
    g = game({"B1.15": ["Pavia Div"], "B2.14": ["6 NZ Bde/2 NZ"]}, scenario="alam-halfa")
    flight = retreat.Flight(AXIS, (NUMBER["Pavia Div"],), 2)
    assert OUT in retreat.ends(g, flight, flight.units)
    drive(g, retreat.retreat(g, AXIS, [NUMBER["Pavia Div"]], 2), ["Out of Play"])
    assert where(g, "Pavia Div") == "Out of Play"
    g = game({"B1.15": ["6 NZ Bde/2 NZ"], "B2.14": ["Pavia Div"]}, scenario="alam-halfa")
    flight = retreat.Flight(ALLIED, (NUMBER["6 NZ Bde/2 NZ"],), 2)
    assert OUT not in retreat.ends(g, flight, flight.units)
