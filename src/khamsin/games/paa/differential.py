"""The differential of an attack (12.4.2) and of the counter-attack (12.4.4), and the exact chances of both.

Strengths are in quarters of a CF, so that halves of halves are whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from khamsin.games.paa.ground import ESCARPMENT
from khamsin.games.paa.losses import FIGURES, most, worth
from khamsin.games.paa.units import (
    ALLIED,
    AXIS,
    BOARD,
    DEPOT,
    DISMOUNTED,
    GERMAN,
    HEXES,
    OOC,
    OOS,
    REGULAR,
    SIDE,
    G,
    cf,
    name,
)
from khamsin.kernel.rules import Refusal, Term
from khamsin.kernel.tables import Cell
from khamsin.mechanics.odds import Factor, Rounding, Share, mix, share, share_terms, then, total, written
from khamsin.mechanics.supply import Lines

NO_SUPPLY, GENERAL_SUPPLY, ATTACK_SUPPLY, MAXIMUM_SUPPLY = (
    0,
    *(int(2 * Fraction(FIGURES["supply"][state])) for state in ("general", "attack", "maximum")),
)
"""The multiplier of an attacker's CF by its supply, in halves (12.3)."""
ALLIED_FROM: int = FIGURES["attack"]["allied_from_turn"]
"""The first turn in which the Allies may attack (12)."""
QUARTERS = Rounding(scale=4, least=4 * FIGURES["least"]["unit"])
"""Strengths are in quarters of a CF; no unit falls below 1 CF (12.4.2)."""
WITHOUT_EFFECT = Rounding(scale=4)
COUNTER: dict[str, int] = FIGURES["counter"]

ESCARPED = Factor.of("only across escarpment", FIGURES["attack"]["escarpment"], "12.4.2")
UNSUPPLIED = Factor.of("out of supply", FIGURES["defence"]["out_of_supply"], "8.5")
SUPPLIED = {
    GENERAL_SUPPLY: Factor.of("in general supply", FIGURES["supply"]["general"], "12.3"),
    ATTACK_SUPPLY: Factor.of("in attack supply", FIGURES["supply"]["attack"], "12.3"),
    MAXIMUM_SUPPLY: Factor.of("in maximum attack supply", FIGURES["supply"]["maximum"], "12.3"),
}
UNABLE = Factor.of("without effect: out of supply or command", 0, "12.1.1")
UNRELIABLE = Factor.of("without effect: unreliable without attack supply or support", 0, "15.2")
STRIKES_BACK = (
    Factor.of("counter-attacks", COUNTER["other"], "12.4.4"),
    Factor.of("German, counter-attacks", COUNTER["german"], "12.4.4"),
)


def _ground(side: int) -> list[int]:
    """Return the multiplier of a defender's CF in every hex by its terrain (2.1.1, 12.4.2)."""
    times = {"rough": int(FIGURES["defence"]["rough"])}
    if side == AXIS:
        times["swamp"] = int(FIGURES["defence"]["swamp"])
    ground = [times.get(BOARD.terrain_name(hex), 1) for hex in range(HEXES)]
    for area in BOARD.areas.values():
        if area.kind == "fort":
            ground[area.hexes[0]] = area.data["defence"]
    return ground


GROUND = (_ground(AXIS), _ground(ALLIED))
IN_PLACE = [
    {hex: (Factor.of(f"in {BOARD.name(hex)}", times, "12.4.2"),) for hex, times in enumerate(ground) if times != 1}
    for ground in GROUND
]
"""The multipliers of a defender of each side in a hex (12.4.2)."""
CLIFFS = [
    frozenset(n for d, n in enumerate(BOARD.neighbours[hex]) if BOARD.hexside_bits[hex * 6 + d] & ESCARPMENT)
    for hex in range(HEXES)
]
"""The adjacent hexes beyond an escarpment."""


@dataclass(frozen=True, slots=True)
class Differential:
    """The comparison of two strengths: the share of every unit, the totals in quarters of a CF, and the differential in
    whole CF."""

    attack: tuple[Share, ...]
    defence: tuple[Share, ...]
    af: int
    df: int
    differential: int
    """Rounded; negative if the attack is not permitted."""
    rule: str

    @property
    def permitted(self) -> bool:
        """Whether the strengths allow the attack: a differential below 0, even by a fraction, does not (12.4.2, fig.
        8)."""
        return self.differential >= 0

    @property
    def terms(self) -> tuple[Term, ...]:
        """Return every term with its section."""
        attack = share_terms(self.attack, name, "CF", "2.3.1", QUARTERS, "12.4.2")
        defence = share_terms(self.defence, name, "CF", "2.3.1", QUARTERS, "12.4.2")
        return (
            *attack,
            Term("attack factor", written(Fraction(self.af, 4)), self.rule),
            *defence,
            Term("defence factor", written(Fraction(self.df, 4)), self.rule),
            Term("differential", str(self.differential), self.rule),
        )


def attack(
    g: G,
    attackers: Sequence[int],
    targets: Sequence[int],
    multiplier: Callable[[int], int],
    lines: Lines | None = None,
    gone: Collection[int] = (),
) -> Differential:
    """Return the differential of an attack by units on hexes: attack minus defence, rounded down (12.4.2). `multiplier`
    gives each attacker's supply in halves of its CF (12.3). The defenders' supply is that of `lines`, without them as
    flagged. Units in `gone` do not defend."""
    shares = [_attacking(g, unit, targets, multiplier(unit)) for unit in attackers]
    shields = [_defending(g, unit, lines) for unit in defenders(g, targets) if unit not in gone]
    af, df = total(shares), total(shields)
    return Differential(tuple(shares), tuple(shields), af, df, (af - df) // 4, "12.4.2")


def why_not_this_turn(g: G, side: int) -> Refusal | None:
    """The Allies do not attack before turn 2 (12)."""
    if side == ALLIED and g.state.turn < ALLIED_FROM:
        return Refusal(f"The Allies cannot attack before turn {ALLIED_FROM}", "12")
    return None


def defenders(g: G, targets: Collection[int]) -> list[int]:
    """Return the defenders: every regular unit in the attacked hexes, and lorries alone in theirs (12.2, 12.4.2)."""
    where = g.state.where
    there = sorted([u for hex in set(targets) for u in g.units_in(hex) if not DEPOT[u]])
    held = {where[u] for u in there if REGULAR[u]}
    return [u for u in there if REGULAR[u] or where[u] not in held]


def _attacking(g: G, unit: int, targets: Sequence[int], supply: int) -> Share:
    """Return an attacker's CF by its supply and the hexsides it attacks across (12.3, 12.4.2). Without supply its
    attack has no effect (12.1.1, 15.2)."""
    strength = cf(g, unit)
    if not supply:
        unable = g.state.flags[unit] & (OOS | OOC | DISMOUNTED)
        return share(unit, strength, (UNABLE if unable else UNRELIABLE,), WITHOUT_EFFECT)
    cliffs = CLIFFS[g.state.where[unit]]
    escarped = all(hex in cliffs for hex in targets)
    return share(unit, strength, (ESCARPED, SUPPLIED[supply]) if escarped else (SUPPLIED[supply],), QUARTERS)


def _defending(g: G, unit: int, lines: Lines | None) -> Share:
    """Return a defender's CF by its terrain and supply (12.4.2)."""
    hex, marked = g.state.where[unit], g.state.flags[unit]
    factors = IN_PLACE[SIDE[unit]].get(hex, ())
    if marked & (OOS | DISMOUNTED) if lines is None else marked & DISMOUNTED or not lines.reach(hex):
        factors = (*factors, UNSUPPLIED)
    return share(unit, worth(g, unit), factors, QUARTERS)


def counter(g: G, defenders: Sequence[int], attackers: Sequence[int]) -> Differential:
    """Return the counter-attack: four times the CF of Germans and twice that of others against the attackers' CF,
    without terrain or supply; never below 0, also if no unit is left to make it (12.4.4)."""
    shares = [share(u, worth(g, u), (STRIKES_BACK[GERMAN[u]],), QUARTERS) for u in defenders]
    shields = [share(u, cf(g, u), (), QUARTERS) for u in attackers]
    af, df = total(shares), total(shields)
    return Differential(tuple(shares), tuple(shields), af, df, max(0, -((df - af) // 4)), "12.4.4")


def chances(
    g: G, attackers: Sequence[int], units: Sequence[int], strength: Differential
) -> dict[tuple[int, int], Fraction]:
    """Return the chance of every pair of losses, defender's and attacker's CF, of an attack on these units and the
    counter-attack on it (12.4.3-5). The defender chooses losses that leave the strongest counter-attack."""
    crt = g.table("crt")
    none: dict[Cell, Fraction] = {0: Fraction(1)}
    rolls = crt.chances(crt.column(strength.differential)) if strength.permitted else none

    def answers(amount: Cell) -> dict[tuple[int, int], Fraction]:
        loss = most(g, units, int(amount))
        back = counter(g, _best_left(g, units, loss), attackers).differential
        table = crt.chances(crt.column(back))
        return mix((chance, {(loss, most(g, attackers, int(lost))): Fraction(1)}) for lost, chance in table.items())

    return then(rolls, answers)


def _best_left(g: G, units: Sequence[int], loss: int) -> list[int]:
    """Return what is left by the loss of exactly this many CF that keeps the strongest counter-attack."""
    best: list[int] = list(units)
    strongest = -1
    for number in range(len(units) + 1) if loss else (0,):
        for lost in combinations(units, number):
            if sum(worth(g, u) for u in lost) == loss:
                left = [u for u in units if u not in lost]
                strength = sum(worth(g, u) * COUNTER["german" if GERMAN[u] else "other"] for u in left)
                if strength > strongest:
                    best, strongest = left, strength
    return best
