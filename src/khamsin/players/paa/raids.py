"""Raids: units that stand across the enemy's lines or take an installation nobody guards, where that is worth the risk; and
guards against the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from khamsin.games.paa import combat, stacking, supply
from khamsin.games.paa.setup import TURNS
from khamsin.games.paa.units import ALLIED, AXIS, BOARD, CENTRE, DEPOTS, HEXES, POOL, REGULARS, STOPPED, G, cf, name
from khamsin.games.paa.zones import enemy_fort, zone
from khamsin.kernel.flood import FAR, UNREACHED
from khamsin.players.paa.chances import mean_loss
from khamsin.players.paa.country import GROUNDS, MILE, NEAREST, ROAD
from khamsin.players.paa.line import is_garrison
from khamsin.players.paa.picture import Area, Riders, no_hex, reach_of, riders, strike, way_of
from khamsin.players.paa.plan import UNABLE, Plan
from khamsin.players.paa.value import losses_at
from khamsin.players.paa.weights import LAST, RAID
from khamsin.players.scripted import Order


def raids(g: G, plan: Plan) -> list[Order]:
    """The best raid that is left, or none."""
    if len(plan.raiders) >= RAID["most"]:
        return []
    state, side = g.state, plan.side
    units = [
        u
        for u in REGULARS[side]
        if 0 <= state.where[u] < HEXES
        and not state.flags[u] & UNABLE
        and u not in plan.settled
        and not is_garrison(g, plan, state.where[u])
    ]
    units.sort(key=lambda u: (cf(g, u), u))
    reach = {u: reach_of(g, side, u) for u in units}
    near = np.logical_or.reduce([no_hex(), *(distance != UNREACHED for distance in reach.values())])
    best: tuple[float, int, int, int] | None = None
    for hex in openings(g, side, near):
        unit = next(u for u in units if reach[u][hex] != FAR)
        worth, cut = raid(g, plan, unit, hex, RAID["least"] if best is None else best[0])
        if worth > RAID["least"] and (best is None or worth > best[0]):
            best = worth, unit, hex, cut
    if best is None:
        return []
    _, unit, hex, cut = best
    plan.settled.add(unit)
    plan.raiders.add(unit)
    if state.where[unit] == hex:
        return []
    return [Order((unit, g.place0 + hex), f"{name(unit)} raids {BOARD.name(hex)} and cuts off {cut} CF")]


def openings(g: G, side: int, near: Area) -> Iterator[int]:
    """The hexes among these from which a side could cut the enemy's lines: his installations where nobody guards them, and
    the road behind his front."""
    where, enemy = g.state.where, 1 - side
    miles = [NEAREST[where[u]] for u in REGULARS[enemy] if 0 <= where[u] < HEXES]
    if not miles:
        return
    foremost, base = (min if enemy == ALLIED else max)(miles), MILE[CENTRE[enemy]]
    low, high = sorted((foremost, base))
    depots = {where[d] for d in DEPOTS[enemy] if 0 <= where[d] < HEXES}
    for hex in sorted({*depots, *ROAD[low : high + 1 : int(RAID["step"])]} - combat.held(g, side)):
        if near[hex] and enemy_fort(g, side, hex) is None and stacking.room(g, side, hex) > 0:
            yield hex


def raid(g: G, plan: Plan, unit: int, hex: int, least: float) -> tuple[float, int]:
    """What a raid by a unit on a hex is worth, and the CF it cuts off; the enemy's answer is left out where even without it the
    raid is not worth more than `least`."""
    state, side, enemy = g.state, plan.side, plan.enemy
    own = supply.lines(g, side)
    cut, taken = cut_by(g, unit, hex)
    if not cut and not taken:
        return 0.0, 0
    with state.where.supposing({unit: hex} | dict.fromkeys(taken, POOL[enemy])):
        stays = supply.lines(g, side).reach(hex)
        lost = strength_of(g, supply.would_lose_supply(g, side, REGULARS[side], own, supply.lines(g, side)))
        worth = cut * cut_worth(plan) + len(taken) * plan.weigh.prize["depot"]
        worth -= RAID["lost"] * lost + (0.0 if stays else RAID["stranded"] * cf(g, unit))
        if worth <= least or (plan.turn == TURNS and side == AXIS):
            return worth, cut
        power = strength_of(g, [u for u in REGULARS[side] if state.where[u] == hex])
        surplus = strike(g, enemy)[hex] - power * GROUNDS[side][hex]
    return worth - plan.weigh.own * min(mean_loss(surplus), cf(g, unit)), cut


def cut_by(g: G, unit: int, hex: int) -> tuple[int, list[int]]:
    """The CF that a unit in a hex would cut off, and the installations it would take there."""
    where = g.state.where
    enemy = 1 - where.sides[unit]
    before = supply.lines(g, enemy)
    taken = [d for d in DEPOTS[enemy] if where[d] == hex]
    with where.supposing({unit: hex} | dict.fromkeys(taken, POOL[enemy])):
        lost = supply.would_lose_supply(g, enemy, REGULARS[enemy], before, supply.lines(g, enemy))
    return strength_of(g, lost), taken


def cut_worth(plan: Plan) -> float:
    """What it is worth that a CF is out of supply: in the last turn it does not count (14.1)."""
    return RAID["last"] if plan.turn == TURNS else plan.weigh.cut


def guards(g: G, plan: Plan) -> list[Order]:
    """A unit that still has MF bars the way of an enemy who next turn could cut off most. The first time it is found out what
    he could cut off from every hex he reaches; each guard turns him to another way, until none is left that matters."""
    most = LAST["guards"] if plan.turn == TURNS else RAID["guards"]
    if len(plan.guards) >= most or plan.threats == {}:
        return []
    far = riders(g, plan.enemy)
    if plan.threats is None:
        plan.threats = threats(g, plan, far)
    ways = [
        (worth, hex, unit) for unit, area in zip(*far, strict=True) for hex, worth in plan.threats.items() if area[hex]
    ]
    if not ways:
        return []
    state, side = g.state, plan.side
    free = [
        u
        for u in REGULARS[side]
        if 0 <= state.where[u] < HEXES
        and not state.flags[u] & (UNABLE | STOPPED)
        and u not in plan.held
        and not is_garrison(g, plan, state.where[u])
    ]
    free.sort(key=lambda u: (cf(g, u), u))
    reach = {u: reach_of(g, side, u) for u in free}
    _, hex, enemy = max(ways)
    zoned = zone(g, plan.enemy)
    best: tuple[float, int, int] | None = None
    for near in way_of(g, enemy, hex):
        unit = next((u for u in free if reach[u][near] != FAR), None)
        if unit is None or zoned[near] or enemy_fort(g, side, near) is not None:
            continue
        if state.where[unit] != near and stacking.room(g, side, near) <= 0:
            continue
        risk = losses_at(g, plan, near, [unit]) + 0.1 * cf(g, unit) - RAID["early"] * BOARD.distance(near, hex)
        if best is None or risk < best[0]:
            best = risk, unit, near
    if best is None:
        plan.threats.pop(hex)
        return guards(g, plan) if plan.threats else []
    _, unit, near = best
    plan.held.add(unit)
    plan.guards.append(unit)
    if state.where[unit] == near:
        return guards(g, plan)
    return [Order((unit, g.place0 + near), f"{name(unit)} at {BOARD.name(near)} bars the way to {BOARD.name(hex)}")]


def threats(g: G, plan: Plan, far: Riders) -> dict[int, float]:
    """What the enemy could cut off from every hex he reaches, where it is much."""
    found = {}
    for hex in openings(g, plan.enemy, np.logical_or.reduce(far.near)):
        cut, taken = cut_by(g, far.units[far.near[:, hex].argmax()], hex)
        worth = cut * cut_worth(plan) + len(taken) * plan.weigh.prize["depot"]
        if worth >= plan.weigh.guarded:
            found[hex] = worth
    return found


def strength_of(g: G, units: Sequence[int]) -> int:
    """The CF of some units."""
    return sum(cf(g, u) for u in units)
