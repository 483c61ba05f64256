"""The measurements of Afrika: the front, the steps on the map, the SPs of both sides, and the winner now."""

from __future__ import annotations

from khamsin.games.afrika import victory
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.units import ALLIED, AXIS, BOARD, FORCES, HEXES, SIDES, G, stock
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Event

VANGUARD = 5
"""How many of a side's units nearest the enemy define its end of the front."""
KM: float = BOARD.meta["geo"]["km_per_hex"]
EAST = [BOARD.scheme.centre(axial)[0] for axial in BOARD.axial]
AGHEILA, ALEXANDRIA = (
    next(place.hex for place in BOARD.places if place.name == name) for name in ("El Agheila", "Alexandria")
)


def curves(g: G) -> dict[str, float]:
    """Return the front in kilometres east of El Agheila, the steps of each side on the map, and in a campaign its SPs."""
    found = {"Front, km east of El Agheila": front(g)}
    for side, title in enumerate(SIDES):
        found[f"{title} steps"] = sum(
            [g.state.steps[unit] for unit in FORCES[side] if 0 <= g.state.where[unit] < HEXES]
        )
        if g.state.campaign:
            found[f"{title} SPs"] = sum(stock(g, side).values())
    return found


def front(g: G) -> float:
    """Return the point half-way between the five easternmost Axis units and the five westernmost Allied ones."""
    spear = sorted(_easts(g, AXIS))[-VANGUARD:] or [EAST[AGHEILA]]
    shield = sorted(_easts(g, ALLIED))[:VANGUARD] or [EAST[ALEXANDRIA]]
    middle = (sum(spear) / len(spear) + sum(shield) / len(shield)) / 2
    return round((middle - EAST[AGHEILA]) * KM, 1)


def _easts(g: G, side: int) -> list[float]:
    where = g.state.where
    return [EAST[where[unit]] for unit in FORCES[side] if 0 <= where[unit] < HEXES]


def lead(g: G) -> float:
    """Return 1 if the Axis would win now, -1 if the Allies would, 0 for a draw (4.1-5, 5.1-2)."""
    winner, _ = victory.VERDICTS[setting(g).number](g)
    return 0 if winner == NOWHERE else 1 if winner == AXIS else -1


def battle(event: Event) -> int:
    """Return the hex of a combat or an overrun; an overrun is counted by its combat (SCS 9.1)."""
    return int(event.data.get("hex", NOWHERE)) if event.rule == "SCS 9.1" else NOWHERE
