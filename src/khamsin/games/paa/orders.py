"""Standing orders of PanzerArmee Afrika: counter-attack (11.4, 12.4.4), losses (12.4.5), withdrawal (13.2.3) and reaction
(15.1)."""

from __future__ import annotations

from khamsin.games.paa import differential
from khamsin.games.paa.losses import worth
from khamsin.games.paa.units import SIDE, G
from khamsin.kernel.orders import PLACES, Given, OrderKind, Parameter, Policy, always, at_place, least
from khamsin.kernel.rules import Decision


def counter_from(g: G, decision: Decision, given: Given) -> int | None:
    """Counter-attack from a differential on, and not below it (12.4.4)."""
    if not at_place(g, decision, given):
        return None
    own = [unit for unit in decision.about if SIDE[unit] == decision.side]
    enemy = [unit for unit in decision.about if SIDE[unit] != decision.side]
    enough = differential.counter(g, own, enemy).differential >= int(given["least"])
    return g.rules.button("yes" if enough else "no")


FROM = Policy(
    "from",
    "Counter-attack if the differential is at least {least}",
    counter_from,
    (Parameter("least", "Differential", "number", default=1), *PLACES),
)
COUNTER = (always("yes", "Counter-attack", PLACES), always("no", "No counter-attack", PLACES))

ORDERS = (
    OrderKind("combat.counter", "Counter-attack", (*COUNTER, FROM)),
    OrderKind("overrun.counter", "Counter-attack an overrun", COUNTER),
    OrderKind("reaction.stack", "Reaction", (always("done", "No reaction", PLACES),)),
    OrderKind("combat.losses", "Losses", (least(worth, "Eliminate units with the lowest CF first"),)),
    OrderKind("reinforcement.withdraw", "Withdrawal", (least(worth, "Withdraw the unit with the lowest CF"),)),
)
"""The decisions of a side in the enemy's turn."""
