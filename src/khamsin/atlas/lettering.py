"""Places: their signs and names, the large before the small."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from khamsin.atlas import labels, style, symbols
from khamsin.atlas.canvas import Canvas
from khamsin.atlas.ink import text

AROUND = np.radians([90, 60, 120, 180, 0, 240, 300])
"""Positions of a second sign around the first, best first."""


class Lettering:
    """The places of one board."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self.gaps: dict[int, float] = defaultdict(lambda: 3.0)
        self.drawn: dict[str, list[str]] = defaultdict(list)

    @cached_property
    def chief(self) -> dict[int, str]:
        """For each hex with a place the sign of the chief one."""
        found: dict[int, str] = {}
        for place in sorted(self.canvas.board.places, key=lambda place: place.rank):
            found.setdefault(place.hex, _look(place.kind)["symbol"])
        return found

    @cached_property
    def badges(self) -> dict[int, list[str]]:
        """Return for each hex the signs of its tags, its areas and its places' kinds."""
        board, table = self.canvas.board, style.table()["badge"]
        said = [(hex, tag) for hex, tags in enumerate(board.tags) for tag in sorted(tags)]
        said += [(area.hexes[0], area.kind) for area in board.areas.values() if len(area.hexes) == 1]
        said += [(place.hex, word) for place in board.places for word in place.kind.split()[1:]]
        found: dict[int, list[str]] = defaultdict(list)
        for hex, word in said:
            symbol = table.get(word, {}).get("symbol")
            if symbol and symbol not in found[hex] and symbol != self.chief.get(hex):
                found[hex].append(symbol)
        return {hex: badges for hex, badges in found.items() if badges}

    def used(self) -> set[str]:
        """Return all signs on the map."""
        return set(self.chief.values()) | {symbol for badges in self.badges.values() for symbol in badges}

    def signs(self) -> Iterator[str]:
        """Yield the sign of the chief place of each hex, and next to it those of its other features."""
        for hex, symbol in self.chief.items():
            if symbol in symbols.PLACES:
                self.gaps[hex] = self._put(symbol, *self.canvas.px(self.canvas.stands[hex]))
        for hex, badges in self.badges.items():
            x, y = self.canvas.px(self.canvas.stands[hex])
            rest = list(badges)
            if hex not in self.chief:
                self.gaps[hex] = self._put(rest.pop(0), x, y)
            for badge in rest:
                gap = symbols.PLACES[badge][2] + self.gaps[hex] + 1.5
                spots = [(x + gap * np.cos(turn), y + gap * np.sin(turn)) for turn in AROUND]
                self._put(badge, *min(spots, key=lambda spot: self._crowd(*spot)))
        for symbol, shapes in self.drawn.items():
            yield symbols.draw(symbol, "".join(shapes))

    def names(self) -> Iterator[str]:
        """Yield the names of all places."""
        for place in sorted(self.canvas.board.places, key=lambda place: (place.rank, place.name)):
            look, rank = _look(place.kind), style.look("rank", str(min(place.rank, 5)))
            bold = look.get("face") == "roman" and rank.get("bold", False)
            x, y = self.canvas.px(self.canvas.stands[place.hex])
            label = labels.place(
                self.canvas.room, place.name, x, y, rank["size"], "serif-bold" if bold else "serif-italic",
                self.gaps[place.hex] + 2 if look["symbol"] in symbols.PLACES else 0.0,
            )  # fmt: skip
            yield text(
                label.words, label.x, label.y, label.size, anchor=label.anchor, bold=bold, italic=not bold,
                fill=look.get("colour"),
            )  # fmt: skip

    def _put(self, symbol: str, x: float, y: float) -> float:
        """Draw a sign and take its space; return the space it needs."""
        shape, _, gap = symbols.PLACES[symbol]
        self.drawn[symbol].append(shape(x, y))
        self.canvas.room.box(x - gap, y - gap, x + gap, y + gap, labels.TAKEN / 10)
        return gap

    def _crowd(self, x: float, y: float) -> float:
        return self.canvas.room.cost(x - 7, y - 7, x + 7, y + 7)


def _look(kind: str) -> style.Entry:
    """Return how a place is drawn: by its kind, else by the first word of it, which is the chief one ("town port")."""
    return style.look("place", kind if kind in style.table()["place"] else kind.split()[0])
