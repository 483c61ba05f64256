"""The Preparation Phase (3.1): arrivals, Malta, Rommel, surrendered units, removals, withdrawals, upgrades and
conversions."""

from __future__ import annotations

from khamsin.games.na41 import conversions, malta, replacements, special
from khamsin.games.na41.scenario import RELEASES, release_for, setting
from khamsin.games.na41.units import (
    ALLIED,
    AXIS,
    BASE,
    COMBAT,
    DELTA,
    ELIMINATED,
    FORMATION,
    RESERVE,
    SCHEDULE,
    STEPS,
    SURRENDERED,
    SURRENDERED_BEFORE,
    TRACK,
    UNITS,
    WITHDRAWN,
    G,
    add_supply,
)
from khamsin.kernel.rules import Procedure

POINTS: int = SCHEDULE["supply"]["points"]


def preparation(g: G) -> Procedure:
    """The Preparation Phase (3.1)."""
    for side in (AXIS, ALLIED):
        add_supply(g, side, BASE[side], POINTS)
    arrivals(g)
    for side in (AXIS, ALLIED):
        yield from replacements.receive(g, side)
    malta.roll(g)
    special.ready_rommel(g)
    advance_surrendered(g)
    yield from conversions.remove_all(g)
    yield from conversions.upgrade_all(g)
    yield from conversions.convert_all(g)
    release(g)


def arrivals(g: G) -> None:
    """Reinforcements arrive in the base of their side, or in the Reserve Box; withdrawn units return (6.1.1, 6.1.3,
    20.1, 20.3, S2.2)."""
    state = g.state
    for unit, arrival in setting(g).arrivals.items():
        if arrival.turn == state.turn and state.where[unit] == TRACK and not arrival.upgrade:
            state.where[unit] = arrival.location
            state.steps[unit] = STEPS[unit] if COMBAT[unit] else 1
            g.log("20.1", "{unit} arrives in {hex}", unit=unit, hex=arrival.location)
    for unit in UNITS:
        if state.where[unit] == WITHDRAWN and state.returns[unit] == state.turn:
            state.where[unit], state.returns[unit] = DELTA, 0
            g.log("20.3", "{unit} returns to {hex}", unit=unit, hex=DELTA)


def advance_surrendered(g: G) -> None:
    """Units in the right half of a Surrender Box are eliminated, those in the left half move to the right (12.5.2)."""
    where = g.state.where
    for side in (AXIS, ALLIED):
        for unit in UNITS:
            if where[unit] == SURRENDERED_BEFORE[side]:
                where[unit] = ELIMINATED[side]
            elif where[unit] == SURRENDERED[side]:
                where[unit] = SURRENDERED_BEFORE[side]


def release(g: G) -> None:
    """The units of a division leave the Reserve Box on their turn, or once an Axis unit has entered the hex that releases
    them (S2.2)."""
    state = g.state
    for number, area in enumerate(RELEASES):
        if state.control.get(area.hexes[0]) == AXIS:
            release_for(g, area.hexes[0])
        if state.turn < area.data["turn"] and not state.released >> number & 1:
            continue
        for unit in g.units_in(RESERVE):
            if FORMATION[unit] == area.data["formation"]:
                state.where[unit] = DELTA
                g.log("S2.2", "{unit} is released from the Reserve Box", unit=unit)
