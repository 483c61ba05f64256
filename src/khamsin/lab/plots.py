"""Plots as inline SVG: bars with intervals, histograms, curves with bands. Each is a string for an HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import floor, log10
from typing import Any, NamedTuple

WIDTH = 520
"""Size of a plot, in SVG units."""
INK, FAINT, GRID = "#2b2620", "#7a7164", "#e2d9c8"


class Series(NamedTuple):
    """A curve: name, colour and the distribution of values by turn (see `report.curve`)."""

    name: str
    colour: str
    points: Sequence[Mapping[str, Any]]


class Bar(NamedTuple):
    """A share with its interval."""

    name: str
    note: str
    colour: str
    value: float
    low: float
    high: float


def shares(bars: Sequence[Bar]) -> str:
    """Return horizontal bars from 0 to 100 %, each with a whisker for its interval."""
    left, right, row, top = 150, 60, 34, 8
    width, height = WIDTH - left - right, top + row * len(bars) + 24
    parts = [
        f'<line x1="{_n(left + width * share)}" x2="{_n(left + width * share)}" y1="{top}" y2="{height - 20}" stroke="{GRID}"/>'
        f"{_text(left + width * share, height - 6, f'{share:.0%}', 'middle', FAINT)}"
        for share in (0, 0.25, 0.5, 0.75, 1)
    ]
    for number, bar in enumerate(bars):
        y = top + row * number + row / 2
        low, high = left + width * bar.low, left + width * bar.high
        parts += [
            f"<g><title>{escape(bar.name)}: {bar.value:.1%}, 95 % interval {bar.low:.1%} to {bar.high:.1%}</title>",
            _text(left - 10, y - 1, bar.name, "end", INK, 14, bold=True),
            _text(left - 10, y + 12, bar.note, "end", FAINT),
            f'<rect x="{left}" y="{_n(y - 9)}" width="{_n(width * bar.value)}" height="18" rx="2" fill="{bar.colour}"/>',
            f'<path d="M{_n(low)} {_n(y)}H{_n(high)}M{_n(low)} {_n(y - 5)}v10M{_n(high)} {_n(y - 5)}v10" '
            f'stroke="{INK}" stroke-width="1.5" fill="none"/>',
            _text(left + width + 8, y + 5, f"{bar.value:.1%}", "start", INK, 14),
            "</g>",
        ]
    return _svg(WIDTH, height, parts)


def histogram(series: Sequence[tuple[str, str, Mapping[str, int]]], axis: str) -> str:
    """Return a histogram of integers for one or two series, each with name, colour and counts."""
    values = sorted({float(value) for _, _, times in series for value in times})
    if not values:
        return ""
    first, last = int(values[0]), int(values[-1])
    if last - first < 4:
        first, last = first - 2, last + 2
    steps = list(range(first, last + 1))
    left, top, width, height = 44, 12, WIDTH - 60, 160
    most = max((count for *_, times in series for count in times.values()), default=1)
    slot = width / len(steps)
    thick = slot * 0.8 / len(series)
    parts = _grid(left, top, width, height, 0, most)
    for at, (name, colour, times) in enumerate(series):
        for number, step in enumerate(steps):
            count = times.get(str(step), 0)
            if count:
                tall = height * count / _ceiling(most)
                x = left + slot * number + slot * 0.1 + thick * at
                parts.append(
                    f'<rect x="{_n(x)}" y="{_n(top + height - tall)}" width="{_n(thick)}" height="{_n(tall)}" '
                    f'fill="{colour}"><title>{escape(name)} {axis} {step}: {count} games</title></rect>'
                )
    every = max(1, round(len(steps) / 12))
    parts += [
        _text(left + slot * (number + 0.5), top + height + 16, str(step), "middle", FAINT)
        for number, step in enumerate(steps)
        if number % every == 0
    ]
    parts.append(_text(left + width / 2, top + height + 34, axis, "middle", FAINT))
    return _svg(WIDTH, top + height + 42, parts)


def curves(series: Sequence[Series], zero: bool = False) -> str:
    """Return medians by turn as lines, with bands from the 10th to the 90th and from the 25th to the 75th percentile;
    `zero` draws a zero line."""
    points = [point for one in series for point in one.points]
    if not points:
        return ""
    left, top, width, height = 52, 14, WIDTH - 70, 200
    first, last = min(p["turn"] for p in points), max(p["turn"] for p in points)
    low, high = float(min(p["p10"] for p in points)), float(max(p["p90"] for p in points))
    low, high = (min(low, 0.0), max(high, 0.0)) if zero else (low, high)
    if high - low < 1e-9:
        low, high = low - 1, high + 1
    ticks = _ticks(low, high)
    low, high = min(low, ticks[0]), max(high, ticks[-1])

    def x(turn: float) -> float:
        return float(left + width * (turn - first) / max(1, last - first))

    def y(value: float) -> float:
        return top + height * (high - value) / (high - low)

    parts = [
        f'<line x1="{left}" x2="{left + width}" y1="{_n(y(tick))}" y2="{_n(y(tick))}" '
        f'stroke="{FAINT if zero and tick == 0 else GRID}"/>{_text(left - 6, y(tick) + 4, f"{tick:g}", "end", FAINT)}'
        for tick in ticks
    ]
    every = max(1, round((last - first) / 10))
    parts += [
        _text(x(turn), top + height + 16, "start" if turn == first else str(turn), "middle", FAINT)
        for turn in range(first, last + 1, every)
    ]
    for one in series:
        for outer, inner, opacity in (("p10", "p90", 0.14), ("p25", "p75", 0.22)):
            there = [f"{_n(x(p['turn']))} {_n(y(p[inner]))}" for p in one.points]
            back = [f"{_n(x(p['turn']))} {_n(y(p[outer]))}" for p in reversed(one.points)]
            parts.append(f'<path d="M{"L".join(there + back)}z" fill="{one.colour}" opacity="{opacity}"/>')
    for one in series:
        line = "L".join(f"{_n(x(p['turn']))} {_n(y(p['median']))}" for p in one.points)
        parts.append(f'<path d="M{line}" fill="none" stroke="{one.colour}" stroke-width="2.2"/>')
        parts += [
            f'<circle cx="{_n(x(p["turn"]))}" cy="{_n(y(p["median"]))}" r="7" opacity="0"><title>{escape(one.name)}, '
            f"turn {p['turn']}: median {p['median']:g}, half of the games from {p['p25']:g} to {p['p75']:g}</title></circle>"
            for p in one.points
        ]
    parts.append(_text(left + width / 2, top + height + 34, "turn", "middle", FAINT))
    return _svg(WIDTH, top + height + 42, parts)


def forest(rows: Sequence[tuple[str, Mapping[str, float]]], unit: str) -> str:
    """Return differences with their intervals around a zero line."""
    left, right, row, top = 150, 130, 30, 8
    width, height = WIDTH - left - right, top + row * len(rows) + 24
    reach = max(0.01, *(abs(value) for _, entry in rows for value in (entry["low"], entry["high"])))

    def x(value: float) -> float:
        return left + width * (value / reach + 1) / 2

    parts = [
        f'<line x1="{_n(x(value))}" x2="{_n(x(value))}" y1="{top}" y2="{height - 20}" '
        f'stroke="{FAINT if value == 0 else GRID}"/>'
        f"{_text(x(value), height - 6, _signed(value, unit), 'middle', FAINT)}"
        for value in (-reach, 0, reach)
    ]
    for number, (name, entry) in enumerate(rows):
        y = top + row * number + row / 2
        clear = entry["low"] > 0 or entry["high"] < 0
        colour = INK if clear else FAINT
        low, high = x(entry["low"]), x(entry["high"])
        parts += [
            _text(left - 10, y + 4, name, "end", INK, 13, bold=clear),
            f'<path d="M{_n(low)} {_n(y)}H{_n(high)}M{_n(low)} {_n(y - 5)}v10M{_n(high)} {_n(y - 5)}v10" '
            f'stroke="{colour}" stroke-width="1.5" fill="none"/>',
            f'<circle cx="{_n(x(entry["value"]))}" cy="{_n(y)}" r="4.5" fill="{colour}"/>',
            _text(
                left + width + 10, y + 4,
                f"{_signed(entry['value'], unit)} ({_signed(entry['low'], unit)}, {_signed(entry['high'], unit)})",
                "start", INK, 11,
            ),
        ]  # fmt: skip
    return _svg(WIDTH, height, parts)


def _signed(value: float, unit: str) -> str:
    return f"{100 * value:+.1f}" if unit == "%" else f"{value:+.3g}"


def _grid(left: float, top: float, width: float, height: float, low: float, high: float) -> list[str]:
    return [
        f'<line x1="{left}" x2="{left + width}" y1="{_n(y)}" y2="{_n(y)}" stroke="{GRID}"/>'
        f"{_text(left - 6, y + 4, f'{tick:g}', 'end', FAINT)}"
        for tick in _ticks(low, high)
        for y in [top + height * (1 - tick / _ceiling(high))]
    ]


def _ceiling(most: float) -> float:
    return _ticks(0, most)[-1]


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers that span a range.

    >>> _ticks(0, 37), _ticks(-1.2, 0.4)
    ([0, 10, 20, 30, 40], [-1.5, -1.0, -0.5, 0.0, 0.5])
    """
    rough = (high - low) / 4 or 1
    scale = 10 ** floor(log10(rough))
    step = next(scale * n for n in (1, 2, 2.5, 5, 10) if scale * n >= rough * 0.999)
    first = floor(low / step)
    count = -floor(-(high - first * step) / step - 1e-9) if high > first * step else 1
    return [round((first + n) * step, 10) for n in range(max(1, int(count)) + 1)]


def _text(x: float, y: float, words: str, anchor: str, fill: str, size: float = 11.5, bold: bool = False) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}" fill="{fill}" font-size="{size}"{weight}>'
        f"{escape(words)}</text>"
    )


def _svg(width: float, height: float, parts: Sequence[str]) -> str:
    return f'<svg viewBox="0 0 {_n(width)} {_n(height)}" role="img">{"".join(parts)}</svg>'


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
