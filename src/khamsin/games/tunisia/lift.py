"""Rail and sea transport (1.1a, 1.5, 2.4a, 3.2c, OCS 12, OCS 13): units and tokens between rail hexes, ports and holding
boxes, within the capacity of the turn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from khamsin.games.tunisia import control, modes, supply
from khamsin.games.tunisia.dates import box_side, month
from khamsin.games.tunisia.ground import DETRAINABLE, OUTSIDE
from khamsin.games.tunisia.scenario import PORTS, is_port, setting
from khamsin.games.tunisia.tracing import RAIL_NEIGHBOURS, posts, rail_reads, railheads
from khamsin.games.tunisia.units import (
    ALLIED,
    AXIS,
    BOARD,
    COMBATANT,
    EXTENDER,
    FINISHED,
    HEXES,
    IS_TRUCK,
    LEG,
    MA,
    MOBILITY,
    MODES,
    MOVE,
    RE,
    SIDES,
    SUPPLY,
    TOKENS,
    G,
    forces_in,
    name,
    names,
    stock,
    tell,
    tokens,
    whom,
)
from khamsin.games.tunisia.zones import in_zone, zone, zone_names
from khamsin.kernel.cache import cached
from khamsin.kernel.rules import Procedure, Refusal
from khamsin.mechanics.refusals import for_locations, unless_legal

HALF = 2
"""Capacities are counted in half tokens, since a Pax is half a token (OCS 13)."""
RAIL, SEA = "rail", "sea"
STANDARD = BOARD.bit("standard railroad")
ENTRY = BOARD["A1.15"]
ALGIERS = BOARD["Algiers Box"]
BOXES = {
    BOARD[box.name]: (box.data.get("of") or box.name)
    for box in BOARD.box.values()
    if box.kind in ("holding box", "awaiting transfer")
}
"""Every holding box and the boxes in which units wait for transfer, with the name of the box (1.5c)."""
GROUP_A, GROUP_B = BOARD["Sicily Box Group A"], BOARD["Sicily Box Group B"]
LIGHT: int = SUPPLY["lift"]["light_ma"]


class Cargo(NamedTuple):
    """A cargo: units of one location, or tokens."""

    side: int
    origin: int
    units: tuple[int, ...] = ()
    tokens: int = 0


def bulk(unit: int) -> int:
    """Return the transport size of a unit in half tokens: its RE, half of it on foot with a Move allowance of 6 or
    less; a truck point is a SP, loaded or not (OCS 12(3), OCS 13)."""
    if IS_TRUCK[unit]:
        return TOKENS * HALF
    light = MOBILITY[unit][1] == LEG and 1 <= MA[unit][1] <= LIGHT
    return RE[unit] * (1 if light else HALF)


def flown(unit: int) -> str:
    """Return the key in `todo` of a unit that has gone by air in this phase (series 4.7d)."""
    return f"{name(unit)} flown"


def weight(cargo: Cargo) -> int:
    """Return the transport size of a cargo in half tokens."""
    return sum([bulk(unit) for unit in cargo.units]) + cargo.tokens * HALF


# Capacity


def allowance(g: G, side: int, how: str) -> int:
    """Return the capacity of a turn in half tokens: rail for the Allies only, shipping by the month (1.1a, 1.5)."""
    cards = setting(g)
    if how == RAIL:
        return cards.rail_tokens * HALF if side == ALLIED else 0
    if cards.number in (2, 5):
        return 0
    points = int(SUPPLY["shipping"][str(month(g.state.turn))][side])
    doubled = side == AXIS and g.options.get("bombers") == "tactical"  # 3.7b
    return points * TOKENS * HALF * (2 if doubled else 1)


def left(g: G, side: int, how: str) -> int:
    """Return the capacity that is left this turn."""
    return allowance(g, side, how) - g.state.lifted.get(f"{SIDES[side]} {how}", 0)


def port_capacity(g: G, hex: int) -> int:
    """Return what a port can still load and unload in this phase in half tokens, by its damage; nothing after a unit
    larger than the port (OCS 13, OCS 17.4)."""
    full: list[int] = PORTS[hex].data["capacity"]
    return max(0, full[g.state.damage.get(hex, 0)] * HALF - g.state.handled.get(hex, 0))


# Rail


def rail_way(g: G, side: int, start: int, goal: int) -> int:
    """Return the cost factor of a rail journey, 0 if there is none: over owned rails without enemy units or ZOCs; once
    double for any narrow-gauge hex, once for any interdicted one (1.1a, OCS 12(2), OCS 12(4))."""
    for narrow, interdicted in ((False, False), (True, False), (False, True), (True, True)):
        if goal in rail_field(g, side, start, narrow, interdicted):
            return (SUPPLY["lift"]["narrow"] if narrow else 1) * (SUPPLY["lift"]["interdicted"] if interdicted else 1)
    return 0


@cached(
    lambda g, side, start, narrow, interdicted: (
        g.state.where.versions[0], g.state.where.versions[1], g.state.flags.version, g.state.rail.version,
        tuple(g.state.interdicted.items()), g.scenario.name, side, start, narrow, interdicted,
    )
)  # fmt: skip
def rail_field(g: G, side: int, start: int, narrow: bool, interdicted: bool) -> set[int]:
    """Return the hexes of the area that a train reaches from a hex, on standard rails only or on both, through
    interdicted hexes or not. Where both gauges cross a hexside it runs on standard rails."""
    zoned, owner, outside = zone(g, 1 - side), g.state.rail, OUTSIDE[setting(g).area]
    marked = {h for hex, whose in g.state.interdicted.items() if whose == 2 - side for h in (hex, *BOARD.around(hex))}
    start = ENTRY if start == ALGIERS else start
    if start >= HEXES or owner.get(start) != side or zoned[start] or forces_in(g, 1 - side, start):
        return set()
    if start in marked and not interdicted:
        return set()
    found, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        for near in RAIL_NEIGHBOURS[here]:
            direction = BOARD.direction(here, near)
            bits = BOARD.hexside_bits[here * 6 + direction]
            if near in found or near in outside or owner.get(near) != side or zoned[near]:
                continue
            if forces_in(g, 1 - side, near):
                continue
            if (not narrow and not bits & STANDARD) or (not interdicted and near in marked):
                continue
            found.add(near)
            waiting.append(near)
    return found


@cached(rail_reads)
def stations(g: G, side: int) -> list[int]:
    """Return where cargo can leave a train: detrainable hexes linked to a source, A1.15, and the Algiers Box (1.1a,
    3.2c)."""
    camps = posts(g, side)
    heads = [hex for hex in railheads(g, side) if hex in DETRAINABLE or hex == ENTRY or hex in camps]
    return sorted(heads) + ([ALGIERS] if setting(g).number in (1, 3, 4, 6) and g.state.rail.get(ENTRY) == side else [])


def why_not_railed(g: G, cargo: Cargo, goal: int) -> Refusal | None:
    """Return why a cargo cannot go by rail to a location; it cannot leave the train among enemy non-combat units (1.1a,
    3.2c, OCS 3(5), OCS 12; series 4.8c)."""
    label, what = BOARD.name(goal), describe(cargo)
    cannot = f"{what} cannot go by rail to {label}"
    if goal == cargo.origin:
        return Refusal(f"{what} is already in {label}", "OCS 12", label)
    if cargo.origin not in stations(g, cargo.side):
        origin = BOARD.name(cargo.origin)
        return Refusal(f"{cannot}: {origin} is not a rail hex where cargo is loaded", "OCS 12(2)", origin)
    if goal not in stations(g, cargo.side):
        return Refusal(f"{cannot}: cargo cannot leave a train there", "OCS 12(2)", label)
    if goal in control.booty_hexes(g, 1 - cargo.side):
        return Refusal(f"{cannot}: enemy supply, trucks, a base, a port or a hedgehog is there", "OCS 3(5)", label)
    times = factor(g, cargo, goal, RAIL)
    if not times:
        return Refusal(f"{cannot}: no owned railway free of enemies and their ZOCs leads there", "1.1a", label)
    cost, rest = weight(cargo) * times, left(g, cargo.side, RAIL)
    if cost > rest:
        return Refusal(f"{cannot}: takes {halves(cost)} of rail capacity, {halves(rest)} left", "OCS 12(2)", label)
    return None


# Sea


def harbours(g: G, side: int) -> list[int]:
    """Return the ports and boxes that a side ships between: ports it controls outside enemy ZOCs (1.5, OCS 4(2),
    OCS 13)."""
    ports = [hex for hex in PORTS if is_port(g, hex, side) and not in_zone(g, 1 - side, hex)]
    boxes = [at for at, box in BOXES.items() if box_side(g, box) == side and at != GROUP_A and at != GROUP_B]
    return ports + [at for at in boxes if BOARD.name(at) == BOXES[at]]


def why_not_shipped(g: G, cargo: Cargo, goal: int) -> Refusal | None:
    """Return why a cargo cannot be shipped to a location; a single combat unit may be larger than the port (1.5, 1.5a,
    2.4a, OCS 13)."""
    label, what, side = BOARD.name(goal), describe(cargo), cargo.side
    cannot = f"{what} cannot be shipped to {label}"
    if goal == cargo.origin:
        return Refusal(f"{what} is already in {label}", "OCS 13", label)
    if cargo.origin in BOXES and goal in BOXES:
        return Refusal(f"{cannot}: ships go from a holding box to the ports of the map", "1.5", label)
    for port in [at for at in (cargo.origin, goal) if at in PORTS and g.state.control.get(at) == side]:
        if in_zone(g, 1 - side, port):
            text = f"the port of {BOARD.name(port)} is in an enemy ZOC"
            return Refusal(f"{cannot}: {text}", "OCS 4(2)", zone_names(g, port, 1 - side)[0])
    if cargo.origin not in harbours(g, side) and cargo.origin not in BOXES:
        return Refusal(f"{cannot}: {BOARD.name(cargo.origin)} is not a port of yours", "1.5", BOARD.name(cargo.origin))
    if goal not in harbours(g, side):
        return Refusal(f"{cannot}: {no_harbour(goal)}", "1.5", label)
    if cargo.origin == GROUP_B and g.units_in(GROUP_A) and cargo.units:
        return Refusal(f"{cannot}: group A in the Sicily Box must go first", "2.4a", name(g.units_in(GROUP_A)[0]))
    cost, rest = weight(cargo), left(g, side, SEA)
    if cost > rest:
        return Refusal(f"{cannot}: takes {halves(cost)} of shipping, {halves(rest)} left", "1.5", label)
    for port in [at for at in (cargo.origin, goal) if at < HEXES]:
        alone = len(cargo.units) == 1 and COMBATANT[cargo.units[0]] and not g.state.handled.get(port)
        if cost > port_capacity(g, port) and not (alone and port_capacity(g, port)):
            text = f"{BOARD.name(port)} can handle {halves(port_capacity(g, port))} more"
            return Refusal(f"{cannot}: {text}", "1.5a", BOARD.name(port))
    return None


def no_harbour(location: int) -> str:
    """Return why ships cannot go to a location that is not a harbour of a side, in words (1.5)."""
    if location >= HEXES:
        return "not a holding box of yours"
    return "the port is not yours" if location in PORTS else "no port is there"


def halves(amount: int) -> str:
    """Half tokens in words.

    >>> halves(8), halves(3)
    ('1 SP', '1½T')
    """
    whole, rest = divmod(amount, HALF)
    return f"{whole or ''}½T" if rest else tokens(whole)


def describe(cargo: Cargo) -> str:
    """Return a cargo in words."""
    return whom(cargo.units) if cargo.units else tokens(cargo.tokens)


WHY_NOT = {RAIL: why_not_railed, SEA: why_not_shipped}
RULE = {RAIL: "OCS 12", SEA: "1.5"}


def goals(g: G, cargo: Cargo, how: str) -> list[int]:
    """Return the destinations of a cargo."""
    return [at for at in ends(g, cargo.side, how) if WHY_NOT[how](g, cargo, at) is None]


def why_not_carried(g: G, side: int, units: Sequence[int], how: str) -> Refusal | None:
    """Return why units cannot be carried at all: only in Move Mode, by sea if they have not moved, by rail after half
    at most, not after they went by air, and no load that has moved on its truck (1.5b, OCS 5, OCS 11.1(4), OCS 12(2);
    series 4.7d)."""
    for unit in units:
        flags, who = g.state.flags[unit], name(unit)
        if flags & FINISHED:
            return Refusal(f"{who} cannot be carried: it has already moved in this phase", RULE[how], who)
        if flags & EXTENDER:
            return Refusal(f"{who} cannot be carried: it is part of an extender", "OCS 11.6", who)
        if flown(unit) in g.state.todo:
            return Refusal(f"{who} cannot be carried: it has gone by air in this phase", "OCS 14.8", who)
        if modes.why_no_transport(g, side, unit) is not None:
            return Refusal(f"{who} cannot be carried: only in Move Mode", "1.5b" if how == SEA else "OCS 12(2)", who)
        most = MA[unit][1] * 12 // 2 if how == RAIL else 0
        if g.state.spent[unit] > most:
            return Refusal(f"{who} cannot be carried: it has moved too far in this phase", RULE[how], who)
        if (
            IS_TRUCK[unit]
            and g.state.load[unit]
            and g.state.spent[unit]
            and g.state.origin[unit] != g.state.where[unit]
        ):
            return Refusal(f"{who} cannot be carried: it has moved its load in this phase", "OCS 11.1(4)", who)
    cargo = Cargo(side, g.state.where[units[0]], tuple(units))
    if goals(g, cargo, how):
        return None
    others = [at for at in ends(g, side, how) if at != cargo.origin and not (at in BOXES and cargo.origin in BOXES)]
    refusals = [WHY_NOT[how](g, cargo, at) for at in others]
    none = Refusal(f"{whom(units)} cannot be carried by {how}: no destination", RULE[how], name(units[0]))
    return next((refusal for refusal in refusals if refusal is not None), none)


def carry_units(g: G, side: int, units: Sequence[int], how: str) -> Procedure:
    """Move units by rail or sea to a location; they do nothing else in the phase (1.5b, OCS 12(2), OCS 13)."""
    cancel = g.rules.button("cancel")
    cargo = Cargo(side, g.state.where[units[0]], tuple(units))
    click = yield g.ask(
        side, f"lift.{how}", f"Move {whom(units)} by {how}: choose a destination", RULE[how], locations=goals(g, cargo, how),
        buttons=[cancel], about=units, why_not=unless_legal(for_locations(partial(_why, how=how), cargo)),
    )  # fmt: skip
    if click == cancel:
        return
    goal = g.location(click)
    spend(g, cargo, goal, how)
    tell(g, side, RULE[how], "{units} {units:goes|go} by {how} to {hex}", "Units go by {how} to {hex}",
         units=names(units), how=how, hex=goal)  # fmt: skip
    for unit in units:
        g.state.flags[unit] = g.state.flags[unit] & ~MODES | MOVE | FINISHED
        g.state.where[unit] = goal
    if goal < HEXES:
        control.enter(g, side, units, [goal], rule_move=False)


def _why(g: G, cargo: Cargo, location: int, how: str) -> Refusal | None:
    return WHY_NOT[how](g, cargo, location)


def spend(g: G, cargo: Cargo, goal: int, how: str) -> None:
    """Use up capacity."""
    key = f"{SIDES[cargo.side]} {how}"
    g.state.lifted[key] = g.state.lifted.get(key, 0) + weight(cargo) * factor(g, cargo, goal, how)
    if how == SEA:
        for port in [at for at in (cargo.origin, goal) if at < HEXES]:
            g.state.handled[port] = g.state.handled.get(port, 0) + weight(cargo)


# Tokens


def depots(g: G, side: int, how: str) -> list[int]:
    """Return where tokens can be loaded: dumps at stations or ports, and the boxes, which never run out (1.5c)."""
    return [at for at in ends(g, side, how) if is_depot(g, side, at, how)]


def is_depot(g: G, side: int, at: int, how: str) -> bool:
    """Whether a token can be carried from a location."""
    spare = at >= HEXES or stock(g, side).get(at, 0) > g.state.fresh.get(at, 0)
    return spare and any(WHY_NOT[how](g, Cargo(side, at, (), 1), goal) is None for goal in ends(g, side, how))


def lots(g: G, side: int, at: int, how: str) -> dict[str, int]:
    """Return the amounts of tokens that can be carried from a location, by their buttons: a token, a SP, and all that
    fits, which differs by destination."""
    most = max([room(g, side, at, goal, how) for goal in ends(g, side, how)], default=0)
    return amounts(most)


def amounts(most: int) -> dict[str, int]:
    """Return the amounts of tokens to choose from, by their buttons: a token, a SP, all that fits.

    >>> amounts(1), amounts(9)
    ({'token': 1}, {'token': 1, 'point': 4, 'all': 9})
    """
    sizes = {"token": 1, "point": TOKENS} | ({"all": most} if most > 1 else {})
    return {word: size for word, size in sizes.items() if size <= most}


def room(g: G, side: int, at: int, goal: int, how: str) -> int:
    """Return the most tokens that can be carried from one location to another (1.5a, OCS 12(2))."""
    if WHY_NOT[how](g, Cargo(side, at, (), 1), goal) is not None:
        return 0
    limits = [left(g, side, how) // (HALF * factor(g, Cargo(side, at), goal, how))]
    limits += [stock(g, side).get(at, 0) - g.state.fresh.get(at, 0)] if at < HEXES else []
    limits += [port_capacity(g, port) // HALF for port in (at, goal) if how == SEA and port < HEXES]
    return min(limits)


def factor(g: G, cargo: Cargo, goal: int, how: str) -> int:
    """Return the cost factor of a journey on the size of its cargo (OCS 12(4))."""
    return rail_way(g, cargo.side, cargo.origin, ENTRY if goal == ALGIERS else goal) if how == RAIL else 1


def ends(g: G, side: int, how: str) -> list[int]:
    """Return the locations between which a side carries cargo."""
    return stations(g, side) if how == RAIL else harbours(g, side)


def why_no_tokens(g: G, side: int, how: str) -> Refusal | None:
    """Return why no tokens can be carried now."""
    if not allowance(g, side, how):
        return Refusal(f"The {SIDES[side]} has no {how} capacity", "1.1a" if how == RAIL else "1.5", f"{how} supply")
    if left(g, side, how) < HALF:
        return Refusal(f"The {how} capacity of this turn is used up", RULE[how], f"{how} supply")
    if not depots(g, side, how):
        return Refusal(
            f"No supply can be carried by {how}: no dump at a station or port with a destination",
            RULE[how],
            f"{how} supply",
        )
    return None


def carry_tokens(g: G, side: int, how: str) -> Procedure:
    """Move tokens by rail or sea: choose the origin, the amount and the destination (1.5, OCS 12(2))."""
    cancel = g.rules.button("cancel")
    places = depots(g, side, how)
    click = yield g.ask(
        side, f"lift.{how}.from", f"Choose where to load supply for {how} transport", RULE[how], locations=places,
        buttons=[cancel], why_not=for_locations(partial(why_not_depot, how=how), side),
    )  # fmt: skip
    if click == cancel:
        return
    at = g.location(click)
    sizes = {g.rules.button(word): size for word, size in lots(g, side, at, how).items()}
    click = yield g.ask(
        side,
        f"lift.{how}.amount",
        f"Choose how much to move from {BOARD.name(at)}",
        RULE[how],
        buttons=[*sizes, cancel],
    )
    if click == cancel:
        return
    fixed = 0 if click == g.rules.button("all") else sizes[click]
    least = Cargo(side, at, (), fixed or 1)
    click = yield g.ask(
        side, f"lift.{how}", f"Choose where {describe(least) if fixed else 'all that fits'} goes by {how}", RULE[how],
        locations={goal: tokens(fixed or room(g, side, at, goal, how)) for goal in goals(g, least, how)},
        buttons=[cancel], why_not=unless_legal(for_locations(partial(_why, how=how), least)),
    )  # fmt: skip
    if click == cancel:
        return
    cargo = least._replace(tokens=fixed or room(g, side, at, g.location(click), how))
    goal = g.location(click)
    spend(g, cargo, goal, how)
    if at < HEXES:
        supply.take(g, side, supply.Source(at, -1, cargo.tokens, -1), cargo.tokens)
    if goal < HEXES:
        supply.add(g, side, goal, cargo.tokens)
        g.state.fresh[goal] = g.state.fresh.get(goal, 0) + cargo.tokens
    tell(g, side, RULE[how], "{amount} moves by {how} from {hex_from} to {hex}", amount=tokens(cargo.tokens), how=how,
         hex_from=at, hex=goal)  # fmt: skip


def why_not_depot(g: G, side: int, location: int, how: str) -> Refusal | None:
    """Return why no supply is loaded in a location: no station or harbour, nothing to load, or no destination (1.5,
    OCS 4(2), OCS 11.1(4), OCS 12(2))."""
    label = BOARD.name(location)
    cannot = f"No supply can be loaded in {label} for {how} transport"
    if how == SEA and location in PORTS and g.state.control.get(location) == side and in_zone(g, 1 - side, location):
        return Refusal(f"{cannot}: the port is in an enemy ZOC", "OCS 4(2)", zone_names(g, location, 1 - side)[0])
    if location not in ends(g, side, how):
        text = no_harbour(location) if how == SEA else "it is not a station of yours"
        return Refusal(f"{cannot}: {text}", "1.5" if how == SEA else "OCS 12(2)", label)
    if location < HEXES and not stock(g, side).get(location):
        return Refusal(f"{cannot}: no supply is there", RULE[how], label)
    if location < HEXES and stock(g, side)[location] <= g.state.fresh.get(location, 0):
        return Refusal(f"{cannot}: all of it arrived in this phase", "OCS 11.1(4)", label)
    refusals = [WHY_NOT[how](g, Cargo(side, location, (), 1), goal) for goal in ends(g, side, how) if goal != location]
    if not refusals:
        return Refusal(f"{cannot}: there is no destination", RULE[how], label)
    return refusals[0] if all(refusals) else None
