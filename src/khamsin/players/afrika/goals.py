"""What each scenario is about (4.1-5, 5.1-2): the goals of a side in a position, and how good the position is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from khamsin.games.afrika import victory
from khamsin.games.afrika.ground import OFF_MAP, OPEN_SIDES
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
from khamsin.games.afrika.zones import front, zone
from khamsin.players.afrika.weights import GOALS
from khamsin.players.staff import goals as common
from khamsin.players.staff.goals import balance, decided, hunted, is_near, unguarded, wanted
from khamsin.players.staff.theatre import DESTROY, GUARD, HOLD, RESERVE, TAKE, Goal
from khamsin.players.staff.walls import CLOSED, easiest

BENGHAZI = victory.BENGHAZI
EAST = frozenset(victory.EAST_EDGE)


def goals(g: G, side: int) -> list[Goal]:
    """What a side wants now: the goals of the scenario, and enemy stacks to be found and fought."""
    enemies = hunted(g, side, HEXES, GOALS["destroy"], lambda unit: attack(g, unit) + defence(g, unit))
    return [*WANTED[setting(g).number](g, side), *enemies]


def kept(g: G, side: int) -> tuple[int, ...]:
    """The hexes that a side shields from the enemy with a wall."""
    number = setting(g).number
    if side == ALLIED and number in ("4.3", "4.4"):
        return (ALEXANDRIA, *CAIRO)
    if side == AXIS and number == "4.5":
        return (MATRUH,)
    return ()


def urgency(g: G) -> float:
    """How much more objectives count, up to the last turn."""
    return common.urgency(setting(g).last - g.state.turn, GOALS["final"])


def occupy(
    g: G, side: int, hexes: Iterable[int], worth: float, reason: str, must: bool = False, thin: bool = False
) -> list[Goal]:
    """Hold hexes where the side has units, take the others."""
    return [Goal(hex, worth, HOLD if forces_in(g, side, hex) else TAKE, reason, must, thin) for hex in hexes]


# 4.1: the corridor


def crusader(g: G, side: int) -> list[Goal]:
    """The Allies hold Tobruk and open a corridor; the Axis closes it, or takes Tobruk (4.1)."""
    times = urgency(g)
    path = corridor(g)
    worth = GOALS["bridge"] * times
    if side == ALLIED:
        zoned, last = zone(g, AXIS), g.state.turn == setting(g).last
        held = wanted(g, ALLIED, TOBRUK, GOALS["tobruk"] * times, "Tobruk must be held", must=True)
        found = [held._replace(strength=GOALS["fortress"] * (2 if last else 1))]
        beside = [hex for hex in OPEN_SIDES[TOBRUK] if not forces_in(g, AXIS, hex)]
        if not last:
            found += occupy(g, ALLIED, beside, worth * GOALS["shield"], "shields Tobruk")
        for hex in path[1:]:
            if forces_in(g, AXIS, hex):
                found.append(Goal(hex, worth, DESTROY, "it bars the corridor to Tobruk"))
            elif zoned[hex]:
                found += occupy(g, ALLIED, [hex], worth, "the corridor to Tobruk", thin=True)
            elif last:
                found += occupy(g, ALLIED, [hex], worth * GOALS["chain"], "keeps the corridor open", thin=True)
            if zoned[hex]:
                near = [at for at in OPEN_SIDES[hex] if forces_in(g, AXIS, at)]
                found += [Goal(at, worth / 3, DESTROY, "its ZOC bars the corridor") for at in near]
        return found
    found = [Goal(TOBRUK, GOALS["tobruk"] * times, DESTROY if forces_in(g, ALLIED, TOBRUK) else TAKE, "Tobruk")]
    if not victory.bridge(g):
        ring = [hex for hex in BOARD.within(TOBRUK, 2) if forces_in(g, AXIS, hex)]
        found += occupy(g, AXIS, ring, worth / 3, "the ring around Tobruk")
        found += [
            Goal(hex, worth / 3, GUARD, "bars the corridor", thin=True) for hex in path if not forces_in(g, ALLIED, hex)
        ][:8]
        return found
    return [*found, *barring(g, path, worth * 2)]


def barring(g: G, path: list[int], worth: float) -> list[Goal]:
    """Where one Axis stack more would close the corridor, by a move or by throwing an enemy out."""
    scout = next(unit for unit in FORCES[AXIS] if on_map(g, unit))
    near = dict.fromkeys([at for hex in path for at in (hex, *OPEN_SIDES[hex]) if not forces_in(g, AXIS, at)])
    found = []
    for hex in near:
        gone = dict.fromkeys(forces_in(g, ALLIED, hex), -1)
        with g.state.where.supposing({scout: hex, **gone}):
            closed = not victory.bridge(g)
        if closed and hex != TOBRUK:
            found.append(Goal(hex, worth, DESTROY if gone else TAKE, "closes the corridor to Tobruk"))
    return found


def corridor(g: G) -> list[int]:
    """The hexes from Tobruk to the east edge by the path that needs fewest fights and units (4.1)."""
    return path(g, ALLIED, [TOBRUK], EAST, 0.02 if g.state.turn < setting(g).last else 0.3)


def breach(g: G, side: int, ends: Collection[int], worth: float) -> list[Goal]:
    """The enemy stacks in the easiest path to a goal: there the line is broken."""
    starts = [hex for hex in g.state.where.stacks(side) if 0 <= hex < HEXES]
    barred = [hex for hex in path(g, side, starts, ends, 0.3) if hex not in ends and forces_in(g, 1 - side, hex)]
    return [Goal(hex, GOALS["breach"] * worth, DESTROY, "it bars the way") for hex in barred]


def path(g: G, side: int, starts: Iterable[int], ends: Collection[int], step: float) -> list[int]:
    """The path for a side from some hexes to others that needs fewest fights and units; an open hex costs a step."""
    prices = [1.0 if zoned else step for zoned in zone(g, 1 - side)]
    for hex in OFF_MAP[setting(g).maps]:
        prices[hex] = CLOSED
    stacks = [{hex: stack for hex, stack in g.state.where.stacks(one).items() if 0 <= hex < HEXES} for one in (0, 1)]
    for hex in stacks[side]:
        prices[hex] = 2.5 * step if step < 0.3 else 0.02
    for hex, stack in stacks[1 - side].items():
        prices[hex] = 3.0 + 0.5 * sum([defence(g, unit) for unit in stack]) * (1 + (hex in g.state.box))
    return easiest(OPEN_SIDES, prices, starts, ends)


# 4.2: Gazala


def gazala(g: G, side: int) -> list[Goal]:
    """The Axis takes the road hexes and rings Tobruk and Bardia; the Allies keep one of these from it (4.2)."""
    times = urgency(g)
    control = g.state.control
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
    lost = [hex for hex in victory.ROAD_HEXES if control.get(hex) == AXIS]
    kept = [hex for hex in victory.ROAD_HEXES if control.get(hex) != AXIS]
    found = occupy(g, ALLIED, (TOBRUK, BARDIA), GOALS["tobruk"] * times, "must not fall")
    found += occupy(g, ALLIED, kept, GOALS["road"] * times, "a road hex")
    for hex in lost:
        task = DESTROY if forces_in(g, AXIS, hex) else TAKE
        found.append(Goal(hex, GOALS["road"] * times * 1.5, task, "a road hex that is lost"))
    return found


def ring(g: G, city: int, worth: float) -> list[Goal]:
    """The hexes where units would complete the ring around a city, and those where they keep it (4.2)."""
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
    for hex, stack in sorted(stacks.items(), key=lambda one: -last * sum(attack(g, unit) for unit in one[1])):
        gone = dict.fromkeys(stack, -1)
        with g.state.where.supposing({**placed, **spare, **gone}):
            needed = not victory.invested(g, city)
        if needed:
            found.append(Goal(hex, worth * 1.5, HOLD, f"the ring around {label}", must=not placed, thin=True))
        elif last:
            spare.update(gone)
    return found


def barred(g: G, worth: float) -> list[Goal]:
    """The hexes of the east edge where units would cut the Allies off from Egypt, and those where they do (4.0)."""
    zoned, found = zone(g, AXIS), [hex for hex in EAST if forces_in(g, AXIS, hex)]
    open_ = {hex for hex in EAST if not zoned[hex]}.difference(found)
    while open_:
        best = max(EAST, key=lambda hex: (len(open_.intersection([hex, *OPEN_SIDES[hex]])), -hex))
        found.append(best)
        open_.difference_update([best, *OPEN_SIDES[best]])
    return occupy(g, AXIS, found, worth, "bars the way to Egypt", thin=True)


def gap(g: G, city: int, ends: Collection[int]) -> int | None:
    """A free hex two to four hexes from a city on the way out between Axis units and ZOCs, None if there is none."""
    prices = [CLOSED if zoned else 1.0 for zoned in zone(g, AXIS)]
    for hex in (*front(g, AXIS).occupied, *OFF_MAP[setting(g).maps]):
        prices[hex] = CLOSED
    out = easiest(OPEN_SIDES, prices, [city], ends)
    free = [hex for hex in out if 2 <= BOARD.distance(city, hex) <= 4 and not forces_in(g, ALLIED, hex)]
    return free[0] if free else None


# 4.3-5: El Alamein


def egypt(g: G, side: int) -> list[Goal]:
    """The Axis goes for Alexandria and Cairo; the Allies hold them and Alam Halfa (4.3, 4.4)."""
    times = urgency(g)
    cities = (ALEXANDRIA, *CAIRO)
    if side == AXIS:
        found = [wanted(g, AXIS, hex, GOALS["city"] * times, "a city that decides") for hex in cities]
        found += breach(g, AXIS, cities, GOALS["city"] * times)
        taken = any(victory.occupies(g, AXIS, hex) for hex in cities)
        ridge = GOALS["halfa"] * (0.4 if taken else 0.7) * times
        return found + [
            Goal(hex, ridge, DESTROY if forces_in(g, ALLIED, hex) else TAKE, "denies Alam Halfa") for hex in ALAM_HALFA
        ]
    last = g.state.turn == setting(g).last
    found = [wanted(g, ALLIED, hex, GOALS["halfa"] * times, "Alam Halfa decides", must=last) for hex in ALAM_HALFA]
    for hex in cities:
        if forces_in(g, AXIS, hex):
            found.append(Goal(hex, 2.5 * GOALS["city"] * times, DESTROY, "a city that is lost"))
        else:
            soon = g.state.turn == setting(g).last - 1
            share = 1.0 if soon or is_near(g, AXIS, hex, NEAR_CITY) else GOALS["unhurried"]
            worth = GOALS["city"] * times * share
            guarded = occupy(g, ALLIED, [hex], worth, "a city to be guarded", must=soon, thin=hex in CAIRO)
            found += [one._replace(strength=GOALS["garrison"] * (soon and hex == ALEXANDRIA)) for one in guarded]
    return found


def alamein(g: G, side: int) -> list[Goal]:
    """The boxes and Mersa Matruh (4.5)."""
    times = urgency(g)
    boxes = [hex for hex in victory.ALAMEIN_BOXES.hexes if g.state.box.get(hex) == AXIS]
    if side == AXIS:
        found = [Goal(hex, GOALS["box"] * times, HOLD, "a box to be held", must=True) for hex in boxes]
        matruh = DESTROY if forces_in(g, ALLIED, MATRUH) else HOLD if forces_in(g, AXIS, MATRUH) else TAKE
        return [*found, Goal(MATRUH, GOALS["matruh"] * times, matruh, "Mersa Matruh decides", must=matruh != DESTROY)]
    needed = victory.ALAMEIN_BOXES.data["needed"] - (len(victory.ALAMEIN_BOXES.hexes) - len(boxes))
    worth = GOALS["box"] * times if needed > 0 else 0.2 * GOALS["box"]
    found = [Goal(hex, worth, DESTROY, "a box to be destroyed") for hex in boxes]
    found += breach(g, ALLIED, [MATRUH], GOALS["matruh"] * times)
    if forces_in(g, AXIS, MATRUH):
        return [*found, Goal(MATRUH, GOALS["matruh"] * times, DESTROY, "Mersa Matruh decides")]
    return found + occupy(g, ALLIED, [MATRUH], GOALS["matruh"] * times, "Mersa Matruh decides")


# 5.1-2: the campaigns


PLACES = (BENGHAZI, TOBRUK, BARDIA, MATRUH, ALEXANDRIA, CAIRO[0])
"""The places that decide a campaign, from west to east."""


NEAR_CITY = 5
"""The hexes from a city within which the Allies of El Alamein guard it at once."""
NEAR_PORT = 20
"""The hexes from a port within which enemies make it keep a garrison."""


def campaign(g: G, side: int) -> list[Goal]:
    """Hold what decides at the end, take it from the enemy, and for the Axis Egypt, which decides at once (5.1, 5.2)."""
    times, found = urgency(g), list[Goal]()
    decisive = (BENGHAZI, TOBRUK, BARDIA) if side == AXIS else (TOBRUK, BARDIA, MATRUH)
    for hex in (*PLACES, *CAIRO[1:]):
        worth = GOALS["port"] * (times if hex in decisive else 1.0)
        if forces_in(g, 1 - side, hex):
            found.append(Goal(hex, worth, DESTROY, "a place that decides"))
        elif hex in CAIRO and side == ALLIED:
            found.append(Goal(hex, worth / 2, GUARD, "a place that decides", thin=True))
        else:
            must = g.state.control.get(hex) == side and bool(forces_in(g, side, hex))
            task = HOLD if forces_in(g, side, hex) else TAKE
            kept = GOALS["garrison"] * (GOALS["key"] if side == AXIS and hex in (TOBRUK, BARDIA) else 1.0)
            if side == AXIS and hex == BENGHAZI and not is_near(g, ALLIED, hex, NEAR_PORT):
                kept = GOALS["guard"]
            found.append(Goal(hex, worth, task, "a place that decides", must, strength=kept * must))
    dumps = {hex: GOALS["dump"] * points for hex, points in stock(g, 1 - side).items() if hex not in PLACES}
    found += unguarded(g, side, HEXES, dumps, thin=True)
    found.append(Goal(assembly(g, side), GOALS["front"], RESERVE, "the army gathers"))
    return found


def assembly(g: G, side: int) -> int:
    """Where the army of a campaign gathers: at the next place that it has not, or while it is much weaker at the last that it
    has."""
    places = PLACES if side == AXIS else PLACES[::-1]
    missing = next((n for n, hex in enumerate(places) if g.state.control.get(hex) == 1 - side), len(places) - 1)
    strengths = strength(g)
    if side == AXIS and missing >= places.index(MATRUH) and strengths[AXIS] < GOALS["bold"] * strengths[ALLIED]:
        return TOBRUK
    return places[max(0, missing - (strengths[side] < GOALS["even"] * strengths[1 - side]))]


def strength(g: G) -> list[float]:
    """The strength of each side on the map; what is off the map counts half."""
    found = [0.5, 0.5]
    for owner in (AXIS, ALLIED):
        for unit in FORCES[owner]:
            if g.state.where[unit] >= 0 and g.state.steps[unit]:
                found[owner] += (attack(g, unit) + defence(g, unit)) * (1.0 if on_map(g, unit) else 0.5)
    return found


WANTED: dict[str, Callable[[G, int], list[Goal]]] = {
    "4.1": crusader, "4.2": gazala, "4.3": egypt, "4.4": egypt, "4.5": alamein, "5.1": campaign, "5.2": campaign,
}  # fmt: skip


# How good a position is


def score(g: G, side: int) -> float:
    """The result if the game is over; else what the verdict would be now, the objectives, and the balance of strength."""
    over = decided(g, side)
    if over is not None:
        return 2.0 * over
    winner = victory.VERDICTS[setting(g).number](g)[0]
    verdict = 0.0 if winner < 0 else 1.0 if winner == side else -1.0
    nearness = 1.0 / (1.0 + max(0, setting(g).last - g.state.turn))
    return balance(strength(g), side) + verdict * (0.2 + 0.6 * nearness)
