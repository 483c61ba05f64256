"""Every limit of the server, in one place: how large, how long, how many, how often."""

from __future__ import annotations

from typing import NamedTuple

BODY = 64 * 1024
"""Bytes of a request, except an import."""
RECORD = 4 * 1024 * 1024
"""Characters of a record that is imported."""
FRAME = 16 * 1024
"""Bytes of a frame from a client on the live line."""
NAME = 80
"""Characters of a name: a unit, a hex, a side, a game."""
OPTIONS = 32
SIDES = 4
CHAT = 500
CHAT_LINES = 200
"""Lines of chat that a newcomer is shown."""
MATCHES_OPEN = 400
"""Games kept in memory; the others are read again when somebody asks for them."""
WATCHERS = 64
"""Live lines to one game."""
QUEUE = 64
"""Messages that wait for a slow live line before it gets the whole view instead."""


class Rate(NamedTuple):
    """So many at once, and so many a second in the long run."""

    burst: int
    per_second: float


RATES = {
    "read": Rate(400, 60.0),
    "click": Rate(200, 25.0),
    "ask": Rate(120, 30.0),
    "create": Rate(30, 0.5),
    "import": Rate(6, 0.1),
    "chat": Rate(10, 1.0),
    "login": Rate(8, 0.1),
}
"""How often one caller may do what: read views and boards, click, ask why and odds, set up games, import, chat, sign in."""
