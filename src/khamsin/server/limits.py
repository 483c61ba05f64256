"""All limits of the server: sizes, times, numbers, rates."""

from __future__ import annotations

from typing import NamedTuple

from khamsin.kernel.registration import registrations

BODY = 64 * 1024
"""Bytes of a request, except an import."""
RECORD = 4 * 1024 * 1024
"""Characters of a record that is imported."""
IMPORT = 3 * RECORD
"""Bytes of a request that imports a record, in which every quotation mark takes two characters."""
IMPORT_CLICKS = 20_000
"""Clicks of an imported record of a scenario that the `game.toml` of its game does not name."""
REPLAY_MEMORY = 256 * 1024 * 1024
"""Bytes that all replays of this process may use together: their click lists, logs and checkpoints."""
BODY_SECONDS = 30
"""How long the body of a request may take to arrive."""
FRAME = 16 * 1024
"""Bytes of a frame from a client on the live connection."""
NAME = 80
"""Characters of a name: a unit, a hex, a side, a game."""
OPTIONS = 32
ORDERS = 24
"""Standing orders of one seat."""
ORDER_PARAMETERS = 8
SIDES = 4
CHAT = 500
CHAT_LINES = 200
"""Lines of chat that a new viewer gets."""
MATCHES_OPEN = 400
"""Matches in memory; the others are read again on request."""
LOGS_OPEN = 400_000
"""Log lines of all matches in memory, about a kilobyte each; idle matches beyond that are dropped."""
SPECTATORS = 1200
"""Live connections without a seat to one match."""
SPECTATORS_PER_ADDRESS = 48
"""Live connections without a seat from one address, to all matches together; times KHAMSIN_RATE_SCALE."""
SEAT_LINES = 32
"""Live connections of the players of one match. Spectators never count against it."""
SEATS_SECONDS = 0.1
"""How long changes of presence are gathered before they are sent."""
FAN_OUT = 40
"""Spectators that are sent something at once; then the event loop serves others."""
CLICKS_WAITING, ASKS_WAITING, REPLAYS_WAITING = 2000, 64, 16
"""How much may wait for the thread of clicks, of requests, and of replays and imports."""
ANSWER_MEMORY = 32 * 1024 * 1024
"""Bytes of encoded answers that are cached."""
CONNECTIONS_PER_ADDRESS = 128
"""Connections from one address that is not a trusted proxy; times KHAMSIN_RATE_SCALE."""
RESERVED_FILES = 128
"""File descriptors that connections leave for the database, files and pipes; a quarter of them if there are few."""
REQUEST_SECONDS = 10
"""How long the head of a request may take to arrive, from the moment the connection opens."""
SEND_SECONDS = 30
"""How long a client may read nothing of a response."""
IMPORTS = 4
"""Imports that are received or replayed at the same time, one from each address."""
QUEUE = 64
"""Messages that wait for a slow live connection before it gets the whole view instead."""
DEVICES = 64
"""Keys of one match: each device has one per seat."""
DEVICE_LINK_SECONDS = 600
"""How long a link that adds a device works."""
VISIT_SECONDS = 300
"""How often it is stored that a player is looking at a match."""

RETRY_AFTER = 5
"""Seconds after which a caller may try again that was refused for another reason than the rate."""
CALLERS = 50_000
"""Callers whose requests are counted; the least recent are forgotten."""
COMPUTE_SHARED = 4
"""How many times the computing time of one seat all seats of an address have together."""
SHARED = 20
"""How many times the rates of one caller an address is allowed, because a whole club may play behind it."""
HASHES = 2
"""Passwords that are hashed at the same time; each takes 64 MiB."""
HASH_SECONDS = 10
"""How long a caller that signs in waits for a free place."""
SESSION_DAYS = 90
"""How long an account stays signed in without a visit."""
CLOCK_SLACK_DAYS = 1
"""How much longer a session is accepted than it should last: the clock may have been set forward by mistake."""
CONFIRM_HOURS = 48
"""How long a link is valid that confirms a mail address."""
RESET_HOURS = 1
"""How long a link is valid that resets a password."""
LINKS_A_DAY = 5
"""Links by mail to one account, and to one address."""
MAILS_WAITING = 1000
"""Mails and requests for them that wait in memory."""
SESSIONS = 20
"""Devices where one account is signed in; the one not seen for longest is signed out."""
SEATS_KEPT = 1000
"""Seats in the list of one account."""
SUBSCRIPTIONS = 10
"""Browsers of one account that are notified by web push."""
NOTICES_A_DAY = 40
"""Notices to one account."""
NOTICE_GRACE = 20
"""Seconds before a notice is sent, so that reloading the page sends none."""
NOTICE_TRIES = 8
"""How often a notice is tried; the waits double from `NOTICE_WAIT` seconds, so that the last try is hours later."""
NOTICE_WAIT = 60
NOTICE_LINES = 30
"""Lines of the turn summary in a mail."""
NOTICE_SECONDS = 15
"""How long a mail server or a push service may take to respond."""


LAB_GAMES = 2000
"""Games of one study of the laboratory; with a what-if each is played twice."""
LAB_WAITING = 6
"""Studies that wait while one is played."""
LAB_EACH = 2
"""Studies of one visitor in progress or waiting."""
LAB_KEPT = 24
"""Finished studies that are kept; the oldest are forgotten."""
LAB_SECONDS = 3600
"""How long a study may be played; then it ends with the finished games."""
LAB_TIMEOUT_SECONDS = 10
"""Seconds that a request for a study waits for results."""
LAB_CHANGES = 8
"""Values that one what-if changes."""
LAB_NICE = 10
"""The lower priority of the laboratory's workers."""


class Rate(NamedTuple):
    """A number at once, and a number per second in the long run."""

    burst: int
    per_second: float


RATES = {
    "read": Rate(400, 60.0),
    "click": Rate(200, 25.0),
    "ask": Rate(120, 30.0),
    "create": Rate(30, 0.5),
    "import": Rate(6, 0.1),
    "lab": Rate(12, 0.1),
    "chat": Rate(10, 1.0),
    "login": Rate(8, 0.1),
    "guess": Rate(20, 0.1),
    "compute": Rate(4000, 250.0),
}
"""How often one caller may do what: read views and boards, click, request refusals and odds, set up matches, import,
begin studies, chat, sign in. `guess` is how often a password may be guessed for one name, from any address. `compute`
is in milliseconds: the cost of requests; cached answers cost nothing."""


def import_clicks(game: str, scenario: str) -> int:
    """Return how many clicks an imported record of a scenario may have."""
    stated = registrations().get(game)
    return stated.record_clicks.get(scenario, IMPORT_CLICKS) if stated else IMPORT_CLICKS
