"""Standing orders for Tunisia: combat supply, leaders, losses, retreats, interception, reaction, food, refit, airdrops."""

from __future__ import annotations

from khamsin.games.tunisia import drops, eating, movers, supply
from khamsin.games.tunisia.airbases import air_rating
from khamsin.games.tunisia.units import G, name, printed_strength, rating
from khamsin.kernel.orders import PLACES, Given, OrderKind, Parameter, Policy, always, at_place, least, towards
from khamsin.kernel.rules import Decision

BETTER = Parameter("better", "Rating at least better by", "number", default=2)
SPARE = Parameter("spare", "Tokens that each base must have", "number", default=4)


def worst_rating(g: G, unit: int) -> tuple[int, int]:
    """Orders units by action rating, the best first, of equal ones the weakest (OCS 9(3))."""
    return -rating(g, unit), printed_strength(g, unit)


def lead_best(g: G, decision: Decision, given: Given) -> int | None:
    """The unit with the best action rating leads, of equal ones the weakest (OCS 9(3))."""
    units = [click for click in decision.legal if g.is_unit(click)]
    return min(units, key=lambda unit: (*worst_rating(g, unit), unit), default=None)


def spare_best(g: G, decision: Decision, given: Given) -> int | None:
    """The weakest unit leads and takes the first loss (OCS 9(3))."""
    units = [click for click in decision.legal if g.is_unit(click)]
    return min(units, key=lambda unit: (printed_strength(g, unit), unit), default=None)


def intercept(g: G, decision: Decision, given: Given) -> int | None:
    """Send the best fighter if its rating is better than that of every aircraft by a number; else let them pass (OCS 14.4)."""
    if not at_place(g, decision, given):
        return None
    fighters = [click for click in decision.legal if g.is_unit(click)]
    best = max(fighters, key=lambda unit: (air_rating(g, unit), -unit))
    against = max([air_rating(g, unit) for unit in decision.about], default=0)
    return best if air_rating(g, best) - against >= int(given["better"]) else g.rules.button("decline")


def best_pilot(g: G, decision: Decision, given: Given) -> int | None:
    """The aircraft with the best rating fights (OCS 14.3)."""
    return max(
        [click for click in decision.legal if g.is_unit(click)], key=lambda u: (air_rating(g, u), -u), default=None
    )


def feed(g: G, decision: Decision, given: Given) -> int | None:
    """Supply all units that need it, if there are tokens for all of them; else the player decides which eat
    (OCS 11.2(4))."""
    parties = eating.groups(g, eating.find_hungry(g, decision.side))
    enough = eating.serve(g, decision.side, parties).keys() == parties.keys()
    return g.rules.button("done") if enough else None


def refit(g: G, decision: Decision, given: Given) -> int | None:
    """Refit everywhere, if each base has tokens to spare; else the player decides (OCS 14.1)."""
    bases = [g.location(click) for click in decision.legal if g.rules.class_of(click) == "hex"]
    enough = all(supply.available(g, decision.side, base) >= int(given["spare"]) for base in bases)
    return g.rules.button("done") if enough else None


def plan_ready(g: G, decision: Decision, given: Given) -> int | None:
    """End planning without a parachute unit at a base with transports and without a plan to change; else the player plans
    (OCS 14.8)."""
    units = [click for click in decision.legal if g.is_unit(click)]
    ready = any(name(unit) in g.state.drop_turn or drops.base_of(g, decision.side, unit) >= 0 for unit in units)
    return None if ready else g.rules.button("done")


def stay(g: G, decision: Decision, given: Given) -> int | None:
    """End the segment in the Reaction Phase; own movement is the player's (OCS 5(2))."""
    return g.rules.button("done") if movers.REACTING in g.state.todo else None


ORDERS = (
    OrderKind(
        "combat.supply",
        "Combat supply of the defence",
        (
            always("pay", "Pay for the defence", PLACES),
            always("decline", "Defend at half strength", PLACES),
        ),
    ),
    OrderKind(
        "combat.leader",
        "Unit that leads",
        (
            Policy("best", "The best action rating leads", lead_best),
            Policy("spare", "The weakest unit leads and takes the first loss", spare_best),
        ),
    ),
    OrderKind("combat.losses", "Losses", (least(printed_strength, "Eliminate the weakest unit first"),)),
    OrderKind(
        "combat.option",
        "Retreat or loss",
        (
            always("retreat", "Retreat", PLACES),
            always("loss", "Stay and lose units", PLACES),
        ),
    ),
    OrderKind(
        "combat.withdraw",
        "Retreat no longer required",
        (
            always("decline", "Stay when the attacker's own retreat has freed your units from theirs", PLACES),
            always("retreat", "Retreat nevertheless", PLACES),
        ),
        preset="decline",
    ),
    OrderKind("combat.retreat", "Retreat", (towards("Retreat towards {place}"),)),
    OrderKind(
        "air.intercept",
        "Interception",
        (
            Policy("better", "Intercept with a fighter better by {better} or more", intercept, (BETTER, *PLACES)),
            always("decline", "Never intercept", PLACES),
        ),
    ),
    OrderKind("air.combat", "Air combat", (Policy("best", "The best rating fights", best_pilot),)),
    OrderKind(
        "air.onward",
        "After an air combat",
        (always("done", "Aircraft that are left fly on"),),
        own_phases=True,
        preset="done",
    ),
    OrderKind(
        "combat.stocks",
        "Loads of organic trucks",
        (
            always("pay", "Spend the loads of organic trucks before internal stocks"),
            always("stock", "Spend internal stocks before the loads of organic trucks"),
        ),
        own_phases=True,
        preset="pay",
    ),
    OrderKind(
        "supply.eat",
        "Food",
        (Policy("feed", "Feed all units without trace while there is enough", feed),),
        own_phases=True,
        preset="feed",
    ),
    OrderKind(
        "air.bases",
        "Refit",
        (Policy("refit", "Refit aircraft everywhere while each base has {spare}T or more", refit, (SPARE,)),),
        own_phases=True,
        preset="refit",
    ),
    OrderKind(
        "drop.plan",
        "Airdrops",
        (
            Policy("ready", "Plan airdrops while a parachute unit is at a base with transports", plan_ready),
            always("done", "Plan no airdrops"),
        ),
        own_phases=True,
        preset="ready",
    ),
    OrderKind(
        "move.stack",
        "Reaction",
        (Policy("stay", "Release no reserves in the Reaction Phase", stay),),
        own_phases=True,
    ),
)
"""The decisions of a side in the enemy's turn, and some of its own about supply that rarely matter. By default a unit
that may stay does."""
