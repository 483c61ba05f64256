"""Property tests draw the same examples every time, but for `make soak`, and none of them is timed."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import settings

from tests import SOAK

settings.register_profile("khamsin", derandomize=not SOAK, deadline=None, database=None, max_examples=60)
settings.load_profile("khamsin")

if SOAK:

    def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
        """Mix the games, so that the percentage grows evenly; the tests of one walk stay together."""

        def place(item: pytest.Item) -> float:
            return random.Random(item.name.partition("[")[2]).random() if "contract" in item.path.parts else 1

        items.sort(key=place)

    def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
        """Report how many tests of each file and game ran, and how long they took."""
        count, minutes = Counter[str](), Counter[str]()
        for report in (*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")):
            file, _, test = report.nodeid.partition("::")
            game = test.partition("[")[2].partition("-")[0].removesuffix("]") if "contract" in file else ""
            count[f"{file} {game}"] += 1
            minutes[f"{file} {game}"] += report.duration / 60
        for part in sorted(count):
            terminalreporter.line(f"{part:60} {count[part]:6} tests {minutes[part]:7.1f} minutes")
