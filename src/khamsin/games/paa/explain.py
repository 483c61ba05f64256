"""Which positions play can never reach."""

from __future__ import annotations

from khamsin.games.paa.stacking import limit, overfull
from khamsin.games.paa.units import (
    ALL,
    ALLIED,
    AXIS,
    BOARD,
    DEPOT,
    HEXES,
    SIDE,
    G,
    name,
)  # fmt: skip


def impossible(g: G) -> str:
    """What could never arise in play: both sides in a hex, pieces in the sea (2.1.1, 11.1)."""
    where = g.state.where
    held: dict[int, int] = {}
    for unit in (*ALL[AXIS], *ALL[ALLIED]):
        hex = where[unit]
        if not 0 <= hex < HEXES:
            continue
        if not BOARD.enterable(hex):
            return f"{name(unit)} is in {BOARD.name(hex)}, which is {BOARD.terrain_name(hex)}"
        if not DEPOT[unit] and held.setdefault(hex, SIDE[unit]) != SIDE[unit]:
            return f"units of both sides are in {BOARD.name(hex)}"
    if _phase_rule(g) == "11":
        return ""  # within a movement phase stacks may be too large for a while (4)
    for side in (AXIS, ALLIED):
        for hex in overfull(g, side):
            return f"more than {limit(hex)} units or one installation are in {BOARD.name(hex)}, against stacking (4)"
    return ""


def _phase_rule(g: G) -> str:
    phases = g.rules.phases(g.state)
    return phases[min(g.state.phase, len(phases) - 1)].rule
