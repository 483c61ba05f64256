"""The ground (2.2.1, 5.2, 5.5, 5.7, 6.3.3): the cost of a step in quarters of a MP, on foot and mechanized; desert and
boxes.

A network has a node for each hex and off-map box. A desert hex has two more: one in which it is the second consecutive
desert hex entered, from which no third leads on (5.5), and one for units that begin there. Behind them are the nodes
from which the boxes are left.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any

import numpy as np

from khamsin.games.na41.units import BOARD, DELTA, GROUND, GROUNDWORKS, HEXES, LOCATIONS, TRIPOLI, G, mechanized
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import NEVER, Network
from khamsin.mechanics.ways import Ground, Layout, Way

HIGHWAY, TRACK, ESCARPMENT, RIDGE, PERIMETER, RAILROAD, EXTENSION = (
    BOARD.bit(kind)
    for kind in ("highway", "track", "escarpment", "ridge", "Tobruk perimeter", "railroad", "railroad extension")
)
TERRAIN = [BOARD.terrain_name(hex) for hex in range(HEXES)]
LAND = [BOARD.enterable(hex) for hex in range(HEXES)]
DESERT = [terrain == "trackless desert" for terrain in TERRAIN]
JEBEL = [terrain == "jebel" for terrain in TERRAIN]
CITY = [terrain == "city" for terrain in TERRAIN]
TOWN = ["town" in BOARD.tags[hex] for hex in range(HEXES)]
NAMED = [bool(BOARD.tags[hex] & {"town", "landmark", "city"}) for hex in range(HEXES)]
"""Cities, towns and landmarks: where units entrain and detrain (5.9.1)."""

_LOW: dict[tuple[int, int], int] = {}
for _side in BOARD.sides:
    if _side.kind in ("escarpment", "ridge"):
        _LOW[_side.a, _side.b] = _LOW[_side.b, _side.a] = _side.low


_HEXSIDES, _NEIGHBOURS = BOARD.hexside_bits, BOARD.neighbours


def bits(a: int, b: int) -> int:
    """Return the features of the hexside between two adjacent hexes."""
    return _HEXSIDES[a * 6 + _NEIGHBOURS[a].index(b)]


def by_road(a: int, b: int) -> bool:
    """Whether a highway or track crosses the hexside between two adjacent hexes (5.2.1)."""
    return bool(bits(a, b) & (HIGHWAY | TRACK))


def uphill(a: int, b: int) -> bool:
    """Whether a step goes up a ridge or an escarpment (9.6)."""
    return _LOW.get((a, b), NOWHERE) == a


def downhill(a: int, b: int) -> bool:
    """Whether a step goes down a ridge or an escarpment (9.6)."""
    return _LOW.get((a, b), NOWHERE) == b


def escarpment(a: int, b: int) -> bool:
    """Whether an escarpment is between two adjacent hexes (5.7)."""
    return bool(bits(a, b) & ESCARPMENT)


def into_perimeter(a: int, b: int) -> bool:
    """Whether a step leads from outside across the Tobruk perimeter (9.6)."""
    return bool(bits(a, b) & PERIMETER) and "Tobruk" in BOARD.tags[b]


def can_cross(mech: bool, a: int, b: int) -> bool:
    """Whether units may move from a hex to an adjacent one: on land; mechanized ones over an escarpment by road only
    (5.7)."""
    return LAND[a] and LAND[b] and not (mech and escarpment(a, b) and not by_road(a, b))


def step_cost(mech: bool, a: int, b: int) -> int:
    """Return the cost of a step in quarters of a MP: the rate of a road, else that of the hex and the hexside (5.2.1,
    5.7)."""
    if not can_cross(mech, a, b):
        return NEVER
    costs, here = GROUND["mechanized" if mech else "foot"], bits(a, b)
    if here & HIGHWAY:
        return int(costs["highway"])
    if here & TRACK:
        return int(costs["track"])
    extra = costs["escarpment"] if here & ESCARPMENT else costs["ridge"] if here & RIDGE else 0
    return int(costs[TERRAIN[b]] + extra)


NEXT = [
    {mech: tuple([b for b in BOARD.around(a) if can_cross(mech, a, b)]) for mech in (False, True)} for a in range(HEXES)
]
"""The adjacent hexes that can be entered from each hex, on foot (False) and mechanized (True)."""

# Nodes

_DESERTS = [hex for hex in range(HEXES) if DESERT[hex]]
SECOND = {hex: LOCATIONS + number for number, hex in enumerate(_DESERTS)}
"""The node of a desert hex that is the second in a row (5.5)."""
AFRESH = {hex: LOCATIONS + len(_DESERTS) + number for number, hex in enumerate(_DESERTS)}
"""The node of a desert hex in which units begin the phase."""
LAYOUT = Layout([*range(LOCATIONS), *SECOND, *AFRESH])
EDGES = {TRIPOLI: BOARD.areas["Tripoli edge"], DELTA: BOARD.areas["Nile Delta edge"]}
"""The hexes adjacent to each box (6.3.3)."""
BOX_OF = {hex: box for box, area in EDGES.items() for hex in area.hexes}
"""The box adjacent to an edge hex."""
_WIDTH = 6
_EXITS: list[tuple[int, list[int]]] = []
"""Nodes from which boxes are left: each with its box and the edge hexes it leads to; the last edge leads to the next node."""
EXIT: dict[int, int] = {}
"""The node from which a box is left."""
_FIRST_EXIT = LOCATIONS + 2 * len(_DESERTS)
for _box, _area in EDGES.items():
    EXIT[_box] = _FIRST_EXIT + len(_EXITS)
    _open = [hex for hex in _area.hexes if LAND[hex]]
    _EXITS += [(_box, _open[at : at + _WIDTH - 1]) for at in range(0, len(_open), _WIDTH - 1)]


def entry_bits(box: int, hex: int) -> int:
    """Return the road by which an edge hex is entered from its box, as a feature (6.3.3)."""
    data, label = EDGES[box].data, BOARD.name(hex)
    return HIGHWAY if label in data.get("highway", ()) else TRACK if label in data.get("track", ()) else 0


Cost = Callable[[int, int], int]
"""From a hex and an adjacent one, or from a box and an edge hex: the cost of a step."""


def network(cost: Cost, enter_box: Callable[[int, int], int]) -> Network:
    """Return a network of nodes; `enter_box` gives the cost from an edge hex into its box."""
    size = _FIRST_EXIT + len(_EXITS)
    targets = np.full((size, _WIDTH), NOWHERE, dtype=np.int32)
    costs = np.full((size, _WIDTH), NEVER, dtype=np.int32)
    for node, hex in enumerate(LAYOUT.locations):
        if hex >= HEXES or not LAND[hex]:
            continue
        run = 0 if not DESERT[hex] or node == AFRESH[hex] else 2 if node == SECOND[hex] else 1
        for direction, there in enumerate(BOARD.neighbours[hex]):
            if there != NOWHERE and LAND[there] and not (run == 2 and DESERT[there]):
                targets[node, direction] = SECOND[there] if run == 1 and DESERT[there] else there
                costs[node, direction] = cost(hex, there)
        if hex in BOX_OF:
            free = next(d for d in range(_WIDTH) if BOARD.neighbours[hex][d] == NOWHERE)
            targets[node, free], costs[node, free] = BOX_OF[hex], enter_box(hex, BOX_OF[hex])
    for number, (box, hexes) in enumerate(_EXITS):
        node = _FIRST_EXIT + number
        for slot, hex in enumerate(hexes):
            targets[node, slot], costs[node, slot] = hex, cost(box, hex)
        if number + 1 < len(_EXITS) and _EXITS[number + 1][0] == box:
            targets[node, _WIDTH - 1], costs[node, _WIDTH - 1] = node + 1, 0
    return Network(targets, costs)


def _priced(mech: bool) -> Network:
    costs = GROUND["mechanized" if mech else "foot"]

    def cost(a: int, b: int) -> int:
        if a < HEXES:
            return step_cost(mech, a, b)
        road = entry_bits(a, b)
        return int(costs["highway"] if road == HIGHWAY else costs["track"] if road == TRACK else costs[TERRAIN[b]])

    return network(cost, lambda hex, box: int(GROUND["off_map"]["enter"]))


def _counted(mech: bool) -> Network:
    return network(lambda a, b: 1 if a >= HEXES or can_cross(mech, a, b) else NEVER, lambda hex, box: 1)


def _along(kinds: int) -> Network:
    return network(
        lambda a, b: NEVER if a >= HEXES else 1 if bits(a, b) & kinds else NEVER,
        lambda hex, box: 1 if entry_bits(box, hex) & kinds else NEVER,
    )


def _both(one: Network, other: Network) -> Network:
    return Network(one.targets, np.maximum(one.costs, other.costs))


FOOT, MECH, MIXED = range(3)
"""The movement class of a stack: on foot, mechanized, or mixed (5.1)."""
_FOOT, _MECH = _priced(False), _priced(True)
NETS = (_FOOT, _MECH, _both(_FOOT, _MECH))
"""The costs of a stack in quarters of a MP, by movement class."""
_FOOT_HEXES, _MECH_HEXES = _counted(False), _counted(True)
HEX_NETS = (_FOOT_HEXES, _MECH_HEXES, _both(_FOOT_HEXES, _MECH_HEXES))
"""One point per hex: Tactical Movement, retreats and advances."""
HIGHWAYS, ROADS = _along(HIGHWAY), _along(HIGHWAY | TRACK)
"""One point per hex along highways, and along roads of either kind: the Road Bonus (5.2.2)."""


def why_no_path(g: Any, way: Way, location: int) -> tuple[str, str]:
    """Sea has no path, escarpments are crossed by road, and only the boxes at the map edge are entered (5.5, 5.6, 5.7)."""
    if location >= HEXES:
        return "no path leads into that box", "5.6"
    if not LAND[location]:
        return "it is sea", "2.2.1"
    if DESERT[location]:
        return "more than two consecutive desert hexes lead there", "5.5"
    return "only escarpments without a road lead there", "5.7"


GROUNDS = tuple(Ground(net, LAYOUT, BOARD.name, why_no_path) for net in NETS)
HEX_GROUNDS = tuple(Ground(net, LAYOUT, BOARD.name, why_no_path) for net in HEX_NETS)
ROAD_GROUNDS = tuple(Ground(net, LAYOUT, BOARD.name, why_no_path) for net in (ROADS, HIGHWAYS))


def start_node(location: int, run: int) -> int:
    """Return the node of units in a location, after a number of consecutive desert hexes entered in this phase (5.5,
    6.3.2)."""
    if location in EXIT:
        return EXIT[location]
    if location >= HEXES or not DESERT[location]:
        return location
    return location if run == 1 else SECOND[location] if run else AFRESH[location]


def desert_run(run: int, path: Sequence[int]) -> int:
    """Return the consecutive desert hexes at the end of a path (5.5).

    >>> desert_run(1, [])
    1
    """
    found = 0
    for hex in reversed(path):
        if hex >= HEXES or not DESERT[hex]:
            return found
        found += 1
    return run + found


def movement_class(g: G, units: Sequence[int], carried: Container[int] = ()) -> int:
    """Return the movement class of a stack; units on trucks are mechanized (5.1, 5.8.1)."""
    kinds = [unit in carried or mechanized(g, unit) for unit in units]
    return FOOT if True not in kinds else MIXED if False in kinds else MECH


def defence_column(fortified: bool, hex: int) -> str:
    """Return the column of the Determined Defense Table for a hex (11.2.1)."""
    if fortified or CITY[hex]:
        return "Fortification, City"
    return "Other" if JEBEL[hex] or TOWN[hex] or hex in GROUNDWORKS else "Clear, Rough"


# Railway (5.9)

_RAIL = {False: RAILROAD, True: RAILROAD | EXTENSION}
RAIL_HEXES = {
    extended: frozenset([h for h in range(HEXES) for b in BOARD.around(h) if bits(h, b) & kinds])
    for extended, kinds in _RAIL.items()
}
"""The hexes of the railway, without and with its extension (5.9.2)."""
STATIONS = {extended: frozenset([hex for hex in hexes if NAMED[hex]]) for extended, hexes in RAIL_HEXES.items()}
"""Where units entrain and detrain on the map (5.9.1)."""
RAIL_ENTRY = tuple([BOARD[label] for label in EDGES[DELTA].data["railroad"]])
"""The hexes by which the railway leaves for the Nile Delta."""


RAIL_NEXT = {
    extended: {hex: [b for b in BOARD.around(hex) if bits(hex, b) & _RAIL[extended]] for hex in hexes}
    for extended, hexes in RAIL_HEXES.items()
}
"""The hexes next along the railway."""
