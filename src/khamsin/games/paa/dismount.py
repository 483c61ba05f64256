"""Dismounting (13.6): units give up their trucks for a lorry, and take them back."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable

from khamsin.games.paa.ground import GROUPS, NODE, NODE_HEX, OPEN_SIDES, REGULAR, line_cost
from khamsin.games.paa.setup import DUE, SCHEDULE
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
    G,
    cf,
    on_map,
    supplied,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import NEVER
from khamsin.kernel.rules import Decision, Procedure

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
    """How units lie along roads and tracks: every unbroken row of occupied hexes on one line (13.6)."""
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
    """Which of these units stand on a chain."""
    hexes = {NODE_HEX[node] for node in chain}
    where = g.state.where
    return [unit for unit in units if where[unit] in hexes]


def groups(g: G, side: int) -> list[Chain]:
    """The chains of mounted units strong enough to make a lorry (13.6)."""
    units, where = mounted(g, side), g.state.where
    strength: dict[int, int] = {}
    for unit in units:
        strength[where[unit]] = strength.get(where[unit], 0) + cf(g, unit)
    return [c for c in chains(g, units) if sum(strength[hex] for hex in {NODE_HEX[node] for node in c}) >= NEEDED]


def joining(g: G, units: Iterable[int], chosen: list[int], among: Iterable[Chain]) -> list[int]:
    """Which units can join those chosen: on a chain that holds them all, in their hexes or one step along it (13.6)."""
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
    """The units of a side on the map that have their trucks (13.6)."""
    span = REGULAR_SPAN[side]
    columns = zip(REGULARS[side], g.state.where[span], g.state.flags[span], strict=True)
    return [u for u, hex, marks in columns if 0 <= hex < HEXES and not marks & DISMOUNTED]


def dismounted(g: G, side: int) -> list[int]:
    """The units of a side on the map that have given up their trucks (13.6)."""
    span = REGULAR_SPAN[side]
    columns = zip(REGULARS[side], g.state.where[span], g.state.flags[span], strict=True)
    return [u for u, hex, marks in columns if marks & DISMOUNTED and 0 <= hex < HEXES]


def spare_lorry(g: G, side: int) -> int | None:
    """A lorry in stock, else the one due to arrive last, which then does not come again (13.6)."""
    where, later = g.state.where, DUE[side]
    stock = [lorry for lorry in LORRIES[side] if where[lorry] == POOL[side]]
    waiting = [lorry for lorry in LORRIES[side] if where[lorry] in later]
    return stock[0] if stock else max(waiting, key=lambda lorry: later[where[lorry]], default=None)


def can_dismount(g: G, side: int) -> bool:
    """Whether a lorry is to be had and units enough to make it (13.6)."""
    return spare_lorry(g, side) is not None and bool(groups(g, side))


def dismount(g: G, side: int) -> Procedure:
    """Choose units on one road or track until they make 10 CF, then the hex of their lorry; out of supply or command does
    not matter (13.6)."""
    state, cancel = g.state, g.rules.button("cancel")
    lorry = spare_lorry(g, side)
    assert lorry is not None
    chosen: list[int] = []
    while sum(cf(g, unit) for unit in chosen) < NEEDED:
        able = joining(g, mounted(g, side), chosen, groups(g, side))
        click = yield g.ask(side, "dismount.units", "Which units dismount?", "13.6", units=able, buttons=[cancel])
        if click == cancel:
            return
        chosen.append(click)
    places = lorry_places(g, side, chosen)
    hex = g.location(
        (yield g.ask(side, "dismount.lorry", "Where does their lorry stand?", "13.6", locations=sorted(places)))
    )
    for unit in chosen:
        state.flags[unit] |= DISMOUNTED
        g.log("13.6", "{unit} in {hex} dismounts", unit=unit, hex=state.where[unit])
    state.where[lorry] = hex
    state.via[lorry] = line_of(places[hex])
    state.flags[lorry] = REINFORCED
    g.log("13.6", "{unit} is formed in {hex}", unit=lorry, hex=hex)


def lorry_places(g: G, side: int, units: list[int]) -> dict[int, set[int]]:
    """With the units, or one step along their road or track, free of enemies: the hexes, each with the nodes of that line in it
    (13.6)."""
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
    """By which line a lorry stands in a hex that has these nodes of its line: 0 where all lines join, or where it may be any
    (11.1.3)."""
    (node,) = nodes if len(nodes) == 1 else (NOWHERE,)
    return node - NODE[NODE_HEX[node], 0] + 1 if node >= HEXES else 0


def can_remount(g: G, side: int) -> bool:
    """Whether a supplied lorry stands by dismounted units (13.6)."""
    return bool(mounting_lorries(g, side))


def mounting_lorries(g: G, side: int) -> list[int]:
    """Supplied lorries that were not formed or received this phase, with or next to dismounted units (13.6)."""
    state = g.state
    afoot = {state.where[u] for u in dismounted(g, side)}
    if not afoot:
        return []
    return [
        lorry
        for lorry in LORRIES[side]
        if on_map(g, lorry)
        and supplied(g, lorry)
        and not state.flags[lorry] & REINFORCED
        and (state.where[lorry] in afoot or BESIDE[state.where[lorry]] & afoot)
    ]


def remount(g: G, side: int) -> Procedure:
    """A lorry is handed back and as many units as could have made it are mounted again (13.6)."""
    state = g.state
    lorries = mounting_lorries(g, side)
    lorry = lorries[0]
    if len(lorries) > 1:
        lorry = yield g.ask(side, "remount.lorry", "Which lorry is handed back?", "13.6", units=lorries)
    for unit in (yield from choose_remounting(g, side, state.where[lorry])):
        state.flags[unit] &= ~DISMOUNTED
        g.log("13.6", "{unit} in {hex} remounts", unit=unit, hex=state.where[unit])
    state.where[lorry] = POOL[side]
    state.flags[lorry] = state.load[lorry] = state.via[lorry] = 0
    g.log("13.6", "{unit} is handed back", unit=lorry)


def choose_remounting(g: G, side: int, lorry_hex: int) -> Generator[Decision, int, list[int]]:
    """Dismounted units on one road or track, from the lorry on: all of them, or as its owner chooses if they are too many
    for one lorry (13.6)."""
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
            side, "remount.units", "Which units remount?", "13.6", units=able, buttons=[done] if chosen else []
        )
        if click == done:
            return chosen
        chosen.append(click)


def one_lorry_for(g: G, units: Iterable[int]) -> bool:
    """Whether units are no more than once made a lorry: without the strongest they fall short of 10 CF (13.6)."""
    strengths = [cf(g, unit) for unit in units]
    return sum(strengths) - max(strengths) < NEEDED
