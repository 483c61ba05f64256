"""The odds of planned attacks: in the mode in which each unit would arrive, perhaps after a barrage. The rules give the
same odds for an attack that can be declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from khamsin.games.tunisia import barrage, strength
from khamsin.games.tunisia.ground import OPEN_SIDES
from khamsin.games.tunisia.strength import HEAVY, LIGHT, NONE, hex_terrains, read
from khamsin.games.tunisia.units import (
    ARMOR,
    ARTILLERY,
    BOARD,
    CLASS,
    CLASS_COLUMN,
    COMBAT,
    DATA,
    DEFENDS_ONLY,
    DG,
    FORCES,
    GROUND,
    HEAVY_AT,
    HIDDEN,
    IS_HQ,
    LIGHT_AT,
    MECH,
    MOBILITY,
    OOS,
    PRINTED,
    RATING,
    RESERVE,
    STRAT,
    G,
    forces_in,
    on_map,
    printed_strength,
    rating,
)
from khamsin.kernel.tables import read_tables
from khamsin.players.staff.adapter import gather
from khamsin.players.staff.theatre import Outcome

TABLES = read_tables(DATA / "tables.toml")
SCALE = 48
SURPRISE = strength.surprise_limits(strength.Attack(0, (), 0))
ENOUGH = 40
"""The barrage points beyond which further guns cost more than they add."""
STANDS = 0.5
"""The share of options that a defender takes as losses instead of a retreat, if it has units to lose."""


def _times(words: Sequence[str]) -> tuple[float, ...]:
    return tuple([float(Fraction(word)) for word in words])


ATTACK = {terrain: _times(row["attack"]) for terrain, row in GROUND["combat"].items() if terrain != "from"}
DEFENCE = {terrain: _times(row["defence"]) for terrain, row in GROUND["combat"].items() if terrain != "from"}
ACROSS = {kind: _times(row) for kind, row in GROUND["combat_hexside"].items() if kind != "from"}


def can_fight(g: G, unit: int, up: int, here: int, hex: int) -> bool:
    """Whether a unit could attack a hex from another with a face up."""
    return (
        not (IS_HQ[unit] or ARTILLERY[unit] or DEFENDS_ONLY[unit][up])
        and PRINTED[unit][up] > 0
        and hex in OPEN_SIDES[MOBILITY[unit][up]][here]
    )


def attack_strength(g: G, units: Mapping[int, tuple[int, int]], hex: int, level: int) -> float:
    """Return the strength of units against a hex with an anti-tank level, each with its face and its hex: the defender
    takes the worst terrain for each stack."""
    total = 0.0
    for stack in gather(units, lambda unit: units[unit][1]):
        rows = [ATTACK[terrain] for terrain in hex_terrains(hex)]
        rows += [ACROSS[kind] for kind in BOARD.between(units[stack[0]][1], hex) & ACROSS.keys()]
        total += min([sum([_share(g, unit, units[unit][0], row, level) for unit in stack]) for row in rows])
    return total


def _share(g: G, unit: int, up: int, row: tuple[float, ...], level: int) -> float:
    times = row[CLASS_COLUMN[CLASS[unit]]]
    own = HEAVY if CLASS[unit] == ARMOR else LIGHT if CLASS[unit] == MECH else NONE
    if times == 2 and own != NONE and level >= own:
        times = 1.5
    flags = g.state.flags[unit]
    return PRINTED[unit][up] * times * (0.5 if flags & DG else 1.0) * (0.5 if flags & OOS else 1.0)


class Average(NamedTuple):
    """The average defence strength and action rating of the hidden units of a side."""

    strength: float
    rating: float


def average(g: G, side: int) -> Average:
    """Return the average of the hidden units: which units are hidden is known, but not where each of them is."""
    units = [unit for unit in FORCES[side] if on_map(g, unit) and g.state.flags[unit] & HIDDEN]
    strengths = [printed_strength(g, unit) for unit in units]
    ratings = [RATING[unit][0] for unit in units if PRINTED[unit][0] and not ARTILLERY[unit]]
    number = max(1, len(units))
    return Average(sum(strengths) / number, sum(ratings) / max(1, len(ratings)))


class Defence(NamedTuple):
    """The defence of a hex, steady and disorganised: by terrain the row of the table and the strength, and the best
    rating."""

    number: int
    anti_tank: int
    terrains: tuple[list[tuple[str, float]], list[tuple[str, float]]]
    ratings: tuple[int, int]
    is_steady: bool
    """Whether a barrage would disorganise any unit."""


def defence(g: G, side: int, hex: int, hidden: Average) -> Defence:
    """Return the strength of a side in the defence of a hex, hidden units as the average."""
    units = forces_in(g, side, hex)
    seen = [unit for unit in units if not g.state.flags[unit] & HIDDEN]
    level = LIGHT if any(LIGHT_AT[unit] for unit in seen) else NONE
    if g.state.hedgehog.get(hex) or any(HEAVY_AT[unit] for unit in seen) or len(seen) < len(units) - 1:
        level = HEAVY
    unseen = len(units) - len(seen)

    def strengths(shaken: bool) -> list[tuple[str, float]]:
        rows = [(GROUND["combat"][terrain]["row"], DEFENCE[terrain]) for terrain in hex_terrains(hex)]
        lost = hidden.strength * unseen * (0.5 if shaken else 1.0)
        return [(row, lost + sum([_held(g, unit, times, shaken) for unit in seen])) for row, times in rows]

    best = max([*[rating(g, unit) for unit in seen], *[round(hidden.rating)] * bool(unseen)])
    steady = all(not g.state.flags[unit] & DG for unit in units)
    return Defence(len(units), level, (strengths(False), strengths(True)), (best, best - 1), steady)


def _held(g: G, unit: int, row: tuple[float, ...], shaken: bool) -> float:
    flags = g.state.flags[unit]
    times = row[CLASS_COLUMN[CLASS[unit]]] * (0.5 if flags & (DG | RESERVE) or shaken else 1.0)
    return printed_strength(g, unit) * times * (0.0 if flags & STRAT else 0.5 if flags & OOS else 1.0)


def outcomes(g: G, units: Mapping[int, tuple[int, int]], hex: int, against: Defence, shaken: float) -> list[Outcome]:
    """Return the results of an attack by units, each with its face and its hex; `shaken` is the chance that a barrage
    disorganises the defenders before."""
    attack = max(1, round(attack_strength(g, units, hex, against.anti_tank) * SCALE))
    best = max([RATING[unit][up] - (1 if g.state.flags[unit] & DG else 0) for unit, (up, _) in units.items()])
    level, few = g.state.hedgehog.get(hex, 0), min(len(units), 4)
    found: list[Outcome] = []
    for dg, chance in ((0, 1.0 - shaken), (1, shaken)) if against.is_steady and shaken else ((0, 1.0),):
        column, row = min(
            [
                (TABLES[row].column(strength.ratio(attack, max(1, round(held * SCALE)))), row)
                for row, held in against.terrains[dg]
            ]
        )
        listed = results(row, column, best - against.ratings[dg], level, against.number > 1, few)
        found += [one._replace(chance=one.chance * chance) for one in listed]
    return found


@cache
def results(row: str, column: int, drm: int, level: int, several: bool, attackers: int) -> tuple[Outcome, ...]:
    """Return the results of a column, over surprise and the roll. Attackers that cannot meet their options free the
    defender of its own (OCS 9.1)."""
    table, cells = TABLES[row], dict[str, float]()
    shift = drm - (COMBAT["surprise"]["hedgehog"] if level else 0)
    for by, part in strength.surprises(shift, *SURPRISE).items():
        for result, share in table.chances(table.shift(column, by), drm - level).items():
            cells[str(result)] = cells.get(str(result), 0.0) + float(part * share)
    found = []
    for cell, chance in cells.items():
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
