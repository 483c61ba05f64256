"""The ground of a map: sea and shoals, land, tints and patterns, relief, and the hex grid with its numbers."""

from __future__ import annotations

import base64
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from khamsin.atlas import lines, style, symbols, typeface
from khamsin.atlas.canvas import SCALE, Canvas
from khamsin.atlas.ink import contour, element, number, pair, polyline, rounded
from khamsin.kernel.board import folder_of

SHOALS = (42.0, 28.0, 14.0)
"""How far from the shore the depth lines run, twice, in pixels."""


@dataclass(frozen=True)
class Ground:
    """A kind of ground on a board: all its hexes in one outline, and how they are drawn."""

    section: str
    name: str
    outline: str
    look: style.Entry


def grounds(canvas: Canvas) -> list[Ground]:
    """Return the kinds of ground of a board that are tinted or patterned, lowest first."""
    board = canvas.board
    groups: dict[tuple[str, str], set[int]] = defaultdict(set)
    for hex in board:
        groups["terrain", board.terrain_name(hex)].add(hex)
        for tag in board.tags[hex]:
            if tag in style.table()["tag"]:
                groups["tag", tag].add(hex)
    found = []
    for (section, name), hexes in groups.items():
        look = style.look(section, name)
        if not look.get("water") and (look.get("alpha") or look.get("pattern")):
            rings = lines.outlines(board, hexes)
            outline = "".join(rounded(canvas.px(ring), SCALE * 0.21, close=True) for ring in rings)
            found.append(Ground(section, name, outline, look))
    return sorted(found, key=lambda ground: (ground.look.get("order", 0), ground.name))


def base(canvas: Canvas, kinds: list[Ground]) -> Iterator[str]:
    """Sea, shoals, land and the tints of the ground."""
    paper = canvas.paper
    box = {"x": canvas.border, "y": canvas.border, "width": canvas.width, "height": canvas.height}
    yield element("rect", fill=paper["sea"], **box)
    shore = "".join(contour(canvas.px(ring)) for ring in canvas.land.shores)
    if shore:
        clip = element("clipPath", element("use", href="#shore"), id="dry")
        yield element("defs", element("path", id="shore", d=shore), clip)
        pen = {"href": "#shore", "fill": "none", "stroke_linejoin": "round"}
        for reach, colour in zip(SHOALS, paper["shoal"], strict=True):
            yield element("use", stroke=paper["coast"], stroke_opacity=0.28, stroke_width=reach + 1.2, **pen)
            yield element("use", stroke=colour, stroke_width=reach, **pen)
        yield element("use", stroke=paper["coast"], stroke_width=2.6, **pen)
        yield element("use", href="#shore", fill=paper["ground"])
        yield element("g", *tints(kinds), "", clip_path="url(#dry)")
    yield beyond(canvas)
    yield from slivers(canvas)


def tints(kinds: list[Ground]) -> Iterator[str]:
    """Yield each kind of ground in its colour and pattern."""
    for ground in kinds:
        look = ground.look
        if look.get("alpha"):
            yield element("path", d=ground.outline, fill=look["tint"], fill_opacity=look["alpha"])
        if look.get("pattern"):
            fill = f"url(#{symbols.pattern_id(ground.section, ground.name)})"
            yield element("path", d=ground.outline, fill=fill, fill_opacity=0.5)


def beyond(canvas: Canvas) -> str:
    """Return a veil over the ground past the outermost hexes."""
    width, height = canvas.width + 2 * canvas.border, canvas.height + 2 * canvas.border
    rings = lines.outlines(canvas.board, set(canvas.board))
    board = "".join(polyline(canvas.px(ring), close=True) for ring in rings)
    d = f"M0 0H{number(width)}V{number(height)}H0z{board}"
    return element("path", d=d, fill=canvas.paper["sheet"], fill_opacity=0.5, fill_rule="evenodd")


def slivers(canvas: Canvas) -> Iterator[str]:
    """Draw the tint of the sea over the bits of land in sea hexes, which no unit may enter."""
    near = canvas.land.at(canvas.centres[:, None] + canvas.corners[None] * 0.8).max(axis=1) > 0.5
    hexes = {int(hex) for hex in np.nonzero(near & canvas.wet)[0]}
    if hexes:
        d = "".join(rounded(canvas.px(ring), 6, close=True) for ring in lines.outlines(canvas.board, hexes))
        yield element("path", d=d, fill=canvas.paper["sea"], fill_opacity=0.45)


def patterns(kinds: list[Ground]) -> Iterator[str]:
    """Yield the patterns these kinds of ground use."""
    for ground in kinds:
        if ground.look.get("pattern"):
            key = symbols.pattern_id(ground.section, ground.name)
            yield symbols.pattern(key, ground.look["pattern"], ground.look["ink"])


def relief(canvas: Canvas) -> Iterator[str]:
    """Draw the shaded relief, if there is one, at the position in its comment."""
    file = folder_of(canvas.board.game) / "relief.jpg"
    if not file.exists():
        return
    picture = file.read_bytes()
    head = picture[:400]
    west, south, east, north = map(float, head[head.index(b"window ") + 7 :].split(b";")[0].split())
    (left, top), (right, bottom) = canvas.px(np.array([(west, north), (east, south)]))
    yield element(
        "image", x=number(left), y=number(top), width=number(right - left), height=number(bottom - top),
        preserveAspectRatio="none", href=f"data:image/jpeg;base64,{base64.b64encode(picture).decode()}",
    )  # fmt: skip


def hexgrid(canvas: Canvas) -> Iterator[str]:
    """Return the hex grid as one path: each hex draws three of its sides, those at the edge all."""
    corners = canvas.corners * (1, -1) * SCALE
    half = "".join(f"l{pair(corners[i + 1] - corners[i])}" for i in range(3))
    d = []
    for hex, centre in enumerate(canvas.px(canvas.centres)):
        d.append(f"M{pair(centre + corners[0])}{half}")
        for direction in (3, 4, 5):
            if canvas.board.neighbours[hex][direction] < 0:
                a, b = corners[direction], corners[(direction + 1) % 6]
                d.append(f"M{pair(centre + a)}l{pair(b - a)}")
    yield element(
        "path", d="".join(d), fill="none", stroke=canvas.paper["grid"], stroke_width=0.9, stroke_opacity=0.3,
        data_hexes=canvas.board.size,
    )  # fmt: skip


def numbers(canvas: Canvas) -> Iterator[str]:
    """Yield hex numbers: one text for each height on the sheet, with the position of every letter, to keep elements
    few."""
    size = 8.6
    up = (0.40 if canvas.board.scheme.rows else 0.375) * SCALE - size * 0.6
    rows: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for hex, (x, y) in enumerate(canvas.px(canvas.centres)):
        words = canvas.board.name(hex)
        left = x - typeface.width(words, "sans", size) / 2
        marks, letters = rows[number(y - up)]
        for letter in words:
            marks.append(number(left))
            letters.append(letter)
            left += typeface.width(letter, "sans", size)
    drawn = [element("text", "".join(letters), x=" ".join(marks), y=y) for y, (marks, letters) in rows.items()]
    yield element("g", *drawn, class_="n", font_size=size, fill=canvas.paper["grid"], fill_opacity=0.5)
