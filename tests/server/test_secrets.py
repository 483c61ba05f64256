"""Two games that differ only in what a side may not know: whatever that side asks, both give it the same answer."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from khamsin import games
from khamsin.kernel import position, record
from khamsin.kernel.dice import KeyedDice, SeededDice
from khamsin.kernel.match import Match
from tests.server.seats import Json, Seat, commitment, join

BLIND = [(side, turn) for side in (0, 1) for turn in (0, 1, 5)]
"""Who may not know, and in which turn the two games part; before the first turn some of it is hidden from both."""


def twins(game: str, scenario: str, side: int, turn: int) -> Iterator[Match[Any]]:
    """A game at some point of a turn, and another that a side could not tell from it; best one that the other side could."""
    rules, chance = games.load(game), random.Random(turn)
    match = Match(rules, scenario, dice=KeyedDice.seeded(7))
    go_on = {rules.button(name) for name in ("done", "ready") if name in rules.buttons}
    while match.decision and (match.state.turn < turn or not match.decision.top):
        clicks = list(match.decision.legal)
        match.click(next((c for c in clicks if c in go_on and chance.random() < 0.5), chance.choice(clicks)))
    knows = rules.conceal(match.state, 1 - side)
    imagined = [match.imagined(side, chance, SeededDice(seed)) for seed in range(20)]
    other = max(imagined, key=lambda one: (rules.conceal(one.state, 1 - side) != knows, one.state != match.state))
    assert other.state != match.state
    for one in (match, other):
        yield Match.at(position.read_game(position.write(one), games.load))


def put_up(client: TestClient, match: Match[Any]) -> dict[str, Seat]:
    """The game on the table of a server, every seat with a key of its own."""
    first, *others = match.rules.sides
    body = {"record": record.write(match), "seats": {first: "me"} | dict.fromkeys(others, "friend")}
    put = client.post("/api/matches/import", json=body | {"contribution": commitment("me")})
    assert put.status_code == 201, put.text
    made = put.json()
    return join(client, made) | {"spectator": Seat(client, made["id"])}


def everything(seat: Seat, match: Match[Any], chance: random.Random) -> Iterator[tuple[str, Json]]:
    """All that can be asked of a game from a seat."""
    rules = match.rules
    for path in (
        "",
        "/info",
        "/timeline",
        "/at/0",
        "/calendar",
        "/sheets",
        "/chat",
        "/record",
        "/position",
        "/summary",
    ):
        yield path, {}
    for layer in rules.display.layers:
        yield f"/layers/{layer}", {}
    for click in chance.sample(rules.names, 30):
        yield "/why", {"click": click}
        yield "/sheets", {"click": click}
    standing = [rules.names[unit] for unit, at in enumerate(match.state.where) if at >= 0 and rules.board.is_hex(at)]
    for _ in range(20):
        near = rules.board.names[match.state.where[rules.names.index(chance.choice(standing))]]
        yield "/odds", {"attackers": chance.sample(standing, min(2, len(standing))), "targets": [near]}


def told(seat: Seat, path: str, query: Json) -> str:
    """The answer, without what tells any two games apart."""
    found = seat.get(path, **query)
    assert found.status_code < 500, found.text
    text = found.text.replace(seat.match, "GAME")
    if found.headers["content-type"].startswith("application/json"):
        body = found.json()
        body = body if isinstance(body, dict) else {}
        changing = [body.get("started"), body.get("changed"), body.get("dice", {}).get("commitment")]
        seats = body.get("seats", [])
        for what in [*changing, *(seat.get(name) for seat in seats for name in ("seen", "claim_from"))]:
            text = text.replace(str(what), "...") if what else text
    return text


@pytest.mark.parametrize(
    ("game", "scenario", "side", "turn"),
    [
        *(("kasserine", "campaign", side, turn) for side, turn in BLIND),
        *(("tunisia", "mareth", side, 33) for side in (0, 1)),
    ],
)
def test_no_answer_tells_apart_what_a_side_may_not_tell_apart(
    opened: Any, game: str, scenario: str, side: int, turn: int
) -> None:
    client = opened("sqlite://")
    match, other = twins(game, scenario, side, turn)
    ours, theirs = put_up(client, match), put_up(client, other)
    for name in (match.rules.sides[side], "spectator"):
        for path, query in everything(ours[name], match, random.Random(turn)):
            assert told(ours[name], path, query) == told(theirs[name], path, query), f"{name} {path} {query}"


def test_the_search_would_find_what_a_side_may_know(opened: Any) -> None:
    client = opened("sqlite://")
    match, other = twins("kasserine", "campaign", 0, 5)
    knows = match.rules.sides[1]
    ours, theirs = put_up(client, match)[knows], put_up(client, other)[knows]
    assert any(
        told(ours, path, query) != told(theirs, path, query)
        for path, query in everything(ours, match, random.Random(3))
    )
