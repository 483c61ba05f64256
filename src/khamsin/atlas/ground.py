"""Raw material for the relief: heights and outlines of high ground, kept in `geography/`.

`python -m khamsin.atlas.ground FEATURES ALTITUDE` makes both files: `outlines.jsonl` from a GeoJSON of features (one
feature a line: kind, name, confidence, region, coordinates) and `elevation.csv` from the altitude grid of the package
pvlib (`Altitude.h5`, five minutes of arc, steps of 28 m), cut to the region of the boards. It needs h5py; nothing else
does.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from khamsin.atlas.coast import REGION
from khamsin.atlas.ingest import GEOGRAPHY, grids

OUTLINES = GEOGRAPHY / "outlines.jsonl"
ELEVATION = GEOGRAPHY / "elevation.csv"
KINDS = (
    "mountain", "hills", "low-hills", "rough", "woods-hills", "broken", "ridge", "escarpment", "depression", "sand",
    "salt-marsh", "marsh",
)  # fmt: skip
Points = NDArray[np.float64]


def outlines(*kinds: str) -> list[dict[str, Any]]:
    """Return the outlines of these kinds; `line` holds open lines, `rings` closed ones, both as [longitude, latitude]."""
    features = [json.loads(line) for line in OUTLINES.read_text(encoding="utf-8").splitlines()]
    return [feature for feature in features if feature["kind"] in kinds]


def coarse() -> tuple[Points, float, float, float]:
    """Heights on a grid from the north-west, with its northern and western edge and its step in degrees."""
    lines = [line for line in ELEVATION.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    north, west, step = (float(field) for field in lines[0].split(",")[1::2])
    return np.array([[int(field) for field in line.split(",")] for line in lines[1:]], dtype=float), north, west, step


def heights(game: str) -> Points:
    """Latitude, longitude and height of every hex of a game's survey."""
    with (GEOGRAPHY / game / "hexes.csv").open(encoding="utf-8") as file:
        return np.array([[float(row[k]) for k in ("lat", "lon", "elevation")] for row in csv.DictReader(file)])


def main(features: Path, altitude: Path) -> None:
    """Write both files."""
    collection = json.loads(features.read_text(encoding="utf-8"))["features"]
    lines = [_feature(feature) for feature in collection if feature["properties"]["kind"] in KINDS]
    OUTLINES.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n", encoding="utf-8")
    _elevation(altitude)


def _feature(feature: dict[str, Any]) -> dict[str, Any]:
    properties, geometry = feature["properties"], feature["geometry"]
    kept = {k: properties[k] for k in ("kind", "name", "confidence", "region", "low_side") if properties.get(k)}
    if properties.get("grid"):
        kept["grid"] = next((game for game, grid in grids().items() if grid == properties["grid"]), properties["grid"])
    if geometry["type"] == "LineString":
        return {**kept, "line": _round(geometry["coordinates"])}
    polygons = geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]
    return {**kept, "rings": [_round(ring) for polygon in polygons for ring in polygon]}


def _round(points: list[list[float]]) -> list[list[float]]:
    return [[round(x, 3), round(y, 3)] for x, y in points]


def _elevation(altitude: Path) -> None:
    import h5py

    west, south, east, north = REGION
    step = 1 / 12
    with h5py.File(altitude) as file:
        rows = slice(round((90 - north) / step), round((90 - south) / step))
        columns = slice(round((west + 180) / step), round((east + 180) / step))
        cells = np.array(file["Altitude"][rows, columns]).astype(int)
    metres = np.where(cells == 255, 0, cells * 28 - 450)
    with ELEVATION.open("w", encoding="utf-8", newline="") as sink:
        sink.write(
            "# Heights in metres, cell centres from the north-west, rows southward; 0 where there is no value.\n"
        )
        sink.write("# Source: altitude grid of pvlib (BSD), from Mapzen terrain tiles (SRTM, GMTED2010, ETOPO1).\n")
        writer = csv.writer(sink, lineterminator="\n")
        writer.writerow(("north", north, "west", west, "step", step))
        writer.writerows(metres.tolist())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
