"""Set-up (1.4a, Scenario 1-6): every unit where it begins; the Axis sets up first."""

from __future__ import annotations

from khamsin.games.tunisia import supply
from khamsin.games.tunisia.ground import OPEN_SIDES, RAIL_HEXES
from khamsin.games.tunisia.scenario import HEDGEHOGS, PORTS, Group, setting
from khamsin.games.tunisia.stacking import SIZE
from khamsin.games.tunisia.units import (
    ALLIED,
    AXIS,
    BOARD,
    CHARCOAL,
    COUNTERS,
    DEAD,
    HEXES,
    IS_AIR,
    MOBILITY,
    ORGANIC,
    RE,
    SIDE,
    SIDES,
    TOKENS,
    TRUCKS_OF,
    UNITS,
    G,
    forces_in,
    name,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations


def set_up(g: G) -> None:
    """Units, trucks, tokens, bases and hedgehogs in the default set-up; the turn before the first (1.4, rulings)."""
    cards, state = setting(g), g.state
    for group in cards.groups:
        place(g, group)
    for unit in cards.dead:
        state.where[unit] = DEAD[SIDE[unit]]
    for side, location, level in cards.bases:
        state.base[location], state.level[location] = side, level
    for side, kind, number, desert in cards.air:
        base_aircraft(g, side, kind, number, desert)
    state.hedgehog.update(HEDGEHOGS)
    state.fort.update(dict.fromkeys(HEDGEHOGS, AXIS))
    for hex in RAIL_HEXES:
        state.rail[hex] = ALLIED if hex in cards.rail else AXIS
    for hex, area in PORTS.items():
        holder = area.data["holder"].get(str(cards.number))
        if holder:
            state.control[hex] = SIDES.index(holder)
    for side, title in enumerate(SIDES):
        state.reserves[title] = cards.reserves[side]
    for area in BOARD.areas.values():
        if area.kind == "victory" and cards.number in area.data["scenarios"]:
            for hex in area.hexes:
                state.control.setdefault(hex, ALLIED if forces_in(g, ALLIED, hex) else AXIS)
    state.first, state.moves_first, state.initiative = cards.first, cards.moves_first, cards.moves_first
    state.turn = cards.first - 1


def place(g: G, group: Group) -> None:
    """Put a group in its first location, or the next with room; trucks with a SP each as far as it goes (rulings)."""
    state, side = g.state, group.side
    for unit in group.units:
        room = [
            at
            for at in group.locations
            if at >= HEXES or (SIZE.room(g, side, at) >= RE[unit] and is_passable(unit, at))
        ]
        state.where[unit] = room[0]
    at, left = group.locations[0], group.tokens
    lorries = [truck for division, number in group.organic for truck in free_trucks(g, side, division, False, number)]
    real = g.options.get("transport") == "trucks"  # 4.0i
    lorries += free_trucks(g, side, "", False, group.trucks) + free_trucks(g, side, "", not real, group.charcoal)
    for truck in lorries:
        state.where[truck] = at
        if ORGANIC[truck]:
            state.load[truck] = min(TOKENS, left)
            left -= state.load[truck]
    supply.add(g, side, at, left)


def free_trucks(g: G, side: int, division: str, charcoal: bool, number: int) -> list[int]:
    """Truck counters of a kind that are not in play."""
    kind = [t for t in TRUCKS_OF[side] if ORGANIC[t] == division and CHARCOAL[t] == charcoal]
    return [truck for truck in kind if g.state.where[truck] == NOWHERE][:number]


def base_aircraft(g: G, side: int, kind: str, number: int, desert: bool, in_box: bool = False) -> None:
    """Aircraft begin active at a base of their side: the Desert Air Force in Tripoli, the others at the base with most room."""
    units = [
        unit
        for unit in UNITS
        if IS_AIR[unit]
        and SIDE[unit] == side
        and (COUNTERS[unit].parent == "DAF") == desert
        and f"{COUNTERS[unit].nation} {COUNTERS[unit].name.removeprefix('DAF ').split()[0]}" == kind
        and g.state.where[unit] == NOWHERE
    ]
    bases = [at for at, owner in g.state.base.items() if owner == side]
    boxes = {AXIS: BOARD["Sicily Air Base 1"], ALLIED: BOARD["Tripoli Air Base 1" if desert else "Algiers Air Base 1"]}
    for unit in units[:number]:
        if desert or in_box or not bases:
            g.state.where[unit] = boxes[side]
            continue
        crowd = {at: len(g.state.where.stacks(4 + side).get(at, ())) for at in bases}
        free = [at for at in bases if crowd[at] < 4 + g.state.level[at]]
        g.state.where[unit] = min(free, key=lambda at: (crowd[at], at)) if free else boxes[side]


def choices(g: G, side: int) -> dict[int, Group]:
    """The units that a side may place among several hexes, each with its group."""
    groups = [group for group in setting(g).groups if group.side == side and len(group.locations) > 1]
    return {unit: group for group in groups for unit in group.units}


def choose(g: G, side: int) -> Procedure:
    """The owner places the units that may begin in several hexes (1.4a)."""
    done, default, cancel = (g.rules.button(word) for word in ("done", "default", "cancel"))
    free = choices(g, side)
    while free:
        click = yield g.ask(
            side, "setup.unit", "Place a unit, or end the set-up", "1.4a", units=list(free), buttons=[done, default], top=True,
            why_not=why_not_free, can_act=lambda seen: (),
        )  # fmt: skip
        if click == done:
            return
        if click == default:
            for unit in free:
                g.state.where[unit] = NOWHERE
            for unit, group in free.items():
                g.state.where[unit] = next(
                    at for at in group.locations if SIZE.room(g, side, at) >= RE[unit] and is_passable(unit, at)
                )
            continue
        unit = click
        click = yield g.ask(
            side, "setup.hex", f"Place {name(unit)}: choose a hex", "1.4a", about=[unit], buttons=[cancel],
            locations=[at for at in free[unit].locations if why_not_placed(g, side, unit, at) is None],
            why_not=for_locations(why_not_placed, side, unit),
        )  # fmt: skip
        if click != cancel:
            g.state.where[unit] = g.location(click)


def is_passable(unit: int, hex: int) -> bool:
    """Whether a unit could leave a hex with either side up: vehicles do not begin in mountains off the road (OCS 6(3))."""
    return hex >= HEXES or any(OPEN_SIDES[mobility][hex] for mobility in MOBILITY[unit])


def why_not_free(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a unit cannot be placed elsewhere."""
    if click in decision.legal:
        return None
    if not g.is_unit(click):
        return None
    if SIDE[click] != decision.side:
        return Refusal(f"{name(click)} is not yours", "1.4a", name(click))
    return Refusal(f"{name(click)} begins in a single hex", f"Scenario {setting(g).number}", name(click))


def why_not_placed(g: G, side: int, unit: int, hex: int) -> Refusal | None:
    """Why a unit cannot begin in a hex (1.4a, OCS 3(1))."""
    label, rule = BOARD.name(hex), f"Scenario {setting(g).number}"
    if hex not in choices(g, side)[unit].locations:
        return Refusal(f"{name(unit)} cannot begin in {label}: too far away, or not land", rule, label)
    if g.state.where[unit] == hex:
        return Refusal(f"{name(unit)} is in {label}", rule, label)
    if forces_in(g, 1 - side, hex):
        return Refusal(f"{name(unit)} cannot begin in {label}: an enemy unit is there", rule, label)
    if not is_passable(unit, hex):
        return Refusal(f"{name(unit)} cannot begin in {label}: it could never leave this ground", rule, label)
    return SIZE.refusal(hex, label) if RE[unit] > SIZE.room(g, side, hex) else None
