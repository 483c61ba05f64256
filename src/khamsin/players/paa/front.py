"""Where the army should stand, and where its installations have to be for it."""

from __future__ import annotations

from khamsin.games.paa.setup import TURNS
from khamsin.games.paa.units import ALLIED, AXIS, BASE, DEPOTS, HEXES, MF, TOBRUK, G, cf
from khamsin.players.paa.country import FARTHEST, MILE, POSITIONS, REFUGE, ROAD, TOBRUK_MILE, Position, way_to
from khamsin.players.paa.picture import stacks_of, strike
from khamsin.players.paa.plan import Plan
from khamsin.players.paa.weights import NEAR, SIEGE


def choose_front(g: G, plan: Plan, before: Position | None) -> Position:
    """The foremost position at which the side outweighs what the enemy could bring there, and to which its installations
    reach; the one nearest its base if there is none. In their last turn the Allies have only to be in supply after the Axis's
    (14.1), so they go where nobody gets behind them, unless they are after more."""
    if plan.side == ALLIED and plan.turn == TURNS and not plan.weigh.stay:
        return REFUGE
    theirs = strike(g, plan.enemy, most=99)
    field = [u for stack in stacks_of(g, plan.side).values() for u in stack]
    ranks = POSITIONS if plan.side == AXIS else POSITIONS[::-1]
    best = ranks[0]
    stock = sum(0 <= g.state.where[d] < HEXES for d in DEPOTS[plan.side])
    for position in ranks[: ranks.index(FARTHEST[plan.side]) + 1 + plan.weigh.beyond]:
        way = way_to(position.anchor)
        ours = sum(
            cf(g, u) * (1.0 if way[g.state.where[u]] <= MF[u] / 2 else 0.5)
            for u in field
            if way[g.state.where[u]] <= MF[u] and g.state.where[u] != TOBRUK
        )
        need = boldness(plan)
        if beyond_tobruk(g, plan, position.mile):
            need *= plan.weigh.bypass * (SIEGE["early"] if plan.turn <= SIEGE["by"] else 1.0)
        if position == before:
            need *= 0.85
        if ours < need * theirs[way <= NEAR["stacks"]].max() or len(posts(g, plan, position)) > stock:
            break
        best = position
    place = ranks.index(best) + plan.weigh.shift
    return ranks[min(max(place, 0), len(ranks) - 1)]


def boldness(plan: Plan) -> float:
    """By how much the side wants to outweigh the enemy where it goes: less while time is on its side."""
    return next(need for first, need in reversed(plan.weigh.advance) if plan.turn >= first)


def beyond_tobruk(g: G, plan: Plan, mile: int) -> bool:
    """Whether the way to a mile leads past Tobruk in the enemy's hands."""
    if g.state.control.get(TOBRUK) == plan.side:
        return False
    return mile > TOBRUK_MILE if plan.side == AXIS else mile < TOBRUK_MILE


def posts(g: G, plan: Plan, position: Position) -> list[int]:
    """The miles at which installations are wanted for a position, from the terminal to the front."""
    ahead = 1 if plan.side == AXIS else -1
    ends = [MILE[hex] for hex in BASE[plan.side] if hex in MILE]
    if g.state.control.get(TOBRUK) == plan.side and ahead * (position.mile - TOBRUK_MILE) > 0:
        ends.append(TOBRUK_MILE)
    mile = position.mile - ahead * NEAR["lead"]
    chain = [mile]
    while min(abs(mile - end) for end in ends) > NEAR["segment"] + 1 and 0 < mile < len(ROAD) - 1:
        crossing = beyond_tobruk(g, plan, mile) and abs(mile - TOBRUK_MILE) < NEAR["segment"]
        mile -= ahead * (NEAR["detour"] if crossing else NEAR["segment"])
        chain.append(max(0, min(mile, len(ROAD) - 1)))
    return chain[::-1]
