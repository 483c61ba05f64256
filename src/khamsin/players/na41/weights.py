"""The weights of the staff for North Africa '41, read once from `na41.toml`."""

from khamsin.players.staff.weights import read

VALUES = read(__file__)
WEIGHTS: dict[str, float] = VALUES["staff"]
GOALS: dict[str, float] = VALUES["goals"]
LOGISTICS: dict[str, float] = VALUES["logistics"]
PLACES: dict[str, dict[str, dict[str, float]]] = VALUES["place"]
"""By scenario and hex, the value of a place for each side, and the least defence of its owner."""
STANCES: dict[str, dict[str, float]] = VALUES["stance"]
HOME: dict[str, list[str]] = VALUES["home"]
"""By scenario and side, the stance with which the planner begins and compares the others."""
