"""What a step costs (7.3, 7.5), and what interdiction and strongpoints add."""

from __future__ import annotations

import pytest

from khamsin.games.kasserine.ground import (
    HALT,
    NODE_HEX,
    entry_cost,
    ground_cost,
    interdicted_cost,
    network,
    node_mask,
    step_cost,
    stops,
    zone_of_interdiction,
)
from khamsin.games.kasserine.scenario import SETTINGS
from khamsin.games.kasserine.units import AXIS, BOARD, FOOT, HALVES, HEAVY, HEXES, MOTOR, MOUNTAINEER, TIGER, TRUCK
from khamsin.kernel.flood import NEVER, masked
from tests.rulebook.kasserine.table import game

NONE: frozenset[int] = frozenset()


def cost(kind: int, a: str, b: str, rain: bool = False) -> float | None:
    """Movement points of a step, or None where it is not allowed."""
    price = step_cost(kind, rain, BOARD[a], BOARD.direction(BOARD[a], BOARD[b]))
    return None if price == NEVER else price / HALVES


def test_the_ride_of_the_spahis() -> None:
    """Half a point by road, 1 clear, 2 hills, and the mountain is too dear (7.3.1, example 7.3.1)."""
    steps = [cost(FOOT, a, b) for a, b in (("3622", "3623"), ("3623", "3624"), ("3624", "3625"), ("3625", "3626"))]
    assert steps == [0.5, 1, 2, 3]
    net = network(frozenset([FOOT]), False, NONE, NONE)
    reach = {NODE_HEX[node] for node in net.flood([BOARD["3622"]], HALVES * 5)}
    assert BOARD["3625"] in reach
    assert BOARD["3626"] not in reach


@pytest.mark.parametrize(
    ("kind", "a", "b", "rain", "points"),
    [
        (MOTOR, "5034", "5133", False, 1),  # 7.3: clear
        (MOTOR, "0720", "0820", False, 2),  # 7.3.6: clear and woods
        (MOTOR, "1524", "1624", False, 3),  # 7.3.6: rough and woods
        (MOTOR, "1524", "1624", True, 4),  # 7.5.1, 7.5.2
        (FOOT, "1524", "1624", True, 3),
        (MOTOR, "1316", "1417", False, 0.5),  # 7.3.2: main road into hills
        (MOTOR, "1316", "1417", True, 0.5),
        (MOTOR, "0202", "0101", True, 1),  # minor road in Rain
        (MOTOR, "0323", "0424", False, 0.5),  # 7.3.2: trail into clear
        (MOTOR, "0323", "0224", False, 1),  # trail into rough
        (MOTOR, "0323", "0224", True, 3),  # 7.5.3: the trail does not help
        (MOTOR, "2123", "2122", True, 1),  # 7.5.3: woods are ignored on a trail
        (FOOT, "0103", "0203", False, 2),  # 7.3.3: wadi
        (FOOT, "0103", "0203", True, 4),
        (MOTOR, "0103", "0203", False, 3),
        (MOTOR, "0103", "0203", True, None),
        (TRUCK, "0103", "0203", False, None),
        (HEAVY, "0103", "0203", False, None),
        (TRUCK, "0102", "0202", False, 2),  # 7.3.4: ford
        (HEAVY, "0102", "0202", False, 2),
        (HEAVY, "0102", "0202", True, None),
        (HEAVY, "0610", "0609", True, 1),  # bridge of a minor road
        (FOOT, "2910", "3011", False, 3),  # 7.3.5: escarpment
        (MOTOR, "2910", "3011", False, 4),
        (HEAVY, "2910", "3011", False, None),
        (HEAVY, "3010", "3009", False, None),  # 7.3.5: mountain without a road
        (MOTOR, "3010", "3009", False, 4),
        (HEAVY, "2714", "2713", False, 1),  # by trail
        (HEAVY, "2714", "2713", True, 5),
        (MOUNTAINEER, "3010", "3009", False, 2),  # 16.6.2
        (TIGER, "5034", "5133", False, None),  # 16.3.2
        (TIGER, "2123", "2122", False, None),
        (TIGER, "1316", "1417", True, 0.5),
    ],
)
def test_a_step_costs_what_the_chart_says(kind: int, a: str, b: str, rain: bool, points: float | None) -> None:
    """Ground, roads, wadis, bridges, fords, escarpments (5.1.2-5, 7.3.2-6, 7.5.1-3, 16.3.2, 16.6.2,
    example 5.1.2, example 7.3.6a, example 7.3.6b, example 7.3.6c, example 7.5.2)."""
    assert cost(kind, a, b, rain) == points


def test_towns_cost_nothing_extra() -> None:
    """The other ground of the hex counts (7.3.7)."""
    assert BOARD.tags[BOARD["6324"]] == {"town"}
    assert ground_cost(MOTOR, False, BOARD["6324"], woods=True) == HALVES


def test_mountains_and_escarpments_stop_all_but_mountain_units_off_the_road() -> None:
    """Entered by a road they stop nobody (7.3.5, 16.6.1)."""
    climb = (BOARD["3010"], BOARD.direction(BOARD["3010"], BOARD["3009"]))
    cliff = (BOARD["2910"], BOARD.direction(BOARD["2910"], BOARD["3011"]))
    trail = (BOARD["2714"], BOARD.direction(BOARD["2714"], BOARD["2713"]))
    for kind in (FOOT, MOTOR, TRUCK):
        assert stops(kind, *climb)
        assert stops(kind, *cliff)
        assert not stops(kind, *trail)
    assert not stops(MOUNTAINEER, *climb)


def test_a_unit_that_must_stop_goes_no_further() -> None:
    """The second node of a mountain hex leads nowhere (7.3.5)."""
    peak, beyond = BOARD["3009"], BOARD["3008"]
    mask = masked(HEXES, closed=[h for h in BOARD.around(peak) if h not in (BOARD["3010"], beyond)])
    for kind, passes in ((FOOT, False), (MOUNTAINEER, True)):
        reach = network(frozenset([kind]), False, NONE, NONE).flood([BOARD["3010"]], 40, node_mask(bytearray(mask)))
        through = {NODE_HEX[n] for n in reach}
        assert peak in through
        assert (HALT[peak] in reach) != passes
        path = reach.path(beyond) if beyond in reach else []
        assert (peak in [NODE_HEX[n] for n in path]) == passes


def test_units_that_move_together_pay_for_the_slowest() -> None:
    """One way for the whole stack, with all that any of them may not do (7.1.2)."""
    both = network(frozenset([FOOT, HEAVY]), False, NONE, NONE)
    wadi = BOARD["0103"], BOARD.direction(BOARD["0103"], BOARD["0203"])
    assert both.costs[wadi] == NEVER
    peak = BOARD["3010"], BOARD.direction(BOARD["3010"], BOARD["3009"])
    assert both.costs[peak] == NEVER
    assert network(frozenset([FOOT, MOTOR]), False, NONE, NONE).costs[peak] == HALVES * 4


def test_an_enemy_strongpoint_costs_two_more() -> None:
    """In addition to the ground (14.1.2)."""
    step = BOARD["5034"], BOARD.direction(BOARD["5034"], BOARD["5133"])
    assert network(frozenset([MOTOR]), False, frozenset([BOARD["5133"]]), NONE).costs[step] == HALVES * 3


def test_the_zone_of_interdiction_is_the_mission_hex_and_roads_within_two() -> None:
    """Also roads that do not lead to it (11.2.5)."""
    g = game({"1417": ["Fw190 [interdicting]"], "5034": ["Ju87 a"]})
    zone = zone_of_interdiction(g, AXIS)
    assert BOARD["1417"] in zone
    assert BOARD["1316"] in zone
    assert all(BOARD.distance(BOARD["1417"], hex) <= 2 for hex in zone)
    assert BOARD["5034"] not in zone


@pytest.mark.parametrize(
    ("kind", "a", "b", "points"),
    [
        (MOTOR, "1316", "1417", 2),  # a road into hills: the hills
        (HEAVY, "2714", "2713", 4),  # armour on a mountain trail pays the mountain
        (MOTOR, "2123", "2122", 1),  # no effect in woods
        (HEAVY, "0610", "0609", 1),  # the bridge still serves
    ],
)
def test_interdiction_takes_the_road_away(kind: int, a: str, b: str, points: int) -> None:
    """The other ground's cost, except in woods; bridges are not affected (11.2.6, 11.2.7)."""
    assert interdicted_cost(kind, False, BOARD[a], BOARD.direction(BOARD[a], BOARD[b])) == HALVES * points
    there = frozenset([BOARD[b]])
    step = BOARD[a], BOARD.direction(BOARD[a], BOARD[b])
    assert network(frozenset([kind]), False, NONE, there).costs[step] == HALVES * points


def test_a_unit_comes_on_at_the_road_rate_where_a_road_leaves_the_map() -> None:
    """Otherwise for the ground of the first hex (5.2.4, 8.3.3)."""
    assert entry_cost(MOTOR, False, BOARD["2533"]) == 1
    assert entry_cost(MOTOR, False, BOARD["1933"]) == HALVES
    assert entry_cost(TIGER, True, BOARD["6034"]) == NEVER


def test_the_first_scenario_has_its_own_area() -> None:
    """East of column 40 and south of row 17; the others have the whole map (18.1.2, 18.2.2, 18.3.2)."""
    names = {BOARD.name(hex) for hex in set(range(HEXES)) - SETTINGS["faid"].outside}
    assert len(names) == 445
    assert "4118" in names
    assert not {"4018", "4117"} & names
    assert not SETTINGS["campaign"].outside | SETTINGS["decide"].outside
