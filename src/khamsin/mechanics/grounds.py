"""Networks kept by what they are made of, such as kinds of units and the weather, so that each is built once."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, ParamSpec

from khamsin.kernel.flood import Network

P = ParamSpec("P")
MOST = 1024
"""How many networks of one kind are kept."""


def kept(make: Callable[P, Network]) -> Callable[P, Network]:
    """Keep the networks that a function makes. Its arguments are values that do not change, never the game.

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
