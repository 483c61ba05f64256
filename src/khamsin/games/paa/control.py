"""Control (5): the sides that hold El Agheila, Tobruk, Bardia and Alexandria. No rule depends on the control of other
hexes."""

from __future__ import annotations

from collections.abc import Iterable

from khamsin.games.paa.units import ALEXANDRIA, AXIS, BARDIA, BOARD, EL_AGHEILA, SIDES, TOBRUK, G

HELD = (EL_AGHEILA, TOBRUK, BARDIA, ALEXANDRIA)


def set_up_control(g: G) -> None:
    """Set the control of hexes before the first turn (6)."""
    for area in BOARD.areas.values():
        if area.kind == "objective":
            g.state.control[area.hexes[0]] = [side.lower() for side in SIDES].index(area.data["control"])
    g.state.control.setdefault(BARDIA, 1 - AXIS)


def pass_through(g: G, side: int, hexes: Iterable[int]) -> None:
    """Regular units of a side have entered these hexes (5)."""
    control = g.state.control
    for hex in hexes:
        if hex in control and control[hex] != side:
            control[hex] = side
            g.log("5", "{side} takes {hex}", side=side, hex=hex)


def controls(g: G, side: int, hex: int) -> bool:
    """Whether a side controls one of the four hexes that matter (5, 5.1)."""
    return g.state.control.get(hex) == side
