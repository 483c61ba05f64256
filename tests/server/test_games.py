"""Games over the API, on SQLite and on PostgreSQL: set up, look, click, ask, replay, branch, talk."""

from __future__ import annotations

import random
from typing import Any

import pytest
from fastapi.testclient import TestClient

from khamsin.kernel import record
from khamsin.kernel.dice import KeyedDice, commitment
from khamsin.server import wire
from tests.server.conftest import Opened, on_sqlite
from tests.server.seats import Seat, asked, checked, open_clicks, play, set_up
from tests.toy import skirmish


def find(game: str) -> Any:
    assert game == "skirmish"
    return skirmish.RULES


@on_sqlite
def test_the_shelf_names_games_and_players(client: TestClient) -> None:
    shelf = checked(wire.GameList, client.get("/api/shelf").json())
    games = {game.id: game for game in shelf.games}
    assert games["paa"].playable
    assert games["paa"].sections > 50
    assert games["skirmish"].scenarios[0].options == {"weather": ["dry", "wet"]}
    assert {shelf.usual, *shelf.levels} <= {player.name for player in shelf.players}


@on_sqlite
def test_a_box_is_sent_once(client: TestClient) -> None:
    first = client.get("/api/games/paa")
    box = checked(wire.GameData, first.json())
    assert len(box.counters) == 152
    assert {table.name for table in box.tables} >= {"crt"}
    again = client.get("/api/games/paa", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304


@on_sqlite
def test_a_rulebook_comes_section_by_section(client: TestClient) -> None:
    book = checked(wire.Rulebook, client.get("/api/games/paa/rulebook").json())
    assert all(section.gist for section in book.sections)


@on_sqlite
def test_a_box_says_whether_there_are_secrets_and_what_points_are_called(client: TestClient) -> None:
    boxes = {game: client.get(f"/api/games/{game}").json() for game in ("paa", "kasserine")}
    assert {game: (box["secrets"], box["points"]) for game, box in boxes.items()} == {
        "paa": (False, "MF"),
        "kasserine": (True, "MP"),
    }


@on_sqlite
def test_every_option_comes_with_a_line_about_it(client: TestClient) -> None:
    games = {game["id"]: game for game in client.get("/api/shelf").json()["games"]}
    for game in ("paa", "kasserine"):
        for scenario in games[game]["scenarios"]:
            assert scenario["notes"].keys() == scenario["options"].keys()


@on_sqlite
@pytest.mark.parametrize("path", ["/api/games/chess", "/api/games/chess/rulebook"])
def test_an_unknown_game_is_refused(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.json()["reason"] == "unknown"


def test_one_key_opens_both_seats_of_a_hot_seat_game(client: TestClient) -> None:
    seats = set_up(client, Red="me", Blue="me")
    assert seats["Red"].key == seats["Blue"].key
    assert seats["Red"].view()["viewer"] == "Red"
    assert seats["Blue"].view()["viewer"] == "Blue"


def test_a_friend_has_a_key_of_his_own(client: TestClient) -> None:
    seats = set_up(client, Red="me", Blue="friend")
    assert seats["Red"].key != seats["Blue"].key
    assert [seat["who"] for seat in seats["spectator"].get("/info").json()["seats"]] == ["person", "person"]


@on_sqlite
def test_a_key_is_told_which_seats_it_opens(client: TestClient) -> None:
    seats = set_up(client, Red="me", Blue="friend")
    assert {name: seat.get("/info").json()["mine"] for name, seat in seats.items()} == {
        "Red": ["Red"],
        "Blue": ["Blue"],
        "spectator": [],
    }
    assert Seat(client, seats["Red"].match, "no such key").get("/info").status_code == 403


@on_sqlite
@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"game": "chess"}, 404),
        ({"scenario": "nowhere"}, 422),
        ({"options": {"weather": "snow"}}, 422),
        ({"seats": {"Red": "me"}}, 422),
        ({"seats": {"Red": "me", "Green": "me"}}, 422),
        ({"seats": {"Red": "me", "red": "me"}}, 422),
        ({"seats": {"Red": "me", "Blue": "clever"}}, 422),
        ({"seats": {"Red": "me", "Blue": "scripted"}}, 422),
        ({"seed": "7"}, 422),
        ({"more": 1}, 422),
    ],
)
def test_a_game_that_cannot_be_set_up_is_refused(client: TestClient, change: dict[str, Any], status: int) -> None:
    body = {"game": "skirmish", "scenario": "village", "seats": {"Red": "me", "Blue": "me"}} | change
    answer = client.post("/api/matches", json=body)
    assert answer.status_code == status
    checked(wire.Refusal, answer.json())


@on_sqlite
@pytest.mark.parametrize("viewer", ["Red", "Blue", "spectator"])
@pytest.mark.parametrize(("game", "scenario"), [("skirmish", "village"), ("paa", "campaign")])
def test_a_view_has_the_shape_that_is_documented(client: TestClient, game: str, scenario: str, viewer: str) -> None:
    sides = {"Red": "me", "Blue": "me"} if game == "skirmish" else {"Axis": "me", "Allied": "me"}
    seats = set_up(client, game, scenario, **sides)
    play(seats, 30)
    seat = list(seats.values())[["Red", "Blue", "spectator"].index(viewer)]
    view = checked(wire.View, seat.view())
    assert view["units"]
    assert view["viewer"] == seat.side
    assert view["clicks"] == view["version"] >= 30  # with automatic clicks


@on_sqlite
def test_the_question_is_for_the_asked_side_alone(client: TestClient) -> None:
    seats = set_up(client)
    assert seats["Red"].view()["question"]["units"]
    for other in ("Blue", "spectator"):
        assert seats[other].view()["question"] == {"side": "Red", "number": 0}


@on_sqlite
def test_a_click_answers_with_the_new_view_and_its_own_lines(client: TestClient) -> None:
    seats = set_up(client)
    before = seats["Red"].view()
    assert seats["Red"].click("R1", 0).status_code == 200
    answer = seats["Red"].click("0302", 1).json()
    assert answer["question"]["number"] == 2
    assert answer["units"]["R1"]["at"] == "0302"
    assert answer["log_from"] == len(before["log"])
    assert [line["text"] for line in answer["log"]] == ["R1 moves to 0302 for 2"]


@on_sqlite
def test_lines_that_are_known_can_be_left_out(client: TestClient) -> None:
    seats = set_up(client)
    play(seats, 40)
    whole = seats["Blue"].view()
    part = seats["Blue"].view(log_from=3)
    assert part["log"] == whole["log"][3:]
    assert part["log_from"] == 3


@on_sqlite
def test_a_move_is_taken_back(client: TestClient) -> None:
    seats = set_up(client)
    start = seats["Red"].view()
    seats["Red"].click("R1", 0)
    seats["Red"].click("0302", 1)
    back = seats["Red"].post("/undo", {"number": 2}).json()
    assert back["units"] == start["units"]
    assert back["log"] == start["log"]
    assert back["question"]["number"] == 3
    assert back["version"] == 3
    assert back["clicks"] == 0


@on_sqlite
def test_any_move_of_the_phase_is_taken_back(client: TestClient) -> None:
    seats = set_up(client)
    for number, click in enumerate(["R1", "0302", "T1", "0404", "R2", "stay"]):
        assert seats["Red"].click(click, number).status_code == 200
    assert seats["Red"].view()["question"]["moves"][0] == {
        "number": 0,
        "clicks": ["R1", "0302"],
        "said": ["R1", "0302"],
        "automatic": [],
    }
    back = seats["Red"].post("/undo", {"number": 6, "move": 0}).json()
    assert back["units"]["R1"]["at"] == "0401"
    assert back["units"]["T1"]["at"] == "0404"
    assert back["question"]["moves"][1]["clicks"] == ["R2", "stay"]
    assert back["question"]["moves"][1]["said"] == ["R2", "Stay"]  # a button by its caption
    refused = seats["Red"].post("/undo", {"number": 7, "move": 5})
    assert (refused.status_code, refused.json()["reason"]) == (422, "illegal")


@on_sqlite
def test_why_not_is_answered_with_the_rule(client: TestClient) -> None:
    seats = set_up(client)
    why = checked(wire.Why, seats["Red"].get("/why", click="M1").json())
    assert (why["open"], why["reason"], why["rule"]) == (False, "M1 is not yours", "3")
    assert seats["Red"].get("/why", click="R1").json()["open"]
    assert not seats["Blue"].get("/why", click="R1").json()["open"]
    assert seats["spectator"].get("/why", click="nonsense").status_code == 200


@on_sqlite
def test_odds_come_from_what_the_side_knows(client: TestClient) -> None:
    seats = set_up(client, scenario="melee")
    known = checked(wire.OddsView, seats["Blue"].get("/odds", attackers=["R3"], targets=["0306"]).json())
    unknown = checked(wire.OddsView, seats["Red"].get("/odds", attackers=["R3"], targets=["0306"]).json())
    assert [term["value"] for term in unknown["terms"]] == ["4", "0"]
    assert known["terms"][1]["value"] in "1234"
    assert sum(outcome["chance"] for outcome in known["outcomes"]) == pytest.approx(1)


@on_sqlite
@pytest.mark.parametrize(
    "query",
    [
        {"attackers": ["0401"], "targets": ["0306"]},
        {"attackers": ["R1"], "targets": []},
        {"attackers": ["R1"], "targets": ["x"]},
    ],
)
def test_odds_that_make_no_sense_are_refused(client: TestClient, query: dict[str, list[str]]) -> None:
    assert set_up(client)["Red"].get("/odds", **query).status_code == 422


@on_sqlite
def test_sheets_calendar_and_layers_of_paa(client: TestClient) -> None:
    seats = set_up(client, "paa", "campaign", Axis="me", Allied="me")
    play(seats, 60)
    for seat in seats.values():
        assert all(checked(wire.ArrivalView, row) for row in seat.get("/calendar").json())
        assert all(checked(wire.OddsView, row) for row in seat.get("/sheets", click="TOBRUK").json())
        for layer in client.get("/api/games/paa").json()["layers"]:
            checked(wire.LayerView, seat.get(f"/layers/{layer['name']}").json())
        assert seat.get("/layers/nonsense").status_code == 404


def test_chat_is_kept_with_the_seat_it_came_from(client: TestClient, opened: Opened, database_url: str) -> None:
    seats = set_up(client)
    assert seats["Red"].post("/chat", {"text": "  Shall we?  "}).json()["text"] == "Shall we?"
    seats["spectator"].post("/chat", {"text": "Go on"})
    lines = checked(wire.Chat, seats["Blue"].get("/chat").json())["lines"]
    assert [(line["number"], line["side"], line["text"]) for line in lines] == [
        (1, "Red", "Shall we?"),
        (2, None, "Go on"),
    ]
    assert seats["Red"].post("/chat", {"text": " "}).status_code == 422


def test_text_that_a_database_cannot_hold_is_refused(opened: Opened, database_url: str) -> None:
    """PostgreSQL knows no NUL."""
    seats = set_up(opened(database_url))
    assert seats["Red"].post("/chat", {"text": "Shall\0we?"}).status_code == 422
    assert seats["Red"].client.get("/api/matches/%00").status_code == 404


def test_a_game_plays_to_its_end_and_shows_the_key_of_its_dice(client: TestClient) -> None:
    seats = set_up(client)
    assert seats["Red"].view()["dice"]["key"] is None
    play(seats, 1000)
    view = checked(wire.View, seats["spectator"].view())
    assert view["result"] is not None
    assert view["dice"]["key"] is not None
    assert view["dice"]["commitment"] == commitment(bytes.fromhex(view["dice"]["key"]))
    assert seats["spectator"].get("/info").json()["asked"] is None


def test_a_game_goes_on_where_it_stood_when_the_server_starts_again(database_url: str, opened: Opened) -> None:
    seats = set_up(opened(database_url))
    for clicks in (1, 2, 60, 100):
        play(seats, clicks, seed=clicks)
        again = opened(database_url)
        for name, seat in seats.items():
            other = Seat(again, seat.match, seat.key, seat.side)
            assert other.view() == seat.view(), name
            seats[name] = other


def test_a_move_can_be_taken_back_after_the_server_started_again(database_url: str, opened: Opened) -> None:
    seats = set_up(opened(database_url))
    play(seats, 60, seed=3)
    while seats["spectator"].view()["question"]["side"] != "Red" or len(asked(seats)["moves"]) < 2:  # type: ignore[index]
        play(seats, 1, seed=4)
    again = Seat(opened(database_url), seats["Red"].match, seats["Red"].key, "Red")
    question = again.view()["question"]
    expected = seats["Red"].post("/undo", {"number": question["number"], "move": 0})
    third = Seat(opened(database_url), again.match, again.key, "Red")
    assert third.view() == expected.json()


@on_sqlite
def test_any_moment_is_shown_again(client: TestClient) -> None:
    seats = set_up(client)
    shown: dict[int, dict[str, Any]] = {}
    for _ in range(120):
        views = {name: seat.view() for name, seat in seats.items()}
        shown[views["spectator"]["clicks"]] = views
        if play(seats, 1, seed=len(shown)) == 0:
            break
    for click in (0, 1, *list(shown)[49:52], 7, max(shown)):
        for name, seat in seats.items():
            moment = checked(wire.View, seat.get(f"/at/{click}").json())
            then = shown[click][name]
            assert moment["question"] is None
            assert moment["units"] == then["units"]
            assert moment["log"] == then["log"]
            assert moment["turn"]["number"] == then["turn"]["number"]
    assert seats["Red"].get(f"/at/{len(shown) + 500}").status_code == 422


@on_sqlite
def test_moves_that_were_taken_back_are_not_in_the_replay(client: TestClient) -> None:
    seats = set_up(client)
    for number, click in enumerate(["R1", "0302", "T1", "0404"]):
        seats["Red"].click(click, number)
    seats["Red"].post("/undo", {"number": 4, "move": 0})
    now = seats["Red"].view()
    then = seats["Red"].get("/at/2").json()
    assert then["units"] == now["units"]
    assert then["log"] == now["log"]
    assert seats["Red"].get("/at/3").status_code == 422


@on_sqlite
def test_the_timeline_names_phases_and_rolls(client: TestClient) -> None:
    seats = set_up(client, scenario="melee")
    play(seats, 150)
    line = checked(wire.Timeline, seats["spectator"].get("/timeline").json())
    assert line["clicks"] == seats["spectator"].view()["clicks"]
    assert {moment["kind"] for moment in line["moments"]} == {"phase", "roll"}
    assert [moment["click"] for moment in line["moments"]] == sorted(moment["click"] for moment in line["moments"])
    assert "militia" not in str(line)
    assert "militia" in str(seats["Blue"].get("/timeline").json())


def test_the_record_replays_and_comes_back(client: TestClient) -> None:
    seats = set_up(client, Red="me", Blue="me")
    play(seats, 50)
    text = seats["Red"].get("/record").text
    match = record.read(text, find)
    assert len(match.clicks) == seats["Red"].view()["clicks"]
    answer = client.post("/api/matches/import", json={"record": text, "seats": {"Red": "me", "Blue": "me"}})
    assert answer.status_code == 201
    other = Seat(client, answer.json()["id"], answer.json()["keys"]["Red"], "Red")
    old, new = seats["Red"].view(), other.view()
    assert new["units"] == old["units"]
    assert new["log"][: len(old["log"])] == old["log"]
    assert new["dice"]["commitment"] != old["dice"]["commitment"]


def test_a_record_that_goes_on_is_kept_from_those_who_could_foresee_the_dice(client: TestClient) -> None:
    seats = set_up(client)
    for seat in seats.values():
        assert seat.get("/record").json()["reason"] == "seat"
    play(seats, 1000)
    text = seats["spectator"].get("/record").text
    match = record.read(text, find)
    assert match.over
    again = client.post("/api/matches/import", json={"record": text, "seats": {"Red": "me", "Blue": "me"}})
    view = client.get(f"/api/matches/{again.json()['id']}").json()
    assert view["result"] == seats["spectator"].view()["result"]
    assert view["dice"] == seats["spectator"].view()["dice"]


@on_sqlite
@pytest.mark.parametrize(
    "text", ["", "{}", "nonsense", '{"khamsin": 1}', "[" * 5000, '{"khamsin": 1, "game": "skirmish"}\n{"saved": {}}']
)
def test_a_record_that_makes_no_sense_is_refused(client: TestClient, text: str) -> None:
    answer = client.post("/api/matches/import", json={"record": text, "seats": {"Red": "me", "Blue": "me"}})
    assert (answer.status_code, answer.json()["reason"]) == (422, "invalid")


def test_a_new_game_branches_off_with_new_dice(client: TestClient, opened: Opened, database_url: str) -> None:
    seats = set_up(client, Red="me", Blue="me")
    play(seats, 90)
    then = seats["Red"].get("/at/41").json()
    answer = seats["Red"].post("/branch", {"click": 41, "seats": {"Red": "me", "Blue": "me"}})
    assert answer.status_code == 201
    made = answer.json()
    branch = {side: Seat(client, made["id"], key, side) for side, key in made["keys"].items()}
    branch["spectator"] = Seat(client, made["id"])
    view = branch["Red"].view()
    assert (view["units"], view["log"], view["clicks"]) == (then["units"], then["log"], 41)
    assert view["dice"]["commitment"] != then["dice"]["commitment"]
    play(branch, 50, seed=9)
    again = Seat(opened(database_url), made["id"], made["keys"]["Red"], "Red")
    assert again.view() == branch["Red"].view()
    assert record.read(branch["Red"].get("/record").text, find).state is not None


def test_a_running_game_is_branched_only_by_who_holds_all_its_seats(client: TestClient) -> None:
    seats = set_up(client)
    for seat in seats.values():
        assert seat.post("/branch", {"click": 0, "seats": {"Red": "me", "Blue": "me"}}).status_code == 403
    play(seats, 1000)
    assert seats["spectator"].post("/branch", {"click": 5, "seats": {"Red": "me", "Blue": "me"}}).status_code == 201


@on_sqlite
def test_every_roll_of_a_game_that_is_over_follows_from_its_key(client: TestClient) -> None:
    seats = set_up(client, Red="me", Blue="me")
    play(seats, 12)
    assert seats["Red"].get("/rolls").status_code == 403
    play(seats, 5000)
    told = seats["spectator"].get("/rolls").json()
    dice = KeyedDice(bytes.fromhex(seats["spectator"].view()["dice"]["key"]))
    assert [roll["number"] for roll in told["rolls"]] == list(range(len(told["rolls"])))
    assert len(told["rolls"]) > 2
    assert [roll["value"] for roll in told["rolls"]] == [dice.roll("", sides=roll["sides"]) for roll in told["rolls"]]


@on_sqlite
def test_rolls_that_fell_before_a_branch_are_not_of_its_key(client: TestClient) -> None:
    seats = set_up(client, Red="me", Blue="me")
    play(seats, 5000)
    clicks = seats["spectator"].get("/timeline").json()["clicks"]
    body = {"click": clicks - 1, "seats": {"Red": "me", "Blue": "me"}}
    made = seats["Red"].post("/branch", body).json()
    branch = {side: Seat(client, made["id"], key, side) for side, key in made["keys"].items()}
    branch["spectator"] = Seat(client, made["id"])
    play(branch, 5000)
    told = branch["spectator"].get("/rolls").json()
    assert told["rolls"][0]["number"] < 0


@on_sqlite
def test_when_a_game_is_over_anybody_may_look_from_either_side(client: TestClient) -> None:
    seats = set_up(client)
    assert seats["spectator"].get(side="Blue").status_code == 403
    play(seats, 1000)
    assert seats["spectator"].view(side="Blue")["viewer"] == "Blue"


@on_sqlite
def test_open_clicks_are_open(client: TestClient) -> None:
    seats = set_up(client, scenario="melee")
    play(seats, 10)
    question = asked(seats)
    assert question is not None
    assert open_clicks(question)


def kasserine(client: TestClient) -> dict[str, Seat]:
    """A game of Kasserine in which the Axis is about to set up."""
    seats = set_up(client, "kasserine", "faid", Axis="me", Allied="friend")
    assert seats["Allied"].click("done", 0).status_code == 200
    return seats


@on_sqlite
def test_a_piece_that_lies_face_down_shows_its_back_and_its_place_alone(client: TestClient) -> None:
    seats = kasserine(client)
    marker = "2/155/21 fire"
    seats["Axis"].click(marker, 1)
    hex = next(iter(seats["Axis"].view()["question"]["hexes"]))
    seats["Axis"].click(hex, 2)
    own = seats["Axis"].view()["units"][marker]
    assert (own["at"], own["back"]) == (hex, "")
    assert own["face"]
    for other in ("Allied", "spectator"):
        view = seats[other].view()
        there = {name: unit for name, unit in view["units"].items() if unit["at"] == hex and unit["back"]}
        assert marker not in there
        assert list(there.values()) == [{"at": hex, "steps": 0, "face": "", "back": "Axis Fire Support", "badges": []}]
        assert not [line for line in view["log"] if marker in line["text"]]


@on_sqlite
def test_ways_are_counted_in_points_with_their_halves(client: TestClient) -> None:
    seats = kasserine(client)
    while (question := asked(seats))["prompt"] != "Move a unit, or end the movement":
        seats[question["side"]].click("done", question["number"])
    question = seats["Axis"].click("1/5/21", question["number"]).json()["question"]
    assert question["undoable"]
    assert {cost % 1 for cost in question["reach"]["cost"]} == {0, 0.5}


@on_sqlite
def test_a_button_says_whether_it_goes_on_or_lets_go(client: TestClient) -> None:
    seats = kasserine(client)
    view = seats["Axis"].view()
    assert [(button["click"], button["role"]) for button in view["question"]["buttons"]] == [("done", "main")]
    question = seats["Axis"].click("2/155/21 fire", 1).json()["question"]
    assert [(button["click"], button["role"]) for button in question["buttons"]] == [("cancel", "cancel")]


@on_sqlite
def test_a_line_of_the_log_names_the_phase_in_which_it_happened(client: TestClient) -> None:
    seats = kasserine(client)
    log = seats["Axis"].click("done", 1).json()["log"]
    phases = [line["phase"] for line in log if line["turn"] == 1]
    assert phases[0] == "weather"
    assert "supply status" in phases


@on_sqlite
def test_the_odds_of_a_roll_include_what_both_sides_added_last(client: TestClient) -> None:
    seats = set_up(client, "afrika", "crusader", Axis="me", Allied="me")

    def click(name: str) -> Any:
        question = asked(seats)
        assert question is not None
        answer = seats[question["side"]].click(name, question["number"])
        assert answer.status_code == 200, answer.text
        return answer.json()

    while (question := asked(seats)) and question["kind"] != "combat.target":
        click("done")
    for name in ("A38.22", "done", "air 1"):
        click(name)
    question = asked(seats)
    assert question is not None
    assert (question["side"], question["kind"]) == ("Axis", "combat.air")
    (shown,) = question["sheets"]
    click("air 1")
    for seat in seats.values():
        view = seat.view()
        (made,) = view["made"]
        assert ("air points 1 to 1", "+0 columns") in [(term["text"], term["value"]) for term in made["terms"]]
        assert made["column"] != shown["column"]
        assert any(f"column {made['column']}, roll" in line["text"] for line in view["log"])


@on_sqlite
def test_while_units_are_hidden_only_the_side_that_clicked_is_sent_its_odds(client: TestClient) -> None:
    seats = set_up(client)
    seen = 0
    for seed in range(400):
        question = asked(seats)
        if question is None:
            break
        side = question["side"]
        seats[side].click(random.Random(seed).choice(open_clicks(question)), question["number"])
        if question["kind"].startswith("combat.") and question["sheets"]:
            seen += bool(seats[side].view()["made"])
            for other in {*seats} - {side}:
                assert seats[other].view()["made"] == []
    assert seen
