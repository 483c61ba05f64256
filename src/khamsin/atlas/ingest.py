"""Bring a geographic survey into this project's own form: `python -m khamsin.atlas.ingest FOLDER`.

The survey is a folder of JSON and CSV files, one set for each grid. What the builder needs of it is written to
`geography/GAME/`: the transform (`grid.toml`), each hex's position, share of land, elevation and suggested terrain
(`hexes.csv`), the gazetteer (`places.csv`) and every feature as the hexes or hexsides it touches, one JSON object a line
(`features.jsonl`). Those files are kept with the project; the survey is not.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

from khamsin.kernel.registration import registrations

GEOGRAPHY = Path(__file__).parents[3] / "geography"


def grids() -> dict[str, str]:
    """Return the name of each game's grid in the survey."""
    return {game: stated.grid for game, stated in registrations().items() if stated.grid}


def main(folder: Path) -> None:
    """Read the grid of every game."""
    control = json.loads((folder / "control-points.json").read_text(encoding="utf-8"))
    gazetteer = json.loads((folder / "places.json").read_text(encoding="utf-8"))["places"]
    for game, grid in grids().items():
        target = GEOGRAPHY / game
        target.mkdir(parents=True, exist_ok=True)
        survey = json.loads((folder / f"hexfeatures-{grid}.json").read_text(encoding="utf-8"))
        (target / "grid.toml").write_text(_grid(control["grids"][grid]), encoding="utf-8")
        _hexes(folder / f"hexes-{grid}.csv", survey, target / "hexes.csv")
        _places(gazetteer, grid, target / "places.csv")
        lines = [json.dumps(feature, ensure_ascii=False) for feature in _features(survey)]
        (target / "features.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _grid(control: dict[str, Any]) -> str:
    projection, correction = control["projection"], control["correction"]
    kind = "lambert" if projection["type"].startswith("Lambert") else "equirectangular"
    lines = [
        f'projection = "{kind}"',
        f"lat0 = {projection['lat0']}",
        f"lon0 = {projection['lon0']}",
        f"km_per_hex = {control['similarity']['km_per_hex']}",
        f"similarity = {control['similarity']['matrix']}",
        f"length = {correction['length_hex']}",
        f"centres = {correction['centres']}",
        f"weights = {correction['weights']}",
    ]
    if control["piecewise"]:
        lines.append(f"stretch = [{control['piecewise']['knot']}, {control['piecewise']['factor']}]")
    return "\n".join(lines) + "\n"


def _hexes(file: Path, survey: dict[str, Any], target: Path) -> None:
    with file.open(encoding="utf-8") as source, target.open("w", encoding="utf-8", newline="") as sink:
        writer = csv.writer(sink, lineterminator="\n")
        writer.writerow(("hex", "lat", "lon", "land", "elevation", "suggested"))
        for row in csv.DictReader(source):
            terrain = survey.get("terrain", {}).get(row["hex"], "")
            writer.writerow(
                (row["hex"], row["lat"], row["lon"], row["land_fraction"], row["elev_m_coarse"] or 0, terrain)
            )


def _places(gazetteer: list[dict[str, Any]], grid: str, target: Path) -> None:
    with target.open("w", encoding="utf-8", newline="") as sink:
        writer = csv.writer(sink, lineterminator="\n")
        writer.writerow(("name", "hex", "rulebook", "kind", "lat", "lon", "precision"))
        for place in gazetteer:
            here = place["hexes"].get(grid)
            if here:
                stated = here.get("rulebook", "")
                writer.writerow(
                    (place["name"], here["hex"], stated, place["kind"], place["lat"], place["lon"], place["precision"])
                )


def _features(survey: dict[str, Any]) -> list[dict[str, Any]]:
    features: list[dict[str, Any]] = []
    for group, key in (("lines", "chains"), ("hexsides", "hexsides"), ("areas", "hexes"), ("points", "hex")):
        for item in survey.get(group, ()):
            rest = {k: v for k, v in item.items() if k not in ("name", "kind", key)}
            features.append({"kind": item["kind"], "name": item["name"], **rest, key: item[key]})
    for hex, item in survey.get("settlements", {}).items():
        features.append({"kind": item["kind"], "name": item["name"], "hex": hex})
    for kind in ("bridges", "fords", "fords_suggested"):
        if kind in survey:
            features.append({"kind": kind, "name": "", "hexsides": survey[kind]})
    if "woods" in survey:
        features.append({"kind": "wooded", "name": "", "hexes": dict.fromkeys(survey["woods"], 1.0)})
    for item in survey.get("overrides", ()):
        features.append({"kind": "override", "name": item["why"], "hex": item["hex"], "terrain": item["now"]})
    return features


if __name__ == "__main__":
    main(Path(sys.argv[1]))
