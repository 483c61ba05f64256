"""Set-up (S1.1, S2.1, S3.1): the start of every piece."""

from __future__ import annotations

from khamsin.games.na41.scenario import NAMES, setting
from khamsin.games.na41.units import ALLIED, AXIS, COMBAT, MSU, POOL, REPLACEMENTS, TRACK, UNITS, G, add_supply


def set_up(g: G) -> None:
    """Place units, Supply Points, Fortifications, ports and airfields as the scenario says; later arrivals on the turn
    track; no Resource Points, Rommel ready (S1.1, S2.1, S3.1)."""
    cards, state = setting(g), g.state
    for unit, location in cards.places.items():
        state.where[unit] = location
    for unit in cards.arrivals:
        state.where[unit] = TRACK
    for unit in cards.loaded:
        state.flags[unit] |= MSU
    for side in (AXIS, ALLIED):
        for unit in REPLACEMENTS[side]:
            state.where[unit] = POOL[side]
        for location, number in cards.supply[side].items():
            add_supply(g, side, location, number)
    for unit in UNITS:
        if COMBAT[unit] and unit not in cards.places and unit not in cards.arrivals:
            state.steps[unit] = 0
    state.control.update(cards.control)
    state.fort.update(cards.forts)
    state.damage.update(cards.damage)
    state.rp.update({"Axis": 0, "Allied": 0})
    state.scenario, state.malta = NAMES.index(cards.name), cards.malta
    state.turn, state.impulse = cards.first, cards.opening_impulse
