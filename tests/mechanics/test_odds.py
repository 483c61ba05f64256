"""Strengths, modifiers and chances."""

from __future__ import annotations

from fractions import Fraction

from khamsin.kernel.rules import Refusal
from khamsin.mechanics.odds import (
    NOT_PERMITTED,
    Factor,
    Modifier,
    Rounding,
    grouped,
    is_below,
    net,
    product,
    refused,
    share,
    subsets,
    then,
    total,
)
from tests.toy.skirmish import CRT

HALF, DOUBLE = Factor.of("across a wadi", "1/2", "1"), Factor.of("in a fort", 2, "2")


def test_a_product_is_rounded_once() -> None:
    """5 halved and doubled is 5, not 4."""
    assert product(5, [HALF, DOUBLE], Rounding()) == 5
    assert product(5, [HALF, HALF], Rounding(scale=4)) == 5
    assert product(5, [HALF], Rounding(down=False)) == 3


def test_a_share_keeps_its_least_value_and_its_reasons() -> None:
    one = share(3, 1, [HALF], Rounding(scale=4, least=4))
    assert (one.unit, one.value, one.factors[0].times) == (3, 4, "½")
    assert total([one, share(4, 2, [], Rounding(scale=4))]) == 12


def test_units_multiplied_alike_are_rounded_together() -> None:
    """3 and 4 halved together are 3, one by one 1 and 2."""
    groups = grouped([(1, 3, [HALF]), (2, 4, [HALF]), (3, 2, [])], Rounding())
    assert [(group.units, group.value) for group in groups] == [((3,), 2), ((1, 2), 3)]


def test_the_sum_of_modifiers_stays_within_its_limits() -> None:
    found = [Modifier("air", 4, "1"), Modifier("ridge", -1, "2")]
    assert (net(found), net(found, -2, 2), net(found[1:], 0)) == (3, 2, 0)
    assert found[1].term.value == "-1"


def test_odds_below_the_first_column_are_recognised() -> None:
    first = CRT.bounds[0]
    assert not is_below(CRT, first.numerator, first.denominator)
    assert is_below(CRT, first.numerator, first.denominator + 1)


def test_chances_of_one_roll_after_another_add_up() -> None:
    first = {0: Fraction(2, 3), 1: Fraction(1, 3)}
    both = then(first, lambda one: {one + 1: Fraction(1, 2), one: Fraction(1, 2)})
    assert both == {0: Fraction(1, 3), 1: Fraction(1, 2), 2: Fraction(1, 6)}


def test_every_choice_of_units_has_its_chance() -> None:
    found = {chosen: likely for likely, chosen in subsets("ab", Fraction(1, 4))}
    assert found[("a",)] == Fraction(3, 16)
    assert sum(found.values()) == 1


def test_a_forbidden_combat_gives_its_reason_instead_of_chances() -> None:
    odds = refused(Refusal("1 cannot attack: out of supply", "8.4"))
    assert (odds.column, odds.outcomes) == (NOT_PERMITTED, {})
    assert odds.terms[-1].rule == "8.4"
