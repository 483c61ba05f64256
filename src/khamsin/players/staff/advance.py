"""Advances in which each unit chooses among several hexes, and attacks of units that advance, for games in which units
advance one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from khamsin.kernel.rules import Decision
from khamsin.players.scripted import Order
from khamsin.players.staff.clicks import locations, press, units
from khamsin.players.staff.tasks import Board
from khamsin.players.staff.theatre import HOLD, Costs

NO_COSTS: Costs = np.array([], dtype=np.int16)
NO_ATTACK = -99.0
"""The value of an attack that is not allowed."""


def merits(board: Board, force: Sequence[int], hexes: Sequence[int], staff: Any) -> dict[int, float]:
    """Return how good it is for units to be in each of some hexes after the enemy's next turn, by near goals, stacked
    units and danger. Units of their hex not considered yet count as stacked."""
    fields, theatre, weights = board.fields, staff.theatre, staff.weights
    g, side = fields.g, fields.side
    goals = [goal for goal in theatre.goals(g, side) if goal.task != HOLD]
    known = {goal.hex: max([one.worth for one in goals if one.hex == goal.hex]) for goal in goals}
    party = fields.party_of(force, g.state.where[force[0]], NO_COSTS)
    behind = [u for u in fields.own.get(party.hex, ()) if u not in force and u not in staff.advanced]
    company = sum([fields.figures(unit).defence for unit in behind if theatre.can_follow(g, unit)])
    far = [(worth, *theatre.march(g, side, force[0], hex)) for hex, worth in known.items() if worth >= weights["stays"]]
    found = {}
    for hex in [hex for hex in hexes if hex < theatre.hexes]:
        there = sum([fields.figures(unit).defence for unit in fields.own.get(hex, ()) if unit not in force])
        friends = there + (company if hex != party.hex else 0.0)
        merit = -board.loss(hex, party.defence + friends, party.worth, party.steps)
        if hex not in fields.hostile and not there:
            merit += known.get(hex, 0.0) * (1.0 if g.state.control.get(hex, side) != side else 0.5)
        pulls = [worth * weights["decay"] ** (costs[hex] / most) for worth, costs, most in far]
        merit += weights["pull"] * max(pulls, default=0.0)
        merit += weights["together"] * min(1.0, there / max(1.0, party.defence))
        found[hex] = merit + float(staff.taste[hex])
    return found


def advance_one(g: Any, side: int, decision: Decision, staff: Any) -> Order | None:
    """Consider the units one by one, the most valuable first; the last unit on a goal stays."""
    held = {goal.hex for goal in staff.theatre.goals(g, side) if goal.worth >= staff.weights["stays"]}
    for unit in sorted(units(g, decision), key=lambda unit: (-staff.theatre.figures(g, unit).worth, unit)):
        here = g.state.where[unit]
        if unit in staff.advanced or (here in held and len(g.state.where.stacks(side).get(here, ())) == 1):
            continue
        staff.advanced.add(unit)
        return Order((unit,))
    return press(g, decision, "done")


def advance_to(g: Any, side: int, decision: Decision, staff: Any) -> Order | None:
    """Advance to the most valuable hex, if it is worth more than staying."""
    force, here = decision.about, g.state.where[decision.about[0]]
    found = merits(staff.board(g), force, [here, *locations(g, decision)], staff)
    best = max(found, key=lambda hex: found[hex], default=here)
    if best == here:
        return press(g, decision, "cancel")
    return Order((g.place0 + best,), f"advances to {staff.theatre.name(best)}")


# Attacks of units that advance


class Pursuit:
    """The attacks that some units could make now as they advance."""

    def __init__(self, g: Any, side: int, staff: Any, force: Sequence[int]) -> None:
        self.staff, self.board, self.goals, self.force = staff, staff.board(g), staff.goals(g), force
        self.combats = staff.theatre.pursuits(g, side)

    def value(self, via: int, hex: int) -> float:
        """Return the value of an attack from one hex against another."""
        places = dict.fromkeys(self.force, via)
        outcomes = self.combats.outcomes(hex, places, 0, self.combats.arrangement(hex, places))
        if not outcomes:
            return NO_ATTACK
        assault = self.staff.assault(self.board, self.goals, hex)
        return float(assault.judged(self.board, outcomes, places).value)

    def best(self, via: int) -> float:
        """Return the value of the best attack from a hex, 0 if none pays."""
        near = [hex for hex in self.staff.theatre.near[via] if hex in self.board.fields.hostile]
        return max([0.0, *(self.value(via, hex) for hex in near)])


def break_through(g: Any, side: int, decision: Decision, staff: Any) -> Order | None:
    """Form a group that attacks as it advances if an enemy in reach could be attacked with profit: in the vacated hex, if
    there is a choice."""
    able, starts = decision.can_act(g) if decision.can_act else (), locations(g, decision)
    force = [unit for unit in able if staff.theatre.figures(g, unit).attack]
    pursuit = Pursuit(g, side, staff, force)
    fields, near, least = pursuit.board.fields, staff.theatre.near, staff.weights["least_attack"]
    vias = {via: None for start in starts for via in (start, *near[start]) if via not in fields.hostile}
    if not force or not any(pursuit.best(via) > least for via in vias):
        return press(g, decision, "done")
    empty = [hex for hex in starts if not fields.own.get(hex)]
    return Order((g.place0 + (empty or starts)[0],), "breaks through")


def break_to(g: Any, side: int, decision: Decision, staff: Any) -> Order | None:
    """Attack if it pays; else advance next to an enemy that can be attacked, or to a more valuable hex; else stop."""
    force, pursuit = decision.about, Pursuit(g, side, staff, decision.about)
    here, hostile = g.state.where[force[0]], pursuit.board.fields.hostile
    at = [hex for hex in locations(g, decision) if hex < staff.theatre.hexes]
    values = {hex: pursuit.value(here, hex) for hex in at if hex in hostile}
    best = max(values, key=lambda hex: values[hex], default=here)
    if values.get(best, NO_ATTACK) > staff.weights["least_attack"]:
        return Order((g.place0 + best,), f"attacks {staff.theatre.name(best)} as it advances, worth {values[best]:.1f}")
    found = merits(pursuit.board, force, [here, *(hex for hex in at if hex not in hostile)], staff)
    values = {hex: merit + 0.5 * pursuit.best(hex) for hex, merit in found.items()}
    end = max(values, key=lambda hex: values[hex])
    return press(g, decision, "done") if end == here else Order((g.place0 + end,))
