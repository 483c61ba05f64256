"""Ready and depleted ASUs (17.1.4), and the destruction of own Supply Points (17.2.3)."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.na41.units import (
    ASU,
    BOARD,
    DEPLETED,
    MSU,
    TRANSPORTED,
    TRUCK,
    G,
    good_order,
    name,
    others,
    remove_supply,
    stock,
    usable_supply,
)
from khamsin.kernel.rules import Decision, Procedure, Refusal


def loaded_trucks(g: G, side: int, location: int) -> list[int]:
    """Return the MSUs of a side in a location whose Supply Point may be used: neither moved in this phase nor under a
    transport marker (17.1.4, 21.1.5)."""
    state = g.state
    return [
        unit
        for unit in others(g, side, location)
        if TRUCK[unit] and state.flags[unit] & (MSU | TRANSPORTED) == MSU and not state.hexes[unit]
    ]


def why_not_ready(g: G, side: int, unit: int) -> Refusal | None:
    """Return why an ASU cannot be turned to its Ready side: depleted, in Good Order, and stacked with a Supply Point
    (17.1.4)."""
    who, location = name(unit), g.state.where[unit]
    if not ASU[unit] or not g.state.flags[unit] & DEPLETED:
        return Refusal(f"{who} is not a depleted ASU", "17.1.4", who)
    if not good_order(g, unit):
        return Refusal(f"{who} cannot be made ready: not in Good Order", "17.1.4", who)
    if usable_supply(g, side, location) <= 0 and not loaded_trucks(g, side, location):
        return Refusal(f"{who} cannot be made ready: no Supply Point in {BOARD.name(location)}", "17.1.4", who)
    return None


def make_ready(g: G, side: int, unit: int) -> None:
    """Spend a Supply Point and make an ASU ready (17.1.4)."""
    location = g.state.where[unit]
    if usable_supply(g, side, location) > 0:
        remove_supply(g, side, location)
    else:
        g.state.flags[loaded_trucks(g, side, location)[0]] &= ~MSU
    g.state.flags[unit] &= ~DEPLETED
    g.log("17.1.4", "{unit} is made ready with a Supply Point", unit=unit)


def why_not_flip(g: G, side: int, units: Sequence[int]) -> Refusal | None:
    """Return why an ASU cannot be made ready in the Movement Phase: alone, and not moved yet (17.1.4)."""
    unit = next((unit for unit in units if ASU[unit]), units[0])
    refusal = why_not_ready(g, side, unit)
    if refusal is None and (len(units) > 1 or g.state.hexes[unit]):
        reason = "select it alone" if len(units) > 1 else "it has moved"
        return Refusal(f"{name(unit)} cannot be made ready: {reason}", "17.1.4", name(unit))
    return refusal


def flip(g: G, side: int, units: Sequence[int]) -> Procedure:
    """An ASU that has not moved is made ready in the Movement Phase (17.1.4)."""
    make_ready(g, side, units[0])
    return
    yield


def why_not_destroy(g: G, side: int) -> Refusal | None:
    """Return why no Supply Point can be destroyed: there is none (17.2.3)."""
    return None if stock(g, side) else Refusal("You have no Supply Points to destroy", "17.2.3", "destroy")


def destroy(g: G, side: int) -> Procedure:
    """The owner destroys an own Supply Point (17.2.3)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side, "supply.destroy", "Choose where a Supply Point is destroyed", "17.2.3", buttons=[cancel],
        locations=list(stock(g, side)), why_not=_why_not_there,
    )  # fmt: skip
    if click != cancel:
        remove_supply(g, side, g.location(click))
        g.log("17.2.3", "A Supply Point in {hex} is destroyed", hex=g.location(click))


def _why_not_there(g: G, decision: Decision, click: int) -> Refusal | None:
    if not g.place0 <= click < g.rules.first_button:
        return None
    if g.location(click) in stock(g, decision.side):
        return None
    label = BOARD.name(g.location(click))
    return Refusal(f"No Supply Point of yours is in {label}", "17.2.3", label)
