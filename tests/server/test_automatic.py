"""Automatic clicks: the server makes the only legal click, and undo steps back over it. Dropped selections are not moves."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from khamsin import cli, games
from khamsin.kernel import KeyedDice, Match, record
from khamsin.kernel.dice import SeededDice
from khamsin.kernel.rules import EVERYONE, Game, Phase, Procedure
from khamsin.server import automatic, views
from khamsin.server.automatic import forced_click
from khamsin.server.store import ENTRIES
from tests.server.conftest import Opened, on_sqlite
from tests.server.seats import Json, Seat, set_up
from tests.server.test_updates import rows
from tests.toy import skirmish

UNITS = ("R1", "R2", "R3", "R4", "T1", "T2")


def move_all(seats: dict[str, Seat], first: str = "0305") -> Json:
    """Let T2 move next to the enemy, or stay, and every other Red unit stay: then only `done` is legal."""
    number = 0
    for unit in UNITS:
        for click in (unit, first if unit == "T2" else "stay"):
            answer = seats["Red"].click(click, number)
            assert answer.status_code == 200, answer.text
            number += 1
    return seats["Red"].view()


@on_sqlite
def test_the_only_legal_click_is_made_by_the_server(client: TestClient) -> None:
    view = move_all(set_up(client))
    assert (view["phase"], view["clicks"], view["version"]) == ("red combat", 13, 13)
    assert view["question"]["side"] == "Red"
    line = view["log"][-1]
    assert (line["text"], line["note"], line["rule"], line["click"]) == ("Only choice: Done", "automatic", "3", 13)


@on_sqlite
def test_only_the_side_that_decides_reads_of_it(client: TestClient) -> None:
    seats = set_up(client)
    move_all(seats)
    for name in ("Blue", "spectator"):
        assert not [line for line in seats[name].view()["log"] if line["note"]]


@on_sqlite
def test_a_turn_is_not_ended_while_a_move_could_be_undone(client: TestClient) -> None:
    """Nothing can be attacked, so `done` would end the turn with the movement phase."""
    question = move_all(set_up(client), "stay")["question"]
    assert [button["click"] for button in question["buttons"]] == ["done"]
    assert not question["units"]
    assert not question["hexes"]


@on_sqlite
def test_undo_steps_back_over_automatic_clicks(client: TestClient) -> None:
    seats = set_up(client)
    view = move_all(seats)
    last = view["question"]["moves"][-1]
    assert last == {"number": 5, "clicks": ["T2", "0305"], "said": ["T2", "0305"], "automatic": ["done"]}
    back = seats["Red"].post("/undo", {"number": view["question"]["number"]}).json()
    assert (back["phase"], back["clicks"]) == ("red movement", 10)
    assert "T2" in back["question"]["units"]
    assert not [line for line in back["log"] if line["note"]]


@on_sqlite
def test_an_earlier_move_that_an_automatic_click_needs_is_kept(client: TestClient) -> None:
    """Without the first move `done` would not have been the only click; the later ones need it all the same."""
    seats = set_up(client)
    view = move_all(seats)
    back = seats["Red"].post("/undo", {"number": view["question"]["number"], "move": 0})
    assert back.status_code == 200
    after = back.json()
    assert after["question"]["moves"][-1] == {
        "number": 4,
        "clicks": ["T2", "0305"],
        "said": ["T2", "0305"],
        "automatic": ["done"],
    }
    assert [(line["click"], line["note"]) for line in after["log"][-1:]] == [(11, "automatic")]


def test_automatic_clicks_and_their_undo_survive_a_restart(database_url: str, opened: Opened) -> None:
    seats = set_up(opened(database_url))
    before = move_all(seats)
    for undone in (False, True):
        if undone:
            before = seats["Red"].post("/undo", {"number": before["question"]["number"]}).json()
        client = opened(database_url)
        seats = {name: Seat(client, seat.match, seat.key, seat.side) for name, seat in seats.items()}
        after = seats["Red"].view()
        assert after["question"]["moves"] == before["question"]["moves"]
        assert after["clicks"] == before["clicks"]
        assert after["log"] == seats["Red"].view()["log"]


@on_sqlite
def test_the_record_marks_automatic_clicks_and_is_read_again(client: TestClient, tmp_path: Path) -> None:
    seats = set_up(client, Red="me", Blue="me")
    move_all(seats)
    text = seats["Red"].get("/record").text
    lines = [json.loads(line) for line in text.splitlines()]
    assert [number for number, line in enumerate(lines) if line.get("automatic")] == [13]
    assert record.read(text, games.load).automatic == {13}
    file = tmp_path / "match.jsonl"
    file.write_text(text)
    assert CliRunner().invoke(cli.app, ["replay", str(file)]).exit_code == 0
    body = {"record": text, "seats": {"Red": "me", "Blue": "me"}}
    made = client.post("/api/matches/import", json=body).json()
    again = Seat(client, made["id"], made["keys"]["Red"], "Red")
    assert again.view()["question"]["moves"][-1]["automatic"] == ["done"]
    branched = seats["Red"].post("/branch", {"click": 13, "seats": body["seats"]}).json()
    copy = Seat(client, branched["id"], branched["keys"]["Red"], "Red")
    assert copy.view()["question"]["moves"][-1]["automatic"] == ["done"]
    assert seats["Red"].get("/at/13").json()["phase"] == "red combat"


def test_what_is_forced_and_what_is_left_to_the_player() -> None:
    """A retreat of the other side is forced; the first decision of a turn, a roll and the end of a turn are not."""
    made: Counter[str] = Counter()
    for seed in range(60):
        match, chance, last = Match(skirmish.RULES, "melee", dice=SeededDice(seed)), random.Random(seed), 0
        while match.decision and len(match.clicks) < 120:
            decision, legal = match.decision, list(match.decision.legal)
            click = forced_click(match, last)
            if click is not None:
                assert legal == [match.rules.parse(click)]
                assert not (match.phase_begins and decision.side != last), "the turn has just begun"
                made[decision.kind] += 1
            rolls, moves = len(match.game.rolls), len(match.moves)
            last = decision.side
            match.click(chance.choice(legal))
            if click is not None:
                assert len(match.game.rolls) == rolls
                passes = match.decision is None or match.decision.side != last
                assert not (passes and moves)
    assert made["combat.retreat"]
    assert made["move.stack"]


def test_automatic_clicks_in_a_row_are_bounded(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if every decision were forced."""
    monkeypatch.setattr(automatic, "forced_click", lambda match, clicked: match.names[0])
    seats = set_up(opened("sqlite://"))
    assert seats["Red"].click("R1", 0).json()["clicks"] == 1 + automatic.MAX_IN_A_ROW


def test_a_computer_player_decides_itself(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automatic, "forced_click", lambda match, clicked: match.names[0])
    seats = set_up(opened("sqlite://"), Red="me", Blue="random:1")
    view = seats["Red"].click("done", 0).json()
    entries = [line for line in view["log"] if line["note"]]
    assert view["clicks"] <= 1 + automatic.MAX_IN_A_ROW
    assert all(line["phase"].startswith("red") for line in entries)


def strongest_first(g: Game[Any]) -> Procedure:
    """Blue must show its strongest militia: forced, but Red cannot know which."""
    yield g.ask(skirmish.RED, "move.stack", "Begin", "3", buttons=[skirmish.DONE])
    unit = max(skirmish.MILITIA, key=lambda unit: g.state.strength[unit])
    yield g.ask(skirmish.BLUE, "combat.loss", "Show a unit", "6", units=[unit])
    yield g.ask(skirmish.BLUE, "combat.loss", "Show a hex", "6", locations=[skirmish.VILLAGE])
    yield g.ask(skirmish.BLUE, "move.stack", "End", "3", buttons=[skirmish.DONE, skirmish.STAY])


def test_a_decision_that_is_forced_by_something_hidden_is_left_to_the_player() -> None:
    """Were it answered at once, the opponent would learn that it was forced."""
    phase = Phase("red movement", skirmish.RED, strongest_first, "3")
    rules = replace(skirmish.RULES, phases=lambda state: (phase,))
    match = Match(rules, "village", dice=KeyedDice.seeded(1))
    match.play(["done"])
    assert automatic.only_click(match.decision) is not None
    assert forced_click(match, skirmish.RED) is None
    assert match.decision is not None
    match.click(match.decision.nth(0))
    assert forced_click(match, skirmish.BLUE) == "0408"


def test_a_click_that_gives_something_up_is_left_to_the_player() -> None:
    """The player confirms it."""
    warned = replace(skirmish.DISPLAY, warnings=lambda g, decision: {skirmish.DONE: "Ends the movement"})
    for display, expected in ((skirmish.DISPLAY, "done"), (warned, None)):
        match = Match(replace(skirmish.RULES, display=display), "village", dice=SeededDice(1))
        match.play(click for unit in UNITS for click in (unit, "0305" if unit == "T2" else "stay"))
        assert forced_click(match, skirmish.RED) == expected


@on_sqlite
def test_a_selection_that_was_dropped_is_not_a_move(client: TestClient) -> None:
    """`cancel` leaves nothing to undo, and undo passes over it to the last move."""
    seats = set_up(client, "paa", "campaign", Axis="me", Allied="me")
    seat = next(iter(seats.values()))

    def click(name: str) -> Json:
        question = seat.view(side="Allied")["question"]
        answer = seat.click(name, question["number"], "Allied")
        assert answer.status_code == 200, answer.text
        after: Json = seat.view(side="Allied")["question"]
        return after

    first, second = list(seat.view(side="Allied")["question"]["units"])[:2]
    click(first)
    assert click("cancel")["moves"] == []
    click(first)
    hexes = seat.view(side="Allied")["question"]["hexes"]
    placed = click(next(iter(hexes)))["moves"]
    assert [move["clicks"][0] for move in placed] == [first]
    click(second)
    after = click("cancel")
    assert after["moves"] == placed
    back = seat.post("/undo", {"number": after["number"], "side": "Allied"}).json()
    assert first in back["question"]["units"]
    assert back["question"]["moves"] == []


def test_entries_of_automatic_clicks_are_told_apart(database_url: str, opened: Opened) -> None:
    move_all(set_up(opened(database_url)))
    found = rows(database_url, sa.select(ENTRIES.c.kind).order_by(ENTRIES.c.seq))
    assert [row.kind for row in found] == ["start", *["click"] * 12, "auto"]


def test_rolls_without_effect_are_marked() -> None:
    """Of rolls by one rule, those whose hex no later event names had no effect; a roll that an event follows had one."""
    match = Match(skirmish.RULES, "village", dice=SeededDice(0))
    game, start = match.game, len(match.events)

    def roll(purpose: str, rule: str, to: int = EVERYONE) -> None:
        game.dice.roll(purpose, rule, to=to)

    for place in ("0101", "0102", "0103"):
        roll(f"command in {place}", "10.2")
    game.log("10.2", "{hex} is out of command", hex=skirmish.BOARD["0102"])
    roll("weather", "5.1")
    game.log("5.1", "Rain")
    roll("fog", "5.2")
    roll("hidden", "5.3", to=skirmish.BLUE)
    game.log("5.3", "A secret", to=skirmish.BLUE)
    roll("open", "5.4")
    game.log("5.3", "A secret", to=skirmish.BLUE)
    lines = views.lines(game, game.events[start:])
    routine = {line.text.partition(":")[0] for line in lines if line.note == "routine"}
    assert routine == {"command in 0101", "command in 0103", "fog", "open"}
