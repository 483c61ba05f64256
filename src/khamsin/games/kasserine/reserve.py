"""Reserve status (8.2): eligibility, designation, and loss."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from khamsin.games.kasserine.ground import FIGURES
from khamsin.games.kasserine.headquarters import commands, in_command
from khamsin.games.kasserine.units import (
    ALLIED,
    AROUND,
    AXIS,
    BOARD,
    BRITISH,
    COMBAT,
    ENTERED,
    FORCES,
    HALVES,
    HEXES,
    HQ,
    MOTORIZED,
    OOS,
    POINTS,
    RED_BOX,
    RESERVE,
    SIDE,
    G,
    forces_in,
    name,
)
from khamsin.games.kasserine.zones import exerting, has_in_zone, waiting, zone
from khamsin.kernel.rules import Decision, Procedure, Refusal

RESERVABLE = tuple(tuple(u for u in FORCES[side] if RED_BOX[u] and not HQ[u]) for side in (AXIS, ALLIED))
"""The units of each side that can be in Reserve (8.2.2, 15.2.1)."""
SLOWED = int(HALVES * FIGURES["out_of_supply"]["less"])


def allowance(g: G, unit: int) -> int:
    """Return the movement allowance of a unit in halves of a point, tried or not; a motorized one out of supply has
    less (5.2.3, 6.4.1, 7.1.6)."""
    short = MOTORIZED[unit] and g.state.flags[unit] & (OOS | ENTERED) == OOS
    return max(0, POINTS[unit] - SLOWED) if short else POINTS[unit]


def why_not_reserve(g: G, unit: int) -> Refusal | None:
    """Return why a unit cannot be put into Reserve: it needs a red box, half its MP, no enemy ZOC and an HQ in range;
    HQs never are (8.2.2, 15.2.1, 16.5.1)."""
    state, side, place = g.state, SIDE[unit], g.state.where[unit]
    if not COMBAT[unit] or not RED_BOX[unit]:
        return _no_reserve(unit, "it has no red box", "8.2.2")
    if HQ[unit]:
        return _no_reserve(unit, "it is an HQ", "15.2.1")
    if not 0 <= place < HEXES:
        return _no_reserve(unit, "it is not on the map", "5.2.4")
    if zone(g, 1 - side)[place]:
        causes = [name(enemy) for enemy in exerting(g, 1 - side, place)]
        zones = f"{BOARD.name(place)} is in the ZOC of {', '.join(causes[:3])}"
        return _no_reserve(unit, zones, "8.2.2", causes[0])
    spent, most = state.spent[unit], allowance(g, unit)
    if 2 * spent > most:
        text = f"it has spent {spent / HALVES:g} of {most / HALVES:g} MP, more than half"
        return _no_reserve(unit, text, "8.2.2")
    if not commands(g, unit):
        only_french = BRITISH[unit] and in_command(g, side, place)
        rule = "16.5.1" if only_french else "8.2.2"
        return _no_reserve(unit, "no HQ for it is in range", rule, BOARD.name(place))
    return None


def _no_reserve(unit: int, text: str, rule: str, cause: str = "") -> Refusal:
    return Refusal(f"{name(unit)} cannot be in Reserve: {text}", rule, cause or name(unit))


def reservable(g: G, side: int) -> list[int]:
    """Return the units of a side that can be put into Reserve, whichever of them are in it (8.2.2)."""
    where = g.state.where
    return [unit for unit in RESERVABLE[side] if 0 <= where[unit] < HEXES and why_not_reserve(g, unit) is None]


def designate(g: G, side: int) -> Procedure:
    """At the end of the Movement Phase units are put into Reserve, or taken out of it (8.2, 8.2.1, 8.2.2)."""
    flags, done, able = g.state.flags, g.rules.button("done"), dict.fromkeys(reservable(g, side))
    while (reserves := waiting(g, side)) or able:
        click = yield g.ask(
            side, "reserve.units", "Choose units to put in Reserve, or to take out of it", "8.2.2",
            units=able | dict.fromkeys(reserves, "in Reserve"), buttons=[done], top=True, why_not=why_not_designated,
        )  # fmt: skip
        if click == done:
            return
        if flags[click] & RESERVE:
            leave_reserve(g, click)
        else:
            put_in_reserve(g, click)


def why_not_toggled(g: G, unit: int) -> Refusal | None:
    """Return why a unit can neither be put into Reserve nor taken out of it (8.2.1, 8.2.2)."""
    return None if g.state.flags[unit] & RESERVE else why_not_reserve(g, unit)


def why_not_designated(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a unit, or none of a hex, can be put into Reserve (8.2.2)."""
    if click >= g.rules.first_button:
        return None
    if g.is_unit(click):
        return why_not_toggled(g, click) if SIDE[click] == decision.side else None
    label = BOARD.name(g.location(click))
    for unit in forces_in(g, decision.side, g.location(click)):
        return why_not_toggled(g, unit) or Refusal(f"{label} is not chosen: choose {name(unit)}", "8.2.2", name(unit))
    return Refusal(f"None of your units is in {label}", "8.2.2", label)


def put_in_reserve(g: G, unit: int) -> None:
    """Put a unit into Reserve: its ZOC shrinks to its hex (8.2.1, 8.2.3)."""
    g.state.flags[unit] |= RESERVE
    g.log("8.2.1", "{unit} is put in Reserve", unit=unit)


def leave_reserve(g: G, unit: int) -> None:
    """A unit is no longer in Reserve (8.2.5)."""
    g.state.flags[unit] &= ~RESERVE
    g.log("8.2.5", "{unit} is no longer in Reserve", unit=unit)


def disturb(g: G, side: int) -> None:
    """Units of a side that are now in an enemy ZOC lose their Reserve status at once (8.2.5)."""
    where, reserves = g.state.where, waiting(g, side)
    zoned = zone(g, 1 - side) if reserves else b""
    for unit in reserves:
        if zoned[where[unit]]:
            leave_reserve(g, unit)


def cancel_reserves(g: G, side: int, units: Sequence[int], entered: Iterable[int]) -> None:
    """Units of a side have entered hexes: enemies that were in their ZOC then lose their Reserve status, also if the
    units have moved on since (8.2.5)."""
    for unit in cancelled_reserves(g, side, units, entered):
        leave_reserve(g, unit)


def cancelled_reserves(g: G, side: int, units: Sequence[int], entered: Iterable[int]) -> list[int]:
    """Return the enemies in Reserve that units of a side would have in their ZOC in one of these hexes (3.2.2, 8.2.5)."""
    reserves = waiting(g, 1 - side)
    if not reserves:
        return []
    where, hexes, found = g.state.where, frozenset(entered), []
    for unit in reserves:
        there = where[unit]
        near = hexes.intersection(AROUND[there])
        if near and any(has_in_zone(g, side, units, hex, there) for hex in near):
            found.append(unit)
    return found
