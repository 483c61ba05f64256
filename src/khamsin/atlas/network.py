"""The lines of a map: roads and railways across the hexsides, rivers, escarpments and borders along them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from khamsin.atlas import labels, lines, style, symbols
from khamsin.atlas.canvas import SCALE, Canvas, Points
from khamsin.atlas.ink import rounded, spline, text

BEND = SCALE * 0.2
"""How far from a corner a line along hexsides begins to turn."""


class Network:
    """All lines of one board, and their names."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self.named: dict[tuple[str, str], list[Points]] = defaultdict(list)

    def draw(self) -> Iterator[str]:
        """Yield every kind of line the board uses, in the order of the style table."""
        board = self.canvas.board
        used = {side.kind for side in board.sides}
        kinds = sorted(
            (k for k in board.side_kinds if k.name in used), key=lambda k: style.look("side", k.name)["order"]
        )
        roads = [k.name for k in kinds if k.across and style.look("side", k.name)["form"] in ("line", "rail")]
        runs = lines.across(board, reversed(roads), self.canvas.stands)
        sides = lines.Hexsides(board)
        for kind in (kind.name for kind in kinds):
            look = style.look("side", kind)
            if kind in runs:
                yield from self._across(kind, look, runs[kind])
            elif look["form"] in symbols.MARKS:
                yield from lines.stroke(look, self._marks(kind, look["form"]))
            else:
                yield from self._along(kind, look, sides)

    def names(self) -> Iterator[str]:
        """Yield names of rivers and great roads, along them if there is space."""
        for (kind, words), paths in self.named.items():
            look = style.look("side", kind)
            label = labels.along(self.canvas.room, words, paths, look["name_size"], 4.5 + look["width"])
            if label is not None:
                yield text(
                    words, label.x, label.y, label.size, anchor="middle", italic=True, fill=look["name_colour"],
                    transform=f"rotate({label.angle:.1f} {label.x:.1f} {label.y:.1f})",
                )  # fmt: skip

    def _across(self, kind: str, look: style.Entry, runs: list[lines.Run]) -> Iterator[str]:
        d = ""
        for run in runs:
            path = self.canvas.px(run.points)
            d += spline(self.canvas.px(self._run_off(run.points)))
            self.canvas.room.line(path, 2.0 + look["width"])
            self._remember(kind, run.names, path)
        yield from lines.stroke(look, d)

    def _along(self, kind: str, look: style.Entry, sides: lines.Hexsides) -> Iterator[str]:
        d = ticks = ""
        lows, names = sides.lows(kind), sides.names(kind)
        for strand in sides.strands(kind):
            path = self.canvas.px(np.array([sides.at[vertex] for vertex in strand]))
            edges = [frozenset(ends) for ends in pairwise(strand)]
            middles = (path[:-1] + path[1:]) / 2
            down = [
                self.canvas.px(lows[edge]) - middle if edge in lows else np.zeros(2)
                for edge, middle in zip(edges, middles, strict=True)
            ]
            d += rounded(path, BEND)
            ticks += lines.ticks(look, path, np.array(down), BEND)
            self.canvas.room.line(path, 2.5)
            self._remember(kind, [names[edge] for edge in edges], path)
        yield from lines.stroke(look, d, ticks)

    def _marks(self, kind: str, form: str) -> str:
        """Bridges and fords, where a road meets the water."""
        out = []
        for side in self.canvas.board.sides:
            if side.kind == kind:
                a, b = (self.canvas.px(self.canvas.stands[hex]) for hex in (side.a, side.b))
                middle, heading = (a + b) / 2, (b - a) / np.hypot(*(b - a))
                out.append(symbols.MARKS[form](*middle, *heading))
        return "".join(out)

    def _run_off(self, points: Points) -> Points:
        """Return a line that ends in a hex at the edge, extended to the edge if it leads there."""
        out = points
        for end, inner in ((0, 1), (-1, -2)):
            ahead = points[end] - points[inner]
            ahead = ahead / max(float(np.hypot(*ahead)), 1e-9)
            if np.hypot(*(self.canvas.centres - points[end] - ahead * 0.8).T).min() > 0.62:
                out = np.vstack([points[end] + ahead * 0.5, out] if end == 0 else [out, points[end] + ahead * 0.5])
        return out

    def _remember(self, kind: str, names: list[str], path: Points) -> None:
        """Keep the stretches of a line with a name to be written."""
        if "name_size" in style.look("side", kind):
            for words, first, last in lines.stretches(names):
                if words:
                    self.named[kind, words].append(path[first : last + 2])
