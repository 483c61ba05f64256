"""Retreats (12): every simple path of the right length that does not eliminate the units, the best by the guidelines, and the
owner's choice among them; trucks, surrender and elimination."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from khamsin.games.na41 import disruption, entering, losses, supply
from khamsin.games.na41.ground import BOX_OF, DESERT, NEXT, desert_run
from khamsin.games.na41.units import (
    BOARD,
    COMBAT,
    COMBAT_DATA,
    FULL_RETREAT,
    GROUND,
    HEXES,
    MSU,
    NON_COMBAT,
    OFF_MAP,
    PORTS,
    REPLACEMENT,
    RETREATED,
    SIDE,
    SURRENDERED,
    TOBRUK_ASU,
    TRANSPORTED,
    TRUCK,
    G,
    combat_units,
    held_by,
    holder,
    mechanized,
    name,
    names,
    others,
    pieces_in,
    remove_supply,
    stock,
    usable_supply,
)
from khamsin.games.na41.zones import FULL, adjacent_enemies, overlapping, zone
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import retreat as mechanic
from khamsin.mechanics.retreat import Path

LENGTHS = COMBAT_DATA["retreat"]
ON_FOOT: int = LENGTHS["on_foot"]
MOST_DESERT: int = GROUND["movement"]["desert"]


class Flight(NamedTuple):
    """A retreat from a hex: the side, the least and most hexes, the disorder it causes (1 Disrupted, 2 Full Retreat).
    Automatic retreats may be shorter to reach a friendly unit (13.3.2); a repeated one follows a retreat in the same Combat
    Phase (12.5.1); a shy one enters no enemy ZOC without a friendly unit (27.5.4). `riding` are the units that trucks
    carry."""

    side: int
    hex: int
    least: int
    most: int
    disorder: int
    automatic: bool = False
    breakthrough: bool = False
    shy: bool = False
    riding: tuple[int, ...] = ()


class Cost(NamedTuple):
    """How bad a path is: hexes in enemy ZOCs, then steps that do not lead further from the start (12.1.3)."""

    zoned: int
    back: int


ANY, STRAIGHT = Cost(2, 99), Cost(0, 0)
"""Limits of a search: every path, and those that enter no enemy ZOC and lead away with every step."""


# The procedure


def automatic(g: G, side: int, hex: int) -> Procedure:
    """A stack in Full Retreat next to an enemy that moves retreats two hexes, or one to a friendly unit (13.3.2)."""
    length: int = LENGTHS["automatic"]
    flight = Flight(side, hex, length, length, disruption.IS_ROUTED, automatic=True)
    yield from retreat(g, flight, combat_units(g, side, hex))


def retreat(g: G, flight: Flight, units: Sequence[int]) -> Procedure:
    """Retreat units, together or separately, as their owner chooses; those without a path are eliminated. Trucks and
    replacements retreat with them; without a surviving combat unit they are eliminated or captured (10.2.2, 12.1.2,
    12.1.5, 12.2.1)."""
    side, hex, before = flight.side, flight.hex, list(units)
    units = drop_others(g, flight, units)
    riders = yield from load(g, flight, units)
    flight = flight._replace(riding=tuple(riders))
    left = [unit for unit in combat_units(g, side, hex) if unit not in units]
    if not left and any(survives(g, flight, unit) for unit in units):
        units += companions(g, flight, riders)
    yield from go_all(g, flight, units, riders, "12.1.1")
    if not any(g.state.where[unit] < HEXES or g.state.where[unit] in OFF_MAP[side] for unit in before):
        losses.abandon(g, side, hex, any(g.state.where[unit] == SURRENDERED[side] for unit in before))


def companions(g: G, flight: Flight, riders: Mapping[int, int]) -> list[int]:
    """Return the trucks and replacements that retreat with a stack; an empty truck takes a Supply Point along (12.1.5)."""
    side, hex = flight.side, flight.hex
    for truck in empty_trucks(g, flight):
        if truck not in riders.values() and usable_supply(g, side, hex) > g.state.pledged.get(hex, 0):
            remove_supply(g, side, hex)
            g.state.flags[truck] |= MSU
            g.log("12.1.5", "{unit} takes a Supply Point from {hex}", unit=truck, hex=hex)
    return [unit for unit in others(g, side, hex) if unit not in riders.values()]


def go_all(g: G, flight: Flight, units: Sequence[int], riders: Mapping[int, int], rule: str) -> Procedure:
    """The owner chooses where units retreat until all have retreated. A combat unit without a path is eliminated; trucks
    and replacements, which only may retreat, wait for the others and stay (12.1.2, 12.1.5, 12.2.1)."""
    waiting = dict.fromkeys(units, flight.hex)
    while waiting:
        ends_of = Finder(g, flight)
        stuck = next((unit for unit in waiting if COMBAT[unit] and not ends_of([unit])), None)
        if stuck is not None:
            del waiting[stuck]
            no_path(g, flight, stuck)
            continue
        able = {unit: hex for unit, hex in waiting.items() if ends_of([unit])}
        if not able:
            g.log("12.1.5", "No retreat path: {units} stay in {hex}", units=names([*waiting]), hex=flight.hex)
            return
        group, hex = yield from mechanic.choose(g, flight.side, able, ends_of, rule, partial(why_not, flight=flight))
        for unit in group:
            del waiting[unit]
        trucks = [riders[unit] for unit in group if unit in riders]
        yield from go(g, flight, [*group, *trucks], ends_of(group)[hex])


class Finder:
    """Finds where units can retreat to while nothing moves; units that move alike have the same ends."""

    def __init__(self, g: G, flight: Flight) -> None:
        self._g = g
        self._flight = flight
        self._known: dict[tuple[object, ...], dict[int, Path]] = {}

    def __call__(self, units: Sequence[int]) -> dict[int, Path]:
        """Return where units can end together."""
        g, flight = self._g, self._flight
        key = (
            frozenset([unit in flight.riding or mechanized(g, unit) for unit in units]),
            any(COMBAT[unit] for unit in units),
            any(is_repeated(g, flight, unit) for unit in units),
            max([g.state.desert[unit] for unit in units]),
            ends_routed(g, flight, units),
        )
        if key not in self._known:
            self._known[key] = ends(g, flight, units)
        return self._known[key]


def drop_others(g: G, flight: Flight, units: Sequence[int]) -> list[int]:
    """Eliminate the units that may not retreat: the Tobruk ASU, and in a regular combat those that have retreated in this
    phase. Return the others (12.3, 17.1.2)."""
    able = may_retreat(g, flight, units)
    for unit in units:
        if unit not in able:
            losses.eliminate(g, unit, "17.1.2" if unit == TOBRUK_ASU else "12.3")
    return able


def go(g: G, flight: Flight, units: Sequence[int], path: Path) -> Procedure:
    """Retreat units along a path; combat units are Disrupted or in Full Retreat, trucks never (12.1.1, 13.1.2, 13.1.3,
    13.2.3). With the option they pick up others on the path (27.3.2)."""
    for unit in units:
        if COMBAT[unit]:
            g.log("12.1.1", "{unit} retreats to {hex}", unit=unit, hex=path[-1])
            disruption.disorder(g, unit, flight.disorder)
            mark(g, flight, unit)
        g.state.desert[unit] = desert_run(g.state.desert[unit], path)
    if g.options.get("tag-along") != "on":
        yield from entering.march(g, flight.side, units, path)
        return
    moving = list(units)
    for number, hex in enumerate(path):
        yield from entering.march(g, flight.side, moving, [hex])
        moving = [unit for unit in moving if g.state.where[unit] == hex]
        if not moving:
            return
        moving += yield from pick_up(g, flight, moving, path[number + 1 :])


def mark(g: G, flight: Flight, unit: int) -> None:
    """Flag a unit that has retreated in this Combat Phase; automatic retreats do not count (12.3, 13.3.2)."""
    if not flight.automatic:
        g.state.flags[unit] |= RETREATED


# Tag-along retreats (27.3.2)


def pick_up(g: G, flight: Flight, moving: Sequence[int], path: Path) -> Generator[Decision, int, list[int]]:
    """The owner may take friendly units of a hex along; each combat unit is then disordered by one level more (27.3.2)."""
    done, taken = g.rules.button("done"), list[int]()
    while path:
        here = g.state.where[moving[0]]
        able = [unit for unit in pieces_in(g, flight.side, here) if why_not_taken(g, moving, taken, unit, path) is None]
        if not able:
            break
        click = yield g.ask(
            flight.side, "combat.retreat.along", f"Retreat through {BOARD.name(here)}: choose a unit to take along, or none",
            "27.3.2", units=able, buttons=[done], about=moving,
            why_not=partial(_why_not_taken, moving=tuple(moving), taken=tuple(taken), path=path),
        )  # fmt: skip
        if click == done:
            break
        taken.append(click)
        g.log("27.3.2", "{unit} is taken along", unit=click)
        if COMBAT[click]:
            disruption.disorder(g, click, disruption.IS_DISRUPTED)
            mark(g, flight, click)
    return taken


def why_not_taken(g: G, moving: Sequence[int], taken: Sequence[int], unit: int, path: Path) -> Refusal | None:
    """Return why retreating units cannot take a unit along: it is not in their hex, a replacement, adjacent to an
    enemy, under a marker, or cannot follow their path, perhaps because it ends in Full Retreat (12.1.1, 13.3.2,
    27.3.2)."""
    who, here = name(unit), g.state.where[moving[0]]
    if REPLACEMENT[unit]:
        return Refusal(f"{who} cannot be taken along: only combat units and trucks are", "27.3.2", who)
    if g.state.where[unit] != here or unit in moving or unit in taken or SIDE[unit] != SIDE[moving[0]]:
        return Refusal(f"{who} cannot be taken along: not a friendly unit on the path", "27.3.2", who)
    if adjacent_enemies(g, SIDE[unit], here):
        return Refusal(f"{who} cannot be taken along: it is adjacent to an enemy", "27.3.2", who)
    mech, steps = mechanized(g, unit), list(zip((here, *path), path, strict=False))
    if unit == TOBRUK_ASU or g.state.flags[unit] & TRANSPORTED or (not mech and len(path) > ON_FOOT):
        return Refusal(f"{who} cannot be taken along: it cannot retreat so far", "12.1.1", who)
    if any(b < HEXES and b not in NEXT[a][mech] for a, b in steps):
        return Refusal(f"{who} cannot be taken along: it cannot cross the ground ahead", "12.2.1", who)
    flight = Flight(SIDE[unit], here, 0, 0, disruption.IS_DISRUPTED)
    shut = enemies(g, flight, [unit]).intersection(path) if COMBAT[unit] else ()
    return why_closed(g, flight, [unit], min(shut), f"{who} cannot be taken along") if shut else None


def _why_not_taken(
    g: G, decision: Decision, click: int, moving: Sequence[int], taken: Sequence[int], path: Path
) -> Refusal | None:
    return why_not_taken(g, moving, taken, click, path) if g.is_unit(click) else None


def no_path(g: G, flight: Flight, unit: int) -> None:
    """A unit without a retreat path is eliminated; one on foot that had to retreat too far or twice surrenders (12.2.1,
    12.5.1)."""
    if surrenders(g, flight, unit):
        losses.surrender(g, unit)
    else:
        losses.eliminate(g, unit, "12.2.1")


def surrenders(g: G, flight: Flight, unit: int) -> bool:
    """Whether a unit surrenders because it is on foot, without a truck, and must retreat more than two hexes, or twice in one
    Combat Phase (12.1.1, 12.5.1)."""
    on_foot = COMBAT[unit] and unit not in flight.riding and not mechanized(g, unit)
    return on_foot and (flight.least > ON_FOOT or is_repeated(g, flight, unit))


def is_repeated(g: G, flight: Flight, unit: int) -> bool:
    """Whether a Breakthrough Combat makes a unit retreat for the second time in a Combat Phase (12.5.1, 15.3)."""
    return flight.breakthrough and bool(g.state.flags[unit] & RETREATED)


# Trucks (12.1.1, 12.1.5)


def load(g: G, flight: Flight, units: Sequence[int]) -> Generator[Decision, int, dict[int, int]]:
    """Trucks pick up the units on foot that would surrender or be eliminated without one; if there are too few, the
    owner chooses the units. Where the result allows more than two hexes but does not demand them, the owner may have
    others carried (12.1.1, 12.1.5). Return the truck of each."""
    trucks, riders = empty_trucks(g, flight), dict[int, int]()
    need = [unit for unit in units if needs_truck(g, flight, unit)] if trucks else []
    while need and trucks:
        unit = need[0]
        if len(need) > len(trucks):
            unit = yield g.ask(
                flight.side, "combat.carry", f"{name(trucks[0])} can carry one unit: choose it", "12.1.5",
                units=need, about=trucks[:1], why_not=partial(why_not_carried, need=tuple(need)),
            )  # fmt: skip
        riders[unit] = trucks.pop(0)
        need.remove(unit)
    is_longer, none = flight.least <= ON_FOOT < flight.most, g.rules.button("none")
    able = [u for u in units if is_longer and u not in riders and COMBAT[u] and not mechanized(g, u)]
    while able and trucks:
        unit = yield g.ask(
            flight.side, "combat.carry", f"{name(trucks[0])} can carry one unit up to {flight.most} hexes: choose it, or none",
            "12.1.5", units=able, buttons=[none], about=trucks[:1], why_not=partial(why_not_carried, need=tuple(able)),
        )  # fmt: skip
        if unit == none:
            break
        riders[unit] = trucks.pop(0)
        able.remove(unit)
    return riders


def needs_truck(g: G, flight: Flight, unit: int) -> bool:
    """Whether a unit on foot would surrender without a truck, or be eliminated while it survives on one (12.1.5)."""
    if surrenders(g, flight, unit):
        return True
    if not COMBAT[unit] or mechanized(g, unit) or survives(g, flight, unit):
        return False
    return survives(g, flight._replace(riding=(unit,)), unit)


def empty_trucks(g: G, flight: Flight) -> list[int]:
    """Return the trucks of the retreating stack that can pick something up (5.8.1, 12.1.5)."""
    return [u for u in others(g, flight.side, flight.hex) if TRUCK[u] and not g.state.flags[u] & (MSU | TRANSPORTED)]


def why_not_carried(g: G, decision: Decision, click: int, need: Sequence[int]) -> Refusal | None:
    """Return why a truck does not carry a unit in this retreat (12.1.5)."""
    if not g.is_unit(click) or click in need:
        return None
    return Refusal(f"{name(click)} does not need a truck in this retreat", "12.1.5", name(click))


# The search (12.1.3, 12.2.1)


def ends(g: G, flight: Flight, units: Sequence[int]) -> dict[int, Path]:
    """Return where units can end their retreat together, each hex with its best path. The guidelines are compared among
    paths of one length; a retreat may stop early in a friendly port or Fortification, or in a box, by a path that is no
    worse. Stacking limits do not count (12.1.3, 12.1.4, 12.2.1, 12.4)."""
    if any(is_repeated(g, flight, unit) and surrenders(g, flight, unit) for unit in units):
        return {}
    straight = best_ends(g, flight, units, reached(g, flight, units, at_most=STRAIGHT))
    if straight.lengths == lengths_of(g, flight, units):
        return straight.legal
    return best_ends(g, flight, units, reached(g, flight, units)).legal


def survives(g: G, flight: Flight, unit: int) -> bool:
    """Whether a unit has any path that it survives (12.2.1, 12.5.1)."""
    if is_repeated(g, flight, unit) and surrenders(g, flight, unit):
        return False
    return any(True for _ in reached(g, flight, [unit]))


class Ends(NamedTuple):
    """The legal ends of a retreat, each with its path, and the lengths of the paths among which they are the best."""

    legal: dict[int, Path]
    lengths: frozenset[int]


def best_ends(g: G, flight: Flight, units: Sequence[int], paths: Iterable[tuple[Cost, Path, int]]) -> Ends:
    """Return the best ends of each length, and the early stops that are no worse. One hex more is a length only if there is
    no other (12.1.3, 12.2.1, 12.4)."""
    by_length: dict[int, dict[int, tuple[Cost, list[Path]]]] = {}
    stops: dict[int, tuple[Cost, list[Path]]] = {}
    for cost, path, length in paths:
        found = by_length.setdefault(length, {}) if length else stops
        if path[-1] not in found or cost < found[path[-1]][0]:
            found[path[-1]] = cost, [path]
        elif cost == found[path[-1]][0]:
            found[path[-1]][1].append(path)
    if len(by_length) > 1:
        by_length.pop(flight.most + LENGTHS["further"], None)
    best = [min([cost for cost, _ in found.values()]) for found in by_length.values()]
    legal: dict[int, Path] = {}
    for least, found in zip(best, by_length.values(), strict=True):
        equal = {hex: alike for hex, (cost, alike) in found.items() if cost == least}
        legal |= supplied(g, flight, units, equal)
    limit = min(best, default=None)
    legal |= {hex: alike[0] for hex, (cost, alike) in stops.items() if limit is None or cost <= limit}
    return Ends(legal, frozenset(by_length))


def lengths_of(g: G, flight: Flight, units: Sequence[int]) -> frozenset[int]:
    """Return the lengths that a retreat of units may have; none if they are on foot and it is too long (12.1.1)."""
    return frozenset(range(flight.least, most_hexes(g, flight, units) + 1)) or frozenset([0])


def is_on_foot(g: G, flight: Flight, units: Sequence[int]) -> bool:
    """Whether one of the units retreats on foot (12.1.1)."""
    return any(unit not in flight.riding and not mechanized(g, unit) for unit in units)


def most_hexes(g: G, flight: Flight, units: Sequence[int]) -> int:
    """Return the most hexes that units retreat (12.1.1)."""
    return min(flight.most, ON_FOOT) if is_on_foot(g, flight, units) else flight.most


def supplied(g: G, flight: Flight, units: Sequence[int], found: Mapping[int, Sequence[Path]]) -> dict[int, Path]:
    """Of ends with equally good paths return those in supply, if there are any. Paths to an end differ in the enemy places
    that they take. In a Disengagement other units of the hex may stay (12.1.3, 16.3.5)."""
    side, control = flight.side, g.state.control
    ways = [
        {tuple([at for at in path if control.get(at, side) != side]): path for path in reversed(alike)}.values()
        for alike in found.values()
    ]
    nearest = {hex: alike[0] for hex, alike in found.items()}
    if sum(map(len, ways)) < 2 or not any(COMBAT[unit] for unit in units):
        return nearest
    leaving = units if flight.shy else [*units, *combat_units(g, side, flight.hex)]
    fed = {path[-1]: path for paths in ways for path in paths if supply.status_after(g, leaving, path) != supply.NONE}
    return fed or nearest


def reached(
    g: G, flight: Flight, units: Sequence[int], zoned: bool = True, at_most: Cost = ANY
) -> Iterator[tuple[Cost, Path, int]]:
    """Yield every path that does not eliminate the units and where it may end: its cost, the path, and the length it counts
    as, 0 for an early stop. Without `zoned`, enemy ZOCs are ignored, to explain a refusal (12.1.1, 12.2.1, 12.4)."""
    most = most_hexes(g, flight, units)
    further = 0 if is_on_foot(g, flight, units) or at_most == STRAIGHT else LENGTHS["further"]
    inside = enemy_zones(g, flight, units) if zoned else frozenset()
    for cost, path in paths(g, flight, units, most + further, inside, at_most):
        length, end = len(path), path[-1]
        if end >= HEXES:
            if length <= most:
                yield cost, path, 0
        elif end in inside:
            continue
        elif flight.least <= length <= most:
            yield cost, path, length
        elif length < flight.least and may_stop(g, flight, end):
            yield cost, path, 0
        elif length > most and path[-2] in inside:
            yield cost, path, length


def may_stop(g: G, flight: Flight, hex: int) -> bool:
    """Whether a retreat may end early in a hex: a friendly port or Fortification, or for an automatic retreat a friendly unit
    that is not in Full Retreat (12.4, 13.3.2)."""
    state, side = g.state, flight.side
    if (hex in PORTS and holder(g, hex) == side) or state.fort.get(hex) == side:
        return True
    return flight.automatic and any(not state.flags[unit] & FULL_RETREAT for unit in combat_units(g, side, hex))


def paths(
    g: G, flight: Flight, units: Sequence[int], most: int, inside: Collection[int], at_most: Cost
) -> Iterator[tuple[Cost, Path]]:
    """Yield every simple path of up to `most` hexes that the units survive and that is no worse than a cost, wherever it ends.
    `inside` are the hexes in enemy ZOCs. Desert hexes of an earlier retreat in the phase count (5.5, 12.1.3, 12.2.1)."""
    kinds = {unit in flight.riding or mechanized(g, unit) for unit in units}
    closed, overlapped, start = enemies(g, flight, units), overlapping(g, 1 - flight.side), flight.hex
    own_box = OFF_MAP[flight.side]
    run = max([g.state.desert[unit] for unit in units])
    begun: list[tuple[Cost, Path, int, int]] = [(Cost(0, 0), (), start, run)]
    while begun:
        longer = []
        for cost, path, here, run in begun:
            if BOX_OF.get(here) in own_box:
                yield cost, (*path, BOX_OF[here])
            away = BOARD.distance(start, here)
            for there in NEXT[here][True in kinds]:
                desert = run + 1 if DESERT[there] else 0
                if there == start or there in path or there in closed or desert > MOST_DESERT:
                    continue
                if False in kinds and there not in NEXT[here][False]:
                    continue
                zoned = there in inside
                if zoned and (cost.zoned or flight.shy or overlapped[there]):
                    continue
                further = Cost(cost.zoned + zoned, cost.back + (BOARD.distance(start, there) <= away))
                if further.zoned > at_most.zoned or further.back > at_most.back:
                    continue
                yield further, (*path, there)
                if len(path) + 1 < most:
                    longer.append((further, (*path, there), there, desert))
        begun = longer


def enemy_zones(g: G, flight: Flight, units: Sequence[int]) -> frozenset[int]:
    """Return the hexes around a retreat in full enemy ZOCs that no friendly unit negates (12.1.3, 12.2.1)."""
    zoned, near = zone(g, 1 - flight.side), BOARD.within(flight.hex, flight.most + LENGTHS["further"])
    return frozenset([hex for hex in near if zoned[hex] == FULL and in_enemy_zone(g, flight, units, hex)])


def ends_routed(g: G, flight: Flight, units: Sequence[int]) -> bool:
    """Whether a retreat leaves one of the units in Full Retreat: by its result, or because the unit is in disorder
    already (13.1.3)."""
    return flight.disorder == disruption.IS_ROUTED or any(disruption.level(g, unit) for unit in units)


def enemies(g: G, flight: Flight, units: Sequence[int]) -> set[int]:
    """Return the hexes closed to a retreat: those of enemy combat units, and for units that end in Full Retreat vacant
    enemy ports, airfields, Fortifications and cities, and enemy Non-Combat Units, which also close a hex to trucks
    alone (5.8.3, 12.2.1, 13.3.2)."""
    state, enemy = g.state, 1 - flight.side
    found, routed = set(state.where.stacks(enemy)), ends_routed(g, flight, units)
    if routed or not any(COMBAT[unit] for unit in units):
        found |= set(state.where.stacks(NON_COMBAT + enemy)) | set(stock(g, enemy))
    if routed:
        found.update(held_by(g, enemy))
        found |= {hex for hex, side in state.fort.items() if side == enemy}
    return found


def in_enemy_zone(g: G, flight: Flight, units: Sequence[int], hex: int) -> bool:
    """Whether a hex is in a full enemy ZOC that no friendly combat unit negates; one that has retreated in this phase or
    belongs to the retreating stack negates none (12.1.3, 12.2.1)."""
    if zone(g, 1 - flight.side)[hex] != FULL:
        return False
    return not any(
        unit not in units and not g.state.flags[unit] & RETREATED for unit in combat_units(g, flight.side, hex)
    )


# Refusals


def why_not(g: G, decision: Decision, click: int, flight: Flight) -> Refusal | None:
    """Return why a unit does not retreat, or units cannot retreat to a location (12.1.1, 12.1.3, 12.2.1)."""
    if click in decision.legal:
        return None
    if g.is_unit(click):
        text = "it has already retreated" if g.state.flags[click] & RETREATED else "it is not in this retreat"
        if click in others(g, flight.side, flight.hex):
            text = "it has no path now"
        return Refusal(f"{name(click)} cannot retreat: {text}", "12.1.1", name(click))
    if click >= g.rules.first_button:
        return None
    location, label = g.location(click), g.rules.names[click]
    cannot = f"{names(decision.about)} cannot retreat to {label}"
    if location >= HEXES:
        text = "it is not reached" if location in OFF_MAP[flight.side] else "it is not a friendly off map box"
        return Refusal(f"{cannot}: {text}", "12.2.1", label)
    there = combat_units(g, 1 - flight.side, location)
    if there:
        return Refusal(f"{cannot}: {name(there[0])} is there", "12.2.1", name(there[0]))
    units = list(decision.about)
    if location in enemies(g, flight, units):
        return why_closed(g, flight, units, location, cannot)
    if not any(path[-1] == location for _, path, _ in reached(g, flight, units, zoned=False)):
        hexes = f"{flight.least}" if flight.least == flight.most else f"{flight.least} to {flight.most}"
        return Refusal(f"{cannot}: no path of {hexes} hexes leads there", "12.1.1", label)
    found = list(reached(g, flight, units))
    here = [cost for cost, path, _ in found if path[-1] == location]
    if not here:
        return Refusal(f"{cannot}: enemy ZOCs on every path would eliminate it", "12.2.1", label)
    if min([length for _, path, length in found if path[-1] == location]) > flight.most:
        return Refusal(f"{cannot}: only units without a shorter path go one hex on", "12.2.1", label)
    return Refusal(f"{cannot}: {why_worse(min(here), min([cost for cost, _, _ in found]))}", "12.1.3", label)


def why_closed(g: G, flight: Flight, units: Sequence[int], hex: int, cannot: str) -> Refusal:
    """Return what closes a hex without enemy combat units to a retreat (5.8.3, 13.3.2)."""
    label, pieces = BOARD.name(hex), others(g, 1 - flight.side, hex)
    routed = ends_routed(g, flight, units)
    who, rule = ("units in Full Retreat", "13.3.2") if routed else ("trucks and replacements alone", "5.8.3")
    if pieces:
        return Refusal(f"{cannot}: {who} may not enter a hex with {name(pieces[0])}", rule, name(pieces[0]))
    there = "a hex with enemy Supply Points" if hex in stock(g, 1 - flight.side) else "what the enemy controls"
    return Refusal(f"{cannot}: {who} may not enter {there}", rule, label)


def why_worse(cost: Cost, best: Cost) -> str:
    """By which guideline a path is worse than the best, in words (12.1.3)."""
    if cost.zoned > best.zoned:
        return "another path enters no enemy ZOC"
    return "another path leads farther away" if cost.back > best.back else "another end is in supply"


def has_path(g: G, flight: Flight, units: Sequence[int]) -> bool:
    """Whether any of the units survives a retreat, on a truck if it needs one and the stack has one (12.2.1, 12.5.1)."""
    if empty_trucks(g, flight):
        flight = flight._replace(riding=tuple([unit for unit in units if needs_truck(g, flight, unit)]))
    return any(survives(g, flight, unit) for unit in may_retreat(g, flight, units))


def is_trapped(g: G, flight: Flight, units: Sequence[int]) -> bool:
    """Whether all units would be eliminated by the retreat because there is no path, on a truck neither. Surrender of
    units on foot because it is too long does not count (11.5.2, 12.1.5, 12.2.1)."""
    able = may_retreat(g, flight, units)
    short = flight._replace(least=min(flight.least, ON_FOOT), most=min(flight.most, ON_FOOT), breakthrough=False)
    if any(survives(g, flight if mechanized(g, unit) else short, unit) for unit in able):
        return False
    on_foot = [unit for unit in able if not mechanized(g, unit)] if empty_trucks(g, flight) else []
    return not any(survives(g, flight._replace(riding=(unit,)), unit) for unit in on_foot)


def may_retreat(g: G, flight: Flight, units: Sequence[int]) -> list[int]:
    """Return the units that a retreat does not eliminate at once (12.3, 17.1.2)."""
    again = RETREATED if not flight.automatic and not flight.breakthrough else 0
    return [unit for unit in units if unit != TOBRUK_ASU and not g.state.flags[unit] & again]
