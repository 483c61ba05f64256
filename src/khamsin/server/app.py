"""The web server: the routes of boards, matches, accounts and live connections."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import orjson
import uvicorn
from fastapi import FastAPI, Header, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import FileResponse, JSONResponse, Response
from pydantic import TypeAdapter
from rich import print as say
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

import khamsin
from khamsin import games
from khamsin.atlas import typeface
from khamsin.kernel.board import Board
from khamsin.kernel.registration import registrations
from khamsin.server import board_schemas, catalogue, wire
from khamsin.server.accounts import Accounts, accounts_router
from khamsin.server.board_cache import BoardCache, BrokenBoard, Document, Reader, UnknownGame
from khamsin.server.channel import Channel
from khamsin.server.click_checks import Refused
from khamsin.server.connections import server_config
from khamsin.server.database import Database, Unusable, default_url
from khamsin.server.laboratory import Laboratory, laboratory_router
from khamsin.server.links import Links, links_router
from khamsin.server.live import FRAMES, live_router
from khamsin.server.matches import matches_router
from khamsin.server.middleware import protect
from khamsin.server.notices import Notices, notices_router
from khamsin.server.orders import orders_router
from khamsin.server.parameters import may_answer
from khamsin.server.positions import positions_router
from khamsin.server.registry import MatchRegistry
from khamsin.server.seating import Seating, seating_router
from khamsin.server.settings import Settings
from khamsin.server.store import Store

STATIC = Path(__file__).parent / "static"
CLIENT = STATIC / "client"
"""The client as Vite builds it: one page, and files whose names change with their content."""

MAP_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"
"""What a map opened by itself may load: its own style sheet, relief and fonts."""
FOR_EVER = "public, max-age=31536000, immutable"
NOT_BUILT = """<!doctype html><meta charset="utf-8"><title>Khamsin</title>
<h1>Khamsin</h1>
<p>The server runs, but its client has not been built yet. In the folder of the source, run <code>make client</code> and load
this page again. The API is described at <a href="/api/openapi.json">/api/openapi.json</a>.</p>
"""
PAGES = (
    "/", "/game/{rest:path}", "/rules", "/rules/{rest:path}", "/boards", "/boards/{rest:path}", "/account", "/games", "/lab",
)  # fmt: skip
"""The addresses of the client: one page for all."""

PROBLEMS: dict[int | str, dict[str, Any]] = {
    404: {"model": board_schemas.Problem, "description": "No such game"},
    409: {"model": board_schemas.Problem, "description": "The board's files are missing or broken"},
}
UNCHANGED: dict[int | str, dict[str, Any]] = {304: {"description": "Unchanged"}}

Accepts = Annotated[str, Header(alias="Accept-Encoding", include_in_schema=False)]
Known = Annotated[str, Header(alias="If-None-Match", include_in_schema=False)]


class PortTaken(ValueError):
    """An address the server cannot listen on."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(f"port {port} on {host}: {reason}")
        self.host = host
        self.port = port


def create_app(
    read: Reader = Board.load,
    database: Database | None = None,
    settings: Settings | None = None,
    draw_ahead: bool = True,
) -> FastAPI:
    """Return the application. `read` finds a game's board; all are drawn in advance unless that is switched off.
    Without a database everything is lost when it ends."""
    shelf = BoardCache(read)
    database = database or Database("sqlite://")
    settings = settings or Settings()
    store = Store(database, process=secrets.token_hex(8))
    registry = MatchRegistry(store, games.load)
    laboratory = Laboratory(settings.lab)

    @contextlib.asynccontextmanager
    async def open_for_play(_: FastAPI) -> AsyncIterator[None]:
        stop = threading.Event()
        if draw_ahead:
            threading.Thread(target=shelf.draw_all, args=(stop,), name="drawing the boards", daemon=True).start()
        registry.lanes.open()
        store.open()
        channel = Channel(registry)
        await channel.open()
        notices.start()
        yield
        stop.set()
        await laboratory.close()
        await channel.close()
        await registry.close()
        notices.close()
        store.close()

    app = FastAPI(
        title="Khamsin", version=khamsin.__version__, summary="Five board wargames of North Africa, 1940-43",
        docs_url=None, redoc_url=None, openapi_url="/api/openapi.json", lifespan=open_for_play,
        generate_unique_id_function=lambda route: route.name,
    )  # fmt: skip
    app.add_middleware(GZipMiddleware, minimum_size=1024, compresslevel=5)
    buckets = protect(app, settings)
    accounts = Accounts(database, buckets)
    notices = Notices(database, settings, registry.lists)
    registry.holders, registry.release = accounts.holders, accounts.release
    seating = Seating(registry)
    if notices.ways:
        registry.your_turn, registry.after_turn, registry.looked = notices.your_turn, notices.wake, notices.looked
    app.state.registry, app.state.laboratory = registry, laboratory
    _answer_errors(app)

    @app.get("/api/shelf", summary="The games, and the computer players that know them", tags=["shelf"])
    def the_shelf() -> wire.GameList:
        return catalogue.list_games()

    @app.get(
        "/api/games/{game}", summary="The data of a game", tags=["shelf"], response_model=wire.GameData,
        responses={**may_answer(404), **UNCHANGED},
    )  # fmt: skip
    def box(game: wire.Name, accepts: Accepts = "", known: Known = "") -> Response:
        return _send(catalogue.contents(game), accepts, known)

    @app.get(
        "/api/games/{game}/rulebook", summary="The gist of a rulebook", tags=["shelf"], response_model=wire.Rulebook,
        responses={**may_answer(404), **UNCHANGED},
    )  # fmt: skip
    def rulebook(game: wire.Name, accepts: Accepts = "", known: Known = "") -> Response:
        return _send(catalogue.rulebook_of(game), accepts, known)

    @app.get("/api/boards", summary="The boards", tags=["boards"])
    def boards() -> board_schemas.Boards:
        return board_schemas.Boards(boards=[shelf.summary(game) for game in registrations()])

    @app.get(
        "/api/boards/{game}", summary="A whole board", tags=["boards"], responses={**PROBLEMS, **UNCHANGED},
        response_model=board_schemas.BoardData,
    )  # fmt: skip
    def board(game: str, accepts: Accepts = "", known: Known = "") -> Response:
        return _send(shelf.drawn(game).data, accepts, known)

    @app.get(
        "/api/boards/{game}/map.svg", summary="A board's map", tags=["boards"], response_class=Response,
        responses={
            **PROBLEMS, **UNCHANGED,
            200: {"content": {"image/svg+xml": {}}, "description": "The map, in named groups"},
        },
    )  # fmt: skip
    def map_of(game: str, accepts: Accepts = "", known: Known = "") -> Response:
        return _send(shelf.drawn(game).map, accepts, known, {"Content-Security-Policy": MAP_POLICY})

    app.include_router(matches_router(registry, seating, buckets))
    app.include_router(orders_router(registry))
    app.include_router(seating_router(seating, accounts.id_of))
    app.include_router(positions_router(registry, buckets))
    app.include_router(live_router(registry, buckets))
    app.include_router(laboratory_router(laboratory))
    subscribe = notices.subscribe if "push" in notices.ways else None
    links = Links(accounts, notices)
    app.include_router(accounts_router(accounts, registry.lists, notices.outlook, subscribe, links))
    app.include_router(links_router(links))
    app.include_router(notices_router(notices))
    _serve_client(app)
    app.mount("/fonts", StaticFiles(directory=typeface.FONTS, check_dir=False), name="fonts")
    _describe(app)
    return app


def _answer_errors(app: FastAPI) -> None:
    """Send every error in the same shape."""

    @app.exception_handler(Refused)
    def refuse(_: Request, refused: Refused) -> Response:
        headers = {"Retry-After": "2"} if refused.status in (429, 503) else None
        return Response(orjson.dumps(refused.as_dict()), refused.status, headers, "application/json")

    @app.exception_handler(RequestValidationError)
    def makes_no_sense(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return _refusal(422, "invalid", f"{where}: {first['msg']}")

    @app.exception_handler(HTTPException)
    def no_such_page(request: Request, error: HTTPException) -> Response:
        index = CLIENT / "index.html"
        if error.status_code == 404 and "text/html" in request.headers.get("Accept", "") and index.exists():
            return FileResponse(index, 404, media_type="text/html")
        reason = "unknown" if error.status_code == 404 else "invalid"
        return _refusal(error.status_code, reason, error.detail, error.headers)

    @app.exception_handler(UnknownGame)
    def unknown_game(_: Request, error: UnknownGame) -> JSONResponse:
        return JSONResponse(error.problem.model_dump(exclude_none=True), 404)

    @app.exception_handler(BrokenBoard)
    def broken_board(_: Request, error: BrokenBoard) -> JSONResponse:
        return JSONResponse(error.problem.model_dump(exclude_none=True), 409)


def _refusal(status: int, reason: str, error: str, headers: Any = None) -> JSONResponse:
    return JSONResponse({"error": error, "reason": reason, "rule": "", "cause": ""}, status, headers)


def _serve_client(app: FastAPI) -> None:
    """Serve the client, or how to build it. A file whose name contains its hash is cached for ever."""

    def page(request: Request) -> Response:
        index = CLIENT / "index.html"
        if not index.exists():
            return Response(NOT_BUILT, media_type="text/html")
        return FileResponse(index, media_type="text/html")

    def file_beside_it(name: str) -> Response:
        found = CLIENT / name
        if Path(name).name != name or name == "index.html" or "\0" in name or len(name) > 100 or not found.is_file():
            raise HTTPException(404)
        return FileResponse(found)

    for path in PAGES:
        app.add_api_route(path, page, include_in_schema=False, methods=["GET", "HEAD"])

    class Hashed(StaticFiles):
        """Static files, compressed once by the build."""

        async def get_response(self, path: str, scope: Scope) -> Response:
            packed = "gzip" in Headers(scope=scope).get("Accept-Encoding", "") and self.lookup_path(f"{path}.gz")[1]
            answer = await super().get_response(f"{path}.gz" if packed else path, scope)
            answer.headers["Cache-Control"] = FOR_EVER
            if packed:
                answer.headers["Content-Encoding"] = "gzip"
                answer.headers["Vary"] = "Accept-Encoding"
            return answer

    app.mount("/assets", Hashed(directory=CLIENT / "assets", check_dir=False), name="assets")
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_api_route("/{name}", file_beside_it, include_in_schema=False, methods=["GET", "HEAD"])


def _describe(app: FastAPI) -> None:
    """Describe the API, with refusals and the frames of the live connection among its types."""

    def describe() -> dict[str, Any]:
        if app.openapi_schema is None:
            found = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
            reference = "#/components/schemas/{model}"
            schemas = found.setdefault("components", {}).setdefault("schemas", {})
            more: list[Any] = [
                wire.Refusal, wire.LiveView, wire.LiveUpdate, wire.LiveAnswer, wire.LiveRefusal, wire.LiveSeats, wire.LiveSaid,
            ]  # fmt: skip
            for model in more:
                shape = TypeAdapter(model).json_schema(ref_template=reference, mode="serialization")
                for name, definition in shape.pop("$defs", {}).items():
                    schemas.setdefault(name, definition)
                schemas[model.__name__] = shape
            sent = FRAMES.json_schema(ref_template=reference)
            for name, definition in sent.pop("$defs").items():
                schemas.setdefault(name, definition)
            schemas["LiveFrame"] = sent
            app.openapi_schema = found
        return app.openapi_schema

    app.openapi = describe  # type: ignore[method-assign]


def serve(
    host: str,
    port: int,
    open_browser: bool,
    url: str = "",
    listening: socket.socket | None = None,
    draw_ahead: bool = True,
) -> None:
    """Serve until Ctrl-C, with the matches in the database of that URL.

    Raises `PortTaken` if the address cannot be used, and `Unusable` if the database cannot.
    """
    listening = listening or listen(host, port)
    name = f"[{host}]" if ":" in host else host
    address = f"http://{name}:{listening.getsockname()[1]}"
    settings = Settings.read()
    if not _at_home(host) and "KHAMSIN_LAB" not in os.environ:
        settings = replace(settings, lab=0)
    database = Database(url or default_url())
    try:
        database.open()
    except Unusable:
        listening.close()
        raise
    app = create_app(database=database, settings=settings, draw_ahead=draw_ahead)
    server = uvicorn.Server(server_config(app, settings))
    games.freeze_gc()
    say(f"Khamsin runs at [bold]{address}[/bold]  (Ctrl-C stops it)")
    if open_browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt), listening:
        server.run(sockets=[listening])


def _at_home(host: str) -> bool:
    """Whether only this machine can connect to an address."""
    return host == "localhost" or host == "::1" or host.startswith("127.")


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that already accepts connections, so that a browser opened now need not wait for the server."""
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
        listening.listen(1024)
    except OSError as error:
        listening.close()
        reason = {
            errno.EADDRINUSE: "already taken by another program; stop that one, or choose another port",
            errno.EACCES: "not allowed here; choose a port above 1023",
            errno.EADDRNOTAVAIL: f"{host!r} is not an address of this machine",
        }.get(error.errno or 0, error.strerror or str(error))
        raise PortTaken(host, port, reason) from None
    return listening


def _send(document: Document, accepts: str, known: str, headers: dict[str, str] | None = None) -> Response:
    """Send a document, compressed if the browser accepts that, or 304 if it has not changed."""
    headers = {"ETag": document.tag, "Vary": "Accept-Encoding", **(headers or {})}
    if any(tag.strip().removeprefix("W/") in (document.tag[2:], "*") for tag in known.split(",")):
        return Response(status_code=304, headers=headers)
    if "gzip" in accepts:
        return Response(document.packed, media_type=document.media, headers={**headers, "Content-Encoding": "gzip"})
    return Response(document.body, media_type=document.media, headers=headers)
