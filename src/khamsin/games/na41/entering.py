"""Entering hexes, by movement, retreat or advance: the effects of an entering combat unit on enemy trucks, Supply
Points, Fortifications and control (8.7, 9.5.7, 14.6, 16.3.5, 17.2.3), and on units in Full Retreat adjacent to it
(13.3.2)."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from khamsin.games.na41 import disruption, losses
from khamsin.games.na41.scenario import release_for
from khamsin.games.na41.units import AXIS, COMBAT, HEXES, G, combat_units, on_map, others, stock
from khamsin.games.na41.zones import disturbed
from khamsin.kernel.rules import Decision, Procedure


def march(g: G, side: int, units: Sequence[int], path: Sequence[int]) -> Generator[Decision, int, int]:
    """Units enter the locations of a path one after the other. Return how many. Enemies in Full Retreat adjacent to a
    combat unit are driven off, and the march continues, except for units that were driven off themselves meanwhile, and
    not into a hex into which the enemies have retreated (13.3.2)."""
    here, meets = g.state.where[units[0]], disturbed(g, 1 - side)
    ahead = enumerate(path[-1:], len(path) - 1) if meets.isdisjoint(path) else enumerate(path)
    for number, hex in ahead:
        quiet = hex not in meets
        if quiet and hex != path[-1]:
            continue
        if not quiet and combat_units(g, 1 - side, hex):
            return number
        units = [unit for unit in units if g.state.where[unit] == here]
        if not units:
            return number
        here = hex
        g.state.where.rearrange(dict.fromkeys(units, hex))
        if not quiet and hex < HEXES and any(COMBAT[unit] for unit in units):
            enter(g, side, hex)
            yield from disruption.drive_off(g, side, hex)
            meets = disturbed(g, 1 - side) if hex != path[-1] else meets
    return len(path)


def starts(g: G, side: int, units: Sequence[int]) -> Procedure:
    """Drive off enemies in Full Retreat adjacent to a combat unit that starts its move (13.3.2)."""
    hex = g.state.where[units[0]]
    if hex >= HEXES or not disruption.is_rout_near(g, side, hex):
        return
    if any(COMBAT[unit] and on_map(g, unit) for unit in units):
        yield from disruption.drive_off(g, side, hex)


def enter(g: G, side: int, hex: int) -> None:
    """A combat unit of a side is in a hex: enemy Non-Combat Units and Supply Points there are eliminated or captured, the
    enemy's Fortification is removed, and the side controls the hex, which may release reserves (8.7, 9.5.7, 14.6,
    16.3.5, S2.2)."""
    state, enemy = g.state, 1 - side
    for markers in (state.fort, state.works):
        if markers.get(hex) == enemy:
            del markers[hex]
            g.log("9.5.7", "The Fortification at {hex} is removed", hex=hex)
    if state.control.get(hex, side) != side:
        state.control[hex] = side
        if side == AXIS:
            release_for(g, hex)
        g.log("16.3.5", "{side} takes {hex}", side=side, hex=hex)
    if others(g, enemy, hex) or hex in stock(g, enemy):
        losses.abandon(g, enemy, hex, surrendered=False)
