"""The ground (1.1f, Terrain Effects Chart, OCS 6): passable hexes and hexsides for each mobility, and the cost of a
step in twelfths of a MP."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from khamsin.games.tunisia.units import (
    BOARD,
    BRIDGERS,
    DG,
    GROUND,
    HEXES,
    HIDDEN,
    MOBILITIES,
    MODES,
    MOVE,
    SCALE,
    SCENARIOS,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.cache import cached
from khamsin.kernel.flood import CLOSED, NEVER, Network
from khamsin.kernel.rules import Game
from khamsin.mechanics.ways import Bar, Ground, Layout, Way

ROADS = {BOARD.bit(kind): int(Fraction(GROUND["road"][kind]) * SCALE) for kind in GROUND["road"] if kind != "from"}
"""The rate of each kind of road and railway."""
RAILS = BOARD.bit("standard railroad") | BOARD.bit("narrow railroad")
CLOSED_SIDES = sum(BOARD.bit(kind) for kind in GROUND["hexside"]["closed"])
RIVER = BOARD.bit("minor river")
RIVER_HEXES = frozenset([hex for hex in range(HEXES) if any(BOARD.hexside_bits[hex * 6 + d] & RIVER for d in range(6))])
PROHIBITED = -1
WHOLE = 0
"""The entries of the chart for closed terrain, and for terrain that takes the whole allowance."""


def terrain_cost(hex: int, mobility: int) -> int:
    """Return the chart's cost of entering a hex, in MPs (Terrain Effects Chart)."""
    cost: int = GROUND["cost"][MOBILITIES[mobility]][BOARD.terrain_name(hex)]
    return cost


def plain_cost(hex: int, direction: int, mobility: int, bridge: bool = False) -> int | None:
    """Return the cost of a step without a road, in twelfths; None if it is prohibited or takes the whole allowance. A
    bridge makes a minor river free (OCS 6(1), OCS 6(3), OCS 10(2))."""
    there = BOARD.neighbours[hex][direction]
    bits = BOARD.hexside_bits[hex * 6 + direction]
    if there == NOWHERE or not BOARD.enterable(there) or bits & CLOSED_SIDES:
        return None
    cost = terrain_cost(there, mobility)
    if cost in (PROHIBITED, WHOLE):
        return None
    sides: dict[str, int] = GROUND["hexside"][MOBILITIES[mobility]]
    paid = bits & ~RIVER if bridge else bits
    return (cost + sum([more for kind, more in sides.items() if paid & BOARD.bit(kind)])) * SCALE


def is_closed(hex: int, direction: int, mobility: int) -> bool:
    """Whether a step is prohibited without a road: the hex or hexside is closed, or the step back would be (OCS 6(3))."""
    there = BOARD.neighbours[hex][direction]
    if there == NOWHERE or not BOARD.enterable(there) or not BOARD.enterable(hex):
        return True
    bits = BOARD.hexside_bits[hex * 6 + direction]
    return bool(bits & CLOSED_SIDES) or PROHIBITED in (terrain_cost(there, mobility), terrain_cost(hex, mobility))


def step_cost(hex: int, direction: int, mobility: int, bridge: bool = False) -> int:
    """Return the cost of a step: along a road or railway its rate, which replaces that of hex and hexside (OCS 6(1))."""
    there = BOARD.neighbours[hex][direction]
    if there == NOWHERE or not BOARD.enterable(there) or not BOARD.enterable(hex):
        return NEVER
    bits = BOARD.hexside_bits[hex * 6 + direction]
    rates = [rate for bit, rate in ROADS.items() if bits & bit]
    if not is_closed(hex, direction, mobility):
        plain = plain_cost(hex, direction, mobility, bridge)
        rates += [] if plain is None else [plain]
    return min(rates, default=NEVER)


def network(mobility: int) -> Network:
    """Return the ground of a mobility."""
    return Network.of(BOARD, lambda hex, direction, there: step_cost(hex, direction, mobility))


NETS = tuple([network(mobility) for mobility in range(len(MOBILITIES))])
"""The network of each mobility."""
OPEN_SIDES = tuple(
    [
        tuple(
            [
                BOARD.neighbours[hex][d]
                for d in range(6)
                if step_cost(hex, d, mobility) != NEVER or not is_closed(hex, d, mobility)
            ]
        )
        for hex in range(HEXES)
    ]
    for mobility in range(len(MOBILITIES))
)
"""By mobility and hex, the adjacent hexes that a unit could enter, by road or not: where it attacks and retreats
(OCS 9(1))."""
LAYOUT = Layout(range(HEXES))


def why_no_path(g: Any, way: Way, hex: int) -> tuple[str, str]:
    """Sea, lakes and prohibited ground (Terrain Effects Chart, OCS 6(3))."""
    if not BOARD.enterable(hex):
        return f"it is {BOARD.terrain_name(hex)}", "Terrain Effects Chart"
    return f"only ground closed to this mobility leads there ({BOARD.terrain_name(hex)})", "Terrain Effects Chart"


NO_BRIDGES = frozenset[int]()


@cached(lambda g, side: (side, g.state.where.versions[side], g.state.flags.version))
def bridges(g: Game[Any], side: int) -> frozenset[int]:
    """Return the hexes on minor rivers that engineers of a side bridge: headquarters and KG Witzig with the Combat side
    up (1.6, OCS 10(2))."""
    where, flags = g.state.where, g.state.flags
    found = [
        where[unit]
        for unit in BRIDGERS[side]
        if where[unit] in RIVER_HEXES and not flags[unit] & (MOVE | MODES & ~DG | HIDDEN)
    ]
    return frozenset(found) if found else NO_BRIDGES


@lru_cache(maxsize=64)
def bridged(mobility: int, at: frozenset[int]) -> Network:
    """Return the ground of a mobility with bridges in some hexes, for moves in and out of them (OCS 10(2))."""
    if not at:
        return NETS[mobility]
    costs = NETS[mobility].costs.copy()
    for hex in at:
        for direction in range(6):
            there = BOARD.neighbours[hex][direction]
            if there != NOWHERE and BOARD.hexside_bits[hex * 6 + direction] & RIVER:
                back = BOARD.direction(there, hex)
                costs[hex, direction] = step_cost(hex, direction, mobility, bridge=True)
                costs[there, back] = step_cost(there, back, mobility, bridge=True)
    return Network(BOARD.adjacency, costs)


@lru_cache(maxsize=64)
def bridged_back(mobility: int, at: frozenset[int]) -> Network:
    """Return the same ground in reverse."""
    return bridged(mobility, at).reversed()


@lru_cache(maxsize=128)
def ground_of(mobilities: frozenset[int], at: frozenset[int] = NO_BRIDGES) -> Ground:
    """Return the ground of a stack: each step costs the highest cost of its units; with bridges in some hexes
    (OCS 6(1), OCS 10(2))."""
    costs = np.maximum.reduce([bridged(mobility, at).costs for mobility in mobilities])
    return Ground(Network(BOARD.adjacency, costs), LAYOUT, BOARD.name, why_no_path)


def overrun_cost(hex: int, there: int, mobilities: Sequence[int]) -> int | None:
    """Return the highest cost of entering a hex for a stack, without road or bridge; None if it is closed or takes the
    whole allowance (OCS 7(2))."""
    direction = BOARD.direction(hex, there)
    costs = [plain_cost(hex, direction, mobility) for mobility in mobilities]
    if any(is_closed(hex, direction, mobility) for mobility in mobilities) or None in costs:
        return None
    return max([cost for cost in costs if cost is not None])


AREAS = {area.name: frozenset(area.hexes) for area in BOARD.areas.values() if area.kind in ("map", "play area")}
OUTSIDE = {name: frozenset(range(HEXES)) - hexes for name, hexes in AREAS.items()} | {"all": frozenset[int]()}
"""By play area: the hexes outside it (Scenario 1-6)."""
OUTSIDE_NODES = {name: np.array(sorted(hexes), dtype=np.intp) for name, hexes in OUTSIDE.items()}
"""The same for masks."""
OUTSIDE_BARS: dict[int, Bar] = {
    data["number"]: Bar(
        CLOSED,
        LAYOUT.mask(OUTSIDE[data["area"]]),
        f"Scenario {data['number']}",
        "{hex} is outside the area of the scenario",
    )
    for data in SCENARIOS.values()
    if OUTSIDE[data["area"]]
}
"""By the number of a scenario that is played on a part of the board."""
RAIL_HEXES = frozenset([hex for hex in range(HEXES) if any(BOARD.hexside_bits[hex * 6 + d] & RAILS for d in range(6))])
DETRAIN_TAGS = frozenset(GROUND["detrain"]["tags"])
DETRAINABLE = frozenset([hex for hex in RAIL_HEXES if not DETRAIN_TAGS.isdisjoint(BOARD.tags[hex])])
"""Rail hexes with a village, city, port or point of interest (1.1a, OCS 12(2))."""
