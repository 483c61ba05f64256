"""A player for the tests: sits at one or both seats of a game through the API, as any program could."""

from __future__ import annotations

import hashlib
import random
from typing import Any, TypeVar

import httpx
from pydantic import TypeAdapter

from khamsin.server import wire
from khamsin.server.live_match import LiveMatch
from khamsin.server.registry import MatchRegistry
from khamsin.server.seating import Seating

Json = dict[str, Any]


T = TypeVar("T")


def checked(kind: type[T], data: Any) -> T:
    """Return data that came over the wire, checked against its type."""
    return TypeAdapter(kind).validate_python(data)


class Seat:
    """The key to a game, and what can be done with it."""

    def __init__(self, client: httpx.Client, match: str, key: str = "", side: str | None = None) -> None:
        self.client = client
        self.match = match
        self.key = key
        self.side = side

    @property
    def headers(self) -> dict[str, str]:
        return {"X-Khamsin-Key": self.key} if self.key else {}

    def get(self, what: str = "", **query: Any) -> httpx.Response:
        if self.side is not None:
            query.setdefault("side", self.side)
        return self.client.get(f"/api/matches/{self.match}{what}", params=query, headers=self.headers)

    def post(self, what: str, body: Json) -> httpx.Response:
        return self.client.post(f"/api/matches/{self.match}{what}", json=body, headers=self.headers)

    def view(self, **query: Any) -> Json:
        answer = self.get(**query)
        assert answer.status_code == 200, answer.text
        return answer.json()  # type: ignore[no-any-return]

    def click(self, click: str, number: int, side: str | None = None) -> httpx.Response:
        return self.post("/clicks", {"number": number, "click": click, "side": side})


def create(client: httpx.Client, game: str = "skirmish", scenario: str = "village", **seats: str) -> Json:
    """A new match as the server answers; with a friend in it, it has not begun."""
    body: Json = {"game": game, "scenario": scenario, "seats": seats or {"Red": "me", "Blue": "friend"}}
    body |= {"contribution": commitment("me")} if "friend" in body["seats"].values() else {"seed": 1}
    answer = client.post("/api/matches", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()  # type: ignore[no-any-return]


def set_up(client: httpx.Client, game: str = "skirmish", scenario: str = "village", **seats: str) -> dict[str, Seat]:
    """A new match that everyone has joined, and a seat for every side that a person holds."""
    made = create(client, game, scenario, **seats)
    found = join(client, made)
    return found | {"spectator": Seat(client, made["id"])}


async def begun(registry: MatchRegistry) -> LiveMatch:
    """A new match without a server around it; one person holds both sides."""
    new = wire.NewMatch(game="skirmish", scenario="village", seats={"Red": "me", "Blue": "me"}, seed=7)
    return await registry.table((await Seating(registry).set_up(new)).id)


def join(client: httpx.Client, made: Json) -> dict[str, Seat]:
    """Accept the invitations of a new match and contribute to its dice; a seat for every side that a person holds."""
    found = {side: Seat(client, made["id"], key, side) for side, key in made["keys"].items()}
    for side, token in made["invitations"].items():
        found[side] = accept(client, made["id"], token, side)
    if not made["begun"]:
        for whose, seat in [("me", next(iter(found.values()))), *((side, found[side]) for side in made["invitations"])]:
            if whose == "me" and not made["keys"]:
                continue
            answer = seat.post("/contribution", {"value": number(whose)})
            assert answer.status_code == 200, answer.text
    return found


def accept(client: httpx.Client, match: str, token: str, side: str) -> Seat:
    """Exchange the invitation of a side for a key."""
    answer = client.post(f"/api/matches/{match}/seats", json={"token": token, "contribution": commitment(side)})
    assert answer.status_code == 200, answer.text
    granted = answer.json()
    return Seat(client, match, granted["key"], granted["sides"][0])


def number(whose: str) -> str:
    """The number that a player of the tests contributes to the dice."""
    return hashlib.sha256(whose.encode()).hexdigest()


def commitment(whose: str) -> str:
    """The commitment to that number."""
    return hashlib.sha256(bytes.fromhex(number(whose))).hexdigest()


def asked(seats: dict[str, Seat]) -> Json | None:
    """The question as the asked side sees it; None when the game is over."""
    question = seats["spectator"].view()["question"]
    return None if question is None else seats[question["side"]].view()["question"]


def open_clicks(question: Json) -> list[str]:
    return [*question["units"], *question["hexes"], *question["boxes"], *(b["click"] for b in question["buttons"])]


def play(seats: dict[str, Seat], clicks: int, seed: int = 0) -> int:
    """Click at random, so many times or until the game is over; how many it were."""
    chance = random.Random(seed)
    for made in range(clicks):
        question = asked(seats)
        if question is None:
            return made
        answer = seats[question["side"]].click(chance.choice(open_clicks(question)), question["number"])
        assert answer.status_code == 200, answer.text
    return clicks
