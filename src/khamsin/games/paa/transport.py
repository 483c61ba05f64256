"""Supplies on the move: lorries and their loads (11.3), the Egyptian railroad (11.3.1), sea transport (11.2), and enemy
installations captured (11.1.6)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from khamsin.games.paa import movement
from khamsin.games.paa.control import controls
from khamsin.games.paa.ground import NODE_HEX
from khamsin.games.paa.stacking import has_depot, watch
from khamsin.games.paa.supply import BOUND, lines, stranded_without, would_lose_supply
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
    STOPPED,
    G,
    supplied,
)  # fmt: skip
from khamsin.games.paa.zones import Front, front
from khamsin.kernel.rules import Decision, Hint, Procedure

RAILROAD = BOARD.areas["Egyptian railroad"].hexes
"""From east to west."""
PORTS = {area.hexes[0]: area for area in BOARD.areas.values() if area.kind == "port"}
"""The three ports, linked each with each (2.1.2)."""
STATIONS = frozenset(RAILROAD) | PORTS.keys()
"""Where an installation can be sent from without a lorry."""


def drive(g: G, side: int, lorry: int) -> Procedure:
    """A lorry drives, loads an installation in its hex or sets one down (11.1.3, 11.3)."""
    cancel, unload = g.rules.button("cancel"), g.rules.button("unload")
    state = g.state
    here = state.where[lorry]
    reach = movement.reachable(g, side, [lorry])
    if state.load[lorry]:
        shut = shut_to_load(g, side, state.load[lorry] - 1, reach)
        if shut:
            reach = movement.reachable(g, side, [lorry], shut)
    open_ = movement.destinations(g, side, [lorry], reach)
    if state.load[lorry]:
        open_.shut(full(g, side, lorry, reach))
        open_.more[unload] = None
    else:
        open_.more.update(dict.fromkeys(loads(g, side, here)))
    open_.more[cancel] = None
    click = yield Decision(side, "move.drive", "Drive where? Or load or unload", "11.3", open_, about=(lorry,))
    if click == unload:
        g.log("11.3", "{unit} sets down {unit_load} in {hex}", unit=lorry, unit_load=state.load[lorry] - 1, hex=here)
        state.load[lorry] = 0
    elif g.is_unit(click):
        state.load[lorry] = click + 1
        g.log("11.3", "{unit} loads {unit_load} in {hex}", unit=lorry, unit_load=click, hex=here)
    elif click != cancel:
        movement.walk(g, side, [lorry], reach, g.location(click))


def loads(g: G, side: int, hex: int) -> list[int]:
    """The installations in a hex that a lorry may take up: in command, not shipped, not on another lorry (10.3, 11.3)."""
    state = g.state
    carried = {state.load[u] - 1 for u in LORRIES[side] if state.load[u]}
    return [
        u for u in DEPOTS[side] if state.where[u] == hex and u not in carried and not state.flags[u] & (OOC | SHIPPED)
    ]


def shut_to_load(g: G, side: int, depot: int, reach: movement.Reach) -> list[int]:
    """Hexes that an installation may not even pass: a unit that must stay in supply would lose it (8.4.1, 11.1.1)."""
    needy = dependants(g, side, depot)
    if not needy:
        return []
    hexes = {NODE_HEX[node] for node in reach.order.tolist()} - {g.state.where[depot]}
    return [hex for hex in hexes if strands(g, side, depot, hex, needy)]


def full(g: G, side: int, lorry: int, reach: movement.Reach) -> list[int]:
    """Hexes with an installation that could not be taken away again once a loaded lorry has stopped there (4)."""
    state = g.state
    left = MF[lorry] - state.spent[lorry]
    others = {state.where[u] for u in DEPOTS[side] if u != state.load[lorry] - 1 and 0 <= state.where[u] < HEXES}
    return [hex for hex in others if left - reach.cost(hex) < 1 and not can_clear(g, side, hex)]


def can_clear(g: G, side: int, hex: int) -> bool:
    """Whether an installation in a hex could probably still be taken away: by a lorry there with MF left, or by rail (4)."""
    if not takeable(g, side, hex):
        return False
    trains = working_railroad(g) if side == ALLIED else ()
    return bool(idle_lorries(g, side, hex)) or (hex in trains and any(not has_depot(g, side, h) for h in trains))


def can_be_cleared(g: G, side: int, hex: int) -> bool:
    """Whether there is a click that takes an installation out of a hex (4, 11.3)."""
    for depot in takeable(g, side, hex):
        carried = any(g.state.load[lorry] == depot + 1 for lorry in LORRIES[side])
        if not carried and destinations_by_rail_or_sea(g, side, depot):
            return True
    return any(
        could_drive_off(g, side, lorry, depot)
        for lorry in idle_lorries(g, side, hex)
        for depot in takeable(g, side, hex)
        if g.state.load[lorry] in (0, depot + 1)
    )


def takeable(g: G, side: int, hex: int) -> list[int]:
    """The installations in a hex that may be moved at all (10.3, 11.2)."""
    state = g.state
    return [u for u in DEPOTS[side] if state.where[u] == hex and not state.flags[u] & (OOC | SHIPPED)]


def idle_lorries(g: G, side: int, hex: int) -> list[int]:
    """The lorries in a hex that can still drive (11.3)."""
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
    reach = movement.reachable(g, side, [lorry])
    shut = shut_to_load(g, side, depot, reach)
    reach = movement.reachable(g, side, [lorry], shut) if shut else reach
    open_ = movement.destinations(g, side, [lorry], reach)
    open_.shut(full(g, side, lorry, reach))
    state.load[lorry] = before
    return len(open_) > 0


def dependants(g: G, side: int, depot: int) -> list[int]:
    """Bound units that would lose supply without an installation (8.4.1, 8.4.2)."""
    return stranded_without(g, side, [depot])


def strands(g: G, side: int, depot: int, hex: int, units: list[int]) -> list[int]:
    """Which of these units would lose supply with an installation in another hex."""
    if not units:
        return []
    where = g.state.where
    rest = lines(g, side, without=[depot])
    if rest.depots == rest.situation.depots:  # no other installation hangs on this one
        return [u for u in units if not rest.supplied[where[u]] and not rest.feeding(where[u])[hex]]
    now = lines(g, side)
    with where.supposing({depot: hex}):
        then = lines(g, side)
    return would_lose_supply(g, side, units, now, then)


def can_send(g: G, side: int, depot: int) -> bool:
    """Whether an installation can go by rail or by sea (11.2, 11.3.1)."""
    hex = g.state.where[depot]
    if hex not in STATIONS or depot + 1 in g.state.load[LORRY_SPAN[side]]:
        return False
    return (side == ALLIED and hex in working_railroad(g)) or can_sail(g, side, depot)


def send(g: G, side: int, depot: int) -> Procedure:
    """An installation goes by rail, or by sea (11.2, 11.3.1)."""
    cancel = g.rules.button("cancel")
    state = g.state
    ways = destinations_by_rail_or_sea(g, side, depot)
    by_rail = "by rail" in ways.values()
    open_: dict[int, Hint] = {g.place0 + hex: way for hex, way in ways.items()}
    open_[cancel] = None
    click = yield Decision(
        side, "move.send", "Send the installation where?", "11.3.1" if by_rail else "11.2", open_, about=(depot,)
    )
    if click == cancel:
        return
    hex = g.location(click)
    if open_[click] == "by rail":
        g.log(
            "11.3.1", "{unit} goes by rail from {hex_from} to {hex}", unit=depot, hex_from=state.where[depot], hex=hex
        )
        state.where[depot] = hex
        state.flags[depot] |= MOVED
        watch(g, side, hex)
    else:
        sail(g, side, depot, hex)


def destinations_by_rail_or_sea(g: G, side: int, depot: int) -> dict[int, str]:
    """Where an installation can be sent without a lorry (11.2, 11.3.1)."""
    here = g.state.where[depot]
    ways: dict[int, str] = {}
    if side == ALLIED and here in working_railroad(g):
        needy = dependants(g, side, depot)
        for hex in working_railroad(g):
            if hex != here and can_take(g, side, hex) and not strands(g, side, depot, hex, needy):
                ways[hex] = "by rail"
    for hex in harbours(g, side, depot):
        ways.setdefault(hex, "by sea")
    return ways


def working_railroad(g: G) -> tuple[int, ...]:
    """The part of the railroad east of the easternmost hex in an Axis zone or under Axis units (11.3.1)."""
    return _working(front(g, AXIS))


@lru_cache(maxsize=64)
def _working(axis: Front) -> tuple[int, ...]:
    for count, hex in enumerate(RAILROAD):
        if axis.zone[hex] or hex in axis.barred:
            return RAILROAD[:count]
    return RAILROAD


def ship(g: G, side: int, unit: int) -> Procedure:
    """A unit goes by sea (11.2)."""
    cancel = g.rules.button("cancel")
    hexes = dict.fromkeys(harbours(g, side, unit), "by sea")
    click = yield g.ask(side, "move.sail", "To which port?", "11.2", locations=hexes, buttons=[cancel], about=[unit])
    if click != cancel:
        sail(g, side, unit, g.location(click))


def harbours(g: G, side: int, unit: int) -> Iterator[int]:
    """The ports a piece can be shipped to now (2.1.2, 11.2)."""
    state = g.state
    here = state.where[unit]
    if LORRY[unit] or here not in PORTS or state.flags[unit] & MOVED or state.origin[unit] != here:
        return
    if not controls(g, side, here) or not berth(g, side, unit, here, "out"):
        return
    if side == AXIS and not sea_is_clear(g, here):
        return
    if REGULAR[unit] and movement.leaving_strands(g, side, [unit]):
        return
    barred = front(g, 1 - side).barred
    for port in PORTS:
        if (
            port != here
            and controls(g, side, port)
            and port not in barred
            and not (side == AXIS and not sea_is_clear(g, port))
            and berth(g, side, unit, port, "in")
            and (not movement.is_full(g, side, port, 1) if REGULAR[unit] else can_take(g, side, port))
            and not (REGULAR[unit] and BOUND[unit] and not lines(g, side, without=[unit], also_in=port).reach(port))
            and not (DEPOT[unit] and strands(g, side, unit, port, dependants(g, side, unit)))
        ):
            yield port


def can_sail(g: G, side: int, unit: int) -> bool:
    """Whether there is any port a piece can be shipped to now (11.2)."""
    return g.state.where[unit] in PORTS and next(harbours(g, side, unit), None) is not None


def can_take(g: G, side: int, hex: int) -> bool:
    """Whether an installation may come to a hex: none is there, or it can still be taken away (4)."""
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


def sea_is_clear(g: G, port: int) -> bool:
    """Whether no supplied Allied unit is near enough to a port to keep Axis ships out of it (11.2)."""
    far = PORTS[port].data["axis_clear"]
    where = g.state.where
    return not any(
        0 <= where[u] < HEXES and supplied(g, u) and BOARD.distance(where[u], port) <= far for u in REGULARS[ALLIED]
    )


def sail(g: G, side: int, unit: int, port: int) -> None:
    """A piece arrives by sea and does no more this phase (11.2)."""
    state = g.state
    here = state.where[unit]
    kind = "installations" if DEPOT[unit] else "units"
    for hex, way in ((here, "out"), (port, "in")):
        key = f"{PORTS[hex].name} {kind} {way}"
        state.port[key] = state.port.get(key, 0) + 1
    g.log("11.2", "{unit} goes by sea from {hex_from} to {hex}", unit=unit, hex_from=here, hex=port)
    state.where[unit] = port
    state.flags[unit] |= MOVED | SHIPPED
    capture(g, side, port)
    watch(g, side, port)


def capture(g: G, side: int, hex: int) -> None:
    """Enemy installations in a hex that was entered: one die each (11.1.6, Table 8)."""
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
    """An installation goes back to its order of battle (11.1.6, 12.3)."""
    state = g.state
    state.where[depot] = POOL[side]
    state.flags[depot] = 0
    for lorry in LORRIES[side]:
        if state.load[lorry] == depot + 1:
            state.load[lorry] = 0
