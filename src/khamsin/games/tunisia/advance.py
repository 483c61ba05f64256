"""Advance after combat (OCS 9.2): attackers that paid combat supply may enter the hex they have cleared."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from khamsin.games.tunisia import control, cooperation
from khamsin.games.tunisia.ground import OPEN_SIDES
from khamsin.games.tunisia.stacking import SIZE
from khamsin.games.tunisia.units import BOARD, MOBILITY, MOVE, RE, G, forces_in, name, names, on_map, tell
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import advance as mechanic
from khamsin.mechanics.advance import Goals, Texts
from khamsin.mechanics.refusals import unless_legal


def advance(g: G, side: int, units: Sequence[int], hex: int) -> Procedure:
    """The attacker moves units into the vacant hex, one by one or all at once; it needs no fuel (OCS 9.2)."""
    if forces_in(g, 1 - side, hex) or not units:
        return

    def goals_of(g: G, waiting: Sequence[int]) -> Goals:
        return {unit: {hex: (hex,)} for unit in waiting if why_stays(g, side, unit, hex) is None}

    def enter(g: G, moving: Sequence[int], hex: int, goals: Goals) -> None:
        tell(g, side, "OCS 9.2", "{units} {units:advances|advance} to {hex}", "Units advance to {hex}",
             units=names(moving), hex=hex)  # fmt: skip
        left = dict.fromkeys([g.state.where[unit] for unit in moving])
        for unit in moving:
            g.state.where[unit] = hex
        control.enter(g, side, moving, [*left, hex], advance=True)

    yield from mechanic.advance(
        g, side, units, goals_of, partial(shared, side=side, hex=hex), enter,
        Texts(f"Advance into {BOARD.name(hex)}", "OCS 9.2"),
        unless_legal(partial(why_not, attackers=tuple(units), hex=hex)),
    )  # fmt: skip


def why_stays(g: G, side: int, unit: int, hex: int) -> Refusal | None:
    """Return why an attacker cannot advance (OCS 3(1), OCS 9.2)."""
    label = BOARD.name(hex)
    if not on_map(g, unit):
        return Refusal(f"{name(unit)} cannot advance: not on the map", "OCS 9.2", name(unit))
    if g.state.where[unit] == hex:
        return Refusal(f"{name(unit)} has already advanced", "OCS 9.2", name(unit))
    if hex not in OPEN_SIDES[MOBILITY[unit][int(bool(g.state.flags[unit] & MOVE))]][g.state.where[unit]]:
        return Refusal(f"{name(unit)} cannot advance to {label}: not adjacent, or closed ground", "OCS 9.2", label)
    apart = cooperation.why_not_stacked(g, [unit], hex)
    return apart or (SIZE.refusal(hex, label) if RE[unit] > SIZE.room(g, side, hex) else None)


def shared(g: G, goals: Goals, side: int, hex: int) -> list[int]:
    """Return the hex, if all units still to advance have room in it together (OCS 3(1))."""
    return [hex] if goals and SIZE.size(list(goals)) <= SIZE.room(g, side, hex) else []


def why_not(g: G, decision: Decision, click: int, attackers: Sequence[int], hex: int) -> Refusal | None:
    """Return why a unit does not advance, or not to a hex (OCS 9.2)."""
    if click >= g.rules.first_button:
        return None
    label = BOARD.name(hex)
    if not g.is_unit(click):
        if g.location(click) != hex:
            other = g.rules.names[click]
            return Refusal(f"No unit can advance to {other}: this combat cleared {label}", "OCS 9.2", other)
        return Refusal(f"Not all units have room in {label}: choose a unit", "OCS 3(1)", label)
    if click not in attackers:
        return Refusal(f"{name(click)} cannot advance: it did not attack in this combat", "OCS 9.2", name(click))
    return why_stays(g, decision.side, click, hex)
