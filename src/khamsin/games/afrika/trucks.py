"""Truck points and shipping of SPs (1.7, 1.9a, 1.13): one SP after the other moves by truck, by ship, or by both."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from khamsin.games.afrika import dumps, ports
from khamsin.games.afrika.allowance import shown
from khamsin.games.afrika.ground import MECHANISED, NETS, OPEN_SIDES, why_closed
from khamsin.games.afrika.offmap import ENTER
from khamsin.games.afrika.units import (
    AXIS,
    BOARD,
    BOXES,
    EDGE,
    HALVES,
    HEXES,
    JOINING,
    PORTS,
    SCHEDULE,
    SIDES,
    TRIPOLI,
    G,
    forces_in,
    name,
    stock,
)
from khamsin.games.afrika.zones import in_zone, traced, zone_names
from khamsin.kernel.cache import cached
from khamsin.kernel.rules import Choices, Decision, Hint, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations
from khamsin.mechanics.ways import ANY_COST

TRUCK: int = SCHEDULE["trucks"]["move"] * HALVES
"""The MPs of a truck point, in halves (1.7)."""
UNHINDERED = np.zeros(HEXES, dtype=np.uint8)
"""No closed hexes."""


class Trip(NamedTuple):
    """A moving SP: its location, the MPs left of the truck point in use, in halves, whether it has left its dump, and
    whether it came by truck."""

    side: int
    location: int
    left: int = 0
    moved: bool = False
    driven: bool = False


def trucks_left(g: G, side: int) -> int:
    """Return the truck points that a side has left."""
    return g.state.trucks.get(SIDES[side], 0)


def why_not_trip(g: G, side: int) -> Refusal | None:
    """Return why no SP can be moved: truck points or shipping, and SPs, are needed (1.6a, 1.7)."""
    if not stock(g, side):
        return Refusal("No SPs can be moved: you have none", "1.6a", f"{SIDES[side]} Truck Points")
    if not trucks_left(g, side) and not g.state.shipping.get(SIDES[side], 0):
        return Refusal(
            "No SPs can be moved: no truck points and no shipping left", "1.7", f"{SIDES[side]} Truck Points"
        )
    if any(why_not_loaded(g, side, dump) is None for dump in stock(g, side)):
        return None
    return why_not_loaded(g, side, min(stock(g, side)))


def move_supply(g: G, side: int) -> Procedure:
    """SPs of a dump move one by one by truck and ship in any combination, in the Movement Phase, until the side ends it
    (1.6a, 1.7, 1.9a)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side, "supply.load", "Choose a dump from which SPs are moved", "1.7",
        locations={dump: {"SPs": stock(g, side)[dump]} for dump in loadable(g, side)}, buttons=[cancel],
        why_not=for_locations(why_not_loaded, side),
    )  # fmt: skip
    if click == cancel:
        return
    start = g.location(click)
    trip = Trip(side, start)
    while why_not_loaded(g, side, start) is None:
        end = yield from move_point(g, trip)
        if end == start:
            return
        g.log("1.7", "An SP moves from {hex_from} to {hex}", hex_from=start, hex=end)


def loadable(g: G, side: int) -> list[int]:
    """Return the dumps of a side from which an SP can be moved."""
    return [dump for dump in stock(g, side) if why_not_loaded(g, side, dump) is None]


def why_not_loaded(g: G, side: int, location: int) -> Refusal | None:
    """Return why no SP can be moved from a location: it is not a dump of the side, or neither truck nor ship can take
    it anywhere (1.7, 1.8, 1.9a)."""
    label, trip = BOARD.name(location), Trip(side, location)
    if location not in stock(g, side):
        return Refusal(f"{label} has no SPs of yours", "1.8", label)
    if can_drive(g, trip) or by_ship(g, trip):
        return None
    trucks = "enemy ZOCs stop trucks" if trucks_left(g, side) else "no truck points left"
    return Refusal(f"No SP can leave {label}: {trucks}, and nothing can be shipped from there", "1.7", label)


def move_point(g: G, trip: Trip) -> Generator[Decision, int, int]:
    """Drive and ship one SP until it is set down, or nothing can take it further. Return its location."""
    ship = g.rules.button("ship")
    dumps.remove(g, trip.side, trip.location, 1)
    while not trip.moved or can_go_on(g, trip):
        click = yield ask_where(g, trip)
        if click == ship:
            trip = yield from choose_port(g, trip)
        elif click == g.rules.button("done"):
            break
        elif g.location(click) in reach(g, trip):
            trip = drive(g, trip, g.location(click))
        else:
            trip = sail(g, trip, g.location(click))
    dumps.add(g, trip.side, trip.location, 1)
    return trip.location


def can_go_on(g: G, trip: Trip) -> bool:
    """Whether a moving SP can be shipped from its location, or driven further after a ship; one driven as far as its
    owner chose stays (1.9a)."""
    return bool(by_ship(g, trip)) or (not trip.driven and bool(reach(g, trip)))


def can_drive(g: G, trip: Trip) -> bool:
    """Whether a truck point can take an SP out of its location at all: no single hex costs more (1.7, 1.13)."""
    if not trucks_left(g, trip.side):
        return False
    mask, here = traced(g, trip.side), trip.location
    return here in BOXES or (trip.side == AXIS and here in EDGE) or any(not mask[hex] for hex in OPEN_SIDES[here])


def by_ship(g: G, trip: Trip) -> list[int]:
    """Return the ports to which an SP can be shipped from where it is (1.9a)."""
    return [port for port in harbours(trip.side) if ports.why_not_shipped(g, trip.side, trip.location, port) is None]


def ask_where(g: G, trip: Trip) -> Decision:
    """Ask for the next location of an SP: by truck, or to a port that trucks do not reach by ship; a button ships it to
    any port."""
    found, sea = reach(g, trip), by_ship(g, trip)
    done, ship = g.rules.button("done"), g.rules.button("ship")

    def hint(click: int) -> Hint:
        location = g.location(click)
        return {"truck points": points_for(trip, found[location])} if location in found else {"coastal shipping": 1}

    clicks = [g.place0 + location for location in (*sea, *found)]
    return Decision(
        trip.side, "supply.to", f"Move the SP in {BOARD.name(trip.location)}: choose its destination", "1.7",
        Choices(dict.fromkeys([done, *([ship] if sea else [])]), clicks, lambda click: True, hint), buttons=(ship,),
        why_not=partial(why_not_there, trip=trip),
    )  # fmt: skip


def choose_port(g: G, trip: Trip) -> Generator[Decision, int, Trip]:
    """The port to which an SP is shipped (1.9a)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        trip.side, "supply.ship", f"Ship the SP in {BOARD.name(trip.location)}: choose a port", "1.9a",
        locations=by_ship(g, trip), buttons=[cancel], why_not=for_locations(ports.why_not_shipped, trip.side, trip.location),
    )  # fmt: skip
    return trip if click == cancel else sail(g, trip, g.location(click))


def sail(g: G, trip: Trip, port: int) -> Trip:
    """A ship takes an SP to a port; the MPs left of its truck point remain (1.9a)."""
    ports.ship(g, trip.side, port)
    return trip._replace(location=port, moved=True, driven=False)


def points_for(trip: Trip, cost: int) -> int:
    """Return how many more truck points a drive needs (1.7).

    >>> points_for(Trip(0, 0), 40), points_for(Trip(0, 0, left=6), 6), points_for(Trip(0, 0), 10)
    (2, 0, 1)
    """
    return -(-max(0, cost - trip.left) // TRUCK)


@cached(lambda g, trip: (trip, trucks_left(g, trip.side), *g.state.where.versions), size=8)
def reach(g: G, trip: Trip) -> dict[int, int]:
    """Return where trucks can take an SP, with the cost in halves of a MP: at mech costs, not through enemy units or
    ZOCs that no friendly unit cancels; into the Joining Box for 1 MP, between the boxes and from there to the map for a
    full truck point (1.7, 1.13, SCS 11.6)."""
    return spread(trip, traced(g, trip.side), most_mps(g, trip))


def most_mps(g: G, trip: Trip) -> int:
    """Return the MPs, in halves, that all truck points left can still give an SP (1.7)."""
    return trip.left + TRUCK * trucks_left(g, trip.side)


def spread(trip: Trip, mask: NDArray[np.uint8], limit: int) -> dict[int, int]:
    """Return where trucks can take an SP past closed hexes within a limit (1.7, 1.13)."""
    found = {trip.location: 0}
    if trip.location == JOINING:
        found |= from_joining(mask, trip.left, limit)
        found[TRIPOLI] = trip.left + TRUCK
    elif trip.location == TRIPOLI:
        found[JOINING] = trip.left + TRUCK
        found |= from_joining(mask, trip.left + TRUCK, limit)
    else:
        found = driven(mask, {trip.location: 0}, limit)
        near = [found[hex] for hex in EDGE if hex in found] if trip.side == AXIS else []
        if near:
            found[JOINING] = min(near) + ENTER
            found[TRIPOLI] = up_to_full(trip, found[JOINING]) + TRUCK
    found.pop(trip.location, None)
    for box in BOXES:
        if found.get(box, 0) > limit:
            del found[box]
    return found


def up_to_full(trip: Trip, cost: int) -> int:
    """Return a cost with the rest of the truck point in use, which is lost before a full one (1.13)."""
    return trip.left + points_for(trip, cost) * TRUCK


def from_joining(mask: NDArray[np.uint8], cost: int, limit: int) -> dict[int, int]:
    """Return where trucks can take an SP from the Joining Box, after a cost: a full truck point to any edge hex, and on
    (1.13)."""
    starts = {hex: cost + TRUCK for hex in EDGE if not mask[hex]}
    return driven(mask, starts, limit)


def driven(mask: NDArray[np.uint8], starts: Mapping[int, int], limit: int) -> dict[int, int]:
    """Return the hexes that trucks reach from some, which all have the same cost."""
    if not starts or min(starts.values()) > limit:
        return {}
    before = min(starts.values())
    costs = NETS[MECHANISED].flood(list(starts), limit=limit - before, mask=mask).costs()
    return {hex: before + cost for hex, cost in costs.items()} if before else costs


def drive(g: G, trip: Trip, location: int) -> Trip:
    """Trucks take an SP to a location; MPs of the last truck point are left for this SP alone (1.7)."""
    cost = reach(g, trip)[location]
    used = points_for(trip, cost)
    g.state.trucks[SIDES[trip.side]] -= used
    return trip._replace(location=location, left=trip.left + used * TRUCK - cost, moved=True, driven=True)


def harbours(side: int) -> list[int]:
    """Return the ports to which a side may ship: those on the map, and Tripoli for the Axis (1.9d)."""
    return [*PORTS, TRIPOLI] if side == AXIS else list(PORTS)


def why_not_there(g: G, decision: Decision, click: int, trip: Trip) -> Refusal | None:
    """Return why an SP cannot be driven or shipped to a location, or shipped at all (1.7, 1.9a)."""
    if click >= g.rules.first_button:
        return why_not_sail(g, trip) if g.rules.names[click] == "ship" else None
    if g.is_unit(click):
        return None
    location = g.location(click)
    refusal = ports.why_not_shipped(g, trip.side, trip.location, location)
    if refusal is None or location in reach(g, trip):
        return None
    at_sea = (
        location != trip.location
        and location in harbours(trip.side)
        and ports.why_not_port(g, trip.side, trip.location) is None
    )
    return refusal if at_sea else why_not_driven(g, trip, location)


def why_not_driven(g: G, trip: Trip, location: int) -> Refusal | None:
    """Return why trucks cannot take an SP to a location: the ground, too few MPs, an enemy unit, or an enemy ZOC that
    no friendly unit cancels (1.5, 1.7, 1.13, SCS 11.6)."""
    label, enemy = BOARD.name(location), 1 - trip.side
    cannot = f"The SP cannot move to {label}"
    if location == trip.location:
        return Refusal(f"The SP is already in {label}", "1.7", label)
    if location >= HEXES and (location not in BOXES or trip.side != AXIS):
        return Refusal(f"{cannot}: SPs move to hexes, and those of the Axis to off-map boxes", "1.13", label)
    cost, left = spread(trip, UNHINDERED, ANY_COST).get(location), most_mps(g, trip)
    if cost is None:
        text, rule = why_closed(location)
        return Refusal(f"{cannot}: {text}", rule, label)
    if cost > left:
        return Refusal(f"{cannot}: costs {shown(cost)} truck MPs, {shown(left)} left", "1.7", label)
    if location < HEXES and forces_in(g, enemy, location):
        unit = name(forces_in(g, enemy, location)[0])
        return Refusal(f"{cannot}: {unit} is there", "SCS 11.6", unit)
    if location < HEXES and in_zone(g, enemy, location) and not forces_in(g, trip.side, location):
        unit = zone_names(g, location, enemy)[0]
        return Refusal(f"{cannot}: it is in the ZOC of {unit}, and no unit of yours is there", "1.7", unit)
    return Refusal(f"{cannot}: enemy units and ZOCs close every path of {shown(left)} truck MPs", "1.7", label)


def why_not_sail(g: G, trip: Trip) -> Refusal | None:
    """Return why an SP cannot be shipped from where it is (1.9a)."""
    side, here = trip.side, trip.location
    return ports.why_not_from(g, side, here, harbours(side), partial(ports.why_not_shipped, g, side, here))
