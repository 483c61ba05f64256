"""The layers over the map of Afrika: supply, zones of control, control, objectives, and the threat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from khamsin.games.afrika import feeding, movement, supply
from khamsin.games.afrika.allowance import allowance
from khamsin.games.afrika.ground import OFF_MAP, OPEN_SIDES
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.stacking import LIMIT
from khamsin.games.afrika.units import (
    ALLIED,
    AXIS,
    BOARD,
    COUNTERS,
    DATA,
    FORCES,
    HEXES,
    IGNORE_ZONES,
    MECH,
    PHASE_FLAGS,
    STACKING,
    G,
    attack,
    on_map,
    out_of_supply,
    stock,
)
from khamsin.games.afrika.zones import zone
from khamsin.kernel.display import LayerOf, Objective
from khamsin.mechanics import showing, ways
from khamsin.mechanics.showing import Striker, SupplyState, Texts

TEXTS = Texts(DATA / "display.toml", BOARD, COUNTERS)


def objectives(g: G, viewer: int) -> Iterator[Objective]:
    """Yield the hexes that decide the scenario (4.1-5, 5.1-2)."""
    number = setting(g).number
    for row in TEXTS.table["objective"]:
        if number in row["scenarios"]:
            for place in row["places"]:
                hex = BOARD[place]
                yield Objective(
                    row.get("title") or TEXTS.called(hex), hex, showing.occupier(g, hex), row["text"], row["rule"]
                )


# Supply


def in_reach(g: G, side: int) -> set[int]:
    """Return the hexes where units of a side are in supply: by path in a short scenario, in the range of a dump in a
    campaign (1.6c, 4.0)."""
    if not g.state.campaign:
        return set(supply.supplied(g, side))
    return {hex for dump in stock(g, side) for hex in feeding.reached(g, side, dump) if hex < HEXES}


def beyond_supply(g: G, side: int) -> list[int]:
    """Return the units on the map that no dump and no path could supply now."""
    hexes = in_reach(g, side)
    needy = feeding.mouths(g, side) if g.state.campaign else FORCES[side]
    return [unit for unit in needy if on_map(g, unit) and g.state.where[unit] not in hexes]


def supply_state(g: G, side: int) -> SupplyState:
    """Return where units would be in supply, the dumps or sources, and the units beyond them (1.6c, 4.0)."""
    if g.state.campaign:
        hexes, rule = in_reach(g, side), "1.6c"
        sources = {dump: showing.counted(number, "SP") for dump, number in stock(g, side).items() if dump < HEXES}
    else:
        hexes, rule = in_reach(g, side) & {*g.state.where.stacks(side)}, "4.0"
        sources = dict.fromkeys(supply.sources(g, side), "source")
    cuts = TEXTS.cuts(g, beyond_supply(g, side), "out of supply now", rule)
    return SupplyState(sorted(hexes), [], cuts, sources)


# The threat

ENTRANCES = showing.entrances(OPEN_SIDES)
ROOM = np.array([LIMIT * len(near) for near in OPEN_SIDES])
"""The stacking points, in halves, around each hex (1.3)."""


def striking(g: G, side: int) -> list[int]:
    """Return for every hex the attack strength of the units that could become adjacent to it if the side's Movement
    Phase began now, the strongest up to the stacking limits (1.3, SCS 3.2)."""
    start = at_movement_start(g, side)
    known: dict[tuple[int, int, bool, bool], NDArray[np.bool_]] = {}
    strikers = []
    for unit in FORCES[side]:
        points = attack(start, unit)
        if points and on_map(start, unit):
            key = (start.state.where[unit], allowance(start, unit), MECH[unit], unit in IGNORE_ZONES)
            if key not in known:
                known[key] = showing.attackable(ways.reach(movement.way(start, side, [unit])).reached, ENTRANCES)
            share = points / 4 if out_of_supply(start, unit) else points
            strikers.append(Striker(int(share), STACKING[unit], known[key]))
    found = showing.striking(strikers, ROOM)
    outside = OFF_MAP[setting(g).maps]
    return [0 if hex in outside else points for hex, points in enumerate(found)]


def at_movement_start(g: G, side: int) -> G:
    """Return a copy of the game in which a side is about to move."""
    state = g.state.copy()
    for unit in FORCES[side]:
        state.flags[unit] &= ~PHASE_FLAGS
        state.spent[unit] = 0
    return g.with_state(state)


LAYERS: Mapping[str, LayerOf] = {
    "supply": LayerOf("Supply", "1.6c", showing.supply(supply_state), showing.SUPPLY_LEGEND),
    "axis zones": LayerOf("Axis ZOCs", "SCS 5.1", showing.zones(zone, AXIS)),
    "allied zones": LayerOf("Allied ZOCs", "SCS 5.1", showing.zones(zone, ALLIED)),
    "control": LayerOf("Control", "1.9e", showing.control(TEXTS, zone, "1.9e"), {"border": "ZOCs of both sides"}),
    "objectives": LayerOf("Objectives", "4.0", showing.objectives(objectives, TEXTS.held_by(showing.occupier))),
    "threat": LayerOf("Enemy threat", "SCS 3.2", showing.threat(TEXTS, striking)),
}
