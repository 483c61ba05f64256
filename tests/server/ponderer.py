"""A computer player that thinks until it is hurried, here or in a server of its own."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any

from khamsin import players
from khamsin.server.load_bench import SERVER

PONDERING = "from tests.server import ponderer; ponderer.sit_down()" + SERVER
"""A server at whose tables it can sit."""


class Ponderer(players.Passive):
    """Thinks until it is told to stop, and says why it clicked."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.log: list[str] = []
        self.progress: Callable[[float], None] = lambda part: None
        self.told = Event()

    @property
    def stop(self) -> bool:
        return self.told.is_set()

    @stop.setter
    def stop(self, stop: bool) -> None:
        (self.told.set if stop else self.told.clear)()

    def choose(self, *asked: Any) -> int:
        self.progress(0.5)
        assert self.told.wait(60)
        self.log.append("nothing better came to mind")
        return super().choose(*asked)


def sit_down() -> None:
    """Be one of the players of this process."""
    players.PLAYERS["ponderer"] = Ponderer
    players.ANY_GAME = (*players.ANY_GAME, "ponderer")
