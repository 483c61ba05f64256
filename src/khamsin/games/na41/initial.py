"""The Initial Phase (3.2): events, Fortifications under construction, transport markers, and the use of replacements."""

from __future__ import annotations

from khamsin.games.na41 import events, fortification, preparation, replacements
from khamsin.games.na41.units import OWN, TRANSPORTED, G, stock
from khamsin.kernel.rules import Procedure

OPENED = "opened"
"""Whether markers, Fortifications and the event of this phase are done."""


def initial(g: G, side: int, impulse: int) -> Procedure:
    """The Initial Phase of a side; Comando Supremo of an earlier player turn ends, and reserves are released (3.2,
    8.4.1, S2.2)."""
    if OPENED not in g.state.todo:
        g.state.impulse, g.state.comando = impulse, 0
        remove_transport_markers(g, side)
        preparation.release(g)
        fortification.complete(g, side)
        yield from events.roll(g, side)
        g.state.todo[OPENED] = 1
    yield from replacements.restore_all(g, side)
    g.state.todo.clear()


def remove_transport_markers(g: G, side: int) -> None:
    """Rail, air and naval markers of a side are removed (5.9.1, 18.7.6, 21.1.5)."""
    g.clear_flags(OWN[side], TRANSPORTED)
    for location in [at for at in g.state.landed if at in stock(g, side) or at not in stock(g, 1 - side)]:
        del g.state.landed[location]
