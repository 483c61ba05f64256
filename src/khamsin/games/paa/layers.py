"""What can be drawn over the map of PanzerArmee Afrika: supply lines, zones of control, control, objectives, and the threat."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from khamsin.games.paa import combat, malta, movement, supply
from khamsin.games.paa import victory as reckoning
from khamsin.games.paa.control import HELD
from khamsin.games.paa.ground import NODE_HEX, NODES, OPEN_SIDES, SUPPLY, SUPPLY_NET
from khamsin.games.paa.stacking import LIMITS
from khamsin.games.paa.supply import BOUND, Situation
from khamsin.games.paa.units import (
    ALL,
    ALLIED,
    AXIS,
    BASE,
    BOARD,
    CENTRE,
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
    PaaState,
    cf,
    name,
    on_map,
)
from khamsin.games.paa.zones import FORT_ZONE, zone, zone_causes
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.dice import Dice
from khamsin.kernel.display import (
    Layer,
    LayerLine,
    LayerOf,
    Note,
    Objective,
    Spot,
)
from khamsin.kernel.flood import FAR, OPEN, Reach
from khamsin.kernel.rules import EVERYONE, Game

WORDS: dict[str, Any] = tomllib.loads((DATA / "display.toml").read_text(encoding="utf-8"))
PEOPLE = {AXIS: "Axis", ALLIED: "Allies", NOWHERE: "nobody"}
"""The sides as they are spoken of."""
TITLE = {place.hex: place.name for place in sorted(BOARD.places, key=lambda place: -place.rank)}
"""The greatest named place of each hex that has one."""


def called(hex: int) -> str:
    """A hex by its number, with the place it is known by."""
    number = BOARD.name(hex)
    return f"{TITLE[hex]} ({number})" if hex in TITLE else number


def sides(viewer: int) -> tuple[int, ...]:
    """Whose lines and plans a viewer is shown: its own, or a spectator both."""
    return (AXIS, ALLIED) if viewer == EVERYONE else (viewer,)


def tone(side: int, viewer: int) -> str:
    """The colour of a side for a viewer; for a spectator the Axis is the stranger."""
    if side == NOWHERE:
        return "note"
    return "own" if side == viewer or (viewer == EVERYONE and side == ALLIED) else "closed"


OBJECTIVES = tuple(
    (BOARD[row["hex"]], row["text"].format(tobruk=reckoning.HOLD_TOBRUK), row["rule"]) for row in WORDS["objective"]
)


def holder(g: G, hex: int) -> int:
    """Who controls a hex, NOWHERE if nobody is known to (5)."""
    return g.state.control.get(hex, NOWHERE)


def objectives(g: G, side: int) -> Iterator[Objective]:
    """The four places whose holder matters (5, 14, 14.1)."""
    for hex, text, rule in OBJECTIVES:
        yield Objective(TITLE[hex], hex, holder(g, hex), text, rule)


def supply_lines(g: G, viewer: int) -> Layer:
    """Where units are in supply, by which lines, and what cuts off the others (8.2)."""
    nets = [_Net(g, side) for side in sides(viewer)]
    return _together(net.layer(viewer) for net in nets)


def _together(layers: Iterable[Layer]) -> Layer:
    all_ = list(layers)
    return Layer(
        tuple(spot for layer in all_ for spot in layer.spots),
        tuple(line for layer in all_ for line in layer.lines),
        tuple(note for layer in all_ for note in layer.notes),
    )


class _Net:
    """The supply lines of a side as they run, hex by hex."""

    def __init__(self, g: G, side: int) -> None:
        self.g = g
        self.side = side
        self.now = supply.lines(g, side)
        self.situation: Situation = self.now.situation
        self.mask = self.situation.mask
        where = g.state.where
        self.names = {where[u]: name(u) for u in DEPOTS[side] if on_map(g, u)}
        situation = self.situation
        self.feeds = (situation.standing & situation.terminals) | self.now.depots
        """The hexes from which units can be fed (8.2)."""

    def layer(self, viewer: int) -> Layer:
        """The whole of it."""
        # To a spectator both nets are shown at once, so each has its own colour.
        mine = "supply" if viewer != EVERYONE or self.side == AXIS else "open"
        supplied = [hex for hex in range(HEXES) if self.now.supplied[hex] and BOARD.enterable(hex)]
        lines = [*self.chains(mine), *self.unit_lines(mine)]
        cut = list(self.cuts())
        return Layer(
            (*(Spot(hex, mine) for hex in supplied), *(spot for spots, _, _ in cut for spot in spots)),
            (*lines, *(line for _, line, _ in cut if line is not None)),
            tuple(note for _, _, note in cut),
        )

    def chains(self, tone: str) -> Iterator[LayerLine]:
        """From every installation that is joined to a terminal the segment that joins it, the nearest first (8.2)."""
        situation = self.situation
        sources = self.nodes(situation.terminals)
        waiting = sorted(situation.depots - situation.terminals)
        while sources and waiting:
            reach = SUPPLY_NET.flood(sources, SUPPLY, self.mask)
            fresh = [hex for hex in waiting if hex in reach]
            for hex in fresh:
                way = _hexes(reach, hex)
                yield LayerLine(way, tone, f"{self.names[hex]}: {reach.cost(hex)} MF to {self.place(way[-1])}")
            waiting = [hex for hex in waiting if hex not in fresh]
            sources = self.nodes(fresh)

    def unit_lines(self, tone: str) -> Iterator[LayerLine]:
        """From every hex with units in supply the line to the nearest installation (8.1)."""
        at_hand = self.now.depots | self.situation.standing
        reach = SUPPLY_NET.flood(self.nodes(self.feeds), SUPPLY, self.mask)
        for hex, units in self.stacks().items():
            if self.now.reach(hex) and hex not in at_hand:
                way = _hexes(reach, hex)
                yield LayerLine(way, tone, f"{_listed(units)}: {reach.cost(hex)} MF to {self.place(way[-1])}")

    def cuts(self) -> Iterator[tuple[list[Spot], LayerLine | None, Note]]:
        """Units and installations without a line, and what is in their way (8.2, 8.4)."""
        lost = {hex: _listed(units) for hex, units in self.stacks().items() if not self.now.reach(hex)}
        if lost:
            yield from self.obstacles(lost, self.feeds)
        alone = {hex: self.names[hex] for hex in sorted(self.situation.depots - self.now.depots)}
        if alone:
            yield from self.obstacles(alone, self.situation.terminals | self.now.depots)

    def obstacles(
        self, lost: Mapping[int, str], ends: frozenset[int]
    ) -> Iterator[tuple[list[Spot], LayerLine | None, Note]]:
        """Why no line of 20 MF runs from these hexes to one of the ends (8.2)."""
        blind = SUPPLY_NET.flood([node for hex in sorted(ends) for node in NODES[hex]])
        for hex, who in lost.items():
            spot = Spot(hex, "closed", "cut off")
            if hex not in blind:
                where = "there is no terminal or installation to trace to" if not ends else "no way leads to one"
                yield [spot], None, Note(f"{who} in {called(hex)}: {where}", "8.2", hex)
                continue
            way, cost = _hexes(blind, hex), blind.cost(hex)
            text = f"{who} in {called(hex)}: "
            barrier = next((h for h in way[1:] if self.mask[h] != OPEN), NOWHERE)
            if cost > SUPPLY or barrier == NOWHERE:
                text += f"{self.place(way[-1])}, the nearest to trace to, is {cost} MF away, and {SUPPLY} is the most"
                yield [spot], LayerLine(way, "closed", text), Note(text, "8.2", hex)
                continue
            text += f"the line to {self.place(way[-1])} is barred in {called(barrier)} by {self.barring(barrier)}"
            spots = [spot, Spot(barrier, "closed", "barred")]
            yield spots, LayerLine(way, "closed", text), Note(text, "8.2", barrier)

    def barring(self, hex: int) -> str:
        """Who stands in a hex, or in whose zone it lies (8.2)."""
        enemy = 1 - self.side
        there = [u for u in ALL[enemy] if self.g.state.where[u] == hex and not DEPOT[u]]
        return _listed(there) if there else f"the zone of {_listed(zone_causes(self.g, enemy, hex))}"

    def stacks(self) -> dict[int, list[int]]:
        """The units and lorries on the map, by hexes."""
        stacks: dict[int, list[int]] = {}
        for unit in ALL[self.side]:
            if on_map(self.g, unit) and not DEPOT[unit]:
                stacks.setdefault(self.g.state.where[unit], []).append(unit)
        return stacks

    def nodes(self, hexes: Iterable[int]) -> list[int]:
        """The nodes from which lines can be traced backwards."""
        return [node for hex in sorted(hexes) if self.situation.usable(hex) for node in NODES[hex]]

    def place(self, hex: int) -> str:
        """What feeds from a hex: its installation, or the place itself."""
        return f"{self.names[hex]} in {called(hex)}" if hex in self.names else called(hex)


def _hexes(reach: Reach, hex: int) -> tuple[int, ...]:
    """The way from a hex to the source it was reached from."""
    return tuple(NODE_HEX[node] for node in reversed(reach.path(hex)))


def _listed(units: Sequence[int]) -> str:
    """The first names, and how many more."""
    more = f" and {len(units) - 2} more" if len(units) > 2 else ""
    return ", ".join(name(u) for u in units[:2]) + more


def zones(g: G, viewer: int, side: int) -> Layer:
    """Where the units of a side exert their zones of control; those of forts are named (3)."""
    exerted = zone(g, side)
    colour = tone(side, viewer)
    forts = {fort for fort in FORT_ZONE.values() if any(g.state.where[u] == fort for u in REGULARS[side])}
    return Layer(
        tuple(
            Spot(hex, colour, f"zone of {TITLE[FORT_ZONE[hex]]}" if FORT_ZONE.get(hex) in forts else "")
            for hex in range(HEXES)
            if exerted[hex]
        )
    )


FRONTIER = tuple(
    hex for hex in sorted(LIBYA) if any(near not in LIBYA and BOARD.enterable(near) for near in BOARD.around(hex))
)
"""The last hexes of Libya."""


def control(g: G, viewer: int) -> Layer:
    """Who holds the bases and ports, and the frontier (5, 5.1, 9)."""
    spots = {hex: Spot(hex, "border") for hex in FRONTIER}
    for base in (AXIS, ALLIED):
        colour = tone(holder(g, CENTRE[base]), viewer)
        spots |= {hex: Spot(hex, colour, f"{SIDES[base]} base") for hex in BASE[base]}
    spots |= {hex: Spot(hex, tone(holder(g, hex), viewer), PEOPLE[holder(g, hex)]) for hex in HELD}
    notes = [Note(held_by(g, hex), "5", hex) for hex in HELD]
    if malta.border_closed(g):
        notes.append(Note("The Axis may not cross from Libya into Egypt this turn", "9"))
    elif g.state.malta == malta.OPEN and malta.allies_in_libya(g):
        notes.append(Note("Supplied Allied units in Libya would make the invasion of Malta harder", "9"))
    return Layer(tuple(spots.values()), (), tuple(notes))


def held_by(g: G, hex: int) -> str:
    """Who holds a place, in words (5)."""
    side = holder(g, hex)
    return f"{TITLE[hex]} is held by {PEOPLE[side] if side == NOWHERE else f'the {PEOPLE[side]}'}"


def prizes(g: G, viewer: int) -> Layer:
    """The objectives, their holders and their worth (14.1)."""
    places = list(objectives(g, viewer))
    return Layer(
        tuple(Spot(place.place, tone(place.holder, viewer), place.title) for place in places),
        (),
        tuple(Note(f"{held_by(g, p.place)}. {p.text}", p.rule, p.place) for p in places),
    )


SIDES_OF = np.array([[*near, *[HEXES] * (6 - len(near))] for near in OPEN_SIDES])
"""The hexes from which each hex can be attacked, filled up with one beyond the board."""
FRONTAGE = np.array([sum(LIMITS[hex] for hex in near) for near in OPEN_SIDES])
"""How many units find room around each hex (4)."""


def threat(g: G, viewer: int) -> Layer:
    """The CF that the other side could bring against each hex in its next turn (11, 12)."""
    return _together(_threat_of(g, viewer, 1 - side) for side in sides(viewer))


def _threat_of(g: G, viewer: int, enemy: int) -> Layer:
    strength = striking(g, enemy)
    before = f"{SIDES[enemy]} " if viewer == EVERYONE else ""
    colour = tone(enemy, viewer)
    what = f"CF that the {PEOPLE[enemy]} could bring beside each hex if they moved now, before supply and ground"
    return Layer(
        tuple(Spot(hex, colour, f"{before}{cf}") for hex, cf in enumerate(strength) if cf), (), (Note(what, "11"),)
    )


def striking(g: G, side: int) -> list[int]:
    """For every hex the CF of the units that could come beside it as if the side's movement phase began now, as many of the
    strongest as find room there (4, 11)."""
    start = at_movement_start(g, side)
    where = start.state.where
    zoned = zone(start, 1 - side)
    total, count = np.zeros(HEXES, dtype=np.int32), np.zeros(HEXES, dtype=np.int32)
    known: dict[tuple[int, int, bool], NDArray[np.bool_]] = {}
    able = [u for u in REGULARS[side] if on_map(start, u) and not start.state.flags[u] & combat.UNABLE]
    for unit in sorted(able, key=lambda u: -cf(start, u)):
        key = (where[unit], MF[unit], BOUND[unit])
        if zoned[where[unit]] or key not in known:
            known[key] = _attackable(start, side, unit)
        fits = known[key] & (count < FRONTAGE)
        total += np.where(fits, cf(start, unit), 0).astype(np.int32)
        count += fits
    return total.tolist()


def _attackable(g: G, side: int, unit: int) -> NDArray[np.bool_]:
    """The hexes that a unit could come to stand beside."""
    near = np.zeros(HEXES + 1, dtype=np.bool_)
    near[g.state.where[unit]] = True
    if movement.can_move(g, side, unit):
        distance = movement.reachable(g, side, [unit]).distance
        near[np.array(NODE_HEX)[distance != FAR]] = True
    beside: NDArray[np.bool_] = near[SIDES_OF].any(axis=1)
    return beside


def at_movement_start(g: G, side: int) -> G:
    """A copy of the game in which a side is about to move: nothing moved yet, command restored, supply judged (8.4, 10.3)."""
    state = g.state.copy()
    for unit in ALL[side]:
        state.flags[unit] &= ~(MOVED | STOPPED | SHIPPED | OOC)
        state.origin[unit] = state.where[unit]
        state.spent[unit] = state.load[unit] = 0
        if REGULAR[unit]:
            state.via[unit] = 0
    start = supposed(g, state)
    supply.judge(start, side)
    return start


def supposed(g: G, state: PaaState) -> G:
    """The same game in another state, to see what would be."""
    return Game(g.rules, g.scenario, g.options, state, Dice())


LAYERS: Mapping[str, LayerOf] = {
    "supply": LayerOf("Supply", "8.2", supply_lines),
    "axis zones": LayerOf("Axis zones of control", "3", partial(zones, side=AXIS)),
    "allied zones": LayerOf("Allied zones of control", "3", partial(zones, side=ALLIED)),
    "control": LayerOf("Control", "5", control),
    "objectives": LayerOf("Objectives", "14.1", prizes),
    "threat": LayerOf("Enemy threat", "11", threat),
}
