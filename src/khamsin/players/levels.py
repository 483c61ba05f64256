"""The levels of the computer: easy, normal, hard. They differ in how much they compute, never in what they know or roll.


>>> Easy(7)
Easy(7)
"""

from __future__ import annotations

import random
from collections.abc import Callable

from khamsin.kernel.rules import Decision
from khamsin.players.planner import Planner
from khamsin.players.scripted import Scripted, Seen, View

RANDOM_SHARE = 0.2
"""Share of free choices in which the easy player clicks at random."""


class Easy(Scripted):
    """Scripted play that sometimes clicks at random, from one free choice to the next. The same seed gives the same play."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self._random = random.Random(f"whims {seed}").random
        self._at_random = False

    def __repr__(self) -> str:
        return f"Easy({self.seed})"

    def choose(self, decision: Decision, names: tuple[str, ...], view: View, game: Seen) -> int:
        """Return the scripted click, or a random one."""
        if decision.top and self._under_way is None:
            self._at_random = self._random() < RANDOM_SHARE
            if self._at_random:
                self.note(f"turn {game().state.turn}: plays at random")
        if self._at_random:
            return decision.pick(self._random)
        return super().choose(decision, names, view, game)


LEVELS: dict[str, Callable[[int], Scripted]] = {"easy": Easy, "normal": Scripted, "hard": Planner}
"""The levels, the easiest first."""
