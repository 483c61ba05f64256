"""Accounts: a name and a password, for players who want to find their matches on any device and get notices.

No account is needed to play: a seat is opened by keys, and the account that holds a seat can give a device a key. The
database stores an argon2 hash of each password and the hash of each session token.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Annotated, Any, NamedTuple, Protocol

import sqlalchemy as sa
from anyio import from_thread
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from fastapi import APIRouter, Cookie, Request, Response
from sqlalchemy.exc import IntegrityError

from khamsin.server import limits, names, wire
from khamsin.server.click_checks import Refused
from khamsin.server.database import METADATA, Clock, Database, now, stamp
from khamsin.server.middleware import SESSION_COOKIE, Buckets
from khamsin.server.parameters import refusal
from khamsin.server.settings import ADDRESS

ACCOUNTS = sa.Table(
    "accounts", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("folded", sa.String, nullable=False, unique=True),
    sa.Column("hash", sa.String, nullable=False),
    sa.Column("skeleton", sa.String, nullable=False, server_default=""),
    sa.Column("email", sa.String, nullable=False, default=""),
    sa.Column("confirmed", sa.Boolean, nullable=False, default=False, server_default=sa.false()),
    sa.Column("push", sa.Boolean, nullable=False, default=False),
    sa.Column("created", sa.String, nullable=False),
    sa.Index("accounts_skeleton", "skeleton", unique=True),
)  # fmt: skip
SESSIONS = sa.Table(
    "sessions", METADATA,
    sa.Column("digest", sa.String, primary_key=True),
    sa.Column("account", sa.ForeignKey(ACCOUNTS.c.id, ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("expires", sa.String, nullable=False),
)  # fmt: skip
SEATS = sa.Table(
    "account_seats", METADATA,
    sa.Column("account", sa.ForeignKey(ACCOUNTS.c.id, ondelete="CASCADE"), primary_key=True),
    sa.Column("match", sa.String, primary_key=True),
    sa.Column("side", sa.String, primary_key=True),
    sa.Column("claimed", sa.String, nullable=False),
    sa.Index("account_seats_of_match", "match", "side"),
)  # fmt: skip


class Games(Protocol):
    """What accounts need of the matches."""

    def sides_of(self, match: str, key: str) -> Iterable[str]:
        """Return the sides of a match that a key opens; none if there is no such match or key."""
        ...

    async def grant_key(self, match: str, sides: Sequence[str]) -> wire.SeatGranted:
        """Return a new key to some sides of a match, for a device whose account holds them."""
        ...

    async def seats_changed(self, match: str) -> None:
        """Tell every viewer of a match that its seats have changed."""
        ...

    def infos(self, matches: Iterable[str]) -> Iterable[wire.MatchInfo]:
        """Return a line about each of these matches, without those that no longer exist."""
        ...

    def summary(self, match: str, side: str) -> Iterable[str]:
        """Return what has changed since a side's last turn, one line each, as the side may know it."""
        ...


class Who(NamedTuple):
    """An account that has signed in."""

    id: int
    name: str
    email: str
    push: bool
    confirmed: bool = False
    """Whether the address has been confirmed."""


def who_of(row: Any) -> Who:
    """Return an account by its row."""
    return Who(row.id, row.name, row.email, row.push, row.confirmed)


class Accounts:
    """The accounts of a server."""

    def __init__(
        self, database: Database, buckets: Buckets, hasher: PasswordHasher | None = None, clock: Clock | None = None
    ) -> None:
        self.database = database
        self.clock = clock or Clock()
        self.buckets = buckets
        self.hasher = hasher or PasswordHasher()
        self._turns = threading.BoundedSemaphore(limits.HASHES)

    def create(self, name: str, password: str) -> Who:
        """Open an account. Its name must not look like another's."""
        try:
            name = names.cleaned(name)
        except ValueError as error:
            raise Refused("invalid", str(error)) from None
        row = {"name": name, "folded": fold(name), "skeleton": names.skeleton(name), "email": "", "push": False}
        row |= {"hash": self.hashed(password), "created": now()}
        try:
            with self.database.writing() as connection:
                made = connection.execute(ACCOUNTS.insert().returning(ACCOUNTS.c.id), row)
                return Who(made.scalar_one(), name, "", False)
        except IntegrityError:
            raise Refused("invalid", f"The name {name} is taken, or looks like one that is") from None

    def hashed(self, password: str) -> str:
        """Return the hash of a password."""
        with self._a_turn():
            return self.hasher.hash(password)

    @cached_property
    def _nobody(self) -> str:
        """The hash to compare with if no account has the name, so that it takes as long."""
        return self.hasher.hash(secrets.token_urlsafe())

    def check(self, name: str, password: str) -> Who:
        """Return the account of a name and its password; the error does not say which of the two was wrong."""
        folded = fold(name)
        if self.buckets.take("guess", f"the name {folded}"):
            raise Refused("limit", "Too many tries for this name. Try again in a few minutes.")
        with self.database.reading() as connection:
            row = connection.execute(ACCOUNTS.select().where(ACCOUNTS.c.folded == folded)).one_or_none()
        nobody = self._nobody
        known = row.hash if row else nobody
        with self._a_turn():
            try:
                self.hasher.verify(known, password)
            except (VerificationError, InvalidHashError):
                row = None
            if row is None:
                raise Refused("account", "Name or password is wrong")
            fresh = self.hasher.hash(password) if self.hasher.check_needs_rehash(row.hash) else None
        if fresh:
            with self.database.writing() as connection:
                same = (ACCOUNTS.c.id == row.id) & (ACCOUNTS.c.hash == row.hash)
                connection.execute(ACCOUNTS.update().where(same).values(hash=fresh))
        return who_of(row)

    @contextmanager
    def _a_turn(self) -> Iterator[None]:
        """Wait for a free place to hash a password, which takes much memory."""
        if not self._turns.acquire(timeout=limits.HASH_SECONDS):
            raise Refused("busy", "Too many sign-ins at this moment. Try again in a few seconds.")
        try:
            yield
        finally:
            self._turns.release()

    def sign_in(self, who: Who, instead_of: str | None = None) -> str:
        """Return the token of a new session, which replaces one that is open."""
        token = secrets.token_urlsafe(32)
        of_account = SESSIONS.c.account == who.id
        with self.database.writing() as connection:
            # Keep sessions that would be valid if the clock were set back a day.
            connection.execute(
                SESSIONS.delete().where(SESSIONS.c.expires <= self._in_days(-2 * limits.CLOCK_SLACK_DAYS))
            )
            if instead_of:
                connection.execute(SESSIONS.delete().where(SESSIONS.c.digest == digest(instead_of)))
            open_ = sa.select(SESSIONS.c.digest).where(of_account).order_by(SESSIONS.c.expires.desc())
            for old in connection.execute(open_.offset(limits.SESSIONS - 1)).scalars().all():
                connection.execute(SESSIONS.delete().where(SESSIONS.c.digest == old))
            row = {"digest": digest(token), "account": who.id, "expires": self._in_days(limits.SESSION_DAYS)}
            connection.execute(SESSIONS.insert(), row)
        return token

    def sign_out(self, token: str) -> None:
        """End a session."""
        with self.database.writing() as connection:
            connection.execute(SESSIONS.delete().where(SESSIONS.c.digest == digest(token)))

    def change_password(self, who: Who, password: str, token: str) -> None:
        """Change the password. All other sessions are ended."""
        hashed = self.hashed(password)
        elsewhere = (SESSIONS.c.account == who.id) & (SESSIONS.c.digest != digest(token))
        with self.database.writing() as connection:
            connection.execute(ACCOUNTS.update().where(ACCOUNTS.c.id == who.id).values(hash=hashed))
            connection.execute(SESSIONS.delete().where(elsewhere))

    def close(self, who: Who) -> list[str]:
        """Delete an account and its data. Its matches continue for the holders of their keys; return these matches."""
        with self.database.writing() as connection:
            kept = connection.execute(sa.select(SEATS.c.match).where(SEATS.c.account == who.id).distinct())
            matches = list(kept.scalars())
            connection.execute(ACCOUNTS.delete().where(ACCOUNTS.c.id == who.id))
        return matches

    def find(self, token: str | None) -> Who | None:
        """Return the account of a valid session."""
        if not token:
            return None
        with self.database.reading() as connection:
            of_token = (SESSIONS.c.digest == digest(token)) & (
                SESSIONS.c.expires > self._in_days(-limits.CLOCK_SLACK_DAYS)
            )
            query = sa.select(ACCOUNTS).join(SESSIONS, SESSIONS.c.account == ACCOUNTS.c.id).where(of_token)
            row = connection.execute(query).one_or_none()
        return who_of(row) if row else None

    def id_of(self, token: str | None) -> int | None:
        """Return the number of the account that a session belongs to."""
        who = self.find(token)
        return who.id if who else None

    def prolong(self, token: str) -> bool:
        """Extend a session to its whole time, at most once per day. Return whether that was done."""
        lasting = SESSIONS.c.expires.between(
            self._in_days(-limits.CLOCK_SLACK_DAYS), self._in_days(limits.SESSION_DAYS - 1)
        )
        old = (SESSIONS.c.digest == digest(token)) & lasting
        with self.database.reading() as connection:
            if not connection.execute(SESSIONS.select().where(old)).one_or_none():
                return False
        with self.database.writing() as connection:
            connection.execute(SESSIONS.update().where(old).values(expires=self._in_days(limits.SESSION_DAYS)))
        return True

    def _in_days(self, days: float) -> str:
        """Return the moment some days from now, as it is stored."""
        return stamp(self.clock.wall() + days * 86400)

    def keep(self, who: Who, match: str, sides: Iterable[str]) -> None:
        """Let an account hold some sides of a match."""
        rows = [{"account": who.id, "match": match, "side": side, "claimed": now()} for side in dict.fromkeys(sides)]
        mine = SEATS.c.account == who.id
        with self.database.writing() as connection:
            again = SEATS.c.side.in_([row["side"] for row in rows])
            connection.execute(SEATS.delete().where(mine, SEATS.c.match == match, again))
            count = connection.execute(sa.select(sa.func.count()).select_from(SEATS).where(mine)).scalar_one()
            if count + len(rows) > limits.SEATS_KEPT:
                raise Refused("limit", "This account has reached its limit of seats")
            connection.execute(SEATS.insert(), rows)

    def kept(self, who: Who) -> dict[str, list[str]]:
        """Return the matches of an account, each with the sides it holds."""
        found: dict[str, list[str]] = {}
        with self.database.reading() as connection:
            for row in connection.execute(
                SEATS.select().where(SEATS.c.account == who.id).order_by(SEATS.c.claimed, SEATS.c.side)
            ):
                found.setdefault(row.match, []).append(row.side)
        return found

    def release(self, connection: sa.Connection, match: str, sides: Sequence[str], account: int | None) -> None:
        """Let all accounts but one lose some sides of a match."""
        others = sa.and_(SEATS.c.match == match, SEATS.c.side.in_(sides), SEATS.c.account != (account or -1))
        connection.execute(SEATS.delete().where(others))

    def holders(self, matches: Sequence[str]) -> dict[str, dict[str, str]]:
        """Return the names of the accounts that hold the seats of some matches, for each match by side; of several, the
        first."""
        query = sa.select(SEATS.c.match, SEATS.c.side, ACCOUNTS.c.name).join(ACCOUNTS, ACCOUNTS.c.id == SEATS.c.account)
        found: dict[str, dict[str, str]] = {}
        with self.database.reading() as connection:
            for row in connection.execute(query.where(SEATS.c.match.in_(matches)).order_by(SEATS.c.claimed.desc())):
                found.setdefault(row.match, {})[row.side] = row.name
        return found

    def set_notices(self, who: Who, email: str, push: bool) -> Who:
        """Set how an account is notified."""
        if email and not ADDRESS.fullmatch(email):
            raise Refused("invalid", f"{email!r} is not a mail address")
        fresh = who._replace(email=email, push=push, confirmed=who.confirmed and email == who.email)
        values = {"email": email, "push": push, "confirmed": fresh.confirmed}
        with self.database.writing() as connection:
            connection.execute(ACCOUNTS.update().where(ACCOUNTS.c.id == who.id).values(values))
        return fresh


class AccountLinks(Protocol):
    """What accounts need of the links by mail."""

    def ask_confirmation(self, who: Who) -> None:
        """Send a link that confirms the address of an account."""
        ...

    def forget_resets(self, who: Who) -> None:
        """Make the reset links of an account void."""
        ...


class Outlook(NamedTuple):
    """How the server can send notices: its public key for web push, and whether it sends mail."""

    push_key: str = ""
    mail: bool = False


Token = Annotated[str | None, Cookie(alias=SESSION_COOKIE)]


def accounts_router(
    accounts: Accounts,
    games: Games,
    outlook: Callable[[], Outlook] = Outlook,
    subscribe: Callable[[Who, wire.PushSubscription], None] | None = None,
    links: AccountLinks | None = None,
) -> APIRouter:
    """Return the part of the API about accounts. `subscribe` takes the push subscriptions of a server that has push;
    `links` sends mails to confirm addresses."""
    router = APIRouter(prefix="/api", tags=["accounts"])

    def signed_in(token: str | None) -> Who:
        who = accounts.find(token)
        if who is None:
            raise Refused("account", "Sign in first")
        return who

    def described(who: Who | None) -> wire.Account:
        about = outlook()
        if who is None:
            return wire.Account(name="", push_key=about.push_key, mail=about.mail)
        return wire.Account(
            name=who.name, email=who.email, confirmed=who.confirmed, push=who.push, push_key=about.push_key,
            mail=about.mail,
        )  # fmt: skip

    def hand_over(token: str, request: Request, response: Response) -> None:
        response.set_cookie(
            SESSION_COOKIE, token, max_age=limits.SESSION_DAYS * 86400, httponly=True, samesite="lax",
            secure=request.url.scheme == "https",
        )  # fmt: skip

    @router.post("/accounts", status_code=201, summary="Open an account", responses=_may_answer(422, 429, 503))
    def create(
        credentials: wire.Credentials, request: Request, response: Response, khamsin_session: Token = None
    ) -> wire.Account:
        who = accounts.create(credentials.name, credentials.password)
        hand_over(accounts.sign_in(who, khamsin_session), request, response)
        return described(who)

    @router.post("/session", summary="Sign in", responses=_may_answer(401, 422, 429, 503))
    def sign_in(
        credentials: wire.Credentials, request: Request, response: Response, khamsin_session: Token = None
    ) -> wire.Account:
        who = accounts.check(credentials.name, credentials.password)
        hand_over(accounts.sign_in(who, khamsin_session), request, response)
        return described(who)

    @router.delete("/session", summary="Sign out")
    def sign_out(response: Response, khamsin_session: Token = None) -> wire.Account:
        if khamsin_session:
            accounts.sign_out(khamsin_session)
            response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="lax")
        return described(None)

    @router.get("/me", summary="The account of the caller")
    def me(request: Request, response: Response, khamsin_session: Token = None) -> wire.Account:
        who = accounts.find(khamsin_session)
        if who is not None and khamsin_session and accounts.prolong(khamsin_session):
            hand_over(khamsin_session, request, response)
        return described(who)

    @router.put("/me/password", summary="Change my password", responses=_may_answer(401, 422, 429, 503))
    def change_password(change: wire.NewPassword, khamsin_session: Token = None) -> wire.Account:
        who = accounts.check(signed_in(khamsin_session).name, change.password)
        accounts.change_password(who, change.new, khamsin_session or "")
        if links is not None:
            links.forget_resets(who)
        return described(who)

    @router.delete("/me", summary="Close my account", responses=_may_answer(401, 422, 429, 503))
    def close(farewell: wire.CloseAccount, response: Response, khamsin_session: Token = None) -> wire.Account:
        who = accounts.check(signed_in(khamsin_session).name, farewell.password)
        for match in accounts.close(who):
            from_thread.run(games.seats_changed, match)
        response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="lax")
        return described(None)

    @router.put("/me/notices", summary="How to be notified of my turn", responses=_may_answer(401, 422, 429))
    def set_notices(notices: wire.Notices, khamsin_session: Token = None) -> wire.Account:
        before = signed_in(khamsin_session)
        who = accounts.set_notices(before, notices.email, notices.push)
        if who.email and who.email != before.email and links is not None and outlook().mail:
            links.ask_confirmation(who)
        return described(who)

    @router.post(
        "/me/confirmation", status_code=204, summary="Send the link again that confirms my address",
        responses=_may_answer(401, 404, 422, 429),
    )  # fmt: skip
    def confirmation(khamsin_session: Token = None) -> None:
        who = signed_in(khamsin_session)
        if links is None:
            raise Refused("unknown", "This server sends no mail")
        links.ask_confirmation(who)

    @router.post("/me/push", status_code=204, summary="A browser to notify", responses=_may_answer(401, 404, 422))
    def push(subscription: wire.PushSubscription, khamsin_session: Token = None) -> None:
        who = signed_in(khamsin_session)
        if subscribe is None:
            raise Refused("unknown", "This server sends no push messages")
        subscribe(who, subscription)

    @router.post("/me/seats", summary="Keep a seat in my list", responses=_may_answer(401, 403, 422, 429))
    def keep_seat(claim: wire.Claim, khamsin_session: Token = None) -> wire.MyGames:
        who = signed_in(khamsin_session)
        sides = list(games.sides_of(claim.id, claim.key))
        if not sides:
            raise Refused("seat", "That key opens no seat of that match")
        accounts.keep(who, claim.id, sides)
        from_thread.run(games.seats_changed, claim.id)
        return wire.MyGames(games=_listed(games, {claim.id: accounts.kept(who)[claim.id]}))

    @router.post("/me/seats/{match}/key", summary="A key for this device", responses=_may_answer(401, 403, 422, 429))
    def take_key(match: wire.Name, khamsin_session: Token = None) -> wire.SeatGranted:
        sides = accounts.kept(signed_in(khamsin_session)).get(match)
        if not sides:
            raise Refused("seat", "This account holds no seat of that match")
        return from_thread.run(games.grant_key, match, sides)

    @router.get("/me/games", summary="My games, those that wait for me first", responses=_may_answer(401))
    def my_games(khamsin_session: Token = None) -> wire.MyGames:
        return wire.MyGames(games=_listed(games, accounts.kept(signed_in(khamsin_session))))

    return router


def _listed(games: Games, kept: dict[str, list[str]]) -> list[wire.MatchInfo]:
    """Return a line about each match: those that wait for the account, then those in progress, then those that are
    over; in each part the one that changed last comes first."""
    lines: list[wire.MatchInfo] = [{**line, "mine": kept[line["id"]]} for line in games.infos(kept)]
    lines.sort(key=lambda line: line["changed"], reverse=True)
    return sorted(lines, key=lambda line: 2 if line["result"] else line["asked"] not in line["mine"])


REFUSALS = {
    401: "Not signed in, or name or password is wrong",
    403: "The key opens no seat of that game",
    404: "This server sends no such messages",
    422: "Invalid, or a name that is taken",
    429: "Too often, or too many; see Retry-After",
    503: "Too many sign-ins at this moment; see Retry-After",
}


def _may_answer(*statuses: int) -> dict[int | str, dict[str, object]]:
    return {status: refusal(REFUSALS[status]) for status in statuses}


def fold(name: str) -> str:
    """Return a name as it is compared: without regard to capitals, and to the several ways of writing one letter.

    >>> fold("  Claude  O'Connor ") == fold("CLAUDE o'connor")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())


def digest(token: str) -> str:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
