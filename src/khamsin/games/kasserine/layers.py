"""The layers over the map of Decision at Kasserine: supply, zones of control, control, interdiction, command, guns, and
the enemy's threat.

All of it is computed from the game as a side may know it. The locations of face-down markers are known, but not which
marker is where (10.3.4), so a layer names only markers of the viewer's own side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from khamsin.games.kasserine import boxes, headquarters, movement, strength, supply
from khamsin.games.kasserine.control import contested, controller
from khamsin.games.kasserine.ground import REACHES, is_raining, zone_of_interdiction
from khamsin.games.kasserine.paths import MOVEMENT, points_left, reach
from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.stacking import LIMIT
from khamsin.games.kasserine.units import (
    ALL,
    ALLIED,
    ARMOURED,
    ARTILLERY,
    AXIS,
    BARRAGE,
    BOARD,
    COUNTERS,
    DATA,
    DEPLOYED,
    FACE_DOWN,
    FORCES,
    FRENCH,
    GUN,
    GUNS,
    HEXES,
    HQS,
    INTERDICTING,
    MARKER,
    MARKERS,
    MOVED,
    RANGE,
    REACTED,
    SIDES,
    STACKING,
    STOPPED,
    G,
    crosses,
    name,
    on_map,
    stacks,
)
from khamsin.games.kasserine.zones import zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.display import Layer, LayerLine, LayerOf, Note, Spot
from khamsin.kernel.flood import OPEN
from khamsin.mechanics import showing
from khamsin.mechanics.showing import Cut, Striker, SupplyState, Texts, tone

TEXTS = Texts(DATA / "display.toml", BOARD, COUNTERS)
called = TEXTS.called


def supply_of(g: G, side: int) -> SupplyState:
    """Return where a side's units would be supplied, the routes of those that are, and what cuts off the others (6.2)."""
    field = supply.field(g, side, french=False)
    outside = setting(g).outside
    lines, cuts = [], []
    for _, units in sorted(stacks(g, side).items()):
        fed = [unit for unit in units if supply.supplied(g, unit)]
        way = _route(g, fed)
        if way:
            lines.append((way, f"{TEXTS.listed(fed)}: to {called(way[-1])}"))
        if len(fed) < len(units):
            cuts.append(_cut(g, side, [unit for unit in units if unit not in fed]))
    sources = dict.fromkeys(supply.working(g, side), f"{SIDES[side]} source")
    return SupplyState((hex for hex in range(HEXES) if field[hex] and hex not in outside), lines, cuts, sources)


def _route(g: G, units: Sequence[int]) -> tuple[int, ...]:
    """Return the Supply Route of units in one hex, including the French among them; empty if an HQ supplies them (6.2)."""
    units = sorted(units, key=lambda unit: not FRENCH[unit])
    found = (tuple(supply.route(g, unit, g.state.where[unit])) for unit in units)
    return next((way for way in found if len(way) > 1), ())


def _cut(g: G, side: int, units: Sequence[int]) -> Cut:
    """Return why units in one hex are cut off, the route they would have, and where it is blocked (6.2)."""
    unit = units[0]
    hex = g.state.where[unit]
    refusal = supply.why_not_supplied(g, unit, hex)
    mask = supply.obstacles(g, side)
    way = supply.route_past(g, unit, hex, supply.close_outside(g, bytearray(HEXES)))
    barrier = next((there for there in way[1:] if mask[there] != OPEN), NOWHERE)
    by = f" by {refusal.cause}" if barrier != NOWHERE and refusal.cause != BOARD.name(barrier) else ""
    return Cut(hex, f"{TEXTS.listed(units)}: {refusal.reason}{by}", refusal.rule, way, barrier)


def control(g: G, viewer: int) -> Layer:
    """Return the controller of each hex near the armies, contested hexes, and the holders of victory locations (3.1)."""
    both = bytes(a | b for a, b in zip(zone(g, AXIS), zone(g, ALLIED), strict=True))
    spots = {}
    for hex in range(HEXES):
        if both[hex]:
            side = controller(g, hex)
            spots[hex] = Spot(
                hex, "border" if side is None else tone(side, viewer), "contested" if side is None else ""
            )
    spots |= showing.holders(TEXTS, dict(sorted(g.state.control.items())), viewer)
    disputed = [
        Note(f"{called(hex)} is friendly to the {TEXTS.people(side)} and contested", "3.1.3", hex)
        for hex, side in sorted(g.state.control.items())
        if contested(g, hex)
    ]
    return Layer(tuple(spots.values()), (), tuple(disputed))


def interdiction(g: G, viewer: int) -> Layer:
    """Return the zones of interdiction of both sides, and their air units (11.2.5)."""
    spots, notes = [], []
    for side in (AXIS, ALLIED):
        spots += [Spot(hex, tone(side, viewer)) for hex in sorted(zone_of_interdiction(g, side))]
        for unit in ALL[side]:
            if g.state.flags[unit] & INTERDICTING:
                hex = g.state.where[unit]
                notes.append(Note(f"{name(unit)} interdicts from {called(hex)}", "11.2.5", hex))
    return Layer(tuple(spots), (), tuple(notes))


def command(g: G, viewer: int) -> Layer:
    """Return where a side's units may be put into Reserve and its air units support combats: near its HQs (15.1.1,
    15.2)."""
    spots, notes = [], []
    for side in showing.viewed_sides(g, viewer):
        placed = {g.state.where[hq]: hq for hq in HQS[side] if on_map(g, hq)}
        near = frozenset().union(*[BOARD.within(hex, headquarters.RANGE) for hex in placed])
        spots += [Spot(hex, tone(side, viewer), name(placed[hex]) if hex in placed else "") for hex in sorted(near)]
        lost = [hq for hq in HQS[side] if g.state.where[hq] >= HEXES]
        notes += [Note(f"{name(hq)} is in {BOARD.name(g.state.where[hq])}", "15.1.2") for hq in lost]
    return Layer(tuple(spots), (), tuple(notes))


def guns(g: G, viewer: int, side: int) -> Layer:
    """Return the barrage points of Deployed guns in range of each hex, and the hexes that a side's own guns support
    (10.1.2, 10.3.4)."""
    state = g.state
    points: dict[int, int] = {}
    notes = []
    for gun in GUNS[side]:
        if not on_map(g, gun):
            continue
        here = state.where[gun]
        if not state.flags[gun] & DEPLOYED:
            notes.append(Note(f"{name(gun)} in {called(here)} is in March mode", "10.1.3", here))
        elif strength.is_spent(g, MARKER[gun]):
            notes.append(Note(f"{name(gun)} in {called(here)} has fired", "10.1.4", here))
        else:
            for hex in BOARD.within(here, RANGE[gun]):
                points[hex] = points.get(hex, 0) + BARRAGE[gun]
    outside = setting(g).outside
    spots = [Spot(hex, tone(side, viewer), str(sum_)) for hex, sum_ in sorted(points.items()) if hex not in outside]
    return Layer(tuple(spots), tuple(_set_lines(g, viewer, side)), tuple(notes))


def _set_lines(g: G, viewer: int, side: int) -> Iterator[LayerLine]:
    """Yield a line from each gun to the hex of its marker, if the viewer may know it (10.3.4)."""
    for marker in MARKERS[side]:
        there = g.state.where[marker]
        known = side == viewer or not g.state.flags[marker] & FACE_DOWN
        gun = GUN[marker]
        if known and 0 <= there < HEXES and on_map(g, gun) and there != g.state.where[gun]:
            yield LayerLine((g.state.where[gun], there), "own", f"{name(gun)} supports {called(there)}")


def striking(g: G, side: int) -> list[int]:
    """Return for every hex the attack strength of the units that could become adjacent to it if the side's Movement
    Phase began now, the strongest up to the stacking limits (3.3.2, 7.1.1, 9.1.1)."""
    start = at_movement_start(g, side)
    strengths = {unit: strength.attack_strength(start, unit, against_armour=False) for unit in FORCES[side]}
    able = (unit for unit, points in strengths.items() if points and _can_strike(start, side, unit))
    return showing.striking([Striker(strengths[u], STACKING[u], _attackable(start, u)) for u in able], ROOM)


ROOM = np.array([LIMIT * len(BOARD.around(hex)) for hex in range(HEXES)])
"""The stacking points around each hex (3.3.2)."""


def _can_strike(g: G, side: int, unit: int) -> bool:
    """Whether a unit is on the map or may enter it, and is neither a garrison nor a Deployed gun (5.2.4, 10.0, 18.2.3)."""
    place = g.state.where[unit]
    there = on_map(g, unit) or (place in boxes.DOORS[side] and bool(boxes.ways_in(g, unit)))
    return there and not g.state.release[unit] and not (ARTILLERY[unit] and g.state.flags[unit] & DEPLOYED)


def _attackable(g: G, unit: int) -> NDArray[np.bool_]:
    """Return the hexes that a unit is or could become adjacent to, and could attack (9.1.5)."""
    near = reach(g, [unit], points_left(g, [unit], MOVEMENT), MOVEMENT).reached
    return showing.attackable(near, _entrances(is_raining(g) and ARMOURED[unit], crosses(g, unit)))


@lru_cache(maxsize=16)
def _entrances(rain: bool, kind: int) -> NDArray[np.int16]:
    """Return the hexes from which units of this movement class can enter each hex (3.6)."""
    into: list[list[int]] = [[] for _ in range(HEXES)]
    for hex in range(HEXES):
        for there in REACHES[rain][kind][hex]:
            into[there].append(hex)
    return showing.entrances(into)


def at_movement_start(g: G, side: int) -> G:
    """Return a copy of the game in which a side is about to move: nothing has moved yet in its Movement Phase (7.1.3)."""
    state = g.state.copy()
    for unit in movement.MOVERS[side]:
        state.flags[unit] &= ~(MOVED | STOPPED | REACTED)
        state.spent[unit] = state.changed[unit] = 0
    state.todo.clear()
    return g.with_state(state)


LAYERS: Mapping[str, LayerOf] = {
    "supply": LayerOf("Supply", "6.2", showing.supply(supply_of), showing.SUPPLY_LEGEND),
    "axis zones": LayerOf("Axis zones of control", "3.2", showing.zones(zone, AXIS)),
    "allied zones": LayerOf("Allied zones of control", "3.2", showing.zones(zone, ALLIED)),
    "control": LayerOf("Control", "3.1", control, {"border": "Contested", "note": "Neither side"}),
    "interdiction": LayerOf("Interdiction", "11.2.5", interdiction),
    "command": LayerOf("Command range", "15.1", command),
    "guns": LayerOf("Guns and Fire Support", "10.1.2", showing.each_side(guns)),
    "threat": LayerOf("Enemy threat", "7.1.1", showing.threat(TEXTS, striking)),
}
