"""Workers on a Ray cluster, or on one that is started here. Needs the extra "lab".

Every machine of a cluster needs the same version of Khamsin; a worker with other data is detected. For a cluster that
asks for a token, name it in the environment (`TOKENS`).
"""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Hashable, Sequence
from threading import Event
from typing import Any

from khamsin import games
from khamsin.lab.local import played
from khamsin.lab.play import GameResult, prepare
from khamsin.lab.run import Died, Message, Ready, StudyError
from khamsin.lab.study import Study

HERE = "local"
"""The address that starts a cluster on this machine, even if another is running."""
GLANCE = 0.5
"""Seconds between checks whether the run was cancelled."""
CONNECT_TIMEOUT_SECONDS = 5.0
"""Time-out for the cluster's response, in seconds."""
PASSED_ON = ("KHAMSIN_GAMES", "KHAMSIN_DATA")
"""Environment variables that are passed to workers."""
GUARD, TOKENS = "RAY_AUTH_MODE", ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
"""Environment variables in which Ray looks for the token mode, the token, and the file of the token."""


class Cluster:
    """A pool of Ray actors; a worker is the number of one."""

    def __init__(self, address: str, jobs: int) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        if any(name in os.environ for name in TOKENS):
            # By default Ray does not send a token to a cluster that is named by its address.
            os.environ.setdefault(GUARD, "token")
        try:
            import ray
        except ImportError:
            raise ValueError("--ray needs the package ray: pip install 'khamsin[lab]'") from None
        self.ray: Any = ray
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        here: dict[str, Any] = {}
        if address == HERE:
            here = {"num_cpus": jobs, "include_dashboard": False}
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        else:
            _check_address(address)
        try:
            ray.init(
                address=address,
                runtime_env={"env_vars": environment},
                log_to_driver=False,
                logging_level=logging.ERROR,
                **here,
            )
        except (ConnectionError, ray.exceptions.AuthenticationError) as error:
            raise ValueError(
                f"{address!r}: the Ray cluster refuses the connection: {str(error).splitlines()[0]}; if it wants a token, "
                f"name it in {TOKENS[0]}, or its file in {TOKENS[1]}"
            ) from None
        self.actor_class: Any = ray.remote(num_cpus=1, max_restarts=0)(WorkerActor)
        self.staff: dict[int, Any] = {}
        self.calls: dict[Any, int] = {}
        """The worker of each call in progress."""
        self._started = 0
        self._woken = Event()

    @property
    def processors(self) -> int:
        """The number of processors in the cluster."""
        return int(self.ray.cluster_resources().get("CPU", 1))

    def start(self, study: Study) -> Hashable:
        """Start an actor."""
        self._started += 1
        self.staff[self._started] = actor = self.actor_class.remote(study)
        self.calls[actor.ready.remote()] = self._started
        return self._started

    def submit(self, worker: Hashable, numbers: Sequence[int]) -> None:
        """Call the actor once per game; it plays them in this order."""
        assert isinstance(worker, int)
        for number in numbers:
            self.calls[self.staff[worker].play.remote(number)] = worker

    def wait(self) -> list[tuple[Hashable, Message]]:
        """Return the finished calls."""
        if self._woken.is_set() or not self.calls:
            return []
        answered, _ = self.ray.wait(list(self.calls), num_returns=1, timeout=GLANCE)
        return [found for call in answered if (found := self._answer(call)) is not None]

    def _answer(self, call: Any) -> tuple[Hashable, Message] | None:
        worker = self.calls.pop(call, None)
        if worker is None:
            return None
        try:
            return worker, self.ray.get(call)
        except self.ray.exceptions.RayActorError as error:
            self._forget(worker)
            return worker, Died(str(error).splitlines()[0])

    def stop(self, worker: Hashable) -> None:
        """Stop an actor."""
        assert isinstance(worker, int)
        self.ray.kill(self.staff[worker])
        self._forget(worker)

    def _forget(self, worker: int) -> None:
        self.staff.pop(worker, None)
        self.calls = {call: other for call, other in self.calls.items() if other != worker}

    def wake(self) -> None:
        """Interrupt `wait`."""
        self._woken.set()

    def close(self) -> None:
        """Stop all actors, and the cluster if it was started here."""
        for actor in self.staff.values():
            self.ray.kill(actor)
        self.staff.clear()
        self.calls.clear()
        self.ray.shutdown()


def _check_address(address: str) -> None:
    """Check that something listens at an address such as 10.0.0.1:6379. Ray itself would retry for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if port.isdecimal():
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_TIMEOUT_SECONDS).close()
        except OSError as error:
            raise ValueError(f"{address!r}: nothing listens there: {error}") from None


class WorkerActor:
    """A Ray actor: does the same as a local worker process."""

    def __init__(self, study: Study) -> None:
        self.study = study

    def ready(self) -> Message:
        """Load the study."""
        try:
            ready = Ready(prepare(self.study).digest, os.getpid())
            games.freeze_gc()
            return ready
        except ValueError as error:
            return StudyError(str(error))

    def play(self, number: int) -> GameResult:
        """Play one game."""
        return played(self.study, number)
