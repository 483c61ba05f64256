"""The weights of the staff for Tunisia, read once from `tunisia.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

FIGURES: dict[str, Any] = tomllib.loads((Path(__file__).parent / "tunisia.toml").read_text(encoding="utf-8"))
WEIGHTS: dict[str, float] = FIGURES["staff"]
GOALS: dict[str, float] = FIGURES["goals"]
SUPPLY: dict[str, float] = FIGURES["supply"]
STANCES: dict[str, dict[str, float]] = FIGURES["stance"]
