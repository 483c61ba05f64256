"""Truck points and shipping of SPs (1.7, 1.9a, 1.13): one SP at a time goes by truck, by ship, or by both."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import NamedTuple

from khamsin.games.afrika import dumps, ports
from khamsin.games.afrika.ground import MECHANISED, NETS
from khamsin.games.afrika.offmap import BOXES, EDGE
from khamsin.games.afrika.units import AXIS, BOARD, HALVES, HEXES, JOINING, PORTS, SCHEDULE, SIDES, TRIPOLI, G, stock
from khamsin.games.afrika.zones import traced
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations

TRUCK: int = SCHEDULE["trucks"]["move"] * HALVES
"""The MPs of a truck point, in halves (1.7)."""


class Trip(NamedTuple):
    """A SP on its way: where it is, and the MPs left of the truck point in use, in halves."""

    side: int
    location: int
    left: int = 0


def trucks_left(g: G, side: int) -> int:
    """The truck points that a side has left."""
    return g.state.trucks.get(SIDES[side], 0)


def why_not_trip(g: G, side: int) -> Refusal | None:
    """Why no SP can be moved: truck points or shipping, and SPs, are needed (1.6a, 1.7)."""
    if not stock(g, side):
        return Refusal("No SPs can be moved: you have none", "1.6a", f"{SIDES[side]} Truck Points")
    if not trucks_left(g, side) and not g.state.shipping.get(SIDES[side], 0):
        return Refusal(
            "No SPs can be moved: no truck points and no shipping left", "1.7", f"{SIDES[side]} Truck Points"
        )
    return None


def move_supply(g: G, side: int) -> Procedure:
    """One SP goes from a dump by truck and ship in any combination, in the Movement Phase (1.6a, 1.7, 1.9a)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side, "supply.load", "Choose a dump from which a SP is moved", "1.7",
        locations={at: {"SPs": number} for at, number in stock(g, side).items()}, buttons=[cancel],
        why_not=for_locations(why_no_dump, side),
    )  # fmt: skip
    if click == cancel:
        return
    start = g.location(click)
    trip = Trip(side, start)
    dumps.remove(g, side, start, 1)
    while True:
        click = yield ask_where(g, trip)
        word = g.rules.names[click]
        if word == "done":
            break
        if word == "ship":
            trip = yield from sail(g, trip)
        else:
            trip = drive(g, trip, g.location(click))
    dumps.add(g, side, trip.location, 1)
    if trip.location != start:
        g.log("1.7", "A SP goes from {hex_from} to {hex}", hex_from=start, hex=trip.location)


def why_no_dump(g: G, side: int, location: int) -> Refusal | None:
    """Only locations with SPs of the side are dumps (1.8)."""
    return (
        None
        if location in stock(g, side)
        else Refusal(f"{BOARD.name(location)} has no SPs of yours", "1.8", BOARD.name(location))
    )


def ask_where(g: G, trip: Trip) -> Decision:
    """Where a SP goes next, or that it is set down."""
    found = {at: {"truck points": points_for(trip, cost)} for at, cost in reach(g, trip).items()}
    can_sail = any(ports.why_not_shipped(g, trip.side, trip.location, port) is None for port in harbours(trip.side))
    ship, done, here = g.rules.button("ship"), g.rules.button("done"), BOARD.name(trip.location)
    return g.ask(
        trip.side, "supply.to", f"SP in {here}: choose where it goes, or set it down", "1.7", locations=found,
        buttons=[done, ship] if can_sail else [done], blocked=[] if can_sail else [ship],
        why_not=partial(why_not_there, trip=trip),
    )  # fmt: skip


def points_for(trip: Trip, cost: int) -> int:
    """The further truck points that a drive needs (1.7).

    >>> points_for(Trip(0, 0), 40), points_for(Trip(0, 0, left=6), 6), points_for(Trip(0, 0), 10)
    (2, 0, 1)
    """
    return -(-max(0, cost - trip.left) // TRUCK)


def reach(g: G, trip: Trip) -> dict[int, int]:
    """Where trucks can take a SP, with the cost in halves of a MP: at mech costs, not through enemy units or ZOCs that no
    friendly unit cancels; between the boxes, and from the Joining Box to the map, for a full truck point (1.7, 1.13,
    SCS 11.6)."""
    limit = trip.left + TRUCK * trucks_left(g, trip.side)
    if trip.location in BOXES:
        full = trip.left + TRUCK
        ends = [JOINING] if trip.location == TRIPOLI else [TRIPOLI, *EDGE]
        mask = traced(g, trip.side)
        return {end: full for end in ends if full <= limit and (end >= HEXES or not mask[end])}
    found = NETS[MECHANISED].flood([trip.location], limit=limit, mask=traced(g, trip.side)).costs()
    return {at: cost for at, cost in found.items() if at != trip.location}


def drive(g: G, trip: Trip, location: int) -> Trip:
    """Trucks take a SP to a location; MPs of the last truck point are left for this SP alone (1.7)."""
    cost = reach(g, trip)[location]
    used = points_for(trip, cost)
    g.state.trucks[SIDES[trip.side]] -= used
    return trip._replace(location=location, left=trip.left + used * TRUCK - cost)


def harbours(side: int) -> list[int]:
    """The ports to which a side may ship: those on the map, and Tripoli for the Axis (1.9d)."""
    return [*PORTS, TRIPOLI] if side == AXIS else list(PORTS)


def sail(g: G, trip: Trip) -> Generator[Decision, int, Trip]:
    """A ship takes a SP from port to port; the MPs left of its truck point remain (1.9a)."""
    cancel, free = g.rules.button("cancel"), harbours(trip.side)
    click = yield g.ask(
        trip.side, "supply.ship", f"SP in {BOARD.name(trip.location)}: choose the port it is shipped to", "1.9a",
        locations=[port for port in free if ports.why_not_shipped(g, trip.side, trip.location, port) is None],
        buttons=[cancel], why_not=for_locations(ports.why_not_shipped, trip.side, trip.location),
    )  # fmt: skip
    if click == cancel:
        return trip
    ports.ship(g, trip.side, g.location(click))
    return trip._replace(location=g.location(click))


def why_not_there(g: G, decision: Decision, click: int, trip: Trip) -> Refusal | None:
    """Why a SP cannot be driven to a location, or shipped."""
    if click >= g.rules.first_button:
        return why_not_sail(g, trip) if g.rules.names[click] == "ship" else None
    if g.is_unit(click):
        return None
    label = g.rules.names[click]
    far = f"more than {trip.left + TRUCK * trucks_left(g, trip.side)} half MPs away, or closed by enemy units and ZOCs"
    return Refusal(f"The SP cannot be driven to {label}: {far}", "1.7", label)


def why_not_sail(g: G, trip: Trip) -> Refusal | None:
    """Why a SP cannot be shipped from where it is: the reason for the first other port (1.9a)."""
    here = ports.why_not_port(g, trip.side, trip.location)
    reasons = [
        ports.why_not_shipped(g, trip.side, trip.location, port)
        for port in harbours(trip.side)
        if port != trip.location
    ]
    return here or next(filter(None, reasons), None)
