"""What must hold of every game, whatever its rules. Each test walks random games and looks at every question."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from typing import Any

import pytest

from khamsin import games
from khamsin.kernel import EVERYONE, NOWHERE, Illegal, KeyedDice, Match, Rules, SeededDice
from khamsin.kernel import position as positions
from khamsin.kernel import record as records
from tests.toy.skirmish import RULES as SKIRMISH

GAMES: list[Rules[Any]] = [SKIRMISH, *(games.load(game) for game in games.playable() if game in games.TITLES)]
SEEDS = range(200 if os.environ.get("KHAMSIN_SOAK") else 12)
LONGEST = 200_000

every_game = pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.id)
every_seed = pytest.mark.parametrize("seed", SEEDS)


def find(game: str) -> Rules[Any]:
    """Any game, the toy among them."""
    return next((rules for rules in GAMES if rules.id == game), None) or games.load(game)


def walk(rules: Rules[Any], seed: int, scenario: str = "") -> Iterator[tuple[Match[Any], random.Random]]:
    """A random game, one question at a time."""
    chance = random.Random(seed)
    match = Match(rules, scenario or next(iter(rules.scenarios)), dice=KeyedDice.seeded(seed))
    while match.decision is not None and len(match.clicks) < LONGEST:
        yield match, chance
        if match.decision is not None:
            match.click(chance.choice(list(match.decision.open)))
    yield match, chance


def snapshot(match: Match[Any]) -> tuple[Any, ...]:
    return (
        match.state.as_dict(),
        list(match.clicks),
        match.decision,
        list(match.events),
        list(match.game.rolls),
        match.game.dice.count,
        match.moves,
    )


@every_game
@every_seed
def test_a_legal_click_is_never_refused_and_every_game_ends(rules: Rules[Any], seed: int) -> None:
    for scenario in rules.scenarios:
        *_, (match, _) = walk(rules, seed, scenario)
        assert match.over
        assert match.result is not None
        assert match.result.rule


@every_game
@every_seed
def test_an_illegal_click_is_always_refused_with_a_reason_and_changes_nothing(rules: Rules[Any], seed: int) -> None:
    for match, chance in walk(rules, seed):
        assert match.decision is None or match.decision.rule
        if chance.random() > 0.2:
            continue
        open_ = match.decision.open if match.decision else {}
        closed = [click for click in range(len(rules.names)) if click not in open_]
        before = snapshot(match)
        for click in [*chance.sample(closed, min(20, len(closed))), -1, len(rules.names), "1925", None]:
            with pytest.raises(Illegal) as refused:
                match.click(click)  # type: ignore[arg-type]
            assert refused.value.reason
        assert snapshot(match) == before


@every_game
@every_seed
def test_clone_and_original_diverge_only_where_clicked(rules: Rules[Any], seed: int) -> None:
    for match, chance in walk(rules, seed):
        if match.over or chance.random() > 0.2:
            continue
        before = snapshot(match)
        one, two = match.clone(SeededDice(seed)), match.clone(SeededDice(seed))
        assert one.state == match.state
        assert one.decision == match.decision
        for _ in range(10):
            if one.decision is None:
                break
            click = chance.choice(list(one.decision.open))
            one.click(click)
            two.click(click)
            assert one.state == two.state
            assert one.decision == two.decision
        assert snapshot(match) == before


@every_game
@every_seed
def test_the_replay_of_a_record_gives_the_identical_game(rules: Rules[Any], seed: int) -> None:
    for match, chance in walk(rules, seed):
        if not match.over and chance.random() > 0.05:
            continue
        text = records.write(match, {"Red": "random"})
        again = records.read(text, find)
        assert again.state == match.state
        assert again.decision == match.decision
        assert again.events == match.events
        assert records.write(again, {"Red": "random"}) == text


@every_game
@every_seed
def test_a_phase_started_again_asks_the_same(rules: Rules[Any], seed: int) -> None:
    for match, _ in walk(rules, seed):
        if match.decision is not None and match.decision.top:
            assert match.restarted() == match.decision


@every_game
@every_seed
def test_undo_is_open_exactly_while_nothing_stands_against_it(rules: Rules[Any], seed: int) -> None:
    """No die fell, nothing was revealed, the other side did not decide, and the phase is the same."""
    barrier: tuple[Any, ...] = ()
    reaches, count = False, 0
    for match, _ in walk(rules, seed):
        decision = match.decision
        side = decision.side if decision else None
        now = (match.state.turn, match.state.phase, side, len(match.game.rolls), match.game.reveals)
        top = decision is None or decision.top
        if now != barrier:
            barrier, reaches, count = now, top, 0
        elif top and not reaches:
            reaches, count = True, 0
        assert len(match.moves) == (count if reaches else 0)
        if not match.moves:
            with pytest.raises(Illegal):
                match.undo()
        count += top


@every_game
@every_seed
def test_the_last_move_taken_back_and_made_again_changes_nothing(rules: Rules[Any], seed: int) -> None:
    tops: list[dict[str, Any]] = []
    for match, chance in walk(rules, seed):
        decision = match.decision
        if match.moves and chance.random() < 0.2:
            before = snapshot(match)
            last = match.moves[-1]
            match.undo()
            assert match.state.as_dict() == tops[-1]
            assert len(match.moves) == last.number
            match.play(last.clicks)
            assert snapshot(match) == before
        if decision is not None and decision.top:
            tops.append(match.state.as_dict())


@every_game
@every_seed
def test_any_one_move_is_taken_back_or_refused_with_nothing_changed(rules: Rules[Any], seed: int) -> None:
    for match, chance in walk(rules, seed):
        if len(match.moves) < 2 or chance.random() > 0.1:
            continue
        for move in match.moves:
            twin = records.read(records.write(match), find)
            assert twin.moves == match.moves
            rest = [other.clicks for other in twin.moves if other.number != move.number]
            before = snapshot(twin)
            try:
                twin.undo(move.number)
            except Illegal:
                assert snapshot(twin) == before
            else:
                assert [other.clicks for other in twin.moves] == rest
                assert twin.restarted() == twin.decision or (twin.decision is not None and not twin.decision.top)


@every_game
@every_seed
def test_a_view_never_contains_what_its_side_may_not_know(rules: Rules[Any], seed: int) -> None:
    """Vary what is hidden, and the view stays the same to the byte: the pieces, the questions, the reasons, the log."""
    varied = 0
    for match, chance in walk(rules, seed):
        for side in (EVERYONE, *range(len(rules.sides))):
            truth = match.game.state
            other = truth
            for blind in range(len(rules.sides)) if side == EVERYONE else (side,):
                other = rules.imagine(other, blind, chance)
            varied += other != truth
            decision = match.decision
            asked = decision is not None and decision.side == side
            clicks = chance.sample(range(len(rules.names)), 10) if asked else []
            seen = json.dumps(match.view(side)), [match.explain(click) for click in clicks]
            match.game.state = other
            try:
                assert (json.dumps(match.view(side)), [match.explain(click) for click in clicks]) == seen
                if asked and decision is not None and decision.top:
                    assert match.restarted() == decision
            finally:
                match.game.state = truth
    if rules is SKIRMISH:
        assert varied


@every_game
@every_seed
def test_units_are_neither_lost_nor_doubled(rules: Rules[Any], seed: int) -> None:
    for match, _ in walk(rules, seed):
        state = match.state
        for name in state.COLUMNS:
            assert len(getattr(state, name)) == rules.units
        assert all(where == NOWHERE or 0 <= where < len(rules.board.names) for where in state.where)
        assert all(0 <= steps <= counter.steps for steps, counter in zip(state.steps, rules.counters, strict=True))
        assert not rules.impossible(match.game) or not (match.decision and match.decision.top)
        shown = [unit["name"] for unit in match.view(0)["units"]]
        assert len(shown) == len(set(shown))


@every_game
@every_seed
def test_a_position_file_gives_the_position_back(rules: Rules[Any], seed: int) -> None:
    for match, chance in walk(rules, seed):
        if match.decision is None or not match.decision.top or chance.random() > 0.2:
            continue
        text = positions.write(match)
        again = positions.read(text, find)
        assert again.state == match.state
        assert again.decision == match.decision
        assert positions.write(again) == text
