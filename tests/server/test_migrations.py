"""Schema versions: an older database is brought to the newest, a newer one is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from khamsin.server import migrations
from khamsin.server.database import METADATA, Database
from khamsin.server.seats import KEYS, digest
from tests.server import schema_v1
from tests.server.conftest import BOTH

NEWEST = 1 + len(migrations.STEPS)


@pytest.fixture(params=BOTH)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database without tables, of either kind."""
    file = f"sqlite:///{tmp_path / 'games.db'}"
    database = Database(file if request.param == "sqlite" else request.getfixturevalue("postgres_url"))
    yield database
    database.close()


def version(database: Database) -> int:
    with database.reading() as connection:
        return migrations.version_of(connection)


def columns(database: Database) -> dict[str, set[str]]:
    found = sa.inspect(database.engine)
    return {table: {column["name"] for column in found.get_columns(table)} for table in found.get_table_names()}


def test_a_new_database_has_the_newest_version(database: Database) -> None:
    assert version(database) == 0
    database.create()
    assert version(database) == NEWEST


def test_a_database_of_version_1_ends_with_the_newest_schema_and_its_rows(database: Database) -> None:
    schema_v1.make(database)
    assert version(database) == 1
    database.create()
    assert version(database) == NEWEST
    tables = {name: set(table.columns.keys()) for name, table in METADATA.tables.items()}
    assert columns(database) == tables | {"schema_version": {"version"}}
    with database.reading() as connection:
        for table in ("accounts", "sessions", "matches", "entries"):
            assert connection.execute(sa.text(f"SELECT count(*) FROM {table}")).scalar() == 1, table
        assert connection.execute(sa.text("SELECT count(*) FROM seats")).scalar() == 2


def test_a_database_without_standing_orders_gets_their_table_and_a_version_that_older_programs_refuse(
    database: Database,
) -> None:
    database.create()
    with database.writing() as connection:
        connection.execute(sa.text("DROP TABLE standing_orders"))
        connection.execute(migrations.SCHEMA_VERSION.update().values(version=3))
    database.create()
    assert version(database) == NEWEST > 3
    assert "standing_orders" in columns(database)


def test_opening_again_changes_nothing(database: Database) -> None:
    schema_v1.make(database)
    database.create()
    before = columns(database)
    database.create()
    assert columns(database) == before
    with database.reading() as connection:
        assert connection.execute(sa.select(migrations.SCHEMA_VERSION.c.version)).scalars().all() == [NEWEST]


def test_a_newer_version_is_refused(database: Database) -> None:
    database.create()
    with database.writing() as connection:
        connection.execute(migrations.SCHEMA_VERSION.update().values(version=NEWEST + 1))
    with pytest.raises(ValueError, match="newer Khamsin"):
        database.create()
    assert version(database) == NEWEST + 1


def test_a_step_that_fails_leaves_the_database_as_it_was(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def changes(connection: sa.Connection, dialect: str) -> None:
        connection.execute(sa.text("ALTER TABLE chat RENAME TO talk"))

    def fails(connection: sa.Connection, dialect: str) -> None:
        raise RuntimeError("no")

    schema_v1.make(database)
    before = columns(database)
    monkeypatch.setattr(migrations, "STEPS", [changes, fails])
    with pytest.raises(RuntimeError):
        database.create()
    assert columns(database) == before
    assert version(database) == 1


def test_a_step_may_rebuild_a_table_that_others_refer_to(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """On SQLite, dropping a table deletes the rows that refer to it, unless references are off."""

    def rebuild(connection: sa.Connection, dialect: str) -> None:
        if dialect == "sqlite":
            connection.execute(sa.text("CREATE TABLE fresh AS SELECT * FROM accounts"))
            connection.execute(sa.text("DROP TABLE accounts"))
            METADATA.tables["accounts"].create(connection)
            connection.execute(sa.text("INSERT INTO accounts SELECT * FROM fresh"))
            connection.execute(sa.text("DROP TABLE fresh"))

    database.create()
    with database.writing() as connection:
        connection.execute(
            METADATA.tables["accounts"].insert(), {"name": "A", "folded": "a", "hash": "", "created": ""}
        )
        connection.execute(METADATA.tables["sessions"].insert(), {"account": 1, "digest": "d", "expires": ""})
    monkeypatch.setattr(migrations, "STEPS", [*migrations.STEPS, rebuild])
    database.create()
    with database.writing() as connection:
        assert connection.execute(sa.text("SELECT account FROM sessions")).scalars().all() == [1]
        connection.execute(sa.text("DELETE FROM accounts"))
        assert connection.execute(sa.text("SELECT account FROM sessions")).scalars().all() == []


def test_the_keys_of_version_1_still_open_their_seats_and_are_stored_as_digests(database: Database) -> None:
    schema_v1.make(database)
    with database.reading() as connection:
        keys = connection.execute(sa.text("SELECT side, key FROM seats WHERE key != '' ORDER BY side")).all()
    assert keys
    database.create()
    with database.reading() as connection:
        found = connection.execute(sa.select(KEYS.c.side, KEYS.c.digest).order_by(KEYS.c.side)).all()
    assert [(row.side, row.digest) for row in found] == [(side, digest(key)) for side, key in keys]
