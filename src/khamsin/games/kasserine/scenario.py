"""The set-up cards of the three scenarios (4.1.3, 18): starting hexes, arrivals, reserves and withdrawals. Read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from khamsin.games.kasserine.units import AXIS, BOARD, CARD, DATA, HEXES, HOLDING, NUMBER, SIDE, SIDES, WEATHER, G
from khamsin.kernel import data as files

FIGURES: dict[str, Any] = files.read(DATA / "scenarios.toml")
NAMES = ("faid", "campaign", "decide")  # 4.1.1, 18.1, 18.2, 18.3
MOST_STRONGPOINTS = tuple(int(FIGURES["strongpoints"][side.lower()]) for side in SIDES)
"""The most strongpoints of each side in play, built or under construction (2.2.1, 14.3.1)."""


class Arrival(NamedTuple):
    """The turn and destination of a unit: a holding box, a hex, or the set-up card, from which it enters by one of
    `hexes`."""

    turn: int
    place: int
    hexes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """One scenario, with its changes of the standard rules (4.1.7). Units are numbers, places locations."""

    name: str
    number: int
    first: int
    last: int
    works: bool
    """Whether strongpoints may be built (18.1.4)."""
    weather: str
    """The weather table."""
    history: tuple[int, ...]
    given: Mapping[int, int]
    """Turns whose weather is not rolled (18.3.4)."""
    places: Mapping[int, int]
    arrivals: Mapping[int, Arrival]
    by_edge: tuple[int, ...]
    """The Axis units that enter by the south edge (18.2.5)."""
    groups: Mapping[str, tuple[int, ...]]
    group_of: Mapping[int, str]
    """The units of the two panzer groups, whose entry the Axis chooses (18.2.4)."""
    release: Mapping[int, int]
    """Garrisons, with the turn of their release (18.2.3)."""
    together: frozenset[int]
    """The garrisons that are all released with the first one (18.2.3)."""
    reserve: tuple[int, ...]
    reserve_turns: Mapping[int, int]
    """The corps reserve, of which one unit per turn arrives in a holding box: turn -> box (18.2.5)."""
    reduced: tuple[int, ...]
    strongpoints: Mapping[int, int]
    air: tuple[int, ...]
    air_arrivals: Mapping[int, int]
    withdrawals: Mapping[int, tuple[int, ...]]
    outside: frozenset[int]
    """The hexes that are not part of the scenario (18.1.2, 18.2.2, 18.3.2)."""
    axis_control: frozenset[int]
    victory: tuple[int, ...]
    """The hexes that count for victory."""
    sources: tuple[tuple[int, ...], tuple[int, ...]]
    """The supply sources of each side (6.3.1)."""


def _numbers(names: list[str]) -> tuple[int, ...]:
    return tuple(NUMBER[name] for name in names)


def _arrival(turn: int, entry: str, unit: int) -> Arrival:
    if entry in BOARD and BOARD[entry] in HOLDING:
        return Arrival(turn, BOARD[entry], ())
    area = BOARD.areas[entry]
    if "edge" in area.data:
        return Arrival(turn, CARD[SIDE[unit]], area.hexes)
    return Arrival(turn, area.hexes[0], ())


def _setting(name: str) -> Setting:
    data = FIGURES[name]
    number = data["number"]
    areas = [area for area in BOARD.areas.values() if number in area.data.get("scenarios", (1, 2, 3))]
    reserve = data.get("reserve", {"units": [], "turns": {}})
    garrisons = data.get("garrison", [])
    arrivals = {
        unit: _arrival(row["turn"], row["entry"], unit) for row in data["arrival"] for unit in _numbers(row["units"])
    }
    return Setting(
        name=name,
        number=number,
        first=data["first"],
        last=data["last"],  # 18.1.1, 18.2.1, 18.3.1
        works=data["works"],
        weather=data["weather"],
        history=tuple(WEATHER.index(word) for word in data["history"]),
        given={int(turn): WEATHER.index(word) for turn, word in data.get("given", {}).items()},
        places={unit: BOARD[row["place"]] for row in data["at"] for unit in _numbers(row["units"])},
        arrivals=arrivals,
        by_edge=tuple(unit for unit, arrival in arrivals.items() if SIDE[unit] == AXIS and arrival.hexes),
        groups={row["name"]: _numbers(row["units"]) for row in data.get("group", [])},
        group_of={unit: row["name"] for row in data.get("group", []) for unit in _numbers(row["units"])},
        release={unit: row["release"] for row in garrisons for unit in _numbers(row["units"])},
        together=frozenset(unit for row in garrisons if row.get("together") for unit in _numbers(row["units"])),
        reserve=_numbers(reserve["units"]),
        reserve_turns={int(turn): BOARD[box] for turn, box in reserve["turns"].items()},
        reduced=_numbers(data.get("reduced", {"units": []})["units"]),
        strongpoints={
            BOARD[hex]: side
            for side, owner in enumerate(SIDES)
            for hex in data.get("strongpoints", {}).get(owner.lower(), ())
        },
        air=_numbers(data["air"]["units"]),
        air_arrivals={unit: row["turn"] for row in data.get("air_arrival", []) for unit in _numbers(row["units"])},
        withdrawals={row["turn"]: _numbers(row["units"]) for row in data.get("withdrawal", [])},
        outside=frozenset(
            hex for a in areas if a.kind == "scenario area" for hex in range(HEXES) if hex not in set(a.hexes)
        ),
        axis_control=frozenset(BOARD[hex] for hex in data["control"]["axis"]),
        victory=next(area.hexes for area in areas if area.kind == "victory"),
        sources=(
            tuple(a.hexes[0] for a in areas if a.kind == "supply source" and a.data["side"] == SIDES[0]),
            tuple(a.hexes[0] for a in areas if a.kind == "supply source" and a.data["side"] == SIDES[1]),
        ),
    )


SETTINGS = {name: _setting(name) for name in NAMES}


def setting(g: G) -> Setting:
    """Return the set-up cards of the scenario being played."""
    return SETTINGS[g.scenario.name]
