"""Coming on the map and leaving it (5.2.4, 5.2.5, 8.3, 18.2.4, 18.2.5)."""

from __future__ import annotations

from khamsin.games.kasserine.boxes import SHARED
from khamsin.games.kasserine.scenario import SETTINGS
from khamsin.games.kasserine.units import AXIS, BOARD, NUMBER, SIDE, STACKING, TURN_BOX
from tests.rulebook.kasserine.moves import spent, ways, why
from tests.rulebook.kasserine.table import begun, flags, match, where

SOUTH = {"1+2/Afr", "HQ DAK", "Rommel"}


def test_units_come_on_from_their_box() -> None:
    """By its entry hexes, by road where one leads in, stacked as they like, and in movement supply (8.3.1, 8.3.3, 5.2.3,
    5.2.4, example 17 arrivals)."""
    found = match({"Le Kef": ["47 cn", "34 FA"], "Maktar": ["1/18"]}, phase="allied movement")
    open_ = ways(found, "47 cn", "34 FA")
    assert open_["2401"] == "½"
    assert open_["3701"] == "½"
    assert open_["2402"] == 1
    assert "4401" not in open_
    found.play(["2402"])
    assert where(found.game, "34 FA") == "2402"
    assert {"entered", "moved"} <= flags(found.game, "34 FA")
    assert spent(found, "34 FA") == 1
    found.play(["47 cn", "2403"])
    assert spent(found, "47 cn") == 1.5


def test_an_enemy_in_the_entry_hex_bars_it() -> None:
    """His zone does not; but a towed gun enters that only onto a friend (8.3.3, 7.6.2)."""
    found = match({"Le Kef": ["A-1 DY", "34 FA"], "2401": ["1/7/10"], "3702": ["2/7/10"]}, phase="allied movement")
    open_ = ways(found, "A-1 DY")
    assert "2401" not in open_
    assert why(found, "2401") == ("7.1.4", "1/7/10")
    assert open_["3701"] == "½"
    found.play(["cancel"])
    assert "3701" not in ways(found, "34 FA")
    found.play(["cancel", "A-1 DY", "3701"])
    assert "stopped" in flags(found.game, "A-1 DY")


def test_units_leave_the_map_for_their_box() -> None:
    """For 1 MP, from an entry hex, and then stay for the turn (8.3.4)."""
    found = match({"2402": ["A-1 DY"]}, phase="allied movement")
    assert ways(found, "A-1 DY")["Le Kef"] == "1½"
    found.play(["Le Kef"])
    assert where(found.game, "A-1 DY") == "Le Kef"
    assert why(found, "A-1 DY") == ("8.3.4", "Le Kef")
    far = match({"2411": ["2/5 Lei (+)"]}, phase="allied movement")
    ways(far, "2/5 Lei (+)")
    assert why(far, "Le Kef") == ("8.3.4", "2401, 3701")


def test_who_has_stopped_in_a_zone_does_not_leave_the_map() -> None:
    """Who stands there at the start may (7.2.1, 8.3.4)."""
    found = match({"2403": ["A-1 DY"], "2501": ["1/7/10"]}, phase="allied movement")
    assert "Le Kef" not in ways(found, "A-1 DY")
    there = match({"2401": ["A-1 DY"], "2501": ["1/7/10"]}, phase="allied movement")
    assert ways(there, "A-1 DY")["Le Kef"] == 1


def test_from_box_to_box_takes_all_points() -> None:
    """Along the arrows; next turn it may go back, on, or onto the map (8.3.5)."""
    found = match({"Le Kef": ["A-1 DY"]}, phase="allied movement")
    assert "Ousseltia" not in ways(found, "A-1 DY")
    assert why(found, "Ousseltia") == ("8.3.5", "Ousseltia")
    found.play(["Maktar"])
    assert where(found.game, "A-1 DY") == "Maktar"
    assert spent(found, "A-1 DY") == 11
    assert "A-1 DY" not in found.names
    again = match({"Maktar": ["A-1 DY"]}, phase="allied movement")
    assert {"Le Kef", "Ousseltia", "4401", "5201"} <= set(ways(again, "A-1 DY"))


def test_the_axis_has_no_boxes() -> None:
    """It cannot enter those of the enemy (8.3, 8.3.1)."""
    found = match({"2401": ["1/7/10"]})
    assert "Le Kef" not in ways(found, "1/7/10")
    assert why(found, "Le Kef") == ("8.3", "Le Kef")


def test_zones_and_stacking_do_not_reach_into_a_box() -> None:
    """Any number stay there, whoever is at the door (8.3.2, 3.3.5)."""
    position = {"Maktar": ["1/18", "2/18", "3/18", "1/16"], "4401": ["1/7/10"], "5201": ["2/7/10"]}
    found = match(position, phase="allied movement")
    assert "done" in found.names
    open_ = ways(found, "1/18")
    assert {"Le Kef", "Ousseltia"} <= set(open_)
    assert not {"4401", "5201"} & set(open_)


def test_a_garrison_stays_in_its_box() -> None:
    """Until its release (18.2.3)."""
    found = match({"Maktar": ["A/13a [release 4]", "1/18"]}, phase="allied movement", turn=2)
    assert why(found, "A/13a") == ("18.2.3", "A/13a")


def test_units_enter_by_the_map_edge() -> None:
    """From the card, by the hexes of their arrival, in March mode and not in Reserve (5.2.4, 5.2.5, 18.2.5)."""
    found = match({"Axis set-up card": ["1+2/Afr", "HQ DAK", "Rommel", "1/90/10"]}, turn=6)
    assert set(found.names) == {*SOUTH, "Axis set-up card", "done"}
    assert why(found, "1/90/10") == ("5.2.4", "1/90/10")
    open_ = ways(found, "1+2/Afr", "HQ DAK", "Rommel")
    assert open_["2533"] == "½"
    assert open_["1933"] == 1
    assert "6034" not in open_
    found.play(["2531"])
    assert {where(found.game, unit) for unit in SOUTH} == {"2531"}
    found.play(["done"])
    assert found.explain(found.rules.parse("HQ DAK")).rule == "15.2.1"


def test_a_click_on_the_card_selects_what_one_hex_holds() -> None:
    """The others enter with the next click (3.3.2, 5.2.4)."""
    found = begun("campaign")
    while found.phase.name != "axis movement":
        found.play(["done" if "done" in found.names else found.names[0]])
    found.play(["Axis set-up card"])
    assert found.decision is not None
    assert sum(STACKING[unit] for unit in found.decision.about) == 8
    assert "6034" in found.names


def test_those_on_the_card_are_in_no_reserve_and_have_no_function() -> None:
    """An HQ there commands nobody (5.2.4, 5.2.5)."""
    found = match({"Axis set-up card": ["HQ DAK", "1+2/Afr"], "2532": ["1/7/10"]}, turn=6)
    found.play(["1/7/10", "2531", "done"])
    assert found.state.turn == 7  # nobody could be put into Reserve


def test_the_panzer_group_cannot_wait() -> None:
    """On the first turn the phase does not end while units of it can still come on (18.2.4)."""
    found = begun("campaign")
    while found.phase.name != "axis movement":
        found.play(["done" if "done" in found.names else found.names[0]])
    group = [unit for unit in NUMBER.values() if found.state.where[unit] == BOARD["Axis set-up card"]]
    goals = ("6133", "5933", "5934", "5833", "5832", "6032", "6132", "6034")
    for number, unit in enumerate(group):
        assert "done" not in found.names
        assert why(found, "done")[0] == "18.2.4"
        found.click(unit)
        goal = goals[number % len(goals)]
        found.play([goal if goal in found.names else next(name for name in found.names if name.isdigit())])
    assert len(group) > 10
    assert "done" in found.names


def test_later_entries_may_be_put_off() -> None:
    """Units on the card stay there as long as their owner likes (5.2.2)."""
    found = match({"Axis set-up card": ["1+2/Afr"]}, turn=9)
    found.play(["done"])
    assert where(found.game, "1+2/Afr") == "Axis set-up card"


def test_allied_arrivals_do_not_stay_on_the_south_edge() -> None:
    """They pass through it in their turn of arrival (18.2.5)."""
    found = match({"Allied set-up card": ["1/168", "175 FA"]}, phase="allied movement", turn=3)
    open_ = ways(found, "1/168")
    assert not {BOARD.name(hex) for hex in SHARED} & set(open_)
    assert "2532" in open_
    assert why(found, "2533") == ("18.2.5", "2533")
    found.play(["2532"])
    assert "2533" not in ways(found, "1/168")


def test_other_allies_keep_off_the_south_edge_until_the_axis_has_come() -> None:
    """Then they may enter it (18.2.5)."""
    waiting = {"2532": ["3/26"], "GT 6": ["1+2/Afr"], "Axis set-up card": ["HQ DAK"]}
    found = match(waiting, phase="allied movement", turn=4)
    for unit, box in _south_arrivals():
        if found.state.where[unit] < 0:
            found.state.where[unit] = box
    assert "2533" not in ways(found, "3/26")
    assert why(found, "2533") == ("18.2.5", "2533")
    assert "2533" in ways(match({"2532": ["3/26"], "2930": ["1+2/Afr"]}, phase="allied movement", turn=8), "3/26")


def _south_arrivals() -> list[tuple[int, int]]:
    """The Axis units that come by the south edge, and the box of their turn."""
    arrivals = SETTINGS["campaign"].arrivals
    return [(unit, TURN_BOX[a.turn]) for unit, a in arrivals.items() if SIDE[unit] == AXIS and a.hexes]


def test_faid_has_no_boxes_and_a_smaller_map() -> None:
    """Nobody leaves its area (18.1.2)."""
    found = match({"4120": ["D/1a"]}, phase="allied movement", scenario="faid", turn=2)
    assert "4020" not in ways(found, "D/1a")
    assert why(found, "4020") == ("18.1.2", "4020")
