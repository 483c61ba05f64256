"""Overruns: a stack attacks an adjacent enemy hex while it moves, and enters it if the hex is cleared.

Each game has its own conditions for an overrun; this module has those that several games share.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from typing import Any, NamedTuple

from khamsin.kernel.rules import Decision, Game, Refusal

G = Game[Any]


def targets(
    g: G, side: int, around: Iterable[int], why_not: Callable[[int], Refusal | None], price: Callable[[int], int]
) -> dict[int, int]:
    """Return the hexes around a stack that it can overrun, each with its cost: those with enemies that `why_not`
    allows."""
    enemies = g.state.where.stacks(1 - side)
    return {hex: price(hex) for hex in around if hex in enemies and why_not(hex) is None}


def why_not_adjacent(g: G, cannot: str, hex: int, around: Collection[int], rule: str) -> Refusal | None:
    """Refuse a hex that is not adjacent to the stack. `cannot` begins the refusal: "X cannot overrun Y"."""
    label = g.board.name(hex)
    return None if hex in around else Refusal(f"{cannot}: not adjacent", rule, label)


def why_not_together(g: G, cannot: str, units: Sequence[int], rule: str) -> Refusal | None:
    """Refuse a stack whose units did not begin the phase in one hex, by the column `origin` of the state."""
    origin = g.state.origin
    for unit in units:
        if origin[unit] != origin[units[0]]:
            name = g.rules.names[unit]
            return Refusal(f"{cannot}: {name} did not begin the phase in the same hex", rule, name)
    return None


def why_not_paid(
    cannot: str, cost: int, left: int, rule: str, cause: str, show: Callable[[int], object] = int, points: str = "MPs"
) -> Refusal | None:
    """Refuse a stack without the points that the overrun costs."""
    if cost <= left:
        return None
    return Refusal(f"{cannot}: costs {show(cost)} {points}, {show(left)} left", rule, cause)


class Fought(NamedTuple):
    """How an overrun ended: the survivors, whether they enter the hex, and whether they had to retreat."""

    alive: list[int]
    enters: bool
    retreated: bool


def fight(
    g: G, side: int, units: Sequence[int], hex: int, combat: Generator[Decision, int, bool]
) -> Generator[Decision, int, Fought]:
    """Attack a hex with a stack that has paid for it. `combat` resolves it and returns whether the attackers had to
    retreat. If not, and no enemy is left in the hex, the survivors enter it."""
    retreated = yield from combat
    alive = [unit for unit in units if 0 <= g.state.where[unit] < g.board.size]
    return Fought(alive, bool(alive) and not retreated and hex not in g.state.where.stacks(1 - side), retreated)
