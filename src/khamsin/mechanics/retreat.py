"""Retreats: the paths that a stack can retreat by, where they end, and which ends its rules prefer.

A retreat has its own `Way` (`mechanics.ways`): ground, start and bars. Its length is given, so every simple path of
`least` to `most` hexes counts, not only the cheapest. No STOP or CLOSED bar may forbid a step, and no `End` refuse the
last hex. Of these hexes those with the least *harm* are legal. The same bars and ends explain the refusal of the
others.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import CLOSED, NEVER, STOP
from khamsin.kernel.rules import Decision, Game, Refusal, S, WhyNot
from khamsin.mechanics import ways
from khamsin.mechanics.ways import MOST_NAMES, Bar, End, Way

Path = tuple[int, ...]
"""The hexes entered, with the last one and without the first."""


class Retreat(NamedTuple):
    """Retreats in progress, a record of the state: the side, its units that retreat, the hex that each left, how many
    hexes they retreat, the hexes that retreating attackers had attacked, and whether it is an evasion before combat."""

    side: int
    units: tuple[int, ...]
    hexes: tuple[int, ...]
    least: int
    most: int
    hexes_attacked: tuple[int, ...] = ()
    evading: int = 0

    @property
    def starts(self) -> Mapping[int, int]:
        """The hex that each unit leaves."""
        return dict(zip(self.units, self.hexes, strict=True))


@dataclass(frozen=True, slots=True)
class Plan:
    """The conditions of a stack's retreat from a hex. The bars of its way are in the order in which they are given as
    reasons; `who` names the stack in refusals."""

    way: Way
    who: str
    least: int
    most: int
    ends: tuple[End, ...]
    around: Callable[[int], Iterable[int]]
    """The adjacent hexes, whatever the ground between."""
    why_too_far: Callable[[int], Refusal]
    why_no_crossing: Callable[[int, int], Refusal]
    """Return why the ground does not lead from a hex to an adjacent one."""
    harm: Callable[[int], Any]
    """Return how bad an end is, as a comparable value; the best ends are legal. `path_harm` is compared first."""
    why_worse: Callable[[int], Refusal]
    why_not_step: Callable[[int, int], Refusal | None] = lambda here, there: None
    """Return why a step is forbidden for a reason that no bar can state, such as that it does not lead away from the
    start."""
    path_harm: Callable[[Path], Any] | None = None
    """Return how bad a path is; an end counts by the best path to it. Without it, the shortest is taken."""
    goes_on: Callable[[int], bool] = lambda hex: False
    """Return whether a path of `most` hexes that would end in a hex may be one hex longer."""

    @property
    def bars(self) -> tuple[Bar, ...]:
        """The bars that close hexes to the retreat, or end it there."""
        return tuple([bar for bar in self.way.hindrances if isinstance(bar, Bar)])


def paths(plan: Plan) -> Iterator[Path]:
    """Yield every path that bars and steps allow, the shortest first. It may end where an end refuses it."""
    return _barred_paths(plan, plan.bars, plan.why_not_step)


def _barred_paths(
    plan: Plan, bars: Sequence[Bar], why_not_step: Callable[[int, int], Refusal | None] = lambda here, there: None
) -> Iterator[Path]:
    """Yield the paths that some bars, and a condition for steps, allow."""
    net, locations = plan.way.ground.net, plan.way.ground.layout.locations
    marks = ways.mask(net.size, bars).tobytes()
    known: dict[int, list[tuple[int, int]]] = {}

    def onward(node: int) -> list[tuple[int, int]]:
        found = known.get(node)
        if found is None:
            here = locations[node]
            found = known[node] = [
                (to, locations[to])
                for to, _ in net.steps_from(node)
                if marks[to] != CLOSED and why_not_step(here, locations[to]) is None
            ]
        return found

    return _paths(plan, onward, lambda node: marks[node] == STOP)


def _paths(
    plan: Plan, onward: Callable[[int], Iterable[tuple[int, int]]], stops: Callable[[int], bool] = lambda node: False
) -> Iterator[Path]:
    """Yield the simple paths of the length of the retreat. `onward` returns the nodes after one, each with its hex."""
    start = plan.way.starts[0]
    begun: list[tuple[int, Path]] = [(start, ())]
    for length in range(1, plan.most + 2):
        longer = []
        for node, path in begun:
            if length > plan.most and not plan.goes_on(path[-1] if path else start):
                continue
            for to, hex in onward(node):
                if hex == start or hex in path:
                    continue
                further = (*path, hex)
                if length >= plan.least:
                    yield further
                if not stops(to):
                    longer.append((to, further))
        begun = longer


def reached(plan: Plan) -> dict[int, Path]:
    """Return the hexes where a retreat may end, whatever the harm of the end. Each has the path of least harm, and the
    shortest of these."""
    found: dict[int, Path] = {}
    harms, harm = dict[int, Any](), plan.path_harm
    for path in paths(plan):
        hex = path[-1]
        if hex not in found:
            if all(end.refuse(hex) is None for end in plan.ends):
                found[hex] = path
        elif harm is not None:
            if hex not in harms:
                harms[hex] = harm(found[hex])
            if (now := harm(path)) < harms[hex]:
                found[hex], harms[hex] = path, now
    return found


def is_stuck(plan: Plan) -> bool:
    """Whether a retreat has no legal end."""
    return not any(all(end.refuse(path[-1]) is None for end in plan.ends) for path in paths(plan))


def ends(plan: Plan) -> dict[int, Path]:
    """Return the hexes where a retreat can end, those with the least harm, each with its path as in `reached`."""
    found, path_harm = reached(plan), plan.path_harm
    if not found:
        return found
    harms = {hex: (path_harm and path_harm(path), plan.harm(hex)) for hex, path in found.items()}
    least = min(harms.values())
    return {hex: path for hex, path in found.items() if harms[hex] == least}


def why_not(g: Any, plan: Plan, hex: int) -> Refusal | None:
    """Return why a retreat cannot end in a hex: an end refuses it, it is too far, ground or a bar closes every path, or
    another hex does less harm. Bars are added in order; the first with which no path leads to the hex is the reason.
    None if the hex is legal."""
    refusal = next((refusal for end in plan.ends if (refusal := end.refuse(hex)) is not None), None)
    if refusal is not None:
        return refusal
    free = _to(hex, _paths(plan, lambda here: [(there, there) for there in plan.around(here)]))
    if free is None:
        return plan.why_too_far(hex)
    path = _to(hex, _barred_paths(plan, ()))
    if path is None:
        return plan.why_no_crossing(*_first_closed(plan, free))
    for number, bar in enumerate(plan.bars, 1):
        with_it = _to(hex, _barred_paths(plan, plan.bars[:number]))
        if with_it is None:
            return why_barred(g, plan, bar, path)
        path = with_it
    if _to(hex, paths(plan)) is None:
        return next(filter(None, (plan.why_not_step(*step) for step in _steps(plan, path))))
    return None if hex in ends(plan) else plan.why_worse(hex)


def _to(hex: int, found: Iterable[Path]) -> Path | None:
    return next((path for path in found if path[-1] == hex), None)


def _steps(plan: Plan, path: Path) -> list[tuple[int, int]]:
    return list(zip((plan.way.starts[0], *path), path, strict=False))


def _first_closed(plan: Plan, path: Path) -> tuple[int, int]:
    """Return the first step of a path that the ground does not allow; the last one if only the whole path is not
    allowed."""
    net, locations = plan.way.ground.net, plan.way.ground.layout.locations
    steps = _steps(plan, path)
    for here, there in steps:
        onward = zip(net.targets[here].tolist(), net.costs[here].tolist(), strict=True)
        if all(to == NOWHERE or cost == NEVER or locations[to] != there for to, cost in onward):
            return here, there
    return steps[-1]


def why_barred(g: Any, plan: Plan, bar: Bar, path: Path) -> Refusal:
    """Return why a bar closes a path: the first hex it closes, or in which it stops the retreat before the end."""
    name, nodes = plan.way.ground.name, plan.way.ground.layout.nodes
    hexes = path[:-1] if bar.effect == STOP else path
    hex = next((hex for hex in hexes if any(bar.nodes[node] for node in nodes[hex])), hexes[-1])
    causes = list(bar.cause(g, hex)) if bar.cause else []
    named, goal = ", ".join(causes[:MOST_NAMES]) or name(hex), name(path[-1])
    where = "there" if hex == path[-1] else f"in {name(hex)}"
    text = bar.text.format(goal=goal, hex=name(hex), where=where, cause=named)
    return Refusal(f"{plan.who} cannot retreat to {goal}: {text}", bar.rule, causes[0] if causes else name(hex))


def choose(
    g: Game[S],
    side: int,
    waiting: Mapping[int, int],
    ends_of: Callable[[Sequence[int]], Mapping[int, Path]],
    rule: str,
    why_not: WhyNot,
    hint: Callable[[Path], str] = lambda path: f"{len(path)} hex" if len(path) == 1 else f"{len(path)} hexes",
) -> Generator[Decision, int, tuple[list[int], int]]:
    """Let the owner retreat the stack of a hex, or one unit of it separately. `waiting` has the hex of each unit that
    still has to retreat; `ends_of` returns where units can end together. A choice of one is made without the owner.
    `hint` returns the cost of a path. Return the units and the hex."""
    start = next(iter(waiting.values()))
    stack = [other for other, hex in waiting.items() if hex == start]
    shared = ends_of(stack)
    label = g.board.name(start)
    forced = len(stack) == len(waiting) and len(shared) == 1 and all(len(ends_of([one])) == 1 for one in stack)
    if len(waiting) > 1 and not forced:
        click = yield g.ask(
            side, "combat.retreat", f"Retreat from {label}: choose a hex for the stack, or one unit of it", rule,
            units=list(waiting), locations={hex: hint(path) for hex, path in shared.items()}, about=stack, why_not=why_not,
        )  # fmt: skip
        if not g.is_unit(click):
            return stack, g.location(click)
        stack, shared = [click], ends_of([click])
    names = ", ".join(g.rules.names[one] for one in stack)
    if len(shared) == 1:
        return stack, next(iter(shared))
    click = yield g.ask(
        side, "combat.retreat", f"Retreat {names}: choose a hex", rule,
        locations={hex: hint(path) for hex, path in shared.items()}, about=stack, why_not=why_not,
    )  # fmt: skip
    return stack, g.location(click)
