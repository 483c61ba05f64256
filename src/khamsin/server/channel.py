"""Messages between the processes that share one PostgreSQL: changes, and which seats have a viewer.

A write sends its message in the same transaction (NOTIFY), so that it arrives exactly when it is durable. A process
that lost its connection reads everything it has in memory again. With SQLite there is one process and no message.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

import orjson
import psycopg

from khamsin.server.live_match import LiveMatch
from khamsin.server.registry import MatchRegistry
from khamsin.server.store import CHANNEL

log = logging.getLogger(__name__)

BEAT = 15.0
"""Seconds between two heartbeats of a process."""
SILENT = 4 * BEAT
"""Seconds after which a process without a heartbeat counts as gone."""
RECONNECT = 1.0
"""Seconds before a broken channel is opened again."""


class Channel:
    """One process's end of the channel."""

    def __init__(self, registry: MatchRegistry) -> None:
        self.registry = registry
        self.store = registry.store
        self._heard: dict[str, float] = {}
        """The time of the last heartbeat of each other process."""
        self._tasks: list[asyncio.Task[None]] = []
        self._listening = asyncio.Event()

    async def open(self) -> None:
        """Begin to listen; after this returns no message is missed."""
        if self.store.database.dialect != "postgresql":
            return
        self.registry.announce = self.announce
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._beat())]
        await asyncio.wait_for(self._listening.wait(), BEAT)

    async def close(self) -> None:
        """Stop listening."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def announce(self, table: LiveMatch) -> None:
        """Tell the other processes which seats have a viewer here."""
        sides = sorted({side for line in table.lines for side in line.holds})
        self.registry.later(self._tell({"match": table.id, "here": sides}))

    async def _tell(self, news: dict[str, Any]) -> None:
        """Send something to the other processes. A message that cannot be sent is lost; a reconnect makes up for it."""
        try:
            await self.store.write(self.store.tell(news))
        except Exception as error:
            log.warning("The other processes cannot be reached: %s", error)

    async def _listen(self) -> None:
        """Receive messages for ever; connect again after any failure."""
        while True:
            try:
                await self._listen_once()
            except Exception as error:
                log.warning("The channel to the other processes broke: %s", error)
            await asyncio.sleep(RECONNECT)

    async def _listen_once(self) -> None:
        url = self.store.database.url.replace("postgresql+psycopg://", "postgresql://")
        options = self.store.database.pg_options()
        async with await psycopg.AsyncConnection.connect(url, autocommit=True, **options) as connection:
            await connection.execute(f"LISTEN {CHANNEL}")
            again = self._listening.is_set()
            self._listening.set()
            if again:
                self._ask_all()
            async for notify in connection.notifies():
                self._take_text(notify.payload)

    def _take_text(self, text: str) -> None:
        """Handle one message; skip invalid ones."""
        try:
            self.take(orjson.loads(text))
        except (ValueError, TypeError, AttributeError) as error:
            log.warning("A message from another process is invalid: %s", error)

    def _ask_all(self) -> None:
        """Read what may have been missed, and announce the viewers of this process again."""
        for table in self.registry.in_memory():
            self.registry.later(self.registry.catch_up(table))
            self.registry.later(self.registry.hear(table))
            self.registry.later(self.registry.refresh_orders(table))
            if table.lines:
                self.announce(table)

    def take(self, news: dict[str, Any]) -> None:
        """Handle one message."""
        sender = news.get("from", "")
        if sender == self.store.process:
            return
        if sender not in self._heard:
            # A new process needs to know the viewers of this one.
            for watched in self.registry.in_memory():
                if watched.lines:
                    self.announce(watched)
        self._heard[sender] = time.monotonic()
        table = self.registry.find_in_memory(news.get("match", ""))
        if table is None:
            return
        if news.get("seq", 0) > table.version:
            self.registry.later(self.registry.catch_up(table))
        if "said" in news:
            self.registry.later(self.registry.hear(table))
        if "seats" in news:
            self.registry.later(self.registry.refresh_seats(table))
        if "orders" in news:
            self.registry.later(self.registry.refresh_orders(table))
        if "hurry" in news:
            self.registry.computers.hurry(table)
        if "here" in news:
            table.elsewhere[sender] = frozenset(news["here"])
            table.tell_seats()

    async def _beat(self) -> None:
        """Send heartbeats, and forget processes without one."""
        while True:
            await self._tell({})
            await asyncio.sleep(BEAT)
            self.forget(time.monotonic() - SILENT)

    def forget(self, since: float) -> None:
        """Forget the viewers of processes without a heartbeat since then."""
        gone = {sender for sender, heard in self._heard.items() if heard < since}
        for sender in gone:
            del self._heard[sender]
        for table in self.registry.in_memory():
            if gone & table.elsewhere.keys():
                table.elsewhere = {who: sides for who, sides in table.elsewhere.items() if who not in gone}
                table.tell_seats()
