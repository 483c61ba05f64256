"""Units that can move in a segment, alone or together, and their MPs left (OCS 5(2), OCS 6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache

from khamsin.games.tunisia import lift, modes, raid
from khamsin.games.tunisia.units import (
    BOARD,
    CHANGED,
    EXPLOIT,
    FINISHED,
    HEXES,
    IS_AIR,
    IS_TRUCK,
    LATER,
    LEG,
    MOVING,
    MUD,
    RELEASED,
    RESERVE,
    SCALE,
    G,
    forces_in,
    name,
    trucks_in,
)
from khamsin.kernel.rules import Refusal
from khamsin.mechanics.odds import written

BEGUN = "begun"
REACTING, EXPLOITING = LATER
"""Whether a segment has begun; whether it is one of the Reaction or of the Exploitation Phase."""


def is_mud(g: G) -> bool:
    """Whether it is a Mud turn, in which units only change modes and go by rail and sea (1.3)."""
    return g.state.weather == MUD


def is_later(g: G) -> bool:
    """Whether it is the Reaction or the Exploitation Phase, in which modes are not chosen (OCS 5(1))."""
    return not g.state.todo.keys().isdisjoint(LATER)


def why_not_moving(g: G, side: int, unit: int) -> Refusal | None:
    """Return why a unit cannot move in this segment (OCS 5(2), OCS 6(5))."""
    flags, where = g.state.flags[unit], g.state.where[unit]
    if IS_AIR[unit]:
        return Refusal(f"{name(unit)} cannot move: aircraft fly missions", "OCS 14.2", name(unit))
    boxed = where in lift.BOXES and not is_later(g)
    if not boxed and not 0 <= where < HEXES:
        label = BOARD.name(where) if where >= 0 else "no location"
        return Refusal(f"{name(unit)} cannot move: it is in {label}", "OCS 6", name(unit))
    if flags & FINISHED and not (boxed and raid.can_embark(g, unit)):
        return Refusal(f"{name(unit)} has already moved in this phase", "OCS 6(5)", name(unit))
    if boxed:
        return None
    if REACTING in g.state.todo and not flags & (RESERVE | RELEASED):
        return Refusal(f"{name(unit)} cannot react: it is not in Reserve Mode", "OCS 5(2)", name(unit))
    if EXPLOITING in g.state.todo and not flags & (RESERVE | RELEASED | EXPLOIT):
        text = "it has no exploit marker and is not in Reserve Mode"
        return Refusal(f"{name(unit)} cannot exploit: {text}", "OCS 5(2)", name(unit))
    share = phase_share(g)
    most = max([modes.allowance(unit, one, share) for one in flags_to_come(g, side, unit)])
    if most <= g.state.spent[unit] and (is_later(g) or not raid.can_embark(g, unit)):
        return Refusal(f"{name(unit)} cannot move: all its MPs are spent", "OCS 6", name(unit))
    return None


def can_move(g: G, side: int, unit: int) -> bool:
    """Whether a unit can still move, change its mode or be released in this segment."""
    return why_not_moving(g, side, unit) is None


def phase_share(g: G) -> Fraction:
    """Return the share of an allowance in the phase: half in the Reaction Phase (OCS 5(2))."""
    return modes.REACTION if REACTING in g.state.todo else modes.WHOLE


def flags_to_come(g: G, side: int, unit: int) -> list[int]:
    """Return the flags of a unit as it is, or released, and in the modes that it can take now."""
    flags = g.state.flags[unit]
    if is_later(g):
        return [released(flags)]
    if flags & (CHANGED | MOVING):
        return [flags]
    return [flags, *[modes.flags_in(g, unit, word) for word in ("combat", "move")]]


def released(flags: int) -> int:
    """Return the flags of a unit after its release from Reserve (OCS 5(2))."""
    return flags & ~RESERVE | RELEASED if flags & RESERVE else flags


def mates(g: G, side: int, units: Sequence[int]) -> list[int]:
    """Return the units that may join a stack: of its hex, combat units or trucks as it is, able to move, and moving or
    not yet moved as it is (OCS 6(5))."""
    first, hex = units[0], g.state.where[units[0]]
    moving = g.state.flags[first] & MOVING
    stack = trucks_in(g, side, hex) if IS_TRUCK[first] else forces_in(g, side, hex)
    return [u for u in stack if u not in units and g.state.flags[u] & MOVING == moving and can_move(g, side, u)]


def points(g: G, units: Sequence[int], flags: Sequence[int]) -> int:
    """Return the MPs, in twelfths, of the unit of a stack that has fewest left."""
    share = phase_share(g)
    return min([modes.allowance(u, f, share) - g.state.spent[u] for u, f in zip(units, flags, strict=True)])


def interdicted(g: G, side: int, mobilities: Iterable[int]) -> frozenset[int]:
    """Return the hexes whose entry enemy interdiction makes cost more for a stack: those of the markers for leg units,
    also the adjacent ones for others (OCS 6(6), OCS 14.7)."""
    marked = [hex for hex, owner in g.state.interdicted.items() if owner == 2 - side]
    if set(mobilities) == {LEG}:
        return frozenset(marked)
    return frozenset([*marked, *[near for hex in marked for near in BOARD.around(hex)]])


@cache
def shown(twelfths: int) -> str:
    """Return movement points as players count them.

    >>> shown(12), shown(30), shown(4)
    ('1', '2½', '⅓')
    """
    return written(Fraction(twelfths, SCALE))
