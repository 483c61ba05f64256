"""Turn tracks, demands and points of a schedule."""

from __future__ import annotations

from typing import Any

import pytest

from khamsin.kernel import KeyedDice
from khamsin.kernel.rules import Game, Refusal
from khamsin.mechanics import schedule
from khamsin.mechanics.schedule import TurnTrack, place_as_usual
from tests.toy.skirmish import BLUE, BOARD, COUNTERS, LOST, RED, RULES, SkirmishState

TRACK = TurnTrack({1: BOARD["0101"], 2: BOARD["0102"], 3: BOARD["0103"]})


def game(turn: int = 1) -> Game[SkirmishState]:
    state = RULES.new_state()
    state.turn = turn
    return Game(RULES, RULES.scenario("village"), {}, state, KeyedDice.seeded(0))


def test_a_unit_is_due_on_its_turn_and_later() -> None:
    g = game(turn=2)
    for unit, turn in ((0, 1), (1, 2), (2, 3)):
        g.state.where[unit] = TRACK.box[turn]
    assert TRACK.due(g.state.where, range(4), 2) == [0, 1]
    assert TRACK.expected(g.state.where, range(4), 3) == [2]
    assert TRACK.why_not_due(g, 1, "5") is None
    late, lost = TRACK.why_not_due(g, 2, "5"), TRACK.why_not_due(g, 3, "5")
    assert late is not None
    assert late.reason == f"{COUNTERS[2].name} arrives on turn 3"
    assert lost is not None
    assert "not waiting" in lost.reason


def test_a_side_is_asked_only_while_it_has_a_choice() -> None:
    g = game()
    with pytest.raises(StopIteration) as found:
        next(schedule.choose_unit(g, RED, "reinforcement.withdraw", "Choose a unit", "5", [3, 4], needed=2))
    assert found.value.value == 3
    asked = schedule.choose_unit(g, RED, "reinforcement.withdraw", "Choose a unit", "5", [1, 2, 3], needed=2)
    assert list(next(asked).legal) == [1, 2, 3]
    with pytest.raises(StopIteration) as chosen:
        asked.send(2)
    assert chosen.value.value == 2
    place = schedule.choose_location(g, BLUE, "reinforcement.to", "Choose a hex", "5", [LOST, BOARD["0101"]])
    next(place)
    with pytest.raises(StopIteration) as there:
        place.send(g.place0 + LOST)
    assert there.value.value == LOST


def test_points_come_in_by_turn_and_beyond_the_limit_they_are_lost() -> None:
    g, points = game(turn=2), {"infantry": 9}
    schedule.receive_points(g, points, {"infantry": [0, 3], "armour": [1, 0]}, ["infantry", "armour"], "5")
    assert points == {"infantry": 12}
    schedule.cap_points(g, points, 10, ["infantry", "armour"], "5")
    assert points == {"infantry": 10}
    assert [g.text(event) for event in g.events] == ["3 infantry RP received", "2 infantry RP lost"]
    assert schedule.why_not_paid(g, points, "infantry", 10, 0, "be rebuilt", "5") is None
    refusal = schedule.why_not_paid(g, points, "armour", 1, 0, "be rebuilt", "5")
    assert refusal is not None
    assert refusal.reason == f"{COUNTERS[0].name} cannot be rebuilt: costs 1 armour RP, 0 left"


def test_pieces_are_placed_as_usual_each_in_the_first_location_with_room() -> None:
    """Two fit in the first location, the third goes on, the last finds none and waits."""
    placed: dict[int, int] = {}

    def why_not(g: Any, piece: int, location: int) -> Refusal | None:
        limit = {7: 2, 8: 1}[location]
        return Refusal("full", "4") if list(placed.values()).count(location) >= limit else None

    def place(g: Any, piece: int, location: int) -> None:
        placed[piece] = location

    place_as_usual(game(), [1, 2, 3, 4], [7, 8], why_not, place)
    assert placed == {1: 7, 2: 7, 3: 8}
