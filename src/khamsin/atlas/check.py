"""Checks of a board against its rulebook. Each game's `expect.toml` lists what the rulebook, the charts and the
campaign demand of the board; `khamsin boards` checks it, with what applies to any board.

```toml
[[enterable]]                       # hexes that set-ups, arrivals and examples use
hexes = ["1006", "1107"]
from = "set-up"

[[terrain]]
hexes = ["2811"]
is = "hills"
from = "rulebook 17"

[[tag]]                             # has = tag the hexes carry; only = true: no other hex carries it
hexes = ["1925", "1730"]
has = "fort"
only = true
from = "rulebook 2.1.1"

[[side]]                            # absent = true: the feature must not be there
pairs = [["1508", "1509"]]
kind = "escarpment"
from = "rulebook fig. 8"

[[neighbours]]                      # apart = true: the hexes must not be neighbours
pairs = [["0906", "1005"]]
from = "rulebook fig. 7"

[[place]]
name = "Tobruk"
hex = "1925"
from = "rulebook 2.1.1"

[[distance]]                        # straight, or along = the kinds of line to count steps on
between = ["0702", "1906"]
along = ["road"]
steps = 16
from = "rulebook, road table"

[[joined]]                          # one network of these kinds joins all these hexes or places
kinds = ["road"]
through = ["0702", "Benghazi", "1351"]
from = "rulebook, road table"

[[whole]]                           # every line of these kinds hangs together in at most this many pieces
kinds = ["railroad"]
pieces = 1
from = "rulebook 11.3.1"

[[port]]                            # touches the sea, or shares its hex with it
hexes = ["1925"]
from = "rulebook 11.2"

[[pass]]                            # can be entered and left along one of these kinds of line
name = "Halfaya Pass"
hex = "1531"
along = ["road", "track"]
from = "campaign"

[[area]]                            # size, hexes it must hold, and figures it must carry, each where it matters
name = "El Agheila base"
size = 5
holds = ["0702"]
data = { side = "axis" }
from = "rulebook 8.3.1"

[[box]]
names = ["Axis Cadre"]
from = "rulebook 2.1.3"
```
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from khamsin.kernel.board import NOWHERE, Board, BoardError, folder_of
from khamsin.kernel.hexes import UnknownHex

PROVENANCE = re.compile(r"(rulebook[ ,]|found:|reconstructed:) ?\S.*")


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: its text, its source, and the error ("" if it passes)."""

    what: str
    source: str
    wrong: str

    @property
    def holds(self) -> bool:
        """Whether the board agrees."""
        return not self.wrong


def check(game: str) -> list[Finding]:
    """Return all checks of one game's board."""
    board = Board.load(game)
    file = folder_of(game) / "expect.toml"
    try:
        expected = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BoardError(file, 0, f"expected the list of what the rulebook demands: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise BoardError(file, 0, f"expected TOML: {error}") from None
    findings = list(_always(board))
    for heading, entries in expected.items():
        if heading not in CHECKS:
            raise BoardError(file, 0, f"expected headings of {', '.join(CHECKS)}, not {heading!r}")
        for entry in entries:
            for what, wrong in CHECKS[heading](board, entry):
                findings.append(Finding(what, entry["from"], wrong))
    return findings


def _always(board: Board) -> Iterator[Finding]:
    """Yield the checks of any board."""
    lines = [
        side for side in board.sides if board.side_kinds[[k.name for k in board.side_kinds].index(side.kind)].across
    ]
    drowned = [
        f"{board.name(s.a)}/{board.name(s.b)}" for s in lines if not (board.enterable(s.a) and board.enterable(s.b))
    ]
    yield Finding("lines run over ground that can be entered", "any board", _list(drowned))
    lopsided = [
        board.name(h)
        for h in board
        for d, n in enumerate(board.neighbours[h])
        if n != NOWHERE and board.hexside_bits[h * 6 + d] != board.hexside_bits[n * 6 + (d + 3) % 6]
    ]
    yield Finding("hexside features agree from both sides", "any board", _list(lopsided))
    sunk = [f"{p.name} in {board.name(p.hex)}" for p in board.places if not board.enterable(p.hex) and p.kind != "cape"]
    yield Finding("places are on ground that can be entered", "any board", _list(sunk))
    cut_off = [
        board.name(h) for h in board if board.enterable(h) and not any(board.enterable(n) for n in board.around(h))
    ]
    yield Finding("no land hex is cut off by sea or impassable ground", "any board", _list(cut_off))
    marks = [
        *((board.name(h), board.sources[h]) for h in board),
        *((f"{board.name(s.a)}/{board.name(s.b)} {s.kind}", s.source) for s in board.sides),
        *((p.name, p.source) for p in board.places),
        *((a.name, a.source) for a in board.areas.values()),
        *((b.name, b.source) for b in board.boxes),
    ]
    unmarked = [what for what, mark in marks if not PROVENANCE.fullmatch(mark)]
    yield Finding("everything on the board has its provenance", "any board", _list(unmarked))
    slopes = {name for name, row in board.meta["side"].items() if row.get("slope")}
    flat = [f"{board.name(s.a)}/{board.name(s.b)}" for s in board.sides if s.kind in slopes and s.low == NOWHERE]
    yield Finding("every slope says which side is low", "any board", _list(flat))


def _enterable(board: Board, entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name in entry["hexes"]:
        wrong = ""
        if name not in board:
            wrong = "no such hex"
        elif not board.enterable(board[name]):
            wrong = f"is {board.terrain_name(board[name])}"
        yield f"{name} can be entered", wrong


def _terrain(board: Board, entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name in entry["hexes"]:
        found = board.terrain_name(board[name])
        yield f"{name} is {entry['is']}", "" if found == entry["is"] else f"is {found}"


def _tag(board: Board, entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name in entry["hexes"]:
        yield f"{name} has {entry['has']}", "" if entry["has"] in board.tags[board[name]] else "has not"
    if entry.get("only"):
        others = [board.name(h) for h in board if entry["has"] in board.tags[h] and board.name(h) not in entry["hexes"]]
        yield f"no other hex has {entry['has']}", _list(others)


def _side(board: Board, entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    absent = entry.get("absent", False)
    for a, b in entry["pairs"]:
        there = entry["kind"] in board.between(board[a], board[b])
        wrong = "" if there != absent else ("is there" if absent else "is not there")
        yield f"{'no ' if absent else ''}{entry['kind']} at {a}/{b}", wrong


def _neighbours(board: Board, entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    apart = entry.get("apart", False)
    for a, b in entry["pairs"]:
        near = board.distance(board[a], board[b]) == 1
        yield f"{a} and {b} are {'not ' if apart else ''}neighbours", "" if near != apart else "wrong"


def _place(board: Board, entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    place = board.place.get(entry["name"])
    found = board.name(place.hex) if place else "nowhere"
    yield f"{entry['name']} is in {entry['hex']}", "" if found == entry["hex"] else f"is {found}"


def _distance(board: Board, entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    a, b = (_find(board, name) for name in entry["between"])
    along = entry.get("along")
    steps = steps_along(board, a, b, along) if along else board.distance(a, b)
    way = f" by {' or '.join(along)}" if along else ""
    wrong = "" if steps == entry["steps"] else f"{'no path' if steps < 0 else steps}"
    yield f"{entry['between'][0]} to {entry['between'][1]}{way} is {entry['steps']}", wrong


def _joined(board: Board, entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    first, *rest = entry["through"]
    reached = network(board, _find(board, first), entry["kinds"])
    for name in rest:
        yield (
            f"{first} and {name} are joined by {' or '.join(entry['kinds'])}",
            "" if _find(board, name) in reached else "not",
        )


def _whole(board: Board, entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    left = {h for side in board.sides if side.kind in entry["kinds"] for h in (side.a, side.b)}
    pieces = []
    while left:
        piece = network(board, min(left), entry["kinds"])
        pieces.append(piece)
        left -= piece
    wrong = ""
    if len(pieces) > entry["pieces"]:
        small = sorted(pieces, key=len)[: len(pieces) - entry["pieces"]]
        wrong = f"{len(pieces)} pieces, small ones around {_list(board.name(min(p)) for p in small)}"
    yield f"{' and '.join(entry['kinds'])} hang together in {entry['pieces']} piece(s)", wrong


def _port(board: Board, entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name in entry["hexes"]:
        around = board.around(board[name])
        wet = any(board.terrain_name(n) in ("sea", "lake") for n in around) or len(around) < 6
        yield f"{name} touches the sea", "" if wet else "does not"


def _pass(board: Board, entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    here = board[entry["hex"]]
    ways = {n for kind in entry["along"] for n in board.along(here, kind)}
    wrong = ""
    if not board.enterable(here):
        wrong = f"is {board.terrain_name(here)}"
    elif len(ways) < 2:
        wrong = f"has {len(ways)} of the two lines needed"
    yield f"{entry['name']} ({entry['hex']}) is open along {' or '.join(entry['along'])}", wrong


def _area(board: Board, entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    name = entry["name"]
    area = board.areas.get(name)
    if area is None:
        yield f"there is an area {name}", "there is not"
        return
    yield f"there is an area {name}", ""
    if "size" in entry:
        size = len(area.hexes)
        yield f"area {name} has {entry['size']} hexes", "" if size == entry["size"] else f"has {size}"
    missing = [hex for hex in entry.get("holds", ()) if board[hex] not in area.hexes]
    if "holds" in entry:
        yield f"area {name} holds {_list(entry['holds'])}", _list(missing)
    for key, value in entry.get("data", {}).items():
        found = area.data.get(key)
        yield f"area {name} has {key} {value}", "" if found == value else f"has {found}"


def _box(board: Board, entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name in entry["names"]:
        yield f"there is a box {name}", "" if name in board.box else "there is not"


Check = Callable[[Board, Mapping[str, Any]], Iterator[tuple[str, str]]]


def _guarded(checker: Check) -> Check:
    """Let a hex that is not on the board fail the check instead of ending it."""

    def run(board: Board, entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        try:
            yield from checker(board, entry)
        except UnknownHex as error:
            yield f"{checker.__name__.strip('_')} {error.text}", error.reason

    return run


CHECKS: dict[str, Check] = {
    checker.__name__.strip("_"): _guarded(checker)
    for checker in (
        _enterable, _terrain, _tag, _side, _neighbours, _place, _distance, _joined, _whole, _port, _pass, _area, _box,
    )
}  # fmt: skip


def network(board: Board, start: int, kinds: Iterable[str]) -> set[int]:
    """Return all hexes that lines of these kinds join to one."""
    names = tuple(kinds)
    seen, todo = {start}, [start]
    while todo:
        here = todo.pop()
        for kind in names:
            for n in board.along(here, kind):
                if n not in seen:
                    seen.add(n)
                    todo.append(n)
    return seen


def steps_along(board: Board, a: int, b: int, kinds: Iterable[str]) -> int:
    """Return the fewest steps from hex to hex on lines of these kinds; -1 if there is no path."""
    names = tuple(kinds)
    seen, ring, steps = {a}, {a}, 0
    while ring and b not in seen:
        ring = {n for h in ring for kind in names for n in board.along(h, kind)} - seen
        seen |= ring
        steps += 1
    return steps if b in seen else -1


def _find(board: Board, name: str) -> int:
    return board.place[name].hex if name in board.place else board[name]


def _list(names: Iterable[str]) -> str:
    items = list(dict.fromkeys(names))
    return ", ".join(items[:12]) + (f" and {len(items) - 12} more" if len(items) > 12 else "")
