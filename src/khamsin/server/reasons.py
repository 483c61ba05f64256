"""The reasons of computer players, stored with the match. They may contain what the other side must not know, so they are shown
when the match is over, or earlier if it was set up so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
import sqlalchemy as sa

from khamsin.kernel.rules import Rules
from khamsin.server import wire
from khamsin.server.database import METADATA, Job

REASONS = sa.Table(
    "reasons",
    METADATA,
    sa.Column("match", sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False, comment="Of the decision that was taken"),
    sa.Column("side", sa.Integer, nullable=False),
    sa.Column("click", sa.Integer, nullable=False, comment="How many clicks had been made before"),
    sa.Column("lines", sa.Text, nullable=False),
)
OPEN_REASONS = sa.Table(
    "open_reasons",
    METADATA,
    sa.Column("match", sa.ForeignKey("matches.id"), primary_key=True),
    comment="The matches in which reasons are shown at once",
)


def keep(match: str, number: int, side: int, click: int, lines: Sequence[str]) -> Job:
    """Return the job that stores the reasons for a click."""
    row = {"match": match, "number": number, "side": side, "click": click, "lines": orjson.dumps(list(lines)).decode()}
    return lambda connection: connection.execute(sa.insert(REASONS), row)


def tell_at_once(match: str) -> Job:
    """Return the job that stores that the reasons of a match are shown while it is played."""
    return lambda connection: connection.execute(sa.insert(OPEN_REASONS), {"match": match})


def told_at_once(connection: sa.Connection, matches: Sequence[str]) -> set[str]:
    """Return those of some matches whose reasons are shown while they are played."""
    return set(connection.scalars(sa.select(OPEN_REASONS.c.match).where(OPEN_REASONS.c.match.in_(matches))))


def load(connection: sa.Connection, rules: Rules[Any], match: str, after: int) -> list[wire.Reason]:
    """Return the reasons of a match for clicks after a decision, oldest first."""
    query = sa.select(REASONS).where(REASONS.c.match == match, REASONS.c.number > after).order_by(REASONS.c.number)
    return [
        {"number": row.number, "side": rules.sides[row.side], "click": row.click, "lines": orjson.loads(row.lines)}
        for row in connection.execute(query)
    ]
