"""Bars cached by their contents. `ways` compares bars by identity, so equal bars should be one object."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from khamsin.kernel.pieces import Memo
from khamsin.mechanics.ways import Bar, Causes, Layout

Where = bytes | frozenset[int]
"""Locations: one byte each, or a set."""


class Bars:
    """The bars on a layout: the same effect in the same locations is the same bar.

    >>> from khamsin.kernel.flood import STOP
    >>> bar = Bars(Layout([0, 1, 1]))
    >>> first = bar(STOP, frozenset([1]), "5.3", "{hex} is in a ZOC")
    >>> first.nodes.tolist(), first is bar(STOP, frozenset([1]), "5.3", "{hex} is in a ZOC")
    ([0, 1, 1], True)
    """

    def __init__(self, layout: Layout, most: int = 256) -> None:
        """`most` is how many are cached."""
        self.layout = layout
        self._kept: Memo[Bar] = Memo(most)

    def __call__(
        self,
        effect: int,
        where: Where,
        rule: str,
        text: str,
        cause: Causes | None = None,
        into: Where | None = None,
        elsewhere: bool = False,
        but: frozenset[int] = frozenset(),
    ) -> Bar:
        """Return the bar of this effect in these locations, or in all others; `but` are locations to leave out. `cause`
        must be the same function each time, so do not make it for the call. Pass the same set each time if it is large,
        because a set keeps its hash."""
        key = (effect, where, rule, text, cause, into, elsewhere, but)
        known = self._kept.get(key)
        if known is None:
            nodes = self._nodes(where.difference(but) if but and isinstance(where, frozenset) else where)
            if elsewhere:
                nodes = 1 - nodes
            onto = nodes if into is where else None if into is None else self._nodes(into)
            known = self._kept.keep(key, Bar(effect, nodes, rule, text, cause, onto))
        return known

    def _nodes(self, where: Where) -> NDArray[np.uint8]:
        return self.layout.spread(where) if isinstance(where, bytes) else self.layout.mask(where)
