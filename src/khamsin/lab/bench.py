"""Benchmarks of the laboratory: whole games, in one process and in two."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

from khamsin import games
from khamsin.kernel.dice import SeededDice
from khamsin.kernel.match import Match
from khamsin.kernel.rules import Rules
from khamsin.lab.local import Processes
from khamsin.lab.play import play
from khamsin.lab.run import Ready, Run
from khamsin.lab.study import Study
from khamsin.players import answer, has_adapter, player
from khamsin.players.planner import BUDGET

GAMES = {"random": 12, "scripted": 4}
"""How many games of each player are timed."""
SPEED_UP_GAMES = 48
THINKING_TURNS = 6
"""Turns of a game in which thinking is timed."""
SCRIPTED_TURN = 0.5
"""Seconds within which the scripted player should have thought its turn through."""


class Measured(NamedTuple):
    """One figure: what, how much, of what unit, and what it should be, at most or (with `more`) at least."""

    what: str
    value: float
    unit: str
    target: float | None = None
    more: bool = False


def figures() -> Iterator[Measured]:
    """Every figure of the laboratory and the environment, one after another."""
    for game in games.playable():
        rules = games.load(game)
        for scenario in rules.scenarios:
            for who in GAMES:
                if who == "random" or has_adapter(game):
                    yield from speed(game, scenario, who)
            if has_adapter(game):
                yield from thinking(game, scenario)
    yield speed_up()
    yield memory()
    for game in games.playable():
        yield from environment(games.load(game))


def speed(game: str, scenario: str, who: str) -> Iterator[Measured]:
    """Whole games of a player against itself, measured as the laboratory measures them, in this process."""
    study = Study(game, scenario, (who,) * len(games.load(game).sides))
    play(study, GAMES[who])
    start = perf_counter()
    clicks = sum(play(study, number).clicks for number in range(GAMES[who]))
    seconds = perf_counter() - start
    yield Measured(f"games of {game} {scenario}, {who}", GAMES[who] / seconds, "a second")
    yield Measured(f"clicks of {game} {scenario}, {who}", clicks / seconds, "a second")


def thinking(game: str, scenario: str) -> Iterator[Measured]:
    """The longest turn of the scripted player and of the planner, each for the first side against the scripted player."""
    rules = games.load(game)
    for name, target in (("scripted", SCRIPTED_TURN), ("planner", BUDGET)):
        players = [player(name, 1), *(player("scripted", 2 + side) for side in range(1, len(rules.sides)))]
        match = Match(rules, scenario, dice=SeededDice(1))
        turns: dict[int, float] = {}
        first = match.game.state.turn
        while match.decision is not None and match.game.state.turn < first + THINKING_TURNS:
            side, turn = match.decision.side, match.game.state.turn
            start = perf_counter()
            click = answer(match, players[side])
            if side == 0:
                turns[turn] = turns.get(turn, 0.0) + perf_counter() - start
            match.click(click)
        yield Measured(f"longest turn of {name}, {game} {scenario}", max(turns.values()), "s", target)


def speed_up() -> Measured:
    """How much faster two processes play the same games than one, once they have started."""
    game = games.playable()[0]
    rules = games.load(game)
    study = Study(game, next(iter(rules.scenarios)), ("random",) * len(rules.sides))
    one, two = (_rate(study, jobs) for jobs in (1, 2))
    return Measured("games in two processes for one in one", two / one, "", 1.8, more=True)


def _rate(study: Study, jobs: int) -> float:
    """Games a second of so many processes, from the first game that each has finished to the last of all."""
    count, start, timed = 0, 0.0, 0
    for _ in Run([study], SPEED_UP_GAMES, jobs):
        count += 1
        if count == 2 * jobs:
            start, timed = perf_counter(), count
    return (count - timed) / (perf_counter() - start)


def memory() -> Measured:
    """What a worker holds after a game: its resident memory."""
    game = games.playable()[0]
    rules = games.load(game)
    pool = Processes()
    try:
        worker = pool.start(Study(game, next(iter(rules.scenarios)), ("random",) * len(rules.sides)))
        while not any(isinstance(message, Ready) for _, message in pool.wait()):
            pass
        pool.submit(worker, [0])
        pool.wait()
        (process,) = pool.staff.values()
        return Measured(f"memory of a worker, {game}", _resident(process.pid or 0), "MB")
    finally:
        pool.close()


def _resident(pid: int) -> float:
    """The resident memory of a process in MB, as Linux tells it; elsewhere 0."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as lines:
            return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))
    except OSError:
        return 0.0


def environment(rules: Rules[Any]) -> Iterator[Measured]:
    """A click through the environment, with observation and mask, for one of the bare engine."""
    try:
        from khamsin.env import Environment
    except ImportError:
        return
    for scenario in rules.scenarios:
        world = Environment(rules, scenario)

        def bare(seed: int, scenario: str = scenario) -> float:
            chance = random.Random(seed)
            match = Match(rules, scenario, dice=SeededDice(seed))
            start = perf_counter()
            while match.decision is not None:
                clicks = list(match.decision.legal)
                match.click(clicks[int(chance.random() * len(clicks))])
            return (perf_counter() - start) / len(match.clicks)

        def whole(seed: int, world: Environment = world) -> float:
            chance = random.Random(seed)
            world.reset(seed=seed)
            start = perf_counter()
            while not world.terminations[world.agent_selection]:
                clicks = world.last()[0]["action_mask"].nonzero()[0]
                world.step(int(clicks[int(chance.random() * len(clicks))]))
            return (perf_counter() - start) / len(world.match.clicks)

        ratio = _ratio(whole, bare)
        yield Measured(f"cost of a click in the environment, {rules.id} {scenario}", ratio, "times bare", 2.0)


def _ratio(one: Callable[[int], float], two: Callable[[int], float], times: int = 9) -> float:
    """The median of the ratios of two timings, taken in turn so that both meet the same machine."""
    one(0), two(0)
    return median(one(seed) / two(seed) for seed in range(1, times + 1))
