"""Fog of war: what a side sees of the enemy, and what it may imagine (OCS 3(4))."""

from __future__ import annotations

import json
import random
from fractions import Fraction

from khamsin.games.tunisia import RULES, barrage, combat, estimate, hidden, strength
from khamsin.games.tunisia.barrage import Fire
from khamsin.games.tunisia.units import ALLIED, AXIS, BOARD, HIDDEN, NUMBER
from khamsin.kernel import EVERYONE, Match, SeededDice
from tests.rulebook.tunisia.table import drive, flags, game, match, number, where

HERE, THERE = "B58.05", "B59.06"
HALVES = ["27 MG/2 NZ [move]", "Maori Inf/2 NZ [move]", "NIH Arm [move]", "40 RTR Arm [move]"]
STACK = ["201 Gds Inf", "151 Inf/50 Inf", "64 Med Art", "Notts Arm [move]", "HQ 10"]


def test_the_enemy_sees_one_unit_that_could_attack() -> None:
    """The first in Combat Mode, rather one with a ZOC; of a base the first active aircraft (OCS 3(4))."""
    g = game({THERE: STACK, "B54.10": ["DAF P-40 US 1", "DAF A-20 BR 1"], HERE: ["47 Inf"]})
    stack = g.state.where.stacks(ALLIED)[BOARD[THERE]]
    first = hidden.top_unit(g.state.flags.__getitem__, stack)
    assert first in number("201 Gds Inf", "151 Inf/50 Inf")
    g.state.flags[first] |= RULES.flag["dg"]
    assert hidden.top_unit(g.state.flags.__getitem__, stack) in number("201 Gds Inf", "151 Inf/50 Inf")
    assert hidden.top_unit(g.state.flags.__getitem__, stack) != first
    seen = g.seen_by(AXIS).state
    assert [bool(seen.flags[unit] & HIDDEN) for unit in seen.where.stacks(ALLIED)[BOARD[THERE]]].count(False) == 1
    assert len(seen.where.stacks(ALLIED)[BOARD[THERE]]) == len(STACK)
    assert g.seen_by(ALLIED).state.flags == g.state.flags


def test_a_stack_without_attackers_in_combat_mode_shows_nobody() -> None:
    """Artillery, headquarters, units in Move, Strat or Reserve Mode, trucks (OCS 3(4))."""
    units = [
        "64 Med Art",
        "HQ 10",
        "Notts Arm [move]",
        "201 Gds Inf [reserve]",
        "L Force Inf [move, strat]",
        "Allied Truck 1",
    ]
    seen = game({THERE: units}).seen_by(AXIS).state
    assert all(seen.flags[NUMBER[unit.split(" [")[0]]] & HIDDEN for unit in units)
    assert not any(seen.flags[NUMBER["201 Gds Inf"]] & RULES.flag[word] for word in ("reserve", "move"))


def test_what_is_hidden_is_nowhere_in_the_view() -> None:
    """Which units, reserves, fuel, stocks, loads, supply, plans; two positions that differ in nothing else look the same
    (OCS 3(4), OCS 14.8)."""
    texts = []
    for units, tokens, plan in (
        (["201 Gds Inf", "Notts Arm [reserve]", "64 Med Art [fuel]"], 3, {"2-509 Para": 5}),
        (["201 Gds Inf", "64 Med Art", "Notts Arm [move]"], 9, {}),
    ):
        m = match(
            {THERE: units, HERE: ["47 Inf"], "Allied Dead Pile": ["2-509 Para"]}, allied={THERE: tokens}, axis={HERE: 8}
        )
        m.state.drop_hex.update(plan)
        m.state.drop_turn.update(plan)
        m.state.stock[NUMBER["64 Med Art"]] = tokens // 4
        texts.append(json.dumps(m.view(AXIS)))
    assert texts[0] == texts[1]
    assert all("reserve" not in unit["flags"] for unit in json.loads(texts[0])["units"])


def test_the_log_tells_the_enemy_only_what_is_seen() -> None:
    """That units move, not which (OCS 3(4))."""
    m = match({HERE: ["47 Inf", "Afrika Inf"], "B55.05": ["201 Gds Inf"]}, axis={HERE: 8})
    near = BOARD.name(BOARD.around(BOARD[HERE])[0])
    m.play(["47 Inf", near])
    own = [line["text"] for line in m.view(AXIS)["log"]]
    theirs = [line["text"] for line in m.view(ALLIED)["log"]]
    assert any("47 Inf" in text for text in own)
    assert theirs == [f"Units move from {HERE} to {near}"]


def test_what_a_side_imagines_looks_the_same_to_it() -> None:
    """Hidden units change places within the order of battle; those that are seen stay (OCS 3(4))."""
    m = Match(RULES, "mareth", dice=SeededDice(1))
    chance, changed = random.Random(1), 0
    for _ in range(5):
        other = hidden.imagine(m.state, AXIS, chance)
        assert hidden.conceal(other, AXIS) == hidden.conceal(m.state, AXIS)
        assert sorted(other.where[hidden.SPAN[ALLIED]]) == sorted(m.state.where[hidden.SPAN[ALLIED]])
        assert other.where[hidden.SPAN[AXIS]] == m.state.where[hidden.SPAN[AXIS]]
        changed += other.where != m.state.where
    assert changed == 5
    kept = frozenset(number("Maori Inf/2 NZ", "Art Rgt/51 Inf"))
    other = hidden.imagine(m.state, AXIS, chance, kept)
    assert all(other.where[unit] == m.state.where[unit] for unit in kept)


def test_odds_against_a_hidden_stack_are_a_range() -> None:
    """The same for all stacks of as many hidden units; exact where everything is seen (OCS 3(4))."""
    found = []
    for units in (
        ["201 Gds Inf", "Maori Inf/2 NZ [move]", "64 Med Art"],
        ["201 Gds Inf", "27 MG/2 NZ [move]", "HQ 10"],
    ):
        pool = {"B62.07": ["NIH Arm [move]", "40 RTR Arm [move]", "HQ 13", "HQ NZ"]}
        rest = {"B61.07": [unit for unit in ("Maori Inf/2 NZ [move]", "64 Med Art", "27 MG/2 NZ [move]", "HQ 10")
                           if unit not in units]}  # fmt: skip
        g = game({HERE: ["47 Inf", "Afrika Inf"], THERE: units, **pool, **rest}, phase="axis combat", axis={HERE: 8})
        found.append(combat.odds(g.seen_by(AXIS), AXIS, list(number("47 Inf", "Afrika Inf")), [BOARD[THERE]]))
    assert found[0] == found[1]
    assert " to " in found[0].column
    assert sum(found[0].outcomes.values()) == Fraction(1)
    assert [term.value for term in found[0].terms if term.rule == "OCS 3(4)"] != []
    g = game({HERE: ["47 Inf"], THERE: ["201 Gds Inf"]}, phase="axis combat", axis={HERE: 8})
    exact = combat.odds(g.seen_by(AXIS), AXIS, [NUMBER["47 Inf"]], [BOARD[THERE]])
    assert " to " not in exact.column
    assert [(term.text, term.value) for term in exact.terms if term.rule == "OCS 9(7)"] == [("7 to 6", exact.column)]


def test_barrages_of_hidden_stacks_are_a_range() -> None:
    """Density is known only as far as the stack is seen (OCS 3(4), OCS 17.2)."""
    crowd = ["201 Gds Inf", "L Force Inf", "151 Inf/50 Inf", "64 Med Art"]
    g = game({HERE: ["104 Art", "47 Inf"], THERE: crowd, "B62.07": HALVES}, axis={HERE: 8})
    found = estimate.preview_barrage(g.seen_by(AXIS), Fire(AXIS, number("104 Art"), BOARD[THERE]))
    assert " to " in found.column
    assert sum(found.outcomes.values()) == Fraction(1)
    terms = {term.text: term.value for term in found.terms}
    assert terms["density"] == "+0 to +1 column"
    assert [value for text, value in terms.items() if text.endswith(" points")] == ["column 17-24"]


def test_flags_of_a_seen_unit() -> None:
    """Its mode, DG and supply are seen, its fuel and stock are not (OCS 3(4))."""
    g = game({THERE: ["201 Gds Inf [dg, fuel]"]})
    g.state.stock[NUMBER["201 Gds Inf"]] = 1
    seen = g.seen_by(AXIS)
    assert flags(seen, "201 Gds Inf") == {"dg"}
    assert seen.state.stock[NUMBER["201 Gds Inf"]] == 0
    assert where(seen, "201 Gds Inf") == THERE


def test_in_combat_both_tell_strength_rating_and_anti_tank_level() -> None:
    """(OCS 3(4))"""
    g = game(
        {HERE: ["501 Pz", "47 Inf"], THERE: ["201 Gds Inf [dg]"]},
        axis={HERE: 8},
        allied={THERE: 4},
        phase="axis combat",
    )
    battle = strength.Attack(
        AXIS, number("501 Pz", "47 Inf"), BOARD[THERE], leader=NUMBER["501 Pz"], enemy_leader=NUMBER["201 Gds Inf"]
    )
    combat.roll(g, battle)
    told = [g.text(event) for event in g.events if event.rule == "OCS 3(4)"]
    assert told == [f"23 attack 3 in {THERE}, action ratings 5 to 3, no anti-tank defence"]


def test_of_a_barrage_both_are_told_the_strength() -> None:
    """Before its shifts; the guns are not named (OCS 3(4), OCS 17.2; series 4.9c)."""
    g = game({HERE: ["104 Art", "47 Inf"], THERE: ["201 Gds Inf"]}, axis={HERE: 8}, dice=[1, 1])
    drive(g, barrage.fire(g, Fire(AXIS, number("104 Art"), BOARD[THERE])))
    told = [g.text(event) for event in g.events if event.to == EVERYONE and "column" in g.text(event)]
    assert told == [f"Barrage of {THERE}: 17 points, column 12-16, no effect"]
