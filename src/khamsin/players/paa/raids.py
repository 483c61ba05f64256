"""Raids: units that stand across the enemy's lines or take an installation nobody guards, where that is worth the risk; and
guards against the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from khamsin.games.paa import combat, stacking, supply
from khamsin.games.paa.setup import TURNS
from khamsin.games.paa.units import ALLIED, AXIS, BOARD, CENTRE, DEPOTS, HEXES, POOL, REGULARS, STOPPED, G, cf, name
from khamsin.games.paa.zones import enemy_fort, zone
from khamsin.kernel.flood import FAR, UNREACHED
from khamsin.players.paa.chances import mean_loss
from khamsin.players.paa.country import GROUNDS, MILE, NEAREST, ROAD
from khamsin.players.paa.line import free_units, is_garrison
from khamsin.players.paa.picture import Area, Riders, no_hex, reach_of, riders, stacks_of, strike, way_of
from khamsin.players.paa.plan import UNABLE, Plan
from khamsin.players.paa.value import cut_worth, losses_at
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
    for hex in openings(g, side, near, int(RAID["step"])):
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


def openings(g: G, side: int, near: Area, step: int = 1) -> Iterator[int]:
    """The hexes among these from which a side could cut the enemy's lines: his installations where nobody guards them, and
    every so many hexes of the road behind his front."""
    where, enemy = g.state.where, 1 - side
    miles = [NEAREST[where[u]] for u in REGULARS[enemy] if 0 <= where[u] < HEXES]
    if not miles:
        return
    foremost, base = (min if enemy == ALLIED else max)(miles), MILE[CENTRE[enemy]]
    low, high = sorted((foremost, base))
    depots = {where[d] for d in DEPOTS[enemy] if 0 <= where[d] < HEXES}
    for hex in sorted({*depots, *ROAD[low : high + 1 : step]} - combat.held(g, side)):
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


def barriers(g: G, side: int) -> dict[int, int]:
    """The hexes of enemies without whom units of a side would be in supply again, with the CF of those."""
    where, enemy = g.state.where, 1 - side
    fed = supply.lines(g, side)
    lost = [u for u in REGULARS[side] if 0 <= where[u] < HEXES and not fed.reach(where[u])]
    found = {}
    for hex, units in stacks_of(g, enemy).items() if lost else ():
        with where.supposing(dict.fromkeys(units, POOL[enemy])):
            then = supply.lines(g, side)
            regained = strength_of(g, [u for u in lost if then.reach(where[u])])
        if regained:
            found[hex] = regained
    return found


def guards(g: G, plan: Plan, leaving: bool) -> list[Order]:
    """A unit that has no place yet bars the way of an enemy who next turn could cut off most, as things stand, or as they will
    when all the others without a place are gone to the front. The first time it is found out what he could cut off from every
    hex he reaches; each guard turns him to another way, until none is left that matters."""
    most = LAST["guards"] if plan.turn == TURNS else RAID["guards"]
    state, side = g.state, plan.side
    free = [u for u in free_units(g, plan) if not state.flags[u] & STOPPED and not is_garrison(g, plan, state.where[u])]
    free.sort(key=lambda u: (cf(g, u), u))
    while free and len(plan.guards) < most and plan.threats != {}:
        gone = dict.fromkeys(free, POOL[side]) if leaving else {}
        with state.where.supposing(gone):
            far = riders(g, plan.enemy, alone=True)
            hexes = list(openings(g, plan.enemy, np.logical_or.reduce(far.near))) if plan.threats is None else []
        if plan.threats is None:
            plan.threats = threats(g, plan, far, hexes)
        ways = [
            (worth, hex, unit)
            for unit, area in zip(*far, strict=True)
            for hex, worth in plan.threats.items()
            if area[hex]
        ]
        if not ways:
            return []
        _, hex, enemy = max(ways)
        with state.where.supposing(gone):
            way = way_of(g, enemy, hex)
        found = _guard(g, plan, free, hex, way)
        if found is None:
            plan.threats.pop(hex)
            continue
        unit, near = found
        plan.settled.add(unit)
        plan.guards.append(unit)
        free.remove(unit)
        if state.where[unit] != near:
            return [
                Order((unit, g.place0 + near), f"{name(unit)} at {BOARD.name(near)} bars the way to {BOARD.name(hex)}")
            ]
    return []


def _guard(g: G, plan: Plan, free: Sequence[int], hex: int, way: Iterable[int]) -> tuple[int, int] | None:
    """The unit that bars the way to a hex best, and where: the weakest that gets there, where it is safest and soonest."""
    state, side = g.state, plan.side
    reach = {u: reach_of(g, side, u) for u in free}
    zoned = zone(g, plan.enemy)
    best: tuple[float, int, int] | None = None
    for near in way:
        unit = next((u for u in free if reach[u][near] != FAR), None)
        if unit is None or zoned[near] or enemy_fort(g, side, near) is not None:
            continue
        if state.where[unit] != near and stacking.room(g, side, near) <= 0:
            continue
        risk = (
            losses_at(g, plan, near, [unit])
            + 0.1 * cf(g, unit)
            - RAID["early"] * min(BOARD.distance(near, hex), RAID["ahead"])
        )
        if best is None or risk < best[0]:
            best = risk, unit, near
    return None if best is None else best[1:]


def threats(g: G, plan: Plan, far: Riders, hexes: Iterable[int]) -> dict[int, float]:
    """What the enemy could cut off from each of some hexes that he reaches, where it is much."""
    found = {}
    for hex in hexes:
        cut, taken = cut_by(g, far.units[far.near[:, hex].argmax()], hex)
        worth = cut * cut_worth(plan) + len(taken) * plan.weigh.prize["depot"]
        if worth >= plan.weigh.guarded:
            found[hex] = worth
    return found


def strength_of(g: G, units: Sequence[int]) -> int:
    """The CF of some units."""
    return sum(cf(g, u) for u in units)
