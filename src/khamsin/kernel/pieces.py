"""Pieces: counters, whose printed data never change, and the state of play.

A `State` is columns: one list of small integers for each thing that can change about a unit, indexed by unit number,
with a few scalars and small dictionaries. A game subclasses it and declares what it adds:

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
from bisect import insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

from khamsin.kernel.board import NOWHERE


@dataclass(frozen=True, slots=True)
class Counter:
    """The printed data of a counter. `factors` has the game's own values; `symbol` and `size` are for drawing it.

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
    """Return the winner and the level of victory in words; some games have no levels.

    >>> verdict("Axis", "marginal"), verdict("Allied", ""), verdict(None, "")
    ('Axis wins, marginal', 'Allied wins', 'a draw')
    """
    return ", ".join(part for part in (f"{winner} wins" if winner else "a draw", level) if part)


MOST_MOVES = 32
"""How many moves of each side are kept, to find what has changed since a version."""


class UnitLocations(list[int]):
    """The location of every unit: a list with version numbers and an index by location.

    Equal versions mean equal locations: `version` of all units, `versions[side]` of one side's. A cache keyed by a
    version needs no other invalidation. No two sides share a version. Assign items and slices only.

    >>> where = UnitLocations([7, 8], sides=[0, 1])
    >>> before = where.version, where.versions[0], where.versions[1]
    >>> where[0] = 9
    >>> where.version == before[0], where.versions[0] == before[1], where.versions[1] == before[2]
    (False, False, True)
    >>> where.copy().version == where.version
    True
    """

    __slots__ = ("_moves", "_shared", "_stacks", "sides", "version", "versions")

    def __init__(self, locations: Iterable[int] = (), sides: Sequence[int] = ()) -> None:
        """`sides` lists the side of each unit; the default is one side for all."""
        super().__init__(locations)
        self.sides = sides or [0] * len(self)
        self.version = next(_VERSIONS)
        self.versions = [next(_VERSIONS) for _ in range(max(self.sides, default=0) + 1)]
        self._moves: list[list[tuple[int, int, int, int, int]]] = [[] for _ in self.versions]
        """By side the last moves of single units: the versions before and after, the locations left and entered, the unit."""
        self._stacks: list[dict[int, tuple[int, ...]] | None] = [None for _ in self.versions]
        self._shared = [False for _ in self.versions]
        """By side whether a copy has the same index, so that it must be copied before a change."""

    def changed(self, side: int, since: int) -> set[int] | None:
        """Return the locations that units of a side have left or entered since a version of it; None if that is not
        known.

        >>> where = UnitLocations([7, 8], sides=[0, 0])
        >>> before = where.versions[0]
        >>> where[0] = 9
        >>> where.changed(0, before), where.changed(0, before - 1)
        ({9, 7}, None)
        """
        moves = self.moves_since(side, since)
        return None if moves is None else {location for _, left, entered in moves for location in (left, entered)}

    def moves_since(self, side: int, since: int) -> list[tuple[int, int, int]] | None:
        """Return the moves of a side since a version of it, the last first: unit, location left, location entered. None
        if they are not known.

        >>> where = UnitLocations([7, 8], sides=[0, 0])
        >>> before = where.versions[0]
        >>> where[1] = 9
        >>> where.moves_since(0, before), where.moves_since(0, where.versions[0])
        ([(1, 8, 9)], [])
        """
        found: list[tuple[int, int, int]] = []
        version, moves = self.versions[side], self._moves[side]
        if version == since:
            return found
        if not moves or since < moves[0][0]:
            return None
        for before, after, left, entered, unit in reversed(moves):
            if after != version:
                continue
            found.append((unit, left, entered))
            if before == since:
                return found
            version = before
        return None

    def stacks(self, side: int) -> Mapping[int, tuple[int, ...]]:
        """Return the units of a side by location, in the order of their numbers. It is updated with every move.

        >>> where = UnitLocations([7, 8, 7, NOWHERE], sides=[0, 1, 0, 0])
        >>> where.stacks(0)
        {7: (0, 2)}
        >>> where[2] = 8
        >>> where.stacks(0), where.stacks(1)
        ({7: (0,), 8: (2,)}, {8: (1,)})
        """
        found = self._stacks[side]
        if found is None:
            found = {}
            for unit, (whose, location) in enumerate(zip(self.sides, self, strict=True)):
                if whose == side and location != NOWHERE:
                    found[location] = (*found.get(location, ()), unit)
            self._stacks[side], self._shared[side] = found, False
        return found

    def __setitem__(self, at: Any, value: Any) -> None:
        version = self.version = next(_VERSIONS)
        if type(at) is int:
            side, left, versions = self.sides[at], self[at], self.versions
            moves = self._moves[side]
            if len(moves) >= MOST_MOVES:
                del moves[: MOST_MOVES // 2]
            moves.append((versions[side], version, left, value, at))
            versions[side] = version
            if left != value:
                self._restack(at, side, left, value)
        else:
            self.versions = [next(_VERSIONS) for _ in self.versions]
            self._stacks = [None for _ in self.versions]
        _set_item(self, at, value)

    def rearrange(self, locations: Mapping[int, int]) -> None:
        """Move several units in one change. Repeating it from the same locations yields the same versions, so caches
        hit.

        >>> where = UnitLocations([7, 8, 9], sides=[0, 1, 1])
        >>> before = where.versions[0]
        >>> where.rearrange({1: 9, 2: 8})
        >>> where, where.versions[0] == before
        ([7, 9, 8], True)
        """
        if not locations:
            return
        if len(locations) == 1:
            ((unit, location),) = locations.items()
            self._rearrange_one(unit, location)
            return
        key = (self.version, None, *locations.items())
        known = _SUPPOSED.get(key)
        if known is None:
            versions = self.versions[:]
            for side in {self.sides[unit] for unit in locations}:
                versions[side] = next(_VERSIONS)
            known = _SUPPOSED.keep(key, (next(_VERSIONS), versions))
        self.version, self.versions = known[0], known[1][:]
        self._put(locations)

    def _rearrange_one(self, unit: int, location: int) -> None:
        side, left, versions = self.sides[unit], self[unit], self.versions
        key = (self.version, unit, location)
        known = _REARRANGED.get(key)
        if known is None:
            known = _REARRANGED.keep(key, (next(_VERSIONS), next(_VERSIONS)))
        moves = self._moves[side]
        if len(moves) >= MOST_MOVES:
            del moves[: MOST_MOVES // 2]
        moves.append((versions[side], known[1], left, location, unit))
        self.version, versions[side] = known
        if left != location:
            self._restack(unit, side, left, location)
            _set_item(self, unit, location)

    def copy(self) -> UnitLocations:
        """Return the same locations with the same versions."""
        new = UnitLocations.__new__(UnitLocations)
        new += self
        new.sides = self.sides
        new.version = self.version
        new.versions = self.versions[:]
        new._moves = [moves[:] for moves in self._moves]
        new._stacks = self._stacks[:]
        new._shared, self._shared = [True for _ in self.versions], [True for _ in self.versions]
        return new

    @contextmanager
    def supposing(self, moves: Mapping[int, int]) -> Iterator[None]:
        """Move units temporarily; restore them on exit. Repeating a hypothesis yields the same versions, so caches hit.

        >>> where = UnitLocations([7, 8])
        >>> before = where.version
        >>> with where.supposing({0: 9}):
        ...     print(where, where.version == before)
        [9, 8] False
        >>> where, where.version == before
        ([7, 8], True)
        """
        before = self.version, self.versions
        old = {unit: self[unit] for unit in moves}
        key = (self.version, *moves.items())
        known = _SUPPOSED.get(key)
        if known is None:
            self.versions = self.versions[:]
            for unit, location in moves.items():
                self[unit] = location
            _SUPPOSED.keep(key, (self.version, self.versions[:]))
        else:
            self._put(moves)
            self.version, self.versions = known[0], known[1][:]
        try:
            yield
        finally:
            self._put(old)
            self.version, self.versions = before

    def _put(self, locations: Mapping[int, int]) -> None:
        """Move units without a new version."""
        for unit, location in locations.items():
            if self[unit] != location:
                self._restack(unit, self.sides[unit], self[unit], location)
            _set_item(self, unit, location)

    def _restack(self, unit: int, side: int, left: int, location: int) -> None:
        """Update the index for a unit that is about to move."""
        stacks = self._stacks[side]
        if stacks is None:
            return
        if self._shared[side]:
            stacks = self._stacks[side] = stacks.copy()
            self._shared[side] = False
        if left != NOWHERE:
            stack = stacks[left]
            if len(stack) > 1:
                stacks[left] = tuple([other for other in stack if other != unit])
            else:
                del stacks[left]
        if location != NOWHERE:
            there = stacks.get(location)
            stacks[location] = (unit,) if there is None else tuple(sorted((*there, unit)))


class UnitFlags(list[int]):
    """The flags of every unit. `version` changes when a watched flag of any unit changes, `versions[flag]` when that
    flag changes, and `side_versions[side][flag]` when that of a unit of the side changes. The units with a flag are
    indexed for watched flags, and for others that are `indexed`.

    >>> flags = UnitFlags([0, 0], watched=0b10)
    >>> before = flags.version
    >>> flags[0] |= 0b01
    >>> flags.version == before
    True
    >>> flags[1] |= 0b10
    >>> flags.version == before, flags.having(0b10), flags.versions[0b10] == flags.version
    (False, [1], True)
    """

    __slots__ = ("_having", "indexed", "side_versions", "sides", "version", "versions", "watched")

    def __init__(self, flags: Iterable[int], watched: int, indexed: int = 0, sides: Sequence[int] = ()) -> None:
        super().__init__(flags)
        self.watched = watched
        self.indexed = watched | indexed
        self.version = _tick()
        self._having: dict[int, list[int]] = {}
        self.versions = dict.fromkeys(_bits(watched), self.version)
        """By watched flag, the version since which the units with it are the same."""
        self.use_sides(sides)

    def use_sides(self, sides: Sequence[int]) -> None:
        """Take the side of each unit from a list; the default is one side for all."""
        self.sides = sides or [0] * len(self)
        self.side_versions = [self.versions.copy() for _ in range(max(self.sides, default=0) + 1)]

    def __setitem__(self, at: Any, value: Any) -> None:
        if type(at) is not int:
            self.version, self._having = _tick(), {}
            self.versions = dict.fromkeys(self.versions, self.version)
            self.side_versions = [self.versions.copy() for _ in self.side_versions]
        elif changed := (self[at] ^ value) & self.indexed:
            watched, having = self.watched, self._having
            if changed & watched:
                self.version = _tick()
            while changed:
                flag = changed & -changed
                changed ^= flag
                if flag & watched:
                    self.versions[flag] = self.side_versions[self.sides[at]][flag] = self.version
                if flag in having:
                    units = having[flag] = having[flag].copy()
                    if value & flag:
                        insort(units, at)
                    else:
                        units.remove(at)
        _set_item(self, at, value)

    def having(self, flag: int) -> list[int]:
        """Return the units with a watched or indexed flag, in order. Do not change the list; a later change makes another."""
        if flag not in self._having:
            self._having[flag] = [unit for unit, flags in enumerate(self) if flags & flag]
        return self._having[flag]

    def clear_from(self, units: Iterable[int], flags: int) -> None:
        """Take flags off units in one change. If all are in the index, units without them cost nothing.

        >>> marks = UnitFlags([1, 2, 3, 0], watched=0b10)
        >>> before, having = marks.version, marks.having(0b10)
        >>> marks.clear_from(range(2, 4), 0b11)
        >>> marks, marks.having(0b10), marks.version == before
        ([1, 2, 0, 0], [1], False)
        """
        kept, found = ~flags, set()
        if flags & ~self.indexed:
            found.update([unit for unit in units if self[unit] & flags])
        else:
            for flag in _bits(flags):
                found.update(self.having(flag))
            found.intersection_update(units)
        if not found:
            return
        changed = 0
        for unit in found:
            changed |= self[unit] & flags
            _set_item(self, unit, self[unit] & kept)
        if changed & self.watched:
            self.version = _tick()
        for flag in _bits(changed & self.indexed):
            if flag & self.watched:
                self.versions[flag] = self.version
                for side in {self.sides[unit] for unit in found}:
                    self.side_versions[side][flag] = self.version
            if flag in self._having:
                self._having[flag] = [unit for unit in self._having[flag] if unit not in found]

    def replaced(self, flags: Mapping[int, int]) -> UnitFlags:
        """Return a copy with other flags for some units. Repeating it yields the same version, so caches hit.

        >>> one = UnitFlags([0, 0], watched=0b10)
        >>> two = one.replaced({1: 0b11})
        >>> two, two.version == one.version, two.version == one.replaced({1: 0b11}).version
        ([0, 3], False, True)
        """
        new = self.copy()
        new._having = {}
        changed = tuple(
            [(unit, bits & self.watched) for unit, bits in flags.items() if (new[unit] ^ bits) & self.watched]
        )
        for unit, bits in flags.items():
            _set_item(new, unit, bits)
        if changed:
            key = (self.version, changed)
            known = _REPLACED.get(key)
            new.version = _REPLACED.keep(key, next(_VERSIONS)) if known is None else known
            new.versions = dict.fromkeys(self.versions, new.version)
            new.side_versions = [new.versions.copy() for _ in self.side_versions]
        return new

    def copy(self) -> UnitFlags:
        """Return the same flags with the same version."""
        new = UnitFlags.__new__(UnitFlags)
        new += self
        new.watched, new.indexed, new.version = self.watched, self.indexed, self.version
        new._having, new.versions, new.sides = self._having.copy(), self.versions.copy(), self.sides
        new.side_versions = [versions.copy() for versions in self.side_versions]
        return new


def _bits(flags: int) -> list[int]:
    """Return each flag in a number by itself.

    >>> _bits(0b101)
    [1, 4]
    """
    found = []
    while flags:
        found.append(flags & -flags)
        flags &= flags - 1
    return found


def having(column: list[int], value: int) -> list[int]:
    """Return the units with a value in a column of the state, in order. It is quick if few have it.

    >>> having([0, 3, 0, 3], 3), having([0, 3], 5)
    ([1, 3], [])
    """
    found: list[int] = []
    at = NOWHERE
    for _ in range(column.count(value)):
        at = column.index(value, at + 1)
        found.append(at)
    return found


class VersionedDict(dict[Any, int]):
    """A dictionary of the state. Its `version` changes if and only if its contents change.

    >>> forts = VersionedDict({7: 0})
    >>> before = forts.version
    >>> forts[8] = 1
    >>> forts.version == before, forts.copy().version == forts.version
    (False, True)
    """

    __slots__ = ("_having", "version")

    def __init__(self, items: Any = ()) -> None:
        super().__init__(items)
        self.version = _tick()
        self._having: dict[int, tuple[int, frozenset[Any]]] = {}
        """The last result of `having` for a value, with its version. Copies share it."""

    def having(self, value: int) -> frozenset[Any]:
        """Return the keys with a value; the same object until something changes.

        >>> forts = VersionedDict({7: 0, 8: 1})
        >>> forts.having(1), forts.having(1) is forts.having(1)
        (frozenset({8}), True)
        """
        known = self._having.get(value)
        if known is None or known[0] != self.version:
            known = self._having[value] = self.version, frozenset([key for key, one in self.items() if one == value])
        return known[1]

    def copy(self) -> VersionedDict:
        """Return the same items with the same version."""
        new = VersionedDict.__new__(VersionedDict)
        if self:
            dict.update(new, self)
        new.version, new._having = self.version, self._having
        return new

    def __setitem__(self, key: Any, value: int) -> None:
        if self.get(key) != value:
            self.version = _tick()
            dict.__setitem__(self, key, value)

    def __delitem__(self, key: Any) -> None:
        self.version = _tick()
        super().__delitem__(key)

    def clear(self) -> None:
        """Remove all items."""
        if self:
            self.version = _tick()
            super().clear()

    def pop(self, key: Any, *default: Any) -> Any:
        """Remove a key and return its value."""
        if key in self:
            self.version = _tick()
        return super().pop(key, *default)

    def update(self, *items: Any, **more: int) -> None:
        """Set several items."""
        self.version = _tick()
        super().update(*items, **more)

    def setdefault(self, key: Any, default: int = 0) -> int:
        """Return the value of a key, set to the default if it is missing."""
        if key not in self:
            self.version = _tick()
        return super().setdefault(key, default)

    def _merge(self, other: Any) -> Self:
        self.update(other)
        return self

    __ior__: Any = _merge

    def popitem(self) -> tuple[Any, int]:
        """Remove and return one item."""
        self.version = _tick()
        return super().popitem()


class VersionedList(list[int]):
    """A column of the state. Its `version` changes if and only if its contents change. Assign items and slices only.

    >>> loads = VersionedList([0, 4])
    >>> before = loads.version
    >>> loads[1] = 4
    >>> loads.version == before, loads.copy().version == before
    (True, True)
    >>> loads[0] += 1
    >>> loads.version == before
    False
    """

    __slots__ = ("version",)

    def __init__(self, items: Iterable[int] = ()) -> None:
        super().__init__(items)
        self.version = _tick()

    def __setitem__(self, at: Any, value: Any) -> None:
        if self[at] != value:
            self.version = _tick()
            _set_item(self, at, value)

    def copy(self) -> VersionedList:
        """Return the same items with the same version."""
        new = VersionedList.__new__(VersionedList)
        new += self
        new.version = self.version
        return new


_VERSIONS = count()
_set_item = list.__setitem__


class _Clock:
    """The version of the last change to any versioned field or scalar of any state, unit locations excepted. For
    `cache.until_change`."""

    __slots__ = ("now",)

    def __init__(self) -> None:
        self.now = NOWHERE


CLOCK = _Clock()


def _tick() -> int:
    """Return a new version of something other than unit locations."""
    version = CLOCK.now = next(_VERSIONS)
    return version


V = TypeVar("V")


class Memo(dict[Any, V]):
    """A cache keyed by the versions of what its entries were computed from. It is cleared when full.

    >>> memo: Memo[str] = Memo(most=2)
    >>> memo.keep(1, "one"), memo.get(1), memo.get(2)
    ('one', 'one', None)
    """

    def __init__(self, most: int = 256) -> None:
        super().__init__()
        self.most = most

    def keep(self, key: Any, answer: V) -> V:
        """Store a value and return it."""
        if len(self) >= self.most:
            self.clear()
        self[key] = answer
        return answer


_SUPPOSED: Memo[tuple[int, list[int]]] = Memo(most=1024)
_REARRANGED: Memo[tuple[int, int]] = Memo(most=1024)
_REPLACED: Memo[int] = Memo(most=1024)


_WRAPPERS = (UnitLocations, UnitFlags, VersionedDict, VersionedList)


class State:
    """Everything that changes in a match. Subclasses extend `COLUMNS` (one small integer per unit, with its default),
    `SCALARS` (one small integer, with its default), `OWNERS` (location -> side), `AMOUNTS` (location -> number) and
    `TALLIES` (name -> number). `RECORDS` names procedures in progress (a retreat, a declaration): each is None or a
    NamedTuple of whole numbers and tuples of them, whose fields `unit...` are units, `hex...` and `location...`
    locations, `side...` sides. Only declared fields are copied, compared, shown and saved. `RANGES` gives the legal
    values of scalars. `VERSIONED` names dictionaries and columns, and `WATCHED` flags, whose changes get a new version,
    so that caches can depend on them. The units with a flag of `INDEXED` are found without a search, as those with a
    watched one are."""

    COLUMNS: ClassVar[dict[str, int]] = {"where": NOWHERE, "steps": 1, "flags": 0}
    SCALARS: ClassVar[dict[str, int]] = {"turn": 1, "phase": 0}
    RANGES: ClassVar[dict[str, range]] = {}
    OWNERS: ClassVar[tuple[str, ...]] = ()
    AMOUNTS: ClassVar[tuple[str, ...]] = ()
    TALLIES: ClassVar[tuple[str, ...]] = ()
    RECORDS: ClassVar[dict[str, type[Any]]] = {}
    VERSIONED: ClassVar[tuple[str, ...]] = ()
    WATCHED: ClassVar[int] = 0
    INDEXED: ClassVar[int] = 0
    _dicts: ClassVar[tuple[str, ...]] = ()
    _copied: ClassVar[tuple[str, ...]] = tuple(COLUMNS)
    _wrapped: ClassVar[frozenset[str]] = frozenset({"where"})

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
        cls._wrapped = frozenset(("where", *cls.VERSIONED, *(["flags"] if cls.WATCHED | cls.INDEXED else [])))

    def __init__(self, units: int) -> None:
        for name, default in self.COLUMNS.items():
            setattr(self, name, [default] * units)
        for name, default in self.SCALARS.items():
            setattr(self, name, default)
        for name in self._dicts:
            setattr(self, name, {})
        for name in self.RECORDS:
            setattr(self, name, None)
        self.result = None

    def copy(self) -> Self:
        """Return an independent copy."""
        new = object.__new__(self.__class__)
        fields = new.__dict__
        fields.update(self.__dict__)
        for name in self._copied:
            fields[name] = fields[name].copy()
        return new

    def __setattr__(self, name: str, value: Any) -> None:
        _tick()
        if name in self._wrapped and type(value) not in _WRAPPERS:
            if name == "where":
                before = self.__dict__.get("where")
                value = UnitLocations(value, before.sides if before else ())
            elif name == "flags":
                value = UnitFlags(value, self.WATCHED, self.INDEXED, self.where.sides)
            else:
                value = VersionedList(value) if name in self.COLUMNS else VersionedDict(value)
        if name == "where" and isinstance(flags := self.__dict__.get("flags"), UnitFlags):
            flags.use_sides(value.sides)
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, State) and self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} turn {self.turn}, phase {self.phase}, {self.digest()}>"

    def as_dict(self) -> dict[str, Any]:
        """Return every field by name, in a fixed order; dictionaries are sorted."""
        fields: dict[str, Any] = {name: getattr(self, name) for name in self.SCALARS}
        fields.update({name: list(getattr(self, name)) for name in self.COLUMNS})
        fields.update({name: dict(sorted(getattr(self, name).items())) for name in self._dicts})
        fields.update({name: None if (now := getattr(self, name)) is None else tuple(now) for name in self.RECORDS})
        fields["result"] = list(self.result) if self.result else None
        return fields

    def digest(self) -> str:
        """Return a hash of the whole state."""
        return hashlib.sha256(repr(self.as_dict()).encode()).hexdigest()[:16]
