"""What a fifth reading of the rules found: air bases, arrivals, airdrops, extenders, the raid."""

from __future__ import annotations

import pytest

from khamsin.games.tunisia import (
    airbases,
    arrivals,
    barrage,
    construction,
    drops,
    lift,
    orders,
    raid,
    retreat,
    tracing,
)
from khamsin.games.tunisia.barrage import BASE_TARGET, Fire
from khamsin.games.tunisia.faults import find_fault
from khamsin.games.tunisia.units import ALLIED, AXIS, BOARD, FLIGHT, INACTIVE, NUMBER, G, TunisiaState
from khamsin.kernel import Match, ReplayDice, SeededDice
from tests.rulebook.tunisia.table import RULES, drive, flags, game, match, number, refused, rule_of, where

TUNIS = "A48.24"
WINGS = ["Me.109g DE 1", "Me.109g DE 2", "Ju.88a DE 1", "Ju.52 DE 1", "Hs.129b DE 1", "Ju.87d DE 1"]


def begun(scenario: str, turn: int, dice: tuple[int, ...] = (), **options: str) -> G:
    """A scenario at its start, on a turn of it, in good weather."""
    g = Match(RULES, scenario, options, SeededDice(1)).game
    g.state.turn, g.state.weather = turn, FLIGHT
    g.state.todo.clear()
    g.use(ReplayDice(dice, SeededDice(0)))
    return g


# Air bases


def crowded_base(dice: tuple[int, ...] = ()) -> G:
    """Tunis at level 2 with six active aircraft, as many as it has room for."""
    g = game({TUNIS: WINGS, "A30.20": ["B-25 US 1"]}, scenario="campaign", dice=dice)
    for hex, side, level in ((TUNIS, AXIS, 2), ("A30.20", ALLIED, 1)):
        g.state.base[BOARD[hex]], g.state.level[BOARD[hex]] = side, level
    assert find_fault(g) == ""
    return g


def test_a_bombed_base_has_room_for_fewer_active_aircraft() -> None:
    """A level less leaves room for 5 of the 6: the transport becomes inactive first (OCS 14.1, OCS 17.3)."""
    g = crowded_base((5, 1, 1, 1, 1, 1, 1))
    barrage.hit_facility(g, Fire(ALLIED, number("B-25 US 1"), BOARD[TUNIS], air=True, target=BASE_TARGET))
    assert g.state.level[BOARD[TUNIS]] == 1
    assert [unit for unit in WINGS if "inactive" in flags(g, unit)] == ["Ju.52 DE 1"]
    assert find_fault(g) == ""


def test_a_base_reduced_by_its_owner_has_room_for_fewer_active_aircraft() -> None:
    """(OCS 10(3), OCS 14.1)"""
    g = crowded_base()
    g.state.where[NUMBER["92 Inf/Superga"]] = BOARD[TUNIS]
    construction.do(g, AXIS, number("92 Inf/Superga"), BOARD[TUNIS], "reduce base")
    active = [unit for unit in WINGS if "inactive" not in flags(g, unit)]
    assert len(active) == 5
    assert find_fault(g) == ""


# Arrivals of aircraft


def test_allied_aircraft_arrive_in_tripoli_too_once_it_is_allied() -> None:
    """On 8 March 1943 the B-25 may be put in Algiers or Tripoli; in 1942 there is no choice (3.2, 3.4)."""
    row = next(row for row in arrivals.SCHEDULE["arrival"] if row["turn"] == 34 and "air" in row)
    g = begun("campaign", 34)
    asked = drive(g, arrivals.arrive(g, ALLIED, row, ""))
    assert asked.kind == "arrival.aircraft"
    (bomber,) = [unit for unit in asked.legal if g.is_unit(unit)]
    bomber_name = RULES.names[bomber]
    g = begun("campaign", 34)
    drive(g, arrivals.arrive(g, ALLIED, row, ""), [bomber_name, "Tripoli Air Base 1", "done"])
    assert where(g, bomber_name) == "Tripoli Air Base 1"
    g = begun("campaign", 5)
    early = next(
        row for row in arrivals.SCHEDULE["arrival"] if row["turn"] == 5 and row["side"] == "Allied" and "air" in row
    )
    assert arrivals.air_bases(g, early["to"]) == []


def test_axis_aircraft_of_january_arrive_at_any_axis_base() -> None:
    """The owner chooses among all bases with room, a box counts as one (1.5c, Axis Order of Arrival)."""
    row = next(row for row in arrivals.SCHEDULE["arrival"] if row["to"] == "any Axis air base")
    g = begun("campaign", row["turn"])
    goals = arrivals.air_bases(g, row["to"])
    assert {"A48.24", "B48.17", "Sicily Air Base 1", "Tripoli Air Base 1"} <= {BOARD.name(goal) for goal in goals}
    assert "Sicily Air Base 2" not in {BOARD.name(goal) for goal in goals}
    drive(g, arrivals.arrive(g, AXIS, row, ""), ["Ju.88a DE 1", "Tripoli Air Base 1", "done"])
    assert where(g, "Ju.88a DE 1") == "Tripoli Air Base 1"
    stuka = NUMBER["Ju.87d DE 1"]
    rule = "Axis Order of Arrival"
    assert rule_of(arrivals.why_not_based(g, stuka, goals, rule, BOARD["A17.26"])) == rule
    for unit in airbases.WINGS[AXIS][:6]:
        g.state.where[unit] = BOARD["B48.17"]
        g.state.flags[unit] &= ~INACTIVE
    g.state.where[stuka] = BOARD["A48.24"]
    assert rule_of(arrivals.why_not_based(g, stuka, goals, rule, BOARD["B48.17"])) == "OCS 14.1"


# Airdrops


def test_a_drop_is_planned_wherever_unit_and_transports_are() -> None:
    """A plan is a record of unit, hex and turn; unit and transports must be at one base only when they fly (OCS 14.8;
    series 14.10b)."""
    g = begun("race-for-tunis", 2)
    unit = NUMBER["3 Para"]
    assert 0 <= g.state.where[unit] < BOARD.size
    assert drops.base_of(g, ALLIED, unit) < 0
    drive(g, drops.plan(g, ALLIED), ["3 Para", "A54.11", "done"])
    assert g.state.drop_turn == {"3 Para": 4}
    g.state.turn = 4
    assert rule_of(drops.why_not_dropped(g, ALLIED, unit)) == "OCS 14.8"
    assert drops.jumpers(g, ALLIED) == []


def test_no_drop_is_planned_without_transports_or_for_a_unit_not_in_play() -> None:
    """(OCS 14.8)"""
    g = begun("race-for-tunis", 2)
    unit = NUMBER["1 Para"]
    assert drops.why_not_planned(g, ALLIED, unit) is None
    g.state.where[unit] = BOARD["Allied Dead Pile"]
    assert rule_of(drops.why_not_planned(g, ALLIED, unit)) == "OCS 14.8"
    g.state.where[unit] = BOARD["Algiers Box"]
    for plane in airbases.WINGS[ALLIED]:
        if RULES.counters[plane].factors["load"]:
            g.state.where[plane] = BOARD["Allied Dead Pile"]
    assert rule_of(drops.why_not_planned(g, ALLIED, unit)) == "OCS 14.8"


def test_by_default_drops_are_planned_only_where_unit_and_transports_are_together() -> None:
    """The preset order ends planning while no parachute unit is at a base with transports and none has a plan; without the
    order the player is asked (OCS 14.8)."""
    g = begun("race-for-tunis", 2)
    asked = drive(g, drops.plan(g, ALLIED))
    assert orders.plan_ready(g, asked, {}) is None
    for unit in ("1 Para", "2 Para", "2-509 Para"):
        g.state.where[NUMBER[unit]] = BOARD["A17.26"]
    assert orders.plan_ready(g, asked, {}) == RULES.button("done")
    g.state.drop_turn["3 Para"], g.state.drop_hex["3 Para"] = 4, BOARD["A30.20"]
    assert orders.plan_ready(g, asked, {}) is None


# Extenders


TRUCKS = [f"Allied Truck {one}" for one in range(1, 6)]


def five_trucks(flag: str = "") -> Match[TunisiaState]:
    """Five Allied truck points at A30.12 in the campaign, at the start of a Movement Phase."""
    units = {"A30.12": [f"{truck} [move{flag}]" for truck in TRUCKS]}
    return match(units, scenario="campaign", phase="allied movement")


def test_an_extender_may_collapse_instead_of_moving() -> None:
    """It is displaced to a hex in trace that its owner chooses, within its range, becomes truck points, and is done
    (OCS 9.3; series 12.7h, 9.14d)."""
    m = five_trucks(", extender")
    m.play([*TRUCKS, "collapse"])
    assert m.decision is not None
    assert m.decision.kind == "extender.collapse"
    goals = [m.game.location(click) for click in m.decision.legal if RULES.class_of(click) == "hex"]
    assert goals
    assert all(tracing.trace(m.game, ALLIED).supplied[hex] for hex in goals)
    assert refused(m, "A60.25") == "OCS 9.3"
    m.click(m.game.place0 + goals[0])
    assert {where(m, truck) for truck in TRUCKS} == {BOARD.name(goals[0])}
    for truck in TRUCKS:
        assert "extender" not in flags(m, truck)
        assert "finished" in flags(m, truck)


def test_an_extender_that_has_spent_movement_does_not_collapse() -> None:
    """Collapse takes the place of its movement, and takes the whole extender (OCS 9.3)."""
    m = five_trucks(", extender")
    m.play(TRUCKS[:4])
    assert refused(m, "collapse") == "OCS 9.3"
    m = five_trucks()
    m.play([*TRUCKS, "extend", *TRUCKS])
    assert "extender" in flags(m, TRUCKS[0])
    assert refused(m, "collapse") == "OCS 9.3"


# Rail


def test_a_train_from_bone_runs_on_standard_rails_beside_the_narrow_ones() -> None:
    """Both gauges leave Bône by A16.25: to Duvivier the journey costs the size of its cargo, to St Charles double (1.1a,
    OCS 12(4))."""
    g = begun("from-kasserine", 28)
    bone, sides = BOARD["A17.26"], BOARD.between(BOARD["A16.25"], BOARD["A17.26"])
    assert {"standard railroad", "narrow railroad"} <= set(sides)
    assert lift.rail_way(g, ALLIED, bone, BOARD["A16.20"]) == 1
    assert lift.rail_way(g, ALLIED, BOARD["A16.20"], bone) == 1
    assert lift.rail_way(g, ALLIED, bone, BOARD["A10.23"]) == 2


# Reserves


@pytest.mark.parametrize(
    ("goal", "markers", "kept"), [("B59.06", 2, True), ("B59.06", 1, False), ("B50.10", 2, False), ("B57.05", 1, True)]
)
def test_reserves_that_go_along_need_a_marker_and_no_hedgehog(goal: str, markers: int, kept: bool) -> None:
    """Of two idle reserves one goes along with a retreat: to a hex for which a marker is left, or where one is already,
    and never to a hedgehog in Reserve Mode (1.4c, OCS 5, OCS 16)."""
    others = ["7.Brs Inf [reserve]"] if goal == "B57.05" else []
    g = game(
        {"B58.05": ["47 Inf", "350 Inf [reserve]", "Savona Inf [reserve]"], "B57.05": others or ["Pavia Inf"]},
        hedgehogs={"B50.10": 2},
    )
    g.state.reserves["Axis"] = markers + len(others)
    drive(g, retreat.go(g, AXIS, number("47 Inf", "350 Inf"), (BOARD[goal],)))
    assert where(g, "350 Inf") == goal
    assert ("reserve" in flags(g, "350 Inf")) == kept
    assert "reserve" in flags(g, "Savona Inf")
    assert find_fault(g) == ""


# The raid


@pytest.mark.parametrize(("raider", "lands"), [("1 Rngr Cdo", False), ("6 Cdo", True)])
def test_a_ranger_who_is_withdrawn_at_sea_does_not_land(raider: str, lands: bool) -> None:
    """1 Rngr leaves play for good on 15 April 1943, also if it embarked the turn before (4.0c, Allied Order of Arrival)."""
    g = begun("from-kasserine", 44, raid="one")
    g.state.where[NUMBER[raider]] = BOARD["Algiers Box"]
    raid.embark(g, NUMBER[raider])
    g.state.turn = 45
    row = next(row for row in arrivals.SCHEDULE["arrival"] if row["to"] == "remove" and row["turn"] == 45)
    drive(g, arrivals.arrive(g, ALLIED, row, ""))
    asked = drive(g, raid.land(g, ALLIED))
    assert (asked is not None) == lands
    assert where(g, raider) == ("Allied Order of Arrival" if lands else "Out of Play")
    assert rule_of(raid.why_not(g, number(raider))) == "4.0c"
