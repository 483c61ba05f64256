"""Headquarters and Rommel (15): command range, the return of lost HQs, and Rommel. Emergency supply is part of supply."""

from __future__ import annotations

from khamsin.games.kasserine import supply
from khamsin.games.kasserine.battle import Battle
from khamsin.games.kasserine.ground import FIGURES
from khamsin.games.kasserine.units import (
    ALLIED,
    AXIS,
    BOARD,
    BRITISH,
    CARD,
    COMBAT,
    FORCE_SPAN,
    FORCES,
    FORMATION,
    FRENCH,
    HEXES,
    HQS,
    RED_BOX,
    ROMMEL,
    SIDE,
    G,
    name,
    on_map,
)
from khamsin.games.kasserine.zones import exerting
from khamsin.kernel.rules import Refusal

RANGE: int = FIGURES["command"]["range"]
ROMMEL_RANGE: int = FIGURES["rommel"]["range"]


COMMANDING = tuple((HQS[side], tuple(hq for hq in HQS[side] if not FRENCH[hq])) for side in (AXIS, ALLIED))
"""By side: the HQs that command its units, and those that command its British units (16.5.1)."""


def in_command(g: G, side: int, hex: int) -> bool:
    """Whether a hex is within command range of an HQ of a side that is on the map (15.0, 15.1.1, 15.1.2)."""
    near, where = BOARD.in_range(hex, RANGE), g.state.where
    return not near.isdisjoint([where[hq] for hq in HQS[side]])


def commands(g: G, unit: int) -> bool:
    """Whether an HQ that may put a unit on the map into Reserve has it in range; a French one may no British unit (15.1.1,
    15.2.1, 16.5.1)."""
    where = g.state.where
    near = BOARD.in_range(where[unit], RANGE)
    return not near.isdisjoint([where[hq] for hq in COMMANDING[SIDE[unit]][BRITISH[unit]]])


def comrades(hq: int) -> list[int]:
    """Return the other units of an HQ's Formation (15.3.2)."""
    return [unit for unit in FORCES[SIDE[hq]] if unit != hq and FORMATION[unit] == FORMATION[hq]]


def displace(g: G, side: int, hex: int) -> None:
    """Units of a side have entered a hex: Rommel, if an enemy there, moves to the nearest supplied friendly unit, or to
    the nearest; without any he leaves the map, and is never eliminated (15.5, 15.5.3)."""
    state = g.state
    if side != ALLIED or state.where[ROMMEL] != hex:
        return
    routes = supply.field(g, AXIS, french=False)
    held = {place for place in state.where[FORCE_SPAN[AXIS]] if 0 <= place < HEXES}
    refuge = min(held, key=lambda place: (not routes[place], BOARD.distance(hex, place), place), default=CARD[AXIS])
    state.where[ROMMEL] = refuge
    g.log("15.5.3", "{unit} escapes to {hex}", unit=ROMMEL, hex=refuge)


def why_not_led(g: G, unit: int) -> Refusal | None:
    """Return why a unit cannot react with Rommel: it needs a red box, no enemy ZOC and a declared attack near (15.5.1)."""
    state, here, cannot = g.state, g.state.where[unit], f"{name(unit)} cannot react with Rommel"
    if here != state.where[ROMMEL] or not on_map(g, unit) or not COMBAT[unit]:
        return Refusal(f"{cannot}: Rommel is not with it", "15.5.1", name(ROMMEL))
    if not RED_BOX[unit]:
        return Refusal(f"{cannot}: it has no red box", "15.5.1", name(unit))
    if enemies := [name(enemy) for enemy in exerting(g, ALLIED, here)]:
        return Refusal(f"{cannot}: {BOARD.name(here)} is in the ZOC of {enemies[0]}", "15.5.1", enemies[0])
    if all(BOARD.distance(here, hex) > ROMMEL_RANGE for hex in state.targets):
        return Refusal(f"{cannot}: no declared attack within {ROMMEL_RANGE} hexes", "15.5.1", BOARD.name(here))
    return None


def rommel_may_add(g: G, battle: Battle) -> bool:
    """Whether Rommel can help an attack: he is stacked with an attacker, a bonus is left, and none was used this turn
    (15.5.2)."""
    state = g.state
    return (
        battle.side == AXIS
        and state.bonus > 0
        and state.bonus_turn != state.turn
        and 0 <= state.where[ROMMEL] < HEXES
        and any(state.where[unit] == state.where[ROMMEL] for unit in battle.attackers)
    )


def use_bonus(g: G) -> None:
    """Use a bonus of Rommel in an attack, at most one per turn (15.5.2)."""
    g.state.bonus -= 1
    g.state.bonus_turn = g.state.turn
    g.log("15.5.2", "{unit} leads the attack; bonuses left: {left}", unit=ROMMEL, left=g.state.bonus)
