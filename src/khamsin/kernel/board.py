"""The board: hexes, hexsides, lines, places, areas and boxes. Immutable and built once; locations are integers.

A board is read from a folder of four text files:

- `board.toml`: title, numbering, what each terrain and hexside kind is, areas (groups of hexes), boxes off the map.
- `hexes.csv`: one line per hex: number, terrain, tags, latitude, longitude, elevation, provenance.
- `sides.csv`: one line per hexside feature, either *along* the hexside (an escarpment, a wadi) or *across* it
  (a road, a railway): the two hexes, kind, the low hex where it matters, name, provenance.
- `places.csv`: one line per named place: name, hex, kind, rank (1 a great city ... 5 a well), provenance.

A *location* is an integer: hexes first, in the order of the file, then boxes.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from khamsin.kernel import data as files
from khamsin.kernel.hexes import DIRECTIONS, Axial, Scheme, UnknownHex
from khamsin.kernel.registration import registrations, schemes
from khamsin.kernel.toml_lines import Toml, TomlError

NOWHERE = -1
"""The location of a piece that is not in the game, and the neighbour beyond the edge of the map."""

HEX_COLUMNS = ("hex", "terrain", "tags", "lat", "lon", "elevation", "from")
SIDE_COLUMNS = ("a", "b", "kind", "low", "name", "from")
PLACE_COLUMNS = ("name", "hex", "kind", "rank", "from")


class BoardError(ValueError):
    """A board file that cannot be read: names the file, the line and what was expected."""

    def __init__(self, file: Path | str, line: int, expected: str) -> None:
        super().__init__(f"{file}:{line}: {expected}")
        self.file = str(file)
        self.line = line
        self.expected = expected


@dataclass(frozen=True, slots=True)
class Terrain:
    """A kind of ground. `enterable` is false for sea and other ground no land unit enters."""

    name: str
    enterable: bool


@dataclass(frozen=True, slots=True)
class HexsideKind:
    """A kind of hexside feature: `across` the hexside, as roads are, or along it."""

    name: str
    across: bool
    bit: int


@dataclass(frozen=True, slots=True)
class Hexside:
    """One hexside feature between locations `a` and `b` (a < b); `low` is the hex on its low side, or NOWHERE."""

    a: int
    b: int
    kind: str
    low: int
    name: str
    source: str


@dataclass(frozen=True, slots=True)
class Place:
    """A named place in a hex; rank 1 is a great city, 5 a well."""

    name: str
    hex: int
    kind: str
    rank: int
    source: str


@dataclass(frozen=True, slots=True)
class Area:
    """A named group of hexes with a meaning in the game (a base, the surroundings of a port, an entry edge), and its
    values."""

    name: str
    kind: str
    hexes: tuple[int, ...]
    source: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Box:
    """A location off the map: a cadre, a holding box, a track."""

    name: str
    kind: str
    location: int
    source: str
    data: Mapping[str, Any]


class Board:
    """A hex board. Locations are integers; `board["1925"]` finds one and `board.name(location)` prints it.

    >>> board = Board.load("paa")
    >>> board
    Board.load('paa')
    >>> tobruk = board["1925"]
    >>> board.name(tobruk), board.terrain_name(tobruk), board.place_in(tobruk)
    ('1925', 'clear', 'Tobruk')
    >>> board.distance(tobruk, board["1906"])
    19
    >>> board["9999"]
    Traceback (most recent call last):
    ...
    khamsin.kernel.hexes.UnknownHex: '9999': no such hex or box on the paa board
    """

    def __init__(
        self,
        game: str,
        title: str,
        scheme: Scheme,
        terrains: Iterable[Terrain],
        side_kinds: Iterable[HexsideKind],
        hexes: Iterable[tuple[str, str, frozenset[str]]],
        sides: Iterable[tuple[str, str, str, str, str, str]] = (),
        places: Iterable[tuple[str, str, str, int, str]] = (),
        areas: Iterable[tuple[str, str, Iterable[str], str, Mapping[str, Any]]] = (),
        boxes: Iterable[tuple[str, str, str, Mapping[str, Any]]] = (),
        geo: NDArray[np.float64] | None = None,
        sources: Iterable[str] = (),
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        self.game = game
        self.title = title
        self.scheme = scheme
        self.meta: Mapping[str, Any] = meta or {}
        self.terrains = tuple(terrains)
        self.side_kinds = tuple(side_kinds)
        self._terrain_index = {t.name: i for i, t in enumerate(self.terrains)}
        self._kind = {k.name: k for k in self.side_kinds}

        rows = list(hexes)
        self.names: list[str] = [row[0] for row in rows]
        self.axial: tuple[Axial, ...] = tuple(scheme.parse(name) for name in self.names)
        self.size = len(rows)
        self._id = {name: i for i, name in enumerate(self.names)}
        if len(self._id) != self.size:
            twice = next(n for i, n in enumerate(self.names) if self._id[n] != i)
            raise UnknownHex(twice, f"appears twice on the {game} board")
        self.terrain: list[int] = [self._terrain_index[row[1]] for row in rows]
        self.tags: tuple[frozenset[str], ...] = tuple(row[2] for row in rows)
        self.sources = tuple(sources) or ("",) * self.size
        self.geo = geo if geo is not None else np.zeros((self.size, 3))
        """Latitude, longitude and elevation in metres of each hex centre."""

        self._at: dict[tuple[int, int], int] = {axial: i for i, axial in enumerate(self.axial)}
        if len(self._at) != self.size:
            one, two = next((i, self._at[axial]) for i, axial in enumerate(self.axial) if self._at[axial] != i)
            raise UnknownHex(self.names[two], f"the same hex as {self.names[one]} on the {game} board")
        self.neighbours: tuple[tuple[int, ...], ...] = tuple(
            tuple(self._at.get((q + dq, r + dr), NOWHERE) for dq, dr in DIRECTIONS) for q, r in self.axial
        )
        """For each hex its six neighbours by direction, NOWHERE beyond the edge."""
        self._around = tuple(tuple(n for n in row if n != NOWHERE) for row in self.neighbours)
        self._axes = np.array(self.axial, dtype=np.int16).reshape(-1, 2).T
        self._distances: dict[int, NDArray[np.int16]] = {}
        self._within: dict[tuple[int, int], tuple[int, ...]] = {}
        self._in_range: dict[tuple[int, int], frozenset[int]] = {}

        self.boxes = tuple(Box(n, kind, self.size + i, src, data) for i, (n, kind, src, data) in enumerate(boxes))
        self._id.update({box.name: box.location for box in self.boxes})
        self.names.extend(box.name for box in self.boxes)
        if len(self._id) != len(self.names):
            raise ValueError(f"two boxes, or a box and a hex, of the {game} board share a name")

        self.hexside_bits: list[int] = [0] * (self.size * 6)
        """Features of each hexside, as bits of `HexsideKind.bit`, at hex * 6 + direction; equal from both hexes."""
        self.sides = tuple(self._add_side(*row) for row in sides)
        self.places = tuple(Place(n, self[h], kind, rank, src) for n, h, kind, rank, src in places)
        self.areas = {
            name: Area(name, kind, tuple(self[h] for h in names), src, data) for name, kind, names, src, data in areas
        }

    def _add_side(self, a: str, b: str, kind: str, low: str, name: str, source: str) -> Hexside:
        x, y = sorted((self[a], self[b]))
        if y not in self.neighbours[x]:
            raise UnknownHex(f"{a}/{b}", f"not two adjacent hexes, so no hexside for {kind}")
        if kind not in self._kind:
            raise ValueError(f"{kind!r}: no such kind of hexside on the {self.game} board")
        direction = self.neighbours[x].index(y)
        bit = self._kind[kind].bit
        self.hexside_bits[x * 6 + direction] |= bit
        self.hexside_bits[y * 6 + (direction + 3) % 6] |= bit
        return Hexside(x, y, kind, self[low] if low else NOWHERE, name, source)

    @classmethod
    def load(cls, game: str) -> Board:
        """Return the board of a game. It is read once.

        >>> Board.load("chess")
        Traceback (most recent call last):
        ...
        ValueError: 'chess': no such game; there are paa, na41, afrika, tunisia, kasserine
        """
        if game not in registrations():
            raise ValueError(f"{game!r}: no such game; there are {', '.join(registrations())}")
        if game not in _LOADED:
            _LOADED[game] = cls.read(folder_of(game))
        return _LOADED[game]

    @classmethod
    def read(cls, folder: Path) -> Board:
        """Read a board from its folder."""
        toml = _read_toml(folder / "board.toml")
        meta = toml.data
        scheme = schemes()[meta["scheme"]]
        hexes, geo, sources = _read_hexes(folder / "hexes.csv", scheme, meta["terrain"])
        known = {row[0]: scheme.parse(row[0]) for row in hexes}
        sides = _read_sides(folder / "sides.csv", known, meta["side"])
        places = _read_places(folder / "places.csv", known)
        areas, boxes = meta.get("area", ()), meta.get("box", ())
        named = {*known, *(box["name"] for box in boxes)}
        for number, area in enumerate(areas):
            for at, name in enumerate(area["hexes"]):
                if name not in named:
                    line = toml.line("area", number, "hexes", at)
                    raise BoardError(folder / "board.toml", line, f"expected a hex of this board, not {name!r}")
        try:
            return cls(
                meta["game"],
                meta["title"],
                scheme,
                [Terrain(name, row.get("enterable", True)) for name, row in meta["terrain"].items()],
                [
                    HexsideKind(name, row.get("across", False), 1 << i)
                    for i, (name, row) in enumerate(meta["side"].items())
                ],
                hexes,
                sides,
                places,
                [(area["name"], area["kind"], area["hexes"], area["from"], _figures(area)) for area in areas],
                [(box["name"], box["kind"], box["from"], _figures(box)) for box in boxes],
                np.array(geo),
                sources,
                meta,
            )
        except ValueError as error:
            raise BoardError(folder / "board.toml", 1, str(error)) from None

    def __repr__(self) -> str:
        return f"Board.load({self.game!r})"

    def __getitem__(self, name: str) -> int:
        try:
            return self._id[name]
        except KeyError:
            raise UnknownHex(name, f"no such hex or box on the {self.game} board") from None

    def __contains__(self, name: object) -> bool:
        return name in self._id

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.size))

    def name(self, location: int) -> str:
        """Return the printed number of a hex, or the name of a box."""
        names = self.names
        if 0 <= location < len(names):
            return names[location]
        raise UnknownHex(location, f"no location of the {self.game} board, which has {len(names)}")

    def is_hex(self, location: int) -> bool:
        """Whether a location is a hex rather than a box."""
        return 0 <= location < self.size

    def _hex(self, location: int) -> int:
        if not 0 <= location < self.size:
            raise UnknownHex(location, f"no hex of the {self.game} board, which has {self.size}")
        return location

    def terrain_name(self, hex: int) -> str:
        """Return the name of a hex's terrain."""
        return self.terrains[self.terrain[self._hex(hex)]].name

    def enterable(self, hex: int) -> bool:
        """Whether land units may enter the hex at all."""
        return self.terrains[self.terrain[self._hex(hex)]].enterable

    def distance(self, a: int, b: int) -> int:
        """Return the number of steps between two hexes, whatever the terrain."""
        (q, r), (s, t) = self.axial[self._hex(a)], self.axial[self._hex(b)]
        return (abs(q - s) + abs(r - t) + abs(q - s + r - t)) // 2

    def distances(self, hex: int) -> NDArray[np.int16]:
        """Return the number of steps from a hex to every other."""
        known = self._distances.get(hex)
        if known is None:
            dq, dr = self._axes[:, self._hex(hex), None] - self._axes
            known = self._distances[hex] = (abs(dq) + abs(dr) + abs(dq + dr)) // 2
            known.flags.writeable = False
        return known

    def direction(self, a: int, b: int) -> int:
        """Return the direction from a hex to an adjacent one."""
        around = self.neighbours[self._hex(a)]
        if self._hex(b) not in around:
            raise UnknownHex(f"{self.name(a)}/{self.name(b)}", "not adjacent")
        return around.index(b)

    def around(self, hex: int) -> tuple[int, ...]:
        """Return the adjacent hexes that are on the board."""
        return self._around[self._hex(hex)]

    def within(self, hex: int, distance: int) -> tuple[int, ...]:
        """Return all hexes within a distance, including the hex itself."""
        known = self._within.get((hex, distance))
        if known is None:
            known = self._within[hex, distance] = tuple(np.flatnonzero(self.distances(hex) <= distance).tolist())
        return known

    def in_range(self, hex: int, distance: int) -> frozenset[int]:
        """Return `within` as a set."""
        known = self._in_range.get((hex, distance))
        if known is None:
            known = self._in_range[hex, distance] = frozenset(self.within(hex, distance))
        return known

    def bit(self, kind: str) -> int:
        """Return the bit of a hexside kind in `hexside_bits`."""
        try:
            return self._kind[kind].bit
        except KeyError:
            raise ValueError(f"{kind!r}: no such kind of hexside on the {self.game} board") from None

    def between(self, a: int, b: int) -> frozenset[str]:
        """Return the kinds of feature on the hexside between two adjacent hexes."""
        bits = self.hexside_bits[a * 6 + self.direction(a, b)]
        return frozenset(kind.name for kind in self.side_kinds if kind.bit & bits)

    def along(self, hex: int, kind: str) -> tuple[int, ...]:
        """Return the adjacent hexes to which a line of this kind leads.

        >>> board = Board.load("paa")
        >>> [board.name(h) for h in board.along(board["0702"], "road")]
        ['0703', '0701']
        """
        bit = self.bit(kind)
        return tuple(n for d, n in enumerate(self.neighbours[self._hex(hex)]) if self.hexside_bits[hex * 6 + d] & bit)

    @cached_property
    def place(self) -> Mapping[str, Place]:
        """Every place by name."""
        return {place.name: place for place in self.places}

    @cached_property
    def _first_place(self) -> Mapping[int, str]:
        first: dict[int, str] = {}
        for place in sorted(self.places, key=lambda p: p.rank):
            first.setdefault(place.hex, place.name)
        return first

    def place_in(self, hex: int) -> str:
        """Return the name of the chief place in a hex, "" if there is none."""
        return self._first_place.get(hex, "")

    @cached_property
    def box(self) -> Mapping[str, Box]:
        """Every box by name."""
        return {box.name: box for box in self.boxes}

    @cached_property
    def adjacency(self) -> NDArray[np.int16]:
        """`neighbours` as an array of (size, 6) for the compiled kernels."""
        return np.array(self.neighbours, dtype=np.int16)

    @cached_property
    def digest(self) -> str:
        """A hash of everything that rules can read of the board."""
        import hashlib

        parts = (
            self.scheme.name,
            self.names,
            [(terrain.name, terrain.enterable) for terrain in self.terrains],
            [(kind.name, kind.across) for kind in self.side_kinds],
            self.terrain,
            [sorted(tags) for tags in self.tags],
            sorted((side.a, side.b, side.kind, side.low, side.name) for side in self.sides),
            sorted((place.name, place.hex, place.kind, place.rank) for place in self.places),
            sorted((area.name, area.kind, area.hexes, repr(area.data)) for area in self.areas.values()),
            [(box.name, box.kind, repr(box.data)) for box in self.boxes],
        )
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


_LOADED: dict[str, Board] = {}


def folder_of(game: str) -> Path:
    """Return the folder of a game's board files."""
    return registrations()[game].folder / "data" / "board"


PLAIN = ("name", "kind", "hexes", "from")
"""The keys that an area or box has or may have; the others are its values."""


def _figures(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in PLAIN}


def _read_toml(file: Path) -> Toml:
    """Read the board file; raise BoardError if something is missing."""
    try:
        toml = Toml(_text(file, "a board file"))
    except TomlError as error:
        raise BoardError(file, error.line, f"expected TOML: {error.reason}") from None

    def demand(holds: bool, expected: str, *path: str | int) -> None:
        if not holds:
            raise BoardError(file, toml.line(*path), expected)

    meta = toml.data
    for key in ("game", "title", "scheme", "terrain", "side"):
        demand(key in meta, f"expected a key {key!r}")
    demand(
        isinstance(meta["scheme"], str) and meta["scheme"] in schemes(),
        f"expected scheme to be one of {', '.join(schemes())}",
        "scheme",
    )
    for table, switch in (("terrain", "enterable"), ("side", "across")):
        demand(isinstance(meta[table], dict), f"expected a table [{table}]", table)
        for name, row in meta[table].items():
            demand(isinstance(row, dict), f"expected a table [{table}.{name}]", table, name)
            demand(isinstance(row.get(switch, True), bool), f"expected {switch} = true or false", table, name, switch)
    for table, keys in (("area", ("name", "kind", "hexes", "from")), ("box", ("name", "kind", "from"))):
        demand(isinstance(meta.get(table, []), list), f"expected a list of tables [[{table}]]", table)
        for number, row in enumerate(meta.get(table, [])):
            demand(isinstance(row, dict), f"expected a table [[{table}]]", table, number)
            for key in keys:
                demand(key in row, f"expected every area and box to have a key {key!r}", table, number)
                kind = list if key == "hexes" else str
                demand(isinstance(row[key], kind), f"expected {key} = a {kind.__name__}", table, number, key)
    return toml


Axials = Mapping[str, Axial]
HexRow = tuple[str, str, frozenset[str]]
SideRow = tuple[str, str, str, str, str, str]
PlaceRow = tuple[str, str, str, int, str]


def _read_hexes(
    file: Path, scheme: Scheme, terrains: Iterable[str]
) -> tuple[list[HexRow], list[tuple[float, ...]], list[str]]:
    hexes: list[HexRow] = []
    geo, sources = [], []
    known: set[Axial] = set()
    for line, row in _rows(file, HEX_COLUMNS):
        if row["terrain"] not in terrains:
            raise BoardError(file, line, f"expected a terrain of {', '.join(terrains)}, not {row['terrain']!r}")
        try:
            axial = scheme.parse(row["hex"])
        except UnknownHex as error:
            raise BoardError(file, line, str(error)) from None
        try:
            centre = tuple(float(row[key]) for key in ("lat", "lon", "elevation"))
        except ValueError:
            centre = (math.nan,)
        if not all(map(math.isfinite, centre)):
            raise BoardError(file, line, "expected numbers for lat, lon and elevation")
        if axial in known:
            raise BoardError(file, line, f"expected each hex once, and {row['hex']} appears twice")
        known.add(axial)
        hexes.append((row["hex"], row["terrain"], frozenset(row["tags"].split())))
        geo.append(centre)
        sources.append(row["from"])
    return hexes, geo, sources


def _read_sides(file: Path, known: Axials, kinds: Iterable[str]) -> Iterable[SideRow]:
    sides: dict[tuple[frozenset[str], str], SideRow] = {}
    for line, row in _rows(file, SIDE_COLUMNS):
        a, b, kind = row["a"], row["b"], row["kind"]
        for end in (a, b):
            if end not in known:
                raise BoardError(file, line, f"expected a hex of this board, not {end!r}")
        if known[a].distance(known[b]) != 1:
            raise BoardError(file, line, f"expected adjacent hexes, not {a} and {b}")
        if kind not in kinds:
            raise BoardError(file, line, f"expected a kind of hexside, not {kind!r}")
        if row["low"] and row["low"] not in (a, b):
            raise BoardError(file, line, f"expected the low hex to be {a} or {b}")
        side = (frozenset((a, b)), kind)
        if side in sides:
            raise BoardError(file, line, f"expected one {kind} between {a} and {b}, and this is the second")
        sides[side] = (a, b, kind, row["low"], row["name"], row["from"])
    return sides.values()


def _read_places(file: Path, known: Axials) -> list[PlaceRow]:
    places: list[PlaceRow] = []
    for line, row in _rows(file, PLACE_COLUMNS):
        if row["hex"] not in known:
            raise BoardError(file, line, f"expected a hex of this board, not {row['hex']!r}")
        if row["rank"] not in ("1", "2", "3", "4", "5"):
            raise BoardError(file, line, f"expected a rank from 1 to 5, not {row['rank']!r}")
        places.append((row["name"], row["hex"], row["kind"], int(row["rank"]), row["from"]))
    return places


def _rows(file: Path, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the lines of a CSV file with their line numbers; comment lines start with '#'."""
    lines = _text(file, "a file").split("\n")
    numbered = [(i, line.rstrip("\r")) for i, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    if not numbered or numbered[0][1] != ",".join(columns):
        raise BoardError(file, numbered[0][0] if numbered else 1, f"expected the heading {','.join(columns)}")
    for number, line in numbered[1:]:
        fields = next(csv.reader([line]))
        if len(fields) != len(columns):
            raise BoardError(file, number, f"expected {len(columns)} fields ({', '.join(columns)}), not {len(fields)}")
        yield number, dict(zip(columns, fields, strict=True))


def _text(file: Path, what: str) -> str:
    try:
        return files.found(file).read_text(encoding="utf-8")
    except OSError as error:
        raise BoardError(file, 0, f"expected {what}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BoardError(file, 0, f"expected {what} in UTF-8") from None
