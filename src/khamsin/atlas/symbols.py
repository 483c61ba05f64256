"""Small signs: the marks of places, the marks on hexsides, and the patterns that fill ground."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from khamsin.atlas import style
from khamsin.atlas.ink import element, number

TILE = 240
"""Side of a pattern's tile, in pixels: wide enough that the repeat is not noticed."""


def _at(d: str) -> Callable[[float, float], str]:
    """Return a sign drawn by a path in relative strokes from its centre."""
    return lambda x, y: f"M{number(x)} {number(y)}{d}"


def _disc(radius: float) -> str:
    r = number(radius)
    return f"m-{r} 0a{r} {r} 0 1 0 {number(2 * radius)} 0a{r} {r} 0 1 0-{number(2 * radius)} 0"


FORT = "m0-7.5 2.2 3.1 3.7-.7-.7 3.7 3.1 2.2-3.1 2.2.7 3.7-3.7-.7-2.2 3.1-2.2-3.1-3.7.7.7-3.7-3.1-2.2 3.1-2.2-.7-3.7 3.7.7z"

PLACES: dict[str, tuple[Callable[[float, float], str], str, float]] = {
    "dot": (_at(_disc(2.9)), "fill", 4.5),
    "small": (_at(_disc(2.1)), "fill", 3.5),
    "town": (_at(_disc(3.7)), "fill", 5.5),
    "city": (_at(_disc(5.2)), "ring", 7.5),
    "anchor": (_at("m0-4v9m-5-4c0 6 10 6 10 0m-7.6-3h5.2m-2.6-2" + _disc(1.4)), "line", 7.0),
    "airfield": (_at(_disc(5) + "m1.6-3.2 6.8 6.4m0-6.4-6.8 6.4"), "line", 7.0),
    "fort": (_at(FORT), "works", 7.5),
    "palm": (_at("m0 6q-1-5 .6-9c-2-3-5-2-6 .6m6-.6c2-3 5-2 6 .6m-6-.6c-1-3-4-3.6-5.4-2m5.4 2c1-3 4-3.6 5.4-2"), "green", 7),
    "base": (_at("m-6 5v-6l6-4 6 4v6z"), "line", 7.0),
    "star": (_at("m0-6.5 1.9 4.2 4.6.5-3.4 3.1.9 4.5-4-2.3-4 2.3.9-4.5-3.4-3.1 4.6-.5z"), "red", 7.0),
    "entry": (_at("m-6-3 6-3 6 3-6 9z"), "blue", 7.0),
    "well": (_at(_disc(2.6)), "water", 4.5),
    "pass": (_at("m-5-5q3.6 5 0 10m10-10q-3.6 5 0 10"), "brown", 6.5),
    "peak": (_at("m0-5 5 8.4h-10z"), "height", 6.0),
}  # fmt: skip
"""Sign to its path, the pen it is drawn with, and the room it needs around its centre."""

GLYPHS: dict[str, tuple[tuple[str, ...], float, float]] = {
    "rubble": (("m-4 2 3.2-4 2 2.4m1.4 2 2.2-3", "m-3 1 2.6-3 2.4 3", "m-2-2 2.2 3.4 2.6-3"), 24, 1.0),
    "knoll": (("m-6 3q3-7 6.4-5.4 3 1.4 4.6 5.4", "m-5 2q2-5 5-4 2.6 1 3.6 4"), 27, 1.0),
    "peak": (("m-7 5 6.4-11 6.6 11m-6.6-11q-1 6 2.4 9m-0.6-4 2.6 3.2", "m-5 4 5-9 5 9m-5-9q-0.6 5 2 7"), 26, 1.0),
    "sand": (("h.1m4 2h.1m-8-3h.1m2 6h.1", "h.1m-5 1h.1m7-4h.1", "h.1m3-3h.1m-2 6h.1"), 17, 1.5),
    "basin": (("m-4 0h8m-6.6 0v2.6m2.6-2.6v3.4m2.6-3.4v2.6",), 30, 0.9),
    "marsh": (("m-7 0h14m-10.6 3h8m-6-3v-4.600m3 4.6 1.6-4m-6.2 4-1.6-4", "m-6 0h12m-9 3h7"), 30, 1.1),
    "salt": (("m-6 0h12", "m-4 0h8m3 0h.1", "m-5 0h4m3 0h5"), 20, 1.0),
    "tree": (("m-3 2a3 3 0 1 1 6 0zm3 0v2.6", "m-2.4 1.600a2.4 2.4 0 1 1 4.8 0zm2.4 0v2.2"), 15, 1.0),
    "block": (("m-2-2h4v4h-4z", "m-3-1.500h6v3h-6z"), 12, 0.9),
}
"""Pattern to its glyphs, their distance, and the width of the stroke."""


def draw(symbol: str, d: str) -> str:
    """Signs of one kind, drawn by one path, with their pen."""
    pen = style.table()["pen"][PLACES[symbol][1]]
    return element("path", d=d, **{key.replace("-", "_"): value for key, value in pen.items()})


def pattern_id(section: str, name: str) -> str:
    """Return the id of the pattern of a kind of ground.

    >>> pattern_id("terrain", "low hills")
    'p-terrain-low-hills'
    """
    return f"p-{section}-{name.replace(' ', '-')}"


def pattern(name: str, glyph: str, ink: str) -> str:
    """Return a pattern of scattered glyphs that repeats without a seam."""
    shapes, gap, width = GLYPHS[glyph]
    dice = np.random.default_rng(sum(map(ord, glyph)))
    count = round(TILE / gap)
    cells = [(i, j) for i in range(count) for j in range(count) if (i + j) % 2 == 0 or gap < 20]
    step = TILE / count
    strokes = []
    for i, j in cells:
        x = (i + 0.5 + dice.uniform(-0.33, 0.33)) * step % TILE
        y = (j + 0.5 + dice.uniform(-0.33, 0.33)) * step % TILE
        shape = shapes[int(dice.integers(len(shapes)))]
        for dx in (0, TILE, -TILE):
            for dy in (0, TILE, -TILE):
                if -9 < x + dx < TILE + 9 and -9 < y + dy < TILE + 9:
                    strokes.append(f"M{number(x + dx)} {number(y + dy)}{shape}")
    path = element(
        "path", d="".join(strokes), fill="none", stroke=ink, stroke_width=width, stroke_linecap="round",
        stroke_linejoin="round",
    )  # fmt: skip
    return element("pattern", path, id=name, width=TILE, height=TILE, patternUnits="userSpaceOnUse")


def swatch(glyph: str, ink: str, x: float, y: float, width: float) -> str:
    """Return a few glyphs of a pattern across a small box, from its left middle, for the legend."""
    shapes, gap, stroke = GLYPHS[glyph]
    count = max(3, int(width / max(gap, 12)))
    step = width / count
    marks = [
        f"M{number(x + (i + 0.5) * step)} {number(y + (3.5 if i % 2 else -3.5))}{shapes[i % len(shapes)]}"
        for i in range(count)
    ]
    return element(
        "path", d="".join(marks), fill="none", stroke=ink, stroke_width=stroke, stroke_opacity=0.75,
        stroke_linecap="round", stroke_linejoin="round",
    )  # fmt: skip


def bridge(x: float, y: float, dx: float, dy: float) -> str:
    """Two abutments across a line that runs in direction (dx, dy)."""
    nx, ny = -dy, dx
    out = ""
    for s in (-1, 1):
        cx, cy = x + nx * 4.2 * s, y + ny * 4.2 * s
        out += (
            f"M{number(cx - dx * 6.5 + nx * 2.6 * s)} {number(cy - dy * 6.5 + ny * 2.6 * s)}"
            f"L{number(cx - dx * 4)} {number(cy - dy * 4)} {number(cx + dx * 4)} {number(cy + dy * 4)} "
            f"{number(cx + dx * 6.5 + nx * 2.6 * s)} {number(cy + dy * 6.5 + ny * 2.6 * s)}"
        )
    return out


def ford(x: float, y: float, dx: float, dy: float) -> str:
    """Two ripples across a line that runs in direction (dx, dy)."""
    nx, ny = -dy, dx
    out = ""
    for s in (-1, 1):
        cx, cy = x + nx * 4.6 * s, y + ny * 4.6 * s
        out += (
            f"M{number(cx - dx * 5)} {number(cy - dy * 5)}"
            f"q{number(dx * 2.5 + nx * 2)} {number(dy * 2.5 + ny * 2)} {number(dx * 5)} {number(dy * 5)}"
            f"t{number(dx * 5)} {number(dy * 5)}"
        )
    return out


MARKS = {"bridge": bridge, "ford": ford}
"""Marks where a line crosses a hexside."""
