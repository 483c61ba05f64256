"""Stacking (4): five points in a hex, and one silhouetted unit for free."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from khamsin.games.na41 import losses
from khamsin.games.na41.units import (
    BOARD,
    FACE,
    FINISHED,
    GROUND,
    HEXES,
    MOVING,
    SILHOUETTED,
    STACKING,
    TOBRUK_ASU,
    TRANSPORTED,
    G,
    combat_units,
    name,
    stacking,
)
from khamsin.kernel.rules import Decision, Procedure, Refusal

LIMIT: int = GROUND["stacking"]["limit"]
FURTHER: int = GROUND["stacking"]["further_silhouetted"]
MOST_POINTS = max(FURTHER, *[points for faces in STACKING for points in faces])
"""The most points that a unit can have."""


def points(g: G, units: Iterable[int]) -> int:
    """Return the stacking points of units in a hex, of whatever nations: one silhouetted unit is free, each further one
    counts 1 (4.2, 4.3, 4.4.2)."""
    steps, total, silhouetted = g.state.steps, 0, 0
    for unit in units:
        if SILHOUETTED[unit]:
            silhouetted += 1
        else:
            total += STACKING[unit][FACE[unit][steps[unit]]]
    return total + FURTHER * max(silhouetted - 1, 0)


def excess(g: G, side: int, hex: int) -> int:
    """Return the points by which a side exceeds the limit in a hex, 0 if it does not (4.1)."""
    return max(points(g, combat_units(g, side, hex)) - LIMIT, 0) if hex < HEXES else 0


def why_no_room(
    g: G, side: int, units: Sequence[int], location: int, can_leave: Callable[[G, int], bool] = lambda g, unit: False
) -> Refusal | None:
    """Return why units cannot stay in a location: with those there that cannot leave, they exceed five points (4.1)."""
    if location >= HEXES:
        return None
    stack = combat_units(g, side, location)
    if not stack:
        return None
    there = [unit for unit in stack if unit not in units]
    if not there or points(g, [*there, *units]) <= LIMIT:
        return None
    there = [unit for unit in there if not can_leave(g, unit)]
    if not there or points(g, [*there, *units]) <= LIMIT:
        return None
    label = BOARD.name(location)
    return Refusal(f"{label} would exceed {LIMIT} stacking points; move a unit out first", "4.1", label)


def may_leave(g: G, unit: int) -> bool:
    """Whether a unit in the Movement Phase has not moved and may still make room (4.4.1)."""
    state = g.state
    moved = state.hexes[unit] or state.auto[unit] or state.flags[unit] & (FINISHED | MOVING | TRANSPORTED)
    return not moved and unit != TOBRUK_ASU


def counting(g: G, units: Sequence[int]) -> list[int]:
    """Return those of these units that count for stacking (4.2, 4.3)."""
    return [unit for unit in units if SILHOUETTED[unit] or stacking(g, unit)]


def overfull(g: G, side: int) -> list[int]:
    """Return the hexes in which a side exceeds the limit (4.1)."""
    stacks = g.state.where.stacks(side).items()
    crowds = [hex for hex, stack in stacks if hex < HEXES and len(stack) * MOST_POINTS > LIMIT]
    return sorted([hex for hex in crowds if excess(g, side, hex)])


def remove_excess(g: G, side: int) -> Procedure:
    """The phasing player removes steps until no hex exceeds the limit; out of supply such units do not surrender (4.4.1,
    12.5.1)."""
    while crowded := overfull(g, side):
        hex = crowded[0]
        stack = [u for u in combat_units(g, side, hex) if SILHOUETTED[u] or stacking(g, u)]
        click = yield g.ask(
            side, "stacking.excess", f"Too many units in {BOARD.name(hex)}: choose one to lose a step", "4.4.1", units=stack,
            why_not=partial(why_not_removed, hex=hex),
        )  # fmt: skip
        g.log("4.4.1", "{hex} exceeds the stacking limit", hex=hex)
        yield from losses.lose_step(g, click, "4.4.1", surrendering=False)


def why_not_removed(g: G, decision: Decision, click: int, hex: int) -> Refusal | None:
    """Only units with a stacking value in the over-full hex are reduced (4.4.1)."""
    if not g.is_unit(click) or (g.state.where[click] == hex and (SILHOUETTED[click] or stacking(g, click))):
        return None
    label = BOARD.name(hex)
    return Refusal(f"{name(click)} does not count for stacking in {label}", "4.4.1", label)
