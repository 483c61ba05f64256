"""The layers over the map of PanzerArmee Afrika: supply lines, zones of control, control, objectives, and the threat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from khamsin.games.paa import combat, malta, movement, supply
from khamsin.games.paa import victory as reckoning
from khamsin.games.paa.control import HELD
from khamsin.games.paa.ground import NODE_HEX, NODES, OPEN_SIDES, SUPPLY, SUPPLY_NET
from khamsin.games.paa.stacking import LIMITS
from khamsin.games.paa.supply import BOUND
from khamsin.games.paa.units import (
    ALL,
    ALLIED,
    AXIS,
    BASE,
    BOARD,
    CENTRE,
    COUNTERS,
    DATA,
    DEPOT,
    DEPOTS,
    HEXES,
    LIBYA,
    MF,
    MOVED,
    OOC,
    REGULAR,
    REGULARS,
    SHIPPED,
    SIDES,
    STOPPED,
    G,
    cf,
    name,
    on_map,
)
from khamsin.games.paa.zones import FORT_ZONE, zone, zone_causes
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.display import Layer, LayerOf, Note, Objective, Spot
from khamsin.kernel.flood import OPEN, Reach
from khamsin.mechanics import showing
from khamsin.mechanics.showing import Cut, Striker, SupplyState, Texts

TEXTS = Texts(DATA / "display.toml", BOARD, COUNTERS)
OBJECTIVES = tuple(
    (BOARD[row["hex"]], row["text"].format(tobruk=reckoning.HOLD_TOBRUK), row["rule"])
    for row in TEXTS.table["objective"]
)


def holder(g: G, hex: int) -> int:
    """Return the side that controls a hex, NOWHERE if it is not known (5)."""
    return g.state.control.get(hex, NOWHERE)


def held_by(g: G, hex: int) -> str:
    """Return the holder of a place in words (5)."""
    return f"{TEXTS.titles[hex]} is held by {TEXTS.the(holder(g, hex))}"


def objectives(g: G, side: int) -> Iterator[Objective]:
    """Return the four places whose holder matters (5, 14, 14.1)."""
    for hex, text, rule in OBJECTIVES:
        yield Objective(TEXTS.titles[hex], hex, holder(g, hex), text, rule)


class _Net:
    """The supply lines of a side, hex by hex."""

    def __init__(self, g: G, side: int) -> None:
        self.g = g
        self.side = side
        self.now = supply.lines(g, side)
        self.situation = self.now.situation
        self.mask = self.now.mask
        where = g.state.where
        self.names = {where[u]: name(u) for u in DEPOTS[side] if on_map(g, u)}
        situation = self.situation
        self.feeds = situation.always | self.now.relays
        """The hexes from which units can be supplied (8.2)."""

    def state(self) -> SupplyState:
        """Return the supply of the side."""
        supplied = (hex for hex in range(HEXES) if self.now.supplied[hex] and BOARD.enterable(hex))
        return SupplyState(supplied, [*self.chains(), *self.unit_lines()], self.cuts())

    def chains(self) -> Iterator[tuple[tuple[int, ...], str]]:
        """Yield for every installation joined to a terminal the segment that joins it, the nearest first (8.2)."""
        situation = self.situation
        sources = self.nodes(situation.terminals)
        waiting = sorted(situation.relays - situation.terminals)
        while sources and waiting:
            reach = SUPPLY_NET.flood(sources, SUPPLY, self.mask)
            fresh = [hex for hex in waiting if hex in reach]
            for hex in fresh:
                way = _hexes(reach, hex)
                yield way, f"{self.names[hex]}: {reach.cost(hex)} MF to {self.place(way[-1])}"
            waiting = [hex for hex in waiting if hex not in fresh]
            sources = self.nodes(fresh)

    def unit_lines(self) -> Iterator[tuple[tuple[int, ...], str]]:
        """Yield for every hex with units in supply the line to the nearest installation (8.1)."""
        at_hand = self.now.relays | self.situation.sources
        reach = SUPPLY_NET.flood(self.nodes(self.feeds), SUPPLY, self.mask)
        for hex, units in self.stacks().items():
            if self.now.reach(hex) and hex not in at_hand:
                way = _hexes(reach, hex)
                yield way, f"{TEXTS.listed(units)}: {reach.cost(hex)} MF to {self.place(way[-1])}"

    def cuts(self) -> Iterator[Cut]:
        """Yield units and installations without a line, and what blocks it (8.2, 8.4)."""
        lost = {hex: TEXTS.listed(units) for hex, units in self.stacks().items() if not self.now.reach(hex)}
        alone = {hex: self.names[hex] for hex in sorted(self.situation.relays - self.now.relays)}
        yield from self.obstacles(lost, self.feeds)
        yield from self.obstacles(alone, self.situation.terminals | self.now.relays)

    def obstacles(self, lost: Mapping[int, str], ends: frozenset[int]) -> Iterator[Cut]:
        """Yield why no line of 20 MF leads from these hexes to one of the ends (8.2)."""
        blind = SUPPLY_NET.flood([node for hex in sorted(ends if lost else ()) for node in NODES[hex]])
        for hex, who in lost.items():
            text = f"{who} in {TEXTS.called(hex)}: "
            if hex not in blind:
                where = "no path leads to one" if ends else "there is no terminal or installation to trace to"
                yield Cut(hex, text + where, "8.2")
                continue
            way, cost = _hexes(blind, hex), blind.cost(hex)
            barrier = next((h for h in way[1:] if self.mask[h] != OPEN), NOWHERE)
            if cost > SUPPLY or barrier == NOWHERE:
                text += (
                    f"{self.place(way[-1])}, the nearest to trace to, is {cost} MF away, at most {SUPPLY} are allowed"
                )
                yield Cut(hex, text, "8.2", way)
            else:
                at = f"{TEXTS.called(barrier)} by {self.barring(barrier)}"
                yield Cut(hex, f"{text}the line to {self.place(way[-1])} is blocked in {at}", "8.2", way, barrier)

    def barring(self, hex: int) -> str:
        """Return the units that occupy a hex, or in whose ZOC it is (8.2)."""
        enemy = 1 - self.side
        there = [u for u in ALL[enemy] if self.g.state.where[u] == hex and not DEPOT[u]]
        return TEXTS.listed(there) if there else f"the ZOC of {TEXTS.listed(zone_causes(self.g, enemy, hex))}"

    def stacks(self) -> dict[int, list[int]]:
        """Return the units and lorries on the map, by hexes."""
        stacks = sorted(self.g.state.where.stacks(self.side).items())
        return {hex: found for hex, units in stacks if hex < HEXES and (found := [u for u in units if not DEPOT[u]])}

    def nodes(self, hexes: Iterable[int]) -> list[int]:
        """Return the nodes from which lines can be traced backwards."""
        return self.now.ends(sorted(hexes))

    def place(self, hex: int) -> str:
        """Return the source in a hex: its installation, or the place itself."""
        return f"{self.names[hex]} in {TEXTS.called(hex)}" if hex in self.names else TEXTS.called(hex)


def _hexes(reach: Reach, hex: int) -> tuple[int, ...]:
    """Return the path from a hex to the source that reached it."""
    return tuple(NODE_HEX[node] for node in reversed(reach.path(hex)))


def fort_zones(g: G, side: int) -> dict[int, str]:
    """Return the hexes in the zone of a fort that a side holds, each with its name (3)."""
    forts = {fort for fort in FORT_ZONE.values() if any(g.state.where[u] == fort for u in REGULARS[side])}
    return {hex: f"fort zone of {TEXTS.titles[fort]}" for hex, fort in FORT_ZONE.items() if fort in forts}


FRONTIER = tuple(
    hex for hex in sorted(LIBYA) if any(near not in LIBYA and BOARD.enterable(near) for near in BOARD.around(hex))
)
"""The last hexes of Libya."""


def control(g: G, viewer: int) -> Layer:
    """Return the holders of the bases and ports, and the frontier (5, 5.1, 9)."""
    spots = {hex: Spot(hex, "border") for hex in FRONTIER}
    for base in (AXIS, ALLIED):
        colour = showing.tone(holder(g, CENTRE[base]), viewer)
        spots |= {hex: Spot(hex, colour, f"{SIDES[base]} base") for hex in BASE[base]}
    spots |= showing.holders(TEXTS, {hex: holder(g, hex) for hex in HELD}, viewer)
    notes = [Note(held_by(g, hex), "5", hex) for hex in HELD]
    if malta.border_closed(g):
        notes.append(Note("The Axis may not cross from Libya into Egypt this turn", "9"))
    elif g.state.malta == malta.OPEN and malta.allies_in_libya(g):
        notes.append(Note("Supplied Allied units in Libya would make the invasion of Malta harder", "9"))
    return Layer(tuple(spots.values()), (), tuple(notes))


ENTRANCES = showing.entrances(OPEN_SIDES)
ROOM = np.array([sum(LIMITS[hex] for hex in near) for near in OPEN_SIDES])
"""The stacking limits around each hex (4)."""


def striking(g: G, side: int) -> list[int]:
    """Return for every hex the CF of the units that could become adjacent to it if the side's movement phase began now,
    the strongest up to the stacking limits (4, 11)."""
    start = at_movement_start(g, side)
    where, zoned = start.state.where, zone(start, 1 - side)
    known: dict[tuple[int, int, bool], NDArray[np.bool_]] = {}
    strikers = []
    for unit in REGULARS[side]:
        if on_map(start, unit) and not start.state.flags[unit] & combat.UNABLE:
            key = (where[unit], MF[unit], BOUND[unit])
            if zoned[where[unit]] or key not in known:
                known[key] = _attackable(start, side, unit)
            strikers.append(Striker(cf(start, unit), 1, known[key]))
    return showing.striking(strikers, ROOM)


def _attackable(g: G, side: int, unit: int) -> NDArray[np.bool_]:
    """Return the hexes to which a unit could become adjacent."""
    near = np.zeros(HEXES, dtype=np.bool_)
    if movement.can_move(g, side, unit):
        near |= movement.reachable(g, side, [unit]).reached
    near[g.state.where[unit]] = True
    return showing.attackable(near, ENTRANCES)


def at_movement_start(g: G, side: int) -> G:
    """Return a copy of the game in which a side is about to move: nothing moved yet, command restored, supply judged
    (8.4, 10.3)."""
    state = g.state.copy()
    for unit in ALL[side]:
        state.flags[unit] &= ~(MOVED | STOPPED | SHIPPED | OOC)
        state.origin[unit] = state.where[unit]
        state.spent[unit] = state.load[unit] = 0
        if REGULAR[unit]:
            state.via[unit] = 0
    start = g.with_state(state)
    supply.judge(start, side)
    return start


LAYERS: Mapping[str, LayerOf] = {
    "supply": LayerOf("Supply", "8.2", showing.supply(lambda g, side: _Net(g, side).state()), showing.SUPPLY_LEGEND),
    "axis zones": LayerOf("Axis zones of control", "3", showing.zones(zone, AXIS, fort_zones)),
    "allied zones": LayerOf("Allied zones of control", "3", showing.zones(zone, ALLIED, fort_zones)),
    "control": LayerOf("Control", "5", control, {"border": "Libyan frontier", "note": "Neither side"}),
    "objectives": LayerOf("Objectives", "14.1", showing.objectives(objectives, held_by)),
    "threat": LayerOf("Enemy threat", "11", showing.threat(TEXTS, striking)),
}
