"""Use of supply (1.6, 1.6c): in its Supply Phase a side supplies its units from dumps in range; the others are out of
supply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import islice

from khamsin.games.afrika import dumps, rommel, supply
from khamsin.games.afrika.allowance import shown
from khamsin.games.afrika.ground import MECHANISED, NETS
from khamsin.games.afrika.units import (
    AXIS,
    BOARD,
    BOXES,
    COUNTS,
    FORCES,
    HALVES,
    HEXES,
    LRDG,
    SIDE,
    SUPPLY,
    UNFED,
    G,
    name,
    stock,
)
from khamsin.games.afrika.zones import traced
from khamsin.kernel.cache import cached
from khamsin.kernel.rules import Choices, Decision, Hint, Procedure, Refusal
from khamsin.mechanics.showing import counted

DIVISION: int = SUPPLY["cost"]["division"]
GROUP: int = SUPPLY["cost"]["group"]
PER_GROUP = GROUP // DIVISION
"""The most Italian divisions in a group that costs one SP."""


def cost(counts: Iterable[int]) -> int:
    """Return the SPs that units cost from one dump, grouped as cheaply as possible: a group counts 14 at most for one
    SP, and an Italian division of 3 is not split (1.6c).

    >>> cost([1] * 13), cost([1] * 28), cost([1] * 4), cost([]), cost([3] * 5)
    (1, 2, 1, 0, 2)
    """
    listed = list(counts)
    divisions = listed.count(DIVISION)
    return max(-(-divisions // PER_GROUP), -(-sum(listed) // GROUP))


def supply_range(g: G, side: int) -> int:
    """Return the range of a dump in halves of a MP: 5 MPs for the Axis up to turn 6, else 10 (1.6c)."""
    turn = max(g.state.turn, g.state.first)
    short = side == AXIS and turn <= SUPPLY["range"]["short_until"]
    return int(SUPPLY["range"]["short" if short else "long"]) * HALVES


@cached(lambda g, side, location: (side, location, supply_range(g, side), *g.state.where.versions))
def reached(g: G, side: int, location: int) -> frozenset[int]:
    """Return the locations that a dump supplies: hexes within its range, at mech costs, not through enemy units or ZOCs
    that no friendly unit cancels; of an off-map box the box itself (1.6c, 1.13, SCS 5.7, SCS 11.6)."""
    if location >= HEXES:
        return frozenset({location})
    return frozenset(NETS[MECHANISED].flood([location], limit=supply_range(g, side), mask=traced(g, side)))


def mouths(g: G, side: int) -> list[int]:
    """Return the units of a side that need supply: on the map or in an off-map box, and not the LRDG (1.6c, 3.4)."""
    where = g.state.where
    return [u for u in FORCES[side] if COUNTS[u] and (0 <= where[u] < HEXES or where[u] in BOXES)]


Plan = dict[int, list[int]]
"""The dump of each unit."""


def sources(g: G, side: int) -> dict[int, list[int]]:
    """Return for each unit to be supplied the open dumps that reach it; for one that its owner has assigned to a dump,
    that dump alone."""
    reach = {dump: reached(g, side, dump) for dump in sorted(stock(g, side)) if dump not in g.state.closed}
    state, found = g.state, {}
    for unit in mouths(g, side):
        if not state.flags[unit] & UNFED:
            chosen = [state.source[unit] - 1] if state.source[unit] else reach
            found[unit] = [dump for dump in chosen if dump in reach and state.where[unit] in reach[dump]]
    return found


def plan(g: G, side: int) -> Plan:
    """Return the cheapest way to supply as many units as the dumps can pay for. A unit draws from one dump (1.6c,
    SCS 11.1)."""
    reach = sources(g, side)
    return saved(stock(g, side), reach, first_plan(stock(g, side), reach))


def first_plan(points: Mapping[int, int], reach: Mapping[int, Sequence[int]]) -> Plan:
    """Supply units that few dumps reach first, each from the dump where it costs least, and of these from the one with
    most SPs left. If no dump has room, a unit that can draw from another one makes room."""
    found: Plan = {}
    for unit in sorted(reach, key=lambda unit: (len(reach[unit]), -COUNTS[unit], unit)):
        prices = [
            (extra, now - points[dump], dump)
            for dump in reach[unit]
            for extra, now in [price_with(found.get(dump, ()), unit)]
            if now <= points[dump]
        ]
        dump = min(prices)[2] if prices else make_room(points, reach, found, unit)
        if dump is not None:
            found.setdefault(dump, []).append(unit)
    return found


def price_with(units: Iterable[int], unit: int) -> tuple[int, int]:
    """Return the cost of one more unit for a dump, and the cost of all of them then."""
    before = [COUNTS[other] for other in units]
    now = cost([*before, COUNTS[unit]])
    return now - cost(before), now


def make_room(points: Mapping[int, int], reach: Mapping[int, Sequence[int]], found: Plan, unit: int) -> int | None:
    """Move a unit of a full dump to another dump that can pay for it, so that there is room for a unit. Return the
    dump."""
    for dump in reach[unit]:
        for other in found.get(dump, ()):
            rest = [COUNTS[each] for each in found[dump] if each != other]
            if cost([*rest, COUNTS[unit]]) > points[dump]:
                continue
            for second in reach[other]:
                if second != dump and price_with(found.get(second, ()), other)[1] <= points[second]:
                    found[dump].remove(other)
                    found.setdefault(second, []).append(other)
                    return dump
    return None


def saved(points: Mapping[int, int], reach: Mapping[int, Sequence[int]], found: Plan) -> Plan:
    """Return the cheapest plan for the units of another; dumps that share no unit are treated separately (1.6c)."""
    best: Plan = {}
    for dumps_near, units in groups({unit: reach[unit] for fed in found.values() for unit in fed}):
        part = {dump: found[dump] for dump in dumps_near if found.get(dump)}
        best |= cheapest(points, {unit: reach[unit] for unit in units}, part)
    return best


def groups(units: Mapping[int, Sequence[int]]) -> list[tuple[set[int], list[int]]]:
    """Return the dumps connected by units that can draw from several, with their units.

    >>> groups({1: [7], 2: [8, 9], 3: [9]})
    [({7}, [1]), ({8, 9}, [3, 2])]
    """
    found: list[tuple[set[int], list[int]]] = []
    for unit, dumps_near in units.items():
        joined = [group for group in found if not group[0].isdisjoint(dumps_near)]
        found = [group for group in found if group not in joined]
        others = [other for group in joined for other in group[1]]
        found.append(({*dumps_near}.union(*(group[0] for group in joined)), [unit, *others]))
    return found


def cheapest(points: Mapping[int, int], reach: Mapping[int, Sequence[int]], part: Plan) -> Plan:
    """Return the first plan that costs less than another, from the least possible cost upwards; the other plan if there
    is none."""
    dumps_near = sorted({dump for near in reach.values() for dump in near})
    counts = {dump: [COUNTS[unit] for unit, near in reach.items() if dump in near] for dump in dumps_near}
    most = [min(points[dump], cost(counts[dump])) for dump in dumps_near]
    least = needs(reach)
    for number in range(cost([COUNTS[unit] for unit in reach]), total(part)):
        for divided in islice(allocations(most, number), MOST_TRIES):
            shares = dict(zip(dumps_near, divided, strict=True))
            if all(sum([shares[dump] for dump in some]) >= needed for some, needed in least.items()):
                filled = filled_with(reach, shares)
                if filled is not None:
                    return filled
    return part


def needs(reach: Mapping[int, Sequence[int]]) -> dict[tuple[int, ...], int]:
    """Return what dumps must spend together at least, for units that no other dump reaches.

    >>> needs({}), [*needs({0: [7], 1: [7, 8]})]
    ({}, [(7,), (7, 8)])
    """
    return {
        some: cost([COUNTS[unit] for unit, near in reach.items() if {*near} <= {*some}])
        for some in dict.fromkeys([tuple(near) for near in reach.values()])
    }


MOST_TRIES = 1000
"""How many ways to divide a number of SPs among dumps are tried."""


def allocations(most: Sequence[int], number: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to divide a number of SPs among dumps with a limit for each.

    >>> list(allocations([2, 1], 2))
    [(2, 0), (1, 1)]
    """
    if not most:
        yield from [()] if not number else []
        return
    for share in range(min(most[0], number), -1, -1):
        for rest in allocations(most[1:], number - share):
            yield (share, *rest)


def filled_with(reach: Mapping[int, Sequence[int]], shares: Mapping[int, int]) -> Plan | None:
    """Return the dump of each unit if each dump spends a number of SPs; None if they do not suffice."""
    filled: Plan = {dump: [] for dump in shares}
    for unit in sorted(reach, key=lambda unit: (-COUNTS[unit], len(reach[unit]), unit)):
        if not seated(reach, filled, shares, unit, set()):
            return None
    return {dump: units for dump, units in filled.items() if units}


def seated(
    reach: Mapping[int, Sequence[int]], filled: Plan, shares: Mapping[int, int], unit: int, tried: set[int]
) -> bool:
    """Whether a unit finds room in a dump, perhaps after another has moved to a further one; if so it draws there."""
    for dump in reach[unit]:
        if dump in tried:
            continue
        if cost([COUNTS[each] for each in (*filled[dump], unit)]) <= shares[dump]:
            filled[dump].append(unit)
            return True
        tried.add(dump)
        for other in [each for each in filled[dump] if COUNTS[each] >= COUNTS[unit]]:
            filled[dump].remove(other)
            paid = cost([COUNTS[each] for each in (*filled[dump], unit)]) <= shares[dump]
            if paid and seated(reach, filled, shares, other, tried):
                filled[dump].append(unit)
                return True
            filled[dump].append(other)
    return False


def total(chosen: Mapping[int, Sequence[int]]) -> int:
    """Return the SPs that a plan costs."""
    return sum([cost([COUNTS[unit] for unit in units]) for units in chosen.values()])


def feed(g: G, side: int) -> Procedure:
    """The owner accepts the plan of the program, or first chooses units to leave without supply and dumps for others
    (1.6c)."""
    done = g.rules.button("done")
    while stock(g, side):
        click = yield ask_feed(g, side, done)
        if click == done:
            break
        if g.is_unit(click):
            g.state.flags[click] ^= UNFED
        else:
            yield from use_dump(g, side, g.location(click))
    pay(g, side, plan(g, side))
    g.clear_flags(FORCES[side], UNFED)
    for unit in FORCES[side]:
        g.state.source[unit] = 0
    g.state.closed.clear()
    yield from rommel.displace(g)


def ask_feed(g: G, side: int, done: int) -> Decision:
    """Ask for the decision; its plan is made when it is read (1.6c)."""

    @cache
    def chosen() -> Plan:
        return plan(g, side)

    def drawn() -> dict[int, int]:
        return {unit: dump for dump, units in chosen().items() for unit in units}

    def prompt() -> str:
        fed = len(drawn())
        without = len(mouths(g, side)) - fed
        return f"Supply {counted(fed, 'unit')} for {counted(total(chosen()), 'SP')}, {without} without supply"

    def hint(click: int) -> Hint:
        if g.is_unit(click):
            return f"from {BOARD.name(drawn()[click])}" if click in drawn() else "no supply"
        dump = g.location(click)
        return {"SPs": stock(g, side)[dump], "spends": cost([COUNTS[unit] for unit in chosen().get(dump, ())])}

    clicks = [*mouths(g, side), *[g.place0 + dump for dump in stock(g, side)]]
    return Decision(
        side, "supply.feed", prompt, "1.6c", Choices({done: None}, clicks, lambda click: True, hint), top=True,
        about=lambda: tuple(drawn()), why_not=why_not_feed,
    )  # fmt: skip


def use_dump(g: G, side: int, dump: int) -> Procedure:
    """The owner assigns units to a dump, or releases them, closes the dump for this phase, or expends SPs of it without
    effect, so that the enemy does not capture them (1.6c)."""
    done, close, spend = (g.rules.button(word) for word in ("done", "close", "spend"))
    while dump in stock(g, side):
        near = reached(g, side, dump)
        users = {
            unit: "draws from this dump" if g.state.source[unit] == dump + 1 else None
            for unit in mouths(g, side)
            if g.state.where[unit] in near
        }
        state = "closed" if dump in g.state.closed else counted(stock(g, side)[dump], "SP")
        click = yield g.ask(
            side, "supply.dump", f"Dump in {BOARD.name(dump)}, {state}: choose units that draw from it", "1.6c", units=users,
            buttons=[done, close, spend], about=[unit for unit, hint in users.items() if hint],
            why_not=partial(why_not_drawing, dump=dump),
        )  # fmt: skip
        if click == done:
            return
        if click == spend:
            g.log("1.6c", "{side} expends an SP in {hex}", side=side, hex=dump)
            dumps.remove(g, side, dump, 1)
        elif click == close:
            if g.state.closed.pop(dump, None) is None:
                g.state.closed[dump] = 1
        else:
            g.state.source[click] = 0 if g.state.source[click] == dump + 1 else dump + 1


def why_not_drawing(g: G, decision: Decision, click: int, dump: int) -> Refusal | None:
    """Return why a unit cannot draw from a dump: it needs no supply, is beyond its range or cut off from it, or one of
    them is in an off-map box (1.6c, 1.13)."""
    if not g.is_unit(click):
        return None
    if click not in mouths(g, decision.side):
        return why_not_feed(g, decision, click)
    label, here = BOARD.name(dump), g.state.where[click]
    if here in reached(g, decision.side, dump):
        return None
    cannot = f"{name(click)} cannot draw from {label}"
    if here >= HEXES or dump >= HEXES:
        return Refusal(f"{cannot}: in an off-map box units draw from the SPs in it", "1.13", label)
    limit = supply_range(g, decision.side)
    if here in NETS[MECHANISED].flood([dump], limit=limit):
        return Refusal(f"{cannot}: enemy units and ZOCs are in the way", "1.6c", label)
    return Refusal(f"{cannot}: beyond its range of {shown(limit)} MPs", "1.6c", label)


def pay(g: G, side: int, chosen: Mapping[int, Sequence[int]]) -> None:
    """Expend SPs; units without supply suffer the effects (1.6c, 1.6d)."""
    fed = {unit for units in chosen.values() for unit in units}
    for dump, units in chosen.items():
        price = cost([COUNTS[unit] for unit in units])
        number, spent = counted(len(units), "unit"), counted(price, "SP")
        g.log("1.6c", "{hex} supplies {units} for {price}", hex=dump, units=number, price=spent)
        dumps.remove(g, side, dump, price)
    supply.judge(g, side, [unit for unit in mouths(g, side) if unit not in fed])


def why_not_feed(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a unit or dump cannot be chosen: the LRDG and Rommel never need supply (1.6c, 2.3, 3.4)."""
    if g.is_unit(click):
        if click in mouths(g, decision.side):
            return None
        why, rule = "not yours", "1.6c"
        if SIDE[click] == decision.side and not COUNTS[click]:
            why, rule = "always in supply", "3.4" if click == LRDG else "2.3"
        elif SIDE[click] == decision.side:
            where = g.state.where[click]
            why = f"it is in {BOARD.name(where)}" if where >= 0 else "it is not in play"
        return Refusal(f"{name(click)} cannot be chosen: {why}", rule, name(click))
    if click >= g.rules.first_button:
        return None
    return why_no_dump(g, decision.side, g.location(click))


def why_no_dump(g: G, side: int, location: int) -> Refusal | None:
    """Only locations with SPs of the side are dumps (1.6a, 1.8)."""
    if location in stock(g, side):
        return None
    return Refusal(f"{BOARD.name(location)} has no SPs of yours", "1.6a", BOARD.name(location))
