"""Tasks, and how parties bid for them.

A task looks for the parties that do it best and bids their marginal value, after the expected loss to the enemy's next
turn and the value of what they leave. The auction gives the best bid its parties, and the other tasks bid again. A
party gets one task. Constraints (bases, supply lines) come first. The remaining parties march to where they will be
needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from khamsin.kernel.flood import FAR
from khamsin.players.staff.fields import Fields, Party
from khamsin.players.staff.odds import Stake, Verdict, weigh
from khamsin.players.staff.theatre import (
    CUT,
    DESTROY,
    GUARD,
    HOLD,
    RESERVE,
    SCREEN,
    TAKE,
    Field,
    Goal,
    Outcome,
    Theatre,
)

LATE = 0.5
"""The weight of units in the last turn."""
MOST_SUPPORTED = 3
"""The strongest stacks that supporting units follow."""
MOST_PARTIES = 10
"""The most parties that are considered for one attack."""
GOALS_BETWEEN = 4
"""The goals after which it is asked again whether the others can attract a party more."""
ROUNDING = 1e-6
"""More than the rounding errors in the value of an attack."""


PLANNED = ("assignments", "free", "attacking", "defence", "points", "settled", "_exposed", "_exits")
"""What of a board changes with its assignments."""
Places = tuple[tuple[Party, int], ...]
"""Parties with the hexes they go to."""
NOBODY: frozenset[int] = frozenset()


class Assignment(NamedTuple):
    """Parties with the hexes they go to, for a task."""

    task: str
    hex: int
    """The hex that the task is about."""
    places: tuple[tuple[Party, int], ...]
    value: float
    reason: str

    @property
    def is_march(self) -> bool:
        """Whether units only march to be available."""
        return self.task in (RESERVE, SCREEN)

    def is_attack(self, theatre: Theatre, hex: int) -> bool:
        """Whether a party in a hex attacks this turn."""
        return self.task == DESTROY and hex in theatre.near[self.hex]


class Board:
    """The plan in progress: free parties, and which units will be where."""

    def __init__(self, fields: Fields, weights: Mapping[str, float], kept: Mapping[int, int]) -> None:
        """`kept` has the hex of each unit's task of the turn before."""
        self.fields, self.theatre, self.weights = fields, fields.theatre, weights
        self._tasks: dict[int, set[int]] = {}
        for unit, hex in kept.items():
            self._tasks.setdefault(hex, set()).add(unit)
        self.free = list(fields.parties)
        movable = {unit for party in self.free for unit in party.units}
        self.defence: Field = np.zeros(self.theatre.hexes)
        self.points = np.zeros(self.theatre.hexes, dtype=np.int64)
        self._hostile = np.zeros(self.theatre.hexes, dtype=bool)
        self._hostile[[hex for hex in fields.hostile if hex < self.theatre.hexes]] = True
        self.settled: dict[int, list[int]] = {}
        self._exposed: dict[int, dict[int, tuple[float, float]]] = {}
        self._exits: dict[tuple[int, frozenset[int]], int] = {}
        self._fronts: dict[tuple[int, int], list[int]] = {}
        self.support = min(int(weights["support_per_attack"]), self.theatre.support(fields.g, fields.side))
        """The support that an attack is counted to have."""
        self.attacking: set[int] = set()
        """With `trades`, the units assigned to an attack: no other attack counts on them."""
        for hex, stack in fields.own.items():
            for unit in stack:
                if unit not in movable:
                    self._put(unit, hex)
        self.is_answered = self.theatre.is_answered(fields.g, fields.side)
        self.matter = self.theatre.matter(fields.g, fields.side)
        """The weight of units in comparison with goals."""
        self.fear = weights["fear"] * self.matter if self.is_answered else 0.0
        self.trades = int(weights.get("trades", weights.get("trades_last", 0) if self.matter < LATE else 0))
        """How often parties change from one attack to another."""
        self.assignments: list[Assignment] = []
        self.most_weighed = weights.get("most_weighed", np.inf)
        self.weighed = 0
        """The attacks weighed to improve others. At most `most_weighed` are, and as many again for trades."""
        self._losses: dict[tuple[int, float, float, int], float] = {}

    def _put(self, unit: int, hex: int) -> None:
        figures = self.fields.figures(unit)
        self._changed(hex)
        self.defence[hex] += figures.defence
        self.points[hex] += figures.points
        self.settled.setdefault(hex, []).append(unit)

    def _changed(self, hex: int) -> None:
        """Forget what depends on the units that will be in a hex."""
        self._exposed.pop(hex, None)
        self._exits.clear()

    def give(self, assignment: Assignment) -> None:
        """Give an assignment its parties."""
        self.assignments.append(assignment)
        for party, hex in assignment.places:
            whole = self.whole(party)
            self.free.remove(whole)
            rest = self.fields.without(whole, party.units)
            if rest is not None:
                self.free.append(rest)
            for unit in party.units:
                self._put(unit, hex)
                if self.trades and assignment.is_attack(self.theatre, hex):
                    self.attacking.add(unit)

    def take_back(self, assignment: Assignment) -> None:
        """Make the parties of an attack free again."""
        self.assignments.remove(assignment)
        for party, hex in assignment.places:
            self.free.append(party)
            self.attacking.difference_update(party.units)
            self._changed(hex)
            self.defence[hex] -= party.defence
            self.points[hex] -= party.points
            self.settled[hex] = [unit for unit in self.settled[hex] if unit not in party.units]
            if not self.settled[hex]:
                del self.settled[hex]

    @contextmanager
    def without(self, attacks: Sequence[Assignment]) -> Iterator[None]:
        """Take attacks back for a while."""
        kept = {name: getattr(self, name) for name in PLANNED}
        self.assignments, self.free, self.attacking = list(self.assignments), list(self.free), set(self.attacking)
        self.defence, self.points, self.settled = self.defence.copy(), self.points.copy(), dict(self.settled)
        self._exposed, self._exits = dict(self._exposed), {}
        for one in attacks:
            self.take_back(one)
        yield
        vars(self).update(kept)

    def whole(self, party: Party) -> Party:
        """Return the free party that a party is, or is part of."""
        return party if party in self.free else next(one for one in self.free if party.units[0] in one.units)

    def has_room(self, hex: int, points: int) -> bool:
        """Whether a hex has room for more stacking points."""
        return bool(self.points[hex] + points <= self.theatre.limit)

    def ends(self, hexes: NDArray[np.intp], points: int) -> NDArray[np.intp]:
        """Return those of some hexes where units with these stacking points may end: no enemy is there, and there is
        room."""
        return hexes[(self.points[hexes] + points <= self.theatre.limit) & ~self._hostile[hexes]]

    def loss(self, hex: int, defence: float, worth: float, steps: int) -> float:
        """Return the expected loss of a force in a hex to the enemy's next turn, in value."""
        if not self.fear or not worth or hex >= self.theatre.hexes:
            return 0.0
        key = hex, defence, worth, steps
        found = self._losses.get(key)
        if found is None:
            found = worth * self.fields.harm_in(hex, defence, steps) * self.fear
            if not self.fields.supplied[hex]:
                found += worth * self.weights["unsupplied"] * self.matter
            self._losses[key] = found
        return found

    def exposed(self, places: Places) -> float:
        """Return the expected loss of parties in some hexes to the enemy's next turn, beyond half of that where they
        are now."""
        sums = dict[int, int]()
        for party, hex in places:
            sums[hex] = sums.get(hex, 0) | party.bit
        total = 0.0
        for hex, parties in sums.items():
            known = self._exposed.get(hex)
            if known is None:
                known = self._exposed[hex] = {}
            found = known.get(parties)
            if found is None:
                found = known[parties] = self._together(hex, [party for party, at in places if at == hex])
            total = total + found[0] - found[1] * 0.5
        return total

    def _together(self, hex: int, parties: list[Party]) -> tuple[float, float]:
        """Return the expected loss of parties together in a hex to the enemy's next turn, and that where they are now."""
        defence = float(self.defence[hex]) + sum([one.defence for one in parties])
        worth, steps = sum([one.worth for one in parties]), sum([one.steps for one in parties])
        now = sum([self.loss(one.hex, one.defence, one.worth, one.steps) for one in parties])
        return self.loss(hex, defence, worth, steps), now

    def exits(self, hex: int, taken: frozenset[int]) -> int:
        """Return to how many hexes the defender of a hex could retreat without loss; -1 if it could not at all."""
        found = self._exits.get((hex, taken))
        if found is None:
            found = self._exits[hex, taken] = exits(self, hex, taken)
        return found

    def front(self, hex: int, party: Party) -> list[int]:
        """Return the hexes from which a party could attack a hex. Supply is a constraint."""
        found = self._fronts.get((hex, party.bit))
        if found is None:
            near = [at for at in self.theatre.near[hex] if at not in self.fields.hostile and party.reaches(at)]
            if self.matter >= 1.0:
                near = [at for at in near if at == party.hex or self.fields.supplied[at]]
            found = self._fronts[hex, party.bit] = near
        return found

    def loyalty(self, party: Party, hex: int) -> float:
        """Return the bonus for a task that the party had before."""
        return 0.0 if self._tasks.get(hex, NOBODY).isdisjoint(party.units) else self.weights["loyalty"]

    def loyalty_of_any(self, places: Places, hex: int) -> float:
        """Return the same for parties of which one had the task."""
        before = self._tasks.get(hex)
        if not before or all(before.isdisjoint(party.units) for party, _ in places):
            return 0.0
        return self.weights["loyalty"]


# Occupation: take, hold, cut, guard


class Occupation(NamedTuple):
    """A hex without enemies to occupy, with enough units to hold it."""

    goal: Goal
    is_garrison: bool = False
    """Whether it bids only for the strength that the goal needs."""

    def bid(self, board: Board) -> Assignment | None:
        """Return the parties that raise the value of the hex most, one after the other while each adds more than it
        costs."""
        goal, fields, weights = self.goal, board.fields, board.weights
        hex = goal.hex
        if hex in fields.hostile:
            return None
        fed = bool(fields.supplied[hex])
        parties = list(board.free)
        if goal.thin and (goal.task in (TAKE, GUARD) or self.is_garrison) and weights.get("detach"):
            parts = [part for party in board.free for part in fields.detachments(party)]
            parties += [part for part in parts if part.defence >= goal.strength]
        able = [
            party for party in parties
            if party.reaches(hex) and (fed or party.lasts) and not (party.is_support and weights.get("along"))
        ]  # fmt: skip
        chosen: list[Party] = []
        defence, points = float(board.defence[hex]), 0
        steps = worth = 0.0
        best = before = self.worth(board, defence) if board.settled.get(hex) else 0.0
        while able:
            if self.is_garrison and defence >= goal.strength and (chosen or board.settled.get(hex)):
                break
            bids: list[tuple[float, int, Party]] = []
            for party in able:
                if not board.has_room(hex, points + party.points):
                    continue
                most = max(defence, goal.strength) if self.is_garrison and goal.strength else np.inf
                value = self.worth(board, min(most, defence + party.defence))
                value -= board.loss(hex, defence + party.defence, worth + party.worth, int(steps + party.steps))
                bids.append((value - weights["effort"] * party.worth * self.distance(party) + board.loyalty(party, hex)
                             - (weights["support_alone"] if party.is_support and not defence else 0.0)
                             - weights["diverted"] * board.matter * party.attack, len(bids), party))  # fmt: skip
            if not bids:
                break
            value, _, party = max(bids)
            if value <= best + weights["least_marginal"] and not (
                goal.must and not chosen and not board.settled.get(hex)
            ):
                break
            best = value
            chosen.append(party)
            able.remove(party)
            defence, points = defence + party.defence, points + party.points
            steps, worth = steps + party.steps, worth + party.worth
            if goal.thin or goal.task in (CUT, SCREEN):
                break
        if not chosen or (best - before < weights["least_occupation"] and not goal.must):
            return None
        places = tuple((party, hex) for party in chosen)
        return Assignment(goal.task, hex, places, best - before, goal.reason)

    def worth(self, board: Board, defence: float) -> float:
        """Return the value of the goal times the chance that a defence holds it; less while the enemy still moves."""
        fields, goal = board.fields, self.goal
        guarded = min(1.0, defence / goal.strength) if goal.strength else 1.0
        if not board.is_answered:
            return goal.worth * (guarded if board.weights.get("guards_last") else 1.0)
        kept = 1.0 - fields.thrown(goal.hex, defence)
        floor = board.weights["presence"]
        return goal.worth * (floor + (1 - floor) * kept) * guarded

    def distance(self, party: Party) -> float:
        """Return how far a party is from the hex, from 0 to 1."""
        if party.hex == self.goal.hex:
            return 0.0
        return float(min(1.0, 0.2 + party.costs[self.goal.hex] / 60))


class Approach(NamedTuple):
    """A goal that few parties can reach now: some move to where they reach it next turn, or later this turn if they
    move twice."""

    goal: Goal

    def bid(self, board: Board) -> Assignment | None:
        """Return the party that comes near enough at the least cost, with the best chance to take the goal then."""
        goal, fields, theatre, weights = self.goal, board.fields, board.theatre, board.weights
        best: tuple[float, Party, int] | None = None
        for party in board.free:
            again = goal.hex not in fields.hostile and theatre.moves_again(fields.g, fields.side, party.units)
            if party.is_support or party.reaches(goal.hex) or not (again or board.matter >= LATE):
                continue
            costs, allowance = theatre.march(fields.g, fields.side, party.units[0], goal.hex)
            if party.hex < theatre.hexes and costs[party.hex] > 2 * allowance:
                continue
            fit = ~fields.contact if again and board.matter < LATE else fields.supplied
            near = np.flatnonzero((party.costs != FAR) & (costs <= weights["within"] * allowance) & fit)
            near = board.ends(near, party.points)
            if not len(near):
                continue
            loss = board.fear * party.worth * fields.harm(near, board.defence[near] + party.defence, party.steps)
            score = -weights.get("approach_fear", 1.0) * loss - 2.0 * costs[near] / allowance
            at = int(np.argmax(score))
            strength = min(1.0, (party.attack + party.defence) / weights["approach_strength"])
            value = goal.worth * weights["approach"] * strength + float(score[at]) + board.loyalty(party, goal.hex)
            if best is None or value > best[0]:
                best = value, party, int(near[at])
        if best is None or best[0] < weights["least_occupation"]:
            return None
        value, party, hex = best
        reason = f"to reach {theatre.name(goal.hex)} in the next turn"
        return Assignment(goal.task, goal.hex, ((party, hex),), value, reason)


# Attack: destroy


class Force(NamedTuple):
    """An attack as it is planned."""

    value: float
    places: Places
    verdict: Verdict


class Assault(NamedTuple):
    """An enemy stack that can be attacked."""

    hex: int
    prize: float
    reason: str

    def bid(self, board: Board) -> Assignment | None:
        """Return the parties whose attack has the most value, from the hexes where they are safest."""
        near = self.near(board)
        candidates = sorted(
            (party for party in board.free if party.attack and any(party.reaches(hex) for hex in near)),
            key=lambda party: (-party.attack / max(1, party.points), party.units),
        )[:MOST_PARTIES]
        settled = self.settled(board, near)
        best: Force | None = None
        chosen: Places = ()
        for party in candidates:
            hex = self.place(board, party, chosen)
            if hex is None:
                continue
            chosen = (*chosen, (party, hex))
            enough = best.value + board.weights["least_marginal"] if best else -np.inf
            found = self.force(board, chosen, settled, enough)
            if found is not None and found.value > enough:
                best = found
        if best is not None:
            best = self._better(board, best, settled)
        return self.assigned(board, best) if best is not None and best.value >= board.weights["least_attack"] else None

    def assigned(self, board: Board, force: Force) -> Assignment:
        """Return the attack of a force with its reason."""
        at = board.theatre.name(self.hex)
        reason = f"attacks {at}: {force.verdict.cleared:.0%} to clear it, worth {force.value:.1f}{self.reason}"
        return Assignment(DESTROY, self.hex, force.places, force.value, reason)

    def near(self, board: Board) -> list[int]:
        """Return the hexes from which units of the side can attack."""
        return [hex for hex in board.theatre.near[self.hex] if hex not in board.fields.hostile]

    def around(self, board: Board) -> set[int]:
        """Return the hexes where units of the side can matter to the attack."""
        return {at for hex in board.theatre.near[self.hex] for at in (hex, *board.theatre.near[hex])}

    def settled(self, board: Board, near: list[int]) -> dict[int, int]:
        """Return the units that are adjacent to the hex for another task and can join in, with their hexes."""
        return {
            unit: hex for hex in near for unit in board.settled.get(hex, ())
            if board.fields.figures(unit).attack and unit not in board.attacking
        }  # fmt: skip

    def force(self, board: Board, places: Places, settled: Mapping[int, int], above: float = -np.inf) -> Force | None:
        """Return the attack of parties from some hexes, together with units there, with its verdict. None if it is not
        allowed; or if even a certain success would be worth no more than `above`, which is checked before the results.
        """
        weights, moved, attack = board.weights, 0.0, 0.0
        for one, at in places:
            attack += one.attack
            if at != one.hex:
                moved += one.worth
        costs = (
            max(0.0, board.exposed(places)) * weights["exposure"],
            weights["effort"] * moved * 0.3,
            weights.get("committed", 0.0) * board.matter * attack,
            -board.loyalty_of_any(places, self.hex),
        )
        needed = above + sum(costs) - ROUNDING
        if self.most(board) < needed:
            return None
        units = {**settled, **{unit: at for one, at in places for unit in one.units}}
        verdict = self.verdict(board, units, above=needed)
        if verdict is None:
            return None
        value = verdict.value
        for cost in costs:
            value -= cost
        return Force(value, places, verdict)

    def most(self, board: Board) -> float:
        """Return the value of an attack that destroys the defender without loss."""
        return board.weights["kill"] * board.matter * board.fields.prey[self.hex] + self.prize

    def _better(self, board: Board, force: Force, settled: Mapping[int, int]) -> Force:
        """Return the force with parties in other hexes, or without one, as long as that adds value: where the parties
        are, arms combine and the defender is surrounded."""
        for _ in range(int(board.weights.get("better_tries", 0))):
            best = force
            for number, (party, hex) in enumerate(force.places):
                if board.weighed >= board.most_weighed:
                    return best
                others = force.places[:number] + force.places[number + 1 :]
                trials = [(*others, (party, at)) for at in self._open(board, party, others) if at != hex]
                if others:
                    trials.append(others)
                board.weighed += len(trials)
                for places in trials:
                    enough = best.value + board.weights["least_marginal"]
                    found = self.force(board, places, settled, enough)
                    if found is not None and found.value > enough:
                        best = found
            if best is force:
                break
            force = best
        return force

    def _open(self, board: Board, party: Party, others: Places) -> list[int]:
        """Return the hexes from which a party can attack next to the others."""
        found = []
        for hex in board.front(self.hex, party):
            points = party.points
            for one, at in others:
                if at == hex:
                    points += one.points
            if board.has_room(hex, points):
                found.append(hex)
        return found

    def place(self, board: Board, party: Party, chosen: Places) -> int | None:
        """Return the hex from which a party attacks: where the expected loss to the enemy's next turn is least, next to
        others of the attack."""
        found = []
        for hex in self._open(board, party, chosen):
            friends = float(board.defence[hex]) + sum([one.defence for one, at in chosen if at == hex])
            cost = board.loss(hex, friends + party.defence, party.worth, party.steps)
            empty = board.weights["surround"] if chosen and not friends else 0.0
            found.append((cost - empty - 0.01 * (hex == party.hex), hex))
        return min(found)[1] if found else None

    def verdict(
        self, board: Board, units: Mapping[int, int], support: int | None = None, above: float = -np.inf
    ) -> Verdict | None:
        """Return the verdict on an attack of units from some hexes, None if it is not allowed. Without a given support
        it has as much as pays, if it is then worth more than `above`; only then the support is checked."""
        fields, weights = board.fields, board.weights
        if support is None:
            support = board.support
        price = weights.get("support_price", 0.0)
        arrangement = fields.combats.arrangement(self.hex, units)
        ways_out = self._exits(board, units)
        best: Verdict | None = None
        for points in range(support + 1) if price else (support,):
            key = self.hex, self.prize, arrangement, points, ways_out
            if key in fields.verdicts:
                found = fields.verdicts[key]
            else:
                outcomes = fields.outcomes(self.hex, units, arrangement, points)
                found = fields.verdicts[key] = self._weighed(board, outcomes, units, ways_out) if outcomes else None
            cost = price * board.matter * points + weights.get("attacker_price", 0.0) * len(units)
            if found is not None and cost:
                found = found._replace(value=found.value - cost)
            if found is None or (best is not None and found.value <= best.value):
                continue
            if not points or (found.value > above and fields.combats.has_support(self.hex, units, points)):
                best = found
        return best

    def _exits(self, board: Board, units: Mapping[int, int]) -> int:
        """Return the exits of the defender past the units in some hexes."""
        return board.exits(self.hex, frozenset(units.values()))

    def judged(self, board: Board, outcomes: list[Outcome], units: Mapping[int, int]) -> Verdict:
        """Return the verdict on results."""
        return self._weighed(board, outcomes, units, self._exits(board, units))

    def _weighed(self, board: Board, outcomes: list[Outcome], units: Iterable[int], ways_out: int) -> Verdict:
        fields, weights = board.fields, board.weights
        attackers = [fields.figures(unit) for unit in units]
        defenders = [fields.figures(unit) for unit in fields.hostile[self.hex]]
        stake = Stake(self.prize, ways_out)
        kill, own = weights["kill"] * board.matter, weights["own"] * board.matter
        return weigh(outcomes, attackers, defenders, stake, kill, own, bool(weights.get("losses_chosen")))


def exits(board: Board, hex: int, taken: frozenset[int]) -> int:
    """Return to how many hexes the defender of a hex could retreat without loss; -1 if it could not at all."""
    hostile, near, settled = board.fields.hostile, board.theatre.near, board.settled.keys()
    open_ = [one for one in near[hex] if one not in taken and one not in settled]
    if not open_:
        return -1
    return sum([
        one in hostile or (taken.isdisjoint(near[one]) and settled.isdisjoint(near[one])) for one in open_
    ])  # fmt: skip


# The plan


def occupations(board: Board, goals: list[Goal]) -> Iterator[Occupation]:
    """Yield the hexes to take and to hold, where to cut enemy supply and guard own supply."""
    fields, weights = board.fields, board.weights
    for goal in goals:
        if goal.task in (TAKE, HOLD, GUARD, SCREEN) and goal.hex not in fields.hostile:
            yield Occupation(goal)
    if not board.is_answered:
        return
    best = sorted(fields.cuts.items(), key=lambda item: -item[1])[: int(weights["most_cuts"])]
    for hex, worth in best:
        reason = f"cuts off units worth {worth:.0f} at {board.theatre.name(hex)}"
        yield Occupation(Goal(hex, worth * weights["cut"] * board.matter, CUT, reason))


def assaults(board: Board, goals: list[Goal]) -> Iterator[Assault]:
    """Yield the enemy stacks, each with the value of clearing its hex."""
    fields, weights = board.fields, board.weights
    prizes: dict[int, tuple[float, str]] = {}
    for goal in goals:
        if goal.hex in fields.hostile and goal.worth > prizes.get(goal.hex, (0.0, ""))[0]:
            prizes[goal.hex] = goal.worth, f"; {goal.reason}" if goal.reason else ""
    for hex in fields.hostile:
        if hex < board.theatre.hexes:
            prize, reason = prizes.get(hex, (0.0, ""))
            yield Assault(hex, prize + weights["ground"] * board.matter * fields.prey[hex], reason)


def auction(board: Board, goals: list[Goal], with_combat: bool) -> None:
    """Give every party the task for which its bid is best."""
    must = [goal for goal in goals if goal.must]
    limited = [goal for goal in must if goal.thin and goal.strength]
    for goal in must:
        here = [party for party in board.free if party.hex == goal.hex]
        while here and (not _is_kept(board, goal.hex) or board.defence[goal.hex] < goal.strength):
            parts = [part for party in here for part in board.fields.detachments(party)] if goal in limited else []
            stays = max(here + parts, key=lambda party: (_guards(board, party, goal), party.units))
            if _is_kept(board, goal.hex) and _guards(board, stays, goal) <= 0:
                break
            board.give(Assignment(goal.task, goal.hex, ((stays, goal.hex),), goal.worth, goal.reason))
            here = [party for party in board.free if party.hex == goal.hex]
    _bid(board, [Occupation(goal, goal in limited) for goal in must])
    open_: list[Any] = [one for one in occupations(board, goals) if not one.goal.must or one.goal in limited]
    far = [goal for goal in goals if goal.worth >= board.weights["stays"] and goal.task in (TAKE, DESTROY)]
    few = board.weights["few"]
    most = board.weights.get("approaches", 1)
    for goal in far:
        missing = few - sum(_comes_to(board, one, goal.hex) for one in board.free)
        open_ += [Approach(goal)] * int(max(0, min(most, missing)))
    if with_combat:
        open_ += assaults(board, goals)
    _bid(board, open_)
    _trade(board, [one for one in open_ if isinstance(one, Assault)])
    thin = [goal for goal in goals if goal.thin and goal.task in (TAKE, HOLD)]
    _bid(board, [Occupation(goal._replace(thin=False)) for goal in thin])


def _is_kept(board: Board, hex: int) -> bool:
    """Whether units stay in a hex; with the weight `garrison_fights` supporting units alone do not keep it."""
    stack = board.settled.get(hex, ())
    alone = board.weights.get("garrison_fights") and all(board.fields.figures(unit).is_support for unit in stack)
    return bool(stack) and not alone


def _guards(board: Board, party: Party, goal: Goal) -> float:
    """Return how good a guard a party is: it defends, up to what the goal needs, and has little to attack with."""
    needed = goal.strength - float(board.defence[goal.hex]) if goal.strength else party.defence
    return min(party.defence, needed) - 0.5 * party.attack


def _comes_to(board: Board, party: Party, hex: int) -> bool:
    """Whether a party can enter a hex in this turn, or attack it."""
    near = board.theatre.near[hex]
    return party.reaches(hex) or (hex in board.fields.hostile and any(party.reaches(one) for one in near))


def _bid(board: Board, tasks: list[Any]) -> None:
    """Give the best bid what it asks for until there is none. A bid that has lost a party to another one is made again when it
    is the best of those that are left: with fewer parties it is hardly worth more."""
    bids = {number: bid for number, task in enumerate(tasks) if (bid := task.bid(board)) is not None}
    stale: set[int] = set()
    cutters = 0
    while bids:
        best = max(bids, key=lambda number: (bids[number].value, -number))
        given = bids.pop(best)
        if best in stale:
            stale.remove(best)
            again = tasks[best].bid(board)
            if again is not None:
                bids[best] = again
            continue
        used = {unit for party, _ in given.places for unit in board.whole(party).units}
        board.give(given)
        if given.task == CUT:
            cutters += 1
            if cutters >= board.weights["most_cutters"]:
                bids = {number: bid for number, bid in bids.items() if bid.task != CUT}
        stale |= {n for n, bid in bids.items() if any(not used.isdisjoint(party.units) for party, _ in bid.places)}


def _trade(board: Board, tasks: list[Assault]) -> None:
    """Move parties from one attack to another, or to one not planned yet, while both together gain value: the best bid
    took every party that added anything, however little."""
    by_hex = {task.hex: task for task in tasks}
    attacks = {one.hex: one for one in board.assignments if one.is_attack(board.theatre, one.places[0][1])}
    gains: dict[tuple[int, int], float] = {}
    left: Remainders = {}
    board.weighed = 0
    for _ in range(board.trades):
        for rich, attack in attacks.items():
            if board.weighed >= board.most_weighed:
                break
            other = [
                hex for hex in by_hex if hex != rich and (rich, hex) not in gains and _can_join(board, attack, hex)
            ]
            planned = [hex for hex in other if hex in attacks]
            new = [hex for hex in other if hex not in attacks]
            for hex in planned:
                with board.without([attack, attacks[hex]]):
                    gains[rich, hex] = _traded(board, by_hex[rich], by_hex[hex], attacks, left)[0]
            if new:
                with board.without([attack]):
                    for hex in new:
                        gains[rich, hex] = _traded(board, by_hex[rich], by_hex[hex], attacks, left)[0]
        best = max(gains, key=lambda pair: (gains[pair], pair), default=None)
        if best is None or gains[best] <= board.weights["least_marginal"]:
            return
        olds = [attacks[hex] for hex in best if hex in attacks]
        with board.without(olds):
            gain, given = _traded(board, by_hex[best[0]], by_hex[best[1]], attacks, left)
        left.clear()
        if gain > board.weights["least_marginal"]:
            for old in olds:
                board.take_back(attacks.pop(old.hex))
            for one in given:
                board.give(one)
                attacks[one.hex] = one
        gains = {pair: value for pair, value in gains.items() if not {*best}.intersection(pair)}


Remainders = dict[tuple[int, int | None, tuple[int, ...]], Force | None]
"""Attacks without a party, by their hex, the hex of another attack beside it that is withdrawn too, and the units of the
party."""


def _can_join(board: Board, attack: Assignment, hex: int) -> bool:
    """Whether a party of an attack could attack another hex."""
    return any(board.front(hex, party) for party, _ in attack.places)


def _traded(
    board: Board, first: Assault, second: Assault, attacks: Mapping[int, Assignment], known: Remainders
) -> tuple[float, list[Assignment]]:
    """Return the most that one party of an attack adds if it joins another one, and both attacks with the party there.
    The board is without both attacks."""
    rich, poor = attacks[first.hex], attacks.get(second.hex)
    best, given = rich.value + (poor.value if poor else 0.0), list[Assignment]()
    before, there = best, poor.places if poor else ()
    most = second.most(board) + board.weights["loyalty"]
    beside = second.hex if poor and not first.around(board).isdisjoint([hex for _, hex in poor.places]) else None
    others: Mapping[int, int] | None = None
    helpers: Mapping[int, int] | None = None
    for party in [party for party, _ in rich.places if board.front(second.hex, party)]:
        left = tuple([one for one in rich.places if one[0] is not party])
        key = first.hex, beside, party.units
        if key not in known:
            if others is None:
                others = first.settled(board, first.near(board))
            board.weighed += 1
            known[key] = first.force(board, left, others) if left else None
        stays = known[key]
        if left and stays is None:
            continue
        rest = stays.value if stays else 0.0
        if most + rest < best:
            continue
        hex = second.place(board, party, (*there, *left))
        if hex is None:
            continue
        if helpers is None:
            helpers = second.settled(board, second.near(board))
        board.weighed += 1
        joined = second.force(board, (*there, (party, hex)), helpers, best - rest)
        if joined is not None and joined.value + rest > best:
            best = joined.value + rest
            given = [second.assigned(board, joined), *([first.assigned(board, stays)] if stays else [])]
    return best - before, given


def march(board: Board, goals: list[Goal]) -> None:
    """Move the remaining parties towards where they will be needed, together rather than alone, in supply."""
    fields, theatre, weights = board.fields, board.theatre, board.weights
    wanted = [
        goal for goal in goals
        if goal.worth > 0 and not (goal.must and board.defence[goal.hex] >= goal.strength > 0)
    ]  # fmt: skip
    wanted = [goal._replace(worth=goal.worth * _calls(board, goal)) for goal in wanted]
    along = weights.get("along", 0.0)
    for party in sorted(board.free, key=lambda party: (along > 0 and party.is_support, -party.worth, party.units)):
        reached = np.flatnonzero(party.costs != FAR)
        if party.hex < theatre.hexes and party.hex not in reached:
            reached = np.append(reached, party.hex)
        reached = board.ends(reached, party.points)
        if not len(reached):
            continue
        asked = np.append(reached, party.hex) if party.hex < theatre.hexes else reached
        pull = _pull(board, party, _army(board, along) if along and party.is_support else wanted, asked)
        pull, here = pull[: len(reached)], pull[-1]
        loss = board.fear * party.worth * fields.harm(reached, board.defence[reached] + party.defence, party.steps)
        score = weights["pull"] / board.matter * pull - loss
        score -= weights["unsupplied"] * board.matter * party.worth * ~fields.supplied[reached]
        if party.hex < theatre.hexes:
            score -= weights.get("backward", 0.0) * np.maximum(0.0, here - pull)
        score += weights["together"] * np.minimum(1.0, board.defence[reached] / max(1.0, party.defence))
        score -= weights["moving"] * (reached != party.hex)
        if party.is_support:
            score -= (
                weights["support_in_front"] * party.worth * (fields.contact[reached] & (board.defence[reached] < 3))
            )
        hex = int(reached[int(np.argmax(score))])
        task = RESERVE if hex == party.hex else SCREEN
        nearest = _aim(board, party, wanted, hex)
        board.give(Assignment(task, hex, ((party, hex),), float(score.max()), nearest))


def _pull(board: Board, party: Party, goals: list[Goal], hexes: NDArray[np.intp]) -> Field:
    """Return how much the goals attract a party to each of some hexes: their value, less for every turn of march from
    there."""
    fields, weights = board.fields, board.weights
    outmatched = weights.get("outmatched", 0.0)
    found: Field = np.zeros(len(hexes))
    for number, goal in enumerate(sorted(goals, key=lambda goal: -goal.worth)):
        if number % GOALS_BETWEEN == 0 and goal.worth <= found.min():
            break
        if outmatched and goal.task == DESTROY and _defence(board, goal.hex) > outmatched * party.attack:
            continue
        costs, allowance = board.theatre.march(fields.g, fields.side, party.units[0], goal.hex)
        costs = costs[hexes]
        turns = costs / max(1, allowance)
        found = np.maximum(found, np.where(costs == FAR, 0.0, goal.worth * weights["decay"] ** turns))
    return found


def _calls(board: Board, goal: Goal) -> float:
    """Return how much of a goal's value calls for more units: less if the side has it and the enemy cannot take it
    soon."""
    content = board.weights.get("content", 0.0)
    if not content or not board.settled.get(goal.hex):
        return 1.0
    return 1.0 - content * (1.0 - board.fields.thrown_later(goal.hex, float(board.defence[goal.hex])))


def _defence(board: Board, hex: int) -> float:
    """Return the defence of the enemy units in a hex."""
    return sum(board.fields.figures(unit).defence for unit in board.fields.hostile.get(hex, ()))


def _army(board: Board, worth: float) -> list[Goal]:
    """Return where the most attack strength will be, as goals for supporting units."""
    fields = board.fields
    power = {hex: sum(fields.figures(unit).attack for unit in units) for hex, units in board.settled.items()}
    first = sorted(power, key=lambda hex: -power[hex])[:MOST_SUPPORTED]
    return [Goal(hex, worth * power[hex]) for hex in first if power[hex]]


def _aim(board: Board, party: Party, goals: list[Goal], hex: int) -> str:
    """Return why a party marches to a hex, in words."""
    name = board.theatre.name(hex)
    if hex == party.hex:
        return f"stays in {name} as a reserve"
    return f"moves to {name} to be at hand"
