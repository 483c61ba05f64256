"""Links by mail: an address is confirmed before anything else is sent to it, and a forgotten password can be set again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from argon2 import PasswordHasher
from fastapi.testclient import TestClient

from khamsin.server import create_app, limits
from khamsin.server.accounts import ACCOUNTS, Accounts, Who
from khamsin.server.click_checks import Refused
from khamsin.server.database import Clock, Database
from khamsin.server.links import LINKS, Links
from khamsin.server.middleware import Buckets
from khamsin.server.notices import Notices
from khamsin.server.settings import Mail, Settings
from tests.server.conftest import caller
from tests.server.postbox import MailServer

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
PASSWORD, ANOTHER = "a long password", "another password"
ADDRESS = "claude@player.example"
HOUR, DAY = 3600.0, 86400.0


class Post:
    """Accounts, and the links that are sent to them. Both clocks go on when they are told to."""

    def __init__(self, database: Database, server: MailServer) -> None:
        database.create()
        self.server = server
        self.wall = self.steady = 1e9
        self.clock = Clock(wall=lambda: self.wall, steady=lambda: self.steady)
        settings = Settings(url="https://table.example", mail=Mail("127.0.0.1", server.port, "table@table.example"))
        self.database = database
        self.notices = Notices(database, settings, None, clock=lambda: self.wall)  # type: ignore[arg-type]
        self.accounts = Accounts(database, Buckets(), QUICK, self.clock)
        self.links = Links(self.accounts, self.notices)

    def account(self, name: str = "Claude", email: str = ADDRESS) -> Who:
        return self.accounts.set_notices(self.accounts.create(name, PASSWORD), email, False)

    def confirmed(self, name: str = "Claude", email: str = ADDRESS) -> Who:
        who = self.account(name, email)
        self.links.ask_confirmation(who)
        self.links.confirm(self.token("confirm"))
        return who._replace(confirmed=True)

    def wait(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds

    def restart(self) -> None:
        """Another process, which knows only what is stored."""
        self.links = Links(self.accounts, self.notices)

    def token(self, kind: str) -> str:
        """The token in the last mail."""
        self.notices.do_jobs()
        return token_in(self.server, kind)

    def mails(self) -> int:
        self.notices.do_jobs()
        return len(self.server.mails)

    def is_confirmed(self) -> bool:
        with self.database.reading() as connection:
            return bool(connection.execute(sa.select(ACCOUNTS.c.confirmed).order_by(ACCOUNTS.c.id)).scalars().first())


def token_in(server: MailServer, kind: str) -> str:
    text = server.mails[-1].get_content()
    found = re.search(rf"^https://table\.example/account#{kind}=(\S+)", text, re.MULTILINE)
    assert found, text
    return found[1]


def refused(work: Callable[[], Any]) -> str:
    with pytest.raises(Refused) as caught:
        work()
    return caught.value.reason


@pytest.fixture
def mail_server() -> Iterator[MailServer]:
    with MailServer().running() as server:
        yield server


@pytest.fixture
def post(database_url: str, mail_server: MailServer) -> Iterator[Post]:
    database = Database(database_url)
    yield Post(database, mail_server)
    database.close()


def test_a_link_confirms_the_address_once(post: Post) -> None:
    post.links.ask_confirmation(post.account())
    token = post.token("confirm")
    assert post.server.mails[0]["To"] == ADDRESS
    assert not post.is_confirmed()
    post.links.confirm(token)
    assert post.is_confirmed()
    assert refused(lambda: post.links.confirm(token)) == "invalid"


def test_the_database_holds_only_the_hash_of_a_link(post: Post) -> None:
    post.links.ask_confirmation(post.account())
    token = post.token("confirm")
    with post.database.reading() as connection:
        assert token not in str(connection.execute(LINKS.select()).all())


@pytest.mark.parametrize("token", ["", "made up", "é", "\ud800"])
def test_a_made_up_link_does_nothing(post: Post, token: str) -> None:
    post.account()
    assert refused(lambda: post.links.confirm(token)) == "invalid"
    assert refused(lambda: post.links.reset(token, ANOTHER)) == "invalid"


def test_a_link_is_only_good_for_what_it_is_for(post: Post) -> None:
    post.links.ask_confirmation(post.account())
    assert refused(lambda: post.links.reset(post.token("confirm"), ANOTHER)) == "invalid"
    post.links.confirm(post.token("confirm"))
    post.links.ask_reset("Claude")
    assert refused(lambda: post.links.confirm(post.token("reset"))) == "invalid"


def test_another_address_must_be_confirmed_again_and_voids_the_link_of_the_first(post: Post) -> None:
    who = post.confirmed()
    who = post.accounts.set_notices(who, ADDRESS, True)
    assert who.confirmed
    who = post.accounts.set_notices(who, "other@player.example", True)
    assert not who.confirmed
    assert not post.is_confirmed()
    post.links.ask_confirmation(who)
    token = post.token("confirm")
    post.accounts.set_notices(who, "third@player.example", True)
    assert refused(lambda: post.links.confirm(token)) == "invalid"


@pytest.mark.parametrize("restarted", [False, True])
def test_a_confirmation_is_valid_for_two_days_and_a_reset_for_an_hour(post: Post, restarted: bool) -> None:
    who = post.account()
    for wait, good in ((2 * DAY + 1, False), (2 * DAY - 60, True)):
        post.links.ask_confirmation(who)
        token = post.token("confirm")
        post.wait(wait)
        if restarted:
            post.restart()
        assert (refused(lambda: post.links.confirm(token)) == "invalid") if not good else not post.links.confirm(token)  # noqa: B023
    for wait, good in ((HOUR + 1, False), (HOUR - 60, True)):
        post.links.ask_reset("Claude")
        token = post.token("reset")
        post.wait(wait)
        if restarted:
            post.restart()
        if good:
            post.links.reset(token, ANOTHER)
        else:
            assert refused(lambda: post.links.reset(token, ANOTHER)) == "invalid"  # noqa: B023
    assert post.accounts.check("Claude", ANOTHER).id == who.id


@pytest.mark.parametrize("jump", [DAY, -DAY])
def test_a_link_of_this_process_does_not_mind_when_the_clock_is_set(post: Post, jump: float) -> None:
    post.confirmed()
    post.links.ask_reset("Claude")
    token = post.token("reset")
    post.wall += jump
    post.links.reset(token, ANOTHER)
    post.links.ask_reset("Claude")
    token = post.token("reset")
    post.steady += HOUR
    post.wall -= jump
    assert refused(lambda: post.links.reset(token, PASSWORD)) == "invalid"


def test_an_account_and_an_address_get_only_so_many_links_a_day(post: Post) -> None:
    who = post.account()
    for _ in range(limits.LINKS_A_DAY):
        post.links.ask_confirmation(who)
    assert refused(lambda: post.links.ask_confirmation(who)) == "limit"
    elsewhere = post.accounts.set_notices(who, "other@player.example", False)
    assert refused(lambda: post.links.ask_confirmation(elsewhere)) == "limit"
    post.accounts.close(elsewhere)
    assert refused(lambda: post.links.ask_confirmation(post.account("Another", ADDRESS.upper()))) == "limit"
    assert post.mails() == limits.LINKS_A_DAY
    post.wait(DAY + 1)
    post.links.ask_confirmation(post.account("Third"))
    assert post.mails() == limits.LINKS_A_DAY + 1


def test_the_limit_of_a_day_holds_for_no_more_than_a_day_when_the_clock_is_set_back(post: Post) -> None:
    who = post.account()
    for _ in range(limits.LINKS_A_DAY):
        post.links.ask_confirmation(who)
    post.wall -= DAY
    post.links.ask_confirmation(who)


def test_a_reset_sets_the_password_once_and_ends_every_session(post: Post) -> None:
    who = post.confirmed()
    session = post.accounts.sign_in(who)
    post.links.ask_reset("claude")
    token = post.token("reset")
    assert post.server.mails[-1]["To"] == ADDRESS
    post.links.reset(token, ANOTHER)
    assert post.accounts.find(session) is None
    assert post.accounts.check("Claude", ANOTHER).id == who.id
    assert refused(lambda: post.accounts.check("Claude", PASSWORD)) == "account"
    assert refused(lambda: post.links.reset(token, PASSWORD)) == "invalid"


def test_a_reset_is_asked_for_by_address_too(post: Post) -> None:
    post.confirmed()
    post.links.ask_reset(ADDRESS.upper())
    post.links.reset(post.token("reset"), ANOTHER)


def test_a_reset_is_sent_only_to_a_confirmed_address(post: Post) -> None:
    post.account()
    for name in ("Claude", ADDRESS, "Nobody", "nobody@player.example", ""):
        post.links.ask_reset(name)
    assert post.mails() == 0


def test_a_reset_link_is_void_after_another_password_or_address(post: Post) -> None:
    who = post.confirmed()
    post.links.ask_reset("Claude")
    first = post.token("reset")
    post.links.forget_resets(who)
    post.links.ask_reset("Claude")
    second = post.token("reset")
    post.accounts.set_notices(who, "other@player.example", False)
    for token in (first, second):
        assert refused(lambda: post.links.reset(token, ANOTHER)) == "invalid"  # noqa: B023


def test_a_mail_that_cannot_be_sent_is_tried_again(post: Post) -> None:
    post.server.refuse = "451 later"
    post.links.ask_confirmation(post.account())
    assert post.mails() == 0
    post.server.refuse = ""
    assert post.mails() == 1


@pytest.fixture
def client(database_url: str, mail_server: MailServer) -> Iterator[TestClient]:
    """A server that sends mail."""
    mail = Mail("127.0.0.1", mail_server.port, "table@table.example")
    settings = Settings(url="https://table.example", mail=mail, rate_scale=1e6)
    app = create_app(database=Database(database_url), settings=settings, draw_ahead=False)
    with caller(app, "https://table.example") as client:
        yield client


def test_the_whole_way_by_the_api(client: TestClient, mail_server: MailServer) -> None:
    client.post("/api/accounts", json={"name": "Claude", "password": PASSWORD})
    me = client.put("/api/me/notices", json={"email": ADDRESS, "push": False}).json()
    assert (me["email"], me["confirmed"]) == (ADDRESS, False)
    assert mail_server.came.wait(20)
    assert client.post("/api/confirm", json={"token": token_in(mail_server, "confirm")}).status_code == 204
    assert client.get("/api/me").json()["confirmed"] is True
    assert client.post("/api/me/confirmation").status_code == 422
    mail_server.came.clear()
    known = client.post("/api/reset", json={"name": "Claude"})
    unknown = client.post("/api/reset", json={"name": "Nobody"})
    assert (known.status_code, known.content) == (unknown.status_code, unknown.content) == (204, b"")
    assert mail_server.came.wait(20)
    reset = {"token": token_in(mail_server, "reset"), "password": ANOTHER}
    assert client.put("/api/reset", json=reset).status_code == 204
    assert client.put("/api/reset", json=reset).status_code == 422
    assert client.get("/api/me").json()["name"] == ""
    assert client.post("/api/session", json={"name": "Claude", "password": ANOTHER}).status_code == 200


def test_a_password_that_is_changed_voids_the_reset_links(client: TestClient, mail_server: MailServer) -> None:
    client.post("/api/accounts", json={"name": "Claude", "password": PASSWORD})
    client.put("/api/me/notices", json={"email": ADDRESS})
    assert mail_server.came.wait(20)
    client.post("/api/confirm", json={"token": token_in(mail_server, "confirm")})
    mail_server.came.clear()
    client.post("/api/reset", json={"name": "Claude"})
    assert mail_server.came.wait(20)
    client.put("/api/me/password", json={"password": PASSWORD, "new": ANOTHER})
    again = {"token": token_in(mail_server, "reset"), "password": PASSWORD}
    assert client.put("/api/reset", json=again).status_code == 422


def test_a_server_without_mail_sends_no_links(database_url: str) -> None:
    with caller(create_app(database=Database(database_url), draw_ahead=False)) as client:
        assert client.post("/api/reset", json={"name": "Claude"}).status_code == 404
        client.post("/api/accounts", json={"name": "Claude", "password": PASSWORD})
        assert client.put("/api/me/notices", json={"email": ADDRESS}).status_code == 200
        assert client.post("/api/me/confirmation").status_code == 404
