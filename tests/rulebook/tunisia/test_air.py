"""The air war (1.1c, 1.1d, 2.1, 3.1, 3.4, OCS 14, OCS 15, OCS 17.3, OCS 17.10-11)."""

from __future__ import annotations

import pytest

from khamsin.games.tunisia import RULES, air, airbases, airlift, barrage, display, drops, movement, moves, sorties
from khamsin.games.tunisia.air import Mission
from khamsin.games.tunisia.barrage import Fire
from khamsin.games.tunisia.units import ALLIED, AXIS, BOARD, FLIGHT, INACTIVE, MOVING, MUD, NO_FLIGHT, NUMBER, G
from khamsin.kernel import Match, ReplayDice, SeededDice
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision
from khamsin.mechanics.ways import Bar
from tests.rulebook.tunisia.table import drive, flags, game, match, number, rule_of, where

GABES, TRIPOLI = "B48.17", "Tripoli Air Base 1"
FIGHTER, STUKA, SPIT, BALTIMORE = "Me.109g DE 1", "Ju.87d DE 1", "DAF Spit.Vb BR 1", "DAF Balt.III BR 1"


def based(units: dict[str, list[str]], dice: list[int] | None = None) -> G:
    """A position with the Axis base at Gabès and the Allied one at Médenine."""
    g = game(units, dice=dice or [])
    g.state.base.update({BOARD[GABES]: AXIS, BOARD["B54.10"]: ALLIED})
    g.state.level.update({BOARD[GABES]: 1, BOARD["B54.10"]: 1})
    return g


def test_boxes_are_reached_by_air_entry_points() -> None:
    """An Air Entry Point marked Tripoli 25: 25 hexes from either base to its hex and back (1.1c; example 1.1c)."""
    assert airbases.range_from(BOARD[TRIPOLI], BOARD["B62.09"]) == 25
    assert airbases.range_from(BOARD["Tripoli Air Base 2"], BOARD["B62.09"]) == 25
    assert airbases.range_from(BOARD[TRIPOLI], BOARD["B60.09"]) == 27
    g = based({TRIPOLI: [SPIT], "B62.09": ["47 Inf"]})
    assert air.why_not_flown(g, NUMBER[SPIT], BOARD["B62.09"]) is None
    assert rule_of(air.why_not_flown(g, NUMBER[SPIT], BOARD["B38.05"])) == "OCS 14.1"


def test_of_a_hip_shoot_the_next_aircraft_replaces_the_first() -> None:
    """One aircraft makes it, so there is no button for all of them; a mission takes several (OCS 14.6)."""
    g = based({GABES: [STUKA, "Ju.87d DE 2"], "B54.10": ["201 Gds Inf"], "B53.10": ["47 Inf"]})
    everyone = RULES.button("all")
    asked = drive(g, air.plan(g, AXIS, BOARD["B54.10"], hip=True), [STUKA, "Ju.87d DE 2"])
    assert (asked.about, everyone in asked.legal) == (number("Ju.87d DE 2"), False)
    asked = drive(g, air.plan(g, AXIS, BOARD["B54.10"]), [STUKA])
    assert everyone in asked.legal
    asked = drive(g, air.plan(g, AXIS, BOARD["B54.10"]), [STUKA, "Ju.87d DE 2"])
    assert asked.about == number(STUKA, "Ju.87d DE 2")


def test_a_mission_says_which_move_it_ends() -> None:
    """The stack that moves cannot go on after an air mission (OCS 6(5); series 6.1g)."""
    g = based({GABES: [STUKA], "B54.10": ["201 Gds Inf"], "B53.10": ["47 Inf"]})
    assert "ends the move" not in drive(g, movement.hip_shoot(g, AXIS), []).prompt
    g.state.flags[NUMBER["47 Inf"]] |= MOVING
    assert drive(g, movement.hip_shoot(g, AXIS), []).prompt.endswith("this ends the move of 47 Inf")


@pytest.mark.parametrize(("turn", "owner"), [(20, AXIS), (21, -1), (22, -1), (23, ALLIED)])
def test_tripoli_changes_hands(turn: int, owner: int) -> None:
    """The Axis uses it until 19 January, the Allies from 29 January 1943 (2.3, 3.4)."""
    g = game({})
    g.state.turn = turn
    assert airbases.box_owner(g, BOARD[TRIPOLI]) == owner


def test_a_base_refits_twice_its_level_for_a_token() -> None:
    """Not in an enemy ZOC without a friendly unit in the hex (OCS 4(2), OCS 14.1)."""
    wing = [f"{name} [inactive]" for name in (FIGHTER, STUKA, "Ju.87d DE 2")]
    g = based({GABES: [*wing, "47 Inf"]})
    g.state.axis_t[BOARD[GABES]] = 4
    drive(g, airbases.refit(g, AXIS), ["done", "Ju.87d DE 2"])
    assert "inactive" not in flags(g, FIGHTER)
    assert "inactive" in flags(g, "Ju.87d DE 2")
    assert g.state.axis_t[BOARD[GABES]] == 3
    g = based({GABES: [*wing, "Ju.87d DE 3 [inactive]", "47 Inf"]})
    g.state.axis_t[BOARD[GABES]] = 4
    asked = drive(g, airbases.refit(g, AXIS), ["done", "Ju.87d DE 2"])
    assert asked.prompt.endswith("choose one to leave inactive")
    assert rule_of(asked.why_not(g, asked, NUMBER["Ju.87d DE 2"])) == "OCS 14.1"
    near = BOARD.name(BOARD.around(BOARD[GABES])[0])
    g = based({GABES: wing, near: ["201 Gds Inf"]})
    g.state.axis_t[BOARD[GABES]] = 4
    assert rule_of(airbases.why_not_refit(g, AXIS, BOARD[GABES])) == "OCS 4(2)"


def test_the_owner_may_keep_the_token_of_a_base() -> None:
    """A base refits if its owner will pay for it (OCS 2, OCS 14.1; series 2.3)."""
    g = based({GABES: [f"{STUKA} [inactive]", "47 Inf"], TRIPOLI: [f"{SPIT} [inactive]"]})
    g.state.axis_t[BOARD[GABES]] = 1
    drive(g, airbases.refit(g, AXIS), [GABES, "done"])
    assert "inactive" in flags(g, STUKA)
    assert g.state.axis_t == {BOARD[GABES]: 1}
    assert rule_of(airbases.why_not_idle(g, AXIS, BOARD["B54.10"])) == "OCS 14.1"
    assert rule_of(airbases.why_not_idle(g, ALLIED, BOARD[TRIPOLI])) == "1.5c"
    g.state.weather = MUD
    assert rule_of(airbases.why_not_idle(g, AXIS, BOARD[GABES])) == "1.3"
    g.state.weather = FLIGHT
    drive(g, airbases.refit(g, ALLIED))
    assert "inactive" not in flags(g, SPIT)
    assert drive(g, airbases.refit(g, AXIS), ["done"]) is None
    assert "inactive" not in flags(g, STUKA)
    assert g.state.axis_t == {}


def test_the_tunis_bases_refit_outside_the_area_of_scenario_two() -> None:
    """For nothing, since no supply is there (Scenario 2; rulings)."""
    g = Match(RULES, "kasserine", dice=SeededDice(1)).game
    g.state.where[NUMBER[STUKA]] = BOARD["A48.24"]
    g.set_flag(NUMBER[STUKA], "inactive")
    before = dict(g.state.axis_t)
    drive(g, airbases.refit(g, AXIS))
    assert "inactive" not in flags(g, STUKA)
    assert dict(g.state.axis_t) == before
    assert rule_of(airbases.why_not_idle(g, AXIS, BOARD["A48.24"])) == "Scenario 2"


def test_no_flight_grounds_all() -> None:
    """(OCS 15, 1.2)"""
    for weather in (NO_FLIGHT, MUD):
        g = based({GABES: [STUKA], "B50.15": ["201 Gds Inf"]})
        g.state.weather = weather
        assert rule_of(air.why_grounded(g, NUMBER[STUKA])) == "OCS 15"
        assert air.targets(g, AXIS) == []


def test_who_makes_hip_shoots() -> None:
    """The Luftwaffe and the Desert Air Force, with a spotter (2.1, 3.1, OCS 14.6)."""
    near = "B50.15"
    spotter = BOARD.name(BOARD.around(BOARD[near])[0])
    g = based({GABES: [STUKA, "MC.202 IT 1"], near: ["201 Gds Inf"], spotter: ["47 Inf"]})
    assert air.why_not_flown(g, NUMBER[STUKA], BOARD[near], hip=True) is None
    assert rule_of(air.why_not_flown(g, NUMBER["MC.202 IT 1"], BOARD[near], hip=True)) == "2.1"
    assert movement.why_no_hip_shoot(g, AXIS) is None
    g = based({GABES: [STUKA], near: ["201 Gds Inf"]})
    assert rule_of(air.why_not_target(g, AXIS, BOARD[near], hip=True)) == "OCS 14.6"
    assert not air.HIP_SHOOTERS[NUMBER["Spit.Vb US 1"]]
    assert air.HIP_SHOOTERS[NUMBER[SPIT]]


def test_air_combat() -> None:
    """9 + 2 - 4 = 7: both abort and no loss on a 4 (OCS 14.3, OCS 17.10; series 14.3e)."""
    g = based(
        {GABES: ["CR.42 IT 1"], "B54.10": ["Ktyhk.II BR 1" if "Ktyhk.II BR 1" in NUMBER else "DAF Ktyhk.II BR 1"]},
        dice=[5, 4, 4],
    )
    mine, theirs = NUMBER["CR.42 IT 1"], NUMBER["DAF Ktyhk.II BR 1"]
    assert (airbases.air_rating(g, mine), airbases.air_rating(g, theirs)) == (2, 4)
    left = drive(g, air.fight(g, AXIS, [mine], [theirs], BOARD["B54.10"]))
    assert left == []
    assert g.state.flags[mine] & INACTIVE
    assert g.state.flags[theirs] & INACTIVE
    assert g.state.steps[mine] == g.state.steps[theirs] == 2


def test_those_who_cannot_attack_ignore_each_other() -> None:
    """(OCS 14.3)"""
    g = based({GABES: [STUKA], TRIPOLI: [BALTIMORE]})
    assert drive(g, air.fight(g, AXIS, [NUMBER[STUKA]], [NUMBER[BALTIMORE]], BOARD[GABES])) == [NUMBER[STUKA]]


def test_a_mission_of_three_aircraft() -> None:
    """Flak 10 + 2 hits; reduced to 9 points, column 8-11; no spotter and 4 RE shift two left; 12 and 5: a step, DG (OCS 14.5,
    OCS 17.2, OCS 17.11; series 14.11)."""
    wing = ["Blen.V BR 1", "Hurri.II BR 1", "Hurri.II BR 2"]
    target = ["47 Inf", "Afrika Inf", "Ramcke Para", "DAL Arab"]
    g = based(
        {"B54.10": wing, GABES: [FIGHTER], "B43.10": [f"{name} [reserve]" for name in target]}, dice=[5, 5, 1, 6, 6, 5]
    )
    mission = Mission(ALLIED, number(*wing), BOARD["B43.10"], barrage.UNITS_TARGET)
    assert sorted(air.flak_points(g, mission, mission.units)) == [("a patrol zone", 1), ("three or more aircraft", 1)]
    air.flak(g, mission, mission.units)
    assert g.state.steps[NUMBER["Blen.V BR 1"]] == 1
    shot = Fire(ALLIED, mission.units, mission.hex, air=True)
    assert barrage.total(g, shot) == 9
    assert g.table("barrage").head(barrage.column(g, shot)) == "3-4"
    drive(g, barrage.fire(g, shot), ["DAL Arab"])
    assert where(g, "DAL Arab") == "Axis Dead Pile"
    assert "dg" in flags(g, "47 Inf")
    assert "reserve" not in flags(g, "47 Inf")


def test_interception_is_offered_in_a_patrol_zone() -> None:
    """Ten hexes round a base with an active fighter, never over an Air Entry Point (1.1d, OCS 14.4)."""
    g = based({GABES: [FIGHTER], TRIPOLI: [BALTIMORE], "B50.14": ["47 Inf"]})
    assert air.patrolling(g, AXIS, BOARD["B50.14"]) == [NUMBER[FIGHTER]]
    assert air.patrolling(g, AXIS, BOARD["B50.19"]) == []
    assert air.patrolling(g, AXIS, BOARD["B60.05"]) == []
    mission = Mission(ALLIED, number(BALTIMORE), BOARD["B50.14"], barrage.UNITS_TARGET)
    asked = drive(g, air.intercept(g, mission, [NUMBER[BALTIMORE]]))
    assert asked.kind == "air.intercept"
    assert drive(g, air.intercept(g, mission, [NUMBER[BALTIMORE]]), ["decline"]) == [NUMBER[BALTIMORE]]


@pytest.mark.parametrize(
    ("cell", "meaning"),
    [("-", (0, False, 0)), ("(5)", (0, False, 5)), ("1(4)", (1, False, 4)), ("2S(3)", (2, True, 3))],
)
def test_facility_results(cell: str, meaning: tuple[int, bool, int]) -> None:
    """(OCS 17.3)"""
    assert barrage.read_facility(cell) == meaning


def test_bombed_bases_keep_a_level_and_lose_aircraft() -> None:
    """17 points, column 11-20, a 6: 1S(4); aircraft lose a step on 4 or more (OCS 17.3)."""
    g = based({GABES: [STUKA], "B54.10": [SPIT]}, dice=[6, 4])
    drive(g, air.strike(g, Mission(AXIS, number(STUKA), BOARD["B54.10"], barrage.BASE_TARGET)))
    assert g.state.level[BOARD["B54.10"]] == 1
    assert g.state.steps[NUMBER[SPIT]] == 1


def test_aircraft_return_inactive() -> None:
    """A whole mission by clicks: target, aircraft, fly (OCS 14.1, OCS 14.2)."""
    m = match({GABES: [STUKA], "B50.15": ["201 Gds Inf"], "B50.16": ["47 Inf"]}, dice=[2, 2, 1, 1])
    m.game.state.base[BOARD[GABES]], m.game.state.level[BOARD[GABES]] = AXIS, 1
    m.play(["done", "B50.15", STUKA, "done"])
    assert "inactive" in flags(m, STUKA)
    assert where(m, STUKA) == GABES


def test_the_eastern_columns_are_closed_to_the_axis() -> None:
    """From 15 February 1943 on a unit that ends its movement there is destroyed (2.5, 3.6)."""
    m = match({"B62.05": ["47 Inf"], "B62.07": ["HQ NZ"]})
    m.play(["done"])
    assert where(m, "47 Inf") == "Axis Dead Pile"
    assert where(m, "HQ NZ") == "B62.07"


def test_a_fighter_sweeps_a_base() -> None:
    """Win or lose it ends inactive (OCS 14.2, OCS 14.3)."""
    g = based({GABES: [FIGHTER], "B54.10": ["Spit.Vb US 1"]}, dice=[6, 6, 1])
    drive(g, sorties.sweep(g, AXIS), ["B54.10", FIGHTER])
    assert "inactive" in flags(g, FIGHTER)
    assert "inactive" in flags(g, "Spit.Vb US 1")
    assert rule_of(sorties.why_not_swept(g, AXIS, BOARD["B54.10"])) == "OCS 14.2"


def test_base_transfers() -> None:
    """Twice the range; fighters within their range stay active, others do not (OCS 14.1)."""
    g = based({GABES: [FIGHTER, STUKA]})
    g.state.base[BOARD["B57.30"]], g.state.level[BOARD["B57.30"]] = AXIS, 1
    for unit, active in ((FIGHTER, True), (STUKA, False)):
        drive(g, sorties.transfer(g, AXIS), [unit, "B57.30"])
        assert where(g, unit) == "B57.30"
        assert ("inactive" not in flags(g, unit)) == active
    assert rule_of(sorties.why_not_transferred(g, NUMBER[FIGHTER], BOARD["B54.10"])) == "OCS 14.1"


def test_interdiction_costs_the_enemy_movement() -> None:
    """An S marks the hex: a MP more in it and around it, for leg units in it alone (OCS 6(6), OCS 14.7)."""
    g = based({GABES: [STUKA]}, dice=[1, 1, 5])
    hex = BOARD["B56.05"]
    drive(g, air.fly(g, Mission(AXIS, number(STUKA), hex, barrage.INTERDICTION)))
    assert g.state.interdicted == {hex: 1 + AXIS}
    near = BOARD.around(hex)[0]
    for mobilities, wide in ((frozenset({2}), True), (frozenset({0}), False)):
        (bar,) = moves.interdiction(g, ALLIED, mobilities)
        assert isinstance(bar, Bar)
        assert bar.into is not None
        assert bar.into[hex] == 1
        assert bool(bar.into[near]) == wide
    assert list(moves.interdiction(g, AXIS, frozenset({2}))) == []


def test_transports_carry_supply_and_light_units() -> None:
    """A Ju.52 a token from Sicily to Tunis, within its range of 80; a unit on foot, not one on wheels (1.5c, OCS 14.8)."""
    g = Match(RULES, "race-for-tunis", dice=SeededDice(1)).game
    plane, base = NUMBER["Ju.52 DE 1"], BOARD["Sicily Air Base 1"]
    g.state.weather = 0
    g.state.where[plane] = base
    g.state.flags[NUMBER["SM.82 IT 1"]] |= RULES.flag["inactive"]
    tunis = BOARD["A48.24"]
    assert airlift.capacity(g, plane, base, tunis) == 2
    load = airlift.Load(AXIS, base, tokens=1)
    assert airlift.why_not_goal(g, load, tunis) is None
    assert rule_of(airlift.why_not_goal(g, load._replace(tokens=9), tunis)) == "OCS 14.8"
    before = g.state.axis_t.get(tunis, 0)
    drive(g, airlift.deliver(g, load, tunis))
    assert g.state.axis_t[tunis] == before + 1
    assert "inactive" in flags(g, "Ju.52 DE 1")
    assert airlift.why_not_lifted(g, AXIS, NUMBER["3-5 FJ Para"]) is None
    for heavy in ("Barenthin Para", "190 Pz", "HQ 90"):
        assert rule_of(airlift.why_not_lifted(g, AXIS, NUMBER[heavy])) == "OCS 14.8"


def test_half_range_doubles_the_load() -> None:
    """Tunis is 50 hexes from Sicily: beyond half of 80, within half of the SM.82's 186 (OCS 14.8)."""
    g = Match(RULES, "race-for-tunis", dice=SeededDice(1)).game
    base, tunis = BOARD["Sicily Air Base 1"], BOARD["A48.24"]
    assert airbases.range_from(base, tunis) == 50
    assert airlift.capacity(g, NUMBER["Ju.52 DE 1"], base, tunis) == 2
    assert airlift.capacity(g, NUMBER["SM.82 IT 1"], base, tunis) == 4


def test_transports_fly_all_that_fits() -> None:
    """From Sicily to Tunis 1T by the Ju.52 and 2T by the SM.82; a single token takes the smallest transport that will do
    (OCS 14.8)."""
    g = Match(RULES, "race-for-tunis", dice=SeededDice(1)).game
    g.state.weather = 0
    base, tunis = BOARD["Sicily Air Base 1"], BOARD["A48.24"]
    assert airlift.room(g, AXIS, base, tunis) == 3
    assert airlift.crew(g, airlift.Load(AXIS, base, tokens=1), tunis) == [NUMBER["Ju.52 DE 1"]]
    assert airlift.crew(g, airlift.Load(AXIS, base, tokens=2), tunis) == [NUMBER["SM.82 IT 1"]]
    before = g.state.axis_t[tunis]
    drive(g, airlift.fly(g, AXIS), ["Sicily Air Base 1", "all", "A48.24"])
    assert g.state.axis_t[tunis] == before + 3
    assert {"inactive"} == flags(g, "Ju.52 DE 1") == flags(g, "SM.82 IT 1")


def test_transports_return_to_the_base_that_is_clicked_before_their_load() -> None:
    """Ju.52 and SM.82 bring supply to Tunis; both come back to Bizerte, which was clicked, or to Sicily, from where they flew;
    a click on the base drops it (OCS 14.1, OCS 14.8; series 14.9e)."""
    sicily, tunis, bizerte = "Sicily Air Base 1", "A48.24", "A44.31"
    for clicks, home in (([], sicily), ([bizerte], bizerte), ([bizerte, bizerte], sicily), ([tunis], tunis)):
        g = Match(RULES, "race-for-tunis", dice=SeededDice(1)).game
        g.state.weather = 0
        before = g.state.axis_t[BOARD[tunis]]
        drive(g, airlift.fly(g, AXIS), [sicily, *clicks, "all", tunis])
        assert g.state.axis_t[BOARD[tunis]] == before + 3
        assert where(g, "Ju.52 DE 1") == where(g, "SM.82 IT 1") == home
        assert {"inactive"} == flags(g, "Ju.52 DE 1") == flags(g, "SM.82 IT 1")


def test_a_return_beyond_half_range_does_not_double_the_load() -> None:
    """A Ju.52 carries 2T from Tunis to Bizerte, but 1T if it returns to Sicily, 52 hexes away, more than half of 80. Enemy
    bases and boxes without bases are refused (OCS 14.8; series 14.9e)."""
    g = Match(RULES, "campaign", dice=SeededDice(1)).game
    g.state.weather, g.state.turn, plane = 0, 1, NUMBER["Ju.52 DE 1"]
    sicily, tunis, bizerte = (BOARD[name] for name in ("Sicily Air Base 1", "A48.24", "A44.31"))
    g.state.where[plane] = tunis
    assert sorties.distance(bizerte, sicily) > 40
    assert [airlift.room(g, AXIS, tunis, bizerte, home) for home in (NOWHERE, bizerte, sicily)] == [2, 2, 1]
    asked = drive(g, airlift.fly(g, AXIS), ["A48.24"])
    for label in ("A18.24", "Algiers Air Base 1", "Month Track"):
        assert rule_of(asked.why_not(g, asked, RULES.parse(label))) == "OCS 14.8"
    drive(g, airlift.fly(g, AXIS), ["A48.24", "Sicily Air Base 1", "token", "A44.31"])
    assert where(g, "Ju.52 DE 1") == "Sicily Air Base 1"


def test_aircraft_transfer_from_box_to_box_over_the_map() -> None:
    """Sicily 46 and Tripoli 49 hexes from one Air Entry Point: within twice the range of a Ju.52; cargo goes to bases of the
    map alone (1.1c, 1.5c, OCS 14.1)."""
    g = Match(RULES, "campaign", dice=SeededDice(1)).game
    g.state.weather, g.state.turn = 0, 1
    sicily, tripoli = BOARD["Sicily Air Base 1"], BOARD[TRIPOLI]
    assert sorties.distance(sicily, tripoli) == sorties.distance(tripoli, sicily) == 90
    assert sorties.why_not_transferred(g, NUMBER["Ju.52 DE 1"], tripoli) is None
    g.state.where[NUMBER["G.50 IT 1"]] = sicily
    assert rule_of(sorties.why_not_transferred(g, NUMBER["G.50 IT 1"], tripoli)) == "OCS 14.1"
    assert rule_of(airlift.why_not_goal(g, airlift.Load(AXIS, sicily, tokens=1), tripoli)) == "1.5c"


PARAS = ("1 Para", "2 Para", "2-509 Para")


def at_algiers(dice: tuple[int, ...] = ()) -> G:
    """The first turn of the race for Tunis: three parachute battalions and two C-47s in Algiers, which carry 2T each so far."""
    g = Match(RULES, "race-for-tunis", dice=SeededDice(1)).game
    g.use(ReplayDice(dice, SeededDice(0)))
    g.state.weather, g.state.turn = 0, 1
    return g


def test_transports_carry_several_units_and_tokens_together() -> None:
    """Three battalions and a token are the 4T of two C-47s at half range; a fourth unit or token has no room (OCS 14.8;
    series 14.9a)."""
    g = at_algiers()
    base, goal = BOARD["Algiers Air Base 1"], "A18.24"
    before = g.state.allied_t.get(BOARD[goal], 0)
    load = ["Algiers Air Base 1", *PARAS, "token"]
    asked = drive(g, airlift.fly(g, ALLIED), load)
    assert RULES.button("token") not in asked.legal
    drive(g, airlift.fly(g, ALLIED), [*load, goal])
    assert {where(g, unit) for unit in PARAS} == {goal}
    assert g.state.allied_t[BOARD[goal]] == before + 1
    assert airlift.planes(g, ALLIED, base) == []


def test_units_are_lost_with_the_capacity_of_their_transports() -> None:
    """As few as may be, and the owner chooses (OCS 14.8; series 14.4g)."""
    g = at_algiers()
    load = airlift.Load(ALLIED, BOARD["Algiers Air Base 1"], number(*PARAS))
    for carried, left in ((6, 3), (5, 3), (4, 2), (2, 1), (1, 1), (0, 0)):
        lost = list(PARAS[: 3 - left]) if carried else []
        assert len(drive(g, airlift.saved(g, load, carried), lost)) == left


def test_units_with_one_plan_drop_together() -> None:
    """Two battalions jump from two transports, or from one at half range (OCS 14.8)."""
    g = at_algiers(dice=(6, 6, 6, 6))
    g.state.flags[NUMBER["C-47 US 2"]] |= INACTIVE
    for unit, hex in zip(PARAS, ("A30.20", "A30.20", "A12.10"), strict=True):
        g.state.drop_turn[unit], g.state.drop_hex[unit] = 1, BOARD[hex]
    asked = drive(g, drops.drop(g, ALLIED), ["1 Para"])
    assert asked.kind == "drop.with"
    assert NUMBER["2 Para"] in asked.legal
    assert rule_of(drops.why_not_along(g, airlift.Load(ALLIED, BOARD["Algiers Air Base 1"], number("1 Para")),
                                       BOARD["A30.20"], NUMBER["2-509 Para"])) == "OCS 14.8"  # fmt: skip
    drive(g, drops.drop(g, ALLIED), ["1 Para", "2 Para", "done"])
    assert where(g, "1 Para") == where(g, "2 Para") == "A30.20"
    assert g.state.base[BOARD["A30.20"]] == ALLIED


def sheet_of(g: G, asked: Decision) -> tuple[str, set[str], set[str]]:
    """The odds shown for a mission: column, shifts and results."""
    (sheet,) = display.sheets(g, asked, -1)
    return sheet.odds.column, {term.text for term in sheet.odds.terms}, set(sheet.odds.outcomes)


def test_the_odds_of_a_mission_are_those_of_its_target_and_range() -> None:
    """17 points of a Stuka near its base: one column right against units, none against a base or a port; an S interdicts
    (OCS 14.6, OCS 14.7, OCS 17.2, OCS 17.3)."""
    g = based({GABES: [STUKA], "B54.10": ["201 Gds Inf", SPIT], "B53.10": ["47 Inf"]})
    g.state.flags[NUMBER[SPIT]] |= INACTIVE
    asked = drive(g, air.plan(g, AXIS, BOARD["B54.10"]), [STUKA])
    assert asked.kind == "air.mission.units"
    column, terms, _ = sheet_of(g, asked)
    assert "aircraft at short range" in terms
    shot = Fire(AXIS, number(STUKA), BOARD["B54.10"], air=True, short=True)
    assert column == g.table("barrage").head(barrage.column(g, shot))
    asked = drive(g, air.plan(g, AXIS, BOARD["B54.10"]), [STUKA, "base"])
    column, terms, results = sheet_of(g, asked)
    assert (column, "cost" in terms) == ("11-20", False)
    assert "1 level, aircraft lose a step on 4 or more" in results
    asked = drive(g, air.plan(g, AXIS, BOARD["B52.10"], target=barrage.INTERDICTION), [STUKA])
    assert sheet_of(g, asked)[2] == {"interdicted", "no effect"}


def test_transports_return_from_a_drop_to_the_base_that_is_clicked() -> None:
    """Both ways of a C-47 to Souk el Arba and on to the base of Bône are within half of its 160; an enemy base and a box
    without bases are refused (OCS 14.1, OCS 14.8; series 14.9e, 14.10)."""
    algiers, zone, bone = "Algiers Air Base 1", "A30.20", "A18.24"
    for clicks in (["1 Para", bone, "done"], [algiers, bone, "token", zone]):
        g = at_algiers(dice=(6, 6))
        g.state.flags[NUMBER["C-47 US 2"]] |= INACTIVE
        g.state.drop_turn["1 Para"], g.state.drop_hex["1 Para"] = 1, BOARD[zone]
        asked = drive(g, drops.drop(g, ALLIED), clicks[:1])
        assert {rule_of(asked.why_not(g, asked, RULES.parse(label))) for label in ("A48.24", "Month Track")} == {
            "OCS 14.8"
        }
        drive(g, drops.drop(g, ALLIED), clicks)
        assert where(g, "C-47 US 1") == bone
        assert "inactive" in flags(g, "C-47 US 1")


def test_after_an_air_combat_aircraft_may_turn_back() -> None:
    """The Messerschmitt beats the interceptor; the Stuka then turns back to Gabès before flak and bombs nothing. Without an
    air combat nothing is asked (OCS 14.3; series 14.3d)."""
    units = {GABES: [FIGHTER, STUKA], "B54.10": [SPIT], "B53.10": ["201 Gds Inf"], "B52.10": ["47 Inf"]}
    target = BOARD["B53.10"]
    fly = ["Me.109g DE 1", "Ju.87d DE 1", "done"]
    g = based(units, dice=[1, 1, 1])
    asked = drive(g, air.plan(g, AXIS, target), [*fly, SPIT, "done", FIGHTER])
    assert (asked.kind, set(number(FIGHTER, STUKA)) <= set(asked.legal)) == ("air.onward", True)
    assert "inactive" in flags(g, SPIT)
    g = based(units, dice=[1, 1, 1])
    drive(g, air.plan(g, AXIS, target), [*fly, SPIT, "done", FIGHTER, STUKA, FIGHTER])
    assert {"inactive"} == flags(g, STUKA) == flags(g, FIGHTER)
    assert [event for event in g.events if event.rule == "OCS 17.2"] == []
    assert target in g.state.barraged
    g = based(units)
    assert drive(g, air.plan(g, AXIS, target), [*fly, "decline"]) is None


def test_bombers_without_fighters_ignore_each_other() -> None:
    """No air combat, so nobody turns back before it; with a fighter both sides may (OCS 14.3; series 14.3a, 14.3d)."""
    for escort, kind in (([], ""), ([SPIT], "air.abort")):
        g = based({GABES: [STUKA, "Ju.87d DE 2"], "B54.10": [BALTIMORE, "DAF A-20 BR 1", *escort]}, dice=[1] * 9)
        asked = drive(g, air.fly(g, Mission(AXIS, number(STUKA, "Ju.87d DE 2"), BOARD["B54.10"], "base")))
        assert (asked.kind if asked else "") == kind


@pytest.mark.parametrize("others", [[], ["DAF Hurri.II BR 1"]])
def test_a_transfer_meets_no_flak_once_the_patrol_zone_is_gone(others: list[str]) -> None:
    """The only fighter aborts from its interception; a second one keeps up the patrol zone (OCS 14.2, OCS 14.4, OCS 14.5)."""
    g = based({GABES: ["Fw.190a DE 1"], "B54.10": [SPIT, *others]}, dice=[1, 1, 1, 6, 6])
    g.state.base[BOARD["B50.05"]], g.state.level[BOARD["B50.05"]] = AXIS, 1
    drive(g, sorties.transfer(g, AXIS), ["Fw.190a DE 1", "B50.05", SPIT])
    assert where(g, "Fw.190a DE 1") == "B50.05"
    assert "inactive" in flags(g, SPIT)
    assert g.state.steps[NUMBER["Fw.190a DE 1"]] == (1 if others else 2)
