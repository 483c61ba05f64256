"""The Supply Phase (OCS 2, OCS 11.2-5): stocks are refilled, units trace supply or eat, the others are out of supply and roll
for attrition."""

from __future__ import annotations

from collections.abc import Container, Generator, Iterable
from functools import partial

from khamsin.games.tunisia import losses, supply, tracing
from khamsin.games.tunisia.lift import BOXES
from khamsin.games.tunisia.supply import Places, Source
from khamsin.games.tunisia.units import (
    ALL_ATE,
    ATE,
    BOARD,
    COMBATANT,
    DIVISION,
    DIVISIONS,
    FORCES,
    OOS,
    QUARTERS,
    RATING,
    SIDE,
    STRAT,
    SUPPLY,
    TRUCKS_OF,
    G,
    face,
    forces_in,
    name,
    on_map,
    size,
    tell,
    tokens,
)
from khamsin.kernel.rules import Decision, Procedure, Refusal

RESTOCKED, TRACED = "restocked", "traced"
"""Finished steps of the phase."""
LOW: int = SUPPLY["stock"]["low"]
MEAL: int = SUPPLY["eat"]["re"] * QUARTERS
ATTRITION = SUPPLY["attrition"]


def supply_phase(g: G, side: int) -> Procedure:
    """Restock, trace, eat, attrition, in this order; boxes supply their units (1.5c, OCS 2)."""
    todo = g.state.todo
    if RESTOCKED not in todo:
        restock(g, side)
        supply_boxes(g, side)
        todo[RESTOCKED] = 1
    hungry = find_hungry(g, side)
    refused = (yield from choose_meals(g, side, hungry)) if meals(g, side, hungry) else set[int]()
    fed = eat(g, side, hungry, refused)
    unfed = {*hungry} - fed
    for key in g.state.events.keys() & ALL_ATE[side]:
        del g.state.events[key]
    g.state.events.update(dict.fromkeys([ATE[unit] for unit in (*sorted(fed), *cut_off_trucks(g, side))], 1))
    for unit in sorted({*unfed, *out_of_supply(g, side)}):
        mark(g, unit, unit in unfed)
    for hex in sorted({g.state.where[unit] for unit in out_of_supply(g, side)}):
        yield from attrition(g, side, hex)
    todo.clear()


def supply_boxes(g: G, side: int) -> None:
    """Units in a holding box are always supplied: they are in supply again, with full stocks (1.5c)."""
    for unit in [unit for unit in FORCES[side] if g.state.where[unit] in BOXES]:
        g.state.stock[unit] = 0
        mark(g, unit, False)


def cut_off_trucks(g: G, side: int) -> list[int]:
    """Return the trucks of a side without trace; they need none, but break out only on the first turn cut off (OCS 11.3)."""
    return [truck for truck in TRUCKS_OF[side] if on_map(g, truck) and not tracing.traces(g, side, truck)]


def out_of_supply(g: G, side: int) -> list[int]:
    """Return the combat units of a side on the map that are marked out of supply (OCS 11.3)."""
    return [u for u in g.state.flags.having(OOS) if SIDE[u] == side and COMBATANT[u] and on_map(g, u)]


def restock(g: G, side: int) -> None:
    """Units that are Low or Exhausted must recover (OCS 11.5)."""
    for unit, taken in restocking(g, side, {}).items():
        for source in dict.fromkeys(taken):
            part = taken.count(source)
            supply.take(g, side, source, part)
            tell(g, side, "OCS 11.5", "{tokens} for {why}, from {hex}", tokens=tokens(part), why=f"the stock of {name(unit)}",
                 hex=source.hex)  # fmt: skip
        g.state.stock[unit] -= len(taken) // LOW


def restocking(g: G, side: int, left: Places) -> dict[int, list[Source]]:
    """Return the units of a side that recover if there are tokens, but not from organic trucks, each with the tokens it
    takes: 2T per step of recovery; a single token is wasted. `left` is what sources have left, and is updated
    (OCS 11.5)."""
    found: dict[int, list[Source]] = {}
    for unit in [unit for unit in FORCES[side] if g.state.stock[unit] and on_map(g, unit)]:
        there: list[Source] = []
        for source in supply.sources(g, side, g.state.where[unit], users=(unit,)):
            wanted = LOW * g.state.stock[unit] - len(there)
            there += [source] * min(wanted, left.setdefault(source.place, source.tokens))
        taken = there[: len(there) // LOW * LOW] or there
        for source in taken:
            left[source.place] -= 1
        if taken:
            found[unit] = taken
    return found


def find_hungry(g: G, side: int) -> list[int]:
    """Return the units of a side that do not trace supply; a division traces by one headquarters or source. Those that
    were dropped this turn need none (OCS 11.2, OCS 14.8)."""
    found = [u for u in FORCES[side] if on_map(g, u) and not DIVISION[u] and not tracing.traces(g, side, u)]
    for division, units in DIVISIONS.items():
        if SIDE[units[0]] == side and any(on_map(g, unit) for unit in units):
            found += tracing.unfed(g, side, division)
    return sorted([unit for unit in found if g.state.due[unit] != g.state.turn])


def is_hungry(g: G, side: int, unit: int) -> bool:
    """Whether a unit does not trace supply (OCS 11.2)."""
    if not on_map(g, unit):
        return False
    return unit in tracing.unfed(g, side, DIVISION[unit]) if DIVISION[unit] else not tracing.traces(g, side, unit)


Groups = dict[tuple[int, str], list[int]]
"""The units that eat together: by their hex and division, since a division has the loads of its organic trucks."""


def groups(g: G, hungry: Iterable[int], refused: Container[int] = ()) -> Groups:
    """Return hungry units by hex and division, except those in hexes left without food; Strat Mode never eats (OCS 5)."""
    found: Groups = {}
    for unit in hungry:
        hex = g.state.where[unit]
        if not g.state.flags[unit] & STRAT and hex not in refused:
            found.setdefault((hex, DIVISION[unit]), []).append(unit)
    return dict(sorted(found.items()))


Bill = dict[tuple[int, str], list[Source]]
"""The units that can eat, each with the tokens to take: one Source for each."""


def serve(g: G, side: int, parties: Groups, rest: Places | None = None) -> Bill:
    """Share the tokens within reach among units that eat: each supplies 2 RE, in one hex or several. Organic trucks
    supply their division. `rest` is what sources have left before (OCS 11.2(4), OCS 11.6)."""
    left: Places = {} if rest is None else dict(rest)
    over: dict[tuple[int, int], int] = {}
    found: Bill = {}
    for (hex, division), units in parties.items():
        need, taken, used = size(units), list[Source](), dict[tuple[int, int], int]()
        sources = supply.sources(g, side, hex, division, units)
        for source in sources:
            used[source.place] = min(need, over.get(source.place, 0))
            need -= used[source.place]
        for source in sources:
            while need > 0 and left.setdefault(source.place, source.tokens) > taken.count(source):
                taken.append(source)
                need -= MEAL
        if need > 0:
            continue
        for place, part in used.items():
            over[place] = over.get(place, 0) - part
        for source in taken:
            left[source.place] -= 1
        if taken:
            over[taken[-1].place] = over.get(taken[-1].place, 0) - need
        found[hex, division] = taken
    return found


def meals(g: G, side: int, hungry: Iterable[int]) -> dict[int, int]:
    """Return the hexes with hungry units that could eat, each with the tokens it would take alone (OCS 11.2(4))."""
    found: dict[int, int] = {}
    for party, units in groups(g, hungry).items():
        bill = serve(g, side, {party: units})
        if party in bill:
            found[party[0]] = found.get(party[0], 0) + len(bill[party])
    return found


def choose_meals(g: G, side: int, hungry: list[int]) -> Generator[Decision, int, set[int]]:
    """The owner may leave stacks without food; else all eat that can (OCS 11.2(4))."""
    done, refused = g.rules.button("done"), set[int]()
    costs = meals(g, side, hungry)
    while True:
        total = sum([len(taken) for taken in serve(g, side, groups(g, hungry, refused)).values()])
        click = yield g.ask(
            side, "supply.eat", f"Units without trace eat {tokens(total)}: choose a hex to leave without food, or end",
            "OCS 11.2(4)", locations={hex: "goes without" if hex in refused else tokens(cost) for hex, cost in costs.items()},
            buttons=[done], why_not=partial(why_not_meal, hungry=tuple(hungry)),
        )  # fmt: skip
        if click == done:
            return refused
        refused ^= {g.location(click)}


def why_not_meal(g: G, decision: Decision, click: int, hungry: tuple[int, ...]) -> Refusal | None:
    """Return why a hex does not eat: its units trace supply, or no tokens are within reach (OCS 11.2(4))."""
    if click in decision.legal:
        return None
    if g.is_unit(click) or click >= g.rules.first_button:
        return None
    hex = g.location(click)
    label = BOARD.name(hex)
    if not any(g.state.where[unit] == hex for unit in hungry):
        return Refusal(f"No unit in {label} is without trace supply", "OCS 11.2(4)", label)
    return Refusal(f"The units in {label} cannot eat: too few tokens within reach", "OCS 11.2(4)", label)


def eat(g: G, side: int, hungry: list[int], refused: Container[int] = ()) -> set[int]:
    """Hungry units eat a token for each 2 RE. Return those that did (OCS 11.2(4))."""
    parties, fed = groups(g, hungry, refused), set[int]()
    for party, taken in serve(g, side, parties).items():
        fed.update(parties[party])
        for source in dict.fromkeys(taken):
            amount = taken.count(source)
            supply.take(g, side, source, amount)
            tell(g, side, "OCS 11.2(4)", "{tokens} for food in {hex}, from {hex_from}", tokens=tokens(amount),
                 hex=party[0], hex_from=source.hex)  # fmt: skip
    return fed


def mark(g: G, unit: int, out: bool) -> None:
    """Mark a unit out of supply, or in supply again (OCS 11.3)."""
    flags = g.state.flags[unit]
    if out and not flags & OOS:
        g.state.flags[unit] = flags | OOS
        tell(g, SIDE[unit], "OCS 11.3", "{unit} is out of supply", unit=unit)
    elif not out and flags & OOS:
        g.state.flags[unit] = flags & ~OOS
        tell(g, SIDE[unit], "OCS 11.3", "{unit} is in supply again", unit=unit)


def attrition(g: G, side: int, hex: int) -> Procedure:
    """Roll two dice on the column of the best action rating in the hex; the owner chooses the units lost (OCS 17.5)."""
    units = [unit for unit in forces_in(g, side, hex) if g.state.flags[unit] & OOS]
    best = max([RATING[unit][face(g, unit)] for unit in units])
    roll = g.dice.two(f"attrition in {BOARD.name(hex)}", "OCS 17.5")
    roll += ATTRITION["crowded"] if len(units) >= ATTRITION["crowd"] else 0
    limits = ATTRITION[str(best)]
    steps = next((lost for most, lost in zip(limits, ATTRITION["steps"], strict=True) if roll <= most), len(units))
    g.log("OCS 17.5", "Attrition in {hex}: {steps} steps", hex=hex, steps=min(steps, len(units)))
    yield from losses.lose(g, side, units, steps, "OCS 17.5")
