"""The goals of each scenario (4.1-5, 5.1-2), and the value of a position for a side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from khamsin.games.afrika import victory
from khamsin.games.afrika.ground import OFF_MAP, OPEN_SIDES, PATHS
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.units import (
    ALAM_HALFA,
    ALEXANDRIA,
    ALLIED,
    AXIS,
    BARDIA,
    BOARD,
    CAIRO,
    FORCES,
    HEXES,
    MATRUH,
    TOBRUK,
    G,
    attack,
    defence,
    forces_in,
    on_map,
    stock,
)
from khamsin.games.afrika.zones import front, traced, zone
from khamsin.kernel.flood import CLOSED as SHUT
from khamsin.kernel.flood import FAR, NEVER
from khamsin.players.afrika.weights import GOALS
from khamsin.players.staff import goals as common
from khamsin.players.staff.adapter import paths_back
from khamsin.players.staff.goals import is_near, occupy, wanted
from khamsin.players.staff.theatre import DESTROY, GUARD, HOLD, RESERVE, TAKE, Goal
from khamsin.players.staff.walls import CLOSED, easiest

BENGHAZI = victory.BENGHAZI
CITIES = (ALEXANDRIA, *CAIRO)
KEPT = {("4.3", ALLIED): CITIES, ("4.4", ALLIED): CITIES, ("4.5", AXIS): (MATRUH,)}
"""The hexes that a side shields from the enemy with a wall, by scenario."""
EAST = frozenset(victory.EAST_EDGE)
EAST_ROW = np.array(victory.EAST_EDGE, dtype=np.intp)
OUTSIDE = {maps: np.array(sorted(hexes), dtype=np.intp) for maps, hexes in OFF_MAP.items()}


def goals(g: G, side: int) -> list[Goal]:
    """Return the goals of a side now: those of the scenario, and enemy stacks to fight."""
    enemies = common.hunted(g, side, HEXES, GOALS["destroy"], lambda unit: attack(g, unit) + defence(g, unit))
    return [*WANTED[setting(g).number](g, side), *enemies]


def urgency(g: G) -> float:
    """Return the factor of objectives up to the last turn."""
    return common.urgency(setting(g).last - g.state.turn, GOALS["final"])


# 4.1: the corridor


def crusader(g: G, side: int) -> list[Goal]:
    """Return the goals of Crusader: the Allies hold Tobruk and clear a corridor; the Axis closes it, or takes Tobruk
    (4.1)."""
    times, last = urgency(g), g.state.turn == setting(g).last
    corridor = path(g, ALLIED, [TOBRUK], EAST, 0.3 if last else 0.02)
    worth = GOALS["bridge"] * times
    if side == ALLIED:
        zoned = zone(g, AXIS)
        guard = GOALS["fortress"] * (2 if last else 1)
        found = [wanted(g, ALLIED, TOBRUK, GOALS["tobruk"] * times, "Tobruk must be held", True, guard)]
        beside = [hex for hex in OPEN_SIDES[TOBRUK] if not forces_in(g, AXIS, hex)]
        if not last:
            found += occupy(g, ALLIED, beside, worth * GOALS["shield"], "shields Tobruk")
        for hex in corridor[1:]:
            closed = zoned[hex] or forces_in(g, AXIS, hex)
            if closed or last:
                share = 1.0 if closed else GOALS["chain"]
                found.append(wanted(g, ALLIED, hex, worth * share, "the corridor to Tobruk")._replace(thin=True))
            if zoned[hex]:
                near = [at for at in OPEN_SIDES[hex] if forces_in(g, AXIS, at)]
                found += [Goal(at, worth / 3, DESTROY, "its ZOC bars the corridor") for at in near]
        return found
    found = [Goal(TOBRUK, GOALS["tobruk"] * times, DESTROY if forces_in(g, ALLIED, TOBRUK) else TAKE, "Tobruk")]
    if not victory.bridge(g):
        around = [hex for hex in BOARD.within(TOBRUK, 2) if forces_in(g, AXIS, hex)]
        open_ = [hex for hex in corridor if not forces_in(g, ALLIED, hex)][:8]
        found += occupy(g, AXIS, around, worth / 3, "the ring around Tobruk")
        return found + [Goal(hex, worth / 3, GUARD, "bars the corridor", thin=True) for hex in open_]
    return [*found, *barring(g, corridor, worth * 2)]


def barring(g: G, corridor: list[int], worth: float) -> list[Goal]:
    """Return where one more Axis stack would close the corridor, by a move or by clearing a hex."""
    scout = next(unit for unit in FORCES[AXIS] if on_map(g, unit))
    near = dict.fromkeys([at for hex in corridor for at in (hex, *OPEN_SIDES[hex]) if not forces_in(g, AXIS, at)])
    with g.state.where.supposing({scout: -1}):
        closed = traced(g, ALLIED).copy()
    closed[OUTSIDE[setting(g).maps]] = SHUT
    found, open_ = list[Goal](), list[set[int]]()
    for hex in near:
        shut = [hex, *(at for at in OPEN_SIDES[hex] if not forces_in(g, ALLIED, at))]
        if hex == TOBRUK or any(path.isdisjoint(shut) for path in open_):
            continue
        mask = closed.copy()
        mask[shut] = SHUT
        path = bridge(mask)
        if path:
            open_.append(path)
        else:
            task = DESTROY if forces_in(g, ALLIED, hex) else TAKE
            found.append(Goal(hex, worth, task, "closes the corridor to Tobruk"))
    return found


def bridge(closed: NDArray[np.uint8]) -> set[int]:
    """Return the hexes of a path from Tobruk to the east edge past closed hexes, none if there is none."""
    distance, came, _ = PATHS.spread(PATHS.alone(TOBRUK), FAR - NEVER, closed)
    ends = EAST_ROW[distance[EAST_ROW] != FAR]
    return {*paths_back([int(end) for end in ends[:1]], came)}


def breach(g: G, side: int, ends: Collection[int], worth: float) -> list[Goal]:
    """Return the enemy stacks on the easiest path to a goal, where the front is to be broken."""
    starts = [hex for hex in g.state.where.stacks(side) if 0 <= hex < HEXES]
    barred = [hex for hex in path(g, side, starts, ends, 0.3) if hex not in ends and forces_in(g, 1 - side, hex)]
    return [Goal(hex, GOALS["breach"] * worth, DESTROY, "it bars the path") for hex in barred]


def path(g: G, side: int, starts: Iterable[int], ends: Collection[int], step: float) -> list[int]:
    """Return the path for a side from some hexes to others that needs fewest fights and units; an unopposed hex costs
    1."""
    prices = prices_by_zone(g, 1 - side, 1.0, step)
    stacks = [{hex: stack for hex, stack in g.state.where.stacks(one).items() if 0 <= hex < HEXES} for one in (0, 1)]
    for hex in stacks[side]:
        prices[hex] = 2.5 * step if step < 0.3 else 0.02
    for hex, stack in stacks[1 - side].items():
        prices[hex] = 3.0 + 0.5 * sum([defence(g, unit) for unit in stack]) * (1 + (hex in g.state.box))
    return easiest(OPEN_SIDES, prices, starts, ends)


def prices_by_zone(g: G, side: int, zoned: float, free: float) -> list[float]:
    """Return the price of each hex for a path: in a ZOC of a side, or free of them. Off the map there are no paths."""
    prices = np.where(np.frombuffer(zone(g, side), dtype=bool), zoned, free)
    prices[OUTSIDE[setting(g).maps]] = CLOSED
    found: list[float] = prices.tolist()
    return found


# 4.2: Gazala


def gazala(g: G, side: int) -> list[Goal]:
    """Return the goals of Gazala: the Axis takes the road hexes and surrounds Tobruk and Bardia; the Allies prevent one
    of these (4.2)."""
    times = urgency(g)
    if side == AXIS:
        last = g.state.turn == setting(g).last
        found = []
        for hex in victory.ROAD_HEXES:
            early = GOALS["early"] if forces_in(g, ALLIED, hex) else GOALS["early"] / 3
            road = wanted(g, AXIS, hex, GOALS["road"] * times * (1.0 if last else early), "a road hex")
            held = last and road.task != DESTROY
            found.append(road._replace(must=held, thin=last, strength=GOALS["guard"] * last))
        for city in (TOBRUK, BARDIA):
            port = wanted(g, AXIS, city, GOALS["tobruk"] * times, "a port of the enemy", must=True)
            if port.task == DESTROY and victory.invested(g, city):
                port = port._replace(worth=port.worth * GOALS["invested"])
            garrison = GOALS["guard"] if last else GOALS["garrison"] * (2 if city == TOBRUK else 1)
            found.append(port._replace(thin=last, strength=garrison))
            found += [one._replace(strength=GOALS["picket"] * last) for one in ring(g, city, GOALS["ring"] * times)]
        return found + barred(g, GOALS["edge"] * times) if g.state.turn == setting(g).last - 1 else found
    lost = [hex for hex in victory.ROAD_HEXES if victory.controls(g, AXIS, hex)]
    kept = [hex for hex in victory.ROAD_HEXES if hex not in lost]
    found = occupy(g, ALLIED, (TOBRUK, BARDIA), GOALS["tobruk"] * times, "must not fall")
    found += occupy(g, ALLIED, kept, GOALS["road"] * times, "a road hex")
    return found + [wanted(g, ALLIED, hex, GOALS["road"] * times * 1.5, "a road hex that is lost") for hex in lost]


def ring(g: G, city: int, worth: float) -> list[Goal]:
    """Return the hexes where units would complete the ring around a city, and those where they keep it (4.2)."""
    label, other = BOARD.place_in(city), BARDIA if city == TOBRUK else TOBRUK
    placed: dict[int, int] = {}
    for unit in [unit for unit in FORCES[AXIS] if on_map(g, unit)]:
        with g.state.where.supposing(placed):
            hex = gap(g, city, {*victory.WEST_EDGE, *EAST, other})
        if hex is None:
            break
        placed[unit] = hex
    found = [Goal(hex, worth, TAKE, f"the ring around {label}", thin=True) for hex in dict.fromkeys(placed.values())]
    last, spare = g.state.turn == setting(g).last, dict[int, int]()
    stacks = {hex: forces_in(g, AXIS, hex) for hex in BOARD.within(city, 7) if forces_in(g, AXIS, hex)}
    with g.state.where.supposing(placed):
        inner, closed = victory.inside(g, city), victory.invested(g, city)
    beside = inner.union(*(OPEN_SIDES[hex] for hex in inner))
    for hex, stack in sorted(stacks.items(), key=lambda one: -last * sum(attack(g, unit) for unit in one[1])):
        gone, needed = dict.fromkeys(stack, -1), not closed
        matters = spare or not (beside.isdisjoint((hex, *OPEN_SIDES[hex])) and placed.keys().isdisjoint(stack))
        if closed and matters:
            with g.state.where.supposing({**placed, **spare, **gone}):
                needed = not victory.invested(g, city)
        if needed:
            found.append(Goal(hex, worth * 1.5, HOLD, f"the ring around {label}", must=not placed, thin=True))
        elif last:
            spare.update(gone)
    return found


def barred(g: G, worth: float) -> list[Goal]:
    """Return the hexes of the east edge where units would cut the Allies off from Egypt, and those where they do (4.0)."""
    zoned, found = zone(g, AXIS), [hex for hex in EAST if forces_in(g, AXIS, hex)]
    open_ = {hex for hex in EAST if not zoned[hex]}.difference(found)
    while open_:
        best = max(EAST, key=lambda hex: (len(open_.intersection([hex, *OPEN_SIDES[hex]])), -hex))
        found.append(best)
        open_.difference_update([best, *OPEN_SIDES[best]])
    return occupy(g, AXIS, found, worth, "bars the path to Egypt", thin=True)


def gap(g: G, city: int, ends: Collection[int]) -> int | None:
    """Return a free hex two to four hexes from a city on the path out between Axis units and ZOCs, None if there is
    none."""
    prices = prices_by_zone(g, AXIS, CLOSED, 1.0)
    for hex in front(g, AXIS).occupied:
        prices[hex] = CLOSED
    out = easiest(OPEN_SIDES, prices, [city], ends)
    free = [hex for hex in out if 2 <= BOARD.distance(city, hex) <= 4 and not forces_in(g, ALLIED, hex)]
    return free[0] if free else None


# 4.3-5: El Alamein


def egypt(g: G, side: int) -> list[Goal]:
    """Return the goals in Egypt: the Axis takes Alexandria and Cairo; the Allies hold them and Alam Halfa (4.3, 4.4)."""
    times, left = urgency(g), setting(g).last - g.state.turn
    if side == AXIS:
        found = [wanted(g, AXIS, hex, GOALS["city"] * times, "a city that decides") for hex in CITIES]
        found += breach(g, AXIS, CITIES, GOALS["city"] * times)
        taken = any(victory.occupies(g, AXIS, hex) for hex in CITIES)
        ridge = GOALS["halfa"] * (0.4 if taken else 0.7) * times
        return found + [
            Goal(hex, ridge, DESTROY if forces_in(g, ALLIED, hex) else TAKE, "denies Alam Halfa") for hex in ALAM_HALFA
        ]
    found = [wanted(g, ALLIED, hex, GOALS["halfa"] * times, "Alam Halfa decides", must=not left) for hex in ALAM_HALFA]
    for hex in CITIES:
        near = left == 1 or is_near(g, AXIS, hex, NEAR_CITY)
        share = 2.5 if forces_in(g, AXIS, hex) else 1.0 if near else GOALS["unhurried"]
        guard = GOALS["garrison"] * (left == 1 and hex == ALEXANDRIA)
        city = wanted(g, ALLIED, hex, GOALS["city"] * times * share, "a city that decides", left == 1, guard)
        found.append(city._replace(thin=hex in CAIRO))
    return found


def alamein(g: G, side: int) -> list[Goal]:
    """Return the boxes and Mersa Matruh (4.5)."""
    times = urgency(g)
    boxes = [hex for hex in victory.ALAMEIN_BOXES.hexes if g.state.box.get(hex) == AXIS]
    if side == AXIS:
        found = [Goal(hex, GOALS["box"] * times, HOLD, "a box to be held", must=True) for hex in boxes]
        return [*found, wanted(g, AXIS, MATRUH, GOALS["matruh"] * times, "Mersa Matruh decides", must=True)]
    needed = victory.ALAMEIN_BOXES.data["needed"] - (len(victory.ALAMEIN_BOXES.hexes) - len(boxes))
    worth = GOALS["box"] * times if needed > 0 else 0.2 * GOALS["box"]
    found = [Goal(hex, worth, DESTROY, "a box to be destroyed") for hex in boxes]
    found += breach(g, ALLIED, [MATRUH], GOALS["matruh"] * times)
    return [*found, wanted(g, ALLIED, MATRUH, GOALS["matruh"] * times, "Mersa Matruh decides")]


# 5.1-2: the campaigns


PLACES = (BENGHAZI, TOBRUK, BARDIA, MATRUH, ALEXANDRIA, CAIRO[0])
"""The decisive places of a campaign, from west to east."""


NEAR_CITY = 5
"""The hexes from a city within which the Allies of El Alamein guard it at once."""
NEAR_PORT = 20
"""The hexes from a port within which enemies require a garrison."""


def campaign(g: G, side: int) -> list[Goal]:
    """Return the goals of a campaign: hold the places that decide at the end, take them from the enemy, and for the
    Axis Egypt, which decides at once (5.1, 5.2)."""
    times, found = urgency(g), list[Goal]()
    decisive = (BENGHAZI, TOBRUK, BARDIA) if side == AXIS else (TOBRUK, BARDIA, MATRUH)
    for hex in (*PLACES, *CAIRO[1:]):
        worth = GOALS["port"] * (times if hex in decisive else 1.0)
        must = victory.controls(g, side, hex) and victory.occupies(g, side, hex)
        kept = GOALS["garrison"] * (GOALS["key"] if side == AXIS and hex in (TOBRUK, BARDIA) else 1.0)
        if side == AXIS and hex == BENGHAZI and not is_near(g, ALLIED, hex, NEAR_PORT):
            kept = GOALS["guard"]
        goal = wanted(g, side, hex, worth, "a place that decides", must, kept * must)
        if hex in CAIRO and side == ALLIED and goal.task != DESTROY:
            goal = Goal(hex, worth / 2, GUARD, goal.reason, thin=True)
        found.append(goal)
    dumps = {hex: GOALS["dump"] * points for hex, points in stock(g, 1 - side).items() if hex not in PLACES}
    found += common.unguarded(g, side, HEXES, dumps, thin=True)
    found.append(Goal(assembly(g, side), GOALS["front"], RESERVE, "the army gathers"))
    return found


def assembly(g: G, side: int) -> int:
    """Return where the army of a campaign gathers: at the next place that it does not hold, or while it is much weaker
    at the last that it holds."""
    places = PLACES if side == AXIS else PLACES[::-1]
    missing = next((n for n, hex in enumerate(places) if g.state.control.get(hex) == 1 - side), len(places) - 1)
    own, other = strength(g)[side], strength(g)[1 - side]
    if side == AXIS and missing >= places.index(MATRUH) and own < GOALS["bold"] * other:
        return TOBRUK
    return places[max(0, missing - (own < GOALS["even"] * other))]


def strength(g: G) -> list[float]:
    """Return the strength of each side on the map; units off the map count half."""
    alive = [[unit for unit in force if g.state.where[unit] >= 0 and g.state.steps[unit]] for force in FORCES]
    return common.strengths(
        alive, lambda unit: (attack(g, unit) + defence(g, unit)) * (1.0 if on_map(g, unit) else 0.5)
    )


WANTED: dict[str, Callable[[G, int], list[Goal]]] = {
    "4.1": crusader, "4.2": gazala, "4.3": egypt, "4.4": egypt, "4.5": alamein, "5.1": campaign, "5.2": campaign,
}  # fmt: skip


# The value of a position


def standing(g: G, side: int) -> float:
    """Return the result if the game ended now, which counts more towards the end, and the balance of strength."""
    winner = victory.VERDICTS[setting(g).number](g)[0]
    verdict = 0.0 if winner < 0 else 1.0 if winner == side else -1.0
    nearness = 1.0 / (1.0 + max(0, setting(g).last - g.state.turn))
    return common.balance(strength(g), side) + verdict * (0.2 + 0.6 * nearness)
