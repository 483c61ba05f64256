"""Pieces: what is printed on a counter, which never changes, and the state of play, which does.

A `State` is columns: one list of small integers for each thing that can change about a unit, indexed by unit number, with
a few scalars and small dictionaries. A game subclasses it and says what it adds:

>>> class Desert(State):
...     COLUMNS = State.COLUMNS | {"thirst": 0}
...     SCALARS = State.SCALARS | {"storm": 0}
...     OWNERS = ("control",)
...     thirst: list[int]
...     control: dict[int, int]
>>> state = Desert(units=2)
>>> state.where[0] = 7
>>> other = state.copy()
>>> other.where[0] = 8
>>> state.where, other.where, state == other
([7, -1], [8, -1], False)
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, ClassVar, NamedTuple, TypeVar

from khamsin.kernel.board import NOWHERE


@dataclass(frozen=True, slots=True)
class Counter:
    """What is printed on a counter. `factors` holds the game's own figures; `symbol` and `size` are for drawing it.

    >>> Counter("DE 5/1/ABN", 0, nation="DE", symbol="armour", size="battalion", factors={"cf": 3, "mf": 60})
    Counter(name='DE 5/1/ABN', side=0, nation='DE', symbol='armour', size='battalion', parent='', steps=1,
        factors={'cf': 3, 'mf': 60}, source='')
    """

    name: str
    side: int
    nation: str = ""
    symbol: str = ""
    size: str = ""
    parent: str = ""
    steps: int = 1
    factors: Mapping[str, int] = field(default_factory=dict)
    source: str = ""


class Result(NamedTuple):
    """How a game ended: the winning side (NOWHERE for a draw), the level of victory, the reason and its rule."""

    winner: int
    level: str
    reason: str
    rule: str


def verdict(winner: str | None, level: str) -> str:
    """Who has won and how clearly, in words; some games know no levels.

    >>> verdict("Axis", "marginal"), verdict("Allied", ""), verdict(None, "")
    ('Axis wins, marginal', 'Allied wins', 'a draw')
    """
    return ", ".join(part for part in (f"{winner} wins" if winner else "a draw", level) if part)


Self = TypeVar("Self", bound="State")


NO_MOVE = (0, NOWHERE, NOWHERE)
"""The last move of a side where it is not known."""


class UnitLocations(list[int]):
    """Where every unit is: a list that knows when it has changed. Two with the same `version` hold the same, and where
    `versions[side]` is the same the units of that side do; so what follows from where units are can be remembered by it. No
    two sides share a version. Only items and slices may be assigned.

    >>> places = UnitLocations([7, 8], sides=[0, 1])
    >>> before = places.version, places.versions[0], places.versions[1]
    >>> places[0] = 9
    >>> places.version == before[0], places.versions[0] == before[1], places.versions[1] == before[2]
    (False, False, True)
    >>> places.copy().version == places.version
    True
    """

    __slots__ = ("last", "sides", "version", "versions")

    def __init__(self, places: Iterable[int] = (), sides: Sequence[int] = ()) -> None:
        """`sides` says whose each unit is; left out, they are all of one side."""
        super().__init__(places)
        self.sides = sides or [0] * len(self)
        self.version = next(_VERSIONS)
        self.versions = [next(_VERSIONS) for _ in range(max(self.sides, default=0) + 1)]
        self.last = [NO_MOVE for _ in self.versions]
        """By side the last unit to be moved, the place it left, and the version before that (NOWHERE if unknown)."""

    def __setitem__(self, at: Any, value: Any) -> None:
        self.version = next(_VERSIONS)
        if type(at) is int:
            side = self.sides[at]
            self.last[side] = (at, self[at], self.versions[side])
            self.versions[side] = self.version
        else:
            self.last = [NO_MOVE for _ in self.versions]
            self.versions = [next(_VERSIONS) for _ in self.versions]
        list.__setitem__(self, at, value)

    def rearrange(self, places: Mapping[int, int]) -> None:
        """Several units go elsewhere in one change.

        >>> places = UnitLocations([7, 8, 9], sides=[0, 1, 1])
        >>> before = places.versions[0]
        >>> places.rearrange({1: 9, 2: 8})
        >>> places, places.versions[0] == before
        ([7, 9, 8], True)
        """
        self.version = next(_VERSIONS)
        for side in {self.sides[unit] for unit in places}:
            self.last[side] = NO_MOVE
            self.versions[side] = next(_VERSIONS)
        self._put(places)

    def copy(self) -> UnitLocations:
        """The same places, with the same versions."""
        new = UnitLocations.__new__(UnitLocations)
        new += self
        new.sides = self.sides
        new.version = self.version
        new.versions = self.versions[:]
        new.last = self.last[:]
        return new

    @contextmanager
    def supposing(self, moves: Mapping[int, int]) -> Iterator[None]:
        """Think some units elsewhere for a while. Afterwards they are back, and so are the versions; whoever supposes the same
        again finds the versions of the first time, and with them what was remembered by them.

        >>> places = UnitLocations([7, 8])
        >>> before = places.version
        >>> with places.supposing({0: 9}):
        ...     print(places, places.version == before)
        [9, 8] False
        >>> places, places.version == before
        ([7, 8], True)
        """
        before = self.version, self.versions, self.last
        old = {unit: self[unit] for unit in moves}
        key = (self.version, *moves.items())
        known = _SUPPOSED.get(key)
        if known is None:
            self.versions, self.last = self.versions[:], self.last[:]
            for unit, place in moves.items():
                self[unit] = place
            _SUPPOSED.keep(key, (self.version, self.versions[:], self.last[:]))
        else:
            self._put(moves)
            self.version, self.versions, self.last = known[0], known[1][:], known[2][:]
        try:
            yield
        finally:
            self._put(old)
            self.version, self.versions, self.last = before

    def _put(self, places: Mapping[int, int]) -> None:
        """Units are elsewhere, and the versions as they were."""
        for unit, place in places.items():
            list.__setitem__(self, unit, place)


_VERSIONS = count()

V = TypeVar("V")


class Memo(dict[Any, V]):
    """Answers worth remembering, by what they depend on (a `UnitLocations.version`, mostly). It forgets all when it is full.

    >>> memo: Memo[str] = Memo(most=2)
    >>> memo.keep(1, "one"), memo.get(1), memo.get(2)
    ('one', 'one', None)
    """

    def __init__(self, most: int = 256) -> None:
        super().__init__()
        self.most = most

    def keep(self, key: Any, answer: V) -> V:
        """Remember an answer, and give it back."""
        if len(self) >= self.most:
            self.clear()
        self[key] = answer
        return answer


_SUPPOSED: Memo[tuple[int, list[int], list[tuple[int, int, int]]]] = Memo(most=1024)


class State:
    """All that changes in a game. Subclasses extend `COLUMNS` (one small integer a unit, with its default), `SCALARS` (one
    small integer, with its default), `OWNERS` (location -> side), `AMOUNTS` (location -> number) and `TALLIES` (name ->
    number). Nothing else may be kept in it: what is not declared is not copied, compared, shown or saved. `RANGES` says of
    scalars that stand for something which values there are."""

    COLUMNS: ClassVar[dict[str, int]] = {"where": NOWHERE, "steps": 1, "flags": 0}
    SCALARS: ClassVar[dict[str, int]] = {"turn": 1, "phase": 0}
    RANGES: ClassVar[dict[str, range]] = {}
    OWNERS: ClassVar[tuple[str, ...]] = ()
    AMOUNTS: ClassVar[tuple[str, ...]] = ()
    TALLIES: ClassVar[tuple[str, ...]] = ()
    _dicts: ClassVar[tuple[str, ...]] = ()
    _copied: ClassVar[tuple[str, ...]] = tuple(COLUMNS)

    where: UnitLocations
    steps: list[int]
    flags: list[int]
    turn: int
    phase: int
    result: Result | None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._dicts = cls.OWNERS + cls.AMOUNTS + cls.TALLIES
        cls._copied = (*cls.COLUMNS, *cls._dicts)

    def __init__(self, units: int) -> None:
        for name, default in self.COLUMNS.items():
            setattr(self, name, [default] * units)
        for name, default in self.SCALARS.items():
            setattr(self, name, default)
        for name in self._dicts:
            setattr(self, name, {})
        self.result = None

    def copy(self: Self) -> Self:
        """An independent copy."""
        new = object.__new__(self.__class__)
        fields = new.__dict__
        fields.update(self.__dict__)
        for name in self._copied:
            fields[name] = fields[name].copy()
        return new

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "where" and type(value) is not UnitLocations:
            before = self.__dict__.get("where")
            value = UnitLocations(value, before.sides if before else ())
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, State) and self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} turn {self.turn}, phase {self.phase}, {self.digest()}>"

    def as_dict(self) -> dict[str, Any]:
        """Every field by name, in a fixed order; dictionaries sorted."""
        fields: dict[str, Any] = {name: getattr(self, name) for name in self.SCALARS}
        fields.update({name: list(getattr(self, name)) for name in self.COLUMNS})
        fields.update({name: dict(sorted(getattr(self, name).items())) for name in self._dicts})
        fields["result"] = list(self.result) if self.result else None
        return fields

    def digest(self) -> str:
        """A fingerprint of the whole state."""
        return hashlib.sha256(repr(self.as_dict()).encode()).hexdigest()[:16]
