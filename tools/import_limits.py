"""Write the table of import limits: for every scenario, ten times the clicks of the longest of 200 random games.

Run it from the root of the repository when a scenario is added or the rules make games longer:

    PYTHONPATH=src python tools/import_limits.py
"""

from __future__ import annotations

from pathlib import Path

from khamsin import games
from khamsin.kernel.dice import KeyedDice
from khamsin.kernel.match import Match
from khamsin.players import Random, play_out

GAMES = 200
FACTOR = 10
FILE = Path(__file__).parents[1] / "src/khamsin/server/import_limits.toml"


def longest(game: str, scenario: str) -> int:
    """Return the clicks of the longest random game of a scenario."""
    rules, most = games.load(game), 0
    for seed in range(GAMES):
        match = Match(rules, scenario, dice=KeyedDice.seeded(seed))
        play_out(match, tuple(Random(2 * seed + side) for side in range(len(rules.sides))))
        most = max(most, len(match.clicks))
    return most


def main() -> None:
    """Play the games and write the file."""
    lines = [
        "# Clicks that an imported record may have: ten times the longest of 200 random games of its scenario.",
        "# Written by tools/import_limits.py.",
    ]
    for game in (game for game in games.TITLES if game in games.playable()):
        lines += ["", f"[{game}]"]
        lines += [f"{scenario} = {FACTOR * longest(game, scenario)}" for scenario in games.load(game).scenarios]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
