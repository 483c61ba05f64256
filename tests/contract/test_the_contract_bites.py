"""Every test of the contract can fail: here is a game, or a match, that breaks what it asks for."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from inspect import signature
from itertools import islice
from typing import Any

import pytest

from khamsin.kernel import Decision, Game, Illegal, Match, Move, Procedure, Refusal, Rules
from khamsin.kernel.rules import Hint, WhyNot
from khamsin.mechanics import ways
from khamsin.mechanics.ways import Hold, Reach
from tests.contract import test_contract as contract
from tests.contract import test_hindrances as hindrances
from tests.toy.skirmish import BLUE, MILITIA, RED, RULES, set_up

Seen = Callable[[Game[Any], Decision], Decision]
Done = Callable[[Game[Any], int], None]


def meddled(ask: Seen = lambda g, decision: decision, answer: Done = lambda g, click: None) -> Rules[Any]:
    """The toy with every question, or every answer, passed through a function first."""

    def wrapped(run: Callable[[Any], Procedure]) -> Callable[[Any], Procedure]:
        def runs(g: Game[Any]) -> Procedure:
            inner = run(g)
            click: Any = None
            while True:
                try:
                    decision = inner.send(click)
                except StopIteration:
                    return
                click = yield ask(g, decision)
                answer(g, click)

        return runs

    return replace(RULES, phases=lambda state: tuple(p._replace(run=wrapped(p.run)) for p in RULES.phases(state)))


def reworded(decision: Decision, prompt: object, rule: str | None = None) -> Decision:
    return Decision(
        decision.side, decision.kind, str(prompt), decision.rule if rule is None else rule, decision.legal, decision.top
    )


def offers_what_it_refuses() -> Rules[Any]:
    def answer(g: Game[Any], click: int) -> None:
        if g.is_unit(click) and g.rules.counters[click].name == "T2":
            raise Illegal("T2", "it has broken down", "3")

    return meddled(answer=answer)


class Refusing(dict[int, Hint]):
    """Legal clicks that deny the last one they list."""

    def __contains__(self, click: object) -> bool:
        return super().__contains__(click) and click != list(self)[-1]


class Forgetful(dict[int, Hint]):
    """Legal clicks that do not list the last one they accept."""

    def __iter__(self) -> Iterator[int]:
        return islice(super().__iter__(), len(self) - 1)


class Miscounted(dict[int, Hint]):
    """Legal clicks that count one too many."""

    def __len__(self) -> int:
        return super().__len__() + 1


def with_legal(decision: Decision, kind: type[dict[int, Hint]]) -> Decision:
    return Decision(
        decision.side, decision.kind, decision.prompt, decision.rule, kind(decision.legal), decision.top, decision.about
    )


def lists_what_it_does_not_accept() -> Rules[Any]:
    return meddled(ask=lambda g, decision: with_legal(decision, Refusing))


def accepts_what_it_does_not_list() -> Rules[Any]:
    return meddled(ask=lambda g, decision: with_legal(decision, Forgetful))


def miscounts_what_it_lists() -> Rules[Any]:
    return meddled(ask=lambda g, decision: with_legal(decision, Miscounted))


def never_ends() -> Rules[Any]:
    return meddled(answer=lambda g, click: setattr(g.state, "turn", 1))


def ends_without_a_rule() -> Rules[Any]:
    return meddled(answer=lambda g, click: g.end(BLUE, "clear", "no reason", ""))


def asks_without_a_rule() -> Rules[Any]:
    return meddled(ask=lambda g, decision: reworded(decision, decision.prompt, ""))


def refuses_without_a_reason() -> Rules[Any]:
    return replace(RULES, explain=lambda g, decision, click: Refusal("", "3"))


def changes_things_when_asked_why() -> Rules[Any]:
    games: list[Game[Any]] = []

    def remembering(g: Game[Any]) -> None:
        games.append(g)
        set_up(g)

    def meddling(g: Game[Any], decision: Decision, click: int) -> Refusal | None:
        games[-1].state.steps[0] += 1
        return None

    return replace(RULES, set_up=remembering, explain=meddling)


def throws_dice_of_its_own() -> Rules[Any]:
    chance = random.Random(1)
    return meddled(answer=lambda g, click: setattr(g.state, "steps", [chance.randint(0, 1)] * len(g.state.steps)))


def remembers_outside_the_state() -> Rules[Any]:
    told: list[int] = []

    def ask(g: Game[Any], decision: Decision) -> Decision:
        told.append(1)
        return reworded(decision, f"Question {len(told)}")

    return meddled(ask=ask)


def keeps_a_variable_across_a_top_level_question() -> Rules[Any]:
    def counting(run: Callable[[Any], Procedure]) -> Callable[[Any], Procedure]:
        def runs(g: Game[Any]) -> Procedure:
            inner, click, asked = run(g), None, 0
            while True:
                try:
                    decision = inner.send(click)  # type: ignore[arg-type]
                except StopIteration:
                    return
                asked += decision.top
                click = yield reworded(decision, f"Question {asked}") if decision.top else decision

        return runs

    return replace(RULES, phases=lambda state: tuple(p._replace(run=counting(p.run)) for p in RULES.phases(state)))


def logs_each_time_a_phase_is_started() -> Rules[Any]:
    def loud(run: Callable[[Any], Procedure]) -> Callable[[Any], Procedure]:
        def runs(g: Game[Any]) -> Procedure:
            g.log("2", "a phase begins")
            yield from run(g)

        return runs

    return replace(RULES, phases=lambda state: tuple(p._replace(run=loud(p.run)) for p in RULES.phases(state)))


def hides_nothing() -> Rules[Any]:
    return replace(RULES, conceal=lambda state, side: state)


def asks_with_what_is_hidden() -> Rules[Any]:
    return meddled(ask=lambda g, decision: reworded(decision, [g.state.strength[unit] for unit in MILITIA]))


def explains_with_what_is_hidden() -> Rules[Any]:
    games: list[Game[Any]] = []

    def remembering(g: Game[Any]) -> None:
        games.append(g)
        set_up(g)

    def telling(g: Game[Any], decision: Decision, click: int) -> Refusal | None:
        strength = [games[-1].state.strength[unit] for unit in MILITIA]
        return Refusal(f"they are {strength}", "6") if g.is_unit(click) else None

    return replace(RULES, set_up=remembering, explain=telling)


def strengths(g: Game[Any]) -> list[int]:
    return [g.state.strength[unit] for unit in MILITIA]


def tells_what_is_hidden_at_a_click() -> Rules[Any]:
    return meddled(answer=lambda g, click: g.log("6", "psst: {strengths}", strengths=strengths(g)))


def tells_what_is_hidden_inside_a_procedure() -> Rules[Any]:
    return meddled(ask=lambda g, decision: decision if decision.top else reworded(decision, strengths(g)))


def tells_what_is_hidden_at_the_set_up() -> Rules[Any]:
    def loud(g: Game[Any]) -> None:
        set_up(g)
        g.log("6", "psst: {strengths}", strengths=strengths(g))

    return replace(RULES, set_up=loud)


def draws_openly() -> Rules[Any]:
    def drawn(g: Game[Any]) -> None:
        g.log("6", "drew {value}", value=g.dice.roll("draw", "6", to=BLUE))

    return replace(RULES, set_up=lambda g: (set_up(g), drawn(g))[0])


def keeps_something_undeclared() -> Rules[Any]:
    return meddled(answer=lambda g, click: setattr(g.state, "morale", 3))


def keeps_what_is_no_number() -> Rules[Any]:
    return meddled(answer=lambda g, click: setattr(g.state, "phase", bool(g.state.phase)))


def logs_with_a_gap() -> Rules[Any]:
    return meddled(answer=lambda g, click: g.log("3", "{unt} is clicked", unit=click))


def logs_without_a_rule() -> Rules[Any]:
    return meddled(answer=lambda g, click: g.log("", "a click"))


def calls_two_phases_alike() -> Rules[Any]:
    return replace(RULES, phases=lambda state: tuple(p._replace(name="combat") for p in RULES.phases(state)))


def finds_no_fault() -> Rules[Any]:
    return replace(RULES, find_fault=lambda g: "")


def loses_a_unit() -> Rules[Any]:
    return meddled(answer=lambda g, click: g.state.steps.pop() and None)


def puts_a_unit_off_the_board() -> Rules[Any]:
    return meddled(answer=lambda g, click: g.state.where.__setitem__(0, -2))


def doubles_the_steps_of_a_unit() -> Rules[Any]:
    return meddled(answer=lambda g, click: g.state.steps.__setitem__(0, 2))


def stacks_without_end() -> Rules[Any]:
    return meddled(answer=lambda g, click: g.state.where.__setitem__(slice(0, 3), [g.state.where[3]] * 3))


def has_flags_without_a_name() -> Rules[Any]:
    return replace(RULES, flags=())


@pytest.mark.parametrize(
    ("test", "broken"),
    [
        (contract.test_a_legal_click_is_never_refused_and_every_game_ends, offers_what_it_refuses),
        (contract.test_a_legal_click_is_never_refused_and_every_game_ends, never_ends),
        (contract.test_a_legal_click_is_never_refused_and_every_game_ends, ends_without_a_rule),
        (contract.test_legal_clicks_are_the_same_whether_listed_counted_or_asked_for_one_by_one,
         lists_what_it_does_not_accept),
        (contract.test_legal_clicks_are_the_same_whether_listed_counted_or_asked_for_one_by_one,
         accepts_what_it_does_not_list),
        (contract.test_legal_clicks_are_the_same_whether_listed_counted_or_asked_for_one_by_one,
         miscounts_what_it_lists),
        (contract.test_an_illegal_click_is_always_refused_with_a_reason_and_changes_nothing, asks_without_a_rule),
        (contract.test_an_illegal_click_is_always_refused_with_a_reason_and_changes_nothing, refuses_without_a_reason),
        (contract.test_an_illegal_click_is_always_refused_with_a_reason_and_changes_nothing, changes_things_when_asked_why),
        (contract.test_clone_and_original_diverge_only_where_clicked, throws_dice_of_its_own),
        (contract.test_clone_and_original_diverge_only_where_clicked, remembers_outside_the_state),
        (contract.test_the_replay_of_a_record_gives_the_identical_game, throws_dice_of_its_own),
        (contract.test_the_replay_of_a_record_gives_the_identical_game, remembers_outside_the_state),
        (contract.test_a_phase_started_again_asks_the_same, keeps_a_variable_across_a_top_level_question),
        (contract.test_the_last_move_taken_back_and_made_again_changes_nothing, logs_each_time_a_phase_is_started),
        (contract.test_the_last_move_taken_back_and_made_again_changes_nothing, remembers_outside_the_state),
        (contract.test_any_one_move_is_taken_back_or_refused_with_nothing_changed,
         keeps_a_variable_across_a_top_level_question),
        (contract.test_a_view_never_contains_what_its_side_may_not_know, hides_nothing),
        (contract.test_a_view_never_contains_what_its_side_may_not_know, asks_with_what_is_hidden),
        (contract.test_a_view_never_contains_what_its_side_may_not_know, explains_with_what_is_hidden),
        (contract.test_what_happens_next_tells_a_side_nothing_it_may_not_know, tells_what_is_hidden_at_a_click),
        (contract.test_what_happens_next_tells_a_side_nothing_it_may_not_know, tells_what_is_hidden_inside_a_procedure),
        (contract.test_odds_tell_a_side_nothing_it_may_not_know, hides_nothing),
        (contract.test_dice_that_a_side_has_not_seen_tell_it_nothing, tells_what_is_hidden_at_the_set_up),
        (contract.test_dice_that_a_side_has_not_seen_tell_it_nothing, tells_what_is_hidden_at_a_click),
        (contract.test_dice_that_a_side_has_not_seen_tell_it_nothing, draws_openly),
        (contract.test_a_state_holds_what_it_declares_and_nothing_else, keeps_something_undeclared),
        (contract.test_a_state_holds_what_it_declares_and_nothing_else, keeps_what_is_no_number),
        (contract.test_every_event_has_a_rule_and_a_text_without_gaps, logs_with_a_gap),
        (contract.test_every_event_has_a_rule_and_a_text_without_gaps, logs_without_a_rule),
        (contract.test_a_position_with_both_sides_in_a_hex_is_refused, finds_no_fault),
        (contract.test_units_are_neither_lost_nor_doubled, loses_a_unit),
        (contract.test_units_are_neither_lost_nor_doubled, puts_a_unit_off_the_board),
        (contract.test_units_are_neither_lost_nor_doubled, doubles_the_steps_of_a_unit),
        (contract.test_units_are_neither_lost_nor_doubled, stacks_without_end),
        (contract.test_a_position_file_gives_the_position_back, has_flags_without_a_name),
        (contract.test_a_position_file_gives_the_position_back, calls_two_phases_alike),
        (contract.test_a_position_file_gives_the_position_back, keeps_a_variable_across_a_top_level_question),
        (contract.test_a_match_conceded_at_any_decision_has_a_record_a_clone_and_a_position, throws_dice_of_its_own),
        (contract.test_a_match_conceded_at_any_decision_has_a_record_a_clone_and_a_position, has_flags_without_a_name),
    ],
    ids=lambda function: function.__name__.removeprefix("test_")[:40],
)  # fmt: skip
def test_a_broken_game_fails_it(
    test: Callable[[Rules[Any], int], None], broken: Callable[[], Rules[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = broken()
    monkeypatch.setattr(contract, "GAMES", [rules])
    monkeypatch.setattr(contract, "LONGEST", 300)
    assert fails(test, rules)


class Generous(Match[Any]):
    """A match that would take anything back."""

    @property
    def moves(self) -> list[Move]:
        return [Move(number, ()) for number in range(len(self.clicks))]


class Stubborn(Match[Any]):
    """A match that takes nothing back."""

    @property
    def moves(self) -> list[Move]:
        return []


@pytest.mark.parametrize("broken", [Generous, Stubborn])
def test_a_broken_match_fails_the_test_of_undo(broken: type[Match[Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract, "Match", broken)
    assert fails(contract.test_undo_is_open_exactly_while_nothing_stands_against_it, RULES)


def fails(test: Callable[[Rules[Any], int], None], rules: Rules[Any]) -> bool:
    """Whether a test of the contract fails with one of the first seeds."""
    for seed in range(4):
        try:
            test(rules, seed)
        except (AssertionError, LookupError, ValueError, pytest.fail.Exception):
            return True
    return False


def moving(change: Callable[[Decision, Reach], Decision]) -> Rules[Any]:
    """The toy with every decision to move changed."""
    return meddled(ask=lambda g, decision: change(decision, decision.reach) if decision.reach else decision)


def refusing(decision: Decision, reach: Reach, why_not: WhyNot | None = None) -> Decision:
    """A decision to move with another reach or other refusals."""
    return Decision(
        decision.side, decision.kind, decision.prompt, decision.rule, decision.legal, about=decision.about,
        why_not=why_not or decision.why_not, reach=reach,
    )  # fmt: skip


def names_a_later_hindrance_first() -> Rules[Any]:
    def why_not(g: Game[Any], decision: Decision, click: int) -> Refusal | None:
        way = decision.reach.way
        turned = way._replace(hindrances=way.hindrances[::-1])
        return ways.why_not(g, turned, g.location(click), "It") if g.place0 <= click < g.rules.first_button else None

    return moving(lambda decision, reach: refusing(decision, reach, why_not))


def shows_more_than_its_way_allows() -> Rules[Any]:
    def change(decision: Decision, reach: Reach) -> Decision:
        return refusing(decision, Reach(reach.way.but(Hold("3", "it is held", "R1")), reach.found, reach.count))

    return moving(change)


def refuses_what_is_legal() -> Rules[Any]:
    return moving(lambda decision, reach: refusing(decision, reach, lambda g, d, click: Refusal("No", "3")))


def refuses_differently_each_time() -> Rules[Any]:
    numbers = itertools.count()
    return replace(RULES, explain=lambda g, decision, click: Refusal(f"No {next(numbers)}", "3"))


@pytest.mark.parametrize(
    ("test", "broken"),
    [
        (hindrances.test_without_what_a_refusal_names_the_move_is_legal_or_refused_for_a_later_reason,
         names_a_later_hindrance_first),
        (hindrances.test_the_reach_of_a_decision_is_what_its_way_leads_to, shows_more_than_its_way_allows),
        (hindrances.test_a_click_has_a_refusal_exactly_if_it_is_illegal_and_always_the_same, refuses_what_is_legal),
        (hindrances.test_a_click_has_a_refusal_exactly_if_it_is_illegal_and_always_the_same, refuses_differently_each_time),
    ],
    ids=lambda function: function.__name__.removeprefix("test_")[:40],
)  # fmt: skip
def test_a_game_with_wrong_refusals_fails_it(
    test: Callable[..., None], broken: Callable[[], Rules[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hindrances, "REFUSALS", 60)
    walked = {"seed": 2} if "seed" in signature(test).parameters else {}
    with pytest.raises(AssertionError):
        test(broken(), **walked)


def test_the_toy_has_something_to_hide_and_to_imagine() -> None:
    state = contract.begun(RULES, 0).state
    assert any(RULES.imagine(state, RED, random.Random(seed)) != state for seed in range(9))
    assert RULES.imagine(state, BLUE, random.Random(1)) == state


def test_the_walks_fight_often_enough_to_meet_questions_after_a_die() -> None:
    retreats = 0
    for seed in contract.seeds(RULES):
        for match, _ in contract.walk(RULES, seed):
            retreats += match.decision is not None and match.decision.kind == "combat.retreat"
    assert retreats > 25


def test_every_test_of_the_contract_is_broken_here() -> None:
    marks = test_a_broken_game_fails_it.pytestmark  # type: ignore[attr-defined]
    bitten = {test.__name__ for test, _ in marks[0].args[1]}
    bitten.add(contract.test_undo_is_open_exactly_while_nothing_stands_against_it.__name__)
    assert bitten == {name for name in vars(contract) if name.startswith("test_")}
