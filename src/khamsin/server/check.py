"""What a rule update would cost: replay the unfinished matches of a database against the installed rules.

The database is only read. Each match is copied into a database in memory and migrated there, so a database of an older
version can be checked before the upgrade, also while its server runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa

from khamsin.kernel.rules import Find
from khamsin.server import store
from khamsin.server.database import Database
from khamsin.server.history import Stranded, fold_clicks, rebuilt
from khamsin.server.migrations import SCHEMA_VERSION, UnknownSchema, version_of

Verdict = Literal["continues", "loses clicks of its phase", "needs consent", "cannot continue", "not begun"]


class Finding(NamedTuple):
    """What would happen to a match; `lost` counts clicks, None if all would be lost."""

    match: str
    game: str
    scenario: str
    turn: int
    phase: str
    verdict: Verdict
    lost: int | None
    text: str = ""


def check(url: str, find: Find) -> Iterator[Finding]:
    """Yield every unfinished match of a database, oldest first, and what it would lose."""
    source = _read_only(url)
    try:
        with source.connect() as connection, connection.begin():
            if version_of(connection) == 0:
                raise UnknownSchema(f"{url}: expected a database of Khamsin")
            tables = sa.MetaData()
            tables.reflect(connection)
            matches = tables.tables["matches"]
            query = sa.select(matches.c.id).where(matches.c.result.is_(None)).order_by(matches.c.started)
            for match in connection.scalars(query).all():
                yield _judge(_copy(connection, tables, match), find)
    except sa.exc.DatabaseError as error:
        raise ValueError(f"{url}: cannot be read: {error.orig}") from None
    finally:
        source.dispose()


def _read_only(url: str) -> sa.Engine:
    database = Database(url)
    database.close()
    if database.dialect == "postgresql":
        return sa.create_engine(database.url).execution_options(postgresql_readonly=True)
    file = Path(database.url.removeprefix("sqlite:///"))
    if not file.is_file():
        raise ValueError(f"{url}: expected a database; there is no file {file}")
    return sa.create_engine(f"sqlite:///file:{file}?mode=ro&uri=true")


def _copy(source: sa.Connection, tables: sa.MetaData, match: str) -> store.Saved:
    """Return a match, read through a database in memory that has only this match."""
    memory = Database("sqlite://")
    mirror = sa.MetaData()
    with memory.writing() as connection:
        for table in tables.tables.values():
            columns = [sa.Column(c.name, c.type.as_generic(), primary_key=c.primary_key) for c in table.columns]
            copy = sa.Table(table.name, mirror, *columns)
            copy.create(connection)
            rows = [row._asdict() for row in source.execute(_of_match(table, match))]
            if rows:
                connection.execute(copy.insert(), rows)
    memory.create()
    try:
        with memory.reading() as connection:
            return store.load(connection, match, 0)
    finally:
        memory.close()


def _of_match(table: sa.Table, match: str) -> sa.Select[Any]:
    """Return the rows of a table that belong to a match."""
    if table.name == SCHEMA_VERSION.name:
        return sa.select(table)
    key = table.c.get("match") if table.name != "matches" else table.c.id
    return sa.select(table).where(key == match if key is not None else sa.false())


def _judge(saved: store.Saved, find: Find) -> Finding:
    head, entries = saved.head, saved.entries
    last = entries[-1] if entries else None
    about = (head.id, head.game, head.scenario, last.turn if last else 0, last.phase if last else "")
    if head.waiting or last is None:
        return Finding(*about, "not begun", 0)
    try:
        history, resume = rebuilt(saved, find)
    except Stranded as stranded:
        return Finding(
            *about, "cannot continue" if stranded.lost is None else "needs consent", stranded.lost, str(stranded)
        )
    except ValueError as error:
        return Finding(*about, "cannot continue", None, str(error))
    if resume is None:
        return Finding(*about, "continues", 0)
    return Finding(*about, "loses clicks of its phase", len(fold_clicks(entries)) - history.clicks)
