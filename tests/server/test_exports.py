"""What a player may take out of a match that is played, and how to see everything."""

from __future__ import annotations

import json

import pytest
from fastapi.testclient import TestClient

from khamsin import games
from khamsin.kernel import position, record
from tests.server.conftest import on_sqlite
from tests.server.seats import Seat, play, set_up

pytestmark = on_sqlite

SOLO = {"Red": "me", "Blue": "passive"}


@pytest.fixture
def solo(client: TestClient) -> dict[str, Seat]:
    """A match against the computer in a game with hidden units, some clicks old."""
    seats = set_up(client, **SOLO)
    for click in ("R1", "0302"):
        seats["Red"].click(click, seats["Red"].view()["question"]["number"])
    return seats


def test_a_running_match_with_hidden_units_exports_what_its_player_knows(solo: dict[str, Seat]) -> None:
    answer = solo["Red"].get("/record")
    assert answer.headers["content-disposition"].endswith('.toml"')
    game = position.read_game(answer.text, games.load)
    assert game.rules.id == "skirmish"
    true = solo["Red"].view()
    assert {name for name in true["units"] if not true["units"][name]["back"]} >= {"R1", "R2"}
    log = [line["text"] for line in true["log"]]
    assert all(f"{text}\n" in answer.text for text in log)
    assert "key" not in answer.text.splitlines()[0]
    assert solo["spectator"].get("/record").status_code == 403


def test_the_exported_position_says_of_hidden_units_only_what_the_player_knows(solo: dict[str, Seat]) -> None:
    text = solo["Red"].get("/record").text
    seat = solo["Red"].get("/position").json()["position"]
    assert text.startswith(seat)


def test_a_running_match_without_hidden_information_exports_its_record_without_the_key(client: TestClient) -> None:
    seats = set_up(client, "paa", "campaign", Axis="me", Allied="passive")
    assert seats["Axis"].post("/hurry", {}).status_code == 204
    lines = [json.loads(line) for line in seats["Axis"].get("/record").text.splitlines()]
    assert "key" not in lines[-1]
    assert "seed" not in lines[0]
    assert record.read("\n".join(map(json.dumps, lines)), games.load).rules.id == "paa"


def test_a_hot_seat_match_exports_everything(client: TestClient) -> None:
    seats = set_up(client, Red="me", Blue="me")
    play(seats, 5)
    assert "key" in json.loads(seats["Red"].get("/record").text.splitlines()[-1])


def test_a_branch_of_a_running_match_imagines_what_its_player_does_not_know(solo: dict[str, Seat]) -> None:
    clicks = solo["Red"].view()["clicks"]
    made = solo["Red"].post("/branch", {"click": clicks, "seats": {"Red": "me", "Blue": "me"}}).json()
    branch = Seat(solo["Red"].client, made["id"], made["keys"]["Red"], "Red")
    seen, then = branch.view()["units"], solo["Red"].view()["units"]
    known = {name: unit for name, unit in then.items() if not unit["back"]}
    assert {name: seen[name] for name in known} == known
    assert sorted(unit["at"] for unit in seen.values()) == sorted(unit["at"] for unit in then.values())


def test_an_opened_match_shows_everything_and_is_marked(solo: dict[str, Seat]) -> None:
    red = solo["Red"]
    assert not red.view()["opened"]
    assert red.get(side="Blue").status_code == 403
    assert red.get("/reasons").status_code == 403
    assert solo["spectator"].post("/open", {}).status_code == 403
    assert red.post("/open", {}).json()["opened"]
    assert red.view()["opened"]
    assert red.view(side="Blue")["viewer"] == "Blue"
    assert red.get("/reasons").status_code == 200
    assert "key" in json.loads(red.get("/record").text.splitlines()[-1])
    assert solo["spectator"].get(side="Blue").status_code == 403
    assert solo["spectator"].view()["opened"]


def test_a_match_between_two_people_cannot_be_opened(client: TestClient) -> None:
    seats = set_up(client)
    assert seats["Red"].post("/open", {}).status_code == 403
    assert seats["Red"].get("/record").status_code == 403
