"""Zones of control, stacking and control (3.1-3)."""

from __future__ import annotations

import pytest

from khamsin.games.kasserine import control, stacking
from khamsin.games.kasserine.reserve import leave_reserve, put_in_reserve
from khamsin.games.kasserine.units import ALLIED, AXIS, BOARD, NUMBER, RAIN
from khamsin.games.kasserine.zones import exerting, in_enemy_zone, zone
from tests.rulebook.kasserine.table import begun, game, hexes, where


def around(hex: str) -> set[str]:
    return {BOARD.name(near) for near in BOARD.around(BOARD[hex])}


def test_a_unit_controls_its_hex_and_the_six_around_it() -> None:
    """The zone of a single unit in the open (2.1, 3.2, 3.2.1, fig. 3.2)."""
    g = game({"5131": ["I/104B"]})
    assert hexes(zone(g, AXIS)) == around("5131") | {"5131"}
    assert in_enemy_zone(g, ALLIED, BOARD["5132"])
    assert not in_enemy_zone(g, AXIS, BOARD["5132"])


def test_enemy_units_do_not_keep_a_zone_out() -> None:
    """A zone reaches hexes that the enemy occupies (3.2.2)."""
    g = game({"5131": ["I/104B"], "5132": ["2/26"]})
    assert "5132" in hexes(zone(g, AXIS))
    assert "5131" in hexes(zone(g, ALLIED))


@pytest.mark.parametrize(
    ("unit", "reaches"), [("1/7/10", False), ("I/104B", True), ("1+2/Afr", True), ("9/90 Flak", False)]
)
def test_armour_and_guns_reach_into_mountains_only_by_road(unit: str, reaches: bool) -> None:
    """No zone across what a unit may not cross: mountain (3.2.2)."""
    g = game({"3320": [unit, "I/Jg [reserve]"]} if unit != "9/90 Flak" else {"3320": [unit, "1/7/10"]})
    assert ("3319" in hexes(zone(g, AXIS))) == reaches


def test_armour_does_not_reach_across_a_wadi_and_trucks_not_in_rain() -> None:
    """No zone across what a unit may not cross: wadis (3.2.2, 7.3.3)."""
    assert "5626" not in hexes(zone(game({"5625": ["1/7/10"]}), AXIS))
    assert "5626" in hexes(zone(game({"5625": ["1+2/Afr"]}), AXIS))
    assert "5626" not in hexes(zone(game({"5625": ["1+2/Afr"]}, weather=RAIN), AXIS))
    assert "5626" in hexes(zone(game({"5625": ["I/Jg"]}, weather=RAIN), AXIS))


def test_several_zones_are_as_one() -> None:
    """No added effect (3.2.3)."""
    one, two = game({"5131": ["I/104B"]}), game({"5131": ["I/104B", "II/104B"]})
    assert zone(one, AXIS) == zone(two, AXIS)


def test_a_unit_with_a_band_controls_only_its_hex() -> None:
    """Unless another in its hex has a zone: then all have (3.2.4)."""
    assert hexes(zone(game({"5131": ["HQ 10 Pz"]}), AXIS)) == {"5131"}
    alone = game({"5625": ["1/7/10"]})
    with_gun = game({"5625": ["1/7/10", "HQ 10 Pz"]})
    assert "5626" not in hexes(zone(alone, AXIS))
    assert "5626" in hexes(zone(with_gun, AXIS))


def test_rommel_aircraft_and_markers_have_no_zone() -> None:
    """Non-combat units and markers (3.2.5, 2.2.1)."""
    g = game({"5131": ["Rommel", "Fw190 [interdicting]", "1/90/10 fire"]})
    assert not any(zone(g, AXIS))


def test_a_unit_in_reserve_controls_only_its_hex() -> None:
    """Its zone does not reach out until it leaves Reserve (8.2.3)."""
    g = game({"5131": ["1/7/10"]})
    put_in_reserve(g, NUMBER["1/7/10"])
    assert hexes(zone(g, AXIS)) == {"5131"}
    leave_reserve(g, NUMBER["1/7/10"])
    assert "5132" in hexes(zone(g, AXIS))


def test_no_zone_reaches_into_an_active_enemy_strongpoint() -> None:
    """Occupied or not (14.1.3)."""
    g = game({"5131": ["I/104B"]}, strongpoints={"allied": ["5132"], "axis": ["5130"]})
    assert "5132" not in hexes(zone(g, AXIS))
    assert "5130" in hexes(zone(g, AXIS))
    assert exerting(g, AXIS, BOARD["5132"]) == []
    del g.state.strongpoint[BOARD["5132"]]
    assert exerting(g, AXIS, BOARD["5132"]) == [NUMBER["I/104B"]]


def test_an_occupied_hex_is_controlled_whatever_zones_reach_it() -> None:
    """Occupation, an uncontested zone, or nobody (3.1.2, 3.1.3)."""
    g = game({"5131": ["I/104B"], "5133": ["2/26"]})
    assert control.controller(g, BOARD["5131"]) == AXIS
    assert control.controller(g, BOARD["5130"]) == AXIS
    assert control.controller(g, BOARD["5132"]) is None
    assert control.contested(g, BOARD["5132"])
    assert not control.contested(g, BOARD["4020"])


def test_a_hex_stays_friendly_to_whoever_held_it_last() -> None:
    """Entered or in an uncontested zone at the end of a phase (3.1.1, 3.1.2)."""
    g = game({"4421": ["I/104B"]}, allied=["4420", "5726"])
    control.settle(g)
    assert control.friendly(g, AXIS, BOARD["4420"])
    assert control.friendly(g, ALLIED, BOARD["5726"])
    g.state.where[NUMBER["I/104B"]] = BOARD["5131"]
    control.settle(g)
    assert control.friendly(g, AXIS, BOARD["4420"])
    control.entered(g, ALLIED, [BOARD["4420"]])
    assert control.friendly(g, ALLIED, BOARD["4420"])


def test_a_contested_hex_does_not_change_hands() -> None:
    """Neither side controls it (3.1.3)."""
    g = game({"4421": ["I/104B"], "4419": ["2/26"]}, allied=["4420"])
    control.settle(g)
    assert control.friendly(g, ALLIED, BOARD["4420"])


def test_eight_points_fit_in_a_hex() -> None:
    """Points, units without any, and the limit (3.3, 3.3.1, 3.3.2, fig. 3.3)."""
    g = game({"5131": ["I/104B", "II/104B", "5+6/69/10", "HQ 10 Pz", "Rommel"], "5132": ["MG 8"]})
    assert stacking.points(g, AXIS) == {BOARD["5131"]: 8, BOARD["5132"]: 3}
    assert stacking.room(g, AXIS, BOARD["5132"]) == 5
    assert stacking.overfull(g, AXIS) == []


def test_what_is_too_much_is_removed_by_its_owner() -> None:
    """At the end of a phase (3.3.3)."""
    g = game({"5131": ["I/104B", "II/104B", "MG 8", "HQ 10 Pz"]})
    asking = stacking.remove_excess(g, AXIS)
    decision = next(asking)
    assert {g.rules.names[click] for click in decision.legal} == {"I/104B", "II/104B", "MG 8"}
    with pytest.raises(StopIteration):
        asking.send(NUMBER["MG 8"])
    assert where(g, "MG 8") == "Axis out of play"


def test_a_holding_box_has_no_limit() -> None:
    """Any number of units (3.3.5, 8.3.2)."""
    g = game({"Le Kef": ["2 CGd", "3 GGd", "2 Hamp", "2/5 Lei (+)"]})
    assert stacking.overfull(g, ALLIED) == []
    assert stacking.room(g, ALLIED, BOARD["Le Kef"]) > 100
    assert not any(zone(g, ALLIED))


def test_a_captured_supply_source_works_for_nobody() -> None:
    """Nor at once when it is taken back (6.3.1)."""
    g = begun("campaign").game
    tebessa = BOARD["1016"]
    assert g.state.source[tebessa] == ALLIED
    control.entered(g, AXIS, [tebessa])
    assert tebessa not in g.state.source
    control.entered(g, ALLIED, [tebessa])
    assert tebessa not in g.state.source
