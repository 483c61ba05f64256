"""Supply in the short scenarios (4.0) and what follows from its lack (1.6b, 1.6d)."""

from __future__ import annotations

from khamsin.games.afrika import supply
from khamsin.games.afrika.scenario import NAMES, SETTINGS
from khamsin.games.afrika.units import ALLIED, AXIS, BOARD, FORCES, on_map
from tests.rulebook.afrika.table import begun, drive, flags, game, steps, where

RING = {"A32.20": ["Pavia Div"], "A30.18": ["Bologna Div"], "A34.18": ["Brescia Div"], "A32.16": ["Sabratha Div"]}
"""Axis divisions whose ZOCs close A32.18."""


def test_a_path_leads_to_the_own_map_edge_or_a_friendly_port() -> None:
    """West for the Axis, east for the Allies (4.0)."""
    g = game({"A32.18": ["6 NZ Bde/2 NZ"], "A20.20": ["Pavia Div"]})
    assert BOARD["A32.18"] in supply.supplied(g, ALLIED)
    assert BOARD["A20.20"] in supply.supplied(g, AXIS)
    assert set(supply.sources(g, ALLIED)) == set(SETTINGS["gazala"].edges[ALLIED])
    g = game({"A32.18": ["6 NZ Bde/2 NZ"]}, allied=["A39.23"])
    assert BOARD["A39.23"] in supply.sources(g, ALLIED)


def test_zones_close_a_path_and_friendly_units_open_it() -> None:
    """(4.0, SCS 5.7)"""
    g = game({"A32.18": ["6 NZ Bde/2 NZ"]} | RING)
    assert BOARD["A32.18"] not in supply.supplied(g, ALLIED)
    g = game({"A32.18": ["6 NZ Bde/2 NZ"], "A33.18": ["5 NZ Bde/2 NZ"], "A34.17": ["4 NZ Bde/2 NZ"]} | RING)
    assert BOARD["A32.18"] in supply.supplied(g, ALLIED)


def test_a_unit_out_of_supply_loses_a_step_in_each_supply_phase() -> None:
    """Until it is judged again (1.6d, 4.0, SCS 11.3)."""
    g = game({"A32.18": ["6 NZ Bde/2 NZ"]} | RING, phase="allied supply")
    drive(g, supply.supply_phase(g, ALLIED))
    assert (steps(g, "6 NZ Bde/2 NZ"), flags(g, "6 NZ Bde/2 NZ")) == (2, {"oos"})
    drive(g, supply.supply_phase(g, ALLIED))
    assert steps(g, "6 NZ Bde/2 NZ") == 1
    for name in RING:
        for unit in g.units_in(BOARD[name]):
            g.state.where[unit] = -1
    drive(g, supply.supply_phase(g, ALLIED))
    assert (steps(g, "6 NZ Bde/2 NZ"), flags(g, "6 NZ Bde/2 NZ")) == (1, set())


def test_the_last_step_is_lost_too() -> None:
    """(1.6d)"""
    g = game({"A32.18": ["6 NZ Bde/2 NZ [steps 1]"]} | RING)
    drive(g, supply.supply_phase(g, ALLIED))
    assert where(g, "6 NZ Bde/2 NZ") == "Allied Dead Pile"


def test_the_lrdg_is_always_supplied() -> None:
    """(3.4)"""
    g = game({"A32.18": ["LRDG Grp"]} | RING)
    drive(g, supply.supply_phase(g, ALLIED))
    assert (where(g, "LRDG Grp"), flags(g, "LRDG Grp")) == ("A32.18", set())


def test_italians_do_not_surrender_in_short_scenarios() -> None:
    """They stand for later turns (1.6d, 2.2, 4.0)."""
    ring = {
        "A32.20": ["6 NZ Bde/2 NZ"],
        "A30.18": ["5 NZ Bde/2 NZ"],
        "A34.18": ["4 NZ Bde/2 NZ"],
        "A32.16": ["Polish Bde"],
    }
    g = game({"A32.18": ["Pavia Div"]} | ring)
    drive(g, supply.supply_phase(g, AXIS))
    assert (where(g, "Pavia Div"), steps(g, "Pavia Div")) == ("A32.18", 3)


def test_every_unit_of_a_short_scenario_begins_in_supply() -> None:
    """By rule, and by the paths of the set-up too (1.6b, 4.0)."""
    for name in NAMES:
        if not SETTINGS[name].short:
            continue
        g = begun(name).game
        for side in (AXIS, ALLIED):
            fed = supply.supplied(g, side)
            assert [unit for unit in FORCES[side] if on_map(g, unit) and g.state.where[unit] not in fed] == []
            assert not any("oos" in flags(g, g.rules.names[unit]) for unit in FORCES[side])


def test_on_map_b_the_west_edge_counts_north_of_the_depression() -> None:
    """(4.0)"""
    edge = SETTINGS["first-alamein"].edges[AXIS]
    assert {BOARD.name(hex) for hex in edge} == {f"B1.{row}" for row in range(11, 19)}
