"""The figures by which the scripted player of PanzerArmee Afrika thinks, read once from `paa.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from khamsin.games.paa.units import SIDES

FIGURES: dict[str, Any] = tomllib.loads((Path(__file__).parent / "paa.toml").read_text(encoding="utf-8"))
NEAR: dict[str, int] = FIGURES["near"]
SIEGE: dict[str, float] = FIGURES["tobruk"]
LAST: dict[str, Any] = FIGURES["last"]
RAID: dict[str, float] = FIGURES["raid"]
SCORE: dict[str, float] = FIGURES["score"]
USUAL = "as usual"
STANCES: tuple[dict[str, dict[str, float]], ...] = tuple(
    {USUAL: {}, **FIGURES["stance"][side.lower()]} for side in SIDES
)
"""By side, ways to think for a turn: by what each weight is multiplied, and by how many positions the front is shifted."""


class Weights(NamedTuple):
    """What things are worth to a side."""

    advance: tuple[tuple[int, float], ...]
    """From which turn, how many times the enemy's strength lets the front go on."""
    prize: dict[str, float]
    shift: int
    """How many positions further than usual the front is set."""
    beyond: int
    """How many positions further than usual the front may go where the side is strong enough."""
    stay: bool
    """Whether the Allies stay at their front in their last turn."""
    kill: float
    own: float
    depot: float
    exposure: float
    least: float
    bypass: float
    danger: float
    guard: float
    cut: float
    guarded: float


def weights(side: int, stance: str) -> Weights:
    """The weights of a side in a stance."""
    name, factors = SIDES[side].lower(), STANCES[side][stance]
    usual, factor = FIGURES[name] | RAID, factors.get("advance", 1.0)
    shift, beyond = int(factors.get("shift", 0)), int(factors.get("beyond", 0))
    advance = tuple((turn, need * factor) for turn, need in FIGURES["advance"][name])
    prize = {key: value * factors.get(key, 1.0) for key, value in FIGURES["prize"].items()}
    return Weights(
        advance,
        prize,
        shift,
        beyond,
        "stay" in factors,
        *(usual[key] * factors.get(key, 1.0) for key in Weights._fields[5:]),
    )
