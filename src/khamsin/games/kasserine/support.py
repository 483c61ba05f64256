"""Fire Support (10): where a gun's marker may lie, and how it is laid, shown, cancelled and put away.

A marker is hidden (FACE_DOWN) in the Ready Box and on the map until its combat, so the enemy knows how many lie where, not
which. Ask for markers only by those that lie in the Ready Box, and for those on the map by their hex: a click that names one
elsewhere would tell the enemy.
"""

from __future__ import annotations

from functools import lru_cache

from khamsin.games.kasserine.units import (
    ALLIED,
    BOARD,
    BRITISH,
    DEPLOYED,
    FACE_DOWN,
    FORCE_SPAN,
    GUN,
    GUNS,
    HEXES,
    MARKER,
    MARKERS,
    RANGE,
    READY,
    SIDE,
    G,
)
from khamsin.kernel.rules import Procedure


def available(g: G, gun: int) -> bool:
    """Whether a gun can give Fire Support: Deployed on the map, its marker in the Ready Box (10.1.3, 10.4.1)."""
    state = g.state
    return (
        bool(state.flags[gun] & DEPLOYED)
        and 0 <= state.where[gun] < HEXES
        and state.where[MARKER[gun]] == READY[SIDE[gun]]
    )


def fpf_hexes(g: G, marker: int) -> list[int]:
    """The hexes on which a marker may be placed for Final Protective Fire: with friendly units, in range, within the limit of
    its nation (10.1.2, 10.3.4, 10.5.2)."""
    state, gun = g.state, GUN[marker]
    side, here = SIDE[gun], state.where[gun]
    held = set(state.where[FORCE_SPAN[side]])
    near = [hex for hex in within_range(here, RANGE[gun]) if hex in held]
    others = {m: state.where[m] for m in MARKERS[side] if m != marker and state.where[m] < HEXES}
    return [hex for hex in near if nations_agree([m for m, at in others.items() if at == hex] + [marker])]


@lru_cache(maxsize=4096)
def within_range(hex: int, range: int) -> tuple[int, ...]:
    """The hexes within range of a gun, whatever lies between (10.1.2, 10.1.5)."""
    return BOARD.within(hex, range)


def nations_agree(markers: list[int]) -> bool:
    """Whether these markers may give Final Protective Fire in one combat: any number of Axis or British ones, one of the US or
    French, and one British with it (10.5.2)."""
    british = sum(BRITISH[marker] for marker in markers)
    others = len(markers) - british
    return SIDE[markers[0]] != ALLIED or others == 0 or (others == 1 and british <= 1)


def place(g: G, marker: int, hex: int) -> None:
    """A marker is laid on a hex from the Ready Box; the enemy sees that, not which one (10.2.1, 10.3.4)."""
    side = SIDE[marker]
    g.state.where[marker] = hex
    g.log("10.3.4", "{unit} is placed on {hex}", to=side, unit=marker, hex=hex)
    g.log("10.3.4", "a Fire Support marker is placed on {hex}", to=1 - side, hex=hex)


def take_back(g: G, marker: int) -> None:
    """A marker goes back to the Ready Box unseen, while its owner is still placing (10.3.4)."""
    side, hex = SIDE[marker], g.state.where[marker]
    g.state.where[marker] = READY[side]
    g.log("10.3.4", "{unit} is taken back from {hex}", to=side, unit=marker, hex=hex)
    g.log("10.3.4", "a Fire Support marker is taken back from {hex}", to=1 - side, hex=hex)


def cancel(g: G, gun: int) -> None:
    """A gun gives up the support it has been set to: its marker, if on the map, goes back to the Ready Box, and all can see
    whose it was (10.3.6)."""
    marker = MARKER[gun]
    if 0 <= g.state.where[marker] < HEXES:
        g.log("10.3.6", "{unit} on {hex} is cancelled", unit=marker, hex=g.state.where[marker])
        g.state.where[marker] = READY[SIDE[gun]]
        g.reveal()


def disturb(g: G, side: int, hex: int) -> None:
    """Units of a side have come next to enemy guns, which no longer support any hex but their own (10.3.6)."""
    state = g.state
    near = BOARD.neighbours[hex]
    for gun in GUNS[1 - side]:
        if state.where[gun] in near and state.where[MARKER[gun]] != state.where[gun]:
            cancel(g, gun)


def show(g: G, marker: int) -> None:
    """A marker is turned up for its combat (10.3.4)."""
    g.state.flags[marker] &= ~FACE_DOWN
    g.reveal()
    g.log("10.3.4", "{unit} supports {hex}", unit=marker, hex=g.state.where[marker])


def put_away(g: G, marker: int, box: int) -> None:
    """A marker goes to the Ready Box, the Used Box or out of play (10.2.4)."""
    g.state.where[marker] = box
    if box == READY[SIDE[marker]]:
        g.state.flags[marker] |= FACE_DOWN
    else:
        g.state.flags[marker] &= ~FACE_DOWN


def assign_fpf(g: G, side: int) -> Procedure:
    """The owner lays markers from the Ready Box on his units for Final Protective Fire."""
    yield from ()
