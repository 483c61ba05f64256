"""One-time links by mail: they confirm an address, or reset a password.

The database stores only the hash of a link's token. The token is in the fragment of the address, so that no server logs
it; the page posts it.
"""

from __future__ import annotations

import secrets
from email.message import EmailMessage
from typing import Any

import sqlalchemy as sa
from fastapi import APIRouter

from khamsin.server import limits, wire
from khamsin.server.accounts import ACCOUNTS, SESSIONS, Accounts, Who, digest, fold
from khamsin.server.click_checks import Refused
from khamsin.server.database import METADATA
from khamsin.server.notices import Notices, heading
from khamsin.server.parameters import refusal

LINKS = sa.Table(
    "links", METADATA,
    sa.Column("digest", sa.String, primary_key=True),
    sa.Column("account", sa.ForeignKey(ACCOUNTS.c.id, ondelete="SET NULL"), index=True),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("email", sa.String, nullable=False, index=True),
    sa.Column("made", sa.Float, nullable=False),
    sa.Column("used", sa.Boolean, nullable=False),
)  # fmt: skip
"""The links of the last days. Those of a closed account stay, so that closing it does not lift the limit of its address."""

CONFIRM, RESET = "confirm", "reset"
HOUR, DAY = 3600.0, 86400.0
VALID = {CONFIRM: limits.CONFIRM_HOURS * HOUR, RESET: limits.RESET_HOURS * HOUR}
SKEW = HOUR
"""How far in the future a link may have been made: clocks differ and are set back."""


class Links:
    """Makes links, sends them and redeems them."""

    def __init__(self, accounts: Accounts, notices: Notices) -> None:
        self.accounts = accounts
        self.database = accounts.database
        self.clock = accounts.clock
        self.notices = notices
        self._until: dict[str, float] = {}
        """Until when each link made by this process is valid, by a clock that cannot be set."""

    # Making

    def ask_confirmation(self, who: Who) -> None:
        """Send a link that confirms the address of an account."""
        self._needs_mail()
        if not who.email or who.confirmed:
            raise Refused("invalid", "There is no address to confirm")
        token = self._make(who.id, CONFIRM, who.email)
        if token is None:
            raise Refused("limit", "Too many mails to this address or account today. Try again tomorrow.")
        text = f"The account {who.name} wants to be notified at this address when it is its turn. To confirm it, open:"
        self._send(who.email, "Confirm your address", text, CONFIRM, token)

    def ask_reset(self, name: str) -> None:
        """Send a link that sets a new password, to the confirmed address of an account by its name or address.

        Everything is done later in the thread that sends, so that the response does not reveal whether the account
        exists.
        """
        self._needs_mail()
        self.notices.later(lambda: self._send_resets(name))

    def _send_resets(self, name: str) -> None:
        known = (ACCOUNTS.c.folded == fold(name)) | (sa.func.lower(ACCOUNTS.c.email) == name.strip().lower())
        query = ACCOUNTS.select().where(known, ACCOUNTS.c.confirmed, ACCOUNTS.c.email != "").order_by(ACCOUNTS.c.id)
        with self.database.reading() as connection:
            rows = connection.execute(query.limit(limits.LINKS_A_DAY)).all()
        for row in rows:
            token = self._make(row.id, RESET, row.email)
            if token is not None:
                text = f"To set a new password for the account {row.name}, open within an hour:"
                self._send(row.email, "Set a new password", text, RESET, token)

    def _make(self, account: int, kind: str, email: str) -> str | None:
        """Return the token of a new link; None if the account or the address has had too many today."""
        token, now = secrets.token_urlsafe(32), self.clock.wall()
        today = LINKS.c.made.between(now - DAY, now + SKEW)
        same = (LINKS.c.account == account) | (sa.func.lower(LINKS.c.email) == email.lower())
        with self.database.writing() as connection:
            connection.execute(LINKS.delete().where(~LINKS.c.made.between(now - 4 * DAY, now + 2 * DAY)))
            count = connection.execute(sa.select(sa.func.count()).select_from(LINKS).where(today, same)).scalar_one()
            if count >= limits.LINKS_A_DAY:
                return None
            row = {
                "digest": digest(token),
                "account": account,
                "kind": kind,
                "email": email,
                "made": now,
                "used": False,
            }
            connection.execute(LINKS.insert(), row)
        steady = self.clock.steady()
        self._until = {known: until for known, until in self._until.items() if until > steady}
        self._until[digest(token)] = steady + VALID[kind]
        return token

    def _send(self, email: str, subject: str, text: str, kind: str, token: str) -> None:
        mail = self.notices.settings.mail
        if mail is None:
            return
        message = EmailMessage()
        heading(message, mail.sender, email, subject)
        link = f"{self.notices.settings.url}/account#{kind}={token}"
        message.set_content(
            f"{text}\n\n{link}\n\nIf you did not ask for this, ignore this mail. Nothing changes then.\n"
        )
        self.notices.post(message)

    def _needs_mail(self) -> None:
        if "mail" not in self.notices.ways:
            raise Refused("unknown", "This server sends no mail")

    # Using

    def confirm(self, token: str) -> None:
        """Mark the address that a link was sent to as confirmed, if the account still has it."""
        with self.database.writing() as connection:
            row = self._use(connection, CONFIRM, token)
            same = ACCOUNTS.c.id == row.account, ACCOUNTS.c.email == row.email
            if not connection.execute(ACCOUNTS.update().where(*same).values(confirmed=True)).rowcount:
                raise _invalid()

    def reset(self, token: str, password: str) -> None:
        """Set a new password. Ends all sessions and all other links of the account."""
        with self.database.reading() as connection:
            self._find(connection, RESET, token)
        hashed = self.accounts.hashed(password)
        with self.database.writing() as connection:
            row = self._use(connection, RESET, token)
            same = ACCOUNTS.c.id == row.account, ACCOUNTS.c.email == row.email, ACCOUNTS.c.confirmed
            if not connection.execute(ACCOUNTS.update().where(*same).values(hash=hashed)).rowcount:
                raise _invalid()
            connection.execute(SESSIONS.delete().where(SESSIONS.c.account == row.account))
            connection.execute(LINKS.update().where(LINKS.c.account == row.account).values(used=True))

    def forget_resets(self, who: Who) -> None:
        """Make the reset links of an account void: its password was changed otherwise."""
        mine = LINKS.c.account == who.id, LINKS.c.kind == RESET
        with self.database.writing() as connection:
            connection.execute(LINKS.update().where(*mine).values(used=True))

    def _use(self, connection: sa.Connection, kind: str, token: str) -> Any:
        row = self._find(connection, kind, token)
        unused = LINKS.c.digest == row.digest, ~LINKS.c.used
        if not connection.execute(LINKS.update().where(*unused).values(used=True)).rowcount:
            raise _invalid()
        return row

    def _find(self, connection: sa.Connection, kind: str, token: str) -> Any:
        """Return the row of a link that is valid now."""
        given = LINKS.c.digest == digest(token), LINKS.c.kind == kind, ~LINKS.c.used
        row = connection.execute(LINKS.select().where(*given)).one_or_none()
        if row is None or row.account is None or not self._is_valid(row):
            raise _invalid()
        return row

    def _is_valid(self, row: sa.Row[Any]) -> bool:
        until = self._until.get(row.digest)
        if until is not None:
            return self.clock.steady() < until
        return bool(row.made - SKEW <= self.clock.wall() < row.made + VALID[row.kind])


def _invalid() -> Refused:
    return Refused("invalid", "This link is not valid any more. Ask for a new one.")


def links_router(links: Links) -> APIRouter:
    """Return the part of the API that takes the tokens of links."""
    router = APIRouter(prefix="/api", tags=["accounts"])
    may_answer: dict[int | str, dict[str, Any]] = {
        status: refusal(text)
        for status, text in (
            (404, "This server sends no mail"),
            (422, "The link is not valid any more"),
            (429, "Too often; see Retry-After"),
            (503, "The server cannot do it at this moment"),
        )
    }

    @router.post("/confirm", status_code=204, summary="Confirm a mail address by a link", responses=may_answer)
    def confirm(given: wire.LinkToken) -> None:
        links.confirm(given.token)

    @router.post("/reset", status_code=204, summary="Send me a link to set a new password", responses=may_answer)
    def ask_reset(asked: wire.Forgotten) -> None:
        links.ask_reset(asked.name)

    @router.put("/reset", status_code=204, summary="Set a new password by a link", responses=may_answer)
    def reset(given: wire.Reset) -> None:
        links.reset(given.token, given.password)

    return router
