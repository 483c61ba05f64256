"""What must hold of every game, whatever its rules. Each test walks random games, and looks closely at some questions."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from khamsin import games
from khamsin.kernel import EVERYONE, NOWHERE, Illegal, KeyedDice, Match, Rules, SeededDice
from khamsin.kernel import position as positions
from khamsin.kernel import record as records
from khamsin.kernel.registration import registrations
from khamsin.kernel.rules import ROLLED
from tests import SOAK, size
from tests.toy.skirmish import RULES as SKIRMISH

GAMES: list[Rules[Any]] = [SKIRMISH, *(games.load(game) for game in games.playable() if game in registrations())]
LONGEST = 200_000
LARGE: dict[str, tuple[str, int]] = {} if SOAK else {"tunisia": ("kasserine", 220)}
"""Games too large to walk whole outside `make soak`: the scenario that is walked, and how many clicks."""
MOST_ATTACKS = 12
"""Attacks whose odds are compared in one position."""
HIDDEN_UNITS = ("tunisia",)
"""Games that hide which unit is where: a side sees that a unit moves, so the same click on a unit is not the same move."""


def seeds(rules: Rules[Any]) -> range:
    """The walks of a game by one test: outside `make soak` one, of the toy more."""
    return range(size(rules.id).walks if SOAK else 24 if rules is SKIRMISH else 1)


every_walk = pytest.mark.parametrize(
    ("rules", "seed"),
    [(rules, seed) for rules in GAMES for seed in seeds(rules)],
    ids=lambda value: getattr(value, "id", str(value)),
)


def find(game: str) -> Rules[Any]:
    """Any game, the toy among them."""
    return next((rules for rules in GAMES if rules.id == game), None) or games.load(game)


def walk(rules: Rules[Any], seed: int, scenario: str = "") -> Iterator[tuple[Match[Any], random.Random]]:
    """A random game, one question at a time."""
    chance = random.Random(seed)
    match = begun(rules, seed, scenario)
    while match.decision is not None and len(match.clicks) < longest(rules):
        yield match, chance
        if match.decision is not None:
            match.click(choice(match, chance))
    yield match, chance


def longest(rules: Rules[Any]) -> int:
    """The clicks after which a walk stops."""
    return LARGE[rules.id][1] if rules.id in LARGE else LONGEST


def walked(rules: Rules[Any]) -> list[str]:
    """The scenarios that are walked."""
    return [LARGE[rules.id][0]] if rules.id in LARGE else list(rules.scenarios)


def begun(rules: Rules[Any], seed: int, scenario: str = "") -> Match[Any]:
    """A game at its first question: one scenario after another."""
    names = walked(rules)
    return Match(rules, scenario or names[seed % len(names)], dice=KeyedDice.seeded(seed))


def choice(match: Match[Any], chance: random.Random) -> int:
    """An open click: a unit or a location rather than a button, which often ends something."""
    assert match.decision is not None
    buttons = [click for click in match.decision.legal if click >= match.rules.first_button]
    others = [click for click in match.decision.legal if click < match.rules.first_button]
    return chance.choice(buttons if not others or (buttons and chance.random() < 0.1) else others)


def now_and_then(match: Match[Any], chance: random.Random, often: int = 20) -> bool:
    """Whether to look closely: at a fifth of the questions at first, and ever more seldom in a long game."""
    return chance.random() < often / (5 * often + len(match.clicks))


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


@every_walk
def test_a_legal_click_is_never_refused_and_every_game_ends(rules: Rules[Any], seed: int) -> None:
    for scenario in walked(rules):
        *_, (match, _) = walk(rules, seed, scenario)
        if rules.id in LARGE and not match.over:
            continue  # whole games are played in test_campaigns
        assert match.over
        assert match.result is not None
        assert match.result.rule


@every_walk
def test_legal_clicks_are_the_same_whether_listed_counted_or_asked_for_one_by_one(rules: Rules[Any], seed: int) -> None:
    """One by one first: some decisions list their clicks only when asked, and remember the list."""
    for match, chance in walk(rules, seed):
        if match.decision is None:
            continue
        legal, seed_of_pick = match.decision.legal, chance.random()
        picked = match.decision.pick(random.Random(seed_of_pick).random)
        accepted = [click for click in range(len(rules.names)) if click in legal]
        listed = list(legal)
        assert sorted(listed) == accepted
        assert len(legal) == len(listed)
        assert all(click in legal for click in listed)
        number = chance.randrange(len(listed))
        assert match.decision.nth(number) == listed[number]
        assert picked in listed
        assert match.decision.pick(random.Random(seed_of_pick).random) == picked


@every_walk
def test_an_illegal_click_is_always_refused_with_a_reason_and_changes_nothing(rules: Rules[Any], seed: int) -> None:
    for match, chance in walk(rules, seed):
        assert match.decision is None or match.decision.rule
        if not now_and_then(match, chance):
            continue
        open_ = match.decision.legal if match.decision else {}
        closed = [click for click in range(len(rules.names)) if click not in open_]
        before = snapshot(match)
        for click in [*chance.sample(closed, min(20, len(closed))), -1, len(rules.names), "1925", None, True, [1]]:
            with pytest.raises(Illegal) as refused:
                match.click(click)  # type: ignore[arg-type]
            assert refused.value.reason
        assert snapshot(match) == before


@every_walk
def test_clone_and_original_diverge_only_where_clicked(rules: Rules[Any], seed: int) -> None:
    for match, chance in walk(rules, seed):
        if match.over or not now_and_then(match, chance):
            continue
        before = snapshot(match)
        one, two = match.clone(SeededDice(seed)), match.clone(SeededDice(seed))
        assert one.state == match.state
        assert one.decision == match.decision
        for _ in range(10):
            if one.decision is None:
                break
            click = choice(one, chance)
            one.click(click)
            two.click(click)
            assert one.state == two.state
            assert one.decision == two.decision
        assert snapshot(match) == before


@every_walk
def test_the_replay_of_a_record_gives_the_identical_game(rules: Rules[Any], seed: int) -> None:
    for match, chance in walk(rules, seed):
        if not match.over and not now_and_then(match, chance, often=1):
            continue
        text = records.write(match, {"Red": "random"})
        again = records.read(text, find)
        assert again.state == match.state
        assert again.decision == match.decision
        assert again.events == match.events
        assert records.write(again, {"Red": "random"}) == text


@every_walk
def test_a_phase_started_again_asks_the_same(rules: Rules[Any], seed: int) -> None:
    for match, chance in walk(rules, seed):
        if match.decision is not None and match.decision.top and now_and_then(match, chance, often=100):
            assert match.restarted() == match.decision


@every_walk
def test_undo_is_open_exactly_while_nothing_stands_against_it(rules: Rules[Any], seed: int) -> None:
    """It reaches back to the last roll, reveal or decision of the other side, also across phases."""
    barrier: tuple[Any, ...] = ()
    reaches, count = False, 0
    for match, _ in walk(rules, seed):
        decision = match.decision
        side = decision.side if decision else None
        now = (side, len(match.game.rolls), match.game.reveals)
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


@every_walk
def test_the_last_move_taken_back_and_made_again_changes_nothing(rules: Rules[Any], seed: int) -> None:
    top: dict[str, Any] = {}
    for match, chance in walk(rules, seed):
        decision = match.decision
        if match.moves and now_and_then(match, chance):
            before = snapshot(match)
            last = match.moves[-1]
            match.undo()
            assert match.state.as_dict() == top
            assert len(match.moves) == last.number
            match.play(last.clicks)
            assert snapshot(match) == before
        if decision is not None and decision.top:
            top = match.state.as_dict()


@every_walk
def test_any_one_move_is_taken_back_or_refused_with_nothing_changed(rules: Rules[Any], seed: int) -> None:
    for match, chance in walk(rules, seed):
        moves = match.moves
        if len(moves) < 2 or not now_and_then(match, chance, often=5):
            continue
        before = snapshot(match)
        for move in chance.sample(moves, min(3 if SOAK or rules is SKIRMISH else 1, len(moves))):
            try:
                match.undo(move.number)
            except Illegal:
                assert snapshot(match) == before
                continue
            assert [other.clicks for other in match.moves] == [other.clicks for other in moves if other != move]
            assert match.decision is not None
            assert not match.decision.top or match.restarted() == match.decision
            while match.moves:
                match.undo()
            match.play(click for each in moves for click in each.clicks)
            assert snapshot(match) == before


@every_walk
def test_a_view_never_contains_what_its_side_may_not_know(rules: Rules[Any], seed: int) -> None:
    """Vary what is hidden, and the view stays the same to the byte: the pieces, the questions, the reasons."""
    for match, chance in walk(rules, seed):
        if not now_and_then(match, chance):
            continue
        for side in (EVERYONE, *range(len(rules.sides))):
            truth = match.game.state
            other = truth
            for blind in range(len(rules.sides)) if side == EVERYONE else (side,):
                other = rules.imagine(other, blind, chance)
            decision = match.decision
            asked = decision is not None and decision.side == side
            clicks = chance.sample(range(len(rules.names)), 10) if asked else []
            seen = looked(match, side), [match.explain(click) for click in clicks]
            match.game.state = other
            try:
                assert (looked(match, side), [match.explain(click) for click in clicks]) == seen
                if asked and decision is not None and decision.top:
                    assert match.restarted() == decision
            finally:
                match.game.state = truth


@every_walk
def test_odds_tell_a_side_nothing_it_may_not_know(rules: Rules[Any], seed: int) -> None:
    """Vary what is hidden, and the odds that a side gives an attack stay the same, whoever attacks."""
    for match, chance in walk(rules, seed):
        if match.over or not now_and_then(match, chance):
            continue
        for side in (EVERYONE, *range(len(rules.sides))):
            truth = other = match.game.state
            for blind in range(len(rules.sides)) if side == EVERYONE else (side,):
                other = rules.imagine(other, blind, chance)
            found = list(attacks(match))
            for units, places in chance.sample(found, min(MOST_ATTACKS, len(found))):
                known = match.odds(side, units, places)
                match.game.state = other
                try:
                    assert match.odds(side, units, places) == known
                finally:
                    match.game.state = truth


def attacks(match: Match[Any]) -> Iterator[tuple[list[int], list[int]]]:
    """A few attacks that might be: on each hex of a side by some of the units of the other next to it."""
    rules, where = match.rules, match.state.where
    for unit, hex in enumerate(where):
        if not 0 <= hex < rules.board.size:
            continue
        side = rules.counters[unit].side
        enemies = [
            u for u in range(rules.units) if where[u] in rules.board.around(hex) and rules.counters[u].side != side
        ]
        if enemies:
            yield enemies[:3], [hex]


def looked(match: Match[Any], side: int) -> str:
    """What a side sees, but for the log, which is what it was."""
    return json.dumps(match.view(side, since=len(match.events)))


@every_walk
def test_what_happens_next_tells_a_side_nothing_it_may_not_know(rules: Rules[Any], seed: int) -> None:
    """Go on from the true state and from one that a side imagines with the same clicks: until a die falls or something is
    revealed, it sees the same to the byte, with the log and the questions inside a procedure."""
    for match, chance in walk(rules, seed):
        if match.decision is None or not match.decision.top or not now_and_then(match, chance):
            continue
        side = chance.randrange(len(rules.sides))
        true, imagined = match.clone(SeededDice(seed)), match.imagined(side, chance, SeededDice(seed))
        for _ in range(10):
            if any(game.rolls or game.reveals for game in (true.game, imagined.game)):
                break
            assert json.dumps(true.view(side)) == json.dumps(imagined.view(side))
            if true.decision is None or imagined.decision is None:
                break
            if true.decision.side != side and rules.id in HIDDEN_UNITS and knows_better(rules, true, imagined, side):
                break
            click = choice(true, chance)
            if click not in imagined.decision.legal:
                break
            true.click(click)
            imagined.click(click)


def knows_better(rules: Rules[Any], true: Match[Any], imagined: Match[Any], side: int) -> bool:
    """Whether the other side could tell the two games apart: then the same click of its own means another move."""
    return any(rules.conceal(true.state, one) != rules.conceal(imagined.state, one) for one in {0, 1} - {side})


@every_walk
def test_dice_that_a_side_has_not_seen_tell_it_nothing(rules: Rules[Any], seed: int) -> None:
    """Two games with other dice look alike to a side, log and all, until it sees a die or something is revealed."""
    chance = random.Random(seed)
    one, two = begun(rules, seed), begun(rules, seed + len(walked(rules)))
    sides = set(range(len(rules.sides)))
    while sides := {side for side in sides if not any(enlightened(match, side) for match in (one, two))}:
        for side in sides:
            assert json.dumps(one.view(side)) == json.dumps(two.view(side))
        if one.decision is None or two.decision is None:
            break
        click = choice(one, chance)
        if click not in two.decision.legal:
            break
        one.click(click)
        two.click(click)


def enlightened(match: Match[Any], side: int) -> bool:
    """Whether a side may know something of how the dice fell."""
    return bool(match.game.reveals) or any(e.text == ROLLED and e.to in (EVERYONE, side) for e in match.events)


@every_walk
def test_a_position_with_both_sides_in_a_hex_is_refused(rules: Rules[Any], seed: int) -> None:
    game = begun(rules, seed).game
    stacks = [
        {at: units for at, units in game.state.where.stacks(side).items() if at < rules.board.size} for side in (0, 1)
    ]
    assert not rules.find_fault(game)
    game.state.where[next(iter(stacks[1].values()))[0]] = next(iter(stacks[0]))
    assert rules.find_fault(game)


@every_walk
def test_units_are_neither_lost_nor_doubled(rules: Rules[Any], seed: int) -> None:
    for match, chance in walk(rules, seed):
        if not now_and_then(match, chance, often=50):
            continue
        state = match.state
        for name in state.COLUMNS:
            assert len(getattr(state, name)) == rules.units
        assert all(where == NOWHERE or 0 <= where < len(rules.board.names) for where in state.where)
        assert all(0 <= steps <= counter.steps for steps, counter in zip(state.steps, rules.counters, strict=True))
        assert not rules.find_fault(match.game) or not (match.decision and match.decision.top)
        shown = [unit["name"] for unit in match.view(0, since=len(match.events))["units"]]
        assert len(shown) == len(set(shown))


@every_walk
def test_a_state_holds_what_it_declares_and_nothing_else(rules: Rules[Any], seed: int) -> None:
    """What is not declared would be lost in a copy, a position or a view."""
    for match, chance in walk(rules, seed):
        if not now_and_then(match, chance, often=50):
            continue
        state = match.state
        names = {
            *state.COLUMNS,
            *state.SCALARS,
            *state.OWNERS,
            *state.AMOUNTS,
            *state.TALLIES,
            *state.RECORDS,
            "result",
        }
        assert vars(state).keys() == names
        assert all(type(getattr(state, name)) is int for name in state.SCALARS)
        assert all(type(value) is int for name in state.COLUMNS for value in getattr(state, name))
        for name in (*state.OWNERS, *state.AMOUNTS):
            assert all(place in rules.location_clicks for place in getattr(state, name))
        for name in state.TALLIES:
            assert all(isinstance(key, str) for key in getattr(state, name))


@every_walk
def test_every_event_has_a_rule_and_a_text_without_gaps(rules: Rules[Any], seed: int) -> None:
    *_, (match, _) = walk(rules, seed)
    for event in match.events:
        assert event.rule
        assert "{" not in match.game.text(event)


@every_walk
def test_a_position_file_gives_the_position_back(rules: Rules[Any], seed: int) -> None:
    for match, chance in walk(rules, seed):
        if match.decision is not None and (not match.decision.top or not now_and_then(match, chance)):
            continue
        text = positions.write(match)
        again = positions.read(text, find)
        assert again.state == match.state
        assert again.decision == match.decision
        assert positions.write(again) == text


@every_walk
def test_a_match_conceded_at_any_decision_has_a_record_a_clone_and_a_position(rules: Rules[Any], seed: int) -> None:
    for match, chance in walk(rules, seed):
        if match.over or chance.random() > 0.02:
            continue
        before, at_top = match.state.as_dict(), match.top_level_state().as_dict()
        match.concede(chance.randrange(2), chance.choice(["resign", "claim"]))
        assert match.state.as_dict() | {"result": None} == before
        text = records.write(match)
        again = records.read(text, find)
        assert (again.state, again.events, again.conceded) == (match.state, match.events, match.conceded)
        assert records.write(again) == text
        assert match.clone(SeededDice(seed)).state == match.state
        there = positions.read(positions.write(match), find).state
        assert there.result == match.result
        assert there.as_dict() | {"result": None} == at_top
