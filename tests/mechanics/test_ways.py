"""Ways with bars on small boards: each effect, the order of reasons, holds, limits and ends."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import CLOSED, FAR, NEVER, STOP, Network
from khamsin.kernel.rules import Refusal
from khamsin.mechanics import ways
from khamsin.mechanics.destinations import Destinations, Route
from khamsin.mechanics.ways import APART, TOLL, Bar, End, Ground, Hold, Layout, Limit, Way

#  0 - 1 - 2 - 3      the straight road costs 1 per step
#   \_ 4 _ 5 _/       the detour costs 2 per step
EDGES = {(0, 1): 1, (1, 2): 1, (2, 3): 1, (0, 4): 2, (4, 5): 2, (5, 3): 2}
NAMES = "abcdef"
LIMIT = Limit(10, "5.1", "it costs {cost} MP, {left} left")


def ground(layout: Layout | None = None) -> Ground:
    steps: list[list[tuple[int, int]]] = [[] for _ in range(6)]
    for (one, other), cost in EDGES.items():
        steps[one].append((other, cost))
        steps[other].append((one, cost))
    rows = [row + [(NOWHERE, NEVER)] * (3 - len(row)) for row in steps]
    net = Network([[to for to, _ in row] for row in rows], [[cost for _, cost in row] for row in rows])
    return Ground(net, layout or Layout(range(6)), NAMES.__getitem__)


GROUND = ground()


def nodes(*marked: int) -> NDArray[np.uint8]:
    return GROUND.layout.mask(marked)


def bar(effect: int, *marked: int, rule: str = "5.3", toll: int = 0, into: tuple[int, ...] | None = None) -> Bar:
    there = None if into is None else nodes(*into)
    return Bar(effect, nodes(*marked), rule, "{hex} hinders", lambda g, hex: [f"unit in {NAMES[hex]}"], there, toll)


def costs(*hindrances: ways.Hindrance, start: int = 0) -> dict[int, int]:
    return ways.reach(Way(GROUND, (start,), hindrances)).within()


def reason(location: int, *hindrances: ways.Hindrance, start: int = 0) -> Refusal | None:
    return ways.why_not(None, Way(GROUND, (start,), hindrances), location, "R1")


def test_a_held_stack_reaches_what_a_flood_without_points_reaches() -> None:
    """It is not flooded, but answers as if it were."""
    held = ways.reach(Way(GROUND, (1,), (LIMIT, Hold("5.2", "it is held", "R1"), bar(STOP, 2))))
    distance, came, order = GROUND.net.spread(GROUND.net.alone(1), 0)
    assert (held.within(), held.steps(), held.path(1), held.starts) == ({1: 0}, {}, [], [1])
    assert [location in held for location in range(6)] == [False, True, False, False, False, False]
    assert held.order.tolist() == order.tolist()
    assert (held.distance.tolist(), held.came[1]) == (distance.tolist(), came[1])
    assert reason(2, Hold("5.2", "it is held", "R1"), start=1) == Refusal(
        "R1 cannot move to c: it is held", "5.2", "R1"
    )


def test_a_closed_node_is_not_entered() -> None:
    assert costs(bar(CLOSED, 1)) == {0: 0, 4: 2, 5: 4, 3: 6, 2: 7}


def test_a_stop_is_entered_but_not_left() -> None:
    assert costs(bar(STOP, 1))[1] == 1
    assert costs(bar(STOP, 1))[2] == 7


def test_a_start_may_be_left_though_it_stops() -> None:
    assert costs(bar(STOP, 1), start=1)[2] == 1


def test_no_step_leads_between_nodes_kept_apart_not_even_from_the_start() -> None:
    assert costs(bar(APART, 1, 2), start=1)[2] == 8
    assert costs(bar(APART, 1, into=(2,)), start=2)[1] == 1


def test_closed_wins_over_stop() -> None:
    assert 1 not in costs(bar(STOP, 1), bar(CLOSED, 1))


def test_a_toll_makes_leaving_or_entering_dearer() -> None:
    assert costs(bar(TOLL, 0, toll=3))[1] == 4
    assert costs(bar(TOLL, into=(1,), toll=3))[1] == 4
    assert costs(bar(TOLL, 1, toll=9))[2] == 7


def test_tolls_add_up() -> None:
    assert costs(bar(TOLL, 0, toll=1), bar(TOLL, into=(1,), toll=2))[1] == 4


def test_a_limit_ends_the_reach() -> None:
    assert costs(Limit(2, "5.1", "")) == {0: 0, 1: 1, 2: 2, 4: 2}


def test_a_hold_keeps_the_stack() -> None:
    hold = Hold("5.9", "T1 would lose supply", "T1")
    assert costs(hold) == {0: 0}
    assert reason(1, hold) == Refusal("R1 cannot move to b: T1 would lose supply", "5.9", "T1")


def test_the_limit_names_cost_and_points_left() -> None:
    short = Limit(2, "5.1", "it costs {cost} MP, {left} left")
    assert reason(3, short) == Refusal("R1 cannot move to d: it costs 3 MP, 2 left", "5.1", "d")


def test_the_first_bar_without_which_the_goal_is_reached_is_the_reason() -> None:
    first, second = bar(CLOSED, 1, rule="5.3"), bar(CLOSED, 4, rule="5.4")
    assert reason(3, LIMIT, first, second) == Refusal("R1 cannot move to d: e hinders", "5.4", "unit in e")
    assert reason(3, LIMIT, second, first) == Refusal("R1 cannot move to d: b hinders", "5.3", "unit in b")


def test_a_reason_is_placed_on_the_best_path() -> None:
    refusal = reason(3, Limit(3, "5.1", ""), bar(STOP, 2))
    assert refusal is not None
    assert refusal.cause == "unit in c"


def test_a_toll_can_be_the_reason() -> None:
    refusal = reason(2, Limit(2, "5.1", ""), bar(TOLL, into=(1,), toll=5, rule="5.6"))
    assert refusal is not None
    assert refusal.rule == "5.6"


def test_a_bar_without_a_cause_names_its_hex() -> None:
    dry = Bar(CLOSED, nodes(1, 4), "6.4", "it would be out of supply {where}")
    assert reason(1, dry) == Refusal("R1 cannot move to b: it would be out of supply there", "6.4", "b")
    assert reason(2, dry) == Refusal("R1 cannot move to c: it would be out of supply in b", "6.4", "b")


def test_where_no_path_leads_the_ground_answers() -> None:
    island = Network([[NOWHERE], [NOWHERE]], [[NEVER], [NEVER]])
    lonely = Ground(island, Layout(range(2)), NAMES.__getitem__, lambda g, way, there: ("it is an island", "2.1"))
    assert ways.why_not(None, Way(lonely, (0,)), 1, "R1") == Refusal("R1 cannot move to b: it is an island", "2.1", "b")


def test_what_is_reached_has_no_refusal_unless_an_end_refuses() -> None:
    full = End(lambda hex: Refusal("c is full", "4", "c") if hex == 2 else None, lambda: [2])
    way = Way(GROUND, (0,), (LIMIT,))
    assert ways.why_not(None, way, 3, "R1", [full]) is None
    assert ways.why_not(None, way, 2, "R1", [full]) == Refusal("c is full", "4", "c")


def test_several_starts_cost_what_the_dearest_pays() -> None:
    both = ways.reach(Way(GROUND, (0, 2), (LIMIT,)))
    assert both.cost(3) == 3
    assert both.cost(1) == 1


def test_first_steps_agree_with_the_flood() -> None:
    hindrances = (Limit(4, "5.1", ""), bar(CLOSED, 4), bar(APART, 0, into=(1,)), bar(TOLL, into=(2,), toll=1))
    for start in range(6):
        way = Way(GROUND, (start,), hindrances)
        near = dict(ways.first_steps(way))
        assert all(ways.reach(way).cost(there) <= cost for there, cost in near.items())
        assert {h for h in near if NAMES[h]} == {
            there for there, cost in GROUND.net.steps[start]
            if there != 4 and not (start == 0 and there == 1) and cost + (there == 2) <= 4
        }  # fmt: skip


def test_a_location_with_several_nodes_counts_by_the_cheapest_or_the_first() -> None:
    cheap, first = (ground(Layout([0, 1, 2, 3, 4, 3], first_counts)) for first_counts in (False, True))
    shut = (bar(CLOSED, 2),)
    assert ways.reach(Way(cheap, (0,), shut)).cost(3) == 4
    assert ways.reach(Way(first, (0,), shut)).cost(3) == 6
    assert ways.reach(Way(first, (0,), (*shut, Limit(5, "5.1", "")))).cost(3) == 4


def test_paths_and_steps_agree() -> None:
    found = ways.reach(Way(GROUND, (0,), (LIMIT, bar(STOP, 1))))
    steps = found.steps()
    for location in steps:
        back, path = location, []
        while back in steps:
            path.append(back)
            back = steps[back].before
        assert path[::-1] == found.path(location)
        assert steps[location].cost + steps[location].left == 10


def test_destinations_are_a_mapping_from_clicks_to_costs() -> None:
    full = End(lambda hex: Refusal("", "4") if hex == 2 else None, lambda: [2])
    open_ = Destinations(100, ways.reach(Way(GROUND, (0,), (LIMIT,))), [full], {7: "more"})
    assert dict(open_) == {7: "more", 101: 1, 103: 3, 104: 2, 105: 4}
    assert len(open_) == 5
    assert [open_.nth(number) for number in range(5)] == list(open_)
    assert 102 not in open_
    assert 100 not in open_


def test_a_random_destination_is_any_legal_click() -> None:
    full = End(lambda hex: Refusal("", "4") if hex == 2 else None, lambda: [2])
    chance = random.Random(1).random
    for more in ({7: "more"}, {}):
        open_ = Destinations(100, ways.reach(Way(GROUND, (0,), (LIMIT,))), [full], more)
        found = Counter(open_.pick(chance) for _ in range(1000))
        assert found.keys() == set(open_)
        assert max(found.values()) < 1.4 * min(found.values())


def test_clicks_beside_the_way_are_found_when_asked_for() -> None:
    asked: list[str] = []

    def find() -> dict[int, str]:
        asked.append("found")
        return {8: "beside", 102: "dear"}

    full = End(lambda hex: Refusal("", "4") if hex == 2 else None, lambda: [2])
    open_ = Destinations(100, ways.reach(Way(GROUND, (0,), (LIMIT,))), [full], {7: "more"})
    open_.maybe([8, 9, 101, 102], find)
    open_.maybe_button(11, lambda: False)
    assert 7 in open_
    assert 101 in open_
    assert 104 in open_
    assert not asked
    assert 102 in open_
    assert 9 not in open_
    assert 11 not in open_
    drawn = Counter(open_.pick(random.Random(seed).random) for seed in range(1000))
    assert dict(open_) == {7: "more", 8: "beside", 102: "dear", 101: 1, 103: 3, 104: 2, 105: 4}
    assert drawn.keys() == set(open_)
    assert drawn == Counter(open_.pick(random.Random(seed).random) for seed in range(1000))
    assert [open_.nth(number) for number in range(len(open_))] == list(open_)
    assert asked == ["found"]


def test_another_route_is_flooded_when_a_draw_falls_on_it() -> None:
    near = Way(GROUND, (0,), (Limit(1, "5.1", ""),))
    shut = bar(CLOSED, 5)
    far = Way(GROUND, (0,), (LIMIT, shut))
    assert set(Route(far).nodes.tolist()) > set(ways.reach(far).order.tolist())
    assert Route(far.but(Hold("5.2", "it is held", "R1"))).nodes.tolist() == [0]
    open_ = Destinations(100, ways.reach(near), (), {7: "more"}, besides=lambda: [Route(far, (), str)], most_besides=9)
    fresh = Way(GROUND, (0,), (LIMIT, bar(CLOSED, 4)))
    unasked = Destinations(100, ways.reach(near), (), {7: "more"}, besides=lambda: [Route(fresh)], most_besides=9)
    assert unasked.pick(lambda: 0.0) == 7
    assert fresh not in ways._REACHES
    chance = random.Random(1).random
    drawn = Counter(open_.pick(chance) for _ in range(1000))
    assert dict(open_) == {7: "more", 101: 1, 102: "2", 103: "3", 104: "2"}
    assert drawn.keys() == set(open_)
    assert max(drawn.values()) < 1.4 * min(drawn.values())


def test_at_most_eight_bars_keep_apart() -> None:
    with pytest.raises(ValueError, match="at most 8"):
        costs(*(bar(APART, 1) for _ in range(9)))


def test_a_toll_must_fit_a_step() -> None:
    with pytest.raises(ValueError, match="expected a toll"):
        bar(TOLL, 1, toll=255)


def test_what_is_not_reached_is_far() -> None:
    assert ways.reach(Way(GROUND, (0,), (bar(CLOSED, 1, 4),))).cost(3) == FAR
