"""How far units get (7.1-7.5, 8.1, 8.2.4, 9.3.3): the ways of a moving stack, with all that bars or stops it.

Points are halves of a movement point. A group moves as one: at each step it pays what the dearest of its units pays, goes where
all may go, and stops where any must (7.1.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from khamsin.games.kasserine import boxes, supply
from khamsin.games.kasserine.ground import (
    BRIDGE,
    ESCARPMENT,
    FIGURES,
    FORD,
    LAYOUT,
    NODE_HEX,
    OUTSIDE,
    REACHES,
    WADI,
    is_raining,
    network,
    passable,
)
from khamsin.games.kasserine.mode import TOWED, friend_stays, interdicted
from khamsin.games.kasserine.reserve import allowance
from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.units import (
    AROUND,
    BOARD,
    CARD,
    COMBAT,
    DEPLOYED,
    ENTERED,
    FRENCH,
    HALVES,
    HEXES,
    MA,
    MOTORIZED,
    MOVED,
    NO_ZONE,
    OTHERS,
    SIDE,
    STOPPED,
    TIGER,
    VKOENEN,
    G,
    crosses,
    forces_in,
    name,
)
from khamsin.games.kasserine.zones import contact, exerting, has_in_zone, versions, waiting, zone
from khamsin.kernel.cache import cached
from khamsin.kernel.flood import CLOSED, FAR, STOP, Network
from khamsin.mechanics import ways
from khamsin.mechanics.ways import APART, Bar, Ground, Hindrance, Limit, Reach, Way, first_steps

MOVEMENT, REACTION, RESERVES = range(3)
"""The phases in which units move (7.0, 9.3, 8.2.4)."""
LEFT = "points left to the moving stack"
"""How the state remembers that a stack has the allowance of its slowest unit, also after it has dropped that unit (7.1.2)."""
INFILTRATES = [ma >= FIGURES["infiltration"]["ma"] and not towed for ma, towed in zip(MA, TOWED, strict=True)]
"""Who may infiltrate (8.1.2)."""
INFILTRATION, ONE_HEX = "infiltration", "one-hex movement"
"""Steps that take all the points of a unit (7.4.2, 8.1.1)."""
FIGURE = [str(halves // HALVES or "") + "½" if halves % HALVES else halves // HALVES for halves in range(256)]
"""So many halves of a point as a player reads them."""


def whole(g: G, unit: int, kind: int) -> int:
    """The points that a unit has in a phase: half its allowance in reaction and reserve movement, the half point kept (3.5.4,
    8.2.4, 9.3.2)."""
    points = allowance(g, unit)
    return points if kind == MOVEMENT else points // 2


def points_left(g: G, units: Sequence[int], kind: int) -> int:
    """What units that go on together may still spend: none if one of them may not move on (7.1.2, 7.1.3)."""
    state = g.state
    left = FAR
    for unit in units:
        if state.flags[unit] & (STOPPED | DEPLOYED) or state.release[unit]:
            return 0
        more = whole(g, unit, kind) - state.spent[unit]
        if more < left:
            left = more
    if stuck(g, units):
        return 0
    return min(left, state.todo.get(LEFT, left)) if state.flags[units[0]] & MOVED else left


def stuck(g: G, units: Sequence[int]) -> bool:
    """Whether towed guns stand in an enemy zone with no friend to let them go (7.6.2)."""
    if not any(TOWED[unit] for unit in units):
        return False
    side, here = SIDE[units[0]], g.state.where[units[0]]
    if here >= HEXES or not zone(g, 1 - side)[here]:
        return False
    return not friend_stays(g, list(units), forces_in(g, side, here))


def is_commando(g: G, units: Sequence[int]) -> bool:
    """Whether the von Koenen commando moves alone by its own rules (16.4, 16.4.1)."""
    return len(units) == 1 and units[0] == VKOENEN and g.options["commando"] == "on"


def reach(g: G, units: Sequence[int], points: int, kind: int) -> Reach:
    """How far units of one place get together with so many points, in a phase (7.1-3, 7.5)."""
    return ways.reach(way(g, units, points, kind))


def way(g: G, units: Sequence[int], points: int, kind: int) -> Way:
    """The way of units of one place: the edges of the scenario, their points (7.1.3), enemy ZOCs (7.2), Reserves (8.2.5),
    strongpoints (14.1.2) and units (7.1.4), where they need a friend (7.6.2, 8.2.6, 9.3.3), and supply (6.4.2)."""
    here = g.state.where[units[0]]
    limit = Limit(max(points, 0), "7.1.3", "it costs {cost} MP, {left} left", FIGURE.__getitem__)
    return _start(g, units)._replace(
        hindrances=(
            *edges(g, SIDE[units[0]], here == CARD[SIDE[units[0]]]),
            limit,
            *enemy_bars(g, units, kind),
            *friend_bars(g, units, kind),
            *supply_bars(g, units),
        )
    )


def _start(g: G, units: Sequence[int]) -> Way:
    """The ground that units move on now and where they start; off the map they come on by their entry hexes (5.2.4, 7.3, 7.5,
    8.3.3, 11.2.6, 14.1.2)."""
    here, side = g.state.where[units[0]], SIDE[units[0]]
    if here < HEXES:
        return Way(Ground(steps(g, units), LAYOUT, BOARD.name), (here,))
    entries = boxes.ways_in(g, units[0])
    net = (
        boxes.entry_network(_kinds(g, units), is_raining(g), *hazards(g, side), entries) if entries else steps(g, units)
    )
    return Way(Ground(net, LAYOUT, BOARD.name), (len(NODE_HEX),) if entries else ())


def why_no_path(g: G, units: Sequence[int], way: Way, hex: int) -> tuple[str, str]:
    """What bars the hexsides of a hex to which no path leads at all (7.3.3-5, 16.3.2)."""
    free = ways.reach(Way(way.ground, way.starts))
    for near in AROUND[hex]:
        if near in free:
            for unit in units:
                barrier = why_not_across(g, unit, near, hex)
                if barrier is not None:
                    return barrier
    return "every path ends in mountains or at a hexside that cannot be crossed", "7.3.5"


def why_not_across(g: G, unit: int, here: int, hex: int) -> tuple[str, str] | None:
    """Why a unit cannot cross the hexside to a neighbour (7.3.3-5, 16.3.2)."""
    direction, rain, kind = BOARD.direction(here, hex), is_raining(g), crosses(g, unit)
    if passable(kind, rain, here, direction):
        return None
    bits = BOARD.hexside_bits[here * 6 + direction]
    if kind == TIGER:
        return f"{name(unit)} keeps to main and minor roads since it has rained", "16.3.2"
    if bits & WADI and not bits & BRIDGE:
        if bits & FORD and rain:
            return f"{name(unit)} cannot use a ford in Rain", "7.3.4"
        without = "a bridge in Rain" if rain else "a bridge or ford"
        return f"{name(unit)} cannot cross a wadi without {without}", "7.3.3"
    what = "an escarpment" if bits & ESCARPMENT else "mountains"
    return f"{name(unit)} enters {what} only by a road", "7.3.5"


def steps(g: G, units: Sequence[int]) -> Network:
    """The network on which a group moves now (7.3, 7.5, 11.2.6, 14.1.2)."""
    return network(_kinds(g, units), is_raining(g), *hazards(g, SIDE[units[0]]))


def movement_key(g: G, unit: int) -> tuple[object, ...]:
    """All about a unit on the map that its network and its bars depend on, whatever its hex."""
    return (
        crosses(g, unit), TOWED[unit], MOTORIZED[unit], NO_ZONE[unit], COMBAT[unit], unit == VKOENEN,
        supply_bound(g, [unit]),
    )  # fmt: skip


def _kinds(g: G, units: Sequence[int]) -> frozenset[int]:
    return frozenset([crosses(g, unit) for unit in units])


@cached(lambda g, side: (g.state.strongpoint.version, g.state.flags.version, g.state.where.versions[OTHERS], side))
def hazards(g: G, side: int) -> tuple[frozenset[int], frozenset[int]]:
    """The active enemy strongpoints, and the hexes that the enemy interdicts (11.2.5, 14.1.2)."""
    return frozenset([hex for hex, owner in g.state.strongpoint.items() if owner != side]), interdicted(g, side)


def edges(g: G, side: int, entering: bool) -> tuple[Bar, ...]:
    """Hexes that are not part of the scenario, and the south edge while it is closed to the Allies (18.1.2, 18.2.5)."""
    return _edge_bars(setting(g).number, frozenset() if entering else boxes.shut_edge(g, side))


@cached(lambda scenario, shut: (scenario, shut))
def _edge_bars(scenario: int, shut: frozenset[int]) -> tuple[Bar, ...]:
    found = []
    if scenario in OUTSIDE:
        found.append(Bar(CLOSED, LAYOUT.mask(OUTSIDE[scenario]), "18.1.2", "{hex} is not part of this scenario"))
    if shut:
        found.append(Bar(CLOSED, LAYOUT.mask(shut), "18.2.5", "Allied units may not be in {hex} yet"))
    return tuple(found)


def enemy_bars(g: G, units: Sequence[int], kind: int) -> Iterator[Hindrance]:
    """What stops units at the enemy, or bars them: ZOCs, from one of which no step leads to another but for the commando;
    Reserves that they would cancel; strongpoints, which stop motorized units; and units (7.1.4, 7.2.1, 7.2.2, 8.2.5, 14.1.2,
    16.4.1)."""
    side = SIDE[units[0]]
    stop, apart, enemies = zone_bars(g, side)
    yield stop
    if not is_commando(g, units):
        yield apart
    if waiting(g, 1 - side):
        yield from reserve_bars(g, side, units)
    if any(MOTORIZED[unit] for unit in units):
        yield from fort_bars(g, side)
    yield enemies


@cached(lambda g, side: (g.state.where.versions[1 - side], versions(g), side))
def zone_bars(g: G, side: int) -> tuple[Bar, Bar, Bar]:
    """The ZOCs of the enemy, which include the hexes of its units, and these hexes (7.1.4, 7.2.1, 7.2.2)."""
    zoned, causes = LAYOUT.spread(zone(g, 1 - side)), partial(zone_names, side=1 - side)
    held = LAYOUT.mask([hex for hex in g.state.where.stacks(1 - side) if hex < HEXES])
    return (
        Bar(STOP, zoned, "7.2.1", "it must stop in {hex}, in the ZOC of {cause}", causes),
        Bar(APART, zoned, "7.2.2", "{hex} is in the ZOC of {cause}, and no step leads from ZOC to ZOC", causes, zoned),
        Bar(CLOSED, held, "7.1.4", "{hex} is occupied by {cause}", partial(unit_names, side=1 - side)),
    )


def zone_names(g: G, hex: int, side: int) -> list[str]:
    """The units of a side whose ZOC reaches a hex, or that are in it, by name."""
    return [name(unit) for unit in exerting(g, side, hex)] or unit_names(g, hex, side)


def unit_names(g: G, hex: int, side: int) -> list[str]:
    """The combat units of a side in a hex, by name."""
    return [name(unit) for unit in forces_in(g, side, hex)]


def reserve_bars(g: G, side: int, units: Sequence[int]) -> tuple[Bar, ...]:
    """Where units would cancel an enemy Reserve, whose ZOC then stops them (7.2.1, 8.2.5)."""
    return _reserve_bars(frozenset(watched(g, side, units)), 1 - side)


@cached(lambda hexes, side: (hexes, side))
def _reserve_bars(hexes: frozenset[int], side: int) -> tuple[Bar, ...]:
    text = "it must stop in {hex}, where it ends the Reserve of {cause}"
    return (Bar(STOP, LAYOUT.mask(hexes), "7.2.1", text, partial(reserve_names, side=side)),) if hexes else ()


def reserve_names(g: G, hex: int, side: int) -> list[str]:
    """The units of a side in Reserve next to a hex, by name."""
    return [name(unit) for unit in waiting(g, side) if g.state.where[unit] in AROUND[hex]]


def watched(g: G, side: int, units: Sequence[int]) -> list[int]:
    """Hexes where units, with friends who are there, would have an enemy in Reserve in their ZOC, and its own reaches them
    once it is no longer in Reserve (3.2.2, 7.2.1, 8.2.5, 14.1.3)."""
    reaches, own = REACHES[is_raining(g)], g.state.where.stacks(side)
    combat = [unit for unit in units if COMBAT[unit]]
    kinds = set() if all(NO_ZONE[unit] for unit in combat) else {crosses(g, unit) for unit in combat}
    return [
        hex
        for there, hexes in reserve_zones(g, 1 - side).items()
        for hex in hexes
        if any(there in reaches[kind][hex] for kind in kinds)
        or (combat and hex in own and has_in_zone(g, side, units, hex, there))
    ]


@cached(lambda g, side: (g.state.where.versions[side], versions(g), side))
def reserve_zones(g: G, side: int) -> dict[int, list[int]]:
    """For each hex with units of a side in Reserve, the neighbours that would be in their ZOC without it (3.2.2, 3.2.4,
    14.1.3); not where they are in a strongpoint, into which no ZOC reaches."""
    state, reaches = g.state, REACHES[is_raining(g)]
    reserves: dict[int, set[int]] = {}
    for unit in waiting(g, side):
        reserves.setdefault(state.where[unit], set()).add(crosses(g, unit))
    return {
        there: [
            hex
            for hex in AROUND[there]
            if state.strongpoint.get(hex, side) == side and any(hex in reaches[kind][there] for kind in kinds)
        ]
        for there, kinds in reserves.items()
        if 0 <= there < HEXES
        and state.strongpoint.get(there) != side
        and not all(NO_ZONE[unit] for unit in forces_in(g, side, there))
    }


@cached(lambda g, side: (g.state.strongpoint.version, side))
def fort_bars(g: G, side: int) -> tuple[Bar, ...]:
    """Enemy strongpoints stop motorized units (14.1.2)."""
    forts = hazards(g, side)[0]
    return (Bar(STOP, LAYOUT.mask(forts), "14.1.2", "it must stop at the strongpoint in {hex}"),) if forts else ()


def friend_bars(g: G, units: Sequence[int], kind: int) -> tuple[Bar, ...]:
    """Towed guns, and units in reaction or reserve movement, enter enemy ZOCs only where a friend is; in reaction also hexes
    next to enemies. The commando does as it likes but in reaction (7.6.2, 8.2.6, 9.3.3, 16.4.1)."""
    slipping = is_commando(g, units) and kind != REACTION
    guns = [unit for unit in units if TOWED[unit]]
    if slipping or (kind == MOVEMENT and not guns):
        return ()
    return _reaction_bars(g, SIDE[units[0]]) if kind == REACTION else _friend_bars(g, SIDE[units[0]], kind)


@cached(lambda g, side, kind: (contact(g, side), g.state.where.versions[1 - side], versions(g), side, kind))
def _friend_bars(g: G, side: int, kind: int) -> tuple[Bar, ...]:
    text, zoned = "{hex} is in the ZOC of {cause}, and no friendly unit is there", bytearray(zone(g, 1 - side))
    for hex in contact(g, side):
        zoned[hex] = 0
    rule = "7.6.2" if kind == MOVEMENT else "8.2.6"
    return (Bar(CLOSED, LAYOUT.spread(zoned), rule, text, partial(zone_names, side=1 - side)),)


@cached(lambda g, side: (g.state.where.versions[0], g.state.where.versions[1], versions(g), side))
def _reaction_bars(g: G, side: int) -> tuple[Bar, ...]:
    touched = bytearray(zone(g, 1 - side))
    for hex in g.state.where.stacks(1 - side):
        for near in AROUND[hex] if hex < HEXES else ():
            touched[near] = 1
    alone = bytearray(touched)
    for hex in g.state.where.stacks(side):
        if hex < HEXES:
            alone[hex] = 0
    causes = partial(near_names, side=1 - side)
    text = "{hex} is next to {cause}, and no friendly unit is there"
    return (
        Bar(STOP, LAYOUT.spread(touched), "9.3.3", "it must stop in {hex}, next to {cause}", causes),
        Bar(CLOSED, LAYOUT.spread(alone), "9.3.3", text, causes),
    )


def near_names(g: G, hex: int, side: int) -> list[str]:
    """The combat units of a side next to a hex, by name."""
    return [name(unit) for near in AROUND[hex] for unit in forces_in(g, side, near)]


def supply_bars(g: G, units: Sequence[int]) -> Iterator[Hindrance]:
    """Units that may not leave supply go nowhere without it (6.4.2)."""
    bound = supply_bound(g, units)
    for french in (False, True):
        if bound[french]:
            yield _dry(supply.field(g, SIDE[units[0]], french), SIDE[units[0]], french)


@cached(lambda fed, side, french: (fed, side, french))
def _dry(fed: bytes, side: int, french: bool) -> Bar:
    """The hexes without a Supply Route (6.4.2)."""
    unit = next(u for u in range(len(SIDE)) if COMBAT[u] and SIDE[u] == side and FRENCH[u] == french)

    def cut(g: G, hex: int) -> list[str]:
        return [supply.why_not_supplied(g, unit, hex).cause]

    mask = 1 - np.frombuffer(fed, dtype=np.uint8)
    return Bar(
        CLOSED, LAYOUT.spread(mask), "6.4.2", "it may not leave supply {where}: no Supply Route past {cause}", cut
    )


def way_mask(g: G, units: Sequence[int], kind: int) -> NDArray[np.uint8]:
    """What closes or stops each node to a group, as one mask."""
    bars = [bar for bar in way(g, units, 0, kind).hindrances if isinstance(bar, Bar) and bar.effect in (STOP, CLOSED)]
    return ways.mask(len(NODE_HEX), bars)


def supply_bound(g: G, units: Sequence[int]) -> tuple[bool, bool]:
    """Whether others, and French units, among a group may not go where they would be out of supply; all may in the turn they
    enter (5.2.3, 6.4.2)."""
    flags, where = g.state.flags, g.state.where
    if where[units[0]] >= HEXES:
        return False, False
    bound = [False, False]
    for unit in units:
        if not flags[unit] & ENTERED and supply.held_back(g, unit):
            bound[FRENCH[unit]] = True
    return bound[False], bound[True]


def whole_steps(g: G, units: Sequence[int], found: Reach) -> dict[int, str]:
    """Neighbouring hexes that units could enter only for all their points: by one-hex movement, or from one enemy ZOC to
    another by infiltration, for which the points must suffice, and not into a strongpoint; nowhere that is barred to them (7.4,
    7.4.3, 8.1, 8.1.3, 8.1.4). None of them may have spent any."""
    state, side = g.state, SIDE[units[0]]
    here = state.where[units[0]]
    if here >= HEXES or any(
        state.spent[u] or state.release[u] or state.flags[u] & (MOVED | STOPPED | DEPLOYED) for u in units
    ):
        return {}
    if all(near in found for near in AROUND[here]) or stuck(g, units):
        return {}
    zoned, points = zone(g, 1 - side), min(allowance(g, u) for u in units)
    may_infiltrate = zoned[here] and all(INFILTRATES[u] for u in units)
    hexes = {}
    for hex, cost in first_steps(found.way.bars_only(but=APART)):
        if hex in found:
            continue
        if not (zoned[here] and zoned[hex]):
            hexes[hex] = ONE_HEX
        elif may_infiltrate and cost <= points and state.strongpoint.get(hex, side) == side:
            hexes[hex] = INFILTRATION
    return hexes


def exits(g: G, units: Sequence[int], found: Reach, points: int) -> dict[int, tuple[int, int]]:
    """The holding boxes of its own side to which units may leave the map, each with the cost and the hex by which they leave
    (8.3.1, 8.3.4)."""
    unit = units[0]
    here = g.state.where[unit]
    ways: dict[int, tuple[int, int]] = {}
    if here >= HEXES or points < boxes.LEAVE:
        return ways
    for box in boxes.BOXES[SIDE[unit]]:
        for door in boxes.ENTRIES[box]:
            cost = found.distance.item(door) + boxes.LEAVE
            if cost > points or (door != here and found.stops(door)):
                continue
            if box not in ways or cost < ways[box][0]:
                ways[box] = cost, door
    return ways


def connections(g: G, units: Sequence[int]) -> tuple[int, ...]:
    """The holding boxes to which units may go from theirs, for all their points (8.3.5)."""
    state = g.state
    here = state.where[units[0]]
    if any(state.spent[u] or state.release[u] or state.flags[u] & STOPPED for u in units):
        return ()
    return boxes.CONNECTED.get(here, ())
