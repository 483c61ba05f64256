"""Drawing in SVG: elements, numbers written short, and paths through points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray

Points = NDArray[np.float64]


def number(value: float) -> str:
    """Return a length to a tenth of a pixel.

    >>> number(3.04), number(12.5), number(-0.02)
    ('3', '12.5', '0')
    """
    text = f"{value:.1f}"
    text = text[:-2] if text.endswith(".0") else text
    return "0" if text == "-0" else text


def element(tag: str, *children: str, **attributes: object) -> str:
    """Return an element; attributes that are None are left out, underscores become hyphens.

    >>> element("g", element("path", d="M0 0", stroke_width=2.0), id="grid")
    '<g id="grid"><path d="M0 0" stroke-width="2"/></g>'
    """
    parts = [tag]
    for key, value in attributes.items():
        if value is None:
            continue
        text = number(value) if isinstance(value, float) and abs(value) >= 1 else str(value)
        parts.append(f'{key.rstrip("_").replace("_", "-")}="{escape(text)}"')
    head = " ".join(parts)
    return f"<{head}>{''.join(children)}</{tag}>" if children else f"<{head}/>"


def pair(point: Sequence[float] | Points) -> str:
    """Return a point, as paths write it.

    >>> pair((1.26, -3))
    '1.3-3'
    """
    x, y = number(float(point[0])), number(float(point[1]))
    return f"{x}{y}" if y.startswith("-") else f"{x} {y}"


def polyline(points: ArrayLike, close: bool = False) -> str:
    """Return a path of straight strokes.

    >>> polyline([(0, 0), (4, 0), (4, 3)], close=True)
    'M0 0L4 0 4 3z'
    """
    first, *rest = np.asarray(points, float)
    return f"M{pair(first)}L{' '.join(pair(p) for p in rest)}{'z' if close else ''}"


def contour(points: Points) -> str:
    """Return a closed path of straight strokes in steps of a tenth, relative, which is the shortest way to write a
    coast."""
    tenths = np.rint(points * 10).astype(int)
    steps = np.diff(tenths, axis=0)
    steps = steps[np.any(steps != 0, axis=1)]
    return f"M{pair(tenths[0] / 10)}l{' '.join(pair(step / 10) for step in steps)}z"


def spline(points: Points, tension: float = 0.5) -> str:
    """Return a smooth path through points (Catmull-Rom, as Bezier curves)."""
    if len(points) == 2:
        return polyline(points)
    ends = np.vstack([2 * points[0] - points[1], points, 2 * points[-1] - points[-2]])
    tangents = (ends[2:] - ends[:-2]) * tension
    curves = [
        f"{pair(points[i] + tangents[i] / 3)} {pair(points[i + 1] - tangents[i + 1] / 3)} {pair(points[i + 1])}"
        for i in range(len(points) - 1)
    ]
    return f"M{pair(points[0])}C{' '.join(curves)}"


def rounded(points: Points, radius: float, close: bool = False) -> str:
    """Return a path of straight strokes with its corners cut round."""
    count = len(points)
    corners = range(count) if close else range(1, count - 1)
    parts = [] if close else [f"M{pair(points[0])}"]
    for i in corners:
        before, here, after = points[i - 1], points[i], points[(i + 1) % count]
        enter, leave = _towards(here, before, radius), _towards(here, after, radius)
        parts.append(f"{'L' if parts else 'M'}{pair(enter)}Q{pair(here)} {pair(leave)}")
    parts.append("z" if close else f"L{pair(points[-1])}")
    return "".join(parts)


def dense(points: Points, radius: float, step: float = 1.5) -> Points:
    """Return the points of a rounded path, close together."""
    pieces = [points[:1]]
    for i in range(1, len(points) - 1):
        enter, leave = _towards(points[i], points[i - 1], radius), _towards(points[i], points[i + 1], radius)
        t = np.linspace(0, 1, 7)[:, None]
        pieces.append((1 - t) ** 2 * enter + 2 * t * (1 - t) * points[i] + t**2 * leave)
    corners = np.vstack([*pieces, points[-1:]])
    along = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(corners, axis=0).T))])
    marks = np.linspace(0, along[-1], max(2, int(along[-1] / step)))
    return np.stack([np.interp(marks, along, corners[:, 0]), np.interp(marks, along, corners[:, 1])], axis=1)


def spread(points: Points, step: float, first: float = 0.5) -> tuple[Points, Points]:
    """Points at even distances along a line, and the directions the line has there."""
    legs = np.hypot(*np.diff(points, axis=0).T)
    along = np.concatenate([[0], np.cumsum(legs)])
    count = max(1, round(along[-1] / step))
    marks = (np.arange(count) + first) * along[-1] / count
    at = np.stack([np.interp(marks, along, points[:, 0]), np.interp(marks, along, points[:, 1])], axis=1)
    ahead, behind = np.minimum(marks + 2, along[-1]), np.maximum(marks - 2, 0)
    heading = np.stack(
        [np.interp(ahead, along, points[:, k]) - np.interp(behind, along, points[:, k]) for k in (0, 1)], axis=1
    )
    return at, heading / np.maximum(np.hypot(*heading.T), 1e-9)[:, None]


def strokes(starts: Points, ends: Points) -> str:
    """Many single strokes as one path."""
    return "".join(f"M{pair(a)}L{pair(b)}" for a, b in zip(starts, ends, strict=True))


def text(
    words: str, x: float, y: float, size: float, *, anchor: str = "start", bold: bool = False, italic: bool = False,
    sans: bool = False, fill: str | None = None, spacing: float | None = None, **more: object,
) -> str:  # fmt: skip
    """Return a line of text; the family comes from the class, so that a page can change it."""
    return element(
        "text", escape(words), x=number(x), y=number(y), font_size=number(size),
        class_="n" if sans else "s", text_anchor=None if anchor == "start" else anchor,
        font_weight=(600 if sans else 700) if bold else None, font_style="italic" if italic else None, fill=fill,
        letter_spacing=None if spacing is None else number(spacing), **more,
    )  # fmt: skip


def group(name: str, children: Iterable[str], **attributes: object) -> str:
    """Return a named group, which a page can show or hide."""
    return element("g", *children, "", id=name, class_=name, **attributes)


def _towards(start: Points, end: Points, distance: float) -> Points:
    step = end - start
    length = float(np.hypot(*step)) or 1.0
    return np.asarray(start + step * min(distance / length, 0.5))
