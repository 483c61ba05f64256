"""Retreat (OCS 9.2): exactly the number of hexes away, through the fewest enemy ZOCs; DG at the second hex or in a ZOC."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from functools import partial
from heapq import heappop, heappush
from itertools import pairwise

from khamsin.games.tunisia import control, losses, modes
from khamsin.games.tunisia.ground import OPEN_SIDES, OUTSIDE
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.units import (
    BOARD,
    DG,
    HEXES,
    IS_HQ,
    MA,
    MOBILITY,
    MOVE,
    ORGANIC,
    RESERVE,
    STRAT,
    TRUCK,
    G,
    can_attack,
    forces_in,
    hex_of,
    name,
    names,
    on_map,
    tell,
    trucks_in,
)
from khamsin.games.tunisia.zones import in_zone, zone
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import retreat as mechanic
from khamsin.mechanics.refusals import unless_legal
from khamsin.mechanics.showing import counted

Path = tuple[int, ...]
SLACK = 2
"""How many hexes longer than the direct path a path may be to avoid prohibited ground."""


def retreat(
    g: G,
    side: int,
    units: Sequence[int],
    hexes: int,
    enemy_hexes: Mapping[int, int],
    from_hexes: Sequence[int] = (),
    trucks: bool = True,
) -> Procedure:
    """Retreat units together or separately, as their owner chooses; organic trucks retreat too if no combat unit stays, but
    not from an overrun that their side has made.
    Headquarters and units that cannot move flip to the Move side; a unit without a path is eliminated (OCS 9.2)."""
    for unit in units:
        if IS_HQ[unit] or not MA[unit][int(bool(g.state.flags[unit] & MOVE))]:
            g.state.flags[unit] |= MOVE
    waiting = {unit: g.state.where[unit] for unit in units}
    while waiting:
        stuck = trapped(g, side, list(waiting), hexes, enemy_hexes, from_hexes)
        if stuck:
            losses.eliminate(g, stuck[0], "OCS 9.2")
            del waiting[stuck[0]]
            continue
        finder = partial(ends, g, side, hexes=hexes, enemy_hexes=enemy_hexes, from_hexes=from_hexes)
        refuse = unless_legal(partial(why_not, units=tuple(units), hexes=hexes, enemy_hexes=enemy_hexes))
        group, hex = yield from mechanic.choose(
            g, side, waiting, finder, "OCS 9.2", refuse, partial(harm, g, side, units)
        )
        path = finder(group)[hex]
        for unit in group:
            del waiting[unit]
        yield from go(g, side, group, path, trucks)


def harm(g: G, side: int, units: Sequence[int], path: Path) -> str:
    """Return the effect of a retreat along a path on units, as a hint. Those that an enemy ZOC or the second hex has
    disorganised lose a step in the next ZOC (OCS 5(3))."""
    shaken = any(g.state.flags[unit] & DG for unit in units if on_map(g, unit))
    zones, lost = [number for number, hex in enumerate(path, 1) if in_zone(g, 1 - side, hex)], 0
    for number in zones:
        lost += shaken or number > 2
        shaken = True
    if lost:
        return f"enemy ZOC: a unit that is DG is lost{f', {lost} times' if lost > 1 else ''}"
    if zones:
        return "enemy ZOC: disorganised"
    return "second hex: disorganised" if len(path) > 1 else "1 hex, no harm"


def trapped(
    g: G, side: int, units: Sequence[int], hexes: int, enemy_hexes: Mapping[int, int], from_hexes: Sequence[int]
) -> list[int]:
    """Return the units that have no path for a retreat (OCS 9.2)."""
    return [unit for unit in units if not ends(g, side, [unit], hexes, enemy_hexes, from_hexes)]


def take_along(
    g: G, side: int, units: Sequence[int], hexes: int, enemy_hexes: Mapping[int, int]
) -> Generator[Decision, int, list[int]]:
    """Friendly units in the hexes of retreating units that took no part in the combat may join if they have a path. Return
    them (OCS 9.2)."""
    starts = dict.fromkeys([g.state.where[unit] for unit in units])
    friends = [unit for hex in starts for unit in forces_in(g, side, hex) if unit not in units]
    idle = [unit for unit in friends if ends(g, side, [unit], hexes, enemy_hexes)]
    chosen, done = list[int](), g.rules.button("done")
    while idle:
        going = f", with {names(chosen)}" if chosen else ""
        click = yield g.ask(
            side, "combat.along", f"Retreat{going}: choose idle units that join, or end", "OCS 9.2", units=idle,
            buttons=[done], about=chosen, at=list(starts),
            why_not=partial(why_not_along, idle=tuple(idle), friends=tuple(friends)),
        )  # fmt: skip
        if click == done:
            break
        chosen = [unit for unit in chosen if unit != click] if click in chosen else [*chosen, click]
    return chosen


def why_not_along(g: G, decision: Decision, click: int, idle: Sequence[int], friends: Sequence[int]) -> Refusal | None:
    """Return why a unit does not join a retreat: only idle friendly units in the hexes of the retreating ones that have a
    path (OCS 9.2)."""
    if not g.is_unit(click) or click in idle:
        return None
    if click in friends:
        return Refusal(f"{name(click)} cannot join: it has no path for the retreat", "OCS 9.2", name(click))
    return Refusal(f"{name(click)} cannot join: not an idle friendly unit where units retreat", "OCS 9.2", name(click))


def ends(
    g: G, side: int, units: Sequence[int], hexes: int, enemy_hexes: Mapping[int, int], from_hexes: Sequence[int] = ()
) -> dict[int, Path]:
    """Return where units of one hex can end a retreat together. Hexes that bring them nearer to an attacker are taken
    only if there are no others (OCS 9.2, OCS 21)."""
    found = paths(g, side, units, hexes, enemy_hexes)
    away = {hex: path for hex, path in found.items() if all(BOARD.distance(one, hex) >= hexes for one in from_hexes)}
    return away or found


def paths(g: G, side: int, units: Sequence[int], hexes: int, enemy_hexes: Mapping[int, int]) -> dict[int, Path]:
    """Return the hexes at the distance of a retreat, each with the path through the fewest enemy ZOCs. Only
    attack-capable units enter hexes with enemy non-combat units (OCS 3(5), OCS 9.2)."""
    start, zoned, outside = g.state.where[units[0]], zone(g, 1 - side), OUTSIDE[setting(g).area]
    mobilities = {MOBILITY[unit][int(bool(g.state.flags[unit] & MOVE))] for unit in units}
    strat = any(g.state.flags[unit] & STRAT for unit in units)
    closed = frozenset() if any(can_attack(g, unit) for unit in units) else control.booty_hexes(g, 1 - side)
    best: dict[int, Path] = {}
    seen: set[tuple[int, int]] = set()
    heap: list[tuple[int, int, Path]] = [(0, 0, (start,))]
    while heap:
        harm, length, path = heappop(heap)
        here = path[-1]
        if (here, length) in seen:
            continue
        seen.add((here, length))
        best.setdefault(here, path)
        if length >= hexes + SLACK:
            continue
        for near in set.intersection(*[set(OPEN_SIDES[mobility][here]) for mobility in mobilities]):
            if near in path or near in outside or near in enemy_hexes or forces_in(g, 1 - side, near):
                continue
            if (strat and zoned[near]) or near in closed:
                continue
            heappush(heap, (harm + zoned[near], length + 1, (*path, near)))
    return {hex: path[1:] for hex, path in sorted(best.items()) if BOARD.distance(start, hex) == hexes}


def go(g: G, side: int, units: Sequence[int], path: Path, trucks: bool = True) -> Procedure:
    """Retreat units along a path, with the organic trucks if no unit stays and the ground is open to them. Units that
    were DG lose a step at each hex in an enemy ZOC; a ZOC or the second hex of the retreat disorganises every combat
    unit in the hex (OCS 5(3), OCS 6(3), OCS 9.2)."""
    start = g.state.where[units[0]]
    stays = [unit for unit in forces_in(g, side, start) if unit not in units]
    able = trucks and not stays and all(near in OPEN_SIDES[TRUCK][hex] for hex, near in pairwise((start, *path)))
    lorries = [truck for truck in trucks_in(g, side, start) if ORGANIC[truck]] if able else []
    tell(g, side, "OCS 9.2", "{units} {units:retreats|retreat} to {hex}", "Units retreat to {hex}",
         units=names(units), hex=path[-1])  # fmt: skip
    for number, hex in enumerate(path, 1):
        alive = [unit for unit in units if on_map(g, unit)]
        if not alive:
            return
        for unit in (*alive, *lorries):
            g.state.where[unit] = hex
        control.enter(g, side, alive, [hex], rule_move=False)
        if in_zone(g, 1 - side, hex):
            shaken = [unit for unit in alive if g.state.flags[unit] & DG]
            losses.disorganise(g, forces_in(g, side, hex), "OCS 5(3)")
            if shaken:
                yield from losses.lose(g, side, shaken, 1, "OCS 5(3)")
        if number == 2:
            losses.disorganise(g, forces_in(g, side, hex), "OCS 5(3)")
    settle_reserves(g, side, [*units, *lorries], path[-1])


def settle_reserves(g: G, side: int, units: Sequence[int], hex: int) -> None:
    """Idle units that went along keep Reserve Mode where no hedgehog is and a marker is left for them (1.4c, 1.4d, OCS 5,
    OCS 16, rulings)."""
    if hex in g.state.hedgehog or modes.markers_left(g, side) < 0:
        for unit in units:
            g.state.flags[unit] &= ~RESERVE


def why_not(
    g: G, decision: Decision, click: int, units: Sequence[int], hexes: int, enemy_hexes: Mapping[int, int]
) -> Refusal | None:
    """Return why a unit does not retreat, or units cannot retreat to a hex (OCS 9.2)."""
    if g.is_unit(click):
        text = "it has already retreated" if click in units else "it is not in this retreat"
        return Refusal(f"{name(click)} cannot retreat: {text}", "OCS 9.2", name(click))
    hex = hex_of(g, click)
    if hex is None or not 0 <= hex < HEXES:
        return None
    label, who = BOARD.name(hex), names(decision.about)
    start = g.state.where[decision.about[0]]
    if BOARD.distance(start, hex) != hexes:
        return Refusal(f"{who} cannot retreat to {label}: not {counted(hexes, 'hex', 'hexes')} away", "OCS 9.2", label)
    if hex in enemy_hexes or forces_in(g, 1 - decision.side, hex):
        text = "enemy units are there, or were when the combat began"
    elif hex in paths(g, decision.side, decision.about, hexes, enemy_hexes):
        text = "nearer to an attacker than another hex"
    else:
        text = f"no open path of {hexes + SLACK} hexes or less leads there"
    return Refusal(f"{who} cannot retreat to {label}: {text}", "OCS 9.2", label)
