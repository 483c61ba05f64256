"""What a Movement Phase needs besides moves of units: off-map boxes, convoys, trucks with Supply Points, the railway,
Fortifications and purchases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from khamsin.games.na41 import convoys, fortification, movers, ports, rail, resources, supply, trucks
from khamsin.games.na41.convoys import Convoy
from khamsin.games.na41.units import (
    ALLIED,
    ASU,
    AXIS,
    BOARD,
    COMBAT,
    DAMAGEABLE,
    DELTA,
    EDGE_BOX,
    FORCES,
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
    others,
    pieces_in,
    stock,
    usable_supply,
)
from khamsin.games.na41.zones import zone
from khamsin.kernel.flood import FAR
from khamsin.kernel.rules import Decision
from khamsin.players.na41.weights import LOGISTICS
from khamsin.players.scripted import Order

TENTHS = 10
"""Stacking points are counted in tenths. A tank or 88mm Flak unit counts nine, and a hex takes 59: so five points fit and six
do not, the first of these units fits besides, and each further one takes the room of a point (4.3)."""
BRIGADE = 2 * TENTHS
"""The room that a brigade takes."""
MOST_ERRANDS = 60
"""The most errands of a phase."""


def errand(g: G, side: int, decision: Decision, plan: Any) -> Order | None:
    """The next errand, None when there is nothing left to do."""
    if plan.errands >= MOST_ERRANDS:
        return None
    plan.errands += 1
    for look in (sail_from_italy, sail_along, haul, leave_box, rail_point, fortify, demolish, repair, buy):
        found = look(g, side, decision, plan)
        if found is not None:
            return found
    return None


# Convoys


def sail_from_italy(g: G, side: int, decision: Decision, plan: Any) -> Order | None:
    """The convoy from Italy takes all it can: combat units, trucks, replacements, then Supply Points."""
    button = g.rules.button("ship")
    if side != AXIS or button not in decision.legal or ITALY not in convoys.routes(g, side):
        return None
    convoy = Convoy(side, ITALY, TRIPOLI)
    cargo: list[int] = []
    for unit in sorted(pieces_in(g, side, ITALY), key=lambda unit: (not COMBAT[unit], not TRUCK[unit], unit)):
        if convoys.why_not_shipped(g, unit, convoy) is None:
            convoy = convoy._replace(units=(*convoy.units, unit))
            cargo.append(unit)
    while convoys.why_no_point(g, convoy) is None:
        convoy = convoy._replace(points=convoy.points + 1)
        cargo.append(g.place0 + ITALY)
    if not cargo:
        return None
    return Order((button, g.place0 + ITALY, *cargo, g.rules.button("sail")), "the convoy sails from Italy")


def sail_along(g: G, side: int, decision: Decision, plan: Any) -> Order | None:
    """The coastal convoy brings Supply Points to the port that needs them: Tobruk before all others for the Allies, and there
    Supply Points before reinforcements; the farthest port in Full Supply for the Axis."""
    button, start = g.rules.button("ship"), EDGE_BOX[side]
    if button not in decision.legal or "sailed" in plan.tried:
        return None
    plan.tried.add("sailed")
    routes = convoys.routes(g, side)
    ends = [end for end in routes.get(start, ()) if end in PORTS and is_safe(g, side, end)]
    if side == ALLIED:
        ends = [end for end in ends if end == TOBRUK]
    else:
        ends = [end for end in ends if convoys.column(Convoy(side, start, end)) < LOGISTICS["columns"]]
    if not ends:
        return None
    end = ends[0] if side == ALLIED else max(ends, key=lambda port: convoys.column(Convoy(side, start, port)))
    convoy, cargo = Convoy(side, start, end), list[int]()
    while stock(g, side).get(end, 0) + len(cargo) < LOGISTICS["in_port"] and convoys.why_no_point(g, convoy) is None:
        convoy = convoy._replace(points=convoy.points + 1)
        cargo.append(g.place0 + start)
    if side == ALLIED and not cargo:
        cargo = reinforcements(g, convoy, plan)
    if not cargo:
        return None
    many = (g.place0 + end,) if len(routes[start]) > 1 else ()
    reason = f"supply: a convoy to {BOARD.place_in(end)}"
    return Order((button, g.place0 + start, *many, *cargo, g.rules.button("sail")), reason)


def is_safe(g: G, side: int, port: int) -> bool:
    """Whether a port has a garrison, or no enemy next to it."""
    return bool(combat_units(g, side, port)) or not zone(g, 1 - side)[port]


def reinforcements(g: G, convoy: Convoy, plan: Any) -> list[int]:
    """A unit on foot for Tobruk while its garrison is weaker than it should be."""
    guard = sum([goal.strength for goal in plan.goals if goal.hex == convoy.end])
    if float(plan.board.defence[convoy.end]) >= guard:
        return []
    able = [
        unit for unit in pieces_in(g, convoy.side, convoy.start)
        if COMBAT[unit] and not mechanized(g, unit) and convoys.why_not_shipped(g, unit, convoy) is None
        and has_room(g, convoy.side, (unit,), convoy.end, plan.board.theatre)
    ]  # fmt: skip
    return able[:1]


# Trucks


def haul(g: G, side: int, decision: Decision, plan: Any) -> Order | None:
    """Trucks bring Supply Points from the box and from ports to the army, unload them there, and return."""
    depot = depot_for(g, side, plan)
    if depot is None:
        return None
    button, waiting = g.rules.button, len(on_foot(g, side))
    for truck in TRUCKS[side]:
        if truck in plan.tried or truck not in decision.legal or not movers.can_move(g, side, truck):
            continue
        here = g.state.where[truck]
        if g.state.flags[truck] & MSU:
            plan.tried.add(truck)
            if here == depot and not trucks.why_not_unload(g, side, [truck]):
                return Order(
                    (truck, button("unload"), *returning(g, side, here)), f"supply: unloads in {BOARD.name(here)}"
                )
            hex = drive(g, side, truck, depot, plan)
            if hex is not None and hex != here:
                return Order((truck, g.place0 + hex), f"supply: {name(truck)} goes to {BOARD.name(hex)}")
        elif (
            usable_supply(g, side, here) > 0
            and here != depot
            and (here < HEXES or waiting < free_trucks(g, side, here))
        ):
            plan.tried.add(truck)
            hex = drive(g, side, truck, depot, plan)
            if hex is not None and hex != here:
                clicks = (truck, button("load"), g.place0 + hex)
                return Order(clicks, f"supply: {name(truck)} loads and goes to {BOARD.name(hex)}")
        elif here < HEXES and not g.state.hexes[truck] and wanted_back(g, side, here):
            plan.tried.add(truck)
            if trucks.why_not_transfer(g, side, [truck]) is None:
                return Order((truck, button("transfer"), g.place0 + EDGE_BOX[side]), f"{name(truck)} returns")
    return None


def returning(g: G, side: int, here: int) -> tuple[int, ...]:
    """The clicks that send a truck back to the box after it has unloaded, in Full Supply."""
    if supply.status_in(g, side, here) != supply.FULL:
        return (g.rules.button("cancel"),)
    return (g.rules.button("transfer"), g.place0 + EDGE_BOX[side])


def on_foot(g: G, side: int) -> list[int]:
    """The units on foot that wait in the box for a truck."""
    return [unit for unit in combat_units(g, side, EDGE_BOX[side]) if not mechanized(g, unit)]


def free_trucks(g: G, side: int, location: int) -> int:
    """The trucks in a location without a load that can move."""
    return sum(
        [TRUCK[u] and not g.state.flags[u] & MSU and movers.can_move(g, side, u) for u in others(g, side, location)]
    )


def wanted_back(g: G, side: int, here: int) -> bool:
    """Whether units in the box wait for a truck, or Supply Points, and no unit on foot here needs it."""
    need = [unit for unit in combat_units(g, side, here) if not mechanized(g, unit)]
    return bool(on_foot(g, side)) or bool(not need and usable_supply(g, side, EDGE_BOX[side]))


def depot_for(g: G, side: int, plan: Any) -> int | None:
    """The hex where the army needs Supply Points most: with ASUs if possible, near its strength, in supply, away from
    enemies, and with few points yet."""
    zoned, points = zone(g, 1 - side), stock(g, side)
    strengths = {
        hex: sum([attack(g, unit) for unit in stack])
        for hex, stack in g.state.where.stacks(side).items()
        if hex < HEXES
    }
    best: tuple[float, int] | None = None
    for hex in strengths:
        if zoned[hex] or not plan.board.fields.supplied[hex] or points.get(hex, 0) >= LOGISTICS["depot"]:
            continue
        near = sum([power for at, power in strengths.items() if BOARD.distance(at, hex) <= LOGISTICS["near"]])
        merit = near + LOGISTICS["asu"] * any(ASU[unit] for unit in combat_units(g, side, hex))
        if best is None or merit > best[0]:
            best = merit, hex
    return best[1] if best else None


def drive(g: G, side: int, truck: int, depot: int, plan: Any) -> int | None:
    """Where a truck goes on its way to the depot: there, or nearest to it, where no enemy is next to it."""
    theatre, zoned = plan.board.theatre, zone(g, 1 - side)
    costs = theatre.costs(g, side, (truck,))
    if costs[depot] != FAR:
        return depot
    far, _ = theatre.march(g, side, truck, depot)
    able = [hex for hex in (costs != FAR).nonzero()[0].tolist() if far[hex] != FAR and not zoned[hex]]
    safe = [hex for hex in able if combat_units(g, side, hex) or float(plan.board.fields.threat[hex]) == 0]
    return min(safe, key=lambda hex: (int(far[hex]), hex), default=None)


# Off-map boxes and the railway


def leave_box(g: G, side: int, decision: Decision, plan: Any) -> Order | None:
    """Units in the box at the map edge go forward, those on foot by truck or by rail."""
    box = EDGE_BOX[side]
    carriers = [u for u in others(g, side, box) if trucks.is_free(g, u) and u in decision.legal]
    for unit in FORCES[side]:
        if g.state.where[unit] != box or unit not in decision.legal or unit in plan.tried:
            continue
        plan.tried.add(unit)
        if not mechanized(g, unit) and not carriers:
            if rail.why_not_rail(g, side, [unit]) is None:
                station = best_station(g, plan)
                if station is not None:
                    clicks = (unit, g.rules.button("rail"), g.place0 + station)
                    return Order(clicks, f"{name(unit)} goes by rail to {BOARD.name(station)}")
            continue
        party = (unit,) if mechanized(g, unit) else (carriers[0], unit)
        hex = forward(g, side, party, plan)
        if hex is not None:
            return Order((*party, g.place0 + hex), f"{name(unit)} moves to {BOARD.name(hex)}")
    return None


def best_station(g: G, plan: Any) -> int | None:
    """The station farthest to the west that the railway reaches."""
    found = [at for at in rail.stations(g, DELTA) if at < HEXES and plan.board.has_room(at, BRIGADE)]
    return max(found, key=lambda at: BOARD.distance(at, BOARD["2478"]), default=None)


def rail_point(g: G, side: int, decision: Decision, plan: Any) -> Order | None:
    """A Supply Point goes by rail to the last station if no unit needs the railway."""
    button = g.rules.button("rail")
    if button not in decision.legal or "rail" in plan.tried or rail.why_not_railed(g, DELTA) is not None:
        return None
    plan.tried.add("rail")
    station = best_station(g, plan)
    if station is None or stock(g, side).get(station, 0) >= LOGISTICS["depot"]:
        return None
    return Order((button, g.place0 + DELTA, g.place0 + station), "supply: a Supply Point goes by rail")


def forward(g: G, side: int, party: tuple[int, ...], plan: Any) -> int | None:
    """The hex in supply that a party can reach which is nearest to a goal that is worth much."""
    theatre, board = plan.board.theatre, plan.board
    costs = theatre.costs(g, side, party)
    pulls = []
    for goal in plan.goals:
        if goal.worth >= board.weights["stays"] and not (goal.must and board.defence[goal.hex] >= goal.strength > 0):
            far, allowance = theatre.march(g, side, party[0], goal.hex)
            pulls.append((goal.worth, far, allowance))
    best: tuple[float, int] | None = None
    for hex in (costs != FAR).nonzero()[0].tolist():
        if not board.fields.supplied[hex] or float(board.fields.threat[hex]) > board.defence[hex] + 1:
            continue
        if not has_room(g, side, party, hex, theatre):
            continue
        merit = max([worth * 0.9 ** (far[hex] / most) for worth, far, most in pulls if far[hex] != FAR], default=0.0)
        if best is None or merit > best[0]:
            best = merit, hex
    return best[1] if best else None


def has_room(g: G, side: int, party: Sequence[int], hex: int, theatre: Any) -> bool:
    """Whether a party may end in a hex beside the units that are there now."""
    there = [*combat_units(g, side, hex), *party]
    return bool(sum([theatre.figures(g, unit).points for unit in there]) <= theatre.limit(hex))


# Resource Points


def fortify(g: G, side: int, decision: Decision, plan: Any) -> Order | None:
    """A Fortification where a goal is held and threatened, the most valuable first."""
    if "fort" in plan.tried or fortification.why_not_begun(g, side) is not None:
        return None
    plan.tried.add("fort")
    if g.rules.button("fortify") not in decision.legal:
        return None
    fields = plan.board.fields
    able = [
        (goal.worth, goal.hex) for goal in plan.goals
        if goal.worth >= LOGISTICS["fortified"] and combat_units(g, side, goal.hex)
        and (goal.must or float(fields.threat_later[goal.hex]) > 0) and fortification.why_not_site(g, side, goal.hex) is None
    ]  # fmt: skip
    if not able:
        return None
    hex = max(able)[1]
    return Order((g.rules.button("fortify"), g.place0 + hex), f"fortifies {BOARD.name(hex)}")


def buy(g: G, side: int, decision: Decision, plan: Any) -> Order | None:
    """Air Support with the points beyond those kept for Fortifications; lost trucks are replaced."""
    button = g.rules.button("spend")
    if button not in decision.legal or "buy" in plan.tried:
        return None
    plan.tried.add("buy")
    if g.state.rp.get(SIDES[side], 0) <= LOGISTICS["points_kept"]:
        return None
    words = ("truck", "german air", "italian air") if side == AXIS else ("truck", "allied air")
    word = next((word for word in words if resources.why_not_bought(g, side, word) is None), None)
    return Order((button, g.rules.button(word)), f"buys {word}") if word else None


# Ports


def demolish(g: G, side: int, decision: Decision, plan: Any) -> Order | None:
    """A port that will probably be lost in the enemy's next player turn is demolished, unless its garrison lives by it."""
    fields = plan.board.fields
    for port in sorted(DAMAGEABLE):
        if port in plan.tried or ports.why_not_demolished(g, side, port) is not None:
            continue
        plan.tried.add(port)
        if supply.status_in(g, side, port) != supply.FULL:
            continue
        held = sum([fields.figures(unit).defence for unit in combat_units(g, side, port)])
        if fields.thrown(port, held) >= plan.board.weights["demolish"]:
            return port_work(g, decision, "demolish", port)
    return None


def repair(g: G, side: int, decision: Decision, plan: Any) -> Order | None:
    """A port that cannot take a whole coastal convoy is repaired, the one nearest to the enemy first."""
    if "repair" in plan.tried or g.state.rp.get(SIDES[side], 0) <= LOGISTICS["points_kept"]:
        return None
    plan.tried.add("repair")
    enemies = [hex for hex in g.state.where.stacks(1 - side) if hex < HEXES]
    able = [
        (min([BOARD.distance(port, hex) for hex in enemies], default=0), port) for port in sorted(DAMAGEABLE)
        if capacity(g, port) < convoys.COASTAL and is_safe(g, side, port) and not ports.why_not_repaired(g, side, port)
    ]  # fmt: skip
    return port_work(g, decision, "repair", min(able)[1]) if able else None


def port_work(g: G, decision: Decision, word: str, port: int) -> Order | None:
    """The clicks that demolish or repair a port."""
    if g.rules.button("ports") not in decision.legal:
        return None
    clicks = (g.rules.button("ports"), g.rules.button(word), g.place0 + port)
    return Order(clicks, f"{word} the port in {BOARD.place_in(port)}")
