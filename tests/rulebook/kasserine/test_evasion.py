"""Combat evasion up to its result (9.2.1-4)."""

from __future__ import annotations

from khamsin.games.kasserine import evasion
from khamsin.games.kasserine.units import ALLIED, BOARD, FOUGHT, NUMBER, KasserineState
from khamsin.kernel import Match
from tests.rulebook.kasserine.fights import fight, said, why
from tests.rulebook.kasserine.table import flags, game, match

UNITS = {"5131": ["A/81 Rn"], "5030": ["B/81 Rn", "2/26"], "5130": ["I/Jg"]}


def attacked(dice: list[int], attackers: tuple[str, ...] = ("I/Jg",), **more: list[str]) -> Match[KasserineState]:
    """The Allied Reaction Phase after an attack on both hexes."""
    g = game(UNITS | more, phase="allied reaction", dice=dice)
    fight(g, list(attackers), ["5131", "5030"])
    return Match.at(g)


def test_units_with_a_rating_may_evade_before_combat() -> None:
    """Only where all in the hex have one, supplied or not; nobody has to (9.2, 9.2.1, 9.2.2)."""
    m = attacked([])
    assert set(m.names) == {"5131", "done"}
    assert why(m, "5030") == ("9.2.2", "2/26")
    assert why(m, "5130") == ("9.2.1", "5130")
    m.game.state.source.clear()
    assert list(evasion.may_evade(m.game, ALLIED)) == [BOARD["5131"]]


def test_no_evasion_without_an_attack() -> None:
    """The phase passes (9.2.1)."""
    m = match(UNITS, phase="allied reaction")
    assert m.decision is None or m.decision.rule != "9.2.3"


def test_a_die_above_the_rating_fails() -> None:
    """The units stand and fight, and do not try again (9.2.3, 9.2.4)."""
    m = attacked([4])
    m.play(["5131"])
    assert said(m, "9.2.4") == ["Evasion from 5131 fails"]
    assert "stood" in flags(m.game, "A/81 Rn") or m.phase.name != "allied reaction"
    assert m.state.targets.get(BOARD["5131"]) or m.phase.name != "allied reaction"


def test_a_die_up_to_the_rating_succeeds() -> None:
    """The hex is attacked no more (9.2.3, 9.2.4)."""
    m = attacked([3])
    m.play(["5131"])
    assert said(m, "9.2.4") == ["Units in 5131 evade"]


def test_a_better_rated_attacker_makes_it_harder() -> None:
    """One less on the die that is needed (9.2.3)."""
    g = game(UNITS | {"5130": ["3 AC", "I/Jg"]})
    fight(g, ["I/Jg"], ["5131"])
    assert evasion.highest(g, ALLIED, BOARD["5131"]) == 3
    fight(g, ["3 AC"], ["5131"])
    assert evasion.highest(g, ALLIED, BOARD["5131"]) == 2


def test_those_who_follow_fight_no_other_combat() -> None:
    """The rest of a combat goes on without them (9.2.6)."""
    g = game(UNITS | {"5130": ["I/Jg", "II/Jg"]})
    battle = fight(g, ["I/Jg", "II/Jg"], ["5131", "5030"])
    g.state.flags[NUMBER["I/Jg"]] |= FOUGHT
    evasion.release(g, battle, BOARD["5131"])
    assert g.state.targets == {BOARD["5030"]: 1}
    assert [g.state.battle[NUMBER[unit]] for unit in ("I/Jg", "II/Jg")] == [0, 1]
    g.state.flags[NUMBER["II/Jg"]] |= FOUGHT
    evasion.release(g, battle, BOARD["5131"])
    assert g.state.targets == {}


def test_reaction_follows_though_every_attack_was_evaded() -> None:
    """Combat was declared; and the phase asks the same when it is begun again (9.3.1)."""
    units = {"5131": ["A/81 Rn"], "5132": ["1/7/10"], "5025": ["D/13a [reserve]", "HQ 34"]}
    g = game(units, phase="allied reaction", dice=[1])
    fight(g, ["1/7/10"], ["5131"])
    m = Match.at(g)
    m.play(["5131", "5128", "done"])
    assert set(m.names) == {"D/13a", m.rules.board.name(m.state.where[NUMBER["D/13a"]]), "done"}
    assert m.restarted() == m.decision
