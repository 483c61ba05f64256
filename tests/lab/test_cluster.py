"""A Ray cluster as the pool: one that is started for the occasion, and one that runs already; each with two workers."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from khamsin.lab import Finished, GameResult, Run
from khamsin.lab.cluster import GUARD, HERE, TOKENS, Cluster
from khamsin.lab.report import summary
from tests.lab.conftest import TOY
from tests.lab.test_run import PAA, here
from tests.toy import skirmish

RAY = Path(sys.executable).parent / "ray"
UNGUARDED = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}


def test_a_cluster_plays_the_same_games_and_survives_the_death_of_a_worker() -> None:
    run = Run([PAA, TOY], 5, jobs=2, pool=Cluster(HERE, jobs=2))
    found: list[dict[int, GameResult]] = [{}, {}]
    killed = 0
    for arm, outcome in run:
        found[arm][outcome.number] = outcome
        busy = [assignment.pid for assignment in run.assignments.values() if assignment.arm == 0 and assignment.given]
        if busy and not killed:
            killed = busy[0]
            os.kill(killed, signal.SIGKILL)
    assert killed
    assert found == [here(PAA, 5), here(TOY, 5)]


def test_an_address_where_nothing_listens_is_told_at_once() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(ValueError, match="nothing listens there"):
            Cluster(address, jobs=1)


@pytest.fixture(scope="module")
def standing() -> Iterator[tuple[str, str]]:
    """A cluster that somebody else has started and guards with a token: its address, and the token."""
    token = secrets.token_hex(32)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tempfile.mkdtemp(prefix="ray-", dir="/tmp")  # its sockets must have short names
    environment = UNGUARDED | {GUARD: "token", TOKENS[0]: token, "PYTHONPATH": os.pathsep.join(sys.path)}
    head = subprocess.Popen(
        [RAY, "start", "--head", "--block", "--port", str(port), "--num-cpus", "2", "--include-dashboard=false",
         "--disable-usage-stats", "--temp-dir", folder],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        assert head.stdout is not None
        said = ""
        while "Ray runtime started" not in said:
            line = head.stdout.readline()
            assert line, said
            said += line
        yield f"127.0.0.1:{port}", token
    finally:
        head.terminate()
        head.communicate(timeout=60)
        shutil.rmtree(folder, ignore_errors=True)


def sim(address: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """khamsin sim on a cluster, as somebody who has this in his environment."""
    command = [sys.executable, "-m", "khamsin", "sim", TOY.game, TOY.scenario, "--games", "6", "--seed", str(TOY.seed)]
    command += ["--red", "random", "--blue", "random", "--ray", address, "--json"]
    known = {"PYTHONPATH": os.pathsep.join(sys.path), "KHAMSIN_GAMES": "tests.toy.skirmish:RULES"}
    return subprocess.run(command, env=UNGUARDED | known | environment, capture_output=True, text=True, check=False)


def test_a_cluster_that_runs_already_is_joined_by_its_address_and_its_token(standing: tuple[str, str]) -> None:
    address, token = standing
    answer = sim(address, **{TOKENS[0]: token})
    assert answer.returncode == 0, answer.stderr
    finished = [Finished(0, outcome) for outcome in here(TOY, 6).values()]
    assert json.loads(answer.stdout) == summary(skirmish.RULES, [TOY], finished)


def test_a_cluster_that_wants_a_token_says_so(standing: tuple[str, str]) -> None:
    answer = sim(standing[0])
    assert answer.returncode != 0
    assert f"name it in {TOKENS[0]}" in answer.stderr
