"""The database of matches, seats and accounts: SQLite in one file, or PostgreSQL by its URL. Same tables, same
statements.

A table belongs to the module that uses it and is declared on the one `METADATA`:

>>> import sqlalchemy as sa
>>> Database("sqlite://").dialect
'sqlite'
>>> Database("mysql://there")
Traceback (most recent call last):
...
ValueError: 'mysql': expected the URL of a database, sqlite:///FILE or postgresql://USER@HOST/NAME
"""

from __future__ import annotations

import logging
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, NoResultFound
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool

from khamsin.server import migrations
from khamsin.server.click_checks import Refused
from khamsin.server.lockfile import Held, LockFile

METADATA = sa.MetaData()
"""Every table of the server."""

Job = Callable[[sa.Connection], Any]
"""Something to do within a transaction."""

POOL = 8
"""Connections of one process to PostgreSQL or SQLite."""
TIMEOUT_SECONDS = 10
"""Seconds to wait for a connection, or for another program to release the SQLite file."""
CHECK_SECONDS = 2.0
"""How long a SQLite file is checked for damage at the start; the rest of a large file is not checked."""
APPLICATION_ID = 0x4B68616D
"""Marks a SQLite file as ours ("Kham")."""
PG_OPTIONS = {
    "connect_timeout": 5, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}  # fmt: skip
"""Options that detect a dead PostgreSQL; an option in the URL takes precedence."""
LOST = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOTADB})
"""SQLite errors after which the connections are opened again: the file may have been restored."""

log = logging.getLogger(__name__)


class Unavailable(Refused):
    """The database does not respond, or is damaged. The request can be repeated."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__("busy", "The database does not respond at the moment. Try again in a few seconds.")
        self.__cause__ = cause


class Unusable(ValueError):
    """A database that a server cannot start with: its name, the error, and the remedy."""


class Database:
    """One database: `reading` and `writing` give a connection in a transaction."""

    def __init__(self, url: str) -> None:
        """Open a database by its URL; "sqlite://" alone is one in memory, lost with the process."""
        kind, _, rest = url.partition("://")
        self.dialect = {"postgres": "postgresql"}.get(kind.partition("+")[0], kind.partition("+")[0])
        options: dict[str, Any] = {"pool_size": POOL, "max_overflow": POOL, "pool_timeout": TIMEOUT_SECONDS}
        self.file: Path | None = None
        """The file of a SQLite database that is not in memory."""
        if self.dialect == "sqlite":
            if rest in ("", "/", "/:memory:"):
                # The database is its one connection, which threads use in turn: a transaction cannot begin within
                # another.
                options = {"poolclass": QueuePool, "pool_size": 1, "max_overflow": 0, "pool_timeout": TIMEOUT_SECONDS}
            else:
                self.file = Path(rest.removeprefix("/"))
            options["connect_args"] = {"timeout": TIMEOUT_SECONDS, "check_same_thread": False}
            self.url = f"sqlite://{rest}"
        elif self.dialect == "postgresql":
            self.url = f"postgresql+psycopg://{rest}"
            options |= {"pool_pre_ping": True, "connect_args": self.pg_options()}
        else:
            raise ValueError(f"{kind!r}: expected the URL of a database, sqlite:///FILE or postgresql://USER@HOST/NAME")
        self._lock = LockFile(self.file.with_name(f"{self.file.name}.lock")) if self.file else None
        self.engine = sa.create_engine(self.url, **options)
        if self.dialect == "sqlite":
            sa.event.listen(self.engine, "connect", _open_sqlite)
            sa.event.listen(self.engine, "begin", _begin_sqlite)
            sa.event.listen(self.engine, "handle_error", _reopen_sqlite)

    @property
    def name(self) -> str:
        """The file, or the URL without its password."""
        if self.file:
            return str(self.file)
        return sa.make_url(self.url).set(drivername=self.dialect).render_as_string(hide_password=True)

    def pg_options(self) -> dict[str, Any]:
        """Return the connection options of PostgreSQL that the URL does not set."""
        return {name: value for name, value in PG_OPTIONS.items() if name not in sa.make_url(self.url).query}

    def open(self) -> None:
        """Make the database ready for the one server that uses it; raises `Unusable`.

        One process serves a SQLite file. Others may read it meanwhile.
        """
        if self.file:
            _check_file(self.file)
        if self._lock:
            try:
                self._lock.acquire()
            except Held as held:
                who = f"process {held.pid}" if held.pid else "another process"
                raise Unusable(
                    f"{self.name}: in use by a server that is running ({who}); stop that one, or choose another file with --db"
                ) from None
            except OSError as error:
                raise Unusable(f"{self._lock.path}: cannot be locked: {error.strerror}") from None
        try:
            self.create()
        except BaseException:
            self.close()
            raise

    def create(self) -> None:
        """Make the tables, or migrate those of an older version; raises `Unusable`."""
        if self.file:
            _check_file(self.file)
        try:
            self._create()
        except migrations.UnknownSchema as error:
            raise Unusable(f"{self.name}: {error}") from None
        except (DBAPIError, PoolTimeout) as error:
            told = str(getattr(error, "orig", None) or error).strip().replace("\n", " ")
            remedy = "start PostgreSQL, or check --db" if self.dialect == "postgresql" else DAMAGED
            raise Unusable(f"{self.name}: cannot be opened: {told}; {remedy}") from error

    def _create(self) -> None:
        with self.engine.connect() as connection:
            connection = connection.execution_options(writing=True, migrating=True)
            try:
                with connection.begin():
                    if self.dialect == "postgresql":
                        # Two processes that start together would both find no table.
                        connection.execute(sa.text("SELECT pg_advisory_xact_lock(50)"))
                    before, after = migrations.migrate(connection, self.dialect, METADATA)
                    if self.dialect == "sqlite":
                        connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION_ID}")
                        if 0 < before < after:
                            _check_references(connection)
            finally:
                if self.dialect == "sqlite":
                    _raw(connection).execute("PRAGMA foreign_keys=ON")

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Return a connection with a consistent snapshot; raises `Unavailable` if the database fails."""
        with _translated(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Return a connection whose work is durable when the block ends, and rolled back if it fails; raises
        `Unavailable` if the database fails."""
        with _translated(), self.engine.connect() as connection:
            connection = connection.execution_options(writing=True)
            with connection.begin():
                yield connection

    def close(self) -> None:
        """Close every connection, and release the file."""
        self.engine.dispose()
        self.release()

    def release(self) -> None:
        """Release the file for another server."""
        if self._lock:
            self._lock.release()


def default_url() -> str:
    """Return the database that KHAMSIN_DB names, or a file among the user's own data."""
    return os.environ.get("KHAMSIN_DB") or f"sqlite:///{data_folder() / 'khamsin.db'}"


def data_folder() -> Path:
    """Return the folder of Khamsin among the user's own data."""
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Application Support"
    else:
        home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return home / "khamsin"


class Clock(NamedTuple):
    """The time of day, which may be set forward and back, and a monotonic clock."""

    wall: Callable[[], float] = time.time
    steady: Callable[[], float] = time.monotonic


def stamp(seconds: float) -> str:
    """Return a moment, in seconds since 1970, as it is stored and sent: UTC, ISO 8601 to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def now() -> str:
    """This moment in UTC, as it is stored and sent: ISO 8601 to the millisecond."""
    return stamp(time.time())


DAMAGED = "restore a backup, or choose another file with --db"


def _check_file(file: Path) -> None:
    """Check a SQLite file before anything is written to it; raises `Unusable`."""
    if file.is_dir():
        raise Unusable(f"{file}: is a directory; name a file in it, such as {file / 'khamsin.db'}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, "ab"):
            pass
        with open(file, "rb") as opened:
            start = opened.read(16)
    except OSError as error:
        raise Unusable(
            f"{file}: cannot be written: {error.strerror}; change its permissions, or choose another file with --db"
        ) from None
    if not start:
        return
    if start != b"SQLite format 3\0":
        raise Unusable(f"{file}: is not a SQLite database; choose another file with --db")
    try:
        with closing(
            sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True, timeout=TIMEOUT_SECONDS)
        ) as connection:
            _check_contents(connection, file)
    except sqlite3.Error as error:
        raise Unusable(f"{file}: is damaged ({error}); {DAMAGED}") from None


def _check_contents(connection: sqlite3.Connection, file: Path) -> None:
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if mark not in (0, APPLICATION_ID) or (not mark and tables and not tables >= migrations.FIRST_TABLES):
        raise Unusable(f"{file}: is a database of another program; choose another file with --db")
    until = time.monotonic() + CHECK_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > until, 100_000)
    try:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        return
    if found != "ok":
        raise sqlite3.DatabaseError(" ".join(found.split()))


@contextmanager
def _translated() -> Iterator[None]:
    """Raise `Unavailable` for a failure of the database. An invalid value is our own error and is raised as it is."""
    try:
        yield
    except (DataError, IntegrityError):
        raise
    except (DBAPIError, PoolTimeout, NoResultFound) as error:
        log.warning("The database failed: %s", str(getattr(error, "orig", None) or error).strip())
        raise Unavailable(error) from error


def _reopen_sqlite(context: sa.engine.ExceptionContext) -> None:
    code = getattr(context.original_exception, "sqlite_errorcode", 0)
    if code & 0xFF in LOST:
        context.is_disconnect = True


def _open_sqlite(connection: Any, _: object) -> None:
    # SQLAlchemy says when a transaction begins; SQLite's driver would begin late, by itself.
    connection.isolation_level = None
    cursor = connection.cursor()
    for setting in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        f"busy_timeout={TIMEOUT_SECONDS * 1000}",
    ):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    options = connection.get_execution_options()
    if options.get("migrating"):
        # A step may drop and rebuild a table; that must not delete the rows that refer to it.
        _raw(connection).execute("PRAGMA foreign_keys=OFF")
    # Take the write lock at BEGIN: upgrading a read lock can fail.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writing") else "BEGIN")


def _raw(connection: sa.Connection) -> Any:
    """Return the driver's connection: SQLite ignores PRAGMA foreign_keys within a transaction."""
    return connection.connection.driver_connection


def _check_references(connection: sa.Connection) -> None:
    wrong = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if wrong is not None:
        raise ValueError(f"A row of {wrong[0]!r} refers to no row of {wrong[2]!r}; the schema was left as it was")
