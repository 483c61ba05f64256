"""The live line: whole views, changes that add up to them, answers, seats, chat, and frames that make no sense."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import WebSocketTestSession
from starlette.websockets import WebSocket, WebSocketDisconnect

from khamsin.server import limits, wire
from khamsin.server.app import create_app
from khamsin.server.live import LiveConnection
from khamsin.server.settings import Settings
from tests import SOAK
from tests.server.conftest import Opened, caller
from tests.server.seats import Json, Seat, checked, open_clicks, set_up

SHAPES = {
    "view": wire.LiveView,
    "update": wire.LiveUpdate,
    "answer": wire.LiveAnswer,
    "refusal": wire.LiveRefusal,
    "seats": wire.LiveSeats,
    "said": wire.LiveSaid,
}


class Line:
    """A live line that keeps the view it has been told of."""

    def __init__(self, socket: WebSocketTestSession) -> None:
        self.socket = socket
        self.view: Json = {}
        self.seats: list[Json] = []
        self.clicks = 0

    def hear(self, kind: str) -> Json:
        """The next frame of a kind; what comes before it is taken in."""
        while True:
            frame: Json = self.socket.receive_json()
            checked(SHAPES[frame["type"]], frame)
            if frame["type"] == "view":
                self.view = frame["view"]
            elif frame["type"] == "update":
                self._change(frame)
            self.seats = frame.get("seats", self.seats)
            if frame["type"] == kind:
                return frame

    def _change(self, update: Json) -> None:
        view = self.view
        assert update["since"] == view["version"]
        view |= update["set"] | {"version": update["version"]}
        for name, unit in update["units"].items():
            if unit is None:
                del view["units"][name]
            else:
                view["units"][name] = unit
        view["log"] = view["log"][: update["log_from"]] + update["log"]

    def send(self, frame: Json) -> None:
        self.socket.send_json(frame)

    def click(self, click: str, number: int, **more: Any) -> Json | None:
        self.clicks += 1
        self.send({"type": "click", "id": self.clicks, "number": number, "click": click, **more})
        answer = self.hear("answer")
        assert answer["id"] == self.clicks
        return answer["refusal"]  # type: ignore[no-any-return]


@contextmanager
def line_of(seat: Seat, **more: Any) -> Iterator[Line]:
    with seat.client.websocket_connect(f"/api/matches/{seat.match}/live") as socket:  # type: ignore[attr-defined]
        line = Line(socket)
        line.send({"type": "hello", "key": seat.key, **more})
        line.hear("view")
        yield line


@pytest.fixture
def table(tmp_path_factory: pytest.TempPathFactory, opened: Opened) -> TestClient:
    return opened(f"sqlite:///{tmp_path_factory.mktemp('live')}/games.db")


@pytest.mark.parametrize(
    ("game", "scenario", "sides"), [("skirmish", "melee", ("Red", "Blue")), ("paa", "campaign", ("Axis", "Allied"))]
)
def test_changes_add_up_to_the_whole_view(table: TestClient, game: str, scenario: str, sides: tuple[str, str]) -> None:
    seats = set_up(table, game, scenario, **dict(zip(sides, ("me", "friend"), strict=True)))
    chance = random.Random(2)
    with line_of(seats[sides[0]]) as first, line_of(seats[sides[1]]) as second, line_of(seats["spectator"]) as other:
        lines = {sides[0]: first, sides[1]: second}
        for _ in range(150):
            asked = first.view["question"]
            if asked is None:
                break
            line, idle = lines[asked["side"]], lines[sides[1 - sides.index(asked["side"])]]
            question = line.view["question"]
            moves = question["moves"]
            if moves and chance.random() < 0.2:
                move = chance.choice(moves)["number"]
                line.send({"type": "undo", "id": 0, "number": question["number"], "move": move})
                if line.hear("answer")["refusal"]:
                    continue
            else:
                assert line.click(chance.choice(open_clicks(question)), question["number"]) is None
            idle.hear("update")
            other.hear("update")
        for name, line in {**lines, "spectator": other}.items():
            whole = seats[name].view()
            assert {key: line.view[key] for key in whole if key != "log_from"} == {
                k: v for k, v in whole.items() if k != "log_from"
            }


def test_the_change_comes_before_the_answer(table: TestClient) -> None:
    seats = set_up(table)
    with line_of(seats["Red"]) as line:
        line.send({"type": "click", "id": 7, "number": 0, "click": "R1"})
        kinds = []
        while "answer" not in kinds:
            kinds.append(line.socket.receive_json()["type"])
        assert kinds[-2:] == ["update", "answer"]


def test_a_click_that_is_refused_says_why(table: TestClient) -> None:
    seats = set_up(table)
    with line_of(seats["Blue"]) as blue, line_of(seats["Red"]) as red:
        refusal = blue.click("M1", 0)
        assert refusal is not None
        assert (refusal["reason"], refusal["view"]["viewer"]) == ("turn", "Blue")
        assert (red.click("M1", 0) or {})["rule"] == "3"
        assert (red.click("R1", 5) or {})["reason"] == "stale"


def test_one_line_looks_from_both_seats_that_its_key_opens(table: TestClient) -> None:
    seats = set_up(table, Red="me", Blue="me")
    with line_of(seats["Red"], side="Blue") as line:
        assert line.view["viewer"] == "Blue"
        line.send({"type": "side", "side": "Red"})
        line.hear("view")
        assert line.view["viewer"] == "Red"
        assert line.click("R1", 0) is None
    with line_of(seats["spectator"]) as line:
        line.send({"type": "side", "side": "Red"})
        assert line.hear("refusal")["refusal"]["reason"] == "seat"


def test_who_is_here_is_told(table: TestClient) -> None:
    seats = set_up(table)

    def here(frame: Json) -> dict[str, bool]:
        return {seat["side"]: seat["here"] for seat in frame["seats"]}

    with line_of(seats["Red"]) as red:
        with line_of(seats["Blue"]):
            while not here(red.hear("seats"))["Blue"]:
                pass
        while here(red.hear("seats"))["Blue"]:
            pass


def test_what_is_said_is_heard(table: TestClient) -> None:
    seats = set_up(table)
    with line_of(seats["Red"]) as red, line_of(seats["spectator"]) as other:
        other.send({"type": "say", "text": "Hello"})
        assert red.hear("said")["line"]["text"] == "Hello"
        red.send({"type": "say", "text": "Good day"})
        other.hear("said")
        assert other.hear("said")["line"]["side"] == "Red"
    with line_of(seats["Blue"]) as blue:
        blue.send({"type": "side", "side": "Blue"})
        assert [said["text"] for said in blue.hear("view")["chat"]] == ["Hello", "Good day"]


def test_computer_players_move_by_themselves(table: TestClient) -> None:
    seats = set_up(table, "skirmish", "village", Red="me", Blue="passive")
    with line_of(seats["Red"]) as line:
        line.click("done", 0)
        while line.view["turn"]["number"] == 1:
            line.hear("update")
        assert line.view["question"]["side"] == "Red"
        assert line.view["version"] == 2


def test_two_computer_players_play_to_the_end(table: TestClient) -> None:
    seats = set_up(table, "skirmish", "village", Red="random:1", Blue="random:2")
    with line_of(seats["spectator"]) as line:
        while line.view["result"] is None:
            line.hear("update")
        assert line.view["dice"]["key"]


def test_a_computer_player_goes_on_when_somebody_looks_again(opened: Opened, tmp_path: Any) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    first = opened(url)
    first.app.state.registry.computers._closed = True  # type: ignore[attr-defined]
    seats = set_up(first, "skirmish", "village", Red="passive", Blue="me")
    again = Seat(opened(url), seats["Blue"].match, seats["Blue"].key)
    with line_of(again) as line:
        while line.view["question"]["side"] != "Blue":
            line.hear("update")


@pytest.mark.parametrize(
    ("hello", "reason"),
    [
        ({"type": "hello", "key": "wrong"}, "seat"),
        ({"type": "hello", "side": "Red"}, "seat"),
        ({"type": "hello", "side": "Green"}, "invalid"),
        ({"type": "hello", "key": 5}, "invalid"),
        ({"type": "click", "id": 1, "number": 0, "click": "R1"}, "invalid"),
        ([], "invalid"),
    ],
)
def test_a_line_that_does_not_say_hello_properly_is_closed(table: TestClient, hello: Any, reason: str) -> None:
    match = set_up(table)["Red"].match
    with table.websocket_connect(f"/api/matches/{match}/live") as socket:
        socket.send_json(hello)
        assert socket.receive_json()["refusal"]["reason"] == reason
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
        assert closed.value.code == 1008


def test_a_line_to_no_game_is_closed(table: TestClient) -> None:
    with table.websocket_connect("/api/matches/nowhere/live") as socket:
        assert socket.receive_json()["refusal"]["reason"] == "unknown"


def test_bytes_and_floods_close_the_line(table: TestClient) -> None:
    seats = set_up(table)
    for frame, code in ((b"\x00\xff", 1003), ("x" * (limits.FRAME + 1), 1009)):
        with line_of(seats["Red"]) as line:
            line.socket.send_bytes(frame) if isinstance(frame, bytes) else line.socket.send_text(frame)
            with pytest.raises(WebSocketDisconnect) as closed:
                line.hear("answer")
            assert closed.value.code == code


def test_too_many_lines_to_one_game_are_refused(table: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SPECTATORS", 1)
    seats = set_up(table)
    with line_of(seats["spectator"]):
        assert turned_away(seats["spectator"]) == ("busy", 1013)
        with line_of(seats["Red"]), line_of(seats["Blue"]):
            pass
    with line_of(seats["spectator"]):
        pass


def turned_away(seat: Seat) -> tuple[str, int]:
    """The reason for which a line is refused, and the code it is closed with."""
    with seat.client.websocket_connect(f"/api/matches/{seat.match}/live") as socket:  # type: ignore[attr-defined]
        socket.send_json({"type": "hello", "key": seat.key})
        reason = socket.receive_json()["refusal"]["reason"]
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
        return reason, closed.value.code


def test_spectators_of_one_address_are_limited_and_players_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SPECTATORS_PER_ADDRESS", 1)
    with caller(create_app(settings=Settings(), draw_ahead=False)) as table:
        one, two = set_up(table), set_up(table)
        with line_of(one["spectator"]):
            assert turned_away(two["spectator"]) == ("limit", 1013)
            with line_of(one["Red"]), line_of(two["Blue"]), line_of(two["Red"]):
                pass
        with line_of(two["spectator"]):
            pass


def test_players_have_a_limit_of_their_own(table: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SEAT_LINES", 2)
    seats = set_up(table)
    with line_of(seats["Red"]), line_of(seats["Blue"]):
        assert turned_away(seats["Red"]) == ("limit", 1013)
        with line_of(seats["spectator"]):
            pass


def test_a_spectator_who_comes_and_goes_is_no_news(table: TestClient) -> None:
    seats = set_up(table)
    with line_of(seats["Red"]) as red:
        for _ in range(5):
            with line_of(seats["spectator"]):
                pass
        with line_of(seats["Blue"]):
            red.hear("seats")
            assert {seat["side"]: seat["here"] for seat in red.seats} == {"Red": True, "Blue": True}


def test_players_are_told_before_spectators(table: TestClient) -> None:
    seats = set_up(table)
    order: list[int] = []
    with line_of(seats["spectator"]), line_of(seats["Red"]) as red:
        lines = table.app.state.registry.find_in_memory(seats["Red"].match).lines  # type: ignore[attr-defined]
        for line in lines:
            line.wake = lambda line=line, wake=line.wake: (order.append(len(line.holds)), wake())
        assert red.click("R1", 0) is None
        red.send({"type": "say", "text": "The spectator has been told by now"})
        red.hear("said")
    assert order[:2] == [1, 0]


Junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
Frames = st.fixed_dictionaries(
    {"type": st.sampled_from(["click", "undo", "side", "say", "hello", "view", ""]) | Junk},
    optional={
        "id": st.integers(-1, 9) | Junk, "number": st.integers(0, 3) | Junk, "click": st.sampled_from(["R1", "M1"]) | Junk,
        "side": st.sampled_from(["Red", "Blue", "x"]) | Junk, "move": Junk, "text": Junk, "key": Junk,
    },
)  # fmt: skip


@settings(max_examples=200 if SOAK else 20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(Frames.map(json.dumps) | st.text(max_size=40), max_size=8))
def test_frames_that_make_no_sense_change_nothing(table: TestClient, frames: list[str]) -> None:
    seats = set_up(table)
    before = seats["Blue"].view()
    with line_of(seats["Blue"]) as line:
        for frame in frames:
            line.socket.send_text(frame)
        line.send({"type": "click", "id": 12345, "number": 0, "click": "M1"})
        while line.hear("answer")["id"] != 12345:
            pass
    assert seats["Blue"].view() == before


def test_a_line_that_cannot_keep_up_gets_the_whole_view_and_every_answer() -> None:
    line = LiveConnection(WebSocket({"type": "websocket"}, None, None), None, None, [0], 0)  # type: ignore[arg-type]
    line.answer(b'{"type":"answer","id":1}')
    for number in range(limits.QUEUE * 3):
        line.send(b'{"type":"update"%d}' % number)
    line.answer(b'{"type":"answer","id":2}')
    assert line._behind
    assert [*line._answers] == [b'{"type":"answer","id":1}', b'{"type":"answer","id":2}']
    assert not line._waiting
