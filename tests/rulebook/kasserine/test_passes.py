"""The board gives the battle of February 1943: vehicles cross the two Dorsals at the passes, men on foot wherever they like."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import pytest

from khamsin.games.kasserine.ground import REACHES
from khamsin.games.kasserine.units import BOARD, FOOT, HEAVY, HEXES

DRY, RAIN = False, True

WESTERN = {
    "Kasserine Pass": ["3119"],
    "the Sbiba gap": ["4006", "4010"],
    "Dernaia Pass": ["2325"],
    "El Ma el Abiod": ["1628", "1631", "1727"],
}
"""The ways through the Western Dorsal, each at its narrowest."""

EASTERN = {"Sidi Khalif Pass": ["6422"], "Faid Pass": ["6324"], "Rebaou Pass": ["6326"]}
"""The ways through the Eastern Dorsal from the Hadjeb gap to the edge of the map."""

NORTH = [f"{column:02d}{row:02d}" for column in range(1, 68) for row in range(1, 17)]
"""What lies north of the Hadjeb gap's southern shoulder."""


def reached(start: str, crosses: int, closed: Iterable[str], rain: bool = DRY) -> set[str]:
    """The hexes to which a unit of a kind can come from one, without entering the closed ones."""
    barred = {BOARD[hex] for hex in closed}
    seen, todo = {BOARD[start]}, [BOARD[start]]
    while todo:
        for near in REACHES[rain][crosses][todo.pop()]:
            if near not in seen and near not in barred:
                seen.add(near)
                todo.append(near)
    return {BOARD.name(hex) for hex in seen if hex < HEXES}


def all_but(passes: dict[str, list[str]], spared: Collection[str] = ()) -> list[str]:
    return [hex for name, hexes in passes.items() if name not in spared for hex in hexes]


@pytest.mark.parametrize("rain", [DRY, RAIN])
def test_armour_crosses_the_western_dorsal_only_at_its_passes(rain: bool) -> None:
    """From the plain of Kasserine and Sbeitla to Thala, Foussana, Bou Chebka and Tebessa (7.3.5)."""
    plain = reached("3423", HEAVY, all_but(WESTERN), rain)
    assert "4420" in plain
    assert "2631" in plain
    assert plain.isdisjoint({"2809", "2716", "2123", "1016"})


@pytest.mark.parametrize("name", WESTERN)
def test_each_pass_of_the_western_dorsal_lets_armour_through(name: str) -> None:
    """So that none of them can be left unguarded (7.3.5)."""
    assert {"2809", "1016"} <= reached("3423", HEAVY, all_but(WESTERN, {name}))


@pytest.mark.parametrize("rain", [DRY, RAIN])
def test_armour_crosses_the_eastern_dorsal_only_at_its_passes(rain: bool) -> None:
    """From the assembly area behind Faid to Sidi bou Zid (7.3.5, 18.1, 18.2.4)."""
    assert "5726" not in reached("6525", HEAVY, [*NORTH, *all_but(EASTERN)], rain)
    for name in EASTERN:
        assert "5726" in reached("6525", HEAVY, [*NORTH, *all_but(EASTERN, {name})], rain), name


def test_maizila_pass_opens_from_the_edge_of_the_map() -> None:
    """21st Panzer Division turns the other passes by it, as it did on 14 February (18.2.4)."""
    assert "5726" in reached("6034", HEAVY, [*NORTH, *all_but(EASTERN)])


def test_men_on_foot_cross_the_dorsals_anywhere() -> None:
    """They worked along the heights when the passes were shut (7.3.5)."""
    assert {"2809", "2716", "1016"} <= reached("3423", FOOT, all_but(WESTERN))
    assert "5726" in reached("6525", FOOT, [*NORTH, *all_but(EASTERN)])


def test_a_main_road_leads_through_each_great_pass() -> None:
    """By which supply comes too (6.2.3, 7.3.5)."""
    for hex in ("3119", "4109", "4006", "2325", "6324"):
        around = [BOARD.between(BOARD[hex], near) for near in BOARD.around(BOARD[hex])]
        assert sum("main road" in sides for sides in around) >= 2, hex
