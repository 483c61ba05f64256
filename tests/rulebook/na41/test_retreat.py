"""Retreats (12), Disruption, Full Retreat and recovery (13)."""

from __future__ import annotations

import random

import pytest

from khamsin.games.na41 import combat, disruption, entering, resolution, retreat, sheet, supply, zones
from khamsin.games.na41.results import OUTCOMES
from khamsin.games.na41.retreat import Flight
from khamsin.games.na41.units import ALLIED, AXIS, BOARD, G
from tests.rulebook.na41.field import (
    RULES,
    attack,
    drive,
    finish,
    flags,
    game,
    legal,
    refused,
    rule_of,
    steps,
    units,
    where,
)

DR2 = Flight(ALLIED, BOARD["2042"], 2, 2, 1)
D1 = Flight(ALLIED, BOARD["2042"], 2, 3, 1)
DR4 = Flight(ALLIED, BOARD["2042"], 4, 4, 2)


def ends(g: G, flight: Flight, *names: str) -> set[str]:
    return {BOARD.name(hex) for hex in retreat.ends(g, flight, units(*names))}


# Where


def test_a_retreat_leads_away_by_the_length_of_the_result() -> None:
    """Away from ZOCs, each hex further from the start (12.1.1, 12.1.3)."""
    g = game({"2041": ["104/15"], "2042": ["5 RTR"]})
    found = ends(g, DR2, "5 RTR")
    assert found
    assert all(BOARD.distance(BOARD["2042"], BOARD[hex]) == 2 for hex in found)
    assert not any(BOARD.distance(BOARD["2041"], BOARD[hex]) == 1 for hex in found)
    lengths = {BOARD.distance(BOARD["2042"], BOARD[hex]) for hex in ends(g, D1, "5 RTR")}
    assert lengths == {2, 3}


def test_a_retreat_enters_an_enemy_zone_only_if_it_must_and_only_once() -> None:
    """Stacks A and B of the example pass one EZOC; the way through two is closed (12.1.3, 12.2.1, example 12.2.1)."""
    # Enemies west and south-east leave the ring around 2042 zoned but for one overlap each.
    g = game({"2041": ["104/15"], "1943": ["115/15"], "2144": ["8B Ar"], "2042": ["5 RTR"]})
    found = retreat.ends(g, DR2, units("5 RTR"))
    assert found
    for path in found.values():
        assert [retreat.in_enemy_zone(g, DR2, units("5 RTR"), hex) for hex in path] == [True, False]
        assert not any(zones.overlapping(g, AXIS)[hex] for hex in path)


def test_a_unit_in_overlapping_zones_all_around_has_no_path() -> None:
    """Unit D of the example (7.4, 12.2.1, example 12.2.1)."""
    g = game({"2041": ["104/15"], "2143": ["115/15"], "1943": ["8B Ar"], "2042": ["5 RTR"]})
    assert ends(g, DR2, "5 RTR") == set()


def test_a_friendly_unit_negates_the_zone_in_its_hex() -> None:
    """Not one that has retreated in this phase (12.1.3, 12.2.1)."""
    around = {"2041": ["104/15"], "2143": ["115/15"], "1943": ["8B Ar"], "2042": ["5 RTR"]}
    assert ends(game({**around, "2043": ["16 Br"]}), DR2, "5 RTR")
    assert ends(game({**around, "2043": ["16 Br [retreated, disrupted]"]}), DR2, "5 RTR") == set()


def test_a_mechanized_unit_may_go_one_hex_on_to_leave_a_zone() -> None:
    """A unit on foot may not (12.2.1)."""
    place = {
        "2041": ["104/15"], "2143": ["115/15"], "1943": ["8B Ar"], "2045": ["2 MG/5L"], "2043": ["1 RB"],
        "2042": ["5 RTR", "16 Br"],
    }  # fmt: skip
    g = game(place)
    found = retreat.ends(g, DR2, units("5 RTR"))
    assert {len(path) for path in found.values()} == {3}
    assert retreat.ends(g, DR2, units("16 Br")) == {}


def test_a_unit_with_another_path_goes_no_hex_on() -> None:
    """By 1842, in a ZOC, it could reach 1743; two other paths are of two hexes (12.2.1)."""
    g = game({"2041": ["104/15"], "1844": ["115/15"], "2144": ["8B Ar"], "1841": ["2 MG/5L"], "2042": ["5 RTR"]})
    found = retreat.ends(g, DR2, units("5 RTR"))
    assert {BOARD.name(hex): len(path) for hex, path in found.items()} == {"2242": 2, "2241": 2}
    assert refused(g, drive(retreat.retreat(g, DR2, units("5 RTR"))), "1743") == "12.1.1"


def test_a_truck_saves_a_unit_that_has_no_path_on_foot() -> None:
    """It goes one hex on like a mechanized unit, and is in no Desperate Defense (11.5.2, 12.1.5, 12.2.1)."""
    place = {
        "2041": ["104/15"], "2143": ["115/15"], "1943": ["8B Ar"], "2045": ["2 MG/5L"], "2043": ["1 RB"],
    }  # fmt: skip
    g = game({**place, "2042": ["16 Br"]})
    assert retreat.is_trapped(g, DR2, units("16 Br"))
    g = game({**place, "2042": ["16 Br", "Allied Truck 1"]})
    assert not retreat.is_trapped(g, DR2, units("16 Br"))
    goal = BOARD.name(min(retreat.ends(g, DR2._replace(riding=units("16 Br")), units("16 Br"))))
    drive(retreat.retreat(g, DR2, units("16 Br")), [goal])
    assert where(g, "16 Br") == where(g, "Allied Truck 1") == goal


def test_no_path_goes_through_three_desert_hexes_or_over_an_escarpment_without_a_road() -> None:
    """(5.5, 5.7, 12.2.1)"""
    start = next(
        hex for hex in range(BOARD.size)
        if len(BOARD.within(hex, 4)) == 61
        and all(BOARD.terrain_name(near) == "trackless desert" for near in BOARD.within(hex, 4))
    )  # fmt: skip
    g = game({BOARD.name(start): ["5 RTR"]})
    assert retreat.ends(g, DR4._replace(hex=start), units("5 RTR")) == {}
    assert retreat.ends(g, DR2._replace(hex=start), units("5 RTR"))


def test_two_retreats_in_a_phase_enter_no_three_desert_hexes_in_a_row() -> None:
    """By a combat and a Breakthrough Combat; the end of the Combat Phase ends the row (5.5)."""
    g = game({"0109": ["5 RTR"], "0108": ["104/15"]})
    finish(retreat.retreat(g, DR2._replace(hex=BOARD["0109"]), units("5 RTR")), ["0309"])
    again = DR2._replace(hex=BOARD["0309"], breakthrough=True)
    assert ends(g, again, "5 RTR") == {"0410", "0509", "0510"}
    combat.finish(g)
    assert {"0307", "0407", "0311"} < ends(g, again, "5 RTR")


def test_a_retreat_prefers_to_end_in_supply() -> None:
    """At the edge of the supplied ground only the supplied ends are legal (12.1.3)."""
    g = game({"2042": ["5 RTR"]})

    def fed(hex: int) -> bool:
        return supply.status_in(g, ALLIED, hex) != supply.NONE

    inland = [hex for hex in range(BOARD.size) if len(BOARD.within(hex, 2)) == 19 and all(
        BOARD.enterable(near) for near in BOARD.within(hex, 2))]  # fmt: skip
    start = next(hex for hex in inland if len({fed(near) for near in BOARD.within(hex, 2)}) == 2)
    g = game({BOARD.name(start): ["5 RTR"]})
    found = retreat.ends(g, DR2._replace(hex=start), units("5 RTR"))
    assert found
    assert all(fed(hex) for hex in found)


def test_supply_at_the_end_of_a_retreat_is_that_after_it() -> None:
    """The units control a port that they enter, and open no longer the road through the hex that they leave (12.1.3,
    16.3.3, 16.3.5)."""
    cut = {"1580": ["115/15"], "1880": ["200/15"], "2380": ["33/15"]}
    g = game({"3628": ["5 RTR"], "3528": ["104/15"], **cut}, control={"Axis": ["3828"]})
    before = g.state.control.copy(), g.state.where.version
    assert ends(g, DR2._replace(hex=BOARD["3628"]), "5 RTR") == {"3828"}
    assert (g.state.control, g.state.where.version) == before
    cut = {"2079": ["RG"], "1880": ["5 RTR"], "2075": ["8 Hus"], "1979": ["16 Br"], "1976": ["23 Br"]}
    g = game({"2378": ["8B Ar"], **cut}, control={"Allied": ["2478"]})
    found = retreat.ends(g, Flight(AXIS, BOARD["2378"], 2, 2, 1), units("8B Ar"))
    assert {BOARD.name(hex): BOARD.name(path[0]) for hex, path in found.items()} == {"2479": "2478"}
    g = game({"0526": ["5 RTR"], "0626": ["104/15"], "0625": ["115/15"]})
    assert supply.status_in(g, ALLIED, BOARD["0327"]) == supply.FULL
    assert ends(g, DR2._replace(hex=BOARD["0526"]), "5 RTR") == {"0325", "0326", "0424", "0427"}


def test_a_box_ends_a_retreat_and_a_port_or_fortification_may() -> None:
    """After one hex at least (12.2.1, 12.4)."""
    edge = next(hex for hex, box in retreat.BOX_OF.items() if BOARD.name(box) == "Nile Delta" and BOARD.enterable(hex))
    g = game({BOARD.name(edge): ["16 Br"]})
    assert "Nile Delta" in {BOARD.name(hex) for hex in retreat.ends(g, DR4._replace(hex=edge), units("16 Br"))}
    g = game({"2041": ["104/15"], "2042": ["5 RTR"]}, forts={"Allied": ["2043"]})
    assert "2043" in ends(g, DR2, "5 RTR")
    assert "2043" not in ends(game({"2041": ["104/15"], "2042": ["5 RTR"]}), DR2, "5 RTR")


def test_the_search_finds_what_all_paths_give() -> None:
    """Straight paths are searched first; the result is that of every path (12.1.3)."""
    chance = random.Random(4)
    near = [BOARD.name(hex) for hex in BOARD.within(BOARD["2042"], 3) if BOARD.name(hex) != "2042"]
    for _ in range(60):
        places = chance.sample(near, 5)
        enemies = dict(zip(places, (["104/15"], ["115/15"], ["8B Ar"], ["2 MG/5L"]), strict=False))
        g = game({**enemies, places[4]: ["16 Br"], "2042": ["5 RTR", "23 Br"]})
        for flight in (DR2, D1, DR4):
            for name in ("5 RTR", "23 Br"):
                unit = units(name)
                every = retreat.best_ends(g, flight, unit, retreat.reached(g, flight, unit)).legal
                assert set(retreat.ends(g, flight, unit)) == set(every)


# The procedure


def test_a_stack_may_split_up() -> None:
    """(12.1.2)"""
    g = game({"2041": ["104/15"], "2042": ["5 RTR", "1 RB"]})
    retreating = retreat.retreat(g, DR2, units("5 RTR", "1 RB"))
    decision = drive(retreating)
    assert {"5 RTR", "1 RB", "2044"} <= legal(decision)
    assert refused(g, decision, "2041") == "12.2.1"
    assert refused(g, decision, "2043") == "12.1.3"
    assert refused(g, decision, "2046") == "12.1.1"
    assert refused(g, decision, "Italy") == "12.2.1"
    g = game({"2041": ["104/15"], "2042": ["5 RTR", "1 RB"]})
    finish(retreat.retreat(g, DR2, units("5 RTR", "1 RB")), ["5 RTR", "2044", "2144"])
    assert (where(g, "5 RTR"), where(g, "1 RB")) == ("2044", "2144")
    assert {"disrupted", "retreated"} == flags(g, "5 RTR")


def test_units_without_a_path_are_eliminated() -> None:
    """Cut off, they surrender (12.2.1, 12.5.1)."""
    g = game({"2041": ["104/15"], "2143": ["115/15"], "1943": ["8B Ar"], "2042": ["5 RTR"]})
    finish(retreat.retreat(g, DR2, units("5 RTR")))
    assert where(g, "5 RTR") == "Allied Surrender, left"


def test_a_unit_on_foot_surrenders_if_it_must_retreat_too_far() -> None:
    """A truck saves it, or a box or Fortification within two hexes (12.1.1, 12.1.5, 12.5.1)."""
    g = game({"2041": ["104/15"], "2042": ["16 Br"]})
    finish(retreat.retreat(g, DR4, units("16 Br")))
    assert where(g, "16 Br") == "Allied Surrender, left"
    g = game({"2041": ["104/15"], "2042": ["16 Br", "Allied Truck 1"]})
    decision = drive(retreat.retreat(g, DR4, units("16 Br")))
    goal = RULES.names[next(iter(decision.legal))] if decision else ""
    g = game({"2041": ["104/15"], "2042": ["16 Br", "Allied Truck 1"]})
    finish(retreat.retreat(g, DR4, units("16 Br")), [goal])
    assert where(g, "16 Br") == where(g, "Allied Truck 1") == goal
    g = game({"2041": ["104/15"], "2042": ["16 Br"]}, forts={"Allied": ["2043"]})
    finish(retreat.retreat(g, DR4, units("16 Br")))
    assert (where(g, "16 Br"), flags(g, "16 Br")) == ("2043", {"full_retreat", "retreated"})


def test_the_owner_chooses_whom_too_few_trucks_carry() -> None:
    """(12.1.5)"""
    g = game({"2041": ["104/15"], "2042": ["16 Br", "23 Br", "Allied Truck 1"]})
    decision = drive(retreat.retreat(g, DR4, units("16 Br", "23 Br")))
    assert decision is not None
    assert (decision.kind, legal(decision)) == ("combat.carry", {"16 Br", "23 Br"})


def test_a_truck_may_carry_a_unit_on_foot_three_hexes() -> None:
    """A D1 lets the owner choose two or three (10.1, 12.1.1, 12.1.5)."""
    for click, lengths in (("16 Br", {2, 3}), ("none", {2})):
        g = game({"2041": ["104/15"], "2042": ["16 Br", "Allied Truck 1"]})
        retreating = retreat.retreat(g, D1, units("16 Br"))
        assert legal(drive(retreating)) == {"16 Br", "none"}
        decision = retreating.send(RULES.parse(click))
        if click == "none":
            decision = retreating.send(units("16 Br")[0])
        assert {BOARD.distance(BOARD["2042"], to - g.place0) for to in decision.legal} == lengths


def test_trucks_retreat_with_a_supply_point_and_loose_points_stay() -> None:
    """Trucks are never Disrupted (12.1.1, 12.1.5, 13.2.3)."""
    g = game({"2041": ["104/15"], "2042": ["1 RB", "Allied Truck 1"]}, supply={"Allied": {"2042": 2}})
    finish(retreat.retreat(g, DR2, units("1 RB")), ["2044"])
    assert where(g, "Allied Truck 1") == "2044"
    assert flags(g, "Allied Truck 1") == {"msu"}
    assert g.state.allied_sp == {BOARD["2042"]: 1}


def test_a_truck_without_a_path_stays() -> None:
    """Trucks may retreat, and need not; what the enemy does not enter they keep (8.7, 12.1.5)."""
    g = game({"3925": ["16 Br", "Allied Truck 1"], "3824": ["104/15"], "3823": ["115/15"]})
    finish(retreat.retreat(g, DR2._replace(hex=BOARD["3925"]), units("16 Br")))
    assert (where(g, "16 Br"), where(g, "Allied Truck 1")) == ("3826", "3925")


def test_a_truck_follows_through_a_hex_that_combat_units_have_cleared() -> None:
    """An enemy truck stands where the only path leads (5.8.3, 8.7, 12.1.5)."""
    ring = {"2241": ["104/15"], "1843": ["115/15"], "1841": ["8B Ar"], "2144": ["2 MG/5L"]}
    g = game({**ring, "2042": ["1 RB", "Allied Truck 1"], "2041": ["Axis Truck 1"]})
    assert not ends(g, DR2, "Allied Truck 1")
    finish(retreat.retreat(g, DR2, units("1 RB")))
    assert where(g, "Axis Truck 1") == "Axis Eliminated"
    assert where(g, "1 RB") == where(g, "Allied Truck 1") == "2040"


def test_the_tobruk_asu_is_eliminated_if_it_must_retreat() -> None:
    """(17.1.2)"""
    g = game({"3138": ["Tobruk ASU", "5 RTR"]}, control={"Allied": ["3138"]})
    decision = drive(retreat.retreat(g, DR2._replace(hex=BOARD["3138"]), units("Tobruk ASU", "5 RTR")))
    assert decision is not None
    assert where(g, "Tobruk ASU") == "Allied Eliminated"


def test_a_retreat_may_end_overstacked() -> None:
    """(12.1.4)"""
    g = game({"2041": ["104/15"], "2042": ["16 Br"], "2044": ["23 Br", "14 Br"]})
    assert "2044" in ends(g, DR2, "16 Br")


def test_units_that_retreated_into_a_hex_are_eliminated_if_they_must_retreat_again() -> None:
    """Not by Breakthrough Combat, where one on foot surrenders (12.3, 12.5.1, 15.3)."""
    place = {"2041": ["104/15"], "2042": ["5 RTR [disrupted, retreated]", "16 Br [disrupted, retreated]"]}
    g = game(place)
    finish(retreat.retreat(g, DR2, units("5 RTR", "16 Br")))
    assert (steps(g, "5 RTR"), steps(g, "16 Br")) == (0, 0)
    g = game(place)
    finish(retreat.retreat(g, DR2._replace(breakthrough=True), units("5 RTR", "16 Br")), ["2044"])
    assert (where(g, "5 RTR"), "full_retreat" in flags(g, "5 RTR")) == ("2044", True)
    assert where(g, "16 Br") == "Allied Surrender, left"


# Disruption and Full Retreat


@pytest.mark.parametrize(
    ("before", "code", "flag"),
    [
        ("", "DR2", "disrupted"),
        ("", "DR4", "full_retreat"),
        ("disrupted", "DR2", "full_retreat"),
        ("full_retreat", "DR2", "full_retreat"),
    ],
)
def test_a_retreat_disrupts_or_routs(before: str, code: str, flag: str) -> None:
    """(13.1.1, 13.1.2, 13.1.3)"""
    g = game({"2042": [f"5 RTR [{before}]"]})
    disruption.disorder(g, units("5 RTR")[0], OUTCOMES[code].disorder)
    assert flags(g, "5 RTR") == {flag}


def test_units_in_full_retreat_fall_back_when_an_enemy_comes_near() -> None:
    """Two hexes, or one to a friendly unit; then the enemy goes on (13.3.2)."""
    g = game({"2040": ["104/15"], "2043": ["5 RTR [full_retreat]"], "2044": ["16 Br"]})
    march = entering.march(g, AXIS, units("104/15"), [BOARD["2041"], BOARD["2042"], BOARD["2142"]])
    decision = drive(march)
    assert decision is not None
    assert decision.side == ALLIED
    assert "2044" in legal(decision)
    finish_from(march, decision, "2044")
    assert (where(g, "5 RTR"), where(g, "104/15")) == ("2044", "2142")
    assert "retreated" not in flags(g, "5 RTR")


def test_a_march_stops_before_enemies_that_have_fallen_back_into_its_path() -> None:
    """(13.3.2)"""
    units_at = {"2040": ["104/15"], "2043": ["5 RTR [full_retreat]"]}
    path = [BOARD["2041"], BOARD["2042"]]
    into = min(legal(drive(entering.march(game(units_at), AXIS, units("104/15"), path))))
    g = game(units_at)
    march = entering.march(g, AXIS, units("104/15"), [*path, BOARD[into]])
    decision = drive(march)
    assert decision is not None
    finish_from(march, decision, into)
    assert (where(g, "5 RTR"), where(g, "104/15")) == (into, "2042")


def finish_from(procedure, decision, click: str) -> None:  # type: ignore[no-untyped-def]
    try:
        procedure.send(RULES.parse(click))
    except StopIteration:
        return
    raise AssertionError("the procedure asks again")


def test_a_friend_not_in_full_retreat_keeps_them_in_place() -> None:
    """(13.3.2)"""
    g = game({"2041": ["104/15"], "2043": ["5 RTR [full_retreat]", "16 Br"]})
    finish(entering.march(g, AXIS, units("104/15"), [BOARD["2042"]]))
    assert where(g, "5 RTR") == "2043"


def test_trucks_drive_nobody_off() -> None:
    """(13.3.2)"""
    g = game({"2041": ["Axis Truck 1"], "2043": ["5 RTR [full_retreat]"]})
    finish(entering.march(g, AXIS, units("Axis Truck 1"), [BOARD["2042"]]))
    assert where(g, "5 RTR") == "2043"


def test_a_unit_that_starts_its_move_adjacent_drives_them_off() -> None:
    """(13.3.2)"""
    g = game({"2042": ["104/15"], "2043": ["5 RTR [full_retreat]"]})
    decision = drive(entering.starts(g, AXIS, units("104/15")))
    assert decision is not None
    assert decision.side == ALLIED


def test_units_in_full_retreat_avoid_what_the_enemy_controls() -> None:
    """(13.3.2)"""
    flight, tanks = DR2._replace(disorder=2), units("5 RTR")
    g = game({"2042": ["5 RTR"]}, control={"Axis": ["3041"]})
    assert BOARD["3041"] not in retreat.enemies(g, DR2, tanks)
    assert BOARD["3041"] in retreat.enemies(g, flight, tanks)


@pytest.mark.parametrize("mark", ["disrupted", "full_retreat"])
def test_a_second_retreat_is_a_full_retreat_on_its_way_too(mark: str) -> None:
    """A DR2 puts a Disrupted unit into Full Retreat, so that enemy trucks close a hex to it (13.1.3, 13.3.2)."""
    there = {"2041": ["104/15"], "2044": ["Axis Truck 1"]}
    assert "2044" in ends(game({**there, "2042": ["5 RTR"]}), DR2, "5 RTR")
    g = game({**there, "2042": [f"5 RTR [{mark}]"]})
    assert "2044" not in ends(g, DR2, "5 RTR")
    decision = drive(retreat.retreat(g, DR2, units("5 RTR")))
    assert refused(g, decision, "2044") == "13.3.2"


def test_a_truck_that_retreats_alone_enters_no_hex_with_enemy_trucks() -> None:
    """(5.8.3, 12.1.5)"""
    g = game({"2041": ["104/15"], "2042": ["5 RTR", "Allied Truck 1"], "2044": ["Axis Truck 1"]})
    assert "2044" in ends(g, DR2, "5 RTR", "Allied Truck 1")
    assert "2044" not in ends(g, DR2, "Allied Truck 1")


def test_a_unit_may_go_into_full_retreat_before_it_moves() -> None:
    """(13.3.1, 13.3.4)"""
    g = game({"2042": ["5 RTR [disrupted]", "16 Br"]})
    assert disruption.why_not_full_retreat(g, units("5 RTR")[0]) is None
    disruption.go_into_full_retreat(g, units("5 RTR")[0])
    assert flags(g, "5 RTR") == {"full_retreat"}
    g.state.spent[units("16 Br")[0]] = 4
    assert rule_of(disruption.why_not_full_retreat(g, units("16 Br")[0])) == "13.3.4"


# Recovery


def test_units_in_no_enemy_zone_recover_one_level() -> None:
    """Replacement markers go too (3.2, 13.4, 19.5)."""
    g = game({"2042": ["5 RTR [disrupted]", "16 Br [full_retreat]", "1 RB [replaced]"]})
    finish(disruption.recovery(g, ALLIED))
    assert (flags(g, "5 RTR"), flags(g, "16 Br"), flags(g, "1 RB")) == (set(), {"disrupted"}, set())


@pytest.mark.parametrize(
    ("unit", "fort", "die", "rallies"),
    [
        ("5 RTR", False, 4, False),
        ("5 RTR", False, 5, True),
        ("22 Gds", False, 4, True),
        ("5 RTR", True, 3, True),
        ("5 RTR", True, 2, False),
    ],
)
def test_units_in_an_enemy_zone_roll(unit: str, fort: bool, die: int, rallies: bool) -> None:
    """Elite +1, in a Fortification +2, also in a Limited ZOC (13.4, 13.5)."""
    g = game(
        {"2041": ["104/15"], "2042": [f"{unit} [disrupted]"]}, forts={"Allied": ["2042"] if fort else []}, dice=[die]
    )
    finish(disruption.recovery(g, ALLIED))
    assert (flags(g, unit) == set()) == rallies


def test_low_quality_rallies_worse() -> None:
    """(13.5)"""
    g = game({"2041": ["16 Br"], "2042": ["19 Bre [disrupted]"]}, dice=[5])
    finish(disruption.recovery(g, AXIS))
    assert flags(g, "19 Bre") == {"disrupted"}


def test_a_refused_end_names_the_guideline() -> None:
    """(12.1.3)"""
    for enemies, hex, reason in (
        ({"2041": ["104/15"], "1943": ["3/5L"]}, "2044", "another path enters no enemy ZOC"),
        ({}, "2043", "another path leads farther away"),
    ):
        g = game({"2042": ["1 RB"], **enemies})
        decision = drive(retreat.retreat(g, DR2, units("1 RB")))
        assert decision is not None
        refusal = retreat.why_not(g, decision, RULES.parse(hex), DR2)
        assert refusal is not None
        assert refusal.reason == f"1 RB cannot retreat to {hex}: {reason}"
    assert retreat.why_worse(retreat.STRAIGHT, retreat.STRAIGHT) == "another end is in supply"


# Results


@pytest.mark.parametrize(
    ("code", "hexes", "flag", "advance"),
    [("DR2", {2}, "disrupted", 2), ("D1", {2, 3}, "disrupted", 3), ("DR4", {4}, "full_retreat", 4),
     ("A1/DR2", {2}, "disrupted", 2), ("A1/D1", {2}, "disrupted", 2), ("DRX", {2}, "disrupted", 2),
     ("DS", {4}, "full_retreat", 4)],
)  # fmt: skip
def test_each_result_retreats_disrupts_and_advances(code: str, hexes: set[int], flag: str, advance: int) -> None:
    """(10.1, 14.2.1)"""
    g = game({"2041": ["104/15"], "2042": ["5 RTR"]})
    battle = attack(g, ["104/15"], "2042")
    applying = resolution.apply(g, battle, sheet.sheet(g, battle), OUTCOMES[code])
    clicks = ["retreat"] if OUTCOMES[code].defence_allowed else []
    decision = drive(applying, clicks)
    assert decision is not None
    assert decision.kind == "combat.retreat"
    found = {BOARD.distance(BOARD["2042"], click - g.place0) for click in decision.legal}
    assert found == hexes
    with pytest.raises(StopIteration) as end:
        applying.send(next(iter(decision.legal)))
    assert flag in flags(g, "5 RTR")
    assert (end.value.value.advance, end.value.value.cleared) == (advance, True)


def test_an_exchange_that_clears_the_hex_gives_a_limited_advance() -> None:
    """A1 gives none; an elimination by D1 the full one (10.1, 12.6, 14.2.2)."""
    for code, advance, limited in (("EX", 1, True), ("D1", 3, False)):
        g = game({"2041": ["104/15"], "2042": ["1 THR"]})
        battle = attack(g, ["104/15"], "2042")
        result = finish(resolution.apply(g, battle, sheet.sheet(g, battle), OUTCOMES[code]))
        assert (result.advance, result.limited) == (advance, limited)
    g = game({"2041": ["104/15"], "2042": ["1 THR"]})
    battle = attack(g, ["104/15"], "2042")
    result = finish(resolution.apply(g, battle, sheet.sheet(g, battle), OUTCOMES["A1"]))
    assert (result.cleared, result.advance, steps(g, "104/15")) == (False, 0, 1)


def test_units_in_full_retreat_alone_lose_the_step_of_a_ds() -> None:
    """They have no strength, and nobody else defends; with others in the hex these lose it (10.2.2, 13.3.2)."""
    for friends, left in ([], 1), (["1 RB"], 2):
        g = game({"2041": ["104/15"], "2042": ["5 RTR [full_retreat]", *friends]})
        battle = attack(g, ["104/15"], "2042")
        drive(resolution.apply(g, battle, sheet.sheet(g, battle), OUTCOMES["DS"]))
        assert steps(g, "5 RTR") == left


def test_a_march_ends_where_enemies_fall_back_into_its_path() -> None:
    """No unit enters a hex with an enemy combat unit (5.1, 13.3.2)."""
    g = game({"2042": ["104/15 [full_retreat]"], "2044": ["16 Br [full_retreat]"]})
    going = entering.march(g, AXIS, units("104/15"), [BOARD["2043"], BOARD["2143"], BOARD["2144"]])
    decision = drive(going)
    assert decision is not None
    assert decision.kind == "combat.retreat"
    g.state.where[units("16 Br")[0]] = BOARD["2143"]
    finish(entering.march(g, AXIS, units("104/15"), [BOARD["2143"]]))
    assert where(g, "104/15") == "2043"
