"""Overruns and attacks: where they pay, with the smallest force that gets the most out of them."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations
from math import inf
from typing import NamedTuple

import numpy as np

from khamsin.games.paa import (
    combat,
    combat_supply,
    declaration,
    differential,
    movement,
    overrun,
    resolution,
    stacking,
    supply,
)
from khamsin.games.paa.differential import CLIFFS, defenders
from khamsin.games.paa.ground import ATTACK_SUPPLY, OPEN_SIDES, OVERRUN
from khamsin.games.paa.losses import worth
from khamsin.games.paa.reaction import SUCCESS
from khamsin.games.paa.units import (
    ALLIED,
    BOARD,
    DEPOTS,
    GERMAN,
    HEXES,
    MF,
    MOVED,
    OOC,
    REGULARS,
    SACRIFICED,
    SIDE,
    G,
    cf,
    name,
)
from khamsin.kernel.flood import UNREACHED
from khamsin.mechanics import combats
from khamsin.mechanics.combats import Combat
from khamsin.players.paa.chances import COLUMNS, outcome
from khamsin.players.paa.country import way_to
from khamsin.players.paa.line import is_garrison
from khamsin.players.paa.picture import no_hex, reach_of, stacks_of
from khamsin.players.paa.plan import UNABLE, Attack, Plan
from khamsin.players.paa.value import defence, exposure, in_the_way, losses_at, prize
from khamsin.players.scripted import Order


def overruns(g: G, plan: Plan, only: Container[int] | None = None) -> list[Order]:
    """A stack that can be sure of destroying a weaker one moves next to it and through it (11.4); with `only`, one in these
    hexes, whatever it costs."""
    state, side = g.state, plan.side
    foes = {
        hex: sum([cf(g, u) for u in units])
        for hex, units in stacks_of(g, plan.enemy).items()
        if only is None or hex in only
    }
    for hex, stack in sorted(stacks_of(g, side).items()):
        group = [u for u in stack if movement.can_move(g, side, u) and state.origin[u] == state.origin[stack[0]]]
        if not group or (only is None and is_garrison(g, plan, hex)):
            continue
        for target, price in overrun.targets(g, side, group).items():
            key = (*group, target)
            if key not in plan.tried and price and target in foes:
                plan.tried.add(key)
                reason = f"{', '.join(name(u) for u in group)} overruns {BOARD.name(target)}"
                return [Order((*group, g.place0 + target), reason)]
        power = sum(cf(g, u) for u in group)
        weak = [target for target, strength in foes.items() if strength + 3 <= power]
        order = _ride_to(g, plan, group, hex, weak, 2.0 if only is None else inf) if weak else None
        if order is not None:
            return [order]
    return []


def _ride_to(g: G, plan: Plan, group: list[int], hex: int, weak: Iterable[int], most: float) -> Order | None:
    """A move next to a weak stack from which the overrun will be open, where the enemy could not take so much of the group."""
    state = g.state
    left = min(MF[u] - state.spent[u] for u in group)
    if left <= OVERRUN:
        return None
    costs = movement.reachable(g, plan.side, group).costs
    early = (costs < left - OVERRUN).tobytes()
    for target in weak:
        for near in OPEN_SIDES[target]:
            if not early[near] or near == hex or (*group, target, near) in plan.tried:
                continue
            cost = costs.item(near)
            if stacking.room(g, plan.side, near) < len(group) or losses_at(g, plan, near, group) >= most:
                continue
            for u in group:
                state.spent[u] += cost
            with state.where.supposing(dict.fromkeys(group, near)):
                sure = overrun.why_not(g, plan.side, group, target) is None
            for u in group:
                state.spent[u] -= cost
            if sure:
                plan.tried.add((*group, target, near))
                return Order((*group, g.place0 + near), f"towards an overrun of {BOARD.name(target)}")
    return None


def plan_attacks(g: G, plan: Plan, only: Container[int] | None = None) -> None:
    """Attacks one by one, the best first, each with the smallest force that gets the most out of it; with `only`, on these
    hexes, for which garrisons sally too."""
    if plan.side == ALLIED and g.state.turn < differential.ALLIED_FROM:
        return
    state, side = g.state, plan.side
    units = [
        u
        for u in REGULARS[side]
        if 0 <= state.where[u] < HEXES
        and not state.flags[u] & UNABLE
        and u not in plan.settled
        and (only is not None or not is_garrison(g, plan, state.where[u]))
    ]
    supplied = np.frombuffer(supply.lines(g, side).supplied, dtype=np.uint8) == 1
    areas = {u: supplied & (reach_of(g, side, u) != UNREACHED) for u in units}
    reach = {u: area.tobytes() for u, area in areas.items()}
    near = np.logical_or.reduce([no_hex(), *areas.values()])
    taken: dict[int, int] = {}
    attacked: set[int] = set()
    spent: set[int] = set()
    targets = sorted(
        hex for hex in combat.held(g, side) if (only is None or hex in only) and near[list(OPEN_SIDES[hex])].any()
    )
    while True:
        free = [u for u in units if u not in taken]
        found = [
            a for t in targets if t not in attacked and (a := best_attack(g, plan, (t,), free, reach, taken, spent))
        ]
        if not found:
            pin(g, plan, taken, spent)
            return
        best = max(found, key=lambda a: a.score)
        attacked.update(best.targets)
        if best.depot is not None:
            spent.add(best.depot)
        for unit, hex in best.places.items():
            taken[unit] = hex
            plan.settled.add(unit)
            if state.where[unit] != hex:
                why = f"{name(unit)} goes to attack {best.where} at {best.differential:+d}"
                plan.orders.append(Order((unit, g.place0 + hex), why))


def pin(g: G, plan: Plan, places: dict[int, int], spent: set[int]) -> None:
    """Leave the installations where they are that feed attackers in these places."""
    plan.pinned |= spent
    state = g.state
    with state.where.supposing(places):
        laid = [d for d in DEPOTS[plan.side] if 0 <= state.where[d] < HEXES and not state.flags[d] & MOVED]
        feeds = {d: supply.attack_supply(g, plan.side, depots=[d]) for d in laid} if places else {}
    for hex in set(places.values()):
        if all(feeds[d][hex] > ATTACK_SUPPLY for d in plan.pinned if d in feeds):
            best = min(feeds, key=lambda d: feeds[d][hex], default=None)
            if best is not None and feeds[best][hex] <= ATTACK_SUPPLY:
                plan.pinned.add(best)


def best_attack(
    g: G,
    plan: Plan,
    targets: tuple[int, ...],
    free: Sequence[int],
    reach: Mapping[int, bytes],
    taken: dict[int, int],
    spent: set[int],
) -> Attack | None:
    """The best attack on hexes with units that are free and can get next to all of them; `reach` has one byte a hex for each,
    1 where it can be. Installations in `spent` are given up already, so they cost nothing more."""
    state, side = g.state, plan.side
    foes = combat.held(g, side)
    hexes = [h for h in OPEN_SIDES[targets[0]] if h not in foes and all(h in OPEN_SIDES[t] for t in targets[1:])]
    coming = {h: [u for u in free if reach[u][h]] for h in hexes}
    if not any(coming.values()):
        return None
    room = {h: stacking.room(g, side, h) for h in hexes}
    for unit, hex in taken.items():
        if hex in room and state.where[unit] != hex:
            room[hex] -= 1
    stand_in = {h: next((u for u in coming[h]), None) for h in hexes}
    fed, depots = feeding(g, plan, stand_in)
    wall = _wall(g, plan, targets)
    best: Attack | None = None
    for depot, near in (None, fed), *depots:
        offers = []
        for hex in hexes:
            halves = 4 if depot is not None and near[hex] else 2 if fed[hex] else 1
            quarters = halves * (1 if all(t in CLIFFS[hex] for t in targets) else 2)
            danger = -float(plan.strike[hex])
            for unit in coming[hex]:
                offers.append((max(4, cf(g, unit) * quarters), state.where[unit] == hex, danger, unit, hex))
        offers.sort(reverse=True)
        price = 0.0 if depot is None or depot in spent else plan.weigh.depot
        attack = _gather(g, plan, targets, wall, offers, dict(room), depot, price)
        if attack is not None and (best is None or attack.score > best.score):
            best = attack
    return best if best is not None and best.score >= plan.weigh.least else None


class Wall(NamedTuple):
    """What an attack runs against: the defence in quarters, each defender's CF and whether it is German, and what else the fall
    of the hexes is worth."""

    df: int
    figures: tuple[tuple[int, bool], ...]
    reward: float


def _wall(g: G, plan: Plan, targets: tuple[int, ...]) -> Wall:
    """What an attack on hexes runs against."""
    units, where = defenders(g, targets), g.state.where
    lines = supply.lines(g, plan.enemy)
    return Wall(
        sum([defence(g, plan, u, where[u], lines.reach(where[u])) for u in units]),
        tuple(sorted([(worth(g, u), GERMAN[u]) for u in units])),
        sum([prize(g, plan, target) + in_the_way(g, plan, target) for target in targets]),
    )


def _gather(
    g: G,
    plan: Plan,
    targets: tuple[int, ...],
    wall: Wall,
    offers: list[tuple[int, bool, float, int, int]],
    room: dict[int, int],
    depot: int | None,
    price: float,
) -> Attack | None:
    """Add attackers one by one, the strongest first, and keep the force that is worth most."""
    df, figures, reward = wall
    whole = sum([strength for strength, _ in figures])
    places: dict[int, int] = {}
    attackers: list[int] = []
    power: dict[int, int] = {}
    af = 0
    best: Attack | None = None
    for strength, there, _, unit, hex in offers:
        if unit in places or (not there and room[hex] <= 0):
            continue
        places[unit] = hex
        room[hex] -= not there
        insort(attackers, cf(g, unit))
        power[hex] = power.get(hex, 0) + cf(g, unit)
        af += strength
        if af < df:
            continue
        column = (af - df) // 4
        result = outcome(column, figures, tuple(attackers))
        score = result.theirs * plan.weigh.kill - result.ours * plan.weigh.own + result.cleared * reward
        score -= exposure(plan, power, result.cleared * whole)
        score -= price
        if best is None or score > best.score + 0.05:
            best = Attack(targets, dict(places), score, column, depot)
        if column >= COLUMNS + 2:
            break
    return best


def best_declaration(g: G, plan: Plan, targets: Sequence[int]) -> Attack | None:
    """The best attack that can be named with everybody where he stands: on one hex, or on two at once where that is worth more
    than both by themselves (12.2)."""
    ready = declaration.ready(g, plan.side)
    reach = {u: alone(g.state.where[u]) for u in ready}
    before, plan.strike = plan.strike, np.zeros(HEXES)
    open_ = [t for t in targets if t not in g.state.targets]
    single = {t: best_attack(g, plan, (t,), ready, reach, {}, plan.spent) for t in open_}
    found = [attack for attack in single.values() if attack is not None]
    for pair in combinations(open_, 2):
        both = best_attack(g, plan, pair, ready, reach, {}, plan.spent)
        apart = sum(attack.score for hex in pair if (attack := single[hex]) is not None)
        if both is not None and both.score > apart + plan.weigh.least:
            found.append(both)
    plan.strike = before
    best = max(found, key=lambda attack: attack.score, default=None)
    if best is not None and best.depot is not None:
        plan.spent.add(best.depot)
    return best


def declaration_clicks(g: G, side: int, attack: Attack, done: int) -> tuple[int, ...]:
    """The clicks that declare an attack: its hexes, the units that are not wanted or were dropped, and the end (12.2)."""
    rules = declaration.DECLARATION
    first, *others = attack.targets
    clicks = [g.place0 + first]
    draft: Combat | None = combats.begin(g, rules, side, first)
    for hex in others:
        clicks.append(g.place0 + hex)
        draft = draft and combats.changed(g, rules, draft, g.place0 + hex)
    return (*clicks, *sorted(set(draft.units if draft else ()) ^ attack.places.keys()), done)


@cache
def alone(hex: int) -> bytes:
    """One byte a hex: 1 in this one."""
    return bytes([h == hex for h in range(HEXES)])


def worth_of_combats(g: G, plan: Plan, given: list[int]) -> float:
    """What the combats that have been named are worth if these installations are given up."""
    side = plan.side
    distance = supply.attack_supply(g, side)
    best = supply.attack_supply(g, side, depots=given) if given else None
    return sum(
        max(worth_of(g, plan, number, lambda u: combat_supply.supply_of(g, u, distance, best)), 0.0)
        for number in set(g.state.targets.values())
    )


def worth_of(g: G, plan: Plan, number: int, halves: Callable[[int], int]) -> float:
    """What one named combat is worth; below 0 it is better called off."""
    attackers, targets = combat.attackers_of(g, plan.side, number), combat.targets_of(g, number)
    if not attackers:
        return 0.0
    sheet = differential.attack(g, attackers, targets, halves, supply.lines(g, plan.enemy))
    figures = tuple(sorted((worth(g, u), GERMAN[u]) for u in defenders(g, targets)))
    result = outcome(sheet.differential if sheet.permitted else -1, figures, tuple(sorted(cf(g, u) for u in attackers)))
    value = result.theirs * plan.weigh.kill - result.ours * plan.weigh.own
    return value + result.cleared * sum(prize(g, plan, hex) + in_the_way(g, plan, hex) for hex in targets)


def relief(g: G, unit: int, hex: int) -> float:
    """The CF that a unit saves by coming to the help of an attacked hex, times the chance that it comes (15.1)."""
    side = SIDE[unit]
    number = g.state.targets[hex]
    before = _cost(g, side, number)
    with g.state.where.supposing({unit: hex}):
        after = _cost(g, side, number)
    return (before - after) * (7 - SUCCESS[side]) / 6


def _cost(g: G, side: int, number: int) -> float:
    """What a combat that the enemy has named is expected to cost a side, his own losses taken off."""
    sheet = resolution.weigh(g, 1 - side, number)
    if not sheet.permitted and not combat.forced(g, 1 - side, number):
        return 0.0
    figures = tuple(sorted((worth(g, u), GERMAN[u]) for u in defenders(g, combat.targets_of(g, number))))
    attackers = tuple(sorted(cf(g, u) for u in combat.attackers_of(g, 1 - side, number)))
    result = outcome(sheet.differential if sheet.permitted else -1, figures, attackers)
    return result.theirs - result.ours


def feeding(
    g: G, plan: Plan, stand_in: dict[int, int | None]
) -> tuple[dict[int, bool], list[tuple[int, dict[int, bool]]]]:
    """In which of these hexes an attack is fed, with a unit standing in each, and by which installation that could be
    given up."""
    state, side = g.state, plan.side
    with state.where.supposing({unit: hex for hex, unit in stand_in.items() if unit is not None}):
        distance = supply.attack_supply(g, side)
        fed = {hex: distance[hex] <= ATTACK_SUPPLY for hex in stand_in}
        depots = []
        joined = supply.lines(g, side).relays
        for depot in DEPOTS[side]:
            if state.where[depot] not in joined or state.flags[depot] & (SACRIFICED | OOC | MOVED):
                continue
            if fed_at_best(state.where[depot]).isdisjoint(stand_in):
                continue
            distance = supply.attack_supply(g, side, depots=[depot])
            near = {hex: distance[hex] <= ATTACK_SUPPLY for hex in stand_in}
            if any(near.values()) and combat_supply.why_needed(g, side, depot) is None:
                depots.append((depot, near))
    return fed, depots


@cache
def fed_at_best(hex: int) -> frozenset[int]:
    """The hexes in which an installation could feed an attack if no enemy were in the way (8.5)."""
    return frozenset(np.flatnonzero(way_to(hex) <= ATTACK_SUPPLY).tolist())
