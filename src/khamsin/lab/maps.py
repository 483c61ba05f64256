"""Heat maps: a value per hex, drawn over the outline of the board."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape

from khamsin.kernel.board import Board

WIDTH = 1000.0
SEA, LAND, EDGE, INK = "#cfdce0", "#f3eddf", "#e4dac6", "#3a332a"
RANKS = 3
"""Places of this rank and above are labelled where there is room."""
HEAT = ("#f7dfa6", "#f0b65f", "#e2823b", "#c04a26", "#7d1d1a")
"""Colours from low to high."""
PALE = "#f3eddf"


class HexMap:
    """A drawing of the board (hexes, water, roads, places) that all heat maps of a page share."""

    def __init__(self, board: Board) -> None:
        self.board = board
        centres = [board.scheme.centre(axial) for axial in board.axial]
        corners = board.scheme.corners()
        reach_x, reach_y = (max(abs(corner[i]) for corner in corners) for i in (0, 1))
        west, east = min(x for x, _ in centres) - reach_x, max(x for x, _ in centres) + reach_x
        south, north = min(y for _, y in centres) - reach_y, max(y for _, y in centres) + reach_y
        self.scale = WIDTH / (east - west)
        self.height = (north - south) * self.scale
        self.at = [((x - west) * self.scale, (north - y) * self.scale) for x, y in centres]
        self.shape = "M" + "L".join(f"{x * self.scale:.1f} {-y * self.scale:.1f}" for x, y in corners) + "z"

    def base(self) -> str:
        """Return the base map that all heat maps of the page refer to. Include it once."""
        land: list[str] = []
        sea: list[str] = []
        for hex in self.board:
            (land if self.board.enterable(hex) else sea).append(self._hex(hex))
        roads = "".join(
            f"M{self._point(side.a)}L{self._point(side.b)}" for side in self.board.sides if "road" in side.kind
        )
        return (
            f'<svg width="0" height="0" style="position:absolute"><defs><path id="h" d="{self.shape}"/><g id="base">'
            f'<g fill="{LAND}" stroke="{EDGE}" stroke-width=".6">{"".join(land)}</g>'
            f'<g fill="{SEA}" stroke="{SEA}" stroke-width=".6">{"".join(sea)}</g></g>'
            f'<g id="over"><path d="{roads}" fill="none" stroke="{INK}" stroke-width=".8" opacity=".45"/>'
            f"{self._names()}</g></defs></svg>"
        )

    def heat(self, values: Mapping[str, float], unit: str) -> str:
        """Return a map of values from 0 upwards, with its legend."""
        most = max(values.values(), default=0.0)
        marks = self._marks(values, lambda value: _mix(HEAT, (value / most) ** 0.6), unit) if most else ""
        key = "".join(
            f'<span><i style="background:{colour}"></i>{most * ((n + 1) / len(HEAT)) ** (1 / 0.6):.2g}</span>'
            for n, colour in enumerate(HEAT)
        )
        return f'{self._map(marks)}<p class="key">{key if most else "none"} {escape(unit)}</p>'

    def divided(self, values: Mapping[str, float], names: tuple[str, str], colours: tuple[str, str]) -> str:
        """Return a map of values from -1 (all the second side's) to 1 (all the first's), with its legend."""
        scale = (colours[1], PALE, colours[0])
        marks = self._marks(values, lambda value: _mix(scale, (value + 1) / 2), "")
        key = (
            f'<span><i style="background:{colours[0]}"></i>always {escape(names[0])}</span>'
            f'<span><i style="background:{PALE}"></i>contested</span>'
            f'<span><i style="background:{colours[1]}"></i>always {escape(names[1])}</span>'
        )
        return f'{self._map(marks)}<p class="key">{key}</p>'

    def _marks(self, values: Mapping[str, float], colour: Callable[[float], str], unit: str) -> str:
        drawn = []
        for name, value in values.items():
            hex = self.board[name]
            place = self.board.place_in(hex)
            words = f"{name}{' ' + place if place else ''}: {value:.3g} {unit}".strip()
            x, y = self.at[hex]
            drawn.append(
                f'<use href="#h" x="{x:.1f}" y="{y:.1f}" fill="{colour(value)}"><title>{escape(words)}</title></use>'
            )
        return f'<g class="heat">{"".join(drawn)}</g>'

    def _map(self, marks: str) -> str:
        return (
            f'<svg class="map" viewBox="0 0 {WIDTH:.0f} {self.height:.0f}" role="img"><use href="#base"/>{marks}'
            '<use href="#over" style="pointer-events:none"/></svg>'
        )

    def _hex(self, hex: int) -> str:
        x, y = self.at[hex]
        return f'<use href="#h" x="{x:.1f}" y="{y:.1f}"/>'

    def _point(self, hex: int) -> str:
        x, y = self.at[hex]
        return f"{x:.1f} {y:.1f}"

    def _names(self) -> str:
        """Return the labels of the larger places that do not overlap those of larger ones."""
        taken: list[tuple[float, float, float]] = []
        drawn = []
        for place in sorted(self.board.places, key=lambda place: place.rank):
            x, y = self.at[place.hex]
            long = 7.5 * len(place.name)
            anchor, left = ("end", x - 6 - long) if x + long > WIDTH - 10 else ("start", x + 6)
            if place.rank > RANKS or any(
                abs(y - other_y) < 16 and left < end and other < left + long for other, end, other_y in taken
            ):
                continue
            taken.append((left, left + long, y))
            shift = -6 if anchor == "end" else 6
            drawn.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.4" fill="{INK}"/>'
                f'<text x="{x + shift:.1f}" y="{y + 4:.1f}" text-anchor="{anchor}" font-size="13" fill="{INK}" '
                f'stroke="#fbf8f0" stroke-width="2.6" paint-order="stroke">{escape(place.name)}</text>'
            )
        return "".join(drawn)


def _mix(colours: tuple[str, ...], share: float) -> str:
    """Return a colour of a scale at a share from 0 to 1.

    >>> _mix(("#000000", "#ffffff"), 0.5)
    '#808080'
    """
    at = min(max(share, 0.0), 1.0) * (len(colours) - 1)
    low = min(int(at), len(colours) - 2)
    part = at - low
    one, two = (tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5)) for colour in (colours[low], colours[low + 1]))
    return "#" + "".join(f"{int(a + (b - a) * part + 0.5):02x}" for a, b in zip(one, two, strict=True))
