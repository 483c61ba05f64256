from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from khamsin.kernel import NOWHERE, Counter, Result, State
from khamsin.kernel.pieces import UnitFlags, UnitLocations, VersionedDict


class Desert(State):
    COLUMNS = State.COLUMNS | {"thirst": 3}
    SCALARS = State.SCALARS | {"storm": 0}
    OWNERS = ("control",)
    AMOUNTS = ("water",)
    TALLIES = ("stores",)
    thirst: list[int]
    storm: int
    control: dict[int, int]
    water: dict[int, int]
    stores: dict[str, int]


def changed(state: Desert, how: str) -> Desert:
    """The state with one thing about it changed."""
    match how:
        case "where" | "steps" | "flags" | "thirst":
            getattr(state, how)[1] += 1
        case "turn" | "phase" | "storm":
            setattr(state, how, getattr(state, how) + 1)
        case "control":
            state.control[5] = 1
        case "water":
            state.water[5] = 40
        case "stores":
            state.stores["fuel"] = 9
        case "result":
            state.result = Result(0, "clear", "it is over", "7")
    return state


every_change = pytest.mark.parametrize(
    "how", ["where", "steps", "flags", "thirst", "turn", "phase", "storm", "control", "water", "stores", "result"]
)


def test_a_new_state_has_every_unit_nowhere_and_the_defaults_of_the_game() -> None:
    state = Desert(3)
    assert state.where == [NOWHERE] * 3
    assert state.thirst == [3, 3, 3]
    assert (state.turn, state.phase, state.storm) == (1, 0, 0)
    assert (state.control, state.water, state.stores, state.result) == ({}, {}, {}, None)


@every_change
def test_a_copy_is_equal_until_it_is_changed_and_the_original_stays_as_it_was(how: str) -> None:
    state = Desert(2)
    before, digest = state.as_dict(), state.digest()
    copy = state.copy()
    assert copy == state
    assert copy.digest() == digest
    changed(copy, how)
    assert copy != state
    assert copy.digest() != digest
    assert state.as_dict() == before


@every_change
def test_a_change_of_the_original_does_not_reach_its_copy(how: str) -> None:
    state = Desert(2)
    copy = state.copy()
    before = copy.as_dict()
    changed(state, how)
    assert copy.as_dict() == before


@given(st.dictionaries(st.integers(0, 99), st.integers(0, 1)))
def test_the_order_in_which_hexes_were_taken_does_not_show(control: dict[int, int]) -> None:
    one, two = Desert(1), Desert(1)
    one.control.update(control)
    two.control.update(reversed(control.items()))
    assert one == two
    assert one.digest() == two.digest()


def test_a_copy_is_of_the_same_class() -> None:
    assert type(Desert(1).copy()) is Desert


def test_states_of_two_games_are_never_equal() -> None:
    class Other(Desert):
        pass

    assert Desert(1) != Other(1)


def test_a_state_cannot_be_a_key() -> None:
    with pytest.raises(TypeError):
        hash(Desert(1))


def test_the_repr_tells_turn_phase_and_fingerprint() -> None:
    state = Desert(1)
    assert repr(state) == f"<Desert turn 1, phase 0, {state.digest()}>"


def test_the_dictionary_of_a_state_is_its_own() -> None:
    state = Desert(1)
    fields: dict[str, Any] = state.as_dict()
    fields["where"][0] = 7
    fields["control"][1] = 1
    assert state == Desert(1)


def test_the_repr_of_a_counter_can_be_pasted_back() -> None:
    counter = Counter("DE 5/1/ABN", 0, nation="DE", steps=2, factors={"cf": 3})
    assert eval(repr(counter), {"Counter": Counter}) == counter


def test_whoever_supposes_the_same_again_finds_the_same_versions() -> None:
    places = UnitLocations([7, 8], sides=[0, 1])
    seen = []
    for hex in (9, 5, 9):
        with places.supposing({0: hex}):
            seen.append((places.version, *places.versions))
    assert seen[0] == seen[2] != seen[1]


def test_the_index_by_location_agrees_with_the_locations_after_every_change() -> None:
    chance = random.Random(1)
    sides = [unit % 2 for unit in range(12)]
    where = UnitLocations([NOWHERE] * 12, sides)

    def agrees(found: UnitLocations) -> bool:
        for side in (0, 1):
            expected: dict[int, tuple[int, ...]] = {}
            for unit in range(12):
                if sides[unit] == side and found[unit] != NOWHERE:
                    expected[found[unit]] = (*expected.get(found[unit], ()), unit)
            if found.stacks(side) != expected:
                return False
        return True

    for step in range(400):
        change = {chance.randrange(12): chance.choice([NOWHERE, 3, 4, 5]) for _ in range(2)}
        if step % 4 == 0:
            where.rearrange(change)
        elif step % 4 == 1:
            before = {side: dict(where.stacks(side)) for side in (0, 1)}
            with where.supposing(change):
                assert agrees(where)
            assert {side: where.stacks(side) for side in (0, 1)} == before
        elif step % 4 == 2:
            copy = where.copy()
            copy[chance.randrange(12)] = 6
            assert agrees(copy)
        else:
            for unit, location in change.items():
                where[unit] = location
        assert agrees(where)
    where[2:4] = [7, 7]
    assert agrees(where)


def test_changed_locations_are_all_that_differ_since_a_version() -> None:
    chance = random.Random(2)
    where = UnitLocations([3] * 6, sides=[0, 1] * 3)
    told, seen = 0, []
    for step in range(300):
        seen = [*seen[-4:], (where.versions[0], dict(where.stacks(0)))]
        change = {chance.randrange(6): chance.choice([NOWHERE, 3, 4, 5]) for _ in range(2)}
        if step % 9 == 0:
            where.rearrange(change)
        elif step % 9 == 1:
            with where.supposing(change):
                where.changed(0, seen[0][0])
        else:
            for unit, location in change.items():
                where[unit] = location
        for version, stacks in seen:
            changed, now = where.changed(0, version), where.stacks(0)
            if changed is not None:
                told += 1
                assert {hex for hex in {*stacks, *now} if stacks.get(hex) != now.get(hex)} <= changed
    assert told > 300


def test_units_with_a_watched_flag_are_known_after_every_change() -> None:
    chance = random.Random(3)
    flags = UnitFlags([0] * 5, watched=0b011)
    for step in range(200):
        if step % 7 == 0:
            copy = flags.copy()
            copy[chance.randrange(5)] ^= 1
            flags, copy = copy, flags
            assert copy.having(1) == [unit for unit in range(5) if copy[unit] & 1]
        flags[chance.randrange(5)] ^= chance.choice([1, 2, 4])
        replaced = flags.replaced({0: 1, 1: 0})
        for found in (flags, replaced):
            for flag in (1, 2):
                assert found.having(flag) == [unit for unit in range(5) if found[unit] & flag]


def test_watched_flags_and_versioned_dictionaries_get_a_new_version_with_every_change() -> None:
    class Fortified(State):
        OWNERS = ("fort",)
        VERSIONED = ("fort",)
        WATCHED = 2
        fort: VersionedDict
        flags: UnitFlags

    state = Fortified(2)
    seen = {(state.fort.version, state.flags.version)}
    for change in (
        lambda: state.fort.__setitem__(3, 1), lambda: state.fort.update({4: 0}), lambda: state.fort.pop(3),
        lambda: state.fort.setdefault(5, 1), lambda: state.fort.clear(), lambda: setattr(state, "fort", {7: 1}),
        lambda: state.flags.__setitem__(0, 2), lambda: state.flags.__setitem__(slice(0, 2), [0, 0]),
    ):  # fmt: skip
        change()
        assert (state.fort.version, state.flags.version) not in seen
        seen.add((state.fort.version, state.flags.version))
    copy = state.copy()
    assert (copy.fort.version, copy.flags.version) == (state.fort.version, state.flags.version)
    state.flags[1] |= 1
    assert copy.flags.version == state.flags.version
