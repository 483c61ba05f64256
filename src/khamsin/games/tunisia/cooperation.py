"""Variant 4.0b, no Allied cooperation: which nations stack and fight together, and which units each headquarters
supplies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from khamsin.games.tunisia.units import AXIS, BOARD, COUNTERS, DATA, NUMBER, SIDE, G, forces_in, name, on_map, whom
from khamsin.kernel import data as files
from khamsin.kernel.rules import Refusal

COMMONWEALTH = frozenset({"BR", "NZ", "IN"})
_SCHEDULE: dict[str, Any] = files.read(DATA / "schedule.toml")
EIGHTH_ARMY = frozenset([NUMBER[unit] for unit in _SCHEDULE["eighth_army"]["units"]])
US_CORPS = NUMBER["HQ 2"]


def is_played(g: G) -> bool:
    """Whether the variant is played (4.0b)."""
    return g.options.get("cooperation") == "none"


def serves(g: G, hq: int, units: Iterable[int]) -> bool:
    """Whether a headquarters throws to units: with the variant French units have French and American ones, the 8th Army
    its own, Americans 2 US Corps once it is on the map, the Commonwealth its own (1.9, 4.0b)."""
    return not is_played(g) or SIDE[hq] == AXIS or all(_serves(g, hq, unit) for unit in units)


def _serves(g: G, hq: int, unit: int) -> bool:
    nation, whose = COUNTERS[unit].nation, COUNTERS[hq].nation
    if unit in EIGHTH_ARMY:
        return hq in EIGHTH_ARMY
    if nation == "FR":
        return whose in ("FR", "US")
    if nation == "US":
        return hq == US_CORPS or not on_map(g, US_CORPS)
    return whose in COMMONWEALTH


def is_french(unit: int) -> bool:
    """Whether a unit keeps apart from the Commonwealth; L Force belongs to the 8th Army (4.0b)."""
    return COUNTERS[unit].nation == "FR" and unit not in EIGHTH_ARMY


def is_commonwealth(unit: int) -> bool:
    """Whether a unit keeps apart from the French: the Commonwealth and the 8th Army (4.0b)."""
    return COUNTERS[unit].nation in COMMONWEALTH or unit in EIGHTH_ARMY


def why_apart(g: G, units: Sequence[int], what: str) -> Refusal | None:
    """Return why units cannot stack or fight together: French units never do with the Commonwealth (4.0b)."""
    if not units or SIDE[units[0]] == AXIS or not is_played(g):
        return None
    french, others = [u for u in units if is_french(u)], [u for u in units if is_commonwealth(u)]
    if not french or not others:
        return None
    return Refusal(
        f"{name(french[0])} cannot {what} with {name(others[0])}: no Allied cooperation", "4.0b", name(others[0])
    )


def why_not_stacked(g: G, units: Sequence[int], hex: int) -> Refusal | None:
    """Return why units cannot end in a hex (4.0b)."""
    if not is_played(g) or SIDE[units[0]] == AXIS:
        return None
    there = [unit for unit in forces_in(g, SIDE[units[0]], hex) if unit not in units]
    if why_apart(g, [*units, *there], "stack") is None:
        return None
    label = BOARD.name(hex)
    return Refusal(f"{whom(units)} cannot end in {label}: French and Commonwealth units do not stack", "4.0b", label)
