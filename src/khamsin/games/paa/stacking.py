"""Stacking (4): three regular units and one installation in a hex, two units in Bardia; broken only within a phase."""

from __future__ import annotations

from khamsin.games.paa.units import BOARD, DEPOTS, HEXES, REGULARS, G

LIMIT = 3
LIMITS = {area.hexes[0]: area.data["stacking"] for area in BOARD.areas.values() if area.kind == "fort"}


def limit(hex: int) -> int:
    """How many regular units may stand in a hex at the end of a phase (4)."""
    return int(LIMITS.get(hex, LIMIT))


def room(g: G, side: int, hex: int) -> int:
    """How many more regular units may stand in a hex (4)."""
    where = g.state.where
    return limit(hex) - sum(1 for u in REGULARS[side] if where[u] == hex)


def has_depot(g: G, side: int, hex: int) -> bool:
    """Whether an installation of a side lies in a hex; a second one may not (4)."""
    where = g.state.where
    return any(where[u] == hex for u in DEPOTS[side])


def overfull(g: G, side: int) -> list[int]:
    """Hexes that hold more than they may at the end of a phase (4)."""
    where = g.state.where
    count: dict[int, int] = {}
    for unit in REGULARS[side]:
        count[where[unit]] = count.get(where[unit], 0) + 1
    crowded = {hex for hex, number in count.items() if 0 <= hex < HEXES and number > limit(hex)}
    depots = [where[unit] for unit in DEPOTS[side] if 0 <= where[unit] < HEXES]
    return sorted(crowded | {hex for hex in depots if depots.count(hex) > 1})
