"""The Supply Status Phase (6.1, 10.4.2, 14.3.6, 15.4): supply is judged, HQs and guns recover, strongpoints are begun."""

from __future__ import annotations

from khamsin.games.kasserine import strongpoints, supply
from khamsin.games.kasserine.support import put_away
from khamsin.games.kasserine.units import (
    ALLIED,
    AXIS,
    DEPLETED,
    FORCE_SPAN,
    FORCES,
    HEXES,
    HQS,
    MARKER,
    OOS,
    READY,
    SIDE,
    USED,
    G,
)
from khamsin.kernel.rules import Procedure
from khamsin.mechanics.refusals import for_units

JUDGED, SUPPLIED, BEGUN = "judged", "supplied", ("axis begun", "allied begun")
"""Finished steps of the phase."""


def supply_status(g: G) -> Procedure:
    """The Supply Status Phase: supply, depleted HQs, used Fire Support markers, new strongpoints, Axis first (6.1)."""
    todo = g.state.todo
    if JUDGED not in todo:
        supply.restore_sources(g)
        supply.judge(g, AXIS)
        supply.judge(g, ALLIED)
        todo[JUDGED] = 1
    if SUPPLIED not in todo:
        yield from emergency(g)
        turn_back(g)
        recover_fire(g)
        todo[SUPPLIED] = 1
    for side in (AXIS, ALLIED):
        if BEGUN[side] not in todo:
            yield from strongpoints.begin(g, side)
            todo[BEGUN[side]] = 1
    todo.clear()


def emergency(g: G) -> Procedure:
    """Axis HQs may be depleted for units that are out of supply (15.4.1, 15.4.2)."""
    state, span, done = g.state, FORCE_SPAN[AXIS], g.rules.button("done")
    while True:
        wanting = [unit for unit, flags in zip(FORCES[AXIS], state.flags[span], strict=True) if flags & OOS]
        hqs = supply.able_hqs(g, wanting)
        if not hqs:
            return
        click = yield g.ask(
            AXIS,
            "supply.emergency",
            "Choose an HQ to give emergency supply for this turn, or give none",
            "15.4.2",
            units=hqs,
            buttons=[done],
            top=True,
            why_not=for_units(supply.why_not_giving, wanting),
        )
        if click == done:
            return
        supply.deplete(g, click)
        for unit in supply.fed_by(g, click, wanting):
            supply.mark(g, unit)


def turn_back(g: G) -> None:
    """HQs that trace a Supply Route to a source other than an HQ are no longer depleted (15.4.4)."""
    state = g.state
    routes = supply.field(g, AXIS, french=False)
    for hq in HQS[AXIS]:
        hex = state.where[hq]
        if state.flags[hq] & DEPLETED and 0 <= hex < HEXES and routes[hex]:
            state.flags[hq] &= ~DEPLETED
            g.log("15.4.4", "{unit} is no longer depleted", unit=hq)


def recover_fire(g: G) -> None:
    """Fire Support markers of supplied guns move from the Used Box to the Ready Box (10.4.1, 10.4.2)."""
    state = g.state
    for gun, marker in MARKER.items():
        if state.where[marker] == USED[SIDE[gun]] and not state.flags[gun] & OOS:
            put_away(g, marker, READY[SIDE[gun]])
            g.log("10.4.2", "{unit} is ready", unit=marker)
