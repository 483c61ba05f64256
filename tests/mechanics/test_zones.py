"""ZOCs that are added up stack by stack, and again only where something has changed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from khamsin.kernel.pieces import UnitFlags, UnitLocations
from khamsin.mechanics.zones import Zones

SIZE, HIDDEN = 12, 1


def row() -> Any:
    """A game with units of two sides in a row of hexes."""
    where = UnitLocations([0, 3, 3, 6, 9, 11], sides=[0, 0, 0, 0, 1, 1])
    return SimpleNamespace(state=SimpleNamespace(where=where, flags=UnitFlags([0] * 6, watched=HIDDEN)))


def project(g: Any, side: int, hex: int, stack: Sequence[int]) -> list[int]:
    """The hexes on both sides of a stack, unless all of it is hidden."""
    if all(g.state.flags[unit] & HIDDEN for unit in stack):
        return []
    return [near for near in (hex - 1, hex + 1) if 0 <= near < SIZE]


def parts(g: Any, side: int) -> tuple[int, dict[int, tuple[int, ...]]]:
    hidden = [unit for unit in g.state.flags.having(HIDDEN) if g.state.where.sides[unit] == side]
    hexes = {g.state.where[unit] for unit in hidden}
    return 0, {hex: tuple([unit for unit in hidden if g.state.where[unit] == hex]) for hex in hexes}


def zones(asked: list[int] | None = None) -> Zones:
    def noted(g: Any, side: int, hex: int, stack: Sequence[int]) -> list[int]:
        if asked is not None:
            asked.append(hex)
        return project(g, side, hex, stack)

    return Zones(SIZE, noted, lambda g, side: g.state.flags.version, parts)


def test_only_stacks_that_have_changed_are_projected_again() -> None:
    asked: list[int] = []
    g, found = row(), zones(asked)
    assert found.of(g, 0).exerting == {0, 3, 6}
    assert sorted(asked) == [0, 3, 6]
    asked.clear()
    g.state.where[3] = 7
    assert found.of(g, 0).exerting == {0, 3, 7}
    assert asked == [7]
    asked.clear()
    g.state.flags[0] |= HIDDEN
    assert found.of(g, 0).exerting == {3, 7}
    assert asked == [0]


def test_after_any_moves_the_sum_is_that_of_all_stacks() -> None:
    g, found, chance = row(), zones(), random.Random(1)
    for _ in range(300):
        unit = chance.randrange(6)
        if chance.random() < 0.5:
            g.state.flags[unit] ^= HIDDEN
        else:
            g.state.where[unit] = chance.randrange(-1, SIZE)
        if chance.random() < 0.7:
            side = chance.randrange(2)
            assert found.of(g, side) == zones().of(g, side)
            assert found.contact(g, side) == zones().contact(g, side)


def test_contact_are_the_hexes_of_a_side_in_enemy_zones() -> None:
    g, found = row(), zones()
    assert found.contact(g, 0) == frozenset()
    g.state.where[4] = 4
    assert (found.contact(g, 0), found.contact(g, 1)) == ({3}, {4})
    g.state.flags[4] |= HIDDEN
    assert found.contact(g, 0) == frozenset()
