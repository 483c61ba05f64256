"""The commander of a side: answers every question of the game by the rule it is asked under."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import numpy as np

from khamsin.games.paa import advance, combat, supply
from khamsin.games.paa.setup import TURNS
from khamsin.games.paa.units import (
    ALEXANDRIA,
    ALLIED,
    ARMOURED,
    AXIS,
    CADRE,
    CENTRE,
    DEPOT,
    DEPOTS,
    GERMAN,
    HEXES,
    REGULARS,
    SACRIFICED,
    SIDE,
    TOBRUK,
    G,
    cf,
    name,
)
from khamsin.games.paa.zones import enemy_fort
from khamsin.kernel.rules import Decision
from khamsin.players.paa.assault import best_declaration, declaration_clicks, relief, worth_of, worth_of_combats
from khamsin.players.paa.country import MILE, Position
from khamsin.players.paa.front import choose_front
from khamsin.players.paa.judgement import judge
from khamsin.players.paa.march import carry_out, make_room
from khamsin.players.paa.picture import strength, strike
from khamsin.players.paa.plan import Plan
from khamsin.players.paa.raids import barriers
from khamsin.players.paa.steps import STEPS
from khamsin.players.paa.value import losses_at, prize
from khamsin.players.paa.weights import FIGURES, SCORE, STANCES, USUAL, weights
from khamsin.players.scripted import Order


class Commander:
    """Plays one side."""

    hurdle = SCORE["hurdle"]

    def __init__(self, side: int, chance: random.Random) -> None:
        self.side = side
        self.enemy = 1 - side
        self.chance = chance
        self.taste = np.array([0.2 * chance.random() for _ in range(HEXES)])
        self.front: Position | None = None
        self.weigh = weights(side, USUAL)
        self._plan = self._fresh(-1)

    def _fresh(self, turn: int) -> Plan:
        """An empty plan."""
        return Plan(self.side, turn, self.weigh, self.taste, self.chance)

    def moment(self, g: G, decision: Decision) -> int | None:
        """A turn is planned when its movement begins (11)."""
        return g.state.turn if decision.kind == "move.stack" and self._plan.turn != g.state.turn else None

    def effort(self, g: G) -> int:
        """Most of it goes to the turns in which the game is decided."""
        return int(SCORE["effort" if g.state.turn < SCORE["to_end"] else "late"])

    def stances(self, g: G) -> list[str]:
        """Every way to think that could make a difference now."""
        held = g.state.control.get(TOBRUK) == self.side
        return [
            stance
            for stance, factors in STANCES[self.side].items()
            if g.state.turn <= factors.get("until", TURNS) and not (held and stance == "for Tobruk")
        ]

    def adopt(self, stance: str) -> None:
        """Think so from now on."""
        self.weigh = weights(self.side, stance)

    def again(self, stance: str) -> Commander:
        """Another commander of the side, in a stance."""
        other = Commander(self.side, random.Random(0))
        other.taste, other.front = self.taste, self.front
        other.adopt(stance)
        return other

    def until(self, g: G) -> Callable[[G], bool]:
        """A trial ends when both sides have had so many turns more; late in the game, at its end."""
        side, last = self.side, g.state.turn + int(SCORE["turns"])
        if g.state.turn >= SCORE["to_end"]:
            last = TURNS + 1
        return lambda then: (
            then.state.turn > last
            or (then.state.turn == last and then.rules.phases(then.state)[then.state.phase].side == side)
        )

    def score(self, g: G) -> float:
        """How good a position is for the side; it plays to win, so that a draw is not much better than a loss."""
        value = judge(g) if self.side == AXIS else -judge(g)
        drawn = g.state.result is not None and g.state.result.winner < 0
        return value - SCORE["draw"] if drawn else value

    def refused(self, order: Order) -> None:
        """Whoever was to move stays where it is."""
        self._plan.settled.update(click for click in order.clicks[:1] if click < len(SIDE))

    def order(self, g: G, decision: Decision) -> Order:
        """The answer to any decision, by its kind."""
        by_kind: dict[str, Callable[[G, Decision], Order]] = {
            "setup.unit": self.set_up, "setup.place": self.set_up, "malta.invade": self.malta, "move.stack": self.move,
            "overrun.counter": self.strike_back, "combat.target": self.declare, "combat.attackers": self.declare,
            "combat.supply": self.feed, "combat.destroy": self.feed, "combat.order": self.fight,
            "combat.counter": self.strike_back, "combat.losses": self.lose, "combat.advance": self.enter,
            "combat.advance.to": self.enter, "reinforcement.unit": self.receive, "reinforcement.to": self.place,
            "reinforcement.withdraw": self.withdraw, "reinforcement.reinstate": self.reinstate, "stacking.excess": self.lose,
            "reinforcement.option": self.lose, "combat.proceed": self.react, "reaction.stack": self.react,
            "reaction.to": self.react, "combat.add": self.least,
        }  # fmt: skip
        if g.state.targets and self._plan.turn == g.state.turn:
            self._note_aims(g)
        order = by_kind.get(decision.kind, self.least)(g, decision)
        return order if order.clicks and order.clicks[0] in decision.legal else self.least(g, decision)

    def _note_aims(self, g: G) -> None:
        """Who attacks which hexes: when it comes to the advance, the combat is no longer in the state."""
        for unit in REGULARS[self.side]:
            if g.state.battle[unit] > 0:
                self._plan.aims[unit] = combat.targets_of(g, g.state.battle[unit])

    def least(self, g: G, decision: Decision) -> Order:
        """Whatever ends the question, or the first open click."""
        for word in ("done", "no", "cancel", "attack", "yes"):
            if g.rules.button(word) in decision.legal:
                return Order((g.rules.button(word),))
        return Order((next(iter(decision.legal)),))

    def set_up(self, g: G, decision: Decision) -> Order:
        """The spread that is offered will do."""
        return self.least(g, decision)

    def strike_back(self, g: G, decision: Decision) -> Order:
        """It costs nothing."""
        return Order((g.rules.button("yes"),)) if g.rules.button("yes") in decision.legal else self.lose(g, decision)

    def react(self, g: G, decision: Decision) -> Order:
        """The unit goes to an attacked hex whose coming changes most there; an attacker whose enemy has been reinforced goes
        on (15.1)."""
        attack = g.rules.button("attack")
        if attack in decision.legal:
            return Order((attack,))
        ways = [
            (relief(g, unit, int(hex)), unit)
            for unit, hexes in decision.legal.items()
            if isinstance(hexes, Mapping)
            for hex in hexes
        ]
        gain, unit = max(ways, default=(0.0, -1))
        if gain < FIGURES["reaction"]["least"]:
            return self.least(g, decision)
        return Order((unit,), f"{name(unit)} comes to help, worth {gain:.1f}")

    def move(self, g: G, decision: Decision) -> Order:
        """The next order of the movement phase."""
        plan = self.plan_of(g)
        done = g.rules.button("done")
        while True:
            if plan.orders:
                order = plan.orders.pop(0)
                if order.clicks[0] in decision.legal:
                    return order
                continue
            if plan.tasks:
                found = carry_out(g, plan, plan.tasks.pop(0), decision)
                if found is not None:
                    return found
                continue
            if plan.step < len(STEPS):
                if not STEPS[plan.step](g, plan):
                    plan.step += 1
            elif done in decision.legal:
                return Order((done,))
            else:
                return make_room(g, plan, decision)

    def plan_of(self, g: G) -> Plan:
        """The plan of this turn, made when it begins to move."""
        if self._plan.turn != g.state.turn:
            plan = self._plan = self._fresh(g.state.turn)
            plan.strike = strike(g, self.enemy)
            plan.barriers = barriers(g, self.side)
            plan.position = self.front = choose_front(g, plan, self.front)
            plan.fear = min(1.0, strength(g, self.enemy) / max(1, strength(g, self.side)))
            if self.side == AXIS and plan.turn == TURNS:
                plan.fear = 0.0  # nobody answers the last turn
        return self._plan

    def declare(self, g: G, decision: Decision) -> Order:
        """Name the best attack that is left, or end the declarations (12.2)."""
        done = g.rules.button("done")
        if decision.kind == "combat.attackers":
            return Order((g.rules.button("cancel"),))
        attack = best_declaration(
            g, self.plan_of(g), [c - g.place0 for c in decision.legal if g.place0 <= c < g.rules.first_button]
        )
        if attack is None:
            return Order((done,))
        clicks = declaration_clicks(g, self.side, attack, done)
        return Order(clicks, f"attacks {attack.where} at {attack.differential:+d}, worth {attack.score:.1f}")

    def feed(self, g: G, decision: Decision) -> Order:
        """Give up an installation where it wins more than it is worth (12.3)."""
        done, cancel = g.rules.button("done"), g.rules.button("cancel")
        if cancel in decision.legal:
            return Order((cancel,))
        side, state, plan = self.side, g.state, self.plan_of(g)
        given = [d for d in DEPOTS[side] if state.flags[d] & SACRIFICED]
        now = worth_of_combats(g, plan, given)
        best, gain = -1, 0.0
        for depot in decision.legal:
            if depot >= len(SIDE):
                continue
            then = supply.lines(g, side, without=[*given, depot])
            cut = sum(cf(g, u) for u in supply.would_lose_supply(g, side, REGULARS[side], supply.lines(g, side), then))
            value = worth_of_combats(g, plan, [*given, depot]) - now - plan.weigh.depot - 0.15 * cut
            if value > gain:
                best, gain = depot, value
        if best < 0:
            return Order((done,))
        return Order((best,), f"gives up {name(best)} for maximum attack supply, worth {gain:.1f}")

    def fight(self, g: G, decision: Decision) -> Order:
        """The best combat first; those no longer worth it are called off (12.4)."""
        done, plan = g.rules.button("done"), self.plan_of(g)
        values = {
            click: worth_of(g, plan, g.state.targets[click - g.place0], g.state.supply.__getitem__)
            for click in decision.legal
            if g.place0 <= click < g.rules.first_button
        }
        best = max(values, key=lambda click: values[click])
        if values[best] <= 0 and done in decision.legal:
            return Order((done,), "calls off what no longer pays")
        return Order((best,))

    def enter(self, g: G, decision: Decision) -> Order:
        """Into Tobruk and the bases always; elsewhere only where the unit stands no worse (12.4.7)."""
        done = g.rules.button("done")
        plan = self.plan_of(g)
        places = [c - g.place0 for c in decision.legal if g.place0 <= c < g.rules.first_button]
        if decision.kind == "combat.advance.to":
            return Order((g.place0 + max(places, key=lambda h: prize(g, plan, h)),))
        now = strike(g, self.enemy)
        plan.strike = now
        best: tuple[float, int] | None = None
        foes = combat.held(g, self.side)
        for unit in decision.legal:
            if not g.is_unit(unit) or g.state.where[unit] in (TOBRUK, *CENTRE):
                continue
            here = g.state.where[unit]
            for hex in plan.aims.get(unit, ()):
                if hex in foes or not advance.may_advance(g, self.side, unit, hex):
                    continue
                value = prize(g, plan, hex) + 0.01 * cf(g, unit)
                value += 2.0 if enemy_fort(g, self.side, here) is not None else 0.0
                value -= 20.0 if enemy_fort(g, self.side, hex) is not None else 0.0
                value -= 0.0 if supply.lines(g, self.side, (unit,), hex).reach(hex) or hex == ALEXANDRIA else 3.0
                stack = [u for u in REGULARS[self.side] if g.state.where[u] == hex]
                risk = losses_at(g, plan, hex, [*stack, unit]) - losses_at(g, plan, here, [unit])
                value -= plan.fear * risk
                if value > 0.3 and (best is None or value > best[0]):
                    best = value, unit
        return Order((done,)) if best is None else Order((best[1],), f"{name(best[1])} advances")

    def lose(self, g: G, decision: Decision) -> Order:
        """What is cheapest to lose: Italians before Germans, infantry before armour, what cannot grow before what has."""
        units = [u for u in decision.legal if u < len(SIDE)]
        if not units:
            return self.least(g, decision)
        return Order((min(units, key=lambda u: (GERMAN[u], ARMOURED[u], g.state.plus[u], cf(g, u), u)),))

    def receive(self, g: G, decision: Decision) -> Order:
        """Units first, the installation, growth for Allied units, rebuilding, and options for a reason (13)."""
        state = g.state
        option = self.option(g, decision)
        if option is not None:
            return option
        units = [u for u in decision.legal if u < len(SIDE)]
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
        ours, theirs = strength(g, self.side), strength(g, self.enemy)
        if self.side == AXIS:
            storming = self.front is not None and self.front.mile > 60 and ours > theirs
            letters = FIGURES["options"]["axis"] if storming else []
            why = "to take Alexandria"
        else:
            need = any(g.state.where[u] in MILE and MILE[g.state.where[u]] > 60 for u in REGULARS[AXIS])
            letters = FIGURES["options"]["allied_in_need" if need else "allied"] if need or ours > 1.5 * theirs else []
            why = "Egypt is in danger" if need else "to drive the enemy out"
        for letter in letters:
            button = g.rules.button(f"option {letter}")
            if button in decision.legal:
                return Order((button,), f"option {letter} {why}")
        return None

    def malta(self, g: G, decision: Decision) -> Order:
        """An attempt risks the twelve CF of option M, so it is for an Axis that is far ahead."""
        ahead = strength(g, AXIS) > FIGURES["malta"]["strong"] * strength(g, ALLIED)
        word = "yes" if ahead else "no"
        return Order((g.rules.button(word),), "Malta: " + ("far enough ahead" if ahead else "option M is worth more"))

    def place(self, g: G, decision: Decision) -> Order:
        """For the Allies at the port, from where they can sail; else on the road out."""
        ahead = 1 if self.side == AXIS else -1
        port = g.place0 + ALEXANDRIA
        if self.side == ALLIED and port in decision.legal:
            return Order((port,))
        places = [c for c in decision.legal if g.place0 <= c < g.rules.first_button]
        if not places:
            return self.least(g, decision)
        return Order((max(places, key=lambda c: (ahead * MILE.get(c - g.place0, -99 * ahead), -c)),))

    def withdraw(self, g: G, decision: Decision) -> Order:
        """The Allies give up the lost, then the weakest; the Axis picks the strongest, in Tobruk before elsewhere."""
        units = [u for u in decision.legal if u < len(SIDE)]
        if self.side == AXIS:
            return Order((max(units, key=lambda u: (g.state.where[u] == TOBRUK, cf(g, u), -u)),))
        return Order((min(units, key=lambda u: (g.state.where[u] != CADRE[ALLIED], cf(g, u), u)),))

    def reinstate(self, g: G, decision: Decision) -> Order:
        """The strongest."""
        units = [u for u in decision.legal if u < len(SIDE)]
        return Order((max(units, key=lambda u: (cf(g, u), -u)),)) if units else self.least(g, decision)
