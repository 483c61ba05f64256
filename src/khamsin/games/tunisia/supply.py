"""On-map supply (OCS 11.1): units that can draw tokens or have them thrown, sources, and payment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from khamsin.games.tunisia import cooperation
from khamsin.games.tunisia.ground import bridged, bridges
from khamsin.games.tunisia.units import (
    BOARD,
    DIVISION,
    HEADQUARTERS_OF,
    HEXES,
    ORGANIC,
    RESERVE,
    SCALE,
    STRAT,
    SUPPLY,
    THROW,
    TRANSPORT,
    TRUCK,
    G,
    face,
    name,
    stock,
    tell,
    tokens,
)
from khamsin.games.tunisia.zones import Front, front
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.cache import cached
from khamsin.kernel.flood import OPEN
from khamsin.kernel.rules import Refusal

DRAW: int = SUPPLY["draw"]["mp"] * SCALE
_NEAR = np.where(BOARD.adjacency == NOWHERE, HEXES, BOARD.adjacency)
"""The adjacent hexes of every hex; HEXES for none."""


def widened(reached: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return hexes and those adjacent to them, because adjacent is close enough (OCS 11.1(1))."""
    found = np.zeros(HEXES + 1, dtype=np.bool_)
    found[_NEAR[reached.nonzero()[0]].ravel()] = True
    return np.asarray(found[:HEXES] | reached)


def flooded(g: G, side: int, hex: int, limit: int) -> NDArray[np.bool_]:
    """Return the hexes that a supply path of a side reaches from a hex in truck MPs, and those adjacent; bridges help
    it (OCS 10(2), OCS 11.1(3))."""
    return np.frombuffer(_field(front(g, 1 - side), hex, limit, bridges(g, side)), dtype=np.bool_)


@cached(lambda enemy, hex, limit, at: (enemy, hex, limit, at), size=1024)
def _field(enemy: Front, hex: int, limit: int, at: frozenset[int]) -> bytes:
    mask = enemy.paths
    if mask[hex] != OPEN:
        mask = mask.copy()
        mask[hex] = OPEN
    return bridged(TRUCK, at).near(hex, limit, BOARD.adjacency, mask).tobytes()


def drawn(g: G, side: int, hex: int) -> bytes:
    """Return one byte per hex: 1 where a unit of a side in a hex draws from (OCS 11.1(1))."""
    return _field(front(g, 1 - side), hex, DRAW, bridges(g, side))


def throw_range(g: G, unit: int) -> int:
    """Return the throw range of a headquarters, in twelfths of truck MPs (OCS 11.1(2))."""
    return THROW[unit][face(g, unit)] * SCALE


def thrown(g: G, unit: int, side: int) -> bytes:
    """Return one byte per hex: 1 where a headquarters throws to (OCS 11.1(2))."""
    return _field(front(g, 1 - side), g.state.where[unit], throw_range(g, unit), bridges(g, side))


def throwing(g: G, side: int, users: Sequence[int] = ()) -> list[int]:
    """Return the headquarters of a side that can throw to some units: on the map, not in Strat or Reserve Mode, and of
    a nation that supplies them (1.9, 4.0b, OCS 11.1(2))."""
    where, flags = g.state.where, g.state.flags
    found = [hq for hq in HEADQUARTERS_OF[side] if 0 <= where[hq] < HEXES and not flags[hq] & (STRAT | RESERVE)]
    return [hq for hq in found if cooperation.serves(g, hq, users)] if users and cooperation.is_played(g) else found


class Source(NamedTuple):
    """Tokens that a user can have: on the ground of a hex, or on a truck there; and the headquarters that throws them,
    or NOWHERE."""

    hex: int
    truck: int
    tokens: int
    via: int

    @property
    def place(self) -> tuple[int, int]:
        """The location of the tokens."""
        return self.hex, self.truck

    @property
    def is_organic(self) -> bool:
        """Whether they are on an organic truck."""
        return self.truck != NOWHERE and bool(ORGANIC[self.truck])


class Dump(NamedTuple):
    """The tokens of a side in a hex, each with its truck or NOWHERE: those that all its units may use, on the ground first and
    then on trucks, and those on organic trucks (OCS 11.6)."""

    free: list[tuple[int, int]]
    organic: list[tuple[int, int]]

    def usable(self, division: str) -> list[tuple[int, int]]:
        """Return the tokens that a unit of a division may use, the organic trucks of its division last."""
        if not self.organic:
            return self.free
        return [*self.free, *[(truck, amount) for truck, amount in self.organic if ORGANIC[truck] == division]]


@cached(lambda g, side: (side, stock(g, side).version, g.state.where.versions[TRANSPORT + side], g.state.load.version))
def dumps(g: G, side: int) -> dict[int, Dump]:
    """Return the tokens of a side, on the ground or on trucks, by hex."""
    load = g.state.load
    found = {hex: Dump([(NOWHERE, amount)], []) for hex, amount in stock(g, side).items() if amount}
    for hex, stack in g.state.where.stacks(TRANSPORT + side).items():
        if hex < HEXES:
            for truck in stack:
                if load[truck]:
                    dump = found.setdefault(hex, Dump([], []))
                    (dump.organic if ORGANIC[truck] else dump.free).append((truck, load[truck]))
    return dict(sorted(found.items()))


def sources(g: G, side: int, hex: int, division: str = "", users: Sequence[int] = ()) -> list[Source]:
    """Return the tokens that units in a hex can have, in the order in which they are spent: on the ground before
    trucks, organic trucks last, near before far, drawn before thrown (OCS 11.1, OCS 11.6)."""
    return sorted(within_reach(g, side, hex, division, users), key=lambda one: _order(one, hex))


def within_reach(g: G, side: int, hex: int, division: str, users: Sequence[int]) -> list[Source]:
    """Return the same in any order."""
    there = usable(g, side, division) if 0 <= hex < HEXES else {}
    if not there:
        return []
    found: dict[tuple[int, int], Source] = {}
    for via, reached in [(NOWHERE, drawn(g, side, hex)), *throwers(g, side, hex, users)]:
        for at, amounts in there.items():
            if reached[at]:
                for truck, amount in amounts:
                    if (at, truck) not in found:
                        found[at, truck] = Source(at, truck, amount, via)
    return list(found.values())


def usable(g: G, side: int, division: str) -> dict[int, list[tuple[int, int]]]:
    """Return the tokens that a unit of a division may use, by hex, each with its truck or NOWHERE (OCS 11.6)."""
    return {at: amounts for at, dump in dumps(g, side).items() if (amounts := dump.usable(division))}


def throwers(g: G, side: int, hex: int, users: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """Yield the headquarters that throw to units in a hex, each with the hexes from which it draws (OCS 11.1(2))."""
    enemy, at, where = front(g, 1 - side), bridges(g, side), g.state.where
    for hq in throwing(g, side, users):
        if _field(enemy, where[hq], throw_range(g, hq), at)[hex]:
            yield hq, _field(enemy, where[hq], DRAW, at)


def has_token(g: G, side: int, unit: int) -> bool:
    """Whether a unit can have a token from any source (OCS 11.1)."""
    hex = g.state.where[unit]
    there = usable(g, side, DIVISION[unit]) if 0 <= hex < HEXES else {}
    if not there:
        return False
    for _, reached in throwers(g, side, hex, (unit,)):
        if [at for at in there if reached[at]]:
            return True
    reached = drawn(g, side, hex)
    return bool([at for at in there if reached[at]])


def for_all(g: G, side: int, hex: int, units: Sequence[int]) -> list[Source]:
    """Return the tokens that units of a hex can have together, with the loads of the organic trucks of all their
    divisions (OCS 11.6)."""
    divisions = dict.fromkeys([DIVISION[unit] for unit in units])
    found = {one.place: one for division in divisions for one in sources(g, side, hex, division, units)}
    return sorted(found.values(), key=lambda one: _order(one, hex))


def _order(one: Source, hex: int) -> tuple[bool, bool, int, int]:
    return (
        one.is_organic,
        one.truck != NOWHERE,
        BOARD.distance(hex, one.hex),
        one.hex,
    )


def available(g: G, side: int, hex: int, division: str = "", users: Sequence[int] = ()) -> int:
    """Return the tokens that units in a hex can have."""
    return sum([one.tokens for one in within_reach(g, side, hex, division, users)])


def take(g: G, side: int, source: Source, amount: int) -> None:
    """Remove tokens from their location."""
    if source.truck != NOWHERE:
        g.state.load[source.truck] -= amount
        return
    dumps = stock(g, side)
    left = dumps[source.hex] - amount
    if left:
        dumps[source.hex] = left
    else:
        del dumps[source.hex]


def use(g: G, side: int, source: Source, amount: int) -> None:
    """Spend tokens; of those on the ground the ones that arrived in this phase are spent first, so that trucks may load
    the others (OCS 11.1(4); series 12.2b)."""
    take(g, side, source, amount)
    if source.truck == NOWHERE and source.hex in g.state.fresh:
        g.state.fresh[source.hex] = max(0, g.state.fresh[source.hex] - amount)


def pay(
    g: G, side: int, hex: int, amount: int, why: str, rule: str, division: str = "", users: Sequence[int] = ()
) -> None:
    """Spend tokens for something in a hex, from the sources in their order (OCS 11.1)."""
    left = amount
    for source in sources(g, side, hex, division, users):
        part = min(left, source.tokens)
        use(g, side, source, part)
        tell(g, side, rule, "{tokens} for {why}, from {hex}", tokens=tokens(part), why=why, hex=source.hex)
        left -= part
        if not left:
            return
    raise ValueError(f"{tokens(left)} short for {why}")


Places = dict[tuple[int, int], int]
"""What sources have left, by their location."""


def allot(g: G, side: int, units: Sequence[int], left: Places | None = None) -> dict[int, Source]:
    """Return a token for each unit from a source that it can use; if tokens are few, units with another source leave
    them to those without. Units without a token are left out. `left` is updated (OCS 11.1, OCS 11.6)."""
    choices: dict[int, list[Source]] = {}
    alike: dict[tuple[int, str, int], list[Source]] = {}
    for unit in units:
        key = g.state.where[unit], DIVISION[unit], unit if cooperation.is_played(g) else NOWHERE
        if key not in alike:
            alike[key] = sources(g, side, g.state.where[unit], DIVISION[unit], (unit,))
        choices[unit] = alike[key]
    rest: Places = {} if left is None else left
    given: dict[int, Source] = {}
    for unit in units:
        _find_token(unit, choices, rest, given, set())
    return given


def _find_token(
    unit: int,
    choices: Mapping[int, Sequence[Source]],
    rest: Places,
    given: dict[int, Source],
    tried: set[tuple[int, int]],
) -> bool:
    """Give a unit an unused token, or that of a unit that finds another."""
    for source in choices[unit]:
        if rest.setdefault(source.place, source.tokens) > 0:
            rest[source.place] -= 1
            given[unit] = source
            return True
    for source in [one for one in choices[unit] if one.place not in tried]:
        tried.add(source.place)
        for other in [one for one, taken in given.items() if taken.place == source.place]:
            if _find_token(other, choices, rest, given, tried):
                given[unit] = source
                return True
    return False


def pay_each(g: G, side: int, given: Mapping[int, Source], why: str, rule: str) -> None:
    """Spend the token that each unit is allotted (OCS 11.1)."""
    for source in dict.fromkeys([one._replace(via=NOWHERE) for one in given.values()]):
        part = len([one for one in given.values() if one.place == source.place])
        use(g, side, source, part)
        tell(g, side, rule, "{tokens} for {why}, from {hex}", tokens=tokens(part), why=why, hex=source.hex)


def why_not_paid(
    g: G,
    side: int,
    hex: int,
    amount: int,
    who: str,
    what: str,
    rule: str,
    division: str = "",
    users: Sequence[int] = (),
) -> Refusal | None:
    """Return why tokens for something in a hex cannot be spent: too few within draw or throw (OCS 11.1)."""
    there = available(g, side, hex, division, users)
    if there >= amount:
        return None
    return Refusal(f"{who} cannot {what}: costs {tokens(amount)}, {tokens(there)} within reach", rule, BOARD.name(hex))


def add(g: G, side: int, hex: int, amount: int) -> None:
    """Put tokens on the ground."""
    if amount:
        dumps = stock(g, side)
        dumps[hex] = dumps.get(hex, 0) + amount


# From one source alone (OCS 8(5), OCS 11.4)


class Payer(NamedTuple):
    """A payer for users in several hexes at once: a headquarters, or NOWHERE for one dump, and the dumps it draws from."""

    via: int
    dumps: list[tuple[int, Dump]]


def payers(g: G, side: int, hexes: Sequence[int], users: Sequence[int]) -> Iterator[Payer]:
    """Yield the headquarters that throw to all these hexes, and the dumps from which all of them draw (OCS 8(5))."""
    there = dumps(g, side)
    for hq in throwing(g, side, users):
        field = thrown(g, hq, side)
        if 0 not in [field[hex] for hex in hexes]:
            reached = drawn(g, side, g.state.where[hq])
            yield Payer(hq, [(at, dump) for at, dump in there.items() if reached[at]])
    fields = [drawn(g, side, hex) for hex in hexes]
    for at, dump in there.items():
        if 0 not in [field[at] for field in fields]:
            yield Payer(NOWHERE, [(at, dump)])


def common_division(users: Sequence[int]) -> str:
    """Return the division of users of one division, which also have the loads of its organic trucks (OCS 11.6)."""
    divisions = {DIVISION[unit] for unit in users}
    return divisions.pop() if len(divisions) == 1 else ""


def common(g: G, side: int, hexes: Sequence[int], users: Sequence[int] = ()) -> list[list[Source]]:
    """Return the ways to pay for users in several hexes at once: each by one headquarters, or from one dump (OCS 8(5),
    OCS 11.6)."""
    division = common_division(users)
    found: list[list[Source]] = []
    for via, there in payers(g, side, hexes, users):
        way = [Source(at, truck, amount, via) for at, dump in there for truck, amount in dump.usable(division)]
        if via != NOWHERE:
            base = g.state.where[via]
            way = sorted(way, key=partial(_order, hex=base))
        found.append(way)
    return [one for one in found if one]


def content(way: Sequence[Source]) -> int:
    """Return the tokens of a way to pay."""
    return sum([one.tokens for one in way])


def most_common(g: G, side: int, hexes: Sequence[int], users: Sequence[int] = ()) -> int:
    """Return the most tokens that one headquarters or dump can give users in these hexes."""
    division = common_division(users)
    ways = [there for _, there in payers(g, side, hexes, users)]
    return max([sum([n for _, dump in there for _, n in dump.usable(division)]) for there in ways], default=0)


def pay_common(
    g: G, side: int, hexes: Sequence[int], amount: int, why: str, rule: str, users: Sequence[int] = ()
) -> None:
    """Spend tokens for users in several hexes from one headquarters or dump: the one with the most (OCS 8(5))."""
    pay_by(g, side, max(common(g, side, hexes, users), key=content), amount, why, rule)


def pay_by(g: G, side: int, way: Sequence[Source], amount: int, why: str, rule: str) -> None:
    """Spend tokens of one headquarters or dump, in their order (OCS 11.1)."""
    left = amount
    for source in way:
        part = min(left, source.tokens)
        use(g, side, source, part)
        by = f" by {name(source.via)}" if source.via != NOWHERE else ""
        tell(g, side, rule, "{tokens} for {why}, from {hex}{by}", tokens=tokens(part), why=why, hex=source.hex, by=by)
        left -= part
        if not left:
            return
    raise ValueError(f"{tokens(left)} short for {why}")
