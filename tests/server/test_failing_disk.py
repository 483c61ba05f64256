"""A change that cannot be written has not happened: nobody sees it, and the game goes on when the database is back."""

from __future__ import annotations

import sqlalchemy as sa
from fastapi.testclient import TestClient

from khamsin.server.database import Database
from tests.server.seats import set_up
from tests.server.test_live import line_of


def test_a_click_that_cannot_be_written_has_not_happened(client: TestClient, database_url: str) -> None:
    database = Database(database_url)
    seats = set_up(client)
    red = seats["Red"]
    before = red.view()
    with database.writing() as connection:
        connection.execute(sa.text("ALTER TABLE entries RENAME TO mislaid"))
    answer = red.click("R1", 0)
    assert (answer.status_code, answer.json()["reason"]) == (503, "busy")
    with database.writing() as connection:
        connection.execute(sa.text("ALTER TABLE mislaid RENAME TO entries"))
    assert red.view() == before
    assert seats["spectator"].view()["version"] == before["version"]
    assert red.click("R1", 0).status_code == 200
    assert red.view()["clicks"] == before["clicks"] + 1


def test_a_live_view_stays_right_after_a_click_that_was_not_written(client: TestClient, database_url: str) -> None:
    database = Database(database_url)
    seats = set_up(client)
    red = seats["Red"]
    with line_of(red) as line:
        with database.writing() as connection:
            connection.execute(sa.text("ALTER TABLE entries RENAME TO mislaid"))
        assert red.click("R1", 0).status_code == 503
        with database.writing() as connection:
            connection.execute(sa.text("ALTER TABLE mislaid RENAME TO entries"))
        assert line.click("R1", 0) is None
        assert line.view == red.view()
