"""Fog of war (OCS 3(4)): of an enemy stack a side sees one unit that could attack, of a base one active aircraft.

The rest of a stack is seen as counters without a face: their number is known, but not which units they are. Modes,
fuel, stocks and loads, Reserve markers, the amount of supply and planned drops are hidden too. Boxes and dead piles are
public.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from khamsin.games.tunisia.stacking import LIMIT
from khamsin.games.tunisia.units import (
    AIRCRAFT,
    ALL_ATE,
    ALLIED,
    AXIS,
    CHARCOAL,
    COUNTERS,
    DG,
    EXPLOIT,
    HEXES,
    HIDDEN,
    INACTIVE,
    IS_AIR,
    IS_REPL,
    IS_TRUCK,
    MOVE,
    NUMBER,
    OOS,
    ORGANIC,
    RE,
    SIDE,
    SIDES,
    STEPS,
    TRANSPORT,
    UNITS,
    TunisiaState,
    attack_capable,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.cache import cached
from khamsin.kernel.pieces import UnitFlags, VersionedDict

OPEN_FLAGS = MOVE | DG | EXPLOIT | OOS | INACTIVE
"""The flags visible on a unit that is seen."""
SPAN = tuple(slice(SIDE.index(side), SIDE.index(side) + SIDE.count(side)) for side in (AXIS, ALLIED))
"""The units of each side, which are numbered one after the other."""
COUNT = [SIDE.count(side) for side in (AXIS, ALLIED)]
BLANK = [HIDDEN | (INACTIVE if IS_AIR[u] else MOVE if IS_TRUCK[u] or IS_REPL[u] else 0) for u in UNITS]
"""The flags of each unit while it is hidden."""
SWAPS = 3
"""How many exchanges `imagine` tries for each hidden unit."""


def top_unit(flags: Callable[[int], int], stack: Sequence[int]) -> int:
    """Return the unit of a stack that the enemy sees: the first that is attack-capable in Combat Mode, one with a ZOC
    before one that is disorganised or out of supply; NOWHERE if there is none (OCS 3(4))."""
    second = NOWHERE
    for unit in stack:
        marks = flags(unit)
        if not marks & (MOVE | HIDDEN) and attack_capable(unit, marks):
            if not marks & (DG | OOS):
                return unit
            second = unit if second == NOWHERE else second
    return second


def top_aircraft(flags: Callable[[int], int], stack: Sequence[int]) -> int:
    """Return the aircraft of a base that the enemy sees: the first active one, a fighter before others, so that its
    patrol zone is known (OCS 3(4), OCS 14.4)."""
    active = [unit for unit in stack if not flags(unit) & (INACTIVE | HIDDEN)]
    return next((unit for unit in active if COUNTERS[unit].symbol == "fighter"), active[0] if active else NOWHERE)


def no_truck(flags: Callable[[int], int], stack: Sequence[int]) -> int:
    """Trucks are seen without a face."""
    return NOWHERE


KINDS: tuple[tuple[int, Callable[[Callable[[int], int], Sequence[int]], int]], ...] = (
    (0, top_unit), (TRANSPORT, no_truck), (AIRCRAFT, top_aircraft),
)  # fmt: skip
"""Combat units, trucks and aircraft, each with what the enemy sees of a stack."""


class Unseen(NamedTuple):
    """The hidden units of a side by kind, and where each is put in the state that the enemy may know."""

    by_kind: tuple[tuple[int, ...], ...]
    places: dict[int, int]


@cached(lambda state, side: (state.where.version, state.flags.version, side))
def unseen(state: TunisiaState, side: int) -> Unseen:
    """Return the hidden units of a side. They are placed in the order of their numbers, so that the number in each hex
    is true but says nothing about which they are (OCS 3(4))."""
    found, places = [], dict[int, int]()
    for kind, top in KINDS:
        hidden = []
        for hex, stack in state.where.stacks(kind + side).items():
            if hex < HEXES:
                seen = top(state.flags.__getitem__, stack)
                hidden += [unit for unit in stack if unit != seen]
        hidden.sort()
        places |= dict(zip(hidden, sorted([state.where[unit] for unit in hidden]), strict=True))
        found.append(tuple(hidden))
    return Unseen(tuple(found), places)


def conceal(state: TunisiaState, side: int) -> TunisiaState:
    """Return the state as a side may know it (OCS 3(4))."""
    enemy, seen = 1 - side, state.copy()
    hidden, span, count = unseen(state, enemy), SPAN[enemy], COUNT[enemy]
    seen.where.rearrange({unit: hex for unit, hex in hidden.places.items() if state.where[unit] != hex})
    marks = {u: state.flags[u] & OPEN_FLAGS for u in range(span.start, span.stop) if state.flags[u] & ~OPEN_FLAGS}
    assert isinstance(state.flags, UnitFlags)
    seen.flags = state.flags.replaced(marks | {unit: BLANK[unit] for unit in hidden.places})
    for column in (seen.spent, seen.battle, seen.load, seen.stock):
        column[span] = [0] * count
    seen.origin[span] = [NOWHERE] * count
    for unit in hidden.by_kind[2]:
        seen.steps[unit] = STEPS[unit]
    conceal_supply(state, seen, side)
    if seen.draft is not None and seen.draft.side == enemy:
        seen.draft = None
    for plans in (seen.drop_hex, seen.drop_turn, seen.todo):
        for key in [key for key in plans if key in NUMBER and SIDE[NUMBER[key]] == enemy]:
            del plans[key]
    for key in seen.events.keys() & ALL_ATE[enemy]:
        del seen.events[key]
    return seen


def conceal_supply(state: TunisiaState, seen: TunisiaState, side: int) -> None:
    """Conceal enemy supply: it is seen only where no combat unit covers it, and never how much; nor what was shipped or
    flown in."""
    enemy = 1 - side
    theirs, mine = (state.axis_t, state.allied_t) if enemy == AXIS else (state.allied_t, state.axis_t)
    covered = state.where.stacks(enemy)
    left = VersionedDict({hex: 1 for hex in theirs if hex not in covered})
    if enemy == AXIS:
        seen.axis_t = left
    else:
        seen.allied_t = left
    seen.fresh = {hex: amount for hex, amount in state.fresh.items() if hex in mine}
    seen.handled = {hex: used for hex, used in state.handled.items() if state.control.get(hex) == side}
    seen.unloaded = {base: used for base, used in state.unloaded.items() if state.base.get(base) == side}
    seen.lifted = {key: used for key, used in state.lifted.items() if not key.startswith(SIDES[enemy])}


# Imagined states


def imagine(state: TunisiaState, side: int, chance: random.Random, kept: frozenset[int] = frozenset()) -> TunisiaState:
    """Return a random full state consistent with what the side knows: hidden enemy units of the order of battle change
    places, and dumps their amounts. The units in `kept` stay (OCS 3(4))."""
    other, enemy = state.copy(), 1 - side
    busy = kept | {unit for unit in range(SPAN[enemy].start, SPAN[enemy].stop) if state.battle[unit]}
    if state.draft is not None:
        busy |= frozenset(state.draft.units)
    for kind, units in enumerate(unseen(state, enemy).by_kind):
        free = [unit for unit in units if unit not in busy]
        for _ in range(SWAPS * len(free) if len(free) > 1 else 0):
            swap(other, enemy, kind, *chance.sample(free, 2))
    shuffle_supply(other, enemy, chance)
    for name in [name for name in other.drop_turn if SIDE[NUMBER[name]] == enemy]:
        if chance.random() < 0.5:
            del other.drop_turn[name], other.drop_hex[name]
    return other


def swap(state: TunisiaState, side: int, kind: int, one: int, two: int) -> None:
    """Swap two hidden units, with their modes and fuel, unless the enemy would see it or a stack would be too large."""
    where, flags = state.where, state.flags
    here, there = where[one], where[two]
    if here == there or not alike(one, two, flags):
        return
    code, top = KINDS[kind]
    stacks = where.stacks(code + side)
    new = dict(zip((one, two), (flags[two], flags[one]), strict=True))
    for hex, goes, comes in ((here, one, two), (there, two, one)):
        stack = sorted([comes, *[unit for unit in stacks[hex] if unit != goes]])
        if not kind and sum([RE[unit] for unit in stack]) > max(LIMIT, sum([RE[unit] for unit in stacks[hex]])):
            return
        if top(lambda unit: new.get(unit, flags[unit]), stack) != top(flags.__getitem__, stacks[hex]):
            return
    where[one], where[two] = there, here
    flags[one], flags[two] = new[one], new[two]
    for column in (state.spent, state.origin, state.load, state.stock, state.battle):
        column[one], column[two] = column[two], column[one]


def alike(one: int, two: int, flags: Sequence[int]) -> bool:
    """Whether two units can change places: trucks of a kind, aircraft of one force, replacements only in Move Mode."""
    if IS_TRUCK[one]:
        return CHARCOAL[one] == CHARCOAL[two] and bool(ORGANIC[one]) == bool(ORGANIC[two])
    if IS_AIR[one]:
        return COUNTERS[one].parent == COUNTERS[two].parent
    return IS_REPL[one] == IS_REPL[two] or bool(flags[one] & flags[two] & MOVE)


def shuffle_supply(state: TunisiaState, side: int, chance: random.Random) -> None:
    """The dumps of a side change their amounts."""
    dumps = state.axis_t if side == AXIS else state.allied_t
    hexes = sorted([hex for hex in dumps if hex < HEXES])
    amounts = [dumps[hex] for hex in hexes]
    chance.shuffle(amounts)
    dumps.update(zip(hexes, amounts, strict=True))


# Known about a stack


def is_hidden(state: TunisiaState, unit: int) -> bool:
    """Whether a unit is hidden in a state as a side may know it."""
    return bool(state.flags[unit] & HIDDEN)


def pool(state: TunisiaState, side: int) -> Iterator[int]:
    """Return the combat units of a side that a hidden counter may be."""
    return (unit for unit in range(SPAN[side].start, SPAN[side].stop) if state.flags[unit] & HIDDEN and RE[unit])
