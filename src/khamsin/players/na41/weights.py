"""The weights of the staff for North Africa '41, read once from `na41.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

VALUES: dict[str, Any] = tomllib.loads((Path(__file__).parent / "na41.toml").read_text(encoding="utf-8"))
WEIGHTS: dict[str, float] = VALUES["staff"]
GOALS: dict[str, Any] = VALUES["goals"]
STANCES: dict[str, dict[str, float]] = VALUES["stance"]
