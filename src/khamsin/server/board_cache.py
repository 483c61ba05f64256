"""Cache of boards: each is read and drawn at its first request, then cached ready to send."""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import khamsin
from khamsin.kernel.board import Board, BoardError
from khamsin.kernel.registration import registrations
from khamsin.server import board_schemas

Reader = Callable[[str], Board]


class UnknownGame(ValueError):
    """A game that does not exist."""

    def __init__(self, game: str) -> None:
        super().__init__(f"{game!r}: no such game; there are {', '.join(registrations())}")
        self.problem = board_schemas.Problem(error=str(self), games=list(registrations()))


class BrokenBoard(ValueError):
    """A board that cannot be read or drawn."""

    def __init__(self, problem: board_schemas.Problem) -> None:
        super().__init__(problem.error)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Document:
    """Something ready to send: plain, compressed, and with its version tag."""

    body: bytes
    packed: bytes
    tag: str
    media: str

    @classmethod
    def of(cls, text: str, media: str) -> Document:
        """Compress a text."""
        body = text.encode()
        return cls(body, gzip.compress(body, 6), f'W/"{hashlib.sha256(body).hexdigest()[:24]}"', media)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A board's map and its data, which share their pixels."""

    map: Document
    data: Document


class BoardCache:
    """The boards of the five games, by id.

    >>> BoardCache().drawn("chess")
    Traceback (most recent call last):
    ...
    khamsin.server.board_cache.UnknownGame: 'chess': no such game; there are paa, na41, afrika, tunisia, kasserine
    """

    def __init__(self, read: Reader = Board.load) -> None:
        self._read = read
        self._drawn: dict[str, Drawn] = {}
        # One board at a time: drawing is all Python, so two at once would only delay each other.
        self._drawing = threading.Lock()

    def board(self, game: str) -> Board:
        """Return a game's board, or a problem that names the error in its files."""
        if game not in registrations():
            raise UnknownGame(game)
        try:
            return self._read(game)
        except Exception as error:
            raise BrokenBoard(_problem(game, error)) from error

    def drawn(self, game: str) -> Drawn:
        """Return a game's map and data; drawn at the first call, which takes a second or a few. Failures are not
        cached."""
        if game not in self._drawn:
            board = self.board(game)
            with self._drawing:
                if game not in self._drawn:
                    try:
                        self._drawn[game] = _draw(board)
                    except Exception as error:
                        raise BrokenBoard(_problem(game, error)) from error
        return self._drawn[game]

    def draw_all(self, stop: threading.Event) -> None:
        """Draw every board that can be drawn, with pauses for those that are requested."""
        for game in registrations():
            if stop.wait(0.1):
                return
            try:
                self.drawn(game)
            except BrokenBoard:
                continue

    def summary(self, game: str) -> board_schemas.BoardSummary:
        """Return a game's line in the list."""
        try:
            board = self.board(game)
        except BrokenBoard as broken:
            return board_schemas.BoardSummary(
                id=game, title=registrations()[game].title, hexes=None, km=None, problem=broken.problem
            )
        return board_schemas.BoardSummary(id=game, title=registrations()[game].title, hexes=board.size, km=_km(board))


def _problem(game: str, error: Exception) -> board_schemas.Problem:
    """Return the error of a board, by its file if that is the cause."""
    text = f"The board of {registrations()[game].title} cannot be shown"
    if isinstance(error, BoardError):
        file = _short(error.file)
        where = f"{file}, line {error.line}" if error.line else file
        return board_schemas.Problem(
            error=f"{text}: {where}: {error.expected}", file=file, line=error.line, expected=error.expected
        )
    return board_schemas.Problem(error=f"{text}: {type(error).__name__}: {error}")


def _short(file: str) -> str:
    """Return a file's path, relative to the package if it is in it."""
    try:
        return Path(file).relative_to(Path(khamsin.__file__).parent).as_posix()
    except ValueError:
        return Path(file).name


def _km(board: Board) -> float | None:
    km = board.meta.get("geo", {}).get("km_per_hex")
    return None if km is None else float(km)


def _draw(board: Board) -> Drawn:
    from khamsin.atlas import draw

    sheet = draw.sheet(board)
    data = _data(board, sheet).model_dump_json()
    return Drawn(Document.of(sheet.svg, "image/svg+xml"), Document.of(data, "application/json"))


def _data(board: Board, sheet: Any) -> board_schemas.BoardData:
    places = defaultdict(list)
    for place in sorted(board.places, key=lambda p: p.rank):
        places[place.hex].append(
            board_schemas.PlaceOnBoard(name=place.name, kind=place.kind, rank=place.rank, source=place.source)
        )
    hexes = []
    for hex in board:
        x, y = sheet.point(*board.scheme.centre(board.axial[hex]))
        lat, lon, elevation = (float(value) for value in board.geo[hex])
        hexes.append(
            board_schemas.HexOnBoard(
                number=board.name(hex), x=round(x, 2), y=round(y, 2), terrain=board.terrain_name(hex),
                tags=sorted(board.tags[hex]), places=places[hex], lat=lat, lon=lon, elevation=elevation,
                source=board.sources[hex],
            )
        )  # fmt: skip
    sides = [
        board_schemas.SideOnBoard(
            a=board.name(side.a), b=board.name(side.b), kind=side.kind,
            low=board.name(side.low) if side.low >= 0 else None, name=side.name, source=side.source,
        )
        for side in board.sides
    ]  # fmt: skip
    return board_schemas.BoardData(
        id=board.game, title=board.title, km=_km(board), width=sheet.width, height=sheet.height, scale=sheet.scale,
        corners=[(round(x * sheet.scale, 2), round(-y * sheet.scale, 2)) for x, y in board.scheme.corners()],
        terrains=_terrains(board), kinds=_kinds(board), hexes=hexes, sides=sides,
        areas=[
            board_schemas.AreaOnBoard(
                name=area.name, kind=area.kind, hexes=[board.name(h) for h in area.hexes], source=area.source,
                data=dict(area.data),
            )
            for area in board.areas.values()
        ],
        boxes=[
            board_schemas.BoxOnBoard(name=box.name, kind=box.kind, source=box.source, data=dict(box.data))
            for box in board.boxes
        ],
    )  # fmt: skip


def _terrains(board: Board) -> list[board_schemas.TerrainKind]:
    from khamsin.atlas import style

    counts = Counter(board.terrain)
    paper = style.table()["paper"]
    kinds = []
    for i, terrain in enumerate(board.terrains):
        look = style.look("terrain", terrain.name)
        colour = paper["sea"] if look.get("water") else look.get("tint", paper["ground"])
        if not look.get("water") and not look.get("alpha"):
            colour = paper["ground"]
        kinds.append(
            board_schemas.TerrainKind(name=terrain.name, enterable=terrain.enterable, count=counts[i], colour=colour)
        )
    return kinds


def _kinds(board: Board) -> list[board_schemas.HexsideKind]:
    from khamsin.atlas import style

    counts = Counter(side.kind for side in board.sides)
    kinds = []
    for kind in board.side_kinds:
        look = style.look("side", kind.name)
        kinds.append(
            board_schemas.HexsideKind(
                name=kind.name, across=kind.across, slope=bool(board.meta["side"][kind.name].get("slope", False)),
                count=counts[kind.name], form=look.get("form", "line"), colour=look.get("colour", "#6f5a3c"),
                width=look.get("width", 1.5), dash=look.get("dash"),
            )
        )  # fmt: skip
    return kinds
