"""Cached answers about a match: refusals, odds, sheets, layers, calendar, position.

An answer is computed from a copy of the match, once for each version of the match and viewer, and cached encoded. The
caller who causes the computation pays for its time.
"""

from __future__ import annotations

import asyncio
import gzip
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from fastapi.responses import Response

from khamsin.kernel.dice import SeededDice
from khamsin.kernel.match import Match
from khamsin.server import limits, views
from khamsin.server.click_checks import Refused
from khamsin.server.lanes import Lane, Lanes

if TYPE_CHECKING:
    from khamsin.server.live_match import LiveMatch
    from khamsin.server.middleware import Payer

log = logging.getLogger(__name__)

PACKED_FROM = 1024
"""Bytes from which an answer is compressed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An encoded answer, or a refusal instead, and the milliseconds it took."""

    body: bytes
    packed: bytes
    refused: Refused | None
    cost: float

    @property
    def size(self) -> int:
        """The bytes it occupies, with its container."""
        return len(self.body) + len(self.packed) + 500

    def response(self, accepts: str) -> Response:
        """Return it for HTTP, compressed if the caller accepts that; raise the refusal."""
        if self.refused is not None:
            raise self.refused.with_traceback(None)
        if self.packed and "gzip" in accepts:
            headers = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
            return Response(self.packed, media_type="application/json", headers=headers)
        return Response(self.body, media_type="application/json")


def compute(work: Callable[[], Any]) -> Answer:
    """Compute and encode an answer, in a thread. A request that the rules cannot compute is refused."""
    start = time.thread_time()
    body, packed, refused = b"", b"", None
    try:
        body = orjson.dumps(work())
        if len(body) >= PACKED_FROM:
            packed = gzip.compress(body, 5)
    except Refused as error:
        refused = error
    except (ValueError, LookupError, TypeError, ArithmeticError, AttributeError) as error:
        log.debug("a request that the rules cannot compute", exc_info=error)
        refused = Refused("invalid", str(error) or "That cannot be computed")
    return Answer(body, packed, refused, (time.thread_time() - start) * 1e3)


class Answers:
    """The answers of one server."""

    def __init__(self, lanes: Lanes, budget: int = limits.ANSWER_MEMORY) -> None:
        self.lanes = lanes
        self.budget = budget
        self._size = 0
        self._kept: OrderedDict[Hashable, Answer] = OrderedDict()
        self._computing: dict[Hashable, asyncio.Task[Answer]] = {}

    async def of(
        self,
        table: LiveMatch,
        viewer: int,
        what: Hashable,
        work: Callable[[Match[Any]], Any],
        payer: Payer | None = None,
    ) -> Answer:
        """Return the answer to a request about a match at its present version; `what` names the request."""
        known = self.known((table.id, table.shown, viewer, what))
        if known is not None:
            return known
        match, version = await self.copy(table)
        return await self.computed(
            (table.id, version, viewer, what), self.lanes.asks, lambda: compute(lambda: work(match)), payer
        )

    async def why(self, table: LiveMatch, viewer: int, click: str, payer: Payer | None = None) -> Answer:
        """Return why a click is illegal."""
        return await self.of(table, viewer, ("why", click), lambda match: views.why(match, click, viewer), payer)

    def known(self, key: Hashable) -> Answer | None:
        """Return the answer cached under a key: match, version, viewer and request."""
        known = self._kept.get(key)
        if known is not None:
            self._kept.move_to_end(key)
        return known

    async def computed(
        self, key: Hashable, lane: Lane, work: Callable[[], Answer], payer: Payer | None = None
    ) -> Answer:
        """Return the answer cached under a key, or compute it once for all who request it meanwhile."""
        known = self.known(key)
        if known is not None:
            return known
        task = self._computing.get(key)
        if task is None:
            if payer is not None:
                payer.check()
            task = self._computing[key] = asyncio.create_task(self._compute(key, lane, work, payer))
            task.add_done_callback(lambda _: self._computing.pop(key, None))
        return await asyncio.shield(task)

    async def _compute(self, key: Hashable, lane: Lane, work: Callable[[], Answer], payer: Payer | None) -> Answer:
        answer = await lane.run(work)
        if payer is not None:
            payer.charge(answer.cost)
        self._keep(key, answer)
        return answer

    def _keep(self, key: Hashable, answer: Answer) -> None:
        self._kept[key] = answer
        self._size += answer.size
        while self._size > self.budget:
            self._size -= self._kept.popitem(last=False)[1].size

    async def copy(self, table: LiveMatch) -> tuple[Match[Any], int]:
        """Return a copy of a match to compute from, made once per version, and its version."""
        if table.copy is None or table.copy[1] != table.shown:
            async with table.lock:
                await self.copy_locked(table)
        assert table.copy is not None
        return table.copy

    async def copy_locked(self, table: LiveMatch) -> None:
        """Make the copy of a match whose lock is held."""
        if table.broken:
            raise Refused("busy", "The match cannot be read at this moment. Try again in a few seconds.")
        if table.copy is None or table.copy[1] != table.version:
            match = await self.lanes.clicks.run(table.history.match.clone, SeededDice(0))
            table.copy = (match, table.version)
