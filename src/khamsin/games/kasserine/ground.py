"""The cost of a step (7.3, 7.5): the networks of movement, for each movement class, in Dry weather and in Rain.

Costs are in halves of a movement point. A unit that must stop upon entering a mountain hex or crossing an escarpment
(7.3.5) enters a second node of that hex, from which no step leads on; `NODE_HEX` gives the hex of every node.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from khamsin.games.kasserine.units import (
    AROUND,
    BOARD,
    DATA,
    FOOT,
    HALVES,
    HEAVY,
    HEXES,
    INTERDICTING,
    MOTOR,
    MOUNTAINEER,
    RAIN,
    SIDE,
    TIGER,
    TRUCK,
    G,
)
from khamsin.kernel import data as files
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import NEVER, Network
from khamsin.mechanics.grounds import kept
from khamsin.mechanics.ways import Layout

FIGURES: dict[str, Any] = files.read(DATA / "ground.toml")
MAIN, MINOR, TRAIL = (BOARD.bit(kind) for kind in ("main road", "minor road", "trail"))
BRIDGE, FORD, WADI, ESCARPMENT = (BOARD.bit(kind) for kind in ("bridge", "ford", "wadi", "escarpment"))
ROADS = MAIN | MINOR | TRAIL
WOODS, TOWN, CITY = ([tag in tags for tags in BOARD.tags] for tag in ("woods", "town", "city"))
MOUNTAINS = [BOARD.terrain_name(hex) == "mountain" for hex in range(HEXES)]
HILLS = [BOARD.terrain_name(hex) == "hills" for hex in range(HEXES)]
ON_ROAD = [any(BOARD.hexside_bits[hex * 6 + d] & ROADS for d in range(6)) for hex in range(HEXES)]
"""Whether a road or trail touches each hex."""
CLASSES = (FOOT, MOUNTAINEER, MOTOR, TRUCK, HEAVY, TIGER)
COSTS = (FIGURES["dry"], FIGURES["rain"])
STRONGPOINT_COST = int(HALVES * FIGURES["strongpoint"]["cost"])

EDGE_ROAD = {
    BOARD[hex]: BOARD.bit(kind)
    for area in BOARD.areas.values()
    if area.kind == "entry"
    for hex, kind in area.data.get("roads", {}).items()
}
"""The kind of road that leaves the map in an entry hex (5.2.4)."""


def passable(kind: int, rain: bool, hex: int, direction: int) -> bool:
    """Whether units of this movement class may cross a hexside at all (7.3.3-5, 16.3.2)."""
    there = BOARD.neighbours[hex][direction]
    if there == NOWHERE:
        return False
    bits = BOARD.hexside_bits[hex * 6 + direction]
    if kind == TIGER:
        return along(bits) and bool(bits & (MAIN | MINOR))
    unbridged = bits & WADI and not bits & BRIDGE and kind not in (FOOT, MOUNTAINEER)
    if unbridged and (rain or (kind != MOTOR and not bits & FORD)):
        return False
    return kind != HEAVY or bool(bits & ROADS) or not (MOUNTAINS[there] or bits & ESCARPMENT)


def along(bits: int) -> bool:
    """Whether a road or trail leads through a hexside: over a wadi only by a bridge (7.3.4)."""
    return bool(bits & ROADS) and (not bits & WADI or bool(bits & BRIDGE))


def stops(kind: int, hex: int, direction: int) -> bool:
    """Whether a step ends the movement of such units: into mountain or over an escarpment without a road (7.3.5,
    16.6.1)."""
    bits = BOARD.hexside_bits[hex * 6 + direction]
    rough_going = MOUNTAINS[BOARD.neighbours[hex][direction]] or bits & ESCARPMENT
    return kind in (FOOT, MOTOR, TRUCK) and bool(rough_going) and not bits & ROADS


def ground_cost(kind: int, rain: bool, hex: int, woods: bool) -> int:
    """Return the cost of entering a hex off the road, by weather and class, with its woods or without; its towns cost
    nothing (7.3.1, 7.3.6, 7.3.7, 7.5.1, 7.5.2, 16.6.2)."""
    costs = COSTS[rain]["foot" if kind in (FOOT, MOUNTAINEER) else "motorized"]
    points = costs[BOARD.terrain_name(hex)] + (costs["woods"] if woods and WOODS[hex] else 0)
    if kind == MOUNTAINEER and MOUNTAINS[hex]:
        points -= FIGURES["mountain_unit"]["less"]
    return int(HALVES * points)


def road_cost(kind: int, rain: bool, hex: int, bits: int) -> int:
    """Return the cost of a step along a road or trail (7.3.2, 7.5.3)."""
    costs = COSTS[rain]["foot" if kind in (FOOT, MOUNTAINEER) else "motorized"]
    if bits & (MAIN | MINOR):
        return int(
            HALVES * min(costs[road] for road, bit in (("main road", MAIN), ("minor road", MINOR)) if bits & bit)
        )
    if rain:
        climb = int(HALVES * costs["escarpment"]) if bits & ESCARPMENT else 0
        return ground_cost(kind, rain, hex, woods=False) + climb
    clear = BOARD.terrain_name(hex) == "clear" and not WOODS[hex]
    return int(HALVES * FIGURES["trail"]["clear" if clear else "other"])


def step_cost(kind: int, rain: bool, hex: int, direction: int) -> int:
    """Return the cost of a step in halves of a movement point, or NEVER (7.3)."""
    if not passable(kind, rain, hex, direction):
        return NEVER
    there, bits = BOARD.neighbours[hex][direction], BOARD.hexside_bits[hex * 6 + direction]
    if along(bits):
        return road_cost(kind, rain, there, bits)
    costs = COSTS[rain]["foot" if kind in (FOOT, MOUNTAINEER) else "motorized"]
    points = 0
    if bits & WADI and not bits & BRIDGE:
        points += costs["ford" if bits & FORD else "wadi"]
    if bits & ESCARPMENT:
        points += costs["escarpment"]
    return ground_cost(kind, rain, there, woods=True) + int(HALVES * points)


def interdicted_cost(kind: int, rain: bool, hex: int, direction: int) -> int:
    """Return the cost of a step into an enemy zone of interdiction: without the road, but with its bridges (11.2.6,
    11.2.7)."""
    there, bits = BOARD.neighbours[hex][direction], BOARD.hexside_bits[hex * 6 + direction]
    usual = step_cost(kind, rain, hex, direction)
    if usual == NEVER or not along(bits) or WOODS[there]:
        return usual
    return max(usual, ground_cost(kind, rain, there, woods=True))


def entry_cost(kind: int, rain: bool, hex: int) -> int:
    """Return the cost of the first hex for a unit that enters at the edge of the map, or NEVER (5.2.4, 8.3.3)."""
    road = EDGE_ROAD.get(hex, 0)
    if kind == TIGER and not road & (MAIN | MINOR):
        return NEVER
    if road:
        return road_cost(kind, rain, hex, road)
    return NEVER if kind == HEAVY and MOUNTAINS[hex] else ground_cost(kind, rain, hex, woods=True)


def _table(function: Any) -> NDArray[np.uint8]:
    return np.array(
        [[NEVER if n == NOWHERE else function(h, d) for d, n in enumerate(BOARD.neighbours[h])] for h in range(HEXES)],
        dtype=np.uint8,
    )


USUAL = [[_table(lambda h, d, k=k, w=w: step_cost(k, w, h, d)) for k in CLASSES] for w in (False, True)]
INTERDICTED = [[_table(lambda h, d, k=k, w=w: interdicted_cost(k, w, h, d)) for k in CLASSES] for w in (False, True)]
STOPS = [_table(lambda h, d, k=k: int(stops(k, h, d))) == 1 for k in CLASSES]
REACHES = [
    [
        [tuple(n for d, n in enumerate(BOARD.neighbours[h]) if passable(k, w, h, d)) for h in range(HEXES)]
        for k in CLASSES
    ]
    for w in (False, True)
]
"""By weather, movement class and hex, the adjacent hexes that such a unit could enter, and so its ZOC (3.2.2)."""


def _classes(rain: bool, hex: int, near: int) -> int:
    """Return the movement classes that can cross from a hex to an adjacent one, as bits."""
    return sum([1 << kind for kind in CLASSES if near in REACHES[rain][kind][hex]])


NEXT_TO = [
    [tuple((near, _classes(w, hex, near), _classes(w, near, hex)) for near in AROUND[hex]) for hex in range(HEXES)]
    for w in (False, True)
]
"""By weather and hex, its adjacent hexes, each with the movement classes that can cross to it and back, as bits
(3.2.2)."""

_HALTS = sorted({int(BOARD.neighbours[h][d]) for stop in STOPS for h, d in np.argwhere(stop)})
NODE_HEX = [*range(HEXES), *_HALTS]
"""The hex of every node: the hexes, then those where a step may end all movement."""
HALT = {hex: HEXES + number for number, hex in enumerate(_HALTS)}
"""The second node of such a hex."""
_HALT = np.array([HALT.get(hex, hex) for hex in range(HEXES)])
LAYOUT = Layout(NODE_HEX, first_counts=True)
"""A hex is reached by the node that does not end movement, if possible (7.3.5)."""


@kept
def network(kinds: frozenset[int], rain: bool, forts: frozenset[int], interdicted: frozenset[int]) -> Network:
    """Return the network of units that move together: each pays the cost of the slowest. `forts` are hexes with an
    active enemy strongpoint, which cost more (14.1.2); the mask makes motorized units stop there. `interdicted` are
    those in an enemy zone of interdiction (11.2.6)."""
    base = open_network(kinds, rain)
    if not forts and not interdicted:
        return base
    costs = base.costs.copy()
    if interdicted:
        rows, edges = np.array([step for hex in interdicted for step in INTO[hex]]).T
        costs[rows, edges] = np.maximum.reduce([INTERDICTED[rain][kind][rows, edges] for kind in kinds])
    for hex in forts:
        for near, edge in INTO[hex]:
            if costs[near, edge] != NEVER:
                costs[near, edge] += STRONGPOINT_COST
    return base.repriced(costs)


@kept
def open_network(kinds: frozenset[int], rain: bool) -> Network:
    """Return the network of units that move together, without strongpoints and interdiction (7.3, 7.5)."""
    costs = np.maximum.reduce([USUAL[rain][kind] for kind in kinds])
    ends = np.logical_or.reduce([STOPS[kind] for kind in kinds])
    targets = np.where(ends, _HALT[BOARD.adjacency], BOARD.adjacency)
    nowhere = np.full((len(_HALTS), 6), NOWHERE)
    return Network(np.concatenate([targets, nowhere]), np.concatenate([costs, np.full((len(_HALTS), 6), NEVER)]))


@kept
def advance_network(kind: int, rain: bool) -> Network:
    """Return the network of an advancing unit, one point per hex (7.3.5, 13.5.3)."""
    base = open_network(frozenset([kind]), rain)
    return base.repriced(np.where(base.costs == NEVER, NEVER, 1).astype(np.uint8))


@kept
def retreat_network(kinds: frozenset[int], rain: bool) -> Network:
    """Return the network of units that retreat together, one point per hex; steps that end the movement of units on
    foot lead to the second node of a hex (7.3.5, 13.3.7)."""
    barred = np.logical_or.reduce([USUAL[rain][kind] == NEVER for kind in kinds])
    targets = np.where(STOPS[FOOT] & (FOOT in kinds), _HALT[BOARD.adjacency], BOARD.adjacency)
    targets = np.where(barred, NOWHERE, targets)[NODE_HEX]
    return Network(targets, np.where(targets == NOWHERE, NEVER, 1))


INTO = [tuple((near, BOARD.neighbours[near].index(hex)) for near in AROUND[hex]) for hex in range(HEXES)]
"""The steps that lead into each hex: the hex before, and its direction."""


def is_raining(g: G) -> bool:
    """Whether the Rain column applies now; Cloudy counts as Dry (5.1.2-5)."""
    return g.state.weather == RAIN


def zone_of_interdiction(g: G, side: int) -> frozenset[int]:
    """Return the hexes in which a side's air units interdict: their mission hexes, and road hexes within two of them
    (11.2.5)."""
    flying = g.state.flags.having(INTERDICTING)
    if not flying:
        return frozenset()
    flying = [unit for unit in flying if SIDE[unit] == side]
    return frozenset().union(*[INTERDICTED_FROM[g.state.where[unit]] for unit in flying])


def _interdicted_from(mission: int) -> frozenset[int]:
    near = BOARD.within(mission, FIGURES["interdiction"]["range"])
    return frozenset(hex for hex in near if hex == mission or ON_ROAD[hex])


INTERDICTED_FROM = [_interdicted_from(hex) for hex in range(HEXES)]
"""The zone of interdiction of an air unit by its mission hex (11.2.5)."""


def node_mask(mask: bytearray) -> bytearray:
    """Return a mask of hexes as a mask of nodes."""
    mask.extend(mask[hex] for hex in _HALTS)
    return mask
