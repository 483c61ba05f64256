"""The tables of schema version 1, as literal SQL, with one game and one account in them."""

from __future__ import annotations

import sqlalchemy as sa

from khamsin.server.database import Database

TABLES = """
CREATE TABLE accounts (id {serial} PRIMARY KEY, name VARCHAR NOT NULL, folded VARCHAR NOT NULL UNIQUE,
    hash VARCHAR NOT NULL, email VARCHAR NOT NULL, push BOOLEAN NOT NULL, created VARCHAR NOT NULL);
CREATE TABLE matches (id VARCHAR(32) NOT NULL PRIMARY KEY, game VARCHAR(40) NOT NULL, scenario VARCHAR(80) NOT NULL,
    options TEXT NOT NULL, start TEXT, dice {bytes} NOT NULL, dice_from INTEGER NOT NULL, started VARCHAR(40) NOT NULL,
    changed VARCHAR(40) NOT NULL, turn INTEGER NOT NULL, label VARCHAR(80) NOT NULL, phase VARCHAR(80) NOT NULL,
    asked INTEGER, result TEXT);
CREATE TABLE secrets (name VARCHAR NOT NULL PRIMARY KEY, value VARCHAR NOT NULL);
CREATE TABLE account_seats (account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, "match" VARCHAR NOT NULL,
    side VARCHAR NOT NULL, "key" VARCHAR NOT NULL, claimed VARCHAR NOT NULL, PRIMARY KEY (account, "match", side));
CREATE INDEX account_seats_of_match ON account_seats ("match", side);
CREATE TABLE chat ("match" VARCHAR(32) NOT NULL REFERENCES matches (id), number INTEGER NOT NULL, side INTEGER NOT NULL,
    name VARCHAR(80) NOT NULL, text TEXT NOT NULL, at VARCHAR(40) NOT NULL, PRIMARY KEY ("match", number));
CREATE TABLE entries ("match" VARCHAR(32) NOT NULL REFERENCES matches (id), seq INTEGER NOT NULL, kind VARCHAR(8) NOT NULL,
    number INTEGER NOT NULL, side INTEGER NOT NULL, text TEXT NOT NULL, rolls TEXT NOT NULL, turn INTEGER NOT NULL,
    phase VARCHAR(80) NOT NULL, phase_side INTEGER NOT NULL, cut INTEGER, lines TEXT NOT NULL, at VARCHAR(40) NOT NULL,
    PRIMARY KEY ("match", seq));
CREATE TABLE notices (id {serial} PRIMARY KEY, account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    "match" VARCHAR NOT NULL, side VARCHAR NOT NULL, way VARCHAR NOT NULL, tries INTEGER NOT NULL, due FLOAT NOT NULL,
    sent FLOAT);
CREATE INDEX ix_notices_account ON notices (account);
CREATE INDEX ix_notices_due ON notices (due);
CREATE TABLE open_reasons ("match" VARCHAR(32) NOT NULL PRIMARY KEY REFERENCES matches (id));
CREATE TABLE push_subscriptions (id {serial} PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, endpoint VARCHAR NOT NULL, p256dh VARCHAR NOT NULL,
    auth VARCHAR NOT NULL);
CREATE INDEX ix_push_subscriptions_account ON push_subscriptions (account);
CREATE TABLE reasons ("match" VARCHAR(32) NOT NULL REFERENCES matches (id), number INTEGER NOT NULL, side INTEGER NOT NULL,
    click INTEGER NOT NULL, lines TEXT NOT NULL, PRIMARY KEY ("match", number));
CREATE TABLE seats ("match" VARCHAR(32) NOT NULL REFERENCES matches (id), side INTEGER NOT NULL, who VARCHAR(80) NOT NULL,
    "key" VARCHAR(64) NOT NULL, PRIMARY KEY ("match", side));
CREATE TABLE sessions (digest VARCHAR NOT NULL PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, expires VARCHAR NOT NULL);
CREATE INDEX ix_sessions_account ON sessions (account);
CREATE TABLE snapshots ("match" VARCHAR(32) NOT NULL PRIMARY KEY REFERENCES matches (id), seq INTEGER NOT NULL,
    number INTEGER NOT NULL, clicks INTEGER NOT NULL, rolls INTEGER NOT NULL, lines INTEGER NOT NULL,
    rules VARCHAR(40) NOT NULL, state VARCHAR(40) NOT NULL, position TEXT NOT NULL);
CREATE TABLE told (account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, "match" VARCHAR NOT NULL,
    PRIMARY KEY (account, "match"));
"""
ROWS = """
INSERT INTO accounts (name, folded, hash, email, push, created)
    VALUES ('Claude', 'claude', '$argon2id$x', 'claude@table.example', {true}, '2026-01-01T00:00:00.000+00:00');
INSERT INTO sessions VALUES ('digest', 1, '2999-01-01T00:00:00.000+00:00');
INSERT INTO matches VALUES ('abc', 'skirmish', 'village', '{{}}', NULL, {dice}, 0, '2026-01-01', '2026-01-01', 1, '1', 'Red',
    0, NULL);
INSERT INTO seats VALUES ('abc', 0, 'person', 'the red key'), ('abc', 1, 'open', 'the blue key');
INSERT INTO entries VALUES ('abc', 0, 'start', 0, 0, '', '', 1, 'Red', 0, NULL, '[]', '2026-01-01');
INSERT INTO account_seats VALUES (1, 'abc', 'Red', 'the red key', '2026-01-01');
"""


def make(database: Database) -> None:
    """Make the tables of version 1 and fill them."""
    if database.dialect == "sqlite":
        words = {"serial": "INTEGER NOT NULL", "bytes": "BLOB", "true": "1", "dice": "x'00'"}
    else:
        words = {"serial": "SERIAL", "bytes": "BYTEA", "true": "true", "dice": r"'\x00'"}
    with database.writing() as connection:
        for statement in (TABLES + ROWS).format(**words).split(";"):
            if statement.strip():
                connection.execute(sa.text(statement))
