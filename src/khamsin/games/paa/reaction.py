"""Reaction movement (15.1), an optional rule: units of the defender hurry to a hex that is about to be fought over."""

from __future__ import annotations

from collections.abc import Collection, Generator

from khamsin.games.paa.control import pass_through
from khamsin.games.paa.ground import NODE_HEX, NODES, SUPPLY_NET, node_mask
from khamsin.games.paa.losses import FIGURES, ITALIAN_INFANTRY
from khamsin.games.paa.stacking import room
from khamsin.games.paa.supply import keeps_supply
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
    REGULARS,
    SIDE,
    SIDES,
    G,
)
from khamsin.games.paa.zones import zone
from khamsin.kernel.flood import CLOSED, Reach
from khamsin.kernel.rules import Decision

FAST: int = FIGURES["reaction"]["armoured"]
SLOW: int = FIGURES["reaction"]["other"]
SUCCESS: tuple[int, ...] = tuple(FIGURES["reaction"][side.lower()] for side in SIDES)
"""The least roll with which a unit of each side arrives (15.1)."""
RANGE = [0 if ITALIAN_INFANTRY[u] else FAST if ARMOURED[u] and not ITALIAN[u] else SLOW for u in range(len(SIDE))]
"""The MF a unit may spend on a reaction (15.1)."""


def react(g: G, side: int, targets: Collection[int]) -> Generator[Decision, int, int]:
    """Units of the defending side try to join the attacked hexes, each once, with a roll; how many came (15.1)."""
    done = g.rules.button("done")
    tried: set[int] = set()
    came = 0
    while ways := reactions(g, side, targets, tried):
        click = yield g.ask(
            side, "reaction.stack", "Send a unit to the attacked hex, or go on", "15.1", units=ways, buttons=[done]
        )
        if click == done:
            break
        unit = click
        hexes = ways[unit]
        hex = next(iter(hexes))
        if len(hexes) > 1:
            hex = g.location((yield g.ask(side, "reaction.to", "To which hex?", "15.1", locations=hexes, about=[unit])))
        tried.add(unit)
        came += attempt(g, side, unit, hex, hexes[hex])
    return came


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
    """The units that may react and have not tried, the attacked hexes within reach of each, and the way there (15.1)."""
    reach = {hex: _reach(g, side, hex) for hex in targets if room(g, side, hex) > 0}
    if not reach:
        return {}
    zoned = zone(g, 1 - side)
    where = g.state.where
    ways: dict[int, dict[int, list[int]]] = {}
    for unit in REGULARS[side]:
        here = where[unit]
        if not 0 <= here < HEXES or zoned[here] or here in targets or unit in tried or not may_react(g, unit):
            continue
        hexes = {
            hex: [NODE_HEX[n] for n in found.path(here)]
            for hex, found in reach.items()
            if here in found and found.cost(here) <= RANGE[unit] and keeps_supply(g, side, unit, hex)
        }
        if hexes:
            ways[unit] = hexes
    return ways


def may_react(g: G, unit: int) -> bool:
    """Whether a unit is supplied, in command, has not reacted yet and is not attacked itself (15.1)."""
    state = g.state
    return (
        RANGE[unit] > 0
        and not state.flags[unit] & (OOS | OOC | DISMOUNTED | REACTED)
        and not state.battle[unit]
        and BOARD.name(state.where[unit]) not in state.targets
    )


def _reach(g: G, side: int, hex: int) -> Reach:
    """How far every hex is from an attacked one, no enemy zone or piece between (11.1.4, 15.1)."""
    where = g.state.where
    mask = bytearray(zone(g, 1 - side))
    for unit in ALL[1 - side]:
        if 0 <= where[unit] < HEXES:
            mask[where[unit]] = CLOSED
    return SUPPLY_NET.flood(NODES[hex], FAST, node_mask(mask))
