"""The player turns by hand in `turns.toml`, which `khamsin bench turns` counts."""

from __future__ import annotations

import pytest

from khamsin import bench, games


@pytest.mark.parametrize(
    ("game", "row"), [pytest.param(game, row, id=row["title"]) for game, row in bench.recorded_turns()]
)
def test_a_recorded_turn_is_legal_and_within_its_clicks(game, row):
    assert 0 < bench.clicks_of(games.load(game), row) <= row["most"]


def test_the_games_with_a_limit_of_clicks_have_a_recorded_turn():
    assert {game for game, _ in bench.recorded_turns()} >= {"paa", "afrika", "na41", "tunisia"}


def test_a_turn_that_does_not_end_is_noticed():
    game, row = next(iter(bench.recorded_turns()))
    with pytest.raises(ValueError, match="do not end the turn"):
        bench.clicks_of(games.load(game), row | {"clicks": row["clicks"][:1]})
