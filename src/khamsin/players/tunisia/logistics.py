"""What a movement phase needs besides moves: the exit, headquarters, trucks, rail and sea, modes and reserves."""

from __future__ import annotations

from typing import Any

import numpy as np

from khamsin.games.tunisia import (
    air,
    airbases,
    fuel,
    leaving,
    lift,
    modes,
    movers,
    moves,
    sorties,
    supply,
    tracing,
    trucks,
)
from khamsin.games.tunisia.ground import DETRAINABLE
from khamsin.games.tunisia.stacking import SIZE
from khamsin.games.tunisia.tracing import trace
from khamsin.games.tunisia.units import (
    ARTILLERY,
    BOARD,
    CHANGED,
    DG,
    DIVISION,
    DIVISIONS,
    FINISHED,
    FORCES,
    HEADQUARTERS_OF,
    HEXES,
    IS_HQ,
    IS_REPL,
    MA,
    MOVE,
    MOVING,
    ORGANIC,
    RE,
    RESERVE,
    SCALE,
    STRAT,
    THROW,
    TOKENS,
    TRUCKS_OF,
    G,
    aircraft_in,
    can_attack,
    forces_in,
    name,
    on_map,
    stock,
)
from khamsin.games.tunisia.zones import zone
from khamsin.kernel.flood import FAR
from khamsin.kernel.rules import Decision
from khamsin.mechanics import ways
from khamsin.players.scripted import Order
from khamsin.players.tunisia import goals
from khamsin.players.tunisia.weights import SUPPLY

MOST_ERRANDS = 120
"""The most errands of a phase."""
CANDIDATES = 14
"""The most places that are compared for a headquarters."""
RELIEFS = 4
"""The most of them that are chosen for units without supply."""
CONTACT = 4
"""The hexes from the enemy within which units turn to Combat Mode, and within which headquarters are beside each other."""


def errand(g: G, side: int, decision: Decision, plan: Any, theatre: Any) -> Order | None:
    """The next errand, None when there is nothing left to do."""
    if plan.errands >= MOST_ERRANDS:
        return None
    plan.errands += 1
    found = None
    if not movers.is_later(g):
        found = (
            sweep(g, side, decision, theatre)
            or ship(g, side, decision, theatre)
            or send_supply(g, side, decision, theatre)
            or establish(g, side, decision, theatre)
            or follow(g, side, decision, theatre)
            or haul(g, side, decision, theatre)
            or accompany(g, side, decision, theatre)
            or turn_over(g, side, decision, theatre, plan)
            or hold_back(g, side, decision, theatre, plan)
        )
    return found


def tries(theatre: Any, key: Any) -> bool:
    """Whether something has not been tried in this phase; it counts as tried now."""
    if key in theatre.tried:
        return False
    theatre.tried.add(key)
    return True


def from_enemy(g: G, side: int, hex: int) -> int:
    """The hexes from a hex to the nearest enemy."""
    enemies = [at for at in g.state.where.stacks(1 - side) if 0 <= at < HEXES]
    return min([BOARD.distance(hex, enemy) for enemy in enemies], default=HEXES)


# The exit of scenario 2


def leave(g: G, side: int, decision: Decision, theatre: Any) -> Order | None:
    """The units that have to exit march to the exit and leave."""
    for unit in theatre.leavers(g, side):
        here = g.state.where[unit]
        if unit not in decision.legal:
            continue
        if here == leaving.EXIT:
            if leaving.why_not(g, side, [unit]) is None and tries(theatre, ("exit", unit)):
                return Order((unit, g.rules.button("exit")), f"{name(unit)} exits to the north")
            fresh = not g.state.flags[unit] & MOVE and not g.state.spent[unit]
            if fresh and modes.why_not(g, side, unit, "move") is None and tries(theatre, ("turn", unit)):
                return Order((unit, g.rules.button("move")), f"{name(unit)} prepares to exit")
        elif tries(theatre, ("march", unit)):
            hex = towards(g, side, unit, goals.EXIT, theatre)
            if hex is not None:
                return Order((unit, g.place0 + hex), f"{name(unit)} marches to the exit")
    return None


# Reserves


def release(g: G, side: int, decision: Decision) -> Order | None:
    """Reserves that were kept for the Exploitation Phase are released."""
    if movers.EXPLOITING not in g.state.todo:
        return None
    for unit in FORCES[side]:
        if g.state.flags[unit] & RESERVE and unit in decision.legal:
            return Order((unit, g.rules.button("release")), f"{name(unit)} is released")
    return None


# Fuel


def fuel_divisions(g: G, side: int, decision: Decision, plan: Any, theatre: Any) -> Order | None:
    """A division of which enough units are to move is fuelled as a whole."""
    if plan is None or plan.moment != (g.state.turn, g.state.phase) or movers.is_later(g):
        return None
    divisions: dict[str, list[int]] = {}
    for move in plan.moves:
        for unit in theatre.thirsty(g, move.units, move.hex):
            if DIVISION[unit]:
                divisions.setdefault(DIVISION[unit], []).append(unit)
    for division, units in divisions.items():
        if len(units) >= fuel.LASTING and units[0] in decision.legal and tries(theatre, ("fuel", division)):
            served = fuel.reached(g, side, units[0])
            enough = len([unit for unit in units if unit in served]) >= fuel.LASTING
            if enough and fuel.why_not_lasting(g, side, [units[0]]) is None:
                return Order((units[0], g.rules.button("fuel")), f"fuel for {division}")
    return None


# The air


def sweep(g: G, side: int, decision: Decision, theatre: Any) -> Order | None:
    """Fighters drive enemy fighters from their bases before bombers fly, if they are as good."""
    button = g.rules.button("sweep")
    if button not in decision.legal:
        return None
    for hex in sorties.prey(g, side):
        enemies = [unit for unit in aircraft_in(g, 1 - side, hex) if airbases.is_active(g, unit) and air.FIGHTER[unit]]
        own = max(sorties.hunters(g, side, hex), key=lambda unit: (airbases.air_rating(g, unit), -unit), default=None)
        if not enemies or own is None or not tries(theatre, ("sweep", own)):
            continue
        if airbases.air_rating(g, own) >= max([airbases.air_rating(g, unit) for unit in enemies]):
            return Order((button, g.place0 + hex, own), f"{name(own)} sweeps {BOARD.name(hex)}")
    return None


# Rail and sea


def ship(g: G, side: int, decision: Decision, theatre: Any) -> Order | None:
    """Units in boxes are shipped, one after the other."""
    for unit in (*FORCES[side], *TRUCKS_OF[side]):
        if g.state.where[unit] not in lift.BOXES or unit not in decision.legal or not tries(theatre, ("ship", unit)):
            continue
        for word in (lift.SEA, lift.RAIL):
            if lift.allowance(g, side, word) > 0 and lift.why_not_carried(g, side, [unit], word) is None:
                return Order((unit, g.rules.button(word)), f"{name(unit)} is shipped")
    return None


def send_supply(g: G, side: int, decision: Decision, theatre: Any) -> Order | None:
    """What is left of shipping and rail capacity carries supply to the port or station nearest to the goals that has room."""
    for how in (lift.SEA, lift.RAIL):
        button, left = g.rules.button(f"{how} supply"), lift.left(g, side, how)
        if button not in decision.legal or left < lift.HALF or not tries(theatre, (how, left)):
            continue
        boxes = [at for at in lift.depots(g, side, how) if at >= HEXES]
        ends = lift.harbours(g, side) if how == lift.SEA else lift.stations(g, side)
        ends = sorted([hex for hex in ends if hex < HEXES], key=lambda hex: theatre.nearness(g, side, hex))
        for box, end in [(box, end) for end in ends for box in boxes]:
            if lift.room(g, side, box, end, how):
                size = "all" if "all" in lift.lots(g, side, box, how) else "token"
                clicks = (button, g.place0 + box, g.rules.button(size), g.place0 + end)
                return Order(clicks, f"supply goes by {how} to {theatre.name(end)}")
    return None


def open_railway(g: G, side: int, decision: Decision, plan: Any, theatre: Any) -> Order | None:
    """A unit without a task walks along the railway from where it is owned towards the goals, which links the front to a
    source."""
    if plan is None or plan.moment != (g.state.turn, g.state.phase) or movers.is_later(g) or movers.is_mud(g):
        return None
    if not tries(theatre, "railway"):
        return None
    line = railway(g, side, theatre)
    if not line:
        return None
    marching = [one for one in plan.board.assignments if one.task in ("reserve", "screen")]
    best: tuple[float, int] | None = None
    for unit in [unit for one in marching for party, _ in one.places for unit in party.units]:
        if unit in decision.legal and can_attack(g, unit) and not g.state.flags[unit] & (MOVING | CHANGED | DG):
            costs = theatre.costs(g, side, [unit])
            if costs[line[0]] != FAR or g.state.where[unit] == line[0]:
                price = goals.worth_of(unit) + (int(costs[line[0]]) - MA[unit][1] * SCALE) / SCALE
                if best is None or price < best[0]:
                    best = price, unit
    if best is None:
        return None
    unit = best[1]
    turn = () if g.state.flags[unit] & MOVE else (unit, g.rules.button("move"))
    steps = [click for hex in line if hex != g.state.where[unit] for click in (unit, g.place0 + hex)]
    return Order((*turn, *steps), f"{name(unit)} opens the railway to {BOARD.name(line[-1])}")


def railway(g: G, side: int, theatre: Any) -> list[int]:
    """The rail hexes from the last that is owned and linked to a source to the station nearest to the goals that no enemy
    closes; empty if it is hardly nearer than those that are linked."""
    goal = max(goals.scenario_goals(g, side), key=lambda one: one.worth, default=None)
    if goal is None:
        return []
    far, _ = theatre.march(g, side, FORCES[side][0], goal.hex)
    zoned, owner = zone(g, 1 - side), g.state.rail
    came: dict[int, int] = {hex: hex for hex in tracing.own_sources(g, side) if tracing.RAIL_NEIGHBOURS[hex]}
    waiting, heads = list(came), list(came)
    while waiting:  # owned rails first, so that paths leave them late
        here = waiting.pop(0)
        for near in tracing.RAIL_NEIGHBOURS[here]:
            if near not in came and not zoned[near] and not forces_in(g, 1 - side, near):
                came[near] = here
                owned = owner.get(near) == side and here in heads
                waiting.insert(0, near) if owned else waiting.append(near)
                heads += [near] if owned else []
    stations = [hex for hex in came if hex in DETRAINABLE and hex not in heads]
    best = min(stations, key=lambda hex: (far[hex], hex), default=None)
    nearest = min([int(far[hex]) for hex in heads if hex in DETRAINABLE], default=FAR)
    if best is None or far[best] > nearest - SUPPLY["railway"] * SCALE:
        return []
    line = [best]
    while came[line[-1]] not in heads:
        line.append(came[line[-1]])
    return line[::-1]


# Headquarters


def follow(g: G, side: int, decision: Decision, theatre: Any) -> Order | None:
    """A headquarters moves where it feeds more of the army, while it draws supply itself."""
    for hq in HEADQUARTERS_OF[side]:
        if not on_map(g, hq) or hq not in decision.legal or not tries(theatre, ("hq", hq)):
            continue
        order = move_headquarters(g, side, hq, theatre)
        if order is not None:
            return order
        if g.state.flags[hq] & MOVE and not g.state.flags[hq] & (CHANGED | DG) and not g.state.spent[hq]:
            return Order((hq, g.rules.button("combat")))
    return None


def fed_by(g: G, side: int, hex: int, throw: int, fed: Any) -> float:
    """The worth of the units to which a headquarters in a hex would throw, those that nothing else feeds and those near the
    enemy more, and a share of the goals."""
    reached = supply.flooded(g, side, hex, throw * SCALE)
    wanted = {goal.hex: goal.worth for goal in goals.scenario_goals(g, side)}
    return worth_within(g, side, reached, fed) + SUPPLY["towards"] * sum([wanted[at] for at in wanted if reached[at]])


def fed_without(g: G, side: int, hq: int) -> Any:
    """The hexes that sources and the other headquarters feed."""
    field = trace(g, side)
    return np.logical_or.reduce([field.direct, *[mask for one, mask in field.feeders.items() if one != hq]])


def worth_within(g: G, side: int, reached: Any, fed: Any) -> float:
    """The worth of the units in some hexes, near the enemy more, and less where something else feeds them."""
    total = 0.0
    for at, stack in g.state.where.stacks(side).items():
        if 0 <= at < HEXES and reached[at]:
            times = (1.5 if from_enemy(g, side, at) <= CONTACT else 1.0) * (SUPPLY["direct"] if fed[at] else 1.0)
            total += sum([goals.worth_of(u) for u in stack if not IS_HQ[u]]) * times
    return total


def is_missed(g: G, side: int, hq: int, hex: int) -> bool:
    """Whether units would run out of supply while a headquarters moves to a hex, as it throws less far then."""
    fed, direct = fed_without(g, side, hq), trace(g, side).direct
    now = worth_within(g, side, fed | supply.flooded(g, side, g.state.where[hq], THROW[hq][0] * SCALE), direct)
    return worth_within(g, side, fed | supply.flooded(g, side, hex, THROW[hq][1] * SCALE), direct) < now


def move_headquarters(g: G, side: int, hq: int, theatre: Any) -> Order | None:
    """The best place that a headquarters reaches, if it is better enough: among own stacks and supply, away from the enemy."""
    here = g.state.where[hq]
    option = next(
        (one for one in moves.options(g, side, [hq]) if one.flags[0] & MOVE and not one.flags[0] & STRAT), None
    )
    if option is None:
        return None
    costs = ways.reach(option.way).costs[:HEXES]
    direct, fed = trace(g, side).direct, fed_without(g, side, hq)
    others = [g.state.where[one] for one in HEADQUARTERS_OF[side] if one != hq and on_map(g, one)]

    def merit(hex: int, throw: int) -> float:
        full = fed_by(g, side, hex, throw, fed)
        tokens = sum([amount for at, amount in stock(g, side).items() if at < HEXES and supply.drawn(g, side, at)[hex]])
        rich = SUPPLY["empty"] + (1 - SUPPLY["empty"]) * min(1.0, tokens / SUPPLY["forward"])
        beside = sum([BOARD.distance(hex, other) <= CONTACT for other in others])
        fed_there = direct[hex] or tokens >= SUPPLY["forward"]
        return full * rich * (1.0 if fed_there else 0.25) * SUPPLY["beside"] ** beside

    def is_open(hex: int) -> bool:
        return from_enemy(g, side, hex) > SUPPLY["near_enemy"] and SIZE.room(g, side, hex) >= RE[hq]

    places = [hex for hex in g.state.where.stacks(side) if 0 <= hex < HEXES and costs[hex] != FAR and hex != here]
    places += [hex for hex in stock(g, side) if hex < HEXES and costs[hex] != FAR and hex != here]
    relief = [hex for hex in reliefs(g, side, theatre, costs != FAR) if hex != here and is_open(hex)]
    places = [hex for hex in dict.fromkeys(places) if is_open(hex)]
    if len(places) > CANDIDATES:
        places = sorted(places, key=lambda hex: from_enemy(g, side, hex))
        places = places[:: max(1, len(places) // CANDIDATES)][:CANDIDATES]
    places += relief
    if not places:
        return None
    now = merit(here, THROW[hq][0]) if from_enemy(g, side, here) > SUPPLY["near_enemy"] else 0.0
    best = max(places, key=lambda hex: (merit(hex, THROW[hq][0]), -hex))
    if merit(best, THROW[hq][0]) <= now * SUPPLY["headquarters"] + 1.0:
        return None
    if is_missed(g, side, hq, best):
        return None
    return Order((hq, g.place0 + best), f"{name(hq)} follows to {BOARD.name(best)}")


# An outpost: supply for units that no headquarters reaches


def hungry(g: G, side: int, theatre: Any) -> dict[int, tuple[float, Any]]:
    """The stacks that nothing feeds: their worth, and the hexes from which a headquarters would throw to them."""

    def compute() -> dict[int, tuple[float, Any]]:
        fed = theatre.supplied(g, side)
        throw = max([THROW[hq][0] for hq in HEADQUARTERS_OF[side] if on_map(g, hq)], default=0) * SCALE
        return {
            hex: (sum([goals.worth_of(u) for u in stack if not IS_HQ[u]]), supply.flooded(g, side, hex, throw))
            for hex, stack in theatre.stacks(g, side).items()
            if not fed[hex]
        }

    return theatre.kept(g, ("hungry", side), compute)  # type: ignore[no-any-return]


def reliefs(g: G, side: int, theatre: Any, reached: Any) -> list[int]:
    """The hexes that a headquarters reaches from which it would throw to most of the units that nothing feeds, and draw
    supply itself."""
    total = np.zeros(HEXES)
    for worth, mask in hungry(g, side, theatre).values():
        total += worth * mask
    total[~(trace(g, side).direct & reached)] = 0.0
    return [int(hex) for hex in np.argsort(-total, kind="stable")[:RELIEFS] if total[hex] > 0]


def outpost(g: G, side: int, theatre: Any) -> int | None:
    """The hex with own units from which a headquarters would throw to most of the units that nothing feeds, and that no
    headquarters could feed from where it draws supply itself; None if those are worth little."""

    def compute() -> int | None:
        direct = trace(g, side).direct
        lost = {
            hex: (worth, mask) for hex, (worth, mask) in hungry(g, side, theatre).items() if not (mask & direct).any()
        }
        best: tuple[float, int] | None = None
        for hex, (_, reached) in lost.items():
            merit = sum([worth for at, (worth, _) in lost.items() if reached[at]])
            merit *= 1.0 if from_enemy(g, side, hex) > SUPPLY["near_enemy"] else 0.5
            if best is None or merit > best[0]:
                best = merit, hex
        return best[1] if best and best[0] >= SUPPLY["outpost"] else None

    return theatre.kept(g, ("outpost", side), compute)  # type: ignore[no-any-return]


def establish(g: G, side: int, decision: Decision, theatre: Any) -> Order | None:
    """The nearest headquarters that is not missed goes to an outpost, and stays there."""
    post = outpost(g, side, theatre)
    if post is None:
        return None
    posts = [hq for hq in HEADQUARTERS_OF[side] if on_map(g, hq)]
    for hq in sorted(posts, key=lambda one: (BOARD.distance(g.state.where[one], post), one)):
        here = g.state.where[hq]
        if BOARD.distance(here, post) <= 1:
            theatre.tried.add(("hq", hq))
            return None
        if hq not in decision.legal or not tries(theatre, ("post", hq)):
            continue
        hex = towards(g, side, hq, post, theatre)
        if hex is None or hex == here or from_enemy(g, side, hex) < SUPPLY["near_enemy"] or is_missed(g, side, hq, hex):
            continue
        theatre.tried.add(("hq", hq))
        return Order(
            (hq, g.place0 + hex), f"{name(hq)} goes to {BOARD.name(hex)}, to feed units near {BOARD.name(post)}"
        )
    return None


# Trucks


def relieve(g: G, side: int, decision: Decision, theatre: Any) -> Order | None:
    """Before others use the supply, trucks bring it to an outpost."""
    post = None if movers.is_later(g) else outpost(g, side, theatre)
    return None if post is None else drive_to(g, side, decision, theatre, post)


def haul(g: G, side: int, decision: Decision, theatre: Any) -> Order | None:
    """Trucks bring supply to the headquarters nearest to the enemy."""
    target = forward_base(g, side)
    return None if target is None else drive_to(g, side, decision, theatre, target)


def drive_to(g: G, side: int, decision: Decision, theatre: Any, target: int) -> Order | None:
    """Trucks load at dumps far from a place, drive there, and unload."""
    load, unload = g.rules.button("load"), g.rules.button("unload")
    for truck in TRUCKS_OF[side]:
        if not on_map(g, truck) or ORGANIC[truck] or truck not in decision.legal or g.state.flags[truck] & FINISHED:
            continue
        here, amount = g.state.where[truck], g.state.load[truck]
        if amount and here == target:
            if trucks.why_not(g, side, [truck], "unload") is None and tries(theatre, ("unload", truck)):
                return Order((truck, unload), f"supply for {BOARD.name(target)}")
            continue
        rich = amount < TOKENS and here != target and trucks.loadable(g, side, here) >= TOKENS
        if rich and trucks.why_not(g, side, [truck], "load") is None and tries(theatre, ("load", truck)):
            return Order((truck, load))
        goal = target if amount else nearest_dump(g, side, truck, target)
        if goal is None or goal == here or not tries(theatre, ("drive", truck, goal)):
            continue
        hex = towards(g, side, truck, goal, theatre)
        if hex is not None and hex != here:
            return Order((truck, g.place0 + hex))
    return None


def accompany(g: G, side: int, decision: Decision, theatre: Any) -> Order | None:
    """Organic trucks load and go along with their division."""
    for truck in TRUCKS_OF[side]:
        if not ORGANIC[truck] or not on_map(g, truck) or truck not in decision.legal:
            continue
        here = g.state.where[truck]
        short = g.state.load[truck] < TOKENS and trucks.loadable(g, side, here) > 0
        if short and trucks.why_not(g, side, [truck], "load") is None and tries(theatre, ("load", truck)):
            return Order((truck, g.rules.button("load")))
        goal = division_hex(g, side, ORGANIC[truck])
        if goal is None or goal == here or not g.state.load[truck] or not tries(theatre, ("follow", truck)):
            continue
        hex = towards(g, side, truck, goal, theatre)
        if hex is not None and hex != here and forces_in(g, side, hex):
            return Order((truck, g.place0 + hex))
    return None


def division_hex(g: G, side: int, division: str) -> int | None:
    """Where most of a division is, by the strength that attacks."""
    found: dict[int, float] = {}
    for unit in DIVISIONS.get(division, ()):
        if on_map(g, unit) and not ARTILLERY[unit]:
            found[g.state.where[unit]] = found.get(g.state.where[unit], 0.0) + goals.worth_of(unit)
    return max(found, key=lambda hex: (found[hex], -hex), default=None)


def forward_base(g: G, side: int) -> int | None:
    """Where trucks bring supply: the headquarters nearest to the enemy with too few tokens beside it."""
    posts = [g.state.where[hq] for hq in HEADQUARTERS_OF[side] if on_map(g, hq)]
    posts = [hex for hex in posts if supply.available(g, side, hex) < SUPPLY["forward"]]
    return min(posts, key=lambda hex: (from_enemy(g, side, hex), hex), default=None)


def nearest_dump(g: G, side: int, truck: int, target: int) -> int | None:
    """The dump with a SP or more that a truck should go to, away from the place that needs it."""
    dumps = [hex for hex, amount in stock(g, side).items() if hex < HEXES and amount >= TOKENS and hex != target]
    here = g.state.where[truck]
    return min(dumps, key=lambda hex: (BOARD.distance(hex, here), hex), default=None)


def towards(g: G, side: int, unit: int, goal: int, theatre: Any) -> int | None:
    """A goal, or the hex that a unit reaches from which the goal is nearest."""
    costs = theatre.costs(g, side, [unit])
    if costs[goal] != FAR:
        return goal
    left, _ = theatre.march(g, side, unit, goal)
    reached = np.flatnonzero(costs != FAR)
    if not len(reached):
        return None
    safe = np.array([bool(forces_in(g, side, int(hex))) for hex in reached])
    reached = reached[safe] if safe.any() else reached
    best = int(reached[int(np.argmin(left[reached]))])
    return best if left[best] < left[g.state.where[unit]] else None


# Modes


def turn_over(g: G, side: int, decision: Decision, theatre: Any, plan: Any) -> Order | None:
    """Units that have not moved turn to Combat Mode near the enemy, reserves only if they are to attack."""
    for unit in FORCES[side]:
        flags = g.state.flags[unit]
        if not flags & (MOVE | STRAT | RESERVE) or flags & (CHANGED | FINISHED) or g.state.spent[unit]:
            continue
        if flags & RESERVE and unit not in plan.promised:
            continue
        if not on_map(g, unit) or IS_REPL[unit] or IS_HQ[unit] or unit not in decision.legal:
            continue
        near = from_enemy(g, side, g.state.where[unit]) <= CONTACT
        if near and modes.why_not(g, side, unit, "combat") is None and tries(theatre, ("combat", unit)):
            return Order((unit, g.rules.button("combat")))
    return None


def hold_back(g: G, side: int, decision: Decision, theatre: Any, plan: Any) -> Order | None:
    """Mobile units behind the front go into Reserve while there are markers."""
    held = {goal.hex for goal in goals.goals(g, side) if goal.must}
    for unit in FORCES[side]:
        flags, here = g.state.flags[unit], g.state.where[unit]
        if (
            not on_map(g, unit)
            or IS_HQ[unit]
            or IS_REPL[unit]
            or ARTILLERY[unit]
            or here in held
            or unit in plan.promised
        ):
            continue
        if flags & (CHANGED | FINISHED | RESERVE | DG | STRAT) or g.state.spent[unit] or unit not in decision.legal:
            continue
        if not fuel.burns(unit, MOVE) or not 2 <= from_enemy(g, side, here) <= 6:
            continue
        if modes.why_not(g, side, unit, "reserve") is None and tries(theatre, ("reserve", unit)):
            return Order((unit, g.rules.button("reserve")), f"{name(unit)} is held in reserve")
    return None
