"""The gate: exists, not over, holds that seat, is asked, the number is current, the click is open; in this order."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from khamsin.server import wire
from tests.server.conftest import on_sqlite
from tests.server.seats import Seat, checked, play, set_up

pytestmark = on_sqlite


def refusal(seat: Seat, click: str, number: int, side: str | None = None) -> tuple[int, str]:
    answer = seat.click(click, number, side)
    said = checked(wire.Refusal, answer.json())
    return answer.status_code, said["reason"]


@pytest.fixture
def seats(client: TestClient) -> dict[str, Seat]:
    return set_up(client)


def test_first_the_game_exists(client: TestClient) -> None:
    assert refusal(Seat(client, "nowhere", "nobody"), "nothing", 99) == (404, "unknown")


def test_then_it_is_not_over(seats: dict[str, Seat]) -> None:
    play(seats, 1000)
    for seat in seats.values():
        assert refusal(seat, "nothing", 0, "Red") == (409, "over")


def test_then_the_sender_holds_that_seat(client: TestClient, seats: dict[str, Seat]) -> None:
    other = set_up(client)
    assert refusal(seats["spectator"], "nothing", 99) == (403, "seat")
    assert refusal(Seat(client, seats["Red"].match, "wrong"), "R1", 0) == (403, "seat")
    assert refusal(Seat(client, seats["Red"].match, other["Red"].key), "R1", 0) == (403, "seat")
    assert refusal(seats["Blue"], "R1", 0, "Red") == (403, "seat")
    assert refusal(seats["Red"], "nothing", 99, "Blue") == (403, "seat")


def test_then_it_is_that_seats_decision(seats: dict[str, Seat]) -> None:
    assert refusal(seats["Blue"], "nothing", 99) == (409, "turn")
    assert refusal(seats["Blue"], "R1", 0) == (409, "turn")


def test_then_the_number_is_the_current_one(seats: dict[str, Seat]) -> None:
    seats["Red"].click("R1", 0)
    answer = seats["Red"].click("nothing", 0)
    assert (answer.status_code, answer.json()["reason"]) == (409, "stale")
    assert answer.json()["view"] == seats["Red"].view()


def test_then_the_click_is_open(seats: dict[str, Seat]) -> None:
    answer = seats["Red"].click("M1", 0)
    said = checked(wire.Refusal, answer.json())
    assert (answer.status_code, said["reason"], said["error"], said["rule"]) == (
        422,
        "illegal",
        "that unit is not yours",
        "3",
    )
    assert refusal(seats["Red"], "nonsense", 0) == (422, "illegal")


def test_a_number_that_was_taken_back_is_never_current_again(seats: dict[str, Seat]) -> None:
    seats["Red"].click("R1", 0)
    seats["Red"].click("0302", 1)
    assert seats["Red"].post("/undo", {"number": 2}).status_code == 200
    for number in (0, 1, 2):
        assert refusal(seats["Red"], "R1", number) == (409, "stale")
    assert seats["Red"].click("R1", 3).status_code == 200


def test_an_undo_passes_the_same_gate(client: TestClient, seats: dict[str, Seat]) -> None:
    def undo(seat: Seat, number: int, **more: Any) -> tuple[int, str]:
        answer = seat.post("/undo", {"number": number, **more})
        return answer.status_code, answer.json()["reason"]

    assert undo(Seat(client, "nowhere"), 0) == (404, "unknown")
    assert undo(seats["spectator"], 0) == (403, "seat")
    assert undo(seats["Blue"], 0) == (409, "turn")
    assert undo(seats["Red"], 9) == (409, "stale")
    assert undo(seats["Red"], 0) == (422, "illegal")
    play(seats, 1000)
    assert undo(seats["spectator"], 0) == (409, "over")


def test_a_seat_that_holds_both_sides_may_name_the_wrong_one(client: TestClient) -> None:
    seats = set_up(client, Red="me", Blue="me")
    assert refusal(seats["Blue"], "R1", 0, "Blue") == (409, "turn")
    assert seats["Blue"].click("R1", 0, "Red").status_code == 200
    assert seats["Blue"].click("0302", 1).status_code == 200


def test_nothing_changes_where_the_gate_is_closed(seats: dict[str, Seat]) -> None:
    before = {name: seat.view() for name, seat in seats.items()}
    for seat in seats.values():
        for click, number, side in [
            ("M1", 0, None),
            ("R1", 5, None),
            ("R1", 0, "Green"),
            ("", 0, None),
            ("R1", -1, None),
        ]:
            assert seat.click(click, number, side).status_code >= 400
    seats["Blue"].view()
    assert {name: seat.view() for name, seat in seats.items()} == before


@pytest.mark.parametrize("key", [b"\x80\xff", "ключ".encode(), "é".encode("latin-1"), b"\xed\xa0\x80"])
def test_a_key_that_is_not_ascii_is_a_wrong_key(client: TestClient, seats: dict[str, Seat], key: bytes) -> None:
    path = f"/api/matches/{seats['Red'].match}"
    body = {"number": 0, "click": "R1"}
    for answer in (
        client.get(path, headers={b"X-Khamsin-Key": key}),
        client.get(f"{path}/record", headers={b"X-Khamsin-Key": key}),
        client.post(f"{path}/clicks", headers={b"X-Khamsin-Key": key}, json=body),
    ):
        assert (answer.status_code, answer.json()["reason"]) == (403, "seat")


def test_a_key_that_is_not_ascii_is_wrong_on_the_live_line_too(client: TestClient, seats: dict[str, Seat]) -> None:
    for key in ("ключ", "\x80\xff", "é"):
        with client.websocket_connect(f"/api/matches/{seats['Red'].match}/live") as line:
            line.send_json({"type": "hello", "key": key})
            assert line.receive_json()["refusal"]["reason"] == "seat"
