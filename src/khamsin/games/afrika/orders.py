"""Standing orders of Afrika: air points (1.10c), losses (SCS 9.3) and retreat (SCS 10.1)."""

from __future__ import annotations

from khamsin.games.afrika import air
from khamsin.games.afrika.units import AIR_BUTTONS, G, defence
from khamsin.kernel.orders import EXCEPT, PLACES, Given, OrderKind, Parameter, Policy, at_place, least, towards
from khamsin.kernel.rules import Decision

ENEMY, OVERRUNS, ATTACKS, ALL = "the enemy's combats", "the enemy's overruns", "the enemy's attacks", "all combats"
COMBATS = Parameter("combats", "In", "choice", choices=(ENEMY, OVERRUNS, ATTACKS, ALL))
KEEP = Parameter("reserve", "Keep at least", "number", default=1)


def meant(g: G, decision: Decision, given: Given) -> bool:
    """Whether an order is for this combat. Attacks are made in the Combat Phase, overruns in the others (SCS 2, SCS 7.6)."""
    phase = g.rules.phases(g.state)[g.state.phase]
    which, enemy = given.get("combats", ENEMY), phase.side != decision.side
    attack = phase.name.endswith("combat")
    fits = {ENEMY: enemy, OVERRUNS: enemy and not attack, ATTACKS: enemy and attack, ALL: True}
    return fits[str(which)] and at_place(g, decision, given)


def press(g: G, points: int) -> int:
    """Return the button that commits air points."""
    return g.rules.button(AIR_BUTTONS[points])


def none(g: G, decision: Decision, given: Given) -> int | None:
    """Commit no air points (1.10c)."""
    return press(g, 0) if meant(g, decision, given) else None


def match(g: G, decision: Decision, given: Given) -> int | None:
    """Commit as many air points as the attacker, except a reserve (1.10c)."""
    hint = next(iter(decision.legal.values()))
    if not isinstance(hint, dict) or not meant(g, decision, given):
        return None
    return press(g, max(0, min(hint[air.AGAINST], air.left(g, decision.side) - int(given["reserve"]))))


def reserve(g: G, decision: Decision, given: Given) -> int | None:
    """Commit nothing if no more than a reserve is left (1.10)."""
    few = air.left(g, decision.side) <= int(given["reserve"])
    return press(g, 0) if few and meant(g, decision, given) else None


ORDERS = (
    OrderKind(
        "combat.air",
        "Air points",
        (
            Policy("none", "No air points in {combats}", none, (COMBATS, *PLACES)),
            Policy(
                "match", "Match the attacker's air points, but keep {reserve}", match,
                (KEEP._replace(default=0), *PLACES),
            ),
            Policy("keep", "No air points in {combats} if {reserve} or fewer are left", reserve, (KEEP, COMBATS, EXCEPT)),
        ),
        own_phases=True,
    ),
    OrderKind("combat.losses", "Losses", (least(defence, "Lose steps of the weakest unit first"),)),
    OrderKind("combat.retreat", "Retreat", (towards("Retreat towards {place}"),)),
)  # fmt: skip
"""The decisions of a side in the enemy's turn; air points also in its own."""
