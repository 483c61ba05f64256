"""The turn summary: what has changed between a side's last turn and its present one, from what the viewer may know."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from khamsin import games
from khamsin.kernel import KeyedDice, Match
from khamsin.kernel.dice import SeededDice
from khamsin.kernel.rules import EVERYONE, Phase
from khamsin.server import wire
from khamsin.server.summary import changes, is_unit, span_of, turn_sides, without_own
from khamsin.server.views import lines, seen
from tests.server.conftest import on_sqlite
from tests.server.seats import Seat, asked, checked, set_up
from tests.server.test_automatic import strongest_first
from tests.server.test_secrets import twins
from tests.toy import skirmish


def play(seats: dict[str, Seat], *clicks: str) -> None:
    for click in clicks:
        question = asked(seats)
        assert question is not None
        answer = seats[question["side"]].click(click, question["number"])
        assert answer.status_code == 200, answer.text


def summary(seat: Seat) -> wire.TurnSummary:
    answer = seat.get("/summary")
    assert answer.status_code == 200, answer.text
    return checked(wire.TurnSummary, answer.json())


@on_sqlite
def test_before_the_enemy_has_had_a_turn_there_is_nothing_to_tell(client: TestClient) -> None:
    found = summary(set_up(client)["Red"])
    assert (found["side"], found["first"], found["last"], found["lines"]) == ("Red", 0, 0, [])


@on_sqlite
def test_a_side_is_told_which_enemies_have_come_next_to_it(client: TestClient) -> None:
    """T1 moves next to M3 in 0306, in Red's first turn."""
    seats = set_up(client)
    play(seats, "T1", "0405", "done", "done")
    found = summary(seats["Blue"])
    assert (found["first"], found["last"]) == (0, 4)
    assert found["lines"] == [
        {
            "kind": "threat", "side": "Red", "at": "0306", "units": ["T1"], "rule": "",
            "text": "0306: 1 enemy unit now adjacent",
        }
    ]  # fmt: skip
    play(seats, "M1", "stay")
    assert summary(seats["Blue"])["last"] == 4, "the summary stays that of the start of the turn"


@on_sqlite
def test_a_second_turn_begins_where_the_last_one_ended(client: TestClient) -> None:
    seats = set_up(client)
    play(seats, "done", "done", "done", "done")
    assert (summary(seats["Red"])["first"], summary(seats["Red"])["last"]) == (2, 4)
    assert summary(seats["spectator"])["side"] == "Red"


def told(match: Match[Any], side: int, act: Any) -> list[wire.SummaryLine]:
    """The lines that follow from something that happens in a match."""
    before, happened = seen(match, side), len(match.events)
    act(match.game)
    return changes(match.rules, side, before, seen(match, side), lines(match.game, match.events[happened:]))


def unit(name: str) -> int:
    return skirmish.RULES.parse(name)


def test_losses_name_the_units_by_hex() -> None:
    match = Match(skirmish.RULES, "melee", dice=SeededDice(1))
    found = told(match, skirmish.BLUE, lambda game: skirmish.lose(game, [unit("R1"), unit("T1"), unit("M3")]))
    losses = [(line["side"], line["at"], line["units"], line["text"]) for line in found if line["kind"] == "loss"]
    assert losses == [
        ("Red", "0407", ["R1", "T1"], "0407: R1, T1 eliminated"),
        ("Blue", "0306", ["M3"], "0306: M3 eliminated"),
    ]


def test_places_that_changed_hands_arrivals_and_losses_of_steps_are_told() -> None:
    match = Match(skirmish.RULES, "melee", dice=SeededDice(1))
    where, steps = match.state.where, match.state.steps
    where[unit("T2")] = skirmish.LOST

    def act(game: Any) -> None:
        for name in ("M1", "B1"):
            where[unit(name)] = skirmish.BOARD["0410"]
        where[unit("R1")] = skirmish.VILLAGE
        where[unit("T2")] = skirmish.BOARD["0101"]
        steps[unit("R2")] = 0

    found = told(match, skirmish.BLUE, act)
    by_kind = {line["kind"]: line for line in found}
    assert by_kind["place"]["text"] == "the village: now held by Red"
    assert by_kind["place"]["at"] == "0408"
    assert (by_kind["arrival"]["units"], by_kind["arrival"]["text"]) == (["T2"], "0101: T2 arrives")
    assert (by_kind["loss"]["units"], by_kind["loss"]["text"]) == (["R2"], "0507: R2 reduced to 0 steps")


def test_enemies_that_lie_face_down_are_counted_as_threats() -> None:
    """Only their number is known (tunisia, OCS 3(4))."""
    rules = games.load("tunisia")
    match = Match(rules, next(iter(rules.scenarios)), dice=SeededDice(1))
    before, after = seen(match, 0), seen(match, 0)
    board, units = rules.board, after.units
    own = next(
        unit["at"] for name, unit in units.items()
        if board.is_hex(board[unit["at"]]) and rules.counters[rules.click[name]].side == 0 and is_unit(rules, name)
    )  # fmt: skip
    beside = board.name(next(iter(board.around(board[own]))))
    enemies = [name for name, unit in units.items() if rules.counters[rules.click[name]].side == 1][:3]
    backs = ("Allied unit", "Allied unit", "Allied trucks")
    moved = {name: {**units[name], "at": beside, "back": back} for name, back in zip(enemies, backs, strict=True)}
    found = changes(rules, 0, before, after._replace(units={**units, **moved}), [])
    threat = next(line for line in found if line["kind"] == "threat" and line["at"] == own)
    assert (threat["units"], threat["text"].endswith("2 enemy units now adjacent")) == ([], True)


def test_the_own_advance_that_ended_the_turn_is_no_news() -> None:
    match = Match(skirmish.RULES, "melee", dice=SeededDice(1))
    before = seen(match, skirmish.BLUE)
    match.state.where[unit("M1")] = skirmish.VILLAGE
    then = seen(match, skirmish.BLUE)
    found = [line for line in changes(match.rules, skirmish.BLUE, before, then, []) if line["kind"] == "place"]
    assert found or before.fields["objectives"] == then.fields["objectives"]
    taken = {**then.fields, "objectives": [{**one, "holder": "Blue"} for one in then.fields["objectives"]]}
    lost = {**then.fields, "objectives": [{**one, "holder": "Red"} for one in then.fields["objectives"]]}
    for fields, kept in ((taken, 0), (lost, 1)):
        after: Any = then._replace(fields=fields)
        start: Any = before._replace(fields=lost if fields is taken else taken)
        lines = changes(match.rules, skirmish.BLUE, start, after, [])
        left = without_own(match.rules, skirmish.BLUE, lines, start, after)
        assert len([line for line in left if line["kind"] == "place"]) == kept


def test_a_place_with_a_port_and_an_air_base_is_told_of_once() -> None:
    match = Match(skirmish.RULES, "melee", dice=SeededDice(1))
    view = seen(match, skirmish.BLUE)

    def held(side: str) -> Any:
        marks = [{"at": "0101", "kind": kind, "side": side, "text": "", "rule": "1"} for kind in ("port", "air base")]
        fields: Any = {**view.fields, "marks": marks}
        return view._replace(fields=fields)

    found = changes(match.rules, skirmish.BLUE, held("Blue"), held("Red"), [])
    assert [line["at"] for line in found if line["kind"] == "place"] == ["0101"]


def test_the_span_ends_at_the_first_decision_of_the_side() -> None:
    """What the enemy places before that in a phase of both sides is told (kasserine 5.2)."""

    def step(phase: str, side: int) -> Any:
        return SimpleNamespace(phase=phase, phase_side=turns[phase], side=side)

    turns = {"move": 0, "their move": 1, "reinforcements": 0}
    clicks = [step("move", 0), step("their move", 0), step("their move", 1), step("reinforcements", 1),
              step("reinforcements", 1), step("move", 0), step("move", 0)]  # fmt: skip
    replay: Any = SimpleNamespace(clicks=clicks, first=0, opening=step("move", 0))
    assert span_of(replay, turns, 0) == (1, 5)


def test_places_of_one_name_are_told_apart_by_their_hexes() -> None:
    rules = games.load("afrika")
    match = Match(rules, "gazala", dice=SeededDice(1))
    side, roads = 0, ("A36.21", "A37.22")
    before, after = seen(match, side), seen(match, side)
    for one in after.fields["objectives"]:
        if one["at"] in roads:
            one["holder"] = "Axis"
    found = [line["text"] for line in changes(rules, side, before, after, []) if line["kind"] == "place"]
    assert sorted(found) == [f"Gazala road ({hex}): now held by Axis" for hex in roads]


@pytest.mark.parametrize("game", ["paa", "kasserine"])
def test_units_that_fall_out_of_supply_are_told(game: str) -> None:
    """The badges of every game say it in the same words."""
    rules = games.load(game)
    match = Match(rules, next(iter(rules.scenarios)), dice=SeededDice(1))
    name = next(
        counter.name for number, counter in enumerate(rules.counters) if counter.size and match.state.where[number] >= 0
    )
    one, at = rules.parse(name), next(hex for hex in range(rules.board.size) if rules.board.enterable(hex))
    match.state.where[one] = at

    def act(g: Any) -> None:
        g.set_flag(one, "oos")

    found = told(match, rules.counters[one].side, act)
    assert [(line["kind"], line["units"]) for line in found] == [("supply", [name])]
    assert found[0]["text"].endswith("out of supply")
    assert found[0]["rule"]


def test_a_single_phase_of_the_other_side_belongs_to_the_turn_around_it() -> None:
    def phase(name: str, side: int) -> Phase:
        return Phase(name, side, strongest_first, "1")

    phases = [phase("move", 0), phase("declare", 0), phase("reaction", 1), phase("combat", 0), phase("their move", 1),
              phase("their combat", 1)]  # fmt: skip
    assert list(turn_sides(phases).values()) == [0, 0, 0, 0, 1, 1]
    assert list(turn_sides(phases[3:5]).values()) == [0, 1]


@pytest.mark.parametrize("side", [0, 1])
def test_two_matches_that_differ_in_what_is_hidden_have_the_same_summary(side: int) -> None:
    """Both are played on by the same clicks with the same dice."""
    match, other = twins("kasserine", "campaign", side, 4)
    for viewer in (side, EVERYONE):
        found = []
        pair = [Match.at(one.game.with_state(one.state.copy())) for one in (match, other)]
        for one in pair:
            one.game.use(KeyedDice.seeded(3))
        before, chance = [seen(one, viewer) for one in pair], random.Random(1)
        for _ in range(150):
            decisions = [one.decision for one in pair]
            if decisions[0] is None or decisions[1] is None:
                break
            both = [click for click in decisions[0].legal if click in decisions[1].legal]
            if not both:
                break
            click = chance.choice(both)
            for one in pair:
                one.click(click)
            if seen(pair[0], viewer).units != seen(pair[1], viewer).units:
                break  # what was hidden has come to light
            found = [
                changes(one.rules, side, old, seen(one, viewer), lines(one.game, one.events))
                for one, old in zip(pair, before, strict=True)
            ]
            assert found[0] == found[1]
        assert found
