"""Strongpoints (14): how they are begun, completed, given up and removed."""

from __future__ import annotations

from khamsin.games.kasserine import supply
from khamsin.games.kasserine.scenario import MOST_STRONGPOINTS, setting
from khamsin.games.kasserine.units import (
    ALLIED,
    AXIS,
    BOARD,
    BUILDER,
    BUILDING,
    FORCE_SPAN,
    FORCES,
    FRENCH,
    HEXES,
    OOS,
    SIDE,
    G,
    forces_in,
    held,
    name,
)
from khamsin.kernel.rules import Procedure, Refusal

BUILDERS = tuple(tuple(unit for unit in FORCES[side] if BUILDER[unit]) for side in (AXIS, ALLIED))
"""The units of each side that may build: infantry of any kind (14.3.4)."""
FRENCH_BEGAN = "a French unit has begun a strongpoint"


def begin(g: G, side: int) -> Procedure:
    """In the Supply Status Phase a side puts units to work on strongpoints, as many as it has markers for (14.3.1, 14.3.6)."""
    if not setting(g).works:  # 18.1.4
        return
    done = g.rules.button("done")
    while units := builders(g, side):
        click = yield g.ask(
            side,
            "strongpoint.build",
            "Which unit begins a strongpoint?",
            "14.3.3",
            units=units,
            buttons=[done],
            top=True,
        )
        if click == done:
            return
        lay_out(g, click)


def builders(g: G, side: int) -> list[int]:
    """The units that may begin a strongpoint now (14.3.1, 14.3.3, 14.3.4)."""
    state = g.state
    if markers_left(g, side) <= 0:
        return []
    taken = {*state.strongpoint, *state.works}
    french_too = FRENCH_BEGAN not in state.todo  # 16.5.3
    return [
        unit
        for unit in BUILDERS[side]
        if 0 <= (hex := state.where[unit]) < HEXES
        and hex not in taken
        and not state.flags[unit] & OOS
        and (french_too or not FRENCH[unit])
    ]


def markers_left(g: G, side: int) -> int:
    """How many more strongpoints a side can have in play (2.2.1, 14.3.1)."""
    in_play = [*g.state.strongpoint.values(), *g.state.works.values()]
    return MOST_STRONGPOINTS[side] - in_play.count(side)


def lay_out(g: G, unit: int) -> None:
    """A unit begins a strongpoint in its hex: a marker with its non-active side up (14.3.2, 14.3.6)."""
    state, hex = g.state, g.state.where[unit]
    state.works[hex] = SIDE[unit]
    state.flags[unit] |= BUILDING
    if FRENCH[unit]:
        state.todo[FRENCH_BEGAN] = 1
    g.log("14.3.6", "{unit} begins a strongpoint in {hex}", unit=unit, hex=hex)


def complete(g: G, side: int) -> None:
    """At the end of its Reserve Movement Phase a side's strongpoints under construction become active, and those who built
    them are free to move (14.3.2, 14.3.5, 14.3.6)."""
    state = g.state
    finished = sorted(hex for hex, owner in state.works.items() if owner == side)
    for hex in finished:
        state.strongpoint[hex] = state.works.pop(hex)
        g.log("14.3.6", "the strongpoint in {hex} is complete", hex=hex)
    if finished:
        for unit in BUILDERS[side]:
            state.flags[unit] &= ~BUILDING


def abandon(g: G, hex: int) -> None:
    """A strongpoint under construction is removed: its hex is attacked, or its builder leaves (14.3.5, 14.4.2)."""
    state = g.state
    side = state.works.pop(hex, None)
    if side is None:
        return
    for unit in forces_in(g, side, hex):
        state.flags[unit] &= ~BUILDING
    g.log("14.4.2", "the strongpoint under construction in {hex} is given up", hex=hex)


def own(g: G, side: int) -> list[int]:
    """The hexes of a side's active strongpoints."""
    return sorted(hex for hex, owner in g.state.strongpoint.items() if owner == side)


def remove(g: G, hex: int, rule: str) -> None:
    """A strongpoint is removed; its marker can be used again (14.4.1, 14.4.3)."""
    del g.state.strongpoint[hex]
    g.log(rule, "the strongpoint in {hex} is removed", hex=hex)


def remove_overrun(g: G) -> None:
    """At the end of the Recovery Phase strongpoints go that enemy combat units occupy (14.4.1)."""
    for hex, owner in sorted(g.state.strongpoint.items()):
        if held(g, 1 - owner, hex):
            remove(g, hex, "14.4.1")


def why_not_build(g: G, unit: int) -> Refusal | None:
    """Why a unit cannot begin a strongpoint (14.3)."""
    state, side = g.state, SIDE[unit]
    hex = state.where[unit]
    if not BUILDER[unit]:
        return Refusal(f"{name(unit)} is no infantry", "14.3.4", name(unit))
    if not 0 <= hex < HEXES:
        return Refusal(f"{name(unit)} is not on the map", "14.3.3", name(unit))
    if hex in state.strongpoint or hex in state.works:
        return Refusal(f"there is a strongpoint in {BOARD.name(hex)}", "14.3.3", BOARD.name(hex))
    if state.flags[unit] & OOS:
        return Refusal(f"{name(unit)} is out of supply", "14.3.3", supply.why_not_supplied(g, unit, hex).cause)
    if FRENCH[unit] and FRENCH_BEGAN in state.todo:
        return Refusal("one French unit a turn may begin a strongpoint", "16.5.3", _french_works(g))
    if markers_left(g, side) <= 0:
        return Refusal(f"all {MOST_STRONGPOINTS[side]} strongpoints are in play", "14.3.1")
    return None


def _french_works(g: G) -> str:
    """The French unit that is at work."""
    flags = g.state.flags[FORCE_SPAN[ALLIED]]
    working = (u for u, marks in zip(FORCES[ALLIED], flags, strict=True) if marks & BUILDING and FRENCH[u])
    return next(map(name, working), "")
