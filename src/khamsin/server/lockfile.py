"""A lock on a file that one process holds. The system releases it when the process ends, also by SIGKILL."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO

LOCKED_BYTE = 1 << 30
"""The byte that Windows locks: no other process may read a locked byte, so the process id must be elsewhere."""


class Held(Exception):
    """Another process holds the lock; `pid` is its id, 0 if unknown."""

    def __init__(self, pid: int) -> None:
        super().__init__(f"held by process {pid}")
        self.pid = pid


class LockFile:
    """The lock of a process on a path. The file stays when the lock is released: removing it would race with others."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: IO[str] | None = None

    def acquire(self) -> None:
        """Take the lock and write the process id into the file; raises `Held`, or OSError if the file cannot be used."""
        if self._file is not None:
            return
        file = self.path.open("a+", encoding="ascii")
        try:
            _lock(file)
        except (BlockingIOError, PermissionError):
            file.seek(0)
            text = file.read(20).strip()
            file.close()
            raise Held(int(text) if text.isdecimal() else 0) from None
        except OSError:
            file.close()
            raise
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()}\n")
        file.flush()
        self._file = file

    def release(self) -> None:
        """Release the lock."""
        if self._file is not None:
            self._file.close()
            self._file = None


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[str]) -> None:
        file.seek(LOCKED_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
