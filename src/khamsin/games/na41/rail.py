"""Rail movement (5.9): one Allied unit, replacement or Supply Point per Movement Phase between stations and the Nile
Delta."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from functools import partial

from khamsin.games.na41 import entering
from khamsin.games.na41.ground import RAIL_ENTRY, RAIL_NEXT, STATIONS
from khamsin.games.na41.stacking import may_leave, why_no_room
from khamsin.games.na41.units import (
    ALLIED,
    AXIS,
    BOARD,
    DELTA,
    DISRUPTED,
    FINISHED,
    FULL_RETREAT,
    GROUND,
    OOS,
    REPLACED,
    SCHEDULE,
    TRANSPORTED,
    TRUCK,
    G,
    add_supply,
    name,
    remove_supply,
    stock,
    usable_supply,
    why_held,
)
from khamsin.games.na41.zones import front, zone
from khamsin.kernel.rules import Decision, Procedure, Refusal

MOST: int = GROUND["rail"]["units"]


def is_extended(g: G) -> bool:
    """Whether the line has reached Misheifa (5.9.2)."""
    return bool(g.state.turn >= SCHEDULE["railroad"]["extended_from"])


def joined(g: G, start: int) -> Iterator[tuple[int, int]]:
    """Yield the locations that the railway joins to one without entering or leaving an enemy ZOC, the nearest first, each
    with the location before it (5.9.1)."""
    extended, zoned, held = is_extended(g), zone(g, AXIS), front(g, AXIS).occupied
    if start != DELTA and (start not in STATIONS[extended] or zoned[start]):
        return
    found, line = {start}, [start]
    for here in line:
        ahead = [*(RAIL_ENTRY if here == DELTA else RAIL_NEXT[extended][here])]
        if here in RAIL_ENTRY:
            ahead.append(DELTA)
        for there in ahead:
            if there not in found and (there == DELTA or not (zoned[there] or there in held)):
                found.add(there)
                line.append(there)
                yield there, here


def stations(g: G, start: int) -> Iterator[int]:
    """Yield the stations, and the Nile Delta, that the railway joins to a location, the nearest first (5.9.1)."""
    stops = STATIONS[is_extended(g)]
    return (there for there, _ in joined(g, start) if there == DELTA or there in stops)


def line_to(g: G, start: int, station: int) -> list[int]:
    """Return the locations that a train from a location to a station enters (5.9.1)."""
    before, path = dict(joined(g, start)), [station]
    while before[path[-1]] != start:
        path.append(before[path[-1]])
    return path[::-1]


def why_not_line(g: G, side: int, start: int, who: str) -> Refusal | None:
    """Return why nothing can be railed from a location: the Allies once per phase, from a station out of enemy ZOCs
    (5.9.1)."""
    label = BOARD.name(start)
    if side != ALLIED:
        return Refusal(f"{who} cannot move by rail: only the Allies use the railway", "5.9.1", who)
    if g.state.railed >= MOST:
        return Refusal(f"{who} cannot move by rail: the railway has been used in this phase", "5.9.1", who)
    if start != DELTA and start not in STATIONS[is_extended(g)]:
        return Refusal(f"{who} cannot move by rail: no station in {label}", "5.9.1", label)
    if next(stations(g, start), None) is None:
        return Refusal(f"{who} cannot move by rail: enemy ZOCs close the line at {label}", "5.9.1", label)
    return None


def why_not_rail(g: G, side: int, units: Sequence[int]) -> Refusal | None:
    """Return why a stack cannot move by rail: one combat unit or replacement in Good Order and supply that has not
    moved (5.9.1, 13.2.1, 16.4, 19.5)."""
    unit, flags = units[0], g.state.flags[units[0]]
    who = name(unit)
    if len(units) > 1 or TRUCK[unit]:
        return Refusal(f"{who} cannot move by rail: select one combat unit or replacement", "5.9.1", who)
    held = why_held(g, unit)
    if held is not None:
        return held
    if flags & (DISRUPTED | FULL_RETREAT):
        return Refusal(f"{who} cannot move by rail: not in Good Order", "13.2.1", who)
    if flags & REPLACED:
        return Refusal(f"{who} cannot move by rail: it has received a Replacement", "19.5", who)
    if flags & OOS:
        return Refusal(f"{who} cannot move by rail: out of supply, it can only use Tactical Movement", "16.4", who)
    if g.state.hexes[unit]:
        return Refusal(f"{who} cannot move by rail: it has moved", "5.9.1", who)
    return why_not_line(g, side, g.state.where[unit], who)


def move_unit(g: G, side: int, units: Sequence[int]) -> Procedure:
    """A unit moves along the railway for its whole allowance and is marked. On the line it has the effects of any moving
    unit (5.9.1, 13.3.2, 16.3.5)."""
    unit = units[0]
    start = g.state.where[unit]
    location = yield from choose(g, side, start, units)
    if location is None:
        return
    line = line_to(g, start, location)
    g.state.flags[unit] |= TRANSPORTED | FINISHED
    g.state.hexes[unit] = 1
    g.state.railed += 1
    yield from entering.starts(g, side, units)
    yield from entering.march(g, side, units, line)
    g.log("5.9.1", "{unit} moves by rail from {hex_from} to {hex}", unit=unit, hex_from=start, hex=g.state.where[unit])


def why_not_supply(g: G, side: int) -> Refusal | None:
    """Return why no Supply Point can be railed (5.9.1)."""
    if side != ALLIED or g.state.railed >= MOST:
        refusal = why_not_line(g, side, DELTA, "A Supply Point")
        return refusal and refusal._replace(cause=BOARD.name(DELTA))
    if any(why_not_railed(g, at) is None for at in stock(g, ALLIED)):
        return None
    return Refusal("No Supply Point can move by rail: none is at a station with an open line", "5.9.1", "Nile Delta")


def why_not_railed(g: G, location: int) -> Refusal | None:
    """Return why no Supply Point can be railed from a location (5.9.1)."""
    if usable_supply(g, ALLIED, location) <= 0:
        label = BOARD.name(location)
        return Refusal(f"No Supply Point in {label} can move by rail", "5.9.1", label)
    refusal = why_not_line(g, ALLIED, location, "A Supply Point")
    return refusal and refusal._replace(cause=BOARD.name(location))


def move_supply(g: G, side: int) -> Procedure:
    """A Supply Point moves along the railway; it cannot be used before the next Initial Phase (5.9.1)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side, "supply.rail", "Choose where a Supply Point is put on the railway", "5.9.1", buttons=[cancel],
        locations=[at for at in stock(g, side) if why_not_railed(g, at) is None], why_not=_why_not_from,
    )  # fmt: skip
    if click == cancel:
        return
    start = g.location(click)
    location = yield from choose(g, side, start, ())
    if location is None:
        return
    remove_supply(g, side, start)
    add_supply(g, side, location)
    g.state.landed[location] = g.state.landed.get(location, 0) + 1
    g.state.railed += 1
    g.log("5.9.1", "A Supply Point moves by rail from {hex_from} to {hex}", hex_from=start, hex=location)


def _why_not_from(g: G, decision: Decision, click: int) -> Refusal | None:
    return why_not_railed(g, g.location(click)) if g.place0 <= click < g.rules.first_button else None


def choose(g: G, side: int, start: int, units: Sequence[int]) -> Generator[Decision, int, int | None]:
    """Return the station to which something is railed, None if it is called off."""
    cancel = g.rules.button("cancel")
    who = name(units[0]) if units else "the Supply Point"
    click = yield g.ask(
        side, "move.rail", f"Choose the station to which {who} is railed", "5.9.1", buttons=[cancel], about=units,
        locations=[at for at in stations(g, start) if why_no_room(g, side, units, at, may_leave) is None],
        why_not=partial(_why_not_to, start=start, units=units),
    )  # fmt: skip
    return None if click == cancel else g.location(click)


def _why_not_to(g: G, decision: Decision, click: int, start: int, units: Sequence[int]) -> Refusal | None:
    if not g.place0 <= click < g.rules.first_button:
        return None
    location = g.location(click)
    label = BOARD.name(location)
    if location not in stations(g, start):
        return Refusal(f"The railway does not lead to {label} from {BOARD.name(start)}", "5.9.1", label)
    return why_no_room(g, decision.side, units, location, may_leave)
