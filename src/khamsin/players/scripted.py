"""The scripted player: it plans each phase from what its side may know and clicks its orders one after another.

An adapter of the game decides what to take, hold and avoid. This module turns its orders into clicks, drops orders that
turn out illegal, and logs the reasons.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple, Protocol, runtime_checkable

from khamsin.kernel.registration import registrations
from khamsin.kernel.rules import Decision, Game

View = Callable[[], dict[str, Any]]
"""Returns the view of the player's side."""
Seen = Callable[[], Game[Any]]
"""Returns a copy of the game as the player's side may know it, without dice, for planning."""
"""The module of each game that the scripted player knows, with a `strategist`."""
REASONS = 5000
"""Maximum number of logged reasons."""


class Order(NamedTuple):
    """Planned clicks with a reason."""

    clicks: tuple[int, ...]
    reason: str = ""


class Strategist(Protocol):
    """The adapter of one game: gives the next order when the current one has no click for the decision."""

    def order(self, g: Game[Any], decision: Decision) -> Order:
        """Return the next order; its first click is legal."""
        ...

    def refused(self, order: Order) -> None:
        """Called when the rest of an order was illegal."""
        ...


@runtime_checkable
class Planning(Strategist, Protocol):
    """A strategist that a search over stances can lead."""

    hurdle: float
    """The gain over the default stance that a stance needs to be adopted."""

    def moment(self, g: Game[Any], decision: Decision) -> int | None:
        """Return the number of the turn to plan now, or None."""
        ...

    def effort(self, g: Game[Any]) -> int:
        """Return the clicks to spend on trials for a decision, independent of the speed of the machine."""
        ...

    def stances(self, g: Game[Any]) -> list[str]:
        """Return the stances worth trying, the default first."""
        ...

    def adopt(self, stance: str) -> None:
        """Adopt a stance."""
        ...

    def again(self, stance: str) -> Strategist:
        """Return a copy of the strategist in another stance."""
        ...

    def until(self, g: Game[Any]) -> Callable[[Game[Any]], bool]:
        """Return how long a trial from here runs."""
        ...

    def score(self, g: Game[Any]) -> float:
        """Return the value of a position for the strategist's side, comparable only within the same turn."""
        ...


class Scripted:
    """Plans with exact odds, threat and supply maps. The same seed gives the same play.

    `log` holds its reasons, oldest first.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.log: list[str] = []
        self._strategists: dict[tuple[str, int], Strategist] = {}
        self._under_way: Order | None = None
        self._next = 0

    def __repr__(self) -> str:
        return f"Scripted({self.seed})"

    def choose(self, decision: Decision, names: tuple[str, ...], view: View, game: Seen) -> int:
        """Return the next click of the current order, or the first of a new one."""
        if self._under_way is not None:
            click = self._go_on(decision, names)
            if click is not None:
                return click
        g = game()
        order = self._strategist(g, decision.side).order(g, decision)
        if order.reason:
            self.note(f"turn {g.state.turn}: {order.reason}")
        click = order.clicks[0] if order.clicks and order.clicks[0] in decision.legal else next(iter(decision.legal))
        self._under_way, self._next = (order, 1) if len(order.clicks) > 1 and click == order.clicks[0] else (None, 0)
        return click

    def _go_on(self, decision: Decision, names: tuple[str, ...]) -> int | None:
        """Return the next click of the current order. An illegal one drops the order, and cancels it if possible."""
        order = self._under_way
        assert order is not None
        click = order.clicks[self._next]
        if click in decision.legal:
            self._next += 1
            if self._next == len(order.clicks):
                self._under_way = None
            return click
        self._under_way = None
        for strategist in self._strategists.values():
            strategist.refused(order)
        if decision.top:
            return None
        return next((click for click in decision.legal if names[click] == "cancel"), None)

    def _strategist(self, g: Game[Any], side: int) -> Strategist:
        key = (g.rules.id, side)
        if key not in self._strategists:
            adapters = {game: stated.player for game, stated in registrations().items() if stated.player}
            if g.rules.id not in adapters:
                raise ValueError(f"{g.rules.id!r}: the scripted player knows {', '.join(adapters)}")
            module = import_module(adapters[g.rules.id])
            self._strategists[key] = module.strategist(side, random.Random(self.seed * 2 + side))
        return self._strategists[key]

    def lead(self, game: str, side: int, strategist: Strategist) -> None:
        """Give a side to this strategist."""
        self._strategists[game, side] = strategist

    def note(self, text: str) -> None:
        """Log a reason."""
        self.log.append(text)
        if len(self.log) > REASONS:
            del self.log[: REASONS // 10]
