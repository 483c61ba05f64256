"""Matches as they are stored. A match is its entries: the start, then one row per click or undo, numbered without a gap
and never changed. The number is the primary key: of two writers of one number exactly one succeeds.

One thread writes. It makes everything that waits durable in one transaction.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar, cast

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from khamsin.kernel.dice import KeyedDice
from khamsin.server import seats as seating
from khamsin.server.click_checks import Refused
from khamsin.server.database import METADATA, Database, Job, now
from khamsin.server.seats import Device, Seat
from khamsin.server.views import StoredLine

T = TypeVar("T")
log = logging.getLogger(__name__)

CHANNEL = "khamsin"
"""The channel on which the processes that share one PostgreSQL notify each other of changes."""
BATCH = 256
"""Writes in one transaction."""

MATCHES = sa.Table(
    "matches",
    METADATA,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("game", sa.String(40), nullable=False),
    sa.Column("scenario", sa.String(80), nullable=False),
    sa.Column("options", sa.Text, nullable=False),
    sa.Column("start", sa.Text, comment="The position it began from; null: the scenario's set-up"),
    sa.Column("dice", sa.LargeBinary, nullable=False, comment="The server's key of the dice; a secret until the end"),
    sa.Column("dice_from", sa.Integer, nullable=False, comment="Rolls before that key was used"),
    sa.Column("seed", sa.BigInteger, comment="The seed the key was made from, if a player chose one"),
    sa.Column("claim_days", sa.Integer, comment="Days of absence after which the opponent may claim the match"),
    sa.Column("opened", sa.Boolean, nullable=False, comment="Whether its only player chose to see everything"),
    sa.Column("started", sa.String(40), nullable=False),
    sa.Column("changed", sa.String(40), nullable=False),
    sa.Column("turn", sa.Integer, nullable=False),
    sa.Column("label", sa.String(80), nullable=False),
    sa.Column("phase", sa.String(80), nullable=False),
    sa.Column("asked", sa.Integer, comment="The side that must decide; null: the match is over"),
    sa.Column("result", sa.Text),
)
CONTRIBUTIONS = sa.Table(
    "contributions",
    METADATA,
    sa.Column("match", sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("side", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("commitment", sa.String(64), comment="The SHA-256 of a player's random number"),
    sa.Column("value", sa.String(64), comment="The number; a match begins when every one is here"),
)
ENTRIES = sa.Table(
    "entries",
    METADATA,
    sa.Column("match", sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String(8), nullable=False, comment="start, click, auto, order, undo, resume, resign or claim"),
    sa.Column("number", sa.Integer, nullable=False, comment="Of the decision that it takes"),
    sa.Column("side", sa.Integer, nullable=False),
    sa.Column("text", sa.Text, nullable=False, comment="The click; or the move and its clicks, from and to"),
    sa.Column("rolls", sa.Text, nullable=False, comment="The rolls, separated by blanks"),
    sa.Column("turn", sa.Integer, nullable=False, comment="The turn, phase and its side afterwards"),
    sa.Column("phase", sa.String(80), nullable=False),
    sa.Column("phase_side", sa.Integer, nullable=False),
    sa.Column("cut", sa.Integer, comment="The log is cut to this many lines first"),
    sa.Column("lines", sa.Text, nullable=False, comment="New lines of the log, in words"),
    sa.Column("at", sa.String(40), nullable=False),
)
SNAPSHOTS = sa.Table(
    "snapshots",
    METADATA,
    sa.Column("match", sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False, comment="The last entry that it contains"),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("clicks", sa.Integer, nullable=False),
    sa.Column("rolls", sa.Integer, nullable=False),
    sa.Column("lines", sa.Integer, nullable=False),
    sa.Column("rules", sa.String(40), nullable=False, comment="The digest of the rules it was made with"),
    sa.Column("state", sa.String(40), nullable=False, comment="The digest of the state"),
    sa.Column("position", sa.Text, nullable=False),
    sa.Column(
        "fell", sa.Text, nullable=False, comment="The rolls from there to the first decision, separated by blanks"
    ),
    sa.Column("views", sa.LargeBinary, comment="What each viewer saw there, as packed JSON"),
)
CONSENTS = sa.Table(
    "consents",
    METADATA,
    sa.Column("match", sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("side", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("seq", sa.Integer, nullable=False, comment="The last entry when the side agreed to lose clicks"),
)
REMATCHES = sa.Table(
    "rematches",
    METADATA,
    sa.Column("match", sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("next", sa.ForeignKey("matches.id"), nullable=False),
)
CHAT = sa.Table(
    "chat",
    METADATA,
    sa.Column("match", sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("side", sa.Integer, nullable=False),
    sa.Column("name", sa.String(80), nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("at", sa.String(40), nullable=False),
)


STAND = sa.update(MATCHES).where(MATCHES.c.id == sa.bindparam("of"))
"""Returns the status of a match now."""


class Unknown(ValueError):
    """No match has this id."""


class Collision(Exception):
    """Another process has written this entry first."""


class Entry(NamedTuple):
    """One row of a match."""

    seq: int
    kind: str
    number: int
    side: int
    text: str
    rolls: tuple[int, ...]
    turn: int
    phase: str
    phase_side: int
    cut: int | None
    lines: tuple[StoredLine, ...]
    at: str


class Snapshot(NamedTuple):
    """A match at the start of a phase, as a position."""

    seq: int
    number: int
    clicks: int
    rolls: int
    lines: int
    rules: str
    state: str
    position: str
    fell: tuple[int, ...] = ()
    views: bytes | None = None


class Contribution(NamedTuple):
    """A player's contribution to the key of the dice: first its commitment, then the number."""

    side: int
    commitment: str | None = None
    value: str | None = None


class MatchStatus(NamedTuple):
    """The status of a match, for lists: the match itself need not be read."""

    turn: int
    label: str
    phase: str
    asked: int | None
    result: str | None


class Head(NamedTuple):
    """The start data of a match."""

    id: str
    game: str
    scenario: str
    options: dict[str, str]
    start: str | None
    dice: bytes
    dice_from: int
    started: str
    seed: int | None = None
    claim_days: int | None = None
    opened: bool = False
    contributions: tuple[Contribution, ...] = ()

    @property
    def waiting(self) -> bool:
        """Whether a contribution to the dice is missing: the match has not begun."""
        return any(one.value is None for one in self.contributions)

    def live_dice(self) -> KeyedDice:
        """Return the dice of the match, before the first roll."""
        values = [bytes.fromhex(one.value or "") for one in self.contributions]
        dice = KeyedDice(self.dice, values, [one.side for one in self.contributions])
        dice.seed = self.seed
        return dice


@dataclass(slots=True)
class Saved:
    """A whole match as it is stored."""

    head: Head
    seats: list[Seat]
    devices: dict[str, Device]
    entries: list[Entry]
    snapshots: list[Snapshot]
    """Oldest first."""
    chat: list[tuple[int, int, str, str, str]] = field(default_factory=list)


class Store:
    """Reads in any thread; writes in one thread, many together."""

    def __init__(self, database: Database, process: str) -> None:
        self.database = database
        self.process = process
        """Tells this process from others that share the database."""
        self._insert = cast(Any, {"sqlite": sqlite.insert, "postgresql": postgresql.insert}[database.dialect])
        self._add = self._insert(ENTRIES).on_conflict_do_nothing().returning(ENTRIES.c.seq)
        self._waiting: queue.SimpleQueue[tuple[Job, asyncio.Future[Any]] | None] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None

    def open(self) -> None:
        """Make the tables and start the writing thread."""
        self.database.open()
        self._writer = threading.Thread(target=self._write_all, name="writing games", daemon=True)
        self._writer.start()

    def close(self) -> None:
        """Write what still waits, then release the database."""
        self._waiting.put(None)
        if self._writer is not None:
            self._writer.join()
        self.database.close()

    async def read(self, job: Callable[[sa.Connection], T]) -> T:
        """Run a job that only reads, in a thread."""

        def run() -> T:
            with self.database.reading() as connection:
                return job(connection)

        return await asyncio.to_thread(run)

    async def write(self, job: Callable[[sa.Connection], T]) -> T:
        """Run a job that writes; when this returns, the result is durable. It may be run twice, the first time in vain."""
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.put((job, done))
        return await done

    def _write_all(self) -> None:
        while True:
            first = self._waiting.get()
            if first is None:
                return
            batch = [first]
            last = False
            while len(batch) < BATCH and not last:
                try:
                    more = self._waiting.get_nowait()
                except queue.Empty:
                    break
                if more is None:
                    last = True
                else:
                    batch.append(more)
            self._write_batch(batch)
            if last:
                return

    def _write_batch(self, batch: list[tuple[Job, asyncio.Future[Any]]]) -> None:
        results: list[Any] = []
        try:
            with self.database.writing() as connection:
                results = [_collect(job, connection) for job, _ in batch]
        except Exception as error:
            if len(batch) > 1:
                # One of them fails: the others must not fail with it.
                for job in batch:
                    self._write_batch([job])
                return
            log.warning("a write failed", exc_info=error)
            results = [error]
        by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Any]]] = {}
        for (_, done), found in zip(batch, results, strict=True):
            by_loop.setdefault(done.get_loop(), []).append((done, found))
        for loop, answers in by_loop.items():
            try:
                loop.call_soon_threadsafe(_answer, answers)
            except RuntimeError:
                log.debug("the caller of a write has gone")

    def create(self, head: Head, seats: Sequence[Seat], standing: MatchStatus) -> Job:
        """Return the job that stores a new match, before its first entry."""

        def job(connection: sa.Connection) -> None:
            row = head._asdict() | standing._asdict() | {"options": _json(head.options), "changed": now()}
            del row["contributions"]
            connection.execute(sa.insert(MATCHES).values(**row))
            connection.execute(sa.insert(seating.SEATS), [seat._asdict() | {"match": head.id} for seat in seats])
            if head.contributions:
                connection.execute(
                    sa.insert(CONTRIBUTIONS), [one._asdict() | {"match": head.id} for one in head.contributions]
                )

        return job

    def begin(self, match: str, entries: Sequence[Entry], standing: MatchStatus, snapshot: Snapshot) -> Job:
        """Return the job that writes the first entries of a match; it returns Collision if they exist."""

        def job(connection: sa.Connection) -> None:
            if connection.execute(self._add, _row(match, entries[0])).first() is None:
                raise Collision(f"{match} {entries[0].seq}")
            if len(entries) > 1:
                connection.execute(sa.insert(ENTRIES), [_row(match, entry) for entry in entries[1:]])
            self.keep(match, snapshot, 0)(connection)
            connection.execute(STAND, standing._asdict() | {"changed": now(), "of": match})
            self._tell(connection, {"match": match, "seats": True})

        return job

    def append(self, match: str, entry: Entry, standing: MatchStatus) -> Job:
        """Return the job that adds an entry to a match; it returns Collision if another entry came first."""

        def job(connection: sa.Connection) -> None:
            if connection.execute(self._add, _row(match, entry)).first() is None:
                raise Collision(f"{match} {entry.seq}")
            connection.execute(STAND, standing._asdict() | {"changed": entry.at, "of": match})
            self._tell(connection, {"match": match, "seq": entry.seq})

        return job

    def keep(self, match: str, snapshot: Snapshot, oldest: int) -> Job:
        """Return the job that keeps a snapshot, and drops those before the entry `oldest`, which are not needed any
        more."""
        row = snapshot._asdict() | {"match": match, "fell": " ".join(map(str, snapshot.fell))}
        insert = self._insert(SNAPSHOTS).values(**row).on_conflict_do_nothing()
        outdated = sa.delete(SNAPSHOTS).where(SNAPSHOTS.c.match == match, SNAPSHOTS.c.seq < oldest)

        def job(connection: sa.Connection) -> None:
            connection.execute(insert)
            connection.execute(outdated)

        return job

    def drop_snapshots(self, match: str, clicks: int) -> Job:
        """Return the job that drops the snapshots that contain more clicks than were left by an undo."""
        gone = sa.delete(SNAPSHOTS).where(SNAPSHOTS.c.match == match, SNAPSHOTS.c.clicks > clicks)
        return lambda connection: connection.execute(gone)

    def say(self, match: str, side: int, name: str, text: str, at: str) -> Job:
        """Return the job that adds a line of chat; it returns the line's number."""

        def job(connection: sa.Connection) -> int:
            newest = sa.select(sa.func.max(CHAT.c.number)).where(CHAT.c.match == match)
            if self.database.dialect == "postgresql":
                connection.execute(sa.select(MATCHES.c.id).where(MATCHES.c.id == match).with_for_update())
            number: int = (connection.execute(newest).scalar() or 0) + 1
            row = {"match": match, "number": number, "side": side, "name": name, "text": text, "at": at}
            connection.execute(sa.insert(CHAT), row)
            self._tell(connection, {"match": match, "said": number})
            return number

        return job

    def tell(self, news: dict[str, Any]) -> Job:
        """Return the job that notifies the other processes and writes nothing."""
        return lambda connection: self._tell(connection, news)

    def _tell(self, connection: sa.Connection, news: dict[str, Any]) -> None:
        if self.database.dialect == "postgresql":
            connection.execute(
                sa.text("SELECT pg_notify(:channel, :news)"),
                {"channel": CHANNEL, "news": _json(news | {"from": self.process})},
            )


def load(connection: sa.Connection, match: str, chat_lines: int) -> Saved:
    """Return a whole match; raise Unknown if none has this id."""
    head = load_head(connection, match)
    query = sa.select(SNAPSHOTS).where(SNAPSHOTS.c.match == match).order_by(SNAPSHOTS.c.seq)
    snapshots = [
        Snapshot(
            row.seq, row.number, row.clicks, row.rolls, row.lines, row.rules, row.state, row.position,
            tuple(map(int, row.fell.split())), row.views,
        )
        for row in connection.execute(query)
    ]  # fmt: skip
    return Saved(
        head, seating.load(connection, match), seating.load_devices(connection, match),
        load_entries(connection, match, 0), snapshots, load_chat(connection, match, chat_lines),
    )  # fmt: skip


def load_head(connection: sa.Connection, match: str) -> Head:
    """Return the start data of a match; raise Unknown if none has this id."""
    row = connection.execute(sa.select(MATCHES).where(MATCHES.c.id == match)).one_or_none()
    if row is None:
        raise Unknown(match)
    query = sa.select(CONTRIBUTIONS).where(CONTRIBUTIONS.c.match == match).order_by(CONTRIBUTIONS.c.side)
    contributions = tuple(Contribution(one.side, one.commitment, one.value) for one in connection.execute(query))
    return Head(
        row.id, row.game, row.scenario, orjson.loads(row.options), row.start, row.dice, row.dice_from, row.started,
        row.seed, row.claim_days, row.opened, contributions,
    )  # fmt: skip


def load_awaited(connection: sa.Connection, matches: Sequence[str]) -> dict[str, list[int]]:
    """Return the sides whose contribution to the dice is missing, for those matches that have not begun."""
    query = sa.select(CONTRIBUTIONS).where(CONTRIBUTIONS.c.match.in_(matches), CONTRIBUTIONS.c.value.is_(None))
    found: dict[str, list[int]] = {}
    for row in connection.execute(query.order_by(CONTRIBUTIONS.c.side)):
        found.setdefault(row.match, []).append(row.side)
    return found


def load_entries(connection: sa.Connection, match: str, first: int) -> list[Entry]:
    """Return the entries of a game from a number on."""
    query = sa.select(ENTRIES).where(ENTRIES.c.match == match, ENTRIES.c.seq >= first).order_by(ENTRIES.c.seq)
    return [
        Entry(
            row.seq, row.kind, row.number, row.side, row.text, tuple(map(int, row.rolls.split())), row.turn, row.phase,
            row.phase_side, row.cut, tuple(StoredLine(*line) for line in orjson.loads(row.lines)), row.at,
        )
        for row in connection.execute(query)
    ]  # fmt: skip


def load_chat(connection: sa.Connection, match: str, most: int, after: int = 0) -> list[tuple[int, int, str, str, str]]:
    """Return the last lines of chat, oldest first: number, side, name, text, when."""
    query = sa.select(CHAT).where(CHAT.c.match == match, CHAT.c.number > after).order_by(CHAT.c.number.desc())
    rows = connection.execute(query.limit(most)).all()
    return [(row.number, row.side, row.name, row.text, row.at) for row in reversed(rows)]


def _collect(job: Job, connection: sa.Connection) -> Any:
    try:
        return job(connection)
    except (Collision, Refused) as refused:
        # Raised before the job has written anything.
        return refused


def _answer(answers: list[tuple[asyncio.Future[Any], Any]]) -> None:
    for done, found in answers:
        if done.cancelled():
            continue
        if isinstance(found, Exception):
            done.set_exception(found)
        else:
            done.set_result(found)


def _row(match: str, entry: Entry) -> dict[str, Any]:
    row = entry._asdict()
    row |= {
        "match": match,
        "rolls": " ".join(map(str, entry.rolls)),
        "lines": _json([tuple(line) for line in entry.lines]),
    }
    return row


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
