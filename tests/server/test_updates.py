"""Rule updates: at most the current phase is lost, more needs consent, and no roll that was seen falls again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from khamsin import cli, games
from khamsin.kernel import KeyedDice, Match, record
from khamsin.server.check import check
from khamsin.server.database import Database
from khamsin.server.store import ENTRIES, SNAPSHOTS
from khamsin.server.views import StoredLine
from tests.server.conftest import Opened
from tests.server.seats import Json, Seat, asked, play, set_up
from tests.toy import renamed, skirmish

Write = Callable[[sa.Connection], Any]


def change(url: str, *statements: sa.Executable) -> None:
    database = Database(url)
    with database.writing() as connection:
        for statement in statements:
            connection.execute(statement)
    database.close()


def rows(url: str, query: sa.Select[Any]) -> list[Any]:
    database = Database(url)
    with database.reading() as connection:
        found = list(connection.execute(query).all())
    database.close()
    return found


def again(seats: dict[str, Seat], opened: Opened, url: str) -> dict[str, Seat]:
    client = opened(url)
    return {name: Seat(client, seat.match, seat.key, seat.side) for name, seat in seats.items()}


def spoil(url: str, seq: int) -> None:
    """Let an entry be one that the rules cannot follow."""
    change(url, sa.update(ENTRIES).where(ENTRIES.c.seq == seq).values(text="a hex that is no more"))


def play_into_a_phase(seats: dict[str, Seat], url: str) -> None:
    """Play some phases, and then some clicks into the next."""
    play(seats, 25, seed=8)
    while seats["Red"].view()["version"] < phase_start(url) + 2:
        assert play(seats, 1, seed=8)


def phase_start(url: str) -> int:
    return int(rows(url, sa.select(sa.func.max(SNAPSHOTS.c.seq)))[0][0])


def test_there_is_a_snapshot_of_the_first_decision_and_of_the_start_of_every_phase(
    database_url: str, opened: Opened
) -> None:
    seats = set_up(opened(database_url))
    assert phase_start(database_url) == 0
    phases = [(view := seats["spectator"].view())["turn"]["number"], view["phase"]]
    for _ in range(80):
        if play(seats, 1, seed=_) == 0:
            break
        view = seats["spectator"].view()
        if [view["turn"]["number"], view["phase"]] != phases:
            phases = [view["turn"]["number"], view["phase"]]
            assert phase_start(database_url) == view["version"]


def test_an_update_costs_at_most_the_current_phase(database_url: str, opened: Opened) -> None:
    seats = set_up(opened(database_url))
    play_into_a_phase(seats, database_url)
    before = seats["Red"].view()
    spoil(database_url, before["version"])
    after = again(seats, opened, database_url)["Red"].view()
    assert (after["turn"], after["phase"]) == (before["turn"], before["phase"])
    lost = before["clicks"] - after["clicks"]
    plural = "s" if lost > 1 else ""
    assert after["log"][-1]["text"] == f"Rules updated: the match resumes {lost} click{plural} earlier"


def test_no_roll_that_was_seen_falls_again_after_an_update(database_url: str, opened: Opened) -> None:
    """The dice go on after those of the clicks that were lost, and the record and the list of rolls still verify."""
    seats = set_up(opened(database_url), scenario="melee", Red="me", Blue="me")
    for _ in range(400):
        play(seats, 1, seed=_)
        view, start = seats["Red"].view(), phase_start(database_url)
        rolled = rows(database_url, sa.select(ENTRIES.c.rolls).where(ENTRIES.c.seq > start, ENTRIES.c.rolls != ""))
        if rolled and view["version"] > start:
            break
    lost = sum(len(row.rolls.split()) for row in rolled)
    drawn = sum(len(row.rolls.split()) for row in rows(database_url, sa.select(ENTRIES.c.rolls)))
    assert lost
    spoil(database_url, view["version"])
    later = again(seats, opened, database_url)
    play(later, 5000)
    told = later["spectator"].get("/rolls").json()["rolls"]
    assert told[0]["number"] == drawn
    text = later["spectator"].get("/record").text
    assert record.verify_dice(text, "record") == len(told)
    assert record.read(text, lambda game: skirmish.RULES).over


def test_a_reworded_log_line_hides_no_earlier_moment(database_url: str, opened: Opened) -> None:
    """A moment is shown if the rules of its log lines are the same; a line of another rule hides it."""
    seats = set_up(opened(database_url))
    play(seats, 40, seed=8)
    logged = rows(database_url, sa.select(ENTRIES).where(ENTRIES.c.lines != "[]", ENTRIES.c.seq > 0))
    seq, stored = logged[0].seq, [StoredLine(*line) for line in json.loads(logged[0].lines)]
    this = sa.update(ENTRIES).where(ENTRIES.c.seq == seq)
    reworded = [line._replace(text="what an earlier version said") for line in stored]
    change(database_url, this.values(lines=json.dumps(reworded)))
    view = again(seats, opened, database_url)["Red"].get(f"/at/{seq}").json()
    assert view["log"][-1]["text"] == "what an earlier version said"
    change(database_url, this.values(lines=json.dumps([line._replace(rule="99") for line in stored])))
    assert again(seats, opened, database_url)["Red"].get(f"/at/{seq}").json()["reason"] == "changed"


def test_an_undo_past_a_snapshot_survives_a_restart(
    database_url: str, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Snapshots within what can be undone do not bar the undo, and those that it makes wrong go."""
    seats = set_up(opened(database_url), Red="me", Blue="me")
    with monkeypatch.context() as patch:
        patch.setattr(
            "khamsin.server.history.MatchHistory.snapshot_due",
            lambda history: history.match.restart_point() is not None,
        )
        for number, click in enumerate(["R1", "0302", "T1", "0404"]):
            assert seats["Red"].click(click, number).status_code == 200
    assert len(rows(database_url, sa.select(SNAPSHOTS))) == 3
    later = again(seats, opened, database_url)["Red"]
    question = later.view()["question"]
    assert len(question["moves"]) == 2
    undone = later.post("/undo", {"number": question["number"], "move": 0}).json()
    assert undone["clicks"] == 2
    assert [row.clicks for row in rows(database_url, sa.select(SNAPSHOTS))] == [0]
    assert again(seats, opened, database_url)["Red"].view() == undone


def broken_snapshots(url: str, before: int) -> None:
    """Let the snapshots from an entry on be of units that are no more, as after a change of the counters."""
    change(
        url,
        sa.update(SNAPSHOTS)
        .where(SNAPSHOTS.c.seq >= before)
        .values(position=sa.func.replace(SNAPSHOTS.c.position, "R1", "R9")),
    )


@pytest.fixture
def stranded(database_url: str, opened: Opened) -> dict[str, Seat]:
    """A match of two people that the rules follow only to an earlier phase."""
    seats = set_up(opened(database_url))
    play(seats, 60, seed=8)
    broken_snapshots(database_url, 0)
    spoil(database_url, 30)
    return seats


def test_losing_more_than_the_phase_needs_the_consent_of_both(
    stranded: dict[str, Seat], database_url: str, opened: Opened
) -> None:
    before = stranded["Red"].view()
    seats = again(stranded, opened, database_url)
    view = seats["Red"].view()
    assert view["question"] is None
    assert view["frozen"]["lost"] > 30
    assert view["frozen"]["asked"] == ["Red", "Blue"]
    assert view["log"] == before["log"]
    assert view["units"].keys() == before["units"].keys()
    assert seats["Red"].click("R1", 60).json()["reason"] == "frozen"
    assert seats["Red"].get("/info").json()["mine"] == ["Red"]
    assert seats["spectator"].post("/resume", {}).status_code == 403
    assert seats["Red"].post("/resume", {}).json()["frozen"]["agreed"] == ["Red"]
    assert seats["Red"].view()["frozen"]["agreed"] == ["Red"]
    resumed = seats["Blue"].post("/resume", {}).json()
    assert resumed["frozen"] is None
    assert resumed["clicks"] == before["clicks"] - view["frozen"]["lost"]
    assert play(seats, 5) == 5


def test_a_frozen_match_is_shown_live_and_its_line_says_to_try_again(
    stranded: dict[str, Seat], database_url: str, opened: Opened
) -> None:
    client = opened(database_url)
    with client.websocket_connect(f"/api/matches/{stranded['Red'].match}/live") as line:
        line.send_json({"type": "hello", "key": stranded["Red"].key})
        frame = line.receive_json()
        assert frame["view"]["frozen"]["text"]
        assert line.receive()["code"] == 1013


def test_a_frozen_match_hides_what_it_hid(stranded: dict[str, Seat], database_url: str, opened: Opened) -> None:
    before = {name: seat.view()["log"] for name, seat in stranded.items()}
    seats = again(stranded, opened, database_url)
    assert {name: seat.view()["log"] for name, seat in seats.items()} == before
    assert seats["Red"].get(side="Blue").status_code == 403


def test_a_match_whose_game_is_gone_can_be_viewed_and_exported(
    database_url: str, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    seats = set_up(opened(database_url))
    play(seats, 20)
    before = seats["Red"].view()
    monkeypatch.delitem(games._REGISTER, "skirmish")
    monkeypatch.delenv("KHAMSIN_GAMES")
    later = again(seats, opened, database_url)
    view = later["Red"].view()
    assert (view["frozen"]["lost"], view["log"], view["viewer"]) == (None, before["log"], "Red")
    assert json.loads(later["Red"].get("/record").text)["log"] == before["log"]
    assert later["spectator"].get("/record").status_code == 403
    assert later["Red"].post("/resume", {}).json()["reason"] == "frozen"


def outcome(url: str) -> Json:
    runner = CliRunner().invoke(cli.app, ["matches", "check", "--db", url, "--json"])
    (found,) = json.loads(runner.stdout)
    return {"exit": runner.exit_code, "verdict": found["verdict"], "lost": found["lost"]}


def test_matches_check_tells_what_each_match_would_lose(
    database_url: str, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database is only read, also while the server runs."""
    seats = set_up(opened(database_url))
    play_into_a_phase(seats, database_url)
    assert outcome(database_url) == {"exit": 0, "verdict": "continues", "lost": 0}
    view, start = seats["Red"].view(), phase_start(database_url)
    spoil(database_url, view["version"])
    stored = rows(database_url, sa.select(ENTRIES))
    found = outcome(database_url)
    assert (found["exit"], found["verdict"]) == (1, "loses clicks of its phase")
    assert 0 < found["lost"] <= view["version"] - start
    broken_snapshots(database_url, 0)
    spoil(database_url, 9)
    stored = rows(database_url, sa.select(ENTRIES))
    assert outcome(database_url)["verdict"] == "needs consent"
    assert rows(database_url, sa.select(ENTRIES)) == stored
    monkeypatch.delitem(games._REGISTER, "skirmish")
    monkeypatch.delenv("KHAMSIN_GAMES")
    assert outcome(database_url) == {"exit": 1, "verdict": "cannot continue", "lost": None}


def test_matches_check_names_a_database_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no file"):
        list(check(f"sqlite:///{tmp_path / 'none.db'}", games.load))
    assert not (tmp_path / "none.db").exists()


def test_a_rule_that_forbids_an_old_click_is_met_by_the_snapshot(
    database_url: str, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    seats = set_up(opened(database_url))
    play(seats, 40, seed=3)
    before = seats["Red"].view()
    slow = replace(
        skirmish.RULES,
        counters=tuple(replace(counter, factors={**counter.factors, "mf": 1}) for counter in skirmish.RULES.counters),
    )
    monkeypatch.setitem(games._REGISTER, "skirmish", slow)
    after = again(seats, opened, database_url)["Red"].view()
    assert after["frozen"] is None
    assert (after["turn"], after["phase"]) == (before["turn"], before["phase"])
    assert asked(again(seats, opened, database_url)) is not None


def test_a_match_stored_with_old_names_opens_where_it_was(
    database_url: str, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A button, a flag, a column and a map have other names since; the match and its earlier moments open all the same."""
    monkeypatch.setitem(games._REGISTER, "skirmish", renamed.OLD)
    seats = set_up(opened(database_url), scenario="melee", Red="me", Blue="me")
    while not {"stand", "fire"} <= {row.text for row in rows(database_url, sa.select(ENTRIES.c.text))}:
        play(seats, 20, seed=4)
    before = {name: seat.view() for name, seat in seats.items()}
    clicks = before["Red"]["clicks"]
    stored = rows(database_url, sa.select(SNAPSHOTS.c.position))
    assert all("force" in row.position for row in stored)
    monkeypatch.setitem(games._REGISTER, "skirmish", renamed.RULES)
    later = again(seats, opened, database_url)
    view = later["Red"].view()
    assert (view["frozen"], view["clicks"], view["log"]) == (None, clicks, before["Red"]["log"])
    assert {name: unit["at"] for name, unit in view["units"].items()} == {
        name: unit["at"] for name, unit in before["Red"]["units"].items()
    }
    assert later["Red"].get(f"/at/{clicks // 2}").status_code == 200
    assert play(later, 20, seed=9) == 20
    assert json.loads(later["Red"].get("/record").text.splitlines()[1]).keys() >= {"click"}


def test_a_stored_click_on_a_removed_button_costs_at_most_the_phase(
    database_url: str, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(games._REGISTER, "skirmish", renamed.OLD)
    seats = set_up(opened(database_url), Red="me", Blue="me")
    for number, click in enumerate(["T1", "stand", "R1"]):
        assert seats["Red"].click(click, number).status_code == 200
    removed = replace(renamed.RULES, renamed=renamed.RULES.renamed | {"stand": ""})
    monkeypatch.setitem(games._REGISTER, "skirmish", removed)
    view = again(seats, opened, database_url)["Red"].view()
    assert view["log"][-1]["text"] == "Rules updated: the match resumes 3 clicks earlier"


def test_a_record_of_other_data_is_opened_with_a_warning_in_its_log(database_url: str, opened: Opened) -> None:
    client = opened(database_url)
    match = Match(skirmish.RULES, "village", dice=KeyedDice.seeded(3))
    match.play(["done", "done"])
    text = record.write(match).replace('"data": "', '"data": "x')
    created = client.post("/api/matches/import", json={"record": text, "seats": {"Red": "me", "Blue": "me"}}).json()
    view = Seat(client, created["id"], created["keys"]["Red"], "Red").view()
    assert view["log"][0]["text"].startswith("record: played with other rules or data of Skirmish")
    assert view["clicks"] == 2
