"""The decisions that only North Africa '41 asks: Attack Supply and support, Determined Defense, advances, Breakthrough Combat,
replacements, removals, Delay markers, and what little else there is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from khamsin.games.na41 import automatic, command, sheet
from khamsin.games.na41.orders import is_desperate
from khamsin.games.na41.sheet import Attack
from khamsin.games.na41.units import (
    BOARD,
    HEXES,
    MSU,
    STEPS,
    TRUCK,
    G,
    attack,
    combat_units,
    defence,
    mechanized,
    name,
    pieces_in,
)
from khamsin.kernel.flood import FAR
from khamsin.kernel.rules import Decision
from khamsin.players.scripted import Order
from khamsin.players.staff.clicks import best_unit, locations, press, units
from khamsin.players.staff.theatre import HOLD, TAKE

Answer = Callable[[G, int, Decision, Any], Order | None]
ARTILLERY = 6.0
"""The value of an attack or a hex from which artillery is used."""


def answer(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """The answer to a decision of this game, or None if it is of a common kind or unknown."""
    if decision.kind in PRESSED:
        return press(g, decision, *PRESSED[decision.kind])
    found = BY_KIND.get(decision.kind)
    return found(g, side, decision, staff) if found else None


# Movement: Automatic DS and Comando Supremo


def shatter(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """An Automatic DS that a plan prepared is declared while others can still move through the gap; the rest is then planned
    again. Plans for the Axis count on Comando Supremo if the marker is there."""
    plan = staff.plan
    current = plan is not None and plan.moment == (g.state.turn, g.state.phase)
    if current and plan.moves and g.rules.button("auto ds") in decision.legal:
        for hex in automatic.targets(g, side):
            able = command.strongest(g, side, automatic.able(g, side, hex))
            force = automatic.fewest(g, Attack(side, tuple(able), hex))
            if all(at == hex for _, at in plan.owed(force)):
                plan.is_outdated = True
                clicks = (g.rules.button("auto ds"), g.place0 + hex, g.rules.button("done"))
                return Order(clicks, f"Automatic DS against {BOARD.name(hex)}")
    if command.why_no_comando(g, side) is None:
        g.state.comando = 1
    return None


def command_supreme(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Comando Supremo if the best attack is worth more with Germans and Italians together."""
    if g.rules.button("comando") not in decision.legal:
        return None
    values = []
    for together in (0, 1):
        g.state.comando = together
        found = staff.attacks(g, locations(g, decision))
        values.append(found[0][0] if found else 0.0)
    g.state.comando = 0
    return press(g, decision, "comando") if values[1] - values[0] >= staff.weights["comando"] else None


# Combat


def disengage(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """A stack tries to get away if it will probably be thrown out of a hex that is not a goal (27.5)."""
    board, done = staff.board(g), g.rules.button("done")
    kept = {goal.hex for goal in staff.theatre.goals(g, side) if goal.worth >= staff.weights["stays"]}
    by_hex: dict[int, list[int]] = {}
    for unit in units(g, decision):
        by_hex.setdefault(g.state.where[unit], []).append(unit)
    for hex, group in by_hex.items():
        held = sum([board.fields.figures(unit).defence for unit in combat_units(g, side, hex)])
        thrown = board.fields.thrown(hex, held)
        if hex not in kept and hex not in g.state.fort and thrown >= staff.weights["disengage"]:
            return Order((*group, done), f"disengages from {BOARD.name(hex)}: {thrown:.0%} to be thrown back")
    return Order((done,))


def supply_attack(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Attack Supply if it is worth more than a Supply Point; depots before MSUs, MSUs before ASUs."""
    hex = staff.engaged[1]
    board, force = staff.board(g), tuple(decision.about)
    if hex not in board.fields.hostile:
        return press(g, decision, "none")
    assault = staff.assault(board, staff.theatre.goals(g, side), hex)
    places = {unit: g.state.where[unit] for unit in force}
    values = []
    for points in (0, 1):
        outcomes = staff.theatre.combat(g, side, force, hex, places, points)
        values.append(assault.judged(board, outcomes, places).value if outcomes else -99.0)
    if values[1] - values[0] < staff.weights["support_price"]:
        return press(g, decision, "none")
    sources = [g.place0 + at for at in locations(g, decision)] + sorted(
        units(g, decision), key=lambda unit: not TRUCK[unit]
    )
    return Order((sources[0],), f"Attack Supply: worth {values[1] - values[0]:.1f}")


def support(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Air markers are used at once; artillery where much is at stake."""
    planes = press(g, decision, "german air", "italian air", "allied air")
    if planes is not None:
        return planes
    mine = g.rules.phases(g.state)[g.state.phase].side == side
    if mine:
        stake = staff.engaged[0]
    else:
        at = g.state.where[decision.about[0]] if decision.about else -1
        known = {goal.hex: goal.worth for goal in staff.theatre.goals(g, side)}
        stake = known.get(at, 0.0) + 0.5 * sum([staff.theatre.figures(g, unit).worth for unit in decision.about])
    guns = [*units(g, decision), *(g.place0 + at for at in locations(g, decision))]
    return Order((guns[0],), f"artillery, {stake:.0f} at stake") if guns and stake >= ARTILLERY else None


def defend(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Stand where the hex is wanted, where nobody could retreat, and where units on foot would surrender; the Lead Unit is
    the one with the best chance that loses least."""
    leads = units(g, decision)
    hex = g.state.where[leads[0]]
    known = {goal.hex: goal.worth for goal in staff.theatre.goals(g, side)}
    stack = combat_units(g, side, hex)
    trucks = [u for u in pieces_in(g, side, hex) if TRUCK[u] and not g.state.flags[u] & MSU]
    on_foot = [u for u in stack if not mechanized(g, u)]
    desperate = is_desperate(decision)
    wanted = known.get(hex, 0.0) >= staff.weights["stays"] or hex in g.state.fort

    def merit(unit: int) -> tuple[float, float, int]:
        hint = decision.legal[unit]
        chance = float(Fraction(str(hint["holds"]))) if isinstance(hint, Mapping) else 0.0
        figures = staff.theatre.figures(g, unit)
        return chance, -figures.worth / max(1, figures.steps), -unit

    best = max(leads, key=merit)
    if desperate or wanted or len(on_foot) > len(trucks) or merit(best)[0] >= 0.5:
        return Order((best,), f"{name(best)} leads a determined defence of {BOARD.name(hex)}")
    return press(g, decision, "retreat")


def support_defence(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Support for a Determined Defense: whatever is there."""
    planes = press(g, decision, "german air", "italian air", "allied air")
    guns = [*units(g, decision), *(g.place0 + at for at in locations(g, decision))]
    return planes or (Order((guns[0],)) if guns else None)


def reroll(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Rommel rerolls a result that costs the Axis a step and gains nothing, or a defence that fails."""
    text = decision.prompt if isinstance(decision.prompt, str) else decision.prompt(g)
    result = text.partition(". Reroll")[0].rsplit(", ", 1)[-1]
    return press(g, decision, "reroll" if result in ("A1", "EX") or result.startswith("F ") else "keep")


# Advances


def merits(g: G, side: int, force: list[int], hexes: list[int], staff: Any) -> dict[int, float]:
    """How good it is for units to be in each of some hexes, after the enemy's answer."""
    board = staff.board(g)
    fields, weights = board.fields, staff.weights
    known: dict[int, float] = {}
    for goal in staff.theatre.goals(g, side):
        if goal.task != HOLD:
            known[goal.hex] = max(known.get(goal.hex, 0.0), goal.worth)
    figures = [fields.figures(unit) for unit in force]
    here = g.state.where[force[0]]
    behind = [u for u in fields.own.get(here, ()) if u not in force and u not in staff.advanced and mechanized(g, u)]
    company = sum([fields.figures(unit).defence for unit in behind])
    strength, worth = sum([one.defence for one in figures]), sum([one.worth for one in figures])
    steps = sum([one.steps for one in figures])
    wanted = [
        (value, *staff.theatre.march(g, side, force[0], goal))
        for goal, value in known.items()
        if value >= weights["stays"]
    ]
    found = {}
    for hex in hexes:
        if hex >= HEXES:
            continue
        there = sum([fields.figures(unit).defence for unit in fields.own.get(hex, ()) if unit not in force])
        merit = -board.loss(hex, strength + there + (company if hex != here else 0.0), worth, steps)
        if hex not in fields.hostile and not there:
            merit += known.get(hex, 0.0) * (1.0 if g.state.control.get(hex, side) != side else 0.5)
        merit += weights["pull"] * max(
            [value * weights["decay"] ** (far[hex] / most) for value, far, most in wanted], default=0.0
        )
        merit += weights["together"] * min(1.0, there / max(1.0, strength))
        found[hex] = merit + float(staff.taste[hex])
    return found


def advance(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Advance the unit that gains most by it, each by itself; units on a goal stay."""
    movers = units(g, decision)
    held = {goal.hex for goal in staff.theatre.goals(g, side) if goal.worth >= staff.weights["stays"]}
    for unit in sorted(movers, key=lambda unit: (-staff.theatre.figures(g, unit).worth, unit)):
        here = g.state.where[unit]
        if unit in staff.advanced or (here in held and len(combat_units(g, side, here)) == 1):
            continue
        staff.advanced.add(unit)
        return Order((unit,))
    return press(g, decision, "done")


def advance_to(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """The hex that is worth most, if it is worth more than staying."""
    force, hexes = list(decision.about), locations(g, decision)
    here = g.state.where[force[0]]
    found = merits(g, side, force, [here, *hexes], staff)
    best = max(found, key=lambda hex: found[hex], default=here)
    if best == here:
        return press(g, decision, "cancel")
    return Order((g.place0 + best,), f"{name(force[0])} advances to {BOARD.name(best)}")


# Breakthrough Combat


def break_through(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """A group is formed where an enemy in reach could be attacked with profit: in the vacated hex, if there is a choice."""
    at = locations(g, decision)
    force = [unit for unit in decision.can_act(g) if attack(g, unit)] if decision.can_act else []
    enemies = g.state.where.stacks(1 - side)
    ways = [(via, hex) for start in at for via in (start, *BOARD.around(start)) for hex in BOARD.around(via)
            if hex in enemies and via not in enemies]  # fmt: skip
    least = staff.weights["least_attack"]
    if not force or not any(profit(g, side, force, via, hex, staff) > least for via, hex in dict.fromkeys(ways)):
        return press(g, decision, "done")
    empty = [hex for hex in at if not combat_units(g, side, hex)]
    return Order((g.place0 + (empty or at)[0],), "breaks through")


def profit(g: G, side: int, force: list[int], via: int, hex: int, staff: Any) -> float:
    """What a Breakthrough Combat from one hex against another is worth."""
    board = staff.board(g)
    if hex not in board.fields.hostile:
        return -99.0
    with g.state.where.supposing(dict.fromkeys(force, via)):
        able = [unit for unit in force if command.why_not_across(g, unit, hex) is None]
        battle = Attack(side, tuple(command.strongest(g, side, able) if able else ()), hex, breakthrough=True)
        found = sheet.sheet(g, battle)
        if not found.attack or found.odds < sheet.LOWEST:
            return -99.0
        assault = staff.assault(board, staff.theatre.goals(g, side), hex)
        outcomes = staff.theatre.outcomes(g, battle, found)
    return float(assault.judged(board, outcomes, dict.fromkeys(force, via)).value)


def break_to(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Attack if it pays; else advance beside an enemy that can be attacked, or to a hex that is worth more; else stop."""
    force, at = list(decision.about), [hex for hex in locations(g, decision) if hex < HEXES]
    enemies = g.state.where.stacks(1 - side)
    here = g.state.where[force[0]]
    values = {hex: profit(g, side, force, here, hex, staff) for hex in at if hex in enemies}
    best = max(values, key=lambda hex: values[hex], default=-1)
    if best >= 0 and values[best] > staff.weights["least_attack"]:
        return Order((g.place0 + best,), f"Breakthrough Combat against {BOARD.name(best)}, worth {values[best]:.1f}")
    found = merits(g, side, force, [here, *(hex for hex in at if hex not in enemies)], staff)
    for hex in found:
        near = [one for one in BOARD.around(hex) if one in enemies]
        found[hex] += 0.5 * max([0.0, *(profit(g, side, force, hex, one, staff) for one in near)])
    end = max(found, key=lambda hex: found[hex])
    return press(g, decision, "done") if end == here else Order((g.place0 + end,))


# Replacements, removals, markers


def replace(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """The step that adds most strength, away from the enemy."""

    def gain(unit: int) -> tuple[float, int]:
        steps = max(1, STEPS[unit])
        return (attack(g, unit) + defence(g, unit) + 2.0) / steps - 0.3 * (g.state.steps[unit] == 0), -unit

    able = [u for u in units(g, decision) if not any(_near(g, side, u))]
    if not able:
        return press(g, decision, "done")
    best = max(able, key=gain)
    return Order((best,), f"{name(best)} receives a replacement")


def _near(g: G, side: int, unit: int) -> list[int]:
    """The enemy units next to a unit."""
    here = g.state.where[unit]
    return [] if here >= HEXES or here < 0 else [u for at in BOARD.around(here) for u in combat_units(g, 1 - side, at)]


def withdraw(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """The weakest, and rather one behind the front."""

    def price(unit: int) -> tuple[bool, float, int]:
        return bool(_near(g, side, unit)), staff.theatre.figures(g, unit).worth * max(1, g.state.steps[unit]), unit

    able = units(g, decision)
    return Order((min(able, key=price),)) if able else press(g, decision, "yes", "no")


def ready(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """ASUs are made ready while the side has Supply Points to spare there."""
    able = units(g, decision)
    return Order((able[0],), f"{name(able[0])} is made ready") if able else None


def lose_supply(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Attrition takes a Supply Point before an ASU."""
    at = locations(g, decision)
    return Order((g.place0 + at[0],)) if at else Order((units(g, decision)[0],))


def delay(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """A marker goes on the shortest way of the strongest mechanized enemies to a place that the side keeps, as near to them as
    it may be."""
    theatre, enemies = staff.theatre, staff.theatre.stacks(g, 1 - side)
    power = {at: sum([attack(g, u) for u in stack if mechanized(g, u)]) for at, stack in enemies.items()}
    kept = [
        goal for goal in theatre.goals(g, side) if goal.worth >= staff.weights["stays"] and goal.task in (HOLD, TAKE)
    ]
    if not power or not kept:
        return press(g, decision, "done")
    start = max(power, key=lambda at: (power[at], -at))
    unit = max(enemies[start], key=lambda one: (mechanized(g, one), attack(g, one)))
    away, _ = theatre.march(g, 1 - side, unit, start)
    goal = min(kept, key=lambda goal: (int(away[goal.hex]), goal.hex))
    back, _ = theatre.march(g, 1 - side, unit, goal.hex)
    hexes = np.array([hex for hex in locations(g, decision) if hex < HEXES])
    on_way = hexes[(away[hexes].astype(int) + back[hexes]) <= int(away[goal.hex]) + 1]
    if away[goal.hex] == FAR or not len(on_way):
        return press(g, decision, "done")
    best = int(on_way[int(np.argmin(away[on_way]))])
    return Order((g.place0 + best,), f"delays the enemy at {BOARD.name(best)}")


def bomb(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Tobruk or Benghazi before other ports."""
    first = [BOARD["3138"], BOARD["3211"]]
    at = locations(g, decision)
    return Order((g.place0 + next((hex for hex in first if hex in at), at[0]),))


def dice(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """All dice are rolled to demolish a port."""
    return Order((max(decision.legal),))


PRESSED = {
    "combat.remnant": ("remnant",), "supply.port": ("default",),
    "combat.breakthrough.group": ("done", "cancel"), "reinforcement.convert": ("yes",),
}  # fmt: skip
"""The buttons that are always pressed: remnants are kept, the strongest group breaks through, and units are converted."""
BY_KIND: dict[str, Answer] = {
    "move.stack": shatter, "combat.target": command_supreme, "combat.disengage": disengage, "port.dice": dice,
    "combat.supply": supply_attack, "combat.support": support, "combat.defence": defend,
    "combat.defence.support": support_defence, "combat.reroll": reroll, "combat.carry": best_unit,
    "combat.breakthrough": break_through, "combat.breakthrough.to": break_to, "combat.advance": advance,
    "combat.advance.to": advance_to, "replace.unit": replace, "replace.nation": best_unit, "replace.use": best_unit,
    "reinforcement.withdraw": withdraw, "reinforcement.upgrade": withdraw, "reinforcement.tanks": best_unit,
    "supply.ready": ready, "supply.attrition": lose_supply, "port.bomb": bomb,
    "delay.place": delay,
}  # fmt: skip
