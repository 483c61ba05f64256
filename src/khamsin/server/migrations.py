"""Schema versions: which version a database has, and the steps that bring an older one to the newest.

Add a step to `STEPS` when a table changes. A new table needs no step: `create_all` makes it after the steps.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import sqlalchemy as sa

Step = Callable[[sa.Connection, str], None]
"""Changes the schema by one version, within the transaction of the connection. The text is the dialect."""

SCHEMA_VERSION = sa.Table(
    "schema_version", sa.MetaData(), sa.Column("version", sa.Integer, primary_key=True, autoincrement=False)
)
FIRST_TABLES = frozenset({"matches", "seats", "entries"})
"""Tables that every version has had. A database that has them but no version number is version 1."""


def _seats_by_digest(connection: sa.Connection, dialect: str) -> None:
    """Store digests of the keys of seats, let accounts refer to seats, and keep several snapshots of a match."""
    run = connection.exec_driver_sql
    false, bytes_ = ("FALSE", "BYTEA") if dialect == "postgresql" else ("0", "BLOB")
    run("ALTER TABLE matches ADD COLUMN seed BIGINT")
    run("ALTER TABLE matches ADD COLUMN claim_days INTEGER")
    run(f"ALTER TABLE matches ADD COLUMN opened BOOLEAN NOT NULL DEFAULT {false}")
    run("ALTER TABLE seats ADD COLUMN seen VARCHAR(40)")
    run(
        "CREATE TABLE seat_keys (digest VARCHAR(64) NOT NULL, side INTEGER NOT NULL, match VARCHAR(32) NOT NULL REFERENCES "
        "matches (id), how VARCHAR(20) NOT NULL, made VARCHAR(40) NOT NULL, seen VARCHAR(40) NOT NULL, "
        "PRIMARY KEY (digest, side))"
    )
    run("CREATE INDEX ix_seat_keys_match ON seat_keys (match)")
    rows = run(
        "SELECT seats.match, side, key, changed FROM seats JOIN matches ON id = seats.match WHERE key != ''"
    ).all()
    add = sa.text("INSERT INTO seat_keys VALUES (:digest, :side, :match, 'earlier version', :made, :made)")
    for match, side, key, changed in rows:
        digest = hashlib.sha256(key.encode()).hexdigest()
        connection.execute(add, {"digest": digest, "side": side, "match": match, "made": changed})
    run("ALTER TABLE seats DROP COLUMN key")
    if "account_seats" in sa.inspect(connection).get_table_names():
        run("ALTER TABLE account_seats DROP COLUMN key")
    run("ALTER TABLE snapshots RENAME TO old_snapshots")
    run(
        "CREATE TABLE snapshots (match VARCHAR(32) NOT NULL REFERENCES matches (id), seq INTEGER NOT NULL, number INTEGER NOT "
        "NULL, clicks INTEGER NOT NULL, rolls INTEGER NOT NULL, lines INTEGER NOT NULL, rules VARCHAR(40) NOT NULL, "
        f"state VARCHAR(40) NOT NULL, position TEXT NOT NULL, fell TEXT NOT NULL, views {bytes_}, PRIMARY KEY (match, seq))"
    )
    run(
        "INSERT INTO snapshots SELECT match, seq, number, clicks, rolls, lines, rules, state, position, '', NULL "
        "FROM old_snapshots"
    )
    run("DROP TABLE old_snapshots")


def _confirm_addresses(connection: sa.Connection, dialect: str) -> None:
    """Accounts: what a name looks like, unique from now on; whether the address is confirmed. None is yet."""
    from khamsin.server.names import skeleton

    if not sa.inspect(connection).has_table("accounts"):
        return
    connection.execute(sa.text("ALTER TABLE accounts ADD COLUMN confirmed BOOLEAN NOT NULL DEFAULT false"))
    connection.execute(sa.text("ALTER TABLE accounts ADD COLUMN skeleton VARCHAR NOT NULL DEFAULT ''"))
    taken: set[str] = set()
    for row in connection.execute(sa.text("SELECT id, name FROM accounts ORDER BY id")).all():
        found = skeleton(row.name)
        if found in taken:
            # Both keep their names; '#' is in no name, so the second skeleton cannot be taken.
            found += f" #{row.id}"
        taken.add(found)
        connection.execute(
            sa.text("UPDATE accounts SET skeleton = :skeleton WHERE id = :id"), {"skeleton": found, "id": row.id}
        )
    connection.execute(sa.text("CREATE UNIQUE INDEX accounts_skeleton ON accounts (skeleton)"))


def _standing_orders(connection: sa.Connection, dialect: str) -> None:
    """Let earlier versions refuse the database: they would skip entries of the kind `order`. `create_all` makes the table."""


STEPS: list[Step] = [_seats_by_digest, _confirm_addresses, _standing_orders]
"""The step at index 0 leads from version 1 to version 2, and so on."""


class UnknownSchema(ValueError):
    """A database that is not ours, or that a newer Khamsin has changed."""


def migrate(
    connection: sa.Connection, dialect: str, metadata: sa.MetaData, steps: Sequence[Step] | None = None
) -> tuple[int, int]:
    """Bring a database to the newest version, all steps in the transaction of the connection.

    Returns the versions before (0: no tables yet) and after.
    """
    steps = STEPS if steps is None else steps
    newest = 1 + len(steps)
    before = version_of(connection)
    if before > newest:
        raise UnknownSchema(f"made by a newer Khamsin (schema {before}, this one knows {newest}); update Khamsin first")
    if not before and metadata.tables.keys() & set(sa.inspect(connection).get_table_names()):
        raise UnknownSchema("has tables of another program; choose another database with --db")
    if before:
        for step in steps[before - 1 :]:
            step(connection, dialect)
    metadata.create_all(connection)
    SCHEMA_VERSION.create(connection, checkfirst=True)
    if connection.execute(sa.select(SCHEMA_VERSION.c.version)).scalar() != newest:
        connection.execute(SCHEMA_VERSION.delete())
        connection.execute(SCHEMA_VERSION.insert(), {"version": newest})
    return before, newest


def version_of(connection: sa.Connection) -> int:
    """Return the schema version of a database; 0 if none of our tables is there."""
    tables = set(sa.inspect(connection).get_table_names())
    if SCHEMA_VERSION.name in tables:
        return int(connection.execute(sa.select(SCHEMA_VERSION.c.version)).scalar() or 1)
    return 1 if tables >= FIRST_TABLES else 0
