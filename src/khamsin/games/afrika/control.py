"""What follows when units enter a hex: ports change hands (1.9e), boxes and Rommel's stack are looked after."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from khamsin.games.afrika import boxes
from khamsin.games.afrika.units import MOVED, G


def arrive(g: G, side: int, units: Sequence[int], hex: int, passed: Iterable[int] = ()) -> None:
    """Units enter a hex, after passing others: ports and objectives on the way change hands, boxes they have left empty are
    removed (1.9e, 1.16)."""
    state = g.state
    for unit in units:
        state.where[unit] = hex
        state.flags[unit] |= MOVED
    take(g, side, (*passed, hex))
    boxes.remove_empty(g)


def take(g: G, side: int, hexes: Iterable[int]) -> None:
    """A side takes control of the ports and objectives that its units enter (1.9e)."""
    control = g.state.control
    for hex in hexes:
        if control.get(hex, side) != side:
            control[hex] = side
            g.log("1.9e", "{side} takes {hex}", side=side, hex=hex)
