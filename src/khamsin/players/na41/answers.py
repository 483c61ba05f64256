"""Decisions of North Africa '41 alone: Attack Supply and support, Determined Defense, Breakthrough Combat, removals,
Delay markers, and a few others."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from khamsin.games.na41 import automatic, command
from khamsin.games.na41.orders import is_desperate
from khamsin.games.na41.units import BOARD, HEXES, STEPS, TRUCK, G, attack, defence, mechanized, name
from khamsin.games.na41.zones import in_zone
from khamsin.kernel.flood import FAR
from khamsin.kernel.rules import Decision
from khamsin.players.na41.odds import stranded
from khamsin.players.scripted import Order
from khamsin.players.staff.adapter import gather
from khamsin.players.staff.advance import advance_one, advance_to, break_through, break_to
from khamsin.players.staff.clicks import (
    Answer,
    best_unit,
    first_place,
    first_unit,
    in_turn,
    locations,
    press,
    pressing,
    units,
    worst_unit,
)
from khamsin.players.staff.theatre import HOLD, TAKE

ARTILLERY = 6.0
"""The least value of an attack or a hex for which artillery is used."""

# Movement: Automatic DS and Comando Supremo


def shatter(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Declare an Automatic DS that a plan prepared while others can still move through the gap; the rest is then
    planned again. Plans for the Axis count on Comando Supremo if the marker is available."""
    plan = staff.plan
    if plan is not None and plan.moment == (g.state.turn, g.state.phase) and plan.moves:
        for hex in automatic.targets(g, side):
            force = automatic.fewest(g, automatic.best(g, side, automatic.able(g, side, hex), hex))
            if all(at == hex for _, at in plan.owed(force)):
                plan.is_outdated = True
                clicks = (g.rules.button("auto ds"), g.place0 + hex, g.rules.button("done"))
                return Order(clicks, f"Automatic DS against {BOARD.name(hex)}")
    if command.why_no_comando(g, side) is None:
        g.state.comando = 1
    return None


def command_supreme(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Use Comando Supremo if the best attack is worth more with Germans and Italians together."""
    if g.rules.button("comando") not in decision.legal:
        return None
    values = []
    for g.state.comando in (1, 0):
        values += [attack[0] for attack in staff.attacks(g, locations(g, decision))[:1]] or [0.0]
    return press(g, decision, "comando") if values[0] - values[1] >= staff.weights["comando"] else None


# Combat


def disengage(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Disengage a stack if it will probably be forced out of a hex that is not a goal (27.5)."""
    fields, done = staff.board(g).fields, g.rules.button("done")
    for stack in gather(units(g, decision), lambda unit: g.state.where[unit]):
        hex = g.state.where[stack[0]]
        thrown = fields.thrown_now(hex)
        if not is_wanted(g, hex, staff) and thrown >= staff.weights["disengage"]:
            return Order((*stack, done), f"disengages from {BOARD.name(hex)}: {thrown:.0%} to be forced out")
    return Order((done,))


def is_wanted(g: G, hex: int, staff: Any) -> bool:
    """Whether a hex is worth staying in: a goal or a Fortification."""
    return hex in g.state.fort or bool(staff.worth_of(g, hex) >= staff.weights["stays"])


def supply_attack(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Use Attack Supply if it adds more than the value of a Supply Point; depots before MSUs, MSUs before ASUs."""
    board, places = staff.board(g), {unit: g.state.where[unit] for unit in decision.about}
    assault = staff.assault(board, staff.goals(g), decision.combat.hex)
    without, with_it = [assault.verdict(board, places, points) for points in (0, 1)]
    if with_it is None or (without is not None and with_it.value <= without.value):
        return press(g, decision, "none")
    trucks_first = sorted(units(g, decision), key=lambda unit: not TRUCK[unit])
    source = [*(g.place0 + at for at in locations(g, decision)), *trucks_first][0]
    return Order((source,), f"Attack Supply: the attack is worth {with_it.value:.1f}")


def support(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Use air markers at once, artillery if much is at stake."""
    stake = staff.engaged[0]
    if g.rules.phases(g.state)[g.state.phase].side != side:
        worth = sum([staff.theatre.figures(g, unit).worth for unit in decision.about])
        stake = 0.5 * worth + (staff.worth_of(g, g.state.where[decision.about[0]]) if decision.about else 0.0)
    return support_all(g, side, decision, staff) if stake >= ARTILLERY else AIR(g, side, decision, staff)


AIR = pressing("german air", "italian air", "allied air")
support_all = in_turn(AIR, first_unit, first_place)


def defend(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Defend if the hex is wanted, if no unit could retreat, and if units on foot would surrender; the Lead Unit is the
    one with the best chance that loses least."""
    leads = units(g, decision)
    hex = g.state.where[leads[0]]

    def merit(unit: int) -> tuple[float, float, int]:
        hint = decision.legal[unit]
        chance = float(Fraction(str(hint["holds"]))) if isinstance(hint, Mapping) else 0.0
        figures = staff.theatre.figures(g, unit)
        return chance, -figures.worth / max(1, figures.steps), -unit

    best = max(leads, key=merit)
    if is_desperate(decision) or is_wanted(g, hex, staff) or stranded(g, side, hex) or merit(best)[0] >= 0.5:
        return Order((best,), f"{name(best)} leads a determined defence of {BOARD.name(hex)}")
    return press(g, decision, "retreat")


def reroll(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Have Rommel reroll a result that costs the Axis a step and gains nothing, or a defence that fails."""
    text = decision.prompt if isinstance(decision.prompt, str) else decision.prompt(g)
    result = text.partition(". Reroll")[0].rsplit(", ", 1)[-1]
    return press(g, decision, "reroll" if result in ("A1", "EX") or result.startswith("F ") else "keep")


# Replacements and markers


def replace(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Add the step that adds most strength, not next to the enemy."""
    able = [u for u in units(g, decision) if g.state.where[u] >= HEXES or not in_zone(g, 1 - side, g.state.where[u])]
    if not able:
        return press(g, decision, "done")

    def gain(unit: int) -> tuple[float, int]:
        share = (attack(g, unit) + defence(g, unit) + 2.0) / max(1, STEPS[unit])
        return share - 0.3 * (g.state.steps[unit] == 0), -unit

    best = max(able, key=gain)
    return Order((best,), f"{name(best)} receives a replacement")


def delay(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Place a marker on the shortest path of the strongest mechanized enemies to a place that the side holds, as near
    to them as allowed."""
    theatre, enemies = staff.theatre, staff.theatre.stacks(g, 1 - side)
    power = {at: sum([attack(g, u) for u in stack if mechanized(g, u)]) for at, stack in enemies.items()}
    stays = staff.weights["stays"]
    kept = [goal.hex for goal in theatre.goals(g, side) if goal.worth >= stays and goal.task in (HOLD, TAKE)]
    if not power or not kept:
        return press(g, decision, "done")
    start = max(power, key=lambda at: (power[at], -at))
    unit = max(enemies[start], key=lambda one: (mechanized(g, one), attack(g, one)))
    away = theatre.march(g, 1 - side, unit, start)[0].astype(int)
    end = min(kept, key=lambda hex: (away[hex], hex))
    back = theatre.march(g, 1 - side, unit, end)[0]
    between = np.flatnonzero(away + back <= away[end] + 1).tolist()
    on_way = [hex for hex in between if g.place0 + hex in decision.legal]
    if away[end] == FAR or not on_way:
        return press(g, decision, "done")
    best = min(on_way, key=lambda hex: away[hex])
    return Order((g.place0 + best,), f"delays the enemy at {BOARD.name(best)}")


ANSWERS: dict[str, Answer] = {
    "move.stack": shatter, "combat.target": command_supreme, "combat.disengage": disengage,
    "combat.disengage.level": pressing("no", "full retreat"),
    "combat.supply": supply_attack, "combat.support": support, "combat.defence": defend,
    "combat.defence.support": support_all, "combat.reroll": reroll, "combat.carry": best_unit,
    "combat.remnant": pressing("remnant"), "combat.advance": advance_one, "combat.advance.to": advance_to,
    "combat.breakthrough": break_through, "combat.breakthrough.group": pressing("done", "cancel"),
    "combat.breakthrough.to": break_to, "replace.unit": replace, "replace.nation": best_unit, "replace.use": best_unit,
    "reinforcement.withdraw": in_turn(worst_unit, pressing("yes", "no")), "reinforcement.upgrade": worst_unit,
    "reinforcement.tanks": best_unit, "reinforcement.convert": pressing("yes"), "supply.ready": best_unit,
    "supply.port": pressing("default"), "supply.attrition": in_turn(first_place, best_unit), "port.bomb": first_place,
    "port.dice": pressing("dice 4", "dice 3", "dice 2", "dice 1"), "delay.place": delay,
}  # fmt: skip
