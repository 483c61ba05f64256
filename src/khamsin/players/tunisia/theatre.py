"""Tunisia as the staff sees it: strengths, reach, combat and supply, from the functions of the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from khamsin.games.tunisia import combat, fuel, movers, moves, strength, supply
from khamsin.games.tunisia.eating import LOW
from khamsin.games.tunisia.ground import OPEN_SIDES, OUTSIDE_BARS, ground_of
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.stacking import LIMIT
from khamsin.games.tunisia.strength import hex_terrains
from khamsin.games.tunisia.tracing import trace
from khamsin.games.tunisia.units import (
    ARTILLERY,
    AXIS,
    BOARD,
    CHANGED,
    CLASS,
    DEFENDS_ONLY,
    DG,
    DIVISION,
    FORCES,
    HEADQUARTERS_OF,
    HEXES,
    HIDDEN,
    IS_HQ,
    IS_REPL,
    LEG,
    MA,
    MOBILITY,
    MOVE,
    MOVING,
    OOS,
    OTHER,
    PRINTED,
    RATING,
    RE,
    RESERVE,
    SCALE,
    SIDE,
    STRAT,
    THROW,
    TRUCK,
    G,
    face,
    on_map,
    stock,
)
from khamsin.games.tunisia.zones import front
from khamsin.kernel.flood import FAR
from khamsin.kernel.rules import Decision
from khamsin.mechanics import ways
from khamsin.players.scripted import Order
from khamsin.players.staff import theatre
from khamsin.players.staff.adapter import Adapter, gather, sides_of
from khamsin.players.staff.tasks import Assignment
from khamsin.players.staff.theatre import Costs, Field, Figures, Mask, Outcome, Purse
from khamsin.players.tunisia import goals, logistics, odds
from khamsin.players.tunisia.answers import ANSWERS, FEW
from khamsin.players.tunisia.weights import SUPPLY, WEIGHTS

NEAR = sides_of(OPEN_SIDES[LEG])
FURTHEST = 60 * SCALE
"""The MPs beyond which no unit marches."""
COVER = {"low hills": 1.3, "rough": 1.6, "mountain": 2.0, "salt marsh": 1.6, "village": 1.3, "minor-city": 1.8}
HEDGEHOG = 0.4
"""The multipliers of a defence by terrain, a town and each level of a hedgehog."""
ENOUGH = 2
"""The tokens with which a dump or headquarters supplies an advance."""
LATE_TURNS = 4
"""The turns before the last one in which units matter less than goals."""
LASTING, LASTING_LATE = 5, 4
"""The action rating from which units hold a hex without supply (OCS 17.5), and the same in these turns."""
TOGETHER = 3
"""The most units that move together, so that others can still join them in a hex without supply."""
SAFE = 6
"""The hexes from the nearest enemy beyond which units move in Strat Mode."""


BASE_COVER = np.array([max([COVER.get(terrain, 1.0) for terrain in hex_terrains(hex)]) for hex in range(HEXES)])


class Combats(theatre.Combats):
    """The attacks of a side."""

    def __init__(self, adapter: Tunisia, g: G, side: int) -> None:
        self.adapter, self.g, self.side = adapter, g, side

    def outcomes(self, hex: int, places: Mapping[int, int], support: int, arrangement: Any) -> list[Outcome]:
        """Return the results in the modes in which the units would arrive, with supply for all of them and a fair
        chance. Nothing supports an attack."""
        adapter, g, side = self.adapter, self.g, self.side
        fit = {unit: (adapter.side_up(g, unit, at), at) for unit, at in places.items()}
        fit = {unit: (up, at) for unit, (up, at) in fit.items() if odds.can_fight(unit, up, at, hex)}
        is_planned = movers.BEGUN in g.state.todo  # modes can still be chosen
        if is_planned:
            fit = {unit: one for unit, one in fit.items() if adapter.can_pay(g, side, unit, one[1])}
        elif len(fit) < len(places) or combat.why_not_supplied(g, side, list(fit), "") is not None:
            return []
        if not fit:
            return []
        against = adapter.defences(g, 1 - side, hex)
        shaken = odds.chance_of_barrage(g, side, hex) if is_planned else 0.0
        found = odds.outcomes(g, fit, hex, against, shaken)
        cleared = sum(one.chance for one in found if one.defender_hexes or one.defender_steps >= against[0].number)
        return found if cleared >= adapter.weights["least_chance"] else []


class Tunisia(Adapter):
    """The adapter of Tunisia."""

    map = BOARD
    hexes = HEXES
    sides = NEAR
    limit = LIMIT
    weights: Mapping[str, float] = WEIGHTS
    answers = ANSWERS
    rounds = logistics.ERRANDS
    goals, standing = staticmethod(goals.goals), staticmethod(goals.standing)

    def __init__(self) -> None:
        super().__init__()
        self._gentle: dict[int, Costs] = {}
        """By unit, its reach in Combat Mode in this phase."""

    def figures(self, g: G, unit: int) -> Figures:
        """Return strengths of the Combat side by the action rating; guns count a share of their barrage, headquarters
        much. Hidden units count as the average of those that are hidden."""
        flags = g.state.flags[unit]
        if flags & HIDDEN:
            known = self._hidden(g, SIDE[unit])
            strength = known.strength * goals.quality(known.rating)
            return Figures(strength, strength, 1, 0.5 + 1.2 * strength, RE[unit], False, True)
        if IS_HQ[unit] or ARTILLERY[unit] or IS_REPL[unit]:
            worth = 8.0 if IS_HQ[unit] else 0.5 if IS_REPL[unit] else 1.0 + 0.25 * PRINTED[unit][0]
            defence = 3.0 if IS_HQ[unit] and not flags & MOVE else 0.7
            return Figures(0.0, defence, 1, worth, RE[unit], True, False)
        halved = 0.5 ** (bool(flags & DG) + bool(flags & OOS))
        strength = PRINTED[unit][0] * goals.quality(RATING[unit][0]) * halved
        attack = 0.0 if DEFENDS_ONLY[unit][0] else strength * (1.0 if CLASS[unit] == OTHER else 1.3)
        lasts = RATING[unit][0] >= (LASTING if self.left(g) > LATE_TURNS else LASTING_LATE)
        return Figures(attack, strength, 1, 0.5 + 0.6 * (attack + strength), RE[unit], False, lasts)

    # Movement

    def parties(self, g: G, side: int) -> list[tuple[int, ...]]:
        """Return units of a hex that can move, by division and mobility; guns by themselves. Headquarters, replacements
        and units that are to exit have errands."""
        busy = set(self.leavers(g, side))
        able = [
            unit for unit in FORCES[side]
            if on_map(g, unit) and not (IS_HQ[unit] or IS_REPL[unit] or unit in busy) and movers.can_move(g, side, unit)
        ]  # fmt: skip
        where, moved = g.state.where, MOVING | CHANGED
        alike = gather(able, lambda u: (where[u], DIVISION[u], MOBILITY[u], ARTILLERY[u], g.state.flags[u] & moved))
        return [units[first : first + TOGETHER] for units in alike for first in range(0, len(units), TOGETHER)]

    def costs(self, g: G, side: int, units: Sequence[int]) -> Costs:
        """Return what a stack can reach in this phase in its least demanding mode; in Strat Mode only far from the
        enemy, into supply. A hex without supply is closed when enough units are in it."""
        found = gentle = np.full(HEXES, FAR, dtype=np.int16)
        for one in moves.options(g, side, units):
            reached = ways.reach(one.way).costs[:HEXES]
            if any(mode & STRAT for mode in one.flags):
                open_ = (self.distances(g, side) > SAFE) & trace(g, side).supplied
                reached = np.where(open_, reached, FAR)
            elif not one.flags[0] & (MOVE | RESERVE):
                gentle = np.minimum(gentle, reached)
            found = np.where(found == FAR, reached, found)
        self._gentle.update(dict.fromkeys(units, gentle))
        fed = self.supplied(g, side)
        full = [hex for hex, stack in self.stacks(g, side).items() if len(stack) + len(units) > FEW and not fed[hex]]
        found[full] = FAR
        return found

    def leavers(self, g: G, side: int) -> list[int]:
        """Return the units that are to exit, first those that still can in this turn, not trucks, the nearest; they have no
        other task (Scenario 2)."""
        if setting(g).number != 2 or side != AXIS:
            return []

        def far(unit: int) -> tuple[bool, bool, int, int, int]:
            costs, points = self.march(g, side, unit, goals.EXIT)
            reaches = self.costs(g, side, (unit,))[goals.EXIT] != FAR
            near = reaches or logistics.wait_to_exit(g, side, unit, self) is not None
            turns = int(costs[g.state.where[unit]]) * 12 // points
            able = near and movers.can_move(g, side, unit)
            return not able, MOBILITY[unit][1] == TRUCK, turns, -PRINTED[unit][1], unit

        def compute() -> list[int]:
            units = [unit for unit in FORCES[AXIS] if on_map(g, unit)]
            kinds = goals.missing(g).items()
            return [unit for counts, number in kinds for unit in sorted(filter(counts, units), key=far)[:number]]

        return self.kept(g, "leavers", compute)

    def reach(self, g: G, side: int, units: Sequence[int], turns: int) -> Costs:
        """Return what units can reach and still attack from: on foot in Combat Mode, else half the allowance of Move
        Mode."""
        unit = units[0]
        up = int(MOBILITY[unit][0] == LEG and MOBILITY[unit][1] != LEG)
        points = max(MA[unit][0] * SCALE, MA[unit][1] * SCALE // 2) * turns
        return self._costs_from(g, side, MOBILITY[unit][up], g.state.where[unit], points)

    def march(self, g: G, side: int, unit: int, hex: int) -> tuple[Costs, int]:
        """Return costs past enemy units in Move Mode, and that allowance."""
        return self._costs_from(g, side, MOBILITY[unit][1], hex, FURTHEST), max(1, MA[unit][1]) * SCALE

    def _costs_from(self, g: G, side: int, mobility: int, hex: int, points: int) -> Costs:
        """Return the costs from a hex for a mobility of a side."""
        ahead, outside = front(g, 1 - side), OUTSIDE_BARS.get(setting(g).number)
        stop = ahead.stop if mobility == TRUCK and points < FURTHEST else None
        bars = [bar for bar in (stop, ahead.closed, outside) if bar is not None]
        return self.spread(ground_of(frozenset([mobility])), hex, points, bars)

    def move(self, g: G, units: Sequence[int], hex: int) -> tuple[int, ...]:
        """Return a click on each unit, then on the hex; reserves leave Reserve Mode first if they get there in Combat
        Mode."""
        held = any(g.state.flags[unit] & RESERVE for unit in units) and not movers.is_later(g)
        if held and all(unit in self._gentle and self._gentle[unit][hex] != FAR for unit in units):
            return (*units, g.rules.button("combat"), *units, g.place0 + hex)
        return (*units, g.place0 + hex)

    # Combat

    def cover(self, g: G, side: int) -> Field:
        """Return the multipliers by terrain and hedgehogs."""
        found = BASE_COVER.copy()
        for hex, level in g.state.hedgehog.items():
            found[hex] += HEDGEHOG * level
        return found

    def side_up(self, g: G, unit: int, place: int) -> int:
        """Return the face that a unit would have up in a hex: Combat if it gets there in Combat Mode."""
        flags = g.state.flags[unit]
        if movers.BEGUN not in g.state.todo or flags & CHANGED or IS_REPL[unit]:
            return face(g, unit)
        if place == g.state.where[unit]:
            return face(g, unit) if g.state.spent[unit] else 0
        return int(unit not in self._gentle or self._gentle[unit][place] == FAR)

    def thirsty(self, g: G, units: Sequence[int], hex: int) -> list[int]:
        """Return the units that need a token of fuel to move to a hex."""
        return fuel.needed(g, SIDE[units[0]], units, [MOVE if self.side_up(g, unit, hex) else 0 for unit in units])

    def combats(self, g: G, side: int) -> Combats:
        """Return the attacks of a side."""
        return Combats(self, g, side)

    def defences(self, g: G, side: int, hex: int) -> list[odds.Defence]:
        """Return the defence of a side in a hex against an attack, before and after a barrage."""
        return self.kept(g, ("defences", side, hex), lambda: odds.defences(g, side, hex, self._hidden(g, side)))

    def _hidden(self, g: G, side: int) -> odds.Average:
        return self.kept(g, ("hidden", side), lambda: odds.average(g, side))

    def can_pay(self, g: G, side: int, unit: int, place: int) -> bool:
        """Whether a unit would attack from a hex: its internal stock is not exhausted, or can be filled there."""
        return g.state.stock[unit] < combat.EXHAUSTED or supply.available(g, side, place) >= LOW

    def attackers(self, g: G, side: int, hex: int) -> list[int]:
        """Return the units that can attack a hex now and have combat supply."""
        able = super().attackers(g, side, hex)
        while isinstance(lacking := combat.plan_supply(g, side, able), int):
            able.remove(lacking)
        return able

    def declare(self, g: G, side: int, hex: int, units: Sequence[int]) -> tuple[int, ...]:
        """Return the clicks of a declaration, which begins with all units that may attack."""
        others = [unit for unit in super().attackers(g, side, hex) if unit not in units]
        return (g.place0 + hex, *others, g.rules.button("done"))

    def chances(self, ratio: float) -> list[Outcome]:
        """Return the results at the odds of a ratio in close terrain, with equal action ratings."""
        column = odds.TABLES["close"].column(strength.ratio(max(1, round(ratio * 64)), 64))
        return list(odds.results("close", column, 0, 0, True, 4))

    def may_attack(self, g: G, side: int, unit: int, hex: int) -> bool:
        """Whether a unit has a strength and the rules allow it to attack."""
        return bool(PRINTED[unit][face(g, unit)]) and combat.why_not_attacker(g, unit, (hex,)) is None

    def is_answered(self, g: G, side: int) -> bool:
        """Whether the enemy still moves: in the last turn only the side that moves first has a reply."""
        return self.left(g) > 0 or side == g.state.initiative

    def left(self, g: G) -> int:
        """Return the turns after this one."""
        return setting(g).last - g.state.turn

    def matter(self, g: G, side: int) -> float:
        """Return the weight of units: little in the last turn, less than 1 in those before it."""
        left = self.left(g)
        return 1.0 if left > LATE_TURNS else self.weights["matter_late" if left else "matter_last"]

    def has_combat(self, g: G, side: int) -> bool:
        """Whether a combat phase follows: after the Movement and Exploitation Phases, not after the Reaction Phase."""
        return movers.REACTING not in g.state.todo

    # Supply

    def supplied(self, g: G, side: int, blocked: Sequence[int] = ()) -> Mask:
        """Return where units trace supply, with the headquarters where they are, and get tokens too. The staff adds the
        adjacent hexes, which the rules have counted already."""

        def compute() -> Mask:
            field = trace(g, side)
            found = field.supplied.copy()
            rich = [hex for hex, amount in stock(g, side).items() if hex < HEXES and amount >= ENOUGH]
            tokens = np.logical_or.reduce([supply.flooded(g, side, hex, supply.DRAW) for hex in rich])
            throws = {g.state.where[hq]: THROW[hq][0] for hq in HEADQUARTERS_OF[side] if on_map(g, hq)}
            for hex, throw in throws.items():
                if supply.available(g, side, hex) >= ENOUGH:
                    thrown = supply.flooded(g, side, hex, throw * SCALE)
                    tokens |= thrown
                    found |= thrown & field.direct[hex]
            if throws:
                found &= tokens
                found &= np.append(found, True)[NEAR].all(axis=1)
            return found

        return self.kept(g, ("supplied", side), compute).copy()

    def purse(self, g: G, side: int) -> Purse:
        """Return the tokens of a side less some for the defence until the last turns, and those of organic trucks for
        attacks."""
        dumps = [dump for hex, dump in supply.dumps(g, side).items() if hex < HEXES]
        free = sum([amount for dump in dumps for _, amount in dump.free])
        organic = sum([amount for dump in dumps for _, amount in dump.organic])
        return Purse(free if self.left(g) <= 1 else free - SUPPLY["spare"], organic)

    def price(self, g: G, assignment: Assignment, attacks: bool) -> float:
        """Return the tokens that an assignment costs: fuel of units that need it, combat supply and a barrage. A SP
        fuels a whole division."""
        moved = [(party.units, hex) for party, hex in assignment.places if hex != party.hex]
        dry = [unit for units, hex in moved for unit in self.thirsty(g, units, hex)]
        divisions = gather(dry, lambda unit: DIVISION[unit])
        burnt = sum([min(len(units), fuel.LASTING) if DIVISION[units[0]] else len(units) for units in divisions])
        fired = SUPPLY["barrage"] + sum([len(party.units) for party, _ in assignment.places]) if attacks else 0.0
        return burnt + fired

    # Decisions of Tunisia alone

    def errands(self, g: G, side: int, decision: Decision, staff: Any) -> Order | None:
        """Return errands, in the Movement Phase only."""
        return None if movers.is_later(g) else super().errands(g, side, decision, staff)
