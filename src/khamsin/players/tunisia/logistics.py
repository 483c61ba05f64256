"""Actions of a movement phase besides moves: the exit, headquarters, trucks, rail and sea, modes and reserves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from khamsin.games.tunisia import fuel, leaving, lift, modes, movers, moves, supply, tracing, trucks
from khamsin.games.tunisia.ground import DETRAINABLE
from khamsin.games.tunisia.stacking import SIZE
from khamsin.games.tunisia.tracing import trace
from khamsin.games.tunisia.units import (
    ARTILLERY,
    BOARD,
    CHANGED,
    DG,
    DIVISIONS,
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
from khamsin.players.staff.adapter import gather
from khamsin.players.staff.theatre import Mask
from khamsin.players.staff.walls import CLOSED, easiest
from khamsin.players.tunisia import goals
from khamsin.players.tunisia.weights import SUPPLY

CANDIDATES = 14
"""The most hexes compared for a headquarters."""
RELIEFS = 4
"""The most of them chosen for units without supply."""
CONTACT = 4
"""The hexes from the enemy within which units turn to Combat Mode, and within which headquarters stay together."""

# The exit of scenario 2


def leave(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """March the units that have to exit to the exit and leave, before anything is planned. While the enemy bars it, those
    near enough wait in Reserve: adjacent to the enemy they could not."""
    theatre = staff.theatre
    for unit in [unit for unit in theatre.leavers(g, side) if unit in decision.legal]:
        if g.state.where[unit] == leaving.EXIT:
            if leaving.why_not(g, side, [unit]) is None and staff.tries("exit", unit):
                return Order((unit, g.rules.button("exit")), f"{name(unit)} exits to the north")
            if modes.why_not(g, side, unit, "move") is None:
                return Order((unit, g.rules.button("move")), f"{name(unit)} prepares to exit")
        elif staff.tries("march", unit):
            barred = theatre.costs(g, side, (unit,))[goals.EXIT] == FAR
            clicks = wait_to_exit(g, side, unit, theatre) if barred else None
            if clicks:
                return Order(clicks, f"{name(unit)} waits in reserve to exit")
            quiet = theatre.supplied(g, side) & (np.frombuffer(zone(g, 1 - side), dtype=np.uint8)[:HEXES] == 0)
            hex = theatre.towards(g, side, unit, goals.EXIT, quiet, only=False) if clicks is None else None
            if hex is not None:
                return Order((unit, g.place0 + hex), f"{name(unit)} marches to the exit")
    return None


def wait_to_exit(g: G, side: int, unit: int, theatre: Any) -> tuple[int, ...] | None:
    """Return the clicks with which a unit waits in Reserve Mode, Move side up, to exit in the Exploitation Phase or from here
    in the next turn; empty if it only has to stay, None if it cannot or is too far away."""
    costs, most = theatre.march(g, side, unit, goals.EXIT)
    flags = g.state.flags[unit]
    turned, held = bool(flags & MOVE), bool(flags & RESERVE)
    if costs[g.state.where[unit]] > most or flags & (MOVING | DG | STRAT) or g.state.spent[unit]:
        return None
    if movers.is_later(g) or (turned and held):
        return () if turned and (held or movers.EXPLOITING in g.state.todo) else None
    if (flags & CHANGED and not turned) or not (held or modes.why_not(g, side, unit, "reserve") is None):
        return None
    return (*(() if turned else (unit, g.rules.button("move"))), unit, g.rules.button("reserve"))


# Rail and sea


def ship(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Ship units in boxes, one after the other."""
    for unit in (*FORCES[side], *TRUCKS_OF[side]):
        if g.state.where[unit] not in lift.BOXES or unit not in decision.legal or not staff.tries("ship", unit):
            continue
        for word in (lift.SEA, lift.RAIL):
            if lift.allowance(g, side, word) > 0 and lift.why_not_carried(g, side, [unit], word) is None:
                return Order((unit, g.rules.button(word)), f"{name(unit)} is shipped")
    return None


def send_supply(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Send supply by the remaining shipping and rail capacity to the port or station nearest to the goals that has
    room."""
    for how in (lift.SEA, lift.RAIL):
        if lift.why_no_tokens(g, side, how) is not None or not staff.tries(how, lift.left(g, side, how)):
            continue
        boxes = [at for at in lift.depots(g, side, how) if at >= HEXES]
        ends = [hex for hex in lift.ends(g, side, how) if hex < HEXES]
        ends = sorted(ends, key=lambda hex: staff.theatre.nearness(g, side, hex))
        for box, end in [(box, end) for end in ends for box in boxes]:
            if lift.room(g, side, box, end, how):
                size = "all" if "all" in lift.lots(g, side, box, how) else "token"
                clicks = (g.rules.button(f"{how} supply"), g.place0 + box, g.rules.button(size), g.place0 + end)
                return Order(clicks, f"supply moves by {how} to {staff.theatre.name(end)}")
    return None


def open_railway(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Move a unit without a task along the railway from the owned part towards the goals, which links the front to a
    source."""
    plan, flags, bound = staff.plan, g.state.flags, MOVING | CHANGED | DG
    if plan is None or plan.moment != (g.state.turn, g.state.phase) or movers.is_later(g) or movers.is_mud(g):
        return None
    line = railway(g, side, staff.theatre) if staff.tries("railway") else []
    marching = [
        unit for one in plan.board.assignments if one.is_march for party, _ in one.places for unit in party.units
    ]
    able = [unit for unit in marching if unit in decision.legal and can_attack(g, unit) and not flags[unit] & bound]
    costs = {unit: int(staff.theatre.costs(g, side, [unit])[line[0]]) for unit in able if line}
    near = [unit for unit in costs if costs[unit] != FAR]
    if not near:
        return None
    unit = min(near, key=lambda unit: (goals.worth_of(unit) + costs[unit] / SCALE - MA[unit][1], unit))
    turn = () if flags[unit] & MOVE else (unit, g.rules.button("move"))
    steps = [click for hex in line if hex != g.state.where[unit] for click in (unit, g.place0 + hex)]
    return Order((*turn, *steps), f"{name(unit)} opens the railway to {BOARD.name(line[-1])}")


def railway(g: G, side: int, theatre: Any) -> list[int]:
    """Return the rail hexes from the last that is owned and linked to a source to the station nearest to the goals that
    no enemy closes; empty if it is hardly nearer than the linked ones."""
    goal = max(goals.scenario_goals(g, side), key=lambda one: one.worth)
    far, _ = theatre.march(g, side, FORCES[side][0], goal.hex)
    zoned, enemies = zone(g, 1 - side), theatre.stacks(g, 1 - side)
    prices = [CLOSED if zoned[hex] or hex in enemies else 1.0 for hex in range(HEXES)]
    heads = [hex for hex in tracing.own_sources(g, side) if tracing.RAIL_NEIGHBOURS[hex]]
    for head in heads:  # grows while it is read
        near = [hex for hex in tracing.RAIL_NEIGHBOURS[head] if hex not in heads and prices[hex] != CLOSED]
        heads += [hex for hex in near if g.state.rail.get(hex) == side]
    nearest = min([int(far[hex]) for hex in heads if hex in DETRAINABLE], default=FAR) - SUPPLY["railway"] * SCALE
    ends = sorted([hex for hex in DETRAINABLE if far[hex] <= nearest], key=lambda hex: (far[hex], hex))
    lines = (easiest(tracing.RAIL_NEIGHBOURS, prices, heads, [end]) for end in ends)
    return next((line[1:] for line in lines if line), [])


# Headquarters


def follow(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Move a headquarters where it supplies more of the army, while it draws supply itself."""
    for hq in HEADQUARTERS_OF[side]:
        if not on_map(g, hq) or hq not in decision.legal or not staff.tries("hq", hq):
            continue
        hex = better_post(g, side, hq, staff.theatre)
        if hex is not None:
            return Order((hq, g.place0 + hex), f"{name(hq)} follows to {BOARD.name(hex)}")
        if not g.state.flags[hq] & DG and modes.why_not(g, side, hq, "combat") is None:
            return Order((hq, g.rules.button("combat")))
    return None


def better_post(g: G, side: int, hq: int, theatre: Any) -> int | None:
    """Return the best hex that a headquarters reaches, if it is sufficiently better: among own stacks and supply, away
    from the enemy."""
    here, is_last = g.state.where[hq], not theatre.left(g)
    mode = next((one for one in moves.options(g, side, [hq]) if one.flags[0] & (MOVE | STRAT) == MOVE), None)
    if mode is None:
        return None
    reached = ways.reach(mode.way).costs[:HEXES] != FAR
    fed = fed_without(g, side, hq)
    others = [g.state.where[one] for one in HEADQUARTERS_OF[side] if one != hq and on_map(g, one)]
    wanted = {goal.hex: goal.worth for goal in goals.scenario_goals(g, side)}
    held = wanted.keys() & theatre.stacks(g, side).keys() if is_last else ()

    def merit(hex: int) -> float:
        """Return how much of the army it would supply there, and of the goals it would reach, less if supply is short;
        in the last turn also the towns that only it would supply."""
        tokens = sum([amount for at, amount in stock(g, side).items() if at < HEXES and supply.drawn(g, side, at)[hex]])
        rich = SUPPLY["empty"] + (1 - SUPPLY["empty"]) * min(1.0, tokens / SUPPLY["forward"])
        beside = sum([BOARD.distance(hex, other) <= CONTACT for other in others])
        thrown = supply.flooded(g, side, hex, THROW[hq][is_last and hex != here] * SCALE)
        near = sum([worth for at, worth in wanted.items() if thrown[at]])
        full = worth_within(g, side, thrown, fed, theatre) + SUPPLY["towards"] * near
        full *= rich * SUPPLY["beside"] ** beside
        if not trace(g, side).direct[hex]:
            return full * SUPPLY["cut_off"]
        return full + sum([wanted[at] for at in held if thrown[at] and not fed[at]])

    def is_open(hex: int) -> bool:
        away = theatre.from_enemy(g, side, hex) > SUPPLY["near_enemy"]
        return bool(reached[hex]) and hex != here and away and SIZE.room(g, side, hex) >= RE[hq]

    camps: list[int] = [*theatre.stacks(g, side), *(hex for hex in stock(g, side) if hex < HEXES)]
    places = [hex for hex in dict.fromkeys(camps) if is_open(hex)]
    if len(places) > CANDIDATES:
        places = sorted(places, key=lambda hex: theatre.from_enemy(g, side, hex))
        places = places[:: len(places) // CANDIDATES][:CANDIDATES]
    places += [hex for hex in reliefs(g, side, theatre, reached) if is_open(hex)]
    now = merit(here) if theatre.from_enemy(g, side, here) > SUPPLY["near_enemy"] else 0.0
    best = max(places, key=lambda hex: (merit(hex), -hex), default=None)
    if best is None or merit(best) <= now * SUPPLY["headquarters"] + 1.0 or is_missed(g, side, hq, best, theatre):
        return None
    return best


def fed_without(g: G, side: int, hq: int) -> Mask:
    """Return the hexes that sources and the other headquarters supply."""
    field = trace(g, side)
    others = [mask for one, mask in field.feeders.items() if one != hq]
    return np.asarray(np.logical_or.reduce([field.direct, *others]))


def worth_within(g: G, side: int, reached: Mask, fed: Mask, theatre: Any) -> float:
    """Return the value of the units in some hexes, more near the enemy, and less if something else supplies them."""
    total = 0.0
    for at, worth in worth_by_hex(g, side, theatre).items():
        if reached[at]:
            times = 1.5 if theatre.from_enemy(g, side, at) <= CONTACT else 1.0
            total += worth * times * (SUPPLY["direct"] if fed[at] else 1.0)
    return total


def worth_by_hex(g: G, side: int, theatre: Any) -> dict[int, float]:
    """Return the value of the stacks of a side without headquarters, in the last turn with that of the towns they hold."""
    towns = {} if theatre.left(g) else {goal.hex: goal.worth for goal in goals.scenario_goals(g, side)}
    stacks = theatre.stacks(g, side).items()
    worth = {hex: sum([goals.worth_of(unit) for unit in stack if not IS_HQ[unit]]) for hex, stack in stacks}
    return {hex: amount + towns.get(hex, 0.0) for hex, amount in worth.items()}


def is_missed(g: G, side: int, hq: int, hex: int, theatre: Any) -> bool:
    """Whether units would run out of supply while a headquarters moves to a hex, because it throws less far then, and
    nothing if no source supplies it."""
    fed, direct = fed_without(g, side, hq), trace(g, side).direct
    before, then = (
        worth_within(g, side, fed | (supply.flooded(g, side, at, throw * SCALE) & direct[at]), direct, theatre)
        for at, throw in ((g.state.where[hq], THROW[hq][0]), (hex, THROW[hq][1]))
    )
    return then < before


def reliefs(g: G, side: int, theatre: Any, reached: Mask) -> list[int]:
    """Return the hexes that a headquarters reaches from which it would throw to most of the unsupplied units, and draw
    supply itself."""
    fed, total = theatre.supplied(g, side), np.zeros(HEXES)
    up = not theatre.left(g)  # in the last turn the side of a headquarters that has moved
    throw = max([THROW[hq][up] for hq in HEADQUARTERS_OF[side] if on_map(g, hq)], default=0) * SCALE
    for hex, worth in worth_by_hex(g, side, theatre).items():
        if not fed[hex]:
            total += worth * supply.flooded(g, side, hex, throw)
    total *= trace(g, side).direct & reached
    return [int(hex) for hex in np.argsort(-total, kind="stable")[:RELIEFS] if total[hex] > 0]


# Trucks


def haul(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Move supply by truck: load at dumps far from the headquarters nearest to the enemy with too few tokens, drive
    there, and unload. Organic trucks load and move with their division."""
    posts = [g.state.where[hq] for hq in HEADQUARTERS_OF[side] if on_map(g, hq)]
    posts = [hex for hex in posts if supply.available(g, side, hex) < SUPPLY["forward"]]
    post = min(posts, key=lambda hex: (staff.theatre.from_enemy(g, side, hex), hex), default=None)
    for truck in TRUCKS_OF[side]:
        if on_map(g, truck) and truck in decision.legal:
            target = division_hex(g, ORGANIC[truck]) if ORGANIC[truck] else post
            order = None if target is None else trip(g, side, truck, target, staff)
            if order is not None:
                return order
    return None


def trip(g: G, side: int, truck: int, target: int, staff: Any) -> Order | None:
    """Return the action of a truck that brings supply to a hex: unload there, load where there is plenty, drive there
    or to a dump."""
    here, amount, organic = g.state.where[truck], g.state.load[truck], bool(ORGANIC[truck])
    if amount and here == target and not organic:
        unloads = trucks.why_not(g, side, [truck], "unload") is None and staff.tries("unload", truck)
        return Order((truck, g.rules.button("unload")), f"supply for {BOARD.name(target)}") if unloads else None
    rich = trucks.loadable(g, side, here) >= (1 if organic else TOKENS) and (organic or here != target)
    if rich and trucks.why_not(g, side, [truck], "load") is None and staff.tries("load", truck):
        return Order((truck, g.rules.button("load")))
    goal = target if amount else None if organic else nearest_dump(g, side, here, target)
    if goal is None or goal == here or not staff.tries("drive", truck, goal):
        return None
    hex = staff.theatre.to_friends(g, side, truck, goal)
    return None if hex is None or (organic and not forces_in(g, side, hex)) else Order((truck, g.place0 + hex))


def division_hex(g: G, division: str) -> int | None:
    """Return where most of a division's attack strength is."""
    units = [unit for unit in DIVISIONS.get(division, ()) if on_map(g, unit) and not ARTILLERY[unit]]
    stacks = {g.state.where[stack[0]]: stack for stack in gather(units, g.state.where.__getitem__)}
    return max(stacks, key=lambda hex: (sum(map(goals.worth_of, stacks[hex])), -hex), default=None)


def nearest_dump(g: G, side: int, here: int, target: int) -> int | None:
    """Return the dump with a SP or more that a truck should load at, away from the hex that needs it."""
    dumps = [hex for hex, amount in stock(g, side).items() if hex < HEXES and amount >= TOKENS and hex != target]
    return min(dumps, key=lambda hex: (BOARD.distance(hex, here), hex), default=None)


# Modes and reserves


def release(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Release reserves kept for the Exploitation Phase before it is planned."""
    kept = [unit for unit in FORCES[side] if g.state.flags[unit] & RESERVE and unit in decision.legal]
    if movers.EXPLOITING not in g.state.todo or not kept:
        return None
    return Order((kept[0], g.rules.button("release")), f"{name(kept[0])} is released")


def turn_over(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Turn units that have not moved to Combat Mode near the enemy, reserves only if they are to attack."""
    where, flags = g.state.where, g.state.flags
    free = [unit for unit in unmoved(g, side, decision) if not flags[unit] & RESERVE or unit in staff.plan.promised]
    near = [unit for unit in free if staff.theatre.from_enemy(g, side, where[unit]) <= CONTACT]
    return change(g, side, near, "combat", staff)


def hold_back(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Put mobile units behind the front into Reserve while there are markers."""
    held = {goal.hex for goal in staff.plan.goals if goal.must}
    able = [
        unit for unit in unmoved(g, side, decision)
        if g.state.where[unit] not in held and unit not in staff.plan.promised and not ARTILLERY[unit]
        and not g.state.flags[unit] & STRAT and fuel.burns(unit, MOVE)
        and 2 <= staff.theatre.from_enemy(g, side, g.state.where[unit]) <= 6
    ]  # fmt: skip
    return change(g, side, able, "reserve", staff, "is held in reserve")


def change(g: G, side: int, units: Sequence[int], word: str, staff: Any, reason: str = "") -> Order | None:
    """Return the order that puts the first of some units that can take a mode into it."""
    able = (unit for unit in units if modes.why_not(g, side, unit, word) is None and staff.tries(word, unit))
    orders = (Order((unit, g.rules.button(word)), f"{name(unit)} {reason}" if reason else "") for unit in able)
    return next(orders, None)


def unmoved(g: G, side: int, decision: Decision) -> list[int]:
    """Return the combat units on the map that have neither moved nor changed their mode."""
    return [
        unit for unit in FORCES[side]
        if on_map(g, unit) and not (IS_HQ[unit] or IS_REPL[unit]) and unit in decision.legal
        and not g.state.flags[unit] & CHANGED and not g.state.spent[unit]
    ]  # fmt: skip


FIRST = (release, leave, open_railway)
"""The actions before the plan is carried out."""
ERRANDS = (ship, send_supply, follow, haul, turn_over, hold_back)
