"""The placement of names: each takes the best free spot around its sign, the large before the small."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from khamsin.atlas import typeface

Points = NDArray[np.float64]

CELL = 3.0
"""Side of a cell of the occupancy raster, in pixels."""

TAKEN = 1e4
"""The cost of covering what must not be covered."""


@dataclass(frozen=True)
class Label:
    """A name in its place: the anchor of its baseline, in pixels."""

    words: str
    x: float
    y: float
    size: float
    anchor: str
    cost: float
    angle: float = 0.0


class Room:
    """What is already drawn, as a raster of costs over which boxes are summed."""

    def __init__(self, width: float, height: float, border: float) -> None:
        self.costs = np.full((int((height + 2 * border) / CELL) + 2, int((width + 2 * border) / CELL) + 2), TAKEN)
        inner = slice(int(border / CELL) + 2, int((height + border) / CELL) - 1)
        self.costs[inner, int(border / CELL) + 2 : int((width + border) / CELL) - 1] = 0

    def line(self, points: Points, cost: float) -> None:
        """Add a line that names should avoid."""
        legs = np.hypot(*np.diff(points, axis=0).T)
        along = np.concatenate([[0], np.cumsum(legs)])
        marks = np.arange(0, along[-1], CELL * 0.7)
        i = np.interp(marks, along, points[:, 1]) / CELL
        j = np.interp(marks, along, points[:, 0]) / CELL
        rows, columns = self.costs.shape
        i, j = np.clip(i.astype(int), 0, rows - 1), np.clip(j.astype(int), 0, columns - 1)
        self.costs[i, j] = np.maximum(self.costs[i, j], cost)

    def box(self, left: float, top: float, right: float, bottom: float, cost: float) -> None:
        """Add a box that names should avoid; a higher cost already there stays."""
        area = self._cells(left, top, right, bottom)
        np.maximum(area, cost, out=area)

    def cost(self, left: float, top: float, right: float, bottom: float) -> float:
        """Return the cost of what a box would cover, for its size; leaving the sheet counts as taken."""
        rows, columns = self.costs.shape
        if top < 0 or left < 0 or bottom > (rows - 1) * CELL or right > (columns - 1) * CELL:
            return TAKEN
        area = self._cells(left, top, right, bottom)
        return float(area.sum() / np.sqrt(area.size))

    def _cells(self, left: float, top: float, right: float, bottom: float) -> Points:
        i0, i1 = max(0, int(top / CELL)), max(0, int(bottom / CELL) + 1)
        j0, j1 = max(0, int(left / CELL)), max(0, int(right / CELL) + 1)
        return self.costs[i0:i1, j0:j1]


def place(room: Room, words: str, x: float, y: float, size: float, cut: str, gap: float) -> Label:
    """Choose the best spot around a sign and take it."""
    width, up, down = typeface.width(words, cut, size), size * 0.72, size * 0.2
    best: Label | None = None
    box = (0.0, 0.0, 0.0, 0.0)
    for dx, dy, anchor, dislike in _spots(gap, up, size):
        px, py = x + dx, y + dy
        left = px - (0.0 if anchor == "start" else width if anchor == "end" else width / 2)
        bounds = (left - 2, py - up - 1, left + width + 2, py + down + 1)
        cost = room.cost(*bounds) + dislike
        if best is None or cost < best.cost:
            best, box = Label(words, px, py, size, anchor, cost), bounds
    assert best is not None
    room.box(*box, TAKEN)
    return best


def _spots(gap: float, up: float, size: float) -> Iterable[tuple[float, float, str, float]]:
    """Yield offsets of the baseline's anchor around a sign, with their cost."""
    middle = up / 2
    if gap == 0:
        yield 0.0, middle, "middle", 0.0
    for ring, more in ((gap, 0.0), (gap + size * 0.35, 4.0), (gap + size * 0.8, 9.0)):
        side = ring * 0.75
        yield ring, middle, "start", more
        yield side, -side * 0.6, "start", more + 0.4
        yield side, side * 0.6 + up, "start", more + 0.8
        yield -ring, middle, "end", more + 1.0
        yield -side, -side * 0.6, "end", more + 1.2
        yield -side, side * 0.6 + up, "end", more + 1.4
        yield 0.0, -ring - size * 0.12, "middle", more + 1.0
        yield 0.0, ring + up + size * 0.08, "middle", more + 1.2


def along(room: Room, words: str, paths: list[Points], size: float, off: float) -> Label | None:
    """Return a spot for a name along a line, a little off it and turned with it; None if the line is too short or too
    busy."""
    width = typeface.width(words, "serif-italic", size)
    best: Label | None = None
    for path in paths:
        along_it = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(path, axis=0).T))])
        if along_it[-1] < width * 1.05:
            continue
        for start in np.arange(0, along_it[-1] - width, 20.0):
            marks = np.linspace(start, start + width, 9)
            points = np.stack([np.interp(marks, along_it, path[:, k]) for k in (0, 1)], axis=1)
            chord = points[-1] - points[0]
            if np.hypot(*chord) < width * 0.8:
                continue
            if chord[0] < 0:
                points, chord = points[::-1], -chord
            heading = chord / np.hypot(*chord)
            up = np.array([heading[1], -heading[0]])
            heights = (points - points[0]) @ up
            for lift in (float(heights.max()) + off, float(heights.min()) - off - size * 0.68):
                middle = points[0] + chord / 2 + up * lift
                boxes = middle + heading * np.linspace(-width / 2, width / 2, 9)[:, None] + up * size * 0.33
                half = size * 0.36
                cost = sum(room.cost(x - half, y - half, x + half, y + half) for x, y in boxes) / 9
                cost += abs(heading[1]) * 2 + float(np.ptp(heights)) / size
                if best is None or cost < best.cost:
                    angle = float(np.degrees(np.arctan2(heading[1], heading[0])))
                    best = Label(words, float(middle[0]), float(middle[1]), size, "middle", cost, angle)
    if best is None or best.cost > 7:
        return None
    turn = np.radians(best.angle)
    for t in np.linspace(-width / 2, width / 2, 12):
        x, y = best.x + np.cos(turn) * t, best.y + np.sin(turn) * t - size * 0.33
        room.box(x - size * 0.4, y - size * 0.4, x + size * 0.4, y + size * 0.4, TAKEN)
    return best
