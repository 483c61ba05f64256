"""The relay chain: segments, terminals, enemy ZOCs and the hexes that a friend opens. The line over ground and road."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from khamsin.kernel import NOWHERE
from khamsin.kernel.cache import same
from khamsin.kernel.flood import CLOSED, FAR, NEVER, OPEN, STOP, Network
from khamsin.kernel.pieces import UnitLocations
from khamsin.mechanics.supply import Chains, Lines, Nearest, RoadLine, RoadLines, Situation, route
from khamsin.mechanics.supply import supplied as supplied_by
from khamsin.mechanics.ways import Layout

SIZE = 10
ROW = Network(
    [[n + 1 if n + 1 < SIZE else NOWHERE, n - 1 if n else NOWHERE] for n in range(SIZE)],
    [[2 if n + 1 < SIZE else NEVER, 2 if n else NEVER] for n in range(SIZE)],
)
"""Ten hexes in a row, 2 points a step."""
LIMIT = 4


class Foe:
    """An enemy that closes some nodes."""

    def __init__(self, mask: dict[int, int]) -> None:
        self.line_mask = np.zeros(SIZE, dtype=np.uint8)
        for hex, effect in mask.items():
            self.line_mask[hex] = effect


def lines(
    relays: tuple[int, ...] = (),
    terminals: tuple[int, ...] = (0,),
    sources: tuple[int, ...] = (),
    mask: dict[int, int] | None = None,
    opened: tuple[int, ...] = (),
) -> Lines:
    chains = Chains(ROW, Layout(range(SIZE)), LIMIT, lambda *args: pytest.fail("no game here"))
    situation = Situation(
        frozenset(relays), frozenset(terminals), frozenset(sources), Foe(mask or {}), frozenset(opened)
    )
    return Lines(chains, situation)


def supplied(now: Lines) -> list[int]:
    return [hex for hex in range(SIZE) if now.reach(hex)]


def test_each_segment_of_a_chain_has_its_own_limit() -> None:
    """Relays at 2 and 4 reach back to the terminal by segments of two steps; one at 9 has no line."""
    now = lines(relays=(2, 4, 9))
    assert now.relays == {2, 4}
    assert supplied(now) == [0, 1, 2, 3, 4, 5, 6]


def test_a_terminal_feeds_units_only_through_a_relay_unless_it_is_a_source() -> None:
    assert supplied(lines()) == []
    assert supplied(lines(relays=(0,))) == [0, 1, 2]
    assert supplied(lines(sources=(0,))) == [0, 1, 2]


def test_a_source_that_is_no_terminal_feeds_only_units_in_it() -> None:
    assert supplied(lines(sources=(7,))) == [7]


def test_lines_are_traced_out_of_an_enemy_zone_but_not_through_it() -> None:
    now = lines(relays=(0,), mask={1: STOP})
    assert supplied(now) == [0, 1]
    assert supplied(lines(relays=(0,), mask={1: STOP}, opened=(1,))) == [0, 1, 2]


def test_enemies_close_hexes_to_lines() -> None:
    assert supplied(lines(relays=(0,), mask={1: CLOSED})) == [0]


def test_where_another_relay_would_join_and_whom_it_would_feed() -> None:
    now = lines(relays=(2,))
    assert [hex for hex in range(SIZE) if now.dead[hex] == OPEN] == [0, 1, 2, 3, 4]
    assert [hex for hex in range(SIZE) if now.feeding(5)[hex]] == [3, 4]


@pytest.mark.parametrize("mask", [{}, {3: STOP}, {5: CLOSED}, {2: STOP, 6: STOP}])
@pytest.mark.parametrize("relays", [(), (2,), (2, 6), (6, 8), (0, 4, 9)])
def test_lines_with_another_relay_are_those_of_a_situation_that_has_it(
    relays: tuple[int, ...], mask: dict[int, int]
) -> None:
    now = lines(relays, mask=mask)
    then = {hex: lines((*relays, hex), mask=mask) for hex in range(SIZE)}
    assert [now.with_relay(hex) for hex in then] == [then[hex].supplied for hex in then]
    useless = [hex for hex in then if not (then[hex].reach(4) and then[hex].reach(7))]
    assert now.useless_relays([4, 7], range(SIZE)) == useless


def test_the_range_from_some_hexes_has_a_limit_of_its_own() -> None:
    now = lines(relays=(2,))
    assert list(now.range_from(frozenset([2]), 2)) == [FAR, 2, 0, 2, *[FAR] * 6]
    assert now.range_from(frozenset([2]), 2, frozenset([2]))[2] == 0


def test_what_was_looked_up_makes_no_difference_when_caches_are_checked() -> None:
    """Bars and points are kept as they are asked for."""
    now = lines(relays=(2,))
    now.dry(frozenset([4]), "8", "no supply")
    assert same(now, Lines(now.chains, now.situation))
    near, again = (Nearest(ROW, np.arange(SIZE) == 0, LIMIT, np.zeros(SIZE, dtype=np.uint8)) for _ in range(2))
    assert near.points(1) == 2
    assert same(near, again)


def test_the_bar_of_dry_hexes_leaves_out_those_that_feed_always() -> None:
    now = lines(relays=(0,))
    bar = now.dry(frozenset([5]), "8", "no supply {where}")
    assert [hex for hex in range(SIZE) if not bar.nodes[hex]] == [0, 1, 2, 5]
    assert now.dry(frozenset([5]), "8", "no supply {where}") is bar
    assert now.unjoined("8", "no line").nodes[2] == 0


def test_lines_are_traced_again_only_when_their_situation_changes() -> None:
    """A unit that opens no ZOC moves without a new trace; a relay that moves needs one."""
    where = UnitLocations([1, 2, 9], sides=[0, 0, 1])
    g = SimpleNamespace(state=SimpleNamespace(where=where))
    enemy = Foe({})

    def situation(g: Any, side: int, without: Any, also_in: int) -> Situation:
        return Situation(frozenset([where[1]]), frozenset([0]), frozenset(), enemy, frozenset())

    chains = Chains(ROW, Layout(range(SIZE)), LIMIT, situation)
    before = chains.lines(g, 0)
    where[0] = 5
    assert chains.lines(g, 0) is before
    where[1] = 1
    assert chains.lines(g, 0) is not before
    assert chains.lines(g, 0).relays == {1}


# The line over ground and road

ALONG = Network(
    [[n + 1 if n + 1 < SIZE else NOWHERE, n - 1 if n else NOWHERE] for n in range(SIZE)],
    [[1 if n < 4 else NEVER, 1 if 0 < n <= 4 else NEVER] for n in range(SIZE)],
)
"""A road from 0 to 4."""
BY_ROAD = RoadLine(ALONG, ROW, Layout(range(SIZE)), LIMIT)


def mask(shut: dict[int, int] | None = None) -> bytes:
    return bytes([(shut or {}).get(hex, OPEN) for hex in range(SIZE)])


def fed(sources: set[int], shut: dict[int, int] | None = None, line: RoadLine = BY_ROAD) -> list[int]:
    field = supplied_by((line,), frozenset(sources), mask(shut))
    return [hex for hex in range(SIZE) if field[hex]]


def test_a_line_leads_overland_to_the_road_and_any_distance_along_it() -> None:
    assert fed({0}) == [0, 1, 2, 3, 4, 5, 6]
    assert BY_ROAD.overland_points(frozenset({0}), mask()).tolist() == [0, 0, 0, 0, 0, 2, 4, FAR, FAR, FAR]


def test_the_road_may_have_a_length_too() -> None:
    assert fed({0}, line=RoadLine(ALONG, ROW, Layout(range(SIZE)), LIMIT, road_length=1)) == [0, 1, 2, 3]


def test_what_is_closed_cuts_a_line_and_where_it_stops_one_only_begins() -> None:
    assert fed({0}, {2: CLOSED}) == [0, 1]
    assert fed({0}, {2: STOP}) == [0, 1, 2]
    assert fed({0}, {5: STOP}) == [0, 1, 2, 3, 4, 5]


def test_a_source_feeds_units_in_it_unless_it_is_closed() -> None:
    assert fed({0}, {0: STOP}) == [0]
    assert fed({0}, {0: CLOSED}) == []


def test_a_route_is_given_hex_by_hex() -> None:
    assert route((BY_ROAD,), frozenset({0}), mask(), 6) == [6, 5, 4, 3, 2, 1, 0]
    assert route((BY_ROAD,), frozenset({0}), mask(), 0) == [0]
    assert route((BY_ROAD,), frozenset({0}), mask({5: CLOSED}), 6) == []


def test_the_field_of_a_side_changes_with_what_its_key_names() -> None:
    seen: list[int] = []

    def obstacles(g: Any, side: int, opened: frozenset[int] | None) -> bytes:
        seen.append(side)
        return mask({hex: STOP for hex in g.zone if not opened or hex not in opened})

    lines = RoadLines(lambda g, kind: (BY_ROAD,), lambda g, side: frozenset({0}), obstacles, lambda g, side: g.weather)
    where = UnitLocations([0, 9], sides=[0, 1])
    g = SimpleNamespace(state=SimpleNamespace(where=where), zone={2}, weather=0)
    assert sum(lines.field(g, 0)) == sum(lines.field(g, 0)) == 3
    assert len(seen) == 1
    assert sum(lines.field(g, 0, None, frozenset({2}))) == 7
    g.weather, g.zone = 1, set()
    assert sum(lines.field(g, 0)) == 7
