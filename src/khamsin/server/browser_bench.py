"""How long it takes from a click in the browser to the drawn view, on the largest position of a game: `khamsin bench browser`.

A real Chromium plays against a real server; `web/tools/speed.mjs` holds the stop-watch.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import httpx

from khamsin import games
from khamsin.kernel import record
from khamsin.kernel.dice import KeyedDice
from khamsin.kernel.match import Match
from khamsin.players import answer
from khamsin.players.scripted import Scripted
from khamsin.server.load_bench import serving

ROOT = Path(__file__).parents[3]
STOP_WATCH = ROOT / "web" / "tools" / "speed.mjs"
CLICKS = 60


class CannotMeasure(RuntimeError):
    """What it takes is not on this machine."""


def measure(game: str, scenario: str, phase: str) -> dict[str, Any]:
    """What the stop-watch says: milliseconds and bytes by name. The game stands in the phase of this name."""
    if not (STOP_WATCH.parents[1] / "node_modules").exists():
        raise CannotMeasure("the browser client is not built here: run `make client` in the folder of the source")
    match = largest(game, scenario, phase)
    side = match.rules.sides[match.decision.side if match.decision else 0]
    with tempfile.TemporaryDirectory() as folder, serving(f"sqlite:///{folder}/games.db") as (_, address):
        seats = dict.fromkeys(match.rules.sides, "me")
        body = {"record": record.write(match), "seats": seats}
        seated = httpx.post(f"http://{address}/api/matches/import", json=body, timeout=60).raise_for_status().json()
        httpx.get(f"http://{address}/api/boards/{game}/map.svg", timeout=60)
        path = f"{ROOT / '.venv' / 'node'}{os.pathsep}{os.environ.get('PATH', '')}"
        node = shutil.which("node", path=path) or "node"
        command = [node, str(STOP_WATCH), f"http://{address}", seated["id"], seated["keys"][side], side, str(CLICKS)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, env={**os.environ, "PATH": path})
    if done.returncode:
        raise CannotMeasure(f"the browser could not be timed: {done.stderr.strip()[-400:]}")
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def largest(game: str, scenario: str, phase: str, seed: int = 7) -> Match[Any]:
    """Of one game of the scripted player, the question of the phase at which most units stood on the board."""
    rules = games.load(game)
    players = Scripted(seed), Scripted(seed + 1)
    whole = Match(rules, scenario, dice=KeyedDice.seeded(seed))
    most, clicks = 0, 0
    while (decision := whole.decision) is not None:
        if decision.top and phase in whole.game.phase:
            standing = sum(at >= 0 and rules.board.is_hex(at) for at in whole.game.state.where)
            if standing > most:
                most, clicks = standing, len(whole.clicks)
        whole.click(answer(whole, players[decision.side]))
    match = Match(rules, scenario, dice=KeyedDice.seeded(seed))
    for click in whole.clicks[:clicks]:
        match.click(click)
    return match
