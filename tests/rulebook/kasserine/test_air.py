"""Air units (5.3, 11.1, 11.2): readiness, arrival and interdiction."""

from __future__ import annotations

import pytest

from khamsin.games.kasserine import air, ground, recovery
from khamsin.games.kasserine.units import ALLIED, AXIS, BOARD, CLOUDY, DRY, NUMBER, RAIN, G
from khamsin.kernel import Match
from tests.rulebook.kasserine.table import drive, flags, game, match, where


def over_thala(dice: list[int], weather: int = CLOUDY, **base: str) -> G:
    """Air units sent to a combat, and how the dice fall."""
    units = {"2811": ["Hurricane", "Ju87 a"], "2910": ["A-20 a", "A-20 b", "Ju87 b", "Ju87 c", "P-39"]}
    return game(
        units | {base.get("at", "2730"): ["XII ASC" + base.get("mode", " [deployed]")]}, dice=dice, weather=weather
    )


def test_air_units_over_2811() -> None:
    """The Hurricane rolls 3 and is ready again, the Ju87 rolls 2 and arrives (example 17 air 2811, 11.1.6)."""
    g = over_thala([3, 2])
    assert air.arrives(g, NUMBER["Hurricane"], pair=False) == "R"
    assert air.arrives(g, NUMBER["Ju87 a"], pair=False) == "A"
    assert where(g, "Hurricane") == "Allied Ready Box"
    assert where(g, "Ju87 a") == "2811"


def test_air_units_over_2910() -> None:
    """Two A-20 add 1 as US, take 1 under clouds, add 1 as a pair (example 17 air 2910, 11.1.6)."""
    g = over_thala([4, 1, 2, 3])
    assert air.arrival_modifier(g, NUMBER["A-20 a"], pair=True) == 1
    results = [air.arrives(g, NUMBER[unit], pair=True) for unit in ("A-20 a", "A-20 b", "Ju87 b", "Ju87 c")]
    assert results == ["U", "A", "A", "R"]
    assert where(g, "A-20 a") == "Allied Used Box"
    assert where(g, "Ju87 c") == "Axis Ready Box"


@pytest.mark.parametrize(
    ("unit", "weather", "pair", "mode", "modifier"),
    [
        ("P-39", DRY, False, " [deployed]", 1),
        ("A-20 a", DRY, False, " [deployed]", 1),
        ("A-20 a", CLOUDY, False, " [deployed]", 0),
        ("Hurricane", DRY, False, "", 0),
        ("Hurricane", DRY, True, "", 1),
        ("Ju87 a", DRY, True, "", 0),
        ("P-39", RAIN, True, "", 5),
    ],
)
def test_what_is_added_for_arrival(unit: str, weather: int, pair: bool, mode: str, modifier: int) -> None:
    """US units, A-20 under clouds, two Allied units, and XII ASC in March mode (11.1.6, 16.7, 16.7.2)."""
    assert air.arrival_modifier(over_thala([], weather, mode=mode), NUMBER[unit], pair) == modifier


def test_us_air_units_miss_their_base() -> None:
    """Lost it counts as in March mode; at Faid it counts as Deployed (16.7.2, 18.1.4)."""
    lost = over_thala([], DRY, at="Allied out of play", mode="")
    assert air.arrival_modifier(lost, NUMBER["P-39"], pair=False) == 4
    faid = game({"Allied Ready Box": ["P-39"]}, scenario="faid", turn=2)
    assert air.arrival_modifier(faid, NUMBER["P-39"], pair=False) == 1


def test_used_air_units_are_ready_again() -> None:
    """All at once, without a roll or supply; ready ones stay so (5.3.1, 5.3.2, 5.3.4, 11.1.1, 11.1.2, 11.1.3)."""
    g = game({"Axis Used Box": ["Ju87 a", "Ju87 b"], "Axis Ready Box": ["Fw190"], "Allied Used Box": ["P-39"]})
    air.make_ready(g)
    assert {where(g, unit) for unit in ("Ju87 a", "Ju87 b", "Fw190")} == {"Axis Ready Box"}
    assert where(g, "P-39") == "Allied Ready Box"
    assert g.rolls == []


READY = {"Axis Ready Box": ["Fw190", "Ju87 a"], "Allied Ready Box": ["P-39", "P-40", "Hurricane"]}


def test_the_allies_assign_interdiction_first_and_nobody_rolls_before_all_are_placed() -> None:
    """Any hex of the map, one unit of a side to a hex; both sides may choose the same (11.1, 11.1.4, 11.1.5, 11.2.1, 11.2.2,
    11.2.3)."""
    found = match(READY, phase="joint air", weather=DRY)
    assert found.names == ["P-39", "P-40", "done"]
    found.play(["P-39", "3119", "P-40"])
    assert found.explain(found.rules.parse("3119"))[1:] == ("11.2.1", "P-39")
    found.play(["2533"])
    assert found.names == ["Fw190", "done"]
    assert found.game.rolls == []
    assert found.explain(NUMBER["Ju87 a"])[1:] == ("11.2.1", "Ju87 a")
    g = game(READY, "joint air", weather=DRY, dice=[1, 6, 4])
    clicks = ["P-39", "3119", "P-40", "2533", "Fw190", "3119"]
    assert drive(g, air.joint_air(g), clicks) is None
    assert [value for *_, value in g.rolls] == [1, 6, 4]
    assert "interdicting" in flags(g, "P-39")
    assert where(g, "P-40") == "Allied Used Box"
    assert "interdicting" in flags(g, "Fw190")


def test_interdiction_may_be_declined_and_taken_back() -> None:
    """A unit not sent stays ready (11.1.4, 5.3.4)."""
    found = match(READY, phase="joint air", weather=DRY)
    found.play(["P-39", "cancel"])
    assert found.names == ["P-39", "P-40", "done"]
    found.play(["P-39", "3119"])
    found.undo()
    assert where(found.game, "P-39") == "Allied Ready Box"
    found.play(["done"])
    assert found.names == ["Fw190", "done"]
    assert found.restarted() == found.decision


@pytest.mark.parametrize("weather", [CLOUDY, RAIN])
def test_no_interdiction_but_in_dry_weather(weather: int) -> None:
    """Cloudy and Rain forbid it (11.2.3, 5.1.4, 5.1.5)."""
    g = game(READY, "joint air", weather=weather)
    assert list(air.joint_air(g)) == []


def test_a_used_unit_flies_no_mission() -> None:
    """Only what is in the Ready Box (5.3.3, 11.1.4)."""
    g = game({"Axis Used Box": ["Fw190"], "Axis Ready Box": ["Bf109"]})
    assert air.interdictors(g, AXIS) == [NUMBER["Bf109"]]


def test_interdiction_lasts_until_recovery() -> None:
    """Its zone is the mission hex and road hexes within two; then the unit is used (11.2.4, 11.2.5, 11.1.7)."""
    g = game({"3119": ["Fw190 [interdicting]"]}, "recovery")
    zone = {BOARD.name(hex) for hex in ground.zone_of_interdiction(g, AXIS)}
    assert {"3119", "3019", "3220", "3018", "3221"} <= zone
    assert all(BOARD.distance(BOARD["3119"], BOARD[hex]) <= 2 for hex in zone)
    assert not ground.zone_of_interdiction(g, ALLIED)
    assert list(recovery.recovery(g)) == []
    assert where(g, "Fw190") == "Axis Used Box"
    assert flags(g, "Fw190") == set()
    assert not ground.zone_of_interdiction(g, AXIS)


def test_missions_at_faid_are_flown_in_its_area() -> None:
    """Hexes outside are no part of it (18.1.2, 11.1.5)."""
    found = Match.at(game({"Allied Ready Box": ["P-39"]}, "joint air", 2, "faid", weather=DRY))
    found.play(["P-39"])
    assert "4118" in found.names
    assert "4117" not in found.names
    assert found.explain(found.rules.parse("4117")).rule == "18.1.2"
