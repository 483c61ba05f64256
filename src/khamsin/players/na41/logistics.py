"""Actions of a Movement Phase besides moves of units: convoys, trucks with Supply Points, rail, Fortifications, ports."""

from __future__ import annotations

from typing import Any

import numpy as np

from khamsin.games.na41 import convoys, fortification, movers, ports, rail, resources, supply, trucks
from khamsin.games.na41.convoys import Convoy
from khamsin.games.na41.units import (
    ALEXANDRIA,
    ALLIED,
    ASU,
    AXIS,
    BOARD,
    COMBAT,
    DAMAGEABLE,
    DELTA,
    EDGE_BOX,
    HEXES,
    ITALY,
    MSU,
    PORTS,
    SIDES,
    TOBRUK,
    TRIPOLI,
    TRUCK,
    TRUCKS,
    G,
    attack,
    capacity,
    combat_units,
    mechanized,
    name,
    pieces_in,
    stock,
    usable_supply,
)
from khamsin.games.na41.zones import zone
from khamsin.kernel.rules import Decision
from khamsin.players.na41.weights import LOGISTICS
from khamsin.players.scripted import Order

TENTHS = 10
"""Stacking points are counted in tenths. A tank or 88mm Flak unit counts nine, and a hex takes 59: so five points fit
and six do not, the first of these units fits besides, and each further one counts nearly a point (4.3)."""
BRIGADE = 2 * TENTHS
"""The stacking points of a brigade."""

# Convoys


def sail_from_italy(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Load the convoy from Italy with all it can take: combat units, trucks, replacements, then Supply Points."""
    if side != AXIS or ITALY not in convoys.routes(g, side):
        return None
    convoy = Convoy(side, ITALY, TRIPOLI)
    for unit in sorted(pieces_in(g, side, ITALY), key=lambda unit: (not COMBAT[unit], not TRUCK[unit], unit)):
        if convoys.why_not_shipped(g, unit, convoy) is None:
            convoy = convoy._replace(units=(*convoy.units, unit))
    return sail(g, convoy, convoys.NO_LIMIT)


def sail_along(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Send the coastal convoy with Supply Points to the port that needs them: for the Allies Tobruk, and a unit for its
    garrison if it has enough of them; for the Axis the farthest port in Full Supply."""
    start = EDGE_BOX[side]
    if not staff.tries("sail"):
        return None
    ends = [end for end in convoys.routes(g, side).get(start, ()) if end in PORTS and is_safe(g, side, end)]
    columns = {end: convoys.column(Convoy(side, start, end)) for end in ends if side == AXIS or end == TOBRUK}
    columns = {end: at for end, at in columns.items() if side == ALLIED or at < LOGISTICS["columns"]}
    if not columns:
        return None
    convoy = Convoy(side, start, max(columns, key=lambda port: columns[port]))
    order = sail(g, convoy, int(LOGISTICS["in_port"]) - stock(g, side).get(convoy.end, 0))
    return order or (sail(g, convoy._replace(units=garrison(g, convoy, staff)), 0) if side == ALLIED else None)


def sail(g: G, convoy: Convoy, points: int) -> Order | None:
    """Send a convoy with at most `points` Supply Points; None if it would be empty."""
    while convoy.points < points and convoys.why_no_point(g, convoy) is None:
        convoy = convoy._replace(points=convoy.points + 1)
    start, end = g.place0 + convoy.start, g.place0 + convoy.end
    cargo = (*convoy.units, *[start] * convoy.points)
    ends = (end,) if len(convoys.routes(g, convoy.side)[convoy.start]) > 1 else ()
    clicks = (g.rules.button("ship"), start, *ends, *cargo, g.rules.button("sail"))
    return Order(clicks, f"supply: a convoy to {BOARD.name(convoy.end)}") if cargo else None


def is_safe(g: G, side: int, port: int) -> bool:
    """Whether a port has a garrison, or no enemy adjacent to it."""
    return bool(combat_units(g, side, port)) or not zone(g, 1 - side)[port]


def garrison(g: G, convoy: Convoy, staff: Any) -> tuple[int, ...]:
    """Return a unit on foot for a port while its garrison is too weak."""
    board, end = staff.plan.board, convoy.end
    if float(board.defence[end]) >= sum([goal.strength for goal in staff.plan.goals if goal.hex == end]):
        return ()
    able = [unit for unit in on_foot(g, convoy.side) if convoys.why_not_shipped(g, unit, convoy) is None]
    return tuple([unit for unit in able if board.has_room(end, board.fields.figures(unit).points)][:1])


# Trucks


def haul(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Move Supply Points by truck from the box and from ports to the army, unload them there, and return."""
    depot = depot_for(g, side, staff)
    able = [truck for truck in TRUCKS[side] if truck in decision.legal and movers.can_move(g, side, truck)]
    trips = (trip(g, side, truck, depot, staff) for truck in able if depot is not None and staff.tries("haul", truck))
    return next((order for order in trips if order is not None), None)


def trip(g: G, side: int, truck: int, depot: int, staff: Any) -> Order | None:
    """Return the action of a truck for a depot: unload there, drive towards it with a Supply Point, or return to the
    box."""
    here, loaded, button = g.state.where[truck], g.state.flags[truck] & MSU, g.rules.button
    if loaded and here == depot:
        unloads = Order((truck, button("unload"), *returning(g, side, here)), f"supply: unloads in {BOARD.name(here)}")
        return unloads if trucks.why_not_unload(g, side, [truck]) is None else None
    if loaded or (can_load(g, side, here) and here != depot):
        hex = staff.theatre.towards(g, side, truck, depot, safe(g, side, staff))
        load = () if loaded else (button("load"),)
        return None if hex is None else Order((truck, *load, g.place0 + hex), f"supply: {name(truck)} moves it")
    if is_wanted_back(g, side, truck) and trucks.why_not_transfer(g, side, [truck]) is None:
        return Order((truck, button("transfer"), g.place0 + EDGE_BOX[side]), f"{name(truck)} returns")
    return None


def can_load(g: G, side: int, here: int) -> bool:
    """Whether a truck can load here, in the box only if units that wait do not need it."""
    free = [truck for truck in idle(g, side) if g.state.where[truck] == here]
    return usable_supply(g, side, here) > 0 and (here < HEXES or len(on_foot(g, side)) < len(free))


def safe(g: G, side: int, staff: Any) -> Any:
    """Return where trucks drive: to own units, or where no enemy can attack, and never next to one."""
    found = staff.plan.board.fields.threat == 0
    found[list(staff.theatre.stacks(g, side))] = True
    return found & (np.frombuffer(zone(g, 1 - side), dtype=np.uint8)[:HEXES] == 0)


def returning(g: G, side: int, here: int) -> tuple[int, ...]:
    """Return the clicks that send a truck back to the box after it has unloaded, in Full Supply."""
    if supply.status_in(g, side, here) != supply.FULL:
        return (g.rules.button("cancel"),)
    return (g.rules.button("transfer"), g.place0 + EDGE_BOX[side])


def on_foot(g: G, side: int) -> list[int]:
    """Return the units on foot that wait in the box for a truck."""
    return [unit for unit in combat_units(g, side, EDGE_BOX[side]) if not mechanized(g, unit)]


def idle(g: G, side: int) -> list[int]:
    """Return the trucks without a load that can move."""
    return [truck for truck in TRUCKS[side] if not g.state.flags[truck] & MSU and movers.can_move(g, side, truck)]


def is_wanted_back(g: G, side: int, truck: int) -> bool:
    """Whether units in the box wait for a truck, or Supply Points, and no unit on foot with it needs it."""
    here, box = g.state.where[truck], EDGE_BOX[side]
    is_free = all(mechanized(g, unit) for unit in combat_units(g, side, here))
    wanted = bool(on_foot(g, side)) or (is_free and usable_supply(g, side, box) > 0)
    return wanted and here < HEXES and not g.state.hexes[truck]


def depot_for(g: G, side: int, staff: Any) -> int | None:
    """Return the hex where the army needs Supply Points most: with ASUs if possible, near its strength, in supply, away
    from enemies, and with few points yet."""
    zoned, points, fed = zone(g, 1 - side), stock(g, side), staff.plan.board.fields.supplied
    stacks = staff.theatre.stacks(g, side)
    strengths = {hex: sum([attack(g, unit) for unit in stack]) for hex, stack in stacks.items()}

    def merit(hex: int) -> float:
        away = BOARD.distances(hex)
        near = sum([power for at, power in strengths.items() if away[at] <= LOGISTICS["near"]])
        return near + LOGISTICS["asu"] * any(ASU[unit] for unit in stacks[hex])

    open_ = [hex for hex in stacks if not zoned[hex] and fed[hex] and points.get(hex, 0) < LOGISTICS["depot"]]
    return max(open_, key=merit, default=None)


# The railway


def entrain(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Send a unit on foot in the box by rail to the station farthest to the west."""
    able = [unit for unit in on_foot(g, side) if rail.why_not_rail(g, side, [unit]) is None]
    room = [at for at in rail.stations(g, DELTA) if at < HEXES and staff.plan.board.has_room(at, BRIGADE)]
    if not able or not room or not staff.tries("rail", able[0]):
        return None
    station = max(room, key=lambda at: BOARD.distance(at, ALEXANDRIA))
    clicks = (able[0], g.rules.button("rail"), g.place0 + station)
    return Order(clicks, f"{name(able[0])} moves by rail to {BOARD.name(station)}")


# Resource Points


def fortify(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Build a Fortification on a held and threatened goal, the most valuable first."""
    fields = staff.plan.board.fields
    if fortification.why_not_begun(g, side) is not None or not staff.tries("fort"):
        return None
    able = [
        (goal.worth, goal.hex) for goal in staff.plan.goals
        if goal.worth >= LOGISTICS["fortified"] and combat_units(g, side, goal.hex)
        and (goal.must or fields.threat_later[goal.hex] > 0) and fortification.why_not_site(g, side, goal.hex) is None
    ]  # fmt: skip
    if not able:
        return None
    _, hex = max(able)
    return Order((g.rules.button("fortify"), g.place0 + hex), f"fortifies {BOARD.name(hex)}")


def buy(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Replace lost trucks, and buy air support, with the points beyond those kept for Fortifications."""
    if not is_rich(g, side) or not staff.tries("buy"):
        return None
    words = ("truck", "german air", "italian air", "allied air")
    word = next((word for word in words if resources.why_not_bought(g, side, word) is None), None)
    return Order((g.rules.button("spend"), g.rules.button(word)), f"buys {word}") if word else None


def is_rich(g: G, side: int) -> bool:
    """Whether a side has more Resource Points than those kept for Fortifications."""
    return bool(g.state.rp.get(SIDES[side], 0) > LOGISTICS["points_kept"])


# Ports


def demolish(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Demolish a port that will probably be lost in the enemy's next player turn, unless its garrison depends on it."""
    able = [port for port in sorted(DAMAGEABLE) if ports.why_not_demolished(g, side, port) is None]
    fed = [port for port in able if supply.status_in(g, side, port) == supply.FULL and staff.tries("demolish", port)]
    thrown = staff.plan.board.fields.thrown_now
    return next((port_work(g, "demolish", port) for port in fed if thrown(port) >= staff.weights["demolish"]), None)


def repair(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Repair a port that cannot take a whole coastal convoy, the one nearest to the enemy first."""
    if not is_rich(g, side) or not staff.tries("repair"):
        return None
    able = [
        (staff.theatre.from_enemy(g, side, port), port) for port in sorted(DAMAGEABLE)
        if capacity(g, port) < convoys.COASTAL and is_safe(g, side, port) and not ports.why_not_repaired(g, side, port)
    ]  # fmt: skip
    return port_work(g, "repair", min(able)[1]) if able else None


def port_work(g: G, word: str, port: int) -> Order:
    """Return the clicks that demolish or repair a port."""
    clicks = (g.rules.button("ports"), g.rules.button(word), g.place0 + port)
    return Order(clicks, f"{word} the port in {BOARD.place_in(port)}")


ERRANDS = (sail_from_italy, sail_along, haul, entrain, fortify, demolish, repair, buy)
