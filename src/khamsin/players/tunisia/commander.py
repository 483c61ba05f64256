"""The chief of staff for Tunisia: as for every game, within what supply allows."""

from __future__ import annotations

import random

from khamsin.games.tunisia import fuel
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.units import BOARD, DIVISION, HEXES, ORGANIC, TRUCKS_OF, G, on_map, stock
from khamsin.kernel.rules import Decision
from khamsin.players.scripted import Order
from khamsin.players.staff.chief import Chief, Plan
from khamsin.players.staff.tasks import Assignment
from khamsin.players.staff.theatre import DESTROY, RESERVE, SCREEN
from khamsin.players.tunisia import logistics
from khamsin.players.tunisia.theatre import Tunisia
from khamsin.players.tunisia.weights import SUPPLY


class Commander(Chief):
    """Plays one side of Tunisia."""

    theatre: Tunisia
    moment_tried = (-1, -1)
    """The movement phase whose errands are remembered."""

    def again(self, stance: str) -> Commander:
        """Return another commander of the side, in a stance."""
        other = Commander(self.theatre, self.side, random.Random(0), self._stances)
        other.kept = dict(self.kept)
        other.adopt(stance)
        return other

    def move(self, g: G, decision: Decision) -> Order:
        """Return the next order of a movement phase: units that exit go first, and reserves are
        released before the plan is made."""
        moment = (g.state.turn, g.state.phase)
        if self.moment_tried != moment:
            self.moment_tried = moment
            self.theatre.tried.clear()
        return (
            logistics.leave(g, self.side, decision, self.theatre)
            or logistics.release(g, self.side, decision)
            or logistics.relieve(g, self.side, decision, self.theatre)
            or logistics.fuel_divisions(g, self.side, decision, self.plan, self.theatre)
            or logistics.open_railway(g, self.side, decision, self.plan, self.theatre)
            or super().move(g, decision)
        )

    def make_plan(self, g: G, moment: tuple[int, int]) -> Plan:
        """Return the plan of a movement phase, without the moves for which the tokens of the turn are too few: those of most
        value are made first, marches last and only with what is left over."""
        plan = super().make_plan(g, moment)
        left, organic = budget(g, self.side)
        plan.moves = []
        for assignment in sorted(plan.board.assignments, key=urgency):
            cost, share = price(g, assignment, self.theatre), SUPPLY["marches" if is_march(assignment) else "share"]
            if cost > (left + organic if is_attack(assignment) else left * share) and cost:
                for unit in [unit for party, _ in assignment.places for unit in party.units]:
                    plan.promised.pop(unit, None)
                continue
            left -= cost
            plan.moves += self._moves(assignment)
        return plan


def urgency(assignment: Assignment) -> tuple[bool, float]:
    """What is paid first: attacks before the rest of the same value, marches last."""
    times = SUPPLY["attacks"] if is_attack(assignment) else 1.0
    return is_march(assignment), -assignment.value * times


def is_march(assignment: Assignment) -> bool:
    """Whether units only march to be at hand."""
    return assignment.task in (RESERVE, SCREEN)


def is_attack(assignment: Assignment) -> bool:
    """Whether units attack in this turn, rather than approach a goal for an attack later."""
    return assignment.task == DESTROY and all(hex in BOARD.around(assignment.hex) for _, hex in assignment.places)


def price(g: G, assignment: Assignment, theatre: Tunisia) -> int:
    """The tokens that an assignment costs: fuel of those that need it where they go, combat supply and a barrage. A SP fuels
    a whole division."""
    cost, divisions = int(SUPPLY["barrage"]) if is_attack(assignment) else 0, dict[str, int]()
    for party, hex in assignment.places:
        for unit in theatre.thirsty(g, party.units, hex) if hex != party.hex else []:
            divisions[DIVISION[unit]] = divisions.get(DIVISION[unit], 0) + 1
        cost += len(party.units) if is_attack(assignment) else 0
    return cost + sum([min(number, fuel.LASTING) if name else number for name, number in divisions.items()])


def budget(g: G, side: int) -> tuple[float, int]:
    """The tokens of a side less some for the defence until the last turns, and those of organic trucks."""
    loads = {truck: g.state.load[truck] for truck in TRUCKS_OF[side] if on_map(g, truck)}
    organic = sum([load for truck, load in loads.items() if ORGANIC[truck]])
    total = sum([amount for hex, amount in stock(g, side).items() if hex < HEXES]) + sum(loads.values()) - organic
    return (total if setting(g).last - g.state.turn <= 1 else total - SUPPLY["spare"]), organic
