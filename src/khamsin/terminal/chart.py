"""The map in characters, drawn from the board alone.

Hexes are drawn as bricks: those of one lane are side by side, and the next lane is shifted by half a brick. So every
hex touches six others, each of its six sides is a stretch of one edge, and a line from centre to centre crosses the
right one.

With colour, ground, hexsides, roads and units differ by it; without colour they differ by their signs alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from rich.style import Style
from rich.text import Text

from khamsin.kernel.board import Board, HexsideKind, Terrain

ROW_ZOOMS = ((2, 1), (4, 2), (6, 3), (10, 4))
COLUMN_ZOOMS = ((2, 1), (4, 2), (6, 4), (10, 6))
"""Width and height of a hex at each zoom, from far to near, where lanes are rows and where they are columns."""

OPEN, CHOSEN = "#d0a73a", "#ffffff"
"""The background of a hex that can be clicked and of the hex that the decision is about."""
SIDES = (("#ffffff", "#9b2226"), ("#06141b", "#94d2bd"), ("#ffffff", "#5a3e85"), ("#000000", "#d9d9d9"))
"""Text and background of each side's units."""
FAINT, MARGIN = "#7d7056", "dim"

LAND = "#3b3426"
GROUNDS = (
    (("sea", "lake", "water"), "~", "#12304d"),
    (("marsh", "swamp", "depression", "delta"), '"', "#2c4a40"),
    (("mountain", "jebel"), "A", "#6b4e35"),
    (("rough", "hill", "broken"), "^", "#544430"),
    (("sand", "desert", "dune"), ":", "#574b2a"),
    (("city", "town"), "#", "#4f4f55"),
)
"""The sign and background of terrain by a word in its name; other ground is plain land, and ground no unit enters is
water."""


@dataclass(frozen=True)
class Ink:
    """How one kind of hexside or line is drawn: the signs for an edge or line that runs level, upright, rising and falling,
    the same in plain ASCII, and its colour."""

    signs: str
    plain: str
    colour: str


LINES = (
    (("rail",), Ink("═║╱╲", "=H/\\", "#9aa5b1")),
    (("main road", "primary road", "highway"), Ink("━┃╱╲", "-|/\\", "#ffb56b")),
    (("road",), Ink("─│╱╲", "-|/\\", "#ffb56b")),
    (("",), Ink("╌╎╱╲", "-|/\\", "#a58b63")),
)
EDGES = (
    (("border", "perimeter"), Ink("┈┊┊┊", "::::", "#8d8d8d")),
    (("river", "wadi", "lake", "water"), Ink("≈≀≀≀", "%%%%", "#4ea8de")),
    (("prohibit", "impass"), Ink("━┃┃┃", "XXXX", "#ff595e")),
    (("",), Ink("┬├├├", "####", "#c07f4a")),
)
"""Lines across hexsides, and features along them, by a word in the name of their kind."""


@cache
def ground(terrain: Terrain) -> tuple[str, str]:
    """Return the sign and the colour of a terrain.

    >>> ground(Terrain("low hills", True))
    ('^', '#544430')
    """
    for words, sign, colour in GROUNDS:
        if any(word in terrain.name for word in words):
            return sign, colour
    return (".", LAND) if terrain.enterable else GROUNDS[0][1:]


def ink(kind: HexsideKind) -> Ink:
    """How a kind of hexside feature or line is drawn."""
    choices = LINES if kind.across else EDGES
    return next(found for words, found in choices if any(word in kind.name for word in words))


@dataclass(frozen=True)
class HexLabel:
    """The label of a hex besides the map: the units in it, and the effect of a click there."""

    label: str = ""
    """The stack in three letters."""
    names: tuple[str, ...] = ()
    """Its units, for a near view."""
    side: int = -1
    """The side of the units; negative if there are none."""
    legal: bool = False
    hint: str = ""
    """The cost or effect of the click, in a few letters."""
    chosen: bool = False
    """Whether the decision is about units here."""


NO_MARK = HexLabel()


@dataclass
class View:
    """The visible part of the board: its centre hex and the zoom."""

    centre: int = 0
    zoom: int = 1


class HexMap:
    """A board, ready to be drawn. `colour` and `ascii` say what the terminal can show."""

    def __init__(self, board: Board, colour: bool = True, ascii: bool = False) -> None:
        self.board = board
        self.colour = colour
        self.ascii = ascii
        self.zooms = ROW_ZOOMS if board.scheme.rows else COLUMN_ZOOMS
        self._kinds: dict[int, list[tuple[int, HexsideKind]]] = {}
        """For each hex the features on its sides, each named from one of the two hexes only."""
        kinds = {kind.name: kind for kind in board.side_kinds}
        for side in board.sides:
            self._kinds.setdefault(side.a, []).append((board.direction(side.a, side.b), kinds[side.kind]))
        self._crossed: dict[int, HexsideKind] = {}
        """For each hex the first kind of line through it."""
        for kind in reversed([kind for kind in board.side_kinds if kind.across]):
            for side in board.sides:
                if side.kind == kind.name:
                    self._crossed[side.a] = self._crossed[side.b] = kind
        self._places = sorted(board.places, key=lambda place: place.rank)
        self._rank = {place.hex: place.rank for place in reversed(self._places)}
        pattern = re.compile(board.scheme.pattern)
        groups = [found.groupdict() for name in board.names[: board.size] if (found := pattern.fullmatch(name))]
        lanes = [group.get("map", "") + group["lane"] for group in groups]
        steps = [group["step"] for group in groups]
        self._rows, self._columns = (lanes, steps) if board.scheme.rows else (steps, lanes)
        self._gutter = max(map(len, self._rows)) + 1

    def corner(self, hex: int, zoom: int) -> tuple[int, int]:
        """Return the top left character of a hex on the whole map: x east, y south."""
        width, height = self.zooms[zoom]
        q, r = self.board.axial[hex]
        if self.board.scheme.rows:
            return (2 * q + r) * width // 2, -r * height
        return r * width, -((2 * q + r) * height // 2)

    def origin(self, view: View, columns: int, lines: int) -> tuple[int, int]:
        """Return the left top character of a window: the centre in its middle, and as little empty space as possible."""
        w, h = self.zooms[view.zoom]
        corners = [self.corner(hex, view.zoom) for hex in self.board]
        x, y = corners[view.centre]
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        left = _within(x + w // 2 - columns // 2, min(xs), max(xs) + w + 1, columns)
        top = _within(y + h // 2 - lines // 2, min(ys), max(ys) + h, lines)
        return left, top

    def sees(self, view: View, hex: int, width: int, height: int, margin: int = 1) -> bool:
        """Whether a hex is in the window that `draw` shows, at least some hexes from its edge."""
        columns, lines = width - self._gutter, height - 1
        left, top = self.origin(view, columns, lines)
        w, h = self.zooms[view.zoom]
        x, y = self.corner(hex, view.zoom)
        across = left + margin * w <= x <= left + columns - (margin + 1) * w
        return across and top + margin * h <= y <= top + lines - (margin + 1) * h

    def draw(self, view: View, width: int, height: int, marks: Mapping[int, HexLabel]) -> list[Text]:
        """Return a window of the map, with the numbers of rows and columns in its margins."""
        columns, lines = max(1, width - self._gutter), max(1, height - 1)
        left, top = self.origin(view, columns, lines)
        w, h = self.zooms[view.zoom]
        seen: dict[int, Brick] = {}
        for hex in self.board:
            x, y = self.corner(hex, view.zoom)
            if -w < x - left < columns and -h < y - top < lines:
                seen[hex] = Brick(x - left, y - top, w, h)
        canvas = Canvas(columns, lines)
        for hex, brick in seen.items():
            canvas.lay(brick.x, brick.y, w, h, ground(self.board.terrains[self.board.terrain[hex]])[1])
        if h > 1:
            for hex, brick in seen.items():
                self._draw_edges(canvas, hex, brick)
            for hex, brick in seen.items():
                self._draw_lines(canvas, hex, brick)
        marked = {hex: mark for hex, mark in marks.items() if hex in seen and (mark.legal or mark.chosen)}
        for hex in sorted(marked, key=lambda hex: marked[hex].chosen):
            brick = seen[hex]
            colour = CHOSEN if marked[hex].chosen else OPEN
            canvas.lay(brick.x, brick.y + (h > 1), w + (h > 1), max(1, h - 1), colour)
        for hex, brick in seen.items():
            if h > 1:
                self._fill(canvas, hex, brick, marks.get(hex, NO_MARK))
            else:
                self._dot(canvas, hex, brick, marks.get(hex, NO_MARK))
        if h > 1:
            self._name_places(canvas, seen)
        return [self._ruler(seen, columns), *self._numbered(canvas.text(), seen)]

    def _draw_edges(self, canvas: Canvas, hex: int, brick: Brick) -> None:
        for direction, kind in self._kinds.get(hex, ()):
            if not kind.across:
                signs, colour = self._signs(kind)
                for x, y in brick.edge(direction, self.board.scheme.rows):
                    canvas.put(x, y, signs[0 if y == brick.y or y == brick.y + brick.h else 1], colour)

    def _draw_lines(self, canvas: Canvas, hex: int, brick: Brick) -> None:
        for direction, kind in reversed(self._kinds.get(hex, [])):
            if kind.across:
                signs, colour = self._signs(kind)
                for x, y, slope in brick.line(direction, self.board.scheme.rows):
                    canvas.put(x, y, signs[slope], colour)

    def _signs(self, kind: HexsideKind) -> tuple[str, str]:
        how = ink(kind)
        return (how.plain if self.ascii else how.signs), how.colour

    def _fill(self, canvas: Canvas, hex: int, brick: Brick, mark: HexLabel) -> None:
        """Draw a hex: its units and the effect of a click there, else its place or terrain."""
        x, y, w, h = brick.x, brick.y + 1, brick.w, brick.h - 1
        lines: list[tuple[str, str, str]] = []
        if mark.side >= 0:
            texts = mark.names if w >= 10 else (mark.label,)
            if len(texts) > h:
                texts = (*texts[: h - 1], f"+{len(texts) - h + 1} more")
            colours = SIDES[mark.side % len(SIDES)]
            lines += [(text[: w - 1].center(w - 1), *colours) for text in texts]
        if mark.legal and len(lines) < h:
            lines.append((mark.hint[: w - 1].center(w - 1), "#000000", ""))
        for number, (text, colour, back) in enumerate(lines):
            canvas.write(x + 1, y + number, text, colour, back, bold=True)
        if not self.colour and (mark.legal or mark.chosen):
            left, right = "[]" if mark.chosen else "()"
            canvas.write(x, y, left)
            canvas.write(x + w, y, right)
        if lines or mark.chosen:
            return
        sign, _ = ground(self.board.terrains[self.board.terrain[hex]])
        if hex in self._rank:
            canvas.write(x + w // 2, y, "o" if self.ascii else "•", "#ffffff", bold=True)
        elif canvas.blank(x + w // 2, y) and not (self.colour and sign == "~"):
            canvas.put(x + w // 2, y, "·" if sign == "." and not self.ascii else sign, FAINT)
        if w >= 10 and self.board.enterable(hex):
            canvas.scribble(x + 1, y + h - 1, self.board.names[hex], FAINT)

    def _dot(self, canvas: Canvas, hex: int, brick: Brick, mark: HexLabel) -> None:
        """A hex in the far view, in two characters."""
        x, y = brick.x, brick.y
        if mark.side >= 0:
            count = str(len(mark.names)) if len(mark.names) < 10 else "+"
            first = mark.label[:1]
            if mark.chosen or mark.legal:
                first = "@" if mark.chosen else "*" if not self.colour else first
            canvas.write(x, y, first + count, *SIDES[mark.side % len(SIDES)], bold=True)
        elif mark.chosen or mark.legal:
            canvas.write(x, y, "@" if mark.chosen else "" if self.colour else "*", "#000000")
        elif self._rank.get(hex, 9) <= 2:
            canvas.write(x, y, "o" if self.ascii else "•", "#ffffff")
        elif hex in self._crossed and self.colour:
            signs, colour = self._signs(self._crossed[hex])
            canvas.put(x, y, signs[0], colour)
        else:
            sign, _ = ground(self.board.terrains[self.board.terrain[hex]])
            if not self.colour or sign not in ".~":
                canvas.put(x, y, sign, FAINT)

    def _name_places(self, canvas: Canvas, seen: Mapping[int, Brick]) -> None:
        """Write the names of places, the greater first, where there is free space."""
        named: set[int] = set()
        for place in self._places:
            if place.hex not in seen or place.hex in named:
                continue
            brick = seen[place.hex]
            name = _bare(place.name) if self.ascii else place.name
            middle = brick.x + brick.w // 2
            start = middle - len(name) // 2
            for x, y in (
                (start, brick.y + 2), (middle + 2, brick.y + 1), (start, brick.y), (middle - 1 - len(name), brick.y + 1),
                (middle, brick.y + 2), (middle, brick.y),
            ):  # fmt: skip
                if canvas.free(x - 1, y, len(name) + 2):
                    canvas.write(x, y, name, "#ffffff" if place.rank <= 2 else "#d8cfb8")
                    named.add(place.hex)
                    break

    def _ruler(self, seen: Mapping[int, Brick], columns: int) -> Text:
        """Return the numbers above the map: of the columns, or if lanes are rows of the hexes in the first whole row."""
        if self.board.scheme.rows:
            first = min((brick.y for brick in seen.values() if brick.y >= 0), default=0)
            shown = {hex: brick for hex, brick in seen.items() if brick.y == first}
        else:
            one_a_column = {brick.x: hex for hex, brick in seen.items()}
            shown = {hex: seen[hex] for hex in one_a_column.values()}
        line = [" "] * columns
        end = -1
        for hex, brick in sorted(shown.items(), key=lambda item: item[1].x):
            label = self._columns[hex]
            x = brick.x + (brick.w - len(label) + 1) // 2
            if x > end and x + len(label) <= columns:
                line[x : x + len(label)] = label
                end = x + len(label)
        return Text(" " * self._gutter + "".join(line), style=MARGIN)

    def _numbered(self, lines: list[Text], seen: Mapping[int, Brick]) -> list[Text]:
        """Return the lines of the map with the number of each row before it."""
        labels: dict[int, str] = {}
        first = min((brick.x for brick in seen.values() if brick.x >= 0), default=0)
        for hex, brick in seen.items():
            if self.board.scheme.rows or brick.x == first:
                labels[brick.y + (brick.h > 1)] = self._rows[hex]
        return [
            Text.assemble((labels.get(number, "").rjust(self._gutter - 1) + " ", MARGIN), line)
            for number, line in enumerate(lines)
        ]


class Brick(NamedTuple):
    """A hex on the canvas: its left top character and its size."""

    x: int
    y: int
    w: int
    h: int

    def edge(self, direction: int, rows: bool) -> list[tuple[int, int]]:
        """Return the characters of the hexside towards a direction, the same from both its hexes."""
        x, y, w, h = self
        if rows:
            half = w // 2
            return [
                [(x + w, y + i) for i in range(1, h)],
                [(x + half + i, y) for i in range(half)],
                [(x + i, y) for i in range(half)],
                [(x, y + i) for i in range(1, h)],
                [(x + i, y + h) for i in range(half)],
                [(x + half + i, y + h) for i in range(half)],
            ][direction]
        half = h // 2
        return [
            [(x + i, y) for i in range(1, w)],
            [(x + w, y + i) for i in range(half)],
            [(x + w, y + half + i) for i in range(half)],
            [(x + i, y + h) for i in range(1, w)],
            [(x, y + half + i) for i in range(half)],
            [(x, y + i) for i in range(half)],
        ][direction]

    def line(self, direction: int, rows: bool) -> Iterator[tuple[int, int, int]]:
        """Return the characters from the centre to that of a neighbour, each with its slope: 0 level, 1 upright, 2
        rising, 3 falling."""
        w, h = self.w, self.h
        if rows:
            dx, dy = ((w, 0), (w // 2, -h), (-(w // 2), -h), (-w, 0), (-(w // 2), h), (w // 2, h))[direction]
        else:
            dx, dy = ((0, -h), (w, -(h // 2)), (w, h // 2), (0, h), (-w, h // 2), (-w, -(h // 2)))[direction]
        slope = 0 if dy == 0 else 1 if dx == 0 else 2 if dx * dy < 0 else 3
        x, y, steps = self.x + w // 2, self.y + 1, max(abs(dx), abs(dy))
        for i in range(steps + 1):
            yield x + round(dx * i / steps), y + round(dy * i / steps), slope


class Canvas:
    """Characters with their colours; what is outside is not drawn."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._signs = [[" "] * width for _ in range(height)]
        self._colours = [[""] * width for _ in range(height)]
        self._grounds = [[""] * width for _ in range(height)]
        self._bold = [[False] * width for _ in range(height)]
        self._taken = [[False] * width for _ in range(height)]

    def lay(self, x: int, y: int, width: int, height: int, ground: str) -> None:
        """Colour the ground of a rectangle."""
        left, right = max(0, x), min(self.width, x + width)
        for line in range(max(0, y), min(self.height, y + height)):
            if left < right:
                self._grounds[line][left:right] = [ground] * (right - left)

    def put(self, x: int, y: int, sign: str, colour: str) -> None:
        """Draw one character."""
        if 0 <= x < self.width and 0 <= y < self.height:
            self._signs[y][x], self._colours[y][x] = sign, colour

    def write(self, x: int, y: int, text: str, colour: str = "", ground: str = "", bold: bool = False) -> None:
        """Write text that later calls do not overwrite."""
        for i, sign in enumerate(text):
            if 0 <= x + i < self.width and 0 <= y < self.height:
                self.put(x + i, y, sign, colour)
                self._bold[y][x + i] = bold
                self._taken[y][x + i] = True
                if ground:
                    self._grounds[y][x + i] = ground

    def scribble(self, x: int, y: int, text: str, colour: str) -> None:
        """Write where the canvas is free."""
        if all(self.blank(x + i, y) for i in range(len(text))):
            for i, sign in enumerate(text):
                self.put(x + i, y, sign, colour)

    def blank(self, x: int, y: int) -> bool:
        """Whether nothing is drawn at a point."""
        return 0 <= x < self.width and 0 <= y < self.height and self._signs[y][x] == " "

    def free(self, x: int, y: int, width: int) -> bool:
        """Whether part of a line is inside and free."""
        return 0 <= y < self.height and x >= 0 and x + width <= self.width and not any(self._taken[y][x : x + width])

    def text(self) -> list[Text]:
        """Return the lines, as rich prints them."""
        lines = []
        for y in range(self.height):
            text = Text(no_wrap=True, end="")
            start = 0
            looks = list(zip(self._colours[y], self._grounds[y], self._bold[y], strict=True))
            for x in range(1, self.width + 1):
                if x == self.width or looks[x] != looks[start]:
                    text.append("".join(self._signs[y][start:x]), _style(*looks[start]))
                    start = x
            lines.append(text)
        return lines


@cache
def _style(colour: str, ground: str, bold: bool) -> Style:
    return Style(color=colour or None, bgcolor=ground or None, bold=bold or None)


def _bare(text: str) -> str:
    """Return a text in plain ASCII, without its accents."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


def _within(start: int, low: int, high: int, length: int) -> int:
    """Return where a window of a length begins so that it shows nothing beyond low and high, or has them in its middle."""
    if high - low <= length:
        return low - (length - (high - low)) // 2
    return min(max(start, low), high - length)
