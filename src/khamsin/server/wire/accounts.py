"""Accounts, notices and push subscriptions."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints
from typing_extensions import TypedDict

from khamsin.server.wire.common import STORABLE, Name, Strict
from khamsin.server.wire.seats import MatchInfo

Password = Annotated[str, StringConstraints(min_length=8, max_length=256)]


class Credentials(Strict):
    """A name and a password."""

    name: Annotated[str, StringConstraints(min_length=2, max_length=40, pattern=r"^[\w .-]+$", strip_whitespace=True)]
    password: Password


class NewPassword(Strict):
    """A new password instead of the present one."""

    password: Password
    new: Password


class CloseAccount(Strict):
    """The password of an account that is to be closed."""

    password: Password


class Notices(Strict):
    """How an account gets notices."""

    email: Annotated[str, StringConstraints(max_length=254)] = ""
    push: bool = False


class LinkToken(Strict):
    """The token of a link that was sent by mail."""

    token: Annotated[str, StringConstraints(min_length=1, max_length=128)]


class Forgotten(Strict):
    """The name or the mail address of an account whose password is forgotten."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=254, pattern=STORABLE)]


class Reset(LinkToken):
    """A new password, by a link."""

    password: Password


class Account(BaseModel):
    """The account of the caller; the name is empty if the caller is not signed in."""

    name: str
    email: str = ""
    confirmed: bool = Field(
        default=False, description="Whether the mail address is confirmed; no notices are sent there before"
    )
    push: bool = False
    push_key: str = Field(default="", description="The server's public key for web push, empty if it has none")
    mail: bool = Field(default=False, description="Whether this server can send mail")


class Claim(Strict):
    """A seat for the account's list."""

    id: Name
    key: Annotated[str, StringConstraints(min_length=1, max_length=128)]


class PushSubscription(Strict):
    """A subscription of the browser's push service: its address and two keys."""

    endpoint: Annotated[str, StringConstraints(max_length=1024, pattern=r"^https://[^\x00]*$")]
    p256dh: Annotated[str, StringConstraints(max_length=256, pattern=STORABLE)]
    auth: Annotated[str, StringConstraints(max_length=128, pattern=STORABLE)]


class MyGames(TypedDict):
    """The matches of an account, those that wait for it first."""

    games: list[MatchInfo]
