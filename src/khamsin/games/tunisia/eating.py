"""The Supply Phase (OCS 2, OCS 11.2-5): stocks are refilled, units trace supply or eat, the others are out of supply and roll
for attrition."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial

from khamsin.games.tunisia import losses, supply, tracing
from khamsin.games.tunisia.units import (
    BOARD,
    DIVISION,
    DIVISIONS,
    FORCES,
    OOS,
    QUARTERS,
    RATING,
    SIDE,
    STRAT,
    SUPPLY,
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
"""Steps of the phase that are behind it."""
LOW: int = SUPPLY["stock"]["low"]
MEAL: int = SUPPLY["eat"]["re"] * QUARTERS
ATTRITION = SUPPLY["attrition"]


def supply_phase(g: G, side: int) -> Procedure:
    """Restock, trace, eat, attrition, in this order (OCS 2)."""
    todo = g.state.todo
    if RESTOCKED not in todo:
        restock(g, side)
        todo[RESTOCKED] = 1
    refused: set[int] = set()
    hungry = find_hungry(g, side)
    if meals(g, side, hungry) and not is_enough(g, side, hungry):
        refused = yield from choose_meals(g, side, hungry)
    fed = eat(g, side, hungry, refused)
    for unit in FORCES[side]:
        if on_map(g, unit):
            mark(g, unit, unit in hungry and g.state.where[unit] not in fed)
    for hex in sorted({g.state.where[unit] for unit in FORCES[side] if on_map(g, unit) and g.state.flags[unit] & OOS}):
        yield from attrition(g, side, hex)
    todo.clear()


def restock(g: G, side: int) -> None:
    """Units that are Low or Exhausted recover where tokens can be had, compulsorily, but not from organic trucks; a
    single token is wasted (OCS 11.5)."""
    for unit in FORCES[side]:
        before = g.state.stock[unit]
        while on_map(g, unit) and g.state.stock[unit]:
            hex = g.state.where[unit]
            there = supply.available(g, side, hex, users=(unit,))
            if there < LOW:
                if there and g.state.stock[unit] == before:
                    supply.pay(g, side, hex, there, f"the stock of {name(unit)}", "OCS 11.5", users=(unit,))
                break
            supply.pay(g, side, hex, LOW, f"the stock of {name(unit)}", "OCS 11.5", users=(unit,))
            g.state.stock[unit] -= 1


def find_hungry(g: G, side: int) -> list[int]:
    """The units of a side that do not trace supply; a division traces by one headquarters or source (OCS 11.2)."""
    found = [u for u in FORCES[side] if on_map(g, u) and not DIVISION[u] and not tracing.traces(g, side, u)]
    for division, units in DIVISIONS.items():
        if SIDE[units[0]] == side and any(on_map(g, unit) for unit in units):
            found += tracing.unfed(g, side, division)
    return sorted(found)


def is_hungry(g: G, side: int, unit: int) -> bool:
    """Whether a unit does not trace supply (OCS 11.2)."""
    if not on_map(g, unit):
        return False
    return unit in tracing.unfed(g, side, DIVISION[unit]) if DIVISION[unit] else not tracing.traces(g, side, unit)


def meals(g: G, side: int, hungry: list[int]) -> dict[int, int]:
    """The hexes with hungry units that could eat, each with its tokens; Strat Mode never eats (OCS 5, OCS 11.2(4))."""
    hexes: dict[int, list[int]] = {}
    for unit in hungry:
        if not g.state.flags[unit] & STRAT:
            hexes.setdefault(g.state.where[unit], []).append(unit)
    costs = {hex: -(-size(units) // MEAL) for hex, units in hexes.items()}
    return {
        hex: cost for hex, cost in sorted(costs.items()) if supply.available(g, side, hex, users=hexes[hex]) >= cost
    }


def is_enough(g: G, side: int, hungry: list[int]) -> bool:
    """Whether all hungry stacks can eat; then the owner is not asked."""
    costs, left = meals(g, side, hungry), dict[tuple[int, int], int]()
    if {g.state.where[unit] for unit in hungry if not g.state.flags[unit] & STRAT} != costs.keys():
        return False
    for hex, cost in costs.items():
        for source in supply.sources(g, side, hex):
            part = min(cost, left.setdefault(source.place, source.tokens))
            left[source.place] -= part
            cost -= part
        if cost:
            return False
    return True


def choose_meals(g: G, side: int, hungry: list[int]) -> Generator[Decision, int, set[int]]:
    """The owner may leave stacks without food; else all eat that can (OCS 11.2(4))."""
    done, refused = g.rules.button("done"), set[int]()
    while True:
        costs = meals(g, side, hungry)
        total = sum([cost for hex, cost in costs.items() if hex not in refused])
        click = yield g.ask(
            side, "supply.eat", f"Units without trace eat {tokens(total)}: choose a hex that goes without, or go on",
            "OCS 11.2(4)", locations={hex: "goes without" if hex in refused else tokens(cost) for hex, cost in costs.items()},
            buttons=[done], why_not=partial(why_not_meal, hungry=tuple(hungry)),
        )  # fmt: skip
        if click == done:
            return refused
        refused ^= {g.location(click)}


def why_not_meal(g: G, decision: Decision, click: int, hungry: tuple[int, ...]) -> Refusal | None:
    """Why a hex does not eat: its units trace supply, or no tokens are within reach (OCS 11.2(4))."""
    if click in decision.legal:
        return None
    if g.is_unit(click) or click >= g.rules.first_button:
        return None
    hex = g.location(click)
    label = BOARD.name(hex)
    if not any(g.state.where[unit] == hex for unit in hungry):
        return Refusal(f"No unit in {label} is without trace supply", "OCS 11.2(4)", label)
    return Refusal(f"The units in {label} cannot eat: too few tokens within reach", "OCS 11.2(4)", label)


def eat(g: G, side: int, hungry: list[int], refused: set[int]) -> set[int]:
    """Hungry stacks eat a token for each 2 RE, those first that their owner did not exclude. Return their hexes."""
    fed = set()
    for hex, cost in meals(g, side, hungry).items():
        users = [unit for unit in hungry if g.state.where[unit] == hex]
        if hex not in refused and supply.available(g, side, hex, users=users) >= cost:
            supply.pay(g, side, hex, cost, f"food in {BOARD.name(hex)}", "OCS 11.2(4)", users=users)
            fed.add(hex)
    return fed


def mark(g: G, unit: int, out: bool) -> None:
    """A unit is marked out of supply, or is in supply again (OCS 11.3)."""
    flags = g.state.flags[unit]
    if out and not flags & OOS:
        g.state.flags[unit] = flags | OOS
        tell(g, SIDE[unit], "OCS 11.3", "{unit} is out of supply", unit=unit)
    elif not out and flags & OOS:
        g.state.flags[unit] = flags & ~OOS
        tell(g, SIDE[unit], "OCS 11.3", "{unit} is in supply again", unit=unit)


def attrition(g: G, side: int, hex: int) -> Procedure:
    """Two dice on the column of the best action rating in the hex; the owner chooses the units lost (OCS 17.5)."""
    units = [unit for unit in forces_in(g, side, hex) if g.state.flags[unit] & OOS]
    best = max([RATING[unit][face(g, unit)] for unit in units])
    roll = g.dice.two(f"attrition in {BOARD.name(hex)}", "OCS 17.5")
    roll += ATTRITION["crowded"] if len(units) >= ATTRITION["crowd"] else 0
    limits = ATTRITION[str(best)]
    steps = next((lost for most, lost in zip(limits, ATTRITION["steps"], strict=True) if roll <= most), len(units))
    g.log("OCS 17.5", "Attrition in {hex}: {steps} steps", hex=hex, steps=min(steps, len(units)))
    yield from losses.lose(g, side, units, steps, "OCS 17.5")
