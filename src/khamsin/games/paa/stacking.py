"""Stacking (4): three regular units and one installation in a hex, two units in Bardia; broken only within a phase."""

from __future__ import annotations

from collections import Counter

from khamsin.games.paa.units import BOARD, CF, DEPOT_SPAN, HEXES, REGULAR_SPAN, G
from khamsin.kernel.pieces import Memo, UnitLocations

LIMIT = 3
FORTS = {area.hexes[0]: int(area.data["stacking"]) for area in BOARD.areas.values() if area.kind == "fort"}
LIMITS = [FORTS.get(hex, LIMIT) for hex in range(HEXES)]
"""How many regular units may stand in each hex at the end of a phase (4)."""


def limit(hex: int) -> int:
    """How many regular units may stand in a hex at the end of a phase (4)."""
    return LIMITS[hex]


def room(g: G, side: int, hex: int) -> int:
    """How many more regular units may stand in a hex (4)."""
    return limit(hex) - g.state.where[REGULAR_SPAN[side]].count(hex)


def has_depot(g: G, side: int, hex: int) -> bool:
    """Whether an installation of a side lies in a hex; a second one may not (4)."""
    return hex in g.state.where[DEPOT_SPAN[side]]


CROWDED = "crowded"
"""That a hex may be overfull, so that it has to be looked for."""


def watch(g: G, side: int, hex: int) -> None:
    """A piece has come to a hex: note it if there are now too many (4)."""
    where = g.state.where
    if where[REGULAR_SPAN[side]].count(hex) > LIMITS[hex] or where[DEPOT_SPAN[side]].count(hex) > 1:
        g.state.todo[CROWDED] = 1


def overfull(g: G, side: int) -> list[int]:
    """Hexes that hold more than they may at the end of a phase (4)."""
    crowded = [hex for hex, number in count(g, side).items() if number > LIMITS[hex]]
    depots = g.state.where[DEPOT_SPAN[side]]
    crowded += [hex for hex in set(depots) if 0 <= hex < HEXES and depots.count(hex) > 1]
    return sorted(set(crowded))


def count(g: G, side: int) -> dict[int, int]:
    """How many regular units stand in each hex that holds at least two."""
    where = g.state.where
    known = _COUNTS.get(where.versions[side])
    if known is None:
        known = _COUNTS.keep(where.versions[side], _counted(where, side))
    return known


def _counted(where: UnitLocations, side: int) -> dict[int, int]:
    """The count, corrected from the one before the last change of place where that is known."""
    places = where[REGULAR_SPAN[side]]
    unit, left, before = where.last[side]
    known = _COUNTS.get(before)
    if known is None:
        return {hex: number for hex, number in Counter(places).items() if number > 1 and 0 <= hex < HEXES}
    corrected = known.copy()
    for hex in (left, where[unit]):
        corrected[hex] = places.count(hex)
        if corrected[hex] < 2 or not 0 <= hex < HEXES:
            del corrected[hex]
    return corrected


_COUNTS: Memo[dict[int, int]] = Memo()


def strength(g: G, side: int, hex: int) -> int:
    """The CF of a side's regular units in a hex."""
    span = REGULAR_SPAN[side]
    places = g.state.where[span]
    number = places.count(hex)
    at, total = -1, 0
    for _ in range(number):
        at = places.index(hex, at + 1)
        total += CF[span.start + at] + g.state.plus[span.start + at]
    return total
