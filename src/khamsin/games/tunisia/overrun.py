"""Overrun (OCS 7): a moving stack that began the phase together attacks an adjacent hex for 3 MPs and may go on."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.tunisia import combat, control, fuel, movers
from khamsin.games.tunisia.ground import overrun_cost
from khamsin.games.tunisia.stacking import LIMIT, SIZE
from khamsin.games.tunisia.units import (
    BOARD,
    DG,
    FINISHED,
    GROUND,
    MOBILITY,
    MOVE,
    MOVING,
    RESERVE,
    SCALE,
    STRAT,
    G,
    attack_capable,
    forces_in,
    name,
    names,
    on_map,
    tell,
    whom,
)
from khamsin.kernel.rules import Procedure, Refusal

COST: int = GROUND["overrun"] * SCALE


def targets(g: G, side: int, units: Sequence[int], flags: Sequence[int]) -> list[int]:
    """The enemy hexes that a stack can overrun in a mode."""
    near = [hex for hex in BOARD.around(g.state.where[units[0]]) if forces_in(g, 1 - side, hex)]
    return [hex for hex in near if why_not(g, side, units, flags, hex) is None]


def why_not(g: G, side: int, units: Sequence[int], flags: Sequence[int], hex: int) -> Refusal | None:
    """Why a stack cannot overrun an enemy hex (OCS 7(1), OCS 7(2), OCS 3(3))."""
    label, here = BOARD.name(hex), g.state.where[units[0]]
    cannot = f"{whom(units)} cannot overrun {label}"
    if movers.is_mud(g):
        return Refusal(f"{cannot}: there is no movement in Mud", "1.3", label)
    if hex not in BOARD.around(here):
        return Refusal(f"{cannot}: not adjacent", "OCS 7", label)
    for unit, mode in zip(units, flags, strict=True):
        if mode & (STRAT | RESERVE | DG):
            return Refusal(
                f"{cannot}: {name(unit)} is in Strat or Reserve Mode, or disorganised", "OCS 7(1)", name(unit)
            )
        if not attack_capable(unit, mode):
            return Refusal(f"{cannot}: {name(unit)} is not attack-capable", "OCS 7(1)", name(unit))
        if g.state.origin[unit] != g.state.origin[units[0]]:
            return Refusal(f"{cannot}: {name(unit)} did not begin the phase in the same hex", "OCS 7(1)", name(unit))
    mobilities = sorted({MOBILITY[unit][int(bool(mode & MOVE))] for unit, mode in zip(units, flags, strict=True)})
    entering = overrun_cost(here, hex, mobilities)
    if entering is None or entering > COST:
        return Refusal(
            f"{cannot}: entering it without a road costs more than 3 MPs, or is prohibited", "OCS 7(2)", label
        )
    left = movers.points(g, units, flags)
    if left < COST:
        return Refusal(f"{cannot}: costs 3 MPs, {movers.shown(left)} left", "OCS 7(1)", label)
    idle = [unit for unit in forces_in(g, side, here) if unit not in units]
    if SIZE.size(idle) + SIZE.size(units) > LIMIT:
        return Refusal(f"{cannot}: more than 10 RE are in its hex", "OCS 3(3)", BOARD.name(here))
    return fuel.why_not(g, side, units, flags) or combat.why_not_supplied(g, side, units, label)


def overrun(g: G, side: int, units: Sequence[int], hex: int) -> Procedure:
    """A stack pays 3 MPs and attacks alone. If the hex is emptied all survivors enter it; unless they retreated they may go on
    (OCS 7(3), OCS 7(4), OCS 7(5))."""
    tell(g, side, "OCS 7", "{units} overrun {hex}", "Units overrun {hex}", units=names(units), hex=hex)
    for unit in units:
        g.state.spent[unit] += COST
    retreated = yield from combat.resolve(g, side, units, hex, overrun=True)
    alive = [unit for unit in units if on_map(g, unit)]
    if alive and not retreated and not forces_in(g, 1 - side, hex):
        tell(g, side, "OCS 7(4)", "{units} enter {hex}", "Units enter {hex}", units=names(alive), hex=hex)
        start = g.state.where[alive[0]]
        for unit in alive:
            g.state.where[unit] = hex
        control.enter(g, side, alive, [start, hex])
    elif retreated:
        for unit in alive:
            g.state.flags[unit] = g.state.flags[unit] & ~MOVING | FINISHED
