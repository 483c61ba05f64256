"""The planner: before each turn it tries some stances and follows the best.

A stance is a set of weights for the scripts of a game: bolder, more careful, with another objective. Each stance is
played out by scripts against a scripted enemy on imagined states with separate dice. The game's strategist names its
stances, the default first, and scores a state. The worse half is dropped until the trials or the time are used up.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from khamsin.kernel.dice import SeededDice
from khamsin.kernel.match import Match
from khamsin.kernel.rules import Decision, Game
from khamsin.players.scripted import Planning, Scripted, Seen, View

BUDGET = 5.0
"""Seconds of processor time per turn, so that a busy machine does not weaken the player."""
PATIENCE = 3.0
"""Times the budget, on the clock, after which it moves however little processor time it got."""
PRIOR_TRIALS = 1.5
"""Zero-gain trials added to each stance's average, so one lucky trial does not decide."""
MIN_TRIALS = 2
"""Trials that a stance needs to be chosen."""
MIN_STANCES = 2
"""Stances that are tried to the end besides the default one."""
RESERVED_TRIALS = 3
"""Time reserved for the turn itself, in trials."""
SAME_TRIALS = 4
"""Trials without any difference after which nothing is left to choose."""
DECAY = 0.5
"""Share of a stance's trials that counts in the next turn."""
MAX_CLICKS = 20_000
"""Clicks after which a trial is scored as it is."""


class StanceScore(NamedTuple):
    """The gain of a stance over the default one, summed over its trials."""

    total: float = 0.0
    trials: float = 0.0

    @property
    def gain(self) -> float:
        """The average gain, reduced when there are few trials."""
        return self.total / (self.trials + PRIOR_TRIALS)

    def faded(self) -> StanceScore:
        """Return the score that counts in the next turn."""
        return StanceScore(self.total * DECAY, self.trials * DECAY)

    def and_one(self, more: float) -> StanceScore:
        """Return the score with one more trial."""
        return StanceScore(self.total + more, self.trials + 1)


class Planner(Scripted):
    """Scripted play, led by a search over stances. The same seed gives the same play, unless time runs out.

    `clicks` is the number of clicks in the trials for one decision, by default the strategist's. `stop` may be set from
    another thread: the planner then uses the best stance so far. `progress` is called with the share of the work done.
    """

    def __init__(self, seed: int = 0, clicks: int | None = None, budget: float = BUDGET) -> None:
        super().__init__(seed)
        self.clicks = clicks
        self.budget = budget
        self.progress: Callable[[float], None] = lambda part: None
        self.stop = False
        self._planned: tuple[int, int] | None = None
        self._known: dict[int, dict[str, StanceScore]] = {}

    def __repr__(self) -> str:
        return f"Planner({self.seed}, clicks={self.clicks})"

    def choose(self, decision: Decision, names: tuple[str, ...], view: View, game: Seen) -> int:
        """Return the scripted click under the stance chosen for this turn."""
        if decision.top and self._under_way is None:
            g = game()
            strategist = self._strategist(g, decision.side)
            if isinstance(strategist, Planning):
                moment = strategist.moment(g, decision)
                if moment is not None and (decision.side, moment) != self._planned:
                    self._planned = (decision.side, moment)
                    self._choose_stance(g, decision.side, strategist)
        return super().choose(decision, names, view, game)

    def _choose_stance(self, g: Game[Any], side: int, strategist: Planning) -> None:
        """Try all stances on the same imagined states, drop the worse half, and repeat. Adopt the best if its gain over the
        default stance exceeds the hurdle. Trials of earlier turns count less."""
        began, effort = (time.thread_time(), time.monotonic()), self.clicks or strategist.effort(g)
        usual, *left = strategist.stances(g)
        known = self._known.get(side, {})
        stance_scores = {name: known.get(name, StanceScore()).faded() for name in left}
        scores: dict[str, list[float]] = {name: [] for name in (usual, *left)}

        def gain(name: str) -> float:
            return stance_scores[name].gain if name in stance_scores else 0.0

        done = clicks = 0
        while left and clicks < effort and not self.over(began, done):
            for stance in (usual, *left):
                if self.over(began, done):
                    break
                value, made = self._trial(g, side, strategist, stance, len(scores[stance]))
                scores[stance].append(value)
                done, clicks = done + 1, clicks + made
                self.progress(min(1.0, clicks / effort))
                if stance != usual:
                    stance_scores[stance] = stance_scores[stance].and_one(
                        value - scores[usual][len(scores[stance]) - 1]
                    )
            left = sorted(left, key=gain, reverse=True)[: max(MIN_STANCES, len(left) // 2)]
            if len(scores[usual]) >= SAME_TRIALS and all(scores[stance] == scores[usual] for stance in left):
                break
        best = max(
            (name for name in stance_scores if stance_scores[name].trials >= MIN_TRIALS), key=gain, default=usual
        )
        if gain(best) <= strategist.hurdle:
            best = usual
        strategist.adopt(best)
        self._known[side] = stance_scores
        tried = ", ".join(f"{name} {gain(name):+.2f}" for name in stance_scores if scores[name])
        few = effort and all(score.trials < MIN_TRIALS for score in stance_scores.values())
        self.note(
            f"turn {g.state.turn}: {best}, after {done} trials ({tried})"
            + (", too few to choose another stance" if few else "")
        )

    def over(self, began: tuple[float, float], done: int) -> bool:
        """Whether there is no time for another trial and the turn itself, since a processor time and a time on the clock."""
        so_far = max(time.thread_time() - began[0], (time.monotonic() - began[1]) / PATIENCE)
        return self.stop or (done > 0 and so_far * (1 + RESERVED_TRIALS / done) > self.budget)

    def _trial(self, g: Game[Any], side: int, strategist: Planning, stance: str, number: int) -> tuple[float, int]:
        """Return the score of the side after some turns in a stance on one imagined state, and the clicks of the trial."""
        rules = g.rules
        chance = random.Random(f"{self.seed} {g.state.turn} {number}")
        state = rules.imagine(g.state.copy(), side, chance)
        match = Match.at(Game(rules, g.scenario, g.options, state, SeededDice(chance.randrange(1 << 30))))
        players = [Scripted(self.seed + 1 + number) for _ in rules.sides]
        players[side].lead(rules.id, side, strategist.again(stance))
        until = strategist.until(g)
        while match.decision is not None and len(match.clicks) < MAX_CLICKS and not until(match.game):
            asked = match.decision.side
            view, game = partial(match.view, asked), partial(match.game.seen_by, asked)
            match.click(players[asked].choose(match.decision, rules.names, view, game))
        return strategist.score(match.game), len(match.clicks)
