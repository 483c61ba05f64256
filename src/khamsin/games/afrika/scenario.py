"""The set-ups and arrivals of the seven scenarios (4.1-5, 5.1-2), read once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from khamsin.games.afrika.units import (
    ALEXANDRIA,
    BOARD,
    HEXES,
    NUMBER,
    PORTS,
    SCENARIOS,
    SCHEDULE,
    SIDES,
    STEPS,
    TRIPOLI,
    G,
)
from khamsin.kernel.rules import Game

NAMES = tuple(SCENARIOS)


@dataclass(frozen=True, slots=True)
class Group:
    """Units of one row of a set-up: their default hexes, and where their owner may place them instead. `hexes` is empty
    if there is no choice; with `with_units` it is any hex that has a unit of the side."""

    side: int
    place: int
    units: tuple[int, ...]
    hexes: tuple[int, ...]
    with_units: bool
    rommel: bool
    supply: int


@dataclass(frozen=True, slots=True)
class Arrival:
    """The turn of a unit's arrival, and its hexes or box."""

    turn: int
    entry: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """One scenario. Units are numbers, places locations."""

    name: str
    number: str
    maps: str
    """The maps in play: "A", "B" or "AB"."""
    first: int
    last: int
    moves_first: int
    short: bool
    stands_for: tuple[int, int]
    """The first and the last campaign turn that a short scenario covers (1.2)."""
    air: tuple[Sequence[int], Sequence[int]]
    """The air points of each side, by turn from the first; the last entry applies to later turns (1.10)."""
    groups: tuple[Group, ...]
    lost: Mapping[int, int]
    """Units that begin with steps lost."""
    boxes: Mapping[int, int]
    """Hex -> side of the boxes at the start (1.16)."""
    control: Mapping[int, int]
    """Port or objective -> the side that controls it at the start (1.9d, 4.2)."""
    arrivals: Mapping[int, Arrival]
    withdrawals: int
    """Uses of the big withdrawal before the start (5.2)."""
    trento_taken: bool
    """Whether the Trento Truck option counts as taken (2.5, 5.2)."""
    rommel: int
    """The turn on which Rommel arrives; 0 if he is there from the start."""
    edges: tuple[tuple[int, ...], tuple[int, ...]]
    """The map edge hexes to which each side traces supply in short scenarios (4.0)."""


def _units(names: Sequence[str]) -> dict[int, int]:
    """Return units by number, with the steps that each has lost."""
    found = {}
    for text in names:
        match = re.fullmatch(r"(.*?)(?: \[-(\d)\])?", text)
        assert match is not None
        found[NUMBER[match[1]]] = int(match[2] or 0)
    return found


def _choice(row: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the hexes in which the owner may place the units of a row: any that can be entered, at or within the
    distance ( SCS 1.8)."""
    if "within" not in row and "region" not in row:
        return ()
    near = set(range(HEXES))
    if "within" in row:
        near = {hex for centre in _centres(row["of"]) for hex in BOARD.within(centre, row["within"])}
    region = row.get("region")
    return tuple([h for h in sorted(near) if BOARD.enterable(h) and (region is None or region in BOARD.tags[h])])


def _centres(name: str) -> tuple[int, ...]:
    """Return the hexes from which a distance of the set-up is counted: a hex, a city, or those along the border on the
    Libyan side."""
    if name == "border":
        ends = {end for side in BOARD.sides if side.kind == "border" for end in (side.a, side.b)}
        return tuple(sorted([hex for hex in ends if "libya" in BOARD.tags[hex]]))
    return BOARD.areas[name].hexes if name in BOARD.areas else (BOARD[name],)


def _group(row: Mapping[str, Any]) -> Group:
    return Group(
        SIDES.index(row["side"]), BOARD[row["place"]], tuple(_units(row["units"])), _choice(row),
        row.get("with_units", False), row.get("rommel", False), row.get("sp", 0),
    )  # fmt: skip


def _entry(name: str) -> tuple[int, ...]:
    return BOARD.areas[name].hexes if name in BOARD.areas else (BOARD[name],)


def _arrivals(data: Mapping[str, Any]) -> dict[int, tuple[Arrival, int]]:
    """Return the units that arrive later, each with its arrival and the steps it has lost: of a short scenario its own,
    of a campaign those of the order of arrival from its first turn on, Trento in both forms (2.5, 2.7, 3.2, Axis Order
    of Arrival, Allied Order of Arrival)."""
    if data["short"]:
        rows = [(row, _entry(row["entry"])) for row in data.get("arrival", [])]
    else:
        entry = {"Axis": (TRIPOLI,), "Allied": (ALEXANDRIA,)}
        placed = {unit for row in data["at"] if "Dead Pile" not in row["place"] for unit in _units(row["units"])}
        rows = [(row, entry[row["side"]]) for row in SCHEDULE["arrival"] if row["turn"] >= data["first"]]
        rows = [(row, where) for row, where in rows if not placed & _units(row["units"]).keys()]
        trento = SCHEDULE["trento"]
        rows += [
            ({"turn": row["turn"], "units": [trento["single"]]}, where)
            for row, where in rows
            if {*trento["several"]} <= {*row["units"]}
        ]
    return {
        unit: (Arrival(row["turn"], hexes), lost) for row, hexes in rows for unit, lost in _units(row["units"]).items()
    }


def _setting(name: str) -> Setting:
    data = SCENARIOS[name]
    number, arrivals = data["number"], _arrivals(data)
    units = {unit: lost for row in data["at"] for unit, lost in _units(row["units"]).items()}
    lost = units | {unit: steps for unit, (_, steps) in arrivals.items()}
    air = data.get("air")
    edges = [area for area in BOARD.areas.values() if area.kind == "edge" and number in area.data["scenarios"]]
    return Setting(
        name=name, number=number, maps="".join(data["maps"]), first=data["first"], last=data["last"],
        moves_first=SIDES.index(data["moves_first"]), short=data["short"],
        stands_for=tuple(data.get("stands_for", (data["first"], data["last"]))),
        air=([air[0]], [air[1]]) if air else (SCHEDULE["air"]["axis"], SCHEDULE["air"]["allied"]),
        groups=tuple([_group(row) for row in data["at"]]),
        lost={unit: steps for unit, steps in lost.items() if steps},
        boxes={BOARD[row["place"]]: SIDES.index(row["side"]) for row in data["at"] if row.get("box")},
        control=_control(data),
        arrivals={unit: arrival for unit, (arrival, _) in arrivals.items()},
        withdrawals=data.get("big_withdrawals", 0),
        trento_taken=data.get("trento_truck") == "taken",
        rommel=0 if any(row.get("rommel") for row in data["at"]) else _rommel(),
        edges=(_edge(edges, "axis"), _edge(edges, "allied")),
    )  # fmt: skip


def _rommel() -> int:
    """Return the turn on which Rommel arrives by the order of arrival."""
    return next(int(row["turn"]) for row in SCHEDULE["arrival"] if row.get("rommel"))


def _control(data: Mapping[str, Any]) -> dict[int, int]:
    """Return the side that controls each port and objective at the start (1.9d, 4.2)."""
    number, stated = data["number"], data.get("control", {})
    ports = {hex: area.data["held"].get(number) for hex, area in PORTS.items()}
    found = {hex: SIDES.index(side.capitalize()) for hex, side in ports.items() if side}
    for side, owner in enumerate(SIDES):
        found |= {hex: side for area in stated.get(owner.lower(), ()) for hex in BOARD.areas[area].hexes}
    return found


def _edge(edges: Sequence[Any], side: str) -> tuple[int, ...]:
    return tuple([hex for area in edges if area.data.get("supply") == side for hex in area.hexes])


SETTINGS = {name: _setting(name) for name in NAMES}


def setting(g: Game[Any]) -> Setting:
    """Return the scenario that is played."""
    return SETTINGS[g.scenario.name]


def steps_at_start(cards: Setting, unit: int) -> int:
    """Return the steps with which a unit begins or arrives."""
    return STEPS[unit] - cards.lost.get(unit, 0)


def group_of(g: G, unit: int) -> Group | None:
    """Return the row of the set-up to which a unit belongs."""
    return next((group for group in setting(g).groups if unit in group.units), None)
