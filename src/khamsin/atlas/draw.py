"""Draw a board as a map: everything from the board's files, styled by `style.toml`, nothing particular to a game.

>>> from khamsin.kernel.board import Board
>>> drawn = sheet(Board.load("paa"))
>>> drawn.svg[:4], drawn.scale
('<svg', 60.0)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from khamsin.atlas import frame, regions, style, surface, typeface
from khamsin.atlas.canvas import SCALE, Canvas
from khamsin.atlas.ink import element, group, number
from khamsin.atlas.land import Window
from khamsin.atlas.lettering import Lettering
from khamsin.atlas.network import Network
from khamsin.kernel.board import Board


@dataclass(frozen=True)
class Sheet:
    """A drawn map: the SVG, its size in pixels, and the position of the hex plane on it."""

    svg: str
    width: float
    height: float
    scale: float
    border: float
    window: Window

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return the pixel of a point of the hex plane (x east, y north)."""
        return (
            self.border + (x - self.window.west) * self.scale,
            self.border + (self.window.north - y) * self.scale,
        )


def write(game: str, file: Path, width: int | None = None) -> None:
    """Write a game's map to a file, as its suffix says: .svg, or .png of a width in pixels."""
    _check_suffix(file)
    save(sheet(Board.load(game)), file, width)


def save(drawn: Sheet, file: Path, width: int | None = None) -> None:
    """Write a sheet to a file, as its suffix says: .svg, or .png of a width in pixels."""
    _check_suffix(file)
    if file.suffix == ".svg":
        head, rest = drawn.svg.split("<style>", 1)
        file.write_text(f"{head}<style>{typeface.css()}{rest}", encoding="utf-8")
    else:
        file.write_bytes(_raster(drawn, width or round(drawn.width)))


def _check_suffix(file: Path) -> None:
    if file.suffix not in (".svg", ".png"):
        raise ValueError(f"{str(file)!r}: a map is written as .svg or .png")


def png(board: Board, width: int) -> bytes:
    """Return the map as a PNG picture of this width in pixels."""
    return _raster(sheet(board), width)


def sheet(board: Board) -> Sheet:
    """Draw a board; a page must provide the fonts of `typeface`, a file written by `write` contains them."""
    canvas = Canvas(board)
    kinds = surface.grounds(canvas)
    network, lettering = Network(canvas), Lettering(canvas)
    ground = (
        group("base", surface.base(canvas, kinds)),
        group("relief", surface.relief(canvas)),
        group("grid", surface.hexgrid(canvas)),
        group("numbers", surface.numbers(canvas)),
        group("lines", network.draw()),
        group("names", _names(canvas, network, lettering)),
    )
    around = frame.Frame(board, canvas.window, canvas.grid, SCALE, list(_legend(board, lettering)))
    width, height = around.width * around.unit, around.height * around.unit
    css = (
        f".s{{font-family:{typeface.SERIF}}}.n{{font-family:{typeface.SANS}}}"
        ".numbers text{white-space:pre}.relief image{mix-blend-mode:multiply}"
    )
    svg = element(
        "svg",
        element("title", escape(board.title)),
        f"<style>{css}</style>",
        element("defs", *surface.patterns(kinds), _window(canvas)),
        element("g", *ground, clip_path="url(#map)"),
        group("frame", around.draw(), transform=f"scale({around.unit:.5f})"),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=number(width),
        height=number(height),
    )
    return Sheet(svg, width, height, SCALE, canvas.border, canvas.window)


def _names(canvas: Canvas, network: Network, lettering: Lettering) -> Iterator[str]:
    """Yield signs and names; they take space in the order of their weight, with the large faint ones under them."""
    signs = list(lettering.signs())
    places = list(lettering.names())
    streams = list(network.names())
    yield from regions.draw(canvas)
    yield from signs
    halo = {"stroke": canvas.paper["halo"], "stroke_width": 3.2, "stroke_linejoin": "round", "stroke_opacity": 0.85}
    for words in (streams, places):
        yield element("g", *words, "", fill=canvas.paper["ink"], paint_order="stroke", **halo)


def _legend(board: Board, lettering: Lettering) -> Iterator[frame.Entry]:
    """Yield what the legend explains: ground, hexsides and signs that this board uses."""
    terrains = {board.terrain_name(hex) for hex in board}
    tags = {tag for tags in board.tags for tag in tags if tag in style.table()["tag"]}
    kinds = {side.kind for side in board.sides}
    for terrain in board.terrains:
        if terrain.name in terrains:
            yield frame.Entry("terrain", terrain.name, frame.sentence(terrain.name))
    for tag in sorted(tags - terrains):
        yield frame.Entry("tag", tag, frame.sentence(tag))
    for kind in board.side_kinds:
        if kind.name in kinds:
            yield frame.Entry("side", kind.name, frame.sentence(kind.name))
    for name, sign in style.table()["sign"].items():
        if name in lettering.used():
            yield frame.Entry("sign", name, sign["words"])


def _window(canvas: Canvas) -> str:
    """Return the part of the sheet that the map may cover."""
    box = {"x": canvas.border, "y": canvas.border, "width": canvas.width, "height": canvas.height}
    return element("clipPath", element("rect", **box), id="map")


def _raster(drawn: Sheet, width: int) -> bytes:
    import resvg_py

    picture = resvg_py.svg_to_bytes(
        svg_string=drawn.svg,
        width=width,
        height=round(width * drawn.height / drawn.width),
        skip_system_fonts=True,
        font_files=typeface.files(),
        font_family="Khamsin Serif",
        serif_family="Khamsin Serif",
        sans_serif_family="Khamsin Sans",
    )
    return bytes(picture)
