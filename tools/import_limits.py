"""Write the limits of imported records: for every scenario, ten times the clicks of the longest of some random games.

Run it from the root of the repository when a scenario is added or the rules make games longer:

    PYTHONPATH=src python tools/import_limits.py [--games 200] [GAME...]

It takes minutes for each game; games can be written by processes side by side. The number of random games is noted beside the
limits.
"""

from __future__ import annotations

import argparse
import re
import sys

from khamsin import games
from khamsin.kernel.dice import KeyedDice
from khamsin.kernel.match import Match
from khamsin.kernel.registration import registrations
from khamsin.players import Random, play_out

FACTOR = 10
HEADING = "[record_clicks]"


def longest(game: str, scenario: str, count: int) -> int:
    """Return the clicks of the longest of some random games of a scenario."""
    rules, most = games.load(game), 0
    for seed in range(count):
        match = Match(rules, scenario, dice=KeyedDice.seeded(seed))
        play_out(match, tuple(Random(2 * seed + side) for side in range(len(rules.sides))))
        most = max(most, len(match.clicks))
    print(f"{game} {scenario}: {most} clicks", file=sys.stderr, flush=True)
    return most


def main() -> None:
    """Play the games and write their limits into their `game.toml`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="*")
    parser.add_argument("--games", type=int, default=200, help="random games of each scenario")
    given = parser.parse_args()
    for game, stated in registrations().items():
        if not stated.module or (given.game and game not in given.game):
            continue
        file, scenarios = stated.folder / "game.toml", games.load(game).scenarios
        limits = [f"{scenario} = {FACTOR * longest(game, scenario, given.games)}" for scenario in scenarios]
        tables = re.split(r"\n\n(?=\[)", file.read_text(encoding="utf-8").rstrip())
        kept = [table for table in tables if not table.startswith(HEADING)]
        source = f"ten times the longest of {given.games} random games; written by tools/import_limits.py"
        new = f"{HEADING}                    # {source}"
        file.write_text("\n\n".join([*kept, "\n".join([new, *limits])]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
