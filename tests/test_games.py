"""The register of games: the same game may come twice, another under its name may not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from khamsin import games


def test_a_game_that_two_threads_load_at_once_is_registered_by_both() -> None:
    rules = games.load("paa")
    games.register(rules)
    assert games.load("paa") is rules


def test_another_game_under_the_name_of_one_is_refused() -> None:
    with pytest.raises(ValueError, match="'paa': already registered"):
        games.register(replace(games.load("paa")))
