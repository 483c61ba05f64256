"""The Recovery Phase: interdiction ends, and strongpoints are removed (11.2.4, 14.4)."""

from __future__ import annotations

from khamsin.games.kasserine import air, strongpoints
from khamsin.games.kasserine.units import ALLIED, AXIS, ENTERED, UNITS, G
from khamsin.kernel.rules import Procedure
from khamsin.mechanics.refusals import for_locations

BEGUN, CLEARED = "begun", ("axis cleared", "allied cleared")
"""Finished steps of the phase."""


def recovery(g: G) -> Procedure:
    """The Recovery Phase: air units return, each side may remove own strongpoints, then those that the enemy occupies
    are removed (11.2.4, 14.4.1, 14.4.3)."""
    todo = g.state.todo
    if BEGUN not in todo:
        air.come_home(g)
        settle_in(g)
        todo[BEGUN] = 1
    for side in (AXIS, ALLIED):
        if CLEARED[side] not in todo:
            yield from clear(g, side)
            todo[CLEARED[side]] = 1
    strongpoints.remove_overrun(g)
    todo.clear()


def settle_in(g: G) -> None:
    """Units that entered this turn lose their movement supply (5.2.3)."""
    g.clear_flags(UNITS, ENTERED)


def clear(g: G, side: int) -> Procedure:
    """A side may remove its own strongpoints, with or without units there (14.4.3)."""
    done = g.rules.button("done")
    while hexes := strongpoints.own(g, side):
        click = yield g.ask(
            side,
            "strongpoint.remove",
            "Choose a strongpoint of yours to remove, or keep them",
            "14.4.3",
            locations=hexes,
            buttons=[done],
            top=True,
            why_not=for_locations(strongpoints.why_not_removed, side),
        )
        if click == done:
            return
        strongpoints.remove(g, g.location(click), "14.4.3")
