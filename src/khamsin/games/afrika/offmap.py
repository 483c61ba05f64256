"""Off-map boxes (1.13): Tripoli and the box that joins it to the map, for Axis units only."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.afrika.allowance import left_of, shown, whom
from khamsin.games.afrika.ground import CITY, ZONE_COST, hex_cost
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.units import (
    AXIS,
    BOARD,
    BOXES,
    EDGE,
    GROUND,
    HALVES,
    HEXES,
    IGNORE_ZONES,
    JOINING,
    MECH,
    G,
    forces_in,
    name,
)
from khamsin.games.afrika.zones import in_zone
from khamsin.kernel.rules import Refusal

ROAD_HEX = BOARD[BOARD.box["Joining Box"].data["road"]]
ENTER: int = GROUND["off_map"]["enter"] * HALVES
CROSS: int = GROUND["off_map"]["cross"] * HALVES
assert not any(CITY[hex] for hex in EDGE)


def is_used(g: G, side: int) -> bool:
    """Whether a side moves in the boxes: the Axis, in a campaign (1.13)."""
    return side == AXIS and not setting(g).short


def price(g: G, unit: int, start: int, end: int) -> int | None:
    """Return the cost of a step into, between or out of the boxes for a unit in halves of a MP: 1 MP to enter one from
    the map, 10 to cross one, and then the hex; None if there is no step (1.13)."""
    if start in EDGE and end == JOINING:
        return ENTER
    if start in BOXES and end in BOXES and start != end:
        return CROSS
    if start == JOINING and end in EDGE:
        return CROSS + entry_cost(g, unit, end)
    return None


def entry_cost(g: G, unit: int, hex: int) -> int:
    """Return the cost of an edge hex from the Joining Box: the coast road enters at one of them, and enemy ZOCs cost as
    elsewhere (1.13, SCS 5.3)."""
    costs = GROUND["mech" if MECH[unit] else "leg"]
    ground = int(costs["road"]) if hex == ROAD_HEX else hex_cost(hex, costs)
    return ground + (ZONE_COST if unit not in IGNORE_ZONES and in_zone(g, 1 - AXIS, hex) else 0)


def charge(g: G, unit: int, start: int, end: int) -> int:
    """Return what a unit pays for a step that it can make: the price, or all its MPs if they are fewer: a unit that has
    not moved moves one box per phase (1.13)."""
    cost = price(g, unit, start, end)
    assert cost is not None
    return min(cost, left_of(g, unit))


def steps(g: G, side: int, units: Sequence[int]) -> dict[int, int]:
    """Return the boxes and edge hexes that a stack can enter next, with the highest cost of its units (1.13)."""
    start = g.state.where[units[0]]
    if not is_used(g, side) or (start < HEXES and start not in EDGE):
        return {}
    ends = [end for end in (*BOXES, *EDGE) if why_not(g, side, units, end) is None]
    return {end: max([charge(g, unit, start, end) for unit in units]) for end in ends}


def why_not(g: G, side: int, units: Sequence[int], end: int) -> Refusal | None:
    """Return why a stack cannot go from where it is to a box or an edge hex (1.13, SCS 3.6)."""
    start, label = g.state.where[units[0]], BOARD.name(end)
    cannot = f"{whom(units)} cannot move to {label}"
    if not is_used(g, side):
        return Refusal(f"{cannot}: off-map boxes are for the Axis in a campaign", "1.13", label)
    if price(g, units[0], start, end) is None:
        return Refusal(f"{cannot}: not next to {BOARD.name(start)}", "1.13", label)
    for enemy in forces_in(g, 1 - side, end):
        return Refusal(f"{cannot}: {name(enemy)} is there", "SCS 3.6", name(enemy))
    moved = any(g.state.spent[unit] for unit in units)
    for unit in units:
        cost, left = price(g, unit, start, end), left_of(g, unit)
        assert cost is not None
        if cost > left and (moved or start not in BOXES):
            return Refusal(f"{cannot}: costs {shown(cost)} MPs, {shown(left)} left", "1.13", label)
    return None
