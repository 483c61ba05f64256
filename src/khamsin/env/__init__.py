"""A PettingZoo environment for every scenario: one click is one action. Needs the extra "env".

An agent is a side, by its name. Actions are the clicks of the game; `action_mask` says which are legal. An observation is what
the side may know, as one array of integers (see `Layout`). Hidden information is not part of it.

>>> from khamsin.env import env
>>> world = env("paa", "campaign")
>>> world.reset(seed=7)
>>> world.agents, world.agent_selection
(['Axis', 'Allied'], 'Allied')
>>> observation, reward, over, cut, info = world.last()
>>> int(observation["action_mask"].sum()), info["prompt"]
(7, 'Choose a piece to place in another hex of the base')
>>> world.step(world.action("done"))
>>> world.agent_selection
'Axis'
"""

from khamsin.env.environment import Environment, env
from khamsin.env.layout import Layout

__all__ = ["Environment", "Layout", "env"]
