"""Benchmarks of the laboratory: whole games, in one process and in two."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple

from khamsin import games
from khamsin.kernel.dice import SeededDice
from khamsin.kernel.match import Match
from khamsin.kernel.registration import registrations
from khamsin.kernel.rules import Rules
from khamsin.lab.local import Processes
from khamsin.lab.play import play
from khamsin.lab.run import Ready, Run
from khamsin.lab.study import Study
from khamsin.players import answer, has_adapter, player
from khamsin.players.planner import BUDGET

GAMES = {"random": 12, "scripted": 4}
"""Games timed per player."""
SPEED_UP_GAMES = 48
THINKING_TURNS = {"scripted": 6, "planner": 2}
"""Turns per game in which thinking of a player is timed; the planner uses its time in each."""
THINKING_ROUNDS = {"scripted": 2, "planner": 1}
"""How often the same game is played to take the least time of each turn; the planner never plays the same game twice."""
AGAINST_RANDOM = {("afrika", "crusader"), ("afrika", "gazala"), ("na41", "crusader")}
"""The scenarios with the longest turns against a player whose units are everywhere."""
RANDOM_SEEDS = range(1, 4)
SCRIPTED_TURN = 0.5
"""Target for a turn of the scripted player, in seconds, if its game states none."""


class Measured(NamedTuple):
    """One measurement: title, value, unit and target, which is a maximum or (with `more`) a minimum."""

    what: str
    value: float
    unit: str
    target: float | None = None
    more: bool = False


def figures() -> Iterator[Measured]:
    """Yield the measurements of the laboratory and the environment."""
    for game in games.playable():
        rules = games.load(game)
        for scenario in rules.scenarios:
            for who in GAMES:
                if who == "random" or has_adapter(game):
                    yield from speed(game, scenario, who)
    yield speed_up()
    yield memory()
    for game in games.playable():
        yield from environment(games.load(game))


def speed(game: str, scenario: str, who: str) -> Iterator[Measured]:
    """Time whole games of a player against itself in this process, with the laboratory's measurements."""
    study = Study(game, scenario, (who,) * len(games.load(game).sides))
    play(study, GAMES[who])
    start = perf_counter()
    clicks = sum(play(study, number).clicks for number in range(GAMES[who]))
    seconds = perf_counter() - start
    yield Measured(f"games of {game} {scenario}, {who}", GAMES[who] / seconds, "per second")
    yield Measured(f"clicks of {game} {scenario}, {who}", clicks / seconds, "per second")


def all_thinking() -> Iterator[Measured]:
    """Time the turns of the computer players in every scenario."""
    for game in games.playable():
        if has_adapter(game):
            for scenario in games.load(game).scenarios:
                yield from thinking(game, scenario)


def thinking(game: str, scenario: str) -> Iterator[Measured]:
    """Time the longest turn of the scripted player on either side, where it matters also against random, and of the planner as
    first side. Where a turn has several impulses, each counts as one."""
    stated = registrations().get(game)
    target, where = stated.turn_seconds if stated else SCRIPTED_TURN, f"{game} {scenario}"
    both = longest_turn(game, scenario, ("scripted", "scripted"), "scripted", process_time)
    yield Measured(f"longest turn of scripted, {where}", both, "s", target)
    if (game, scenario) in AGAINST_RANDOM:
        turns = [
            longest_turn(game, scenario, names, "scripted", process_time, seed)
            for names in (("scripted", "random"), ("random", "scripted"))
            for seed in RANDOM_SEEDS
        ]
        yield Measured(f"longest turn of scripted against random, {where}", max(turns), "s", target)
    planned = longest_turn(game, scenario, ("planner", "scripted"), "planner", process_time)
    yield Measured(f"longest turn of planner, {where}", planned, "s", BUDGET)


def longest_turn(
    game: str, scenario: str, names: Sequence[str], timed: str, clock: Callable[[], float], seed: int = 1
) -> float:
    """Return the time of the longest turn of a player in a game, the least of several rounds of the same game."""
    rounds = [_turn_times(game, scenario, names, timed, clock, seed) for _ in range(THINKING_ROUNDS[timed])]
    return max(min(times[turn] for times in rounds) for turn in rounds[0])


def _turn_times(
    game: str, scenario: str, names: Sequence[str], timed: str, clock: Callable[[], float], seed: int
) -> dict[tuple[int, int, int], float]:
    """Return the time of each turn of a player, by side, turn and impulse."""
    players = [player(name, seed + side) for side, name in enumerate(names)]
    match = Match(games.load(game), scenario, dice=SeededDice(seed))
    found = dict[tuple[int, int, int], float]()
    seen: set[int] = set()
    while match.decision is not None and len(seen | {match.game.state.turn}) <= THINKING_TURNS[timed]:
        state, side = match.game.state, match.decision.side
        seen.add(state.turn)
        turn = (side, state.turn, getattr(state, "impulse", 0))
        start = clock()
        click = answer(match, players[side])
        if names[side] == timed:
            found[turn] = found.get(turn, 0.0) + clock() - start
        match.click(click)
    return found


def speed_up() -> Measured:
    """Measure how much faster two processes play the same games than one, without their start."""
    game = games.playable()[0]
    rules = games.load(game)
    study = Study(game, next(iter(rules.scenarios)), ("random",) * len(rules.sides))
    one, two = (_rate(study, jobs) for jobs in (1, 2))
    return Measured("games in two processes for one in one", two / one, "", 1.8, more=True)


def _rate(study: Study, jobs: int) -> float:
    """Return games per second of some processes, from the first game that each has finished to the last of all."""
    count, start, timed = 0, 0.0, 0
    for _ in Run([study], SPEED_UP_GAMES, jobs):
        count += 1
        if count == 2 * jobs:
            start, timed = perf_counter(), count
    return (count - timed) / (perf_counter() - start)


def memory() -> Measured:
    """Measure the resident memory of a worker after a game."""
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
    """Return the resident memory of a process in MB; 0 if the system is not Linux."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as lines:
            return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))
    except OSError:
        return 0.0


def environment(rules: Rules[Any]) -> Iterator[Measured]:
    """Measure a click through the environment, with observation and mask, relative to a click of the bare engine."""
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
    """Return the median ratio of two timings, taken alternately so that both see the same load."""
    one(0), two(0)
    return median(one(seed) / two(seed) for seed in range(1, times + 1))
