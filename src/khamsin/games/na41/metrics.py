"""The measurements of North Africa '41: the front, the steps on the map, the Supply Points, and the winner now."""

from __future__ import annotations

from khamsin.games.na41 import victory
from khamsin.games.na41.scenario import setting
from khamsin.games.na41.units import (
    ALEXANDRIA,
    ALLIED,
    AXIS,
    BOARD,
    COMBAT,
    EL_AGHEILA,
    FORCES,
    HEXES,
    SIDES,
    G,
    stock,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Event

VANGUARD = 5
"""How many of a side's combat units nearest the enemy define its end of the front."""
KM: float = BOARD.meta["geo"]["km_per_hex"]
EAST = [BOARD.scheme.centre(axial)[0] for axial in BOARD.axial]
FOUGHT = ("8.3", "8.8.3", "8.9.1")
"""The sections of log lines that report a combat: by the table, at 10-1, and Automatic DS."""


def curves(g: G) -> dict[str, float]:
    """Return the front in kilometres east of El Agheila, the steps of each side on the map, its Supply Points, the
    airfields of the Axis, and the Victory Points of the Campaign."""
    found = {"Front, km east of El Agheila": front(g), "Axis airfields": len(victory.airfields(g))}
    for side, title in enumerate(SIDES):
        found[f"{title} steps"] = sum([g.state.steps[unit] for unit in _on_map(g, side)])
        found[f"{title} SPs"] = sum(stock(g, side).values())
    if setting(g).name == "campaign":
        found["Victory Points"] = g.state.vp
    return found


def front(g: G) -> float:
    """Return the point half-way between the five easternmost Axis combat units and the five westernmost Allied ones."""
    spear = sorted(_easts(g, AXIS))[-VANGUARD:] or [EAST[EL_AGHEILA]]
    shield = sorted(_easts(g, ALLIED))[:VANGUARD] or [EAST[ALEXANDRIA]]
    middle = (sum(spear) / len(spear) + sum(shield) / len(shield)) / 2
    return round((middle - EAST[EL_AGHEILA]) * KM, 1)


def _on_map(g: G, side: int) -> list[int]:
    return [unit for unit in FORCES[side] if COMBAT[unit] and 0 <= g.state.where[unit] < HEXES]


def _easts(g: G, side: int) -> list[float]:
    return [EAST[g.state.where[unit]] for unit in _on_map(g, side)]


def lead(g: G) -> float:
    """Return a positive number if the Axis would win now: Victory Points, or objectives beyond those needed (S1.3,
    S2.3.3, S3.3)."""
    cards = setting(g)
    if cards.name == "campaign":
        return g.state.vp
    return len(victory.objectives(g)) - cards.needed + 0.5


def battle(event: Event) -> int:
    """Return the hex of a combat, a Breakthrough Combat or an Automatic DS (8.3, 8.8.3, 8.9.1)."""
    return int(event.data.get("hex", NOWHERE)) if event.rule in FOUGHT else NOWHERE
