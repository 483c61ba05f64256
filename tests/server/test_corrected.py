"""A rules fix strands no game: it goes on from its snapshot, and what was written stays written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from khamsin import games
from khamsin.kernel.rules import Procedure
from khamsin.server.database import Database
from khamsin.server.store import ENTRIES, SNAPSHOTS
from tests.server.conftest import Opened
from tests.server.seats import Seat, play, set_up
from tests.toy import skirmish

MOVED = {**skirmish.START, "R1": "0410", "R2": "0510", "R3": "0310", "R4": "0610", "T1": "0110", "T2": "0210"}
"""Red on the other edge, so that no move of a stored match can be replayed."""
CORRECTED = replace(
    skirmish.RULES,
    scenarios={"village": replace(skirmish.RULES.scenarios["village"], data={"start": MOVED})},
)


@pytest.fixture
def seats(database_url: str, opened: Opened) -> dict[str, Seat]:
    """A game that has gone on for a while, with a snapshot and some clicks since."""
    seats = set_up(opened(database_url), Red="me", Blue="me")
    play(seats, 60, seed=8)
    database = Database(database_url)
    while play(seats, 1, seed=8):
        with database.reading() as connection:
            kept = connection.execute(sa.select(SNAPSHOTS.c.seq)).scalars().all()
        if len(kept) == 1 and 0 < kept[0] < seats["Red"].view()["version"]:
            break
    else:
        pytest.fail("expected a snapshot before the last click")
    database.close()
    return seats


def again(seats: dict[str, Seat], opened: Opened, url: str) -> dict[str, Seat]:
    client = opened(url)
    return {name: Seat(client, seat.match, seat.key, seat.side) for name, seat in seats.items()}


def test_a_game_goes_on_under_corrected_rules(
    seats: dict[str, Seat], opened: Opened, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {name: seat.view() for name, seat in seats.items()}
    monkeypatch.setitem(games._REGISTER, "skirmish", CORRECTED)
    later = again(seats, opened, database_url)
    assert {name: seat.view() for name, seat in later.items()} == before
    assert play(later, 20, seed=9) == 20
    assert again(later, opened, database_url)["Red"].view() == later["Red"].view()
    assert later["Red"].get(f"/at/{before['Red']['clicks']}").json()["reason"] == "changed"


def test_what_the_corrected_rules_cannot_follow_is_taken_back_and_said(
    seats: dict[str, Seat], opened: Opened, database_url: str
) -> None:
    before = seats["Blue"].view()
    database = Database(database_url)
    with database.writing() as connection:
        connection.execute(
            sa.update(ENTRIES).where(ENTRIES.c.seq == before["version"]).values(text="a hex that is no more")
        )
        kept = connection.execute(sa.select(SNAPSHOTS)).one()
    later = again(seats, opened, database_url)
    view = later["Blue"].view()
    assert view["clicks"] == kept.clicks
    assert view["question"]["number"] > before["question"]["number"]
    assert view["version"] == before["version"] + 1
    assert "Rules updated" in view["log"][-1]["text"]
    assert view["log"][:-1] == before["log"][: len(view["log"]) - 1]
    assert play(later, 60, seed=2) > 0
    third = again(later, opened, database_url)
    assert third["Blue"].view() == later["Blue"].view()
    assert third["Blue"].get(f"/at/{kept.clicks + 1}").status_code == 200
    assert third["Blue"].get(f"/at/{kept.clicks - 1}").status_code == 422
    with database.reading() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(ENTRIES)).scalar_one() > view["version"]
    database.close()


NUDGED = {**skirmish.START, "B2": "0409"}
"""Another set-up under which every click of Red's first turn stays legal."""
OTHER_SETUP = replace(
    skirmish.RULES, scenarios={"village": replace(skirmish.RULES.scenarios["village"], data={"start": NUDGED})}
)


def test_a_changed_set_up_whose_clicks_stay_legal_is_noticed(
    opened: Opened, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match continues from what was stored; earlier moments and the record would show another position."""
    seats = set_up(opened(database_url), Red="me", Blue="me")
    for number, click in enumerate(["R1", "0302", "done", "done"]):
        assert seats["Red"].click(click, number).status_code == 200
    before = seats["Red"].view()
    assert seats["Red"].get("/at/1").status_code == 200
    monkeypatch.setitem(games._REGISTER, "skirmish", OTHER_SETUP)
    later = again(seats, opened, database_url)["Red"]
    assert later.view()["units"] == before["units"]
    for path in ("/at/1", "/record", "/summary"):
        assert later.get(path).json()["reason"] == "changed", path


def slower(g: Any) -> Procedure:
    """Red's movement, but the first unit that moved is moved back at the end."""
    yield from skirmish.PHASES[0].run(g)
    g.state.where[skirmish.RULES.parse("R1")] = skirmish.BOARD["0401"]


SLOWER = replace(skirmish.RULES, phases=lambda state: (skirmish.PHASES[0]._replace(run=slower), *skirmish.PHASES[1:]))


def test_rules_that_lead_to_another_state_are_reported_as_an_update(
    opened: Opened, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every click is still legal, but the position is not the one that was stored at the start of the phase."""
    seats = set_up(opened(database_url), Red="me", Blue="me")
    for number, click in enumerate(["R1", "0302", "T1", "0405", "done"]):
        assert seats["Red"].click(click, number).status_code == 200
    before = seats["Red"].view()
    monkeypatch.setitem(games._REGISTER, "skirmish", SLOWER)
    later = again(seats, opened, database_url)["Red"]
    after = later.view()
    assert after["units"] == before["units"]
    assert after["clicks"] == before["clicks"]
    assert after["log"][-1]["text"] == "Rules updated: the match continues here"
    third = again(seats, opened, database_url)["Red"].view()
    assert (third["version"], third["log"]) == (after["version"], after["log"])
