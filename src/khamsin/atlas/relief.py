"""Shaded relief under a map: `python -m khamsin.atlas.relief [GAME ...]` writes `relief.jpg` next to the board.

Large forms are real: heights of the surveys' hexes (3 km apart around Kasserine, 8 km in Tunisia, 9 km elsewhere) and
the outlines of mountains, hills, ridges and escarpments. What is finer than the data is decoration: noise along the
grain of the country, carved by running water until it looks like ground. The picture is neutral grey, level ground at
`LEVEL`, to be multiplied over the map's colours; a comment in the file says which part of the hex plane it covers.
"""

from __future__ import annotations

import heapq
import io
import sys
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from scipy import ndimage
from scipy.interpolate import CloughTocher2DInterpolator

from khamsin.atlas import ground
from khamsin.atlas.grid import Grid
from khamsin.atlas.land import SAMPLES, Land, Window
from khamsin.kernel.board import Board, folder_of
from khamsin.kernel.registration import schemes

Raster = NDArray[np.float64]

BYTES = 235_000
"""Most bytes of a picture."""

PIXELS = 2.6e6
"""About how many pixels a picture has."""

LEVEL = 0.92
"""Grey of level ground."""

SURVEYS = (("tunisia", 7.9), ("kasserine", 3.15))
"""Surveys whose heights are finer than the coarse grid, coarse to fine, with the distance between their points in km."""

RISE = {"mountain": (260.0, 2.4), "hills": (130.0, 1.6), "low-hills": (70.0, 1.8), "rough": (70.0, 1.5),
        "woods-hills": (160.0, 6.0), "broken": (60.0, 6.0), "ridge": (45.0, 1.2)}  # fmt: skip
"""How high ground of a kind rises above its rim, in metres, and within how many km of it."""

SCARP, FOOT = 70.0, 7.0
"""Height of an escarpment in metres, and how far its slopes are felt in km."""

ATLAS = 12.0
"""Longitude west of which the country is folded along a grain from south-west to north-east."""

GENTLE = 0.027
"""Slope below which a country's steepest ground is not shaded as if it were steep."""

COMPASS = {"north": 90, "north-east": 45, "east": 0, "south-east": -45,
           "south": -90, "south-west": -135, "west": 180, "north-west": 135}  # fmt: skip


class Country:
    """The ground of one board as rasters over its window."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.window = Window.of(board)
        self.grid = Grid(board.meta["geo"])
        self.per_hex = (PIXELS / (self.window.width * self.window.height)) ** 0.5
        self.shape = (round(self.window.height * self.per_hex), round(self.window.width * self.per_hex))
        self.km = self.grid.km_per_hex / self.per_hex
        self.lat, self.lon = self._earth()
        self.dice = np.random.default_rng(1942)

    def _earth(self) -> tuple[Raster, Raster]:
        """Latitude and longitude of every pixel, exact on a lattice and interpolated between."""
        rows, columns = (np.linspace(0.5, n - 0.5, n // 12) for n in self.shape)
        x = self.window.west + columns / self.per_hex
        y = self.window.north - rows / self.per_hex
        with np.errstate(invalid="ignore"):
            lat, lon = self.grid.earth(*np.meshgrid(x, y))
        return self._stretch(lat), self._stretch(lon)

    def _stretch(self, lattice: Raster) -> Raster:
        axes = (np.linspace(0, m - 1, n) for m, n in zip(lattice.shape, self.shape, strict=True))
        at = np.meshgrid(*axes, indexing="ij")
        return np.asarray(ndimage.map_coordinates(lattice, at, order=1))

    def pixels(self, points: list[list[float]]) -> list[tuple[float, float]]:
        """Columns and rows of [longitude, latitude]."""
        lonlat = np.array(points)
        with np.errstate(invalid="ignore"):
            x, y = self.grid.plane(lonlat[:, 1], lonlat[:, 0])
        columns, rows = (x - self.window.west) * self.per_hex, (self.window.north - y) * self.per_hex
        return list(zip(columns.tolist(), rows.tolist(), strict=True))

    def inside(self, features: list[dict[str, Any]]) -> NDArray[np.bool_]:
        """Return the pixels inside closed outlines."""
        picture = Image.new("1", self.shape[::-1])
        pen = ImageDraw.Draw(picture)
        for feature in features:
            for ring in feature.get("rings", ()):
                pen.polygon(self.pixels(ring), fill=1)
        return np.array(picture)

    def on(self, feature: dict[str, Any], width: int = 1) -> NDArray[np.bool_]:
        """Return the pixels of an open line."""
        picture = Image.new("1", self.shape[::-1])
        ImageDraw.Draw(picture).line(self.pixels(feature["line"]), fill=1, width=width)
        return np.array(picture)

    def features(self, *kinds: str) -> list[dict[str, Any]]:
        """Outlines for this board: those of the country at large and those drawn for this grid or a finer one."""
        finer = [game for game, spacing in SURVEYS if spacing <= self.grid.km_per_hex * 1.1]
        return [f for f in ground.outlines(*kinds) if f.get("grid") in (None, *finer)]

    def heights(self) -> Raster:
        """Heights as the data have them: coarse everywhere, finer where a survey was finer."""
        cells, north, west, step = ground.coarse()
        smooth = ndimage.gaussian_filter(cells, 0.7)
        at = np.stack([(north - self.lat) / step - 0.5, (self.lon - west) / step - 0.5])
        height = ndimage.map_coordinates(smooth, at, order=3, mode="nearest")
        for game, spacing in SURVEYS:
            points = ground.heights(game)
            cos = np.cos(np.radians(points[:, 0].mean()))
            surface = CloughTocher2DInterpolator(points[:, :2] * (1, cos), points[:, 2])
            fine = surface(self.lat[::3, ::3], self.lon[::3, ::3] * cos)
            known = ~np.isnan(fine)
            if not known.any():
                continue
            inward = ndimage.distance_transform_edt(np.pad(known, 1, mode="edge"))[1:-1, 1:-1] * 3 * self.km
            feather = np.clip(inward / (2.5 * spacing), 0, 1)
            weight = self._stretch(feather * feather * (3 - 2 * feather))
            height = height * (1 - weight) + self._stretch(np.where(known, fine, 0)) * weight
        return np.asarray(height)

    def forms(self) -> tuple[Raster, Raster]:
        """Return what the outlines add to the heights, in metres, and how rugged the ground is, from 0 to 1."""
        added, rugged = np.zeros(self.shape), np.zeros(self.shape)
        for kind, (rise, reach) in RISE.items():
            features = self.features(kind)
            mask = self.inside(features)
            for feature in features:
                if "line" in feature:
                    mask |= self.on(feature, max(1, round(1.2 / self.km)))
            if not mask.any():
                continue
            depth = np.minimum(ndimage.distance_transform_edt(mask) * self.km / reach, 1)
            form = rise * depth**0.7
            rough = np.where(mask, min(1.0, 0.25 + rise / 260), 0)
            if all("grid" not in feature for feature in features):
                form, rough = ndimage.gaussian_filter(form * 0.35, 3 / self.km), rough * 0.6
            added, rugged = np.maximum(added, form), np.maximum(rugged, rough)
        for feature in self.features("escarpment"):
            if "line" in feature and feature.get("low_side") in COMPASS:
                added += self._scarp(feature)
        return ndimage.gaussian_filter(added, 0.35), ndimage.gaussian_filter(rugged, 1.0 / self.km)

    def _scarp(self, feature: dict[str, Any]) -> Raster:
        line = self.on(feature)
        if not line.any():
            return np.zeros(self.shape)
        away, nearest = ndimage.distance_transform_edt(~line, return_indices=True)
        rows, columns = np.indices(self.shape)
        angle = np.radians(COMPASS[feature["low_side"]])
        facing = (columns - nearest[1]) * np.cos(angle) - (rows - nearest[0]) * np.sin(angle)
        signed = np.sign(facing) * away * self.km
        ends = np.array([self.pixels(feature["line"])[k] for k in (0, -1)])
        to_end = np.min([np.hypot(columns - x, rows - y) for x, y in ends], axis=0) * self.km
        fade = np.exp(-np.abs(signed) / FOOT) * (1 - np.exp(-to_end / 5))
        return np.asarray(-SCARP / 2 * np.tanh(signed / 1.3) * fade)

    def noise(self, longest: float, shortest: float, grain: float = 0.0, stretch: float = 1.0) -> Raster:
        """Noise of wavelengths (km) in a band, with unit spread; the grain's bearing from east in degrees."""
        white = np.fft.rfft2(self.dice.standard_normal(self.shape))
        rows, columns = self.shape
        ky, kx = np.meshgrid(np.fft.fftfreq(rows, self.km), np.fft.rfftfreq(columns, self.km), indexing="ij")
        angle = np.radians(grain)
        along, athwart = kx * np.cos(angle) - ky * np.sin(angle), kx * np.sin(angle) + ky * np.cos(angle)
        k = np.hypot(along * stretch, athwart)
        k[0, 0] = 1e9
        band = k**-1.9 * np.exp(-((k * shortest) ** 2)) * (1 - np.exp(-((k * longest) ** 2)))
        field = np.fft.irfft2(white * band, s=self.shape)
        return np.asarray(field / field.std())

    def carved(self) -> Raster:
        """Return the finished ground."""
        height = self.heights()
        added, rugged = self.forms()
        slope = np.hypot(*np.gradient(ndimage.gaussian_filter(height, 5 / self.km), self.km * 1000))
        rugged = np.clip(rugged + slope * 12, 0.03, 1)
        least = max(1.2, 3.2 * self.km)
        folded = self.board.geo[:, 1].mean() < ATLAS
        wide = self.noise(16, least, grain=40, stretch=2.2) if folded else self.noise(20, least)
        ridged = 1 - np.abs(wide)
        fine, swell = self.noise(5, 2.2 * self.km), self.noise(60, 4)
        height = height + added + rugged * (55 * ridged + min(22, 7 / self.km) * fine) + 6 * swell
        sand = ndimage.gaussian_filter(self.inside(self.features("sand")).astype(float), 4 / self.km)
        height = height + sand * 14 * (1 - np.abs(self.noise(9, 2.5 * self.km, grain=105, stretch=5)))
        flat = self.inside(self.features("salt-marsh", "marsh"))
        calm = ndimage.gaussian_filter(flat.astype(float), 1.0 / self.km)
        height = height * (1 - calm) + ndimage.gaussian_filter(height, 8 / self.km) * calm
        sea = self.sea()
        height = np.where(sea, 0, np.maximum(height, -140))
        return np.asarray(erode(height, sea, rugged))

    def sea(self) -> NDArray[np.bool_]:
        """Return the pixels that the map draws as water."""
        land = Land(self.board, self.window)
        y = (self.window.north - land.south) * SAMPLES - np.arange(self.shape[0]) / self.per_hex * SAMPLES
        x = (self.window.west - land.west) * SAMPLES + np.arange(self.shape[1]) / self.per_hex * SAMPLES
        at = np.meshgrid(y, x, indexing="ij")
        return np.asarray(ndimage.map_coordinates(land.field, at, order=1) < 0.5)


def erode(height: Raster, sea: NDArray[np.bool_], soft: Raster, rounds: int = 14) -> Raster:
    """Erode the ground: valleys by the stream-power law, slumping slopes between them."""
    ground_now = height.copy()
    base = sea.copy()
    base[0, :] = base[-1, :] = base[:, 0] = base[:, -1] = True
    for _ in range(rounds):
        filled = _flood(ground_now, base)
        carved = _incise(filled, base, soft)
        ground_now = np.where(filled > ground_now, ground_now, np.minimum(carved, ground_now))
        ground_now = np.where(base, ground_now, ndimage.gaussian_filter(ground_now, 0.45))
    return ground_now


@numba.njit(cache=False)
def _flood(height: Raster, base: NDArray[np.bool_]) -> Raster:
    """Fill every hollow to its brim, with the least fall, so that all water reaches the edge or the sea."""
    rows, columns = height.shape
    filled = height.copy()
    done = base.copy()
    queue = [(0.0, 0)]
    queue.pop()
    for i in range(rows):
        for j in range(columns):
            if base[i, j]:
                border = i == 0 or j == 0 or i == rows - 1 or j == columns - 1
                for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                    a, b = i + di, j + dj
                    if 0 <= a < rows and 0 <= b < columns and not base[a, b]:
                        border = True
                if border:
                    heapq.heappush(queue, (filled[i, j], i * columns + j))
    while queue:
        level, cell = heapq.heappop(queue)
        i, j = cell // columns, cell % columns
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                a, b = i + di, j + dj
                if 0 <= a < rows and 0 <= b < columns and not done[a, b]:
                    done[a, b] = True
                    filled[a, b] = max(filled[a, b], level + 0.01)
                    heapq.heappush(queue, (filled[a, b], a * columns + b))
    return filled


@numba.njit(cache=False)
def _incise(height: Raster, base: NDArray[np.bool_], soft: Raster) -> Raster:
    """Apply one round of the stream-power law, solved from the mouths up."""
    rows, columns = height.shape
    flat = height.ravel()
    order = np.argsort(flat)
    to = np.arange(flat.size)
    step = np.ones(flat.size)
    area = np.ones(flat.size)
    for cell in range(flat.size):
        i, j = cell // columns, cell % columns
        if base[i, j]:
            continue
        best = 0.0
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                a, b = i + di, j + dj
                if (di or dj) and 0 <= a < rows and 0 <= b < columns:
                    distance = (di * di + dj * dj) ** 0.5
                    fall = (height[i, j] - height[a, b]) / distance
                    if fall > best:
                        best, to[cell], step[cell] = fall, a * columns + b, distance
    for k in range(flat.size - 1, -1, -1):
        cell = order[k]
        if to[cell] != cell:
            area[to[cell]] += area[cell]
    out = flat.copy()
    for k in range(flat.size):
        cell = order[k]
        if to[cell] == cell:
            continue
        power = 0.055 * soft.ravel()[cell] * min(area[cell], 6000.0) ** 0.42 / step[cell]
        out[cell] = (out[cell] + power * out[to[cell]]) / (1 + power)
    return out.reshape(height.shape)


def shade(height: Raster, sea: NDArray[np.bool_], metres: float) -> Raster:
    """Light from the north-west, a little from the north-east, and hollows a little darker than crests."""
    dy, dx = np.gradient(height)
    steep = np.hypot(dx, dy)
    dry = steep[~sea] if (~sea).any() else steep
    scale = 0.85 / max(float(np.percentile(dry, 97)), GENTLE * metres) if dry.size else 1.0
    softness = 1 / (1 + 0.6 * steep * scale)
    gx, gy = dx * scale * softness, dy * scale * softness
    length = np.sqrt(1 + gx**2 + gy**2)
    main = (gx + gy) * 0.5 + 0.7071
    side = (-gx * 0.35 + gy * 0.35) + 0.7071
    light = (0.82 * main + 0.18 * side) / length - 0.7071
    hollow = height - ndimage.gaussian_filter(height, 6)
    hollow = np.clip(hollow / (2.5 * hollow[~sea].std() + 1e-6), -1, 1) if (~sea).any() else hollow * 0
    tone = LEVEL + np.where(light > 0, light * 0.26, light * 0.62) + 0.035 * hollow
    shore = ndimage.gaussian_filter((~sea).astype(float), 1.0)
    return np.asarray(1 + (tone - 1) * shore)


def picture(tones: Raster, comment: str) -> bytes:
    """Return a JPEG of the tones, as good as its size allows."""
    grey = Image.fromarray((np.clip(tones, 0, 1) * 255).round().astype(np.uint8))
    for quality in range(88, 20, -4):
        sink = io.BytesIO()
        grey.save(sink, "JPEG", quality=quality, optimize=True, comment=comment.encode())
        if sink.tell() <= BYTES:
            break
    return sink.getvalue()


def build(game: str) -> None:
    """Write one game's relief."""
    board = Board.load(game)
    country = Country(board)
    window = country.window
    comment = (
        f"window {window.west:.4f} {window.south:.4f} {window.east:.4f} {window.north:.4f}; "
        "source: heights and outlines in geography/ (see NOTICE); forms finer than those are decoration"
    )
    tones = shade(country.carved(), country.sea(), country.km * 1000)
    (folder_of(game) / "relief.jpg").write_bytes(picture(tones, comment))


if __name__ == "__main__":
    for name in sys.argv[1:] or schemes():
        build(name)
