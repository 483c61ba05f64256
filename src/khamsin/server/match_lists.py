"""Data about matches for lists and accounts, mostly without reading them: the holder of each side, the status of each
match.

Functions that are not coroutines run in worker threads.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import orjson
import sqlalchemy as sa

from khamsin.kernel.rules import Rules
from khamsin.server import reasons, seats, store, wire
from khamsin.server.click_checks import Refused
from khamsin.server.live_match import scenario_title
from khamsin.server.replay import Replay
from khamsin.server.seats import OPEN, Seat, digest
from khamsin.server.summary import summary

if TYPE_CHECKING:
    from khamsin.server.registry import MatchRegistry

log = logging.getLogger(__name__)

ASKED_AT_ONCE = 500
"""Matches per statement, which has a limited number of parameters."""


class MatchLists:
    """Data about many matches from the database."""

    def __init__(self, registry: MatchRegistry) -> None:
        self._registry = registry

    def sides_of(self, match: str, key: str) -> list[str]:
        """Return the sides of a match that a key opens; none if there is no such match or key."""
        if not key or "\0" in match:
            return []
        query = sa.select(seats.KEYS.c.side, store.MATCHES.c.game).join(store.MATCHES)
        mine = sa.and_(seats.KEYS.c.match == match, seats.KEYS.c.digest == digest(key))
        with self._registry.store.database.reading() as connection:
            rows = connection.execute(query.where(mine).order_by(seats.KEYS.c.side)).all()
        return [self._registry.find(row.game).sides[row.side] for row in rows]

    async def grant_key(self, match: str, sides: Sequence[str]) -> wire.SeatGranted:
        """Return a new key to some sides of a match, for a device whose account holds them."""
        head = await self._registry.store.read(lambda connection: store.load_head(connection, match))
        numbers, key = sorted(self._registry.rules(head.game).side(side) for side in sides), seats.new_secret()
        await self._registry.done(self._registry.store.write(seats.grant(match, key, numbers, "account")))
        await self._registry.seats_changed(match)
        return wire.SeatGranted(sides=list(sides), key=key, recovery="")

    async def seats_changed(self, match: str) -> None:
        """Tell every viewer of a match that its seats have changed."""
        await self._registry.seats_changed(match)

    def infos(self, matches: Iterable[str]) -> list[wire.MatchInfo]:
        """Return a line about each of these matches, without reading them; without those that no longer exist."""
        wanted, found = list(matches), []
        for first in range(0, len(wanted), ASKED_AT_ONCE):
            ids = wanted[first : first + ASKED_AT_ONCE]
            held: dict[str, list[Seat]] = {}
            with self._registry.store.database.reading() as connection:
                query = sa.select(seats.SEATS).where(seats.SEATS.c.match.in_(ids)).order_by(seats.SEATS.c.side)
                for row in connection.execute(query):
                    held.setdefault(row.match, []).append(Seat(row.side, row.who, row.seen))
                rows = connection.execute(sa.select(store.MATCHES).where(store.MATCHES.c.id.in_(ids))).all()
                told = reasons.told_at_once(connection, ids)
                awaited = store.load_awaited(connection, ids)
            names = self._registry.holders(ids)
            found += [
                self._info(row, held.get(row.id, []), names.get(row.id, {}), row.id in told, awaited.get(row.id, []))
                for row in rows
            ]
        return [info for info in found if info is not None]

    def summary(self, match: str, side: str) -> list[str]:
        """Return what has changed since a side's last turn, one line each, as the side may know it; none if the
        installed rules cannot replay the match."""
        with self._registry.store.database.reading() as connection:
            saved = store.load(connection, match, 0)
        try:
            replay = Replay(saved, self._registry.find)
            return [line["text"] for line in summary(replay, replay.rules.side(side))["lines"]]
        except (Refused, ValueError, RuntimeError, LookupError) as error:
            log.info("%s has no summary: %s", match, error)
            return []

    def _info(
        self, row: Any, held: list[Seat], names: dict[str, str], told: bool, awaited: list[int]
    ) -> wire.MatchInfo | None:
        try:
            rules = self._registry.find(row.game)
        except ValueError:
            return None
        table = self._registry.find_in_memory(row.id)
        seated = [
            wire.SeatInfo(
                side=rules.sides[seat.side],
                who=seat.who,
                name=names.get(rules.sides[seat.side], "") if seat.human else seat.who,
                here=not seat.human or (table is not None and table.is_here(seat.side)),
                thinking=False,
                part=None,
                seen=seat.seen,
                claim_from=None,
            )
            for seat in held
        ]
        phase = waiting_for(rules, held, awaited) if awaited else row.phase
        return wire.MatchInfo(
            id=row.id, game=row.game, title=rules.title, scenario=row.scenario,
            scenario_title=scenario_title(rules, row.scenario), turn=row.turn, label=row.label,
            phase=phase, asked=None if row.asked is None else rules.sides[row.asked], seats=seated,
            result=orjson.loads(row.result) if row.result else None,
            started=row.started, changed=row.changed, open_reasons=told, mine=[], begun=not awaited,
        )  # fmt: skip


def waiting_for(rules: Rules[Any], held: Sequence[Seat], missing: Sequence[int]) -> str:
    """Return what a match waits for, in words: sides that have not joined, or else those that have not contributed to
    the dice."""
    absent = [seat.side for seat in held if seat.who == OPEN] or missing
    return f"Waiting for {' and '.join(rules.sides[side] for side in absent)}"
