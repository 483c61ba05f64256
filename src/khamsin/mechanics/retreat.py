"""Retreats: the paths that a stack can retreat by, where they end, and which ends its rules prefer.

A retreat is short, so all its paths are looked at: simple paths of `least` to `most` hexes, none of whose steps a *bar* shuts,
to a hex where no *end* forbids to stay. Of the hexes that are left those with the least *harm* are legal. The same bars and
ends say why a hex is not among them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from khamsin.kernel.rules import Decision, Game, Refusal, S, WhyNot

Path = tuple[int, ...]
"""The hexes entered, the last one included, the first one left out."""


class Retreat(NamedTuple):
    """Retreats in progress, a record of the state: the side, its units that retreat, the hex that each of them left, how many
    hexes they go, the hexes that retreating attackers had attacked, and whether it is before combat, by evasion."""

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


class Bar(NamedTuple):
    """Steps that are shut: whether from a hex to a neighbour, and why. With `stop` the step is open, and no other follows."""

    shuts: Callable[[int, int], bool]
    why: Callable[[int, int], Refusal]
    stop: bool = False


class End(NamedTuple):
    """Hexes in which a retreat cannot end: whether, and why."""

    shuts: Callable[[int], bool]
    why: Callable[[int], Refusal]


@dataclass(frozen=True, slots=True)
class Plan:
    """All that decides where a stack can retreat to from a hex."""

    start: int
    least: int
    most: int
    around: Callable[[int], Iterable[int]]
    bars: tuple[Bar, ...]
    """In the order in which they are given as reasons."""
    ends: tuple[End, ...]
    why_too_far: Callable[[int], Refusal]
    harm: Callable[[int], Any]
    """How bad an end is, as something that can be compared; the best ones are legal."""
    why_worse: Callable[[int], Refusal]
    goes_on: Callable[[int], bool] = lambda hex: False
    """Whether a path of `most` hexes that would end in a hex may go on by one."""


def paths(plan: Plan, bars: Sequence[Bar] | None = None) -> Iterator[Path]:
    """Yield every path that no bar shuts, the shortest first. It may end where an end forbids it."""
    shut = plan.bars if bars is None else bars
    closed = [bar.shuts for bar in shut if not bar.stop]
    stops = [bar.shuts for bar in shut if bar.stop]
    begun: list[Path] = [()]
    for length in range(1, plan.most + 2):
        longer = []
        for path in begun:
            here = path[-1] if path else plan.start
            if length > plan.most and not plan.goes_on(here):
                continue
            for there in plan.around(here):
                if there == plan.start or there in path or any(shuts(here, there) for shuts in closed):
                    continue
                further = (*path, there)
                if length >= plan.least:
                    yield further
                if not any(stop(here, there) for stop in stops):
                    longer.append(further)
        begun = longer


def reached(plan: Plan) -> dict[int, Path]:
    """Return the hexes where a retreat may end, whatever the harm, each with the shortest path."""
    found: dict[int, Path] = {}
    for path in paths(plan):
        if path[-1] not in found and not any(end.shuts(path[-1]) for end in plan.ends):
            found[path[-1]] = path
    return found


def ends(plan: Plan) -> dict[int, Path]:
    """Return the hexes where a retreat can end, those with the least harm, each with the shortest path."""
    found = reached(plan)
    if not found:
        return found
    harms = {hex: plan.harm(hex) for hex in found}
    least = min(harms.values())
    return {hex: path for hex, path in found.items() if harms[hex] == least}


def why_not(plan: Plan, hex: int) -> Refusal | None:
    """Why a retreat cannot end in a hex: an end shuts it, it is too far, a bar shuts every path, or another hex does less harm.
    Bars are added in their order; the first with which no path leads to the hex is the reason. None if the hex is legal."""
    refusal = next((end.why(hex) for end in plan.ends if end.shuts(hex)), None)
    if refusal is not None:
        return refusal
    path = _path_to(plan, hex, ())
    if path is None:
        return plan.why_too_far(hex)
    for number, bar in enumerate(plan.bars):
        with_it = _path_to(plan, hex, plan.bars[: number + 1])
        if with_it is None:
            return _why_barred(plan, bar, path)
        path = with_it
    return None if hex in ends(plan) else plan.why_worse(hex)


def _path_to(plan: Plan, hex: int, bars: Sequence[Bar]) -> Path | None:
    return next((path for path in paths(plan, bars) if path[-1] == hex), None)


def _why_barred(plan: Plan, bar: Bar, path: Path) -> Refusal:
    """Why a bar shuts a path: the first step it shuts; for a stop, the first after which the path goes on."""
    steps = list(zip((plan.start, *path), path, strict=False))
    here, there = next(step for step in (steps[:-1] if bar.stop else steps) if bar.shuts(*step))
    return bar.why(here, there)


def choose(
    g: Game[S],
    side: int,
    waiting: Mapping[int, int],
    ends_of: Callable[[Sequence[int]], Mapping[int, Path]],
    rule: str,
    why_not: WhyNot,
) -> Generator[Decision, int, tuple[list[int], int]]:
    """The owner takes the stack of a hex, or a unit that goes its own way, to where its retreat ends. `waiting` has the hex of
    each unit that still has to go; `ends_of` returns where units can end together. What has no alternative is not asked.
    Return the units and the hex."""
    start = next(iter(waiting.values()))
    stack = [other for other, hex in waiting.items() if hex == start]
    shared = ends_of(stack)
    label = g.board.name(start)
    forced = len(stack) == len(waiting) and len(shared) == 1 and all(len(ends_of([one])) == 1 for one in stack)
    if len(waiting) > 1 and not forced:
        click = yield g.ask(
            side, "combat.retreat", f"Retreat from {label}: choose a hex for the stack, or a unit to go its own way", rule,
            units=list(waiting), locations=lengths(shared), about=stack, why_not=why_not,
        )  # fmt: skip
        if not g.is_unit(click):
            return stack, g.location(click)
        stack, shared = [click], ends_of([click])
    names = ", ".join(g.rules.names[one] for one in stack)
    if len(shared) == 1:
        return stack, next(iter(shared))
    click = yield g.ask(
        side, "combat.retreat", f"Retreat {names}: choose a hex", rule,
        locations=lengths(shared), about=stack, why_not=why_not,
    )  # fmt: skip
    return stack, g.location(click)


def lengths(found: Mapping[int, Path]) -> dict[int, dict[str, int]]:
    """Return how many hexes each retreat is long, as hints."""
    return {hex: {"hexes": len(path)} for hex, path in found.items()}
