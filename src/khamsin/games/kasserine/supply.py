"""Supply (6.0): Supply Routes, hypothetical ones, and emergency supply by Axis HQs (15.4).

A Supply Route is a Supply Line overland to a Supply Road, and the road to a source. Routes are found from the sources
outwards: along the roads as far as the enemy allows, then overland up to the length of a line. A unit on a mountain may
trace from it though no line may pass there, so such a hex has a second node that ends a line; `NODE_HEX` gives the hex
of every node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from khamsin.games.kasserine.ground import (
    BRIDGE,
    ESCARPMENT,
    FIGURES,
    FORD,
    MAIN,
    MINOR,
    MOUNTAINS,
    ROADS,
    WADI,
    along,
    is_raining,
)
from khamsin.games.kasserine.scenario import SETTINGS, setting
from khamsin.games.kasserine.units import (
    ALLIED,
    AXIS,
    BOARD,
    COMBAT,
    DEPLETED,
    FORCE_SPAN,
    FRENCH,
    HEXES,
    HQS,
    ITALIAN,
    MOTORIZED,
    OOS,
    SIDE,
    VKOENEN,
    EmergencySupply,
    G,
    name,
)
from khamsin.games.kasserine.zones import contact, exerting, occupied, versions, zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import CLOSED, FAR, NEVER, OPEN, STOP, Network
from khamsin.kernel.rules import Procedure, Refusal
from khamsin.mechanics import supply as lines
from khamsin.mechanics.refusals import for_units
from khamsin.mechanics.supply import RoadLine, RoadLines
from khamsin.mechanics.ways import Layout

FULL, SHORT = int(FIGURES["line"]["full"]), int(FIGURES["line"]["short"])
"""The greatest length of a Supply Line in hexes (6.2.1, 6.2.2)."""
COMMAND = int(FIGURES["command"]["range"])
_ENDS = tuple(hex for hex in range(HEXES) if MOUNTAINS[hex])
NODE_HEX = (*range(HEXES), *_ENDS)
"""The hex of every node of a network of lines."""
_END = {hex: HEXES + number for number, hex in enumerate(_ENDS)}
LAYOUT = Layout(NODE_HEX)


def _roads(kinds: int) -> Network:
    """Return the steps along roads of these kinds, over a wadi only by a bridge (6.2.3)."""
    bits = BOARD.hexside_bits
    return Network.of(BOARD, lambda h, d, n: 1 if along(bits[h * 6 + d]) and bits[h * 6 + d] & kinds else NEVER)


def _ground(rain: bool, wadis: bool) -> Network:
    """Return the network of Supply Lines, from the road outwards (6.2.1): over no escarpment, over a wadi by bridge or,
    except in Rain, by ford or with `wadis` anywhere, and through mountains only along a road that counts in this
    weather (5.1.5)."""
    kinds = MAIN | MINOR if rain else ROADS
    targets = [[NOWHERE] * 6 for _ in NODE_HEX]
    for hex in range(HEXES):
        for direction, far in enumerate(BOARD.neighbours[hex]):
            bits = BOARD.hexside_bits[hex * 6 + direction]
            by_road = along(bits) and bool(bits & kinds)
            unbridged = bits & WADI and not bits & BRIDGE
            if far == NOWHERE or bits & ESCARPMENT or (MOUNTAINS[hex] and not by_road):
                continue
            if unbridged and (rain or not (wadis or bits & FORD)):
                continue
            targets[hex][direction] = far if by_road or not MOUNTAINS[far] else _END[far]
    return Network(targets, [[NEVER if target == NOWHERE else 1 for target in row] for row in targets])


_HARD = _roads(MAIN | MINOR)
LONG = RoadLine(_HARD, _ground(rain=False, wadis=False), LAYOUT, FULL)
TRAIL = RoadLine(_roads(ROADS), _ground(rain=False, wadis=True), LAYOUT, SHORT)
"""A line is short if the road includes a trail, and if it crosses a wadi without bridge or ford (6.2.2)."""
WET = RoadLine(_HARD, _ground(rain=True, wadis=False), LAYOUT, SHORT)
"""In Rain trails and fords do not count (5.1.5, 6.2.2)."""


def supply_lines(rain: bool, french: bool) -> tuple[RoadLine, ...]:
    """Return the routes that units may use: the French have short lines only (6.2.2, 16.5.4)."""
    if rain:
        return (WET,)
    return (TRAIL,) if french else (TRAIL, LONG)


def supplied(g: G, unit: int) -> bool:
    """Whether a unit can trace a Supply Route now, or has emergency supply in this combat (6.1.2, 6.1.3, 6.5.1, 15.4.1)."""
    return supplied_at(g, unit, g.state.where[unit])


def supplied_at(g: G, unit: int, hex: int, opened: frozenset[int] | None = None) -> bool:
    """Whether a unit would be supplied in a hex or box. Off the map all are; Rommel, air units and by agreement the
    commando never need supply (6.3.2, 11.1.1, 15.5.3, 16.4.2). `opened` are the hexes in enemy ZOCs that friendly units
    hold, by default their present ones (6.2.4)."""
    if not 0 <= hex < HEXES or not COMBAT[unit] or (unit == VKOENEN and g.options["commando"] == "on"):
        return True
    side = SIDE[unit]
    if field(g, side, FRENCH[unit], opened)[hex]:
        return True
    return side == AXIS and any(feeds(g, hq, opened)[hex] for hq in giving(g))


def field(g: G, side: int, french: bool, opened: frozenset[int] | None = None) -> bytes:
    """Return one byte per hex: 1 where a unit of a side, French or not, can trace a Supply Route to a source (6.2)."""
    return ROUTES.field(g, side, french, contact(g, side) if opened is None else opened)


def working(g: G, side: int) -> frozenset[int]:
    """Return the working Supply Sources of a side (6.3.1)."""
    return g.state.source.having(side)


def obstacles(g: G, side: int, opened: frozenset[int] | None = None) -> bytes:
    """Return the obstacles to a side's routes, as a mask of hexes: enemy units close a hex; enemy ZOCs without a
    friendly unit, and enemy strongpoints, end a route there (6.2, 6.2.1, 6.2.4, 14.1.1)."""
    if opened is None:
        opened = contact(g, side)
    mask = bytearray(zone(g, 1 - side))
    for hex in opened:
        mask[hex] = OPEN
    for hex in g.state.strongpoint.having(1 - side):
        mask[hex] = STOP
    for hex in occupied(g, 1 - side):
        mask[hex] = CLOSED
    return close_outside(g, mask)


def close_outside(g: G, mask: bytearray) -> bytes:
    """Return a mask with the hexes closed that are not part of the scenario (18.1.2)."""
    np.frombuffer(mask, dtype=np.uint8)[OUTSIDE[g.scenario.name]] = CLOSED
    return bytes(mask)


OUTSIDE = {name: np.array(sorted(cards.outside), dtype=np.intp) for name, cards in SETTINGS.items()}
ROUTES = RoadLines(
    lambda g, french: supply_lines(is_raining(g), french),
    working,
    obstacles,
    key=lambda g, side: (versions(g, 1 - side), g.state.source.version),
)
"""Supply Routes depend on enemy units and ZOCs, friendly units in them, the weather and the working sources (6.2,
6.3.1)."""


def source_of(g: G, unit: int) -> int:
    """Return the nearest Supply Source to which a unit can trace, or the HQ that supplies it in this combat; NOWHERE if
    there is none (13.3.8)."""
    hex, side = g.state.where[unit], SIDE[unit]
    if not 0 <= hex < HEXES:
        return NOWHERE
    mask, rain = obstacles(g, side), is_raining(g)
    for source in sorted(working(g, side), key=lambda source: (BOARD.distance(hex, source), source)):
        if lines.supplied(supply_lines(rain, FRENCH[unit]), frozenset((source,)), mask)[hex]:
            return source
    return next((g.state.where[hq] for hq in giving(g) if side == AXIS and feeds(g, hq)[hex]), NOWHERE)


def held_back(g: G, unit: int) -> bool:
    """Whether a unit may not choose to move out of supply: Allied and Italian motorized units that are supplied
    (6.4.2)."""
    if not MOTORIZED[unit] or not (SIDE[unit] == ALLIED or ITALIAN[unit]):
        return False
    return not g.state.flags[unit] & OOS and supplied(g, unit)


def restore_sources(g: G) -> None:
    """Supply Sources that were captured and are friendly again work again (6.3.1)."""
    state = g.state
    for side in (AXIS, ALLIED):
        for hex in setting(g).sources[side]:
            if hex not in state.source and state.control.get(hex) == side:
                state.source[hex] = side
                g.log("6.3.1", "{hex} is a Supply Source again", hex=hex)


def judge(g: G, side: int) -> None:
    """Flag every combat unit of a side that cannot trace a Supply Route, and clear the flag of those that can; none is
    eliminated for it (6.1.1, 6.1.4)."""
    state = g.state
    span = FORCE_SPAN[side]
    fields = (field(g, side, False), field(g, side, True))
    exempt = VKOENEN if g.options["commando"] == "on" else NOWHERE
    for unit, hex in enumerate(state.where[span], span.start):
        good = not 0 <= hex < HEXES or fields[FRENCH[unit]][hex] or unit == exempt
        if bool(good) == bool(state.flags[unit] & OOS):
            mark(g, unit)


def mark(g: G, unit: int) -> None:
    """Set or clear the flag of a unit out of supply (6.1.2, 6.1.4)."""
    g.state.flags[unit] ^= OOS
    text = "{unit} in {hex} is out of supply" if g.state.flags[unit] & OOS else "{unit} in {hex} is in supply again"
    g.log("6.1.4", text, unit=unit, hex=g.state.where[unit])


def giving(g: G) -> tuple[int, ...]:
    """Return the Axis HQs that act as Supply Sources in the combat in progress (15.4.1)."""
    return g.state.emergency.units if g.state.emergency else ()


def feeds(g: G, hq: int, opened: frozenset[int] | None = None) -> bytes:
    """Return one byte per hex: 1 where an Axis unit is in command range of an HQ and can trace a Supply Line to it
    (15.2.3, 15.4.1)."""
    hex, fed = g.state.where[hq], bytearray(HEXES)
    if 0 <= hex < HEXES:
        mask, start = obstacles(g, AXIS, opened), frozenset((hex,))
        traced = [line.overland(start, mask) for line in supply_lines(is_raining(g), french=False)]
        for near in BOARD.within(hex, COMMAND):
            for points in traced:
                if points.item(near) != FAR:
                    fed[near] = 1
    return bytes(fed)


def able_hqs(g: G, units: Sequence[int]) -> dict[int, str]:
    """Return the Axis HQs that can supply some of these units, with the units each would supply (15.4.1, 15.4.2)."""
    able = [hq for hq in HQS[AXIS] if units and why_not_giving(g, units, hq) is None]
    return {hq: ", ".join(map(name, fed_by(g, hq, units))) for hq in able}


def fed_by(g: G, hq: int, units: Iterable[int]) -> list[int]:
    """Return the units to which an HQ on the map can give emergency supply (15.4.1)."""
    near, where = feeds(g, hq), g.state.where
    return [unit for unit in units if near[where[unit]]]


def why_not_giving(g: G, units: Sequence[int], hq: int) -> Refusal | None:
    """Return why a unit cannot give emergency supply to any of these (15.1.2, 15.4.1, 15.4.3)."""
    who = f"{name(hq)} cannot give emergency supply"
    if hq not in HQS[AXIS]:
        return Refusal(f"{who}: not an HQ", "15.4.1", name(hq))
    if g.state.flags[hq] & DEPLETED:
        return Refusal(f"{who}: depleted", "15.4.3", name(hq))
    if not 0 <= g.state.where[hq] < HEXES:
        return Refusal(f"{who}: not on the map", "15.1.2", name(hq))
    if not fed_by(g, hq, units):
        return Refusal(f"{who}: no unit without supply can trace a Supply Line to it", "15.4.1", name(hq))
    return None


def deplete(g: G, hq: int) -> None:
    """Deplete an HQ: it gives supply, and cannot be a source again until it recovers (15.4.2, 15.4.3)."""
    g.state.flags[hq] |= DEPLETED
    g.log("15.4.2", "{unit} gives emergency supply and is depleted", unit=hq)


def emergency(g: G, side: int, units: Sequence[int]) -> Procedure:
    """Before a combat is resolved Axis HQs may be depleted to supply these units in it (15.4.1, 15.4.2)."""
    if side == ALLIED:
        return
    done = g.rules.button("done")
    while hqs := able_hqs(g, wanting := [unit for unit in units if not supplied(g, unit)]):
        click = yield g.ask(
            AXIS,
            "combat.supply",
            "Choose an HQ to give emergency supply in this combat, or give none",
            "15.4.1",
            units=hqs,
            buttons=[done],
            why_not=for_units(why_not_giving, wanting),
        )
        if click == done:
            return
        deplete(g, click)
        g.state.emergency = EmergencySupply((*giving(g), click))


def route(g: G, unit: int, hex: int) -> list[int]:
    """Return a Supply Route of a unit that is, or would be, in a hex: from there to the source; empty if there is none
    (6.2)."""
    return route_past(g, unit, hex, obstacles(g, SIDE[unit]))


def route_past(g: G, unit: int, hex: int, mask: bytes) -> list[int]:
    """Return a Supply Route of a unit from a hex with only these obstacles, hex by hex; empty if there is none (3.1.4,
    6.2)."""
    longest_first = reversed(supply_lines(is_raining(g), FRENCH[unit]))
    return lines.route(longest_first, working(g, SIDE[unit]), mask, hex)


def why_not_supplied(g: G, unit: int, hex: int) -> Refusal:
    """Return why a unit in a hex has no Supply Route: what cuts the route it would have, or that there is none (6.2)."""
    side, rain = SIDE[unit], is_raining(g)
    here, mask = BOARD.name(hex), obstacles(g, side)
    for cut in route_past(g, unit, hex, close_outside(g, bytearray(HEXES)))[1:]:
        if mask[cut] != OPEN:
            return Refusal(f"no Supply Route from {here}: it is cut at {BOARD.name(cut)}", *_cutting(g, side, cut))
    if not working(g, side):
        return Refusal("no Supply Source works", "6.3.1", here)
    if FRENCH[unit] and not rain:
        return Refusal(f"no Supply Road within {SHORT} hexes of {here}, the length of French lines", "16.5.4", here)
    if rain:
        return Refusal(f"no Supply Road within {SHORT} hexes of {here} in Rain", "6.2.2", here)
    return Refusal(f"no Supply Road within {FULL} hexes of {here}, or {SHORT} by a trail or over a wadi", "6.2.1", here)


def _cutting(g: G, side: int, hex: int) -> tuple[str, str]:
    """Return the section by which a hex is closed to Supply Routes, and the unit or strongpoint that causes it."""
    return next(_cutters(g, side, hex))


def _cutters(g: G, side: int, hex: int) -> Iterator[tuple[str, str]]:
    where = g.state.where[FORCE_SPAN[1 - side]]
    if hex in where:
        yield "6.2", name(FORCE_SPAN[1 - side].start + where.index(hex))
    if g.state.strongpoint.get(hex, side) != side:
        yield "14.1.1", BOARD.name(hex)
    for enemy in exerting(g, 1 - side, hex):
        yield "6.2.3", name(enemy)
    yield "6.2", BOARD.name(hex)
