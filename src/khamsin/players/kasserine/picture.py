"""The board as one side sees it at a moment: who stands where, what the enemy could bring against each hex, how far it is."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from khamsin.games.kasserine import paths, supply
from khamsin.games.kasserine.ground import HALT, NODE_HEX, is_raining, network
from khamsin.games.kasserine.reserve import allowance
from khamsin.games.kasserine.strength import attack_strength, defence_strength, ground
from khamsin.games.kasserine.units import (
    ANTI_TANK,
    ARTILLERY,
    AXIS,
    BARRAGE,
    BOARD,
    COUNTERS,
    CROSSES,
    DEPLOYED,
    FORCES,
    FPF,
    HALVES,
    HEXES,
    HQ,
    MOTOR,
    MOTORIZED,
    G,
    stacks,
)
from khamsin.games.kasserine.zones import zone
from khamsin.kernel.flood import FAR, NEVER, Network
from khamsin.kernel.pieces import Memo
from khamsin.players.kasserine.weights import PLACE

Field = NDArray[np.float64]
"""A number for every hex."""
NOT_THERE = 999.0
"""A way that does not exist, in movement points."""
GROUND: Field = np.array([ground(hex)[0] for hex in range(HEXES)], dtype=float)
"""What the ground of every hex adds to the attacker's die."""
BESIDE = BOARD.adjacency[NODE_HEX]
"""What lies around the hex of every node."""
LINE = [not ARTILLERY[u] and not HQ[u] for u in range(len(COUNTERS))]
"""Units that hold a line: neither guns nor headquarters."""


@lru_cache(maxsize=512)
def way_to(goal: int, kind: int, rain: bool) -> Field:
    """The movement points from every hex to one for a way of crossing ground, enemies left out."""
    back = _reversed(kind, rain)
    starts = [goal, *([HALT[goal]] if goal in HALT else [])]
    distance = back.spread(np.array(starts, dtype=np.uint16), FAR - NEVER)[0][:HEXES].astype(float)
    distance[distance == FAR] = NOT_THERE * HALVES
    return distance / HALVES


@lru_cache(maxsize=16)
def _reversed(kind: int, rain: bool) -> Network:
    return network(frozenset([kind]), rain, frozenset(), frozenset()).reversed()


@lru_cache(maxsize=1024)
def disc(hex: int, distance: int) -> NDArray[np.intp]:
    """The hexes within a distance of one."""
    return np.flatnonzero(BOARD.distances(hex) <= distance)


def value(g: G, unit: int) -> float:
    """What a unit is worth as it stands, in points of strength."""
    if HQ[unit]:
        return 2.0
    if ARTILLERY[unit] or ANTI_TANK[unit]:
        return 1.0 + max(BARRAGE[unit], FPF[unit]) / 2
    return 0.5 + max(attack_strength(g, unit, False), defence_strength(g, unit, False))


class Picture:
    """What a side sees at a moment; what is costly is worked out when it is asked for."""

    def __init__(self, g: G, side: int, before: Picture | None = None) -> None:
        self.g = g
        self.side = side
        self.enemy = 1 - side
        self.rain = is_raining(g)
        self.own = stacks(g, side)
        self.theirs = stacks(g, 1 - side)
        self._before = before
        """The board as it was when the side last judged what the enemy could do."""

    @cached_property
    def zoned(self) -> NDArray[np.bool_]:
        """Where the enemy has zones of control."""
        return np.frombuffer(zone(self.g, self.enemy), dtype=np.bool_)

    @cached_property
    def threat(self) -> Field:
        """The strength that the enemy could bring against every hex in his next movement, if need be as it was known before."""
        return self._before.threat if self._before is not None else strike(self.g, self.enemy)

    @cached_property
    def ground(self) -> Field:
        """What the ground and the own strongpoints do for a defender in each hex, in points of the attacker's die; strongpoints
        count for more, since they also take the Mobile table from him (14.2.1, 14.2.2)."""
        found = GROUND.copy()
        for hex, owner in self.g.state.strongpoint.items():
            if owner == self.side:
                found[hex] += PLACE["strongpoint"]
        return found

    def army(self, side: int) -> dict[int, tuple[int, ...]]:
        """The combat units of a side by their hexes."""
        return self.own if side == self.side else self.theirs

    @cached_property
    def _defences(self) -> tuple[Field, Field]:
        """The defence of each side in every hex, against armour."""
        found = np.zeros(HEXES), np.zeros(HEXES)
        for side, field in enumerate(found):
            for hex, units in self.army(side).items():
                field[hex] = sum([defence_strength(self.g, unit, True) for unit in units])
        return found

    def supplied(self, french: bool) -> NDArray[np.bool_]:
        """Where units of the side would be supplied now."""
        return np.frombuffer(supply.field(self.g, self.side, french), dtype=np.bool_)

    def around(self, hex: int, distance: int, side: int) -> float:
        """The defence of a side within so many hexes of one."""
        return float(self._defences[side][disc(hex, distance)].sum())

    @cached_property
    def axis_mobile(self) -> NDArray[np.intp]:
        """Where each mobile unit of the Axis that holds a line stands."""
        army = self.army(AXIS)
        return np.array([hex for hex, units in army.items() for u in units if MOTORIZED[u] and LINE[u]], dtype=np.intp)

    @property
    def away(self) -> NDArray[np.int16]:
        """How many hexes off the nearest enemy is, for every hex."""
        version = self.g.state.where.versions[self.enemy]
        known = _AWAY.get(version)
        if known is None:
            nobody = np.full(HEXES, 99, dtype=np.int16)
            known = _AWAY.keep(version, np.minimum.reduce([nobody, *map(BOARD.distances, self.theirs)]))
        return known

    def nearest_enemy(self, hex: int) -> int:
        """How many hexes off the nearest enemy is."""
        return self.away.item(hex)

    @cached_property
    def _enemy_columns(self) -> dict[int, tuple[NDArray[np.intp], Field]]:
        """By their way of crossing ground, where enemy units that could march stand, and their movement points."""
        g = self.g
        found: dict[int, set[tuple[int, float]]] = {}
        for hex, units in self.theirs.items():
            for unit in units:
                if LINE[unit] and not g.state.release[unit]:
                    points = max(1.0, allowance(g, unit) / HALVES)
                    found.setdefault(CROSSES[unit], set()).add((hex, points))
        pairs = {kind: list(zip(*columns, strict=True)) for kind, columns in found.items()}
        return {kind: (np.array(hexes), np.array(points)) for kind, (hexes, points) in pairs.items()}

    def enemy_time(self, hex: int) -> float:
        """The turns in which the first enemy could be in a hex, about: the ways that are open to him, zones left out."""
        columns = self._enemy_columns.items()
        times = [float((way_to(hex, kind, self.rain)[start] / points).min()) for kind, (start, points) in columns]
        return min(times, default=NOT_THERE)

    def way(self, goal: int, unit: int) -> Field:
        """The movement points from every hex to a goal for a unit."""
        return way_to(goal, CROSSES[unit], self.rain)


_AWAY: Memo[NDArray[np.int16]] = Memo()


def strike(g: G, side: int) -> Field:
    """The strength that a side could bring against every hex in its next movement, whoever else it is wanted against."""
    total, zoned = np.zeros(HEXES), zone(g, 1 - side)
    parties: dict[tuple[int, int, int], list[int]] = {}
    for unit in FORCES[side]:
        hex = g.state.where[unit]
        if 0 <= hex < HEXES and LINE[unit] and not g.state.release[unit]:
            parties.setdefault((hex, CROSSES[unit], allowance(g, unit)), []).append(unit)
    alike: dict[tuple[object, ...], tuple[list[int], list[tuple[int, int, float]]]] = {}
    for (hex, _, points), units in parties.items():
        power = sum([attack_strength(g, unit, False) for unit in units])
        mover = [next((unit for unit in units if not g.state.flags[unit] & DEPLOYED), units[0])]
        if power and zoned[hex]:  # these go by a rule of their own (7.2.2)
            reached = paths.reach(g, mover, points, paths.MOVEMENT).reached
            reached[hex] = True
            near = np.unique(BOARD.adjacency[reached])
            total[near[near >= 0]] += power
        elif power:
            alike.setdefault(paths.movement_key(g, mover[0]), (mover, []))[1].append((hex, points, power))
    for mover, starts in alike.values():
        mask = paths.way_mask(g, mover, paths.MOVEMENT)
        total += paths.steps(g, mover).overflow(starts, BESIDE, mask)[:HEXES]
    return total


def risk(picture: Picture, hex: int, power: float) -> float:
    """About what a stack of some defence may lose in a hex to what the enemy could bring there, in steps."""
    odds = picture.threat.item(hex) / max(power, 0.5)
    return power * min(max((odds - 1.5 - 0.5 * picture.ground.item(hex)) / 4, 0.0), 1.0) / 2


def main_way(start: int, goal: int, rain: bool) -> list[int]:
    """The hexes of the shortest way of motorized units from one hex to another, enemies left out."""
    left = way_to(goal, MOTOR, rain)
    way, here = [start], start
    while here != goal and left[here] < NOT_THERE and len(way) < 200:
        nearer = min(BOARD.around(here), key=lambda hex: (left[hex], hex))
        if left[nearer] >= left[here]:
            break
        here = nearer
        way.append(here)
    return way
