"""The results file: JSON lines, a header with the studies, then one line per finished game, appended.

A line is written when its game ends and synced about once per second: a crash of the program loses nothing, a power cut at most
a second. A truncated last line is dropped when the file is opened.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from io import BufferedRandom
from pathlib import Path
from time import monotonic
from typing import Any, Self

from khamsin.lab.play import GameResult
from khamsin.lab.run import Finished
from khamsin.lab.study import Study

FORMAT = 1
PAUSE = 1.0
"""Seconds between two syncs of the file."""


class ResultsError(ValueError):
    """A results file that cannot be continued: names the file, the line and what was expected."""

    def __init__(self, file: Path, line: int, expected: str) -> None:
        super().__init__(f"{file}:{line}: {expected}")


class Results:
    """The finished games of some studies, stored in a file."""

    def __init__(self, file: Path, studies: Sequence[Study]) -> None:
        """Open the results file of these studies, or create it."""
        self.file = file
        self.studies = list(studies)
        self.finished: list[Finished] = []
        text = file.read_bytes() if file.exists() else b""
        whole = text[: text.rfind(b"\n") + 1]
        if whole:
            self._read(whole.decode("utf-8", "replace"))
        self._whole = len(whole)
        self._sink: BufferedRandom | None = None
        self._synced = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def done(self) -> set[tuple[int, int]]:
        """The (study, game) pairs that are finished."""
        return {(arm, outcome.number) for arm, outcome in self.finished}

    def add(self, finished: Finished) -> None:
        """Add a finished game."""
        self.finished.append(finished)
        self._write({"arm": finished.arm} | finished.outcome.as_json())

    def close(self) -> None:
        """Sync and close the file."""
        if self._sink is not None:
            os.fsync(self._sink.fileno())
            self._sink.close()
            self._sink = None

    def _write(self, line: dict[str, Any]) -> None:
        """Add a line. Before the first, open the file after its last whole line, or create it: a study that cannot be played
        leaves no file."""
        if self._sink is None:
            self._sink = self.file.open("r+b" if self.file.exists() else "w+b")
            self._sink.truncate(self._whole)
            self._sink.seek(self._whole)
            if not self._whole:
                self._sink.write(_line({"khamsin lab": FORMAT, "studies": [study.as_json() for study in self.studies]}))
        self._sink.write(_line(line))
        self._sink.flush()
        self._whole = self._sink.tell()
        if monotonic() - self._synced >= PAUSE:
            os.fsync(self._sink.fileno())
            self._synced = monotonic()

    def _read(self, text: str) -> None:
        lines = text.splitlines()
        header = self._parse(1, lines[0])
        if header.get("khamsin lab") != FORMAT:
            raise ResultsError(self.file, 1, f"expected a results file of the laboratory, format {FORMAT}")
        if header.get("studies") != [study.as_json() for study in self.studies]:
            raise ResultsError(
                self.file, 1, f"expected the same studies; these are {json.dumps(header.get('studies'))}"
            )
        seen: set[tuple[int, int]] = set()
        for number, line in enumerate(lines[1:], 2):
            values = self._parse(number, line)
            arm = values.pop("arm", None)
            if arm not in range(len(self.studies)) or type(values.get("number")) is not int:
                raise ResultsError(self.file, number, "expected a finished game of one of the studies")
            if (arm, values["number"]) not in seen:
                seen.add((arm, values["number"]))
                self.finished.append(Finished(arm, GameResult.from_json(values)))

    def _parse(self, number: int, line: str) -> dict[str, Any]:
        try:
            values = json.loads(line)
        except ValueError as error:
            raise ResultsError(self.file, number, f"expected a line of JSON: {error}") from None
        if not isinstance(values, dict):
            raise ResultsError(self.file, number, "expected a JSON object")
        return values


def _line(values: dict[str, Any]) -> bytes:
    return json.dumps(values, separators=(",", ":")).encode() + b"\n"
