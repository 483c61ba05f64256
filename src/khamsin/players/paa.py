"""What PanzerArmee Afrika is about, for the scripted player: the chances of a combat, what the enemy could do, where the
front should be, how supplies get there, and the answer to every question.

A side keeps its army around one of the positions along the coast road (`paa.toml`): the foremost at which it outweighs what
the enemy could bring there and to which its installations can be laid. From there it looks for attacks whose exact chances
pay, gathers units for them, and leaves garrisons behind.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from khamsin.games.paa import combat, differential, movement, overrun, stacking, supply, transport, victory
from khamsin.games.paa.differential import CLIFFS, GROUND, defenders
from khamsin.games.paa.ground import ATTACK_SUPPLY, LORRY_NET, NODE_HEX, NODES, OPEN_SIDES, SUPPLY_NET, UNIT_NET
from khamsin.games.paa.losses import worth
from khamsin.games.paa.reinforcement import KIND
from khamsin.games.paa.setup import SCHEDULE
from khamsin.games.paa.units import (
    ALEXANDRIA,
    ALLIED,
    ARMOURED,
    AXIS,
    BARDIA,
    BASE,
    BOARD,
    CADRE,
    CENTRE,
    DATA,
    DEPOT,
    DEPOTS,
    DISMOUNTED,
    EL_AGHEILA,
    GERMAN,
    HEXES,
    LORRIES,
    LORRY,
    MF,
    MOVED,
    OOC,
    OOS,
    REGULAR,
    REGULARS,
    SACRIFICED,
    SIDE,
    SIDES,
    TOBRUK,
    G,
    cf,
    name,
)
from khamsin.games.paa.zones import FORT_ZONE, enemy_fort, front, zone
from khamsin.kernel.flood import FAR
from khamsin.kernel.rules import Decision
from khamsin.kernel.tables import read_tables
from khamsin.players.scripted import Order

Field = NDArray[np.float64]
"""A number for every hex."""

WEIGHTS: dict[str, Any] = tomllib.loads((Path(__file__).parent / "paa.toml").read_text(encoding="utf-8"))
PRIZE: dict[str, float] = WEIGHTS["prize"]
USUAL = "as usual"
STANCES: dict[str, dict[str, float]] = {USUAL: {}, **WEIGHTS["stance"]}
"""Ways to think for a turn: by what each weight is multiplied, and how many positions further the front is set."""
SCORE: dict[str, float] = WEIGHTS["score"]
NEAR: dict[str, int] = WEIGHTS["near"]

CRT = read_tables(DATA / "tables.toml")["crt"]
COLUMNS = len(CRT.heads)
ROLLS = [[int(CRT.rows[face][column]) for face in range(1, 7)] for column in range(COLUMNS)]
"""The CF lost in every column of the combat table on each roll."""
MEAN = np.array([sum(rolls) / 6 for rolls in ROLLS])
FRONTAGE = 9
"""How many units an attack on a hex in a line usually finds room for."""

ROAD = [NODE_HEX[node] for node in LORRY_NET.flood([EL_AGHEILA]).path(ALEXANDRIA)]
"""The coast road from west to east; a hex's place in it is its distance from El Agheila in MF."""
MILE = {hex: mile for mile, hex in enumerate(ROAD)}
TOBRUK_MILE = MILE[TOBRUK]
NEAREST = [MILE[min(ROAD, key=lambda there, here=hex: BOARD.distance(here, there))] for hex in range(HEXES)]  # type: ignore[misc]
"""The mile of the coast road nearest to every hex."""
RAIL = frozenset(transport.RAILROAD)
SIDES_OF = np.array([[*near, *[HEXES] * (6 - len(near))] for near in OPEN_SIDES])
"""The neighbours of every hex, filled up with a hex beyond the board."""
GROUNDS = tuple(np.array(ground, dtype=float) for ground in GROUND)
ABLE = OOS | OOC | DISMOUNTED


class Position(NamedTuple):
    """A place along the coast road around which an army can stand."""

    name: str
    anchor: int
    line: tuple[int, ...]
    mile: int


POSITIONS = [
    Position(row["name"], BOARD[row["anchor"]], tuple(BOARD[hex] for hex in row["line"]), MILE[BOARD[row["anchor"]]])
    for row in WEIGHTS["position"]
]


GAZALA = next(position for position in POSITIONS if position.name == "Gazala")
"""Where the Axis stands before Tobruk, and falls back to."""


class Outcome(NamedTuple):
    """What a combat is expected to cost: CF of the defender, CF of the attacker, and the chance that nobody is left."""

    theirs: float
    ours: float
    cleared: float


@lru_cache(maxsize=200_000)
def outcome(column: int, units: tuple[tuple[int, bool], ...], attackers: tuple[int, ...]) -> Outcome:
    """The exact expectation of an attack at a differential on units (CF, German or not) and of the answer to it (12.4.3-5).
    Below 0 the attack has no effect, and the answer is given all the same."""
    theirs = ours = cleared = 0.0
    rolls = ROLLS[min(column, COLUMNS - 1)] if column >= 0 else [0]
    for amount in rolls:
        lost, back = _worst_left(units, amount)
        theirs += lost
        cleared += lost == sum(strength for strength, _ in units)
        answers = ROLLS[min(max(back - sum(attackers), 0), COLUMNS - 1)]
        ours += sum(_most(attackers, answer) for answer in answers) / 6
    return Outcome(theirs / len(rolls), ours / len(rolls), cleared / len(rolls))


@lru_cache(maxsize=20_000)
def _worst_left(units: tuple[tuple[int, bool], ...], amount: int) -> tuple[int, int]:
    """What whole units lose of an amount, and the strongest answer of what is left."""
    best, answer = -1, 0
    for number in range(len(units) + 1):
        for lost in combinations(range(len(units)), number):
            total = sum(units[i][0] for i in lost)
            if best <= total <= amount:
                back = sum(s * (4 if german else 2) for i, (s, german) in enumerate(units) if i not in lost)
                answer = max(answer, back) if total == best else back
                best = total
    return best, answer


@lru_cache(maxsize=20_000)
def _most(units: tuple[int, ...], amount: int) -> int:
    sums = 1
    for strength in units:
        sums |= sums << strength
    return (sums & ((2 << amount) - 1)).bit_length() - 1


def expected_loss(surplus: Field) -> Field:
    """What an attack with so much more than the defence takes on the average."""
    column = np.clip(surplus, 0, COLUMNS - 1).astype(int)
    return np.where(surplus < 0, 0.0, MEAN[column])


def stacks_of(g: G, side: int) -> dict[int, list[int]]:
    """The regular units of a side by their hexes."""
    stacks: dict[int, list[int]] = {}
    for unit in REGULARS[side]:
        hex = g.state.where[unit]
        if 0 <= hex < HEXES:
            stacks.setdefault(hex, []).append(unit)
    return stacks


def strike(g: G, side: int, most: int = FRONTAGE) -> Field:
    """The strength that a side could bring against every hex in its next turn, of the best `most` units: those that reach a
    neighbour of it, whole where an installation feeds the attack and half elsewhere."""
    mask = front(g, 1 - side).way_mask
    fed = np.array(supply.attack_supply(g, side)) <= ATTACK_SUPPLY
    supplied = np.frombuffer(supply.lines(g, side).supplied, dtype=np.uint8) == 1
    total, count = np.zeros(HEXES), np.zeros(HEXES)
    stacks = sorted(stacks_of(g, side).items(), key=lambda item: -sum(cf(g, u) for u in item[1]) / len(item[1]))
    for hex, units in stacks:
        mobile = [u for u in units if not g.state.flags[u] & DISMOUNTED]
        if not mobile or not supplied[hex]:
            continue
        distance = UNIT_NET.spread(np.array([hex], dtype=np.uint16), min(MF[u] for u in mobile), mask)[0][:HEXES]
        near = distance != FAR
        if supply.BOUND[mobile[0]]:
            near &= supplied
        power = np.zeros(HEXES + 1)
        power[:HEXES] = np.where(near, np.where(fed, 1.0, 0.5), 0.0)
        best = power[SIDES_OF].max(axis=1)
        number = np.clip(most - count, 0, len(mobile))
        total += best * number * (sum(cf(g, u) for u in mobile) / len(mobile))
        count += np.where(best > 0, len(mobile), 0)
    return total


@cache
def way_to(hex: int) -> Field:
    """The MF from every hex to one, enemies left out."""
    distance = SUPPLY_NET.spread(np.array(NODES[hex], dtype=np.uint16), 500)[0][:HEXES]
    return distance.astype(float)


def reach_of(g: G, side: int, unit: int) -> NDArray[np.int16]:
    """The MF a unit would pay to every hex now; FAR where it cannot go."""
    if not movement.can_move(g, side, unit):
        distance = np.full(HEXES, FAR, dtype=np.int16)
        distance[g.state.where[unit]] = 0
        return distance
    found = movement.reachable(g, side, [unit]).distance
    distance = found[:HEXES].copy()
    for node in range(HEXES, len(NODE_HEX)):
        hex = NODE_HEX[node]
        distance[hex] = min(distance[hex], found[node])
    return distance


class Attack(NamedTuple):
    """An attack on a hex: who makes it, from where, and what it is worth."""

    target: int
    places: dict[int, int]
    score: float
    differential: int
    depot: int | None
    """The installation to be given up for it."""


class Task(NamedTuple):
    """Where a unit should go, and why."""

    unit: int
    goal: int
    exact: bool
    """Whether it should stand in that very hex."""
    reason: str


class Plan:
    """What a side means to do in a turn."""

    def __init__(self, turn: int) -> None:
        self.turn = turn
        self.step = 0
        self.orders: list[Order] = []
        self.tasks: list[Task] = []
        self.position = POSITIONS[0]
        self.strike: Field = np.zeros(HEXES)
        self.fear = 1.0
        """How much the enemy's answer counts: less for a side that is stronger and can bear it."""
        self.settled: set[int] = set()
        """Units that have their place for this turn."""
        self.tried: set[tuple[int, ...]] = set()


def strategist(side: int, chance: random.Random) -> Commander:
    """The player of a side."""
    return Commander(side, chance)


class Commander:
    """Plays one side."""

    def __init__(self, side: int, chance: random.Random) -> None:
        self.side = side
        self.enemy = 1 - side
        self.chance = chance
        self.weights: dict[str, float] = WEIGHTS[SIDES[side].lower()]
        self.advance: list[list[float]] = WEIGHTS["advance"][SIDES[side].lower()]
        self.taste = {place: 0.2 * chance.random() for place in range(HEXES)}
        """A slight liking for some hexes, different for every seed."""
        self.front: Position | None = None
        self.stance = USUAL
        self.prizes = PRIZE
        self._plan = Plan(-1)

    def moment(self, g: G, decision: Decision) -> int | None:
        """A turn is planned when its movement begins (11)."""
        return g.state.turn if decision.rule == "11" and self._plan.turn != g.state.turn else None

    def stances(self, g: G) -> list[str]:
        """Every way to think that could make a difference."""
        return list(STANCES)

    def adopt(self, stance: str) -> None:
        """Think so from now on."""
        self.stance = stance
        factors = STANCES[stance]
        self.weights = {key: value * factors.get(key, 1.0) for key, value in WEIGHTS[SIDES[self.side].lower()].items()}
        self.prizes = {key: value * factors.get(key, 1.0) for key, value in PRIZE.items()}

    def again(self, stance: str) -> Commander:
        """Another commander of the side, in a stance."""
        other = Commander(self.side, random.Random(0))
        other.taste, other.front = self.taste, self.front
        other.adopt(stance)
        return other

    def until(self, g: G) -> Callable[[G], bool]:
        """A trial ends when both sides have had so many turns more."""
        last = g.state.turn + int(SCORE["turns"])
        side = self.side
        return lambda then: (
            then.state.turn > last
            or (then.state.turn == last and then.rules.phases(then.state)[then.state.phase].side == side)
        )

    def score(self, g: G) -> float:
        """Supplied strength against supplied strength, Tobruk, and how far the fronts are from the bases (14.1)."""
        result = g.state.result
        if result is not None:
            return 0.0 if result.winner < 0 else SCORE["win"] * (1 if result.winner == self.side else -1)
        power = [victory.strength(g, side) - victory.penalty(g, side) + SCORE["reserve"] for side in (AXIS, ALLIED)]
        lost = [sum(cf(g, u) for u in REGULARS[side] if g.state.where[u] == CADRE[side]) for side in (AXIS, ALLIED)]
        value = float(
            np.log((power[AXIS] + SCORE["cadre"] * lost[AXIS]) / (power[ALLIED] + SCORE["cadre"] * lost[ALLIED]))
        )
        value += SCORE["tobruk"] * (1 if g.state.control.get(TOBRUK) == AXIS else -1)
        value += SCORE["mile"] * self.front_mile(g) / len(ROAD)
        return value if self.side == AXIS else -value

    def front_mile(self, g: G) -> float:
        """Where between the bases the armies meet: the mean of the miles of both, by strength."""
        total = weight = 0.0
        for side in (AXIS, ALLIED):
            for unit in REGULARS[side]:
                hex = g.state.where[unit]
                if 0 <= hex < HEXES:
                    mile = NEAREST[hex]
                    total += mile * cf(g, unit)
                    weight += cf(g, unit)
        return total / weight if weight else 0.0

    def refused(self, order: Order) -> None:
        """Whoever was to move stays where it is."""
        self._plan.settled.update(click for click in order.clicks[:1] if click < len(SIDE))

    def order(self, g: G, decision: Decision) -> Order:
        """The answer to any question, by the rule it is asked under."""
        by_rule: dict[str, Callable[[G, Decision], Order]] = {
            "6": self.set_up, "9": self.malta, "11": self.move, "11.4": self.strike_back, "12.2": self.declare,
            "12.3": self.feed, "12.4": self.fight, "12.4.4": self.strike_back, "12.4.5": self.lose, "12.4.7": self.enter,
            "13": self.receive, "13.1": self.place, "13.2.3": self.withdraw, "13.2.4": self.reinstate, "4": self.lose,
            "13.5.1": self.lose, "15.1": self.go_on, "15.3": self.go_on,
        }  # fmt: skip
        order = by_rule.get(decision.rule, self.least)(g, decision)
        return order if order.clicks and order.clicks[0] in decision.open else self.least(g, decision)

    def least(self, g: G, decision: Decision) -> Order:
        """Whatever ends the question, or the first open click."""
        for word in ("done", "no", "cancel", "attack", "yes"):
            if g.rules.button(word) in decision.open:
                return Order((g.rules.button(word),))
        return Order((next(iter(decision.open)),))

    def set_up(self, g: G, decision: Decision) -> Order:
        """The spread that is offered will do."""
        return self.least(g, decision)

    def strike_back(self, g: G, decision: Decision) -> Order:
        """It costs nothing."""
        return Order((g.rules.button("yes"),)) if g.rules.button("yes") in decision.open else self.lose(g, decision)

    def go_on(self, g: G, decision: Decision) -> Order:
        """Nobody leaves his place for a combat elsewhere, and a combat once named is fought."""
        attack = g.rules.button("attack")
        return Order((attack,)) if attack in decision.open else self.least(g, decision)

    def move(self, g: G, decision: Decision) -> Order:
        """The next order of the movement phase: overruns, attackers, supplies, garrisons, and the army to its front."""
        plan = self.plan_of(g)
        done = g.rules.button("done")
        while True:
            if plan.orders:
                order = plan.orders.pop(0)
                if order.clicks[0] in decision.open:
                    return order
                continue
            if plan.tasks:
                found = self.carry_out(g, plan, plan.tasks.pop(0), decision)
                if found is not None:
                    return found
                continue
            if plan.step == 0:
                plan.orders = self.overruns(g, plan)
                if not plan.orders:
                    plan.step = 1
            elif plan.step == 1:
                self.plan_attacks(g, plan)
                plan.step = 2
            elif plan.step == 2:
                plan.orders = self.supplies(g, plan)
                plan.step = 3
            elif plan.step == 3:
                plan.strike = strike(g, self.enemy)
                self.deploy(g, plan)
                plan.step = 4
            elif done in decision.open:
                return Order((done,))
            else:
                return self.make_room(g, plan, decision)

    def plan_of(self, g: G) -> Plan:
        """The plan of this turn, made when it begins to move."""
        if self._plan.turn != g.state.turn:
            plan = self._plan = Plan(g.state.turn)
            plan.strike = strike(g, self.enemy)
            plan.position = self.choose_front(g)
            plan.fear = min(1.0, self.strength(g, self.enemy) / max(1, self.strength(g, self.side)))
        return self._plan

    def choose_front(self, g: G) -> Position:
        """The foremost position at which the side outweighs what the enemy could bring there, and to which its installations
        reach; the one nearest its base if there is none."""
        theirs = strike(g, self.enemy, most=99)
        field = [u for stack in stacks_of(g, self.side).values() for u in stack]
        ranks = POSITIONS if self.side == AXIS else POSITIONS[::-1]
        best = ranks[0]
        stock = sum(0 <= g.state.where[d] < HEXES for d in DEPOTS[self.side])
        for position in ranks:
            way = way_to(position.anchor)
            ours = sum(
                cf(g, u) * (1.0 if way[g.state.where[u]] <= MF[u] / 2 else 0.5)
                for u in field
                if way[g.state.where[u]] <= MF[u] and g.state.where[u] != TOBRUK
            )
            need = self.boldness(g.state.turn)
            if self.beyond_tobruk(g, position.mile):
                need *= self.weights["bypass"]
            if position == self.front:
                need *= 0.85
            if ours < need * theirs[way <= NEAR["stacks"]].max() or len(self.posts(g, position)) > stock:
                break
            best = position
        self.front = best
        return best

    def boldness(self, turn: int) -> float:
        """By how much the side wants to outweigh the enemy where it goes: less while time is on its side."""
        usual = next(need for first, need in reversed(self.advance) if turn >= first)
        return usual * STANCES[self.stance].get("advance", 1.0)

    def beyond_tobruk(self, g: G, mile: int) -> bool:
        """Whether the way to a mile leads past Tobruk in the enemy's hands."""
        if g.state.control.get(TOBRUK) == self.side:
            return False
        return mile > TOBRUK_MILE if self.side == AXIS else mile < TOBRUK_MILE

    def overruns(self, g: G, plan: Plan) -> list[Order]:
        """A stack that can be sure of destroying a weaker one moves next to it and through it (11.4)."""
        state, side = g.state, self.side
        foes = stacks_of(g, self.enemy)
        for hex, stack in sorted(stacks_of(g, side).items()):
            group = [u for u in stack if movement.can_move(g, side, u) and state.origin[u] == state.origin[stack[0]]]
            if not group or self.is_garrison(g, hex):
                continue
            for target, price in overrun.targets(g, side, group).items():
                key = (*group, target)
                if key not in plan.tried and price:
                    plan.tried.add(key)
                    reason = f"{', '.join(name(u) for u in group)} overruns {BOARD.name(target)}"
                    return [Order((*group, g.place0 + target), reason)]
            power = sum(cf(g, u) for u in group)
            weak = [t for t, units in foes.items() if sum(cf(g, u) for u in units) + 3 <= power]
            order = self._ride_to(g, plan, group, hex, weak)
            if order is not None:
                return [order]
        return []

    def _ride_to(self, g: G, plan: Plan, group: list[int], hex: int, weak: Iterable[int]) -> Order | None:
        """A move next to a weak stack from which the overrun will be open."""
        state = g.state
        left = min(MF[u] - state.spent[u] for u in group)
        reach = movement.reachable(g, self.side, group)
        keep = {u: (state.spent[u], state.flags[u]) for u in group}
        for target in weak:
            for near in OPEN_SIDES[target]:
                key = (*group, target, near)
                cost = int(reach.distance[reach.node(near)])
                there = sum(state.where[u] == near for u in REGULARS[self.side])
                if cost + 11 > left or near == hex or key in plan.tried or there + len(group) > stacking.limit(near):
                    continue
                for u in group:
                    state.where[u], state.spent[u] = near, keep[u][0] + cost
                sure = target in overrun.targets(g, self.side, group)
                safe = self.losses_at(g, plan, near, group) < 2
                for u in group:
                    state.where[u], state.spent[u] = hex, keep[u][0]
                if sure and safe:
                    plan.tried.add(key)
                    return Order((*group, g.place0 + near), f"towards an overrun of {BOARD.name(target)}")
        return None

    def losses_at(self, g: G, plan: Plan, hex: int, units: Iterable[int]) -> float:
        """What the enemy could take of a stack in a hex next turn."""
        power = sum(cf(g, u) for u in units)
        surplus = plan.strike[hex] - power * GROUNDS[self.side][hex]
        return min(float(expected_loss(np.array(surplus))), power)

    def plan_attacks(self, g: G, plan: Plan) -> None:
        """Attacks one by one, the best first, each with the smallest force that gets the most out of it."""
        if self.side == ALLIED and g.state.turn < combat.ALLIED_FROM:
            return
        state, side = g.state, self.side
        units = [
            u
            for u in REGULARS[side]
            if 0 <= state.where[u] < HEXES and not state.flags[u] & ABLE and not self.is_garrison(g, state.where[u])
        ]
        supplied = np.frombuffer(supply.lines(g, side).supplied, dtype=np.uint8) == 1
        reach = {u: np.where(supplied, reach_of(g, side, u), FAR) for u in units}
        taken: dict[int, int] = {}
        attacked: set[int] = set()
        spent: set[int] = set()
        targets = sorted(combat.held(g, side))
        while True:
            free = [u for u in units if u not in taken]
            found = [
                a
                for t in targets
                if t not in attacked and (a := self.best_attack(g, plan, t, free, reach, taken, spent))
            ]
            if not found:
                return
            best = max(found, key=lambda a: a.score)
            attacked.add(best.target)
            if best.depot is not None:
                spent.add(best.depot)
            for unit, hex in best.places.items():
                taken[unit] = hex
                plan.settled.add(unit)
                if state.where[unit] != hex:
                    why = f"{name(unit)} goes to attack {BOARD.name(best.target)} at {best.differential:+d}"
                    plan.orders.append(Order((unit, g.place0 + hex), why))

    def best_attack(
        self,
        g: G,
        plan: Plan,
        target: int,
        free: Sequence[int],
        reach: dict[int, NDArray[np.int16]],
        taken: dict[int, int],
        spent: set[int],
    ) -> Attack | None:
        """The best attack on a hex with units that are free and can get there."""
        state, side = g.state, self.side
        foes = combat.held(g, side)
        hexes = [h for h in OPEN_SIDES[target] if h not in foes]
        coming = {h: [u for u in free if reach[u][h] != FAR] for h in hexes}
        if not any(coming.values()):
            return None
        room = {h: stacking.limit(h) - sum(state.where[u] == h for u in REGULARS[side]) for h in hexes}
        for unit, hex in taken.items():
            if hex in room and state.where[unit] != hex:
                room[hex] -= 1
        stand_in = {h: next((u for u in coming[h]), None) for h in hexes}
        fed, depots = self.feeding(g, stand_in, spent)
        best: Attack | None = None
        for depot, near in (None, fed), *depots:
            offers = []
            for hex in hexes:
                for unit in coming[hex]:
                    halves = 4 if depot is not None and near[hex] else 2 if fed[hex] else 1
                    strength = max(4, cf(g, unit) * halves * (1 if target in CLIFFS[hex] else 2))
                    offers.append((strength, state.where[unit] == hex, -plan.strike[hex], unit, hex))
            offers.sort(reverse=True)
            attack = self._gather(g, plan, target, offers, dict(room), depot)
            if attack is not None and (best is None or attack.score > best.score):
                best = attack
        return best if best is not None and best.score >= self.weights["least"] else None

    def _gather(
        self,
        g: G,
        plan: Plan,
        target: int,
        offers: list[tuple[int, bool, float, int, int]],
        room: dict[int, int],
        depot: int | None,
    ) -> Attack | None:
        """Add attackers one by one, the strongest first, and keep the force that is worth most."""
        units = defenders(g, [target])
        figures = tuple(sorted((worth(g, u), GERMAN[u]) for u in units))
        lines = supply.lines(g, self.enemy)
        df = sum(self.defence(g, u, target, lines.reach(target)) for u in units)
        prize = self.prize(g, target) + self.in_the_way(g, plan, target)
        places: dict[int, int] = {}
        af = 0
        best: Attack | None = None
        for strength, there, _, unit, hex in offers:
            if unit in places or (not there and room[hex] <= 0):
                continue
            places[unit] = hex
            room[hex] -= not there
            af += strength
            if af < df:
                continue
            column = (af - df) // 4
            result = outcome(column, figures, tuple(sorted(cf(g, u) for u in places)))
            score = result.theirs * self.weights["kill"] - result.ours * self.weights["own"] + result.cleared * prize
            score -= self.exposure(g, plan, places, result.cleared * sum(f for f, _ in figures))
            score -= self.weights["depot"] if depot is not None else 0
            if best is None or score > best.score + 0.05:
                best = Attack(target, dict(places), score, column, depot)
            if column >= COLUMNS + 2:
                break
        return best

    def defence(self, g: G, unit: int, hex: int, supplied: bool) -> int:
        """A defender's strength in quarters (12.4.2)."""
        quarters = 4 * worth(g, unit) * GROUND[self.enemy][hex]
        return max(4, quarters if supplied and not g.state.flags[unit] & DISMOUNTED else quarters // 2)

    def exposure(self, g: G, plan: Plan, places: dict[int, int], gone: float) -> float:
        """What the enemy could do next turn to attackers where they will stand."""
        total = 0.0
        for hex in set(places.values()):
            power = sum(cf(g, u) for u, h in places.items() if h == hex)
            surplus = plan.strike[hex] - gone - power * GROUND[self.side][hex]
            total = max(total, min(float(expected_loss(np.array(surplus))), power))
        return self.weights["exposure"] * plan.fear * total

    def feeding(
        self, g: G, stand_in: dict[int, int | None], spent: set[int]
    ) -> tuple[dict[int, bool], list[tuple[int, dict[int, bool]]]]:
        """In which of these hexes an attack is fed, with a unit standing in each, and by which installation that could be
        given up."""
        state, side = g.state, self.side
        before = {u: state.where[u] for u in stand_in.values() if u is not None}
        for hex, unit in stand_in.items():
            if unit is not None:
                state.where[unit] = hex
        distance = supply.attack_supply(g, side)
        fed = {hex: distance[hex] <= ATTACK_SUPPLY for hex in stand_in}
        depots = []
        joined = supply.lines(g, side).depots
        for depot in DEPOTS[side]:
            if state.where[depot] not in joined or depot in spent or state.flags[depot] & (SACRIFICED | OOC | MOVED):
                continue
            distance = supply.attack_supply(g, side, depots=[depot])
            near = {hex: distance[hex] <= ATTACK_SUPPLY for hex in stand_in}
            if any(near.values()) and not combat.losers_without(g, side, depot):
                depots.append((depot, near))
        for unit, hex in before.items():
            state.where[unit] = hex
        return fed, depots

    def prize(self, g: G, hex: int) -> float:
        """What else the fall of a hex is worth."""
        places = {TOBRUK: "tobruk", BARDIA: "bardia", ALEXANDRIA: "alexandria", EL_AGHEILA: "el_agheila"}
        prize = self.prizes
        value = prize[places[hex]] if hex in places else prize["base"] if hex in BASE[self.enemy] else 0.0
        where = g.state.where
        value += prize["depot"] * any(where[d] == hex for d in DEPOTS[self.enemy])
        return value + prize["lorry"] * any(where[u] == hex for u in LORRIES[self.enemy])

    def in_the_way(self, g: G, plan: Plan, hex: int) -> float:
        """What it is worth to clear a hex from which the enemy bars the road to the front."""
        base = MILE[CENTRE[self.side]]
        low, high = sorted((base, plan.position.mile))
        return self.prizes["road"] * any(low <= MILE.get(h, -1) <= high for h in (hex, *OPEN_SIDES[hex]))

    def posts(self, g: G, position: Position) -> list[int]:
        """The miles at which installations are wanted for a position, from the terminal to the front."""
        ahead = 1 if self.side == AXIS else -1
        ends = [MILE[hex] for hex in BASE[self.side] if hex in MILE]
        if g.state.control.get(TOBRUK) == self.side and ahead * (position.mile - TOBRUK_MILE) > 0:
            ends.append(TOBRUK_MILE)
        mile = position.mile - ahead * NEAR["lead"]
        chain = [mile]
        while min(abs(mile - end) for end in ends) > NEAR["segment"] + 1 and 0 < mile < len(ROAD) - 1:
            crossing = self.beyond_tobruk(g, mile) and abs(mile - TOBRUK_MILE) < NEAR["segment"]
            mile -= ahead * (NEAR["detour"] if crossing else NEAR["segment"])
            chain.append(max(0, min(mile, len(ROAD) - 1)))
        return chain[::-1]

    def supplies(self, g: G, plan: Plan) -> list[Order]:
        """Carry installations to where the chain lacks one, then spare ones to the front (11.3)."""
        state, side = g.state, self.side
        ahead = 1 if side == AXIS else -1
        chain = self.posts(g, plan.position)
        on_map = [d for d in DEPOTS[side] if 0 <= state.where[d] < HEXES]
        lead = chain[-1]
        retreat = self.posts(g, GAZALA) if side == AXIS and lead > TOBRUK_MILE else []
        wanted = [*chain, lead + ahead, *retreat, lead - ahead, lead - 2 * ahead]
        spare = list(on_map)
        missing = []
        for number, post in enumerate(wanted):
            tolerance = 3 if number < len(chain) - 1 else 2
            near = [d for d in spare if state.where[d] in MILE and abs(MILE[state.where[d]] - post) <= tolerance]
            if near:
                spare.remove(min(near, key=lambda d: abs(MILE[state.where[d]] - post)))
            elif 0 <= post < len(ROAD):
                missing.append(post)
        orders: list[Order] = []
        if side == ALLIED:
            orders += self.by_rail_and_sea(g, missing, spare)
        lorries = [u for u in LORRIES[side] if 0 <= state.where[u] < HEXES and not state.flags[u] & (OOS | OOC | MOVED)]
        before = list(state.where), list(state.spent), list(state.via)
        for post in missing:
            order = self._carry(g, plan, post, lorries, spare)
            if order is not None:
                orders.append(order)
        state.where[:], state.spent[:], state.via[:] = before
        return orders

    def by_rail_and_sea(self, g: G, missing: list[int], spare: list[int]) -> list[Order]:
        """Installations go to the end of the railroad, or to Tobruk when the army is west of it (11.2, 11.3.1)."""
        state, side = g.state, self.side
        orders = []
        working = [h for h in transport.working_railroad(g) if h in MILE]
        for post in list(missing):
            rail = [d for d in spare if state.where[d] in RAIL and not state.flags[d] & (OOC | MOVED)]
            sea = [d for d in rail if state.where[d] == ALEXANDRIA and TOBRUK in transport.harbours(g, side, d)]
            if post < TOBRUK_MILE + 4 and sea and not stacking.has_depot(g, side, TOBRUK):
                depot, goal = sea[0], TOBRUK
            else:
                free = [h for h in working if not stacking.has_depot(g, side, h)]
                goal = min(free, key=lambda h: abs(MILE[h] - post), default=-1)
                rail = [
                    d
                    for d in rail
                    if state.where[d] in working and goal in MILE and MILE[state.where[d]] > MILE[goal] + 2
                ]
                if not rail:
                    continue
                depot = rail[0]
            orders.append(Order((depot, g.place0 + goal), f"{name(depot)} sent to {BOARD.name(goal)}"))
            state.where[depot] = goal
            if abs(MILE[goal] - post) <= 2:
                missing.remove(post)
                spare.remove(depot)
        return orders

    def _carry(self, g: G, plan: Plan, post: int, lorries: list[int], spare: list[int]) -> Order | None:
        """The lorry and the installation that bring a post nearest to being supplied this turn."""
        state, side = g.state, self.side
        best: tuple[float, int, int, int, tuple[int, ...]] | None = None
        zoned = zone(g, self.enemy)
        for lorry in lorries:
            first = movement.reachable(g, side, [lorry])
            here, used, via = state.where[lorry], state.spent[lorry], state.via[lorry]
            for depot in spare:
                at = state.where[depot]
                if at not in MILE or state.flags[depot] & OOC:
                    continue
                cost = 0 if at == here else int(first.distance[first.node(at)])
                if used + cost > MF[lorry] or (at != here and zoned[at]):
                    continue
                state.where[lorry], state.spent[lorry], state.via[lorry] = at, used + cost, 0
                onward = movement.reachable(g, side, [lorry]).distance
                state.where[lorry], state.spent[lorry], state.via[lorry] = here, used, via
                for hex, mile in MILE.items():
                    if onward[hex] == FAR or zoned[hex] or stacking.has_depot(g, side, hex):
                        continue
                    gap = abs(mile - post)
                    if abs(MILE[at] - post) - gap < 3:
                        continue
                    score = gap + 0.02 * int(onward[hex]) + (4 if plan.strike[hex] > 6 and gap else 0)
                    if best is None or score < best[0]:
                        start = () if at == here else (lorry, g.place0 + at)
                        best = score, lorry, depot, hex, (*start, lorry, depot, lorry, g.place0 + hex)
        if best is None:
            return None
        _, lorry, depot, hex, clicks = best
        lorries.remove(lorry)
        spare.remove(depot)
        state.where[lorry] = state.where[depot] = hex
        state.via[lorry] = 0
        return Order(clicks, f"{name(depot)} carried to {BOARD.name(hex)} for {plan.position.name}")

    def deploy(self, g: G, plan: Plan) -> None:
        """Garrisons first, then the line of the position with the strongest units that get there, then everybody else towards
        it."""
        state, side = g.state, self.side
        free = [
            u
            for u in REGULARS[side]
            if 0 <= state.where[u] < HEXES and u not in plan.settled and not state.flags[u] & ABLE
        ]
        tasks = [*self.hold_tobruk(g, plan, free), *self.hold_base(g, free), *self.guard_supplies(g, plan, free)]
        room = {h: stacking.limit(h) for h in plan.position.line}
        for u in plan.settled:
            if state.where[u] in room:
                room[state.where[u]] -= 1
        foes = combat.held(g, side)
        line = [h for h in plan.position.line if h not in foes and enemy_fort(g, side, h) is None]
        free.sort(key=lambda u: (-cf(g, u), u))
        reach = {u: reach_of(g, side, u) for u in free}
        for hex in line:
            stack = [u for u in free if reach[u][hex] != FAR][: max(0, room[hex])]
            if self.losses_at(g, plan, hex, stack) > WEIGHTS["near"]["tolerable"] * sum(cf(g, u) for u in stack):
                continue
            for unit in stack:
                tasks.append(Task(unit, hex, True, f"holds {BOARD.name(hex)} in the {plan.position.name} position"))
                free.remove(unit)
        tasks += [Task(u, plan.position.anchor, False, f"closes up to {plan.position.name}") for u in free]
        leaving = [t for t in tasks if state.where[t.unit] == TOBRUK and t.goal != TOBRUK]
        plan.tasks = leaving + [t for t in tasks if t not in leaving]

    def hold_tobruk(self, g: G, plan: Plan, free: list[int]) -> list[Task]:
        """The strongest garrison that can be had if it can stand, else a token one, while the enemy is near (12.4.2)."""
        side, state = self.side, g.state
        if g.state.control.get(TOBRUK) != side or plan.strike[TOBRUK] <= 0:
            return []
        there = [u for u in free if state.where[u] == TOBRUK]
        fixed = sum(state.where[u] == TOBRUK for u in REGULARS[side]) - len(there)
        by_sea = [u for u in free if state.where[u] != TOBRUK and TOBRUK in transport.harbours(g, side, u)]
        by_land = [u for u in free if state.where[u] != TOBRUK and reach_of(g, side, u)[TOBRUK] != FAR]
        pool = sorted({*there, *by_sea, *by_land}, key=lambda u: (-cf(g, u), u not in there, u))
        count = stacking.limit(TOBRUK) - fixed
        power = 2 * plan.strike[TOBRUK]
        chosen = pool[:count]
        if power - 5 * sum(cf(g, u) for u in chosen) > WEIGHTS["tobruk"]["hopeless"] or side == AXIS:
            chosen = sorted(pool, key=lambda u: (cf(g, u) + (2 if ARMOURED[u] else 0), u not in there, u))[:count]
        for unit in chosen:
            free.remove(unit)
        return [Task(u, TOBRUK, True, "garrison of Tobruk") for u in chosen]

    def hold_base(self, g: G, free: list[int]) -> list[Task]:
        """A guard in the centre of the base, and for the Allies whoever must be withdrawn this turn (5.1, 13.2.3)."""
        side, state = self.side, g.state
        centre = CENTRE[side]
        tasks: list[Task] = []
        count = stacking.limit(centre) if self._plan.strike[centre] > 0 else int(self.weights["guard"])
        near = sorted((u for u in free if way_to(centre)[state.where[u]] <= 20), key=lambda u: (cf(g, u), u))
        for unit in near[:count]:
            tasks.append(Task(unit, centre, True, "guards the base"))
            free.remove(unit)
        if side == ALLIED:
            for row in SCHEDULE["withdraw"]:
                if row["turn"] != state.turn:
                    continue
                for kind in ("infantry", "armoured"):
                    lost = sum(state.where[u] == CADRE[ALLIED] and KIND[u] == kind for u in REGULARS[ALLIED])
                    held = sum(KIND[t.unit] == kind for t in tasks)
                    need = row.get(kind, 0) - (lost if row["cadre"] else 0) - held
                    able = [u for u in free if KIND[u] == kind and state.where[u] in BASE[ALLIED]]
                    for unit in sorted(able, key=lambda u: (cf(g, u), u))[: max(0, need)]:
                        tasks.append(Task(unit, state.where[unit], True, "waits to be withdrawn"))
                        free.remove(unit)
        return tasks

    def guard_supplies(self, g: G, plan: Plan, free: list[int]) -> list[Task]:
        """One unit for every installation that the enemy could reach."""
        state, side = g.state, self.side
        tasks: list[Task] = []
        for depot in DEPOTS[side]:
            hex = state.where[depot]
            if not 0 <= hex < HEXES or plan.strike[hex] <= 0 or hex in plan.position.line:
                continue
            if any(state.where[u] == hex for u in plan.settled) or hex in BASE[side]:
                continue
            near = [u for u in free if way_to(hex)[state.where[u]] <= MF[u] - state.spent[u]]
            if near:
                unit = min(near, key=lambda u: (state.where[u] != hex, cf(g, u), u))
                tasks.append(Task(unit, hex, True, f"guards {name(depot)}"))
                free.remove(unit)
        return tasks

    def is_garrison(self, g: G, hex: int) -> bool:
        """Whether units in a hex stay there whatever happens elsewhere."""
        return hex == TOBRUK and self._plan.strike[TOBRUK] > 0

    def carry_out(self, g: G, plan: Plan, task: Task, decision: Decision) -> Order | None:
        """Move a unit to its place, or as near as it can safely get."""
        unit, side, state = task.unit, self.side, g.state
        plan.settled.add(unit)
        here = state.where[unit]
        if (task.exact and here == task.goal) or unit not in decision.open:
            return None
        reach = reach_of(g, side, unit)
        room = self.room_in(g, plan, unit)
        if task.exact and reach[task.goal] != FAR and room[task.goal]:
            return Order((unit, g.place0 + task.goal), f"{name(unit)} {task.reason}")
        if task.exact and task.goal == TOBRUK and TOBRUK in transport.harbours(g, side, unit):
            return Order((unit, g.rules.button("by sea"), g.place0 + TOBRUK), f"{name(unit)} sails to Tobruk")
        scores = self.liking(g, plan, unit, task.goal)
        scores[(reach == FAR) | ~room] = -np.inf
        best = int(scores.argmax())
        if best == here or scores[best] == -np.inf or scores[best] < scores[here] + 0.5:
            return None
        return Order((unit, g.place0 + best), f"{name(unit)} {task.reason}")

    def room_in(self, g: G, plan: Plan, unit: int) -> NDArray[np.bool_]:
        """The hexes in which a unit finds room among those that have settled."""
        room = np.full(HEXES, True)
        count: dict[int, int] = {}
        for other in plan.settled:
            hex = g.state.where[other]
            if other != unit and SIDE[other] == self.side and REGULAR[other] and 0 <= hex < HEXES:
                count[hex] = count.get(hex, 0) + 1
        for other in REGULARS[self.side]:
            hex = g.state.where[other]
            if other not in plan.settled and 0 <= hex < HEXES and not movement.can_move(g, self.side, other):
                count[hex] = count.get(hex, 0) + 1
        for hex, number in count.items():
            room[hex] = number < stacking.limit(hex)
        return room

    def liking(self, g: G, plan: Plan, unit: int, goal: int) -> Field:
        """How much a unit would like to stand in every hex on its way to a goal: near it, in supply, safe among friends."""
        side, state = self.side, g.state
        way = way_to(goal)
        scores = -(np.maximum(way - NEAR["stacks"], 0) + 0.1 * way)
        friends = np.zeros(HEXES)
        for other in plan.settled:
            hex = state.where[other]
            if other != unit and SIDE[other] == side and REGULAR[other] and 0 <= hex < HEXES:
                friends[hex] += cf(g, other)
        power = friends + cf(g, unit)
        scores -= (
            self.weights["danger"] * plan.fear * np.minimum(expected_loss(plan.strike - power * GROUNDS[side]), power)
        )
        scores -= 3 * np.frombuffer(zone(g, self.enemy), dtype=np.uint8)
        supplied = np.frombuffer(supply.lines(g, side).supplied, dtype=np.uint8) == 1
        scores -= np.where(supplied, 0, 200)
        for hex in FORT_ZONE:
            if enemy_fort(g, side, hex) is not None:
                scores[hex] -= 50
        scores += np.array([self.taste[h] for h in range(HEXES)])
        return scores

    def make_room(self, g: G, plan: Plan, decision: Decision) -> Order:
        """A hex holds too many: whoever can leaves it for the nearest with room, by an overrun if there is no other way."""
        side, state = self.side, g.state
        crowded = stacking.overfull(g, side)
        full = [h for h, stack in stacks_of(g, side).items() if len(stack) >= stacking.limit(h)]
        stocked = [state.where[d] for d in DEPOTS[side]]
        for unit in decision.open:
            if unit >= len(SIDE) or state.where[unit] not in crowded or (unit, -1) in plan.tried:
                continue
            plan.tried.add((unit, -1))
            if DEPOT[unit]:
                free = [h for h in transport.working_railroad(g) if h not in stocked]
                return Order((unit, g.place0 + (free or [state.where[unit]])[0]))
            away = reach_of(g, side, unit).astype(float)
            away[away == FAR] = np.inf
            away[[state.where[unit], *(h for h in (stocked if LORRY[unit] else full) if 0 <= h < HEXES)]] = np.inf
            best = int(away.argmin())
            stock = transport.loads(g, side, state.where[unit]) if LORRY[unit] and not state.load[unit] else []
            if away[best] < np.inf and (stock or not LORRY[unit] or state.load[unit]):
                taken_up = (stock[0], unit) if stock else ()
                return Order((unit, *taken_up, g.place0 + best), f"{name(unit)} makes room")
            group = [
                u
                for u in REGULARS[side]
                if state.where[u] == state.where[unit] and state.origin[u] == state.origin[unit]
            ]
            for mates in (group, [unit]):
                for target in overrun.targets(g, side, mates) if REGULAR[unit] else ():
                    return Order((*mates, g.place0 + target), f"{name(unit)} makes room by an overrun")
        clicks = list(decision.open)
        return Order((clicks[int(self.chance.random() * len(clicks))],))

    def declare(self, g: G, decision: Decision) -> Order:
        """Name the best attack that is left, or end the declarations (12.2)."""
        done = g.rules.button("done")
        if not decision.top:
            return Order((g.rules.button("cancel"),)) if g.rules.button("cancel") in decision.open else Order((done,))
        plan = self.plan_of(g)
        state = g.state
        ready = combat.ready(g, self.side)
        spent: set[int] = set()
        places = {u: state.where[u] for u in ready}
        reach = {u: np.full(HEXES, FAR, dtype=np.int16) for u in ready}
        for unit, hex in places.items():
            reach[unit][hex] = 0
        calm = Plan(plan.turn)
        calm.position = plan.position
        found = []
        for click in decision.open:
            if not g.place0 <= click < g.rules.first_button:
                continue
            target = click - g.place0
            if BOARD.name(target) in state.targets:
                continue
            attack = self.best_attack(g, calm, target, ready, reach, {}, spent)
            if attack is not None:
                found.append(attack)
        if not found:
            return Order((done,))
        best = max(found, key=lambda a: a.score)
        why = f"attacks {BOARD.name(best.target)} at {best.differential:+d}, worth {best.score:.1f}"
        return Order((g.place0 + best.target, *best.places, done), why)

    def feed(self, g: G, decision: Decision) -> Order:
        """Give up an installation where it wins more than it is worth (12.3)."""
        done, cancel = g.rules.button("done"), g.rules.button("cancel")
        if cancel in decision.open:
            return Order((cancel,))
        side, state = self.side, g.state
        given = [d for d in DEPOTS[side] if state.flags[d] & SACRIFICED]
        now = self.worth_of_combats(g, given)
        best, gain = -1, 0.0
        for depot in decision.open:
            if depot >= len(SIDE):
                continue
            then = supply.lines(g, side, without=[*given, depot])
            cut = sum(cf(g, u) for u in supply.would_lose_supply(g, side, REGULARS[side], supply.lines(g, side), then))
            value = self.worth_of_combats(g, [*given, depot]) - now - self.weights["depot"] - 0.15 * cut
            if value > gain:
                best, gain = depot, value
        if best < 0:
            return Order((done,))
        return Order((best,), f"gives up {name(best)} for maximum attack supply, worth {gain:.1f}")

    def worth_of_combats(self, g: G, given: list[int]) -> float:
        """What the combats that have been named are worth if these installations are given up."""
        side = self.side
        distance = supply.attack_supply(g, side)
        best = supply.attack_supply(g, side, depots=given) if given else None
        return sum(
            max(self.worth_of(g, number, lambda u: combat.supply_of(g, u, distance, best)), 0.0)
            for number in set(g.state.targets.values())
        )

    def worth_of(self, g: G, number: int, halves: Callable[[int], int]) -> float:
        """What one named combat is worth; below 0 it is better called off."""
        attackers, targets = combat.attackers_of(g, self.side, number), combat.targets_of(g, number)
        if not attackers:
            return 0.0
        sheet = differential.attack(g, attackers, targets, halves, supply.lines(g, self.enemy))
        figures = tuple(sorted((worth(g, u), GERMAN[u]) for u in defenders(g, targets)))
        result = outcome(
            sheet.differential if sheet.permitted else -1, figures, tuple(sorted(cf(g, u) for u in attackers))
        )
        value = result.theirs * self.weights["kill"] - result.ours * self.weights["own"]
        return value + result.cleared * sum(self.prize(g, hex) for hex in targets)

    def fight(self, g: G, decision: Decision) -> Order:
        """The best combat first; those no longer worth it are called off (12.4)."""
        done = g.rules.button("done")
        values = {
            click: self.worth_of(g, g.state.targets[BOARD.name(click - g.place0)], g.state.supply.__getitem__)
            for click in decision.open
            if g.place0 <= click < g.rules.first_button
        }
        best = max(values, key=lambda click: values[click])
        if values[best] <= 0 and done in decision.open:
            return Order((done,), "calls off what no longer pays")
        return Order((best,))

    def enter(self, g: G, decision: Decision) -> Order:
        """Into Tobruk and the bases always; elsewhere only where the unit stands no worse (12.4.7)."""
        done = g.rules.button("done")
        plan = self.plan_of(g)
        places = [c - g.place0 for c in decision.open if g.place0 <= c < g.rules.first_button]
        if places:
            return Order((g.place0 + max(places, key=lambda h: self.prize(g, h)),))
        now = strike(g, self.enemy)
        plan.strike = now
        best: tuple[float, int] | None = None
        for unit, hint in decision.open.items():
            if unit == done or not isinstance(hint, list):
                continue
            here = g.state.where[unit]
            if here in (TOBRUK, *CENTRE):
                continue
            for hex in hint:
                value = self.prize(g, hex) + 0.01 * cf(g, unit)
                value += 2.0 if enemy_fort(g, self.side, here) is not None else 0.0
                value -= 20.0 if enemy_fort(g, self.side, hex) is not None else 0.0
                value -= 0.0 if supply.lines(g, self.side, (unit,), hex).reach(hex) or hex == ALEXANDRIA else 3.0
                stack = [u for u in REGULARS[self.side] if g.state.where[u] == hex]
                risk = self.losses_at(g, plan, hex, [*stack, unit]) - self.losses_at(g, plan, here, [unit])
                value -= plan.fear * risk
                if value > 0.3 and (best is None or value > best[0]):
                    best = value, unit
        return Order((done,)) if best is None else Order((best[1],), f"{name(best[1])} advances")

    def lose(self, g: G, decision: Decision) -> Order:
        """What is cheapest to lose: Italians before Germans, infantry before armour, what cannot grow before what has."""
        units = [u for u in decision.open if u < len(SIDE)]
        if not units:
            return self.least(g, decision)
        return Order((min(units, key=lambda u: (GERMAN[u], ARMOURED[u], g.state.plus[u], cf(g, u), u)),))

    def receive(self, g: G, decision: Decision) -> Order:
        """Units first, the installation, growth for Allied units, rebuilding, and options for a reason (13)."""
        state = g.state
        option = self.option(g, decision)
        if option is not None:
            return option
        units = [u for u in decision.open if u < len(SIDE)]
        if not units:
            return self.least(g, decision)
        depots = [u for u in units if DEPOT[u]]
        if depots:
            return Order((depots[0],))
        on_map = [u for u in units if 0 <= state.where[u] < HEXES]
        lost = [u for u in units if state.where[u] == CADRE[self.side]]
        if on_map:
            unit = max(on_map, key=lambda u: (ARMOURED[u], cf(g, u), -u))
            return Order((unit,), f"{name(unit)} is made stronger")
        if lost:
            unit = max(lost, key=lambda u: (GERMAN[u], cf(g, u), -u))
            return Order((unit,), f"{name(unit)} is rebuilt")
        return Order((max(units, key=lambda u: (cf(g, u), -u)),))

    def option(self, g: G, decision: Decision) -> Order | None:
        """Options cost more than they bring, so they are for a last push or in need (13.5.3)."""
        ours, theirs = self.strength(g, self.side), self.strength(g, self.enemy)
        if self.side == AXIS:
            storming = self.front is not None and self.front.mile > 60 and ours > theirs
            letters = WEIGHTS["options"]["axis"] if storming else []
            why = "to take Alexandria"
        else:
            need = any(g.state.where[u] in MILE and MILE[g.state.where[u]] > 60 for u in REGULARS[AXIS])
            letters = WEIGHTS["options"]["allied_in_need" if need else "allied"] if need or ours > 1.5 * theirs else []
            why = "Egypt is in danger" if need else "to drive the enemy out"
        for letter in letters:
            button = g.rules.button(f"option {letter}")
            if button in decision.open:
                return Order((button,), f"option {letter} {why}")
        return None

    def strength(self, g: G, side: int) -> int:
        """The CF of a side on the map."""
        return sum(cf(g, u) for u in REGULARS[side] if 0 <= g.state.where[u] < HEXES)

    def malta(self, g: G, decision: Decision) -> Order:
        """An attempt risks the twelve CF of option M, so it is for an Axis that is far ahead."""
        ahead = self.strength(g, AXIS) > WEIGHTS["malta"]["strong"] * self.strength(g, ALLIED)
        word = "yes" if ahead else "no"
        return Order((g.rules.button(word),), "Malta: " + ("far enough ahead" if ahead else "option M is worth more"))

    def place(self, g: G, decision: Decision) -> Order:
        """On the road out, or at the port for those that will sail."""
        ahead = 1 if self.side == AXIS else -1
        places = [c for c in decision.open if g.place0 <= c < g.rules.first_button]
        if not places:
            return self.least(g, decision)
        return Order((max(places, key=lambda c: (ahead * MILE.get(c - g.place0, -99 * ahead), -c)),))

    def withdraw(self, g: G, decision: Decision) -> Order:
        """The Allies give up the lost, then the weakest; the Axis picks the strongest, in Tobruk before elsewhere."""
        units = [u for u in decision.open if u < len(SIDE)]
        if self.side == AXIS:
            return Order((max(units, key=lambda u: (g.state.where[u] == TOBRUK, cf(g, u), -u)),))
        return Order((min(units, key=lambda u: (g.state.where[u] != CADRE[ALLIED], cf(g, u), u)),))

    def reinstate(self, g: G, decision: Decision) -> Order:
        """The strongest."""
        units = [u for u in decision.open if u < len(SIDE)]
        return Order((max(units, key=lambda u: (cf(g, u), -u)),)) if units else self.least(g, decision)
