"""Actions of a movement phase besides moves: units in off-map boxes, supply points by truck and ship, the raid, Rommel."""

from __future__ import annotations

from collections import Counter
from math import inf
from typing import Any, NamedTuple

from khamsin.games.afrika import campaign, feeding, movement, offmap, ports, rommel, trucks
from khamsin.games.afrika.ground import MECHANISED, NETS
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.stacking import POINTS
from khamsin.games.afrika.units import (
    AXIS,
    BOARD,
    COUNTS,
    EDGE,
    FINISHED,
    FORCES,
    HEXES,
    JOINING,
    ROMMEL,
    STACKING,
    TRIPOLI,
    G,
    attack,
    forces_in,
    name,
    stock,
)
from khamsin.games.afrika.zones import in_zone, traced
from khamsin.kernel.rules import Decision
from khamsin.players.scripted import Order

STORED = 3.0
"""The turns for which an army should have SPs in reach."""
FURTHEST = 400
"""The MPs, in halves, beyond which SPs are not moved."""
TRUCKS_COUNT = 6
"""The truck points that a trip can save at most."""


def is_first_move(g: G) -> bool:
    """Whether it is the Movement Phase of a campaign, in which supply and units come from off the map."""
    return not setting(g).short and movement.EXPLOITING not in g.state.todo


def leave_boxes(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Move units in Tripoli to the Joining Box, and from there to an edge hex with room, by road if possible. They move
    before the plan is made, which then counts on them."""
    if side != AXIS or not is_first_move(g):
        return None
    for unit in FORCES[AXIS]:
        here = g.state.where[unit]
        if here not in (TRIPOLI, JOINING) or unit not in decision.legal or not staff.tries(unit, here):
            continue
        ends = [end for end in offmap.steps(g, side, [unit]) if end != TRIPOLI]
        ends = [end for end in ends if end == JOINING or STACKING[unit] <= POINTS.room(g, side, end)]
        if ends:
            end = min(ends, key=lambda end: (end != offmap.ROAD_HEX, end))
            return Order((unit, g.place0 + end), f"{name(unit)} moves to {BOARD.name(end)}")
    return None


def force(g: G, hex: int) -> int:
    """Return the attack strength of the Axis in a hex."""
    return sum([attack(g, unit) for unit in forces_in(g, AXIS, hex)])


def lead(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Move Rommel to the stack that attacks with most strength."""
    if side != AXIS or not rommel.is_present(g) or ROMMEL not in decision.legal or g.state.flags[ROMMEL] & FINISHED:
        return None
    zoned = {hex for hex in rommel.camps(g) if any(forces_in(g, 1 - side, near) for near in BOARD.around(hex))}
    camps = zoned or set(rommel.camps(g))
    best = max(camps, key=lambda hex: (force(g, hex), -hex))
    if best == g.state.where[ROMMEL]:
        return None
    return Order((ROMMEL, g.place0 + best), f"{name(ROMMEL)} moves to {BOARD.name(best)}")


def raid(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Raid Rommel with the LRDG as soon as possible."""
    button = g.rules.button("raid")
    if button not in decision.legal or campaign.why_not_raid(g) is not None or not is_first_move(g):
        return None
    return Order((button,), "the LRDG raids Rommel")


# Supply points


class Trip(NamedTuple):
    """A possible trip of an SP from a dump: the clicks, and the truck points."""

    source: int
    clicks: tuple[int, ...]
    end: int
    trucks: int


def haul(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Move the SP that supplies most hungry units, else one that brings the stock nearer to the army."""
    if g.rules.button("trucks") not in decision.legal or not is_first_move(g):
        return None
    chosen = feeding.plan(g, side)
    fed = {unit for units in chosen.values() for unit in units}
    where, points = g.state.where, stock(g, side)
    spare = {at: number - feeding.cost([COUNTS[u] for u in chosen.get(at, ())]) for at, number in points.items()}
    eaters, hungry = Counter[int](), Counter[int]()
    for unit in [unit for unit in feeding.mouths(g, side) if where[unit] < HEXES]:
        eaters[where[unit]] += COUNTS[unit]
        if unit not in fed:
            hungry[where[unit]] += COUNTS[unit]
    trips = [trip for source in spare if spare[source] > 0 for trip in trips_from(g, side, source)]
    found = feed(g, side, trips, hungry) or forward(g, side, trips, eaters, points)
    if found is None:
        return None
    return Order(found.clicks, f"supply: an SP moves to {BOARD.name(found.end)}")


def trips_from(g: G, side: int, source: int) -> list[Trip]:
    """Return the trips of an SP from a dump by truck, or by ship and then by truck, to hexes with units of the side."""
    start = Trip(source, (g.rules.button("trucks"), g.place0 + source), source, 0)
    found = drives(g, side, start)
    for port in trucks.harbours(side) if source in trucks.harbours(side) else ():
        if ports.why_not_shipped(g, side, source, port) is None:
            landed = Trip(source, (*start.clicks, g.rules.button("ship"), g.place0 + port), port, 0)
            found += [landed, *drives(g, side, landed)]
    return [trip for trip in found if trip.end >= HEXES or forces_in(g, side, trip.end)]


def drives(g: G, side: int, trip: Trip) -> list[Trip]:
    """Return the trips by truck from the end of another one to units of the side and off-map boxes."""
    drive, own = trucks.Trip(side, trip.end), g.state.where.stacks(side)
    return [
        Trip(trip.source, (*trip.clicks, g.place0 + end), end, trucks.points_for(drive, cost))
        for end, cost in trucks.reach(g, drive).items()
        if end in own or end >= HEXES
    ]


def feed(g: G, side: int, trips: list[Trip], hungry: dict[int, int]) -> Trip | None:
    """Return the trip that supplies most hungry units."""
    found = []
    for trip in trips if hungry else ():
        reached = feeding.reached(g, side, trip.end)
        count = sum([number for hex, number in hungry.items() if hex in reached])
        found += [(count - 0.5 * trip.trucks, trip)] if count else []
    return max(found, key=lambda one: one[0])[1] if found else None


def forward(g: G, side: int, trips: list[Trip], eaters: dict[int, int], points: dict[int, int]) -> Trip | None:
    """Return the trip that brings an SP nearest to where the army needs it: the turns of march it saves, per truck
    point."""

    def need(hex: int) -> float:
        reached = feeding.reached(g, side, hex)
        near = sum([count for at, count in eaters.items() if at in reached])
        return near / feeding.GROUP * STORED - sum([number for at, number in points.items() if at in reached])

    camps = sorted([hex for hex in eaters if not in_zone(g, 1 - side, hex)], key=lambda hex: (-eaters[hex], hex))[:8]
    needs = {hex: need(hex) for hex in camps}
    content = {trip.source for trip in trips if trip.source < HEXES and need(trip.source) > 0}
    safe = [trip for trip in trips if trip.end >= HEXES or not in_zone(g, 1 - side, trip.end)]
    found = []
    for camp in [hex for hex in camps if needs[hex] > 0]:
        away = distances(g, side, camp)
        for trip in [trip for trip in safe if trip.source not in content]:
            way = away.get(trip.source, 0) - away.get(trip.end, inf)
            gain = min(way, TRUCKS_COUNT * trucks.TRUCK) / trucks.TRUCK
            merit = gain + 0.1 * needs[camp] - 0.6 * trip.trucks
            found += [(merit, trip)] if gain > 0.2 and merit > 0 else []
    return max(found, key=lambda one: one[0])[1] if found else None


def distances(g: G, side: int, hex: int) -> dict[int, int]:
    """Return the distance of trucks from each location to a hex, in halves of an MP; the boxes are a truck point each."""
    found = NETS[MECHANISED].flood([hex], limit=FURTHEST, mask=traced(g, side)).costs()
    near = [found[edge] for edge in EDGE if edge in found]
    if near:
        found |= {JOINING: min(near) + trucks.TRUCK, TRIPOLI: min(near) + 2 * trucks.TRUCK}
    return found


ERRANDS = (haul, raid, lead)
