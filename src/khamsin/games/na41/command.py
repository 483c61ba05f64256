"""Units that may attack, and together with which others (8.1, 8.2, 8.4, 9.6, 19.5)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from khamsin.games.na41.ground import LAND, by_road, escarpment
from khamsin.games.na41.sheet import LIMITS
from khamsin.games.na41.units import (
    ALLIED,
    AROUND,
    AXIS,
    BOARD,
    COMBAT,
    EXTENDED,
    INFANTRY,
    NATION,
    REPLACED,
    SIDE,
    TANK,
    TRANSPORTED,
    VEHICLE,
    G,
    attack,
    good_order,
    mechanized,
    name,
    names,
    on_map,
    pieces_in,
    rating,
)
from khamsin.kernel.rules import Refusal
from khamsin.mechanics.combats import FOUGHT

ATTACKED = FOUGHT
"""The value of `battle` for a unit that has attacked or advanced in this Combat Phase."""
NOBODY = -1
COMANDO = "Comando Supremo"
"""The asset that lets Germans and Italians attack together (8.4.1)."""
BUTTON = "comando"
"""The button that uses it."""


def why_not_able(g: G, unit: int) -> Refusal | None:
    """Return why a unit cannot attack anything now: not a combat unit on the map, out of order, under a marker, in
    Extended Movement, or marked for an Automatic DS (2.3.2, 5.9.1, 8.9.1, 13.2.1, 19.5)."""
    who, flags = name(unit), g.state.flags[unit]
    if not COMBAT[unit] or not on_map(g, unit):
        return Refusal(f"{who} cannot attack: it is not a combat unit on the map", "8.1", who)
    if not good_order(g, unit):
        return Refusal(f"{who} cannot attack: it is not in Good Order", "13.2.1", who)
    if g.state.auto[unit]:
        return Refusal(f"{who} cannot attack: it took part in an Automatic DS", "8.9.1", who)
    if flags & EXTENDED:
        return Refusal(f"{who} cannot attack: it used Extended Movement", "2.3.2", who)
    if flags & TRANSPORTED:
        return Refusal(f"{who} cannot attack: it is under a transport marker", "21.1.5", who)
    here = g.state.where[unit]
    marked = [other for other in pieces_in(g, SIDE[unit], here) if COMBAT[other] and g.state.flags[other] & REPLACED]
    if marked:
        return Refusal(f"{who} cannot attack: {name(marked[0])} has a Replacement marker", "19.5", name(marked[0]))
    return None


def why_not_across(g: G, unit: int, hex: int, start: int | None = None) -> Refusal | None:
    """Why a unit cannot attack a hex from its own or another one: not adjacent, sea, or an escarpment without a road, which
    only infantry-type units attack across (8.1, 9.6)."""
    who, label = name(unit), BOARD.name(hex)
    here = g.state.where[unit] if start is None else start
    if hex not in AROUND[here]:
        return Refusal(f"{who} cannot attack {label}: not adjacent", "8.1", label)
    if not LAND[hex]:
        return Refusal(f"{who} cannot attack {label}: it is sea", "8.1", label)
    if (
        escarpment(here, hex)
        and not by_road(here, hex)
        and (VEHICLE[unit] or (mechanized(g, unit) and not INFANTRY[unit]))
    ):
        return Refusal(f"{who} cannot attack {label}: an escarpment without a road is between", "9.6", label)
    return None


def why_not_together(g: G, side: int, units: Sequence[int]) -> Refusal | None:
    """Return why units cannot take part in one attack: Germans and Italians without Comando Supremo; for the Allies
    more than two nations or three tank units (2.3.4, 8.4.1, 8.4.2)."""
    nations = sorted({NATION[unit] for unit in units})
    if side == AXIS:
        if len(nations) > 1 and not g.state.comando:
            text = "Germans and Italians attack together only with Comando Supremo"
            return Refusal(f"{names(units)} cannot attack together: {text}", "8.4.1", name(units[0]))
        return None
    if len(nations) > LIMITS["allied_nations"]:
        return Refusal(
            f"An attack may have {LIMITS['allied_nations']} nationalities, not {len(nations)}", "8.4.2", name(units[0])
        )
    tanks = [unit for unit in units if TANK[unit]]
    if len(tanks) > LIMITS["allied_tanks"]:
        return Refusal(
            f"An attack may have {LIMITS['allied_tanks']} tank units, not {len(tanks)}", "8.4.2", name(tanks[0])
        )
    return None


def choices(g: G, side: int, units: Sequence[int]) -> list[list[int]]:
    """Return the largest choices of units that may attack together, without those that have no Attack Strength: by
    nation, and of too many tanks the strongest, or the best rated with the strongest others (8.4.1, 8.4.2)."""
    units = [unit for unit in units if attack(g, unit)] or list(units)
    if why_not_together(g, side, units) is None:
        return [units]
    number = LIMITS["allied_nations"] if side == ALLIED else 1
    most = LIMITS["allied_tanks"] if side == ALLIED else len(units)
    nations, found = sorted({NATION[unit] for unit in units}), []
    for chosen in combinations(nations, min(number, len(nations))):
        of_them = [unit for unit in units if NATION[unit] in chosen]
        tanks = sorted([unit for unit in of_them if TANK[unit]], key=lambda unit: -attack(g, unit))
        best = max(tanks, key=lambda unit: rating(g, unit), default=NOBODY)
        for kept in (tanks[:most], [best, *[unit for unit in tanks if unit != best][: most - 1]]):
            found.append([unit for unit in of_them if not TANK[unit] or unit in kept])
    return found


def strongest(g: G, side: int, units: Sequence[int]) -> list[int]:
    """Return the strongest of units that may attack together (8.4.1, 8.4.2)."""
    return max(choices(g, side, units), key=lambda chosen: sum(attack(g, unit) for unit in chosen))


def why_no_comando(g: G, side: int) -> Refusal | None:
    """Return why Comando Supremo cannot be used now (8.4.1)."""
    if side != AXIS:
        return Refusal("Comando Supremo is an Axis marker", "8.4.1", BUTTON)
    if g.state.comando:
        return Refusal("Comando Supremo is already in effect", "8.4.1", BUTTON)
    if not g.state.assets.get(COMANDO):
        return Refusal("The Comando Supremo marker is not available", "8.4.1", BUTTON)
    return None


def use_comando(g: G) -> None:
    """Germans and Italians may attack together for the rest of this Axis player turn (8.4.1)."""
    g.state.assets.pop(COMANDO)
    g.state.comando = 1
    g.log("8.4.1", "Comando Supremo is in effect")
