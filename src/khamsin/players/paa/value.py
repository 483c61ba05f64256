"""What hexes are worth, and what the enemy could do to those who stand in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from khamsin.games.paa.differential import GROUND
from khamsin.games.paa.ground import OPEN_SIDES
from khamsin.games.paa.losses import worth
from khamsin.games.paa.setup import TURNS
from khamsin.games.paa.units import (
    ALEXANDRIA,
    BARDIA,
    BASE,
    CENTRE,
    DEPOTS,
    DISMOUNTED,
    EL_AGHEILA,
    LORRIES,
    TOBRUK,
    G,
    cf,
)
from khamsin.players.paa.chances import mean_loss
from khamsin.players.paa.country import GROUNDS, MILE
from khamsin.players.paa.plan import Plan
from khamsin.players.paa.weights import RAID, SIEGE

NAMED = {TOBRUK: "tobruk", BARDIA: "bardia", ALEXANDRIA: "alexandria", EL_AGHEILA: "el_agheila"}


def prize(g: G, plan: Plan, hex: int) -> float:
    """What else the fall of a hex is worth."""
    prize = plan.weigh.prize
    value = prize[NAMED[hex]] if hex in NAMED else prize["base"] if hex in BASE[plan.enemy] else 0.0
    if hex == TOBRUK and plan.turn <= SIEGE["by"]:
        value *= SIEGE["early"]
    where = g.state.where
    value += prize["depot"] * any(where[d] == hex for d in DEPOTS[plan.enemy])
    return value + prize["lorry"] * any(where[u] == hex for u in LORRIES[plan.enemy])


def in_the_way(g: G, plan: Plan, hex: int) -> float:
    """What it is worth to clear a hex from which the enemy bars the road to the front, or keeps units out of supply."""
    base = MILE[CENTRE[plan.side]]
    low, high = sorted((base, plan.position.mile))
    road = plan.weigh.prize["road"] * any(low <= MILE.get(h, -1) <= high for h in (hex, *OPEN_SIDES[hex]))
    return road + cut_worth(plan) * plan.barriers.get(hex, 0)


def cut_worth(plan: Plan) -> float:
    """What it is worth that a CF is out of supply: in the last turn it does not count (14.1)."""
    return RAID["last"] if plan.turn == TURNS else plan.weigh.cut


def losses_at(g: G, plan: Plan, hex: int, units: Iterable[int]) -> float:
    """What the enemy could take of a stack in a hex next turn."""
    power = sum(cf(g, u) for u in units)
    surplus = plan.strike[hex] - power * GROUNDS[plan.side][hex]
    return min(mean_loss(surplus), power)


def exposure(plan: Plan, power: Mapping[int, int], gone: float) -> float:
    """What the enemy could do next turn to attackers in the hexes where they will stand with so much CF."""
    total = 0.0
    for hex, ours in power.items():
        surplus = plan.strike[hex] - gone - ours * GROUND[plan.side][hex]
        total = max(total, min(mean_loss(surplus), ours))
    return plan.weigh.exposure * plan.fear * total


def defence(g: G, plan: Plan, unit: int, hex: int, supplied: bool) -> int:
    """A defender's strength in quarters (12.4.2)."""
    quarters = 4 * worth(g, unit) * GROUND[plan.enemy][hex]
    return max(4, quarters if supplied and not g.state.flags[unit] & DISMOUNTED else quarters // 2)
