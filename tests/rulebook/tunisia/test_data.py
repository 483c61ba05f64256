"""Counters, set-ups and the calendar (1.1, 1.2, 1.4, 1.8, OCS 1)."""

from __future__ import annotations

import pytest

from khamsin import provenance
from khamsin.games.tunisia import RULES
from khamsin.games.tunisia.dates import month, read_weather
from khamsin.games.tunisia.scenario import SETTINGS
from khamsin.games.tunisia.units import (
    ALLIED,
    AXIS,
    CLASS,
    COUNTERS,
    DIVISION,
    ENGINEERS,
    FORCES,
    HEAVY_AT,
    HEXES,
    IS_AIR,
    IS_HQ,
    IS_REPL,
    LIGHT_AT,
    MECH,
    MOVE,
    NUMBER,
    RE,
    SIDE,
    STRAT,
    attack_capable,
    tokens,
)
from khamsin.kernel import Match, SeededDice


def test_the_counters_are_complete() -> None:
    """332 ground units, 13 headquarters; the Axis has the Germans and Italians (1.8, Counter Manifest)."""
    ground = [unit for side in FORCES for unit in side if not IS_HQ[unit] and not IS_REPL[unit]]
    assert len(ground) == 332
    assert len([unit for unit in range(len(COUNTERS)) if IS_HQ[unit]]) == 13
    assert {COUNTERS[unit].nation for unit in ground if SIDE[unit] == AXIS} == {"DE", "IT"}
    assert {COUNTERS[unit].nation for unit in ground if SIDE[unit] == ALLIED} == {"BR", "NZ", "IN", "US", "FR"}
    assert SIDE[NUMBER["P.Afrcn"]] == AXIS


def test_sizes_and_formations() -> None:
    """A battalion and KG Witzig are half a RE, a replacement a quarter, all others one (OCS 1(2)); divisions by name
    (OCS 1(10))."""
    sizes = {name: RE[NUMBER[name]] for name in ("501 Pz", "Witzig KG", "69 PG/10 Pz", "HQ DAK", "Axis Pax 1")}
    assert sizes == {"501 Pz": 2, "Witzig KG": 2, "69 PG/10 Pz": 4, "HQ DAK": 4, "Axis Pax 1": 1}
    assert DIVISION[NUMBER["69 PG/10 Pz"]] == "10 Pz"
    assert DIVISION[NUMBER["501 Pz"]] == ""


def test_classes_and_anti_tank_levels_follow_from_the_symbol() -> None:
    """Armor and anti-tank guns are heavy, other Mech light, the rest none (OCS 1(9), OCS 9(6))."""
    assert [HEAVY_AT[NUMBER[name]] for name in ("501 Pz", "1-18 PJ", "776 TD", "47 Inf")] == [True, True, True, False]
    assert [LIGHT_AT[NUMBER[name]] for name in ("69 PG/10 Pz", "47 Inf", "501 Pz")] == [True, False, False]
    assert CLASS[NUMBER["Lodi Arm Car"]] == MECH


def test_attack_capable_is_judged_by_the_side_that_is_up() -> None:
    """Parentheses on the Combat side of an 88, none on its Move side; artillery and headquarters never attack (OCS 1(5),
    OCS 1(6), Designer's Notes)."""
    gun = NUMBER["1-18 PJ"]
    assert not attack_capable(gun, 0)
    assert attack_capable(gun, MOVE)
    assert not attack_capable(gun, MOVE | STRAT)
    assert not attack_capable(NUMBER["HQ DAK"], 0)
    assert not attack_capable(NUMBER["104 Art"], 0)


def test_engineers() -> None:
    """All headquarters and KG Witzig (1.6)."""
    found = {COUNTERS[unit].name for unit in range(len(COUNTERS)) if ENGINEERS[unit] and not IS_HQ[unit]}
    assert found == {"Witzig KG"}


@pytest.mark.parametrize("name", list(SETTINGS))
def test_every_set_up_hex_is_land_in_the_area(name: str) -> None:
    """(1.4a, Scenario 1, Scenario 2, Scenario 3, Scenario 4, Scenario 5, Scenario 6)"""
    cards = SETTINGS[name]
    board = RULES.board
    for group in cards.groups:
        assert group.locations
        assert all(at >= HEXES or board.enterable(at) for at in group.locations)
    units = [unit for group in cards.groups for unit in group.units]
    assert len(units) == len(set(units))
    assert not set(units) & set(cards.dead)


def test_the_calendar_has_no_29_february() -> None:
    """58 turns; February has eight (1.1e, 1.7)."""
    assert [month(turn) for turn in (1, 5, 6, 14, 15, 24, 31, 32, 58)] == [11, 11, 12, 12, 1, 2, 2, 3, 5]


@pytest.mark.parametrize(
    ("turn", "roll", "weather"), [(1, 53, 0), (1, 54, 1), (1, 65, 2), (6, 53, 2), (6, 35, 1), (58, 66, 1)]
)
def test_weather_by_month(turn: int, roll: int, weather: int) -> None:
    """Red 5 and white 3 read 53: Flight in November, Mud in December (1.2, 1.2a; example 1.2a)."""
    assert read_weather(turn, roll) == weather


def test_tokens_in_words() -> None:
    """A SP is 4 tokens (OCS 1(1))."""
    assert [tokens(amount) for amount in (1, 4, 11)] == ["1T", "1 SP", "2 SP 3T"]


def test_mareth_begins_as_printed() -> None:
    """The Axis moves first, 8 and 6 Reserve markers, nine printed hedgehogs of level 2, aircraft at their bases (1.1b, 1.4b,
    Scenario 5)."""
    m = Match(RULES, "mareth", dice=SeededDice(3))
    assert m.state.reserves == {"Axis": 8, "Allied": 6}
    assert sorted(m.state.hedgehog.values()) == [2] * 9
    assert len([unit for unit in FORCES[AXIS] if 0 <= m.state.where[unit] < HEXES]) == 66
    assert len([unit for unit in FORCES[ALLIED] if 0 <= m.state.where[unit] < HEXES]) == 52
    assert len([u for u in range(len(COUNTERS)) if IS_AIR[u] and m.state.where[u] >= 0]) == 18
    m.play(["done", "done"])
    assert m.phase.name == "axis movement"


def test_sources_of_figures_name_no_account() -> None:
    """(Counter Manifest)"""
    assert [datum for datum in provenance.data("tunisia") if "github" in datum.source.lower()] == []
