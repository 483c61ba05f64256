"""The scripted player: it plans each phase from what its side may know and clicks its orders one after another.

An adapter of the game decides what to take, hold and fear. This module turns its orders into clicks, drops orders that turn out
illegal, and keeps the reasons.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple, Protocol, runtime_checkable

from khamsin.kernel.registration import registrations
from khamsin.kernel.rules import Decision, Game

View = Callable[[], dict[str, Any]]
"""What the player's side may see, made when it asks."""
Seen = Callable[[], Game[Any]]
"""The game as the player's side may know it, a copy without dice, made when it asks: for planning with the rules' functions."""
"""The module of each game that the scripted player knows, with a `strategist`."""
REASONS = 5000
"""How many reasons are kept."""


class Order(NamedTuple):
    """Clicks to be made one after another, and why."""

    clicks: tuple[int, ...]
    reason: str = ""


class Strategist(Protocol):
    """Knows one game: gives the next order whenever a question is not answered by the order under way."""

    def order(self, g: Game[Any], decision: Decision) -> Order:
        """What to do now; its first click is open."""
        ...

    def refused(self, order: Order) -> None:
        """The rest of an order was not open."""
        ...


@runtime_checkable
class Planning(Strategist, Protocol):
    """A strategist that can also be led by a search over stances."""

    hurdle: float
    """What a stance must promise more than the usual one to be followed."""

    def moment(self, g: Game[Any], decision: Decision) -> int | None:
        """The number of the turn that is to be planned now, or None where nothing is."""
        ...

    def effort(self, g: Game[Any]) -> int:
        """Clicks to be made in trials for a decision, however fast the machine: so that the same seed gives the same game."""
        ...

    def stances(self, g: Game[Any]) -> list[str]:
        """The stances worth trying, the usual one first."""
        ...

    def adopt(self, stance: str) -> None:
        """Think so from now on."""
        ...

    def again(self, stance: str) -> Strategist:
        """Another strategist of the same side who knows what this one does, in a stance."""
        ...

    def until(self, g: Game[Any]) -> Callable[[Game[Any]], bool]:
        """How long a trial from here runs."""
        ...

    def score(self, g: Game[Any]) -> float:
        """How good a position is for the strategist's side; comparable only with other positions of the same turn."""
        ...


class Scripted:
    """Plans with exact odds, threat and supply maps; the same for the same seed.

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
        """The next click of the order under way, or the first of a new order."""
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
        """The next click of the order under way. Where it is illegal, the order is dropped, and cancelled if it can be."""
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
        """Let this strategist play a side."""
        self._strategists[game, side] = strategist

    def note(self, text: str) -> None:
        """Keep a reason."""
        self.log.append(text)
        if len(self.log) > REASONS:
            del self.log[: REASONS // 10]
