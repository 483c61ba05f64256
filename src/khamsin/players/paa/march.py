"""How a unit gets to its place, or as near as it can safely get."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from khamsin.games.paa import combat, movement, overrun, stacking, supply, transport
from khamsin.games.paa.units import (
    DEPOT,
    DEPOTS,
    HEXES,
    LORRY,
    REGULAR,
    REGULAR_SPAN,
    REGULARS,
    SIDE,
    TOBRUK,
    G,
    cf,
    name,
)
from khamsin.games.paa.zones import FORT_ZONE, FORTS, zone
from khamsin.kernel.flood import FAR, UNREACHED
from khamsin.kernel.rules import Decision
from khamsin.players.paa.chances import expected_loss
from khamsin.players.paa.country import GROUNDS, Field, way_to
from khamsin.players.paa.picture import reach_of, stacks_of
from khamsin.players.paa.plan import Plan, Task
from khamsin.players.paa.weights import NEAR
from khamsin.players.scripted import Order

AROUND = {fort: np.array([FORT_ZONE.get(hex) == fort for hex in range(HEXES)]) for fort in FORTS}
"""The zone of each fort."""


def carry_out(g: G, plan: Plan, task: Task, decision: Decision) -> Order | None:
    """Move a unit to its place, or as near as it can safely get."""
    unit, side, state = task.unit, plan.side, g.state
    plan.settled.add(unit)
    here = state.where[unit]
    if (task.exact and here == task.goal) or unit not in decision.legal:
        return None
    reach = reach_of(g, side, unit)
    full, friends = company(g, plan, unit)
    if task.exact and reach[task.goal] != FAR and task.goal not in full:
        return Order((unit, g.place0 + task.goal), f"{name(unit)} {task.reason}")
    if task.exact and task.goal == TOBRUK and TOBRUK in transport.harbours(g, side, unit):
        return Order((unit, g.rules.button("by sea"), g.place0 + TOBRUK), f"{name(unit)} sails to Tobruk")
    near = reach != UNREACHED
    near[full] = False
    hexes = near.nonzero()[0]
    if not hexes.size:
        return None
    scores = liking(g, plan, task, hexes, friends)
    best = scores.argmax()
    if hexes[best] == here or (near[here] and scores[best] < scores[hexes.searchsorted(here)] + 0.5):
        return None
    return Order((unit, g.place0 + int(hexes[best])), f"{name(unit)} {task.reason}")


def company(g: G, plan: Plan, unit: int) -> tuple[list[int], dict[int, int]]:
    """Where a unit finds no room among those that have settled or cannot leave, and the CF of the settled in every hex."""
    side, settled = plan.side, plan.settled
    count: dict[int, int] = {}
    friends: dict[int, int] = {}
    for other, hex in zip(REGULARS[side], g.state.where[REGULAR_SPAN[side]], strict=True):
        if not 0 <= hex < HEXES or other == unit:
            continue
        if other in settled:
            friends[hex] = friends.get(hex, 0) + cf(g, other)
        elif movement.can_move(g, side, other):
            continue
        count[hex] = count.get(hex, 0) + 1
    return [hex for hex, number in count.items() if number >= stacking.limit(hex)], friends


def liking(g: G, plan: Plan, task: Task, hexes: NDArray[np.intp], friends: dict[int, int]) -> Field:
    """How much a unit would like to stand in each of some hexes on its way to its goal: near it, in supply, safe among
    friends."""
    side = plan.side
    scores = nearness(task.goal)[hexes]
    power = np.full(HEXES, float(cf(g, task.unit)))
    power[list(friends)] += list(friends.values())
    power = power[hexes]
    risk = np.minimum(expected_loss(plan.strike[hexes] - power * GROUNDS[side][hexes]), power)
    scores -= plan.weigh.danger * plan.fear * risk
    scores -= 3 * np.frombuffer(zone(g, plan.enemy), dtype=np.uint8)[hexes]
    scores -= 200 * (np.frombuffer(supply.lines(g, side).supplied, dtype=np.uint8)[hexes] == 0)
    for fort in combat.held(g, side) & AROUND.keys():
        scores -= 50 * AROUND[fort][hexes]
    scores += plan.taste[hexes]
    return scores


@cache
def nearness(goal: int) -> Field:
    """How much every hex is liked for being near a goal."""
    way = way_to(goal)
    return -(np.maximum(way - NEAR["stacks"], 0) + 0.1 * way)


def make_room(g: G, plan: Plan, decision: Decision) -> Order:
    """A hex holds too many: whoever can leaves it for the nearest with room, by an overrun if there is no other way."""
    side, state = plan.side, g.state
    crowded = stacking.overfull(g, side)
    full = [h for h, stack in stacks_of(g, side).items() if len(stack) >= stacking.limit(h)]
    stocked = [state.where[d] for d in DEPOTS[side]]
    for unit in decision.legal:
        if unit >= len(SIDE) or state.where[unit] not in crowded or (unit, -1) in plan.tried:
            continue
        plan.tried.add((unit, -1))
        if DEPOT[unit]:
            free = [h for h in transport.working_railroad(g) if h not in stocked]
            return Order((unit, g.place0 + (free or [state.where[unit]])[0]))
        away = reach_of(g, side, unit).astype(float)
        away[away == FAR] = np.inf
        away[[state.where[unit], *(h for h in (stocked if LORRY[unit] else full) if 0 <= h < HEXES)]] = np.inf
        best = int(away.argmin())
        stock = transport.loads(g, side, state.where[unit]) if LORRY[unit] and not state.load[unit] else []
        if away[best] < np.inf and (stock or not LORRY[unit] or state.load[unit]):
            taken_up = (stock[0], unit) if stock else ()
            return Order((unit, *taken_up, g.place0 + best), f"{name(unit)} makes room")
        group = [
            u for u in REGULARS[side] if state.where[u] == state.where[unit] and state.origin[u] == state.origin[unit]
        ]
        for mates in (group, [unit]):
            for target in overrun.targets(g, side, mates) if REGULAR[unit] else ():
                return Order((*mates, g.place0 + target), f"{name(unit)} makes room by an overrun")
    return _anywhere(g, plan, [u for u in decision.legal if u < len(SIDE)], crowded)


def _anywhere(g: G, plan: Plan, units: list[int], crowded: list[int]) -> Order:
    """Every sensible way out of a crowded hex has been tried: any one it is, until one is open."""
    unit = plan.chance.choice([u for u in units if g.state.where[u] in crowded] or units)
    hexes = np.flatnonzero(reach_of(g, plan.side, unit) != FAR).tolist() or [g.state.where[unit]]
    return Order((unit, g.place0 + plan.chance.choice(hexes)), f"{name(unit)} makes room")
