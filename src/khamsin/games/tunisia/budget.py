"""The supply budget of a side for its player: stocks by location, the cost of a decision, and the rest for eating
(OCS 11)."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from khamsin.games.tunisia import airbases, barrage, combat, eating, fuel, supply
from khamsin.games.tunisia.barrage import Fire
from khamsin.games.tunisia.dates import AIR
from khamsin.games.tunisia.layers import TEXTS, is_unknown
from khamsin.games.tunisia.units import BOARD, DIVISION, HEXES, SIDES, TRANSPORT, G, size, stock, tokens
from khamsin.kernel.display import BudgetLine
from khamsin.kernel.rules import EVERYONE, Decision
from khamsin.mechanics import showing
from khamsin.mechanics.modes import Modes

STOCKS, PLAN, REST, NEXT = "Stocks", "This decision", "Next Supply Phase", "Next Air Refit Phase"


def budget(g: G, decision: Decision | None, viewer: int) -> Iterator[BudgetLine]:
    """Yield stocks, planned costs, and the rest for eating, as the viewer knows them."""
    for side in showing.viewed_sides(g, viewer):
        if is_unknown(g, side):
            continue
        before = f"{SIDES[side]}: " if viewer == EVERYONE else ""
        yield from stocks(g, side, before)
        if viewer != EVERYONE:
            cost = yield from planned(g, decision)
            yield from rest(g, side, cost)


def stocks(g: G, side: int, before: str) -> Iterator[BudgetLine]:
    """Yield the tokens of a side by location, the largest stock first: on the ground, and on trucks there (OCS 11.1)."""
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
    """Return all tokens of a side on the map."""
    trucks = [t for at, stack in g.state.where.stacks(TRANSPORT + side).items() if 0 <= at < HEXES for t in stack]
    return sum([amount for at, amount in stock(g, side).items() if at < HEXES]) + sum([g.state.load[t] for t in trucks])


def planned(g: G, decision: Decision | None) -> Generator[BudgetLine, None, int]:
    """Yield the cost of the move, barrage or attack of a decision. Return the tokens."""
    if decision is None:
        return 0
    if decision.kind.startswith("barrage.fire.") and decision.about and decision.at:
        shot = Fire(decision.side, tuple(decision.about), decision.at[0], target=decision.kind.rpartition(".")[2])
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
    if decision.kind == "move.to" and isinstance(decision.legal, Modes):
        thirsty = {
            one.word: fuel.needed(g, decision.side, decision.about, one.flags) for one, _ in decision.legal.parts
        }
        for word, users in thirsty.items():
            what = f"Fuel in {word.capitalize()} Mode" if word else "Fuel of this stack"
            dry = len(supply.allot(g, decision.side, users)) < len(users)
            yield BudgetLine(PLAN, what, tokens(fuel.UNIT * len(users)), rule="OCS 11.4", short=dry)
        first = decision.about[0]
        reached = supply.available(g, decision.side, g.state.where[first], DIVISION[first], (first,))
        yield BudgetLine(PLAN, "Supply within its reach", tokens(reached), rule="OCS 11.1")
        return fuel.UNIT * min([len(users) for users in thirsty.values()])
    return 0


def rest(g: G, side: int, cost: int) -> Iterator[BudgetLine]:
    """Yield what stocks and units without trace will use in the Supply Phase, the rest then, and the refit of the bases
    (OCS 11.2(4), OCS 11.5, OCS 14.1)."""
    left: supply.Places = {}
    stocked = eating.restocking(g, side, left)
    needed = sum([len(taken) for taken in stocked.values()])
    if needed:
        text = f"Stocks of {showing.counted(len(stocked), 'unit')}"
        yield BudgetLine(REST, text, tokens(needed), rule="OCS 11.5")
    parties = eating.groups(g, eating.find_hungry(g, side))
    bill = eating.serve(g, side, parties, rest=left)
    for (hex, division), units in parties.items():
        fed = (hex, division) in bill
        meal = len(bill[hex, division]) if fed else -(-size(units) // eating.MEAL)
        needed += meal
        place = TEXTS.called(hex)
        text = f"Eating in {place}" if place != BOARD.name(hex) else "Eating"
        yield BudgetLine(REST, f"{text}, {division}" if division else text, tokens(meal), hex, "OCS 11.2(4)", not fed)
    kept = total(g, side) - cost - needed
    yield BudgetLine(REST, "Left on the map", tokens(max(0, kept)), rule="OCS 11.1(1)", short=kept < 0)
    fields = [
        base for base in airbases.bases(g, side) if airbases.pays(g, base) and airbases.refit_room(g, side, [base]) > 0
    ]
    if fields:
        price = tokens(AIR["base"]["cost"] * len(fields))
        yield BudgetLine(NEXT, f"Refit of {showing.counted(len(fields), 'base')}", price, rule="OCS 14.1")
