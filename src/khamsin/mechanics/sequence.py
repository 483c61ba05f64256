"""The sequence of play: the phases of a side, and phases that consist of several steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from khamsin.kernel.rules import Phase, Procedure

Steps = Sequence[tuple[str, Callable[..., Procedure], str]]
"""Phases of a side: name, procedure with the parameter `side`, rule."""


def phases_of(side: int, before: str, steps: Steps) -> tuple[Phase, ...]:
    """Return the phases of a side. Their names begin with `before`, such as "axis".

    >>> [phase.name for phase in phases_of(0, "axis", [("movement", print, "5"), ("combat", print, "8")])]
    ['axis movement', 'axis combat']
    """
    return tuple([Phase(f"{before} {name}", side, partial(run, side=side), rule) for name, run, rule in steps])


def in_order(g: Any, *steps: tuple[str, Callable[[], Procedure]]) -> Procedure:
    """Run the steps of a phase one after another. The tally `todo` of the state has the names of the finished ones, so
    the phase can be restarted in any step. At the end the tally is cleared."""
    todo = g.state.todo
    for word, run in steps:
        if word not in todo:
            yield from run()
            todo[word] = 1
    todo.clear()
