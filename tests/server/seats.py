"""A player for the tests: sits at one or both seats of a game through the API, as any program could."""

from __future__ import annotations

import random
from typing import Any

import httpx

Json = dict[str, Any]


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


def set_up(client: httpx.Client, game: str = "skirmish", scenario: str = "village", **seats: str) -> dict[str, Seat]:
    """A new game, and a seat for every side that a person holds."""
    seats = seats or {"Red": "me", "Blue": "friend"}
    body = {"game": game, "scenario": scenario, "seats": seats, "seed": 1}
    answer = client.post("/api/matches", json=body)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    found = {side: Seat(client, made["id"], key, side) for side, key in made["keys"].items()}
    return found | {"spectator": Seat(client, made["id"])}


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
