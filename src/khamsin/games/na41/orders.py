"""Standing orders for the enemy's turn: support (9.4.1), Determined Defense (11), losses (10.2.1), remnants (10.4.2) and
retreats (12)."""

from __future__ import annotations

from fractions import Fraction

from khamsin.games.na41.defence import HOLDS, OTHERWISE
from khamsin.games.na41.units import ASU, SIDE, G, attack, defence
from khamsin.kernel.orders import PLACES, Given, OrderKind, Parameter, Policy, always, at_place, least, towards
from khamsin.kernel.rules import Decision

PERCENT = 100
CHANCE = Parameter("chance", "Chance to hold, percent", "number", default=33)


def guns(g: G, decision: Decision, given: Given) -> int | None:
    """Use a Ready ASU if one is offered, and nothing else (9.4.1, 11.3)."""
    if not at_place(g, decision, given):
        return None
    asu = next((click for click in decision.legal if g.is_unit(click) and ASU[click]), None)
    return asu if asu is not None else refuse(g, decision)


def refuse(g: G, decision: Decision) -> int | None:
    """Return the button that gives no support."""
    return next((click for click in decision.legal if g.rules.names[click] in ("done", "none")), None)


def chances(decision: Decision) -> dict[int, Fraction]:
    """Return the chance to hold with each unit that can lead, as the decision shows it (11.4)."""
    return {unit: Fraction(str(hint[HOLDS])) for unit, hint in decision.legal.items() if isinstance(hint, dict)}


def is_desperate(decision: Decision) -> bool:
    """Whether a failure costs a step and a retreat all units (11.5.1)."""
    return any(isinstance(hint, dict) and OTHERWISE in hint for hint in decision.legal.values())


def stand(g: G, decision: Decision, given: Given) -> int | None:
    """Lead with the unit that holds best if its chance is good enough, else retreat; a Desperate Defense is always tried
    (11.2.1, 11.5.3)."""
    found = chances(decision)
    if not found or not at_place(g, decision, given):
        return None
    unit = max(found, key=lambda unit: (found[unit], -unit))
    enough = is_desperate(decision) or found[unit] * PERCENT >= int(given["chance"])
    return unit if enough else g.rules.button("retreat")


def fall_back(g: G, decision: Decision, given: Given) -> int | None:
    """Retreat without a Determined Defense, except from a Desperate one (11.1, 11.5.1)."""
    return None if is_desperate(decision) or not at_place(g, decision, given) else g.rules.button("retreat")


def own_losses(g: G, decision: Decision, given: Given) -> int | None:
    """Lose a step of the own unit with the least Defense Strength (10.2.1)."""
    units = [unit for unit in decision.legal if g.is_unit(unit) and SIDE[unit] == decision.side]
    return min(units, key=lambda unit: (defence(g, unit), unit), default=None)


def enemy_losses(g: G, decision: Decision, given: Given) -> int | None:
    """Pick the enemy unit with the greatest Attack Strength (10.2.1)."""
    units = [unit for unit in decision.legal if g.is_unit(unit) and SIDE[unit] != decision.side]
    return max(units, key=lambda unit: (attack(g, unit), -unit), default=None)


ORDERS = (
    OrderKind(
        "combat.support",
        "Artillery and air support",
        (
            always("done", "No artillery or air support", PLACES),
            Policy("guns", "Artillery support from a Ready ASU, no air support", guns, PLACES),
        ),
    ),
    OrderKind(
        "combat.defence",
        "Determined Defense",
        (
            Policy("stand", "Defend if the chance to hold is at least {chance} %, else retreat", stand, (CHANCE, *PLACES)),
            Policy("retreat", "Retreat without a Determined Defense, except a Desperate one", fall_back, PLACES),
        ),
    ),
    OrderKind(
        "combat.defence.support",
        "DD Support",
        (always("none", "No DD Support", PLACES), Policy("guns", "DD Support from a Ready ASU, never by air", guns, PLACES)),
    ),
    OrderKind(
        "combat.losses",
        "Losses",
        (
            Policy("own", "Lose steps of your weakest unit first", own_losses),
            Policy("enemy", "Pick the enemy's strongest attacker", enemy_losses),
        ),
    ),
    OrderKind("combat.remnant", "Remnants", (always("remnant", "Keep a remnant"), always("eliminate", "Keep no remnant"))),
    OrderKind("combat.carry", "Trucks in a retreat", (least(lambda g, unit: -defence(g, unit), "Carry the strongest unit"),)),
    OrderKind("combat.retreat", "Retreat", (towards("Retreat towards {place}"),)),
    OrderKind("combat.retreat.along", "Tag-along retreat", (always("done", "Take no unit along"),)),
    OrderKind("combat.reroll", "Rommel", (always("keep", "Keep every roll"),)),
)  # fmt: skip
"""The decisions of a side in the enemy's turn."""
