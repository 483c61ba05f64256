"""How hard the computer is to beat: easy, normal, hard. A level differs from another in how much it looks, never in what it
may know, and never in its dice.

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
"""How often the easy player does what first comes to its mind."""


class Easy(Scripted):
    """Scripted play with its mind elsewhere: now and then it follows a whim, from one free choice to the next, and looks at
    nothing. The same for the same seed."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self._whims = random.Random(f"whims {seed}").random
        self._slipping = False

    def __repr__(self) -> str:
        return f"Easy({self.seed})"

    def choose(self, decision: Decision, names: tuple[str, ...], view: View, game: Seen) -> int:
        """The scripted click, or a whim."""
        if decision.top and self._under_way is None:
            self._slipping = self._whims() < RANDOM_SHARE
            if self._slipping:
                self.note(f"turn {game().state.turn}: does what first comes to its mind")
        if self._slipping:
            return decision.nth(int(self._whims() * len(decision.legal)))
        return super().choose(decision, names, view, game)


LEVELS: dict[str, Callable[[int], Scripted]] = {"easy": Easy, "normal": Scripted, "hard": Planner}
"""The levels, the easiest first."""
