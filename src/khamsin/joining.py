"""Taking a seat on a server by its link: exchange the link for a key, store the key, contribute to the dice.

An exchanged link is stored with its key, so a bot restarted with the same link gets its seat back.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

Json = dict[str, Any]

KINDS = ("key", "invite", "device", "recover")
EXPECTED = "expected the link of a seat, such as http://127.0.0.1:8000/game/ID#invite=TOKEN"
LOBBY_SECONDS = 2.0
"""Seconds between two requests for a match that has not begun."""


@dataclass(frozen=True)
class Link:
    """The link of a seat.

    >>> Link.parse("https://table.example/game/x7#invite=secret")
    Link(server='https://table.example', match='x7', kind='invite', secret='secret')
    >>> Link.parse("https://table.example/boards")
    Traceback (most recent call last):
    ...
    ValueError: 'https://table.example/boards': expected the link of a seat, such as http://127.0.0.1:8000/game/ID#invite=TOKEN
    """

    server: str
    match: str
    kind: str
    secret: str

    @classmethod
    def parse(cls, link: str) -> Link:
        """Read a link; its fragment is a key or a token that is exchanged for one."""
        wrong = ValueError(f"{link!r}: {EXPECTED}")
        try:
            parts = urlsplit(link)
            fragment = parse_qs(parts.fragment)
        except ValueError:
            raise wrong from None
        found = re.fullmatch(r"/game/([^/]+)/?", parts.path)
        kind = next((kind for kind in KINDS if fragment.get(kind)), None)
        if parts.scheme not in ("http", "https") or not parts.netloc or not found or kind is None:
            raise wrong
        return cls(f"{parts.scheme}://{parts.netloc}", found[1], kind, fragment[kind][0])

    @property
    def address(self) -> str:
        """The address of the match in the API."""
        return f"{self.server}/api/matches/{self.match}"

    @property
    def digest(self) -> str:
        """The name under which the key of the link is stored, as the link works only once."""
        return hashlib.sha256(f"{self.address} {self.secret}".encode()).hexdigest()


class KeyFile:
    """The keys and dice contributions of this user's bots, in one file that only the user can read."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def get(self, link: Link) -> Json:
        """Return what is stored for a link; empty if nothing is."""
        kept: Json = self._read().get(link.digest, {})
        return kept

    def keep(self, link: Link, **about: object) -> None:
        """Store more for a link. The file is replaced as a whole."""
        everything = self._read()
        everything[link.digest] = everything.get(link.digest, {}) | about
        self.file.parent.mkdir(parents=True, exist_ok=True)
        draft = self.file.with_name(self.file.name + ".part")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as sink:
            json.dump(everything, sink)
            sink.flush()
            os.fsync(sink.fileno())
        draft.replace(self.file)

    def _read(self) -> Json:
        try:
            found: Json = json.loads(self.file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except ValueError:
            raise ValueError(
                f"{self.file}: expected the keys of bots as JSON; move the file away to start over"
            ) from None
        return found


class Unavailable(Exception):
    """The server is not available now."""


def take_seat(
    link: Link,
    keys: KeyFile,
    say: Callable[[str], None] = lambda text: None,
    pause: Callable[[float], None] = time.sleep,
) -> str:
    """Exchange a link for a key, wait until the match has begun, and give the key.

    Raises ValueError for a link that does not work, Unavailable while the server does not respond.
    """
    with httpx.Client(timeout=60.0) as client:
        key = _key(client, link, keys)
        client.headers["X-Khamsin-Key"] = key
        waiting = ""
        while True:
            lobby = _ask(client, "GET", f"{link.address}/lobby")
            if lobby["begun"]:
                return key
            lobby = contribute(client, link, keys, lobby)
            if lobby["begun"]:
                return key
            awaited = ", ".join(f"{one['side']} ({one['to']})" for one in lobby["awaited"])
            if awaited != waiting:
                say(f"Waiting for {awaited}")
            waiting = awaited
            pause(LOBBY_SECONDS)


def _key(client: httpx.Client, link: Link, keys: KeyFile) -> str:
    if link.kind == "key":
        return link.secret
    kept: str = keys.get(link).get("key", "")
    if kept:
        return kept
    asked = {"token": link.secret, "contribution": commitment(_own_number(link, keys))}
    granted = _ask(client, "POST", f"{link.address}/seats", asked)
    keys.keep(link, key=granted["key"])
    key: str = granted["key"]
    return key


def contribute(client: httpx.Client, link: Link, keys: KeyFile, lobby: Json) -> Json:
    """Commit to a number for the dice, or reveal it when everyone has committed.

    Refuses to commit again after the number was revealed: the server could try until it likes the dice.
    """
    mine = next((one for one in lobby["contributions"] if one["side"] in lobby["mine"]), None)
    if mine is None or mine["revealed"]:
        return lobby
    number = _own_number(link, keys)
    if mine["commitment"] != commitment(number):
        if keys.get(link).get("revealed"):
            raise ValueError(
                "The server asks for another number after this one was revealed; the dice would not be fair"
            )
        return _ask(client, "POST", f"{link.address}/contribution", {"commitment": commitment(number)})
    if all(one["commitment"] for one in lobby["contributions"]):
        keys.keep(link, revealed=True)
        return _ask(client, "POST", f"{link.address}/contribution", {"value": number})
    return lobby


def _own_number(link: Link, keys: KeyFile) -> str:
    """Return the number that this seat contributes to the dice. It is stored before it is used."""
    number: str = keys.get(link).get("number", "")
    if not number:
        number = secrets.token_hex(32)
        keys.keep(link, number=number)
    return number


def commitment(number: str) -> str:
    """Return the SHA-256 of a contribution, both in hexadecimal digits."""
    return hashlib.sha256(bytes.fromhex(number)).hexdigest()


def _ask(client: httpx.Client, method: str, address: str, body: Json | None = None) -> Json:
    try:
        answer = client.request(method, address, json=body)
    except httpx.TransportError as error:
        raise Unavailable(f"{address} does not respond ({error})") from None
    if answer.status_code in (429, 503) or answer.status_code >= 500:
        raise Unavailable(f"the server returned {answer.status_code}")
    try:
        found: Json = answer.json()
    except ValueError:
        raise Unavailable(f"the server returned {answer.status_code}") from None
    if answer.status_code >= 400:
        raise ValueError(found.get("error", f"the server returned {answer.status_code}"))
    return found
