"""Stacking (4): three regular units and one installation in a hex, two units in Bardia; broken only within a phase."""

from __future__ import annotations

from khamsin.games.paa.units import BOARD, DEPOTS, HEXES, REGULAR_SPAN, G

LIMIT = 3
LIMITS = {area.hexes[0]: area.data["stacking"] for area in BOARD.areas.values() if area.kind == "fort"}


def limit(hex: int) -> int:
    """How many regular units may stand in a hex at the end of a phase (4)."""
    return int(LIMITS.get(hex, LIMIT))


def room(g: G, side: int, hex: int) -> int:
    """How many more regular units may stand in a hex (4)."""
    return limit(hex) - g.state.where[REGULAR_SPAN[side]].count(hex)


def has_depot(g: G, side: int, hex: int) -> bool:
    """Whether an installation of a side lies in a hex; a second one may not (4)."""
    where = g.state.where
    return any(where[u] == hex for u in DEPOTS[side])


def overfull(g: G, side: int) -> list[int]:
    """Hexes that hold more than they may at the end of a phase (4)."""
    where = g.state.where
    crowded = {hex for hex, number in count(g, side).items() if number > limit(hex)}
    depots = [where[unit] for unit in DEPOTS[side] if 0 <= where[unit] < HEXES]
    if len(set(depots)) < len(depots):
        crowded |= {hex for hex in depots if depots.count(hex) > 1}
    return sorted(crowded)


def count(g: G, side: int) -> dict[int, int]:
    """How many regular units stand in each hex that holds at least two."""
    places = g.state.where[REGULAR_SPAN[side]]
    seen: set[int] = set()
    shared: set[int] = set()
    for hex in places:
        (shared if hex in seen else seen).add(hex)
    return {hex: places.count(hex) for hex in shared if 0 <= hex < HEXES}
