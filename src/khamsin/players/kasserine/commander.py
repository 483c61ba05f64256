"""The commander of a side: knows what it is after, and answers every question of the game by its kind."""

from __future__ import annotations

import random
from collections.abc import Callable

from khamsin.games.kasserine import advance as follow
from khamsin.games.kasserine import battle as combats
from khamsin.games.kasserine import paths
from khamsin.games.kasserine.combat import within_reach
from khamsin.games.kasserine.declaration import DECLARATION
from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.strength import attack_strength, defence_strength
from khamsin.games.kasserine.supply import feeds
from khamsin.games.kasserine.units import (
    ALLIED,
    ASSAULT,
    AXIS,
    BARRAGE,
    BOARD,
    BUILDING,
    CAS,
    DEPLOYED,
    FORCES,
    GUN,
    HEXES,
    IS_MARKER,
    OOS,
    RANGE,
    RESERVE,
    SIDES,
    TWO_MODES,
    UNITS,
    G,
    name,
    stacks,
)
from khamsin.kernel.rules import Decision
from khamsin.mechanics.combats import begin
from khamsin.players.kasserine import aftermath, fire
from khamsin.players.kasserine.assault import Attack, Planner, prizes
from khamsin.players.kasserine.goals import (
    Goal,
    claims,
    crisis,
    decided_by,
    efforts,
    focus,
    goals,
    share_out,
    spare_turns,
)
from khamsin.players.kasserine.march import March, Move
from khamsin.players.kasserine.picture import LINE, Picture
from khamsin.players.kasserine.prospects import prospects
from khamsin.players.kasserine.weights import FIGURES, FIRE, HOME, SCORE, STANCES, TOWARDS, USUAL, aim, force, weights
from khamsin.players.scripted import Order

TABLES = ("assault", "mobile")
"""The buttons of the two tables, as the game numbers them."""
RESTLESS = 600
"""Orders in one phase after which it is ended by chance."""
FEW = 3
"""Units for which an HQ gives emergency supply."""


class Commander:
    """Plays one side of Decision at Kasserine."""

    hurdle = SCORE["hurdle"]

    def __init__(self, side: int, chance: random.Random) -> None:
        self.side = side
        self.enemy = 1 - side
        self.chance = chance
        self.wanted: frozenset[int] = frozenset()
        self.stance = USUAL
        self.weigh, self.force = weights(side, USUAL), force(side, USUAL)
        self._planned = -1
        self._phase: tuple[int, int] = (-1, -1)
        self._asked = 0
        self._queue: list[Order] = []
        self._plans: list[Attack] = []
        self._drawn = False
        self._banned: set[int] = set()
        self._tried: set[int] = set()
        self._seen: Picture | None = None
        self._claims: list[Goal] = []
        self._goals: list[Goal] | None = None
        self._answers: dict[str, Callable[[G, Decision], Order | None]] = {
            "setup.unit": self.set_up, "setup.place": self.set_up, "strongpoint.build": self.fortify,
            "supply.emergency": self.feed, "combat.supply": self.feed_combat, "reinforcement.unit": self.first,
            "reinforcement.reserve": self.first, "reinforcement.hq": self.shelter, "air.unit": self.interdict,
            "move.stack": self.move, "reserve.units": self.hold_back, "reserve.stack": self.move,
            "reaction.stack": self.react, "stacking.excess": self.lose, "combat.target": self.declare,
            "combat.attackers": self.complete, "evasion.hex": self.evade, "barrage.marker": self.lay_barrage,
            "barrage.hex": self.lay_barrage, "fpf.marker": self.protect, "fpf.hex": self.protect,
            "fpf.remove": self.protect, "setup.fpf": self.protect, "combat.air": self.fly, "combat.order": self.fight,
            "combat.roll": self.press, "combat.choice": self.agree, "combat.losses": self.lose,
            "combat.retreat": self.retreat, "combat.advance": self.advance, "combat.advance.to": self.advance_to,
            "strongpoint.remove": self.least,
        }  # fmt: skip

    def moment(self, g: G, decision: Decision) -> int | None:
        """A turn is planned when its movement begins (7.0)."""
        return g.state.turn if decision.kind == "move.stack" and self._planned != g.state.turn else None

    def effort(self, g: G) -> int:
        """As much for every turn."""
        return int(SCORE["effort"])

    def stances(self, g: G) -> list[str]:
        """The ways to think of the side, and the places that it might put above the others this turn."""
        home = HOME[decided_by(g)][self.side]
        others = [stance for stance in STANCES[self.side] if stance != home]
        places = efforts(Picture(g, self.side), self.wanted, self.force)
        return [home, *others, *(f"{home}{TOWARDS}{BOARD.name(hex)}" for hex in places)]

    def adopt(self, stance: str) -> None:
        """Think so from now on."""
        self.stance = stance
        self.weigh, self.force = weights(self.side, stance), force(self.side, stance)
        self._seen = None

    def again(self, stance: str) -> Commander:
        """Another commander of the side who wants the same, in a stance."""
        other = Commander(self.side, random.Random(0))
        other.wanted = self.wanted
        other.adopt(stance)
        return other

    def until(self, g: G) -> Callable[[G], bool]:
        """A trial ends when the side would move again after some turns; late in the game, at its end."""
        turns = SCORE["turns"] if setting(g).last - g.state.turn > SCORE["to_end"] else setting(g).last
        last, phase = g.state.turn + int(turns), g.state.phase
        return lambda then: (then.state.turn, then.state.phase) >= (last, phase)

    def score(self, g: G) -> float:
        """How near the Axis is to a set of its conditions, what it could lose again, and strength against strength; and in a
        game that is over, who has won."""
        worth = prospects(g) if self.side == AXIS else -prospects(g)
        result = g.state.result
        if result is not None:
            worth += SCORE["win"] if result.winner == self.side else -SCORE["win"]
        return worth

    def refused(self, order: Order) -> None:
        """What could not be carried out is not tried again in this phase."""
        self._banned.update(click for click in order.clicks[:1])

    def order(self, g: G, decision: Decision) -> Order:
        """The answer to any question, by its kind."""
        now = (g.state.turn, g.state.phase)
        if now != self._phase:
            self._phase, self._asked, self._queue, self._drawn = now, 0, [], False
            self._banned, self._tried, self._seen = set(), set(), None
        self._asked += 1
        if self._asked > RESTLESS:
            return Order((self.chance.choice(list(decision.legal)),))
        answer = self._answers.get(decision.kind, self.least)(g, decision)
        if answer is not None and answer.clicks and answer.clicks[0] in decision.legal:
            return answer
        return self.least(g, decision)

    def least(self, g: G, decision: Decision) -> Order:
        """Whatever ends the question, or the first open click."""
        for word in ("done", "cancel", "no", "attack", "yes"):
            if g.rules.button(word) in decision.legal:
                return Order((g.rules.button(word),))
        return Order((next(iter(decision.legal)),))

    def first(self, g: G, decision: Decision) -> Order | None:
        """Reinforcements come as soon as they can, the strongest first."""
        units = self._units(decision)
        return Order((max(units, key=lambda u: (attack_strength(g, u, False), -u)),)) if units else None

    def press(self, g: G, decision: Decision) -> Order:
        """A combat is fought."""
        return Order((g.rules.button("attack"),))

    def agree(self, g: G, decision: Decision) -> Order:
        """Tigers, mountain units and Rommel are used: they turn a die."""
        return Order((g.rules.button("yes"),))

    def _units(self, decision: Decision) -> list[int]:
        return [click for click in decision.legal if click < len(UNITS)]

    def _places(self, g: G, decision: Decision) -> list[int]:
        return [click - g.place0 for click in decision.legal if g.place0 <= click < g.rules.first_button]

    def _look(self, g: G) -> Picture:
        """The board as it was at the first question of the phase, from which the side has what it wants."""
        if self._seen is None:
            picture = self._seen = Picture(g, self.side)
            self.wanted = focus(picture, self.wanted, aim(self.stance))
            self._claims, self._goals = claims(picture, self.wanted, self.force, aim(self.stance)), None
            if self.side == AXIS:
                self.weigh = weights(AXIS, self.stance).in_haste(spare_turns(picture, self.wanted))
            elif crisis(g):
                self.weigh = weights(ALLIED, self.stance).in_haste(0)
            else:
                self.weigh = weights(ALLIED, self.stance)
        return self._seen

    def _claimed(self, g: G) -> list[Goal]:
        """What the side has wanted since the phase began, without what it needs against the enemy."""
        self._look(g)
        return self._claims

    def _wants(self, g: G) -> tuple[Picture, list[Goal]]:
        """The board as it is, and what the side has wanted on it since the phase began."""
        seen = self._look(g)
        if self._goals is None:
            self._goals = goals(seen, self._claims, self.wanted, self.force, aim(self.stance))
        return Picture(g, self.side, seen), self._goals

    def _worth(self, found: list[Goal]) -> dict[int, float]:
        return {goal.hex: goal.worth for goal in found}

    def set_up(self, g: G, decision: Decision) -> Order | None:
        """Axis guns out of range begin on wheels; markers go where an attack is likely; the rest is as printed (4.1.4)."""
        option = FIGURES[SIDES[self.side].lower()]["option"]
        button = g.rules.button(f"option {option}") if option else -1
        if button in decision.legal:
            return Order((button,), f"the panzer groups enter by option {option}")
        picture = Picture(g, self.side)
        for unit in self._units(decision) if self.side == AXIS else ():
            ready = TWO_MODES[unit] and g.state.flags[unit] & DEPLOYED
            if ready and picture.nearest_enemy(g.state.where[unit]) > max(RANGE[unit], 1):
                return Order((unit, g.rules.button("change mode")), f"{name(unit)} begins on wheels")
        return self.protect(g, decision)

    def fortify(self, g: G, decision: Decision) -> Order | None:
        """Strongpoints are built in places that are held, where the enemy may come (14.3)."""
        picture, found = Picture(g, self.side), self._claimed(g)
        worth = self._worth([goal for goal in found if not goal.take and goal.need > 0])
        where = g.state.where
        sites = [
            unit
            for unit in self._units(decision)
            if where[unit] in worth and picture.enemy_time(where[unit]) <= self.force.dig
        ]
        if not sites:
            return None
        unit = max(sites, key=lambda u: (worth[where[u]], -attack_strength(g, u, False), -u))
        return Order((unit,), f"{name(unit)} digs in at {BOARD.name(where[unit])}")

    def feed(self, g: G, decision: Decision) -> Order | None:
        """An HQ gives emergency supply where it helps several units (15.4)."""
        units = self._units(decision)
        hungry = [u for u in FORCES[AXIS] if LINE[u] and g.state.flags[u] & OOS]
        for hq in units:
            near = feeds(g, hq)
            if sum(near[g.state.where[unit]] for unit in hungry) >= FEW:
                return Order((hq,), f"{name(hq)} gives emergency supply")
        return None

    def feed_combat(self, g: G, decision: Decision) -> Order | None:
        """An HQ gives emergency supply in a combat (15.4.1)."""
        units = self._units(decision)
        return Order((units[0],), f"{name(units[0])} gives emergency supply") if units else None

    def shelter(self, g: G, decision: Decision) -> Order | None:
        """A rebuilt HQ returns to where it is safest (15.3.2)."""
        picture = Picture(g, self.side)
        safe = min(self._places(g, decision), key=lambda h: (picture.threat[h] if h < HEXES else 0.0, h))
        return Order((g.place0 + safe,))

    def interdict(self, g: G, decision: Decision) -> Order | None:
        """An air unit slows the strongest enemy column on its way to what is held (11.2)."""
        units = self._units(decision)
        if self.side == AXIS or not units or len(self._tried) >= FIRE["interdict"]:
            return None
        picture, found = Picture(g, self.side), self._claimed(g)
        hex = fire.roadblock(picture, found, [])
        if hex is None:
            return None
        unit = min(units, key=lambda u: (CAS[u], u))
        self._tried.add(unit)
        return Order((unit, g.place0 + hex), f"{name(unit)} interdicts the road at {BOARD.name(hex)}")

    def move(self, g: G, decision: Decision) -> Order | None:
        """The moves planned for the phase, one after another (7.0, 8.2.4)."""
        if not self._drawn:
            self._drawn = True
            self._planned = g.state.turn
            kind = paths.MOVEMENT if decision.kind == "move.stack" else paths.RESERVES
            self._queue = [order for move in self._march(g, decision, kind) for order in self._orders(g, move)]
        while self._queue:
            order = self._queue.pop(0)
            if order.clicks[0] in decision.legal and order.clicks[0] not in self._banned:
                return order
        return None if g.rules.button("done") in decision.legal else self._anywhere(g, decision)

    def _march(self, g: G, decision: Decision, kind: int) -> list[Move]:
        picture, found = self._wants(g)
        units = [unit for unit in self._units(decision) if not g.state.flags[unit] & BUILDING]
        aims = share_out(picture, [u for u in units if not g.state.release[u]], found, self.force)
        return March(picture, self.weigh, found, aims, kind).plan(units)

    def _orders(self, g: G, move: Move) -> list[Order]:
        """The clicks of a move, each change of mode an order of its own."""
        change = g.rules.button("change mode")
        found = []
        if move.pack:
            found.append(Order((move.unit, change), f"{name(move.unit)} packs up"))
        if move.hex != g.state.where[move.unit]:
            found.append(Order((move.unit, g.place0 + move.hex), move.reason))
        if move.deploy:
            found.append(Order((move.unit, change), f"{name(move.unit)} deploys"))
        return found

    def _anywhere(self, g: G, decision: Decision) -> Order:
        """The phase cannot end yet: somebody must enter or make room (3.3.2, 18.2.4)."""
        untried = [unit for unit in self._units(decision) if unit not in self._tried]
        off_map = [unit for unit in untried if g.state.where[unit] >= HEXES]
        for unit in off_map or untried:
            self._tried.add(unit)
            reach = paths.reach(g, [unit], paths.points_left(g, [unit], paths.MOVEMENT), paths.MOVEMENT).reached
            hexes = [hex for hex in reach.nonzero()[0].tolist() if hex not in stacks(g, self.side)]
            if hexes:
                return Order((unit, g.place0 + self.chance.choice(hexes)), f"{name(unit)} makes room")
        return Order((self.chance.choice(list(decision.legal)),))

    def hold_back(self, g: G, decision: Decision) -> Order | None:
        """Mobile units behind others are Reserves; those of the attacker, to go on after the combats (8.2)."""
        picture, found = Picture(g, self.side), self._claimed(g)
        flags, held = g.state.flags, {goal.hex for goal in found if not goal.take and goal.need > 0}
        for unit in self._units(decision):
            if flags[unit] & RESERVE or unit in self._tried or g.state.where[unit] in held:
                continue
            self._tried.add(unit)
            others = [u for u in picture.own[g.state.where[unit]] if u != unit and LINE[u] and not flags[u] & RESERVE]
            if others or (self.side == AXIS and picture.nearest_enemy(g.state.where[unit]) > 2):
                return Order((unit,), f"{name(unit)} is held in reserve")
        return None

    def react(self, g: G, decision: Decision) -> Order | None:
        """A Reserve joins the defence where that changes most (9.3)."""
        found = self._claimed(g)
        best: tuple[float, int, int] | None = None
        for unit in self._units(decision):
            if unit in self._tried:
                continue
            reach = paths.reach(g, [unit], paths.points_left(g, [unit], paths.REACTION), paths.REACTION)
            for hex, fight in fire.fights(g, self.enemy).items():
                if hex in reach and not g.state.reinforced.get(hex):
                    prize = fire.prize_of(found, hex, take=False)
                    relief = fire.relief(g, fight, prize, weights(self.enemy, USUAL), defence_strength(g, unit, False))
                    if relief > 0.3 and (best is None or relief > best[0]):
                        best = relief, unit, hex
        if best is None:
            return None
        _, unit, hex = best
        self._tried.add(unit)
        return Order(
            (unit, g.place0 + hex), f"{name(unit)} comes to the help of {BOARD.name(hex)}, worth {best[0]:.1f}"
        )

    def declare(self, g: G, decision: Decision) -> Order | None:
        """The attacks that pay with all they owe, one after another (9.1)."""
        if not self._drawn:
            self._drawn = True
            self._plans = self._attacks(g)
        while self._plans:
            order = self._attack(g, self._plans.pop(0))
            if order.clicks[0] in decision.legal and order.clicks[0] not in self._banned:
                return order
        done = g.rules.button("done")
        if done in decision.legal:
            return Order((done,))
        return self._call_off(g, decision)

    def _attacks(self, g: G) -> list[Attack]:
        picture, found = self._wants(g)
        aims = share_out(picture, [u for units in picture.own.values() for u in units], found, self.force)
        planner = Planner(picture, prizes(picture, found, aims), self.weigh)
        return planner.declared({click - g.place0 for click in self._banned if click >= g.place0})

    def _attack(self, g: G, attack: Attack) -> Order:
        party = {unit for unit, _ in attack.party}
        draft = begin(g, DECLARATION, self.side, attack.goal.hex)
        units = sorted(party.symmetric_difference(draft.units))
        table = g.rules.button(TABLES[attack.case.table - ASSAULT])
        odds = f"{attack.case.attack} to {attack.case.defence}, {attack.case.modifier:+d}"
        return Order(
            (g.place0 + attack.goal.hex, *units, table),
            f"attacks {BOARD.name(attack.goal.hex)} at {odds}, worth {attack.net:.1f}",
        )

    def _call_off(self, g: G, decision: Decision) -> Order | None:
        """A debt cannot be paid: a combat is called off."""
        for hex in self._places(g, decision):
            if hex in g.state.targets:
                self._banned.add(g.place0 + hex)
                return Order((g.place0 + hex,), f"calls off the attack on {BOARD.name(hex)}")
        return None

    def complete(self, g: G, decision: Decision) -> Order | None:
        """A combat that could not be put together as meant is called off (9.1.8)."""
        return Order((g.rules.button("cancel"),))

    def evade(self, g: G, decision: Decision) -> Order | None:
        """Scouts slip away from combats that would cost more than the ground is worth (9.2)."""
        found = self._claimed(g)
        fights = fire.fights(g, self.enemy)
        for hex in self._places(g, decision):
            if hex in fights and not any(goal.hex == hex for goal in found):
                how = fire.as_it_stands(g, fights[hex], 0.0, weights(self.enemy, USUAL)).now
                if how is not None and how.worth > FIRE["evade"]:
                    return Order((g.place0 + hex,), f"tries to slip away from {BOARD.name(hex)}")
        return None

    def lay_barrage(self, g: G, decision: Decision) -> Order | None:
        """Barrage falls where it changes a combat most; guns set to protect others are called to it (10.2)."""
        for hex in self._places(g, decision):
            return Order((g.place0 + hex,))
        found = self._claimed(g)
        best: tuple[float, int, int] = (FIRE["least"], -1, -1)
        markers = self._units(decision)
        for hex, fight in fire.fights(g, self.side).items():
            able = [marker for marker in markers if hex in within_reach(g, GUN[marker], fight)]
            if able:
                here = fire.as_it_stands(g, fight, fire.prize_of(found, hex, take=True), self.weigh)
                best = max(best, *((here.gain(more=BARRAGE[marker]), marker, hex) for marker in able))
        worth, marker, hex = best
        if marker < 0:
            return None
        return Order((marker, g.place0 + hex), f"{name(marker)} on {BOARD.name(hex)}, worth {worth:.1f}")

    def protect(self, g: G, decision: Decision) -> Order | None:
        """Final Protective Fire goes to the hexes where an attack is likely and hurts (10.3)."""
        markers = [unit for unit in self._units(decision) if IS_MARKER[unit]]
        if not decision.top or not markers:
            return Order((markers[0],)) if markers else None
        picture, found = self._wants(g)
        worth = self._worth(found)
        options = [
            (fire.protection(picture, marker, worth), marker) for marker in markers if marker not in self._banned
        ]
        (much, hex), marker = max(options, default=((0.0, -1), -1))
        if hex < 0 or much <= FIRE["least"]:
            return None
        return Order((marker, g.place0 + hex), f"{name(marker)} protects {BOARD.name(hex)}")

    def fly(self, g: G, decision: Decision) -> Order | None:
        """Air units go where they change a combat enough (11.3)."""
        units = self._units(decision)
        found = self._claimed(g)
        fights = {**fire.fights(g, AXIS), **fire.fights(g, ALLIED)}
        about, places = set(decision.about), {g.state.where[unit] for unit in decision.about}
        here = next((hex for hex, fight in fights.items() if hex in places or about & set(fight.attackers)), None)
        if here is None or not units:
            return None
        fight = fights[here]
        prize = fire.prize_of(found, here, take=fight.side == self.side)
        weigh = self.weigh if fight.side == self.side else weights(fight.side, USUAL)
        stands = fire.as_it_stands(g, fight, prize, weigh)
        worth, unit = max((fire.air_gain(g, self.side, fight, unit, stands), unit) for unit in units)
        if worth <= FIRE["least"] * 3:
            return None
        return Order((unit,), f"{name(unit)} flies to {BOARD.name(here)}, worth {worth:.1f}")

    def fight(self, g: G, decision: Decision) -> Order | None:
        """The combat that matters most is fought first, so that air units are there for it (12.0)."""
        found = self._claimed(g)
        fights = fire.fights(g, self.side)
        places = [hex for hex in self._places(g, decision) if hex in fights] or self._places(g, decision)
        return Order((g.place0 + max(places, key=lambda h: (fire.prize_of(found, h, take=True), -h)),))

    def lose(self, g: G, decision: Decision) -> Order | None:
        """The cheapest step (13.2)."""
        units = self._units(decision)
        return Order((aftermath.cheapest(g, units),)) if units else None

    def retreat(self, g: G, decision: Decision) -> Order | None:
        """Together if it can be, to where they stand best (13.3, 13.4)."""
        places = self._places(g, decision)
        if not places:
            return self.first(g, decision)
        picture, found = self._wants(g)
        units = list(decision.about) or self._units(decision)
        return Order((g.place0 + aftermath.refuge(picture, units, places, found),))

    def advance(self, g: G, decision: Decision) -> Order | None:
        """Into what is wanted, and elsewhere where the unit stands better (13.5)."""
        picture, found = self._wants(g)

        mine = [goal for goal in found if goal.take] or found
        best: tuple[float, int, int] | None = None
        held = {goal.hex: goal.need for goal in found if not goal.take and goal.need > 0}
        for unit in self._units(decision):
            here = g.state.where[unit]
            left = sum(defence_strength(g, u, False) for u in picture.own.get(here, ()) if u != unit and LINE[u])
            stays = here in held and left < held[here]
            hexes = self._advances(g, unit) if unit not in self._tried and not stays else []
            if hexes:
                gain, hex = aftermath.advance(picture, unit, hexes, mine)
                gain += 0.1 * defence_strength(g, unit, False)
                if gain > 0.2 and (best is None or gain > best[0]):
                    best = gain, unit, hex
        if best is None:
            return None
        _, unit, hex = best
        self._tried.add(unit)
        return Order((unit,), f"{name(unit)} advances to {BOARD.name(hex)}")

    def _advances(self, g: G, unit: int) -> list[int]:
        number = g.state.battle[unit]
        if not number:
            return []
        fight = combats.read(g, self.side, number)
        vacant = [hex for hex in fight.hexes if hex not in stacks(g, self.enemy)]
        return list(follow.reach(g, unit, vacant, 2 if fight.table != ASSAULT else 1))

    def advance_to(self, g: G, decision: Decision) -> Order | None:
        """The hex where the unit stands best (13.5.3)."""
        places = self._places(g, decision)
        picture, found = self._wants(g)
        if not places or not decision.about:
            return None
        mine = [goal for goal in found if goal.take] or found
        return Order((g.place0 + aftermath.advance(picture, decision.about[0], places, mine)[1],))
