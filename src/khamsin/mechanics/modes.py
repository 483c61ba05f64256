"""Movement in one of several modes: a click on a location moves the stack in the first mode that leads there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Hint, LazyClicks
from khamsin.mechanics.destinations import Destinations

T = TypeVar("T")


class Modes(LazyClicks, Generic[T]):
    """The legal clicks of a stack that may move in several modes: `more`, those of `maybe` that `is_legal` allows, and what any
    mode allows. A mode is what the game describes it by, with its destinations."""

    __slots__ = ("_is_legal", "_maybe", "_word", "more", "parts")

    def __init__(
        self,
        parts: Sequence[tuple[T, Destinations]],
        more: Mapping[int, Hint],
        maybe: Sequence[int],
        is_legal: Callable[[int], bool],
        word: Callable[[T, Any], Any] = lambda mode, hint: hint,
    ) -> None:
        """`word` adds the mode to the hint of a location."""
        self.parts = parts
        self.more = dict(more)
        self._maybe = maybe
        self._is_legal = is_legal
        self._word = word

    def mode(self, click: int) -> tuple[T, Destinations] | None:
        """Return the first mode that allows a click, and its destinations."""
        for part in self.parts:
            if click in part[1]:
                return part
        return None

    def __contains__(self, click: object) -> bool:
        if click in self._maybe:
            return isinstance(click, int) and self._is_legal(click)
        return click in self.more or any(click in part for _, part in self.parts)

    def __getitem__(self, click: int) -> Any:
        if click in self.more:
            return self.more[click]
        if click in self._maybe and self._is_legal(click):
            return None
        found = self.mode(click)
        if found is None:
            raise KeyError(click)
        return self._word(found[0], found[1][click])

    def listed(self) -> dict[int, Any]:
        """Return all clicks with their hints."""
        found = self.more | {click: None for click in self._maybe if self._is_legal(click)}
        for mode, part in self.parts:
            found |= {click: self._word(mode, hint) for click, hint in part.listed().items() if click not in found}
        return found

    def _list(self) -> dict[int, None]:
        chosen = [click for click in self._maybe if self._is_legal(click)]
        return dict.fromkeys([*self.more, *chosen, *[click for _, part in self.parts for click in part]])

    def __iter__(self) -> Iterator[int]:
        return iter(self._list())

    def __len__(self) -> int:
        return len(self._list())

    def __bool__(self) -> bool:
        return bool(self.more) or any(part for _, part in self.parts)

    def _is_earlier(self, click: int, at: int) -> bool:
        """Whether a mode before this one allows a click."""
        for _, part in self.parts[:at]:  # noqa: SIM110 (`any` with a generator takes longer)
            if click in part:
                return True
        return False

    def pick(self, chance: Callable[[], float]) -> int:
        """Return a random legal click: drawn from what may be legal in each mode until one is, and is not so in an earlier
        mode."""
        named = [*self.more, *self._maybe]
        parts = [part for _, part in self.parts]
        counts = [part.candidates for part in parts]
        total = len(named) + sum(counts)
        while self.more:
            number = int(chance() * total)
            if number < len(named):
                if named[number] in self:
                    return named[number]
                continue
            number -= len(named)
            at = 0
            while number >= counts[at]:
                number -= counts[at]
                at += 1
            click = parts[at].candidate(number)
            if click != NOWHERE and click in parts[at] and (not at or not self._is_earlier(click, at)):
                return click
        return super().pick(chance)
