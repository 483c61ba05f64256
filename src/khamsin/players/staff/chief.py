"""The chief of staff: plays a side of a game through its adapter. It makes a plan for each movement phase, carries it
out order by order, declares the attacks that pay, and takes all other decisions, if nothing else by the click that does
least."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from khamsin.kernel.flood import FAR
from khamsin.kernel.rules import Decision
from khamsin.players.scripted import Order
from khamsin.players.staff.fields import Fields
from khamsin.players.staff.odds import Danger, Verdict
from khamsin.players.staff.tasks import LATE, Assault, Assignment, Board, auction, march
from khamsin.players.staff.theatre import DESTROY, RESERVE, SCREEN, Goal, Strike, Theatre

LEAST = ("done", "no", "cancel", "default", "yes")
"""The buttons that do least, the first that is legal."""
TRIES = 3
"""How often a move that is not possible yet is put off."""
OFF_MAP = -2.0
"""The merit of a retreat from the map: less than that of any hex but the worst."""
OVERFULL = 6.0
"""The deduction from the merit of a retreat into a hex without room."""
USUAL = "as usual"
TOWARDS = "towards "
"""The prefix of stances that prefer the goals around a place."""
AROUND = 3
"""The hexes around a place within which goals belong to it."""
PLACES = 3
"""The places that such stances are about."""
MOST_PHASES = 100
"""A number above the phases of a turn, to number the movement phases of a game."""


class Move:
    """A planned move: units, destination, reason, and how often it was put off."""

    def __init__(self, units: tuple[int, ...], hex: int, reason: str, is_strike: bool = False) -> None:
        self.units, self.hex, self.reason, self.is_strike, self.tries = units, hex, reason, is_strike, 0


class Plan:
    """The plan of a side for a movement phase, and its attacks afterwards."""

    def __init__(self, moment: tuple[int, int], board: Board, goals: list[Goal]) -> None:
        self.moment, self.board, self.goals = moment, board, goals
        self.moves: list[Move] = []
        self.occupiers = {
            unit
            for assignment in board.assignments
            if assignment.task not in (DESTROY, RESERVE, SCREEN)
            for party, _ in assignment.places
            for unit in party.units
        }
        """The units that are to occupy a hex, and so do not overrun."""
        self.promised: dict[int, tuple[float, int]] = {}
        """The units that an attack needs, with the loss of its value without them, and its hex."""
        self._adds = bool(board.weights.get("shares"))
        for assignment in [one for one in board.assignments if one.task == DESTROY]:
            units = [
                unit
                for party, hex in assignment.places
                if hex in board.theatre.near[assignment.hex]
                for unit in party.units
            ]
            force = {unit: board.fields.figures(unit).attack for unit in units}
            whole = max(1.0, sum(force.values()))
            for unit in units:
                share = force[unit] / whole if self._adds else 1.0
                self.promised[unit] = assignment.value * share, assignment.hex
        self.strike: Move | None = None
        self.struck: set[tuple[tuple[int, ...], int]] = set()
        self.is_searched = False
        """Whether there are no more overruns now."""
        self.is_last_search = False
        self.is_outdated = False
        """Whether overruns have changed the position before the first move."""
        self.renewals = 0
        """The plans of this phase before this one."""

    def owed(self, units: Sequence[int]) -> list[tuple[float, int]]:
        """Return the values and hexes of the attacks that need some of the units."""
        return [self.promised[unit] for unit in units if unit in self.promised]

    def given_up(self, units: Sequence[int], hex: int) -> float:
        """Return what attacks on other hexes lose without some units: with the weight `shares` their share of the attack
        strength, else the whole attack."""
        owed = [one for one in self.owed(units) if one[1] != hex]
        return sum(value for value, _ in (owed if self._adds else set(owed)))


class Chief:
    """Plays one side: the strategist of the scripted player and of the planner."""

    def __init__(
        self,
        theatre: Theatre,
        side: int,
        chance: random.Random,
        stances: Mapping[str, Mapping[str, float]],
        home: Mapping[str, Sequence[str]],
    ) -> None:
        self.theatre, self.side, self.chance = theatre, side, chance
        self.taste = np.array([0.05 * chance.random() for _ in range(theatre.hexes)])
        """A small random bonus of some hexes, different for every seed."""
        self._stances = {USUAL: {}, **stances}
        self._home = home
        """By scenario and side, the stance with which the planner compares the others, if it is not the default."""
        self._places: dict[str, int] = {}
        """The places that stances are about, by the stance."""
        self._aim: int | None = None
        """The place that the present stance is about."""
        self.weights: dict[str, float] = dict(theatre.weights)
        self.hurdle = self.weights["hurdle"]
        self.danger = Danger(theatre)
        self.kept: dict[int, int] = {}
        """The hex of each unit's task, from turn to turn."""
        self.plan: Plan | None = None
        self._planned = (-1, -1)
        self.engaged = (0.0, -1)
        """The value and the hex of the attack in progress."""
        self.later: list[tuple[int, tuple[int, ...]]] = []
        """The hexes and units of the attacks that can follow it with other units, the best first."""
        self.fought: set[int] = set()
        """The hexes that have been attacked in this turn."""
        self.barred: set[int] = set()
        """The hexes whose attack turned out illegal in this turn."""
        self._declared: Order | None = None
        self.advanced: set[int] = set()
        """The units that have been considered for the advance after the present combat."""
        self._phase = (-1, -1)
        self.errands = 0
        """The errands of this phase."""
        self._tried: set[tuple[Any, ...]] = set()

    # For the planner

    def moment(self, g: Any, decision: Decision) -> int | None:
        """Return the number of a movement phase that begins and has combat after it; else None."""
        now = (g.state.turn, g.state.phase)
        begins = decision.kind == "move.stack" and self._planned != now and self.theatre.has_combat(g, self.side)
        return g.state.turn * MOST_PHASES + g.state.phase if begins else None

    def effort(self, g: Any) -> int:
        """Return the clicks to spend on trials for a turn: some late in the game, when trials run to the end."""
        return int(self.weights["trial_clicks"]) if self.theatre.left(g) <= self.weights["trial_left"] else 0

    def stances(self, g: Any) -> list[str]:
        """Return the stances, the default first: those of the weights, and towards the places whose goals are worth most."""
        goals, board, places = self.theatre.goals(g, self.side), g.rules.board, list[int]()
        for goal in sorted(goals, key=lambda goal: (-goal.worth, goal.hex)):
            if goal.task != RESERVE and all(board.distance(goal.hex, hex) > AROUND for hex in places):
                places.append(goal.hex)
        self._places = {f"{TOWARDS}{self.theatre.name(hex)}": hex for hex in places[:PLACES]}
        home = self._home.get(g.scenario.name, (USUAL, USUAL))[self.side]
        if home == TOWARDS.strip():
            home = next(iter(self._places), USUAL)
        return [home, *(stance for stance in (*self._stances, *self._places) if stance != home)]

    def adopt(self, stance: str) -> None:
        """Use the weights of a stance, or put a place above the others."""
        self._aim = self._places.get(stance)
        usual, factors = self.theatre.weights, self._stances.get(stance, {})
        self.weights = {key: value * factors.get(key, 1.0) for key, value in usual.items()}

    def goals(self, g: Any) -> list[Goal]:
        """Return the goals of the side, in the present stance."""
        found, aim = self.theatre.goals(g, self.side), self._aim
        if aim is None:
            return found
        board, times = g.rules.board, self.weights["towards"]
        return [
            goal._replace(worth=goal.worth * times) if board.distance(goal.hex, aim) <= AROUND else goal
            for goal in found
        ]

    def again(self, stance: str) -> Chief:
        """Return another chief of the side, in a stance."""
        other = Chief(self.theatre, self.side, random.Random(0), self._stances, self._home)
        other.kept, other.taste, other._places = dict(self.kept), self.taste, self._places
        other.adopt(stance)
        return other

    def until(self, g: Any) -> Callable[[Any], bool]:
        """Return that a trial runs to the end of the game."""
        return lambda then: False

    def score(self, g: Any) -> float:
        """Return how good a position is for the side."""
        return self.theatre.score(g, self.side)

    # Orders

    def refused(self, order: Order) -> None:
        """Do not repeat an order that turned out illegal: moves have been taken from the plan, and an attack is barred."""
        if order is self._declared:
            self.barred.add(self.engaged[1])

    def order(self, g: Any, decision: Decision) -> Order:
        """Return the order for any decision, by its kind."""
        by_kind: dict[str, Callable[[Any, Decision], Order | None]] = {
            "move.stack": self.move, "combat.target": self.declare, "combat.losses": self.lose, "combat.retreat": self.retreat,
            "combat.advance": self.advance, "stacking.excess": self.lose,
        }  # fmt: skip
        if self._phase != (g.state.turn, g.state.phase):
            self._phase, self.errands = (g.state.turn, g.state.phase), 0
            self._tried.clear()
        order = self.theatre.answer(g, self.side, decision, self)
        if order is None and decision.kind in by_kind:
            order = by_kind[decision.kind](g, decision)
        if order is None or not order.clicks or order.clicks[0] not in decision.legal:
            order = self.least(g, decision)
        return order

    def tries(self, *what: Any) -> bool:
        """Whether something has not been tried in this phase; it counts as tried now."""
        if what in self._tried:
            return False
        self._tried.add(what)
        return True

    def least(self, g: Any, decision: Decision) -> Order:
        """Return the click that does least, or the first."""
        for word in LEAST:
            if word in g.rules.button_clicks and g.rules.button(word) in decision.legal:
                return Order((g.rules.button(word),))
        return Order((next(iter(decision.legal)),))

    def board(self, g: Any, moving: bool = False) -> Board:
        """Return the position as the staff sees it; with `moving`, its units are free to be given tasks."""
        return Board(Fields(self.theatre, g, self.side, self.danger, moving), self.weights, self.kept)

    def _held(self, g: Any, goals: list[Goal]) -> set[int]:
        """Return the units in hexes that are constraints: they do not overrun or attack."""
        stacks = self.theatre.stacks(g, self.side)
        found: set[int] = set()
        for goal in goals:
            if goal.must:
                found.update(stacks.get(goal.hex, ()))
        return found

    # Movement

    def move(self, g: Any, decision: Decision) -> Order:
        """Return the next order of the movement phase: overruns that pay, then the moves of the plan, then errands."""
        moment = (g.state.turn, g.state.phase)
        if self.plan is None or self.plan.moment != moment:
            self.plan = self.make_plan(g, moment)
            self.fought.clear()
            self.barred.clear()
            self._planned = moment
        plan = self.plan
        if plan.strike is not None:
            move, plan.strike = plan.strike, None
            if self._can_go(g, decision, move):
                return Order(self.theatre.move(g, move.units, move.hex), move.reason)
        late = plan.board.matter < LATE
        strike = self._best_strike(g, plan, late)
        if strike is not None:
            return strike
        if plan.is_outdated and plan.renewals < self.weights.get("renewals", np.inf):
            plan = self.plan = self.renew(g, plan)
        while plan.moves:
            move = plan.moves.pop(0)
            if self._can_go(g, decision, move):
                return Order(self.theatre.move(g, move.units, move.hex), move.reason)
            move.tries += 1
            if move.tries < TRIES:
                plan.moves.append(move)
        plan.is_searched = plan.is_searched and not (late and not plan.is_last_search)
        plan.is_last_search = True
        strike = self._best_strike(g, plan, False) if late else None
        if strike is not None:
            return strike
        errand = self.theatre.errands(g, self.side, decision, self)
        if errand is not None:
            return errand
        return self.least(g, decision)

    def _can_go(self, g: Any, decision: Decision, move: Move) -> bool:
        """Whether a move is possible now."""
        apart = {g.state.where[unit] for unit in move.units}
        if not move.is_strike and (len(apart) > 1 or move.hex in apart):
            return False
        if not all(unit in decision.legal for unit in move.units):
            return False
        movable = {unit for party in self.theatre.parties(g, self.side) for unit in party}
        if not movable.issuperset(move.units):
            return False
        if move.is_strike:
            return True
        room = self.theatre.limit - sum(
            self.theatre.figures(g, unit).points for unit in self.theatre.stacks(g, self.side).get(move.hex, ())
        )
        if sum(self.theatre.figures(g, unit).points for unit in move.units) > room:
            return False
        return bool(self.theatre.costs(g, self.side, move.units)[move.hex] != FAR)

    def current(self, g: Any) -> Plan | None:
        """Return the plan of this turn, None if there is none yet."""
        return self.plan if self.plan is not None and self.plan.moment[0] == g.state.turn else None

    def make_plan(self, g: Any, moment: tuple[int, int]) -> Plan:
        """Return the plan of a movement phase."""
        board = self.board(g, moving=True)
        goals = self.goals(g)
        with_combat = self.theatre.has_combat(g, self.side)
        for again in (True, False):
            auction(board, goals, with_combat)
            march(board, goals)
            if not again or not self._starves(board):
                break
            board = Board(board.fields, self.weights, self.kept)
        plan = Plan(moment, board, goals)
        for assignment in self._paid(g, plan):
            plan.moves += self._moves(assignment)
        kept = {
            unit: assignment.hex
            for assignment in board.assignments
            if not assignment.is_march
            for party, _ in assignment.places
            for unit in party.units
        }
        self.kept.update(kept)
        return plan

    def _paid(self, g: Any, plan: Plan) -> list[Assignment]:
        """Return the assignments that the side can pay, the most valuable first. Only attacks may take all that is left. What
        costs more is done with fewer parties."""
        purse = self.theatre.purse(g, self.side)
        if purse is None:
            return plan.board.assignments
        left, found = purse.points, []
        for one in sorted(plan.board.assignments, key=lambda one: (one.is_march, -one.value)):
            attacks = one.task == DESTROY and all(hex in self.theatre.near[one.hex] for _, hex in one.places)
            most = left + purse.for_attacks if attacks else left * self.weights["marches" if one.is_march else "share"]
            cost = self.theatre.price(g, one, attacks)
            paid: Assignment | None = one
            if cost and cost > most:
                paid = self._cheaper(g, plan, one, most) if attacks else self._smaller(g, one, most)
                kept = {unit for party, _ in paid.places for unit in party.units} if paid is not None else set[int]()
                for unit in [unit for party, _ in one.places for unit in party.units if unit not in kept]:
                    plan.promised.pop(unit, None)
            if paid is not None:
                left -= self.theatre.price(g, paid, attacks)
                found.append(paid)
        return found

    def _cheaper(self, g: Any, plan: Plan, attack: Assignment, most: float) -> Assignment | None:
        """Return an attack without the parties that add least to it, until it costs at most a price; None if it is not
        worth making then."""
        board, assault = plan.board, self.assault(plan.board, plan.goals, attack.hex)
        board.take_back(attack)
        settled = assault.settled(board, assault.near(board))
        places = attack.places
        while len(places) > 1:
            fewer = [places[:number] + places[number + 1 :] for number in range(len(places))]
            forces = [force for one in fewer if (force := assault.force(board, one, settled)) is not None]
            best = max(forces, key=lambda force: force.value, default=None)
            if best is None or best.value < self.weights["least_attack"]:
                break
            places, found = best.places, assault.assigned(board, best)
            if self.theatre.price(g, found, True) <= most:
                board.give(found)
                return found
        return None

    def _smaller(self, g: Any, one: Assignment, most: float) -> Assignment | None:
        """Return an occupation without the parties that joined last, until it costs at most a price; None if none is
        left."""
        while len(one.places) > 1:
            one = one._replace(places=one.places[:-1])
            if self.theatre.price(g, one, False) <= most:
                return one
        return None

    def renew(self, g: Any, old: Plan) -> Plan:
        """Return the plan for the units that are left after the overruns of an older one."""
        plan = self.make_plan(g, old.moment)
        plan.struck, plan.is_searched, plan.renewals = old.struck, True, old.renewals + 1
        return plan

    def _starves(self, board: Board) -> bool:
        """Whether a plan would cut its own supply lines, because units that leave no longer cover them. The fields then
        take the lines that the plan would leave, for another one."""
        placed = [(party, hex) for assignment in board.assignments for party, hex in assignment.places]
        fed = board.fields.supplied_after({unit: hex for party, hex in placed for unit in party.units})
        hungry = sum(party.worth for party, hex in placed if not fed[hex] and board.fields.supplied[hex])
        if hungry <= self.weights["hungry"] * sum(party.worth for party, _ in placed):
            return False
        board.fields.supplied = board.fields.supplied & fed
        return True

    def _moves(self, assignment: Assignment) -> list[Move]:
        """Return the moves of an assignment, with its reason in words."""
        name = self.theatre.name
        found = []
        for party, hex in assignment.places:
            if hex != party.hex:
                reason = f"{assignment.task}: to {name(hex)}"
                reason += f", {assignment.reason}" if assignment.reason else ""
                found.append(Move(party.units, hex, reason))
        return found

    # Overruns

    def _best_strike(self, g: Any, plan: Plan, goals_only: bool) -> Order | None:
        """Return the most valuable overrun, if it is worth enough."""
        if plan.is_searched:
            return None
        plan.is_searched = True
        held = self._held(g, plan.goals) | plan.occupiers
        strikes = [one for one in self.theatre.strikes(g, self.side, held) if (one.units, one.hex) not in plan.struck]
        if not strikes:
            return None
        board = self.board(g, moving=False)
        best: tuple[float, Strike, Verdict] | None = None
        for strike in strikes:
            assault = self.assault(board, plan.goals, strike.hex)
            if goals_only and assault.prize < self.weights["stays"]:
                continue
            if board.matter == 1.0 and not board.fields.supplied[strike.hex]:
                continue  # supply is a constraint
            verdict = assault.verdict(board, dict.fromkeys(strike.units, strike.via))
            if verdict is None or verdict.cleared < self.weights["overrun_sure"]:
                continue
            if plan.given_up(strike.units, strike.hex) > verdict.value:
                continue
            if best is None or verdict.value > best[0]:
                best = verdict.value, strike, verdict
        if best is None or best[0] < self.weights["least_overrun"]:
            return None
        plan.is_searched = False
        plan.is_outdated = not plan.is_last_search
        value, strike, verdict = best
        self.engaged, self.later = (value, strike.hex), []
        plan.struck.add((strike.units, strike.hex))
        at = self.theatre.name(strike.hex)
        reason = f"overruns {at}: {verdict.cleared:.0%} to clear it, worth {value:.1f}"
        if g.state.where[strike.units[0]] == strike.via:
            return Order(self.theatre.move(g, strike.units, strike.hex), reason)
        plan.strike = Move(strike.units, strike.hex, reason, is_strike=True)
        return Order(self.theatre.move(g, strike.units, strike.via))

    # Combat

    def worth_of(self, g: Any, hex: int) -> float:
        """Return the value of a hex to the side as a goal."""
        return max([goal.worth for goal in self.goals(g) if goal.hex == hex], default=0.0)

    def assault(self, board: Board, goals: list[Goal], hex: int) -> Assault:
        """Return an attack on a hex with the value of clearing it."""
        prize = max([goal.worth for goal in goals if goal.hex == hex], default=0.0)
        return Assault(hex, prize + self.weights["ground"] * board.matter * board.fields.prey[hex], "")

    def attacks(self, g: Any, hexes: list[int]) -> list[tuple[float, int, tuple[int, ...], Verdict]]:
        """Return the attacks that could be made now: value, hex, units and verdict, the best first."""
        board, goals = self.board(g), self.goals(g)
        held = self._held(g, goals)
        found = []
        for hex in hexes:
            if hex not in board.fields.hostile or hex in self.barred:
                continue
            able = self.theatre.attackers(g, self.side, hex)
            assault = self.assault(board, goals, hex)
            best: tuple[float, tuple[int, ...], Verdict] | None = None
            for force, given_up in self._forces(g, [unit for unit in able if unit not in held], hex):
                verdict = assault.verdict(board, {unit: g.state.where[unit] for unit in force}) if force else None
                if verdict is not None and (best is None or verdict.value - given_up > best[0]):
                    best = verdict.value - given_up, force, verdict
            for force, given_up in self._forces(g, list(able), hex) if held.intersection(able) else ():
                verdict = assault.verdict(board, {unit: g.state.where[unit] for unit in force}) if force else None
                if verdict is None or verdict.cleared < self.weights.get("held_sure", 2.0):
                    continue  # a garrison attacks only if it is unlikely to have to retreat
                from_hexes = {g.state.where[unit] for unit in force}
                kept = sum(goal.worth for goal in goals if goal.must and goal.hex in from_hexes)
                value = verdict.value - given_up - self.weights.get("held_risk", 0.0) * kept * (1 - verdict.cleared)
                if best is None or value > best[0]:
                    best = value, force, verdict
            if best is not None and self.weights.get("attacker_price"):
                best = self._fewest(g, board, assault, best)
            if best is not None and best[0] >= self.weights["least_attack"]:
                found.append((best[0], hex, best[1], best[2]))
        return sorted(found, key=lambda one: (-one[0], one[1]))

    def _fewest(
        self, g: Any, board: Board, assault: Assault, best: tuple[float, tuple[int, ...], Verdict]
    ) -> tuple[float, tuple[int, ...], Verdict]:
        """Return an attack without the units that cost more than they bring, the weakest first."""
        value, force, verdict = best
        for unit in sorted(force, key=lambda unit: (board.fields.figures(unit).attack, unit)):
            fewer = tuple(one for one in force if one != unit)
            found = assault.verdict(board, {one: g.state.where[one] for one in fewer}) if fewer else None
            if found is not None and found.value - verdict.value > 0:
                value, force, verdict = value + found.value - verdict.value, fewer, found
        return value, force, verdict

    def _forces(self, g: Any, units: list[int], hex: int) -> list[tuple[tuple[int, ...], float]]:
        """Return the forces that could attack a hex, with the value of the planned attacks that they would prevent: all units
        there, and those that no other planned attack needs."""
        plan = self.current(g)
        if plan is None:
            return [(tuple(units), 0.0)]
        enemies = self.theatre.stacks(g, 1 - self.side)
        promised = {
            unit
            for unit in units
            if unit in plan.promised and plan.promised[unit][1] in enemies.keys() - self.fought - {hex}
        }
        return [
            (tuple(units), plan.given_up(list(promised), hex)),
            (tuple(unit for unit in units if unit not in promised), 0.0),
        ]

    def better_attacks(self, g: Any) -> int:
        """Return how many attacks are still planned for this turn that are worth more than the present one."""
        plan = self.current(g)
        if plan is None:
            return 0
        enemies = self.theatre.stacks(g, 1 - self.side)
        planned = [one for one in plan.board.assignments if one.task == DESTROY and one.hex != self.engaged[1]]
        return sum(one.value > self.engaged[0] and one.hex in enemies and one.hex not in self.fought for one in planned)

    def shared_support(self, g: Any, units: Sequence[int], points: int) -> int:
        """Return how many points of support the present attack gets, so that it and the attacks that follow are worth
        most together; no more than change its results."""
        board, goals = self.board(g), self.goals(g)
        most = int(self.weights["support_per_attack"])
        best = [(0.0, 0)] * (points + 1)  # by points left: the value, and how many the attack gets
        for hex, force in reversed([(self.engaged[1], tuple(units)), *self.later]):
            places, assault = {unit: g.state.where[unit] for unit in force}, self.assault(board, goals, hex)
            values = [assault.verdict(board, places, number) for number in range(min(most, points) + 1)]
            worth = [one.value if one is not None else 0.0 for one in values]
            best = [
                max([(worth[n] + best[left - n][0], -n) for n in range(min(left + 1, len(worth)))])
                for left in range(points + 1)
            ]
        return -best[points][1]

    def declare(self, g: Any, decision: Decision) -> Order | None:
        """Declare the most valuable attack, without units that another attack needs more."""
        first, last = g.place0, g.rules.first_button
        hexes = [click - first for click in decision.legal if first <= click < last]
        found = self.attacks(g, hexes)
        if not found:
            return None
        value, hex, units, verdict = found[0]
        self.engaged = value, hex
        self.fought.add(hex)
        self.later = [(one[1], one[2]) for one in found[1:] if not {*one[2]}.intersection(units)]
        self.advanced.clear()
        clicks = self.theatre.declare(g, self.side, hex, units)
        at = self.theatre.name(hex)
        self._declared = Order(clicks, f"attacks {at}: {verdict.cleared:.0%} to clear it, worth {value:.1f}")
        return self._declared

    def lose(self, g: Any, decision: Decision) -> Order | None:
        """Lose the least valuable units; of the enemy, the most valuable."""
        units = [click for click in decision.legal if g.is_unit(click)]
        if units and g.rules.counters[units[0]].side != self.side:
            return Order((max(units, key=lambda unit: (self.theatre.figures(g, unit).worth, -unit)),))

        def price(unit: int) -> tuple[float, int]:
            figures = self.theatre.figures(g, unit)
            return figures.worth / max(1, figures.steps), -figures.steps

        return Order((min(units, key=lambda unit: (*price(unit), unit)),)) if units else None

    def retreat(self, g: Any, decision: Decision) -> Order | None:
        """Retreat into supply, to friends and goals, away from the enemy."""
        first, last = g.place0, g.rules.first_button
        hexes = [click - first for click in decision.legal if first <= click < last]
        if not hexes:
            units = [click for click in decision.legal if g.is_unit(click)]
            return Order((units[0],)) if units else None
        board, goals = self.board(g), {goal.hex: goal.worth for goal in self.goals(g)}
        fields = board.fields
        points = sum(fields.figures(unit).points for unit in decision.about)

        def merit(hex: int) -> float:
            if hex >= self.theatre.hexes:
                return OFF_MAP
            full = points + sum(fields.figures(unit).points for unit in fields.own.get(hex, ())) > self.theatre.limit
            friends = sum(fields.figures(unit).defence for unit in fields.own.get(hex, ()))
            danger = fields.thrown(hex, friends + 4)
            return (
                4.0 * bool(fields.supplied[hex])
                + goals.get(hex, 0.0)
                - 3.0 * danger
                - OVERFULL * full
                + float(self.taste[hex])
            )

        return Order((first + max(hexes, key=merit),))

    def _is_spare(self, board: Board, goals: Mapping[int, Goal], unit: int, hex: int) -> bool:
        """Whether a unit may leave a goal for a cleared hex, because others stay there. With the weight `leaves` the
        loss of the goal's value, by the higher chance that the others are forced out, is limited; a constraint must
        stay safe."""
        fields, at = board.fields, board.fields.g.state.where[unit]
        stack = fields.own.get(at, ())
        if len(stack) < 2 or not self.weights.get("leaves") or not board.is_answered:
            return len(stack) > 1
        now = sum(fields.figures(one).defence for one in stack)
        thrown = [fields.thrown(at, left) for left in (now, now - fields.figures(unit).defence)]
        if goals[at].must:
            return thrown[1] <= self.weights["leaves"] / 2
        gain = goals[hex].worth * self.weights["presence"] if hex in goals else 0.0
        return goals[at].worth * (thrown[1] - thrown[0]) <= max(self.weights["leaves"], gain)

    def advance(self, g: Any, decision: Decision) -> Order | None:
        """Advance if the hex is a goal, or if the units are not worse off; units that hold a goal stay."""
        hex = self.theatre.advance_hex(g, self.side, decision)
        if hex is None:
            return None
        goals = {goal.hex: goal for goal in self.goals(g)}
        board = self.board(g)
        fields = board.fields
        units = [unit for unit in decision.about if unit in decision.legal]
        held = {
            at
            for at in {g.state.where[unit] for unit in units}
            if at in goals and goals[at].worth >= self.weights["stays"]
        }
        free = [unit for unit in units if g.state.where[unit] not in held or self._is_spare(board, goals, unit, hex)]
        if not free:
            return None
        wanted = hex in goals
        there = sum(fields.figures(unit).defence for unit in fields.own.get(hex, ()))
        force = sum(fields.figures(unit).defence for unit in free)
        known = {unit: fields.figures(unit) for unit in free}
        worth, steps = sum(one.worth for one in known.values()), sum(one.steps for one in known.values())
        now = sum(board.loss(g.state.where[u], one.defence, one.worth, one.steps) for u, one in known.items())
        then = board.loss(hex, force + there, worth, steps)
        if not wanted and (there or then > now * self.weights["advance"]):
            return None
        if g.place0 + hex in decision.legal and not held:
            return Order((g.place0 + hex,), f"advances into {self.theatre.name(hex)}")
        best = max(free, key=lambda unit: (fields.figures(unit).defence, -unit))
        return Order((best,), f"advances into {self.theatre.name(hex)}")
