"""The scenarios (S1, S2, S3): set-ups, turns and arrivals, read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from khamsin.games.na41.units import (
    ALLIED,
    AXIS,
    BASE,
    BOARD,
    CAPTURED,
    NUMBER,
    RESERVE,
    SCENARIO_DATA,
    SCHEDULE,
    SIDES,
    TRUCKS,
    G,
)
from khamsin.kernel.rules import Game

NAMES = tuple(SCENARIO_DATA["scenario"])
RELEASES = tuple([area for area in BOARD.areas.values() if area.kind == "reserve release"])
"""When the units of the Reserve Box are released (S2.2)."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """The turn and location of an arrival; an upgrade replaces another tank unit (20.4.1)."""

    turn: int
    location: int
    upgrade: bool


@dataclass(frozen=True, slots=True)
class Setting:
    """One scenario. Units are numbers, places locations."""

    name: str
    number: str
    first: int
    last: int
    opens: int
    """The side that takes the first player turn."""
    opening_impulse: int
    malta: int
    places: Mapping[int, int]
    """Unit -> location at the start."""
    loaded: tuple[int, ...]
    """The trucks that start as MSUs."""
    supply: tuple[Mapping[int, int], Mapping[int, int]]
    """The Supply Points of each side by location."""
    control: Mapping[int, int]
    forts: Mapping[int, int]
    damage: Mapping[int, int]
    arrivals: Mapping[int, Arrival]
    objectives: tuple[int, ...]
    """The hexes that decide (S1.3, S3.3)."""
    needed: int


def _trucks(side: int) -> list[int]:
    """Return the trucks of a side, without those that can only be captured."""
    return [unit for unit in TRUCKS[side] if not CAPTURED[unit]]


def _hexes(data: Mapping[str, Any]) -> dict[int, int]:
    return {BOARD[label]: side for side, owner in enumerate(SIDES) for label in data.get(owner, ())}


def _setting(name: str) -> Setting:
    data = SCENARIO_DATA["scenario"][name]
    start = SCENARIO_DATA["setup"][data["setup"]]
    free = [_trucks(side) for side in (AXIS, ALLIED)]
    places: dict[int, int] = {}
    loaded: list[int] = []
    supply: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for row in start["at"]:
        side, place = SIDES.index(row["side"]), BOARD[row["place"]]
        places |= {NUMBER[unit]: place for unit in row["units"]}
        for _ in range(row.get("trucks", 0)):
            places[free[side].pop(0)] = place
        for _ in range(row.get("msus", 0)):
            loaded.append(free[side].pop(0))
            places[loaded[-1]] = place
        if "sp" in row:
            supply[side][place] = row["sp"]
    objectives = BOARD.areas.get(SCENARIO_DATA["objectives"].get(name, ""))
    return Setting(
        name=name, number=data["number"], first=data["first"], last=data["last"], opens=SIDES.index(data["opens"]),
        opening_impulse=data["opening_impulse"], malta=data["malta"], places=places, loaded=tuple(loaded), supply=supply,
        control=_hexes(start["control"]), forts=_hexes(start.get("fortifications", {})),
        damage={BOARD[hex]: boxes for hex, boxes in start.get("damage", {}).items() if hex != "from"},
        arrivals=_arrivals(name, data, places, free), objectives=objectives.hexes if objectives else (),
        needed=int(objectives.data["needed"]) if objectives else 0,
    )  # fmt: skip


def _arrivals(
    name: str, data: Mapping[str, Any], placed: Mapping[int, int], trucks: list[list[int]]
) -> dict[int, Arrival]:
    """Return what arrives from the second turn of a scenario on; Enter Rommel has no reserves (S1.2, S2.2, S3.2)."""
    found: dict[int, Arrival] = {}
    for row in SCHEDULE["arrival"]:
        turn, side, reserve = row["turn"], SIDES.index(row["side"]), row.get("reserve", False)
        if not data["first"] < turn <= data["last"] or (reserve and name == "enter-rommel"):
            continue
        arrival = Arrival(turn, RESERVE if reserve else BASE[side], row.get("upgrade", False))
        found |= {NUMBER[unit]: arrival for unit in row["units"] if NUMBER[unit] not in placed}
        for _ in range(row.get("trucks", 0)):
            found[trucks[side].pop(0)] = arrival
    return found


SETTINGS = {name: _setting(name) for name in NAMES}


def setting(g: Game[Any]) -> Setting:
    """Return the scenario that is played."""
    return SETTINGS[g.scenario.name]


def release_for(g: G, hex: int) -> None:
    """An Axis unit has entered a hex: the reserves that wait for it are released, even if the unit does not stay (S2.2)."""
    for number, area in enumerate(RELEASES):
        if hex in area.hexes:
            g.state.released |= 1 << number


def option(g: G, name: str) -> bool:
    """Whether an optional rule is used (27)."""
    return g.options.get(name) == "on"


def impulses(turn: int) -> tuple[int, ...]:
    """Return the impulses of a turn: summer turns skip the second (3.1)."""
    return (1, 2, 3) if SCHEDULE["impulses"]["number"][turn - 1] == 3 else (1, 3)
