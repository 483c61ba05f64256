"""Retreats on the toy board: paths, bars, ends, harm, and the reason why a hex is not among the ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from khamsin.kernel.flood import CLOSED, NEVER, STOP, Network
from khamsin.kernel.rules import Refusal
from khamsin.mechanics import retreat
from khamsin.mechanics.retreat import Plan
from khamsin.mechanics.ways import Bar, End, Ground, Layout, Way
from tests.mechanics.field import UNIT, drive, game, names
from tests.toy.skirmish import BOARD, RED

START = BOARD["0404"]
LAYOUT = Layout(range(BOARD.size))
GROUND = Ground(Network.of(BOARD, lambda hex, direction, near: 1), LAYOUT, BOARD.name)


def refusal(rule: str, hex: int) -> Refusal:
    return Refusal(rule, rule, BOARD.name(hex))


def bar(rule: str, *hexes: str, effect: int = CLOSED) -> Bar:
    """Hexes that no step enters, or after which none follows."""
    return Bar(effect, LAYOUT.mask([BOARD[hex] for hex in hexes]), rule, "{hex} is shut")


def end(rule: str, *hexes: str) -> End:
    shut = {BOARD[hex] for hex in hexes}
    return End(lambda hex: refusal(rule, hex) if hex in shut else None, lambda: shut)


def plan(
    least: int = 2, most: int = 2, bars: Sequence[Bar] = (), ends: Sequence[End] = (), ground: Ground = GROUND
) -> Plan:
    return Plan(
        Way(ground, (START,), tuple(bars)), "R1", least, most, tuple(ends), BOARD.around,
        why_too_far=lambda hex: refusal("far", hex), why_no_crossing=lambda here, there: refusal("ground", there),
        harm=lambda hex: 0, why_worse=lambda hex: refusal("worse", hex),
    )  # fmt: skip


def reasons(found: Plan, hex: str) -> tuple[str, str] | None:
    why = retreat.why_not(None, found, BOARD[hex])
    return why and (why.rule, why.cause)


def hexes(found: Plan) -> set[str]:
    return {BOARD.name(hex) for hex in retreat.ends(found)}


def test_paths_are_simple_and_have_the_length_of_the_retreat() -> None:
    paths = list(retreat.paths(plan(1, 2)))
    assert [len(path) for path in paths] == sorted(len(path) for path in paths)
    assert {len(path) for path in paths} == {1, 2}
    assert all(len({START, *path}) == len(path) + 1 for path in paths)
    assert all(b in BOARD.around(a) for path in paths for a, b in zip((START, *path), path, strict=False))


def test_a_bar_shuts_a_hex_and_what_is_behind_it_and_is_the_reason() -> None:
    around = [BOARD.name(hex) for hex in BOARD.around(START)]
    shut = plan(bars=[bar("zone", *around[:-1])])
    gap = around[-1]
    assert hexes(shut) <= {BOARD.name(hex) for hex in BOARD.around(BOARD[gap])}
    far = next(hex for hex in ("0406", "0604", "0402") if BOARD[hex] not in BOARD.around(BOARD[gap]))
    assert reasons(shut, far) is not None
    assert reasons(shut, far)[0] == "zone"  # type: ignore[index]


def test_the_first_bar_with_which_a_hex_is_out_of_reach_is_the_reason() -> None:
    near = [BOARD.name(hex) for hex in BOARD.around(START)]
    both = plan(bars=[bar("ground", *near[:3]), bar("zone", *near[3:])])
    assert hexes(both) == set()
    behind = next(hex for hex in retreat.ends(plan()) if all(BOARD.name(step) in near[3:] for step in _steps_to(hex)))
    assert reasons(both, BOARD.name(behind))[0] == "zone"  # type: ignore[index]


def _steps_to(hex: int) -> set[int]:
    return {path[0] for path in retreat.paths(plan()) if path[-1] == hex}


def test_a_refusal_names_stack_goal_and_the_hex_that_is_shut() -> None:
    around = [BOARD.name(hex) for hex in BOARD.around(START)]
    why = retreat.why_not(None, plan(bars=[bar("zone", *around)]), BOARD["0406"])
    assert why == Refusal("R1 cannot retreat to 0406: 0405 is shut", "zone", "0405")


def test_ground_that_does_not_lead_on_is_the_reason_before_every_bar() -> None:
    """Nothing leads into the hexes next to the start but from one side."""
    into = BOARD["0406"]
    net = Network.of(BOARD, lambda hex, direction, near: NEVER if near == into else 1)
    shut = plan(ground=Ground(net, LAYOUT, BOARD.name), bars=[bar("zone", "0405")])
    assert reasons(shut, "0406") == ("ground", "0406")


def test_after_a_stop_no_step_follows() -> None:
    near = [BOARD.name(hex) for hex in BOARD.around(START)]
    halted = plan(1, 2, bars=[bar("mountain", *near, effect=STOP)])
    assert hexes(halted) == set(near)
    assert reasons(halted, "0406")[0] == "mountain"  # type: ignore[index]


def test_an_end_may_be_passed_but_not_ended_in() -> None:
    full = plan(1, 2, ends=[end("full", "0405")])
    assert "0405" not in hexes(full)
    assert "0406" in hexes(full)
    assert reasons(full, "0405") == ("full", "0405")


def test_a_hex_beyond_the_length_is_too_far_and_one_that_goes_on_is_not() -> None:
    assert reasons(plan(), "0407") == ("far", "0407")
    longer = replace(plan(), goes_on=lambda hex: hex == BOARD["0406"])
    assert "0407" in hexes(longer)


def test_only_the_ends_with_least_harm_are_legal() -> None:
    west = replace(plan(), harm=lambda hex: BOARD.distance(hex, BOARD["0401"]))
    assert hexes(west) == {"0402"}
    assert reasons(west, "0406") == ("worse", "0406")
    assert reasons(west, "0402") is None


def test_an_end_counts_by_its_best_path() -> None:
    near = plan(1, 2)
    around = {BOARD["0404"], BOARD["0405"]}
    harm = replace(near, path_harm=lambda path: len([hex for hex in path if hex not in around]))
    free = [path for path in retreat.paths(near) if set(path) <= around]
    assert retreat.ends(harm) == {path[-1]: path for path in reversed(free)}
    bad = replace(near, path_harm=lambda path: -len(path))
    assert {len(path) for path in retreat.ends(bad).values()} == {2}
    assert {len(path) for path in retreat.ends(near).values()} == {1, 2}


def test_a_stack_is_stuck_where_no_retreat_may_end() -> None:
    everywhere = [BOARD.name(path[-1]) for path in retreat.paths(plan())]
    assert not retreat.is_stuck(plan(ends=[end("full", *everywhere[1:])]))
    assert retreat.is_stuck(plan(ends=[end("full", *everywhere)]))
    assert retreat.is_stuck(plan(bars=[bar("shut", *(BOARD.name(hex) for hex in BOARD.around(START)))]))


def test_the_owner_takes_a_stack_or_a_unit_and_what_is_forced_is_not_asked() -> None:
    g = game({"0404": ["R1", "R2"]})
    r1, r2 = UNIT["R1"], UNIT["R2"]
    ends = {BOARD["0405"]: (BOARD["0405"],), BOARD["0403"]: (BOARD["0403"],)}

    def choose(*clicks: str) -> object:
        stack = {r1: START, r2: START}
        return drive(g, retreat.choose(g, RED, stack, lambda units: ends, "5", lambda g, d, c: None), *clicks)

    assert names(choose()) == {"R1", "R2", "0403", "0405"}  # type: ignore[arg-type]
    assert choose("0403") == ([r1, r2], BOARD["0403"])
    assert choose("R2", "0405") == ([r2], BOARD["0405"])
    one = {BOARD["0405"]: (BOARD["0405"],)}
    forced = retreat.choose(g, RED, {r1: START, r2: START}, lambda units: one, "5", lambda g, d, c: None)
    assert drive(g, forced) == ([r1, r2], BOARD["0405"])
