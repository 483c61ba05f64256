"""Rail, sea, arrivals, replacements and victory (1.1a, 1.5, 2.4, 3.2, 3.5, 5.0, OCS 10, OCS 12, OCS 13, Scenario 1-6)."""

from __future__ import annotations

from itertools import pairwise

import pytest

from khamsin.games.tunisia import (
    RULES,
    arrivals,
    control,
    layers,
    leaving,
    lift,
    movement,
    moves,
    replacements,
    victory,
)
from khamsin.games.tunisia.lift import Cargo
from khamsin.games.tunisia.units import ALLIED, AXIS, BOARD, NUMBER, TRANSPORT, G
from khamsin.kernel import Match, ReplayDice, SeededDice
from tests.rulebook.tunisia.table import drive, flags, match, number, refused, rule_of, where


def begun(scenario: str, turn: int = 0, dice: tuple[int, ...] = ()) -> G:
    """A scenario at its start, on a turn of it."""
    g = Match(RULES, scenario, dice=SeededDice(1)).game
    g.state.turn = turn or g.state.turn
    g.use(ReplayDice(dice, SeededDice(0)))
    g.state.todo.clear()
    return g


@pytest.mark.parametrize(
    ("unit", "size"),
    [("69 PG/10 Pz", 8), ("961 Inf/999.Ak", 4), ("501 Pz", 4), ("1-5 FJ Para", 2), ("334 Füs Bicycle/334", 4),
     ("Axis Pax 1", 1),
     ("Axis Eq 1", 2), ("Axis Truck 1", 8), ("HQ DAK", 8)],
)  # fmt: skip
def test_transport_sizes(unit: str, size: int) -> None:
    """In half tokens: leg units with a Move allowance of 6 or less count half (OCS 12(3), OCS 13)."""
    assert lift.bulk(NUMBER[unit]) == size


def test_only_the_allies_have_rail_capacity() -> None:
    """A SP a turn, half of it in scenario 2, none at Mareth (1.1a, Scenario 2, Scenario 5)."""
    for scenario, tokens in (("race-for-tunis", 4), ("kasserine", 2), ("mareth", 0)):
        g = begun(scenario)
        assert lift.allowance(g, ALLIED, lift.RAIL) == tokens * lift.HALF
        assert lift.allowance(g, AXIS, lift.RAIL) == 0


@pytest.mark.parametrize(
    ("turn", "axis", "allied"), [(1, 2, 3), (6, 3, 3), (15, 5, 3), (24, 4, 4), (32, 3, 6), (58, 3, 6)]
)
def test_shipping_by_month(turn: int, axis: int, allied: int) -> None:
    """(1.5)"""
    g = begun("campaign", turn)
    points = 4 * lift.HALF
    assert (lift.allowance(g, AXIS, lift.SEA), lift.allowance(g, ALLIED, lift.SEA)) == (axis * points, allied * points)


def test_the_capacity_of_a_port_falls_with_damage() -> None:
    """Gabès: 1 SP, then 3T, 2T, 2T, 1T (OCS 17.4; Gabès damage)."""
    g = begun("campaign")
    gabes = BOARD["B48.17"]
    found = []
    for hits in range(5):
        g.state.damage[gabes] = hits
        found.append(lift.port_capacity(g, gabes) // lift.HALF)
    assert found == [4, 3, 2, 2, 1]


def test_group_a_is_shipped_before_group_b() -> None:
    """Supply is never held up (2.4a)."""
    g = begun("race-for-tunis")
    waiting = BOARD["Sicily Box Group B"]
    tunis = BOARD["A48.24"]
    cargo = Cargo(AXIS, waiting, (NUMBER["3-5 FJ Para"],))
    assert lift.why_not_shipped(g, cargo, tunis) is None
    g.state.where[NUMBER["A.20 March"]] = BOARD["Sicily Box Group A"]
    assert rule_of(lift.why_not_shipped(g, cargo, tunis)) == "2.4a"
    assert lift.why_not_shipped(g, Cargo(AXIS, BOARD["Sicily Box"], (), 4), tunis) is None


def test_ships_go_to_own_ports_within_capacity() -> None:
    """(1.5, 1.5a)"""
    g = begun("race-for-tunis")
    supply = Cargo(AXIS, BOARD["Sicily Box"], (), 4)
    assert rule_of(lift.why_not_shipped(g, supply, BOARD["A17.26"])) == "1.5"
    assert rule_of(lift.why_not_shipped(g, supply, BOARD["A54.19"])) == "1.5a"
    assert rule_of(lift.why_not_shipped(g, supply._replace(tokens=40), BOARD["A48.24"])) == "1.5"


def test_a_port_in_an_enemy_zone_neither_loads_nor_unloads() -> None:
    """(OCS 4(2), OCS 13)"""
    g = begun("race-for-tunis", 1)
    tunis = BOARD["A48.24"]
    g.state.where[NUMBER["11 Inf/78 Inf"]] = BOARD.around(tunis)[0]
    for cargo, goal in ((Cargo(AXIS, tunis, (), 1), BOARD["A44.31"]), (Cargo(AXIS, BOARD["Sicily Box"], (), 1), tunis)):
        assert rule_of(lift.why_not_shipped(g, cargo, goal)) == "OCS 4(2)"


def test_units_go_by_rail_and_sea_in_move_mode() -> None:
    """(1.5b, OCS 12(2))"""
    g = begun("end-in-africa", 47)
    for hex, how, rule in (("A17.26", lift.SEA, "1.5b"), ("A30.20", lift.RAIL, "OCS 12(2)")):
        unit = next(unit for unit in g.state.where.stacks(ALLIED)[BOARD[hex]])
        g.set_flag(unit, "reserve")
        assert rule_of(lift.why_not_carried(g, ALLIED, [unit], how)) == rule


def test_a_unit_is_carried_once_in_a_phase() -> None:
    """From Tunis to Sicily and back is two journeys, for two phases (1.5b, OCS 13; series 4.7d)."""
    m = match({"A48.24": ["47 Inf [move]"]}, scenario="campaign", turn=40)
    m.state.control[BOARD["A48.24"]] = AXIS
    m.play(["47 Inf", "sea", "Sicily Box"])
    assert where(m, "47 Inf") == "Sicily Box"
    assert refused(m, "47 Inf") == "OCS 6(5)"


def test_ships_do_not_go_from_box_to_box() -> None:
    """So group A is not emptied into the Sicily or the Tripoli Box (1.5, 2.3, 2.4a)."""
    g = begun("campaign", 1)
    unit = NUMBER["A.20 March"]
    g.state.where[unit] = BOARD["Sicily Box Group A"]
    for cargo in (Cargo(AXIS, BOARD["Sicily Box Group A"], (unit,)), Cargo(AXIS, BOARD["Sicily Box"], (), 4)):
        assert [BOARD.name(at) for at in lift.goals(g, cargo, lift.SEA) if at >= 4284] == []
        assert lift.why_not_shipped(g, cargo, BOARD["A48.24"]) is None
    assert rule_of(lift.why_not_shipped(g, cargo, BOARD["Tripoli Box"])) == "1.5"


def test_amounts_of_supply_are_what_their_buttons_say() -> None:
    """The rail capacity of scenario 2 carries 1T over narrow gauge; all that fits is less to a small port (1.5a, OCS 12,
    Scenario 2)."""
    g = begun("kasserine")
    assert lift.lots(g, ALLIED, BOARD["A21.05"], lift.RAIL) == {"token": 1}
    g = begun("race-for-tunis", 1)
    sicily = BOARD["Sicily Box"]
    assert lift.lots(g, AXIS, sicily, lift.SEA) == {"token": 1, "point": 4, "all": 8}
    assert {port: lift.room(g, AXIS, sicily, BOARD[port], lift.SEA) for port in ("A48.24", "A54.11", "A54.19")} == {
        "A48.24": 8, "A54.11": 4, "A54.19": 1,
    }  # fmt: skip
    drive(g, lift.carry_tokens(g, AXIS, lift.SEA), ["Sicily Box", "all", "A54.11"])
    assert g.state.axis_t[BOARD["A54.11"]] == 4
    assert lift.left(g, AXIS, lift.SEA) == 4 * lift.HALF


def test_rail_needs_owned_hexes_and_doubles_on_narrow_gauge() -> None:
    """(1.1a, OCS 12(2), OCS 12(4))"""
    g = begun("end-in-africa")
    places = lift.stations(g, ALLIED)
    assert BOARD["A17.26"] in places
    factors = {lift.rail_way(g, ALLIED, BOARD["A17.26"], hex) for hex in places if hex < 4284}
    assert {1, 2} <= factors
    g.state.rail[BOARD["A17.26"]] = AXIS
    assert rule_of(lift.why_not_railed(g, Cargo(ALLIED, BOARD["A17.26"], (), 1), places[0])) in ("1.1a", "OCS 12(2)")


def test_freight_from_algiers_goes_as_far_as_the_line_is_opened() -> None:
    """At first it leaves the train at A1.15, then in each station on the way to Souk Ahras that a unit has walked through;
    with the last hex Bône and, at double cost on narrow gauge, A26.25. An enemy on the line closes it behind him
    (1.1a, 3.2c, OCS 12(1), OCS 12(2))."""
    g = begun("campaign", 1)
    line = ["A1.15", "A2.15", "A2.16", "A3.16", "A4.16", "A5.17", "A6.16", "A7.17", "A8.17", "A9.18", "A10.18", "A11.19",
            "A12.19", "A13.20", "A14.19", "A15.20", "A16.20"]  # fmt: skip
    freight = Cargo(ALLIED, lift.ALGIERS, (), 1)
    ends = {"A1.15": {"A1.15"}, "A2.16": {"A1.15", "A2.15", "A2.16"}, "A11.19": {"A1.15", "A2.15", "A2.16"},
            "A14.19": {"A1.15", "A2.15", "A2.16", "A12.19"},
            "A16.20": {"A1.15", "A2.15", "A2.16", "A12.19", "A16.20", "A17.26", "A26.25"}}  # fmt: skip
    unit = number("Gp Reg Pol")
    for before, hex in pairwise(["A1.15", *line]):
        control.enter(g, ALLIED, unit, [BOARD[before], BOARD[hex]])
        if hex in ends:
            assert {BOARD.name(at) for at in lift.goals(g, freight, lift.RAIL)} == ends[hex]
    drive(g, lift.carry_tokens(g, ALLIED, lift.RAIL), ["Algiers Box", "token", "A26.25"])
    assert g.state.allied_t[BOARD["A26.25"]] == 1
    assert lift.left(g, ALLIED, lift.RAIL) == 2 * lift.HALF
    g.state.where[NUMBER["HQ 90"]] = BOARD["A9.18"]
    assert {BOARD.name(at) for at in lift.goals(g, freight, lift.RAIL)} == {"A1.15", "A2.15", "A2.16"}
    g.state.where[NUMBER["HQ 90"]] = BOARD["A1.15"]
    assert lift.goals(g, freight, lift.RAIL) == []


def test_cargo_does_not_leave_a_train_among_enemy_trucks() -> None:
    """The train passes them (OCS 3(5), OCS 12(2); series 4.8c)."""
    g = begun("end-in-africa", 47)
    freight = Cargo(ALLIED, BOARD["A17.26"], (), 1)
    assert lift.why_not_railed(g, freight, BOARD["A16.20"]) is None
    g.state.where[NUMBER["Axis Truck 1"]] = BOARD["A16.20"]
    assert rule_of(lift.why_not_railed(g, freight, BOARD["A16.20"])) == "OCS 3(5)"
    assert lift.why_not_railed(g, freight, BOARD["A19.17"]) is None


def test_a_load_does_not_move_by_truck_and_by_rail_in_one_phase() -> None:
    """A truck that has driven to a station is carried empty, a loaded one where it began (OCS 11.1(4), OCS 12(2);
    series 12.2a)."""
    g = begun("end-in-africa", 47)
    truck, station = NUMBER["Allied Truck 1"], BOARD["A17.26"]
    for load, moved, rule in ((4, True, "OCS 11.1(4)"), (0, True, ""), (4, False, "")):
        g.state.where[truck], g.state.load[truck] = station, load
        g.state.origin[truck], g.state.spent[truck] = BOARD["A18.25"] if moved else station, 60
        refusal = lift.why_not_carried(g, ALLIED, [truck], lift.RAIL)
        assert (refusal.rule if refusal else "") == rule


def test_the_eighth_army_is_rolled_for() -> None:
    """On 15 February a 9 brings it, an 8 does not; 3 SPs with it and 3 each turn (3.5a, 3.5b; example 3.5a)."""
    g = begun("from-kasserine", 28, (4, 4))
    arrivals.roll_for_eighth_army(g)
    assert where(g, "HQ 10") == "Allied Order of Arrival"
    g = begun("from-kasserine", 28, (5, 4))
    arrivals.roll_for_eighth_army(g)
    assert where(g, "HQ 10") == "B62.07"
    assert g.state.reserves["Allied"] == 13
    arrivals.receive_supply(g, ALLIED)
    assert g.state.allied_t[BOARD["B62.07"]] == 24


def test_supply_of_a_scenario_is_logged_by_its_section() -> None:
    """(3.5b, Scenario 2, Scenario 5, Scenario 6)"""
    for scenario, rule in (("kasserine", "Scenario 2"), ("mareth", "3.5b"), ("end-in-africa", "Scenario 6")):
        g = begun(scenario)
        arrivals.receive_supply(g, ALLIED)
        assert g.events[-1].rule == rule


def test_mud_keeps_the_eighth_army_for_a_dry_turn() -> None:
    """(3.5a)"""
    g = begun("from-kasserine", 28, (6, 6))
    g.state.weather = 2
    arrivals.roll_for_eighth_army(g)
    assert where(g, "HQ 10") == "Allied Order of Arrival"
    g.state.weather, g.state.turn = 0, 29
    arrivals.roll_for_eighth_army(g)
    assert where(g, "HQ 10") == "B62.07"


def test_reinforcements_of_scenario_two() -> None:
    """The Guards on 15 February, the 6th Armoured on the 19th (Scenario 2)."""
    g = begun("kasserine", 29)
    drive(g, arrivals.arrivals(g, ALLIED))
    assert where(g, "17/21 L Arm/6 Arm") == "A27.11"
    assert g.state.load[NUMBER["Truck 1/6 Arm"]] == 4


def test_most_allied_reinforcements_choose_where_they_come() -> None:
    """Entry Area A or Algiers (3.2)."""
    g = begun("campaign", 1)
    key, row = next(iter(arrivals.due(g, ALLIED).items()))
    asked = drive(g, arrivals.arrive(g, ALLIED, row, key))
    assert asked.kind == "arrival.where"
    drive(g, arrivals.arrive(g, ALLIED, row, key), ["A1.15"])
    assert where(g, "1 Cdo") == "A1.15"


def test_reinforcements_of_a_date_may_arrive_apart() -> None:
    """Each unit and truck at Entry Area A or in Algiers, as the Allied player likes (3.2, 3.2d)."""
    g = begun("campaign", 2)
    key, row = next((key, row) for key, row in arrivals.due(g, ALLIED).items() if row.get("organic"))
    elsewhere = ["701 TD", "Truck 1/1 US Arm"]
    asked = drive(g, arrivals.arrive(g, ALLIED, row, key), elsewhere)
    assert NUMBER["701 TD"] not in asked.about
    g = begun("campaign", 2)
    drive(g, arrivals.arrive(g, ALLIED, row, key), [*elsewhere, "A1.15", "Algiers Box"])
    assert {where(g, unit) for unit in row["units"] if unit != "701 TD"} == {"A1.15"}
    assert {where(g, unit) for unit in elsewhere} == {"Algiers Box"}
    assert g.state.load[NUMBER["Truck 1/1 US Arm"]] == 4


@pytest.mark.parametrize(
    ("unit", "cost"),
    [("501 Pz", (0, 1)), ("69 PG/10 Pz", (2, 1)), ("HQ DAK", (3, 2)), ("10 Recon/10 Pz", (1, 1)), ("104 Art", (2, 1)),
     ("47 Inf", (2, 0)),
     ("T.1 March", (1, 0)), ("Ramcke Para", (2, 0)), ("Blindé Arm", (0, 2)), ("213 CD TD", (0, 2)), ("Witzig KG", (0, 1)),
     ("Kolbeck Inf/90.Le", (1, 0)), ("1 Cdo", (2, 0))],
)  # fmt: skip
def test_the_rebuild_table(unit: str, cost: tuple[int, int]) -> None:
    """(Common Rebuild Table)"""
    assert replacements.cost(NUMBER[unit]) == cost


def test_replacements_take_enemy_trucks_where_they_arrive() -> None:
    """An Axis truck alone in A1.15 does not close the source (3.2, OCS 3(5), OCS 9.3, OCS 10(5))."""
    g = begun("race-for-tunis", 3, (4, 4, 6))
    hex, truck = BOARD["A1.15"], NUMBER["Axis Truck 1"]
    g.state.where[truck] = hex
    drive(g, replacements.roll(g, ALLIED), ["A1.15"])
    assert where(g, "Allied Pax 1") == "A1.15"
    assert g.state.where.stacks(TRANSPORT + AXIS).get(hex, ()) == ()
    assert g.state.where.stacks(TRANSPORT + ALLIED)[hex] == (NUMBER["Allied Truck 1"],)


def test_units_withdrawn_before_a_scenario_are_out_of_play() -> None:
    """In the last scenario the French tanks and the Rangers never come (Allied Order of Arrival, Scenario 6)."""
    withdrawn = ["Gp Maz Arm", "Gp Lép Arm", "1 Rngr Cdo"]
    g = begun("end-in-africa")
    assert {where(g, unit) for unit in withdrawn} == {"Out of Play"}
    g = begun("from-kasserine", 30)
    row = next(row for row in arrivals.due(g, ALLIED).values() if row["to"] == "remove")
    drive(g, arrivals.arrive(g, ALLIED, row, ""))
    assert [where(g, unit) for unit in withdrawn] == ["Out of Play", "Out of Play", "B27.32"]


def test_rebuilding() -> None:
    """In a hex with the replacements, within 2 of a headquarters in Combat Mode; these lose their markers (OCS 10(5))."""
    g = begun("mareth")
    camp = g.state.where[NUMBER["HQ 20 It"]]
    g.state.where[NUMBER["Axis Eq 1"]], g.state.where[NUMBER["501 Pz"]] = camp, BOARD["Axis Dead Pile"]
    g.set_flag(NUMBER["Axis Eq 1"], "oos")
    assert replacements.works(g, AXIS) == {camp: [NUMBER["501 Pz"]]}
    drive(g, replacements.restore(g, AXIS, NUMBER["501 Pz"], camp))
    assert where(g, "501 Pz") == "B48.17"
    assert where(g, "Axis Eq 1") == ""
    assert flags(g, "Axis Eq 1") == {"move"}
    assert rule_of(replacements.why_not_hex(g, AXIS, BOARD["Sicily Box Group A"])) == "1.5c"


def test_an_eq_brings_two_reduced_aircraft_to_full_strength() -> None:
    """Both at bases on the map (OCS 10(5))."""
    g = begun("race-for-tunis")
    one, other = NUMBER["Spit.Vb BR 1"], NUMBER["Spit.Vb US 1"]
    for unit in (one, other):
        g.state.where[unit], g.state.steps[unit] = BOARD["A18.24"], 1
    decision = drive(g, replacements.restore_aircraft(g, ALLIED, one))
    assert other in decision.legal
    assert not any(decision.why_not(g, decision, click) for click in decision.legal)
    assert rule_of(decision.why_not(g, decision, one)) == "OCS 10(5)"


def test_the_axis_exits_north() -> None:
    """Two panzer battalions and a regiment, fuelled for the last step, and Tebessa (Scenario 2)."""
    g = begun("kasserine")
    gone = ["1-7 Pz/10 Pz", "1-8 Pz/15 Pz", "69 PG/10 Pz"]
    for unit in gone:
        g.state.where[NUMBER[unit]] = leaving.EXIT
    assert rule_of(leaving.why_not(g, AXIS, [NUMBER[unit] for unit in gone])) == "OCS 11.4"
    g.state.axis_t[leaving.EXIT] = 4
    assert leaving.why_not(g, AXIS, [NUMBER[unit] for unit in gone]) is None
    leaving.leave(g, AXIS, [NUMBER[unit] for unit in gone])
    assert victory.verdict(g)[0] == ALLIED
    for unit in g.state.where.stacks(ALLIED).get(victory.TEBESSA, ()):
        g.state.where[unit] = BOARD["Allied Dead Pile"]
    g.state.where[NUMBER["Afrika Inf"]] = victory.TEBESSA
    assert victory.verdict(g)[0] == AXIS


@pytest.mark.parametrize(
    ("axis", "result"),
    [([], (ALLIED, "major")), (["A48.24"], (ALLIED, "minor")), (["A48.24", "A44.31"], (-1, "")),
     (["A48.24", "A44.31", "A41.28", "B57.30"], (AXIS, "minor")),
     (["A48.24", "A44.31", "A41.28", "B57.30", "B30.24", "A21.05"], (AXIS, "major")),
     (["A48.24", "A44.31", "A41.28", "B57.30", "B30.24", "A21.05", "A17.26"], (AXIS, "massive"))],
)  # fmt: skip
def test_levels_of_victory(axis: list[str], result: tuple[int, str]) -> None:
    """(5.0)"""
    g = begun("campaign", 58)
    for hex in ("A48.24", "A44.31", "A41.28", "B57.30", "B30.24", "A21.05", "A17.26"):
        g.state.control[BOARD[hex]] = AXIS if hex in axis else ALLIED
    assert victory.by_level(g)[:2] == result


def test_sudden_death() -> None:
    """Tunis and Bizerte occupied on or before 15 February (5.0)."""
    g = begun("campaign", 28)
    for hex, unit in (("A48.24", "1 Cdo"), ("A44.31", "6 Cdo")):
        g.state.where[NUMBER[unit]] = BOARD[hex]
    assert victory.sudden_death(g)
    g.state.turn = 29
    assert not victory.sudden_death(g)


def test_the_south_is_lost_in_the_last_scenario() -> None:
    """Sfax and Gafsa lie outside its map and are Allied; Tunis, Bizerte and Mateur alone are a draw (5.0, Scenario 6)."""
    g = begun("end-in-africa")
    assert [g.state.control.get(BOARD[hex]) for hex in ("A48.24", "A44.31", "A41.28")] == [AXIS] * 3
    assert [g.state.control.get(BOARD[hex], ALLIED) for hex in ("B57.30", "B30.24", "A21.05", "A17.26")] == [ALLIED] * 4
    assert victory.by_level(g)[1] == ""
    campaign = begun("campaign").state.control
    assert campaign[BOARD["B57.30"]] == AXIS
    assert campaign[BOARD["A17.26"]] == ALLIED


def test_a_rail_hex_is_owned_once_its_unit_moves_out() -> None:
    """Constantine is Axis rail under a French brigade until it leaves (1.1a, OCS 12(1))."""
    g = begun("race-for-tunis", 1)
    town, unit = BOARD["A2.18"], NUMBER["Gp Reg Pol"]
    assert (g.state.where[unit], g.state.rail[town]) == (town, AXIS)
    movement.begin(g, ALLIED)
    _, part = moves.all_destinations(g, ALLIED, [unit])[0]
    movement.walk(g, ALLIED, [unit], part.reach, BOARD["A2.17"])
    assert g.state.rail[town] == g.state.rail[BOARD["A2.17"]] == ALLIED


def test_the_desert_air_force_is_not_rebuilt_on_the_map_before_its_release() -> None:
    """(3.3a, 3.3b)"""
    g = begun("campaign", 25)
    wing, camp = NUMBER["DAF P-40 US 1"], BOARD["A18.24"]
    for unit, place in ((NUMBER["HQ 5"], camp), (NUMBER["Allied Eq 1"], camp), (wing, BOARD["Allied Dead Pile"])):
        g.state.where[unit] = place
    assert rule_of(replacements.why_not_rebuilt(g, ALLIED, wing, camp)) == "3.3a"
    g.state.events["8th Army"] = 1
    assert replacements.why_not_rebuilt(g, ALLIED, wing, camp) is None


@pytest.mark.parametrize(
    ("scenario", "text"), [("race-for-tunis", "the Allies need 3 of 5"), ("mareth", "the Allies need all 9")]
)
def test_objectives_say_who_needs_how_many(scenario: str, text: str) -> None:
    """(Scenario 1, Scenario 5)"""
    assert any(text in one.text for one in layers.objectives(begun(scenario), ALLIED))
