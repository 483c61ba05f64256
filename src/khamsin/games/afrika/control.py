"""The effects of units entering a hex: ports change hands (1.9e), empty boxes are removed, Rommel stays with a stack."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from khamsin.games.afrika import boxes, dumps, rommel
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.units import HEXES, MOVED, PORTS, G, stock
from khamsin.kernel.rules import Procedure


def arrive(g: G, side: int, units: Sequence[int], hex: int, passed: Iterable[int] = ()) -> None:
    """Units enter a hex, after passing others: ports and objectives on the path change hands, boxes left empty are
    removed (1.9e, 1.16)."""
    state = g.state
    for unit in units:
        state.where[unit] = hex
        state.flags[unit] |= MOVED
    take(g, side, (*passed, hex))
    boxes.remove_empty(g)


def enter(g: G, side: int, units: Sequence[int], hex: int, passed: Sequence[int] = ()) -> Procedure:
    """Units of one location enter a hex, after passing others. Rommel goes with the last of them, and enemy dumps on the
    path are captured at once (1.8, 2.3)."""
    start = g.state.where[units[0]]
    arrive(g, side, units, hex, passed)
    rommel.follow(g, start, hex)
    for there in (*passed, hex):
        if there < HEXES and there in stock(g, 1 - side):
            yield from dumps.capture(g, side, there)


def take(g: G, side: int, hexes: Iterable[int]) -> None:
    """A side takes control of the ports and objectives that its units enter; a captured port has no capacity, and the
    captor's earlier damage to it ends (1.9e, 1.9f, 4.2)."""
    control = g.state.control
    for hex in hexes:
        if control.get(hex, side) != side:
            control[hex] = side
            if hex in PORTS:
                g.state.taken[hex] = g.state.turn
                g.state.capacity.pop(hex, None)
                g.state.damage.pop(hex, None)
            g.log("1.9e" if hex in PORTS else setting(g).number, "{side} takes {hex}", side=side, hex=hex)
