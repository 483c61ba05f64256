"""Control (3.1): the sides to which the victory locations and supply sources are friendly, and which hexes are
contested."""

from __future__ import annotations

from collections.abc import Iterable

from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.units import ALLIED, AXIS, FORCE_SPAN, G, held
from khamsin.games.kasserine.zones import zone


def set_up(g: G) -> None:
    """Set control before the first turn: the Axis controls the locations it occupies and those that the scenario gives
    it (18.3.4)."""
    cards = setting(g)
    control = g.state.control
    for hex in cards.victory:
        control[hex] = AXIS if hex in cards.axis_control or held(g, AXIS, hex) else ALLIED
    for side in (AXIS, ALLIED):
        for hex in cards.sources[side]:
            control[hex] = g.state.source[hex] = side


def entered(g: G, side: int, hexes: Iterable[int]) -> None:
    """Combat units of a side have entered these hexes: they become friendly to it, and captured supply sources stop
    working (3.1.1, 6.3.1)."""
    control = g.state.control
    for hex in hexes:
        if control.get(hex, side) != side:
            control[hex] = side
            g.state.source.pop(hex, None)
            g.log("3.1.1", "{hex} is friendly to {side}", hex=hex, side=side)


def settle(g: G) -> None:
    """At the end of a phase: hexes in an uncontested zone of control change hands too (3.1.2, 3.1.3)."""
    where = g.state.where
    standing = [set(where[FORCE_SPAN[side]]) for side in (AXIS, ALLIED)]
    zones = [zone(g, side) for side in (AXIS, ALLIED)]
    for hex, owner in g.state.control.items():
        other = 1 - owner
        if hex not in standing[owner] and (hex in standing[other] or (zones[other][hex] and not zones[owner][hex])):
            entered(g, other, (hex,))


def controller(g: G, hex: int) -> int | None:
    """Return the side that controls a hex now: it occupies it, or has a ZOC there and the enemy has none (3.1.2)."""
    where = g.state.where
    for side in (AXIS, ALLIED):
        if hex in where[FORCE_SPAN[side]]:
            return side
    zones = [side for side in (AXIS, ALLIED) if zone(g, side)[hex]]
    return zones[0] if len(zones) == 1 else None


def contested(g: G, hex: int) -> bool:
    """Whether both sides have a zone of control in a vacant hex (3.1.3)."""
    return controller(g, hex) is None and bool(zone(g, AXIS)[hex])


def friendly(g: G, side: int, hex: int) -> bool:
    """Whether a victory location or supply source is friendly to a side (3.1.1)."""
    return g.state.control.get(hex) == side
