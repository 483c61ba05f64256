"""Memory: how long an imported record may be, and what replays may keep."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from fastapi.testclient import TestClient

from khamsin import games
from khamsin.kernel import record
from khamsin.kernel.dice import KeyedDice, SeededDice
from khamsin.kernel.match import Match
from khamsin.kernel.rules import EVERYONE
from khamsin.server import limits
from khamsin.server.click_checks import Refused
from khamsin.server.replay import CHECKPOINTS, Replay, Replays, imported, match_bytes
from khamsin.server.store import Head, Saved
from tests.server.conftest import Opened
from tests.server.seats import set_up


def head(name: str = "game") -> Head:
    return Head(name, "", "", {}, None, KeyedDice.seeded(1).key, 0, "")


def idle_game(clicks: int) -> str:
    """The record of a game in which a unit is chosen and released again and again."""
    match = Match(games.load("paa"), "campaign", dice=KeyedDice.seeded(3))
    match.play(["done", "done"])
    while len(match.clicks) < clicks:
        match.play(["AU 24/IBDE", "cancel"])
    return record.write(match)


def long_replay(clicks: int, name: str = "game") -> Replay:
    history, entries = imported(idle_game(clicks), head(name), games.load)
    return Replay(Saved(history.head, [], {}, entries, []), games.load)


@pytest.fixture(scope="module")
def replay() -> Replay:
    return long_replay(400)


def test_a_record_that_is_too_long_is_refused_before_it_is_replayed(client: TestClient) -> None:
    most = limits.import_clicks("paa", "campaign")
    header, *_, last = idle_game(2).splitlines()
    lines = [header, *[json.dumps({"click": "no such click"})] * (most + 1), last]
    answer = client.post(
        "/api/matches/import", json={"record": "\n".join(lines), "seats": {"Axis": "me", "Allied": "me"}}
    )
    assert answer.status_code == 422
    assert f"{most + 1:,}" in answer.json()["error"]
    assert f"{most:,}" in answer.json()["error"]


def test_a_scenario_without_an_entry_has_the_default_limit() -> None:
    assert limits.import_clicks("skirmish", "village") == limits.IMPORT_CLICKS
    junk = "\n" * 7 + "junk\n" * (limits.IMPORT_CLICKS + 3)
    with pytest.raises(Refused, match=f"{limits.IMPORT_CLICKS:,}"):
        imported(junk, head(), games.load)


def test_every_scenario_has_a_limit_of_its_own() -> None:
    for game in ("paa", "kasserine"):
        for scenario in games.load(game).scenarios:
            assert limits.import_clicks(game, scenario) != limits.IMPORT_CLICKS


def test_a_checkpoint_has_no_clicks_events_or_rolls(replay: Replay) -> None:
    replay.at(400)
    assert replay._copies
    assert all(not copy.clicks and not copy.events and not copy.game.rolls for copy in replay._copies.values())


def test_a_long_game_has_no_more_checkpoints_than_a_short_one() -> None:
    replay = long_replay(CHECKPOINTS * 60)
    replay.at(len(replay.clicks))
    assert CHECKPOINTS // 2 < len(replay._copies) <= CHECKPOINTS


def test_a_moment_is_the_same_from_a_checkpoint_and_from_the_start(replay: Replay) -> None:
    replay.at(400)
    fresh = long_replay(400)
    fresh.keeps = False
    for click in (0, 1, 2, 3, 180, 181, 400):
        assert replay.view(click, EVERYONE, 1, None) == fresh.view(click, EVERYONE, 1, None)
    assert not fresh._copies


def test_the_size_of_a_checkpoint_is_not_underestimated() -> None:
    match = Match(games.load("paa"), "campaign", dice=KeyedDice.seeded(3))
    match.play(["done", "done"])
    tracemalloc.start()
    copies = [match.clone(SeededDice(0)) for _ in range(100)]
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used / len(copies) < match_bytes(match) < 4 * used / len(copies)


def test_the_size_of_a_replay_is_not_underestimated() -> None:
    history, entries = imported(idle_game(3000), head(), games.load)
    saved = Saved(history.head, [], {}, entries, [])
    del history
    tracemalloc.start()
    replay = Replay(saved, games.load)
    replay.at(len(replay.clicks))
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used < replay.size


def test_the_least_recently_used_replay_is_dropped_first() -> None:
    games_ = [long_replay(200, name) for name in ("one", "two", "three")]
    replays = Replays(budget=sum(replay.size for replay in games_[:2]))
    for replay in games_[:2]:
        replays.keep(replay)
    assert replays.get("one", games_[0].seq) is games_[0]
    replays.keep(games_[2])
    assert replays.get("two", games_[1].seq) is None
    assert replays.get("one", games_[0].seq) is games_[0]
    assert replays.size <= replays.budget


def test_checkpoints_count_against_the_budget() -> None:
    one, two = long_replay(200, "one"), long_replay(200, "two")
    two.at(200)
    replays = Replays(budget=two.size + one.size - 1)
    two._copies.clear()
    replays.keep(one)
    replays.keep(two)
    assert replays.get("one", one.seq) is one
    assert replays.get("two", two.seq) is two
    two.at(200)
    replays.trim()
    assert replays.get("one", one.seq) is None
    assert replays.get("two", two.seq) is two


def test_a_replay_larger_than_the_budget_answers_without_being_kept(replay: Replay) -> None:
    replays, whole = Replays(budget=1000), long_replay(400)
    assert replays.keep(whole) is whole
    assert replays.get("game", whole.seq) is None
    assert whole.view(400, EVERYONE, 1, None) == replay.view(400, EVERYONE, 1, None)
    assert not whole._copies


def test_idle_games_with_long_logs_are_dropped_from_memory(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LOGS_OPEN", 0)
    client = opened("sqlite://")
    registry = client.app.state.registry  # type: ignore[attr-defined]
    one, two = set_up(client), set_up(client)
    assert [table.id for table in registry.in_memory()] == [two["Red"].match]
    assert one["Red"].view()["id"] == one["Red"].match
