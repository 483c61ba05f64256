"""The odds of planned attacks: in the mode in which each unit would arrive, perhaps after a barrage. The rules give the
same odds for an attack that can be declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from statistics import fmean
from typing import NamedTuple

from khamsin.games.tunisia import barrage, modes, strength
from khamsin.games.tunisia.ground import OPEN_SIDES
from khamsin.games.tunisia.strength import HEAVY, LIGHT, NONE, PARTS, Attack, hex_terrains, read
from khamsin.games.tunisia.units import (
    ARTILLERY,
    CLASS,
    CLASS_COLUMN,
    COMBAT,
    DATA,
    DG,
    FORCES,
    GROUND,
    HEAVY_AT,
    HIDDEN,
    LIGHT_AT,
    MOBILITY,
    MODES,
    MOVE,
    PRINTED,
    RATING,
    SIDE,
    G,
    attack_capable,
    forces_in,
    joint,
    on_map,
    printed_strength,
    rating,
)
from khamsin.kernel.tables import read_tables
from khamsin.mechanics.odds import Factor, mix, share, total
from khamsin.players.staff.adapter import gather
from khamsin.players.staff.theatre import Outcome

TABLES = read_tables(DATA / "tables.toml")
MODE = ("combat", "move")
"""The mode of each face."""
SURPRISE = strength.surprise_limits(strength.Attack(0, (), 0))
ENOUGH = 40
"""The barrage points beyond which further guns cost more than they add."""
STANDS = 0.5
"""The share of options that a defender takes as losses instead of a retreat, if it has units to lose."""


def can_fight(unit: int, up: int, here: int, hex: int) -> bool:
    """Whether a unit could attack a hex from another with a face up."""
    able = attack_capable(unit, MOVE if up else 0) and PRINTED[unit][up] > 0
    return able and hex in OPEN_SIDES[MOBILITY[unit][up]][here]


def attack_strength(g: G, places: Mapping[int, int], hex: int, level: int) -> int:
    """Return the strength of units in some places, in parts of a point, against a hex with an anti-tank level. The defender
    takes the worst terrain for each stack."""

    def value(unit: int, times: Sequence[str]) -> int:
        multiplier = strength.reduced(Fraction(times[CLASS_COLUMN[CLASS[unit]]]), unit, level)
        factors = [Factor.of("terrain", multiplier, "OCS 9(4)"), *strength.condition(g, unit, False)]
        return share(unit, printed_strength(g, unit), factors, PARTS).value

    found = 0
    for stack in gather(places, lambda unit: places[unit]):
        choices = strength.choices(g, Attack(SIDE[stack[0]], stack, hex), places[stack[0]])
        found += min([sum([value(unit, times) for unit in stack]) for _, times, _ in choices])
    return found


class Average(NamedTuple):
    """The average defence strength and action rating of the hidden units of a side."""

    strength: float
    rating: float


def average(g: G, side: int) -> Average:
    """Return the average of the hidden units: which units are hidden is known, but not where each of them is."""
    units = [unit for unit in FORCES[side] if on_map(g, unit) and g.state.flags[unit] & HIDDEN]
    strengths = [printed_strength(g, unit) for unit in units]
    ratings = [RATING[unit][0] for unit in units if PRINTED[unit][0] and not ARTILLERY[unit]]
    return Average(fmean(strengths or [0]), fmean(ratings or [0]))


class Defence(NamedTuple):
    """The defence of a hex: the number of units, their anti-tank level, the row of the table and the strength in each terrain,
    in parts of a point, and the best action rating."""

    number: int
    anti_tank: int
    terrains: list[tuple[str, int]]
    rating: int


def defences(g: G, side: int, hex: int, hidden: Average) -> list[Defence]:
    """Return the defence of a side in a hex as it is and, unless a unit is so already, disorganised by a barrage."""
    units = forces_in(g, side, hex)
    now = [g.state.flags[unit] for unit in units]
    found = [defence(g, side, hex, hidden)]
    if not joint(now) & DG:
        with modes.supposing(g, units, [flags & ~MODES | DG for flags in now]):
            found.append(defence(g, side, hex, Average(hidden.strength / 2, hidden.rating - 1)))
    return found


def defence(g: G, side: int, hex: int, hidden: Average) -> Defence:
    """Return the defence of a side in a hex, hidden units as the average."""
    units, battle = forces_in(g, side, hex), Attack(1 - side, (), hex)
    seen = [unit for unit in units if not g.state.flags[unit] & HIDDEN]
    unseen = len(units) - len(seen)
    level = LIGHT if any(LIGHT_AT[unit] for unit in seen) else NONE
    if g.state.hedgehog.get(hex) or any(HEAVY_AT[unit] for unit in seen) or unseen > 1:
        level = HEAVY
    guessed, terrains = round(hidden.strength * unseen * PARTS.scale), []
    for terrain in hex_terrains(hex):
        known = [one for one in strength.defence_shares(g, battle, terrain) if one.unit in seen]
        terrains.append((GROUND["combat"][terrain]["row"], total(known) + guessed))
    ratings = [*[rating(g, unit) for unit in seen], *[round(hidden.rating)] * unseen]
    return Defence(len(units), level, terrains, max(ratings))


def outcomes(
    g: G, units: Mapping[int, tuple[int, int]], hex: int, against: Sequence[Defence], shaken: float
) -> list[Outcome]:
    """Return the results of an attack by units, each with its face and its hex; `shaken` is the chance that a barrage
    disorganises the defenders before."""
    level, few = g.state.hedgehog.get(hex, 0), min(len(units), 4)
    places = {unit: at for unit, (_, at) in units.items()}
    found: list[Outcome] = []
    with modes.supposing(g, [*units], [modes.flags_in(g, unit, MODE[up]) for unit, (up, _) in units.items()]):
        attack = max(1, attack_strength(g, places, hex, against[0].anti_tank))
        best = max([rating(g, unit) for unit in units])
    for held, chance in zip(against, (1.0 - shaken, shaken) if len(against) > 1 else (1.0,), strict=True):
        ways = [(TABLES[row].column(strength.ratio(attack, max(1, value))), row) for row, value in held.terrains]
        column, row = min(ways)
        listed = results(row, column, best - held.rating, level, held.number > 1, few) if chance else ()
        found += [one._replace(chance=one.chance * chance) for one in listed]
    return found


@cache
def results(row: str, column: int, drm: int, level: int, several: bool, attackers: int) -> tuple[Outcome, ...]:
    """Return the results of a column, over surprise and the roll. Attackers that cannot meet their options free the
    defender of its own (OCS 9.1)."""
    table, shift = TABLES[row], drm - (COMBAT["surprise"]["hedgehog"] if level else 0)
    surprises = strength.surprises(shift, *SURPRISE).items()
    rolls = mix([(part, dict(table.chances(table.shift(column, by), drm - level))) for by, part in surprises])
    found = []
    for cell, chance in [(str(cell), float(part)) for cell, part in rolls.items()]:
        attacker, defender = read(cell)
        lost = attacker.steps + attacker.options
        if lost > attackers:
            defender = defender._replace(options=0)
        stands = STANDS if several and 0 < defender.options < 2 else 0.0
        if stands:
            found.append(Outcome(chance * stands, lost, 0, defender.steps + defender.options, 0))
        found.append(Outcome(chance * (1 - stands), lost, 0, defender.steps, defender.options))
    return tuple(found)


def chance_of_barrage(g: G, side: int, hex: int) -> float:
    """Return the chance that the guns of a side near a hex disorganise its units, once one of its units is adjacent."""
    shot, table = barrage.Fire(side, tuple(barrage.in_range(g, side, hex)), hex), TABLES["barrage"]
    shifts = sum([one.value for one in barrage.shifts(g, shot) if one.text != "no spotter"])
    points = min(barrage.total(g, shot), ENOUGH)
    return effect("barrage", table.shift(table.column(points), shifts)) if points else 0.0


@cache
def effect(table: str, column: int) -> float:
    """Return the chance of any result in a column of a barrage table."""
    return float(sum(chance for cell, chance in TABLES[table].chances(column).items() if str(cell) != "-"))
