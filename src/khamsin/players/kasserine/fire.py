"""Guns and air units: barrage and Close Air Support where they change a combat, Final Protective Fire where an attack is
likely, interdiction on the enemy's road."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from khamsin.games.kasserine import battle as combats
from khamsin.games.kasserine.battle import Battle
from khamsin.games.kasserine.close_support import chance, flying
from khamsin.games.kasserine.ground import ON_ROAD
from khamsin.games.kasserine.strength import attack_strength, barrage, defence_strength
from khamsin.games.kasserine.support import fpf_hexes
from khamsin.games.kasserine.units import (
    BARRAGE,
    BOARD,
    CAS,
    FPF,
    GUN,
    MARKERS,
    MOTOR,
    MOTORIZED,
    SIDE,
    G,
)
from khamsin.players.kasserine.chances import Case, Force, force, target
from khamsin.players.kasserine.goals import Goal
from khamsin.players.kasserine.picture import LINE, Picture, main_way, way_to
from khamsin.players.kasserine.weights import PRIZE, Weights

AHEAD = 3
"""How many hexes before an enemy column his road is interdicted."""


class Engagement(NamedTuple):
    """A declared combat against one hex: its attackers, the barrage and air support that it has, and what it is worth so."""

    force: Force | None
    fire: int
    air: int
    weigh: Weights
    now: Case | None

    def gain(self, more: int = 0, air: int = 0) -> float:
        """What more fire, or air support, is worth in it."""
        if self.force is None or self.now is None:
            return 0.0
        then = self.force.case(self.weigh, self.fire + more, self.air + air)
        return then.worth - self.now.worth if then else 0.0


def as_it_stands(g: G, fight: Battle, prize: float, weigh: Weights) -> Engagement:
    """A declared combat against one hex with the barrage and air support that it has."""
    fire = sum(BARRAGE[marker] for marker in barrage(g, fight))
    points = sum(CAS[unit] for unit in flying(g, fight, fight.side))
    points -= sum(CAS[unit] for unit in flying(g, fight, 1 - fight.side))
    attackers = force(g, target(g, fight.side, fight.hexes[0], prize), fight.attackers)
    return Engagement(attackers, fire, points, weigh, attackers.case(weigh, fire, points) if attackers else None)


def fights(g: G, side: int) -> dict[int, Battle]:
    """The combats that a side has declared, by the hex attacked."""
    found = [combats.read(g, side, number) for number in combats.numbers(g)]
    return {hex: fight for fight in found for hex in fight.hexes if fight.attackers}


def air_gain(g: G, side: int, fight: Battle, unit: int, here: Engagement) -> float:
    """What an air unit is worth in a combat to its side, as likely as it arrives."""
    pair = bool(flying(g, fight, side))
    likely = float(chance(g, unit, pair))
    if side == fight.side:
        return likely * here.gain(air=CAS[unit])
    return -likely * here.gain(air=-CAS[unit])


def protection(picture: Picture, marker: int, worth: Mapping[int, float]) -> tuple[float, int]:
    """Where Final Protective Fire of a gun helps most, and how much: strong threats against a weak line on wanted ground."""
    g = picture.g
    best = (0.0, -1)
    for hex in fpf_hexes(g, marker):
        line = sum(defence_strength(g, unit, True) for unit in picture.own.get(hex, ()) if LINE[unit])
        laid = sum(FPF[m] for m in MARKERS[SIDE[marker]] if g.state.where[m] == hex)
        added = min(FPF[GUN[marker]], line - laid)
        if added > 0 and picture.threat[hex] > 0:
            odds = picture.threat[hex] / (line + laid)
            best = max(best, (added * min(odds, 4.0) * (0.3 + worth.get(hex, 0.0)), hex))
    return best


def roadblock(picture: Picture, found: list[Goal], taken: list[int]) -> int | None:
    """A road hex ahead of the strongest enemy column that can move, on its way to the nearest place that is held."""
    g = picture.g
    held = [goal.hex for goal in found if not goal.take]
    columns = {
        hex: sum(attack_strength(g, unit, False) for unit in units if MOTORIZED[unit] and LINE[unit])
        for hex, units in picture.theirs.items()
        if not any(near in picture.own for near in BOARD.around(hex))
    }
    for start in sorted(columns, key=lambda hex: (-columns[hex], hex)):
        if columns[start] and held:
            goal = min(held, key=lambda hex: (way_to(hex, MOTOR, picture.rain)[start], hex))
            road = [hex for hex in main_way(start, goal, picture.rain)[1 : AHEAD + 1] if ON_ROAD[hex]]
            if road and road[-1] not in taken:
                return road[-1]
    return None


def prize_of(found: list[Goal], hex: int, take: bool) -> float:
    """What a hex is worth to its attacker: `take` if the goals are his, else they are those of the defender."""
    return max(
        (PRIZE["objective"] * goal.worth for goal in found if goal.hex == hex and goal.take == take),
        default=PRIZE["road"],
    )


def relief(g: G, fight: Battle, prize: float, weigh: Weights, defence: int) -> float:
    """What an attack is worth less to its attacker if so much more defends."""
    now = target(g, fight.side, fight.hexes[0], prize)
    attackers = force(g, now, fight.attackers)
    before = attackers.case(weigh) if attackers else None
    if attackers is None or before is None:
        return 0.0
    attackers.goal = now._replace(plain=now.plain + defence, armoured=now.armoured + defence)
    after = attackers.case(weigh)
    return before.worth - (after.worth if after else 0.0)
