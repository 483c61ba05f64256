"""Run studies: assign games to workers, handle workers that die, stop.

The games of each study wait in a queue. A worker belongs to one study, because changed parameters apply to a whole process. A
worker with at most one game left gets more; one whose study has no more is stopped, and another started for a study that has.
When a worker dies, its unfinished games go back to the queue.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter, deque
from collections.abc import AsyncGenerator, Collection, Generator, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Thread
from typing import NamedTuple, Protocol

from khamsin.lab.play import GameResult
from khamsin.lab.study import Study

CHUNK = 32
"""Maximum number of games per assignment."""
DEATHS = 3
"""Worker deaths after which a game is given up; also deaths in a row before the first game that end the run."""


class Ready(NamedTuple):
    """A worker has loaded its study: the digest of its game data, and its process id."""

    data: str
    pid: int


class Died(NamedTuple):
    """A worker has ended."""

    how: str


class StudyError(NamedTuple):
    """A study cannot be played; `why` is the reason in one line."""

    why: str


Message = Ready | GameResult | Died | StudyError


class WorkerPool(Protocol):
    """A pool of workers: local processes or cluster actors."""

    def start(self, study: Study) -> Hashable:
        """Start a worker for a study. It sends `Ready` when it has loaded."""
        ...

    def submit(self, worker: Hashable, numbers: Sequence[int]) -> None:
        """Append games to a worker's queue."""
        ...

    def wait(self) -> list[tuple[Hashable, Message]]:
        """Wait for messages of workers and return them. Return none after `wake` or a time-out."""
        ...

    def stop(self, worker: Hashable) -> None:
        """Stop an idle worker."""
        ...

    def wake(self) -> None:
        """Interrupt `wait`. May be called from any thread."""
        ...

    def close(self) -> None:
        """Stop all workers at once."""
        ...


class Finished(NamedTuple):
    """A finished game: the index of its study, and its outcome."""

    arm: int
    outcome: GameResult


@dataclass
class Assignment:
    """A worker's study, and the games it has not finished."""

    arm: int
    given: deque[int] = field(default_factory=deque)
    pid: int = 0
    """The worker's process, once it is ready."""


class Run:
    """A run plays the same games of each study. Iterate over it once to get the games as they finish:

    ```python
    run = Run([study], games=100)
    for arm, outcome in run:
        print(outcome.number, outcome.winner)
    ```

    `cancel`, from any thread, ends the iteration soon; leaving the loop ends the workers too. `async for` works as well.
    """

    def __init__(
        self,
        studies: Sequence[Study],
        games: int,
        jobs: int | None = None,
        done: Collection[tuple[int, int]] = (),
        pool: WorkerPool | None = None,
    ) -> None:
        """Play games 0 to `games` - 1 of each study, except the (study, game) pairs in `done`, with `jobs` workers: by default
        one per processor."""
        from khamsin.lab.local import Processes

        self.studies = list(studies)
        self.jobs = max(1, jobs or os.cpu_count() or 1)
        self.pool: WorkerPool = pool or Processes()
        self.pending = [deque(n for n in range(games) if (arm, n) not in done) for arm, _ in enumerate(self.studies)]
        self.data: dict[int, str] = {}
        """By study: the digest of its game data, once known."""
        self.cancelled = False
        self.assignments: dict[Hashable, Assignment] = {}
        self._deaths: Counter[tuple[int, int]] = Counter()
        self._stillborn = 0

    @property
    def left(self) -> int:
        """The number of unfinished games."""
        return sum(map(len, self.pending)) + sum(len(assignment.given) for assignment in self.assignments.values())

    def cancel(self) -> None:
        """Stop the run. Finished games count; games in progress do not."""
        self.cancelled = True
        self.pool.wake()

    def __iter__(self) -> Generator[Finished, None, None]:
        try:
            self._staff()
            while self.assignments and not self.cancelled:
                for worker, message in self.pool.wait():
                    yield from self._hear(worker, message)
                self._staff()
        finally:
            self.pool.close()

    async def __aiter__(self) -> AsyncGenerator[Finished, None]:
        """Iterate in an event loop. A thread follows the run; it ends when the loop is left or its task is cancelled."""
        loop, heard = asyncio.get_running_loop(), asyncio.Queue[Finished | Exception | None]()

        def follow() -> None:
            last = None
            try:
                for finished in self:
                    loop.call_soon_threadsafe(heard.put_nowait, finished)
            except Exception as error:
                last = error
            loop.call_soon_threadsafe(heard.put_nowait, last)

        thread = Thread(target=follow, name="khamsin lab", daemon=True)
        thread.start()
        try:
            while (one := await heard.get()) is not None:
                if isinstance(one, Exception):
                    raise one
                yield one
        finally:
            self.cancel()
            await asyncio.to_thread(thread.join)

    def _staff(self) -> None:
        """Start workers while games wait and jobs are free, first for the study with most games per worker."""
        while len(self.assignments) < self.jobs and not self.cancelled:
            staff = Counter(assignment.arm for assignment in self.assignments.values())
            wanting = [arm for arm, queue in enumerate(self.pending) if len(queue) > staff[arm] * (staff[arm] > 0)]
            if not wanting:
                return
            arm = max(wanting, key=lambda arm: len(self.pending[arm]) / (1 + staff[arm]))
            self.assignments[self.pool.start(self.studies[arm])] = Assignment(arm)

    def _hear(self, worker: Hashable, message: Message) -> Iterator[Finished]:
        """Handle a worker's message."""
        assignment = self.assignments.get(worker)
        if assignment is None:
            return
        if isinstance(message, StudyError):
            raise ValueError(message.why)
        if isinstance(message, Died):
            yield from self._on_worker_died(worker, assignment, message.how)
            return
        if isinstance(message, GameResult):
            assignment.given.remove(message.number)
            self._provide(worker, assignment)
            yield Finished(assignment.arm, message)
        else:
            self._welcome(assignment, message)
            self._provide(worker, assignment)

    def _welcome(self, assignment: Assignment, message: Ready) -> None:
        """Note that a worker is ready. Its data must equal that of the others."""
        assignment.pid = message.pid
        self._stillborn = 0
        if self.data.setdefault(assignment.arm, message.data) != message.data:
            raise ValueError(
                f"workers disagree about the data of {self.studies[assignment.arm].game}: is one of another version?"
            )

    def _provide(self, worker: Hashable, assignment: Assignment) -> None:
        """Give more games to a worker with at most one left; stop it if there are none."""
        queue = self.pending[assignment.arm]
        if len(assignment.given) <= 1 and queue:
            staff = sum(other.arm == assignment.arm for other in self.assignments.values())
            chunk = [queue.popleft() for _ in range(min(CHUNK, max(1, len(queue) // (4 * staff))))]
            assignment.given.extend(chunk)
            self.pool.submit(worker, chunk)
        if not assignment.given:
            del self.assignments[worker]
            self.pool.stop(worker)

    def _on_worker_died(self, worker: Hashable, assignment: Assignment, how: str) -> Iterator[Finished]:
        """Requeue a dead worker's games, except one that has killed `DEATHS` workers."""
        del self.assignments[worker]
        if not assignment.pid:
            self._stillborn += 1
            if self._stillborn >= DEATHS:
                raise RuntimeError(f"{DEATHS} workers in a row died before their first game: {how}")
        if assignment.given:
            under_way = (assignment.arm, assignment.given[0])
            self._deaths[under_way] += 1
            if self._deaths[under_way] >= DEATHS:
                number = assignment.given.popleft()
                yield Finished(assignment.arm, GameResult(number, error=f"its worker died {DEATHS} times: {how}"))
        self.pending[assignment.arm].extendleft(reversed(assignment.given))
