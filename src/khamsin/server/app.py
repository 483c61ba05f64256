"""The web server: one page, the boards as data, and their maps."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated

import uvicorn
from fastapi import FastAPI, Header, Request
from fastapi.responses import FileResponse, JSONResponse, Response
from rich import print as say
from starlette.datastructures import MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import khamsin
from khamsin.atlas import typeface
from khamsin.games import TITLES
from khamsin.kernel.board import Board
from khamsin.server import models
from khamsin.server.shelf import BrokenBoard, Document, Reader, Shelf, UnknownGame

STATIC = Path(__file__).parent / "static"

PAGE_POLICY = (
    "default-src 'self'; img-src 'self' data:; font-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
"""What the page may load: nothing that is not served here."""

MAP_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"
"""What a map opened by itself may load: its own style sheet, relief and fonts."""

PROBLEMS: dict[int | str, dict[str, object]] = {
    404: {"model": models.Problem, "description": "No such game"},
    409: {"model": models.Problem, "description": "The board's files are missing or broken"},
}


class PortTaken(ValueError):
    """An address the server cannot listen on."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(f"port {port} on {host}: {reason}")
        self.host = host
        self.port = port


def create_app(read: Reader = Board.load) -> FastAPI:
    """The application; `read` finds a game's board."""
    shelf = Shelf(read)

    @contextlib.asynccontextmanager
    async def draw_ahead(_: FastAPI) -> AsyncIterator[None]:
        stop = threading.Event()
        threading.Thread(target=shelf.draw_all, args=(stop,), name="drawing the boards", daemon=True).start()
        yield
        stop.set()

    app = FastAPI(
        title="Khamsin", version=khamsin.__version__, summary="Five board wargames of North Africa, 1940-43",
        docs_url=None, redoc_url=None, lifespan=draw_ahead,
    )  # fmt: skip
    app.add_middleware(GZipMiddleware, minimum_size=1024)
    app.add_middleware(Guard)

    @app.exception_handler(UnknownGame)
    def unknown_game(_: Request, error: UnknownGame) -> JSONResponse:
        return JSONResponse(error.problem.model_dump(exclude_none=True), 404)

    @app.exception_handler(BrokenBoard)
    def broken_board(_: Request, error: BrokenBoard) -> JSONResponse:
        return JSONResponse(error.problem.model_dump(exclude_none=True), 409)

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html", media_type="text/html")

    @app.get("/api/boards", summary="The boards on the table")
    def boards() -> models.Boards:
        return models.Boards(boards=[shelf.summary(game) for game in TITLES])

    @app.get(
        "/api/boards/{game}", summary="A whole board", responses={**PROBLEMS, 304: {"description": "Unchanged"}},
        response_model=models.BoardData,
    )  # fmt: skip
    def board(
        game: str,
        accept_encoding: Annotated[str, Header()] = "",
        if_none_match: Annotated[str, Header()] = "",
    ) -> Response:
        return _send(shelf.drawn(game).data, accept_encoding, if_none_match)

    @app.get(
        "/api/boards/{game}/map.svg", summary="A board's map", response_class=Response,
        responses={
            **PROBLEMS, 200: {"content": {"image/svg+xml": {}}, "description": "The map, in named groups"},
            304: {"description": "Unchanged"},
        },
    )  # fmt: skip
    def map_of(
        game: str,
        accept_encoding: Annotated[str, Header()] = "",
        if_none_match: Annotated[str, Header()] = "",
    ) -> Response:
        return _send(shelf.drawn(game).map, accept_encoding, if_none_match, {"Content-Security-Policy": MAP_POLICY})

    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.mount("/fonts", StaticFiles(directory=typeface.FONTS, check_dir=False), name="fonts")
    return app


def serve(host: str, port: int, open_browser: bool) -> None:
    """Serve the page until Ctrl-C.

    Raises `PortTaken` where the address cannot be had.
    """
    listening = listen(host, port)
    name = f"[{host}]" if ":" in host else host
    address = f"http://{name}:{listening.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(create_app(), log_level="warning", timeout_graceful_shutdown=2))
    say(f"Khamsin is on the table at [bold]{address}[/bold]  (Ctrl-C clears it away)")
    if open_browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt), listening:
        server.run(sockets=[listening])


def listen(host: str, port: int) -> socket.socket:
    """A socket that already accepts calls, so that a browser opened now need not wait for the server."""
    if not 0 <= port <= 65535:
        raise PortTaken(host, port, "a port is a number from 0 to 65535")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, UnicodeError):
        raise PortTaken(host, port, f"{host!r} is not an address of this machine") from None
    listening = socket.socket(family, kind, protocol)
    try:
        if os.name != "nt":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except OSError as error:
        listening.close()
        reason = {
            errno.EADDRINUSE: "already taken by another program; stop that one, or choose another port",
            errno.EACCES: "not allowed here; choose a port above 1023",
            errno.EADDRNOTAVAIL: f"{host!r} is not an address of this machine",
        }.get(error.errno or 0, error.strerror or str(error))
        raise PortTaken(host, port, reason) from None
    return listening


class Guard:
    """Adds to every answer the headers that keep the page to itself."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and complete the headers of the answer."""

        async def complete(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", PAGE_POLICY)
                headers.setdefault("Cache-Control", "no-cache")
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "no-referrer")
            await send(message)

        await self.app(scope, receive, complete)


def _send(document: Document, accepts: str, known: str, headers: dict[str, str] | None = None) -> Response:
    """A document, packed where the browser takes it so, or the news that it has not changed."""
    headers = {"ETag": document.tag, "Vary": "Accept-Encoding", **(headers or {})}
    if any(tag.strip().removeprefix("W/") in (document.tag[2:], "*") for tag in known.split(",")):
        return Response(status_code=304, headers=headers)
    if "gzip" in accepts:
        return Response(document.packed, media_type=document.media, headers={**headers, "Content-Encoding": "gzip"})
    return Response(document.body, media_type=document.media, headers=headers)
