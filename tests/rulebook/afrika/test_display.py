"""What players are shown of Afrika."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from khamsin.games.afrika import dumps, metrics, strength
from khamsin.games.afrika.display import DISPLAY
from khamsin.games.afrika.layers import LAYERS, striking
from khamsin.games.afrika.scenario import NAMES, SETTINGS
from khamsin.games.afrika.units import ALLIED, AXIS, BOARD, COUNTERS, NUMBER, AfrikaState
from khamsin.kernel import Match
from khamsin.kernel.board import NOWHERE
from tests.rulebook.afrika.table import RULES, begun, game, match


def test_a_counter_shows_the_face_that_is_up() -> None:
    """(1.4, SCS 1.1)"""
    g = game({"A32.18": ["5 Pz Rgt/5 Le [steps 3]", "155 Artillery Rgt/5 Le", "Rommel"]})
    assert [DISPLAY.face(g, NUMBER[name]) for name in ("5 Pz Rgt/5 Le", "155 Artillery Rgt/5 Le", "Rommel")] == [
        "5-3-20", "(6)-1-15", "",
    ]  # fmt: skip
    assert [badge.mark for badge in DISPLAY.badges(g, NUMBER["5 Pz Rgt/5 Le"])] == ["3/4"]


def test_a_zone_does_not_hold_units_that_begin_the_phase_with_rommel() -> None:
    """Of two units next to the enemy only the one without Rommel is marked as held (2.3, SCS 5.5)."""
    units = {"A32.18": ["5 Pz Rgt/5 Le", "Rommel"], "A32.20": ["8 Pz Rgt/15 Pz"], "A32.19": ["3 Ind Mtrd Bde"]}
    m = match(units)
    marks = [
        [badge.mark for badge in DISPLAY.badges(m.game, NUMBER[unit])] for unit in ("5 Pz Rgt/5 Le", "8 Pz Rgt/15 Pz")
    ]
    assert marks == [["R"], ["Z"]]


def test_boxes_and_ports_are_marked_on_the_map() -> None:
    """(1.9d, 1.16)"""
    g = game({"A32.18": ["Pavia Div"]}, boxes={"axis": ["A32.18"]}, allied=["A39.23"])
    assert {(BOARD.name(mark.place), mark.kind) for mark in DISPLAY.marks(g, AXIS)} == {
        ("A32.18", "strongpoint"), ("A39.23", "port"),
    }  # fmt: skip


@pytest.mark.parametrize("scenario", NAMES)
def test_every_scenario_has_objectives_and_dates(scenario: str) -> None:
    """(4.1, 4.2, 4.3, 4.4, 4.5, 5.1, 5.2)"""
    g = begun(scenario).game
    assert list(DISPLAY.objectives(g, NOWHERE))
    assert len(DISPLAY.turns(g)) == SETTINGS[scenario].last


def test_an_attack_has_a_sheet_before_it_is_declared() -> None:
    """(SCS 8.6)"""
    m = match({"A31.18": ["8 Pz Rgt/15 Pz", "104 Shu Rgt/5 Le"], "A32.18": ["3 Ind Mtrd Bde"]}, phase="axis combat")
    (sheet,) = DISPLAY.sheets(m.game, m.decision, RULES.parse("A32.18"))
    assert sheet.odds.column == "5:1"


def test_air_points_are_options_of_an_attack() -> None:
    """Each shows the odds with so many points (1.10c)."""
    m = match({"A31.18": ["8 Pz Rgt/15 Pz", "104 Shu Rgt/5 Le"], "A32.18": ["3 Ind Mtrd Bde"]}, phase="axis combat")
    m.game.state.air["Axis"] = 2
    m.play(["A32.18"])
    assert m.decision is not None
    (sheet,) = DISPLAY.sheets(m.game, m.decision, NOWHERE)
    units, (hex,) = sheet.attackers, sheet.targets
    points = [option for option in sheet.options if option.rule == "1.10c"]
    assert [option.text for option in points] == ["Commit 1 air point", "Commit 2 air points"]
    for number, option in enumerate(points, 1):
        assert option.odds == strength.preview(m.game, strength.Attack(0, units, hex, number)) != sheet.odds


PANZERS = ["5 Pz Rgt/5 Le", "104 Shu Rgt/5 Le"]


def campaign_match(units: dict[str, list[str]], phase: str = "axis movement", **more: Any) -> Match[AfrikaState]:
    return Match.at(game(units, phase, 10, "italian-offensive", campaign=1, **more))


def test_an_overrun_has_a_sheet_and_a_price_before_it_is_made() -> None:
    """14 to 3 is 5:1; two hexes of road, then 1 and 3 MPs (SCS 6.3, SCS 6.5)."""
    m = match({"A33.21": PANZERS, "A36.21": ["3 Ind Mtrd Bde"]})
    m.play(["A33.21", "A35.21", "A35.21"])
    (sheet,) = DISPLAY.sheets(m.game, m.decision, RULES.parse("A36.21"))
    assert (sheet.title, sheet.odds.column) == ("Overrun: Sidi Muftah (A36.21)", "7:1"), "with combined arms"
    assert sum(sheet.odds.outcomes.values()) == 1
    assert DISPLAY.reach(m.game, m.decision)[BOARD["A36.21"]].cost == 8


def test_the_chances_of_a_capture_are_shown_before_the_move() -> None:
    """A dump of three: nothing on 1, one on 2 and 3, two on 4 to 6 (1.8)."""
    g = game({"A32.18": ["5 Pz Rgt/5 Le"]}, "axis movement", 10, "italian-offensive", campaign=1)
    dumps.add(g, ALLIED, BOARD["A32.20"], 3)
    m = Match.at(g)
    m.play(["5 Pz Rgt/5 Le"])
    assert m.decision.legal[RULES.parse("A32.20")] == {"MPs": "2", "SPs to capture": 3}
    for end in ("A32.20", "A32.21"):
        (sheet,) = DISPLAY.sheets(m.game, m.decision, RULES.parse(end))
        assert sheet.odds.outcomes == {
            "captures 0 of 3": Fraction(1, 6), "captures 1 of 3": Fraction(2, 6), "captures 2 of 3": Fraction(3, 6),
        }  # fmt: skip


def test_air_points_change_the_sheet_before_they_are_committed() -> None:
    """Of the attacker to the right, of the defender to the left (1.10c)."""
    units = {"A31.18": ["8 Pz Rgt/15 Pz"], "A32.18": ["3 Ind Mtrd Bde"]}
    m = match(units, phase="axis combat", air=(2, 2))
    m.play(["done", "A32.18", "done"])
    columns = [
        next(iter(DISPLAY.sheets(m.game, m.decision, RULES.parse(button)))).odds.column for button in ("air 0", "air 2")
    ]
    assert columns == ["3:1", "5:1"]
    (sheet,) = DISPLAY.sheets(m.game, m.decision, NOWHERE)
    assert [(option.text, option.odds.column) for option in sheet.options] == [
        ("Commit 1 air point", "4:1"), ("Commit 2 air points", "5:1"),
    ]  # fmt: skip
    m.play(["air 2"])
    (sheet,) = DISPLAY.sheets(m.game, m.decision, RULES.parse("air 1"))
    assert (m.decision.side, sheet.odds.column) == (ALLIED, "4:1")


def test_a_barrage_has_a_sheet_for_every_choice() -> None:
    """6 points alone, 11 with an air point; against the port no shift (1.9f, 1.10b, 1.12)."""
    units = {"A38.22": ["155 Artillery Rgt/5 Le"], "A39.23": ["14 Bde/70 Inf"]}
    m = campaign_match(units, "axis combat", allied=["A39.23"], air=(1, 0))
    (sheet,) = DISPLAY.sheets(m.game, m.decision, RULES.parse("A39.23"))
    m.play(["A39.23"])
    columns = {
        click: next(iter(DISPLAY.sheets(m.game, m.decision, RULES.parse(click)))).odds.column
        for click in ("air 0", "air 1", "port")
    }
    assert columns == {"air 0": "1", "air 1": "2-3", "port": "6-8"}
    (fire,) = DISPLAY.sheets(m.game, m.decision, NOWHERE)
    assert [(option.text, option.odds.column) for option in fire.options] == [("Commit 1 air point", "2-3")]
    assert sheet.odds.column == "1"


def test_units_that_go_without_supply_are_named_before_the_end() -> None:
    """(1.6d)"""
    g = game(
        {"A32.18": ["5 Pz Rgt/5 Le"], "A2.12": ["8 Pz Rgt/15 Pz"]}, "axis supply", 10, "italian-offensive", campaign=1
    )
    dumps.add(g, AXIS, BOARD["A32.18"], 1)
    m = Match.at(g)
    while m.decision.kind != "supply.feed":
        m.play(["done"])
    assert DISPLAY.warnings(m.game, m.decision) == {RULES.parse("done"): "1 unit without supply: they lose a step"}


def test_units_that_a_full_hex_loses_are_announced_before_the_end() -> None:
    """Four divisions are in a hex with room for three (SCS 4.3)."""
    full = ["Pavia Div", "Bologna Div", "Brescia Div"]
    m = match({"A32.18": full, "A33.18": ["Trento Div"]})
    m.play(["Trento Div", "A32.18"])
    text = "Too many units in A32.18: the excess is lost"
    assert DISPLAY.warnings(m.game, m.decision) == {RULES.parse("done"): text}
    m.play(["Pavia Div", "A32.19"])
    assert not DISPLAY.warnings(m.game, m.decision)


def test_leaving_a_box_is_confirmed_first() -> None:
    """(1.16)"""
    m = match({"A32.18": ["Pavia Div", "Bologna Div"]}, boxes={"axis": ["A32.18"]})
    m.play(["Pavia Div"])
    assert not DISPLAY.warnings(m.game, m.decision)
    m.play(["Bologna Div"])
    assert "box in A32.18" in DISPLAY.warnings(m.game, m.decision)[RULES.parse("A32.19")]


@pytest.mark.parametrize("scenario", NAMES)
def test_the_tracks_say_who_would_win(scenario: str) -> None:
    """(4.1, 4.2, 4.3, 4.4, 4.5, 5.1, 5.2)"""
    g = begun(scenario).game
    first, *rest = DISPLAY.tracks(g, AXIS)
    assert first.title == "If the game ended now"
    assert first.value.startswith(("Victory of the", "Draw"))
    assert {"Air points"} <= {track.title for track in rest}


def test_dumps_are_marked_with_their_number_and_ports_with_their_state() -> None:
    """(1.6a, 1.9d, 1.9f)"""
    g = game({"A32.18": ["Pavia Div"]}, "axis movement", 10, "italian-offensive", allied=["A39.23"], campaign=1)
    dumps.add(g, AXIS, BOARD["A32.18"], 4)
    g.state.capacity[BOARD["A39.23"]], g.state.damage[BOARD["A39.23"]] = 2, 1
    marks = {(BOARD.name(mark.place), mark.kind): mark.text for mark in DISPLAY.marks(g, AXIS)}
    assert marks["A32.18", "4"] == "Axis dump: 4 SPs"
    assert marks["A39.23", "port"] == "Allied port, capacity left 2, damaged by 1 on its next turn"


def test_the_supply_layer_shows_the_range_of_dumps_and_who_is_beyond() -> None:
    """(1.6c)"""
    g = game({"A32.18": ["Pavia Div"], "A2.12": ["Bologna Div"]}, "axis movement", 6, "italian-offensive", campaign=1)
    dumps.add(g, AXIS, BOARD["A32.18"], 4)
    layer = LAYERS["supply"].make(g, AXIS)
    tones = {BOARD.name(spot.place): spot.tone for spot in layer.spots}
    assert (tones["A32.23"], tones.get("A32.24"), tones["A2.12"]) == ("supply", None, "closed")
    assert [note.rule for note in layer.notes] == ["1.6c"]


def test_the_threat_layer_counts_what_could_attack_a_hex() -> None:
    """(SCS 3.2)"""
    g = game({"A32.18": ["Bologna Div"], "A33.18": ["Pavia Div [oos]"], "A36.18": ["3 Ind Mtrd Bde"]})
    strength = striking(g, AXIS)
    assert (strength[BOARD["A36.18"]], strength[BOARD["A59.14"]]) == (4 + 1, 0)


def test_only_kg_hecker_strikes_past_zones_without_their_cost() -> None:
    """The anti-tank battalion with it has the same allowance and pays them (2.8, SCS 5.3)."""
    units = {"A32.18": ["KG Hecker", "5 AT Bn"], "A34.18": ["3 Ind Mtrd Bde"]}
    both, alone = (striking(game({**units, "A32.18": stack}), AXIS) for stack in (units["A32.18"], units["A32.18"][:1]))
    battalion = striking(game({**units, "A32.18": units["A32.18"][1:]}), AXIS)
    assert both == [hecker + other for hecker, other in zip(alone, battalion, strict=True)]


def test_full_names_are_made_from_the_short_ones() -> None:
    """(1.2a)"""
    names = ("5 Pz Rgt/5 Le", "28 Oct Div", "KDGds Recon Bn/2 Arm", "22 Arm Bde", "1 Greek Bde")
    assert [DISPLAY.full(COUNTERS[NUMBER[name]]) for name in names] == [
        "5th Panzer Regiment, 5th Light Division", "28 Ottobre Blackshirt Division",
        "King's Dragoon Guards, 2nd Armoured Division", "22nd British Armoured Brigade", "1st Greek Brigade",
    ]  # fmt: skip


def test_the_laboratory_follows_front_steps_and_supply() -> None:
    """(5.1)"""
    g = game(
        {"A32.18": ["Pavia Div"], "A40.18": ["3 Ind Mtrd Bde"]}, "axis movement", 6, "italian-offensive", campaign=1
    )
    dumps.add(g, AXIS, BOARD["A32.18"], 4)
    found = metrics.curves(g)
    assert (found["Axis steps"], found["Allied steps"], found["Axis SPs"]) == (4, 2, 4)
    assert 400 < found["Front, km east of El Agheila"] < 600
    assert metrics.lead(g) == 0
    assert metrics.lead(game({"A39.23": ["Pavia Div"], "A47.20": ["Bologna Div"], "A13.23": ["Savona Div"]}, "axis movement",
                             6, "italian-offensive", campaign=1)) == 1  # fmt: skip


def test_malta_shows_the_air_points_of_the_turn_after_they_were_assigned() -> None:
    """(2.6)"""
    m = campaign_match({"A20.18": ["5 Pz Rgt/5 Le"], "B19.18": ["1 French Bde"]}, "axis reinforcement", air=(3, 0))
    m.play(["air 2"])
    while m.decision is not None and m.decision.kind != "move.stack":
        m.play(["done"])
    assert "Malta: 2 air points this turn" in [mark.text for mark in DISPLAY.marks(m.game, AXIS)]


def test_a_result_says_how_far_the_units_retreat() -> None:
    """(SCS 9.1)"""
    words = ("defender loses 2 and retreats 2 hexes", "attacker loses 2 and retreats 1 hex")
    assert (DISPLAY.outcome("D2R2"), DISPLAY.outcome("A2R1")) == words
