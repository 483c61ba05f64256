"""Measurements that a game offers to the laboratory, besides those that any game has. Nothing here decides anything."""

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
    """Functions called with the true game at its start and at the end of every turn, and with every event."""

    curves: Callable[[Game[S]], Mapping[str, float]] = lambda g: {}
    """Numbers to follow from turn to turn, by title: a front, a score, a stock."""
    lead: Callable[[Game[S]], float] | None = None
    """The first side's lead over the second: positive if it would win now. Without it, the laboratory compares the
    shares of units that each side still has."""
    battle: Callable[[Event], int] = lambda event: NOWHERE
    """The hex of the combat that an event reports, or NOWHERE; only one event per combat should return it."""
