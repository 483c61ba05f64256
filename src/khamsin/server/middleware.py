"""Request middleware: origin check, size limit, rate limits, security headers. A rejected request has changed nothing.


>>> kind_of("POST", "/api/matches/x/clicks"), kind_of("POST", "/api/session"), kind_of("GET", "/api/shelf")
('click', 'login', 'read')
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple

import orjson
from fastapi import FastAPI
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from khamsin.server import limits, wire
from khamsin.server.click_checks import Refused
from khamsin.server.settings import Settings

KEY_HEADER = "x-khamsin-key"
SESSION_COOKIE = "khamsin_session"

PAGE_POLICY = (
    "default-src 'self'; img-src 'self' data:; font-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
"""What the page may load: only what this server serves."""
HEADERS = {
    "Content-Security-Policy": PAGE_POLICY,
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""The headers of every response, unless its maker has set them."""
HSTS = "max-age=31536000"

SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
BY_ADDRESS = frozenset({"login", "create", "import", "lab"})
"""The rates that a key or a session does not extend: otherwise a caller that tries passwords, fills the disk or keeps
the machine busy could make up a new key each time."""
ASKING = frozenset(
    {"why", "refusals", "odds", "sheets", "layers", "at", "timeline", "position", "record", "reasons", "summary"}
)


def protect(app: FastAPI, settings: Settings) -> Buckets:
    """Put the guard before an application, behind the trusted proxies. Return its buckets, for the frames of open
    connections."""
    buckets = Buckets(settings.rate_scale)
    app.add_middleware(Guard, settings=settings, buckets=buckets)
    if settings.proxies:
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=list(settings.proxies))
    return buckets


class Buckets:
    """Counts how often each caller did what. A bucket has a size and refills at its rate; an empty one refuses.

    >>> clock = iter([0.0, 0.0, 0.0, 10.0]).__next__
    >>> buckets = Buckets(rates={"login": limits.Rate(2, 0.1)}, clock=clock)
    >>> [buckets.take("login", "caller") for _ in range(4)]
    [0.0, 0.0, 10.0, 0.0]
    """

    def __init__(
        self,
        scale: float = 1.0,
        rates: Mapping[str, limits.Rate] = limits.RATES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.scale = scale
        self.rates = rates
        self.clock = clock
        self._left: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()
        """The level of each bucket and its time, the most recently used last; a forgotten bucket is full."""
        self._lock = threading.Lock()

    def take(self, kind: str, *callers: str) -> float:
        """Take one from the bucket of each caller: 0, or the seconds to wait if one is empty; then none is taken."""
        return self.take_scaled(kind, [(caller, 1.0) for caller in callers])

    def take_scaled(self, kind: str, callers: Iterable[tuple[str, float]]) -> float:
        """As `take`, with buckets that many times as large."""
        with self._lock:
            moment = self.clock()
            levels, wait = self._levels(kind, callers, moment)
            if not wait:
                self._set(kind, levels, moment, 1)
            return wait

    def wait(self, kind: str, callers: Iterable[tuple[str, float]]) -> float:
        """Return the seconds until no bucket of these callers is empty, and take nothing."""
        with self._lock:
            return self._levels(kind, callers, self.clock())[1]

    def charge(self, kind: str, callers: Iterable[tuple[str, float]], amount: float) -> None:
        """Charge a cost to the bucket of each caller, which may become negative."""
        with self._lock:
            moment = self.clock()
            self._set(kind, self._levels(kind, callers, moment)[0], moment, amount)

    def _levels(
        self, kind: str, callers: Iterable[tuple[str, float]], moment: float
    ) -> tuple[list[tuple[str, float]], float]:
        """Return the level of the bucket of each caller, and the seconds until none is empty."""
        rate, levels, wait = self.rates[kind], [], 0.0
        for caller, times in callers:
            times *= self.scale
            most = max(1.0, rate.burst * times)
            left, since = self._left.get((kind, caller), (most, moment))
            level = min(most, left + (moment - since) * rate.per_second * times)
            if level < 1:
                wait = max(wait, (1 - level) / (rate.per_second * times))
            levels.append((caller, level))
        return levels, wait

    def _set(self, kind: str, levels: Iterable[tuple[str, float]], moment: float, amount: float) -> None:
        for caller, level in levels:
            self._left[kind, caller] = (level - amount, moment)
            self._left.move_to_end((kind, caller))
        while len(self._left) > limits.CALLERS:
            self._left.popitem(last=False)


class Payer:
    """The payer for the cost of a request: a seat and its address, or the address alone."""

    def __init__(self, buckets: Buckets, scope: Scope, key: str) -> None:
        """`key` must open a seat, or be empty: a made-up key must not buy a new bucket."""
        self.buckets = buckets
        address = address_of(scope)
        self.callers = [(address, 1.0)]
        if key:
            seat = hashlib.sha256(key.encode()).hexdigest()[:32]
            self.callers = [(seat, 1.0), (f"all of {address}", limits.COMPUTE_SHARED)]

    def check(self) -> None:
        """Raise Refused if the caller has used up its time."""
        wait = self.buckets.wait("compute", self.callers)
        if wait:
            raise Refused("limit", f"Too many requests. Try again in {math.ceil(wait)} seconds.")

    def charge(self, milliseconds: float) -> None:
        """Pay for a computation."""
        self.buckets.charge("compute", self.callers, milliseconds)


class Guard:
    """Rejects requests, and completes the headers of every response."""

    def __init__(self, app: ASGIApp, settings: Settings, buckets: Buckets) -> None:
        self.app = app
        self.importing: set[str] = set()
        """Addresses with an import in progress."""
        self.allowed = settings.origins | ({settings.url} if settings.url else set())
        self.hosts = frozenset(host_of(origin.partition("://")[2]) for origin in self.allowed)
        self.by_address = not settings.url
        self.buckets = buckets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or reject it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        send = _completing(scope, send)
        headers = Headers(scope=scope)
        if not self.is_meant(headers):
            await _refuse(scope, receive, send, NOT_HERE)
            return
        if not self.comes_from_us(scope, headers):
            await _refuse(scope, receive, send, NOT_OURS)
            return
        kind = kind_of(scope.get("method", "GET"), scope["path"])
        wait = self.buckets.take_scaled(kind, callers(scope, headers, kind))
        if wait:
            await _refuse(scope, receive, send, TOO_OFTEN, {"Retry-After": str(math.ceil(wait))})
            return
        if kind != "import":
            await self._pass(scope, receive, send, headers, limits.BODY)
            return
        address = address_of(scope)
        if address in self.importing or len(self.importing) >= limits.IMPORTS:
            await _refuse(scope, receive, send, IMPORTING, {"Connection": "close"})
            return
        self.importing.add(address)
        try:
            await self._pass(scope, receive, send, headers, limits.IMPORT)
        finally:
            self.importing.discard(address)

    async def _pass(self, scope: Scope, receive: Receive, send: Send, headers: Headers, most: int) -> None:
        """Read the body of a request, if it has one, and let it pass."""
        if scope["type"] == "http" and ("content-length" in headers or "transfer-encoding" in headers):
            length = headers.get("content-length", "")
            if length.isdecimal() and int(length[:20]) > most:
                await _refuse(scope, receive, send, TOO_LARGE, {"Connection": "close"})
                return
            try:
                async with asyncio.timeout(limits.BODY_SECONDS):
                    body = await read(receive, most)
            except TimeoutError:
                await _refuse(scope, receive, send, TOO_SLOW, {"Connection": "close"})
                return
            except Overlong:
                await _refuse(scope, receive, send, TOO_LARGE, {"Connection": "close"})
                return
            if body is None:
                return
            receive = _replaying(body, receive)
        await self.app(scope, receive, send)

    def is_meant(self, headers: Headers) -> bool:
        """Whether the host named in a request is this server.

        Another site can point its name at our address (DNS rebinding), but not `localhost` or an IP address. Those are
        allowed if the operator has given the server no name.
        """
        named = [host_of(value) for value in headers.getlist("host")]
        return bool(named) and all(
            host in self.hosts or (self.by_address and (host == "localhost" or is_address(host))) for host in named
        )

    def comes_from_us(self, scope: Scope, headers: Headers) -> bool:
        """Whether a request that may change something comes from our own page, or from no page at all."""
        if scope["type"] == "http" and scope["method"] in SAFE:
            return True
        host = headers.get("host", "").lower()
        origins = [value.lower() for value in headers.getlist("origin")]
        return all(same_host(origin, host) or origin in self.allowed for origin in origins)


def kind_of(method: str, path: str) -> str:
    """Return the rate of `limits.RATES` under which a request counts."""
    parts = path.strip("/").split("/")
    if method in SAFE:
        return "ask" if parts[:2] == ["api", "matches"] and len(parts) > 3 and parts[3] in ASKING else "read"
    match parts:
        case ["api", "accounts" | "confirm" | "reset"] | ["api", "me", "confirmation"]:
            return "login"
        case ["api", "session"] if method == "POST":
            return "login"
        case ["api", "matches", "import"]:
            return "import"
        case ["api", "matches"] | ["api", "matches", _, "branch"]:
            return "create"
        case ["api", "lab", "studies"]:
            return "lab"
        case ["api", "lab", "studies", "find"]:
            return "ask"
        case ["api", "matches", _, "chat"]:
            return "chat"
    return "click"


def callers(scope: Scope, headers: Headers, kind: str) -> list[tuple[str, float]]:
    """Return whose buckets a request is taken from, and how many times as large they are: those of the seat or the
    account, and those of the address, which many may share."""
    address = address_of(scope)
    secret = headers.get(KEY_HEADER) or cookie_parser(headers.get("cookie", "")).get(SESSION_COOKIE)
    if not secret or kind in BY_ADDRESS:
        return [(address, 1.0)]
    return [(hashlib.sha256(secret.encode()).hexdigest()[:32], 1.0), (f"all of {address}", limits.SHARED)]


def address_of(scope: Scope) -> str:
    """Return the address a request comes from; of an IPv6 address the network, since a caller has all of that."""
    return network_of((scope.get("client") or ("",))[0])


def network_of(host: str) -> str:
    """Return an address as it is counted: of IPv6 the network of 64 bits."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))
    return host


def host_of(netloc: str) -> str:
    """Return the host of a `Host` header, without its port.

    >>> host_of("Table.example:8000"), host_of("[::1]:8000"), host_of("127.0.0.1")
    ('table.example', '[::1]', '127.0.0.1')
    """
    host, colon, port = netloc.strip().lower().rpartition(":")
    if not colon or not (port.isascii() and port.isdecimal()):
        host = netloc.strip().lower()
    return host.removesuffix(".")


def is_address(host: str) -> bool:
    """Whether a host is an IP address and not a name.

    >>> [is_address(host) for host in ("192.168.1.5", "[fe80::1]", "::1", "10.evil.example", "0x7f000001")]
    [True, True, False, False, False]
    """
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    try:
        return isinstance(ipaddress.ip_address(bare), ipaddress.IPv6Address) == (bare != host)
    except ValueError:
        return False


def same_host(origin: str, host: str) -> bool:
    """Whether an origin is the host that was called.

    >>> same_host("https://table.example", "table.example:443"), same_host("null", "table.example")
    (True, False)
    """
    scheme, _, place = origin.partition("://")
    default = {"http": ":80", "https": ":443"}.get(scheme)
    if default is None or not place or not host:
        return False
    return place.removesuffix(default) == host.removesuffix(default)


class Overlong(ValueError):
    """A body that is longer than it may be."""


async def read(receive: Receive, most: int) -> bytes | None:
    """Return a body that is not longer than allowed, or None if the client disconnected; no more of it is read than
    that."""
    chunks, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > most:
            raise Overlong(f"more than {most} bytes")
        chunks.append(chunk)
        if not message.get("more_body"):
            return b"".join(chunks)


class Rejection(NamedTuple):
    """One way of rejecting a request."""

    status: int
    reason: Literal["limit", "origin", "busy"]
    error: str


NOT_HERE = Rejection(
    421, "origin", "This server does not have that name. Use its address, or let its operator set KHAMSIN_URL."
)
NOT_OURS = Rejection(403, "origin", "This request comes from a page of another site")
TOO_OFTEN = Rejection(429, "limit", "Too many requests in a short time; wait a little")
TOO_LARGE = Rejection(413, "limit", "The request is too large")
IMPORTING = Rejection(503, "busy", "Another record is being imported. Try again in a few seconds.")
TOO_SLOW = Rejection(408, "limit", "The request did not arrive in time")


async def _refuse(
    scope: Scope, receive: Receive, send: Send, rejection: Rejection, headers: Mapping[str, str] | None = None
) -> None:
    """Send a refusal; close a live connection that cannot be answered."""
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        code = 1013 if rejection.reason in ("limit", "busy") else 1008
        await send({"type": "websocket.close", "code": code, "reason": rejection.error})
        return
    refusal: wire.Refusal = {"error": rejection.error, "reason": rejection.reason, "rule": "", "cause": ""}
    body = orjson.dumps(refusal)
    answer = Response(body, rejection.status, dict(headers or {}), "application/json")
    await answer(scope, receive, send)


def _replaying(body: bytes, receive: Receive) -> Receive:
    """Return a body that has been read, to be read again; then whatever comes."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


def _completing(scope: Scope, send: Send) -> Send:
    """Complete the headers of responses."""
    secure = scope["scheme"] in ("https", "wss")

    async def complete(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if message["status"] in (429, 503):
                headers.setdefault("Retry-After", str(limits.RETRY_AFTER))
            if secure:
                headers.setdefault("Strict-Transport-Security", HSTS)
        await send(message)

    return complete
