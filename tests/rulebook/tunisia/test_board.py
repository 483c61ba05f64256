"""The board where it decides battles: the Mareth wadi, the pass of Faïd, the entry of the railway (1.1a, 1.1b, 1.1c)."""

from __future__ import annotations

import numpy as np
import pytest

from khamsin.games.tunisia import RULES, airbases, eating, ground, strength
from khamsin.games.tunisia.ground import DETRAINABLE, NETS
from khamsin.games.tunisia.scenario import HEDGEHOGS
from khamsin.games.tunisia.units import ALLIED, AXIS, BOARD, HEXES, NUMBER, TRACK, TRUCK
from khamsin.kernel import Match, SeededDice
from khamsin.kernel.flood import CLOSED
from tests.rulebook.tunisia.table import game


def cost(mobility: int, start: str, goal: str, held: str = "") -> int:
    """What the cheapest way costs in twelfths, past a hex that the enemy holds."""
    mask = np.zeros(HEXES, dtype=np.uint8)
    if held:
        mask[BOARD[held]] = CLOSED
    distance = NETS[mobility].spread(NETS[mobility].alone(BOARD[start]), 1200, mask)[0]
    return int(distance[BOARD[goal]])


def test_the_wadi_lies_in_front_of_the_mareth_line() -> None:
    """Every hedgehog of the main line is attacked from the south-east across it, and left to the rear dry (1.1b)."""
    front = {"B49.13": ("B49.12", "B50.12"), "B50.13": ("B50.12", "B51.13"), "B51.14": ("B51.13", "B52.13"),
             "B52.14": ("B52.13", "B53.14", "B53.15")}  # fmt: skip
    for hex, enemies in front.items():
        assert HEDGEHOGS[BOARD[hex]] == 2
        assert all("wadi" in BOARD.between(BOARD[hex], BOARD[enemy]) for enemy in enemies)
    for hex, rear in (("B51.14", ("B50.13", "B50.14", "B51.15")), ("B52.14", ("B51.14", "B51.15"))):
        assert not any("wadi" in BOARD.between(BOARD[hex], BOARD[other]) for other in rear)


def test_who_holds_faid_holds_the_dorsal() -> None:
    """Past a held Faïd tanks cross to Sidi bou Zid for three times the MPs, trucks for nearly as much (designer's notes)."""
    free, held = cost(TRACK, "B46.34", "B40.34"), cost(TRACK, "B46.34", "B40.34", "B43.34")
    assert free == 46
    assert held >= 3 * free
    assert cost(TRUCK, "B46.34", "B40.34", "B43.34") >= 2.8 * cost(TRUCK, "B46.34", "B40.34")


def test_fondouk_and_kasserine() -> None:
    """Beside the passes the way is dearer too (designer's notes)."""
    for start, goal, held in (("A46.08", "A40.07", "A43.07"), ("B45.27", "B39.27", "B41.27")):
        assert cost(TRACK, start, goal, held) > cost(TRACK, start, goal)


def test_cargo_leaves_the_train_at_the_map_edge() -> None:
    """A1.15 is detrainable (1.1a)."""
    assert BOARD["A1.15"] in DETRAINABLE


@pytest.mark.parametrize(("hex", "hexes"), [("A57.11", 49), ("B60.32", 38), ("B62.09", 25)])
def test_air_entry_points_to_tripoli(hex: str, hexes: int) -> None:
    """All by the same measure (1.1c)."""
    assert airbases.range_from(BOARD["Tripoli Air Base 1"], BOARD[hex]) == hexes


def test_engineers_bridge_minor_rivers() -> None:
    """Moves in and out of the hex of a headquarters in Combat Mode, and supply paths, pay nothing for the river; overruns do
    (OCS 10(2))."""
    hex, there = next(
        (h, BOARD.neighbours[h][d])
        for h in sorted(ground.RIVER_HEXES)
        for d in range(6)
        if BOARD.hexside_bits[h * 6 + d] & ground.RIVER
        and BOARD.terrain_name(h) == BOARD.terrain_name(BOARD.neighbours[h][d]) == "open"
        and ground.step_cost(h, d, TRUCK) == 6 * 12
    )
    for mark, at in (("", {hex}), (" [move]", set()), (" [dg]", {hex})):
        g = game({BOARD.name(hex): [f"HQ DAK{mark}"]}, scenario="campaign")
        assert ground.bridges(g, AXIS) == at
    net = ground.bridged(TRUCK, frozenset({hex}))
    assert net.costs[hex, BOARD.direction(hex, there)] == net.costs[there, BOARD.direction(there, hex)] == 12
    assert ground.NETS[TRUCK].costs[hex, BOARD.direction(hex, there)] == 6 * 12
    assert ground.overrun_cost(hex, there, [TRUCK]) == 6 * 12


def test_a_causeway_quarters_the_attack() -> None:
    """Into Bizerte over the lake side of A44.30 by road (Terrain Effects Chart)."""
    g = game({"A44.30": ["47 Inf"], "A44.31": ["201 Gds Inf"]}, scenario="campaign")
    battle = strength.Attack(AXIS, (NUMBER["47 Inf"],), BOARD["A44.31"])
    assert sum(one.value for one in strength.attack_shares(g, battle)) == 7 * 48 // 4


def test_every_unit_traces_at_the_start() -> None:
    """In all six scenarios, each division by one headquarters or source (OCS 11.2(1), OCS 11.2(3))."""
    for scenario in RULES.scenarios:
        g = Match(RULES, scenario, dice=SeededDice(1)).game
        assert [eating.find_hungry(g, side) for side in (AXIS, ALLIED)] == [[], []]
