"""The figures by which the scripted player of Decision at Kasserine thinks, read once from `kasserine.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from khamsin.games.kasserine.units import BOARD, SIDES

FIGURES: dict[str, Any] = tomllib.loads((Path(__file__).parent / "kasserine.toml").read_text(encoding="utf-8"))
PRIZE: dict[str, float] = FIGURES["prize"]
PLACE: dict[str, float] = FIGURES["place"]
FIRE: dict[str, float] = FIGURES["fire"]
FOCUS: dict[str, float] = FIGURES["focus"]
SCORE: dict[str, float] = FIGURES["score"]
AIM: dict[str, float] = FIGURES["aim"]
SCREEN: dict[str, float] = FIGURES["screen"]
LEAST_CALM: float = FIGURES["haste"]["least"]
USUAL = "as usual"
STANCES: tuple[dict[str, dict[str, float]], ...] = tuple(
    {USUAL: {}, **FIGURES["stance"][side.lower()]} for side in SIDES
)
"""By side, ways to think for a turn: by what its weights are multiplied."""
HOME: dict[str, list[str]] = FIGURES["home"]
"""By what decides at the time and by side, the stance with which the planner compares the others."""
TOWARDS = " towards "
"""Between a stance and the hex of the place that it puts above the others, if there is one."""


class Position(NamedTuple):
    """A place that the Allies hold for a while, though it counts for no victory."""

    hex: int
    worth: float
    until: int


POSITIONS: dict[str, list[Position]] = {}
"""By scenario."""
for _row in FIGURES["position"]:
    POSITIONS.setdefault(_row["scenario"], []).append(Position(BOARD[_row["hex"]], _row["worth"], _row["until"]))


class Weights(NamedTuple):
    """What things are worth to a side."""

    kill: float
    own: float
    prize: float
    least: float
    commit: float
    exposure: float
    danger: float
    unsupplied: float
    haste: float
    """With more turns left than this there is no hurry."""

    def in_haste(self, turns: float) -> Weights:
        """The same for one who has so many turns left after this one: caution gives way to what must be taken."""
        calm = min(1.0, (turns + 0.5) / self.haste)
        return self._replace(
            prize=self.prize / max(calm, LEAST_CALM),
            least=self.least * calm,
            exposure=self.exposure * calm,
            danger=self.danger * calm,
            unsupplied=self.unsupplied * calm,
        )


class Force(NamedTuple):
    """What a side gathers where: see [force], and what it wants in a place at least, and against what the enemy could bring."""

    take: float
    around: float
    most: float
    near: float
    far: float
    close: float
    dig: float
    turns: float
    last: float
    back: float
    key: float
    instead: float
    other: float
    lost: float
    source: float
    surplus: float
    bare: float
    digger: float
    strong: float
    hold: float
    garrison: float


@cache
def weights(side: int, stance: str) -> Weights:
    """The weights of a side in a stance."""
    return Weights(*_figures(side, stance, Weights._fields))


@cache
def force(side: int, stance: str) -> Force:
    """What a side gathers where in a stance."""
    return Force(*_figures(side, stance, Force._fields))


def _figures(side: int, stance: str, keys: Iterable[str]) -> Iterator[float]:
    """Figures of a side, in a stance."""
    usual, factors = FIGURES["force"] | FIGURES[SIDES[side].lower()], STANCES[side][stance.partition(TOWARDS)[0]]
    return (usual[key] * factors.get(key, 1.0) for key in keys)


def aim(stance: str) -> int | None:
    """The place that a stance puts above the others."""
    place = stance.partition(TOWARDS)[2]
    return BOARD[place] if place else None
