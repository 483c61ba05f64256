"""A Ray cluster as the crew: one is started here, with two workers."""

from __future__ import annotations

import os
import signal
import socket

import pytest

from khamsin.lab import Outcome, Run
from khamsin.lab.cluster import HERE, Cluster
from tests.lab.conftest import TOY
from tests.lab.test_run import PAA, here


def test_a_cluster_plays_the_same_games_and_survives_the_death_of_a_worker() -> None:
    run = Run([PAA, TOY], 5, jobs=2, crew=Cluster(HERE, jobs=2))
    found: list[dict[int, Outcome]] = [{}, {}]
    killed = 0
    for arm, outcome in run:
        found[arm][outcome.number] = outcome
        busy = [post.pid for post in run.posts.values() if post.arm == 0 and post.given]
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
