"""Units come to stand in a hex, by a move, a retreat, an advance or as a reinforcement: all that follows from it at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from khamsin.games.kasserine import control, headquarters, reserve, strongpoints, support
from khamsin.games.kasserine.units import ALLIED, BUILDING, COMBAT_UNITS, HEXES, RESERVE, ROMMEL, G


def arrive(g: G, side: int, units: Sequence[int], hex: int, path: Iterable[int] = ()) -> None:
    """Units of a side stand in another hex or box now, having entered the hexes of a path on the way.

    Works they leave are given up (14.4.2), their own Reserve status is lost (8.2.5), the hexes become friendly (3.1.1), enemy
    Reserves in their zones, there or on the way, are Reserves no more (8.2.5), enemy guns next to their way lose the support
    they gave elsewhere (10.3.6), and Rommel, if he is found in one of the hexes, gets away (15.5.3).
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
