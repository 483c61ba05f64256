"""The data of Afrika: counters, tables, set-ups, schedules and supply, checked against the rulebook and against themselves."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from khamsin.games.afrika import RULES
from khamsin.games.afrika.scenario import NAMES, SETTINGS, steps_at_start
from khamsin.games.afrika.stacking import LIMIT
from khamsin.games.afrika.units import (
    ALLIED,
    ARTILLERY,
    ATTACK,
    AXIS,
    BARRAGE,
    BOARD,
    COUNTERS,
    COUNTS,
    DEAD,
    DEFENCE,
    DIVISIONS,
    EXPLOITS,
    FORCES,
    HEXES,
    ITALIAN,
    MA,
    MECH,
    NUMBER,
    PORTS,
    SCENARIOS,
    SCHEDULE,
    SIDE,
    STACKING,
    STEPS,
    SUPPLY,
    UNITS,
)
from khamsin.kernel.tables import FACES
from tests.rulebook.afrika.table import begun

COMBAT_UNITS = (*FORCES[AXIS], *FORCES[ALLIED])


def test_there_are_161_combat_units_and_rommel() -> None:
    """(1.2a)"""
    assert (len(FORCES[AXIS]), len(FORCES[ALLIED]), len(COUNTERS)) == (85, 76, 162)
    assert Counter(COUNTERS[unit].nation for unit in COMBAT_UNITS) == {
        "DE": 31, "IT": 54, "BR": 41, "IN": 12, "AU": 9, "SA": 7, "NZ": 3, "FR": 2, "PL": 1, "GK": 1,
    }  # fmt: skip
    assert sum(STEPS[unit] for unit in FORCES[AXIS]) == 208
    assert sum(STEPS[unit] for unit in FORCES[ALLIED]) == 208


def test_the_one_printed_rating() -> None:
    """288 Inf Rgt is 3-4-15 (SCS 1.1, 4.1)."""
    unit = NUMBER["288 Inf Rgt"]
    assert (ATTACK[unit][0], DEFENCE[unit][0], MA[unit]) == (3, 4, 15)


@pytest.mark.parametrize("unit", COMBAT_UNITS, ids=lambda unit: COUNTERS[unit].name)
def test_a_counter_is_consistent(unit: int) -> None:
    """Steps from 1 to 4, a reduced side of half the values rounded up where there is more than one step, artillery with a
    barrage and a defence of 1 (1.4, 1.12d, SCS 1.1)."""
    assert 1 <= STEPS[unit] <= 4
    assert MA[unit] > 0
    assert ("reduced defence" in COUNTERS[unit].factors) == (STEPS[unit] > 1)
    values = BARRAGE[unit] if ARTILLERY[unit] else ATTACK[unit]
    assert values[0] > 0
    assert values[1] == ((values[0] + 1) // 2 if STEPS[unit] > 1 else values[0])
    full, reduced = DEFENCE[unit]
    assert reduced == ((full + 1) // 2 if STEPS[unit] > 1 else full)
    if ARTILLERY[unit]:
        assert (ATTACK[unit], DEFENCE[unit]) == ((0, 0), (1, 1))


def test_stacking_points_follow_from_the_size() -> None:
    """(1.3, SCS 4.1)"""
    names = {
        "Bologna Div": 4,
        "5 Pz Rgt/5 Le": 2,
        "Maletti Grp": 2,
        "7 Arm Bde/7 Arm": 2,
        "3 Recon Bn/5 Le": 1,
        "Rommel": 0,
    }
    assert {name: STACKING[NUMBER[name]] for name in names} == names
    assert LIMIT == 12


def test_leg_and_mech_follow_from_the_allowance() -> None:
    """(SCS 3.8)"""
    assert not MECH[NUMBER["Bologna Div"]]
    assert not MECH[NUMBER["14 Bde/70 Inf"]]
    assert MECH[NUMBER["1 SA Bde/1 SA"]]
    assert MECH[NUMBER["32 Army Tank Bde"]]  # MA 10


def test_exploit_capable_units_are_marked() -> None:
    """The Italian motor groups of 1940 are not: they would reach Cairo on turn 1 (SCS 1.2)."""
    assert EXPLOITS[NUMBER["5 Pz Rgt/5 Le"]]
    assert not any(
        EXPLOITS[NUMBER[name]] for name in ("Maletti Grp", "1 Lib Armor Rgt/Babini", "2 Lib Armor Rgt/Babini")
    )
    assert not any(EXPLOITS[unit] for unit in COMBAT_UNITS if ARTILLERY[unit])
    assert sum(EXPLOITS) == 54


def test_italian_divisions_count_three_for_supply() -> None:
    """(1.6c)"""
    assert COUNTS[NUMBER["Bologna Div"]] == COUNTS[NUMBER["28 Oct Div"]] == 3
    assert COUNTS[NUMBER["132 Armor Rgt/Ariete"]] == COUNTS[NUMBER["5 Pz Rgt/5 Le"]] == 1
    assert COUNTS[NUMBER["Rommel"]] == 0
    assert sum(ITALIAN) == 54


def test_the_multi_unit_divisions() -> None:
    """Babini is a tank brigade (1.17)."""
    assert set(DIVISIONS) == {
        "5 Le", "15 Pz", "90 Le", "164", "Ariete", "Littorio", "Trieste", "Trento", "Folgore", "1 Arm", "2 Arm", "7 Arm",
        "10 Arm", "50 Inf", "44 Inf", "51 Inf", "70 Inf", "2 NZ", "6 Aus", "7 Aus", "9 Aus", "4 Ind", "5 Ind", "10 Ind", "1 SA",
        "2 SA",
    }  # fmt: skip
    assert all(len(units) > 1 for units in DIVISIONS.values())


@pytest.mark.parametrize("scenario", NAMES)
def test_a_set_up_is_legal(scenario: str) -> None:
    """Every hex can be entered and is on the map, no stack exceeds six points, no unit is there twice, every unit has a step,
    no box is in a fortification (1.3, 1.4, 1.5c, 1.16)."""
    cards = SETTINGS[scenario]
    placed = [unit for group in cards.groups for unit in group.units]
    assert len(placed) == len(set(placed))
    points = Counter[tuple[int, int]]()
    for group in cards.groups:
        if group.place < HEXES:
            assert BOARD.enterable(group.place)
            assert any(f"map-{letter.lower()}" in BOARD.tags[group.place] for letter in cards.maps)
            assert not group.hexes or group.place in group.hexes
            points[group.side, group.place] += sum(STACKING[unit] for unit in group.units)
        assert all(SIDE[unit] == group.side for unit in group.units)
        if group.place not in DEAD:
            assert all(0 < steps_at_start(cards, unit) <= STEPS[unit] for unit in group.units)
    assert max(points.values()) <= LIMIT
    assert not {hex for _, hex in points if (1 - _, hex) in points}
    assert not any("fortification" in BOARD.tags[hex] for hex in cards.boxes)


@pytest.mark.parametrize(
    ("scenario", "axis", "allied", "later"),
    [
        ("crusader", 33, 25, (0, 0)), ("gazala", 34, 27, (0, 0)), ("first-alamein", 20, 21, (10, 9)),
        ("alam-halfa", 29, 20, (0, 2)), ("third-alamein", 34, 38, (0, 0)), ("italian-offensive", 25, 10, (59, 66)),
        ("rommel", 44, 31, (38, 45)),
    ],
)  # fmt: skip
def test_how_many_units_begin_and_arrive(scenario: str, axis: int, allied: int, later: tuple[int, int]) -> None:
    """(4.1, 4.2, 4.3, 4.4, 4.5, 5.1, 5.2, Axis Order of Arrival, Allied Order of Arrival)"""
    cards = SETTINGS[scenario]
    placed = Counter(SIDE[unit] for group in cards.groups for unit in group.units)
    arriving = Counter(SIDE[unit] for unit in cards.arrivals)
    assert (placed[AXIS], placed[ALLIED]) == (axis, allied)
    assert (arriving[AXIS], arriving[ALLIED]) == later


def test_the_order_of_arrival_leads_from_the_first_campaign_to_the_second() -> None:
    """What begins with the Italians or arrives by turn 7 is on the map or in the dead pile of turn 8, but for Recam and the
    form of Trento, which is one counter (2.5, 5.1, 5.2)."""
    early, late = SETTINGS["italian-offensive"], SETTINGS["rommel"]
    before = {unit for group in early.groups for unit in group.units}
    before |= {unit for unit, arrival in early.arrivals.items() if arrival.turn < late.first}
    before -= {NUMBER[name] for name in SCHEDULE["trento"]["several"]}
    after = {unit for group in late.groups for unit in group.units}
    assert {COUNTERS[unit].name for unit in before ^ after} == {"Recam Grp"}


def test_every_counter_appears_in_the_campaign() -> None:
    """Rommel arrives on turn 6, KG Hecker is an exchange, Trento has two forms (2.5, 2.8, Axis Order of Arrival)."""
    cards = SETTINGS["italian-offensive"]
    named = {unit for group in cards.groups for unit in group.units} | set(cards.arrivals)
    assert {COUNTERS[unit].name for unit in UNITS if unit not in named} == {"Rommel", "KG Hecker"}
    assert [row["turn"] for row in SCHEDULE["arrival"] if row.get("rommel")] == [6]


@pytest.mark.parametrize("scenario", NAMES)
def test_ports_begin_with_an_owner(scenario: str) -> None:
    """(1.9d)"""
    cards = SETTINGS[scenario]
    here = [hex for hex in PORTS if any(f"map-{letter.lower()}" in BOARD.tags[hex] for letter in cards.maps)]
    assert all(hex in cards.control for hex in here)


def test_the_combat_table_is_complete_and_its_columns_rise() -> None:
    """Ten columns, eleven rows; a better roll or column never does the attacker more harm than the defender (SCS 12.1)."""
    table = RULES.tables["combat"]
    assert table.heads == ("1:4", "1:3", "1:2", "1:1", "2:1", "3:1", "4:1", "5:1", "7:1", "9:1")
    assert list(table.rows) == list(range(2, 13))
    assert table.result(0, 2) == "A3R1"
    assert table.result(9, 12) == "D6R5"
    assert table.result(3, 9) == "A1D2R1"


def test_the_barrage_table_never_falls() -> None:
    """(SCS 12.3)"""
    table = RULES.tables["barrage"]
    rows = [[int(cell) for cell in row] for row in table.rows.values()]
    assert all(row == sorted(row) for row in rows)
    assert all(list(column) == sorted(column) for column in zip(*rows, strict=True))
    assert table.chances(0) == {0: 1}


@pytest.mark.parametrize(
    ("table", "mean"), [("axis_supply", "133/36"), ("shipping", "3"), ("axis_variable", "13/3"), ("capture", "75/2")]
)
def test_the_means_of_the_supply_tables(table: str, mean: str) -> None:
    """(1.8, 1.9, 1.9b, 1.11)"""
    chances = RULES.tables[table].chances(0)
    assert sum(int(cell) * chance for cell, chance in chances.items()) == Fraction(mean)


def test_the_mean_of_benghazi_is_two() -> None:
    """(1.9d)"""
    capacities = BOARD.areas["Benghazi"].data["capacity"]
    assert Fraction(sum(capacities), len(FACES["1d6"])) == 2


def test_points_by_turn_cover_the_campaign() -> None:
    """28 turns, and in the month of a short scenario its air points, but for one Axis point for Malta (1.7, 1.9, 1.10, 2.6)."""
    for row, key in (
        ("air", "axis"),
        ("air", "allied"),
        ("trucks", "axis"),
        ("trucks", "allied"),
        ("allied_supply", "points"),
    ):
        assert len(SCHEDULE[row][key]) == 28
    for data in (data for data in SCENARIOS.values() if data["short"]):
        for turn in range(data["stands_for"][0], data["stands_for"][0] + 1):
            axis, allied = SCHEDULE["air"]["axis"][turn - 1], SCHEDULE["air"]["allied"][turn - 1]
            assert (axis - (turn in (21, 22)), allied) == tuple(data["air"])
    assert SUPPLY["malta"]["modifier"] == [0, 1, 2, 3, 4]


def test_two_big_withdrawals_make_the_dead_pile_of_the_second_campaign() -> None:
    """Eleven infantry brigades and an armoured one (3.3, 5.2)."""
    big = next(row for row in SUPPLY["withdrawal"] if row["name"] == "big withdrawal")
    dead = [unit for group in SETTINGS["rommel"].groups if group.place == DEAD[ALLIED] for unit in group.units]
    assert big["uses"] * (big["infantry"] + big["infantry_or_armour"]) == len(dead)
    assert Counter(COUNTERS[unit].symbol for unit in dead) == {"infantry": 11, "armour": 1}


def test_the_results_of_the_allied_variable_table_exist() -> None:
    """(1.11, 3.3)"""
    known = {row["name"] for row in SUPPLY["withdrawal"]}
    assert all(str(cell) in known or str(cell).isdigit() for (cell,) in RULES.tables["allied_variable"].rows.values())


@pytest.mark.parametrize("scenario", [name for name in NAMES if SETTINGS[name].short])
def test_a_short_scenario_begins_with_its_units_air_points_and_boxes(scenario: str) -> None:
    """(3.1, 4.1, 4.2, 4.3, 4.4, 4.5)"""
    cards, match = SETTINGS[scenario], begun(scenario)
    assert match.state.air == {"Axis": cards.air[AXIS][0], "Allied": cards.air[ALLIED][0]}
    assert dict(match.state.box) == dict(cards.boxes)
    for group in cards.groups:
        assert all(match.state.where[unit] == group.place for unit in group.units)
