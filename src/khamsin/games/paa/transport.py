"""Transport: lorries and their loads (11.3), the Egyptian railroad (11.3.1), sea transport (11.2), and captured
installations (11.1.6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from khamsin.games.paa import movement
from khamsin.games.paa.control import controls
from khamsin.games.paa.ground import LAYOUT
from khamsin.games.paa.stacking import UNITS, has_depot
from khamsin.games.paa.supply import (
    BOUND,
    BOUND_BY,
    lines,
    stranded_by_depot,
    stranded_by_leaving,
    stranded_without,
    stranding_hexes,
)
from khamsin.games.paa.units import (
    ALLIED,
    AXIS,
    BOARD,
    DEPOT,
    DEPOT_SPAN,
    DEPOTS,
    HEXES,
    LORRIES,
    LORRY,
    LORRY_SPAN,
    MF,
    MOVED,
    OOC,
    POOL,
    REGULAR,
    REGULARS,
    SHIPPED,
    SIDE,
    SIDES,
    STOPPED,
    G,
    name,
    supplied,
)  # fmt: skip
from khamsin.games.paa.zones import ZONES, front
from khamsin.kernel.flood import CLOSED
from khamsin.kernel.rules import Choices, Decision, Hint, Procedure, Refusal
from khamsin.mechanics import stacks, ways
from khamsin.mechanics.destinations import Destinations
from khamsin.mechanics.refusals import unless_legal
from khamsin.mechanics.ways import Bar, End, Reach, Way

RAILROAD = BOARD.areas["Egyptian railroad"].hexes
"""From east to west."""
PORTS = {area.hexes[0]: area for area in BOARD.areas.values() if area.kind == "port"}
"""The three ports, linked each with each (2.1.2)."""
STATIONS = frozenset(RAILROAD) | PORTS.keys()
"""Hexes from which an installation can be sent without a lorry."""


def drive(g: G, side: int, lorry: int) -> Procedure:
    """Drive a lorry, load an installation in its hex or unload one (11.1.3, 11.3)."""
    cancel, unload = g.rules.button("cancel"), g.rules.button("unload")
    state = g.state
    here = state.where[lorry]
    found = ways.reach(lorry_way(g, side, lorry))
    more = [unload] if state.load[lorry] else loads(g, side, here)
    open_ = Destinations(g.place0, found, lorry_ends(g, side, lorry, found), dict.fromkeys([*more, cancel]))
    click = yield Decision(
        side, "move.drive", f"Drive {name(lorry)}: choose a hex, or load or unload", "11.3", open_, about=(lorry,),
        buttons=(unload,), why_not=why_not_driven, reach=found,
    )  # fmt: skip
    if click == unload:
        set_down(g, lorry)
    elif g.is_unit(click):
        load(g, lorry, click)
    elif click != cancel:
        movement.walk(g, side, [lorry], found, g.location(click))


def load(g: G, lorry: int, depot: int) -> None:
    """A lorry loads an installation of its hex (11.3)."""
    if g.state.load[lorry] != depot + 1:
        g.state.load[lorry] = depot + 1
        g.log("11.3", "{unit} loads {unit_load} in {hex}", unit=lorry, unit_load=depot, hex=g.state.where[lorry])


def set_down(g: G, lorry: int) -> None:
    """A lorry unloads the installation it carries (11.3)."""
    depot = g.state.load[lorry] - 1
    g.state.load[lorry] = 0
    g.log("11.3", "{unit} unloads {unit_load} in {hex}", unit=lorry, unit_load=depot, hex=g.state.where[lorry])


def why_not_driven(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a lorry cannot drive to a hex, load a piece or unload (4, 11.1.3, 11.3)."""
    side, lorry = decision.side, decision.about[0]
    if g.is_unit(click):
        return why_not_loaded(g, side, lorry, click)
    if click >= g.rules.first_button:
        if g.rules.names[click] != "unload" or g.state.load[lorry]:
            return None
        return Refusal(f"{name(lorry)} cannot unload: it carries nothing", "11.3", name(lorry))
    hex = g.location(click)
    if hex >= HEXES or hex == g.state.where[lorry] or hex in front(g, 1 - side).barred:
        return stacks.why_no_goal(g, [lorry], hex, range(HEXES), "11.1") or movement.why_not_at(g, side, [lorry], hex)
    way = lorry_way(g, side, lorry)
    return ways.why_not(g, way, hex, name(lorry), lorry_ends(g, side, lorry, ways.reach(way)))


def lorry_way(g: G, side: int, lorry: int) -> Way:
    """Return the way of a lorry; with a load, not through hexes where a unit that must stay in supply would lose it
    (8.4.1, 11.1.1)."""
    way = movement.way(g, side, [lorry])
    depot = g.state.load[lorry] - 1
    needy = stranded_without(g, side, [depot]) if depot >= 0 else []
    if not needy:
        return way
    hexes = [hex for hex in ways.reach(way).within() if hex != g.state.where[depot]]
    shut = stranding_hexes(g, side, depot, hexes, needy)
    return way.but(load_bar(side, depot, shut, needy)) if shut else way


def load_bar(side: int, depot: int, hexes: Sequence[int], needy: Sequence[int]) -> Bar:
    """Return the hexes that a loaded lorry may not even pass (8.4.1, 11.1.1)."""

    def causes(g: G, hex: int) -> list[str]:
        return [name(unit) for unit in stranded_by_depot(g, side, depot, hex, needy)]

    text = f"{{cause}} would lose supply with {name(depot)} {{where}}"
    return Bar(CLOSED, LAYOUT.mask(hexes), BOUND_BY[side], text, causes)


def lorry_ends(g: G, side: int, lorry: int, found: Reach) -> tuple[End, ...]:
    """A loaded lorry may not stop in a hex with an installation that cannot be taken away (4)."""
    state = g.state
    load, left = state.load[lorry] - 1, MF[lorry] - state.spent[lorry]
    if load < 0:
        return ()
    others = {state.where[u] for u in DEPOTS[side] if u != load and 0 <= state.where[u] < HEXES}

    def refuse(hex: int) -> Refusal | None:
        if hex not in others or left - found.cost(hex) >= 1 or can_clear(g, side, hex):
            return None
        return why_not_second(g, side, hex)

    return (End(refuse, lambda: others),)


def why_not_second(g: G, side: int, hex: int) -> Refusal:
    """A hex has at most one installation (4)."""
    label = BOARD.name(hex)
    return Refusal(f"{label} cannot take a second installation: the first cannot be taken away", "4", label)


def why_not_loaded(g: G, side: int, lorry: int, unit: int) -> Refusal | None:
    """Return why a lorry cannot load a piece: one at a time, in its hex, in command, not shipped, not on another lorry
    (10.3, 11.3)."""
    state, who = g.state, name(unit)
    here, cannot = BOARD.name(state.where[lorry]), f"{name(lorry)} cannot load {who}"
    if SIDE[unit] != side or not DEPOT[unit]:
        return Refusal(f"{cannot}: only your installations can be loaded", "11.3", who)
    if state.load[lorry]:
        carried = name(state.load[lorry] - 1)
        return Refusal(f"{cannot}: it carries {carried}; unload it first", "11.3", carried)
    if state.where[unit] != state.where[lorry]:
        return Refusal(f"{cannot}: it is not in {here}", "11.3", who)
    if unit + 1 in state.load[LORRY_SPAN[side]]:
        return Refusal(f"{cannot}: another lorry carries it", "11.3", who)
    if state.flags[unit] & OOC:
        return Refusal(f"{cannot}: it is out of command", "10.3", who)
    if state.flags[unit] & SHIPPED:
        return Refusal(f"{cannot}: it moved by sea this phase", "11.2", who)
    return None


def loads(g: G, side: int, hex: int) -> list[int]:
    """Return the installations in a hex that a lorry may load: in command, not shipped, not on another lorry (10.3,
    11.3)."""
    state = g.state
    carried = {state.load[u] - 1 for u in LORRIES[side] if state.load[u]}
    return [
        u for u in DEPOTS[side] if state.where[u] == hex and u not in carried and not state.flags[u] & (OOC | SHIPPED)
    ]


def can_clear(g: G, side: int, hex: int) -> bool:
    """Whether an installation in a hex could probably still be taken away: by a lorry there with MF left, or by rail (4)."""
    if not takeable(g, side, hex):
        return False
    trains = working_railroad(g) if side == ALLIED else ()
    return bool(idle_lorries(g, side, hex)) or (hex in trains and any(not has_depot(g, side, h) for h in trains))


def can_be_cleared(g: G, side: int, hex: int) -> bool:
    """Whether a legal click takes an installation out of a hex (4, 11.3)."""
    for depot in takeable(g, side, hex):
        carried = any(g.state.load[lorry] == depot + 1 for lorry in LORRIES[side])
        needy = stranded_without(g, side, [depot])
        if not carried and any(by_rail_or_sea(g, side, depot, to, needy) for to in stations_from(g, side, hex)):
            return True
    return any(
        could_drive_off(g, side, lorry, depot)
        for lorry in idle_lorries(g, side, hex)
        for depot in takeable(g, side, hex)
        if g.state.load[lorry] in (0, depot + 1)
    )


def takeable(g: G, side: int, hex: int) -> list[int]:
    """Return the installations in a hex that may be moved (10.3, 11.2)."""
    state = g.state
    return [u for u in DEPOTS[side] if state.where[u] == hex and not state.flags[u] & (OOC | SHIPPED)]


def idle_lorries(g: G, side: int, hex: int) -> list[int]:
    """Return the lorries in a hex that can still drive (11.3)."""
    state = g.state
    barred = movement.IDLE | STOPPED
    return [
        u for u in LORRIES[side] if state.where[u] == hex and state.spent[u] < MF[u] and not state.flags[u] & barred
    ]


def could_drive_off(g: G, side: int, lorry: int, depot: int) -> bool:
    """Whether a lorry could drive on with an installation of its hex (11.3)."""
    state = g.state
    before = state.load[lorry]
    state.load[lorry] = depot + 1
    found = ways.reach(lorry_way(g, side, lorry))
    number = len(Destinations(g.place0, found, lorry_ends(g, side, lorry, found)))
    state.load[lorry] = before
    return number > 0


def why_not_sent(g: G, side: int, depot: int) -> Refusal | None:
    """Return why an installation cannot be sent by a lorry of its hex, nor by rail or sea (11.2, 11.3, 11.3.1)."""
    hex = g.state.where[depot]
    if carrier(g, side, depot) is not None:
        return None
    if hex in STATIONS and depot + 1 not in g.state.load[LORRY_SPAN[side]]:
        if (side == ALLIED and hex in working_railroad(g)) or can_sail(g, side, depot):
            return None
        if hex in PORTS:
            return why_not_shipped(g, side, depot)
    return Refusal(
        f"{name(depot)} cannot move: no lorry in its hex can carry it, and no railroad or port is there",
        "11.3",
        name(depot),
    )


def send(g: G, side: int, depot: int) -> Procedure:
    """Send an installation by rail, by sea, or on a lorry of its hex, which loads it, drives and unloads it (11.2,
    11.3, 11.3.1)."""
    cancel, state, first = g.rules.button("cancel"), g.state, g.place0
    here, lorry = state.where[depot], carrier(g, side, depot)
    found = None if lorry is None else trip(g, side, lorry, depot)
    carried = [] if found is None else trip_ends(g, side, depot, found)
    stations = stations_from(g, side, here)
    by_rail = side == ALLIED and here in stations
    needy = stranded_without(g, side, [depot]) if by_rail else []

    def route(click: int) -> Hint:
        hex = click - first
        way = by_rail_or_sea(g, side, depot, hex, needy) if hex in stations else ""
        return way or ({"by lorry": found.cost(hex)} if found is not None and hex in carried else None)

    hexes = [first + hex for hex in dict.fromkeys([*stations, *carried])]
    click = yield Decision(
        side, "move.send", f"Send {name(depot)}: choose a hex", "11.3.1" if by_rail else "11.2" if stations else "11.3",
        Choices({cancel: None}, hexes, lambda click: route(click) is not None, route), about=(depot,),
        why_not=unless_legal(why_not_sent_there), reach=found,
    )  # fmt: skip
    if click == cancel:
        return
    hex, taken = g.location(click), route(click)
    if lorry is not None and found is not None and isinstance(taken, dict):
        load(g, lorry, depot)
        movement.walk(g, side, [lorry], found, hex)
        set_down(g, lorry)
    elif taken == "by rail":
        g.log("11.3.1", "{unit} moves by rail from {hex_from} to {hex}", unit=depot, hex_from=here, hex=hex)
        state.where[depot] = hex
        state.flags[depot] |= MOVED
    else:
        sail(g, side, depot, hex)


def carrier(g: G, side: int, depot: int) -> int | None:
    """Return the lorry of an installation's hex that can carry it furthest: it carries nothing or this installation
    (11.3)."""
    state = g.state
    lorries = [
        lorry
        for lorry in idle_lorries(g, side, state.where[depot])
        if state.load[lorry] == depot + 1 or why_not_loaded(g, side, lorry, depot) is None
    ]
    return max(lorries, key=lambda lorry: MF[lorry] - state.spent[lorry], default=None)


def trip(g: G, side: int, lorry: int, depot: int) -> Reach:
    """Return the reach of a lorry with an installation of its hex (11.1.3, 11.3)."""
    state = g.state
    before = state.load[lorry]
    state.load[lorry] = depot + 1
    found = ways.reach(lorry_way(g, side, lorry))
    state.load[lorry] = before
    return found


def trip_ends(g: G, side: int, depot: int, found: Reach) -> list[int]:
    """Return where an installation can be unloaded after a trip: not where another is (4, 11.3)."""
    here = g.state.where[depot]
    return [hex for hex in found.within() if hex != here and not has_depot(g, side, hex)]


def stations_from(g: G, side: int, here: int) -> tuple[int, ...]:
    """Return the hexes to which an installation may be sent without a lorry: the working railroad, the ports (11.2,
    11.3.1)."""
    working = working_railroad(g) if side == ALLIED else ()
    return (*(working if here in working else ()), *(PORTS if here in PORTS else ()))


def by_rail_or_sea(g: G, side: int, depot: int, hex: int, needy: Sequence[int]) -> str:
    """Return how an installation is sent to a hex without a lorry, "by rail" or "by sea"; "" if it cannot be. `needy` are
    the units that need it (11.2, 11.3.1)."""
    here, working = g.state.where[depot], working_railroad(g) if side == ALLIED else ()
    if here in working and hex in working and why_not_by_rail(g, side, depot, hex, needy, working) is None:
        return "by rail"
    if here in PORTS and hex in PORTS and why_not_shipped(g, side, depot) is None:
        return "" if why_not_to_port(g, side, depot, hex) else "by sea"
    return ""


def why_not_sent_there(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why an installation can go to a hex neither by lorry nor by rail or sea (11.2, 11.3, 11.3.1)."""
    side, depot = decision.side, decision.about[0]
    if not g.place0 <= click < g.rules.first_button:
        return None
    hex = g.location(click)
    label, lorry = BOARD.name(hex), carrier(g, side, depot)
    if lorry is not None:
        return why_not_carried(g, side, lorry, depot, hex)
    if hex in RAILROAD and g.state.where[depot] in RAILROAD:
        return why_not_by_rail(g, side, depot, hex, stranded_without(g, side, [depot]), working_railroad(g))
    if hex in PORTS and g.state.where[depot] in PORTS:
        return why_not_shipped(g, side, depot) or why_not_to_port(g, side, depot, hex)
    return Refusal(f"{name(depot)} cannot go to {label}: no railroad or sea route leads there", "11.3", label)


def why_not_carried(g: G, side: int, lorry: int, depot: int, hex: int) -> Refusal | None:
    """Return why a lorry cannot drive to a hex with an installation and unload it there (4, 11.1.3, 11.3)."""
    state = g.state
    if hex >= HEXES or hex == state.where[lorry] or hex in front(g, 1 - side).barred:
        return stacks.why_no_goal(g, [lorry], hex, range(HEXES), "11.1") or movement.why_not_at(g, side, [lorry], hex)
    if has_depot(g, side, hex):
        label = BOARD.name(hex)
        return Refusal(f"{name(depot)} cannot be unloaded in {label}: an installation is there", "4", label)
    before = state.load[lorry]
    state.load[lorry] = depot + 1
    refusal = ways.why_not(g, lorry_way(g, side, lorry), hex, name(lorry))
    state.load[lorry] = before
    return refusal


def why_not_by_rail(
    g: G, side: int, depot: int, hex: int, needy: Sequence[int], working: Sequence[int]
) -> Refusal | None:
    """Return why an installation cannot go by rail to a hex: the railroad serves the Allies, east of any Axis ZOC; only
    units and lorries enter a hex with an enemy installation; and no unit that needs it may lose supply (4, 8.4.1,
    11.1.6, 11.3.1)."""
    here, label = g.state.where[depot], BOARD.name(hex)
    cannot = f"{name(depot)} cannot go by rail to {label}"
    if side != ALLIED:
        return Refusal(f"{cannot}: the railroad serves the Allies only", "11.3.1", label)
    if hex == here:
        return Refusal(f"{name(depot)} is already in {label}", "11.3.1", label)
    if here not in working or hex not in working:
        end = BOARD.name(RAILROAD[len(working)])
        return Refusal(f"{cannot}: the Axis cuts the railroad in {end}", "11.3.1", end)
    between, taken = sorted([RAILROAD.index(here), RAILROAD.index(hex)]), front(g, AXIS).lone_depots
    for passed in RAILROAD[between[0] : between[1] + 1] if taken else ():
        if passed in taken:
            return Refusal(f"{cannot}: an Axis installation is in {BOARD.name(passed)}", "11.1.6", BOARD.name(passed))
    if not can_take(g, side, hex):
        return why_not_second(g, side, hex)
    lost = stranded_by_depot(g, side, depot, hex, needy)
    if lost:
        return Refusal(f"{cannot}: {name(lost[0])} would lose supply", BOUND_BY[side], name(lost[0]))
    return None


def working_railroad(g: G) -> tuple[int, ...]:
    """Return the part of the railroad east of the easternmost hex in an Axis ZOC or under Axis units (11.3.1)."""
    return uncut_railroad(g, AXIS)


@ZONES.kept
def uncut_railroad(g: G, side: int) -> tuple[int, ...]:
    """Return the part of the railroad east of the easternmost hex in a ZOC of a side or under its units."""
    enemy = front(g, side)
    for count, hex in enumerate(RAILROAD):
        if enemy.zone[hex] or hex in enemy.barred:
            return RAILROAD[:count]
    return RAILROAD


def ship(g: G, side: int, unit: int) -> Procedure:
    """Move a unit by sea (11.2)."""
    cancel = g.rules.button("cancel")
    hexes = dict.fromkeys(harbours(g, side, unit), "by sea")
    click = yield g.ask(
        side, "move.sail", f"Ship {name(unit)}: choose a port", "11.2", locations=hexes, buttons=[cancel], about=[unit],
        why_not=why_not_sailing,
    )  # fmt: skip
    if click != cancel:
        sail(g, side, unit, g.location(click))


def why_not_sailing(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a unit cannot be shipped to a hex (2.1.2, 11.2)."""
    if not g.place0 <= click < g.rules.first_button:
        return None
    return why_not_to_port(g, decision.side, decision.about[0], g.location(click))


def harbours(g: G, side: int, unit: int) -> Iterator[int]:
    """Return the ports a piece can be shipped to now (2.1.2, 11.2)."""
    if g.state.where[unit] in PORTS and why_not_shipped(g, side, unit) is None:
        yield from (port for port in PORTS if why_not_to_port(g, side, unit, port) is None)


def can_sail(g: G, side: int, unit: int) -> bool:
    """Whether there is any port a piece can be shipped to now (11.2)."""
    return next(harbours(g, side, unit), None) is not None


def why_not_by_sea(g: G, side: int, units: Sequence[int]) -> Refusal | None:
    """Return why a stack cannot go by sea (11.2)."""
    unit = units[0]
    if len(units) > 1:
        return Refusal("Units are shipped one at a time; choose one alone", "11.2", name(unit))
    refusal = why_not_shipped(g, side, unit)
    if refusal is not None or can_sail(g, side, unit):
        return refusal
    here = g.state.where[unit]
    return next(filter(None, (why_not_to_port(g, side, unit, port) for port in PORTS if port != here)), None)


def why_not_shipped(g: G, side: int, unit: int) -> Refusal | None:
    """Return why a piece cannot be shipped from its hex: it began the phase in a friendly port, has not moved, and the
    port can still load it; its leaving cuts no unit off from supply (8.4.1, 11.2)."""
    state, who = g.state, name(unit)
    here, cannot = state.where[unit], f"{who} cannot go by sea"
    if LORRY[unit]:
        return Refusal(f"{cannot}: lorries are not shipped", "11.2", who)
    if here not in PORTS:
        return Refusal(f"{cannot}: {BOARD.name(here)} is not a port", "2.1.2", BOARD.name(here))
    if state.flags[unit] & MOVED or state.origin[unit] != here:
        return Refusal(f"{cannot}: it has moved this phase", "11.2", who)
    refusal = why_no_traffic(g, side, unit, here, "out", cannot)
    if refusal is not None:
        return refusal
    lost = stranded_by_leaving(g, side, [unit]) if REGULAR[unit] else []
    if lost:
        return Refusal(f"{cannot}: {name(lost[0])} would lose supply", BOUND_BY[side], name(lost[0]))
    return None


def why_no_traffic(g: G, side: int, unit: int, port: int, way: str, cannot: str) -> Refusal | None:
    """Return why a piece cannot leave or enter a port: it is friendly, its sea is clear, and it can still handle the
    piece (11.2)."""
    label = BOARD.name(port)
    if not controls(g, side, port):
        return Refusal(f"{cannot}: the {SIDES[side]} does not control {label}", "11.2", label)
    if side == AXIS:
        near = ships_kept_out(g, port)
        if near:
            return Refusal(f"{cannot}: {name(near[0])} is too near to {label}", "11.2", name(near[0]))
    if not berth(g, side, unit, port, way):
        return Refusal(f"{cannot}: {label} can handle no more this phase", "11.2", label)
    return None


def why_not_to_port(g: G, side: int, unit: int, port: int) -> Refusal | None:
    """Return why a piece cannot be shipped to a hex: a friendly port without enemies, with room, and in supply; an
    installation does not enter a hex with an enemy one (4, 8.4.1, 8.4.2, 11.1.6, 11.2)."""
    label, who = BOARD.name(port), name(unit)
    cannot = f"{who} cannot go by sea to {label}"
    if port not in PORTS:
        return Refusal(f"{cannot}: it is not a port", "2.1.2", label)
    if port == g.state.where[unit]:
        return Refusal(f"{who} is already in {label}", "11.2", label)
    enemy = front(g, 1 - side)
    if port in enemy.barred or (DEPOT[unit] and port in enemy.lone_depots):
        return Refusal(f"{cannot}: enemy units are there", "11.1.6" if port in enemy.lone_depots else "11.2", label)
    refusal = why_no_traffic(g, side, unit, port, "in", cannot)
    if refusal is not None:
        return refusal
    if REGULAR[unit]:
        if UNITS.is_full(g, side, port, 1, partial(movement.can_leave, g, side)):
            return UNITS.refusal(port, label)
        if BOUND[unit] and not lines(g, side, without=[unit], also_in=port).reach(port):
            return Refusal(f"{cannot}: it would be out of supply there", BOUND_BY[side], label)
        return None
    if not can_take(g, side, port):
        return why_not_second(g, side, port)
    lost = stranded_by_depot(g, side, unit, port, stranded_without(g, side, [unit]))
    if lost:
        return Refusal(f"{cannot}: {name(lost[0])} would lose supply", BOUND_BY[side], name(lost[0]))
    return None


def can_take(g: G, side: int, hex: int) -> bool:
    """Whether an installation may enter a hex: none is there, or it can still be taken away (4)."""
    return not has_depot(g, side, hex) or can_clear(g, side, hex)


def berth(g: G, side: int, unit: int, port: int, way: str) -> bool:
    """Whether a port can still handle a piece: two units and an installation each way, one piece in all at Bardia (11.2)."""
    data = PORTS[port].data
    used = g.state.port
    name = PORTS[port].name
    kind = "installations" if DEPOT[unit] else "units"
    if sum(used.get(f"{name} {k} {w}", 0) for k in ("units", "installations") for w in ("out", "in")) >= data["pieces"]:
        return False
    return bool(used.get(f"{name} {kind} {way}", 0) < data[f"{kind}_{way}"])


def ships_kept_out(g: G, port: int) -> list[int]:
    """Return the supplied Allied units near enough to a port to keep Axis ships out of it (11.2)."""
    far = PORTS[port].data["axis_clear"]
    where = g.state.where
    return [
        u
        for u in REGULARS[ALLIED]
        if 0 <= where[u] < HEXES and supplied(g, u) and BOARD.distance(where[u], port) <= far
    ]


def sail(g: G, side: int, unit: int, port: int) -> None:
    """A piece arrives by sea and does nothing else this phase (11.2)."""
    state = g.state
    here = state.where[unit]
    kind = "installations" if DEPOT[unit] else "units"
    for hex, way in ((here, "out"), (port, "in")):
        key = f"{PORTS[hex].name} {kind} {way}"
        state.port[key] = state.port.get(key, 0) + 1
    g.log("11.2", "{unit} moves by sea from {hex_from} to {hex}", unit=unit, hex_from=here, hex=port)
    state.where[unit] = port
    state.flags[unit] |= MOVED | SHIPPED
    capture(g, side, port)


def capture(g: G, side: int, hex: int) -> None:
    """Roll one die for each enemy installation in a hex that was entered (11.1.6, Table 8)."""
    state = g.state
    if hex not in state.where[DEPOT_SPAN[1 - side]]:
        return
    for depot in DEPOTS[1 - side]:
        if state.where[depot] != hex:
            continue
        table = g.table("capture_turn_1" if side == AXIS and state.turn == 1 else "capture")
        captured = table.roll(g.dice, 0, purpose=f"capture in {BOARD.name(hex)}") == "captured"
        to_pool(g, 1 - side, depot)
        spare = [u for u in DEPOTS[side] if state.where[u] == POOL[side]]
        if captured and spare:
            state.where[spare[0]] = hex
            state.flags[spare[0]] = 0
            g.log("11.1.6", "{side} captures the installation in {hex}", side=side, hex=hex)
        else:
            g.log("11.1.6", "{side} destroys the installation in {hex}", side=side, hex=hex)


def to_pool(g: G, side: int, depot: int) -> None:
    """Return an installation to its order of battle (11.1.6, 12.3)."""
    state = g.state
    state.where[depot] = POOL[side]
    state.flags[depot] = 0
    for lorry in LORRIES[side]:
        if state.load[lorry] == depot + 1:
            state.load[lorry] = 0
