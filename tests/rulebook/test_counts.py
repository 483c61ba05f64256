"""Counts that notice an unintended change of a rule: the open clicks of every unit in the rulebook's positions, the state
after fixed play-throughs, and finished games that must replay.

After an intended change, `KHAMSIN_COUNT=1 .venv/bin/pytest tests/rulebook/test_counts.py` writes them anew; read the diff.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from khamsin import games
from khamsin.kernel import KeyedDice, Match, SeededDice, position, record
from khamsin.players import Random, play_out

HERE = Path(__file__).parent
POSITIONS = sorted(HERE.glob("*/positions/*.toml"))
GAMES = sorted(HERE.glob("*/games/*.jsonl"))
WRITTEN = sorted({file.parent.parent.name for file in POSITIONS})
COUNTING = bool(os.environ.get("KHAMSIN_COUNT"))


def compare(file: Path, counted: dict[str, Any]) -> None:
    """Compare with what was counted before, or write it anew."""
    if COUNTING:
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(counted, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert counted == json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", POSITIONS, ids=lambda file: file.stem)
def test_every_unit_of_a_position_has_as_many_open_clicks_as_before(file: Path) -> None:
    match = position.load(file, games.load)
    assert match.decision is not None
    counted: dict[str, int] = {"clicks": len(match.decision.legal)}
    for click in match.decision.legal:
        if click < match.rules.units:
            chosen = match.clone(SeededDice(0))
            chosen.click(click)
            counted[match.rules.names[click]] = len(chosen.decision.legal) if chosen.decision else 0
    compare(file.parent.parent / "counts" / f"{file.stem}.json", counted)


@pytest.mark.parametrize("game", WRITTEN)
def test_fixed_games_come_to_the_same_end_as_before(game: str) -> None:
    rules = games.load(game)
    counted: dict[str, Any] = {}
    for scenario in rules.scenarios:
        for seed in range(3):
            match = Match(rules, scenario, dice=KeyedDice.seeded(seed))
            play_out(match, (Random(seed), Random(seed + 100)))
            assert match.result is not None
            counted[f"{scenario} {seed}"] = [len(match.clicks), len(match.game.rolls), match.state.digest()]
    compare(HERE / game / "counts" / "games.json", counted)


@pytest.mark.parametrize("file", GAMES, ids=lambda file: file.stem)
def test_a_finished_game_replays(file: Path) -> None:
    assert record.load(file, games.load).over
