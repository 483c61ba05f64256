"""Air units (5.3, 11.1, 11.2): readiness, arrival, and interdiction. Close Air Support is part of a combat."""

from __future__ import annotations

from typing import Any

from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.units import (
    AIR_UNITS,
    ALLIED,
    AXIS,
    BOARD,
    CLOUDY,
    DATA,
    DEPLOYED,
    DRY,
    HEXES,
    INTERDICTING,
    INTERDICTS,
    READY,
    SIDE,
    UNDER_CLOUDS,
    US,
    USED,
    WEATHER,
    XII_ASC,
    G,
    hex_of,
    name,
)
from khamsin.kernel import data as files
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal

FIGURES: dict[str, Any] = files.read(DATA / "combat.toml")["air"]
READIED, ASSIGNED = "readied", ("axis assigned", "allied assigned")
"""Finished steps of the phase."""
BOXES = {"R": READY, "U": USED}
"""The box of an air unit that does not arrive (11.1.6)."""


def joint_air(g: G) -> Procedure:
    """The Joint Air Phase: used air units are ready again; in Dry weather both sides assign Interdiction, the Allies first,
    and then all of them roll for arrival (5.1.3, 5.1.4, 5.3, 11.2.2, 11.2.3)."""
    todo = g.state.todo
    if READIED not in todo:
        make_ready(g)
        todo[READIED] = 1
    if g.state.weather == DRY:
        for side in (ALLIED, AXIS):
            if ASSIGNED[side] not in todo:
                yield from assign(g, side)
                todo[ASSIGNED[side]] = 1
        fly(g)
    todo.clear()


def make_ready(g: G) -> None:
    """All air units in the Used Box move to the Ready Box, supplied or not, without a roll; the others stay (5.3.1,
    5.3.2, 5.3.4, 11.1.1, 11.1.2, 11.1.3)."""
    state = g.state
    for side in (AXIS, ALLIED):
        for unit in AIR_UNITS[side]:
            if state.where[unit] == USED[side]:
                state.where[unit] = READY[side]


def assign(g: G, side: int) -> Procedure:
    """A side assigns air units to Interdiction before any arrival is rolled; none has to fly (11.1.4, 11.2.1)."""
    done = g.rules.button("done")
    while units := interdictors(g, side):
        click = yield g.ask(
            side, "air.unit", "Choose an air unit to fly Interdiction, or end the assignment", "11.2.2", units=units,
            buttons=[done], top=True, why_not=why_not_flown,
        )  # fmt: skip
        if click == done:
            return
        yield from send(g, side, click)


def interdictors(g: G, side: int) -> list[int]:
    """Return the air units that can fly Interdiction (11.2.1)."""
    return [unit for unit in AIR_UNITS[side] if why_not_interdict(g, unit) is None]


def why_not_interdict(g: G, unit: int) -> Refusal | None:
    """Return why a unit cannot fly Interdiction: it must be marked for it and in the Ready Box (5.3.3, 11.1.4, 11.2.1)."""
    if not INTERDICTS[unit]:
        return Refusal(f"{name(unit)} cannot fly Interdiction: not marked for it", "11.2.1", name(unit))
    if g.state.where[unit] != READY[SIDE[unit]]:
        return Refusal(f"{name(unit)} cannot fly Interdiction: not in the Ready Box", "11.1.4", name(unit))
    return None


def why_not_flown(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a unit of the side cannot fly Interdiction."""
    return why_not_interdict(g, click) if g.is_unit(click) and SIDE[click] == decision.side else None


def send(g: G, side: int, unit: int) -> Procedure:
    """The owner chooses the Mission hex: any on the map, at most one air unit per hex (11.1.5, 11.2.1)."""
    cancelled = g.rules.button("cancel")
    click = yield g.ask(
        side, "air.hex", f"Interdiction by {name(unit)}: choose a hex", "11.2.1",
        maybe=range(g.place0, g.place0 + HEXES), buttons=[cancelled], about=[unit], why_not=why_not_hex,
    )  # fmt: skip
    if click != cancelled:
        g.state.where[unit] = g.location(click)
        g.log("11.2.2", "{unit} is assigned to interdict {hex}", unit=unit, hex=g.location(click))


def why_not_mission(g: G, side: int, hex: int) -> Refusal | None:
    """Return why a side cannot interdict a hex with another air unit (11.2.1, 18.1.2)."""
    if hex in setting(g).outside:
        label = BOARD.name(hex)
        return Refusal(f"{label} cannot be interdicted: outside the scenario area", "18.1.2", label)
    flying = next((unit for unit in AIR_UNITS[side] if g.state.where[unit] == hex), None)
    if flying is not None:
        return Refusal(
            f"{BOARD.name(hex)} cannot be interdicted twice: {name(flying)} interdicts it", "11.2.1", name(flying)
        )
    return None


def why_not_hex(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a hex cannot be interdicted."""
    hex = hex_of(g, click)
    return None if hex is None else why_not_mission(g, decision.side, hex)


def fly(g: G) -> None:
    """All air units on Interdiction roll for arrival; those that arrive interdict until the Recovery Phase (11.2.3,
    11.2.4)."""
    state = g.state
    for side in (ALLIED, AXIS):
        for unit in AIR_UNITS[side]:
            hex = state.where[unit]
            if 0 <= hex < HEXES and arrives(g, unit, pair=False) == "A":
                state.flags[unit] |= INTERDICTING
                g.log("11.2.3", "{unit} interdicts {hex}", unit=unit, hex=hex)


def arrives(g: G, unit: int, pair: bool) -> str:
    """Roll for the arrival of an air unit at its Mission hex: on A it arrives; on R and U it returns to the Ready Box
    or the Used Box (5.1.3, 5.1.4, 11.1.6). `pair`: it is one of two Allied air units in a combat."""
    table = g.table("air_arrival")
    column = table.column(WEATHER[g.state.weather])
    result = str(table.roll(g.dice, column, arrival_modifier(g, unit, pair), f"arrival of {name(unit)}"))
    if result in BOXES:
        g.state.where[unit] = BOXES[result][SIDE[unit]]
        g.log("11.1.6", "{unit} does not arrive: {place}", unit=unit, place=g.state.where[unit])
    return result


def arrival_modifier(g: G, unit: int, pair: bool) -> int:
    """Return the modifier of the arrival roll of an air unit (2.4, 11.1.6, 16.7.2)."""
    modifier = 0
    if US[unit]:
        modifier += FIGURES["us"] + (FIGURES["no_base"] if without_base(g) else 0)
    if UNDER_CLOUDS[unit] and g.state.weather == CLOUDY:
        modifier += FIGURES["clouds"]
    if pair and SIDE[unit] == ALLIED:
        modifier += FIGURES["pair"]
    return modifier


def without_base(g: G) -> bool:
    """Whether XII ASC is in March mode or eliminated; if it is not in the game it counts as Deployed (16.7, 16.7.2,
    18.1.4)."""
    return g.state.where[XII_ASC] != NOWHERE and not g.state.flags[XII_ASC] & DEPLOYED


def come_home(g: G) -> None:
    """Air units that interdicted return to the Used Box (11.1.7, 11.2.4)."""
    state = g.state
    for side in (AXIS, ALLIED):
        for unit in AIR_UNITS[side]:
            if state.flags[unit] & INTERDICTING:
                state.flags[unit] &= ~INTERDICTING
                state.where[unit] = USED[side]
                g.log("11.2.4", "{unit} ends its mission", unit=unit)
