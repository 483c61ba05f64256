"""Off-map boxes (1.13): Tripoli and the box that joins it to the map, for Axis units alone."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.afrika import movement
from khamsin.games.afrika.ground import CITY, hex_cost
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.units import AXIS, BOARD, GROUND, HALVES, HEXES, JOINING, MECH, TRIPOLI, G, forces_in, name
from khamsin.kernel.rules import Refusal

EDGE = BOARD.areas[BOARD.box["Joining Box"].data["edge"]].hexes
ROAD_HEX = BOARD[BOARD.box["Joining Box"].data["road"]]
ENTER: int = GROUND["off_map"]["enter"] * HALVES
CROSS: int = GROUND["off_map"]["cross"] * HALVES
BOXES = (TRIPOLI, JOINING)
assert not any(CITY[hex] for hex in EDGE)


def is_used(g: G, side: int) -> bool:
    """Whether a side moves in the boxes: the Axis, in a campaign (1.13)."""
    return side == AXIS and not setting(g).short


def price(units: Sequence[int], start: int, end: int) -> int | None:
    """What a step into, between or out of the boxes costs in halves of a MP: 1 MP to enter one from the map, 10 to cross one,
    and then the hex; None where there is none (1.13)."""
    if start in EDGE and end == JOINING:
        return ENTER
    if start in BOXES and end in BOXES and start != end:
        return CROSS
    if start == JOINING and end in EDGE:
        return CROSS + max([entry_cost(unit, end) for unit in units])
    return None


def entry_cost(unit: int, hex: int) -> int:
    """What an edge hex costs from the Joining Box: the coast road enters at one of them (1.13)."""
    costs = GROUND["mech" if MECH[unit] else "leg"]
    return int(costs["road"]) if hex == ROAD_HEX else hex_cost(hex, costs)


def steps(g: G, side: int, units: Sequence[int]) -> dict[int, int]:
    """The boxes and edge hexes that a stack can go to next, with the cost; its whole allowance where that is less than the
    cost: a unit that has not moved moves one box per phase (1.13)."""
    if not is_used(g, side):
        return {}
    start = g.state.where[units[0]]
    found = {}
    for end in (*BOXES, *EDGE):
        if why_not(g, side, units, end) is None:
            cost = price(units, start, end)
            assert cost is not None
            found[end] = min(cost, movement.points_left(g, units))
    return found


def why_not(g: G, side: int, units: Sequence[int], end: int) -> Refusal | None:
    """Why a stack cannot go from where it is to a box or an edge hex (1.13, SCS 3.6)."""
    start, label, who = g.state.where[units[0]], BOARD.name(end), movement.whom(units)
    cannot = f"{who} cannot move to {label}"
    if not is_used(g, side):
        return Refusal(f"{cannot}: off-map boxes are for the Axis in a campaign", "1.13", label)
    cost = price(units, start, end)
    if cost is None:
        return Refusal(f"{cannot}: not next to {BOARD.name(start)}", "1.13", label)
    if end < HEXES:
        for enemy in forces_in(g, 1 - side, end):
            return Refusal(f"{cannot}: {name(enemy)} is there", "SCS 3.6", name(enemy))
    left, moved = movement.points_left(g, units), any(g.state.spent[unit] for unit in units)
    if cost > left and (moved or start not in BOXES):
        return Refusal(f"{cannot}: costs {movement.shown(cost)} MPs, {movement.shown(left)} left", "1.13", label)
    return None
