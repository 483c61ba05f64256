"""The battle of Thala, click by click (17): GT 16 from its weather to the end of the Axis Operations Segment."""

from __future__ import annotations

from pathlib import Path

from khamsin import games
from khamsin.games.kasserine.units import KasserineState
from khamsin.kernel import Match, ReplayDice, SeededDice, position
from tests.rulebook.kasserine.fights import attack, said, why
from tests.rulebook.kasserine.table import flags, where

POSITION = Path(__file__).parent / "positions" / "thala.toml"

WEATHER = [3]
AIR_2811, ATTACK_2811 = [3, 2], [4]
AIR_2910, ATTACK_2910 = [4, 1, 2, 3], [4]
AIR_3010, ATTACK_3010 = [3, 2], [3]
"""The last die is 1 in the text, which forgets the Ju87 and so reads the 2 that 3 - 2 + 1 gives."""

STRATEGY = ["done", "10 RB (-)", "2/5 Lei (+)", "2/16"]
MOVEMENT = [
    "2/K10/10", "2812", "1/90/10", "change mode", "1/7/10", "2/7/10", "3/7/10", "5+6/69/10", "7+8/69/10", "2911",
    "1+2/86/10", "3+4/86/10", "3011", "2/90 Pzjg", "605 Pzjg", "3110", "2/90 Pzjg", "change mode", "605 Pzjg",
    "change mode", "done", "1/90 Pzjg", "done",
]  # fmt: skip
GROUP_B = ["1/7/10", "2/7/10", "3/7/10", "5+6/69/10", "7+8/69/10"]
ATTACKS = {
    "2811": ["7/7/10", "2/K10/10"],
    "2910": [*GROUP_B, "1+2/86/10", "3+4/86/10"],
    "3010": ["2/90 Pzjg", "605 Pzjg"],
}
REACTION = ["C-17/21 L", "2910"]
FIRST = ["1/90/10 fire", "2811", "2811", "Hurricane", "done", "Ju87 a", "done", "attack", "450/71 Fd", "7/7/10"]
SECOND = ["2910", "A-20 a", "A-20 b", "Ju87 b", "Ju87 c", "attack", "C-17/21 L", "C-17/21 L", "7+8/69/10"]
THIRD = ["Hurricane", "Ju87 c", "attack"]


def beginning() -> Match[KasserineState]:
    """The set-up of the example, with its dice."""
    game = position.read_game(POSITION.read_text(encoding="utf-8"), games.load)
    dice = [*WEATHER, *AIR_2811, *ATTACK_2811, *AIR_2910, *ATTACK_2910, *AIR_3010, *ATTACK_3010]
    game.use(ReplayDice(dice, SeededDice(0)))
    return Match.at(game)


def test_the_strategic_segment_before_thala() -> None:
    """Cloudy; all are supplied; two strongpoints are begun; reinforcements come, air units are ready and none interdicts
    (example 17 weather, example 17 supply, example 17 construction, example 17 arrivals)."""
    m = beginning()
    assert said(m, "5.1.1")[-1] == "The weather is Cloudy"
    assert not said(m, "6.1.4")
    m.play(STRATEGY)
    assert sorted(m.game.board.name(hex) for hex in m.state.works) == ["2811", "2910"]
    assert [where(m.game, unit) for unit in ("2/16", "34 FA", "Hurricane")] == ["1016", "Le Kef", "Allied Ready Box"]
    assert m.phase.name == "axis movement"


def test_the_axis_segment_before_thala() -> None:
    """The whole of it (example 17 movement, example 17 declaration, example 17 reaction, example 17 air 2811,
    example 17 combat 2811, example 17 FPF lost, example 17 air 2910, example 17 combat 2910, example 17 strongpoint lost,
    example 17 combat 3010, example 17 reserve move; 13.0)."""
    m = beginning()
    m.play(STRATEGY + MOVEMENT)
    assert "reserve" not in flags(m.game, "C-2 Loth")
    for hex, units in ATTACKS.items():
        attack(m, [hex], units, "assault")
    m.play(["done"])
    assert not m.state.works
    assert why(m, "C-2 Loth") == ("8.2.1", "C-2 Loth")
    m.play(REACTION)

    m.play(FIRST)
    assert said(m, "12.5.2") == ["7 against 6 in 2811: 1-1"]
    assert said(m, "12.5.7")[-1] == "2811: A1/D1R"
    assert "2909" in m.names
    m.play(["2909"])
    assert m.names == ["2/K10/10", "2811", "done"]
    m.play(["2811"])
    assert [where(m.game, unit) for unit in ("10 RB (-)", "2/K10/10", "Ju87 a")] == ["2909", "2811", "Axis Used Box"]
    assert said(m, "10.3.6") == ["90/23 Fd fire on 2910 is cancelled"]

    m.play(SECOND)
    assert said(m, "12.5.2")[-1] == "24 against 8 in 2910: 3-1"
    assert said(m, "12.5.7")[-1] == "2910: A1/D2R"
    assert "7+8/69/10 loses a step" in said(m, "13.2.1")
    assert where(m.game, "C-17/21 L") == "Allied out of play"
    m.play(["2909"])
    for unit in GROUP_B:
        m.play([unit])
    assert {where(m.game, unit) for unit in GROUP_B} == {"2910"}
    assert where(m.game, "1+2/86/10") == "3011"

    m.play(THIRD)
    assert said(m, "12.5.2")[-1] == "6 against 4 in 3010: 3-2"
    assert said(m, "12.5.7")[-1] == "3010: DR"
    assert why(m, "3009") == ("13.3.7", "3009")
    m.play(["2909"])
    assert where(m.game, "C-2 Loth") == "2909"
    assert m.phase.name == "axis reserve movement"
    assert where(m.game, "605 Pzjg") == "3110"

    m.play(["1/90 Pzjg"])
    assert why(m, "3010")[0] == "8.2.6"
    m.play(["3110", "done"])
    assert where(m.game, "1/90 Pzjg") == "3110"
    assert m.phase.name == "allied movement"
