"""Fortifications (9.5): construction for a Resource Point, completion in the next Initial Phases."""

from __future__ import annotations

from functools import partial

from khamsin.games.na41 import supply
from khamsin.games.na41.ground import LAND
from khamsin.games.na41.units import (
    AROUND,
    BOARD,
    GROUNDWORKS,
    HEXES,
    OOS,
    PIECES,
    SIDES,
    SUPPLY,
    G,
    combat_units,
    hex_of,
)
from khamsin.games.na41.zones import NONE, zone
from khamsin.kernel.rules import Decision, Procedure, Refusal

COST: int = SUPPLY["resources"]["fortification"]
MOST: int = PIECES["markers"]["fortifications"]


def number(g: G, side: int) -> int:
    """Return the Fortifications of a side in play, finished or not (9.5.6)."""
    return sum([owner == side for markers in (g.state.fort, g.state.works) for owner in markers.values()])


def why_not_now(g: G, side: int) -> Refusal | None:
    """Return why a side can neither begin nor remove a Fortification now (9.5.3, 9.5.6, 9.5.7)."""
    return None if own(g, side) else why_not_begun(g, side)


def why_not_begun(g: G, side: int) -> Refusal | None:
    """Return why a side cannot begin a Fortification anywhere: no Resource Point, or all markers in play (9.5.3,
    9.5.6)."""
    if g.state.rp.get(SIDES[side], 0) < COST:
        return Refusal(f"A Fortification costs {COST} Resource Point: you have none", "9.5.3", "fortify")
    if number(g, side) >= MOST:
        return Refusal(f"All {MOST} Fortifications of your side are in play", "9.5.6", "fortify")
    return None


def own(g: G, side: int) -> list[int]:
    """Return the hexes with a Fortification of a side, finished or not."""
    return sorted([hex for markers in (g.state.fort, g.state.works) for hex, owner in markers.items() if owner == side])


def why_not_site(g: G, side: int, hex: int) -> Refusal | None:
    """Return why a side cannot build a Fortification in a hex (9.5.3, 9.5.6, 16.2)."""
    label, state, enemy = BOARD.name(hex), g.state, 1 - side
    if not LAND[hex]:
        return Refusal(f"No Fortification at {label}: it is sea", "9.5.3", label)
    if hex in state.fort or hex in state.works:
        return Refusal(f"{label} already has a Fortification", "9.5.6", label)
    if combat_units(g, enemy, hex):
        return Refusal(f"No Fortification at {label}: an enemy unit is there", "9.5.3", label)
    near = [at for at in (hex, *AROUND[hex]) if combat_units(g, side, at)]
    if not near:
        return Refusal(f"No Fortification at {label}: no friendly combat unit in or next to it", "9.5.3", label)
    if zone(g, enemy)[hex] != NONE and not combat_units(g, side, hex):
        return Refusal(f"No Fortification at {label}: in an enemy ZOC without a friendly combat unit", "9.5.6", label)
    if not any(is_supplied(g, unit) for at in near for unit in combat_units(g, side, at)):
        return Refusal(f"No Fortification at {label}: no supplied combat unit in or next to it", "9.5.3", label)
    return None


def is_supplied(g: G, unit: int) -> bool:
    """Whether a unit is in Full Supply, or in Port Supply: a port does not supply a unit that it left out in the last Supply
    Phase (16.2)."""
    found = supply.status(g, unit)
    return found == supply.FULL or (found == supply.PORT and not g.state.flags[unit] & OOS)


def begin(g: G, side: int) -> Procedure:
    """In its Movement Phase a side begins a Fortification for a Resource Point, or removes one of its own (9.5.3, 9.5.7)."""
    cancel, units = g.rules.button("cancel"), []
    if why_not_begun(g, side) is None:
        units = [hex for hex in g.state.where.stacks(side) if hex < HEXES]
    click = yield g.ask(
        side, "build.place", "Choose a hex to begin a Fortification in, or one of yours to remove", "9.5.3",
        locations=dict.fromkeys(own(g, side), "remove"), buttons=[cancel],
        maybe=[g.place0 + hex for hex in sorted({*units}.union(*[AROUND[at] for at in units]))],
        why_not=partial(why_not_chosen, side=side),
    )  # fmt: skip
    if click == cancel:
        return
    hex = g.location(click)
    if hex in own(g, side):
        remove(g, side, hex)
        return
    g.state.rp[SIDES[side]] -= COST
    g.state.works[hex] = side
    g.log("9.5.3", "{side} begins a Fortification at {hex}", side=side, hex=hex)


def why_not_chosen(g: G, decision: Decision, click: int, side: int) -> Refusal | None:
    """Return why a side neither begins nor removes a Fortification in a location (9.5.3, 9.5.6)."""
    hex = hex_of(g, click)
    if hex is None or side in (g.state.fort.get(hex), g.state.works.get(hex)):
        return None
    return why_not_begun(g, side) or why_not_site(g, side, hex)


def complete(g: G, side: int) -> None:
    """In the Initial Phase complete works in Existing Groundworks, the others on a roll of 1 to 3 (9.5.4, 9.5.5)."""
    for hex in sorted([hex for hex, owner in g.state.works.items() if owner == side]):
        ready = hex in GROUNDWORKS or g.table("completion").roll(g.dice, 0, 0, f"Fortification at {BOARD.name(hex)}")
        if ready:
            del g.state.works[hex]
            g.state.fort[hex] = side
        rule = "9.5.5" if hex in GROUNDWORKS else "9.5.4"
        text = "The Fortification at {hex} is completed" if ready else "The Fortification at {hex} is not completed yet"
        g.log(rule, text, hex=hex)


def remove(g: G, side: int, hex: int) -> None:
    """The owner removes a Fortification in its player turn (9.5.7)."""
    for markers in (g.state.fort, g.state.works):
        if markers.get(hex) == side:
            del markers[hex]
            g.log("9.5.7", "{side} removes the Fortification at {hex}", side=side, hex=hex)
