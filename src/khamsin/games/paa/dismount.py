"""Dismounting (13.6): units give up their trucks for a lorry, and get them back."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable

from khamsin.games.paa.ground import GROUPS, NODE, NODE_HEX, OPEN_SIDES, REGULAR, line_cost
from khamsin.games.paa.setup import SCHEDULE, TURN_BOXES
from khamsin.games.paa.units import (
    ALL,
    BOARD,
    DISMOUNTED,
    HEXES,
    LORRIES,
    POOL,
    REGULAR_SPAN,
    REGULARS,
    REINFORCED,
    SIDE,
    G,
    cf,
    name,
    on_map,
    supplied,
)
from khamsin.games.paa.units import REGULAR as IS_REGULAR
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import NEVER
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations, for_units, unless_legal
from khamsin.mechanics.schedule import choose_unit

NEEDED: int = SCHEDULE["dismount"]["cf"]
"""How many CF of units make one lorry."""


def _line_node(hex: int, neighbour: int) -> int:
    if hex not in GROUPS:
        return hex
    return NODE[hex, next(i for i, group in enumerate(GROUPS[hex]) if neighbour in group)]


def _joined() -> dict[int, tuple[int, ...]]:
    """For every node on a road or track, the nodes one step along it."""
    joined: dict[int, list[int]] = {}
    for hex in range(HEXES):
        for direction, there in enumerate(BOARD.neighbours[hex]):
            if there in OPEN_SIDES[hex] and line_cost(hex, direction, REGULAR) != NEVER:
                joined.setdefault(_line_node(hex, there), []).append(_line_node(there, hex))
    return {node: tuple(there) for node, there in joined.items()}


JOINED = _joined()
LINE_NODES = [
    tuple(node for (apart, _), node in NODE.items() if apart == hex and node in JOINED)
    if hex in GROUPS
    else (hex,)
    if hex in JOINED
    else ()
    for hex in range(HEXES)
]
"""The road and track nodes of every hex: more than one where lines do not join."""
BESIDE = [frozenset(NODE_HEX[there] for node in LINE_NODES[hex] for there in JOINED[node]) for hex in range(HEXES)]
"""The hexes one step along a road or track from each hex."""

Chain = frozenset[int]
"""Nodes of one road or track, each a step from another, with units on all of them."""


def chains(g: G, units: Iterable[int]) -> list[Chain]:
    """Return every unbroken row of occupied hexes along one road or track (13.6)."""
    where = g.state.where
    left = {node for unit in units for node in LINE_NODES[where[unit]]}
    found = []
    while left:
        chain = [left.pop()]
        for node in chain:
            near = left.intersection(JOINED[node])
            left -= near
            chain.extend(near)
        found.append(frozenset(chain))
    return found


def in_chain(g: G, units: Iterable[int], chain: Chain) -> list[int]:
    """Return those of these units that are on a chain."""
    hexes = {NODE_HEX[node] for node in chain}
    where = g.state.where
    return [unit for unit in units if where[unit] in hexes]


def groups(g: G, side: int) -> list[Chain]:
    """Return the chains of mounted units with enough CF for a lorry (13.6)."""
    units, where = mounted(g, side), g.state.where
    strength: dict[int, int] = {}
    for unit in units:
        strength[where[unit]] = strength.get(where[unit], 0) + cf(g, unit)
    return [c for c in chains(g, units) if sum(strength[hex] for hex in {NODE_HEX[node] for node in c}) >= NEEDED]


def joining(g: G, units: Iterable[int], chosen: list[int], among: Iterable[Chain]) -> list[int]:
    """Return the units that can join those chosen: on a chain with all of them, in their hexes or one step along it
    (13.6)."""
    where = g.state.where
    taken = {where[unit] for unit in chosen}
    able: set[int] = set()
    for chain in among:
        hexes = {NODE_HEX[node] for node in chain}
        if taken <= hexes:
            ours = [node for node in chain if NODE_HEX[node] in taken]
            near = taken | {NODE_HEX[there] for node in ours for there in JOINED[node] if there in chain}
            able.update(unit for unit in units if where[unit] in (near or hexes))
    return sorted(able.difference(chosen))


def mounted(g: G, side: int) -> list[int]:
    """Return the units of a side on the map that have their trucks (13.6)."""
    span = REGULAR_SPAN[side]
    columns = zip(REGULARS[side], g.state.where[span], g.state.flags[span], strict=True)
    return [u for u, hex, marks in columns if 0 <= hex < HEXES and not marks & DISMOUNTED]


def dismounted(g: G, side: int) -> list[int]:
    """Return the units of a side on the map that have given up their trucks (13.6)."""
    span = REGULAR_SPAN[side]
    columns = zip(REGULARS[side], g.state.where[span], g.state.flags[span], strict=True)
    return [u for u, hex, marks in columns if marks & DISMOUNTED and 0 <= hex < HEXES]


def spare_lorry(g: G, side: int) -> int | None:
    """Return a lorry in stock, else the one due to arrive last, which then does not arrive again (13.6)."""
    where, later = g.state.where, TURN_BOXES[side].turn
    stock = [lorry for lorry in LORRIES[side] if where[lorry] == POOL[side]]
    waiting = [lorry for lorry in LORRIES[side] if where[lorry] in later]
    return stock[0] if stock else max(waiting, key=lambda lorry: later[where[lorry]], default=None)


def why_not_dismount(g: G, side: int) -> Refusal | None:
    """A lorry must be in stock or due later, and enough units together on one road or track (13.6)."""
    if spare_lorry(g, side) is None:
        return Refusal("No units can dismount: no lorry is in stock or due later", "13.6", "dismount")
    if not groups(g, side):
        need = f"no {NEEDED} CF of units are together on one road or track"
        return Refusal(f"No units can dismount: {need}", "13.6", "dismount")
    return None


def dismount(g: G, side: int) -> Procedure:
    """Choose units on one road or track until they have 10 CF, then the hex of their lorry; out of supply or command
    does not matter (13.6)."""
    state, cancel = g.state, g.rules.button("cancel")
    lorry = spare_lorry(g, side)
    assert lorry is not None
    chosen: list[int] = []
    while sum(cf(g, unit) for unit in chosen) < NEEDED:
        able = joining(g, mounted(g, side), chosen, groups(g, side))
        left = NEEDED - sum(cf(g, unit) for unit in chosen)
        click = yield g.ask(
            side, "dismount.units", f"Choose units to dismount: {left} CF still needed", "13.6", units=able,
            buttons=[cancel], about=chosen, why_not=for_units(why_not_dismounting, side, chosen),
        )  # fmt: skip
        if click == cancel:
            return
        chosen.append(click)
    places = lorry_places(g, side, chosen)
    click = yield g.ask(
        side, "dismount.lorry", "Choose the hex of their lorry", "13.6", locations=sorted(places), about=chosen,
        why_not=for_locations(why_not_lorry_in, side, chosen),
    )  # fmt: skip
    hex = g.location(click)
    for unit in chosen:
        state.flags[unit] |= DISMOUNTED
        g.log("13.6", "{unit} in {hex} dismounts", unit=unit, hex=state.where[unit])
    state.where[lorry] = hex
    state.via[lorry] = line_of(places[hex])
    state.flags[lorry] = REINFORCED
    g.log("13.6", "{unit} is formed in {hex}", unit=lorry, hex=hex)


def why_not_dismounting(g: G, side: int, chosen: Collection[int], unit: int) -> Refusal | None:
    """A mounted unit dismounts on the road or track of those chosen, among units of 10 CF or more (13.6)."""
    who = name(unit)
    if unit in chosen:
        return Refusal(f"{who} is already chosen", "13.6", who)
    if SIDE[unit] != side or not IS_REGULAR[unit] or not on_map(g, unit):
        return Refusal(f"{who} cannot dismount: not one of your regular units on the map", "13.6", who)
    if g.state.flags[unit] & DISMOUNTED:
        return Refusal(f"{who} is already dismounted", "13.6", who)
    if unit not in joining(g, [unit], [], groups(g, side)):
        return Refusal(f"{who} cannot dismount: not among {NEEDED} CF of units on one road or track", "13.6", who)
    if unit not in joining(g, [unit], list(chosen), groups(g, side)):
        return Refusal(f"{who} cannot dismount: not next to the chosen units on their road or track", "13.6", who)
    return None


def why_not_lorry_in(g: G, side: int, units: list[int], hex: int) -> Refusal | None:
    """The lorry is formed with the units or one step along their road or track, free of enemies (13.6)."""
    label = BOARD.name(hex)
    if hex in lorry_places(g, side, units):
        return None
    enemies = g.state.where.stacks(1 - side).get(hex)
    if enemies:
        return Refusal(f"The lorry cannot be formed in {label}: {name(enemies[0])} is there", "13.6", name(enemies[0]))
    return Refusal(
        f"The lorry cannot be formed in {label}: not next to the units on their road or track", "13.6", label
    )


def lorry_places(g: G, side: int, units: list[int]) -> dict[int, set[int]]:
    """Return the hexes for the lorry, with the units or one step along their road or track and free of enemies, each
    with the nodes of that line in it (13.6)."""
    where = g.state.where
    hexes = {where[unit] for unit in units}
    enemies = {where[piece] for piece in ALL[1 - side]}
    theirs = {node for chain in chains(g, units) if hexes <= {NODE_HEX[node] for node in chain} for node in chain}
    places: dict[int, set[int]] = {}
    for node in theirs.union(*(JOINED[node] for node in theirs)):
        if NODE_HEX[node] not in enemies:
            places.setdefault(NODE_HEX[node], set()).add(node)
    return places


def line_of(nodes: Collection[int]) -> int:
    """Return the line by which a lorry is in a hex with these nodes of its line: 0 if all lines join, or if it may be
    any (11.1.3)."""
    (node,) = nodes if len(nodes) == 1 else (NOWHERE,)
    return node - NODE[NODE_HEX[node], 0] + 1 if node >= HEXES else 0


def why_not_remount(g: G, side: int) -> Refusal | None:
    """A supplied lorry must be with or next to dismounted units (13.6)."""
    if not dismounted(g, side):
        return Refusal("No units can remount: none is dismounted", "13.6", "remount")
    if mounting_lorries(g, side):
        return None
    reasons = [why_not_mounting(g, side, lorry) for lorry in LORRIES[side] if on_map(g, lorry)]
    return next(filter(None, reasons), None) or Refusal(
        "No units can remount: no lorry is on the map", "13.6", "remount"
    )


def mounting_lorries(g: G, side: int) -> list[int]:
    """Return the lorries from which dismounted units can remount (13.6)."""
    return [lorry for lorry in LORRIES[side] if why_not_mounting(g, side, lorry) is None] if dismounted(g, side) else []


def why_not_mounting(g: G, side: int, lorry: int) -> Refusal | None:
    """A lorry handed back must be supplied, not formed or received this phase, and with or next to dismounted units
    (13.6)."""
    state, who = g.state, name(lorry)
    if lorry not in LORRIES[side] or not on_map(g, lorry):
        return Refusal(f"{who} is not one of your lorries on the map", "13.6", who)
    if not supplied(g, lorry):
        return Refusal(f"{who} cannot be handed back: out of supply", "13.6", who)
    if state.flags[lorry] & REINFORCED:
        return Refusal(f"{who} cannot be handed back: formed or received in this phase", "13.6", who)
    here, afoot = state.where[lorry], {state.where[u] for u in dismounted(g, side)}
    if here not in afoot and not BESIDE[here] & afoot:
        return Refusal(f"{who} cannot be handed back: not next to dismounted units on a road or track", "13.6", who)
    return None


def remount(g: G, side: int) -> Procedure:
    """Hand a lorry back; as many units as could have formed it remount (13.6)."""
    state = g.state
    lorry = yield from choose_unit(
        g, side, "remount.lorry", "Choose the lorry to hand back", "13.6", mounting_lorries(g, side),
        why_not=for_units(why_not_mounting, side),
    )  # fmt: skip
    for unit in (yield from choose_remounting(g, side, state.where[lorry])):
        state.flags[unit] &= ~DISMOUNTED
        g.log("13.6", "{unit} in {hex} remounts", unit=unit, hex=state.where[unit])
    state.where[lorry] = POOL[side]
    state.flags[lorry] = state.load[lorry] = state.via[lorry] = 0
    g.log("13.6", "{unit} is handed back", unit=lorry)


def choose_remounting(g: G, side: int, lorry_hex: int) -> Generator[Decision, int, list[int]]:
    """Choose dismounted units on one road or track, from the lorry on: all of them, or as the owner chooses if they are
    too many for one lorry (13.6)."""
    near = BESIDE[lorry_hex] | {lorry_hex}
    afoot = dismounted(g, side)
    among = [chain for chain in chains(g, afoot) if any(NODE_HEX[node] in near for node in chain)]
    everyone = in_chain(g, afoot, among[0])
    if len(among) == 1 and one_lorry_for(g, everyone):
        return everyone
    done = g.rules.button("done")
    chosen: list[int] = []
    while True:
        able = [u for u in joining(g, afoot, chosen, among) if one_lorry_for(g, [*chosen, u])]
        if not chosen:
            able = [u for u in able if g.state.where[u] in near]
        if not able:
            return chosen
        click = yield g.ask(
            side, "remount.units", "Choose units to remount", "13.6", units=able, buttons=[done] if chosen else [],
            blocked=[] if chosen else [done], about=chosen,
            why_not=unless_legal(lambda g, decision, click: why_not_remounting(g, side, click, chosen, lorry_hex)),
        )  # fmt: skip
        if click == done:
            return chosen
        chosen.append(click)


def why_not_remounting(g: G, side: int, click: int, chosen: list[int], lorry_hex: int) -> Refusal | None:
    """Dismounted units remount next to the lorry and along its road or track, as many as form one lorry (13.6)."""
    if not g.is_unit(click):
        return Refusal("Choose a unit to remount first", "13.6", "done") if click == g.rules.button("done") else None
    who, afoot = name(click), dismounted(g, side)
    if click in chosen:
        return Refusal(f"{who} is already chosen", "13.6", who)
    if click not in afoot:
        return Refusal(f"{who} cannot remount: not one of your dismounted units", "13.6", who)
    if not one_lorry_for(g, [*chosen, click]):
        return Refusal(f"{who} cannot remount: one lorry takes no more than {NEEDED} CF", "13.6", who)
    return Refusal(f"{who} cannot remount: not next to the lorry in {BOARD.name(lorry_hex)} on its line", "13.6", who)


def one_lorry_for(g: G, units: Iterable[int]) -> bool:
    """Whether one lorry is enough for units: without the strongest they have less than 10 CF (13.6)."""
    strengths = [cf(g, unit) for unit in units]
    return sum(strengths) - max(strengths) < NEEDED
