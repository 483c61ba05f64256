"""Naval transport (21.1, 21.2), convoy attacks (22) and air transport (18.7.6)."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial
from typing import NamedTuple

from khamsin.games.na41 import disruption, entering, losses, malta, resources, supply
from khamsin.games.na41.stacking import may_leave, why_no_room
from khamsin.games.na41.units import (
    AIRFIELDS,
    ALLIED,
    AROUND,
    ASU,
    AXIS,
    BOARD,
    CAPTURED,
    CARRIED,
    COMBAT,
    DELTA,
    DISRUPTED,
    ELIMINATED,
    FINISHED,
    FULL_RETREAT,
    HEXES,
    ITALY,
    MSU,
    OOS,
    POOL,
    PORTS,
    REPLACED,
    REPLACEMENT,
    REPLACES,
    SIDE,
    STEPS,
    SUPPLY,
    TRANSPORTED,
    TRIPOLI,
    TRUCK,
    G,
    add_supply,
    capacity,
    holder,
    mechanized,
    name,
    pieces_in,
    remove_supply,
    stacking,
    stock,
    usable_capacity,
    usable_supply,
    why_held,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations, for_units
from khamsin.mechanics.showing import counted

COASTAL: int = SUPPLY["shipping"]["coastal"]
COLUMNS: tuple[dict[str, int], dict[str, int]] = (SUPPLY["anti_shipping"]["Axis"], SUPPLY["anti_shipping"]["Allied"])
"""By side: the column of the Anti-Shipping Table of each port; 0 is that of the other port (22.2.1)."""
THIRD = 3
"""The impulse with a waning moon (22.2.3)."""
BENGHAZI = BOARD["3211"]
NO_LIMIT = 1000
"""The capacity of Italy (21.1.3)."""
SECOND = "Coastal Convoy"
SAILED, FROM_ITALY = "convoys", "italy"
"""Tallies of the phase: how many coastal convoys have sailed, and whether the convoy from Italy has (21.1.2, 21.1.3).
"""


class Convoy(NamedTuple):
    """The load of a convoy from one port to another: units, and a number of Supply Points (22.1)."""

    side: int
    start: int
    end: int
    units: tuple[int, ...] = ()
    points: int = 0


def shipping(g: G, unit: int) -> int:
    """Return the Shipping Points of a unit: its stacking value, or one for each step; an MSU two (21.2)."""
    if TRUCK[unit]:
        return 2 if g.state.flags[unit] & MSU else 1
    if not COMBAT[unit]:
        return 1
    return stacking(g, unit) or (1 if ASU[unit] else g.state.steps[unit])


def load(g: G, convoy: Convoy) -> int:
    """Return the Shipping Points of a convoy (21.2)."""
    return convoy.points + sum([shipping(g, unit) for unit in convoy.units])


# Ports


def harbours(g: G, side: int) -> list[int]:
    """Return the ports and boxes that a side may use: those it controlled at the start of the phase (21.1.4, 27.4)."""
    found = [port for port in PORTS if port in g.state.harbours and holder(g, port) == side]
    return [*found, TRIPOLI if side == AXIS else DELTA]


def room(g: G, location: int, used: dict[int, int]) -> int:
    """Return the Shipping Points that a port can still take in one direction; a repair of this impulse does not count
    (21.3.2, 21.4.4)."""
    if location == ITALY:
        return NO_LIMIT
    return usable_capacity(g, location) - used.get(location, 0)


def limit(g: G, convoy: Convoy) -> int:
    """Return the most Shipping Points of a convoy: two along the coast, and what both ports can take (21.1.2, 21.1.3,
    21.3.1)."""
    ports = min(room(g, convoy.start, g.state.embarked), room(g, convoy.end, g.state.debarked))
    return ports if convoy.start == ITALY else min(COASTAL, ports)


# Loading


def why_not_shipped(g: G, unit: int, convoy: Convoy) -> Refusal | None:
    """Return why a unit cannot join a convoy: at the port, unmoved, in Good Order, and within the limit (13.2.1, 19.5,
    21.1.4, 21.3.1)."""
    who, flags = name(unit), g.state.flags[unit]
    if SIDE[unit] != convoy.side or g.state.where[unit] != convoy.start:
        return Refusal(f"{who} cannot be shipped: not in {BOARD.name(convoy.start)}", "21.1.1", who)
    held = why_held(g, unit)
    if held is not None:
        return held
    if flags & (DISRUPTED | FULL_RETREAT):
        return Refusal(f"{who} cannot be shipped: not in Good Order", "13.2.1", who)
    if flags & REPLACED:
        return Refusal(f"{who} cannot be shipped: it has received a Replacement", "19.5", who)
    if flags & OOS:
        return Refusal(f"{who} cannot be shipped: out of supply, it can only use Tactical Movement", "16.4", who)
    if flags & (TRANSPORTED | FINISHED | CARRIED) or g.state.hexes[unit]:
        return Refusal(f"{who} cannot be shipped: it has moved in this impulse", "21.1.4", who)
    most = limit(g, convoy)
    if unit not in convoy.units and load(g, convoy) + shipping(g, unit) > most:
        return Refusal(
            f"{who} cannot be shipped: {shipping(g, unit)} Shipping Points, {most - load(g, convoy)} left",
            "21.3.1",
            who,
        )
    if COMBAT[unit] and convoy.end < HEXES:
        aboard = [one for one in convoy.units if COMBAT[one] and one != unit]
        return why_no_room(g, convoy.side, [*aboard, unit], convoy.end, may_leave)
    return None


def why_no_point(g: G, convoy: Convoy) -> Refusal | None:
    """Return why no further Supply Point can join a convoy (21.2, 21.3.1)."""
    label = BOARD.name(convoy.start)
    if usable_supply(g, convoy.side, convoy.start) <= convoy.points:
        return Refusal(f"No further Supply Point in {label} can be shipped", "21.2", label)
    if load(g, convoy) >= limit(g, convoy):
        return Refusal(
            f"No further Supply Point can be shipped: {limit(g, convoy)} Shipping Points at most", "21.3.1", label
        )
    return None


def has_cargo(g: G, convoy: Convoy) -> bool:
    """Whether anything can be shipped."""
    here = pieces_in(g, convoy.side, convoy.start)
    return why_no_point(g, convoy) is None or any(why_not_shipped(g, unit, convoy) is None for unit in here)


def has_convoy(g: G, side: int) -> bool:
    """Whether a side can send another coastal convoy in this impulse: the first, or for the Allies a second with its marker
    (21.1.2)."""
    sailed = g.state.todo.get(SAILED, 0)
    return not sailed or (sailed == 1 and side == ALLIED and SECOND in g.state.assets)


def why_not_sail(g: G, side: int) -> Refusal | None:
    """Return why a side can send no convoy now (21.1.2, 21.1.3, 21.1.4)."""
    if any(has_cargo(g, convoy) for start in starts(g, side) for convoy in convoys_from(g, side, start)):
        return None
    if not has_convoy(g, side):
        return Refusal("No further coastal convoy can sail in this impulse", "21.1.2", "ship")
    return Refusal("Nothing can be shipped from one of your ports to another", "21.1.1", "ship")


def starts(g: G, side: int) -> list[int]:
    """Return the ports from which a convoy might sail now: those with a load (21.1.2, 21.1.3)."""
    found = []
    if has_convoy(g, side):
        found = [port for port in harbours(g, side) if pieces_in(g, side, port) or port in stock(g, side)]
    if side == AXIS and g.state.impulse == 1 and FROM_ITALY not in g.state.todo:
        found.append(ITALY)
    return found


def convoys_from(g: G, side: int, start: int) -> list[Convoy]:
    """Return the empty convoys that might load in a port, one for each destination (21.1.1, 21.1.3)."""
    ends = [TRIPOLI] if start == ITALY else [end for end in harbours(g, side) if end != start]
    return [Convoy(side, start, end) for end in ends]


def routes_from(g: G, side: int, start: int) -> list[int]:
    """Return the ports to which a load can sail from one (21.1.1, 21.1.3)."""
    return [convoy.end for convoy in convoys_from(g, side, start) if has_cargo(g, convoy)]


def routes(g: G, side: int) -> dict[int, list[int]]:
    """Return the ports from which a load can sail, each with its destinations (21.1.1)."""
    found = {start: routes_from(g, side, start) for start in starts(g, side)}
    return {start: ends for start, ends in found.items() if ends}


# The convoy


def sail(g: G, side: int) -> Procedure:
    """A convoy loads in a port, is attacked at sea, and lands the rest (21.1.1, 22.1)."""
    cancel, ways = g.rules.button("cancel"), routes(g, side)
    click = yield g.ask(
        side, "ship.from", "Choose the port from which a convoy sails", "21.1.1", locations=list(ways), buttons=[cancel],
        why_not=for_locations(why_not_start, side),
    )  # fmt: skip
    if click == cancel:
        return
    start = g.location(click)
    end = ways[start][0]
    if len(ways[start]) > 1:
        click = yield g.ask(
            side, "ship.to", f"Choose the port to which the convoy from {BOARD.name(start)} sails", "21.1.1",
            locations=ways[start], buttons=[cancel], why_not=for_locations(partial(_why_not_end, start=start), side),
        )  # fmt: skip
        if click == cancel:
            return
        end = g.location(click)
    convoy = yield from embark(g, Convoy(side, start, end))
    if convoy is None:
        return
    if start == ITALY:
        g.state.todo[FROM_ITALY] = 1
        yield from sail_from_italy(g, convoy)
    else:
        use_coastal(g, side)
        g.state.embarked[start] = g.state.embarked.get(start, 0) + load(g, convoy)
        if convoy.units:
            yield from entering.starts(g, side, convoy.units)
        yield from land(g, (yield from voyage(g, convoy, coastal_modifier(g, side))))


def why_not_start(g: G, side: int, location: int) -> Refusal | None:
    """Return why no convoy can sail from a location (21.1.1)."""
    label = BOARD.name(location)
    if location in routes(g, side):
        return None
    if location == ITALY and side == AXIS:
        return Refusal(
            "The convoy from Italy sails once, in the first impulse, with something to ship", "21.1.3", label
        )
    refusal = why_no_harbour(g, side, location)
    if refusal is not None:
        return refusal
    if not has_convoy(g, side):
        return Refusal("No further coastal convoy can sail in this impulse", "21.1.2", label)
    return Refusal(
        f"No convoy can sail from {label}: nothing there can be shipped to a port with room", "21.1.1", label
    )


def why_no_harbour(g: G, side: int, location: int) -> Refusal | None:
    """Return why a side can use no port in a location: none there, not controlled since the start of the phase, or at 0
    (21.1.4, 21.3.2)."""
    label = BOARD.name(location)
    if location not in PORTS and location not in (TRIPOLI, DELTA):
        return Refusal(f"No port is in {label}", "21.1.1", label)
    if location not in harbours(g, side):
        return Refusal(f"You have not controlled the port in {label} since the start of the phase", "21.1.4", label)
    if not capacity(g, location):
        return Refusal(f"The port in {label} is at 0", "21.3.2", label)
    return None


def _why_not_end(g: G, side: int, location: int, start: int) -> Refusal | None:
    if location in routes_from(g, side, start):
        return None
    refusal, label = why_no_harbour(g, side, location), BOARD.name(location)
    return refusal or Refusal(f"Nothing in {BOARD.name(start)} can be shipped to {label}", "21.3.1", label)


def use_coastal(g: G, side: int) -> None:
    """Count a coastal convoy; the second one uses its marker (21.1.2, 23.2.3)."""
    todo = g.state.todo
    todo[SAILED] = todo.get(SAILED, 0) + 1
    if todo[SAILED] > 1:
        del g.state.assets[SECOND]


def embark(g: G, convoy: Convoy) -> Generator[Decision, int, Convoy | None]:
    """Return a convoy with the load its owner chooses: a click adds or removes a unit, one on the port adds a Supply
    Point (21.1.1)."""
    cancel, go = g.rules.button("cancel"), g.rules.button("sail")
    while True:
        here = pieces_in(g, convoy.side, convoy.start)
        able = [unit for unit in here if why_not_shipped(g, unit, convoy) is None]
        click = yield g.ask(
            convoy.side, "ship.load",
            f"Load the convoy to {BOARD.name(convoy.end)}: {load(g, convoy)} of {limit(g, convoy)} Shipping Points", "21.2",
            units=able, locations=[convoy.start] if why_no_point(g, convoy) is None else [],
            buttons=[go, cancel] if load(g, convoy) else [cancel], blocked=[] if load(g, convoy) else [go],
            about=convoy.units, why_not=partial(_why_not_loaded, convoy=convoy),
        )  # fmt: skip
        if click == cancel:
            return None
        if click == go:
            return convoy
        if not g.is_unit(click):
            convoy = convoy._replace(points=convoy.points + 1)
        elif click in convoy.units:
            convoy = convoy._replace(units=tuple([unit for unit in convoy.units if unit != click]))
        else:
            convoy = convoy._replace(units=(*convoy.units, click))


def _why_not_loaded(g: G, decision: Decision, click: int, convoy: Convoy) -> Refusal | None:
    label = BOARD.name(convoy.start)
    if click >= g.rules.first_button and (load(g, convoy) or click != g.rules.button("sail")):
        return None
    if click >= g.rules.first_button:
        return Refusal("The convoy is empty: load a unit or a Supply Point first", "21.2", label)
    if g.is_unit(click):
        return why_not_shipped(g, click, convoy)
    if g.location(click) == convoy.start:
        return why_no_point(g, convoy)
    other = BOARD.name(g.location(click))
    return Refusal(f"{other} is not {label}, where the convoy loads", "21.1.1", other)


# At sea


def column(convoy: Convoy) -> int:
    """Return the column of the Anti-Shipping Table, counted from 0: of the two ports the one farther right; -1 for none
    (22.2.1)."""
    columns = COLUMNS[convoy.side]
    return max([columns.get(BOARD.name(at), 0) for at in (convoy.start, convoy.end)]) - 1


def coastal_modifier(g: G, side: int) -> int:
    """-1 for each friendly airfield, for Crete, and in the third impulse (22.2.2, 22.2.3)."""
    fields = sum([g.state.control.get(hex) == side for hex in AIRFIELDS])
    return -fields - int(malta.holds_crete(g, side)) - int(g.state.impulse == THIRD)


def voyage(g: G, convoy: Convoy, modifier: int) -> Generator[Decision, int, Convoy]:
    """Roll for a convoy on the Anti-Shipping Table, and if attacked for each step, point and truck (22.2.1, 22.2.4).
    Sunk units leave the port at once. Return the rest of the convoy."""
    at = column(convoy)
    if at < 0:
        return convoy
    strength = int(g.table("anti_shipping").roll(g.dice, at, modifier, f"convoy to {BOARD.name(convoy.end)}"))
    if not strength:
        g.log("22.2.4", "The convoy to {hex} is not attacked", hex=convoy.end)
        return convoy
    g.log("22.2.4", "The convoy to {hex} is attacked: {number} or less sinks", hex=convoy.end, number=strength)
    sunk = saved = 0
    for unit in convoy.units:
        saved += yield from strike(g, unit, strength)
    for _ in range(convoy.points):
        if g.dice.roll("a Supply Point at sea", "22.2.4") <= strength:
            remove_supply(g, convoy.side, convoy.start)
            g.log("22.2.4", "A Supply Point is sunk")
            sunk += 1
    afloat = tuple([unit for unit in convoy.units if g.state.where[unit] == convoy.start])
    return convoy._replace(units=afloat, points=convoy.points - sunk + saved)


def strike(g: G, unit: int, strength: int) -> Generator[Decision, int, int]:
    """One die for each step of a combat unit, with +1, for a replacement, a truck, and the Supply Point of an MSU (22.2.4,
    22.2.5). Return the Supply Points of a sunk truck that sail on without it."""
    if COMBAT[unit]:
        for _ in range(g.state.steps[unit]):
            if g.dice.roll(f"{name(unit)} at sea", "22.2.4") + 1 <= strength and g.state.steps[unit]:
                yield from lose_at_sea(g, unit)
        return 0
    if g.state.flags[unit] & MSU and g.dice.roll(f"the Supply Point of {name(unit)} at sea", "22.2.4") <= strength:
        g.state.flags[unit] &= ~MSU
        g.log("22.2.4", "The Supply Point of {unit} is sunk", unit=unit)
    if g.dice.roll(f"{name(unit)} at sea", "22.2.4") > strength:
        return 0
    saved = int(bool(g.state.flags[unit] & MSU))
    if saved:
        add_supply(g, SIDE[unit], g.state.where[unit])
    sink(g, unit)
    return saved


def lose_at_sea(g: G, unit: int) -> Procedure:
    """A combat unit loses a step at sea: reduced, a remnant if one is left, or sunk (10.4, 22.2.4)."""
    left = g.state.steps[unit] - 1
    if STEPS[unit] == losses.REMNANT_STEPS and left == 1:
        keeps = yield from losses.keeps_remnant(g, unit)
        left = 1 if keeps else 0
    g.state.steps[unit] = left
    if left:
        g.log("22.2.4", "{unit} loses a step at sea", unit=unit)
    else:
        sink(g, unit)


def sink(g: G, unit: int) -> None:
    """Move sunk combat units and trucks to the Eliminated Box, replacements to their pool; a captured truck can be
    captured again (22.2.4, 27.1)."""
    box = POOL[SIDE[unit]] if REPLACEMENT[unit] else ELIMINATED[SIDE[unit]]
    g.state.where[unit] = NOWHERE if CAPTURED[unit] else box
    g.state.flags[unit] = 0
    g.log_loss("22.2.4", "{unit} is sunk", unit=unit)


def land(g: G, convoy: Convoy) -> Procedure:
    """Land the rest of a convoy under a marker, and use the capacity of the port. Combat units drive off units in Full
    Retreat (13.3.2, 21.1.5, 21.3.2)."""
    state, points = g.state, convoy.points
    state.debarked[convoy.end] = state.debarked.get(convoy.end, 0) + load(g, convoy)
    for unit in convoy.units:
        state.where[unit] = convoy.end
        state.hexes[unit] = 1
        state.flags[unit] |= TRANSPORTED | FINISHED
        g.log("21.1.1", "{unit} lands in {hex}", unit=unit, hex=convoy.end)
    if points:
        remove_supply(g, convoy.side, convoy.start, points)
        add_supply(g, convoy.side, convoy.end, points)
        state.landed[convoy.end] = state.landed.get(convoy.end, 0) + points
        g.log("21.1.1", "{points} landed in {hex}", points=counted(points, "Supply Point"), hex=convoy.end)
    if convoy.end < HEXES and any(COMBAT[unit] for unit in convoy.units):
        yield from disruption.drive_off(g, convoy.side, convoy.end)


# The convoy from Italy (22.3)


def sail_from_italy(g: G, convoy: Convoy) -> Procedure:
    """The convoy from Italy passes Malta and lands in Tripoli; for a Resource Point part of it continues to Benghazi
    (22.3.1, 22.3.5)."""
    beyond = yield from divert(g, convoy)
    left = yield from voyage(g, convoy, g.state.malta)
    if beyond is None:
        yield from land(g, left)
        return
    beyond = beyond._replace(
        units=tuple([unit for unit in beyond.units if unit in left.units]), points=min(beyond.points, left.points)
    )
    aboard = tuple([unit for unit in left.units if unit not in beyond.units])
    yield from land(g, left._replace(units=aboard, points=left.points - beyond.points))
    yield from voyage_to_benghazi(g, beyond)


def divert(g: G, convoy: Convoy) -> Generator[Decision, int, Convoy | None]:
    """Return the part of the convoy that continues to Benghazi, declared before it sails; None if it does not (22.3.5)."""
    yes, no = g.rules.button("yes"), g.rules.button("no")
    if why_not_diverted(g) is not None:
        return None
    click = yield g.ask(
        AXIS, "ship.divert", "Send part of the convoy to Benghazi for a Resource Point, or all to Tripoli", "22.3.5",
        buttons=[yes, no],
    )  # fmt: skip
    if click == no:
        return None
    part = Convoy(AXIS, ITALY, BENGHAZI)
    while True:
        most = room(g, BENGHAZI, g.state.debarked)
        units = [u for u in convoy.units if u in part.units or why_not_beyond(g, part, u, most) is None]
        more = part.points < convoy.points and load(g, part) < most
        click = yield g.ask(
            AXIS, "ship.load", f"Choose what continues to Benghazi: {load(g, part)} of {most} Shipping Points", "22.3.5",
            units=units, locations=[ITALY] if more else [], buttons=[g.rules.button("sail")], about=part.units,
            why_not=partial(why_not_split, convoy=convoy, part=part, most=most),
        )  # fmt: skip
        if click == g.rules.button("sail"):
            if not load(g, part):
                return None
            resources.pay(g, AXIS, resources.COSTS["benghazi convoy"])
            return part
        if not g.is_unit(click):
            part = part._replace(points=part.points + 1)
        else:
            kept = tuple([unit for unit in part.units if unit != click])
            part = part._replace(units=kept if click in part.units else (*part.units, click))


def why_not_diverted(g: G) -> Refusal | None:
    """Return why no part of the convoy can go to Benghazi: a Resource Point, and a port of the Axis with room (21.1.4,
    22.3.5)."""
    if BENGHAZI not in harbours(g, AXIS) or room(g, BENGHAZI, g.state.debarked) <= 0:
        return Refusal("Benghazi cannot take a convoy", "21.1.4", BOARD.name(BENGHAZI))
    return resources.why_not_paid(g, AXIS, resources.COSTS["benghazi convoy"], "a Benghazi convoy")


def why_not_beyond(g: G, part: Convoy, unit: int, most: int) -> Refusal | None:
    """Return why a unit of the convoy cannot continue to Benghazi too: Shipping Points, or stacking (4.1, 21.3.1)."""
    if load(g, part) + shipping(g, unit) > most:
        text = f"{name(unit)} cannot continue: Benghazi takes {most} Shipping Points"
        return Refusal(text, "21.3.1", name(unit))
    aboard = [one for one in (*part.units, unit) if COMBAT[one]]
    return why_no_room(g, AXIS, aboard, BENGHAZI, may_leave) if COMBAT[unit] else None


def why_not_split(g: G, decision: Decision, click: int, convoy: Convoy, part: Convoy, most: int) -> Refusal | None:
    """Return why a unit or a further Supply Point cannot continue to Benghazi (22.3.5)."""
    if click in decision.legal or click >= g.rules.first_button:
        return None
    label = g.rules.names[click]
    if click in convoy.units:
        return why_not_beyond(g, part, click, most)
    if click == g.place0 + ITALY and part.points >= convoy.points:
        return Refusal("No further Supply Point is in the convoy", "22.3.5", label)
    if click == g.place0 + ITALY:
        return Refusal(f"No further Supply Point can continue: Benghazi takes {most} Shipping Points", "21.3.1", label)
    return Refusal(f"{label} is not in the convoy", "22.3.5", label)


def voyage_to_benghazi(g: G, beyond: Convoy) -> Procedure:
    """Roll again for the part that continues, in the Benghazi column with the coastal modifiers (22.3.5)."""
    yield from land(g, (yield from voyage(g, beyond, coastal_modifier(g, AXIS))))


# Air transport (18.7.6)

AIR = "Air Transport"


def why_not_flown(g: G, side: int, units: Sequence[int]) -> Refusal | None:
    """Return why a stack cannot fly: an infantry replacement or a 1-step unit on foot in Italy, with the marker and
    without a Replacement marker (18.7.6, 19.5)."""
    unit = units[0]
    who = name(unit)
    if side != AXIS or not g.state.assets.get(AIR):
        return Refusal(f"{who} cannot fly: no Air Transport is available", "18.7.6", who)
    light = (REPLACEMENT[unit] and REPLACES[unit] == "infantry") or (
        COMBAT[unit] and STEPS[unit] == 1 and not mechanized(g, unit)
    )
    if len(units) > 1:
        return Refusal(f"{who} cannot fly: Air Transport carries one unit", "18.7.6", who)
    if not light:
        return Refusal(f"{who} cannot fly: neither an infantry replacement nor a 1-step unit on foot", "18.7.6", who)
    if g.state.where[unit] != ITALY:
        return Refusal(f"{who} cannot fly: not in Italy", "18.7.6", who)
    if g.state.flags[unit] & REPLACED:
        return Refusal(f"{who} cannot fly: it has received a Replacement", "19.5", who)
    if not airfields(g, unit):
        return Refusal(f"{who} cannot fly: no airfield in Full Supply away from enemies", "18.7.6", who)
    return None


def flyers(g: G, side: int) -> list[int]:
    """Return the units that Air Transport could carry (18.7.6)."""
    waiting = pieces_in(g, side, ITALY) if g.state.assets.get(AIR) else ()
    return [unit for unit in waiting if why_not_flown(g, side, [unit]) is None]


def airfields(g: G, unit: int) -> list[int]:
    """Return the airfields to which a unit may fly: controlled, in Full Supply, next to no enemy, with room (18.7.6)."""
    return [hex for hex in AIRFIELDS if why_not_airfield(g, unit, hex) is None]


def why_not_airfield(g: G, unit: int, hex: int) -> Refusal | None:
    """Return why a unit cannot fly to a hex; enemy units next to it are all that 2.3.1 names (2.3.1, 18.7.6)."""
    label = BOARD.name(hex)
    if hex not in AIRFIELDS or g.state.control.get(hex) != AXIS:
        return Refusal(f"{label} is not an airfield of yours", "18.7.6", label)
    if supply.status_in(g, AXIS, hex) != supply.FULL:
        return Refusal(f"The airfield in {label} is not in Full Supply", "18.7.6", label)
    enemies = [unit for near in AROUND[hex] for unit in pieces_in(g, ALLIED, near)]
    if enemies:
        return Refusal(f"{name(enemies[0])} is next to {label}", "18.7.6", name(enemies[0]))
    points = [near for near in AROUND[hex] if near in stock(g, ALLIED)]
    if points:
        return Refusal(f"Enemy Supply Points are next to {label}", "18.7.6", BOARD.name(points[0]))
    return why_no_room(g, AXIS, [unit] if COMBAT[unit] else [], hex, may_leave)


def why_not_fly(g: G, side: int) -> Refusal | None:
    """Return why nothing can fly now (18.7.6)."""
    if flyers(g, side):
        return None
    reason = "no unit in Italy can fly" if g.state.assets.get(AIR) else "no Air Transport is available"
    return Refusal(f"No air transport: {reason}", "18.7.6", "fly")


def fly(g: G, side: int) -> Procedure:
    """The Axis flies a unit from Italy to an airfield, under a marker (18.7.6)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side, "air.unit", "Choose the unit that flies", "18.7.6", units=flyers(g, side), buttons=[cancel],
        why_not=for_units(_why_not_flyer),
    )  # fmt: skip
    if click == cancel:
        return
    unit = click
    click = yield g.ask(
        side, "air.hex", f"Choose the airfield to which {name(unit)} flies", "18.7.6", locations=airfields(g, unit),
        buttons=[cancel], about=[unit], why_not=for_locations(why_not_airfield, unit),
    )  # fmt: skip
    if click == cancel:
        return
    del g.state.assets[AIR]
    g.state.where[unit] = g.location(click)
    g.state.hexes[unit] = 1
    g.state.flags[unit] |= TRANSPORTED | FINISHED
    g.log("18.7.6", "{unit} flies to {hex}", unit=unit, hex=g.location(click))


def _why_not_flyer(g: G, unit: int) -> Refusal | None:
    return why_not_flown(g, AXIS, [unit])
