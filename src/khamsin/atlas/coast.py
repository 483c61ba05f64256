"""The coastline and the countries: `python -m khamsin.atlas.coast FOLDER` cuts them from the package world-atlas.

FOLDER holds `land-10m.json` and `countries-10m.json` (Natural Earth 1:10m as TopoJSON, public domain). What the drawing
needs of them is written to `coast.json`: rings of [longitude, latitude] for the land, and for each country whose name a
map may carry, cut to the region of the five boards.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FILE = Path(__file__).parent / "coast.json"
REGION = (5.0, 27.0, 34.0, 39.0)
"""West, south, east, north."""

COUNTRIES = ("Algeria", "Egypt", "Libya", "Tunisia")
SOURCE = "Natural Earth 1:10m land and countries, from the npm package world-atlas 2.0.2"
LICENCE = "public domain (Natural Earth); world-atlas: ISC"
Ring = NDArray[np.float64]


@cache
def _data() -> dict[str, Any]:
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


@cache
def land() -> tuple[Ring, ...]:
    """Return the rings of the land, lakes and outlines alike: a point is land if it is in an odd number of rings."""
    return tuple(np.array(ring, dtype=float) for ring in _data()["land"])


@cache
def country(name: str) -> tuple[Ring, ...]:
    """Return the rings of a country."""
    return tuple(np.array(ring, dtype=float) for ring in _data()["countries"][name])


def main(folder: Path) -> None:
    """Write `coast.json`."""
    shore = _decode(folder / "land-10m.json", "land")
    nations = _decode(folder / "countries-10m.json", "countries")
    data = {
        "source": SOURCE,
        "licence": LICENCE,
        "region": REGION,
        "countries": {name: _cut(nations[name], 0.02) for name in COUNTRIES},
        "land": _cut([ring for rings in shore.values() for ring in rings], 0.001),
    }
    FILE.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")


def _decode(file: Path, key: str) -> dict[str, list[Ring]]:
    """Return the polygons of a TopoJSON object as rings, by name."""
    topology = json.loads(file.read_text(encoding="utf-8"))
    scale, translate = np.array(topology["transform"]["scale"]), np.array(topology["transform"]["translate"])
    arcs = [np.cumsum(np.array(arc), axis=0) * scale + translate for arc in topology["arcs"]]

    def ring(indices: list[int]) -> Ring:
        parts = [arcs[i] if i >= 0 else arcs[~i][::-1] for i in indices]
        return np.concatenate([parts[0], *(part[1:] for part in parts[1:])])

    shapes: dict[str, list[Ring]] = {}
    for geometry in topology["objects"][key]["geometries"]:
        polygons = geometry["arcs"] if geometry["type"] == "MultiPolygon" else [geometry["arcs"]]
        name = geometry.get("properties", {}).get("name", "")
        shapes.setdefault(name, []).extend(ring(part) for polygon in polygons for part in polygon)
    return shapes


def _cut(rings: list[Ring], tolerance: float) -> list[list[list[float]]]:
    from shapely.geometry import Polygon, box

    region = box(*REGION)
    kept: list[list[list[float]]] = []
    for ring in rings:
        west, south = ring.min(axis=0)
        east, north = ring.max(axis=0)
        if east < REGION[0] or west > REGION[2] or north < REGION[1] or south > REGION[3]:
            continue
        shape = Polygon(ring).buffer(0).intersection(region).simplify(tolerance)
        for part in getattr(shape, "geoms", [shape]):
            if part.area > 1e-5:
                kept += [[[round(x, 4), round(y, 4)] for x, y in r.coords] for r in (part.exterior, *part.interiors)]
    return kept


if __name__ == "__main__":
    main(Path(sys.argv[1]))
