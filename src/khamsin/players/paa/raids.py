"""Raids: units that stand across the enemy's lines or take an installation nobody guards, where that is worth the risk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from khamsin.games.paa import combat, stacking, supply
from khamsin.games.paa.setup import TURNS
from khamsin.games.paa.units import ALLIED, AXIS, BOARD, CENTRE, DEPOTS, HEXES, POOL, REGULARS, G, cf, name
from khamsin.games.paa.zones import enemy_fort
from khamsin.kernel.flood import FAR
from khamsin.players.paa.chances import mean_loss
from khamsin.players.paa.country import GROUNDS, MILE, NEAREST, ROAD
from khamsin.players.paa.line import is_garrison
from khamsin.players.paa.picture import reach_of, strike
from khamsin.players.paa.plan import UNABLE, Plan
from khamsin.players.paa.weights import RAID
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
    best: tuple[float, int, int, int] | None = None
    for hex in openings(g, plan, reach.values()):
        unit = next(u for u in units if reach[u][hex] != FAR)
        worth, cut = raid(g, plan, unit, hex)
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


def openings(g: G, plan: Plan, reach: Iterable[NDArray[np.int16]]) -> Iterator[int]:
    """The hexes from which the enemy's lines could be cut that somebody reaches: his installations where nobody guards them,
    and the road behind his front."""
    near = np.full(HEXES, False)
    for distance in reach:
        near |= distance != FAR
    held = combat.held(g, plan.side)
    where = g.state.where
    depots = {where[d] for d in DEPOTS[plan.enemy] if 0 <= where[d] < HEXES}
    miles = [NEAREST[where[u]] for u in REGULARS[plan.enemy] if 0 <= where[u] < HEXES]
    if not miles:
        return
    foremost, base = (min if plan.enemy == ALLIED else max)(miles), MILE[CENTRE[plan.enemy]]
    low, high = sorted((foremost, base))
    for hex in {*depots, *ROAD[low : high + 1 : int(RAID["step"])]} - held:
        if near[hex] and enemy_fort(g, plan.side, hex) is None and stacking.room(g, plan.side, hex) > 0:
            yield hex


def raid(g: G, plan: Plan, unit: int, hex: int) -> tuple[float, int]:
    """What a raid by a unit on a hex is worth, and the CF it cuts off."""
    state, side, enemy = g.state, plan.side, plan.enemy
    before = supply.lines(g, enemy)
    taken = [d for d in DEPOTS[enemy] if state.where[d] == hex]
    own = supply.lines(g, side)
    with state.where.supposing({unit: hex} | dict.fromkeys(taken, POOL[enemy])):
        after = supply.lines(g, enemy)
        cut = strength_of(g, supply.would_lose_supply(g, enemy, REGULARS[enemy], before, after))
        if not cut and not taken:
            return 0.0, 0
        stays = supply.lines(g, side).reach(hex)
        lost = strength_of(g, supply.would_lose_supply(g, side, REGULARS[side], own, supply.lines(g, side)))
        power = cf(g, unit) + strength_of(g, [u for u in REGULARS[side] if u != unit and state.where[u] == hex])
        last = g.state.turn == TURNS
        worth = cut * (RAID["last"] if last else RAID["cut"]) + len(taken) * plan.weigh.prize["depot"]
        worth -= RAID["lost"] * lost + (0.0 if stays else RAID["stranded"] * cf(g, unit))
        if worth < RAID["least"] or (last and side == AXIS):
            return worth, cut
        surplus = strike(g, enemy)[hex] - power * GROUNDS[side][hex]
    return worth - plan.weigh.own * min(mean_loss(surplus), cf(g, unit)), cut


def strength_of(g: G, units: Sequence[int]) -> int:
    """The CF of some units."""
    return sum(cf(g, u) for u in units)
