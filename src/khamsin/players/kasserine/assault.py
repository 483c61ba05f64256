"""Attacks: which enemy hexes are worth one, with the smallest force whose chances suffice, and how they are declared together.

Whoever attacks owes an attack on every enemy whose zone reaches his hex (9.1.7). So an attack is judged with all that it
brings in its train, and made only if the whole of it pays.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from khamsin.games.kasserine import declaration
from khamsin.games.kasserine.combat import why_silent
from khamsin.games.kasserine.ground import REACHES
from khamsin.games.kasserine.stacking import LIMIT
from khamsin.games.kasserine.strength import attack_strength, defence_strength
from khamsin.games.kasserine.units import (
    BARRAGE,
    BOARD,
    GUNS,
    HEXES,
    MARKER,
    MOTOR,
    NO_ZONE,
    RANGE,
    RESERVE,
    STACKING,
    crosses,
)
from khamsin.players.kasserine.chances import Case, Force, Target, blow, target
from khamsin.players.kasserine.goals import Goal
from khamsin.players.kasserine.picture import LINE, Field, Picture, main_way, risk, way_to
from khamsin.players.kasserine.weights import PRIZE, Weights

MOST = 14
"""Attackers tried against one hex."""
PATIENCE = 3
"""Attackers added without gain before the search ends."""


class Attack(NamedTuple):
    """An attack on a hex: who makes it from where, how it stands, and what it is worth when all is counted."""

    goal: Target
    party: tuple[tuple[int, int], ...]
    case: Case
    net: float


def prizes(picture: Picture, found: Iterable[Goal], aims: Mapping[int, Goal]) -> dict[int, float]:
    """What it is worth to throw the enemy out of each hex that he holds."""
    worth = dict.fromkeys(picture.theirs, PRIZE["ground"])

    def raise_to(hexes: Iterable[int], prize: float) -> None:
        for hex in hexes:
            if hex in worth:
                worth[hex] = max(worth[hex], prize)

    for goal in found:
        if goal.take:
            raise_to([goal.hex], PRIZE["objective"] * goal.worth)
            raise_to(BOARD.around(goal.hex), PRIZE["near"] * goal.worth)
            for start in _columns(picture, goal, aims):
                for hex in main_way(start, goal.hex, picture.rain):
                    raise_to((hex, *BOARD.around(hex)), PRIZE["road"] * goal.worth)
        else:
            raise_to(BOARD.around(goal.hex), PRIZE["near"] * goal.worth)
    return worth


def _columns(picture: Picture, goal: Goal, aims: Mapping[int, Goal]) -> list[int]:
    """Where the nearest and the strongest stack that go for a goal stand."""
    where = picture.g.state.where
    power: dict[int, float] = {}
    for unit, aim in aims.items():
        if aim.hex == goal.hex and where[unit] in picture.own:
            power[where[unit]] = power.get(where[unit], 0.0) + attack_strength(picture.g, unit, False)
    if not power:
        return []
    left = way_to(goal.hex, MOTOR, picture.rain)
    return sorted({min(power, key=lambda hex: (left[hex], hex)), max(power, key=lambda hex: (power[hex], hex))})


def debts(picture: Picture) -> dict[int, set[int]]:
    """For every hex the enemy-held hexes whose zones reach it: who attacks from there owes them an attack (9.1.7)."""
    g, reaches = picture.g, REACHES[picture.rain]
    forts = {hex for hex, owner in g.state.strongpoint.items() if owner == picture.side}
    owed: dict[int, set[int]] = {}
    for hex, units in picture.theirs.items():
        awake = [unit for unit in units if not g.state.flags[unit] & RESERVE]
        if any(not NO_ZONE[unit] for unit in awake):
            for kind in {crosses(g, unit) for unit in awake}:
                for near in reaches[kind][hex]:
                    if near not in forts:
                        owed.setdefault(near, set()).add(hex)
    return owed


class Planner:
    """Looks for attacks, with the hexes that units can get to and the room there."""

    def __init__(
        self, picture: Picture, worth: Mapping[int, float], weigh: Weights, load: dict[int, int] | None = None
    ) -> None:
        self.picture = picture
        self.weigh = weigh
        self.load = load
        """The stacking points taken in each hex, or None where nobody moves."""
        self.owed = debts(picture)
        self.worth = worth
        self._targets: dict[int, Target] = {}
        self.guns = [gun for gun in GUNS[picture.side] if why_silent(picture.g, MARKER[gun]) is None]
        self.left: dict[int, Field] = {}
        self.ahead: dict[int, float] = {}
        """The way that units on the march have left from every hex, and the least that would be left without an attack."""
        self._blows: dict[tuple[int, int, int], tuple[int, int] | None] = {}
        self._standing: dict[tuple[int, ...], Attack | None] = {}
        """What units count in attacks from places next to targets, and the best attacks from where units stand."""

    def target(self, hex: int) -> Target:
        """An enemy-held hex as the side would attack it."""
        if hex not in self._targets:
            self._targets[hex] = target(self.picture.g, self.picture.side, hex, self.worth[hex])
        return self._targets[hex]

    def support(self, hex: int) -> int:
        """The barrage that could fall on a hex from where the guns stand."""
        where = self.picture.g.state.where
        return sum(BARRAGE[gun] for gun in self.guns if BOARD.distance(where[gun], hex) <= RANGE[gun])

    def best(
        self, goal: Target, places: Mapping[int, Collection[int]], wanted: Collection[int], net: Callable[..., float]
    ) -> Attack | None:
        """The attack on a target that is worth most by `net`, by units that have a choice of places next to it."""
        g = self.picture.g
        able: list[tuple[float, int, list[int]]] = []
        counts: dict[int, dict[int, tuple[int, int]]] = {}
        burden = {hex: self._burden(hex, goal, wanted) for hex in set().union(*places.values())}

        def dislike(hex: int) -> tuple[float, ...]:
            others, ground, threat = burden[hex]
            return others, self.delay(unit, hex), ground, threat, found[hex][1], hex

        for unit, hexes in places.items():
            found = {hex: much for hex in hexes if (much := self._blow(unit, hex, goal))}
            if found:
                order = sorted(found, key=dislike) if len(found) > 1 else list(found)
                strength, halved = found[order[0]]
                able.append((-(strength / 2**halved), unit, order))
                counts[unit] = found
        able.sort()
        room = dict(self.load) if self.load is not None else None
        force = Force(g, goal)
        party = force.party
        best: Attack | None = None
        barrage, since = self.support(goal.hex), 0
        for _, unit, order in able[: 2 * MOST]:
            here = next((hex for hex in order if room is None or room.get(hex, 0) + STACKING[unit] <= LIMIT), None)
            if here is None:
                continue
            if room is not None:
                room[here] = room.get(here, 0) + STACKING[unit]
            force.join(unit, here, counts[unit][here])
            how = force.case(self.weigh, barrage)
            since += 1
            if how is not None:
                worth = net(goal, party, how)
                if best is None or worth > best.net:
                    best, since = Attack(goal, tuple(party), how, worth), 0
            if len(party) >= MOST or (best is not None and since > PATIENCE):
                break
        return best

    def _blow(self, unit: int, hex: int, goal: Target) -> tuple[int, int] | None:
        key = (unit, hex, goal.hex)
        if key not in self._blows:
            self._blows[key] = blow(self.picture.g, unit, hex, goal)
        return self._blows[key]

    def _burden(self, hex: int, goal: Target, wanted: Collection[int]) -> tuple[int, int, float]:
        """How little a hex is liked to attack from: other enemies next to it, worse ground, the threat."""
        others = self.owed.get(hex, set()) - {goal.hex, *wanted}
        return len(others), -int(self.picture.ground.item(hex)), self.picture.threat.item(hex)

    def cost(self, party: Sequence[tuple[int, int]]) -> float:
        """What an attack costs besides its losses: strength that is missing elsewhere, and the enemy's answer."""
        g, power = self.picture.g, dict[int, float]()
        strength = delay = 0.0
        for unit, hex in party:
            strength += attack_strength(g, unit, False)
            delay += self.delay(unit, hex)
            power[hex] = power.get(hex, 0.0) + defence_strength(g, unit, False)
        answer = sum(risk(self.picture, hex, points) for hex, points in power.items())
        return self.weigh.commit * strength + self.weigh.exposure * answer + PRIZE["delay"] * delay

    def delay(self, unit: int, hex: int) -> float:
        """How much further a unit would get on its march if it did not go to a hex to attack, in movement points."""
        return max(0.0, self.left[unit].item(hex) - self.ahead[unit]) if unit in self.left else 0.0

    def prepared(self, reach: Mapping[int, NDArray[np.bool_]]) -> list[Attack]:
        """The attacks to be got ready by moving, the best first, each unit and each room used once. `load` keeps count."""
        assert self.load is not None
        chosen: list[Attack] = []
        units = list(reach)
        free = np.array([reach[unit] for unit in units], dtype=np.bool_).reshape(len(units), HEXES)

        def attempt(hex: int) -> Attack | None:
            near, done = BOARD.around(hex), {attack.goal.hex for attack in chosen}
            places: dict[int, list[int]] = {}
            for row, at in np.argwhere(free[:, near]).tolist():
                places.setdefault(units[row], []).append(near[at])

            def net(goal: Target, party: Sequence[tuple[int, int]], how: Case) -> float:
                owed = set().union(*(self.owed.get(hex, set()) for _, hex in party)) - {goal.hex} - done
                extra = sum(max(0.0, PRIZE["required"] - self.worth[hex]) for hex in owed)
                return how.worth - self.cost(party) - extra

            return self.best(self.target(hex), places, done, net) if places else None

        first = [found for hex in self.worth if (found := attempt(hex)) and found.net > self.weigh.least]
        for early in sorted(first, key=lambda attack: (-attack.net, attack.goal.hex)):
            attack = attempt(early.goal.hex)
            if attack is not None and attack.net > self.weigh.least:
                chosen.append(attack)
                for unit, hex in attack.party:
                    free[units.index(unit)] = False
                    self.load[hex] = self.load.get(hex, 0) + STACKING[unit]
        return chosen

    def declared(self, banned: Collection[int]) -> list[Attack]:
        """The attacks that pay from where everybody stands, with all that they owe."""
        g, side = self.picture.g, self.picture.side
        able = {
            hex: [
                u for u in units if LINE[u] and not g.state.battle[u] and not declaration.why_not_attacker(g, u, [hex])
            ]
            for hex, units in declaration.contacts(g, side).items()
            if hex not in banned
        }
        chosen: list[Attack] = []
        standing = set(g.state.targets)
        while True:
            used = {unit for attack in chosen for unit, _ in attack.party}
            done = standing.union(attack.goal.hex for attack in chosen)
            trains = [self._train(hex, able, used, done) for hex in able if hex not in done]
            best = max(trains, key=lambda train: sum(attack.net for attack in train), default=[])
            if not best or sum(attack.net for attack in best) <= self.weigh.least:
                return chosen
            chosen += best

    def _train(
        self, hex: int, able: Mapping[int, list[int]], used: Collection[int], done: Collection[int]
    ) -> list[Attack]:
        """An attack on a hex and those that it brings in its train, from the hexes with which that is worth most."""
        whole = [self._follow(hex, able, used, done, most) for most in (1, 2, 6)]
        return max(whole, key=lambda train: sum(attack.net for attack in train) if train else float("-inf"))

    def _follow(
        self, hex: int, able: Mapping[int, list[int]], used: Collection[int], done: Collection[int], most: int
    ) -> list[Attack]:
        """The train of an attack from hexes that owe attacks on so many at most; nothing if a debt cannot be paid."""
        where, train, spent = self.picture.g.state.where, list[Attack](), set(used)
        waiting = [hex]
        while waiting:
            now = waiting.pop(0)
            units = [
                unit
                for unit in able.get(now, ())
                if unit not in spent and len(self.owed.get(where[unit], set()) - set(done)) <= most
            ]
            attack = self._from_here(now, units) if units else None
            if attack is None:
                return []
            train.append(attack)
            spent.update(unit for unit, _ in attack.party)
            begun = {attack.goal.hex for attack in train}.union(waiting, done)
            owed = set().union(*(self.owed.get(here, set()) for _, here in attack.party))
            waiting += sorted(owed - begun)
        return train

    def _from_here(self, hex: int, units: Sequence[int]) -> Attack | None:
        """The best attack on a hex by some of these units from where they stand."""
        g, key = self.picture.g, (hex, *units)

        def net(goal: Target, party: Sequence[tuple[int, int]], how: Case) -> float:
            return how.worth - self.weigh.commit / 2 * sum(attack_strength(g, unit, False) for unit, _ in party)

        if key not in self._standing:
            places = {unit: (g.state.where[unit],) for unit in units}
            self._standing[key] = self.best(self.target(hex), places, (), net)
        return self._standing[key]
