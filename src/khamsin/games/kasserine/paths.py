"""The reach of units (7.1-7.5, 8.1, 8.2.4, 9.3.3): the ways of a moving stack, with all that bars or stops it.

Points are halves of a movement point. A stack moves as one: each step costs the highest cost among its units, it may
enter only where all may, and it stops where any must (7.1.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    NEXT_TO,
    NODE_HEX,
    WADI,
    is_raining,
    network,
    passable,
)
from khamsin.games.kasserine.mode import TOWED, TOWED_UNITS, friend_stays, interdicted
from khamsin.games.kasserine.reserve import allowance
from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.units import (
    ALLIED,
    AROUND,
    AXIS,
    BOARD,
    CARD,
    COMBAT,
    DEPLOYED,
    ENTERED,
    FORCES,
    FRENCH,
    HALVES,
    HEXES,
    MA,
    MOTORIZED,
    MOTORIZED_UNITS,
    MOVED,
    NO_ZONE,
    SIDE,
    STOPPED,
    TIGER,
    VKOENEN,
    WITHOUT_ZONE,
    G,
    crosses,
    forces_in,
    name,
    stack_name,
)
from khamsin.games.kasserine.zones import ZONES, contact, crossing, exerting, has_in_zone, occupied, waiting, zone
from khamsin.kernel.flood import CLOSED, FAR, STOP, Network
from khamsin.kernel.rules import Refusal
from khamsin.mechanics import ways
from khamsin.mechanics.bars import Bars
from khamsin.mechanics.grounds import Grounds
from khamsin.mechanics.ways import APART, Bar, End, Hindrance, Limits, Reach, Way, first_steps

MOVEMENT, REACTION, RESERVES = range(3)
"""The phases in which units move (7.0, 9.3, 8.2.4)."""
LEFT = "points left to the moving stack"
"""The tally by which the state keeps the allowance of a stack's slowest unit, also after that unit was dropped (7.1.2).
"""
FAST: int = FIGURES["infiltration"]["ma"]
INFILTRATES = [ma >= FAST and not towed for ma, towed in zip(MA, TOWED, strict=True)]
"""The units that may infiltrate (8.1.2)."""
INFILTRATION, ONE_HEX = "infiltration", "one-hex movement"
"""Steps that take all the points of a unit (7.4.2, 8.1.1)."""
FIGURE = [str(halves // HALVES or "") + "½" if halves % HALVES else halves // HALVES for halves in range(256)]
"""Halves of a point as text."""
MOST_NAMES = 3
"""How many units a refusal names."""
WITHIN = Limits("7.1.3", "it costs {cost} MP, {left} left", FIGURE.__getitem__)
"""The limit of a stack by the points that it has left, in halves (7.1.3)."""
GROUNDS = Grounds(LAYOUT, BOARD.name)
bar = Bars(LAYOUT)


def whole(g: G, unit: int, kind: int) -> int:
    """Return the points of a unit in a phase: half its allowance in reaction and reserve movement, with the half point
    (3.5.4, 8.2.4, 9.3.2)."""
    points = allowance(g, unit)
    return points if kind == MOVEMENT else points // 2


def points_left(g: G, units: Sequence[int], kind: int) -> int:
    """Return the points that units moving together have left: none if one of them may not move further (7.1.2, 7.1.3)."""
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
    """Whether towed guns are in an enemy ZOC without a friendly unit that lets them leave (7.6.2)."""
    if TOWED_UNITS.isdisjoint(units):
        return False
    side, here = SIDE[units[0]], g.state.where[units[0]]
    if here >= HEXES or not zone(g, 1 - side)[here]:
        return False
    return not friend_stays(units, forces_in(g, side, here))


def is_commando(g: G, units: Sequence[int]) -> bool:
    """Whether the von Koenen commando moves alone by its own rules (16.4, 16.4.1)."""
    return units[0] == VKOENEN and len(units) == 1 and g.options["commando"] == "on"


def reach(g: G, units: Sequence[int], points: int, kind: int) -> Reach:
    """Return the reach of units of one location together with these points, in a phase (7.1-3, 7.5)."""
    return ways.reach(way(g, units, points, kind))


def way(g: G, units: Sequence[int], points: int, kind: int) -> Way:
    """Return the way of units of one location: the edges of the scenario, their points (7.1.3), enemy ZOCs (7.2),
    Reserves (8.2.5), strongpoints (14.1.2) and units (7.1.4), where they need a friendly unit (7.6.2, 8.2.6, 9.3.3),
    and supply (6.4.2)."""
    hindrances: tuple[Hindrance, ...] = (
        *edges(g, units),
        WITHIN[max(points, 0)],
        *enemy_bars(g, units, kind),
        *friend_bars(g, units, kind),
        *supply_bars(g, units),
    )
    return Way(GROUNDS.on(steps(g, units)), starts(g, units), hindrances)


def starts(g: G, units: Sequence[int]) -> tuple[int, ...]:
    """Return the start node of units: their hex, or off the map one before their entry hexes (5.2.4, 8.3.3)."""
    here = g.state.where[units[0]]
    if here < HEXES:
        return (here,)
    return (len(NODE_HEX),) if boxes.ways_in(g, units[0]) else ()


def steps(g: G, units: Sequence[int]) -> Network:
    """Return the network of units now; off the map they enter by their entry hexes (5.2.4, 7.3, 7.5, 8.3.3, 11.2.6,
    14.1.2)."""
    side, kinds = SIDE[units[0]], frozenset([crosses(g, unit) for unit in units])
    entries = boxes.ways_in(g, units[0]) if g.state.where[units[0]] >= HEXES else ()
    ground = kinds, is_raining(g), forts(g, side), interdicted(g, side)
    return boxes.entry_network(*ground, entries) if entries else network(*ground)


def forts(g: G, side: int) -> frozenset[int]:
    """Return the active strongpoints of the enemy of a side (14.1.2)."""
    return g.state.strongpoint.having(1 - side)


def movement_key(g: G, unit: int) -> tuple[object, ...]:
    """Return everything of a unit on the map that its network and its bars depend on, whatever its hex."""
    return (
        crosses(g, unit), TOWED[unit], MOTORIZED[unit], NO_ZONE[unit], COMBAT[unit], unit == VKOENEN,
        supply_bound(g, [unit]),
    )  # fmt: skip


# Hindrances


SOUTH_EDGE = bar(CLOSED, boxes.SHARED, "18.2.5", "Allied units may not be in {hex} yet")


def edges(g: G, units: Sequence[int]) -> list[Bar]:
    """Return hexes that are not part of the scenario, and the south edge while it is closed to the Allies on the map
    (18.1.2, 18.2.5)."""
    side, found = SIDE[units[0]], []
    if outside := setting(g).outside:  # 18.1.2, 18.2.2, 18.3.2
        found.append(bar(CLOSED, outside, "18.1.2", "{hex} is not part of this scenario"))
    if g.state.where[units[0]] != CARD[side] and boxes.shut_edge(g, side):
        found.append(SOUTH_EDGE)
    return found


def enemy_bars(g: G, units: Sequence[int], kind: int) -> list[Bar]:
    """Return the bars of the enemy: ZOCs, from one of which no step leads to another except for the commando; Reserves
    that units would cancel; strongpoints, which stop motorized units; and units (7.1.4, 7.2.1, 7.2.2, 8.2.5, 14.1.2,
    16.4.1)."""
    enemy = 1 - SIDE[units[0]]
    stop, apart, closed = zone_bars(g, enemy)
    found = [stop] if is_commando(g, units) else [stop, apart]
    if hexes := watched(g, 1 - enemy, units):
        text = "it must stop in {hex}, where it ends the Reserve of {cause}"
        found.append(bar(STOP, hexes, "7.2.1", text, RESERVES_NEAR[enemy]))
    if g.state.strongpoint and not MOTORIZED_UNITS.isdisjoint(units):
        found.append(bar(STOP, forts(g, 1 - enemy), "14.1.2", "it must stop at the strongpoint in {hex}"))
    found.append(closed)
    return found


@ZONES.kept
def zone_bars(g: G, enemy: int) -> tuple[Bar, Bar, Bar]:
    """Return the bars of enemy ZOCs and units alone: where units stop, between which hexes no step leads, and where
    they cannot enter (7.1.4, 7.2.1, 7.2.2)."""
    zoned, exerting = zone(g, enemy), EXERTING[enemy]
    text = "{hex} is in the ZOC of {cause}, and no step leads from ZOC to ZOC"
    return (
        bar(STOP, zoned, "7.2.1", "it must stop in {hex}, in the ZOC of {cause}", exerting),
        bar(APART, zoned, "7.2.2", text, exerting, zoned),
        bar(CLOSED, occupied(g, enemy), "7.1.4", "{hex} is occupied by {cause}", OCCUPYING[enemy]),
    )


def watched(g: G, side: int, units: Sequence[int]) -> frozenset[int]:
    """Return hexes where units, with friendly units there, would have an enemy in Reserve in their ZOC, and its ZOC
    reaches them once it is no longer in Reserve. No ZOC reaches into a strongpoint (3.2.2, 3.2.4, 7.2.1, 8.2.5,
    14.1.3)."""
    enemy = 1 - side
    reserves = waiting(g, enemy)
    if not reserves:
        return frozenset()
    combat = [unit for unit in units if COMBAT[unit]]
    if not combat:
        return frozenset()
    state, around = g.state, NEXT_TO[is_raining(g)]
    own, forts, enemies = state.where.stacks(side), state.strongpoint, state.where.stacks(enemy)
    movers = 0 if WITHOUT_ZONE.issuperset(combat) else crossing(g, combat)
    found = []
    for there in {state.where[unit] for unit in reserves}:
        if not 0 <= there < HEXES or forts.get(there) == enemy or WITHOUT_ZONE.issuperset(enemies[there]):
            continue
        kinds = crossing(g, [unit for unit in reserves if state.where[unit] == there])
        for hex, outwards, inwards in around[there]:
            if not outwards & kinds or forts.get(hex, enemy) != enemy:
                continue
            if inwards & movers or (hex in own and has_in_zone(g, side, units, hex, there)):
                found.append(hex)
    return frozenset(found)


def friend_bars(g: G, units: Sequence[int], kind: int) -> tuple[Bar, ...]:
    """Towed guns, and units in reaction or reserve movement, enter enemy ZOCs only where a friendly unit is; in
    reaction also hexes adjacent to enemies, where they stop. The commando is exempt except in reaction (7.6.2, 8.2.6,
    9.3.3, 16.4.1)."""
    side, enemy = SIDE[units[0]], 1 - SIDE[units[0]]
    if kind == REACTION:
        near, causes = near_enemies(g, enemy), ADJACENT[enemy]
        text = "{hex} is next to {cause}, and no friendly unit is there"
        return (
            bar(STOP, near, "9.3.3", "it must stop in {hex}, next to {cause}", causes),
            bar(CLOSED, without(near, occupied(g, side)), "9.3.3", text, causes),
        )
    if (kind != RESERVES and TOWED_UNITS.isdisjoint(units)) or is_commando(g, units):
        return ()
    alone = without(zone(g, enemy), contact(g, side))
    text = "{hex} is in the ZOC of {cause}, and no friendly unit is there"
    return (bar(CLOSED, alone, "7.6.2" if kind == MOVEMENT else "8.2.6", text, EXERTING[enemy]),)


def near_enemies(g: G, enemy: int) -> bytes:
    """Return one byte per hex: 1 in enemy ZOCs and adjacent to enemy units (9.3.3)."""
    near = bytearray(zone(g, enemy))
    for hex in occupied(g, enemy):
        for beside in AROUND[hex]:
            near[beside] = 1
    return bytes(near)


def without(mask: bytes, hexes: Iterable[int]) -> bytes:
    """Return a mask without some hexes."""
    left = bytearray(mask)
    for hex in hexes:
        left[hex] = 0
    return bytes(left)


def supply_bars(g: G, units: Sequence[int]) -> list[Bar]:
    """Return units that may not leave supply cannot move out of it (6.4.2)."""
    bound, side, found = supply_bound(g, units), SIDE[units[0]], []
    for french in (False, True):
        if bound[french]:
            field, text = supply.field(g, side, french), "it may not leave supply {where}: no Supply Route past {cause}"
            found.append(bar(CLOSED, field, "6.4.2", text, CUTTING[side][french], elsewhere=True))
    return found


def way_mask(g: G, units: Sequence[int], kind: int) -> NDArray[np.uint8]:
    """Return what closes or stops each node to units, as one mask."""
    bars = [bar for bar in way(g, units, 0, kind).hindrances if isinstance(bar, Bar) and bar.effect in (STOP, CLOSED)]
    return ways.mask(len(NODE_HEX), bars)


def supply_bound(g: G, units: Sequence[int]) -> tuple[bool, bool]:
    """Return whether others, and French units, among those that move may not move out of supply; all may in the turn
    they enter (5.2.3, 6.4.2)."""
    flags, where = g.state.flags, g.state.where
    if where[units[0]] >= HEXES:
        return False, False
    bound = [False, False]
    for unit in units:
        if not flags[unit] & ENTERED and supply.held_back(g, unit):
            bound[FRENCH[unit]] = True
    return bound[False], bound[True]


# Causes


def zone_names(g: G, hex: int, side: int) -> list[str]:
    """Return the units of a side whose ZOC reaches a hex, or that are in it, by name."""
    return [name(unit) for unit in exerting(g, side, hex)] or unit_names(g, hex, side)


def unit_names(g: G, hex: int, side: int) -> list[str]:
    """Return the combat units of a side in a hex, by name."""
    return [name(unit) for unit in forces_in(g, side, hex)]


def reserve_names(g: G, hex: int, side: int) -> list[str]:
    """Return the units of a side in Reserve next to a hex, by name."""
    return [name(unit) for unit in waiting(g, side) if g.state.where[unit] in AROUND[hex]]


def near_names(g: G, hex: int, side: int) -> list[str]:
    """Return the combat units of a side next to a hex, by name."""
    return [name(unit) for near in AROUND[hex] for unit in forces_in(g, side, near)]


def cutting_names(g: G, hex: int, side: int, french: bool) -> list[str]:
    """Return what cuts the Supply Route of a side's units, French or not, from a hex, by name."""
    unit = next(unit for unit in FORCES[side] if FRENCH[unit] == french)
    return [supply.why_not_supplied(g, unit, hex).cause]


EXERTING, OCCUPYING, RESERVES_NEAR, ADJACENT = (
    tuple(partial(names, side=side) for side in (AXIS, ALLIED))
    for names in (zone_names, unit_names, reserve_names, near_names)
)
CUTTING = tuple(tuple(partial(cutting_names, side=s, french=f) for f in (False, True)) for s in (AXIS, ALLIED))
"""The same by side, as the causes of bars."""


# Steps that take all points


def whole_steps(g: G, units: Sequence[int], found: Reach) -> dict[int, str]:
    """Return adjacent hexes that units could enter only for all their points: by one-hex movement, or from one enemy
    ZOC to another by infiltration; none that is barred to them (7.4, 7.4.3, 8.1, 8.1.4). None of them may have spent
    any."""
    state, here = g.state, g.state.where[units[0]]
    if here >= HEXES or any(
        state.spent[u] or state.release[u] or state.flags[u] & (MOVED | STOPPED | DEPLOYED) for u in units
    ):
        return {}
    if all(near in found for near in AROUND[here]) or stuck(g, units):
        return {}
    zoned, hexes = zone(g, 1 - SIDE[units[0]]), {}
    for hex, cost in first_steps(found.way.bars_only(but=APART)):
        if hex in found:
            continue
        if not (zoned[here] and zoned[hex]):
            hexes[hex] = ONE_HEX
        elif why_not_infiltrate(g, units, hex, cost) is None:
            hexes[hex] = INFILTRATION
    return hexes


def why_not_infiltrate(g: G, units: Sequence[int], hex: int, cost: int) -> Refusal | None:
    """Return why units cannot move directly from one enemy ZOC to another, at this cost: they have moved, one is a
    towed gun or too slow, an enemy strongpoint is there, or their points do not suffice (7.2.2, 8.1.1-4)."""
    state, side = g.state, SIDE[units[0]]
    for unit in units:
        if state.flags[unit] & MOVED or state.spent[unit]:
            return _no_infiltration(g, [unit], hex, "it has spent MP", "8.1.1")
        if TOWED[unit]:
            return _no_infiltration(g, [unit], hex, "it is a towed gun", "8.1.2")
        if not INFILTRATES[unit]:
            return _no_infiltration(g, [unit], hex, f"its allowance is below {FAST}", "8.1.2")
    if state.strongpoint.get(hex, side) != side:
        return _no_infiltration(g, units, hex, "an enemy strongpoint is there", "8.1.4")
    most = min([allowance(g, unit) for unit in units])
    if cost > most:
        return _no_infiltration(g, units, hex, f"it costs {FIGURE[cost]} MP, {FIGURE[most]} left", "8.1.3")
    return None


def _no_infiltration(g: G, units: Sequence[int], hex: int, text: str, rule: str) -> Refusal:
    causes, label = zone_names(g, hex, 1 - SIDE[units[0]]), BOARD.name(hex)
    there = f"{label}, in the ZOC of {', '.join(causes[:MOST_NAMES])}"
    cause = causes[0] if rule in ("8.1.1", "8.1.2") else label
    return Refusal(f"{stack_name(units)} cannot infiltrate to {there}: {text}", rule, cause)


# Refusals


def why_not_there(g: G, units: Sequence[int], hex: int, kind: int, ends: Sequence[End]) -> Refusal | None:
    """Return why units cannot move to a hex: it is the enemy's or outside the scenario, or their way does not lead
    there (7.1-7.4, 8.1, 18.1.2)."""
    refusal = why_not_occupied(g, units, hex)
    if refusal is not None:
        return refusal
    path, here = way(g, units, points_left(g, units, kind), kind), g.state.where[units[0]]
    refusal = ways.why_not(g, path, hex, stack_name(units), ends, partial(why_no_path, g, units, path, hex))
    if refusal is None or here >= HEXES or hex not in AROUND[here]:
        return refusal
    if kind == MOVEMENT and hex in whole_steps(g, units, ways.reach(path)):
        return why_not_ended(ends, hex)
    if refusal.rule not in ("7.1.3", "7.2.1", "7.2.2"):
        return refusal
    return why_not_beside(g, units, hex, path, kind) or refusal


def why_not_ended(ends: Iterable[End], hex: int) -> Refusal | None:
    """Return why a move cannot end in a hex."""
    return next((refusal for end in ends if (refusal := end.refuse(hex)) is not None), None)


def why_not_occupied(g: G, units: Sequence[int], hex: int) -> Refusal | None:
    """Return why units cannot be in a hex, however they move: it is not part of the scenario, or the enemy's (7.1.4,
    18.1.2)."""
    cannot = f"{stack_name(units)} cannot move to {BOARD.name(hex)}"
    if hex in setting(g).outside:
        return Refusal(f"{cannot}: it is not part of this scenario", "18.1.2", BOARD.name(hex))
    if enemies := unit_names(g, hex, 1 - SIDE[units[0]]):
        return Refusal(f"{cannot}: occupied by {', '.join(enemies[:MOST_NAMES])}", "7.1.4", enemies[0])
    return None


def why_not_beside(g: G, units: Sequence[int], hex: int, path: Way, kind: int) -> Refusal | None:
    """Return why units cannot move directly to an adjacent hex: its hexside, or infiltration, bars them (7.2.2,
    7.3.3-5, 8.1)."""
    here = g.state.where[units[0]]
    for unit in units:
        barrier = why_not_across(g, unit, here, hex)
        if barrier is not None:
            label = BOARD.name(hex)
            return Refusal(f"{stack_name(units)} cannot move to {label}: {barrier[0]}", barrier[1], label)
    zoned = zone(g, 1 - SIDE[units[0]])
    if kind != MOVEMENT or not zoned[here] or not zoned[hex]:
        return None
    return why_not_infiltrate(g, units, hex, dict(first_steps(path.bars_only(but=APART))).get(hex, FAR))


def why_no_path(g: G, units: Sequence[int], way: Way, hex: int) -> tuple[str, str]:
    """Return what bars the hexsides of a hex to which no path leads at all (7.3.3-5, 16.3.2)."""
    free = ways.reach(Way(way.ground, way.starts))
    for near in AROUND[hex]:
        if near in free:
            for unit in units:
                barrier = why_not_across(g, unit, near, hex)
                if barrier is not None:
                    return barrier
    return "every path ends in mountains or at a hexside that cannot be crossed", "7.3.5"


def why_not_across(g: G, unit: int, here: int, hex: int) -> tuple[str, str] | None:
    """Return why a unit cannot cross the hexside to an adjacent hex (7.3.3-5, 16.3.2)."""
    direction, rain, kind = BOARD.direction(here, hex), is_raining(g), crosses(g, unit)
    if passable(kind, rain, here, direction):
        return None
    bits = BOARD.hexside_bits[here * 6 + direction]
    if kind == TIGER:
        return f"{name(unit)} must stay on main and minor roads since it has rained", "16.3.2"
    if bits & WADI and not bits & BRIDGE:
        if bits & FORD and rain:
            return f"{name(unit)} cannot use a ford in Rain", "7.3.4"
        without = "a bridge in Rain" if rain else "a bridge or ford"
        return f"{name(unit)} cannot cross a wadi without {without}", "7.3.3"
    what = "an escarpment" if bits & ESCARPMENT else "mountains"
    return f"{name(unit)} enters {what} only by a road", "7.3.5"
