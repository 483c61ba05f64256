"""What a game lets the laboratory measure, besides what can be found without knowing it. Nothing here decides anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.pieces import State

if TYPE_CHECKING:
    from khamsin.kernel.rules import Event, Game

S = TypeVar("S", bound=State)


@dataclass(frozen=True)
class Metrics(Generic[S]):
    """What is asked of the true game, at its start and at the end of every turn, and of every event."""

    curves: Callable[[Game[S]], Mapping[str, float]] = lambda g: {}
    """Numbers worth following from turn to turn, by title: a front, a score, a stock."""
    lead: Callable[[Game[S]], float] | None = None
    """How far the first side is ahead of the second as things stand: above 0 it would win. Without it, what each side has kept
    of its units is compared."""
    battle: Callable[[Event], int] = lambda event: NOWHERE
    """The hex that an event says was fought for, or NOWHERE; of a combat only one event should say so."""
