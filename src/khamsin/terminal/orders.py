"""Standing orders in a terminal: listed, set and cancelled by the viewing side. They last as long as the session."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from rich.text import Text

from khamsin.kernel import orders as standing
from khamsin.kernel.match import Match
from khamsin.kernel.orders import Order, Parameter, Policy
from khamsin.kernel.rules import EVERYONE
from khamsin.terminal.answers import HEAD, Lines
from khamsin.terminal.input_parser import Unclear, short

VALUES = re.compile(r"(\w+)=([^=]*?)(?=\s+\w+=|\s*$)")
"""Values of parameters, as in `reserve=1 except=Sidi Barrani`."""


class Choice(NamedTuple):
    """A policy that a side can order, and its kind of decision."""

    kind: str
    title: str
    policy: Policy


class StandingOrders:
    """The standing orders of all sides of a terminal session."""

    def __init__(self) -> None:
        self.orders: list[Order] = []
        self.applied: list[Order] = []
        """Orders that were applied but not yet reported."""

    def command(self, match: Match[Any], side: int, text: str) -> Lines:
        """Run the rest of the command `orders`."""
        word, _, rest = text.partition(" ")
        if not word:
            return self.listed(match, side)
        if word == "set":
            return self.set(match, side, rest)
        if word == "cancel":
            return self.cancel(side, rest)
        raise Unclear(f"orders {short(text)}: expected set or cancel, or nothing for the list")

    def listed(self, match: Match[Any], side: int) -> Lines:
        """Return the orders of a side, and those it can set."""
        lines = [Text("standing orders (orders cancel N cancels one):", HEAD)]
        lines += [Text(f"  {order.number}  {order.text}") for order in self._of(side)] or [Text("  none")]
        lines.append(Text("orders to set (orders set N):", HEAD))
        for number, (_, title, policy) in enumerate(self.choices(match, side), 1):
            words = policy.text.format_map(defaultdict(lambda: "…"))
            lines.append(Text(f"  {number}  {title}: {words}{''.join(map(_wanted, policy.parameters))}"))
        return lines

    def choices(self, match: Match[Any], side: int) -> list[Choice]:
        """Return the policies that the game declares, and those that the present decision of the side offers."""
        found = [Choice(kind.kind, kind.title, policy) for kind in match.rules.orders for policy in kind.policies]
        decision = match.decision
        if decision is not None and decision.side == side and standing.declared(match.rules, decision.kind) is None:
            offers = standing.offers(match, match.game.seen_by(side))
            found += [Choice(decision.kind, f"always at {decision.kind}", policy) for policy in offers]
        return found

    def set(self, match: Match[Any], side: int, text: str) -> Lines:
        """Set an order by its number in the list."""
        number, _, rest = text.partition(" ")
        choices = self.choices(match, side)
        if not re.fullmatch(r"[0-9]{1,4}", number) or not 1 <= int(number) <= len(choices):
            raise Unclear(f"orders set {short(text)}: expected a number from 1 to {len(choices)}; orders lists them")
        kind, title, policy = choices[int(number) - 1]
        numbers = {one.name for one in policy.parameters if one.type == "number"}
        try:
            given = {name: int(value) if name in numbers else value for name, value in VALUES.findall(rest)}
            checked = standing.check(match.rules, policy, given)
        except ValueError as error:
            raise Unclear(f"orders set {short(text)}: {error}") from None
        order = Order(
            self._next(side), side, kind, policy.id, checked, f"{title}: {standing.describe(policy, checked)}"
        )
        self.orders.append(order)
        return [Text(f"standing order {order.number}: {order.text}", "green")]

    def cancel(self, side: int, text: str) -> Lines:
        """Cancel an order by its number."""
        found = next((order for order in self._of(side) if str(order.number) == text.strip()), None)
        if found is None:
            raise Unclear(f"orders cancel {short(text)}: no such standing order; orders lists them")
        self.orders.remove(found)
        return [Text(f"cancelled: {found.text}", "green")]

    def answer(self, match: Match[Any]) -> tuple[Order, int] | None:
        """Return the order that applies to the present decision, and its click."""
        return standing.answer(match, self.orders)

    def tell(self, sides: Sequence[str], viewer: int) -> Lines:
        """Return the orders applied since a viewer was last told; EVERYONE if nothing is hidden."""
        told = [order for order in self.applied if viewer in (EVERYONE, order.side)]
        self.applied = [order for order in self.applied if order not in told]
        return [Text(f"{sides[order.side]}, standing order: {order.text}", "green") for order in told]

    def _of(self, side: int) -> list[Order]:
        return [order for order in self.orders if order.side == side]

    def _next(self, side: int) -> int:
        return max((order.number for order in self._of(side)), default=0) + 1


def _wanted(parameter: Parameter) -> str:
    """Return how to type the value of a parameter."""
    kind = " | ".join(parameter.choices) if parameter.type == "choice" else parameter.type.upper()
    return f" {parameter.name}={kind}" if parameter.required else f" [{parameter.name}={kind}]"
