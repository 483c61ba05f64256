"""The weights of the staff for Afrika, read once from `afrika.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

FIGURES: dict[str, Any] = tomllib.loads((Path(__file__).parent / "afrika.toml").read_text(encoding="utf-8"))
WEIGHTS: dict[str, float] = FIGURES["staff"]
GOALS: dict[str, float] = FIGURES["goals"]
STANCES: dict[str, dict[str, float]] = FIGURES["stance"]
