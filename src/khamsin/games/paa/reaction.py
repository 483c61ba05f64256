"""Reaction movement (15.1), an optional rule: units of the defender move to an attacked hex."""

from __future__ import annotations

from collections.abc import Collection, Generator

from khamsin.games.paa.control import pass_through
from khamsin.games.paa.ground import NODE_HEX, NODES, SUPPLY_NET, node_mask
from khamsin.games.paa.losses import FIGURES, ITALIAN_INFANTRY
from khamsin.games.paa.stacking import limit, room
from khamsin.games.paa.supply import why_not_supplied
from khamsin.games.paa.units import (
    ALL,
    ARMOURED,
    BOARD,
    DISMOUNTED,
    HEXES,
    ITALIAN,
    OOC,
    OOS,
    REACTED,
    REGULAR,
    REGULARS,
    SIDE,
    SIDES,
    G,
    name,
)
from khamsin.games.paa.zones import zone
from khamsin.kernel.flood import CLOSED, Reach
from khamsin.kernel.rules import Decision, Refusal
from khamsin.mechanics.refusals import for_locations, for_units

FAST: int = FIGURES["reaction"]["armoured"]
SLOW: int = FIGURES["reaction"]["other"]
SUCCESS: tuple[int, ...] = tuple(FIGURES["reaction"][side.lower()] for side in SIDES)
"""The least roll with which a unit of each side arrives (15.1)."""
RANGE = [0 if ITALIAN_INFANTRY[u] else FAST if ARMOURED[u] and not ITALIAN[u] else SLOW for u in range(len(SIDE))]
"""The MF a unit may spend on a reaction (15.1)."""


def react(g: G, side: int, targets: Collection[int]) -> Generator[Decision, int, int]:
    """Units of the defending side may try to join the attacked hexes, each once, with a roll. Return how many came
    (15.1)."""
    done = g.rules.button("done")
    tried: set[int] = set()
    came = 0
    while ways := reactions(g, side, targets, tried):
        click = yield g.ask(
            side, "reaction.stack", "Choose a unit to react to the attack", "15.1", units=ways, buttons=[done],
            at=sorted(targets), why_not=for_units(why_not_sent, side, tuple(targets), tuple(tried)),
        )  # fmt: skip
        if click == done:
            break
        unit = click
        hexes = ways[unit]
        hex = next(iter(hexes))
        if len(hexes) > 1:
            click = yield g.ask(
                side, "reaction.to", f"Choose the hex that {name(unit)} moves to", "15.1", locations=hexes, about=[unit],
                why_not=for_locations(_why_not_hex, side, tuple(targets), unit),
            )  # fmt: skip
            hex = g.location(click)
        tried.add(unit)
        came += attempt(g, side, unit, hex, hexes[hex])
    return came


def why_not_sent(g: G, side: int, targets: Collection[int], tried: Collection[int], unit: int) -> Refusal | None:
    """Return why a unit cannot react to a combat: its own reason, else that of the first attacked hex (15.1)."""
    refusal = why_not_reacting(g, side, unit, targets, tried)
    return refusal or next(filter(None, (why_not_reacting_to(g, side, unit, hex) for hex in targets)), None)


def _why_not_hex(g: G, side: int, targets: Collection[int], unit: int, hex: int) -> Refusal | None:
    if hex not in targets:
        return Refusal(f"{BOARD.name(hex)} is not attacked in this combat", "15.1", BOARD.name(hex))
    return why_not_reacting_to(g, side, unit, hex)


def attempt(g: G, side: int, unit: int, hex: int, path: list[int]) -> bool:
    """One unit rolls, Axis 2 or more, Allied 3 or more, and arrives or stays; only arriving uses up its reaction (15.1)."""
    state = g.state
    if g.dice.roll("reaction", "15.1") < SUCCESS[side]:
        g.log("15.1", "{unit} does not reach {hex} in time", unit=unit, hex=hex)
        return False
    g.log("15.1", "{unit} moves from {hex_from} to {hex}", unit=unit, hex_from=state.where[unit], hex=hex)
    state.where[unit] = hex
    state.via[unit] = 0
    state.flags[unit] |= REACTED
    pass_through(g, side, path)
    return True


def reactions(g: G, side: int, targets: Collection[int], tried: Collection[int]) -> dict[int, dict[int, list[int]]]:
    """Return the units that may react and have not tried, the attacked hexes within reach of each, and the path there
    (15.1)."""
    ways: dict[int, dict[int, list[int]]] = {}
    reach = {hex: _reach(g, side, hex) for hex in targets if room(g, side, hex) > 0}
    where = g.state.where
    for unit in REGULARS[side] if reach else ():
        near = [hex for hex, found in reach.items() if where[unit] in found]
        if not near or why_not_reacting(g, side, unit, targets, tried) is not None:
            continue
        hexes = {
            hex: [NODE_HEX[n] for n in reach[hex].path(where[unit])]
            for hex in near
            if why_not_reacting_to(g, side, unit, hex) is None
        }
        if hexes:
            ways[unit] = hexes
    return ways


def why_not_reacting(g: G, side: int, unit: int, targets: Collection[int], tried: Collection[int]) -> Refusal | None:
    """A unit reacts if it is supplied, in command, in no enemy ZOC, not attacked itself, and has neither reacted in this phase
    nor tried in this combat; Italian infantry never does (15.1)."""
    state, who = g.state, name(unit)
    here, flags = state.where[unit], state.flags[unit]
    reason, rule = "", "15.1"
    if SIDE[unit] != side or not REGULAR[unit]:
        reason = "only regular units of the defender react"
    elif not 0 <= here < HEXES:
        reason = "not on the map"
    elif not RANGE[unit]:
        reason = "Italian infantry does not react"
    elif here in targets or here in state.targets or state.battle[unit]:
        reason = "it is or was attacked itself"
    elif flags & DISMOUNTED:
        reason, rule = "dismounted", "13.6"
    elif flags & OOS:
        reason = "out of supply"
    elif flags & OOC:
        reason = "out of command"
    elif flags & REACTED:
        reason = "it has already reacted in this phase"
    elif unit in tried:
        reason = "it has already tried to reach this combat"
    elif zone(g, 1 - side)[here]:
        reason = f"in an enemy ZOC in {BOARD.name(here)}"
    return Refusal(f"{who} cannot react: {reason}", rule, who) if reason else None


def why_not_reacting_to(g: G, side: int, unit: int, hex: int) -> Refusal | None:
    """An attacked hex must have room and be within the unit's MF, clear of enemy ZOCs on the way, and no unit may lose supply
    (4, 8.4.1, 8.4.2, 15.1)."""
    who, label = name(unit), BOARD.name(hex)
    if room(g, side, hex) <= 0:
        return Refusal(f"{who} cannot react to {label}: {limit(hex)} units are there", "4", label)
    here, found = g.state.where[unit], _reach(g, side, hex)
    if here not in found or found.cost(here) > RANGE[unit]:
        return Refusal(f"{who} cannot react to {label}: not within {RANGE[unit]} MF outside enemy ZOCs", "15.1", label)
    return why_not_supplied(g, side, [unit], hex)


def _reach(g: G, side: int, hex: int) -> Reach:
    """Return how far every hex is from an attacked one, without an enemy ZOC or piece on the path (11.1.4, 15.1)."""
    where = g.state.where
    mask = bytearray(zone(g, 1 - side))
    for unit in ALL[1 - side]:
        if 0 <= where[unit] < HEXES:
            mask[where[unit]] = CLOSED
    return SUPPLY_NET.flood(NODES[hex], FAST, node_mask(mask))
