"""The environment: a match with the interface of PettingZoo."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from khamsin import games
from khamsin.env.layout import Layout, Observer
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.dice import SeededDice
from khamsin.kernel.match import Match
from khamsin.kernel.rules import Rules

MAX_CLICKS = 200_000
"""Clicks after which an episode is truncated."""
FAR = np.iinfo(np.int32)


def env(
    game: str | Rules[Any], scenario: str = "", options: Mapping[str, str] | None = None, most: int = MAX_CLICKS
) -> Environment:
    """Return the environment of a scenario of a game, given by its id or rules; by default of its first scenario."""
    rules = games.load(game) if isinstance(game, str) else game
    return Environment(rules, scenario or next(iter(rules.scenarios)), options, most)


class Environment(AECEnv[str, dict[str, Any], int]):  # type: ignore[misc]
    """One scenario. The reward is 1 for a win, -1 for a defeat and 0 for a draw, given at the end.

    An action that is illegal raises `Illegal`, with the reason and the rule, and changes nothing.
    """

    def __init__(
        self, rules: Rules[Any], scenario: str, options: Mapping[str, str] | None = None, most: int = MAX_CLICKS
    ) -> None:
        super().__init__()
        self.rules = rules
        self.scenario = rules.scenario(scenario).name
        self.options = rules.scenario(scenario).choose(options or {})
        self.most = most
        self.metadata = {"name": f"{rules.id}_{scenario}", "is_parallelizable": False, "render_modes": []}
        self.render_mode = None
        self.layout = Layout(rules)
        self.possible_agents = list(rules.sides)
        self.side = {name: side for side, name in enumerate(rules.sides)}
        self.actions = len(rules.names)
        seen = spaces.Box(FAR.min, FAR.max, (self.layout.size,), np.int32)
        mask = spaces.Box(0, 1, (self.actions,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": seen, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(self.actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space, the same for both sides."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space: every click of the game."""
        return self.action_spaces[agent]

    def action(self, name: str) -> int:
        """Return the action that clicks on a unit, hex, box or button."""
        return self.rules.parse(name)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game. A seed determines the dice."""
        dice = SeededDice(secrets.randbits(63) if seed is None else seed)
        self.match = Match(self.rules, self.scenario, self.options, dice)
        self.observers = [Observer(self.layout) for _ in self.possible_agents]
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._turn()

    def step(self, action: int | None) -> None:
        """Click."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.match.click(action if action is None else int(action))  # type: ignore[arg-type]
        self._cumulative_rewards[agent] = 0
        if self.match.decision is None:
            self._end()
        elif len(self.match.clicks) >= self.most:
            self.truncations = dict.fromkeys(self.agents, True)
        self._turn()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what a side may know, and its legal clicks."""
        match, side = self.match, self.side[agent]
        decision = match.decision
        asked = decision if decision is not None and decision.side == side else None
        mask = np.zeros(self.actions, dtype=np.int8)
        if asked is not None:
            mask[list(asked.legal)] = 1
        return {
            "observation": self.observers[side].look(self.rules.conceal(match.state, side), asked),
            "action_mask": mask,
        }

    def render(self) -> None:
        """Render nothing; `khamsin position draw` draws a position."""

    def close(self) -> None:
        """Nothing to do."""

    def _turn(self) -> None:
        decision = self.match.decision
        if decision is not None:
            self.agent_selection = agent = self.possible_agents[decision.side]
            self.infos[agent] = {"prompt": decision.prompt, "rule": decision.rule}

    def _end(self) -> None:
        result = self.match.result
        assert result is not None
        for agent in self.agents:
            worth = 0 if result.winner == NOWHERE else 1 if result.winner == self.side[agent] else -1
            self.rewards[agent] = worth
            self._cumulative_rewards[agent] = worth
            self.terminations[agent] = True
            self.infos[agent] = {"level": result.level, "reason": result.reason}
