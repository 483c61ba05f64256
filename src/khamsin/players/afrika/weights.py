"""The weights of the staff for Afrika, read once from `afrika.toml`."""

from __future__ import annotations

from khamsin.players.staff.weights import read

FIGURES = read(__file__)
WEIGHTS: dict[str, float] = FIGURES["staff"]
GOALS: dict[str, float] = FIGURES["goals"]
STANCES: dict[str, dict[str, float]] = FIGURES["stance"]
HOME: dict[str, list[str]] = FIGURES["home"]
"""By scenario and side, the stance with which the planner begins and compares the others."""
