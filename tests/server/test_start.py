"""Starting on a database that cannot be used: its name, what is wrong, and what to do; the file is left as it was."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from khamsin.server import migrations, serve
from khamsin.server.database import APPLICATION_ID, Database, Unusable
from tests.server import schema_v1
from tests.server.test_kill import Mortal, Player


def notes(path: Path) -> None:
    path.write_text("Buy milk.\n" * 500)


def of_another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")


def with_another_mark(path: Path) -> None:
    Database(f"sqlite:///{path}").create()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA application_id=7")


def truncated(path: Path) -> None:
    _ours(path)
    os.truncate(path, path.stat().st_size // 2)


def scribbled_over(path: Path) -> None:
    _ours(path)
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(b"x" * (path.stat().st_size - 4096))


def newer(path: Path) -> None:
    _ours(path, "UPDATE schema_version SET version = 99")


def a_directory(path: Path) -> None:
    path.mkdir()


def below_a_file(path: Path) -> None:
    path.parent.rmdir()
    path.parent.write_text("a file")


def _ours(path: Path, more: str = "") -> None:
    database = Database(f"sqlite:///{path}")
    database.create()
    if more:
        with database.writing() as connection:
            connection.execute(sa.text(more))
    database.close()


BAD: list[tuple[Callable[[Path], None], str]] = [
    (notes, "not a SQLite database"), (of_another_program, "another program"), (with_another_mark, "another program"),
    (truncated, "damaged"), (scribbled_over, "damaged"), (newer, "newer Khamsin"), (a_directory, "is a directory"),
    (below_a_file, "cannot be written"),
]  # fmt: skip


@pytest.mark.parametrize(("spoil", "said"), BAD, ids=[spoil.__name__ for spoil, _ in BAD])
def test_a_file_that_cannot_be_used_is_named_and_left_as_it_was(
    tmp_path: Path, spoil: Callable[[Path], None], said: str
) -> None:
    path = tmp_path / "folder" / "games.db"
    path.parent.mkdir()
    spoil(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(Unusable) as refused:
        serve("127.0.0.1", 0, False, f"sqlite:///{path}")
    assert str(path) in str(refused.value)
    assert said in str(refused.value)
    assert (
        ("--db" in str(refused.value))
        or ("update Khamsin" in str(refused.value))
        or ("name a file" in str(refused.value))
    )
    assert before == (path.read_bytes() if path.is_file() else b"")


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    _ours(path)
    path.chmod(0o400)
    with pytest.raises(Unusable, match="cannot be written"):
        Database(f"sqlite:///{path}").open()


def test_a_postgresql_that_cannot_be_reached_is_named_without_its_password() -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"postgresql://me:secret@127.0.0.1:{taken.getsockname()[1]}/games"
        with pytest.raises(Unusable) as refused:
            serve("127.0.0.1", 0, False, url)
    assert "postgresql://me:***@127.0.0.1" in str(refused.value)
    assert "start PostgreSQL" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_postgresql_with_tables_of_another_program_is_refused(postgres_url: str) -> None:
    database = Database(postgres_url)
    with database.writing() as connection:
        connection.execute(sa.text("CREATE TABLE matches (id INTEGER)"))
    with pytest.raises(Unusable, match="another program"):
        database.open()
    database.close()


def test_the_command_line_says_it_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    notes(path)
    command = [sys.executable, "-c", "from khamsin.cli import main; main()"]
    ended = subprocess.run(
        [*command, "play", "--no-browser", "--port", "18999", "--db", f"sqlite:///{path}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [f"khamsin: {path}: is not a SQLite database; choose another file with --db"]


def test_an_empty_file_and_a_new_one_become_ours(tmp_path: Path) -> None:
    for path in (tmp_path / "empty.db", tmp_path / "a" / "b" / "new.db"):
        if path.name == "empty.db":
            path.touch()
        database = Database(f"sqlite:///{path}")
        database.open()
        with database.reading() as connection:
            assert connection.exec_driver_sql("PRAGMA application_id").scalar() == APPLICATION_ID
        database.close()


def test_a_file_of_version_1_without_a_mark_is_ours(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'old.db'}")
    schema_v1.make(database)
    database.open()
    with database.reading() as connection:
        assert migrations.version_of(connection) == 1 + len(migrations.STEPS)
    database.close()


@pytest.fixture
def file(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'games.db'}"


def test_a_second_server_on_one_file_is_refused_and_told_who_holds_it(file: str) -> None:
    first, second = Database(file), Database(file)
    first.open()
    with pytest.raises(Unusable, match=f"process {os.getpid()}"):
        second.open()
    with second.reading() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM matches")).scalar() == 0
    first.close()
    second.open()
    second.close()


def test_a_server_that_is_killed_leaves_no_lock(file: str) -> None:
    mortal = Mortal(file)
    process = mortal.start()
    Player(mortal.port, 0, None).call()  # type: ignore[arg-type]
    later = Database(file)
    with pytest.raises(Unusable, match=f"process {process}"):
        later.open()
    os.kill(process, signal.SIGKILL)
    assert mortal.parent.stdout is not None
    assert mortal.parent.stdout.readline() == "ended\n"
    later.open()
    later.close()
    mortal.close()


def test_a_copy_of_the_file_can_be_served_beside_it(file: str, tmp_path: Path) -> None:
    first = Database(file)
    first.open()
    shutil.copy(tmp_path / "games.db", tmp_path / "copy.db")
    second = Database(f"sqlite:///{tmp_path / 'copy.db'}")
    second.open()
    second.close()
    first.close()
