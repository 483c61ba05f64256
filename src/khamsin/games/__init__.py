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
    """A game that has a board but cannot be played yet."""


def register(rules: Rules[Any]) -> None:
    """Register a game under its id. The same game may be registered again, as when two threads load it."""
    if rules.id in registrations() and _REGISTER.get(rules.id, rules) is not rules:
        raise ValueError(f"{rules.id!r}: already registered")
    _REGISTER[rules.id] = rules


def load(game: str) -> Rules[Any]:
    """Return the rules of a game.

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
            raise NotWritten(f"{game!r}: {stated.title} cannot be played yet; khamsin draw {game} draws its board")
        register(importlib.import_module(stated.module).RULES)
        if gc.get_freeze_count():
            freeze_gc()
    return _REGISTER[game]


def freeze_gc() -> None:
    """Freeze loaded games out of garbage collection and raise its thresholds: for batch play and servers. Games that are loaded
    later are frozen then."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def playable() -> list[str]:
    """Return the ids of the games whose rules are written."""
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
