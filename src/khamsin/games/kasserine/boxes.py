"""Entering and leaving the map (5.2.4, 8.3, 18.2.4, 18.2.5): by the entry hexes of holding boxes and of the map edge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from khamsin.games.kasserine.ground import (
    FIGURES,
    STRONGPOINT_COST,
    WOODS,
    entry_cost,
    ground_cost,
    network,
)
from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.setup import edge_hexes
from khamsin.games.kasserine.units import (
    ALLIED,
    AXIS,
    BOARD,
    CARD,
    ENTERED,
    HALVES,
    HEXES,
    HOLDING,
    SIDE,
    SIDES,
    STOPPED,
    TURN_BOX,
    G,
    stack_name,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import NEVER, Network
from khamsin.kernel.rules import Refusal
from khamsin.mechanics.grounds import kept
from khamsin.mechanics.ways import Reach

ENTRIES = {location: tuple(BOARD[hex] for hex in box.data["entry"]) for location, box in HOLDING.items()}
"""The hexes by which units move to and from each holding box (8.3.1)."""
CONNECTED = {location: tuple(BOARD[name] for name in box.data["connected"]) for location, box in HOLDING.items()}
"""The boxes connected by arrows (8.3.5)."""
DOORS = tuple(
    frozenset([CARD[side], *(location for location, box in HOLDING.items() if box.data["side"] == owner)])
    for side, owner in enumerate(SIDES)
)
"""The boxes of each side's units that may enter: the set-up card, and holding boxes, of which the Axis has none (8.3).
"""
BOXES = tuple(tuple(sorted(DOORS[side] - {CARD[side]})) for side in (AXIS, ALLIED))
LEAVE = int(HALVES * FIGURES["box"]["leave"])
"""The cost of leaving the map (8.3.4)."""
SHARED = frozenset(
    hex for area in BOARD.areas.values() if area.kind == "entry" and "sides" in area.data for hex in area.hexes
)
"""The edge hexes by which both sides enter: the south edge (18.2.5)."""
WAITING = frozenset([CARD[AXIS], *TURN_BOX.values()])
"""The boxes of Axis units that have not entered yet."""
WIDTH = 6
"""How many steps lead from a node of a network."""


def ways_in(g: G, unit: int) -> tuple[int, ...]:
    """Return the hexes by which a unit off the map may enter (5.2.4, 8.3.1, 8.3.3)."""
    place = g.state.where[unit]
    return ENTRIES[place] if place in ENTRIES else edge_hexes(g, unit)


@kept
def entry_network(
    kinds: frozenset[int], rain: bool, forts: frozenset[int], interdicted: frozenset[int], entries: tuple[int, ...]
) -> Network:
    """Return the network of units that enter by these hexes: the steps on the map, and nodes off the map, from which
    steps lead into the entry hexes and from each to the next."""
    base, open_ = network(kinds, rain, forts, interdicted), open_entry_network(kinds, rain, entries)
    if not forts and not interdicted:
        return open_
    return open_.repriced(np.concatenate([base.costs, _prices(kinds, rain, forts, interdicted, entries)]))


@kept
def open_entry_network(kinds: frozenset[int], rain: bool, entries: tuple[int, ...]) -> Network:
    """Return the same without strongpoints and interdiction."""
    base = network(kinds, rain, frozenset(), frozenset())
    each = WIDTH - 1
    targets: list[list[int]] = []
    for start in range(0, len(entries), each):
        some = entries[start : start + each]
        onward = base.size + len(targets) + 1 if start + each < len(entries) else NOWHERE
        targets.append([*some, *[NOWHERE] * (each - len(some)), onward])
    prices = _prices(kinds, rain, frozenset(), frozenset(), entries)
    return Network(np.concatenate([base.targets, targets]), np.concatenate([base.costs, prices]))


def _prices(
    kinds: frozenset[int], rain: bool, forts: frozenset[int], interdicted: frozenset[int], entries: tuple[int, ...]
) -> NDArray[np.uint8]:
    """Return the costs of the steps from the nodes off the map: into the entry hexes, and 0 to the next such node."""
    each = WIDTH - 1
    rows = []
    for start in range(0, len(entries), each):
        prices = [_price(kinds, rain, forts, interdicted, hex) for hex in entries[start : start + each]]
        onward = 0 if start + each < len(entries) else NEVER
        rows.append([*prices, *[NEVER] * (each - len(prices)), onward])
    return np.array(rows, dtype=np.uint8)


def _price(kinds: frozenset[int], rain: bool, forts: frozenset[int], interdicted: frozenset[int], hex: int) -> int:
    """Return the cost of the first hex for units that enter together, or NEVER (5.2.4, 11.2.6, 14.1.2)."""
    prices = [entry_cost(kind, rain, hex) for kind in kinds]
    if NEVER in prices:
        return NEVER
    if hex in interdicted and not WOODS[hex]:
        prices += [ground_cost(kind, rain, hex, woods=True) for kind in kinds]
    return max(prices) + (STRONGPOINT_COST if hex in forts else 0)


def exits(g: G, units: Sequence[int], found: Reach) -> dict[int, tuple[int, int]]:
    """Return the holding boxes of their side to which units may leave the map, each with the cost and the hex by which
    they leave (8.3.1, 8.3.4)."""
    here, points = g.state.where[units[0]], found.way.left
    open_to: dict[int, tuple[int, int]] = {}
    if here >= HEXES or points < LEAVE:
        return open_to
    for box in BOXES[SIDE[units[0]]]:
        for door in ENTRIES[box]:
            cost = found.distance.item(door) + LEAVE
            if cost > points or (door != here and found.stops(door)):
                continue
            if box not in open_to or cost < open_to[box][0]:
                open_to[box] = cost, door
    return open_to


def connections(g: G, units: Sequence[int]) -> tuple[int, ...]:
    """Return the holding boxes to which units may move from theirs, for all their points (8.3.5)."""
    state = g.state
    if any(state.spent[u] or state.release[u] or state.flags[u] & STOPPED for u in units):
        return ()
    return CONNECTED.get(state.where[units[0]], ())


def why_not_box(g: G, units: Sequence[int], box: int, may_leave: bool) -> Refusal:
    """Return why units cannot move to a box; they leave the map in their Movement Phase only (8.3)."""
    here, label, who = g.state.where[units[0]], BOARD.name(box), stack_name(units)
    cannot = f"{who} cannot move to {label}"
    if box not in HOLDING:
        return Refusal(f"{cannot}: it is not a holding box", "8.3", label)
    if SIDE[units[0]] != ALLIED:
        return Refusal(f"{cannot}: the Axis has no holding boxes", "8.3", label)
    if not may_leave:
        return Refusal(f"{cannot}: units leave the map in their Movement Phase only", "8.3.4", label)
    if here == box:
        return Refusal(f"{who} is already in {label}", "8.3", label)
    if here in HOLDING and box not in CONNECTED[here]:
        return Refusal(f"{cannot}: no arrow leads there from {BOARD.name(here)}", "8.3.5", label)
    if here in HOLDING:
        return Refusal(f"{cannot}: from box to box takes all the points of a unit", "8.3.5", label)
    doors = ", ".join(map(BOARD.name, ENTRIES[box]))
    return Refusal(f"{cannot}: it must reach {doors} with {LEAVE // HALVES} MP left to leave", "8.3.4", doors)


def shut_edge(g: G, side: int) -> frozenset[int]:
    """Return the south edge hexes, while Allied units on the map may not enter them: until the Axis has entered there
    (18.2.5)."""
    coming = setting(g).by_edge if side == ALLIED else ()
    return SHARED if coming and all(g.state.where[unit] in WAITING for unit in coming) else frozenset()


def must_leave_edge(g: G, units: Sequence[int]) -> bool:
    """Whether units may not stay in the south edge hexes: Allied ones that enter there in this turn (18.2.5)."""
    if SIDE[units[0]] != ALLIED:
        return False
    arrivals, flags, where = setting(g).arrivals, g.state.flags, g.state.where
    return any(
        unit in arrivals and arrivals[unit].hexes and (flags[unit] & ENTERED or where[unit] == CARD[ALLIED])
        for unit in units
    )


def may_not_wait(g: G, side: int) -> list[int]:
    """Return the units on the set-up card that must enter this turn: those of the panzer groups in the first turn
    (18.2.4)."""
    state = g.state
    cards = setting(g)
    if side != AXIS or state.turn != cards.first or not cards.group_of:
        return []
    return [unit for unit in cards.group_of if state.where[unit] == CARD[AXIS]]
