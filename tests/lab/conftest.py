from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from multiprocessing import forkserver

import pytest

from khamsin.lab import Study, local
from tests.test_cli import khamsin

__all__ = ["khamsin"]

TOY = Study("skirmish", "village", ("random", "random"), seed=11)


TOYS = "tests.toy.skirmish:RULES,tests.lab.accidents:DEADLY,tests.lab.accidents:FAULTY"


@pytest.fixture(autouse=True)
def toy_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy game, and two that go wrong, are known here and in every worker."""
    monkeypatch.setenv("KHAMSIN_GAMES", TOYS)


@pytest.fixture(scope="session")
def _imported() -> multiprocessing.context.BaseContext:
    """Start a process that has imported the program and the toy, to fork workers from."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["khamsin.lab.local", "tests.toy.skirmish", "tests.lab.accidents"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KHAMSIN_GAMES", TOYS)
        forkserver.ensure_running()
    return context


@pytest.fixture(autouse=True)
def forked_workers(_imported: multiprocessing.context.BaseContext) -> Iterator[None]:
    """Fork workers from a process that has imported the program; a new interpreter for each takes a second more."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "SPAWN", _imported)
        yield


@pytest.fixture
def spawned_workers(forked_workers: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start workers as the program does."""
    monkeypatch.setattr(local, "SPAWN", multiprocessing.get_context("spawn"))
