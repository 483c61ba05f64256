"""Who stands where: garrisons, guards, the line of the position, and everybody else."""

from __future__ import annotations

from khamsin.games.paa import combat, stacking, supply, transport
from khamsin.games.paa.differential import GROUND
from khamsin.games.paa.ground import ATTACK_SUPPLY, OPEN_SIDES
from khamsin.games.paa.reinforcement import KIND
from khamsin.games.paa.setup import SCHEDULE
from khamsin.games.paa.units import (
    ALLIED,
    ARMOURED,
    BASE,
    BOARD,
    CADRE,
    CENTRE,
    DEPOTS,
    HEXES,
    MF,
    REGULARS,
    TOBRUK,
    G,
    cf,
    name,
)
from khamsin.games.paa.zones import enemy_fort
from khamsin.kernel.flood import FAR
from khamsin.players.paa.country import way_to
from khamsin.players.paa.picture import reach_of, strike
from khamsin.players.paa.plan import UNABLE, Plan, Task
from khamsin.players.paa.value import losses_at
from khamsin.players.paa.weights import NEAR, SIEGE


def hold_line(g: G, plan: Plan) -> None:
    """Garrisons first, then the line of the position with the strongest units that get there."""
    state, side = g.state, plan.side
    free = free_units(g, plan)
    tasks = [*hold_base(g, plan, free), *guard_supplies(g, plan, free)]
    room = {h: stacking.limit(h) for h in plan.position.line}
    for u in plan.settled:
        if state.where[u] in room:
            room[state.where[u]] -= 1
    foes = combat.held(g, side)
    line = [h for h in plan.position.line if h not in foes and enemy_fort(g, side, h) is None]
    free.sort(key=lambda u: (-cf(g, u), u))
    reach = {u: reach_of(g, side, u) for u in free}
    for hex in line:
        stack = [u for u in free if reach[u][hex] != FAR][: max(0, room[hex])]
        if losses_at(g, plan, hex, stack) > NEAR["tolerable"] * sum(cf(g, u) for u in stack):
            continue
        for unit in stack:
            tasks.append(Task(unit, hex, True, f"holds {BOARD.name(hex)} in the {plan.position.name} position"))
            free.remove(unit)
    plan.tasks = _out_of_tobruk_first(g, tasks)


def close_up(g: G, plan: Plan) -> None:
    """Everybody else goes towards the position, the strongest first."""
    free = sorted(free_units(g, plan), key=lambda u: (-cf(g, u), u))
    tasks = [Task(u, plan.position.anchor, False, f"closes up to {plan.position.name}") for u in free]
    plan.tasks = _out_of_tobruk_first(g, tasks)


def _out_of_tobruk_first(g: G, tasks: list[Task]) -> list[Task]:
    """Tasks, those first that make room in Tobruk."""
    leaving = [t for t in tasks if g.state.where[t.unit] == TOBRUK and t.goal != TOBRUK]
    return leaving + [t for t in tasks if t not in leaving]


def free_units(g: G, plan: Plan) -> list[int]:
    """The units that could go somewhere and have no place yet."""
    state = g.state
    return [
        u
        for u in REGULARS[plan.side]
        if 0 <= state.where[u] < HEXES and u not in plan.settled and not state.flags[u] & UNABLE
    ]


def hold_tobruk(g: G, plan: Plan) -> None:
    """The cheapest garrison that can stand against what the enemy could bring, the strongest if only that might, and a token
    one if none could, or where nobody is near now: the army might march off and leave the way open (12.4.2)."""
    side, state, free = plan.side, g.state, free_units(g, plan)
    if TOBRUK in combat.held(g, side):
        return
    there = [u for u in free if state.where[u] == TOBRUK]
    fixed = [u for u in REGULARS[side] if state.where[u] == TOBRUK and u not in there]
    by_sea = [u for u in free if state.where[u] != TOBRUK and TOBRUK in transport.harbours(g, side, u)]
    by_land = [u for u in free if state.where[u] != TOBRUK and reach_of(g, side, u)[TOBRUK] != FAR]
    count = stacking.limit(TOBRUK) - len(fixed)
    cheap = sorted({*there, *by_sea, *by_land}, key=lambda u: (ARMOURED[u], cf(g, u), u not in there, u))
    strong = sorted(cheap, key=lambda u: (-cf(g, u), u not in there))
    if state.control.get(TOBRUK) == side and plan.strike[TOBRUK] <= 0:
        count, cheap = 0 if fixed else 1, sorted(cheap, key=lambda u: (u not in there, cf(g, u), u))
    siege = besiegers(g, plan.enemy)
    best = None
    for armed in range(count + 1):
        chosen = strong[:armed]
        chosen += [u for u in cheap if u not in chosen][: count - armed]
        surplus = siege - GROUND[side][TOBRUK] * sum(cf(g, u) for u in (*fixed, *chosen))
        if best is None:
            best = chosen
        if surplus < SIEGE["hopeless"]:
            best = chosen
        if surplus < SIEGE["safe"]:
            break
    assert best is not None
    plan.tasks = [Task(u, TOBRUK, True, "garrison of Tobruk") for u in best]
    plan.settled.update(best)


def besiegers(g: G, side: int) -> float:
    """What a side could bring against Tobruk, an installation given up for it: next turn if one lies in reach, else a turn
    later, which counts while its fall would matter most (12.3, 12.4.2)."""
    distance = supply.attack_supply(g, side)
    fed = any(distance[hex] <= ATTACK_SUPPLY for hex in OPEN_SIDES[TOBRUK])
    late = g.state.turn > SIEGE["by"]
    return float(strike(g, side)[TOBRUK]) * (SIEGE["fed"] if fed or late else SIEGE["soon"])


def hold_base(g: G, plan: Plan, free: list[int]) -> list[Task]:
    """A guard in the centre of the base, and for the Allies whoever must be withdrawn this turn (5.1, 13.2.3)."""
    side, state = plan.side, g.state
    centre = CENTRE[side]
    tasks: list[Task] = []
    count = stacking.limit(centre) if plan.strike[centre] > 0 else int(plan.weigh.guard)
    near = sorted((u for u in free if way_to(centre)[state.where[u]] <= 20), key=lambda u: (cf(g, u), u))
    for unit in near[:count]:
        tasks.append(Task(unit, centre, True, "guards the base"))
        free.remove(unit)
    if side == ALLIED:
        for row in SCHEDULE["withdraw"]:
            if row["turn"] != state.turn:
                continue
            for kind in ("infantry", "armoured"):
                lost = sum(state.where[u] == CADRE[ALLIED] and KIND[u] == kind for u in REGULARS[ALLIED])
                held = sum(KIND[t.unit] == kind for t in tasks)
                need = row.get(kind, 0) - (lost if row["cadre"] else 0) - held
                able = [u for u in free if KIND[u] == kind and state.where[u] in BASE[ALLIED]]
                for unit in sorted(able, key=lambda u: (cf(g, u), u))[: max(0, need)]:
                    tasks.append(Task(unit, state.where[unit], True, "waits to be withdrawn"))
                    free.remove(unit)
    return tasks


def guard_supplies(g: G, plan: Plan, free: list[int]) -> list[Task]:
    """One unit for every installation that the enemy could reach."""
    state, side = g.state, plan.side
    tasks: list[Task] = []
    for depot in DEPOTS[side]:
        hex = state.where[depot]
        if not 0 <= hex < HEXES or plan.strike[hex] <= 0 or hex in plan.position.line:
            continue
        if any(state.where[u] == hex for u in plan.settled) or hex in BASE[side]:
            continue
        near = [u for u in free if way_to(hex)[state.where[u]] <= MF[u] - state.spent[u]]
        if near:
            unit = min(near, key=lambda u: (state.where[u] != hex, cf(g, u), u))
            tasks.append(Task(unit, hex, True, f"guards {name(depot)}"))
            free.remove(unit)
    return tasks


def is_garrison(g: G, plan: Plan, hex: int) -> bool:
    """Whether units in a hex stay there whatever happens elsewhere."""
    return hex == TOBRUK and plan.strike[TOBRUK] > 0
