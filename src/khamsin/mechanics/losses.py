"""Losses: the owner chooses which units of a force lose steps, or which whole units make up an amount."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from functools import partial
from typing import Any

from khamsin.kernel.rules import Decision, Game, Procedure, Refusal, S

G = Game[Any]


def lose_steps(
    g: Game[S],
    side: int,
    units: Sequence[int],
    steps: int,
    lose_step: Callable[[Game[S], int], None],
    left: Callable[[Game[S], int], int],
    rule: str,
    first: Collection[int] = (),
    why_first: Callable[[Game[S], int], Refusal] | None = None,
    later: int = 0,
) -> Procedure:
    """Let the owner of a force choose, unit by unit, which lose steps. `left` returns the steps of a unit; a unit with
    none is out. One of the units in `first`, if any is in the force, takes the first step; `why_first` explains that.
    `lose_step` is the game's. The force must have more steps than are lost; otherwise the game removes it. The prompt
    also counts the steps to be lost `later`."""
    must = [unit for unit in units if unit in first and left(g, unit)]
    for lost in range(steps):
        force = [unit for unit in units if left(g, unit)]
        choice = must or force
        unit = choice[0]
        if len(choice) > 1:
            hexes = sorted({g.board.name(g.state.where[unit]) for unit in force})
            prompt = f"Choose a unit in {' or '.join(hexes)} to lose a step: {steps - lost + later} to lose"
            unit = yield g.ask(
                side, "combat.losses", prompt, rule,
                units={unit: f"{left(g, unit)} step{'s' * (left(g, unit) != 1)}" for unit in choice},
                why_not=partial(why_no_step, force=tuple(force), must=tuple(must), why_first=why_first),
            )  # fmt: skip
        lose_step(g, unit)
        must = []


def why_no_step(
    g: G,
    decision: Decision,
    click: int,
    force: Sequence[int],
    must: Sequence[int] = (),
    why_first: Callable[[Any, int], Refusal] | None = None,
) -> Refusal | None:
    """Return why a unit cannot lose the step: it is not in the force, or another unit takes the first step."""
    if not g.is_unit(click):
        return None
    name = g.rules.names[click]
    if click not in force:
        return Refusal(f"{name} cannot lose a step: it is not in this combat", decision.rule, name)
    return why_first(g, must[0]) if must and click not in must and why_first else None


def lose_units(
    g: Game[S],
    side: int,
    units: Sequence[int],
    amount: int,
    worth: Callable[[Game[S], int], int],
    rule: str,
    points: str,
) -> Generator[Decision, int, list[int]]:
    """Eliminate whole units of a force, as near to an amount of points as possible without exceeding it. If several
    choices are equally near, the owner chooses unit by unit. Return the units lost."""
    pool, lost = list(units), list[int]()
    due = nearest([worth(g, unit) for unit in pool], amount)
    while due:
        fit = [unit for unit in pool if not why_no_unit(g, unit, pool, due, worth, rule, points)]
        if choices([worth(g, unit) for unit in pool], due) == 1:
            return lost + fit
        unit = yield g.ask(
            side, "combat.losses", f"Choose a unit to eliminate: {due} {points} still to lose", rule, units=fit, about=lost,
            why_not=partial(_why_no_unit, force=tuple(pool), due=due, worth=worth, points=points),
        )  # fmt: skip
        pool.remove(unit)
        lost.append(unit)
        due -= worth(g, unit)
    return lost


def why_no_unit(
    g: G, unit: int, force: Iterable[int], due: int, worth: Callable[[Any, int], int], rule: str, points: str
) -> Refusal | None:
    """Return why a unit cannot be among those lost: it is not in the force, or no choice with it makes exactly the
    amount due."""
    name, pool = g.rules.names[unit], list(force)
    if unit not in pool:
        return Refusal(f"{name} cannot be eliminated: it is not in this combat", rule, name)
    own, rest = worth(g, unit), [worth(g, other) for other in pool if other != unit]
    if own > due:
        return Refusal(f"{name} cannot be eliminated: {own} {points} exceed the {due} {points} to lose", rule, name)
    if choices(rest, due - own):
        return None
    return Refusal(f"{name} cannot be eliminated: no choice with its {own} {points} makes {due}", rule, name)


def _why_no_unit(
    g: G, decision: Decision, click: int, force: Sequence[int], due: int, worth: Callable[[Any, int], int], points: str
) -> Refusal | None:
    if click in decision.about:
        name = g.rules.names[click]
        return Refusal(f"{name} is already chosen", decision.rule, name)
    return why_no_unit(g, click, force, due, worth, decision.rule, points) if g.is_unit(click) else None


def nearest(worths: Iterable[int], amount: int) -> int:
    """Return the most points that whole units make without exceeding an amount.

    >>> nearest([2, 2, 3], 6), nearest([4], 3)
    (5, 0)
    """
    sums = 1
    for one in worths:
        sums |= sums << one
    return (sums & ((2 << amount) - 1)).bit_length() - 1


def choices(worths: Iterable[int], total: int) -> int:
    """Return how many choices of units make exactly this many points.

    >>> choices([2, 2, 3], 3), choices([2, 2, 3], 2), choices([2, 2], 3), choices([3], -1)
    (1, 2, 0, 0)
    """
    if total < 0:
        return 0
    count = [1] + [0] * total
    for one in worths:
        for at in range(total, one - 1, -1):
            count[at] += count[at - one]
    return count[total]
