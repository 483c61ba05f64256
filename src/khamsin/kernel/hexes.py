"""Numbering schemes: from the number printed in a hex to its position in the grid, and back.

A hex has three names. In text it is the printed number ("1925", "A39.23"); in geometry it is a pair of axial
coordinates; on a board it is a small integer. This module knows the first two; `Board` adds the third.

The two axes of a scheme are *lane* and *step*. Pointy-top grids run in rows: the row is the lane and the column the
step along it. Flat-top grids run in columns: the column is the lane and the step counts north. In all five games the
even lanes are shifted half a hex (east for rows, north for columns), so one formula serves all.

>>> from khamsin.kernel.registration import schemes
>>> paa = schemes()["paa"]
>>> paa.parse("1925")
Axial(q=15, r=19)
>>> paa.neighbours("1508")
('1509', '1608', '1607', '1507', '1407', '1408')
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

ROOT3_2 = 0.8660254037844386
"""Distance between neighbouring lanes, in hexes."""

DIRECTIONS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
"""Axial steps; direction d and (d + 3) % 6 are opposite. On rows they run E, NE, NW, W, SW, SE; on columns N, NE, SE, S,
SW, NW."""


class UnknownHex(ValueError):
    """A text that names no hex of this scheme or board."""

    def __init__(self, text: object, reason: str) -> None:
        super().__init__(f"{text!r}: {reason}")
        self.text = text
        self.reason = reason


class Axial(NamedTuple):
    """Axial coordinates: q along the lane, r across the lanes."""

    q: int
    r: int

    def distance(self, other: Axial) -> int:
        """Return the number of steps between two hexes.

        >>> Axial(0, 0).distance(Axial(2, -3))
        3
        """
        dq, dr = self.q - other.q, self.r - other.r
        return (abs(dq) + abs(dr) + abs(dq + dr)) // 2


@dataclass(frozen=True, slots=True)
class Scheme:
    """How one game numbers its hexes.

    `pattern` has groups `lane` and `step` (and `map` where two maps are joined); `shape` writes them back. `maps` gives
    for each map letter what to add to lane and step so that the joined maps make one grid. `south` says that printed
    steps grow southward.
    """

    name: str
    rows: bool
    pattern: str
    shape: str
    example: str
    maps: tuple[tuple[str, int, int], ...] = (("", 0, 0),)
    seam: tuple[int, int] = (10**6, -(10**6))
    south: bool = False
    _regex: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_regex", re.compile(self.pattern, re.ASCII))

    def parse(self, text: str) -> Axial:
        """Return the axial coordinates of a printed number.

        >>> from khamsin.kernel.registration import schemes
        >>> schemes()["kasserine"].parse("2809")
        Axial(q=-23, r=28)
        >>> schemes()["paa"].parse("19x5")
        Traceback (most recent call last):
        ...
        khamsin.kernel.hexes.UnknownHex: '19x5': not a hex number of paa, which look like '1925'
        """
        match = self._regex.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise UnknownHex(text, f"not a hex number of {self.name}, which look like {self.example!r}")
        groups = match.groupdict()
        lane, step = int(groups["lane"]), int(groups["step"])
        for letter, add_lane, add_step in self.maps:
            if groups.get("map", "") == letter:
                lane, step = lane + add_lane, step + add_step
        if self.south:
            step = -step
        return Axial(step - (lane + 1) // 2, lane)

    def format(self, hex: Axial) -> str:
        """Return the printed number of a pair of axial coordinates.

        >>> from khamsin.kernel.registration import schemes
        >>> schemes()["tunisia"].format(schemes()["tunisia"].parse("B48.17"))
        'B48.17'
        """
        lane = hex.r
        step = hex.q + (lane + 1) // 2
        if self.south:
            step = -step
        first, *rest = self.maps
        letter, add_lane, add_step = first
        if rest and (lane > self.seam[0] or step < self.seam[1]):
            letter, add_lane, add_step = rest[0]
        return self.shape.format(map=letter, lane=lane - add_lane, step=step - add_step)

    def neighbours(self, text: str) -> tuple[str, ...]:
        """Return the six printed numbers around one, in the order of `DIRECTIONS`, whether or not a board has them.

        >>> from khamsin.kernel.registration import schemes
        >>> schemes()["kasserine"].neighbours("5626")
        ('5625', '5725', '5726', '5627', '5526', '5525')
        """
        here = self.parse(text)
        return tuple(self.format(Axial(here.q + dq, here.r + dr)) for dq, dr in DIRECTIONS)

    def distance(self, a: str, b: str) -> int:
        """Return the number of steps between two printed numbers.

        >>> from khamsin.kernel.registration import schemes
        >>> schemes()["paa"].distance("1906", "1925")
        19
        """
        return self.parse(a).distance(self.parse(b))

    def centre(self, hex: Axial) -> tuple[float, float]:
        """Return the centre of a hex in the plane: x east, y north, adjacent centres one apart.

        >>> from khamsin.kernel.registration import schemes
        >>> schemes()["paa"].centre(schemes()["paa"].parse("0702"))
        (2.0, 6.06217782649107)
        """
        along = hex.q + hex.r / 2 + 0.5
        across = hex.r * ROOT3_2
        return (along, across) if self.rows else (across, along)

    def corners(self) -> tuple[tuple[float, float], ...]:
        """Return the six corners around a centre; corners d and d + 1 bound the hexside towards direction d."""
        half, long, short = 0.5, 1 / 3**0.5, 0.5 / 3**0.5
        pointy = ((half, -short), (half, short), (0.0, long), (-half, short), (-half, -short), (0.0, -long))
        return pointy if self.rows else tuple((y, x) for x, y in pointy)
