"""Advance After Combat (14): the attackers of a combat advance by hexes, in any direction, within ZOCs, terrain and
stacking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from khamsin.games.na41 import entering, stacking
from khamsin.games.na41.command import ATTACKED
from khamsin.games.na41.ground import BOX_OF, DESERT, JEBEL, LAND, by_road, can_cross, escarpment
from khamsin.games.na41.units import (
    AROUND,
    BOARD,
    COMBAT,
    COMBAT_DATA,
    GROUND,
    HEXES,
    MATILDA,
    MSU,
    OFF_MAP,
    OOS,
    REPLACED,
    TRANSPORTED,
    TRUCK,
    G,
    combat_units,
    good_order,
    mechanized,
    name,
    names,
    on_map,
    others,
    pieces_in,
    stock,
    why_held,
)
from khamsin.games.na41.zones import FULL, fully_exerting, zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import stacks

SLOW: int = COMBAT_DATA["advance"]["slow"]
OUT_OF_SUPPLY: int = COMBAT_DATA["advance"]["out_of_supply"]
MOST_DESERT: int = GROUND["movement"]["desert"]
Path = tuple[int, ...]


class Leg(NamedTuple):
    """How far a unit has advanced: its hex, the hexes it has left, the desert hexes entered in a row, the hexes entered, and
    whether it must stop."""

    hex: int
    left: int
    run: int = 0
    steps: int = 0
    ended: bool = False


class Pursuit:
    """The advance after one combat: the units that may advance, the hex the defender vacated, and how far each unit has
    come. `rides` gives the truck of each carried unit; `starts` the hexes of the attackers in the combat; `supplied`
    and `overwhelming` are needed for a Breakthrough Combat; `free` is the hex that it has vacated, entered without
    cost."""

    def __init__(
        self,
        g: G,
        side: int,
        units: Iterable[int],
        vacated: int,
        hexes: int,
        limited: bool = False,
        supplied: bool = False,
        overwhelming: bool = False,
    ) -> None:
        self.side = side
        self.vacated = vacated
        self.hexes = hexes
        self.limited = limited
        self.supplied = supplied
        self.overwhelming = overwhelming
        self.free = NOWHERE
        present = [unit for unit in units if on_map(g, unit)]
        self.starts = {unit: g.state.where[unit] for unit in present}
        self.rides = carriers(g, self, present) if hexes > SLOW else {}
        self.legs = {
            unit: Leg(g.state.where[unit], allowance(g, self, unit))
            for unit in present
            if unit not in self.rides.values()
        }

    def mount(self, g: G) -> dict[int, int]:
        """Trucks also carry units on foot in a short advance, for a Breakthrough Group. Return the units carried before
        (15.1)."""
        before = self.rides
        self.rides = carriers(g, self, [unit for unit in self.starts if COMBAT[unit]])
        return before

    def can_go(self, g: G) -> list[int]:
        """Return the units that may still advance; trucks that carry move with their units."""
        carrying = self.rides.values()
        return [u for u, leg in self.legs.items() if leg.left and not leg.ended and on_map(g, u) and u not in carrying]

    def with_trucks(self, units: Sequence[int]) -> list[int]:
        """Return units and the trucks that carry them."""
        return [*units, *(self.rides[unit] for unit in units if unit in self.rides)]


def carriers(g: G, pursuit: Pursuit, units: Sequence[int]) -> dict[int, int]:
    """Return the trucks that can carry units on foot: an empty one in the hex, unless the vacated hex can be entered on
    foot only (5.8.1, 14.2.1)."""
    found: dict[int, int] = {}
    for unit in units:
        here = g.state.where[unit]
        if mechanized(g, unit) or (pursuit.vacated in AROUND[here] and not can_cross(True, here, pursuit.vacated)):
            continue
        free = [
            truck
            for truck in others(g, pursuit.side, here)
            if TRUCK[truck] and truck not in found.values() and not g.state.flags[truck] & (MSU | TRANSPORTED)
        ]
        if free:
            found[unit] = free[0]
    return found


def allowance(g: G, pursuit: Pursuit, unit: int) -> int:
    """Return the hexes that a unit may advance: by the result; two for Matildas and units on foot without a truck, one
    out of supply (14.2.1, 14.2.2, 16.4)."""
    if g.state.flags[unit] & OOS:
        return min(pursuit.hexes, OUT_OF_SUPPLY)
    slow = MATILDA[unit] or (not mechanized(g, unit) and unit not in pursuit.rides)
    return min(pursuit.hexes, SLOW) if slow else pursuit.hexes


# The procedure


def advance(g: G, pursuit: Pursuit) -> Procedure:
    """The attacker advances units or stacks, in any direction, as far as they can go, or ends the advance (14.1, 14.3)."""
    done = g.rules.button("done")
    while True:
        able = [unit for unit in pursuit.can_go(g) if leads_on(g, pursuit, unit)]
        if not able:
            return
        whole = all_into(g, pursuit, able)
        held = [hex for hex in {pursuit.legs[unit].hex for unit in able} if hex != pursuit.vacated or not whole]
        click = yield g.ask(
            pursuit.side, "combat.advance", f"Advance after combat at {BOARD.name(pursuit.vacated)}: choose a unit or stack",
            "14.1", units=able, locations=[*sorted(held), *([pursuit.vacated] if whole else ())], buttons=[done],
            why_not=partial(why_not_chosen, pursuit=pursuit),
        )  # fmt: skip
        if click == done:
            return
        if whole and not g.is_unit(click) and g.location(click) == pursuit.vacated:
            for unit in whole:
                if on_map(g, unit):
                    yield from go(g, pursuit, [unit], (pursuit.vacated,))
            continue
        chosen = [click] if g.is_unit(click) else [u for u in able if pursuit.legs[u].hex == g.location(click)]
        yield from select(g, pursuit, chosen)


def all_into(g: G, pursuit: Pursuit, units: Sequence[int]) -> list[int]:
    """Return the units that can enter the vacated hex together, if there are any and all have room (4.4.1, 14.1)."""
    hex = pursuit.vacated
    able = [
        u for u in units if pursuit.legs[u].hex != hex and why_not_step(g, pursuit, u, pursuit.legs[u], hex) is None
    ]
    return able if able and stacking.why_no_room(g, pursuit.side, able, hex) is None else []


def select(g: G, pursuit: Pursuit, units: list[int]) -> Procedure:
    """The attacker adds or removes units of the stack, then chooses its destination."""
    cancel = g.rules.button("cancel")

    def mates(chosen: Sequence[int]) -> list[int]:
        here = pursuit.legs[chosen[0]].hex
        return [u for u in pursuit.can_go(g) if u not in chosen and pursuit.legs[u].hex == here]

    def ask(chosen: list[int], more: Sequence[int]) -> Decision:
        found = reach(g, pursuit, chosen)
        return g.ask(
            pursuit.side, "combat.advance.to", f"Advance {names(chosen)}: choose a hex, or add a unit", "14.3",
            units=[*chosen, *more], locations={hex: {"hexes": len(path)} for hex, path in found.items()}, buttons=[cancel],
            about=chosen, why_not=partial(why_not_goal, pursuit=pursuit),
        )  # fmt: skip

    chosen, click, _ = yield from stacks.select(g, units, mates, ask)
    if chosen:
        yield from go(g, pursuit, chosen, reach(g, pursuit, chosen)[g.location(click)])


def go(g: G, pursuit: Pursuit, units: Sequence[int], path: Path) -> Procedure:
    """Advance units along a path with the trucks that carry them (14.1, 14.6)."""
    for unit in units:
        g.state.battle[unit] = ATTACKED
        g.log("14.1", "{unit} advances to {hex}", unit=unit, hex=path[-1])
    for unit in units:
        pursuit.legs[unit] = along(g, pursuit, unit, path)
    yield from entering.march(g, pursuit.side, pursuit.with_trucks(units), path)


# Destinations


def reach(g: G, pursuit: Pursuit, units: Sequence[int]) -> dict[int, Path]:
    """Return the locations to which units of one hex can advance together and stack, each with a shortest path (14.1,
    14.3)."""
    return dict(goals(g, pursuit, units))


def goals(g: G, pursuit: Pursuit, units: Sequence[int]) -> Iterator[tuple[int, Path]]:
    """Yield the same one by one, the nearest first."""
    start = pursuit.legs[units[0]].hex
    for hex, path in paths(g, pursuit, units):
        if hex != start and stacking.why_no_room(g, pursuit.side, units, hex) is None:
            yield hex, path


def leads_on(g: G, pursuit: Pursuit, unit: int) -> bool:
    """Whether a unit can advance to any location (14.1, 14.3)."""
    return next(goals(g, pursuit, [unit]), None) is not None


def paths(g: G, pursuit: Pursuit, units: Sequence[int]) -> Iterator[tuple[int, Path]]:
    """Yield the locations that units of one hex can enter together, the nearest first, each with a shortest path. Paths that
    differ in their desert hexes are continued separately (14.3, 14.5)."""
    found: set[int] = set()
    begun: list[tuple[tuple[Leg, ...], Path]] = [(tuple([pursuit.legs[unit] for unit in units]), ())]
    seen: set[tuple[int, ...]] = set()
    while begun:
        longer = []
        for legs, path in begun:
            pairs = list(zip(units, legs, strict=True))
            for there in nearby(legs[0].hex):
                then = tuple([after(g, pursuit, u, leg, there) for u, leg in pairs])
                key = (there, *(leg.run for leg in then))
                if key in seen or any(why_not_step(g, pursuit, u, leg, there) for u, leg in pairs):
                    continue
                seen.add(key)
                if there not in found:
                    found.add(there)
                    yield there, (*path, there)
                if all(leg.left and not leg.ended for leg in then):
                    longer.append((then, (*path, there)))
        begun = longer


def nearby(hex: int) -> tuple[int, ...]:
    """Return the adjacent hexes of a hex, and the box adjacent to it."""
    if hex >= HEXES:
        return ()
    return (*AROUND[hex], BOX_OF[hex]) if hex in BOX_OF else AROUND[hex]


def after(g: G, pursuit: Pursuit, unit: int, leg: Leg, there: int) -> Leg:
    """A unit has entered a location: it must stop in an enemy ZOC, except in the vacated hex, in a second desert hex,
    and in a box (14.4, 14.5)."""
    run = leg.run + 1 if there < HEXES and DESERT[there] else 0
    zoned = there < HEXES and there != pursuit.vacated and zone(g, 1 - pursuit.side)[there] == FULL
    ended = zoned or run >= MOST_DESERT or there >= HEXES
    return Leg(there, leg.left - 1, run, leg.steps + 1, ended)


def why_not_step(g: G, pursuit: Pursuit, unit: int, leg: Leg, there: int) -> Refusal | None:
    """Return why a unit cannot advance from its hex to an adjacent location (14.2, 14.4, 14.5)."""
    if not leg.left:
        return refused(unit, there, "it has no hexes left", "14.2.1")
    if pursuit.limited and there != pursuit.vacated:
        text = f"a limited advance leads into {BOARD.name(pursuit.vacated)} only"
        return refused(unit, there, text, "14.2.2")
    if leg.ended:
        return refused(unit, there, f"it had to stop in {BOARD.name(leg.hex)}", stopped_by(leg), BOARD.name(leg.hex))
    if there not in nearby(leg.hex):
        return refused(unit, there, "not adjacent", "14.3")
    if there >= HEXES:
        friendly = there in OFF_MAP[pursuit.side]
        return None if friendly else refused(unit, there, "it is not a friendly off map box", "6.3.3")
    enemies = combat_units(g, 1 - pursuit.side, there)
    if enemies:
        return refused(unit, there, f"{name(enemies[0])} is there", "14.5", name(enemies[0]))
    if not COMBAT[unit] and (others(g, 1 - pursuit.side, there) or there in stock(g, 1 - pursuit.side)):
        return refused(unit, there, "enemy Non-Combat Units are there", "5.8.3")
    return why_not_ground(pursuit, unit, leg, there, is_mechanized(g, pursuit, unit)) or why_not_zones(
        g, pursuit, unit, leg, there
    )


def stopped_by(leg: Leg) -> str:
    """Return the section by which an advance had to stop: the second desert hex in a row, or an enemy ZOC (14.4, 14.5)."""
    return "14.5" if leg.run >= MOST_DESERT else "14.4"


def refused(unit: int, there: int, text: str, rule: str, cause: str = "") -> Refusal:
    """Return that a unit cannot advance to a location; the location is the cause if no other is named."""
    label = BOARD.name(there)
    return Refusal(f"{name(unit)} cannot advance to {label}: {text}", rule, cause or label)


def is_mechanized(g: G, pursuit: Pursuit, unit: int) -> bool:
    """Whether a unit advances as a Mechanized one, by itself or on a truck (5.8.1)."""
    return mechanized(g, unit) or unit in pursuit.rides


def why_not_ground(pursuit: Pursuit, unit: int, leg: Leg, there: int, mech: bool) -> Refusal | None:
    """Return why the ground forbids a step of an advance: sea, escarpments, Jebel left without a road (14.5)."""
    here = leg.hex
    if not LAND[there]:
        return refused(unit, there, "it is sea", "14.5")
    road = by_road(here, there)
    if escarpment(here, there) and not road:
        if mech:
            return refused(unit, there, "an escarpment without a road is between", "14.5")
        if leg.steps or there != pursuit.vacated:
            return refused(unit, there, "only the first hex may be across the escarpment it attacked over", "14.5")
    if mech and leg.steps and JEBEL[here] and not road:
        return refused(unit, there, "it must stop in Jebel unless it leaves by road", "14.5", BOARD.name(here))
    return None


def why_not_zones(g: G, pursuit: Pursuit, unit: int, leg: Leg, there: int) -> Refusal | None:
    """Return why ZOCs forbid a step: not from one ZOC of an enemy unit into another of the same unit, unless into or
    out of the vacated hex, or into that of a Breakthrough Combat (14.4, 15.2.10)."""
    enemy = 1 - pursuit.side
    zoned = zone(g, enemy)
    if pursuit.vacated in (leg.hex, there) or there == pursuit.free or zoned[leg.hex] != FULL or zoned[there] != FULL:
        return None
    both = fully_exerting(g, enemy, leg.hex) & fully_exerting(g, enemy, there)
    if not both:
        return None
    cause = name(combat_units(g, enemy, min(both))[0])
    return refused(unit, there, f"both hexes are in the ZOC of {cause}", "14.4", cause)


# Refusals


def why_not_unit(g: G, pursuit: Pursuit, unit: int) -> Refusal | None:
    """Return why a unit cannot advance at all (14.1)."""
    who = name(unit)
    if unit not in pursuit.legs:
        return Refusal(f"{who} cannot advance: it did not attack in this combat", "14.1", who)
    if unit in pursuit.rides.values():
        return Refusal(f"{who} cannot advance by itself: it carries a unit", "5.8.2", who)
    leg = pursuit.legs[unit]
    if not leg.left:
        return Refusal(f"{who} cannot advance: it has no hexes left", "14.2.1", who)
    if leg.ended:
        return Refusal(f"{who} cannot advance: it had to stop in {BOARD.name(leg.hex)}", stopped_by(leg), who)
    if leads_on(g, pursuit, unit):
        return None
    steps = [why_not_step(g, pursuit, unit, leg, there) for there in nearby(leg.hex)]
    return next(filter(None, steps), None) or Refusal(
        f"{who} cannot advance: no hex that it can enter has room", "4.4.1", who
    )


def why_not_chosen(g: G, decision: Decision, click: int, pursuit: Pursuit) -> Refusal | None:
    """Return why a unit or location cannot be chosen for the advance (14.1)."""
    if click >= g.rules.first_button:
        return None
    if g.is_unit(click):
        return why_not_unit(g, pursuit, click)
    label, location = g.rules.names[click], g.location(click)
    able = [unit for unit in pursuit.can_go(g) if leads_on(g, pursuit, unit)]
    if any(pursuit.legs[unit].hex == location for unit in able):
        return None
    if location == pursuit.vacated:
        if all_into(g, pursuit, able):
            return None
        return Refusal(f"Not all units have room in {label}: choose units", "4.4.1", label)
    return Refusal(f"No unit that can advance is in {label}: choose a unit first", "14.1", label)


def why_not_goal(g: G, decision: Decision, click: int, pursuit: Pursuit) -> Refusal | None:
    """Return why chosen units cannot advance to a location, or a unit cannot join them (14.1, 14.3)."""
    if click >= g.rules.first_button:
        return None
    units = list(decision.about)
    if g.is_unit(click):
        here = BOARD.name(pursuit.legs[units[0]].hex)
        if click in pursuit.can_go(g) and pursuit.legs[click].hex == pursuit.legs[units[0]].hex:
            return None
        return why_not_unit(g, pursuit, click) or Refusal(
            f"{name(click)} is not in {here} with the units that advance", "14.1", here
        )
    return why_not_reached(g, pursuit, units, g.location(click))


def why_not_reached(g: G, pursuit: Pursuit, units: Sequence[int], location: int) -> Refusal | None:
    """Return why units cannot advance to a location (14.2, 14.3, 14.4, 14.5)."""
    label, leg = BOARD.name(location), pursuit.legs[units[0]]
    if location == leg.hex:
        return Refusal(f"{names(units)} cannot advance to {label}: already there", "14.3", label)
    if location in reach(g, pursuit, units):
        return None
    if location in nearby(leg.hex):
        for unit in units:
            refusal = why_not_step(g, pursuit, unit, pursuit.legs[unit], location)
            if refusal is not None:
                return refusal
        return stacking.why_no_room(g, pursuit.side, units, location)
    found = dict(paths(g, pursuit, units))
    if location in found:
        return stacking.why_no_room(g, pursuit.side, units, location)
    left = min([pursuit.legs[unit].left for unit in units])
    if location >= HEXES or BOARD.distance(leg.hex, location) > left:
        return Refusal(f"{names(units)} cannot advance to {label}: farther than {left} hexes", "14.2.1", label)
    steps = [
        why_not_step(g, pursuit, unit, along(g, pursuit, unit, found[near]), location)
        for near in AROUND[location]
        for unit in units
        if near in found
    ]
    blocked = sorted([refusal for refusal in steps if refusal is not None], key=lambda one: one.rule == "14.2.1")
    return next(iter(blocked), refused(units[0], location, f"no path of {left} hexes leads there", "14.2.1"))


def along(g: G, pursuit: Pursuit, unit: int, path: Path) -> Leg:
    """Return how far a unit would have advanced after a path."""
    leg = pursuit.legs[unit]
    for hex in path:
        leg = after(g, pursuit, unit, leg, hex)
    return leg


def tag_along(g: G, side: int, units: Sequence[int]) -> list[int]:
    """With the option, the Good Order units and trucks stacked with attackers that have neither attacked nor advanced
    (27.3.1)."""
    if g.options.get("tag-along") != "on":
        return []
    hexes = {g.state.where[unit] for unit in units if on_map(g, unit)}
    return [
        unit
        for hex in sorted(hexes)
        for unit in pieces_in(g, side, hex)
        if unit not in units
        and good_order(g, unit)
        and not g.state.battle[unit]
        and not g.state.auto[unit]
        and not g.state.flags[unit] & (REPLACED | TRANSPORTED)
        and why_held(g, unit) is None
    ]


def participants(g: G, units: Iterable[int], asu: int = NOWHERE) -> list[int]:
    """Return the attackers that may advance: not the ASU that gave an artillery shift, nor units that must stay (14.1,
    S1.2)."""
    return [u for u in units if u != asu and on_map(g, u) and COMBAT[u] and why_held(g, u) is None]
