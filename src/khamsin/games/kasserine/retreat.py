"""Retreats after combat (13.3, 13.4) and by evasion (9.2.5).

Who retreats from where, how far and from what stands in the state while it lasts, so that a closed hex can be explained. All
retreats of a combat happen at once: a hex counts as held by friends only if one stands there who does not retreat (13.3.3).
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from khamsin.games.kasserine import battle as combats
from khamsin.games.kasserine import boxes, losses, reserve, supply, support
from khamsin.games.kasserine.arrival import arrive
from khamsin.games.kasserine.battle import Battle
from khamsin.games.kasserine.ground import OUTSIDE, REACHES, is_raining, stops
from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.stacking import room
from khamsin.games.kasserine.strength import FIGURES
from khamsin.games.kasserine.units import (
    ALLIED,
    AXIS,
    BOARD,
    DEPLOYED,
    FACE_DOWN,
    FOOT,
    FORCE_SPAN,
    FORCES,
    GUNS,
    HEXES,
    MARKER,
    MARKER_SPAN,
    MOTORIZED,
    NUMBER,
    ROMMEL,
    SELF_PROPELLED,
    STACKING,
    TWO_MODES,
    G,
    crosses,
    forces_in,
    held,
    name,
    on_map,
)
from khamsin.games.kasserine.zones import contact, exerting, zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal

EVASION: int = FIGURES["evasion"]["hexes"]
_UNIT, _LEAST, _MOST, _COMBAT = "retreat of ", "hexes at least", "hexes at most", "retreat in combat"


class Retreat(NamedTuple):
    """The retreats of a side in one combat: where each unit began, how many hexes it goes, and for attackers the hexes they
    attacked (13.3.1, 13.3.2)."""

    side: int
    starts: Mapping[int, int]
    least: int
    most: int
    attacked: tuple[int, ...]

    @property
    def evading(self) -> bool:
        """Whether it is by evasion (9.2.5)."""
        return self.most == EVASION

    def clear(self, unit: int, hex: int) -> bool:
        """Whether a hex is away from the Defender hex, and by two hexes if so many are required (13.3, 13.3.2)."""
        origins = self.attacked or (self.starts[unit],)
        away = max(self.least, 2 if self.attacked else 1)
        return all(BOARD.distance(hex, origin) >= away for origin in origins)


def retreat(g: G, side: int, units: Sequence[int], hexes: tuple[int, int], battle: Battle) -> Procedure:
    """Units of a side retreat from a combat, as attackers or defenders, by so many hexes (13.3)."""
    yield from leave(g, side, units, hexes, battle.number if side == battle.side else 0)


def evade(g: G, side: int, hex: int) -> Procedure:
    """Units get away from a hex before combat, three hexes far (9.2.4, 9.2.5)."""
    yield from leave(g, side, forces_in(g, side, hex), (EVASION, EVASION), 0)


def leave(g: G, side: int, units: Sequence[int], hexes: tuple[int, int], number: int) -> Procedure:
    """All that retreat at once: those who cannot are lost or break out, then the owner takes the others where he likes
    (13.3.3, 13.3.9, 13.4)."""
    todo, where = g.state.todo, g.state.where
    marks = {_UNIT + name(unit): where[unit] for unit in units if on_map(g, unit)}
    marks |= {_LEAST: hexes[0], _MOST: hexes[1], _COMBAT: number}
    todo.update(marks)
    r = under_way(g, side)
    for hex in sorted(set(r.starts.values())):
        yield from strand(g, r, hex)
    while waiting := [unit for unit, start in r.starts.items() if where[unit] == start]:
        yield from choose(g, r, waiting)
    for mark in marks:
        del todo[mark]


def under_way(g: G, side: int) -> Retreat:
    """The retreats of a side that are under way."""
    todo = g.state.todo
    starts = {NUMBER[mark.removeprefix(_UNIT)]: hex for mark, hex in todo.items() if mark.startswith(_UNIT)}
    number = todo[_COMBAT]
    attacked = combats.read(g, side, number).hexes if number else ()
    return Retreat(side, starts, todo[_LEAST], todo[_MOST], attacked)


def is_fixed(g: G, unit: int) -> bool:
    """Whether a unit in Deployed mode cannot retreat; a self-propelled one can (13.3.9)."""
    return TWO_MODES[unit] and not SELF_PROPELLED[unit] and bool(g.state.flags[unit] & DEPLOYED)


def strand(g: G, r: Retreat, hex: int) -> Procedure:
    """Of the units in a hex Deployed guns are lost, and those without a way out break out or are lost
    (13.3, 13.3.9, 13.4.2)."""
    units = [unit for unit, start in r.starts.items() if start == hex]
    fixed = [unit for unit in units if is_fixed(g, unit)]
    shut = [unit for unit in units if unit not in fixed and not ends(g, r, unit)]
    group = [unit for unit in shut if MOTORIZED[unit] and not r.evading]
    ways = first_hexes(g, r, group)
    lose_all(g, fixed, "13.3.9")
    for unit in shut:
        if unit not in group or not ways:
            losses.eliminate(g, unit, why_lost(r, unit))
    if not ways:
        return
    g.log("13.4.4", "the units in {hex} try to get through the enemy's zones", hex=hex)
    if len(group) == len(shut) + len(fixed):  # nobody else was lost, who would have taken the loss upon himself
        yield from losses.lose(g, r.side, group, 1)
    yield from break_out(g, r, [unit for unit in group if on_map(g, unit)], ways)


def why_lost(r: Retreat, unit: int) -> str:
    """The rule by which a unit without a retreat is lost."""
    if r.evading:
        return "9.2.5"
    return "13.3" if MOTORIZED[unit] else "13.4.2"


def first_hexes(g: G, r: Retreat, group: Iterable[int]) -> dict[int, list[int]]:
    """The vacant hexes in enemy zones into which units could break out, with those that can (13.4.1)."""
    found: dict[int, list[int]] = {}
    zoned, barred = zone(g, 1 - r.side), barred_to(g, r.side)
    for unit in group:
        for near in neighbours(g, unit, r.starts[unit]):
            if zoned[near] and near not in barred and not held(g, r.side, near):
                found.setdefault(near, []).append(unit)
    return found


def break_out(g: G, r: Retreat, group: list[int], ways: Mapping[int, list[int]]) -> Procedure:
    """A surrounded group goes one hex, and by the Retreat Table is lost or goes on, all together
    (13.4.3-7)."""
    open_to = {hex: able for hex, units in ways.items() if (able := [unit for unit in units if unit in group])}
    if not open_to:
        lose_all(g, group, "13.3.7")
        return
    source = supply.source_of(g, group[0])
    chance = {"gets through": str(g.table("retreat").chances(0)["Pass"])}
    prompt = f"Through which hex in an enemy zone {'do' if len(group) > 1 else 'does'} {listed(group)} break out?"
    hex = yield from pick(g, r.side, group, dict.fromkeys(open_to, chance), "13.4.4", prompt)
    group = follow(g, r, group, open_to[hex], (hex,))
    if g.table("retreat").roll(g.dice, 0, purpose="retreat through enemy zones") == "Fail":
        lose_all(g, group, "13.4.5")
        return
    onward = next_hexes(g, r, group, hex, source)
    if not onward:
        lose_all(g, group, "13.4.6")
        return
    end = yield from pick(g, r.side, group, list(onward), "13.4.6", "Where does the retreat end?")
    able, path = onward[end]
    follow(g, r, group, able, path)


def lose_all(g: G, units: Iterable[int], rule: str) -> None:
    """Units are eliminated."""
    for unit in units:
        losses.eliminate(g, unit, rule)


def next_hexes(
    g: G, r: Retreat, group: Sequence[int], hex: int, source: int
) -> dict[int, tuple[list[int], tuple[int, ...]]]:
    """Where a group that got through can end its retreat, with those who can go there and the way (13.4.6, 13.4.7)."""
    able: dict[int, list[int]] = {}
    paths: dict[int, tuple[int, ...]] = {}
    for unit in group:
        for end, path in routes(g, r, [unit], hex, 1, 1).items():
            able.setdefault(end, []).append(unit)
            paths.setdefault(end, path)
    fits = [end for end, units in able.items() if sum(STACKING[unit] for unit in units) <= room(g, r.side, end)]
    return {end: (able[end], paths[end]) for end in preferred(g, r, group[0], fits, source)}


def listed(units: Sequence[int]) -> str:
    """Units by name."""
    return ", ".join(map(name, units))


def pick(
    g: G, side: int, units: Sequence[int], hexes: Collection[int], rule: str, prompt: str
) -> Generator[Decision, int, int]:
    """One of several hexes, perhaps with hints, of the owner's choice."""
    if len(hexes) == 1:
        return next(iter(hexes))
    return g.location((yield g.ask(side, "combat.retreat", prompt, rule, locations=hexes, about=units)))


def follow(g: G, r: Retreat, group: Sequence[int], able: Collection[int], path: Sequence[int]) -> list[int]:
    """Those of a group who can go along a path do; the others are lost, since it stays together (13.3.7, 13.4.7)."""
    lose_all(g, [unit for unit in group if unit not in able], "13.3.7")
    go(g, r.side, list(able), path)
    return list(able)


def choose(g: G, r: Retreat, waiting: list[int]) -> Procedure:
    """The owner takes a unit, or all that are left in a hex, to where the retreat ends (13.3, 13.3.2)."""
    open_to = {unit: ends(g, r, unit) for unit in waiting}
    for unit, found in open_to.items():
        if not found:
            losses.eliminate(g, unit, "13.3.4")
            return
    start = r.starts[waiting[0]]
    stack = [unit for unit in waiting if r.starts[unit] == start]
    shared = together(g, r, stack, open_to)
    unit, hex = waiting[0], NOWHERE
    if len(waiting) > 1 and not (len(stack) == len(waiting) and len(shared) == 1 == max(map(len, open_to.values()))):
        click = yield g.ask(
            r.side, "combat.retreat", f"Retreat from {BOARD.name(start)}: a hex for all, or a unit to go its own way", "13.3",
            units=waiting, locations=hints(shared), about=stack,
        )  # fmt: skip
        if g.is_unit(click):
            unit, stack, shared = click, [click], open_to[click]
        else:
            hex = g.location(click)
    if hex == NOWHERE:
        hex = yield from pick(g, r.side, stack, hints(shared), "13.3", f"Where does {name(unit)} retreat?")
    go(g, r.side, stack, (yield from by_which_way(g, r, stack, shared[hex])))


def together(
    g: G, r: Retreat, stack: Sequence[int], open_to: Mapping[int, Mapping[int, tuple[int, ...]]]
) -> dict[int, tuple[int, ...]]:
    """The hexes where a whole stack can end its retreat, within the stacking limit, with a way for all (13.3.4)."""
    points = sum(STACKING[unit] for unit in stack)
    return {
        hex: path
        for hex, path in routes(g, r, stack, r.starts[stack[0]], r.least, r.most).items()
        if points <= room(g, r.side, hex) and all(hex in open_to[unit] for unit in stack)
    }


def by_which_way(
    g: G, r: Retreat, units: Sequence[int], path: tuple[int, ...]
) -> Generator[Decision, int, tuple[int, ...]]:
    """The way to where a retreat ends: the shortest, but the owner chooses hex by hex while it matters what is passed
    (13.3.2)."""
    end = path[-1]
    found = [way for way in ways(g, r, units, r.starts[units[0]], r.least, r.most) if way[-1] == end]
    walked = 0
    while len({touching(g, r.side, units, way) for way in found}) > 1:
        prompt = f"Through which hex does the retreat to {BOARD.name(end)} lead?"
        step = yield from pick(g, r.side, units, sorted({way[walked] for way in found}), "13.3.2", prompt)
        found = [way for way in found if way[walked] == step]
        walked += 1
    return found[0]


def touching(g: G, side: int, units: Sequence[int], hexes: Collection[int]) -> tuple[frozenset[int], tuple[int, ...]]:
    """What units of a side change by entering these hexes, as far as it can tell: where enemy victory locations and supply
    sources become friendly, enemy guns next to them give no support elsewhere and Rommel gets away, and which enemies are no
    longer in Reserve (3.1.1, 8.2.5, 10.3.6, 15.5.3)."""
    state, enemy = g.state, 1 - side
    found = {hex for hex in hexes if state.control.get(hex, side) != side}
    if any(0 <= hex < HEXES for hex in state.where[MARKER_SPAN[enemy]]):
        guns = {state.where[gun] for gun in GUNS[enemy] if state.flags[gun] & DEPLOYED}
        found.update(near for hex in hexes for near in BOARD.around(hex) if near in guns)
    if side == ALLIED and state.where[ROMMEL] in hexes:
        found.add(state.where[ROMMEL])
    return frozenset(found), tuple(reserve.roused(g, side, units, hexes))


def hints(paths: Mapping[int, tuple[int, ...]]) -> dict[int, dict[str, int]]:
    """How many hexes each retreat is long."""
    return {hex: {"hexes": len(path)} for hex, path in paths.items()}


def go(g: G, side: int, units: Sequence[int], path: Sequence[int]) -> None:
    """Units retreat along a path; self-propelled guns go to March mode, and Rommel leaves with the last unit of his hex
    (13.3.9, 15.5.3)."""
    state = g.state
    start, hex = state.where[units[0]], path[-1]
    for unit in units:
        if state.flags[unit] & DEPLOYED:
            state.flags[unit] &= ~DEPLOYED
            if unit in MARKER and state.flags[MARKER[unit]] & FACE_DOWN:
                support.cancel(g, unit)
        g.log("13.3", "{unit} retreats to {hex}", unit=unit, hex=hex)
    arrive(g, side, units, hex, path[:-1])
    if side == AXIS and state.where[ROMMEL] == start and not held(g, side, start):
        state.where[ROMMEL] = hex
        g.log("15.5.3", "{unit} retreats with them to {hex}", unit=ROMMEL, hex=hex)


def ends(g: G, r: Retreat, unit: int) -> dict[int, tuple[int, ...]]:
    """Where a unit can end its retreat, with the way to each: within the stacking limit, and towards its supply if it can
    (13.3.4, 13.3.8)."""
    found = routes(g, r, [unit], r.starts[unit], r.least, r.most)
    fits = [hex for hex in found if STACKING[unit] <= room(g, r.side, hex)]
    return {hex: found[hex] for hex in preferred(g, r, unit, fits, supply.source_of(g, unit))}


def routes(g: G, r: Retreat, units: Sequence[int], start: int, least: int, most: int) -> dict[int, tuple[int, ...]]:
    """The hexes where a retreat of so many hexes may end, each with the shortest way for all of these units (13.3.1)."""
    found: dict[int, tuple[int, ...]] = {}
    for way in ways(g, r, units, start, least, most):
        found.setdefault(way[-1], way)
    return found


def ways(g: G, r: Retreat, units: Sequence[int], start: int, least: int, most: int) -> Iterator[tuple[int, ...]]:
    """Every way that units may retreat together by zones, ground and attacks, the shortest first. One that would end under a
    declared attack goes on for one hex, but evasion does not (9.2.5, 13.3.5-7)."""
    zoned, friends, barred = zone(g, 1 - r.side), friends_of(g, r), barred_to(g, r.side)
    reaches = REACHES[is_raining(g)]
    kinds = {crosses(g, unit) for unit in units}
    begun: list[tuple[int, ...]] = [()]
    for length in range(1, most + 1 if r.evading else most + 2):
        further = []
        for way in begun:
            here = way[-1] if way else start
            if length > most and not combats.at(g, here):
                continue
            for there in BOARD.around(here):
                if there == start or there in way or there in barred or (zoned[there] and there not in friends):
                    continue
                if not all(there in reaches[kind][here] for kind in kinds):
                    continue
                longer = (*way, there)
                if length >= least and r.clear(units[0], there) and not combats.at(g, there):
                    yield longer
                if FOOT not in kinds or not halts(here, there):
                    further.append(longer)
        begun = further


def neighbours(g: G, unit: int, hex: int) -> tuple[int, ...]:
    """The hexes next to one that a unit could enter from it in this weather (13.3.7)."""
    return REACHES[is_raining(g)][crosses(g, unit)][hex]


def halts(here: int, there: int) -> bool:
    """Whether units on foot end a retreat with this step; motorized ones do not (7.3.5)."""
    return stops(FOOT, here, BOARD.neighbours[here].index(there))


def friends_of(g: G, r: Retreat) -> set[int]:
    """The hexes held by combat units of the side that do not retreat (13.3.3, 13.3.5)."""
    return {
        hex for unit, hex in zip(FORCES[r.side], g.state.where[FORCE_SPAN[r.side]], strict=True) if unit not in r.starts
    }


def barred_to(g: G, side: int) -> set[int]:
    """The hexes closed to every retreat: enemies, enemy strongpoints, what lies outside the scenario, and the south edge while
    it is shut (13.3.7, 14.2.5, 18.2.5)."""
    barred = set(g.state.where[FORCE_SPAN[1 - side]])
    barred.update(hex for hex, owner in g.state.strongpoint.items() if owner != side)
    barred.update(OUTSIDE.get(setting(g).number, ()), boxes.shut_edge(g, side))
    return barred


def preferred(g: G, r: Retreat, unit: int, hexes: Sequence[int], source: int) -> list[int]:
    """Of the hexes where a retreat could end those that are allowed: supplied and nearer to the source of supply, else as
    near, else any (13.3.8)."""
    opened = kept_open(g, r)
    fed = [hex for hex in hexes if supply.supplied_at(g, unit, hex, opened)]
    if source == NOWHERE:
        return fed or list(hexes)
    now = BOARD.distance(r.starts[unit], source)
    nearer = [hex for hex in fed if BOARD.distance(hex, source) < now]
    return nearer or [hex for hex in fed if BOARD.distance(hex, source) == now] or list(hexes)


def kept_open(g: G, r: Retreat) -> frozenset[int]:
    """The hexes in enemy zones through which Supply Routes will lead when all have retreated: those of friends who stay, not
    those which the retreat leaves or passes (6.2.4, 13.3.3, 13.3.8)."""
    return contact(g, r.side) & friends_of(g, r)


def why_not_there(g: G, r: Retreat, unit: int, hex: int) -> Refusal:
    """Why a retreat cannot end in a hex (13.3)."""
    here, side = BOARD.name(hex), r.side
    if not BOARD.is_hex(hex):
        return Refusal("nobody retreats into a box", "13.3.7", here)
    for enemy in forces_in(g, 1 - side, hex):
        return Refusal(f"{name(enemy)} is there", "13.3.7", name(enemy))
    if g.state.strongpoint.get(hex, side) != side:
        return Refusal("an enemy strongpoint is there", "14.2.5", here)
    if hex in boxes.shut_edge(g, side):
        return Refusal(f"Allied units may not be in {here} yet", "18.2.5", here)
    if hex in barred_to(g, side):
        return Refusal("it is outside the scenario area", "13.3.7", here)
    if not r.clear(unit, hex):
        return Refusal("it is not far enough from the hex under attack", "13.3.2", here)
    if BOARD.distance(hex, r.starts[unit]) > r.most + 1:
        return Refusal(f"a retreat is {r.most} hexes long", "13.3.1", here)
    if zone(g, 1 - side)[hex] and hex not in friends_of(g, r):
        enemies = exerting(g, 1 - side, hex)
        return Refusal("a vacant hex in an enemy zone", "13.3.5", name(enemies[0]) if enemies else here)
    if combats.at(g, hex):
        return Refusal("it is under attack", "9.2.5" if r.evading else "13.3.6", here)
    if hex not in routes(g, r, [unit], r.starts[unit], r.least, r.most):
        return Refusal("no way leads there past enemies, their zones and closed hexsides", "13.3.7", here)
    if STACKING[unit] > room(g, side, hex):
        return Refusal("there is no room", "13.3.4", here)
    if not supply.supplied_at(g, unit, hex, kept_open(g, r)):
        return Refusal("it would be out of supply there", "13.3.8", here)
    return Refusal("that is not towards its source of supply", "13.3.8", here)
