"""Seats: who may act for each side of a match.

A seat is opened by keys, one per device. A key is granted when a match is set up, or in exchange for a one-time link:
an invitation, a device link or a recovery link. The database stores only digests of keys and links.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import sqlalchemy as sa

from khamsin.server import limits
from khamsin.server.click_checks import Refused
from khamsin.server.database import METADATA, Job, now

PERSON, OPEN = "person", "open"
"""The holder of a seat that is not a computer player's: a person, or open until an invitation is accepted."""
INVITATION, DEVICE, RECOVERY = "invitation", "device link", "recovery link"
"""The kinds of one-time link."""

SEATS = sa.Table(
    "seats",
    METADATA,
    sa.Column("match", sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("side", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("who", sa.String(80), nullable=False, comment="person, open (not accepted yet), or a computer player"),
    sa.Column("seen", sa.String(40), comment="When its holder last looked at the match"),
)
KEYS = sa.Table(
    "seat_keys",
    METADATA,
    sa.Column("digest", sa.String(64), primary_key=True),
    sa.Column("side", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("match", sa.ForeignKey("matches.id"), nullable=False, index=True),
    sa.Column("how", sa.String(20), nullable=False, comment="How the device got its key"),
    sa.Column("made", sa.String(40), nullable=False),
    sa.Column("seen", sa.String(40), nullable=False),
)
LINKS = sa.Table(
    "seat_links",
    METADATA,
    sa.Column("digest", sa.String(64), primary_key=True),
    sa.Column("side", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("match", sa.ForeignKey("matches.id"), nullable=False, index=True),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("expires", sa.String(40), comment="Null: it does not expire"),
    sa.Column("used", sa.String(40)),
)


class Seat(NamedTuple):
    """Who holds a side, and when that person last looked at the match."""

    side: int
    who: str
    seen: str | None = None

    @property
    def human(self) -> bool:
        """Whether a person holds it or is invited to."""
        return self.who in (PERSON, OPEN)


class Device(NamedTuple):
    """One device that holds a key."""

    sides: tuple[int, ...]
    how: str
    made: str
    seen: str


def new_secret() -> str:
    """Return a key or the token of a link: 144 random bits."""
    return secrets.token_urlsafe(18)


def digest(secret: str) -> str:
    """Return what is stored of a key or token."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def load(connection: sa.Connection, match: str) -> list[Seat]:
    """Return the seats of a match, by side."""
    rows = connection.execute(sa.select(SEATS).where(SEATS.c.match == match).order_by(SEATS.c.side))
    return [Seat(row.side, row.who, row.seen) for row in rows]


def load_devices(connection: sa.Connection, match: str) -> dict[str, Device]:
    """Return the devices of a match by the digest of their key, oldest first."""
    found: dict[str, Device] = {}
    query = sa.select(KEYS).where(KEYS.c.match == match).order_by(KEYS.c.made, KEYS.c.digest, KEYS.c.side)
    for row in connection.execute(query):
        known = found.get(row.digest)
        sides = (*known.sides, row.side) if known else (row.side,)
        found[row.digest] = Device(sides, row.how, row.made, row.seen)
    return found


def grant(match: str, key: str, sides: Iterable[int], how: str) -> Job:
    """Return the job that lets a key open some sides."""
    moment = now()
    rows = [
        {"digest": digest(key), "side": side, "match": match, "how": how, "made": moment, "seen": moment}
        for side in sides
    ]

    def job(connection: sa.Connection) -> None:
        count = sa.select(sa.func.count()).select_from(KEYS).where(KEYS.c.match == match)
        if connection.execute(count).scalar_one() + len(rows) > limits.DEVICES:
            raise Refused("limit", "This match has the most devices it can have; sign the others out first")
        connection.execute(sa.insert(KEYS), rows)

    return job


def link(match: str, token: str, sides: Iterable[int], kind: str, seconds: int | None = None) -> Job:
    """Return the job that makes a one-time link to some sides. Unused links of the same kind to those sides stop
    working."""
    chosen = list(sides)
    expires = None if seconds is None else moment_after(seconds)

    def job(connection: sa.Connection) -> None:
        drop_links(connection, match, chosen, [kind])
        rows = [
            {"digest": digest(token), "side": side, "match": match, "kind": kind, "expires": expires} for side in chosen
        ]
        connection.execute(sa.insert(LINKS), rows)

    return job


def drop_links(connection: sa.Connection, match: str, sides: Sequence[int], kinds: Sequence[str]) -> None:
    """Make unused links of some kinds to some sides stop working."""
    of_kind = sa.and_(LINKS.c.match == match, LINKS.c.side.in_(sides), LINKS.c.kind.in_(kinds))
    connection.execute(sa.delete(LINKS).where(of_kind, LINKS.c.used.is_(None)))


def exchange(connection: sa.Connection, match: str, token: str, key: str) -> tuple[list[int], str]:
    """Use a link once. Return its sides, which the key opens from now on, and its kind."""
    mine = sa.and_(LINKS.c.digest == digest(token), LINKS.c.match == match)
    rows = connection.execute(sa.select(LINKS).where(mine).order_by(LINKS.c.side)).all()
    if not rows:
        raise Refused("used", "This link does not work: it was replaced, or it belongs to another match")
    if rows[0].expires is not None and rows[0].expires < now():
        raise Refused("used", "This link has expired; make a new one")
    fresh = sa.update(LINKS).where(mine, LINKS.c.used.is_(None)).values(used=now())
    if connection.execute(fresh).rowcount != len(rows):
        raise Refused("used", "This link was already used")
    sides, kind = [row.side for row in rows], rows[0].kind
    if kind == INVITATION:
        accept(connection, match, sides, key, kind)
    else:
        grant(match, key, sides, kind)(connection)
    return sides, kind


def accept(connection: sa.Connection, match: str, sides: Sequence[int], key: str, how: str) -> list[int]:
    """Let a key open those of some sides that are still open, and take them. Return those."""
    vacant = sa.and_(SEATS.c.match == match, SEATS.c.side.in_(sides), SEATS.c.who == OPEN)
    taken = list(connection.scalars(sa.select(SEATS.c.side).where(vacant).order_by(SEATS.c.side)))
    if connection.execute(sa.update(SEATS).where(vacant).values(who=PERSON, seen=now())).rowcount == 0:
        raise Refused("used", "This seat already has a holder")
    grant(match, key, taken, how)(connection)
    return taken


def sign_out_others(connection: sa.Connection, match: str, key: str, sides: Sequence[int]) -> None:
    """Let only this key open some sides; unused device and recovery links to them stop working."""
    others = sa.and_(KEYS.c.match == match, KEYS.c.side.in_(sides), KEYS.c.digest != digest(key))
    connection.execute(sa.delete(KEYS).where(others))
    drop_links(connection, match, sides, [DEVICE, RECOVERY])


def take(match: str, sides: Iterable[int]) -> Job:
    """Return the job that marks seats as held by a person."""
    chosen = sa.and_(SEATS.c.match == match, SEATS.c.side.in_(list(sides)), SEATS.c.who == OPEN)
    return lambda connection: connection.execute(sa.update(SEATS).where(chosen).values(who=PERSON))


def note_visit(match: str, key_digest: str, sides: Iterable[int]) -> Job:
    """Return the job that notes that a device looked at a match from some sides."""
    chosen = sa.and_(SEATS.c.match == match, SEATS.c.side.in_(list(sides)))

    def job(connection: sa.Connection) -> None:
        moment = now()
        connection.execute(sa.update(SEATS).where(chosen).values(seen=moment))
        connection.execute(sa.update(KEYS).where(KEYS.c.digest == key_digest).values(seen=moment))

    return job


def moment_after(seconds: float) -> str:
    """Return the moment some seconds from now, as it is stored."""
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")
