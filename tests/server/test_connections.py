"""Connections: slow and unfinished requests, too many from one address, and file descriptors that run short."""

from __future__ import annotations

import contextlib
import resource
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, WebSocket
from websockets.sync.client import connect

from khamsin.server import limits
from khamsin.server.connections import ServerConfig, raise_file_limit, server_config
from khamsin.server.settings import Settings

Address = tuple[str, int]
UNFINISHED = b"GET / HTTP/1.1\r\nHost: here\r\nX-Slow: "


def small_app() -> FastAPI:
    app = FastAPI()

    @app.get("/")
    async def here() -> str:
        return "here"

    @app.get("/large")
    async def large() -> str:
        return "x" * 40_000_000

    @app.websocket("/live")
    async def live(line: WebSocket) -> None:
        await line.accept()
        async for text in line.iter_text():
            await line.send_text(text)

    return app


@contextmanager
def serving(settings: Settings | None = None, files: int = 1024) -> Iterator[tuple[Address, ServerConfig]]:
    listening = socket.create_server(("127.0.0.1", 0), backlog=256)
    config = server_config(small_app(), settings or Settings(), "critical", files)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield listening.getsockname()[:2], config
    finally:
        server.should_exit = True
        thread.join()


def call(address: Address, data: bytes = UNFINISHED) -> socket.socket:
    line = socket.create_connection(address, timeout=30)
    line.sendall(data)
    return line


def is_closed(line: socket.socket) -> bool:
    """Wait until the server closes a connection that it has answered nothing."""
    try:
        return line.recv(1) == b""
    except ConnectionError:
        return True


def get(address: Address) -> str:
    return httpx.get(f"http://{address[0]}:{address[1]}/", timeout=30).json()  # type: ignore[no-any-return]


def test_a_request_that_never_ends_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 0.05)
    with serving() as (address, _):
        assert is_closed(call(address))
        assert is_closed(call(address, b""))


def test_the_second_request_of_a_connection_is_timed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 0.05)
    with serving() as (address, _), call(address, b"GET / HTTP/1.1\r\nHost: here\r\n\r\n") as line:
        answer = b""
        while not answer.endswith(b'"here"'):
            answer += line.recv(1000)
        line.sendall(UNFINISHED)
        assert is_closed(line)


def test_a_client_that_does_not_read_its_answer_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SEND_SECONDS", 0.05)
    with serving() as (address, config), call(address, b"GET /large HTTP/1.1\r\nHost: here\r\n\r\n") as line:
        line.recv(1)
        while len(config.open_connections):
            get(address)
        read = 0
        with contextlib.suppress(ConnectionError):
            while chunk := line.recv(1 << 20):
                read += len(chunk)
        assert read < 40_000_000


def test_one_address_has_only_so_many_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CONNECTIONS_PER_ADDRESS", 3)
    with serving() as (address, config):
        held = [call(address) for _ in range(3)]
        assert is_closed(call(address, b""))
        assert len(config.open_connections) == 3
        for line in held:
            line.close()


def test_a_trusted_proxy_has_as_many_as_it_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CONNECTIONS_PER_ADDRESS", 3)
    with serving(Settings(proxies=("127.0.0.0/8",))) as (address, _):
        held = [call(address) for _ in range(10)]
        assert get(address) == "here"
        for line in held:
            line.close()


def test_unfinished_requests_keep_no_player_out() -> None:
    with (
        serving(Settings(rate_scale=1e6), files=40) as (address, config),
        connect(f"ws://{address[0]}:{address[1]}/live") as player,
    ):
        flood = [call(address) for _ in range(100)]
        assert get(address) == "here"
        player.send("still here")
        assert player.recv(30) == "still here"
        assert len(config.open_connections) <= 30
        for line in flood:
            line.close()


def test_without_an_unfinished_request_a_new_connection_is_closed_at_once() -> None:
    with serving(Settings(rate_scale=1e6), files=4) as (address, config):
        live = f"ws://{address[0]}:{address[1]}/live"
        with connect(live), connect(live), connect(live) as last:
            assert is_closed(call(address, b""))
            last.send("still here")
            assert last.recv(30) == "still here"
            assert len(config.open_connections) == 3


def test_the_server_may_open_as_many_files_as_the_system_allows() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (before[1] // 2, before[1]))
        assert raise_file_limit() == before[1]
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == before[1]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
