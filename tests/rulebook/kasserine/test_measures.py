"""What the laboratory counts: every combat that is fought, once, in its hex."""

from __future__ import annotations

from khamsin.games.kasserine.units import BOARD, KasserineState
from khamsin.kernel import Match
from khamsin.kernel.board import NOWHERE
from tests.rulebook.kasserine.fights import fight
from tests.rulebook.kasserine.table import game


def counted(match: Match[KasserineState]) -> list[str]:
    """The hexes that the laboratory finds in the log."""
    hexes = [match.rules.measures.battle(event) for event in match.events]
    return [BOARD.name(hex) for hex in hexes if hex != NOWHERE]


def test_every_combat_is_counted_once_when_it_is_fought() -> None:
    """(12.5.2)"""
    units = {"5131": ["2/26"], "5130": ["I/Jg"], "5126": ["3/26"], "5125": ["II/Jg"]}
    g = game(units, phase="axis combat", dice=[6, 6])
    fight(g, ["I/Jg"], ["5131"])
    fight(g, ["II/Jg"], ["5126"])
    m = Match.at(g)
    assert counted(m) == []
    m.play(["5126", "attack"])
    assert counted(m) == ["5126"]


def test_a_combat_for_several_hexes_is_counted_in_the_first_by_number() -> None:
    """(12.5.2)"""
    g = game({"5131": ["2/26"], "5129": ["3/26"], "5130": ["I/Jg"]}, phase="axis combat", dice=[6])
    fight(g, ["I/Jg"], ["5131", "5129"])
    m = Match.at(g)
    m.play(["attack"])
    assert counted(m) == ["5129"]


def test_an_attack_that_finds_nobody_is_not_counted() -> None:
    """(12.1.2)"""
    g = game({"5130": ["I/Jg"]}, phase="axis combat")
    fight(g, ["I/Jg"], ["5131"])
    m = Match.at(g)
    assert "12.1.2" in [event.rule for event in m.events]
    assert counted(m) == []
