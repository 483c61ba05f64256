from __future__ import annotations

import pytest

from khamsin.lab import Study
from tests.test_cli import khamsin

__all__ = ["khamsin"]

TOY = Study("skirmish", "village", ("random", "random"), seed=11)


@pytest.fixture(autouse=True)
def toy_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy game, and two that go wrong, are known here and in every worker."""
    monkeypatch.setenv(
        "KHAMSIN_GAMES", "tests.toy.skirmish:RULES,tests.lab.accidents:DEADLY,tests.lab.accidents:FAULTY"
    )
