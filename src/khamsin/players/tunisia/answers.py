"""Decisions of Tunisia alone: barrages, air missions, combat supply, leaders, options, arrivals, replacements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from khamsin.games.tunisia import air, airbases, barrage, supply
from khamsin.games.tunisia.units import (
    BOARD,
    DG,
    HEXES,
    IS_HQ,
    G,
    forces_in,
    name,
    on_map,
    printed_strength,
    rating,
)
from khamsin.kernel.rules import Decision
from khamsin.players.scripted import Order
from khamsin.players.staff import clicks
from khamsin.players.staff.adapter import gather
from khamsin.players.staff.clicks import Answer, best_unit, choosing, first_place, in_turn, nearest_place, pressing
from khamsin.players.tunisia import logistics, odds
from khamsin.players.tunisia.weights import SUPPLY

SURE = 0.9
"""The sufficient chance of a barrage."""
LEAST = 0.1
"""The value that an air mission must exceed."""
RISK = 0.15
"""The deduction from the value of an air mission per enemy fighter that could intercept."""
CREW = 3
"""The most aircraft of a mission."""
LEADS = 2.5
"""The value of a point of action rating in the choice of a leader, in points of strength."""
FEW = 4
"""The units that hold a hex without supply; more would suffer from attrition (OCS 17.5)."""

# Barrages and bombs


def targets(g: G, side: int, decision: Decision, staff: Any) -> list[tuple[float, int]]:
    """Return the enemy hexes adjacent to own units that can be fired at now, the most important first: those of planned
    attacks by the value of the attack; others count little."""
    plan = staff.current(g)
    values = {hex: 1.0 + value for value, hex in plan.promised.values()} if plan else {}
    found = []
    for hex, stack in staff.theatre.stacks(g, 1 - side).items():
        steady = not all(g.state.flags[unit] & DG for unit in stack)
        if g.place0 + hex in decision.legal and steady and barrage.spotted(g, side, hex):
            little = 0.1 + 0.02 * sum([printed_strength(g, unit) for unit in stack])
            found.append((max(little, values.get(hex, 0.0)), hex))
    return sorted(found, reverse=True)


def fewest(
    g: G, side: int, hex: int, able: list[int], fits: Callable[[list[int], int], bool], air: bool
) -> tuple[tuple[int, ...], float]:
    """Return the fewest of some guns or aircraft that are likely to disorganise a hex together, and the chance."""
    units: list[int] = []
    chance = 0.0
    for unit in sorted(able, key=lambda one: (-barrage.points(g, one), one)):
        if chance < SURE and fits(units, unit):
            units.append(unit)
            chance = odds.effect("barrage", barrage.column(g, barrage.Fire(side, tuple(units), hex, air=air)))
    return tuple(units), chance


class Shot(NamedTuple):
    """The value of a barrage, its hex, the guns or aircraft, and the chance of an effect."""

    value: float
    hex: int
    units: tuple[int, ...] = ()
    chance: float = 0.0


def bombard(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Barrage the hexes to be attacked, with the guns that make it likely enough, while supply lasts: every planned
    attack takes a token per unit."""
    plan = staff.current(g)
    promised = plan.promised.items() if plan else ()
    owed = [hex for unit, (_, hex) in promised if on_map(g, unit) and g.state.where[unit] in BOARD.around(hex)]

    def fits(units: list[int], unit: int) -> bool:
        return not units or sum([barrage.points(g, one) for one in (*units, unit)]) <= odds.ENOUGH

    def shoot(worth: float, hex: int) -> Shot:
        guns, chance = fewest(g, side, hex, barrage.proposed(g, side, hex), fits, air=False)
        cost = barrage.price(g, barrage.Fire(side, guns, hex))
        left = supply.most_common(g, side, [g.state.where[gun] for gun in guns]) - cost
        enough = left >= (owed.count(hex) or len(owed) + SUPPLY["spare"])
        return Shot(worth * chance - SUPPLY["shot"] * cost if guns and enough else 0.0, hex, guns, chance)

    best = max([shoot(*one) for one in targets(g, side, decision, staff)], key=lambda shot: shot.value, default=None)
    if best is None or best.value <= 0.0:
        return None
    others = [gun for gun in barrage.proposed(g, side, best.hex) if gun not in best.units]
    fired = (g.place0 + best.hex, *others, g.rules.button("done"))
    return Order(fired, f"barrages {BOARD.name(best.hex)}: {best.chance:.0%} to disorganise it")


def bomb(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Bomb the hexes to be attacked, each with as many aircraft as make it likely enough. The best fighter of each base
    stays to cover the battle."""
    ready = [*{*air.active(g, side)} - cover(g, side)]

    def fits(units: list[int], unit: int) -> bool:
        return len(units) < CREW and air.why_not_together(g, units, unit, barrage.UNITS_TARGET) is None

    def shoot(worth: float, hex: int) -> Shot:
        able = [unit for unit in ready if air.why_not_flown(g, unit, hex) is None]
        units, chance = fewest(g, side, hex, able, fits, air=True)
        return Shot(worth * chance - RISK * len(air.patrolling(g, 1 - side, hex)), hex, units)

    best = max([shoot(*one) for one in targets(g, side, decision, staff)], key=lambda shot: shot.value, default=None)
    if best is None or best.value <= LEAST:
        return None
    return Order((g.place0 + best.hex, *best.units, g.rules.button("done")), f"bombs {BOARD.name(best.hex)}")


def cover(g: G, side: int) -> set[int]:
    """Return the best active fighter of each base on the map: its patrol zone covers the battle (OCS 14.4)."""
    fighters = [unit for unit in air.active(g, side) if air.FIGHTER[unit] and on_map(g, unit)]
    bases = gather(fighters, g.state.where.__getitem__)
    return {max(stack, key=lambda unit: (airbases.air_rating(g, unit), -unit)) for stack in bases}


def intercept(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Intercept with the best fighter, unless an enemy is better."""
    best = max([airbases.air_rating(g, unit) for unit in clicks.units(g, decision)], default=-1)
    strongest = max([airbases.air_rating(g, unit) for unit in decision.about], default=0)
    return DUEL(g, side, decision, staff) if best >= strongest else clicks.press(g, decision, "decline")


def weakness(g: G, unit: int) -> float:
    """Return how well an aircraft can wait for its refit."""
    return -airbases.air_rating(g, unit) - float(barrage.points(g, unit))


# Combat


def leadership(g: G, unit: int) -> float:
    """Return how well a unit leads: with a high action rating, if it may be lost."""
    return LEADS * rating(g, unit) - printed_strength(g, unit) - 5 * IS_HQ[unit]


def choose_option(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Continue as attacker while the attack is worth it; as defender hold goals and retreat from the rest."""
    alive = [unit for unit in decision.about if on_map(g, unit)]
    phase = g.rules.phases(g.state)[g.state.phase]
    here = g.state.where[alive[0]]
    attacking = phase.side == side and 0 <= staff.engaged[1] != here
    worth = min([staff.theatre.figures(g, unit).worth for unit in alive])
    held = max([goal.worth for goal in staff.theatre.goals(g, side) if goal.hex == here], default=0.0)
    stays = staff.engaged[0] > 0.3 * worth if attacking else held > worth
    return clicks.press(g, decision, "loss" if len(alive) > 1 and stays else "retreat")


def advance(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Advance into a hex without supply only with a few units of the best action ratings, because more would starve
    there."""
    hex = staff.theatre.advance_hex(g, side, decision)
    if hex is None or staff.theatre.supplied(g, side)[hex]:
        return None
    units = clicks.units(g, decision)
    goals = {goal.hex for goal in staff.theatre.goals(g, side) if goal.worth >= staff.weights["stays"]}
    if hex not in goals or not units or len(forces_in(g, side, hex)) >= FEW:
        return clicks.press(g, decision, "done")
    best = max(units, key=lambda u: (rating(g, u), printed_strength(g, u), -u))
    return Order((best,), f"{name(best)} advances into {BOARD.name(hex)}")


# Transport


def land(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Ship cargo where the path to the goals is shortest, and nowhere if only boxes are left."""
    on_board = any(hex < HEXES for hex in clicks.locations(g, decision))
    return nearest_place(g, side, decision, staff) if on_board else clicks.press(g, decision, "cancel")


DUEL, FIRED = choosing(airbases.air_rating), pressing("done", "cancel")
ANSWERS: dict[str, Answer] = {
    "move.stack": in_turn(*logistics.FIRST), "move.to": pressing("cancel"), "initiative.order": pressing("default"),
    "barrage.target": bombard, "barrage.fire": FIRED, "barrage.fire.": FIRED, "supply.eat": pressing("done"),
    "air.target": bomb, "air.mission": FIRED, "air.mission.": FIRED, "air.intercept": intercept,
    "air.combat": DUEL, "air.refit": choosing(weakness), "air.hip": pressing("cancel"),
    "air.bases": pressing("done"), "air.escort": pressing("done"), "combat.attackers": pressing("cancel"),
    "combat.supply": pressing("pay"), "combat.stocks": pressing("pay"), "combat.leader": choosing(leadership),
    "combat.option": choose_option, "combat.advance": advance, "combat.withdraw": pressing("decline"),
    "arrival.where": nearest_place, "replacements.where": nearest_place, "rebuild.hex": first_place,
    "rebuild.unit": best_unit, "lift.sea": land, "lift.rail": land, "airlift.to": land,
}  # fmt: skip
"""The simple decisions: fire a barrage that was begun, drop failed orders, supply the defence and stay if allowed,
refit bases, eat, and move first with the initiative."""
