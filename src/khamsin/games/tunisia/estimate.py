"""Odds against unknown stacks (OCS 3(4)): a range of columns, and chances over the possible hidden units."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import AbstractContextManager
from fractions import Fraction

from khamsin.games.tunisia import barrage, hidden, strength
from khamsin.games.tunisia.barrage import Fire
from khamsin.games.tunisia.strength import PARTS, Attack
from khamsin.games.tunisia.units import (
    ARTILLERY,
    HIDDEN,
    IS_HQ,
    PRINTED,
    QUARTERS,
    RE,
    G,
    forces_in,
    name,
    printed_strength,
)
from khamsin.kernel.rules import Odds, Term
from khamsin.mechanics.odds import Modifier, mix, share_terms, written
from khamsin.mechanics.showing import counted

SAMPLES = 6
"""How many possible stacks of hidden units are tried."""


def unknown(g: G, side: int, hex: int) -> list[int]:
    """Return the hidden units of a side in a hex, in a game as the enemy may know it."""
    return [unit for unit in forces_in(g, side, hex) if g.state.flags[unit] & HIDDEN]


def weakest(g: G, unit: int) -> int:
    """Return the least defence of a unit, whatever face shows."""
    return printed_strength(g, unit) if IS_HQ[unit] or ARTILLERY[unit] else min(PRINTED[unit])


def supposing(g: G, hex: int, old: Sequence[int], new: Sequence[int]) -> AbstractContextManager[None]:
    """Assume that some units are the hidden ones of a hex."""
    goes, comes = [unit for unit in old if unit not in new], [unit for unit in new if unit not in old]
    moves = dict.fromkeys(comes, hex) | {unit: g.state.where[other] for unit, other in zip(goes, comes, strict=True)}
    return g.state.where.supposing(moves)


def preview(g: G, battle: Attack) -> Odds:
    """Return the odds of an attack on a stack with hidden units: the columns from the strongest to the weakest
    possible, and the average chances of several stacks drawn from the order of battle (OCS 3(4))."""
    enemy = 1 - battle.side
    old = unknown(g, enemy, battle.hex)
    if not old:
        return strength.preview(g, battle)
    pool = sorted(hidden.pool(g.state, enemy))
    by_strength = sorted(pool, key=lambda unit: (printed_strength(g, unit), unit))
    least = sum(sorted([weakest(g, unit) for unit in pool])[: len(old)])
    most = sum([printed_strength(g, unit) for unit in by_strength[-len(old) :]])
    chance = random.Random(battle.hex * 64 + g.state.turn)
    stacks = [
        by_strength[: len(old)],
        by_strength[-len(old) :],
        *[chance.sample(pool, len(old)) for _ in range(SAMPLES)],
    ]
    heads, cases, terms = dict[int, str](), list[tuple[Fraction, dict[str, Fraction]]](), list[Term]()
    for number, new in enumerate(stacks):
        with supposing(g, battle.hex, old, new):
            units = strength.defenders(g, battle)
            one = battle._replace(enemy_leader=strength.leader(g, units), unpaid=units if battle.unpaid else ())
            way = strength.column(g, one)
            heads[way.at] = g.table(way.row).head(way.at)
            if not number:
                terms += share_terms(strength.attack_shares(g, one), name, "attack", "OCS 1(5)", PARTS, "OCS 9(10)")
                known = [part for part in way.shares if part.unit not in new]
                terms += share_terms(known, name, "defence", "OCS 1(5)", PARTS, "OCS 9(10)")
                terms.append(Term(f"{counted(len(old), 'hidden unit')}, defence", f"{least} to {most}", "OCS 3(4)"))
                terms.append(
                    Term("terrain row of the table", f"{way.row.replace('_', ' ')} ({way.terrain})", "OCS 9(4)")
                )
            else:
                cases.append((Fraction(1, len(stacks) - 1), strength.outcomes(g, one)))
    level = strength.hedgehog(g, battle)
    if level:
        terms.append(Modifier(f"hedgehog of level {level}", -level, "OCS 16").to_roll)
    low, high = heads[min(heads)], heads[max(heads)]
    return Odds(tuple(terms), low if low == high else f"{low} to {high}", mix(cases))


def density_shift(odds: Odds) -> str:
    """Return the column shift for density among the terms of a barrage."""
    return next((term.value for term in odds.terms if term.text.startswith("density")), "+0 columns")


def preview_barrage(g: G, shot: Fire) -> Odds:
    """Return the odds of a barrage of a hex with hidden units: the columns for their least and greatest possible size,
    and the average of the chances (OCS 3(4), OCS 17.2)."""
    enemy = 1 - shot.side
    old = unknown(g, enemy, shot.hex)
    if not old or shot.target != barrage.UNITS_TARGET:
        return barrage.preview(g, shot)
    by_size = sorted(hidden.pool(g.state, enemy), key=lambda unit: (RE[unit], unit))
    found = []
    for new in (by_size[: len(old)], by_size[-len(old) :]):
        with supposing(g, shot.hex, old, new):
            found.append((barrage.preview(g, shot), Fraction(sum([RE[unit] for unit in new]), QUARTERS)))
    (low, least), (high, most) = found
    size = f"{written(least)} RE" if least == most else f"{written(least)} to {written(most)} RE"
    terms = [term for term in low.terms if not term.text.startswith("density")]
    terms.append(Term(counted(len(old), "hidden unit"), size, "OCS 3(4)"))
    fewer, more = (density_shift(odds) for odds, _ in found)
    terms.append(Term("density", fewer if fewer == more else f"{fewer.split()[0]} to {more}", "OCS 17.2"))
    column = low.column if low.column == high.column else f"{low.column} to {high.column}"
    half = Fraction(1, 2)
    return Odds(tuple(terms), column, mix([(half, dict(low.outcomes)), (half, dict(high.outcomes))]))
