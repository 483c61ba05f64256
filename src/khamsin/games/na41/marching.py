"""The move itself: its path is paid and entered hex by hex (5.1, 5.2.2, 7.2)."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.na41 import entering, trucks
from khamsin.games.na41.ground import HIGHWAY, MECH, NETS, TRACK, bits, desert_run, entry_bits, start_node
from khamsin.games.na41.hindrances import marker_bars
from khamsin.games.na41.movers import MOVES
from khamsin.games.na41.plan import IN_ZONE, OFF_ROAD, ON_HIGHWAYS, ON_ROADS, Plan
from khamsin.games.na41.units import EXTENDED, FINISHED, GROUND, HEXES, MOVING
from khamsin.games.na41.zones import FULL, LIMITED, Front, front, in_zone, zone
from khamsin.kernel.flood import Network
from khamsin.kernel.rules import Procedure

LEAVING = {LIMITED: GROUND["zone"]["leave_limited"], FULL: GROUND["zone"]["leave"]}
"""The cost of leaving a ZOC (7.2, 7.3)."""


def go(plan: Plan, location: int) -> Procedure:
    """Move a stack to a location: store its cost, and enter the hexes of the path one by one (5.1, 13.3.2)."""
    g, side, units, flags = plan.g, plan.side, plan.units, plan.g.state.flags
    path = plan.path(location)
    trucks.pair_up(g, units, plan.riding)
    pay(plan, path)
    for unit in units:
        g.log("5.1", "{unit} moves from {hex_from} to {hex}", unit=unit, hex_from=plan.start, hex=location)
    entered = yield from entering.march(g, side, units, path)
    if entered < len(path):
        pay(plan, path[:entered])
    elif location >= HEXES or in_zone(g, 1 - side, location) == FULL:
        for unit in units:
            flags[unit] = flags[unit] & ~MOVING | FINISHED


def pay(plan: Plan, path: Sequence[int]) -> None:
    """Store the cost of a path for a stack, and the kind of movement."""
    state, units = plan.g.state, plan.units
    cost, hexes, run = plan.spent + path_cost(plan, path), plan.hexes + len(path), desert_run(plan.run, path)
    road = max(plan.kept, contact(front(plan.g, 1 - plan.side), plan.start, path))
    if road < OFF_ROAD:
        road = max(road, road_kind(plan.start, path))
    is_tactical = hexes <= MOVES["tactical"]
    for unit in units:
        state.spent[unit], state.hexes[unit], state.desert[unit], state.road[unit] = cost, hexes, run, road
        if not is_tactical and plan.kind == MECH and cost > plan.normal:
            state.flags[unit] |= EXTENDED
    if not is_tactical and not state.moved_by_points:
        state.moved_by_points = 1


def path_cost(plan: Plan, path: Sequence[int]) -> int:
    """Return the MPs of a path in quarters, with the costs of ZOCs and markers, even if the stack has fewer (7.2,
    24.2)."""
    if plan.counted is not None and plan.counted[0] is path:
        return plan.counted[1]
    net, node, run, total = NETS[plan.kind], plan.node, plan.run, 0
    zoned, markers, here = zone(plan.g, 1 - plan.side), marker_bars(plan.g, 1 - plan.side), plan.start
    for hex in path:
        run = desert_run(run, (hex,))
        there = hex if run < 2 else start_node(hex, run)
        total += edge_cost(net, node, there)
        if here < HEXES and zoned[here]:
            total += LEAVING[zoned[here]]
        for bar in markers:
            if bar.into is not None and bar.into.item(hex):
                total += bar.toll
        node, here = there, hex
    return total


def edge_cost(net: Network, node: int, there: int) -> int:
    """Return the cost of the step between two nodes; leaving a box leads over several nodes that cost nothing."""
    steps = net.steps[node]
    for end, cost in steps:
        if end == there:
            return cost
    return next(edge_cost(net, end, there) for end, cost in steps if not cost)


def road_kind(start: int, path: Sequence[int]) -> int:
    """Return the roads that a path follows: highways, roads, or neither (5.2.2)."""
    kind, here = ON_HIGHWAYS, start
    for hex in path:
        features = bits(here, hex) if here < HEXES and hex < HEXES else entry_bits(max(here, hex), min(here, hex))
        if not features & (HIGHWAY | TRACK):
            return OFF_ROAD
        if not features & HIGHWAY:
            kind = ON_ROADS
        here = hex
    return kind


def contact(enemy: Front, start: int, path: Sequence[int]) -> int:
    """Return the effect of enemies next to a path: a ZOC ends Extended Movement, an adjacent combat unit the Road Bonus
    (5.2.2, 5.3)."""
    if not enemy.zoned_hexes.isdisjoint(path):
        return IN_ZONE
    return ON_HIGHWAYS if enemy.near_hexes.isdisjoint((start, *path)) else OFF_ROAD
