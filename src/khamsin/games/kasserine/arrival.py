"""The effects of units entering a hex by a move, a retreat, an advance or as a reinforcement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from khamsin.games.kasserine import control, headquarters, reserve, strongpoints, support
from khamsin.games.kasserine.units import ALLIED, BUILDING, COMBAT_UNITS, HEXES, RESERVE, ROMMEL, G


def arrive(g: G, side: int, units: Sequence[int], hex: int, path: Iterable[int] = ()) -> None:
    """Apply the effects of units of a side entering another hex or box through the hexes of a path.

    Strongpoints under construction that they leave are abandoned (14.4.2), their own Reserve status is lost (8.2.5),
    the hexes become friendly (3.1.1), enemy Reserves in their ZOC, there or on the path, lose their status (8.2.5),
    enemy guns next to the path lose the support they gave elsewhere (10.3.6), and Rommel, if in one of the hexes,
    escapes (15.5.3).
    """
    state = g.state
    for unit in units:
        if state.flags[unit] & BUILDING:
            strongpoints.abandon(g, state.where[unit])
        if state.flags[unit] & RESERVE:
            reserve.leave_reserve(g, unit)
        state.where[unit] = hex
    if not 0 <= hex < HEXES or COMBAT_UNITS.isdisjoint(units):
        return
    entered = [*path, hex]
    control.entered(g, side, entered)
    reserve.cancel_reserves(g, side, units, entered)
    support.disturb(g, side, entered)
    if side == ALLIED:
        for place in entered:
            if state.where[ROMMEL] == place:
                headquarters.displace(g, side, place)
