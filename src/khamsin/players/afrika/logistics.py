"""What a movement phase needs besides moves: units in off-map boxes, supply points by truck and ship, the raid, Rommel."""

from __future__ import annotations

from typing import Any

from khamsin.games.afrika import campaign, feeding, movement, offmap, ports, rommel, trucks
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.trucks import Trip
from khamsin.games.afrika.units import (
    AXIS,
    BOARD,
    COUNTS,
    FINISHED,
    FORCES,
    HEXES,
    JOINING,
    PORTS,
    ROMMEL,
    TRIPOLI,
    G,
    attack,
    forces_in,
    name,
    stock,
)
from khamsin.games.afrika.zones import in_zone
from khamsin.kernel.rules import Decision
from khamsin.players.scripted import Order

MOST_ERRANDS = 40
"""The most errands of a phase."""


def errand(g: G, side: int, decision: Decision, plan: Any) -> Order | None:
    """The next errand, None when there is nothing left to do."""
    if plan.errands >= MOST_ERRANDS:
        return None
    plan.errands += 1
    found = None
    if not setting(g).short and movement.EXPLOITING not in g.state.todo:
        found = leave_boxes(g, side, decision) or haul(g, side, decision) or raid(g, side, decision)
    return found or lead(g, side, decision, plan)


def leave_boxes(g: G, side: int, decision: Decision) -> Order | None:
    """Units in Tripoli go to the Joining Box, and from there to the map."""
    for unit in FORCES[side]:
        here = g.state.where[unit]
        if here not in (TRIPOLI, JOINING) or unit not in decision.legal:
            continue
        steps = [end for end in offmap.steps(g, side, [unit]) if end != TRIPOLI]
        if here == TRIPOLI:
            steps = [end for end in steps if end == JOINING]
        steps.sort(key=lambda end: (end != offmap.ROAD_HEX, end))
        if steps:
            return Order((unit, g.place0 + steps[0]), f"{name(unit)} moves to {BOARD.name(steps[0])}")
    return None


def lead(g: G, side: int, decision: Decision, plan: Any) -> Order | None:
    """Rommel joins the stack that attacks with most strength."""
    if side != AXIS or not rommel.is_present(g) or ROMMEL not in decision.legal or g.state.flags[ROMMEL] & FINISHED:
        return None
    zoned = {hex for hex in rommel.camps(g) if any(forces_in(g, 1 - side, near) for near in BOARD.around(hex))}
    camps = zoned or set(rommel.camps(g))
    best = max(camps, key=lambda hex: (sum([attack(g, unit) for unit in forces_in(g, AXIS, hex)]), -hex))
    if best == g.state.where[ROMMEL]:
        return None
    return Order((ROMMEL, g.place0 + best), f"{name(ROMMEL)} goes to {BOARD.name(best)}")


def raid(g: G, side: int, decision: Decision) -> Order | None:
    """The LRDG goes for Rommel as soon as it can."""
    button = g.rules.button("raid")
    if button not in decision.legal or campaign.why_not_raid(g) is not None:
        return None
    return Order((button,), "the LRDG raids Rommel")


# Supply points


def haul(g: G, side: int, decision: Decision) -> Order | None:
    """Move the SP that feeds most hungry units, else one that brings the stock nearer to the army."""
    button = g.rules.button("trucks")
    if button not in decision.legal:
        return None
    chosen = feeding.plan(g, side)
    fed = {unit for units in chosen.values() for unit in units}
    hungry = [unit for unit in feeding.mouths(g, side) if unit not in fed and g.state.where[unit] < HEXES]
    points = stock(g, side)
    spare = {at: number - feeding.cost([COUNTS[u] for u in chosen.get(at, ())]) for at, number in points.items()}
    sources = [at for at, number in spare.items() if number > 0]
    if not sources:
        return None
    found = trip(g, side, sources, hungry) if hungry else None
    return found or forward(g, side, spare)


def trip(g: G, side: int, sources: list[int], hungry: list[int]) -> Order | None:
    """The trip of one SP that feeds most units."""
    where = g.state.where
    camps: dict[int, int] = {}
    for hex in {where[unit] for unit in hungry}:
        reached = feeding.reached(g, side, hex)
        camps[hex] = sum([COUNTS[unit] for unit in hungry if where[unit] in reached])
    best: tuple[float, tuple[int, ...], int] | None = None
    for source in sources:
        for clicks, drives in routes(g, side, source):
            for hex, count in camps.items():
                if hex in drives:
                    merit = count - 0.5 * drives[hex]
                    if best is None or merit > best[0]:
                        best = (
                            merit,
                            (*clicks, *((g.place0 + hex,) if drives[hex] >= 0 and hex != _end(g, clicks) else ())),
                            hex,
                        )
    if best is None:
        return None
    return Order(best[1], f"supply: an SP goes to {BOARD.name(best[2])}")


def _end(g: G, clicks: tuple[int, ...]) -> int:
    """Where a trip is after its last click on a location."""
    return next(click - g.place0 for click in reversed(clicks) if g.place0 <= click < g.rules.first_button)


def routes(g: G, side: int, source: int) -> list[tuple[tuple[int, ...], dict[int, int]]]:
    """The ways of a SP from a dump: by truck, and by ship and then by truck; each with the clicks to the start of the last
    drive, and the truck points to every location from there."""
    start = (g.rules.button("trucks"), g.place0 + source)
    found: list[tuple[tuple[int, ...], dict[int, int]]] = [(start, _drives(g, side, source))]
    if source in trucks.harbours(side) or source == TRIPOLI:
        for port in PORTS:
            if port != source and ports.why_not_shipped(g, side, source, port) is None and not _lost(g, side, port):
                clicks = (*start, g.rules.button("ship"), g.place0 + port)
                found.append((clicks, _drives(g, side, port)))
    return found


def _drives(g: G, side: int, start: int) -> dict[int, int]:
    """The truck points from a location to all that can be reached, 0 for itself."""
    trip = Trip(side, start)
    return {start: 0} | {at: trucks.points_for(trip, cost) for at, cost in trucks.reach(g, trip).items()}


def _lost(g: G, side: int, hex: int) -> bool:
    """Whether SPs in a hex would fall to the enemy."""
    return not forces_in(g, side, hex) and in_zone(g, 1 - side, hex)


def forward(g: G, side: int, spare: dict[int, int]) -> Order | None:
    """Bring an SP nearer to the army: from the dump that feeds least to the camp that eats most."""
    where, weight = g.state.where, dict[int, int]()
    for unit in feeding.mouths(g, side):
        if where[unit] < HEXES:
            weight[where[unit]] = weight.get(where[unit], 0) + COUNTS[unit]
    if not weight:
        return None
    points = stock(g, side)
    demand: dict[int, float] = {}
    for hex in sorted(weight, key=lambda hex: -weight[hex])[:8]:
        if in_zone(g, 1 - side, hex):
            continue
        reached = feeding.reached(g, side, hex)
        eaters = sum([count for at, count in weight.items() if at in reached])
        near = sum([number for dump, number in points.items() if dump in reached])
        demand[hex] = eaters / feeding.GROUP * 2.0 - near
    best: tuple[float, tuple[int, ...], int] | None = None
    for source, number in spare.items():
        if number <= 0 or (source in demand and demand[source] > 0):
            continue
        for clicks, drives in routes(g, side, source):
            for hex, need in demand.items():
                if need <= 0 or hex not in drives or hex == source:
                    continue
                merit = need - 0.7 * drives[hex]
                if merit > 0 and (best is None or merit > best[0]):
                    last = () if hex == _end(g, clicks) else (g.place0 + hex,)
                    best = merit, (*clicks, *last), hex
    if best is None:
        return None
    return Order(best[1], f"supply: an SP goes forward to {BOARD.name(best[2])}")
