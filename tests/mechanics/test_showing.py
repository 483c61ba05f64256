"""The display that games share: captions by kind, the path preview from a reach, supply and threat."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from khamsin.kernel import EVERYONE, NOWHERE, Decision, Match, SeededDice
from khamsin.kernel.display import GlossaryTerm, LayerLine, Note, Spot, Step
from khamsin.kernel.flood import CLOSED
from khamsin.kernel.pieces import Counter
from khamsin.mechanics import showing
from khamsin.mechanics.showing import Cut, Striker, SupplyState, Texts
from khamsin.mechanics.ways import Bar, Ground, Layout, Limit, Way, reach
from tests.toy.skirmish import BOARD, COUNTERS, NET, RED, RULES, SkirmishState

TOML = """
[sides]
people = ["Reds", "Blues"]

[badge.moved]
mark = "M"
text = "has moved: {left} MP left"
rule = "3"
tone = "note"

[caption.done]
any = "Done"
combat = "End combat"
"combat.advance" = "End advance"
some = "Done with {unit}"

[warning."combat.order"]
done = "The other combats are called off"
units = "{unit} in {hex} is removed"
hexes = "The works in {hex} are removed"
"""


@pytest.fixture
def texts(tmp_path: Path) -> Texts:
    file = tmp_path / "display.toml"
    file.write_text(TOML, encoding="utf-8")
    return Texts(file, BOARD, COUNTERS)


def asked(kind: str) -> Decision:
    return Decision(RED, kind, "", "3", {})


@pytest.mark.parametrize(
    ("kind", "caption"),
    [
        ("combat.advance", "End advance"),
        ("combat.advance.to", "End advance"),
        ("combat.target", "End combat"),
        ("move.to", "Done"),
        ("malta", "Done"),
    ],
)
def test_a_caption_is_that_of_the_kind_or_of_the_nearest_kind_above_it(texts: Texts, kind: str, caption: str) -> None:
    assert texts.caption(asked(kind), "done") == caption
    assert texts.caption(asked(kind), "done", "some", unit="R1") == "Done with R1"


def test_names_of_locations_units_and_sides(texts: Texts) -> None:
    assert (texts.called(BOARD["0408"]), texts.called(BOARD["0101"])) == ("the village (0408)", "0101")
    assert (texts.listed([0, 1]), texts.listed([0, 1, 2, 3])) == ("R1, R2", "R1, R2 and 2 more")
    assert (texts.the(1), texts.the(NOWHERE)) == ("the Blues", "nobody")
    assert texts.badge("moved", left=3).text == "has moved: 3 MP left"


def test_the_path_preview_is_the_reach_of_the_decision_and_what_is_legal_beside_it() -> None:
    """An overrun at the price that its hint names, anything else for all points left."""
    match: Match[SkirmishState] = Match(RULES, "village", dice=SeededDice(1))
    g, here = match.game, BOARD["0401"]
    g.state.where[0] = here
    closed = Layout(range(BOARD.size)).mask([BOARD["0404"]])
    way = Way(
        Ground(NET, Layout(range(BOARD.size)), BOARD.name), (here,), (Bar(CLOSED, closed, "3", ""), Limit(3, "3", ""))
    )
    legal = {g.place0 + BOARD["0403"]: 2, g.place0 + BOARD["0404"]: {"overrun": 2}, g.place0 + BOARD["0409"]: "one hex"}
    decision = Decision(RED, "move.to", "", "3", legal, about=(0,), reach=reach(way))
    found = showing.path_preview(g, decision)
    assert found[BOARD["0402"]] == Step(1, 2, here)
    assert found[BOARD["0403"]] == Step(2, 1, BOARD["0402"])
    assert found[BOARD["0404"]] == Step(2, 1, here)
    assert found[BOARD["0409"]] == Step(3, 0, here)
    door = {BOARD["0409"]: Step(3, 0, BOARD["0403"])}
    assert showing.path_preview(g, decision, beside=lambda g, decision: door)[BOARD["0409"]].before == BOARD["0403"]


def test_the_supply_layer_has_lines_cuts_and_barriers() -> None:
    cut = Cut(5, "R2: cut at 0103", "3", (5, 4, 3), 4)
    layer = showing.supply(lambda g, side: SupplyState([1, 2], [((1, 2), "R1")], [cut], {1: "source"}))
    match: Match[SkirmishState] = Match(RULES, "village", dice=SeededDice(1))
    made = layer(match.game, RED)
    assert made.spots == (
        Spot(1, "supply", "source"), Spot(2, "supply"), Spot(4, "closed", "barred"), Spot(5, "closed", "cut off"),
    )  # fmt: skip
    assert made.lines == (LayerLine((1, 2), "supply", "R1"), LayerLine((5, 4, 3), "closed", cut.text))
    assert made.notes == (Note(cut.text, "3", 5),)
    assert {spot.tone for spot in layer(match.game, EVERYONE).spots} == {"supply", "open", "closed"}


def test_the_threat_is_the_strongest_units_that_find_room() -> None:
    entrances = showing.entrances([[1], [0, 2], [1]])
    beside = showing.attackable(np.array([True, False, False]), entrances)
    assert beside.tolist() == [False, True, False]
    units = [Striker(strength, 1, beside) for strength in (2, 5, 3)]
    assert showing.striking(units, np.array([2, 2, 2])) == [0, 8, 0]


NAMES = """
[nations]
IN = "Indian"

[[full]]
name = '.. (?P<number>\\d+)/BDE'
symbol = "motorised infantry"
text = "{number:th} {nation} Motor Brigade"

[[full]]
name = '.. (?P<number>\\d+)/BDE'
text = "{number:th} {nation} Infantry Brigade"

[[full]]
name = '(?P<battalion>\\d)/(?P<regiment>\\d+)'
text = "{battalion:roman} Battalion, {regiment:th} Regiment ({parent})"
"""


@pytest.mark.parametrize(
    ("counter", "full"),
    [
        (Counter("IN 3/BDE", 0, "IN", "motorised infantry"), "3rd Indian Motor Brigade"),
        (Counter("IN 11/BDE", 0, "IN", "infantry"), "11th Indian Infantry Brigade"),
        (Counter("2/104", 0, parent="21 Pz"), "II Battalion, 104th Regiment (21 Pz)"),
        (Counter("Rommel", 0), "Rommel"),
    ],
)
def test_a_full_name_is_composed_by_the_first_row_that_fits(tmp_path: Path, counter: Counter, full: str) -> None:
    file = tmp_path / "display.toml"
    file.write_text(NAMES)
    assert Texts(file, BOARD, COUNTERS).full(counter) == full


def test_the_glossary_is_read_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "glossary.toml"
    file.write_text('[[term]]\nterm = "ZOC"\nforms = ["ZOCs"]\ntext = "Zone of control"\nrule = "3"\n')
    assert showing.glossary(file) == (GlossaryTerm("ZOC", "Zone of control", "3", ("ZOCs",)),)


def test_a_warning_names_the_unit_or_hex_that_is_given_up(texts: Texts) -> None:
    g = Match(RULES, next(iter(RULES.scenarios)), dice=SeededDice(1)).game
    unit, hex, done = 0, g.state.where[0], g.rules.button("done")
    decision = Decision(RED, "combat.order", "", "3", {unit: None, g.place0 + hex: None, done: None})
    name, place = g.rules.names[unit], BOARD.name(hex)
    found = texts.warnings(g, decision)
    assert found[done] == "The other combats are called off"
    assert found[unit].startswith(f"{name} in ")
    assert place in found[unit]
    assert place in found[g.place0 + hex]
    assert texts.warnings(g, Decision(RED, "combat.target", "", "3", {unit: None, done: None})) == {}


def test_printed_values_are_told_in_words_without_what_is_zero(tmp_path: Path) -> None:
    file = tmp_path / "display.toml"
    file.write_text(
        '[printed]\n"Strength" = "{attack}-{ma} {kind}"\nRange = "{range} hexes"\nReduced = "{reduced}"\n'
        '[values]\nkind = ["leg", "truck"]\n',
        encoding="utf-8",
    )
    counter = Counter("1 Inf", RED, factors={"attack": 3, "ma": 4, "kind": 1, "range": 0})
    assert Texts(file, BOARD, COUNTERS).printed(counter) == {"Strength": "3-4 truck"}


def test_a_full_name_spells_abbreviations_out(tmp_path: Path) -> None:
    file = tmp_path / "display.toml"
    file.write_text(
        """[words]\nMtn = "Mountain"\nInf = "Infantry"\nRgt = ""\n"""
        """[[full]]\nname = '(?P<number>\\d+) (?P<unit>.*)'\ntext = "{number:th} {unit} {size:title}"\n""",
        encoding="utf-8",
    )
    counter = Counter("756 Mtn Inf Rgt", RED, size="regiment")
    assert Texts(file, BOARD, COUNTERS).full(counter) == "756th Mountain Infantry Regiment"
