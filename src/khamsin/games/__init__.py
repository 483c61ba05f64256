"""The games: one package each, and the register that finds them.

A game outside this package can be tried by naming it in the environment: `KHAMSIN_GAMES=my_module:RULES`.
"""

from __future__ import annotations

import gc
import importlib
import os
from pathlib import Path
from typing import Any

from khamsin.kernel.rules import Rules

TITLES = {
    "paa": "PanzerArmee Afrika",
    "na41": "North Africa '41",
    "afrika": "Afrika",
    "tunisia": "Tunisia",
    "kasserine": "Decision at Kasserine",
}
"""The five games, by id."""

_REGISTER: dict[str, Rules[Any]] = {}


class NotWritten(ValueError):
    """A game whose board exists and whose rules do not, yet."""


def register(rules: Rules[Any]) -> None:
    """Make a game known under its id; again is no harm, as when two threads load it at once."""
    if rules.id in TITLES and _REGISTER.get(rules.id, rules) is not rules:
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
        if game not in TITLES:
            raise ValueError(f"{game!r}: no such game; there are {', '.join(TITLES)}")
        if not (Path(__file__).parent / game / "__init__.py").exists():
            raise NotWritten(f"{game!r}: the rules of {TITLES[game]} are not written yet; its board is")
        register(importlib.import_module(f"khamsin.games.{game}").RULES)
    return _REGISTER[game]


def settle() -> None:
    """Tell the collector of garbage, once games are loaded, that they stay, and that playing leaves few cycles: it need not
    look at the boards again, and seldom at the rest. For programs that do nothing but play."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def playable() -> list[str]:
    """The ids of the games that can be played now."""
    _from_environment()
    written = [game for game in TITLES if (Path(__file__).parent / game / "__init__.py").exists()]
    return [*written, *(game for game in _REGISTER if game not in TITLES)]


def _from_environment() -> None:
    for name in filter(None, os.environ.get("KHAMSIN_GAMES", "").split(",")):
        module, _, attribute = name.partition(":")
        try:
            rules = getattr(importlib.import_module(module), attribute or "RULES")
        except (ImportError, AttributeError) as error:
            raise ValueError(f"KHAMSIN_GAMES={name!r}: expected module:attribute; {error}") from None
        _REGISTER.setdefault(rules.id, rules)
