"""Rommel (15.5): his bonus, and how he gets away."""

from __future__ import annotations

from khamsin.games.kasserine import arrival, headquarters
from khamsin.games.kasserine.units import ALLIED, AXIS, BOARD, NUMBER, G
from khamsin.games.kasserine.zones import zone
from tests.rulebook.kasserine.fights import fight
from tests.rulebook.kasserine.table import game, where

FRONT = {"2812": ["1/7/10", "Rommel"], "2912": ["2/7/10"], "2811": ["10 RB (-)"]}


def may_add(g: G, unit: str) -> bool:
    return headquarters.rommel_may_add(g, fight(g, [unit], ["2811"]))


def test_rommel_helps_an_attack_of_those_with_him_twice_a_game_and_once_a_turn() -> None:
    """An attack, not a defence (15.5.2, 15.5)."""
    g = game(FRONT, "axis combat")
    assert may_add(g, "1/7/10")
    assert not may_add(g, "2/7/10")
    headquarters.use_bonus(g)
    assert not may_add(g, "1/7/10")
    g.state.turn += 1
    assert may_add(g, "1/7/10")
    headquarters.use_bonus(g)
    g.state.turn += 1
    assert g.state.bonus == 0
    assert not may_add(g, "1/7/10")
    g = game(FRONT, "allied combat")
    assert not headquarters.rommel_may_add(g, fight(g, ["10 RB (-)"], ["2812"]))


def test_rommel_gets_away_from_an_enemy() -> None:
    """To the nearest supplied friendly unit, not to a nearer one out of supply (15.5.3)."""
    g = game({"2812": ["Rommel"], "2811": ["10 RB (-)"], "2401": ["1/7/10"], "3119": ["2/7/10"], "3220": ["3/7/10"]})
    assert not zone(g, AXIS)[BOARD["2812"]]
    arrival.arrive(g, ALLIED, [NUMBER["10 RB (-)"]], BOARD["2812"])
    assert where(g, "Rommel") == "3119"


def test_rommel_goes_to_the_nearest_unit_if_none_is_supplied() -> None:
    """Without any unit on the map he leaves it; he is never lost (15.5.3)."""
    g = game({"2812": ["Rommel"], "2811": ["10 RB (-)"], "2912": ["1/7/10"], "3220": ["3/7/10"]})
    g.state.source.clear()
    arrival.arrive(g, ALLIED, [NUMBER["10 RB (-)"]], BOARD["2812"])
    assert where(g, "Rommel") == "2912"
    g = game({"2812": ["Rommel"], "2811": ["10 RB (-)"]})
    arrival.arrive(g, ALLIED, [NUMBER["10 RB (-)"]], BOARD["2812"])
    assert where(g, "Rommel") == "Axis set-up card"


def test_rommel_stays_where_no_enemy_comes() -> None:
    """Nor do his own troops disturb him (15.5.3)."""
    g = game(FRONT)
    arrival.arrive(g, AXIS, [NUMBER["2/7/10"]], BOARD["2812"])
    arrival.arrive(g, ALLIED, [NUMBER["10 RB (-)"]], BOARD["2810"])
    assert where(g, "Rommel") == "2812"


def test_rommel_gets_away_from_who_only_passes() -> None:
    """An enemy that enters his hex and goes on displaces him too (15.5.3)."""
    g = game({"2812": ["Rommel"], "2811": ["C-2 Loth"], "3119": ["2/7/10"]})
    arrival.arrive(g, ALLIED, [NUMBER["C-2 Loth"]], BOARD["2912"], [BOARD["2812"]])
    assert where(g, "Rommel") == "3119"
