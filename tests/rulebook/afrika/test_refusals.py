"""Refusals of Afrika that name the one reason that applies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from khamsin.games.afrika import RULES, campaign, combat, dumps, feeding, ports, retreat
from khamsin.games.afrika.units import ALLIED, AXIS, BOARD, NUMBER, TRIPOLI, AfrikaState, G
from khamsin.kernel import Match
from tests.rulebook.afrika.table import begun, drive, game, legal, match, refused


def war(units: Mapping[str, Sequence[str]], phase: str = "axis movement", turn: int = 10, **more: Any) -> G:
    """A position of the campaign."""
    return game(units, phase, turn, "italian-offensive", campaign=1, **more)


def reason(m: Match[AfrikaState], click: str) -> tuple[str, str]:
    """Why a click is illegal, and by which section."""
    number = RULES.parse(click)
    assert m.decision is not None
    assert number not in m.decision.legal
    refusal = m.explain(number)
    return refusal.reason, refusal.rule


# Combat


def test_an_enemy_beyond_an_escarpment_is_adjacent_but_not_attacked() -> None:
    """(1.5a, SCS 8.1)"""
    units = {
        "A34.23": ["288 Inf Rgt"],
        "A34.24": ["5 SA Bde/1 SA"],
        "A20.18": ["65 Rgt/Trieste"],
        "A21.18": ["3 Ind Mtrd Bde"],
    }
    m = match(units, phase="axis combat")
    assert refused(m, "A34.24") == "1.5a"
    assert refused(m, "288 Inf Rgt") == "1.5a"
    assert legal(m) == {"A21.18", "done"}


@pytest.mark.parametrize(("hex", "rule"), [("A47.20", "1.9f"), ("B19.18", "1.9f"), ("A40.20", "1.12")])
def test_why_an_empty_hex_is_not_barraged(hex: str, rule: str) -> None:
    """A port of one's own and Alexandria cannot be damaged; another hex has no units (1.9f, 1.12)."""
    g = war(
        {"A30.18": ["5 Pz Rgt/5 Le"], "A20.18": ["1 French Bde"]},
        "axis combat",
        axis=["A47.20"],
        allied=["B19.18"],
        air=(3, 0),
    )
    assert refused(Match.at(g), hex) == rule


def test_ports_of_a_short_scenario_are_not_barraged() -> None:
    """(1.9f, 4.0)"""
    m = match(
        {"A30.18": ["5 Pz Rgt/5 Le"], "A32.18": ["1 French Bde"]}, phase="axis combat", allied=["A39.23"], air=(3, 0)
    )
    assert refused(m, "A39.23") == "4.0"


# Supply points


def trip(units: Mapping[str, Sequence[str]], start: str, trucks: int = 1) -> Match[AfrikaState]:
    """An Axis SP that is about to be driven."""
    g = war(units)
    dumps.add(g, AXIS, BOARD[start], 1)
    g.state.trucks["Axis"] = trucks
    m = Match.at(g)
    m.play(["trucks", start])
    return m


def test_why_trucks_do_not_get_somewhere() -> None:
    """(1.5c, 1.7, 1.13, SCS 11.6)"""
    m = trip({"A32.21": ["6 NZ Bde/2 NZ"], "A20.18": ["Pavia Div"]}, "A32.18")
    assert reason(m, "A40.27") == ("The SP cannot move to A40.27: it is sea", "1.5c")
    assert reason(m, "A32.01")[1] == "1.5b"
    text, rule = reason(m, "A55.18")
    assert text.endswith(" truck MPs, 10 left")
    assert rule == "1.7"
    assert reason(m, "A32.21") == ("The SP cannot move to A32.21: 6 NZ Bde/2 NZ is there", "SCS 11.6")
    text, rule = reason(m, "A32.20")
    assert (text.split(": ")[1], rule) == ("it is in the ZOC of 6 NZ Bde/2 NZ, and no unit of yours is there", "1.7")
    assert reason(m, "Malta")[1] == "1.13"


def test_why_trucks_do_not_get_somewhere_from_a_box() -> None:
    """A truck point to the Joining Box and one more to the map (1.13)."""
    m = trip({"A3.12": ["6 NZ Bde/2 NZ"], "A20.18": ["Pavia Div"]}, "Tripoli Box", trucks=2)
    assert reason(m, "A2.12")[0].startswith("The SP cannot move to A2.12: costs ")
    m = trip({"A3.12": ["6 NZ Bde/2 NZ"], "A20.18": ["Pavia Div"]}, "Tripoli Box", trucks=3)
    assert reason(m, "A2.12")[0].startswith("The SP cannot move to A2.12: it is in the ZOC of ")


def test_no_sp_leaves_a_dump_without_trucks_or_a_port() -> None:
    """Shipping alone takes SPs from ports (1.7, 1.9a)."""
    g = war({"A20.18": ["Pavia Div"]}, axis=["A13.23"])
    g.state.shipping["Axis"] = 2
    g.state.capacity[BOARD["A13.23"]] = 2
    dumps.add(g, AXIS, BOARD["A32.18"], 1)
    m = Match.at(g)
    assert reason(m, "trucks")[1] == "1.7"
    dumps.add(g, AXIS, TRIPOLI, 1)
    m = Match.at(g)
    m.play(["trucks"])
    assert legal(m) == {"Tripoli Box", "cancel"}
    assert refused(m, "A32.18") == "1.7"
    assert refused(m, "A33.18") == "1.8"


def test_why_a_unit_does_not_draw_from_a_dump() -> None:
    """Beyond the range, cut off within it, or in an off-map box (1.6c, 1.13)."""
    units = {
        "A40.10": ["Pavia Div"],
        "A32.22": ["5 Pz Rgt/5 Le"],
        "Tripoli Box": ["Savona Div"],
        "A32.20": ["6 NZ Bde/2 NZ"],
        "A29.20": ["4 NZ Bde/2 NZ"],
        "A35.20": ["5 NZ Bde/2 NZ"],
    }
    g = war(units, "axis supply", turn=6)
    dumps.add(g, AXIS, BOARD["A32.18"], 1)
    decision = drive(g, feeding.feed(g, AXIS), ["A32.18"])
    assert decision is not None
    refusals = {
        name: decision.why_not(g, decision, NUMBER[name]) for name in ("Pavia Div", "5 Pz Rgt/5 Le", "Savona Div")
    }
    texts = {
        name: (refusal.reason.split(": ")[1], refusal.rule) for name, refusal in refusals.items() if refusal is not None
    }
    assert texts == {
        "Pavia Div": ("beyond its range of 5 MPs", "1.6c"),
        "5 Pz Rgt/5 Le": ("enemy units and ZOCs are in the way", "1.6c"),
        "Savona Div": ("in an off-map box units draw from the SPs in it", "1.13"),
    }


# Movement


def test_only_kg_hecker_lands_and_alone() -> None:
    """(2.8)"""
    m = match({"A30.28": ["KG Hecker", "288 Inf Rgt"]})
    m.play(["288 Inf Rgt"])
    assert reason(m, "landing") == ("288 Inf Rgt cannot land: only KG Hecker can, and alone", "2.8")
    m.play(["KG Hecker"])
    assert refused(m, "landing") == "2.8"


def test_why_a_unit_does_not_join_a_stack() -> None:
    """(2.3, SCS 3.1)"""
    units = {"A30.18": ["5 Pz Rgt/5 Le", "Rommel"], "A32.18": ["104 Shu Rgt/5 Le"], "A40.18": ["Pavia Div"]}
    m = match(units)
    m.play(["5 Pz Rgt/5 Le"])
    assert reason(m, "Pavia Div") == ("Pavia Div cannot join 5 Pz Rgt/5 Le: not in A30.18", "SCS 3.1")
    assert reason(m, "Rommel") == ("Rommel cannot join 5 Pz Rgt/5 Le: Rommel moves by himself", "2.3")
    m.play(["A32.18", "104 Shu Rgt/5 Le"])
    text = "5 Pz Rgt/5 Le cannot join 104 Shu Rgt/5 Le: 5 Pz Rgt/5 Le has begun its move"
    assert reason(m, "5 Pz Rgt/5 Le") == (text, "SCS 3.1")
    m.play(["cancel", "5 Pz Rgt/5 Le"])
    text = "104 Shu Rgt/5 Le cannot join 5 Pz Rgt/5 Le: 5 Pz Rgt/5 Le has begun its move"
    assert reason(m, "104 Shu Rgt/5 Le") == (text, "SCS 3.1")


def test_control_of_a_road_hex_is_logged_by_the_scenario_and_of_a_port_by_its_capture() -> None:
    """(1.9e, 4.2)"""
    m = match({"A33.21": ["5 Pz Rgt/5 Le"]}, allied=["A34.21", "A39.23"])
    m.play(["5 Pz Rgt/5 Le", "A34.21"])
    assert {event.rule for event in m.events if "takes" in event.text} == {"4.2"}
    m.play(["5 Pz Rgt/5 Le", "A39.23"])
    assert [event.rule for event in m.events if "takes" in event.text][-1] == "1.9e"


@pytest.mark.parametrize(
    ("shipping", "capacity", "units", "why", "rule"),
    [
        (0, 3, 1, "Nothing can be shipped to A47.20: no coastal shipping left", "1.9a"),
        (1, 3, 2, "2 units cannot be shipped: too little shipping left", "1.9a"),
        (3, 0, 1, "Nothing can be shipped to A47.20: no port capacity left", "1.9d"),
        (3, 1, 2, "2 units cannot be shipped to A47.20: capacity 1", "1.9d"),
    ],
)
def test_why_a_ship_does_not_sail_is_said_of_a_port_of_ones_own(
    shipping: int, capacity: int, units: int, why: str, rule: str
) -> None:
    """Not of Benghazi, which is the enemy's (1.9a, 1.9d)."""
    stack = ["1 French Bde", "18 Ind Bde"]
    g = war({"A39.23": stack, "A20.18": ["Pavia Div"]}, "allied movement", axis=["A13.23"], allied=["A39.23", "A47.20"])
    g.state.shipping["Allied"], g.state.capacity[BOARD["A47.20"]] = shipping, capacity
    dumps.add(g, ALLIED, BOARD["A39.23"], 1)
    m = Match.at(g)
    m.play(stack[:units])
    assert reason(m, "ship") == (why, rule)
    if units == 1:
        m.game.state.trucks["Allied"] = 1
        m.play(["cancel", "trucks", "A39.23"])
        assert reason(m, "ship") == (why, rule)


def test_off_map_boxes_are_closed_to_the_allies() -> None:
    """To a retreat from the edge of the map as to a ship (1.13)."""
    g = war({"A1.12": ["1 French Bde", "18 Ind Bde"], "B19.18": ["Polish Bde"]}, "allied movement", allied=["B19.18"])
    decision = drive(g, retreat.retreat(g, ALLIED, [NUMBER["1 French Bde"], NUMBER["18 Ind Bde"]], 1))
    assert decision is not None
    assert decision.why_not is not None
    refusal = decision.why_not(g, decision, RULES.parse("Joining Box"))
    assert refusal is not None
    assert (refusal.reason.split(": ")[1], refusal.rule) == ("off-map boxes are for the Axis in a campaign", "1.13")
    refusal = ports.why_not_shipped(g, ALLIED, BOARD["B19.18"], TRIPOLI)
    assert refusal is not None
    assert (refusal.reason, refusal.rule) == ("Tripoli Box is not a port of yours", "1.13")


def test_a_side_with_one_port_ships_nothing() -> None:
    """(1.9d)"""
    units = {"A39.23": ["1 French Bde"], "A20.18": ["Pavia Div"]}
    g = war(units, "allied movement", axis=["A13.23", "A47.20"], allied=["A39.23"])
    g.state.shipping["Allied"] = 3
    m = Match.at(g)
    m.play(["1 French Bde"])
    assert reason(m, "ship") == ("Nothing can be shipped from A39.23: you have no other port to use", "1.9d")


def test_an_sp_does_not_move_to_where_it_is() -> None:
    """Also in a port (1.7)."""
    g = war({"A39.23": ["288 Inf Rgt"], "A20.18": ["1 French Bde"]}, axis=["A39.23"])
    dumps.add(g, AXIS, BOARD["A39.23"], 1)
    g.state.trucks["Axis"] = 1
    m = Match.at(g)
    m.play(["trucks", "A39.23"])
    assert reason(m, "A39.23") == ("The SP is already in A39.23", "1.7")


# Replacements and withdrawals


def test_why_a_counter_regains_no_step() -> None:
    """Rommel has no steps (1.11, 2.3)."""
    g = war({"A40.20": ["288 Inf Rgt [steps 1]", "Recam Grp", "Rommel"]}, "axis reinforcement")
    g.state.todo.update({"malta": 1, "received": 1, "exchanged": 1, "drawn": 1, "steps": 1})
    m = Match.at(g)
    assert legal(m) == {"288 Inf Rgt", "done"}
    assert reason(m, "Recam Grp") == ("Recam Grp cannot regain steps: it has lost none", "1.11")
    assert reason(m, "Rommel") == ("Rommel cannot regain steps: he is not a unit", "2.3")


@pytest.mark.parametrize(
    ("unit", "why"),
    [
        ("Savona Div", "Savona Div is not yours"),
        ("Support Grp/7 Arm", "Support Grp/7 Arm cannot be withdrawn: not an infantry brigade"),
        ("7 Arm Bde/7 Arm", "7 Arm Bde/7 Arm cannot be withdrawn: not an infantry brigade"),
        ("9 Ind Bde/5 Ind", "9 Ind Bde/5 Ind cannot be withdrawn: not on the map"),
    ],
)
def test_why_a_unit_is_not_withdrawn(unit: str, why: str) -> None:
    """A motorised group is infantry, but not a brigade (3.3)."""
    units = {
        "B5.15": ["18 Ind Bde", "Support Grp/7 Arm", "7 Arm Bde/7 Arm"],
        "B6.15": ["1 French Bde"],
        "A20.18": ["Savona Div"],
        "Allied Dead Pile": ["9 Ind Bde/5 Ind"],
    }
    g = war(units, "allied reinforcement")
    g.state.todo.update({"received": 1, "drawn": 1, "infantry": 1})
    m = Match.at(g)
    assert m.decision is not None
    assert m.decision.prompt == "Withdraw 1 infantry brigade: choose a unit"
    assert reason(m, unit) == (why, "3.3")


# Rommel and the set-up


def test_rommel_does_not_attack() -> None:
    """He is next to the enemy with an artillery regiment that does, and no odds are shown for him (2.3)."""
    units = {"A30.18": ["Rommel", "288 Inf Rgt"], "A31.18": ["3 Ind Mtrd Bde"]}
    m = match(units, phase="axis combat")
    why = ("Rommel cannot attack: he is not a unit", "2.3")
    assert reason(m, "Rommel") == why
    m.play(["A31.18"])
    assert reason(m, "Rommel") == why
    odds = combat.odds(m.game, AXIS, [NUMBER["Rommel"]], [BOARD["A31.18"]])
    assert [term.rule for term in odds.terms] == ["2.3"]


def test_rommel_retreats_with_the_units_of_his_hex() -> None:
    """(2.3)"""
    units = {"A30.18": ["Rommel", "288 Inf Rgt", "Recam Grp"], "A31.18": ["3 Ind Mtrd Bde"]}
    g = game(units, phase="allied combat")
    stack = [NUMBER["288 Inf Rgt"], NUMBER["Recam Grp"]]
    decision = drive(g, retreat.retreat(g, AXIS, stack, 1))
    assert decision is not None
    assert decision.why_not is not None
    refusal = decision.why_not(g, decision, NUMBER["Rommel"])
    assert refusal is not None
    assert (refusal.reason, refusal.rule) == ("Rommel cannot retreat: he moves with units of his hex", "2.3")


def test_rommel_is_not_offered_a_move_without_a_stack_to_join() -> None:
    """The only Axis units on the map are with him (2.3)."""
    m = match({"A30.18": ["Rommel", "288 Inf Rgt"], "A20.18": ["3 Ind Mtrd Bde"]})
    assert reason(m, "Rommel") == ("Rommel cannot move: no other Axis stack is on the map", "2.3")
    assert "A30.18" in legal(m)


def test_rommel_goes_to_hexes_of_the_map_alone() -> None:
    """Pavia is in the Tripoli Box, so it is not for want of units (2.3)."""
    units = {"A32.18": ["5 Pz Rgt/5 Le", "Rommel"], "A40.18": ["Recam Grp"], "Tripoli Box": ["Pavia Div"]}
    m = Match.at(war(units))
    m.play(["Rommel"])
    assert reason(m, "Tripoli Box") == ("Rommel cannot move to Tripoli Box: only to hexes of the map", "2.3")
    assert reason(m, "A32.19")[0].endswith("no Axis unit is there")


@pytest.mark.parametrize(
    ("unit", "why"),
    [
        ("Maletti Grp", "not yours"),
        ("Polish Bde", "it is not in play at the start"),
        ("Savona Div", "not yours"),
    ],
)
def test_why_the_allies_do_not_place_a_unit(unit: str, why: str) -> None:
    """(5.1)"""
    assert reason(begun("italian-offensive"), unit) == (f"{unit} cannot be placed: {why}", "5.1")


def test_a_unit_in_tripoli_is_not_placed_elsewhere() -> None:
    """(5.1)"""
    m = begun("italian-offensive")
    m.play(["done"])
    assert reason(m, "Savona Div") == ("Savona Div cannot be placed: the set-up gives its hex", "5.1")


def test_a_unit_that_is_not_in_play_does_not_move() -> None:
    """Nor is it a goal of others (SCS 3.1)."""
    m = match({"A20.18": ["65 Rgt/Trieste"]})
    assert reason(m, "288 Inf Rgt") == ("288 Inf Rgt cannot move: it is not in play", "SCS 3.1")
    m.play(["65 Rgt/Trieste"])
    assert reason(m, "3 Ind Mtrd Bde") == ("3 Ind Mtrd Bde is not yours", "SCS 3.1")


@pytest.mark.parametrize(
    ("unit", "why", "rule"),
    [
        ("Rommel", "not yours", "1.6c"),
        ("LRDG Grp", "always in supply", "3.4"),
        ("18 Ind Bde", "it is in Allied Dead Pile", "1.6c"),
        ("Polish Bde", "it is not in play", "1.6c"),
    ],
)
def test_why_a_unit_is_not_supplied(unit: str, why: str, rule: str) -> None:
    """(1.6c, 3.4)"""
    units = {
        "A20.18": ["1 French Bde [moved]", "LRDG Grp [moved]"],
        "A40.20": ["288 Inf Rgt", "Rommel"],
        "Allied Dead Pile": ["18 Ind Bde"],
    }
    g = war(units, phase="allied supply")
    dumps.add(g, ALLIED, BOARD["A20.18"], 1)
    assert reason(Match.at(g), unit) == (f"{unit} cannot be chosen: {why}", rule)


def test_rommel_needs_no_supply() -> None:
    """(2.3)"""
    g = war({"A40.20": ["288 Inf Rgt [moved]", "Rommel"]}, phase="axis supply")
    dumps.add(g, AXIS, BOARD["A40.20"], 1)
    assert reason(Match.at(g), "Rommel") == ("Rommel cannot be chosen: always in supply", "2.3")


def test_the_log_counts_one_unit_and_one_point() -> None:
    """(1.6c)"""
    g = war({"A20.18": ["65 Rgt/Trieste"]}, phase="axis supply")
    dumps.add(g, AXIS, BOARD["A20.18"], 1)
    feeding.pay(g, AXIS, {BOARD["A20.18"]: [NUMBER["65 Rgt/Trieste"]]})
    assert g.text(g.events[0]) == "A20.18 supplies 1 unit for 1 SP"


@pytest.mark.parametrize(
    ("dice", "text"), [([1, 1], "1 SP arrives in Tripoli Box"), ([1, 3], "2 SPs arrive in Tripoli Box")]
)
def test_the_log_says_how_many_sps_arrive(dice: list[int], text: str) -> None:
    """(1.9)"""
    g = war({}, "axis reinforcement", dice=dice)
    campaign.receive(g, AXIS)
    assert g.text(g.events[-1]) == text


def test_one_air_point_too_many() -> None:
    """(1.10)"""
    m = match({"A30.18": ["104 Artillery Bde"], "A31.18": ["3 Ind Mtrd Bde"]}, phase="axis combat")
    m.play(["A31.18"])
    assert reason(m, "air 1") == ("Axis cannot commit 1 air point: 0 left", "1.10")
