"""A device link leaves the recovery link of the seat alone."""

from __future__ import annotations

from fastapi.testclient import TestClient

from tests.server.conftest import Opened
from tests.server.seats import create, join


def test_the_recovery_link_still_works_after_a_device_was_added(database_url: str, opened: Opened) -> None:
    client: TestClient = opened(database_url)
    made = create(client)
    red = join(client, made)["Red"]
    device = {"token": red.post("/devices", {}).json()["token"]}
    assert client.post(f"/api/matches/{red.match}/seats", json=device).json()["recovery"] == ""
    answer = client.post(f"/api/matches/{red.match}/seats", json={"token": made["recovery"]})
    assert (answer.status_code, answer.json()["sides"]) == (200, ["Red"])
