"""Imports, branches and records run in the thread for replays, and their callers pay for the time. Several refusals are one
question."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from fastapi.testclient import TestClient

from khamsin.server import replay, wire
from khamsin.server.middleware import Payer
from khamsin.server.replay import Replay
from tests.server.conftest import Opened, on_sqlite
from tests.server.seats import Json, Seat, checked, play, set_up
from tests.toy import skirmish

BOTH = {"Red": "me", "Blue": "me"}


@pytest.fixture
def spent(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What callers are charged, in milliseconds."""
    charged: list[float] = []
    monkeypatch.setattr(Payer, "charge", lambda payer, milliseconds: charged.append(milliseconds))
    return charged


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The threads in which records are read and written and branches made."""
    found: list[str] = []

    def watch(of: Any, name: str) -> None:
        work = getattr(of, name)

        def watched(*args: Any) -> Any:
            found.append(threading.current_thread().name)
            return work(*args)

        monkeypatch.setattr(of, name, watched)

    watch(replay, "imported")
    for name in ("record", "branch", "branch_imagined"):
        watch(Replay, name)
    return found


def test_imports_branches_and_records_are_paid_for(opened: Opened, spent: list[float], threads: list[str]) -> None:
    client = opened("sqlite://")
    seats = set_up(client, **BOTH)
    red = seats["Red"]
    play(seats, 3)
    del spent[:]
    text = red.get("/record").text
    assert sum(spent) > 0
    del spent[:]
    assert red.post("/branch", {"click": 1, "seats": BOTH}).status_code == 201
    assert sum(spent) > 0
    del spent[:]
    assert client.post("/api/matches/import", json={"record": text, "seats": BOTH}).status_code == 201
    assert sum(spent) > 0
    del spent[:]
    damaged = text.replace('"click"', '"clack"')
    assert client.post("/api/matches/import", json={"record": damaged, "seats": BOTH}).status_code == 422
    assert spent, "a record that cannot be read costs time too"
    assert len(threads) == 4
    assert {name.rpartition("_")[0] for name in threads} == {"replays"}


@pytest.mark.parametrize("what", ["record", "branch", "import"])
def test_a_caller_who_has_used_up_its_time_is_refused(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    client = opened("sqlite://")
    red = set_up(client, **BOTH)["Red"]
    text = red.get("/record").text
    red.click("R1", 0)

    def check(payer: Payer) -> None:
        raise replay.Refused("limit", "Too many requests. Try again in 3 seconds.")

    monkeypatch.setattr(Payer, "check", check)
    answers = {
        "record": lambda: red.get("/record"),
        "branch": lambda: red.post("/branch", {"click": 0, "seats": BOTH}),
        "import": lambda: client.post("/api/matches/import", json={"record": text, "seats": BOTH}),
    }
    assert answers[what]().status_code == 429


@on_sqlite
def test_several_refusals_are_one_question(client: TestClient) -> None:
    """At an attack, each unit that may not join says why."""
    seats = set_up(client, scenario="melee")
    seats["Red"].click("done", 0)
    question = seats["Red"].click("0306", 1).json()["question"]
    assert question["kind"] == "combat.attackers"
    found = checked(wire.Refusals, seats["Red"].get("/refusals", click=["R1", "R3", "M1"]).json())["refusals"]
    assert [(why["click"], why["open"]) for why in found] == [("R1", False), ("R3", True), ("M1", False)]
    assert found[0]["reason"] == "R1 cannot attack 0306: not adjacent"
    assert found == [seats["Red"].get("/why", click=name).json() for name in ("R1", "R3", "M1")]
    assert seats["Red"].get("/refusals", click=["R1"] * 65).status_code == 422


@on_sqlite
def test_a_refusal_names_its_subject_once(client: TestClient) -> None:
    seats = set_up(client)
    refused = seats["Red"].click("M1", 0).json()
    assert refused["error"] == "M1 is not yours"
    unknown = seats["Red"].click("nonsense", 0).json()
    assert "nonsense: nonsense" not in unknown["error"]


def imported(client: TestClient, record: str) -> Json:
    made = client.post("/api/matches/import", json={"record": record})
    assert made.status_code == 201, made.text
    found: Json = made.json()
    return found


@on_sqlite
def test_an_import_seats_the_players_of_the_record(client: TestClient) -> None:
    """The computer plays its side again, the importer the other; without names, the importer plays all."""
    seats = set_up(client, Red="me", Blue="random:1")
    seats["Red"].post("/open", {})
    text = seats["Red"].get("/record").text
    assert json.loads(text.splitlines()[0])["players"]["Blue"] == "random:1"
    made = imported(client, text)
    assert list(made["keys"]) == ["Red"]
    info = Seat(client, made["id"], made["keys"]["Red"]).get("/info").json()
    assert {seat["side"]: seat["who"] for seat in info["seats"]} == {"Red": "person", "Blue": "random:1"}
    header, rest = text.split("\n", 1)
    for players in ({}, {"Red": "Ann", "Blue": "Bob"}, {"Blue": 7}, None):
        changed = json.dumps(json.loads(header) | {"players": players}) + "\n" + rest
        assert sorted(imported(client, changed)["keys"]) == ["Blue", "Red"]


@on_sqlite
def test_counters_have_full_names_and_games_a_glossary(client: TestClient) -> None:
    for game in ("paa", "kasserine"):
        data = client.get(f"/api/games/{game}").json()
        assert all(counter["full"] for counter in data["counters"])
        assert all(term["term"] and term["text"] for term in data["glossary"])
    toy = client.get("/api/games/skirmish").json()
    assert [counter["full"] for counter in toy["counters"]] == [counter.name for counter in skirmish.COUNTERS]
