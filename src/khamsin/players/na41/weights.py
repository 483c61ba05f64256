"""The weights of the staff for North Africa '41, read once from `na41.toml`."""

from khamsin.players.staff.weights import read

VALUES = read(__file__)
WEIGHTS: dict[str, float] = VALUES["staff"]
GOALS: dict[str, float] = VALUES["goals"]
LOGISTICS: dict[str, float] = VALUES["logistics"]
PLACES: dict[str, dict[str, dict[str, float]]] = VALUES["place"]
"""By scenario and hex: what a place is worth to each side, and the defence that its owner keeps there."""
STANCES: dict[str, dict[str, float]] = VALUES["stance"]
HOME: dict[str, list[str]] = VALUES["home"]
"""By scenario and side, the stance that the planner begins with and compares the others with."""
