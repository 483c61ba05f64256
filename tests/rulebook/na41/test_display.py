"""What players see: buttons by side, and the sheets of combats."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from khamsin.games.na41 import RULES, breakthrough, combat, movement, resources
from khamsin.games.na41.advance import Pursuit
from khamsin.games.na41.display import DISPLAY
from khamsin.games.na41.plan import Plan
from khamsin.games.na41.units import ALLIED, AXIS, BOARD, COUNTERS, NUMBER
from khamsin.kernel.dice import KeyedDice
from khamsin.kernel.display import Step
from khamsin.kernel.match import Match
from khamsin.kernel.rules import Decision
from khamsin.mechanics import combats
from tests.rulebook.na41 import field
from tests.rulebook.na41.table import match


def buttons(decision: Decision | None) -> set[str]:
    """The buttons of a decision, legal or not."""
    assert decision is not None
    return {RULES.names[button] for button in (*decision.buttons, *decision.legal) if button >= RULES.first_button}


def test_a_side_sees_the_buttons_that_can_apply_to_it() -> None:
    """The railway is Allied; Rommel, Comando Supremo and Air Transport are of the Axis (5.9.1, 8.4.1, 18.5, 18.7.6)."""
    m = match({"2526": ["8 MG/5L"], "2560": ["22 Gds"]})
    assert {"fly", "comando"} < buttons(m.decision)
    assert "rail" not in buttons(m.decision)
    m.play(["8 MG/5L"])
    assert "rommel" in buttons(m.decision)
    assert "rail" not in buttons(m.decision)
    m = match({"2526": ["8 MG/5L"], "2560": ["22 Gds"]}, phase="impulse 1 allied movement")
    assert "rail" in buttons(m.decision)
    assert not {"fly", "comando"} & buttons(m.decision)
    m.play(["22 Gds"])
    assert "rail" in buttons(m.decision)
    assert "rommel" not in buttons(m.decision)


@pytest.mark.parametrize(
    ("scenario", "first", "last"), [("enter-rommel", 1, 7), ("campaign", 1, 19), ("crusader", 17, 19)]
)
def test_the_turn_track_has_the_turns_of_the_scenario(scenario: str, first: int, last: int) -> None:
    """(3.1, S1, S2, S3)"""
    dates = DISPLAY.turns(Match(RULES, scenario, dice=KeyedDice.seeded(1)).game)
    assert [turn for turn, date in enumerate(dates, 1) if date] == list(range(first, last + 1))


def test_a_summer_turn_shows_that_its_second_impulse_is_skipped() -> None:
    """(3.1)"""
    for turn, impulse, shown in ((7, 2, "2 of 3"), (8, 3, "3 of 3, no 2nd")):
        m = match({"2526": ["8 MG/5L"]}, turn=turn, phase="impulse 3 axis movement", impulse=impulse)
        assert next(track.value for track in DISPLAY.tracks(m.game, AXIS) if track.title == "Impulse") == shown


def test_the_resource_list_names_what_a_side_can_buy() -> None:
    """(23.2.2)"""
    for side, absent in ((AXIS, {"lrdg", "malta", "allied air"}), (ALLIED, {"u-boats", "comando", "german air"})):
        g = field.game({}, rp={"Axis": 1, "Allied": 1})
        found = buttons(field.drive(resources.spend(g, side)))
        assert not absent & found
        assert {"bomb", "truck", "headquarters"} < found


def test_a_sheet_shows_what_open_choices_change() -> None:
    """Attack Supply and the artillery of both sides (8.3, 8.5.1, 9.4.1)."""
    m = match(
        {"2041": ["I/8/15"], "2040": ["Arko 104"], "2042": ["16 Br"], "2043": ["7 Med"]}, phase="impulse 1 axis combat"
    )
    assert m.decision is not None
    (sheet,) = DISPLAY.sheets(m.game, m.decision, RULES.parse("2042"))
    assert [option.text for option in sheet.options] == [
        "without Attack Supply", "with artillery", "if the defender uses artillery",
    ]  # fmt: skip


def test_an_illegal_attack_is_offered_no_choice_that_leaves_it_illegal() -> None:
    """Neither Attack Supply nor artillery raises the odds before shifts (8.8.3)."""
    m = match(
        {"2041": ["I/8/15"], "2040": ["Arko 104"], "2042": ["16 Br"], "2043": ["7 Med"]}, phase="impulse 1 axis combat"
    )
    m.state.draft = combats.Combat(0, AXIS, (NUMBER["Arko 104"],), (BOARD["2042"],))
    assert m.decision is not None
    (sheet,) = DISPLAY.sheets(m.game, m.decision, -1)
    assert sheet.odds.reason
    assert all(option.odds.reason or option.text.startswith("Add ") for option in sheet.options)


def test_a_sheet_stays_while_attack_supply_and_support_are_chosen() -> None:
    """With what each choice would change, for the attacker and then the defender (8.3, 8.5.1, 9.4.1)."""
    g = field.game(
        {"2041": ["I/8/15", "104/15"], "2040": ["Arko 104"], "2042": ["16 Br"], "2043": ["7 Med"]},
        supply={"Axis": {"2040": 2}}, dice=[1],
    )  # fmt: skip
    phase = combat.combat(g, AXIS)
    decision = field.drive(phase, ["2042", "done"])
    seen = []
    for click in ("2040", "Arko 104", "done"):
        assert decision is not None
        (now,) = DISPLAY.sheets(g, decision, -1)
        (then,) = DISPLAY.sheets(g, decision, field.RULES.parse(click))
        options = [(option.text, option.odds.column) for option in now.options]
        seen.append((decision.kind, decision.side, now.odds.column, then.odds.column, options))
        decision = phase.send(field.RULES.parse(click)) if click != "done" else None
    assert seen == [
        ("combat.supply", AXIS, "5-1", "5-1", [("without Attack Supply", "2-1")]),
        ("combat.support", AXIS, "5-1", "6-1", [("with artillery", "6-1")]),
        ("combat.support", ALLIED, "6-1", "6-1", [("with artillery", "5-1")]),
    ]


def test_a_source_of_attack_supply_says_what_it_costs() -> None:
    """An ASU is flipped, a Supply Point removed (8.5.1, 17.1.1, 17.2.2)."""
    g = field.game(
        {"2041": ["I/8/15", "104/15"], "2040": ["Arko 104"], "2042": ["16 Br"]}, supply={"Axis": {"2040": 2}}, dice=[1]
    )
    decision = field.drive(combat.combat(g, AXIS), ["2042", "done"])
    assert decision is not None
    hints = {field.RULES.names[click]: hint for click, hint in decision.legal.items()}
    assert hints == {"Arko 104": "becomes Depleted", "2040": "1 of 2 Supply Points", "none": None}


def test_the_button_that_goes_on_says_what_follows() -> None:
    """(9.4.1, 15.2.1, 15.2.3)"""
    g = field.game(
        {"2041": ["I/8/15", "104/15"], "2040": ["Arko 104"], "2042": ["16 Br"]}, supply={"Axis": {"2040": 2}}, dice=[1]
    )
    asked = field.drive(combat.combat(g, AXIS), ["2042", "done", "2040"])
    assert asked is not None
    captions = [DISPLAY.caption(g, asked, "done")]
    g = field.game({"2041": ["I/8/15", "104/15"], "2044": ["1 RB", "1 KRRC"]})
    for clicks in ([], ["2041"]):
        p = Pursuit(g, AXIS, field.units("I/8/15", "104/15"), BOARD["2042"], 4, supplied=True)
        asked = field.drive(breakthrough.breakthrough(g, p), clicks)
        assert asked is not None
        captions.append(DISPLAY.caption(g, asked, "done"))
    assert captions == ["Resolve combat", "No breakthrough", "Form group"]


def test_an_automatic_ds_says_its_odds() -> None:
    """On its button, in its prompts and on the button that declares it (8.9.1)."""
    stacks = {"2041": ["I/8/15", "104/15"], "2142": ["K15/15", "33/15"], "2042": ["1 THR"]}
    m = match(stacks, phase="impulse 1 axis movement")
    assert m.decision is not None
    assert DISPLAY.caption(m.game, m.decision, "auto ds") == "Automatic DS (10-1)"
    m.play(["auto ds"])
    assert "10-1" in m.decision.prompt
    m.play(["2042"])
    assert "10-1" in m.decision.prompt
    assert DISPLAY.caption(m.game, m.decision, "done") == "Declare Automatic DS"


def test_a_breakthrough_combat_has_a_sheet() -> None:
    """With the Attack Supply of the first attack (15.2.8)."""
    for supplied, column in ((True, "5-1"), (False, "2-1")):
        g = field.game({"2041": ["I/8/15", "104/15"], "2044": ["1 RB", "1 KRRC"]})
        p = Pursuit(g, AXIS, field.units("I/8/15", "104/15"), BOARD["2042"], 4, supplied=supplied)
        decision = field.drive(breakthrough.breakthrough(g, p), ["2041", "done", "2042", "2043"])
        assert decision is not None
        (sheet,) = DISPLAY.sheets(g, decision, field.RULES.parse("2044"))
        assert sheet.odds.column == column


def test_every_button_of_a_moving_stack_is_one_of_a_side() -> None:
    """(5.1)"""
    assert {word for words in movement.ACTIONS_OF for word in words} == {*movement.ACTIONS}
    assert {word for words in movement.EXTRAS_OF for word in words} == {*movement.EXTRAS}


def test_full_names_follow_the_abbreviations_of_the_rulebook() -> None:
    """A battalion is not called a brigade (2.3.2)."""
    full = {name: DISPLAY.full(COUNTERS[NUMBER[name]]) for name in ("RG", "RC", "Bach", "1 RB", "65 Triest")}
    assert full == {
        "RG": "Italian Romolo Gessi Group, RECAM",
        "RC": "Italian Royal Carabinieri Parachute Battalion, RECAM",
        "Bach": "German Kampfgruppe Bach",
        "1 RB": "1st Battalion, Rifle Brigade",
        "65 Triest": "65th Motorised Infantry Regiment, Trieste Division",
    }


def test_the_path_shown_is_the_path_taken() -> None:
    """By Tactical Movement, MPs, Extended Movement and the Road Bonus (5.2.2, 5.3, 5.4)."""
    for unit, hex, enemies, kinds in (
        ("42 RTR", "2345", {}, {"2146": "Tactical Movement", "1846": "", "1645": "Extended Movement"}),
        ("22 Gds", "2560", {}, {"2361": "Tactical Movement", "2362": "", "2266": "Road Bonus"}),
        ("11 Hus", "2645", {"2744": ["GAF"]}, {"2646": "Tactical Movement"}),
    ):
        m = match({hex: [unit], **enemies}, phase="impulse 1 allied movement", turn=17)
        m.play([unit])
        assert m.decision is not None
        steps = DISPLAY.reach(m.game, m.decision)
        assert {place: steps[BOARD[place]].how for place in kinds} == kinds
        plan = Plan(m.game, ALLIED, [NUMBER[unit]])
        for click in m.decision.legal:
            if RULES.units <= click < RULES.first_button:
                assert shown(steps, plan.start, click - RULES.units) == plan.path(click - RULES.units)


def shown(steps: Mapping[int, Step], start: int, location: int) -> list[int]:
    """The path that a preview gives to a location, without its start."""
    path = [location]
    while steps[path[0]].before != start:
        step = steps[path[0]]
        if step.path:
            return [*step.path[1:], *path]
        path.insert(0, step.before)
    return path
