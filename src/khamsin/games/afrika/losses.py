"""Losses (1.4, SCS 9.3, SCS 9.4): the owner chooses the units that lose steps, the strongest first, none twice before
all have lost one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from khamsin.games.afrika import boxes
from khamsin.games.afrika.units import DEAD, SIDE, STEPS, G, name
from khamsin.kernel.rules import Procedure, Refusal
from khamsin.mechanics.losses import lose_steps


def steps_left(g: G, unit: int) -> int:
    """Return the steps that a unit has left (1.4)."""
    return g.state.steps[unit]


def lose_step(g: G, unit: int, rule: str = "1.4") -> None:
    """A unit loses a step: the first reduces it, the last eliminates it (1.4, SCS 9.4)."""
    state = g.state
    state.steps[unit] -= 1
    if not state.steps[unit]:
        eliminate(g, unit, rule)
        return
    turned = state.steps[unit] == STEPS[unit] - 1
    text = "{unit} loses a step and is reduced" if turned else "{unit} loses a step: {left} left"
    g.log(rule, text, unit=unit, left=state.steps[unit])


def eliminate(g: G, unit: int, rule: str) -> None:
    """Move a unit to the dead pile; a box it leaves empty is removed (1.4, 1.16)."""
    g.state.steps[unit] = 0
    g.state.where[unit] = DEAD[SIDE[unit]]
    g.log_loss(rule, "{unit} is eliminated", unit=unit)
    boxes.remove_empty(g)


def lose(
    g: G, side: int, units: Sequence[int], steps: int, strength: Callable[[G, int], int] | None, rule: str
) -> Procedure:
    """A force loses steps in total. With `strength` one of the units whose value is highest loses the first (SCS 9.3);
    barrage has no such order (SCS 7.6). No unit loses a second step before all have lost one. A force without enough
    steps is eliminated."""
    force = [unit for unit in units if steps_left(g, unit)]
    if steps >= sum([steps_left(g, unit) for unit in force]):
        for unit in force:
            eliminate(g, unit, rule)
        return
    lost = dict.fromkeys(force, 0)
    best = max([strength(g, unit) for unit in force]) if strength else 0
    for number in range(steps):
        alive = [unit for unit in force if steps_left(g, unit)]
        fewest = min([lost[unit] for unit in alive])
        first = [unit for unit in alive if lost[unit] == fewest]
        why = why_spread
        if strength and number == 0:
            first, why = [unit for unit in alive if strength(g, unit) == best], why_strongest
        before = {unit: steps_left(g, unit) for unit in alive}
        yield from lose_steps(
            g, side, alive, 1, partial(lose_step, rule=rule), steps_left, rule, first, partial(why, rule=rule),
            later=steps - number - 1,
        )  # fmt: skip
        for unit in alive:
            lost[unit] += before[unit] - steps_left(g, unit)


def why_spread(g: G, unit: int, rule: str) -> Refusal:
    """Return that another unit loses a step first (SCS 9.3)."""
    return Refusal(
        f"{name(unit)} must lose a step first: no unit loses a second before all have lost one", rule, name(unit)
    )


def why_strongest(g: G, unit: int, rule: str) -> Refusal:
    """Return that the strongest unit loses the first step (SCS 9.3)."""
    return Refusal(f"{name(unit)} must lose the first step: its strength is the highest", rule, name(unit))
