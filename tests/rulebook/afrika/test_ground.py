"""The ground, zones of control and stacking (1.3, 1.5, SCS 3-5)."""

from __future__ import annotations

import pytest

from khamsin.games.afrika.ground import LEG, MECHANISED, NETS, OPEN_SIDES
from khamsin.games.afrika.units import ALLIED, AXIS, BOARD, NUMBER
from khamsin.games.afrika.zones import zone
from khamsin.kernel.position import PositionError
from tests.rulebook.afrika.table import RULES, G, game, match, refused, where


def cost(start: str, end: str, kind: int) -> int:
    """What one step costs in halves of a MP."""
    return NETS[kind].flood([BOARD[start]], limit=100).cost(BOARD[end])


def reach(g: G, side: int, names: set[str]) -> set[str]:
    """Which of some hexes are in the ZOCs of a side."""
    return {name for name in names if zone(g, side)[BOARD[name]]}


@pytest.mark.parametrize(
    ("start", "end", "leg", "mech"),
    [
        ("A32.18", "A32.19", 2, 2),  # clear
        ("A35.21", "A36.21", 1, 1),  # road
        ("A40.17", "A39.18", 2, 1),  # track
        ("A24.26", "A24.27", 6, 12),  # mountain
        ("B19.16", "B19.17", 4, 8),  # salt marsh
    ],
)
def test_a_step_costs_what_the_chart_says(start: str, end: str, leg: int, mech: int) -> None:
    """(SCS 3.2, SCS 3.5, SCS 12.4)"""
    nets = [net.costs[BOARD[start], BOARD.direction(BOARD[start], BOARD[end])] for net in NETS]
    assert nets == [leg, mech]


def test_in_a_stack_of_both_classes_each_unit_pays_its_own_cost() -> None:
    """A mountain costs the division 3 MPs and the tanks 6 (SCS 3.8, SCS 12.4)."""
    m = match({"A24.26": ["Bologna Div", "5 Pz Rgt/5 Le"]})
    m.play(["A24.26", "A24.27"])
    assert [m.state.spent[NUMBER[unit]] for unit in ("Bologna Div", "5 Pz Rgt/5 Le")] == [6, 12]
    assert m.state.where[NUMBER["5 Pz Rgt/5 Le"]] == BOARD["A24.27"]


def test_a_unit_that_cannot_follow_keeps_the_stack_from_a_hex() -> None:
    """An army tank brigade out of supply has 5 MPs, and a second hex of rough would cost it 6 (SCS 12.4)."""
    m = match({"A23.26": ["14 Bde/70 Inf [oos]", "32 Army Tank Bde [oos]"]}, phase="allied movement")
    m.play(["14 Bde/70 Inf", "32 Army Tank Bde"])
    found = m.decision.reach
    refused_here = [hex for hex in found.within() if RULES.parse(BOARD.name(hex)) not in m.decision.legal]
    shut = [hex for hex in refused_here if BOARD.terrain_name(hex) == "rough"]
    assert shut
    assert refused(m, BOARD.name(shut[0])) == "SCS 12.4"


def test_an_italian_motor_group_reaches_cairo_in_two_turns_and_not_in_one() -> None:
    """From A47.19 it is 21 MPs to Cairo and 16 to Alexandria; the groups have 12 (SCS 12.4)."""
    assert (cost("A47.19", "B28.10", MECHANISED), cost("A47.19", "B19.18", MECHANISED)) == (42, 32)


def test_escarpments_are_crossed_by_road_or_track_alone() -> None:
    """(1.5a)"""
    assert BOARD["A34.24"] not in OPEN_SIDES[BOARD["A34.23"]]
    assert BOARD["A35.24"] in OPEN_SIDES[BOARD["A35.23"]]  # by track
    assert cost("A47.19", "A48.19", LEG) == 1  # by road, at its rate
    m = match({"A34.23": ["Bologna Div [oos]"]})
    m.play(["Bologna Div"])
    assert m.decision.legal[m.rules.parse("A34.24")] == "2", "round it, by A33.24"


def test_nobody_enters_sand_sea_or_depression() -> None:
    """(1.5b, 1.5c)"""
    m = match({"B10.12": ["Pavia Div"]}, scenario="third-alamein")
    m.play(["Pavia Div"])
    assert refused(m, "B11.12") == "1.5c"
    sand = next(hex for hex in BOARD if BOARD.terrain_name(hex) == "sand desert" and "map-b" in BOARD.tags[hex])
    assert refused(m, BOARD.name(sand)) == "1.5b"


def test_a_zone_reaches_the_six_hexes_around() -> None:
    """Of every unit, reduced or out of supply too; not of Rommel (SCS 5.1)."""
    around = {"A32.19", "A33.19", "A33.18", "A32.17", "A31.18", "A31.19"}
    g = game({"A32.18": ["10 Artillery Rgt [steps 1, oos]"]})
    assert reach(g, AXIS, around | {"A32.20", "A32.18"}) == around
    assert reach(g, ALLIED, around) == set()


def test_zones_do_not_cross_an_escarpment_without_a_road_nor_reach_the_sea() -> None:
    """(1.5a, SCS 5.2)"""
    g = game({"A34.23": ["288 Inf Rgt"], "A35.23": ["Pavia Div"]})
    assert reach(g, AXIS, {"A34.24", "A35.24", "A36.23"}) == {"A35.24"}
    g = game({"A39.23": ["Pavia Div"]})
    assert not any(zone(g, AXIS)[hex] for hex in BOARD.around(BOARD["A39.23"]) if not BOARD.enterable(hex))


def test_six_points_stack_in_a_hex() -> None:
    """Three divisions, or a division with four brigades; battalions count a half (1.3, SCS 4.1)."""
    game({"A32.18": ["Bologna Div", "Brescia Div", "Pavia Div", "Rommel"]})
    with pytest.raises(PositionError, match="stacking points"):
        game({"A32.18": ["Bologna Div", "Brescia Div", "Pavia Div", "5 AT Bn"]}, "axis supply")
    with pytest.raises(PositionError, match="both sides"):
        game({"A32.18": ["Bologna Div", "22 Gds Mtrd Bde"]})


def test_a_stack_passes_a_full_hex_but_does_not_end_there() -> None:
    """Unless units in it can still leave (1.3, SCS 4.2)."""
    full = ["Bologna Div [finished]", "Brescia Div [finished]", "Pavia Div [finished]"]
    m = match({"A32.18": ["288 Inf Rgt"], "A32.19": full})
    m.play(["288 Inf Rgt"])
    assert refused(m, "A32.19") == "1.3"
    m.play(["A32.20"])
    m = match({"A32.18": ["288 Inf Rgt"], "A32.19": [name.split(" [")[0] for name in full]})
    m.play(["288 Inf Rgt", "A32.19"])
    assert where(m, "288 Inf Rgt") == "A32.19"


def test_what_is_too_much_at_the_end_of_a_phase_goes_to_the_dead_pile() -> None:
    """The owner chooses (SCS 4.3)."""
    m = match({"A32.18": ["288 Inf Rgt"], "A32.19": ["Bologna Div", "Brescia Div", "Pavia Div"]})
    m.play(["288 Inf Rgt", "A32.19", "done"])
    assert m.decision.kind == "stacking.excess"
    assert refused(m, "Sabratha Div") == "SCS 4.3"
    m.play(["288 Inf Rgt"])
    assert where(m, "288 Inf Rgt") == "Axis Dead Pile"


@pytest.mark.parametrize(
    ("units", "fault"),
    [
        ({"A32.18": ["Pavia Div [steps 5]"]}, "steps"),
        ({"A37.26": ["Pavia Div"]}, "sea"),
        ({"A32.18": ["Pavia Div"], "A32.19": ["Rommel"]}, "Rommel"),
    ],
)
def test_positions_that_play_cannot_reach_are_refused(units: dict[str, list[str]], fault: str) -> None:
    """(1.4, 1.5c, 2.3)"""
    with pytest.raises(PositionError, match=fault):
        game(units)
