"""Positions that play cannot reach."""

from __future__ import annotations

from collections.abc import Iterator

from khamsin.games.tunisia import modes
from khamsin.games.tunisia.dates import AIR
from khamsin.games.tunisia.scenario import PORTS
from khamsin.games.tunisia.units import (
    AIRCRAFT,
    ALLIED,
    AXIS,
    BOARD,
    CHANGED,
    HEXES,
    INACTIVE,
    MODES,
    RESERVE,
    TOKENS,
    TRANSPORT,
    TRUCKS_OF,
    UNITS,
    G,
    can_attack,
    forces_in,
    name,
    stock,
)
from khamsin.mechanics import faults


def find_fault(g: G) -> str:
    """Return what is wrong with a position: both sides in a hex, closed ground, what enemies would have captured,
    aircraft without a base, loads, Reserve markers, modes (1.4c, 1.4d, OCS 3(5), OCS 5, OCS 6, OCS 9.3, OCS 11.6,
    OCS 14.1, OCS 16)."""
    return faults.first(
        faults.both_sides(g, "OCS 3(5)"),
        faults.closed_ground(g, "OCS 6"),
        *[check(g, side) for side in (AXIS, ALLIED) for check in (not_taken, without_base, odd_amounts)],
        odd_modes(g),
    )


def not_taken(g: G, side: int) -> Iterator[str]:
    """Yield trucks with enemies in their hex, and what enemies that can attack would have captured (OCS 9.3)."""
    state = g.state
    enemies = {hex for hex in state.where.stacks(1 - side) if hex < HEXES}
    for hex in enemies & state.where.stacks(TRANSPORT + side).keys():
        yield f"trucks and enemies are in {BOARD.name(hex)} (OCS 9.3)"
    held = {hex for owners in (state.base, state.fort) for hex, owner in owners.items() if owner == side}
    held |= {*stock(g, side), *[hex for hex in PORTS if state.control.get(hex) == side]}
    for hex in held & enemies:
        if any(can_attack(g, unit) for unit in forces_in(g, 1 - side, hex)):
            yield f"enemies did not take what is in {BOARD.name(hex)} (OCS 9.3)"


def without_base(g: G, side: int) -> Iterator[str]:
    """Aircraft on the map without a base, or more active ones than it has room for (OCS 14.1)."""
    state = g.state
    for at, wings in state.where.stacks(AIRCRAFT + side).items():
        active = [unit for unit in wings if not state.flags[unit] & INACTIVE]
        if at < HEXES and (state.base.get(at) != side or len(active) > AIR["base"]["active"] + state.level[at]):
            yield f"{name(wings[0])} has no base or no room in {BOARD.name(at)} (OCS 14.1)"


def odd_amounts(g: G, side: int) -> Iterator[str]:
    """Loads of trucks and dumps, and Reserve markers in use (1.4c, 1.4d, OCS 11.6)."""
    loads = [g.state.load[truck] for truck in TRUCKS_OF[side]]
    if any(not 0 <= load <= TOKENS for load in loads) or min(stock(g, side).values(), default=1) < 1:
        yield "a truck or dump has an impossible load (OCS 11.6)"
    if modes.markers_left(g, side) < 0:
        yield "more Reserve markers than there are (1.4c, 1.4d)"


def odd_modes(g: G) -> Iterator[str]:
    """Yield units in two modes, or in Reserve Mode with a hedgehog, unless they have just taken it and may still leave
    (OCS 5, OCS 16)."""
    for unit in UNITS:
        flags = g.state.flags[unit]
        held = flags & RESERVE and not flags & CHANGED and g.state.where[unit] in g.state.hedgehog
        if held or (flags & MODES).bit_count() > 1:
            yield f"{name(unit)} is in an impossible mode (OCS 5, OCS 16)"
