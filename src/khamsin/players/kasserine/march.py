"""Movement: attackers go next to their targets, the others to where their goal wants them; guns, HQs and Rommel follow.

A plan is made once for a phase, on the places that units have at its beginning, and carried out move by move.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from khamsin.games.kasserine import mode, paths
from khamsin.games.kasserine.paths import MOVEMENT
from khamsin.games.kasserine.stacking import LIMIT
from khamsin.games.kasserine.strength import attack_strength, defence_strength
from khamsin.games.kasserine.units import (
    ALLIED,
    ARTILLERY,
    BOARD,
    CLASS,
    CROSSES,
    DEPLOYED,
    EVASION,
    FORCES,
    FRENCH,
    HEXES,
    HQ,
    NATION,
    NO_ZONE,
    RANGE,
    ROMMEL,
    SELF_PROPELLED,
    STACKING,
    TWO_MODES,
    VKOENEN,
    XII_ASC,
    G,
    name,
    stacks,
)
from khamsin.mechanics.ways import Reach
from khamsin.players.kasserine.assault import Attack, Planner, prizes
from khamsin.players.kasserine.goals import Goal
from khamsin.players.kasserine.picture import LINE, Field, Picture, value
from khamsin.players.kasserine.screen import columns, placed, post
from khamsin.players.kasserine.weights import PLACE, PRIZE, SCREEN, Weights

Reached = NDArray[np.bool_]
CLOSE = 3
"""Hexes within which an enemy makes anti-tank units deploy."""
SPAN = 6.0
"""How much a goal itself is liked, in movement points."""


class Move(NamedTuple):
    """What a unit does in a phase: perhaps to March mode, to a hex, perhaps to Deployed mode; and why."""

    unit: int
    hex: int
    pack: bool
    deploy: bool
    reason: str


def alike(g: G, unit: int) -> tuple[object, ...]:
    """What makes units get equally far; those off the map, and the commando, have ways of their own (5.2.4, 16.4)."""
    state = g.state
    here = state.where[unit]
    if here >= HEXES or unit == VKOENEN:
        return (unit,)
    marks = state.flags[unit], state.spent[unit], state.changed[unit], state.release[unit]
    return here, CLASS[unit], NATION[unit], *marks


class March:
    """One phase of movement of a side."""

    def __init__(
        self, picture: Picture, weigh: Weights, found: Sequence[Goal], aims: Mapping[int, Goal], kind: int
    ) -> None:
        self.picture = picture
        self.weigh = weigh
        self.found = found
        self.aims = aims
        self.kind = kind
        self.load: dict[int, int] = {}
        self.power: Field = np.zeros(HEXES)
        """What has its place: stacking points and defence."""
        self.moves: list[Move] = []
        self.attacks: list[Attack] = []
        self._ways: dict[tuple[object, ...], tuple[Reach, Reached]] = {}
        self._open: dict[int, Reached] = {}
        self._place: dict[int, int] = {}
        """What the units that were sent have reached, and where they will stand."""

    def plan(self, units: Iterable[int]) -> list[Move]:
        """The moves of these units, in order; the others of the side stay."""
        moving = [unit for unit in units if unit != XII_ASC]
        where, staying = self.picture.g.state.where, set(FORCES[self.picture.side]).difference(moving)
        for unit in sorted(staying):
            if 0 <= where[unit] < HEXES:
                self.settle(unit, where[unit])
        line = self.walk_in([unit for unit in moving if LINE[unit] and unit != ROMMEL])
        left = self.attackers(line) if self.kind == MOVEMENT else line
        for unit in sorted(left, key=self._turn):
            self.send(unit, self.aims.get(unit))
        for unit in (u for u in moving if ARTILLERY[u]):
            self.emplace(unit)
        for unit in (u for u in moving if HQ[u]):
            self.accompany(unit)
        if ROMMEL in moving:
            self.lead()
        if self.picture.side == ALLIED and self.kind == MOVEMENT:
            self.picket()
        return self.moves

    def settle(self, unit: int, hex: int) -> None:
        """A unit has its place."""
        self.load[hex] = self.load.get(hex, 0) + STACKING[unit]
        self.power[hex] += defence_strength(self.picture.g, unit, False)

    def _turn(self, unit: int) -> tuple[bool, float, int]:
        """Who takes his place first: those who hold, the strongest before the weak."""
        aim = self.aims.get(unit)
        return aim is None or aim.take, -defence_strength(self.picture.g, unit, False), unit

    def reach(self, unit: int) -> Reached:
        """The hexes to which a unit can get, its own among them."""
        return self.ways(unit)[1]

    def ways(self, unit: int) -> tuple[Reach, Reached]:
        """How a unit gets on, and the hexes to which it can get; found once for units that are alike."""
        key = alike(self.picture.g, unit)
        if key not in self._ways:
            self._ways[key] = self._explored(unit)
        return self._ways[key]

    def _explored(self, unit: int) -> tuple[Reach, Reached]:
        g, here = self.picture.g, self.picture.g.state.where[unit]
        points = paths.whole(g, unit, self.kind) - g.state.spent[unit]
        if g.state.flags[unit] & DEPLOYED:
            points = points - mode.cost(g, unit) if mode.may_change(g, unit, points + g.state.spent[unit]) else 0
        found = paths.reach(g, [unit], max(points, 0), self.kind)
        hexes = found.reached
        if self.kind == MOVEMENT and not g.state.flags[unit] & DEPLOYED:
            hexes[list(paths.whole_steps(g, [unit], found))] = True
        if here < HEXES:
            hexes[here] = True
        return found, hexes

    def walk_in(self, units: list[int]) -> list[int]:
        """Wanted places where no enemy is are entered before anything else, by the cheapest who can; the others are left."""
        g, left = self.picture.g, list(units)
        for goal in self.found:
            if not goal.take or goal.hex in self.picture.theirs:
                continue
            able = [unit for unit in left if not self.alone(unit) and self.reach(unit)[goal.hex]]
            if able:
                best = min(able, key=lambda u: (self.aims.get(u) != goal, TWO_MODES[u], value(g, u), u))
                self.settle(best, goal.hex)
                self.go(best, goal.hex, f"walks into {BOARD.name(goal.hex)}")
                left.remove(best)
        return left

    def alone(self, unit: int) -> bool:
        """Whether a unit is the only one in a place that is to be held."""
        here = self.picture.g.state.where[unit]
        if not any(goal.hex == here and not goal.take and goal.need > 0 for goal in self.found):
            return False
        return sum(LINE[other] for other in self.picture.own.get(here, ())) <= 1

    def attackers(self, units: list[int]) -> list[int]:
        """Send units next to the enemies that are worth an attack; the others are left."""
        g, where = self.picture.g, self.picture.g.state.where
        reach: dict[int, Reached] = {}
        for unit in units:
            if TWO_MODES[unit] or not attack_strength(g, unit, False):
                continue
            aim, here = self.aims.get(unit), where[unit]
            if aim and not aim.take and here < HEXES and BOARD.distance(here, aim.hex) <= 1:
                reach[unit] = np.zeros(HEXES, dtype=np.bool_)
                reach[unit][here] = True
            else:
                reach[unit] = self.reach(unit)
        worth = prizes(self.picture, self.found, self.aims)
        planner = Planner(self.picture, worth, self.weigh, self.load)
        ways: dict[tuple[Goal, int], Field] = {}
        for unit, hexes in reach.items():
            aim = self.aims.get(unit)
            if aim and hexes.any():
                key = (aim, CROSSES[unit])
                if key not in ways:
                    ways[key] = self.picture.way(aim.hex, unit) * (1.0 if aim.take else PRIZE["duty"])
                planner.left[unit] = ways[key]
                planner.ahead[unit] = float(planner.left[unit][hexes].min())
        self.attacks = planner.prepared(reach)
        sent = set()
        for attack in self.attacks:
            for unit, hex in attack.party:
                self.power[hex] += defence_strength(g, unit, False)  # its room is taken already
                self.go(unit, hex, f"to attack {BOARD.name(attack.goal.hex)}, worth {attack.net:.1f}")
                sent.add(unit)
        return [unit for unit in units if unit not in sent]

    def go(self, unit: int, hex: int, reason: str, deploy: bool = False) -> None:
        """Write down a move, unless there is nothing to do."""
        g = self.picture.g
        ready = bool(g.state.flags[unit] & DEPLOYED)
        moves = hex != g.state.where[unit]
        if moves or deploy:
            self.moves.append(Move(unit, hex, ready and moves, deploy, f"{name(unit)} {reason}"))

    def options(self, unit: int) -> NDArray[np.intp]:
        """The hexes to which a unit can get and where there is room for it among those that have their place."""
        free = self.reach(unit).copy()
        free[[hex for hex, points in self.load.items() if points + STACKING[unit] > LIMIT]] = False
        return np.flatnonzero(free)

    def liking(self, unit: int, goal: Goal | None, hexes: NDArray[np.intp]) -> Field:
        """How much a unit would like to stand in each of some hexes: near its goal, in supply, not in danger, among friends."""
        g, picture = self.picture.g, self.picture
        own = max(defence_strength(g, unit, False), 0.5)
        power, ground = self.power[hexes], picture.ground[hexes]
        total = power + own
        odds = picture.threat[hexes] / total
        danger = np.minimum(np.maximum((odds - 1.5 - 0.5 * ground) / 4, 0.0), 1.0)
        scores: Field = -self.weigh.danger * total * danger
        scores += PLACE["friend"] * np.minimum(power, 10.0)
        scores -= self._hunger[FRENCH[unit]][hexes]
        zoned = self._zoned[hexes]
        if goal is not None:
            way, there = picture.way(goal.hex, unit)[hexes], hexes == goal.hex
            scores -= np.minimum(way, 200.0)
            if not goal.take:
                scores += np.where(way <= CLOSE, PLACE["ground"] * ground, 0.0)
                zoned = np.where(way <= CLOSE, 0.0, zoned)
            zoned[there] = 0.0
            scores[there] += SPAN * goal.worth
        scores -= zoned
        scores[hexes == g.state.where[unit]] += PLACE["here"]
        return scores

    @cached_property
    def _hunger(self) -> list[Field]:
        """What is against every hex for want of supply, to others and to the French."""
        fields = [self.picture.supplied(french) for french in (False, True)]
        return [np.where(supplied, 0.0, self.weigh.unsupplied) for supplied in fields]

    @cached_property
    def _zoned(self) -> Field:
        """What is against every hex for enemy zones."""
        return np.where(self.picture.zoned, PLACE["zone"], 0.0)

    def send(self, unit: int, goal: Goal | None) -> None:
        """A unit goes to the hex that it likes best."""
        what = f"{'makes for' if goal.take else 'to hold'} {BOARD.name(goal.hex)}" if goal else "moves up"
        hexes = self.options(unit)
        self.place(unit, hexes, self.liking(unit, goal, hexes), what)

    def place(self, unit: int, hexes: NDArray[np.intp], scores: Field, what: str) -> None:
        """A unit goes to the one of its options that has the highest score."""
        best = self.settle_best(unit, hexes, scores)
        if best is not None:
            self._open[unit], self._place[unit] = self.reach(unit), best
            self.go(unit, best, what, self.may_deploy(unit, best) and self.picture.nearest_enemy(best) <= CLOSE)

    def settle_best(self, unit: int, hexes: NDArray[np.intp], scores: Field) -> int | None:
        """The one of its options with the highest score is the place of a unit; without options it stays where it is."""
        if not len(hexes):
            here = self.picture.g.state.where[unit]
            if here < HEXES:
                self.settle(unit, here)
            return None
        best = int(hexes[scores.argmax()])
        self.settle(unit, best)
        return best

    def accompany(self, hq: int) -> None:
        """A headquarters goes with others towards the goal of those around it, never alone among the enemy."""
        hexes = self.options(hq)
        scores = self.liking(hq, self.common_goal(hq), hexes) + np.where(self.power[hexes] > 0, PLACE["company"], 0.0)
        self.place(hq, hexes, scores, "goes along")

    def picket(self) -> None:
        """Light units that are not needed where they would go are posted where they hold up the enemy's columns."""
        g, picture = self.picture.g, self.picture
        places, homes = {move.unit: move.hex for move in self.moves}, g.state.where[:]
        posted = 0
        with placed(g, places):
            for column in columns(picture, self.found):
                pool = [unit for unit in self._open if self.spare(unit)]
                if not pool or posted >= SCREEN["most"]:
                    return
                open_ = np.logical_or.reduce([self._open[unit] for unit in pool]) & ~picture.zoned
                open_[list(stacks(g, picture.side))] = False
                best = post(picture, column, set(np.flatnonzero(open_).tolist()), pool[0])
                if best is None:
                    continue
                able = [unit for unit in pool if self._open[unit][best.hex]]
                unit = min(able, key=lambda u: (value(g, u) - 0.5 * bool(EVASION[u]), u))
                g.state.where[unit] = best.hex
                self.moves = [move for move in self.moves if move.unit != unit]
                if best.hex != homes[unit]:
                    what = f"{name(unit)} is posted to cover {BOARD.name(best.goal.hex)}, for {best.gain:.1f} points"
                    self.moves.append(Move(unit, best.hex, bool(g.state.flags[unit] & DEPLOYED), False, what))
                self._place[unit] = best.hex
                posted += 1

    def spare(self, unit: int) -> bool:
        """Whether a unit is light and others hold the place to which it goes."""
        g, here = self.picture.g, self._place[unit]
        if not LINE[unit] or TWO_MODES[unit] or NO_ZONE[unit] or value(g, unit) > SCREEN["light"]:
            return False
        return self.load.get(here, 0) > STACKING[unit] or not any(goal.hex == here for goal in self.found)

    def may_deploy(self, unit: int, hex: int) -> bool:
        """Whether a unit in March mode could still deploy where it goes (7.6.2)."""
        g = self.picture.g
        if not TWO_MODES[unit]:
            return False
        ready, here = bool(g.state.flags[unit] & DEPLOYED), g.state.where[unit]
        if (ready and (hex == here or not SELF_PROPELLED[unit])) or here >= HEXES:
            return False
        cost = self.ways(unit)[0].cost(hex) if hex != here else 0
        left = paths.whole(g, unit, self.kind) - g.state.spent[unit] - cost - 2 * ready * mode.cost(g, unit)
        return not (g.state.changed[unit] and mode.TOWED[unit]) and left >= mode.COSTS[SELF_PROPELLED[unit]][1]

    def emplace(self, gun: int) -> None:
        """A gun stays where it can fire, or goes up behind the line, and deploys within range of the enemy."""
        g, here = self.picture.g, self.picture.g.state.where[gun]
        in_range = self.picture.away <= RANGE[gun]
        if g.state.flags[gun] & DEPLOYED and in_range[here] and not self.picture.zoned[here]:
            self.settle(gun, here)
            return
        goal, hexes = self.common_goal(gun), self.options(gun)
        scores = self.liking(gun, goal, hexes) + 5.0 * in_range[hexes]
        scores[self.picture.zoned[hexes]] -= 10.0
        if goal is not None:
            scores[hexes == goal.hex] -= SPAN * goal.worth
        best = self.settle_best(gun, hexes, scores)
        if best is None or (g.state.flags[gun] & DEPLOYED and best != here and in_range[here]):
            return
        deploy = self.may_deploy(gun, best) and (bool(in_range[best]) or best == here)
        self.go(gun, best, "goes into position", deploy)

    def common_goal(self, unit: int) -> Goal | None:
        """The goal that a gun or a headquarters follows: that of the strongest company near it."""
        here = self.picture.g.state.where[unit]
        away = BOARD.distances(here).tolist() if here < HEXES else []
        weight: dict[Goal, float] = {}
        for there, strength, goal in self._company:
            apart = away[there] if here < HEXES and there < HEXES else (0 if here == there else 20)
            weight[goal] = weight.get(goal, 0.0) + strength / (3 + apart)
        return max(weight, key=lambda goal: (weight[goal], goal.take, goal.hex), default=None)

    @cached_property
    def _company(self) -> list[tuple[int, int, Goal]]:
        """Where those who have a goal stand, and their strength."""
        g = self.picture.g
        return [(g.state.where[unit], attack_strength(g, unit, False), goal) for unit, goal in self.aims.items()]

    def lead(self) -> None:
        """Rommel goes to the attack that matters most, or to the strongest stack in reach."""
        reach = self.reach(ROMMEL)
        hexes = [hex for attack in sorted(self.attacks, key=lambda a: -a.net) for _, hex in attack.party if reach[hex]]
        if hexes:
            self.go(ROMMEL, hexes[0], "leads the attack")
        else:
            strength = np.where(reach, self.power, -1.0)
            if strength.max() > 0:
                self.go(ROMMEL, int(strength.argmax()), "joins the strongest")
