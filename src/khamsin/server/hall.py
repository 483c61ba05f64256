"""The hall: every table that is in use, and all that happens to games.

A game is read when somebody asks for it and forgotten when nobody has for long. A change is made in memory, written, and only
when it is durable shown to anybody; where it cannot be written the game is read again, so that memory never knows more than
the database.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import orjson
import sqlalchemy as sa

from khamsin import players
from khamsin.kernel.dice import DiceError, KeyedDice
from khamsin.kernel.rules import Find, Illegal, Rules
from khamsin.server import course as courses
from khamsin.server import gate, limits, reasons, store, wire
from khamsin.server.answers import Answer, Answers, compute
from khamsin.server.computer import Computers
from khamsin.server.course import Broken, Course, Diverged
from khamsin.server.database import now
from khamsin.server.gate import Refused
from khamsin.server.guard import Payer
from khamsin.server.lanes import Lanes
from khamsin.server.store import Collision, Entry, Head, Job, Saved, Seat, Standing, Store, Unknown
from khamsin.server.table import OPEN, PERSON, Table, said, scenario_title
from khamsin.server.views import Json

T = TypeVar("T")
log = logging.getLogger(__name__)

YourTurn = Callable[[sa.Connection, str, str], None]
"""Enters, within the transaction of a click, that a side which is not here is asked."""
ASKED_AT_ONCE = 500
"""Games in one statement, which holds only so many names."""
ID_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


class Hall:
    """The tables in memory, by the id of their games."""

    def __init__(self, store: Store, find: Find) -> None:
        self.store = store
        self.find = find
        self.your_turn: YourTurn | None = None
        self.after_turn: Callable[[], None] = lambda: None
        self.looked: Callable[[str, str], None] | None = None
        self.holders: Callable[[Sequence[str]], dict[str, dict[str, str]]] = lambda matches: {}
        """The names of the accounts that keep the seats of some games: for each game by side."""
        self.announce: Callable[[Table], None] = lambda table: None
        """Tells the other processes from which seats somebody looks here."""
        self.lanes = Lanes()
        self.answers = Answers(self.lanes)
        self.computers = Computers(self)
        self._rebuilding = asyncio.Semaphore(1)
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Table]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    async def close(self) -> None:
        """Stop the computer players and let every change under way become durable."""
        await self.computers.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)
        self.lanes.close()

    # Finding a table

    async def table(self, match: str) -> Table:
        """The table of a game; read if it is not in memory."""
        if "\0" in match:  # PostgreSQL cannot even be asked for that
            raise Refused("unknown", "There is no such game")
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

    def in_memory(self) -> list[Table]:
        """The tables that are in memory now."""
        return list(self._tables.values())

    def find_in_memory(self, match: str) -> Table | None:
        """A table, if it is in memory."""
        return self._tables.get(match)

    async def _load(self, match: str) -> Table:
        saved, course = await self._read(match)
        table = Table(course, saved.seats, [said(course.rules, row) for row in saved.chat])
        table.names = await self._names(match)
        return self._put(table)

    def _put(self, table: Table) -> Table:
        self._tables[table.id] = table
        lines = sum(len(old.course.log) for old in self._tables.values())
        for old in list(self._tables.values()):
            if len(self._tables) <= limits.MATCHES_OPEN and lines <= limits.LOGS_OPEN:
                break
            if not old.lines and not old.thinking and not old.lock.locked() and old is not table:
                del self._tables[old.id]
                lines -= len(old.course.log)
        return table

    async def _read(self, match: str) -> tuple[Saved, Course]:
        """A game as it is stored, and its course."""
        while True:
            try:
                saved = await self.store.read(lambda connection: store.load(connection, match, limits.CHAT_LINES))
            except Unknown:
                raise Refused("unknown", "There is no such game") from None
            try:
                async with self._rebuilding:
                    course, resume = await asyncio.to_thread(courses.rebuilt, saved, self.find)
            except (Broken, ValueError) as error:
                log.warning("%s cannot be read: %s", match, error)
                raise Refused("changed", "This game was played by rules that are not here any more") from None
            if resume is None:
                return saved, course
            add = self.store.append(match, resume, course.standing())
            keep = self.store.keep(match, course.snapshot())

            def write(connection: sa.Connection, add: Job = add, keep: Job = keep) -> None:
                add(connection)
                keep(connection)

            try:
                await self.store.write(write)
            except Collision:
                continue
            return saved, course

    async def saved(self, match: str) -> Saved:
        """A game as it is stored."""
        try:
            return await self.store.read(lambda connection: store.load(connection, match, limits.CHAT_LINES))
        except Unknown:
            raise Refused("unknown", "There is no such game") from None

    async def last_change(self, match: str) -> str:
        """When a game changed last."""
        query = sa.select(store.MATCHES.c.changed).where(store.MATCHES.c.id == match)
        return await self.store.read(lambda connection: str(connection.execute(query).scalar_one()))

    # Setting up

    async def set_up(
        self, game: str, scenario: str, options: Mapping[str, str], seats: Mapping[str, str], seed: int | None
    ) -> tuple[Table, list[Seat]]:
        """A new game."""
        rules = self.rules(game)
        try:
            chosen = rules.scenario(scenario).choose(options)
        except ValueError as error:
            raise Refused("invalid", str(error)) from None
        dice = KeyedDice() if seed is None else KeyedDice.seeded(seed)
        head = Head(new_id(), rules.id, scenario, chosen, None, dice.key, 0, now())
        course = Course.begun(head, rules, self.find)
        return await self.put_up(course, [course.start_entry()], seats)

    async def put_up(
        self, course: Course, entries: Sequence[Entry], seats: Mapping[str, str]
    ) -> tuple[Table, list[Seat]]:
        """Store a game that was set up, imported or branched, and put it on a table."""
        seated = people(course.rules, seats)
        create = self.store.create(course.head, seated, entries, course.standing())
        await self._done(self.store.write(create))
        return self._put(Table(course, seated, [])), seated

    def rules(self, game: str) -> Rules[Any]:
        """The rules of a game that can be played."""
        try:
            return self.find(game)
        except ValueError as error:
            raise Refused("unknown", str(error)) from None

    # Playing

    async def click(
        self,
        table: Table,
        holds: Sequence[int],
        side: str | None,
        number: int,
        click: str,
        payer: Payer | None = None,
    ) -> int:
        """Pass the gate, run the rules, make the click durable, tell everybody; the side that clicked. `payer` pays for the
        explanation of an illegal click."""
        return await self._whole(self._click(table, holds, side, number, click, payer))

    async def _click(
        self, table: Table, holds: Sequence[int], side: str | None, number: int, click: str, payer: Payer | None
    ) -> int:
        async with table.lock:
            await self._mend(table)
            course = table.course
            seat, done = await self._change(
                table, holds, side, number, lambda: course.click(click) if gate.is_open(table, click) else None
            )
            if done:
                return seat
            await self.answers.copy_locked(table)
        raise await self._refusal(table, seat, click, payer)

    async def _refusal(self, table: Table, seat: int, click: str, payer: Payer | None) -> Refused:
        """Why a click is not open."""
        answer = await self.answers.why(table, seat, click, payer)
        why = orjson.loads(answer.body)
        return Refused("illegal", f"{click}: {why['reason']}", why["rule"], why["cause"])

    async def undo(self, table: Table, holds: Sequence[int], side: str | None, number: int, move: int | None) -> int:
        """Take back a move of the phase, through the same gate."""
        return await self._whole(self._undo(table, holds, side, number, move))

    async def _undo(self, table: Table, holds: Sequence[int], side: str | None, number: int, move: int | None) -> int:
        async with table.lock:
            await self._mend(table)
            course = table.course
            seat, _ = await self._change(table, holds, side, number, lambda: course.undo(move))
            return seat

    async def _change(
        self, table: Table, holds: Sequence[int], side: str | None, number: int, change: Callable[[], Entry | None]
    ) -> tuple[int, bool]:
        """Pass the gate, change the game, make that durable and tell everybody: the side that acted, and whether something
        was changed. The lock is held."""
        course = table.course

        def act() -> tuple[int, Entry | None, Standing]:
            return gate.acting(table, holds, side, number), change(), course.standing()

        try:
            seat, entry, standing = await self.lanes.clicks.run(act)
        except Refused:
            raise
        except Illegal as error:
            raise Refused("illegal", f"{error.click}: {error.reason}", error.rule) from None
        except Exception:
            log.exception("%s: the rules failed", table.id)
            table.broken = True
            raise Refused(
                "illegal", "The rules failed here, and nothing has changed; please send us the record"
            ) from None
        if entry is None:
            return seat, False
        append = self.store.append(table.id, entry, standing)
        try:
            await self.store.write(self._with_notice(table, seat, append))
        except Collision:
            await self._read_again(table)
            view = await self.lanes.clicks.run(table.view, seat)
            raise Refused("stale", "The game has gone on meanwhile", view=view) from None
        except Exception:
            log.exception("%s: an entry could not be written", table.id)
            table.broken = True
            raise Refused("busy", "The game cannot be written at this moment; try again") from None
        await self._show(table, entry.cut)
        if course.snapshot_due():
            snapshot = await self.lanes.clicks.run(course.snapshot)
            self.later(self.store.write(self.store.keep(table.id, snapshot)))
        self.computers.wake(table)
        return seat, True

    async def _show(self, table: Table, cut: int | None) -> None:
        """Tell every live line of a change that is durable; the lock is held."""
        table.send_updates(await self.lanes.clicks.run(table.updates, cut, table.watched()))

    def _with_notice(self, table: Table, before: int, append: Job) -> Job:
        """An entry, and a notice to the player who is asked now and is not here."""
        decision, your_turn = table.course.match.decision, self.your_turn
        if your_turn is None or decision is None or decision.side == before or table.is_here(decision.side):
            return append
        side, notice = table.rules.sides[decision.side], your_turn
        self.after_turn()

        def job(connection: sa.Connection) -> None:
            append(connection)
            notice(connection, table.id, side)

        return job

    async def whole_frame(self, table: Table, viewer: int) -> bytes:
        """The whole view for a live line. Updates that follow it are against this version."""
        while (frame := table.live_view(viewer)) is None:
            async with table.lock:
                await self._mend(table)
                if table.live_view(viewer) is None:
                    await self.lanes.clicks.run(table.encode_view, viewer)
        return frame

    async def view(self, table: Table, viewer: int, log_from: int, payer: Payer) -> Answer:
        """The view of a viewer with the log from a line on, encoded once per version."""
        known = self.answers.known((table.id, table.shown, viewer, ("view", log_from)))
        if known is not None:
            return known
        payer.check()
        async with table.lock:
            await self._mend(table)
            version, view = table.version, await self.lanes.clicks.run(table.view, viewer, log_from)
        key = (table.id, version, viewer, ("view", log_from))
        return await self.answers.computed(key, self.lanes.asks, lambda: compute(lambda: view), payer)

    async def view_now(self, table: Table, viewer: int, log_from: int = 0) -> Answer:
        """The view of a player who has just clicked, encoded before any question is answered."""
        async with table.lock:
            return await self.lanes.clicks.run(compute, lambda: table.view(viewer, log_from))

    async def lines_known(self, table: Table, viewers: Iterable[int]) -> dict[int, int]:
        """How many lines of the log each viewer has now."""
        async with table.lock:
            return await self.lanes.clicks.run(lambda: {viewer: table.lines_known(viewer) for viewer in viewers})

    async def hurry(self, table: Table, holds: Sequence[int]) -> None:
        """Let the computer player who thinks at a table, here or in another process, move with what it has."""
        if not holds:
            raise Refused("seat", "Only who plays may hurry the other")
        self.computers.hurry(table)
        await self._done(self.store.write(self.store.tell({"match": table.id, "hurry": True})))

    async def tell_reasons(self, table: Table) -> None:
        """Let the reasons of the computer players be told while the game is played."""
        await self._done(self.store.write(reasons.tell_at_once(table.id)))

    async def tells_reasons(self, table: Table) -> bool:
        """Whether the reasons of the computer players are told while the game is played."""
        return await self.store.read(lambda connection: table.id in reasons.told_at_once(connection, [table.id]))

    async def reasons(self, table: Table, holds: Sequence[int], after: int) -> list[Json]:
        """The reasons of the computer players for their answers after a question: to anybody when the game is over; before,
        to those who play, if it was set up so."""
        if not table.course.match.over and (not holds or not await self.tells_reasons(table)):
            raise Refused("seat", "The computer tells its reasons when the game is over")
        return await self.store.read(lambda connection: reasons.load(connection, table.rules, table.id, after))

    async def _mended(self, table: Table) -> None:
        async with table.lock:
            await self._mend(table)

    async def _mend(self, table: Table) -> None:
        """Read a table again whose last change could not be written."""
        if table.broken:
            await self._read_again(table)

    async def _read_again(self, table: Table) -> None:
        """Put a table back to what is stored, and tell everybody where that is news."""
        table.broken = True
        known = table.shown
        saved, course = await self._read(table.id)
        cuts = [entry.cut for entry in saved.entries[known + 1 :] if entry.cut is not None]
        table.course = course
        table.broken = False
        if course.seq != known:
            await self._show(table, min([*cuts, len(course.log)]))

    async def catch_up(self, table: Table) -> None:
        """Take the entries that another process has written."""
        await self._whole(self._catch_up(table))

    async def _catch_up(self, table: Table) -> None:
        async with table.lock:
            await self._mend(table)
            first = table.version + 1
            entries = await self.store.read(lambda connection: store.load_entries(connection, table.id, first))
            for entry in entries:
                try:
                    if entry.kind == "resume":
                        raise Diverged("the game was resumed")
                    await self.lanes.clicks.run(table.course.follow, entry)
                except (Diverged, Illegal, DiceError):
                    await self._read_again(table)
                    return
                await self._show(table, entry.cut)

    # Company

    async def arrive(self, table: Table, holds: Sequence[int]) -> None:
        """Somebody looks at a game from these seats."""
        fresh = [side for side in holds if table.seats[side].who == OPEN]
        if fresh:
            for side in fresh:
                table.seats[side] = table.seats[side]._replace(who=PERSON)
            await self._done(self.store.write(self.store.take_seat(table.id, fresh)))
            table.tell_seats()
        looked = self.looked
        if looked is not None:
            for side in holds:
                self.later(asyncio.to_thread(looked, table.id, table.rules.sides[side]))
        self.computers.wake(table)

    async def refresh_seats(self, table: Table) -> None:
        """Read again who sits where."""
        table.seats = await self.store.read(lambda connection: store.load_seats(connection, table.id))
        table.names = await self._names(table.id)
        table.tell_seats()

    async def claimed(self, match: str) -> None:
        """The seats of a game have got a name: tell everybody who looks at it, here and elsewhere."""
        table = self.find_in_memory(match)
        if table is not None:
            await self.refresh_seats(table)
        await self._done(self.store.write(self.store.tell({"match": match, "seats": True})))

    async def _names(self, match: str) -> dict[str, str]:
        return (await asyncio.to_thread(self.holders, [match])).get(match, {})

    async def say(self, table: Table, side: int, name: str, text: str) -> Json:
        """Add a line of chat."""
        at = now()
        number = await self._done(self.store.write(self.store.say(table.id, side, name, text, at)))
        line = said(table.rules, (number, side, name, text, at))
        table.add_chat(line)
        return line

    async def hear(self, table: Table) -> None:
        """Take the lines of chat that another process has written."""
        after = table.chat[-1]["number"] if table.chat else 0
        rows = await self.store.read(lambda connection: store.load_chat(connection, table.id, limits.CHAT_LINES, after))
        for row in rows:
            table.add_chat(said(table.rules, row))

    # What accounts ask, from threads of their own

    def sides_of(self, match: str, key: str) -> list[str]:
        """The sides of a game that a key opens; none where there is no such game or key."""
        if not key or "\0" in match + key:
            return []
        query = sa.select(store.SEATS.c.side, store.MATCHES.c.game).join(store.MATCHES)
        with self.store.database.reading() as connection:
            rows = connection.execute(query.where(store.SEATS.c.match == match, store.SEATS.c.key == key)).all()
        return [self.find(row.game).sides[row.side] for row in rows]

    def infos(self, matches: Iterable[str]) -> list[wire.MatchInfo]:
        """A line about each of these games, without reading them; those left out that are gone."""
        wanted, found = list(matches), []
        for first in range(0, len(wanted), ASKED_AT_ONCE):
            ids = wanted[first : first + ASKED_AT_ONCE]
            seats: dict[str, list[Seat]] = {}
            with self.store.database.reading() as connection:
                query = sa.select(store.SEATS).where(store.SEATS.c.match.in_(ids)).order_by(store.SEATS.c.side)
                for row in connection.execute(query):
                    seats.setdefault(row.match, []).append(Seat(row.side, row.who, row.key))
                rows = connection.execute(sa.select(store.MATCHES).where(store.MATCHES.c.id.in_(ids))).all()
                told = reasons.told_at_once(connection, ids)
            names = self.holders(ids)
            found += [self._info(row, seats.get(row.id, []), names.get(row.id, {}), row.id in told) for row in rows]
        return [info for info in found if info is not None]

    def _info(self, row: Any, seats: list[Seat], names: dict[str, str], told: bool) -> wire.MatchInfo | None:
        try:
            rules = self.find(row.game)
        except ValueError:
            return None
        table = self._tables.get(row.id)
        seated = [
            wire.SeatInfo(
                side=rules.sides[seat.side],
                who=seat.who,
                name=names.get(rules.sides[seat.side], "") if seat.key else seat.who,
                here=not seat.key or (table is not None and table.is_here(seat.side)),
            )
            for seat in seats
        ]
        return wire.MatchInfo(
            id=row.id, game=row.game, title=rules.title, scenario=row.scenario,
            scenario_title=scenario_title(rules, row.scenario), turn=row.turn, label=row.label,
            phase=row.phase, asked=None if row.asked is None else rules.sides[row.asked], seats=seated,
            result=wire.Result(**orjson.loads(row.result)) if row.result else None,
            started=row.started, changed=row.changed, open_reasons=told,
        )  # fmt: skip

    # Tasks

    async def _whole(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something to its end even where whoever asked for it has gone away."""
        return await asyncio.shield(self.later(work))

    def later(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Do something without waiting for it; it is done before the hall closes."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _done(self, write: Coroutine[Any, Any, T]) -> T:
        """Wait for a write, and say so where the database is not there."""
        try:
            return await self._whole(write)
        except Refused:
            raise
        except Exception:
            log.exception("a write failed")
            raise Refused("busy", "The database does not answer at this moment; try again") from None


def people(rules: Rules[Any], seats: Mapping[str, str]) -> list[Seat]:
    """Who sits where: "me" in all seats with one key, each "friend" with a key of his own, computer players without."""
    named = {gate.side_number(rules, side): who for side, who in seats.items()}
    if len(named) != len(seats) or len(named) != len(rules.sides):
        raise Refused("invalid", f"Expected who sits at each side: {', '.join(rules.sides)}")
    mine = new_key()
    found = []
    for side, who in sorted(named.items()):
        if who == "me":
            found.append(Seat(side, PERSON, mine))
        elif who == "friend":
            found.append(Seat(side, OPEN, new_key()))
        else:
            found.append(Seat(side, known_player(rules, who), ""))
    return found


def known_player(rules: Rules[Any], who: str) -> str:
    """The name of a computer player that knows the game."""
    try:
        if len(who) > 40:
            raise ValueError(f"{who[:40]!r}: too long for the name of a player")
        players.player(who)
    except ValueError as error:
        raise Refused("invalid", f'Expected "me", "friend" or a computer player: {error}') from None
    if not players.knows(who, rules.id):
        raise Refused("invalid", f"The player {who} does not know {rules.title}")
    return who


def new_id() -> str:
    """The id of a game: short enough for a link, and not to be guessed."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(12))


def new_key() -> str:
    """The secret of a seat."""
    return secrets.token_urlsafe(18)
