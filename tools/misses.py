"""Count what a replayed click costs: instructions, and misses of the instruction, data and second-level caches.

    python tools/misses.py paa campaign

Times on a loaded machine vary by half; these counts vary by one or two per cent. Three random games are played; valgrind then
replays the second and the third, after the first. It needs valgrind. `PYTHONPATH` chooses the version that is measured;
`--games FILE` keeps the games, to replay the same ones with another version of the same rules.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

from khamsin import games
from khamsin.kernel import KeyedDice, Match
from khamsin.players import Random, play_out

SEEDS = (1, 2, 3)
SECOND_LEVEL = "1048576,8,64"
"""Bytes, ways and bytes per line of the second-level cache."""
PLAIN_PROCESSOR = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}
"""Valgrind does not know AVX-512, so numba must not use it."""
START = "PyRun_SimpleString"
"""The function of Python inside which valgrind counts."""


def record(game: str, scenario: str, file: Path) -> None:
    """Play random games and write their clicks to a file."""
    found = []
    for seed in SEEDS:
        match = Match(games.load(game), scenario, dice=KeyedDice.seeded(seed))
        play_out(match, (Random(seed), Random(seed + 1)))
        found.append((seed, match.clicks))
    file.write_bytes(pickle.dumps(found))


def replay(game: str, scenario: str, file: Path) -> int:
    """Replay the games of a file, all but the first where valgrind counts, and return how many clicks those have."""
    rules = games.load(game)
    games.freeze_gc()
    first, *others = pickle.loads(file.read_bytes())

    def again(seed: int, clicks: list[int]) -> None:
        match = Match(rules, scenario, dice=KeyedDice.seeded(seed))
        for click in clicks:
            match.click(click)

    again(*first)
    gc.collect()
    gc.disable()

    def run() -> None:
        for other in others:
            again(*other)

    vars(sys.modules["__main__"])["run"] = run
    getattr(ctypes.pythonapi, START)(b"run()")
    return sum(len(clicks) for _, clicks in others)


def measure(game: str, scenario: str, file: Path) -> dict[str, float]:
    """Replay the games under valgrind and return the counts per click."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind"
        again = [sys.executable, __file__, game, scenario, "--games", str(file), "--replay"]
        counted = [
            "valgrind", "--tool=callgrind", "--cache-sim=yes", f"--LL={SECOND_LEVEL}",
            f"--toggle-collect={START}*", f"--callgrind-out-file={out}", *again,
        ]  # fmt: skip
        here = os.environ | PLAIN_PROCESSOR | {"PYTHONHASHSEED": "0"}
        # compile first what would take minutes under valgrind
        subprocess.run(again, env=here, check=True, capture_output=True)
        clicks = int(subprocess.run(counted, env=here, check=True, capture_output=True, text=True).stdout)
        lines = out.read_text().splitlines()
    events = next(line for line in lines if line.startswith("events:")).split()[1:]
    counts = next(line for line in lines if line.startswith(("summary:", "totals:"))).split()[1:]
    found = dict(zip(events, map(int, counts), strict=False))
    sums = {"instructions": ["Ir"], "I1": ["I1mr"], "D1": ["D1mr", "D1mw"], "L2": ["ILmr", "DLmr", "DLmw"]}
    return {name: sum(found.get(event, 0) for event in parts) / clicks for name, parts in sums.items()}


def main() -> None:
    """Print the counts of one scenario."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("game")
    options.add_argument("scenario")
    options.add_argument("--games", type=Path, help="a file with games, or to write them to")
    options.add_argument("--replay", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.replay:
        print(replay(given.game, given.scenario, given.games))
        return
    with tempfile.TemporaryDirectory() as folder:
        file = given.games or Path(folder) / "games"
        if not file.exists():
            record(given.game, given.scenario, file)
        found = measure(given.game, given.scenario, file)
    counts = ", ".join(f"{name} {value:,.0f}" for name, value in found.items())
    print(f"{given.game} {given.scenario}, per click: {counts}")


if __name__ == "__main__":
    main()
