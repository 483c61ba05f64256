"""Accounts: names, passwords, sessions, and the seats that an account keeps."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from argon2 import PasswordHasher
from fastapi.testclient import TestClient

from khamsin.server import create_app, limits
from khamsin.server.accounts import ACCOUNTS, SEATS, SESSIONS, Accounts, digest, fold
from khamsin.server.click_checks import Refused
from khamsin.server.database import Clock, Database
from khamsin.server.middleware import Buckets
from khamsin.server.settings import Settings
from tests.server.conftest import caller, on_sqlite
from tests.server.seats import create, join
from tests.toy import skirmish

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
PASSWORD = "a long password"


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """The database of the server."""
    database = Database(database_url)
    yield database
    database.close()


@pytest.fixture
def accounts(database: Database) -> Accounts:
    database.create()
    return Accounts(database, Buckets(), QUICK)


def sign_up(client: TestClient, name: str = "Claude") -> Any:
    return client.post("/api/accounts", json={"name": name, "password": PASSWORD})


def new_game(client: TestClient, **seats: str) -> dict[str, Any]:
    """A game of two people, unless told otherwise: its id and keys."""
    made = create(client, **({"Red": "me", "Blue": "friend"} | seats))
    return {"id": made["id"], "keys": {side: seat.key for side, seat in join(client, made).items()}}


def claim(client: TestClient, game: dict[str, Any], side: str) -> Any:
    return client.post("/api/me/seats", json={"id": game["id"], "key": game["keys"][side]})


def click(client: TestClient, game: dict[str, Any], side: str, name: str) -> None:
    headers = {"X-Khamsin-Key": game["keys"][side]}
    number = client.get(f"/api/matches/{game['id']}", headers=headers).json()["question"]["number"]
    answer = client.post(f"/api/matches/{game['id']}/clicks", headers=headers, json={"number": number, "click": name})
    assert answer.status_code == 200, answer.text


def test_an_account_is_opened_and_signed_in(client: TestClient) -> None:
    answer = sign_up(client)
    assert answer.status_code == 201
    assert answer.json()["name"] == "Claude"
    assert client.get("/api/me").json()["name"] == "Claude"


def test_nobody_is_nobody(client: TestClient) -> None:
    assert client.get("/api/me").json() == {
        "name": "", "email": "", "confirmed": False, "push": False, "push_key": "", "mail": False,
    }  # fmt: skip


def test_a_name_is_taken_however_it_is_written(client: TestClient) -> None:
    sign_up(client)
    for name in ("Claude", "CLAUDE", "  claude  ", "Ｃｌａｕｄｅ"):
        answer = sign_up(client, name)
        assert answer.status_code == 422
        assert answer.json()["reason"] == "invalid"


WRONG: list[dict[str, Any]] = [
    {"name": "x"}, {"name": "a\nb"}, {"name": "<b>bold</b>"}, {"name": "x" * 41}, {"name": "\0\0"}, {"name": 7},
    {"password": "short"}, {"password": "x" * 257}, {"more": 1},
]  # fmt: skip


@on_sqlite
def test_what_is_no_name_or_password_is_refused(client: TestClient) -> None:
    for wrong in WRONG:
        answer = client.post("/api/accounts", json={"name": "Claude", "password": PASSWORD} | wrong)
        assert answer.status_code == 422, wrong
        assert answer.json()["reason"] == "invalid"


@on_sqlite
def test_half_a_letter_is_no_password(client: TestClient) -> None:
    answer = client.post("/api/accounts", content=b'{"name": "Claude", "password": "\\ud800\\ud800\\ud800\\ud800xxxx"}')
    assert answer.status_code == 422


def test_name_and_password_sign_in_anywhere(client: TestClient) -> None:
    sign_up(client)
    client.cookies.clear()
    answer = client.post("/api/session", json={"name": "claude", "password": PASSWORD})
    assert answer.status_code == 200
    assert answer.json()["name"] == "Claude"
    assert client.get("/api/me").json()["name"] == "Claude"


def test_a_wrong_password_and_an_unknown_name_are_answered_alike(client: TestClient) -> None:
    sign_up(client)
    client.cookies.clear()
    wrong = client.post("/api/session", json={"name": "Claude", "password": "another password"})
    unknown = client.post("/api/session", json={"name": "Claudia", "password": PASSWORD})
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.json() == unknown.json()
    assert "set-cookie" not in wrong.headers


def test_an_unknown_name_costs_a_hash_too(database: Database) -> None:
    database.create()
    verified: list[str] = []

    class Watching(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Any:
            verified.append(str(hash))
            return super().verify(hash, password)

    accounts = Accounts(database, Buckets(), Watching(time_cost=1, memory_cost=8, parallelism=1))
    with pytest.raises(Refused):
        accounts.check("nobody", PASSWORD)
    accounts.create("Claude", PASSWORD)
    accounts.check("Claude", PASSWORD)
    parameters = [re.match(r"\$argon2id\$v=\d+\$[^$]+", hash) for hash in verified]
    assert len(verified) == 2
    assert parameters[0]
    assert parameters[1]
    assert parameters[0][0] == parameters[1][0]


def test_the_database_holds_neither_password_nor_token(client: TestClient, database: Database) -> None:
    sign_up(client)
    token = client.cookies["khamsin_session"]
    with database.reading() as connection:
        (account,) = connection.execute(ACCOUNTS.select()).all()
        (session,) = connection.execute(SESSIONS.select()).all()
    assert account.hash.startswith("$argon2id$")
    assert session.digest == digest(token)
    assert PASSWORD not in str(account)
    assert token not in str(session)


def test_a_password_is_hashed_at_full_strength(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    hasher = Accounts(Database("sqlite://"), Buckets()).hasher
    assert (hasher.memory_cost, hasher.time_cost) >= (64 * 1024, 3)


def test_a_password_is_hashed_anew_when_the_parameters_have_changed(accounts: Accounts) -> None:
    accounts.create("Claude", PASSWORD)
    stronger = Accounts(accounts.database, Buckets(), PasswordHasher(time_cost=2, memory_cost=16, parallelism=1))
    stronger.check("Claude", PASSWORD)
    with accounts.database.reading() as connection:
        hash = connection.execute(sa.select(ACCOUNTS.c.hash)).scalar_one()
    assert "m=16,t=2" in hash
    accounts.check("Claude", PASSWORD)


@on_sqlite
def test_the_cookie_is_kept_from_scripts_and_other_sites(client: TestClient) -> None:
    cookie = sign_up(client).headers["set-cookie"].lower()
    assert cookie.startswith("khamsin_session=")
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "path=/" in cookie
    assert "secure" not in cookie
    assert f"max-age={limits.SESSION_DAYS * 86400}" in cookie


@on_sqlite
def test_under_tls_the_cookie_never_leaves_it(database: Database) -> None:
    app = create_app(database=database, settings=Settings(url="https://table.example"), draw_ahead=False)
    with caller(app, "https://table.example") as client:
        assert "secure" in sign_up(client).headers["set-cookie"].lower()


@on_sqlite
@pytest.mark.parametrize(("proxies", "secure"), [(("10.0.0.0/8",), True), ((), False)])
def test_behind_a_trusted_proxy_too(database: Database, proxies: tuple[str, ...], secure: bool) -> None:
    app = create_app(database=database, settings=Settings(proxies=proxies), draw_ahead=False)
    with caller(app, client=("10.0.0.1", 1), headers={"X-Forwarded-Proto": "https"}) as client:
        assert ("secure" in sign_up(client).headers["set-cookie"].lower()) is secure


def test_signing_out_ends_the_session_for_good(client: TestClient) -> None:
    sign_up(client)
    token = client.cookies["khamsin_session"]
    assert client.delete("/api/session").json()["name"] == ""
    assert "khamsin_session" not in client.cookies
    client.cookies.set("khamsin_session", token)
    assert client.get("/api/me").json()["name"] == ""


def test_signing_in_again_ends_the_session_before(client: TestClient, database: Database) -> None:
    sign_up(client)
    old = client.cookies["khamsin_session"]
    client.post("/api/session", json={"name": "Claude", "password": PASSWORD})
    assert client.cookies["khamsin_session"] != old
    with database.reading() as connection:
        assert len(connection.execute(SESSIONS.select()).all()) == 1


@pytest.mark.parametrize("token", ["", "x", "\x7f", "ä" * 100, "x" * 5000])
def test_a_made_up_token_is_nobody(accounts: Accounts, token: str) -> None:
    assert accounts.find(token) is None


def _set_expiry(accounts: Accounts, days: float) -> None:
    moment = (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="milliseconds")
    with accounts.database.writing() as connection:
        connection.execute(SESSIONS.update().values(expires=moment))


def test_a_session_ends_when_nobody_comes_back(accounts: Accounts) -> None:
    who = accounts.create("Claude", PASSWORD)
    token = accounts.sign_in(who)
    assert accounts.find(token) == who
    _set_expiry(accounts, -limits.CLOCK_SLACK_DAYS - 0.01)
    assert accounts.find(token) is None
    assert not accounts.prolong(token)


def test_a_session_is_prolonged_by_coming_back(accounts: Accounts) -> None:
    token = accounts.sign_in(accounts.create("Claude", PASSWORD))
    assert not accounts.prolong(token)
    _set_expiry(accounts, 3)
    assert accounts.prolong(token)
    assert not accounts.prolong(token)


def test_an_account_is_signed_in_at_only_so_many_places(accounts: Accounts) -> None:
    who = accounts.create("Claude", PASSWORD)
    tokens = []
    for number in range(limits.SESSIONS + 3):
        tokens.append(accounts.sign_in(who))
        with accounts.database.writing() as connection:
            newest = SESSIONS.c.digest == digest(tokens[-1])
            connection.execute(SESSIONS.update().where(newest).values(expires=f"2999-01-{number + 1:02}"))
    assert [accounts.find(token) is None for token in tokens] == [True] * 3 + [False] * limits.SESSIONS


def test_passwords_of_one_name_can_be_guessed_only_so_often(accounts: Accounts) -> None:
    accounts.create("Claude", PASSWORD)
    for _ in range(limits.RATES["guess"].burst):
        with pytest.raises(Refused) as refused:
            accounts.check("cLaude", "not the password")
        assert refused.value.reason == "account"
    with pytest.raises(Refused) as refused:
        accounts.check("Claude", PASSWORD)
    assert refused.value.reason == "limit"


@on_sqlite
def test_who_finds_no_turn_at_hashing_is_told_to_come_back(accounts: Accounts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HASH_SECONDS", 0.001)
    for _ in range(limits.HASHES):
        accounts._turns.acquire()
    with pytest.raises(Refused) as refused:
        accounts.create("Claude", PASSWORD)
    assert refused.value.reason == "busy"


def test_names_that_look_the_same_fold_to_the_same() -> None:
    assert fold("ŞAH Mat") == fold("şah  mat")
    assert fold("Straße") == fold("STRASSE")
    assert fold("Ann") != fold("Anne")


@on_sqlite
def test_what_is_an_accounts_needs_one(client: TestClient) -> None:
    push = {"endpoint": "https://push.example/x", "p256dh": "x", "auth": "y"}
    for method, path, body in (
        ("PUT", "/api/me/notices", {"email": "a@b.example"}),
        ("GET", "/api/me/games", None),
        ("POST", "/api/me/seats", {"id": "x", "key": "y"}),
        ("POST", "/api/me/push", push),
    ):
        answer = client.request(method, path, json=body)
        assert answer.status_code == 401
        assert answer.json()["reason"] == "account"


def test_a_claimed_seat_is_found_again_anywhere(client: TestClient) -> None:
    game = new_game(client)
    sign_up(client)
    answer = claim(client, game, "Red")
    assert answer.status_code == 200
    client.cookies.clear()
    client.post("/api/session", json={"name": "Claude", "password": PASSWORD})
    (line,) = client.get("/api/me/games").json()["games"]
    assert line["id"] == game["id"]
    assert line["mine"] == ["Red"]
    assert game["keys"]["Red"] not in str(line)
    assert (line["asked"], line["title"]) == ("Red", "Skirmish")


def test_a_line_about_a_game_says_whether_it_tells_reasons_at_once(client: TestClient) -> None:
    sign_up(client)
    new = {"game": "skirmish", "scenario": "village", "seats": {"Red": "me", "Blue": "random"}, "seed": 7}
    for open_reasons in (False, True):
        claim(client, client.post("/api/matches", json=new | {"open_reasons": open_reasons}).json(), "Red")
    lines = client.get("/api/me/games").json()["games"]
    assert sorted(line["open_reasons"] for line in lines) == [False, True]


def test_a_key_that_opens_both_seats_claims_both(client: TestClient) -> None:
    game = new_game(client, Blue="me")
    sign_up(client)
    (line,) = claim(client, game, "Red").json()["games"]
    assert sorted(line["mine"]) == ["Blue", "Red"]


def test_claiming_twice_changes_nothing(client: TestClient) -> None:
    game = new_game(client)
    sign_up(client)
    assert claim(client, game, "Red").json() == claim(client, game, "Red").json()
    assert len(client.get("/api/me/games").json()["games"]) == 1


def test_a_key_that_opens_nothing_claims_nothing(client: TestClient) -> None:
    game, other = new_game(client), new_game(client)
    sign_up(client)
    key = game["keys"]["Red"]
    for match, wrong in (
        (other["id"], key),
        (game["id"], "made up"),
        ("nothing", key),
        ("\0", "\0"),
        (game["id"], "ä"),
    ):
        answer = client.post("/api/me/seats", json={"id": match, "key": wrong})
        assert answer.status_code == 403
        assert answer.json()["reason"] == "seat"
    assert client.get("/api/me/games").json()["games"] == []


def test_the_games_that_wait_for_me_come_first_and_those_that_are_over_last(
    client: TestClient, database: Database
) -> None:
    sign_up(client)
    theirs, mine, over = (new_game(client) for _ in range(3))
    for game in (theirs, mine, over):
        claim(client, game, "Red")
    click(client, theirs, "Red", "done")
    for _ in range(skirmish.TURNS):
        for side in ("Red", "Blue"):
            click(client, over, side, "done")
    lines = client.get("/api/me/games").json()["games"]
    assert [line["id"] for line in lines] == [mine["id"], theirs["id"], over["id"]]
    assert [line["asked"] for line in lines] == ["Red", "Blue", None]
    assert lines[-1]["result"]["winner"] == "Blue"


def test_the_games_of_one_account_are_not_those_of_another(client: TestClient) -> None:
    game = new_game(client)
    sign_up(client)
    claim(client, game, "Red")
    sign_up(client, "Somebody")
    assert client.get("/api/me/games").json()["games"] == []
    claim(client, game, "Blue")
    (line,) = client.get("/api/me/games").json()["games"]
    assert line["mine"] == ["Blue"]
    assert not any(key in str(line) for key in game["keys"].values())


def test_a_seat_shows_the_name_of_its_account(client: TestClient) -> None:
    game = new_game(client)
    sign_up(client)
    claim(client, game, "Red")
    (line,) = client.get("/api/me/games").json()["games"]
    assert {seat["side"]: seat["name"] for seat in line["seats"]} == {"Red": "Claude", "Blue": ""}


def test_an_account_keeps_only_so_many_seats(accounts: Accounts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SEATS_KEPT", 3)
    who = accounts.create("Claude", PASSWORD)
    accounts.keep(who, "a", ["Red", "Blue"])
    accounts.keep(who, "a", ["Red", "Blue"])
    with pytest.raises(Refused):
        accounts.keep(who, "b", ["Red", "Blue"])
    accounts.keep(who, "b", ["Red"])
    assert {match: sorted(sides) for match, sides in accounts.kept(who).items()} == {"a": ["Blue", "Red"], "b": ["Red"]}


def test_how_to_be_told_is_remembered(client: TestClient) -> None:
    sign_up(client)
    answer = client.put("/api/me/notices", json={"email": "claude@player.example", "push": True})
    assert answer.status_code == 200
    me = client.get("/api/me").json()
    assert (me["email"], me["push"]) == ("claude@player.example", True)
    assert client.put("/api/me/notices", json={"email": ""}).json()["email"] == ""


@on_sqlite
def test_what_is_no_mail_address_is_refused(client: TestClient) -> None:
    sign_up(client)
    twice = "a@b.example,c@d.example"
    for email in (
        "claude",
        "a@b@c",
        "a b@c.example",
        "a@b.example\nBcc: x@y.example",
        twice,
        "<a@b.example>",
        "a@b.example\n",
    ):
        assert client.put("/api/me/notices", json={"email": email}).status_code == 422, email


@on_sqlite
def test_a_server_that_can_tell_says_so(database: Database) -> None:
    settings = Settings.read(
        {"KHAMSIN_URL": "https://table.example", "KHAMSIN_SMTP_URL": "smtp://127.0.0.1:1?from=t@table.example"}
    )
    with caller(create_app(database=database, settings=settings, draw_ahead=False), "https://table.example") as client:
        me = client.get("/api/me").json()
        assert me["mail"] is True
        assert re.fullmatch(r"[A-Za-z0-9_-]{87}", me["push_key"])
        assert client.post("/api/notices/stop?token=x").status_code == 204


@on_sqlite
def test_another_page_cannot_sign_anybody_in_or_out(client: TestClient) -> None:
    sign_up(client)
    foreign = {"Origin": "https://evil.example"}
    assert client.delete("/api/session", headers=foreign).status_code == 403
    assert client.get("/api/me").json()["name"] == "Claude"


def test_two_who_want_one_name_at_once_get_it_once(accounts: Accounts) -> None:
    def attempt(_: int) -> bool:
        try:
            accounts.create("Claude", PASSWORD)
        except Refused:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(attempt, range(8))) == 1


def test_a_password_is_changed_by_whoever_knows_the_old_one(client: TestClient) -> None:
    sign_up(client)
    wrong = client.put("/api/me/password", json={"password": "not the password", "new": "another password"})
    assert (wrong.status_code, wrong.json()["reason"]) == (401, "account")
    assert client.put("/api/me/password", json={"password": PASSWORD, "new": "another password"}).status_code == 200
    client.delete("/api/session")
    assert client.post("/api/session", json={"name": "Claude", "password": PASSWORD}).status_code == 401
    assert client.post("/api/session", json={"name": "Claude", "password": "another password"}).status_code == 200


def test_a_new_password_signs_everybody_out_who_is_elsewhere(client: TestClient) -> None:
    sign_up(client)
    elsewhere = caller(client.app)
    elsewhere.post("/api/session", json={"name": "Claude", "password": PASSWORD})
    client.put("/api/me/password", json={"password": PASSWORD, "new": "another password"})
    assert client.get("/api/me").json()["name"] == "Claude"
    assert elsewhere.get("/api/me").json()["name"] == ""


def test_an_account_is_closed_by_its_password_and_its_name_is_free_again(client: TestClient) -> None:
    sign_up(client)
    assert client.request("DELETE", "/api/me", json={"password": "not the password"}).status_code == 401
    assert client.request("DELETE", "/api/me", json={"password": PASSWORD}).json()["name"] == ""
    assert client.get("/api/me").json()["name"] == ""
    assert sign_up(client).status_code == 201


def test_the_games_of_a_closed_account_go_on_without_its_name(client: TestClient, database: Database) -> None:
    sign_up(client)
    game = new_game(client)
    claim(client, game, "Red")
    headers = {"X-Khamsin-Key": game["keys"]["Red"]}
    path = f"/api/matches/{game['id']}"
    assert client.get(f"{path}/info", headers=headers).json()["seats"][0]["name"] == "Claude"
    client.request("DELETE", "/api/me", json={"password": PASSWORD})
    assert client.get(f"{path}/info", headers=headers).json()["seats"][0]["name"] == ""
    click(client, game, "Red", "R1")
    with database.reading() as connection:
        for table in (ACCOUNTS, SESSIONS, SEATS):
            assert connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one() == 0


def test_nobody_closes_or_changes_an_account_without_being_signed_in(client: TestClient) -> None:
    assert client.put("/api/me/password", json={"password": PASSWORD, "new": PASSWORD}).status_code == 401
    assert client.request("DELETE", "/api/me", json={"password": PASSWORD}).status_code == 401


def test_a_list_of_games_asks_once_for_the_names_of_all(client: TestClient, database: Database) -> None:
    sign_up(client)
    for _ in range(5):
        claim(client, new_game(client), "Red")
    asked: list[str] = []
    engine = client.app.state.registry.store.database.engine  # type: ignore[attr-defined]
    sa.event.listen(engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    games = client.get("/api/me/games").json()["games"]
    assert [game["seats"][0]["name"] for game in games] == ["Claude"] * 5
    assert sum("accounts.name" in statement and "account_seats" in statement for statement in asked) == 1


CYRILLIC_O = "\u043e"


@pytest.mark.parametrize(
    "name",
    [
        f"R{CYRILLIC_O}mmel", "Rom\u200dmel", "Rom\u200bmel", "Rom\u2060mel", "Rom\u00admel", "Rom\u202emel", "Rom\u2066mel",
        "\u3164\u3164", "Rom\u115fmel", "Rom\ufeffmel", "Rom\U000e0061mel", "Ro\u0301\u0302\u0303mmel", "..", "_-", "Roμmel",
    ],
)  # fmt: skip
@on_sqlite
def test_a_name_with_what_cannot_be_seen_or_of_two_scripts_is_refused(client: TestClient, name: str) -> None:
    answer = sign_up(client, name)
    assert (answer.status_code, answer.json()["reason"]) == (422, "invalid")


@pytest.mark.parametrize(
    "name", ["Zoë", "Nguyễn", "Ярослав", "Αλέξανδρος", "東京タロウ", "김철수", "שלום", "محمد", "Desert Fox 7"]
)
def test_names_of_the_world_are_allowed(accounts: Accounts, name: str) -> None:
    assert accounts.create(name, PASSWORD).name == name


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Rommel", "Rornmel"),
        ("Rommel", "R0MMEL"),
        ("Rommel", "RommeI"),
        ("Al", "A1"),
        ("сорос", "copoc"),
        ("Zoë", "Zoe\u0308"),
    ],
)
def test_two_names_that_look_alike_are_one(accounts: Accounts, name: str, other: str) -> None:
    accounts.create(name, PASSWORD)
    with pytest.raises(Refused) as refused:
        accounts.create(other, PASSWORD)
    assert refused.value.reason == "invalid"
    accounts.create(f"{other}s", PASSWORD)


DAY = 86400.0


def test_a_session_outlives_a_clock_that_jumps_a_day_ahead_and_back(database: Database) -> None:
    database.create()
    time = [1e9]
    accounts = Accounts(database, Buckets(), QUICK, Clock(wall=lambda: time[0]))
    who = accounts.create("Claude", PASSWORD)
    token = accounts.sign_in(who)
    time[0] += (limits.SESSION_DAYS - 0.5) * DAY
    for jump in (DAY, -DAY, -DAY, DAY):
        time[0] += jump
        assert accounts.find(token) == who
        accounts.sign_in(accounts.create(f"Other {time[0] / DAY:.0f} {jump}", PASSWORD))
        assert accounts.find(token) == who
    assert accounts.prolong(token)
    time[0] += (limits.SESSION_DAYS + 2) * DAY
    assert accounts.find(token) is None
