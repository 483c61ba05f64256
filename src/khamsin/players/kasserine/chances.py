"""What a combat is worth: the exact chances of its table, weighed by the steps and the ground that are won and lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from khamsin.games import kasserine
from khamsin.games.kasserine import supply
from khamsin.games.kasserine.battle import Battle, defenders
from khamsin.games.kasserine.ground import CITY, ESCARPMENT, HILLS, MOUNTAINS, TOWN, WADI, is_raining, passable
from khamsin.games.kasserine.preview import hidden_fire
from khamsin.games.kasserine.retreat import is_fixed
from khamsin.games.kasserine.strength import (
    DIRECTION,
    MODIFIER,
    attack_strength,
    defending_units,
    fort,
    hexside_bits,
    line_defence,
    silent_guns,
)
from khamsin.games.kasserine.strength import ground as ground_of
from khamsin.games.kasserine.units import (
    ALLIED,
    ANTI_TANK,
    ARMOURED,
    ARMOURED_ARTILLERY,
    ARMOURED_CAR,
    ARTILLERY,
    ASSAULT,
    AXIS,
    FORCES,
    FRENCH,
    GERMAN,
    INFANTRY,
    MOBILE,
    SIDE,
    UNTRIED,
    G,
    crosses,
)
from khamsin.kernel.board import NOWHERE
from khamsin.mechanics.odds import is_below
from khamsin.mechanics.results import read
from khamsin.players.kasserine.picture import value
from khamsin.players.kasserine.weights import Weights

ARMOUR = tuple(next(u for u in FORCES[side] if ARMOURED[u] and not ARTILLERY[u]) for side in (AXIS, ALLIED))
"""An armoured unit of each side, to ask what a defence counts against armour."""
TABLE = {ASSAULT: "assault", MOBILE: "mobile"}
SETBACK = 0.5
"""What it costs to be thrown back."""


class Outcome(NamedTuple):
    """One line of a result table: its chance, steps lost and retreats of the attacker, then of the defender."""

    chance: float
    ours: int
    back: bool
    theirs: int
    gone: bool


@lru_cache(maxsize=4096)
def outcomes(table: int, attack: int, defence: int, modifier: int) -> tuple[Outcome, ...]:
    """The chances of every result at given strengths, the modifier held within its limits (12.5.3, 12.5.6)."""
    crt = kasserine.RULES.tables[TABLE[table]]
    if is_below(crt, attack, defence):
        modifier += MODIFIER["below_first_column"]
    net = min(max(modifier, MODIFIER["least"]), MODIFIER["most"])
    found = []
    for cell, chance in crt.chances(crt.odds(attack, defence), net).items():
        hit, struck = read(str(cell))
        found.append(Outcome(float(chance), hit.steps, bool(hit.hexes), struck.steps, bool(struck.hexes)))
    return tuple(found)


class Target(NamedTuple):
    """An enemy-held hex as an attacker sees it."""

    hex: int
    steps: tuple[float, ...]
    """What is lost in all after each step, the cheapest first."""
    guns: float
    """The worth of guns that would be lost in a retreat (13.3.9)."""
    plain: int
    armoured: int
    """The defence without Fire Support, and the same against armour (16.1)."""
    estimate: int
    """What Fire Support and Untried units are expected to add."""
    modifier: int
    assault: bool
    """Whether only the Assault table may be used (12.4)."""
    has_armour: bool
    combined: bool
    """Whether the Combined Arms Bonus may be had (16.2)."""
    fortified: bool
    prize: float


def target(g: G, side: int, hex: int, prize: float) -> Target:
    """An enemy-held hex as a side would attack it."""
    fight = Battle(0, side, (), (hex,), ASSAULT)
    against_armour = fight._replace(attackers=(ARMOUR[side],))
    units, silent = defenders(g, fight), silent_guns(g, fight)
    defending = defending_units(g, fight, silent)
    fire = sum(points * float(chance) for points, chance in hidden_fire(g, fight).items())
    untried = sum(bool(g.state.flags[unit] & UNTRIED) for unit in units)
    strongpoint = fort(g, fight) != NOWHERE
    modifier = ground_of(hex)[0] + (MODIFIER["strongpoint"] if strongpoint else 0)
    if any(not supply.supplied(g, unit) for unit in units):
        modifier += MODIFIER["out_of_supply"]
    heavy = any((ARMOURED[u] and not ARMOURED_CAR[u]) or ANTI_TANK[u] for u in units)
    return Target(
        hex=hex,
        steps=tuple(accumulate(sorted(step for unit in units for step in each_step(g, unit)))),
        guns=sum(value(g, unit) / 2 for unit in units if is_fixed(g, unit)),
        plain=sum(defending.values()),
        armoured=sum(defending_units(g, against_armour, silent).values()),
        estimate=round(min(fire, line_defence(defending)) + untried),
        modifier=modifier,
        assault=strongpoint or HILLS[hex] or MOUNTAINS[hex] or CITY[hex] or is_raining(g),
        has_armour=any(ARMOURED[unit] for unit in units),
        combined=not (strongpoint or TOWN[hex] or MOUNTAINS[hex] or heavy),
        fortified=strongpoint,
        prize=prize,
    )


def each_step(g: G, unit: int) -> list[float]:
    """What each step of a unit is worth."""
    left = g.state.steps[unit]
    return [value(g, unit) / left / 2] * left if left else []


def blow(g: G, unit: int, here: int, goal: Target) -> tuple[int, int] | None:
    """What a unit that stands in a hex counts in an attack on another, and how often that is halved; None if it may not attack
    there (3.5.1, 9.1.5, 9.1.6, 12.2)."""
    direction = DIRECTION[here].get(goal.hex)
    if ARTILLERY[unit] or direction is None:
        return None
    if not passable(crosses(g, unit), is_raining(g) and ARMOURED[unit], here, direction):
        return None
    strength = attack_strength(g, unit, goal.has_armour)
    side_of_it = hexside_bits(here, goal.hex)
    halved = int(not supply.supplied_at(g, unit, here)) + bool(side_of_it & ESCARPMENT)
    halved += ARMOURED[unit] and MOUNTAINS[goal.hex]
    halved += ARMOURED[unit] and goal.fortified and SIDE[unit] == ALLIED
    return (strength, halved) if strength else None


class Case(NamedTuple):
    """A combat as it would be: its worth, its table, strengths and modifier."""

    worth: float
    table: int
    attack: int
    defence: int
    modifier: int


class Force:
    """Attackers of a target, put together one after another, each with the hex from which it attacks."""

    def __init__(self, g: G, goal: Target) -> None:
        self.g = g
        self.goal = goal
        self.party: list[tuple[int, int]] = []
        self._halved: dict[int, int] = {}
        """Their strength by how often it is halved."""
        self._steps: list[float] = []
        """What each of their steps is worth, the cheapest first."""
        self._armour = self._mobile = self._tanks = self._infantry = self._uphill = False
        self._over_wadi = True

    def join(self, unit: int, here: int, counts: tuple[int, int]) -> None:
        """One more attacker, with what it counts there by `blow`."""
        strength, times = counts
        self.party.append((unit, here))
        self._halved[times] = self._halved.get(times, 0) + strength
        self._steps = sorted([*self._steps, *each_step(self.g, unit)])
        between = hexside_bits(here, self.goal.hex)
        self._armour |= ARMOURED[unit]
        self._mobile |= ARMOURED[unit] and not ARMOURED_ARTILLERY[unit] and not FRENCH[unit]
        self._tanks |= GERMAN[unit] and ARMOURED[unit] and not ARMOURED_CAR[unit]
        self._infantry |= GERMAN[unit] and INFANTRY[unit]
        self._uphill |= bool(between & ESCARPMENT)
        self._over_wadi &= bool(between & WADI)

    def case(self, weigh: Weights, barrage: int = 0, air: int = 0) -> Case | None:
        """The better of the two tables for their attack, with so much Barrage Fire and Close Air Support; None if it could not
        be declared (3.5.3, 9.1.4)."""
        goal = self.goal
        parts = [total >> times for times, total in self._halved.items()]
        if not parts or 0 in parts:
            return None
        bare, initial = sum(parts), goal.armoured if self._armour else goal.plain
        attack = bare + min(barrage, sum(self._halved.values()))
        defence = initial + goal.estimate
        modifier = goal.modifier + air * MODIFIER["attacking_air"] + self._passage()
        losses = tuple(accumulate(self._steps))
        best: Case | None = None
        for table in (ASSAULT,) if self._must_assault() else (MOBILE, ASSAULT):
            if is_below(kasserine.RULES.tables[TABLE[table]], bare, initial):
                continue
            worth = weighed(goal, losses, outcomes(table, attack, defence, modifier), weigh)
            if best is None or worth > best.worth:
                best = Case(worth, table, attack, defence, modifier)
        return best

    def _passage(self) -> int:
        """What a wadi between, and combined arms, do to the die (12.2.7, 16.2)."""
        modifier = 0
        if self._over_wadi:
            modifier += 2 if is_raining(self.g) else 1
        if self.goal.combined and self._tanks and self._infantry:
            modifier += MODIFIER["combined_arms"]
        return modifier

    def _must_assault(self) -> bool:
        """Whether these attackers have only the Assault table (12.4, 16.5.2)."""
        return self.goal.assault or not self._mobile or self._uphill


def force(g: G, goal: Target, attackers: Iterable[int]) -> Force | None:
    """Attackers from where they stand; None if one of them may not attack."""
    found = Force(g, goal)
    for unit in attackers:
        here = g.state.where[unit]
        counts = blow(g, unit, here, goal)
        if counts is None:
            return None
        found.join(unit, here, counts)
    return found


def weighed(goal: Target, ours: Sequence[float], results: Sequence[Outcome], weigh: Weights) -> float:
    """The worth of a combat by the chances of its results; `ours` is what the attackers have lost after each step."""
    theirs, prize = (0.0, *goal.steps), weigh.prize * goal.prize
    mine, most, all_ = (0.0, *ours), len(ours), len(theirs) - 1
    worth = 0.0
    for chance, hits, back, struck, gone in results:
        won = weigh.kill * theirs[min(struck, all_)]
        if gone and struck < all_:
            won += weigh.kill * goal.guns
        if (gone or struck >= all_) and not back:
            won += prize
        lost = weigh.own * mine[min(hits, most)] + (SETBACK if back else 0.0)
        worth += chance * (won - lost)
    return worth
