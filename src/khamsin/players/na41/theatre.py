"""North Africa '41 as the staff sees it: strengths, reach, combat and supply, from the functions of the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from khamsin.games.na41 import combat, command, movers, sheet, supply
from khamsin.games.na41.ground import CITY, FOOT, GROUNDS, JEBEL, LAND, MECH, start_node
from khamsin.games.na41.plan import Plan
from khamsin.games.na41.retreat import ON_FOOT, is_trapped
from khamsin.games.na41.scenario import impulses, setting
from khamsin.games.na41.stacking import LIMIT
from khamsin.games.na41.units import (
    AROUND,
    ASU,
    AXIS,
    BOARD,
    BRACKETED,
    COMBAT,
    DISRUPTED,
    EDGE_BOX,
    FORCES,
    FORMATION,
    FULL_RETREAT,
    HEXES,
    INFANTRY,
    OOS,
    QUALITY,
    QUARTERS,
    SILHOUETTED,
    TANK,
    TRUCK,
    G,
    allowance,
    attack,
    mechanized,
    rating,
    stacking,
)
from khamsin.games.na41.units import defence as strength
from khamsin.games.na41.zones import front
from khamsin.kernel.flood import FAR
from khamsin.mechanics import ways
from khamsin.players.na41 import goals, logistics
from khamsin.players.na41.answers import ANSWERS
from khamsin.players.na41.logistics import TENTHS
from khamsin.players.na41.odds import TABLES, USUAL, Combats, results, retreat_from
from khamsin.players.na41.weights import WEIGHTS
from khamsin.players.staff.adapter import Adapter, gather, sides_of
from khamsin.players.staff.theatre import Costs, Field, Figures, Mask, Outcome

NEAR = sides_of([[near for near in AROUND[hex] if LAND[near]] for hex in range(HEXES)])
FURTHEST = 2000
"""The MPs, in quarters, beyond which no unit marches."""


def _cover(hex: int) -> float:
    """Return the multiplier of the defence in a hex by a city, Jebel or the Tobruk perimeter."""
    return 2.0 if CITY[hex] else 1.4 if JEBEL[hex] or "Tobruk" in BOARD.tags[hex] else 1.0


BASE_COVER = np.array([_cover(hex) for hex in range(HEXES)])


class NorthAfrica(Adapter):
    """The adapter of North Africa '41."""

    map = BOARD
    hexes = HEXES
    sides = NEAR
    limit = (LIMIT + 1) * TENTHS - 1  # five points in a hex and a tank unit, in tenths (4.1, 4.3)
    weights: Mapping[str, float] = WEIGHTS
    answers = ANSWERS
    rounds = logistics.ERRANDS
    goals, standing = staticmethod(goals.goals), staticmethod(goals.standing)

    def figures(self, g: G, unit: int) -> Figures:
        """Return present strengths. Trucks that go with a unit count 0; the rating of tanks adds to their value."""
        if not COMBAT[unit]:
            return Figures(0.0, 0.0, 0, 0.0, 0)
        flags = g.state.flags[unit]
        first, second = float(attack(g, unit)), float(strength(g, unit))
        worth = 0.5 + first + second + rating(g, unit) + (QUALITY[unit] == "elite")
        if ASU[unit]:
            return Figures(0.0, 0.0, 1, self.weights["artillery"], 0, True)
        if flags & (DISRUPTED | FULL_RETREAT):
            first, second = 0.0, second / 2 if flags & DISRUPTED else 0.0
        elif flags & OOS:
            first = first / 2
        points = TENTHS - 1 if SILHOUETTED[unit] else TENTHS * stacking(g, unit)
        late = self.left(g) < 2
        return Figures(first, 0.5 if BRACKETED[unit] else second, g.state.steps[unit], worth, points, lasts=late)

    # Movement

    def parties(self, g: G, side: int) -> list[tuple[int, ...]]:
        """Return units of a hex or the box that can move: tanks and motorized infantry of a division together, others
        one by one; a truck goes with a unit on foot, on the map only if no unit in the box waits for it. From the box
        no unit goes on foot."""
        where, box, idle, waiting = g.state.where, EDGE_BOX[side], logistics.idle(g, side), logistics.on_foot(g, side)
        able = [u for u in FORCES[side] if (0 <= where[u] < HEXES or where[u] == box) and movers.can_move(g, side, u)]

        def division(unit: int) -> object:
            arm = (TANK[unit] or INFANTRY[unit]) and FORMATION[unit] and not movers.is_bound(g, unit)
            return (where[unit], FORMATION[unit], allowance(g, unit)) if arm else unit

        without_truck = [unit for unit in able if mechanized(g, unit) or movers.is_bound(g, unit)]
        found = gather(without_truck, division)
        for unit in [unit for unit in able if unit not in without_truck]:
            free = [truck for truck in idle if where[truck] == where[unit] and (where[unit] == box or not waiting)][:1]
            idle = [truck for truck in idle if truck not in free]
            if free or where[unit] != box:
                found.append((*free, unit))
        return found

    def costs(self, g: G, side: int, units: Sequence[int]) -> Costs:
        """Return what a stack can reach in this phase by MPs, the Road Bonus or Tactical Movement."""
        plan = Plan(g, side, units)
        found: Costs = plan.reach.costs[:HEXES].copy()
        found[[hex for hex in plan.only_extended() if hex < HEXES]] = FAR
        for reach in (plan.tactical(), *map(ways.reach, plan.road_bonus())):
            more = reach.costs[:HEXES]
            found[(found == FAR) & (more != FAR)] = plan.normal
        return found

    def reach(self, g: G, side: int, units: Sequence[int], turns: int) -> Costs:
        """Return what units can reach with fresh allowances; over several turns enemy ZOCs are ignored."""
        unit = units[0]
        points = min([allowance(g, one) for one in units]) * QUARTERS * turns
        return self._costs_from(g, side, mechanized(g, unit), g.state.where[unit], points, turns == 1)

    def march(self, g: G, side: int, unit: int, hex: int) -> tuple[Costs, int]:
        """Return costs past enemy units, and the allowance."""
        mech = TRUCK[unit] or mechanized(g, unit)
        return self._costs_from(g, side, mech, hex, FURTHEST, False), allowance(g, unit) * QUARTERS

    def _costs_from(self, g: G, side: int, mech: bool, hex: int, points: int, zoned: bool) -> Costs:
        """Return the costs from a hex for a class of units of a side, stopped by enemy ZOCs or not."""
        ahead, ground = front(g, 1 - side), GROUNDS[MECH if mech else FOOT]
        bars = [ahead.leaving, ahead.stop, ahead.closed] if zoned else [ahead.leaving, ahead.closed]
        return self.spread(ground, start_node(hex, 0), points, bars)

    def can_follow(self, g: G, unit: int) -> bool:
        """Whether a unit is mechanized, and so advances after others."""
        return mechanized(g, unit)

    # Combat

    def cover(self, g: G, side: int) -> Field:
        """Return the multipliers by terrain and the Fortifications of the side; less where enemy ZOCs leave no retreat."""
        found = BASE_COVER.copy()
        found[[hex for hex, owner in g.state.fort.items() if owner == side]] = self.weights["fortified"]
        ahead = front(g, 1 - side)
        for hex, stack in self.stacks(g, side).items():
            if ahead.touches(hex) and is_trapped(g, retreat_from(side, hex, ON_FOOT), stack):
                found[hex] *= self.weights["trapped"]
        return found

    def combats(self, g: G, side: int) -> Combats:
        """Return the results of the combat sheet through the Determined Defense."""
        return Combats(g, side)

    def pursuits(self, g: G, side: int) -> Combats:
        """Return the results of Breakthrough Combats."""
        return Combats(g, side, breakthrough=True)

    def chances(self, ratio: float) -> list[Outcome]:
        """Return the results at the odds of a ratio, with one column for what an attacker usually adds, against units
        of average quality, of which one surrenders in a long retreat."""
        level = sheet.level_of(round(ratio * 100), 100) + 1
        if level < sheet.LOWEST:
            return [Outcome(1.0, 1, 0, 0, 0)]
        found = results(min(level - sheet.LOWEST, len(TABLES["combat"].heads) - 1), USUAL)
        return [one._replace(defender_steps=one.defender_steps + (one.defender_hexes > ON_FOOT)) for one in found]

    def may_attack(self, g: G, side: int, unit: int, hex: int) -> bool:
        """Whether a unit has a strength and the rules allow it to attack."""
        return bool(attack(g, unit)) and combat.why_not_attacker(g, unit, (hex,)) is None

    def attackers(self, g: G, side: int, hex: int) -> list[int]:
        """Return the strongest units that may attack together, which are in a new attack (8.4.1, 8.4.2)."""
        return command.strongest(g, side, super().attackers(g, side, hex))

    def is_answered(self, g: G, side: int) -> bool:
        """Whether the enemy still moves: not after the Axis in the last impulse."""
        return side != AXIS or self.left(g) > 0

    def left(self, g: G) -> int:
        """Return the impulses after this one."""
        later = [len(impulses(turn)) for turn in range(g.state.turn, setting(g).last + 1)]
        return sum(later) - impulses(g.state.turn).index(g.state.impulse) - 1

    # Supply

    def supplied(self, g: G, side: int, blocked: Sequence[int] = ()) -> Mask:
        """Return the hexes that have a Line of Supply to an off-map box, a port or an MSU with one."""
        return supply.mask(g, side, supply.full(g, side).at.union(supply.ports(g, side)), blocked)

    def lines(self, g: G, side: int) -> list[int]:
        """Return the roads by which the stacks are supplied."""
        return supply.roads_to(g, side, self.stacks(g, side))
