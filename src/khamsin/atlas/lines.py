"""Lines on a board: roads from hex to hex, rivers and escarpments along the hexsides, as smooth strands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import combinations, pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from khamsin.atlas import symbols
from khamsin.atlas.ink import dense, element, polyline, spread, strokes
from khamsin.atlas.style import Entry
from khamsin.kernel.board import Board, Hexside

Points = NDArray[np.float64]
Node = TypeVar("Node", bound=Hashable)
Vertex = tuple[int, int]

ABREAST = 0.115
"""How far apart two lines run that cross the same hexside, in hexes."""


def strands(pairs: Iterable[tuple[Node, Node]], at: Mapping[Node, Points]) -> list[list[Node]]:
    """Return a network as few long strands: at a junction the two straightest arms continue.

    >>> at = {i: np.array(p, float) for i, p in enumerate([(0, 0), (1, 0), (2, 0), (1, 1)])}
    >>> sorted(sorted(s) for s in strands([(0, 1), (1, 2), (1, 3)], at))
    [[0, 1, 2], [1, 3]]
    """
    arms: dict[Node, list[Node]] = defaultdict(list)
    for a, b in dict.fromkeys(pairs):
        arms[a].append(b)
        arms[b].append(a)
    through: dict[tuple[Node, Node], Node] = {}
    for node, ends in arms.items():
        free = list(ends)
        while len(free) > 1:
            a, b = min(combinations(free, 2), key=lambda ends: _bend(at[ends[0]], at[node], at[ends[1]]))
            through[a, node], through[b, node] = b, a
            free = [end for end in free if end not in (a, b)]
    done: set[tuple[Node, Node]] = set()
    found = []
    every = [(a, b) for a, ends in arms.items() for b in ends]
    starts = [(a, b) for a, b in every if (b, a) not in through]
    for a, b in (*starts, *every):
        if (a, b) in done:
            continue
        strand = [a, b]
        done |= {(a, b), (b, a)}
        while (strand[-2], strand[-1]) in through:
            after = through[strand[-2], strand[-1]]
            if (strand[-1], after) in done:
                break
            done |= {(strand[-1], after), (after, strand[-1])}
            strand.append(after)
        found.append(strand)
    return found


def _bend(a: Points, b: Points, c: Points) -> float:
    """Return 0 for straight on to 2 for straight back."""
    u, v = b - a, c - b
    return float(1 - (u @ v) / max(np.hypot(*u) * np.hypot(*v), 1e-9))


class Run(NamedTuple):
    """A strand from hex to hex: its points, and for each stretch between two the name of the line."""

    points: Points
    names: list[str]


def across(board: Board, kinds: Iterable[str], at: Mapping[int, Points]) -> dict[str, list[Run]]:
    """Return the strands of each kind of line that goes from hex to hex, set side by side where several cross one
    hexside.

    Kinds come in order of importance: the first keeps to the middle.
    """
    ordered = list(kinds)
    pairs: dict[str, dict[tuple[int, int], str]] = {kind: {} for kind in ordered}
    for side in board.sides:
        if side.kind in pairs:
            pairs[side.kind][side.a, side.b] = side.name
    used: dict[tuple[int, int], int] = defaultdict(int)
    found: dict[str, list[Run]] = {}
    for kind in ordered:
        names = pairs[kind]
        lanes = {pair: used[pair] for pair in names}
        stops: dict[int, Points] = {}
        long_first = sorted(strands(names, at), key=len, reverse=True)
        found[kind] = [_run(strand, lanes, names, at, stops) for strand in long_first]
        for pair in lanes:
            used[pair] += 1
    return found


def _run(
    strand: list[int], lanes: Mapping[tuple[int, int], int], names: Mapping[tuple[int, int], str],
    at: Mapping[int, Points], stops: dict[int, Points],
) -> Run:  # fmt: skip
    """Return a strand through its hexes, and through the middles between them where it runs abreast of another.

    `stops` keeps where in a hex this kind of line passes, so that branches meet it there.
    """
    if at[strand[0]][0] > at[strand[-1]][0]:
        strand = strand[::-1]
    steps = [(min(a, b), max(a, b)) for a, b in pairwise(strand)]
    words = [names[step] for step in steps]
    points = np.array([at[node] for node in strand])
    shift = np.array([lanes[step] for step in steps]) * ABREAST
    legs = np.diff(points, axis=0)
    right = np.stack([legs[:, 1], -legs[:, 0]], axis=1) / np.maximum(np.hypot(*legs.T), 1e-9)[:, None]
    push = right * shift[:, None]
    moved = points.copy()
    moved[1:-1] += (push[:-1] + push[1:]) / 2
    moved[0] += push[0] * 0.6
    moved[-1] += push[-1] * 0.6
    for end in (0, -1):
        moved[end] = stops.get(strand[end], moved[end])
    for node, point in zip(strand, moved, strict=True):
        stops.setdefault(node, point)
    if not shift.any():
        return Run(moved, words)
    woven = np.empty((len(points) * 2 - 1, 2))
    woven[::2], woven[1::2] = moved, (points[:-1] + points[1:]) / 2 + push
    return Run(woven, [word for word in words for _ in range(2)])


def stretches(names: list[str]) -> Iterator[tuple[str, int, int]]:
    """Runs of the same short name, with the first and last of their stretches.

    >>> list(stretches(["Via Balbia, A to B", "Via Balbia, B to C", "C to D", "Oued Tine (upper)"]))
    [('Via Balbia', 0, 1), ('', 2, 2), ('Oued Tine', 3, 3)]
    """
    start = 0
    short = [_short(name) for name in names]
    for i in range(1, len(short) + 1):
        if i == len(short) or short[i] != short[start]:
            yield short[start], start, i - 1
            start = i


def _short(name: str) -> str:
    """Return the proper name in the name of a line; "" if it only says from where to where it leads."""
    words = name.split(",")[0].split(" (")[0].split(" and ")[0]
    return "" if " to " in words else words


class Hexsides:
    """The corners of a board's hexes, and the strands of features along its hexsides."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.corners = np.array(board.scheme.corners())
        self.at: dict[Vertex, Points] = {}

    def ends(self, side: Hexside) -> tuple[Vertex, Vertex]:
        """Return the two corners that bound a hexside."""
        direction = self.board.direction(side.a, side.b)
        centre = np.array(self.board.scheme.centre(self.board.axial[side.a]))
        return self.vertex(centre + self.corners[direction]), self.vertex(centre + self.corners[(direction + 1) % 6])

    def vertex(self, point: Points) -> Vertex:
        """Return the name of a corner."""
        key = _key(point)
        self.at[key] = point
        return key

    def strands(self, kind: str) -> list[list[Vertex]]:
        """Return the strands of one kind."""
        return strands([self.ends(side) for side in self.board.sides if side.kind == kind], self.at)

    def names(self, kind: str) -> dict[frozenset[Vertex], str]:
        """For each hexside of a kind the name of the feature."""
        return {frozenset(self.ends(side)): side.name for side in self.board.sides if side.kind == kind}

    def lows(self, kind: str) -> dict[frozenset[Vertex], Points]:
        """For each hexside of a kind with a low side, the centre of the low hex."""
        return {
            frozenset(self.ends(side)): np.array(self.board.scheme.centre(self.board.axial[side.low]))
            for side in self.board.sides
            if side.kind == kind and side.low >= 0
        }


def outlines(board: Board, hexes: set[int]) -> list[Points]:
    """Return the outlines of a group of hexes as closed rings of corners."""
    corners = np.array(board.scheme.corners())
    after: dict[Vertex, list[tuple[Vertex, Points]]] = defaultdict(list)
    for hex in hexes:
        centre = np.array(board.scheme.centre(board.axial[hex]))
        for direction, other in enumerate(board.neighbours[hex]):
            if other not in hexes:
                a, b = centre + corners[direction], centre + corners[(direction + 1) % 6]
                after[_key(a)].append((_key(b), a))
    rings = []
    while after:
        start = next(iter(after))
        ring, here = [], start
        while here in after:
            follow, point = after[here].pop()
            if not after[here]:
                del after[here]
            ring.append(point)
            here = follow
        rings.append(np.array(ring))
    return rings


def _key(point: Points) -> Vertex:
    return (round(float(point[0]) * 200), round(float(point[1]) * 200))


def ticks(entry: Entry, corners: Points, downhill: Points, radius: float) -> str:
    """Return the ticks of a line along hexsides: on the low side of an escarpment, on both of a ridge, outward of a
    wall.

    `corners` and, for each stretch between two, the direction `downhill` (zero if unknown) are in pixels.
    """
    if "tick" not in entry or entry["form"] == "rail":
        return ""
    at, heading = spread(dense(corners, radius), entry["step"])
    normal = np.stack([-heading[:, 1], heading[:, 0]], axis=1)
    middles = (corners[:-1] + corners[1:]) / 2
    nearest = np.argmin(np.hypot(*(at[:, None] - middles[None]).transpose(2, 0, 1)), axis=1)
    side = np.sign((normal * downhill[nearest]).sum(axis=1))[:, None]
    reach = normal * entry["tick"] * np.where(side == 0, 1, side)
    return strokes(at - reach if entry["form"] in ("ridge", "barrier") else at, at + reach)


def sample(entry: Entry, points: Points) -> Iterator[str]:
    """Return a straight sample of a line for the legend, its low side below; or its mark, in the middle."""
    if entry["form"] in symbols.MARKS:
        x, y = points.mean(axis=0)
        yield from stroke(entry, symbols.MARKS[entry["form"]](x, y, 1.0, 0.0))
    else:
        yield from stroke(entry, polyline(points), ticks(entry, points, np.array([(0.0, 1.0)]), 1.0))


def stroke(entry: Entry, d: str, marks: str = "") -> Iterator[str]:
    """Yield a line in its style: casing, then ticks, then the line, then the ticks of a railway."""
    if not d:
        return
    pen = {"d": d, "fill": "none", "stroke_linejoin": "round"}
    if entry.get("casing"):
        yield element(
            "path", stroke=entry["casing"], stroke_width=entry["casing_width"],
            stroke_opacity=entry.get("casing_alpha"), stroke_linecap="round", **pen,
        )  # fmt: skip
    if marks:
        yield element("path", d=marks, fill="none", stroke=entry["colour"], stroke_width=entry["width"] * 0.62)
    dash = entry.get("dash")
    yield element(
        "path", stroke=entry["colour"], stroke_width=entry["width"], stroke_dasharray=dash,
        stroke_linecap=None if dash else "round", **pen,
    )  # fmt: skip
    if entry["form"] == "rail":
        yield element(
            "path", stroke=entry["colour"], stroke_width=entry["tick"],
            stroke_dasharray=f"{entry['width']} {entry['step']}", **pen,
        )  # fmt: skip
