"""Overruns: a stack attacks an adjacent enemy hex while it moves, and moves in if the hex is empty then.

The games decide by their own conditions who may overrun what; those that several of them have are here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from typing import Any, NamedTuple

from khamsin.kernel.rules import Decision, Game, Refusal

G = Game[Any]


def targets(
    g: G, side: int, around: Iterable[int], why_not: Callable[[int], Refusal | None], price: Callable[[int], int]
) -> dict[int, int]:
    """Return the hexes around a stack that it can overrun, each with its price: those with enemies that `why_not` allows."""
    enemies = g.state.where.stacks(1 - side)
    return {hex: price(hex) for hex in around if hex in enemies and why_not(hex) is None}


def why_not_adjacent(g: G, cannot: str, hex: int, around: Collection[int], rule: str) -> Refusal | None:
    """Only a hex next to the stack can be overrun. `cannot` begins the refusal: "X cannot overrun Y"."""
    label = g.board.name(hex)
    return None if hex in around else Refusal(f"{cannot}: not adjacent", rule, label)


def why_not_together(g: G, cannot: str, units: Sequence[int], rule: str) -> Refusal | None:
    """The units of a stack that overruns began the phase in one hex, which the column `origin` of the state tells."""
    origin = g.state.origin
    for unit in units:
        if origin[unit] != origin[units[0]]:
            name = g.rules.names[unit]
            return Refusal(f"{cannot}: {name} did not begin the phase in the same hex", rule, name)
    return None


def why_not_paid(
    cannot: str, cost: int, left: int, rule: str, cause: str, show: Callable[[int], object] = int, points: str = "MPs"
) -> Refusal | None:
    """The stack has the points that the overrun costs."""
    if cost <= left:
        return None
    return Refusal(f"{cannot}: costs {show(cost)} {points}, {show(left)} left", rule, cause)


class Fought(NamedTuple):
    """How an overrun ended: the survivors, whether they move in, and whether they had to retreat."""

    alive: list[int]
    enters: bool
    retreated: bool


def fight(
    g: G, side: int, units: Sequence[int], hex: int, combat: Generator[Decision, int, bool]
) -> Generator[Decision, int, Fought]:
    """Attack a hex with a stack that has paid for it. `combat` is fought and returns whether the attackers had to retreat. If
    not, and the hex is empty of enemies, the survivors move in."""
    retreated = yield from combat
    alive = [unit for unit in units if 0 <= g.state.where[unit] < g.board.size]
    return Fought(alive, bool(alive) and not retreated and hex not in g.state.where.stacks(1 - side), retreated)
