"""Use of supply (1.6, 1.6c): in its Supply Phase a side pays for its units from dumps in range; the others are out of
supply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from khamsin.games.afrika import dumps, rommel, supply
from khamsin.games.afrika.ground import MECHANISED, NETS
from khamsin.games.afrika.units import (
    AXIS,
    BOARD,
    COUNTS,
    FORCES,
    HALVES,
    HEXES,
    JOINING,
    SIDE,
    SUPPLY,
    TRIPOLI,
    UNFED,
    G,
    name,
    stock,
)
from khamsin.games.afrika.zones import traced
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations

DIVISION: int = SUPPLY["cost"]["division"]
GROUP: int = SUPPLY["cost"]["group"]
PER_GROUP = GROUP // DIVISION
"""The most Italian divisions in a group that costs one SP."""
BOXES = (TRIPOLI, JOINING)


def cost(counts: Iterable[int]) -> int:
    """The SPs that units cost from one dump, grouped as cheaply as possible: a group counts 14 at most for one SP, and an
    Italian division of 3 is not split (1.6c).

    >>> cost([1] * 13), cost([1] * 28), cost([1] * 4), cost([]), cost([3] * 5)
    (1, 2, 1, 0, 2)
    """
    listed = list(counts)
    divisions = listed.count(DIVISION)
    return max(-(-divisions // PER_GROUP), -(-sum(listed) // GROUP))


def supply_range(g: G, side: int) -> int:
    """The range of a dump in halves of a MP: 5 MPs for the Axis up to turn 6, else 10 (1.6c)."""
    short = side == AXIS and g.state.turn <= SUPPLY["range"]["short_until"]
    return int(SUPPLY["range"]["short" if short else "long"]) * HALVES


def reached(g: G, side: int, location: int) -> frozenset[int]:
    """The locations that a dump supplies: hexes within its range, at mech costs, not through enemy units or ZOCs that no
    friendly unit cancels; of an off-map box the box itself (1.6c, 1.13, SCS 5.7, SCS 11.6)."""
    if location >= HEXES:
        return frozenset({location})
    return frozenset(NETS[MECHANISED].flood([location], limit=supply_range(g, side), mask=traced(g, side)))


def mouths(g: G, side: int) -> list[int]:
    """The units of a side that need supply: on the map or in an off-map box, and not the LRDG (1.6c, 3.4)."""
    where = g.state.where
    return [u for u in FORCES[side] if COUNTS[u] and (0 <= where[u] < HEXES or where[u] in BOXES)]


def sources(g: G, side: int) -> dict[int, list[int]]:
    """For each unit that is to be fed the dumps in use that reach it."""
    reach = {dump: reached(g, side, dump) for dump in sorted(stock(g, side)) if dump not in g.state.closed}
    units = [unit for unit in mouths(g, side) if not g.state.flags[unit] & UNFED]
    return {unit: [dump for dump, hexes in reach.items() if g.state.where[unit] in hexes] for unit in units}


def plan(g: G, side: int) -> dict[int, list[int]]:
    """Who draws from which dump: units that few dumps reach first, each from the dump where it costs least, and of these from
    the one with most SPs left. A unit draws from one dump; one that no dump can pay for is left out (1.6c, SCS 11.1)."""
    found: dict[int, list[int]] = {}
    points, reach = stock(g, side), sources(g, side)
    for unit in sorted(reach, key=lambda unit: (len(reach[unit]), -COUNTS[unit], unit)):
        prices = []
        for dump in reach[unit]:
            before = [COUNTS[other] for other in found.get(dump, ())]
            now = cost([*before, COUNTS[unit]])
            if now <= points[dump]:
                prices.append((now - cost(before), now - points[dump], dump))
        if prices:
            found.setdefault(min(prices)[2], []).append(unit)
    return found


def total(chosen: Mapping[int, Sequence[int]]) -> int:
    """The SPs that a plan costs."""
    return sum([cost([COUNTS[unit] for unit in units]) for units in chosen.values()])


def feed(g: G, side: int) -> Procedure:
    """The owner takes the plan that the program makes, or first says which units and dumps it leaves out, or spends SPs to deny
    them to the enemy (1.6c)."""
    done, spend, cancel = (g.rules.button(word) for word in ("done", "spend", "cancel"))
    while stock(g, side):
        chosen = plan(g, side)
        fed = [unit for units in chosen.values() for unit in units]
        hungry = len(mouths(g, side)) - len(fed)
        click = yield g.ask(
            side, "supply.feed", f"Supply {len(fed)} units for {total(chosen)} SPs, {hungry} are left out", "1.6c",
            units={unit: "not supplied" if unit not in fed else None for unit in mouths(g, side)},
            locations={dump: {"SPs": left} for dump, left in stock(g, side).items()}, buttons=[done, spend], about=fed,
            top=True, why_not=why_not_feed,
        )  # fmt: skip
        if click == done:
            break
        if click == spend:
            dump = yield g.ask(
                side, "supply.spend", "Choose a dump that expends an SP for nothing", "1.6c", locations=list(stock(g, side)),
                buttons=[cancel], why_not=for_locations(why_no_dump, side),
            )  # fmt: skip
            if dump != cancel:
                g.log("1.6c", "{side} expends an SP in {hex}", side=side, hex=g.location(dump))
                dumps.remove(g, side, g.location(dump), 1)
        elif g.is_unit(click):
            g.state.flags[click] ^= UNFED
        elif g.state.closed.pop(g.location(click), None) is None:
            g.state.closed[g.location(click)] = 1
    pay(g, side, plan(g, side))
    for unit in FORCES[side]:
        g.state.flags[unit] &= ~UNFED
    g.state.closed.clear()
    yield from rommel.displace(g)


def pay(g: G, side: int, chosen: Mapping[int, Sequence[int]]) -> None:
    """SPs are expended, and units without supply suffer the effects (1.6c, 1.6d)."""
    fed = {unit for units in chosen.values() for unit in units}
    for dump, units in chosen.items():
        price = cost([COUNTS[unit] for unit in units])
        g.log("1.6c", "{hex} supplies {number} units for {price} SPs", hex=dump, number=len(units), price=price)
        dumps.remove(g, side, dump, price)
    supply.judge(g, side, [unit for unit in mouths(g, side) if unit not in fed])


def why_not_feed(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a unit or dump cannot be chosen."""
    if g.is_unit(click):
        whose = "not yours" if SIDE[click] != decision.side else "it does not need supply now"
        return Refusal(f"{name(click)} cannot be chosen: {whose}", "1.6c", name(click))
    if click >= g.rules.first_button:
        return None
    return why_no_dump(g, decision.side, g.location(click))


def why_no_dump(g: G, side: int, location: int) -> Refusal | None:
    """Only locations with SPs of the side are dumps (1.6a, 1.8)."""
    if location in stock(g, side):
        return None
    return Refusal(f"{BOARD.name(location)} has no SPs of yours", "1.6a", BOARD.name(location))
