"""Where games, seats and accounts are kept: SQLite in one file, or PostgreSQL by its URL. Same tables, same statements.

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

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.pool import StaticPool

from khamsin.server import migrations

METADATA = sa.MetaData()
"""Every table of the server."""

Job = Callable[[sa.Connection], Any]
"""Something to do within a transaction."""

POOL = 8
"""Connections of one process to PostgreSQL or SQLite."""
PATIENCE = 10
"""Seconds to wait for a connection, or for another program to let go of the SQLite file."""


class Database:
    """One database: `reading` and `writing` give a connection in a transaction."""

    def __init__(self, url: str) -> None:
        """A database by its URL; "sqlite://" alone is one in memory, gone with the process."""
        kind, _, rest = url.partition("://")
        self.dialect = {"postgres": "postgresql"}.get(kind.partition("+")[0], kind.partition("+")[0])
        options: dict[str, Any]
        if self.dialect == "sqlite":
            options = {"connect_args": {"timeout": PATIENCE, "check_same_thread": False}}
            if rest in ("", "/", "/:memory:"):
                options["poolclass"] = StaticPool
            else:
                Path(rest.removeprefix("/")).parent.mkdir(parents=True, exist_ok=True)
                options |= {"pool_size": POOL, "max_overflow": POOL, "pool_timeout": PATIENCE}
            self.url = f"sqlite://{rest}"
        elif self.dialect == "postgresql":
            options = {"pool_size": POOL, "max_overflow": POOL, "pool_timeout": PATIENCE, "pool_pre_ping": True}
            self.url = f"postgresql+psycopg://{rest}"
        else:
            raise ValueError(f"{kind!r}: expected the URL of a database, sqlite:///FILE or postgresql://USER@HOST/NAME")
        self.engine = sa.create_engine(self.url, **options)
        if self.dialect == "sqlite":
            sa.event.listen(self.engine, "connect", _open_sqlite)
            sa.event.listen(self.engine, "begin", _begin_sqlite)

    def create(self) -> None:
        """Make the tables, or bring those of an older version to the newest."""
        with self.engine.connect() as connection:
            connection = connection.execution_options(writing=True, migrating=True)
            try:
                with connection.begin():
                    if self.dialect == "postgresql":
                        # Two processes that start together would both find no table.
                        connection.execute(sa.text("SELECT pg_advisory_xact_lock(50)"))
                    before, after = migrations.migrate(connection, self.dialect, METADATA)
                    if self.dialect == "sqlite" and 0 < before < after:
                        _check_references(connection)
            finally:
                if self.dialect == "sqlite":
                    _raw(connection).execute("PRAGMA foreign_keys=ON")

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection that sees one moment."""
        with self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A connection whose work is durable when the block ends, and undone where it fails."""
        with self.engine.connect() as connection:
            connection = connection.execution_options(writing=True)
            with connection.begin():
                yield connection

    def close(self) -> None:
        """Let go of every connection."""
        self.engine.dispose()


def default_url() -> str:
    """The database that KHAMSIN_DB names, or a file among the user's own data."""
    named = os.environ.get("KHAMSIN_DB")
    if named:
        return named
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Application Support"
    else:
        home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return f"sqlite:///{home / 'khamsin' / 'khamsin.db'}"


def now() -> str:
    """This moment in UTC, as it is stored and sent: ISO 8601 to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _open_sqlite(connection: Any, _: object) -> None:
    # SQLAlchemy says when a transaction begins; SQLite's driver would begin late and of its own accord.
    connection.isolation_level = None
    cursor = connection.cursor()
    for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={PATIENCE * 1000}"):
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
