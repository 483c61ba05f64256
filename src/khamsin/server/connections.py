"""Connections: their number, and how long a client may take to send a request or to read a response.

Connections with an unfinished request are closed first when file descriptors run short, so that a flood of them keeps
no player out. Connections that have sent a request are kept.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

from khamsin.server import limits
from khamsin.server.middleware import network_of
from khamsin.server.settings import Settings

try:
    import resource
except ImportError:  # Windows has no such limit
    resource = None  # type: ignore[assignment]

WRITE = "khamsin.write"
"""The extension of a WebSocket's scope that writes a text frame at once if the connection is ready."""


class Connections:
    """The open connections of a server, by address."""

    def __init__(self, most: int, per_address: float, proxies: tuple[str, ...] = ()) -> None:
        self.most = most
        self.per_address = per_address
        self._proxies = [ipaddress.ip_network(proxy) for proxy in proxies]
        self._open: dict[asyncio.BaseTransport, str] = {}
        self._counts: Counter[str] = Counter()
        self._unfinished: dict[asyncio.BaseTransport, None] = {}
        """Connections with an incomplete request, the oldest first."""

    def __len__(self) -> int:
        return len(self._open)

    def add(self, transport: asyncio.BaseTransport, host: str) -> bool:
        """Count a new connection. Return False if there are too many, and it must be closed."""
        address = network_of(host)
        if self._counts[address] >= self.per_address and not self._is_proxy(host):
            return False
        if len(self._open) >= self.most:
            oldest = next(iter(self._unfinished), None)
            if oldest is None:
                return False
            self.remove(oldest)
            oldest.abort()  # type: ignore[attr-defined]
        self._open[transport] = address
        self._counts[address] += 1
        self._unfinished[transport] = None
        return True

    def finished(self, transport: asyncio.BaseTransport) -> None:
        """Note that the request of a connection is complete."""
        self._unfinished.pop(transport, None)

    def begun(self, transport: asyncio.BaseTransport) -> None:
        """Note that a connection waits for another request."""
        if transport in self._open:
            self._unfinished[transport] = None

    def remove(self, transport: asyncio.BaseTransport) -> None:
        """Remove a connection that has ended."""
        self._unfinished.pop(transport, None)
        address = self._open.pop(transport, None)
        if address is not None:
            self._counts[address] -= 1
            if not self._counts[address]:
                del self._counts[address]

    def _is_proxy(self, host: str) -> bool:
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return False
        return any(address in network for network in self._proxies)


class ServerConfig(uvicorn.Config):
    """The configuration of a server, with its connections."""

    def __init__(self, connections: Connections, *args: Any, **more: Any) -> None:
        self.open_connections = connections
        super().__init__(*args, **more)


class HttpConnection(HttpToolsProtocol):
    """An HTTP connection with a time limit for the head of each request and for a client that does not read its
    response."""

    config: ServerConfig
    _timer: asyncio.TimerHandle | None = None
    _write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, or close at once if there are too many connections."""
        super().connection_made(transport)
        if self.config.open_connections.add(transport, self.client[0] if self.client else ""):
            self._timer = self.loop.call_later(limits.REQUEST_SECONDS, transport.abort)
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._stop_timers()
        self.config.open_connections.remove(self.transport)
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """Begin to time a request."""
        if self._timer is None:
            # On a kept connection; the first request is timed from the start of the connection.
            self._timer = self.loop.call_later(limits.REQUEST_SECONDS, self.transport.abort)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head of a request is complete; its body is timed where it is read."""
        self._stop_timer()
        self.config.open_connections.finished(self.transport)
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """The response is sent; the client may send another request."""
        super().on_response_complete()
        if not self.pipeline and not self.transport.is_closing():
            self.config.open_connections.begun(self.transport)

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection to the WebSocket protocol, which counts it from now on."""
        self._stop_timers()
        super().handle_websocket_upgrade()

    def pause_writing(self) -> None:
        """The client reads too slowly."""
        self._write_timer = self.loop.call_later(limits.SEND_SECONDS, self.transport.abort)
        super().pause_writing()

    def resume_writing(self) -> None:
        """The client has caught up."""
        if self._write_timer is not None:
            self._write_timer.cancel()
        super().resume_writing()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _stop_timers(self) -> None:
        self._stop_timer()
        if self._write_timer is not None:
            self._write_timer.cancel()


class SocketConnection(WebSocketsSansIOProtocol):
    """A WebSocket that is counted until it ends, and that can be written to without waiting: a thousand spectators then
    cost a thousand writes and nothing more."""

    config: ServerConfig

    def handle_connect(self, event: Request) -> None:
        """Offer the application a function that writes text at once."""
        super().handle_connect(event)
        if hasattr(self, "scope"):
            self.scope["extensions"][WRITE] = self.write_text  # type: ignore[assignment]

    def write_text(self, text: bytes) -> bool:
        """Write a text frame. Return False, with nothing written, if the connection is not ready for it."""
        if not self.handshake_complete or self.close_sent or self.disconnected or not self.writable.is_set():
            return False
        self.transport.write(text_header(len(text)) + text)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self.config.open_connections.remove(self.transport)
        super().connection_lost(exc)


def text_header(length: int) -> bytes:
    """Return the header of a whole text frame from a server.

    >>> text_header(5), text_header(300)
    (b'\\x81\\x05', b'\\x81~\\x01,')
    """
    if length < 126:
        return bytes((0x81, length))
    return b"\x81\x7e" + length.to_bytes(2, "big") if length < 1 << 16 else b"\x81\x7f" + length.to_bytes(8, "big")


def server_config(
    app: FastAPI, settings: Settings, log_level: str = "warning", files: int | None = None
) -> ServerConfig:
    """Return the configuration that every server runs with. `files` is how many file descriptors it may use."""
    files = files or raise_file_limit()
    most = files - min(limits.RESERVED_FILES, files // 4)
    per_address = limits.CONNECTIONS_PER_ADDRESS * settings.rate_scale
    return ServerConfig(
        Connections(most, per_address, settings.proxies), app, log_level=log_level, timeout_graceful_shutdown=2,
        ws_max_size=limits.FRAME, ws_per_message_deflate=False, proxy_headers=False, server_header=False,
        http=HttpConnection, ws=SocketConnection,
    )  # fmt: skip


def raise_file_limit() -> int:
    """Raise the limit of open files as far as the system allows, and return it."""
    if resource is None:
        return 512
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            soft = hard
        except (ValueError, OSError):
            pass  # some systems report a hard limit that they do not grant
    return 1 << 20 if soft == resource.RLIM_INFINITY else soft
