"""Strengths, shifts and exact chances of a combat, each term with its rule.

A strength is a sum of shares: units with their multipliers. A combat may have column shifts and die roll modifiers.
Every part lists its terms, so a preview shows how the column was found.

>>> half = Factor.of("across a wadi", "1/2", "12.2")
>>> share(7, 5, [half], Rounding(scale=4)).value          # quarters: 5 x 1/2 = 10/4
10
>>> share(7, 5, [half], Rounding(down=False)).value       # whole numbers, rounded up
3
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import gcd
from typing import NamedTuple, TypeVar

from khamsin.kernel.rules import Odds, Refusal, Term
from khamsin.kernel.tables import Table

K = TypeVar("K", bound=Hashable)
L = TypeVar("L", bound=Hashable)
U = TypeVar("U")

NOT_PERMITTED = "not permitted"
"""The column of a combat that the rules forbid."""


# Strengths


SIGNS = {
    Fraction(1, 6): "⅙", Fraction(1, 4): "¼", Fraction(1, 3): "⅓", Fraction(1, 2): "½", Fraction(2, 3): "⅔",
    Fraction(3, 4): "¾", Fraction(5, 6): "⅚", Fraction(1, 8): "⅛", Fraction(3, 8): "⅜", Fraction(5, 8): "⅝",
    Fraction(7, 8): "⅞",
}  # fmt: skip


def written(value: Fraction | int) -> str:
    """Return a number as players write it.

    >>> written(Fraction(5, 2)), written(Fraction(-1, 4)), written(3), written(Fraction(37, 12))
    ('2½', '-¼', '3', '3 1/12')
    """
    whole, rest = divmod(abs(Fraction(value)), 1)
    part = SIGNS.get(rest, f" {rest}" if whole else str(rest)) if rest else ""
    return f"{'-' if value < 0 else ''}{whole if whole or not rest else ''}{part}"


class Factor(NamedTuple):
    """Something that multiplies a strength: the reason, the fraction and its rule."""

    text: str
    over: int
    under: int
    rule: str

    @classmethod
    def of(cls, text: str, times: str | int | Fraction, rule: str) -> Factor:
        """Return a factor from a fraction such as "1/2"."""
        fraction = Fraction(times)
        return cls(text, fraction.numerator, fraction.denominator, rule)

    @property
    def times(self) -> str:
        """The fraction in words."""
        return written(Fraction(self.over, self.under))


class Rounding(NamedTuple):
    """How products are stored: in parts of a strength point (`scale` 4 means quarters), rounded down or up to a whole
    part, and never below `least` parts."""

    scale: int = 1
    down: bool = True
    least: int = 0


class Share(NamedTuple):
    """The contribution of units to a combat: their printed strength, their multipliers, and the product in parts of a
    point."""

    units: tuple[int, ...]
    strength: int
    factors: tuple[Factor, ...]
    value: int

    @property
    def unit(self) -> int:
        """The first unit; the only one if units are multiplied one by one."""
        return self.units[0]


def product(strength: int, factors: Iterable[Factor], rounding: Rounding) -> int:
    """Return a strength times all factors, rounded once."""
    over, under = strength * rounding.scale, 1
    for factor in factors:
        over, under = over * factor.over, under * factor.under
    value = over // under if rounding.down else -(-over // under)
    return value if value > rounding.least else rounding.least


def share(unit: int, strength: int, factors: Sequence[Factor], rounding: Rounding) -> Share:
    """Return the share of one unit."""
    return Share((unit,), strength, tuple(factors), product(strength, factors, rounding))


def grouped(units: Iterable[tuple[int, int, Sequence[Factor]]], rounding: Rounding) -> list[Share]:
    """Return the shares of units if those with equal multipliers are added first and rounded together, whole ones
    first. Each unit is given with its strength and its factors. A share lists each reason in it once.

    >>> hill, wadi = Factor.of("uphill", "1/2", "12.1"), Factor.of("across a wadi", "1/2", "12.2")
    >>> whole, halved = grouped([(1, 4, []), (2, 3, [hill]), (3, 4, [wadi])], Rounding())
    >>> whole.value, halved.units, halved.strength, halved.value, len(halved.factors)
    (4, (2, 3), 7, 3, 2)
    """
    groups: dict[tuple[int, int], tuple[list[int], dict[Factor, None]]] = {}
    totals: dict[tuple[int, int], int] = {}
    for unit, strength, factors in units:
        over = under = 1
        for factor in factors:
            over, under = over * factor.over, under * factor.under
        if factors:
            common = gcd(over, under)
            over, under = over // common, under // common
        times = over, under
        if times not in groups:
            groups[times], totals[times] = ([], {}), 0
        members, reasons = groups[times]
        members.append(unit)
        totals[times] += strength
        reasons.update(dict.fromkeys(factors))
    found = []
    for over, under in sorted(groups, key=_dividing) if len(groups) > 1 else groups:
        (members, reasons), total = groups[over, under], totals[over, under]
        value = product(total, (Factor("", over, under, ""),) if over != under else (), rounding)
        found.append(Share(tuple(members), total, tuple(reasons), value))
    return found


def _dividing(times: tuple[int, int]) -> float:
    """Return a key that sorts fractions by value, the largest first."""
    return -times[0] / times[1]


def share_terms(
    shares: Iterable[Share], name: Callable[[int], str], printed: str, rule: str, rounding: Rounding, least_rule: str
) -> Iterator[Term]:
    """Return the terms of shares: the printed strength of the units, its multipliers, and the least value if it
    applies. `printed` names the strength on the counter, `rule` its section."""
    for one in shares:
        names = ", ".join([name(unit) for unit in one.units])
        yield Term(f"{names}, {printed}", str(one.strength), rule)
        for factor in one.factors:
            yield Term(f"{names} {factor.text}", f"x {factor.times}", factor.rule)
        if one.value == rounding.least != product(one.strength, one.factors, rounding._replace(least=0)):
            yield Term(f"{names} at least", written(Fraction(rounding.least, rounding.scale)), least_rule)


def total(shares: Iterable[Share]) -> int:
    """Return the sum of shares in parts of a point."""
    return sum([one.value for one in shares])


# Shifts and modifiers


class Modifier(NamedTuple):
    """A column shift or a modifier to the die: the reason, how much, and its rule."""

    text: str
    value: int
    rule: str

    @property
    def term(self) -> Term:
        """The modifier as a term."""
        return Term(self.text, f"{self.value:+d}", self.rule)

    @property
    def shift(self) -> Term:
        """The column shift as a term in a list of points.

        >>> Modifier("hedgehog", -1, "16").shift.value, Modifier("Strat Mode", 3, "17").shift.value
        ('-1 column', '+3 columns')
        """
        return Term(self.text, f"{self.value:+d} {'column' if abs(self.value) == 1 else 'columns'}", self.rule)

    @property
    def to_roll(self) -> Term:
        """The modifier to the dice as a term beside column shifts.

        >>> Modifier("combined arms", 2, "16").to_roll.value
        '+2 to the roll'
        """
        return Term(self.text, f"{self.value:+d} to the roll", self.rule)


def net(modifiers: Iterable[Modifier], least: int | None = None, most: int | None = None) -> int:
    """Return the sum of modifiers, within limits.

    >>> net([Modifier("air", 3, "10"), Modifier("ridge", -1, "5")], -1, 1)
    1
    """
    found = sum([modifier.value for modifier in modifiers])
    found = found if most is None else min(found, most)
    return found if least is None else max(found, least)


def rolled(roll: int, modifier: int) -> str:
    """Return a roll with its modifier, in words.

    >>> rolled(7, 0), rolled(7, 2), rolled(7, -1)
    ('7', '7 + 2 = 9', '7 - 1 = 6')
    """
    return f"{roll} {'+' if modifier > 0 else '-'} {abs(modifier)} = {roll + modifier}" if modifier else str(roll)


def is_below(table: Table, attack: int | Fraction, defence: int | Fraction) -> bool:
    """Whether odds are worse than the first column of a table."""
    bound = table.bounds[0]
    return attack * bound.denominator < defence * bound.numerator


# Chances


def mix(cases: Iterable[tuple[Fraction, Mapping[K, Fraction]]]) -> dict[K, Fraction]:
    """Return the chance of each outcome over cases, each with its own chance.

    >>> half = Fraction(1, 2)
    >>> mix([(half, {"hit": half, "miss": half}), (half, {"miss": Fraction(1)})])
    {'hit': Fraction(1, 4), 'miss': Fraction(3, 4)}
    """
    found: dict[K, Fraction] = {}
    for likely, outcomes in cases:
        for outcome, chance in outcomes.items():
            found[outcome] = found.get(outcome, Fraction(0)) + likely * chance
    return found


def then(first: Mapping[K, Fraction], second: Callable[[K], Mapping[L, Fraction]]) -> dict[L, Fraction]:
    """Return the chances of the final outcomes if `second` returns the chances after each first one.

    >>> half = Fraction(1, 2)
    >>> then({1: half, 2: half}, lambda first: {first + 1: half, first: half})
    {2: Fraction(1, 2), 1: Fraction(1, 4), 3: Fraction(1, 4)}
    """
    return mix((chance, second(outcome)) for outcome, chance in first.items())


def subsets(units: Sequence[U], chance: Fraction) -> Iterator[tuple[Fraction, tuple[U, ...]]]:
    """Return every choice of units with its chance, if each is chosen independently with the same chance."""
    for number in range(len(units) + 1):
        likely = chance**number * (1 - chance) ** (len(units) - number)
        for chosen in combinations(units, number):
            yield likely, chosen


def refused(refusal: Refusal, terms: Iterable[Term] = ()) -> Odds:
    """Return the odds of a combat that the rules forbid: the terms known so far and the reason."""
    term = Term(f"{NOT_PERMITTED}: {refusal.reason}", "", refusal.rule)
    return Odds((*terms, term), NOT_PERMITTED, {}, reason=refusal.reason)
