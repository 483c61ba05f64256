"""Seats: invitations that work once, a key per device, recovery, resignation and claims."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from khamsin.server import seats as stored
from khamsin.server.database import Database
from khamsin.server.seats import LINKS, SEATS, digest
from khamsin.server.store import ENTRIES, MATCHES
from tests.server.conftest import Opened
from tests.server.seats import Json, Seat, accept, commitment, create, join, number, play, set_up

FRIENDS = {"Red": "me", "Blue": "friend"}


def take(client: TestClient, match: str, token: str, **more: str) -> tuple[int, Json]:
    answer = client.post(f"/api/matches/{match}/seats", json={"token": token, **more})
    return answer.status_code, answer.json()


def reason(seat: Seat, what: str = "") -> str:
    answer = seat.get(what)
    return "" if answer.status_code == 200 else str(answer.json()["reason"])


def test_the_creator_gets_no_key_of_the_friends_seat(client: TestClient) -> None:
    made = create(client, **FRIENDS)
    assert set(made["keys"]) == {"Red"}
    red, token = Seat(client, made["id"], made["keys"]["Red"]), made["invitations"]["Blue"]
    blue = accept(client, made["id"], token, "Blue")
    red.post("/contribution", {"value": number("me")})
    blue.post("/contribution", {"value": number("Blue")})
    assert red.get(side="Blue").status_code == 403
    assert Seat(client, made["id"], token).get().status_code == 403
    everything = "".join(red.get(path).text for path in ("", "/info", "/lobby", "/devices", "/chat", "/timeline"))
    assert blue.key not in everything


def test_an_invitation_works_once(client: TestClient) -> None:
    made = create(client, **FRIENDS)
    token = made["invitations"]["Blue"]
    assert take(client, made["id"], token, contribution=commitment("Blue"))[0] == 200
    status, body = take(client, made["id"], token, contribution=commitment("Blue"))
    assert (status, body["reason"], body["error"]) == (409, "used", "This link was already used")


def test_an_invitation_that_is_refused_can_still_be_used(client: TestClient) -> None:
    """Without a contribution the seat is not taken, and nothing of it is stored."""
    made = create(client, **FRIENDS)
    token = made["invitations"]["Blue"]
    assert take(client, made["id"], token)[0] == 422
    assert take(client, made["id"], token, contribution=commitment("Blue"))[0] == 200


def test_of_two_who_accept_at_once_one_gets_the_seat(database_url: str, opened: Opened) -> None:
    made = create(opened(database_url), **FRIENDS)
    database = Database(database_url)
    match, token = made["id"], made["invitations"]["Blue"]
    with database.writing() as first:
        assert stored.exchange(first, match, token, "one") == ([1], "invitation")
    with database.writing() as second, pytest.raises(Exception, match="already used"):
        stored.exchange(second, match, token, "two")
    database.close()


def test_the_creator_sees_whether_the_invitation_was_accepted_and_can_replace_an_unused_one(client: TestClient) -> None:
    made = create(client, **FRIENDS)
    red = Seat(client, made["id"], made["keys"]["Red"])
    lobby = red.get("/lobby").json()
    assert [seat["who"] for seat in lobby["seats"]] == ["person", "open"]
    assert {(one["side"], one["to"]) for one in lobby["awaited"]} == {("Red", "reveal"), ("Blue", "join")}
    fresh = red.post("/invitations", {"side": "Blue"}).json()["token"]
    assert take(client, made["id"], made["invitations"]["Blue"], contribution=commitment("Blue"))[1]["reason"] == "used"
    accept(client, made["id"], fresh, "Blue")
    assert [seat["who"] for seat in red.get("/lobby").json()["seats"]] == ["person", "person"]
    assert red.post("/invitations", {"side": "Blue"}).json()["reason"] == "used"
    assert Seat(client, made["id"]).post("/invitations", {"side": "Blue"}).status_code == 403


def test_a_match_with_a_friend_begins_when_everyone_has_joined(client: TestClient) -> None:
    made = create(client, **FRIENDS)
    red = Seat(client, made["id"], made["keys"]["Red"])
    assert not made["begun"]
    for what in ("", "/info", "/record", "/position", "/timeline", "/layers/zoc"):
        assert reason(red, what) == "waiting"
    assert red.click("R1", 0).json()["reason"] == "waiting"
    with client.websocket_connect(f"/api/matches/{made['id']}/live") as line:
        assert line.receive_json()["refusal"]["reason"] == "waiting"
        assert line.receive()["code"] == 1013
    seats = join(client, made)
    assert seats["Blue"].view()["viewer"] == "Blue"


def test_hot_seat_and_solo_need_no_invitation(client: TestClient) -> None:
    for seats in ({"Red": "me", "Blue": "me"}, {"Red": "me", "Blue": "passive"}):
        made = create(client, **seats)
        assert (made["begun"], made["invitations"], made["recovery"]) == (True, {}, "")
        assert len(set(made["keys"].values())) == 1


def test_a_device_is_added_by_a_link_that_works_once_and_briefly(client: TestClient, database_url: str) -> None:
    seats = set_up(client)
    link = seats["Red"].post("/devices", {}).json()
    status, granted = take(client, seats["Red"].match, link["token"])
    assert (status, granted["sides"]) == (200, ["Red"])
    second = Seat(client, seats["Red"].match, granted["key"], "Red")
    assert second.key != seats["Red"].key
    assert second.view() == seats["Red"].view()
    assert take(client, seats["Red"].match, link["token"])[1]["reason"] == "used"
    late = seats["Red"].post("/devices", {}).json()["token"]
    database = Database(database_url)
    with database.writing() as connection:
        past = sa.update(LINKS).where(LINKS.c.digest == digest(late)).values(expires="2020-01-01T00:00:00.000+00:00")
        connection.execute(past)
    database.close()
    assert take(client, seats["Red"].match, late)[1]["error"].startswith("This link has expired")


def test_the_holder_signs_the_other_devices_out(client: TestClient) -> None:
    seats = set_up(client)
    red, match = seats["Red"], seats["Red"].match
    key = take(client, match, red.post("/devices", {}).json()["token"])[1]["key"]
    unused, recovery = red.post("/devices", {}).json()["token"], red.post("/recovery", {}).json()["token"]
    devices = red.get("/devices").json()["devices"]
    assert [(one["how"], one["this"]) for one in devices] == [("set-up", True), ("device link", False)]
    with client.websocket_connect(f"/api/matches/{match}/live") as line:
        line.send_json({"type": "hello", "key": key})
        assert line.receive_json()["type"] == "view"
        assert client.delete(f"/api/matches/{match}/devices", headers=red.headers).status_code == 204
        frames = [line.receive_json()]
        while frames[-1]["type"] != "refusal":
            frames.append(line.receive_json())
        assert frames[-1]["refusal"]["reason"] == "seat"
    assert Seat(client, match, key, "Red").get().status_code == 403
    assert {take(client, match, token)[0] for token in (unused, recovery)} == {409}
    assert red.get().status_code == 200
    assert seats["Blue"].get().status_code == 200


def test_a_recovery_link_gives_the_seat_back_and_a_new_link(client: TestClient) -> None:
    made = create(client, **FRIENDS)
    join(client, made)
    assert made["recovery"]
    status, granted = take(client, made["id"], made["recovery"])
    assert (status, granted["sides"]) == (200, ["Red"])
    assert Seat(client, made["id"], granted["key"], "Red").get().status_code == 200
    assert take(client, made["id"], made["recovery"])[1]["reason"] == "used"
    assert take(client, made["id"], granted["recovery"])[0] == 200


def test_the_database_holds_no_key_and_no_token(client: TestClient, database_url: str) -> None:
    made = create(client, **FRIENDS)
    seats = join(client, made)
    seats["Red"].post("/recovery", {})
    database = Database(database_url)
    with database.reading() as connection:
        tables = sa.MetaData()
        tables.reflect(connection)
        everything = str([connection.execute(table.select()).all() for table in tables.tables.values()])
    database.close()
    secret = [*made["keys"].values(), *made["invitations"].values(), made["recovery"], seats["Blue"].key]
    assert not any(one in everything for one in secret)
    assert digest(seats["Blue"].key) in everything


def sign_up(client: TestClient, name: str) -> None:
    body = {"name": name, "password": secrets.token_urlsafe()}
    assert client.post("/api/accounts", json=body).status_code == 201


def test_an_account_gives_each_device_a_key_of_its_own(client: TestClient) -> None:
    seats = set_up(client)
    match = seats["Red"].match
    sign_up(client, "Rommel")
    assert client.post(f"/api/me/seats/{match}/key").status_code == 403
    client.post("/api/me/seats", json={"id": match, "key": seats["Red"].key})
    granted = client.post(f"/api/me/seats/{match}/key").json()
    assert granted["sides"] == ["Red"]
    assert granted["key"] != seats["Red"].key
    assert Seat(client, match, granted["key"], "Red").get().status_code == 200
    assert "key" not in client.get("/api/me/games").json()["games"][0]


def test_the_list_of_an_account_says_who_has_not_joined(client: TestClient) -> None:
    made = create(client, **FRIENDS)
    sign_up(client, "Rommel")
    client.post("/api/me/seats", json={"id": made["id"], "key": made["keys"]["Red"]})
    (line,) = client.get("/api/me/games").json()["games"]
    assert (line["phase"], line["begun"], line["asked"]) == ("Waiting for Blue", False, None)


def test_an_account_that_had_only_a_key_loses_the_seat_when_its_holder_signs_others_out(client: TestClient) -> None:
    seats = set_up(client)
    match = seats["Red"].match
    sign_up(client, "Thief")
    client.post("/api/me/seats", json={"id": match, "key": seats["Red"].key})
    client.cookies.clear()
    client.delete(f"/api/matches/{match}/devices", headers=seats["Red"].headers)
    sign_up(client, "Other")
    assert seats["Red"].view()["viewer"] == "Red"
    assert seats["Red"].get("/info").json()["seats"][0]["name"] == ""


def test_a_player_resigns(client: TestClient, database_url: str, opened: Opened) -> None:
    seats = set_up(client)
    play(seats, 5)
    assert seats["spectator"].post("/resign", {}).status_code == 403
    view = seats["Blue"].post("/resign", {}).json()
    assert (view["result"]["winner"], view["result"]["reason"]) == ("Red", "Blue resigns")
    assert seats["Red"].view()["log"][-1]["text"] == "Blue resigns"
    assert seats["Red"].post("/resign", {}).json()["reason"] == "over"
    assert seats["Red"].click("R1", view["clicks"]).json()["reason"] == "over"
    again = Seat(opened(database_url), seats["Red"].match, seats["Red"].key, "Red")
    assert again.view() == seats["Red"].view()
    assert again.get(f"/at/{view['clicks']}").json()["result"]["reason"] == "Blue resigns"
    body = {"record": again.get("/record").text, "seats": {"Red": "me", "Blue": "me"}}
    copy = client.post("/api/matches/import", json=body).json()
    assert Seat(client, copy["id"]).view()["result"] == view["result"]


def age(database_url: str, match: str, side: int, days: float) -> None:
    """Let a side have looked last some days ago, and let the last click be as old."""
    moment = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="milliseconds")
    database = Database(database_url)
    with database.writing() as connection:
        connection.execute(sa.update(SEATS).where(SEATS.c.match == match, SEATS.c.side == side).values(seen=moment))
        connection.execute(sa.update(ENTRIES).where(ENTRIES.c.match == match).values(at=moment))
    database.close()


@pytest.mark.parametrize(("days", "reason"), [(13, "early"), (15, "")])
def test_a_match_is_claimed_when_the_opponent_has_not_come_back(
    client: TestClient, database_url: str, opened: Opened, days: int, reason: str
) -> None:
    seats = set_up(client)
    while seats["spectator"].view()["question"]["side"] != "Blue":
        play(seats, 1)
    assert seats["Blue"].post("/claim", {}).json()["reason"] == "early"
    age(database_url, seats["Red"].match, 1, days)
    red = Seat(opened(database_url), seats["Red"].match, seats["Red"].key, "Red")
    answer = red.post("/claim", {}).json()
    if reason:
        assert answer["reason"] == reason
        assert red.get("/info").json()["seats"][1]["claim_from"] is not None
    else:
        assert (answer["result"]["winner"], answer["result"]["reason"]) == ("Red", "Blue did not return in time")


def test_a_match_without_a_time_limit_cannot_be_claimed(client: TestClient, database_url: str, opened: Opened) -> None:
    seats = set_up(client)
    while seats["spectator"].view()["question"]["side"] != "Blue":
        play(seats, 1)
    database = Database(database_url)
    with database.writing() as connection:
        connection.execute(sa.update(MATCHES).values(claim_days=None))
    database.close()
    age(database_url, seats["Red"].match, 1, 400)
    red = Seat(opened(database_url), seats["Red"].match, seats["Red"].key, "Red")
    assert red.post("/claim", {}).json()["reason"] == "early"


def test_a_rematch_is_joined_with_the_key_of_the_match_before(client: TestClient) -> None:
    seats = set_up(client)
    seats["Blue"].post("/resign", {})
    old = seats["Red"].match
    asked = {"contribution": commitment("me")}
    made = seats["Red"].post("/rematch", asked).json()
    assert (made["invitations"], made["begun"]) == ({}, False)
    assert client.get(f"/api/matches/{made['id']}/lobby").json()["claim_days"] == 14
    assert seats["Blue"].post("/rematch", asked).json()["reason"] == "changed"
    body = {"rematch_of": old, "contribution": commitment("Blue")}
    stranger = Seat(client, made["id"])
    assert stranger.post("/seats", body).status_code == 403
    assert Seat(client, made["id"], seats["Red"].key).post("/seats", body).json()["reason"] == "used"
    granted = Seat(client, made["id"], seats["Blue"].key).post("/seats", body).json()
    assert granted["sides"] == ["Blue"]
    blue = Seat(client, made["id"], granted["key"], "Blue")
    red = Seat(client, made["id"], made["keys"]["Red"], "Red")
    red.post("/contribution", {"value": number("me")})
    assert blue.post("/contribution", {"value": number("Blue")}).json()["begun"]
    assert blue.view()["viewer"] == "Blue"


def test_a_branch_with_a_friend_waits_for_the_friend(client: TestClient) -> None:
    seats = set_up(client, Red="me", Blue="me")
    play(seats, 20)
    body = {"click": 10, "seats": FRIENDS}
    assert seats["Red"].post("/branch", body).status_code == 422
    made = seats["Red"].post("/branch", body | {"contribution": commitment("me")}).json()
    assert not made["begun"]
    branch = join(client, made)
    assert branch["Blue"].view()["clicks"] == 10


@pytest.mark.parametrize("key", ["ä", "\u0430", "é" * 100, "x\ud800"[:1]])
def test_a_key_of_other_letters_is_a_wrong_key(client: TestClient, key: str) -> None:
    seats = set_up(client)
    with client.websocket_connect(f"/api/matches/{seats['Red'].match}/live") as line:
        line.send_json({"type": "hello", "key": key})
        assert line.receive_json()["refusal"]["reason"] == "seat"


def test_a_match_has_a_limited_number_of_devices(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("khamsin.server.limits.DEVICES", 3)
    seats = set_up(client)
    match, red = seats["Red"].match, seats["Red"]
    assert take(client, match, red.post("/devices", {}).json()["token"])[0] == 200
    token = red.post("/devices", {}).json()["token"]
    assert take(client, match, token)[1]["reason"] == "limit"
    client.delete(f"/api/matches/{match}/devices", headers=red.headers)
    assert take(client, match, red.post("/devices", {}).json()["token"])[0] == 200
