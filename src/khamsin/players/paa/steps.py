"""The movement phase, step by step: whoever cuts the army off is cleared away, Tobruk and the lines are made safe, then come
overruns, raids, attackers and supplies, the line of the position, and everybody else.

A step gives the plan orders or tasks, and says whether it may have more when those are carried out.
"""

from __future__ import annotations

from collections.abc import Callable

from khamsin.games.paa.units import G
from khamsin.players.paa.assault import overruns, plan_attacks
from khamsin.players.paa.depots import supplies
from khamsin.players.paa.line import close_up, hold_line, hold_tobruk
from khamsin.players.paa.picture import strike
from khamsin.players.paa.plan import Plan
from khamsin.players.paa.raids import barriers, guards, raids


def ride_down(g: G, plan: Plan) -> bool:
    """Overruns of those who keep units out of supply."""
    plan.orders = overruns(g, plan, plan.barriers) if plan.barriers else []
    return bool(plan.orders)


def sally(g: G, plan: Plan) -> bool:
    """Attacks on those of them that are left."""
    plan.barriers = barriers(g, plan.side)
    if plan.barriers:
        plan_attacks(g, plan, plan.barriers)
    return False


def garrison(g: G, plan: Plan) -> bool:
    """Tobruk comes before everything else."""
    hold_tobruk(g, plan)
    return False


def guard(g: G, plan: Plan) -> bool:
    """The lines are guarded as things stand."""
    plan.orders = guards(g, plan, leaving=False)
    return bool(plan.orders)


def overrun(g: G, plan: Plan) -> bool:
    """Overruns of whoever can be overrun."""
    plan.orders = overruns(g, plan)
    return bool(plan.orders)


def raid(g: G, plan: Plan) -> bool:
    """Raids on the enemy's lines."""
    plan.orders = raids(g, plan)
    return bool(plan.orders)


def attack(g: G, plan: Plan) -> bool:
    """Attackers go to their places."""
    plan_attacks(g, plan)
    return False


def supply(g: G, plan: Plan) -> bool:
    """Installations are carried to where they are wanted."""
    plan.orders = supplies(g, plan)
    return False


def hold(g: G, plan: Plan) -> bool:
    """The line of the position is held, against what the enemy could do now."""
    plan.strike = strike(g, plan.enemy)
    plan.threats = None
    hold_line(g, plan)
    return False


def guard_behind(g: G, plan: Plan) -> bool:
    """The lines are guarded as things will be when the others have gone."""
    plan.orders = guards(g, plan, leaving=True)
    return bool(plan.orders)


def follow(g: G, plan: Plan) -> bool:
    """The others go to the front."""
    close_up(g, plan)
    return False


STEPS: tuple[Callable[[G, Plan], bool], ...] = (
    ride_down, sally, garrison, guard, overrun, raid, attack, supply, hold, guard_behind, follow,
)  # fmt: skip
