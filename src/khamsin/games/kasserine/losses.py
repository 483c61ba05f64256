"""Combat losses (13.2): steps lost, units removed with their markers, and the return of a lost HQ (15.3.1)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.support import put_away
from khamsin.games.kasserine.units import BUILDING, HQ, IS_TIGER, MARKER, OUT, SIDE, TURN_BOX, G, name, on_map
from khamsin.kernel.rules import Procedure, Refusal
from khamsin.mechanics.losses import lose_steps


def lose(g: G, side: int, units: Sequence[int], steps: int, first: Collection[int] = ()) -> Procedure:
    """A force loses steps: the owner chooses unit after unit, the first step among `first` if any of them is there; a
    force without more steps than that is eliminated (13.2, 13.2.3, 16.3.1, 16.6.4)."""
    left = [unit for unit in units if on_map(g, unit)]
    if steps >= steps_of(g, left):
        for unit in left:
            eliminate(g, unit, "13.2.3")
    else:
        yield from lose_steps(g, side, left, steps, lose_step, steps_left, "13.2", first, why_first)


def steps_left(g: G, unit: int) -> int:
    """Return the steps that a unit has on the map (3.4.2, 13.2.2)."""
    return g.state.steps[unit] if on_map(g, unit) else 0


def steps_of(g: G, units: Collection[int]) -> int:
    """Return how many steps units have left; HQs, artillery and units printed on one side have one (3.4.2, 13.2.2)."""
    return sum(g.state.steps[unit] for unit in units)


def why_first(g: G, unit: int) -> Refusal:
    """Return that a unit takes the first step: a Tiger used against a strongpoint, or a mountain unit (16.3.1, 16.6.4)."""
    rule = "16.3.1" if IS_TIGER[unit] else "16.6.4"
    return Refusal(f"{name(unit)} must lose the first step: its bonus was used", rule, name(unit))


def lose_step(g: G, unit: int) -> None:
    """Reduce a unit of two steps, eliminate one with its last step (3.4, 13.2.1)."""
    if g.state.steps[unit] > 1:
        g.state.steps[unit] -= 1
        g.log("13.2.1", "{unit} loses a step", unit=unit)
    else:
        eliminate(g, unit, "13.2.1")


def eliminate(g: G, unit: int, rule: str) -> None:
    """Eliminate a unit and its Fire Support marker; an HQ is placed on the turn track (13.2.3, 15.3.1)."""
    state, side = g.state, SIDE[unit]
    hex = state.where[unit]
    state.steps[unit] = 0
    state.where[unit] = OUT[side]
    g.log_loss(rule, "{unit} is eliminated", unit=unit)
    if unit in MARKER:
        put_away(g, MARKER[unit], OUT[side])
        g.reveal()
    if state.flags[unit] & BUILDING:
        state.works.pop(hex, None)  # 14.4.2
    state.flags[unit] = 0
    state.battle[unit] = state.release[unit] = 0
    if HQ[unit]:
        rebuild(g, unit)


def rebuild(g: G, hq: int) -> None:
    """Roll for the turns until a lost HQ returns, unless the game is over by then (15.3.1)."""
    turn = g.state.turn + g.dice.roll("return of an HQ", "15.3.1")
    if turn <= setting(g).last:
        g.state.steps[hq] = 1
        g.state.where[hq] = TURN_BOX[turn]
        g.log("15.3.1", "{unit} returns on turn {turn}", unit=hq, turn=turn)
