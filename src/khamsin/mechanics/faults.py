"""Positions that play cannot reach: shared parts of `Rules.find_fault`. Each function yields the faults of one kind,
with the rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from khamsin.mechanics.stacking import Stacking


def first(*found: Iterable[str]) -> str:
    """Return the first of all faults, or "" if there is none."""
    return next(chain(*found), "")


def both_sides(g: Any, rule: str, holds: Callable[[int], bool] = lambda unit: True) -> Iterator[str]:
    """Yield hexes with units of both sides; `holds` says which units keep the enemy out."""
    first, second = [g.state.where.stacks(side) for side in (0, 1)]
    for hex in sorted(first.keys() & second.keys()):
        if hex < g.board.size and any(map(holds, first[hex])) and any(map(holds, second[hex])):
            yield f"units of both sides in {g.board.name(hex)} ({rule})"


def closed_ground(g: Any, rule: str) -> Iterator[str]:
    """Yield units in hexes that no unit can enter, such as the sea."""
    for hex in sorted(set(g.state.where)):
        if 0 <= hex < g.board.size and not g.board.enterable(hex):
            yield f"units in {g.board.name(hex)}, which is {g.board.terrain_name(hex)} ({rule})"


def too_many(g: Any, stacking: Stacking) -> Iterator[str]:
    """Yield hexes with more than the stacking limit."""
    for side in (0, 1):
        for hex in stacking.overfull(g, side):
            used, most = stacking.used(g, side)[hex] / stacking.parts, stacking.limits[hex] / stacking.parts
            yield f"{used:g} {stacking.noun} in {g.board.name(hex)}, at most {most:g} may stack ({stacking.rule})"


def steps(g: Any, units: Sequence[int], full: Sequence[int], rule: str) -> Iterator[str]:
    """Yield units on the map without a step, or with more steps than at full strength."""
    for unit in units:
        now = g.state.steps[unit]
        if 0 <= g.state.where[unit] < g.board.size and not 0 < now <= full[unit]:
            yield f"{g.rules.names[unit]} has {now} steps, expected 1 to {full[unit]} ({rule})"
