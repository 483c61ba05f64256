"""What the laboratory counts: who is ahead, and every combat that is fought, once, in its hex."""

from __future__ import annotations

from khamsin.games.kasserine.metrics import lead
from khamsin.games.kasserine.scenario import SETTINGS
from khamsin.games.kasserine.units import BOARD, KasserineState
from khamsin.kernel import Match
from khamsin.kernel.board import NOWHERE
from tests.rulebook.kasserine.fights import fight
from tests.rulebook.kasserine.table import game


def counted(match: Match[KasserineState]) -> list[str]:
    """The hexes that the laboratory finds in the log."""
    hexes = [match.rules.metrics.battle(event) for event in match.events]
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


def test_the_axis_is_as_far_behind_as_it_is_short_of_locations_and_ahead_when_it_would_win() -> None:
    """(18.1.5, 18.2.6)"""
    places = [BOARD.name(hex) for hex in SETTINGS["faid"].victory]
    others = [place for place in places if place != "6324"]
    leads = [lead(game({}, scenario="faid", turn=2, axis=held)) for held in ([], ["6324"], ["6324", *others[:3]])]
    assert leads == [-3.5, -2.5, 0.5]
    assert lead(game({}, scenario="faid", turn=2, axis=others)) == -0.5


def test_before_the_plan_is_drawn_the_easiest_conditions_count() -> None:
    """(18.2.6, 18.2.7)"""
    places = [BOARD.name(hex) for hex in SETTINGS["campaign"].victory if BOARD.name(hex) not in ("5706", "1016")]
    assert lead(game({}, turn=8, axis=places[:3])) == -0.5
    assert lead(game({}, turn=8, axis=places[:4])) == 0.5
    assert lead(game({}, turn=16, plan=2, axis=places[:4])) == -0.5
