"""The games: one package each, found by its `game.toml` (`kernel.registration`).

A game outside this package is named in the environment: `KHAMSIN_GAMES=my_module:RULES`, or a package with a `game.toml`.
"""

from __future__ import annotations

import gc
import importlib
import os
from collections.abc import Mapping
from typing import Any

from khamsin.kernel.registration import VARIABLE, named, package_folder, registrations
from khamsin.kernel.rules import Rules

_REGISTER: dict[str, Rules[Any]] = {}


class NotWritten(ValueError):
    """A game whose board exists and whose rules do not, yet."""


def register(rules: Rules[Any]) -> None:
    """Make a game known under its id; again is no harm, as when two threads load it at once."""
    if rules.id in registrations() and _REGISTER.get(rules.id, rules) is not rules:
        raise ValueError(f"{rules.id!r}: already registered")
    _REGISTER[rules.id] = rules


def load(game: str) -> Rules[Any]:
    """The rules of a game.

    >>> load("chess")
    Traceback (most recent call last):
    ...
    ValueError: 'chess': no such game; there are paa, na41, afrika, tunisia, kasserine
    """
    _from_environment()
    if game not in _REGISTER:
        if game not in registrations():
            raise ValueError(f"{game!r}: no such game; there are {', '.join(registrations())}")
        stated = registrations()[game]
        if not stated.module:
            raise NotWritten(f"{game!r}: the rules of {stated.title} are not written yet; its board is")
        register(importlib.import_module(stated.module).RULES)
    return _REGISTER[game]


def freeze_gc() -> None:
    """Tell the collector of garbage, once games are loaded, that they stay, and that playing leaves few cycles: it need not
    look at the boards again, and seldom at the rest. For programs that do nothing but play."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def playable() -> list[str]:
    """The ids of the games that can be played now."""
    _from_environment()
    written = [game for game, stated in registrations().items() if stated.module]
    return [*written, *(game for game in _REGISTER if game not in registrations())]


def bench_targets(game: str) -> Mapping[str, int]:
    """Return the clicks per second of random play to reach, by scenario."""
    stated = registrations().get(game)
    return stated.bench if stated else {}


def _from_environment() -> None:
    """Import the games named in the environment that have no `game.toml`."""
    for module, attribute in named(os.environ.get(VARIABLE, "")):
        if package_folder(module) is not None:
            continue
        try:
            rules = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise ValueError(f"{VARIABLE}={module}:{attribute}: expected module:attribute; {error}") from None
        _REGISTER.setdefault(rules.id, rules)
