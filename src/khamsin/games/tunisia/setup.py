"""Set-up (1.4a, Scenario 1-6): the start of every unit; the Axis sets up first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from khamsin.games.tunisia import airbases, cooperation, modes, supply
from khamsin.games.tunisia.dates import AIR
from khamsin.games.tunisia.ground import OPEN_SIDES, OUTSIDE, RAIL_HEXES
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
    IS_TRUCK,
    MOBILITY,
    ORGANIC,
    RE,
    SIDE,
    SIDES,
    TOKENS,
    TRUCKS_OF,
    UNITS,
    G,
    aircraft_in,
    forces_in,
    name,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Hint, Procedure, Refusal


def set_up(g: G) -> None:
    """Place units, trucks, tokens, bases and hedgehogs in the default set-up; the turn before the first (1.4, rulings)."""
    cards, state = setting(g), g.state
    for group in cards.groups:
        place(g, group)
    for unit in cards.dead:
        state.where[unit] = DEAD[SIDE[unit]]
    for side, division, number in cards.dead_organic:
        for truck in free_trucks(g, side, division, False, number):
            state.where[truck] = DEAD[side]
    for side, location, level in cards.bases:
        state.base[location], state.level[location] = side, level
    for side, kind, number, desert in cards.air:
        base_aircraft(g, side, kind, given(g, kind, number), desert)
    for side, kind, number in cards.dead_air:
        for unit in of_type(g, side, kind, False)[:number]:
            state.where[unit], state.steps[unit] = DEAD[side], 0
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
                state.control.setdefault(hex, first_holder(g, hex))
    state.first, state.moves_first, state.initiative = cards.first, cards.moves_first, cards.moves_first
    state.turn = cards.first - 1


def first_holder(g: G, hex: int) -> int:
    """Return the side that controls a victory hex at the start: the Allies where a unit of theirs is, and in the last
    scenario all outside its area; else the owner of its railway, else the Axis (5.0, Scenario 6)."""
    cards = setting(g)
    lost = cards.number == LAST and hex in OUTSIDE[cards.area]
    return ALLIED if lost or forces_in(g, ALLIED, hex) else g.state.rail.get(hex, AXIS)


def place(g: G, group: Group) -> None:
    """Place a group in its first location, or the next with room; trucks with a SP each as far as it suffices
    (rulings)."""
    state, side = g.state, group.side
    for unit in group.units:
        state.where[unit] = usual_place(g, unit, group)
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


def usual_place(g: G, unit: int, group: Group) -> int:
    """Return the default location of a unit of a group: the first location with room, without nations that it keeps
    apart from if there is one (4.0b, OCS 3(1))."""
    room = [
        at
        for at in group.locations
        if at >= HEXES or (SIZE.room(g, group.side, at) >= RE[unit] and is_passable(unit, at))
    ]
    return next((at for at in room if cooperation.why_not_stacked(g, [unit], at) is None), room[0])


def usual_places(g: G, side: int) -> dict[int, int]:
    """Return the default location of every ground unit and truck of a side that has a choice (1.4a)."""
    where, free = g.state.where, choices(g, side)
    found = {truck: at[0] for truck in TRUCKS_OF[side] if where[truck] != NOWHERE and (at := places(g, side, truck))}
    with where.supposing(dict.fromkeys(free, NOWHERE)):
        for unit, group in free.items():
            found[unit] = where[unit] = usual_place(g, unit, group)
    return found


def is_changed(g: G, side: int) -> bool:
    """Whether a ground unit or truck of a side has left its default location."""
    return any(g.state.where[unit] != location for unit, location in usual_places(g, side).items())


def free_trucks(g: G, side: int, division: str, charcoal: bool, number: int) -> list[int]:
    """Truck counters of a kind that are not in play."""
    kind = [t for t in TRUCKS_OF[side] if ORGANIC[t] == division and CHARCOAL[t] == charcoal]
    return [truck for truck in kind if g.state.where[truck] == NOWHERE][:number]


def of_type(g: G, side: int, kind: str, desert: bool) -> list[int]:
    """Aircraft counters of a type that are not in play."""
    return [
        unit
        for unit in UNITS
        if IS_AIR[unit]
        and SIDE[unit] == side
        and (COUNTERS[unit].parent == "DAF") == desert
        and f"{COUNTERS[unit].nation} {COUNTERS[unit].name.removeprefix('DAF ').split()[0]}" == kind
        and g.state.where[unit] == NOWHERE
    ]


def given(g: G, kind: str, printed: int) -> int:
    """Return how many aircraft of a type are used where a number is printed: two Me.323 with the variant (4.0g)."""
    return 2 if kind == "DE Me.323" and g.options.get("me323") == "two" else printed


def base_aircraft(g: G, side: int, kind: str, number: int, desert: bool, in_box: bool = False) -> list[int]:
    """Place aircraft active at a base of their side, and return them: the Desert Air Force in Tripoli, transports in a box,
    where their cargo is, the others at the base with most room that is nearer to own combat units than to the enemy's."""
    units = of_type(g, side, kind, desert)
    bases = [at for at, owner in g.state.base.items() if owner == side and is_behind(g, side, at)]
    in_box = in_box or any(COUNTERS[unit].factors["load"] for unit in units)
    boxes = {AXIS: BOARD["Sicily Air Base 1"], ALLIED: BOARD["Tripoli Air Base 1" if desert else "Algiers Air Base 1"]}
    for unit in units[:number]:
        if desert or in_box or not bases:
            g.state.where[unit] = boxes[side]
            continue
        crowd = {at: len(g.state.where.stacks(4 + side).get(at, ())) for at in bases}
        free = [at for at in bases if crowd[at] < 4 + g.state.level[at]]
        g.state.where[unit] = min(free, key=lambda at: (crowd[at], at)) if free else boxes[side]
    return units[:number]


def is_behind(g: G, side: int, hex: int) -> bool:
    """Whether a hex is nearer to combat units of a side than to those of the enemy."""
    near = [
        min([BOARD.distance(at, hex) for at in g.state.where.stacks(s) if at < HEXES], default=HEXES) for s in range(2)
    ]
    return near[side] < near[1 - side]


def choices(g: G, side: int) -> dict[int, Group]:
    """Return the ground units that a side may place among several hexes, each with its group."""
    return {unit: group for group in wide_groups(g, side) for unit in group.units}


def wide_groups(g: G, side: int) -> list[Group]:
    """Return the groups of a side that may be spread among several hexes."""
    return [group for group in setting(g).groups if group.side == side and len(group.locations) > 1]


def places(g: G, side: int, unit: int) -> tuple[int, ...]:
    """Return where a unit or truck may begin: the hexes of its group; an aircraft at any base of its side that it may
    use (1.4a, 3.3a)."""
    if IS_AIR[unit]:
        return tuple([base for base in airbases.bases(g, side) if airbases.may_use(g, unit, base)])
    if IS_TRUCK[unit]:
        return next((group.locations for group in wide_groups(g, side) if is_with(g, group, unit)), ())
    free = choices(g, side)
    return free[unit].locations if unit in free else ()


def is_with(g: G, group: Group, truck: int) -> bool:
    """Whether a truck begins with a group that may be spread among several hexes: it is in one of these."""
    if g.state.where[truck] not in group.locations:
        return False
    if ORGANIC[truck]:
        return ORGANIC[truck] in dict(group.organic)
    return bool(group.charcoal if CHARCOAL[truck] else group.trucks or group.charcoal)


def is_in_play(g: G, unit: int) -> bool:
    """Whether a unit begins on the map, or an aircraft at a base."""
    location = g.state.where[unit]
    return 0 <= location < HEXES or (IS_AIR[unit] and location in airbases.BOX_OF)


LAST = 6
"""The number of the last scenario."""


class Brief(dict[int, Hint]):
    """Legal clicks of which a random player often takes the last one, because the others lead back to the same
    decision."""

    def __init__(self, clicks: Mapping[int, Hint], last: int) -> None:
        super().__init__(clicks)
        self.last = last

    def pick(self, chance: Callable[[], float]) -> int:
        """Return a random click."""
        return self.last if chance() < OFTEN else list(self)[int(chance() * len(self))]


OFTEN = 0.1
"""How often a random player ends the set-up."""


def choose(g: G, side: int) -> Procedure:
    """The owner places the units that may begin in several hexes, the aircraft at any base, and chooses the mode of
    each combat unit (1.4a, OCS 5(1))."""
    done, default, cancel = (g.rules.button(word) for word in ("done", "default", "cancel"))
    while True:
        own = [unit for unit in UNITS if SIDE[unit] == side and is_in_play(g, unit)]
        own = [unit for unit in own if not IS_TRUCK[unit] or places(g, side, unit)]
        changed = is_changed(g, side)
        asked = g.ask(
            side, "setup.unit", "Place a unit or choose its mode, or end the set-up", "1.4a", units=own,
            buttons=[done, default] if changed else [done], blocked=[] if changed else [default], top=True,
            why_not=why_not_free, can_act=lambda seen: (),
        )  # fmt: skip
        asked.legal = Brief(asked.legal, done)
        click = yield asked
        if click == done:
            return
        if click == default:
            for unit, location in usual_places(g, side).items():
                g.state.where[unit] = location
            g.log("1.4a", "{side} returns to the default set-up", side=side)
            continue
        unit = click
        words = {g.rules.button(word): word for word in modes.WORDS if not (IS_AIR[unit] or IS_TRUCK[unit])}
        open_to = [at for at in places(g, side, unit) if why_not_placed(g, side, unit, at) is None]
        able = [button for button, word in words.items() if why_not_mode(g, side, unit, word) is None]
        click = yield g.ask(
            side, "setup.hex", prompt(g, unit, open_to), "1.4a", about=[unit], buttons=[*able, cancel], locations=open_to,
            blocked=[button for button in words if button not in able], why_not=partial(_why_not_there, unit=unit),
        )  # fmt: skip
        if click == cancel:
            continue
        if click in words:
            g.state.flags[unit] = modes.flags_in(g, unit, words[click])
        else:
            g.state.where[unit] = g.location(click)


def prompt(g: G, unit: int, open_to: list[int]) -> str:
    """Return the prompt for a unit: its location, its mode, or both."""
    if IS_AIR[unit]:
        return f"Place {name(unit)}: choose a base"
    if open_to:
        return f"Place {name(unit)}: choose a hex or a mode"
    return f"{name(unit)} begins in {BOARD.name(g.state.where[unit])}: choose a mode"


def why_not_mode(g: G, side: int, unit: int, word: str) -> Refusal | None:
    """Return why a unit cannot begin in a mode (1.4c, 1.4d, OCS 5)."""
    hex = g.state.where[unit]
    if word == "strat" and not modes.can_end_in_strat(g, side, hex):
        label = BOARD.name(hex)
        return Refusal(f"{name(unit)} cannot begin in Strat Mode: no trace supply in {label}", "OCS 5", label)
    return modes.why_not(g, side, unit, word)


def _why_not_there(g: G, decision: Decision, click: int, unit: int) -> Refusal | None:
    if click >= g.rules.first_button:
        word = g.rules.names[click]
        return (
            why_not_mode(g, decision.side, unit, word)
            if word in modes.WORDS and not (IS_AIR[unit] or IS_TRUCK[unit])
            else None
        )
    return None if g.is_unit(click) else why_not_placed(g, decision.side, unit, g.location(click))


def is_passable(unit: int, hex: int) -> bool:
    """Whether a unit could leave a hex with either face up: vehicles do not begin in mountains off the road (OCS 6(3))."""
    return hex >= HEXES or any(OPEN_SIDES[mobility][hex] for mobility in MOBILITY[unit][IS_TRUCK[unit] :])


def why_not_free(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a unit cannot be placed elsewhere."""
    if click in decision.legal:
        return None
    if click == g.rules.button("default"):
        return Refusal("Nothing to reset: all ground units and trucks are in their default hexes", "1.4a", "default")
    if not g.is_unit(click):
        return None
    if SIDE[click] != decision.side:
        return Refusal(f"{name(click)} is not yours", "1.4a", name(click))
    why = "a truck that begins in one hex only" if is_in_play(g, click) else "not in play at the start"
    return Refusal(f"{name(click)} cannot be placed: {why}", f"Scenario {setting(g).number}", name(click))


def why_not_placed(g: G, side: int, unit: int, hex: int) -> Refusal | None:
    """Return why a unit cannot begin in a location (1.4a, OCS 3(1), OCS 14.1)."""
    label, rule = BOARD.name(hex), f"Scenario {setting(g).number}"
    if hex not in places(g, side, unit):
        return Refusal(f"{name(unit)} cannot begin in {label}: not one of its locations", rule, label)
    if g.state.where[unit] == hex:
        return Refusal(f"{name(unit)} is already in {label}", rule, label)
    if IS_AIR[unit]:
        full = hex < HEXES and len(aircraft_in(g, side, hex)) >= AIR["base"]["active"] + airbases.level(g, hex)
        return Refusal(f"{name(unit)} cannot begin in {label}: the base is full", "OCS 14.1", label) if full else None
    if forces_in(g, 1 - side, hex):
        return Refusal(f"{name(unit)} cannot begin in {label}: an enemy unit is there", rule, label)
    if not is_passable(unit, hex):
        return Refusal(f"{name(unit)} cannot begin in {label}: it could never leave this ground", rule, label)
    apart = None if IS_TRUCK[unit] else cooperation.why_not_stacked(g, [unit], hex)
    return apart or (SIZE.refusal(hex, label) if RE[unit] > SIZE.room(g, side, hex) else None)
