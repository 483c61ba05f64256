from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from khamsin.kernel import Dice, DiceError, KeyedDice, ReplayDice, Roll, SeededDice
from khamsin.kernel.dice import commitment, effective_key

KEY = bytes(range(16))
makers = pytest.mark.parametrize("make", [lambda: KeyedDice(KEY), lambda: SeededDice(7)], ids=["keyed", "seeded"])
Make = Callable[[], Dice]


def rolls(dice: Dice, count: int, sides: int = 6) -> list[int]:
    return [dice.roll("test", "1", sides) for _ in range(count)]


@makers
@pytest.mark.parametrize("sides", [2, 6, 10, 36])
def test_every_face_falls_about_as_often(make: Make, sides: int) -> None:
    """Chi-square over 6000 throws of fixed keys, with a bound that only bad dice pass."""
    fell = Counter(rolls(make(), 6000, sides))
    assert set(fell) == set(range(1, sides + 1))
    mean = 6000 / sides
    freedom = sides - 1
    assert sum((count - mean) ** 2 / mean for count in fell.values()) < freedom + 6 * (2 * freedom) ** 0.5 + 20


@makers
def test_a_roll_says_nothing_of_the_next(make: Make) -> None:
    thrown = rolls(make(), 7201)
    pairs = Counter(pairwise(thrown))
    assert len(pairs) == 36
    assert sum((count - 200) ** 2 / 200 for count in pairs.values()) < 100


@makers
def test_the_same_key_gives_the_same_rolls(make: Make) -> None:
    assert rolls(make(), 50) == rolls(make(), 50)


def test_other_keys_give_other_rolls() -> None:
    assert rolls(KeyedDice.seeded(1), 50) != rolls(KeyedDice.seeded(2), 50)
    assert rolls(KeyedDice(), 50) != rolls(KeyedDice(), 50)


def test_a_keyed_roll_depends_on_its_number_and_not_on_those_before() -> None:
    whole, late = KeyedDice(KEY), KeyedDice(KEY)
    thrown = rolls(whole, 20)
    late.count = 10
    assert rolls(late, 10) == thrown[10:]


@makers
@given(sides=st.integers(1, 1000), count=st.integers(1, 20))
def test_a_die_shows_one_of_its_faces(make: Make, sides: int, count: int) -> None:
    assert all(1 <= value <= sides for value in rolls(make(), count, sides))


@makers
@given(st.integers(1, 50))
def test_a_pick_is_an_index_into_the_cup(make: Make, count: int) -> None:
    assert 0 <= make().pick(count, "draw") < count


@makers
def test_two_dice_are_summed_and_sixtysix_is_tens_and_units(make: Make) -> None:
    first, second = rolls(make(), 2)
    assert make().two("test") == first + second
    assert make().sixtysix("test") == 10 * first + second


@makers
def test_every_roll_is_counted_and_heard(make: Make) -> None:
    dice = make()
    heard: list[Roll] = []
    dice.on_roll = heard.append
    value = dice.roll("attack", "12.4", 10, to=1)
    dice.two("weather", "3")
    assert dice.count == len(heard) == 3
    assert heard[0] == Roll("attack", "12.4", 10, value, 1)
    assert heard[1][:3] == ("weather", "3", 6)


@makers
@pytest.mark.parametrize("sides", [0, -6, 10**30])
def test_a_die_without_faces_is_refused_and_not_counted(make: Make, sides: int) -> None:
    dice = make()
    with pytest.raises(DiceError, match=f"{sides}: expected a die of 1 to 65536 sides"):
        dice.roll("test", "", sides)
    assert dice.count == 0


def test_the_commitment_is_the_hash_of_the_key_and_does_not_change_with_play() -> None:
    dice = KeyedDice(KEY)
    rolls(dice, 5)
    assert dice.commitment == commitment(KEY) == hashlib.sha256(KEY).hexdigest()


CONTRIBUTIONS = [bytes([1]) * 32, bytes([2]) * 32]
"""With a key of 16 zero bytes these are the test vector of web/tests/fairdice.test.ts too."""


def test_rolls_with_contributions_are_those_of_the_effective_key() -> None:
    effective = bytes.fromhex("d7442dc46164ed5e8576c597ab66e09e89184aa24f8651e76cf126882b1cefdf")
    assert effective_key(bytes(16), CONTRIBUTIONS) == effective
    assert rolls(KeyedDice(bytes(16), CONTRIBUTIONS), 50) == rolls(KeyedDice(effective), 50)
    assert rolls(KeyedDice(bytes(16), CONTRIBUTIONS), 8) == [4, 1, 5, 5, 2, 4, 2, 5]


def test_every_contribution_and_their_order_change_the_rolls() -> None:
    one, two = CONTRIBUTIONS
    given = [(), (one,), (two,), (one, two), (two, one)]
    assert len({tuple(rolls(KeyedDice(KEY, each), 50)) for each in given}) == len(given)


def test_contributions_leave_the_commitment_of_the_key_as_it_is() -> None:
    assert KeyedDice(KEY, CONTRIBUTIONS).commitment == commitment(KEY)


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_contribution_of_the_wrong_length_is_refused_with_the_length(length: int) -> None:
    with pytest.raises(DiceError, match=f"{length} bytes: expected a contribution of 32"):
        KeyedDice(KEY, [CONTRIBUTIONS[0], bytes(length)])


@pytest.mark.parametrize("sides", [[], [0], [1, 0], [0, 0], [0, 1, 2]])
def test_contributors_that_do_not_fit_their_contributions_are_refused(sides: list[int]) -> None:
    with pytest.raises(DiceError, match=r"expected 2 side\(s\) in order"):
        KeyedDice(KEY, CONTRIBUTIONS, sides)


def test_only_seeded_dice_have_a_seed() -> None:
    assert KeyedDice.seeded(7).seed == 7
    assert KeyedDice(KeyedDice.seeded(7).key).seed is None


def test_the_repr_of_keyed_dice_does_not_show_their_key() -> None:
    assert KEY.hex() not in repr(KeyedDice(KEY))
    assert repr(KEY) not in repr(KeyedDice(KEY))


@pytest.mark.parametrize("length", [0, 15, 65])
def test_a_key_of_the_wrong_length_is_refused_with_the_length(length: int) -> None:
    with pytest.raises(DiceError, match=f"{length} bytes: expected a key of 16 to 64"):
        KeyedDice(bytes(length))


@given(st.lists(st.integers(1, 6), max_size=8))
def test_replayed_dice_fall_as_they_fell_and_then_stop(past: list[int]) -> None:
    dice = ReplayDice(past)
    assert dice.left == len(past)
    assert rolls(dice, len(past)) == past
    assert dice.left == 0
    with pytest.raises(DiceError, match="does not have"):
        dice.roll("one more")


@given(st.lists(st.integers(1, 6), max_size=8))
def test_replayed_dice_go_on_with_another_stream(past: list[int]) -> None:
    dice = ReplayDice(past, SeededDice(3))
    assert rolls(dice, len(past) + 5) == past + rolls(SeededDice(3), 5)


@given(st.lists(st.lists(st.integers(1, 6), max_size=4), max_size=4))
def test_rolls_given_later_fall_after_those_given_before(lots: list[list[int]]) -> None:
    dice = ReplayDice(())
    for lot in lots:
        dice.give(lot)
    flat = [value for lot in lots for value in lot]
    assert rolls(dice, len(flat)) == flat


@pytest.mark.parametrize("value", [0, 7, -1])
def test_a_recorded_roll_that_the_die_cannot_show_is_refused(value: int) -> None:
    with pytest.raises(DiceError, match=f"{value}: .* a die of 6 sides cannot show"):
        ReplayDice([value]).roll("test")


def test_a_replay_hears_each_roll_once() -> None:
    later = SeededDice(3)
    heard: list[Roll] = []
    later.on_roll = heard.append
    dice = ReplayDice([2], later)
    dice.on_roll = heard.append
    rolls(dice, 3)
    assert len(heard) == 3


@pytest.mark.parametrize(
    "make", [lambda: KeyedDice(KEY), lambda: SeededDice(7), lambda: ReplayDice([3, 1, 4, 1, 5, 2, 6])]
)
@given(kept=st.integers(0, 3), taken=st.integers(0, 3))
def test_rolls_taken_back_fall_again(make: Make, kept: int, taken: int) -> None:
    dice, plain = make(), make()
    thrown = rolls(dice, kept + taken)
    dice.take_back([(6, value) for value in thrown[kept:]])
    assert dice.count == kept
    assert thrown[:kept] + rolls(dice, taken + 1) == rolls(plain, kept + taken + 1)


def test_a_roll_taken_back_may_fall_again_on_another_die() -> None:
    dice = SeededDice(7)
    dice.take_back([(6, dice.roll("test"))])
    assert dice.roll("test", "", 2) in (1, 2)


def test_two_dice_may_be_for_one_side_alone() -> None:
    heard: list[Roll] = []
    dice = SeededDice(7)
    dice.on_roll = heard.append
    dice.two("draw", "6", to=1)
    dice.sixtysix("draw", "6", to=1)
    assert [roll.to for roll in heard] == [1] * 4


def test_dice_tell_how_far_they_are_in_their_repr() -> None:
    dice = ReplayDice([2, 3], SeededDice(7))
    dice.roll("test")
    assert repr(dice) == "<ReplayDice, 1 rolled, 1 to come, then <SeededDice 7, 0 rolled>>"
