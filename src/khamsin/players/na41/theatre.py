"""North Africa '41 as the staff sees it: strengths, reach, combat and supply, from the functions of the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from khamsin.games.na41 import RULES, combat, command, defence, movers, sheet, supply, support
from khamsin.games.na41.ground import CITY, FOOT, GROUNDS, JEBEL, LAND, MECH, defence_column, start_node
from khamsin.games.na41.plan import Plan
from khamsin.games.na41.results import OUTCOMES, SHATTERED
from khamsin.games.na41.results import Outcome as Result
from khamsin.games.na41.scenario import impulses, setting
from khamsin.games.na41.sheet import Attack, Sheet
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
    MSU,
    OOS,
    QUALITY,
    QUARTERS,
    REPLACED,
    SILHOUETTED,
    TANK,
    TRUCK,
    G,
    allowance,
    attack,
    combat_units,
    good_order,
    mechanized,
    others,
    rating,
    stacking,
)
from khamsin.games.na41.units import defence as strength
from khamsin.games.na41.zones import front
from khamsin.kernel.flood import FAR
from khamsin.mechanics import ways
from khamsin.players.na41 import logistics
from khamsin.players.na41.answers import ANSWERS
from khamsin.players.na41.goals import goals as wanted
from khamsin.players.na41.goals import standing
from khamsin.players.na41.logistics import TENTHS
from khamsin.players.na41.weights import WEIGHTS
from khamsin.players.staff.adapter import Adapter, gather, sides_of
from khamsin.players.staff.theatre import Costs, Field, Figures, Mask, Outcome

NEAR = sides_of([[near for near in AROUND[hex] if LAND[near]] for hex in range(HEXES)])
TABLES = RULES.tables
FURTHEST = 2000
"""The MPs, in quarters, beyond which no unit marches."""


def _cover(hex: int) -> float:
    """Return the multiplier of the defence in a hex by a city, Jebel or the Tobruk perimeter."""
    return 2.0 if CITY[hex] else 1.4 if JEBEL[hex] or "Tobruk" in BOARD.tags[hex] else 1.0


BASE_COVER = np.array([_cover(hex) for hex in range(HEXES)])


# Results of combats


@cache
def cells(column: int) -> list[tuple[Result, float]]:
    """Return the results of a column of the combat table with their chances; column -1 is overwhelming odds."""
    if column < 0:
        return [(SHATTERED, 1.0)]
    return [(OUTCOMES[str(cell)], float(chance)) for cell, chance in TABLES["combat"].chances(column).items()]


@cache
def held(column: int, quality: int | None, cell: Result) -> tuple[float, float]:
    """Return the chance of a Lead Unit to hold its hex after a result, and the steps it then loses; without a quality
    no unit leads."""
    if not cell.retreat[1]:
        return 1.0, 0.0
    if quality is None or not cell.defence_allowed:
        return 0.0, 0.0
    chances = TABLES["determined_defense"].chances(column, quality + cell.defence_modifier)
    rolls = [(defence.read(str(roll)), float(chance)) for roll, chance in chances.items()]
    holds = sum([chance for stand, chance in rolls if stand.holds])
    return holds, sum([chance * stand.lead for stand, chance in rolls if stand.holds]) / holds if holds else 0.0


class Defender(NamedTuple):
    """What the results of an attack on a hex depend on besides the odds: the steps there, those that surrender in a
    long retreat, whether no unit can retreat, and the column and the best quality for a Determined Defense."""

    steps: int
    surrendering: int
    trapped: bool
    column: int
    quality: int | None


USUAL = Defender(steps=2, surrendering=0, trapped=False, column=0, quality=0)


@cache
def results(column: int, against: Defender) -> list[Outcome]:
    """Return the results of a column by chance, after a Determined Defense and a retreat."""
    found = []
    for cell, chance in cells(column):
        holds, costs = held(against.column, against.quality, cell)
        lost = max(against.surrendering, cell.defender) if cell.retreat[0] > 2 else cell.defender
        if against.trapped and cell.retreat[1] and holds:
            fails = 1 - holds  # a Desperate Defense costs two steps for its attempts before the rest is lost
            ends = [(holds, cell.defender + 1), (fails * holds, cell.defender + 2), (fails * fails, against.steps)]
            found += [Outcome(chance * share, cell.attacker, 0, steps, 0) for share, steps in ends]
            continue
        found.append(Outcome(chance * holds, cell.attacker, 0, cell.defender + round(costs), 0))
        lost = against.steps if against.trapped else lost
        found.append(Outcome(chance * (1 - holds), cell.attacker, 0, lost, cell.retreat[0]))
    return found


class NorthAfrica(Adapter):
    """The adapter of North Africa '41."""

    map = BOARD
    hexes = HEXES
    sides = NEAR
    limit = (LIMIT + 1) * TENTHS - 1  # five points in a hex and a tank unit, in tenths (4.1, 4.3)
    weights: Mapping[str, float] = WEIGHTS
    knows_retreats = True
    answers = ANSWERS
    rounds = logistics.ERRANDS
    goals, standing = staticmethod(wanted), staticmethod(standing)

    def __init__(self) -> None:
        super().__init__()
        self._fought: tuple[Any, ...] = (None,)
        """The last attack considered, with its results."""

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

        found = gather([u for u in able if mechanized(g, u) or movers.is_bound(g, u)], division)
        for unit in [u for u in able if not (mechanized(g, u) or movers.is_bound(g, u))]:
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
        return self.spread(g, (side, mech, zoned), ground, start_node(hex, 0), points, bars)

    def can_follow(self, g: G, unit: int) -> bool:
        """Whether a unit is mechanized, and so advances after others."""
        return mechanized(g, unit)

    # Combat

    def cover(self, g: G, side: int) -> Field:
        """Return the multipliers by terrain and the Fortifications of the side; less where enemy ZOCs leave no retreat."""
        found = BASE_COVER.copy()
        found[[hex for hex, owner in g.state.fort.items() if owner == side]] = self.weights["fortified"]
        ahead = front(g, 1 - side)
        for hex in self.stacks(g, side):
            if ahead.touches(hex) and self._is_trapped(g, 1 - side, hex):
                found[hex] *= self.weights["trapped"]
        return found

    def combat(
        self, g: G, side: int, units: Sequence[int], hex: int, places: Mapping[int, int], support: int
    ) -> list[Outcome]:
        """Return the exact results of the combat sheet through the Determined Defense, from the hexes where the units
        would be; with support the attack has Attack Supply, if that makes a difference."""
        key = (g, g.state.where.version, g.state.comando, hex, *places.items())
        if self._fought[0] != key:
            moved = {unit: at for unit, at in places.items() if g.state.where[unit] != at}
            with g.state.where.supposing(moved):
                self._fought = key, self._combat(g, side, units, hex)
        found: list[Outcome] = self._fought[1][support]
        return found

    def _combat(self, g: G, side: int, units: Sequence[int], hex: int) -> tuple[list[Outcome], list[Outcome]]:
        """Return the results of an attack without and with Attack Supply; none if it is not allowed."""
        able = [
            unit for unit in units if COMBAT[unit] and not g.state.flags[unit] & REPLACED and good_order(g, unit)
            and attack(g, unit) and command.why_not_across(g, unit, hex) is None
        ]  # fmt: skip
        gone = all(g.state.flags[unit] & FULL_RETREAT for unit in combat_units(g, 1 - side, hex))
        if not able or gone:  # units in Full Retreat leave as soon as an enemy is adjacent (13.3.2)
            return [], []
        battle = Attack(side, tuple(command.strongest(g, side, able)), hex)
        against = self.defender(g, side, hex)
        plain, full = [self.outcomes(g, found, against) for found in sheet.sheets(g, battle)]
        return plain, full if full is not plain and support.can_be_supplied(g, side, battle.units) else []

    def outcomes(self, g: G, found: Sheet, against: Defender) -> list[Outcome]:
        """Return the results of an attack by chance, none if it is not allowed."""
        if not found.attack or found.odds < sheet.LOWEST:
            return []
        return results(-1 if found.overwhelming else sheet.column(g, found), against)

    def defender(self, g: G, side: int, hex: int) -> Defender:
        """Return what the results of an attack of a side on a hex depend on besides the odds."""
        units, flags = combat_units(g, 1 - side, hex), g.state.flags
        carried = sum([TRUCK[u] and not flags[u] & MSU for u in others(g, 1 - side, hex)])
        on_foot = sorted([g.state.steps[u] for u in units if not mechanized(g, u)], reverse=True)
        leads = [u for u in units if not ASU[u] and not flags[u] & (DISRUPTED | FULL_RETREAT)]
        label = defence_column(sheet.fortified(g, hex, 1 - side), hex)
        return Defender(
            sum([g.state.steps[unit] for unit in units]), sum(on_foot[: max(0, len(on_foot) - carried)]),
            self._is_trapped(g, side, hex), TABLES["determined_defense"].column(label),
            max([defence.NUMBERS.get(QUALITY[unit], 0) for unit in leads], default=None),
        )  # fmt: skip

    def _is_trapped(self, g: G, side: int, hex: int) -> bool:
        """Whether the defenders of a hex would have no path of two hexes out of it, past enemies of a side and their ZOCs."""
        own, friends = g.state.where.stacks(side), g.state.where.stacks(1 - side)

        def exerting(at: int) -> list[int]:
            return [near for near in AROUND[at] if near in own] if at not in friends else []

        for first in AROUND[hex]:
            if not LAND[first] or first in own:
                continue
            zoned = exerting(first)
            if any(b not in AROUND[a] for a in zoned for b in zoned if a < b):
                continue
            if any(LAND[at] and at != hex and at not in own and not exerting(at) for at in AROUND[first]):
                return False
        return True

    def chances(self, ratio: float) -> list[Outcome]:
        """Return the results at the odds of a ratio, with one column for what an attacker usually adds, against units
        of average quality, of which one surrenders in a long retreat."""
        level = int(ratio) + 1 if ratio >= 1 else 2 - int(np.ceil(1 / ratio)) + 1
        if level < sheet.LOWEST:
            return [Outcome(1.0, 1, 0, 0, 0)]
        found = results(min(level - sheet.LOWEST, len(TABLES["combat"].heads) - 1), USUAL)
        return [one._replace(defender_steps=one.defender_steps + (one.defender_hexes > 2)) for one in found]

    def may_attack(self, g: G, side: int, unit: int, hex: int) -> bool:
        """Whether a unit has a strength and the rules allow it to attack."""
        return bool(attack(g, unit)) and combat.why_not_attacker(g, unit, (hex,)) is None

    def attackers(self, g: G, side: int, hex: int) -> list[int]:
        """Return the strongest units that may attack together, which are in a new attack (8.4.1, 8.4.2)."""
        able = super().attackers(g, side, hex)
        return sorted(command.strongest(g, side, able)) if able else []

    def is_answered(self, g: G, side: int) -> bool:
        """Whether the enemy still moves: not after the Axis in the last impulse."""
        return side != AXIS or self.left(g) > 0

    def left(self, g: G) -> int:
        """Return the impulses after this one."""
        now = [impulse for impulse in impulses(g.state.turn) if impulse > g.state.impulse]
        return len(now) + sum([len(impulses(turn)) for turn in range(g.state.turn + 1, setting(g).last + 1)])

    # Supply

    def supplied(self, g: G, side: int, blocked: Sequence[int] = ()) -> Mask:
        """Return the hexes that have a Line of Supply to an off-map box, a port or an MSU with one."""
        relays = self.kept(g, ("relays", side), lambda: supply.full(g, side).at | frozenset(supply.ports(g, side)))
        return supply.mask(g, side, relays, blocked)

    def lines(self, g: G, side: int) -> list[int]:
        """Return the roads by which the stacks are supplied."""
        return supply.roads_to(g, side, self.stacks(g, side))
