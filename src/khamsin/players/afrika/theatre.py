"""Afrika as the staff sees it: strengths, reach, combat and supply, from the functions of the rules."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from khamsin.games.afrika import air, combat, feeding, movement, offmap, overrun, strength, supply
from khamsin.games.afrika.allowance import allowance, points_left
from khamsin.games.afrika.ground import BY_ROAD_ONLY, GROUNDS, MAP_BARS, MECHANISED, NETS, OFF_MAP, OPEN_SIDES, PATHS
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.stacking import LIMIT, POINTS
from khamsin.games.afrika.units import (
    ARTILLERY,
    AXIS,
    BOARD,
    COMBAT,
    DIVISION,
    EXPLOITS,
    FORCES,
    HALVES,
    HEXES,
    IGNORE_ZONES,
    LRDG,
    MA,
    MECH,
    PORTS,
    STACKING,
    G,
    attack,
    barrage,
    defence,
    forces_in,
    out_of_supply,
    stock,
)
from khamsin.games.afrika.zones import front, traced
from khamsin.kernel.flood import CLOSED, FAR, Network
from khamsin.mechanics import ways
from khamsin.players.afrika import goals, logistics
from khamsin.players.afrika.answers import ANSWERS
from khamsin.players.afrika.odds import Combats, outcomes
from khamsin.players.afrika.weights import GOALS, WEIGHTS
from khamsin.players.staff.adapter import Adapter, gather, paths_back, sides_of
from khamsin.players.staff.goals import occupy
from khamsin.players.staff.theatre import Costs, Field, Figures, Goal, Mask, Outcome, Strike

NEAR = sides_of(OPEN_SIDES)
TRUCKED = 10 * HALVES
"""The MPs, in halves, by which trucks can bring a dump nearer."""


def _cover(hex: int) -> float:
    """Return the multiplier of the defence in a hex by terrain, cities, works and ridges."""
    times = 1 + sum([adds for _, adds, _ in strength.printed_terrain(hex)])
    return times * (1.4 if "ridge" in BOARD.tags[hex] else 1.0)


BASE_COVER = np.array([_cover(hex) for hex in range(HEXES)])


class Afrika(Adapter):
    """The adapter of Afrika."""

    map = BOARD
    hexes = HEXES
    sides = NEAR
    limit = LIMIT
    weights: Mapping[str, float] = WEIGHTS
    answers = ANSWERS
    rounds = logistics.ERRANDS
    standing = staticmethod(goals.standing)

    def reads(self, g: G) -> tuple[Any, ...]:
        """Return what cached values depend on: unit locations, and the phase."""
        return (*g.state.where.versions, g.scenario.name, g.state.turn, g.state.phase)

    def figures(self, g: G, unit: int) -> Figures:
        """Return present strengths; artillery adds half its barrage to its value."""
        steps = g.state.steps[unit]
        first, second = float(attack(g, unit)), float(defence(g, unit))
        worth = 0.5 + first + second + (0.5 * barrage(g, unit) if ARTILLERY[unit] else 0.0)
        if out_of_supply(g, unit):
            first, second = first / 4, second / 2
        return Figures(first, second, steps, worth, STACKING[unit], ARTILLERY[unit], steps > 1)

    # Movement

    def parties(self, g: G, side: int) -> list[tuple[int, ...]]:
        """Return units of a hex that can move, by division and class; artillery by itself."""
        where = g.state.where
        able = [u for u in FORCES[side] if 0 <= where[u] < HEXES and movement.can_move(g, side, u) and u != LRDG]
        return gather(able, lambda u: (where[u], DIVISION[u], MECH[u], ARTILLERY[u]))

    def costs(self, g: G, side: int, units: Sequence[int]) -> Costs:
        """Return the hexes that a stack can reach in this phase, and end in."""
        return ways.reach(movement.way(g, side, units)).costs

    def reach(self, g: G, side: int, units: Sequence[int], turns: int) -> Costs:
        """Return what units can reach with fresh allowances; over several turns enemy ZOCs are ignored."""
        points = min([allowance(g, one) for one in units]) * turns
        free = turns > 1 or units[0] in IGNORE_ZONES
        return self._costs_from(g, side, MECH[units[0]], g.state.where[units[0]], points, free)

    def march(self, g: G, side: int, unit: int, hex: int) -> tuple[Costs, int]:
        """Return costs past enemy units and through their ZOCs, and the printed allowance. If the enemy closes every
        path it takes one more turn, because the front has to be broken first."""
        points, mech = MA[unit] * HALVES, MECH[unit]

        def compute() -> Costs:
            costs = self._costs_from(g, side, mech, hex, logistics.FURTHEST, False)
            past = self._costs_from(g, side, mech, hex, logistics.FURTHEST, False, through=True)
            return np.where((costs == FAR) & (past != FAR), past + points, costs)

        return self.kept(g, ("march", side, mech, hex, points), compute), points

    def _costs_from(
        self, g: G, side: int, mech: bool, hex: int, points: int, free: bool, through: bool = False
    ) -> Costs:
        """Return the costs from a hex for a class of units of a side, without ZOCs if they are free of them, or as if
        enemy units did not close their hexes."""
        ahead, maps = front(g, 1 - side), setting(g).maps
        bars = [*([] if free else [ahead.cost]), *([] if through else [ahead.closed])]
        bars += [MAP_BARS[maps]] if maps in MAP_BARS else []
        return self.spread(GROUNDS[mech], hex, points, bars)

    def moves_again(self, g: G, side: int, units: Sequence[int]) -> bool:
        """Whether units are exploit-capable, before the Exploitation Phase."""
        return self.has_combat(g, side) and all(EXPLOITS[unit] for unit in units)

    def strikes(self, g: G, side: int, held: Collection[int]) -> list[Strike]:
        """Return the overruns of whole stacks, motorised or not, that began the phase together outside enemy ZOCs."""
        found, cover, enemies = [], self.cover(g, 1 - side), self.stacks(g, 1 - side).items()
        defences = {hex: sum([self.figures(g, u).defence for u in stack]) * cover[hex] for hex, stack in enemies}
        for hex, stack in self.stacks(g, side).items():
            able = [
                u for u in stack
                if u not in held and attack(g, u) and movement.can_move(g, side, u) and not overrun.began_in_zone(g, u)
            ]  # fmt: skip
            for units in {tuple([u for u in able if MECH[u]]), tuple(able)}:
                if len({g.state.origin[u] for u in units}) == 1 and POINTS.size(units) <= LIMIT:
                    found += self._strikes_of(g, side, units, hex, defences)
        return found

    def _strikes_of(
        self, g: G, side: int, units: tuple[int, ...], hex: int, defences: Mapping[int, float]
    ) -> list[Strike]:
        costs, left = self.costs(g, side, units), points_left(g, units)
        force, ratio, found = sum([attack(g, u) for u in units]), self.weights["overrun_ratio"], []
        for target, held in defences.items():
            if force < ratio * held or overrun.closing(target):
                continue
            most = left - overrun.price(units, target)
            vias = [
                (0 if via == hex else int(costs[via]), via) for via in OPEN_SIDES[target]
                if target not in BY_ROAD_ONLY[via] and (via == hex or costs[via] <= most)
                and (via == hex or POINTS.size(units) <= POINTS.room(g, side, via))
            ]  # fmt: skip
            if vias and most >= 0:
                found.append(Strike(units, min(vias)[1], target))
        return found

    # Combat

    def cover(self, g: G, side: int) -> Field:
        """Return the multipliers by terrain, works and the boxes of the side."""
        boxes = [hex for hex, owner in g.state.box.items() if owner == side]
        found = BASE_COVER.copy()
        found[boxes] += COMBAT["terrain"]["box"]
        return found

    def combats(self, g: G, side: int) -> Combats:
        """Return the exact results, with air points."""
        return Combats(g, side)

    def chances(self, ratio: float) -> list[Outcome]:
        """Return the results at the odds of a ratio, with one column and one on the die for what an attacker usually
        adds."""
        return outcomes(max(1, round(ratio * 64)), 64, 1, 1) or [Outcome(1.0, 2, 0, 0, 0)]

    def support(self, g: G, side: int) -> int:
        """Return the air points left."""
        return air.left(g, side)

    def may_attack(self, g: G, side: int, unit: int, hex: int) -> bool:
        """Whether a unit has a strength and the rules allow it to attack."""
        return bool(attack(g, unit)) and combat.why_not_attacker(g, unit, (hex,)) is None

    def is_answered(self, g: G, side: int) -> bool:
        """Whether the enemy still moves: in the last turn only the side that moves first has a reply."""
        return self.left(g) > 0 or side == setting(g).moves_first

    def left(self, g: G) -> int:
        """Return the turns after this one."""
        return setting(g).last - g.state.turn

    def has_combat(self, g: G, side: int) -> bool:
        """Whether the Combat Phase follows: after the Movement Phase."""
        return movement.EXPLOITING not in g.state.todo

    # Supply

    def supplied(self, g: G, side: int, blocked: Sequence[int] = ()) -> Mask:
        """Return the hexes that a map edge, a port or a dump supplies; dumps also where trucks can bring them. In a
        short scenario a port supplies a side that enters it."""
        found: Mask = self._flood(g, side, blocked)[0] != FAR
        found[self.kept(g, ("entered", side), lambda: self._entered(g, side))] = True
        return found

    def _entered(self, g: G, side: int) -> list[int]:
        """Return the ports that supply a side that enters them, only in a short scenario."""
        outside = OFF_MAP[setting(g).maps]
        able = [port for port in PORTS if port not in outside and not forces_in(g, 1 - side, port)]
        return able if setting(g).short else []

    def _flood(self, g: G, side: int, blocked: Sequence[int] = ()) -> tuple[Costs, Costs]:
        """Return the distances from the sources of supply, and the source of each hex."""
        known = ("net", side, *stock(g, side).items(), *g.state.control.items())
        paths, limit, closed, starts = self.kept(g, known, lambda: self._net(g, side))
        mask, own = closed.copy(), g.state.where.stacks(side)
        for hex in blocked:
            mask[[hex, *(near for near in OPEN_SIDES[hex] if near not in own)]] = CLOSED
        distance, came, _ = paths.spread(starts[mask[starts] == 0], limit, mask)
        return distance, came

    def _net(self, g: G, side: int) -> tuple[Network, int, NDArray[np.uint8], NDArray[np.uint16]]:
        """Return the network and range of a side's supply, its obstacles, and its sources."""
        closed = traced(g, side).copy()
        if setting(g).short:
            closed[list(OFF_MAP[setting(g).maps])] = CLOSED
            return PATHS, 4 * HEXES, closed, np.array(supply.sources(g, side), dtype=np.uint16)
        starts = [dump for dump in stock(g, side) if dump < HEXES]
        starts += [port for port in PORTS if g.state.control.get(port) == side]
        starts += [offmap.ROAD_HEX] if side == AXIS else []
        return NETS[MECHANISED], feeding.supply_range(g, side) + TRUCKED, closed, np.array(starts, dtype=np.uint16)

    def lines(self, g: G, side: int) -> list[int]:
        """Return the paths by which the stacks are supplied."""
        distance, came = self._flood(g, side)
        return paths_back([hex for hex in self.stacks(g, side) if distance[hex] != FAR], came)

    # Goals and decisions of Afrika alone

    def goals(self, g: G, side: int) -> list[Goal]:
        """Return the goals of the scenario, and the wall that keeps the enemy from places that must be held; found
        again when a unit has moved."""
        cards = setting(g)

        def compute() -> list[Goal]:
            kept = goals.KEPT.get((cards.number, side), ()) if self.is_answered(g, side) else ()
            line = [hex for hex in self.wall(g, side, kept, OFF_MAP[cards.maps]) if not forces_in(g, 1 - side, hex)]
            shield = occupy(g, side, line, GOALS["wall"] * goals.urgency(g), "the line", must=True)
            return shield + goals.goals(g, side)

        return self.kept(g, ("goals", side), compute)
