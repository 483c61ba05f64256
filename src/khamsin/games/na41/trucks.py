"""Trucks (5.8, 17.2.4): passengers, loading and unloading of Supply Points, and the Special Transfer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from khamsin.games.na41 import supply
from khamsin.games.na41.units import (
    BOARD,
    CARRIED,
    COMBAT,
    FINISHED,
    HEXES,
    LOCATIONS,
    MSU,
    OFF_MAP,
    REPLACED,
    REPLACEMENT,
    SIDE,
    TOBRUK_ASU,
    TRUCK,
    G,
    add_supply,
    allowance,
    combat_units,
    mechanized,
    name,
    remove_supply,
    usable_supply,
)
from khamsin.kernel.rules import Decision, Procedure, Refusal


def is_free(g: G, unit: int) -> bool:
    """Whether a truck can take a passenger: it has neither a Supply Point nor another one in this phase (5.8.1, 5.8.2)."""
    return TRUCK[unit] and not g.state.flags[unit] & (MSU | CARRIED)


def can_ride(g: G, unit: int) -> bool:
    """Whether a unit can ride on a truck: any combat unit, or a replacement on foot (5.8.1, 19.2.1)."""
    return (COMBAT[unit] and unit != TOBRUK_ASU) or (REPLACEMENT[unit] and not mechanized(g, unit))


def riders(g: G, units: Sequence[int]) -> dict[int, int]:
    """Passengers of a stack, each with its truck: pairs of this phase, then units on foot, then units slower than the truck (
    5.8.1)."""
    if len(units) == 1:
        return {}
    pair = g.state.pair
    found = {unit: pair[unit] - 1 for unit in units if not TRUCK[unit] and pair[unit] and pair[unit] - 1 in units}
    free = [unit for unit in units if is_free(g, unit)]
    if free:
        waiting = [unit for unit in units if unit not in found and can_ride(g, unit) and not g.state.hexes[unit]]
        waiting.sort(key=lambda unit: (mechanized(g, unit), allowance(g, unit)))
        slower = [unit for unit in waiting if not mechanized(g, unit) or allowance(g, unit) < allowance(g, free[0])]
        found |= dict(zip(slower, free, strict=False))
    return found


def can_pick_up(g: G, units: Sequence[int], unit: int) -> bool:
    """Whether a moving truck may pick up a unit that has not moved (5.8.1)."""
    return not g.state.hexes[unit] and can_ride(g, unit) and len(riders(g, [*units, unit])) > len(riders(g, units))


def pair_up(g: G, units: Sequence[int], riding: dict[int, int]) -> None:
    """Trucks and passengers that move together stay together in this phase; so does a truck with its Supply Point (5.8.2)."""
    state = g.state
    for unit, truck in riding.items():
        state.pair[unit], state.pair[truck] = truck + 1, unit + 1
        state.flags[unit] |= CARRIED
        state.flags[truck] |= CARRIED
    for unit in units:
        if state.flags[unit] & MSU:
            state.flags[unit] |= CARRIED


def why_not_load(g: G, side: int, units: Sequence[int]) -> Refusal | None:
    """Return why a stack cannot load a Supply Point: a single truck without a load, where one is (5.8.1, 17.2.4)."""
    unit, location = units[0], g.state.where[units[0]]
    if len(units) > 1 or not TRUCK[unit]:
        return Refusal(f"{name(unit)} cannot load a Supply Point: select a truck alone", "17.2.4", name(unit))
    if not is_free(g, unit):
        return Refusal(f"{name(unit)} cannot load a Supply Point: it carries something", "5.8.2", name(unit))
    if usable_supply(g, side, location) <= 0:
        return Refusal(f"{name(unit)} cannot load: no Supply Point that can be used in {BOARD.name(location)}", "17.2.4",
                       BOARD.name(location))  # fmt: skip
    return None


def load(g: G, side: int, units: Sequence[int]) -> Procedure:
    """A truck loads a Supply Point and becomes an MSU; it keeps it in this phase (5.8.2, 17.2.4)."""
    unit, location = units[0], g.state.where[units[0]]
    remove_supply(g, side, location)
    g.state.flags[unit] |= MSU | CARRIED
    g.log("17.2.4", "{unit} loads a Supply Point in {hex}", unit=unit, hex=location)
    return
    yield


def why_not_unload(g: G, side: int, units: Sequence[int]) -> Refusal | None:
    """Return why a stack cannot unload a Supply Point: an MSU alone that has neither loaded nor carried it in this
    phase (5.8.2)."""
    unit = units[0]
    if len(units) > 1 or not g.state.flags[unit] & MSU:
        return Refusal(f"{name(unit)} cannot unload: select an MSU alone", "17.2.4", name(unit))
    if g.state.flags[unit] & CARRIED:
        return Refusal(
            f"{name(unit)} cannot unload: it has moved or loaded its Supply Point in this phase", "5.8.2", name(unit)
        )
    return None


def unload(g: G, side: int, units: Sequence[int]) -> Procedure:
    """An MSU unloads its Supply Point and becomes a truck again (17.2.4)."""
    unit, location = units[0], g.state.where[units[0]]
    g.state.flags[unit] &= ~MSU
    add_supply(g, side, location)
    g.log("17.2.4", "{unit} unloads a Supply Point in {hex}", unit=unit, hex=location)
    return
    yield


def why_not_transfer(g: G, side: int, units: Sequence[int]) -> Refusal | None:
    """Return why a stack cannot use the Special Transfer: a single truck that has not moved, empty, in Full Supply and
    without a Replacement marker (5.8.4, 19.5)."""
    unit = units[0]
    who = name(unit)
    if len(units) > 1 or not TRUCK[unit]:
        return Refusal(f"{who} cannot be transferred: select a truck alone", "5.8.4", who)
    if g.state.flags[unit] & (MSU | CARRIED):
        return Refusal(f"{who} cannot be transferred: it carries something", "5.8.4", who)
    if g.state.hexes[unit]:
        return Refusal(f"{who} cannot be transferred: it has moved", "5.8.4", who)
    if g.state.flags[unit] & REPLACED:
        return Refusal(f"{who} cannot be transferred: it has a Replacement marker and moves one hex", "19.5", who)
    if supply.status(g, unit) != supply.FULL:
        return Refusal(f"{who} cannot be transferred: not in Full Supply", "5.8.4", who)
    return None


def transfer(g: G, side: int, units: Sequence[int]) -> Procedure:
    """Place a truck in a friendly off-map box, or with a combat unit in Full Supply, instead of moving (5.8.4)."""
    unit, cancel = units[0], g.rules.button("cancel")
    hexes = [hex for hex in g.state.where.stacks(side) if hex < HEXES]
    click = yield g.ask(
        side, "move.transfer", f"Choose where {name(unit)} is transferred", "5.8.4", buttons=[cancel], about=[unit],
        locations=[at for at in (*OFF_MAP[side], *hexes) if why_not_transferred(g, unit, at) is None],
        why_not=partial(why_not_click, unit=unit),
    )  # fmt: skip
    if click == cancel:
        return
    g.log("5.8.4", "{unit} is transferred to {hex}", unit=unit, hex=g.location(click))
    g.state.where[unit] = g.location(click)
    g.state.hexes[unit] = 1
    g.state.flags[unit] |= FINISHED
    g.state.moved_by_points = 1


def why_not_transferred(g: G, unit: int, location: int) -> Refusal | None:
    """Return why a truck cannot be transferred to a location (5.8.4)."""
    side, label = SIDE[unit], BOARD.name(location)
    if location == g.state.where[unit]:
        return Refusal(f"{name(unit)} is already in {label}", "5.8.4", label)
    if location in OFF_MAP[side]:
        return None
    if location >= LOCATIONS or not combat_units(g, side, location):
        return Refusal(
            f"{name(unit)} cannot be transferred to {label}: no combat unit of yours is there", "5.8.4", label
        )
    if supply.status_in(g, side, location) != supply.FULL:
        return Refusal(f"{name(unit)} cannot be transferred to {label}: not in Full Supply", "5.8.4", label)
    return None


def why_not_click(g: G, decision: Decision, click: int, unit: int) -> Refusal | None:
    """Return why a truck cannot be transferred to a location."""
    return why_not_transferred(g, unit, g.location(click)) if g.place0 <= click < g.rules.first_button else None
