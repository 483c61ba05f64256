from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import CLOSED, FAR, NEVER, OPEN, STOP, Network, masked
from tests.toy.skirmish import BOARD, NET

Edges = dict[int, dict[int, int]]


class Case(NamedTuple):
    targets: list[list[int]]
    costs: list[list[int]]
    sources: list[int]
    limit: int
    mask: list[int]


@st.composite
def cases(draw: st.DrawFn, cheapest: int = 1) -> Case:
    size = draw(st.integers(1, 12))
    width = draw(st.integers(1, 4))
    cost = st.one_of(st.integers(cheapest, 6), st.sampled_from([cheapest, 100, 254, NEVER]))
    return Case(
        draw(_table(size, width, st.integers(NOWHERE, size - 1))),
        draw(_table(size, width, cost)),
        draw(st.lists(st.integers(0, size - 1), max_size=3)),
        draw(st.one_of(st.integers(0, 20), st.just(FAR - NEVER))),
        draw(st.lists(st.sampled_from([OPEN, OPEN, STOP, CLOSED]), min_size=size, max_size=size)),
    )


def _table(rows: int, width: int, cells: st.SearchStrategy[int]) -> st.SearchStrategy[list[list[int]]]:
    return st.lists(st.lists(cells, min_size=width, max_size=width), min_size=rows, max_size=rows)


def edges(net: Network) -> Edges:
    """The cheapest usable edge from each node to each other."""
    found: Edges = {node: {} for node in range(net.size)}
    for node, (targets, costs) in enumerate(zip(net.targets.tolist(), net.costs.tolist(), strict=True)):
        for target, cost in zip(targets, costs, strict=True):
            if target != NOWHERE and cost != NEVER:
                found[node][target] = min(cost, found[node].get(target, NEVER))
    return found


def dijkstra(edges: Edges, sources: list[int], limit: int, mask: list[int]) -> dict[int, int]:
    """The plain way: a heap, and no tricks."""
    best: dict[int, int] = {}
    heap = [(0, source) for source in sources]
    while heap:
        cost, node = heapq.heappop(heap)
        if node in best:
            continue
        best[node] = cost
        if mask[node] == STOP and node not in sources:
            continue
        for target, step in edges[node].items():
            if cost + step <= limit and mask[target] != CLOSED:
                heapq.heappush(heap, (cost + step, target))
    return best


@given(cases())
def test_a_flood_agrees_with_dijkstra(case: Case) -> None:
    net = Network(case.targets, case.costs)
    reach = net.flood(case.sources, case.limit, bytearray(case.mask))
    assert reach.costs() == dijkstra(edges(net), case.sources, case.limit, case.mask)


@given(cases(cheapest=0))
def test_a_flood_agrees_with_dijkstra_where_some_steps_are_free(case: Case) -> None:
    net = Network(case.targets, case.costs)
    reach = net.flood(case.sources, case.limit, bytearray(case.mask))
    assert reach.costs() == dijkstra(edges(net), case.sources, case.limit, case.mask)


@given(cases(cheapest=0))
def test_a_flood_runs_in_order_of_cost_and_names_each_node_once(case: Case) -> None:
    reach = Network(case.targets, case.costs).flood(case.sources, case.limit, bytearray(case.mask))
    order = list(reach)
    assert [reach.cost(node) for node in order] == sorted(reach.cost(node) for node in order)
    assert len(set(order)) == len(order) == len(reach)
    assert {node for node in range(len(case.mask)) if node in reach} == set(order)


@given(cases())
def test_every_path_starts_at_a_source_keeps_the_mask_and_costs_what_is_said(case: Case) -> None:
    net = Network(case.targets, case.costs)
    reach = net.flood(case.sources, case.limit, bytearray(case.mask))
    steps = edges(net)
    for node in reach:
        path = reach.path(node)
        assert path[0] in case.sources
        assert path[-1] == node
        assert sum(steps[a][b] for a, b in pairwise(path)) == reach.cost(node)
        assert all(case.mask[between] == OPEN for between in path[1:-1])
        assert len(path) == 1 or case.mask[node] != CLOSED


@given(cases(cheapest=0))
def test_a_network_reversed_has_every_edge_turned_round(case: Case) -> None:
    net = Network(case.targets, case.costs)
    turned = edges(net.reversed())
    assert {(a, b, cost) for a, row in edges(net).items() for b, cost in row.items()} == {
        (a, b, cost) for b, row in turned.items() for a, cost in row.items()
    }


@given(cases())
def test_a_flood_of_the_reversed_network_tells_the_cost_to_get_here(case: Case) -> None:
    net = Network(case.targets, case.costs)
    back = net.reversed().flood([0], case.limit).costs()
    for node in range(net.size):
        assert net.flood([node], case.limit).costs().get(0) == back.get(node)


@given(cases())
def test_a_second_flood_is_not_disturbed_by_the_first(case: Case) -> None:
    net, fresh = Network(case.targets, case.costs), Network(case.targets, case.costs)
    first = net.flood(range(net.size), case.limit)
    kept = first.costs()
    second = net.flood(case.sources, case.limit, bytearray(case.mask))
    assert second.costs() == fresh.flood(case.sources, case.limit, bytearray(case.mask)).costs()
    assert first.costs() == kept


@given(cases(cheapest=0))
def test_within_names_what_a_flood_reaches(case: Case) -> None:
    net = Network(case.targets, case.costs)
    assert net.within(0, case.limit) == list(net.flood([0], case.limit))


def test_a_closed_source_is_left_and_not_entered_again() -> None:
    net = Network([[1], [0]], [[1], [1]])
    assert net.flood([0], 9, masked(2, closed=[0])).costs() == {0: 0, 1: 1}
    assert net.flood([1], 9, masked(2, closed=[0])).costs() == {1: 0}


def test_a_source_that_stops_is_left_all_the_same() -> None:
    assert list(Network([[1], [NOWHERE]], [[1], [1]]).flood([0], 9, masked(2, stop=[0]))) == [0, 1]


def test_a_free_step_into_a_stopping_node_stops() -> None:
    net = Network([[1], [2], [NOWHERE]], [[0], [1], [0]])
    assert list(net.flood([0], 5, masked(3, stop=[1]))) == [0, 1]


@pytest.mark.parametrize("source", [NOWHERE, BOARD["lost"], 60_000, 10**9])
def test_a_source_that_is_no_node_is_refused(source: int) -> None:
    with pytest.raises(ValueError, match=f"{source}.*: expected sources among the {NET.size} nodes"):
        NET.flood([0, source], 3)
    with pytest.raises(ValueError, match=str(source)):
        NET.within(source, 3)


@pytest.mark.parametrize(("source", "kind"), [(BOARD["lost"], np.uint16), (NOWHERE, np.int64)])
def test_a_source_that_is_no_node_is_refused_by_the_kernel_itself(source: int, kind: type) -> None:
    with pytest.raises(ValueError, match=f"{source}.*: expected sources among the {NET.size} nodes"):
        NET.spread(np.array([0, source], dtype=kind), 3)


@given(cases())
def test_floods_made_in_one_call_reach_what_each_reaches_by_itself(case: Case) -> None:
    net, mask = Network(case.targets, case.costs), bytearray(case.mask)
    limits = [case.limit // number for number in range(1, len(case.sources) + 1)]
    rows = net.spread_each(case.sources, limits, mask).tolist()
    alone = [net.spread(net.alone(source), limit, mask) for source, limit in zip(case.sources, limits, strict=True)]
    assert rows == [distance.tolist() for distance, _, _ in alone]


@pytest.mark.parametrize(("limits", "mask"), [([3], None), ([3, -1], None), ([3, FAR], None), ([3, 3], bytearray(2))])
def test_floods_in_one_call_want_a_limit_for_each_and_a_whole_mask(limits: list[int], mask: bytearray | None) -> None:
    with pytest.raises(ValueError, match="expected"):
        NET.spread_each([0, 1], limits, mask)


def test_no_source_reaches_nothing() -> None:
    reach = Network([[1], [0]], [[1], [1]]).flood([])
    assert (list(reach), reach.costs(), 0 in reach) == ([], {}, False)


def test_a_limit_of_nothing_reaches_the_source_alone() -> None:
    assert list(Network([[1], [0]], [[1], [1]]).flood([0], 0)) == [0]


def test_costs_add_up_beyond_the_ring_of_buckets() -> None:
    net = Network([[1], [2], [3], [NOWHERE]], [[254], [254], [254], [1]])
    assert net.flood([0]).costs() == {0: 0, 1: 254, 2: 508, 3: 762}


def test_nothing_enters_the_sea_of_the_toy_board() -> None:
    reached = set(NET.flood([BOARD["0401"]]))
    assert reached == {hex for hex in BOARD if BOARD.enterable(hex)}


def test_a_network_of_a_board_asks_for_the_cost_of_each_side_once() -> None:
    asked: list[tuple[int, int, int]] = []

    def cost(here: int, direction: int, there: int) -> int:
        asked.append((here, direction, there))
        return 1

    net = Network.of(BOARD, cost)
    expected = [(h, d, n) for h in BOARD for d, n in enumerate(BOARD.neighbours[h]) if n != NOWHERE]
    assert asked == expected
    assert net.flood([0]).costs() == {hex: BOARD.distance(0, hex) for hex in BOARD}


@pytest.mark.parametrize("node", [2, -1, 99])
def test_a_node_that_was_not_reached_has_no_cost_and_no_path(node: int) -> None:
    reach = Network([[1], [0], [0]], [[1], [1], [1]]).flood([0])
    assert node not in reach
    with pytest.raises(ValueError, match=f"{node}: not reached"):
        reach.cost(node)
    with pytest.raises(ValueError, match=f"{node}: not reached"):
        reach.path(node)


@pytest.mark.parametrize("limit", [-1, FAR])
def test_a_limit_out_of_range_is_refused_with_the_range(limit: int) -> None:
    with pytest.raises(ValueError, match=f"{limit}: expected a limit from 0 to {FAR - NEVER}"):
        NET.flood([0], limit)


def test_a_mask_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match=f"3 bytes: expected a mask of {NET.size}"):
        NET.flood([0], 1, bytearray(3))


def test_an_edge_to_a_node_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="not among the 2"):
        Network([[1], [2]], [[1], [1]])


def test_an_edge_below_nowhere_is_named() -> None:
    with pytest.raises(ValueError, match="-5: an edge leads"):
        Network([[-5], [0]], [[1], [1]])


@pytest.mark.parametrize("cost", [256, -1, 1.5])
@pytest.mark.parametrize("kind", [list, np.array])
def test_a_cost_that_does_not_fit_is_refused_by_its_value(
    cost: float, kind: Callable[[object], list[list[int]]]
) -> None:
    with pytest.raises(ValueError, match=f"{cost}: expected whole costs from 0 to 254"):
        Network([[1], [0]], kind([[cost], [1]]))


def test_the_costs_given_are_not_written_to() -> None:
    costs = np.array([[1], [1]], dtype=np.uint8)
    Network([[NOWHERE], [0]], costs)
    assert costs.tolist() == [[1], [1]]


def test_the_repr_of_a_network_counts_its_nodes_and_edges() -> None:
    assert repr(Network([[1], [NOWHERE]], [[1], [1]])) == "<Network of 2 nodes, 1 edges>"


def test_tables_of_different_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="two equal tables"):
        Network([[1], [0]], [[1, 1], [1, 1]])


def test_a_numpy_mask_serves_like_a_bytearray() -> None:
    mask = np.zeros(BOARD.size, dtype=np.uint8)
    mask[BOARD["0404"]] = STOP
    start = [BOARD["0401"]]
    assert NET.flood(start, 9, mask).costs() == NET.flood(start, 9, bytearray(mask.tobytes())).costs()
    assert NET.flood(start, 9, mask).costs() != NET.flood(start, 9).costs()
