"""The position of a board on the earth: latitude and longitude to the hex plane and back.

The plane is that of `Scheme.centre`: x east, y north, neighbouring hex centres one apart. A point goes through a map
projection to kilometres, a similarity to hexes, a stretch where the printed map was squeezed, and a smooth correction
that brings the places a rulebook names into their hexes. The figures stand in the `[geo]` table of `board.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

EARTH_KM = 6371.0
Points = NDArray[np.float64]


class Grid:
    """The transform of one board, working on arrays of points.

    >>> from khamsin.kernel.board import Board
    >>> grid = Grid(Board.load("paa").meta["geo"])
    >>> x, y = grid.plane([32.083], [23.9886])
    >>> round(float(x[0]), 1), round(float(y[0]), 1)
    (25.0, 16.5)
    >>> lat, lon = grid.earth(x, y)
    >>> round(float(lat[0]), 3), round(float(lon[0]), 3)
    (32.083, 23.989)
    """

    def __init__(self, geo: Mapping[str, Any]) -> None:
        self.conic = geo["projection"] == "lambert"
        self.lat0, self.lon0 = np.radians(geo["lat0"]), np.radians(geo["lon0"])
        self.matrix = np.array(geo["similarity"], dtype=float)
        self.knot, self.factor = geo.get("stretch", (1e9, 1.0))
        self.length = float(geo["length"])
        self.centres = np.array(geo["centres"], dtype=float)
        self.weights = np.array(geo["weights"], dtype=float)
        self.km_per_hex = float(geo["km_per_hex"])
        self._n = np.sin(self.lat0)
        self._f = np.cos(self.lat0) * np.tan(np.pi / 4 + self.lat0 / 2) ** self._n / self._n

    def plane(self, lat: ArrayLike, lon: ArrayLike) -> tuple[Points, Points]:
        """Points of the plane for latitudes and longitudes in degrees."""
        phi, lam = np.radians(np.asarray(lat, float)), np.radians(np.asarray(lon, float))
        if self.conic:
            rho, rho0 = self._rho(phi), self._rho(self.lat0)
            theta = self._n * (lam - self.lon0)
            east, north = rho * np.sin(theta), rho0 - rho * np.cos(theta)
        else:
            east, north = EARTH_KM * np.cos(self.lat0) * (lam - self.lon0), EARTH_KM * (phi - self.lat0)
        (a, b, c), (d, e, f) = self.matrix
        u, v = a * east + b * north + c, d * east + e * north + f
        u = np.where(u > self.knot, self.knot + self.factor * (u - self.knot), u)
        dx, dy = self._correction(u, v)
        return u + dx, v + dy

    def earth(self, x: ArrayLike, y: ArrayLike) -> tuple[Points, Points]:
        """Latitudes and longitudes in degrees for points of the plane."""
        x, y = np.asarray(x, float), np.asarray(y, float)
        u, v = x, y
        for _ in range(20):
            dx, dy = self._correction(u, v)
            u, v = x - dx, y - dy
        u = np.where(u > self.knot, self.knot + (u - self.knot) / self.factor, u)
        east, north = np.linalg.inv(self.matrix[:, :2]) @ np.stack(
            [(u - self.matrix[0, 2]).ravel(), (v - self.matrix[1, 2]).ravel()]
        )
        east, north = east.reshape(x.shape), north.reshape(x.shape)
        if self.conic:
            rho0 = self._rho(self.lat0)
            rho, theta = np.hypot(east, rho0 - north), np.arctan2(east, rho0 - north)
            phi = 2 * np.arctan((EARTH_KM * self._f / rho) ** (1 / self._n)) - np.pi / 2
            lam = self.lon0 + theta / self._n
        else:
            phi, lam = self.lat0 + north / EARTH_KM, self.lon0 + east / (EARTH_KM * np.cos(self.lat0))
        return np.degrees(phi), np.degrees(lam)

    def _rho(self, phi: ArrayLike) -> Points:
        return np.asarray(EARTH_KM * self._f / np.tan(np.pi / 4 + np.asarray(phi) / 2) ** self._n)

    def _correction(self, u: Points, v: Points) -> tuple[Points, Points]:
        squared = (u[..., None] - self.centres[:, 0]) ** 2 + (v[..., None] - self.centres[:, 1]) ** 2
        pull = np.exp(-squared / (2 * self.length**2)) @ self.weights
        return pull[..., 0], pull[..., 1]
