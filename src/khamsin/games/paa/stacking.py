"""Stacking (4): three regular units and one installation in a hex, two units in Bardia; exceeded only within a phase."""

from __future__ import annotations

from khamsin.games.paa.ground import COSTS
from khamsin.games.paa.units import BOARD, DEPOT, DEPOT_SPAN, HEXES, REGULAR, G, cf
from khamsin.mechanics.stacking import Stacking

LIMIT: int = COSTS["stacking"]["units"]
FORTS = {area.hexes[0]: int(area.data["stacking"]) for area in BOARD.areas.values() if area.kind == "fort"}
LIMITS = [FORTS.get(hex, LIMIT) for hex in range(HEXES)]
"""How many regular units may be in each hex at the end of a phase (4)."""
UNITS = Stacking([int(regular) for regular in REGULAR], LIMITS, "4", "units")
INSTALLATIONS = Stacking(
    [int(depot) for depot in DEPOT], [COSTS["stacking"]["installations"]] * HEXES, "4", "installation"
)


def limit(hex: int) -> int:
    """Return how many regular units may be in a hex at the end of a phase (4)."""
    return LIMITS[hex]


def room(g: G, side: int, hex: int) -> int:
    """Return how many more regular units may be in a hex (4)."""
    return UNITS.room(g, side, hex)


def has_depot(g: G, side: int, hex: int) -> bool:
    """Whether an installation of a side is in a hex; a second one may not be (4)."""
    return hex in g.state.where[DEPOT_SPAN[side]]


def overfull(g: G, side: int) -> list[int]:
    """Return hexes with more than they may have at the end of a phase (4)."""
    return sorted({*UNITS.overfull(g, side), *INSTALLATIONS.overfull(g, side)})


def regulars(g: G, side: int, hex: int) -> list[int]:
    """Return the regular units of a side in a hex."""
    return [unit for unit in g.state.where.stacks(side).get(hex, ()) if REGULAR[unit]]


def strength(g: G, side: int, hex: int) -> int:
    """Return the CF of a side's regular units in a hex."""
    return sum([cf(g, unit) for unit in regulars(g, side, hex)])
