"""Worker processes on this machine. Each is spawned, loads its study once and plays the games it is sent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections.abc import Hashable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from khamsin import games
from khamsin.lab.play import GameResult, play, prepare
from khamsin.lab.run import Died, Message, Ready, StudyError
from khamsin.lab.study import Study

SPAWN = multiprocessing.get_context("spawn")
STOP_TIMEOUT_SECONDS = 5.0
"""Seconds to wait for a process to end by itself."""


class Processes:
    """A pool of processes; a worker is its end of a pipe."""

    def __init__(self, nice: int = 0) -> None:
        """`nice` lowers the priority of the processes."""
        self.nice = nice
        self.staff: dict[Connection, BaseProcess] = {}
        self._bell, self._ring = SPAWN.Pipe(duplex=False)

    def start(self, study: Study) -> Hashable:
        """Start a process."""
        ours, theirs = SPAWN.Pipe()
        process = SPAWN.Process(target=work, args=(theirs, study, self.nice), daemon=True, name="khamsin lab")
        process.start()
        theirs.close()
        self.staff[ours] = process
        return ours

    def submit(self, worker: Hashable, numbers: Sequence[int]) -> None:
        """Send more games. If the process has just died, `wait` reports it."""
        assert isinstance(worker, Connection)
        try:
            worker.send(list(numbers))
        except OSError:
            return

    def wait(self) -> list[tuple[Hashable, Message]]:
        """Wait for messages and return all that have arrived."""
        heard: list[tuple[Hashable, Message]] = []
        for ready in wait([self._bell, *self.staff]):
            if ready is self._bell:
                self._bell.recv()
                continue
            assert isinstance(ready, Connection)
            try:
                heard.append((ready, ready.recv()))
            except (EOFError, OSError):
                heard.append((ready, Died(self._end(ready))))
        return heard

    def stop(self, worker: Hashable) -> None:
        """Close the pipe of a process, which ends it."""
        assert isinstance(worker, Connection)
        self._end(worker)

    def wake(self) -> None:
        """Interrupt `wait`."""
        self._ring.send(None)

    def close(self) -> None:
        """End all processes at once."""
        for process in self.staff.values():
            process.terminate()
        for worker in list(self.staff):
            self._end(worker)

    def _end(self, worker: Connection) -> str:
        """Close the pipe of a process, wait for its end and return how it ended."""
        process = self.staff.pop(worker)
        worker.close()
        process.join(STOP_TIMEOUT_SECONDS)
        if process.is_alive():
            process.kill()
            process.join()
        code = process.exitcode or 0
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def work(pipe: Connection, study: Study, nice: int = 0) -> None:
    """Run a worker process: load the study, play the games it is sent, end when the pipe is closed."""
    if nice and hasattr(os, "nice"):
        os.nice(nice)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent process
    try:
        try:
            ready = Ready(prepare(study).digest, os.getpid())
            games.freeze_gc()
            pipe.send(ready)
        except ValueError as error:
            pipe.send(StudyError(str(error)))
            return
        while True:
            for number in pipe.recv():
                pipe.send(played(study, number))
    except (EOFError, OSError):
        return


def played(study: Study, number: int) -> GameResult:
    """Play a game; return its result or its error."""
    try:
        return play(study, number)
    except Exception:
        return GameResult(number, error=traceback.format_exc(limit=-4).strip())
