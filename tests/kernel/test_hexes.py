from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from khamsin.kernel import Axial, Board, Scheme, UnknownHex
from khamsin.kernel.hexes import DIRECTIONS
from khamsin.kernel.registration import schemes as stated

SCHEMES = stated()
AFRIKA, KASSERINE, PAA, TUNISIA = (SCHEMES[game] for game in ("afrika", "kasserine", "paa", "tunisia"))

every_scheme = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=lambda scheme: scheme.name)
axials = st.builds(Axial, st.integers(-60, 60), st.integers(-60, 60))
schemes = st.sampled_from(list(SCHEMES.values()))


@every_scheme
def test_every_printed_number_of_the_board_comes_back(scheme: Scheme) -> None:
    board = Board.load(scheme.name)
    printed = [board.name(hex) for hex in board]
    assert printed
    assert [scheme.format(scheme.parse(name)) for name in printed] == printed


@every_scheme
def test_no_two_printed_numbers_of_the_board_share_a_place(scheme: Scheme) -> None:
    board = Board.load(scheme.name)
    assert len({scheme.parse(board.name(hex)) for hex in board}) == board.size


@given(schemes, st.integers(1, 60), st.integers(1, 33), st.sampled_from("AB"))
def test_a_number_made_of_lane_and_step_comes_back(scheme: Scheme, lane: int, step: int, letter: str) -> None:
    name = scheme.shape.format(map=letter, lane=lane, step=step)
    assert scheme.format(scheme.parse(name)) == name


@given(axials, axials, axials)
def test_distance_is_a_metric(a: Axial, b: Axial, c: Axial) -> None:
    assert (a.distance(b) == 0) == (a == b)
    assert a.distance(b) == b.distance(a)
    assert a.distance(c) <= a.distance(b) + b.distance(c)


def test_distance_counts_breadth_first_steps() -> None:
    start = Axial(3, -2)
    steps, queue = {start: 0}, deque([start])
    while queue:
        here = queue.popleft()
        if steps[here] == 7:
            continue
        for dq, dr in DIRECTIONS:
            there = Axial(here.q + dq, here.r + dr)
            if there not in steps:
                steps[there] = steps[here] + 1
                queue.append(there)
    assert len(steps) == 1 + 3 * 7 * 8
    assert all(start.distance(hex) == count for hex, count in steps.items())


@every_scheme
def test_the_neighbours_of_a_hex_are_the_six_numbers_one_step_away(scheme: Scheme) -> None:
    around = scheme.neighbours(scheme.example)
    assert len(set(around)) == 6
    assert all(scheme.distance(scheme.example, other) == 1 for other in around)


@every_scheme
def test_each_neighbour_has_the_hex_for_neighbour_in_the_opposite_direction(scheme: Scheme) -> None:
    for direction, other in enumerate(scheme.neighbours(scheme.example)):
        assert scheme.neighbours(other)[(direction + 3) % 6] == scheme.example


@given(schemes, axials, st.integers(0, 5))
def test_neighbouring_centres_are_one_apart(scheme: Scheme, hex: Axial, direction: int) -> None:
    dq, dr = DIRECTIONS[direction]
    (x0, y0), (x1, y1) = scheme.centre(hex), scheme.centre(Axial(hex.q + dq, hex.r + dr))
    assert (x1 - x0) ** 2 + (y1 - y0) ** 2 == pytest.approx(1)


@given(schemes, st.integers(0, 5))
def test_two_corners_bound_the_side_towards_their_direction(scheme: Scheme, direction: int) -> None:
    (x0, y0), (x1, y1) = scheme.centre(Axial(0, 0)), scheme.centre(Axial(*DIRECTIONS[direction]))
    corners = scheme.corners()
    (ax, ay), (bx, by) = corners[direction], corners[(direction + 1) % 6]
    assert ((ax + bx) / 2, (ay + by) / 2) == pytest.approx(((x1 - x0) / 2, (y1 - y0) / 2))
    assert (ax - bx) ** 2 + (ay - by) ** 2 == pytest.approx(1 / 3)


def test_the_two_maps_of_afrika_join_at_lane_sixty() -> None:
    assert "B1.12" in AFRIKA.neighbours("A60.12")


def test_the_two_maps_of_tunisia_join_at_step_one() -> None:
    assert "B10.34" in TUNISIA.neighbours("A10.01")


def test_kasserine_counts_its_steps_southward() -> None:
    north, south = KASSERINE.centre(KASSERINE.parse("2808")), KASSERINE.centre(KASSERINE.parse("2809"))
    assert north[1] - south[1] == pytest.approx(1)


@pytest.mark.parametrize(
    "text", ["", "192", "19255", "19x5", "A19.25", " 1925", "1925\n", "١٩٢٥", None, 1925, ["1925"]]
)
def test_a_text_that_is_no_number_is_refused_with_the_text_and_an_example(text: object) -> None:
    with pytest.raises(UnknownHex) as refused:
        PAA.parse(text)  # type: ignore[arg-type]
    assert refused.value.text == text
    assert "'1925'" in str(refused.value)


def test_the_repr_of_a_scheme_can_be_pasted_back() -> None:
    assert eval(repr(TUNISIA), {"Scheme": Scheme}) == TUNISIA
