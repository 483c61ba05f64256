"""The measurements of `khamsin bench`: one process at a time, medians of many runs."""

from __future__ import annotations

import importlib
import random
import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from khamsin import games
from khamsin.kernel import orders
from khamsin.kernel.board import Board
from khamsin.kernel.dice import KeyedDice, SeededDice
from khamsin.kernel.flood import FAR, NEVER, Network
from khamsin.kernel.match import Match
from khamsin.kernel.pieces import Counter, State, UnitLocations
from khamsin.kernel.registration import Scenario
from khamsin.kernel.rules import Decision, Game, Phase, Procedure, Rules
from khamsin.players import Random, play_out

ROOT = Path(__file__).parents[2]
TOY_GAMES = 200


@dataclass(frozen=True, slots=True)
class Measurement:
    """A measurement and its target: at most `target`, or at least if `more` is better."""

    what: str
    value: float
    unit: str
    target: float | None = None
    more: bool = False

    @property
    def met(self) -> bool:
        """Whether the target is met; without a target, always."""
        if self.target is None:
            return True
        return self.value >= self.target if self.more else self.value <= self.target

    @property
    def target_text(self) -> str:
        """The target in words."""
        return "" if self.target is None else f"{'at least' if self.more else 'at most'} {self.target:,g}"

    @property
    def style(self) -> str:
        """How to print it."""
        return "" if self.met else "red"


def run(only: str = "", progress: bool = True) -> list[Measurement]:
    """Measure every section, or one."""
    sections = {
        measure.__name__: measure
        for measure in (floods, clone, clicks, turns, campaigns, thinking, lab, command_line, table, browser)
    }
    if only and only not in sections:
        raise ValueError(f"{only!r}: no such section; there are {', '.join(sections)}")
    measured: list[Measurement] = []
    for name, measure in sections.items():
        if only in ("", name):
            if progress:
                print(f"measuring {name.replace('_', ' ')} ...", file=sys.stderr, flush=True)
            measured += measure()
    return measured


def floods() -> Iterator[Measurement]:
    """Yield the times of the compiled kernel on the largest board."""
    board = Board.load("tunisia")
    costs = {"open": 2, "low hills": 3, "rough": 4, "mountain": 6, "salt marsh": 6}

    def cost(here: int, direction: int, there: int) -> int:
        if board.between(here, there) & {"primary road", "secondary road"}:
            return 1
        return costs.get(board.terrain_name(there), 2) if board.enterable(there) else NEVER

    net = Network.of(board, cost)
    source = np.array([board["A35.02"]], dtype=np.uint16)
    for what, limit, target in (("whole tunisia board", FAR - NEVER, 60), ("tunisia within 12 points", 12, 15)):
        reached = len(net.spread(source, limit)[2])
        seconds = median(partial(net.spread, source, limit), 3000)
        yield Measurement(f"flood, {what} ({reached} hexes)", seconds * 1e6, "µs", target)


def clone() -> Iterator[Measurement]:
    """Yield the time of a clone of a match of 400 units on the tunisia board, at a top-level decision."""
    board = Board.load("tunisia")
    ground = [hex for hex in board if board.enterable(hex)]
    counters = tuple(Counter(f"unit {n}", n % 2) for n in range(400))

    def set_up(g: Game[State]) -> None:
        g.state.where = UnitLocations(random.Random(1).sample(ground, len(counters)))

    def drill(g: Game[State]) -> Procedure:
        while True:
            yield g.ask(0, "bench", "Choose", "bench", units=range(0, len(counters), 2), top=True)

    rules: Rules[State] = Rules(
        id="drill", title="Drill", sides=("Axis", "Allied"), board=board, counters=counters, buttons=("done",),
        flags=("moved",), state=State, scenarios={"drill": Scenario("drill", "Drill")},
        phases=lambda state: (Phase("drill", 0, drill, "bench"),), set_up=set_up,
    )  # fmt: skip
    match = Match(rules, "drill", dice=SeededDice(1))
    for click in (0, 2, 4):
        match.click(click)
    dice = SeededDice(2)
    yield Measurement("clone of a match of 400 units", median(lambda: match.clone(dice), 5000) * 1e6, "µs", 40)


def clicks() -> Iterator[Measurement]:
    """Yield the speed of random play of the tests' toy game: with its rules, and of the kernel alone with the same
    decisions ready-made."""
    try:
        sys.path.insert(0, str(ROOT))
        rules: Rules[Any] = importlib.import_module("tests.toy.skirmish").RULES
    except ImportError:
        print("the toy game is not part of an installed package: run this from the source", file=sys.stderr)
        return
    finally:
        sys.path.remove(str(ROOT))
    scripts = [script(rules, seed) for seed in range(TOY_GAMES)]
    count = sum(len(clicks) for _, clicks in scripts)

    def whole() -> None:
        for seed, (_, made) in enumerate(scripts):
            match = Match(rules, "village", dice=SeededDice(seed))
            for click in made:
                match.click(click)

    def bare() -> None:
        for decisions, made in scripts:
            match = Match(echo(rules, decisions), "village", dice=SeededDice(0))
            for click in made:
                match.click(click)

    whole()
    yield Measurement("clicks of the toy game, kernel alone", count / median(bare, 9), "per second", 150_000, more=True)
    yield Measurement("clicks of the toy game, rules and all", count / median(whole, 9), "per second")


def turns() -> Iterator[Measurement]:
    """Yield how many clicks a side makes in recorded player turns."""
    for game, row in recorded_turns():
        yield Measurement(f"{game}, {row['title']} by hand", clicks_of(games.load(game), row), "clicks", row["most"])


def recorded_turns() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the player turns in the `turns.toml` of each game."""
    for game in games.playable():
        file = Path(games.__file__).parent / game / "turns.toml"
        for row in tomllib.loads(file.read_text(encoding="utf-8"))["turn"] if file.exists() else ():
            yield game, row


def clicks_of(rules: Rules[Any], row: dict[str, Any]) -> int:
    """Count the clicks of its side in a recorded turn. The clicks must be legal and end the turn. The preset standing
    orders apply as on a server, and do not count."""
    match = Match(rules, row["scenario"], dice=KeyedDice.seeded(row["seed"]))
    presets = [order for side in range(len(rules.sides)) for order in orders.presets(rules, side)]
    for click in row["before"]:
        press(match, click, presets)
    side = rules.sides.index(row["side"])
    number = [press(match, click, presets) for click in row["clicks"]].count(side)
    if match.decision is None or match.decision.side == side:
        raise ValueError(f"{row['title']}: the clicks do not end the turn of {row['side']}")
    return number


def press(match: Match[Any], click: str, presets: Sequence[orders.Order]) -> int:
    """Click for the side that decides, after standing orders have been applied. Return the side."""
    while found := orders.answer(match, presets):
        match.click(found[1])
    assert match.decision is not None
    side = match.decision.side
    match.play([click])
    return side


def campaigns() -> Iterator[Measurement]:
    """Yield the speed of whole random games, one after another, and of the same games replayed. Each scenario has its
    own process, as in the laboratory: what other games leave in memory would slow it. Times are processor times, the
    least of three rounds of the same games, so that other processes disturb them less."""
    for game in games.playable():
        for scenario, target in games.bench_targets(game).items():
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
                yield from alone.submit(random_games, game, scenario, target).result()


def random_games(game: str, scenario: str, target: int) -> list[Measurement]:
    """Play 20 random games of a scenario, and replay them."""
    rules = games.load(game)
    games.freeze_gc()
    for seed in range(3):
        play_random(rules, scenario, seed)
    seeds = range(10, 30)
    rounds = [[play_random(rules, scenario, seed) for seed in seeds] for _ in range(3)]
    lengths = [len(clicks) for clicks, _ in rounds[0]]
    played = [min(seconds for _, seconds in runs) for runs in zip(*rounds, strict=True)]
    again = [
        [replay(rules, scenario, seed, clicks) for seed, (clicks, _) in zip(seeds, one, strict=True)] for one in rounds
    ]
    replayed = [min(runs) for runs in zip(*again, strict=True)]
    rates = [length / seconds for length, seconds in zip(lengths, played, strict=True)]
    per_click = [seconds / length for length, seconds in zip(lengths, replayed, strict=True)]
    what = f"{game}, random play of {scenario}"
    return [
        Measurement(f"clicks of {what}", statistics.median(rates), "per second", target, more=True),
        Measurement(f"{what}: a game", statistics.mean(played) * 1e3, "ms"),
        Measurement(f"{what}: a game", statistics.mean(lengths), "clicks"),
        Measurement(f"{what}: a game replayed", statistics.mean(replayed) * 1e3, "ms"),
        Measurement(f"{what}: a click replayed", statistics.median(per_click) * 1e6, "µs"),
    ]


def play_random(rules: Rules[Any], scenario: str, seed: int) -> tuple[list[int], float]:
    """Return the clicks of a random game, and the processor seconds that it took."""
    match = Match(rules, scenario, dice=KeyedDice.seeded(seed))
    start = process_time()
    play_out(match, (Random(seed), Random(seed + 1)))
    return match.clicks, process_time() - start


def replay(rules: Rules[Any], scenario: str, seed: int, clicks: list[int]) -> float:
    """Return the processor seconds that a recorded game takes."""
    match = Match(rules, scenario, dice=KeyedDice.seeded(seed))
    start = process_time()
    for click in clicks:
        match.click(click)
    return process_time() - start


def lab() -> Iterator[Measurement]:
    """Yield whole games of each player, two processes against one, memory, and the learning environment."""
    from khamsin.lab import bench

    return (Measurement(*measured) for measured in bench.figures())


def thinking() -> Iterator[Measurement]:
    """Yield the longest turns of the computer players."""
    from khamsin.lab import bench

    return (Measurement(*measured) for measured in bench.all_thinking())


def script(rules: Rules[Any], seed: int) -> tuple[list[Decision], list[int]]:
    """Play a random game; return its decisions and clicks. Legal clicks are listed at once: a lazy list is valid only while
    its decision is current."""
    chance = random.Random(seed)
    match = Match(rules, "village", dice=SeededDice(seed))
    decisions = []
    while (now := match.decision) is not None:
        decisions.append(Decision(now.side, now.kind, now.prompt, now.rule, dict(now.legal), now.top))
        match.click(chance.choice(list(decisions[-1].legal)))
    return decisions, match.clicks


def echo(rules: Rules[Any], decisions: list[Decision]) -> Rules[Any]:
    """Return rules that repeat these decisions in order. Each is built again, as real rules would."""

    def ask_all(g: Game[Any]) -> Procedure:
        for one in decisions:
            yield Decision(one.side, one.kind, one.prompt, one.rule, dict(one.legal), one.top)
        g.end(0, "clear", "the script is over", "bench")

    return replace(rules, phases=lambda state: (Phase("echo", 0, ask_all, "bench"),))


def command_line() -> Iterator[Measurement]:
    """Yield whole commands, from process start to end."""
    khamsin = [sys.executable, "-m", "khamsin"]
    yield Measurement("khamsin --help", median(lambda: _run([*khamsin, "--help"]), 9), "s", 0.3)
    with tempfile.TemporaryDirectory() as folder:
        output = str(Path(folder) / "paa.svg")
        yield Measurement("khamsin draw paa", median(lambda: _run([*khamsin, "draw", "paa", "-o", output]), 5), "s", 2)


def table() -> Iterator[Measurement]:
    """Yield the server: 300 live matches on SQLite, one click per second in each; a match next to clients that send
    requests without pause; a match with 1,000 spectators; and the memory of a large import."""
    from khamsin.server import load_bench

    outcome = load_bench.run(games=300, seconds=20)
    what = f"table, 300 live games of paa, {len(outcome.seconds)} clicks"
    yield Measurement(f"{what}: median of the response", outcome.quantile(0.5), "ms")
    yield Measurement(f"{what}: p95 of the response", outcome.quantile(0.95), "ms", 150)
    yield Measurement(f"{what}: errors", len(outcome.errors), "", 0)
    yield Measurement("table, memory of the server", outcome.memory, "MiB", 1024)
    for asked in load_bench.ASKED:
        outcome = load_bench.run_asked(asked)
        what = f"table, another game while {load_bench.ASKERS} clients request {asked} without pause"
        yield Measurement(f"{what}: p95 of the response", outcome.quantile(0.95), "ms", 100)
        yield Measurement(f"{what}: errors", len(outcome.errors), "", 0)
    outcome = load_bench.run_watched(1000)
    yield Measurement("table, players with 1,000 spectators: p95 of the response", outcome.quantile(0.95), "ms", 150)
    yield Measurement("table, players with 1,000 spectators: errors", len(outcome.errors), "", 0)
    outcome = load_bench.run_import()
    imported, shown = outcome.seconds
    yield Measurement("table, import of the longest record of paa that is allowed", imported, "s")
    yield Measurement("table, its last moment", shown, "s")
    yield Measurement("table, memory of the server after both", outcome.memory, "MiB", 512)


P95_MS = {"tunisia": 150}
"""The p95 from click to drawn view to reach, where it is not 100 ms."""


def browser() -> Iterator[Measurement]:
    """Yield the client in Chromium: from the click to the drawn view on the largest position of a game, and the first
    load."""
    from khamsin.server import browser_bench

    for game in games.playable():
        try:
            measured = browser_bench.measure(game)
        except browser_bench.CannotMeasure as missing:
            print(missing, file=sys.stderr)
            return
        what = f"browser, {game} with {measured['counters']} counters, {measured['clicks']} clicks"
        yield Measurement(f"{what}: median from click to drawn view", measured["median_ms"], "ms", 100)
        yield Measurement(f"{what}: p95 from click to drawn view", measured["p95_ms"], "ms", P95_MS.get(game, 100))
        yield Measurement(f"{what}: p95 until the server's response", measured["answer_p95_ms"], "ms")
        yield Measurement(f"browser, {game}: usable after", measured["usable_ms"], "ms", 2000)
        yield Measurement(f"browser, {game}: sharp after a zoom", measured["sharp_ms"], "ms", 1000)
        yield Measurement(f"browser, {game}: first load besides the map", measured["first_load_bytes"] / 1e3, "kB", 600)


def median(action: Callable[[], Any], times: int) -> float:
    """Return the median time of an action in seconds, after a warm-up."""
    action()
    samples = []
    for _ in range(times):
        start = perf_counter()
        action()
        samples.append(perf_counter() - start)
    return statistics.median(samples)


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
