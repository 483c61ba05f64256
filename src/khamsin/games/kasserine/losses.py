"""Combat losses (13.2): steps lost, units removed, and what becomes of their markers; a lost HQ returns (15.3.1)."""

from __future__ import annotations

from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.support import put_away
from khamsin.games.kasserine.units import BUILDING, HQ, MARKER, OUT, SIDE, TURN_BOX, G


def eliminate(g: G, unit: int, rule: str) -> None:
    """A unit leaves play, its Fire Support marker with it; an HQ goes to the turn track (13.2.3, 15.3.1)."""
    state, side = g.state, SIDE[unit]
    hex = state.where[unit]
    state.steps[unit] = 0
    state.where[unit] = OUT[side]
    g.log(rule, "{unit} is eliminated", unit=unit)
    if unit in MARKER:
        put_away(g, MARKER[unit], OUT[side])
        g.reveal()
    if state.flags[unit] & BUILDING:
        state.works.pop(hex, None)  # 14.4.2
    state.flags[unit] = 0
    state.battle[unit] = state.release[unit] = 0
    if HQ[unit]:
        rebuild(g, unit)


def rebuild(g: G, hq: int) -> None:
    """A lost HQ comes back after as many turns as a die shows, unless the game is over by then (15.3.1)."""
    turn = g.state.turn + g.dice.roll("return of an HQ", "15.3.1")
    if turn <= setting(g).last:
        g.state.steps[hq] = 1
        g.state.where[hq] = TURN_BOX[turn]
        g.log("15.3.1", "{unit} returns on turn {turn}", unit=hq, turn=turn)
