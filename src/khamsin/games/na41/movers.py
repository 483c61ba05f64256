"""Units that can move, alone or together, and their MPs (5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from khamsin.games.na41 import ports, trucks
from khamsin.games.na41.units import (
    BOARD,
    COUNTERS,
    DISRUPTED,
    FINISHED,
    GROUND,
    ITALY,
    LED,
    LOCATIONS,
    MOVING,
    OOS,
    QUARTERS,
    REPLACED,
    SIDE,
    TRANSPORTED,
    TRUCK,
    G,
    allowance,
    name,
    pieces_in,
    why_held,
)
from khamsin.games.na41.units import TRACK as TURN_TRACK
from khamsin.kernel.rules import Refusal
from khamsin.mechanics import stacks

MOVES = GROUND["movement"]
ONLY_TACTICAL = DISRUPTED | OOS | REPLACED
"""The flags with which a unit can only use Tactical Movement (13.2.1, 16.4, 19.5)."""


def why_not_moving(g: G, side: int, unit: int) -> Refusal | None:
    """Return why a unit cannot move in this phase (5.1, 5.9.1, 8.9.1, 17.1.2, 21.1.4, S1.2)."""
    who, flags, where = name(unit), g.state.flags[unit], g.state.where[unit]
    if not 0 <= where < LOCATIONS or where == ITALY:
        if where == TURN_TRACK:
            return Refusal(f"{who} cannot move: it has not arrived yet", "20.1", who)
        at = f"in {BOARD.name(where)}" if where >= 0 else "not in play"
        return Refusal(f"{who} cannot move by land: it is {at}", "6.3.2", who)
    if ports.LAST_STEP in g.state.todo:
        return Refusal(f"{who} cannot move: port demolition and repair come last", "3.2", who)
    if flags & FINISHED:
        return Refusal(f"{who} has already moved in this phase", "5.1", who)
    if flags & TRANSPORTED:
        return Refusal(f"{who} cannot move: it was transported", "5.9.1", who)
    if g.state.auto[unit]:
        return Refusal(f"{who} cannot move: it took part in an Automatic DS", "8.9.1", who)
    return why_held(g, unit)


def can_move(g: G, side: int, unit: int) -> bool:
    """Whether a unit can still move in this phase."""
    return not g.state.flags[unit] & (FINISHED | TRANSPORTED) and why_not_moving(g, side, unit) is None


def can_leave(g: G, unit: int) -> bool:
    """Whether a unit has not moved and can, so that it may make room (4.4.1)."""
    return not g.state.hexes[unit] and not g.state.flags[unit] & MOVING and can_move(g, SIDE[unit], unit)


def is_bound(g: G, unit: int) -> bool:
    """Whether a unit can only use Tactical Movement: Disrupted, Out of Supply, or with a Replacement marker (13.2.1, 16.4,
    19.5)."""
    return bool(g.state.flags[unit] & ONLY_TACTICAL)


def points(g: G, unit: int) -> int:
    """Return the MPs of a unit in quarters, two more with Rommel (5.1, 18.5)."""
    return (allowance(g, unit) + (MOVES["rommel"] if g.state.flags[unit] & LED else 0)) * QUARTERS


def mates(g: G, side: int, units: Sequence[int]) -> list[int]:
    """Return the units that may join a stack: of its location, able to move, and moving or not yet moved as it is; a
    moving truck may pick up a unit that has not moved (5.1, 5.8.1)."""
    flags, where = g.state.flags, g.state.where[units[0]]
    moving = flags[units[0]] & MOVING
    return [
        unit
        for unit in pieces_in(g, side, where)
        if unit not in units
        and can_move(g, side, unit)
        and (flags[unit] & MOVING == moving or trucks.can_pick_up(g, units, unit))
    ]


def without_trucks(units: Sequence[int]) -> list[int]:
    """Return a stack as a click on its location selects it: trucks stay unless they are clicked too, since they carry
    supply and are lost in combat (5.1, 10.2.2)."""
    return [unit for unit in units if not TRUCK[unit]] or list(units)


def with_pairs(g: G, units: Sequence[int]) -> list[int]:
    """Return units with the trucks or passengers that they must stay with (5.8.2)."""
    pair, found = g.state.pair, list(units)
    for unit in units:
        if pair[unit] and pair[unit] - 1 not in found:
            found.append(pair[unit] - 1)
    return found


whom = partial(stacks.whom, COUNTERS)
"""Return a stack by the name of its first unit."""


def shown(quarters: int) -> str:
    """Movement points as they are printed.

    >>> shown(5), shown(4)
    ('1.25', '1')
    """
    return f"{quarters / QUARTERS:g}"
