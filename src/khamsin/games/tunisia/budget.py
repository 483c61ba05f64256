"""The supply of a side for its player: stocks by location, what a decision would cost, what is left to eat (OCS 11)."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from khamsin.games.tunisia import barrage, combat, eating, fuel, supply
from khamsin.games.tunisia.barrage import Fire
from khamsin.games.tunisia.layers import TEXTS, is_unknown
from khamsin.games.tunisia.moves import Moves
from khamsin.games.tunisia.units import BOARD, HEXES, SIDES, TRANSPORT, G, size, stock, tokens
from khamsin.kernel.display import BudgetLine
from khamsin.kernel.rules import EVERYONE, Decision
from khamsin.mechanics import showing

STOCKS, PLAN, REST = "Stocks", "This decision", "At the end of the turn"


def budget(g: G, decision: Decision | None, viewer: int) -> Iterator[BudgetLine]:
    """Stocks, the cost of what is planned, and what remains for eating, as the viewer knows them."""
    for side in showing.viewed_sides(g, viewer):
        if is_unknown(g, side):
            continue
        before = f"{SIDES[side]}: " if viewer == EVERYONE else ""
        yield from stocks(g, side, before)
        if viewer != EVERYONE:
            cost = yield from planned(g, decision)
            yield from rest(g, side, cost)


def stocks(g: G, side: int, before: str) -> Iterator[BudgetLine]:
    """The tokens of a side by location, the largest stock first: on the ground, and on trucks there (OCS 11.1)."""
    found = {hex: [amount, 0] for hex, amount in stock(g, side).items()}
    for at, trucks in g.state.where.stacks(TRANSPORT + side).items():
        loaded = sum([g.state.load[truck] for truck in trucks])
        if loaded:
            found.setdefault(at, [0, 0])[1] = loaded
    for at, (ground, loaded) in sorted(found.items(), key=lambda one: (-sum(one[1]), one[0])):
        on_trucks = f"{tokens(loaded)} on trucks" if loaded else ""
        value = ", ".join(filter(None, (tokens(ground) if ground else "", on_trucks)))
        yield BudgetLine(f"{before}{STOCKS}", TEXTS.called(at), value, at, "")


def total(g: G, side: int) -> int:
    """All tokens of a side on the map."""
    trucks = [t for at, stack in g.state.where.stacks(TRANSPORT + side).items() if 0 <= at < HEXES for t in stack]
    return sum([amount for at, amount in stock(g, side).items() if at < HEXES]) + sum([g.state.load[t] for t in trucks])


def planned(g: G, decision: Decision | None) -> Generator[BudgetLine, None, int]:
    """What the move, barrage or attack of a decision costs. Return the tokens."""
    if decision is None:
        return 0
    if decision.kind == "barrage.fire" and decision.about and decision.at:
        shot = Fire(decision.side, tuple(decision.about), decision.at[0])
        cost = barrage.price(g, shot)
        yield BudgetLine(
            PLAN, "This barrage", tokens(cost), rule="OCS 8(5)", short=barrage.why_unpaid(g, shot) is not None
        )
        return cost
    if decision.kind == "combat.attackers" and g.state.draft is not None:
        units = g.state.draft.units
        plan = combat.plan_supply(g, decision.side, units)
        paid = [one for one in plan.values() if one is not None] if isinstance(plan, dict) else list(units)
        yield BudgetLine(PLAN, "This attack", tokens(len(paid)), rule="OCS 9(2)", short=not isinstance(plan, dict))
        if isinstance(plan, dict) and len(paid) < len(units):
            number = showing.counted(len(units) - len(paid), "unit")
            yield BudgetLine(PLAN, f"From the internal stocks of {number}", "", rule="OCS 11.5")
        return len(paid)
    if decision.kind == "move.to" and isinstance(decision.legal, Moves):
        costs = {
            one.word: len(fuel.needed(g, decision.side, decision.about, one.flags)) for one, _ in decision.legal.parts
        }
        for word, thirsty in costs.items():
            what = f"Fuel in {word.capitalize()} Mode" if word else "Fuel of this stack"
            yield BudgetLine(PLAN, what, tokens(fuel.UNIT * thirsty), rule="OCS 11.4")
        reached = supply.available(g, decision.side, g.state.where[decision.about[0]])
        yield BudgetLine(
            PLAN, "Supply within its reach", tokens(reached), rule="OCS 11.1", short=reached < min(costs.values())
        )
        return fuel.UNIT * min(costs.values())
    return 0


def rest(g: G, side: int, cost: int) -> Iterator[BudgetLine]:
    """What units without trace will eat as things stand, and what is left then (OCS 11.2(4))."""
    parties = eating.groups(g, eating.find_hungry(g, side))
    bill = eating.serve(g, side, parties)
    needed = 0
    for (hex, division), units in parties.items():
        fed = (hex, division) in bill
        meal = len(bill[hex, division]) if fed else -(-size(units) // eating.MEAL)
        needed += meal
        place = TEXTS.called(hex)
        text = f"Eating in {place}" if place != BOARD.name(hex) else "Eating"
        yield BudgetLine(REST, f"{text}, {division}" if division else text, tokens(meal), hex, "OCS 11.2(4)", not fed)
    left = total(g, side) - cost - needed
    yield BudgetLine(REST, "Left on the map", tokens(max(0, left)), rule="OCS 11.1(1)", short=left < 0)
