"""Stacking (3.3): eight points in a hex at the end of any phase."""

from __future__ import annotations

from khamsin.games.kasserine import losses
from khamsin.games.kasserine.ground import FIGURES
from khamsin.games.kasserine.units import BOARD, FORCES, HEXES, STACKING, G, forces_in
from khamsin.kernel.rules import Procedure
from khamsin.mechanics import faults
from khamsin.mechanics.stacking import Stacking

LIMIT: int = FIGURES["stacking"]["limit"]
STACKS = Stacking(STACKING, [LIMIT] * HEXES, "3.3.2", "stacking points")


def points(g: G, side: int) -> dict[int, int]:
    """Return the stacking points of a side in every hex where it has any (3.3.1)."""
    return STACKS.used(g, side)


def room(g: G, side: int, hex: int) -> int:
    """Return how many more stacking points a hex may take; a holding box takes any number (3.3.2, 3.3.5, 8.3.2)."""
    return STACKS.room(g, side, hex) if hex < HEXES else LIMIT * len(FORCES[side])


def overfull(g: G, side: int) -> list[int]:
    """Return hexes with more than they may have at the end of a phase (3.3.2)."""
    return STACKS.overfull(g, side)


def find_fault(g: G) -> str:
    """Return what is wrong with a position that play cannot reach: both sides in a hex, or too many points in one
    (3.3.2, 7.1.4)."""
    moving = "movement" in g.rules.phases(g.state)[g.state.phase].name
    return faults.first(faults.both_sides(g, "7.1.4"), () if moving else faults.too_many(g, STACKS))


def remove_excess(g: G, side: int) -> Procedure:
    """At the end of a phase the owner removes the excess (3.3.3)."""
    while crowded := overfull(g, side):
        hex = min(crowded)
        units = [u for u in forces_in(g, side, hex) if STACKING[u]]
        click = yield g.ask(
            side,
            "stacking.excess",
            f"{BOARD.name(hex)} has more than {LIMIT} stacking points: choose a unit to eliminate",
            "3.3.3",
            units=units,
        )
        losses.eliminate(g, click, "3.3.3")
