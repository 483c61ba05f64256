"""The border of land and water on a board: the true coast, changed where the board differs.

A hex shows at its centre what it is. Where the coast leaves a land hex nearly all water, or a sea hex nearly all land,
the shore is moved, smoothly, until the picture agrees with the board; everywhere else it is the coast as it runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from khamsin.atlas import coast, style
from khamsin.atlas.grid import Grid
from khamsin.kernel.board import Board

Points = NDArray[np.float64]

SAMPLES = 16
"""Samples per hex, along each axis, at which the shore is traced."""

BEYOND = 1.0
"""How far past the edge of the map the shore is traced, in hexes, so that no shore runs along the edge."""

MARGIN = 0.35
"""How far the ground runs on past the outermost hexes, in hexes."""


@dataclass(frozen=True)
class Window:
    """The part of the hex plane that a map shows."""

    west: float
    south: float
    east: float
    north: float

    @classmethod
    def of(cls, board: Board) -> Window:
        """Return the hexes of a board and a margin around them."""
        centres = np.array([board.scheme.centre(axial) for axial in board.axial])
        reach = np.abs(np.array(board.scheme.corners())).max(axis=0) + MARGIN
        (west, south), (east, north) = centres.min(axis=0) - reach, centres.max(axis=0) + reach
        return cls(float(west), float(south), float(east), float(north))

    @property
    def width(self) -> float:
        """In hexes."""
        return self.east - self.west

    @property
    def height(self) -> float:
        """In hexes."""
        return self.north - self.south


def water(board: Board, hex: int) -> bool:
    """Whether a hex is drawn as water."""
    return bool(style.look("terrain", board.terrain_name(hex)).get("water"))


class Land:
    """The land of a board as a field over the plane: more than a half is land."""

    def __init__(self, board: Board, window: Window) -> None:
        self.board = board
        self.west, self.south = window.west - BEYOND, window.south - BEYOND
        columns = round((window.width + 2 * BEYOND) * SAMPLES)
        rows = round((window.height + 2 * BEYOND) * SAMPLES)
        grid = Grid(board.meta["geo"])
        with np.errstate(invalid="ignore"):
            rings = [np.stack(grid.plane(ring[:, 1], ring[:, 0]), axis=1) for ring in coast.land()]
        self.true = self._coverage(rings, rows, columns)
        self.field = self._agree()

    def _coverage(self, rings: Iterable[Points], rows: int, columns: int) -> Points:
        origin = np.array([self.west, self.south])
        fine = fill([(ring - origin) * SAMPLES * 2 for ring in rings], rows * 2, columns * 2).astype(np.float64)
        coarse = fine.reshape(rows, 2, columns, 2).mean(axis=(1, 3))
        return soften(coarse)

    def _agree(self) -> Points:
        """Return the true coverage, blended into the board's own land and water around hexes that differ."""
        centres = np.array([self.board.scheme.centre(axial) for axial in self.board.axial])
        wet = np.array([water(self.board, hex) for hex in self.board])
        middle = self._sample(blur(self.true, round(0.3 * SAMPLES), passes=1), centres)
        point = self._sample(self.true, centres)
        wrong = np.nonzero(np.where(wet, np.maximum(middle, point) > 0.5, np.minimum(middle, point) < 0.5))[0]
        if not len(wrong):
            return self.true
        board, weight = self.true.copy(), np.zeros_like(self.true)
        for hex in wrong:
            self._paint(weight, centres[hex], 1.0, 0.9)
            for other in (int(hex), *self.board.around(int(hex))):
                for third in (other, *self.board.around(other)):
                    self._paint(board, centres[third], 0.0 if wet[third] else 1.0, 0.54)
        board = blur(board, round(0.26 * SAMPLES))
        weight = blur(weight, round(0.22 * SAMPLES))
        field = self.true * (1 - weight) + board * weight
        shown = self._sample(field, centres)
        for hex in np.nonzero(np.where(wet, shown > 0.4, shown < 0.6))[0]:
            self._insist(field, centres[hex], bool(wet[hex]))
        return np.asarray(field)

    def _insist(self, field: Points, centre: Points, wet: bool) -> None:
        """Raise or lower the field around the centre of a hex that still shows the wrong one there."""
        rows, columns, squared = self._disc(centre, 0.55)
        area = field[rows, columns]
        short = float(self._sample(field, centre)) - 0.35 if wet else 0.65 - float(self._sample(field, centre))
        if short > 0:
            area += (-short if wet else short) * np.clip(1 - squared / 0.55**2, 0, 1) ** 2

    def _paint(self, field: Points, centre: Points, value: float, radius: float) -> None:
        """Set the samples of a disc."""
        rows, columns, squared = self._disc(centre, radius)
        field[rows, columns][squared <= radius**2] = value

    def _disc(self, centre: Points, radius: float) -> tuple[slice, slice, Points]:
        """Return the box of samples around a disc, and their squared distances from its centre."""
        reach = int(radius * SAMPLES) + 1
        i, j = int((centre[1] - self.south) * SAMPLES), int((centre[0] - self.west) * SAMPLES)
        rows, columns = np.arange(i - reach, i + reach + 1), np.arange(j - reach, j + reach + 1)
        dy = (rows + 0.5) / SAMPLES + self.south - centre[1]
        dx = (columns + 0.5) / SAMPLES + self.west - centre[0]
        squared = dx[None, :] ** 2 + dy[:, None] ** 2
        return slice(i - reach, i + reach + 1), slice(j - reach, j + reach + 1), squared

    def at(self, points: Points) -> Points:
        """Return the field at points of the plane, for any shape of array whose last axis is (x, y)."""
        return self._sample(self.field, points)

    def _sample(self, field: Points, points: Points) -> Points:
        i = np.clip(((points[..., 1] - self.south) * SAMPLES).astype(int), 0, field.shape[0] - 1)
        j = np.clip(((points[..., 0] - self.west) * SAMPLES).astype(int), 0, field.shape[1] - 1)
        return np.asarray(field[i, j])

    @cached_property
    def shores(self) -> list[Points]:
        """The outlines of the land as closed rings in the plane."""
        padded = np.pad(self.field - 0.5, 1, constant_values=-0.5)
        rings = [ring for ring in trace(padded) if len(ring) > 8]
        origin = np.array([self.west, self.south])
        return [thin((ring[:, ::-1] - 0.5) / SAMPLES + origin, 0.006) for ring in rings]


def fill(rings: Iterable[Points], rows: int, columns: int) -> NDArray[np.bool_]:
    """Return which cells are in an odd number of rings (x, y in cells)."""
    flips = np.zeros((rows, columns + 1), dtype=np.int32)
    for ring in rings:
        a, b = ring, np.roll(ring, -1, axis=0)
        low, high = np.where((a[:, 1] <= b[:, 1])[:, None], a, b), np.where((a[:, 1] <= b[:, 1])[:, None], b, a)
        first = np.clip(np.ceil(low[:, 1] - 0.5), 0, rows).astype(int)
        last = np.clip(np.ceil(high[:, 1] - 0.5), 0, rows).astype(int)
        counts = last - first
        which = np.repeat(np.arange(len(ring)), counts)
        row = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts) + first[which]
        share = (row + 0.5 - low[which, 1]) / (high[which, 1] - low[which, 1])
        x = low[which, 0] + share * (high[which, 0] - low[which, 0])
        np.add.at(flips, (row, np.clip(np.ceil(x - 0.5), 0, columns).astype(int)), 1)
    return np.asarray(np.cumsum(flips[:, :-1], axis=1) % 2 == 1)


def soften(field: Points) -> Points:
    """Return a small blur, to trace a line through."""
    padded = np.pad(field, 1, mode="edge")
    rows = (padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4
    return np.asarray((rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]) / 4)


def blur(field: Points, reach: int, passes: int = 3) -> Points:
    """Return a wide blur: the mean over a box, repeated."""
    for _ in range(passes):
        for axis in (0, 1):
            padded = np.pad(field, [(reach + 1, reach) if a == axis else (0, 0) for a in (0, 1)], mode="edge")
            sums = np.cumsum(padded, axis=axis)
            size = 2 * reach + 1
            field = (sums[size:] - sums[:-size] if axis == 0 else sums[:, size:] - sums[:, :-size]) / size
    return field


def trace(field: Points) -> list[Points]:
    """Return the rings along which a field passes through zero, as (row, column); the field is negative at its edge."""
    inside = field > 0
    corners = inside[:-1, :-1] * 1 + inside[:-1, 1:] * 2 + inside[1:, 1:] * 4 + inside[1:, :-1] * 8
    # For each of the 16 cases the sides a stroke joins, land to its left: 0 top, 1 right, 2 bottom, 3 left.
    joins = {
        1: [(0, 3)], 2: [(1, 0)], 3: [(1, 3)], 4: [(2, 1)], 5: [(0, 3), (2, 1)], 6: [(2, 0)], 7: [(2, 3)],
        8: [(3, 2)], 9: [(0, 2)], 10: [(1, 0), (3, 2)], 11: [(1, 2)], 12: [(3, 1)], 13: [(0, 1)], 14: [(3, 0)],
    }  # fmt: skip
    follow: dict[tuple[int, int, int], tuple[int, int, int]] = {}

    def side(i: int, j: int, which: int) -> tuple[int, int, int]:
        return ((i, j, 0), (i, j + 1, 1), (i + 1, j, 0), (i, j, 1))[which]

    for i, j in zip(*np.nonzero((corners > 0) & (corners < 15)), strict=True):
        for start, end in joins[int(corners[i, j])]:
            follow[side(int(i), int(j), start)] = side(int(i), int(j), end)

    def point(key: tuple[int, int, int]) -> tuple[float, float]:
        i, j, upright = key
        if upright:
            share = field[i, j] / (field[i, j] - field[i + 1, j])
            return (i + share, j)
        share = field[i, j] / (field[i, j] - field[i, j + 1])
        return (i, j + share)

    rings = []
    while follow:
        first, here = follow.popitem()
        ring = [point(first)]
        while here != first:
            ring.append(point(here))
            here = follow.pop(here)
        rings.append(np.array(ring))
    return rings


def thin(ring: Points, tolerance: float) -> Points:
    """Return a ring without the points on the line between their neighbours."""
    keep = np.zeros(len(ring), dtype=bool)
    keep[[0, len(ring) // 2]] = True
    spans = [(0, len(ring) // 2), (len(ring) // 2, len(ring))]
    closed = np.vstack([ring, ring[:1]])
    while spans:
        a, b = spans.pop()
        if b - a < 2:
            continue
        chord, legs = closed[b] - closed[a], closed[a + 1 : b] - closed[a]
        length = float(np.hypot(*chord))
        away = np.abs(legs[:, 0] * chord[1] - legs[:, 1] * chord[0]) / length if length > 0 else np.hypot(*legs.T)
        worst = int(np.argmax(away))
        if away[worst] > tolerance:
            middle = a + 1 + worst
            keep[middle] = True
            spans += [(a, middle), (middle, b)]
    return np.asarray(ring[keep])
