"""The computer at the table: how far it has thought, how it is hurried, and to whom it tells its reasons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from khamsin import players
from tests.server.conftest import Opened
from tests.server.ponderer import Ponderer
from tests.server.seats import Seat, set_up
from tests.server.test_live import Line, line_of


@pytest.fixture
def pondering(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Seat]]:
    """Sets up a game of Red, who is Passive, against Blue, who ponders."""
    monkeypatch.setitem(players.PLAYERS, "ponderer", Ponderer)
    monkeypatch.setattr(players, "ANY_GAME", (*players.ANY_GAME, "ponderer"))

    def begin(**more: Any) -> dict[str, Seat]:
        body = {"game": "skirmish", "scenario": "village", "seats": {"Red": "me", "Blue": "ponderer"}, "seed": 1}
        made = client.post("/api/matches", json=body | more).json()
        return {"Red": Seat(client, made["id"], made["keys"]["Red"], "Red"), "spectator": Seat(client, made["id"])}

    return begin


def pass_on(line: Line) -> None:
    """T1 moves next to the enemy, so that both sides have a combat phase; Red ends its turn, and Blue decides."""
    for click in ("T1", "0405"):
        line.click(click, line.view["question"]["number"])
    while line.view["question"]["side"] == "Red":
        line.click("done", line.view["question"]["number"])


def ponders(line: Line) -> float:
    """Wait until Blue says how much of its thinking it has done; that is told once."""
    while not line.seats or line.seats[1]["part"] is None:
        line.hear("seats")
    part: float = line.seats[1]["part"]
    line.seats = []
    return part


def hurry(seat: Seat, line: Line) -> None:
    """Let Blue move now."""
    assert seat.post("/hurry", {}).status_code == 204
    line.hear("update")


def test_who_waits_sees_how_far_the_computer_has_thought_and_may_hurry_it(pondering: Any) -> None:
    seats = pondering()
    with line_of(seats["Red"]) as line:
        pass_on(line)
        assert seats["spectator"].post("/hurry", {}).status_code == 403
        while line.view["question"]["side"] == "Blue":
            assert ponders(line) == 0.5
            hurry(seats["Red"], line)


def answered_once(seats: dict[str, Seat]) -> None:
    """Blue has answered one question, and thinks about the next."""
    with line_of(seats["Red"]) as line:
        pass_on(line)
        ponders(line)
        hurry(seats["Red"], line)
        ponders(line)


def test_the_computer_keeps_its_reasons_to_itself_while_the_game_is_played(pondering: Any) -> None:
    seats = pondering()
    answered_once(seats)
    for seat in seats.values():
        assert seat.get("/reasons").status_code == 403


def test_a_game_set_up_so_tells_reasons_at_once_to_those_who_play(pondering: Any) -> None:
    seats = pondering(open_reasons=True)
    answered_once(seats)
    while not (found := seats["Red"].get("/reasons").json()["reasons"]):
        pass  # they are written after the click
    (reason,) = found
    assert (reason["side"], reason["click"], reason["lines"]) == ("Blue", 4, ["nothing better came to mind"])
    assert seats["Red"].get("/reasons", after=reason["number"]).json() == {"reasons": []}
    assert seats["spectator"].get("/reasons").status_code == 403


def test_a_game_says_whether_it_tells_reasons_at_once(pondering: Any) -> None:
    """So that a rematch can be set up alike."""
    for open_reasons in (False, True):
        seats = pondering(open_reasons=open_reasons)
        assert seats["Red"].get("/info").json()["open_reasons"] is open_reasons


def test_reasons_are_told_to_anybody_when_the_game_is_over(opened: Opened, tmp_path: Any) -> None:
    seats = set_up(opened(f"sqlite:///{tmp_path}/games.db"), "kasserine", "faid", Axis="easy:1", Allied="normal:1")
    with line_of(seats["spectator"]) as line:
        while line.view["result"] is None:
            line.hear("update")
    found = seats["spectator"].get("/reasons").json()["reasons"]
    assert {reason["side"] for reason in found} == {"Axis", "Allied"}
    assert [reason["number"] for reason in found] == sorted(reason["number"] for reason in found)


def test_a_level_must_know_the_game(client: TestClient) -> None:
    body = {"game": "skirmish", "scenario": "village", "seats": {"Red": "me", "Blue": "hard"}}
    answer = client.post("/api/matches", json=body)
    assert (answer.status_code, "does not know" in answer.json()["error"]) == (422, True)
