"""Whole games between computer players: no error, nothing lost, and every one ends in a result. A few here, thousands in
`make soak`."""

from __future__ import annotations

import random
from typing import Any

import pytest

from khamsin import games
from khamsin.kernel import KeyedDice, Match
from khamsin.kernel.registration import registrations
from khamsin.players import Passive, Player, Random, play_out
from tests import SOAK, size

GAMES = 14
FEW: dict[str, dict[str, int]] = {} if SOAK else {"tunisia": {"kasserine": 2}}
"""Scenarios of games too large for more outside `make soak`, and how many games."""
WRITTEN = [game for game in registrations() if game in games.playable()]
FOR_GOOD = {"na41": ("20.2", "20.4.1", "20.4.2", "20.4.3", "20.4.4", "27.1")}
"""The sections by which counters join or leave a game for good. Each is named by a log line of its section."""


POINTS = {"tunisia": ("lorry", "replacements", "fighter", "bomber", "heavy bomber", "air transport")}
"""The symbols of counters that stand for a number: those not in use are nowhere."""


def number_of_games(game: str) -> int:
    return size(game).games if SOAK else sum(FEW.get(game, {"": GAMES}).values())


def scenario_and_options(game: str, seed: int) -> tuple[str, dict[str, str]]:
    """One scenario after another, with random options."""
    scenarios = [one for name, one in games.load(game).scenarios.items() if name in FEW.get(game, {name})]
    scenario, chance = scenarios[seed % len(scenarios)], random.Random(seed)
    return scenario.name, {name: chance.choice(values) for name, values in scenario.options.items()}


@pytest.mark.parametrize(("game", "seed"), [(game, seed) for game in WRITTEN for seed in range(number_of_games(game))])
def test_a_whole_game_ends_in_a_result_with_nothing_lost(game: str, seed: int) -> None:
    rules = games.load(game)
    match = Match(rules, *scenario_and_options(game, seed), KeyedDice.seeded(seed))
    placed = {unit for unit, where in enumerate(match.state.where) if where >= 0}
    seats: list[tuple[Player, Player]] = [
        (Random(seed), Random(seed + 1)), (Random(seed), Passive()), (Passive(), Random(seed)), (Random(seed), Random(-seed)),
    ]  # fmt: skip
    play_out(match, random.Random(seed + 1).choice(seats), most=100_000)
    assert match.result is not None
    assert match.result.rule
    changed = placed ^ {unit for unit, where in enumerate(match.state.where) if where >= 0}
    changed -= {unit for unit, counter in enumerate(rules.counters) if counter.symbol in POINTS.get(game, ())}
    assert changed <= named(match, FOR_GOOD.get(game, ()))
    assert not rules.find_fault(match.game)


def named(match: Match[Any], sections: tuple[str, ...]) -> set[int]:
    """The units that log lines of some sections name."""
    events = [event.data for event in match.events if event.rule in sections]
    return {value for data in events for key, value in data.items() if key.startswith("unit")}


@pytest.mark.parametrize("game", WRITTEN)
def test_two_passive_players_reach_the_end_as_well(game: str) -> None:
    rules = games.load(game)
    for scenario in rules.scenarios:
        match = Match(rules, scenario, dice=KeyedDice.seeded(1))
        play_out(match, (Passive(), Passive()), most=100_000)
        assert match.result is not None
