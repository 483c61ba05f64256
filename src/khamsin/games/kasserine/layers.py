"""What can be drawn over the map of Decision at Kasserine: supply, zones of control, control, interdiction, command, guns, and
the enemy's threat.

All of it is worked out from the game that a side is allowed to see. Where the markers of a side lie face down is known, which
lies where is not (10.3.4), so a layer names markers of the viewer's own side alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from khamsin.games.kasserine import boxes, headquarters, movement, strength, supply, support
from khamsin.games.kasserine.control import contested, controller
from khamsin.games.kasserine.ground import OUTSIDE, REACHES, is_raining, zone_of_interdiction
from khamsin.games.kasserine.paths import MOVEMENT, points_left
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
    KasserineState,
    crosses,
    name,
    on_map,
    stacks,
)
from khamsin.games.kasserine.zones import zone
from khamsin.kernel import data as files
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.dice import Dice
from khamsin.kernel.display import Layer, LayerOf, Line, Note, Spot
from khamsin.kernel.flood import CLOSED, OPEN
from khamsin.kernel.rules import EVERYONE, Game

WORDS: dict[str, Any] = files.read(DATA / "display.toml")
PEOPLE = {AXIS: "Axis", ALLIED: "Allies", NOWHERE: "nobody"}
"""The sides as they are spoken of."""
TITLE = {place.hex: place.name for place in sorted(BOARD.places, key=lambda place: -place.rank)}
"""The greatest named place of each hex that has one."""


def called(hex: int) -> str:
    """A hex by its number, with the place it is known by; a box by its name."""
    number = BOARD.name(hex)
    return f"{TITLE[hex]} ({number})" if hex in TITLE else number


def listed(units: Sequence[int]) -> str:
    """The first names, and how many more."""
    more = f" and {len(units) - 2} more" if len(units) > 2 else ""
    return ", ".join(name(unit) for unit in units[:2]) + more


def sides(viewer: int) -> tuple[int, ...]:
    """Whose lines and plans a viewer is shown: its own, or a spectator both."""
    return (AXIS, ALLIED) if viewer == EVERYONE else (viewer,)


def tone(side: int, viewer: int) -> str:
    """The colour of a side for a viewer; for a spectator the Axis is the stranger."""
    if side == NOWHERE:
        return "note"
    return "own" if side == viewer or (viewer == EVERYONE and side == ALLIED) else "closed"


def _together(layers: Iterable[Layer]) -> Layer:
    all_ = list(layers)
    return Layer(
        tuple(spot for layer in all_ for spot in layer.spots),
        tuple(line for layer in all_ for line in layer.lines),
        tuple(note for layer in all_ for note in layer.notes),
    )


def supply_routes(g: G, viewer: int) -> Layer:
    """Where a side's units would be supplied, the routes of those that are, and what cuts off the others (6.2)."""
    return _together(_supply_of(g, viewer, side) for side in sides(viewer))


def _supply_of(g: G, viewer: int, side: int) -> Layer:
    # To a spectator both nets are shown at once, so each has its own colour.
    mine = "supply" if viewer != EVERYONE or side == AXIS else "open"
    field = supply.field(g, side, french=False)
    outside = frozenset(OUTSIDE.get(setting(g).number, ()))
    sources = supply.working(g, side)
    spots = {hex: Spot(hex, mine) for hex in range(HEXES) if field[hex] and hex not in outside}
    spots |= {hex: Spot(hex, mine, f"{SIDES[side]} source") for hex in sources}
    lines, notes = [], []
    for hex, units in sorted(stacks(g, side).items()):
        fed = [unit for unit in units if supply.supplied(g, unit)]
        way = _route(g, fed)
        if way:
            lines.append(Line(way, mine, f"{listed(fed)}: to {called(way[-1])}"))
        if len(fed) < len(units):
            cut = [unit for unit in units if unit not in fed]
            spots[hex] = Spot(hex, "closed", "cut off")
            barrier, line, note = _cut(g, side, cut)
            lines += line
            notes.append(note)
            if barrier != NOWHERE and barrier != hex:
                spots[barrier] = Spot(barrier, "closed", "barred")
    return Layer(tuple(spots.values()), tuple(lines), tuple(notes))


def _route(g: G, units: Sequence[int]) -> tuple[int, ...]:
    """The Supply Route of units in one hex, which the French among them may have too; empty where an HQ feeds them (6.2)."""
    units = sorted(units, key=lambda unit: not FRENCH[unit])
    found = (tuple(supply.route(g, unit, g.state.where[unit])) for unit in units)
    return next((way for way in found if len(way) > 1), ())


def _cut(g: G, side: int, units: Sequence[int]) -> tuple[int, list[Line], Note]:
    """Where units in one hex are cut off, the route they would have, and why in words (6.2)."""
    unit = units[0]
    hex = g.state.where[unit]
    refusal = supply.why_not_supplied(g, unit, hex)
    mask = supply.obstacles(g, side)
    free = bytearray(HEXES)
    for beyond in OUTSIDE.get(setting(g).number, ()):
        free[beyond] = CLOSED
    way = supply.route_of(supply.working(g, side), bytes(free), is_raining(g), FRENCH[unit], hex)
    barrier = next((there for there in way[1:] if mask[there] != OPEN), NOWHERE)
    by = f" by {refusal.cause}" if barrier != NOWHERE and refusal.cause != BOARD.name(barrier) else ""
    text = f"{listed(units)}: {refusal.reason}{by}"
    return barrier, [Line(tuple(way), "closed", text)] if len(way) > 1 else [], Note(text, refusal.rule, hex)


def zones(g: G, viewer: int, side: int) -> Layer:
    """Where the units of a side exert their zones of control (3.2)."""
    exerted = zone(g, side)
    colour = tone(side, viewer)
    return Layer(tuple(Spot(hex, colour) for hex in range(HEXES) if exerted[hex]))


def control(g: G, viewer: int) -> Layer:
    """Who controls each hex near the armies, what is contested, and to whom the places that count are friendly (3.1)."""
    both = bytes(a | b for a, b in zip(zone(g, AXIS), zone(g, ALLIED), strict=True))
    spots = {}
    for hex in range(HEXES):
        if both[hex]:
            side = controller(g, hex)
            spots[hex] = Spot(
                hex, "border" if side is None else tone(side, viewer), "contested" if side is None else ""
            )
    spots |= {hex: Spot(hex, tone(side, viewer), PEOPLE[side]) for hex, side in sorted(g.state.control.items())}
    disputed = [
        Note(f"{called(hex)} is friendly to the {PEOPLE[side]} and contested", "3.1.3", hex)
        for hex, side in sorted(g.state.control.items())
        if contested(g, hex)
    ]
    return Layer(tuple(spots.values()), (), tuple(disputed))


def interdiction(g: G, viewer: int) -> Layer:
    """The zones of interdiction of both sides, and the air units at work (11.2.5)."""
    spots, notes = [], []
    for side in (AXIS, ALLIED):
        spots += [Spot(hex, tone(side, viewer)) for hex in sorted(zone_of_interdiction(g, side))]
        for unit in ALL[side]:
            if g.state.flags[unit] & INTERDICTING:
                hex = g.state.where[unit]
                notes.append(Note(f"{name(unit)} interdicts from {called(hex)}", "11.2.5", hex))
    return Layer(tuple(spots), (), tuple(notes))


def command(g: G, viewer: int) -> Layer:
    """Where a side's units may be put into Reserve and its air units support combats: near its HQs (15.1.1, 15.2)."""
    spots, notes = [], []
    for side in sides(viewer):
        placed = {g.state.where[hq]: hq for hq in HQS[side] if on_map(g, hq)}
        near = headquarters.command(tuple(sorted(placed)))
        spots += [Spot(hex, tone(side, viewer), name(placed[hex]) if hex in placed else "") for hex in sorted(near)]
        lost = [hq for hq in HQS[side] if g.state.where[hq] >= HEXES]
        notes += [Note(f"{name(hq)} is in {BOARD.name(g.state.where[hq])}", "15.1.2") for hq in lost]
    return Layer(tuple(spots), (), tuple(notes))


def guns(g: G, viewer: int) -> Layer:
    """The barrage points of Deployed guns that could fall on each hex, and the hexes to which a side's own guns are set
    (10.1.2, 10.3.4)."""
    return _together(_guns_of(g, viewer, side) for side in sides(viewer))


def _guns_of(g: G, viewer: int, side: int) -> Layer:
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
            for hex in support.within_range(here, RANGE[gun]):
                points[hex] = points.get(hex, 0) + BARRAGE[gun]
    outside = frozenset(OUTSIDE.get(setting(g).number, ()))
    spots = [Spot(hex, tone(side, viewer), str(sum_)) for hex, sum_ in sorted(points.items()) if hex not in outside]
    return Layer(tuple(spots), tuple(_set_lines(g, viewer, side)), tuple(notes))


def _set_lines(g: G, viewer: int, side: int) -> Iterator[Line]:
    """From each gun to the hex on which its marker lies, if the viewer may know it (10.3.4)."""
    for marker in MARKERS[side]:
        there = g.state.where[marker]
        known = side == viewer or not g.state.flags[marker] & FACE_DOWN
        gun = GUN[marker]
        if known and 0 <= there < HEXES and on_map(g, gun) and there != g.state.where[gun]:
            yield Line((g.state.where[gun], there), "own", f"{name(gun)} supports {called(there)}")


def threat(g: G, viewer: int) -> Layer:
    """The attack strength that the other side could bring against each hex in its next Movement Phase (7.1.1, 9.1.1)."""
    return _together(_threat_of(g, viewer, 1 - side) for side in sides(viewer))


def _threat_of(g: G, viewer: int, enemy: int) -> Layer:
    before = f"{SIDES[enemy]} " if viewer == EVERYONE else ""
    colour = tone(enemy, viewer)
    what = f"Attack strength that the {PEOPLE[enemy]} could bring beside each hex if they moved now, before halving and fire"
    spots = (Spot(hex, colour, f"{before}{points}") for hex, points in enumerate(striking(g, enemy)) if points)
    return Layer(tuple(spots), (), (Note(what, "7.1.1"),))


def striking(g: G, side: int) -> list[int]:
    """For every hex the attack strength of the units that could come beside it as if the side's Movement Phase began now, as
    many of the strongest as find room there (3.3.2, 7.1.1, 9.1.1)."""
    dawn = at_dawn(g, side)
    total, crowd = np.zeros(HEXES, dtype=np.int32), np.zeros(HEXES, dtype=np.int32)
    strengths = {unit: strength.attack_strength(dawn, unit, against_armour=False) for unit in FORCES[side]}
    for unit in sorted(strengths, key=lambda unit: -strengths[unit]):
        if strengths[unit] and _can_strike(dawn, side, unit):
            fits = _attackable(dawn, unit) & (crowd < FRONTAGE)
            total += fits * np.int32(strengths[unit])
            crowd += fits * np.int32(STACKING[unit])
    return total.tolist()


FRONTAGE = np.array([LIMIT * len(BOARD.around(hex)) for hex in range(HEXES)])
"""How many stacking points find room around each hex (3.3.2)."""


def _can_strike(g: G, side: int, unit: int) -> bool:
    """Whether a unit is on the map or may come on it, and is neither a garrison nor a gun in position (5.2.4, 10.0, 18.2.3)."""
    place = g.state.where[unit]
    there = on_map(g, unit) or (place in boxes.DOORS[side] and bool(boxes.ways_in(g, unit)))
    return there and not g.state.release[unit] and not (ARTILLERY[unit] and g.state.flags[unit] & DEPLOYED)


def _attackable(g: G, unit: int) -> NDArray[np.bool_]:
    """The hexes that a unit could come to stand beside, or stands beside, and could attack (9.1.5)."""
    near = np.zeros(HEXES + 1, dtype=np.bool_)
    near[:HEXES] = movement.reach(g, [unit], points_left(g, [unit], MOVEMENT), MOVEMENT).reached
    found: NDArray[np.bool_] = np.any(near[_ways_into(is_raining(g) and ARMOURED[unit], crosses(g, unit))], axis=1)
    return found


@lru_cache(maxsize=16)
def _ways_into(rain: bool, kind: int) -> NDArray[np.int16]:
    """The hexes from which units that cross ground in this way can enter each hex, filled up with one beyond the board."""
    ways = np.full((HEXES, 6), HEXES, dtype=np.int16)
    for hex in range(HEXES):
        for there in REACHES[rain][kind][hex]:
            ways[there, BOARD.direction(there, hex)] = hex
    return ways


def at_dawn(g: G, side: int) -> G:
    """A copy of the game in which a side is about to move: nothing has moved yet in its Movement Phase (7.1.3)."""
    state = g.state.copy()
    for unit in movement.MOVERS[side]:
        state.flags[unit] &= ~(MOVED | STOPPED | REACTED)
        state.spent[unit] = state.changed[unit] = 0
    state.todo.clear()
    return supposed(g, state)


def supposed(g: G, state: KasserineState) -> G:
    """The same game in another state, to see what would be."""
    return Game(g.rules, g.scenario, g.options, state, Dice())


LAYERS: Mapping[str, LayerOf] = {
    "supply": LayerOf("Supply", "6.2", supply_routes),
    "axis zones": LayerOf("Axis zones of control", "3.2", partial(zones, side=AXIS)),
    "allied zones": LayerOf("Allied zones of control", "3.2", partial(zones, side=ALLIED)),
    "control": LayerOf("Control", "3.1", control),
    "interdiction": LayerOf("Interdiction", "11.2.5", interdiction),
    "command": LayerOf("Command range", "15.1", command),
    "guns": LayerOf("Guns and Fire Support", "10.1.2", guns),
    "threat": LayerOf("Enemy threat", "7.1.1", threat),
}
