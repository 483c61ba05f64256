"""Bots: computer players that sit at a server as everybody does, over HTTP and the live line."""

import json
import random as chance
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi.testclient import TestClient
from typer.testing import CliRunner
from websockets.sync.server import ServerConnection
from websockets.sync.server import serve as serve_line

from khamsin import cli, games, players
from khamsin.bot import Bot, BrokenLine, Late, Seat, legal_names, refused, shown
from khamsin.joining import KeyFile, Link, contribute
from khamsin.kernel.dice import KeyedDice, SeededDice
from khamsin.kernel.match import Match
from khamsin.players import Passive, Random
from khamsin.server.app import create_app
from khamsin.server.connections import server_config
from khamsin.server.database import Database
from khamsin.server.positions import position_of
from khamsin.server.settings import Settings
from tests import SOAK
from tests.server.seats import create, join
from tests.toy import renamed, skirmish

HOT_SEAT = {"Red": "me", "Blue": "me"}
FRIENDS = {"Red": "me", "Blue": "friend"}


@pytest.fixture
def server(tmp_path: Any) -> Iterator[str]:
    """The address of a real server."""
    with running(Database(f"sqlite:///{tmp_path / 'games.db'}")) as address:
        yield address


@contextmanager
def running(database: Database, port: int = 0) -> Iterator[str]:
    listening = socket.create_server(("127.0.0.1", port))
    settings = Settings(rate_scale=1e6)
    app = create_app(database=database, settings=settings, draw_ahead=False)
    server = uvicorn.Server(server_config(app, settings, "critical"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def set_up(server: str, game: str, scenario: str, seats: dict[str, str]) -> dict[str, str]:
    """A new game: the link to each seat."""
    with httpx.Client(base_url=server) as client:
        made = create(client, game, scenario, **seats)
        return {side: f"{server}/game/{made['id']}#key={seat.key}" for side, seat in join(client, made).items()}


def at_once(*bots: Bot) -> list[Any]:
    """Let bots play against each other; what each says of the end."""
    results: list[Any] = [None] * len(bots)

    def play(number: int, bot: Bot) -> None:
        results[number] = bot.play()
        bot.close()

    threads = [threading.Thread(target=play, args=pair) for pair in enumerate(bots)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_two_bots_play_a_whole_game(server: str) -> None:
    links = set_up(server, "skirmish", "melee", FRIENDS)
    red, blue = (Bot(Seat.parse(links[side]), Random(seed)) for seed, side in enumerate(links))
    results = at_once(red, blue)
    assert results[0] == results[1]
    assert results[0]["reason"]
    record = httpx.get(f"{red.seat.address}/record").text.splitlines()
    automatic = sum('"automatic"' in line for line in record)
    assert len(record) - 2 == red.clicks + blue.clicks + automatic
    assert json.loads(record[-1])["result"]["reason"] == results[0]["reason"]


def test_a_bot_accepts_an_invitation_keeps_its_key_and_can_be_started_again(server: str, tmp_path: Path) -> None:
    with httpx.Client(base_url=server) as client:
        made = create(client, scenario="melee", **FRIENDS)
    red = f"{server}/game/{made['id']}#key={made['keys']['Red']}"
    blue = f"{server}/game/{made['id']}#invite={made['invitations']['Blue']}"
    said: list[str] = []
    keys = {"red": KeyFile(tmp_path / "red.json"), "blue": KeyFile(tmp_path / "blue.json")}
    results: dict[str, Any] = {}
    waits = threading.Event()

    def say(text: str) -> None:
        said.append(text)
        waits.set()

    def play(who: str, link: str, enough: int) -> None:
        bot = Bot(Seat.take(link, keys[who], say), Random(1), enough=lambda clicks: clicks >= enough)
        results[who] = bot.play()
        bot.close()

    others = threading.Thread(target=play, args=("red", red, 10**6), daemon=True)
    others.start()
    assert waits.wait(60)  # Red has a number of its own, which it must commit to before Blue reveals one
    play("blue", blue, 5)
    assert results["blue"] is None
    play("blue", blue, 10**6)
    others.join()
    assert results["red"] == results["blue"]
    assert any("Waiting for" in text for text in said)
    assert (tmp_path / "blue.json").stat().st_mode & 0o077 == 0
    with pytest.raises(ValueError, match="already used"):
        Seat.take(blue, KeyFile(tmp_path / "other.json"), said.append)


def test_a_bot_does_not_contribute_twice(tmp_path: Path) -> None:
    """A server that asks for another number after one was revealed could try until it likes the dice."""
    link, keys = Link.parse("http://127.0.0.1:1/game/x#key=k"), KeyFile(tmp_path / "keys.json")
    keys.keep(link, number="00" * 32, revealed=True)
    asked = {"mine": ["Red"], "contributions": [{"side": "Red", "commitment": None, "revealed": False}]}
    with httpx.Client() as client, pytest.raises(ValueError, match="would not be fair"):
        contribute(client, link, keys, asked)


def test_a_bot_with_both_seats_plays_one(server: str) -> None:
    links = set_up(server, "skirmish", "village", HOT_SEAT)
    assert links["Red"] == links["Blue"]
    blue = Bot(Seat.parse(links["Blue"]), Passive(), side="Blue")
    red = Bot(Seat.parse(links["Red"]), Passive(), side="Red")
    assert [result["winner"] for result in at_once(red, blue)] == ["Blue", "Blue"]


def test_a_bot_plays_against_the_computer_of_the_server(server: str) -> None:
    links = set_up(server, "skirmish", "village", {"Red": "random:3", "Blue": "me"})
    bot = Bot(Seat.parse(links["Blue"]), Random(1))
    assert bot.play() is not None
    bot.close()


CLICKS = 150 if SOAK else 60


def test_a_bot_plays_some_turns_of_panzerarmee_afrika(server: str) -> None:
    links = set_up(server, "paa", "campaign", {"Axis": "me", "Allied": "random:2"})
    said: list[str] = []
    bot = Bot(Seat.parse(links["Axis"]), Random(5), say=said.append, enough=lambda clicks: clicks >= CLICKS)
    assert bot.play() is None
    bot.close()
    assert bot.clicks == CLICKS
    assert len(said) == CLICKS + 1


def test_the_scripted_player_moves_over_the_api_as_it_does_at_home(server: str) -> None:
    """It is shown the same, so that it decides the same."""
    links = set_up(server, "paa", "campaign", {"Axis": "me", "Allied": "passive"})
    clicks: list[str] = []
    bot = Bot(
        Seat.parse(links["Axis"]), players.player("scripted:7"), enough=lambda clicks: clicks >= 60,
        say=lambda text: clicks.append(text.rpartition(": ")[2]),
    )  # fmt: skip
    bot.play()
    bot.close()
    rules = games.load("paa")
    at_home: Match[Any] = Match(rules, "campaign", dice=KeyedDice.seeded(1))
    axis, allied = players.player("scripted:7"), Passive()
    made: list[str] = []
    while len(made) < 60:
        assert at_home.decision is not None
        side = at_home.decision.side
        click = players.answer(at_home, axis if side == rules.side("Axis") else allied)
        if side == rules.side("Axis"):
            made.append(rules.names[click])
        at_home.click(click)
    assert made == clicks[1:]


def played(rules: Any, scenario: str, seed: int, clicks: int) -> Iterator[Match[Any]]:
    """The same match at one question after another."""
    match: Match[Any] = Match(rules, scenario, dice=SeededDice(seed))
    player = Random(seed)
    for _ in range(clicks):
        if match.decision is None:
            return
        yield match
        match.click(players.answer(match, player))


@pytest.mark.parametrize(("rules", "scenario"), [(skirmish.RULES, "melee"), (games.load("paa"), "campaign")])
def test_what_a_bot_is_shown_is_what_its_side_may_know(rules: Any, scenario: str) -> None:
    for match in played(rules, scenario, 3, 300):
        assert match.decision is not None
        side = match.decision.side
        copy = shown(position_of(match, side).model_dump(mode="json"))
        assert copy.decision == match.decision
        assert list(copy.decision.legal) == list(match.decision.legal)
        assert copy.number == match.number
        seen = match.game.seen_by(side).state
        assert copy.game.state.where == seen.where
        assert copy.view(side)["units"] == match.view(side)["units"]
        assert copy.view(side)["state"] == match.view(side)["state"]


def test_what_a_bot_is_shown_hides_what_its_side_may_not_know() -> None:
    for match in played(skirmish.RULES, "village", 3, 100):
        text = position_of(match, skirmish.RED).position
        other = match.imagined(skirmish.RED, chance.Random(9), SeededDice(2))
        assert position_of(other, skirmish.RED).position == text
        assert match.decision is not None
        if match.decision.side == skirmish.BLUE:
            assert position_of(match, skirmish.RED).legal == []
            assert position_of(match, skirmish.RED).prompt == ""


def test_a_bot_reads_a_position_of_an_older_server_and_answers_with_its_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clicks that this version does not know are left out."""
    old = Match(renamed.OLD, "village", dice=KeyedDice.seeded(1))
    old.play(["T1"])
    answer = position_of(old, 0).model_dump()
    answer["legal"].append(["a hex of theirs", None])
    monkeypatch.setattr("khamsin.bot._rules", lambda game: renamed.RULES)
    match = shown(answer)
    stay = renamed.RULES.button("stay")
    assert match.decision is not None
    assert stay in match.decision.legal
    assert legal_names(renamed.RULES, answer)[stay] == "stand"


@pytest.mark.parametrize("key", ["", "made up"])
def test_a_position_needs_the_key_of_a_seat(client: TestClient, key: str) -> None:
    seats = join(client, made := create(client, **FRIENDS))
    answer = client.get(f"/api/matches/{made['id']}/position", headers={"X-Khamsin-Key": key})
    assert answer.status_code == 403
    other = client.get(
        f"/api/matches/{made['id']}/position", params={"side": "Red"}, headers={"X-Khamsin-Key": seats["Blue"].key}
    )
    assert other.status_code == 403


def test_a_link_that_opens_no_seat_is_named(server: str) -> None:
    link = set_up(server, "skirmish", "village", FRIENDS)["Red"]
    for wrong in (link + "x", f"{server}/game/nothing#key=x"):
        bot = Bot(Seat.parse(wrong), Random(1))
        with pytest.raises(ValueError, match=r"key|match"):
            bot.play()


def test_a_bot_calls_again_ever_later_until_the_server_is_back(tmp_path: Any) -> None:
    url = f"sqlite:///{tmp_path / 'games.db'}"
    with running(Database(url)) as address:
        links = set_up(address, "skirmish", "village", {"Red": "me", "Blue": "passive"})
    port = int(address.rpartition(":")[2])
    waits: list[float] = []
    with ExitStack() as servers:

        def pause(seconds: float) -> None:
            waits.append(seconds)
            if len(waits) == 3:
                servers.enter_context(running(Database(url), port))

        bot = Bot(Seat.parse(links["Red"]), Passive(), pause=pause)
        result = bot.play()
        bot.close()
    assert result is not None
    assert waits == [1.0, 2.0, 5.0]
    assert bot.calls == 0


@contextmanager
def scripted_server(talk: Callable[[ServerConnection], None]) -> Iterator[str]:
    """A live line that says what the test wants it to."""
    with serve_line(talk, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.socket.getsockname()[1]}/game/x#key=y"
        server.shutdown()
        thread.join()


VIEW = {
    "viewer": "Red", "question": {"side": "Blue", "number": 3}, "result": None, "turn": {"number": 1}, "phase": "movement",
}  # fmt: skip


def test_a_bot_that_was_too_slow_looks_again_and_ends_when_the_game_does() -> None:
    result = {"winner": None, "level": "draw", "reason": "peace", "rule": "1"}

    def talk(line: ServerConnection) -> None:
        assert json.loads(line.recv()) == {"type": "hello", "key": "y", "side": None}
        line.send(json.dumps({"type": "view", "view": VIEW, "chat": [], "seats": []}))
        line.send(json.dumps({"type": "seats", "seats": []}))
        line.send(json.dumps({"type": "update", "set": {"question": None, "result": result}}))
        line.recv()

    with scripted_server(talk) as link:
        said: list[str] = []
        assert Bot(Seat.parse(link), Random(1), say=said.append).play() == result
    assert said[-1] == "The game is over: a draw, draw: peace"


def test_a_busy_server_is_asked_again_later() -> None:
    def talk(line: ServerConnection) -> None:
        line.recv()
        line.send(json.dumps({"type": "refusal", "refusal": {"reason": "busy", "error": "Too many look"}}))
        line.close(1008)

    class Enough(Exception):
        pass

    def pause(seconds: float) -> None:
        raise Enough(str(seconds))

    with scripted_server(talk) as link, pytest.raises(Enough):
        Bot(Seat.parse(link), Random(1), pause=pause).play()


def test_a_stale_answer_is_told_from_a_forbidden_one() -> None:
    assert isinstance(refused({"reason": "stale", "error": "late"}), Late)
    assert isinstance(refused({"reason": "limit", "error": "often"}), BrokenLine)
    assert isinstance(refused({"reason": "illegal", "error": "no"}), ValueError)


def test_the_command_plays_a_seat_to_the_end(server: str) -> None:
    links = set_up(server, "skirmish", "village", {"Red": "passive", "Blue": "me"})
    done = CliRunner().invoke(cli.app, ["bot", links["Blue"], "--player", "passive"])
    assert done.exit_code == 0, done.output
    assert "Passive(0) plays Blue" in done.output
    assert "The game is over: Blue wins" in done.output
    quiet = CliRunner().invoke(cli.app, ["bot", links["Blue"], "--player", "passive", "--quiet"])
    assert quiet.output.strip() == "Blue wins, clear: the village has held out"


@pytest.mark.parametrize(
    "arguments", [["http://127.0.0.1:8000/"], ["http://h/game/x#key=y", "--player", "clever"], ["ftp://h/game/x#key=y"]]
)
def test_the_command_says_what_is_wrong_with_its_arguments(arguments: list[str]) -> None:
    done = CliRunner().invoke(cli.app, ["bot", *arguments])
    assert isinstance(done.exception, ValueError)
