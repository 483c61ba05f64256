"""Goals that most games have: decisive places, enemy stacks, and unguarded enemy supplies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from khamsin.players.staff.theatre import DESTROY, HOLD, TAKE, Goal


def wanted(g: Any, side: int, hex: int, worth: float, reason: str, must: bool = False, strength: float = 0.0) -> Goal:
    """Return a goal: fight for a hex with enemies, hold it if the side is there, else take it."""
    if g.state.where.stacks(1 - side).get(hex):
        return Goal(hex, worth, DESTROY, reason)
    return Goal(hex, worth, HOLD if g.state.where.stacks(side).get(hex) else TAKE, reason, must, strength=strength)


def occupy(
    g: Any, side: int, hexes: Iterable[int], worth: float, reason: str, must: bool = False, thin: bool = False
) -> list[Goal]:
    """Return goals: hold hexes where the side has units, take the others."""
    own = g.state.where.stacks(side)
    return [Goal(hex, worth, HOLD if own.get(hex) else TAKE, reason, must, thin) for hex in hexes]


def hunted(g: Any, side: int, hexes: int, times: float, worth: Callable[[int], float]) -> list[Goal]:
    """Return a goal for every enemy stack on the map, by the value of its units."""
    stacks = g.state.where.stacks(1 - side).items()
    return [Goal(hex, times * sum(map(worth, stack)), DESTROY) for hex, stack in stacks if 0 <= hex < hexes]


def unguarded(g: Any, side: int, hexes: int, worth: Mapping[int, float], thin: bool = False) -> list[Goal]:
    """Return the hexes with enemy supplies, by their value, without an enemy unit."""
    guarded = g.state.where.stacks(1 - side)
    return [
        Goal(hex, amount, TAKE, "enemy supplies", thin=thin)
        for hex, amount in worth.items()
        if hex < hexes and not guarded.get(hex)
    ]


def is_near(g: Any, side: int, hex: int, hexes: float) -> bool:
    """Whether units of a side are within some hexes of a hex."""
    away = g.rules.board.distances(hex)
    return any(0 <= at < len(away) and away[at] <= hexes for at in g.state.where.stacks(side))


def urgency(left: int, final: float) -> float:
    """Return the factor of objectives when `left` turns are left: `final` in the last turn.

    >>> [urgency(left, 3.0) for left in (2, 1, 0)]
    [1.0, 2.0, 3.0]
    """
    return final if left <= 0 else (1 + final) / 2 if left == 1 else 1.0


def decided(g: Any, side: int) -> float | None:
    """Return 1, 0 or -1 for a side that has won, drawn or lost; None while the game is running."""
    result = g.state.result
    if result is None:
        return None
    return 0.0 if result.winner < 0 else 1.0 if result.winner == side else -1.0


def strengths(forces: Iterable[Iterable[int]], worth: Callable[[int], float]) -> list[float]:
    """Return the strength of each side by the value of its units; never 0, so that shares exist.

    >>> strengths([[3, 4], []], float)
    [7.5, 0.5]
    """
    return [sum([worth(unit) for unit in force], 0.5) for force in forces]


def balance(strengths: Iterable[float], side: int) -> float:
    """Return the difference of the strengths of both sides as a share of all, from -1 to 1.

    >>> balance([6, 2], 0)
    0.5
    """
    own, other = list(strengths)[:: -1 if side else 1]
    return (own - other) / max(1.0, own + other)
