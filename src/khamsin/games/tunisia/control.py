"""The effects of units entering hexes (1.1a, 5.0, OCS 9.3): rails and places change hands, dumps, trucks and bases are
captured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from khamsin.games.tunisia import airbases, losses, supply, tracing
from khamsin.games.tunisia.ground import OUTSIDE, RAIL_HEXES, bridged, bridges
from khamsin.games.tunisia.scenario import HEDGEHOGS, PORTS, setting
from khamsin.games.tunisia.units import (
    BOARD,
    CHARCOAL,
    DEAD,
    EXTENDER,
    FINISHED,
    HEXES,
    INACTIVE,
    ORGANIC,
    RANGE,
    RESERVE,
    SIDE,
    SUPPLY,
    TOKENS,
    TRANSPORT,
    TRUCK,
    TRUCKS_OF,
    G,
    aircraft_in,
    can_attack,
    forces_in,
    stock,
    tell,
    tokens,
    trucks_in,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.cache import cached
from khamsin.mechanics.showing import counted

CAPTURE = SUPPLY["capture"]
EXPOSED = 3
"""Hexes from enemies within which displaced units avoid an unguarded base (rulings)."""
PLACES = frozenset([hex for area in BOARD.areas.values() if area.kind == "victory" for hex in area.hexes]) | frozenset(
    PORTS
)
"""Hexes with control: ports and victory hexes (5.0)."""


def has_booty(g: G, side: int, hex: int) -> bool:
    """Whether non-combat units of a side are in a hex: tokens, trucks, an air base (OCS 1(7), OCS 3(5))."""
    return bool(stock(g, side).get(hex) or trucks_in(g, side, hex) or g.state.base.get(hex) == side)


@cached(lambda g, side: (side, g.state.where.versions[side], g.state.where.versions[TRANSPORT + side], stock(g, side).version,
                         g.state.base.version, g.state.fort.version, g.state.control.version))  # fmt: skip
def booty_hexes(g: G, side: int) -> frozenset[int]:
    """Return the hexes with non-combat units of a side, including ports and hedgehogs, and none of its combat units
    (OCS 1(7))."""
    state = g.state
    places = {
        *stock(g, side),
        *state.where.stacks(TRANSPORT + side),
        *[hex for hex, owner in state.base.items() if owner == side],
        *[hex for hex, owner in state.fort.items() if owner == side],
        *[hex for hex in PORTS if state.control.get(hex) == side],
    }
    return frozenset([hex for hex in places if 0 <= hex < HEXES and not forces_in(g, side, hex)])


def enter(
    g: G, side: int, units: Sequence[int], path: Iterable[int], rule_move: bool = True, advance: bool = False
) -> None:
    """Units have entered hexes and are in the last one. Attack-capable ones capture what is there, ports too (OCS 9.3);
    rails and victory hexes change hands to units that move or advance through them, victory hexes also to those that
    are in them after a retreat or a drop (1.1a, 5.0, OCS 12(1))."""
    state, booty = g.state, booty_hexes(g, 1 - side)
    if not any(can_attack(g, unit) for unit in units):
        return
    for hex in path:
        if hex in booty:
            capture(g, side, hex, advance)
            take_fort(g, side, hex)
            booty = booty_hexes(g, 1 - side)
        if rule_move and hex in RAIL_HEXES and state.rail.get(hex) != side:
            state.rail[hex] = side
        occupied = rule_move or hex in PORTS or any(state.where[unit] == hex for unit in units)
        if hex in PLACES and occupied and state.control.get(hex) != side:
            state.control[hex] = side
            g.log("5.0", "{side} takes {hex}", side=side, hex=hex)


def percent(amount: int, share: int) -> int:
    """Return a share of an amount to the nearest whole, halves up (OCS 1(3)).

    >>> percent(12, 25), percent(36, 50), percent(3, 25)
    (3, 18, 1)
    """
    return (amount * share + 50) // 100


def take_fort(g: G, side: int, hex: int) -> None:
    """A hedgehog changes hands; by the option on construction it loses a level, those of the Mareth Line do not (OCS 9.3,
    OCS 18)."""
    state = g.state
    if state.fort.get(hex, side) == side or forces_in(g, 1 - side, hex):
        return
    state.fort[hex] = side
    g.log("OCS 9.3", "{side} takes the hedgehog in {hex}", side=side, hex=hex)
    if g.options.get("construction", "engineers") == "engineers" and state.hedgehog[hex] > HEDGEHOGS.get(hex, 0):
        state.hedgehog[hex] -= 1
        if not state.hedgehog[hex]:
            del state.hedgehog[hex], state.fort[hex]


def capture(g: G, side: int, hex: int, advance: bool = False) -> None:
    """Attack-capable units enter a hex without enemy combat units: roll for the capture of dumps and trucks, the air
    base and its aircraft (OCS 9.3, OCS 17.7)."""
    enemy = 1 - side
    if forces_in(g, enemy, hex) or not has_booty(g, enemy, hex):
        return
    label = BOARD.name(hex)
    save_extender(g, enemy, hex)
    fast = [truck for truck in trucks_in(g, enemy, hex) if not CHARCOAL[truck]]
    slow = [truck for truck in trucks_in(g, enemy, hex) if CHARCOAL[truck]]
    for trucks, table, distance in ((fast, "trucks", "displace"), (slow, "slow", "slow_displace")):
        if trucks:
            roll = g.dice.roll(f"capture of trucks in {label}", "OCS 17.7")
            capture_trucks(g, side, hex, trucks, CAPTURE[table][roll - 1], CAPTURE[distance])
    ground = stock(g, enemy).pop(hex, 0)
    if ground:
        share = CAPTURE["dump"][g.dice.roll(f"capture of the dump in {label}", "OCS 17.7") - 1]
        taken = percent(ground, share)
        supply.add(g, side, hex, taken)
        g.log("OCS 9.3", "{side} captures {taken} of {all} in {hex}", side=side, taken=tokens(taken), all=tokens(ground),
              hex=hex)  # fmt: skip
    if g.state.base.get(hex) == enemy:
        g.state.base[hex] = side
        g.log("OCS 9.3", "{side} captures the air base in {hex}", side=side, hex=hex)
        for aircraft in aircraft_in(g, enemy, hex):
            displace_aircraft(g, aircraft, advance)
        g.state.former.pop(hex, None)


def save_extender(g: G, side: int, hex: int) -> None:
    """An extender whose hex is entered is displaced within its range to a hex in trace, and becomes truck points again;
    without one it is captured like trucks. Enemies on the path do not matter (OCS 9.3; series 9.14d)."""
    trucks = [truck for truck in trucks_in(g, side, hex) if g.state.flags[truck] & EXTENDER]
    if not trucks:
        return
    goals = refuges(g, side, hex)
    for truck in trucks:
        g.state.flags[truck] &= ~EXTENDER
        if goals:
            g.state.where[truck] = min(goals, key=lambda h: (BOARD.distance(hex, h), h))
            tell(g, side, "OCS 9.3", "{unit} is displaced to {hex}", unit=truck, hex=g.state.where[truck])


def refuges(g: G, side: int, hex: int) -> list[int]:
    """Return where an extender can be displaced: hexes of the area in trace, within its range, without enemies or what
    they own (OCS 3(5), OCS 9.3; series 9.14d)."""
    supplied = tracing.trace(g, side).supplied
    reached = bridged(TRUCK, bridges(g, side)).near(hex, tracing.EXTENDED, BOARD.adjacency)
    closed = OUTSIDE[setting(g).area] | booty_hexes(g, 1 - side) | {hex}
    found: list[int] = (supplied & reached).nonzero()[0].tolist()
    return [h for h in found if h not in closed and BOARD.enterable(h) and not forces_in(g, 1 - side, h)]


def capture_trucks(g: G, side: int, hex: int, trucks: Sequence[int], share: int, distance: int) -> None:
    """Some trucks with their loads change sides, the rest is displaced (OCS 9.3). The owner's empty ones are captured
    first."""
    state, enemy = g.state, 1 - side
    number, load = percent(len(trucks), share), sum([state.load[truck] for truck in trucks])
    taken_load = percent(load, share)
    lost = sorted(trucks, key=lambda truck: (bool(ORGANIC[truck]), state.load[truck]))[:number]
    rest = [truck for truck in trucks if truck not in lost]
    g.log("OCS 9.3", "{side} captures {trucks} and {load} in {hex}", side=side, trucks=counted(number, "truck point"),
          load=tokens(taken_load), hex=hex)  # fmt: skip
    for truck in lost:
        state.load[truck], state.where[truck] = 0, DEAD[enemy]
    spare = [
        t
        for t in TRUCKS_OF[side]
        if not ORGANIC[t] and CHARCOAL[t] == CHARCOAL[trucks[0]] and state.where[t] in (NOWHERE, DEAD[side])
    ]
    gained = sorted(spare, key=lambda truck: state.where[truck] != NOWHERE)[:number]  # lost ones can still be rebuilt
    for truck in gained:
        state.where[truck] = hex
        state.load[truck] = min(taken_load, TOKENS)
        state.flags[truck] &= ~FINISHED
        taken_load -= state.load[truck]
    supply.add(g, side, hex, taken_load)
    left = load - percent(load, share)
    for truck in rest:
        state.load[truck] = min(left, TOKENS)
        left -= state.load[truck]
        displace_truck(g, truck, hex, distance)
    if rest and state.where[rest[-1]] < HEXES:
        supply.add(
            g, enemy, state.where[rest[-1]], left
        )  # what the trucks cannot carry is displaced too (example of the series)


def displace_truck(g: G, truck: int, hex: int, distance: int) -> None:
    """Displace a truck in the area within a distance: to the nearest hex with a friendly combat unit, else the nearest
    one; enemies and terrain on the path do not matter. It leaves Reserve Mode (OCS 9.3, rulings)."""
    side = SIDE[truck]
    closed = booty_hexes(g, 1 - side) | OUTSIDE[setting(g).area] | {hex}
    near = [h for h in BOARD.within(hex, distance) if BOARD.enterable(h) and not forces_in(g, 1 - side, h)]
    near = [h for h in near if h not in closed]
    posts = [h for h in near if forces_in(g, side, h)]
    goal = min(posts or near, key=lambda h: (BOARD.distance(hex, h), h), default=NOWHERE)
    g.state.flags[truck] &= ~(EXTENDER | RESERVE)
    if goal == NOWHERE:
        g.state.where[truck], g.state.load[truck] = DEAD[side], 0
    else:
        g.state.where[truck] = goal
        tell(g, side, "OCS 9.3", "{unit} is displaced to {hex}", unit=truck, hex=goal)


def displace_aircraft(g: G, aircraft: int, advance: bool = False) -> None:
    """An aircraft of a captured base may lose a step and flies to a base of its side within twice its range, inactive:
    the nearest that is not exposed, else the nearest; without one it is eliminated (OCS 9.3, OCS 17.9, rulings)."""
    state, side, here = g.state, SIDE[aircraft], g.state.where[aircraft]
    active = not state.flags[aircraft] & INACTIVE
    roll = g.dice.two("aircraft of a captured base", "OCS 17.9") + (2 if active else 0) + (2 if advance else 0)
    if roll <= 6:
        losses.lose_step(g, aircraft, "OCS 17.9")
    if state.steps[aircraft] <= 0:
        return
    near = {
        at: airbases.range_from(at, here)
        for at in airbases.bases(g, side)
        if at != here and airbases.may_use(g, aircraft, at)
    }
    near = {at: far for at, far in near.items() if far <= 2 * RANGE[aircraft]}
    goal = min(near, key=lambda at: (is_exposed(g, side, at), near[at], at), default=NOWHERE)
    if goal == NOWHERE:
        losses.destroy(g, aircraft)
        return
    state.where[aircraft] = goal
    state.flags[aircraft] |= INACTIVE
    g.log("OCS 17.9", "{unit} flies to {hex}", unit=aircraft, hex=goal)


def is_exposed(g: G, side: int, base: int) -> bool:
    """Whether enemy combat units are within 3 hexes of a base that no combat unit of its side guards."""
    if base >= HEXES or forces_in(g, side, base):
        return False
    return any(forces_in(g, 1 - side, hex) for hex in BOARD.within(base, EXPOSED))
