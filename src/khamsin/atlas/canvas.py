"""What all layers of a drawing share: the board, its window of the hex plane, the land, and the free space for names."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from khamsin.atlas import frame, labels, style
from khamsin.atlas.grid import Grid
from khamsin.atlas.land import Land, Window, water
from khamsin.kernel.board import Board

Points = NDArray[np.float64]

SCALE = 60.0
"""Pixels per hex."""


class Canvas:
    """One drawing in progress."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.window = Window.of(board)
        self.grid = Grid(board.meta["geo"])
        self.land = Land(board, self.window)
        self.paper: style.Entry = style.table()["paper"]
        self.width, self.height = self.window.width * SCALE, self.window.height * SCALE
        self.border = frame.BORDER * frame.unit(self.window, SCALE)
        self.room = labels.Room(self.width, self.height, self.border)

    def px(self, points: Points) -> Points:
        """Points of the hex plane as pixels of the sheet."""
        shifted = np.asarray(points) * (1, -1) + (-self.window.west, self.window.north)
        return np.asarray(shifted * SCALE + self.border)

    @cached_property
    def centres(self) -> Points:
        """Hex centres in the hex plane."""
        return np.array([self.board.scheme.centre(axial) for axial in self.board.axial])

    @cached_property
    def corners(self) -> Points:
        """The six corners around a centre, in the hex plane."""
        return np.array(self.board.scheme.corners())

    @cached_property
    def wet(self) -> NDArray[np.bool_]:
        """Which hexes are drawn as water."""
        return np.array([water(self.board, hex) for hex in self.board])

    @cached_property
    def stands(self) -> dict[int, Points]:
        """Return the point of a hex where its town is and its roads meet: near the centre, on dry land; in the hex
        plane."""
        turns = np.linspace(0, 2 * np.pi, 16, endpoint=False)
        around = np.stack([np.cos(turns), np.sin(turns)], axis=1)
        footprint = np.vstack([[(0.0, 0.0)], around[::2] * 0.11])
        tries = np.vstack([[(0.0, 0.0)], *(around * reach for reach in (0.06, 0.12, 0.18, 0.24, 0.3))])
        spots = self.centres + np.random.default_rng(1941).normal(0, 0.035, self.centres.shape)
        dry = self.land.at(spots[:, None] + footprint[None]).min(axis=1) > 0.55
        for hex in np.nonzero(~dry & ~self.wet)[0]:
            options = spots[hex] + tries
            fits = self.land.at(options[:, None] + footprint[None]).min(axis=1) > 0.55
            spots[hex] = options[int(np.argmax(fits))]
        return dict(enumerate(spots))
