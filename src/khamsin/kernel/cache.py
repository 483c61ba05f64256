"""Caches whose keys name what they depend on.

A cached function gives a key made of the versions of the fields it reads, so nothing has to be invalidated by hand:

```python
@cached(lambda g, side: (g.state.where.versions[side], g.state.strongpoint.version))
def zone(g: G, side: int) -> bytes: ...
```

With `KHAMSIN_CHECK_CACHES=n` every n-th hit is computed again and compared. That finds a key that lacks something the
function reads.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Hashable
from functools import cached_property, update_wrapper
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

import numpy as np

from khamsin.kernel.pieces import CLOCK, Memo

P = ParamSpec("P")
S = TypeVar("S")
V = TypeVar("V")

CHECK_EVERY = int(os.environ.get("KHAMSIN_CHECK_CACHES", "0"))
"""The number of hits between two that are checked; 0 checks none."""
_LOOKED_UP = """
def answer({given}):
    _reads = _key({given})
    _known = _get(_reads, _unknown)
    if _known is not _unknown:
        return {known}
    return _keep(_reads, _function({given}))
"""
"""A cached function. It has the parameters of the function itself, which takes 40 % less time than `*args`."""
_UNKNOWN = object()
_set_attribute = object.__setattr__


class once(cached_property[V]):
    """A `cached_property` without a lock. Before Python 3.12 the lock takes most of the time of the first read."""

    if not TYPE_CHECKING:  # its types are those of the class it extends

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            found = self.func(instance)
            _set_attribute(instance, self.attrname, found)  # asking for `__dict__` would slow all later access down
            return found


def remembered(method: Callable[Concatenate[S, P], V]) -> Callable[Concatenate[S, P], V]:
    """A method whose results its object keeps by the arguments, for an object that belongs to one position.

    >>> class Doubles:
    ...     asked = 0
    ...     @remembered
    ...     def of(self, number):
    ...         self.asked += 1
    ...         return 2 * number
    >>> doubles = Doubles()
    >>> doubles.of(3), doubles.of(3), doubles.of(4), doubles.asked
    (6, 6, 8, 2)
    """
    compute: Callable[..., V] = method
    name = f"_{method.__name__}_known"

    def answer(self: Any, *args: Any) -> Any:
        known = getattr(self, name, None)
        if known is None:
            known = {}
            _set_attribute(self, name, known)
        found = known.get(args, _UNKNOWN)
        if found is _UNKNOWN:
            found = known[args] = compute(self, *args)
        return found

    return cast(Callable[Concatenate[S, P], V], update_wrapper(answer, method))


class StaleCache(AssertionError):
    """A cached result differs from the one computed now: the key lacks something the function reads."""


def cached(key: Callable[P, Hashable], size: int = 256) -> Callable[[Callable[P, V]], Callable[P, V]]:
    """Cache a function by the versions of what it reads.

    >>> @cached(lambda table, n: (table["version"], n))
    ... def times(table, n):
    ...     return n * table["factor"]
    >>> times({"version": 1, "factor": 2}, 3), times({"version": 1, "factor": 5}, 3)
    (6, 6)
    """

    def decorate(function: Callable[P, V]) -> Callable[P, V]:
        memo: Memo[V] = Memo(size)
        given = ", ".join(inspect.signature(function).parameters)
        known = f"_check(_function, _known, ({given},))" if CHECK_EVERY else "_known"
        names: dict[str, Any] = {"_key": key, "_get": memo.get, "_keep": memo.keep, "_unknown": _UNKNOWN}
        names |= {"_function": function, "_check": _check}
        exec(_LOOKED_UP.format(given=given, known=known), names)
        answer: Any = names["answer"]
        answer.__defaults__ = getattr(function, "__defaults__", None)
        return update_wrapper(answer, function)

    return decorate


def until_change(function: Callable[[Any, int], V]) -> Callable[[Any, int], V]:
    """Keep the last result of a function of the game and a side. It is dropped when units of the side move, or when a
    scalar or a versioned field of the state changes. That takes a third of the time of a key. The function may read
    nothing else that changes."""
    last: dict[int, tuple[int, int, Any, V]] = {}

    def answer(g: Any, side: int) -> V:
        state = g.state
        try:
            seen, time, owner, known = last[side]
            if time == CLOCK.now and owner is state and seen == state.where.versions[side]:
                return known
        except KeyError:
            pass
        known = function(g, side)
        last[side] = state.where.versions[side], CLOCK.now, state, known
        return known

    def checked(g: Any, side: int) -> V:
        return _check(function, answer(g, side), (g, side))

    return update_wrapper(checked if CHECK_EVERY else answer, function)


_hits = 0


def _check(function: Callable[..., V], known: V, args: tuple[Any, ...]) -> V:
    """Return a cached result; compute every n-th again and compare."""
    global _hits
    _hits += 1
    if _hits % CHECK_EVERY == 0:
        now = function(*args)
        if not same(known, now):
            raise StaleCache(f"{function.__module__}.{function.__qualname__}: cached {known!r}, now {now!r}")
    return known


def same(one: Any, other: Any) -> bool:
    """Whether two results are equal; arrays and plain objects are compared by their contents."""
    if one is other:
        return True
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and bool(np.array_equal(one, other))
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if "__eq__" not in vars(type(one)) and type(one) is type(other) and hasattr(one, "__dict__"):
        return same(_plain(one), _plain(other))
    return bool(one == other)


def _plain(thing: Any) -> dict[str, Any]:
    """Return the attributes of an object, without those that are computed when first read, and those in which equal objects
    differ, which its class names in `INCOMPARABLE`."""
    without = {name for name, value in vars(type(thing)).items() if isinstance(value, cached_property)}
    without.update(getattr(thing, "INCOMPARABLE", ()))
    return {name: value for name, value in vars(thing).items() if name not in without}
