"""Advance after combat (SCS 10.6): attackers may enter the hex they have cleared, within stacking, whatever ZOCs there
are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from khamsin.games.afrika import control, dumps, rommel
from khamsin.games.afrika.ground import OPEN_SIDES
from khamsin.games.afrika.stacking import POINTS
from khamsin.games.afrika.units import AXIS, BOARD, ROMMEL, STACKING, G, forces_in, name, on_map
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import advance as mechanic
from khamsin.mechanics.advance import Goals, Texts


def advance(g: G, side: int, units: Sequence[int], hex: int) -> Procedure:
    """The attacker moves units into the vacant hex, one by one or all at once; Rommel may go along, and a dump is
    captured (1.8, 2.3, SCS 10.6, SCS 10.7)."""
    if forces_in(g, 1 - side, hex):
        return
    camp = g.state.where[ROMMEL]
    led = [unit for unit in units if g.state.where[unit] == camp]

    def goals_of(g: G, waiting: Sequence[int]) -> Goals:
        goals = {unit: {hex: (hex,)} for unit in waiting if why_stays(g, side, unit, hex) is None}
        if side == AXIS and why_rommel_stays(g, camp, led, hex) is None:
            goals[ROMMEL] = {hex: (hex,)}
        return goals

    def enter(g: G, moving: Sequence[int], hex: int, goals: Goals) -> None:
        for unit in moving:
            g.log("SCS 10.6", "{unit} advances to {hex}", unit=unit, hex=hex)
        if list(moving) == [ROMMEL]:
            g.state.where[ROMMEL] = hex
            return
        control.arrive(g, side, moving, hex)
        rommel.follow(g, camp, hex)

    yield from mechanic.advance(
        g, side, units, goals_of, partial(shared, side=side, hex=hex), enter,
        Texts(f"Advance into {BOARD.name(hex)}", "SCS 10.6"),
        partial(why_not, attackers=tuple(units), camp=camp, led=led, hex=hex),
    )  # fmt: skip
    if forces_in(g, side, hex):
        yield from dumps.capture(g, side, hex)


def why_stays(g: G, side: int, unit: int, hex: int) -> Refusal | None:
    """Return why an attacker cannot advance (1.3, 1.5a, SCS 3.7, SCS 10.6)."""
    label = BOARD.name(hex)
    if not on_map(g, unit):
        return Refusal(f"{name(unit)} cannot advance: not on the map", "SCS 10.6", name(unit))
    if g.state.where[unit] == hex:
        return Refusal(f"{name(unit)} has already advanced", "SCS 10.6", name(unit))
    if hex not in BOARD.around(g.state.where[unit]):
        return Refusal(f"{name(unit)} cannot advance to {label}: not adjacent", "SCS 10.6", label)
    if hex not in OPEN_SIDES[g.state.where[unit]]:
        return Refusal(
            f"{name(unit)} cannot advance to {label}: an escarpment without a road is between", "1.5a", label
        )
    if STACKING[unit] > POINTS.room(g, side, hex):
        return POINTS.refusal(hex, label)
    return None


def why_rommel_stays(g: G, camp: int, led: Sequence[int], hex: int) -> Refusal | None:
    """Rommel may go along once units of his hex have advanced (2.3)."""
    advanced = any(g.state.where[unit] == hex for unit in led)
    if g.state.where[ROMMEL] == camp and advanced and forces_in(g, AXIS, camp):
        return None
    return Refusal("Rommel cannot advance: he moves with units of his hex", "2.3", name(ROMMEL))


def shared(g: G, goals: Goals, side: int, hex: int) -> list[int]:
    """Return the hex, if all units still to advance have room in it together (1.3)."""
    troops = [unit for unit in goals if unit != ROMMEL]
    return [hex] if troops and POINTS.size(troops) <= POINTS.room(g, side, hex) else []


def why_not(
    g: G, decision: Decision, click: int, attackers: Sequence[int], camp: int, led: Sequence[int], hex: int
) -> Refusal | None:
    """Return why a unit does not advance, or not to a hex (SCS 10.6)."""
    if click >= g.rules.first_button:
        return None
    label = BOARD.name(hex)
    if not g.is_unit(click):
        if g.location(click) != hex:
            other = g.rules.names[click]
            return Refusal(f"No unit can advance to {other}: this combat cleared {label}", "SCS 10.6", other)
        waiting = [unit for unit in attackers if why_stays(g, decision.side, unit, hex) is None]
        if POINTS.size(waiting) <= POINTS.room(g, decision.side, hex):
            return None
        return Refusal(f"Not all units have room in {label}: choose a unit", "1.3", label)
    if click == ROMMEL:
        return why_rommel_stays(g, camp, led, hex)
    if click not in attackers:
        return Refusal(f"{name(click)} cannot advance: it did not attack in this combat", "SCS 10.6", name(click))
    return why_stays(g, decision.side, click, hex)
