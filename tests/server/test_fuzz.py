"""Whatever is sent, the server answers, nothing changes that should not, and nothing hidden is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest
import schemathesis
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings

from khamsin.server import create_app, limits
from khamsin.server.database import Database
from khamsin.server.load_bench import serving
from khamsin.server.seats import KEYS
from khamsin.server.store import ENTRIES, MATCHES
from tests import SOAK
from tests.server.conftest import new_database
from tests.server.seats import Seat, set_up

SECRETS = ("has strength", "militia")
"""Words of the log that Blue alone may read before the first fight."""


class Victim(NamedTuple):
    """A server with a game in which Red is asked, and everything that is stored of it."""

    url: str
    database: Database
    seats: dict[str, Seat]
    other: dict[str, Seat]

    def stored(self) -> list[Any]:
        match = self.seats["Red"].match
        with self.database.reading() as connection:
            return [
                connection.execute(sa.select(ENTRIES).where(ENTRIES.c.match == match)).all(),
                connection.execute(sa.select(MATCHES).where(MATCHES.c.id == match)).all(),
                connection.execute(sa.select(KEYS.c.digest).where(KEYS.c.match == match)).all(),
            ]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def any_database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A database of either kind for all the tests of this module."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path_factory.mktemp('fuzz')}/games.db"
    else:
        with new_database(request.getfixturevalue("postgres"), "fuzz") as url:
            yield url


@pytest.fixture(scope="module")
def victim(any_database: str) -> Iterator[Victim]:
    database_url = any_database
    with serving(database_url) as (_, address), httpx.Client(base_url=f"http://{address}", timeout=60) as client:
        database = Database(database_url)
        yield Victim(f"http://{address}", database, set_up(client), set_up(client))
        database.close()


SCHEMA = schemathesis.openapi.from_dict(create_app().openapi())
OPERATIONS = [found.ok() for found in SCHEMA.get_all_operations()]


ENDING = ("/resign", "/claim", "/devices", "/recovery", "/seats")
"""What a player may do with the own seat, and what would change it."""


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_no_request_whatever_is_the_servers_fault(operation: Any, victim: Victim) -> None:
    ours, other = victim.seats["Red"].match, victim.other["Red"].key
    before = victim.stored()

    @settings(max_examples=50 if SOAK else 3, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def send(case: schemathesis.Case) -> None:
        keys = [(None, None), (ours, None), (ours, other), (ours, "x y")]
        if not operation.path.endswith(ENDING):
            keys.append((ours, victim.seats["Blue"].key))
        for match, key in keys:
            if match is not None and "match" in (case.path_parameters or {}):
                case.path_parameters["match"] = match
            if key is not None:
                case.headers["X-Khamsin-Key"] = key
            answer = case.call(base_url=victim.url)
            assert answer.status_code < 500, answer.text
            if key != victim.seats["Blue"].key:
                assert not any(secret in answer.text for secret in SECRETS)

    send()
    assert victim.stored() == before


@pytest.mark.parametrize("path", ["", "/info", "/timeline", "/at/0", "/calendar", "/sheets", "/chat", "/why?click=M1",
                                  "/odds?attackers=R1&targets=0408", "/record", "/layers/zoc", "/position"])  # fmt: skip
def test_nothing_hidden_is_told_to_the_other_side(victim: Victim, path: str) -> None:
    blue = victim.seats["Blue"].get().text
    assert all(secret in blue for secret in SECRETS)
    for name in ("Red", "spectator"):
        seat = victim.seats[name]
        answer = seat.client.get(f"/api/matches/{seat.match}{path}", headers=seat.headers)
        assert answer.status_code < 500
        assert not any(secret in answer.text for secret in SECRETS)
        assert seat.get(side="Blue").status_code == 403


@pytest.mark.parametrize("path", ["/api/matches", "/api/matches/x/clicks", "/api/matches/x/undo", "/api/accounts"])
def test_a_body_that_is_too_large_is_not_read(victim: Victim, path: str) -> None:
    answer = httpx.post(victim.url + path, content=b" " * (limits.BODY + 1))
    assert (answer.status_code, answer.json()["reason"]) == (413, "limit")


@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"[" * 60_000, b'{"number": 1e999}', b"null", b'{"a": "\\ud800"}'])
def test_a_body_that_makes_no_sense_is_refused(victim: Victim, body: bytes) -> None:
    before = victim.stored()
    for path in ("/clicks", "/undo", "/chat", "/branch"):
        seat = victim.seats["Red"]
        answer = seat.client.post(f"/api/matches/{seat.match}{path}", content=body, headers=seat.headers)
        assert (answer.status_code, answer.json()["reason"]) == (422, "invalid")
    assert victim.stored() == before


def test_another_page_cannot_click(victim: Victim) -> None:
    seat = victim.seats["Red"]
    before = victim.stored()
    answer = seat.client.post(
        f"/api/matches/{seat.match}/clicks", json={"number": 0, "click": "R1"},
        headers={**seat.headers, "Origin": "https://elsewhere.example"},
    )  # fmt: skip
    assert (answer.status_code, answer.json()["reason"]) == (403, "origin")
    assert victim.stored() == before
