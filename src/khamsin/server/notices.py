"""Notices by mail or web push to players whose turn it is, if they want them.

A notice is queued in the transaction of the click that causes it, so a crash loses none. A thread sends what is due and
retries what failed. Until the player looks at the match, it is announced once.
"""

from __future__ import annotations

import base64
import hmac
import ipaddress
import json
import logging
import secrets
import smtplib
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx
import sqlalchemy as sa
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from fastapi import APIRouter
from py_vapid import Vapid02, VapidException  # type: ignore[import-untyped]
from pywebpush import WebPusher  # type: ignore[import-untyped]
from sqlalchemy.dialects import postgresql, sqlite

from khamsin.server import limits, wire
from khamsin.server.accounts import ACCOUNTS, SEATS, Games, Outlook, Who
from khamsin.server.click_checks import Refused
from khamsin.server.database import METADATA, Database, Unavailable
from khamsin.server.settings import Mail, Settings

QUEUE = sa.Table(
    "notices", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("account", sa.ForeignKey(ACCOUNTS.c.id, ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("match", sa.String, nullable=False),
    sa.Column("side", sa.String, nullable=False),
    sa.Column("way", sa.String, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False, default=0),
    sa.Column("due", sa.Float, nullable=False, index=True),
    sa.Column("sent", sa.Float),
)  # fmt: skip
"""Notices to be sent, and those sent in the last day. Times are seconds since 1970."""
TOLD = sa.Table(
    "told", METADATA,
    sa.Column("account", sa.ForeignKey(ACCOUNTS.c.id, ondelete="CASCADE"), primary_key=True),
    sa.Column("match", sa.String, primary_key=True),
)  # fmt: skip
"""Players that have been notified of a match and have not looked at it since."""
SUBSCRIPTIONS = sa.Table(
    "push_subscriptions", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("account", sa.ForeignKey(ACCOUNTS.c.id, ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("endpoint", sa.String, nullable=False),
    sa.Column("p256dh", sa.String, nullable=False),
    sa.Column("auth", sa.String, nullable=False),
)  # fmt: skip
SECRETS = sa.Table(
    "secrets", METADATA,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("value", sa.String, nullable=False),
)  # fmt: skip
"""Secrets that the server made once and stores: its keys."""

DAY = 86400.0
LEASE = 120.0
"""Seconds for which a notice being sent belongs to one process; if that dies the others take it over."""
SKEW = 60.0
"""Seconds by which the clocks of two processes may differ."""
IDLE = 60.0
"""Seconds after which the queue is checked again, for notices that another process has left."""

log = logging.getLogger(__name__)


class Unsent(Exception):
    """A notice that could not be sent; it may go through later."""


class Undeliverable(Exception):
    """A notice that can never be delivered: the address does not exist, or the browser has withdrawn its permission."""


class Notice(NamedTuple):
    """The text of a notice."""

    title: str
    text: str
    link: str


class Notices:
    """The queue, and the thread that sends it."""

    def __init__(
        self, database: Database, settings: Settings, games: Games, clock: Callable[[], float] = time.time
    ) -> None:
        self.database = database
        self.settings = settings
        self.games = games
        self.clock = clock
        self._vapid: Vapid02 | None = None
        self._jobs: deque[Callable[[], None]] = deque(maxlen=limits.MAILS_WAITING)
        self._later_jobs: list[Callable[[], None]] = []
        self._bell = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def ways(self) -> set[str]:
        """Return how this server can send notices: not at all without a public address, because a notice links to it."""
        if not self.settings.url:
            return set()
        return {"push", "mail"} if self.settings.mail else {"push"}

    def outlook(self) -> Outlook:
        """Return what an account is told of that."""
        return Outlook(self.push_key() if "push" in self.ways else "", "mail" in self.ways)

    # The queue

    def your_turn(self, connection: sa.Connection, match: str, side: str) -> None:
        """Queue, within the transaction of the click that led to it, that an absent side must decide. `wake` when the
        transaction has ended."""
        ways = self.ways
        if not ways:
            return
        told = sa.exists().where(TOLD.c.account == ACCOUNTS.c.id, TOLD.c.match == match)
        query = sa.select(ACCOUNTS).join(SEATS, SEATS.c.account == ACCOUNTS.c.id)
        query = query.where(SEATS.c.match == match, SEATS.c.side == side, ~told)
        for account in connection.execute(query).all():
            wishes = {"mail": account.email and account.confirmed, "push": account.push}
            wanted = [way for way, wish in wishes.items() if wish and way in ways]
            if not wanted or self._sent_today(connection, account.id) >= limits.NOTICES_A_DAY:
                continue
            connection.execute(_unless_there(connection, TOLD), {"account": account.id, "match": match})
            row = {"account": account.id, "match": match, "side": side, "tries": 0}
            row["due"] = self.clock() + limits.NOTICE_GRACE
            connection.execute(QUEUE.insert(), [{**row, "way": way} for way in wanted])

    def looked(self, match: str, side: str) -> None:
        """A player looks at a match from a seat: remove its queued notices; the next turn is notified again."""
        holders = sa.select(SEATS.c.account).where(SEATS.c.match == match, SEATS.c.side == side)
        stale = TOLD.c.match == match, TOLD.c.account.in_(holders)
        with self.database.reading() as connection:
            if not connection.execute(TOLD.select().where(*stale)).first():
                return
        with self.database.writing() as connection:
            waiting = QUEUE.c.match == match, QUEUE.c.account.in_(holders), QUEUE.c.sent.is_(None)
            connection.execute(QUEUE.delete().where(*waiting))
            connection.execute(TOLD.delete().where(*stale))

    def _sent_today(self, connection: sa.Connection, account: int) -> int:
        moment = self.clock()
        # A notice sent in the future was sent before the clock was set back; it must not count for more than a day.
        lately = QUEUE.c.account == account, QUEUE.c.sent.between(moment - DAY, moment + SKEW)
        count: int = connection.execute(sa.select(sa.func.count()).select_from(QUEUE).where(*lately)).scalar_one()
        return count

    # The thread

    def start(self) -> None:
        """Start the thread."""
        if self.ways and self._thread is None:
            self._thread = threading.Thread(target=self._run, name="sending notices", daemon=True)
            self._thread.start()

    def wake(self) -> None:
        """Wake the thread."""
        self._bell.set()

    def close(self) -> None:
        """Stop after the notice in progress."""
        self._stopping.set()
        self._bell.set()
        if self._thread is not None:
            self._thread.join(limits.NOTICE_SECONDS)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._bell.clear()
            try:
                self.do_jobs()
                self.send_due()
                pause = self._pause()
            except Unavailable as error:
                log.warning("The queue of notices cannot be sent now: %s", error)
                pause = IDLE
            except Exception:
                log.exception("The queue of notices cannot be sent now")
                pause = IDLE
            self._bell.wait(pause)

    def later(self, job: Callable[[], None]) -> None:
        """Run something in the thread that sends. If too much waits, the oldest is dropped."""
        self._jobs.append(job)
        self.wake()

    def post(self, message: EmailMessage) -> None:
        """Send a mail that cannot be stored in the database, because it contains a secret: tried at once and twice
        more."""
        self.later(lambda: self._post(message, tries=2))

    def _post(self, message: EmailMessage, tries: int) -> None:
        if self.settings.mail is None:
            return
        try:
            send_mail(self.settings.mail, message)
        except Undeliverable as error:
            log.info("A mail was dropped: %s", error)
        except Unsent as error:
            log.warning("A mail could not be sent: %s", error)
            if tries:
                self._later_jobs.append(lambda: self._post(message, tries - 1))

    def do_jobs(self) -> None:
        """Run the jobs that wait in memory. A job that fails is tried again next time."""
        self._later_jobs = []
        while self._jobs and not self._stopping.is_set():
            job = self._jobs.popleft()
            try:
                job()
            except Unavailable:
                self._later_jobs.append(job)
            except Exception:
                log.exception("A mail could not be written")
        self._jobs.extend(self._later_jobs)

    def _pause(self) -> float:
        with self.database.reading() as connection:
            next_ = connection.execute(sa.select(sa.func.min(QUEUE.c.due)).where(QUEUE.c.sent.is_(None))).scalar()
        return IDLE if next_ is None else min(IDLE, max(0.0, next_ - self.clock()))

    def send_due(self) -> int:
        """Send all that is due. Return how many were sent."""
        sent = 0
        while not self._stopping.is_set():
            row = self._take()
            if row is None:
                break
            sent += self._handle(row)
        with self.database.writing() as connection:
            moment = self.clock()
            connection.execute(QUEUE.delete().where(~QUEUE.c.sent.between(moment - DAY, moment + DAY)))
        return sent

    def _take(self) -> Any:
        """Reserve a notice that is due; None if there is none."""
        moment = self.clock()
        # No notice is put off for longer than this: one that is due later was put off before the clock was set back.
        longest = LEASE + SKEW + limits.NOTICE_WAIT * sa.literal(1).bitwise_lshift(QUEUE.c.tries)
        now_or_lost = (QUEUE.c.due <= moment) | (QUEUE.c.due - moment > longest)
        due = QUEUE.select().where(QUEUE.c.sent.is_(None), now_or_lost).order_by(QUEUE.c.due).limit(1)
        while True:
            with self.database.writing() as connection:
                row = connection.execute(due).one_or_none()
                if row is None:
                    return None
                still = QUEUE.c.id == row.id, QUEUE.c.due == row.due
                if connection.execute(QUEUE.update().where(*still).values(due=moment + LEASE)).rowcount:
                    return row

    def _handle(self, row: Any) -> int:
        """Send one notice, put it off, or drop it. Return 1 if it was sent."""
        done: dict[str, Any] | None = None
        try:
            if self._send(row):
                done = {"sent": self.clock()}
        except Undeliverable as error:
            log.info("A notice was dropped: %s", error)
        except Unsent as error:
            log.warning("A notice could not be sent (%s of %s): %s", row.tries + 1, limits.NOTICE_TRIES, error)
            if row.tries + 1 < limits.NOTICE_TRIES:
                done = {"tries": row.tries + 1, "due": self.clock() + limits.NOTICE_WAIT * 2**row.tries}
        with self.database.writing() as connection:
            mine = QUEUE.c.id == row.id
            connection.execute(QUEUE.update().where(mine).values(done) if done else QUEUE.delete().where(mine))
        return int(bool(done and "sent" in done))

    def _send(self, row: Any) -> bool:
        """Send the notice of a row of the queue, if it is still true and still wanted. Return whether it was sent."""
        with self.database.reading() as connection:
            account = connection.execute(ACCOUNTS.select().where(ACCOUNTS.c.id == row.account)).one_or_none()
        info = next(iter(self.games.infos([row.match])), None)
        if account is None or info is None or info["asked"] != row.side:
            return False
        notice = self.notice(info)
        if row.way == "push":
            return bool(account.push) and self._push(account.id, notice)
        mail = self.settings.mail
        if not account.email or not account.confirmed or mail is None:
            return False
        stop = f"{self.settings.url}/api/notices/stop?token={self.stop_token(account.id, account.email)}"
        lines = list(self.games.summary(row.match, row.side))
        send_mail(mail, letter(mail.sender, account.email, notice, stop, lines))
        return True

    def notice(self, info: wire.MatchInfo) -> Notice:
        """Return the notice of a match."""
        when = f"turn {info['turn']}" + (f" ({info['label']})" if info["label"] else "")
        link = f"{self.settings.url}/game/{info['id']}"
        return Notice(f"{info['title']}: your turn", f"{info['asked']} must decide: {when}, {info['phase']}.", link)

    # Web push

    def subscribe(self, who: Who, subscription: wire.PushSubscription) -> None:
        """Add a browser of an account to those that are notified."""
        if "push" not in self.ways:
            raise Refused("unknown", "This server sends no push messages")
        trouble = bad_subscription(subscription)
        if trouble:
            raise Refused("invalid", trouble)
        try:
            addresses_of(subscription.endpoint, self.settings.push_to_private)
        except (Undeliverable, Unsent) as error:
            raise Refused("invalid", str(error)) from None
        mine = SUBSCRIPTIONS.c.account == who.id
        with self.database.writing() as connection:
            connection.execute(SUBSCRIPTIONS.delete().where(SUBSCRIPTIONS.c.endpoint == subscription.endpoint))
            newest = sa.select(SUBSCRIPTIONS.c.id).where(mine).order_by(SUBSCRIPTIONS.c.id.desc())
            for old in connection.execute(newest.offset(limits.SUBSCRIPTIONS - 1)).scalars().all():
                connection.execute(SUBSCRIPTIONS.delete().where(SUBSCRIPTIONS.c.id == old))
            connection.execute(SUBSCRIPTIONS.insert(), {"account": who.id, **subscription.model_dump()})

    def push_key(self) -> str:
        """Return the server's public key in the form that a browser wants."""
        point = self._keys().public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return base64.urlsafe_b64encode(point).decode().rstrip("=")

    def _keys(self) -> Vapid02:
        if self._vapid is None:
            fresh = Vapid02()
            fresh.generate_keys()
            kept = self._secret("vapid", fresh.private_pem().decode())
            self._vapid = Vapid02.from_pem(kept.encode())
            self._vapid.conf = {"no-strict": True}
        return self._vapid

    def _push(self, account: int, notice: Notice) -> bool:
        """Notify every browser of an account. Return whether one was notified. One that is gone for good is forgotten."""
        with self.database.reading() as connection:
            rows = connection.execute(SUBSCRIPTIONS.select().where(SUBSCRIPTIONS.c.account == account)).all()
        told, trouble = False, None
        for row in rows:
            try:
                self._push_to(row, notice)
                told = True
            except Undeliverable as error:
                log.info("A browser is no longer notified: %s", error)
                with self.database.writing() as connection:
                    connection.execute(SUBSCRIPTIONS.delete().where(SUBSCRIPTIONS.c.id == row.id))
            except Unsent as error:
                trouble = error
        if trouble and not told:
            raise trouble
        return told

    def _push_to(self, row: Any, notice: Notice) -> None:
        keys = {"p256dh": row.p256dh, "auth": row.auth}
        pusher = WebPusher({"endpoint": row.endpoint, "keys": keys})
        body = pusher.encode(json.dumps(notice._asdict()).encode())["body"]
        parts = urlsplit(row.endpoint)
        claims = {"aud": f"https://{parts.netloc}", "sub": self._contact(), "exp": int(self.clock() + DAY / 2)}
        try:
            signed = self._keys().sign(claims)
        except VapidException as error:
            raise Undeliverable(f"{row.endpoint}: {error}") from None
        headers = {**signed, "TTL": str(int(DAY)), "Urgency": "normal", "Content-Encoding": "aes128gcm"}
        post(row.endpoint, body, headers, self.settings.push_to_private)

    def _contact(self) -> str:
        """Return the contact address for push services."""
        url, mail = self.settings.url, self.settings.mail
        return f"mailto:{mail.sender}" if mail else url if url.startswith("https://") else "mailto:table@localhost"

    # Mail

    def stop_token(self, account: int, email: str) -> str:
        """Return the token in a mail that allows its reader to stop further mails."""
        key = self._secret("stop", secrets.token_hex(32))
        mac = hmac.digest(key.encode(), f"{account} {email}".encode(), "sha256")
        return f"{account}.{base64.urlsafe_b64encode(mac).decode().rstrip('=')}"

    def stop(self, token: str) -> None:
        """Stop mail to the address that a token was sent to."""
        number = token.partition(".")[0]
        if not (number.isascii() and number.isdecimal() and len(number) < 10):
            return
        with self.database.reading() as connection:
            account = connection.execute(ACCOUNTS.select().where(ACCOUNTS.c.id == int(number))).one_or_none()
        if account and hmac.compare_digest(token.encode(), self.stop_token(account.id, account.email).encode()):
            with self.database.writing() as connection:
                connection.execute(
                    ACCOUNTS.update().where(ACCOUNTS.c.id == account.id).values(email="", confirmed=False)
                )

    def _secret(self, name: str, fresh: str) -> str:
        """Return a secret that was made once and is stored; the first one counts."""
        query = sa.select(SECRETS.c.value).where(SECRETS.c.name == name)
        with self.database.reading() as connection:
            kept: str | None = connection.execute(query).scalar()
        if kept is None:
            with self.database.writing() as connection:
                connection.execute(_unless_there(connection, SECRETS), {"name": name, "value": fresh})
                kept = connection.execute(query).scalar_one()
        return kept


def notices_router(notices: Notices) -> APIRouter:
    """Return the part of the API that a mail program uses to stop our mails (RFC 8058)."""
    router = APIRouter(prefix="/api/notices", tags=["accounts"])

    @router.post("/stop", status_code=204, summary="No more mail to this address")
    def stop(token: str) -> None:
        notices.stop(token)

    return router


def letter(sender: str, to: str, notice: Notice, stop: str, summary: Sequence[str] = ()) -> EmailMessage:
    """Return a notice as a mail, with the summary of what has happened since the player's last turn."""
    message = EmailMessage()
    heading(message, sender, to, notice.title)
    message["List-Unsubscribe"] = f"<{stop}>"
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    happened = [f"- {line}" for line in summary[: limits.NOTICE_LINES]]
    if len(summary) > len(happened):
        happened.append(f"- and {len(summary) - len(happened)} more")
    since = "\n".join(["Since your last turn:", *happened]) + "\n\n" if happened else ""
    message.set_content(
        f"{notice.text}\n\n{since}{notice.link}\n\n"
        "You get no further notice of this match until you have looked at it. To stop these mails, change the notices of your "
        "account or use the unsubscribe button of your mail program.\n"
    )
    return message


def heading(message: EmailMessage, sender: str, to: str, subject: str) -> None:
    """Write the headers that every mail of ours has."""
    message["From"] = f"Khamsin <{sender}>"
    message["To"] = to
    message["Subject"] = subject
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain=sender.partition("@")[2])
    message["Auto-Submitted"] = "auto-generated"


def send_mail(mail: Mail, message: EmailMessage) -> None:
    """Hand a mail to the mail server."""
    context = ssl.create_default_context()
    try:
        server: smtplib.SMTP
        if mail.tls == "at once":
            server = smtplib.SMTP_SSL(mail.host, mail.port, timeout=limits.NOTICE_SECONDS, context=context)
        else:
            server = smtplib.SMTP(mail.host, mail.port, timeout=limits.NOTICE_SECONDS)
        with server:
            server.ehlo()
            secret = mail.tls == "at once"
            if mail.tls == "offered" and server.has_extn("starttls"):
                server.starttls(context=context)
                secret = True
            if mail.user:
                if not secret:
                    raise Unsent(f"{mail.host} offers no TLS, and a password is not sent without it")
                server.login(mail.user, mail.password)
            server.send_message(message)
    except smtplib.SMTPRecipientsRefused as error:
        codes = [code for code, _ in error.recipients.values()]
        raise (Undeliverable if all(code >= 500 for code in codes) else Unsent)(f"{mail.host}: {error}") from None
    except (OSError, smtplib.SMTPException) as error:
        raise Unsent(f"{mail.host}: {error}") from None


def post(endpoint: str, body: bytes, headers: dict[str, str], to_private: bool) -> None:
    """Send a message to a push service. The checked public address is the one that is used, so changing the name's
    address a moment later has no effect. The response is not read, and redirects are not followed."""
    url = httpx.URL(endpoint)
    headers = {**headers, "Host": url.netloc.decode()}
    trouble: Exception | None = None
    with httpx.Client(
        verify=ssl.create_default_context(), timeout=limits.NOTICE_SECONDS, trust_env=False, follow_redirects=False
    ) as client:
        for address in addresses_of(endpoint, to_private):
            there = client.build_request("POST", url.copy_with(host=address), content=body, headers=headers)
            there.extensions["sni_hostname"] = url.host
            try:
                answer = client.send(there, stream=True)
            except httpx.HTTPError as error:
                trouble = error
                continue
            status = answer.status_code
            answer.close()
            break
        else:
            raise Unsent(f"{url.host}: {trouble}")
    # A refused signature (401, 403) may be the fault of our clock: the browser is not forgotten for it.
    if status in (401, 403, 408, 425, 429) or status >= 500:
        raise Unsent(f"{url.host} returned {status}")
    if not 200 <= status < 300:
        raise Undeliverable(f"{url.host} returned {status}")


def addresses_of(endpoint: str, to_private: bool) -> list[str]:
    """Resolve a push endpoint. Reject private addresses and ports other than 443 (SSRF), unless `to_private`."""
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname, parts.port or 443
    except ValueError:
        host, port = None, 443
    if host is None or parts.scheme != "https" or "@" in parts.netloc:
        raise Undeliverable(f"{endpoint!r} is not an address of a push service")
    if port != 443 and not to_private:
        raise Undeliverable(f"{host!r}: expected port 443, not {port}")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Unsent(f"{host!r} cannot be found") from None
    addresses = list(dict.fromkeys(str(address[0]) for *_, address in found))
    if not to_private and not all(is_public(address) for address in addresses):
        raise Undeliverable(f"{host!r} is not a public address")
    return addresses


def is_public(address: str) -> bool:
    """Whether an address is a public one, and does not lead to our own network.

    >>> [is_public(a) for a in ("1.1.1.1", "10.1.2.3", "127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1", "64:ff9b::a00:1")]
    [True, False, False, False, False, False]
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address) and (ip.ipv4_mapped or ip.sixtofour or ip.teredo or ip in NAT64):
        return False
    return ip.is_global and not ip.is_multicast


NAT64 = ipaddress.ip_network("64:ff9b::/96")


def bad_subscription(subscription: wire.PushSubscription) -> str:
    """Return what is wrong with the keys of a subscription, or ""."""
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _bytes(subscription.p256dh))
    except ValueError:
        return "p256dh: expected a point of P-256, in base64url"
    try:
        right = len(_bytes(subscription.auth)) == 16
    except ValueError:
        right = False
    return "" if right else "auth: expected 16 bytes, in base64url"


def _bytes(text: str) -> bytes:
    data = text.rstrip("=").encode("ascii")
    return base64.b64decode(data + b"=" * (-len(data) % 4), b"-_", validate=True)


def _unless_there(connection: sa.Connection, table: sa.Table) -> Any:
    """Return an insertion that leaves an existing row alone."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(table).on_conflict_do_nothing()
