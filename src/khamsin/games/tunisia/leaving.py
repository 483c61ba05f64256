"""Leaving the area of scenario 2 (Scenario 2): Axis units exit north from A27.11."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.tunisia import fuel, movers, moves
from khamsin.games.tunisia.arrivals import OUT
from khamsin.games.tunisia.ground import step_cost
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.units import AXIS, BOARD, FINISHED, MOBILITY, MOVE, G, name, whom
from khamsin.kernel.flood import NEVER
from khamsin.kernel.rules import Refusal

EXIT, BEYOND = BOARD["A27.11"], BOARD["A27.12"]


def is_at_exit(g: G, units: Sequence[int]) -> bool:
    """Whether units are in the exit hex."""
    return setting(g).number == 2 and g.state.where[units[0]] == EXIT


def why_not(g: G, side: int, units: Sequence[int]) -> Refusal | None:
    """Return why units cannot exit: only the Axis does, at the cost of the hex beyond; truck units that have entered an
    enemy ZOC stay (Scenario 2, OCS 4(2), rulings)."""
    who = whom(units)
    if side != AXIS:
        return Refusal(f"{who} cannot exit: only the Axis leaves the area", "Scenario 2", name(units[0]))
    modes = [movers.released(g.state.flags[unit]) if movers.is_later(g) else g.state.flags[unit] for unit in units]
    for hold in moves.stopped(g, side, units, modes):
        return Refusal(f"{who} cannot exit: {hold.text}", hold.rule, hold.cause)
    for unit, flags in zip(units, modes, strict=True):
        cost = step_cost(EXIT, BOARD.direction(EXIT, BEYOND), MOBILITY[unit][int(bool(flags & MOVE))])
        if cost == NEVER or movers.points(g, [unit], [flags]) < cost:
            return Refusal(f"{who} cannot exit: too few MPs left for A27.12", "Scenario 2", name(unit))
    return fuel.why_not(g, side, units, [g.state.flags[unit] for unit in units])


def leave(g: G, side: int, units: Sequence[int]) -> None:
    """Units leave the map for good; the last step takes fuel (Scenario 2, OCS 6(4))."""
    fuel.fuel(g, side, units, [g.state.flags[unit] for unit in units])
    for unit in units:
        g.log("Scenario 2", "{unit} exits at {hex}", unit=unit, hex=EXIT)
        g.state.where[unit] = OUT
        g.state.flags[unit] |= FINISHED
