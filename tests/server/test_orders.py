"""Standing orders: set, listed and cancelled with the key of a seat, applied by the server, known to that seat alone."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from khamsin import cli, games
from khamsin.kernel import KeyedDice, Match, record
from khamsin.kernel import orders as standing
from khamsin.kernel.orders import Order
from khamsin.server import automatic, limits
from khamsin.server.store import ENTRIES
from tests.server.conftest import Opened, on_sqlite
from tests.server.seats import Json, Seat, set_up
from tests.server.test_updates import rows
from tests.toy import ambush
from tests.toy.skirmish import BLUE, MILITIA, RED


@pytest.fixture(autouse=True, scope="module")
def _ambush() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KHAMSIN_GAMES", "tests.toy.skirmish:RULES,tests.toy.ambush:RULES")
        assert games.load("ambush") is ambush.RULES
        yield


def begin(client: TestClient, **seats: str) -> dict[str, Seat]:
    return set_up(client, "ambush", "village", **seats)


def order(seat: Seat, policy: str = "stay", kind: str = "combat.counter", **given: int | str) -> Json:
    answer = seat.post("/orders", {"kind": kind, "policy": policy, "given": given, "side": seat.side})
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


def press(seat: Seat, click: str) -> Json:
    answer = seat.click(click, seat.view()["question"]["number"], seat.side)
    assert answer.status_code == 200, answer.text
    after: Json = answer.json()
    return after


def asked_side(seat: Seat) -> str:
    side: str = seat.view()["question"]["side"]
    return side


@on_sqlite
def test_an_order_answers_in_the_enemys_turn_and_its_owner_reads_of_it(client: TestClient) -> None:
    seats = begin(client)
    assert order(seats["Blue"])["orders"] == [
        {"number": 1, "kind": "combat.counter", "title": "Fire back", "text": "Hold fire"}
    ]
    for _ in range(2):
        assert press(seats["Red"], "0408")["question"]["side"] == "Red"
    lines = [line for line in seats["Blue"].view()["log"] if line["note"] == "order"]
    assert [(line["text"], line["rule"]) for line in lines] == [("Standing order: Hold fire", "6")] * 2
    assert [line["click"] for line in lines] == [2, 4]


@on_sqlite
def test_after_it_is_cancelled_the_player_is_asked_again(client: TestClient) -> None:
    seats = begin(client)
    order(seats["Blue"])
    press(seats["Red"], "0408")
    gone = client.delete(f"/api/matches/{seats['Blue'].match}/orders/1", headers=seats["Blue"].headers)
    assert gone.json()["orders"] == []
    press(seats["Red"], "0408")
    assert asked_side(seats["Blue"]) == "Blue"
    again = client.delete(f"/api/matches/{seats['Blue'].match}/orders/1", headers=seats["Blue"].headers)
    assert again.status_code == 404


@on_sqlite
def test_a_seat_begins_with_the_orders_that_the_game_presets_and_may_cancel_them(client: TestClient) -> None:
    seats = set_up(client, "tunisia", "mareth", Axis="me", Allied="me")
    kinds = ["combat.withdraw", "air.onward", "combat.stocks", "supply.eat", "air.bases", "drop.plan"]
    for side in ("Axis", "Allied"):
        found = seats[side].get("/orders", side=side).json()["orders"]
        assert [one["kind"] for one in found] == kinds
        assert [one["number"] for one in found] == [1, 2, 3, 4, 5, 6]
    axis = seats["Axis"]
    gone = client.delete(f"/api/matches/{axis.match}/orders/4?side=Axis", headers=axis.headers)
    assert [one["kind"] for one in gone.json()["orders"]] == [kind for kind in kinds if kind != "supply.eat"]


@on_sqlite
def test_an_order_that_is_set_at_a_decision_answers_it(client: TestClient) -> None:
    seats = begin(client)
    press(seats["Red"], "0408")
    offers = seats["Blue"].view()["question"]["orders"]
    assert offers == [
        {"policy": "stay", "text": "Hold fire"},
        {"policy": "fire", "text": "Fire back"},
        {"policy": "weak", "text": "Fire back at weak militia"},
    ]
    order(seats["Blue"], "fire")
    assert asked_side(seats["Blue"]) == "Red"
    assert "Blue answers fire" in [line["text"] for line in seats["Red"].view()["log"]]


@on_sqlite
def test_a_kind_that_the_game_does_not_declare_accepts_its_buttons(client: TestClient) -> None:
    """They can be ordered while the decision is asked, and not before."""
    seats = begin(client)
    asked = {"kind": "combat.choice", "policy": "always stay", "given": {}}
    assert seats["Blue"].post("/orders", asked).status_code == 422
    press(seats["Red"], "R1")
    assert seats["Blue"].view()["question"]["orders"] == [
        {"policy": "always fire", "text": "Fire"},
        {"policy": "always stay", "text": "Stay"},
    ]
    made = seats["Blue"].post("/orders", asked)
    assert made.json()["orders"] == [{"number": 1, "kind": "combat.choice", "title": "Combat: choice", "text": "Stay"}]
    assert press(seats["Red"], "R1")["question"]["side"] == "Red"


@on_sqlite
def test_no_order_is_offered_in_the_own_turn(client: TestClient) -> None:
    seats = begin(client)
    assert seats["Red"].view()["question"]["orders"] == []


@on_sqlite
def test_an_order_for_a_place_answers_there_and_elsewhere_the_next_one(client: TestClient) -> None:
    seats = begin(client)
    assert order(seats["Blue"], "fire", only="the village")["orders"][0]["text"] == "Fire back, only at the village"
    order(seats["Blue"], "stay")
    press(seats["Red"], "0408")
    press(seats["Red"], "0401")
    told = [line["text"] for line in seats["spectator"].view()["log"]]
    assert [text for text in told if "answers" in text] == ["Blue answers fire", "Blue answers stay"]
    order_except = order(seats["Blue"], "stay", **{"except": "0401"})
    assert order_except["orders"][-1]["text"] == "Hold fire, except at 0401"


@on_sqlite
@pytest.mark.parametrize("policy", ["illegal", "fails"])
def test_a_policy_that_gives_no_legal_click_leaves_the_decision_to_the_player(client: TestClient, policy: str) -> None:
    seats = begin(client)
    order(seats["Blue"], policy)
    assert press(seats["Red"], "0408")["question"]["side"] == "Blue"
    assert press(seats["Blue"], "stay")["question"]["side"] == "Red"


@on_sqlite
def test_nobody_else_learns_of_the_orders_of_a_seat(client: TestClient) -> None:
    """Neither before they are applied nor after; the opponent reads what the game says of the click."""
    seats = begin(client)
    order(seats["Blue"])
    press(seats["Red"], "0408")
    press(seats["Red"], "done")
    for name in ("Red", "spectator"):
        seat = seats[name]
        for what in ("", "/info", "/timeline", "/summary", "/at/1", "/at/2", "/chat", "/calendar"):
            body = seat.get(what).text.lower()
            assert "standing" not in body, what
            assert "hold fire" not in body, what
            assert '"order"' not in body, what
        assert "Blue answers stay" in seat.get().text
        with client.websocket_connect(
            f"/api/matches/{seat.match}/live", headers={"Origin": "http://127.0.0.1"}
        ) as live:
            live.send_json({"type": "hello", "key": seat.key, "side": seat.side})
            assert "standing" not in live.receive_text().lower()
    assert seats["Red"].get("/orders").json()["orders"] == []


@on_sqlite
def test_orders_need_the_key_of_their_seat(client: TestClient) -> None:
    seats = begin(client)
    order(seats["Blue"])
    body = {"kind": "combat.counter", "policy": "fire", "given": {}, "side": "Blue"}
    for name in ("Red", "spectator"):
        assert seats[name].get("/orders", side="Blue").status_code == 403
        assert seats[name].post("/orders", body).status_code == 403
        gone = client.delete(
            f"/api/matches/{seats[name].match}/orders/1", params={"side": "Blue"}, headers=seats[name].headers
        )
        assert gone.status_code == 403
    assert len(seats["Blue"].get("/orders").json()["orders"]) == 1


def test_orders_and_their_clicks_survive_a_restart(database_url: str, opened: Opened) -> None:
    seats = begin(opened(database_url))
    order(seats["Blue"], "stay", **{"except": "0401"})
    press(seats["Red"], "0408")
    before = seats["Blue"].view()
    client = opened(database_url)
    seats = {name: Seat(client, seat.match, seat.key, seat.side) for name, seat in seats.items()}
    after = seats["Blue"].view()
    assert (after["log"], after["clicks"]) == (before["log"], before["clicks"])
    assert [one["text"] for one in seats["Blue"].get("/orders").json()["orders"]] == ["Hold fire, except at 0401"]
    assert press(seats["Red"], "0408")["question"]["side"] == "Red"
    assert press(seats["Red"], "0401")["question"]["side"] == "Blue"
    found = rows(database_url, sa.select(ENTRIES.c.kind).order_by(ENTRIES.c.seq))
    assert [row.kind for row in found] == ["start", "click", "order", "click", "order", "click"]


def test_a_click_that_cannot_be_stored_leaves_no_order_applied(
    database_url: str, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The click and the answer to it are stored in one transaction."""
    client = opened(database_url)
    seats = begin(client)
    order(seats["Blue"])
    store = client.app.state.registry.store  # type: ignore[attr-defined]

    async def broken(job: object) -> None:
        raise OSError("disk full")

    number = seats["Red"].view()["question"]["number"]
    with monkeypatch.context() as patch:
        patch.setattr(store, "write", broken)
        assert seats["Red"].click("0408", number).status_code == 503
    assert seats["Red"].view()["clicks"] == 0
    assert press(seats["Red"], "0408")["clicks"] == 2


@on_sqlite
def test_in_the_record_they_are_ordinary_clicks_with_a_mark(client: TestClient, tmp_path: Path) -> None:
    seats = begin(client, Red="me", Blue="me")
    order(seats["Blue"])
    press(seats["Red"], "0408")
    press(seats["Red"], "0401")
    text = seats["Red"].get("/record").text
    clicks = [json.loads(line) for line in text.splitlines()][1:-1]
    assert [(line["click"], "order" in line) for line in clicks] == [
        ("0408", False), ("stay", True), ("0401", False), ("stay", True),
    ]  # fmt: skip
    assert record.read(text, games.load).ordered == {2, 4}
    file = tmp_path / "match.jsonl"
    file.write_text(text)
    assert CliRunner().invoke(cli.app, ["replay", str(file)]).exit_code == 0
    made = client.post("/api/matches/import", json={"record": text, "seats": {"Red": "me", "Blue": "me"}}).json()
    again = Seat(client, made["id"], made["keys"]["Red"], "Red")
    assert again.get("/record").text.count('"order": true') == 2
    assert again.get("/orders").json()["orders"] == []


@on_sqlite
def test_with_one_key_for_both_seats_each_seat_has_its_own_orders(client: TestClient) -> None:
    seats = begin(client, Red="me", Blue="me")
    order(seats["Blue"])
    assert order(seats["Red"], "fire")["side"] == "Red"
    press(seats["Red"], "0408")
    press(seats["Red"], "done")
    press(seats["Blue"], "0408")
    told = [line["text"] for line in seats["spectator"].view()["log"]]
    assert [text for text in told if "answers" in text] == ["Blue answers stay", "Red answers fire"]


@on_sqlite
def test_an_order_answers_a_computer_player(client: TestClient) -> None:
    """The computer fires until it ends its turn. Blue is asked for what has no order yet, and no more for that."""
    seats = begin(client, Red="random:3", Blue="me")
    order(seats["Blue"])
    asked = []
    while (question := seats["Blue"].view()["question"])["side"] != "Blue" or question["kind"] != "move.stack":
        if question["side"] == "Blue":
            asked.append(question["kind"])
            order(seats["Blue"], "always stay", question["kind"])
    assert asked == ["combat.choice"]
    assert {line["note"] for line in seats["Blue"].view()["log"]} == {"", "order", "routine"}


@on_sqlite
def test_automatic_clicks_by_orders_are_bounded(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also by an order that answers every decision."""
    seats = begin(client)
    monkeypatch.setattr(
        standing, "answer", lambda match, orders: (Order(1, BLUE, "", "", {}, "Again"), match.rules.parse("0408"))
        if match.decision.top
        else (Order(1, BLUE, "", "", {}, "Again"), match.rules.parse("stay")),
    )  # fmt: skip
    client.app.state.registry.find_in_memory(seats["Red"].match).orders = [Order(1, BLUE, "", "", {}, "Again")]  # type: ignore[attr-defined]
    assert press(seats["Red"], "0408")["clicks"] == 1 + automatic.MAX_IN_A_ROW


@on_sqlite
def test_undo_steps_back_over_a_click_by_order(client: TestClient) -> None:
    """The player's click and the order's after it are one move; the order does not answer again until the next click."""
    seats = begin(client)
    order(seats["Red"], "stay", "move.option")
    view = press(seats["Red"], "R2")
    assert view["question"]["moves"] == [{"number": 0, "clicks": ["R2"], "said": ["R2"], "automatic": ["stay"]}]
    assert [line["text"] for line in view["log"]][-2:] == ["Standing order: Walk", "R2 goes stay"]
    press(seats["Red"], "R2")
    number = seats["Red"].view()["question"]["number"]
    back = seats["Red"].post("/undo", {"number": number, "move": 0}).json()
    assert (back["clicks"], len(back["question"]["moves"])) == (2, 1)
    assert [line["text"] for line in back["log"] if line["note"] == "order"] == ["Standing order: Walk"]
    back = seats["Red"].post("/undo", {"number": back["question"]["number"]}).json()
    assert (back["clicks"], back["question"]["kind"]) == (0, "move.stack")
    assert not [line for line in back["log"] if line["note"]]


def test_an_order_that_one_process_takes_is_applied_by_another(postgres_url: str, opened: Opened) -> None:
    first, second = opened(postgres_url), opened(postgres_url)
    seats = begin(first)
    there = Seat(second, seats["Blue"].match, seats["Blue"].key, "Blue")
    assert there.get("/orders").json()["orders"] == []
    order(seats["Blue"])
    while not there.get("/orders").json()["orders"]:
        continue
    assert press(Seat(second, there.match, seats["Red"].key, "Red"), "0408")["question"]["side"] == "Red"


@on_sqlite
@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({"kind": "combat.counter", "policy": "stay", "given": {"only": "Atlantis"}}, "Atlantis"),
        ({"kind": "combat.counter", "policy": "stay", "given": {"reserve": 1}}, "no such parameter"),
        ({"kind": "combat.counter", "policy": "charge", "given": {}}, "charge"),
        ({"kind": "move.stack", "policy": "always done", "given": {}}, "move.stack"),
        ({"kind": "combat.counter", "policy": "always cancel", "given": {}}, "cancel"),
    ],
)
def test_what_cannot_be_ordered_is_refused_with_the_reason(client: TestClient, body: Json, word: str) -> None:
    answer = begin(client)["Blue"].post("/orders", body)
    assert answer.status_code == 422
    assert word in answer.json()["error"]


@on_sqlite
def test_a_seat_has_a_limited_number_of_orders_and_none_twice(client: TestClient) -> None:
    blue = begin(client)["Blue"]
    for _ in range(2):
        assert len(order(blue)["orders"]) == 1
    for n in range(1, limits.ORDERS):
        order(blue, "fire", only=f"{n % 5 + 1:02}{n // 5 + 1:02}")
    refused = blue.post("/orders", {"kind": "combat.counter", "policy": "fire", "given": {}})
    assert refused.status_code == 429


def test_a_policy_sees_what_its_seat_may_know_and_no_more() -> None:
    """Red's order is about the strength of Blue's militia, which Red does not know: it answers alike in every state that Red
    cannot tell from the true one, while the same function on the true states does not."""
    orders = [Order(1, RED, "combat.counter", "weak", {}, "")]
    answers, truths = set(), set()
    for seed in range(12):
        match = Match(ambush.RULES, "village", dice=KeyedDice.seeded(seed))
        match.play(["done", "0408"])
        found = standing.answer(match, orders)
        assert found is not None
        answers.add(found[1])
        assert match.decision is not None
        truths.add(ambush.weak_militia(match.game, match.decision, {}))
        other = match.imagined(RED, random.Random(seed), KeyedDice.seeded(0))
        assert standing.answer(other, orders) == found
    assert len(answers) == 1
    assert len(truths) == 2


def test_a_policy_of_the_owner_of_hidden_units_sees_them() -> None:
    orders = [Order(1, BLUE, "combat.counter", "weak", {}, "")]
    for seed in range(12):
        match = Match(ambush.RULES, "village", dice=KeyedDice.seeded(seed))
        match.play(["0408"])
        found = standing.answer(match, orders)
        weak = match.state.strength[MILITIA[0]] <= 2
        assert found is not None
        assert match.rules.names[found[1]] == ("fire" if weak else "stay")


def test_a_decision_is_given_to_a_policy_without_the_functions_of_the_rules() -> None:
    match = Match(ambush.RULES, "village", dice=KeyedDice.seeded(1))
    match.play(["0408"])
    assert match.decision is not None
    match.decision.why_not = lambda g, decision, click: None
    seen = standing.known(match.decision)
    assert (seen.why_not, seen.can_act, seen.reach) == (None, None, None)
    assert seen.legal == match.decision.legal
    assert seen.legal is not match.decision.legal
