"""How installations get to where they are wanted: by lorry, by rail and by sea."""

from __future__ import annotations

from khamsin.games.paa import movement, stacking, transport
from khamsin.games.paa.units import (
    ALEXANDRIA,
    ALLIED,
    AXIS,
    BOARD,
    DEPOT_SPAN,
    DEPOTS,
    HEXES,
    LORRIES,
    MF,
    MOVED,
    OOC,
    OOS,
    TOBRUK,
    G,
    name,
)
from khamsin.games.paa.zones import zone
from khamsin.kernel.flood import FAR
from khamsin.players.paa.country import GAZALA, MILE, ROAD, TOBRUK_MILE
from khamsin.players.paa.front import posts
from khamsin.players.paa.plan import Plan
from khamsin.players.scripted import Order


def supplies(g: G, plan: Plan) -> list[Order]:
    """Carry installations to where the chain lacks one, then spare ones to the front (11.3)."""
    state, side = g.state, plan.side
    ahead = 1 if side == AXIS else -1
    chain = posts(g, plan, plan.position)
    on_map = [d for d in DEPOTS[side] if 0 <= state.where[d] < HEXES]
    lead = chain[-1]
    retreat = posts(g, plan, GAZALA) if side == AXIS and lead > TOBRUK_MILE else []
    wanted = [*chain, lead + ahead, *retreat, lead - ahead, lead - 2 * ahead]
    spare = list(on_map)
    missing = []
    for number, post in enumerate(wanted):
        tolerance = 3 if number < len(chain) - 1 else 2
        near = [d for d in spare if state.where[d] in MILE and abs(MILE[state.where[d]] - post) <= tolerance]
        if near:
            spare.remove(min(near, key=lambda d: abs(MILE[state.where[d]] - post)))
        elif 0 <= post < len(ROAD):
            missing.append(post)
    spare = [d for d in spare if d not in plan.pinned]
    orders: list[Order] = []
    if side == ALLIED:
        orders += by_rail_and_sea(g, plan, missing, spare)
    lorries = [u for u in LORRIES[side] if 0 <= state.where[u] < HEXES and not state.flags[u] & (OOS | OOC | MOVED)]
    before = state.where.copy(), state.spent[:], state.via[:]
    for post in missing:
        order = _carry(g, plan, post, lorries, spare)
        if order is not None:
            orders.append(order)
    state.where, state.spent, state.via = before
    return orders


def by_rail_and_sea(g: G, plan: Plan, missing: list[int], spare: list[int]) -> list[Order]:
    """Installations go to the end of the railroad, or to Tobruk when the army is west of it (11.2, 11.3.1)."""
    state, side = g.state, plan.side
    orders = []
    working = [h for h in transport.working_railroad(g) if h in MILE]
    for post in list(missing):
        rail = [d for d in spare if state.where[d] in transport.RAILROAD and not state.flags[d] & (OOC | MOVED)]
        sea = [d for d in rail if state.where[d] == ALEXANDRIA and TOBRUK in transport.harbours(g, side, d)]
        if post < TOBRUK_MILE + 4 and sea and not stacking.has_depot(g, side, TOBRUK):
            depot, goal = sea[0], TOBRUK
        else:
            free = [h for h in working if not stacking.has_depot(g, side, h)]
            goal = min(free, key=lambda h: abs(MILE[h] - post), default=-1)
            rail = [
                d for d in rail if state.where[d] in working and goal in MILE and MILE[state.where[d]] > MILE[goal] + 2
            ]
            if not rail:
                continue
            depot = rail[0]
        orders.append(Order((depot, g.place0 + goal), f"{name(depot)} sent to {BOARD.name(goal)}"))
        state.where[depot] = goal
        if abs(MILE[goal] - post) <= 2:
            missing.remove(post)
            spare.remove(depot)
    return orders


def _carry(g: G, plan: Plan, post: int, lorries: list[int], spare: list[int]) -> Order | None:
    """The lorry and the installation that bring a post nearest to being supplied this turn."""
    state, side = g.state, plan.side
    best: tuple[float, int, int, int, tuple[int, ...]] | None = None
    zoned = zone(g, plan.enemy)
    stocked = state.where[DEPOT_SPAN[side]]
    for lorry in lorries:
        first = movement.reachable(g, side, [lorry])
        here, used, via = state.where[lorry], state.spent[lorry], state.via[lorry]
        for depot in spare:
            at = state.where[depot]
            if at not in MILE or state.flags[depot] & OOC:
                continue
            cost = 0 if at == here else int(first.distance[first.node(at)])
            if used + cost > MF[lorry] or (at != here and zoned[at]):
                continue
            state.spent[lorry], state.via[lorry] = used + cost, 0
            with state.where.supposing({lorry: at}):
                onward = movement.reachable(g, side, [lorry]).distance[ROAD].tolist()
            state.spent[lorry], state.via[lorry] = used, via
            nearer = abs(MILE[at] - post) - 3
            for mile, (hex, further) in enumerate(zip(ROAD, onward, strict=True)):
                gap = abs(mile - post)
                if gap > nearer or further == FAR or zoned[hex] or hex in stocked:
                    continue
                score = gap + 0.02 * further + (4 if plan.strike[hex] > 6 and gap else 0)
                if best is None or score < best[0]:
                    start = () if at == here else (lorry, g.place0 + at)
                    best = score, lorry, depot, hex, (*start, lorry, depot, lorry, g.place0 + hex)
    if best is None:
        return None
    _, lorry, depot, hex, clicks = best
    lorries.remove(lorry)
    spare.remove(depot)
    state.where[lorry] = state.where[depot] = hex
    state.via[lorry] = 0
    return Order(clicks, f"{name(depot)} carried to {BOARD.name(hex)} for {plan.position.name}")
