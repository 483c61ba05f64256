"""The column and the die rolls of an attack (OCS 9): strengths, terrain by stack, anti-tank effects, odds, surprise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from khamsin.games.tunisia.units import (
    ARMOR,
    AROUND,
    BOARD,
    CLASS,
    CLASS_COLUMN,
    COMBAT,
    DG,
    GROUND,
    HEAVY_AT,
    LIGHT_AT,
    MECH,
    OOS,
    RESERVE,
    STRAT,
    G,
    forces_in,
    name,
    printed_strength,
    rating,
)
from khamsin.kernel.rules import Odds, Term
from khamsin.kernel.tables import FACES
from khamsin.mechanics.odds import Factor, Modifier, Rounding, Share, mix, share, share_terms, total, written

PARTS = Rounding(scale=48)
"""Fractions of strength are kept until the odds are formed; no product of multipliers is finer (OCS 1(3))."""
OUT = Factor.of("out of supply", COMBAT["supply"]["out"], "OCS 11.3")
UNPAID = Factor.of("without combat supply", COMBAT["supply"]["unpaid"], "OCS 9(2)")
DISORGANISED = Factor.of("disorganised", COMBAT["mode"]["dg"]["strength"], "OCS 5")
IN_RESERVE = Factor.of("in Reserve Mode", COMBAT["mode"]["reserve"]["strength"], "OCS 5")
IN_STRAT = Factor.of("in Strat Mode", COMBAT["mode"]["strat"]["strength"], "OCS 5")
AGAINST_TANKS = Fraction(COMBAT["anti_tank"]["reduced"])
ROWS = ("open", "close", "very_close")
NONE, LIGHT, HEAVY = range(3)
EXPLOITING = "exploiting combat"
"""Whether the attacks are those of the Exploitation Phase."""


class Attack(NamedTuple):
    """Units of a side that attack a hex: in an overrun or not, the units that lead, the defenders without combat supply."""

    side: int
    units: tuple[int, ...]
    hex: int
    overrun: bool = False
    leader: int = -1
    enemy_leader: int = -1
    unpaid: tuple[int, ...] = ()


class Hit(NamedTuple):
    """The meaning of a result for one side: steps, options, the action rating from which attackers exploit, DG."""

    steps: int = 0
    options: int = 0
    exploit: int = 0
    dg: bool = False


@cache
def read(cell: str) -> tuple[Hit, Hit]:
    """Return the meaning of a cell for attacker and defender (OCS 9.1).

    >>> read("Ae3 DL2o2DG")
    (Hit(steps=0, options=0, exploit=3, dg=False), Hit(steps=2, options=2, exploit=0, dg=True))
    >>> read("AL1o1 Do1")[0]
    Hit(steps=1, options=1, exploit=0, dg=False)
    """
    hits = {"A": Hit(), "D": Hit()}
    for part in cell.split():
        found = re.fullmatch(r"([AD])(?:L(\d))?(?:o(\d))?(?:e(\d))?(DG)?", part)
        if found is None:
            raise ValueError(f"{cell!r}: expected a combat result such as 'AL1o1 Do1'")
        side, steps, options, exploit, dg = found.groups()
        hits[side] = Hit(int(steps or 0), int(options or 0), int(exploit or 0), dg is not None)
    return hits["A"], hits["D"]


def defenders(g: G, battle: Attack) -> tuple[int, ...]:
    """Return all combat units in the attacked hex (OCS 9(1))."""
    return forces_in(g, 1 - battle.side, battle.hex)


# Terrain


def hex_terrains(hex: int) -> list[str]:
    """Return the kinds of terrain in a hex among which the defender chooses: its ground, its village or city (1.1f,
    OCS 9(4))."""
    found = [BOARD.terrain_name(hex)]
    return [*found, *[tag for tag in ("village", "minor-city") if tag in BOARD.tags[hex]]]


def anti_tank(g: G, battle: Attack) -> int:
    """Return the anti-tank level of the defending hex: a hedgehog is heavy (OCS 9(6), OCS 16)."""
    units = defenders(g, battle)
    if g.state.hedgehog.get(battle.hex) or any(HEAVY_AT[unit] for unit in units):
        return HEAVY
    return LIGHT if any(LIGHT_AT[unit] for unit in units) else NONE


def reduced(times: Fraction, unit: int, level: int) -> Fraction:
    """Return a multiplier after anti-tank effects: x2 of Armor or Mech falls to x1 1/2 before an equal or higher level
    (OCS 9(6))."""
    own = {ARMOR: HEAVY, MECH: LIGHT}.get(CLASS[unit], NONE)
    return AGAINST_TANKS if times == 2 and own != NONE and level >= own else times


def choices(g: G, battle: Attack, here: int) -> Iterator[tuple[str, list[str], str]]:
    """Yield what the defender can choose against a stack: terrain of the hex or of the hexside, each with its three
    multipliers (OCS 9(4))."""
    for terrain in hex_terrains(battle.hex):
        yield terrain, GROUND["combat"][terrain]["attack"], "Terrain Effects Chart"
    kinds = BOARD.between(here, battle.hex)
    for kind in sorted(kinds & GROUND["combat_hexside"].keys()):
        yield f"across a {kind}", GROUND["combat_hexside"][kind], "Terrain Effects Chart"


def attack_shares(g: G, battle: Attack) -> list[Share]:
    """Return the strength of each attacker. The defender takes the terrain that weakens each stack most (OCS 9(4),
    OCS 9(5))."""
    level, found = anti_tank(g, battle), list[Share]()
    for here in dict.fromkeys([g.state.where[unit] for unit in battle.units]):
        stack = [unit for unit in battle.units if g.state.where[unit] == here]
        ways = []
        for text, times, rule in choices(g, battle, here):
            shares = []
            for unit in stack:
                multiplier = reduced(Fraction(times[CLASS_COLUMN[CLASS[unit]]]), unit, level)
                factors = (
                    [Factor.of(f"in {text}" if text in GROUND["combat"] else text, multiplier, rule)]
                    if multiplier != 1
                    else []
                )
                shares.append(share(unit, printed_strength(g, unit), [*factors, *condition(g, unit, False)], PARTS))
            ways.append(shares)
        found += min(ways, key=total)
    return found


def condition(g: G, unit: int, defending: bool) -> list[Factor]:
    """Return the multipliers of mode and supply; they all multiply (OCS 1(4), OCS 5, OCS 9(5), OCS 11.3)."""
    flags, found = g.state.flags[unit], list[Factor]()
    if flags & STRAT:
        found.append(IN_STRAT)
    if flags & RESERVE and defending:
        found.append(IN_RESERVE)
    if flags & DG:
        found.append(DISORGANISED)
    if flags & OOS:
        found.append(OUT)
    return found


def defence_shares(g: G, battle: Attack, terrain: str) -> list[Share]:
    """Return the strength of each defender in a terrain of the hex (OCS 9(4), OCS 9(5))."""
    times, found = GROUND["combat"][terrain]["defence"], list[Share]()
    for unit in defenders(g, battle):
        multiplier = Fraction(times[CLASS_COLUMN[CLASS[unit]]])
        factors = [Factor.of(f"in {terrain}", multiplier, "Terrain Effects Chart")] if multiplier != 1 else []
        if unit in battle.unpaid:
            factors.append(UNPAID)
        found.append(share(unit, printed_strength(g, unit), [*factors, *condition(g, unit, True)], PARTS))
    return found


# Odds


def ratio(attack: int, defence: int) -> Fraction:
    """Return the odds: both divided by the smaller and rounded, halves up (OCS 9(7), OCS 19, OCS 21).

    >>> ratio(39, 8), ratio(15, 6), ratio(24, 10), ratio(1, 12)
    (Fraction(5, 1), Fraction(3, 1), Fraction(2, 1), Fraction(1, 12))
    """
    large, small = max(attack, defence), min(attack, defence)
    rounded = (2 * large + small) // (2 * small)
    return Fraction(rounded) if attack >= defence else Fraction(1, rounded)


class Column(NamedTuple):
    """The row of the table that the defender chose, its shares, and the column before surprise."""

    row: str
    terrain: str
    shares: list[Share]
    at: int


def column(g: G, battle: Attack) -> Column:
    """Return the column. The defender takes the terrain of the hex that gives the lowest one; a strength of 0 begins at
    an end of the table (OCS 9(4), OCS 9(7), OCS 9(10))."""
    attack = total(attack_shares(g, battle))
    ways = []
    for terrain in hex_terrains(battle.hex):
        row: str = GROUND["combat"][terrain]["row"]
        shares, table = defence_shares(g, battle, terrain), g.table(row)
        defence = total(shares)
        if not defence and not attack:
            at = table.column(Fraction(1))
        elif not defence:
            at = len(table.heads) - 1
        else:
            at = table.column(ratio(attack, defence)) if attack else 0
        ways.append(Column(row, terrain, shares, at))
    return min(ways, key=lambda way: (way.at, -ROWS.index(way.row)))


def modifier(g: G, battle: Attack) -> list[Modifier]:
    """Return the difference of the action ratings that lead (OCS 9(3))."""
    found = []
    if battle.leader >= 0:
        found.append(Modifier(f"action rating of {name(battle.leader)}", rating(g, battle.leader), "OCS 9(3)"))
    if battle.enemy_leader >= 0:
        found.append(
            Modifier(f"action rating of {name(battle.enemy_leader)}", -rating(g, battle.enemy_leader), "OCS 9(3)")
        )
    return found


def hedgehog(g: G, battle: Attack) -> int:
    """Return the level of the hedgehog of the attacked hex (OCS 16)."""
    return g.state.hedgehog.get(battle.hex, 0)


def leader(g: G, units: Sequence[int]) -> int:
    """Return the default leader: the highest action rating, of these the weakest (OCS 21)."""
    return min(units, key=lambda unit: (-rating(g, unit), printed_strength(g, unit), unit))


def surprise_limits(battle: Attack) -> tuple[int, int]:
    """Return from which roll the attacker, and up to which the defender, surprises (OCS 9(8))."""
    row = COMBAT["surprise"]["overrun" if battle.overrun else "regular"]
    return row["attacker"], row["defender"]


def surprises(drm: int, high: int, low: int) -> dict[int, Fraction]:
    """Return the chance of each column shift by surprise, with a modifier and the limits (OCS 9(8))."""
    attacker = sum([chance for roll, chance in FACES["2d6"].items() if roll + drm >= high], Fraction(0))
    defender = sum([chance for roll, chance in FACES["2d6"].items() if roll + drm <= low], Fraction(0))
    found = {0: 1 - attacker - defender}
    for die in range(1, 7):
        found[die] = attacker / 6
        found[-die] = defender / 6
    return {shift: chance for shift, chance in found.items() if chance}


def shift_chances(g: G, battle: Attack) -> dict[int, Fraction]:
    """Return the chance of each column shift by surprise; a hedgehog protects against it (OCS 9(8), OCS 16)."""
    drm = sum([one.value for one in modifier(g, battle)])
    return surprises(drm - (COMBAT["surprise"]["hedgehog"] if hedgehog(g, battle) else 0), *surprise_limits(battle))


def outcomes(g: G, battle: Attack) -> dict[str, Fraction]:
    """Return the exact chance of each result, over surprise and the roll (OCS 9(8), OCS 9(9), OCS 9.1, OCS 17.1)."""
    way = column(g, battle)
    table = g.table(way.row)
    drm = sum([one.value for one in modifier(g, battle)]) - hedgehog(g, battle)
    cases = []
    for shift, chance in shift_chances(g, battle).items():
        at = table.shift(way.at, shift)
        cells = table.chances(at, drm).items()
        cases += [(chance * part, {shown_result(g, battle, str(cell)): Fraction(1)}) for cell, part in cells]
    return mix(cases)


def may_exploit(g: G, battle: Attack, hexes: Iterable[int]) -> bool:
    """Whether attackers may exploit: not in overruns, not in the Exploitation Phase, and only if all attacking hexes are
    adjacent to each other (OCS 9.1)."""
    apart = any(other not in AROUND[one] for one in hexes for other in hexes if other != one)
    return not (battle.overrun or EXPLOITING in g.state.todo or apart)


def shown_result(g: G, battle: Attack, cell: str) -> str:
    """Return a result without the exploitation that the attack cannot have (OCS 9.1)."""
    hexes = {g.state.where[unit] for unit in battle.units}
    return cell if may_exploit(g, battle, hexes) else re.sub(r"e\d", "", cell).removeprefix("A ")


def announcement(g: G, battle: Attack, way: Column) -> str:
    """Return what both sides tell each other in combat: strengths, action ratings and the anti-tank level (OCS 3(4))."""
    attack, defence = (Fraction(total(shares), PARTS.scale) for shares in (attack_shares(g, battle), way.shares))
    ratings = " to ".join([str(rating(g, unit)) for unit in (battle.leader, battle.enemy_leader) if unit >= 0])
    armour = ("no", "light", "heavy")[anti_tank(g, battle)]
    text = f"{shown(attack)} attack {shown(defence)} in {BOARD.name(battle.hex)}"
    return f"{text}, action ratings {ratings}, {armour} anti-tank defence"


def shown(strength: Fraction) -> str:
    """Return a strength as players write it.

    >>> shown(Fraction(7, 2)), shown(Fraction(4))
    ('3½', '4')
    """
    return written(strength)


def preview(g: G, battle: Attack) -> Odds:
    """Return every term of an attack with its rule, the column and the exact chance of each result."""
    way = column(g, battle)
    terms = list(share_terms(attack_shares(g, battle), name, "attack", "OCS 1(5)", PARTS, "OCS 9(10)"))
    terms += share_terms(way.shares, name, "defence", "OCS 1(5)", PARTS, "OCS 9(10)")
    head = g.table(way.row).head(way.at)
    attack, defence = (Fraction(total(shares), PARTS.scale) for shares in (attack_shares(g, battle), way.shares))
    terms.append(Term(f"{written(attack)} to {written(defence)}", head, "OCS 9(7)"))
    terms.append(Term("terrain row of the table", f"{way.row.replace('_', ' ')} ({way.terrain})", "OCS 9(4)"))
    terms += [one.to_roll for one in modifier(g, battle)]
    level = hedgehog(g, battle)
    if level:
        terms.append(Modifier(f"hedgehog of level {level}", -level, "OCS 16").to_roll)
    return Odds(tuple(terms), head, outcomes(g, battle))
