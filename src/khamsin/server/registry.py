"""Registry of matches in memory. Changes are applied, stored, then broadcast.

A match is read when it is requested and dropped when it was not used for long. If a change cannot be stored, the match
is read again, so that memory never has more than the database.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, TypeVar

import orjson
import sqlalchemy as sa

from khamsin.kernel.dice import DiceError
from khamsin.kernel.rules import Find, Illegal, Rules
from khamsin.server import click_checks, limits, orders, reasons, seats, store, wire
from khamsin.server import history as histories
from khamsin.server.answers import Answer, Answers, compute
from khamsin.server.automatic import answer_alone, answer_by_order
from khamsin.server.click_checks import Refused
from khamsin.server.computer import Computers
from khamsin.server.database import Job, now
from khamsin.server.frozen import Frozen
from khamsin.server.history import CLICK, ORDER, Diverged, MatchHistory, Stranded
from khamsin.server.lanes import Lanes
from khamsin.server.live_match import LiveMatch, said
from khamsin.server.match_lists import MatchLists, waiting_for
from khamsin.server.middleware import Payer
from khamsin.server.seats import OPEN, PERSON, Seat, digest
from khamsin.server.store import Collision, Entry, Saved, Store, Unknown

T = TypeVar("T")
log = logging.getLogger(__name__)

STRANDED = "The installed rules cannot continue this match; it is shown as it was"

YourTurn = Callable[[sa.Connection, str, str], None]
"""Queues, within the transaction of a click, a notice that an absent side must decide."""


class MatchRegistry:
    """The matches in memory, by id."""

    def __init__(self, store: Store, find: Find) -> None:
        self.store = store
        self.find = find
        self.your_turn: YourTurn | None = None
        self.after_turn: Callable[[], None] = lambda: None
        self.looked: Callable[[str, str], None] | None = None
        self.holders: Callable[[Sequence[str]], dict[str, dict[str, str]]] = lambda matches: {}
        """The names of the accounts that hold the seats of some matches: for each match by side."""
        self.release: Callable[[sa.Connection, str, Sequence[str], int | None], None] = lambda *about: None
        """Lets all accounts but one lose some sides of a match, within a transaction."""
        self.announce: Callable[[LiveMatch], None] = lambda table: None
        """Tells the other processes which seats have a viewer here."""
        self.lanes = Lanes()
        self.answers = Answers(self.lanes)
        self.computers = Computers(self)
        self.lists = MatchLists(self)
        self._rebuilding = asyncio.Semaphore(1)
        self._tables: OrderedDict[str, LiveMatch] = OrderedDict()
        self._loading: dict[str, asyncio.Task[LiveMatch]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    async def close(self) -> None:
        """Stop the computer players and finish every change in progress."""
        await self.computers.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)
        self.lanes.close()

    # Finding a match

    async def table(self, match: str) -> LiveMatch:
        """Return a match; read it if it is not in memory."""
        if "\0" in match:  # PostgreSQL rejects such an id
            raise Refused("unknown", "There is no such match")
        table = self._tables.get(match)
        if table is not None:
            self._tables.move_to_end(match)
            if table.broken:
                await self._whole(self._mended(table))
            return table
        loading = self._loading.get(match)
        if loading is None:
            loading = self._loading[match] = asyncio.create_task(self._load(match))
            loading.add_done_callback(lambda _: self._loading.pop(match, None))
        return await asyncio.shield(loading)

    def in_memory(self) -> list[LiveMatch]:
        """Return the matches in memory now."""
        return list(self._tables.values())

    def find_in_memory(self, match: str) -> LiveMatch | None:
        """Return a table, if it is in memory."""
        return self._tables.get(match)

    async def _load(self, match: str) -> LiveMatch:
        saved, history = await self._read(match)
        table = LiveMatch(history, saved.seats, saved.devices, [said(history.rules, row) for row in saved.chat])
        table.names = await self.names(match)
        table.last_change = saved.entries[-1].at
        table.rematch = await self.rematch_of(match)
        table.orders = await self.store.read(lambda connection: orders.load(connection, match))
        return self.put(table)

    def put(self, table: LiveMatch) -> LiveMatch:
        """Keep a match in memory; the least recently used are dropped."""
        self._tables[table.id] = table
        lines = sum(len(old.history.log) for old in self._tables.values())
        for old in list(self._tables.values()):
            if len(self._tables) <= limits.MATCHES_OPEN and lines <= limits.LOGS_OPEN:
                break
            if not old.lines and not old.thinking and not old.lock.locked() and old is not table:
                del self._tables[old.id]
                lines -= len(old.history.log)
        return table

    async def _read(self, match: str, consent: bool = False) -> tuple[Saved, MatchHistory]:
        """Return a stored match, and its history. One that all have joined begins here."""
        while True:
            saved = await self.saved(match)
            if saved.head.waiting:
                raise Refused("waiting", self._awaited(saved))
            if not saved.entries:
                await self._begin(saved)
                continue
            try:
                async with self._rebuilding:
                    history, resume = await asyncio.to_thread(histories.rebuilt, saved, self.find, consent)
            except Stranded as stranded:
                log.warning("%s cannot be continued: %s", match, stranded)
                raise Refused("frozen", STRANDED) from stranded
            except ValueError as error:
                log.warning("%s cannot be read: %s", match, error)
                raise Refused("frozen", STRANDED) from error
            if resume is None:
                return saved, history
            add = self.store.append(match, resume, history.status())
            keep = self.store.keep(match, history.snapshot(), resume.seq)

            def write(connection: sa.Connection, add: Job = add, keep: Job = keep) -> None:
                add(connection)
                keep(connection)

            try:
                await self.store.write(write)
            except Collision:
                continue
            saved.entries.append(resume)
            return saved, history

    async def _begin(self, saved: Saved) -> None:
        """Roll the rolls of the set-up and store the first entry of a match."""
        head = saved.head
        history = await asyncio.to_thread(MatchHistory.begun, head, self.rules(head.game), self.find)
        begin = self.store.begin(head.id, [history.start_entry()], history.status(), history.snapshot())
        try:
            await self.done(self.store.write(begin))
        except Collision:
            log.debug("%s: another process has begun it", head.id)

    def _awaited(self, saved: Saved) -> str:
        """Return what a match waits for, in words."""
        missing = [one.side for one in saved.head.contributions if one.value is None]
        return waiting_for(self.rules(saved.head.game), saved.seats, missing)

    async def frozen(self, match: str) -> Frozen:
        """Return a match that the installed rules cannot continue, from stored data."""
        saved = await self.saved(match)
        return await asyncio.to_thread(Frozen.of, saved, self.find, await self._agreed(saved))

    async def _agreed(self, saved: Saved) -> list[int]:
        """Return the sides that agreed to lose clicks of the match as it is stored."""
        query = sa.select(store.CONSENTS.c.side).where(
            store.CONSENTS.c.match == saved.head.id, store.CONSENTS.c.seq == saved.entries[-1].seq
        )
        return await self.store.read(lambda connection: list(connection.scalars(query)))

    async def consent(self, match: str, key: str) -> None:
        """Agree to lose clicks, so that a match can continue under the installed rules. It does when all have agreed."""
        frozen = await self.frozen(match)
        holds = frozen.holds(key)
        if not holds:
            raise Refused("seat", "Only players of this match can agree to continue it")
        if frozen.lost is None:
            raise Refused("frozen", STRANDED)
        seq = frozen.saved.entries[-1].seq
        rows = [{"match": match, "side": side, "seq": seq} for side in holds]

        def job(connection: sa.Connection) -> None:
            mine = sa.and_(store.CONSENTS.c.match == match, store.CONSENTS.c.side.in_(holds))
            connection.execute(sa.delete(store.CONSENTS).where(mine))
            connection.execute(sa.insert(store.CONSENTS), rows)

        await self.done(self.store.write(job))
        if not {seat.side for seat in frozen.saved.seats if seat.human} - {*frozen.agreed, *holds}:
            await self._whole(self._read(match, consent=True))

    async def saved(self, match: str) -> Saved:
        """Return a stored match."""
        try:
            return await self.store.read(lambda connection: store.load(connection, match, limits.CHAT_LINES))
        except Unknown:
            raise Refused("unknown", "There is no such match") from None

    async def last_change(self, match: str) -> str:
        """Return when a match changed last."""
        query = sa.select(store.MATCHES.c.changed).where(store.MATCHES.c.id == match)
        return await self.store.read(lambda connection: str(connection.execute(query).scalar_one()))

    async def rematch_of(self, match: str) -> str | None:
        """Return the rematch of a match."""
        query = sa.select(store.REMATCHES.c.next).where(store.REMATCHES.c.match == match)
        return await self.store.read(lambda connection: connection.execute(query).scalar())

    def rules(self, game: str) -> Rules[Any]:
        """Return the rules of a game that can be played."""
        try:
            return self.find(game)
        except ValueError as error:
            raise Refused("unknown", str(error)) from None

    # Playing

    async def click(
        self,
        table: LiveMatch,
        holds: Sequence[int],
        side: str | None,
        number: int,
        click: str,
        payer: Payer | None = None,
    ) -> int:
        """Check and make a click, store it, send it to all viewers. Return the side that clicked. `payer` pays for the
        explanation of an illegal click."""
        return await self._whole(self._click(table, holds, side, number, click, payer))

    async def _click(
        self, table: LiveMatch, holds: Sequence[int], side: str | None, number: int, click: str, payer: Payer | None
    ) -> int:
        async with table.lock:
            await self._mend(table)
            history = table.history
            seat, done = await self._change(
                table, holds, side, number, lambda: history.click(click) if click_checks.is_open(table, click) else None
            )
            if done:
                return seat
            await self.answers.copy_locked(table)
        raise await self._refusal(table, seat, click, payer)

    async def _refusal(self, table: LiveMatch, seat: int, click: str, payer: Payer | None) -> Refused:
        """Return why a click is illegal."""
        answer = await self.answers.why(table, seat, click, payer)
        why = orjson.loads(answer.body)
        return Refused("illegal", why["reason"], why["rule"], why["cause"])

    async def undo(
        self, table: LiveMatch, holds: Sequence[int], side: str | None, number: int, move: int | None
    ) -> int:
        """Undo a move of the phase, through the same checks."""
        return await self._whole(self._undo(table, holds, side, number, move))

    async def _undo(
        self, table: LiveMatch, holds: Sequence[int], side: str | None, number: int, move: int | None
    ) -> int:
        async with table.lock:
            await self._mend(table)
            history = table.history
            seat, _ = await self._change(table, holds, side, number, lambda: history.undo(move))
            return seat

    async def set_order(self, table: LiveMatch, side: int, asked: wire.NewOrder) -> None:
        """Set a standing order of a seat. It applies to the present decision too."""
        await self._whole(self._set_order(table, side, asked))

    async def _set_order(self, table: LiveMatch, side: int, asked: wire.NewOrder) -> None:
        async with table.lock:
            await self._mend(table)
            if table.history.match.over:
                raise Refused("over", "The match is over")
            order = await self.lanes.clicks.run(orders.wanted, table, side, asked)
            if order not in [one._replace(number=0) for one in table.orders]:
                await self.done(self.store.write(orders.add(table.id, order)))
                await self._orders_changed(table)
            await self._apply(table, lambda: (side, answer_by_order(table.history, table.people(), table.orders)))

    async def cancel_order(self, table: LiveMatch, side: int, number: int) -> None:
        """Cancel a standing order of a seat."""
        await self.done(self.store.write(orders.drop(table.id, side, number)))
        await self._orders_changed(table)

    async def _orders_changed(self, table: LiveMatch) -> None:
        """Read the standing orders of a match again, here and in other processes."""
        await self.refresh_orders(table)
        await self.done(self.store.write(self.store.tell({"match": table.id, "orders": True})))

    async def refresh_orders(self, table: LiveMatch) -> None:
        """Read the standing orders of a match again."""
        table.orders = await self.store.read(lambda connection: orders.load(connection, table.id))

    async def concede(self, table: LiveMatch, kind: str, side: int) -> None:
        """End a match: a side resigns, or the opponent claims it because the side did not return in time."""
        await self._whole(self._concede(table, kind, side))

    async def _concede(self, table: LiveMatch, kind: str, side: int) -> None:
        async with table.lock:
            await self._mend(table)
            if table.history.match.over:
                raise Refused("over", "The match is over")
            if kind == histories.CLAIM:
                possible = table.claim_from(side)
                if possible is None:
                    raise Refused(
                        "early", f"{table.rules.sides[side]} is here, need not decide now, or has no time limit"
                    )
                if possible > now():
                    raise Refused("early", f"The match can be claimed from {possible[:16].replace('T', ' ')} UTC")
            await self._apply(table, lambda: (side, table.history.concede(kind, side)))

    async def _change(
        self, table: LiveMatch, holds: Sequence[int], side: str | None, number: int, change: Callable[[], Entry | None]
    ) -> tuple[int, bool]:
        """Make the click checks and change the match. Return the side that acted, and whether something was changed.
        The lock is held."""
        return await self._apply(table, lambda: (click_checks.check_turn(table, holds, side, number), change()))

    async def _apply(self, table: LiveMatch, act: Callable[[], tuple[int, Entry | None]]) -> tuple[int, bool]:
        """Change a match, store that and send it to all viewers. The lock is held.

        The frames are encoded with the change, in one run of the thread, and sent when the change is durable.
        """
        watched = table.watched()

        def work() -> tuple[int, Entry | None, dict[int, bytes], Job | None]:
            seat, entry = act()
            if entry is None:
                return seat, None, {}, None
            cut, jobs = entry.cut, [self._with_snapshots(table, entry)]
            if entry.kind in (CLICK, ORDER):
                for entry in answer_alone(table.history, table.people(), table.orders):
                    jobs.append(self._with_snapshots(table, entry))
            return seat, entry, table.updates(cut, watched), _all_of(jobs)

        try:
            seat, entry, updates, write = await self.lanes.clicks.run(work)
        except Refused:
            raise
        except Illegal as error:
            raise Refused("illegal", error.reason, error.rule) from None
        except Exception:
            log.exception("%s: the rules failed", table.id)
            table.broken = True
            raise Refused("illegal", "The rules failed here; nothing has changed. Please send us the record.") from None
        if entry is None or write is None:
            return seat, False
        try:
            await self.store.write(self._with_notice(table, seat, write))
        except Collision:
            await self._read_again(table)
            view = await self.lanes.clicks.run(table.view, seat)
            raise Refused("stale", "The match has changed meanwhile", view=view) from None
        except Exception:
            log.exception("%s: an entry could not be written", table.id)
            table.broken = True
            raise Refused("busy", "The match cannot be stored at this moment. Try again.") from None
        table.last_change = entry.at
        table.send_updates(updates)
        self.computers.wake(table)
        return seat, True

    def _with_snapshots(self, table: LiveMatch, entry: Entry) -> Job:
        """Return the job that stores an entry with a snapshot if a phase begins, and drops those that an undo made
        invalid."""
        history = table.history
        jobs = [self.store.append(table.id, entry, history.status())]
        if entry.kind == "undo":
            jobs.append(self.store.drop_snapshots(table.id, history.forget_snapshots(entry)))
        if history.snapshot_due():
            jobs.append(self.store.keep(table.id, history.snapshot(seen=table.seen_by_all()), history.oldest_needed()))

        return _all_of(jobs)

    async def _show(self, table: LiveMatch, cut: int | None) -> None:
        """Send a durable change to every live connection; the lock is held."""
        table.send_updates(await self.lanes.clicks.run(table.updates, cut, table.watched()))

    def _with_notice(self, table: LiveMatch, before: int, append: Job) -> Job:
        """Return an entry, and a notice to the absent player who must decide now."""
        decision, your_turn = table.history.match.decision, self.your_turn
        if your_turn is None or decision is None or decision.side == before or table.is_here(decision.side):
            return append
        side, notice = table.rules.sides[decision.side], your_turn
        self.after_turn()

        def job(connection: sa.Connection) -> None:
            append(connection)
            notice(connection, table.id, side)

        return job

    async def whole_frame(self, table: LiveMatch, viewer: int) -> bytes:
        """Return the whole view for a live connection. Updates that follow it are against this version."""
        while (frame := table.live_view(viewer)) is None:
            async with table.lock:
                await self._mend(table)
                if table.live_view(viewer) is None:
                    await self.lanes.clicks.run(table.encode_view, viewer)
        return frame

    async def view(self, table: LiveMatch, viewer: int, log_from: int, payer: Payer) -> Answer:
        """Return the view of a viewer with the log from a line on, encoded once per version."""
        what = ("view", log_from, table.opened)
        known = self.answers.known((table.id, table.shown, viewer, what))
        if known is not None:
            return known
        payer.check()
        async with table.lock:
            await self._mend(table)
            version, view = table.version, await self.lanes.clicks.run(table.view, viewer, log_from)
        key = (table.id, version, viewer, what)
        return await self.answers.computed(key, self.lanes.asks, lambda: compute(lambda: view), payer)

    async def view_now(self, table: LiveMatch, viewer: int, log_from: int = 0) -> Answer:
        """Return the view of a player who has just clicked, encoded before any request is computed."""
        async with table.lock:
            return await self.lanes.clicks.run(compute, lambda: table.view(viewer, log_from))

    async def lines_known(self, table: LiveMatch, viewers: Iterable[int]) -> dict[int, int]:
        """Return how many lines of the log each viewer has now."""
        async with table.lock:
            return await self.lanes.clicks.run(lambda: {viewer: table.lines_known(viewer) for viewer in viewers})

    async def hurry(self, table: LiveMatch, holds: Sequence[int]) -> None:
        """Let the thinking computer player of a match, here or in another process, move with its best plan."""
        if not holds:
            raise Refused("seat", "Only players of this match can hurry the computer")
        self.computers.hurry(table)
        await self.done(self.store.write(self.store.tell({"match": table.id, "hurry": True})))

    async def open_match(self, table: LiveMatch) -> None:
        """Let the only player of a match see everything. That cannot be undone, and the match is marked."""
        if not table.opened:
            opened = sa.update(store.MATCHES).where(store.MATCHES.c.id == table.id).values(opened=True)
            await self.done(self.store.write(lambda connection: connection.execute(opened)))
            table.opened = True
            async with table.lock:
                table.show_again()

    async def tells_reasons(self, table: LiveMatch) -> bool:
        """Whether the reasons of the computer players are shown while the match is played."""
        return await self.store.read(lambda connection: table.id in reasons.told_at_once(connection, [table.id]))

    async def reasons(self, table: LiveMatch, holds: Sequence[int], after: int) -> list[wire.Reason]:
        """Return the reasons of the computer players for their clicks after a decision: to anyone when the match is
        over; before, to its players, if it was set up so."""
        told = table.sees_all(holds) or (holds and await self.tells_reasons(table))
        if not told:
            raise Refused("seat", "The computer's reasons are shown when the match is over")
        return await self.store.read(lambda connection: reasons.load(connection, table.rules, table.id, after))

    async def _mended(self, table: LiveMatch) -> None:
        async with table.lock:
            await self._mend(table)

    async def _mend(self, table: LiveMatch) -> None:
        """Read a match again whose last change could not be stored."""
        if table.broken:
            await self._read_again(table)

    async def _read_again(self, table: LiveMatch) -> None:
        """Restore a match from the database, and send it to all viewers if that is a change."""
        table.broken = True
        known = table.shown
        saved, history = await self._read(table.id)
        cuts = [entry.cut for entry in saved.entries[known + 1 :] if entry.cut is not None]
        table.history = history
        table.forget_sights()
        table.last_change = saved.entries[-1].at
        table.broken = False
        if history.seq != known:
            await self._show(table, min([*cuts, len(history.log)]))

    async def catch_up(self, table: LiveMatch) -> None:
        """Apply the entries that another process has stored."""
        await self._whole(self._catch_up(table))

    async def _catch_up(self, table: LiveMatch) -> None:
        async with table.lock:
            await self._mend(table)
            first = table.version + 1
            entries = await self.store.read(lambda connection: store.load_entries(connection, table.id, first))
            for entry in entries:
                try:
                    if entry.kind == "resume":
                        raise Diverged("the game was resumed")
                    await self.lanes.clicks.run(table.history.apply_entry, entry)
                except (Diverged, Illegal, DiceError):
                    await self._read_again(table)
                    return
                table.last_change = entry.at
                await self._show(table, entry.cut)

    # Viewers

    async def arrive(self, table: LiveMatch, holds: Sequence[int], key: str) -> None:
        """Add a viewer of a match, with the seats that the key opens."""
        fresh = [side for side in holds if table.seats[side].who == OPEN]
        if fresh:
            for side in fresh:
                table.seats[side] = table.seats[side]._replace(who=PERSON)
            await self.done(self.store.write(seats.take(table.id, fresh)))
            table.tell_seats()
        looked = self.looked
        if looked is not None:
            for side in holds:
                self.later(asyncio.to_thread(looked, table.id, table.rules.sides[side]))
        if holds and table.visit_due(key, time.monotonic()):
            self.note_visit(table, holds, key)
        self.computers.wake(table)

    def note_visit(self, table: LiveMatch, holds: Sequence[int], key: str) -> None:
        """Store when a player was last here."""
        moment = now()
        for side in holds:
            table.seats[side] = table.seats[side]._replace(seen=moment)
        self.later(self.store.write(seats.note_visit(table.id, digest(key), holds)))

    async def refresh_seats(self, table: LiveMatch) -> None:
        """Read the holders of seats again. Devices that were signed out are disconnected."""

        def read(connection: sa.Connection) -> tuple[list[Seat], dict[str, seats.Device]]:
            return seats.load(connection, table.id), seats.load_devices(connection, table.id)

        table.seats, table.devices = await self.store.read(read)
        table.names = await self.names(table.id)
        table.rematch = await self.rematch_of(table.id)
        for line in list(table.lines):
            if line.key and digest(line.key) not in table.devices:
                line.dismiss(Refused("seat", "This device was signed out of the match"))
        table.tell_seats()

    async def seats_changed(self, match: str) -> None:
        """Tell every viewer of a match, here and in other processes, that its seats have changed."""
        table = self.find_in_memory(match)
        if table is not None:
            await self.refresh_seats(table)
        await self.done(self.store.write(self.store.tell({"match": match, "seats": True})))

    async def names(self, match: str) -> dict[str, str]:
        """Return the names of the accounts that hold the seats of a match, by side."""
        return (await asyncio.to_thread(self.holders, [match])).get(match, {})

    async def say(self, table: LiveMatch, side: int, name: str, text: str) -> wire.ChatMessage:
        """Add a line of chat."""
        at = now()
        number = await self.done(self.store.write(self.store.say(table.id, side, name, text, at)))
        line = said(table.rules, (number, side, name, text, at))
        table.add_chat(line)
        return line

    async def hear(self, table: LiveMatch) -> None:
        """Apply the chat messages that another process has stored."""
        after = table.chat[-1]["number"] if table.chat else 0
        rows = await self.store.read(lambda connection: store.load_chat(connection, table.id, limits.CHAT_LINES, after))
        for row in rows:
            table.add_chat(said(table.rules, row))

    # Tasks

    async def _whole(self, work: Coroutine[Any, Any, T]) -> T:
        """Finish a task even if its caller has disconnected."""
        return await asyncio.shield(self.later(work))

    def later(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Do something without waiting for it; it is done before the registry closes."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def done(self, write: Coroutine[Any, Any, T]) -> T:
        """Wait for a write; raise a refusal if the database does not respond."""
        try:
            return await self._whole(write)
        except (Refused, Collision):
            raise
        except Exception:
            log.exception("a write failed")
            raise Refused("busy", "The database does not respond at this moment. Try again.") from None


def _all_of(jobs: Sequence[Job]) -> Job:
    """Return one job that does several, in order."""

    def job(connection: sa.Connection) -> None:
        for part in jobs:
            part(connection)

    return job
