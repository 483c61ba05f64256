"""Allied garrisons (18.2.3): units that may not move before their release."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.units import ALLIED, AROUND, AXIS, COMBAT_UNITS, FORCES, SIDE, G


def bound(g: G, unit: int) -> bool:
    """Whether a unit is a garrison that may not move yet (18.2.3)."""
    return g.state.release[unit] > 0


def release_due(g: G) -> None:
    """Garrisons whose turn has come are released (18.2.3)."""
    state = g.state
    for unit in FORCES[ALLIED]:
        if 0 < state.release[unit] <= state.turn:
            _free(g, unit)


def release(g: G, units: Sequence[int], hex: int) -> None:
    """Units of a side have ended a move or an advance in a hex: Axis combat units release garrisons next to it, the Fondouk
    Group all at once (18.2.3)."""
    if SIDE[units[0]] != AXIS or COMBAT_UNITS.isdisjoint(units):
        return
    stacks = g.state.where.stacks(ALLIED)
    found = [unit for near in AROUND[hex] for unit in stacks.get(near, ()) if g.state.release[unit]]
    together = setting(g).together
    if not together.isdisjoint(found):
        found += [unit for unit in together if unit not in found]
    for unit in sorted(found):
        if g.state.release[unit]:
            _free(g, unit)


def _free(g: G, unit: int) -> None:
    g.state.release[unit] = 0
    g.log("18.2.3", "{unit} is released", unit=unit)
