"""Overrun (OCS 7): a moving stack that began the phase together attacks an adjacent hex for 3 MPs and may continue."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.tunisia import combat, control, cooperation, fuel, modes, movers
from khamsin.games.tunisia.ground import is_closed, overrun_cost
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
    tell,
    whom,
)
from khamsin.kernel.rules import Procedure, Refusal
from khamsin.mechanics import overrun as overruns

COST: int = GROUND["overrun"] * SCALE


def why_not(g: G, side: int, units: Sequence[int], flags: Sequence[int], hex: int) -> Refusal | None:
    """Return why a stack cannot overrun an enemy hex (OCS 7(1), OCS 7(2), OCS 3(3))."""
    label, here = BOARD.name(hex), g.state.where[units[0]]
    cannot = f"{whom(units)} cannot overrun {label}"
    if movers.is_mud(g):
        return Refusal(f"{cannot}: there are no overruns in Mud", "1.3", label)
    refusal = overruns.why_not_adjacent(g, cannot, hex, BOARD.around(here), "OCS 7")
    if refusal is not None:
        return refusal
    for unit, mode in zip(units, flags, strict=True):
        if mode & (STRAT | RESERVE | DG):
            state = "disorganised" if mode & DG else f"in {'Strat' if mode & STRAT else 'Reserve'} Mode"
            return Refusal(f"{cannot}: {name(unit)} is {state}", "OCS 7(1)", name(unit))
        if not attack_capable(unit, mode):
            return Refusal(f"{cannot}: {name(unit)} is not attack-capable", "OCS 7(1)", name(unit))
    refusal = overruns.why_not_together(g, cannot, units, "OCS 7(1)") or cooperation.why_apart(g, units, "overrun")
    if refusal is not None:
        return refusal
    mobilities = sorted({MOBILITY[unit][int(bool(mode & MOVE))] for unit, mode in zip(units, flags, strict=True)})
    entering = overrun_cost(here, hex, mobilities)
    harder = SCALE if hex in movers.interdicted(g, side, mobilities) else 0
    if entering is None:
        shut = any(is_closed(here, BOARD.direction(here, hex), mobility) for mobility in mobilities)
        text = "is closed" if shut else "takes the whole allowance"
        return Refusal(f"{cannot}: without a road the hex {text}", "OCS 7(2)", label)
    if entering + harder > COST:
        text = f"entering it without a road costs {movers.shown(entering + harder)} MPs, more than 3"
        return Refusal(f"{cannot}: {text}", "OCS 7(2)", label)
    left = movers.points(g, units, flags)
    refusal = overruns.why_not_paid(cannot, COST, left, "OCS 7(1)", label, movers.shown)
    if refusal is not None:
        return refusal
    idle = [unit for unit in forces_in(g, side, here) if unit not in units]
    if SIZE.size(idle) + SIZE.size(units) > LIMIT:
        return Refusal(f"{cannot}: more than 10 RE are in its hex", "OCS 3(3)", BOARD.name(here))
    dry = fuel.why_not(g, side, units, flags)
    if dry is not None:
        return dry
    unspent = fuel.left_over(g, side, fuel.needed(g, side, units, flags))
    with modes.supposing(g, units, flags):
        return combat.why_not_supplied(g, side, units, label, unspent)


def overrun(g: G, side: int, units: Sequence[int], hex: int) -> Procedure:
    """A stack pays 3 MPs and attacks alone. If the hex is cleared all survivors enter it; unless they retreated they
    may continue (OCS 7(3), OCS 7(4), OCS 7(5))."""
    tell(g, side, "OCS 7", "{units} {units:overruns|overrun} {hex}", "Units overrun {hex}", units=names(units), hex=hex)
    for unit in units:
        g.state.spent[unit] += COST
    fight = combat.resolve(g, side, units, hex, overrun=True)
    alive, enters, retreated = yield from overruns.fight(g, side, units, hex, fight)
    if enters:
        tell(
            g, side, "OCS 7(4)", "{units} {units:enters|enter} {hex}", "Units enter {hex}", units=names(alive), hex=hex
        )
        start = g.state.where[alive[0]]
        for unit in alive:
            g.state.where[unit] = hex
        control.enter(g, side, alive, [start, hex], advance=True)  # series 9.12g
    elif retreated:
        for unit in alive:
            g.state.flags[unit] = g.state.flags[unit] & ~MOVING | FINISHED
