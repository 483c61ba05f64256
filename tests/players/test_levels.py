"""The levels: the same for the same seed, and the easy one easier than the normal one."""

from __future__ import annotations

import pytest

from khamsin import players
from khamsin.lab import Study, play
from khamsin.players.levels import LEVELS


@pytest.mark.parametrize("level", ["easy", "normal"])
def test_a_level_plays_the_same_game_for_the_same_seed(level: str) -> None:
    study = Study("kasserine", "faid", (level, level), seed=3)
    assert play(study, 0).state == play(study, 0).state


def test_the_easy_player_loses_most_games_to_the_normal_one_from_both_sides_together() -> None:
    won = sum(
        play(Study("kasserine", "faid", players, seed=5), number).winner == side
        for players, side in ((("easy", "normal"), "Axis"), (("normal", "easy"), "Allied"))
        for number in range(8)
    )
    assert won < 8


def test_every_level_knows_the_games_that_the_scripts_know() -> None:
    assert list(LEVELS) == ["easy", "normal", "hard"]
    assert all(players.knows(level, game) for level in LEVELS for game in ("paa", "kasserine"))
    assert not players.knows("hard", "skirmish")
