"""Strongpoints (14): construction, completion, abandonment and removal."""

from __future__ import annotations

from khamsin.games.kasserine.scenario import MOST_STRONGPOINTS, setting
from khamsin.games.kasserine.units import (
    ALLIED,
    AXIS,
    BOARD,
    BUILDING,
    FORCES,
    FRENCH,
    HEXES,
    INFANTRY,
    OOS,
    SIDE,
    G,
    forces_in,
    held,
    name,
)
from khamsin.kernel.rules import Decision, Procedure, Refusal

BUILDERS = tuple(tuple(unit for unit in FORCES[side] if INFANTRY[unit]) for side in (AXIS, ALLIED))
"""The units of each side that may build: infantry of any kind (14.3.4)."""


def begin(g: G, side: int) -> Procedure:
    """In the Supply Status Phase units of a side begin strongpoints, as many as it has markers for (14.3.1, 14.3.6)."""
    if not setting(g).works:  # 18.1.4
        return
    done = g.rules.button("done")
    while any(why_not_build(g, unit) is None for unit in BUILDERS[side]):
        click = yield g.ask(
            side, "strongpoint.build", "Choose a unit to begin a strongpoint, or begin no more", "14.3.3",
            maybe=BUILDERS[side], buttons=[done], top=True, why_not=why_not,
        )  # fmt: skip
        if click == done:
            return
        lay_out(g, click)


def builders(g: G, side: int) -> list[int]:
    """Return the units that may begin a strongpoint now (14.3)."""
    return [unit for unit in BUILDERS[side] if why_not_build(g, unit) is None]


def why_not_build(g: G, unit: int) -> Refusal | None:
    """Return why a unit cannot begin a strongpoint (14.3.1, 14.3.3, 14.3.4, 16.5.3)."""
    state, side, hex = g.state, SIDE[unit], g.state.where[unit]
    if not INFANTRY[unit]:
        return _no_work(unit, "not infantry", "14.3.4")
    if not 0 <= hex < HEXES:
        return _no_work(unit, "not on the map", "14.3.3")
    if hex in state.strongpoint or hex in state.works:
        return _no_work(unit, f"there is one in {BOARD.name(hex)}", "14.3.3", BOARD.name(hex))
    if state.flags[unit] & OOS:
        return _no_work(unit, "out of supply", "14.3.3")
    if FRENCH[unit] and (other := french_at_work(g)) is not None:
        return _no_work(unit, f"one French unit per turn does, {name(other)}", "16.5.3", name(other))
    if markers_left(g, side) <= 0:
        return _no_work(unit, f"all {MOST_STRONGPOINTS[side]} strongpoints are in play", "14.3.1")
    return None


def _no_work(unit: int, text: str, rule: str, cause: str = "") -> Refusal:
    return Refusal(f"{name(unit)} cannot begin a strongpoint: {text}", rule, cause or name(unit))


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a unit of the side cannot begin a strongpoint."""
    return why_not_build(g, click) if g.is_unit(click) and SIDE[click] == decision.side else None


def french_at_work(g: G) -> int | None:
    """Return the French unit that builds a strongpoint; in this phase one that has just begun it (16.5.3)."""
    return next((unit for unit in g.state.flags.having(BUILDING) if FRENCH[unit]), None)


def markers_left(g: G, side: int) -> int:
    """Return how many more strongpoints a side can have in play (2.2.1, 14.3.1)."""
    in_play = [*g.state.strongpoint.values(), *g.state.works.values()]
    return MOST_STRONGPOINTS[side] - in_play.count(side)


def lay_out(g: G, unit: int) -> None:
    """A unit begins a strongpoint in its hex: place a marker with its non-active side up (14.3.2, 14.3.6)."""
    state, hex = g.state, g.state.where[unit]
    state.works[hex] = SIDE[unit]
    state.flags[unit] |= BUILDING
    g.log("14.3.6", "{unit} begins a strongpoint in {hex}", unit=unit, hex=hex)


def complete(g: G, side: int) -> None:
    """At the end of its Reserve Movement Phase a side's strongpoints under construction become active, and their
    builders may move (14.3.2, 14.3.5, 14.3.6)."""
    state = g.state
    finished = sorted(hex for hex, owner in state.works.items() if owner == side)
    for hex in finished:
        state.strongpoint[hex] = state.works.pop(hex)
        g.log("14.3.6", "The strongpoint in {hex} is complete", hex=hex)
    if finished:
        for unit in BUILDERS[side]:
            state.flags[unit] &= ~BUILDING


def abandon(g: G, hex: int) -> None:
    """Remove a strongpoint under construction: its hex is attacked, or its builder leaves (14.3.5, 14.4.2)."""
    state = g.state
    side = state.works.pop(hex, None)
    if side is None:
        return
    for unit in forces_in(g, side, hex):
        state.flags[unit] &= ~BUILDING
    g.log("14.4.2", "The strongpoint under construction in {hex} is abandoned", hex=hex)


def own(g: G, side: int) -> list[int]:
    """Return the hexes of a side's active strongpoints, which it may remove."""
    return sorted([hex for hex in g.state.strongpoint if why_not_removed(g, side, hex) is None])


def remove(g: G, hex: int, rule: str) -> None:
    """Remove a strongpoint; its marker can be used again (14.4.1, 14.4.3)."""
    del g.state.strongpoint[hex]
    g.log(rule, "The strongpoint in {hex} is removed", hex=hex)


def remove_overrun(g: G) -> None:
    """At the end of the Recovery Phase remove strongpoints that enemy combat units occupy (14.4.1)."""
    for hex, owner in sorted(g.state.strongpoint.items()):
        if held(g, 1 - owner, hex):
            remove(g, hex, "14.4.1")


def why_not_removed(g: G, side: int, hex: int) -> Refusal | None:
    """Return why there is no strongpoint to remove in a hex (14.4.3)."""
    if g.state.strongpoint.get(hex) == side:
        return None
    label = BOARD.name(hex)
    return Refusal(f"No strongpoint of yours is in {label}", "14.4.3", label)
