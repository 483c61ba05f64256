"""Retreats after combat (13.3, 13.4) and by evasion (9.2.5).

All retreats of a combat happen at once: a hex counts as occupied by friends only if a unit is there that does not
retreat (13.3.3). The state has the record of the retreats in progress.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from khamsin.games.kasserine import battle as combats
from khamsin.games.kasserine import boxes, losses, reserve, supply, support
from khamsin.games.kasserine.arrival import arrive
from khamsin.games.kasserine.battle import Battle
from khamsin.games.kasserine.ground import LAYOUT, NODE_HEX, REACHES, is_raining, retreat_network
from khamsin.games.kasserine.paths import EXERTING, OCCUPYING, SOUTH_EDGE, bar, forts, without
from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.stacking import room
from khamsin.games.kasserine.strength import FIGURES
from khamsin.games.kasserine.units import (
    ALLIED,
    AXIS,
    BOARD,
    DEPLOYED,
    FACE_DOWN,
    GUNS,
    HEXES,
    MARKER,
    MARKER_SPAN,
    MOTORIZED,
    ROMMEL,
    SELF_PROPELLED,
    SIDE,
    STACKING,
    TWO_MODES,
    G,
    crosses,
    forces_in,
    held,
    hex_of,
    listed,
    name,
    on_map,
)
from khamsin.games.kasserine.zones import contact, occupied, zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import CLOSED, STOP
from khamsin.kernel.rules import Decision, Procedure, Refusal, WhyNot
from khamsin.mechanics import retreat as mechanic
from khamsin.mechanics.retreat import Path, Plan, Retreat
from khamsin.mechanics.ways import Bar, End, Ground, Way

EVASION: int = FIGURES["evasion"]["hexes"]


def retreat(g: G, side: int, units: Sequence[int], hexes: tuple[int, int], battle: Battle) -> Procedure:
    """Units of a side retreat from a combat, as attackers or defenders, by the least to the most `hexes` (13.3, 13.3.1)."""
    attacked = battle.hexes if side == battle.side else ()
    yield from leave(g, Retreat(side, *_from(g, units), *hexes, attacked))


def evade(g: G, side: int, hex: int) -> Procedure:
    """Units evade from a hex before combat by three hexes (9.2.4, 9.2.5)."""
    yield from leave(g, Retreat(side, *_from(g, forces_in(g, side, hex)), EVASION, EVASION, evading=1))


def _from(g: G, units: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    there = tuple([unit for unit in units if on_map(g, unit)])
    return there, tuple([g.state.where[unit] for unit in there])


def leave(g: G, r: Retreat) -> Procedure:
    """All units retreat at once: those that cannot are eliminated or break out, then the owner chooses the hexes of the
    others (13.3.3, 13.3.9, 13.4)."""
    g.state.retreat = r
    for hex in sorted(set(r.hexes)):
        yield from resolve_trapped(g, r, hex)
    while waiting := {unit: start for unit, start in r.starts.items() if g.state.where[unit] == start}:
        yield from choose(g, r, waiting)
    g.state.retreat = None


def is_fixed(g: G, unit: int) -> bool:
    """Whether a unit in Deployed mode cannot retreat; a self-propelled one can (13.3.9)."""
    return TWO_MODES[unit] and not SELF_PROPELLED[unit] and bool(g.state.flags[unit] & DEPLOYED)


# Breaking out (13.4)


def resolve_trapped(g: G, r: Retreat, hex: int) -> Procedure:
    """Eliminate Deployed guns in a hex; units without a retreat break out or are eliminated (13.3, 13.3.9, 13.4.2)."""
    units = [unit for unit, start in r.starts.items() if start == hex]
    fixed = [unit for unit in units if is_fixed(g, unit)]
    shut = [unit for unit in units if unit not in fixed and mechanic.is_stuck(unit_plan(g, r, unit))]
    group = [unit for unit in shut if MOTORIZED[unit] and not r.evading]
    first = first_hexes(g, r, group)
    lose_all(g, fixed, "13.3.9")
    for unit in shut:
        if unit not in group or not first:
            losses.eliminate(g, unit, why_lost(r, unit))
    if not first:
        return
    g.log("13.4.4", "Units in {hex} attempt to break out", hex=hex)
    if len(group) == len(shut) + len(fixed):  # no other unit was lost in its place
        yield from losses.lose(g, r.side, group, 1)
    yield from break_out(g, r, [unit for unit in group if on_map(g, unit)], first)


def why_lost(r: Retreat, unit: int) -> str:
    """Return the rule by which a unit without a retreat is eliminated."""
    if r.evading:
        return "9.2.5"
    return "13.3" if MOTORIZED[unit] else "13.4.2"


def first_hexes(g: G, r: Retreat, group: Iterable[int]) -> dict[int, list[int]]:
    """Return the vacant hexes in enemy ZOCs into which units could break out, with those that can (13.4.1)."""
    found: dict[int, list[int]] = {}
    for unit in group:
        for near in BOARD.around(r.starts[unit]):
            if why_not_first(g, r, unit, near) is None:
                found.setdefault(near, []).append(unit)
    return found


def why_not_first(g: G, r: Retreat, unit: int, hex: int) -> Refusal | None:
    """Return why a unit cannot break out into a hex (13.3.7, 13.4.1, 13.4.4)."""
    here, label = r.starts[unit], BOARD.name(hex)
    if hex not in BOARD.around(here):
        return Refusal(f"{name(unit)} cannot break out to {label}: the first hex is adjacent", "13.4.4", label)
    for shut in closed(g, r.side):
        if shut.nodes[hex]:
            return mechanic.why_barred(g, plan_of(g, r, [unit], here, 1, 1), shut, (hex,))
    if hex not in reaches(g, unit)[here]:
        return why_no_crossing(g, [unit], here, hex)
    if held(g, r.side, hex) or not zone(g, 1 - r.side)[hex]:
        return Refusal(f"{name(unit)} cannot break out to {label}: not a vacant hex in an enemy ZOC", "13.4.1", label)
    return None


def break_out(g: G, r: Retreat, group: list[int], first: Mapping[int, list[int]]) -> Procedure:
    """A surrounded stack moves one hex, and by the Retreat Table is eliminated or continues, all together (13.4.3-7)."""
    open_to = {hex: able for hex, units in first.items() if (able := [unit for unit in units if unit in group])}
    if not open_to:
        lose_all(g, group, "13.3.7")
        return
    source = supply.source_of(g, group[0])
    chance = {"breaks out": str(g.table("retreat").chances(0)["Pass"])}
    prompt = f"Break out with {listed(group)}: choose a hex in an enemy ZOC"
    hex = yield from pick(g, r.side, group, dict.fromkeys(open_to, chance), "13.4.4", prompt, why_not_breaking_out)
    group = follow(g, r, group, open_to[hex], (hex,))
    if g.table("retreat").roll(g.dice, 0, purpose="break-out") == "Fail":
        lose_all(g, group, "13.4.5")
        return
    onward = next_hexes(g, r, group, hex, source)
    if not onward:
        lose_all(g, group, "13.4.6")
        return
    prompt = f"End the break-out of {listed(group)}: choose a hex"
    end = yield from pick(g, r.side, group, list(onward), "13.4.6", prompt, partial(why_not_onward, source=source))
    able, path = onward[end]
    follow(g, r, group, able, path)


def why_not_breaking_out(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a surrounded stack cannot move to a hex (13.4.4)."""
    r, hex = g.state.retreat, hex_of(g, click)
    return None if r is None or hex is None else why_not_first(g, r, decision.about[0], hex)


def why_not_onward(g: G, decision: Decision, click: int, source: int) -> Refusal | None:
    """Return why a stack that broke out cannot end its retreat in a hex (13.4.6)."""
    r, group, hex = g.state.retreat, decision.about, hex_of(g, click)
    if r is None or hex is None:
        return None
    for unit in group:
        plan = plan_of(g, r, [unit], g.state.where[unit], 1, 1, source)
        refusal = mechanic.why_not(g, plan, hex)
        if refusal is not None:
            return refusal
    return why_no_room(g, group, hex)


def lose_all(g: G, units: Iterable[int], rule: str) -> None:
    """Units are eliminated."""
    for unit in units:
        losses.eliminate(g, unit, rule)


def next_hexes(g: G, r: Retreat, group: Sequence[int], hex: int, source: int) -> dict[int, tuple[list[int], Path]]:
    """Return where a stack that broke out can end its retreat, with the units that can reach it and the path (13.4.6,
    13.4.7)."""
    able: dict[int, list[int]] = {}
    found: dict[int, Path] = {}
    for unit in group:
        for end, path in mechanic.reached(plan_of(g, r, [unit], hex, 1, 1)).items():
            able.setdefault(end, []).append(unit)
            found.setdefault(end, path)
    fits = [end for end, units in able.items() if sum(STACKING[unit] for unit in units) <= room(g, r.side, end)]
    opened = kept_open(g, r)
    harms = {end: harm(g, r, group[0], source, end, opened) for end in fits}
    return {end: (able[end], found[end]) for end in fits if harms[end] == min(harms.values())}


def pick(
    g: G, side: int, units: Sequence[int], hexes: Collection[int], rule: str, prompt: str, why_not: WhyNot
) -> Generator[Decision, int, int]:
    """The owner chooses one of several hexes, perhaps with hints."""
    if len(hexes) == 1:
        return next(iter(hexes))
    click = yield g.ask(side, "combat.retreat", prompt, rule, locations=hexes, about=units, why_not=why_not)
    return g.location(click)


def follow(g: G, r: Retreat, group: Sequence[int], able: Collection[int], path: Sequence[int]) -> list[int]:
    """Return units of a stack that can follow a path do; the others are eliminated, since it stays together (13.3.7,
    13.4.7)."""
    lose_all(g, [unit for unit in group if unit not in able], "13.3.7")
    go(g, r.side, list(able), path)
    return list(able)


# The owner's choice (13.3, 13.3.2)


def choose(g: G, r: Retreat, waiting: Mapping[int, int]) -> Procedure:
    """The owner retreats a unit, or all that are left in a hex (13.3, 13.3.2)."""
    alone = {unit: mechanic.ends(unit_plan(g, r, unit)) for unit in waiting}
    for unit, found in alone.items():
        if not found:
            losses.eliminate(g, unit, "13.3.4")
            return
    units, hex = yield from mechanic.choose(g, r.side, waiting, partial(ends, g, r, alone=alone), "13.3", why_not)
    go(g, r.side, units, (yield from by_which_path(g, r, units, hex)))


def by_which_path(g: G, r: Retreat, units: Sequence[int], end: int) -> Generator[Decision, int, Path]:
    """Return the path of a retreat: the shortest, but the owner chooses hex by hex if the hexes passed matter (13.3.2)."""
    found = [path for path in mechanic.paths(stack_plan(g, r, units)) if path[-1] == end]
    walked = 0
    while len({touching(g, r.side, units, path) for path in found}) > 1:
        hexes = sorted({path[walked] for path in found})
        step = hexes[0]
        if len(hexes) > 1:
            prompt = f"Retreat {listed(units)} to {BOARD.name(end)}: choose the next hex of the path"
            click = yield g.ask(
                r.side, "combat.retreat.path", prompt, "13.3.2", locations=hexes, about=units,
                why_not=partial(why_not_on_path, end=end),
            )  # fmt: skip
            step = g.location(click)
        found = [path for path in found if path[walked] == step]
        walked += 1
    return found[0]


def why_not_on_path(g: G, decision: Decision, click: int, end: int) -> Refusal | None:
    """Return why a retreat does not lead through a hex (13.3.2)."""
    hex = hex_of(g, click)
    if hex is None:
        return None
    label = BOARD.name(hex)
    return Refusal(f"{label} is on no path of this retreat to {BOARD.name(end)}", "13.3.2", label)


def touching(g: G, side: int, units: Sequence[int], hexes: Collection[int]) -> tuple[frozenset[int], tuple[int, ...]]:
    """Return what units of a side change by entering these hexes, as far as it can know: enemy victory locations and
    supply sources that become friendly, enemy guns next to them that lose support elsewhere, Rommel's escape, and
    enemies that lose Reserve status (3.1.1, 8.2.5, 10.3.6, 15.5.3)."""
    state, enemy = g.state, 1 - side
    found = {hex for hex in hexes if state.control.get(hex, side) != side}
    if any(0 <= hex < HEXES for hex in state.where[MARKER_SPAN[enemy]]):
        guns = {state.where[gun] for gun in GUNS[enemy] if state.flags[gun] & DEPLOYED}
        found.update(near for hex in hexes for near in BOARD.around(hex) if near in guns)
    if side == ALLIED and state.where[ROMMEL] in hexes:
        found.add(state.where[ROMMEL])
    return frozenset(found), tuple(reserve.cancelled_reserves(g, side, units, hexes))


def go(g: G, side: int, units: Sequence[int], path: Sequence[int]) -> None:
    """Retreat units along a path; self-propelled guns change to March mode, and Rommel leaves with the last unit of his
    hex (13.3.9, 15.5.3)."""
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


# Where a retreat can end


def ends(
    g: G, r: Retreat, units: Sequence[int], alone: Mapping[int, Mapping[int, Path]] | None = None
) -> Mapping[int, Path]:
    """Return where units can end their retreat together, each hex with the shortest path for all: where each of them
    could alone, and there is room for all (13.3.4, 13.3.8)."""
    if alone is None:
        alone = {unit: mechanic.ends(unit_plan(g, r, unit)) for unit in units}
    if len(units) == 1:
        return alone[units[0]]
    found = mechanic.reached(stack_plan(g, r, units))
    return {hex: path for hex, path in found.items() if all(hex in alone[unit] for unit in units)}


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a unit does not retreat, or units cannot retreat to a hex (13.3)."""
    r = g.state.retreat
    if r is None:
        return None
    if g.is_unit(click):
        if click not in r.starts:
            return Refusal(f"{name(click)} does not have to retreat", "13.3", name(click))
        if g.state.where[click] != r.starts[click]:
            return Refusal(f"{name(click)} has already retreated", "13.3", name(click))
        return None
    hex = hex_of(g, click)
    if hex is None:
        label = g.rules.names[click]
        box = click < g.rules.first_button
        return Refusal(f"{listed(decision.about)} cannot retreat into a box", "13.3.7", label) if box else None
    for unit in decision.about:
        refusal = mechanic.why_not(g, unit_plan(g, r, unit), hex)
        if refusal is not None:
            return refusal
    return mechanic.why_not(g, stack_plan(g, r, decision.about), hex)


def unit_plan(g: G, r: Retreat, unit: int) -> Plan:
    """Return the retreat of one unit, towards its source of supply if possible (13.3.8)."""
    return plan_of(g, r, [unit], r.starts[unit], r.least, r.most, supply.source_of(g, unit))


def stack_plan(g: G, r: Retreat, units: Sequence[int]) -> Plan:
    """Return the retreat of units that stay together, wherever their supply is."""
    return plan_of(g, r, units, r.starts[units[0]], r.least, r.most)


def plan_of(
    g: G, r: Retreat, units: Sequence[int], start: int, least: int, most: int, source: int | None = None
) -> Plan:
    """Return the conditions of a retreat of units together. A retreat that would end under a declared attack continues
    for one hex, but evasion does not (9.2.5, 13.3.5-7). Without a source all hexes are equal."""
    unit, opened = units[0], kept_open(g, r)
    return Plan(
        Way(retreat_ground(g, units), (start,), tuple(bars(g, r))), listed(units), least, most,
        ends=(
            End(partial(why_too_near, r, unit), lambda: ()),
            End(partial(why_attacked, g, r), lambda: ()),
            End(partial(why_no_room, g, units), lambda: ()),
        ),
        around=BOARD.around,
        why_too_far=partial(why_too_far, unit, most),
        why_no_crossing=partial(why_no_crossing, g, units),
        harm=lambda hex: 0 if source is None else harm(g, r, unit, source, hex, opened),
        why_worse=partial(why_not_towards_supply, g, r, unit),
        goes_on=lambda hex: not r.evading and bool(combats.at(g, hex)),
    )  # fmt: skip


def retreat_ground(g: G, units: Sequence[int]) -> Ground:
    """Return the network of units that retreat together; units on foot enter a second node where they stop (7.3.5,
    13.3.7)."""
    return Ground(retreat_network(frozenset([crosses(g, unit) for unit in units]), is_raining(g)), LAYOUT, BOARD.name)


def bars(g: G, r: Retreat) -> Iterator[Bar]:
    """Return the bars of a retreat: hexes closed to it, vacant hexes in enemy ZOCs, and mountains, where units on foot
    stop but motorized ones do not (7.3.5, 13.3.5, 13.3.7)."""
    yield from closed(g, r.side)
    alone = without(zone(g, 1 - r.side), friends_of(g, r))
    yield bar(CLOSED, alone, "13.3.5", "{hex} is vacant, and in the ZOC of {cause}", EXERTING[1 - r.side])
    yield HALTS


def closed(g: G, side: int) -> Iterator[Bar]:
    """Return the hexes closed to every retreat of a side: enemies, enemy strongpoints, hexes outside the scenario, and
    the south edge while it is closed (13.3.7, 14.2.5, 18.2.5)."""
    enemy = 1 - side
    yield bar(CLOSED, occupied(g, enemy), "13.3.7", "{hex} is occupied by {cause}", OCCUPYING[enemy])
    if works := forts(g, side):
        yield bar(CLOSED, works, "14.2.5", "an enemy strongpoint is in {hex}")
    if outside := setting(g).outside:
        yield bar(CLOSED, outside, "13.3.7", "{hex} is outside the scenario area")
    if boxes.shut_edge(g, side):
        yield SOUTH_EDGE


HALTS = Bar(
    STOP,
    np.repeat(np.array([0, 1], dtype=np.uint8), [HEXES, len(NODE_HEX) - HEXES]),
    "7.3.5",
    "units on foot stop in {hex}",
)


def reaches(g: G, unit: int) -> Sequence[Collection[int]]:
    """Return for every hex the adjacent ones that a unit could enter from it."""
    return REACHES[is_raining(g)][crosses(g, unit)]


def why_no_crossing(g: G, units: Sequence[int], here: int, there: int) -> Refusal:
    """Return that the ground between two hexes is closed to one of the units (13.3.7)."""
    unit = next((unit for unit in units if there not in reaches(g, unit)[here]), units[0])
    label = BOARD.name(there)
    return Refusal(f"{name(unit)} cannot retreat from {BOARD.name(here)} to {label}: closed to it", "13.3.7", label)


def why_too_near(r: Retreat, unit: int, hex: int) -> Refusal | None:
    """Return why a retreat cannot end in a hex: it must be away from the Defender hex, by two hexes if so required
    (13.3, 13.3.2)."""
    away, label = max(r.least, 2 if r.hexes_attacked else 1), BOARD.name(hex)
    if all(BOARD.distance(hex, origin) >= away for origin in r.hexes_attacked or (r.starts[unit],)):
        return None
    return Refusal(f"{name(unit)} must end {away} or more hexes from the hex under attack", "13.3.2", label)


def why_too_far(unit: int, most: int, hex: int) -> Refusal:
    """Return that a hex is too far for a retreat (13.3.1)."""
    label = BOARD.name(hex)
    return Refusal(f"{name(unit)} cannot retreat to {label}: more than {most} hexes away", "13.3.1", label)


def why_attacked(g: G, r: Retreat, hex: int) -> Refusal | None:
    """Return why no retreat ends in a hex: it is under a Declared Attack (9.2.5, 13.3.6)."""
    if not combats.at(g, hex):
        return None
    label, rule = BOARD.name(hex), "9.2.5" if r.evading else "13.3.6"
    return Refusal(f"{label} is under a declared attack: no retreat can end there", rule, label)


def why_no_room(g: G, units: Sequence[int], hex: int) -> Refusal | None:
    """Return why units cannot end in a hex: it would be overstacked (13.3.4)."""
    if sum([STACKING[unit] for unit in units]) <= room(g, SIDE[units[0]], hex):
        return None
    label = BOARD.name(hex)
    return Refusal(f"{listed(units)} cannot end in {label}: over the stacking limit", "13.3.4", label)


def friends_of(g: G, r: Retreat) -> set[int]:
    """Return the hexes of the side's combat units that do not retreat (13.3.3, 13.3.5)."""
    stacks, retreating = g.state.where.stacks(r.side), frozenset(r.units)
    return {hex for hex, units in stacks.items() if hex < HEXES and not retreating.issuperset(units)}


def harm(g: G, r: Retreat, unit: int, source: int, hex: int, opened: frozenset[int]) -> int:
    """Return how bad a retreat to a hex is for a unit, with `opened` hexes for its supply line: 0 if it is supplied and
    nearer to the source of supply, 1 if it is supplied and as near, 2 otherwise (13.3.8)."""
    if not supply.supplied_at(g, unit, hex, opened):
        return 2
    if source == NOWHERE:
        return 0
    now, then = BOARD.distance(r.starts[unit], source), BOARD.distance(hex, source)
    return 0 if then < now else 1 if then == now else 2


def why_not_towards_supply(g: G, r: Retreat, unit: int, hex: int) -> Refusal:
    """Return that a retreat to another hex is better for the unit's supply (13.3.8)."""
    label = BOARD.name(hex)
    if not supply.supplied_at(g, unit, hex, kept_open(g, r)):
        return Refusal(
            f"{name(unit)} cannot retreat to {label}: out of supply, and other hexes are not", "13.3.8", label
        )
    return Refusal(
        f"{name(unit)} cannot retreat to {label}: others are nearer to its source of supply", "13.3.8", label
    )


def kept_open(g: G, r: Retreat) -> frozenset[int]:
    """Return the hexes in enemy ZOCs through which Supply Routes will lead after all retreats: those of friendly units
    that stay, not those that the retreat leaves or passes (6.2.4, 13.3.3, 13.3.8)."""
    return contact(g, r.side) & friends_of(g, r)
