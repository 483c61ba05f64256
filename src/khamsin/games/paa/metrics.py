"""The measurements of PanzerArmee Afrika: the front, the strength of both sides, and the result if the game ended now
(14.1)."""

from __future__ import annotations

from khamsin.games.paa import victory
from khamsin.games.paa.units import ALEXANDRIA, ALLIED, AXIS, BOARD, EL_AGHEILA, HEXES, REGULARS, G
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Event

VANGUARD = 5
"""How many of a side's units nearest the enemy define its end of the front."""
KM: float = BOARD.meta["geo"]["km_per_hex"]
EAST = [BOARD.scheme.centre(axial)[0] for axial in BOARD.axial]
BATTLES = ("11.4", "12.1.1", "12.4.3")
"""The sections whose events name the hex that is fought for."""


def curves(g: G) -> dict[str, float]:
    """Return the front in kilometres east of El Agheila, and the adjusted CF of the victory calculation (14.1)."""
    axis, allied = victory.score(g)
    return {
        "Front, km east of El Agheila": front(g),
        "Axis CF as victory counts it": axis,
        "Allied CF as victory counts it": allied,
    }


def front(g: G) -> float:
    """Return the point half-way between the five easternmost Axis units and the five westernmost Allied ones."""
    spear = sorted(_easts(g, AXIS))[-VANGUARD:] or [EAST[EL_AGHEILA]]
    shield = sorted(_easts(g, ALLIED))[:VANGUARD] or [EAST[ALEXANDRIA]]
    middle = (sum(spear) / len(spear) + sum(shield) / len(shield)) / 2
    return round((middle - EAST[EL_AGHEILA]) * KM, 1)


def _easts(g: G, side: int) -> list[float]:
    where = g.state.where
    return [EAST[where[u]] for u in REGULARS[side] if 0 <= where[u] < HEXES]


def lead(g: G) -> float:
    """Return how many levels of victory the Axis is above a draw, if the game ended now (14.1)."""
    axis, allied = victory.score(g)
    control = g.state.control
    result = victory.level(
        victory.ratio(allied, axis), control.get(ALEXANDRIA), control.get(EL_AGHEILA), victory.held_tobruk(g)
    )
    return victory.LADDER.index(result) - victory.LADDER.index(victory.DRAW)


def battle(event: Event) -> int:
    """Return the hex of a combat or an overrun (11.4, 12.4)."""
    hex = event.data.get("hex", NOWHERE) if event.rule in BATTLES else NOWHERE
    return int(hex)
