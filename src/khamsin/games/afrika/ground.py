"""The ground (1.5, SCS 3.2, SCS 3.5, SCS 12.4): passable hexes and hexsides, and the cost of a step in halves of a MP."""

from __future__ import annotations

from functools import partial
from typing import Any

from khamsin.games.afrika.units import BOARD, GROUND, HALVES, HEXES, MECH
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import CLOSED, NEVER, Network
from khamsin.mechanics.ways import Bar, Ground, Layout, Way

ROAD, TRACK, ESCARPMENT = (BOARD.bit(kind) for kind in ("road", "track", "escarpment"))
CITY = [not tags.isdisjoint({"minor-city", "major-city"}) for tags in BOARD.tags]
ZONE_COST: int = GROUND["zone"]["cost"] * HALVES
OVERRUN_COST: int = GROUND["overrun"]["cost"] * HALVES


def is_open(hex: int, direction: int) -> bool:
    """Whether units may cross a hexside: the hex beyond can be entered, and no escarpment is between, or a road or
    track crosses it (1.5a, 1.5b, 1.5c)."""
    there = BOARD.neighbours[hex][direction]
    if there == NOWHERE or not BOARD.enterable(hex) or not BOARD.enterable(there):
        return False
    bits = BOARD.hexside_bits[hex * 6 + direction]
    return not bits & ESCARPMENT or bool(bits & (ROAD | TRACK))


OPEN_SIDES = [tuple([BOARD.neighbours[h][d] for d in range(6) if is_open(h, d)]) for h in range(HEXES)]
"""The neighbours that can be entered from each hex: where units move, ZOCs reach and attacks are made (1.5a, SCS 5.2)."""
BY_ROAD_ONLY = [
    frozenset(
        [BOARD.neighbours[h][d] for d in range(6) if is_open(h, d) and BOARD.hexside_bits[h * 6 + d] & ESCARPMENT]
    )
    for h in range(HEXES)
]
"""The neighbours beyond an escarpment that a road or track crosses (1.5a)."""


def hex_cost(hex: int, costs: dict[str, int]) -> int:
    """Return the cost of entering a hex without a road (SCS 12.4)."""
    return costs["city"] if CITY[hex] else costs[BOARD.terrain_name(hex)]


def step_cost(hex: int, direction: int, costs: dict[str, int]) -> int:
    """Return the cost of a step: along a road or track its rate, which replaces that of the hex (SCS 3.2, SCS 3.5)."""
    if not is_open(hex, direction):
        return NEVER
    bits = BOARD.hexside_bits[hex * 6 + direction]
    there = BOARD.neighbours[hex][direction]
    rates = [hex_cost(there, costs)] if not bits & ESCARPMENT else []
    rates += [costs[kind] for kind, bit in (("road", ROAD), ("track", TRACK)) if bits & bit]
    return min(rates)


def net_cost(costs: dict[str, int], hex: int, direction: int, there: int) -> int:
    """Return the cost of a step, with the parameters of a network."""
    return step_cost(hex, direction, costs)


LEG, MECHANISED = range(2)
"""How a unit moves: on foot or motorised (SCS 3.8)."""
COSTS = (GROUND["leg"], GROUND["mech"])
NETS = tuple(Network.of(BOARD, partial(net_cost, costs)) for costs in COSTS)
PATHS = Network.of(BOARD, lambda hex, direction, there: 1 if is_open(hex, direction) else NEVER)
"""One point per hex, for supply paths and chains of hexes (4.0)."""

LAYOUT = Layout(range(HEXES))


def why_closed(hex: int) -> tuple[str, str]:
    """Sea, sand desert and the Depression have no hexes, and escarpments are crossed by road or track alone (1.5a-c)."""
    if not BOARD.enterable(hex):
        terrain = BOARD.terrain_name(hex)
        return f"it is {terrain}", "1.5b" if terrain == "sand desert" else "1.5c"
    return "only escarpments without a road or track, or ground without hexes, lead there", "1.5a"


def why_no_path(g: Any, way: Way, hex: int) -> tuple[str, str]:
    """Return why the ground does not lead to a hex (1.5a-c)."""
    return why_closed(hex)


GROUNDS = tuple(Ground(net, LAYOUT, BOARD.name, why_no_path) for net in NETS)


def cost_between(hex: int, there: int, unit: int) -> int:
    """Return a unit's cost of a step to an adjacent hex, without ZOCs (SCS 3.8, SCS 12.4)."""
    return step_cost(hex, BOARD.neighbours[hex].index(there), COSTS[MECH[unit]])


OFF_MAP = {
    maps: frozenset([h for h in range(HEXES) if not any(f"map-{letter.lower()}" in BOARD.tags[h] for letter in maps)])
    for maps in ("A", "B", "AB")
}
"""The hexes outside the maps of a scenario (4.1-5)."""
MAP_BARS = {
    maps: Bar(CLOSED, LAYOUT.mask(hexes), "4.0", "{hex} is not on the map of the scenario")
    for maps, hexes in OFF_MAP.items()
    if hexes
}
