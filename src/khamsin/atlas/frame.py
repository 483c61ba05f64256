"""Around the map: a graduated frame, title, legend, scale and provenance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from khamsin.atlas import coast, lines, style, symbols, typeface
from khamsin.atlas.grid import Grid
from khamsin.atlas.ink import element, number, text
from khamsin.atlas.land import Window
from khamsin.kernel.board import Board

BORDER = 62.0
"""Paper around the map, in units of the frame."""

BAR = 7.0
"""Width of the graduated bar."""

ROW, SAMPLE = 34.0, 58.0
"""Height of a line of the legend, and width of its samples."""

NICE = (4, 8, 12, 20, 40, 80, 100, 120, 200, 400)
"""Lengths of a scale bar in km, which four parts divide well."""


@dataclass(frozen=True)
class Entry:
    """A line of the legend: what it shows, and its section of the style table."""

    section: str
    name: str
    words: str


def unit(window: Window, scale: float) -> float:
    """Return how many pixels a unit of the frame has: a wide map has a wider border and larger letters around it."""
    return min(1.75, max(1.0, window.width * scale / 2800))


class Frame:
    """The sheet around one map, in units of the frame."""

    def __init__(self, board: Board, window: Window, grid: Grid, scale: float, entries: Sequence[Entry]) -> None:
        self.unit = unit(window, scale)
        scale /= self.unit
        self.board, self.window, self.grid, self.scale = board, window, grid, scale
        self.paper = style.table()["paper"]
        self.map_width, self.map_height = window.width * scale, window.height * scale
        self.width = self.map_width + 2 * BORDER
        self.top = self.map_height + 2 * BORDER
        self.entries = list(entries)
        self.heading = board.title.upper().replace("'", "’")
        self.title_width = max(560.0, typeface.width(self.heading, "serif-bold", 50, 5) + 60, 20 + self.scale_bar()[1])
        room = self.map_width - self.title_width
        self.rows = next(rows for rows in range(4, 99) if sum(map(self.breadth, self.columns(rows))) <= room)
        self.notes = self.provenance()
        self.height = self.top + max(self.rows * ROW, 4.4 * ROW) + 26 + len(self.notes) * 19 + BORDER * 0.6

    def columns(self, rows: int) -> list[list[Entry]]:
        """Return the legend in columns of a number of lines; ground, lines and signs each begin a new one."""
        found: list[list[Entry]] = []
        for sections in (("terrain", "tag"), ("side",), ("sign",)):
            part = [entry for entry in self.entries if entry.section in sections]
            found += [part[i : i + rows] for i in range(0, len(part), rows)]
        return found

    def breadth(self, column: list[Entry]) -> float:
        """Return the width of a column of the legend."""
        return SAMPLE + 52 + max(typeface.width(entry.words, "sans", 17) for entry in column)

    def draw(self) -> Iterator[str]:
        """Draw paper around the map, as one shape with a hole, then what is on it."""
        w, h, b = self.width, self.height, BORDER
        hole = f"M0 0H{number(w)}V{number(h)}H0zM{b} {b}v{number(self.map_height)}h{number(self.map_width)}V{b}z"
        yield element("path", d=hole, fill=self.paper["sheet"], fill_rule="evenodd")
        yield from self.graduation()
        edge = 16.0
        yield element(
            "rect", x=edge, y=edge, width=number(w - 2 * edge), height=number(h - 2 * edge), fill="none",
            stroke=self.paper["rule"], stroke_width=1.1,
        )  # fmt: skip
        yield from self.title()
        yield from self.legend()
        for i, line in enumerate(self.notes):
            y = self.height - BORDER * 0.6 - 4 - (len(self.notes) - 1 - i) * 19
            yield text(line, b, y, 14, sans=True, fill=self.paper["rule"])

    def graduation(self) -> Iterator[str]:
        """Yield the neat-line with a bar of alternate degrees, and the degrees next to it."""
        rule, b = self.paper["rule"], BORDER
        step = self.degrees()
        bars, words = [], []
        for edge in ("north", "south", "west", "east"):
            marks = self.crossings(edge, step)
            upright = edge in ("west", "east")
            length = self.map_height if upright else self.map_width
            stops = [0.0, *(at for at, _ in marks), length]
            odd = round(marks[0][1] / step) % 2 if marks else 0
            for i, (start, end) in enumerate(pairwise(stops)):
                if (i + odd) % 2:
                    continue
                if upright:
                    x = b - BAR if edge == "west" else b + self.map_width
                    bars.append(f"M{number(x)} {number(b + start)}h{BAR}V{number(b + end)}h-{BAR}z")
                else:
                    y = b - BAR if edge == "north" else b + self.map_height
                    bars.append(f"M{number(b + start)} {number(y)}v{BAR}H{number(b + end)}v-{BAR}z")
            words += [self.degree(edge, at, value) for at, value in marks]
        for out in (0.0, BAR):
            yield element(
                "rect", x=b - out, y=b - out, width=number(self.map_width + 2 * out),
                height=number(self.map_height + 2 * out), fill="none", stroke=rule, stroke_width=1.2 if out else 1.8,
            )  # fmt: skip
        yield element("path", d="".join(bars), fill=rule)
        yield element("g", *words, "", fill=rule)

    def degrees(self) -> float:
        """Return the step of the graduation: a degree, or less on a map of a small country."""
        across = self.window.width * self.grid.km_per_hex / 95
        return next((step for step in (1 / 6, 0.25, 0.5, 1.0, 2.0) if across / step < 14), 2.0)

    def crossings(self, edge: str, step: float) -> list[tuple[float, float]]:
        """Return where whole steps of a degree meet an edge, in pixels along it."""
        upright = edge in ("west", "east")
        span = np.linspace(0, 1, 400)
        if upright:
            x, y = np.full(400, getattr(self.window, edge)), self.window.north - span * self.window.height
        else:
            x, y = self.window.west + span * self.window.width, np.full(400, getattr(self.window, edge))
        with np.errstate(invalid="ignore"):
            lat, lon = self.grid.earth(x, y)
        values = (lat if upright else lon) / step
        found = []
        for i in np.nonzero(np.floor(values[1:]) != np.floor(values[:-1]))[0]:
            whole = max(np.floor(values[i]), np.floor(values[i + 1]))
            share = (whole - values[i]) / (values[i + 1] - values[i])
            found.append((float(span[i] + share * (span[1] - span[0])), float(whole * step)))
        length = self.map_height if upright else self.map_width
        return [(at * length, value) for at, value in sorted(found)]

    def degree(self, edge: str, at: float, value: float) -> str:
        """Return the text of one degree."""
        minutes = round(value * 60)
        words = f"{minutes // 60}°" + (f"{minutes % 60:02}′" if minutes % 60 else "")
        b = BORDER
        if edge in ("west", "east"):
            x = b - BAR - 6 if edge == "west" else b + self.map_width + BAR + 15
            turn = f"rotate(-90 {number(x)} {number(b + at)})"
            return text(words, x, b + at, 13, sans=True, anchor="middle", transform=turn)
        y = b - BAR - 6 if edge == "north" else b + self.map_height + BAR + 15
        return text(words, b + at, y, 13, sans=True, anchor="middle")

    def title(self) -> Iterator[str]:
        """Title, what the map is, and the scale."""
        x, y, ink = BORDER, self.top, self.paper["ink"]
        yield text(self.heading, x - 2, y + 42, 50, bold=True, spacing=5, fill=ink)
        km = self.grid.km_per_hex
        about = f"{self.board.size} hexes of {km:.1f} km"
        yield text(about, x, y + 74, 20, italic=True, fill=self.paper["rule"])
        length, span = self.scale_bar()
        left, top, parts = x + 2, y + 104, 4
        part = span / parts
        yield element(
            "rect", x=left, y=top, width=number(span), height=9, fill=self.paper["sheet"], stroke=ink, stroke_width=1.3
        )
        box = f"h{number(part)}v9h-{number(part)}z"
        black = "".join(f"M{number(left + i * part)} {number(top)}{box}" for i in range(0, parts, 2))
        yield element("path", d=black, fill=ink)
        for i in range(parts + 1):
            figure = f"{length * i / parts:g}" + (" km" if i == parts else "")
            yield text(figure, left + i * part, top + 27, 14, sans=True, anchor="middle", fill=ink)

    def scale_bar(self) -> tuple[float, float]:
        """Length of the scale bar in km and pixels."""
        per_km = self.scale / self.grid.km_per_hex
        length = max((n for n in NICE if n * per_km <= 420), default=1)
        return float(length), length * per_km

    def legend(self) -> Iterator[str]:
        """Yield a sample and a word for everything this map uses."""
        x = BORDER + self.title_width
        for column in self.columns(self.rows):
            for row, entry in enumerate(column):
                y = self.top + 4 + row * ROW
                yield from self.sample(entry, x, y)
                yield text(entry.words, x + SAMPLE + 14, y + 18.5, 17, sans=True, fill=self.paper["ink"])
            x += self.breadth(column)

    def sample(self, entry: Entry, x: float, y: float) -> Iterator[str]:
        """Yield one sample of the legend, in a box of SAMPLE by 26."""
        middle = y + 13
        if entry.section == "sign":
            yield symbols.draw(entry.name, symbols.PLACES[entry.name][0](x + SAMPLE / 2, middle))
            return
        look = style.look(entry.section, entry.name)
        if entry.section in ("terrain", "tag"):
            box = {"x": number(x), "y": number(y), "width": SAMPLE, "height": 26, "rx": 4}
            yield element("rect", fill=self.paper["sea" if look.get("water") else "ground"], **box)
            if look.get("alpha") and not look.get("water"):
                yield element("rect", fill=look["tint"], fill_opacity=look["alpha"], **box)
            if look.get("pattern"):
                yield symbols.swatch(look["pattern"], look["ink"], x + 4, middle, SAMPLE - 8)
            yield element("rect", fill="none", stroke=self.paper["rule"], stroke_opacity=0.5, stroke_width=1, **box)
        else:
            points = np.array([(x + 2.0, middle + 1), (x + SAMPLE - 2.0, middle + 1)])
            yield from lines.sample(look, points)

    def provenance(self) -> list[str]:
        """Return what of the map is stated, found and reconstructed, set to the width of the sheet."""

        def tally(sources: Sequence[str]) -> str:
            stated = sum(source.startswith("rulebook") for source in sources)
            found = sum(source.startswith("found") for source in sources)
            parts = [f"{stated} stated by the rulebook"] if stated else []
            parts += [f"{found} found in published charts"] if found else []
            return ", ".join([*parts, f"{len(sources) - stated - found} reconstructed"])

        words = (
            f"A reconstruction, not the printed map. Hexes: {tally(self.board.sources)}. "
            f"Hexside features: {tally([side.source for side in self.board.sides])}. "
            "Reconstructed means drawn from geography, history and the rulebook's arithmetic; every line of the board's files "
            f"says which. Coast: {coast.SOURCE.split(',')[0]}, moved where the board's hexes say otherwise. Relief: surveyed "
            "heights and outlines; forms finer than a few kilometres are decoration."
        ).split()
        found, line = [], ""
        for word in words:
            longer = f"{line} {word}".strip()
            if typeface.width(longer, "sans", 14) > self.map_width:
                found.append(line)
                longer = word
            line = longer
        return [*found, line]


def sentence(name: str) -> str:
    """Return a kind's name as the legend writes it.

    >>> sentence("minor-city")
    'Minor city'
    """
    words = name.replace("-", " ")
    return words[:1].upper() + words[1:]
