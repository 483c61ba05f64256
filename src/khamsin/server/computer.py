"""The seats of computer players. When one must decide, it thinks in a thread about a copy of the match without the real
dice, and its click passes the same checks as any other. A slow one reports its progress, and can be told to move now.

A player that was thinking when the server stopped starts again when the match is next viewed.
"""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from khamsin import players
from khamsin.kernel.dice import SeededDice
from khamsin.server import reasons
from khamsin.server.click_checks import Refused

if TYPE_CHECKING:
    from khamsin.server.live_match import LiveMatch
    from khamsin.server.registry import MatchRegistry

THREADS = 2
"""How many computer players think at the same time; more would only take time from the players."""

STEP = 0.04
"""The least progress between two reports."""

RETRY_SECONDS = 2.0
"""Seconds before a click that could not be stored is tried again."""

log = logging.getLogger(__name__)


class Computers:
    """The computer players of all matches."""

    def __init__(self, registry: MatchRegistry) -> None:
        self.registry = registry
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="computer player")
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._closed = False

    async def close(self) -> None:
        """Stop thinking."""
        self._closed = True
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        for table in self.registry.in_memory():
            self.hurry(table)
        if tasks:
            await asyncio.wait(tasks)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def wake(self, table: LiveMatch) -> None:
        """Let the computer player that must decide in a match think, unless it already does."""
        if self._closed or table.id in self._tasks or table.asked_player() is None:
            return
        task = self._tasks[table.id] = asyncio.create_task(self._play(table))
        task.add_done_callback(lambda _: self._tasks.pop(table.id, None))

    def hurry(self, table: LiveMatch) -> None:
        """Let the computer player of a match, if it can stop early, click with its best plan so far."""
        for side in table.thinking:
            player = table.players.get(side)
            if isinstance(player, players.Thinker):
                player.stop = True

    async def _play(self, table: LiveMatch) -> None:
        """Click for computer players until a person must decide or the game is over."""
        try:
            while not self._closed:
                async with table.lock:
                    side = None if table.broken else table.asked_player()
                    if side is None:
                        break
                    match = await self.registry.lanes.clicks.run(table.history.match.clone, SeededDice(0))
                    made = table.history.clicks
                player = self._player(table, side)
                if table.thinking != {side: None}:
                    table.thinking = {side: None}
                    table.tell_thinking()
                loop = asyncio.get_running_loop()
                if isinstance(player, players.Thinker):
                    player.stop = False
                    player.progress = self._listener(table, side)
                click = await loop.run_in_executor(self._threads, players.answer, match, player)
                try:
                    await self.registry.click(table, [side], None, match.number, match.rules.names[click])
                except Refused as refused:
                    if refused.reason == "busy":
                        await self._database_back(table)
                    elif refused.reason not in ("stale", "turn"):
                        raise
                    continue
                if isinstance(player, players.Reasoning) and player.log:
                    lines, player.log[:] = list(player.log), []
                    self.registry.later(
                        self.registry.store.write(reasons.keep(table.id, match.number, side, made, lines))
                    )
        except Refused as refused:
            log.warning("%s: a computer player stopped: %s", table.id, refused)
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("%s: a computer player failed", table.id)
        finally:
            table.thinking = {}
            table.tell_thinking()

    async def _database_back(self, table: LiveMatch) -> None:
        """Wait until a match whose last click could not be stored has been read again."""
        while True:
            await asyncio.sleep(RETRY_SECONDS)
            try:
                await self.registry.table(table.id)
                return
            except Refused as refused:
                if refused.reason != "busy":
                    raise

    def _listener(self, table: LiveMatch, side: int) -> Callable[[float], None]:
        """Return the function by which a player reports its progress, from its thread."""
        loop = asyncio.get_running_loop()

        def hear(part: float) -> None:
            loop.call_soon_threadsafe(self._heard, table, side, part)

        return hear

    def _heard(self, table: LiveMatch, side: int, part: float) -> None:
        """Handle the progress of a player."""
        if side in table.thinking and part >= (table.thinking[side] or 0.0) + STEP:
            table.thinking[side] = part
            table.tell_thinking()

    def _player(self, table: LiveMatch, side: int) -> players.Player:
        if side not in table.players:
            seed = zlib.crc32(f"{table.id} {side} {table.version}".encode())
            table.players[side] = players.player(table.seats[side].who, seed)
        return table.players[side]
