"""Write the limits of imported records: for every scenario, ten times the clicks of the longest of 200 random games.

Run it from the root of the repository when a scenario is added or the rules make games longer:

    PYTHONPATH=src python tools/import_limits.py [GAME...]

It takes minutes for each game; games can be written by processes side by side.
"""

from __future__ import annotations

import re
import sys

from khamsin import games
from khamsin.kernel.dice import KeyedDice
from khamsin.kernel.match import Match
from khamsin.kernel.registration import registrations
from khamsin.players import Random, play_out

GAMES = 200
FACTOR = 10
HEADING = "[record_clicks]"


def longest(game: str, scenario: str) -> int:
    """Return the clicks of the longest random game of a scenario."""
    rules, most = games.load(game), 0
    for seed in range(GAMES):
        match = Match(rules, scenario, dice=KeyedDice.seeded(seed))
        play_out(match, tuple(Random(2 * seed + side) for side in range(len(rules.sides))))
        most = max(most, len(match.clicks))
    return most


def main() -> None:
    """Play the games and write their limits into their `game.toml`."""
    for game, stated in registrations().items():
        if not stated.module or (sys.argv[1:] and game not in sys.argv[1:]):
            continue
        file = stated.folder / "game.toml"
        limits = [f"{scenario} = {FACTOR * longest(game, scenario)}" for scenario in games.load(game).scenarios]
        tables = re.split(r"\n\n(?=\[)", file.read_text(encoding="utf-8").rstrip())
        kept = [table for table in tables if not table.startswith(HEADING)]
        new = f"{HEADING}                    # ten times the longest of 200 random games; written by tools/import_limits.py"
        file.write_text("\n\n".join([*kept, "\n".join([new, *limits])]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
