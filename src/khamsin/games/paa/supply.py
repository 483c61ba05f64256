"""Supply (8): lines of at most 20 MF from unit to installation, from installation to installation, at last to a terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache, cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from khamsin.games.paa.control import HELD
from khamsin.games.paa.ground import ATTACK_SUPPLY, GROUPS, NODE_HEX, NODES, SUPPLY, SUPPLY_NET, UNIT_NET
from khamsin.games.paa.units import (
    ALL,
    ALLIED,
    AXIS,
    BARDIA,
    BASE,
    BOARD,
    CENTRE,
    DEPOT,
    DEPOT_SPAN,
    DEPOTS,
    DISMOUNTED,
    HEXES,
    ITALIAN,
    LORRY_SPAN,
    MOVED,
    OOS,
    REGULAR,
    REGULAR_SPAN,
    REGULARS,
    SIDE,
    SPAN,
    TOBRUK,
    G,
    name,
)  # fmt: skip
from khamsin.games.paa.zones import Front, front, zones_shaken
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import CLOSED, FAR, OPEN
from khamsin.kernel.pieces import Memo
from khamsin.kernel.rules import Refusal

SECOND_NODES = np.array(NODE_HEX[HEXES:])
"""The hexes of the nodes beyond the first of each."""

WITHIN = np.array(SUPPLY, dtype=np.int16)
"""How long a segment of a line may be, for comparing it with a whole array (8.2)."""


class Situation:
    """All that supply lines of a side depend on: installations, terminals, hexes that count as installations, the enemy, and
    the hexes of his zones that a friendly unit opens."""

    def __init__(
        self,
        depots: frozenset[int],
        terminals: frozenset[int],
        standing: frozenset[int],
        enemy: Front,
        opened: frozenset[int],
    ) -> None:
        self.depots, self.terminals, self.standing, self.enemy = depots, terminals, standing, enemy
        self.always = standing & terminals
        """The terminals that feed units without an installation (8.3.2)."""
        self._marks = enemy.line_marks
        if opened:
            self._marks = bytearray(self._marks)
            for hex in opened:
                for node in NODES[hex]:
                    self._marks[node] = OPEN
        self.mask = np.frombuffer(self._marks, dtype=np.uint8)
        """What bars a line: enemies, and their zones where no friendly unit stands (8.2)."""

    def usable(self, hex: int) -> bool:
        """Whether a line from elsewhere may end in a hex (8.2)."""
        return self._marks[hex] == OPEN

    def ends(self, hexes: Iterable[int]) -> list[int]:
        """The nodes of those of these hexes in which a line from elsewhere may end (8.2)."""
        marks = self._marks
        return [node for hex in hexes if marks[hex] == OPEN for node in NODES[hex]]


class Lines:
    """The supply lines of a side: from which hexes an installation that leads back to a terminal can be reached."""

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.depots, self._field = _trace(situation)
        """The installations with a valid line to a terminal (8.2)."""
        supplied = bytearray((self._field <= WITHIN).tobytes())
        for hex in self.depots | situation.standing:
            supplied[hex] = True
        self.supplied = bytes(supplied)
        """One byte a hex: 1 where a unit is in supply (8.2)."""
        self._feeding: dict[int, bytes] = {}

    def reach(self, hex: int) -> bool:
        """Whether a unit in this hex is in supply (8.2)."""
        return self.supplied[hex] == 1

    def feeding(self, hex: int) -> bytes:
        """One byte a hex: 1 where another installation would feed a unit in this one (8.2)."""
        if hex not in self._feeding:
            from_here = UNIT_NET.spread(UNIT_NET.alone(hex), SUPPLY, self.situation.mask)[0] <= SUPPLY
            for apart in GROUPS:
                from_here[apart] = from_here[list(NODES[apart])].any()
            from_here &= (self.dead | self.situation.mask) == OPEN
            from_here[hex] = self.dead[hex] == OPEN
            self._feeding[hex] = from_here.tobytes()
        return self._feeding[hex]

    @cached_property
    def closed(self) -> NDArray[np.uint8]:
        """A mask of nodes that closes every hex in which a unit would be out of supply (11.1.1)."""
        return _shut_unless(np.frombuffer(self.supplied, dtype=np.uint8))

    @cached_property
    def dead(self) -> NDArray[np.uint8]:
        """A mask of nodes that closes every hex in which another installation would have no line to a terminal (8.2)."""
        situation = self.situation
        joined = _flood(situation.terminals | self.depots, situation) <= SUPPLY
        joined[list(situation.terminals | self.depots)] = True
        return _shut_unless(joined.view(np.uint8))

    @cached_property
    def distance(self) -> list[int]:
        """The MF from each hex to the nearest installation (8.1)."""
        return self._field.tolist()  # type: ignore[no-any-return]


def _shut_unless(good: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A mask of nodes that closes the hexes that are not marked with 1."""
    mask = (1 - good) * np.uint8(CLOSED)
    return np.concatenate([mask, mask[SECOND_NODES]])


def _trace(situation: Situation) -> tuple[frozenset[int], NDArray[np.int16]]:
    """The installations that a chain of segments joins to a terminal, and the MF from every hex to the nearest place that
    feeds a unit (8.2)."""
    here = situation.depots & situation.terminals
    away = sorted(situation.depots - here)
    feeds = situation.always | here
    joined, field = SUPPLY_NET.relay(
        situation.ends(situation.terminals),
        situation.ends(feeds),
        [NODES[hex] for hex in away],
        [situation.usable(hex) for hex in away],
        SUPPLY,
        situation.mask,
    )
    return here | {away[i] for i in joined}, field[:HEXES]


def _flood(hexes: Iterable[int], situation: Situation, limit: int = SUPPLY) -> NDArray[np.int16]:
    """The MF from every hex to the nearest of these, as a unit would move (8.1)."""
    starts = situation.ends(hexes)
    if not starts:
        return np.full(HEXES, FAR, dtype=np.int16)
    return SUPPLY_NET.spread(np.array(starts, dtype=np.uint16), limit, situation.mask)[0][:HEXES]


def lines(g: G, side: int, without: Collection[int] = (), also_in: int = NOWHERE) -> Lines:
    """The supply lines of a side as things stand (8.2), or as they would stand with some of its pieces away and a unit in
    another hex. Most moves change nothing that lines depend on, so nearly every answer comes from the last ones."""
    where, control = g.state.where, g.state.control.get
    own, enemy = where.versions[side], where.versions[1 - side]
    rest = (enemy, zones_shaken(g), *map(control, HELD), also_in, *without)
    known = _LINES.get((own, *rest))
    if known is None:
        unit, left, before = where.last[side]
        against = front(g, 1 - side)
        if not DEPOT[unit] and _of_no_account(against, left, where[unit]):
            known = _LINES.get((before, *rest))
        _LINES.keep((own, *rest), known := known or _lines_now(g, side, against, without, also_in))
    return known


def _of_no_account(enemy: Front, *hexes: int) -> bool:
    """Whether lines are the same whoever stands in these hexes: in no enemy zone, and not in Bardia (8.2, 8.3.2)."""
    return BARDIA not in hexes and enemy.zoned.isdisjoint(hexes)


_LINES: Memo[Lines] = Memo()


def _lines_now(g: G, side: int, against: Front, without: Collection[int], also_in: int) -> Lines:
    """The lines, found by what they depend on."""
    where = g.state.where
    own, depots = where[REGULAR_SPAN[side]], where[DEPOT_SPAN[side]]
    if without:
        own = [where[u] for u in REGULARS[side] if u not in without]
        depots = [where[u] for u in DEPOTS[side] if u not in without]
    if also_in != NOWHERE:
        own.append(also_in)
    owners = tuple(map(g.state.control.get, HELD))
    in_bardia = side == ALLIED and (BARDIA in own or BARDIA in where[LORRY_SPAN[side]])
    return _lines_of(side, tuple(depots), owners, in_bardia, against, against.zoned.intersection(own))


@lru_cache(maxsize=256)
def _lines_of(
    side: int,
    depots: tuple[int, ...],
    owners: tuple[int | None, ...],
    in_bardia: bool,
    enemy: Front,
    opened: frozenset[int],
) -> Lines:
    """The lines of a side by its installations, who owns the places that matter, and the enemy zones its units open (8.2)."""
    held = tuple([owner == side for owner in owners])
    laid = frozenset(hex for hex in depots if 0 <= hex < HEXES)
    return Lines(Situation(laid, _terminals(side, held), _standing(side, held, in_bardia), enemy, opened))


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


def judge(g: G, side: int) -> None:
    """Mark every unit of a side that has no supply line, and free those that have one (8.4)."""
    now, state, span = lines(g, side), g.state, SPAN[side]
    for unit, hex, marks in zip(ALL[side], state.where[span], state.flags[span], strict=True):
        if DEPOT[unit]:
            state.flags[unit] = marks & ~OOS
        elif 0 <= hex < HEXES and now.supplied[hex] == bool(marks & OOS):
            refresh(g, unit, now)


def refresh(g: G, unit: int, now: Lines) -> None:
    """Judge one unit (8.4, 12.4.1)."""
    state = g.state
    good = now.reach(state.where[unit])
    if good == bool(state.flags[unit] & OOS):
        state.flags[unit] ^= OOS
        text = "{unit} in {hex} is back in supply" if good else "{unit} in {hex} is out of supply"
        g.log("8.4", text, unit=unit, hex=state.where[unit])


def attack_supply(g: G, side: int, depots: Iterable[int] | None = None) -> Sequence[int]:
    """The MF from each hex to the nearest installation that can feed an attack: connected, and not moved this turn; FAR
    beyond 8 (8.5, 12.3). With `depots` (unit numbers), only those."""
    now = lines(g, side)
    where, flags = g.state.where, g.state.flags
    chosen = DEPOTS[side] if depots is None else depots
    laid = {where[u] for u in chosen if where[u] in now.depots and not flags[u] & MOVED}
    hexes = laid | now.situation.standing if depots is None else laid
    held = hexes.intersection(where[REGULAR_SPAN[side]])
    fed = hexes if BARDIA in laid else hexes - {BARDIA}
    return _attack_supply(now.situation, frozenset(fed), frozenset(held))


@lru_cache(maxsize=64)
def _attack_supply(situation: Situation, hexes: frozenset[int], held: frozenset[int]) -> Sequence[int]:
    """The distances from these hexes, none for units in those that are held."""
    distance = _flood(hexes, situation, ATTACK_SUPPLY)
    for hex in held:
        distance[hex] = 0
    return memoryview(distance)  # type: ignore[arg-type]


def would_lose_supply(g: G, side: int, units: Iterable[int], now: Lines, then: Lines) -> list[int]:
    """Which of these units are in supply as things stand and would not be as they would stand; those that are marked out of it,
    or dismounted, have none to lose (8.4, 8.4.1, 8.4.2, 13.6)."""
    where, flags = g.state.where, g.state.flags
    before, after = now.supplied, then.supplied
    if before == after:
        return []
    lost = [u for u in units if 0 <= where[u] < HEXES and before[where[u]] and not after[where[u]]]
    return [u for u in lost if not flags[u] & (OOS | DISMOUNTED)]


BOUND = [(SIDE[u] == ALLIED and not DEPOT[u]) or (ITALIAN[u] and REGULAR[u]) for u in range(len(SIDE))]
"""Units that may never go out of supply of their side's own will: Allied units and lorries, Italian units (8.4.1-2)."""


def stranded(g: G, side: int, now: Lines, then: Lines, apart_from: Iterable[int] = ()) -> list[int]:
    """Which bound units of a side would lose supply if things stood as `then` instead of `now` (8.4.1, 8.4.2)."""
    if now.supplied == then.supplied:
        return []
    away = set(apart_from)
    return would_lose_supply(g, side, [u for u in ALL[side] if BOUND[u] and u not in away], now, then)


def fed_in(side: int, now: Lines, hex: int) -> bool:
    """Whether a regular unit that enters a hex is in supply there: Tobruk feeds the Allies once they are in it (5, 8.3.2)."""
    return now.reach(hex) or (side == ALLIED and hex == TOBRUK)


def why_not_supplied(g: G, side: int, unit: int, hex: int) -> Refusal | None:
    """A unit that goes to a hex may leave no bound unit out of supply, itself included (8.4.1, 8.4.2)."""
    then = lines(g, side, without=(unit,), also_in=hex)
    lost = unit if BOUND[unit] and not fed_in(side, then, hex) else None
    if lost is None:
        lost = next(iter(stranded(g, side, lines(g, side), then, (unit,))), None)
    if lost is None:
        return None
    rule = "8.4.1" if side == ALLIED else "8.4.2"
    who = "it" if lost == unit else name(lost)
    return Refusal(f"{name(unit)} cannot go to {BOARD.name(hex)}: {who} would be out of supply", rule, name(lost))


def stranded_without(g: G, side: int, depots: Iterable[int]) -> list[int]:
    """Which bound units of a side would lose supply without some installations (8.4.1, 8.4.2)."""
    now, where = lines(g, side), g.state.where
    missed = [depot for depot in depots if where[depot] in now.depots and where[depot] not in now.situation.always]
    return stranded(g, side, now, lines(g, side, without=missed)) if missed else []
