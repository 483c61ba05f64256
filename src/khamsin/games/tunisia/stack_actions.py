"""The actions of a stack besides moving: its buttons, and why one is illegal (OCS 5, OCS 6, OCS 11-13)."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.tunisia import breakout, construction, fuel, leaving, lift, modes, raid, trucks
from khamsin.games.tunisia.movers import is_later, is_mud, released
from khamsin.games.tunisia.units import (
    BOARD,
    CHANGED,
    FINISHED,
    IS_TRUCK,
    MOVING,
    ORGANIC,
    RESERVE,
    SIDE,
    STRAT,
    G,
    name,
    on_map,
    tell,
    whom,
)
from khamsin.kernel.rules import Refusal

BUTTON_ORDER = (
    "combat", "move", "strat", "reserve", "release", "fuel", "load", "unload", "token", "build", "rail", "sea", "exit",
    "breakout", "embark", "extend", "collapse",
)  # fmt: skip
"""The actions of a stack besides moving."""
HANDLING = ("load", "unload", "token")
"""The actions of trucks with their loads."""
MUD_BUTTONS = ("combat", "move", "strat", "reserve", "rail", "sea")
"""The actions in Mud (1.3)."""


def why_not_button(g: G, side: int, units: Sequence[int], word: str) -> Refusal | None:
    """Return why a button of a stack is illegal."""
    who = whom(units)
    if word == "fuel":
        return fuel.why_not_lasting(g, side, units)
    if word in HANDLING:
        return trucks.why_not(g, side, units, word)
    if word == "embark":
        return raid.why_not(g, units)
    if word == "extend":
        return trucks.why_no_extender(g, units)
    if word == "collapse":
        return trucks.why_no_collapse(g, side, units)
    if word in (lift.RAIL, lift.SEA):
        return lift.why_not_carried(g, side, units, word)
    if word == "build":
        return construction.why_not_working(g, units)
    if word == "breakout":
        return breakout.why_not(g, side, units)
    if word == "exit":
        return leaving.why_not(g, side, units)
    if word == "release":
        if not is_later(g):
            return Refusal(f"{who} is released in the Reaction or Exploitation Phase", "OCS 5(2)", name(units[0]))
        kept = [unit for unit in units if not g.state.flags[unit] & RESERVE]
        return Refusal(f"{name(kept[0])} is not in Reserve Mode", "OCS 5(2)", name(kept[0])) if kept else None
    if is_later(g):
        return Refusal(f"{who} cannot change its mode: only in the Movement Phase", "OCS 5(1)", name(units[0]))
    if any(g.state.flags[unit] & MOVING for unit in units):
        return Refusal(f"{who} cannot change its mode: it has begun to move", "OCS 5(1)", name(units[0]))
    if keeps(g, units, word):
        return None
    if word == "strat" and not modes.can_end_in_strat(g, side, g.state.where[units[0]]):
        label = BOARD.name(g.state.where[units[0]])
        return Refusal(f"{who} cannot stay in {label} in Strat Mode: no trace supply there", "OCS 5", label)
    reasons = [modes.why_not(g, side, unit, word, leaving=not is_mud(g)) for unit in units]
    return (
        reasons[0]
        if all(reasons)
        else next(
            (r for r, u in zip(reasons, units, strict=True) if r and modes.flags_in(g, u, word) != g.state.flags[u]),
            None,
        )
    )


def keeps(g: G, units: Sequence[int], word: str) -> bool:
    """Whether a button says that units in Move or Strat Mode keep it: a short move would take them to Combat Mode (OCS 5(1),
    rulings)."""
    flags = [g.state.flags[unit] for unit in units]
    if word == "strat" and not all(bits & STRAT for bits in flags):  # of DG units the mode shows no more than the side
        return False
    same = flags == [modes.flags_in(g, unit, word) for unit in units] and not any(bits & CHANGED for bits in flags)
    return word in ("move", "strat") and same and not is_mud(g)


def applies(g: G, units: Sequence[int], word: str) -> bool:
    """Whether a button belongs to a stack at all: trucks load, combat units change modes, organic trucks enter and
    leave Reserve."""
    lorries = IS_TRUCK[units[0]]
    if is_mud(g) and word not in MUD_BUTTONS:
        return False
    if word == "embark":
        return not is_later(g) and raid.is_option(g, units)
    if not on_map(g, units[0]) and word not in (lift.RAIL, lift.SEA):
        return False
    if word == "extend":
        return lorries and not is_later(g) and trucks.could_extend(units)
    if word == "collapse":
        return lorries and not is_later(g) and trucks.is_extender(g, units)
    if word in HANDLING:
        return lorries and not (word == "token" and all(ORGANIC[unit] for unit in units))
    if word in (lift.RAIL, lift.SEA):
        return not is_later(g) and lift.allowance(g, SIDE[units[0]], word) > 0
    if word == "breakout":
        return not is_later(g)
    if word == "build":
        return not lorries and not is_later(g)
    if word == "exit":
        return not lorries and leaving.is_at_exit(g, units)
    if word == "release":
        return is_later(g)
    if lorries and word in ("reserve", "move"):  # OCS 5
        held = any(g.state.flags[unit] & RESERVE for unit in units)
        return not is_later(g) and all(ORGANIC[unit] for unit in units) and held == (word == "move")
    return not lorries and not (is_later(g) and word != "fuel")


def own_buttons(g: G, units: Sequence[int]) -> tuple[int, ...]:
    """Return the buttons that belong to a stack, legal or not."""
    return tuple([g.rules.button(word) for word in BUTTON_ORDER if applies(g, units, word)])


def act(g: G, side: int, units: Sequence[int], word: str) -> None:
    """Carry out the action of a button."""
    if word == "fuel":
        fuel.fuel_lasting(g, side, units)
    elif word in HANDLING:
        take_up(g, side, units)
        trucks.handle(g, side, units, word)
    elif word == "embark":
        raid.embark(g, units[0])
    elif word == "extend":
        take_up(g, side, units)
        trucks.extend(g, side, units)
    elif word == "exit":
        leaving.leave(g, side, units)
    elif word == "breakout":
        breakout.attempt(g, side, units)
    elif word == "release":
        release(g, units)
    else:
        modes.change(g, units, word)


def release(g: G, units: Sequence[int]) -> None:
    """Reserves are released (OCS 5(2))."""
    for unit in units:
        if g.state.flags[unit] & RESERVE:
            g.state.flags[unit] = released(g.state.flags[unit])
            tell(g, SIDE[unit], "OCS 5(2)", "{unit} is released from Reserve", unit=unit)


def take_up(g: G, side: int, units: Sequence[int]) -> None:
    """End the move of other stacks before the next, and of units dropped on the path (OCS 6(5))."""
    flags = g.state.flags
    for unit in flags.having(MOVING):
        if SIDE[unit] == side and unit not in units:
            flags[unit] = flags[unit] & ~MOVING | FINISHED
    for unit in units:
        flags[unit] |= MOVING
