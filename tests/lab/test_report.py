"""What came out: counts, intervals, decisive turns, curves, maps, differences; as data and as a page."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from khamsin.lab import Finished, GameResult, play
from khamsin.lab.intervals import mcnemar, paired_means, paired_shares, wilson
from khamsin.lab.page import changed, html
from khamsin.lab.play import packed, unpacked
from khamsin.lab.report import arm_summary, curve, decisive_turn, difference, summary
from tests.lab.conftest import TOY
from tests.toy.skirmish import BOARD, RULES, TURNS

WET = TOY.but(["option.weather=wet"])


@cache
def outcomes() -> list[GameResult]:
    return [play(TOY, number) for number in range(12)]


def outcome(number: int, winner: str, *lead: float, **more: Any) -> GameResult:
    return replace(GameResult(number, winner, lead=list(lead)), **more)


def test_every_game_is_counted_once_with_its_winner_and_level() -> None:
    found = arm_summary(RULES, outcomes())
    assert sum(row["count"] for row in found["results"].values()) == found["games"] == 12
    assert sum(row["count"] for row in found["levels"]) == 12
    for row in found["results"].values():
        assert row["low"] <= row["value"] <= row["high"]


def test_a_curve_has_the_start_and_the_end_of_every_turn() -> None:
    for one in outcomes():
        assert 1 <= one.turns <= TURNS
        assert len(one.lead) == one.turns + 1
        assert one.lead[0] == 0
        assert one.curves["Red units on the map"][0] == 6
    points = curve([(1, [0.0, 1.0]), (1, [0.0, 3.0, 5.0])])
    assert [(point["turn"], point["games"], point["mean"]) for point in points] == [(0, 2, 0), (1, 2, 2), (2, 1, 5)]


def test_units_that_left_the_map_are_those_that_are_not_on_it_any_more() -> None:
    for one in outcomes():
        for side in RULES.sides:
            units = one.curves[f"{side} units on the map"]
            assert units[0] - units[-1] == one.left[side].get("lost", 0)
        assert sum(one.fell.values()) == sum(sum(row.values()) for row in one.left.values())


def test_presence_counts_every_unit_on_the_map_at_the_end_of_every_turn() -> None:
    for one in outcomes():
        for side in RULES.sides:
            assert unpacked(one.presence[side]).sum() == sum(one.curves[f"{side} units on the map"][1:])


def test_ground_belongs_to_the_side_whose_units_are_nearer() -> None:
    west, east = BOARD["0401"], BOARD["0410"]
    ground = sum(unpacked(one.ground) for one in outcomes())
    assert ground[west] > 0 > ground[east]
    assert max(np.abs(unpacked(one.ground)).max() for one in outcomes()) <= TURNS


@pytest.mark.parametrize(
    ("winner", "lead", "turn"),
    [
        ("Red", (0, 1, -1, 2, 3), 3),
        ("Blue", (0, 1, -1, -2, -3), 2),
        ("Red", (1, 1, 1), 0),
        ("Red", (0, 1, 0), None),
        ("", (0, 1, 2), None),
    ],
)
def test_the_decisive_turn_is_the_one_since_which_the_winner_was_ahead(
    winner: str, lead: tuple[float, ...], turn: int | None
) -> None:
    assert decisive_turn(RULES)(outcome(0, winner, *lead)) == turn


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    chance = np.random.default_rng(1)
    hits = {"wilson": 0, "paired": 0}
    for _ in range(400):
        kinds = chance.choice(4, size=50, p=[0.3, 0.1, 0.2, 0.4])
        before, after = ((kinds == 0) | (kinds == 1)).tolist(), ((kinds == 0) | (kinds == 2)).tolist()
        share, change = wilson(sum(before), 50), paired_shares(before, after)
        hits["wilson"] += share.low <= 0.4 <= share.high
        hits["paired"] += change.low <= 0.1 <= change.high
    assert all(370 <= count <= 395 for count in hits.values()), hits


def test_pairing_makes_the_interval_of_a_difference_narrower() -> None:
    before = [n % 2 == 0 for n in range(100)]
    after = [True, True, *before[2:]]
    apart = [n % 4 in (0, 1) for n in range(100)]
    paired, unrelated = paired_shares(before, after), paired_shares(before, apart)
    assert paired.high - paired.low < 0.5 * (unrelated.high - unrelated.low)
    assert paired_means([0.0, 1.0], [0.0, 1.0]) == (0.0, 0.0, 0.0)
    assert mcnemar(before, after) == 1.0


def test_a_change_that_changes_nothing_differs_by_nothing() -> None:
    found = difference(RULES, outcomes(), outcomes())
    assert (found["pairs"], found["same"]) == (12, 12)
    assert all(row["value"] == 0 and row["low"] <= 0 <= row["high"] for row in found["results"].values())
    assert all(row["value"] == row["low"] == row["high"] == 0 for row in found["means"].values())


def test_only_games_that_both_have_finished_are_compared() -> None:
    before = [outcome(0, "Red", 0), outcome(1, "Red", 0), outcome(2, "Blue", 0)]
    after = [outcome(2, "Red", 0), outcome(1, "Red", 0), outcome(3, "Blue", 0)]
    found = difference(RULES, before, after)
    assert found["pairs"] == 2
    assert (found["results"]["Red"]["before"], found["results"]["Red"]["after"]) == (1, 2)
    assert found["means"]["score"]["value"] == 0.5


def test_a_failed_game_is_named_and_does_not_count() -> None:
    found = summary(RULES, [TOY], [Finished(0, outcomes()[0]), Finished(0, GameResult(1, error="a fault"))])
    (arm,) = found["studies"]
    assert (arm["games"], arm["failed"], arm["error"]) == (1, [1], "a fault")


def test_the_page_holds_everything_and_needs_nothing() -> None:
    finished = [Finished(arm, one) for arm in (0, 1) for one in outcomes()]
    page = html(RULES, summary(RULES, [TOY, WET], finished), 12)
    assert not re.search(r"<script|<link|@import|url\(|src=|https?:", page)
    drawings = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(drawings) > 12
    for drawing in drawings:
        ElementTree.fromstring(drawing)
    for words in ("Who wins", "Turn by turn", "Control:", "Presence of Blue", "--what-if option.weather=wet"):
        assert words in page


def test_the_page_of_a_run_that_was_stopped_at_once_can_be_drawn() -> None:
    assert "0 of 12 games" in html(RULES, summary(RULES, [TOY], []), 12)


def test_the_changes_of_a_study_can_be_written_on_the_command_line() -> None:
    study = WET.but(["table.crt.3.2=4"])
    assert changed(TOY, study) == ["option.weather=wet", "table.crt.3.2=4"]
    assert study.command(RULES.sides, 5) == (
        "khamsin sim skirmish village --games 5 --seed 11 --red random --blue random --set weather=wet "
        "--change table.crt.3.2=4"
    )


def test_small_numbers_pack_and_unpack() -> None:
    values = np.arange(-400, 400, dtype=np.int32)
    assert unpacked(packed(values)).tolist() == values.tolist()
