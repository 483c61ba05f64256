"""Networks cached by their parameters, such as kinds of units and the weather, so that each is built once."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, ParamSpec

from khamsin.kernel.flood import Network
from khamsin.kernel.pieces import Memo
from khamsin.mechanics.ways import Ground, Layout

P = ParamSpec("P")
MOST = 1024
"""How many networks of one kind are cached."""


def kept(make: Callable[P, Network]) -> Callable[P, Network]:
    """Cache the networks that a function makes. Its arguments are values that do not change, never the game.

    >>> made = []
    >>> @kept
    ... def line(cost):
    ...     made.append(cost)
    ...     return Network([[1], [0]], [[cost], [cost]])
    >>> line(2) is line(2), line(3) is line(2), made
    (True, False, [2, 3])
    """
    known: Any = lru_cache(maxsize=MOST)(make)
    found: Callable[P, Network] = known
    return found


class Grounds:
    """The grounds of networks on one layout, each made once.

    >>> grounds = Grounds(Layout(range(2)), "ab".__getitem__)
    >>> line = Network([[1], [0]], [[2], [2]])
    >>> grounds.on(line).net is line, grounds.on(line) is grounds.on(line)
    (True, True)
    """

    def __init__(self, layout: Layout, name: Callable[[int], str]) -> None:
        self._layout = layout
        self._name = name
        self._kept: Memo[Ground] = Memo(MOST)

    def on(self, net: Network) -> Ground:
        """Return the ground of a network."""
        return self._kept.get(net) or self._kept.keep(net, Ground(net, self._layout, self._name))
