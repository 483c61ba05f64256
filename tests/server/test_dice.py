"""Dice between two people: committed by the server and both players, revealed before the first roll, checked at the end."""

from __future__ import annotations

import hashlib

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from khamsin.kernel import record
from khamsin.kernel.dice import KeyedDice
from khamsin.server.database import Database
from khamsin.server.store import ENTRIES
from tests.server.conftest import on_sqlite
from tests.server.seats import Json, Seat, accept, commitment, create, join, number, play, set_up
from tests.toy import skirmish

FRIENDS = {"Red": "me", "Blue": "friend"}


def reveal(seat: Seat, value: str) -> tuple[int, Json]:
    answer = seat.post("/contribution", {"value": value})
    return answer.status_code, answer.json()


@on_sqlite
def test_a_seed_is_refused_between_two_people_and_told_otherwise(client: TestClient) -> None:
    body = {"game": "skirmish", "scenario": "village", "seats": FRIENDS, "seed": 7, "contribution": commitment("me")}
    assert client.post("/api/matches", json=body).json()["error"].startswith("seed: ")
    chosen = set_up(client, Red="me", Blue="me")
    assert chosen["Red"].view()["dice"]["chosen"]
    assert '"seed": 1' in chosen["Red"].get("/record").text.splitlines()[0]
    assert not set_up(client)["Red"].view()["dice"]["chosen"]


def test_nothing_is_rolled_before_both_have_revealed(client: TestClient, database_url: str) -> None:
    made = create(client, **FRIENDS)
    database = Database(database_url)

    def entries() -> int:
        with database.reading() as connection:
            count = sa.select(sa.func.count()).select_from(ENTRIES).where(ENTRIES.c.match == made["id"])
            return int(connection.execute(count).scalar_one())

    red = Seat(client, made["id"], made["keys"]["Red"], "Red")
    assert reveal(red, number("me"))[1]["reason"] == "early"
    blue = accept(client, made["id"], made["invitations"]["Blue"], "Blue")
    assert entries() == 0
    assert reveal(red, number("me"))[1]["awaited"] == [{"side": "Blue", "to": "reveal"}]
    assert entries() == 0
    assert reveal(blue, number("Blue"))[1]["begun"]
    assert entries() == 1
    database.close()


def test_a_number_must_fit_its_commitment_and_a_commitment_stays_once_one_is_revealed(client: TestClient) -> None:
    made = create(client, **FRIENDS)
    red = Seat(client, made["id"], made["keys"]["Red"], "Red")
    assert red.post("/contribution", {"commitment": commitment("another")}).status_code == 200
    accept(client, made["id"], made["invitations"]["Blue"], "Blue")
    assert reveal(red, number("me"))[0] == 422
    assert reveal(red, number("another"))[0] == 200
    assert red.post("/contribution", {"commitment": commitment("me")}).json()["reason"] == "used"
    assert red.post("/contribution", {}).status_code == 422
    assert Seat(client, made["id"]).post("/contribution", {"value": number("me")}).status_code == 403


@on_sqlite
def test_every_roll_follows_from_all_three_and_from_fewer_it_does_not(client: TestClient) -> None:
    seats = set_up(client, scenario="melee")
    play(seats, 5000)
    view, told = seats["spectator"].view(), seats["spectator"].get("/rolls").json()["rolls"]
    dice = view["dice"]
    assert hashlib.sha256(bytes.fromhex(dice["key"])).hexdigest() == dice["commitment"]
    values = [bytes.fromhex(one["value"]) for one in dice["contributions"]]
    assert [one["side"] for one in dice["contributions"]] == ["Red", "Blue"]
    assert [hashlib.sha256(value).hexdigest() for value in values] == [commitment("me"), commitment("Blue")]

    def fall(key: bytes, given: list[bytes]) -> list[int]:
        stream = KeyedDice(key, given)
        return [stream.roll("", sides=roll["sides"]) for roll in told]

    fell, key = [roll["value"] for roll in told], bytes.fromhex(dice["key"])
    assert len(fell) > len(skirmish.MILITIA)  # their strengths were drawn at the set-up
    assert fall(key, values) == fell
    assert fell not in (fall(key, []), fall(key, values[::-1]), fall(key, [values[0], bytes(32)]))


def test_the_record_of_two_people_verifies_with_its_contributions(client: TestClient) -> None:
    seats = set_up(client, scenario="melee")
    play(seats, 5000)
    text = seats["spectator"].get("/record").text
    assert record.verify_dice(text, "record") == len(seats["spectator"].get("/rolls").json()["rolls"])
    assert record.read(text, lambda game: skirmish.RULES).over


@on_sqlite
def test_numbers_are_not_told_while_the_match_is_played(client: TestClient) -> None:
    seats = set_up(client)
    for seat in seats.values():
        told = seat.get().text + seat.get("/lobby").text
        assert number("me") not in told
        assert number("Blue") not in told
        assert seat.view()["dice"]["key"] is None


@on_sqlite
@pytest.mark.parametrize("what", ["rematch", "branch", "import"])
def test_what_is_played_again_between_two_people_has_new_dice(client: TestClient, what: str) -> None:
    seats = set_up(client)
    play(seats, 5000)
    old = seats["Red"].view()["dice"]["commitment"]
    asked: Json = {"contribution": commitment("me")}
    if what == "rematch":
        made = seats["Red"].post("/rematch", asked).json()
    elif what == "branch":
        made = seats["Red"].post("/branch", asked | {"click": 5, "seats": FRIENDS}).json()
    else:
        hot = set_up(client, Red="me", Blue="me")
        play(hot, 9)
        text = hot["Red"].get("/record").text
        made = client.post("/api/matches/import", json=asked | {"record": text, "seats": FRIENDS}).json()
    lobby = client.get(f"/api/matches/{made['id']}/lobby").json()
    assert lobby["commitment"] != old
    assert {one["revealed"] for one in lobby["contributions"]} == {False}
    if what != "rematch":
        assert join(client, made)["Blue"].view()["dice"]["contributions"][1]["commitment"] == commitment("Blue")
