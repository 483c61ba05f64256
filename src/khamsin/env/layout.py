"""Encode a state as one array of integers.

In this order: the deciding side, whether the decision is a top-level one, the scalars of the state; each column with one
number per unit; `about`, 1 for every unit that the decision is about; for each kind of owner one number per location (the
side from 1, or 0 for none); for each kind of amount one number per location; for each tally the number and the sum of its
entries.

`Layout.slices` says where each begins and ends:

>>> from khamsin import games
>>> layout = Layout(games.load("paa"))
>>> layout.slices["where"].stop - layout.slices["where"].start == games.load("paa").units
True
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from khamsin.kernel.pieces import State
from khamsin.kernel.rules import Decision, Rules

Array = NDArray[np.int32]


class Layout:
    """The layout of an observation of a game."""

    def __init__(self, rules: Rules[Any]) -> None:
        state, units, places = rules.state, rules.units, len(rules.board.names)
        lengths = {"asked": 1, "top": 1, **dict.fromkeys(state.SCALARS, 1), **dict.fromkeys(state.COLUMNS, units)}
        lengths |= {"about": units, **dict.fromkeys((*state.OWNERS, *state.AMOUNTS), places)}
        lengths |= dict.fromkeys(state.TALLIES, 2)
        self.slices: dict[str, slice] = {}
        end = 0
        for name, length in lengths.items():
            self.slices[name] = slice(end, end := end + length)
        self.size = end
        self.scalars, self.columns = tuple(state.SCALARS), tuple(state.COLUMNS)
        self.owners, self.amounts, self.tallies = state.OWNERS, state.AMOUNTS, state.TALLIES


class Observer:
    """The observation of one side, kept between calls so that only changes are written."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.array: Array = np.zeros(layout.size, dtype=np.int32)
        self.seen: dict[str, Any] = {}
        self.scalars = slice(2, 2 + len(layout.scalars))

    def look(self, state: State, decision: Decision | None) -> Array:
        """Return the observation of a state, as this side may know it, and of the decision."""
        layout, seen, array = self.layout, self.seen, self.array
        fields = state.__dict__
        array[self.scalars] = [fields[name] for name in layout.scalars]
        for name in layout.columns:
            column = fields[name]
            if seen.get(name) != column:
                seen[name] = column.copy()
                array[layout.slices[name]] = column
        for name in layout.owners:
            self._write_places(name, fields[name], 1)
        for name in layout.amounts:
            self._write_places(name, fields[name], 0)
        for name in layout.tallies:
            tally = fields[name]
            if seen.get(name) != tally:
                seen[name] = tally.copy()
                array[layout.slices[name]] = len(tally), sum(tally.values())
        self._write_question(decision)
        return array.copy()

    def _write_places(self, name: str, values: dict[int, int], plus: int) -> None:
        if self.seen.get(name) != values:
            self.seen[name] = values.copy()
            part = self.array[self.layout.slices[name]]
            part[:] = 0
            for place, value in values.items():
                part[place] = value + plus

    def _write_question(self, decision: Decision | None) -> None:
        about = decision.about if decision else ()
        self.array[0] = decision.side if decision else -1
        self.array[1] = bool(decision and decision.top)
        if self.seen.get("about", ()) != about:
            self.seen["about"] = about
            part = self.array[self.layout.slices["about"]]
            part[:] = 0
            part[list(about)] = 1
