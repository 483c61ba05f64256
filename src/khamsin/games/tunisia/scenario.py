"""The six scenarios as the rules read them (Scenario 1-6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from khamsin.games.tunisia.ground import OUTSIDE
from khamsin.games.tunisia.units import BOARD, NUMBER, SCENARIOS, SIDES, TOKENS
from khamsin.kernel.rules import Game


class Group(NamedTuple):
    """A row of a set-up: units, trucks and tokens of a side, and the locations among which the owner may spread them; the
    first is the default."""

    side: int
    units: tuple[int, ...]
    tokens: int
    trucks: int
    charcoal: int
    organic: tuple[tuple[str, int], ...]
    locations: tuple[int, ...]


class Setting(NamedTuple):
    """A scenario: its turns, who moves first, the area, the groups and everything that begins at the start."""

    number: int
    first: int
    last: int
    moves_first: int
    area: str
    reserves: tuple[int, int]
    rail_tokens: int
    groups: tuple[Group, ...]
    dead: tuple[int, ...]
    dead_organic: tuple[tuple[int, str, int], ...]
    """Side, division and number of organic trucks in the dead pile."""
    dead_air: tuple[tuple[int, str, int], ...]
    """Side, type and number of aircraft in the dead pile."""
    air: tuple[tuple[int, str, int, bool], ...]
    """Side, type, number and whether the Desert Air Force's."""
    sources: tuple[tuple[int, ...], ...]
    """Supply sources of each side (2.4b, 3.2a)."""
    only_for: Mapping[int, str]
    """Sources that supply one division only (Scenario 2)."""
    income: tuple[tuple[int, int, int], ...]
    """Side, hex and tokens that arrive each turn (3.5b, Scenario 2, Scenario 5, Scenario 6)."""
    bases: tuple[tuple[int, int, int], ...]
    """Side, location and level of the air bases."""
    rail: frozenset[int]
    """The rail hexes that the Allies own at the start (1.1a)."""


def _locations(row: Mapping[str, Any], area: str) -> tuple[int, ...]:
    """Return the locations of a row, the printed ones first; "within n" adds the land hexes around."""
    if "box" in row:
        return (BOARD[row["box"]],)
    centres = [BOARD[hex] for hex in row["hexes"]]
    near = [hex for centre in centres for hex in BOARD.within(centre, row.get("within", 0))]
    open_hexes = [hex for hex in dict.fromkeys(near) if BOARD.enterable(hex) and hex not in OUTSIDE[area]]
    return tuple(dict.fromkeys([*centres, *open_hexes]))


def _group(row: Mapping[str, Any], area: str) -> Group:
    return Group(
        SIDES.index(row["side"]),
        tuple([NUMBER[unit] for unit in row.get("units", ())]),
        row.get("sp", 0) * TOKENS + row.get("t", 0),
        row.get("truck", 0),
        row.get("charcoal", 0),
        tuple(row.get("organic", {}).items()),
        _locations(row, area),
    )


def _areas(kind: str, number: int) -> list[Any]:
    return [a for a in BOARD.areas.values() if a.kind == kind and number in a.data.get("scenarios", ())]


def _setting(name: str) -> Setting:
    data = SCENARIOS[name]
    number, area = data["number"], data["area"]
    pools = data.get("pool", ())
    sources = _areas("supply source", number)
    bases = [a for a in BOARD.areas.values() if a.kind == "air base" and str(number) in a.data["side"]]
    owned = _areas("rail ownership", number)
    return Setting(
        number, data["first"], data["last"], SIDES.index(data["moves_first"]), area, tuple(data["reserves"]), data["rail"],
        tuple([_group(row, area) for row in data["at"]]),
        tuple([NUMBER[unit] for row in pools for unit in row.get("dead", ())]),
        tuple([(SIDES.index(row["side"]), *one) for row in pools for one in row.get("dead_organic", {}).items()]),
        tuple([(SIDES.index(row["side"]), *one) for row in pools for one in row.get("dead_air", {}).items()]),
        tuple(
            [
                (SIDES.index(row["side"]), kind, count, key == "daf")
                for row in pools
                for key in ("air", "daf")
                for kind, count in row.get(key, {}).items()
            ]
        ),
        tuple([
            tuple([hex for a in sources if a.data["side"] == side for hex in a.hexes]) for side in SIDES
        ]),
        {hex: a.data["only_for"] for a in sources if "only_for" in a.data for hex in a.hexes},
        tuple([
            (SIDES.index(a.data["side"]), a.hexes[0], a.data["points"] * TOKENS) for a in _areas("supply arrival", number)
        ]),
        tuple([
            (SIDES.index(a.data["side"][str(number)]), a.hexes[0], a.data["level"][str(number)]) for a in bases
        ]),
        frozenset([hex for a in owned for hex in a.hexes]),
    )  # fmt: skip


NAMES = tuple(SCENARIOS)
SETTINGS = {name: _setting(name) for name in NAMES}


def setting(g: Game[Any]) -> Setting:
    """Return the scenario that is played."""
    return SETTINGS[g.scenario.name]


HEDGEHOGS = {
    hex: area.data["level"] for area in BOARD.areas.values() if area.kind == "hedgehog line" for hex in area.hexes
}
"""The printed hedgehogs of the Mareth Line (1.1b)."""
PORTS = {area.hexes[0]: area for area in BOARD.areas.values() if area.kind == "port"}


def is_port(g: Game[Any], hex: int, side: int) -> bool:
    """Whether a side controls a port in a hex that the scenario uses (Scenario 2, Scenario 5)."""
    used = hex in PORTS and str(setting(g).number) in PORTS[hex].data["holder"]
    return used and g.state.control.get(hex) == side
