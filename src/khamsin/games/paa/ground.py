"""The cost of a step (2.1.1, 11.1.2, 11.1.3): the networks for movement and supply.

A hex in which roads or tracks meet without joining has, besides its own node, one node for each group of connected
lines. A unit that enters by one group and leaves by another pays for the change (11.1.2, fig. 6).
"""

from __future__ import annotations

from typing import Any

from khamsin.games.paa.units import BOARD, DATA, HEXES
from khamsin.kernel import data as files
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import NEVER, Network
from khamsin.mechanics.ways import Ground, Layout, Way

COSTS: dict[str, Any] = files.read(DATA / "ground.toml")
REGULAR: dict[str, int] = COSTS["regular"]
TRANSPORT: dict[str, int] = COSTS["transport"]
OVERRUN: int = COSTS["overrun"]["cost"]
OVERRUN_SHAKEN: int = COSTS["overrun"]["shaken"]
SUPPLY: int = COSTS["supply"]["general"]
ATTACK_SUPPLY: int = COSTS["supply"]["attack"]

ROAD, TRACK, RAILROAD = BOARD.bit("road"), BOARD.bit("track"), BOARD.bit("railroad")
ESCARPMENT, PROHIBITED, BORDER = BOARD.bit("escarpment"), BOARD.bit("prohibited"), BOARD.bit("border")

GROUPS = {
    area.hexes[0]: [frozenset(BOARD[name] for name in group) for group in area.data["groups"]]
    for area in BOARD.areas.values()
    if area.kind == "apart"
}
"""For each hex whose lines do not all join, the groups of connected adjacent hexes."""
NODE_HEX = [*range(HEXES), *(hex for hex, groups in GROUPS.items() for _ in groups)]
"""The hex of every node."""
NODE = {
    (hex, i): HEXES + n for n, (hex, i) in enumerate((h, i) for h, groups in GROUPS.items() for i in range(len(groups)))
}
"""The node of each group of lines in such a hex."""
NODES = [tuple(node for node, hex in enumerate(NODE_HEX) if hex == h) if h in GROUPS else (h,) for h in range(HEXES)]
"""The nodes of every hex."""

OPEN_SIDES = [
    tuple(
        n
        for d, n in enumerate(BOARD.neighbours[h])
        if n != NOWHERE and BOARD.enterable(n) and not BOARD.hexside_bits[h * 6 + d] & PROHIBITED
    )
    for h in range(HEXES)
]
"""The adjacent hexes that can be entered from each hex: where ZOCs extend (3) and combat is possible (2.1.1)."""


def line_cost(hex: int, direction: int, costs: dict[str, int]) -> int:
    """Return the cost of a step by road or track, or NEVER."""
    bits = BOARD.hexside_bits[hex * 6 + direction]
    return costs["road"] if bits & ROAD else costs["track"] if bits & TRACK else NEVER


def step_cost(hex: int, direction: int) -> int:
    """Return a regular unit's cost of a step, with roads joined (11.1.2)."""
    there = BOARD.neighbours[hex][direction]
    if there not in OPEN_SIDES[hex]:
        return NEVER
    by_line = line_cost(hex, direction, REGULAR)
    if by_line != NEVER:
        return by_line
    across = REGULAR["escarpment"] if BOARD.hexside_bits[hex * 6 + direction] & ESCARPMENT else 0
    return REGULAR[BOARD.terrain_name(there)] + across


def _group(hex: int, neighbour: int) -> int:
    """Return the group of lines that joins a hex to an adjacent one."""
    return next(i for i, group in enumerate(GROUPS[hex]) if neighbour in group)


def _network(transport: bool) -> Network:
    targets, costs = [], []
    for node, hex in enumerate(NODE_HEX):
        row_targets, row_costs = [], []
        for direction, there in enumerate(BOARD.neighbours[hex]):
            cost = (
                line_cost(hex, direction, TRANSPORT)
                if transport
                else NEVER
                if there == NOWHERE
                else step_cost(hex, direction)
            )
            by_line = there != NOWHERE and line_cost(hex, direction, REGULAR) != NEVER
            if cost == NEVER or there not in OPEN_SIDES[hex]:
                row_targets.append(NOWHERE)
                row_costs.append(NEVER)
                continue
            if by_line and node >= HEXES and NODE[hex, _group(hex, there)] != node:
                cost = NEVER if transport else cost + REGULAR["change"]
            target = NODE[there, _group(there, hex)] if by_line and there in GROUPS else there
            row_targets.append(target)
            row_costs.append(cost)
        targets.append(row_targets)
        costs.append(row_costs)
    return Network(targets, costs)


UNIT_NET = _network(transport=False)
LORRY_NET = _network(transport=True)
SUPPLY_NET = UNIT_NET.reversed()
"""Reversed, for floods from installations towards the units that trace to them (8.1)."""

LAYOUT = Layout(NODE_HEX)


def why_no_road(g: Any, way: Way, hex: int) -> tuple[str, str]:
    """Lorries keep to roads and tracks, and do not change between those that do not join (11.1.3)."""
    if not BOARD.enterable(hex):
        return f"it is {BOARD.terrain_name(hex)}", "2.1.1"
    return "no connected road or track leads there", "11.1.3"


def why_no_path(g: Any, way: Way, hex: int) -> tuple[str, str]:
    """Sea cannot be entered and prohibited hexsides cannot be crossed (2.1.1, 11.1.2)."""
    if not BOARD.enterable(hex):
        return f"it is {BOARD.terrain_name(hex)}", "2.1.1"
    return "only prohibited hexsides lead there", "2.1.1"


UNIT_GROUND = Ground(UNIT_NET, LAYOUT, BOARD.name, why_no_path)
LORRY_GROUND = Ground(LORRY_NET, LAYOUT, BOARD.name, why_no_road)


def node_mask(mask: bytearray) -> bytearray:
    """Return a mask of hexes as a mask of nodes."""
    mask.extend(mask[hex] for hex in NODE_HEX[HEXES:])
    return mask
