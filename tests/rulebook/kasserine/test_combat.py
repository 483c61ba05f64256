"""The Combat Phase up to its results, and combats before they are fought (12.0, 12.1, 12.5, 10.2.4)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest

from khamsin import games
from khamsin.games.kasserine import hidden, preview
from khamsin.games.kasserine.battle import Battle
from khamsin.games.kasserine.combat import prepare, resolve
from khamsin.games.kasserine.units import ALLIED, ASSAULT, AXIS, BOARD, FPF, NUMBER, UNTRIED, G, KasserineState
from khamsin.kernel import Match, SeededDice
from khamsin.mechanics.odds import mix
from tests.rulebook.kasserine.fights import fight, said, thala
from tests.rulebook.kasserine.table import flags, game, match, where


def fought(
    units: dict[str, list[str]], attackers: Sequence[str], hexes: Sequence[str], table: int = ASSAULT, **more: object
) -> Match[KasserineState]:
    """One combat of the Axis, as far as it goes without an answer."""
    side = "allied" if more.pop("allied", False) else "axis"
    g = game(units, phase=f"{side} combat", **more)  # type: ignore[arg-type]
    fight(g, attackers, hexes, table)
    return Match.at(g)


def settle(g: G, battle: Battle) -> None:
    """A combat in which nobody is asked but the attacker, and he only to roll."""
    assert list(prepare(g, battle)) == []
    assert [decision.rule for decision in resolve(g, battle)] == ["12.5.7"]


def test_combats_are_fought_one_by_one_in_the_order_the_attacker_likes() -> None:
    """(9.1.3, 12.0, 12.1.3)"""
    g = game(
        {"5131": ["2/26"], "5130": ["I/Jg"], "5126": ["3/26"], "5125": ["II/Jg"]}, phase="axis combat", dice=[6, 6]
    )
    fight(g, ["I/Jg"], ["5131"])
    fight(g, ["II/Jg"], ["5126"])
    m = Match.at(g)
    assert m.names == ["5131", "5126"]
    m.play(["5126", "attack"])
    assert said(m, "12.5.2")[0] == "4 against 5 in 5126: 1-2"


def test_odds_modifiers_die_and_result() -> None:
    """Before Thala: 7 against 6 is 1-1; 4, less 1 for Combined Arms, more 1 for hills, reads - (12.5.1-7)."""
    units = thala() | {"Axis Ready Box": ["1/90/10 fire [face down]"], "Allied Ready Box": []}
    m = fought(units, ["7/7/10", "2/K10/10"], ["2811"], weather=1, dice=[4])
    m.play(["1/90/10 fire", "2811", "attack"])
    assert said(m, "12.5.2") == ["7 against 6 in 2811: 1-1"]
    assert said(m, "16.2.1") == ["Combined Arms Bonus: -1"]
    assert said(m, "12.2.2") == ["hills in 2811: +1"]
    assert said(m, "12.5.7")[-1] == "2811: -"


def test_before_thala_the_stuka_decides() -> None:
    """Minus two for the Ju87 makes the 4 a 2: A1/D1R (12.5, example 17 combat 2811)."""
    units = thala() | {"Axis Ready Box": ["1/90/10 fire [face down]", "Ju87 a"], "Allied Ready Box": ["Hurricane"]}
    m = fought(units, ["7/7/10", "2/K10/10"], ["2811"], weather=1, dice=[3, 2, 4])
    m.play(["1/90/10 fire", "2811", "Hurricane", "Ju87 a", "attack"])
    assert said(m, "11.3.4") == ["attacking Close Air Support: -2"]
    assert said(m, "12.5.7")[-1] == "2811: A1/D1R"


def test_below_the_table_is_its_first_column_and_two_worse() -> None:
    """Fire and reaction may make it so (12.5.3, 9.1.3)."""
    units = {"5131": ["2/26", "33 FA fire [face down]"], "5132": ["33 FA [deployed]"], "5130": ["I/91"]}
    m = fought(units, ["I/91"], ["5131"], dice=[1])
    m.play(["attack"])
    assert said(m, "12.5.2") == ["1 against 8 in 5131: below 1-5"]
    assert said(m, "12.5.3") == ["odds below the table: +2"]
    assert said(m, "12.5.7")[-1] == "5131: A2R"


def test_odds_are_not_lowered_at_will() -> None:
    """Nothing in a combat asks for a column: 9 against 3 is fought at 3-1 (12.5.4, example 12.5.4)."""
    m = fought(
        {"5131": ["A/6a"], "5130": ["II/104B", "I/104B"], "5231": ["MG 8"]}, ["I/104B", "II/104B", "MG 8"], ["5131"]
    )
    assert m.names == ["attack"]
    m.play(["attack"])
    assert said(m, "12.5.2") == ["9 against 3 in 5131: 3-1"]


def test_untried_units_are_turned_up_when_the_odds_are_worked_out() -> None:
    """In attack and defence, for good (12.1.6, 4.2.2)."""
    units = {"5131": ["I/2 RTA [untried, quality 1]"], "5130": ["A24 [untried, quality 3]"]}
    m = fought(units, ["A24"], ["5131"], dice=[3])
    m.play(["attack"])
    assert said(m, "12.1.6") == ["A24 is Tried: 1-2", "I/2 RTA is Tried: 3-3"]
    assert said(m, "12.5.2") == ["1 against 3 in 5131: 1-3"]
    assert m.game.reveals
    assert "untried" not in flags(m.game, "I/2 RTA")


def test_an_untried_unit_of_which_nobody_knows_draws_when_it_is_turned_up() -> None:
    """As in a position that a side saw: from what is left in the cup (4.2.1, 12.1.6)."""
    units = {"5131": ["I/2 RTA [untried]"], "5130": ["A24 [untried, quality 3]"], "6127": ["II/2 RTA [quality 1]"]}
    m = fought(units, ["A24"], ["5131"], dice=[1, 3])
    m.play(["attack"])
    assert said(m, "12.1.6") == ["A24 is Tried: 1-2", "I/2 RTA is Tried: 2-3"]


def test_markers_are_turned_up_and_ready_again_if_their_guns_are_supplied() -> None:
    """Those of both sides; else they are used up (10.2.1, 10.2.4, 10.3.4)."""
    units = {
        "5131": ["2/26", "33 FA fire [face down]", "1/90/10 fire [face down]"], "5130": ["I/Jg"],
        "5132": ["33 FA [deployed]"], "5129": ["1/90/10 [deployed]"],
    }  # fmt: skip
    m = fought(units, ["I/Jg"], ["5131"], dice=[3])
    m.play(["attack"])
    assert said(m, "10.2.1")[:1] == ["1/90/10 fire supports 5131"]
    assert said(m, "10.3.4")[:1] == ["33 FA fire supports 5131"]
    assert where(m.game, "1/90/10 fire") == "Axis Ready Box"
    assert "face down" in flags(m.game, "1/90/10 fire")
    g = game(units, dice=[4])
    g.state.source.clear()
    settle(g, fight(g, ["I/Jg"], ["5131"]))
    assert where(g, "1/90/10 fire") == "Axis Used Box"
    assert "face down" not in flags(g, "1/90/10 fire")


def test_a_gun_attacked_alone_has_used_up_its_marker() -> None:
    """Though it is supplied (10.3.2)."""
    units = {"5131": ["33 FA [deployed]", "33 FA fire [face down]"], "5130": ["I/91"]}
    g = game(units, dice=[4])
    settle(g, fight(g, ["I/91"], ["5131"]))
    texts = list(map(g.text, g.events))
    assert "1 against 1 in 5131: 1-1" in texts
    assert "5131: -" in texts
    assert where(g, "33 FA fire") == "Allied Used Box"


def test_a_clone_goes_on_from_odds_that_are_known() -> None:
    """What has been turned up is known to both, who can go on in thought (10.3.4, 12.1.6)."""
    units = {"5131": [f"{unit} [untried, quality 1]" for unit in ("I/2 RTA", "II/2 RTA")], "5130": ["I/Jg"]}
    m = fought(units, ["I/Jg"], ["5131"])
    for side in (AXIS, ALLIED):
        assert m.imagined(side, random.Random(1), SeededDice(1)).decision == m.decision
    assert m.clone(SeededDice(1)).decision == m.decision


def test_nobody_who_fought_is_remembered_into_the_next_phase() -> None:
    """Markers, numbers and flags are gone (12.3.2, 13.1.4)."""
    m = fought({"5131": ["2/26"], "5130": ["I/Jg"]}, ["I/Jg"], ["5131"], dice=[5])
    while m.phase.name == "axis combat" and m.decision is not None:
        m.click(next(iter(m.decision.legal)))
    assert m.state.targets == m.state.tables == {}
    assert not any(m.state.battle)
    assert "fought" not in flags(m.game, "I/Jg")


@pytest.mark.parametrize(("answer", "strongpoint"), [("yes", []), ("no", ["strongpoint: +1"])])
def test_the_tiger_is_asked_about_the_strongpoint(answer: str, strongpoint: list[str]) -> None:
    """Before the die falls (16.3.1)."""
    units = {"5131": ["2/26"], "5130": ["1/501"]}
    m = fought(units, ["1/501"], ["5131"], strongpoints={"allied": ["5131"]}, dice=[5])
    m.play(["attack", answer])
    assert said(m, "14.2.2") == strongpoint


def test_mountain_effects_are_the_attackers_choice() -> None:
    """Minus one if he says so (16.6.3)."""
    units = {"3319": ["I/91"], "3320": ["Sau"]}
    for answer, found in (("yes", ["mountain units: -1"]), ("no", [])):
        m = fought(units, ["Sau"], ["3319"], dice=[4], allied=True)
        m.play(["attack", answer])
        assert said(m, "16.6.3") == found


def test_rommel_is_asked_for_his_bonus() -> None:
    """Once a turn, twice a game (15.5.2)."""
    m = fought({"5131": ["2/26"], "5130": ["I/Jg", "Rommel"]}, ["I/Jg"], ["5131"], dice=[4])
    m.play(["attack", "yes"])
    assert "Rommel: -1" in said(m, "15.5.2")
    assert m.state.bonus == 1


def test_an_attack_without_strength_is_not_made() -> None:
    """Halved to nothing at the moment of combat (3.5.3, 12.1.5, 6.5.1)."""
    g = game({"5131": ["2/26"], "5130": ["I/91"]}, phase="axis combat")
    g.state.source.clear()
    fight(g, ["I/91"], ["5131"])
    m = Match.at(g)
    assert said(m, "12.1.5") == ["No combat at 5131: no attack strength left"]
    assert m.state.targets == {}


def test_air_units_go_to_the_used_box_after_combat() -> None:
    """Never lost (11.3.5)."""
    units = {"5131": ["2/26"], "5130": ["I/Jg", "HQ 10 Pz"], "Axis Ready Box": ["Ju87 a"]}
    m = fought(units, ["I/Jg"], ["5131"], dice=[1, 6])
    m.play(["Ju87 a"])
    while m.phase.name == "axis combat" and m.decision is not None:
        m.click(next(iter(m.decision.legal)))
    assert where(m.game, "Ju87 a") == "Axis Used Box"


def test_the_preview_knows_no_hidden_marker() -> None:
    """A marker on the hex is any that could lie there: 2 or 3 points on 5 (10.3.4, 12.5.2)."""
    units = {
        "5131": ["2/26", "33 FA fire [face down]"], "5132": ["33 FA [deployed]", "F/12 RHA [deployed]"],
        "5130": ["I/Jg", "II/Jg"], "Allied Ready Box": ["F/12 RHA fire [face down]"],
    }  # fmt: skip
    m = match(units, phase="axis combat declaration")
    swapped = dict(units)
    swapped["5131"] = ["2/26", "F/12 RHA fire [face down]"]
    swapped["Allied Ready Box"] = ["33 FA fire [face down]"]
    other = match(swapped, phase="axis combat declaration")
    attack = ([NUMBER["I/Jg"], NUMBER["II/Jg"]], [BOARD["5131"]])
    odds = m.odds(AXIS, *attack)
    assert odds == other.odds(AXIS, *attack)
    assert odds.column == "1-1"
    assert any(term.value == "2 to 3" and term.rule == "10.3.4" for term in odds.terms)
    assert sum(odds.outcomes.values()) == 1


def test_the_preview_draws_for_untried_units() -> None:
    """Of fifteen two defend with 1, six with 2 and seven with 3, whatever this one is (4.2.3, 12.1.6)."""
    chances = []
    for quality in (1, 15):
        m = match(
            {"5131": [f"I/2 RTA [untried, quality {quality}]"], "5130": ["I/Jg"]}, phase="axis combat declaration"
        )
        assert m.state.flags[NUMBER["I/2 RTA"]] & UNTRIED
        odds = m.odds(AXIS, [NUMBER["I/Jg"]], [BOARD["5131"]])
        assert odds.column == "1-1 to 4-1"
        assert ("I/2 RTA, Untried", "1 to 3", "12.1.6") in odds.terms
        chances.append(odds.outcomes)
    assert chances[0] == chances[1]
    crt = games.load("kasserine").tables["assault"]
    drawn = {1: Fraction(2, 15), 2: Fraction(6, 15), 3: Fraction(7, 15)}
    assert chances[0] == mix((likely, crt.chances(crt.odds(4, strength))) for strength, likely in drawn.items())


def test_the_preview_counts_no_pair_of_markers_that_nations_forbid() -> None:
    """Of two hidden markers one is British: two US guns never fire together (10.3.4, 10.5.2)."""
    units = {
        "5131": ["2/26", "33 FA fire [face down]", "F/12 RHA fire [face down]"], "5130": ["I/Jg", "II/Jg"],
        "5132": ["33 FA [deployed]", "F/12 RHA [deployed]", "91 FA [deployed]", "1/26"],
        "Allied Ready Box": ["91 FA fire [face down]"],
    }  # fmt: skip
    g = game(units, phase="axis combat declaration")
    points = {unit: FPF[NUMBER[f"{unit} fire"]] for unit in ("33 FA", "91 FA", "F/12 RHA")}
    chances = preview.hidden_fire(g, fight(g, ["I/Jg", "II/Jg"], ["5131"]))
    pairs = [points["F/12 RHA"] + points[unit] for unit in ("33 FA", "91 FA")]
    assert chances == {sum: Fraction(pairs.count(sum), 2) for sum in pairs}
    assert points["33 FA"] + points["91 FA"] not in chances


def test_the_preview_lists_the_modifier_for_odds_below_the_table() -> None:
    """With hidden fire that may be there, with any that is (12.5.3)."""
    units = {
        "5131": ["2/26", "33 FA fire [face down]"], "5132": ["33 FA [deployed]", "F/12 RHA [deployed]"],
        "5130": ["I/91"], "Allied Ready Box": ["F/12 RHA fire [face down]"],
    }  # fmt: skip
    m = match(units, phase="axis combat declaration")
    odds = m.odds(AXIS, [NUMBER["I/91"]], [BOARD["5131"]])
    assert ("odds below the table", "+2", "12.5.3") in odds.terms
    assert ("assault table, net modifier", "+2", "12.5.6") in odds.terms
    crt = games.load("kasserine").tables["assault"]
    assert odds.outcomes == crt.chances(crt.odds(1, 9), 2)


@pytest.mark.parametrize(
    ("units", "attackers", "rule"),
    [
        ({"5131": ["2/26"], "5130": ["1/242 StuG"]}, ["1/242 StuG"], "12.3.4"),
        ({"5131": ["2/26", "3/26"], "5130": ["I/91"]}, ["I/91"], "9.1.4"),
        ({"2910": ["2/26"], "3011": ["I/91"]}, ["I/91"], "3.5.3"),
    ],
)
def test_the_preview_refuses_what_cannot_be_declared(
    units: dict[str, list[str]], attackers: list[str], rule: str
) -> None:
    """Artillery alone, too long odds, halved to nothing (9.1.4, 12.1.5, 12.3.4)."""
    m = match(units, phase="axis combat declaration")
    odds = m.odds(AXIS, [NUMBER[unit] for unit in attackers], [BOARD[next(iter(units))]])
    assert (odds.column, odds.outcomes, odds.terms[-1].rule) == ("not permitted", {}, rule)


def test_the_preview_refuses_a_unit_without_attack_strength() -> None:
    """(12.1.5)"""
    m = match({"5131": ["I/91"], "5130": ["XII ASC"]}, phase="allied combat declaration")
    odds = m.odds(ALLIED, [NUMBER["XII ASC"]], [BOARD["5131"]])
    assert (odds.column, odds.terms[-1].rule) == ("not permitted", "12.1.5")


def test_untried_units_draw_without_returning() -> None:
    """Two of three Afrika Marsch battalions have no strength twice, and one that is Tried has none to give (4.2.1, 4.2.3)."""
    one, other = NUMBER["A24"], NUMBER["A33"]
    g = game({"5130": ["A24 [untried, quality 1]", "A33 [untried, quality 2]"]})
    assert hidden.draws(g.state, [[one, other]], 0) == {(sum,): Fraction(1, 3) for sum in (3 + 2, 3 + 1, 2 + 1)}
    assert hidden.draws(g.state, [[one], [other]], 0)[3, 2] == Fraction(1, 6)
    g.state.flags[one] &= ~UNTRIED
    assert hidden.draws(g.state, [[other]], 0) == {(2,): Fraction(1, 2), (1,): Fraction(1, 2)}


def test_the_preview_says_what_cannot_be() -> None:
    """With the rule and what causes it (9.1.1, 9.1.6)."""
    m = match({"5131": ["2/26"], "5129": ["I/Jg"], "5130": ["1/7/10"]}, phase="axis combat declaration")
    odds = m.odds(AXIS, [NUMBER["I/Jg"]], [BOARD["5131"]])
    assert (odds.column, odds.terms[0].rule) == ("not permitted", "9.1.1")
    assert m.odds(AXIS, [NUMBER["1/7/10"]], [BOARD["5231"]]).terms[0].rule == "9.1.6"


def test_the_preview_uses_the_mobile_table_where_it_may() -> None:
    """Or the one that is declared (12.4)."""
    m = match({"5131": ["2/26"], "5130": ["1/7/10"]}, phase="axis combat declaration")
    attack = ([NUMBER["1/7/10"]], [BOARD["5131"]])
    assert "DR" in m.odds(AXIS, *attack).outcomes
    m.play(["5131", "assault"])
    assert "mobile" not in m.odds(AXIS, *attack).terms[-1].text
    assert m.state.tables == {"1": ASSAULT}
