"""Counters on a drawn map, simplified: the browser client draws them in full."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import escape

from khamsin.atlas import draw
from khamsin.kernel.board import Board

GROUND = ("#c9c4a2", "#d8b384", "#b9c7d6", "#cfd8c0")
"""The background of each side's counters."""
SIZE = 0.58
"""The size of a counter, in hexes."""


def write(board: Board, stacks: Mapping[int, list[tuple[str, int]]], file: Path, width: int | None) -> None:
    """Draw a board with stacks of (name, side) on it to an .svg or .png file."""
    if "geo" not in board.meta:
        raise ValueError(f"{board.game!r}: this board has no geography to draw")
    sheet = draw.sheet(board)
    marks = "".join(_stack(board, sheet, hex, units) for hex, units in sorted(stacks.items()) if board.is_hex(hex))
    svg = sheet.svg.removesuffix("</svg>") + f'<g id="counters" class="n">{marks}</g></svg>'
    draw.save(replace(sheet, svg=svg), file, width)


def _stack(board: Board, sheet: draw.Sheet, hex: int, units: list[tuple[str, int]]) -> str:
    x, y = sheet.point(*board.scheme.centre(board.axial[hex]))
    size = SIZE * sheet.scale
    text = []
    for layer, (name, side) in enumerate(units[:4]):
        shift = 3.0 * (min(len(units), 4) - 1 - layer)
        left, top = x - size / 2 + shift, y - size / 2 - shift
        text.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{size:.1f}" height="{size:.1f}" rx="3" '
            f'fill="{GROUND[side % len(GROUND)]}" stroke="#2b241b" stroke-width="1"/>'
        )
        if layer == min(len(units), 4) - 1:
            words = name.split(" ", 1)
            letters = min(10.0, 1.7 * size / max(len(word) for word in words))
            for line, word in enumerate(words):
                base = y - shift + (line - len(words) / 2 + 0.8) * 11
                text.append(
                    f'<text x="{x + shift:.1f}" y="{base:.1f}" font-size="{letters:.1f}" text-anchor="middle" '
                    f'fill="#2b241b">{escape(word)}</text>'
                )
    return "".join(text)
