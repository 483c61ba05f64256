"""The seats of computer players. When one is asked, it thinks in a thread about a copy of the match whose dice are not the
real ones, and its click passes the same gate as everybody's.

A player that was thinking when the server stopped begins anew when somebody looks at the game again.
"""

from __future__ import annotations

import asyncio
import logging
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from khamsin import players
from khamsin.kernel.dice import SeededDice
from khamsin.server.gate import Refused

if TYPE_CHECKING:
    from khamsin.server.hall import Hall
    from khamsin.server.table import Table

THREADS = 2
"""How many computer players think at the same time; more would only take the time of those who play."""

log = logging.getLogger(__name__)


class Computers:
    """The computer players of all tables."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="computer player")
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._closed = False

    async def close(self) -> None:
        """Stop thinking."""
        self._closed = True
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def wake(self, table: Table) -> None:
        """Let the computer player think who is asked at a table, if one is and does not already."""
        if self._closed or table.id in self._tasks or table.asked_player() is None:
            return
        task = self._tasks[table.id] = asyncio.create_task(self._play(table))
        task.add_done_callback(lambda _: self._tasks.pop(table.id, None))

    async def _play(self, table: Table) -> None:
        """Click for computer players until a person is asked or the game is over."""
        try:
            while not self._closed:
                async with table.lock:
                    side = None if table.broken else table.asked_player()
                    if side is None:
                        break
                    match = table.course.match.clone(SeededDice(0))
                if side not in table.thinking:
                    table.thinking = {side}
                    table.tell_seats()
                player = self._player(table, side)
                loop = asyncio.get_running_loop()
                click = await loop.run_in_executor(self._threads, players.answer, match, player)
                try:
                    await self.hall.click(table, [side], None, match.number, match.rules.names[click])
                except Refused as refused:
                    if refused.reason not in ("stale", "turn"):
                        raise
        except Refused as refused:
            log.warning("%s: a computer player stopped: %s", table.id, refused)
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("%s: a computer player failed", table.id)
        finally:
            table.thinking = set()
            table.tell_seats()

    def _player(self, table: Table, side: int) -> players.Player:
        if side not in table.players:
            seed = zlib.crc32(f"{table.id} {side} {table.version}".encode())
            table.players[side] = players.player(table.seats[side].who, seed)
        return table.players[side]
