"""Ports and coastal shipping (1.9): the holders of ports, their capacity this turn, and the shipping of each side."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from khamsin.games.afrika.units import AXIS, BOARD, PORTS, SIDES, G
from khamsin.kernel.rules import Refusal
from khamsin.mechanics.showing import counted

LIMITED = tuple([hex for hex, area in PORTS.items() if not area.data["unlimited"]])
"""The ports with a capacity; Tripoli and Alexandria have no limit (1.9d)."""


def owned(g: G, side: int) -> list[int]:
    """Return the ports with a capacity that a side controls."""
    return [hex for hex in LIMITED if g.state.control.get(hex) == side]


def roll(g: G, side: int) -> None:
    """The side rolls for each of its ports, and the Axis for its shipping; the Allies have as much as the capacity of
    their ports. Nothing is saved (1.1, 1.9b, 1.9c, 1.9d)."""
    for hex in owned(g, side):
        roll_port(g, hex)
    if side == AXIS:
        number = int(g.table("shipping").roll(g.dice, 0, 0, "coastal shipping"))
    else:
        number = sum([g.state.capacity.get(hex, 0) for hex in owned(g, side)])
    g.state.shipping[SIDES[side]] = number
    points = counted(number, "point")
    g.log("1.9c" if side else "1.9b", "{side} has {points} of coastal shipping", side=side, points=points)


def roll_port(g: G, hex: int) -> None:
    """One die gives the capacity of a port for the turn, less the damage it has taken; none on the turn of capture, in which
    the damage ends too (1.9d, 1.9e, 1.9f)."""
    state = g.state
    damaged = state.damage.pop(hex, 0)
    if state.taken.get(hex) == state.turn:
        state.capacity[hex] = 0
        return
    face = g.dice.roll(f"capacity of {BOARD.place_in(hex)}", "1.9d")
    capacity = max(0, PORTS[hex].data["capacity"][face - 1] - damaged)
    state.capacity[hex] = capacity
    g.log("1.9d", "{hex} has a capacity of {capacity}", hex=hex, capacity=capacity)


def why_not_shipped(g: G, side: int, start: int, end: int) -> Refusal | None:
    """Return why nothing can be shipped from one port to another: both must be ports of the side, not captured this
    turn, with shipping left and room in the port of arrival; enemy ZOCs do not matter (1.9a, 1.9d, 1.9e, SCS 5.8)."""
    state = g.state
    for hex in (start, end):
        refusal = why_not_port(g, side, hex)
        if refusal is not None:
            return refusal
    label = BOARD.name(end)
    if start == end:
        return Refusal(f"Nothing can be shipped from {label} to itself", "1.9a", label)
    if not state.shipping.get(SIDES[side], 0):
        return Refusal(
            f"Nothing can be shipped to {label}: no coastal shipping left", "1.9a", f"{SIDES[side]} Coastal Shipping"
        )
    if end in LIMITED and not state.capacity.get(end, 0):
        return Refusal(f"Nothing can be shipped to {label}: no port capacity left", "1.9d", label)
    return None


def why_not_from(
    g: G, side: int, start: int, ends: Iterable[int], why_not: Callable[[int], Refusal | None]
) -> Refusal | None:
    """Return why nothing can be shipped from a port to any other: the reason at the first port that the side can use
    (1.9a, 1.9d, 1.9e)."""
    refusal = why_not_port(g, side, start)
    if refusal is not None:
        return refusal
    others = [end for end in ends if end != start and why_not_port(g, side, end) is None]
    if not others:
        label = BOARD.name(start)
        return Refusal(f"Nothing can be shipped from {label}: you have no other port to use", "1.9d", label)
    reasons = [why_not(end) for end in others]
    return reasons[0] if all(reasons) else None


def why_not_port(g: G, side: int, location: int) -> Refusal | None:
    """Return why a location is not a port that a side can use (1.9a, 1.9d, 1.9e, 1.13)."""
    label = BOARD.name(location)
    box = next((box for box in BOARD.boxes if box.location == location), None)
    if box is not None and box.data.get("port"):
        return None if side == AXIS else Refusal(f"{label} is not a port of yours", "1.13", label)
    if location not in PORTS:
        return Refusal(f"{label} is not a port", "1.9d", label)
    if g.state.control.get(location) != side:
        return Refusal(f"{label} is not a port of yours", "1.9e", label)
    if g.state.taken.get(location) == g.state.turn:
        return Refusal(f"{label} cannot be used on the turn of its capture", "1.9e", label)
    return None


def ship(g: G, side: int, end: int) -> None:
    """Ship an SP or a unit of any size for a point of shipping and a point of capacity of the port of arrival (1.9a,
    1.9d)."""
    g.state.shipping[SIDES[side]] -= 1
    if end in LIMITED:
        g.state.capacity[end] -= 1


def damage(g: G, hex: int, number: int) -> None:
    """A port is degraded on its owner's next turn (1.9f, SCS 7.7)."""
    if number:
        g.state.damage[hex] = g.state.damage.get(hex, 0) + number
        g.log("1.9f", "{hex} is degraded by {number}", hex=hex, number=number)


def why_not_damaged(g: G, side: int, hex: int) -> Refusal | None:
    """Only an enemy port with a capacity can be damaged; Tripoli and Alexandria cannot (1.9f, SCS 7.7)."""
    label = BOARD.name(hex)
    if hex not in LIMITED:
        return Refusal(f"{label} cannot be damaged: not a port with a capacity", "1.9f", label)
    if g.state.control.get(hex) == side:
        return Refusal(f"{label} cannot be damaged: it is your port", "1.9f", label)
    return None
