"""Supply (8): lines of at most 20 MF from unit to installation, from installation to installation, at last to a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from khamsin.games.paa.control import HELD
from khamsin.games.paa.ground import ATTACK_SUPPLY, NODE_HEX, NODES, SUPPLY, SUPPLY_NET, node_mask
from khamsin.games.paa.units import (
    ALL,
    ALLIED,
    AXIS,
    BARDIA,
    BASE,
    CENTRE,
    DEPOT,
    DEPOTS,
    DISMOUNTED,
    GENERAL,
    HEXES,
    ITALIAN,
    LORRIES,
    MOVED,
    OOS,
    REGULAR,
    REGULAR_SPAN,
    REGULARS,
    SIDE,
    TOBRUK,
    G,
    on_map,
)  # fmt: skip
from khamsin.games.paa.zones import zone_of, zones_shaken
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import CLOSED, FAR, STOP

MOBILE = tuple((*REGULARS[side], *LORRIES[side]) for side in (AXIS, ALLIED))
"""The units of each side that open an enemy zone to its own lines and bar those of the other (8.2)."""
MOBILE_SPAN = tuple((REGULAR_SPAN[side], slice(LORRIES[side][0], LORRIES[side][-1] + 1)) for side in (AXIS, ALLIED))


class Situation(NamedTuple):
    """All that supply lines of a side depend on: installations, terminals, hexes that count as installations, hexes barred
    by enemies, enemy zones no friendly unit stands in."""

    depots: frozenset[int]
    terminals: frozenset[int]
    standing: frozenset[int]
    barred: frozenset[int]
    zoned: bytes


class Lines:
    """The supply lines of a side: how far each hex is from an installation that leads back to a terminal."""

    __slots__ = ("closed", "depots", "distance", "situation", "sources")

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.depots = _connected(situation)
        """The installations with a valid line to a terminal (8.2)."""
        self.sources = frozenset(h for h in self.depots | situation.standing if not situation.zoned[h])
        """Hexes to which a unit elsewhere can trace."""
        self.distance: list[int] = _distance(situation, self.sources, SUPPLY)
        dry = np.array(self.distance) > SUPPLY
        dry[list(self.depots | situation.standing)] = False
        self.closed = np.concatenate([dry, dry[NODE_HEX[HEXES:]]]).astype(np.uint8) * CLOSED
        """A mask of nodes that closes every hex in which a unit would be out of supply (11.1.1)."""

    def reach(self, hex: int) -> bool:
        """Whether a unit in this hex is in supply (8.2)."""
        return self.distance[hex] <= SUPPLY or hex in self.depots or hex in self.situation.standing


def lines(g: G, side: int, without: Iterable[int] = (), also_in: int = NOWHERE) -> Lines:
    """The supply lines of a side as things stand (8.2), or as they would stand with some of its pieces away and a unit in
    another hex."""
    state = g.state
    control = state.control
    held = tuple([control.get(hex) == side for hex in HELD])
    return _lines_of(side, tuple(state.where), held, zones_shaken(g), frozenset(without), also_in)


@lru_cache(maxsize=1024)
def _lines_of(
    side: int, where: tuple[int, ...], held: tuple[bool, ...], shaken: bool, away: frozenset[int], also_in: int
) -> Lines:
    """How things stand for a side's supply, from where every piece is and which of the four hexes the side controls."""
    own = (
        {where[u] for u in MOBILE[side] if u not in away}
        if away
        else {*where[MOBILE_SPAN[side][0]], *where[MOBILE_SPAN[side][1]]}
    )
    own.add(also_in)
    depots = frozenset([where[u] for u in DEPOTS[side] if u not in away and 0 <= where[u] < HEXES])
    zoned = zone_of(1 - side, where[REGULAR_SPAN[1 - side]], shaken)
    negated = [hex for hex in own if 0 <= hex < HEXES and zoned[hex]]
    if negated:
        open_zone = bytearray(zoned)
        for hex in negated:
            open_zone[hex] = 0
        zoned = bytes(open_zone)
    enemy = MOBILE_SPAN[1 - side]
    barred = _barred(where[enemy[0]] + where[enemy[1]])
    return _lines(Situation(depots, _terminals(side, held), _standing(side, held, BARDIA in own), barred, zoned))


@lru_cache(maxsize=1024)
def _barred(places: tuple[int, ...]) -> frozenset[int]:
    return frozenset(hex for hex in places if 0 <= hex < HEXES)


@lru_cache(maxsize=2048)
def _lines(situation: Situation) -> Lines:
    return Lines(situation)


@cache
def _terminals(side: int, held: tuple[bool, ...]) -> frozenset[int]:
    """Where lines may end: the own base while its centre is held, Tobruk, the other base when taken (8.3.1, 8.3.2)."""
    agheila, tobruk, _, alexandria = held
    ends: set[int] = {TOBRUK} if tobruk else set()
    if agheila:
        ends.update(BASE[AXIS])
    if alexandria:
        ends.update(BASE[ALLIED] if side == ALLIED else (CENTRE[ALLIED],))
    return frozenset(ends)


@cache
def _standing(side: int, held: tuple[bool, ...], in_bardia: bool) -> frozenset[int]:
    """What counts as an installation without being one: for the Allies their base, Tobruk, and Bardia for those in it
    (8.3.2)."""
    if side == AXIS:
        return frozenset()
    _, tobruk, _, alexandria = held
    hexes = {TOBRUK} if tobruk else set()
    if alexandria:
        hexes.update(BASE[ALLIED])
    if in_bardia:
        hexes.add(BARDIA)
    return frozenset(hexes)


def _connected(situation: Situation) -> frozenset[int]:
    """The installations that a chain of segments joins to a terminal (8.2)."""
    ends = {h for h in situation.terminals if not situation.zoned[h] and h not in situation.barred}
    found = {h for h in situation.depots if h in ends or h in situation.terminals}
    sources = ends | {h for h in found if not situation.zoned[h]}
    while True:
        distance = _distance(situation, frozenset(sources), SUPPLY)
        new = {h for h in situation.depots if h not in found and distance[h] <= SUPPLY}
        if not new:
            return frozenset(found)
        found |= new
        sources |= {h for h in new if not situation.zoned[h]}


@lru_cache(maxsize=2048)
def _distance(situation: Situation, sources: frozenset[int], limit: int) -> list[int]:
    """The MF from each hex to the nearest of these (8.1); Bardia serves only those in it (8.3.2)."""
    starts = [node for hex in sources if hex != BARDIA or hex in situation.depots for node in NODES[hex]]
    if not starts:
        return [FAR] * HEXES
    mask = bytearray(situation.zoned)
    for hex in situation.barred:
        mask[hex] = CLOSED
    reached, _, _ = SUPPLY_NET.spread(np.array(starts, dtype=np.uint16), limit, node_mask(mask))
    return reached[:HEXES].tolist()  # type: ignore[no-any-return]


assert STOP == 1, "a zone that no friendly unit stands in is traced out of, not through"


def judge(g: G, side: int) -> None:
    """Mark every unit of a side that has no supply line, and free those that have one (8.4)."""
    now = lines(g, side)
    state = g.state
    for unit in ALL[side]:
        if DEPOT[unit] or not on_map(g, unit):
            continue
        refresh(g, unit, now)
    for unit in DEPOTS[side]:
        state.flags[unit] &= ~OOS


def refresh(g: G, unit: int, now: Lines) -> None:
    """Judge one unit (8.4, 12.4.1)."""
    state = g.state
    good = now.reach(state.where[unit])
    if good == bool(state.flags[unit] & OOS):
        state.flags[unit] ^= OOS
        text = "{unit} in {hex} is back in supply" if good else "{unit} in {hex} is out of supply"
        g.log("8.4", text, unit=unit, hex=state.where[unit])


def start_of_turn(g: G, side: int) -> None:
    """The supply phase: judge the phasing side, and remember who had general supply (8, 12.3)."""
    judge(g, side)
    flags = g.state.flags
    for unit in ALL[side]:
        flags[unit] &= ~GENERAL
        if REGULAR[unit] and not flags[unit] & (OOS | DISMOUNTED):
            flags[unit] |= GENERAL


def attack_supply(g: G, side: int, depots: Iterable[int] | None = None) -> list[int]:
    """The MF from each hex to the nearest installation that can feed an attack: connected, and not moved this turn; FAR
    beyond 8 (8.5, 12.3). With `depots` (unit numbers), only those."""
    now = lines(g, side)
    state = g.state
    chosen = DEPOTS[side] if depots is None else tuple(depots)
    hexes = {state.where[u] for u in chosen if state.where[u] in now.depots and not state.flags[u] & MOVED}
    sources = {h for h in hexes if not now.situation.zoned[h]}
    if depots is None:
        sources |= {h for h in now.situation.standing if not now.situation.zoned[h]}
    distance = _distance(now.situation, frozenset(sources), ATTACK_SUPPLY)
    if depots is None:
        hexes |= now.situation.standing
    held = [hex for hex in hexes.intersection(state.where[REGULAR_SPAN[side]]) if distance[hex]]
    if held:
        distance = distance[:]
        for hex in held:
            distance[hex] = 0
    return distance


def would_lose_supply(g: G, side: int, units: Iterable[int], now: Lines, then: Lines) -> list[int]:
    """Which of these units are in supply as things stand and would not be as they would stand (8.4.1, 8.4.2)."""
    where = g.state.where
    return [u for u in units if on_map(g, u) and now.reach(where[u]) and not then.reach(where[u])]


BOUND = [(SIDE[u] == ALLIED and not DEPOT[u]) or (ITALIAN[u] and REGULAR[u]) for u in range(len(SIDE))]
"""Units that may never go out of supply of their side's own will: Allied units and lorries, Italian units (8.4.1-2)."""


def stranded(g: G, side: int, now: Lines, then: Lines, apart_from: Iterable[int] = ()) -> list[int]:
    """Which bound units of a side would lose supply if things stood as `then` instead of `now` (8.4.1, 8.4.2)."""
    if now is then:
        return []
    return would_lose_supply(g, side, (u for u in ALL[side] if BOUND[u] and u not in set(apart_from)), now, then)
