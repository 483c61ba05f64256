"""The builder: makes board files from the geography.

For each game a module of this package says how ground becomes that game's terrain (`paa.draft`, ...). Everything the
rulebook, a set-up or a judgement states about single hexes stands in `geography/GAME/stated.toml`, each entry with its
provenance, and is applied here, after the geography and over it:

```toml
[[hexes]]                  # what these hexes are
hexes = ["1005"]
terrain = "clear"
tags = ["fort"]            # optional, added to those the geography gave
from = "rulebook fig. 7"

[[cut]]                    # take hexside features away again; without kind: all of them
pairs = [["1824", "1925"]]
kind = "escarpment"
from = "reconstructed: ..."

[[sides]]                  # features along or across single hexsides; low = the hex on the low side, where it matters
kind = "escarpment"
pairs = [["1508", "1509"]]
low = ["1508"]
name = "Jebel escarpment"
from = "rulebook fig. 8"

[[chain]]                  # a line from hex to hex
kind = "road"
hexes = ["1826", "1825", "1824", "1724"]
name = "El Adem road"
from = "rulebook fig. 6"

[[place]]                  # a named place: new, or moved, or renamed kind/rank; drop = true takes one off the map
name = "Derna"
hex = "2319"
kind = "town"
rank = 2
from = "reconstructed: ..."

[[area]]                   # a named group of hexes with a meaning in the rules; further keys are kept as its data
name = "El Agheila base"
kind = "base"
hexes = ["0702", "0701"]
from = "rulebook 5.1"

[[box]]                    # a place off the map; further keys are kept as its data
name = "Axis Cadre"
kind = "cadre"
from = "rulebook 2.1.3"
```

Provenance is one of `rulebook SECTION`, `found: SOURCE`, `reconstructed: REASON`. What comes from the geography alone
is `reconstructed: geography (...)`, except that a hex wholly at sea or a place named in a rulebook says so.
"""

from __future__ import annotations

import csv
import importlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from math import hypot
from pathlib import Path
from typing import Any

from khamsin.atlas.ingest import GEOGRAPHY
from khamsin.kernel.board import HEX_COLUMNS, PLACE_COLUMNS, SIDE_COLUMNS, folder_of
from khamsin.kernel.hexes import Scheme
from khamsin.kernel.registration import registrations, schemes

COMPASS = {
    "north": (0, 1), "north-east": (1, 1), "east": (1, 0), "south-east": (1, -1),
    "south": (0, -1), "south-west": (-1, -1), "west": (-1, 0), "north-west": (-1, 1),
}  # fmt: skip


@dataclass(slots=True)
class Ground:
    """The survey's data of one hex."""

    lat: float
    lon: float
    land: float
    elevation: float
    suggested: str


class Survey:
    """The geography of one grid: its hexes, features by kind, and gazetteer."""

    def __init__(self, game: str) -> None:
        folder = GEOGRAPHY / game
        self.game = game
        self.scheme = schemes()[game]
        self.grid: dict[str, Any] = tomllib.loads((folder / "grid.toml").read_text(encoding="utf-8"))
        with (folder / "hexes.csv").open(encoding="utf-8") as file:
            self.hexes = {
                row["hex"]: Ground(
                    float(row["lat"]), float(row["lon"]), float(row["land"]), float(row["elevation"]), row["suggested"]
                )
                for row in csv.DictReader(file)
            }
        with (folder / "places.csv").open(encoding="utf-8") as file:
            self.places = list(csv.DictReader(file))
        text = (folder / "features.jsonl").read_text(encoding="utf-8")
        self.features: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]

    def of(self, *kinds: str) -> list[dict[str, Any]]:
        """Return the features of these kinds."""
        return [feature for feature in self.features if feature["kind"] in kinds]

    def share(self, *kinds: str) -> dict[str, float]:
        """For each hex the share of it that areas of these kinds cover."""
        shares: dict[str, float] = {}
        for feature in self.of(*kinds):
            hexes = feature.get("hexes", {})
            for hex, share in hexes.items():
                shares[hex] = min(1.0, shares.get(hex, 0.0) + share)
        return shares

    def low_hex(self, feature: Mapping[str, Any], index: int) -> str:
        """Return the hex on the low side of a feature's hexside, or "": by the compass, or by height if both hexes are
        across the slope."""
        low = feature.get("low_side")
        a, b = feature["hexsides"][index]
        if isinstance(low, list):
            return str(low[index])
        if low not in COMPASS:
            return ""
        (ax, ay), (bx, by) = (self.scheme.centre(self.scheme.parse(hex)) for hex in (a, b))
        dx, dy = COMPASS[low]
        downhill = ((bx - ax) * dx + (by - ay) * dy) / hypot(dx, dy)
        if abs(downhill) < 0.1:
            downhill = self.hexes[a].elevation - self.hexes[b].elevation
        return str(b if downhill > 0 else a)


@dataclass
class Draft:
    """A board under construction."""

    game: str
    title: str
    terrains: Mapping[str, Mapping[str, Any]]
    kinds: Mapping[str, Mapping[str, Any]]
    geo: Mapping[str, Any]
    terrain: dict[str, str] = field(default_factory=dict)
    tags: dict[str, set[str]] = field(default_factory=dict)
    ground: dict[str, Ground] = field(default_factory=dict)
    source: dict[str, str] = field(default_factory=dict)
    sides: dict[tuple[str, str, str], tuple[str, str, str]] = field(default_factory=dict)
    places: dict[str, tuple[str, str, int, str]] = field(default_factory=dict)
    areas: list[dict[str, Any]] = field(default_factory=list)
    boxes: list[dict[str, Any]] = field(default_factory=list)

    @property
    def scheme(self) -> Scheme:
        """The numbering of this game."""
        return schemes()[self.game]

    def hex(self, name: str, terrain: str, ground: Ground, source: str, tags: Iterable[str] = ()) -> None:
        """Add a hex to the board."""
        self.terrain[name] = terrain
        self.ground[name] = ground
        self.source[name] = source
        self.tags[name] = set(tags)

    def side(self, a: str, b: str, kind: str, source: str, low: str = "", name: str = "") -> None:
        """Add a feature to the hexside between two hexes; later entries win. Hexsides that lead off the board are left
        out."""
        if kind not in self.kinds:
            raise ValueError(f"{self.game}: no hexside kind {kind!r} for {a}/{b}")
        if a not in self.terrain or b not in self.terrain:
            return
        if self.scheme.distance(a, b) != 1:
            raise ValueError(f"{self.game}: {kind} {name!r}: {a} and {b} are not adjacent")
        first, second = sorted((a, b))
        self.sides[first, second, kind] = (low, name, source)

    def chain(self, hexes: Iterable[str], kind: str, source: str, name: str = "") -> None:
        """Add a line from hex to hex."""
        for a, b in pairwise(hexes):
            self.side(a, b, kind, source, name=name)

    def drop_sides(self, a: str, b: str, kind: str = "") -> None:
        """Remove a feature, or all, from the hexside between two hexes."""
        first, second = sorted((a, b))
        for key in [k for k in self.sides if k[:2] == (first, second) and kind in ("", k[2])]:
            del self.sides[key]

    def place(self, name: str, hex: str, kind: str, rank: int, source: str) -> None:
        """Add a named place."""
        if hex in self.terrain:
            self.places[name] = (hex, kind, rank, source)

    def state(self, stated: Mapping[str, Any]) -> None:
        """Apply what is stated over what the geography gave."""
        for entry in stated.get("hexes", ()):
            for name in entry["hexes"]:
                if name not in self.terrain:
                    raise ValueError(f"{self.game}: stated hex {name} is not on the board")
                self.tags[name] |= set(entry.get("tags", ()))
                if "terrain" in entry:
                    self.terrain[name] = entry["terrain"]
                    self.source[name] = entry["from"]
        for entry in stated.get("cut", ()):
            for a, b in entry["pairs"]:
                self.drop_sides(a, b, entry.get("kind", ""))
        for entry in stated.get("chain", ()):
            self.chain(entry["hexes"], entry["kind"], entry["from"], entry.get("name", ""))
        for entry in stated.get("sides", ()):
            lows = entry.get("low", [""] * len(entry["pairs"]))
            for (a, b), low in zip(entry["pairs"], lows, strict=True):
                self.side(a, b, entry["kind"], entry["from"], low, entry.get("name", ""))
        for entry in stated.get("place", ()):
            if entry.get("drop"):
                self.places.pop(entry["name"], None)
                continue
            old = self.places.get(entry["name"], ("", "locality", 4, ""))
            hex = entry.get("hex", old[0])
            if hex not in self.terrain:
                raise ValueError(f"{self.game}: place {entry['name']} is in {hex!r}, which is not on the board")
            self.places[entry["name"]] = (hex, entry.get("kind", old[1]), entry.get("rank", old[2]), entry["from"])
        self.areas.extend(stated.get("area", ()))
        self.boxes.extend(stated.get("box", ()))

    def write(self, folder: Path) -> None:
        """Write the four board files."""
        folder.mkdir(parents=True, exist_ok=True)
        hexes = sorted(self.terrain, key=lambda name: tuple(reversed(self.scheme.parse(name))))
        _csv(
            folder / "hexes.csv",
            HEX_COLUMNS,
            (
                (h, self.terrain[h], " ".join(sorted(self.tags[h])), g.lat, g.lon, round(g.elevation), self.source[h])
                for h in hexes
                for g in [self.ground[h]]
            ),
        )
        order = {name: i for i, name in enumerate(self.kinds)}
        sides = sorted(self.sides.items(), key=lambda item: (order[item[0][2]], item[0]))
        _csv(folder / "sides.csv", SIDE_COLUMNS, ((a, b, k, *rest) for (a, b, k), rest in sides))
        places = sorted(self.places.items(), key=lambda item: (item[1][2], item[0]))
        _csv(folder / "places.csv", PLACE_COLUMNS, ((name, *rest) for name, rest in places))
        (folder / "board.toml").write_text(self._toml(), encoding="utf-8")

    def _toml(self) -> str:
        lines = [
            f"# Written by `khamsin boards --build {self.game}` from geography/{self.game}; correct it there.",
            f'game = "{self.game}"',
            f"title = {json.dumps(self.title, ensure_ascii=False)}",
            f'scheme = "{self.game}"',
            "",
        ]
        for heading, rows in (("terrain", self.terrains), ("side", self.kinds)):
            for name, row in rows.items():
                lines += [f'[{heading}."{name}"]', *(f"{k} = {_value(v)}" for k, v in row.items()), ""]
        lines += ["[geo]", *(f"{k} = {_value(v)}" for k, v in self.geo.items()), ""]
        for heading, entries in (("area", self.areas), ("box", self.boxes)):
            for entry in entries:
                lines += [f"[[{heading}]]", *(f"{k} = {_value(v)}" for k, v in entry.items()), ""]
        return "\n".join(lines)


def build(game: str) -> None:
    """Build the board files of one game."""
    survey = Survey(game)
    draft: Draft = importlib.import_module(registrations()[game].builder).draft(survey)
    stated = GEOGRAPHY / game / "stated.toml"
    draft.state(tomllib.loads(stated.read_text(encoding="utf-8")))
    draft.write(folder_of(game))


def _csv(file: Path, columns: tuple[str, ...], rows: Iterable[Iterable[object]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as sink:
        writer = csv.writer(sink, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def _value(value: Any) -> str:
    """Return a TOML value; JSON's notation works for texts, numbers, booleans and lists, inline tables need their own."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(k)} = {_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    return json.dumps(value, ensure_ascii=False)
