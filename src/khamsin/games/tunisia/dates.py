"""The calendar (1.1e, 1.2, 2.3, 3.4): months, weather, and the owners of the holding boxes."""

from __future__ import annotations

from typing import Any

from khamsin.games.tunisia.units import ALLIED, AXIS, DATA, FLIGHT, MUD, NO_FLIGHT, SCENARIOS, SUPPLY, G
from khamsin.kernel import data as files
from khamsin.kernel.board import NOWHERE

AIR: dict[str, Any] = files.read(DATA / "air.toml")
BOXES = {name: tuple(data["boxes"]) for name, data in SCENARIOS.items()}
"""By scenario, the prefixes of its holding boxes."""
WEATHER = ("Flight", "No Flight", "No Flight and Mud")


def month(turn: int) -> int:
    """Return the month of a turn (1.1e)."""
    number: int = SUPPLY["calendar"]["months"][turn - 1]
    return number


def read_weather(turn: int, roll: int) -> int:
    """Return the weather of a roll from 11 to 66 in the month of a turn (1.2a).

    >>> read_weather(1, 53), read_weather(6, 53), read_weather(58, 66)
    (0, 2, 1)
    """
    flight, dry = SUPPLY["weather"][str(month(turn))]
    return FLIGHT if roll <= flight else NO_FLIGHT if roll <= dry else MUD


def box_side(g: G, box: str) -> int:
    """Return the owner of a holding box: Sicily the Axis, Algiers the Allies, Tripoli by the date; none for a box that
    is not in the scenario (2.2, 2.3, 3.2b, 3.4)."""
    if not box.startswith(BOXES[g.scenario.name]):
        return NOWHERE
    if box.startswith("Tripoli"):
        turn = g.state.turn
        return (
            AXIS
            if turn <= AIR["tripoli"]["axis_until"]
            else ALLIED
            if turn >= AIR["tripoli"]["allied_from"]
            else NOWHERE
        )
    return AXIS if box.startswith("Sicily") else ALLIED
