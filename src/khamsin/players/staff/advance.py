"""Advances in which each unit chooses among several hexes, for games in which units advance one by one."""

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
