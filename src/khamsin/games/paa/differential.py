"""The differential of an attack (12.4.2) and of the counter-attack (12.4.4), and the exact chances of both.

Strengths are kept in quarters of a CF, so that halves of halves stay whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from khamsin.games.paa.ground import ESCARPMENT
from khamsin.games.paa.losses import FIGURES, most, worth
from khamsin.games.paa.supply import Lines
from khamsin.games.paa.units import (
    ALLIED,
    AXIS,
    BOARD,
    DEPOT,
    DISMOUNTED,
    GERMAN,
    HEXES,
    OOS,
    REGULAR,
    SIDE,
    G,
    cf,
    name,
)
from khamsin.kernel.rules import Term

NO_SUPPLY, GENERAL_SUPPLY, ATTACK_SUPPLY, MAXIMUM_SUPPLY = (
    0,
    *(int(2 * Fraction(FIGURES["supply"][state])) for state in ("general", "attack", "maximum")),
)
"""What an attacker's supply makes of its CF, in halves (12.3)."""
LEAST = 4 * FIGURES["least"]["unit"]
"""What no unit falls below (12.4.2), in quarters."""
CLIFF = int(2 * Fraction(FIGURES["attack"]["escarpment"]))
HALVED = int(2 * Fraction(FIGURES["defence"]["out_of_supply"]))
COUNTER: dict[str, int] = FIGURES["counter"]


class Factor(NamedTuple):
    """Something that multiplies a unit's CF, and its rule."""

    text: str
    times: str
    rule: str


ESCARPED = Factor("only across escarpment", FIGURES["attack"]["escarpment"], "12.4.2")
UNSUPPLIED = Factor("out of supply", FIGURES["defence"]["out_of_supply"], "8.5")
SUPPLIED = {
    NO_SUPPLY: Factor("without effect: out of supply or command", "0", "12.1.1"),
    GENERAL_SUPPLY: Factor("in general supply", FIGURES["supply"]["general"], "12.3"),
    ATTACK_SUPPLY: Factor("in attack supply", FIGURES["supply"]["attack"], "12.3"),
    MAXIMUM_SUPPLY: Factor("in maximum attack supply", FIGURES["supply"]["maximum"], "12.3"),
}
STRIKES_BACK = (
    Factor("strikes back", str(COUNTER["other"]), "12.4.4"),
    Factor("German, strikes back", str(COUNTER["german"]), "12.4.4"),
)


def _ground(side: int) -> list[int]:
    """What the ground makes of a defender's CF in every hex (2.1.1, 12.4.2)."""
    times = {"rough": int(FIGURES["defence"]["rough"])}
    if side == AXIS:
        times["swamp"] = int(FIGURES["defence"]["swamp"])
    ground = [times.get(BOARD.terrain_name(hex), 1) for hex in range(HEXES)]
    for area in BOARD.areas.values():
        if area.kind == "fort":
            ground[area.hexes[0]] = area.data["defence"]
    return ground


GROUND = (_ground(AXIS), _ground(ALLIED))
CLIFFS = [
    frozenset(n for d, n in enumerate(BOARD.neighbours[hex]) if BOARD.hexside_bits[hex * 6 + d] & ESCARPMENT)
    for hex in range(HEXES)
]
"""The neighbours beyond an escarpment."""


class Share(NamedTuple):
    """What one unit brings: its CF, what multiplies it, and the product in quarters."""

    unit: int
    cf: int
    factors: tuple[Factor, ...]
    quarters: int


@dataclass(frozen=True, slots=True)
class Differential:
    """Two strengths weighed: what every unit brings, the totals in quarters of a CF, and the differential in whole CF."""

    attack: tuple[Share, ...]
    defence: tuple[Share, ...]
    af: int
    df: int
    differential: int
    """Rounded; below 0 when the attack is not permitted."""
    rule: str

    @property
    def permitted(self) -> bool:
        """Whether the strengths allow the attack at all: nothing less than 0, even by a fraction (12.4.2, fig. 8)."""
        return self.differential >= 0

    @property
    def terms(self) -> tuple[Term, ...]:
        """Every figure that enters, with its section."""
        lines: list[Term] = []
        for shares, total, quarters in (
            (self.attack, "attack factor", self.af),
            (self.defence, "defence factor", self.df),
        ):
            for share in shares:
                lines.append(Term(f"{name(share.unit)}, CF", str(share.cf), "2.3.1"))
                lines += [Term(f"{name(share.unit)} {f.text}", f"x {f.times}", f.rule) for f in share.factors]
                if share.quarters == LEAST and share.factors and _product(share) < LEAST:
                    lines.append(Term(f"{name(share.unit)} at least", str(Fraction(LEAST, 4)), "12.4.2"))
            lines.append(Term(total, str(Fraction(quarters, 4)), self.rule))
        lines.append(Term("differential", str(self.differential), self.rule))
        return tuple(lines)


def _product(share: Share) -> Fraction:
    product = Fraction(4 * share.cf)
    for factor in share.factors:
        product *= Fraction(factor.times)
    return product


def attack(
    g: G,
    attackers: Sequence[int],
    targets: Sequence[int],
    multiplier: Callable[[int], int],
    lines: Lines | None = None,
    gone: Collection[int] = (),
) -> Differential:
    """The differential of an attack by units on hexes: attack minus defence, rounded down (12.4.2). `multiplier` gives each
    attacker's supply in halves of its CF (12.3). With `lines`, the defenders' supply is judged anew by them, without it as it
    is marked; those in `gone` do not defend."""
    shares = [_attacking(g, unit, targets, multiplier(unit)) for unit in attackers]
    shields = [_defending(g, unit, lines) for unit in defenders(g, targets) if unit not in gone]
    af, df = sum(s.quarters for s in shares), sum(s.quarters for s in shields)
    return Differential(tuple(shares), tuple(shields), af, df, (af - df) // 4, "12.4.2")


def defenders(g: G, targets: Collection[int]) -> list[int]:
    """Who defends: every regular unit in the attacked hexes, and lorries that stand alone in theirs (12.2, 12.4.2)."""
    where = g.state.where
    there = sorted([u for hex in set(targets) for u in g.units_in(hex) if not DEPOT[u]])
    held = {where[u] for u in there if REGULAR[u]}
    return [u for u in there if REGULAR[u] or where[u] not in held]


def _attacking(g: G, unit: int, targets: Sequence[int], supply: int) -> Share:
    """An attacker's CF by its supply and the hexsides it attacks across (12.3, 12.4.2)."""
    strength = cf(g, unit)
    factors: tuple[Factor, ...] = (SUPPLIED[supply],)
    cliffs = CLIFFS[g.state.where[unit]]
    sides = 2
    if all(hex in cliffs for hex in targets):
        sides = CLIFF
        factors = (ESCARPED, SUPPLIED[supply])
    return Share(unit, strength, factors, max(LEAST, strength * supply * sides) if supply else 0)


def _defending(g: G, unit: int, lines: Lines | None) -> Share:
    """A defender's CF by the ground it stands on and its supply (12.4.2)."""
    hex = g.state.where[unit]
    strength = worth(g, unit)
    times = GROUND[SIDE[unit]][hex]
    factors: tuple[Factor, ...] = ()
    if times != 1:
        factors = (Factor(f"in {BOARD.name(hex)}", str(times), "12.4.2"),)
    marked = g.state.flags[unit]
    out = marked & (OOS | DISMOUNTED) if lines is None else marked & DISMOUNTED or not lines.reach(hex)
    quarters = 4 * strength * times
    if out:
        factors += (UNSUPPLIED,)
        quarters = quarters * HALVED // 2
    return Share(unit, strength, factors, max(LEAST, quarters))


def counter(g: G, defenders: Sequence[int], attackers: Sequence[int]) -> Differential:
    """The counter-attack: four times the CF of Germans and twice that of others against the attackers' CF, without ground
    or supply; never below 0, also when nobody is left to make it (12.4.4)."""
    shares = [
        Share(u, worth(g, u), (STRIKES_BACK[GERMAN[u]],), 4 * worth(g, u) * COUNTER["german" if GERMAN[u] else "other"])
        for u in defenders
    ]
    shields = [Share(u, cf(g, u), (), 4 * cf(g, u)) for u in attackers]
    af, df = sum(s.quarters for s in shares), sum(s.quarters for s in shields)
    return Differential(tuple(shares), tuple(shields), af, df, max(0, -((df - af) // 4)), "12.4.4")


def chances(
    g: G, attackers: Sequence[int], units: Sequence[int], strength: Differential
) -> dict[tuple[int, int], Fraction]:
    """The chance of every pair of losses, defender's and attacker's CF, of an attack on these units and the counter-attack
    on it (12.4.3-5). Where the defender may choose, he keeps what strikes back hardest."""
    crt = g.table("crt")
    table: dict[tuple[int, int], Fraction] = {}
    rolls = crt.chances(crt.column(strength.differential)) if strength.permitted else {0: Fraction(1)}
    for amount, chance in rolls.items():
        loss = most(g, units, int(amount))
        back = counter(g, _best_left(g, units, loss), attackers).differential
        for answer, likely in crt.chances(crt.column(back)).items():
            key = (loss, most(g, attackers, int(answer)))
            table[key] = table.get(key, Fraction(0)) + chance * likely
    return table


def _best_left(g: G, units: Sequence[int], loss: int) -> list[int]:
    """Of all ways to lose exactly this many CF, what is left by the one that keeps the strongest counter-attack."""
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
