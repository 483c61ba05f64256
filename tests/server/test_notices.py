"""Notices: who is told that it is his turn, when, how often, and what happens when that fails."""

import asyncio
import re
import ssl
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from argon2 import PasswordHasher
from py_vapid import Vapid02  # type: ignore[import-untyped]

from khamsin.server import limits
from khamsin.server.accounts import ACCOUNTS, Accounts, Who
from khamsin.server.click_checks import Refused
from khamsin.server.database import Database
from khamsin.server.live_match import LiveMatch
from khamsin.server.middleware import Buckets
from khamsin.server.notices import QUEUE, SUBSCRIPTIONS, Notices, bad_subscription
from khamsin.server.registry import MatchRegistry
from khamsin.server.settings import Mail, Settings
from khamsin.server.store import Store
from tests.server.postbox import MailServer, PushService, certificate
from tests.server.seats import begun
from tests.toy import skirmish

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
URL = "https://table.example"


class World:
    """A game of two people, Blue with an account, and the notices of its server. Time passes when it is told to."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self.database = database
        self.store = Store(database, "here")
        self.store.open()
        self.registry = MatchRegistry(self.store, lambda game: skirmish.RULES)
        self.time = 1_000_000.0
        self.notices = self.process(settings)
        self.accounts = Accounts(database, Buckets(), QUICK)
        self.table = asyncio.run(begun(self.registry))
        self.who = self.join("Blue")

    def process(self, settings: Settings) -> Notices:
        """The notices of one process of the server."""
        notices = Notices(self.database, settings, self.registry.lists, clock=lambda: self.time)
        self.registry.your_turn, self.registry.looked = notices.your_turn, notices.looked
        return notices

    def join(self, side: str, table: LiveMatch | None = None) -> Who:
        who = self.accounts.create(f"{side} {self.time}", "a long password")
        match = (table or self.table).id
        self.accounts.keep(who, match, [side])
        return self.with_address(who, True)

    def with_address(self, who: Who, push: bool) -> Who:
        """An account with an address that is confirmed."""
        who = self.accounts.set_notices(who, "blue@player.example", push)
        with self.database.writing() as connection:
            connection.execute(ACCOUNTS.update().where(ACCOUNTS.c.id == who.id).values(confirmed=True))
        return who._replace(confirmed=True)

    def red_moves_on(self) -> None:
        """Red ends its movement, in which it has met no enemy, so that Blue decides."""
        self.click("done")

    def blue_moves_on(self) -> None:
        self.click("done")

    def click(self, name: str) -> None:
        match = self.table.history.match
        assert match.decision is not None
        asyncio.run(self.registry.click(self.table, [match.decision.side], None, match.number, name))

    def later(self, seconds: float = limits.NOTICE_GRACE + 1) -> int:
        """Some time passes, and what is due is sent: how much that was."""
        self.time += seconds
        return self.notices.send_due()

    def waiting(self) -> int:
        with self.database.reading() as connection:
            waiting = sa.select(sa.func.count()).select_from(QUEUE).where(QUEUE.c.sent.is_(None))
            return int(connection.execute(waiting).scalar_one())


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ssl.SSLContext]:
    return certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def mail_server() -> Iterator[MailServer]:
    with MailServer().running() as server:
        yield server


@pytest.fixture
def push_service(tls: tuple[Path, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch) -> Iterator[PushService]:
    monkeypatch.setenv("SSL_CERT_FILE", str(tls[0]))
    with PushService(tls[1]).running() as service:
        yield service


Open = Callable[[Settings], World]


@pytest.fixture
def world_with(database_url: str) -> Iterator[Open]:
    worlds: list[World] = []

    def open_world(settings: Settings) -> World:
        worlds.append(World(Database(database_url), settings))
        return worlds[-1]

    yield open_world
    for world in worlds:
        world.notices.close()
        world.store.close()


@pytest.fixture
def by_mail(world_with: Open, mail_server: MailServer) -> World:
    mail = Mail("127.0.0.1", mail_server.port, "table@table.example")
    world = world_with(Settings(url=URL, mail=mail))
    world.with_address(world.who, False)
    return world


@pytest.fixture
def by_push(world_with: Open, push_service: PushService) -> World:
    world = world_with(Settings(url=URL, push_to_private=True))
    world.accounts.set_notices(world.who, "", True)
    world.notices.subscribe(world.who, push_service.subscription())
    return world


def test_a_player_who_is_away_gets_a_mail_when_it_is_his_turn(by_mail: World, mail_server: MailServer) -> None:
    by_mail.red_moves_on()
    assert by_mail.later() == 1
    (mail,) = mail_server.mails
    assert mail["To"] == "blue@player.example"
    assert mail["From"] == "Khamsin <table@table.example>"
    assert mail["Subject"] == "Skirmish: your turn"
    text = mail.get_content()
    assert "Blue must decide: turn 1" in text
    assert f"{URL}/game/{by_mail.table.id}" in text.splitlines()


def test_a_mail_holds_no_key(by_mail: World, mail_server: MailServer) -> None:
    by_mail.red_moves_on()
    by_mail.later()
    assert "#" not in str(mail_server.mails[0]).partition("\n\n")[2]


def test_nobody_is_told_while_the_other_side_decides(by_mail: World) -> None:
    by_mail.click("T1")
    assert by_mail.waiting() == 0


def test_nobody_is_told_within_his_own_turn(by_mail: World, mail_server: MailServer) -> None:
    by_mail.red_moves_on()
    by_mail.later()
    by_mail.click("M1")
    assert by_mail.waiting() == 0
    assert len(mail_server.mails) == 1


def test_a_player_is_told_once_until_he_has_looked_again(by_mail: World, mail_server: MailServer) -> None:
    for _ in range(2):
        by_mail.red_moves_on()
        by_mail.later()
        by_mail.blue_moves_on()
    assert len(mail_server.mails) == 1
    by_mail.notices.looked(by_mail.table.id, "Blue")
    by_mail.red_moves_on()
    by_mail.later()
    assert len(mail_server.mails) == 2


def test_who_looks_before_the_mail_is_sent_gets_none(by_mail: World, mail_server: MailServer) -> None:
    by_mail.red_moves_on()
    assert by_mail.waiting() == 1
    by_mail.notices.looked(by_mail.table.id, "Blue")
    assert by_mail.waiting() == 0
    assert by_mail.later() == 0
    assert not mail_server.mails


def test_the_look_of_the_other_side_changes_nothing(by_mail: World) -> None:
    by_mail.red_moves_on()
    by_mail.notices.looked(by_mail.table.id, "Red")
    assert by_mail.waiting() == 1


def test_what_is_no_longer_true_is_not_said(by_mail: World, mail_server: MailServer) -> None:
    by_mail.red_moves_on()
    by_mail.blue_moves_on()
    assert by_mail.later() == 0
    assert not mail_server.mails


def test_who_has_not_asked_for_it_is_not_told(by_mail: World) -> None:
    by_mail.accounts.set_notices(by_mail.who, "", False)
    by_mail.red_moves_on()
    assert by_mail.waiting() == 0


def test_a_server_without_an_address_or_a_mail_server_tells_nobody(world_with: Open) -> None:
    world = world_with(Settings())
    world.red_moves_on()
    assert world.waiting() == 0
    assert world.notices.outlook() == ("", False)


def test_a_crash_loses_no_notice(by_mail: World, mail_server: MailServer) -> None:
    by_mail.red_moves_on()
    by_mail.notices = by_mail.process(by_mail.notices.settings)
    assert by_mail.later() == 1
    assert len(mail_server.mails) == 1


def test_a_notice_that_died_with_its_process_is_sent_by_another(by_mail: World, mail_server: MailServer) -> None:
    by_mail.red_moves_on()
    by_mail.time += limits.NOTICE_GRACE + 1
    assert by_mail.notices._take() is not None
    assert by_mail.notices.send_due() == 0
    assert by_mail.later(1000) == 1


def test_a_click_that_could_not_be_written_tells_nobody(by_mail: World) -> None:
    with pytest.raises(ZeroDivisionError), by_mail.database.writing() as connection:  # noqa: PT012
        by_mail.notices.your_turn(connection, by_mail.table.id, "Blue")
        raise ZeroDivisionError
    assert by_mail.waiting() == 0


def test_a_mail_that_cannot_be_sent_now_is_tried_again_ever_later(by_mail: World, mail_server: MailServer) -> None:
    mail_server.refuse = "451 not now"
    by_mail.red_moves_on()
    assert by_mail.later() == 0
    for tries in range(limits.NOTICE_TRIES - 1):
        assert by_mail.waiting() == 1
        wait = limits.NOTICE_WAIT * 2**tries
        said = len(mail_server.said)
        assert by_mail.later(wait - 2) == 0
        assert len(mail_server.said) == said
        by_mail.later(3)
        assert len(mail_server.said) > said
    assert by_mail.waiting() == 0


def test_a_mail_server_that_is_back_gets_the_mail(by_mail: World, mail_server: MailServer) -> None:
    mail_server.refuse = "451 not now"
    by_mail.red_moves_on()
    by_mail.later()
    mail_server.refuse = ""
    assert by_mail.later(limits.NOTICE_WAIT) == 1


def test_a_mail_server_that_is_not_there_is_tried_again(by_mail: World, mail_server: MailServer) -> None:
    settings = by_mail.notices.settings
    assert settings.mail is not None
    by_mail.notices = by_mail.process(replace(settings, mail=replace(settings.mail, port=1)))
    by_mail.red_moves_on()
    assert by_mail.later() == 0
    assert by_mail.waiting() == 1


def test_an_address_that_does_not_exist_is_not_tried_again(by_mail: World, mail_server: MailServer) -> None:
    mail_server.refuse = "550 nobody here"
    by_mail.red_moves_on()
    by_mail.later()
    assert by_mail.waiting() == 0


def test_an_account_is_told_only_so_often_a_day(by_mail: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "NOTICES_A_DAY", 2)
    for sent in (1, 1, 0):
        by_mail.red_moves_on()
        assert by_mail.later() == sent
        by_mail.notices.looked(by_mail.table.id, "Blue")
        by_mail.blue_moves_on()
    by_mail.later(90_000)
    by_mail.red_moves_on()
    assert by_mail.later() == 1


def test_who_gets_mails_that_he_never_asked_for_can_stop_them(by_mail: World, mail_server: MailServer) -> None:
    by_mail.red_moves_on()
    by_mail.later()
    link = mail_server.mails[0]["List-Unsubscribe"]
    token = re.fullmatch(rf"<{URL}/api/notices/stop\?token=(\S+)>", link)
    assert token
    assert mail_server.mails[0]["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    for wrong in ("", "x", "1", f"{by_mail.who.id}.", token[1] + "x", "9" * 30, "²"):
        by_mail.notices.stop(wrong)
    by_mail.blue_moves_on()
    by_mail.notices.looked(by_mail.table.id, "Blue")
    by_mail.red_moves_on()
    assert by_mail.waiting() == 1
    by_mail.notices.stop(token[1])
    assert by_mail.later() == 0
    assert by_mail.waiting() == 0


def test_a_password_is_never_sent_in_the_open(by_mail: World, mail_server: MailServer) -> None:
    settings = by_mail.notices.settings
    assert settings.mail is not None
    by_mail.notices = by_mail.process(replace(settings, mail=replace(settings.mail, user="me", password="secret")))
    by_mail.red_moves_on()
    assert by_mail.later() == 0
    assert not any(line.startswith("AUTH") for line in mail_server.said)


def test_under_tls_it_is(world_with: Open, tls: tuple[Path, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tls[0]))
    with MailServer(tls[1]).running() as server:
        mail = Mail("127.0.0.1", server.port, "table@table.example", "me", "secret")
        world = world_with(Settings(url=URL, mail=mail))
        world.red_moves_on()
        assert world.later() == 1
        assert server.said.index("STARTTLS") < next(n for n, line in enumerate(server.said) if line.startswith("AUTH"))


def test_a_browser_is_told_in_a_message_that_only_it_can_read(by_push: World, push_service: PushService) -> None:
    by_push.red_moves_on()
    assert by_push.later() == 1
    (message,) = push_service.messages
    assert message["title"] == "Skirmish: your turn"
    assert message["link"] == f"{URL}/game/{by_push.table.id}"
    (headers,) = push_service.headers
    assert headers["host"] == f"localhost:{push_service.port}"
    assert Vapid02.verify(headers["authorization"])
    assert f"k={by_push.notices.push_key()}" in headers["authorization"].replace("=\n", "")


def test_the_keys_for_push_are_made_once_and_kept(by_push: World) -> None:
    again = by_push.process(by_push.notices.settings)
    assert again.push_key() == by_push.notices.push_key()
    assert by_push.notices.outlook().push_key == again.push_key()


def test_a_browser_that_is_gone_is_forgotten(by_push: World, push_service: PushService) -> None:
    push_service.status = 410
    by_push.red_moves_on()
    assert by_push.later() == 0
    with by_push.database.reading() as connection:
        assert not connection.execute(SUBSCRIPTIONS.select()).all()
    assert by_push.waiting() == 0


def test_a_push_service_in_trouble_is_asked_again(by_push: World, push_service: PushService) -> None:
    push_service.status = 503
    by_push.red_moves_on()
    assert by_push.later() == 0
    push_service.status = 201
    assert by_push.later(limits.NOTICE_WAIT) == 1


def test_a_push_service_cannot_send_us_elsewhere(by_push: World, push_service: PushService) -> None:
    push_service.status = 307
    by_push.red_moves_on()
    assert by_push.later() == 0
    assert len(push_service.messages) == 1


def test_without_the_setting_nothing_on_this_machine_is_called(by_push: World, push_service: PushService) -> None:
    """A name may have led elsewhere when it was subscribed."""
    by_push.notices = by_push.process(Settings(url=URL))
    by_push.red_moves_on()
    assert by_push.later() == 0
    assert not push_service.messages


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://127.0.0.1/x", "https://localhost/x", "https://10.0.0.1/x", "https://[::1]/x", "https://169.254.169.254/",
        "https://0x7f000001/", "https://2130706433/", "https://[::ffff:10.0.0.1]/", "https://user@1.1.1.1/x", "https:///x",
        "https://[", "https://1.1.1.1:99999/", "https://0.0.0.0/", "https://1.1.1.1:8443/x", "https://1.1.1.1:22/",
    ],
)  # fmt: skip
def test_a_subscription_that_leads_into_our_own_network_is_refused(
    by_push: World, push_service: PushService, endpoint: str
) -> None:
    by_push.notices = by_push.process(Settings(url=URL))
    with pytest.raises(Refused) as refused:
        by_push.notices.subscribe(by_push.who, push_service.subscription().model_copy(update={"endpoint": endpoint}))
    assert refused.value.reason == "invalid"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("p256dh", "AAAA"),
        ("p256dh", ""),
        ("p256dh", "é"),
        ("auth", "AAAA"),
        ("auth", ""),
        ("auth", "!"),
        ("p256dh", "A"),
    ],
)
def test_keys_that_are_none_are_refused(push_service: PushService, field: str, value: str) -> None:
    good = push_service.subscription()
    assert bad_subscription(good) == ""
    assert field in bad_subscription(good.model_copy(update={field: value}))


def test_an_account_has_only_so_many_browsers(by_push: World, push_service: PushService) -> None:
    good = push_service.subscription()
    for number in range(limits.SUBSCRIPTIONS + 5):
        by_push.notices.subscribe(by_push.who, good.model_copy(update={"endpoint": f"{good.endpoint}{number}"}))
    with by_push.database.reading() as connection:
        kept = connection.execute(sa.select(SUBSCRIPTIONS.c.endpoint).order_by(SUBSCRIPTIONS.c.id)).scalars().all()
    assert len(kept) == limits.SUBSCRIPTIONS
    assert kept[-1].endswith(str(limits.SUBSCRIPTIONS + 4))


def test_the_thread_sends_what_is_due_when_it_is_woken(by_mail: World, mail_server: MailServer) -> None:
    by_mail.red_moves_on()
    by_mail.time += limits.NOTICE_GRACE + 1
    by_mail.notices.start()
    by_mail.notices.wake()
    assert mail_server.came.wait(20)
    by_mail.notices.close()
    assert len(mail_server.mails) == 1


def test_an_address_that_is_not_confirmed_gets_no_notice(by_mail: World, mail_server: MailServer) -> None:
    by_mail.accounts.set_notices(by_mail.who, "another@player.example", False)
    by_mail.red_moves_on()
    assert by_mail.later() == 0
    assert mail_server.mails == []


def test_an_address_that_is_changed_while_a_notice_waits_gets_none(by_mail: World, mail_server: MailServer) -> None:
    by_mail.red_moves_on()
    by_mail.accounts.set_notices(by_mail.who, "another@player.example", False)
    assert by_mail.later() == 0
    assert mail_server.mails == []


DAY = 86400


@pytest.mark.parametrize("jump", [-DAY, -3600, DAY])
def test_a_notice_is_sent_soon_also_when_the_clock_is_set(by_mail: World, mail_server: MailServer, jump: int) -> None:
    by_mail.red_moves_on()
    by_mail.time += jump
    assert by_mail.later() == 1
    assert by_mail.later(jump) == 0
    assert len(mail_server.mails) == 1


def test_a_notice_that_is_tried_again_is_not_put_off_by_a_day(by_mail: World, mail_server: MailServer) -> None:
    mail_server.refuse = "451 later"
    by_mail.red_moves_on()
    for wait in (limits.NOTICE_GRACE, *(limits.NOTICE_WAIT * 2**tries for tries in range(4))):
        assert by_mail.later(wait + 1) == 0
    mail_server.refuse = ""
    assert by_mail.later(1) == 0, "it is not due yet"
    assert by_mail.later(-DAY) == 1


def test_notices_of_a_day_are_counted_for_a_day_also_when_the_clock_is_set_back(
    by_mail: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "NOTICES_A_DAY", 1)
    by_mail.red_moves_on()
    assert by_mail.later() == 1
    by_mail.time -= DAY
    by_mail.notices.looked(by_mail.table.id, "Blue")
    by_mail.blue_moves_on()
    by_mail.red_moves_on()
    assert by_mail.later() == 1


@pytest.mark.parametrize("status", [401, 403])
def test_a_browser_is_not_forgotten_because_our_clock_is_wrong(
    by_push: World, push_service: PushService, status: int
) -> None:
    push_service.status = status
    by_push.red_moves_on()
    assert by_push.later() == 0
    push_service.status = 201
    assert by_push.later(limits.NOTICE_WAIT) == 1


def test_a_mail_tells_what_has_happened_since_the_last_turn(by_mail: World, mail_server: MailServer) -> None:
    for click in ("T1", "0405", "done", "done"):
        by_mail.click(click)
    assert by_mail.later() == 1
    lines = mail_server.mails[0].get_content().splitlines()
    assert lines[lines.index("Since your last turn:") + 1] == "- 0306: 1 enemy unit now adjacent"
