"""Threads for rules code, which never runs in the event loop.

Everything that touches a live match runs in one thread, the lane for clicks. Requests about a match are computed in a
second one from a copy, replays and imports run in a third. So neither delays a click for longer than the interpreter
takes to switch threads.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from khamsin.server import limits
from khamsin.server.click_checks import Refused

if TYPE_CHECKING:
    from khamsin.server.middleware import Payer

T = TypeVar("T")

SWITCH_SECONDS = 0.0005
"""How long a thread may hold the interpreter while another waits for it."""


class Lane:
    """One thread and the work that waits for it."""

    def __init__(self, name: str, most: int) -> None:
        self.most = most
        self.waiting = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)

    async def run(self, work: Callable[..., T], *args: object) -> T:
        """Run work in the thread; refused if too much waits."""
        if self.waiting >= self.most:
            raise Refused("busy", "The server has too much to compute at this moment. Try again in a few seconds.")
        self.waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)
        finally:
            self.waiting -= 1

    async def run_paid(self, payer: Payer, work: Callable[[], T]) -> T:
        """Run work for whose processor time a caller pays, also if it fails; refused if the caller has used up its
        share."""
        payer.check()

        def timed() -> tuple[T | Exception, float]:
            start = time.thread_time()
            try:
                done: T | Exception = work()
            except Exception as error:
                done = error
            return done, (time.thread_time() - start) * 1e3

        done, cost = await self.run(timed)
        payer.charge(cost)
        if isinstance(done, Exception):
            raise done
        return done

    def close(self) -> None:
        """Let the thread end; what has not begun is dropped."""
        self._thread.shutdown(wait=False, cancel_futures=True)


class Lanes:
    """The threads of one server."""

    def __init__(self) -> None:
        self.clicks = Lane("clicks", limits.CLICKS_WAITING)
        self.asks = Lane("asks", limits.ASKS_WAITING)
        self.replays = Lane("replays", limits.REPLAYS_WAITING)

    def open(self) -> None:
        """Let threads switch quickly enough for the event loop."""
        sys.setswitchinterval(SWITCH_SECONDS)

    def close(self) -> None:
        """End the threads."""
        for lane in (self.clicks, self.asks, self.replays):
            lane.close()
