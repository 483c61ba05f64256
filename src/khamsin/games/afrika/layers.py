"""What can be drawn over the map of Afrika: supply, zones of control, control, objectives, and the threat."""

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
    MECH,
    PHASE_FLAGS,
    STACKING,
    G,
    attack,
    forces_in,
    on_map,
    out_of_supply,
    stock,
)
from khamsin.games.afrika.zones import zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.display import Layer, LayerOf, Note, Objective, Spot
from khamsin.mechanics import showing, ways
from khamsin.mechanics.showing import Cut, Striker, SupplyState, Texts

TEXTS = Texts(DATA / "display.toml", BOARD, COUNTERS)


def holder(g: G, hex: int) -> int:
    """Who occupies a hex, or else controls it."""
    occupied = next((side for side in (AXIS, ALLIED) if forces_in(g, side, hex)), NOWHERE)
    return occupied if occupied != NOWHERE else g.state.control.get(hex, NOWHERE)


def held_by(g: G, hex: int) -> str:
    """Who holds a hex, in words."""
    return f"{TEXTS.called(hex)} is held by {TEXTS.the(holder(g, hex))}"


def objectives(g: G, viewer: int) -> Iterator[Objective]:
    """The hexes that decide the scenario (4.1-5, 5.1-2)."""
    number = setting(g).number
    for row in TEXTS.table["objective"]:
        if number in row["scenarios"]:
            for place in row["places"]:
                hex = BOARD[place]
                yield Objective(row.get("title") or TEXTS.called(hex), hex, holder(g, hex), row["text"], row["rule"])


# Supply


def in_reach(g: G, side: int) -> set[int]:
    """The hexes where units of a side are in supply: by path in a short scenario, in the range of a dump in a campaign (1.6c,
    4.0)."""
    if not g.state.campaign:
        return set(supply.supplied(g, side))
    return {hex for dump in stock(g, side) for hex in feeding.reached(g, side, dump) if hex < HEXES}


def beyond_supply(g: G, side: int) -> list[int]:
    """The units on the map that no dump and no path could supply as things stand."""
    hexes = in_reach(g, side)
    needy = feeding.mouths(g, side) if g.state.campaign else FORCES[side]
    return [unit for unit in needy if on_map(g, unit) and g.state.where[unit] not in hexes]


def supply_state(g: G, side: int) -> SupplyState:
    """Where units would be in supply, the dumps or sources, and who is beyond them (1.6c, 4.0)."""
    if g.state.campaign:
        hexes, rule = in_reach(g, side), "1.6c"
        sources = {dump: showing.counted(number, "SP") for dump, number in stock(g, side).items() if dump < HEXES}
    else:
        hexes, rule = in_reach(g, side) & {*g.state.where.stacks(side)}, "4.0"
        sources = dict.fromkeys(supply.sources(g, side), "source")
    cut: dict[int, list[int]] = {}
    for unit in beyond_supply(g, side):
        cut.setdefault(g.state.where[unit], []).append(unit)
    cuts = [
        Cut(hex, f"{TEXTS.listed(units)} in {TEXTS.called(hex)}: out of supply as things stand", rule)
        for hex, units in sorted(cut.items())
    ]
    return SupplyState(sorted(hexes), [], cuts, sources)


# Control


def control(g: G, viewer: int) -> Layer:
    """Who controls ports and objectives, and the hexes that a side's units hold or reach with their ZOCs alone (1.9e, SCS 5.1).
    Hexes in ZOCs of both sides are contested."""
    spots: dict[int, Spot] = {}
    zones = [zone(g, side) for side in (AXIS, ALLIED)]
    for hex in range(HEXES):
        sides = [side for side in (AXIS, ALLIED) if zones[side][hex] or forces_in(g, side, hex)]
        if len(sides) == 2:
            spots[hex] = Spot(hex, "border")
        elif sides:
            spots[hex] = Spot(hex, showing.tone(sides[0], viewer))
    held = {hex: side for hex, side in g.state.control.items() if hex < HEXES}
    spots |= showing.holders(TEXTS, held, viewer)
    return Layer(tuple(spots.values()), (), tuple([Note(held_by(g, hex), "1.9e", hex) for hex in sorted(held)]))


# The threat

ENTRANCES = showing.entrances(OPEN_SIDES)
ROOM = np.array([LIMIT * len(near) for near in OPEN_SIDES])
"""The stacking points, in halves, that find room around each hex (1.3)."""


def striking(g: G, side: int) -> list[int]:
    """For every hex the attack strength of the units that could come next to it as if the side's Movement Phase began now, as
    many of the strongest as find room there (1.3, SCS 3.2)."""
    start = at_movement_start(g, side)
    known: dict[tuple[int, int, bool], NDArray[np.bool_]] = {}
    strikers = []
    for unit in FORCES[side]:
        points = attack(start, unit)
        if points and on_map(start, unit):
            key = (start.state.where[unit], allowance(start, unit), MECH[unit])
            if key not in known:
                known[key] = showing.attackable(ways.reach(movement.way(start, side, [unit])).reached, ENTRANCES)
            share = points / 4 if out_of_supply(start, unit) else points
            strikers.append(Striker(int(share), STACKING[unit], known[key]))
    found = showing.striking(strikers, ROOM)
    outside = OFF_MAP[setting(g).maps]
    return [0 if hex in outside else points for hex, points in enumerate(found)]


def at_movement_start(g: G, side: int) -> G:
    """A copy of the game in which a side is about to move."""
    state = g.state.copy()
    for unit in FORCES[side]:
        state.flags[unit] &= ~PHASE_FLAGS
        state.spent[unit] = 0
    return g.with_state(state)


LAYERS: Mapping[str, LayerOf] = {
    "supply": LayerOf("Supply", "1.6c", showing.supply(supply_state), showing.SUPPLY_LEGEND),
    "axis zones": LayerOf("Axis ZOCs", "SCS 5.1", showing.zones(zone, AXIS)),
    "allied zones": LayerOf("Allied ZOCs", "SCS 5.1", showing.zones(zone, ALLIED)),
    "control": LayerOf("Control", "1.9e", control, {"border": "ZOCs of both sides"}),
    "objectives": LayerOf("Objectives", "4.0", showing.objectives(objectives, held_by)),
    "threat": LayerOf("Enemy threat", "SCS 3.2", showing.threat(TEXTS, striking)),
}
