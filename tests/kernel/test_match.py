from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from khamsin.kernel import (
    EVERYONE,
    NOBODY,
    NOWHERE,
    Decision,
    Dice,
    Game,
    Illegal,
    KeyedDice,
    Match,
    Phase,
    Procedure,
    Refusal,
    ReplayDice,
    Rules,
    SeededDice,
)
from khamsin.kernel import position as positions
from tests.kernel.village import at_retreat, battle, eager, find, finish, snapshot, village
from tests.toy.skirmish import BLUE, BOARD, DONE, FIRE, MILITIA, MOVED, RED, RULES, TURNS

SEEDS = range(6)
every_seed = pytest.mark.parametrize("seed", SEEDS)


def test_a_match_begins_with_the_first_question_of_the_first_phase() -> None:
    match = village()
    assert (match.phase.name, match.state.turn, match.clicks) == ("red movement", 1, [])
    assert match.decision is not None
    assert (match.decision.side, match.decision.rule, match.decision.top) == (RED, "3", True)
    assert repr(match) == "<Match of skirmish village, turn 1, red movement: Move a unit, or end the phase>"


def test_a_match_knows_where_the_move_under_way_began() -> None:
    match = village()
    seen = [match.began]
    for click in ("R1", "0302", "R2"):
        match.play([click])
        seen.append(match.began)
    assert seen == [0, 0, 2, 2]


def test_a_match_of_its_own_dice_is_not_the_same_as_the_next() -> None:
    assert len({Match(RULES, "village").game.dice.commitment for _ in range(3)}) == 3  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("scenario", "options", "reason"),
    [
        ("siege", {}, "'siege': no such scenario of skirmish; there are village"),
        ("village", {"moon": "full"}, "'moon': no such option; there are weather"),
        ("village", {"weather": "snow"}, "weather='snow': expected one of dry, wet"),
    ],
)
def test_a_scenario_or_option_that_is_not_there_is_refused(scenario: str, options: dict[str, str], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Match(RULES, scenario, options)


def test_options_not_chosen_take_their_first_value() -> None:
    assert village().game.options == {"weather": "dry"}
    assert Match(RULES, "village", {"weather": "wet"}).game.options == {"weather": "wet"}


def test_a_click_moves_a_unit_and_says_so_in_the_log() -> None:
    match = village()
    match.play(["T1", "0405"])
    assert match.state.where[RULES.parse("T1")] == RULES.board["0405"]
    assert match.game.text(match.events[-1]) == "T1 moves to 0405 for 3"


def test_an_illegal_click_names_itself_the_reason_and_the_rule() -> None:
    match = village()
    match.play(["T1"])
    with pytest.raises(Illegal) as refused:
        match.play(["0408"])
    assert str(refused.value) == "T1 cannot move to 0408: 0405 is in the ZOC of M3 (3)"
    assert (refused.value.click, refused.value.rule) == ("0408", "3")


def test_a_name_that_nothing_has_is_refused() -> None:
    with pytest.raises(Illegal, match="no unit, hex, box or button of Skirmish is named R9"):
        village().play(["R9"])


def test_names_before_the_illegal_one_stay_played() -> None:
    match = village()
    with pytest.raises(Illegal):
        match.play(["T1", "0405", "M1"])
    assert len(match.clicks) == 2


@pytest.mark.parametrize("click", [-1, 10**6, "x", None, [1], 1.0, True])
def test_what_is_no_click_is_refused_as_illegal(click: Any) -> None:
    match = village()
    for name in ("T1", "0405"):
        with pytest.raises(Illegal, match="has no such unit, hex, box or button"):
            match.click(click)
        assert match.explain(click) == ("Skirmish has no such unit, hex, box or button", "", "")
        match.play([name])


def test_why_not_is_answered_with_reason_rule_and_cause() -> None:
    match = village()
    match.play(["T1"])
    assert match.explain(RULES.parse("0408")) == ("T1 cannot move to 0408: 0405 is in the ZOC of M3", "3", "M3")
    assert match.explain(RULES.parse("0206")).reason == "T1 cannot move to 0206: it is sea"
    assert match.explain(RULES.parse("0405")).reason == "It is legal"


def test_where_the_game_has_nothing_to_add_the_decision_itself_is_the_reason() -> None:
    match = village()
    assert match.explain(FIRE) == ("fire is not part of this decision: Move a unit, or end the phase", "3", "fire")
    assert match.decision is not None
    match.decision.why_not = None
    match.decision.legal = {1: None}
    assert match.explain(0) == ("Not a legal click of this decision: Move a unit, or end the phase", "3", "")
    match.decision.legal = {FIRE: None}
    assert match.explain(0) == ("Nothing on the map can be chosen now: choose a button", "3", RULES.names[0])


def test_asking_why_changes_nothing() -> None:
    match = at_retreat(0)
    before = snapshot(match)
    for click in range(len(RULES.names)):
        assert match.explain(click).reason
    assert snapshot(match) == before


def test_asking_why_cannot_change_the_game_even_where_nothing_is_hidden() -> None:
    def meddle(g: Game[Any], decision: Decision, click: int) -> None:
        g.state.steps[0] = 0

    match = village(rules=replace(RULES, explain=meddle, conceal=lambda state, side: state))
    match.explain(FIRE)
    assert match.state.steps[0] == 1


def test_the_side_that_is_not_asked_is_told_only_that() -> None:
    match = village()
    assert match.explain(RULES.parse("T1"), BLUE) == ("The decision is Red's", "3", "")
    assert match.explain(RULES.parse("T1"), RED).reason == "It is legal"


def test_odds_are_worked_out_from_what_a_side_knows() -> None:
    match = battle()
    units, places = [RULES.parse("T1")], [BOARD["0408"]]
    assert [term.value for term in match.odds(RED, units, places).terms] == ["6", "0"]
    assert [term.value for term in match.odds(BLUE, units, places).terms] == ["6", "4"]


@pytest.mark.parametrize(("units", "places"), [([FIRE], [0]), ([-1], [0]), ([0], [NOWHERE]), ([0], [10**6])])
def test_odds_of_what_is_no_unit_or_no_location_are_refused(units: list[int], places: list[int]) -> None:
    with pytest.raises(ValueError, match=r": expected a unit|: no location"):
        village().odds(RED, units, places)


def test_a_game_without_odds_says_so() -> None:
    with pytest.raises(ValueError, match="Skirmish has no odds"):
        village(rules=replace(RULES, odds=None)).odds(RED, [0], [0])


@pytest.mark.parametrize(
    "asked",
    [{"units": [-1]}, {"units": [12]}, {"units": {99: 3}}, {"locations": [NOWHERE]}, {"locations": {71: 1}}, {"buttons": [0]},
     {"buttons": [10**6]}],
    ids=str,
)  # fmt: skip
def test_what_is_no_unit_location_or_button_is_never_open(asked: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"in one \(1\)"):
        village().game.ask(RED, "one", "?", "1", **asked)


def test_hints_in_any_mapping_are_kept() -> None:
    asked = village().game.ask(RED, "one", "?", "1", units=OrderedDict({0: "a"}), locations=OrderedDict({0: "b"}))
    assert list(asked.legal.values()) == ["a", "b"]


def test_units_that_are_not_in_the_game_are_not_attacked() -> None:
    text = 'game = "skirmish"\nscenario = "village"\nphase = "red combat"\n[units]\n"0410" = ["T1"]\n'
    assert positions.read(text, find).names == ["done"]


def test_the_live_dice_are_refused_to_a_clone() -> None:
    match = village()
    with pytest.raises(ValueError, match="other dice than the live ones"):
        match.clone(match.game.dice)
    with pytest.raises(ValueError, match="other dice than the live ones"):
        match.imagined(RED, random.Random(1), match.game.dice)


def test_a_clone_has_a_question_of_its_own() -> None:
    match = village()
    clone = match.clone(SeededDice(1))
    before = match.names
    assert clone.decision is not None
    assert clone.decision is not match.decision
    clone.click(clone.decision.nth(0))
    assert match.names == before
    assert clone.clicks != match.clicks


def test_an_imagined_game_is_another_that_looks_the_same_to_its_side() -> None:
    match = village()
    imagined = [match.imagined(RED, random.Random(seed), SeededDice(1)) for seed in range(9)]
    assert len({tuple(other.state.strength) for other in imagined}) > 3
    for other in imagined:
        assert RULES.conceal(other.state, RED) == RULES.conceal(match.state, RED)
        assert other.decision == match.decision
    assert match.imagined(BLUE, random.Random(1), SeededDice(1)).state == match.state


@every_seed
def test_an_imagined_game_inside_a_procedure_stands_at_the_same_question(seed: int) -> None:
    match = at_retreat(seed)
    other = match.imagined(RED, random.Random(seed), SeededDice(1))
    assert other.decision == match.decision
    assert RULES.conceal(other.state, RED) == RULES.conceal(match.state, RED)
    finish(other, seed)


def test_the_other_side_is_asked_what_it_would_be_asked_in_the_imagined_game() -> None:
    def run(g: Game[Any]) -> Procedure:
        strong = [unit for unit in MILITIA if g.state.strength[unit] > 2]
        yield g.ask(BLUE, "one", "Which strong one?", "1", units=strong, top=True)

    match = village(rules=replace(RULES, phases=lambda state: (Phase("p", BLUE, run, "1"),)))
    for seed in range(9):
        other = match.imagined(RED, random.Random(seed), SeededDice(1))
        assert other.decision is not None
        assert all(other.state.strength[unit] > 2 for unit in other.decision.legal)


def test_what_cannot_be_imagined_is_refused() -> None:
    def flip(state: Any, side: int, chance: random.Random, kept: frozenset[int]) -> Any:
        state.where.reverse()
        return state

    with pytest.raises(ValueError, match="Red can imagine no state"):
        move_under_way(replace(RULES, imagine=flip)).imagined(RED, random.Random(1), SeededDice(1))


def move_under_way(rules: Rules[Any]) -> Match[Any]:
    other = battle(phase="red movement")
    match = Match.at(Game(rules, rules.scenario("village"), {"weather": "dry"}, other.top_level_state(), SeededDice(1)))
    match.play(["T1"])
    return match


@every_seed
def test_a_clone_after_a_die_has_fallen_asks_the_same(seed: int) -> None:
    match = at_retreat(seed)
    before = snapshot(match)
    clone = match.clone(SeededDice(seed))
    assert (clone.state, clone.decision, clone.clicks) == (match.state, match.decision, match.clicks)
    assert clone.game.dice.count == 0
    finish(clone, seed)
    assert clone.over
    assert snapshot(match) == before


def test_inside_a_later_move_the_state_at_its_beginning_is_found_again() -> None:
    match, before = village(), village()
    before.play(["T1", "0405", "T2", "0304"])
    match.play(["T1", "0405", "T2", "0304", "R1"])
    clone = match.clone(SeededDice(1))
    assert match.top_level_state() == clone.top_level_state() == before.state
    assert (clone.state, clone.decision) == (match.state, match.decision)


@every_seed
def test_a_clone_of_a_clone_is_as_good(seed: int) -> None:
    chance = random.Random(seed)
    to_come = [chance.randint(1, 6) for _ in range(100)]
    clone = at_retreat(seed).clone(ReplayDice(to_come))
    again = clone.clone(ReplayDice(to_come))
    for _ in range(40):
        assert (again.state, again.decision, again.clicks) == (clone.state, clone.decision, clone.clicks)
        if clone.decision is None:
            break
        click = eager(clone, chance)
        clone.click(click)
        again.click(click)
        again = again.clone(ReplayDice(to_come[clone.game.dice.count :]))


@every_seed
def test_clones_with_other_dice_see_other_rolls(seed: int) -> None:
    match = at_retreat(seed)
    one, two = match.clone(SeededDice(1)), match.clone(SeededDice(2))
    assert one.game.rolls == two.game.rolls != []
    finish(one, seed)
    finish(two, seed)
    assert one.game.rolls != two.game.rolls


@every_seed
def test_the_original_goes_on_with_its_own_dice_after_it_was_cloned(seed: int) -> None:
    match, untouched = at_retreat(seed), at_retreat(seed)
    finish(match.clone(SeededDice(1)), 1)
    finish(match, seed)
    finish(untouched, seed)
    assert snapshot(match) == snapshot(untouched)


def test_a_clone_of_a_finished_game_is_finished() -> None:
    match = village()
    finish(match, 1)
    clone = match.clone(SeededDice(1))
    assert clone.over
    assert clone.decision is None
    assert clone.result == match.result


class Fault(Exception):
    """A rule that breaks."""


class Trap:
    """Rules that break once, when armed: as a click comes in, or after it has been carried out."""

    def __init__(self) -> None:
        self.before = self.after = False
        self.rules = replace(RULES, phases=self.phases)

    def phases(self, state: Any) -> tuple[Phase, ...]:
        return tuple(phase._replace(run=self.breaking(phase.run)) for phase in RULES.phases(state))

    def breaking(self, run: Callable[[Any], Procedure]) -> Callable[[Any], Procedure]:
        def broken(g: Game[Any]) -> Procedure:
            inner = run(g)
            click: Any = None
            while True:
                try:
                    decision = inner.send(click)
                except StopIteration:
                    if self.after:
                        self.after = False
                        raise Fault from None
                    return
                if self.after and click is not None:
                    self.after = False
                    raise Fault
                click = yield decision
                if self.before:
                    self.before = False
                    raise Fault

        return broken

    def spring(self, match: Match[Any], click: int) -> None:
        """Click, with both kinds of fault before it succeeds."""
        for kind in ("before", "after"):
            setattr(self, kind, True)
            stands = snapshot(match)
            with pytest.raises(Fault):
                match.click(click)
            assert snapshot(match) == stands
        match.click(click)


@every_seed
@pytest.mark.parametrize("dice", [KeyedDice.seeded, SeededDice])
def test_a_fault_in_the_rules_leaves_the_match_as_it_was_with_the_same_dice_to_come(
    seed: int, dice: Callable[[int], Dice]
) -> None:
    """One game played twice: with a fault before and after every click, and without."""
    trap = Trap()
    match, sound = (Match(rules, "village", dice=dice(seed)) for rules in (trap.rules, RULES))
    chance = random.Random(seed)
    while sound.decision is not None:
        click = eager(sound, chance)
        sound.click(click)
        trap.spring(match, click)
        assert snapshot(match) == snapshot(sound)
    assert match.game.rolls


class FaultAtStart(Trap):
    """Rules that break as long as they are armed, whenever a phase starts."""

    armed = False

    def breaking(self, run: Callable[[Any], Procedure]) -> Callable[[Any], Procedure]:
        def broken(g: Game[Any]) -> Procedure:
            if self.armed:
                raise Fault
            yield from run(g)

        return broken


def test_a_fault_in_the_next_phase_leaves_the_match_as_it_was() -> None:
    trap = FaultAtStart()
    match = village(7, trap.rules)
    before = snapshot(match)
    trap.armed = True
    with pytest.raises(Fault):
        match.play(["done"])
    trap.armed = False
    assert snapshot(match) == before
    match.play(["T1", "0405"])


def test_a_fault_as_a_clone_starts_its_phase_leaves_no_move() -> None:
    trap = FaultAtStart()
    clone = village(7, trap.rules).clone(SeededDice(1))
    trap.armed = True
    with pytest.raises(Fault):
        clone.play(["T1"])
    trap.armed = False
    assert clone.moves == []
    clone.play(["T1", "0405"])


def test_a_clone_starts_its_phase_only_when_its_decision_is_wanted() -> None:
    trap = FaultAtStart()
    match = village(7, trap.rules)
    trap.armed = True
    clone = match.clone(SeededDice(1))
    with pytest.raises(Fault):
        clone.decision  # noqa: B018
    trap.armed = False
    assert clone.decision == match.decision


def test_a_question_without_an_answer_is_a_fault_of_the_rules() -> None:
    def silent(g: Game[Any]) -> Procedure:
        yield g.ask(RED, "one", "Well?", "9")

    with pytest.raises(RuntimeError, match="skirmish 9: a decision without a legal click: Well\\?"):
        Match(replace(RULES, phases=lambda state: (Phase("silent", RED, silent, "9"),)), "village")


@every_seed
def test_a_game_that_is_over_takes_no_click_and_no_undo(seed: int) -> None:
    match = village(seed)
    finish(match, seed)
    assert match.over
    assert match.result is not None
    before = snapshot(match)
    for click in range(len(RULES.names)):
        with pytest.raises(Illegal, match="The game is over") as refused:
            match.click(click)
        assert refused.value.rule == "7"
    with pytest.raises(Illegal):
        match.undo()
    assert snapshot(match) == before
    assert (match.names, match.moves, match.view(RED)["decision"]) == ([], [], None)
    assert ": over>" in repr(match)


@every_seed
@pytest.mark.parametrize(
    ("how", "side", "reason"), [("resign", RED, "Red resigns"), ("claim", BLUE, "Blue did not return in time")]
)
def test_a_side_that_concedes_loses_and_nothing_else_changes(seed: int, how: str, side: int, reason: str) -> None:
    match = at_retreat(seed)
    before = match.state.as_dict()
    match.concede(side, how)
    assert (match.over, match.conceded, match.result) == (True, (how, side), (1 - side, "", reason, ""))
    assert match.game.text(match.events[-1]) == reason
    assert match.state.as_dict() | {"result": None} == before
    assert (match.decision, match.moves) == (None, [])


def test_a_conceded_match_takes_no_click_no_undo_and_no_other_concession() -> None:
    match = village()
    match.play(["T1", "0405"])
    match.concede(RED, "resign")
    before = snapshot(match)
    with pytest.raises(Illegal, match="The game is over"):
        match.play(["T2"])
    with pytest.raises(Illegal):
        match.undo()
    with pytest.raises(ValueError, match="a match that is over cannot be conceded"):
        match.concede(BLUE, "resign")
    assert snapshot(match) == before


@pytest.mark.parametrize(("side", "how"), [(2, "resign"), (-1, "resign"), (RED, "flee")])
def test_a_concession_of_no_side_or_kind_is_refused(side: int, how: str) -> None:
    match = village()
    with pytest.raises(ValueError, match="expected one of"):
        match.concede(side, how)
    assert not match.over


@every_seed
def test_a_clone_and_the_position_of_a_conceded_match_are_over(seed: int) -> None:
    match = at_retreat(seed)
    top = match.top_level_state()
    match.concede(RED, "resign")
    clone = match.clone(SeededDice(1))
    assert (clone.state, clone.decision, clone.conceded) == (match.state, None, match.conceded)
    assert match.imagined(RED, random.Random(seed), SeededDice(1)).over
    for each in (match, clone, clone.clone(SeededDice(2))):
        again = positions.read(positions.write(each), find)
        assert again.result == match.result
        again.state.result = None
        assert again.state == top


def test_the_defender_wins_when_the_last_turn_ends() -> None:
    match = battle(phase="blue combat", turn=TURNS)
    match.play(["done"])
    assert match.result == (BLUE, "clear", "the village has held out", "7")
    assert match.view()["result"]["reason"] == "the village has held out"


def test_after_the_last_phase_the_next_turn_begins() -> None:
    match = battle(phase="blue combat")
    match.play(["done"])
    assert (match.state.turn, match.phase.name) == (3, "red movement")


def test_a_match_from_a_game_in_any_state_asks_what_its_phase_asks() -> None:
    match = battle()
    again = Match.at(
        Game(RULES, RULES.scenario("village"), {"weather": "dry"}, match.top_level_state(), KeyedDice.seeded(1))
    )
    assert again.decision == match.decision
    assert again.names == ["0408", "done"]
    assert (again.clicks, again.moves) == ([], [])


def test_a_match_from_a_state_past_its_phases_begins_the_next_turn() -> None:
    state = battle().top_level_state()
    state.phase = 4
    match = Match.at(Game(RULES, RULES.scenario("village"), {"weather": "dry"}, state, KeyedDice.seeded(1)))
    assert (match.state.turn, match.phase.name) == (3, "red movement")


def test_undo_takes_back_the_last_move_whole() -> None:
    match = village()
    match.play(["T1", "0405", "T2", "stay"])
    assert [move.clicks for move in match.moves] == [("T1", "0405"), ("T2", "stay")]
    match.undo()
    assert [move.clicks for move in match.moves] == [("T1", "0405")]
    match.undo()
    assert snapshot(match) == snapshot(village())


def test_undo_takes_back_a_move_under_way() -> None:
    match = village()
    match.play(["T1", "0405", "T2"])
    match.undo()
    assert match.decision is not None
    assert match.decision.prompt == "Move a unit, or end the phase"
    assert match.names == ["R1", "R2", "R3", "R4", "T2", "0401", "0501", "0301", "0601", "0302", "done"]


def test_undo_takes_back_an_earlier_move_and_keeps_the_later() -> None:
    match = village()
    match.play(["T1", "0405", "T2", "0304", "R1", "0402"])
    match.undo(0)
    alone = village()
    alone.play(["T2", "0304", "R1", "0402"])
    assert snapshot(match) == snapshot(alone)


def test_undo_of_a_move_that_a_later_one_needs_is_refused_with_the_reason() -> None:
    match = village()
    match.play(["T1", "0405", "R1", "0402", "R2", "0401", "R3", "0402"])
    before = snapshot(match)
    with pytest.raises(Illegal, match="A later move needs this one: 0402 would exceed 2 units") as refused:
        match.undo(0)
    assert refused.value.rule == "3"
    assert snapshot(match) == before


@pytest.mark.parametrize("number", [-1, 2])
def test_undo_of_a_move_that_is_not_there_is_refused_with_the_numbers_that_are(number: int) -> None:
    match = village()
    match.play(["T1", "0405", "T2", "0304"])
    with pytest.raises(Illegal, match=f"There is no move {number}: they are numbered from 0 to 1"):
        match.undo(number)


def test_undo_crosses_the_end_of_a_phase() -> None:
    match, moved = village(), village()
    match.play(["T1", "0405", "done"])
    moved.play(["T1", "0405"])
    assert match.phase.name != moved.phase.name
    assert [move.clicks for move in match.moves] == [("T1", "0405"), ("done",)]
    match.undo()
    assert snapshot(match) == snapshot(moved)


def test_undo_of_a_move_of_the_phase_before_keeps_the_end_of_the_phase() -> None:
    match, ended = village(), village()
    match.play(["T1", "0405", "R1", "0402", "done"])
    ended.play(["T1", "0405", "done"])
    match.undo(1)
    assert snapshot(match) == snapshot(ended)


def test_undo_does_not_cross_a_decision_of_the_other_side() -> None:
    match = village()
    match.play(["T1", "0405"])
    while match.decision is not None and match.decision.side == RED:
        match.play(["done"])
    with pytest.raises(Illegal, match="Nothing to undo since the last roll, reveal or enemy decision"):
        match.undo()


def test_a_button_that_belongs_to_the_decision_but_is_illegal_has_its_refusal() -> None:
    r1 = RULES.parse("R1")

    def why_not(g: Game[Any], decision: Decision, click: int) -> Refusal | None:
        return Refusal("0405 is overstacked", "3", "0405") if click == DONE else None

    def run(g: Game[Any]) -> Procedure:
        yield g.ask(RED, "one", "Move", "3", units=[r1], top=True, blocked=[DONE], why_not=why_not)

    match = one_phase(run)
    assert match.blocked() == {DONE: ("0405 is overstacked", "3", "0405")}
    assert match.explain(DONE) == ("0405 is overstacked", "3", "0405")
    with pytest.raises(Illegal, match="0405 is overstacked"):
        match.click(DONE)
    assert match.can_act() == [r1]


def test_the_units_that_can_still_act_are_those_the_decision_names() -> None:
    def run(g: Game[Any]) -> Procedure:
        yield g.ask(RED, "one", "Attack", "4", locations=[0], buttons=(DONE,), top=True, can_act=lambda g: [2, 3])

    assert one_phase(run).can_act() == [2, 3]


def test_a_click_of_the_wrong_class_is_refused_with_the_class_that_is_wanted() -> None:
    def run(g: Game[Any]) -> Procedure:
        yield g.ask(RED, "one", "Attack a hex", "4", locations=[g.state.where[0]], top=True)

    rules = replace(RULES, phases=lambda state: (Phase("p", RED, run, "1"),), explain=lambda g, decision, click: None)
    match = village(rules=rules)
    here = RULES.board.names[match.state.where[0]]
    assert match.explain(0) == (f"Choose its location: {here}", "4", here)
    assert match.explain(FIRE).reason == "fire is not part of this decision: Attack a hex"


def one_phase(run: Callable[[Game[Any]], Procedure]) -> Match[Any]:
    """The toy with a phase of the test's own."""
    return village(rules=replace(RULES, phases=lambda state: (Phase("p", RED, run, "1"),)))


def test_undo_does_not_reach_behind_the_end_of_the_game() -> None:
    def run(g: Game[Any]) -> Procedure:
        while True:
            yield g.ask(RED, "one", "Go on?", "1", buttons=(DONE,), top=True)
            g.state.flags[0] += 1
            if g.state.flags[0] == 3:
                g.end(RED, "clear", "enough", "7")

    match = one_phase(run)
    match.play(["done"] * 3)
    assert match.over
    assert match.moves == []


def test_undo_is_refused_where_it_would_join_two_later_moves() -> None:
    def run(g: Game[Any]) -> Procedure:
        flags = g.state.flags
        r1, r2, t1 = (RULES.parse(name) for name in ("R1", "R2", "T1"))
        while True:
            units = [unit for unit in (r1, r2, t1) if not flags[unit]]
            click = yield g.ask(RED, "one", "Who?", "1", units=units, buttons=(DONE,), top=True)
            flags[click] |= MOVED
            if click == r1 and not flags[t1]:
                other = yield g.ask(RED, "two", "With whom?", "1", units=[r2])
                flags[other] |= MOVED

    match = one_phase(run)
    match.play(["T1", "R1", "R2"])
    before = snapshot(match)
    with pytest.raises(Illegal, match="without it the later ones are not the same"):
        match.undo(0)
    assert snapshot(match) == before


def test_undo_is_refused_where_the_rules_break_without_the_move() -> None:
    def run(g: Game[Any]) -> Procedure:
        while True:
            click = yield g.ask(RED, "one", "Load or fire?", "1", buttons=(DONE, FIRE), top=True)
            g.state.flags[0] = 6 // g.state.flags[0] if click == FIRE else 1

    match = one_phase(run)
    match.play(["done", "fire"])
    before = snapshot(match)
    with pytest.raises(Illegal, match=r"A later move needs this one: .* by zero"):
        match.undo(0)
    assert snapshot(match) == before


def test_undo_does_not_reach_behind_a_die() -> None:
    match = battle()
    match.play(["0408"])
    assert [move.clicks for move in match.moves] == [("0408",)]
    match.play(["fire"])
    assert match.moves == []


@every_seed
def test_the_dice_to_come_are_the_same_after_an_undo(seed: int) -> None:
    """A game in which every move is made, taken back and made again rolls what the plain game rolls."""
    match, plain = village(seed), village(seed)
    chance = random.Random(seed)
    while match.decision is not None:
        click = chance.choice(list(match.decision.legal))
        match.click(click)
        plain.click(click)
        if match.moves and chance.random() < 0.5:
            last = match.moves[-1]
            match.undo()
            match.play(last.clicks)
        assert match.game.dice.count == len(match.game.rolls) == plain.game.dice.count
        assert match.game.rolls == plain.game.rolls


def test_a_view_shows_the_question_only_to_the_side_that_is_asked() -> None:
    match = village()
    assert match.view(RED)["decision"]["legal"]["units"].keys() == {"R1", "R2", "R3", "R4", "T1", "T2"}
    assert match.view(BLUE)["decision"] == match.view()["decision"] == {"side": "Red", "number": 0}


def test_a_decision_number_is_never_used_twice() -> None:
    match = village()
    match.play(["T1", "0405"])
    numbers = [match.number]
    match.undo()
    numbers.append(match.number)
    match.play(["T2", "0304"])
    numbers.append(match.view(RED)["decision"]["number"])
    assert sorted(set(numbers)) == numbers


def test_a_view_may_leave_out_the_lines_of_the_log_that_are_known() -> None:
    match = village()
    match.play(["T1", "0405", "T2", "0304"])
    log = match.view(BLUE)["log"]
    assert match.view(BLUE, since=len(log) - 1)["log"] == log[-1:]
    assert match.view(BLUE, since=len(log))["log"] == []


def test_what_is_for_nobody_is_seen_by_nobody() -> None:
    match = village()
    before = {side: match.view(side) for side in (RED, BLUE, EVERYONE)}
    match.game.log("6", "a unit is drawn face down", to=NOBODY)
    match.game.dice.two("draw", "6", to=NOBODY)
    assert {side: match.view(side) for side in (RED, BLUE, EVERYONE)} == before


@pytest.mark.parametrize(
    ("text", "data", "shown"),
    [
        ("{unit} in {hex} of {side}", {"unit": 0, "hex": 0, "side": 1}, "R1 in 0101 of Blue"),
        ("{unit} to {place}", {"unit": 0, "place": NOWHERE}, "R1 to off the map"),
        ("{unt} moves", {"unit": 0}, "{unt} moves"),
        ("{unit} and {side}", {"unit": -1, "side": EVERYONE}, "-1 and both sides"),
        ("{hex} is far", {"hex": 9999}, "{hex} is far"),
        ("half a {gap", {}, "half a {gap"),
        ("{0} {unit.name}", {"unit": 0}, "{0} {unit.name}"),
    ],
)
def test_an_event_can_always_be_told(text: str, data: dict[str, Any], shown: str) -> None:
    game = village().game
    game.log("1", text, **data)
    assert game.text(game.events[-1]) == shown


def test_a_game_tells_where_it_stands_in_its_repr() -> None:
    assert repr(village().game) == "<Game of skirmish village, turn 1, 4 rolls>"


def test_a_view_hides_what_has_not_been_shown() -> None:
    match = battle()
    strength = {side: _unit(match, side, "M1")["strength"] for side in (RED, BLUE, EVERYONE)}
    assert strength == {RED: 0, BLUE: 4, EVERYONE: 0}
    match.play(["0408", "fire"])
    assert _unit(match, RED, "M1")["strength"] == 4


def _unit(match: Match[Any], side: int, name: str) -> dict[str, Any]:
    return next(unit for unit in match.view(side)["units"] if unit["name"] == name)


def test_the_log_of_a_side_leaves_out_what_is_for_the_other() -> None:
    match = village()
    secret = [line["text"] for line in match.view(BLUE)["log"] if "strength" in line["text"]]
    assert len(secret) == 4
    assert match.view(RED)["log"] == match.view()["log"] == []


def test_a_view_is_not_the_state() -> None:
    match = village()
    before = snapshot(match)
    view = match.view(BLUE)
    view["units"].clear()
    view["state"]["attacked"]["0408"] = "Red"
    view["decision"]["number"] = 99
    assert snapshot(match) == before


def test_open_clicks_are_sorted_by_kind_with_their_hints() -> None:
    match = village()
    match.play(["T1"])
    kinds = match.legal_by_class()
    assert kinds["hexes"]["0405"] == 3
    assert kinds["buttons"] == {"stay": None, "cancel": None}
    assert kinds["units"] == {"T1": None}
    assert kinds["boxes"] == {}


def test_decisions_are_equal_when_they_ask_the_same() -> None:
    one, two = Decision(0, "one", "Well?", "1", {1: 2}), Decision(0, "one", "Well?", "1", {1: 2})
    assert one == two
    assert one != Decision(0, "one", "Well?", "1", {1: 3})
    assert one != Decision(0, "one", "Well?", "1", {1: 2}, top=True)


def test_a_name_used_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="'lost' is both a location and a button"):
        replace(RULES, buttons=("done", "lost"))


def test_a_side_is_found_in_any_case() -> None:
    assert RULES.side("BLUE") == BLUE
    with pytest.raises(ValueError, match="'green': no such side; there are Red, Blue"):
        RULES.side("green")


@pytest.mark.parametrize("click", [0, -1, len(RULES.names)])
def test_a_click_that_is_no_location_has_no_place(click: int) -> None:
    with pytest.raises(ValueError, match=f"{click}: not a click on a location"):
        village().game.location(click)


def test_every_name_is_a_click_of_its_own() -> None:
    rules: Rules[Any] = RULES
    assert [rules.parse(name) for name in rules.names] == list(range(len(rules.names)))
    assert rules.button("done") == rules.parse("done")
