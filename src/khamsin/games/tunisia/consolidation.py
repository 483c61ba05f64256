"""Consolidation (1.9, OCS 10(6)): live units replace identical dead ones, reduced aircraft of a type merge."""

from __future__ import annotations

from functools import partial
from typing import Any

from khamsin.games.tunisia.airbases import BOX_OF, DESERT, is_tied
from khamsin.games.tunisia.losses import remove
from khamsin.games.tunisia.units import (
    CHARCOAL,
    COUNTERS,
    DEAD,
    DG,
    DIVISION,
    EXTENDER,
    HEXES,
    INACTIVE,
    IS_AIR,
    IS_REPL,
    IS_TRUCK,
    ORGANIC,
    SIDE,
    SIDES,
    TRANSPORT,
    UNITS,
    G,
    name,
    on_map,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal


def _printed(unit: int) -> Any:
    """Return what makes counters identical: everything printed except name, nation and division."""
    counter = COUNTERS[unit]
    kind = counter.name.removeprefix("DAF ").split()[0] if IS_AIR[unit] else ""
    return counter.side, counter.symbol, counter.size, kind, tuple(sorted(counter.factors.items()))


_PRINTS = {printed: number for number, printed in enumerate(dict.fromkeys([_printed(unit) for unit in UNITS]))}
PRINT = [_PRINTS[_printed(unit)] for unit in UNITS]
"""A number for the printed values of a unit."""
_ALIKE = [tuple([unit for unit in UNITS if PRINT[unit] == number]) for number in range(len(_PRINTS))]
ALIKE = [_ALIKE[PRINT[unit]] for unit in UNITS]
"""By unit, the units with the same printed values."""
WINGS = tuple(tuple([unit for unit in UNITS if IS_AIR[unit] and SIDE[unit] == side]) for side in range(len(SIDES)))
FORMATION = [ORGANIC[unit] if IS_TRUCK[unit] else DIVISION[unit] for unit in UNITS]
"""The division of a unit or organic truck."""


def twins(g: G, side: int, unit: int) -> list[int]:
    """Return the dead units that a live one can replace: identical, of another division, never independent ones
    (OCS 10(6))."""
    found = [
        dead
        for dead in ALIKE[unit]
        if g.state.where[dead] == DEAD[side] and FORMATION[dead] and FORMATION[dead] != FORMATION[unit]
    ]
    return found if found and why_not_exchanged(g, side, unit) is None else []


def why_not_exchanged(g: G, side: int, unit: int) -> Refusal | None:
    """Return why a ground unit cannot be exchanged: on the map, not DG, Low or Exhausted, once in a turn (OCS 10(6))."""
    who, flags = name(unit), g.state.flags[unit]
    if SIDE[unit] != side or IS_AIR[unit] or IS_REPL[unit] or not on_map(g, unit):
        return Refusal(f"{who} cannot be exchanged: not a ground unit of yours on the map", "OCS 10(6)", who)
    if flags & DG or g.state.stock[unit]:
        return Refusal(f"{who} cannot be exchanged: it is disorganised, Low or Exhausted", "OCS 10(6)", who)
    if CHARCOAL[unit] or flags & EXTENDER:
        return Refusal(
            f"{who} cannot be exchanged: only trucks that are not an extender become organic ones", "OCS 10(6)", who
        )
    if who in g.state.todo:
        return Refusal(f"{who} has already been exchanged this turn", "OCS 10(6)", who)
    return None


def partners(g: G, side: int, unit: int) -> list[int]:
    """Return the aircraft with which a reduced one merges: reduced, of its type and any nation, at its base or in its box,
    both active or both not; before its release the Desert Air Force keeps apart (1.9, 3.3a, OCS 10(6); series 13.9)."""
    state = g.state
    if not IS_AIR[unit] or SIDE[unit] != side or state.steps[unit] != 1 or state.where[unit] in (NOWHERE, DEAD[side]):
        return []
    return [
        other
        for other in ALIKE[unit]
        if other != unit
        and state.steps[other] == 1
        and is_together(state.where[other], state.where[unit])
        and (DESERT[other] == DESERT[unit] or not is_tied(g))
        and not (state.flags[other] ^ state.flags[unit]) & INACTIVE
    ]


def is_together(base: int, other: int) -> bool:
    """Whether two bases are one, or of one holding box (1.5c)."""
    return base == other or (base in BOX_OF and BOX_OF[base] == BOX_OF.get(other))


def _others(g: G, side: int, unit: int) -> list[int]:
    """Return the units that a chosen one can merge with or be exchanged for."""
    return partners(g, side, unit) if IS_AIR[unit] else twins(g, side, unit)


def candidates(g: G, side: int) -> list[int]:
    """Return the units that can be exchanged or merge now."""
    where = g.state.where
    buried = [unit for unit in where.stacks(side).get(DEAD[side], ()) if FORMATION[unit]]
    buried += [truck for truck in where.stacks(TRANSPORT + side).get(DEAD[side], ()) if FORMATION[truck]]
    reduced = [unit for unit in WINGS[side] if g.state.steps[unit] == 1]
    alive = [unit for unit in {unit for dead in buried for unit in ALIKE[dead]} if 0 <= where[unit] < HEXES]
    ground = [unit for unit in sorted(alive) if twins(g, side, unit)]
    return [*ground, *[unit for unit in reduced if partners(g, side, unit)]]


def consolidate(g: G, side: int) -> Procedure:
    """In the Reinforcement Phase the side exchanges live units for identical dead ones of other divisions and merges
    reduced aircraft, of any nation (1.9, OCS 10(6))."""
    done, cancel = g.rules.button("done"), g.rules.button("cancel")
    while able := candidates(g, side):
        click = yield g.ask(
            side, "consolidate.unit", "Choose a unit to consolidate with another, or end consolidation", "OCS 10(6)",
            units=able, buttons=[done], top=True,
            why_not=why_not_chosen, can_act=lambda seen: (),
        )  # fmt: skip
        if click == done:
            return
        unit = click
        others = _others(g, side, unit)
        click = yield g.ask(
            side, "consolidate.with", f"Choose the unit with which {name(unit)} merges, or whose place it takes", "OCS 10(6)",
            units=others, buttons=[cancel], about=[unit], why_not=partial(_why_not_other, unit=unit),
        )  # fmt: skip
        if click == cancel:
            continue
        if IS_AIR[unit]:
            merge(g, unit, click)
        else:
            exchange(g, unit, click)


def why_not_chosen(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a unit cannot be consolidated."""
    if not g.is_unit(click):
        return None
    who, side = name(click), decision.side
    if IS_AIR[click]:
        if partners(g, side, click):
            return None
        return Refusal(f"{who} cannot merge: no other reduced aircraft of its type at its base", "OCS 10(6)", who)
    if twins(g, side, click):
        return None
    none = Refusal(f"{who} cannot be exchanged: no identical dead unit of another division", "OCS 10(6)", who)
    return why_not_exchanged(g, side, click) or none


def _why_not_other(g: G, decision: Decision, click: int, unit: int) -> Refusal | None:
    if not g.is_unit(click) or click in _others(g, decision.side, unit):
        return None
    return Refusal(f"{name(click)} is not identical to {name(unit)}, or not free", "OCS 10(6)", name(click))


def exchange(g: G, unit: int, dead: int) -> None:
    """Move a live unit to the dead pile, and place the identical dead one in its hex and mode (OCS 10(6))."""
    state = g.state
    place, flags, load = state.where[unit], state.flags[unit], state.load[unit]
    remove(g, unit)
    state.where[dead], state.flags[dead], state.load[dead], state.steps[dead] = place, flags, load, 1
    state.todo[name(dead)] = 1
    g.log(
        "OCS 10(6)", "{unit_new} takes the place of {unit} in {hex}", to=SIDE[unit], unit_new=dead, unit=unit, hex=place
    )


def merge(g: G, unit: int, other: int) -> None:
    """Two reduced aircraft become one at full strength (1.9, OCS 10(6))."""
    g.state.steps[unit], g.state.steps[other] = 2, 0
    g.state.where[other] = DEAD[SIDE[other]]
    g.log("OCS 10(6)", "{unit} and {unit_other} merge", to=SIDE[unit], unit=unit, unit_other=other)
