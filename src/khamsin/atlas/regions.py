"""The names of seas and countries: large and faint, where they cover least."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from khamsin.atlas import coast, labels, style, typeface
from khamsin.atlas.canvas import SCALE, Canvas
from khamsin.atlas.ink import text
from khamsin.atlas.land import fill

Points = NDArray[np.float64]

COARSE = 10.0
"""Side of a cell of the raster on which space is sought, in pixels."""


def draw(canvas: Canvas) -> Iterator[str]:
    """Draw the names of the style table for which this map has space."""
    height, width = (round(n * labels.CELL / COARSE) for n in canvas.room.costs.shape)
    wet, dry = _hexes(canvas, height, width)
    busy = _shrink(np.minimum(canvas.room.costs, 60), height, width)
    known = {place.name for place in canvas.board.places}
    for region in style.table()["region"]:
        words, sea, local = region["name"], region["on"] == "sea", "lat" in region
        inside = wet * (1 - dry) if sea else dry * (1 - wet)
        if local:
            home = _cells(canvas, np.array([(region["lon"], region["lat"])]))[0]
            span = region["km"] / canvas.grid.km_per_hex * SCALE
            spot = None if words in known else _near(inside, busy, words, home, span)
        else:
            if not sea:
                inside = inside * fill([_cells(canvas, ring) for ring in coast.country(region["on"])], height, width)
            spot = _seek(inside, busy, words, region["size"])
        if spot is None:
            continue
        x, y, size, spacing = spot
        yield text(
            words, x + spacing / 2, y, size, anchor="middle", italic=sea or local, spacing=spacing,
            bold=not sea and not local, fill=canvas.paper["coast" if sea else "rule"],
            fill_opacity=0.68 if sea else 0.5 if local else 0.26,
        )  # fmt: skip
        w = typeface.width(words, "serif", size, spacing)
        rows = slice(int((y - 1.7 * size) / COARSE), int((y + size) / COARSE) + 1)
        busy[rows, int((x - w / 2 - size) / COARSE) : int((x + w / 2 + size) / COARSE) + 1] = 60


def _cells(canvas: Canvas, lonlat: Points) -> Points:
    """Points of the earth in cells of the raster."""
    with np.errstate(invalid="ignore"):
        x, y = canvas.grid.plane(lonlat[:, 1], lonlat[:, 0])
    return canvas.px(np.stack([x, y], axis=1)) / COARSE


def _hexes(canvas: Canvas, height: int, width: int) -> tuple[Points, Points]:
    """Return which cells are in hexes of water, and which in hexes of land."""
    cells = {True: np.zeros((height, width)), False: np.zeros((height, width))}
    radius = int(32 / COARSE)
    for wet, (x, y) in zip(canvas.wet.tolist(), canvas.px(canvas.centres), strict=True):
        i, j = int(y / COARSE), int(x / COARSE)
        cells[wet][max(0, i - radius) : i + radius + 1, max(0, j - radius) : j + radius + 1] = 1
    return cells[True], cells[False]


def _near(
    inside: Points, busy: Points, words: str, home: Points, span: float
) -> tuple[float, float, float, float] | None:
    """Return the middle of the baseline, size and letter-spacing of a name near its place."""
    size = float(np.clip(span / (len(words) * 0.95), 17, 34))
    spacing = float(np.clip((span - typeface.width(words, "serif-italic", size)) / len(words), size * 0.08, size * 0.7))
    w = int(typeface.width(words, "serif-italic", size, spacing) / COARSE) + 1
    h = int(size * 1.1 / COARSE) + 1
    reach = int(max(9, span / 4 / COARSE))
    i0, j0 = int(home[1] - h / 2), int(home[0] - w / 2)
    best: tuple[float, int, int] | None = None
    for i in range(max(0, i0 - reach), min(inside.shape[0] - h, i0 + reach)):
        for j in range(max(0, j0 - reach), min(inside.shape[1] - w, j0 + reach)):
            if inside[i : i + h, j : j + w].min() > 0:
                cost = float(busy[i : i + h, j : j + w].mean()) * 14 + np.hypot(i - i0, j - j0) / reach
                if best is None or cost < best[0]:
                    best = cost, i, j
    if best is None or best[0] > 3.2:
        return None
    return (best[2] + w / 2) * COARSE, (best[1] + h / 2) * COARSE + size * 0.3, size, spacing


def _seek(inside: Points, busy: Points, words: str, size: float) -> tuple[float, float, float, float] | None:
    """Return the middle of the baseline, size and letter-spacing of a name, as large as fits; None if it fits nowhere."""
    while size >= 26:
        for spread in (1.1, 0.6, 0.3):
            spacing = size * spread
            w = int((typeface.width(words, "serif-bold", size, spacing) + size * 2) / COARSE)
            h = int(size * 1.9 / COARSE)
            if w >= inside.shape[1] * 0.55 or h >= inside.shape[0]:
                continue
            cover, cost = _windows(1 - inside, h, w), _windows(busy, h, w) / (h * w)
            rows, columns = np.indices(cost.shape)
            weight = max(inside.sum(), 1)
            middle = [(inside * axis).sum() / weight for axis in np.indices(inside.shape)]
            away = np.hypot(rows + h / 2 - middle[0], (columns + w / 2 - middle[1])) / np.hypot(*inside.shape)
            score = np.where(cover > 0.5, np.inf, cost + away * 3)
            best = np.unravel_index(int(np.argmin(score)), score.shape)
            if np.isfinite(score[best]) and cost[best] < 2.2:
                i, j = int(best[0]), int(best[1])
                return (j + w / 2) * COARSE, (i + h * 0.5) * COARSE + size * 0.36, size, spacing
        size *= 0.85
    return None


def _windows(field: Points, h: int, w: int) -> Points:
    """Return the sum of a field over every window of a size."""
    sums = np.pad(field.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    return np.asarray(sums[h:, w:] - sums[:-h, w:] - sums[h:, :-w] + sums[:-h, :-w])


def _shrink(field: Points, height: int, width: int) -> Points:
    """Return a raster at fewer cells, each the greatest it covers."""
    i = (np.arange(field.shape[0]) * height // field.shape[0]).clip(0, height - 1)
    j = (np.arange(field.shape[1]) * width // field.shape[1]).clip(0, width - 1)
    out = np.zeros((height, width))
    np.maximum.at(out, (i[:, None], j[None, :]), field)
    return out
