"""The time from a click in the browser to the drawn view, on the largest position of a game: `khamsin bench browser`.

A real Chromium plays against a real server; `web/tools/speed.mjs` measures the time.
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
from khamsin.players import Passive, Random, answer
from khamsin.server.load_bench import serving

ROOT = Path(__file__).parents[3]
STOP_WATCH = ROOT / "web" / "tools" / "speed.mjs"
CLICKS = 60
MAX_CLICKS = 5_000
ABLE = 12
"""The least number of units that can act; they are clicked one after the other."""


class CannotMeasure(RuntimeError):
    """Something needed for the measurement is missing on this machine."""


def measure(game: str, kind: str = "move.stack") -> dict[str, Any]:
    """Return milliseconds and bytes by name, measured on the largest position of a game at a decision of this kind."""
    if not (STOP_WATCH.parents[1] / "node_modules").exists():
        raise CannotMeasure("the browser client is not built here: run `make client` in the folder of the source")
    match = largest(game, kind)
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


def largest(game: str, kind: str, seed: int = 7) -> Match[Any]:
    """Return the decision of a kind with the most units on the board, in one game per scenario between simple players."""
    rules = games.load(game)
    most, where, found = 0, "", 0
    lines: dict[str, list[int]] = {}
    for scenario in rules.scenarios:
        match = Match(rules, scenario, dice=KeyedDice.seeded(seed))
        players = Passive(seed), Random(seed)
        while (decision := match.decision) is not None and len(match.clicks) < MAX_CLICKS:
            if decision.top and decision.kind == kind:
                on_map = sum(at >= 0 and rules.board.is_hex(at) for at in match.game.state.where)
                if on_map > most and len(match.can_act()) >= ABLE:
                    most, where, found = on_map, scenario, len(match.clicks)
            match.click(answer(match, players[decision.side]))
        lines[scenario] = list(match.clicks)
    match = Match(rules, where, dice=KeyedDice.seeded(seed))
    for click in lines[where][:found]:
        match.click(click)
    return match
