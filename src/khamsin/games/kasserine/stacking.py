"""Stacking (3.3): eight points in a hex at the end of any phase."""

from __future__ import annotations

from khamsin.games.kasserine import losses
from khamsin.games.kasserine.ground import FIGURES
from khamsin.games.kasserine.units import BOARD, FORCE_SPAN, FORCES, HEXES, STACKING, G, forces_in
from khamsin.kernel.pieces import Memo
from khamsin.kernel.rules import Procedure

LIMIT: int = FIGURES["stacking"]["limit"]


def points(g: G, side: int) -> dict[int, int]:
    """The stacking points of a side in every hex that it occupies (3.3.1)."""
    where = g.state.where
    version = where.versions[side]
    known = _POINTS.get(version)
    if known is None:
        unit, left, before = where.last[side]
        known = _POINTS.get(before)
        known = _count(g, side) if known is None else _moved(known, unit, left, where[unit])
        _POINTS.keep(version, known)
    return known


_POINTS: Memo[dict[int, int]] = Memo()


def _count(g: G, side: int) -> dict[int, int]:
    held: dict[int, int] = {}
    for unit, hex in zip(FORCES[side], g.state.where[FORCE_SPAN[side]], strict=True):
        if 0 <= hex < HEXES:
            held[hex] = held.get(hex, 0) + STACKING[unit]
    return held


def _moved(before: dict[int, int], unit: int, left: int, now: int) -> dict[int, int]:
    """The points after one unit has gone from a place to another: counted on, as nothing else has changed."""
    held = before.copy()
    if 0 <= left < HEXES:
        held[left] = held.get(left, 0) - STACKING[unit]
    if 0 <= now < HEXES:
        held[now] = held.get(now, 0) + STACKING[unit]
    return held


def room(g: G, side: int, hex: int) -> int:
    """How many more stacking points a hex may hold; a holding box holds any number (3.3.2, 3.3.5, 8.3.2)."""
    return LIMIT - points(g, side).get(hex, 0) if hex < HEXES else LIMIT * len(FORCES[side])


def overfull(g: G, side: int) -> list[int]:
    """Hexes that hold more than they may at the end of a phase (3.3.2)."""
    stacked = points(g, side)
    if max(stacked.values(), default=0) <= LIMIT:
        return []
    return [hex for hex, held in stacked.items() if held > LIMIT]


def thin_out(g: G, side: int) -> Procedure:
    """At the end of a phase the owner removes what is too much (3.3.3)."""
    while crowded := overfull(g, side):
        hex = min(crowded)
        units = [u for u in forces_in(g, side, hex) if STACKING[u]]
        click = yield g.ask(
            side,
            "stacking.excess",
            f"More than {LIMIT} points in {BOARD.name(hex)}: which unit is lost?",
            "3.3.3",
            units=units,
        )
        losses.eliminate(g, click, "3.3.3")
