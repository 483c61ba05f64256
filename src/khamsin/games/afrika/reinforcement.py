"""Reinforcements (1.1, 4.3, 4.4, SCS 11.4): the units of a turn appear where the scenario says."""

from __future__ import annotations

from functools import partial

from khamsin.games.afrika import control
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.units import BOARD, FORCES, MOVED, TRACK, G, forces_in, name
from khamsin.kernel.rules import Decision, Procedure, Refusal


def due(g: G, side: int) -> list[int]:
    """Return the units of a side that wait for this turn or an earlier one."""
    arrivals, where = setting(g).arrivals, g.state.where
    return [u for u in FORCES[side] if where[u] == TRACK and u in arrivals and arrivals[u].turn <= g.state.turn]


def entries(g: G, side: int, unit: int) -> list[int]:
    """Return the hexes or the box where a unit can appear (SCS 11.4)."""
    return [hex for hex in setting(g).arrivals[unit].entry if why_not_entered(g, side, unit, hex) is None]


def why_not_entered(g: G, side: int, unit: int, hex: int) -> Refusal | None:
    """A unit appears where its scenario says, not where an enemy unit is; ZOCs and full hexes do not matter
    (SCS 11.4)."""
    label = BOARD.name(hex)
    if hex not in setting(g).arrivals[unit].entry:
        return Refusal(f"{name(unit)} cannot arrive in {label}: not where it enters", "SCS 11.4", label)
    for enemy in forces_in(g, 1 - side, hex):
        return Refusal(f"{name(unit)} cannot arrive in {label}: {name(enemy)} is there", "SCS 11.4", name(enemy))
    return None


def reinforcements(g: G, side: int) -> Procedure:
    """The arrivals of a side: one hex for all that wait, or unit by unit. Those without a free entry hex wait (SCS 11.4)."""
    while waiting := [unit for unit in due(g, side) if entries(g, side, unit)]:
        first = waiting[0]
        group = [unit for unit in waiting if entries(g, side, unit) == entries(g, side, first)]
        hexes = entries(g, side, first)
        if len(hexes) == 1:
            place(g, side, group, hexes[0])
            continue
        click = yield g.ask(
            side, "arrival.place", "Reinforcements: choose a hex for all, or a unit to arrive elsewhere", "SCS 11.4",
            units=group if len(group) > 1 else [], locations=hexes, about=group, top=True,
            why_not=partial(why_not, waiting=group),
        )  # fmt: skip
        if g.is_unit(click):
            where = yield g.ask(
                side, "arrival.place", f"Choose a hex where {name(click)} arrives", "SCS 11.4", locations=hexes, about=[click],
                why_not=partial(why_not, waiting=(click,)),
            )  # fmt: skip
            group, click = [click], where
        place(g, side, group, g.location(click))


def why_not(g: G, decision: Decision, click: int, waiting: list[int] | tuple[int, ...]) -> Refusal | None:
    """Return why a unit does not arrive, or not in a hex."""
    if click >= g.rules.first_button:
        return None
    if g.is_unit(click):
        text = f"{name(click)} is not among the units to place now"
        return None if click in waiting and len(waiting) > 1 else Refusal(text, "SCS 11.4", name(click))
    return why_not_entered(g, decision.side, waiting[0], g.location(click))


def place(g: G, side: int, units: list[int], location: int) -> None:
    """Units appear (SCS 11.4)."""
    for unit in units:
        g.log("SCS 11.4", "{unit} arrives in {hex}", unit=unit, hex=location)
    control.arrive(g, side, units, location)
    for unit in units:
        g.state.flags[unit] &= ~MOVED
