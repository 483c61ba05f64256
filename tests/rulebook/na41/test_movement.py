"""Land movement (5), off-map boxes (6) and ZOCs (7)."""

from __future__ import annotations

import pytest

from khamsin.games.na41 import RULES, zones
from khamsin.games.na41.ground import step_cost
from khamsin.games.na41.units import ALLIED, AXIS, BOARD, Na41State
from khamsin.kernel import Match
from tests.rulebook.na41.table import flags, game, kind, legal, match, points, refused, spent, where


def cost(mech: bool, a: str, b: str) -> float:
    """What a step costs in MPs."""
    return step_cost(mech, BOARD[a], BOARD[b]) / 4


def test_ground_costs_by_class() -> None:
    """Rough and Jebel, road rates, ridges (2.2.1, 2.3.3, 5.1, 5.2.1)."""
    assert (cost(False, "2526", "2527"), cost(True, "2526", "2527")) == (1, 1)
    assert (cost(False, "0545", "0546"), cost(True, "0545", "0546")) == (1, 2)
    assert (cost(False, "3215", "3316"), cost(True, "3215", "3316")) == (2, 3)
    assert (cost(False, "1871", "1972"), cost(True, "1871", "1972")) == (1, 2)
    assert (cost(True, "1604", "1605"), cost(True, "2645", "2646")) == (0.25, 0.5)
    assert (cost(False, "1604", "1605"), cost(False, "2645", "2646")) == (1, 1)


def test_escarpments_are_crossed_on_foot_or_by_road() -> None:
    """One MP more on foot; mechanized units only along a road, at its rate (5.7)."""
    assert cost(False, "2546", "2646") == 2
    assert step_cost(True, BOARD["2546"], BOARD["2646"]) == 255
    assert cost(True, "2645", "2646") == 0.5
    m = match({"2546": ["288"]}, turn=16)
    m.play(["288"])
    assert "2646" in legal(m)
    m.play(["2646"])
    assert spent(m, "288") > 0.5


def test_a_stack_moves_at_the_rate_of_its_slowest_unit() -> None:
    """And a unit dropped on the way is done; one stack finishes before the next begins (5.1)."""
    m = match({"2526": ["8B Ar", "VII/132 Ar", "3/5L"], "2532": ["8 MG/5L"]})
    m.play(["2526"])
    assert refused(m, "2534") == "5.1"
    m.play(["2529", "3/5L", "2531"])
    assert refused(m, "8B Ar") == "5.1"
    m.play(["8 MG/5L", "2533"])
    assert refused(m, "3/5L") == "5.1"


def test_trucks_stay_behind_when_a_stack_is_selected_by_its_hex() -> None:
    """They go where they are clicked, and alone (5.1)."""
    m = match({"2526": ["8B Ar", "3/5L", "Axis Truck 1"], "2532": ["Axis Truck 2"]})
    m.play(["2526"])
    assert {RULES.names[unit] for unit in m.decision.about} == {"8B Ar", "3/5L"}
    m.play(["Axis Truck 1", "2527"])
    assert {where(m, unit) for unit in ("8B Ar", "3/5L", "Axis Truck 1")} == {"2527"}
    m.play(["2532"])
    assert [RULES.names[unit] for unit in m.decision.about] == ["Axis Truck 2"]


def test_a_unit_may_not_enter_an_enemy_hex() -> None:
    """(5.1)"""
    m = match({"2526": ["3/5L"], "2528": ["1 THR"]})
    m.play(["3/5L"])
    assert refused(m, "2528") == "7.2"
    m = match({"2526": ["3/5L"], "2527": ["1 THR"]})
    m.play(["3/5L"])
    assert refused(m, "2527") == "5.1"


def test_example_of_roads_and_escarpments() -> None:
    """A climbs on foot, B keeps to the highway, C to tracks, D extends its move, E leaves a ZOC (example 5.7)."""
    assert cost(False, "3113", "3114") == 2  # 1 for the escarpment, 1 for the rough hex
    m = match({"3113": ["19 Bre"]})
    m.play(["19 Bre", "3115"])
    assert spent(m, "19 Bre") == 3
    m = match({"1604": ["19 Bre"]})
    m.play(["19 Bre"])
    assert "1810" in legal(m)
    assert "1911" in legal(m)
    assert refused(m, "2011") == "5.1"
    m.play(["cancel", "19 Bre", "1911"])
    assert spent(m, "19 Bre") == 8
    m = match({"0320": ["19 Bre"]})
    m.play(["19 Bre", "0423"])
    assert spent(m, "19 Bre") == 4
    m = match({"2425": ["8 MG/5L"]})
    m.play(["8 MG/5L", "2433"])
    assert spent(m, "8 MG/5L") == 8
    m = match({"2425": ["8 MG/5L"], "2424": ["1 THR"]})
    m.play(["8 MG/5L"])
    assert refused(m, "2433") == "7.2"
    m.play(["2431"])
    assert spent(m, "8 MG/5L") == 8


def test_the_road_bonus_by_track_is_one_hex() -> None:
    """Also on a mixture of track and highway, and over several clicks (5.2.2)."""
    m = match({"0320": ["19 Bre"]})
    m.play(["19 Bre"])
    assert "0423" in legal(m)
    assert refused(m, "0524") == "5.1"
    m = match({"1604": ["19 Bre"]})
    m.play(["19 Bre", "1707", "19 Bre"])
    assert "1911" in legal(m)


def test_enemy_combat_units_cost_the_road_bonus_and_trucks_do_not() -> None:
    """(5.2.2)"""
    m = match({"1604": ["19 Bre"], "1710": ["1 THR"]})
    m.play(["19 Bre"])
    assert refused(m, "1810") in ("5.1", "7.2")
    m = match({"1604": ["19 Bre"], "1710": ["Allied Truck 1"]})
    m.play(["19 Bre"])
    assert "1911" in legal(m)


def test_extended_movement_may_not_enter_a_zone_and_bars_attacks() -> None:
    """A normal move may (5.3, 7.2)."""
    m = match({"2526": ["8 MG/5L"], "2534": ["1 THR"]})
    m.play(["8 MG/5L"])
    assert refused(m, "2533") == "5.3"
    m.play(["2532"])
    assert "extended" in flags(m, "8 MG/5L")
    m = match({"2526": ["8 MG/5L"], "2532": ["1 THR"]})
    m.play(["8 MG/5L", "2531"])
    assert "extended" not in flags(m, "8 MG/5L")
    assert refused(m, "8 MG/5L") == "5.1"


def test_units_on_foot_have_no_extended_movement() -> None:
    """(5.3)"""
    m = match({"2526": ["19 Bre"]})
    m.play(["19 Bre"])
    assert "2529" in legal(m)
    assert refused(m, "2530") == "5.1"


def test_tactical_movement_costs_no_points() -> None:
    """Out of a ZOC and over ground that MPs do not reach; it stops in a ZOC (5.4, 7.2)."""
    m = match({"3315": ["GAF"], "3314": ["1 THR"]})
    m.play(["GAF", "3317"])
    assert where(m, "GAF") == "3317"
    assert m.state.moved_by_points == 0
    m = match({"2526": ["19 Bre [disrupted]"], "2529": ["1 THR"]})
    m.play(["19 Bre"])
    assert "2528" in legal(m)
    assert refused(m, "2523") == "13.2.1"


def test_movement_points_spoil_the_free_supply_point() -> None:
    """(5.4, 17.4)"""
    m = match({"2526": ["19 Bre"]})
    m.play(["19 Bre", "2529"])
    assert m.state.moved_by_points == 1


def test_two_consecutive_desert_hexes_at_most() -> None:
    """Unit A crosses two and continues, unit B must stop after the second (5.5, example 5.5)."""
    m = match({"0320": ["3/5L"]})
    m.play(["3/5L"])
    assert "0417" in legal(m)
    m.play(["0318", "3/5L"])
    assert "0417" in legal(m)
    m = match({"0320": ["3/5L"]})
    m.play(["3/5L"])
    assert refused(m, "0118") == "5.5"


def test_the_map_is_left_into_own_boxes_alone() -> None:
    """Entering costs 1 MP and ends the move; the enemy's box is closed (5.6, 6.1.2, 6.3.1, 6.3.3)."""
    m = match({"1701": ["8 MG/5L"], "2480": ["3/5L"]})
    m.play(["8 MG/5L", "Tripoli"])
    assert where(m, "8 MG/5L") == "Tripoli"
    assert refused(m, "8 MG/5L") == "5.1"
    m.play(["3/5L"])
    assert refused(m, "Nile Delta") == "6.1.2"


def test_boxes_are_left_by_mechanized_units_and_trucks() -> None:
    """At the cost of the first hex, with the road rate; on foot only by truck, and in Good Order (6.2, 6.3.2, 6.3.3, 6.3.4)."""
    units = ["8 MG/5L", "27 Pav", "28 Pav", "Axis Truck 1", "8B Ar [disrupted]"]
    m = match({"Tripoli": units})
    m.play(["8 MG/5L", "1701"])
    assert spent(m, "8 MG/5L") == 0.25
    m.play(["8 MG/5L"])
    assert refused(m, "Tripoli") == "6.3.3"
    m.play(["cancel", "27 Pav"])
    assert refused(m, "1701") == "6.3.4"
    m.play(["Axis Truck 1", "1604"])
    assert where(m, "27 Pav") == where(m, "Axis Truck 1") == "1604"
    m.play(["8B Ar"])
    assert refused(m, "1701") == "6.3.4"


def test_units_in_italy_leave_by_sea_or_air_alone() -> None:
    """(6.1.1, 6.1.3, 6.3.2)"""
    m = match({"Italy": ["33/15"], "2526": ["3/5L"]})
    assert refused(m, "33/15") == "6.3.2"


# Trucks


def test_a_truck_carries_one_unit_at_the_mechanized_rate() -> None:
    """And makes it mechanized (5.8.1)."""
    m = match({"1604": ["19 Bre", "20 Bre", "Axis Truck 1"]})
    m.play(["19 Bre", "Axis Truck 1", "2011"])
    assert where(m, "19 Bre") == where(m, "Axis Truck 1") == "2011"
    assert spent(m, "19 Bre") < 3
    m = match({"2526": ["19 Bre", "20 Bre", "Axis Truck 1"]})
    m.play(["2526"])
    assert refused(m, "2531") == "5.1"


def test_a_truck_picks_a_unit_up_on_its_way_and_stays_with_it() -> None:
    """It may leave behind the unit it began with (5.8.1, 5.8.2)."""
    m = match({"2526": ["19 Bre", "Axis Truck 1"], "2529": ["20 Bre"]})
    m.play(["Axis Truck 1", "2529", "Axis Truck 1", "20 Bre", "2531"])
    assert where(m, "20 Bre") == where(m, "Axis Truck 1") == "2531"
    m.play(["Axis Truck 1"])
    assert {"20 Bre", "2532"} <= legal(m)
    m.play(["20 Bre"])
    assert refused(m, "2532") == "5.8.2"


def test_trucks_alone_may_not_enter_hexes_with_enemy_non_combat_units() -> None:
    """Enemy Supply Points included; a combat unit may (5.8.3)."""
    m = match({"2526": ["Axis Truck 1", "3/5L"], "2528": ["Allied Truck 1"]}, supply={"Allied": {"2426": 1}})
    m.play(["Axis Truck 1"])
    assert refused(m, "2528") == "5.8.3"
    assert refused(m, "2426") == "5.8.3"
    m.play(["3/5L", "2528"])
    assert where(m, "Allied Truck 1") == "Allied Eliminated"


def test_an_empty_truck_in_full_supply_is_transferred() -> None:
    """To an own box or a combat unit in Full Supply, in lieu of moving (5.8.4)."""
    m = match({"1604": ["3/5L"], "1710": ["Axis Truck 1"], "2526": ["8 MG/5L"]})
    m.play(["Axis Truck 1", "transfer"])
    assert {"Italy", "Tripoli", "1604"} <= legal(m)
    assert refused(m, "2527") == "5.8.4"
    m.play(["Tripoli"])
    assert where(m, "Axis Truck 1") == "Tripoli"
    assert m.state.moved_by_points == 1
    m = match({"2526": ["Axis Truck 1"], "2527": ["1 THR"], "2425": ["1 RB"], "2625": ["2 RB"]})
    m.play(["Axis Truck 1"])
    assert refused(m, "transfer") == "5.8.4"


def test_a_truck_loads_a_supply_point_and_keeps_it_in_the_phase() -> None:
    """An MSU of before may drop its own; one without orders to move stays (5.8.2, 17.2.4)."""
    m = match({"1604": ["Axis Truck 1", "3/5L"], "1606": ["Axis Truck 2 [msu]"]}, supply={"Axis": {"1604": 1}})
    m.play(["Axis Truck 1", "load"])
    assert "msu" in flags(m, "Axis Truck 1")
    assert points(m, "Axis") == {}
    assert refused(m, "unload") == "5.8.2"
    m.play(["1605"])
    m.play(["Axis Truck 2", "unload"])
    assert points(m, "Axis") == {"1606": 1}
    m.play(["load"])
    assert "msu" in flags(m, "Axis Truck 2")


# Railway


def test_one_allied_unit_moves_by_rail() -> None:
    """Between the Nile Delta and stations, marked, and not for the Axis (5.9.1)."""
    m = match({"Nile Delta": ["16 Br", "23 Br"]}, phase="impulse 2 allied movement")
    m.play(["16 Br", "rail"])
    assert {"2560", "2478", "2268"} <= legal(m)
    assert refused(m, "2351") == "5.9.1"
    m.play(["2560"])
    assert (where(m, "16 Br"), flags(m, "16 Br") & {"transported"}) == ("2560", {"transported"})
    m.play(["23 Br"])
    assert refused(m, "rail") == "5.9.1"
    m = match({"2560": ["19 Bre"]})
    m.play(["19 Bre"])
    assert refused(m, "rail") == "5.9.1"


def test_rail_movement_enters_and_leaves_no_enemy_zone() -> None:
    """(5.9.1)"""
    m = match({"Nile Delta": ["16 Br"], "2362": ["3/5L"]}, phase="impulse 2 allied movement")
    m.play(["16 Br", "rail"])
    assert "2268" in legal(m)
    assert refused(m, "2560") == "5.9.1"


def test_a_railed_unit_takes_what_it_passes_and_drives_off_units_in_full_retreat() -> None:
    """From the station where it starts to the one where it ends (5.9.1, 13.3.2, 16.3.5, 17.2.3)."""
    place = {"Nile Delta": ["16 Br"], "2459": ["3/5L [full_retreat]"]}
    m = match(
        place, phase="impulse 2 allied movement", control={"Axis": ["2264", "2560"]}, supply={"Axis": {"2264": 1}}
    )
    m.play(["16 Br", "rail", "2560"])
    assert kind(m) == "combat.retreat"
    m.play([min(legal(m))])
    assert (where(m, "16 Br"), "transported" in flags(m, "16 Br")) == ("2560", True)
    assert [m.state.control[BOARD[hex]] for hex in ("2264", "2560")] == [ALLIED, ALLIED]
    assert points(m, "Axis") == {}
    m = match({"2560": ["16 Br"], "2459": ["3/5L [full_retreat]"]}, phase="impulse 2 allied movement")
    m.play(["16 Br", "rail", "Nile Delta"])
    assert kind(m) == "combat.retreat"


def test_a_railed_supply_point_cannot_be_used_at_once() -> None:
    """(5.9.1)"""
    m = match({"2560": ["Allied Truck 1"]}, phase="impulse 2 allied movement", supply={"Allied": {"Nile Delta": 2}})
    m.play(["rail", "Nile Delta", "2560"])
    assert points(m, "Allied") == {"Nile Delta": 1, "2560": 1}
    m.play(["Allied Truck 1"])
    assert refused(m, "load") == "17.2.4"


def test_the_railway_reaches_misheifa_from_turn_17() -> None:
    """(5.9.2)"""
    m = match({"Nile Delta": ["16 Br"]}, phase="impulse 2 allied movement", turn=17)
    m.play(["16 Br", "rail", "2351"])
    assert where(m, "16 Br") == "2351"


# ZOCs


@pytest.mark.parametrize("unit", ["1 THR", "Tobruk ASU", "6/2 NZ [steps 1]"])
def test_every_combat_unit_has_a_zone(unit: str) -> None:
    """Remnants and ASUs too; trucks and replacements none (7.1)."""
    g = game({"2526": [unit]})
    assert all(zones.zone(g, ALLIED)[hex] == zones.FULL for hex in BOARD.around(BOARD["2526"]))
    assert not any(zones.zone(game({"2526": ["Allied Truck 1", "BR Tank Repl 1"]}), ALLIED))


def test_leaving_a_zone_costs_two_and_entering_stops() -> None:
    """From one directly into another, and no further (7.2)."""
    m = match({"2526": ["8 MG/5L"], "2426": ["1 THR"]})
    m.play(["8 MG/5L", "2527"])
    assert spent(m, "8 MG/5L") == 3
    assert refused(m, "8 MG/5L") == "5.1"


def test_zones_are_limited_up_an_escarpment_and_into_a_fortification() -> None:
    """They do not stop, and cost 1 MP to leave (7.3, 9.5.2)."""
    g = game({"2646": ["1 THR"]})
    assert zones.zone(g, ALLIED)[BOARD["2546"]] == zones.LIMITED
    assert zones.zone(g, ALLIED)[BOARD["2647"]] == zones.FULL
    assert zones.zone(game({"2546": ["1 THR"]}), ALLIED)[BOARD["2646"]] == zones.FULL
    g = game({"2526": ["1 THR"]}, forts={"Axis": ["2527"]})
    assert zones.zone(g, ALLIED)[BOARD["2527"]] == zones.LIMITED
    m = match({"2528": ["8 MG/5L"], "2526": ["1 THR"]}, forts={"Axis": ["2527"]})
    m.play(["8 MG/5L", "2527", "8 MG/5L", "2528"])
    assert spent(m, "8 MG/5L") == 3


def test_zones_of_units_that_are_not_adjacent_overlap() -> None:
    """Of adjacent ones, or of one stack, they do not, nor do Limited ZOCs (7.4)."""
    apart = game({"2526": ["1 THR"], "2528": ["1 RB"]})
    assert zones.overlapping(apart, ALLIED)[BOARD["2527"]] == 1
    assert zones.overlapping(apart, ALLIED)[BOARD["2525"]] == 0
    together = game({"2526": ["1 THR", "2 RB"], "2527": ["1 RB"]})
    assert not any(zones.overlapping(together, ALLIED))
    assert not any(
        zones.overlapping(game({"2526": ["1 THR"], "2528": ["1 RB"]}, forts={"Axis": ["2527"]}), ALLIED)[
            BOARD["2527"] : BOARD["2527"] + 1
        ]
    )


def test_units_out_of_supply_use_tactical_movement_and_avoid_overlapping_zones() -> None:
    """(16.4)"""
    m = match({"2533": ["3/5L [oos]"]})
    m.play(["3/5L"])
    assert refused(m, "2536") == "16.4"
    m = match({"2427": ["3/5L [oos]"], "2526": ["1 THR"], "2528": ["1 RB"]})
    m.play(["3/5L"])
    assert refused(m, "2527") == "16.4"


def test_units_in_full_retreat_move_their_full_allowance() -> None:
    """But not into enemy ZOCs without friends, or places the enemy controls (13.3.1, 13.3.2, 13.3.4)."""
    m = match({"2526": ["8 MG/5L [disrupted]"], "2532": ["1 THR"]})
    m.play(["8 MG/5L"])
    assert refused(m, "2522") == "13.2.1"
    m.play(["full retreat"])
    assert {"2521", "2522"} <= legal(m)
    assert refused(m, "2531") == "13.3.2"


def test_replacement_markers_allow_one_hex() -> None:
    """(19.5)"""
    m = match({"2526": ["8 MG/5L [replaced]"]})
    m.play(["8 MG/5L"])
    assert "2527" in legal(m)
    assert refused(m, "2528") == "19.5"


def test_rommel_gives_a_german_stack_two_points() -> None:
    """Once per turn; not to Italians or disrupted units (18.5)."""
    m = match({"2526": ["8 MG/5L", "Axis Truck 1"], "2522": ["8B Ar"], "2517": ["3/5L [disrupted]"]}, rommel=1)
    m.play(["8B Ar"])
    assert refused(m, "rommel") == "18.5"
    m.play(["cancel", "3/5L"])
    assert refused(m, "rommel") == "18.5"
    m.play(["cancel", "8 MG/5L", "rommel", "2536"])
    assert spent(m, "8 MG/5L") <= 10
    assert m.state.rommel == 0


def test_the_polish_brigade_stays_in_alexandria() -> None:
    """Until turn 11 (S1.2)."""
    m = match({"2478": ["Carp"], "2560": ["16 Br"]}, phase="impulse 2 allied movement")
    assert refused(m, "Carp") == "S1.2"
    m = match({"2478": ["Carp"]}, phase="impulse 1 allied movement", turn=11)
    assert "Carp" in legal(m)


def test_the_tobruk_asu_does_not_move() -> None:
    """(17.1.2)"""
    m = match({"3138": ["Tobruk ASU", "16 Br"]}, phase="impulse 2 allied movement")
    assert refused(m, "Tobruk ASU") == "17.1.2"


def test_delay_strafing_and_lrdg_markers_make_hexes_dearer() -> None:
    """For enemies by MPs alone; Tactical Movement is free (18.7.5, 18.8, 24.1, 24.2)."""
    g = game({"2526": ["8 MG/5L"]})
    for field in ("delay", "strafed"):
        getattr(g.state, field)[BOARD["2527"]] = ALLIED
    g.state.number[BOARD["2527"]] = 1
    g.state.lrdg[BOARD["2527"]] = 1
    from khamsin.games.na41.plan import Plan

    plan = Plan(g, AXIS, [g.rules.parse("8 MG/5L")])
    assert plan.reach.cost(BOARD["2527"]) == 4 * (1 + 1 + 1 + 2)
    assert plan.reach.cost(BOARD["2525"]) == 4
    assert plan.tactical().cost(BOARD["2527"]) == 1


def test_a_friend_cancels_overlapping_zones_for_a_unit_out_of_supply() -> None:
    """A combat unit in the hex, not a truck (7.4, 16.4)."""
    enemies = {"2526": ["1 THR"], "2528": ["1 RB"], "2427": ["3/5L [oos]"]}
    m = match({**enemies, "2527": ["19 Bre"]})
    m.play(["3/5L", "2527"])
    assert where(m, "3/5L") == "2527"
    m = match({**enemies, "2527": ["Axis Truck 1"]})
    m.play(["3/5L"])
    assert refused(m, "2527") == "16.4"


def test_delay_markers_shorten_the_road_bonus() -> None:
    """Each costs a highway hex, the LRDG two (5.2.2, 18.8, 24.2)."""
    for hexes, end, beyond in (({"delay": {"1606": 1}}, "1810", "1911"), ({"lrdg": {"1606": 1}}, "1809", "1810")):
        m = match({"1604": ["19 Bre"]}, amounts=hexes if "lrdg" in hexes else None)
        m.state.delay.update({BOARD[hex]: ALLIED for hex in hexes.get("delay", {})})
        m.play(["19 Bre"])
        assert refused(m, beyond) == "5.1"
        assert end in legal(m)
    m = match({"1604": ["19 Bre"]})
    m.state.delay[BOARD["1606"]] = ALLIED
    m.play(["19 Bre", "1707", "19 Bre"])
    assert "1810" in legal(m)
    assert refused(m, "1911") == "5.1"


def test_a_start_next_to_the_enemy_costs_the_road_bonus_for_the_whole_phase() -> None:
    """Also if the move is made in several clicks (5.2.2)."""
    m = match({"1604": ["19 Bre"], "1504": ["1 THR"]})
    m.play(["19 Bre", "1605", "19 Bre"])
    assert refused(m, "1809") == "5.1"


def test_a_unit_that_went_through_a_limited_zone_does_not_extend_its_move() -> None:
    """Also if the move is made in several clicks (5.3, 7.3)."""
    inside = {"2526": ["8 MG/5L"], "2628": ["1 THR"]}
    m = match(inside, forts={"Axis": ["2528"]})
    m.play(["8 MG/5L", "2528", "8 MG/5L"])
    assert zones.in_zone(m.game, ALLIED, BOARD["2528"]) == zones.LIMITED
    m.play(["2427", "8 MG/5L"])
    assert refused(m, "2424") == "5.1"


def test_rommel_leads_the_units_that_stay_with_him() -> None:
    """A unit that is left behind at the start has its own allowance (18.5)."""
    m = match({"2526": ["8 MG/5L", "2 MG/5L"]}, rommel=1)
    m.play(["2526", "rommel", "2 MG/5L", "2540"])
    assert spent(m, "8 MG/5L") == 10
    m.play(["2 MG/5L"])
    assert refused(m, "2540") == "5.1"
    assert "2536" in legal(m)


def test_a_truck_with_a_replacement_marker_is_not_transferred() -> None:
    """It may not leave a box and moves one hex at most (19.5)."""
    m = match(
        {"Nile Delta": ["Allied Truck 1 [replaced]", "1 RB"], "2560": ["22 Gds"]}, phase="impulse 1 allied movement"
    )
    m.play(["Allied Truck 1"])
    assert refused(m, "transfer") == "19.5"


def test_units_out_of_supply_do_not_use_the_railway() -> None:
    """They can only use Tactical Movement (16.4)."""
    m = match({"2560": ["22 Gds [oos]"]}, phase="impulse 1 allied movement")
    m.play(["22 Gds"])
    assert refused(m, "rail") == "16.4"


def test_a_move_of_two_hexes_costs_what_is_shown() -> None:
    """By the cheapest path, if the unit goes on by MPs (5.1, 5.4)."""
    m = match({"0219": ["8 MG/5L"]})
    m.play(["8 MG/5L"])
    assert m.decision is not None
    assert m.decision.legal[RULES.parse("0419")] == "1.5"
    m.play(["0419"])
    assert spent(m, "8 MG/5L") == 1.5
    assert m.state.moved_by_points == 0


def reason(m: Match[Na41State], click: str) -> str:
    """Why a click is illegal."""
    return m.explain(RULES.parse(click)).reason


def test_a_box_outside_the_map_is_refused_with_its_reason() -> None:
    """(5.6)"""
    m = match({"2526": ["3/5L"]})
    m.play(["3/5L"])
    assert reason(m, "Turn Track").endswith("units move to hexes and to own off-map boxes")


def test_rommel_is_refused_for_the_reason_that_applies() -> None:
    """Germans on foot, and Italians (18.5)."""
    m = match({"2526": ["155/Afr", "8B Ar", "39 Bol"]}, turn=12, rommel=1)
    m.play(["155/Afr"])
    assert reason(m, "rommel") == "Rommel cannot lead 155/Afr: it is not mechanized"
    m.play(["cancel", "8B Ar"])
    assert reason(m, "rommel") == "Rommel cannot lead 8B Ar: it is not German"


def test_an_asu_in_a_stack_is_named_if_it_cannot_be_made_ready() -> None:
    """(17.1.4)"""
    m = match({"2526": ["3/5L", "X Corps HQ [depleted]"]}, supply={"Axis": {"2526": 1}})
    m.play(["2526"])
    assert reason(m, "ready") == "X Corps HQ cannot be made ready: select it alone"
    m = match({"2526": ["3/5L", "X Corps HQ [depleted]"]})
    m.play(["2526"])
    assert reason(m, "ready") == "X Corps HQ cannot be made ready: no Supply Point in 2526"
